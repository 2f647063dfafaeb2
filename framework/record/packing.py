"""Convert the saved attributes of a game to the JSON text of a save.

    3, 0.5, true, null, "text", [1, 2]      themselves
    {"key": 1}                              a dict with string keys, none of which begins with "@"
    {"@by": {"3": 1, "3,4": 1, "3,": 1}}    a dict whose keys are integers or tuples of them
    {"@dict": [[key, value], …]}            any other dict
    {"@tuple": […]}, {"@set": […]}, {"@frozenset": […]}, {"@deque": [maximum length or null, […]]}
    {"@float": "nan"}, {"@bytes": base64}
    {"@array": [dtype, [shape]]} its numbers are elsewhere in the file, in the order of the arrays
    {"@scalar": [dtype, value]}             a NumPy scalar
    {"@random": [kind, numbers]}            the state of a random generator
    {"@member": [class, name]}              an enum member
    {"@object": [class, {name: value}]}     an object with a declaration of its own
    {"@rows": [count, {column: array}, {column: [hash of the meaning of each number]}, further]}
                                            further: {"ids": [next id, array]} if rows were ever
                                            removed, {"objects": {column: [value of each row]}} for
                                            columns of objects; may be left out
    {"@row": [number of the batch, row]}    a handle of a row
    {"@part": [kind, {name: value}]}        a running routine, or an object of one: see the module
                                            `routine_packing`
    {"@same": number}                       an object that came before, by its number, from 0

Each list, dict, set, deque, array, object, random generator and batch is numbered, in the order in
which they start in the JSON text. The values of object columns are written last, because they may
refer to rows of any batch.
"""

from __future__ import annotations

import base64
import collections
import dataclasses
import enum
import functools
import math
import random
from array import array
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ..checks import shown
from ..errors import FrameworkError
from ..state.columns import Codes, Table, TableColumn, Tabular
from ..state.nodes import AtNodes
from ..state.rows import Handle, further_rows, noun_of, rows_can_be_saved, table_of
from ..timing.routines import Routine
from .digests import hashes_of_codes
from .routine_packing import RoutinePacking
from .stable_names import IN_FILES

MAX_DEPTH = 64
"""The maximum depth of nested lists, dicts and objects in a save."""
MAX_DIMENSIONS = 8
"""The maximum number of dimensions of a saved array."""
MAX_GENERATORS = 500
"""The maximum number of random generators in one save."""
DTYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8")
"""The dtypes that a saved array can have."""
MAX_ALIKE = 200
"""The maximum number of tuples with the same hash, as keys of a dict or items of a set. With more
tuples, loading would take too long.
"""
MIN_INTEGER = -(1 << 63)
MAX_INTEGER = (1 << 64) - 1
"""The smallest and the largest integer in a save, which are the limits of int64 and uint64."""
SCALARS = (str, int, float, bool, bytes, type(None))
"""The classes of values that can be keys of a saved dict or items of a saved set. Tuples of such
values can be keys and items, too.
"""

Json = object
"""A value that `json.dumps` can write."""


def declared(kind: type) -> tuple[str, ...]:
    """Return the names of saved attributes that a class and its base classes list in ``saved``.

    For a dataclass without ``saved``, return the names of all fields. Raises `FrameworkError` if
    ``saved`` is not a tuple or list of names.
    """
    names: dict[str, None] = {}
    has_declaration = False
    for cls in reversed(kind.__mro__):
        saved_names: object = vars(cls).get("saved", ())
        has_declaration = has_declaration or "saved" in vars(cls)
        if (
            isinstance(saved_names, str)
            or not isinstance(saved_names, tuple | list)
            or not all(map(_is_name, saved_names))
        ):
            raise FrameworkError(
                "saved: expected a tuple of names of attributes in "
                f"{cls.__qualname__}, as in ('score', 'level'), "
                f"got {shown(saved_names)}"
            )
        names.update(dict.fromkeys(saved_names))
    if not has_declaration and dataclasses.is_dataclass(kind):
        return tuple(field.name for field in dataclasses.fields(kind))
    return tuple(names)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier()


def can_be_saved(kind: type) -> bool:
    """Return whether objects of this class have attributes to save."""
    return bool(declared(kind))


