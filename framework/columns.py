"""Columns: one attribute of every row, as a numpy array that knows whether it may have changed.

`transforms` interpolates them, `batch` brings them to the GPU.
"""

from __future__ import annotations

import sys
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Rows = NDArray[np.intp]
Floats = NDArray[np.float32]

# Teleported rows are patched piece by piece up to so many pieces, else the column's state is rewritten.
MOST_PATCHES = 16

# Places are told to the GPU as a whole number of cells of this size (units, a power of two) and the rest: what is near
# the camera then keeps all its digits, wherever in the world that is. shaders/include/frame3d.glsl has it too.
CELL = 1024.0

# Columns of fewer rows are always copied: it takes no time worth mentioning.
LEAST_LAGGING = 8192

# Ticks in which the previous state is copied after somebody has asked for it: at first, and at most.
_PATIENCE, _LONGEST_PATIENCE = 64, 1 << 16

_NOT, _LATCHED, _HANDED_OVER = range(3)

# The first rows, which tell at once that all rows move.
_FIRST_ROWS = 8

# How often an array is referred to while nobody but its column does; measured below, once.
_OWN_REFERENCES: int


class Source(Protocol):
    """Where a column's previous state can be fetched from."""

    @property
    def keeps_states(self) -> bool:
        """Whether it has both states as they were handed over, row by row."""

    def fetch(self, newest: bool) -> NDArray[Any]:
        """The newest state that was handed over, or the one before it: all rows."""


class Column:
    """One attribute of every row: an array that the game writes in place, and the copy it is compared with.

    Reading `values` hands out a view, and a write into a view cannot be seen. Therefore a column remembers that a
    view was handed out, notices whether one is still held (by the reference count of the array that owns the
    memory), and compares the rows with the copy only then. A column that nobody looked at costs nothing.

    For an interpolated column the copy is the previous state. For the others it is what was last uploaded.

    Copying a large column that moves in every tick takes as long as its upload. As long as nobody asks for its previous
    state, it is not copied: the GPU has it too (``source``), and it is fetched from there when somebody does ask. From
    then on it is copied again, for a while.
    """

    __slots__ = (
        "_asked",
        "_current",
        "_lagging",
        "_patience",
        "_previous",
        "_touched",
        "default",
        "interpolated",
        "name",
        "patches",
        "sent",
        "settled",
        "source",
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
        self.source: Source | None = None
        # While the copy holds its first few rows only, and the others are on the GPU: as its newest state since the
        # latch, as its older one since the hand-over after that.
        self._lagging = _NOT
        self._asked = 0  # ticks in which the copy is made, as somebody has asked for it
        self._patience = _PATIENCE  # so many, the next time that somebody asks

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows,) if self.width == 1 else (rows, self.width)

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of one state."""
        return self.width * self._current.itemsize

    @property
    def sent_in_cells(self) -> bool:
        """Whether the GPU gets it as `in_cells`: shaders of GL 3.3 know no float64."""
        return self._current.dtype == np.float64

    def values(self, n: int) -> NDArray[Any]:
        """A writable view of the first ``n`` rows."""
        self._touched = 3
        return self._current[:n]

    def current(self, n: int) -> NDArray[Any]:
        """The first ``n`` rows, for reading only: not noted as looked at."""
        return self._current[:n]

    def previous(self, n: int) -> NDArray[Any]:
        """The first ``n`` rows of the copy."""
        if self._lagging:
            self._catch_up()
        self._asked = max(self._asked, _PATIENCE)
        return self._previous[:n]

    def _catch_up(self) -> None:
        """Fetch the copy from the GPU. It has to wait for that, so the next ticks copy, longer each time."""
        assert self.source is not None
        self._previous[: self.sent] = self.source.fetch(newest=self._lagging == _LATCHED)
        self._lagging = _NOT
        self._asked, self._patience = self._patience, min(2 * self._patience, _LONGEST_PATIENCE)

    def drop_source(self) -> None:
        """The GPU's copy is gone: what was only there is given up, and drawn without a way."""
        if self._lagging:
            self._lagging = _NOT
            self._previous[: self.sent] = self._current[: self.sent]
        self.source = None

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
        if self._lagging:
            self._catch_up()
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
        if self._lagging:
            self._catch_up()
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
            # What the GPU got last is what current held then; whether it was written since, nobody can tell.
            unsure = unseen or self._touched > 1
            self._lagging = _LATCHED if not unsure and self._may_lag(n) else _NOT
            copied = min(n, _FIRST_ROWS) if self._lagging else n
            self._previous[:copied] = self._current[:copied]
            self.stale = self.stale or unsure
            self.settled = True
        elif self._differs(n):
            self._previous[:n] = self._current[:n]
            self._lagging = _NOT
            self.stale = True
        self._touched = 0
        self._asked = max(0, self._asked - 1)

    def _may_lag(self, n: int) -> bool:
        """Whether the copy can be left out: the GPU has it, it is worth it, and nobody has asked for it lately."""
        if n < LEAST_LAGGING or self._asked or self.stale or self.patches or self.sent != n:
            return False
        return self.source is not None and self.source.keeps_states

    def snap(self, rows: Rows | slice) -> None:
        """previous ◄ current for some rows: they are drawn where they are, without a way there."""
        if not (self._touched or self._unseen_writers()):
            return
        if self._lagging:
            self._catch_up()
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
        return self._differs(n)

    def _differs(self, n: int) -> bool:
        if self._lagging:
            if self._current[:_FIRST_ROWS].tobytes() != self._previous[:_FIRST_ROWS].tobytes():
                return True
            self._catch_up()
        return differ(self._current[:n], self._previous[:n])

    def handed_over(self, n: int, changed: bool) -> None:
        """The GPU now has both states of ``n`` rows (of a column of one state: that one)."""
        if self.interpolated:
            self._touched &= 1
            if self._lagging and changed:
                self._lagging = _HANDED_OVER
            elif self._lagging:
                self._previous[:n] = self._current[:n]
                self._lagging = _NOT
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
    if a[:_FIRST_ROWS].tobytes() != b[:_FIRST_ROWS].tobytes():
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


def in_cells(places: NDArray[np.float64]) -> Floats:
    """Places (n, 3) as whole cells and the rest in units: float32 (n, 6), the cells exact up to 2^24."""
    cells = np.rint(places / CELL)
    return np.concatenate([cells, places - cells * CELL], axis=1, dtype=np.float32, casting="same_kind")


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
