"""Choose, for each class, how its objects are captured for snapshots and described for hashes.

Usually, the state of an object consists of its attributes, which the module `attributes` captures.
`KINDS` lists the classes whose objects store state elsewhere, such as `list` and `Table`.
`capture_of` returns the function that captures objects of a class for snapshots, and `describer_of`
returns the function that describes them for hashes.

Some framework classes store state outside their attributes. Such a class has two methods,
``_capture`` and ``_restore``. ``_capture()`` returns the state, or raises `CannotRestore`.
``_restore(state)`` restores the state, and is called before the attributes are restored. The class
attribute ``_captured_attributes`` lists the attributes that ``_capture`` already covers.

A class can also have a method ``after_restore()``. It is called when all objects have been
restored, to recompute values that depend on the restored state.
"""

from __future__ import annotations

import array
import collections
import contextlib
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

from ..coroutines.frames import FrameState
from ..coroutines.refusals import CannotCapture
from ..input.buttons import Buttons
from ..input.mouse import Mouse
from ..input.pads import Gamepad, Gamepads
from ..state.columns import Table, TableColumn, TableState, Tabular
from ..state.previous import Frozen
from ..state.rows import Handle, RowSet, table_of
from ..timing.routines import Routine, captured_attributes
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
from .immutables import LEAVES, PLAIN, write_values
from .stable_names import IN_HASHES

# The classes whose objects cannot be restored. Error messages contain the name of the class, and
# advice on what to do instead.
_KEEP = "keep its state in attributes, or use schedule.once"
_OPEN = "open it when needed"
_BYTES = "keep the bytes, and create it when needed"
_LEAVE = "pass its results to the game with call_soon"
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
    "the game holds a weakref.proxy of a deleted object; use a weakref.ref, or delete the proxy too"
)

BytesT = TypeVar("BytesT", bytearray, "array.array[Any]")

BitsState = Mapping[str, Any]
"""The state of a NumPy bit generator, from its property ``state``."""

_STIRS = 12  # maximum number of attempts to change the order of a set

_only_leaves = LEAVES.issuperset


class CannotRestore(Exception):
    """Raised if snapshots cannot restore an object. If ``final`` is True, the error message does
    not suggest ``not_state``, which would not help.
    """

    def __init__(self, obj: object, what: str, instead: str, final: bool = False) -> None:
        super().__init__(what)
        self.thing = obj
        self.what = what
        self.instead = instead
        self.final = final


# -- lists and tuples ------------------------------------------------------------------------------


def _capture_list(obj: list[object], saves: list[Save], queue: list[object]) -> None:
    """Capture an object of a subclass of `list`. The module `snapshots` captures plain lists."""
    saved = list(obj)
    saves.append((_put_sequence, obj, saved))
    queue += [value for value in saved if value.__class__ not in LEAVES]


def put_list(obj: list[object], saved: list[object]) -> None:
    obj[:] = saved


def _put_sequence(obj: list[object], saved: list[object]) -> None:
    list.__setitem__(obj, slice(None), saved)


def _capture_parts(obj: Iterable[object], saves: list[Save], queue: list[object]) -> None:
    """Capture the items of a tuple or frozenset. The tuple or frozenset itself never changes, so
    the snapshot stores only its items.
    """
    queue += [value for value in obj if value.__class__ not in LEAVES]


def _describe_list(obj: Sequence[object]) -> Description:
    kind: type = obj.__class__
    return "list" if kind is list else IN_HASHES.name_of(kind), None, obj


def _capture_deque(obj: collections.deque[object], saves: list[Save], queue: list[object]) -> None:
    saved = list(obj)
    saves.append((_put_deque, obj, saved))
    queue += [value for value in saved if value.__class__ not in LEAVES]


def _put_deque(obj: collections.deque[object], saved: list[object]) -> None:
    obj.clear()
    obj.extend(saved)


# -- dicts -----------------------------------------------------------------------------------------


def _capture_dict(obj: dict[object, object], saves: list[Save], queue: list[object]) -> None:
    saved = dict(obj)
    saves.append((put_dict if obj.__class__ is dict else _put_mapping, obj, saved))
    if saved:
        if not _only_leaves(map(type, saved.values())):
            queue += [value for value in saved.values() if value.__class__ not in LEAVES]
        if not _only_leaves(map(type, saved)):
            queue += [key for key in saved if key.__class__ not in LEAVES]


