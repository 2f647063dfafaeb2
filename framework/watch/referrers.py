"""Find and replace references to the temporary classes that hot reload creates.

When hot reload runs a class statement again, Python creates a second class. Other objects, such as
a registry of classes, may refer to it. This module replaces these references with references to the
original class. To find all objects that refer to the second class, it uses Python's garbage
collector.
"""

from __future__ import annotations

import contextlib
import enum
import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import CellType
from typing import TypeGuard


def replace_references(pairs: dict[type, type]) -> None:
    """Replace each reference to a key of the dict ``pairs`` with a reference to its value. The
    function searches all lists, sets, dicts, closures and objects of the program.

    After the call, ``pairs`` is empty, so that Python can free the keys.
    """
    if not pairs:
        return
    if _max_references(pairs) > _max_references({type("Lone", (), {}): object}):
        with _thawed():
            holders: list[object] = gc.get_referrers(*pairs)
            _in_classes(holders, pairs)
            for holder in holders:
                if holder is not pairs:
                    _replace(holder, pairs)
            del holder, holders
            _free(pairs)
    else:
        _free(pairs)


def _free(pairs: dict[type, type]) -> None:
    """Free the temporary classes immediately. Otherwise, `__subclasses__` would list them until the
    next garbage collection.
    """
    pairs.clear()
    gc.collect(1)


def _max_references(kinds: Mapping[type, type]) -> int:
    """Count the references to each class, and return the largest count. References from the class's
    own slots are not counted.
    """
    return max(
        sys.getrefcount(kind)
        - sum(getattr(part, "__objclass__", None) is kind for part in vars(kind).values())
        for kind in kinds
    )


@contextmanager
def _thawed() -> Iterator[None]:
    """A context manager that undoes ``gc.freeze`` during a search, because the garbage collector
    cannot search frozen objects.
    """
    frozen = gc.get_freeze_count() > 0
    if frozen:
        gc.unfreeze()
    try:
        yield
    finally:
        if frozen:
            gc.freeze()


def _in_classes(holders: list[object], pairs: Mapping[type, type]) -> None:
    """Replace the references that are attributes of classes. This needs `setattr`, because the dict
    of a class is read-only.

    ``holders`` is a list of objects that refer to a temporary class. The dicts of classes are
    removed from it.
    """
    spaces = {id(holder) for holder in holders if type(holder) is dict}
    owners: list[object] = []
    if spaces:
        owners = gc.get_referrers(*[holder for holder in holders if type(holder) is dict])
    for owner in owners:
        if not isinstance(owner, type):
            continue
        own = {id(referent) for referent in gc.get_referents(owner)} & spaces
        if not own:
            continue
        holders[:] = [holder for holder in holders if id(holder) not in own]
        for name, value in list(vars(owner).items()):
            if owner not in pairs and _is_one(value, pairs):
                setattr(owner, name, pairs[value])


def _replace(holder: object, pairs: Mapping[type, type]) -> None:
    kind = type(holder)
    if type(holder) is dict:
        _replace_in(holder, pairs)
    elif type(holder) is list:
        remaining = [
            item for item in holder if not _is_one(item, pairs) or pairs[item] not in holder
        ]
        holder[:] = [pairs[item] if _is_one(item, pairs) else item for item in remaining]
    elif type(holder) is set:
        for new in [item for item in holder if _is_one(item, pairs)]:
            holder.discard(new)
            holder.add(pairs[new])
    elif type(holder) is CellType:
        content: object = holder.cell_contents
        if _is_one(content, pairs):
            holder.cell_contents = pairs[content]
    elif kind in pairs and not issubclass(kind, enum.Enum):
        # Not possible if the classes have different memory layouts.
        with contextlib.suppress(TypeError):
            holder.__class__ = pairs[kind]
    elif not isinstance(holder, type):
        space: object = getattr(holder, "__dict__", None)
        if isinstance(space, dict):
            _replace_in(space, pairs)


def _replace_in(space: dict[object, object], pairs: Mapping[type, type]) -> None:
    for name, value in list(space.items()):
        if _is_one(value, pairs):
            space[name] = pairs[value]
        if _is_one(name, pairs):
            space[pairs[name]] = space.pop(name)


def _is_one(value: object, pairs: Mapping[type, type]) -> TypeGuard[type]:
    return isinstance(value, type) and value in pairs
