"""Turn an `ArrayGame` into a vector environment of Gymnasium.

Each row of the game's arrays is a separate environment. One tick of the game is one step of all
environments.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..game.game import make_game
from ..game.game_options import Overrides
from ..game.save_files import SeparateRun
from .array_game import ArrayGame
from .gymnasium_imports import AutoresetMode, VectorEnv, as_space, batch_space, spaces
from .observations import checked_max_steps, checked_render_mode, picture, space_of
from .stepping import run_step

Bools = NDArray[np.bool_]


class ArrayEnv(VectorEnv[Any, Any, Any]):
    """The vector environment that `vector_env` returns for an `ArrayGame`."""

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
        # Set first, because Gymnasium also closes an environment whose `__init__` has failed.
        self.game: Any = None
        self.num_envs = checks.whole("num_envs", num_envs, 1)
        self.autoreset_mode = autoreset_mode
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": 60,
            "autoreset_mode": autoreset_mode,
        }
        self.render_mode = checked_render_mode(render_mode)
        self._ticks = checks.whole("ticks_per_step", ticks_per_step, 1)
        self._max_steps = checked_max_steps(max_steps)
        overrides: Overrides = {
            "drawing": render_mode is not None,
            "headless": True,
            "seed": 0,
            "separate_run": SeparateRun(),
        }
        self.game = make_game(game_class, overrides, envs=self.num_envs, **options)
        game: ArrayGame = self.game
        action_space: object = as_space(game.action_space)
        if not isinstance(action_space, spaces.Space):
            raise checks.wrong_type(
                "action_space",
                "a space of Gymnasium for a row, or the number of actions",
                action_space,
            )
        self.single_action_space = action_space
        observation_space: spaces.Space[Any] | None = game.observation_space
        self.single_observation_space = (
            space_of(game.observations()[0]) if observation_space is None else observation_space
        )
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._steps = np.zeros(self.num_envs, np.int64)
        self._done: Bools = np.zeros(self.num_envs, np.bool_)
        self._seeded = False

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Restart the episodes of all rows. If you pass ``options["reset_mask"]``, only the rows
        for which the mask is True restart.

        If ``seed`` is a number, row i gets the seed ``seed + i``. Return the observations and an
        empty dict.
        """
        mask = reset_mask(options, self.num_envs)
        seeds: NDArray[np.int64] | None = None
        if seed is not None:
            seeds = np.array(
                [checks.whole("seed", value) for value in seeds_of(seed, self.num_envs)]
            )
            if not np.ndim(seed):
                super().reset(seed=int(seed))
        elif not self._seeded:
            seeds = self.np_random.integers(2**62) + np.arange(self.num_envs)
        self._seeded = True
        self.game.restart(mask, None if seeds is None else seeds[mask])
        self._steps[mask] = 0
        self._done[mask] = False
        return self._observations(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Bools, Bools, dict[str, Any]]:
        """Run one step in every row.

        Return five values: the observations, the rewards, the terminated flags, the truncated
        flags, and the infos. The rewards are a float64 array, and the flags are bool arrays, with
        one element per row.
        """
        game: ArrayGame = self.game
        game.actions = self._checked(actions)
        restarting = np.flatnonzero(self._done)
        if len(restarting) and self.autoreset_mode == AutoresetMode.DISABLED:
            raise still_over(self._done)
        counts = game.streams.counts[restarting]
        run_step(game, self._ticks)
        self._steps += 1
        if len(restarting):  # undo the random numbers of this tick in rows that restart
            game.streams.counts[restarting] = counts
            game.restart(restarting)
            self._steps[restarting] = 0
        terminated = game.ended.copy()
        truncated: Bools = (
            np.zeros_like(terminated) if self._max_steps is None else self._steps >= self._max_steps
        )
        self._done = terminated | truncated
        observations = self._observations()
        rewards = game.rewards.copy()
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            final = self._restart_finished(observations)
            return self._observations(), rewards, terminated, truncated, final
        return observations, rewards, terminated, truncated, {}

    def _restart_finished(self, observations: NDArray[Any]) -> dict[str, Any]:
        """Restart the rows whose episodes have ended, and replace their ``observations`` by the
        first of the new episodes. Return the infos of the step, which contain the last observations
        of the old episodes.
        """
        done = self._done
        self._done = np.zeros_like(done)
        rows = np.flatnonzero(done)
        final = np.full(self.num_envs, None, object)
        for row in rows:
            final[row] = observations[row]
        self.game.restart(rows)
        self._steps[rows] = 0
        return {
            "final_obs": final,
            "_final_obs": done,
            "final_info": {},
            "_final_info": done.copy(),
        }

    def _observations(self) -> NDArray[Any]:
        game: ArrayGame = self.game
        # a copy, because the game writes into its array
        return np.array(game.observations(), self.single_observation_space.dtype)

    def _checked(self, actions: Any) -> NDArray[Any]:
        """Check the actions of an agent, and return them as an array. If an action is not in the
        action space, raise `ValueError`.
        """
        array: NDArray[Any] = np.asarray(actions)
        space = self.single_action_space
        if isinstance(space, spaces.Discrete):
            first = int(space.start)
            fits = array.dtype.kind in "iu" and array.shape == (self.num_envs,)
            fits = fits and first <= int(array.min()) <= int(array.max()) < first + int(space.n)
        else:
            fits = self.action_space.contains(array)
        if not fits:
            raise checks.wrong_value("actions", f"{self.num_envs} of {space}", actions)
        return array

    def render(self) -> tuple[Any, ...] | None:
        """Return a tuple with one image per row. If the environment has no render mode, return
        None.

        The game draws one row at a time. While the game draws a row, `ArrayGame.rendered_row` is
        the index of this row.
        """
        if self.render_mode is None:
            return None
        pictures = []
        for row in range(self.num_envs):
            self.game.rendered_row = row
            pictures.append(picture(self.game))
        return tuple(pictures)

    def close_extras(self, **keywords: Any) -> None:
        """Close the game that simulates all rows."""
        if self.game is not None:
            self.game.close()


def still_over(done: Bools) -> ValueError:
    """Return the error for calling ``step`` after the end of an episode, when the environment must
    be reset first.
    """
    return ValueError(
        f"step: {int(done.sum())} games are over; reset(options={{'reset_mask': …}}) them first"
    )


def seeds_of(seed: Any, count: int) -> list[int | None]:
    """Return a list of ``count`` seeds, one for each environment.

    If ``seed`` is a number, environment i gets ``seed + i``. A sequence must contain one seed for
    each environment. If ``seed`` is None, all environments get None. Raises `ValueError` or
    `TypeError` for a wrong seed.
    """
    if seed is None:
        return [None] * count
    if not np.ndim(seed):
        first = checks.whole("seed", seed, 0)
        return [first + row for row in range(count)]
    if len(seed) != count:
        raise ValueError(f"seed: expected one seed, or {count} of them, got {len(seed)}")
    return [None if value is None else checks.whole("seed", value, 0) for value in seed]


def reset_mask(options: dict[str, Any] | None, count: int) -> Bools:
    """Return a bool array that is True for each row that must restart. Without the option
    ``reset_mask``, all elements are True.
    """
    option: ArrayLike | None = None if options is None else options.get("reset_mask")
    if option is None:
        return np.ones(count, np.bool_)
    mask: Bools = np.asarray(option)
    if mask.dtype != np.bool_ or mask.shape != (count,) or not mask.any():
        raise checks.wrong_value("reset_mask", f"{count} bools, at least one of them true", mask)
    return mask
