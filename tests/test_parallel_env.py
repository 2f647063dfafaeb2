"""PettingZoo environments of games with several players: keys, scores and terminations."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test
from pictures import solid

import framework as fw


class Tag(fw.Game):
    """All players run on a line. A player who reaches an end of the line is out."""

    def setup(self) -> None:
        self.positions = self.random.uniform(-5, 5, len(self.players))
        self.scores = np.zeros(len(self.players))
        self.dot = self.sprites.add(solid(4, 4), position=(10, 10))

    def update(self, dt: float) -> None:
        for number, player in enumerate(self.players):
            direction = player.keys.axis("left", "right")
            self.positions[number] += direction
            self.scores[number] += abs(direction)

    def observation(self, player: int) -> Any:
        return np.array([self.positions[player], *np.delete(self.positions, player)], np.float32)

    def terminated(self, player: int) -> bool:
        return bool(abs(self.positions[player]) > 9)


OPTIONS: dict[str, Any] = {"actions": [(), "left", "right"], "reward": "scores", "max_steps": 60}


def test_the_tests_of_pettingzoo_pass() -> None:
    env = fw.parallel_env(Tag, 3, **OPTIONS)
    parallel_api_test(env, num_cycles=100)
    parallel_seed_test(lambda: fw.parallel_env(Tag, 2, **OPTIONS), num_cycles=50)
    env.close()
    env.close()


def test_each_player_has_keys_and_a_score() -> None:
    env = fw.parallel_env(Tag, **OPTIONS)
    assert env.possible_agents == ["player_0", "player_1"]
    first, _ = env.reset(seed=4)
    observations, rewards, terminated, truncated, infos = env.step({"player_0": 2, "player_1": 0})
    assert observations["player_0"].tolist() == [first["player_0"][0] + 1, first["player_1"][0]]
    assert observations["player_1"].tolist() == observations["player_0"].tolist()[::-1]
    assert rewards == {"player_0": 1, "player_1": 0}
    assert (terminated, truncated) == (dict.fromkeys(rewards, False), dict.fromkeys(rewards, False))
    assert infos == {"player_0": {}, "player_1": {}}
    while env.agents == env.possible_agents:
        _, _, terminated, _, _ = env.step({"player_0": 2, "player_1": 0})
    assert env.agents == ["player_1"]
    assert terminated == {"player_0": True, "player_1": False}
    observations, *_ = env.step({"player_1": 1})
    assert [*observations] == ["player_1"]
    while env.agents:
        *_, truncated, _ = env.step({"player_1": 0})
    assert truncated == {"player_1": True}
    env.close()


def test_actions_and_rewards_may_be_functions_and_render_returns_pixels() -> None:
    class Acts(Tag):
        action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

        def act(self, action: Any, player: int) -> None:
            self.positions[player] += action[0]
            if self.positions[player] > 7:
                self.exit()

    env = fw.parallel_env(
        Acts, reward=lambda game, player: -player, render_mode="rgb_array", size=(40, 30)
    )
    assert env.render() is None
    env.reset(seed=1)
    assert env.render().shape == (30, 40, 3)
    assert env.render()[30 - 10, 10].tolist() == [255, 255, 255]
    full = np.ones(1, np.float32)
    while env.agents:
        _, rewards, terminated, _, _ = env.step({"player_0": full, "player_1": 0 * full})
    assert rewards == {"player_0": 0, "player_1": -1}
    assert terminated == {"player_0": True, "player_1": True}
    env.close()


def test_each_episode_has_a_seed_from_the_generator_of_the_environment() -> None:
    env = fw.parallel_env(Tag, **OPTIONS)
    env.reset(seed=8)
    seeds = [env.game._engine.stage.seed]
    env.reset()
    seeds.append(env.game._engine.stage.seed)
    assert seeds == np.random.default_rng(8).integers(2**62, size=2).tolist()
    env.close()


def test_bad_arguments_are_errors() -> None:
    for options, words in (
        ({"players": 0}, r"^players: "),
        ({"players": 65}, r"^players: "),
        ({"max_steps": 0}, r"^max_steps: "),
        ({"ticks_per_step": "x"}, r"^ticks_per_step: "),
        ({"render_mode": "human"}, r"^render_mode: "),
        ({"actions": 3}, r"^actions: "),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            fw.parallel_env(Tag, **{**OPTIONS, **options})
    with pytest.raises(TypeError, match=r"^game_class: "):
        fw.parallel_env(fw.Scene)  # type: ignore[arg-type]
    env = fw.parallel_env(Tag, **OPTIONS)
    with pytest.raises(ValueError, match=r"^step: expected a reset"):
        env.step({})
    with pytest.raises(TypeError, match=r"^seed: expected"):
        env.reset(seed="x")
    env.reset(seed=0)
    with pytest.raises(TypeError, match=r"^actions: expected a dict"):
        env.step([0, 0])
    with pytest.raises(
        ValueError, match=r"^actions: expected one for each agent, got none for player_1"
    ):
        env.step({"player_0": 0})
    with pytest.raises(ValueError, match=r"^action: expected one of Discrete"):
        env.step({"player_0": 9, "player_1": 0})
    env.close()
