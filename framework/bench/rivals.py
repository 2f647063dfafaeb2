"""How others make ticks and draw between them, for comparison: their rules, fed with the same
stamps as ours.

Each rule takes the stamps of a display's frames (int64 nanoseconds), the tick rate that is asked
for, and the rate that the screen reports (None with vsync off), and answers with what it would draw
in each frame: a mix of two states of the game.
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
    """What each frame shows: the state at game time ``first``, and ``share`` of the step from it to
    ``second``.
    """

    first: Seconds
    second: Seconds
    share: NDArray[np.float64]
    ticks: int
    """Made in all."""


Rule = Callable[[Stamps, float, float | None], Drawn]


@dataclass(frozen=True)
class Rival:
    """A framework's or an article's rule."""

    name: str
    rule: Rule
    words: str


def _newest(states: list[float], ticks: int) -> Drawn:
    """Drawn without interpolation: the newest state."""
    state = np.array(states)
    return Drawn(state, state, np.zeros(len(state)), ticks)


# -- pyglet ----------------------------------------------------------------------------------------


def pyglet_interval(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """pyglet 2.1's own clock on the invented time: `schedule_interval`, each call a tick of fixed
    length.
    """
    calls = _pyglet_calls(stamps, tick_rate)
    return _newest([count / tick_rate for count, _ in calls], calls[-1][0])


def pyglet_dt(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """The same, each call a tick as long as the ``dt`` that the clock gives it."""
    calls = _pyglet_calls(stamps, tick_rate)
    return _newest([time for _, time in calls], calls[-1][0])


def _pyglet_calls(stamps: Stamps, tick_rate: float) -> list[tuple[int, float]]:
    """For each frame: how often the scheduled function was called up to it, and the sum of what it
    was given.
    """
    from pyglet.clock import Clock

    now = stamps[0] / NANOSECONDS
    clock, called, given = Clock(time_function=lambda: now), 0, 0.0

    def tick(dt: float) -> None:
        nonlocal called, given
        called += 1
        given += dt

    clock.schedule_interval(tick, 1 / tick_rate)
    calls = []
    for now in stamps / NANOSECONDS:  # noqa: B007  (the clock reads it)
        clock.tick(poll=True)
        calls.append((called, given))
    return calls


# -- accumulators ----------------------------------------------------------------------------------


def arcade(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Arcade 3: `on_fixed_update` runs until its clock has caught up, without a limit; the newest
    state is drawn.

    At its best: drawn at every refresh. As it comes, draws are calls of pyglet's
    `schedule_interval` too.
    """
    step, clock, done, ticks = 1 / tick_rate, 0.0, 0.0, 0
    states, last = [], int(stamps[0])
    for stamp in stamps.tolist():
        clock += (stamp - last) / NANOSECONDS
        last = stamp
        while clock - done >= step:
            done += step
            ticks += 1
        states.append(done)
    return _newest(states, ticks)


_JAMJAR_STEP, _JAMJAR_CAP = 1 / 100, 0.25