def put_dict(obj: dict[object, object], saved: dict[object, object]) -> None:
    obj.clear()
    obj.update(saved)


def _put_mapping(obj: dict[object, object], saved: dict[object, object]) -> None:
    dict.clear(obj)
    dict.update(obj, saved)


def _describe_dict(obj: dict[object, object]) -> Description:
    if not obj:
        return ("dict", ()), (), ()
    keys = [
        key if key.__class__ in PLAIN else repr(key) if key.__class__ in _ORDERED else None
        for key in obj
    ]
    if None not in keys or None in obj:
        return ("dict", tuple(keys)), tuple([f"[{key!r}]" for key in obj]), list(obj.values())
    parts = [part for pair in obj.items() for part in pair]
    return "dict of things", None, parts


# The classes of keys whose repr describes the key completely.
_ORDERED = frozenset({float, Fraction, Decimal, complex})


def _capture_default(
    obj: collections.defaultdict[object, object], saves: list[Save], queue: list[object]
) -> None:
    """Capture the items and the factory of a defaultdict. The factory may be a local function."""
    _capture_dict(obj, saves, queue)
    factory = obj.default_factory
    if factory is not None and factory.__class__ is not type:
        queue.append(factory)
    saves[-1] = (_put_default, obj, (factory, saves[-1][2]))


def _put_default(
    obj: collections.defaultdict[object, object],
    saved: tuple[Callable[[], object] | None, dict[object, object]],
) -> None:
    obj.default_factory, values = saved
    _put_mapping(obj, values)


def _describe_default(obj: collections.defaultdict[object, object]) -> Description:
    head, names, parts = _describe_dict(obj)
    if obj.default_factory is None or obj.default_factory.__class__ is type:
        return head, names, parts
    steps = tuple([f"[{index}]" for index in range(len(parts))]) if names is None else names
    return head, (*steps, ".default_factory"), [*parts, obj.default_factory]


def _capture_ordered(
    obj: collections.OrderedDict[object, object], saves: list[Save], queue: list[object]
) -> None:
    _capture_dict(obj, saves, queue)
    saves[-1] = (_put_ordered, obj, saves[-1][2])


def _put_ordered(obj: collections.OrderedDict[object, object], saved: dict[object, object]) -> None:
    obj.clear()
    obj.update(saved)


def _capture_view(obj: object, saves: list[Save], queue: list[object]) -> None:
    queue += gc.get_referents(obj)


def _describe_view(obj: object) -> Description:
    return IN_HASHES.name_of(obj.__class__), None, gc.get_referents(obj)


# -- sets ------------------------------------------------------------------------------------------


def _capture_set(obj: set[object], saves: list[Save], queue: list[object]) -> None:
    saved = list(obj)
    saves.append((put_set, obj, saved))
    queue += [value for value in saved if value.__class__ not in LEAVES]


def put_set(obj: set[object], saved: list[object]) -> None:
    # A comparison with `==` would miss a member that was replaced by an equal object.
    if len(obj) != len(saved) or not all(map(is_, obj, saved)):
        set.clear(obj)
        set.update(obj, saved)


def shuffle_set(obj: set[object], saved: list[object]) -> None:
    """Restore the items of a set in an order that differs from the current order and from the
    snapshot. A test uses this function to find game code that depends on the order of a set.

    To change the order, the function enlarges the hash table of the set, and adds the items in
    reverse order. If the order is still the same, the function doubles the size of the hash table
    and tries again.
    """
    size = 1 << (len(saved) + 4).bit_length()
    orders = [saved, list(obj)]
    for _ in range(_STIRS if len(saved) > 1 else 0):
        fillers = {object() for _ in range(size)}
        set.clear(obj)
        set.update(obj, fillers)
        set.update(obj, reversed(saved))
        # removed one by one, because otherwise Python shrinks the hash table of the set
        for filler in fillers:
            set.discard(obj, filler)
        if not any(all(map(is_, obj, order)) for order in orders):
            return
        size *= 2


