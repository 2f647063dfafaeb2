"""Kinds: how things of each class are captured, put back and described.

`KINDS` lists every kind once. Snapshots ask `capture_of` how things of a class are captured, hashes
and listings ask `describer_of` how they are described. Everything that is not listed is an object
with attributes, see `attributes`.

A class with a state that is not in its attributes has the hooks ``_captured()``, which returns it
or raises `Lost`, and ``_put_back(state)``, which has it again, before attributes are put back. It
names in ``_captured_attributes`` the attributes that the hooks see to. ``_parts_of(state)``, where
there is one, returns what of the state is to be looked at.

A class with ``after_restore()`` is called when everything is back, to renew what it had computed.
"""

from __future__ import annotations

import array
import collections
import enum
import functools
import gc
import random
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter, is_
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..input.buttons import Buttons
from ..input.mouse import Mouse
from ..input.pads import Pad, Pads
from ..state.columns import Column, Table, TableState, Tabular
from ..state.previous import Frozen
from ..state.rows import Handle, RowSet, table_of
from ..timing.routines import Routine
from .attributes import (
    Capture,
    Describe,
    Description,
    Save,
    attribute_captures,
    attributes_describer,
    describe_nothing,
    has_dict,
    left_alone,
    meet_on_screen,
    slots_of,
    unnamed,
)
from .digests import digest, digest_of_array, values_of
from .stable_names import IN_HASHES
from .values import LEAVES, PLAIN, write_values

# Kinds of things whose state cannot be restored, by the name of a class or base; and what to do
# instead.
_KEEP = "keep its state in attributes, or use schedule.once"
_WAIT = "take the snapshot when it is over, or use tweens and schedule.once, whose state is kept"
_OPEN = "open it where it is needed"
_BYTES = "keep the bytes, and make it where it is needed"
_LEAVE = "hand what it brings to the game by call_soon"
_LOST = {
    "builtins.generator": ("a generator", _KEEP),
    "builtins.coroutine": ("a coroutine", _KEEP),
    "builtins.async_generator": ("an asynchronous generator", _KEEP),
    "builtins.frame": ("a running function", _KEEP),
    "_io._IOBase": ("a file", _OPEN),
    "_socket.socket": ("a socket", _LEAVE),
    "threading.Thread": ("a thread", _LEAVE),
    "_thread.lock": ("a lock", _LEAVE),
    "_thread.RLock": ("a lock", _LEAVE),
    "_queue.SimpleQueue": ("a queue between threads", _LEAVE),
    "subprocess.Popen": ("a process", _LEAVE),
    "multiprocessing.process.BaseProcess": ("a process", _LEAVE),
    "concurrent.futures._base.Executor": ("a pool of workers", _LEAVE),
    "concurrent.futures._base.Future": ("work of another thread", _LEAVE),
    "asyncio.events.AbstractEventLoop": ("an event loop", _LEAVE),
    "_hashlib.HASH": ("a running hash", _BYTES),
    "_blake2.blake2b": ("a running hash", _BYTES),
    "zlib.Compress": ("a running compressor", _BYTES),
    "zlib.Decompress": ("a running decompressor", _BYTES),
    "sqlite3.Connection": ("a connection", _OPEN),
}

GONE = (
    "there is a weakref.proxy in the game of something that is gone; hold a weakref.ref, "
    "or take it away too"
)

BytesT = TypeVar("BytesT", bytearray, "array.array[Any]")

BitsState = Mapping[str, Any]
"""The state of a bit generator of NumPy's."""

_STIRS = 12  # tables that are tried for another order of a set

_only_leaves = LEAVES.issuperset


class Lost(Exception):
    """There is something that cannot be put back; where it is ``final``, leaving it out would not
    do either.
    """

    def __init__(self, thing: object, what: str, instead: str, final: bool = False) -> None:
        super().__init__(what)
        self.thing, self.what, self.instead, self.final = thing, what, instead, final


# -- lists and tuples ------------------------------------------------------------------------------


