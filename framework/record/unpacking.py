"""A save's JSON, brought back into plain values: numbers, lists, dicts, arrays, and stand-ins for
what a game makes.

Nothing of the game is touched, and nothing is looked up or imported. See `packing` for what stands
for what.
"""

from __future__ import annotations

import base64
import binascii
import collections
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..checks import shown, wrong_value
from ..state.rows import MAX_ROWS
from .digests import hash_of_picture
from .packing import (
    DTYPES,
    GENERATORS,
    LEAST,
    MAX_ALIKE,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_GENERATORS,
    MOST,
    Json,
    generator_state,
    is_key,
    too_alike,
)
from .packing import python_state as random_state

Take = Callable[[np.dtype[Any], tuple[int, ...]], NDArray[Any]]
"""The next array of a file: of this dtype and shape. Raises `ValueError` where so much is not
there.
"""


@dataclass(eq=False)
class Record:
    """Something with a declaration of its own, of the class of this name."""

    name: str
    values: dict[str, Any]


@dataclass(eq=False)
class RowsOf:
    """The rows of a batch. A migration may take columns out, put others in, and `rename` what they
    stand for.
    """

    count: int
    columns: dict[str, NDArray[Any]]
    meanings: dict[str, list[int]]
    """Of columns whose numbers stand for something: hashes of what."""

    def rename(self, column: str, old: object, new: object) -> None:
        """What was ``old`` in a column is ``new`` now: a clip in "clip", a state in the column that
        `StateColumns` is named after, a file (or what else was the image) in "image". Where no row
        has it, nothing is done.

        Raises `ValueError` for a column whose numbers stand for nothing.
        """
        parts = [name for name in self.meanings if name == column or name.startswith(f"{column}_")]
        if column not in parts:
            known = ", ".join(self.meanings) or "none"
            raise wrong_value(
                "column", f"one whose numbers stand for something, which are {known}", column
            )
        before, now = hash_of_picture(old), hash_of_picture(new)
        for name in parts:
            self.meanings[name] = [
                now if meaning == before else meaning for meaning in self.meanings[name]
            ]


@dataclass(eq=False)
class RowOf:
    """A row of a batch that somebody held."""

    rows: RowsOf
    row: int


@dataclass(eq=False)
class Chances:
    """The state of a generator of random numbers."""

    kind: str
    state: Any


@dataclass(frozen=True)
class Member:
    """Of an enum of this name."""

    name: str
    member: str


