"""Systems: rates, and the time of groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import blob

import framework as fw
from framework.timing.systems import System

Make = Callable[..., Any]


def test_rates_are_exact_at_any_tick_rate(make: Make) -> None:
    """AI at 10 calls per second and physics at 120, in a game with 60 ticks per second. 7 does not
    divide 60."""
    calls: dict[int, list[tuple[int, float]]] = {10: [], 120: [], 7: []}
    game = make()
    for rate, log in calls.items():

        def note(dt: float, log: list[tuple[int, float]] = log) -> None:
            log.append((game.tick, dt))

        game.systems.add("ai", note, rate=rate)
    game.run(600)
    assert {rate: len(log) for rate, log in calls.items()} == {10: 100, 120: 1200, 7: 70}
    assert {dt for _, dt in calls[10]} == {0.1}
    assert [tick for tick, _ in calls[10][:3]] == [6, 12, 18]
    assert [tick for tick, _ in calls[120][:4]] == [1, 1, 2, 2]
    assert [tick for tick, _ in calls[7]] == [math.ceil(Fraction(60 * k, 7)) for k in range(1, 71)]


@given(
    rate=st.fractions(Fraction(1, 10), 500, max_denominator=1001),
    tick_rate=st.sampled_from([7, 59.94, 60, 144, 1000]),
    ticks=st.integers(1, 400),
)
def test_the_number_of_calls_is_exact_at_any_rate(
    rate: Fraction, tick_rate: float, ticks: int
) -> None:
    calls: list[float] = []
    system = System(calls.append, rate=rate)
    exact_rate = Fraction(str(tick_rate))
    for _ in range(ticks):
        system.run(float(1 / exact_rate))
    assert len(calls) == math.floor(ticks / exact_rate * rate)


def test_a_system_of_a_group_receives_the_time_of_the_group(make: Make) -> None:
    given_dt: list[float] = []
    game = make(tick_rate=50)
    slow = game.schedule.group(0.25)
    game.systems.add("movement", given_dt.append, group=slow)
    game.run(5)
    assert given_dt == [0.005] * math.floor(5 * 50 / 60)
    given_dt.clear()
    slow.time_scale = 0
    game.run(5)
    assert given_dt == []


def test_a_fast_group_splits_its_time_into_steps_of_at_most_a_tick(make: Make) -> None:
    given_dt: list[float] = []
    game = make(tick_rate=60)
    game.systems.add("physics", given_dt.append, group=game.schedule.group(2.5))
    game.run(2)
    assert given_dt == [pytest.approx(2.5 / 3 / 60)] * 6


def test_a_rate_uses_the_time_of_the_group(make: Make) -> None:
    calls: list[float] = []
    game = make()
    game.systems.add("ai", calls.append, group=game.schedule.group(0.5), rate=10)
    game.run(120)
    assert calls == [0.1] * 10


def test_a_system_of_a_cancelled_group_is_not_called(make: Make) -> None:
    calls: list[float] = []
    game = make()
    slow = game.schedule.group(0.5)
    game.systems.add("ai", calls.append, group=slow)
    game.run(2)
    slow.cancel()
    game.run(2)
    assert len(calls) == 2


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 3.0])
def test_a_slow_bullet_is_drawn_as_smoothly_as_the_world(make: Make, scale: float) -> None:
    class World(fw.Game):
        def setup(self) -> None:
            self.bullet, self.ball = self.sprites.add(blob()), self.sprites.add(blob())
            self.slow = self.schedule.group(scale)
            self.systems.add("movement", self.fly, group=self.slow)

        def fly(self, dt: float) -> None:
            self.bullet.x += 300 * dt

        def update(self, dt: float) -> None:
            self.ball.x += 300 * dt

    game = make(World, tick_rate=60)
    drawn = []
    for _ in range(288):
        alpha = game.advance(Fraction(1, 144))
        drawn.append((game.bullet.drawn_position(alpha)[0], game.ball.drawn_position(alpha)[0]))
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(drawn[10:])]
    for bullet, ball in steps:
        assert ball == pytest.approx(300 / 144, abs=2e-4)
        assert bullet == pytest.approx(300 / 144 * scale, abs=2e-4 * max(1, scale))


def test_changing_the_scale_of_a_group_alone_moves_nothing(make: Make) -> None:
    class World(fw.Game):
        def setup(self) -> None:
            self.bullet = self.sprites.add(blob())
            self.slow = self.schedule.group(1.0)
            self.systems.add(
                "movement",
                lambda dt: setattr(self.bullet, "x", self.bullet.x + 300 * dt),
                group=self.slow,
            )

    game = make(World)
    last = 0.0
    for frame in range(300):
        game.slow.time_scale = (1.0, 0.05, 0.5, 0.0, 2.0)[frame // 7 % 5]
        x = game.bullet.drawn_position(game.advance(Fraction(1, 144)))[0]
        assert -1e-4 <= x - last <= 300 / 144 * 2 + 1e-3
        last = x


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0, -10, math.nan, math.inf, "10", True])
def test_a_rate_must_be_a_finite_number_above_0(make: Make, rate: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="rate"):
        make().systems.add("ai", print, rate=rate)


def test_a_group_must_be_a_schedule(make: Make) -> None:
    with pytest.raises(
        TypeError, match=r"group: expected a Schedule, such as scene.schedule.group\(0.5\), got 0.5"
    ):
        make().systems.add("ai", group=0.5)(print)


def test_a_rate_is_at_most_a_million_calls_per_second(make: Make) -> None:
    assert System(print, rate=1_000_000).function is print
    with pytest.raises(
        ValueError, match=r"rate: expected at most 1,000,000 calls a second, got 1000001"
    ):
        System(print, rate=1_000_001)


def test_a_system_with_a_rate_is_removed_by_its_function(make: Make) -> None:
    calls: list[float] = []
    game = make()
    game.systems.add("ai", calls.append, rate=30)
    game.run(4)
    game.systems.remove("ai", calls.append)
    game.run(4)
    assert len(calls) == 2
    with pytest.raises(ValueError, match="is not a system of the phase 'ai'"):
        game.systems.remove("ai", calls.append)


def test_a_system_without_a_rate_is_called_once_in_each_tick(make: Make) -> None:
    game = make()
    calls = []
    game.systems.add("ai", calls.append)
    game.run_ticks(3)
    assert calls == [1 / 60] * 3
