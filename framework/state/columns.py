"""Store the rows of a batch in arrays (columns): one array per attribute, such as the position.

A `TableColumn` owns a NumPy array, and detects whether the game may have written to it. A `Table`
consists of several columns with the same number of rows. An interpolated column also stores the
previous state, which is a copy of its values from the start of the tick. From both states, the
module `transforms` computes the poses between two ticks. The module `gpu.handover` uploads both
states to the GPU.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..arrays import Floats, Mask, Rows
from ..checks import (
    Sealed,
    color,
    flag,
    number,
    rotation_advice,
    shown,
    whole,
    wrong_type,
    wrong_value,
)
from ..moved_names import HasMoved, renamed_column
from ..other_engines.other_options import meant_option
from .previous import FIRST_ROWS, Frozen, Previous
from .row_ids import IdsState, RowIds
from .uploads import Uploads

if TYPE_CHECKING:  # few tables have a clock
    from ..timing.flicks import TickClock

# Smaller columns are always copied at the start of a tick, because this takes no measurable time.
MIN_LAGGING_ROWS = 8192

# Smaller columns are compared in every tick, because this takes less time than creating new
# memoryviews.
_MIN_WATCHED_ROWS = 64

# The game may write single rows of a large column. Up to the first number of such rows, each is
# compared and uploaded separately. The second number is the minimum number of rows in such a
# column.
_MAX_WRITTEN = 64
_MIN_ROWS_WRITTEN = 1024

# If there are more holes than this number, and more than a quarter of all rows are holes, the table
# closes the holes.
_MAX_HOLES = 32

# The table sets this number of rows to their default values in one step, before the game adds these
# rows one by one.
_PREPARED_ROWS = 64

# Up to this number of calls that add or teleport rows, each call is handled separately. With more
# calls, the rows are first joined into one array of indices.
_MAX_SNAPS = 4

_ALL = slice(None)

_WORDS = {1: "one", 2: "two", 3: "three", 4: "four"}

A = TypeVar("A")
TableT = TypeVar("TableT", bound="Table", covariant=True)

_MAX_FLOAT32 = float(np.finfo(np.float32).max)

# The reference count of an array if only its column refers to the array. The value is measured
# once, at the end of this module.
_OWN_REFERENCES = 0


def _check_of(dtype: np.dtype[Any]) -> Callable[[str, object], Any]:
    """Return a function that checks a number before it is stored in a column with this dtype."""
    if dtype.kind == "b":
        return flag
    if dtype.kind == "O":
        return lambda name, value: value
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return lambda name, value: whole(name, value, int(limits.min), int(limits.max))
    return number if dtype.itemsize == 8 else small_number


def _words(count: int) -> str:
    return _WORDS.get(count, str(count))


def small_number(name: str, value: object) -> float:
    """Return ``value`` if it is finite and float32 can store it. Otherwise, raise `TypeError` or
    `ValueError`.
    """
    result = number(name, value)
    if not -_MAX_FLOAT32 <= result <= _MAX_FLOAT32:
        raise wrong_value(name, "a number of at most 3.4e38", value)
    return result


_ADD_OPTIONS = {
    **dict.fromkeys(("x", "y", "z"), "write position=(x, y), or position=(x, y, z) in 3D"),
    **dict.fromkeys(
        ("angle", "euler", "rotation_x", "rotation_y", "rotation_z"),
        "write rotation=quaternions.from_axis((0, 1, 0), angle)",
    ),
}
"""Advice for error messages if the game passes an option of another engine for a new row of a 3D
batch.
"""


class Codes:
    """The objects, such as images, to which the indices in a column refer. The index ``i`` refers
    to the object ``things[i]``.

    Objects are never removed from the list. The index of an object depends on the order in which
    objects were added, so two games with equal states may have different indices. State hashes
    therefore contain hashes of the objects instead of indices.
    """

    __slots__ = ("hashes", "things")

    def __init__(self, things: Sequence[object]) -> None:
        self.things = things
        self.hashes: list[int] = []
        """The hash of each object in ``things``. A hash is computed only when the framework needs
        it, so the list may be shorter than ``things``.
        """


class TableColumn:
    """The values of one attribute for all rows, stored in an array. The game may write values into
    the array.

    `values` returns a view of the array. The column cannot detect when the game writes into such a
    view later. Instead, the column records each call of `values`, and uses the reference count of
    the array to find out whether the game still holds a view. If the game holds a view, or has held
    one since the last comparison, the column compares its rows with a copy to find changes. If the
    game never reads `values`, nothing is compared.

    The copy of the rows is stored in a `Previous` object. The attribute ``uploads`` records which
    rows are on the GPU.
    """

    is_received: ClassVar[bool] = False
    """True if other code owns the memory of the rows, as in a `ReceivedColumn`."""

    __slots__ = (
        "_check",
        "_largest",
        "_mapped",
        "_max_written",
        "_previous",
        "_references",
        "cell",
        "color_space",
        "data",
        "default",
        "displacement",
        "fresh",
        "frozen",
        "interpolated",
        "name",
        "settled",
        "touched",
        "uploads",
        "width",
        "written",
    )

    def __init__(
        self,
        name: str,
        width: int,
        default: Any,
        *,
        dtype: DTypeLike = np.float32,
        interpolated: bool,
        color_space: str = "",
        cell: tuple[int, ...] | None = None,
        check: Callable[[str, object], Any] | None = None,
    ) -> None:
        self.name = name
        # "srgb" or "linear" for columns of colors, which the game may also set as strings
        self.color_space = color_space
        self.width = width  # numbers per row
        # The shape of the value of one row. By default, a column with one number per row has the
        # shape (n,).
        self.cell = cell if cell is not None else () if width == 1 else (width,)
        self.default = default
        self.interpolated = interpolated
        self.data: NDArray[Any] = np.empty(self._shape(0), dtype)
        # The reference count of the array if no code outside the column has a reference to it.
        self._references = _OWN_REFERENCES
        # 1 if handles use a memoryview of the array, otherwise 0. A memoryview has one reference.
        self._mapped = 0
        self._check = _check_of(self.data.dtype) if check is None else check
        # The largest number of a float column without a `check`. Other columns check each number
        # with a function.
        is_plain = check is None and self.data.dtype.kind == "f" and self.data.dtype.itemsize > 2
        self._largest = float(np.finfo(self.data.dtype).max) if is_plain else 0.0
        self._previous = Previous(np.empty(self._shape(0), dtype))
        self.uploads = Uploads()
        self.displacement: Any = None
        """A `Displacement`, which draws rows at positions that differ from their values in the
        column, or None if no row is displaced.
        """
        self.touched = False
        """Whether the game may have written to the column since the last `latch`. `touched` is True
        if code has read the column, or if a NumPy view of the column existed.
        """
        self.fresh = False
        """Whether rows have been added since the last `latch`. This does not mean that the older
        rows have changed.
        """
        self.written: list[int] = []
        """The rows that the game has written one by one since the last upload. If the game has
        written many rows, or if the column is interpolated, `touched` is True instead.
        """
        self._max_written = 0 if interpolated else _MAX_WRITTEN
        self.settled = False
        """Whether the newest values on the GPU are already equal to the previous values. If
        `settled` is False, they become equal at the next `latch`.

        If `settled` is True, a comparison with the previous state shows whether the game wrote to
        the column.
        """
        self.frozen: Frozen | None = None
        """The copy of all rows that snapshots share. `frozen` is None if the game may have written
        rows since the copy.

        Code that sets `touched` or `uploads.unsent` sets `frozen` to None.
        """

    def _shape(self, rows: int) -> tuple[int, ...]:
        return rows, *self.cell

    # -- values ------------------------------------------------------------------------------------

    def values(self, n: int) -> NDArray[Any]:
        """Return a view of the first ``n`` rows. The caller may write into the view."""
        self.touched = self.uploads.unsent = True
        self.frozen = None
        return self.data[:n]

    def current(self, n: int) -> NDArray[Any]:
        """Return a view of the first ``n`` rows, only for reading. Unlike `values`, `current` does
        not mark the rows as possibly changed.
        """
        return self.data[:n]

    def memory(self) -> memoryview[float]:
        """Return the current values as a flat memoryview. The memoryview is valid until `reserve`
        is called again. While the memoryview exists, the column must compare all rows in each tick,
        because the game may have written some. If the game has not written any rows for some time,
        call `watch_memory`, which avoids the comparison.
        """
        self._references = _OWN_REFERENCES
        self._mapped = 1
        self.frozen = None
        return memoryview(self.data).cast("B").cast("f")  # type: ignore[arg-type]

    def watch_memory(self, memory: memoryview[float]) -> memoryview[float]:
        """Return a read-only memoryview of the values. ``memory`` is the memoryview that the method
        `memory` has returned. The caller must release ``memory``. While only the read-only
        memoryview exists, the game cannot write rows, so the column skips the comparison.

        Before the game writes again, call `memory`, and release the read-only memoryview.
        """
        self._references = _OWN_REFERENCES + 1
        return memory.toreadonly()

    def forget_memory(self) -> None:
        """Called when the game no longer uses the memoryviews from `memory` and `watch_memory`."""
        self._references = _OWN_REFERENCES
        self._mapped = 0

    def has_writes(self) -> bool:
        """Return whether the game may have written rows since `forget_writes` was last called."""
        return self.touched or bool(self.written) or self.is_viewed()

    def forget_writes(self) -> None:
        """Forget the writes so far, so that `has_writes` only reports later ones. Called after the
        owner of the column has read all written rows.
        """
        self.touched = False
        self.written.clear()

    def touch(self) -> None:
        """Mark the column as changed. Call `touch` after you have written rows without using a view
        from `values`.
        """
        self.touched = self.uploads.unsent = True
        self.frozen = None

    def upload_again(self) -> None:
        """Upload all rows again before the next frame, because their drawn positions have
        changed.
        """
        self.touch()
        self.uploads.stale = True

    def is_viewed(self) -> bool:
        """Return whether the game may still have a view of the array, through which it can write
        rows without a method call.
        """
        return sys.getrefcount(self.data) > self._references

    def has_array_views(self) -> bool:
        """Return whether the game may still have a NumPy view of the array. Unlike `is_viewed`,
        this method does not count the memoryview of the handles.
        """
        return sys.getrefcount(self.data) > _OWN_REFERENCES + self._mapped

    def put(self, row: int, value: Any) -> None:
        """Check ``value`` and write it to one row. ``value`` is a sequence with all numbers in the
        row, or one number for the entire row.
        """
        data = self.data
        largest = self._largest
        kind = type(value)
        if largest and (kind is float or kind is int) and -largest <= value <= largest:
            if self.width == 4 and self.name == "rotation":
                raise self._wrong_width(value)
            data[row] = value
        elif largest and kind is tuple and self._is_plain(value):
            if self.width == 2:
                # Assigning two numbers takes half the time of assigning one tuple.
                data[row, 0], data[row, 1] = value
            else:
                data[row] = value
        else:
            data[row] = self.checked(value)
        if len(self.written) < self._max_written:
            self.written.append(row)
        else:
            self.touched = True
        self.uploads.unsent = True
        self.frozen = None

    def put_rows(self, rows: Rows | slice, values: ArrayLike) -> None:
        """Write ``values`` to ``rows``, and upload only these rows before the next frame.

        In an interpolated column, `put_rows` also sets the previous values of ``rows``, so that the
        next frame draws the new values without interpolation.
        """
        previous = self._previous
        uploads = self.uploads
        if previous.lagging:
            previous.catch_up(uploads)
        self.data[rows] = values
        # the next comparison with `previous` finds only later writes
        previous.write(self.data, rows, values)
        self.frozen = None
        uploads.unsent = True
        uploads.patch(rows)

    def clear_row(self, row: int) -> None:
        """Set one row to 0 or False. This has the same effect as `put_rows`, but takes less time."""
        previous = self._previous
        uploads = self.uploads
        if previous.lagging:
            previous.catch_up(uploads)
        self.data[row] = 0
        previous.own(self.data)
        previous.rows[row] = 0
        self.frozen = previous.frozen = None
        uploads.unsent = True
        uploads.patch(slice(row, row + 1))

    def checked(self, value: Any) -> Any:
        """Convert ``value`` to the number or the sequence of numbers of one row. Raises `TypeError`
        or `ValueError` if ``value`` does not fit. The message contains the name of the column.
        """
        if self._largest and type(value) is tuple and self._is_plain(value):
            return value
        check = self._check
        if not self.cell:
            return check(self.name, value)
        if len(self.cell) > 1:
            cell = np.empty(self.cell, self.data.dtype)
            assign_to(self.name, cell, value)
            return cell
        try:
            parts = tuple(value)
        except TypeError:
            if self.width == 4 and self.name == "rotation":
                raise self._wrong_width(value) from None
            return check(self.name, value)  # one number sets all components
        if isinstance(value, str):
            return self.spelled(value)
        if len(parts) != self.width:
            raise self._wrong_width(value)
        return [check(self.name, part) for part in parts]

    def _wrong_width(self, value: object) -> ValueError:
        """Return the error for a value with too few or too many numbers for a row."""
        error = wrong_value(self.name, f"{_words(self.width)} numbers", value)
        return ValueError(f"{error}{rotation_advice(self.name, self.width)}")

    def _is_plain(self, value: tuple[Any, ...]) -> bool:
        """Return whether a tuple contains only floats and ints that the column can store, one for
        each number of a row. `checked` is slower, but also accepts other values.
        """
        if len(value) != self.width:
            return False
        largest = self._largest
        for part in value:
            kind = type(part)
            if (kind is not float and kind is not int) or not -largest <= part <= largest:
                return False
        return True

    def put_checked(self, row: int, values: Sequence[float]) -> None:
        """Write ``values`` to one row. The caller has already checked ``values``."""
        self.data[row] = values
        if len(self.written) < self._max_written:
            self.written.append(row)
        else:
            self.touched = True
        self.uploads.unsent = True
        self.frozen = None

    def put_number(self, row: int, index: int, value: float) -> None:
        """Write one number of a row. The caller has already checked ``value``."""
        self.data[row, index] = value
        if len(self.written) < self._max_written:
            self.written.append(row)
        else:
            self.touched = True
        self.uploads.unsent = True
        self.frozen = None

    def spelled(self, value: str) -> tuple[float, ...]:
        """Convert a color string, such as "#f80", to a tuple of floats. Raises `TypeError` if the
        column stores no colors.
        """
        if not self.color_space:
            raise wrong_type(self.name, f"{_words(self.width)} numbers", value)
        return color(self.name, value, as_light=self.color_space == "linear")

    def spelled_rows(self, colors: Sequence[object]) -> NDArray[np.float64]:
        """Convert one color string per row to an array of shape (rows, 4)."""
        as_light = self.color_space == "linear"
        rows = [
            color(f"{self.name}[{row}]", each, as_light=as_light) for row, each in enumerate(colors)
        ]
        return np.array(rows)

    # -- rows --------------------------------------------------------------------------------------

    def reserve(self, capacity: int, n: int) -> None:
        """Allocate memory for ``capacity`` rows, and copy the first ``n`` rows into the new memory.

        Views that `values` returned earlier then show the old memory, which is no longer part of
        the column.
        """
        if self._previous.lagging:
            self._previous.catch_up(self.uploads)
        data = np.empty(self._shape(capacity), self.data.dtype)
        data[:n] = self.data[:n]
        self._use(data)
        self._previous.reserve(data.shape, n)
        self.uploads.stale = True

    def _use(self, data: NDArray[Any]) -> None:
        """Replace the array of the column with ``data``, a new array that has no views."""
        self.data = data
        self._references = _OWN_REFERENCES
        self._mapped = 0

    def spawn(self, start: int, stop: int, values: NDArray[Any] | None = None) -> None:
        """Set the rows from ``start`` up to ``stop`` to ``values``. Without ``values``, the rows
        get the default value of the column. In an interpolated column, the previous values of these
        rows are set to the column's default value.
        """
        if values is not None:
            self.data[start:stop] = values
        elif self.data.dtype.hasobject:
            # a tuple is the value of one row, not a list of values for all rows
            self.data[start:stop].fill(self.default)
        else:
            self.data[start:stop] = self.default
        self.frozen = self._previous.frozen = None
        if self.interpolated:
            self._previous.own(self.data)
            self._previous.rows[start:stop] = self.default
            # The caller then writes the new rows without calling `values`. `snap` compares only the
            # new rows.
            self.fresh = self.uploads.unsent = True

    def spawn_row(self, row: int) -> None:
        """Set one row to the column's default value. This is a faster version of `spawn` for one
        row.
        """
        default = self.default
        previous = self._previous
        self.data[row] = default
        self.frozen = previous.frozen = None
        if self.interpolated:
            previous.own(self.data)
            previous.rows[row] = default
            self.fresh = self.uploads.unsent = True

    def keep(self, rows: Rows, first: int) -> None:
        """Remove all rows that are not in ``rows``. The remaining rows are put into the order of
        ``rows``, an array of indices without duplicates. Rows with an index less than ``first``
        keep their index.
        """
        previous = self._previous
        uploads = self.uploads
        if previous.lagging:
            previous.catch_up(uploads)
        # rows have new indices, so all current and previous values are uploaded
        uploads.stale = True
        self.written.clear()
        self.touched = uploads.unsent = True
        self.frozen = previous.frozen = None
        if first < len(rows):  # some removed rows are not at the end
            previous.own(self.data)
            for state in (self.data, previous.rows):
                state[first : len(rows)] = state[rows[first:]]
        if self.data.dtype.hasobject:
            self.data[len(rows) :] = None  # the objects of removed rows can be freed

    def rearrange(self, rows: Rows, capacity: int) -> None:
        """Remove all rows that are not in ``rows``. The remaining rows are put into the order of
        ``rows``, an array of indices without duplicates. If an index in ``rows`` is -1, add a new
        row with the default value. After the call, the column has memory for ``capacity`` rows.
        """
        previous = self._previous
        if previous.lagging:
            previous.catch_up(self.uploads)
        self._use(self._rearranged(self.data, rows, capacity))
        previous.rows = self._rearranged(previous.rows, rows, capacity)
        previous.lent = False
        self.frozen = previous.frozen = None
        self.written.clear()
        self.touched = self.uploads.unsent = self.uploads.stale = True

    def _rearranged(self, state: NDArray[Any], rows: Rows, capacity: int) -> NDArray[Any]:
        n = len(rows)
        present = rows >= 0
        result = np.empty(self._shape(capacity), state.dtype)
        result[:n][present] = state[rows[present]]
        if state.dtype.hasobject:
            for row in np.flatnonzero(~present).tolist():
                # a tuple is the value of one row, not a list of values for all rows
                result[row] = self.default
        else:
            result[:n][~present] = self.default
        return result

    # -- the previous state ------------------------------------------------------------------------

    def previous(self, n: int) -> NDArray[Any]:
        """Return a read-only array with the values that the first ``n`` rows had at the start of
        the tick.
        """
        return self._previous.values(n, self.uploads)

    def drop_source(self) -> None:
        """Stop reading from the GPU buffers. Called before the buffers are released. If the
        previous values of a row are only on the GPU, they are lost, and the next frame draws the
        row without interpolation.
        """
        if self._previous.lagging:
            self._previous.catch_up_with(self.data, self.uploads.sent)
        self.uploads.source = None

    def put_previous(self, rows: Rows, values: ArrayLike) -> None:
        """Set the previous values of ``rows``, from which frames interpolate in this tick."""
        if self._previous.lagging:
            self._previous.catch_up(self.uploads)
        self._rewrite(rows, values)
        self.touched = True

    def _rewrite(self, rows: Rows | slice, values: ArrayLike) -> None:
        """Write the previous values of ``rows``, and upload these rows before the next frame."""
        self._previous.write(self.data, rows, values)
        self.uploads.patch(rows)
        self.uploads.unsent = True

    def latch(self, n: int) -> bool:
        """Start a tick: store the current values of all rows as their previous values.

        Return True if the game holds a view of the column, but did not change any row during the
        last tick.
        """
        viewed = sys.getrefcount(self.data) > self._references
        self.fresh = False
        if self.settled and not (self.touched or viewed):
            return False
        rests = False
        previous = self._previous
        uploads = self.uploads
        if not self.settled:
            # `uploads` has a copy of a few rows of the last upload. A comparison with this copy
            # shows whether the column has changed since then.
            unsure = viewed or uploads.unsent or uploads.viewed
            unsure = unsure and (n > FIRST_ROWS or self.data[:n].tobytes() != uploads.given)
            lag = n >= MIN_LAGGING_ROWS and not unsure and previous.may_lag(n, uploads)
            self._copy(n, viewed, lag)
            uploads.stale = uploads.stale or unsure
            self.settled = True
        elif self._differs(n):
            self._copy(n, viewed, lag=False)
            uploads.stale = True
        else:
            rests = viewed
        # The game may write to a view and release it before the next check.
        self.touched = viewed
        uploads.unsent = False
        if previous.asked:
            previous.asked -= 1
        return rests

    def _copy(self, n: int, viewed: bool, lag: bool) -> None:
        """Copy the current values to the previous values. With ``lag``, only the first rows are
        copied. The previous values of all other rows are read from the GPU when they are needed.
        """
        frozen = self.frozen
        previous = self._previous
        if not viewed and frozen is not None and frozen.rows is not None:
            previous.borrow(frozen)
        elif lag:
            previous.lag(self.data)
        else:
            if previous.lagging or previous.lent or previous.frozen is not None:
                previous.renew(self.data)
            previous.rows[:n] = self.data[:n]

    def _differs(self, n: int) -> bool:
        """Return whether any bit of the first ``n`` rows differs from the previous values."""
        data = self.data
        previous = self._previous
        if n <= FIRST_ROWS:
            return data[:n].tobytes() != previous.rows[:n].tobytes()
        if previous.lagging:
            if data[:FIRST_ROWS].tobytes() != previous.rows[:FIRST_ROWS].tobytes():
                return True
            previous.catch_up(self.uploads)
        return differ(data[:n], previous.rows[:n])

    def snap(self, rows: Rows | slice) -> None:
        """Set the previous values of ``rows`` to their current values, so that these rows are drawn
        without interpolation.
        """
        if not (self.touched or self.fresh or self.is_viewed()):
            return
        if self._previous.lagging:
            self._previous.catch_up(self.uploads)
        values = self.data[rows]
        if (values != self._previous.rows[rows]).any():
            self._rewrite(rows, values)

    def snap_part(self, rows: Rows, parts: slice) -> None:
        """Set the previous values to the current values, as `snap` does, but only for some numbers
        of each row. ``parts`` is a slice that selects the numbers in each row. Use `snap_part` only
        for columns that are not uploaded.
        """
        previous = self._previous
        previous.own(self.data)
        previous.rows[rows, parts] = self.data[rows, parts]
        previous.frozen = None

    def advanced(self, ticked: bool) -> bool:
        """Return whether the previous values are equal to the values at the last upload. ``ticked``
        is True if a tick has begun since the last upload.
        """
        return ticked

    # -- snapshots ---------------------------------------------------------------------------------

    def freeze(self, n: int) -> Frozen:
        """Return a copy of the first ``n`` rows, for a snapshot. If no row can have changed since
        the last call, return the same copy again.
        """
        frozen = self.kept()
        if frozen.rows is None:
            frozen.rows = self.data[:n].copy()
        return frozen

    def kept(self) -> Frozen:
        """Return the `Frozen` object for the current values of the rows. All calls return the same
        object until a value may have changed.
        """
        if self.is_viewed():  # the game may write to a view at any time
            self.frozen = None
            return Frozen()
        if self.frozen is None:
            self.frozen = Frozen()
        return self.frozen

    def freeze_previous(self, n: int, current: Frozen) -> Frozen:
        """Return the previous values of the rows, for a snapshot. The snapshot and the column share
        the memory of these values. ``current`` is the object that `freeze` returned.
        """
        previous = self._previous
        if previous.frozen is None:
            if self.settled and not self.touched and current is self.frozen:
                previous.frozen = current
            else:
                return previous.lend(n, self.uploads)
        return previous.frozen

    def restore(self, current: Frozen, previous: Frozen | None) -> None:
        """Restore the values of the rows from a snapshot. ``previous`` is None for a column that is
        not interpolated.
        """
        viewed = self.is_viewed()
        uploads = self.uploads
        rows: NDArray[Any] = current.rows
        n = len(rows)
        if n > len(self.data):
            self.reserve(n, 0)
        self.data[:n] = rows
        if self.data.dtype.hasobject:
            self.data[n:] = None
        self._previous.lagging = 0
        if previous is not None:
            self._previous.borrow(previous)
        self.written.clear()
        self.touched = uploads.unsent = uploads.stale = True
        self.settled = False
        uploads.patches.clear()
        self.frozen = None if viewed else current

    # -- uploads -----------------------------------------------------------------------------------

    def at_rest(self, n: int) -> bool:
        """Return True if the ``n`` rows are certainly equal to the rows of the last upload, and
        False if they may differ.
        """
        uploads = self.uploads
        return (
            self.settled
            and uploads.sent == n
            and not (self.touched or uploads.unsent or uploads.stale or self.is_viewed())
        )

    def changed(self, n: int) -> bool:
        """Return whether any of the first ``n`` rows has changed since the start of the tick."""
        if sys.getrefcount(self.data) > self._references:
            self.touched = True  # the column counts as touched even after the view is released
        return self.touched and self._differs(n)

    def news(self, n: int) -> bool:
        """Return whether the game may have changed rows since the last upload. Call `news` only for
        a column without previous values.

        The method also clears the list of rows that were written one by one, because
        `Uploads.patches` then contains them.
        """
        uploads = self.uploads
        if uploads.stale:
            return True
        if self.written:
            self._patch_written(min(n, uploads.sent))
        if sys.getrefcount(self.data) > self._references:
            self.touched = True
        return self.touched and self._differs(min(n, uploads.sent))

    def _patch_written(self, n: int) -> None:
        """Compare the rows in `written` with the last upload, and upload the changed rows before
        the next frame. ``n`` is the number of rows on the GPU.
        """
        if self.touched or n < _MIN_ROWS_WRITTEN:
            self.touched = True  # all rows are compared
        else:
            rows = np.array(sorted(set(self.written)), np.intp)
            rows = rows[rows < n]
            values = self.data[rows]
            differs: Mask = values != self._previous.rows[rows]
            rows = rows[differs if differs.ndim == 1 else differs.any(axis=1)]
            if len(rows):
                self._previous.write(self.data, rows, self.data[rows])
                self.uploads.patch(rows)
        self.written.clear()

    def handed_over(self, n: int, changed: bool) -> None:
        """Called after an upload. Record that the previous and current values of the first ``n``
        rows are now on the GPU.
        """
        previous = self._previous
        uploads = self.uploads
        viewed = sys.getrefcount(self.data) > self._references
        if self.interpolated:
            uploads.viewed = viewed
            if changed and n <= FIRST_ROWS:
                uploads.given = self.data[:n].tobytes()
            if previous.lagging:
                previous.handed_over(self.data, n, changed)
        else:
            self.touched = viewed or (bool(self.written) and not changed)
            self.written.clear()
            start = 0 if changed else uploads.sent
            if start < n:
                previous.rows[start:n] = self.data[start:n]
        self.settled = not changed
        uploads.unsent = uploads.stale = False
        uploads.sent = n
        if uploads.patches:
            uploads.patches.clear()


def _own_references() -> int:
    column = TableColumn("probe", 1, 0.0, interpolated=True)
    return sys.getrefcount(column.data)


_OWN_REFERENCES = _own_references()


def differ(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Return whether two contiguous arrays of the same shape and dtype differ in any bit.

    Two NaNs with the same bits count as equal. The comparison begins with the first rows, because
    in a moving batch these usually differ already. It continues with larger and larger blocks.
    """
    if a[:FIRST_ROWS].tobytes() != b[:FIRST_ROWS].tobytes():
        return True
    if len(a) <= FIRST_ROWS:
        return False
    if a.nbytes <= _MAX_COPIED:  # copying the rows takes less time than NumPy operations
        return a.tobytes() != b.tobytes()
    x = a.reshape(-1).view(_BITS[a.itemsize])
    y = b.reshape(-1).view(_BITS[b.itemsize])
    start = 0
    step = 512
    while start < x.size:
        if (x[start : start + step] != y[start : start + step]).any():
            return True
        start += step
        step = min(step * 4, 1 << 17)
    return False


