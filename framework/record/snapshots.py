"""Copy the state of a game in memory (a snapshot), and restore it later.

A game does not need any code of its own for this. A capture starts from the objects in ``roots``,
such as the game, and follows all references to other objects: in lists, dicts, sets, attributes,
local functions, arrays and tables of rows. The module `kinds` has the functions that capture each
kind of object. `restore` writes the captured state back into the same objects, so references to
them, for example in a task or in a local variable, stay valid.

Snapshots do not capture these objects:

- numbers, strings and other immutable values,
- classes, modules, and functions of a module,
- attributes that their class lists in ``not_state``, and all objects of a class whose ``not_state``
  is True,
- objects of pyglet, OpenGL and Pillow.

Running routines are captured with their local variables. After a restore, a routine continues at
the ``await`` where it was waiting when the snapshot was taken. The package `coroutines` explains
how this works.

Generators, files and threads cannot be restored. If the capture finds such an object, it raises a
`FrameworkError` with the path of the object.
"""

from __future__ import annotations

__all__ = ["Snapshot"]

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..errors import FrameworkError
from .attributes import Capture, Put, Save, capture_attributes, screen_classes
from .immutables import LEAVES
from .kinds import (
    GONE,
    CannotRestore,
    capture_of,
    is_notified,
    put_dict,
    put_list,
    put_routine,
    put_set,
    shuffle_set,
)
from .walk import path_to

_captures: dict[type, Capture | None] = {}
_notified: set[type] = set()  # the classes that have the method `after_restore`


class Notified(Protocol):
    """The interface of objects that have a method ``after_restore``."""

    def after_restore(self) -> None: ...


RoutineState = tuple[Any, Any]
"""A routine and its captured state."""


class SnapshotError(FrameworkError):
    """Raised if the game contains an object that a snapshot cannot restore. ``path`` is the path of
    the object, such as "game.enemy.script".
    """

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


def _cannot_restore(lost: CannotRestore, path: str) -> SnapshotError:
    """Return the error for an object that a snapshot cannot restore."""
    owner_path, _, name = path.rpartition(".")
    hint = f"; or leave it out: not_state = ({name!r},) in the class of {owner_path}"
    hint = hint if name.isidentifier() and not lost.final else ""
    words = f"snapshot: {path} is {lost.what}, which cannot be restored; {lost.instead}{hint}"
    return SnapshotError(words, path)


class Snapshot:
    """A copy of the game state at one tick, in memory.

    `Game.snapshot` creates a snapshot. `Game.restore` restores a snapshot of the same game. A
    snapshot keeps all objects of the game in memory. If a column has not changed between two
    snapshots, both snapshots share its memory.
    """

    __slots__ = ("__weakref__", "_notified", "_owner", "_saves", "_scenes", "tick")

    not_state = True

    def __init__(
        self,
        owner: object,
        roots: Mapping[str, object],
        tick: int,
        scenes: Sequence[object] = (),
        paths: Callable[[], Mapping[str, object]] | None = None,
    ) -> None:
        """Capture all objects that are reachable from ``roots``. In error messages, the path of an
        object starts with a key of the dict that ``paths()`` returns. By default, it starts with a
        key of ``roots``.
        """
        self._owner = weakref.ref(owner)
        self.tick = tick
        """The number of the last tick before the snapshot."""
        self._scenes = tuple(scenes)
        try:
            count = len(screen_classes)
            captured = _capture([*roots.values()])
            if len(screen_classes) != count:
                # New classes of pyglet or OpenGL have been found, so the state is captured again
                # without their objects.
                captured = _capture([*roots.values()])
            self._saves, self._notified = captured
        except CannotRestore as lost:
            path = path_to(roots if paths is None else paths(), lost.thing)
            raise _cannot_restore(lost, path) from None
        except ReferenceError:
            raise SnapshotError(f"snapshot: {GONE}", "game") from None

    def __repr__(self) -> str:
        return f"<Snapshot of tick {self.tick}>"


