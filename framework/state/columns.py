"""Columns, one attribute of every row each, and the table of rows that they make.

A `Column` is a numpy array that knows whether it may have changed; a `Table` has several, whose
rows come and go together, and keeps the previous state of those that are interpolated. `transforms`
computes poses between two ticks from them, `gpu.handover` brings them to the GPU.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..arrays import Floats, Mask, Rows
from ..checks import Sealed, color, flag, number, whole, wrong_type, wrong_value
from .previous import FIRST_ROWS, Frozen, Previous
from .uploads import Uploads

if TYPE_CHECKING:  # which few tables have
    from ..timing.flicks import TickClock

# Columns of fewer rows are always copied: it takes no time worth mentioning.
LEAST_LAGGING = 8192

# Spawns and teleports that are settled one by one; more of them are gathered into one array of rows
# first.
_MOST_SNAPS = 4

_ALL = slice(None)

_WORDS = {2: "two", 3: "three", 4: "four"}

A = TypeVar("A")
TableT = TypeVar("TableT", bound="Table", covariant=True)

_MOST_FLOAT32 = float(np.finfo(np.float32).max)

# How often an array is referred to while nobody but its column does; measured below, once.
_OWN_REFERENCES: int


def _check_of(dtype: np.dtype[Any]) -> Callable[[str, object], float]:
    """What one number of a column is held against."""
    if dtype.kind == "b":
        return flag
    if dtype.kind == "i":
        limits = np.iinfo(dtype)
        return lambda name, value: whole(name, value, int(limits.min), int(limits.max))
    return number if dtype.itemsize == 8 else small_number


def small_number(name: str, value: object) -> float:
    """A finite number that float32 can hold."""
    result = number(name, value)
    if not -_MOST_FLOAT32 <= result <= _MOST_FLOAT32:
        raise wrong_value(name, "a number of at most 3.4e38", value)
    return result


class Codes:
    """What the numbers of a column stand for: the things at these places of a list, which only
    grows.

    Which number a thing has depends on what was there before; a hash of the state goes by the
    things themselves.
    """

    __slots__ = ("hashes", "things")

    def __init__(self, things: Sequence[object]) -> None:
        self.things = things
        self.hashes: list[int] = []
        """Of the things, as far as somebody has hashed them."""


class Column:
    """One attribute of every row: an array that the game writes in place.

    Reading `values` hands out a view, and a write into a view cannot be seen. Therefore a column
    remembers that a view was handed out, notices whether one is still held (by the reference count
    of the array that owns the memory), and compares the rows with a copy only then. A column that
    nobody looked at costs nothing.

    The copy is a `Previous`. What the GPU has of the rows is noted in ``uploads``.
    """

    __slots__ = (
        "_check",
        "_previous",
        "color_space",
        "data",
        "default",
        "frozen",
        "interpolated",
        "name",
        "settled",
        "touched",
        "uploads",
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
        color_space: str = "",
    ) -> None:
        self.name = name
        self.color_space = color_space  # of colours, that strings stand for too: "srgb" or "linear"
        self.width = width  # numbers in a row; 1 makes a column of shape (n,)
        self.default = default
        self.interpolated = interpolated
        self.data: NDArray[Any] = np.empty(self._shape(0), dtype)
        self._check = _check_of(self.data.dtype)
        self._previous = Previous(np.empty(self._shape(0), dtype))
        self.uploads = Uploads()
        self.touched = False
        """Whether it was looked at since the last latch, or while a view was held."""
        self.settled = False
        """Whether the GPU's newest state is what the copy holds already now, and not only after the
        next latch: then a comparison with the copy tells whether anybody wrote.
        """
        self.frozen: Frozen | None = None
        """The rows as snapshots share them, while nothing can have been written since. Whatever
        sets `touched` or `uploads.unsent` gives it up.
        """

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows,) if self.width == 1 else (rows, self.width)

    # -- values ------------------------------------------------------------------------------------

    def values(self, n: int) -> NDArray[Any]:
        """Return a writable view of the first ``n`` rows."""
        self.touched = self.uploads.unsent = True
        self.frozen = None
        return self.data[:n]

    def current(self, n: int) -> NDArray[Any]:
        """Return the first ``n`` rows, for reading only: not noted as looked at."""
        return self.data[:n]

    def memory(self) -> memoryview[float]:
        """The current state as a flat memoryview of its numbers, valid until `reserve`. It counts
        as a view held.
        """
        return memoryview(self.data).cast("B").cast("f")  # type: ignore[arg-type]

    def touch(self) -> None:
        """Note a write that did not go through `values`."""
        self.touched = self.uploads.unsent = True
        self.frozen = None

    def is_viewed(self) -> bool:
        """Whether somebody holds a view, and may write to it unseen."""
        return sys.getrefcount(self.data) > _OWN_REFERENCES

    def put(self, row: int, value: object) -> None:
        """Write one row, checked; ``value`` is as wide as the column, or one number for all."""
        self.data[row] = self.checked(value)
        self.touched = self.uploads.unsent = True
        self.frozen = None

    def put_rows(self, rows: Rows, values: ArrayLike) -> None:
        """Write some rows, which alone are handed over; of an interpolated column both states, so
        that they are there at once."""
        previous, uploads = self._previous, self.uploads
        if previous.lagging:
            previous.catch_up(uploads)
        self.data[rows] = values
        previous.write(self.data, rows, values)  # what is written next is compared with it
        self.frozen = None
        uploads.unsent = True
        uploads.patch(rows)

    def checked(self, value: Any) -> float | Sequence[float]:
        """``value`` as one row takes it. Raises `TypeError` or `ValueError` that names the
        column.
        """
        check = self._check
        if self.width == 1:
            return check(self.name, value)
        try:
            parts = tuple(value)
        except TypeError:
            return check(self.name, value)  # one for all
        if isinstance(value, str):
            return self.spelled(value)
        if len(parts) != self.width:
            raise wrong_value(self.name, f"{_WORDS[self.width]} numbers", value)
        return [check(self.name, part) for part in parts]

    def spelled(self, value: str) -> tuple[float, ...]:
        """The numbers of a colour that is given as a string. Raises `TypeError` in a column of
        anything else.
        """
        if not self.color_space:
            raise wrong_type(self.name, f"{_WORDS[self.width]} numbers", value)
        return color(self.name, value, as_light=self.color_space == "linear")

    # -- rows --------------------------------------------------------------------------------------

    def reserve(self, capacity: int, n: int) -> None:
        """Room for ``capacity`` rows, of which the first ``n`` are kept. Views handed out before go
        out of date.
        """
        if self._previous.lagging:
            self._previous.catch_up(self.uploads)
        data = np.empty(self._shape(capacity), self.data.dtype)
        data[:n] = self.data[:n]
        self.data = data
        self._previous.reserve(data.shape, n)
        self.uploads.stale = True

    def spawn(self, start: int, stop: int) -> None:
        """Set new rows to the default."""
        self.data[start:stop] = self.default
        self.frozen = self._previous.frozen = None
        if self.interpolated:
            self._previous.own(self.data)
            self._previous.rows[start:stop] = self.default
            # The caller writes them next, and not through `values`.
            self.touched = self.uploads.unsent = True

    def keep(self, rows: Rows) -> None:
        """Move ``rows`` (ascending) to the front; the others are gone."""
        previous, uploads = self._previous, self.uploads
        if previous.lagging:
            previous.catch_up(uploads)
        uploads.stale = True  # rows have moved: both states are uploaded whole
        self.touched = uploads.unsent = True
        self.frozen = previous.frozen = None
        first = int(np.argmin(rows == np.arange(len(rows)))) if len(rows) else 0
        if len(rows) and rows[first] == first:
            return  # only rows at the end go
        previous.own(self.data)
        for state in (self.data, previous.rows):
            state[first : len(rows)] = state[rows[first:]]

    # -- the previous state ------------------------------------------------------------------------

    def previous(self, n: int) -> NDArray[Any]:
        """Return the first ``n`` rows of the copy."""
        return self._previous.values(n, self.uploads)

    def drop_source(self) -> None:
        """Give up what only the GPU had, whose buffers are gone: rows are drawn at rest."""
        if self._previous.lagging:
            self._previous.catch_up_with(self.data, self.uploads.sent)
        self.uploads.source = None

    def put_previous(self, rows: Rows, values: ArrayLike) -> None:
        """Have some rows come from somewhere else than where they were when the tick began."""
        if self._previous.lagging:
            self._previous.catch_up(self.uploads)
        self._rewrite(rows, values)

    def _rewrite(self, rows: Rows | slice, values: ArrayLike) -> None:
        """Write some rows of the copy, which are handed over also if no tick comes first."""
        self._previous.write(self.data, rows, values)
        self.uploads.patch(rows)
        self.touched = self.uploads.unsent = True

    def latch(self, n: int) -> None:
        """At a tick's start: previous ◄ current."""
        viewed = sys.getrefcount(self.data) > _OWN_REFERENCES
        if self.settled and not (self.touched or viewed):
            return
        previous, uploads = self._previous, self.uploads
        if not self.settled:
            # What the GPU got last is what current held then; whether it was written since, only a
            # few rows can tell.
            unsure = viewed or uploads.unsent or uploads.viewed
            unsure = unsure and (n > FIRST_ROWS or self.data[:n].tobytes() != uploads.given)
            lag = n >= LEAST_LAGGING and not unsure and previous.may_lag(n, uploads)
            self._copy(n, viewed, lag)
            uploads.stale = uploads.stale or unsure
            self.settled = True
        elif self._differs(n):
            self._copy(n, viewed, lag=False)
            uploads.stale = True
        # A view may be written to, and let go, before anybody looks again.
        self.touched, uploads.unsent = viewed, False
        if previous.asked:
            previous.asked -= 1

    def _copy(self, n: int, viewed: bool, lag: bool) -> None:
        """previous ◄ current; with ``lag``, only in name."""
        frozen, previous = self.frozen, self._previous
        if not viewed and frozen is not None and frozen.rows is not None:
            previous.borrow(frozen)
        elif lag:
            previous.lag(self.data)
        else:
            if previous.lagging or previous.lent or previous.frozen is not None:
                previous.renew(self.data)
            previous.rows[:n] = self.data[:n]

    def _differs(self, n: int) -> bool:
        """Whether the first ``n`` rows differ from the copy in any bit."""
        data, previous = self.data, self._previous
        if n <= FIRST_ROWS:
            return data[:n].tobytes() != previous.rows[:n].tobytes()
        if previous.lagging:
            if data[:FIRST_ROWS].tobytes() != previous.rows[:FIRST_ROWS].tobytes():
                return True
            previous.catch_up(self.uploads)
        return differ(data[:n], previous.rows[:n])

    def snap(self, rows: Rows | slice) -> None:
        """previous ◄ current for some rows: they are drawn where they are, without a
        displacement.
        """
        if not (self.touched or self.is_viewed()):
            return
        if self._previous.lagging:
            self._previous.catch_up(self.uploads)
        values = self.data[rows]
        if (values != self._previous.rows[rows]).any():
            self._rewrite(rows, values)

    def snap_part(self, rows: Rows, parts: slice) -> None:
        """The same for some of the numbers of rows, of a column that is not handed over."""
        previous = self._previous
        previous.own(self.data)
        previous.rows[rows, parts] = self.data[rows, parts]
        previous.frozen = None

    # -- snapshots ---------------------------------------------------------------------------------

    def freeze(self, n: int) -> Frozen:
        """The first ``n`` rows in memory of their own: the same as last time, where nothing can
        have been written.
        """
        frozen = self.kept()
        if frozen.rows is None:
            frozen.rows = self.data[:n].copy()
        return frozen

    def kept(self) -> Frozen:
        """What stands for the rows as they are now; kept as long as nothing can be written to
        them.
        """
        if self.is_viewed():  # what holds a view may write to it unseen
            self.frozen = None
            return Frozen()
        if self.frozen is None:
            self.frozen = Frozen()
        return self.frozen

    def freeze_previous(self, n: int, current: Frozen) -> Frozen:
        """The same for the previous state, whose memory is lent; ``current`` is what `freeze`
        returned.
        """
        previous = self._previous
        if previous.frozen is None:
            if self.settled and not self.touched and current is self.frozen:
                previous.frozen = current
            else:
                return previous.lend(n, self.uploads)
        return previous.frozen

    def put_back(self, current: Frozen, previous: Frozen | None) -> None:
        """Have the rows of a snapshot again; ``previous`` is None for a column of one state."""
        viewed, uploads = self.is_viewed(), self.uploads
        rows: NDArray[Any] = current.rows
        n = len(rows)
        if n > len(self.data):
            self.reserve(n, 0)
        self.data[:n] = rows
        self._previous.lagging = 0
        if previous is not None:
            self._previous.borrow(previous)
        self.touched = uploads.unsent = uploads.stale = True
        self.settled = False
        uploads.patches.clear()
        self.frozen = None if viewed else current

    # -- uploads -----------------------------------------------------------------------------------

    def at_rest(self, n: int) -> bool:
        """Whether nothing can have been written since its ``n`` rows were handed over."""
        uploads = self.uploads
        return (
            self.settled
            and uploads.sent == n
            and not (self.touched or uploads.unsent or uploads.stale or self.is_viewed())
        )

    def changed(self, n: int) -> bool:
        """Whether any of the first ``n`` rows differs from the copy."""
        if sys.getrefcount(self.data) > _OWN_REFERENCES:
            self.touched = True  # and so it stays when the view is let go
        return self.touched and self._differs(n)

    def news(self, n: int) -> bool:
        """Of a column of one state: whether rows that the GPU has are to be written anew."""
        uploads = self.uploads
        if uploads.stale:
            return True
        if sys.getrefcount(self.data) > _OWN_REFERENCES:
            self.touched = True
        return self.touched and self._differs(min(n, uploads.sent))

    def handed_over(self, n: int, changed: bool) -> None:
        """The GPU now has both states of ``n`` rows (of a column of one state: that one)."""
        previous, uploads = self._previous, self.uploads
        viewed = sys.getrefcount(self.data) > _OWN_REFERENCES
        if self.interpolated:
            uploads.viewed = viewed
            if changed and n <= FIRST_ROWS:
                uploads.given = self.data[:n].tobytes()
            if previous.lagging:
                previous.handed_over(self.data, n, changed)
        else:
            self.touched = viewed
            start = 0 if changed else uploads.sent
            if start < n:
                previous.rows[start:n] = self.data[start:n]
        self.settled = not changed
        uploads.unsent = uploads.stale = False
        uploads.sent = n
        if uploads.patches:
            uploads.patches.clear()


