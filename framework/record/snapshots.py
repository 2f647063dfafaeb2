"""Snapshots: everything that can be reached from a few roots, to be put back into the very same
objects.

Nothing has to be declared. The walk goes by identity through lists, dicts, sets, deques, objects,
closures, arrays, tables of rows and random generators, and notes what each holds.
`Snapshot.put_back` writes that into those objects again: whoever refers to one of them (a task's
callback, a camera's target, a local variable) finds it as it was.

What is left alone: numbers, strings and the like, which never change; classes, modules, and
functions of a module; what a class names in ``not_state``, or all of its objects where that is
True; what belongs to pyglet, OpenGL or Pillow. What has a state that nobody can put back (a
generator, a file, a thread, …) is a `FrameworkError` that names it.

Classes of the framework whose names games see declare ``_transient_attributes`` instead of
``not_state``. They name in ``_lasting_attributes`` those that never change, and in
``_captured_attributes`` those that they see to: ``captured()`` returns what these hold,
``put_back(saved)`` has that again, and ``parts_of(saved)``, where there is one, is what of it is to
be looked at.

An object whose class has a method ``after_restore()`` is told when everything is back, to renew
what it had computed.
"""

from __future__ import annotations

__all__ = ["Snapshot"]

import array
import collections
import enum
import functools
import gc
import random
import types
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from operator import attrgetter, is_, itemgetter
from pathlib import PosixPath, PurePosixPath, PureWindowsPath, WindowsPath
from typing import Any

import numpy as np

from ..errors import FrameworkError
from ..input.buttons import Buttons
from ..input.mouse import Mouse
from ..input.pads import Pad, Pads
from ..state.columns import Column, Table
from ..state.rows import Batch, Handle, Removed
from ..timing.routines import Routine
from ..view import View

Save = tuple[Callable[[Any, Any], None], Any, Any]
"""What puts something back, what that is put back into, and what it was."""

Take = Callable[[Any, list[Save], list[Any]], None]
"""Notes what a thing holds, and what is to be looked at next."""

LEAVES: frozenset[type] = frozenset(
    {
        int,
        float,
        str,
        bool,
        bytes,
        complex,
        type(None),
        type(Ellipsis),
        type(NotImplemented),
        range,
        slice,
        object,
        Fraction,
        Decimal,
        date,
        datetime,
        time,
        timedelta,
        timezone,
        PosixPath,
        PurePosixPath,
        WindowsPath,
        PureWindowsPath,
        type,
        types.ModuleType,
        types.CodeType,
        types.WrapperDescriptorType,
        types.MethodDescriptorType,
        types.ClassMethodDescriptorType,
        types.GetSetDescriptorType,
        types.MemberDescriptorType,
        types.MappingProxyType,
        property,
        weakref.ref,
        Column,
        Removed,
        View,
        np.ufunc,
    }
)
"""Classes of what never changes, or is put back by something else."""

# Whose objects are of the screen, of the machine, or pictures: no state of a game.
_SCREEN = {"pyglet", "moderngl", "_moderngl", "glcontext"}
_FOREIGN = _SCREEN | {
    "PIL",
    "ctypes",
    "_ctypes",
    "logging",
    "warnings",
    "trimesh",
    "xxhash",
    "pymunk",
    "rapier3d",
}

# What has a state that nobody can put back, by its class or one that it derives from; and what to
# do instead.
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

_MISSING: Any = object()

_STIRS = 12  # tables that are tried for another order of a set
_set = object.__setattr__


