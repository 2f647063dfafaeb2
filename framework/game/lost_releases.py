"""Find keys and mouse buttons that were released without an event for the window.

On X11 (the window system of Linux), only the window that has the focus receives the release of a
key. When a game enters or leaves fullscreen mode, pyglet closes the window and opens a new one. If
the player releases a key in between, neither window receives the release. pyglet and the game would
then think that the key is still held, and would ignore the next time it is pressed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

from ..input.mouse import LEFT, MIDDLE, RIGHT

# The masks of the mouse buttons 1 to 3 in X11.
_BITS = {LEFT: 1 << 8, MIDDLE: 1 << 9, RIGHT: 1 << 10}


def lost_keys(window: Any, down: Iterable[int]) -> list[int]:
    """Return the keys that are no longer pressed, although the window has received no release
    event. ``down`` contains the symbols of the keys that the game thinks are pressed. The keys that
    pyglet thinks are pressed are also checked, and the returned keys are removed from pyglet's set
    of pressed keys. A window can miss the release of a key only on X11. On other operating systems,
    the returned list is empty.
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
        # For a key without a symbol, pyglet uses the key code shifted by 32 bits.
        code = symbol >> 32 or xlib.XKeysymToKeycode(display, symbol)
        is_down = bits >> code & 1 if code else bits
        if not is_down:
            lost.append(symbol)
            pyglet_down.discard(symbol)
    return lost


def lost_buttons(window: Any, down: Iterable[int]) -> list[int]:
    """Return the mouse buttons in ``down`` that are no longer pressed although the window has
    received no release event. X11 can report only the left, the middle and the right button. On
    operating systems without X11, the returned list is empty.
    """
    display = getattr(window, "_x_display", None)
    if display is None:
        return []
    from pyglet.libs.x11 import xlib

    root = xlib.Window()
    child = xlib.Window()
    numbers = [ctypes.c_int() for _ in range(4)]
    mask = ctypes.c_uint()
    xlib.XQueryPointer(display, window._window, root, child, *numbers, mask)
    return [button for button in sorted(down) if button in _BITS and not mask.value & _BITS[button]]