def saved_columns(table: Table) -> dict[str, TableColumn]:
    """Return the columns of a table that a save contains, as a dict whose keys are the names of the
    columns.
    """
    own = None if table.observer is None else table.observer.column
    return {
        column.name: column
        for column in table.columns
        if column is not own and column.name not in table.derived
    }


def saved_rows(batch: Tabular[Table]) -> dict[str, tuple[NDArray[Any], Codes | None]]:
    """Return the arrays that a save contains for the rows of a batch, as a dict from column names
    to pairs. The first item of a pair is an array with one value per row. If the array contains
    indices of images, clips or states, the second item is a list of these objects, otherwise None.
    """
    table = table_of(batch)
    rows = {
        name: (column.current(table.count), table.codes.get(name))
        for name, column in saved_columns(table).items()
    }
    return rows | further_rows(batch)


def shows_nodes(batch: object) -> TypeGuard[AtNodes]:
    """Return whether the batch draws its rows at nodes. In a save, nodes come before the batches
    that are drawn at them.
    """
    return isinstance(batch, AtNodes)


class Packer:
    """Converts the values of a save to JSON. ``array(values)`` stores an array, and returns JSON
    that refers to this array. ``routines()`` returns an object that converts running routines. It
    is called only if the save contains routines.
    """

    def __init__(
        self,
        array: Callable[[NDArray[Any]], Json],
        routines: Callable[[], RoutinePacking] | None = None,
    ) -> None:
        self._array = array
        self._make_routines = routines
        self._numbers: dict[int, int] = {}
        # the list keeps the objects alive, so that their ids stay unique
        self._kept: list[object] = []
        self._depth = 0
        self._generators = 0
        # The columns of objects that `finish` converts. Each item has the dict, the name, the
        # values and the path.
        self._waiting: list[tuple[dict[str, Json], str, list[object], str]] = []

    def finish(self) -> None:
        """Convert the columns that contain objects. Call this method after all batches have been
        converted, because the objects may refer to rows of any batch.
        """
        for objects, name, values, path in self._waiting:  # the loop may append items to the list
            objects[name] = self._values(values, path)
        self._waiting.clear()

    def batches(self, obj: object, path: str) -> dict[str, Json]:
        """Return the saved batches of an object as JSON. Call `batches` before you convert other
        values, because these values may refer to rows of the batches.
        """
        values = self._declared(obj, path)
        names = sorted(values, key=lambda name: shows_nodes(values[name]))
        kind: type = obj.__class__
        file_names = IN_FILES.field_names(kind)
        return {
            file_names.get(name, name): self.value(values[name], f"{path}.{name}")
            for name in names
            if rows_can_be_saved(values[name])
        }

    def attributes(self, obj: object, path: str, without: Container[str] = ()) -> dict[str, Json]:
        """Return the saved attributes of an object as JSON, batches first, but leave out the
        attributes ``without``.

        Raises `FrameworkError` if a value cannot be saved. The error message contains the path of
        the value.
        """
        values = self._declared(obj, path)
        names = sorted(
            values,
            key=lambda name: (
                not rows_can_be_saved(values[name]),
                shows_nodes(values[name]),
                isinstance(values[name], Routine),  # routines may refer to all other values
            ),
        )
        kind: type = obj.__class__
        file_names = IN_FILES.field_names(kind)
        return {
            file_names.get(name, name): self.value(values[name], f"{path}.{name}")
            for name in names
            if file_names.get(name, name) not in without
        }

    def _declared(self, obj: object, path: str) -> dict[str, object]:
        values: dict[str, object] = {}
        for name in declared(type(obj)):
            try:
                values[name] = getattr(obj, name)
            except AttributeError:
                self._fail(path, f"has no {name!r}, which {type(obj).__name__} declares in saved")
        return values

    def value(self, value: object, path: str) -> Json:
        """Convert a value to JSON. Raises `FrameworkError` if the value cannot be saved. The error
        message contains ``path``.
        """
        kind = value.__class__
        if kind is str or kind is bool or value is None:
            return value
        if value.__class__ is int:
            if not MIN_INTEGER <= value <= MAX_INTEGER:
                self._fail(path, "is a whole number of more than 64 bits")
            return value
        if value.__class__ is float:
            return value if math.isfinite(value) else {"@float": repr(value)}
        if value.__class__ is bytes:
            return {"@bytes": base64.b64encode(value).decode("ascii")}
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(path, f"is nested more than {MAX_DEPTH} levels deep")
        packed = self._composed(value, kind, path)
        self._depth -= 1
        return packed

    def _composed(self, obj: object, kind: type, path: str) -> Json:
        if obj.__class__ is tuple:
            return {"@tuple": self._values(obj, path)}
        if obj.__class__ is frozenset:
            return {"@frozenset": self._members(obj, path)}
        if isinstance(obj, np.generic):
            self._check_dtype(obj.dtype, path)
            return {"@scalar": [_dtype(obj.dtype), self.value(obj.item(), path)]}
        if isinstance(obj, enum.Enum):
            return {"@member": [IN_FILES.name_of(kind), obj.name]}
        if isinstance(obj, Handle):
            return self._handle(obj, path)
        number = self._numbers.setdefault(id(obj), len(self._numbers))
        if number < len(self._kept):
            return {"@same": number}
        self._kept.append(obj)
        pack = _PACKERS.get(kind)
        if pack is not None:
            return pack(self, obj, path)
        if isinstance(obj, np.ndarray) and not isinstance(obj, np.ma.MaskedArray):
            self._check_dtype(obj.dtype, path)
            if obj.ndim > MAX_DIMENSIONS:
                self._fail(
                    path, f"has {obj.ndim} dimensions, at most {MAX_DIMENSIONS} can be saved"
                )
            return {"@array": self._array(obj)}
        if isinstance(obj, np.random.Generator):
            return self._random(obj, path)
        if rows_can_be_saved(obj):
            return {"@rows": self._rows(obj, path)}
        if self._routines is not None:
            part = self._routines.part(obj, functools.partial(self._fail, path))
            if part is not None:
                return self._part(*part, path)
        if can_be_saved(kind):
            return {"@object": [IN_FILES.name_of(kind), self.attributes(obj, path)]}
        return self._fail(path, f"is {_described(obj)}, which cannot be saved; {_hint(obj)}")

    @functools.cached_property
    def _routines(self) -> RoutinePacking | None:
        return None if self._make_routines is None else self._make_routines()

    def _part(self, kind: str, fields: Mapping[str, object], path: str) -> Json:
        """Return the JSON for an object of a routine, such as a frame or the current position in a
        loop. In error messages, the path of a local variable contains the name of the function.
        """
        pieces: Any = fields.get("pieces", ())
        for target in [piece["target"] for piece in pieces]:
            is_named = self._routines is not None and self._routines.is_named(target)
            if not is_named and not isinstance(target, Handle) and id(target) not in self._numbers:
                what = f"moves a {type(target).__name__}, which is not saved: name it in saved"
                self._fail(path, f"is a tween that {what} of the game or the scene")
        inner = f"{path}.{fields['function']}()" if kind == "frame" else path
        return {"@part": [kind, {name: self.value(fields[name], inner) for name in fields}]}

    def _values(self, values: Collection[object], path: str) -> list[Json]:
        return [self.value(value, f"{path}[{index}]") for index, value in enumerate(values)]

    def _members(self, members: Collection[object], path: str) -> list[Json]:
        """Return the items of a set as JSON. The order of the items is the same in every
        process.
        """
        self._check_alike(members, path)
        for member in members:
            self._check_key(member, path)
        return self._values(sorted(members, key=_order), path)

    def _check_alike(self, keys: Collection[object], path: str) -> None:
        if too_alike(keys):
            self._fail(
                path,
                f"has more than {MAX_ALIKE} tuples with the same hash as keys; a file like this "
                "is refused when it is loaded",
            )

    def _dict(self, mapping: Mapping[object, object], path: str) -> Json:
        if all(key.__class__ is str and not key.startswith("@") for key in mapping):
            return {key: self.value(value, f"{path}[{key!r}]") for key, value in mapping.items()}
        self._check_alike(mapping, path)
        if all(map(_is_of_numbers, mapping)):
            return {
                "@by": {
                    _as_text(key): self.value(value, f"{path}[{key!r}]")
                    for key, value in mapping.items()
                }
            }
        pairs = []
        for key, value in mapping.items():
            self._check_key(key, path)
            pairs.append([self.value(key, path), self.value(value, f"{path}[{key!r}]")])
        return {"@dict": pairs}

    def _deque(self, values: collections.deque[object], path: str) -> Json:
        return {"@deque": [values.maxlen, self._values(values, path)]}

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

    def _handle(self, handle: Handle[Tabular[Table]], path: str) -> Json:
        if handle.removed:
            self._fail(
                path,
                f"is a {noun_of(handle)} that was removed; store None in its place",
            )
        batch = handle.batch
        number = self._numbers.get(id(batch))
        if number is None:
            name = f"{type(batch).__name__}, which is not saved"
            self._fail(
                path,
                f"is a {noun_of(handle)} of a {name}: name the batch in saved of the game or the scene",
            )
        table = table_of(batch)
        table.close_holes()
        return {"@row": [number, handle.row]}

    def _rows(self, batch: Tabular[Table], path: str) -> Json:
        table = table_of(batch)
        self._check_nodes(batch, path)
        table.close_holes()
        kind: type = batch.__class__
        file_names = IN_FILES.field_names(kind)
        columns: dict[str, Json] = {}
        meanings: dict[str, list[int]] = {}
        further: dict[str, Any] = {}
        for column, (values, codes) in saved_rows(batch).items():
            name = file_names.get(column, column)
            if values.dtype.hasobject:
                objects = further.setdefault("objects", {})
                objects[name] = []  # `finish` replaces the list
                self._waiting.append((objects, name, values.tolist(), f"{path}.{column}"))
                continue
            if codes is not None:
                used, numbers = np.unique(values, return_inverse=True)
                hashes = hashes_of_codes(codes)
                meanings[name] = [hashes[number] for number in used.tolist()]
                values = numbers.reshape(-1).astype(values.dtype)
            columns[name] = self._array(values)
        if not table.ids.plain:
            ids = self._array(table.ids.frozen(table.count).rows)
            further["ids"] = [table.ids.next(table.count), ids]
        return [table.count, columns, meanings, *([further] if further else [])]

    def _check_nodes(self, batch: Tabular[Table], path: str) -> None:
        """Raise `FrameworkError` if a batch is drawn at nodes that the save does not contain."""
        if shows_nodes(batch) and id(batch.nodes) not in self._numbers:
            nodes = (
                f"the {type(batch.nodes).__name__} in saved, too, of the game or of the same scene"
            )
            self._fail(path, f"is drawn at nodes that are not saved: name {nodes}")

    def _random(self, generator: np.random.Generator | random.Random, path: str) -> Json:
        self._generators += 1
        if self._generators > MAX_GENERATORS:
            self._fail(
                path,
                f"is one of more than {MAX_GENERATORS} random generators; share them",
            )
        if isinstance(generator, random.Random):
            state: tuple[int, tuple[int, ...], float | None] = generator.getstate()
            version, words, normal = state
            return {"@random": ["Random", [version, *words, normal]]}
        bits = generator.bit_generator
        kind = type(bits).__name__
        if kind not in GENERATORS:
            self._fail(
                path,
                f"is a random generator of the kind {kind}; use one of {', '.join(GENERATORS)}",
            )
        return {"@random": [kind, _flat(bits.state, kind)]}

    def _fail(self, path: str, what: str) -> NoReturn:
        raise FrameworkError(f"save: {path} {what}")


