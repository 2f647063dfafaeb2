"""Compute the poses that are drawn between two ticks, with one of four methods.

- ``interpolate`` draws a point on the straight line from the previous state to the current state.
  The drawn position is up to one tick old, but it is never a wrong prediction.
- ``hermite`` draws a point on a cubic curve through both positions, on which the object has its own
  velocity at both ends. Use it for objects that turn fast or fly along arcs.
- ``extrapolate`` predicts positions: the object keeps moving from its last known position at its
  last known velocity. Use it for objects whose positions arrive at irregular times, for example
  from a network.
- ``none`` draws the current state.

The shader ``include/pose2d.glsl`` computes the same poses from the same numbers, in the same order
of operations. A test compares the poses of the shader with the poses of this module.
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
from .columns import TableColumn

MOTIONS = ("interpolate", "hermite", "extrapolate", "none")
"""The names of the motions. A motion is a rule for how a batch is drawn between two ticks."""

_TAU = np.float32(2 * math.pi)

# After this many seconds, the clock of predictions starts again at 0, because float32 numbers of
# this size are 8 µs apart.
_EPOCH = 64.0
_LONG_AGO = np.float32(1e6)


@moved("extrapolation", {"blend_time": "blend_duration"})
@dataclass(frozen=True, init=False)
class Extrapolation(HasMoved):
    """The motion "extrapolate" with your own time limit and blend duration.

        SpriteBatch(…, motion=fw.Extrapolation(limit=0.5))

    Raises `ValueError` or `TypeError` if ``limit`` or ``blend_duration`` is not a number greater
    than 0.
    """

    limit: float = 0.25
    """The time limit in seconds of game time. If no new position arrives within this limit, the
    object stops. Default: 0.25.
    """
    blend_duration: float = 0.1
    """The duration of a correction, in seconds of game time. After a wrong prediction, the object
    moves to its true position within this time. Default: 0.1.
    """

    @renamed_options("Extrapolation", blend_time="blend_duration")
    def __init__(self, limit: float = limit, blend_duration: float = blend_duration) -> None:
        positive_fraction("limit", limit)
        positive_fraction("blend_duration", blend_duration)
        object.__setattr__(self, "limit", limit)
        object.__setattr__(self, "blend_duration", blend_duration)


def check_motion(motion: str | Extrapolation) -> tuple[str, Extrapolation]:
    """Check the option ``motion``, and return the name of the motion and an `Extrapolation` object.
    Raises `TypeError` or `ValueError` if ``motion`` is neither a known name nor an `Extrapolation`.
    """
    if isinstance(motion, Extrapolation):
        return "extrapolate", motion
    return choice("motion", motion, MOTIONS), Extrapolation()


def blend(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Return the linear interpolation from ``previous`` (at ``alpha`` 0) to ``current`` (at
    ``alpha`` 1) as a float32 array.
    """
    return previous + (current - previous) * np.float32(alpha)