def is_of(snapshot: Snapshot, owner: object) -> bool:
    """Return whether this snapshot belongs to the game ``owner``."""
    return snapshot._owner() is owner


def scenes_of(snapshot: Snapshot) -> tuple[object, ...]:
    """Return the scenes that the game had when the snapshot was taken, lowest scene first."""
    return snapshot._scenes


def saves_of(snapshot: Snapshot) -> list[Save]:
    """Return the captured objects in a snapshot as a list. If you replace an item of this list, the
    new item must restore the same state.
    """
    return snapshot._saves


def restore(snapshot: Snapshot, shuffle_sets: bool = False) -> list[RoutineState]:
    """Restore the state of all captured objects. Return the routines in the snapshot and their
    states, for `resume_routines`.

    If ``shuffle_sets`` is True, change the order of the items in each set, to test the game. The
    code of a game must not depend on this order, because sets are unordered in Python.
    """
    saves: list[tuple[Put, Any, Any]] = snapshot._saves
    routines: list[RoutineState] = []
    for put, obj, saved in saves:
        if put is put_dict:  # most objects are dicts of attributes, so this code is inline
            obj.clear()
            obj.update(saved)
        elif put is put_list:
            obj[:] = saved
        else:
            put(obj, saved)
            if put is put_routine:
                routines.append((obj, saved))
    if shuffle_sets:
        for put, obj, saved in saves:
            if put is put_set:
                shuffle_set(obj, saved)
    return routines


def resume_routines(routines: list[RoutineState]) -> None:
    """Continue all routines in a snapshot, each at the ``await`` where it was waiting. ``routines``
    contains the routines that `restore` returned.

    Restore all objects before you call `resume_routines`. For example, a routine inside a loop over
    a list can continue only after the list has been restored.
    """
    for routine, saved in routines:
        if saved[-1] is not None:
            routine._resume_from(saved[-1])


def notify(snapshot: Snapshot) -> None:
    """Call the method ``after_restore()`` of every restored object that has this method. Restore
    all objects before you call `notify`.
    """
    for obj in snapshot._notified:
        obj.after_restore()


def _capture(queue: list[Any]) -> tuple[list[Save], list[Notified]]:
    """Capture the objects in ``queue``, and all objects to which they refer, directly or through
    other objects. Return two lists: the captured objects with their states, and the objects with a
    method ``after_restore``. The function appends all objects that it finds to ``queue``.

    To save time, this function captures objects of the most common classes itself, without another
    call.
    """
    saves: list[Save] = []
    visited: set[int] = set()  # ids of the objects that were visited
    notified: list[Notified] = []
    captures = _captures
    notified_kinds = _notified
    save = saves.append
    leaves = LEAVES.issuperset
    for obj in queue:  # the loop appends objects to the queue
        key = id(obj)
        if key in visited:
            continue
        visited.add(key)
        kind = obj.__class__
        try:
            capture = captures[kind]
        except KeyError:
            capture = _learn(kind)
        if capture is capture_attributes:
            attributes: dict[str, object] = obj.__dict__
            if leaves(map(type, attributes.values())):
                save((put_dict, attributes, attributes.copy()))
            else:
                capture(obj, saves, queue)
        elif kind is list:
            values: list[object] = obj
            save((put_list, values, values.copy()))
            if values and not leaves(map(type, values)):
                queue += [value for value in values if value.__class__ not in LEAVES]
        elif kind is tuple:
            parts: tuple[object, ...] = obj
            if not leaves(map(type, parts)):
                queue += [value for value in parts if value.__class__ not in LEAVES]
        elif capture is not None:
            capture(obj, saves, queue)
        if kind in notified_kinds:
            notified.append(obj)
    return saves, notified


def _learn(kind: type) -> Capture | None:
    capture = _captures[kind] = capture_of(kind)
    if is_notified(kind):
        _notified.add(kind)
    return capture
