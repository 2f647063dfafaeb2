"""The walk over what a game is: everything that can be reached from a few roots, breadth first.

Hashes, listings and the paths in messages are uses of it. What is the same object is met once: it
has a number, and a path, of the first way that leads to it. (Snapshots go over the same kinds in a
loop of their own, which needs neither numbers nor an order of names: see `snapshots`.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..state.columns import Column
from ..state.rows import Batch
from .attributes import Describe, Description
from .kinds import describer_of
from .stable_names import IN_HASHES
from .values import PLAIN, WRITERS, write_values

Visit = Callable[[object, Description], None]
"""Called with each thing and its description, in the order of the walk."""

_ASIDE = -1  # the number of what is no state

_hashed: dict[type, Describe] = {}
_all: dict[type, Describe] = {}


def walk(
    roots: Mapping[str, object],
    aside: Sequence[object] = (),
    visit: Visit | None = None,
    hashed: bool = True,
) -> list[object]:
    """Return what a hash has of everything that can be reached from ``roots``, things or values by
    their paths, but for what is ``aside``. Without ``hashed``, of all that is state.
    """
    out: list[object] = []
    queue: list[object] = []
    numbers = dict.fromkeys(map(id, aside), _ASIDE)
    write_values(roots.values(), out, numbers, queue)
    describers = _hashed if hashed else _all
    for thing in queue:  # which grows
        try:
            describe = describers[thing.__class__]
        except KeyError:
            kind: type = thing.__class__
            describe = describers[kind] = describer_of(kind, hashed)
        description = head, names, parts = describe(thing)
        if visit is not None:
            visit(thing, description)
        out += head, len(parts) if names is None else names
        write_values(parts, out, numbers, queue)
    return out


Listing = dict[str, object]
"""What a state consists of, by path: plain values, arrays, and `Same` for what was met before."""


@dataclass(frozen=True)
class Same:
    """Stands for a thing that is listed at another path."""

    path: str


class Paths:
    """The path of each thing that a walk meets, as in "game.ships[3].script"."""

    def __init__(self, roots: Mapping[str, object], aside: Sequence[object] = ()) -> None:
        self.leaves: Listing = {}
        """The values without parts, by their paths."""
        self._of = dict.fromkeys(map(id, aside), "")
        for path, value in roots.items():
            self._put(path, value)

    def visit(self, thing: object, description: Description) -> None:
        """Note the paths of the parts of a thing."""
        path = self._of[id(thing)]
        for step, part in zip(steps(thing, description), description[2], strict=True):
            self._put(path + step, part)

    def path_of(self, thing: object) -> str | None:
        """Return the path of a thing; None if the walk did not meet it."""
        return self._of.get(id(thing))

    def _put(self, path: str, value: object) -> None:
        """Note the path of a value, and of those in a tuple."""
        kind: type = value.__class__
        if kind in PLAIN or kind is float:
            self.leaves[path] = value
        elif kind in WRITERS:
            if kind is not Column:  # its table has it
                self.leaves[path] = WRITERS[kind](value)
            for index, part in enumerate(value if value.__class__ is tuple else ()):
                self._put(f"{path}[{index}]", part)
        elif id(value) in self._of:
            self.leaves[path] = Same(self._of[id(value)])
        else:
            self._of[id(value)] = path


def path_to(roots: Mapping[str, object], wanted: object) -> str:
    """Return how a thing is reached by the fewest steps."""
    paths = Paths(roots)
    walk(roots, visit=paths.visit, hashed=False)
    path = paths.path_of(wanted) or "something in the game"
    return path.replace(".__self__", "")  # of a method: where the method is


def steps(thing: object, description: Description) -> Sequence[str]:
    """Return the steps that lead from a thing to its parts; attributes by their public names."""
    kind: type = thing.__class__
    _, names, parts = description
    if names is None:
        return [f"[{index}]" for index in range(len(parts))]
    if names and names[0][:1] not in _SIGNS:  # only attributes
        return _attribute_steps(kind, tuple(names))
    return [_step(kind, name) for name in names]


_SIGNS = ("", "[", ".")  # with which a step begins, and no attribute


@functools.lru_cache(maxsize=1024)
def _attribute_steps(kind: type, names: tuple[str, ...]) -> list[str]:
    return [_step(kind, name) for name in names]


def _step(kind: type, name: str) -> str:
    if name[:1] in _SIGNS:
        return name
    return _step_to(kind, IN_HASHES.fields_by_name(kind).get(name, name))


def _step_to(kind: type, attribute: str) -> str:
    """How an attribute is written in a path: by its public name. A batch's table goes without
    saying. A class may name other steps in ``_path_steps``.
    """
    other: Mapping[str, str] = getattr(kind, "_path_steps", {})
    if attribute in other:
        return other[attribute]
    public = attribute.lstrip("_")
    if attribute == "_table" and issubclass(kind, Batch):
        return ""
    return f".{public if public and hasattr(kind, public) else attribute}"