def _capture_list(thing: list[object], saves: list[Save], queue: list[object]) -> None:
    """Of a class that derives from it; lists themselves are taken in the walk."""
    held = list(thing)
    saves.append((_put_sequence, thing, held))
    queue += [value for value in held if value.__class__ not in LEAVES]


def put_list(thing: list[object], held: list[object]) -> None:
    thing[:] = held


def _put_sequence(thing: list[object], held: list[object]) -> None:
    list.__setitem__(thing, slice(None), held)


def _capture_parts(thing: Iterable[object], saves: list[Save], queue: list[object]) -> None:
    """Of what never changes itself: a tuple, a frozen set."""
    queue += [value for value in thing if value.__class__ not in LEAVES]


def _describe_list(thing: Sequence[object]) -> Description:
    return IN_HASHES.name_of(thing.__class__), None, thing


def _capture_deque(
    thing: collections.deque[object], saves: list[Save], queue: list[object]
) -> None:
    held = list(thing)
    saves.append((_put_deque, thing, held))
    queue += [value for value in held if value.__class__ not in LEAVES]


def _put_deque(thing: collections.deque[object], held: list[object]) -> None:
    thing.clear()
    thing.extend(held)


# -- dicts -----------------------------------------------------------------------------------------


def _capture_dict(thing: dict[object, object], saves: list[Save], queue: list[object]) -> None:
    held = dict(thing)
    saves.append((put_dict if thing.__class__ is dict else _put_mapping, thing, held))
    if held:
        if not _only_leaves(map(type, held.values())):
            queue += [value for value in held.values() if value.__class__ not in LEAVES]
        if not _only_leaves(map(type, held)):
            queue += [key for key in held if key.__class__ not in LEAVES]


def put_dict(thing: dict[object, object], held: dict[object, object]) -> None:
    thing.clear()
    thing.update(held)


def _put_mapping(thing: dict[object, object], held: dict[object, object]) -> None:
    dict.clear(thing)
    dict.update(thing, held)


def _describe_dict(thing: dict[object, object]) -> Description:
    if not thing:
        return ("dict", ()), (), ()
    keys = [
        key if key.__class__ in PLAIN else repr(key) if key.__class__ in _ORDERED else None
        for key in thing
    ]
    if None not in keys or None in thing:
        return ("dict", tuple(keys)), tuple([f"[{key!r}]" for key in thing]), list(thing.values())
    parts = [part for pair in thing.items() for part in pair]
    return "dict of things", None, parts


# Keys whose repr says all.


# Keys whose repr says all.
_ORDERED = frozenset({float, Fraction, Decimal, complex})


def _capture_default(
    thing: collections.defaultdict[object, object], saves: list[Save], queue: list[object]
) -> None:
    """A dict that makes what is missing: what does so may close over something."""
    _capture_dict(thing, saves, queue)
    made_by = thing.default_factory
    if made_by is not None and made_by.__class__ is not type:
        queue.append(made_by)
    saves[-1] = (_put_default, thing, (made_by, saves[-1][2]))


def _put_default(
    thing: collections.defaultdict[object, object],
    held: tuple[Callable[[], object] | None, dict[object, object]],
) -> None:
    thing.default_factory, values = held
    _put_mapping(thing, values)


def _describe_default(thing: collections.defaultdict[object, object]) -> Description:
    head, names, parts = _describe_dict(thing)
    if thing.default_factory is None or thing.default_factory.__class__ is type:
        return head, names, parts
    steps = tuple([f"[{index}]" for index in range(len(parts))]) if names is None else names
    return head, (*steps, ".default_factory"), [*parts, thing.default_factory]


def _capture_ordered(
    thing: collections.OrderedDict[object, object], saves: list[Save], queue: list[object]
) -> None:
    _capture_dict(thing, saves, queue)
    saves[-1] = (_put_ordered, thing, saves[-1][2])


def _put_ordered(
    thing: collections.OrderedDict[object, object], held: dict[object, object]
) -> None:
    thing.clear()
    thing.update(held)


