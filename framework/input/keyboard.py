"""The keyboard."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from .buttons import Buttons, Names
from .key import key_names


class Keys(Buttons):
    """The keyboard. A key is its symbol or its name: ``keys["space"]``, ``keys.axis("left", "right")``.

    ``text`` is what was typed since the last tick, as the keyboard's layout has it: "é", "A", "?"; the end of a line is
    ``"\\r"``.
    """

    __slots__ = _captured_attributes = _further = ("_next_text", "text")

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        super().__init__(names)
        self.text = self._next_text = ""

    def _further_state(self) -> tuple[Any, ...]:
        return self._next_text, self.text

    def write(self, text: str) -> None:
        """A text was typed."""
        self._next_text += text
        self.pending, self._saved = True, None

    def forget(self) -> None:
        """Drop the presses, releases and texts of this tick, and those that no tick has seen yet."""
        super().forget()
        self.text = self._next_text = ""

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        if not self.pending:
            return
        super().begin_tick()
        self.text, self._next_text = self._next_text, ""
        self.pending = self.pending or bool(self.text)  # the next tick clears it


@functools.cache
def every_key() -> Names:
    """The names of the keys that there are, for all keyboards."""
    return Names(key_names())