def jamjar(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """JamJar: 100 ticks a second whatever is asked for; the mix is reversed, and its first state is
    the one at the last frame, not at the last tick."""
    accumulator, state, before, ticks = 0.0, 0.0, 0.0, 0
    first, second, share, last = [], [], [], int(stamps[0])
    for stamp in stamps.tolist():
        accumulator += min((stamp - last) / NANOSECONDS, _JAMJAR_CAP)
        last = stamp
        while accumulator >= _JAMJAR_STEP:
            accumulator -= _JAMJAR_STEP
            ticks += 1
        state = ticks * _JAMJAR_STEP
        first.append(state)
        second.append(before)
        share.append(accumulator / _JAMJAR_STEP)
        before = state
    return Drawn(np.array(first), np.array(second), np.array(share), ticks)


# -- Godot -----------------------------------------------------------------------------------------

_MICRO = 1_000_000
_SLOWEST_SMOOTHED = 50  # refreshes a second
_WATCHED, _WITHIN = 64, 0.05
_GODOT_MOST = 8  # ticks a frame; the rest is given up


class _GodotDeltas:
    """Godot's delta smoothing: frame times become whole refreshes, what they lack or have over is
    kept for the next.

    It rests while the mean frame time is not within 5 % of a refresh. Its estimate of the display,
    whole refreshes a second from averages over 60 frames, takes seconds to settle: here it is right
    from the start.
    """

    def __init__(self, reported: float | None) -> None:
        rate = round(reported or 0)
        self._refresh = _MICRO // rate if rate >= _SLOWEST_SMOOTHED else 0
        self._seen: deque[int] = deque(maxlen=_WATCHED)
        self._left = 0

    def smooth(self, delta: int) -> int:
        """Microseconds in, microseconds out."""
        if not self._refresh or delta > _MICRO:
            return delta
        self._seen.append(delta)
        ratio = sum(self._seen) / len(self._seen) / self._refresh
        if abs(ratio - 1) > _WITHIN or delta < 1000:
            return delta
        self._left += delta
        whole = max(1, self._left // self._refresh)
        self._left -= whole * self._refresh
        return whole * self._refresh


class _GodotSteps:
    """Godot's physics jitter fix: ticks in a frame follow the pattern of the last twelve frames.

    Of each 1 to 12 frames in a row a tick count and the next higher one are usual. A frame keeps to
    what is usual for all of them as long as the clock is within half a tick of it; otherwise what
    is usual is learnt anew.
    """

    def __init__(self, fix: float = 0.5, frames: int = 12) -> None:
        self._fix = fix
        self._usual = list(range(frames))  # the lower count, of the last 1, 2, … frames
        self._made = list(range(frames))
        self._time = 0.0  # of the clock, in ticks, beyond the last one made

    def advance(self, elapsed: float) -> int:
        """Ticks to make now that ``elapsed`` ticks' time has passed."""
        self._time += elapsed
        count, (least, most, known) = math.floor(self._time), self._bounds()
        if count < least:
            ahead = math.floor(self._time + self._fix)
            count, known = min(ahead, least), known and ahead >= least
        elif count > most:
            behind = math.floor(self._time - self._fix)
            count, known = max(behind, most), known and behind <= most
        count = max(count, 0)
        self._time -= count
        self._made = [count, *(made + count for made in self._made[:-1])]
        if not known:
            self._usual = [
                min(max(low, made - 1), made)
                for low, made in zip(self._usual, self._made, strict=True)
            ]
        return count

    def _bounds(self) -> tuple[int, int, bool]:
        """From and to how many ticks are usual, and whether the frames before agree on it."""
        least, most = self._usual[0], self._usual[0] + 1
        for usual, made in zip(self._usual[1:], self._made, strict=False):
            left = usual - made
            if left > most or left + 1 < least:
                return least, most, False
            least, most = max(least, left), min(most, left + 1)
        return least, most, True


def godot_jitter_fix(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Godot 4 as it comes: delta smoothing and a physics jitter fix of 0.5; the newest state is
    drawn.
    """
    deltas, steps = _GodotDeltas(reported), _GodotSteps()
    ticks, states, last = 0, [], int(stamps[0]) // 1000
    for stamp in (stamps // 1000).tolist():
        ticks += min(steps.advance(deltas.smooth(stamp - last) / _MICRO * tick_rate), _GODOT_MOST)
        last = stamp
        states.append(ticks / tick_rate)
    return _newest(states, ticks)


def godot_interpolated(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Godot 4 with physics interpolation, which turns its jitter fix off; delta smoothing stays
    on.
    """
    deltas = _GodotDeltas(reported)
    time, times, last = 0, [], int(stamps[0]) // 1000
    for stamp in (stamps // 1000).tolist():
        time += deltas.smooth(stamp - last)
        last = stamp
        times.append(time / _MICRO * tick_rate)
    return _interpolated(np.array(times), tick_rate, _GODOT_MOST)


def _interpolated(clock: NDArray[np.float64], tick_rate: float, most: int) -> Drawn:
    """``clock``: ticks' time that has passed at each frame; drawn between the last two ticks,
    ``most`` in a frame.
    """
    due = np.floor(clock)
    ticks = np.cumsum(np.minimum(np.diff(due, prepend=0.0), most))
    return Drawn(
        np.maximum(ticks - 1, 0) / tick_rate, ticks / tick_rate, clock - due, int(ticks[-1])
    )


# -- Glaiel ----------------------------------------------------------------------------------------

_SNAPS, _NEAR = (60, 30, 20, 15, 120), 200_000  # refreshes a second; nanoseconds
_AVERAGED, _LONGEST = 4, 8  # frame times; ticks


def glaiel(stamps: Stamps, tick_rate: float, reported: float | None) -> Drawn:
    """Tyler Glaiel's: frame times near 1, 2, 3, 4 or half a sixtieth of a second are taken as that,
    and four of them averaged; then an accumulator, drawn interpolated. Very long frames count as
    one tick."""
    tick = round(NANOSECONDS / tick_rate)
    snaps = [NANOSECONDS / rate for rate in _SNAPS]
    recent: deque[float] = deque([tick] * _AVERAGED, maxlen=_AVERAGED)
    left, ticks, last = 0.0, 0, int(stamps[0])
    clock = []
    for stamp in stamps.tolist():
        delta: float = stamp - last
        last = stamp
        if delta > _LONGEST * tick:
            delta = tick
        recent.append(next((snap for snap in snaps if abs(delta - snap) < _NEAR), delta))
        left += sum(recent) / _AVERAGED
        if left > _LONGEST * tick:
            left = 0.0
        ticks += int(left // tick)
        left %= tick
        clock.append(ticks + left / tick)
    return _interpolated(np.array(clock), tick_rate, _LONGEST)


RIVALS = (
    Rival("pyglet schedule_interval", pyglet_interval, "each call a tick of fixed length"),
    Rival("pyglet dt", pyglet_dt, "each call a tick of the given dt"),
    Rival("Arcade", arcade, "accumulator, newest state"),
    Rival("JamJar", jamjar, "100 ticks a second, reversed mix"),
    Rival("Godot jitter fix", godot_jitter_fix, "as it comes, newest state"),
    Rival("Godot interpolated", godot_interpolated, "smoothed deltas, interpolated"),
    Rival("Glaiel snapping", glaiel, "snapped and averaged deltas, interpolated"),
)
"""All of them, in the order of the lab's tables."""