def _capture_view(thing: object, saves: list[Save], queue: list[object]) -> None:
    queue += gc.get_referents(thing)


def _describe_view(thing: object) -> Description:
    return IN_HASHES.name_of(thing.__class__), None, gc.get_referents(thing)


# -- sets ------------------------------------------------------------------------------------------


def _capture_set(thing: set[object], saves: list[Save], queue: list[object]) -> None:
    held = list(thing)
    saves.append((put_set, thing, held))
    queue += [value for value in held if value.__class__ not in LEAVES]


def put_set(thing: set[object], held: list[object]) -> None:
    if len(thing) != len(held) or not all(
        map(is_, thing, held)
    ):  # another may be equal to the one that was here
        set.clear(thing)
        set.update(thing, held)


def stir_set(thing: set[object], held: list[object]) -> None:
    """The same members in another order than then, and than now, when they have just been put back:
    from behind, in tables that were larger once, each twice as large as the last. In each, two may
    change places or not."""
    room, known = 1 << (len(held) + 4).bit_length(), [held, list(thing)]
    for _ in range(_STIRS if len(held) > 1 else 0):
        fillers = {object() for _ in range(room)}
        set.clear(thing)
        set.update(thing, fillers)
        set.update(thing, reversed(held))
        for filler in fillers:  # one by one: else the table would be made small again
            set.discard(thing, filler)
        if not any(all(map(is_, thing, order)) for order in known):
            return
        room *= 2


def _describe_set(thing: set[object] | frozenset[object]) -> Description:
    shallow = sorted([(_shallow(value), index) for index, value in enumerate(thing)])
    values = list(thing)
    return (
        (IN_HASHES.name_of(thing.__class__), tuple([key for key, _ in shallow])),
        None,
        [values[index] for _, index in shallow],
    )


@functools.lru_cache(maxsize=4096)
def _digest_of_text(text: str) -> int:
    return digest([text])


def _shallow(value: object) -> int:
    """A member of a set without what it refers to, by which members are put into an order."""
    if value.__class__ is str:  # as in most sets, which hold the same ones for long
        return _digest_of_text(value)
    out: list[object] = []
    seen: list[object] = []
    write_values([value], out, {}, seen)
    for thing in seen[:1]:
        kind: type = thing.__class__
        head, names, parts = describer_of(kind)(thing)
        out += [head, tuple(names or ())]
        plain = [part for part in parts if part.__class__ in PLAIN or part.__class__ is float]
        write_values(plain, out, {}, [])
    return digest(out)


# -- arrays and bytes ------------------------------------------------------------------------------


def _capture_array(thing: NDArray[Any], saves: list[Save], queue: list[object]) -> None:
    base = thing.base
    if thing.dtype.hasobject:
        queue += [value for value in thing.ravel().tolist() if value.__class__ not in LEAVES]
    if isinstance(base, np.ndarray | bytearray | array.array):
        queue.append(base)
    elif thing.flags.writeable:
        saves.append((_put_array, thing, thing.copy()))


def _put_array(thing: NDArray[Any], held: NDArray[Any]) -> None:
    if not thing.flags.writeable:  # as it was
        thing.flags.writeable = True
    if thing.shape != held.shape:
        thing.resize(held.shape, refcheck=False)
    thing[...] = held


def _describe_array(thing: NDArray[Any]) -> Description:
    if thing.dtype.hasobject:
        return ("array", thing.shape), None, thing.ravel().tolist()
    return ("array", digest_of_array(thing)), None, ()


def _capture_bytes(
    thing: bytearray | array.array[Any], saves: list[Save], queue: list[object]
) -> None:
    saves.append((_put_bytes, thing, thing[:]))


def _put_bytes(thing: BytesT, held: BytesT) -> None:
    thing[:] = held


def _describe_bytes(thing: bytearray | array.array[Any]) -> Description:
    return ("bytes", bytes(thing)), None, ()


