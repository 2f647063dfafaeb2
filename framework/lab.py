"""The lab: how even motion looks, on displays that are invented, under every loop and way of drawing.

    framework lab

A thing moves at 600 pixels a second through the product's own classes (`timestep`, `Transforms2D`, `RefreshClock`),
and under the rules of others (`neighbours`). What each frame shows is compared with where the thing truly is when the
frame begins. A constant lag is not seen, and is taken out by least squares; what is left is judder.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from . import __version__
from .displays import RATES, TROUBLES, UNPACED, VARIABLE, Display, Frames, Trouble, simulate
from .errors import FrameworkError
from .motion import MOTIONS
from .neighbours import NEIGHBOURS, Neighbour
from .refresh import RefreshClock
from .timestep import (
    NANOSECONDS,
    FixedTimestep,
    RoundedTimestep,
    SemiFixedTimestep,
    Timestep,
    VariableTimestep,
    finite_number,
    positive_fraction,
)
from .transforms import Transforms2D

SPEED = 600.0
"""Pixels a second, of the thing that is watched."""

TURN_RADIUS = 50.0
"""Pixels, of the circle that another thing runs in, as fast."""

WARM_UP = 1.0
"""Seconds at the beginning that are not judged: so long pacing may take to find the display."""

_TURN = SPEED / TURN_RADIUS  # radians a second
_SPACING = 60.0  # pixels between the things of the train

LEAST_SECONDS = 4.0
"""Of a simulated display, for frames to judge before the first hitch."""

STEADY = 1.0
"""Per cent: motion whose speed is further off is wrong, however even it is. It has no lag: it falls behind for ever."""

Floats = NDArray[np.float64]
Points = NDArray[np.complex128]


# -- methods -----------------------------------------------------------------------------------------------------------

LOOPS: dict[str, Callable[[float], Timestep]] = {
    "fixed": lambda rate: FixedTimestep(rate, max_ticks=_most_ticks(rate)),
    "carry": lambda rate: FixedTimestep(rate, max_ticks=_most_ticks(rate), overflow="carry"),
    "semi-fixed": lambda rate: SemiFixedTimestep(rate, max_ticks=_most_ticks(rate)),
    "variable": lambda rate: VariableTimestep(),
    "rounded": lambda rate: RoundedTimestep(rate),
}
"""The product's loops by name, each made for a tick rate."""


def _most_ticks(rate: float) -> int:
    return max(8, math.ceil(rate / 15))  # as a game's: full speed down to 15 frames a second


@dataclass(frozen=True)
class Ours:
    """One of the product's loops, a way of drawing, and whether it is paced to the display's refreshes."""

    loop: str
    motion: str
    paced: bool

    @property
    def name(self) -> str:
        return f"{self.loop} {self.motion}{' paced' if self.paced else ''}"


Method = Ours | Neighbour

METHODS: dict[str, Method] = {
    **{neighbour.name: neighbour for neighbour in NEIGHBOURS},
    **{
        ours.name: ours
        for ours in (Ours(loop, motion, paced) for loop in LOOPS for motion in MOTIONS for paced in (False, True))
    },
}
"""Everything that can be watched, by name."""

USUAL = (
    *(neighbour.name for neighbour in NEIGHBOURS),
    *("variable none", "variable none paced", "semi-fixed none", "semi-fixed none paced"),
    *("rounded none", "rounded interpolate", "rounded interpolate paced"),
    *("fixed none", "fixed extrapolate paced", "fixed hermite paced", "carry interpolate paced"),
    *("fixed interpolate", "fixed interpolate paced"),
)
"""What is watched when nothing else is asked for; "rounded none" is the rule of fixed-framerate-loop."""


def pick_methods(words: Sequence[str] | None) -> list[Method]:
    """The methods that ``words`` mean: each a name, a part of one, or ``all``. None means the usual ones.

    Raises `ValueError` for a word that is in no name.
    """
    if words is None:
        return [METHODS[name] for name in USUAL]
    picked: set[str] = set()
    for word in words:
        asked = word.lower().split()
        names = {name for name in METHODS if word.lower() == name.lower()} or {
            name for name in METHODS if asked == ["all"] or all(part in name.lower() for part in asked)
        }
        if not names:
            raise ValueError(
                f"methods: {word!r} is in no name; there are {', '.join(each.name for each in NEIGHBOURS)}, and any of "
                f"{', '.join(LOOPS)} with any of {', '.join(MOTIONS)}, paced or not: 'fixed interpolate paced'"
            )
        picked |= names
    return [method for name, method in METHODS.items() if name in picked]