def _describe_set(obj: set[object] | frozenset[object]) -> Description:
    shallow = sorted([(_shallow(value), index) for index, value in enumerate(obj)])
    values = list(obj)
    return (
        (IN_HASHES.name_of(obj.__class__), tuple([key for key, _ in shallow])),
        None,
        [values[index] for _, index in shallow],
    )


@functools.lru_cache(maxsize=4096)
def _digest_of_text(text: str) -> int:
    return digest([text])


def _shallow(value: object) -> int:
    """Return a hash of an item of a set that ignores the objects to which the item refers. The
    state hash sorts the items of a set by their `_shallow` hashes.
    """
    # most sets contain the same strings for a long time, so the digests of strings are cached
    if value.__class__ is str:
        return _digest_of_text(value)
    out: list[object] = []
    objects: list[object] = []
    write_values([value], out, {}, objects)
    for obj in objects[:1]:
        kind: type = obj.__class__
        head, names, parts = describer_of(kind)(obj)
        out += [head, tuple(names or ())]
        plain = [part for part in parts if part.__class__ in PLAIN or part.__class__ is float]
        write_values(plain, out, {}, [])
    return digest(out)


# -- arrays and bytes ------------------------------------------------------------------------------


def _capture_array(obj: NDArray[Any], saves: list[Save], queue: list[object]) -> None:
    base = obj.base
    if obj.dtype.hasobject:
        queue += [value for value in obj.ravel().tolist() if value.__class__ not in LEAVES]
    if isinstance(base, np.ndarray | bytearray | array.array):
        queue.append(base)
    elif obj.flags.writeable:
        saves.append((_put_array, obj, obj.copy()))


def _put_array(obj: NDArray[Any], saved: NDArray[Any]) -> None:
    if not obj.flags.writeable:  # the array was writeable when it was captured
        obj.flags.writeable = True
    if obj.shape != saved.shape:
        obj.resize(saved.shape, refcheck=False)
    obj[...] = saved


def _describe_array(obj: NDArray[Any]) -> Description:
    if obj.dtype.hasobject:
        return ("array", obj.shape), None, obj.ravel().tolist()
    return ("array", digest_of_array(obj)), None, ()


def _capture_bytes(
    obj: bytearray | array.array[Any], saves: list[Save], queue: list[object]
) -> None:
    saves.append((_put_bytes, obj, obj[:]))


def _put_bytes(obj: BytesT, saved: BytesT) -> None:
    obj[:] = saved


def _describe_bytes(obj: bytearray | array.array[Any]) -> Description:
    return ("bytes", bytes(obj)), None, ()


def _capture_memory(obj: memoryview, saves: list[Save], queue: list[object]) -> None:
    queue.append(obj.obj)


def _describe_memory(obj: memoryview) -> Description:
    return "memoryview", (".obj",), (obj.obj,)


# -- functions -------------------------------------------------------------------------------------


def _capture_method(obj: types.MethodType, saves: list[Save], queue: list[object]) -> None:
    queue.append(obj.__self__)
    if obj.__func__.__class__ not in LEAVES:
        queue.append(obj.__func__)


def _describe_method(obj: types.MethodType) -> Description:
    function: Any = obj.__func__
    return ("method", IN_HASHES.name_of(function)), (".__self__",), (obj.__self__,)


def _capture_builtin(
    obj: types.BuiltinFunctionType, saves: list[Save], queue: list[object]
) -> None:
    if obj.__self__.__class__ not in LEAVES:
        queue.append(obj.__self__)


def _describe_builtin(obj: types.BuiltinFunctionType) -> Description:
    return ("builtin", obj.__qualname__), (".__self__",), (obj.__self__,)


def _capture_partial(
    obj: functools.partial[object], saves: list[Save], queue: list[object]
) -> None:
    queue += [obj.func, obj.args, obj.keywords]


def _describe_partial(obj: functools.partial[object]) -> Description:
    return "partial", (".func", ".args", ".keywords"), (obj.func, obj.args, obj.keywords)


def _capture_function(obj: types.FunctionType, saves: list[Save], queue: list[object]) -> None:
    """Capture the outer variables, the default values and the attributes of a local function.
    Functions at module level are not captured.
    """
    if "<locals>" not in obj.__qualname__:
        return
    queue += obj.__closure__ or ()
    queue += [part for part in (obj.__defaults__, obj.__kwdefaults__) if part]
    if obj.__dict__:
        queue.append(obj.__dict__)


