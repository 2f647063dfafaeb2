"""The keyboard."""

from __future__ import annotations

__all__ = ["Keys"]

import functools
from collections.abc import Mapping
from typing import Any

from ..checks import text as checked_text
from .buttons import Buttons, Names
from .key import key_names
from .tick_input import MAX_TEXT, Event


class Keys(Buttons):
    """The keyboard. A key is its symbol or its name: ``keys["space"]``, ``keys.axis("left",
    "right")``.

    ``text`` is what was typed since the last tick, as the keyboard's layout has it: "é", "A", "?";
    the end of a line is ``"\\r"``.
    """

    __slots__ = _captured_attributes = _further = ("_next_text", "text")

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        super().__init__(names)
        self.text = self._next_text = ""

    def _further_state(self) -> tuple[object, ...]:
        return self._next_text, self.text

    def write(self, text: str) -> None:
        """Type a text, without the presses of its keys: `Game.type` has these, too. At most 65,536
        bytes of UTF-8.
        """
        if self._incoming is None:
            self._write(text)
            return
        size = len(checked_text("text", text).encode("utf-8", "replace"))
        if size > MAX_TEXT:
            raise ValueError(
                f"text: expected at most {MAX_TEXT:,} bytes, got {size:,}; write it in "
                "several ticks"
            )
        self._put(("on_text", text))

    def _write(self, text: str) -> None:
        self._next_text += text
        self._pending, self._saved = True, None

    def _event(self, symbol: int, down: bool) -> Event:
        return "on_key_press" if down else "on_key_release", symbol, 0

    def _taken(self, taken: set[tuple[Any, ...]]) -> set[int]:
        return {what[1] for what in taken if what[0] == "key"}

    def _foresee(self, down: set[int], player: int, event: Event) -> None:
        if player == self._player and event[0] in ("on_key_press", "on_key_release"):
            (down.add if event[0] == "on_key_press" else down.discard)(event[1])

    def _forget(self) -> None:
        super()._forget()
        self.text = self._next_text = ""

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        if not self._pending:
            return
        super().begin_tick()
        self.text, self._next_text = self._next_text, ""
        self._pending = self._pending or bool(self.text)  # the next tick clears it


@functools.cache
def every_key() -> Names:
    """The names of the keys that there are, for all keyboards."""
    return Names(key_names())
