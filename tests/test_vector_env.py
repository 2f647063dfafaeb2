"""Vector environments: equal to Gymnasium's own loop in all modes, and errors of workers."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from catching import (
    PLAIN,
    BrokenInChild,
    Catch,
    CatchWithInfo,
    CatchWithLargeInfo,
    CatchWithUnsendableInfo,
)
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from poles import Poles

import framework as fw
from framework import FrameworkError
from framework.learn.random_streams import RandomStreams

MODES = list(AutoresetMode)
CATCH: dict[str, Any] = {**PLAIN, "ticks_per_step": 9, "max_steps": 14}


class Noisy(fw.ArrayGame):
    """A game that uses random numbers in its ticks, and ends at random."""

    action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def setup(self) -> None:
        self.position = np.zeros((self.envs, 2))

    def begin(self, rows: Any) -> None:
        self.position[rows] = self.uniform(rows, -1, 1, 2)

    def update(self, dt: float) -> None:
        every = np.arange(self.envs)
        self.position += self.actions + self.uniform(every, -0.1, 0.1, 2)
        self.rewards[:] = -np.abs(self.position).sum(1)
        self.ended[:] = self.uniform(every) < 0.1

    def observations(self) -> Any:
        return self.position


@pytest.fixture
def keep_env() -> Iterator[Callable[..., Any]]:
    envs: list[Any] = []

    def keep(env: Any) -> Any:
        envs.append(env)
        return env

    yield keep
    for env in envs:
        env.close()


def assert_equal_runs(first: Any, second: Any, steps: int, mode: AutoresetMode) -> int:
    """Check that both environments return the same values. Return the number of episodes that
    ended."""
    assert first.single_observation_space == second.single_observation_space
    assert first.action_space == second.action_space
    ended = 0
    first.action_space.seed(7)
    for seeds in (5, None, None):
        results = [env.reset(seed=seeds) for env in (first, second)]
        assert data_equivalence(*results)
        for _ in range(steps):
            actions = first.action_space.sample()
            results = [env.step(actions) for env in (first, second)]
            for mine, theirs in zip(*results, strict=True):
                assert data_equivalence(mine, theirs)
            over = results[0][2] | results[0][3]
            ended += int(over.sum())
            if mode is AutoresetMode.DISABLED and over.any():
                results = [
                    env.reset(options={"reset_mask": over.copy()}) for env in (first, second)
                ]
                assert data_equivalence(*results)
    return ended


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("game_class", [Poles, Noisy])
def test_rows_equal_single_games(keep_env: Any, mode: AutoresetMode, game_class: Any) -> None:
    ours = keep_env(fw.vector_env(game_class, 7, autoreset_mode=mode, max_steps=30))
    singly = [lambda: fw.GameEnv(game_class, max_steps=30)] * 7
    assert (
        assert_equal_runs(ours, keep_env(SyncVectorEnv(singly, autoreset_mode=mode)), 60, mode) > 20
    )


@pytest.mark.parametrize(
    ("workers", "mode"),
    [*((0, mode) for mode in MODES), (2, MODES[0])],
    ids=lambda of: getattr(of, "value", of),
)
def test_games_of_any_kind_equal_single_games(
    keep_env: Any, mode: AutoresetMode, workers: int
) -> None:
    ours = keep_env(
        fw.vector_env(CatchWithInfo, 3, workers=workers, autoreset_mode=mode.value, **CATCH)
    )
    singly = [lambda: fw.GameEnv(CatchWithInfo, **CATCH)] * 3
    assert (
        assert_equal_runs(ours, keep_env(SyncVectorEnv(singly, autoreset_mode=mode)), 20, mode) > 8
    )


def test_a_row_of_an_array_game_is_an_environment(keep_env: Any) -> None:
    for game_class in (Poles, Noisy):
        check_env(keep_env(fw.GameEnv(game_class, max_steps=9)))


def test_rows_are_drawn_one_after_another(keep_env: Any) -> None:
    class Shows(Noisy):
        def setup(self) -> None:
            super().setup()
            self.dot = self.sprites.add(np.full((4, 4, 4), 255, np.uint8))

        def draw(self, alpha: float) -> None:
            x, y = self.position[self.rendered_row]
            self.dot.teleport((50 + 10 * x, 50 + 10 * y))

    ours = keep_env(fw.vector_env(Shows, 3, render_mode="rgb_array", size=(100, 100)))
    assert ours.reset(seed=1)[0].shape == (3, 2)
    pictures = ours.render()
    assert [picture.shape for picture in pictures] == [(100, 100, 3)] * 3
    ours.game.advance(0)
    assert len({picture.tobytes() for picture in ours.render()}) == 3
    assert fw.vector_env(Noisy, 2).render() is None


def test_a_first_reset_without_a_seed_begins_each_row_in_another_way(keep_env: Any) -> None:
    observations = [keep_env(fw.vector_env(Noisy, 3)).reset()[0] for _ in range(2)]
    assert len({row.tobytes() for rows in observations for row in rows}) == 6


def test_each_row_can_have_its_own_seed(keep_env: Any) -> None:
    ours = keep_env(fw.vector_env(Poles, 3))
    second = keep_env(fw.vector_env(Poles, 3))
    assert (ours.reset(seed=[5, 6, 7])[0] == second.reset(seed=5)[0]).all()
    with pytest.raises(ValueError, match=r"^seed: expected one seed, or 3 of them, got 2"):
        ours.reset(seed=[1, 2])


def test_an_error_in_a_worker_is_reported() -> None:
    class Fails(Catch):
        def update(self, dt: float) -> None:
            if self.tick == 3:
                raise RuntimeError("three")

    ours = fw.vector_env(Fails, 2, workers=1, **PLAIN)
    ours.reset(seed=0)
    ours.step([0, 0])
    ours.step([0, 0])
    with pytest.raises(FrameworkError, match=r"(?s)^worker 0 has failed:.*RuntimeError: three"):
        ours.step([0, 0])
    with pytest.raises(FrameworkError, match="closed"):
        ours.step([0, 0])


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_workers_send_large_infos_and_a_killed_worker_is_reported(keep_env: Any) -> None:
    ours = keep_env(fw.vector_env(CatchWithLargeInfo, 2, workers=2, **PLAIN))
    assert ours.reset(seed=0)[1]["log"].sum() == 0
    infos = ours.step([0, 1])[4]
    assert infos["log"].shape == (2, 1 << 17)
    assert infos["log"].min() == 1
    os.kill(ours._workers[0]._process.pid, signal.SIGKILL)
    with pytest.raises(FrameworkError, match=r"^worker 0 has died, with exit code -9"):
        ours.step([0, 0])


def test_an_info_that_cannot_be_sent_is_an_error() -> None:
    ours = fw.vector_env(CatchWithUnsendableInfo, 2, workers=1, **PLAIN)
    ours.reset(seed=0)
    with pytest.raises(
        FrameworkError, match=r"(?s)^worker 0 has failed:.*cannot pickle 'generator'"
    ):
        ours.step([0, 0])


def test_a_worker_that_cannot_start_is_reported() -> None:
    with pytest.raises(FrameworkError, match=r"(?s)^worker 0 has failed:.*ValueError: no setup"):
        fw.vector_env(BrokenInChild, 1, workers=1, observation=("tick",))


@pytest.mark.parametrize("game_class", [Poles, Catch])
def test_bad_arguments_are_refused(keep_env: Any, game_class: Any) -> None:
    options: dict[str, Any] = {} if game_class is Poles else {"workers": 0, **PLAIN}
    for wrong_options, words in (
        ({"autoreset_mode": "Never"}, r"^autoreset_mode: .*NextStep"),
        ({"num_envs": 0}, r"^num_envs: "),
        ({"max_steps": 0}, r"^max_steps: "),
        ({"render_mode": "human"}, r"^render_mode: "),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            fw.vector_env(game_class, **{"num_envs": 2, **options, **wrong_options})
    ours = keep_env(
        fw.vector_env(game_class, 2, autoreset_mode="Disabled", **{**options, "max_steps": 1})
    )
    ours.reset(seed=0)
    for actions in ([0], [0, 1.5], [[0, 0]], ["a", "b"]):
        with pytest.raises(ValueError, match=r"^actions: expected 2 of Discrete"):
            ours.step(actions)
    ours.step([0, 0])
    with pytest.raises(ValueError, match=r"^step: 2 games are over"):
        ours.step([0, 0])
    for mask in ([True], [1, 0], [False, False]):
        with pytest.raises(ValueError, match=r"^reset_mask: expected 2 bools"):
            ours.reset(options={"reset_mask": np.array(mask)})
    for seed in ("abc", 1.5, -1, True, [1], [1, "x"], [0.5, 1]):
        with pytest.raises((TypeError, ValueError), match=r"^seed: expected"):
            ours.reset(seed=seed)
    with pytest.raises(TypeError, match=r"^workers: "):
        fw.vector_env(Catch, 1, workers="all", **PLAIN)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^action_space: "):
        fw.vector_env(type("Bare", (Noisy,), {"action_space": None}), 2)


def test_random_streams_are_uniform_and_different() -> None:
    streams = RandomStreams(np.arange(1000))
    numbers = streams.uniform(np.arange(1000), -1, 3, 100)
    assert numbers.shape == (1000, 100)
    assert -1 <= numbers.min() < -0.99
    assert 2.99 < numbers.max() < 3
    assert numbers.mean() == pytest.approx(1, abs=0.01)
    assert numbers.var() == pytest.approx(16 / 12, rel=0.01)
    assert abs(np.corrcoef(numbers[:-1].ravel(), numbers[1:].ravel())[0, 1]) < 0.01
    assert abs(np.corrcoef(numbers[:, :-1].ravel(), numbers[:, 1:].ravel())[0, 1]) < 0.01
    # The stream of a row is the same alone, in pieces, and after a restart.
    alone = RandomStreams([321])
    pieces = [alone.uniform([0], -1, 3), *alone.uniform([0], -1, 3, 99).T]
    assert np.array_equal(np.concatenate(pieces), numbers[321])
    streams.seed([4], [321])
    assert np.array_equal(streams.uniform(np.array([4]), -1, 3, 100)[0], numbers[321])


def split_mix(seed: int, count: int) -> list[int]:
    """Return numbers of SplitMix64, computed with Python's integers."""
    results = []
    for number in range(1, count + 1):
        word = (seed + number * 0x9E3779B97F4A7C15) % 2**64
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        results.append(word ^ word >> 31)
    return results


def test_the_random_numbers_are_those_of_split_mix_in_all_versions() -> None:
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert split_mix(1234567, 3) == published
    for seed in (0, 1234567):
        [key] = split_mix(seed, 1)
        expected = [(word >> 11) / 2**53 for word in split_mix(key, 5)]
        assert RandomStreams([seed]).uniform([0], count=5).tolist() == [expected]
