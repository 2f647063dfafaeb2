"""Settings: properties of a game and its parts that other objects of the game keep."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .. import checks


def reading(path: str, doc: str) -> Any:
    """A property for reading what one of the game's subsystems knows, such as "_loop.tick"."""
    return property(attrgetter(path), doc=doc)


def setting(path: str, check: Callable[[str, Any], Any], doc: str) -> Any:
    """A property that one of the game's subsystems keeps, checked when it is set."""
    owner, _, name = path.rpartition(".")
    find = attrgetter(owner)

    def change(game: Any, value: Any) -> None:
        setattr(find(game), name, check(name, value))

    return property(attrgetter(path), change, doc=doc)


def rgb(name: str, value: object) -> tuple[float, float, float]:
    """A colour without its alpha."""
    red, green, blue, _ = checks.color(name, value)
    return red, green, blue
