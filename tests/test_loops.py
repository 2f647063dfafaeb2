"""The loops beside the fixed one: semi-fixed, variable, rounded. Time is invented; nothing sleeps."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import blob, centroid

import framework as fw
from framework import FixedTimestep, RoundedTimestep, SemiFixedTimestep, Tick, VariableTimestep

NS = 10**9
MS = 10**6
Make = Callable[..., Any]

LOOPS: list[Callable[[], Any]] = [
    lambda: FixedTimestep(60),
    lambda: FixedTimestep(60, max_ticks=2, overflow="carry"),
    lambda: SemiFixedTimestep(60),
    lambda: SemiFixedTimestep(59.94, 0.1, 3),
    lambda: VariableTimestep(),
    lambda: RoundedTimestep(60),
    lambda: RoundedTimestep(7, 2),
]


def begun(loop: Any) -> Any:
    assert list(loop.advance(0)) == []
    return loop


# -- semi-fixed --------------------------------------------------------------------------------------------------


def test_a_semi_fixed_frame_is_full_ticks_and_one_with_the_rest() -> None:
    ticks = list(begun(SemiFixedTimestep(10)).advance(250 * MS))
    assert ticks == [Tick(1, 0.1, 0.1, False), Tick(2, 0.2, 0.1, False), Tick(3, 0.25, 0.05, True)]


def test_a_semi_fixed_frame_without_a_rest_has_no_empty_tick() -> None:
    assert [tick.dt for tick in begun(SemiFixedTimestep(10)).advance(200 * MS)] == [0.1, 0.1]
    assert list(begun(SemiFixedTimestep(10)).advance(0)) == []


@given(st.lists(st.integers(1, 80 * MS), min_size=1, max_size=60), st.sampled_from([7, 59.94, 60, 144]))
@settings(max_examples=60, deadline=None)
def test_semi_fixed_ticks_add_up_to_the_time_of_the_frames(spans: list[int], rate: float) -> None:
    loop, now = begun(SemiFixedTimestep(rate, max_frame_time=None, max_ticks=None)), 0
    for span in spans:
        now += span
        ticks = loop.advance(now)
        assert math.fsum(tick.dt for tick in ticks) == pytest.approx(span / NS, rel=1e-15)
        assert loop.time == now / NS  # exactly: nothing is lost from frame to frame
        assert all(tick.dt == float(1 / Fraction(str(rate))) for tick in ticks[:-1])


def test_a_semi_fixed_frame_beyond_its_limits_is_dropped_and_counted() -> None:
    loop = begun(SemiFixedTimestep(10, max_frame_time=1.0, max_ticks=3))
    assert [tick.dt for tick in loop.advance(2 * NS)] == [0.1] * 3
    assert loop.dropped_time == 1.7


# -- variable ----------------------------------------------------------------------------------------------------


def test_a_variable_frame_is_one_tick_of_its_own_length() -> None:
    loop = begun(VariableTimestep())
    assert list(loop.advance(16 * MS)) == [Tick(1, 0.016, 0.016, True)]
    assert list(loop.advance(56 * MS)) == [Tick(2, 0.056, 0.04, True)]
    assert list(loop.advance(56 * MS)) == []  # no time, no tick


def test_a_long_variable_frame_is_capped_at_a_tenth_of_a_second() -> None:
    loop = begun(VariableTimestep())
    assert [tick.dt for tick in loop.advance(5 * NS)] == [0.1]
    assert loop.dropped_time == 4.9


# -- rounded -----------------------------------------------------------------------------------------------------


def test_the_rounded_loop_does_what_the_original_does() -> None:
    """The original's own test: frames of a second, ticks of a tenth."""
    loop = begun(RoundedTimestep(10))
    assert [(tick.time, tick.last) for tick in loop.advance(NS)] == [(k / 10, k == 10) for k in range(1, 11)]
    assert [(tick.time, tick.last) for tick in loop.advance(2 * NS)] == [(k / 10, k == 20) for k in range(11, 21)]
    loop.cancel()
    assert list(loop.advance(3 * NS)) == []
    assert loop.cancelled
    loop.cancel()  # harmless
    assert loop.tick == 20


def test_the_rounded_loop_runs_half_a_tick_ahead_at_most() -> None:
    loop, dice, now = begun(RoundedTimestep(60, None)), random.Random(3), 0
    for _ in range(5_000):
        now += dice.randrange(1, 40 * MS)
        loop.advance(now)
        lag = Fraction(now, NS) * 60 - loop.tick
        assert -Fraction(1, 2) <= lag < Fraction(1, 2)
        assert loop.alpha == pytest.approx(float(lag) + 0.5, abs=1e-12)


