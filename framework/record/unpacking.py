"""Read the JSON text of a save, and convert it to values and descriptions of objects.

This module neither changes the game nor imports any modules that a save names. The module `packing`
describes the format of the JSON.
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
    MAX_ALIKE,
    MAX_DEPTH,
    MAX_DIMENSIONS,
    MAX_GENERATORS,
    MAX_INTEGER,
    MIN_INTEGER,
    Json,
    generator_state,
    is_key,
    too_alike,
)
from .packing import python_state as random_state
from .routine_packing import KINDS

Take = Callable[[np.dtype[Any], tuple[int, ...]], NDArray[Any]]
"""A function that returns the next array of a save, from its dtype and its shape. The function
raises `ValueError` if the file does not contain enough numbers.
"""


@dataclass(eq=False)
class SavedObject:
    """An object in a save: the name of its class and the values of its attributes."""

    name: str
    values: dict[str, Any]


@dataclass(eq=False)
class SavedRows:
    """The rows of a batch in a save. A migration of old saves can change the rows, and add or
    remove columns. To rename an image, a clip or a state, it calls `rename`.
    """

    count: int
    columns: dict[str, NDArray[Any]]
    meanings: dict[str, list[int]]
    """A dict from the names of columns of images, clips or states to the hashes of these objects.
    """
    ids: NDArray[Any] | None = None
    """The id of each row. If ``ids`` is None, the ids are 0 to ``count - 1``."""
    next_id: int = 0
    """The id of the next new row. ``next_id`` is used only if ``ids`` is not None."""

    def rename(self, column: str, old: object, new: object) -> None:
        """Replace the image, clip or state ``old`` with ``new`` in all rows of the batch.

        For images, ``column`` is "image". For animation clips, ``column`` is "clip", and ``old``
        and ``new`` are names of clips. For states, ``column`` is the name of the `StateColumns`
        object. If no row uses ``old``, nothing changes.

        Raises `ValueError` if the column contains no images, clips or states.
        """
        parts = [name for name in self.meanings if name == column or name.startswith(f"{column}_")]
        if column not in parts:
            names = ", ".join(self.meanings) or "none"
            raise wrong_value("column", f"a column of codes, one of {names}", column)
        old_hash = hash_of_picture(old)
        new_hash = hash_of_picture(new)
        for name in parts:
            self.meanings[name] = [
                new_hash if meaning == old_hash else meaning for meaning in self.meanings[name]
            ]


@dataclass(eq=False)
class SavedRow:
    """A row of a batch, such as a `Sprite`, to which a saved value refers."""

    rows: SavedRows
    row: int


@dataclass(eq=False)
class SavedGenerator:
    """A random generator in a save: the name of its class, and its state."""

    kind: str
    state: Any


@dataclass(frozen=True)
class SavedMember:
    """An enum member in a save: the name of the enum and the name of the member."""

    name: str
    member: str


@dataclass(eq=False)
class SavedPart:
    """An object that belongs to a routine in a save: the kind and the values of the object. The
    module `routine_packing` lists the kinds.
    """

    kind: str
    values: dict[str, Any]


def parts_in(state: object) -> list[SavedPart]:
    """Return all objects of routines in the values of a save."""
    parts: list[SavedPart] = []
    waiting = [state]
    visited: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in visited:
            continue
        visited.add(id(value))
        if isinstance(value, SavedPart):
            parts.append(value)
        if isinstance(value, SavedPart | SavedObject):
            waiting += value.values.values()
        elif isinstance(value, SavedRows):
            waiting += value.columns.values()
        elif isinstance(value, SavedRow):
            waiting.append(value.rows)
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple | collections.deque) or (
            isinstance(value, np.ndarray) and value.dtype.hasobject
        ):
            waiting += [*value]
    return parts


class Unpacker:
    """Checks the JSON of a save and converts it to values.

    The conversion changes the lists and dicts of the JSON, so each JSON tree can be converted only
    once. Raises `ValueError` if the JSON is invalid.
    """

    def __init__(self, take: Take) -> None:
        self._take = take
        self._things: list[object] = []
        self._generators = 0
        # The columns of objects. Each item has the rows, the name of the column, and the JSON of
        # its values.
        self._waiting: list[tuple[SavedRows, str, list[Json]]] = []
        self.shared: set[int] = set()
        """The `id` of each value that is used more than once in the save."""
        self.parts: list[SavedPart] = []
        """The saved objects that belong to routines."""

    def finish(self) -> None:
        """Convert the columns that contain objects. The order of the columns must be the same as in
        `Packer.finish`.
        """
        for rows, name, values in self._waiting:  # the loop may append items to the list
            column = rows.columns[name] = np.empty(rows.count, object)
            for row, value in enumerate(values):
                column[row] = self.value(value, MAX_DEPTH + 1)
        self._waiting.clear()

    def values(self, tree: Json, deep: int = MAX_DEPTH + 1) -> dict[str, Any]:
        """Convert the saved attributes of an object. Return a dict with the names of the attributes
        as keys.
        """
        if tree.__class__ is not dict or not all(name.isidentifier() for name in tree):
            raise ValueError(f"attributes are expected, not {shown(tree)}")
        return {name: self.value(value, deep) for name, value in tree.items()}

    def value(self, node: Json, deep: int) -> object:
        if node.__class__ is list:
            return self._list(node, _inner(deep))
        if node.__class__ is dict:
            return self._dict(node, _inner(deep))
        if node.__class__ is int and not MIN_INTEGER <= node <= MAX_INTEGER:
            raise ValueError("a whole number of more than 64 bits")
        return node

    def _list(self, node: list[Json], deep: int) -> list[object]:
        self._things.append(node)
        self._fill(node, deep)
        return node

    def _fill(self, node: list[Json], deep: int) -> None:
        """Convert the items of a list in place."""
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
                    raise ValueError(f"{shown(tag)} is not a tag of a save")
                return make(self, of, deep)
        self._things.append(node)
        for key, value in node.items():
            kind = value.__class__
            if kind is list or kind is dict or kind is int:
                node[key] = self.value(value, deep)
        return node

    def _pairs(self, of: Json, deep: int) -> dict[object, object]:
        result: dict[object, object] = {}
        self._things.append(result)
        pairs = [_list_of(pair, 2) for pair in _list_of(of)]
        for pair in pairs:
            pair[0] = self._key(pair[0], deep)
            pair[1] = self.value(pair[1], deep)
        _check_alike([key for key, _ in pairs])
        result.update((key, value) for key, value in pairs)
        return result

    def _numbered(self, of: Json, deep: int) -> dict[object, object]:
        result: dict[object, object] = {}
        self._things.append(result)
        if of.__class__ is not dict:
            raise ValueError(f"a dict by integers is expected, not {shown(of)}")
        keys = [_numbers_of(key) for key in of]
        _check_alike(keys)
        for key, value in zip(keys, of.values(), strict=True):
            result[key] = self.value(value, deep)
        return result

    def _key(self, node: Json, deep: int) -> object:
        key = self.value(node, deep)
        if not is_key(key):
            raise ValueError(f"{shown(key)} cannot be a key or member")
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
        result: set[object] = set()
        self._things.append(result)
        result.update(self._keys(of, deep))
        return result

    def _frozenset(self, of: Json, deep: int) -> frozenset[object]:
        return frozenset(self._keys(of, deep))

    def _deque(self, of: Json, deep: int) -> collections.deque[object]:
        longest, items = _list_of(of, 2)
        values = _list_of(items)
        if longest is not None and not _is_within(longest, len(values), 1 << 62):
            raise ValueError(f"a deque of at most {shown(longest)}")
        result: collections.deque[object] = collections.deque(maxlen=longest)
        self._things.append(result)
        self._fill(values, deep)
        result.extend(values)
        return result

    def _float(self, of: Json, deep: int) -> float:
        if not isinstance(of, str) or of not in ("nan", "inf", "-inf"):
            raise ValueError(f"{shown(of)} is not a special float")
        return float(of)

    def _bytes(self, of: Json, deep: int) -> bytes:
        try:
            return base64.b64decode(_text(of).encode("ascii"), validate=True)
        except binascii.Error as error:
            raise ValueError(f"invalid base64: {error}") from None

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
        if not _is_dtype(name) or not isinstance(value, int | float):
            raise ValueError(f"{shown(of)} is not a NumPy number")
        try:
            with np.errstate(all="ignore"):
                scalar: np.generic = np.dtype(name).type(value)
            fits = bool(np.isfinite(scalar)) or not math.isfinite(value)
        except OverflowError:
            fits = False
        if not fits:
            raise ValueError(f"{shown(value)} does not fit {shown(name)}") from None
        return scalar

    def _random(self, of: Json, deep: int) -> SavedGenerator:
        kind, state = _list_of(of, 2)
        if not isinstance(kind, str) or (kind != "Random" and kind not in GENERATORS):
            raise ValueError(f"a random generator of the kind {shown(kind)}")
        self._generators += 1
        if self._generators > MAX_GENERATORS:
            raise ValueError(f"more than {MAX_GENERATORS} random generators")
        numbers = _list_of(state)
        generator = SavedGenerator(
            kind, random_state(numbers) if kind == "Random" else generator_state(kind, numbers)
        )
        self._things.append(generator)
        return generator

    def _member(self, of: Json, deep: int) -> SavedMember:
        name, member = _list_of(of, 2)
        return SavedMember(_text(name), _text(member))

    def _object(self, of: Json, deep: int) -> SavedObject:
        name, values = _list_of(of, 2)
        record = SavedObject(_text(name), {})
        self._things.append(record)
        record.values = self.values(values, deep)
        return record

    def _part(self, of: Json, deep: int) -> SavedPart:
        kind, values = _list_of(of, 2)
        if not isinstance(kind, str) or kind not in KINDS:
            raise ValueError(f"{shown(kind)} is not a part of a routine")
        part = SavedPart(kind, {})
        self._things.append(part)
        self.parts.append(part)
        part.values = self.values(values, deep)
        return part

    def _rows(self, of: Json, deep: int) -> SavedRows:
        count, columns, meanings, *further = _list_of(of)
        if further and (len(further) > 1 or further[0].__class__ is not dict):
            raise ValueError("rows without columns")
        if not _is_within(count, 0, MAX_ROWS + 1):
            raise ValueError(f"{shown(count)} rows")
        if columns.__class__ is not dict or meanings.__class__ is not dict:
            raise ValueError("rows without columns")
        rows = SavedRows(count, {}, {})
        self._things.append(rows)
        for name, array in columns.items():
            values = rows.columns[name] = self._numbers(array)
            if values.shape[:1] != (count,):
                raise ValueError(
                    f"{count} rows, and a column {shown(name)} of shape {values.shape}"
                )
        for name, hashes in meanings.items():
            rows.meanings[name] = _checked_meanings(name, hashes, rows)
        parts: Any = further[0] if further else {}
        if not parts.keys() <= {"ids", "objects"}:
            raise ValueError(f"rows with {shown(parts.keys())}")
        if "ids" in parts:
            rows.next_id, rows.ids = self._ids(parts["ids"], count)
        if "objects" in parts:
            self._objects(rows, parts["objects"])
        return rows

    def _ids(self, of: Json, count: int) -> tuple[int, NDArray[Any]]:
        next_id, array = _list_of(of, 2)
        ids = self._numbers(array)
        if (
            not _is_within(next_id, 0, MAX_INTEGER)
            or ids.dtype.kind != "u"
            or ids.shape != (count,)
        ):
            raise ValueError("invalid ids of rows")
        if len(np.unique(ids)) < count or (count and int(ids.max()) >= next_id):
            raise ValueError("ids of rows that occur twice, or that no row had yet")
        return next_id, ids

    def _objects(self, rows: SavedRows, of: Json) -> None:
        if of.__class__ is not dict:
            raise ValueError("columns of objects without names")
        for name, values in of.items():
            if name in rows.columns:
                raise ValueError(f"the column {shown(name)} twice")
            self._waiting.append((rows, name, _list_of(values, rows.count)))

    def _row(self, of: Json, deep: int) -> SavedRow:
        number, row = _list_of(of, 2)
        rows = self._same(number, deep)
        if not isinstance(rows, SavedRows) or not _is_within(row, 0, rows.count):
            raise ValueError("a row that its batch does not have")
        return SavedRow(rows, row)

    def _same(self, of: Json, deep: int) -> object:
        if not _is_within(of, 0, len(self._things)):
            raise ValueError(f"it refers to a value with the number {shown(of)}")
        value = self._things[of]
        self.shared.add(id(value))
        return value


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
    "@part": Unpacker._part,
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
    """Parse the text of a key, such as "3,4", and return its integers."""
    numbers = [int(part) for part in key.removesuffix(",").split(",")] if key != "," else []
    if any(not MIN_INTEGER <= number <= MAX_INTEGER for number in numbers):
        raise ValueError("a whole number of more than 64 bits")
    return tuple(numbers) if "," in key else numbers[0]


def _check_alike(keys: Collection[object]) -> None:
    if too_alike(keys):
        raise ValueError(f"more than {MAX_ALIKE} tuples with the same hash as keys or members")


def _text(node: Json) -> str:
    if node.__class__ is not str:
        raise ValueError(f"a string is expected, not {shown(node)}")
    return node


def _is_within(number: object, minimum: int, limit: int) -> TypeGuard[int]:
    return type(number) is int and minimum <= number < limit


def _is_dtype(name: object) -> TypeGuard[str]:
    return name in DTYPES


def _inner(deep: int) -> int:
    if not deep:
        raise ValueError(f"values are nested more than {MAX_DEPTH} levels deep")
    return deep - 1


def _checked_meanings(name: str, hashes: Json, rows: SavedRows) -> list[int]:
    """Return the hashes of the meanings of a column's numbers, one for each number. Raise
    `ValueError` if they are invalid, or if a number in the column has no meaning.
    """
    checked: list[Any] = _list_of(hashes)
    if any(type(number) is not int or not 0 <= number <= MAX_INTEGER for number in checked):
        raise ValueError(f"invalid hashes of the meanings of the column {shown(name)}")
    numbers = rows.columns.get(name)
    if (
        numbers is None
        or numbers.dtype.kind != "i"
        or (rows.count and not _within(numbers, len(checked)))
    ):
        raise ValueError(f"numbers without a meaning in the column {shown(name)}")
    return checked


def _within(numbers: NDArray[Any], count: int) -> bool:
    lowest: int = numbers.min()
    highest: int = numbers.max()
    return bool(lowest >= 0 and highest < count)


def bytes_of(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    """Return the size of an array in bytes."""
    return math.prod(shape) * dtype.itemsize