def _describe_function(obj: types.FunctionType) -> Description:
    head = ("function", IN_HASHES.name_of(obj))
    if "<locals>" not in obj.__qualname__:
        return head, None, ()
    names = [f".{name}" for name in obj.__code__.co_freevars]
    parts = [*(obj.__closure__ or ()), obj.__defaults__, obj.__kwdefaults__]
    return head, (*names, ".__defaults__", ".__kwdefaults__"), parts


def _capture_cell(obj: types.CellType, saves: list[Save], queue: list[object]) -> None:
    try:
        saved: object = obj.cell_contents
    except ValueError:  # the variable has no value yet
        saves.append((_empty_cell, obj, None))
        return
    saves.append((_put_cell, obj, saved))
    if saved.__class__ not in LEAVES:
        queue.append(saved)


def _put_cell(obj: types.CellType, saved: object) -> None:
    obj.cell_contents = saved


def _empty_cell(obj: types.CellType, saved: None) -> None:
    """Delete the value of a closure variable that had no value when the snapshot was taken."""
    with contextlib.suppress(ValueError):
        del obj.cell_contents


def _describe_cell(obj: types.CellType) -> Description:
    try:
        return "cell", ("",), (obj.cell_contents,)
    except ValueError:
        return "empty cell", None, ()


# -- random numbers --------------------------------------------------------------------------------


def _capture_generator(obj: np.random.Generator, saves: list[Save], queue: list[object]) -> None:
    _capture_bits(obj.bit_generator, saves, queue)


def _describe_generator(obj: np.random.Generator) -> Description:
    return _describe_bits(obj.bit_generator)


def _capture_bits(obj: np.random.BitGenerator, saves: list[Save], queue: list[object]) -> None:
    saves.append((_put_bits, obj, (obj.state, getattr(obj.seed_seq, "n_children_spawned", 0))))


def _put_bits(obj: Any, saved: tuple[BitsState, object]) -> None:
    obj.state, spawned = saved
    seeds: Any = obj.seed_seq  # a `SeedSequence`, or another implementation of its interface
    if getattr(seeds, "n_children_spawned", spawned) != spawned:
        whole = {
            "spawn_key": seeds.spawn_key,
            "pool_size": seeds.pool_size,
            "n_children_spawned": spawned,
        }
        obj.__setstate__((saved[0], np.random.SeedSequence(seeds.entropy, **whole)))


def _describe_bits(obj: np.random.BitGenerator) -> Description:
    state: BitsState = obj.state
    spawned: int = getattr(obj.seed_seq, "n_children_spawned", 0)
    if spawned:
        return ("random", _numbers(state), spawned), None, ()
    if obj.__class__ is np.random.PCG64:  # most objects need only this case
        inner: Mapping[str, object] = state["state"]
        return (
            ("random", inner["state"], inner["inc"], state["has_uint32"], state["uinteger"]),
            None,
            (),
        )
    return ("random", _numbers(state)), None, ()


def _numbers(state: object) -> object:
    """Convert the state of a random generator to values that `marshal` can store."""
    if isinstance(state, dict):
        return tuple([(key, _numbers(value)) for key, value in state.items()])
    return digest_of_array(state) if isinstance(state, np.ndarray) else state


def _capture_random_state(
    obj: np.random.RandomState, saves: list[Save], queue: list[object]
) -> None:
    saves.append((_put_random_state, obj, obj.get_state(legacy=False)))


def _put_random_state(obj: np.random.RandomState, saved: dict[str, Any]) -> None:
    obj.set_state(saved)


def _describe_random_state(obj: np.random.RandomState) -> Description:
    return ("random", _numbers(obj.get_state(legacy=False))), None, ()


def _capture_random(obj: random.Random, saves: list[Save], queue: list[object]) -> None:
    saves.append((_put_random, obj, obj.getstate()))


def _put_random(obj: random.Random, saved: tuple[Any, ...]) -> None:
    obj.setstate(saved)


def _describe_random(obj: random.Random) -> Description:
    return ("random", obj.getstate()), None, ()


