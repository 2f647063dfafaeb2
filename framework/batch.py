"""The GPU side of columns: buffers that hold two states and are written only when something changed.

Each interpolated column has up to two buffers ("slots"). The newer state of one tick is the older one of the next,
so a tick writes only the new state, into the slot that is no longer needed, and the roles swap (ping-pong). A column
that stands still reads both states from one slot. Nothing is written between two ticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import moderngl
import numpy as np
from numpy.typing import NDArray

from .columns import MOST_PATCHES, Column, Rows, in_cells
from .graphics import Graphics


class Drawable(Protocol):
    """What `Game.add` takes: a batch of the framework's, or anything of your own with these five methods."""

    def attach(self, graphics: Graphics) -> None:
        """The thing was added to a game: make what it needs in ``graphics.ctx``. Called once."""

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above it."""

    def end_tick(self) -> None: ...

    def draw(self) -> None:
        """Draw. The frame's uniform block (camera, alpha) is bound, the target is set."""

    def release(self) -> None:
        """The game has ended: free what `attach` made."""


class ColumnBuffer:
    """The GPU copy of one column.

    ``previous`` and ``current`` are the slots (0 or 1) that hold the two states, equal when they are the same.
    ``uploaded`` counts bytes.
    """

    def __init__(self, ctx: moderngl.Context, column: Column) -> None:
        self.column = column
        self.previous = self.current = 0
        self.uploaded = 0
        self.slots: list[moderngl.Buffer | None] = [None, None]
        self._ctx = ctx
        self._rows = 0
        self._ordered = True  # the rows are not in the column's own order

    def reserve(self, rows: int) -> bool:
        """Have room for ``rows`` rows; true when the buffers were dropped (they are made anew when written)."""
        if rows == self._rows:
            return False
        self.release()
        self._rows = rows
        self.column.stale = True
        return True

    def hand_over(self, n: int, ticked: bool, order: Rows | None) -> None:
        """Bring both states of the first ``n`` rows to the GPU.

        ``ticked``: whether a tick began since the last hand-over, which makes the then current state the previous one.
        ``order``: the rows in drawing order, or None.
        """
        column = self.column
        changed = column.changed(n)
        if column.stale:
            previous = column.previous(n) if changed else None
            self.previous = self.current = 0
            if previous is not None:
                self._write(0, previous, order)
                self.current = 1
            self._write(self.current, column.current(n), order)
        else:
            holder = self.current if ticked else self.previous
            if column.patches or column.sent != n:
                self._patch(holder, column.previous(n), order)
            self.previous = self.current = holder
            if changed:
                self.current = 1 - holder
                self._write(self.current, column.current(n), order)
        self._ordered = order is not None
        column.source = self
        column.handed_over(n, changed)

    @property
    def keeps_states(self) -> bool:
        """Whether the GPU has both states as the column has them."""
        return not (self._ordered or self.column.sent_in_cells)

    def fetch(self, newest: bool) -> NDArray[Any]:
        """The newest state that was handed over, or the one before it. It waits for the GPU."""
        column = self.column
        buffer = self._buffer(self.current if newest else self.previous)
        rows = np.frombuffer(buffer.read(column.sent * column.row_bytes), column._current.dtype)
        return rows.reshape(-1, column.width) if column.width > 1 else rows

    def hand_over_single(self, n: int, order: Rows | None) -> None:
        """The same for a column of one state: written whole when any row changed, else only its new rows."""
        column = self.column
        changed = column.stale or column.changed(min(n, column.sent))
        if changed:
            self._write(0, column.current(n), order)
        elif column.sent != n:
            self._patch(0, column.current(n), order)
        column.handed_over(n, changed)

    def _patch(self, slot: int, state: NDArray[Any], order: Rows | None) -> None:
        column = self.column
        pieces = None if order is not None else _pieces(column.patches, column.sent)
        if pieces is None:
            self._write(slot, state, order)
            return
        for start, stop in [*pieces, (column.sent, len(state))]:
            self.patch(slot, start, state[start:stop])

    def _write(self, slot: int, state: NDArray[Any], order: Rows | None) -> None:
        self.write(slot, state if order is None else state[order])

    def write(self, slot: int, rows: NDArray[Any]) -> None:
        """Write all ``rows``, in drawing order; what else was in the slot is lost."""
        if not len(rows):
            return
        if self.column.sent_in_cells:
            rows = in_cells(rows)  # as many bytes
        buffer = self._buffer(slot)
        if rows.nbytes < buffer.size:
            # The GPU may still read the old rows. A whole write gets fresh memory from the driver by itself; one of a
            # part would have to wait (and crashes Mesa's driver that draws nothing).
            buffer.orphan()
        buffer.write(rows)
        self.uploaded += rows.nbytes

    def patch(self, slot: int, start: int, rows: NDArray[Any]) -> None:
        """Write ``rows`` from row ``start`` of a slot on; the others stay. The GPU copies them in, in its turn."""
        if not len(rows):
            return
        if self.column.sent_in_cells:
            rows = in_cells(rows)  # as many bytes
        staging = self._ctx.buffer(rows)
        self._ctx.copy_buffer(self._buffer(slot), staging, rows.nbytes, write_offset=start * self.column.row_bytes)
        staging.release()
        self.uploaded += rows.nbytes

    def _buffer(self, slot: int) -> moderngl.Buffer:
        buffer = self.slots[slot]
        if buffer is None:
            buffer = self.slots[slot] = self._ctx.buffer(reserve=self._rows * self.column.row_bytes, dynamic=True)
        return buffer

    def buffer_of(self, slot: int) -> moderngl.Buffer:
        """The buffer of a slot, for a vertex array."""
        return self._buffer(slot)

    def release(self) -> None:
        self.column.drop_source()
        for buffer in self.slots:
            if buffer is not None:
                buffer.release()
        self.slots = [None, None]


def _pieces(patches: Sequence[Rows | slice], n: int) -> list[tuple[int, int]] | None:
    """The patches within the first ``n`` rows as (start, stop), or None when they are too many to be worth it."""
    pieces: list[tuple[int, int]] = []
    for rows in patches:
        if isinstance(rows, slice):
            pieces.append((rows.start, min(rows.stop, n)))
            continue
        rows = rows[rows < n]
        ends = np.flatnonzero(np.diff(rows) != 1) + 1  # where a run of neighbours ends
        if len(ends) >= MOST_PATCHES:
            return None
        pieces += [(int(run[0]), int(run[-1]) + 1) for run in np.split(rows, ends) if len(run)]
    return pieces if len(pieces) <= MOST_PATCHES else None


def row_indices(rows: object, n: int) -> Rows | slice:
    """``rows`` (an index, indices, a mask of n, or a slice) as ascending-safe indices in 0..n-1 or a plain slice.

    Raises `ValueError` or `TypeError` naming ``rows`` when they do not fit.
    """
    if isinstance(rows, slice):
        start, stop, step = rows.indices(n)
        return slice(start, max(start, stop)) if step == 1 else np.arange(start, stop, step, dtype=np.intp)
    array = np.atleast_1d(np.asarray(rows))
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(f"rows: expected a mask of shape ({n},), got one of shape {array.shape}")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise TypeError(f"rows: expected indices, a mask or a slice, got {array.dtype} of shape {array.shape}")
    array = array.astype(np.intp)
    if array.size and (array.min() < -n or array.max() >= n):
        raise ValueError(f"rows: there are {n} rows, got index {array.min() if array.min() < -n else array.max()}")
    return np.where(array < 0, array + n, array)
