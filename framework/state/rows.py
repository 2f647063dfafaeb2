"""Batches as rows of a table, and the handles that a game holds of single rows.

A batch has a `Table`. Its rows come and go by `extend`, `add` and `remove`; a row that somebody
asked for is a handle, which stays the same when the rows before it go, and knows when its own is
gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeGuard, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Mask, Rows, row_indices
from ..checks import color, number, whole
from .columns import Codes, ColumnProperty, Table, TableHandle, TableT, Tabular

MAX_ROWS = 1 << 24
"""Rows in one batch: more would need buffers that not every GL driver gives."""

T = TypeVar("T")
H = TypeVar("H", bound="Handle[Any]")
B = TypeVar("B")
K = TypeVar("K", bound="Handle[Any]")


class Batch:
    """Rows with columns. Subclasses set ``_table``, a `Table`; other modules use `table_of`."""

    __slots__ = ()

    _table: Table

    _rows_can_be_saved: ClassVar[bool] = False
    """Whether `Game.save` can have them: where the table's columns say all that there is to
    them.
    """
    _noun: ClassVar[str] = "rows"
    """The plural of a row, for error messages."""

    def __len__(self) -> int:
        """Rows in the batch."""
        return self._table.count

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more rows; returns them as a slice. Keyword arguments are columns:
        ``position=…, color=…``.

        They are drawn first where this tick leaves them. Raises `TypeError` or `ValueError` that
        names what does not fit; then no row was made.
        """
        count = self._room_for("count", count)
        return self._table.spawn(count, self._table.checked(count, columns))

    def _room_for(self, name: str, count: int) -> int:
        """``count`` more rows, checked against what a batch can hold."""
        count = whole(name, count, 0)
        if self._table.count + count > MAX_ROWS:
            rows = self._table.count + count
            raise ValueError(
                f"{name}: {rows:,} {self._noun}, a batch holds at most {MAX_ROWS:,}; use several"
            )
        return count

    def _start_with(self, count: int, capacity: int) -> None:
        """The rows of a new batch."""
        self._table.reserve(self._room_for("capacity", capacity))
        if self._room_for("count", count):
            self._table.spawn(count)

    def remove(self, rows: ArrayLike | slice) -> None:
        """Take out rows by indices, mask or slice. The others keep their order; numbers close
        up.
        """
        self._table.drop(row_indices(rows, self._table.count))

    def clear(self) -> None:
        """Take out every row."""
        self.remove(slice(None))

    def teleport(self, rows: ArrayLike | slice = slice(None)) -> None:
        """Draw rows, all unless told, where this tick leaves them, without a displacement. Before
        or after moving them is the same."""
        indices = row_indices(rows, self._table.count)
        if isinstance(indices, slice) or len(indices):
            self._table.mark_teleported(indices)


class Handled(Batch, Generic[H]):
    """A batch whose rows are handed out as handles of a class marked with `handle_of`."""

    __slots__ = ()

    _handle_class: ClassVar[type[Any]]

    def add(self, **columns: Any) -> H:
        """One more row: ``add(position=…, color=…)``; keywords are columns."""
        row: int = self.extend(1, **columns).start
        return self._handle(row)

    def remove(self, rows: H | ArrayLike | slice) -> None:
        """Take out what a handle stands for, or rows by indices, mask or slice. The others keep
        their order; numbers close up."""
        super().remove(rows_of(self, rows))

    def teleport(self, rows: H | ArrayLike | slice = slice(None)) -> None:
        """Draw rows, all unless told, where this tick leaves them, without a displacement. Before
        or after moving them is the same."""
        super().teleport(rows_of(self, rows))

    def _chosen_rows(self, rows: H | ArrayLike | slice) -> Rows | slice:
        """Rows by a handle, indices, mask or slice."""
        return row_indices(rows_of(self, rows), self._table.count)

    def __getitem__(self, row: int) -> H:
        """The handle of a row, 0 to len - 1 (negative: from the end). It stays the same when rows
        close up.
        """
        n, row = len(self), whole("row", row)
        if not -n <= row < n:
            raise IndexError(f"row: there are {n} {self._noun}, asked for number {row}")
        return self._handle(row % n)

    def __iter__(self) -> Iterator[H]:
        """Those that are there now. Meanwhile any may be removed (they are left out then) and
        others added.
        """
        for handle in [self[row] for row in range(len(self))]:
            if not handle.removed:
                yield handle

    def _handle(self, row: int) -> H:
        """The handle of a row of the table."""
        handles: dict[int, Any] = self._table.handles
        handle: H | None = handles.get(row)
        if handle is None:
            handle = handles[row] = self._handle_class(self, row)
        return handle


@overload
def table_of(batch: Tabular[TableT]) -> TableT: ...
@overload
def table_of(batch: object) -> Table | None: ...
def table_of(batch: object) -> Table | None:
    """Return the table with the rows of a batch, or None for an object without one."""
    table = getattr(batch, "_table", None)
    return table if isinstance(table, Table) else None


