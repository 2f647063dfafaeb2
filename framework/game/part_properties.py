"""Create properties of a game that read or set an attribute of one of its internal parts."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .. import checks


def reading(path: str, doc: str) -> Any:
    """Return a read-only property that reads an attribute of an object inside the game. ``path`` is
    the path of this attribute, such as "_loop.tick".
    """
    return property(attrgetter(path), doc=doc)


def setting(path: str, check: Callable[[str, Any], Any], doc: str) -> Any:
    """Return a property that reads and sets an attribute of an object inside the game. ``path`` is
    the path of this attribute, such as "_loop.tick". The setter stores the value that ``check(name,
    value)`` returns.
    """
    owner, _, name = path.rpartition(".")
    find = attrgetter(owner)

    def change(game: Any, value: Any) -> None:
        setattr(find(game), name, check(name, value))

    return property(attrgetter(path), change, doc=doc)


def rgb(name: str, value: object) -> tuple[float, float, float]:
    """Check a color, and return its red, green and blue components."""
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue
