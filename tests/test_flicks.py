"""Time in flicks: clocks add any steps exactly, for any length of time."""

from __future__ import annotations

from fractions import Fraction

import pytest

from framework.timing.flicks import FLICKS, FlickClock, TickClock, flicks


@pytest.mark.parametrize("rate", [24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 240, 1000])
def test_a_tick_is_an_integer_number_of_flicks(rate: int) -> None:
    assert flicks(1 / rate) == (FLICKS // rate, 0)


@pytest.mark.parametrize("step", [1 / 11, 1 / 59.94, Fraction(1, 7 * 13), 0.1 / 60])
def test_other_steps_add_up_exactly(step: float) -> None:
    clock = FlickClock()
    flick_count, fraction = flicks(step)
    for _ in range(10_000):
        before = clock.now
        clock.advance(step)
        assert clock.before == before
    assert clock.now == (10_000 * (flick_count + fraction)) // 1


def test_a_step_of_zero_adds_no_time() -> None:
    clock = FlickClock()
    clock.advance(1.5)
    clock.advance(0.0)
    assert clock.now == clock.before == 1.5 * FLICKS


def test_a_restored_clock_has_its_fraction_of_a_flick() -> None:
    clock = FlickClock()
    for _ in range(5):
        clock.advance(1 / 11)
    held = clock.state()
    later = []
    for _ in range(2):
        clock.restore(held)
        clock.advance(1 / 11)
        later.append(clock.state())
    assert later[0] == later[1] != held


def test_an_event_at_the_end_of_a_tick_belongs_to_that_tick() -> None:
    clock = TickClock()
    clock.due = 2 * FLICKS
    assert [clock.tick(1.0) for _ in range(3)] == [False, False, True]