def test_what_is_beyond_the_rounded_loops_limit_is_never_caught_up() -> None:
    loop = begun(RoundedTimestep(10))
    assert len(loop.advance(300 * NS)) == 10  # five minutes away
    assert len(loop.advance(300 * NS + 100 * MS)) == 1
    assert loop.dropped_time == 299
    assert loop.time == pytest.approx(1.1)


@pytest.mark.parametrize(("display", "pattern"), [(30, {2}), (60, {1}), (120, {0, 1})])
def test_the_rounded_loop_follows_the_display(display: int, pattern: set[int]) -> None:
    loop = begun(RoundedTimestep(60))
    counts = [len(loop.advance(frame * NS // display)) for frame in range(1, 200)]
    assert set(counts[1:]) == pattern


# -- all of them -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loop", range(len(LOOPS)))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_every_nanosecond_is_played_paused_dropped_or_still_to_come(loop: int, data: st.DataObject) -> None:
    steps = begun(LOOPS[loop]())
    scale = data.draw(st.sampled_from([0.05, 0.5, 1, 3]))
    steps.time_scale = scale
    now = count = 0
    for span in data.draw(st.lists(st.integers(0, 400 * MS), max_size=25)):
        now += span
        steps.paused = data.draw(st.booleans()) and span % 3 == 0
        ticks = steps.advance(now)
        assert 0 <= steps.alpha < 1
        assert [tick.number for tick in ticks] == list(range(count + 1, count + 1 + len(ticks)))
        assert [tick.last for tick in ticks] == [False] * (len(ticks) - 1) + [True] * bool(ticks)
        count += len(ticks)
        assert steps.tick == count
        to_come = steps._units / steps._second
        played = (steps.time + to_come) / scale
        assert played + steps.dropped_time + steps.paused_time == pytest.approx(now / NS, abs=1e-9)


@pytest.mark.parametrize("loop", range(len(LOOPS)))
def test_paused_loops_step_and_give_back_what_was_not_run(loop: int) -> None:
    steps = begun(LOOPS[loop]())
    steps.paused = True
    steps.step(3)
    assert len(steps.advance(NS)) == 3
    assert list(steps.advance(2 * NS)) == []
    steps.paused = False
    before = steps.time
    ticks = steps.advance(2 * NS + 90 * MS) or steps.advance(2 * NS + 300 * MS)
    steps.give_back(len(ticks))
    assert steps.tick == 3
    assert steps.time == before
    with pytest.raises(ValueError, match="n: this frame's time brought 0 ticks"):
        steps.give_back(1)


@pytest.mark.parametrize(
    ("make_loop", "error"),
    [
        (lambda: SemiFixedTimestep(0), "tick_rate"),
        (lambda: SemiFixedTimestep(60, -1), "max_frame_time"),
        (lambda: SemiFixedTimestep(60, 0.25, 0), "max_ticks"),
        (lambda: VariableTimestep(0), "max_frame_time"),
        (lambda: VariableTimestep(math.nan), "max_frame_time"),
        (lambda: RoundedTimestep(math.inf), "tick_rate"),
        (lambda: RoundedTimestep(60, 0), "max_ticks"),
    ],
)
def test_bad_numbers_are_refused_by_name(make_loop: Callable[[], Any], error: str) -> None:
    with pytest.raises(ValueError, match=f"^{error}: expected"):
        make_loop()


class Mover(fw.Game):
    """A spot that moves at 120 pixels a second."""

    def setup(self) -> None:
        self.spot = self.sprites.add(blob(), position=(20, 50))

    def update(self, dt: float) -> None:
        self.spot.x += 120 * dt


@pytest.mark.parametrize(
    ("loop", "late"),
    [
        (lambda: FixedTimestep(20), 1 / 20),  # one tick behind the clock: the blend of the last two states
        (lambda: RoundedTimestep(20), 0.5 / 20),
        (lambda: SemiFixedTimestep(20), 0.0),
        (lambda: VariableTimestep(), 0.0),
    ],
)
def test_every_loop_draws_smooth_motion_with_a_constant_lag(make: Make, loop: Callable[[], Any], late: float) -> None:
    game, clock = make(Mover, timestep=loop()), 0.0
    dice = random.Random(5)
    for _ in range(14):
        span = dice.uniform(0.01, 0.09)
        clock += span
        game.advance(span)
        if clock > 0.1:
            x, y = centroid(game.pixels())
            assert x == pytest.approx(20 + 120 * (clock - late), abs=0.05)
            assert y == pytest.approx(50, abs=0.05)
