"""Hashes of a game's state that are the same wherever the state is, and the first place where two
states differ.

What is hashed does not depend on addresses, on Python's seed for hashes, on the order of a set's
members, on the sign of a zero or the bits of a NaN. It does depend on the order of a dict's keys,
in which a game may iterate, and on what is the same object: each is numbered when the walk, breadth
first, meets it for the first time, and referred to by its number. Parts are joined in order and
hashed together with xxh3; nothing is ever combined by XOR, in which two equal parts would cancel.
"""

from __future__ import annotations

__all__ = ["Difference", "first_difference"]

import array
import collections
import functools
import marshal
import math
import os
import random
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter, itemgetter
from pathlib import PurePath
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from ..checks import instance
from ..errors import FrameworkError
from ..state.columns import Codes, Column, Frozen, Table
from ..state.rows import Handle, RowSet, table_of
from .snapshots import GONE, has_dict, left_alone, slots_of, step_to, unnamed

SCHEME = 2
"""The number of the scheme by which states are hashed. A recording stores it, and hashes of another scheme are not
compared. It goes up when the same state gets another hash: when a class or an attribute of the framework that is part
of the state is renamed, added or removed. Recordings without a number have scheme 1."""

_PLAIN = frozenset({int, str, bool, type(None), bytes})
_NAN = math.nan
_VERSION = (
    2  # of marshal's format: the last one that does not refer back to objects that it has seen
)

Listing = dict[str, Any]
"""What a state consists of, by path: plain values, arrays, and `Same` for what was met before."""


@dataclass(frozen=True)
class Same:
    """Stands for a thing that is listed at another path."""

    path: str


def digest(value: Any) -> int:
    """xxh3 of what marshal can write."""
    return int(xxhash.xxh3_64_intdigest(marshal.dumps(value, _VERSION)))


# -- arrays ----------------------------------------------------------------------------------------


def digest_of_array(values: NDArray[Any]) -> int:
    """xxh3 of an array's numbers, its dtype and its shape; a zero has no sign, and all NaN are
    one.
    """
    dtype = values.dtype
    if not values.flags.c_contiguous:
        values = np.ascontiguousarray(values)
    if dtype not in _SIMPLE or sys.byteorder == "big":
        if dtype.hasobject or dtype.kind in "VmM":
            return digest([dtype.str, repr(values.tolist())])
        values = _simplified(values)
    seed = _seed(dtype, values.shape)
    if values.dtype.kind == "f":
        values = _canonical(values)
    return int(_xxh3(values, seed))


_SIMPLE = frozenset([np.dtype(kind) for kind in ("f4", "f8", "i4", "i8", "?", "u1", "u4", "i2")])


