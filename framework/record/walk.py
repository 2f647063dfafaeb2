"""Walk: visit all objects that can be reached from a game, breadth first.

Hashes, listings and error messages with paths use the function `walk`. `walk` visits each object
once. At the first visit, the object gets a number. The walk stores the path to each object. The
module `snapshots` visits the same objects with a faster loop of its own: it needs no numbers and no
sorted names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..state.columns import TableColumn
from ..state.rows import Batch
from .attributes import Describe, Description
from .immutables import PLAIN, WRITERS, write_values
from .kinds import describer_of
from .stable_names import IN_HASHES

Visit = Callable[[object, Description], None]
"""A function that is called with each object and its description, in the order of the walk."""

_ASIDE = -1  # the number of objects that are no state

_hashed: dict[type, Describe] = {}
_all: dict[type, Describe] = {}


def walk(
    roots: Mapping[str, object],
    aside: Sequence[object] = (),
    visit: Visit | None = None,
    hashed: bool = True,
) -> list[object]:
    """Return the data for the hash of a state. The data describe all objects that can be reached
    from ``roots``, except the objects ``aside``.

    ``roots`` is a dict from names, such as "game", to the objects at which the walk starts. If
    ``hashed`` is False, the data also contain attributes that do not belong into hashes.
    """
    out: list[object] = []
    queue: list[object] = []
    numbers = dict.fromkeys(map(id, aside), _ASIDE)
    write_values(roots.values(), out, numbers, queue)
    describers = _hashed if hashed else _all
    for obj in queue:  # the loop extends it
        try:
            describe = describers[obj.__class__]
        except KeyError:
            kind: type = obj.__class__
            describe = describers[kind] = describer_of(kind, hashed)
        description = head, names, parts = describe(obj)
        if visit is not None:
            visit(obj, description)
        out += head, len(parts) if names is None else names
        write_values(parts, out, numbers, queue)
    return out


Listing = dict[str, object]
"""The values of a state by their paths: plain values and arrays. An object that was already visited
is a `SameObject`.
"""


@dataclass(frozen=True)
class SameObject:
    """Stands for an object that is already in the listing at another path."""

    path: str


class ObjectPaths:
    """Stores the path of each object that a walk visits, such as "game.ships[3].script"."""

    def __init__(self, roots: Mapping[str, object], aside: Sequence[object] = ()) -> None:
        self.leaves: Listing = {}
        """The values that do not refer to other objects (numbers, texts, arrays), by their paths.
        """
        self._of = dict.fromkeys(map(id, aside), "")
        for path, value in roots.items():
            self._put(path, value)

    def visit(self, obj: object, description: Description) -> None:
        """Store the path of each object that ``obj`` refers to."""
        path = self._of[id(obj)]
        for step, part in zip(steps(obj, description), description[2], strict=True):
            self._put(path + step, part)

    def path_of(self, obj: object) -> str | None:
        """Return the path of an object, or None if the walk did not visit it."""
        return self._of.get(id(obj))

    def _put(self, path: str, value: object) -> None:
        """Store the path of a value. If the value is a tuple, store the paths of its members
        too.
        """
        kind: type = value.__class__
        if kind in PLAIN or kind is float:
            self.leaves[path] = value
        elif kind in WRITERS:
            if kind is not TableColumn:  # its table has it
                self.leaves[path] = WRITERS[kind](value)
            for index, part in enumerate(value if value.__class__ is tuple else ()):
                self._put(f"{path}[{index}]", part)
        elif id(value) in self._of:
            self.leaves[path] = SameObject(self._of[id(value)])
        else:
            self._of[id(value)] = path


def path_to(roots: Mapping[str, object], target: object) -> str:
    """Return the shortest path to an object, as in "game.ships[3].script"."""
    paths = ObjectPaths(roots)
    walk(roots, visit=paths.visit, hashed=False)
    path = paths.path_of(target) or "something in the game"
    return path.replace(".__self__", "")  # the path of a method instead of its object


def steps(obj: object, description: Description) -> Sequence[str]:
    """For each object to which ``obj`` refers, return the last part of its path, such as ".name" or
    "[3]". For an attribute, the last part of the path is the public name of the attribute.
    """
    kind: type = obj.__class__
    _, names, parts = description
    if names is None:
        return [f"[{index}]" for index in range(len(parts))]
    if names and names[0][:1] not in _SIGNS:  # it has only attributes
        return _attribute_steps(kind, tuple(names))
    return [_step(kind, name) for name in names]


_SIGNS = ("", "[", ".")  # first characters of steps; no attribute begins with them


@functools.lru_cache(maxsize=1024)
def _attribute_steps(kind: type, names: tuple[str, ...]) -> list[str]:
    return [_step(kind, name) for name in names]


def _step(kind: type, name: str) -> str:
    if name[:1] in _SIGNS:
        return name
    return _step_to(kind, IN_HASHES.fields_by_name(kind).get(name, name))


def _step_to(kind: type, attribute: str) -> str:
    """Return the part of a path for an attribute, such as ".position".

    For the table of a batch, the part is empty, so paths do not mention the table. A class may
    define the parts for its own attributes in ``_path_steps``.
    """
    steps_by_name: Mapping[str, str] = getattr(kind, "_path_steps", {})
    if attribute in steps_by_name:
        return steps_by_name[attribute]
    public = attribute.lstrip("_")
    if attribute == "_table" and issubclass(kind, Batch):
        return ""
    return f".{public if public and hasattr(kind, public) else attribute}"
