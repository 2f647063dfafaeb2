"""How a thing is drawn between two ticks: the formulas, in NumPy.

``interpolate``: the straight line from the previous state to the current one, which is shown a tick
late and is never wrong. ``hermite``: the cubic that also has both states' velocities, for fast
turns and arcs. ``extrapolate``: ahead of the last known state by its velocity, for things that are
observed now and then, over a network say. ``none``: the current state, as it is.

The shader ``include/pose2d.glsl`` computes the same from the same numbers, in the same order of
operations; a test holds the two equal.
"""

from __future__ import annotations

__all__ = ["MOTIONS", "Extrapolation"]

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Floats, Rows
from ..checks import choice, positive_fraction
from .columns import Column

MOTIONS = ("interpolate", "hermite", "extrapolate", "none")
"""The formulas by which a batch is drawn between two ticks."""

_TAU = np.float32(2 * math.pi)

# Its clock starts anew after so many seconds: float32 has 8 µs there.
_EPOCH = 64.0
_LONG_AGO = np.float32(1e6)


@dataclass(frozen=True)
class Extrapolation:
    """``motion="extrapolate"`` with limits of your own: ``SpriteBatch(…,
    motion=fw.Extrapolation(limit=0.5))``.

    Raises `ValueError` or `TypeError` for a number of seconds that is not above 0.
    """

    limit: float = 0.25
    """Simulated seconds after which a thing that nothing is heard of stands still."""
    blend_time: float = 0.1
    """Simulated seconds in which the error of a prediction fades away once the true state has
    arrived.
    """

    def __post_init__(self) -> None:
        positive_fraction("limit", self.limit)
        positive_fraction("blend_time", self.blend_time)


def check_motion(motion: str | Extrapolation) -> tuple[str, Extrapolation]:
    """The mode's name, and the limits of an extrapolation. Raises `TypeError` or `ValueError` for
    anything else.
    """
    if isinstance(motion, Extrapolation):
        return "extrapolate", motion
    return choice("motion", motion, MOTIONS), Extrapolation()


def blend(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Linear blend, float32."""
    return previous + (current - previous) * np.float32(alpha)


def blend_angle(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Blend of angles (radians) along the shorter arc: at most half a turn."""
    return previous + turn(previous, current) * np.float32(alpha)


def turn(previous: Floats, current: Floats) -> Floats:
    """From one angle to another along the shorter arc: radians, at most half a turn."""
    turned = current - previous
    turned -= _TAU * np.rint(turned / _TAU)
    return turned


def hermite(
    previous: Floats, current: Floats, leaving: Floats, arriving: Floats, alpha: float
) -> Floats:
    """The cubic from ``previous`` to ``current``, all (n, k) float32, with given tangents at both.

    ``leaving`` and ``arriving`` are the velocities times the tick's length. Rows that did not move
    (that rest, that were teleported, whose scene is paused) stay where they are, whatever their
    velocity says.
    """
    t = np.float32(alpha)
    moved = current - previous
    curved = previous + t * (
        leaving + t * ((3 * moved - 2 * leaving - arriving) + t * (leaving + arriving - 2 * moved))
    )
    still = (moved == 0).all(axis=1, keepdims=True)
    return np.where(still, current, curved)


def reach_and_fade(age: Floats, limits: Extrapolation) -> tuple[Floats, Floats]:
    """For states of ``age`` (n,) seconds: how long they move on for, and the share of the old error
    still shown.

    The error fades as a cubic, which is quick at first (states that come at every tick leave little
    of it) and ends at ``blend_time``.
    """
    rest = np.maximum(np.float32(1) - age / np.float32(limits.blend_time), np.float32(0))
    return np.minimum(age, np.float32(limits.limit)), rest * rest * rest


class Predictions:
    """What extrapolated rows are drawn from: the last state that arrived, when it did, and what was
    drawn then.

    ``column`` holds, for each row, ``known`` numbers of the state, ``error`` numbers by which what
    was drawn differed from it when it arrived, and the moment of its arrival on a clock of its own.
    Nothing of it changes until the next state arrives, so that nothing is uploaded either.
    """

    _not_hashed = True

    parts: ClassVar[tuple[tuple[str, int], ...]]
    """What the numbers of a row are, for shaders: names and widths, in order."""

    def __init__(self, limits: Extrapolation, known: int, error: int) -> None:
        self.limits = limits
        self.column = Column("state", known + error + 1, 0.0, interpolated=False)
        self.clock = 0.0  # where what is drawn at alpha 0 stands
        self.tick_time = 0.0  # how far it gets until alpha 1
        self._known = known

    def begin_tick(self, dt: float, n: int) -> None:
        """Alpha 0 is now what alpha 1 was: time as it is drawn never jumps, also where ticks differ
        in length.
        """
        self.clock += self.tick_time
        self.tick_time = dt
        if self.clock > _EPOCH:
            since = self.column.values(n)[:, -1]
            np.maximum(since - np.float32(self.clock), -_LONG_AGO, out=since)
            self.clock = 0.0

    def take(self, observed: Floats) -> None:
        """The states (n, known) that rows have now: those that are new have arrived in this
        tick.
        """
        state = self.column.current(len(observed))
        rows = np.flatnonzero((observed != state[:, : self._known]).any(axis=1))
        if len(rows):
            error = self.error(self.pose(0.0, state[rows]), observed[rows])
            self._write(rows, observed[rows], np.where(np.isfinite(error), error, 0))

    def snap(self, rows: Rows | slice, observed: Floats) -> None:
        """Rows with the states ``observed`` are drawn where they are, whatever was drawn before."""
        self._write(rows, observed, 0.0)

    def _write(self, rows: Rows | slice, known: Floats, error: Floats | float) -> None:
        state = self.column.data
        state[rows, : self._known] = known
        state[rows, self._known : -1] = error
        state[rows, -1] = self.clock
        self.column.touch()

    def reach_and_fade(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Of rows (n, …) of the column at ``alpha``; see `motion.reach_and_fade`."""
        now = np.float32(self.clock) + np.float32(alpha) * np.float32(self.tick_time)
        return reach_and_fade(now - state[:, -1], self.limits)

    def pose(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Position and orientation at ``alpha`` of rows (n, …) of the column."""
        raise NotImplementedError

    def error(self, drawn: tuple[Floats, Floats], known: Floats) -> Floats:
        """By how much a drawn pose differs from known states (n, known): (n, error)."""
        raise NotImplementedError
