"""Measure how regularly a real window shows frames (`framework lab --live`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import number
from ..errors import DisplayError, FrameworkError
from ..game.game import Game
from ..game.window import display_reachable, why_no_display
from ..plane.sprites import SpriteBatch
from ..timing.frame_pacing import Pacer
from ..timing.refresh_clock import RefreshClock
from ..timing.timestep import NANOSECONDS, FixedTimestep, Tick
from .lab import WARM_UP
from .lab_methods import SPEED

WINDOW = (640, 360)
"""The width and height of the window in pixels."""

_SPRITES = 200
_MIN_FRAMES = 30

Nanoseconds = NDArray[np.int64]


@dataclass(frozen=True)
class Live:
    """The measurements of a real window, without the first second after the start."""

    renderer: str
    frames: int
    seconds: float
    reported: float
    """The refresh rate that the operating system reports, in refreshes per second."""
    waited: int
    """The number of flips (calls that show a frame) that waited for the screen, as a `Pacer` counts
    them.
    """
    fitted: float
    """The refresh rate in refreshes per second, from the straight line that fits the times of the
    flips best.
    """
    estimated: float
    """The final estimate of the refresh rate by a `RefreshClock`, in refreshes per second, or 0 if
    there is no estimate.
    """
    locked: float
    """The fraction of frames for which the `RefreshClock` returned an estimated time, not the time
    stamp itself.
    """
    missed: int
    """The number of refreshes at which the window showed no new frame."""
    gap_median: float
    """The median time between two flips, in milliseconds."""
    gap_worst: float
    flips_off: float
    """The RMS distance between the times of the flips and the straight line that fits them best, in
    milliseconds.
    """
    stamps_off: float
    """The RMS distance between the clock readings and the straight line that fits the flips best,
    in milliseconds, after subtracting a constant delay.
    """
    raw_judder: float
    """The RMS judder of a game without pacing, in pixels, for motion at `SPEED`."""
    judder: float
    """The RMS judder of a game with pacing, in pixels, for motion at `SPEED`."""
    ticks: int
    ticks_due: float
    """The number of ticks that should have run in the elapsed time."""
    dropped_time: float
    """The time that the loop skipped, in seconds."""


class _RecordedGame(Game):
    """A game with moving sprites that records the time of each flip."""

    def __init__(self, **options: Any) -> None:
        self.ends = 0  # the time when the game ends, in nanoseconds
        self.flips: list[int] = []
        self.waits: list[bool] = []
        self.cpu = 0  # the CPU time of the process after the last drawn frame
        super().__init__(size=WINDOW, title="framework lab --live", **options)

    def setup(self) -> None:
        self.reported = float(getattr(self.display.window.screen.get_mode(), "rate", None) or 60)
        self.pacer = Pacer(self.reported)
        self.batch = self.add(SpriteBatch(np.full((6, 6, 4), 255, np.uint8), count=_SPRITES))
        self.batch.position[:] = self.random.uniform((0, 0), self.size, (_SPRITES, 2))
        self.batch.color[:, :3] = self.random.uniform(0.4, 1, (_SPRITES, 3))
        self.labels.add("framework lab --live", position=(12, 10), color=(0.7, 0.73, 0.95))

    def update(self, dt: float) -> None:
        position = self.batch.position
        position[:, 0] += SPEED * dt
        outside = position[:, 0] > self.width
        position[outside, 0] -= self.width
        self.batch.teleport(outside)

    def draw(self, alpha: float) -> None:
        self.cpu = time.process_time_ns()
        if time.perf_counter_ns() >= self.ends:
            self.exit()

    def record_flip(self) -> bool:
        """Record the time at which the window showed the previous frame. Return False if the frame
        was not shown because the window is hidden.
        """
        waits = self.debug.frame_stats.spans("wait", last=1)
        if not len(waits):
            return False
        # The first span is the flip. If the flip does not wait, a second span follows.
        begun, ended = waits[0].tolist()
        self.pacer.flipped(ended - begun, time.process_time_ns() - self.cpu)
        self.flips.append(ended)
        self.waits.append(self.pacer.vsync_waits)
        return True


class _RecordingTimestep(FixedTimestep):
    """A timestep that records each clock reading, and the game time that each frame shows."""

    def __init__(self, tick_rate: float) -> None:
        super().__init__(tick_rate, max_ticks=None)
        self.game: _RecordedGame | None = None
        self.stamps: list[int] = []
        self.moments: list[int] = []

    def advance(self, now: int) -> Sequence[Tick]:
        game = self.game
        stamp = time.perf_counter_ns()
        if game is not None:
            if self.stamps and not game.record_flip():
                del self.stamps[-1], self.moments[-1]
            self.stamps.append(stamp)
            self.moments.append(now)
        return super().advance(now)


def measure(seconds: float = 5.0, tick_rate: float = 60) -> Live:
    """Open a window with vsync, and measure its frames for ``seconds``, or until the player closes
    the window.

    Raises `DisplayError` if the machine has no display. Raises `ValueError` or `TypeError` if an
    argument is invalid. The message contains the name of the argument.
    """
    seconds = number("seconds", seconds, least=2, most=3600)
    if not display_reachable():
        raise DisplayError(
            f"--live measures a real window, but {why_no_display()}. On a machine "
            "without a screen, start a virtual "
            "one: xvfb-run -a framework lab --live. Without --live, displays are simulated."
        )
    loop = _RecordingTimestep(tick_rate)
    with _RecordedGame(headless=False, vsync=True, timestep=loop) as game:
        loop.game = game
        game.ends = time.perf_counter_ns() + round(seconds * NANOSECONDS)
        game.run()
        loop.game = None
        frames = len(game.flips)  # it is unknown when the last frame was shown
        return figures_of(
            *(
                np.array(times[:frames], np.int64)
                for times in (loop.stamps, loop.moments, game.flips)
            ),
            waits=game.waits,
            reported=game.reported,
            renderer=str(game.picture.ctx.info["GL_RENDERER"]),
            ticks=loop.tick,
            ticks_due=loop.moments[-1] / NANOSECONDS / loop.dt,
            dropped_time=loop.dropped_time,
        )


def _locked_frames(clock: RefreshClock, stamps: Nanoseconds) -> list[bool]:
    """Pass the clock readings of all frames to ``clock``. Return, for each frame, whether
    ``clock.locked`` was True then.
    """
    locked = []
    for stamp in stamps.tolist():
        clock.shown(stamp)
        locked.append(clock.locked)
    return locked


def figures_of(
    stamps: Nanoseconds,
    moments: Nanoseconds,
    flips: Nanoseconds,
    *,
    waits: Sequence[bool],
    reported: float,
    renderer: str,
    ticks: int,
    ticks_due: float,
    dropped_time: float,
) -> Live:
    """Compute the measurements from three times per frame, in nanoseconds: ``stamps`` are the clock
    readings, ``moments`` the game times that the frames show, and ``flips`` the times at which the
    window showed the frames. Raise `FrameworkError` if there are too few frames.
    """
    clock = RefreshClock(reported)
    locked = _locked_frames(clock, stamps)
    first = _first_measured(stamps)
    if len(stamps) - first < _MIN_FRAMES:
        raise FrameworkError(
            f"Only {len(stamps)} frames were drawn, which is too few; leave the window open longer."
        )
    stamps = stamps[first:]
    moments = moments[first:]
    begun = flips[first - 1 : -1]  # frame k begins when the previous flip ends
    refresh, line, period = _fit(begun)
    gaps = np.diff(begun) / 1e6
    stamps_off = float((stamps - line).std())
    return Live(
        renderer=renderer,
        frames=len(stamps),
        seconds=float(stamps[-1] - stamps[0]) / NANOSECONDS,
        reported=reported,
        waited=sum(waits[first:]),
        fitted=NANOSECONDS / period,
        estimated=NANOSECONDS / clock.period if clock.period else 0.0,
        locked=float(np.mean(locked[first:])),
        missed=int(refresh[-1]) + 1 - len(refresh),
        gap_median=float(np.median(gaps)),
        gap_worst=float(gaps.max()),
        flips_off=float((begun - line).std()) / 1e6,
        stamps_off=stamps_off / 1e6,
        raw_judder=SPEED * stamps_off / NANOSECONDS,
        judder=SPEED * float((moments - line).std()) / NANOSECONDS,
        ticks=ticks,
        ticks_due=ticks_due,
        dropped_time=dropped_time,
    )


def _first_measured(stamps: Nanoseconds) -> int:
    """Return the index of the first frame after the warm-up, at least 1. Return 0 if there are no
    frames.
    """
    if not len(stamps):
        return 0
    return max(1, int(np.searchsorted(stamps, stamps[0] + WARM_UP * NANOSECONDS)))


def _fit(flips: Nanoseconds) -> tuple[NDArray[np.int64], NDArray[np.float64], float]:
    """Find the refresh period of the display by fitting a straight line to the times ``flips``.

    Return two arrays and a number. The arrays have one element per flip: the number of the refresh,
    and the time of this refresh on the line. The number is the refresh period in nanoseconds.
    """
    times = (flips - flips[0]).astype(np.float64)
    period = float(np.median(np.diff(times)))
    refresh = np.arange(len(times))
    for _ in range(3):  # each iteration improves the period
        steps = np.maximum(np.round(np.diff(times) / period), 1).astype(np.int64)
        refresh = np.concatenate([[0], np.cumsum(steps)])
        period, start = (float(part) for part in np.polyfit(refresh, times, 1))
    return refresh, flips[0] + start + period * refresh, period
