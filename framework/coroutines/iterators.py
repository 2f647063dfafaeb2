"""Capture an iterator in the middle of a loop, and create a new iterator at the same position.

An `IteratorState` contains the objects that a loop iterates over, and the position of the iterator.
Supported are lists, tuples, strings, bytes, ranges, dicts, sets, arrays, `enumerate`, `zip`, `map`,
`filter` and `reversed`. Generators and the iterators of `itertools` cannot be captured. An iterator
whose class is written in Python keeps its state in attributes, so it is captured in the same way as
other objects.
"""

from __future__ import annotations

import gc
import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

Memo = dict[int, tuple[object, object]]
"""A dict that maps the ``id`` of an object to a pair: the object, and its result. The pair keeps
the object alive, so that no other object can get the same ``id``.
"""

_EMPTY: dict[object, object] = {}
_BIG = 1 << 70


class _Sequence:
    """A sequence that has no method ``__iter__``, so that Python itself creates its iterator."""

    def __getitem__(self, index: int) -> object:
        raise IndexError(index)


_SEQUENCES: list[Any] = [[], (), "", "…", b"", bytearray(), range(0), range(_BIG), _Sequence()]
_REVERSIBLE: list[Any] = [[], (), range(0), range(_BIG)]
# A set, because some of these objects have iterators of the same class.
BY_POSITION: frozenset[type] = frozenset(
    [
        *[type(iter(sequence)) for sequence in _SEQUENCES],
        *[type(reversed(sequence)) for sequence in _REVERSIBLE],
        type(iter(int, 1)),
    ]
)
"""The classes of iterators over sequences, such as lists and ranges."""
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
SIMPLE_ITERATORS = frozenset([*BY_POSITION, *_OF_DICTS, *_BY_REST])
"""The classes of iterators that can always be captured."""
ITERATORS = frozenset([*SIMPLE_ITERATORS, *_NESTED])
"""The classes of iterators for which `state_of` returns an `IteratorState`. These iterators do not
store their position in an attribute.
"""

_HEAP_TYPE = 1 << 9  # a flag of classes that a class statement or a call of `type` has created


def is_restorable(iterator: object) -> bool:
    """Return whether the function `state_of` can capture an iterator."""
    kind = type(iterator)
    if kind in BY_POSITION or kind in _OF_DICTS or kind in _BY_REST:
        return True
    if kind in _NESTED:
        return all(map(is_restorable, _inner(iterator)))
    return _is_object(kind)


def _is_object(kind: type) -> bool:
    """Return whether iterators of the class ``kind`` store their whole state in attributes."""
    return bool(kind.__flags__ & _HEAP_TYPE) and kind.__module__ not in ("builtins", "itertools")


def is_iterator(value: object) -> bool:
    """Return True if a value is an iterator that does not store its position in an attribute."""
    return type(value) in ITERATORS


def _inner(iterator: Any) -> _Same:
    """Return the iterators from which an `enumerate`, `zip`, `map` or `filter` object reads."""
    arguments = iterator.__reduce__()[1]
    if type(iterator) is enumerate:
        return _Same(arguments[:1])
    return _Same(arguments if type(iterator) is zip else arguments[1:])


class _Same(tuple[object, ...]):
    """A tuple in which the operator ``in`` compares objects by identity (``is``), not by
    equality.
    """

    def __contains__(self, obj: object) -> bool:
        return any(member is obj for member in self)


