"""The mouse's pointer over a game's window: its shape, whether it is seen, and whether the game
keeps it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ..checks import Setting, choice, flag

if TYPE_CHECKING:
    from pyglet.window import BaseWindow

T = TypeVar("T")

CURSORS = (
    *(
        "default",
        "crosshair",
        "hand",
        "help",
        "no",
        "text",
        "wait",
        "wait_arrow",
        "size",
        "size_up",
        "size_down",
    ),
    *(
        "size_left",
        "size_right",
        "size_up_left",
        "size_up_right",
        "size_down_left",
        "size_down_right",
    ),
    *("size_up_down", "size_left_right"),
)
"""Shapes of the pointer: pyglet's."""


class _Shown(Setting[T]):
    """A setting that the window is told of."""

    def keep(self, thing: Pointer, value: T) -> None:
        super().keep(thing, value)
        thing.show(self.name)


def shape(name: str, value: object) -> str:
    """One of `CURSORS`."""
    return choice(name, value, CURSORS)


class Pointer:
    """The pointer over a window, None where there is none: then it is as it was set, and nobody
    sees it.
    """

    not_state = True

    mouse_captured = _Shown(flag, "Whether the game keeps the pointer.")
    mouse_visible = _Shown(flag, "Whether the pointer is seen over the window.")
    mouse_cursor = _Shown(shape, "The shape of the pointer.")

    def __init__(self) -> None:
        self.window: BaseWindow | None = None
        self._mouse_captured, self._mouse_visible, self._mouse_cursor = False, True, "default"

    def show(self, name: str) -> None:
        """Tell the window of a setting."""
        window = self.window
        if window is None:
            return
        if name == "mouse_captured":
            window.set_exclusive_mouse(self.mouse_captured)
        elif name == "mouse_visible":
            window.set_mouse_visible(self.mouse_visible)
        else:
            default = self.mouse_cursor == "default"
            window.set_mouse_cursor(
                None if default else window.get_system_mouse_cursor(self.mouse_cursor)
            )
