"""Measure how smoothly objects move on simulated displays, with different game loops.

    framework lab

Each frame shows two points that move at a constant speed (`lab_methods`). The lab compares the
drawn positions with the true positions at the beginning of the frame. Players cannot see a constant
delay, so the lab subtracts the constant delay that fits the errors best (least squares). The
remaining error is called judder, and makes motion look uneven.
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
"""The number of seconds at the start that are left out of the results, while a `RefreshClock`
estimates the display's refresh rate.
"""

MIN_SECONDS = 4.0
"""The shortest time that can be simulated, in seconds. In a shorter time, there would be too few
frames before the first pause.
"""

STEADY = 1.0
"""The largest acceptable error of the speed, in percent. With a larger error, even smooth motion is
wrong, because it gets farther and farther away from the true motion.
"""


# -- figures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """The errors of the motion that one method draws."""

    judder: float
    """The RMS (root mean square) distance between the drawn motion and the smooth motion that fits
    best, in pixels. The smooth motion may have a different delay after each pause.
    """
    error: float
    """The RMS distance from the true motion, in pixels, after subtracting a constant delay."""
    worst_step: float
    """The largest error of the displacement from one frame to the next, in pixels. Displacements
    during a pause are left out.
    """
    speed_error: float
    """The error of the speed in percent, above 0 if the motion is too fast. The time that a loop
    skips during a pause is left out.
    """
    lag: float
    """The mean delay before the first pause, in milliseconds, without the delay of the display
    itself.
    """
    turn_judder: float
    """The RMS distance from smooth circular motion, in pixels, for the point that moves in a
    circle.
    """


def measure(frames: Frames, shown: DrawnPositions) -> Figures:
    """Compute the `Figures` from the frames that follow the warm-up."""
    seconds = (frames.begun - frames.begun[0]) / NANOSECONDS
    keep = seconds >= WARM_UP
    time = seconds[keep]
    stretch = frames.stretch[keep]
    # How far the drawn motion is ahead of the true motion, in seconds: below 0 because of the lag.
    ahead = shown.line[keep] / SPEED - time
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
    """Split the errors ``ahead`` into periods between pauses, and subtract from each error the mean
    error of its period. Then fit straight lines with a common slope to the errors of all periods,
    and subtract them too. Return the errors that remain, and the slope of the lines.
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
        # The lag that fits best (least squares).
        lag = np.angle((position[rows] * even.conj()).sum())
        error[rows] = np.abs(position[rows] - TURN_RADIUS * even * np.exp(1j * lag))
    return _rms(error)


def _rms(values: Doubles) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


@dataclass(frozen=True)
class LabResult:
    """The errors of a method on a simulated display."""

    method: str
    display: str
    trouble: str
    ticks: int
    """The number of ticks that the method ran."""
    ticks_due: float
    """The number of ticks that should have run in the elapsed time, at the tick rate."""
    figures: Figures


@dataclass(frozen=True)
class Pacing:
    """The judder on one display in pixels, with a `RefreshClock` (pacing) and without. In both
    cases, the game loop is a `FixedTimestep` with interpolation.
    """

    display: str
    trouble: str
    raw: float
    paced: float
    worse: bool
    """Whether pacing increases the judder by more than 5 %, and also by more than 0.005 pixels."""


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
    """The effect of pacing on each display.

    If "fixed interpolate" or "fixed interpolate paced" was not run, the list is empty.
    """

    def find(self, method: str, display: str, trouble: str) -> Figures:
        """Return the errors of a method on a display. Raises `KeyError` if the lab has not run the
        method on this display.
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
    """Simulate ``methods`` on displays with the refresh rates ``rates``, for ``seconds`` each. See
    `pick_methods` for the values of ``methods``, and `pick_displays` for the values of ``rates``.
    Raises `ValueError` or `TypeError` if an argument is invalid. The message contains the name of
    the argument.
    """
    seconds = number("seconds", seconds, least=MIN_SECONDS, most=3600)
    number("tick_rate", tick_rate, least=1, most=1000)
    seed = whole("seed", seed, 0)
    displays = pick_displays(rates)
    picked = pick_methods(methods)
    rows = []
    frame_counts = [math.ceil(seconds * (display.rate or 130)) for display in displays]
    with progress_bar(sum(frame_counts) * len(TROUBLES), "frame", progress) as bar:
        for display, frame_count in zip(displays, frame_counts, strict=True):
            for trouble in TROUBLES:
                bar.set_description(f"{display.name}, {trouble.name}")
                rows += _rows(display, trouble, picked, seconds, tick_rate, seed)
                bar.update(frame_count)
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