def blend_angle(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Return interpolated angles in radians. Each angle turns in the shorter direction, by at most
    half a turn.
    """
    return previous + turn(previous, current) * np.float32(alpha)


def turn(previous: Floats, current: Floats) -> Floats:
    """Return the angle from ``previous`` to ``current`` in radians, in the shorter direction. The
    result is at most half a turn.
    """
    turned = current - previous
    turned -= _TAU * np.rint(turned / _TAU)
    return turned


def hermite(
    previous: Floats, current: Floats, leaving: Floats, arriving: Floats, alpha: float
) -> Floats:
    """Return points at ``alpha`` on the cubic Hermite curves from ``previous`` to ``current``. The
    returned float32 array has the shape (n, k).

    ``leaving`` is the velocity at the start of the tick. ``arriving`` is the velocity at the end of
    the tick. ``leaving`` and ``arriving`` are multiplied by the length of the tick in seconds. If
    the previous and current positions of a row are equal, the row does not move, even if it has a
    velocity. Teleported rows and rows of a paused scene have equal positions, for example.
    """
    t = np.float32(alpha)
    moved = current - previous
    curved = previous + t * (
        leaving + t * ((3 * moved - 2 * leaving - arriving) + t * (leaving + arriving - 2 * moved))
    )
    still = (moved == 0).all(axis=1, keepdims=True)
    return np.where(still, current, curved)


def reach_and_fade(age: Floats, limits: Extrapolation) -> tuple[Floats, Floats]:
    """Return two arrays with one value per row: how many seconds to extrapolate, and which fraction
    of the prediction error to draw.

    ``age`` is an array of shape (n,): the time in seconds since the last known state of each row
    arrived.

    The error fades along a cubic curve, quickly at first. When ``age`` reaches ``blend_duration``,
    the error is 0. If a new state arrives in every tick, a small error remains visible.
    """
    remaining = np.maximum(np.float32(1) - age / np.float32(limits.blend_duration), np.float32(0))
    return np.minimum(age, np.float32(limits.limit)), remaining * remaining * remaining


class Predictions:
    """The last known states of extrapolated rows, from which each frame predicts positions.

    The array ``column`` stores three groups of numbers for each row:

    - the last known state, ``known`` numbers,
    - the prediction error when the known state arrived, ``error`` numbers,
    - the time when the known state arrived, in seconds of the `Predictions` clock.

    The column changes only when a new state arrives. In ticks without a new state, nothing is
    uploaded.
    """

    _not_hashed = True

    parts: ClassVar[tuple[tuple[str, int], ...]]
    """The groups of numbers in each row of `column`, for shaders, as pairs of the group's name and
    size.
    """

    def __init__(self, limits: Extrapolation, known: int, error: int) -> None:
        self.limits = limits
        self.column = TableColumn("state", known + error + 1, 0.0, interpolated=False)
        self.clock = 0.0  # the game time that is drawn at alpha 0
        self.tick_time = 0.0  # seconds from alpha 0 to alpha 1
        self._known = known

    def begin_tick(self, dt: float, n: int) -> None:
        """Begin a tick of ``dt`` seconds. The tick starts at the game time at which the last tick
        ended. The time of frames therefore never jumps, even if the lengths of ticks differ.
        """
        self.clock += self.tick_time
        self.tick_time = dt
        if self.clock > _EPOCH:
            since = self.column.values(n)[:, -1]
            np.maximum(since - np.float32(self.clock), -_LONG_AGO, out=since)
            self.clock = 0.0

    def take(self, observed: Floats) -> None:
        """Store the states of changed rows, which have arrived in the current tick. ``observed``
        contains the state of each row, in an array of shape (n, k). k is the number of values in a
        known state (the argument ``known`` of the constructor).
        """
        state = self.column.current(len(observed))
        rows = np.flatnonzero((observed != state[:, : self._known]).any(axis=1))
        if len(rows):
            error = self.error(self.pose(0.0, state[rows]), observed[rows])
            self._write(rows, observed[rows], np.where(np.isfinite(error), error, 0))

    def snap(self, rows: Rows | slice, observed: Floats) -> None:
        """Draw ``rows`` in the states ``observed``, without interpolation."""
        self._write(rows, observed, 0.0)

    def _write(self, rows: Rows | slice, known: Floats, error: Floats | float) -> None:
        state = self.column.data
        state[rows, : self._known] = known
        state[rows, self._known : -1] = error
        state[rows, -1] = self.clock
        self.column.touch()

    def reach_and_fade(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Call the function `reach_and_fade` for ``alpha`` and return its result. ``state``
        contains rows of the column of predictions.
        """
        now = np.float32(self.clock) + np.float32(alpha) * np.float32(self.tick_time)
        return reach_and_fade(now - state[:, -1], self.limits)

    def pose(self, alpha: float, state: Floats) -> tuple[Floats, Floats]:
        """Return the predicted positions and orientations at ``alpha``. ``state`` contains rows of
        the column of predictions.
        """
        raise NotImplementedError

    def error(self, drawn: tuple[Floats, Floats], known: Floats) -> Floats:
        """Return the prediction error: the drawn pose ``drawn`` minus the last known states
        ``known``. The returned array has the shape (n, error).
        """
        raise NotImplementedError
