"""Fixed timesteps: ticks and alpha, compared with exact fractions of invented time."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as fw
from framework import FixedTimestep, Tick
from framework.timing.timestep import TickControl, Timestep

NS = 10**9
SIXTH = NS // 6 + 1  # rounded up: ten ticks of a sixtieth are due


def started(*args: Any, at: int = 0, **options: Any) -> FixedTimestep:
    loop = FixedTimestep(*args, **options)
    assert list(loop.advance(at)) == []
    return loop


def free(rate: Any) -> FixedTimestep:
    """Return a loop without a cap and a limit: every due tick runs."""
    return started(rate, max_frame_time=None, max_ticks=None)


@pytest.mark.parametrize("rate", [60, 59.94, 7, 144, Fraction(1000, 3), 30.5])
def test_ticks_are_due_exactly_at_k_over_rate(rate: Any) -> None:
    exact = Fraction(str(rate))
    second = NS * exact.denominator  # internal units per second: each tick has `numerator` units
    loop = free(rate)
    now = 0
    dice = random.Random(f"{rate}")
    for _ in range(12_000):
        now += int(dice.random() * 40_000_000)
        ticks = loop.advance(now)
        tick, rest = divmod(now * exact.numerator, second)
        assert loop.tick == tick
        assert abs(loop.alpha - rest / second) <= 1e-12
        if ticks:
            assert ticks[-1].number == tick
    assert loop.time == float(loop.tick / exact)


def test_the_slowest_and_the_fastest_rate_and_the_shortest_cap() -> None:
    for rate in (Fraction(1, 10**9), 10**9):
        assert FixedTimestep(rate, max_frame_time=1e-9).dt == float(1 / Fraction(rate))
    for rate in (Fraction(1, 10**9 + 1), 10**9 + 1):
        with pytest.raises(ValueError, match="tick_rate: expected 1e-9 to 1e9 ticks per second"):
            FixedTimestep(rate)
    with pytest.raises(ValueError, match="max_frame_time: expected at least a nanosecond"):
        FixedTimestep(60, max_frame_time=4e-10)


def test_steps_without_a_clock_have_the_requested_length() -> None:
    loop = free(50)
    control = TickControl(loop)
    second = control.second
    ticks = [control.run_on(), control.run_on(2 * second), control.run_on()]
    assert [(tick.number, tick.time, tick.dt) for tick in ticks] == [
        (1, 0.02, 0.02),
        (2, 2.02, 2.0),
        (3, 2.04, 0.02),
    ]
    assert (loop.tick, loop.time, ticks[1].last, TickControl(free(50)).begin_of(1)) == (
        3,
        2.04,
        True,
        0,
    )
    assert (control.begin_of(3), control.begin_of(4)) == (
        second // 50 + 2 * second,
        second // 50 * 2 + 2 * second,
    )


def test_the_time_of_dropped_ticks_and_of_ticks_behind_a_waiting_tick_counts_as_paused() -> None:
    loop = free(10)
    control = TickControl(loop)
    assert control.take(NS // 2) == 5
    control.drop(2)
    assert (loop.tick, loop.paused_time) == (0, pytest.approx(0.2))
    control.wait(3)  # the time of one tick is kept for the tick that waits
    assert loop.paused_time == pytest.approx(0.4)
    assert control.take(NS // 2) == 1


def test_skipped_time_gives_no_ticks_and_leaves_the_others_due_as_before() -> None:
    loop = free(10)
    loop.advance(NS * 3 // 100)
    TickControl(loop).pass_by(NS * 96 // 100)
    assert (loop.tick, list(loop.advance(NS - 1))) == (0, [])
    assert len(loop.advance(NS)) == 1
    TickControl(loop).pass_by(NS // 100 * 97)  # no tick of the time before
    assert len(loop.advance(NS * 11 // 10 - 1)) == 0
    assert len(loop.advance(NS * 11 // 10)) == 1
    fresh = FixedTimestep(10, max_frame_time=None)
    TickControl(fresh).pass_by(NS)
    assert len(fresh.advance(NS * 11 // 10)) == 1
    variable = fw.VariableTimestep()
    variable.advance(0)
    TickControl(variable).pass_by(NS * 98 // 100)
    assert variable.advance(NS)[0].dt == 0.02


@pytest.mark.parametrize(
    ("rate", "exact", "hours"), [(59.94, Fraction(2997, 50), 2), (7, Fraction(7), 6)]
)
def test_hours_of_jittered_frames_lose_and_add_no_tick(
    rate: float, exact: Fraction, hours: int
) -> None:
    loop = free(rate)
    dice = random.Random(1)
    now = 0
    for _ in range(3_600 * hours):  # frames of about a second, plus or minus 40 ms
        now += 960_000_000 + int(dice.random() * 80_000_000)
        loop.advance(now)
    assert loop.tick == (Fraction(now, NS) * exact).__floor__()
    assert loop.dropped_time == 0
    assert now > 3_580 * hours * NS


def test_ticks_count_from_one_and_have_their_time_and_length() -> None:
    ticks = list(free(10).advance(350_000_000))
    assert ticks == [Tick(1, 0.1, 0.1, False), Tick(2, 0.2, 0.1, False), Tick(3, 0.3, 0.1, True)]


def test_only_the_last_tick_of_a_frame_has_the_flag_last() -> None:
    loop = free(100)
    now = 0
    for step in (5, 12, 37, 10, 3, 90):
        now += step * 1_000_000
        flags = [tick.last for tick in loop.advance(now)]
        assert flags == [False] * (len(flags) - 1) + [True] * bool(flags)


def test_the_first_call_sets_the_origin_at_any_clock_value() -> None:
    for origin in (0, -5 * NS, 10**18 + 1):
        loop = FixedTimestep(60)
        assert list(loop.advance(origin)) == []
        assert (loop.tick, loop.time, loop.alpha) == (0, 0.0, 0.0)
        assert len(loop.advance(origin + 17_000_000)) == 1


def test_a_stopped_or_backward_clock_gives_no_tick_and_no_later_catch_up() -> None:
    loop = started(10)
    loop.advance(150_000_000)
    before = loop.tick, loop.alpha
    for now in (150_000_000, 100_000_000, -NS, 149_999_999):
        assert list(loop.advance(now)) == []
        assert (loop.tick, loop.alpha) == before
    # time counts from the latest clock value, not from the backward value
    assert len(loop.advance(200_000_000)) == 1


def test_a_long_frame_is_capped_and_the_rest_is_counted_as_dropped() -> None:
    loop = started(60, max_frame_time=0.1, max_ticks=None)
    assert len(loop.advance(NS)) == 6
    assert loop.dropped_time == 0.9


def test_ticks_beyond_the_limit_are_dropped_or_carried() -> None:
    drop = started(60, max_frame_time=None, max_ticks=3)
    assert len(drop.advance(SIXTH)) == 3  # ten were due
    assert drop.dropped_time == pytest.approx(7 / 60, abs=1e-9)
    assert list(drop.advance(SIXTH)) == []

    carry = started(60, max_frame_time=None, max_ticks=3, overflow="carry")
    counts = [len(carry.advance(SIXTH)) for _ in range(5)]
    assert counts == [3, 3, 3, 1, 0]
    assert carry.dropped_time == 0
    assert carry.tick == 10


def test_alpha_is_the_fraction_of_a_tick_also_while_whole_ticks_are_carried() -> None:
    loop = started(10, max_frame_time=None, max_ticks=2, overflow="carry")
    assert len(loop.advance(525_000_000)) == 2  # five ticks and a quarter
    assert loop.alpha == pytest.approx(0.25)


def test_without_a_limit_every_tick_runs() -> None:
    assert len(started(1000, max_frame_time=None, max_ticks=None).advance(NS)) == 1000


def test_the_time_scale_changes_the_number_of_ticks_but_not_their_length() -> None:
    for scale, expected in ((0, 0), (0.05, 3), (0.5, 30), (1, 60), (16, 960), (1000, 60_000)):
        loop = free(60)
        loop.time_scale = scale
        ticks = list(loop.advance(NS))
        assert len(ticks) == expected, scale
        assert {tick.dt for tick in ticks} <= {1 / 60}


def test_a_third_as_a_float_is_read_as_exactly_a_third() -> None:
    loop = free(60)
    loop.time_scale = 1 / 3
    loop.advance(3 * NS)
    assert loop.tick + loop.alpha == pytest.approx(60, abs=1e-12)


def test_changing_the_time_scale_alone_moves_nothing() -> None:
    loop = started(60)
    now = 0
    for scale in (0.05, 16, 0, 1, 1000, 1 / 3):
        now += 13_000_000
        loop.advance(now)
        before = loop.tick, loop.alpha, loop.time
        loop.time_scale = scale
        assert (loop.tick, loop.alpha, loop.time) == before
        assert list(loop.advance(now)) == []  # no time has passed


def test_at_time_scale_0_carried_ticks_wait() -> None:
    loop = started(60, max_frame_time=None, max_ticks=2, overflow="carry")
    loop.advance(NS // 6)
    loop.time_scale = 0
    assert list(loop.advance(NS)) == []
    loop.time_scale = 1
    assert len(loop.advance(NS)) == 2


def test_no_time_passes_while_paused_and_resuming_does_not_jump() -> None:
    loop = started(60)
    loop.advance(20_000_000)
    before = loop.tick, loop.alpha, loop.time
    loop.paused = True
    assert list(loop.advance(5 * NS)) == []
    assert (loop.tick, loop.alpha, loop.time) == before
    loop.paused = False
    assert list(loop.advance(5 * NS)) == []
    assert (loop.tick, loop.alpha, loop.time) == before
    assert loop.paused_time == 4.98
    assert loop.dropped_time == 0


def test_steps_while_paused_add_up_and_run_once() -> None:
    loop = started(60)
    loop.paused = True
    loop.step()
    loop.step(2)
    ticks = list(loop.advance(NS))
    assert [(tick.number, tick.last) for tick in ticks] == [(1, False), (2, False), (3, True)]
    assert list(loop.advance(2 * NS)) == []
    assert loop.time == 3 / 60


def test_a_step_while_not_paused_does_nothing() -> None:
    loop = started(60)
    loop.step(5)
    assert list(loop.advance(1)) == []
    loop.paused = True
    assert list(loop.advance(2)) == []


def test_a_step_before_the_first_advance_runs_in_the_second() -> None:
    loop = FixedTimestep(60)
    loop.paused = True
    loop.step()
    assert list(loop.advance(0)) == []
    assert len(loop.advance(1)) == 1


def test_returned_ticks_are_numbered_again_and_their_time_counts_as_paused() -> None:
    loop = started(10, max_frame_time=None, max_ticks=None)
    loop.advance(550_000_000)
    loop.paused = True  # paused by the second of the five ticks
    loop.give_back(3)
    assert (loop.tick, loop.alpha, loop.paused_time) == (2, pytest.approx(0.5), 0.3)
    loop.paused = False
    assert [tick.number for tick in loop.advance(650_000_000)] == [3]  # no catching up


def test_only_ticks_of_this_frame_can_be_returned() -> None:
    loop = started(10)
    loop.advance(250_000_000)
    with pytest.raises(ValueError, match=r"^n: expected at most the 2 ticks of this frame, got 3"):
        loop.give_back(3)
    with pytest.raises(ValueError, match=r"^n: expected a whole number of at least 0, got -1"):
        loop.give_back(-1)
    loop.give_back(1)
    with pytest.raises(ValueError, match="at most the 1 ticks"):
        loop.give_back(2)
    loop.paused = True
    loop.step()
    loop.advance(260_000_000)
    with pytest.raises(ValueError, match="at most the 0 ticks"):
        loop.give_back(1)


frames = st.lists(
    st.tuples(
        st.integers(-1_000_000, 2 * NS) | st.integers(0, 40_000_000),
        st.sampled_from(
            [None] * 6 + ["pause", "resume", "step", "give_back", 0, 0.05, 1 / 3, 1, 16, 1000]
        ),
    ),
    max_size=40,
)
rates = st.sampled_from([60, 59.94, 7, 144, 0.3, 1e6, Fraction(1000, 7)])


@settings(max_examples=100, deadline=None)
@given(
    rates,
    frames,
    st.sampled_from([None, 0.1, 0.25]),
    st.integers(1, 8),
    st.sampled_from(["drop", "carry"]),
)
def test_alpha_is_always_in_0_to_1_and_ticks_count_up(
    rate: Any, frames: list[tuple[int, Any]], cap: Any, limit: int, overflow: Any
) -> None:
    loop = started(rate, cap, limit, overflow)
    now = 0
    number = 0
    for elapsed, event in frames:
        now += elapsed
        if event == "pause":
            loop.paused = True
        elif event == "resume":
            loop.paused = False
        elif event == "step":
            loop.step(2)
        elif event not in (None, "give_back"):
            loop.time_scale = event
        ticks = list(loop.advance(now))
        assert [tick.number for tick in ticks] == list(range(number + 1, number + 1 + len(ticks)))
        if event == "give_back" and ticks and not loop.paused:
            loop.give_back(1)
        number = loop.tick
        assert 0 <= loop.alpha < 1
        assert len(ticks) <= max(limit, 80)
        assert loop.time == pytest.approx(number / float(Fraction(str(rate))))


@settings(max_examples=100, deadline=None)
@given(
    rates,
    frames,
    st.sampled_from([0.05, 1 / 3, 1, 16, 1e3]),
    st.integers(1, 8),
    st.sampled_from(["drop", "carry"]),
)
def test_every_nanosecond_is_played_paused_or_dropped(
    rate: Any, frames: list[tuple[int, Any]], scale: float, limit: int, overflow: Any
) -> None:
    loop = started(rate, 0.1, limit, overflow)
    now = 0
    latest = 0
    loop.time_scale = scale
    for elapsed, event in frames:
        now += elapsed
        latest = max(latest, now)
        if event in ("pause", "resume"):
            loop.paused = event == "pause"
        ticks = loop.advance(now)
        if event == "give_back" and ticks:
            loop.give_back(1)
        # Game time: whole ticks, carried ticks, and the fraction of a tick.
        played = Fraction(loop.tick * loop._tick_units + loop._units, loop._step_units)
        stood = Fraction(loop._paused_time + loop._dropped, 10**18)
        assert abs(played + stood - latest) < Fraction(1, 10**6)  # of a nanosecond
        if overflow == "drop":
            seconds = (loop.time + loop.alpha * loop.dt) / scale
            assert seconds + loop.paused_time + loop.dropped_time == pytest.approx(
                latest / NS, abs=1e-9
            )


BAD_NUMBERS: list[tuple[Any, type[Exception]]] = [
    (0, ValueError),
    (-1, ValueError),
    (-0.5, ValueError),
    (math.nan, ValueError),
    (math.inf, ValueError),
    (-math.inf, ValueError),
    (np.float32("nan"), ValueError),
    (Decimal("NaN"), ValueError),
    (10**400, ValueError),
    ("60", TypeError),
    (b"60", TypeError),
    (True, TypeError),
    (np.True_, TypeError),
    ([60], TypeError),
    (1 + 2j, TypeError),
    (object(), TypeError),
]


@pytest.mark.parametrize(("value", "error"), BAD_NUMBERS)
def test_a_bad_number_is_refused_by_name(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^tick_rate: expected .*(got|NaN)"):
        FixedTimestep(value)
    with pytest.raises(error, match=r"^max_frame_time: expected .*got"):
        FixedTimestep(60, max_frame_time=value)
    if value != 0:
        loop = FixedTimestep()
        with pytest.raises(error, match=r"^time_scale: expected .*got"):
            loop.time_scale = value
        assert loop.time_scale == 1


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (0, ValueError),
        (-3, ValueError),
        (1.0, TypeError),
        ("8", TypeError),
        (True, TypeError),
        (np.True_, TypeError),
    ],
)
def test_a_bad_count_is_refused_by_name(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^max_ticks: expected .*got"):
        FixedTimestep(max_ticks=value)
    with pytest.raises(error, match=r"^n: expected .*got"):
        FixedTimestep().step(value)


def test_values_that_are_no_numbers_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match="tick_rate: expected a number, got None"):
        FixedTimestep(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="time_scale: expected a number, got None"):
        FixedTimestep().time_scale = None  # type: ignore[assignment]
    with pytest.raises(TypeError, match="n: expected a whole number, got None"):
        FixedTimestep().step(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("rate", [1e-10, 1.1e9, 1e300, Fraction(1, 10**12)])
def test_a_rate_that_no_clock_can_serve_is_refused(rate: Any) -> None:
    with pytest.raises(ValueError, match=r"^tick_rate: expected 1e-9 to 1e9 ticks per second, got"):
        FixedTimestep(rate)


def test_a_frame_cap_below_a_nanosecond_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^max_frame_time: expected at least a nanosecond"):
        FixedTimestep(max_frame_time=1e-12)


@pytest.mark.parametrize("value", ["DROP", "", None, 1, True])
def test_an_unknown_overflow_is_refused_with_the_valid_values(value: Any) -> None:
    error = ValueError if isinstance(value, str) else TypeError
    with pytest.raises(error, match=r"^overflow: expected one of 'drop', 'carry', got"):
        FixedTimestep(overflow=value)


@pytest.mark.parametrize("now", [1.5, "1", None, True, np.True_, math.nan])
def test_a_clock_value_that_is_no_integer_is_refused_and_changes_nothing(now: Any) -> None:
    loop = started(10)
    with pytest.raises(TypeError, match=r"^now: expected integer nanoseconds"):
        loop.advance(now)
    assert len(loop.advance(100_000_000)) == 1


def test_numbers_of_numpy_and_the_standard_library_are_accepted() -> None:
    rates = [np.int64(50), np.float64(50), np.float32(50), Decimal(50), Fraction(50)]
    for rate in rates:
        loop = started(rate, max_frame_time=np.float32(0.25), max_ticks=np.int32(8))
        loop.time_scale = np.float32(2)
        loop.step(np.int8(1))
        assert len(loop.advance(np.int64(20_000_000))) == 2


def test_a_huge_time_scale_and_a_huge_clock_value_work() -> None:
    loop = started(60, max_ticks=3)
    loop.time_scale = 1e300
    assert len(loop.advance(10**30)) == 3
    assert 0 <= loop.alpha < 1


def test_a_fixed_timestep_has_the_timestep_protocol() -> None:
    loop: Timestep = FixedTimestep()
    names = [name for name in dir(Timestep) if not name.startswith("_")]
    assert {"advance", "alpha", "give_back", "step"} <= set(names)
    assert all(hasattr(loop, name) for name in [*names, "time_scale", "paused"])


def test_it_imports_neither_pyglet_nor_moderngl_nor_numpy() -> None:
    code = (
        "import sys; from framework import FixedTimestep; FixedTimestep().advance(0);"
        "print(sorted({'pyglet', 'moderngl', 'numpy', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("make_loop", [fw.FixedTimestep, fw.RoundedTimestep])
def test_alpha_is_below_1_at_the_slowest_rate_a_nanosecond_before_the_tick(make_loop: Any) -> None:
    tick = 10**18  # nanoseconds
    loop = make_loop(
        Fraction(1, 10**9), **({"max_frame_time": None} if make_loop is fw.FixedTimestep else {})
    )
    loop.advance(0)
    # a rounded loop is half a tick ahead
    before = tick - 1 if make_loop is fw.FixedTimestep else tick // 2 - 1
    assert len(loop.advance(before)) == 0
    assert loop.alpha == math.nextafter(1.0, 0.0)
    assert len(loop.advance(before + 1)) == 1
    assert loop.alpha == 0.0


def test_a_rounded_loop_runs_a_tick_at_a_tie() -> None:
    loop = fw.RoundedTimestep(50)  # ticks of 20 ms
    loop.advance(0)
    assert len(loop.advance(9_999_999)) == 0
    assert loop.alpha == pytest.approx(1, abs=1e-7)
    assert len(loop.advance(10_000_000)) == 1
    assert loop.alpha == 0.0
    assert len(loop.advance(30_000_000)) == 1
    assert len(loop.advance(49_999_999)) == 0
    assert loop.alpha == pytest.approx(1, abs=1e-7)
    # 40 ms after the tie: two ticks, and the tick of the tie
    assert len(loop.advance(90_000_000)) == 3
    assert loop.dropped_time == 0


def test_a_rounded_loop_stops_exactly_at_its_limit() -> None:
    for frame, ticks, dropped in (
        (49_999_999, 2, 0.0),
        (50_000_000, 2, 0.02),
        (109_999_999, 2, 0.06),
    ):
        loop = fw.RoundedTimestep(50, max_ticks=2)
        loop.advance(0)
        assert len(loop.advance(frame)) == ticks
        assert loop.dropped_time == pytest.approx(dropped)
        assert 0 <= loop.alpha < 1
