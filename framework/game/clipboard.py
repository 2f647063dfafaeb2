"""The system's clipboard by way of pyglet's window, whatever the program at its other end does.

pyglet 2.1 on X11 tells others the number of letters of what was copied as the number of bytes, so
that they cut it; it waits without end for a program that does not answer; and what is no UTF-8 is
an error.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyglet.window import BaseWindow

_ANSWERS_WITHIN = 0.25  # seconds


class _Copied(str):
    """A text whose length is that of its bytes, which pyglet asks it for."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self.encode())


def copy(window: BaseWindow, text: str) -> None:
    """Have a text on the clipboard."""
    text = text.encode(errors="replace").decode()  # halves of letters cannot be written
    window.set_clipboard_text(_Copied(text) if _is_x11(window) else text)


def pasted(window: BaseWindow) -> str:
    """The text on the clipboard; "" where there is none, or whose it is does not answer."""
    until = time.monotonic() + _ANSWERS_WITHIN

    def wait(event: object) -> None:
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.001)

    waits = _is_x11(window)
    if waits:  # it is called again and again, with an event that is none
        vars(window)["dispatch_platform_event"] = wait
    try:
        return str(window.get_clipboard_text() or "")
    except (TimeoutError, UnicodeDecodeError):
        return ""
    finally:
        if waits:
            del vars(window)["dispatch_platform_event"]


def _is_x11(window: BaseWindow) -> bool:
    return any(".xlib" in kind.__module__ for kind in type(window).__mro__)
