"""What a save has of a game, as JSON has it: declared attributes, and all that they hold.

    3, 0.5, true, null, "text", [1, 2]      themselves
    {"key": 1}                              a dict whose keys are strings, none of which begins with "@"
    {"@by": {"3": 1, "3,4": 1, "3,": 1}}    a dict by whole numbers, or tuples of them
    {"@dict": [[key, value], …]}            any other
    {"@tuple": […]}, {"@set": […]}, {"@frozenset": […]}, {"@deque": [longest or null, […]]}
    {"@float": "nan"}, {"@bytes": base64}
    {"@array": [dtype, [shape]]}            its numbers are elsewhere in the file, in the order of the arrays
    {"@scalar": [dtype, value]}             a number of NumPy's, which counts as an array without a shape
    {"@random": [kind, numbers]}            the state of a generator of random numbers
    {"@member": [class, name]}              of an enum
    {"@object": [class, {name: value}]}     something with a declaration of its own
    {"@rows": [count, {column: array}, {column: [hash of what each number stands for]}]}
    {"@row": [number of the batch, row]}    a handle of a row
    {"@same": number}                       a thing that came before: things are counted, from 0 on

Counted are lists, dicts, sets, deques, arrays, objects, generators and batches, each where it
begins.
"""

from __future__ import annotations

import base64
import collections
import dataclasses
import enum
import math
import random
from array import array
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..checks import shown
from ..errors import FrameworkError
from ..state.columns import Codes, Column, Table, Tabular
from ..state.nodes import AtNodes
from ..state.rows import Handle, further_rows, noun_of, rows_can_be_saved, table_of
from .digests import hashes_of_codes
from .stable_names import IN_FILES

MAX_DEPTH = 64
"""Things within things."""
MAX_DIMENSIONS = 8
"""Of an array."""
MAX_GENERATORS = 500
"""Of random numbers, in one save."""
DTYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
"""Of arrays, and of numbers of NumPy's."""
MAX_ALIKE = 200
"""Tuples with one hash, in a dict or set."""
LEAST, MOST = -(1 << 63), 1 << 64
"""Whole numbers are from the first on, and below the second."""
SCALARS = (str, int, float, bool, bytes, type(None))
"""Classes of what may be a key, or in a set; and tuples of these."""

Json = object
"""A value that `json.dumps` writes."""


def declared(kind: type) -> tuple[str, ...]:
    """The attributes that a class and its bases name in ``saved``; of a dataclass that has none,
    its fields.
    """
    names: dict[str, None] = {}
    found = False
    for cls in reversed(kind.__mro__):
        given: object = vars(cls).get("saved", ())
        found = found or "saved" in vars(cls)
        if (
            isinstance(given, str)
            or not isinstance(given, tuple | list)
            or not all(map(_is_name, given))
        ):
            raise FrameworkError(
                "saved: expected a tuple of names of attributes in "
                f"{cls.__qualname__}, as in ('score', 'level'), "
                f"got {shown(given)}"
            )
        names.update(dict.fromkeys(given))
    if not found and dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return tuple(names)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier()


def can_be_saved(kind: type) -> bool:
    """Whether objects of a class say what is to be saved of them."""
    return bool(declared(kind))


def saved_columns(table: Table) -> dict[str, Column]:
    """The columns of a table that are state of the game."""
    own = None if table.observer is None else table.observer.column
    return {
        column.name: column
        for column in table.columns
        if column is not own and column.name not in table.derived
    }


def saved_rows(batch: Tabular[Table]) -> dict[str, tuple[NDArray[Any], Codes | None]]:
    """All that is saved of a batch's rows, by name: (n, …), and what the numbers of it stand for,
    if for anything.
    """
    table = table_of(batch)
    rows = {
        name: (column.current(table.count), table.codes.get(name))
        for name, column in saved_columns(table).items()
    }
    return rows | further_rows(batch)


def shows_nodes(thing: object) -> TypeGuard[AtNodes]:
    """Whether it is a batch whose rows are drawn at nodes, which a save has before it."""
    return isinstance(thing, AtNodes)


