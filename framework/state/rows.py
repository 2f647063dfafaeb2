"""Batches, which store rows such as sprites, and handles, which are objects for single rows.

The method `extend` of a batch adds several rows, `add` adds one row, and `remove` removes rows. A
handle, such as a `Sprite`, stays valid when other rows are removed. After its own row has been
removed, using the handle raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import (
    Any,
    ClassVar,
    Generic,
    NoReturn,
    Self,
    TypeGuard,
    TypeVar,
    overload,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Mask, Rows, row_indices
from ..checks import color, number, text, whole, wrong_value
from ..moved_names import HasMoved
from ..other_engines.batch_names import batch_names, handle_names
from ..other_engines.other_options import other_options
from .columns import (
    Codes,
    ColumnProperty,
    Table,
    TableHandle,
    TableT,
    Tabular,
    small_number,
)

MAX_ROWS = 1 << 24
"""The maximum number of rows in a batch. Some OpenGL drivers do not support larger buffers."""

T = TypeVar("T")
H = TypeVar("H", bound="Handle[Any]")
B = TypeVar("B")
K = TypeVar("K", bound="Handle[Any]")


@batch_names
class Batch(HasMoved):
    """The base class of all batches, such as `SpriteBatch`. Subclasses set the attribute
    ``_table``, a `Table`. The modules of the framework call the function `table_of` to get the
    table of a batch.
    """

    __slots__ = ()

    _table: Table

    _rows_can_be_saved: ClassVar[bool] = False
    """Whether `Game.save` can save the rows. True if the table's columns contain the whole state of
    the batch.
    """
    _noun: ClassVar[str] = "rows"
    """The plural word for rows in error messages, such as "sprites"."""
    _takes_columns: ClassVar[bool] = False
    """Whether the constructor has the option ``columns={…}``."""

    def __len__(self) -> int:
        """Return the number of rows in the batch."""
        return self._table.count - len(self._table.holes)

    @property
    def ids(self) -> NDArray[np.uint32]:
        """The id of each row, as a read-only uint32 array of shape (n,).

        The first row has the id 0, and each new row gets the next higher id. The id of a row never
        changes, and is never used again for another row. `row_of` returns the row with a given id.
        """
        table = self._table
        table.close_holes()
        return table.ids.values(table.count)

    @overload
    def row_of(self, ids: int | np.integer[Any]) -> int: ...
    @overload
    def row_of(self, ids: NDArray[Any] | list[int]) -> Rows: ...
    def row_of(self, ids: ArrayLike) -> int | Rows:
        """Return the current index of the row with an id, or -1 if the row was removed.

        ``ids`` is one id, or an array of ids. If ``ids`` is an array, the method returns an array
        of row indices.
        """
        table = self._table
        table.close_holes()
        rows = table.ids.rows_of(ids, table.count)
        return int(rows) if rows.ndim == 0 else rows

    def blended(self, name: str, alpha: float) -> NDArray[Any]:
        """Return one of your own columns, interpolated at ``alpha``. Alpha is 0 at the previous
        tick, and 1 at the current tick.

        See `fw.Column`. Raises `ValueError` if the column is not interpolated or is not your own.
        """
        share = number("alpha", alpha)
        table = self._table
        column = table.own.get(text("name", name))
        if column is None or not column.interpolated:
            names = [own for own in table.own if table.own[own].interpolated]
            expected = f"an interpolated column of its own ({', '.join(names) or 'there is none'})"
            raise wrong_value("name", expected, name)
        table.close_holes()
        table.settle()
        current = column.current(table.count)
        previous = column.previous(table.count)
        return current.copy() if share == 1 else previous + (current - previous) * np.float32(share)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """Add ``count`` rows at the end, and return a slice that selects the new rows.

        Keyword arguments set the values of columns, for example ``position=…, color=…``. Columns
        without a keyword argument get their default values. In this tick, the new rows are drawn
        without interpolation.

        If the values of a column do not fit, `extend` raises `TypeError` or `ValueError` with the
        column's name, and does not add any rows.
        """
        count = self._room_for("count", count)
        return self._table.spawn(count, self._table.checked(count, columns))

    def _room_for(self, name: str, count: int) -> int:
        """Return ``count`` as an int if the batch can store ``count`` more rows, otherwise raise
        `ValueError`.
        """
        count = whole(name, count, 0)
        if self._table.count + count > MAX_ROWS:
            rows = self._table.count + count
            raise ValueError(
                f"{name}: {rows:,} {self._noun}, a batch holds at most {MAX_ROWS:,}; use several"
            )
        return count

    def _start_with(self, count: int, capacity: int) -> None:
        self._table.reserve(self._room_for("capacity", capacity))
        if self._room_for("count", count):
            self._table.spawn(count)

    def remove(self, rows: ArrayLike | slice) -> None:
        """Remove rows. ``rows`` is an array of indices, a mask or a slice.

        The remaining rows stay in the same order, but their indices become smaller.
        """
        self._table.drop(row_indices(rows, self._table.count))

    def clear(self) -> None:
        """Remove all rows of the batch."""
        self.remove(slice(None))

    def teleport(self, rows: ArrayLike | slice = slice(None)) -> None:
        """Draw rows without interpolation, at the positions that they have at the end of this tick.

        Without ``rows``, all rows are teleported. The game may move the rows before or after the
        call.
        """
        indices = row_indices(rows, self._table.count)
        if isinstance(indices, slice) or len(indices):
            self._table.mark_teleported(indices)


class Handled(Batch, Generic[H]):
    """A batch that has an object for each row: a handle, such as the `Sprite` of a `SpriteBatch`.

    The decorator `handle_of` registers the class of the handles.
    """

    __slots__ = ()

    _handle_class: ClassVar[type[Any]]

    @other_options(_="write batch.add(position=(x, y, z))")
    def add(self, **columns: Any) -> H:
        """Add a row and return its handle. Keyword arguments set the values of columns, as in
        ``add(position=…, color=…)``.
        """
        row: int = self.extend(1, **columns_of_one_row(self._table, columns)).start
        return self._handle(row)

    def remove(self, rows: H | ArrayLike | slice) -> None:
        """Remove rows. ``rows`` is a handle, an array of indices, a mask or a slice.

        The remaining rows stay in the same order, but their indices become smaller.
        """
        self._table.drop(chosen_rows(self, rows))

    def teleport(self, rows: H | ArrayLike | slice = slice(None)) -> None:
        """Draw rows without interpolation, at the positions that they have at the end of this tick.

        ``rows`` is a handle, an array of indices, a mask or a slice. By default, all rows are
        teleported. The game may move the rows before or after the call.
        """
        if isinstance(rows, self._handle_class):
            row = row_in(rows, self)
            self._table.mark_teleported(slice(row, row + 1))
        else:
            self._table.close_holes()
            super().teleport(rows_of(self, rows))

    def __getitem__(self, row: int) -> H:
        """Return the handle of the row with the index ``row``. A negative index counts from the
        last row.

        The handle refers to the same row even after other rows are removed.
        """
        self._table.close_holes()
        n = self._table.count
        row = whole("row", row)
        if not -n <= row < n:
            raise IndexError(f"row: there are {n} {self._noun}, asked for number {row}")
        return self._handle(row % n)

    def __iter__(self) -> Iterator[H]:
        """Iterate over the handles of all rows that exist when the loop starts.

        You may add and remove rows during the loop. Rows that are removed during the loop are
        skipped.
        """
        for handle in [self[row] for row in range(len(self))]:
            if not handle.removed:
                yield handle

    def _handle(self, row: int) -> H:
        handles: dict[int, Any] = self._table.handles
        handle: H | None = handles.get(row)
        if handle is None:
            handle = handles[row] = self._handle_class(self, row)
            if len(handles) == 1:
                self._table.map_memory()
        return handle


@overload
def table_of(batch: Tabular[TableT]) -> TableT: ...
@overload
def table_of(batch: object) -> Table | None: ...
def table_of(batch: object) -> Table | None:
    """Return the table that stores the rows of a batch, or None for an object without a table."""
    table = getattr(batch, "_table", None)
    return table if isinstance(table, Table) else None


def rows_of(batch: object, rows: Handle[Any] | ArrayLike | slice) -> ArrayLike | slice:
    """If ``rows`` is a handle, return a list with the index of its row. If ``rows`` is an array of
    indices, a mask or a slice, return ``rows`` unchanged.

    Raises `ValueError` if the handle belongs to another batch.
    """
    return [row_in(rows, batch)] if isinstance(rows, Handle) else rows


def chosen_rows(batch: Tabular[Table], rows: Handle[Any] | ArrayLike | slice) -> Rows | slice:
    """Return the indices of ``rows``, which is a handle, an array of indices, a mask or a slice.
    Rows that the game has removed are first removed from the arrays of the table.
    """
    table = batch._table
    table.close_holes()
    return row_indices(rows_of(batch, rows), table.count)


def columns_of_one_row(table: Table, values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns for `Batch.extend`, which adds one row with ``values``. The value of one
    of the game's own columns is put into a list, because it may be any object, such as a tuple.
    """
    own = table.own
    if not own:
        return values
    return {
        name: [own[name].checked(value)] if name in own else value for name, value in values.items()
    }


