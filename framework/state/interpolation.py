"""Interpolation: poses between two ticks by lines, Hermite curves or extrapolation, in NumPy.

``interpolate`` draws the straight line from the previous state to the current one. The drawn
position is up to a tick late, and never wrong. ``hermite`` draws the cubic that also has both
states' velocities, for fast turns and arcs. ``extrapolate`` draws ahead of the last known position
by the last known velocity. Use it for objects whose positions arrive now and then, for example from
a network. ``none`` draws the current state.

The shader ``include/pose2d.glsl`` computes the same from the same numbers, in the same order of
operations. A test compares both.
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
"""How a batch is drawn between two ticks."""

_TAU = np.float32(2 * math.pi)

# Seconds after which the clock of predictions starts again at 0. A float32 has steps of 8 µs there.
_EPOCH = 64.0
_LONG_AGO = np.float32(1e6)


@moved("extrapolation", {"blend_time": "blend_duration"})
@dataclass(frozen=True, init=False)
class Extrapolation(HasMoved):
    """The motion "extrapolate" with your own limits.

        SpriteBatch(…, motion=fw.Extrapolation(limit=0.5))

    Raises `ValueError` or `TypeError` for a number of seconds that is not above 0.
    """

    limit: float = 0.25
    """Simulated seconds without a new position after which an object stops moving. Default: 0.25.
    """
    blend_duration: float = 0.1
    """Simulated seconds in which a wrong prediction blends into the true position, after that has
    arrived. Default: 0.1.
    """

    @renamed_options("Extrapolation", blend_time="blend_duration")
    def __init__(self, limit: float = limit, blend_duration: float = blend_duration) -> None:
        positive_fraction("limit", limit)
        positive_fraction("blend_duration", blend_duration)
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "blend_duration", blend_duration)


def check_motion(motion: str | Extrapolation) -> tuple[str, Extrapolation]:
    """Return the name of a motion, and the limits of an extrapolation. Raises `TypeError` or
    `ValueError`.
    """
    if isinstance(motion, Extrapolation):
        return "extrapolate", motion
    return choice("motion", motion, MOTIONS), Extrapolation()


def blend(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Return ``previous`` at ``alpha`` 0, ``current`` at 1, and the straight line between,
    float32.
    """
    return previous + (current - previous) * np.float32(alpha)


def blend_angle(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Return the blend of angles in radians along the shorter arc, at most half a turn."""
    return previous + turn(previous, current) * np.float32(alpha)


def turn(previous: Floats, current: Floats) -> Floats:
    """Return the turn from one angle to another along the shorter arc, in radians: at most half a
    turn.
    """
    turned = current - previous
    turned -= _TAU * np.rint(turned / _TAU)
    return turned


def hermite(
    previous: Floats, current: Floats, leaving: Floats, arriving: Floats, alpha: float
) -> Floats:
    """Return the cubic from ``previous`` to ``current``, all (n, k) float32, with tangents at both.

    ``leaving`` and ``arriving`` are the velocities times the length of the tick. Rows that did not
    move stay where they are, whatever their velocity is: rows at rest, teleported rows, and rows of
    a paused scene.
    """
    t = np.float32(alpha)
    moved = current - previous
    curved = previous + t * (
        leaving + t * ((3 * moved - 2 * leaving - arriving) + t * (leaving + arriving - 2 * moved))
    )
    still = (moved == 0).all(axis=1, keepdims=True)
    return np.where(still, current, curved)


def reach_and_fade(age: Floats, limits: Extrapolation) -> tuple[Floats, Floats]:
    """Return the seconds for which rows move on, and the share of the old error that is still
    drawn.

    ``age`` (n,) is the time in seconds since the last known state of each row arrived.

    The error fades as a cubic: quickly at first, and it is 0 at ``blend_duration``. If a state
    arrives in every tick, little error is left.
    """
    remaining = np.maximum(np.float32(1) - age / np.float32(limits.blend_duration), np.float32(0))
    return np.minimum(age, np.float32(limits.limit)), remaining * remaining * remaining


class Predictions:
    """The last known states of extrapolated rows, from which frames predict their positions.

    ``column`` has three groups of numbers for each row:

    - the last known state, ``known`` numbers,
    - the difference between the drawn state and the known one at its arrival, ``error`` numbers,
    - the time of the arrival, on the clock of the predictions.

    The column does not change until the next state arrives, so ticks without one upload nothing.
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
        """Begin a tick of ``dt`` seconds. Alpha 0 is the time of the last alpha 1, so drawn time
        never jumps, even if ticks differ in length.
        """
        self.clock += self.tick_time
        self.tick_time = dt
        if self.clock > _EPOCH:
            since = self.column.values(n)[:, -1]
            np.maximum(since - np.float32(self.clock), -_LONG_AGO, out=since)
            self.clock = 0.0

    def take(self, observed: Floats) -> None:
        """Store the states ``observed`` (n, known) of rows that changed. The time of arrival is
        this tick.
        """
        state = self.column.current(len(observed))
        rows = np.flatnonzero((observed != state[:, : self._known]).any(axis=1))
        if len(rows):
            error = self.error(self.pose(0.0, state[rows]), observed[rows])
            self._write(rows, observed[rows], np.where(np.isfinite(error), error, 0))

    def snap(self, rows: Rows | slice, observed: Floats) -> None:
        """Draw rows at the states ``observed`` at once, without interpolation."""
        self._write(rows, observed, 0.0)

    def _write(self, rows: Rows | slice, known: Floats, error: Floats | float) -> None:
        state = self.column.data
        state[rows, : self._known] = known
        state[rows, self._known : -1] = error
        state[rows, -1] = self.clock
        self.column.touch()

    def reach_and_fade(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Return the result of the function `reach_and_fade` for rows (n, …) of the column at
        ``alpha``.
        """
        now = np.float32(self.clock) + np.float32(alpha) * np.float32(self.tick_time)
        return reach_and_fade(now - state[:, -1], self.limits)

    def pose(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Return position and orientation at ``alpha`` of rows (n, …) of the column."""
        raise NotImplementedError

    def error(self, drawn: tuple[Floats, Floats], known: Floats) -> Floats:
        """Return the difference of the drawn pose ``drawn`` from the states ``known`` (n, known):
        (n, error).
        """
        raise NotImplementedError