_MAX_COPIED = 1 << 16  # bytes
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def assign(column: TableColumn, n: int, value: ArrayLike) -> None:
    """Set all rows of a column to ``value``. If ``value`` does not fit the column, raise an error
    with the column's name, and write nothing.
    """
    if column.color_space:
        if isinstance(value, str):
            value = column.spelled(value)
        elif isinstance(value, list | tuple) and any(isinstance(each, str) for each in value):
            value = column.spelled_rows(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind == "U" and value.ndim == 1:
            value = column.spelled_rows(value.tolist())
    target = column.values(n)
    if target.dtype.hasobject:
        _assign_objects(column.name, target, value)
        return
    if isinstance(value, np.ndarray) and value.base is target.base and _same_memory(value, target):
        # as in `batch.position += 1`: NumPy has already written in place, and Python now assigns
        # the view to itself
        return
    assign_to(column.name, target, value)


def _assign_objects(name: str, target: NDArray[Any], value: object) -> None:
    """Set all rows of a column that stores Python objects. A list, a tuple or an array must contain
    one object for each row. Any other value is stored in all rows.
    """
    if not isinstance(value, list | tuple | np.ndarray) or (
        isinstance(value, np.ndarray) and not value.ndim
    ):
        target.fill(value)
        return
    elements = list(value)  # a copy: the value may be a view of the column
    if len(elements) != len(target):
        raise ValueError(
            f"{name}: expected {len(target)} objects, one for each row, got {shown(value)}; to set "
            "one list in several rows, put it into a list for each row"
        )
    for row, element in enumerate(elements):
        target[row] = element


def assign_to(name: str, target: NDArray[Any], value: ArrayLike) -> None:
    """Set ``target[...] = value``. If the value does not fit the array, raise an error that
    contains ``name``, and write nothing.

    Raises `TypeError` if the values are not numbers, and `ValueError` if their shape or size does
    not fit.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: expected {_expected(target)}, got a ragged sequence") from None
    if not _casts(array.dtype, target.dtype):
        raise TypeError(
            f"{name}: expected {_expected(target)}, got {array.dtype} of shape {array.shape}"
        )
    advice = rotation_advice(name, target.shape[-1] if target.ndim else 1)
    if not _fits(array.shape, target.shape) or (advice and array.shape[-1:] != (4,)):
        raise ValueError(
            f"{name}: expected {_expected(target)}, got {array.dtype} of shape {array.shape}{advice}"
        )
    dtype = target.dtype
    if array.dtype != dtype and (
        # Small numbers fit into signed 32-bit integers.
        array.dtype.itemsize > 2 or dtype.itemsize < 4 or dtype.kind == "u"
    ):
        array = _converted(name, array, dtype)
    target[...] = array


def _expected(target: NDArray[Any]) -> str:
    return f"{target.dtype} numbers of shape {target.shape} (or one that broadcasts to it)"


def _converted(name: str, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return ``array`` converted to ``dtype``. NaN and infinity in ``array`` are allowed. Raises
    `ValueError` for numbers that are too large for the dtype.
    """
    if dtype.kind == "f":
        try:
            with np.errstate(over="raise"):
                return array.astype(dtype)
        except FloatingPointError:
            largest = "65,504" if dtype.itemsize == 2 else "3.4e38"
            raise ValueError(
                f"{name}: expected numbers of at most {largest}, got larger ones"
            ) from None
    if dtype.kind in "iu" and array.size and array.dtype.kind in "iu":
        low: int = array.min()
        high: int = array.max()
        limits = np.iinfo(dtype)
        if low < limits.min or high > limits.max:
            got = low if low < limits.min else high
            raise ValueError(
                f"{name}: expected whole numbers from {limits.min:,} to {limits.max:,}, got {got:,}"
            )
    return array


def _same_memory(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Return whether two views of one array contain exactly the same elements."""
    return (
        a.shape == b.shape
        and a.strides == b.strides
        and (
            (a.base is not None and a.size == a.base.size)  # the array has all elements of its base
            or a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
        )
    )


def _casts(source: np.dtype[Any], target: np.dtype[Any]) -> bool:
    return np.can_cast(source, target, "same_kind") or (source.kind in "iu" and target.kind in "bu")


def _fits(source: tuple[int, ...], target: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(source, target) == target
    except ValueError:
        return False


class TableTick:
    """The state of a table in the current tick, such as the teleported rows. Between two ticks, it
    is still the state of the last tick.
    """

    __slots__ = ("alarm", "handed_over", "length", "noticed", "rested", "running", "snapping")

    def __init__(self) -> None:
        self.running = False
        self.length = 0.0  # game time of the last tick in seconds
        self.handed_over = True  # whether the state after this tick was uploaded
        # True if no row had moved at the last upload, so that the GPU has only one state
        self.rested = False
        self.alarm: TickClock | None = None  # a clock that runs with the ticks
        # The added and teleported rows. Their previous values become equal to the current values.
        self.snapping: list[Rows | slice] = []
        self.noticed: list[NDArray[Any]] | None = (
            None  # the states at the last call of `notice_writes`
        )


Renumber = Callable[[Any, Rows], None]
"""A function that is called after rows have been removed, with two arguments: the follower (an
object that `Table.follow` registered), and ``numbers``, an array of new indices.

``numbers[i]`` is the new index of the row that had the index ``i``, or -1 for a removed row.
"""


class TableHandle(HasMoved):
    """The base class of handles. A table calls the methods of `TableHandle` for its handles. Games
    use the subclass `rows.Handle`.
    """

    __slots__ = ()

    _batch: Any

    def _moved(self, row: int) -> None:
        """Called when the row of this handle gets a new index. ``row`` is the new index, or -1 if
        the row was removed.
        """
        raise NotImplementedError

    def _returned(self, batch: object, row: int) -> None:
        """Called after the game has restored a snapshot in which the row of this handle exists."""
        raise NotImplementedError


class Observer(Protocol):
    """The interface of an object that receives the changed rows of a table in each tick, such as
    `interpolation.Predictions`.
    """

    column: TableColumn

    def begin_tick(self, dt: float, n: int) -> None: ...

    def take(self, observed: Floats) -> None: ...

    def snap(self, rows: Rows | slice, observed: Floats) -> None: ...


class Lease(Protocol):
    """The interface of `row_pools.PoolLease`, which stores the position of a table's rows in a
    pool.
    """

    start: int
    uploads: Uploads

    def begin_tick(self) -> None: ...

    def announce(self) -> None: ...

    def leave(self) -> None: ...


class RowsInMotion(Protocol):
    """The interface of `received_columns.TimedRows`, which moves received rows in each tick."""

    def begin_tick(self, table: Any, dt: float) -> None: ...

    def copy(self) -> RowsInMotion: ...


RowsT = TypeVar("RowsT")

TableOf = tuple[
    int,
    list[tuple[TableColumn, RowsT, RowsT | None]],
    dict[int, TableHandle],
    object,
    set[int],
    tuple[bool, float],
    list[Rows | slice],
    list[NDArray[Any]] | None,
    bool,
    bool,
    IdsState,
    RowsInMotion | None,
]

TableState = TableOf[Frozen]
"""The result of `Table.capture`: the number of rows, the current and previous values of each
column, the handles of the rows, the state of the tick, and the ids of the rows.
"""


class Table(Sealed):
    """The rows of a batch. Each attribute of the rows, such as the position, is stored in an array,
    which is called a column. The columns in ``interpolated`` also store their previous values, from
    the start of the tick. Rows that are added or teleported during a tick are drawn without
    interpolation: at the end of the tick, their previous values are set to their current values. If
    the game adds or teleports rows between two ticks, the table updates the previous values before
    the next frame.

    The columns in ``observed`` are not uploaded to the GPU. At the end of each tick, the table
    passes them to the ``observer``, and uploads the column that the observer computes from them. A
    table may have a clock, `TableTick.alarm`, for timed events such as the end of an animation
    clip. When such an event is due, the table calls `fall_due` in that tick.
    """

    rows_can_be_received: ClassVar[bool] = True
    """True if other code may own the memory of the rows, as the module `received_columns`
    describes.
    """

    __slots__ = (
        "__weakref__",
        "_by_name",
        "_exposed",
        "_followers",
        "_unnoticed",
        "_viewed",
        "blended",
        "capacity",
        "codes",
        "columns",
        "count",
        "derived",
        "drawn",
        "handles",
        "holes",
        "ids",
        "interpolated",
        "lease",
        "observed",
        "observer",
        "of_objects",
        "own",
        "prepared",
        "tick",
        "timed_rows",
    )

    def __init__(
        self,
        interpolated: Sequence[TableColumn],
        *others: TableColumn,
        observer: Observer | None = None,
        observed: Sequence[TableColumn] = (),
    ) -> None:
        self.interpolated = tuple(interpolated)
        self.observer = observer
        self.observed = tuple(observed)
        """The columns that are passed to the observer. They are not uploaded: the observer computes
        another column from them, which is uploaded instead.
        """
        self.blended = tuple([column for column in interpolated if column not in self.observed])
        """The interpolated columns. The table uploads the previous and current values of these
        columns, and frames blend the values.
        """
        self.drawn: list[TableColumn] = []  # columns that shaders read
        self.columns: list[TableColumn] = []
        self._by_name: dict[str, TableColumn] = {}
        self.tick = TableTick()
        self.timed_rows: RowsInMotion | None = None
        """The received rows that the table's rows approach over several ticks, or None."""
        self.count = 0
        """The number of rows in the table."""
        self.capacity = 0
        """The number of rows for which the table has memory."""
        self.prepared = 0
        """The rows from `count` up to this index already have the default values. `spawn_row` is
        faster for such rows.
        """
        # The columns whose prepared rows may no longer have the default values. The game had arrays
        # of these columns when the table prepared rows, or `set_default` was called. An array that
        # is older than the last removal of rows may contain prepared rows, so that the game can
        # write to these rows. Newer arrays end before the prepared rows.
        self._exposed: list[TableColumn] = []
        self.handles: dict[int, TableHandle] = {}
        """A dict from rows to the handles that the game may still use."""
        self.holes: set[int] = set()
        """Rows that the game has removed but whose values are still in the arrays."""
        self.codes: dict[str, Codes] = {}
        """A dict from column names to `Codes`, for columns of indices that stand for objects such
        as images.
        """
        self.derived: tuple[str, ...] = ()
        """Columns that the framework computes from other columns for drawing. Derived columns are
        not part of the game's state.
        """
        self.own: dict[str, TableColumn] = {}
        """A dict from names to the columns that the game added for its own values."""
        self.of_objects: tuple[TableColumn, ...] = ()
        """The columns of `own` whose values are Python objects."""
        self.ids = RowIds()
        """The id of each row. The table never uses an id twice."""
        # The dict is created when the first follower is added.
        self._followers: weakref.WeakKeyDictionary[object, Renumber] | None = None
        self.lease: Lease | None = None
        """The position of the table's rows in a pool of rows, or None if the table is not in a
        pool. The module `row_pools` describes pools.
        """
        self._viewed = False  # whether a view existed at the last `notice_writes`
        # whether rows were read since the last `notice_writes`, and uploaded
        self._unnoticed = False
        self.add_columns(*interpolated, *([] if observer is None else [observer.column]), *others)

    def __len__(self) -> int:
        return self.count

    # -- columns -----------------------------------------------------------------------------------

    def add_columns(self, *columns: TableColumn, drawn: bool = True) -> None:
        """Add ``columns`` to the table.

        Existing rows get the default values. With ``drawn=False``, the columns are never uploaded.
        """
        self.prepared = 0
        for column in columns:
            self.columns.append(column)
            if drawn:
                self.drawn.append(column)
            self._by_name[column.name] = column
            column.reserve(self.capacity, 0)
            column.spawn(0, self.count)

    def add_own(self, column: TableColumn) -> None:
        """Add a column for the game's own values. It has no effect on drawing: neither shaders nor
        the interpolation of poses use it.
        """
        self.add_columns(column, drawn=False)
        self.own[column.name] = column
        if column.interpolated:
            self.interpolated += (column,)
        if column.data.dtype.hasobject:
            self.of_objects += (column,)

    def column(self, name: str) -> TableColumn:
        """Return the column ``name``. If the table has no such column, raise an `AttributeError`
        that lists all columns.
        """
        column = self._by_name.get(name)
        if column is None:
            raise AttributeError(self.missing(name))
        return column

    def has(self, name: str) -> bool:
        """Return whether the table has a column named ``name``."""
        return name in self._by_name

    def missing(self, name: str) -> str:
        """Return the error message for the name of a column that the table does not have."""
        return (
            renamed_column(name)
            or f"{name}: there is no such column; there are {', '.join(self._names())}"
        )

    def _names(self) -> list[str]:
        own = None if self.observer is None else self.observer.column
        return [column.name for column in self.columns if column is not own]

    def checked(self, count: int, columns: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """Check the values of ``count`` new rows, and return them as a dict from column names to
        arrays. Each array has the shape and dtype of its column.

        Raises `TypeError` for an unknown column and for values that are not numbers. Raises
        `ValueError` for numbers that a column cannot store.
        """
        values = {}
        for name, value in columns.items():
            if name not in self._names():
                raise self._unknown_column(name)
            column = self._by_name[name]
            space = column.color_space
            dtype = column.data.dtype
            scratch = TableColumn(
                name,
                column.width,
                column.default,
                dtype=dtype,
                interpolated=False,
                color_space=space,
                cell=column.cell,
            )
            scratch.reserve(count, 0)
            assign(scratch, count, value)
            values[name] = scratch.data
        return values

    def _unknown_column(self, name: str) -> TypeError:
        """Return the error for a value of a new row whose column does not exist."""
        names = self._names()
        return TypeError(
            renamed_column(name)
            or meant_option("add", name, names, _ADD_OPTIONS)
            or f"{name}: not a column; there are {', '.join(names)}"
        )

    # -- rows --------------------------------------------------------------------------------------

    def reserve(self, capacity: int) -> None:
        """Allocate memory for ``capacity`` rows. The columns then stay at the same memory address
        until the table has more than ``capacity`` rows.
        """
        if whole("capacity", capacity, 0) <= self.capacity:
            return
        for column in self.columns:
            column.reserve(capacity, self.count)
        self.capacity = capacity
        self.prepared = 0
        self.map_memory()

    def spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        """Add ``count`` rows at the end, and return the slice of the new rows.

        ``values`` is the dict that `checked` returned. Columns that are not in ``values`` get their
        default values. The new rows are drawn without interpolation in this tick.
        """
        if type(count) is not int or count < 0:
            count = whole("count", count, 0)
        start = self.count
        stop = self.count + count
        if stop > self.capacity:
            self.reserve(max(stop, 2 * self.capacity, 16) if start else max(stop, 1))
        receives = self._receives()
        for column in self.columns:
            column.spawn(start, stop, values.get(column.name))
        self.count = stop
        if receives:
            self.map_memory()
        self._snap_later(start, stop)
        if self.tick.noticed is not None:
            self._notice_new(start, stop)
        return slice(start, stop)

    def spawn_row(self) -> int:
        """Add one row with the default values at the end, and return its index. `spawn_row` is
        faster than `spawn`.
        """
        row = self.count
        if row >= self.capacity:
            self.reserve(max(row + 1, 2 * self.capacity, 16) if row else 1)
        if row < self.prepared:
            for column in self._exposed:
                column.data[row] = column.default
            for column in self.columns:
                column.frozen = column._previous.frozen = None
            for column in self.interpolated:
                if column._previous.lent:
                    column._previous.own(column.data)
                column.fresh = column.uploads.unsent = True
        else:
            stop = min(row + _PREPARED_ROWS, self.capacity)
            receives = self._receives()
            for column in self.columns:
                column.spawn(row, stop)
            self.prepared = stop
            self._exposed = [column for column in self.columns if column.has_array_views()]
            if receives:
                self.map_memory()
        self.count = row + 1
        self._snap_later(row, row + 1)
        if self.tick.noticed is not None:
            self._notice_new(row, row + 1)
        return row

    def set_default(self, column: TableColumn, value: Any) -> None:
        """Set the default value that a column has in new rows. `spawn_row` also writes this value
        to rows that the table prepared with the old default.
        """
        column.default = value
        if all(exposed is not column for exposed in self._exposed):
            self._exposed.append(column)

    def _notice_new(self, start: int, stop: int) -> None:
        """Store the values of new rows. `notice_writes` later compares the rows with these values
        to find changes.
        """
        assert self.tick.noticed is not None
        new = [column.data[start:stop] for column in self.interpolated]
        self.tick.noticed = [
            np.concatenate(pair) for pair in zip(self.tick.noticed, new, strict=True)
        ]

    def _snap_later(self, start: int, stop: int) -> None:
        snapping = self.tick.snapping
        last = snapping[-1] if snapping else None
        if type(last) is slice and last.stop == start:  # consecutive slices are joined
            snapping[-1] = slice(last.start, stop)
        else:
            snapping.append(slice(start, stop))

    def keep(self, rows: Rows) -> None:
        """Remove all rows that are not in ``rows``, an array of indices without duplicates. The
        remaining rows are put into the order of ``rows``, and keep their handles.
        """
        if self.tick.snapping:
            snapping = _marks(self.tick.snapping, self.count)[rows]
            self.tick.snapping = [np.flatnonzero(snapping)]
        if self.tick.noticed is not None:
            self.tick.noticed = [state[rows] for state in self.tick.noticed]
        first = _first_moved(rows)
        receives = self._receives()
        for column in self.columns:
            column.keep(rows, first)
        if receives:
            self.map_memory()
        if first < self.count:  # otherwise no row moves
            self.ids.keep(rows, self.count)
        if self.handles or self._followers:
            self._renumber(rows)
        self.count = len(rows)
        self.prepared = 0

    def follow(self, follower: object, renumber: Renumber) -> None:
        """From now on, call ``renumber(follower, numbers)`` whenever the indices of rows change.
        The table keeps only a weak reference to ``follower``.
        """
        if self._followers is None:
            self._followers = weakref.WeakKeyDictionary()
        self._followers[follower] = renumber

    @property
    def followers(self) -> list[object]:
        """The objects that the framework passed to `follow`."""
        return [*(self._followers or ())]

    def _renumber(self, rows: Rows) -> None:
        positions = np.full(self.count, -1, np.intp)
        positions[rows] = np.arange(len(rows))
        self.move_rows(positions)

    def move_rows(self, positions: Rows) -> None:
        """Pass the new index of each row to handles and followers. ``positions`` contains -1 for
        each removed row.
        """
        for follower, renumber in [*(self._followers or {}).items()]:
            renumber(follower, positions)
        numbers = positions.tolist() if self.handles else []
        handles = self.handles
        self.handles = {}
        for row, handle in handles.items():
            handle._moved(numbers[row])
            if numbers[row] >= 0:
                self.handles[numbers[row]] = handle

    def close_holes(self) -> None:
        """Remove the rows in `holes` from the arrays of all columns. `holes` contains the rows that
        the game has already removed. Called before code reads the number of rows. If there are no
        holes, `close_holes` does nothing.
        """
        if self.holes:
            holes = list(self.holes)
            self.holes = set()
            self.drop(holes)

    def drop(self, rows: Rows | slice | list[int]) -> None:
        """Remove ``rows``. The remaining rows keep their order and their handles."""
        remaining = np.ones(self.count, bool)
        remaining[rows] = False
        self.keep(np.flatnonzero(remaining))

    def _receives(self) -> bool:
        """Return whether any column has received rows, which belong to other code. If rows are
        added or removed, such a column copies its rows to its own memory.
        """
        return any([column.is_received for column in self.columns])  # noqa: C419  (quicker)

    def map_memory(self) -> None:
        """Called when the first handle is created, after columns have moved to other memory, and
        after a restore. A subclass whose handles read the memory directly overrides `map_memory`.
        """

    def column_rests(self, column: TableColumn) -> None:
        """Called at the start of a tick if the game holds a view of ``column``, but did not change
        any rows in the last tick.
        """

    def release_memory(self) -> None:
        """Release the memory that handles read directly, until the next call of `map_memory`.
        Called before the rows move to other memory.
        """

    def make_hole(self, row: int, visible: TableColumn) -> None:
        """Remove a row from the batch, but keep its values in the arrays until `close_holes`.
        Making a hole is faster than `drop`, which moves all later rows. A hole is not drawn,
        because its value in the column ``visible`` is False.
        """
        visible.clear_row(row)
        self.holes.add(row)
        handle = self.handles.pop(row, None)
        if handle is not None:
            handle._moved(-1)
        if len(self.holes) > _MAX_HOLES and 4 * len(self.holes) > self.count:
            self.close_holes()

    # -- ticks -------------------------------------------------------------------------------------

    def mark_teleported(self, rows: Rows | slice) -> None:
        """Draw ``rows`` without interpolation, at the positions that they have at the end of this
        tick.

        The game may write the rows before or after the call.
        """
        self.tick.snapping.append(rows)

    def teleported_rows(self) -> Mask | None:
        """Return a mask of the rows that were added or teleported in the current tick. The mask is
        a bool array of shape (n,). Return None if no rows were added or teleported, or if no tick
        is running.
        """
        tick = self.tick
        return _marks(tick.snapping, self.count) if tick.running and tick.snapping else None

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds. The current values of all rows become the
        previous values.
        """
        tick = self.tick
        if tick.noticed is not None:
            tick.noticed = None
        if self.lease is not None:
            self.lease.begin_tick()
            if tick.snapping:
                tick.snapping.clear()
            tick.length = dt
            tick.running = True
            return
        n = self.count
        if tick.snapping:
            self._settle_snaps()
        for column in self.interpolated:
            if column.latch(n) and n >= _MIN_WATCHED_ROWS:
                self.column_rests(column)
        if self.timed_rows is not None:
            self.timed_rows.begin_tick(self, dt)
        if self.observer is not None:
            self.observer.begin_tick(dt, n)
        tick.length = dt
        tick.running = True
        tick.handed_over = False
        alarm = tick.alarm
        if alarm is not None and alarm.tick(dt):
            self.fall_due()

    def fall_due(self) -> None:
        """Called in the tick of a timed event, such as the end of a clip. Subclasses override
        `fall_due` to handle the event and to set the time of the next event.
        """
        raise NotImplementedError

    def end_tick(self) -> None:
        """End a tick. Rows that were added or teleported during the tick are drawn without
        interpolation.
        """
        if self.observer is not None:
            self.observer.take(self._states_observed(_ALL))
        tick = self.tick
        if tick.snapping:
            self._settle_snaps()
        tick.running = False
        alarm = tick.alarm
        if alarm is not None and alarm.group is not None:
            alarm.go_with_group()

    def notice_writes(self) -> None:
        """Find the rows that the game has changed since the last call. These rows are drawn without
        interpolation. Called in each frame of a paused game.

        The first call after a tick only stores the current values of all rows. Each later call
        compares the rows with the stored values.
        """
        before = self.tick.noticed
        viewed = any(column.is_viewed() for column in self.interpolated)
        unsent = any(column.uploads.unsent for column in self.interpolated)
        if before is not None and not (unsent or viewed or self._viewed or self._unnoticed):
            return
        self._viewed = viewed
        self._unnoticed = False
        now = self.tick.noticed = [
            column.current(self.count).copy() for column in self.interpolated
        ]
        if before is None:
            for column in self.interpolated:
                # The game may have written to views since the last upload.
                uploads = column.uploads
                uploads.unsent = uploads.unsent or column.touched or column.is_viewed()
            return
        written = _written_rows(before, now)
        if len(written):
            for column in self.interpolated:
                column.touch()
            self.mark_teleported(written)

    def settle(self) -> None:
        """Draw rows without interpolation if they were added or teleported since the last tick.
        Called before previous values are read.
        """
        if not self.tick.snapping:
            return
        # Within a tick, the game may still write to these rows. Therefore the rows are settled
        # again at the end of the tick.
        snapping = list(self.tick.snapping) if self.tick.running else []
        self._settle_snaps()
        self.tick.snapping += snapping

    def news(self) -> bool:
        """Return whether the table may have rows to upload. Between two ticks, the return value is
        False if the game has not read any row.
        """
        tick = self.tick
        if tick.snapping:
            self.settle()
        if not tick.handed_over:
            return True
        unsent = any([column.uploads.unsent for column in self.drawn])  # noqa: C419  (quicker)
        if unsent:
            self._unnoticed = True
        return unsent

    def moved(self) -> list[TableColumn] | None:
        """Return the interpolated columns that have changed since the last upload.

        Return None if the number of rows has changed, or if a column without interpolation has
        changed.
        """
        n = self.count
        moved = []
        for column in self.drawn:
            uploads = column.uploads
            if uploads.stale or uploads.sent != n or uploads.patches:
                return None
            if (
                column.touched
                or uploads.unsent
                or sys.getrefcount(column.data) > column._references
            ):
                if column.interpolated:
                    if column.changed(n):
                        moved.append(column)
                    else:
                        uploads.unsent = False
                elif column.news(n) or uploads.patches:
                    return None
                elif uploads.unsent:
                    column.handed_over(n, False)
        return moved

    def states(self, rows: Rows | slice) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Return the previous and the current values of ``rows``, as two lists. Each list contains
        one array for each interpolated column.
        """
        self.settle()
        old = [column.previous(self.count)[rows] for column in self.interpolated]
        return old, [column.current(self.count)[rows] for column in self.interpolated]

    def touch(self) -> None:
        """Mark all columns as changed. Call `touch` after you have written rows without using the
        properties of the batch.
        """
        for column in self.columns:
            column.touch()

    def _states_observed(self, rows: Rows | slice) -> Floats:
        return np.column_stack([column.current(self.count)[rows] for column in self.observed])

    # -- snapshots ---------------------------------------------------------------------------------

    def capture(self) -> TableState:
        """Return the current and previous values of all rows, and the handles, as an object for
        `restore`.
        """
        n = self.count
        states: list[tuple[TableColumn, Frozen, Frozen | None]] = []
        refcount = sys.getrefcount
        for column in self.columns:
            current = column.frozen
            previous = None
            # Usually the game has written nothing since the last snapshot. To save time, the code
            # of `is_viewed` is repeated here.
            if (
                current is None
                or current.rows is None
                or refcount(column.data) > column._references
            ):
                current = column.freeze(n)
            if column.interpolated:
                previous = column._previous.frozen
                if previous is None:
                    previous = column.freeze_previous(n, current)
            states.append((column, current, previous))
        tick = self.tick
        handles = self.handles.copy()
        batch: object = next(iter(handles.values()))._batch if handles else None
        return (
            n,
            states,
            handles,
            batch,
            self.holes.copy(),
            (tick.running, tick.length),
            tick.snapping.copy(),
            tick.noticed,
            self._viewed,
            self._unnoticed,
            self.ids.state,
            None if self.timed_rows is None else self.timed_rows.copy(),
        )

    def restore(self, saved: TableState) -> None:
        """Restore the state returned by `capture`."""
        (
            n,
            states,
            handles,
            batch,
            holes,
            tick,
            snapping,
            before,
            viewed,
            unnoticed,
            ids,
            timed,
        ) = saved
        if n > self.capacity:
            self.reserve(n)
        for column, current, previous in states:
            same = column.frozen is current and column._previous.frozen is previous
            if not same or column.is_viewed():
                column.restore(current, previous)
        if self.handles != handles:
            self._restore_handles(handles, batch)
        self.map_memory()
        self.prepared = 0
        if self.count != n:
            self.count = n
        if self.ids.state is not ids:
            self.ids.restore(ids)
        if holes or self.holes:
            self.holes = set(holes)
        if snapping or self.tick.snapping:
            self.tick.snapping = list(snapping)
        if (
            self.tick.noticed is not before
            or self._viewed is not viewed
            or self._unnoticed is not unnoticed
        ):
            self.tick.noticed = before
            self._viewed = viewed
            self._unnoticed = unnoticed
        self.timed_rows = None if timed is None else timed.copy()
        # `handed_over` does not change. For an unchanged column, the GPU has both states, or
        # receives both states with the next upload.
        self.tick.running, self.tick.length = tick

    def _restore_handles(self, handles: dict[int, TableHandle], batch: object) -> None:
        """Restore the handles of rows in ``batch`` from a snapshot."""
        replaced = self.handles
        self.handles = dict(handles)
        for handle in replaced.values():
            # the row of this handle was added after the snapshot
            handle._moved(-1)
        for row, handle in handles.items():
            handle._returned(batch, row)

    def _settle_snaps(self) -> None:
        for rows in self._few_snaps():
            for column in self.interpolated:
                column.snap(rows)
            if self.observer is not None:
                self.observer.snap(rows, self._states_observed(rows))
        self.tick.snapping.clear()

    def _few_snaps(self) -> list[Rows | slice]:
        if len(self.tick.snapping) <= _MAX_SNAPS:
            return self.tick.snapping
        return [np.flatnonzero(_marks(self.tick.snapping, self.count))]

    # -- saves -------------------------------------------------------------------------------------

    def further_rows(self) -> dict[str, tuple[NDArray[Any], Codes | None]]:
        """Return the arrays that a save stores in addition to the columns. See `rows.further_rows`."""
        return {}

    def put_further(self, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """Restore the arrays of `further_rows` from a save, and remove them from ``columns``.
        Called before ``count`` rows are loaded.
        """

    def capture_extra(self) -> Any:
        """Return the state that `capture` does not contain, or None. `restore_extra` accepts the
        returned object.
        """

    def restore_extra(self, captured: Any) -> None:
        """Restore the state returned by `capture_extra`."""

    def check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if a column of a save contains impossible values."""


def _written_rows(before: list[NDArray[Any]], now: list[NDArray[Any]]) -> Rows:
    """Return the indices of the rows whose values differ in any column."""
    written = np.zeros(len(now[0]) if now else 0, bool)
    for old, new in zip(before, now, strict=True):
        differs: Mask = old != new
        written |= differs if differs.ndim == 1 else differs.any(axis=1)
    return np.flatnonzero(written)


def _first_moved(rows: Rows) -> int:
    """Return the first index whose row changes if only ``rows`` remain, in this order. Return the
    number of rows if no row changes.
    """
    if not len(rows):
        return 0
    first = int(np.argmin(rows == np.arange(len(rows))))
    return len(rows) if rows[first] == first else first


def _marks(pieces: Sequence[Rows | slice], n: int) -> Mask:
    marks = np.zeros(n, bool)
    for rows in pieces:
        marks[rows] = True
    return marks


class ColumnProperty:
    """The base class of properties that read and write a column with the same name."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class ColumnValues(ColumnProperty, Generic[A]):
    """A property of a batch that reads and writes the column with the same name.

        position = ColumnValues[Floats]("Pixels, y up: float32 (n, 2).")

    Reading it returns a view of the array, into which the game may write. Assigning to it writes
    the values of all rows. If the new value does not fit, it raises an error and writes nothing.
    """

    @overload
    def __get__(self, batch: None, owner: type) -> Self: ...
    @overload
    def __get__(self, batch: Tabular[Table], owner: type) -> A: ...
    def __get__(self, batch: Tabular[Table] | None, owner: type) -> Self | A:
        if batch is None:
            return self
        table = batch._table
        if (
            table.holes
        ):  # `close_holes` repeats the test, but its call would take a tenth of the time
            table.close_holes()
        return table.column(self.name).values(table.count)  # type: ignore[return-value]

    def __set__(self, batch: Tabular[Table], value: ArrayLike) -> None:
        table = batch._table
        if table.holes:
            table.close_holes()
        assign(table.column(self.name), table.count, value)


class Ticked:
    """The base class of batches that call `begin_tick` and `end_tick` on their table in each
    tick.
    """

    __slots__ = ()

    _table: Table

    def begin_tick(self, dt: float) -> None:
        """Begin a tick of ``dt`` simulated seconds.

        ``dt`` is 0 while a scene above pauses this scene.
        """
        self._table.begin_tick(dt)

    def end_tick(self) -> None:
        """End the tick. Rows that were added or teleported during the tick are drawn without
        interpolation.
        """
        self._table.end_tick()

    def notice_writes(self) -> None:
        """Find the rows that the game has written since the last call. These rows are drawn without
        interpolation.

        Called in each frame of a paused game.
        """
        self._table.notice_writes()


class Tabular(Protocol[TableT]):
    """The interface of an object that stores its rows in a `Table`. `close_holes` deletes the
    removed rows from the table.
    """

    @property
    def _table(self) -> TableT: ...