# -- rows ------------------------------------------------------------------------------------------


def _capture_table(obj: Table, saves: list[Save], queue: list[object]) -> None:
    saves.append((put_table, obj, obj.capture()))
    if obj.observer is not None:
        queue.append(obj.observer)
    if obj.of_objects:
        for column in obj.of_objects:
            values: list[object] = column.current(obj.count).tolist()
            queue += [value for value in values if value.__class__ not in LEAVES]


def put_table(obj: Table, saved: TableState) -> None:
    """Restore the rows of a table. ``saved`` is the state that `Table.capture` returned."""
    obj.restore(saved)


_name_of = attrgetter("name")


def _describe_table(obj: Table) -> Description:
    """Describe a table for hashes. For each column, the description contains a hash of the column's
    values. The hash is computed again only if the column may have changed. For a column of objects,
    the description contains the objects instead of a hash.
    """
    columns = columns_of(obj)
    holes = obj.holes
    of_objects = obj.of_objects
    digests: list[object] = []
    for column in columns:
        # skip the calls, because usually the game has written nothing since the last hash
        frozen = column.frozen
        if frozen is None or holes or frozen.digest is None or column.is_viewed():
            if of_objects and column in of_objects:  # columns of objects have no digest
                digests.append(tuple(values_of(obj, column).tolist()))
                continue
            frozen = Frozen() if holes else column.kept()
            if frozen.digest is None:
                frozen.digest = digest_of_array(values_of(obj, column))
        digests.append(frozen.digest)
    kind: type = obj.__class__
    names = _column_names(kind, tuple(map(_name_of, columns)))
    if obj.ids.plain and not holes:
        return ("rows", obj.count), names, digests
    ids = Frozen() if holes else obj.ids.frozen(obj.count)
    if ids.digest is None:
        ids.digest = digest_of_array(ids_of(obj))
    return ("rows", obj.count - len(holes), obj.ids.next(obj.count), ids.digest), names, digests


def ids_of(table: Table) -> NDArray[Any]:
    """Return the ids of all rows in a table, for hashes. The array does not contain the ids of
    removed rows.
    """
    ids: NDArray[Any] = table.ids.frozen(table.count).rows
    return np.delete(ids, list(table.holes)) if table.holes else ids


def columns_of(table: Table) -> list[TableColumn]:
    """Return the columns of a table that are part of the game state. Columns that are computed from
    other columns are not included.
    """
    own = table.observer.column if table.observer is not None else None
    derived = table.derived
    if own is None and not derived:
        return table.columns
    return [column for column in table.columns if column.name not in derived and column is not own]


@functools.lru_cache(maxsize=256)
def _column_names(cls: type, columns: tuple[str, ...]) -> tuple[str, ...]:
    names = IN_HASHES.field_names(cls)
    return tuple([f".{names.get(column, column)}" for column in columns])


def _capture_handle(obj: Handle[object], saves: list[Save], queue: list[object]) -> None:
    """Capture the batch of a handle. The handle itself is restored together with the table of its
    batch.
    """
    queue.append(obj._batch)


def _describe_handle(obj: Handle[Tabular[Table]]) -> Description:
    if obj.removed:
        return (IN_HASHES.name_of(obj.__class__), "removed"), None, ()
    batch = obj.batch
    row = obj.row
    holes = table_of(batch).holes  # rows that were removed, but are still in the table
    row -= len([hole for hole in holes if hole < row]) if holes else 0
    return IN_HASHES.name_of(obj.__class__), (".row", ".batch"), (row, batch)


def _describe_rows(obj: RowSet) -> Description:
    return (
        (IN_HASHES.name_of(obj.__class__), obj.counted().tolist()),
        (".table",),
        (obj.table,),
    )


# -- hooks, and objects that cannot be captured ----------------------------------------------------


class Hooked(Protocol):
    """The interface of objects that have the methods ``_capture`` and ``_restore``."""

    def _capture(self) -> object: ...
    def _restore(self, state: object) -> None: ...


class HasParts(Protocol):
    """The interface of framework objects with the methods ``capture``, ``restore`` and
    ``parts_of``. `parts_of` returns the objects in a captured state, which snapshots must capture
    too.
    """

    def capture(self) -> object: ...
    def restore(self, saved: object) -> None: ...
    def parts_of(self, saved: object) -> Iterable[object]: ...