def rows_can_be_saved(batch: object) -> TypeGuard[Tabular[Table]]:
    """Return whether `Game.save` can save the rows of ``batch``."""
    return bool(getattr(type(batch), "_rows_can_be_saved", False))


def further_rows(batch: object) -> dict[str, tuple[NDArray[Any], Codes | None]]:
    """Return the arrays that a save stores in addition to the table's columns. The keys of the
    returned dict are the names of the arrays. An example is the array of clip times.

    Each value of the dict is a pair: an array with one item per row, and a `Codes` object or None.
    If the array contains indices of clips or animations, the `Codes` object contains their names.
    """
    arrays: dict[str, tuple[NDArray[Any], Codes | None]] = _of_batch_or_table(
        batch, "further_rows"
    )()
    return arrays


def put_further(batch: object, count: int, columns: dict[str, NDArray[Any]]) -> None:
    """Restore the arrays of `further_rows` from a save, and remove them from ``columns``. Call
    `put_further` before the rows are added.
    """
    _of_batch_or_table(batch, "put_further")(count, columns)


def capture_extra(batch: object) -> object:
    """Return the part of a batch's state that `Table.capture` does not contain, or None. An example
    is the clock of animation clips.
    """
    return _of_batch_or_table(batch, "capture_extra")()


def restore_extra(batch: object, captured: object) -> None:
    """Restore the state that `capture_extra` returned."""
    if captured is not None:
        _of_batch_or_table(batch, "restore_extra")(captured)