class SnapshotError(FrameworkError):
    """There is something in a game that a snapshot could not put back; ``path`` says where."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class Lost(Exception):
    """There is something that cannot be put back; where it is ``final``, leaving it out would not
    do either.
    """

    def __init__(self, thing: Any, what: str, instead: str, final: bool = False) -> None:
        super().__init__(what)
        self.thing, self.what, self.instead, self.final = thing, what, instead, final


class Captured:
    """What has a state that is not in its attributes: ``captured()`` returns it,
    ``put_back(state)`` has it again.
    """

    __slots__ = ()

    def captured(self) -> Any:
        """Its state. Raises `Lost` where it has one that cannot be put back."""
        raise NotImplementedError

    def put_back(self, state: Any) -> None:
        """Be as it was when `captured` returned this. Its attributes are put back after this."""
        raise NotImplementedError


class Snapshot:
    """The state of a game at one moment, in memory: made by `Game.snapshot`, for `Game.restore` of
    the same game.

    It keeps alive what the game held then, and shares with other snapshots the columns that did not
    change.
    """

    __slots__ = ("__weakref__", "_notified", "_saves", "owner", "scenes", "tick")

    not_state = True

    def __init__(
        self,
        owner: object,
        roots: Mapping[str, Any],
        tick: int,
        scenes: Sequence[object] = (),
        paths: Callable[[], Mapping[str, Any]] | None = None,
    ) -> None:
        """``paths`` returns what paths begin at, if that is something else than ``roots``."""
        self.owner = weakref.ref(owner)
        """The game that it is of, or None when that is gone."""
        self.tick = tick
        """The number of the game's last tick then."""
        self.scenes = tuple(scenes)
        """The scenes that were on, the lowest first."""
        try:
            self._saves, self._notified = _taken(list(roots.values()))
        except Lost as lost:
            path = path_to(roots if paths is None else paths(), lost.thing)
            where, _, name = path.rpartition(".")
            hint = f"; or leave it out: not_state = ({name!r},) in the class of {where}"
            hint = hint if name.isidentifier() and not lost.final else ""
            words = (
                f"snapshot: {path} is {lost.what}, which cannot be put back; {lost.instead}{hint}"
            )
            raise SnapshotError(words, path) from None
        except ReferenceError:
            raise SnapshotError(f"snapshot: {GONE}", "game") from None

    def __repr__(self) -> str:
        return f"<Snapshot of tick {self.tick}>"

    def put_back(self, stir: bool = False) -> None:
        """Have everything as it was. With ``stir``, sets have their members in another order, as
        they are free to.
        """
        for put, thing, held in self._saves:
            if put is _put_dict:  # most of them are: without the call
                thing.clear()
                thing.update(held)
            elif put is _put_list:
                thing[:] = held
            else:
                put(thing, held)
        if stir:
            for put, thing, held in self._saves:
                if put is _put_set:
                    _stir(thing, held)

    @property
    def saves(self) -> list[Save]:
        """All that it holds. What something was may be replaced by what is the same, or will do as
        well.
        """
        return self._saves

    def notify(self) -> None:
        """Tell those who want to know that everything is back."""
        for thing in self._notified:
            thing.after_restore()


def _taken(roots: list[Any]) -> tuple[list[Save], list[Any]]:
    known = len(_of_screen)
    taken = _walk(roots)
    return (
        taken if len(_of_screen) == known else _walk(roots)
    )  # attributes are told apart by such classes


def _walk(roots: list[Any]) -> tuple[list[Save], list[Any]]:
    saves: list[Save] = []
    queue: list[Any] = [root for root in roots if root.__class__ not in LEAVES]
    seen: set[int] = set()  # of what the queue holds
    notified: list[Any] = []
    takers, told, save, leaves = _takers, _told, saves.append, _only_leaves
    for thing in queue:  # which grows meanwhile
        key = id(thing)
        if key in seen:
            continue
        seen.add(key)
        kind = thing.__class__
        try:
            take = takers[kind]
        except KeyError:
            take = takers[kind] = _taker(kind)
        if take is _take_attributes:  # what most things are: without the call
            attributes = thing.__dict__
            if leaves(map(type, attributes.values())):
                save((_put_dict, attributes, attributes.copy()))
            else:
                take(thing, saves, queue)
        elif kind is list:
            save((_put_list, thing, thing.copy()))
            if thing and not leaves(map(type, thing)):
                queue += [value for value in thing if value.__class__ not in LEAVES]
        elif kind is tuple:
            if not leaves(map(type, thing)):
                queue += [value for value in thing if value.__class__ not in LEAVES]
        elif take is not None:
            take(thing, saves, queue)
        if kind in told:
            notified.append(thing)
    return saves, notified


# -- what each kind of thing holds -----------------------------------------------------------------


