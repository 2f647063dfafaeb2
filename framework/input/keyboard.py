"""The keys that are down or were pressed, and the typed text, during a tick."""

from __future__ import annotations

__all__ = ["Keys"]

import functools
from collections.abc import Mapping
from typing import Any

from ..checks import text as checked_text
from ..moved_names import moved
from ..other_engines.input_names import keys_names
from .buttons import Buttons, Names
from .key import key_names
from .tick_input import MAX_TEXT, Event


@moved(
    "keys",
    {"pressed": "presses", "released": "releases"},
    advice={
        "pressed": (
            "presses counts: write keys['left'] (whether the key is down) or "
            "keys.just_pressed('left')"
        ),
        "released": "releases counts: write keys.just_released('left')",
    },
)
@keys_names
class Keys(Buttons):
    r"""The keyboard: ``self.keys["space"]``, ``self.keys.axis("left", "right")``.

    A key is a pyglet name in upper or lower case, or a symbol such as ``fw.key.SPACE``. ``text`` is
    the text that the player has typed since the last tick, such as "é", "A" or "?". The typed text
    depends on the player's keyboard layout. The Enter key types ``"\\r"``.
    """

    __slots__ = _captured_attributes = _further = ("_next_text", "text")

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        super().__init__(names)
        self.text = self._next_text = ""

    def _further_state(self) -> tuple[object, ...]:
        return self._next_text, self.text

    def write(self, text: str) -> None:
        """Type ``text`` without pressing keys, for example in a test. ``text`` can be at most
        65,536 bytes long in UTF-8.

        To press the keys too, call `Game.testing.type` instead.
        """
        if self._incoming is None:
            self._write(text)
            return
        size = len(checked_text("text", text).encode("utf-8", "replace"))
        if size > MAX_TEXT:
            raise ValueError(
                f"text: expected at most {MAX_TEXT:,} bytes, got {size:,}; split the text over "
                "several ticks"
            )
        self._put(("on_text", text))

    def _write(self, text: str) -> None:
        self._next_text += text
        self._pending = True
        self._saved = None

    def _event(self, symbol: int, down: bool) -> Event:
        return "on_key_press" if down else "on_key_release", symbol, 0

    def _taken(self, captured: set[tuple[Any, ...]]) -> set[int]:
        return {button[1] for button in captured if button[0] == "key"}

    def _apply_waiting(self, down: set[int], player: int, event: Event) -> None:
        if player == self._player and event[0] in ("on_key_press", "on_key_release"):
            (down.add if event[0] == "on_key_press" else down.discard)(event[1])

    def _forget(self) -> None:
        super()._forget()
        self.text = self._next_text = ""

    def begin_tick(self) -> None:
        """Apply the keyboard events that have arrived since the last tick."""
        if not self._pending:
            return
        super().begin_tick()
        self.text = self._next_text
        self._next_text = ""
        self._pending = self._pending or bool(self.text)  # the next tick clears the text


@functools.cache
def every_key() -> Names:
    """Return a dict that maps the names of all keys to their numbers (symbols). All keyboards share
    one dict.
    """
    return Names(key_names())