class Packer:
    """Brings values into JSON. ``array(values)`` says what stands for the numbers of an array,
    which it may keep.
    """

    def __init__(self, array: Callable[[NDArray[Any]], Json]) -> None:
        self._array = array
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []  # so that no two of them have the same `id`
        self._depth = 0
        self._generators = 0

    def batches(self, thing: object, path: str) -> dict[str, Json]:
        """The batches among what a thing has declared: before all that may refer to their rows."""
        found = self._declared(thing, path)
        named = sorted(found, key=lambda name: shows_nodes(found[name]))
        kind: type = thing.__class__
        called = IN_FILES.field_names(kind)
        return {
            called.get(name, name): self.value(found[name], f"{path}.{name}")
            for name in named
            if rows_can_be_saved(found[name])
        }

    def attributes(self, thing: object, path: str, without: Container[str] = ()) -> dict[str, Json]:
        """What a thing has declared, batches first. Raises `FrameworkError` that names what cannot
        be saved.
        """
        found = self._declared(thing, path)
        ordered = sorted(
            found, key=lambda name: (not rows_can_be_saved(found[name]), shows_nodes(found[name]))
        )
        kind: type = thing.__class__
        called = IN_FILES.field_names(kind)
        return {
            called.get(name, name): self.value(found[name], f"{path}.{name}")
            for name in ordered
            if called.get(name, name) not in without
        }

    def _declared(self, thing: object, path: str) -> dict[str, object]:
        found: dict[str, object] = {}
        for name in declared(type(thing)):
            try:
                found[name] = getattr(thing, name)
            except AttributeError:
                self._fail(path, f"has no {name!r}, which {type(thing).__name__} declares in saved")
        return found

    def value(self, thing: object, path: str) -> Json:
        """Anything. Raises `FrameworkError` that names its path where it cannot be saved."""
        kind = thing.__class__
        if kind is str or kind is bool or thing is None:
            return thing
        if thing.__class__ is int:
            if not LEAST <= thing < MOST:
                self._fail(path, "is a whole number of more than 64 bits")
            return thing
        if thing.__class__ is float:
            return thing if math.isfinite(thing) else {"@float": repr(thing)}
        if thing.__class__ is bytes:
            return {"@bytes": base64.b64encode(thing).decode("ascii")}
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(path, f"lies deeper than {MAX_DEPTH} things within things")
        packed = self._composed(thing, kind, path)
        self._depth -= 1
        return packed

    def _composed(self, thing: object, kind: type, path: str) -> Json:
        if thing.__class__ is tuple:
            return {"@tuple": self._values(thing, path)}
        if thing.__class__ is frozenset:
            return {"@frozenset": self._members(thing, path)}
        if isinstance(thing, np.generic):
            self._check_dtype(thing.dtype, path)
            return {"@scalar": [_dtype(thing.dtype), self.value(thing.item(), path)]}
        if isinstance(thing, enum.Enum):
            return {"@member": [IN_FILES.name_of(kind), thing.name]}
        if isinstance(thing, Handle):
            return self._handle(thing, path)
        number = self._numbers.setdefault(id(thing), len(self._numbers))
        if number < len(self._kept):
            return {"@same": number}
        self._kept.append(thing)
        pack = _PACKERS.get(kind)
        if pack is not None:
            return pack(self, thing, path)
        if isinstance(thing, np.ndarray) and not isinstance(thing, np.ma.MaskedArray):
            self._check_dtype(thing.dtype, path)
            if thing.ndim > MAX_DIMENSIONS:
                self._fail(
                    path, f"has {thing.ndim} dimensions, at most {MAX_DIMENSIONS} can be saved"
                )
            return {"@array": self._array(thing)}
        if isinstance(thing, np.random.Generator):
            return self._random(thing, path)
        if rows_can_be_saved(thing):
            return {"@rows": self._rows(thing, path)}
        if can_be_saved(kind):
            return {"@object": [IN_FILES.name_of(kind), self.attributes(thing, path)]}
        return self._fail(path, f"is {_described(thing)}, which cannot be saved; {_hint(thing)}")

    def _values(self, things: Collection[object], path: str) -> list[Json]:
        return [self.value(thing, f"{path}[{index}]") for index, thing in enumerate(things)]

    def _members(self, things: Collection[object], path: str) -> list[Json]:
        """Of a set, in an order that does not depend on the process."""
        self._check_alike(things, path)
        for thing in things:
            self._check_key(thing, path)
        return self._values(sorted(things, key=_order), path)

    def _check_alike(self, keys: Collection[object], path: str) -> None:
        if too_alike(keys):
            self._fail(
                path,
                f"has more than {MAX_ALIKE} tuples with one hash as keys, which cannot "
                "be read back",
            )

    def _dict(self, thing: Mapping[object, object], path: str) -> Json:
        if all(key.__class__ is str and not key.startswith("@") for key in thing):
            return {key: self.value(value, f"{path}[{key!r}]") for key, value in thing.items()}
        self._check_alike(thing, path)
        if all(map(_is_of_numbers, thing)):
            return {
                "@by": {
                    _as_text(key): self.value(value, f"{path}[{key!r}]")
                    for key, value in thing.items()
                }
            }
        pairs = []
        for key, value in thing.items():
            self._check_key(key, path)
            pairs.append([self.value(key, path), self.value(value, f"{path}[{key!r}]")])
        return {"@dict": pairs}

    def _deque(self, thing: collections.deque[object], path: str) -> Json:
        return {"@deque": [thing.maxlen, self._values(thing, path)]}

    def _check_key(self, key: object, path: str) -> None:
        if not is_key(key):
            self._fail(
                path,
                f"has the key or member {shown(key)}; strings, numbers and tuples of "
                "them can be saved",
            )

    def _check_dtype(self, dtype: np.dtype[Any], path: str) -> None:
        if _dtype(dtype) not in DTYPES:
            self._fail(path, f"holds {dtype}; numbers of at most 64 bits and flags can be saved")

    def _handle(self, thing: Handle[Tabular[Table]], path: str) -> Json:
        if thing.removed:
            self._fail(
                path, f"is a {noun_of(thing)} that was removed; keep None, or nothing, in its place"
            )
        batch = thing.batch
        number = self._numbers.get(id(batch))
        if number is None:
            name = f"{type(batch).__name__}, which is not saved"
            self._fail(
                path,
                f"is a {noun_of(thing)} of a {name}: name the batch in saved of the game or the scene",
            )
        table = table_of(batch)
        if table.holes:
            table.close_holes()
        return {"@row": [number, thing.row]}

    def _rows(self, batch: Tabular[Table], path: str) -> Json:
        table = table_of(batch)
        if shows_nodes(batch) and id(batch.nodes) not in self._numbers:
            nodes = (
                f"the {type(batch.nodes).__name__} in saved, too, of the game or of the same scene"
            )
            self._fail(path, f"is drawn at nodes that are not saved: name {nodes}")
        if table.holes:
            table.close_holes()
        kind: type = batch.__class__
        called = IN_FILES.field_names(kind)
        columns: dict[str, Json] = {}
        meanings: dict[str, list[int]] = {}
        for column, (values, codes) in saved_rows(batch).items():
            name = called.get(column, column)
            if codes is not None:
                used, numbers = np.unique(values, return_inverse=True)
                hashes = hashes_of_codes(codes)
                meanings[name] = [hashes[number] for number in used.tolist()]
                values = numbers.reshape(-1).astype(values.dtype)
            columns[name] = self._array(values)
        return [table.count, columns, meanings]

    def _random(self, thing: np.random.Generator | random.Random, path: str) -> Json:
        self._generators += 1
        if self._generators > MAX_GENERATORS:
            self._fail(
                path,
                f"is one of more than {MAX_GENERATORS} generators of random numbers; share them",
            )
        if isinstance(thing, random.Random):
            version, words, normal = thing.getstate()
            return {"@random": ["Random", [version, *words, normal]]}
        bits = thing.bit_generator
        kind = type(bits).__name__
        if kind not in GENERATORS:
            self._fail(
                path,
                f"is a generator of random numbers of the kind {kind}; there are "
                f"{', '.join(GENERATORS)}",
            )
        return {"@random": [kind, _flat(bits.state, kind)]}

    def _fail(self, path: str, what: str) -> NoReturn:
        raise FrameworkError(f"save: {path} {what}")