def _capture_memory(thing: memoryview, saves: list[Save], queue: list[object]) -> None:
    queue.append(thing.obj)


def _describe_memory(thing: memoryview) -> Description:
    return "memoryview", (".obj",), (thing.obj,)


# -- functions -------------------------------------------------------------------------------------


def _capture_method(thing: types.MethodType, saves: list[Save], queue: list[object]) -> None:
    queue.append(thing.__self__)
    if thing.__func__.__class__ not in LEAVES:
        queue.append(thing.__func__)


def _describe_method(thing: types.MethodType) -> Description:
    function: Any = thing.__func__
    return ("method", IN_HASHES.name_of(function)), (".__self__",), (thing.__self__,)


def _capture_builtin(
    thing: types.BuiltinFunctionType, saves: list[Save], queue: list[object]
) -> None:
    if thing.__self__.__class__ not in LEAVES:
        queue.append(thing.__self__)


def _describe_builtin(thing: types.BuiltinFunctionType) -> Description:
    return ("builtin", thing.__qualname__), (".__self__",), (thing.__self__,)


def _capture_partial(
    thing: functools.partial[object], saves: list[Save], queue: list[object]
) -> None:
    queue += [thing.func, thing.args, thing.keywords]


def _describe_partial(thing: functools.partial[object]) -> Description:
    return "partial", (".func", ".args", ".keywords"), (thing.func, thing.args, thing.keywords)


def _capture_function(thing: types.FunctionType, saves: list[Save], queue: list[object]) -> None:
    """Those that are made within functions hold what they close over; those of modules and classes
    are left alone.
    """
    if "<locals>" not in thing.__qualname__:
        return
    queue += thing.__closure__ or ()
    queue += [part for part in (thing.__defaults__, thing.__kwdefaults__) if part]
    if thing.__dict__:
        queue.append(thing.__dict__)


def _describe_function(thing: types.FunctionType) -> Description:
    head = ("function", IN_HASHES.name_of(thing))
    if "<locals>" not in thing.__qualname__:
        return head, None, ()
    names = [f".{name}" for name in thing.__code__.co_freevars]
    parts = [*(thing.__closure__ or ()), thing.__defaults__, thing.__kwdefaults__]
    return head, (*names, ".__defaults__", ".__kwdefaults__"), parts


def _capture_cell(thing: types.CellType, saves: list[Save], queue: list[object]) -> None:
    try:
        held: object = thing.cell_contents
    except ValueError:  # empty
        return
    saves.append((_put_cell, thing, held))
    if held.__class__ not in LEAVES:
        queue.append(held)


def _put_cell(thing: types.CellType, held: object) -> None:
    thing.cell_contents = held


def _describe_cell(thing: types.CellType) -> Description:
    try:
        return "cell", ("",), (thing.cell_contents,)
    except ValueError:
        return "empty cell", None, ()


# -- random numbers --------------------------------------------------------------------------------


def _capture_generator(thing: np.random.Generator, saves: list[Save], queue: list[object]) -> None:
    _capture_bits(thing.bit_generator, saves, queue)


def _describe_generator(thing: np.random.Generator) -> Description:
    return _describe_bits(thing.bit_generator)


def _capture_bits(thing: np.random.BitGenerator, saves: list[Save], queue: list[object]) -> None:
    saves.append(
        (_put_bits, thing, (thing.state, getattr(thing.seed_seq, "n_children_spawned", 0)))
    )


def _put_bits(thing: Any, held: tuple[BitsState, object]) -> None:
    thing.state, spawned = held
    seeds: Any = thing.seed_seq  # of NumPy's interface, or a `SeedSequence`
    if getattr(seeds, "n_children_spawned", spawned) != spawned:
        whole = {
            "spawn_key": seeds.spawn_key,
            "pool_size": seeds.pool_size,
            "n_children_spawned": spawned,
        }
        thing.__setstate__((held[0], np.random.SeedSequence(seeds.entropy, **whole)))


