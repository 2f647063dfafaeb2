"""Turn a game for several players into a PettingZoo environment with one agent per player."""

from __future__ import annotations

__all__ = ["parallel_env"]

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import checks
from ..game.game import Game, make_game
from ..game.game_options import Overrides
from ..game.launch import check_game
from ..game.save_files import SeparateRun
from ..input.tick_input import MAX_PLAYERS
from .agent_actions import AgentActions
from .gymnasium_imports import ParallelEnv, check_installed
from .observations import Observation, ObservedEnv, checked_max_steps, checked_render_mode
from .rewards import Reward, Termination
from .stepping import run_step

_SEEDS = 2**62


def parallel_env(game_class: type[Game], players: int = 2, **options: Any) -> PlayersEnv:
    """Return a parallel environment of PettingZoo for a game. The agents are "player_0",
    "player_1", and so on.

    ``options`` are the options of `GameEnv`. Functions that you pass, such as ``reward``, are
    called with two arguments: the game and the player number. The game's own methods ``act``,
    ``observation``, ``reward`` and ``terminated`` receive the player number as the last argument.
    ``reward`` may also be the name of an array in the game that has one element per player. Each
    player has its own keys, as in ``self.players[1].keys``.

    When a player is terminated, its agent is removed. All agents are removed when the game calls
    `Game.exit`, or after ``max_steps`` steps.
    """
    return PlayersEnv(game_class, players, **options)


class PlayersEnv(ObservedEnv, ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """The PettingZoo environment that `parallel_env` returns."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}  # noqa: RUF012  (as in PettingZoo)

    def __init__(
        self,
        game_class: type[Game],
        players: int,
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
        check_installed("parallel_env", ParallelEnv, "PettingZoo")
        check_game(game_class)
        count = checks.whole("players", players, 1, MAX_PLAYERS)
        self.render_mode = checked_render_mode(render_mode)
        self.game: Any = None
        """The current game, or None before the first `reset`."""
        self._game_class = game_class
        self._options = options
        self._ticks = checks.whole("ticks_per_step", ticks_per_step, 1)
        self._max_steps = checked_max_steps(max_steps)
        self._steps = 0
        self._random = np.random.default_rng()
        self.possible_agents = [f"player_{number}" for number in range(count)]
        self.agents: list[str] = []
        self._numbers = {agent: number for number, agent in enumerate(self.possible_agents)}
        self._actions = {agent: AgentActions(game_class, actions) for agent in self.possible_agents}
        self._observed = {
            agent: Observation(game_class, observation, observation_space)
            for agent in self.possible_agents
        }
        self._rewards = {agent: Reward(reward) for agent in self.possible_agents}
        self._termination = Termination(terminated)
        self._held: dict[str, frozenset[int | str]] = {}
        self.metadata = self.metadata | {"name": f"{game_class.__name__}_v0"}
        with self._make(0) as game:
            for agent, number in self._numbers.items():
                self._observed[agent].observe(game, number)
        self.action_spaces = {agent: actions.space for agent, actions in self._actions.items()}
        self.observation_spaces: Any = {
            agent: observation.space for agent, observation in self._observed.items()
        }

    def observation_space(self, agent: str) -> Any:
        """Return the Gymnasium space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the Gymnasium space of an agent's actions."""
        return self.action_spaces[agent]

    def _make(self, seed: int) -> Game:
        draws = self.render_mode is not None or any(
            observation.pixels for observation in self._observed.values()
        )
        overrides: Overrides = {
            "drawing": draws,
            "headless": True,
            "seed": seed,
            "players": len(self.possible_agents),
            "separate_run": SeparateRun(),
        }
        game: Game = make_game(self._game_class, overrides, **self._options)
        return game

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Create a new game for the next episode. Return two dicts: the first observation of each
        agent, and an empty info dict for each agent.
        """
        if seed is not None:
            seed = checks.whole("seed", seed, 0)
            self._random = np.random.default_rng(seed)
        self.close()
        self.game = self._make(int(self._random.integers(_SEEDS)))
        self.agents = [*self.possible_agents]
        self._steps = 0
        self._held = dict.fromkeys(self.agents, frozenset())
        for agent in self.agents:
            self._rewards[agent].begin(self.game, self._numbers[agent])
        return self._observations(self.agents), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Apply the actions of all agents, and then run the ticks of one step.

        Return five dicts: observations, rewards, terminated, truncated and infos. The keys of each
        dict are the names of the agents.
        """
        game: Game | None = self.game
        if game is None:
            raise checks.wrong_value("step", "a reset() before it", None)
        self._check_complete(actions)
        acting = self.agents
        for agent in acting:
            number = self._numbers[agent]
            self._held[agent] = self._actions[agent].take(
                game, actions[agent], self._held[agent], number
            )
        run_step(game, self._ticks)
        self._steps += 1
        truncated = self._max_steps is not None and self._steps >= self._max_steps
        terminated = {agent: self._termination.of(game, self._numbers[agent]) for agent in acting}
        rewards = {agent: self._rewards[agent].of(game, self._numbers[agent]) for agent in acting}
        self.agents = [agent for agent in acting if not (truncated or terminated[agent])]
        return (
            self._observations(acting),
            rewards,
            terminated,
            dict.fromkeys(acting, truncated),
            {agent: {} for agent in acting},
        )

    def _check_complete(self, actions: Mapping[str, Any]) -> None:
        """Raise an error unless there is an action for each agent."""
        if not isinstance(actions, Mapping):
            raise checks.wrong_type("actions", "a dict with one for each agent", actions)
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(
                f"actions: expected one for each agent, got none for {', '.join(missing)}"
            )

    def _observations(self, agents: list[str]) -> dict[str, Any]:
        return {
            agent: self._observed[agent].observe(self.game, self._numbers[agent])
            for agent in agents
        }
