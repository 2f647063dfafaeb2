"""Store many small batches in the same memory, so that ticks and uploads take less time.

A tick of a small table takes about as long as a tick of a table with a thousand rows, because most
of the time is spent on function calls. The same is true for uploads. A `RowPool` therefore stores
the rows of many tables next to each other in the same memory, and copies and compares the rows of
all its tables in one step.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Rows
from .columns import Table, TableColumn
from .previous import Frozen, Previous
from .uploads import Uploads

_MIN_ROWS = 256  # minimum number of rows for which a pool allocates memory


class PooledPrevious(Previous):
    """The previous rows of a column in a pool. Snapshots get copies of the previous rows, because
    the pool writes to its memory in every tick.
    """

    __slots__ = ("lease",)

    def __init__(self, rows: NDArray[Any], lease: PoolLease) -> None:
        super().__init__(rows)
        self.lease = lease

    def values(self, n: int, uploads: Uploads) -> NDArray[Any]:
        return self.rows[:n]

    def own(self, data: NDArray[Any]) -> None:
        """Do nothing, because no snapshot uses the memory of the pool."""

    def borrow(self, frozen: Frozen) -> None:
        """Copy the rows of a restored snapshot into the memory of the pool."""
        self.rows[: len(frozen.rows)] = frozen.rows


class PooledColumn(TableColumn):
    """A column that stores its rows in the memory of a `RowPool`. When a table joins a pool, the
    class of its columns changes to `PooledColumn`. When the table leaves the pool, the class of its
    columns changes back.

    To find changes, the pool compares all its rows together, so that a pooled column does not have
    to compare its own rows in ticks and uploads.
    """

    __slots__ = ()

    _previous: PooledPrevious

    def upload_again(self) -> None:
        if self.displacement is not None:  # only the batch itself can draw displaced rows
            self._previous.lease.leave()
        TableColumn.upload_again(self)

    # -- rows --------------------------------------------------------------------------------------

    def reserve(self, capacity: int, n: int) -> None:
        self._previous.lease.leave()
        TableColumn.reserve(self, capacity, n)

    def rearrange(self, rows: Rows, capacity: int) -> None:
        self._previous.lease.leave()
        TableColumn.rearrange(self, rows, capacity)

    # -- snapshots ---------------------------------------------------------------------------------

    def freeze_previous(self, n: int, current: Frozen) -> Frozen:
        rows = self._previous.rows[:n]
        if rows.tobytes() == current.rows.tobytes():
            return current
        return Frozen(rows.copy())

    def restore(self, current: Frozen, previous: Frozen | None) -> None:
        if len(current.rows) > len(self.data):
            self._previous.lease.leave()
        TableColumn.restore(self, current, previous)


class PoolLease:
    """The position of one table in a pool. The table's rows begin at the index ``start`` of the
    pool. The attribute ``lease`` of the table contains its `PoolLease`.
    """

    __slots__ = ("pool", "start", "table", "ticks", "uploads")

    not_state = True

    def __init__(self, pool: RowPool, table: Table, start: int) -> None:
        self.pool = pool
        self.table = table
        self.start = start
        self.ticks = pool.ticks
        """The number of ticks of the pool that the table has begun. `ticks` is equal to
        ``pool.ticks``, unless another table has already begun the current tick.
        """
        self.uploads = Uploads()
        """The `Uploads` objects of all columns of the table. `announce` reads only their attribute
        ``unsent``.
        """

    def begin_tick(self) -> None:
        """Begin a tick of the table. In each tick, the first table that calls `begin_tick` begins
        the tick of all rows in the pool.
        """
        pool = self.pool
        if self.ticks == pool.ticks:
            pool.latch()
        self.ticks = pool.ticks

    def announce(self) -> None:
        """If a column was marked as changed, add the table to `RowPool.announced`. The next frame
        then draws the changes, even if no tick has run.
        """
        if self.uploads.unsent:
            self.uploads.unsent = False
            self.pool.announced.add(self)
            self.table._unnoticed = True  # this frame may run before `Table.notice_writes`

    def leave(self) -> None:
        """Remove the table from its pool. The rows do not move in memory, so the game's array views
        remain valid.
        """
        table = self.table
        if table.lease is not self:
            return
        table.lease = None
        for name in self.pool.names:
            column = table.column(name)
            rows = column._previous.rows
            if column.interpolated:
                rows = rows.copy()  # the pool continues to write to its own memory
            object.__setattr__(column, "_previous", Previous(rows))
            object.__setattr__(column, "__class__", TableColumn)
            column.uploads = Uploads()
            column.settled = False
            column.touched = column.uploads.unsent = column.uploads.stale = True
        table.tick.handed_over = False
        self.pool.forget(self)


class RowPool:
    """The memory for the rows of many small tables. All tables in a pool have the same columns.

    A scene calls `Table.begin_tick` on all tables before the game moves any row. When the first
    table begins its tick, the pool begins the tick of all its rows.
    """

    not_state = True

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self.names = tuple(column.name for column in columns)
        """The names of the columns that are in the pool."""
        self._layout = [
            (column.name, column.cell, column.data.dtype, column.interpolated) for column in columns
        ]
        self.current: dict[str, NDArray[Any]] = {}
        """A dict from column names to the current values of all rows. Rows of tables that have left
        the pool are still in these arrays.
        """
        self.previous: dict[str, NDArray[Any]] = {}
        """A dict from the names of interpolated columns to the values at the start of the tick."""
        self._memory: dict[tuple[str, bool], Any] = {}
        self.capacity = 0
        self.used = 0
        """The number of rows that the pool has assigned to tables, including tables that have left
        the pool.
        """
        self.origin: Rows | None = None
        """The index of each row at the last upload, if rows have moved in the pool since then. The
        index is -1 for a row that was not in the pool.
        """
        self.ticks = 0
        """The number of ticks that the pool has begun."""
        self.leases: dict[PoolLease, None] = {}
        """The positions of the tables in the pool, in the order in which the tables joined."""
        self.announced: set[PoolLease] = set()
        """The tables that may have changed since the last upload. The next frame must draw the
        changes of these tables, even if no tick runs before the frame. Changes of all other tables
        are drawn after the next tick.
        """
        self._allocate(_MIN_ROWS)

    def _allocate(self, rows: int) -> None:
        self.capacity = rows
        self.used = 0
        for name, cell, dtype, interpolated in self._layout:
            for states, is_previous in ((self.current, False), (self.previous, True)):
                if is_previous and not interpolated:
                    continue
                shape = (rows, *cell)
                # If an array is in the memory of a ctypes array, it is the base of its own views,
                # so that a column can count the views. A snapshot of such a view contains only this
                # array. With a bytearray, the snapshot would contain the rows of all tables.
                memory: Any = (ctypes.c_byte * (dtype.itemsize * int(np.prod(shape))))()
                self._memory[name, is_previous] = memory
                states[name] = np.ndarray(shape, dtype, buffer=memory)

    def latch(self) -> None:
        """Begin a tick of all rows. The current values become the previous values."""
        used = self.used
        for name, previous in self.previous.items():
            previous[:used] = self.current[name][:used]
        self.ticks += 1

    def join(self, table: Table) -> bool:
        """Move the rows of ``table`` to the pool, and return True. Return False if the game has a
        view of a column, because the view would show the old memory after the move.
        """
        if self.used + table.capacity > self.capacity:
            self._renew(table.capacity)
        return self._move(table)

    def compact(self) -> None:
        """If most tables have left the pool, move the rows of the remaining tables to a smaller
        block of memory.
        """
        if self.used > _MIN_ROWS:
            needed = sum(lease.table.capacity for lease in self.leases)
            if self.used > 4 * needed + _MIN_ROWS:
                self._renew(0)

    def _renew(self, rows: int) -> None:
        """Allocate new memory for the rows of all tables, and for ``rows`` additional rows."""
        leases = list(self.leases)
        for lease in leases:
            lease.announce()
        announced = {lease.table for lease in self.announced}
        needed = rows + sum(lease.table.capacity for lease in leases)
        for lease in leases:
            lease.leave()
        origin = self.origin
        old_rows = np.arange(self.used) if origin is None else origin
        self._allocate(max(_MIN_ROWS, 2 * needed))
        origin = self.origin = np.full(self.capacity, -1, np.intp)
        for lease in leases:
            table = lease.table
            if self._move(table):
                new_lease = next(reversed(self.leases))  # the table that has joined last
                new_rows = slice(new_lease.start, new_lease.start + table.capacity)
                origin[new_rows] = old_rows[lease.start : lease.start + table.capacity]
                if table not in announced:
                    self.announced.discard(new_lease)

    def _move(self, table: Table) -> bool:
        columns = [table.column(name) for name in self.names]
        table.release_memory()
        free = not any(column.is_viewed() for column in columns)
        if free:
            lease = PoolLease(self, table, self.used)
            for column in columns:
                self._take(column, lease, table.capacity)
            self.used += table.capacity
            table.lease = lease
            table.tick.rested = False
            self.leases[lease] = None
            self.announced.add(lease)
        table.map_memory()
        return free

    def _take(self, column: TableColumn, lease: PoolLease, capacity: int) -> None:
        """Move the rows of one column into the memory of the pool."""
        name = column.name
        previous = column._previous
        if previous.lagging:
            previous.catch_up(column.uploads)
        old_rows = previous.rows
        if column.interpolated:
            rows = self._window(name, True, lease.start, capacity)
            rows[: len(old_rows)] = old_rows
        else:
            rows = old_rows
        data = self._window(name, False, lease.start, capacity)
        data[:] = column.data
        column._use(data)
        object.__setattr__(column, "_previous", PooledPrevious(rows, lease))
        object.__setattr__(column, "__class__", PooledColumn)
        column.uploads = lease.uploads
        column.settled = False

    def _window(self, name: str, is_previous: bool, start: int, rows: int) -> NDArray[Any]:
        whole = (self.previous if is_previous else self.current)[name]
        memory = self._memory[name, is_previous]
        shape = (rows, *whole.shape[1:])
        return np.ndarray(shape, whole.dtype, buffer=memory, offset=start * whole.strides[0])

    def forget(self, lease: PoolLease) -> None:
        """Called when a table has left the pool. Remove its position from `leases`."""
        self.leases.pop(lease, None)
        self.announced.discard(lease)
