"""Compute hashable keys for values such as arrays, so that equal contents have equal keys.

The keys are used when a tick runs again with other input, to find out which effects of the first
run happen again. Two effects, such as sounds, count as the same effect if their arguments have
equal contents. In the second run, the arguments may be new objects, such as a new array with the
same numbers.
"""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields, is_dataclass
from functools import partial
from types import FunctionType, MethodType
from typing import Any
from weakref import ref

import numpy as np

from ..state.rows import Handle

_MAX_ITEMS = 16
"""The maximum number of items in a key. For a longer list or dict, the key contains only a hash of
the items.
"""

_MAX_TEXT = 256
"""The maximum length of a text in a key, in characters or bytes. For a longer text, the key
contains only a hash.
"""

_MAX_DEPTH = 8
"""The maximum depth of nested containers that are compared by content. An object that is nested
deeper is equal only to itself.
"""


class _Same:
    """A key for one object. This key is equal only to other keys for the same object. The key
    contains a weak reference to the object, or the object itself if it does not support weak
    references.
    """

    __slots__ = ("_hash", "_of")

    def __init__(self, value: object) -> None:
        self._hash = id(value)
        self._of: Callable[[], object]
        try:
            self._of = ref(value)
        except TypeError:
            self._of = lambda: value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same) or self._hash != other._hash:
            return False
        value = self._of()
        return value is not None and value is other._of()

    def __hash__(self) -> int:
        return self._hash


def content_key(value: Any) -> Hashable:
    """Return a hashable key for a value. Values with equal contents have equal keys.

    Numbers, texts, arrays, containers, dataclasses and functions are compared by content. Rows of a
    batch are compared by their ids. Any other object is equal only to itself. If ``value`` changes
    after the call, the key stays the same.
    """
    return _key(value, _MAX_DEPTH)


def _key(value: Any, depth: int) -> Hashable:
    kind = value.__class__
    if kind in _NUMBERS:
        return (kind, value) if value == value else (kind, "nan")
    if kind is str or kind is bytes:
        return value if len(value) <= _MAX_TEXT else (kind, len(value), hash(value))
    if not depth:
        return _Same(value)
    key = _KEYS.get(kind)
    if key is not None:
        return key(value, depth - 1)
    if isinstance(value, np.ndarray):
        return _key_of_array(value)
    if isinstance(value, Handle):
        return _key_of_row(value)
    if is_dataclass(value) and not isinstance(value, type):
        items = [getattr(value, field.name, None) for field in fields(value)]
        return kind, _key_of_items(items, depth - 1)
    if isinstance(value, np.generic):
        return kind, value.tobytes()
    for base, key_of_base in _BASES:
        if isinstance(value, base):
            return kind, key_of_base(value, depth - 1)
    if kind.__hash__ is not object.__hash__ and kind.__hash__ is not None:
        return _key_of_hashable(value)
    return _Same(value)


def _key_of_hashable(value: Any) -> Hashable:
    """Return a key for an object with its own ``__eq__`` and ``__hash__``, such as a `Fraction`."""
    try:
        hash(value)
        return value.__class__, value
    except Exception:  # the methods of any class may raise any error
        return _Same(value)


def _key_of_items(items: Iterable[Any], depth: int) -> Hashable:
    return _shortened(tuple([_key(item, depth) for item in items]))


def _key_of_sequence(value: Any, depth: int) -> Hashable:
    if len(value) > _MAX_ITEMS:
        try:  # one hash with marshal takes a hundredth of the time of a key for each item
            return value.__class__, len(value), hash(marshal.dumps(value, 2))
        except ValueError:  # an object that marshal does not know
            pass
    return value.__class__, _key_of_items(value, depth)


def _key_of_set(value: Any, depth: int) -> Hashable:
    return value.__class__, _shortened(frozenset([_key(item, depth) for item in value]))


def _key_of_dict(value: dict[Any, Any], depth: int) -> Hashable:
    pairs = [(_key(name, depth), _key(item, depth)) for name, item in value.items()]
    return dict, _shortened(frozenset(pairs))


def _shortened(keys: tuple[Hashable, ...] | frozenset[Hashable]) -> Hashable:
    return keys if len(keys) <= _MAX_ITEMS else (len(keys), hash(keys))


def _key_of_array(value: np.ndarray[Any, Any]) -> Hashable:
    if value.dtype.hasobject:
        return _Same(value)
    content = value.tobytes()
    short = content if len(content) <= _MAX_TEXT else hash(content)
    return np.ndarray, value.dtype.str, value.shape, short


def _key_of_row(value: Handle[Any]) -> Hashable:
    try:
        return Handle, _Same(value.batch), value.id
    except ValueError:  # the row was removed in the same tick
        return _Same(value)


def _key_of_function(value: Any, depth: int) -> Hashable:
    """Return a key for a function. The key contains the code of the function, and the values of the
    outer variables that the function uses. Comparing function objects is not enough, because Python
    creates a new function object each time it executes a ``lambda`` expression.
    """
    cells = [cell.cell_contents if _is_filled(cell) else None for cell in value.__closure__ or ()]
    defaults = value.__defaults__, value.__kwdefaults__
    return FunctionType, value.__code__, _key_of_items([*cells, *defaults], depth)


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 (raises an error for an empty cell)
    except ValueError:
        return False
    return True


def _key_of_method(value: Any, depth: int) -> Hashable:
    owner = value.__self__
    return (
        MethodType,
        _Same(value.__func__),
        _key(owner, depth) if isinstance(owner, Handle) else _Same(owner),
    )


def _key_of_builtin(value: Any, depth: int) -> Hashable:
    return value.__class__, value.__name__, _Same(value.__self__)


def _key_of_partial(value: Any, depth: int) -> Hashable:
    return partial, _key_of_items([value.func, value.args, value.keywords], depth)


_NUMBERS = frozenset([int, float, complex, bool, type(None), np.float32, np.float64, np.int64])

_KEYS: dict[type, Callable[[Any, int], Hashable]] = {
    tuple: _key_of_sequence,
    list: _key_of_sequence,
    deque: _key_of_sequence,
    set: _key_of_set,
    frozenset: _key_of_set,
    dict: _key_of_dict,
    bytearray: lambda value, depth: (bytearray, len(value), hash(bytes(value))),
    FunctionType: _key_of_function,
    MethodType: _key_of_method,
    type([].append): _key_of_builtin,
    partial: _key_of_partial,
}

# Subclasses of these classes, such as named tuples, are compared by class and content.
_BASES: tuple[tuple[type, Callable[[Any, int], Hashable]], ...] = (
    (tuple, _key_of_sequence),
    (list, _key_of_sequence),
    (set, _key_of_set),
    (frozenset, _key_of_set),
    (dict, _key_of_dict),
)