_PACKERS: dict[type, Callable[[Packer, Any, str], Json]] = {
    list: Packer._values,
    dict: Packer._dict,
    set: lambda packer, members, path: {"@set": packer._members(members, path)},
    collections.deque: Packer._deque,
    random.Random: Packer._random,
}


def is_key(key: object) -> bool:
    """Return whether a value can be a key in a saved dict or an item in a saved set."""
    return key.__class__ in SCALARS or (key.__class__ is tuple and all(map(is_key, key)))


def too_alike(keys: Collection[object]) -> bool:
    """Return whether more than `MAX_ALIKE` tuples in ``keys`` have the same hash.

    If n tuples have equal hashes, Python performs about n² / 2 comparisons to put the tuples into a
    dict. If n is large, this takes a long time. A tuple of numbers has the same hash in every
    process: (-1,) and (-2,), for example, always have equal hashes. An attacker could therefore
    write a file with many such tuples.
    """
    if len(keys) <= MAX_ALIKE:
        return False
    # Count the keys with the same 16 bits of the hash. In a normal file, the counts are small.
    counts = array("I", bytes(4 << 16))
    for key in keys:
        if key.__class__ is tuple:
            index = hash(key) & 0xFFFF
            counts[index] += 1
            if counts[index] > MAX_ALIKE + len(keys) // 4096:
                return True
    return False


