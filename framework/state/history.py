"""What the last ticks were: a snapshot every so many ticks, and the input of each tick.

A tick follows from the state before it and from its input: it can be had again by restoring the last keyframe before it
and running the ticks from there. So keyframes may be far apart, and few: ten seconds of 100,000 things that move are
720 MB of states, and 20 to 60 MB of keyframes and inputs. The ticks themselves are the best compressor.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..input.tick_input import TickInput
from .columns import Frozen, Table
from .snapshots import Snapshot, put_table

_WORTH_SHARING = 1 << 10  # bytes of an array: smaller ones are not compared
_SAMPLE = 256  # numbers that tell whether the rest is worth a comparison
_MOST_OTHER = 0.3  # of an array's numbers that may be others, for a patch to be worth it
_WORTH_LEAVING = 1 << 14  # bytes of a column's previous state
_ENTRY = 120  # bytes of a tuple in a list that a snapshot holds of each thing, beside what the thing was
_EVENT = 200  # bytes of an event: a tuple and its numbers
_NOTHING = TickInput()


class Patch:
    """An array that is another one but for some numbers."""

    __slots__ = ("base", "places", "values")

    def __init__(self, base: Any, places: Any, values: Any) -> None:
        self.base, self.places, self.values = base, places, values

    def whole(self) -> Any:
        """The array."""
        array = self.base.copy()
        _bits(array)[self.places] = self.values
        return array


def _put_patched(thing: Any, held: Patch) -> None:
    thing[...] = held.whole()


def _put_patched_table(table: Any, held: tuple[Any, ...]) -> None:
    count, states, *rest = held
    made: dict[int, Frozen] = {}
    whole = []
    for column, *both in states:
        for state in both:
            if state is not None and id(state) not in made:
                made[id(state)] = Frozen(state.rows.whole()) if isinstance(state.rows, Patch) else state
        whole.append((column, *[None if state is None else made[id(state)] for state in both]))
    table.put_back((count, whole, *rest))


class Keyframe:
    """The state at the end of a tick, as a snapshot that shares what it can with the one ``before``.

    Of the tables in ``ticking``, whose rows each tick begins with previous ◄ current, large columns are without their
    previous state: then `complete` is False, and the picture is right again only one tick later.
    """

    __slots__ = ("arrays", "complete", "own", "size", "snapshot", "tick", "total")

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
        self.arrays: dict[int, Any] = {}
        """The arrays that it holds, by `id`: others may hold them, too."""
        self.own = 0
        """Bytes of what it holds beside them."""
        tables = {id(table) for table in ticking}
        known: dict[tuple[int, bool], Any] = {}  # what was held of a thing, and of a table its rows
        if before is not None:
            known = {(id(thing), put in _OF_TABLES): held for put, thing, held in before.snapshot.saves}
        saves = snapshot.saves
        for index, (put, thing, held) in enumerate(saves):
            if put is put_table:
                table = self._of_table(held, known.get((id(thing), True)), id(thing) in tables)
                saves[index] = _put_patched_table, thing, table
            elif held.__class__ is np.ndarray:
                array = self._of_array(held, known.get((id(thing), False)))
                saves[index] = put if array.__class__ is np.ndarray else _put_patched, thing, array
            else:
                self.own += _ENTRY + sys.getsizeof(held)

    def _of_array(self, held: Any, before: Any) -> Any:
        """The array, or what stands for it: the one of before, or a patch of that."""
        if before is not None and before is not held and held.nbytes >= _WORTH_SHARING:
            held = _patched(held, before)
        for array in (held.base, held.places, held.values) if isinstance(held, Patch) else (held,):
            self.arrays[id(array)] = array
        return held

    def _of_table(self, held: tuple[Any, ...], before: tuple[Any, ...] | None, ticking: bool) -> Any:
        count, states, handles, *rest = held
        earlier = {} if before is None else {id(column): current for column, current, _ in before[1]}
        shared = []
        for column, current, previous in states:
            was = earlier.get(id(column))
            rows = self._of_array(current.rows, None if was is None else was.rows)
            now = was if was is not None and rows is was.rows else current if rows is current.rows else Frozen(rows)
            if previous is current:
                previous = now
            elif previous is not None and ticking and previous.rows.nbytes >= _WORTH_LEAVING:
                previous, self.complete = now, False
            elif previous is not None:
                self.arrays[id(previous.rows)] = previous.rows
            shared.append((column, now, previous))
        self.own += _ENTRY + 100 * len(states) + sys.getsizeof(handles)
        return (count, shared, handles, *rest)


_OF_TABLES = (put_table, _put_patched_table)


def _patched(array: Any, before: Any) -> Any:
    """What stands for an array beside another, or a patch: that, where it is the same; a patch; or the array itself."""
    base = before.base if isinstance(before, Patch) else before
    if base.__class__ is not np.ndarray or array.shape != base.shape or array.dtype != base.dtype:
        return array
    if array.dtype.hasobject or not (array.flags.c_contiguous and base.flags.c_contiguous):
        return array
    new, old = _bits(array), _bits(base)
    sample = slice(None, None, max(1, len(new) // _SAMPLE))
    if np.count_nonzero(new[sample] != old[sample]) > _MOST_OTHER * len(new[sample]):
        return array
    places = np.flatnonzero(new != old)
    if not len(places):
        return base
    if len(places) > _MOST_OTHER * len(new):
        return array
    places, values = places.astype(np.uint32), new[places]
    if isinstance(before, Patch) and np.array_equal(places, before.places) and np.array_equal(values, before.values):
        return before
    return Patch(base, places, values)


def _bits(array: Any) -> Any:
    """A contiguous array's numbers as whole numbers, flat."""
    size = array.dtype.itemsize
    return array.reshape(-1).view(f"u{size if size in (1, 2, 4, 8) else 1}")


class History:
    """Keyframes and inputs of the last ``span`` ticks, in at most ``memory`` bytes.

    Where they do not fit, keyframes between others are dropped, where that leaves the smallest gap; then the oldest.
    """

    def __init__(self, span: int, memory: int) -> None:
        self.span, self.memory = span, memory
        self.last = 0
        """The last tick that is known."""
        self.bytes = 0
        self.keyframes: list[Keyframe] = []
        self._inputs: dict[int, TickInput] = {}
        self._holders: Counter[int] = Counter()  # keyframes that hold an array

    def clear(self) -> None:
        """Know of nothing."""
        self.keyframes, self.bytes = [], 0
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
        self.bytes += keyframe.own
        for key, held in keyframe.arrays.items():
            self._holders[key] += 1
            if self._holders[key] == 1:
                self.bytes += held.nbytes + _ENTRY
        return self.bytes - before

    def remove(self, keyframe: Keyframe) -> None:
        """One less."""
        self.keyframes.remove(keyframe)
        self.bytes -= keyframe.own
        for key, held in keyframe.arrays.items():
            self._holders[key] -= 1
            if not self._holders[key]:
                del self._holders[key]
                self.bytes -= held.nbytes + _ENTRY

    def trim(self) -> None:
        """Forget what is too old, and keep within the memory."""
        kept = self.keyframes
        while len(kept) > 1 and kept[1].tick + (not kept[1].complete) <= self.last - self.span:
            self.remove(kept[0])
        while self.bytes > self.memory and len(kept) > 2:
            gaps = [after.tick - before.tick for before, after in zip(kept, kept[2:], strict=False)]
            self.remove(kept[1 + gaps.index(min(gaps))])
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
    return _ENTRY + _EVENT * len(came.events) + sum([len(event[1]) for event in came.events if event[0] == "on_text"])
