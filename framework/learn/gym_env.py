"""Turn any game into a Gymnasium environment for agents."""

from __future__ import annotations

__all__ = ["GameEnv"]

from typing import Any

from .. import checks
from ..game.game import Game, make_game
from ..game.game_options import Overrides
from ..game.launch import check_game
from ..game.save_files import SeparateRun
from .agent_actions import AgentActions
from .array_game import ArrayGame
from .gymnasium_imports import Env, EnvSpec, check_installed
from .observations import Observation, ObservedEnv, checked_max_steps, checked_render_mode
from .rewards import Reward, Termination
from .stepping import run_step

_SEEDS = 2**62


class GameEnv(ObservedEnv, Env[Any, Any]):
    """A game as an environment of Gymnasium. `reset` creates a new game, and `step` runs one or
    more of its ticks.

    Parameters
    ----------
    game_class
        A subclass of `Game`.
    actions
        The list of actions from which an agent chooses. Each item names the keys that are held down
        during the step, as in ``[(), "left", ("left", "space")]``. ``actions`` may also be a space
        of Gymnasium. In this case, each action is passed to the game's method ``act(action)``. By
        default, the actions are the game's ``action_space``. If it has none, there are six actions:
        no key, each of the four arrow keys, and Space.
    observation
        The numbers or pixels that an agent receives. Pass ``"pixels"``, a function that is called
        with the game, or names of the game's attributes, as in ``("ship.position", "score")``. The
        attributes must be numbers or arrays. Their values are joined into one float32 array. By
        default, the game's method ``observation()`` returns the observation. Without this method,
        the observation consists of the numbers and arrays that the game lists in ``saved``. If the
        game has neither ``observation()`` nor ``saved``, the observation is an image
        (``"pixels"``).
    observation_space
        A space of Gymnasium for the observations. By default, the game's attribute with this name
        is used, or a space that fits the first observation.
    reward
        A function that is called with the game and returns the reward of the step, or the name of a
        number in the game, as in ``"player.score"``. With a name, the reward is the increase of
        this number in the step. By default, the game's attribute or method with this name is used.
        If the game has no ``reward``, all rewards are 0.
    terminated
        A function that is called with the game and returns whether the game is over, or the name of
        an attribute. With a name, the episode ends when the value of this attribute is true. By
        default, the game's attribute or method with this name is used. Calling `Game.exit` always
        ends the episode.
    ticks_per_step
        The number of ticks that the game runs in each step.
    max_steps
        The number of steps after which an episode is truncated. By default, there is no limit.
    render_mode
        The render mode of Gymnasium: None or ``"rgb_array"``. With None, the game needs neither a
        window nor OpenGL, and draws nothing, unless the agent observes pixels.
    options
        Keyword arguments for the constructor of the game.

    If `reset` is called without a seed, the environment's random generator creates the seed of the
    game, as Gymnasium requires. Raises `FrameworkError` if Gymnasium is missing:
    ``pip install 'subtick[gym]'``.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}  # noqa: RUF012  (as in Gymnasium)

    def __init__(
        self,
        game_class: type[Game],
        *,
        actions: Any = None,
        observation: Any = None,
        observation_space: Any = None,
        reward: Any = None,
        terminated: Any = None,
        ticks_per_step: int = 1,
        max_steps: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_installed("GameEnv", Env)
        check_game(game_class)
        self.game: Any = None
        """The current game, or None before the first `reset`."""
        self.render_mode = checked_render_mode(render_mode)
        self._game_class = game_class
        self._options = options
        self._actions = AgentActions(game_class, actions)
        self._observation = Observation(game_class, observation, observation_space)
        self._reward = Reward(reward)
        self._termination = Termination(terminated)
        self._ticks = checks.whole("ticks_per_step", ticks_per_step, 1)
        self._max_steps = checked_max_steps(max_steps)
        self._steps = 0
        self._held: frozenset[int | str] = frozenset()
        if self._observation.space is None:
            with self._make(0) as game:
                self._observation.observe(game)
                rate = getattr(game.timestep, "rate", 60)
                self.metadata = self.metadata | {"render_fps": max(1, round(rate / self._ticks))}
        space: Any = self._observation.space
        self.action_space = self._actions.space
        self.observation_space = space
        arguments = {
            "game_class": game_class,
            "actions": actions,
            "observation": observation,
            "observation_space": observation_space,
            "reward": reward,
            "terminated": terminated,
            "ticks_per_step": ticks_per_step,
            "max_steps": max_steps,
        }
        entry: Any = GameEnv
        self.spec = EnvSpec(
            f"{game_class.__name__}-v0",
            entry,
            kwargs=arguments | options,
            disable_env_checker=True,
            order_enforce=False,
        )

    def _make(self, seed: int) -> Game:
        draws = self.render_mode is not None or self._observation.pixels
        overrides: Overrides = {
            "drawing": draws,
            "headless": True,
            "seed": seed,
            "separate_run": SeparateRun(),
        }
        game: Game = make_game(self._game_class, overrides, **self._options)
        return game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Create a new game for the next episode. If ``seed`` is None, an existing `ArrayGame` is
        restarted instead. Return the first observation of the episode and the info dict.
        """
        super().reset(seed=seed)
        is_array_game = issubclass(self._game_class, ArrayGame)
        if is_array_game and seed is None and self.game is not None:
            self.game.restart()  # without a seed, the random streams of the game continue
        else:
            self.close()
            if seed is None or not is_array_game:
                seed = int(self.np_random.integers(_SEEDS))
            self.game = self._make(seed)
        self._steps = 0
        self._held = frozenset()
        self._reward.begin(self.game)
        return self._observation.observe(self.game), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Apply an action and run the ticks of one step.

        Return five values: the observation, the reward, whether the game is over, whether the
        episode is truncated, and the info dict.
        """
        game: Game | None = self.game
        if game is None:
            raise checks.wrong_value("step", "a reset() before it", None)
        self._held = self._actions.take(game, action, self._held)
        run_step(game, self._ticks)
        self._steps += 1
        terminated = self._termination.of(game)
        truncated = self._max_steps is not None and self._steps >= self._max_steps
        return (
            self._observation.observe(game),
            self._reward.of(game),
            terminated,
            truncated,
            self._info(),
        )

    def _info(self) -> dict[str, Any]:
        info = getattr(self.game, "info", None)
        return dict(info()) if callable(info) else {}
