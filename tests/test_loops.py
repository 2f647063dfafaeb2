"""Timesteps: semi-fixed, variable and rounded loops beside the fixed loop, with simulated time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
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


def started(loop: Any) -> Any:
    assert list(loop.advance(0)) == []
    return loop


# -- semi-fixed ------------------------------------------------------------------------------------


def test_a_semi_fixed_frame_has_full_ticks_and_one_tick_with_the_rest() -> None:
    ticks = list(started(SemiFixedTimestep(10)).advance(250 * MS))
    assert ticks == [Tick(1, 0.1, 0.1, False), Tick(2, 0.2, 0.1, False), Tick(3, 0.25, 0.05, True)]


def test_a_semi_fixed_frame_without_a_rest_has_only_full_ticks() -> None:
    assert [tick.dt for tick in started(SemiFixedTimestep(10)).advance(200 * MS)] == [0.1, 0.1]
    assert list(started(SemiFixedTimestep(10)).advance(0)) == []


@given(
    st.lists(st.integers(1, 80 * MS), min_size=1, max_size=60), st.sampled_from([7, 59.94, 60, 144])
)
@settings(max_examples=60, deadline=None)
def test_semi_fixed_ticks_add_up_to_the_time_of_the_frames(spans: list[int], rate: float) -> None:
    loop = started(SemiFixedTimestep(rate, max_frame_time=None, max_ticks=None))
    now = 0
    for span in spans:
        now += span
        ticks = loop.advance(now)
        assert math.fsum(tick.dt for tick in ticks) == pytest.approx(span / NS, rel=1e-15)
        assert loop.time == now / NS  # exact: no time is lost from frame to frame
        assert all(tick.dt == float(1 / Fraction(str(rate))) for tick in ticks[:-1])


def test_a_semi_fixed_frame_drops_and_counts_time_beyond_its_limits() -> None:
    loop = started(SemiFixedTimestep(10, max_frame_time=1.0, max_ticks=3))
    assert [tick.dt for tick in loop.advance(2 * NS)] == [0.1] * 3
    assert loop.dropped_time == 1.7


# -- variable --------------------------------------------------------------------------------------


def test_a_variable_frame_is_one_tick_of_the_same_length() -> None:
    loop = started(VariableTimestep())
    assert list(loop.advance(16 * MS)) == [Tick(1, 0.016, 0.016, True)]
    assert list(loop.advance(56 * MS)) == [Tick(2, 0.056, 0.04, True)]
    assert list(loop.advance(56 * MS)) == []  # no time, no tick


def test_a_long_variable_frame_is_limited_to_a_tenth_of_a_second() -> None:
    loop = started(VariableTimestep())
    assert [tick.dt for tick in loop.advance(5 * NS)] == [0.1]
    assert loop.dropped_time == 4.9


# -- rounded ---------------------------------------------------------------------------------------


def test_the_rounded_loop_agrees_with_fixed_framerate_loop() -> None:
    """The test of fixed-framerate-loop: frames of one second, ticks of a tenth."""
    loop = started(RoundedTimestep(10))
    assert [(tick.time, tick.last) for tick in loop.advance(NS)] == [
        (k / 10, k == 10) for k in range(1, 11)
    ]
    assert [(tick.time, tick.last) for tick in loop.advance(2 * NS)] == [
        (k / 10, k == 20) for k in range(11, 21)
    ]
    loop.cancel()
    assert list(loop.advance(3 * NS)) == []
    assert loop.cancelled
    loop.cancel()  # has no effect
    assert loop.tick == 20


def test_the_rounded_loop_is_at_most_half_a_tick_ahead() -> None:
    loop = started(RoundedTimestep(60, None))
    dice = random.Random(3)
    now = 0
    for _ in range(5_000):
        now += dice.randrange(1, 40 * MS)
        loop.advance(now)
        lag = Fraction(now, NS) * 60 - loop.tick
        assert -Fraction(1, 2) <= lag < Fraction(1, 2)
        assert abs(loop.alpha - (float(lag) + 0.5)) <= 1e-12


def test_the_rounded_loop_drops_time_beyond_its_limit() -> None:
    loop = started(RoundedTimestep(10))
    assert len(loop.advance(300 * NS)) == 10  # after five minutes
    assert len(loop.advance(300 * NS + 100 * MS)) == 1
    assert loop.dropped_time == 299
    assert loop.time == pytest.approx(1.1)


@pytest.mark.parametrize(("display", "pattern"), [(30, {2}), (60, {1}), (120, {0, 1})])
def test_the_rounded_loop_follows_the_display(display: int, pattern: set[int]) -> None:
    loop = started(RoundedTimestep(60))
    counts = [len(loop.advance(frame * NS // display)) for frame in range(1, 200)]
    assert set(counts[1:]) == pattern


# -- all loops -------------------------------------------------------------------------------------


@given(
    st.sampled_from([0.05, 0.5, 1, 3]),
    st.lists(st.tuples(st.integers(0, 400 * MS), st.booleans()), max_size=25),
)
@settings(max_examples=40, deadline=None)
def test_every_nanosecond_is_played_paused_dropped_or_waits(
    scale: float, frames: list[tuple[int, bool]]
) -> None:
    for loop in LOOPS:
        steps = started(loop())
        steps.time_scale = scale
        now = count = 0
        for span, paused in frames:
            now += span
            steps.paused = paused and span % 3 == 0
            ticks = steps.advance(now)
            assert 0 <= steps.alpha < 1
            assert [tick.number for tick in ticks] == list(range(count + 1, count + 1 + len(ticks)))
            assert [tick.last for tick in ticks] == [False] * (len(ticks) - 1) + [True] * bool(
                ticks
            )
            count += len(ticks)
            assert steps.tick == count, steps
            to_come = steps._units / steps._second
            played = (steps.time + to_come) / scale
            assert abs(played + steps.dropped_time + steps.paused_time - now / NS) <= 1e-9, steps


@pytest.mark.parametrize("loop", range(len(LOOPS)))
def test_paused_loops_can_step_and_give_back_ticks(loop: int) -> None:
    steps = started(LOOPS[loop]())
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
    with pytest.raises(ValueError, match="n: expected at most the 0 ticks of this frame"):
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
def test_invalid_numbers_are_refused_with_their_name(
    make_loop: Callable[[], Any], error: str
) -> None:
    with pytest.raises(ValueError, match=f"^{error}: expected"):
        make_loop()


class Mover(fw.Game):
    """A game with a sprite that moves at 120 pixels per second."""

    def setup(self) -> None:
        self.spot = self.sprites.add(blob(), position=(20, 50))

    def update(self, dt: float) -> None:
        self.spot.x += 120 * dt


@pytest.mark.parametrize(
    ("loop", "late"),
    [
        (
            lambda: FixedTimestep(20),
            1 / 20,
        ),  # one tick behind the clock, because the last two states are interpolated
        (lambda: RoundedTimestep(20), 0.5 / 20),
        (lambda: SemiFixedTimestep(20), 0.0),
        (lambda: VariableTimestep(), 0.0),
    ],
)
def test_every_loop_draws_smooth_motion_with_a_constant_lag(
    make: Make, loop: Callable[[], Any], late: float
) -> None:
    game = make(Mover, timestep=loop())
    clock = 0.0
    dice = random.Random(5)
    for _ in range(14):
        span = dice.uniform(0.01, 0.09)
        clock += span
        game.advance(span)
        if clock > 0.1:
            x, y = centroid(game.pixels())
            assert x == pytest.approx(20 + 120 * (clock - late), abs=0.05)
            assert y == pytest.approx(50, abs=0.05)


# -- game time -------------------------------------------------------------------------------------


class Point:
    """A point that moves one unit per full tick and is interpolated between ticks, like sprites."""

    def __init__(self, loop: Any) -> None:
        self.loop = loop
        self.previous = self.current = 0.0
        self.lengths: set[float] = set()

    def drawn(self, now: int) -> float:
        for tick in self.loop.advance(now):
            self.previous = self.current
            self.current += tick.dt * 60
            self.lengths.add(tick.dt)
        return self.previous + (self.current - self.previous) * self.loop.alpha


@pytest.mark.parametrize("scale", [0, 0.05, 0.5, 1, 4, 16, 40])
def test_with_any_time_scale_ticks_keep_their_length_and_motion_is_even(scale: float) -> None:
    point = Point(started(FixedTimestep(60, max_ticks=None)))
    point.loop.time_scale = scale
    stamps = [frame * NS // 144 for frame in range(1, 1441)]
    drawn = [(now, point.drawn(now)) for now in stamps]
    begun_at = NS / 60 / scale if scale else 0  # before the first tick there is no motion
    even = [(now, position) for now, position in drawn if now > begun_at]
    for (earlier, first), (later, second) in pairwise(even):
        assert abs(second - first - (later - earlier) / NS * 60 * scale) <= 1e-6
    assert len(even) > 1300
    assert point.lengths == ({1 / 60} if scale else set())


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30 * MS), st.sampled_from([0, 0.05, 0.5, 1, 4, 16, 40]), st.booleans()
        ),
        max_size=60,
    )
)
def test_a_change_of_scale_or_a_pause_never_makes_a_jump(
    moments: list[tuple[int, float, bool]],
) -> None:
    point = Point(started(FixedTimestep(60, max_ticks=None)))
    now = 50 * MS
    before = point.drawn(now)
    for span, scale, paused in moments:
        point.loop.time_scale = scale
        point.loop.paused = paused
        assert abs(point.drawn(now) - before) <= 1e-9  # no time, no motion
        now += span
        position = point.drawn(now)
        distance = 0 if paused else span / NS * scale * 60
        assert abs(position - before - distance) <= 1e-6
        before = position


@pytest.mark.parametrize("paused", [True, False])
def test_time_scale_0_and_a_pause_stop_exactly(paused: bool) -> None:
    point = Point(started(FixedTimestep(60)))
    position = point.drawn(123 * MS)
    point.loop.paused = paused
    point.loop.time_scale = 1.0 if paused else 0.0
    assert {point.drawn(frame * 100 * MS) for frame in range(2, 50)} == {position}
    point.loop.paused = False
    point.loop.time_scale = 1.0
    assert point.drawn(4_900 * MS) == position


@pytest.mark.parametrize("steps", [1, 3])
def test_a_key_pressed_in_a_pause_is_in_the_next_single_step(make: Make, steps: int) -> None:
    presses_per_tick: list[tuple[int, int, int]] = []

    class Watches(fw.Game):
        def update(self, dt: float) -> None:
            presses_per_tick.append(
                (self.tick, self.keys.presses("SPACE"), self.keys.releases("SPACE"))
            )

    game = make(Watches)
    game.run(2)
    game.timestep.paused = True
    game.run(3)
    game.display.window.dispatch_event("on_key_press", ord(" "), 0)
    game.run(3)
    assert game.tick == 2
    game.timestep.step(steps)
    game.run(3)
    game.timestep.step()
    game.run(2)
    game.display.window.dispatch_event("on_key_release", ord(" "), 0)
    game.timestep.step()
    game.run(2)
    later = [(tick, 0, 0) for tick in range(4, 4 + steps)]
    assert presses_per_tick == [(1, 0, 0), (2, 0, 0), (3, 1, 0), *later, (4 + steps, 0, 1)]


def check_time_accounting(steps: Any, frames: Any) -> None:
    now = 0
    latest = 0
    for span, scale, event in frames:
        now += span
        elapsed = max(0, now - latest)
        latest = max(now, latest)
        steps.time_scale = scale
        steps.paused = event in ("pause", "step")
        if event == "step":
            steps.step(2)
        played = steps._total + steps._units
        lost = steps._dropped + steps._paused_time
        ticks = steps.advance(now)
        if event == "give back" and ticks:
            steps.give_back(1)
        played = steps._total + steps._units - played
        if event == "step":
            played -= 2 * steps._tick_units  # single steps take no real time
        lost = steps._dropped + steps._paused_time - lost
        real = Fraction(lost, NS * NS) + (Fraction(played, steps._step_units) if scale else played)
        assert abs(real - elapsed) < Fraction(1, 10**6), steps  # of a nanosecond


@given(
    frames=st.lists(
        st.tuples(
            st.integers(-20 * MS, 30 * MS) | st.sampled_from([0, NS // 144, NS, 3600 * NS]),
            st.sampled_from([0, 0.05, 1 / 3, 0.5, 1, 4, 16, 40]),
            st.sampled_from(["", "", "", "pause", "step", "give back"]),
        ),
        max_size=40,
    )
)
@settings(max_examples=60)
def test_in_each_frame_all_real_time_is_accounted_for(
    frames: Any,
) -> None:
    for loop in LOOPS:
        check_time_accounting(started(loop()), frames)


@pytest.mark.parametrize("overflow", ["drop", "carry"])
def test_a_slow_update_runs_in_slow_motion_and_recovers(
    overflow: Any,
) -> None:
    loop = started(FixedTimestep(60, overflow=overflow))
    now = 0
    most = 0
    while now < 300 * NS:
        ticks = len(loop.advance(now))
        most = max(most, ticks)
        now += max(ticks * 100 * MS, 16 * MS)  # six times too slow
        assert 0 <= loop.alpha < 1
    assert most == 8  # the limit, so the frames do not become longer and longer
    assert loop.dropped_time > 200
    late = [len(loop.advance(now := now + NS // 60)) for _ in range(1000)]
    assert max(late) <= 8
    assert set(late[-300:]) <= {0, 1, 2}


@pytest.mark.parametrize("loop", range(len(LOOPS)))
@pytest.mark.parametrize("scale", [-1, -1e-9, math.nan, math.inf, "2", None, True])
def test_an_invalid_time_scale_is_refused_and_changes_nothing(loop: int, scale: Any) -> None:
    steps = started(LOOPS[loop]())
    steps.time_scale = 2
    with pytest.raises((ValueError, TypeError), match=r"^time_scale: expected"):
        steps.time_scale = scale
    assert steps.time_scale == 2
    assert steps.advance(100 * MS)


@pytest.mark.parametrize("loop", range(len(LOOPS)))
def test_time_that_stops_or_runs_backwards_has_no_ticks(loop: int) -> None:
    steps = started(LOOPS[loop]())
    steps.advance(NS)
    count = steps.tick
    while steps.advance(NS):  # the time that was carried over
        count = steps.tick
    for now in (NS, 0, -5 * NS, NS - 1):
        assert list(steps.advance(now)) == []
        assert 0 <= steps.alpha < 1
    assert steps.tick == count


def test_an_exception_in_update_is_raised_unchanged_and_the_game_can_continue(
    make: Make,
) -> None:
    class Breaks(fw.Game):
        def update(self, dt: float) -> None:
            if self.tick == 2:
                raise error

    error = ZeroDivisionError("in the second tick")
    game = make(Breaks)
    game.advance(1 / 60)
    with pytest.raises(ZeroDivisionError) as caught:
        game.advance(1 / 60)
    assert caught.value is error
    assert error.__cause__ is None
    game.advance(1 / 60)  # the caller may continue
    assert game.tick == 3
    game.close()
    backend = make(Mover)
    backend.run(2)
    assert backend.pixels()[..., :3].any()


@given(
    rate=st.one_of(st.integers(1, 1000), st.sampled_from([59.94, 7.5, 333.3])),
    display=st.sampled_from([24, 30, 59.94, 60, 75, 90, 120, 144, 165, 240, 360]),
    speeds=st.lists(
        st.tuples(st.sampled_from([0.0, 0.05, 0.25, 1.0, 1.7]), st.booleans()),
        min_size=1,
        max_size=4,
    ),
    spawned_at=st.integers(0, 5),
)
def test_interpolated_motion_is_exact_to_a_millionth_of_a_tick(
    rate: float, display: float, speeds: list[tuple[float, bool]], spawned_at: int
) -> None:
    """At any tick and display rate, through spawns, teleports, changes of scale and pauses.

    A point moves one unit per tick, and every fourth tick it teleports to 0. It is added during
    the run. The drawn position is compared with exact game time, in fractions.
    """
    loop = fw.FixedTimestep(rate, max_frame_time=None, max_ticks=None)
    transforms = fw.Transforms2D()
    exact_rate = Fraction(str(rate))
    exact_display = Fraction(str(display))
    frames = 20 if rate > 200 else 60
    game_time = Fraction()
    before = 0
    loop.advance(0)
    for frame in range(1, frames + 1):
        scale, paused = speeds[frame * len(speeds) // (frames + 1)]
        loop.time_scale = scale
        loop.paused = paused
        now = math.floor(frame * NS / exact_display)
        game_time += 0 if paused else Fraction(now - before, NS) * Fraction(str(scale))
        before = now
        for tick in loop.advance(now):
            transforms.begin_tick(tick.dt)
            if tick.number == spawned_at + 1:
                transforms.extend(1)
            transforms.position[:] = tick.number % 4, -(tick.number % 4)
            if tick.number % 4 == 0 and len(transforms):
                transforms.teleport(slice(0, 1))
            transforms.end_tick()
        ticks = game_time * exact_rate
        number = math.floor(ticks)
        assert loop.tick == number
        if number <= spawned_at:
            continue
        jumped = number % 4 == 0 or number == spawned_at + 1
        true = number % 4 - (0 if jumped else 1 - (ticks - number))
        drawn = transforms.pose(loop.alpha)[0][0]
        assert abs(drawn[0] - float(true)) <= 1e-6
        assert abs(drawn[1] + float(true)) <= 1e-6


@pytest.mark.parametrize("frame_rate", [7, 24, 60, 144])
def test_each_tick_has_its_number_and_time_at_any_frame_rate(make: Make, frame_rate: int) -> None:
    class Asks(fw.Game):
        def setup(self) -> None:
            self.tick_times: list[Any] = []

        def update(self, dt: float) -> None:
            self.tick_times.append((self.tick, self.timestep.tick, self.timestep.time))

    game = make(Asks, frame_rate=frame_rate)
    while game.tick < 24:
        game.run(1)
    assert game.tick_times == [(tick, tick, tick / 60) for tick in range(1, game.tick + 1)]
    assert game.timestep.tick == game.tick


def test_run_ticks_continues_the_tick_numbers_with_any_loop(make: Make) -> None:
    class Own:
        alpha = dropped_time = time = 0.0
        tick = 0
        time_scale = 1.0
        paused = False
        dt = 0.25

        def advance(self, now: int) -> list[Tick]:
            return []

        def step(self, n: int = 1) -> None: ...

        def give_back(self, n: int) -> None: ...

    class Notes:
        def __init__(self) -> None:
            self.ticks: list[Tick] = []

        def begin_tick(self, tick: Tick) -> None:
            self.ticks.append(tick)

    game = make(fw.Game, timestep=Own())
    notes = game.add_subsystem(Notes())
    game.run_ticks(2)
    assert notes.ticks == [Tick(1, 0.25, 0.25, True), Tick(2, 0.5, 0.25, True)]