class IteratorState:
    """The captured state of an iterator: the position of the iterator, and the objects from which
    it reads.

    ``kind`` is a key of `KINDS`, such as "reversed". ``sources`` contains the objects from which
    the iterator reads. If the iterator reads from other iterators, as `zip` does, ``sources``
    contains the states of these iterators. ``position`` is None if the iterator itself has no
    position, as in a `zip`.
    """

    __slots__ = ("kind", "position", "sources")

    _captured_attributes = __slots__  # the attributes never change

    def __init__(self, kind: str, sources: tuple[object, ...], position: int | None = None) -> None:
        self.kind = kind
        self.sources = sources
        self.position = position

    def parts(self) -> list[object]:
        """Return the objects from which the iterator reads, directly or through other iterators, as
        `zip` does.
        """
        parts: list[object] = []
        for source in self.sources:
            parts += source.parts() if isinstance(source, IteratorState) else [source]
        return parts

    def iterator(self, memo: Memo) -> Iterator[object]:
        """Return an iterator at the captured position. A second call with the same ``memo`` returns
        the same iterator.
        """
        if id(self) not in memo:
            memo[id(self)] = self, self._made(memo)
        cached: Any = memo[id(self)][1]
        return cached  # type: ignore[no-any-return]

    def _made(self, memo: Memo) -> Iterator[object]:
        sources: list[Any] = [
            source.iterator(memo) if isinstance(source, IteratorState) else source
            for source in self.sources
        ]
        iterator: Any = KINDS[self.kind](*sources)
        if self.position is None:
            return iterator  # type: ignore[no-any-return]
        if self.kind == "enumerate":
            return enumerate(sources[0], self.position)
        if self.kind in _BY_COUNT:
            next(itertools.islice(iterator, self.position, self.position), None)
        else:
            iterator.__setstate__(self.position)
        return iterator  # type: ignore[no-any-return]


def _broken(message: str, source: object) -> Iterator[object]:
    """Return an iterator that raises `RuntimeError` instead of returning its next item."""
    return _Broken(message)


class _Broken:
    """An iterator that raises `RuntimeError` instead of returning its next item, as Python does if
    the size of a dict changes during a loop over it.
    """

    def __init__(self, message: str) -> None:
        self._message = message

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        raise RuntimeError(self._message)


_BY_COUNT = frozenset(kind for kind, _ in _OF_DICTS.values())
KINDS: dict[str, Callable[..., Iterator[object]]] = {
    "iter": iter,
    "reversed": reversed,
    "enumerate": enumerate,
    "zip": zip,
    "strict zip": lambda *sources: zip(*sources, strict=True),
    "map": map,
    "filter": filter,
    "rest": lambda *members: iter(members),
    "broken": _broken,
    **dict(_OF_DICTS.values()),
}
"""A function for each kind of iterator, which creates the iterator from `IteratorState.sources`."""


def state_of(iterator: Any, memo: Memo) -> object:
    """Return the `IteratorState` of an iterator. If the iterator stores its state in attributes,
    return the iterator itself.
    """
    if not is_iterator(iterator):
        return iterator
    if id(iterator) not in memo:
        memo[id(iterator)] = iterator, _captured(iterator, memo)
    return memo[id(iterator)][1]


def _captured(iterator: Any, memo: Memo) -> IteratorState:
    kind = type(iterator)
    if kind in _OF_DICTS:
        return _captured_of_dict(iterator)
    if kind in BY_POSITION:
        return state_by_position(iterator)
    _, arguments, *state = iterator.__reduce__()
    if kind in _BY_REST:
        # Python does not return the position of an iterator in a set. So the state contains the
        # remaining members.
        return IteratorState("rest", tuple(arguments[0]))
    if kind is enumerate:
        return IteratorState("enumerate", (state_of(arguments[0], memo),), arguments[1])
    # `kind` is in `_NESTED`.
    sources = [state_of(part, memo) if part in _inner(iterator) else part for part in arguments]
    name = "strict zip" if kind is zip and state else kind.__name__
    return IteratorState(name, tuple(sources))


def state_by_position(iterator: Any) -> IteratorState:
    """Return the state of an iterator whose class is in `BY_POSITION`."""
    make, arguments, *state = iterator.__reduce__()
    return IteratorState(make.__name__, arguments, state[0] if state else None)


def _captured_of_dict(iterator: Any) -> IteratorState:
    """Return the state of an iterator over a dict: the dict, and the number of items that the
    iterator has returned. This number is sufficient, because a restored dict has the same order.
    """
    kind, _ = _OF_DICTS[type(iterator)]
    source = next((part for part in gc.get_referents(iterator) if isinstance(part, dict)), None)
    if source is None:  # the iterator is at its end
        return IteratorState("rest", ())
    left = iterator.__length_hint__()
    if not left:
        try:
            iterator.__reduce__()
        except RuntimeError as error:
            return IteratorState("broken", (str(error), source))
    return IteratorState(kind, (source,), len(source) - left)