def _capture_hooked(obj: Hooked, saves: list[Save], queue: list[object]) -> None:
    saves.append((obj.__class__._restore, obj, obj._capture()))


def _capture_held(obj: HasParts, saves: list[Save], queue: list[object]) -> None:
    saved = obj.capture()
    saves.append((obj.__class__.restore, obj, saved))
    queue += obj.parts_of(saved)


def _describe_member(obj: enum.Enum) -> Description:
    """Describe an enum member for hashes: by its name, or by its value if the enum is a `Flag`. The
    names of combined flags differ between versions of Python.
    """
    member = obj.value if isinstance(obj, enum.Flag) else obj.name
    return ("member", IN_HASHES.name_of(obj.__class__), member), None, ()


def _capture_routine(obj: Routine, saves: list[Save], queue: list[object]) -> None:
    """Capture the attributes of a routine, and the frames of the coroutine that it runs."""
    saved = captured_attributes(obj)
    state: FrameState | None = saved[-1]
    if state is None:  # the routine has resumed since the last capture, or it has ended
        try:
            state = obj._captured_frames()
        except CannotCapture as error:
            what = f"the running routine {obj.name}, started at {obj.started_at}"
            raise CannotRestore(obj, what, str(error), final=True) from None
        saved = (*saved[:-1], state)
    saves.append((put_routine, obj, saved))
    parts = obj._parts_of(saved)
    if parts:
        queue += parts
    if state is not None:
        if state.queued is None:
            state.queued = [part for part in state.parts() if part.__class__ not in LEAVES]
        queue += state.queued


def put_routine(obj: Routine, saved: tuple[object, ...]) -> None:
    """Restore the attributes of a routine. After all objects have been restored,
    `snapshots.resume_routines` continues its coroutine.
    """
    obj._restore(saved)


_ROUTINE = (
    *("_group", "_moment", "_place", "_runner", "_waiters", "_waits_for", "cancelled", "name"),
    *("number", "result"),
)
_routine_values = attrgetter(*_ROUTINE)


def _describe_routine(obj: Routine) -> Description:
    """Describe the attributes of a routine, and the frames of its coroutine, for hashes. The
    description of a frame contains the name of its function, the index of the current ``await``,
    and the values of the local variables.
    """
    name = IN_HASHES.name_of(obj.__class__)
    try:
        frames = obj._captured_frames()
    except CannotCapture:  # snapshots raise this error, but for hashes the attributes are enough
        frames = None
    if frames is None:
        return name, _ROUTINE, _routine_values(obj)
    if frames.described is None:
        frames.described = _describe_frames(frames)
    head, names, parts = frames.described
    return (name, head), (*_ROUTINE, *names), [*_routine_values(obj), *parts]


def _describe_frames(frames: FrameState) -> tuple[object, tuple[str, ...], list[object]]:
    head: list[object] = []
    names: list[str] = []
    parts: list[object] = []
    frame: object = frames
    while isinstance(frame, FrameState):
        head += frame.name, frame.number
        for name, part in frame.named_parts():
            names.append(f".{name}")
            parts.append(part)
        frame = frame.awaited
    if frame is not None:
        names.append(".awaited")
        parts.append(frame)
    return tuple(head), tuple(names), parts


def _losing(what: str, instead: str) -> Capture:
    def take(obj: object, saves: list[Save], queue: list[object]) -> None:
        raise CannotRestore(obj, what, instead)

    return take


# -- the registry ----------------------------------------------------------------------------------


class Kind(NamedTuple):
    """The functions that capture and describe the objects of a class and of its subclasses.

    Attributes that a subclass adds are captured too.
    """

    base: type
    capture: Capture | None
    """A function that captures an object. If ``capture`` is None, only the attributes are
    captured.
    """
    describe: Describe | None
    """A function that describes an object. If ``describe`` is None, only the attributes are
    described.
    """
    attributes: bool = False
    """True if the attributes of the objects must also be captured."""
    whole: bool = False
    """True if ``capture`` already captures all ``__slots__`` of the class."""


