"""Interpolation: poses between two ticks by lines, Hermite curves or extrapolation, in NumPy.

``interpolate`` draws a point on the straight line from the previous state to the current state. An
interpolated position is up to one tick late, but it is never a prediction that can be wrong.
``hermite`` draws a cubic curve that matches the positions and velocities of both states, for fast
turns and arcs. ``extrapolate`` predicts positions: it moves an object on from its last known
position, with its last known velocity. Use ``extrapolate`` for objects whose positions arrive at
irregular times, for example from a network. ``none`` draws the current state.

The shader ``include/pose2d.glsl`` computes the same poses from the same numbers, in the same order
of operations. A test compares the poses of the shader with those of this module.
"""

from __future__ import annotations

__all__ = ["MOTIONS", "Extrapolation"]

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Floats, Rows
from ..checks import choice, positive_fraction
from ..moved_names import HasMoved, moved, renamed_options
from .columns import Column

MOTIONS = ("interpolate", "hermite", "extrapolate", "none")
"""The names of the motions: how a batch is drawn between two ticks."""

_TAU = np.float32(2 * math.pi)

# Seconds after which the clock of predictions starts again at 0. A float32 has steps of 8 µs there.
_EPOCH = 64.0
_LONG_AGO = np.float32(1e6)


@moved("extrapolation", {"blend_time": "blend_duration"})
@dataclass(frozen=True, init=False)
class Extrapolation(HasMoved):
    """The motion "extrapolate" with your own time limit and blend duration.

        SpriteBatch(…, motion=fw.Extrapolation(limit=0.5))

    A duration that is not a number above 0 raises `ValueError` or `TypeError`.
    """

    limit: float = 0.25
    """The simulated seconds without a new position after which an object stops moving, 0.25 by
    default.
    """
    blend_duration: float = 0.1
    """The simulated seconds in which a wrong prediction blends into the true position, 0.1 by
    default. The time begins when the true position arrives.
    """

    @renamed_options("Extrapolation", blend_time="blend_duration")
    def __init__(self, limit: float = limit, blend_duration: float = blend_duration) -> None:
        positive_fraction("limit", limit)
        positive_fraction("blend_duration", blend_duration)
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "blend_duration", blend_duration)


def check_motion(motion: str | Extrapolation) -> tuple[str, Extrapolation]:
    """Return the name of a motion, and the `Extrapolation` with its limits. Raises `TypeError` or
    `ValueError` if ``motion`` is neither a known name nor an `Extrapolation`.
    """
    if isinstance(motion, Extrapolation):
        return "extrapolate", motion
    return choice("motion", motion, MOTIONS), Extrapolation()