def pick_displays(words: Sequence[str | float] | None) -> list[Display]:
    """The displays that ``words`` mean: refreshes a second, ``vrr`` or ``off``. None means all of the lab's.

    Raises `ValueError` for anything else.
    """
    displays = []
    for word in (*RATES, VARIABLE, UNPACED) if words is None else words:
        if word in (VARIABLE, UNPACED):
            displays.append(Display(str(word)))
            continue
        try:
            rate = float(word)
        except ValueError:
            rate = math.nan
        if not 10 <= rate <= 1000:
            raise ValueError(f"rates: expected 10 to 1000 Hz, {VARIABLE!r} or {UNPACED!r}, got {word!r}")
        displays.append(Display(f"{rate:g}", rate))
    return list(dict.fromkeys(displays))


# -- what the frames show ----------------------------------------------------------------------------------------------


class Shown(NamedTuple):
    """Where the two things are drawn in each frame, pixels."""

    line: Floats
    """The one that moves along a line, (n,)."""
    turn: Points
    """The one that runs in a circle, (n,), from its middle, as complex numbers."""
    ticks: int
    """Made in all; for loops without a fixed tick the number of updates."""


class _Train:
    """Things in a `Transforms2D`, moved by ticks as a game would move them.

    Those on the line are many, one behind the other, and the one that is nearest to the middle of the picture is
    measured: float32 is fine there, and far from the middle it would add rounding of its own. One runs in a circle.
    """

    def __init__(self, motion: str, seconds: float) -> None:
        self.transforms = Transforms2D(motion=motion)
        self._offsets = _SPACING * np.arange(math.ceil(SPEED * seconds / _SPACING) + 2)
        self.transforms.spawn(len(self._offsets) + 1)
        self._knows_speed = motion in ("hermite", "extrapolate")
        self._write(0.0)
        self.transforms.end_tick()

    def tick(self, time: float, dt: float) -> None:
        """A tick of ``dt`` seconds that ends at ``time``."""
        self.transforms.begin_tick(dt)
        self._write(time)
        self.transforms.end_tick()

    def _write(self, time: float) -> None:
        turned = _TURN * time
        cos, sin = math.cos(turned), math.sin(turned)
        position = self.transforms.position
        position[:-1, 0] = SPEED * time - self._offsets
        position[-1] = TURN_RADIUS * cos, TURN_RADIUS * sin
        if self._knows_speed:
            velocity = self.transforms.velocity
            velocity[:-1, 0] = SPEED
            velocity[-1] = -SPEED * sin, SPEED * cos

    def drawn(self, alpha: float) -> tuple[float, complex]:
        """Where the thing on the line and the one in the circle are drawn."""
        position = self.transforms.pose(alpha)[0]
        nearest = int(np.abs(position[:-1, 0]).argmin())
        x, y = position[-1].tolist()
        return float(position[nearest, 0]) + float(self._offsets[nearest]), complex(x, y)


def play(loop: Timestep, motions: Sequence[str], moments: NDArray[np.int64]) -> dict[str, Shown]:
    """What a loop that is told the ``moments`` (n,) of its frames, nanoseconds, shows in each way of drawing."""
    seconds = (int(moments[-1]) - int(moments[0])) / NANOSECONDS
    trains = {motion: _Train(motion, seconds) for motion in motions}
    drawn: dict[str, list[tuple[float, complex]]] = {motion: [] for motion in motions}
    for moment in moments.tolist():
        for tick in loop.advance(moment):
            for train in trains.values():
                train.tick(tick.time, tick.dt)
        for motion, train in trains.items():
            drawn[motion].append(train.drawn(loop.alpha))
    return {
        motion: Shown(np.array([x for x, _ in places]), np.array([z for _, z in places]), loop.tick)
        for motion, places in drawn.items()
    }


def paced(frames: Frames, reported: float) -> NDArray[np.int64]:
    """The moments that a `RefreshClock` has the frames drawn for."""
    clock = RefreshClock(reported)
    return np.array([clock.shown(stamp) for stamp in frames.stamps.tolist()], np.int64)


def watch(
    methods: Sequence[Method], display: Display, frames: Frames, tick_rate: float
) -> Iterator[tuple[Method, Shown]]:
    """What each of the methods shows. Ways of drawing that share a loop share its run, too."""
    waits = display.name != UNPACED  # others know whether vsync is on; the refresh clock has to find that out
    for method in methods:
        if isinstance(method, Neighbour):
            drawn = method.rule(frames.stamps, tick_rate, display.reported if waits else None)
            mix = 1 - drawn.share, drawn.share
            line = mix[0] * (SPEED * drawn.first) + mix[1] * (SPEED * drawn.second)
            turn = mix[0] * _circle(drawn.first) + mix[1] * _circle(drawn.second)
            yield method, Shown(line, turn, drawn.ticks)
    ours = [method for method in methods if isinstance(method, Ours)]
    moments = {False: frames.stamps}
    if any(method.paced for method in ours):
        moments[True] = paced(frames, display.reported)
    for loop, is_paced in dict.fromkeys((method.loop, method.paced) for method in ours):
        group = {method.motion: method for method in ours if (method.loop, method.paced) == (loop, is_paced)}
        for motion, shown in play(LOOPS[loop](tick_rate), tuple(group), moments[is_paced]).items():
            yield group[motion], shown


