"""Store the input of each tick, and a state every few ticks, so that a game can be rewound.

The state after a tick can be computed from the state before the tick and the tick's input.
Therefore, it is enough to store a state every few ticks, which is called a *keyframe*. To go back
to a tick, `Rewind` restores the last keyframe before it and runs the following ticks again. This
saves a lot of memory: with 100,000 moving objects, the states of all ticks in ten seconds would
need 720 MB, but keyframes and inputs need only 20 to 60 MB.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..input.tick_input import TickInput
from ..state.columns import Table, TableColumn, TableOf, TableState
from ..state.previous import Frozen
from .attributes import Put
from .kinds import put_table
from .snapshots import Snapshot, saves_of

_WORTH_SHARING = 1 << 10  # minimum size in bytes of an array that is compared
_SAMPLE = 256  # number of values that are compared first
_MAX_DIFFERENT = 0.3  # maximum fraction of values that differ in a patch
_WORTH_LEAVING = 1 << 14  # minimum size in bytes of a column whose previous values may be left out
_ENTRY = 120  # size of an entry in a snapshot in bytes, without the captured state
_EVENT = 200  # size of an event in bytes
_NOTHING = TickInput()

Array = NDArray[Any]


# An object with a constant velocity is halfway between its positions before and after. Therefore
# only every fourth keyframe stores its large arrays completely. All other keyframes store the
# difference to the blend of two keyframes, in steps of the last bit.
_ANCHORS = 4
_LARGE = 1 << 14  # minimum size in bytes of an array that is blended
_WIDTHS = (4, 8, 16)  # possible numbers of bits of a stored difference
_WORTH_BLENDING = 0.75  # a blend must be smaller than this fraction of the array's size


class Blend:
    """A float32 array in a compressed form. A `Blend` stores only the difference between the array
    and a mix of two other arrays: ``(1 - share) * first + share * second``.
    """

    __slots__ = ("first", "marks", "second", "share", "steps", "values")

    def __init__(
        self,
        first: Array,
        second: Array,
        share: float,
        steps: Array,
        marks: Array,
        values: Array,
    ) -> None:
        self.first = first
        self.second = second
        self.share = share
        self.steps = steps
        self.marks = marks
        self.values = values

    def whole(self) -> Array:
        """Compute and return the uncompressed array."""
        array = _between(self.first, self.second, self.share)
        bits = array.reshape(-1).view(np.int32)
        bits += _loosened(self.steps, len(bits))
        bits[_positions(self.marks, len(bits))] = self.values
        return array

    def parts(self) -> tuple[Array, ...]:
        """Return all arrays that the `Blend` stores. The history adds their sizes to compute its
        memory size.
        """
        return self.first, self.second, self.steps, self.marks, self.values


class Patch:
    """An array in a compressed form. A `Patch` stores a similar array, and the positions and values
    of the numbers that differ.
    """

    __slots__ = ("base", "marks", "values")

    def __init__(self, base: Array, marks: Array, values: Array) -> None:
        self.base = base
        self.marks = marks
        self.values = values

    def parts(self) -> tuple[Array, ...]:
        """Return all arrays that the `Patch` stores. The history adds their sizes to compute its
        memory size.
        """
        return self.base, self.marks, self.values

    def whole(self) -> Array:
        """Compute and return the uncompressed array."""
        array = self.base.copy()
        bits = _bits(array)
        bits[_positions(self.marks, len(bits))] = self.values
        return array


Held = Array | Patch | Blend
"""An array in a keyframe. The array may be stored as a `Patch` or a `Blend`, which need less
memory.
"""


def _marks(differs: Array, positions: Array) -> Array:
    """Return the positions of the numbers that differ between two arrays. The function returns the
    smaller of two arrays: an array of indices, or a mask with one bit for each number.
    """
    return (
        positions.astype(np.uint32) if 32 * len(positions) < len(differs) else np.packbits(differs)
    )


def _positions(marks: Array, n: int) -> Array:
    return (
        marks
        if marks.dtype == np.uint32
        else np.flatnonzero(np.unpackbits(marks, count=n).view(bool))
    )


def _tightened(steps: Array, bits: int) -> Array:
    """Pack small integers into an array of bytes, with ``bits`` bits for each integer. If ``bits``
    is 4, a byte contains two integers. The first half of the array is stored in the lower 4 bits of
    the bytes, and the second half in the upper 4 bits.
    """
    if bits > 4:
        return steps.astype(f"i{bits // 8}")
    half = -(-len(steps) // 2)
    tight = steps[:half].astype(np.int8) & 15
    tight[: len(steps) - half] |= steps[half:].astype(np.int8) << 4
    return tight


def _loosened(steps: Array, n: int) -> Array:
    """Unpack ``n`` integers that `_tightened` has packed, and return them as an array."""
    half = len(steps)
    if half == n:
        return steps
    loose = np.empty(n, np.int8)
    np.right_shift(steps << 4, 4, out=loose[:half])
    np.right_shift(steps[: n - half], 4, out=loose[half:])
    return loose


class Stored:
    """The rows of a column in a keyframe, in the compressed form of a `Patch` or a `Blend`."""

    __slots__ = ("rows",)

    def __init__(self, rows: Patch | Blend) -> None:
        self.rows = rows


StoredColumn = tuple[TableColumn, Frozen | Stored, Frozen | Stored | None]

StoredTable = TableOf[Frozen | Stored]
"""The state of a table in a keyframe. The columns of the table may be stored as patches or
blends.
"""


def _stored(rows: Held) -> Frozen | Stored:
    return Frozen(rows) if isinstance(rows, np.ndarray) else Stored(rows)


class _PutBytes:
    """Restores an object whose state consists of bytes, such as a physics world. A keyframe stores
    the bytes as an array or a `Patch`. While all bodies in a physics world are asleep, only a few
    bytes change from keyframe to keyframe.
    """

    __slots__ = ("put",)

    def __init__(self, put: Put) -> None:
        self.put = put

    def __call__(self, obj: Any, stored: Array | Patch) -> None:
        array = stored if isinstance(stored, np.ndarray) else stored.whole()
        self.put(obj, array.tobytes())


def _put_patched(array: Array, stored: Patch | Blend) -> None:
    array[...] = stored.whole()


def _put_patched_table(table: Table, stored: StoredTable) -> None:
    by_id: dict[int, Frozen] = {}
    whole: list[tuple[TableColumn, Frozen, Frozen | None]] = []
    for column, current, previous in stored[1]:
        for state in (current, previous):
            if state is not None and id(state) not in by_id:
                by_id[id(state)] = (
                    Frozen(state.rows.whole()) if isinstance(state, Stored) else state
                )
        now = by_id[id(current)]
        whole.append((column, now, None if previous is None else by_id[id(previous)]))
    table.restore((stored[0], whole, *stored[2:]))


class _Neighbors(NamedTuple):
    """The arrays of an earlier and a later keyframe, by the keys of `Keyframe.rows_of`. ``share``
    is the position in time of the current keyframe between them, from 0 to 1.
    """

    before: dict[tuple[int, int], Held]
    after: dict[tuple[int, int], Held]
    share: float

    def blended(self, array: Held, key: tuple[int, int]) -> Held:
        return blended(array, self.before.get(key), self.after.get(key), self.share)


class Keyframe:
    """The game state at the end of a tick. A keyframe contains a snapshot. If an array has not
    changed since the keyframe ``before``, both keyframes share the array.

    ``ticking`` contains the tables that also store the values of the previous tick, for
    interpolation. To save memory, the keyframe does not store the previous values of large columns
    in these tables. `complete` is then False: after restoring it, the game must run one tick before
    frames can interpolate.
    """

    __slots__ = ("arrays", "complete", "own", "size", "snapshot", "tick", "total", "whole")

    def __init__(
        self,
        snapshot: Snapshot,
        total: int,
        size: tuple[float, float],
        ticking: Iterable[Table],
        before: Keyframe | None,
    ) -> None:
        self.snapshot = snapshot
        self.size = size
        """The size of the screen in units, for the ticks after this keyframe."""
        self.tick = snapshot.tick
        self.total = total
        """The game time at the end of the tick, in the time unit of the game's timestep."""
        self.complete = True
        self.whole = False
        """True if the blends of other keyframes may use the arrays of this keyframe, which are then
        never stored as blends themselves.
        """
        self.arrays: dict[int, Array] = {}
        """A dict from the `id` of each array to the array. Other keyframes may use the same arrays.
        """
        self.own = 0
        """The memory of this keyframe in bytes, without the arrays."""
        tables = {id(table) for table in ticking}
        # the saved state of each object in the previous keyframe
        earlier: dict[tuple[int, bool], Any] = {}
        if before is not None:
            earlier = {
                (id(obj), put in _OF_TABLES): saved for put, obj, saved in saves_of(before.snapshot)
            }
        saves: list[tuple[Put, object, Any]] = saves_of(snapshot)
        for index, (put, obj, saved) in enumerate(saves):
            if put is put_table:
                table = self._of_table(saved, earlier.get((id(obj), True)), id(obj) in tables)
                saves[index] = _put_patched_table, obj, table
            elif saved.__class__ is np.ndarray:
                array = self._of_array(saved, earlier.get((id(obj), False)))
                saves[index] = put if array.__class__ is np.ndarray else _put_patched, obj, array
            elif saved.__class__ is bytes and len(saved) >= _WORTH_SHARING:
                array = np.frombuffer(saved, np.uint8)
                stored = self._of_array(array, earlier.get((id(obj), False)))
                saves[index] = _PutBytes(put), obj, stored
            else:
                self.own += _ENTRY + sys.getsizeof(saved)

    def rows_of(self) -> dict[tuple[int, int], Held]:
        """Return a dict with the arrays that this keyframe stores. The keys are pairs of the `id`
        of the restored object and the `id` of the column.
        """
        rows: dict[tuple[int, int], Held] = {}
        saves: list[tuple[Put, object, Any]] = saves_of(self.snapshot)
        for put, obj, saved in saves:
            if put in _OF_TABLES:
                table: StoredTable = saved
                rows |= {(id(obj), id(column)): current.rows for column, current, _ in table[1]}
            elif saved.__class__ is np.ndarray:
                rows[id(obj), 0] = saved
        return rows

    def blend(self, first: Keyframe, second: Keyframe) -> None:
        """Convert arrays to blends if this saves memory. ``first`` is an earlier keyframe, and
        ``second`` is a later keyframe.
        """
        share = (self.tick - first.tick) / (second.tick - first.tick)
        neighbors = _Neighbors(first.rows_of(), second.rows_of(), share)
        saves: list[tuple[Put, object, Any]] = saves_of(self.snapshot)
        self.arrays.clear()
        for index, (put, obj, saved) in enumerate(saves):
            if put in _OF_TABLES:
                table: StoredTable = saved
                columns = self._blended_columns(id(obj), table[1], neighbors)
                saves[index] = put, obj, (table[0], columns, *table[2:])
            elif saved.__class__ is np.ndarray:
                array = neighbors.blended(saved, (id(obj), 0))
                saves[index] = put if array is saved else _put_patched, obj, array
                self._note(array)
            elif isinstance(saved, Patch):
                self._note(saved)

    def _blended_columns(
        self, table_id: int, columns: Iterable[StoredColumn], neighbors: _Neighbors
    ) -> list[StoredColumn]:
        result: list[StoredColumn] = []
        for column, now, previous in columns:
            rows = neighbors.blended(now.rows, (table_id, id(column)))
            new = now if rows is now.rows else _stored(rows)
            result.append((column, new, new if previous is now else previous))
            self._note(rows)
            if previous is not None and previous is not now:
                self._note(previous.rows)
        return result

    def _of_array(self, array: Array, before: Held | None) -> Held:
        """Return the array in the form that uses the least memory: the array itself, an equal array
        of the previous keyframe, or a `Patch`.
        """
        result: Held = array
        if before is not None and before is not array and array.nbytes >= _WORTH_SHARING:
            result = patched(array, before)
        self._note(result)
        return result

    def _note(self, stored: Held) -> None:
        for array in (stored,) if isinstance(stored, np.ndarray) else stored.parts():
            self.arrays[id(array)] = array

    def _of_table(
        self, saved: TableState, before: StoredTable | None, ticking: bool
    ) -> StoredTable:
        states, handles = saved[1:3]
        earlier = (
            {} if before is None else {id(column): current for column, current, _ in before[1]}
        )
        shared: list[StoredColumn] = []
        for column, current, old in states:
            previous: Frozen | Stored | None = old
            earlier_rows = earlier.get(id(column))
            rows = self._of_array(current.rows, None if earlier_rows is None else earlier_rows.rows)
            if earlier_rows is not None and rows is earlier_rows.rows:
                now: Frozen | Stored = earlier_rows
            elif rows is current.rows:
                now = current
            else:
                now = _stored(rows)
            if old is current:
                previous = now
            elif old is not None and ticking and old.rows.nbytes >= _WORTH_LEAVING:
                previous = now
                self.complete = False
            elif old is not None:
                rows = old.rows
                self.arrays[id(rows)] = rows
            shared.append((column, now, previous))
        self.own += _ENTRY + 100 * len(states) + sys.getsizeof(handles)
        return (saved[0], shared, *saved[2:])


