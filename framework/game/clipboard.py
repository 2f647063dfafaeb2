"""Copy text to the operating system's clipboard, and paste text from it.

The module works around three bugs of pyglet 2.1 on X11 (the window system of Linux). First, pyglet
counts characters instead of bytes, so other programs receive only part of the text. Second, if
another program does not answer, pyglet waits forever. Third, pyglet raises an error if the text on
the clipboard is not valid UTF-8.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyglet.window import BaseWindow

_MAX_WAIT = 0.25  # seconds


class _Copied(str):
    """A string whose ``len`` is its number of UTF-8 bytes. pyglet uses ``len`` where it needs the
    number of bytes.
    """

    __slots__ = ()

    def __len__(self) -> int:
        return len(self.encode())


def copy(window: BaseWindow, text: str) -> None:
    """Copy text to the clipboard of the operating system."""
    # UTF-8 cannot encode a lone surrogate (half of a character).
    text = text.encode(errors="replace").decode()
    window.set_clipboard_text(_Copied(text) if _is_x11(window) else text)


def pasted(window: BaseWindow) -> str:
    """Return the text on the clipboard. Return "" if the clipboard has no text. Also return "" if
    the program that copied the text does not answer.
    """
    deadline = time.monotonic() + _MAX_WAIT

    def wait(event: object) -> None:
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.001)

    on_x11 = _is_x11(window)
    # While pyglet waits for the clipboard, it calls this function repeatedly with an empty event.
    if on_x11:
        vars(window)["dispatch_platform_event"] = wait
    try:
        return str(window.get_clipboard_text() or "")
    except (TimeoutError, UnicodeDecodeError):
        return ""
    finally:
        if on_x11:
            del vars(window)["dispatch_platform_event"]


def _is_x11(window: BaseWindow) -> bool:
    return any(".xlib" in base.__module__ for base in type(window).__mro__)
