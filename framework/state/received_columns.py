"""Draw the rows of a batch from arrays of other code, such as shared memory, without a copy.

A batch usually owns the arrays of its columns, and finds changes by comparing them with a copy from
the last tick. A batch that receives its rows gets two arrays per column instead, with the previous
and the current state, and neither copies nor compares them. If you pass the same array object
again, it is not uploaded again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Rows
from ..checks import instance, named, shown, wrong_type
from ..geometry import quaternions
from .columns import Table, TableColumn
from .interpolation import blend_angle
from .previous import Frozen, Previous
from .row_ids import MAX_IDS
from .uploads import Uploads

_MAX_ROWS = 1 << 24  # maximum number of rows of a batch, as `MAX_ROWS` in the module `rows`
_HINT = "this batch receives its rows, which can only be read; write them where they come from"

Received = Sequence[tuple[TableColumn, NDArray[Any], NDArray[Any]]]
"""A list of columns, each with the current and the previous rows that it receives."""


class ReceivedPrevious(Previous):
    """The previous rows of a column that reads memory of other code, and the array that was
    uploaded last.
    """

    __slots__ = ("advanced", "capacity", "uploaded")

    def __init__(self, rows: NDArray[Any], capacity: int) -> None:
        super().__init__(rows)
        self.capacity = capacity
        """The number of rows to allocate when the column gets its own memory again."""
        self.uploaded: NDArray[Any] | None = None
        """The last uploaded array of current rows."""
        self.advanced = False
        """Whether the previous rows are the rows that were current at the last upload."""

    def values(self, n: int, uploads: Uploads) -> NDArray[Any]:
        return self.rows[:n]


class ReceivedColumn(TableColumn):
    """A column whose rows are in memory that belongs to other code. When a `TableColumn` receives
    rows, its class changes to `ReceivedColumn`. When the column gets its own memory again, its
    class changes back to `TableColumn`.
    """

    __slots__ = ()

    is_received = True
    _previous: ReceivedPrevious

    def receive(self, current: NDArray[Any], previous: NDArray[Any], capacity: int) -> None:
        """From now on, read from the arrays ``current`` and ``previous``, without copying them."""
        state = self._previous
        uploads = self.uploads
        is_same = current is self.data and previous is state.rows
        self.data = current
        state.rows = previous
        state.capacity = capacity
        if is_same:
            return
        state.advanced = previous is state.uploaded
        if self.interpolated and not state.advanced:
            uploads.stale = True
        uploads.unsent = True
        self.settled = False

    def own(self) -> None:
        """Copy the rows into new memory that belongs to the column. After the call, the object is a
        normal `TableColumn` again.
        """
        n = len(self.data)
        received = self._previous
        shape = self._shape(max(received.capacity, n))
        data = np.empty(shape, self.data.dtype)
        data[:n] = self.data
        rows = np.empty(shape, self.data.dtype)
        rows[:n] = received.rows
        self._use(data)
        self.frozen = None
        self.settled = False
        self.touched = self.uploads.unsent = self.uploads.stale = True
        object.__setattr__(self, "_previous", Previous(rows))
        object.__setattr__(self, "__class__", TableColumn)

    # -- values ------------------------------------------------------------------------------------

    def values(self, n: int) -> NDArray[Any]:
        """Return a read-only view of the first ``n`` rows."""
        rows = self.data[:n]
        rows.flags.writeable = False
        return rows

    def memory(self) -> memoryview[float]:
        """Return the current values as a flat, read-only memoryview."""
        return super().memory().toreadonly()

    def is_viewed(self) -> bool:
        """Return False, because the game cannot write to the arrays of a received column."""
        return False

    def touch(self) -> None:
        """Upload the column before the next frame."""
        self.uploads.unsent = self.uploads.stale = True

    def put(self, row: int, value: object) -> NoReturn:
        self._refuse()

    def put_rows(self, rows: Rows | slice, values: ArrayLike) -> NoReturn:
        self._refuse()

    def clear_row(self, row: int) -> NoReturn:
        self._refuse()

    def put_previous(self, rows: Rows, values: ArrayLike) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ValueError(f"{self.name}: {_HINT}")

    # -- rows --------------------------------------------------------------------------------------

    def reserve(self, capacity: int, n: int) -> None:
        self.own()
        TableColumn.reserve(self, capacity, n)

    def spawn(self, start: int, stop: int, values: NDArray[Any] | None = None) -> None:
        self.own()
        TableColumn.spawn(self, start, stop, values)

    def spawn_row(self, row: int) -> None:
        self.own()
        TableColumn.spawn_row(self, row)

    def keep(self, rows: Rows, first: int) -> None:
        self.own()
        TableColumn.keep(self, rows, first)

    def rearrange(self, rows: Rows, capacity: int) -> None:
        self.own()
        TableColumn.rearrange(self, rows, capacity)

    # -- the previous state ------------------------------------------------------------------------

    def latch(self, n: int) -> bool:
        """Start a tick. The current rows become the previous rows. A later call of `receive`
        replaces the previous and the current rows.
        """
        state = self._previous
        if state.rows is not self.data:
            state.rows = self.data
            state.advanced = state.uploaded is self.data
            self.uploads.unsent = True
            if not state.advanced:
                self.uploads.stale = True
        return False

    def snap(self, rows: Rows | slice) -> None:
        """Draw ``rows`` without interpolation: write their current values into a copy of the
        previous rows.
        """
        state = self._previous
        values = self.data[rows]
        if state.rows is self.data or not (values != state.rows[rows]).any():
            return
        state.rows = state.rows.copy()
        state.rows[rows] = values
        state.advanced = False
        self.uploads.unsent = self.uploads.stale = True

    def advanced(self, ticked: bool) -> bool:
        """Return whether the previous rows are equal to the rows that were current at the last
        upload.
        """
        return self._previous.advanced

    # -- uploads -----------------------------------------------------------------------------------

    def at_rest(self, n: int) -> bool:
        uploads = self.uploads
        return uploads.sent == n and not (uploads.unsent or uploads.stale)

    def changed(self, n: int) -> bool:
        """Return whether the current rows and the previous rows are two different array objects.
        Their values are not compared.
        """
        return self.data is not self._previous.rows

    def news(self, n: int) -> bool:
        """Return whether the column has received rows since the last upload."""
        return self.uploads.unsent or self.uploads.stale

    def handed_over(self, n: int, changed: bool) -> None:
        state = self._previous
        uploads = self.uploads
        state.uploaded = self.data
        state.advanced = False
        self.settled = not changed
        uploads.unsent = uploads.stale = False
        uploads.sent = n
        uploads.patches.clear()

    # -- snapshots ---------------------------------------------------------------------------------

    def freeze(self, n: int) -> Frozen:
        return Frozen(self.data[:n].copy())

    def kept(self) -> Frozen:
        return Frozen()

    def freeze_previous(self, n: int, current: Frozen) -> Frozen:
        if self.data is self._previous.rows:
            return current
        return Frozen(self._previous.rows[:n].copy())

    def restore(self, current: Frozen, previous: Frozen | None) -> None:
        self.own()
        TableColumn.restore(self, current, previous)


class TimedRows:
    """Moves a table's rows to received rows over several ticks, instead of in one tick.

    The rows move from ``starts`` to ``ends`` at a constant speed, in ``duration`` simulated
    seconds. ``elapsed`` is the time from the start of the motion to the start of the current tick.
    """

    __slots__ = ("columns", "duration", "elapsed", "ends", "starts")

    not_state = True

    def __init__(
        self,
        columns: Sequence[TableColumn],
        starts: Sequence[NDArray[Any]],
        ends: Sequence[NDArray[Any]],
        duration: float,
        elapsed: float = 0.0,
    ) -> None:
        self.columns = columns
        self.starts = starts
        self.ends = ends
        self.duration = duration
        self.elapsed = elapsed

    def rows_at(self, time: float) -> list[NDArray[Any]]:
        """Return the rows of each column ``time`` seconds after the start of the motion."""
        if time >= self.duration:
            return [*self.ends]
        share = max(time / self.duration, 0.0)
        columns = zip(self.columns, self.starts, self.ends, strict=True)
        return [_between(column.name, start, end, share) for column, start, end in columns]

    def begin_tick(self, table: Table, dt: float) -> None:
        """Move the rows by one tick of ``dt`` seconds. The table calls this method after the
        current rows have become the previous rows.
        """
        self.elapsed += table.tick.length
        for column, rows in zip(self.columns, self.rows_at(self.elapsed + dt), strict=True):
            _receive(column, rows, column.current(table.count), table.capacity)
        if self.elapsed >= self.duration:
            table.timed_rows = None

    def copy(self) -> TimedRows:
        """Return a copy with its own memory, for a snapshot."""
        starts, ends = ([rows.copy() for rows in state] for state in (self.starts, self.ends))
        return TimedRows(self.columns, starts, ends, self.duration, self.elapsed)


def _between(name: str, start: NDArray[Any], end: NDArray[Any], share: float) -> NDArray[Any]:
    """Interpolate the rows between the states ``start`` and ``end``, in the same way as a frame
    whose alpha is ``share``.
    """
    if name == "rotation":
        return np.asarray(
            quaternions.slerp(quaternions.normalized(start), quaternions.normalized(end), share)
        )
    if name == "angle":
        return blend_angle(start, end, share)
    result: NDArray[Any] = start + (end - start) * start.dtype.type(share)
    return result


def _receive(
    column: TableColumn, current: NDArray[Any], previous: NDArray[Any], capacity: int
) -> None:
    """Make a column use the arrays ``current`` and ``previous``."""
    if not isinstance(column, ReceivedColumn):
        object.__setattr__(column, "__class__", ReceivedColumn)
        object.__setattr__(column, "_previous", ReceivedPrevious(previous, capacity))
        assert isinstance(column, ReceivedColumn)
        column.uploads.stale = True
    column.receive(current, previous, capacity)


def receive_rows(
    table: Table, received: Received, count: int, ids: NDArray[Any] | None, next_id: int = 0
) -> None:
    """Make the columns of a table use the arrays in ``received``, without a copy. All arrays must
    have ``count`` rows. ``ids`` contains the ids of the rows, or is None if no rows were added or
    removed. If a column is not in ``received``, old rows keep their values, and new rows get
    default values. The next row that the game adds gets the id ``next_id`` or a higher id.
    """
    table.close_holes()
    if table.lease is not None:
        table.lease.leave()
    table.prepared = 0
    table.settle()
    table.tick.snapping.clear()  # the previous values of new and teleported rows are received
    if ids is not None:
        _set_rows(table, {id(column) for column, _, _ in received}, ids, next_id)
    table.timed_rows = None
    for column, current, previous in received:
        _receive(column, current, previous, table.capacity)
    table.map_memory()


def receive_over_time(
    table: Table,
    received: Received,
    count: int,
    ids: NDArray[Any] | None,
    next_id: int,
    duration: float,
) -> None:
    """Do the same as `receive_rows`, but move the rows over several ticks. Their values become
    equal to ``received`` at ``duration`` seconds after the start of the current tick.
    """
    moving = [entry for entry in received if entry[0].interpolated]
    timed = TimedRows(
        [column for column, _, _ in moving],
        [previous for _, _, previous in moving],
        [current for _, current, _ in moving],
        duration,
    )
    first = iter(timed.rows_at(table.tick.length))
    received = [
        (column, next(first) if column.interpolated else current, previous)
        for column, current, previous in received
    ]
    receive_rows(table, received, count, ids, next_id)
    if duration > table.tick.length and moving:
        table.timed_rows = timed


def _set_rows(table: Table, replaced: set[int], ids: NDArray[Any], next_id: int) -> None:
    """Add and remove rows until the table has exactly the rows with these ``ids``, in this order.
    Columns whose ``id()`` is in ``replaced`` stay unchanged, because the caller replaces their rows
    later.
    """
    count = len(ids)
    capacity = table.capacity if count <= table.capacity else max(count, 2 * table.capacity)
    kept_columns = [column for column in table.columns if id(column) not in replaced]
    if kept_columns or table.handles or table.followers:
        rows = table.ids.rows_of(ids, table.count)
        for column in kept_columns:
            column.rearrange(rows, capacity)
        new_indices = np.full(table.count, -1, np.intp)
        present = rows >= 0
        new_indices[rows[present]] = np.flatnonzero(present)
        table.move_rows(new_indices)
    after = max(next_id, int(ids.max()) + 1 if count else 0)
    table.ids.load(ids, after, count)
    table.capacity = capacity
    table.count = count
    table.tick.noticed = None


def stop_receiving(table: Table) -> None:
    """Copy all received rows into the table's own memory. After the call, the table is a normal
    table again.
    """
    table.timed_rows = None
    table.prepared = 0
    for column in table.columns:
        if isinstance(column, ReceivedColumn):
            column.own()
    table.map_memory()


def checked_received(
    table: Table, current: object, previous: object, ids: object, takes_time: bool
) -> tuple[Received, int, NDArray[Any] | None]:
    """Check the arguments of `Transforms.receive`, and return the arguments for `receive_rows`.
    With ``takes_time``, the rows move over several ticks, beginning with their values at the start
    of this tick.

    Raises `TypeError` or `ValueError` if an array does not fit the table.
    """
    table.close_holes()
    new_ids = None if ids is None else _changed_ids(table, ids)
    count = table.count if new_ids is None else len(new_ids)
    now = _arrays(table, "current", current)
    before = {} if previous is None else _arrays(table, "previous", previous)
    if not now:
        raise ValueError("current: expected the arrays of some columns, got an empty dict")
    unknown = [name for name in before if name not in now]
    if unknown:
        raise ValueError(
            f"previous: {unknown[0]!r} is not in current; pass both states of a column"
        )
    received = []
    for name, array in now.items():
        column = table.column(name)
        older = before.get(name)
        advice = "" if ids is not None else "; pass ids= if rows were added or removed"
        _check_shape(f"current[{name!r}]", column, array, count, advice)
        if older is not None:
            _check_shape(f"previous[{name!r}]", column, older, count, advice)
        if older is not None and not column.interpolated:
            raise ValueError(f"previous: {name!r} is not interpolated; pass only its current rows")
        if older is None and takes_time and column.interpolated:
            older = _at_start(table, column, array, new_ids)
        elif older is None:
            goes_on = new_ids is None and column.interpolated and isinstance(column, ReceivedColumn)
            older = column.data if goes_on else array
        received.append((column, array, older))
    return received, count, new_ids


def _changed_ids(table: Table, ids: object) -> NDArray[Any] | None:
    """Check the ids of received rows, and return them. Return None if the table already has these
    rows in this order.
    """
    new_ids = _checked_ids(ids)
    if not table.rows_can_be_received:
        raise ValueError("ids: expected None, because nodes cannot receive other rows")
    count = len(new_ids)
    is_same = count == table.count and np.array_equal(new_ids, table.ids.values(count))
    return None if is_same else new_ids


def _check_shape(
    label: str, column: TableColumn, array: NDArray[Any], count: int, advice: str
) -> None:
    """Raise `ValueError` if a received array does not have ``count`` rows of a column."""
    shape = (count, *column.cell)
    if array.shape != shape:
        raise ValueError(
            f"{label}: expected {column.data.dtype} of shape {shape}, got shape {array.shape}"
            + advice
        )


def _at_start(
    table: Table, column: TableColumn, current: NDArray[Any], ids: NDArray[Any] | None
) -> NDArray[Any]:
    """Return the values that the rows of a column had at the start of the tick. If a row is new,
    return its current value.
    """
    before = column.previous(table.count)
    if ids is None:
        return before.copy()
    rows = table.ids.rows_of(ids, table.count)
    present = rows >= 0
    result = current.copy()
    result[present] = before[rows[present]]
    return result


def _arrays(table: Table, name: str, value: object) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    for column_name, array in named(name, value, "arrays by the names of columns").items():
        label = f"{name}[{column_name!r}]"
        if not table.has(column_name):
            raise ValueError(f"{label}: {table.missing(column_name)}")
        column = table.column(column_name)
        dtype = column.data.dtype
        if dtype.hasobject:
            raise ValueError(f"{label}: a column of Python objects cannot be received")
        if column_name == "parent" and not table.rows_can_be_received:
            raise ValueError(f"{label}: nodes cannot receive other parents")
        instance(label, array, np.ndarray, what=f"an array of {dtype}")
        if array.dtype != dtype or not array.flags.c_contiguous:
            raise ValueError(
                f"{label}: expected a contiguous array of {dtype}, got {shown(array)}; "
                "the rows are not copied, so they must be stored as in the batch"
            )
        arrays[column_name] = array
    return arrays


def _checked_ids(value: object) -> NDArray[Any]:
    ids = instance("ids", value, np.ndarray, what="an array of ids, uint32")
    if ids.dtype.kind not in "iu" or ids.ndim != 1:
        raise wrong_type("ids", "an array (n,) of whole numbers", value)
    if len(ids) > _MAX_ROWS:
        raise ValueError(f"ids: expected at most {_MAX_ROWS:,} rows, got {len(ids):,}")
    if len(ids):
        low = int(ids.min())
        high = int(ids.max())
        if low < 0 or high >= MAX_IDS:
            raise ValueError(f"ids: expected ids from 0 to {MAX_IDS - 1:,}, got {low} to {high}")
        ordered = np.sort(ids)
        if (ordered[1:] == ordered[:-1]).any():
            twice = int(ordered[1:][ordered[1:] == ordered[:-1]][0])
            raise ValueError(f"ids: expected different ids, got {twice} twice")
    return ids