def rows_of(batch: object, rows: Handle[Any] | ArrayLike | slice) -> ArrayLike | slice:
    """Return the row of a handle as a list of indices, and any other selection unchanged.

    Raises `ValueError` for a handle of another batch.
    """
    return [row_in(rows, batch)] if isinstance(rows, Handle) else rows


def rows_can_be_saved(batch: object) -> TypeGuard[Tabular[Table]]:
    """Return whether `Game.save` can save the rows of ``batch``."""
    return bool(getattr(type(batch), "_rows_can_be_saved", False))


def further_rows(batch: object) -> dict[str, tuple[NDArray[Any], Codes | None]]:
    """Return what a save has of the rows besides the table's columns, by names.

    Each value is an array (rows, …), with the meaning of its numbers if they are codes.
    """
    further: Callable[[], dict[str, tuple[NDArray[Any], Codes | None]]] | None
    further = getattr(batch, "_further_rows", None)
    return {} if further is None else further()


def put_further(batch: object, count: int, columns: dict[str, NDArray[Any]]) -> None:
    """Set what `further_rows` returned, and take it out of ``columns``; rows are set afterwards."""
    put: Callable[[int, dict[str, NDArray[Any]]], object] | None
    put = getattr(batch, "_put_further", None)
    if put is not None:
        put(count, columns)


def captured_further(batch: object) -> object:
    """Return what a batch has besides its table, for `put_back_further`; None for nothing."""
    captured: Callable[[], object] | None = getattr(batch, "_captured_further", None)
    return None if captured is None else captured()


def put_back_further(batch: Any, captured: object) -> None:
    """Restore what `captured_further` returned."""
    if captured is not None:
        batch._put_back_further(captured)


def check_rows(batch: object, columns: Mapping[str, NDArray[Any]]) -> None:
    """Raise `ValueError` if rows from a save do not fit the batch."""
    check: Callable[[Mapping[str, NDArray[Any]]], object] | None
    check = getattr(batch, "_check_rows", None)
    if check is not None:
        check(columns)


def handle_of(batch: type[Handled[Any]]) -> Callable[[type[K]], type[K]]:
    """Return a decorator for the class of the handles that ``batch`` hands out."""

    def mark(handle: type[K]) -> type[K]:
        batch._handle_class = handle
        return handle

    return mark


class Removed:
    """Stands in for the batch and the table of a handle whose row is gone: whatever is asked of it
    is an error.
    """

    def __init__(self, words: str) -> None:
        self._words = words

    def __getattr__(self, name: str) -> NoReturn:
        raise ValueError(self._words)


class Handle(TableHandle, Generic[B]):
    """One row of a batch of class ``B``, with properties. Made by ``batch.add(…)`` or
    ``batch[row]``, never directly.

    After `remove` it is no more: using it is a `ValueError`.
    """

    __slots__ = ("_batch", "_row", "_table")

    _noun: ClassVar[str] = "row"
    """The word for a row, for error messages."""
    _gone: ClassVar[Removed]

    _loss: ClassVar[str] = "it was removed from its batch; make a new one with batch.add(…)"
    """What is said of one that is gone."""

    def __init_subclass__(cls) -> None:
        cls._gone = Removed(f"{cls._noun}: {cls._loss}")

    _table: Table | Removed

    def __init__(self, batch: Tabular[Table], row: int) -> None:
        self._batch = batch
        self._row = row
        self._table = batch._table

    @property
    def row(self) -> int:
        """Its number in the batch now."""
        self._check()
        return self._row

    @property
    def batch(self) -> B:
        """The batch that it is in."""
        self._check()
        batch: B = self._batch
        return batch

    @property
    def removed(self) -> bool:
        """Whether its row is gone."""
        return self._row < 0

    def _check(self) -> None:
        """Raise `ValueError` if the row was removed."""
        if self._row < 0:
            self._gone.asked  # noqa: B018  (raises)

    def _moved(self, row: int) -> None:
        self._row = row
        if row < 0:
            self._batch = self._table = self._gone

    def _returned(self, batch: Any, row: int) -> None:
        self._batch, self._table = batch, batch._table
        self._moved(row)

    def _columns_moved(self) -> None:
        pass

    def teleport(self, position: ArrayLike | None = None) -> None:
        """Be drawn where this tick leaves it, without a displacement; ``position`` is set first
        when given.
        """
        if position is not None:
            self._table.column("position").put(self._row, position)
        self._batch.teleport(self)

    def remove(self) -> None:
        """Leave the batch. A second time is a `ValueError`."""
        self._batch.remove(self)

    def __enter__(self) -> Self:
        """``with batch.add(…) as one:`` has it removed when the block is left."""
        return self

    def __exit__(self, *error: object) -> None:
        if not self.removed:
            self.remove()


def row_in(handle: Handle[Any], batch: object) -> int:
    """Return the row of a handle in ``batch``.

    Raises `ValueError` for a handle of another batch, or of a row that was removed.
    """
    handle._check()
    if handle._batch is not batch:
        raise ValueError(f"{handle._noun}: it belongs to another batch")
    return handle._row


