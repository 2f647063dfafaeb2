"""The keyboard."""

from __future__ import annotations

from .buttons import Buttons


class Keys(Buttons):
    """The keyboard. A key is its symbol or its name: ``keys["space"]``, ``keys.axis("left", "right")``."""

    __slots__ = ()