_PACKERS: dict[type, Callable[[Packer, Any, str], Json]] = {
    list: Packer._values,
    dict: Packer._dict,
    set: lambda packer, thing, path: {"@set": packer._members(thing, path)},
    collections.deque: Packer._deque,
    random.Random: Packer._random,
}


def is_key(key: object) -> bool:
    """Whether it can be a key of a dict, or a member of a set, in a save."""
    return key.__class__ in SCALARS or (key.__class__ is tuple and all(map(is_key, key)))


def too_alike(keys: Collection[object]) -> bool:
    """Whether more than `MAX_ALIKE` tuples among keys have one hash: n such are compared n² / 2
    times.

    Tuples' hashes are the same in every process, and those of (-1,) and (-2,) are equal: they are
    found at will.
    """
    if len(keys) <= MAX_ALIKE:
        return False
    met = array(
        "I", bytes(4 << 16)
    )  # by 16 bits of the hash: of keys that no file has too many of, a few each
    for key in keys:
        if key.__class__ is tuple:
            place = hash(key) & 0xFFFF
            met[place] += 1
            if met[place] > MAX_ALIKE + len(keys) // 4096:
                return True
    return False


def _is_of_numbers(key: object) -> bool:
    numbers: tuple[object, ...] = key if key.__class__ is tuple else (key,)
    return all(number.__class__ is int and LEAST <= number < MOST for number in numbers)


