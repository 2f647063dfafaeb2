"""Timing lab: measure how evenly objects move on simulated displays, with many loops and drawing
methods.

    framework lab

Each frame shows two points that move at a constant speed (`lab_methods`). The lab compares the
drawn positions with the true positions at the beginning of the frame. A constant lag of the motion
is invisible. Therefore the lab subtracts the lag that fits the errors best (least squares). The
remaining error is the judder: the part of the motion that looks uneven.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..arrays import Doubles
from ..checks import number, whole
from ..timing.timestep import NANOSECONDS
from .displays import TROUBLES, Frames, SimulatedDisplay, Trouble, pick_displays, simulate
from .lab_methods import (
    SPEED,
    TURN,
    TURN_RADIUS,
    DrawnPositions,
    Method,
    Points,
    pick_methods,
    watch,
)
from .progress import progress_bar

WARM_UP = 1.0
"""Seconds at the start that are left out, because pacing needs them to estimate the display's rate.
"""

MIN_SECONDS = 4.0
"""The shortest time of a simulated display, in seconds, so that enough frames precede the first
hitch.
"""

STEADY = 1.0
"""The largest error of the speed of even motion, in percent.

With a larger error the motion is wrong, even if it is smooth. Motion with a wrong speed has no
constant lag, because its distance from the true motion grows forever.
"""


# -- figures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """The errors of the motion that a method draws."""

    judder: float
    """The distance from even motion, with its own speed and lag: RMS in pixels. Each hitch starts a
    new lag.
    """
    error: float
    """The distance from the true motion: RMS in pixels. One constant lag is removed for the whole
    time.
    """
    worst_step: float
    """The largest error of the displacement from one frame to the next, in pixels, except over
    hitches.
    """
    speed_error: float
    """The error of the speed in percent: above 0 if the motion is too fast.

    Time that a loop drops in a hitch does not count.
    """
    lag: float
    """The mean delay in milliseconds, up to the first hitch.

    The display's own delay, equal for all methods, is not included.
    """
    turn_judder: float
    """The distance of the point in the circle from even circular motion: RMS in pixels."""


def measure(frames: Frames, shown: DrawnPositions) -> Figures:
    """Compute the `Figures` from the frames after the warm-up."""
    seconds = (frames.begun - frames.begun[0]) / NANOSECONDS
    keep = seconds >= WARM_UP
    time = seconds[keep]
    stretch = frames.stretch[keep]
    ahead = shown.line[keep] / SPEED - time  # seconds, below 0 because of the lag
    even, slope = _without_lags(time, ahead, stretch)
    steps = np.diff(shown.line[keep]) - SPEED * np.diff(time)
    return Figures(
        judder=SPEED * _rms(even),
        error=SPEED * float(ahead.std()),
        worst_step=float(np.abs(steps[np.diff(stretch) == 0]).max()),
        speed_error=100 * slope,
        lag=-1000 * float(ahead[stretch == stretch[0]].mean()),
        turn_judder=_turn_judder(time, shown.turn[keep], stretch, slope),
    )


def _without_lags(
    time: Doubles, ahead: Doubles, stretch: NDArray[np.intp]
) -> tuple[Doubles, float]:
    """Subtract the mean lag of each period between hitches from the errors ``ahead``. Also subtract
    one slope, the same for all periods. Return the remaining errors and the slope.
    """
    time = time.copy()
    ahead = ahead.copy()
    for part in np.unique(stretch):
        rows = stretch == part
        time[rows] -= time[rows].mean()
        ahead[rows] -= ahead[rows].mean()
    slope = float(time @ ahead / (time @ time))
    return ahead - slope * time, slope


def _turn_judder(time: Doubles, position: Points, stretch: NDArray[np.intp], slope: float) -> float:
    error = np.empty(len(time))
    for part in np.unique(stretch):
        rows = stretch == part
        even = np.exp(1j * TURN * (1 + slope) * time[rows])
        lag = np.angle((position[rows] * even.conj()).sum())  # the lag with the least squares
        error[rows] = np.abs(position[rows] - TURN_RADIUS * even * np.exp(1j * lag))
    return _rms(error)


def _rms(values: Doubles) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


@dataclass(frozen=True)
class LabResult:
    """The errors of one method on one simulated display."""

    method: str
    display: str
    trouble: str
    ticks: int
    """The number of updates."""
    ticks_due: float
    """The number of updates that were due at the tick rate, in the elapsed time."""
    figures: Figures


@dataclass(frozen=True)
class Pacing:
    """The effect of pacing on a display: the judder in pixels with and without pacing.

    Both values are for a `FixedTimestep` with interpolation.
    """

    display: str
    trouble: str
    raw: float
    paced: float
    worse: bool
    """Whether the judder with pacing is larger by more than 5 % and 0.005 px."""


@dataclass(frozen=True)
class Report:
    """The results of the timing lab: the errors of all methods on all simulated displays."""

    version: str
    seconds: float
    tick_rate: float
    seed: int
    speed: float
    displays: list[str]
    troubles: dict[str, str]
    methods: list[str]
    rows: list[LabResult]
    pacing: list[Pacing]
    """The effect of pacing for each display.

    The list is empty unless both "fixed interpolate" and "fixed interpolate paced" were run.
    """

    def find(self, method: str, display: str, trouble: str) -> Figures:
        """Return the errors of a method on a display. Raises `KeyError` if the method was not run
        on this display.
        """
        for row in self.rows:
            if (row.method, row.display, row.trouble) == (method, display, trouble):
                return row.figures
        raise KeyError((method, display, trouble))


def run(
    *,
    seconds: float = 5.0,
    rates: Sequence[str | float] | None = None,
    methods: Sequence[str] | None = None,
    tick_rate: float = 60,
    seed: int = 0,
    progress: bool = False,
) -> Report:
    """Run the ``methods`` on simulated displays of all ``rates``, for ``seconds`` on each display.

    `pick_methods` and `pick_displays` list the words that ``methods`` and ``rates`` may contain. A
    wrong argument raises `ValueError` or `TypeError` with the name of the argument.
    """
    seconds = number("seconds", seconds, least=MIN_SECONDS, most=3600)
    number("tick_rate", tick_rate, least=1, most=1000)
    seed = whole("seed", seed, 0)
    displays = pick_displays(rates)
    picked = pick_methods(methods)
    rows = []
    frame_count = sum(math.ceil(seconds * (display.rate or 130)) for display in displays) * len(
        TROUBLES
    )
    with progress_bar(frame_count, "frame", progress) as bar:
        for display in displays:
            for trouble in TROUBLES:
                bar.set_description(f"{display.name}, {trouble.name}")
                rows += _rows(display, trouble, picked, seconds, tick_rate, seed)
                bar.update(math.ceil(seconds * (display.rate or 130)))
    order = {method.name: index for index, method in enumerate(picked)}
    rows.sort(key=lambda row: order[row.method])
    return Report(
        version=__version__,
        seconds=float(seconds),
        tick_rate=float(tick_rate),
        seed=seed,
        speed=SPEED,
        displays=[display.name for display in displays],
        troubles={trouble.name: trouble.words for trouble in TROUBLES},
        methods=list(order),
        rows=rows,
        pacing=_pacing(rows),
    )


def _rows(
    display: SimulatedDisplay,
    trouble: Trouble,
    methods: Sequence[Method],
    seconds: float,
    tick_rate: float,
    seed: int,
) -> list[LabResult]:
    frames = simulate(display, trouble, seconds, seed)
    due = (int(frames.stamps[-1]) - int(frames.stamps[0])) / NANOSECONDS * tick_rate
    return [
        LabResult(method.name, display.name, trouble.name, shown.ticks, due, measure(frames, shown))
        for method, shown in watch(methods, display, frames, tick_rate)
    ]


def _pacing(rows: Sequence[LabResult]) -> list[Pacing]:
    judder = {(row.method, row.display, row.trouble): row.figures.judder for row in rows}
    effects = []
    for (method, display, trouble), raw in judder.items():
        ours = judder.get((f"{method} paced", display, trouble))
        if method == "fixed interpolate" and ours is not None:
            effects.append(Pacing(display, trouble, raw, ours, ours > 1.05 * raw + 0.005))
    return effects