def _is_of_numbers(key: object) -> bool:
    numbers: tuple[object, ...] = key if key.__class__ is tuple else (key,)
    return all(
        number.__class__ is int and MIN_INTEGER <= number <= MAX_INTEGER for number in numbers
    )


def _as_text(key: object) -> str:
    """Return a key of a dict as text. The integer 3 becomes "3". A tuple of integers becomes a text
    with commas: (3, 4) becomes "3,4", (3,) becomes "3,", and () becomes ",".
    """
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


def _described(obj: object) -> str:
    kind = type(obj)
    if isinstance(obj, type):
        return f"the class {obj.__name__}"
    return f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def _hint(obj: object) -> str:
    hint = _HINTS.get(type(obj).__name__)
    if hint is not None and type(obj).__module__.startswith("framework."):
        return hint
    if isinstance(obj, tuple | list | dict | set | str | int | float):
        return "save its contents as a plain list, dict, tuple or number"
    if type(obj).__module__.partition(".")[0] in (
        "framework",
        "pyglet",
        "moderngl",
        "builtins",
        "_io",
        "_thread",
    ):
        return _RECREATE
    return f"give {type(obj).__name__} a declaration: saved = ('name', 'of_another')"


_RECREATE = "save its source, and create it again in after_load()"
_HINTS = {
    "TextBatch": (
        f"{_RECREATE}: the strings, as in saved = ('score',), and in after_load() label.text = …"
    ),
    "Label": "save its text as a string, and set it in after_load(): label.text = …",
    "Schedule": (
        "save how long each task has yet to wait, in seconds, and schedule it in after_load()"
    ),
    "Task": (
        "save how long it has yet to wait, in seconds, and schedule it in after_load(), "
        "its task before cancelled"
    ),
}
"""A dict from names of classes to hints for error messages. A hint explains what to save instead of
an object.
"""


