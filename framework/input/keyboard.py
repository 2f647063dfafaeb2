"""The keyboard."""

from __future__ import annotations

import functools

from .buttons import Buttons, Names
from .key import key_names


class Keys(Buttons):
    """The keyboard. A key is its symbol or its name: ``keys["space"]``, ``keys.axis("left", "right")``."""

    __slots__ = ()


@functools.cache
def every_key() -> Names:
    """The names of the keys that there are, for all keyboards."""
    return Names(key_names())
