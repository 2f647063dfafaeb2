"""Snapshots: everything that can be reached from a few roots, to be put back into the very same
objects.

Nothing has to be declared. The walk goes by identity through lists, dicts, sets, deques, objects,
closures, arrays, tables of rows and random generators, and notes what each holds (see `kinds`).
`put_back` writes that into those objects again: whoever refers to one of them (a task's
callback, a camera's target, a local variable) finds it as it was.

What is left alone: numbers, strings and the like, which never change; classes, modules, and
functions of a module; what a class names in ``not_state``, or all of its objects where that is
True; what belongs to pyglet, OpenGL or Pillow. What has a state that nobody can put back (a
generator, a file, a thread, …) is a `FrameworkError` that names it.
"""

from __future__ import annotations

__all__ = ["Snapshot"]

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..errors import FrameworkError
from .attributes import Capture, Put, Save, capture_attributes, screen_classes
from .kinds import GONE, Lost, capture_of, is_notified, put_dict, put_list, put_set, stir_set
from .values import LEAVES
from .walk import path_to

_captures: dict[type, Capture | None] = {}
_notified: set[type] = set()  # classes that have `after_restore`


class Notified(Protocol):
    """A thing of a class with ``after_restore``."""

    def after_restore(self) -> None: ...


class SnapshotError(FrameworkError):
    """There is something in a game that a snapshot could not put back; ``path`` says where."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.path = path


class Snapshot:
    """The state of a game at one moment, in memory: made by `Game.snapshot`, for `Game.restore` of
    the same game.

    It keeps alive what the game held then, and shares with other snapshots the columns that did not
    change.
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
        """``paths`` returns what paths begin at, if that is something else than ``roots``."""
        self._owner = weakref.ref(owner)
        self.tick = tick
        """The number of the game's last tick then."""
        self._scenes = tuple(scenes)
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


def is_of(snapshot: Snapshot, owner: object) -> bool:
    """Return whether a snapshot was taken of ``owner``."""
    return snapshot._owner() is owner


def scenes_of(snapshot: Snapshot) -> tuple[object, ...]:
    """Return the scenes that were on when a snapshot was taken, the lowest first."""
    return snapshot._scenes


def saves_of(snapshot: Snapshot) -> list[Save]:
    """Return everything that a snapshot holds. An entry may be replaced by an equivalent one."""
    return snapshot._saves


def put_back(snapshot: Snapshot, stir: bool = False) -> None:
    """Have everything as it was. With ``stir``, sets have their members in another order, as they
    are free to.
    """
    saves: list[tuple[Put, Any, Any]] = snapshot._saves
    for put, thing, held in saves:
        if put is put_dict:  # most of them are: without the call
            thing.clear()
            thing.update(held)
        elif put is put_list:
            thing[:] = held
        else:
            put(thing, held)
    if stir:
        for put, thing, held in saves:
            if put is put_set:
                stir_set(thing, held)


def notify(snapshot: Snapshot) -> None:
    """Call ``after_restore()`` of everything that has it: everything is back."""
    for thing in snapshot._notified:
        thing.after_restore()


def _taken(roots: list[object]) -> tuple[list[Save], list[Notified]]:
    known = screen_classes()
    taken = _capture(roots)
    # Attributes are told apart by the classes of the screen that were met.
    return taken if screen_classes() == known else _capture(roots)


def _capture(roots: list[object]) -> tuple[list[Save], list[Notified]]:
    """Return what puts everything back, and the things that are called in the end.

    Things that are kept in most games are captured here, without a call.
    """
    saves: list[Save] = []
    queue: list[Any] = [root for root in roots if root.__class__ not in LEAVES]
    seen: set[int] = set()  # of what the queue holds
    notified: list[Notified] = []
    captures, told, save, leaves = _captures, _notified, saves.append, LEAVES.issuperset
    for thing in queue:  # which grows
        key = id(thing)
        if key in seen:
            continue
        seen.add(key)
        kind = thing.__class__
        try:
            capture = captures[kind]
        except KeyError:
            capture = _learn(kind)
        if capture is capture_attributes:
            attributes: dict[str, object] = thing.__dict__
            if leaves(map(type, attributes.values())):
                save((put_dict, attributes, attributes.copy()))
            else:
                capture(thing, saves, queue)
        elif kind is list:
            values: list[object] = thing
            save((put_list, values, values.copy()))
            if values and not leaves(map(type, values)):
                queue += [value for value in values if value.__class__ not in LEAVES]
        elif kind is tuple:
            parts: tuple[object, ...] = thing
            if not leaves(map(type, parts)):
                queue += [value for value in parts if value.__class__ not in LEAVES]
        elif capture is not None:
            capture(thing, saves, queue)
        if kind in told:
            notified.append(thing)
    return saves, notified


def _learn(kind: type) -> Capture | None:
    capture = _captures[kind] = capture_of(kind)
    if is_notified(kind):
        _notified.add(kind)
    return capture
