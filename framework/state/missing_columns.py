"""Explain how to add a column if the game uses an attribute that rows do not have.

For example, ``sprite.hp`` needs a column ``hp``.

The framework adds this advice when it catches an error from the game's code. Checking for missing
attributes in ``__getattr__`` and ``__setattr__`` would slow down every access to an attribute of a
row.
"""

from __future__ import annotations

import re
from typing import Any

from ..checks import how_to_have, listed, similar_names
from ..moved_names import current_names
from ..other_engines.game_code import is_called
from .rows import Handle

# Python 3.13 adds the second part if code sets an attribute.
_MISSING = re.compile(
    r"'(\w+)' object has no attribute '(\w+)'(?: and no __dict__ for setting new attributes)?"
)


def explain_missing(error: AttributeError) -> bool:
    """If the error is about an unknown attribute of a handle, such as a `Sprite`, add advice to its
    message. The advice explains how to declare a column. Return whether the advice was added.
    """
    match = _MISSING.fullmatch(str(error))
    if match is None or match[2][0] == "_":
        return False
    owner: object = getattr(error, "obj", None)
    # Before Python 3.12, the error for setting an attribute has no object.
    owner_class = _handle_class(match[1]) if owner is None else type(owner)
    if owner_class not in _handle_classes():
        return False
    hint = _hint(owner_class, match[2], is_called(error, match[2]))
    error.args = (f"{match[0]}; {hint}",)
    error.name = None  # otherwise Python appends its own hint
    return True


def _handle_classes() -> set[type]:
    """Return the classes of handles whose batches accept columns of the game."""
    return {kind for kind in _subclasses(Handle) if getattr(kind, "_takes_columns", False)}


def _handle_class(name: str) -> type | None:
    named = (kind for kind in _handle_classes() if kind.__name__ == name)
    return next(named, None)


def _hint(kind: type, name: str, called: bool) -> str:
    names = [public for public in current_names(kind, dir(kind)) if public[0] != "_"]
    similar = similar_names(name, names)
    if similar:
        return f"did you mean {' or '.join(map(repr, similar))}?"
    if called:
        return f"it has {listed(public for public in names if public != 'row')}"
    return how_to_have(name)


def _subclasses(base: Any) -> set[type]:
    subclasses: list[Any] = base.__subclasses__()
    return {*subclasses}.union(*map(_subclasses, subclasses))