def _describe_bits(thing: np.random.BitGenerator) -> Description:
    state: BitsState = thing.state
    spawned: int = getattr(thing.seed_seq, "n_children_spawned", 0)
    if spawned:
        return ("random", _numbers(state), spawned), None, ()
    if thing.__class__ is np.random.PCG64:  # as most of them are
        inner: Mapping[str, object] = state["state"]
        return (
            ("random", inner["state"], inner["inc"], state["has_uint32"], state["uinteger"]),
            None,
            (),
        )
    return ("random", _numbers(state)), None, ()


def _numbers(state: object) -> object:
    """The state of a random generator in what marshal can write."""
    if isinstance(state, dict):
        return tuple([(key, _numbers(value)) for key, value in state.items()])
    return digest_of_array(state) if isinstance(state, np.ndarray) else state


def _capture_random_state(
    thing: np.random.RandomState, saves: list[Save], queue: list[object]
) -> None:
    saves.append((_put_random_state, thing, thing.get_state(legacy=False)))


def _put_random_state(thing: np.random.RandomState, held: dict[str, Any]) -> None:
    thing.set_state(held)


def _describe_random_state(thing: np.random.RandomState) -> Description:
    return ("random", _numbers(thing.get_state(legacy=False))), None, ()


def _capture_random(thing: random.Random, saves: list[Save], queue: list[object]) -> None:
    saves.append((_put_random, thing, thing.getstate()))


def _put_random(thing: random.Random, held: tuple[Any, ...]) -> None:
    thing.setstate(held)


def _describe_random(thing: random.Random) -> Description:
    return ("random", thing.getstate()), None, ()


# -- rows ------------------------------------------------------------------------------------------


def _capture_table(thing: Table, saves: list[Save], queue: list[object]) -> None:
    saves.append((put_table, thing, thing.captured()))
    if thing.observer is not None:
        queue.append(thing.observer)


def put_table(thing: Table, held: TableState) -> None:
    """Have a table's rows again, as it captured them."""
    thing.put_back(held)


_name_of = attrgetter("name")


def _describe_table(thing: Table) -> Description:
    """Each column by its hash, which is kept until somebody may have written to it."""
    columns, holes = columns_of(thing), thing.holes
    digests: list[int] = []
    for column in columns:
        kept = column.frozen  # usually nothing was written since the last one: without the calls
        if kept is None or holes or kept.digest is None or column.is_viewed():
            kept = Frozen() if holes else column.kept()
            if kept.digest is None:
                kept.digest = digest_of_array(values_of(thing, column))
        digests.append(kept.digest)
    kind: type = thing.__class__
    names = _column_names(kind, tuple(map(_name_of, columns)))
    return ("rows", thing.count - len(holes)), names, digests


def columns_of(table: Table) -> list[Column]:
    """Return the columns of a table that are state of the game."""
    own, derived = table.observer.column if table.observer is not None else None, table.derived
    if own is None and not derived:
        return table.columns
    return [column for column in table.columns if column.name not in derived and column is not own]


@functools.lru_cache(maxsize=256)
def _column_names(cls: type, columns: tuple[str, ...]) -> tuple[str, ...]:
    names = IN_HASHES.field_names(cls)
    return tuple([f".{names.get(column, column)}" for column in columns])


def _capture_handle(thing: Handle[object], saves: list[Save], queue: list[object]) -> None:
    """Its table puts it back."""
    queue.append(thing._batch)


def _describe_handle(thing: Handle[Tabular[Table]]) -> Description:
    if thing.removed:
        return (IN_HASHES.name_of(thing.__class__), "removed"), None, ()
    batch, row = thing.batch, thing.row
    holes = table_of(batch).holes  # that will close up
    row -= len([hole for hole in holes if hole < row]) if holes else 0
    return IN_HASHES.name_of(thing.__class__), (".row", ".batch"), (row, batch)


def _describe_rows(thing: RowSet) -> Description:
    return (
        (IN_HASHES.name_of(thing.__class__), thing.counted().tolist()),
        (".table",),
        (thing.table,),
    )