def _own_references() -> int:
    column = Column("probe", 1, 0.0, interpolated=True)
    return sys.getrefcount(column.data)


_OWN_REFERENCES = _own_references()


def differ(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Return whether two contiguous arrays of the same shape and dtype differ in any bit (a NaN
    equals itself).

    They are compared in growing pieces: rows that all move are told from the first few.
    """
    if a[:FIRST_ROWS].tobytes() != b[:FIRST_ROWS].tobytes():
        return True
    if len(a) <= FIRST_ROWS:
        return False
    x, y = a.reshape(-1).view(_BITS[a.itemsize]), b.reshape(-1).view(_BITS[b.itemsize])
    start, step = 0, 512
    while start < x.size:
        if (x[start : start + step] != y[start : start + step]).any():
            return True
        start += step
        step = min(step * 4, 1 << 17)
    return False


_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def assign(column: Column, n: int, value: ArrayLike) -> None:
    """``column[:] = value`` with an error that names the column; nothing is written when it does
    not fit.
    """
    if isinstance(value, str) and column.color_space:
        value = column.spelled(value)
    target = column.values(n)
    if isinstance(value, np.ndarray) and value.base is target.base and _same_place(value, target):
        # ``batch.position += …`` has written in place already, and now assigns the view to itself
        return
    assign_to(column.name, target, value)


def assign_to(name: str, target: NDArray[Any], value: ArrayLike) -> None:
    """``target[...] = value``, or an error that names it. Raises `TypeError` for what are no
    numbers, `ValueError` for numbers that do not fit; then nothing is written."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}: expected {_room(target)}, got a ragged sequence") from None
    if not _casts(array.dtype, target.dtype):
        raise TypeError(
            f"{name}: expected {_room(target)}, got {array.dtype} of shape {array.shape}"
        )
    if not _fits(array.shape, target.shape):
        raise ValueError(
            f"{name}: expected {_room(target)}, got {array.dtype} of shape {array.shape}"
        )
    if array.dtype != target.dtype and array.dtype.itemsize > 2:  # else all of them fit
        array = _converted(name, array, target.dtype)
    target[...] = array


