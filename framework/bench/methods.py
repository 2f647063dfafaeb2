"""What the lab watches: a loop and a way of drawing, ours and others', and what each of them shows
in every frame.

A thing moves along a line and another runs in a circle, both at 600 pixels a second, through the
product's own classes (`timestep`, `Transforms2D`, `RefreshClock`) and under the rules of others
(`rivals`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles
from ..state.motion import MOTIONS
from ..state.transforms2d import Transforms2D
from ..timing.refresh import RefreshClock
from ..timing.timestep import (
    NANOSECONDS,
    FixedTimestep,
    RoundedTimestep,
    SemiFixedTimestep,
    Timestep,
    VariableTimestep,
)
from .displays import UNPACED, Display, Frames
from .rivals import RIVALS, Rival

SPEED = 600.0
"""Pixels a second, of the things that are watched."""

TURN_RADIUS = 50.0
"""Pixels, of the circle."""

TURN = SPEED / TURN_RADIUS
"""Radians a second, in the circle."""

_SPACING = 60.0  # pixels between the things of the train

Points = NDArray[np.complex128]


# -- methods ---------------------------------------------------------------------------------------

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
    """One of the product's loops, a way of drawing, and whether it is paced to the display's
    refreshes.
    """

    loop: str
    motion: str
    paced: bool

    @property
    def name(self) -> str:
        return f"{self.loop} {self.motion}{' paced' if self.paced else ''}"


Method = Ours | Rival

METHODS: dict[str, Method] = {
    **{rival.name: rival for rival in RIVALS},
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
"""Everything that can be watched, by name."""

USUAL = (
    *(rival.name for rival in RIVALS),
    *("variable none", "variable none paced", "semi-fixed none", "semi-fixed none paced"),
    *("rounded none", "rounded interpolate", "rounded interpolate paced"),
    *("fixed none", "fixed extrapolate paced", "fixed hermite paced", "carry interpolate paced"),
    *("fixed interpolate", "fixed interpolate paced"),
)
"""What is watched when nothing else is asked for; "rounded none" is the rule of
fixed-framerate-loop.
"""


def pick_methods(words: Sequence[str] | None) -> list[Method]:
    """The methods that ``words`` mean: each a name, a part of one, or ``all``. None means the usual
    ones.

    Raises `ValueError` for a word that is in no name.
    """
    if words is None:
        return [METHODS[name] for name in USUAL]
    picked: set[str] = set()
    for word in words:
        asked = word.lower().split()
        names = {name for name in METHODS if word.lower() == name.lower()} or {
            name
            for name in METHODS
            if asked == ["all"] or all(part in name.lower() for part in asked)
        }
        if not names:
            raise ValueError(
                f"methods: {word!r} is in no name; there are "
                f"{', '.join(each.name for each in RIVALS)}, and any of "
                f"{', '.join(LOOPS)} with any of {', '.join(MOTIONS)}, paced or not: "
                "'fixed interpolate paced'"
            )
        picked |= names
    return [method for name, method in METHODS.items() if name in picked]


# -- what the frames show --------------------------------------------------------------------------


class Shown(NamedTuple):
    """Where the two things are drawn in each frame, pixels."""

    line: Doubles
    """The one that moves along a line, (n,)."""
    turn: Points
    """The one that runs in a circle, (n,), from its middle, as complex numbers."""
    ticks: int
    """Made in all; for loops without a fixed tick the number of updates."""


class _Train:
    """Things in a `Transforms2D`, moved by ticks as a game would move them.

    Those on the line are many, one behind the other, and the one that is nearest to the middle of
    the picture is measured: float32 is fine there, and far from the middle it would add rounding of
    its own. One runs in a circle.
    """

    def __init__(self, motion: str, seconds: float) -> None:
        self.transforms = Transforms2D(motion=motion)
        self._offsets = _SPACING * np.arange(math.ceil(SPEED * seconds / _SPACING) + 2)
        self.transforms.extend(len(self._offsets) + 1)
        self._knows_speed = motion in ("hermite", "extrapolate")
        self._write(0.0)
        self.transforms.end_tick()

    def tick(self, time: float, dt: float) -> None:
        """A tick of ``dt`` seconds that ends at ``time``."""
        self.transforms.begin_tick(dt)
        self._write(time)
        self.transforms.end_tick()

    def _write(self, time: float) -> None:
        turned = TURN * time
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
    """What a loop shows in each way of drawing whose frames are at ``moments`` (n,),
    nanoseconds.
    """
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
    waits = (
        display.name != UNPACED
    )  # others know whether vsync is on; the refresh clock has to find that out
    for method in methods:
        if isinstance(method, Rival):
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
        group = {
            method.motion: method
            for method in ours
            if (method.loop, method.paced) == (loop, is_paced)
        }
        for motion, shown in play(LOOPS[loop](tick_rate), tuple(group), moments[is_paced]).items():
            yield group[motion], shown


def _circle(time: Doubles) -> Points:
    angle = TURN * time
    return TURN_RADIUS * (np.cos(angle) + 1j * np.sin(angle))