def check_rows(batch: object, columns: Mapping[str, NDArray[Any]]) -> None:
    """Raise `ValueError` if rows from a save do not fit the batch."""
    _of_batch_or_table(batch, "check_rows")(columns)


def _of_batch_or_table(batch: object, name: str) -> Callable[..., Any]:
    """Return a method of the batch's table. A batch with state outside its table, such as a
    `ModelBatch`, has a private method with the same name.
    """
    method: Callable[..., Any] | None = getattr(batch, f"_{name}", None)
    if method is None:
        method = getattr(table_of(batch), name)
    return method


def handle_of(batch: type[Handled[Any]]) -> Callable[[type[K]], type[K]]:
    """Return a class decorator that makes a class the handle class of ``batch``."""

    def mark(handle: type[K]) -> type[K]:
        batch._handle_class = handle
        handle._takes_columns = batch._takes_columns
        return handle

    return mark


class Removed:
    """The object that replaces the batch and the table of a handle whose row was removed. Every
    access to one of its attributes raises `ValueError`.
    """

    def __init__(self, words: str) -> None:
        self._words = words

    def __getattr__(self, name: str) -> NoReturn:
        raise ValueError(self._words)


@handle_names
class Handle(TableHandle, Generic[B]):
    """One row of a batch, with properties such as ``position``. The type parameter ``B`` is the
    class of the batch.

    ``batch.add(…)`` and ``batch[row]`` create and return handles. Do not call a handle class
    yourself. After `remove`, using the handle raises `ValueError`.
    """

    __slots__ = ("_batch", "_row", "_table")

    _noun: ClassVar[str] = "row"
    """The word for a row in error messages, such as "sprite"."""
    _gone: ClassVar[Removed]

    _takes_columns: ClassVar[bool] = False
    """Whether the batch has the option ``columns={…}``."""

    _loss: ClassVar[str] = "it was removed from its batch; make a new one with batch.add(…)"
    """A text for error messages that explains why the game cannot use a removed handle."""

    def __init_subclass__(cls) -> None:
        if not cls.__module__.startswith("framework."):
            kind = next(base for base in cls.__mro__ if base.__module__.startswith("framework."))
            raise TypeError(
                f"class {cls.__name__}({kind.__name__}): a {kind.__name__} cannot have subclasses, "
                f"because the batch makes each {kind.__name__}{_own_values(cls, kind)}"
            )
        cls._gone = Removed(f"{cls._noun}: {cls._loss}")

    _table: Table | Removed

    def __init__(self, batch: Tabular[Table], row: int) -> None:
        self._batch = batch
        self._row = row
        self._table = batch._table

    @property
    def row(self) -> int:
        """The current index of the row in the batch. It changes when a row with a lower index is
        removed.
        """
        self._check()
        return self._row

    @property
    def id(self) -> int:
        """The id of the row, which never changes. No other row of the batch ever gets the same id.

        ``batch.row_of(id)`` returns the current index of the row.
        """
        self._check()
        table: Any = self._table
        return int(table.ids.of_row(self._row))

    @property
    def batch(self) -> B:
        """The batch that contains the row."""
        self._check()
        batch: B = self._batch
        return batch

    @property
    def removed(self) -> bool:
        """Whether the row was removed from the batch."""
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
        self._batch = batch
        self._table = batch._table
        self._moved(row)

    def teleport(self, position: ArrayLike | None = None) -> None:
        """Draw the row without interpolation, at the position that it has at the end of this tick.
        The game may set the position before or after the call.

        If you pass ``position``, the row moves to this position first.
        """
        if position is not None:
            self._table.column("position").put(self._row, position)
        self._batch.teleport(self)

    def remove(self) -> None:
        """Remove the row from the batch. Calling `remove` again raises `ValueError`."""
        self._batch.remove(self)

    def __enter__(self) -> Self:
        """Return the handle. At the end of the block ``with batch.add(…) as sprite:``, the row is
        removed.
        """
        return self

    def __exit__(self, *error: object) -> None:
        if not self.removed:
            self.remove()


