"""The game loops of Subtick and other engines, which `framework lab` compares.

One point moves along a line and another in a circle, both at 600 pixels per second. A method uses
either Subtick's own classes (`timestep`, `Transforms2D`, `RefreshClock`) or the timing rule of
another engine (`other_engines`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles
from ..state.interpolation import MOTIONS
from ..state.transforms2d import Transforms2D
from ..timing.refresh_clock import RefreshClock
from ..timing.timestep import (
    NANOSECONDS,
    FixedTimestep,
    RoundedTimestep,
    SemiFixedTimestep,
    Timestep,
    VariableTimestep,
)
from .displays import UNPACED, Frames, SimulatedDisplay
from .other_engines import OTHER_ENGINES, EngineRule

SPEED = 600.0
"""The speed of the points in pixels per second."""

TURN_RADIUS = 50.0
"""The radius of the circle in pixels."""

TURN = SPEED / TURN_RADIUS
"""The angular velocity of the point that moves in a circle, in radians per second."""

_SPACING = 60.0  # the distance between the points on the line, in pixels

Points = NDArray[np.complex128]


# -- methods ---------------------------------------------------------------------------------------

LOOPS: dict[str, Callable[[float], Timestep]] = {
    "fixed": lambda rate: FixedTimestep(rate, max_ticks=_most_ticks(rate)),
    "carry": lambda rate: FixedTimestep(rate, max_ticks=_most_ticks(rate), overflow="carry"),
    "semi-fixed": lambda rate: SemiFixedTimestep(rate, max_ticks=_most_ticks(rate)),
    "variable": lambda rate: VariableTimestep(),
    "rounded": lambda rate: RoundedTimestep(rate),
}
"""Subtick's game loops by name. Each value is a function that takes the tick rate and returns a
timestep.
"""


def _most_ticks(rate: float) -> int:
    return max(8, math.ceil(rate / 15))  # full speed down to 15 frames per second, as in a game


@dataclass(frozen=True)
class Ours:
    """A method of the lab that uses Subtick's classes. `loop` and `motion` are the names of the
    game loop and of the drawing method. `paced` is True if a `RefreshClock` corrects the clock
    readings.
    """

    loop: str
    motion: str
    paced: bool

    @property
    def name(self) -> str:
        return f"{self.loop} {self.motion}{' paced' if self.paced else ''}"


Method = Ours | EngineRule

METHODS: dict[str, Method] = {
    **{rival.name: rival for rival in OTHER_ENGINES},
    **{
        ours.name: ours
        for ours in (
            Ours(loop, motion, paced)
            for loop in LOOPS
            for motion in MOTIONS
            for paced in (False, True)
        )
    },
}
"""All methods by name, in the order in which the result tables list them."""

USUAL = (
    *(rival.name for rival in OTHER_ENGINES),
    "variable none",
    "variable none paced",
    "semi-fixed none",
    "semi-fixed none paced",
    "rounded none",
    "rounded interpolate",
    "rounded interpolate paced",
    "fixed none",
    "fixed extrapolate paced",
    "fixed hermite paced",
    "carry interpolate paced",
    "fixed interpolate",
    "fixed interpolate paced",
)
"""The methods that run by default. The method "rounded none" works like the Python package
fixed-framerate-loop.
"""


def pick_methods(words: Sequence[str] | None) -> list[Method]:
    """Return the methods of the lab that match ``words``. Each word is the name of a method, a part
    of the name, or ``all``. If ``words`` is None, return the methods in `USUAL`.

    Raises `ValueError` for a word that does not match any name.
    """
    if words is None:
        return [METHODS[name] for name in USUAL]
    picked: set[str] = set()
    for word in words:
        parts = word.lower().split()
        names = {name for name in METHODS if word.lower() == name.lower()} or {
            name
            for name in METHODS
            if parts == ["all"] or all(part in name.lower() for part in parts)
        }
        if not names:
            raise ValueError(
                f"methods: {word!r} matches no name; there are "
                f"{', '.join(each.name for each in OTHER_ENGINES)}, and any of "
                f"{', '.join(LOOPS)} with any of {', '.join(MOTIONS)}, paced or not: "
                "'fixed interpolate paced'"
            )
        picked |= names
    return [method for name, method in METHODS.items() if name in picked]


# -- frames ------------------------------------------------------------------------------------


class DrawnPositions(NamedTuple):
    """The drawn positions of the two points in each frame, in pixels."""

    line: Doubles
    """The x coordinate of the point on the line: a float64 array with one element per frame."""
    turn: Points
    """The position of the point that moves in a circle, relative to the center of the circle: an
    array of complex numbers x + iy with one element per frame.
    """
    ticks: int
    """The number of ticks that the loop has run."""


class _MovingPoints:
    """The moving points of the lab, stored in a `Transforms2D`. The points move once per tick, as
    in a game.

    Many points move along the same line, but the lab measures only the point that is nearest to the
    center of the screen. Far from the center, float32 positions would not be precise enough. One
    more point moves in a circle.
    """

    def __init__(self, motion: str, seconds: float) -> None:
        self.transforms = Transforms2D(motion=motion)
        self._offsets = _SPACING * np.arange(math.ceil(SPEED * seconds / _SPACING) + 2)
        self.transforms.extend(len(self._offsets) + 1)
        self._knows_speed = motion in ("hermite", "extrapolate")
        self._write(0.0)
        self.transforms.end_tick()

    def tick(self, time: float, dt: float) -> None:
        """Run a tick of ``dt`` seconds that ends at the game time ``time``."""
        self.transforms.begin_tick(dt)
        self._write(time)
        self.transforms.end_tick()

    def _write(self, time: float) -> None:
        turned = TURN * time
        cos = math.cos(turned)
        sin = math.sin(turned)
        position = self.transforms.position
        position[:-1, 0] = SPEED * time - self._offsets
        position[-1] = TURN_RADIUS * cos, TURN_RADIUS * sin
        if self._knows_speed:
            velocity = self.transforms.velocity
            velocity[:-1, 0] = SPEED
            velocity[-1] = -SPEED * sin, SPEED * cos

    def drawn(self, alpha: float) -> tuple[float, complex]:
        """Return the positions at which the two measured points are drawn. ``alpha`` is the time
        since the last tick, in ticks.
        """
        position = self.transforms.pose(alpha)[0]
        nearest = int(np.abs(position[:-1, 0]).argmin())
        x, y = position[-1].tolist()
        return float(position[nearest, 0]) + float(self._offsets[nearest]), complex(x, y)


def play(
    loop: Timestep, motions: Sequence[str], moments: NDArray[np.int64]
) -> dict[str, DrawnPositions]:
    """Run a game loop once with simulated times, and return the drawn positions for each drawing
    method in ``motions``. ``moments`` contains the times of the frames in nanoseconds.
    """
    seconds = (int(moments[-1]) - int(moments[0])) / NANOSECONDS
    trains = {motion: _MovingPoints(motion, seconds) for motion in motions}
    drawn: dict[str, list[tuple[float, complex]]] = {motion: [] for motion in motions}
    for moment in moments.tolist():
        for tick in loop.advance(moment):
            for train in trains.values():
                train.tick(tick.time, tick.dt)
        for motion, train in trains.items():
            drawn[motion].append(train.drawn(loop.alpha))
    return {
        motion: DrawnPositions(
            np.array([x for x, _ in positions]), np.array([z for _, z in positions]), loop.tick
        )
        for motion, positions in drawn.items()
    }


def paced(frames: Frames, reported: float) -> NDArray[np.int64]:
    """Return the time that a `RefreshClock` computes for each frame, in nanoseconds."""
    clock = RefreshClock(reported)
    return np.array([clock.shown(stamp) for stamp in frames.stamps.tolist()], np.int64)


def watch(
    methods: Sequence[Method], display: SimulatedDisplay, frames: Frames, tick_rate: float
) -> Iterator[tuple[Method, DrawnPositions]]:
    """Yield the drawn positions for each method in the lab. If several methods use the same game
    loop, the loop runs only once.
    """
    # Other engines know whether vsync is on: the refresh rate is passed to them. A refresh clock
    # must detect vsync from the clock readings.
    vsync_rate = None if display.name == UNPACED else display.reported
    for method in methods:
        if isinstance(method, EngineRule):
            yield method, _play_rule(method, frames, tick_rate, vsync_rate)
    ours = [method for method in methods if isinstance(method, Ours)]
    moments = {False: frames.stamps}
    if any(method.paced for method in ours):
        moments[True] = paced(frames, display.reported)
    for loop, is_paced in dict.fromkeys((method.loop, method.paced) for method in ours):
        group = {
            method.motion: method
            for method in ours
            if (method.loop, method.paced) == (loop, is_paced)
        }
        for motion, shown in play(LOOPS[loop](tick_rate), tuple(group), moments[is_paced]).items():
            yield group[motion], shown


def _play_rule(
    method: EngineRule, frames: Frames, tick_rate: float, vsync_rate: float | None
) -> DrawnPositions:
    """Return the positions that the rule of another engine draws: blends of the positions at two
    game times.
    """
    drawn = method.rule(frames.stamps, tick_rate, vsync_rate)
    weights = 1 - drawn.share, drawn.share
    line = weights[0] * (SPEED * drawn.first) + weights[1] * (SPEED * drawn.second)
    turn = weights[0] * _circle(drawn.first) + weights[1] * _circle(drawn.second)
    return DrawnPositions(line, turn, drawn.ticks)


def _circle(time: Doubles) -> Points:
    angle = TURN * time
    return TURN_RADIUS * (np.cos(angle) + 1j * np.sin(angle))
