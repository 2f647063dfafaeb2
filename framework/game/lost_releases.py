"""Lost releases: finds keys and mouse buttons that were released although the window received no
event.

On X11, a window receives a release only while it exists and has the focus. When a game enters or
leaves full screen, pyglet destroys the window and opens another one. If the player releases the key
in between, no window receives the release. Without this module, pyglet and the game would think
that the key is still down, and ignore the next press of the key.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from ..input.mouse import LEFT, MIDDLE, RIGHT

_BITS = {LEFT: 1 << 8, MIDDLE: 1 << 9, RIGHT: 1 << 10}  # Button1Mask to Button3Mask of X11


def lost_keys(window: Any, down: Iterable[int]) -> list[int]:
    """Return the keys that were released although the window received no event. ``down`` are the
    symbols of the keys that the game thinks are down. The keys that pyglet thinks are down are
    checked, too. Released keys are removed from pyglet's set of pressed keys. Only windows of X11
    miss releases. On other systems, the list is empty.
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
    """Return the mouse buttons in ``down`` that were released although the window received no
    event. X11 reports only the left, middle and right button. On other systems, the list is empty.
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