# -- random generators -----------------------------------------------------------------------------

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
"""The numbers in the state of each kind of random generator. Each item of a tuple contains a path
in the state, the count of numbers, and the limit of each number. The count is 0 for a single
number.
"""


def _flat(state: object, kind: str) -> list[int]:
    numbers: list[int] = []
    for path, count, _ in GENERATORS[kind]:
        part: Any = state
        for step in path.split("."):
            part = part[step]
        numbers += [int(number) for number in part] if count else [int(part)]
    return numbers


def generator_state(kind: str, numbers: Sequence[object]) -> dict[str, Any]:
    """Return the state of a NumPy bit generator from the numbers in a save. Raises `ValueError` if
    ``numbers`` are not a valid state.
    """
    state: dict[str, Any] = {"bit_generator": kind}
    remaining = iter(numbers)
    if len(numbers) != sum(count or 1 for _, count, _ in GENERATORS[kind]):
        raise ValueError(f"a {kind} with {len(numbers)} numbers")
    for path, count, limit in GENERATORS[kind]:
        part: Any = [_below(next(remaining), limit) for _ in range(count or 1)]
        inner = state
        steps = path.split(".")
        for step in steps[:-1]:
            inner = inner.setdefault(step, {})
        inner[steps[-1]] = (
            np.array(part, np.uint32 if limit == 1 << 32 else np.uint64) if count else part[0]
        )
    return state


def _below(number: object, limit: int) -> int:
    if type(number) is not int or not 0 <= number < limit:
        raise ValueError("an invalid number in the state of a random generator")
    return number


def python_state(numbers: Sequence[object]) -> tuple[object, ...]:
    """Return a state for `random.Random.setstate` from the numbers in a save. Raises `ValueError`
    if ``numbers`` are not a valid state.
    """
    if (
        len(numbers) != 627
        or numbers[0] != 3
        or not (numbers[-1] is None or type(numbers[-1]) is float)
    ):
        raise ValueError("an invalid state of a random generator")
    words = [_below(number, 1 << 32) for number in numbers[1:625]]
    return 3, (*words, _below(numbers[625], 625)), numbers[-1]