def _take_list(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """Of a class that derives from it; lists themselves are taken in the walk."""
    held = list(thing)
    saves.append((_put_sequence, thing, held))
    stack += [value for value in held if value.__class__ not in LEAVES]


def _put_list(thing: list[Any], held: list[Any]) -> None:
    thing[:] = held


def _put_sequence(thing: Any, held: list[Any]) -> None:
    list.__setitem__(thing, slice(None), held)


def _take_dict(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    held = dict(thing)
    saves.append((_put_dict if thing.__class__ is dict else _put_mapping, thing, held))
    if held:
        if not _only_leaves(map(type, held.values())):
            stack += [value for value in held.values() if value.__class__ not in LEAVES]
        if not _only_leaves(map(type, held)):
            stack += [key for key in held if key.__class__ not in LEAVES]


def _put_dict(thing: dict[Any, Any], held: dict[Any, Any]) -> None:
    thing.clear()
    thing.update(held)


def _take_default(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """A dict that makes what is missing: what does so may close over something."""
    _take_dict(thing, saves, stack)
    made_by = thing.default_factory
    if made_by is not None and made_by.__class__ is not type:
        stack.append(made_by)
    saves[-1] = (_put_default, thing, (made_by, saves[-1][2]))


def _put_default(thing: Any, held: Any) -> None:
    thing.default_factory, values = held
    _put_mapping(thing, values)


def _put_mapping(thing: Any, held: dict[Any, Any]) -> None:
    dict.clear(thing)
    dict.update(thing, held)


def _take_ordered(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    _take_dict(thing, saves, stack)
    saves[-1] = (_put_ordered, thing, saves[-1][2])


def _put_ordered(thing: Any, held: dict[Any, Any]) -> None:
    thing.clear()
    thing.update(held)


def _take_set(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    held = list(thing)
    saves.append((_put_set, thing, held))
    stack += [value for value in held if value.__class__ not in LEAVES]


def _put_set(thing: Any, held: list[Any]) -> None:
    if len(thing) != len(held) or not all(
        map(is_, thing, held)
    ):  # another may be equal to the one that was here
        set.clear(thing)
        set.update(thing, held)


def _stir(thing: Any, held: list[Any]) -> None:
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


def _take_parts(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """Of what never changes itself: a tuple, a frozen set."""
    stack += [value for value in thing if value.__class__ not in LEAVES]


def _take_deque(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    held = list(thing)
    saves.append((_put_deque, thing, held))
    stack += [value for value in held if value.__class__ not in LEAVES]


def _put_deque(thing: Any, held: list[Any]) -> None:
    thing.clear()
    thing.extend(held)


def _take_bytes(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    saves.append((_put_bytes, thing, thing[:]))


def _put_bytes(thing: Any, held: Any) -> None:
    thing[:] = held


def _take_array(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    base = thing.base
    if thing.dtype.hasobject:
        stack += [value for value in thing.ravel().tolist() if value.__class__ not in LEAVES]
    if isinstance(base, np.ndarray | bytearray | array.array):
        stack.append(base)
    elif thing.flags.writeable:
        saves.append((_put_array, thing, thing.copy()))


def _put_array(thing: Any, held: Any) -> None:
    if not thing.flags.writeable:  # as it was
        thing.flags.writeable = True
    if thing.shape != held.shape:
        thing.resize(held.shape, refcheck=False)
    thing[...] = held


def _take_method(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    stack.append(thing.__self__)
    if thing.__func__.__class__ not in LEAVES:
        stack.append(thing.__func__)


def _take_builtin(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    if thing.__self__.__class__ not in LEAVES:
        stack.append(thing.__self__)


def _take_partial(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    stack += [thing.func, thing.args, thing.keywords]


def _take_function(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """Those that are made within functions hold what they close over; those of modules and classes
    are left alone.
    """
    if "<locals>" not in thing.__qualname__:
        return
    stack += thing.__closure__ or ()
    stack += [part for part in (thing.__defaults__, thing.__kwdefaults__) if part]
    if thing.__dict__:
        stack.append(thing.__dict__)


def _take_cell(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    try:
        held = thing.cell_contents
    except ValueError:  # empty
        return
    saves.append((_put_cell, thing, held))
    if held.__class__ not in LEAVES:
        stack.append(held)


def _put_cell(thing: Any, held: Any) -> None:
    thing.cell_contents = held


def _take_view(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    stack += gc.get_referents(thing)


def _take_memory(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    stack.append(thing.obj)


def _take_generator(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    _take_bits(thing.bit_generator, saves, stack)


def _take_bits(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    saves.append(
        (_put_bits, thing, (thing.state, getattr(thing.seed_seq, "n_children_spawned", 0)))
    )


def _put_bits(thing: Any, held: Any) -> None:
    thing.state, spawned = held
    seeds = thing.seed_seq
    if getattr(seeds, "n_children_spawned", spawned) != spawned:
        whole = {
            "spawn_key": seeds.spawn_key,
            "pool_size": seeds.pool_size,
            "n_children_spawned": spawned,
        }
        thing.__setstate__((held[0], np.random.SeedSequence(seeds.entropy, **whole)))


def _take_random_state(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    saves.append((_put_random_state, thing, thing.get_state(legacy=False)))


def _put_random_state(thing: Any, held: Any) -> None:
    thing.set_state(held)


def _take_captured(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """Of what does it by itself."""
    saves.append((_put_captured, thing, thing.captured()))


def _take_held(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """The same, of what says what is to be looked at, too."""
    saved = thing.captured()
    saves.append((_put_captured, thing, saved))
    stack += thing.parts_of(saved)


def _put_captured(thing: Any, held: Any) -> None:
    thing.put_back(held)


def _take_table(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    saves.append((put_table, thing, thing.captured()))
    if thing.observer is not None:
        stack.append(thing.observer)


def put_table(thing: Any, held: Any) -> None:
    """Have a table's rows again, as it captured them."""
    thing.put_back(held)


def _take_handle(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """Its table puts it back."""
    stack.append(_batch_of(thing))


def _take_routine(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    """One that is over is as any other thing, whose attributes are taken."""
    if not thing.over:
        raise Lost(thing, f"the running task {thing.name}, started at {thing.started_at}", _WAIT)


_batch_of, _only_leaves = attrgetter("_batch"), LEAVES.issuperset


_KINDS: dict[type, Take] = {
    list: _take_list,
    dict: _take_dict,
    collections.defaultdict: _take_default,
    collections.Counter: _take_dict,
    collections.OrderedDict: _take_ordered,
    set: _take_set,
    tuple: _take_parts,
    frozenset: _take_parts,
    collections.deque: _take_deque,
    bytearray: _take_bytes,
    array.array: _take_bytes,
    np.ndarray: _take_array,
    types.MethodType: _take_method,
    types.BuiltinFunctionType: _take_builtin,
    types.MethodWrapperType: _take_builtin,
    functools.partial: _take_partial,
    types.FunctionType: _take_function,
    types.CellType: _take_cell,
    type({}.keys()): _take_view,
    type({}.values()): _take_view,
    type({}.items()): _take_view,
    memoryview: _take_memory,
    np.random.Generator: _take_generator,
    np.random.RandomState: _take_random_state,
}

# Bases whose subclasses hold the same, and attributes beside it.
_BASES: list[tuple[type, Take]] = [
    (collections.OrderedDict, _take_ordered),
    (collections.defaultdict, _take_default),
    (dict, _take_dict),
    (list, _take_list),
    (set, _take_set),
    (tuple, _take_parts),
    (frozenset, _take_parts),
    (collections.deque, _take_deque),
    (bytearray, _take_bytes),
    (np.ndarray, _take_array),
    (Table, _take_table),
    (Buttons, _take_captured),
    (Handle, _take_handle),
    (Captured, _take_captured),
    (functools.partial, _take_partial),
    (np.random.BitGenerator, _take_bits),
    (Routine, _take_routine),
    (Pads, _take_captured),
]

_BY_THEMSELVES = (Table, Buttons, Mouse, Pad, Pads)
_OWN = ("_captured_attributes", "_lasting_attributes")

_takers: dict[type, Take | None] = {}
_PLANS = 64  # of attributes that the things of a class have

Choose = Callable[[tuple[Any, ...]], tuple[Any, ...]]
_choices: dict[
    tuple[type, ...], tuple[Choose | None, bool]
] = {}  # by the classes of attributes, see `_choice_of`
_MOST_CHOICES = 4096

_of_screen: set[type] = (
    set()
)  # classes of pyglet and OpenGL that were met: attributes with one are left as they are
_told: set[type] = set()  # classes that have `after_restore`


def _taker(kind: type) -> Take | None:
    """How to take things of a class; None for those that are left alone. It is looked up once a
    class.
    """
    if kind in _KINDS:
        return _KINDS[kind]
    if left_alone(kind):
        if _modules(kind) & _SCREEN:
            _of_screen.add(kind)
            _choices.clear()
        return None
    for cls in kind.__mro__:
        known = _LOST.get(f"{cls.__module__}.{cls.__qualname__}")
        if known is not None:
            return _losing(*known)
    takes = [take for base, take in _BASES if issubclass(kind, base)][:1]
    takes += [_take_held] if unnamed(kind, *_OWN) and hasattr(kind, "parts_of") else []
    takes += _attribute_takers(kind)
    if issubclass(kind, random.Random):
        takes.append(_take_random)
    if not takes and hasattr(kind, "__next__"):
        return _losing("an iterator", _KEEP)
    if callable(getattr(kind, "after_restore", None)):
        _told.add(kind)
    if len(takes) == 1:
        return takes[0]

    def take_all(thing: Any, saves: list[Save], stack: list[Any]) -> None:
        for take in takes:
            take(thing, saves, stack)

    return take_all if takes else None


def left_alone(kind: type) -> bool:
    """Whether things of a class are no state of a game, or never change."""
    if kind in LEAVES or issubclass(
        kind, type | types.ModuleType | enum.Enum | np.generic | np.dtype
    ):
        return True
    if unnamed(kind, "not_state") is None or issubclass(kind, random.SystemRandom):  # type: ignore[arg-type]
        return True
    return bool(_modules(kind) & _FOREIGN)


def _modules(kind: type) -> set[str]:
    """The packages of a class and its bases. pyglet's vectors and matrices are numbers."""
    return {
        cls.__module__.partition(".")[0] for cls in kind.__mro__ if cls.__module__ != "pyglet.math"
    }


@functools.cache
def unnamed(kind: Any, *declarations: str) -> frozenset[str] | None:
    """The attributes that a class and its bases name in declarations such as ``not_state``; None
    for all of them.
    """
    names: set[str] = set()
    if "not_state" in declarations:
        declarations += ("_transient_attributes",)
    for cls in kind.__mro__:
        for declaration in declarations:
            given = vars(cls).get(declaration, ())
            if given is True:
                return None
            if isinstance(given, str) or not all(isinstance(name, str) for name in given or ()):
                where = f"in {cls.__qualname__}, or True"
                raise TypeError(f"{declaration}: expected a tuple of names of attributes {where}")
            names.update(given or ())
    return frozenset(names)


def _losing(what: str, instead: str) -> Take:
    def take(thing: Any, saves: list[Save], stack: list[Any]) -> None:
        raise Lost(thing, what, instead)

    return take


def _take_random(thing: Any, saves: list[Save], stack: list[Any]) -> None:
    saves.append((_put_random, thing, thing.getstate()))


def _put_random(thing: Any, held: Any) -> None:
    thing.setstate(held)


def slots_of(kind: type) -> tuple[str, ...]:
    """The slots of a class and its bases, by the names by which they are reached from outside."""
    names: list[str] = []
    for cls in kind.__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = name.startswith("__") and not name.endswith("__")
            names.append(f"_{cls.__name__.lstrip('_')}{name}" if mangled else name)
    own = {name for base in _BY_THEMSELVES if issubclass(kind, base) for name in dir(base)}
    own |= {*Handle.__slots__} if issubclass(kind, Handle) else set()
    return tuple(
        name
        for name in dict.fromkeys(names)
        if name not in ("__dict__", "__weakref__") and name not in own
    )


def has_dict(kind: type) -> bool:
    """Whether things of a class have a ``__dict__``."""
    return bool(kind.__dictoffset__)


def _attribute_takers(kind: type) -> list[Take]:
    left = unnamed(kind, "not_state", *_OWN) or frozenset()
    takes: list[Take] = []
    slots = tuple(name for name in slots_of(kind) if name not in left)
    if slots:
        takes.append(_slots_taker(slots))
    if has_dict(kind):
        takes.append(_some_attributes_taker(left) if left else _take_attributes)
    return takes


def _attributes_taker(left: frozenset[str]) -> Take:
    """Takes all attributes but those ``left``, and those that are of the screen: these may have
    been made anew.
    """

    def take(thing: Any, saves: list[Save], stack: list[Any]) -> None:
        attributes = thing.__dict__
        held = attributes.copy()
        for name in left:
            held.pop(name, None)
        more = [value for value in held.values() if value.__class__ not in LEAVES]
        if not _of_screen.isdisjoint(map(type, more)):
            held = {
                name: value for name, value in held.items() if value.__class__ not in _of_screen
            }
        saves.append((put, attributes, held))
        stack += more

    def put(attributes: Any, held: dict[str, Any]) -> None:
        attributes.update(held)
        if len(attributes) > len(held):
            for name in attributes.keys() - held.keys() - left:
                if attributes[name].__class__ not in _of_screen:
                    del attributes[name]

    return take


_take_attributes = _attributes_taker(frozenset())


def _some_attributes_taker(left: frozenset[str]) -> Take:
    """The same, for classes whose things all have the same attributes, as a rule: which to take is
    found out once.
    """
    plans: dict[tuple[str, ...], _Plan] = {}
    plan = _plan_for((), left)
    take_copied = _attributes_taker(left)

    def take(thing: Any, saves: list[Save], stack: list[Any]) -> None:
        nonlocal plan
        attributes = thing.__dict__
        size, number, get, _ = plan
        try:
            held = get(attributes)[:number] if len(attributes) == size else None
        except KeyError:
            held = None
        if held is None:  # it has not those of the last one
            found = tuple(attributes)
            if found not in plans and len(plans) < _PLANS:
                plans[found] = _plan_for(found, left)
            if found not in plans:
                take_copied(thing, saves, stack)
                return
            plan = plans[found]
            held = plan[2](attributes)[: plan[1]]
        kinds = tuple(map(type, held))
        choose, screen = _choices.get(kinds) or _choice_of(kinds)
        if screen:
            take_copied(thing, saves, stack)
            return
        if choose is not None:
            stack += choose(held)
        saves.append((put, attributes, (plan, held)))

    def put(attributes: Any, saved: tuple[_Plan, tuple[Any, ...]]) -> None:
        (size, _, get, names), held = saved
        try:
            if len(attributes) == size and all(map(is_, get(attributes), held)):
                return
        except KeyError:
            pass
        attributes.update(zip(names, held, strict=True))
        for name in attributes.keys() - {*names} - left:
            if attributes[name].__class__ not in _of_screen:
                del attributes[name]

    return take


_Plan = tuple[int, int, Callable[[Any], tuple[Any, ...]], tuple[str, ...]]
"""Which attributes of a thing are taken: how many it has, how many of them are, what fetches all of
them, those that are taken first (so it fails where one is missing), and their names."""


def _plan_for(found: tuple[str, ...], left: frozenset[str]) -> _Plan:
    names = tuple(name for name in found if name not in left)
    fetched = (*names, *left.intersection(found))
    get = (
        itemgetter(*fetched)
        if len(fetched) > 1
        else lambda attributes: tuple([attributes[name] for name in fetched])
    )
    return len(found), len(names), get, names


def _choice_of(kinds: tuple[type, ...]) -> tuple[Choose | None, bool]:
    """Which of values of these classes are to be looked at, found out once; and whether some are of
    the screen.
    """
    places = [place for place, kind in enumerate(kinds) if kind not in LEAVES]
    choose: Choose | None = itemgetter(*places) if len(places) > 1 else None
    if len(places) == 1:
        choose = itemgetter(slice(places[0], places[0] + 1))
    if len(_choices) >= _MOST_CHOICES:
        _choices.clear()
    found = _choices[kinds] = choose, not _of_screen.isdisjoint(kinds)
    return found


def _slots_taker(names: tuple[str, ...]) -> Take:
    get = attrgetter(*names) if len(names) > 1 else lambda thing: (getattr(thing, names[0]),)

    def take(thing: Any, saves: list[Save], stack: list[Any]) -> None:
        try:
            held = get(thing)
        except AttributeError:  # of one that was never set
            held = tuple([getattr(thing, name, _MISSING) for name in names])
        saves.append((put, thing, held))
        kinds = tuple(map(type, held))
        choose, _ = _choices.get(kinds) or _choice_of(kinds)
        if choose is not None:
            stack += choose(held)

    def put(thing: Any, held: tuple[Any, ...]) -> None:
        try:
            if all(map(is_, get(thing), held)):
                return
        except AttributeError:  # one by one
            pass
        for name, value in zip(names, held, strict=True):
            if getattr(thing, name, _MISSING) is not value:
                if value is _MISSING:
                    object.__delattr__(thing, name)
                else:
                    _set(thing, name, value)

    return take


# -- where things are ------------------------------------------------------------------------------


def path_to(roots: Mapping[str, Any], wanted: object) -> str:
    """How a thing is reached by the fewest steps, as in "game.ships[3].script"."""
    queue = collections.deque(roots.items())
    seen: set[int] = set()
    while queue:
        path, thing = queue.popleft()
        if thing is wanted:
            return path
        if thing.__class__ in LEAVES or id(thing) in seen or left_alone(thing.__class__):
            continue
        seen.add(id(thing))
        queue.extend((path + step, value) for step, value in members(thing))
    return "something in the game"


def members(thing: Any) -> Iterator[tuple[str, Any]]:
    """What a thing holds that a snapshot looks at, with the step that leads there."""
    kind = thing.__class__
    if isinstance(thing, Mapping):
        if isinstance(thing, collections.defaultdict):
            yield ".default_factory", thing.default_factory
        for key, value in thing.items():
            yield f"[{key!r}]", value
    elif isinstance(thing, list | tuple | collections.deque | set | frozenset):
        for index, value in enumerate(thing):
            yield f"[{index}]", value
    elif kind is types.FunctionType:
        for name, cell in zip(thing.__code__.co_freevars, thing.__closure__ or (), strict=True):
            yield f".{name}", cell
        yield ".__defaults__", thing.__defaults__
        yield ".__kwdefaults__", thing.__kwdefaults__
    elif isinstance(thing, functools.partial):
        yield from ((".func", thing.func), (".args", thing.args), (".keywords", thing.keywords))
    elif kind is types.CellType:
        with_contents: list[Save] = []
        _take_cell(thing, with_contents, [])
        for _, _, held in with_contents:
            yield "", held
    elif issubclass(kind, Handle) and not thing.removed:
        yield ".batch", thing.batch
    elif not has_dict(kind) and not slots_of(kind):
        found: list[Any] = []
        take = _takers.get(kind) or _KINDS.get(kind)
        if take is not None and not hasattr(kind, "__next__"):
            take(thing, [], found)
        for value in found:
            yield "", value
    yield from attributes_of(thing, unnamed(kind, "not_state") or frozenset())


def attributes_of(thing: Any, left: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """The attributes of a thing but for some, with the steps that lead there: by their public
    names.
    """
    kind = thing.__class__
    names = [name for name in slots_of(kind) if hasattr(thing, name)]
    names += thing.__dict__ if has_dict(kind) else []
    for name in names:
        if name not in left:
            yield step_to(kind, name), getattr(thing, name)


def step_to(kind: type, attribute: str) -> str:
    """How an attribute is written in a path: by its public name; a batch's table goes without
    saying. A class may name other steps in ``_path_steps``.
    """
    steps = getattr(kind, "_path_steps", None)
    if isinstance(steps, dict) and attribute in steps:
        step: str = steps[attribute]
        return step
    public = attribute.lstrip("_")
    if attribute == "_table" and issubclass(kind, Batch):
        return ""
    return f".{public if public and hasattr(kind, public) else attribute}"