def _circle(time: Floats) -> Points:
    angle = _TURN * time
    return TURN_RADIUS * (np.cos(angle) + 1j * np.sin(angle))


# -- figures -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """How far what is shown is from the truth."""

    judder: float
    """RMS in pixels off a line of even motion, of its own speed and lag; the lag is a new one after each hitch."""
    error: float
    """RMS in pixels off the true motion; only one constant lag for the whole time is taken out."""
    worst_step: float
    """Pixels: the most that the way from one frame to the next is off the true one. The step over a hitch is left
    out."""
    speed_error: float
    """Per cent that the motion is too fast (below 0: too slow). Time that is given up in a hitch does not count."""
    lag: float
    """Milliseconds that the picture is behind the truth on average, up to the first hitch. The display's own delay
    comes on top; it is the same for all."""
    turn_judder: float
    """RMS in pixels off a circle that is run through evenly, as `judder`, for the thing that runs in one."""


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


def _without_lags(time: Floats, ahead: Floats, stretch: NDArray[np.intp]) -> tuple[Floats, float]:
    """What is left of ``ahead`` when a lag for each stretch and a slope for all is taken out; and that slope."""
    time, ahead = time.copy(), ahead.copy()
    for number in np.unique(stretch):
        rows = stretch == number
        time[rows] -= time[rows].mean()
        ahead[rows] -= ahead[rows].mean()
    slope = float(time @ ahead / (time @ time))
    return ahead - slope * time, slope


def _turn_judder(time: Floats, place: Points, stretch: NDArray[np.intp], slope: float) -> float:
    off = np.empty(len(time))
    for number in np.unique(stretch):
        rows = stretch == number
        even = np.exp(1j * _TURN * (1 + slope) * time[rows])
        lag = np.angle((place[rows] * even.conj()).sum())  # of all lags the one with the least squares
        off[rows] = np.abs(place[rows] - TURN_RADIUS * even * np.exp(1j * lag))
    return _rms(off)


def _rms(values: Floats) -> float:
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
    """Of each display, where both "fixed interpolate" and "fixed interpolate paced" were watched."""

    def find(self, method: str, display: str, trouble: str) -> Figures:
        """The figures of one row; `KeyError` where there is none."""
        for row in self.rows:
            if (row.method, row.display, row.trouble) == (method, display, trouble):
                return row.figures
        raise KeyError((method, display, trouble))

    def cell(self, method: str, display: str, trouble: str) -> str:
        """Judder in pixels; where the speed is wrong, by how much: "-38 %"."""
        figures = self.find(method, display, trouble)
        if abs(figures.speed_error) > STEADY:
            return f"{figures.speed_error:+.0f} %"
        return pixels(figures.judder)


def run(
    *,
    seconds: float = 5.0,
    rates: Sequence[str | float] | None = None,
    methods: Sequence[str] | None = None,
    tick_rate: float = 60,
    seed: int = 0,
    progress: bool = False,
) -> Report:
    """Watch the ``methods`` on all ``rates`` for ``seconds`` each; see `pick_methods` and `pick_displays`.

    Raises `ValueError` or `TypeError` that names a bad argument.
    """
    if not LEAST_SECONDS <= finite_number("seconds", seconds) <= 3600:
        raise ValueError(f"seconds: expected {LEAST_SECONDS:g} to 3600, got {seconds!r}")
    if not 1 <= positive_fraction("tick_rate", tick_rate) <= 1000:
        raise ValueError(f"tick_rate: expected 1 to 1000 ticks a second, got {tick_rate!r}")
    if seed < 0:
        raise ValueError(f"seed: expected a whole number of at least 0, got {seed!r}")
    displays, picked = pick_displays(rates), pick_methods(methods)
    rows = []
    frames_in_all = sum(math.ceil(seconds * (display.rate or 130)) for display in displays) * len(TROUBLES)
    # None shows the bar on a terminal only.
    with tqdm(total=frames_in_all, unit="frame", file=sys.stderr, disable=False if progress else None) as bar:
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
    display: Display, trouble: Trouble, methods: Sequence[Method], seconds: float, tick_rate: float, seed: int
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


def to_json(report: Report) -> str:
    """All figures, for other programs."""
    return json.dumps(dataclasses.asdict(report), indent=2)