def _room(target: NDArray[Any]) -> str:
    return f"{target.dtype} numbers of shape {target.shape} (or one that broadcasts to it)"


def _converted(name: str, array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers in the column's own type. Raises `ValueError` for what it cannot hold, but for NaN
    and infinity.
    """
    if dtype.kind == "f":
        try:
            with np.errstate(over="raise"):
                return array.astype(dtype)
        except FloatingPointError:
            raise ValueError(
                f"{name}: expected numbers of at most 3.4e38, got larger ones"
            ) from None
    if dtype.kind == "i" and array.size and array.dtype.kind in "iu":
        low: int = array.min()
        high: int = array.max()
        limits = np.iinfo(dtype)
        if low < limits.min or high > limits.max:
            got = low if low < limits.min else high
            raise ValueError(
                f"{name}: expected whole numbers from {limits.min:,} to {limits.max:,}, got {got:,}"
            )
    return array


def _same_place(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return (
        a.shape == b.shape
        and a.strides == b.strides
        and a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    )


def _casts(given: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    return np.can_cast(given, wanted, "same_kind") or (given.kind in "iu" and wanted.kind in "bu")


def _fits(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(given, wanted) == wanted
    except ValueError:
        return False


class Tick:
    """Where a table is: within a tick or between two."""

    __slots__ = ("alarm", "handed_over", "length", "noticed", "rested", "running", "snapping")

    def __init__(self) -> None:
        self.running = False
        self.length = 0.0  # simulated seconds, of the last one
        self.handed_over = True  # whether the GPU knows of the last one
        self.rested = False  # whether, then, nothing had moved: the GPU has one state of all rows
        self.alarm: TickClock | None = None  # what goes along
        self.snapping: list[Rows | slice] = []  # rows whose previous is to become their current
        self.noticed: list[NDArray[Any]] | None = (
            None  # the states as `notice_writes` last saw them
        )


Renumber = Callable[[Any, Rows], None]
"""Called with a follower and the new numbers of all rows: row ``i`` has the number ``numbers[i]``
now, or -1 if it is gone.
"""


class TableHandle:
    """A handle of a row, as its table updates it; `rows.Handle` is what a game holds."""

    __slots__ = ()

    _batch: Any

    def _moved(self, row: int) -> None:
        """Set the number of the row; -1 if the row is gone."""
        raise NotImplementedError

    def _returned(self, batch: object, row: int) -> None:
        """Stand for a row of the batch again, as before."""
        raise NotImplementedError

    def _columns_moved(self) -> None:
        """Called on one handle of a batch, for all, when its columns have other memory."""


class Observer(Protocol):
    """What follows the states of rows tick by tick; see `motion.Predictions`."""

    column: Column

    def begin_tick(self, dt: float, n: int) -> None: ...

    def take(self, observed: Floats) -> None: ...

    def snap(self, rows: Rows | slice, observed: Floats) -> None: ...


RowsT = TypeVar("RowsT")

TableOf = tuple[
    int,
    list[tuple[Column, RowsT, RowsT | None]],
    dict[int, TableHandle],
    object,
    set[int],
    tuple[bool, float],
    list[Rows | slice],
    list[NDArray[Any]] | None,
    bool,
    bool,
]

TableState = TableOf[Frozen]
"""What `Table.captured` returns: the number of rows; each column, its rows, and their previous state
if it is kept; and what else a table has.
"""


class Table(Sealed):
    """Rows that come and go, with a column for each of their attributes, of which some have a
    previous state.

    ``interpolated`` are the columns whose previous state is kept: ``previous`` is what ``current``
    was when the tick began. Rows that were spawned or teleported have previous = current once the
    tick ends, whichever came first, the call or the write; between two ticks, at once.

    With an ``observer``, the columns ``observed`` are told to it when a tick ends, instead of to
    the GPU. With a clock that goes along with the ticks (`Tick.alarm`), `fall_due` is called in
    each in which something is due by it.
    """

    __slots__ = (
        "__weakref__",
        "_by_name",
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
        "interpolated",
        "observed",
        "observer",
        "tick",
    )

    def __init__(
        self,
        interpolated: Sequence[Column],
        *others: Column,
        observer: Observer | None = None,
        observed: Sequence[Column] = (),
    ) -> None:
        self.interpolated = tuple(interpolated)
        self.observer = observer
        self.observed = tuple(observed)
        """Columns that the GPU need not know: it is sent the observer's column instead."""
        self.blended = tuple([column for column in interpolated if column not in self.observed])
        """Columns of which both states are drawn from."""
        self.drawn: list[
            Column
        ] = []  # those of which each frame asks whether they are to be handed over
        self.columns: list[Column] = []
        self._by_name: dict[str, Column] = {}
        self.tick = Tick()
        self.count = 0
        """Rows there are."""
        self.capacity = 0
        """Rows there is room for without moving the columns."""
        self.handles: dict[int, TableHandle] = {}
        """The handles that somebody may hold, by row."""
        self.holes: set[int] = set()
        """Rows that are gone, though the others have not closed up yet."""
        self.codes: dict[str, Codes] = {}
        """What the numbers in columns stand for, by the column's name."""
        self.derived: tuple[str, ...] = ()
        """Columns that are computed from others when a picture is drawn: they are no state of the
        game.
        """
        # Made for the first one.
        self._followers: weakref.WeakKeyDictionary[object, Renumber] | None = None
        self._viewed = False  # whether somebody held a view then
        self._unnoticed = False  # whether rows were looked at since then, and handed over
        self.add_columns(*interpolated, *([] if observer is None else [observer.column]), *others)

    def __len__(self) -> int:
        return self.count

    # -- columns -----------------------------------------------------------------------------------

    def add_columns(self, *columns: Column, drawn: bool = True) -> None:
        """More columns, which grow and shrink with the rows. Rows that are there have their
        defaults. What is not ``drawn`` is never handed over."""
        for column in columns:
            self.columns.append(column)
            if drawn:
                self.drawn.append(column)
            self._by_name[column.name] = column
            column.reserve(self.capacity, 0)
            column.spawn(0, self.count)

    def column(self, name: str) -> Column:
        """The column of a name. Raises `AttributeError` that says what there is."""
        column = self._by_name.get(name)
        if column is None:
            raise AttributeError(self.missing(name))
        return column

    def has(self, name: str) -> bool:
        """Whether there is a column of that name."""
        return name in self._by_name

    def missing(self, name: str) -> str:
        """Why there is no such column, in words."""
        return f"{name}: there is no such column; there are {', '.join(self._names())}"

    def _names(self) -> list[str]:
        own = None if self.observer is None else self.observer.column
        return [column.name for column in self.columns if column is not own]

    def checked(self, count: int, columns: Mapping[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        """Values by column for ``count`` new rows, each in its column's shape and dtype, before any
        row is made.

        Raises `TypeError` for a name that is no column of the game's and for what are no numbers,
        `ValueError` for numbers that do not fit.
        """
        values = {}
        for name, value in columns.items():
            if name not in self._names():
                raise TypeError(f"{name}: not a column; there are {', '.join(self._names())}")
            column = self._by_name[name]
            space = column.color_space
            dtype = column.data.dtype
            scratch = Column(
                name,
                column.width,
                column.default,
                dtype=dtype,
                interpolated=False,
                color_space=space,
            )
            scratch.reserve(count, 0)
            assign(scratch, count, value)
            values[name] = scratch.data
        return values

    # -- rows --------------------------------------------------------------------------------------

    def reserve(self, capacity: int) -> None:
        """Room for ``capacity`` rows without moving the columns."""
        if whole("capacity", capacity, 0) <= self.capacity:
            return
        for column in self.columns:
            column.reserve(capacity, self.count)
        self.capacity = capacity
        _tell_columns_moved(self.handles)

    def spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        """``count`` new rows at the end, with values that were `checked`, elsewhere at their
        defaults.

        They are drawn first where this tick leaves them.
        """
        if type(count) is not int or count < 0:
            count = whole("count", count, 0)
        start, stop = self.count, self.count + count
        if stop > self.capacity:
            self.reserve(max(stop, 2 * self.capacity, 16) if start else max(stop, 1))
        for column in self.columns:
            column.spawn(start, stop)
            if column.name in values:
                column.data[start:stop] = values[column.name]
        self.count = stop
        self._snap_later(start, stop)
        if self.tick.noticed is not None:
            new = [column.data[start:stop] for column in self.interpolated]
            self.tick.noticed = [
                np.concatenate(pair) for pair in zip(self.tick.noticed, new, strict=True)
            ]
        return slice(start, stop)

    def _snap_later(self, start: int, stop: int) -> None:
        last = self.tick.snapping[-1] if self.tick.snapping else None
        if isinstance(last, slice) and last.stop == start:  # one after another: kept as one
            self.tick.snapping[-1] = slice(last.start, stop)
        else:
            self.tick.snapping.append(slice(start, stop))

    def keep(self, rows: Rows) -> None:
        """Drop all rows but ``rows`` (ascending indices); their order stays. Handles go with their
        rows.
        """
        if self.tick.snapping:
            snapping = _marks(self.tick.snapping, self.count)[rows]
            self.tick.snapping = [np.flatnonzero(snapping)]
        if self.tick.noticed is not None:
            self.tick.noticed = [state[rows] for state in self.tick.noticed]
        for column in self.columns:
            column.keep(rows)
        if self.handles or self._followers:
            self._renumber(rows)
        self.count = len(rows)

    def follow(self, follower: object, renumber: Renumber) -> None:
        """Call ``renumber(follower, numbers)`` when rows get other numbers. The follower is not
        kept alive.
        """
        if self._followers is None:
            self._followers = weakref.WeakKeyDictionary()
        self._followers[follower] = renumber

    @property
    def followers(self) -> list[object]:
        """The followers of the rows' numbers."""
        return [*(self._followers or ())]

    def _renumber(self, rows: Rows) -> None:
        places = np.full(self.count, -1, np.intp)
        places[rows] = np.arange(len(rows))
        for follower, renumber in [*(self._followers or {}).items()]:
            renumber(follower, places)
        numbers = places.tolist() if self.handles else []
        handles, self.handles = self.handles, {}
        for row, handle in handles.items():
            handle._moved(numbers[row])
            if numbers[row] >= 0:
                self.handles[numbers[row]] = handle

    def close_holes(self) -> None:
        """Rows close up over those that are gone: before anybody counts them."""
        holes, self.holes = list(self.holes), set()
        self.drop(holes)

    def drop(self, rows: Rows | slice | list[int]) -> None:
        """Drop ``rows``; see `keep`."""
        kept = np.ones(self.count, bool)
        kept[rows] = False
        self.keep(np.flatnonzero(kept))

    # -- ticks -------------------------------------------------------------------------------------

    def mark_teleported(self, rows: Rows | slice) -> None:
        """Draw ``rows`` where they are when this tick ends, without a displacement.

        The order of the calls does not matter: before or after the write is the same.
        """
        self.tick.snapping.append(rows)

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins: previous ◄ current, for every row."""
        tick, n = self.tick, self.count
        if tick.noticed is not None:
            tick.noticed = None
        if tick.snapping:
            self._settle_snaps()
        for column in self.interpolated:
            column.latch(n)
        if self.observer is not None:
            self.observer.begin_tick(dt, n)
        tick.length = dt
        tick.running = True
        tick.handed_over = False
        alarm = tick.alarm
        if alarm is not None and alarm.tick(dt):
            self.fall_due()

    def fall_due(self) -> None:
        """Something is due by the alarm: do it, and note when the next is."""
        raise NotImplementedError

    def end_tick(self) -> None:
        """Rows that were spawned or teleported in this tick get previous = current."""
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
        """While no ticks run: rows written since the last call are drawn where they are, without a
        displacement.

        The first call after a tick only remembers where everything is.
        """
        before, viewed = self.tick.noticed, any(column.is_viewed() for column in self.interpolated)
        unsent = any(column.uploads.unsent for column in self.interpolated)
        if before is not None and not (unsent or viewed or self._viewed or self._unnoticed):
            return
        self._viewed, self._unnoticed = viewed, False
        now = self.tick.noticed = [
            column.current(self.count).copy() for column in self.interpolated
        ]
        if before is None:
            for column in self.interpolated:
                # What was written through a view since the last hand-over, as long as ticks were
                # still to come.
                uploads = column.uploads
                uploads.unsent = uploads.unsent or column.touched or column.is_viewed()
            return
        written = np.zeros(self.count, bool)
        for old, new in zip(before, now, strict=True):
            differs: Mask = old != new
            written |= differs if differs.ndim == 1 else differs.any(axis=1)
        if written.any():
            for column in self.interpolated:
                column.touch()
            self.mark_teleported(np.flatnonzero(written))

    def settle(self) -> None:
        """Before states are read: what was spawned or teleported since the last tick is drawn where
        it is.
        """
        if not self.tick.snapping:
            return
        snapping = (
            list(self.tick.snapping) if self.tick.running else []
        )  # in a tick they may still be written to
        self._settle_snaps()
        self.tick.snapping += snapping

    def news(self) -> bool:
        """Whether there may be anything to hand over: not between two ticks of a game that left the
        rows alone.
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

    def moved(self) -> list[Column] | None:
        """The interpolated columns that changed since the last hand-over; None where more than that
        is new.
        """
        n, moved = self.count, []
        for column in self.drawn:
            uploads = column.uploads
            if uploads.stale or uploads.sent != n or uploads.patches:
                return None
            if column.touched or uploads.unsent or sys.getrefcount(column.data) > _OWN_REFERENCES:
                if column.interpolated:
                    if column.changed(n):
                        moved.append(column)
                    else:
                        uploads.unsent = False
                elif column.news(n):
                    return None
                elif uploads.unsent:
                    column.handed_over(n, False)
        return moved

    def states(self, rows: Rows | slice) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Previous and current of the interpolated columns."""
        self.settle()
        old = [column.previous(self.count)[rows] for column in self.interpolated]
        return old, [column.current(self.count)[rows] for column in self.interpolated]

    def touch(self) -> None:
        """Note writes that did not go through the columns' properties."""
        for column in self.columns:
            column.touch()

    def _states_observed(self, rows: Rows | slice) -> Floats:
        return np.column_stack([column.current(self.count)[rows] for column in self.observed])

    # -- snapshots ---------------------------------------------------------------------------------

    def captured(self) -> TableState:
        """All rows, both their states, and who holds them: what `put_back` takes."""
        n = self.count
        states: list[tuple[Column, Frozen, Frozen | None]] = []
        refcount = sys.getrefcount
        for column in self.columns:
            current, previous = column.frozen, None
            # Usually nothing was written since the last snapshot, so `is_viewed` is not called
            # here: its line is copied.
            if current is None or current.rows is None or refcount(column.data) > _OWN_REFERENCES:
                current = column.freeze(n)
            if column.interpolated:
                previous = column._previous.frozen
                if previous is None:
                    previous = column.freeze_previous(n, current)
            states.append((column, current, previous))
        tick, handles = self.tick, self.handles.copy()
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
        )

    def put_back(self, saved: TableState) -> None:
        """Be as it was when `captured` returned this."""
        n, states, handles, batch, holes, tick, snapping, before, viewed, unnoticed = saved
        if n > self.capacity:
            self.reserve(n)
        for column, current, previous in states:
            same = column.frozen is current and column._previous.frozen is previous
            if not same or column.is_viewed():
                column.put_back(current, previous)
        if self.handles != handles:
            replaced, self.handles = self.handles, dict(handles)
            _tell_columns_moved(replaced)  # there may be no handles any more
            for handle in replaced.values():
                handle._moved(-1)  # of a row that was made since then; the others get theirs back
            for row, handle in handles.items():
                handle._returned(batch, row)
        _tell_columns_moved(handles)
        if self.count != n:
            self.count = n
        if holes or self.holes:
            self.holes = set(holes)
        if snapping or self.tick.snapping:
            self.tick.snapping = list(snapping)
        if (
            self.tick.noticed is not before
            or self._viewed is not viewed
            or self._unnoticed is not unnoticed
        ):
            self.tick.noticed, self._viewed, self._unnoticed = before, viewed, unnoticed
        # `handed_over` stays as it is: of a column that is as it was, the GPU has both states, or
        # is still to get them.
        self.tick.running, self.tick.length = tick

    def _settle_snaps(self) -> None:
        for rows in self._few_snaps():
            for column in self.interpolated:
                column.snap(rows)
            if self.observer is not None:
                self.observer.snap(rows, self._states_observed(rows))
        self.tick.snapping.clear()

    def _few_snaps(self) -> list[Rows | slice]:
        if len(self.tick.snapping) <= _MOST_SNAPS:
            return self.tick.snapping
        return [np.flatnonzero(_marks(self.tick.snapping, self.count))]


def _tell_columns_moved(handles: Mapping[int, TableHandle]) -> None:
    """Tell one of a batch's handles, for all, that the columns may be elsewhere in memory."""
    for handle in handles.values():
        handle._columns_moved()
        break


def _marks(pieces: Sequence[Rows | slice], n: int) -> Mask:
    marks = np.zeros(n, bool)
    for rows in pieces:
        marks[rows] = True
    return marks


class ColumnProperty:
    """A property with the name of the column that it shows."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class Cells(ColumnProperty, Generic[A]):
    """A column as a property of a batch: ``position = Cells[Floats]("Pixels, y up: float32 (n,
    2).")``.

    Reading it gives a view that may be written to in place; setting it writes the whole column,
    or is refused.
    """

    @overload
    def __get__(self, batch: None, owner: type) -> Self: ...
    @overload
    def __get__(self, batch: Tabular[Table], owner: type) -> A: ...
    def __get__(self, batch: Tabular[Table] | None, owner: type) -> Self | A:
        if batch is None:
            return self
        table = batch._table
        if table.holes:
            table.close_holes()
        return table.column(self.name).values(table.count)  # type: ignore[return-value]

    def __set__(self, batch: Tabular[Table], value: ArrayLike) -> None:
        table = batch._table
        if table.holes:
            table.close_holes()
        assign(table.column(self.name), table.count, value)


class Ticked:
    """A batch goes along with ticks as its table does."""

    __slots__ = ()

    _table: Table

    def begin_tick(self, dt: float) -> None:
        """A tick of ``dt`` simulated seconds begins; 0 in a scene that is paused by one above
        it.
        """
        self._table.begin_tick(dt)

    def end_tick(self) -> None:
        """The tick is over."""
        self._table.end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw rows that were written since the last call where they are now.

        A paused game does this each frame by itself.
        """
        self._table.notice_writes()


class Tabular(Protocol[TableT]):
    """An object with a table, whose rows may have to close up before they are read."""

    @property
    def _table(self) -> TableT: ...
