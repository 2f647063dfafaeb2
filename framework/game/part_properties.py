"""Part properties: makes properties of a game that read or set attributes of its internal
objects.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .. import checks


def reading(path: str, doc: str) -> Any:
    """Return a read-only property for an attribute of an internal object. ``path`` is the path of
    the attribute, such as "_loop.tick".
    """
    return property(attrgetter(path), doc=doc)


def setting(path: str, check: Callable[[str, Any], Any], doc: str) -> Any:
    """Return a property that reads and sets an attribute of an internal object. ``path`` is the
    path of the attribute. Setting the property stores the result of ``check(name, value)``.
    """
    owner, _, name = path.rpartition(".")
    find = attrgetter(owner)

    def change(game: Any, value: Any) -> None:
        setattr(find(game), name, check(name, value))

    return property(attrgetter(path), change, doc=doc)


def rgb(name: str, value: object) -> tuple[float, float, float]:
    """Check a color. Return the red, green and blue values of the color."""
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue
