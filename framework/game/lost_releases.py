"""Lost releases: find the keys and mouse buttons that were released without an event of the window.

On X11, a window receives a release only while it exists and has the focus. To enter or leave full
screen, pyglet destroys the window and opens another one. The player usually releases the key while
no window exists, so no window receives the release. Then pyglet and the game would count the key as
held, and would treat each later press of the key as a repetition.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from ..input.mouse import LEFT, MIDDLE, RIGHT

_BITS = {LEFT: 1 << 8, MIDDLE: 1 << 9, RIGHT: 1 << 10}  # Button1Mask to Button3Mask of X11


def lost_keys(window: Any, down: Iterable[int]) -> list[int]:
    """Return the keys that were released without an event of a window.

    The function checks the keys in ``down``, the symbols of the keys that the game counts as down,
    and the keys that pyglet counts as down. The function removes the released keys from pyglet's
    set of pressed keys. Only X11 windows lose releases: on other systems, the result is empty.
    """
    display = getattr(window, "_x_display", None)
    if display is None:
        return []
    from pyglet.libs.x11 import xlib

    pyglet_down: set[int] = getattr(window, "pressed_keys", set())
    keymap = (ctypes.c_char * 32)()
    xlib.XQueryKeymap(display, keymap)
    bits = int.from_bytes(bytes(keymap), "little")
    lost = []
    for symbol in sorted({*down, *pyglet_down}):
        # pyglet counts a key without a symbol as its key code, shifted by 32 bits.
        code = symbol >> 32 or xlib.XKeysymToKeycode(display, symbol)
        is_down = bits >> code & 1 if code else bits
        if not is_down:
            lost.append(symbol)
            pyglet_down.discard(symbol)
    return lost


def lost_buttons(window: Any, down: Iterable[int]) -> list[int]:
    """Return the mouse buttons in ``down`` that were released without an event of a window.

    X11 reports the left, middle and right button. On other systems, the result is empty.
    """
    display = getattr(window, "_x_display", None)
    if display is None:
        return []
    from pyglet.libs.x11 import xlib

    root, child = xlib.Window(), xlib.Window()
    numbers = [ctypes.c_int() for _ in range(4)]
    mask = ctypes.c_uint()
    xlib.XQueryPointer(display, window._window, root, child, *numbers, mask)
    return [button for button in sorted(down) if button in _BITS and not mask.value & _BITS[button]]
