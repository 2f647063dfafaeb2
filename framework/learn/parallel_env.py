"""A game of several players as PettingZoo's parallel environment: each player is an agent."""

from __future__ import annotations

__all__ = ["parallel_env"]

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import checks
from ..game.game import Game, make_game
from ..game.launch import check_game
from ..game.options import Overrides
from ..game.savefiles import Apart
from ..input.tick_input import MAX_PLAYERS
from .acting import Actions
from .gymnasiums import ParallelEnv, check_installed
from .judging import Ending, Reward
from .observing import Observation, Seen
from .stepping import run_step

_SEEDS = 2**62


def parallel_env(game_class: type[Game], players: int = 2, **options: Any) -> PlayersEnv:
    """PettingZoo's parallel environment of a game with so many ``players``: "player_0", "player_1",
    …

    ``options`` are those of `GameEnv`, but that functions of the game, its methods ``act``,
    ``observation``, ``reward`` and ``terminated`` are given the player's number too; the path of a
    reward may be one of an array, with a place for each. Keys are held for each player alone:
    ``self.players[1].keys``. An agent that is terminated is gone, and when the game calls
    `Game.exit` or ``max_steps`` are over, all are.
    """
    return PlayersEnv(game_class, players, **options)


class PlayersEnv(Seen, ParallelEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """What `parallel_env` makes; see there."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}  # noqa: RUF012  (as PettingZoo has it)

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
        self.render_mode = (
            None
            if render_mode is None
            else checks.choice("render_mode", render_mode, ("rgb_array",))
        )
        self.game: Any = None
        """The game that is played; None before the first `reset`."""
        self._game_class, self._options = game_class, options
        self._ticks = checks.whole("ticks_per_step", ticks_per_step, 1)
        self._max_steps = None if max_steps is None else checks.whole("max_steps", max_steps, 1)
        self._steps = 0
        self._random = np.random.default_rng()
        self.possible_agents = [f"player_{number}" for number in range(count)]
        self.agents: list[str] = []
        self._numbers = {agent: number for number, agent in enumerate(self.possible_agents)}
        self._actions = {agent: Actions(game_class, actions) for agent in self.possible_agents}
        self._seen = {
            agent: Observation(game_class, observation, observation_space)
            for agent in self.possible_agents
        }
        self._rewards = {agent: Reward(reward) for agent in self.possible_agents}
        self._ending = Ending(terminated)
        self._held: dict[str, frozenset[int | str]] = {}
        self.metadata = self.metadata | {"name": f"{game_class.__name__}_v0"}
        with self._made(0) as game:
            for agent, number in self._numbers.items():
                self._seen[agent].see(game, number)
        self.action_spaces = {agent: made.space for agent, made in self._actions.items()}
        self.observation_spaces: Any = {agent: seen.space for agent, seen in self._seen.items()}

    def observation_space(self, agent: str) -> Any:
        """Of what an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Of what an agent does."""
        return self.action_spaces[agent]

    def _made(self, seed: int) -> Game:
        draws = self.render_mode is not None or any(seen.pixels for seen in self._seen.values())
        overrides: Overrides = {
            "drawing": draws,
            "headless": True,
            "seed": seed,
            "players": len(self.possible_agents),
            "apart": Apart(),
        }
        game: Game = make_game(self._game_class, overrides, **self._options)
        return game

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """A new game, and what each agent sees of it."""
        if seed is not None:
            seed = checks.whole("seed", seed, 0)
            self._random = np.random.default_rng(seed)
        self.close()
        self.game = self._made(int(self._random.integers(_SEEDS)))
        self.agents, self._steps = [*self.possible_agents], 0
        self._held = dict.fromkeys(self.agents, frozenset())
        for agent in self.agents:
            self._rewards[agent].begin(self.game, self._numbers[agent])
        return self._observations(self.agents), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """All agents act, then the step's ticks run. Returns observations, rewards, terminated,
        truncated, infos.
        """
        game: Game | None = self.game
        if game is None:
            raise checks.wrong_value("step", "a reset() before it", None)
        if not isinstance(actions, Mapping):
            raise checks.wrong_type("actions", "a dict with one for each agent", actions)
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(
                f"actions: expected one for each agent, got none for {', '.join(missing)}"
            )
        acting = self.agents
        for agent in acting:
            number = self._numbers[agent]
            self._held[agent] = self._actions[agent].take(
                game, actions[agent], self._held[agent], number
            )
        run_step(game, self._ticks)
        self._steps += 1
        cut = self._max_steps is not None and self._steps >= self._max_steps
        over = {agent: self._ending.of(game, self._numbers[agent]) for agent in acting}
        rewards = {agent: self._rewards[agent].of(game, self._numbers[agent]) for agent in acting}
        self.agents = [agent for agent in acting if not (cut or over[agent])]
        return (
            self._observations(acting),
            rewards,
            over,
            dict.fromkeys(acting, cut),
            {agent: {} for agent in acting},
        )

    def _observations(self, agents: list[str]) -> dict[str, Any]:
        return {agent: self._seen[agent].see(self.game, self._numbers[agent]) for agent in agents}
