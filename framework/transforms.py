"""Where things are: columns of previous and current poses, and the blend between them.

A column is one numpy array with a row per thing. Interpolated columns keep two states: ``current``, which the game
writes, and ``previous``, a copy taken at the start of each tick. What is drawn is their blend by alpha. The shader
``include/pose2d.glsl`` computes the same blend from the same numbers; `Transforms2D.model_matrices` is its CPU side.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Rows = NDArray[np.intp]
Floats = NDArray[np.float32]

_TAU = np.float32(2 * math.pi)

# Teleported rows are patched piece by piece up to so many pieces, else the column's state is rewritten.
MOST_PATCHES = 16

# Spawns and teleports that are settled one by one; more of them are gathered into one array of rows first.
_MOST_SNAPS = 4

# How often an array is referred to while nobody but its column does; measured below, once.
_OWN_REFERENCES: int


class Column:
    """One attribute of every row: an array that the game writes in place, and the copy it is compared with.

    Reading `values` hands out a view, and a write into a view cannot be seen. Therefore a column remembers that a
    view was handed out, notices whether one is still held (by the reference count of the array that owns the
    memory), and compares the rows with the copy only then. A column that nobody looked at costs nothing.

    For an interpolated column the copy is the previous state. For the others it is what was last uploaded.
    """

    __slots__ = (
        "_current",
        "_previous",
        "_touched",
        "default",
        "interpolated",
        "name",
        "patches",
        "sent",
        "settled",
        "stale",
        "width",
    )

    def __init__(
        self,
        name: str,
        width: int,
        default: float | tuple[float, ...],
        *,
        dtype: DTypeLike = np.float32,
        interpolated: bool,
    ) -> None:
        self.name = name
        self.width = width  # numbers in a row; 1 makes a column of shape (n,)
        self.default = default
        self.interpolated = interpolated
        self._current: NDArray[Any] = np.empty(self._shape(0), dtype)
        self._previous: NDArray[Any] = np.empty(self._shape(0), dtype)
        # Bit 1: looked at since the last latch. Bit 2: looked at since the last hand-over to the GPU.
        self._touched = 0
        # `stale`: the GPU's states are to be written anew, whole. `settled`: the GPU's newest state is what the copy
        # holds (not only after the next latch), so that a comparison with the copy tells whether anybody wrote.
        self.stale = True
        self.settled = False
        self.sent = 0  # rows that the GPU has; those from here on are new to it
        self.patches: list[Rows | slice] = []  # rows of the copy that were rewritten since the GPU got them

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows,) if self.width == 1 else (rows, self.width)

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of one state."""
        return self.width * self._current.itemsize

    def values(self, n: int) -> NDArray[Any]:
        """A writable view of the first ``n`` rows."""
        self._touched = 3
        return self._current[:n]

    def current(self, n: int) -> NDArray[Any]:
        """The first ``n`` rows, for reading only: not noted as looked at."""
        return self._current[:n]

    def previous(self, n: int) -> NDArray[Any]:
        """The first ``n`` rows of the copy."""
        return self._previous[:n]

    def memory(self) -> memoryview:
        """The current state as a flat memoryview of its numbers, valid until `reserve`. It counts as a view held."""
        flat: memoryview = memoryview(self._current).cast("B").cast("f")  # type: ignore[arg-type, assignment]
        return flat

    def touch(self) -> None:
        """Note a write that did not go through `values`."""
        self._touched = 3

    @property
    def touched_since_hand_over(self) -> bool:
        return self._touched > 1

    @property
    def may_be_written(self) -> bool:
        """Whether anybody looked at it since the last hand-over, or still does."""
        return self._touched > 1 or self._unseen_writers()

    def _unseen_writers(self) -> bool:
        return sys.getrefcount(self._current) > _OWN_REFERENCES

    def reserve(self, capacity: int, n: int) -> None:
        """Room for ``capacity`` rows, of which the first ``n`` are kept. Views handed out before go out of date."""
        for slot in ("_current", "_previous"):
            old = getattr(self, slot)
            new = np.empty(self._shape(capacity), old.dtype)
            new[:n] = old[:n]
            setattr(self, slot, new)
        self.stale = True

    def spawn(self, start: int, stop: int) -> None:
        self._current[start:stop] = self.default
        if self.interpolated:
            self._previous[start:stop] = self.default
            self._touched = 3  # the caller writes them next, and not through `values`

    def keep(self, rows: Rows) -> None:
        """Move ``rows`` (ascending) to the front; the others are gone."""
        self.stale = True  # rows have moved: both states are uploaded whole
        self._touched = 3
        first = int(np.argmin(rows == np.arange(len(rows)))) if len(rows) else 0
        if len(rows) and rows[first] == first:
            return  # only rows at the end go
        for state in (self._current, self._previous):
            state[first : len(rows)] = state[rows[first:]]

    def latch(self, n: int) -> None:
        """At a tick's start: previous ◄ current."""
        unseen = self._unseen_writers()
        if not (self._touched or unseen):
            return
        if not self.settled:
            self._previous[:n] = self._current[:n]
            # What the GPU got last is what current held then; whether it was written since, nobody can tell.
            self.stale = self.stale or unseen or self._touched > 1
            self.settled = True
        elif differ(self._current[:n], self._previous[:n]):
            self._previous[:n] = self._current[:n]
            self.stale = True
        self._touched = 0

    def snap(self, rows: Rows | slice) -> None:
        """previous ◄ current for some rows: they are drawn where they are, without a way there."""
        if not (self._touched or self._unseen_writers()):
            return
        values = self._current[rows]
        if (values != self._previous[rows]).any():
            self._previous[rows] = values
            if not self.stale:
                self.patches.append(rows)
                self.stale = len(self.patches) > MOST_PATCHES
            self._touched = 3  # to be handed over, also when no tick comes first

    def changed(self, n: int) -> bool:
        """Whether any of the first ``n`` rows differs from the copy."""
        if not (self._touched or self._unseen_writers()):
            return False
        return differ(self._current[:n], self._previous[:n])

    def handed_over(self, n: int, changed: bool) -> None:
        """The GPU now has both states of ``n`` rows (of a column of one state: that one)."""
        if self.interpolated:
            self._touched &= 1
        else:
            self._touched = 0
            start = 0 if changed else self.sent
            if start < n:
                self._previous[start:n] = self._current[start:n]
        self.stale = False
        self.settled = not changed
        self.sent = n
        if self.patches:
            self.patches.clear()