KINDS = (
    # If a class derives from two of these classes, the first item is its kind.
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
    Kind(Gamepad, _capture_hooked, None, attributes=True, whole=True),
    Kind(Buttons, _capture_hooked, None, attributes=True, whole=True),
    Kind(Gamepads, _capture_hooked, None, attributes=True, whole=True),
    Kind(Routine, _capture_routine, _describe_routine),
)
"""The kinds of all classes that store state outside their attributes, such as lists and arrays."""


def kind_of(cls: type) -> Kind | None:
    """Return the `Kind` of a class, or None if the attributes of an object are its complete state."""
    return next((kind for kind in KINDS if issubclass(cls, kind.base)), None)


def _own_slots(cls: type, kind: Kind | None) -> tuple[str, ...]:
    """Return the names in ``__slots__`` that the `Kind` of the class does not capture."""
    captured = slots_of(kind.base) if kind is not None and kind.whole else ()
    return tuple([slot for slot in slots_of(cls) if slot not in captured])


def capture_of(cls: type) -> Capture | None:
    """Return a function that captures objects of this class for snapshots, or None if snapshots
    ignore these objects.
    """
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
    captures = _captures_of(cls, kind)
    if not captures and hasattr(cls, "__next__"):
        return _losing("an iterator", _KEEP)
    return _together(captures) if captures else None


def _captures_of(cls: type, kind: Kind | None) -> list[Capture]:
    """Return one function for each way in which objects of this class store their state, such as
    attributes and items.
    """
    captures = [] if kind is None or kind.capture is None else [kind.capture]
    if any("_captured_attributes" in vars(base) for base in cls.__mro__):
        if hasattr(cls, "_capture") and _capture_hooked not in captures:
            captures.append(_capture_hooked)
        captures += [_capture_held] if hasattr(cls, "parts_of") else []
    return [*captures, *attribute_captures(cls, _own_slots(cls, kind))]


def _together(captures: Sequence[Capture]) -> Capture:
    """Return one function that calls all functions in ``captures``."""
    if len(captures) == 1:
        return captures[0]
    if len(captures) == 2:
        first, second = captures

        def capture_both(obj: object, saves: list[Save], queue: list[object]) -> None:
            first(obj, saves, queue)
            second(obj, saves, queue)

        return capture_both

    def capture_all(obj: object, saves: list[Save], queue: list[object]) -> None:
        for capture in captures:
            capture(obj, saves, queue)

    return capture_all


def is_notified(cls: type) -> bool:
    """Return whether this class has a method ``after_restore``, which snapshots call after a
    restore.
    """
    return not left_alone(cls) and callable(getattr(cls, "after_restore", None))


@functools.cache
def describer_of(cls: type, hashed: bool = True) -> Describe:
    """Return a function that describes objects of this class for hashes.

    If ``hashed`` is True, the function ignores attributes that should not change the hash. If
    ``hashed`` is False, the function describes the complete state.
    """
    declarations = ("not_state", "_not_hashed") if hashed else ("not_state",)
    excluded = unnamed(cls, *declarations)
    if issubclass(cls, enum.Enum):
        return _describe_member
    if left_alone(cls) or excluded is None:
        return describe_nothing
    kind = kind_of(cls)
    slots = _own_slots(cls, kind)
    if kind is None or kind.describe is None:
        return attributes_describer(cls, slots, excluded)
    if kind.base is cls and not kind.attributes:
        return kind.describe
    if not has_dict(cls) and excluded.issuperset(slots):
        return kind.describe
    return _describing_both(kind.describe, attributes_describer(cls, slots, excluded))


def _describing_both(describe: Describe, describe_attributes: Describe) -> Describe:
    """Return a function that calls ``describe`` and ``describe_attributes`` for an object. The
    returned function joins the two descriptions. ``describe`` describes the content of an object,
    such as the items of a list. ``describe_attributes`` describes the attributes of the object.
    """

    def describe_all(obj: object) -> Description:
        head, steps, parts = describe(obj)
        name, names, values = describe_attributes(obj)
        steps = tuple([f"[{index}]" for index in range(len(parts))]) if steps is None else steps
        return (name, head), (*steps, *(names or ())), [*parts, *values]

    return describe_all