class Unpacker:
    """Checks a JSON tree and brings it into values; it is used up in doing so. Raises
    `ValueError`.
    """

    def __init__(self, take: Take) -> None:
        self._take = take
        self._things: list[object] = []
        self._generators = 0
        self.shared: set[int] = set()
        """The ids of the values that are met more than once."""

    def values(self, tree: Json, deep: int = MAX_DEPTH + 1) -> dict[str, Any]:
        """Those of attributes, by name."""
        if tree.__class__ is not dict or not all(name.isidentifier() for name in tree):
            raise ValueError(f"attributes are expected, not {shown(tree)}")
        return {name: self.value(value, deep) for name, value in tree.items()}

    def value(self, node: Json, deep: int) -> object:
        """Any value."""
        if node.__class__ is list:
            return self._list(node, _inner(deep))
        if node.__class__ is dict:
            return self._dict(node, _inner(deep))
        if node.__class__ is int and not LEAST <= node < MOST:
            raise ValueError("a whole number of more than 64 bits")
        return node

    def _list(self, node: list[Json], deep: int) -> list[object]:
        self._things.append(node)
        self._fill(node, deep)
        return node

    def _fill(self, node: list[Json], deep: int) -> None:
        """Bring each value of a list into its place."""
        for index, value in enumerate(node):
            kind = value.__class__
            if kind is list or kind is dict or kind is int:
                node[index] = self.value(value, deep)

    def _dict(self, node: dict[str, Json], deep: int) -> object:
        if len(node) == 1:
            ((tag, of),) = node.items()
            if tag[:1] == "@":
                make = _MAKERS.get(tag)
                if make is None:
                    raise ValueError(f"{shown(tag)} is nothing that a save has")
                return make(self, of, deep)
        self._things.append(node)
        for key, value in node.items():
            kind = value.__class__
            if kind is list or kind is dict or kind is int:
                node[key] = self.value(value, deep)
        return node

    def _pairs(self, of: Json, deep: int) -> dict[object, object]:
        made: dict[object, object] = {}
        self._things.append(made)
        pairs = [_list_of(pair, 2) for pair in _list_of(of)]
        for pair in pairs:
            pair[0] = self._key(pair[0], deep)
            pair[1] = self.value(pair[1], deep)
        _check_alike([key for key, _ in pairs])
        made.update((key, value) for key, value in pairs)
        return made

    def _numbered(self, of: Json, deep: int) -> dict[object, object]:
        made: dict[object, object] = {}
        self._things.append(made)
        if of.__class__ is not dict:
            raise ValueError(f"values by numbers are expected, not {shown(of)}")
        keys = [_numbers_of(key) for key in of]
        _check_alike(keys)
        for key, value in zip(keys, of.values(), strict=True):
            made[key] = self.value(value, deep)
        return made

    def _key(self, node: Json, deep: int) -> object:
        key = self.value(node, deep)
        if not is_key(key):
            raise ValueError(f"a key or member that is {shown(key)}")
        return key

    def _keys(self, of: Json, deep: int) -> list[object]:
        keys = [self._key(value, deep) for value in _list_of(of)]
        _check_alike(keys)
        return keys

    def _tuple(self, of: Json, deep: int) -> tuple[object, ...]:
        values = _list_of(of)
        self._fill(values, deep)
        return tuple(values)

    def _set(self, of: Json, deep: int) -> set[object]:
        made: set[object] = set()
        self._things.append(made)
        made.update(self._keys(of, deep))
        return made

    def _frozenset(self, of: Json, deep: int) -> frozenset[object]:
        return frozenset(self._keys(of, deep))

    def _deque(self, of: Json, deep: int) -> collections.deque[object]:
        longest, items = _list_of(of, 2)
        values = _list_of(items)
        if longest is not None and not _is_within(longest, len(values), 1 << 62):
            raise ValueError(f"a deque of at most {shown(longest)}")
        made: collections.deque[object] = collections.deque(maxlen=longest)
        self._things.append(made)
        self._fill(values, deep)
        made.extend(values)
        return made

    def _float(self, of: Json, deep: int) -> float:
        if not isinstance(of, str) or of not in ("nan", "inf", "-inf"):
            raise ValueError(f"a float that is {shown(of)}")
        return float(of)

    def _bytes(self, of: Json, deep: int) -> bytes:
        try:
            return base64.b64decode(_text(of).encode("ascii"), validate=True)
        except binascii.Error as error:
            raise ValueError(f"bytes that are none: {error}") from None

    def _array(self, of: Json, deep: int) -> NDArray[Any]:
        values = self._numbers(of)
        self._things.append(values)
        return values

    def _numbers(self, of: Json) -> NDArray[Any]:
        name, sizes = _list_of(of, 2)
        if not _is_dtype(name):
            raise ValueError(f"an array of {shown(name)}")
        shape = tuple([size for size in _list_of(sizes) if _is_within(size, 0, 1 << 40)])
        if len(_list_of(sizes)) > MAX_DIMENSIONS or len(shape) < len(_list_of(sizes)):
            raise ValueError(f"an array of shape {shown(sizes)}")
        return self._take(np.dtype(name), shape)

    def _scalar(self, of: Json, deep: int) -> np.generic:
        name, value = _list_of(of, 2)
        value = self.value(value, deep)
        if not _is_dtype(name) or type(value) not in (int, float, bool):
            raise ValueError(f"a number of NumPy's that is {shown(of)}")
        try:
            with np.errstate(all="ignore"):
                made: np.generic = np.dtype(name).type(value)
        except OverflowError:
            raise ValueError(f"{shown(value)} is none of {shown(name)}") from None
        return made

    def _random(self, of: Json, deep: int) -> Chances:
        kind, state = _list_of(of, 2)
        if not isinstance(kind, str) or (kind != "Random" and kind not in GENERATORS):
            raise ValueError(f"a generator of random numbers of the kind {shown(kind)}")
        self._generators += 1
        if self._generators > MAX_GENERATORS:
            raise ValueError(f"more than {MAX_GENERATORS} generators of random numbers")
        numbers = _list_of(state)
        made = Chances(
            kind, random_state(numbers) if kind == "Random" else generator_state(kind, numbers)
        )
        self._things.append(made)
        return made

    def _member(self, of: Json, deep: int) -> Member:
        name, member = _list_of(of, 2)
        return Member(_text(name), _text(member))

    def _object(self, of: Json, deep: int) -> Record:
        name, values = _list_of(of, 2)
        made = Record(_text(name), {})
        self._things.append(made)
        made.values = self.values(values, deep)
        return made

    def _rows(self, of: Json, deep: int) -> RowsOf:
        count, columns, meanings = _list_of(of, 3)
        if not _is_within(count, 0, MAX_ROWS + 1):
            raise ValueError(f"{shown(count)} rows")
        if columns.__class__ is not dict or meanings.__class__ is not dict:
            raise ValueError("rows without columns")
        made = RowsOf(count, {}, {})
        self._things.append(made)
        for name, array in columns.items():
            values = made.columns[name] = self._numbers(array)
            if values.shape[:1] != (count,):
                raise ValueError(
                    f"{count} rows, and a column {shown(name)} of shape {values.shape}"
                )
        for name, hashes in meanings.items():
            if any(
                type(number) is not int or not 0 <= number < MOST for number in _list_of(hashes)
            ):
                raise ValueError(f"no hashes of what the column {shown(name)} stands for")
            numbers = made.columns.get(name)
            if (
                numbers is None
                or numbers.dtype.kind != "i"
                or (count and not _within(numbers, len(hashes)))
            ):
                raise ValueError(f"numbers in the column {shown(name)} that stand for nothing")
            made.meanings[name] = hashes
        return made

    def _row(self, of: Json, deep: int) -> RowOf:
        number, row = _list_of(of, 2)
        rows = self._same(number, deep)
        if not isinstance(rows, RowsOf) or not _is_within(row, 0, rows.count):
            raise ValueError("a row of a batch that is not there")
        return RowOf(rows, row)

    def _same(self, of: Json, deep: int) -> object:
        if not _is_within(of, 0, len(self._things)):
            raise ValueError(f"it refers to a thing with the number {shown(of)}")
        thing = self._things[of]
        self.shared.add(id(thing))
        return thing