def _own_references() -> int:
    column = Column("probe", 1, 0.0, interpolated=True)
    return sys.getrefcount(column._current)


_OWN_REFERENCES = _own_references()


def differ(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two contiguous arrays of the same shape and dtype differ in any bit (a NaN equals itself).

    Compared in growing pieces: rows that all move are told from the first few.
    """
    if a[:8].tobytes() != b[:8].tobytes():
        return True
    x, y = a.reshape(-1).view(_BITS[a.itemsize]), b.reshape(-1).view(_BITS[b.itemsize])
    start, step = 0, 512
    while start < x.size:
        if (x[start : start + step] != y[start : start + step]).any():
            return True
        start += step
        step = min(step * 4, 1 << 17)
    return False


_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


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


def assign(column: Column, n: int, value: ArrayLike) -> None:
    """``column[:] = value`` with an error that names the column; nothing is written when it does not fit."""
    target = column.values(n)
    if isinstance(value, np.ndarray) and value.base is target.base and _same_place(value, target):
        return  # ``batch.position += …`` has written in place already, and now assigns the view to itself
    array, given = _as_numbers(value)
    if array is None or not _casts(array.dtype, target.dtype) or not _fits(array.shape, target.shape):
        raise ValueError(
            f"{column.name}: expected {target.dtype} numbers of shape {target.shape} (or one that broadcasts to it), "
            f"got {given}"
        )
    target[...] = array


def _same_place(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return (
        a.shape == b.shape
        and a.strides == b.strides
        and a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    )


def _as_numbers(value: ArrayLike) -> tuple[NDArray[Any] | None, str]:
    try:
        array = np.asarray(value)
    except ValueError:
        return None, "a ragged sequence"
    return array, f"{array.dtype} of shape {array.shape}"


def _casts(given: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    return np.can_cast(given, wanted, "same_kind") or (given.kind in "iu" and wanted.kind in "bu")


def _fits(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(given, wanted) == wanted
    except ValueError:
        return False
