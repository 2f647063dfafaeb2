"""Simulate when Arcade, Godot and other engines run ticks and draw frames, for the timing lab.

A timing rule is a function that simulates the game loop of an engine. It takes three arguments: the
clock reading of each frame in nanoseconds, the tick rate, and the refresh rate of the display,
which is None without vsync. It returns, for each frame, the game state that the frame shows.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..timing.timestep import NANOSECONDS

Stamps = NDArray[np.int64]
Seconds = NDArray[np.float64]


class Drawn(NamedTuple):
    """The states of the game that the frames show. Each frame blends the states at the game times
    ``first`` and ``second``, and ``share`` is the weight of the second state, from 0 to 1. All
    three arrays have one element per frame.
    """

    first: Seconds
    second: Seconds
    share: NDArray[np.float64]
    ticks: int
    """The number of ticks that the rule has run."""


Rule = Callable[[Stamps, float, float | None], Drawn]


@dataclass(frozen=True)
class EngineRule:
    """The timing rule of a game engine, or of an article about game loops. ``name`` is the name of
    the rule in the result tables.
    """

    name: str
    rule: Rule
    words: str


def _newest(states: list[float], ticks: int) -> Drawn:
    """Return frames that show the newest state of the game, without interpolation."""
    state = np.array(states)
    return Drawn(state, state, np.zeros(len(state)), ticks)


# -- pyglet ----------------------------------------------------------------------------------------


def pyglet_interval(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Return the frames of a pyglet 2.1 game in which `schedule_interval` runs ticks with a fixed
    duration. The function runs pyglet's own clock with simulated times.
    """
    calls = _pyglet_calls(stamps, tick_rate)
    return _newest([count / tick_rate for count, _ in calls], calls[-1][0])


