"""The clipboard: copy and paste, and other programs that answer wrongly or not at all."""

from __future__ import annotations

import time
from typing import Any

import pytest

from framework.game import clipboard


class X11Window:
    """A window with the clipboard of pyglet 2.1 on X11."""

    __module__ = "pyglet.window.xlib"

    def __init__(self, foreign_data: bytes | None = b"") -> None:
        self._clipboard_str: Any = None
        self.foreign_data = foreign_data

    def set_clipboard_text(self, text: str) -> None:
        self._clipboard_str = text

    def sent(self) -> bytes:
        """Return the bytes that another program receives."""
        text: bytes = self._clipboard_str.encode("utf-8")
        return text[: len(self._clipboard_str)]

    def get_clipboard_text(self) -> str:
        if self._clipboard_str is not None:
            return str(self._clipboard_str)
        while self.foreign_data is None:  # no answer comes
            self.dispatch_platform_event(object())
        return self.foreign_data.decode("utf-8")

    def dispatch_platform_event(self, event: object) -> None: ...


@pytest.mark.parametrize("text", ["plain", "Grüße Ω漢", ""])
def test_copied_text_arrives_completely(text: str) -> None:
    window = X11Window()
    clipboard.copy(window, text)
    assert window.sent() == text.encode()
    assert clipboard.pasted(window) == text
    assert type(clipboard.pasted(window)) is str


def test_a_lone_surrogate_is_replaced() -> None:
    window = X11Window()
    clipboard.copy(window, "a\ud800b")
    assert clipboard.pasted(window) == "a?b"


@pytest.mark.parametrize(
    ("foreign_data", "expected"), [(b"caf\xc3\xa9", "café"), (b"caf\xc3", ""), (b"", "")]
)
def test_only_valid_text_of_other_programs_is_pasted(foreign_data: bytes, expected: str) -> None:
    assert clipboard.pasted(X11Window(foreign_data)) == expected


def test_a_program_without_an_answer_is_waited_for_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    window = X11Window(None)
    assert clipboard.pasted(window) == ""
    assert 0.2 < now[0] < 0.3
    assert "dispatch_platform_event" not in vars(window)  # the window has its own method again
