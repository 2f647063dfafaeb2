"""Snapshots: copy the state of a game in memory, and restore it into the same objects.

A game need not declare anything for snapshots. A capture starts at the objects in ``roots``, such
as the game. From there the capture follows all references: through lists, dicts, sets, deques,
objects, closures, arrays, tables of rows and random generators. The module `kinds` decides how each
object is captured. `restore` writes the state back into the same objects. After a restore,
references to objects stay valid, for example in a task's callback, in a camera's target or in a
local variable.

Snapshots do not capture:

- numbers, strings and other immutable values,
- classes, modules, and functions that a module defines,
- attributes that a class lists in ``not_state``; if ``not_state`` is True, all objects of the
  class,
- objects of pyglet, OpenGL or Pillow.

Running routines are captured with their local variables. After a restore, routines continue at the
same ``await`` (see the room `coroutines`).

Generators, files and threads cannot be restored. If the game refers to one, the capture raises a
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
_notified: set[type] = set()  # classes that have `after_restore`


class Notified(Protocol):
    """The interface of objects with the method ``after_restore``, which is called after a
    restore.
    """

    def after_restore(self) -> None: ...


class SnapshotError(FrameworkError):
    """Raised for an object of the game that snapshots cannot restore. ``path`` is the path of the
    object, such as "game.enemy.script".
    """

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class Snapshot:
    """The state of a game at one time, in memory.

    `Game.snapshot` makes a snapshot, and `Game.restore` of the same game restores it. A snapshot
    keeps its objects alive while it exists. Snapshots share the memory of columns that have not
    changed.
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
        """Capture the state of ``roots``. ``paths`` is a function that returns the objects at which
        the paths in error messages start. By default, paths start at ``roots``.
        """
        self._owner = weakref.ref(owner)
        self.tick = tick
        """The number of the last tick before the snapshot."""
        self._scenes = tuple(scenes)
        try:
            self._saves, self._notified = _capture_all(list(roots.values()))
        except CannotRestore as lost:
            path = path_to(roots if paths is None else paths(), lost.thing)
            owner_path, _, name = path.rpartition(".")
            hint = f"; or leave it out: not_state = ({name!r},) in the class of {owner_path}"
            hint = hint if name.isidentifier() and not lost.final else ""
            words = (
                f"snapshot: {path} is {lost.what}, which cannot be restored; {lost.instead}{hint}"
            )
            raise SnapshotError(words, path) from None
        except ReferenceError:
            raise SnapshotError(f"snapshot: {GONE}", "game") from None

    def __repr__(self) -> str:
        return f"<Snapshot of tick {self.tick}>"


def is_of(snapshot: Snapshot, owner: object) -> bool:
    """Return whether a snapshot belongs to the game ``owner``."""
    return snapshot._owner() is owner


def scenes_of(snapshot: Snapshot) -> tuple[object, ...]:
    """Return the scenes that were active at the time of the snapshot, the lowest first."""
    return snapshot._scenes


def saves_of(snapshot: Snapshot) -> list[Save]:
    """Return the captured objects of a snapshot, as a list. You may replace an item of the list
    only by an item that restores the same state.
    """
    return snapshot._saves


def restore(snapshot: Snapshot, shuffle_sets: bool = False) -> None:
    """Restore the state of all captured objects. If ``shuffle_sets`` is True, restored sets get another
    iteration order, to test that the game is deterministic.

    Python does not guarantee the order of a set, so a game must not depend on it.
    """
    saves: list[tuple[Put, Any, Any]] = snapshot._saves
    for put, obj, saved in saves:
        if put is put_dict:  # the usual case, without a call
            obj.clear()
            obj.update(saved)
        elif put is put_list:
            obj[:] = saved
        else:
            put(obj, saved)
    if shuffle_sets:
        for put, obj, saved in saves:
            if put is put_set:
                shuffle_set(obj, saved)


def resume_routines(snapshot: Snapshot) -> None:
    """Continue the routines of a snapshot. Call `resume_routines` after all objects were restored.
    A loop over a list or dict can return to its position only if the list or dict has already been
    restored.
    """
    saves: list[tuple[Put, Any, Any]] = snapshot._saves
    for put, obj, saved in saves:
        if put is put_routine and saved[-1] is not None:
            obj._resume_from(saved[-1])


def notify(snapshot: Snapshot) -> None:
    """Call ``after_restore()`` of every object that has this method. Call `notify` after all
    objects were restored.
    """
    for obj in snapshot._notified:
        obj.after_restore()


def _capture_all(roots: list[object]) -> tuple[list[Save], list[Notified]]:
    count = screen_classes()
    captured = _capture(roots)
    # The capture skips attributes of the screen, whose classes it learns on the way.
    return captured if screen_classes() == count else _capture(roots)


def _capture(roots: list[object]) -> tuple[list[Save], list[Notified]]:
    """Return the captured objects with their states, and the objects that have the method
    ``after_restore``.

    This function itself captures objects of the most frequent classes, which saves time.
    """
    saves: list[Save] = []
    queue: list[Any] = [root for root in roots if root.__class__ not in LEAVES]
    visited: set[int] = set()  # ids of the objects that were visited
    notified: list[Notified] = []
    captures = _captures
    notified_kinds = _notified
    save = saves.append
    leaves = LEAVES.issuperset
    for obj in queue:  # the loop extends it
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