_MAKERS: dict[str, Callable[[Unpacker, Json, int], object]] = {
    "@dict": Unpacker._pairs,
    "@by": Unpacker._numbered,
    "@tuple": Unpacker._tuple,
    "@set": Unpacker._set,
    "@frozenset": Unpacker._frozenset,
    "@deque": Unpacker._deque,
    "@float": Unpacker._float,
    "@bytes": Unpacker._bytes,
    "@array": Unpacker._array,
    "@scalar": Unpacker._scalar,
    "@random": Unpacker._random,
    "@member": Unpacker._member,
    "@object": Unpacker._object,
    "@rows": Unpacker._rows,
    "@row": Unpacker._row,
    "@same": Unpacker._same,
}


def _list_of(node: Json, count: int | None = None) -> list[object]:
    if node.__class__ is not list or (count is not None and len(node) != count):
        raise ValueError(
            f"a list{'' if count is None else f' of {count}'} is expected, not {shown(node)}"
        )
    return node


def _numbers_of(key: str) -> int | tuple[int, ...]:
    """A key of whole numbers, as in "3,4"."""
    numbers = [int(part) for part in key.removesuffix(",").split(",")] if key != "," else []
    if any(not LEAST <= number < MOST for number in numbers):
        raise ValueError("a whole number of more than 64 bits")
    return tuple(numbers) if "," in key else numbers[0]


def _check_alike(keys: Collection[object]) -> None:
    if too_alike(keys):
        raise ValueError(f"more than {MAX_ALIKE} tuples with one hash, as keys or members")


def _text(node: Json) -> str:
    if node.__class__ is not str:
        raise ValueError(f"a string is expected, not {shown(node)}")
    return node


def _is_within(number: object, least: int, limit: int) -> TypeGuard[int]:
    return type(number) is int and least <= number < limit


def _is_dtype(name: object) -> TypeGuard[str]:
    return name in DTYPES


def _inner(deep: int) -> int:
    if not deep:
        raise ValueError(f"more than {MAX_DEPTH} things within things")
    return deep - 1


def _within(numbers: NDArray[Any], count: int) -> bool:
    least: int = numbers.min()
    most: int = numbers.max()
    return bool(least >= 0 and most < count)


def bytes_of(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    """How many an array takes."""
    return math.prod(shape) * dtype.itemsize