def _own_values(cls: type, kind: type[Handle[Any]]) -> str:
    """Return the end of an error message about a subclass of a handle class. It explains how own
    columns store values, such as hit points, in each row.
    """
    if not kind._takes_columns:
        return ""
    if kind.__name__ != "Sprite":
        return f"; make the batch with columns={{'hp': 3}}, and each {kind.__name__} has its own hp"
    batch = f"self.{cls.__name__.lower()}_batch"
    return (
        f"; write {batch} = self.add(fw.SpriteBatch('ship.png', columns={{'hp': 3}})) and "
        f"sprite = {batch}.add(position=(x, y)): each sprite then has its own sprite.hp"
    )


def row_in(handle: Handle[Any], batch: object) -> int:
    """Return the index of a handle's row in ``batch``.

    Raises `ValueError` if the handle belongs to another batch, or if its row was removed.
    """
    handle._check()
    if handle._batch is not batch:
        raise ValueError(f"{handle._noun}: it belongs to another batch")
    return handle._row


def noun_of(handle: Handle[Any]) -> str:
    """Return the word for one row of this batch in error messages, such as "sprite"."""
    return handle._noun


def exchange_handles(handle: Handle[Any], other: Handle[Any], batch: Handled[Any]) -> None:
    """After the game has loaded a save, make the handle ``other`` refer to the row of ``handle``.

    The handle ``handle`` then refers to the old row of ``other``. If this row was removed,
    ``handle`` no longer refers to a row.
    """
    handles = batch._table.handles
    row = handle._row
    if other.removed:
        handle._moved(-1)
    else:
        handle._returned(batch, other._row)
        handles[other._row] = handle
    other._returned(batch, row)
    handles[row] = other