def _simplified(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers in the order of bytes and of a kind that this module looks into."""
    dtype = values.dtype
    if dtype.kind == "c":
        values = values.view(f"{dtype.byteorder}f{dtype.itemsize // 2}")
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = values.astype("f8")
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


@functools.lru_cache(maxsize=4096)
def _seed(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    return digest([dtype.newbyteorder("<").str, shape])


def _canonical(values: NDArray[Any]) -> NDArray[Any]:
    """Contiguous floats with no -0 and one NaN: themselves, where they are so, which as a rule is
    told by two looks.

    Of the bits as whole numbers, those of -0 are the lowest there are; the smallest of numbers is
    NaN where any is.
    """
    flat = values.reshape(-1)
    if not flat.size:
        return values
    least = _minimum(flat).item()
    if least > 0:  # and so is all of it
        return values
    nan, (integer, lowest) = math.isnan(least), _BITS[flat.itemsize]
    if not nan and _minimum(flat.view(integer)).item() != lowest:
        return values
    flat = flat.copy()
    if nan:
        flat[np.isnan(flat)] = np.nan
    flat += 0  # -0 becomes 0
    return flat


_minimum = np.minimum.reduce
_xxh3: Any = xxhash.xxh3_64_intdigest
_BITS = {size: (np.dtype(f"i{size}"), -(1 << (8 * size - 1))) for size in (2, 4, 8)}


def _values_of(table: Table, column: Column) -> NDArray[Any]:
    """What the rows hold that are not gone, or the hashes of what their numbers stand for."""
    rows = column.current(table.count)
    if table.holes:
        rows = np.delete(rows, list(table.holes), axis=0)
    codes = table.codes.get(column.name)
    if codes is None:
        return rows
    hashes = np.array(hashes_of_codes(codes), np.uint64)
    return hashes[rows] if len(rows) else rows  # of none, whatever images there once were


def hashes_of_codes(codes: Codes) -> list[int]:
    for thing in codes.things[len(codes.hashes) :]:
        codes.hashes.append(hash_of_picture(thing))
    return codes.hashes


def hash_of_picture(source: Any) -> int:
    """Of a path, of an array, of a Pillow image, or of a region of one of these; or of a name, as
    clips have them.
    """
    if isinstance(source, str | os.PathLike):
        return digest(PurePath(source).as_posix())
    if isinstance(source, np.ndarray):
        return digest_of_array(source)
    if hasattr(source, "then"):  # one that a thread decodes
        return hash_of_picture(source.source)
    if hasattr(source, "blank"):  # a `RenderTexture`: what it shows follows from the game
        return digest(source.size)
    if hasattr(source, "tobytes"):
        return digest([source.mode, source.size, source.tobytes()])
    return digest([hash_of_picture(source.source), repr(source.box), repr(source.anchor)])


# -- the walk --------------------------------------------------------------------------------------


_ASIDE = -1  # the number of what is no state

_name_of = attrgetter("name")

Described = tuple[Any, tuple[str, ...] | None, Sequence[Any]]
"""What a thing is, in what marshal can write; the names of its parts, None for their numbers; and
its parts.
"""


def state_hash(roots: Mapping[str, Any], aside: Sequence[object] = ()) -> int:
    """One number for all that can be reached from ``roots``, things or values by their paths, but
    for what is ``aside``."""
    out: list[Any] = []
    queue: list[Any] = []
    numbers = dict.fromkeys(map(id, aside), _ASIDE)
    try:
        _append(roots.values(), out, numbers, queue)
        known = _describers
        for thing in queue:  # which grows meanwhile
            try:
                describe = known[thing.__class__]
            except KeyError:
                describe = _describer_of(thing.__class__)
            head, names, parts = describe(thing)
            out += head, len(parts) if names is None else names
            _append(parts, out, numbers, queue)
    except ReferenceError:
        raise FrameworkError(f"state_hash: {GONE}") from None
    return digest(out)


def _append(values: Any, out: list[Any], numbers: dict[int, int], queue: list[Any]) -> None:
    """Each value in what marshal can write: itself, or the number of the thing that it is."""
    append, plain = out.append, _PLAIN
    for value in values:
        kind = value.__class__
        if kind in plain:
            append(value)
        elif kind is float:
            append(value + 0.0 if value == value else _NAN)
        elif kind not in _INLINE:
            number = numbers.setdefault(id(value), len(queue))
            if number == len(queue):  # it is new
                queue.append(value)
            append([number])
        elif kind is Column:  # its table has it
            append(None)
        elif kind is tuple:
            inner: list[Any] = []
            _append(value, inner, numbers, queue)
            append(tuple(inner))
        else:
            append(_INLINE[kind](value))


def listing(roots: Mapping[str, Any], aside: Sequence[object] = ()) -> Listing:
    """All values that `state_hash` goes by, each at the shortest path that leads to it; arrays are
    copies.
    """
    leaves: Listing = {}
    queue: list[tuple[Any, str]] = []
    paths = dict.fromkeys(map(id, aside), "")

    def put(path: str, value: Any) -> None:
        kind = value.__class__
        if kind in _PLAIN or kind is float:
            leaves[path] = value
        elif kind is Column:  # its table has it
            return
        elif kind in _INLINE:
            leaves[path] = _INLINE[kind](value)
            for index, part in enumerate(value if kind is tuple else ()):
                put(f"{path}[{index}]", part)
        elif id(value) in paths:
            leaves[path] = Same(paths[id(value)])
        else:
            paths[id(value)] = path
            queue.append((value, path))

    for path, value in roots.items():
        put(path, value)
    for thing, path in queue:
        if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
            leaves[path] = thing.copy()
            continue
        head, names, parts = _described(thing)
        columns = _columns_of(thing) if isinstance(thing, Table) else []
        # Of two at one path, as a scene and its works, the first is what a reader looks for.
        leaves.setdefault(f"{path}.rows" if isinstance(thing, Table) else path, (head, len(parts)))
        for column in columns:
            leaves[f"{path}.{column.name}"] = _values_of(thing, column).copy()
        for index, part in enumerate(parts):
            if index >= len(columns):
                put(path + (f"[{index}]" if names is None else names[index]), part)
    return leaves


def hashes(leaves: Listing) -> dict[str, int]:
    """The hash of each value of a listing."""
    return {path: digest_of(value) for path, value in leaves.items()}


def digest_of(value: Any) -> int:
    """The hash of one value of a listing."""
    if isinstance(value, np.ndarray):
        return digest_of_array(value)
    out: list[Any] = []
    _append([value.path if isinstance(value, Same) else value], out, {}, [])
    return digest(["same", *out] if isinstance(value, Same) else out)


# -- what each kind of thing consists of -----------------------------------------------------------


def _name(kind: type) -> str:
    return kind.__qualname__


_INLINE: dict[type, Callable[[Any], Any]] = {
    Fraction: lambda value: ("fraction", value.numerator, value.denominator),
    Decimal: lambda value: ("decimal", str(value)),
    complex: lambda value: (
        ("complex", value.real + 0.0, value.imag + 0.0) if value == value else ("complex", _NAN)
    ),
    type: lambda value: ("class", value.__qualname__),
    types.ModuleType: lambda value: ("module", value.__name__),
    range: lambda value: ("range", value.start, value.stop, value.step),
    type(Ellipsis): lambda value: ("...",),
    Column: lambda value: None,  # its table has it
    tuple: lambda value: ("tuple", len(value)),  # whose parts stand beside it
}


def _scalar(value: Any) -> Any:
    plain = value.item()
    if plain.__class__ is float:
        plain = plain + 0.0 if plain == plain else _NAN
    return (
        value.dtype.str,
        plain if plain.__class__ in _PLAIN or plain.__class__ is float else repr(plain),
    )


_INLINE.update({kind: _scalar for kind in np.sctypeDict.values() if isinstance(kind, type)})


def _describe_list(thing: Any) -> Described:
    return _name(thing.__class__), None, thing


def _describe_dict(thing: Any) -> Described:
    if not thing:
        return ("dict", ()), (), ()
    keys = [
        key if key.__class__ in _PLAIN else repr(key) if key.__class__ in _ORDERED else None
        for key in thing
    ]
    if None not in keys or None in thing:
        return ("dict", tuple(keys)), tuple([f"[{key!r}]" for key in thing]), list(thing.values())
    parts = [part for pair in thing.items() for part in pair]
    return "dict of things", None, parts


# Keys whose repr says all.
_ORDERED = frozenset({float, Fraction, Decimal, complex})


def _describe_default(thing: Any) -> Described:
    head, names, parts = _describe_dict(thing)
    if thing.default_factory is None or thing.default_factory.__class__ is type:
        return head, names, parts
    steps = tuple([f"[{index}]" for index in range(len(parts))]) if names is None else names
    return head, (*steps, ".default_factory"), [*parts, thing.default_factory]


def _describe_set(thing: Any) -> Described:
    shallow = sorted([(_shallow(value), index) for index, value in enumerate(thing)])
    values = list(thing)
    return (
        (_name(thing.__class__), tuple([key for key, _ in shallow])),
        None,
        [values[index] for _, index in shallow],
    )


@functools.lru_cache(maxsize=4096)
def _digest_of_text(text: str) -> int:
    return digest([text])


def _shallow(value: Any) -> int:
    """A member of a set without what it refers to, by which members are put into an order."""
    if value.__class__ is str:  # as in most sets, which hold the same ones for long
        return _digest_of_text(value)
    out: list[Any] = []
    seen: list[Any] = []
    _append([value], out, {}, seen)
    for thing in seen[:1]:
        head, names, parts = _described(thing)
        out += [head, tuple(names or ())]
        _append(
            [part for part in parts if part.__class__ in _PLAIN or part.__class__ is float],
            out,
            {},
            [],
        )
    return digest(out)


def _describe_array(thing: Any) -> Described:
    if thing.dtype.hasobject:
        return ("array", thing.shape), None, thing.ravel().tolist()
    return ("array", digest_of_array(thing)), None, ()


def _describe_bytes(thing: Any) -> Described:
    return ("bytes", bytes(thing)), None, ()


def _describe_method(thing: Any) -> Described:
    return ("method", thing.__func__.__qualname__), (".__self__",), (thing.__self__,)


def _describe_builtin(thing: Any) -> Described:
    return ("builtin", thing.__qualname__), (".__self__",), (thing.__self__,)


def _describe_partial(thing: Any) -> Described:
    return "partial", (".func", ".args", ".keywords"), (thing.func, thing.args, thing.keywords)


def _describe_function(thing: Any) -> Described:
    head = ("function", thing.__qualname__)
    if "<locals>" not in thing.__qualname__:
        return head, None, ()
    names = [f".{name}" for name in thing.__code__.co_freevars]
    return head, (*names, ".__defaults__"), [*(thing.__closure__ or ()), thing.__defaults__]


def _describe_cell(thing: Any) -> Described:
    try:
        return "cell", ("",), (thing.cell_contents,)
    except ValueError:
        return "empty cell", None, ()


def _describe_generator(thing: Any) -> Described:
    return _describe_bits(thing.bit_generator)


def _describe_bits(thing: Any) -> Described:
    state = thing.state
    spawned = getattr(thing.seed_seq, "n_children_spawned", 0)
    if spawned:
        return ("random", _numbers(state), spawned), None, ()
    if thing.__class__ is np.random.PCG64:  # as most of them are
        inner = state["state"]
        return (
            ("random", inner["state"], inner["inc"], state["has_uint32"], state["uinteger"]),
            None,
            (),
        )
    return ("random", _numbers(state)), None, ()


def _numbers(state: Any) -> Any:
    """The state of a random generator in what marshal can write."""
    if isinstance(state, dict):
        return tuple([(key, _numbers(value)) for key, value in state.items()])
    return digest_of_array(state) if isinstance(state, np.ndarray) else state


def _describe_random_state(thing: Any) -> Described:
    return ("random", _numbers(thing.get_state(legacy=False))), None, ()


def _describe_random(thing: Any) -> Described:
    return ("random", thing.getstate()), None, ()


def _describe_table(thing: Any) -> Described:
    """Each column by its hash, which is kept until somebody may have written to it."""
    columns, holes, digests = _columns_of(thing), thing.holes, []
    for column in columns:
        kept = column.frozen  # as a rule nothing was written since the last one: without the calls
        if kept is None or holes or kept.digest is None or column.is_viewed():
            kept = Frozen() if holes else column.kept()
            if kept.digest is None:
                kept.digest = digest_of_array(_values_of(thing, column))
        digests.append(kept.digest)
    return ("rows", thing.count - len(holes)), _steps_of(tuple(map(_name_of, columns))), digests


def _columns_of(table: Table) -> list[Column]:
    """Those that are state."""
    own, derived = table.observer.column if table.observer is not None else None, table.derived
    if own is None and not derived:
        return table.columns
    return [column for column in table.columns if column.name not in derived and column is not own]


@functools.lru_cache(maxsize=256)
def _steps_of(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple([f".{name}" for name in names])


def _describe_handle(thing: Any) -> Described:
    if thing.removed:
        return (_name(thing.__class__), "removed"), None, ()
    batch, row = thing.batch, thing.row
    holes = table_of(batch).holes  # that will close up
    row -= len([hole for hole in holes if hole < row]) if holes else 0
    return _name(thing.__class__), (".row", ".batch"), (row, batch)


def _describe_rows(thing: Any) -> Described:
    return (_name(thing.__class__), thing.counted().tolist()), (".table",), (thing.table,)


def _describe_nothing(thing: Any) -> Described:
    return _name(thing.__class__), None, ()


_describers: dict[type, Callable[[Any], Described]] = {
    list: _describe_list,
    dict: _describe_dict,
    set: _describe_set,
    frozenset: _describe_set,
    tuple: _describe_list,
    collections.deque: _describe_list,
    collections.defaultdict: _describe_default,
    collections.Counter: _describe_dict,
    collections.OrderedDict: _describe_dict,
    np.ndarray: _describe_array,
    bytearray: _describe_bytes,
    array.array: _describe_bytes,
    types.MethodType: _describe_method,
    types.BuiltinFunctionType: _describe_builtin,
    types.FunctionType: _describe_function,
    types.CellType: _describe_cell,
    functools.partial: _describe_partial,
    RowSet: _describe_rows,
    np.random.Generator: _describe_generator,
    np.random.RandomState: _describe_random_state,
}

_BASES: list[tuple[type, Callable[[Any], Described]]] = [
    (dict, _describe_dict),
    (list, _describe_list),
    (tuple, _describe_list),
    (collections.deque, _describe_list),
    (set, _describe_set),
    (frozenset, _describe_set),
    (bytearray, _describe_bytes),
    (np.ndarray, _describe_array),
    (Table, _describe_table),
    (Handle, _describe_handle),
    (np.random.BitGenerator, _describe_bits),
    (random.Random, _describe_random),
]


def _described(thing: Any) -> Described:
    return _describer_of(thing.__class__)(thing)


def _describer_of(kind: type) -> Callable[[Any], Described]:
    """How things of a class are described; found out once a class."""
    describe = _describers.get(kind)
    if describe is None:
        describe = _describers[kind] = _describer(kind)
    return describe


def _describer(kind: type) -> Callable[[Any], Described]:
    if left_alone(kind):
        return _describe_nothing
    left = unnamed(kind, "not_state", "not_hashed")
    if left is None:
        return _describe_nothing
    bases = [describe for base, describe in _BASES if issubclass(kind, base)][:1]
    names = _attributes_describer(kind, left)
    if not bases:
        return names
    if not has_dict(kind) and not [name for name in slots_of(kind) if name not in left]:
        return bases[0]

    def describe(thing: Any) -> Described:
        head, steps, parts = bases[0](thing)
        kind_name, more_steps, more = names(thing)
        steps = tuple([f"[{index}]" for index in range(len(parts))]) if steps is None else steps
        return (kind_name, head), (*steps, *(more_steps or ())), [*parts, *more]

    return describe


def _values_at(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Takes the values of these names out of a dict."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda attributes: tuple([attributes[name] for name in names])


_ORDERS = 64  # in which a class has its attributes, that are remembered


def _attributes_describer(kind: type, left: frozenset[str]) -> Callable[[Any], Described]:
    """Of an object: its attributes, in the order of their names."""
    name = _name(kind)
    slots = tuple(sorted(slot for slot in slots_of(kind) if slot not in left))
    get = attrgetter(*slots) if len(slots) > 1 else lambda thing: (getattr(thing, slots[0]),)
    steps = {slot: step_to(kind, slot) for slot in slots}
    all_steps = tuple(steps.values())
    orders: dict[tuple[str, ...], tuple[Callable[[Any], tuple[Any, ...]], tuple[str, ...]]] = {}

    def describe(thing: Any) -> Described:
        attributes = thing.__dict__
        found = tuple(attributes)
        known = orders.get(found)
        if known is None:
            if len(orders) >= _ORDERS:
                orders.clear()
            chosen = sorted([key for key in found if key not in left])
            known = orders[found] = (
                _values_at(chosen),
                tuple([step_to(kind, key) for key in chosen]),
            )
        values, names = known
        return name, names, values(attributes)

    def describe_slots(thing: Any) -> Described:
        try:
            return name, all_steps, get(thing)
        except AttributeError:  # of one that was never set
            names = [slot for slot in slots if hasattr(thing, slot)]
            return (
                name,
                tuple([steps[slot] for slot in names]),
                [getattr(thing, slot) for slot in names],
            )

    def describe_both(thing: Any) -> Described:
        (_, some, held), (_, others, more) = describe_slots(thing), describe(thing)
        return name, (*(some or ()), *(others or ())), [*held, *more]

    if not has_dict(kind):
        return describe_slots if slots else _describe_nothing
    return describe_both if slots else describe


# -- the first difference --------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """Where two states differ first, and how."""

    path: str
    """Of the value, as in "game.ships[2].speed"."""
    row: tuple[int, ...] | None
    """Where in the array at that path; None for what is no array."""
    before: Any
    """The value in the first state; None where it has none."""
    after: Any
    """The value in the second state; None where it has none."""
    ulps: int | None = None
    """Of two floats: how many numbers of their kind lie between them, counting one of them."""

    def __str__(self) -> str:
        row = "" if self.row is None else f"[{', '.join(map(str, self.row))}]"
        before, after = worded(self.before, self.after)
        return f"{self.path}{row}: {before} and {after}{apart(self.ulps)}"


def first_difference(first: Listing, second: Listing) -> Difference | None:
    """Where two listings (of `Game.debug.state_values`) differ first, in the order of the walk; None
    where they do not.
    """
    for name, given in (("first", first), ("second", second)):
        instance(name, given, dict, what="what game.debug.state_values() returns")
    for path, before in first.items():
        if path not in second:
            return Difference(path, None, _told(before), None)
        after = second[path]
        if digest_of(before) != digest_of(after):
            return _between(path, before, after)
    for path, after in second.items():
        if path not in first:
            return Difference(path, None, None, _told(after))
    return None


def _between(path: str, before: Any, after: Any) -> Difference:
    arrays = isinstance(before, np.ndarray) and isinstance(after, np.ndarray)
    if arrays and (before.shape != after.shape or before.dtype != after.dtype):
        return Difference(path, None, _told(before), _told(after))
    if arrays:
        same = (before == after) | ((before != before) & (after != after))
        row = tuple(np.argwhere(~same)[0].tolist())
        one, other = before[row], after[row]
        return Difference(path, row, one.item(), other.item(), _ulps(one, other))
    return Difference(path, None, _told(before), _told(after), _ulps(before, after))


def _told(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"the same as {value.path}" if isinstance(value, Same) else value


def _ulps(one: Any, other: Any) -> int | None:
    """How many steps lie between two floats of the same kind."""
    if not (isinstance(one, float | np.floating) and isinstance(other, float | np.floating)):
        return None
    a, b = np.asarray(one), np.asarray(other)
    if (
        a.dtype != b.dtype
        or a.dtype.kind != "f"
        or a.dtype.itemsize > 8
        or not np.isfinite([a, b]).all()
    ):
        return None
    places = []
    for number in (a, b):
        bits = int(number.view(f"i{a.dtype.itemsize}"))
        places.append(bits if bits >= 0 else -(bits + (1 << (8 * a.dtype.itemsize - 1))))
    return abs(places[0] - places[1])


def worded(before: Any, after: Any) -> tuple[str, str]:
    """Two values in few words each, which begin near where they part."""
    texts = ["nothing" if value is None else repr(value) for value in (before, after)]
    part = next(
        (place for place, (a, b) in enumerate(zip(*texts, strict=False)) if a != b),
        min(map(len, texts)),
    )
    begin = max(part - _WORDS // 3, 0) if max(map(len, texts)) > _WORDS else 0
    one, other = [_shortened(text, begin) for text in texts]
    return one, other


_WORDS = 60


def _shortened(text: str, begin: int) -> str:
    text = f"…{text[begin + 1 :]}" if begin else text
    return text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"


def apart(ulps: int | None) -> str:
    """How far two floats are apart, in words, where they are near."""
    return "" if ulps is None or ulps > 1_000_000 else f" ({ulps:,} ULP apart)"
