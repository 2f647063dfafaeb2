"""Quality: the level follows simulated loads, and does not change back and forth."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.watch import quality as module

BUDGET = 16_666_667
TARGET = 0.75 * BUDGET
Load = Callable[[float], float]


def play(
    quality: fw.Quality,
    costs: list[float],
    load: Load,
    *,
    seconds: float,
    noise: float = 0.0,
    hitches: float = 0.0,
    seed: int = 1,
) -> list[tuple[float, int]]:
    """Return the changes as (seconds, level). The work is ``costs[level] * load(seconds)`` targets
    with random ``noise``. The load changes ten times a second."""
    dice = np.random.default_rng(seed)
    end = round(seconds * 1e9)
    frames = end // BUDGET + 1
    noises = np.maximum(0.1, dice.normal(1, noise, frames)) * TARGET
    delays = np.where(dice.random(frames) < hitches, dice.uniform(1, 20, frames) * BUDGET, 0.0)
    now = 0
    next_load_at = 0
    share = load(0.0)
    changes = []
    cost = costs[quality.level]
    for targets, hitch in zip(noises.tolist(), delays.tolist(), strict=True):
        if now >= end:
            break
        if now >= next_load_at:
            share = load(now / 1e9)
            next_load_at = now + 10**8
        work = round(cost * share * targets + hitch)
        if quality.add(work, BUDGET):
            changes.append((now / 1e9, quality.level))
            cost = costs[quality.level]
        now += work if work > BUDGET else BUDGET
    return changes


def levels(count: int) -> list[dict[str, Any]]:
    return [{"particles": 100 * 4**number} for number in range(count)]


# -- the rule --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("work", "level"), [(0.90, 1), (1.04, 1), (1.06, 0), (1.24, 0)])
def test_above_95_percent_performance_the_level_rises(work: float, level: int) -> None:
    quality = fw.Quality(levels(2), level=0)
    for frame in range(1, 61):
        assert quality.level == 0, frame
        quality.add(round(work * TARGET), BUDGET)
    assert quality.level == level


@pytest.mark.parametrize(("work", "level"), [(1.24, 1), (1.26, 0), (5.0, 0)])
def test_below_80_percent_performance_the_level_falls(work: float, level: int) -> None:
    quality = fw.Quality(levels(2))
    for frame in range(1, 61):
        assert quality.level == 1, frame
        quality.add(round(work * TARGET), BUDGET)
    assert quality.level == level


def test_the_level_falls_after_four_very_slow_frames() -> None:
    quality = fw.Quality(levels(3))
    changes = [frame for frame in range(1, 41) if quality.add(round(11 * TARGET), BUDGET)]
    assert changes == [4, 8]
    assert quality.level == 0
    quality = fw.Quality(levels(3))
    for frame in range(50):  # three long frames in a row do not count
        assert not quality.add(60 * BUDGET if frame % 4 else BUDGET // 2, BUDGET)
    assert quality.level == 2


def test_a_very_slow_level_is_not_tried_again() -> None:
    """Without a GPU, the level falls for two seconds, and does not rise again for ten minutes."""
    quality = fw.Quality(levels(3))
    changes = play(quality, [2.0, 15.0, 45.0], lambda t: 1.0, seconds=600, noise=0.1)
    assert quality.level == 0
    assert [level for _, level in changes] == [1, 0]
    assert changes[-1][0] < 3.5
    low = fw.Quality(levels(3), level=0)
    assert play(low, [2.0, 15.0, 45.0], lambda t: 1.0, seconds=600, noise=0.1) == []


def test_each_change_needs_sixty_new_frames() -> None:
    quality = fw.Quality(levels(4))
    changes = [frame for frame in range(1, 301) if quality.add(3 * BUDGET, BUDGET)]
    assert changes == [60, 120, 180]
    assert quality.level == 0
    quality = fw.Quality(levels(4), level=0)
    changes = [frame for frame in range(1, 301) if quality.add(BUDGET // 10, BUDGET)]
    assert changes == [60, 120, 180]
    assert quality.level == 3


def test_a_custom_target_replaces_the_frame_time() -> None:
    quality = fw.Quality(levels(2), target=0.002)
    for _ in range(60):
        quality.add(2_600_000, BUDGET)
    assert quality.level == 0


def test_one_long_frame_changes_nothing() -> None:
    for work in (0.5, 1.04, 1.06, 1.2, 1.24):
        for long_frame in range(0, 200, 7):
            calm = fw.Quality(levels(3), level=1)
            hit = fw.Quality(levels(3), level=1)
            for frame in range(200):
                calm.add(round(work * TARGET), BUDGET)
                hit.add(60_000_000_000 if frame == long_frame else round(work * TARGET), BUDGET)
                assert hit.level == calm.level


def test_frames_with_and_without_ticks_are_averaged() -> None:
    quality = fw.Quality(levels(2))  # 60 ticks a second of 2.4 targets each, at 144 frames a second
    for frame in range(600):
        ticks = (frame + 1) * 60 // 144 - frame * 60 // 144
        quality.add(round(2.4 * TARGET * ticks), BUDGET)
    assert quality.level == 1


# -- following the load ----------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1.3, 2.0, 4.0])
def test_the_level_follows_a_changed_load_in_a_few_seconds(ratio: float) -> None:
    for seed in range(5):
        quality = fw.Quality(levels(2))
        costs = [1 / ratio, 1.0]
        changes = play(
            quality, costs, lambda t: 2.2 if t < 30 else 0.4, seconds=60, noise=0.2, seed=seed
        )
        down, to = changes[0]
        up, back = changes[-1]
        assert (to, back) == (0, 1)
        assert down < 4
        assert 30 < up < 32.5
        assert len(changes) in (2, 4)


@pytest.mark.parametrize("ratio", [1.3, 2.0, 4.0])
def test_the_level_returns_within_twenty_seconds_after_a_burst(ratio: float) -> None:
    for length in (1.0, 1.5, 2.0, 5.0):
        quality = fw.Quality(levels(2))

        def load(t: float, length: float = length) -> float:
            return 2.4 if 20 < t < 20 + length else 0.8

        changes = play(quality, [1 / ratio, 1.0], load, seconds=60, noise=0.1)
        assert quality.level == 1
        assert all(20 < moment < 41 for moment, _ in changes)


def test_the_level_rises_to_the_best_level_of_the_machine() -> None:
    quality = fw.Quality(levels(4), level=0)
    changes = play(quality, [0.1, 0.2, 0.5, 1.8], lambda t: 1.0, seconds=120, noise=0.1)
    assert [level for _, level in changes] == [1, 2, 3, 2]  # the highest level was tried once


# -- no oscillation --------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [1.1, 1.3, 4.0])
@pytest.mark.parametrize("edge", ["lower", "raise", "between", "above"])
def test_ten_minutes_at_a_threshold_cause_at_most_three_changes(ratio: float, edge: str) -> None:
    middle = {"lower": 1 / 0.80, "raise": ratio / 0.95, "between": 1.15, "above": 1.3 * ratio}[edge]
    dice = random.Random(f"{ratio} {edge}")
    for hover in dice.sample((0.0, 0.05, 0.1, 0.15), 2):
        phase = dice.uniform(0, math.tau)
        period = dice.choice([5, 20, 60, 200])
        noise = dice.choice([0.02, 0.1, 0.3])
        hitches = dice.choice([0.0, 0.002])
        count = dice.choice([2, 3])
        start = dice.choice([count - 1, count - 2])
        quality = fw.Quality(levels(count), level=start)

        def load(
            t: float, hover: float = hover, period: float = period, phase: float = phase
        ) -> float:
            return middle * (1 + hover * math.sin(math.tau * t / period + phase))

        costs = [ratio ** (level - count + 1) for level in range(count)]
        changes = play(
            quality,
            costs,
            load,
            seconds=600,
            noise=noise,
            hitches=hitches,
            seed=dice.randrange(10**6),
        )
        assert len(changes) <= 3, (hover, period, noise, hitches, count, start, changes)


def test_a_failed_level_is_tried_again_after_growing_delays() -> None:
    quality = fw.Quality(levels(2), level=0)
    changes = play(quality, [0.7, 2.0], lambda t: 1.0, seconds=5450)
    tries = [moment for moment, level in changes if level == 1]
    assert 3 <= len(tries) <= 4
    waits = [after - before for before, after in pairwise(tries)]
    assert waits[0] > 600
    assert waits[1] == pytest.approx(2 * waits[0], rel=0.01)


def test_a_failed_level_is_tried_at_once_when_the_load_falls() -> None:
    quality = fw.Quality(levels(2), level=0)
    changes = play(
        quality, [0.7, 2.0], lambda t: 1.0 if t < 60 else 0.9 if t < 120 else 0.4, seconds=180
    )
    assert [level for _, level in changes] == [1, 0, 1]
    assert 120 < changes[-1][0] < 122


# -- levels set by the game ------------------------------------------------------------------------


def test_the_level_and_its_settings_can_be_read_and_set() -> None:
    particle_counts: list[int] = []
    quality = fw.Quality(
        levels(3), on_change=lambda quality: particle_counts.append(quality["particles"])
    )
    assert (quality.level, quality["particles"], particle_counts) == (2, 1600, [])
    quality.level = 0
    quality.level = 0
    assert (quality.settings, particle_counts) == ({"particles": 100}, [100])
    assert [settings["particles"] for settings in quality.levels] == [100, 400, 1600]
    with pytest.raises(KeyError, match="'particels' is not a setting of these levels: 'particles'"):
        quality["particels"]
    with pytest.raises(TypeError):
        quality.settings["particles"] = 5  # type: ignore[index]


def test_on_change_is_called_for_each_change() -> None:
    called_levels: list[int] = []
    quality = fw.Quality(levels(3), on_change=lambda quality: called_levels.append(quality.level))
    for _ in range(200):
        quality.add(3 * BUDGET, BUDGET)
    assert called_levels == [1, 0]


def test_without_automatic_the_level_is_kept() -> None:
    quality = fw.Quality(levels(3), level=1)
    quality.automatic = False
    for _ in range(500):
        assert not quality.add(3 * BUDGET, BUDGET)
    assert quality.level == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"levels": []}, "levels: expected at least one"),
        ({"levels": {"particles": 3}}, "levels: expected a sequence of settings by name"),
        ({"levels": 3}, "levels: expected a sequence of settings by name"),
        ({"levels": [{"a": 1}, 5]}, "levels: expected settings by name, level 1 is 5"),
        ({"levels": [{"a": 1, "b": 2}, {"a": 1}]}, "levels 0 and 1 differ in 'b'"),
        (
            {"levels": [{"render_scale": 0}]},
            "levels: render_scale: expected a finite number above 0 and of at most 2",
        ),
        ({"levels": [{"render_scale": "1"}]}, "levels: render_scale: expected a number"),
        ({"levels": [{"samples": -1}]}, "levels: samples: expected a whole number of at least 0"),
        ({"levels": [{}, {}], "level": 2}, "level: expected a whole number from 0 to 1, got 2"),
        ({"levels": [{}, {}], "level": -1}, "level: expected a whole number from 0 to 1, got -1"),
        ({"levels": [{}], "target": 0}, "target: expected a number above 0"),
        ({"levels": [{}], "target": math.nan}, "target: expected a finite number"),
        ({"levels": [{}], "on_change": 5}, "on_change: expected a function of the quality, got 5"),
    ],
)
def test_the_error_of_a_bad_argument_names_it(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        fw.Quality(**arguments)


def test_the_mean_is_robust_against_three_slow_frames_of_sixty() -> None:
    assert module._robust_mean([10] * 57 + [1000] * 3) == 10
    assert module._robust_mean([10] * 56 + [1000] * 4) == pytest.approx((560 + 4000) / 60)