def _as_text(key: object) -> str:
    """A key of whole numbers: "3", and of a tuple "3,4", "3," or ","."""
    if not isinstance(key, tuple):
        return str(key)
    return ",".join(map(str, key)) + "," * (len(key) < 2)


def _order(key: object) -> tuple[object, ...]:
    if key.__class__ is tuple:
        return ("tuple", tuple(map(_order, key)))
    if isinstance(key, int | float):
        return ("number", key != key, key)  # NaN last
    return (type(key).__name__, key is not None and key)


def _dtype(dtype: np.dtype[Any]) -> str:
    return dtype.newbyteorder("<").str


def _described(thing: object) -> str:
    kind = type(thing)
    if isinstance(thing, type):
        return f"the class {thing.__name__}"
    return f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def _hint(thing: object) -> str:
    known = _HINTS.get(type(thing).__name__)
    if known is not None and type(thing).__module__.startswith("framework."):
        return known
    if isinstance(thing, tuple | list | dict | set | str | int | float):
        return "save what it is made of, in a plain list, dict, tuple or number"
    if type(thing).__module__.partition(".")[0] in (
        "framework",
        "pyglet",
        "moderngl",
        "builtins",
        "_io",
        "_thread",
    ):
        return _MADE_ANEW
    return f"give {type(thing).__name__} a declaration: saved = ('name', 'of_another')"


_MADE_ANEW = "save what it is made from, and make it anew in after_load()"
_HINTS = {
    "TextBatch": (
        f"{_MADE_ANEW}: the strings, as in saved = ('score',), and in after_load() label.text = …"
    ),
    "Label": "save its text as a string, and set it in after_load(): label.text = …",
    "Schedule": (
        "save how long each thing has yet to wait, in seconds, and schedule it in after_load()"
    ),
    "Task": (
        "save how long it has yet to wait, in seconds, and schedule it in after_load(), "
        "its task before cancelled"
    ),
}
"""What to do instead, by the names of the framework's own classes."""


# -- generators of random numbers ------------------------------------------------------------------

_BUFFERED = (("has_uint32", 0, 2), ("uinteger", 0, 1 << 32))
_PCG = (("state.state", 0, 1 << 128), ("state.inc", 0, 1 << 128), *_BUFFERED)
GENERATORS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "PCG64": _PCG,
    "PCG64DXSM": _PCG,
    "MT19937": (("state.key", 624, 1 << 32), ("state.pos", 0, 625)),
    "Philox": (
        ("state.counter", 4, 1 << 64),
        ("state.key", 2, 1 << 64),
        ("buffer", 4, 1 << 64),
        ("buffer_pos", 0, 5),
        *_BUFFERED,
    ),
    "SFC64": (("state.state", 4, 1 << 64), *_BUFFERED),
}
"""Of each kind, the parts of its state: where it is, how many numbers it has (0: itself is one),
and their limit.
"""


def _flat(state: object, kind: str) -> list[int]:
    numbers: list[int] = []
    for where, count, _ in GENERATORS[kind]:
        part: Any = state
        for step in where.split("."):
            part = part[step]
        numbers += [int(number) for number in part] if count else [int(part)]
    return numbers


def generator_state(kind: str, numbers: Sequence[object]) -> dict[str, Any]:
    """The state of a bit generator, of numbers in their order. Raises `ValueError` for what is
    none.
    """
    state: dict[str, Any] = {"bit_generator": kind}
    left = iter(numbers)
    if len(numbers) != sum(count or 1 for _, count, _ in GENERATORS[kind]):
        raise ValueError(f"a {kind} with {len(numbers)} numbers")
    for where, count, limit in GENERATORS[kind]:
        part: Any = [_below(next(left), limit) for _ in range(count or 1)]
        inner, steps = state, where.split(".")
        for step in steps[:-1]:
            inner = inner.setdefault(step, {})
        inner[steps[-1]] = (
            np.array(part, np.uint32 if limit == 1 << 32 else np.uint64) if count else part[0]
        )
    return state


def _below(number: object, limit: int) -> int:
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError("a number that is no part of a generator's state")
    return number


def python_state(numbers: Sequence[object]) -> tuple[object, ...]:
    """The state of a `random.Random`. Raises `ValueError` for what is none."""
    if (
        len(numbers) != 627
        or numbers[0] != 3
        or not (numbers[-1] is None or type(numbers[-1]) is float)
    ):
        raise ValueError("a state of another generator")
    words = [_below(number, 1 << 32) for number in numbers[1:625]]
    return 3, (*words, _below(numbers[625], 625)), numbers[-1]