# -- hooks, and things that cannot be captured ------------------------------------------------------


class Hooked(Protocol):
    """An object of a class with hooks."""

    def _captured(self) -> object: ...
    def _put_back(self, state: object) -> None: ...


class HasParts(Protocol):
    """An object whose class has the hooks without an underscore, and parts in its state."""

    def captured(self) -> object: ...
    def put_back(self, saved: object) -> None: ...
    def parts_of(self, saved: object) -> Iterable[object]: ...


def _capture_hooked(thing: Hooked, saves: list[Save], queue: list[object]) -> None:
    """Of a class with hooks."""
    state = thing._captured()
    saves.append((_put_hooked, thing, state))
    if hasattr(thing, "_parts_of"):
        queue += thing._parts_of(state)


def _put_hooked(thing: Hooked, held: object) -> None:
    thing._put_back(held)


def _capture_held(thing: HasParts, saves: list[Save], queue: list[object]) -> None:
    saved = thing.captured()
    saves.append((_put_captured, thing, saved))
    queue += thing.parts_of(saved)


def _put_captured(thing: HasParts, held: object) -> None:
    thing.put_back(held)


def _describe_member(thing: enum.Enum) -> Description:
    """Of an enum. Combined flags have other names in other versions of Python."""
    member = thing.value if isinstance(thing, enum.Flag) else thing.name
    return ("member", IN_HASHES.name_of(thing.__class__), member), None, ()


def _capture_routine(thing: Routine, saves: list[Save], queue: list[object]) -> None:
    """One that is over is as any other thing, whose attributes are taken."""
    if not thing.over:
        raise Lost(thing, f"the running task {thing.name}, started at {thing.started_at}", _WAIT)


def _losing(what: str, instead: str) -> Capture:
    def take(thing: object, saves: list[Save], queue: list[object]) -> None:
        raise Lost(thing, what, instead)

    return take


# -- the registry ----------------------------------------------------------------------------------


class Kind(NamedTuple):
    """How things of a class, and of classes that derive from it, are captured and described.

    Things of derived classes have attributes beside.
    """

    base: type
    capture: Capture | None
    """How they are captured; None if only their attributes are."""
    describe: Describe | None
    """How they are described; None if only their attributes are."""
    attributes: bool = False
    """Whether things of the class itself have attributes beside, too."""
    whole: bool = False
    """Whether the capture has all slots of the class itself."""


KINDS = (
    # Of two that a class derives from, the first is its kind.
    Kind(list, _capture_list, _describe_list),
    Kind(collections.defaultdict, _capture_default, _describe_default),
    Kind(collections.OrderedDict, _capture_ordered, _describe_dict),
    Kind(dict, _capture_dict, _describe_dict),
    Kind(set, _capture_set, _describe_set),
    Kind(frozenset, _capture_parts, _describe_set),
    Kind(tuple, _capture_parts, _describe_list),
    Kind(collections.deque, _capture_deque, _describe_list),
    Kind(type({}.keys()), _capture_view, _describe_view),
    Kind(type({}.values()), _capture_view, _describe_view),
    Kind(type({}.items()), _capture_view, _describe_view),
    Kind(np.ndarray, _capture_array, _describe_array),
    Kind(array.array, _capture_bytes, _describe_bytes),
    Kind(bytearray, _capture_bytes, _describe_bytes),
    Kind(memoryview, _capture_memory, _describe_memory),
    Kind(types.MethodType, _capture_method, _describe_method),
    Kind(types.BuiltinFunctionType, _capture_builtin, _describe_builtin),
    Kind(types.MethodWrapperType, _capture_builtin, _describe_builtin),
    Kind(types.FunctionType, _capture_function, _describe_function),
    Kind(types.CellType, _capture_cell, _describe_cell),
    Kind(functools.partial, _capture_partial, _describe_partial),
    Kind(np.random.Generator, _capture_generator, _describe_generator),
    Kind(np.random.BitGenerator, _capture_bits, _describe_bits, attributes=True),
    Kind(np.random.RandomState, _capture_random_state, _describe_random_state),
    Kind(random.Random, _capture_random, _describe_random, attributes=True),
    Kind(Table, _capture_table, _describe_table, attributes=True, whole=True),
    Kind(Handle, _capture_handle, _describe_handle, attributes=True, whole=True),
    Kind(RowSet, None, _describe_rows),
    Kind(Mouse, _capture_hooked, None, attributes=True, whole=True),
    Kind(Pad, _capture_hooked, None, attributes=True, whole=True),
    Kind(Buttons, _capture_hooked, None, attributes=True, whole=True),
    Kind(Pads, _capture_hooked, None, attributes=True, whole=True),
    Kind(Routine, _capture_routine, None, attributes=True),
)
"""All kinds of things that are more than their attributes."""