class RowSet:
    """A selection of rows in a table. When rows are removed from the table, the indices in ``rows``
    are updated, and the indices of removed rows become -1.
    """

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
        """Update the indices after rows were removed. The row with the old index ``i`` now has the
        index ``numbers[i]``.
        """
        # After a restore, this selection may belong only to a snapshot of a later tick, and may
        # have rows that the table does not have now. These rows count as removed until that
        # snapshot is restored.
        exists = (self.rows >= 0) & (self.rows < len(numbers))
        self.rows[exists] = numbers[self.rows[exists]]
        self.rows[~exists] = -1
        self._place = None

    def _capture_extra(self) -> Rows:
        """Return a copy of the row indices, for `_restore_extra`."""
        return self.rows.copy()

    def _restore_extra(self, rows: Rows) -> None:
        self.replace(rows)

    def replace(self, rows: Rows) -> None:
        """Replace all row indices with ``rows``."""
        self.rows = rows
        self._place = None

    def gone(self) -> Mask | None:
        """Return a bool array that is True for each removed row. Return None if no row was removed."""
        rows = self.rows
        holes = self.table.holes
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
        """Return the row indices, as a slice if they are consecutive. Call `place` only if no row
        of the selection was removed.
        """
        if self._place is None:
            rows = self.rows
            n = len(self.rows)
            first = int(rows[0])
            follow = int(rows[-1]) == first + n - 1 and bool(
                (rows == np.arange(first, first + n)).all()
            )
            self._place = slice(first, first + n) if follow else rows
        return self._place

    def counted(self) -> Rows:
        """Return the indices that the rows would have if all removed rows were already deleted from
        the table's arrays. State hashes contain these indices, so they do not depend on when rows
        are deleted. The index of a removed row is -1.
        """
        holes = sorted(self.table.holes)
        rows = self.rows - np.searchsorted(holes, self.rows)
        return np.where(np.isin(self.rows, holes) | (self.rows < 0), -1, rows)


class RowValue(ColumnProperty, Generic[T]):
    """A property of a handle that reads and writes one column in the handle's row, such as
    ``sprite.scale``.

        scale = RowValue[tuple[float, float]]("Factors in x and y.")

    If the column stores several numbers per row, the value is a tuple. You can assign a sequence of
    numbers, or one number for all elements.
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


class RowColor(RowValue[tuple[float, float, float, float]]):
    """A property for the color of a handle: red, green, blue and alpha. A new color without alpha
    keeps the old alpha.
    """

    def __set__(self, handle: Handle[Any], value: Any) -> None:
        column = handle._table.column(self.name)
        row = handle._row
        alpha: float = column.data.item(row, 3)
        as_light = column.color_space == "linear"
        column.put_checked(row, color(self.name, value, alpha, as_light=as_light))


class RowAlpha:
    """A property for the opacity of a handle from 0 to 1, which is the alpha of its ``color``."""

    def __get__(self, handle: Handle[Any] | None, owner: type) -> Any:
        return self if handle is None else float(handle._table.column("color").data[handle._row][3])

    def __set__(self, handle: Handle[Any], value: Any) -> None:
        alpha = number("alpha", value, least=0, most=1)
        handle._table.column("color").put_number(handle._row, 3, alpha)


class RowCoordinate:
    """A property for one coordinate of a handle's ``position``, such as ``x``."""

    def __init__(self, axis: int, doc: str) -> None:
        self._axis = axis
        self.__doc__ = doc

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
        column.put_number(handle._row, self._axis, small_number(self._name, value))
