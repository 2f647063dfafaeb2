"""The rows of an `ArrayGame` as Gymnasium's vector environment: a step of all of them is one
tick.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..game.game import make_game
from ..game.options import Overrides
from ..game.savefiles import Apart
from .array_game import ArrayGame
from .gymnasiums import AutoresetMode, VectorEnv, as_space, batch_space, spaces
from .observing import picture, space_of
from .stepping import run_step

Bools = NDArray[np.bool_]


class ArrayEnv(VectorEnv[Any, Any, Any]):
    """What `vector_env` makes of an `ArrayGame`; see there."""

    def __init__(
        self,
        game_class: type[ArrayGame],
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode,
        ticks_per_step: int = 1,
        max_steps: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game: Any = None  # first of all: Gymnasium closes what was made in part, too
        self.num_envs = checks.whole("num_envs", num_envs, 1)
        self.autoreset_mode = autoreset_mode
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": 60,
            "autoreset_mode": autoreset_mode,
        }
        self.render_mode = (
            None
            if render_mode is None
            else checks.choice("render_mode", render_mode, ("rgb_array",))
        )
        self._ticks = checks.whole("ticks_per_step", ticks_per_step, 1)
        self._max_steps = None if max_steps is None else checks.whole("max_steps", max_steps, 1)
        overrides: Overrides = {
            "drawing": render_mode is not None,
            "headless": True,
            "seed": 0,
            "apart": Apart(),
        }
        self.game = make_game(game_class, overrides, envs=self.num_envs, **options)
        game: ArrayGame = self.game
        does: object = as_space(game.action_space)
        if not isinstance(does, spaces.Space):
            raise checks.wrong_type(
                "action_space", "a space of Gymnasium's for a row, or how many actions", does
            )
        self.single_action_space = does
        seen: spaces.Space[Any] | None = game.observation_space
        self.single_observation_space = space_of(game.observations()[0]) if seen is None else seen
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._steps = np.zeros(self.num_envs, np.int64)
        self._done: Bools = np.zeros(self.num_envs, np.bool_)
        self._seeded = False

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Have all rows start anew, or those of ``options["reset_mask"]``; with a seed, row i of
        ``seed + i``.
        """
        mask = reset_mask(options, self.num_envs)
        if seed is None:
            seeds: NDArray[np.int64] | None = None
            if not self._seeded:
                seeds = self.np_random.integers(2**62) + np.arange(self.num_envs)
        else:
            seeds = np.array([checks.whole("seed", one) for one in seeds_of(seed, self.num_envs)])
            if not np.ndim(seed):
                super().reset(seed=int(seed))
        self._seeded = True
        self.game.restart(mask, None if seeds is None else seeds[mask])
        self._steps[mask] = 0
        self._done[mask] = False
        return self._seen(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Bools, Bools, dict[str, Any]]:
        """A step of every row: what is seen, rewards float64 (n,), terminated and truncated bool
        (n,), infos.
        """
        game: ArrayGame = self.game
        done = self._done
        game.actions = self._checked(actions)
        again = None
        if done.any():
            if self.autoreset_mode == AutoresetMode.DISABLED:
                raise still_over(done)
            again = np.flatnonzero(done)
            taken = game.streams.counts[again]
        run_step(game, self._ticks)
        self._steps += 1
        if again is not None:  # what the tick has made of these rows never was
            game.streams.counts[again] = taken
            game.restart(again)
            self._steps[again] = 0
        over = game.ended.copy()
        cut: Bools = (
            np.zeros_like(over) if self._max_steps is None else self._steps >= self._max_steps
        )
        self._done = over | cut
        seen, rewards = self._seen(), game.rewards.copy()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            final = self._begun_anew(seen)
            return self._seen(), rewards, over, cut, final
        return seen, rewards, over, cut, {}

    def _begun_anew(self, seen: NDArray[Any]) -> dict[str, Any]:
        """The rows that are over begin anew in the same step. Returns the infos, with what was seen
        of them.
        """
        done, self._done = self._done, np.zeros_like(self._done)
        rows = np.flatnonzero(done)
        final = np.full(self.num_envs, None, object)
        for row in rows:
            final[row] = seen[row]
        self.game.restart(rows)
        self._steps[rows] = 0
        return {
            "final_obs": final,
            "_final_obs": done,
            "final_info": {},
            "_final_info": done.copy(),
        }

    def _seen(self) -> NDArray[Any]:
        game: ArrayGame = self.game
        return np.array(game.observations(), self.single_observation_space.dtype)  # a copy

    def _checked(self, actions: Any) -> NDArray[Any]:
        """As an array of which each row is in the space of actions."""
        given: NDArray[Any] = np.asarray(actions)
        space = self.single_action_space
        if isinstance(space, spaces.Discrete):
            fits = given.dtype.kind in "iu" and given.shape == (self.num_envs,)
            first, count = int(space.start), int(space.n)
            fits = fits and first <= int(given.min()) <= int(given.max()) < first + count
        else:
            fits = self.action_space.contains(given)
        if not fits:
            raise checks.wrong_value("actions", f"{self.num_envs} of {space}", actions)
        return given

    def render(self) -> tuple[Any, ...] | None:
        """The pictures of all rows, one after the other `ArrayGame.shown`."""
        if self.render_mode is None:
            return None
        pictures = []
        for row in range(self.num_envs):
            self.game.shown = row
            pictures.append(picture(self.game))
        return tuple(pictures)

    def close_extras(self, **keywords: Any) -> None:
        """Close the game."""
        if self.game is not None:
            self.game.close()


def still_over(done: Bools) -> ValueError:
    """What is wrong with a step."""
    return ValueError(
        f"step: {int(done.sum())} games are over; reset(options={{'reset_mask': …}}) them first"
    )


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """One for each environment: from ``seed`` on, or those that it has. Raises an error that names
    it.
    """
    if seed is None:
        return [None] * count
    if not np.ndim(seed):
        first = checks.whole("seed", seed, 0)
        return [first + row for row in range(count)]
    if len(seed) != count:
        raise ValueError(f"seed: expected one, or {count} of them, got {len(seed)}")
    return [None if one is None else checks.whole("seed", one, 0) for one in seed]


def reset_mask(options: dict[str, Any] | None, count: int) -> Bools:
    """Which rows are to begin anew."""
    given: ArrayLike | None = None if options is None else options.get("reset_mask")
    if given is None:
        return np.ones(count, np.bool_)
    mask: Bools = np.asarray(given)
    if mask.dtype != np.bool_ or mask.shape != (count,) or not mask.any():
        raise checks.wrong_value("reset_mask", f"{count} bools, at least one of them true", mask)
    return mask
