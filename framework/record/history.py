"""What the last ticks were: a snapshot every so many ticks, and the input of each tick.

A tick follows from the state before it and from its input: it can be had again by restoring the
last keyframe before it and running the ticks from there. So keyframes may be far apart, and few:
ten seconds of 100,000 things that move are 720 MB of states, and 20 to 60 MB of keyframes and
inputs. The ticks themselves are the best compressor.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..input.tick_input import TickInput
from ..state.columns import Column, Table, TableOf, TableState
from ..state.previous import Frozen
from .attributes import Put
from .kinds import put_table
from .snapshots import Snapshot, saves_of

_WORTH_SHARING = 1 << 10  # bytes of an array: smaller ones are not compared
_SAMPLE = 256  # numbers that tell whether the rest is worth a comparison
_MOST_OTHER = 0.3  # of an array's numbers that may be others, for a patch to be worth it
_WORTH_LEAVING = 1 << 14  # bytes of a column's previous state
_ENTRY = (
    120  # bytes of a tuple in a list that a snapshot holds of each thing, beside what the thing was
)
_EVENT = 200  # bytes of an event: a tuple and its numbers
_NOTHING = TickInput()

Array = NDArray[Any]


# What moves evenly is between where it was and where it will be: every so many keyframes the arrays
# stay whole, and those of the ones between are told by how far they are from that, in steps of
# their last bit.
_ANCHORS = 4
_LARGE = 1 << 14  # bytes of an array that is worth it
_WIDTHS = (4, 8, 16)  # bits of such a step
_WORTH_BLENDING = 0.75  # of the bytes of an array: what takes more stays whole


class Blend:
    """A float32 array that lies between two others: (1 - share) * first + share * second, and what
    is missing.
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
        self.first, self.second, self.share = first, second, share
        self.steps, self.marks, self.values = steps, marks, values

    def whole(self) -> Array:
        """The array."""
        array = _between(self.first, self.second, self.share)
        bits = array.reshape(-1).view(np.int32)
        bits += _loosened(self.steps, len(bits))
        bits[_places(self.marks, len(bits))] = self.values
        return array

    def parts(self) -> tuple[Array, ...]:
        """The arrays that it is made of."""
        return self.first, self.second, self.steps, self.marks, self.values


class Patch:
    """An array that is another one but for some numbers."""

    __slots__ = ("base", "marks", "values")

    def __init__(self, base: Array, marks: Array, values: Array) -> None:
        self.base, self.marks, self.values = base, marks, values

    def parts(self) -> tuple[Array, ...]:
        """The arrays that it is made of."""
        return self.base, self.marks, self.values

    def whole(self) -> Array:
        """The array."""
        array = self.base.copy()
        bits = _bits(array)
        bits[_places(self.marks, len(bits))] = self.values
        return array


Held = Array | Patch | Blend
"""An array, or what stands for it."""


def _marks(other: Array, places: Array) -> Array:
    """Which of the numbers are others: their places, or a bit for each number, whichever takes
    less.
    """
    return places.astype(np.uint32) if 32 * len(places) < len(other) else np.packbits(other)


def _places(marks: Array, n: int) -> Array:
    return (
        marks
        if marks.dtype == np.uint32
        else np.flatnonzero(np.unpackbits(marks, count=n).view(bool))
    )


