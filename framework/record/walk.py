"""Visit all objects that belong to the state of a game, to hash them or to find their paths.

`walk` is used for state hashes, and to name an object in an error message by its path, such as
``game.ships[2]``. It visits each object once, and numbers the objects in the order of the visits.
`ObjectPaths` stores their paths. The module `snapshots` visits the same objects with a faster loop
of its own, because snapshots need neither numbers nor names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..state.rows import Batch
from .attributes import Describe, Description
from .immutables import COLUMNS, PLAIN, WRITERS, write_values
from .kinds import describer_of
from .stable_names import IN_HASHES

Visit = Callable[[object, Description], None]
"""A function ``visit(obj, description)`` that the walk calls for each object."""

_ASIDE = -1  # the number of objects that are not part of the state

_hashed: dict[type, Describe] = {}
_all: dict[type, Describe] = {}


def walk(
    roots: Mapping[str, object],
    aside: Sequence[object] = (),
    visit: Visit | None = None,
    hashed: bool = True,
) -> list[object]:
    """Return a list of values that describe the complete state of a game. The state hash is
    computed from this list. The state consists of all objects that are reachable from the objects
    in ``roots``. The walk ignores the objects in ``aside``.

    The keys of the dict ``roots`` are names, such as "game". If ``hashed`` is False, the list also
    contains attributes that do not change hashes.
    """
    out: list[object] = []
    queue: list[object] = []
    numbers = dict.fromkeys(map(id, aside), _ASIDE)
    write_values(roots.values(), out, numbers, queue)
    describers = _hashed if hashed else _all
    append = out.append
    for obj in queue:  # the loop appends objects to the queue
        try:
            describe = describers[obj.__class__]
        except KeyError:
            kind: type = obj.__class__
            describe = describers[kind] = describer_of(kind, hashed)
        head, names, parts = describe(obj)
        if visit is not None:
            visit(obj, (head, names, parts))
        append(head)
        size: object = len(parts) if names is None else names
        append(size)
        if size:
            write_values(parts, out, numbers, queue)
    return out


Listing = dict[str, object]
"""A dict from paths to the values of a game state. The values are plain values and arrays. If an
object already has another path, the value is a `SameObject`.
"""


@dataclass(frozen=True)
class SameObject:
    """A value in a listing that refers to an earlier object, whose path is `path`."""

    path: str


class ObjectPaths:
    """Stores the path of each object that a walk visits, such as "game.ships[3].script"."""

    def __init__(self, roots: Mapping[str, object], aside: Sequence[object] = ()) -> None:
        self.leaves: Listing = {}
        """A dict from paths to all numbers, texts and arrays."""
        self._of = dict.fromkeys(map(id, aside), "")
        for path, value in roots.items():
            self._put(path, value)

    def visit(self, obj: object, description: Description) -> None:
        """Store the paths of all objects that ``obj`` refers to."""
        path = self._of[id(obj)]
        for step, part in zip(steps(obj, description), description[2], strict=True):
            self._put(path + step, part)

    def path_of(self, obj: object) -> str | None:
        """Return the path of an object, or None if the walk has not visited it."""
        return self._of.get(id(obj))

    def _put(self, path: str, value: object) -> None:
        """Store the path of a value. If the value is a tuple, also store the paths of its items."""
        kind: type = value.__class__
        if kind in PLAIN or kind is float:
            self.leaves[path] = value
        elif kind in WRITERS:
            if kind not in COLUMNS:  # the table of the column has the values
                self.leaves[path] = WRITERS[kind](value)
            for index, part in enumerate(value if value.__class__ is tuple else ()):
                self._put(f"{path}[{index}]", part)
        elif id(value) in self._of:
            self.leaves[path] = SameObject(self._of[id(value)])
        else:
            self._of[id(value)] = path


def path_to(roots: Mapping[str, object], target: object) -> str:
    """Return the shortest path to the object ``target``, such as "game.ships[3].script"."""
    paths = ObjectPaths(roots)
    walk(roots, visit=paths.visit, hashed=False)
    path = paths.path_of(target) or "something in the game"
    # the message shows the path of the method, not of its object
    return path.replace(".__self__", "")


def steps(obj: object, description: Description) -> Sequence[str]:
    """For each object that ``obj`` refers to, return the last part of its path, such as ".name" or
    "[3]". If the object is an attribute value, the last part is the public name of the attribute.
    """
    kind: type = obj.__class__
    _, names, parts = description
    if names is None:
        return [f"[{index}]" for index in range(len(parts))]
    if names and names[0][:1] not in _SIGNS:  # all names are attributes
        return _attribute_steps(kind, tuple(names))
    return [_step(kind, name) for name in names]


_SIGNS = ("", "[", ".")  # the first characters of parts that are not attributes


@functools.lru_cache(maxsize=1024)
def _attribute_steps(kind: type, names: tuple[str, ...]) -> list[str]:
    return [_step(kind, name) for name in names]


def _step(kind: type, name: str) -> str:
    if name[:1] in _SIGNS:
        return name
    return _step_to(kind, IN_HASHES.fields_by_name(kind).get(name, name))


def _step_to(kind: type, attribute: str) -> str:
    """Return the part of a path for an attribute, such as ".position". The part is empty for the
    table of a batch, so that paths in messages do not contain this internal object. A class can
    define other path parts for its attributes in ``_path_steps``.
    """
    steps_by_name: Mapping[str, str] = getattr(kind, "_path_steps", {})
    if attribute in steps_by_name:
        return steps_by_name[attribute]
    public = attribute.lstrip("_")
    if attribute == "_table" and issubclass(kind, Batch):
        return ""
    return f".{public if public and hasattr(kind, public) else attribute}"