def blend(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Return the linear interpolation from ``previous`` at ``alpha`` 0 to ``current`` at ``alpha``
    1, as float32.
    """
    return previous + (current - previous) * np.float32(alpha)


def blend_angle(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Return interpolated angles in radians. The interpolation goes in the shorter of the two
    directions, at most half a turn.
    """
    return previous + turn(previous, current) * np.float32(alpha)


def turn(previous: Floats, current: Floats) -> Floats:
    """Return the angle of the rotation from ``previous`` to ``current`` in radians, in the shorter
    of the two directions: at most half a turn.
    """
    turned = current - previous
    turned -= _TAU * np.rint(turned / _TAU)
    return turned


def hermite(
    previous: Floats, current: Floats, leaving: Floats, arriving: Floats, alpha: float
) -> Floats:
    """Return points (n, k) at ``alpha`` on the cubic Hermite curves from ``previous`` to
    ``current``, as float32.

    ``leaving`` and ``arriving`` are the velocities at the start and the end of the tick, times the
    length of the tick. If the previous and the current position of a row are equal, the row does
    not move between the two ticks, whatever its velocity is. Examples are rows at rest, teleported
    rows, and rows of a paused scene.
    """
    t = np.float32(alpha)
    moved = current - previous
    curved = previous + t * (
        leaving + t * ((3 * moved - 2 * leaving - arriving) + t * (leaving + arriving - 2 * moved))
    )
    still = (moved == 0).all(axis=1, keepdims=True)
    return np.where(still, current, curved)


def reach_and_fade(age: Floats, limits: Extrapolation) -> tuple[Floats, Floats]:
    """Return the seconds for which each row is extrapolated, and the fraction of its earlier
    prediction error that is still drawn.

    ``age`` (n,) is the time in seconds since the last known state of each row arrived.

    The error fades by a cubic curve, quickly at first, and is 0 at the age ``blend_duration``. If a
    new state arrives in every tick, the remaining error is small.
    """
    remaining = np.maximum(np.float32(1) - age / np.float32(limits.blend_duration), np.float32(0))
    return np.minimum(age, np.float32(limits.limit)), remaining * remaining * remaining


class Predictions:
    """The last known states of extrapolated rows, from which frames predict their positions.

    Each row of ``column`` stores three groups of numbers:

    - the last known state, ``known`` numbers,
    - the difference between the drawn state and the known one at its arrival, ``error`` numbers,
    - the time of the arrival, on the clock of the predictions.

    The column changes only when a new state arrives, so nothing is uploaded in ticks without a new
    state.
    """

    _not_hashed = True

    parts: ClassVar[tuple[tuple[str, int], ...]]
    """The groups of numbers in a row of `column`, for shaders: the name of each group and its count
    of numbers.
    """

    def __init__(self, limits: Extrapolation, known: int, error: int) -> None:
        self.limits = limits
        self.column = Column("state", known + error + 1, 0.0, interpolated=False)
        self.clock = 0.0  # the time that is drawn at alpha 0
        self.tick_time = 0.0  # seconds from there to alpha 1
        self._known = known

    def begin_tick(self, dt: float, n: int) -> None:
        """Begin a tick of ``dt`` seconds. A frame at alpha 0 of this tick shows the same time as a
        frame at alpha 1 of the last tick. Therefore the game time at which rows are drawn never
        jumps, even if ticks differ in length.
        """
        self.clock += self.tick_time
        self.tick_time = dt
        if self.clock > _EPOCH:
            since = self.column.values(n)[:, -1]
            np.maximum(since - np.float32(self.clock), -_LONG_AGO, out=since)
            self.clock = 0.0

    def take(self, observed: Floats) -> None:
        """Store the states ``observed`` (n, known) of rows that changed. The arrival time of these
        states is the current tick.
        """
        state = self.column.current(len(observed))
        rows = np.flatnonzero((observed != state[:, : self._known]).any(axis=1))
        if len(rows):
            error = self.error(self.pose(0.0, state[rows]), observed[rows])
            self._write(rows, observed[rows], np.where(np.isfinite(error), error, 0))

    def snap(self, rows: Rows | slice, observed: Floats) -> None:
        """Draw ``rows`` at the states ``observed`` from the next frame on, without
        interpolation.
        """
        self._write(rows, observed, 0.0)

    def _write(self, rows: Rows | slice, known: Floats, error: Floats | float) -> None:
        state = self.column.data
        state[rows, : self._known] = known
        state[rows, self._known : -1] = error
        state[rows, -1] = self.clock
        self.column.touch()

    def reach_and_fade(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Return the extrapolated seconds and the remaining error fraction of rows (n, …) at
        ``alpha``; see the function `reach_and_fade`.
        """
        now = np.float32(self.clock) + np.float32(alpha) * np.float32(self.tick_time)
        return reach_and_fade(now - state[:, -1], self.limits)

    def pose(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Return position and orientation at ``alpha`` of rows (n, …) of the column."""
        raise NotImplementedError

    def error(self, drawn: tuple[Floats, Floats], known: Floats) -> Floats:
        """Return the difference (n, error) between the pose ``drawn`` and the states ``known`` (n,
        known).
        """
        raise NotImplementedError
