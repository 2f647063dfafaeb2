"""The lab: how even motion looks, on displays that are invented, under every loop and way of
drawing.

    framework lab

What each frame shows of things that move evenly (`methods`) is compared with where they truly are
when the frame begins. A constant lag is not seen, and is taken out by least squares; what is left
is judder.
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
from .displays import TROUBLES, Display, Frames, Trouble, pick_displays, simulate
from .methods import SPEED, TURN, TURN_RADIUS, Method, Points, Shown, pick_methods, watch
from .progress import progress_bar

WARM_UP = 1.0
"""Seconds at the beginning that are not judged: so long pacing may take to find the display."""

LEAST_SECONDS = 4.0
"""Of a simulated display, for frames to judge before the first hitch."""

STEADY = 1.0
"""Per cent: motion whose speed is further off is wrong, however even it is. It has no lag: it falls
behind for ever.
"""


# -- figures ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """How far what is shown is from the truth."""

    judder: float
    """RMS in pixels off a line of even motion, of its own speed and lag; the lag is a new one after
    each hitch.
    """
    error: float
    """RMS in pixels off the true motion; only one constant lag for the whole time is taken out."""
    worst_step: float
    """Pixels: the most that a displacement from one frame to the next is off the true one. The one
    over a hitch is left out."""
    speed_error: float
    """Per cent that the motion is too fast (below 0: too slow). Time that is given up in a hitch
    does not count.
    """
    lag: float
    """Milliseconds that the picture is behind the truth on average, up to the first hitch. The
    display's own delay comes on top; it is the same for all."""
    turn_judder: float
    """RMS in pixels off a circle that is run through evenly, as `judder`, for the thing that runs
    in one.
    """


def measure(frames: Frames, shown: Shown) -> Figures:
    """What the frames after the warm-up come to."""
    seconds = (frames.begun - frames.begun[0]) / NANOSECONDS
    keep = seconds >= WARM_UP
    time, stretch = seconds[keep], frames.stretch[keep]
    ahead = shown.line[keep] / SPEED - time  # seconds, below 0 as there is a lag
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
    """What is left of ``ahead`` when a lag for each stretch and a slope for all is taken out; and
    that slope.
    """
    time, ahead = time.copy(), ahead.copy()
    for part in np.unique(stretch):
        rows = stretch == part
        time[rows] -= time[rows].mean()
        ahead[rows] -= ahead[rows].mean()
    slope = float(time @ ahead / (time @ time))
    return ahead - slope * time, slope


def _turn_judder(time: Doubles, place: Points, stretch: NDArray[np.intp], slope: float) -> float:
    off = np.empty(len(time))
    for part in np.unique(stretch):
        rows = stretch == part
        even = np.exp(1j * TURN * (1 + slope) * time[rows])
        lag = np.angle(
            (place[rows] * even.conj()).sum()
        )  # of all lags the one with the least squares
        off[rows] = np.abs(place[rows] - TURN_RADIUS * even * np.exp(1j * lag))
    return _rms(off)


def _rms(values: Doubles) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


@dataclass(frozen=True)
class Row:
    """A method on a display."""

    method: str
    display: str
    trouble: str
    ticks: int
    """Updates made."""
    ticks_due: float
    """At the tick rate, in the time that went by."""
    figures: Figures


@dataclass(frozen=True)
class Pacing:
    """What pacing does on a display, by `FixedTimestep` and interpolation: RMS judder in pixels."""

    display: str
    trouble: str
    raw: float
    paced: float
    worse: bool
    """By more than 5 % (and 0.005 px)."""


@dataclass(frozen=True)
class Report:
    """All figures of a run."""

    version: str
    seconds: float
    tick_rate: float
    seed: int
    speed: float
    displays: list[str]
    troubles: dict[str, str]
    methods: list[str]
    rows: list[Row]
    pacing: list[Pacing]
    """Of each display, where both "fixed interpolate" and "fixed interpolate paced" were
    watched.
    """

    def find(self, method: str, display: str, trouble: str) -> Figures:
        """The figures of one row; `KeyError` where there is none."""
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
    """Watch the ``methods`` on all ``rates`` for ``seconds`` each; see `pick_methods` and
    `pick_displays`.

    Raises `ValueError` or `TypeError` that names a bad argument.
    """
    seconds = number("seconds", seconds, least=LEAST_SECONDS, most=3600)
    number("tick_rate", tick_rate, least=1, most=1000)
    seed = whole("seed", seed, 0)
    displays, picked = pick_displays(rates), pick_methods(methods)
    rows = []
    frames_in_all = sum(math.ceil(seconds * (display.rate or 130)) for display in displays) * len(
        TROUBLES
    )
    with progress_bar(frames_in_all, "frame", progress) as bar:
        for display in displays:
            for trouble in TROUBLES:
                bar.set_description(f"{display.name}, {trouble.name}")
                rows += _rows(display, trouble, picked, seconds, tick_rate, seed)
                bar.update(math.ceil(seconds * (display.rate or 130)))
    order = {method.name: place for place, method in enumerate(picked)}
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
    display: Display,
    trouble: Trouble,
    methods: Sequence[Method],
    seconds: float,
    tick_rate: float,
    seed: int,
) -> list[Row]:
    frames = simulate(display, trouble, seconds, seed)
    due = (int(frames.stamps[-1]) - int(frames.stamps[0])) / NANOSECONDS * tick_rate
    return [
        Row(method.name, display.name, trouble.name, shown.ticks, due, measure(frames, shown))
        for method, shown in watch(methods, display, frames, tick_rate)
    ]


def _pacing(rows: Sequence[Row]) -> list[Pacing]:
    judder = {(row.method, row.display, row.trouble): row.figures.judder for row in rows}
    found = []
    for (method, display, trouble), raw in judder.items():
        ours = judder.get((f"{method} paced", display, trouble))
        if method == "fixed interpolate" and ours is not None:
            found.append(Pacing(display, trouble, raw, ours, ours > 1.05 * raw + 0.005))
    return found
