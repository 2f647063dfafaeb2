"""Part properties: properties of a game that read or set attributes of its internal parts, such as
the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .. import checks


def reading(path: str, doc: str) -> Any:
    """Return a read-only property for the attribute of a part, by its path, such as "_loop.tick"."""
    return property(attrgetter(path), doc=doc)


def setting(path: str, check: Callable[[str, Any], Any], doc: str) -> Any:
    """Return a property for the attribute of a part, by its path. Setting the property stores the
    result of ``check(name, value)``.
    """
    owner, _, name = path.rpartition(".")
    find = attrgetter(owner)

    def change(game: Any, value: Any) -> None:
        setattr(find(game), name, check(name, value))

    return property(attrgetter(path), change, doc=doc)


def rgb(name: str, value: object) -> tuple[float, float, float]:
    """Return the red, green and blue of a color, without its alpha."""
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue
