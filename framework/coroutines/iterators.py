"""Iterators: captures an iterator in progress, and makes another one at the same position.

An `IteratorState` refers to the objects that are iterated over, and has the position in them. The
iterators of lists, tuples, strings, bytes, ranges, dicts, arrays, `enumerate`, `zip`, `map`,
`filter` and `reversed` can be captured. Generators and the iterators of `itertools` cannot. An
iterator that is an object of a class written in Python is an object like any other: its attributes
are its state.
"""

from __future__ import annotations

import gc
import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

Memo = dict[int, tuple[object, object]]
"""What was made for an object, by the object's id, with the object itself, which keeps the id."""

_EMPTY: dict[object, object] = {}
_BIG = 1 << 70


class _Sequence:
    """A sequence without an iterator of its own."""

    def __getitem__(self, index: int) -> object:
        raise IndexError(index)


_SEQUENCES = [[], (), "", "…", b"", bytearray(), range(0), range(_BIG), _Sequence()]
# `iter` of some of these objects, and `reversed` of some, have the same class.
_BY_POSITION: frozenset[type] = frozenset(
    [
        *[type(iter(sequence)) for sequence in _SEQUENCES],  # type: ignore[call-overload]
        *[type(reversed(sequence)) for sequence in ([], (), range(0), range(_BIG))],
        type(iter(int, 1)),
    ]
)
_NESTED: frozenset[type] = frozenset([enumerate, zip, map, filter])
_OF_DICTS: dict[type, tuple[str, Callable[[Any], Iterator[object]]]] = {
    type(iter(_EMPTY)): ("keys", iter),
    type(iter(_EMPTY.values())): ("values", lambda of: iter(of.values())),
    type(iter(_EMPTY.items())): ("items", lambda of: iter(of.items())),
    type(reversed(_EMPTY)): ("reversed keys", reversed),
    type(reversed(_EMPTY.values())): ("reversed values", lambda of: reversed(of.values())),
    type(reversed(_EMPTY.items())): ("reversed items", lambda of: reversed(of.items())),
}
_BY_REST: frozenset[type] = frozenset([type(iter(set())), type(iter(OrderedDict()))])
ITERATORS = frozenset([*_BY_POSITION, *_NESTED, *_OF_DICTS, *_BY_REST])
"""The classes of the iterators whose position is not in attributes."""

_HEAP_TYPE = 1 << 9  # a flag of classes that were made by a class statement, or by a call of `type`


def is_restorable(iterator: object) -> bool:
    """Return whether an iterator can be captured by `state_of`."""
    kind = type(iterator)
    if kind in _BY_POSITION or kind in _OF_DICTS or kind in _BY_REST:
        return True
    if kind in _NESTED:
        return all(map(is_restorable, _inner_iterators(iterator)))
    return _is_object(kind)


def _is_object(kind: type) -> bool:
    """Return whether the state of an iterator is in its attributes."""
    return bool(kind.__flags__ & _HEAP_TYPE) and kind.__module__ not in ("builtins", "itertools")


def is_iterator(value: object) -> bool:
    """Return whether a value is an iterator whose position is not in attributes."""
    return type(value) in ITERATORS


def _inner_iterators(iterator: Any) -> list[object]:
    """Return the iterators from which `enumerate`, `zip`, `map` or `filter` takes its items."""
    arguments = iterator.__reduce__()[1]
    if type(iterator) is enumerate:
        return [arguments[0]]
    return [*(arguments if type(iterator) is zip else arguments[1:])]


class IteratorState:
    """The position of an iterator, and the objects that it refers to."""

    __slots__ = ("_make", "kind", "position", "sources")

    _not_hashed = ("_make",)
    _captured_attributes = ("_make", "kind", "position", "sources")  # none of them changes

    def __init__(
        self,
        kind: str,
        sources: tuple[object, ...],
        position: int,
        make: Callable[[IteratorState, Memo], Iterator[object]],
    ) -> None:
        self.kind = kind
        self.sources = sources
        self.position = position
        self._make = make

    def parts(self) -> list[object]:
        """Return the objects that the iterator refers to, through `zip` and the like."""
        parts: list[object] = []
        for source in self.sources:
            parts += source.parts() if isinstance(source, IteratorState) else [source]
        return parts

    def iterator(self, memo: Memo) -> Iterator[object]:
        """Return an iterator at the captured position. The same state returns the same iterator
        again, for the same ``memo``.
        """
        if id(self) not in memo:
            memo[id(self)] = self, self._make(self, memo)
        made: Any = memo[id(self)][1]
        return made  # type: ignore[no-any-return]


def state_of(iterator: Any, memo: Memo) -> object:
    """Return the `IteratorState` of an iterator, or the iterator itself if its state is in its
    attributes. Iterators that `is_restorable` refuses are returned unchanged, too.
    """
    if not is_iterator(iterator):
        return iterator
    if id(iterator) not in memo:
        memo[id(iterator)] = iterator, _captured(iterator, memo)
    return memo[id(iterator)][1]


def _captured(iterator: Any, memo: Memo) -> IteratorState:
    kind = type(iterator)
    if kind in _NESTED:
        return _captured_nested(iterator, memo)
    if kind in _OF_DICTS:
        return _captured_of_dict(iterator)
    if kind in _BY_REST:
        # Python does not say where in a set an iterator is. The rest of the members is its state.
        rest = [*iterator.__reduce__()[1][0]]
        return IteratorState("rest", tuple(rest), 0, lambda state, memo: iter([*state.sources]))
    make, arguments, *position = iterator.__reduce__()

    def made(state: IteratorState, memo: Memo) -> Iterator[object]:
        new = make(*state.sources)
        if position and position[0] is not None:
            new.__setstate__(position[0])
        return new  # type: ignore[no-any-return]

    index = position[0] if position and isinstance(position[0], int) else 0
    return IteratorState(make.__name__, arguments, index, made)


def _captured_nested(iterator: Any, memo: Memo) -> IteratorState:
    kind = type(iterator)
    _, arguments, *strict = iterator.__reduce__()
    inner = _inner_iterators(iterator)
    first = len(arguments) - len(inner) if kind in (map, filter) else 0
    captured = tuple([state_of(part, memo) for part in inner])
    parts = (*arguments[:first], *captured)
    count = arguments[1] if kind is enumerate else 0

    def made(state: IteratorState, memo: Memo) -> Iterator[object]:
        sources = [
            part.iterator(memo) if isinstance(part, IteratorState) else part
            for part in state.sources
        ]
        if kind is enumerate:
            return enumerate(sources[0], count)
        if kind is zip:
            return zip(*sources, strict=bool(strict))
        return kind(*sources)  # type: ignore[no-any-return, call-arg]

    return IteratorState(kind.__name__, parts, count, made)


def _captured_of_dict(iterator: Any) -> IteratorState:
    """Capture an iterator of a dict: the dict, and how many items were taken. A restored dict has
    the same order.
    """
    name, view = _OF_DICTS[type(iterator)]
    source = next((part for part in gc.get_referents(iterator) if isinstance(part, dict)), None)
    if source is None:  # at its end
        return IteratorState(name, (), 0, lambda state, memo: iter(()))
    left = iterator.__length_hint__()
    if not left:
        try:
            iterator.__reduce__()
        except RuntimeError as error:
            return _captured_broken(str(error), source)
    taken = len(source) - left

    def made(state: IteratorState, memo: Memo) -> Iterator[object]:
        new = view(state.sources[0])
        next(itertools.islice(new, state.position, state.position), None)
        return new

    return IteratorState(name, (source,), taken, made)


def _captured_broken(message: str, source: object) -> IteratorState:
    """Capture an iterator of a dict whose size has changed: its next item is an error."""

    def made(state: IteratorState, memo: Memo) -> Iterator[object]:
        return _Broken(message)

    return IteratorState("broken", (source,), 0, made)


class _Broken:
    """An iterator that raises the error of a dict that has changed during a loop."""

    def __init__(self, message: str) -> None:
        self._message = message

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        raise RuntimeError(self._message)
