"""Who holds a class that was only made to be taken apart: registries, decorators' closures,
descriptors' owners.

A class statement that is run anew makes another class, and tells it to whoever registers classes.
What is held of it there is exchanged for the class that stays, by what the garbage collector knows
of references.
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


def exchange(pairs: dict[type, type]) -> None:
    """Have all lists, sets, dictionaries, closures and objects hold the values of ``pairs`` instead
    of its keys; let go of these."""
    if not pairs:
        return
    if _most_references(pairs) > _most_references({type("Lone", (), {}): object}):
        with _thawed():
            holders: list[object] = gc.get_referrers(*pairs)
            _in_classes(holders, pairs)
            for holder in holders:
                if holder is not pairs:
                    _replace(holder, pairs)
            del holder, holders
            _let_go(pairs)
    else:
        _let_go(pairs)


def _let_go(pairs: dict[type, type]) -> None:
    """Have nothing be left of them: `__subclasses__` tells those that wait for a collection."""
    pairs.clear()
    gc.collect(1)


def _most_references(kinds: Mapping[type, type]) -> int:
    """References to one of these classes, but for those of its own slots: to look for who holds
    them takes long.
    """
    return max(
        sys.getrefcount(kind)
        - sum(getattr(part, "__objclass__", None) is kind for part in vars(kind).values())
        for kind in kinds
    )


@contextmanager
def _thawed() -> Iterator[None]:
    """Frozen objects are not among those that are asked for references."""
    frozen = gc.get_freeze_count() > 0
    if frozen:
        gc.unfreeze()
    try:
        yield
    finally:
        if frozen:
            gc.freeze()


def _in_classes(holders: list[object], pairs: Mapping[type, type]) -> None:
    """Class attributes are set as such, as their dictionary is not to be written to; it is taken
    out of ``holders``.
    """
    spaces = {id(holder) for holder in holders if type(holder) is dict}
    owners: list[object] = []
    if spaces:
        owners = gc.get_referrers(*[holder for holder in holders if type(holder) is dict])
    for owner in owners:
        if not isinstance(owner, type):
            continue
        own = {id(one) for one in gc.get_referents(owner)} & spaces
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
        found = [one for one in holder if not _is_one(one, pairs) or pairs[one] not in holder]
        holder[:] = [pairs[one] if _is_one(one, pairs) else one for one in found]
    elif type(holder) is set:
        for new in [one for one in holder if _is_one(one, pairs)]:
            holder.discard(new)
            holder.add(pairs[new])
    elif type(holder) is CellType:
        content: object = holder.cell_contents
        if _is_one(content, pairs):
            holder.cell_contents = pairs[content]
    elif kind in pairs and not issubclass(kind, enum.Enum):
        with contextlib.suppress(TypeError):  # of another form
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