def pyglet_dt(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Return the frames of a pyglet 2.1 game in which `schedule_interval` runs ticks with the
    duration ``dt``, the time that pyglet has measured since the last call.
    """
    calls = _pyglet_calls(stamps, tick_rate)
    return _newest([time for _, time in calls], calls[-1][0])


def _pyglet_calls(stamps: Stamps, tick_rate: float) -> list[tuple[int, float]]:
    """Return two values for each frame: how many calls pyglet has made so far, and the sum of their
    durations ``dt``.
    """
    from pyglet.clock import Clock

    now = stamps[0] / NANOSECONDS
    clock = Clock(time_function=lambda: now)
    called = 0
    total = 0.0

    def tick(dt: float) -> None:
        nonlocal called, total
        called += 1
        total += dt

    clock.schedule_interval(tick, 1 / tick_rate)
    calls = []
    for now in stamps / NANOSECONDS:  # noqa: B007  (the clock reads it)
        clock.tick(poll=True)
        calls.append((called, total))
    return calls


# -- accumulators ----------------------------------------------------------------------------------


def arcade(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Return the frames of an Arcade 3 game. Before each frame, Arcade calls `on_fixed_update`
    until the game has caught up with the clock.

    The number of ticks per frame is not limited. Each frame shows the newest state. The simulation
    draws a frame at every refresh of the display, which is the best case for Arcade. By default, a
    real Arcade game draws less regularly, because pyglet's `schedule_interval` calls the draw
    function.
    """
    step = 1 / tick_rate
    clock = 0.0
    done = 0.0
    ticks = 0
    states = []
    last = int(stamps[0])
    for stamp in stamps.tolist():
        clock += (stamp - last) / NANOSECONDS
        last = stamp
        while clock - done >= step:
            done += step
            ticks += 1
        states.append(done)
    return _newest(states, ticks)


_JAMJAR_STEP = 1 / 100
_JAMJAR_CAP = 0.25


def jamjar(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Return the frames of a JamJar game. JamJar always runs 100 ticks per second.

    JamJar blends the states of the last two frames, not of the last two ticks, and in the wrong
    order.
    """
    accumulator = 0.0
    state = 0.0
    before = 0.0
    ticks = 0
    first = []
    second = []
    fractions = []
    last = int(stamps[0])
    for stamp in stamps.tolist():
        accumulator += min((stamp - last) / NANOSECONDS, _JAMJAR_CAP)
        last = stamp
        while accumulator >= _JAMJAR_STEP:
            accumulator -= _JAMJAR_STEP
            ticks += 1
        state = ticks * _JAMJAR_STEP
        first.append(state)
        second.append(before)
        fractions.append(accumulator / _JAMJAR_STEP)
        before = state
    return Drawn(np.array(first), np.array(second), np.array(fractions), ticks)


# -- Godot -----------------------------------------------------------------------------------------

_MICRO = 1_000_000
_SLOWEST_SMOOTHED = 50  # refreshes per second
_WINDOW = 64
_TOLERANCE = 0.05
_GODOT_MAX_TICKS = 8  # the maximum number of ticks in a frame; Godot drops the other ticks


class _GodotDeltas:
    """Godot's delta smoothing, which makes frame times more regular. It rounds each frame time to
    an integer number of refreshes, and adds the remainder to the next frame time.

    Smoothing is off while the mean frame time differs from the refresh period of the display by
    more than 5 %. Godot estimates the refresh rate as an average over 60 frames, and the estimate
    is exact only after some seconds. In this simulation, the estimate is exact from the start.
    """

    def __init__(self, reported: float | None) -> None:
        rate = round(reported or 0)
        self._refresh = _MICRO // rate if rate >= _SLOWEST_SMOOTHED else 0
        self._seen: deque[int] = deque(maxlen=_WINDOW)
        self._left = 0

    def smooth(self, delta: int) -> int:
        """Return the smoothed time of one frame. ``delta`` and the result are integers in
        microseconds.
        """
        if not self._refresh or delta > _MICRO:
            return delta
        self._seen.append(delta)
        ratio = sum(self._seen) / len(self._seen) / self._refresh
        if abs(ratio - 1) > _TOLERANCE or delta < 1000:
            return delta
        self._left += delta
        whole = max(1, self._left // self._refresh)
        self._left -= whole * self._refresh
        return whole * self._refresh


class _GodotSteps:
    """Godot's physics jitter fix, which makes the number of ticks per frame more regular. It
    chooses the number of ticks in a frame from the numbers of ticks in the last twelve frames.

    Godot counts the ticks in the last 1, 2, … 12 frames. In each group of 1, 2, … 12 frames, the
    usual number of ticks is n or n + 1. While the game time is less than half a tick away from the
    clock, the next frame runs a usual number of ticks. If the game time is farther from the clock,
    the next frame runs an unusual number of ticks, and Godot corrects n.
    """

    def __init__(self, fix: float = 0.5, frames: int = 12) -> None:
        self._fix = fix
        self._usual = list(range(frames))  # the lower usual number n of ticks in 1, 2, … frames
        self._made = list(range(frames))
        self._time = 0.0  # the time on the clock since the last tick, in ticks

    def advance(self, elapsed: float) -> int:
        """Return how many ticks the next frame runs. ``elapsed`` is the time since the last frame,
        in ticks.
        """
        self._time += elapsed
        count = math.floor(self._time)
        minimum, maximum, agreed = self._bounds()
        if count < minimum:
            ahead = math.floor(self._time + self._fix)
            count = min(ahead, minimum)
            agreed = agreed and ahead >= minimum
        elif count > maximum:
            behind = math.floor(self._time - self._fix)
            count = max(behind, maximum)
            agreed = agreed and behind <= maximum
        count = max(count, 0)
        self._time -= count
        self._made = [count, *(total + count for total in self._made[:-1])]
        if not agreed:
            self._usual = [
                min(max(low, total - 1), total)
                for low, total in zip(self._usual, self._made, strict=True)
            ]
        return count

    def _bounds(self) -> tuple[int, int, bool]:
        """Return the lowest and the highest usual number of ticks for the next frame. The third
        result is False if the usual numbers of two groups of frames contradict each other.
        """
        minimum = self._usual[0]
        maximum = self._usual[0] + 1
        for usual, total in zip(self._usual[1:], self._made, strict=False):
            remaining = usual - total
            if remaining > maximum or remaining + 1 < minimum:
                return minimum, maximum, False
            minimum = max(minimum, remaining)
            maximum = min(maximum, remaining + 1)
        return minimum, maximum, True


def godot_jitter_fix(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Return the frames of a Godot 4 game with the default settings: delta smoothing, and a physics
    jitter fix of 0.5.

    With these settings, each frame shows the newest state.
    """
    deltas = _GodotDeltas(reported)
    steps = _GodotSteps()
    ticks = 0
    states = []
    last = int(stamps[0]) // 1000
    for stamp in (stamps // 1000).tolist():
        ticks += min(
            steps.advance(deltas.smooth(stamp - last) / _MICRO * tick_rate), _GODOT_MAX_TICKS
        )
        last = stamp
        states.append(ticks / tick_rate)
    return _newest(states, ticks)


def godot_interpolated(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Return the frames of a Godot 4 game with physics interpolation and delta smoothing.

    In Godot, physics interpolation switches off the jitter fix.
    """
    deltas = _GodotDeltas(reported)
    time = 0
    times = []
    last = int(stamps[0]) // 1000
    for stamp in (stamps // 1000).tolist():
        time += deltas.smooth(stamp - last)
        last = stamp
        times.append(time / _MICRO * tick_rate)
    return _interpolated(np.array(times), tick_rate, _GODOT_MAX_TICKS)


def _interpolated(clock: NDArray[np.float64], tick_rate: float, most: int) -> Drawn:
    """Return frames in which the states of the last two ticks are blended.

    ``clock`` is the time of each frame since the start, in ticks. ``most`` is the maximum number of
    ticks per frame.
    """
    due = np.floor(clock)
    ticks = np.cumsum(np.minimum(np.diff(due, prepend=0.0), most))
    return Drawn(
        np.maximum(ticks - 1, 0) / tick_rate, ticks / tick_rate, clock - due, int(ticks[-1])
    )


# -- Glaiel ----------------------------------------------------------------------------------------

_SNAPS = (60, 30, 20, 15, 120)  # refreshes per second
_NEAR = 200_000  # nanoseconds
_AVERAGED = 4  # frame times
_MAX_TICKS = 8


def glaiel(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Return the frames that Tyler Glaiel's timing rule draws. The rule rounds and averages frame
    times.

    If a frame time is close to 1/120, 1/60, 2/60, 3/60 or 4/60 of a second, the rule replaces it
    with this value. Then it averages the last four frame times. After a very long frame, only one
    tick runs. In each frame, the states of the last two ticks are blended.
    """
    tick = round(NANOSECONDS / tick_rate)
    snaps = [NANOSECONDS / rate for rate in _SNAPS]
    recent: deque[float] = deque([tick] * _AVERAGED, maxlen=_AVERAGED)
    accumulated = 0.0
    ticks = 0
    last = int(stamps[0])
    clock = []
    for stamp in stamps.tolist():
        delta: float = stamp - last
        last = stamp
        if delta > _MAX_TICKS * tick:
            delta = tick
        recent.append(next((snap for snap in snaps if abs(delta - snap) < _NEAR), delta))
        accumulated += sum(recent) / _AVERAGED
        if accumulated > _MAX_TICKS * tick:
            accumulated = 0.0
        ticks += int(accumulated // tick)
        accumulated %= tick
        clock.append(ticks + accumulated / tick)
    return _interpolated(np.array(clock), tick_rate, _MAX_TICKS)


OTHER_ENGINES = (
    EngineRule("pyglet schedule_interval", pyglet_interval, "each call a tick of fixed length"),
    EngineRule("pyglet dt", pyglet_dt, "each call a tick of the given dt"),
    EngineRule("Arcade", arcade, "accumulator, newest state"),
    EngineRule("JamJar", jamjar, "100 ticks a second, reversed mix"),
    EngineRule("Godot jitter fix", godot_jitter_fix, "as it comes, newest state"),
    EngineRule("Godot interpolated", godot_interpolated, "smoothed deltas, interpolated"),
    EngineRule("Glaiel snapping", glaiel, "snapped and averaged deltas, interpolated"),
)
"""The rules of other engines, in the order in which the result tables list them."""
