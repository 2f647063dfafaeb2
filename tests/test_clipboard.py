"""What is copied and pasted, with windows as pyglet has them and programs at the other end that do
as they like.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from framework.game import clipboard


class X11Window:
    """As pyglet 2.1 does it on X11."""

    __module__ = "pyglet.window.xlib"

    def __init__(self, other: bytes | None = b"") -> None:
        self._clipboard_str: Any = None
        self.other = other

    def set_clipboard_text(self, text: str) -> None:
        self._clipboard_str = text

    def sent(self) -> bytes:
        """What another program gets."""
        text: bytes = self._clipboard_str.encode("utf-8")
        return text[: len(self._clipboard_str)]

    def get_clipboard_text(self) -> str:
        if self._clipboard_str is not None:
            return str(self._clipboard_str)
        while self.other is None:  # no answer comes
            self.dispatch_platform_event(object())
        return self.other.decode("utf-8")

    def dispatch_platform_event(self, event: object) -> None: ...


@pytest.mark.parametrize("text", ["plain", "Grüße Ω漢", ""])
def test_what_is_copied_arrives_whole(text: str) -> None:
    window = X11Window()
    clipboard.copy(window, text)
    assert window.sent() == text.encode()
    assert clipboard.pasted(window) == text
    assert type(clipboard.pasted(window)) is str


def test_half_a_letter_is_no_error() -> None:
    window = X11Window()
    clipboard.copy(window, "a\ud800b")
    assert clipboard.pasted(window) == "a?b"


@pytest.mark.parametrize(
    ("other", "expected"), [(b"caf\xc3\xa9", "café"), (b"caf\xc3", ""), (b"", "")]
)
def test_what_others_have_is_pasted_if_it_is_text(other: bytes, expected: str) -> None:
    assert clipboard.pasted(X11Window(other)) == expected


def test_a_program_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    window = X11Window(None)
    assert clipboard.pasted(window) == ""
    assert 0.2 < now[0] < 0.3
    assert "dispatch_platform_event" not in vars(window)  # the window's own again
