"""Set the shape of the mouse pointer, hide it, or capture the mouse in the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

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
"""The shapes of the mouse pointer. pyglet uses the same names for the shapes."""


class Shown(Setting[T]):
    """An attribute that stores a setting of the mouse pointer or the window. Setting it calls the
    object's method ``show``, which applies the new value.
    """

    def keep(self, thing: Any, value: T) -> None:
        super().keep(thing, value)
        thing.show(self.name)


def shape(name: str, value: object) -> str:
    """Check the name of a pointer shape, such as "hand", and return the name. Raise `ValueError` if
    `CURSORS` does not contain the name.
    """
    return choice(name, value, CURSORS)


class Pointer:
    """The mouse pointer of a window. In a game without a window, the settings are stored but have
    no effect.
    """

    not_state = True

    mouse_captured = Shown(flag, "Whether the game captures the mouse pointer.")
    mouse_visible = Shown(flag, "Whether the mouse pointer is visible over the window.")
    mouse_cursor = Shown(shape, "The shape of the mouse pointer.")

    def __init__(self) -> None:
        self.window: BaseWindow | None = None
        self._mouse_captured = False
        self._mouse_visible = True
        self._mouse_cursor = "default"

    def show(self, name: str) -> None:
        """Apply the setting ``name`` to the window."""
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