def _between(first: Array, second: Array, share: float) -> Array:
    """Return a linear mix of the arrays ``first`` and ``second``. The mix is equal to ``first`` if
    ``share`` is 0, and to ``second`` if ``share`` is 1. The mix has the same bits on every machine,
    because each operation is rounded separately.
    """
    with np.errstate(all="ignore"):
        blend = second - first
        blend *= np.float32(share)
        blend += first
    return blend


def blended(array: Held, first: Held | None, second: Held | None, share: float) -> Held:
    """Return the array as a `Blend` of ``first`` and ``second`` if this saves memory. Otherwise,
    return the array itself.
    """
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.nbytes < _LARGE:
        return array
    if not array.flags.c_contiguous or array is first:
        return array
    if not isinstance(first, np.ndarray) or not isinstance(second, np.ndarray):
        return array
    if any(
        neighbor.shape != array.shape or neighbor.dtype != array.dtype
        for neighbor in (first, second)
    ):
        return array
    missing = array.reshape(-1).view(np.int32) - _between(first, second, share).reshape(-1).view(
        np.int32
    )
    sample = missing[:: max(1, len(missing) // _SAMPLE)]
    bits = min(_WIDTHS, key=lambda bits: _bytes_each(bits, float(np.mean(_beyond(sample, bits)))))
    differs = _beyond(missing, bits)
    positions = np.flatnonzero(differs)
    if _bytes_each(bits, len(positions) / len(differs)) > _WORTH_BLENDING * array.itemsize:
        return array
    missing[positions] = 0
    values = array.reshape(-1).view(np.int32)[positions]
    return Blend(
        first, second, share, _tightened(missing, bits), _marks(differs, positions), values
    )


def _beyond(steps: Array, bits: int) -> Array:
    """Return a bool array that is True for each integer that needs more than ``bits`` bits."""
    return (steps + np.int32(1 << (bits - 1))).view(
        np.uint32
    ) >= 1 << bits  # the numbers start at 0, so that one comparison is enough


def _bytes_each(bits: int, share: float) -> float:
    """Return the average size of a stored number, in bytes. ``share`` is the fraction of the
    numbers that need 32 bits.
    """
    return bits / 8 + 4 * share + min(4 * share, 1 / 8)


_OF_TABLES = (put_table, _put_patched_table)


def patched(array: Array, before: Held) -> Held:
    """If ``before`` is a patch, compare ``array`` with the base array of the patch, otherwise with
    ``before``. Return the compared array if both are equal, a `Patch` if only a few values differ,
    or otherwise ``array``. If ``before`` is a patch with the same values, return ``before`` itself.
    """
    base = before.base if isinstance(before, Patch) else before
    if base.__class__ is not np.ndarray or array.shape != base.shape or array.dtype != base.dtype:
        return array
    if array.dtype.hasobject:
        return array
    new = _bits(array)
    old = _bits(base)
    sample = slice(None, None, max(1, len(new) // _SAMPLE))
    if np.count_nonzero(new[sample] != old[sample]) > _MAX_DIFFERENT * len(new[sample]):
        return array
    differs = new != old
    positions = np.flatnonzero(differs)
    if not len(positions):
        return base
    if len(positions) > _MAX_DIFFERENT * len(new):
        return array
    marks = _marks(differs, positions)
    values = new[positions]
    if (
        isinstance(before, Patch)
        and np.array_equal(marks, before.marks)
        and np.array_equal(values, before.values)
    ):
        return before
    return Patch(base, marks, values)


def _bits(array: Array) -> Array:
    """Return the bits of each number in an array, as a flat array of integers. A contiguous array
    is not copied.
    """
    size = array.dtype.itemsize
    return array.reshape(-1).view(f"u{size if size in (1, 2, 4, 8) else 1}")


class History:
    """The keyframes and inputs of the last ``span`` ticks. The history uses at most ``memory``
    bytes.

    To stay below this limit, the history removes keyframes: first keyframes that are close to other
    keyframes, and then the oldest keyframes.
    """

    def __init__(self, span: int, memory: int) -> None:
        self.span = span
        self.memory = memory
        self.last = 0
        """The number of the newest tick in the history."""
        self.bytes = 0
        self.keyframes: list[Keyframe] = []
        # keyframes that were added since the last whole keyframe
        self._between: list[Keyframe] = []
        # The keyframes that will be stored as blends. Each item also has an earlier and a later
        # keyframe.
        self._waiting: list[tuple[Keyframe, Keyframe, Keyframe]] = []
        self._anchor: Keyframe | None = None
        self._inputs: dict[int, TickInput] = {}
        self._holders: Counter[int] = Counter()  # number of keyframes that use an array

    def clear(self) -> None:
        """Remove all keyframes and inputs."""
        self.keyframes = []
        self.bytes = 0
        self._anchor = None
        self._between.clear()
        self._waiting.clear()
        self._inputs.clear()
        self._holders.clear()

    @property
    def ticks(self) -> range:
        """The range of ticks to which the game can go back, or an empty range if the history has no
        keyframe. Tick 0 is the start of the game.
        """
        if not self.keyframes:
            return range(0)
        oldest = self.keyframes[0]
        return range(max(oldest.tick + (not oldest.complete), self.last - self.span), self.last + 1)

    def base_of(self, tick: int) -> Keyframe:
        """Return the newest keyframe at or before the tick ``tick``. From this keyframe, the game
        can run its ticks up to ``tick``.
        """
        base = self.keyframes[0]
        for keyframe in self.keyframes:
            if keyframe.tick + (not keyframe.complete) > tick:
                break
            base = keyframe
        return base

    def add(self, keyframe: Keyframe) -> int:
        """Add a keyframe after all other keyframes. Return the number of bytes by which the history
        has grown.
        """
        before = self.bytes
        self.keyframes.append(keyframe)
        self._count(keyframe)
        if self._anchor is not None and len(self._between) < _ANCHORS - 1:
            self._between.append(keyframe)
        else:
            keyframe.whole = True
            if self._anchor is not None:
                self._waiting += [(between, self._anchor, keyframe) for between in self._between]
            self._anchor = keyframe
            self._between = []
        return self.bytes - before

    def tidy(self) -> None:
        """Store one keyframe as blends if this saves memory. Called after each tick."""
        while self._waiting:
            keyframe, first, second = self._waiting.pop(0)
            if keyframe in self.keyframes:
                self._discount(keyframe)
                keyframe.blend(first, second)
                self._count(keyframe)
                return

    def _count(self, keyframe: Keyframe) -> None:
        self.bytes += keyframe.own
        for key, array in keyframe.arrays.items():
            self._holders[key] += 1
            if self._holders[key] == 1:
                self.bytes += array.nbytes + _ENTRY

    def _discount(self, keyframe: Keyframe) -> None:
        self.bytes -= keyframe.own
        for key, array in keyframe.arrays.items():
            self._holders[key] -= 1
            if not self._holders[key]:
                del self._holders[key]
                self.bytes -= array.nbytes + _ENTRY

    def remove(self, keyframe: Keyframe) -> None:
        """Remove a keyframe, and free the arrays that no other keyframe uses."""
        self.keyframes.remove(keyframe)
        self._discount(keyframe)
        # blends need this keyframe, so the next keyframe is stored completely
        if keyframe is self._anchor:
            self._anchor = None
            self._between = []
        elif keyframe in self._between:
            self._between.remove(keyframe)

    def _least_needed(self) -> Keyframe:
        """Return the keyframe whose removal leaves the smallest gap between two keyframes. The
        first and the last keyframe are always kept.
        """
        keyframes = self.keyframes
        # Keyframes with complete arrays are removed last, because blends need these arrays.
        gaps = [
            (keyframes[i].whole, keyframes[i + 1].tick - keyframes[i - 1].tick, i)
            for i in range(1, len(keyframes) - 1)
        ]
        return keyframes[min(gaps)[2]]

    def trim(self) -> None:
        """Remove all keyframes and inputs that are older than ``span`` ticks. If the history still
        uses more than ``memory`` bytes, remove more keyframes.
        """
        keyframes = self.keyframes
        while (
            len(keyframes) > 1
            and keyframes[1].tick + (not keyframes[1].complete) <= self.last - self.span
        ):
            self.remove(keyframes[0])
        while self.bytes > self.memory and len(keyframes) > 2:
            self.remove(self._least_needed())
        while self.bytes > self.memory and len(keyframes) > 1:
            self.remove(keyframes[0])
        first = keyframes[0].tick if keyframes else self.last
        while self._inputs and (number := next(iter(self._inputs))) <= first:
            self.bytes -= _size(self._inputs.pop(number))

    def cut(self, tick: int) -> None:
        """Remove all keyframes and inputs after the tick ``tick``."""
        for keyframe in [keyframe for keyframe in self.keyframes if keyframe.tick > tick]:
            self.remove(keyframe)
        for number in [number for number in self._inputs if number > tick]:
            self.bytes -= _size(self._inputs.pop(number))
        self.last = tick

    def note(self, tick: int, tick_input: TickInput) -> None:
        """Store the input of a tick."""
        self._inputs[tick] = tick_input
        self.bytes += _size(tick_input)

    def input(self, tick: int) -> TickInput:
        """Return the input of a tick. If the history has no input for the tick, return an empty
        input.
        """
        return self._inputs.get(tick, _NOTHING)

    def inputs(self) -> Iterator[tuple[int, TickInput]]:
        """Yield the tick number and the input of each stored tick."""
        return iter(self._inputs.items())


def _size(tick_input: TickInput) -> int:
    return (
        _ENTRY
        + _EVENT * len(tick_input.events)
        + sum([len(event[1]) for event in tick_input.events if event[0] == "on_text"])
    )