def _tightened(steps: Array, bits: int) -> Array:
    """Whole numbers of so few bits; of 4 bits, the second half of them beside the first."""
    if bits > 4:
        return steps.astype(f"i{bits // 8}")
    half = -(-len(steps) // 2)
    tight = steps[:half].astype(np.int8) & 15
    tight[: len(steps) - half] |= steps[half:].astype(np.int8) << 4
    return tight


def _loosened(steps: Array, n: int) -> Array:
    """The ``n`` numbers of which `_tightened` made these."""
    half = len(steps)
    if half == n:
        return steps
    loose = np.empty(n, np.int8)
    np.right_shift(steps << 4, 4, out=loose[:half])
    np.right_shift(steps[: n - half], 4, out=loose[half:])
    return loose


class Stored:
    """What a `Frozen` column is as a patch or a blend."""

    __slots__ = ("rows",)

    def __init__(self, rows: Patch | Blend) -> None:
        self.rows = rows


StoredColumn = tuple[Column, Frozen | Stored, Frozen | Stored | None]

StoredTable = TableOf[Frozen | Stored]
"""A table's state, of which columns may be patches or blends."""


def _stored(rows: Held) -> Frozen | Stored:
    return Frozen(rows) if isinstance(rows, np.ndarray) else Stored(rows)


def _put_patched(thing: Array, held: Patch | Blend) -> None:
    thing[...] = held.whole()


def _put_patched_table(table: Table, held: StoredTable) -> None:
    made: dict[int, Frozen] = {}
    whole: list[tuple[Column, Frozen, Frozen | None]] = []
    for column, current, previous in held[1]:
        for state in (current, previous):
            if state is not None and id(state) not in made:
                made[id(state)] = Frozen(state.rows.whole()) if isinstance(state, Stored) else state
        now = made[id(current)]
        whole.append((column, now, None if previous is None else made[id(previous)]))
    table.put_back((held[0], whole, *held[2:]))


class Keyframe:
    """The state at the end of a tick, as a snapshot that shares what it can with the one
    ``before``.

    Of the tables in ``ticking``, whose rows each tick begins with previous ◄ current, large columns
    are without their previous state: then `complete` is False, and the picture is right again only
    one tick later.
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
        """Of the picture, in units, that the ticks knew of."""
        self.tick = snapshot.tick
        self.total = total
        """The simulated time at the tick's end, in units of the game's loop."""
        self.complete = True
        self.whole = False
        """Whether others may be blends of its arrays, so that they stay as they are."""
        self.arrays: dict[int, Array] = {}
        """The arrays that it holds, by `id`: others may hold them, too."""
        self.own = 0
        """Bytes of what it holds beside them."""
        tables = {id(table) for table in ticking}
        known: dict[tuple[int, bool], Any] = {}  # what was held of a thing, and of a table its rows
        if before is not None:
            known = {
                (id(thing), put in _OF_TABLES): held
                for put, thing, held in saves_of(before.snapshot)
            }
        saves: list[tuple[Put, object, Any]] = saves_of(snapshot)
        for index, (put, thing, held) in enumerate(saves):
            if put is put_table:
                table = self._of_table(held, known.get((id(thing), True)), id(thing) in tables)
                saves[index] = _put_patched_table, thing, table
            elif held.__class__ is np.ndarray:
                array = self._of_array(held, known.get((id(thing), False)))
                saves[index] = put if array.__class__ is np.ndarray else _put_patched, thing, array
            else:
                self.own += _ENTRY + sys.getsizeof(held)

    def rows_of(self) -> dict[tuple[int, int], Held]:
        """Its arrays, by the `id` of what they are put into, and of a table's column."""
        found: dict[tuple[int, int], Held] = {}
        saves: list[tuple[Put, object, Any]] = saves_of(self.snapshot)
        for put, thing, held in saves:
            if put in _OF_TABLES:
                table: StoredTable = held
                found |= {(id(thing), id(column)): current.rows for column, current, _ in table[1]}
            elif held.__class__ is np.ndarray:
                found[id(thing), 0] = held
        return found

    def blend(self, first: Keyframe, second: Keyframe) -> None:
        """Hold arrays as blends of those of two others, one before it and one after, where that
        takes less.
        """
        share = (self.tick - first.tick) / (second.tick - first.tick)
        before, after = first.rows_of(), second.rows_of()
        saves: list[tuple[Put, object, Any]] = saves_of(self.snapshot)
        self.arrays.clear()
        for index, (put, thing, held) in enumerate(saves):
            if put in _OF_TABLES:
                table: StoredTable = held
                taken: list[StoredColumn] = []
                for column, now, previous in table[1]:
                    key = id(thing), id(column)
                    rows = blended(now.rows, before.get(key), after.get(key), share)
                    new = now if rows is now.rows else _stored(rows)
                    taken.append((column, new, new if previous is now else previous))
                    self._note(rows)
                    if previous is not None and previous is not now:
                        self._note(previous.rows)
                saves[index] = put, thing, (table[0], taken, *table[2:])
            elif held.__class__ is np.ndarray:
                array = blended(held, before.get((id(thing), 0)), after.get((id(thing), 0)), share)
                saves[index] = put if array is held else _put_patched, thing, array
                self._note(array)
            elif isinstance(held, Patch):
                self._note(held)

    def _of_array(self, held: Array, before: Held | None) -> Held:
        """The array, or what stands for it: the one of before, or a patch of that."""
        taken: Held = held
        if before is not None and before is not held and held.nbytes >= _WORTH_SHARING:
            taken = patched(held, before)
        self._note(taken)
        return taken

    def _note(self, held: Held) -> None:
        for array in (held,) if isinstance(held, np.ndarray) else held.parts():
            self.arrays[id(array)] = array

    def _of_table(self, held: TableState, before: StoredTable | None, ticking: bool) -> StoredTable:
        states, handles = held[1:3]
        earlier = (
            {} if before is None else {id(column): current for column, current, _ in before[1]}
        )
        shared: list[StoredColumn] = []
        for column, current, old in states:
            previous: Frozen | Stored | None = old
            was = earlier.get(id(column))
            rows = self._of_array(current.rows, None if was is None else was.rows)
            now = (
                was
                if was is not None and rows is was.rows
                else current
                if rows is current.rows
                else _stored(rows)
            )
            if old is current:
                previous = now
            elif old is not None and ticking and old.rows.nbytes >= _WORTH_LEAVING:
                previous, self.complete = now, False
            elif old is not None:
                rows = old.rows
                self.arrays[id(rows)] = rows
            shared.append((column, now, previous))
        self.own += _ENTRY + 100 * len(states) + sys.getsizeof(handles)
        return (held[0], shared, *held[2:])


def _between(first: Array, second: Array, share: float) -> Array:
    """The same bits whenever it is computed: each operation rounds on its own."""
    with np.errstate(all="ignore"):
        blend = second - first
        blend *= np.float32(share)
        blend += first
    return blend


def blended(array: Held, first: Held | None, second: Held | None, share: float) -> Held:
    """What stands for an array between two others: a blend of them, or the array itself."""
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.nbytes < _LARGE:
        return array
    if not array.flags.c_contiguous or array is first:
        return array
    if not isinstance(first, np.ndarray) or not isinstance(second, np.ndarray):
        return array
    if any(other.shape != array.shape or other.dtype != array.dtype for other in (first, second)):
        return array
    missing = array.reshape(-1).view(np.int32) - _between(first, second, share).reshape(-1).view(
        np.int32
    )
    sample = missing[:: max(1, len(missing) // _SAMPLE)]
    bits = min(_WIDTHS, key=lambda bits: _bytes_each(bits, float(np.mean(_beyond(sample, bits)))))
    other = _beyond(missing, bits)
    places = np.flatnonzero(other)
    if _bytes_each(bits, len(places) / len(other)) > _WORTH_BLENDING * array.itemsize:
        return array
    missing[places] = 0
    values = array.reshape(-1).view(np.int32)[places]
    return Blend(first, second, share, _tightened(missing, bits), _marks(other, places), values)


def _beyond(steps: Array, bits: int) -> Array:
    """Which of the steps need more than so many bits."""
    return (steps + np.int32(1 << (bits - 1))).view(
        np.uint32
    ) >= 1 << bits  # from the lowest on: one comparison


def _bytes_each(bits: int, other: float) -> float:
    """What a number takes, on average, where such a share of them has to be given whole."""
    return bits / 8 + 4 * other + min(4 * other, 1 / 8)


_OF_TABLES = (put_table, _put_patched_table)


def patched(array: Array, before: Held) -> Held:
    """What stands for an array beside another, or a patch: that, where it is the same; a patch; or
    the array itself.
    """
    base = before.base if isinstance(before, Patch) else before
    if base.__class__ is not np.ndarray or array.shape != base.shape or array.dtype != base.dtype:
        return array
    if array.dtype.hasobject:
        return array
    new, old = _bits(array), _bits(base)
    sample = slice(None, None, max(1, len(new) // _SAMPLE))
    if np.count_nonzero(new[sample] != old[sample]) > _MOST_OTHER * len(new[sample]):
        return array
    other = new != old
    places = np.flatnonzero(other)
    if not len(places):
        return base
    if len(places) > _MOST_OTHER * len(new):
        return array
    marks, values = _marks(other, places), new[places]
    if (
        isinstance(before, Patch)
        and np.array_equal(marks, before.marks)
        and np.array_equal(values, before.values)
    ):
        return before
    return Patch(base, marks, values)


def _bits(array: Array) -> Array:
    """An array's numbers as whole numbers, flat: in place, where it is contiguous, as copies
    are.
    """
    size = array.dtype.itemsize
    return array.reshape(-1).view(f"u{size if size in (1, 2, 4, 8) else 1}")


class History:
    """Keyframes and inputs of the last ``span`` ticks, in at most ``memory`` bytes.

    Where they do not fit, keyframes between others are dropped, where that leaves the smallest gap;
    then the oldest.
    """

    def __init__(self, span: int, memory: int) -> None:
        self.span, self.memory = span, memory
        self.last = 0
        """The last tick that is known."""
        self.bytes = 0
        self.keyframes: list[Keyframe] = []
        self._between: list[Keyframe] = []  # since the last one that stays whole
        self._waiting: list[
            tuple[Keyframe, Keyframe, Keyframe]
        ] = []  # to be blended of the two others
        self._anchor: Keyframe | None = None
        self._inputs: dict[int, TickInput] = {}
        self._holders: Counter[int] = Counter()  # keyframes that hold an array

    def clear(self) -> None:
        """Know of nothing."""
        self.keyframes, self.bytes, self._anchor = [], 0, None
        self._between.clear()
        self._waiting.clear()
        self._inputs.clear()
        self._holders.clear()

    @property
    def ticks(self) -> range:
        """The numbers of the ticks that can be had again; 0 is the beginning."""
        if not self.keyframes:
            return range(0)
        oldest = self.keyframes[0]
        return range(max(oldest.tick + (not oldest.complete), self.last - self.span), self.last + 1)

    def base_of(self, tick: int) -> Keyframe:
        """The keyframe from which a tick is to be had again."""
        found = self.keyframes[0]
        for keyframe in self.keyframes:
            if keyframe.tick + (not keyframe.complete) > tick:
                break
            found = keyframe
        return found

    def add(self, keyframe: Keyframe) -> int:
        """One more, at the end. Returns the bytes that it takes beside what is there."""
        before = self.bytes
        self.keyframes.append(keyframe)
        self._count(keyframe)
        if self._anchor is not None and len(self._between) < _ANCHORS - 1:
            self._between.append(keyframe)
        else:
            keyframe.whole = True
            if self._anchor is not None:
                self._waiting += [(between, self._anchor, keyframe) for between in self._between]
            self._anchor, self._between = keyframe, []
        return self.bytes - before

    def tidy(self) -> None:
        """Have one of the keyframes that were added take less, where that can be."""
        while self._waiting:
            keyframe, first, second = self._waiting.pop(0)
            if keyframe in self.keyframes:
                self._discount(keyframe)
                keyframe.blend(first, second)
                self._count(keyframe)
                return

    def _count(self, keyframe: Keyframe) -> None:
        self.bytes += keyframe.own
        for key, held in keyframe.arrays.items():
            self._holders[key] += 1
            if self._holders[key] == 1:
                self.bytes += held.nbytes + _ENTRY

    def _discount(self, keyframe: Keyframe) -> None:
        self.bytes -= keyframe.own
        for key, held in keyframe.arrays.items():
            self._holders[key] -= 1
            if not self._holders[key]:
                del self._holders[key]
                self.bytes -= held.nbytes + _ENTRY

    def remove(self, keyframe: Keyframe) -> None:
        """One less."""
        self.keyframes.remove(keyframe)
        self._discount(keyframe)
        if keyframe is self._anchor:  # nothing that comes can be blended with it
            self._anchor, self._between = None, []
        elif keyframe in self._between:
            self._between.remove(keyframe)

    def trim(self) -> None:
        """Forget what is too old, and keep within the memory."""
        kept = self.keyframes
        while len(kept) > 1 and kept[1].tick + (not kept[1].complete) <= self.last - self.span:
            self.remove(kept[0])
        while self.bytes > self.memory and len(kept) > 2:
            # Those that are whole last: what is blended of them would hold their arrays all the
            # same.
            gaps = [
                (kept[i].whole, kept[i + 1].tick - kept[i - 1].tick, i)
                for i in range(1, len(kept) - 1)
            ]
            self.remove(kept[min(gaps)[2]])
        while self.bytes > self.memory and len(kept) > 1:
            self.remove(kept[0])
        first = kept[0].tick if kept else self.last
        while self._inputs and (number := next(iter(self._inputs))) <= first:
            self.bytes -= _size(self._inputs.pop(number))

    def cut(self, tick: int) -> None:
        """Forget what came after a tick."""
        for keyframe in [keyframe for keyframe in self.keyframes if keyframe.tick > tick]:
            self.remove(keyframe)
        for number in [number for number in self._inputs if number > tick]:
            self.bytes -= _size(self._inputs.pop(number))
        self.last = tick

    def note(self, tick: int, came: TickInput) -> None:
        """The input of a tick, where it has any."""
        self._inputs[tick] = came
        self.bytes += _size(came)

    def input(self, tick: int) -> TickInput:
        """The input of a tick."""
        return self._inputs.get(tick, _NOTHING)

    def inputs(self) -> Iterator[tuple[int, TickInput]]:
        """Those that there are, by their ticks."""
        return iter(self._inputs.items())


def _size(came: TickInput) -> int:
    return (
        _ENTRY
        + _EVENT * len(came.events)
        + sum([len(event[1]) for event in came.events if event[0] == "on_text"])
    )