# -- tables ------------------------------------------------------------------------------------------------------------


def table(report: Report, full: bool = False) -> str:
    """The report as text to be read on a terminal; ``full`` has a line for each method on each display."""
    text = [
        f"Simulated: {SPEED:g} px/s at {report.tick_rate:g} ticks a second, "
        f"{report.seconds:g} s on each display; seed {report.seed}.",
        "Judder: RMS in pixels of what frames show, off even motion. Below 0.1 it is hardly seen, above 1 plainly.",
        "A percentage: motion of the wrong speed, by so much, as ticks get lost.",
    ]
    for trouble, words in report.troubles.items():
        text += ["", f"Judder in px, {words}", *_judder_table(report, trouble)]
    text += ["", "Over all displays and troubles; lag: the mean, and at 60 Hz", *_summary_table(report)]
    if full:
        text += ["", "Everything", *_full_table(report)]
    return "\n".join([*text, "", *_pacing_words(report)])


def _judder_table(report: Report, trouble: str) -> list[str]:
    units = ["" if display in (VARIABLE, UNPACED) else "Hz" for display in report.displays]
    lines = [("", *report.displays), ("", *units)]
    for method in report.methods:
        lines.append((method, *(report.cell(method, display, trouble) for display in report.displays)))
    return aligned(lines)


def _summary_table(report: Report) -> list[str]:
    lines = [("", "median judder", "worst judder", "worst step", "speed error", "lag", "at 60 Hz", "judder in turns")]
    lines.append(("", "px", "px", "px", "%", "ms", "ms", "px"))
    for method in report.methods:
        rows = [row for row in report.rows if row.method == method]
        figures = [row.figures for row in rows]
        at_60 = [row.figures for row in rows if (row.display, row.trouble) == ("60", "exact")]
        judders = [each.judder for each in figures]
        lines.append(
            (
                method,
                pixels(float(np.median(judders))),
                pixels(max(judders)),
                pixels(max(each.worst_step for each in figures)),
                f"{max((each.speed_error for each in figures), key=abs):+.1f}",
                _mean_lag(figures),
                _mean_lag(at_60),
                pixels(float(np.median([each.turn_judder for each in figures]))),
            )
        )
    return aligned(lines)


def _mean_lag(figures: Sequence[Figures]) -> str:
    if any(abs(each.speed_error) > STEADY for each in figures):
        return "grows"
    return f"{np.mean([each.lag for each in figures]):.1f}" if figures else ""


def _full_table(report: Report) -> list[str]:
    heading = ("", "display", "trouble", "judder", "error", "worst step", "speed", "lag", "in turns", "ticks", "due")
    lines: list[tuple[str, ...]] = [heading, ("", "", "", "px", "px", "px", "%", "ms", "px", "", "")]
    for row in report.rows:
        found = row.figures
        lengths = (pixels(length) for length in (found.judder, found.error, found.worst_step))
        last = pixels(found.turn_judder), f"{row.ticks:,}", f"{row.ticks_due:,.0f}"
        middle = f"{found.speed_error:+.2f}", f"{found.lag:.2f}"
        lines.append((row.method, row.display, row.trouble, *lengths, *middle, *last))
    return aligned(lines)


def _pacing_words(report: Report) -> list[str]:
    if not report.pacing:
        return []
    worse = [each for each in report.pacing if each.worse]
    gains = [each.raw / each.paced for each in report.pacing if each.trouble != "exact" and each.paced > 0]
    said = [f"Pacing: on {len(report.pacing)} displays and troubles, judder by raw stamps is {np.median(gains):.1f} "
            f"times that of paced ones (median where stamps are late)."]  # fmt: skip
    if worse:
        names = ", ".join(f"{each.display} {each.trouble} ({each.raw:.3f} to {each.paced:.3f} px)" for each in worse)
        return [*said, f"It is worse than raw stamps by more than 5 % on {len(worse)}: {names}."]
    return [*said, "It is nowhere worse than raw stamps by more than 5 %."]


def pixels(value: float) -> str:
    """A length as the tables show it."""
    return f"{value:.3f}" if value < 0.0995 else f"{value:.2f}" if value < 9.995 else f"{value:.0f}"


def aligned(lines: Sequence[tuple[str, ...]]) -> list[str]:
    """Columns under each other: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = []
    for first, *rest in lines:
        cells = [f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True)]
        text.append("  ".join([f"{first:<{widths[0]}}", *cells]).rstrip())
    return text


def check_plotting() -> None:
    """Raises `FrameworkError` with the command that gets matplotlib where it is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise FrameworkError("--plot needs matplotlib: python -m pip install 'subtick[plot]'")