def noun_of(handle: Handle[Any]) -> str:
    """Return the word for the row of a handle, for error messages: "sprite"."""
    return handle._noun


def exchange_handles(handle: Handle[Any], other: Handle[Any], batch: Handled[Any]) -> None:
    """Let ``other`` stand for the row of ``handle`` in ``batch``, from where a save was loaded.

    If ``other`` is a handle of the same batch, ``handle`` gets its row; otherwise no row.
    """
    handles, row = batch._table.handles, handle._row
    if other.removed:
        handle._moved(-1)
    else:
        handle._returned(batch, other._row)
        handles[other._row] = handle
    other._returned(batch, row)
    handles[row] = other


class RowSet:
    """Rows of a table that are followed when they get other numbers; -1 for one that is gone."""

    __slots__ = ("__weakref__", "_place", "rows", "table")

    def __init__(self, table: Table, rows: Rows) -> None:
        self.table = table
        self.rows = rows
        self._place: Rows | slice | None = None
        table.follow(self, RowSet.renumber)

    @property
    def _table(self) -> Table:
        return self.table

    def renumber(self, numbers: Rows) -> None:
        """Row ``i`` has the number ``numbers[i]`` now."""
        there = self.rows >= 0
        self.rows[there] = numbers[self.rows[there]]
        self._place = None

    def _captured_further(self) -> Rows:
        """The rows, for `_put_back_further`, when the table itself is put back."""
        return self.rows.copy()

    def _put_back_further(self, rows: Rows) -> None:
        """Have them again."""
        self.replace(rows)

    def replace(self, rows: Rows) -> None:
        """Other rows from now on."""
        self.rows, self._place = rows, None

    def gone(self) -> Mask | None:
        """Which rows are gone; None where all are there."""
        rows, holes = self.rows, self.table.holes
        if holes:
            marks = np.zeros(self.table.count + 1, bool)
            marks[[*holes, -1]] = True
            gone: Mask = marks[rows]
        elif self._place is not None:
            return None
        else:
            gone = rows < 0
        return gone if gone.any() else None

    def place(self) -> Rows | slice:
        """The rows, which are all there, as a slice where they follow on one another."""
        if self._place is None:
            rows, n = self.rows, len(self.rows)
            first = int(rows[0])
            follow = int(rows[-1]) == first + n - 1 and bool(
                (rows == np.arange(first, first + n)).all()
            )
            self._place = slice(first, first + n) if follow else rows
        return self._place

    def counted(self) -> Rows:
        """The rows as they are numbered once the table has closed up: for hashes."""
        holes = sorted(self.table.holes)
        rows = self.rows - np.searchsorted(holes, self.rows)
        return np.where(np.isin(self.rows, holes) | (self.rows < 0), -1, rows)


class Cell(ColumnProperty, Generic[T]):
    """What a handle's row has in a column, as a property: ``scale = Cell[tuple[float,
    float]]("Factors in x and y.")``.

    Several numbers are read as a tuple, and written as so many, or as one for all.
    """

    @overload
    def __get__(self, handle: None, owner: type) -> Self: ...
    @overload
    def __get__(self, handle: Handle[Any], owner: type) -> T: ...
    def __get__(self, handle: Handle[Any] | None, owner: type) -> Self | T:
        if handle is not None:
            value: Any = handle._table.column(self.name).data[handle._row].tolist()
            cell: Any = tuple(value) if type(value) is list else value
            return cell  # type: ignore[no-any-return]
        return self

    def __set__(self, handle: Handle[Any], value: Any) -> None:
        handle._table.column(self.name).put(handle._row, value)


class ColorCell(Cell[tuple[float, float, float, float]]):
    """Red, green, blue and alpha; when three numbers are set, or a string without alpha, alpha
    stays as it is.
    """

    def __set__(self, handle: Handle[Any], value: Any) -> None:
        column = handle._table.column(self.name)
        alpha = float(column.data[handle._row][3])
        column.put(
            handle._row, color(self.name, value, alpha, as_light=column.color_space == "linear")
        )


class AlphaCell:
    """Opacity, 0 to 1: the last number of ``color``."""

    def __get__(self, handle: Handle[Any] | None, owner: type) -> Any:
        return self if handle is None else float(handle._table.column("color").data[handle._row][3])

    def __set__(self, handle: Handle[Any], value: Any) -> None:
        column = handle._table.column("color")
        column.put(handle._row, [*column.data[handle._row][:3].tolist(), number("alpha", value)])


class PlaceCell:
    """A number of ``position``."""

    def __init__(self, axis: int, doc: str) -> None:
        self._axis, self.__doc__ = axis, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, handle: Handle[Any] | None, owner: type) -> Any:
        return (
            self
            if handle is None
            else float(handle._table.column("position").data[handle._row][self._axis])
        )

    def __set__(self, handle: Handle[Any], value: Any) -> None:
        column = handle._table.column("position")
        place: list[float] = column.data[handle._row].tolist()
        place[self._axis] = number(self._name, value)
        column.put(handle._row, place)
