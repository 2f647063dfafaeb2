"""Where things are: columns of previous and current poses, and the blend between them.

Interpolated columns keep two states: ``current``, which the game writes, and ``previous``, a copy taken at the start
of each tick. What is drawn is their blend by alpha. The shader ``include/pose2d.glsl`` computes the same blend from
the same numbers; `Transforms2D.model_matrices` is its CPU side.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .columns import Column, Floats, Rows, assign

_TAU = np.float32(2 * math.pi)

# Spawns and teleports that are settled one by one; more of them are gathered into one array of rows first.
_MOST_SNAPS = 4


def blend(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Linear blend, float32, in the same order of operations as the shader."""
    return previous + (current - previous) * np.float32(alpha)


def blend_angle(previous: Floats, current: Floats, alpha: float) -> Floats:
    """Blend of angles (radians) the short way round: at most half a turn."""
    turn = current - previous
    turn -= _TAU * np.rint(turn / _TAU)
    return previous + turn * np.float32(alpha)


class Transforms2D:
    """Poses in the plane: ``position`` (n, 2), ``angle`` (n,) in radians counter-clockwise, ``scale`` (n, 2).

    All are float32, y up, and writable in place. Views are valid until rows are added or removed: fetch them anew.

    More columns can live beside them (``columns``): they grow and shrink with the rows.
    """

    def __init__(self) -> None:
        self._position = Column("position", 2, 0.0, interpolated=True)
        self._angle = Column("angle", 1, 0.0, interpolated=True)
        self._scale = Column("scale", 2, 1.0, interpolated=True)
        self.columns: list[Column] = [self._position, self._angle, self._scale]
        self._poses = (self._position, self._angle, self._scale)
        self._n = 0
        self._capacity = 0
        self._in_tick = False
        self._noticed: list[Floats] | None = None  # the poses as `notice_writes` last saw them
        self._snapping: list[Rows | slice] = []  # rows whose previous is to become their current
        self.ticked = False  # whether a tick began since the last hand-over

    def __len__(self) -> int:
        return self._n

    @property
    def capacity(self) -> int:
        return self._capacity

    @property
    def position(self) -> Floats:
        return self._position.values(self._n)

    @position.setter
    def position(self, value: ArrayLike) -> None:
        assign(self._position, self._n, value)

    @property
    def angle(self) -> Floats:
        return self._angle.values(self._n)

    @angle.setter
    def angle(self, value: ArrayLike) -> None:
        assign(self._angle, self._n, value)

    @property
    def scale(self) -> Floats:
        return self._scale.values(self._n)

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        assign(self._scale, self._n, value)

    def reserve(self, capacity: int) -> None:
        """Room for ``capacity`` rows without moving the columns."""
        if capacity <= self._capacity:
            return
        for column in self.columns:
            column.reserve(capacity, self._n)
        self._capacity = capacity

    def spawn(self, count: int) -> slice:
        """``count`` new rows at the end, at their defaults. They are drawn first where this tick leaves them."""
        start, stop = self._n, self._n + count
        if stop > self._capacity:
            self.reserve(max(stop, 2 * self._capacity, 16) if start else max(stop, 1))
        for column in self.columns:
            column.spawn(start, stop)
        self._n = stop
        self._snap_later(start, stop)
        return slice(start, stop)

    def _snap_later(self, start: int, stop: int) -> None:
        last = self._snapping[-1] if self._snapping else None
        if isinstance(last, slice) and last.stop == start:  # one after another: kept as one
            self._snapping[-1] = slice(last.start, stop)
        else:
            self._snapping.append(slice(start, stop))

    def keep(self, rows: Rows) -> None:
        """Drop all rows but ``rows`` (ascending indices); their order stays."""
        if self._snapping:
            snapping = _marks(self._snapping, self._n)[rows]
            self._snapping = [np.flatnonzero(snapping)]
        for column in self.columns:
            column.keep(rows)
        self._n = len(rows)

    def teleport(self, rows: Rows | slice) -> None:
        """Draw ``rows`` where they are when this tick ends, without a way there.

        The order of the calls does not matter: before or after the write is the same.
        """
        self._snapping.append(rows)

    def notice_writes(self) -> None:
        """While no ticks run: rows written since the last call are drawn where they are, without a way there.

        The first call after a tick only remembers where everything is.
        """
        before = self._noticed
        if before is not None and not any(column.may_be_written for column in self._poses):
            return
        now = self._noticed = [column.current(self._n).copy() for column in self._poses]
        if before is None or len(before[0]) != self._n:
            return
        written = np.zeros(self._n, bool)
        for old, new in zip(before, now, strict=True):
            written |= (old != new).reshape(self._n, -1).any(axis=1)
        if written.any():
            for column in self._poses:
                column.touch()
            self.teleport(np.flatnonzero(written))

    def begin_tick(self) -> None:
        """previous ◄ current, for every row."""
        self._noticed = None
        self._settle_snaps()
        for column in self._poses:
            column.latch(self._n)
        self._in_tick = self.ticked = True

    def end_tick(self) -> None:
        """Rows that were spawned or teleported in this tick get previous = current."""
        self._settle_snaps()
        self._in_tick = False

    def _settle_snaps(self) -> None:
        if not self._snapping:
            return
        for rows in self._few_snaps():
            for column in self._poses:
                column.snap(rows)
        self._snapping.clear()

    def _few_snaps(self) -> list[Rows | slice]:
        if len(self._snapping) <= _MOST_SNAPS:
            return self._snapping
        return [np.flatnonzero(_marks(self._snapping, self._n))]

    def settle(self) -> None:
        """Before poses are read: what was spawned or teleported since the last tick is drawn where it is."""
        if not self._snapping:
            return
        snapping = list(self._snapping) if self._in_tick else []  # in a tick they may still be written to
        self._settle_snaps()
        self._snapping += snapping

    def pose(self, alpha: float) -> tuple[Floats, Floats, Floats]:
        """Blended position (n, 2), angle (n,) and scale (n, 2), float32."""
        self.settle()
        n, (p, a, s) = self._n, self._poses
        return (
            blend(p.previous(n), p.current(n), alpha),
            blend_angle(a.previous(n), a.current(n), alpha),
            blend(s.previous(n), s.current(n), alpha),
        )

    def model_matrices(self, alpha: float, out: Floats | None = None) -> Floats:
        """The model matrices that the shader computes at ``alpha``: scale, then rotation, then translation.

        Returns float32 (n, 4, 4) in pyrr's layout (row vectors: ``v @ m``, the translation in the last row), which
        in memory is what GLSL's column-major ``mat4`` expects. ``out`` is filled and returned when given.
        """
        n = self._n
        if out is None:
            out = np.empty((n, 4, 4), np.float32)
        elif out.shape != (n, 4, 4) or out.dtype != np.float32:
            raise ValueError(f"out: expected float32 of shape {(n, 4, 4)}, got {out.dtype} of shape {out.shape}")
        position, angle, scale = self.pose(alpha)
        cos, sin = np.cos(angle), np.sin(angle)
        out[:] = 0
        out[:, 0, 0] = cos * scale[:, 0]
        out[:, 0, 1] = sin * scale[:, 0]
        out[:, 1, 0] = -sin * scale[:, 1]
        out[:, 1, 1] = cos * scale[:, 1]
        out[:, 2, 2] = out[:, 3, 3] = 1
        out[:, 3, :2] = position
        return out


def _marks(several: list[Rows | slice], n: int) -> NDArray[np.bool_]:
    """A mask of ``n`` rows, true for those in any of ``several``."""
    mask = np.zeros(n, bool)
    for rows in several:
        mask[rows] = True
    return mask