def kind_of(cls: type) -> Kind | None:
    """Return the kind of things of a class; None for those that have only attributes."""
    return next((kind for kind in KINDS if issubclass(cls, kind.base)), None)


def _own_slots(cls: type, kind: Kind | None) -> tuple[str, ...]:
    """Return the slots of a class that its kind does not see to."""
    seen_to = slots_of(kind.base) if kind is not None and kind.whole else ()
    return tuple([slot for slot in slots_of(cls) if slot not in seen_to])


def capture_of(cls: type) -> Capture | None:
    """Return how things of a class are captured; None if they are left alone."""
    if left_alone(cls):
        meet_on_screen(cls)
        return None
    kind = kind_of(cls)
    if kind is not None and kind.base is cls and not kind.attributes and kind.capture is not None:
        return kind.capture
    for base in cls.__mro__:
        lost = _LOST.get(f"{base.__module__}.{base.__qualname__}")
        if lost is not None:
            return _losing(*lost)
    captures = [] if kind is None or kind.capture is None else [kind.capture]
    if any("_captured_attributes" in vars(base) for base in cls.__mro__):
        if hasattr(cls, "_captured") and _capture_hooked not in captures:
            captures.append(_capture_hooked)
        captures += [_capture_held] if hasattr(cls, "parts_of") else []
    captures += attribute_captures(cls, _own_slots(cls, kind))
    if not captures and hasattr(cls, "__next__"):
        return _losing("an iterator", _KEEP)
    if len(captures) == 1:
        return captures[0]

    def capture_all(thing: object, saves: list[Save], queue: list[object]) -> None:
        for capture in captures:
            capture(thing, saves, queue)

    return capture_all if captures else None


def is_notified(cls: type) -> bool:
    """Return whether things of a class are called when everything is back."""
    return not left_alone(cls) and callable(getattr(cls, "after_restore", None))


@functools.cache
def describer_of(cls: type, hashed: bool = True) -> Describe:
    """Return how things of a class are described: what of them is ``hashed``, or all their state."""
    declarations = ("not_state", "_not_hashed") if hashed else ("not_state",)
    left = unnamed(cls, *declarations)
    if issubclass(cls, enum.Enum):
        return _describe_member
    if left_alone(cls) or left is None:
        return describe_nothing
    kind = kind_of(cls)
    slots = _own_slots(cls, kind)
    if kind is None or kind.describe is None:
        return attributes_describer(cls, slots, left)
    if kind.base is cls and not kind.attributes:
        return kind.describe
    if not has_dict(cls) and left.issuperset(slots):
        return kind.describe
    return _describing_both(kind.describe, attributes_describer(cls, slots, left))


def _describing_both(describe: Describe, describe_attributes: Describe) -> Describe:
    """Return what describes a thing of a kind, and then its attributes."""

    def describe_all(thing: object) -> Description:
        head, steps, parts = describe(thing)
        name, names, more = describe_attributes(thing)
        steps = tuple([f"[{index}]" for index in range(len(parts))]) if steps is None else steps
        return (name, head), (*steps, *(names or ())), [*parts, *more]

    return describe_all
