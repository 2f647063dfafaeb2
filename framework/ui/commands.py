"""Convert keys and gamepad buttons to menu commands, such as "accept" and "left"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import nearest, shown, text
from ..input import key
from ..input.bindings import key_source
from ..input.gamepad_layout import CONTROLS, control_name, steps
from ..input.gamepad_layout import PRESSED as FAR
from ..input.keyboard import every_key
from ..input.mouse import MOUSE_BUTTONS

if TYPE_CHECKING:
    from ..input.tick_input import Event

_KEYS = {
    key.LEFT: "left",
    key.RIGHT: "right",
    key.UP: "up",
    key.DOWN: "down",
    key.ENTER: "accept",
    key.NUM_ENTER: "accept",
    key.SPACE: "accept",
    key.ESCAPE: "cancel",
    key.TAB: "next",
}
_PADS = {
    "dpleft": "left",
    "dpright": "right",
    "dpup": "up",
    "dpdown": "down",
    "a": "accept",
    "b": "cancel",
    "leftshoulder": "previous",
    "rightshoulder": "next",
}

DIRECTIONS = ("left", "right", "up", "down")


def key_command(symbol: int, modifiers: int) -> str | None:
    """Return the command of a key, such as "next" for Tab, or None if the key has no command."""
    if symbol == key.TAB and modifiers & key.MOD_SHIFT:
        return "previous"
    return _KEYS.get(symbol)


def button_command(control: str) -> str | None:
    """Return the command of a gamepad button, such as "accept" for A, or None if the button has no
    command.
    """
    return _PADS.get(control)


def stick_direction(x: float, y: float) -> str | None:
    """Return the direction of a stick. If the stick is less than halfway from its center to its
    edge, return None.

    ``y`` is positive if the player pushes the stick up.
    """
    if max(abs(steps(x)), abs(steps(y))) < FAR:
        return None
    if abs(x) >= abs(y):
        return "right" if x > 0 else "left"
    return "up" if y > 0 else "down"


def checked_actions(action: object) -> str | tuple[str, ...]:
    """Return the ``action`` of a widget, or raise an error if it is not valid. ``action`` is one
    action, or a list or tuple of actions. See `_checked_action`.
    """
    if isinstance(action, list | tuple):
        return tuple(_checked_action(each) for each in action)
    return _checked_action(action)


def _checked_action(action: object) -> str:
    """Return an action, or raise an error if it is not valid. The key or button of the action
    presses the widget even if another widget has the focus.

    An action is "cancel", "accept", the name of a key, or a gamepad control such as "pad:start".
    """
    if isinstance(action, str) and action in ("cancel", "accept"):
        return action
    name = text("action", action).lower()
    if name.startswith("pad:"):
        return f"pad:{control_name(name)}"
    if every_key().get(name) is None:
        nearest_names = nearest(
            name, [*every_key(), "cancel", "accept", *(f"pad:{control}" for control in CONTROLS)]
        )
        raise ValueError(
            "action: expected 'cancel', 'accept', a key or 'pad:…', got "
            f"{shown(action)}; the nearest are {nearest_names}"
        )
    return name


def is_triggered(action: str | tuple[str, ...], event: Event, command: str | None) -> bool:
    """Return whether the player has pressed the key or button of a widget's ``action``. If
    ``action`` is a tuple, each of its actions counts.

    ``command`` is the menu command of the key or button, such as "accept".
    """
    if isinstance(action, tuple):
        return any(is_triggered(each, event, command) for each in action)
    if action in ("cancel", "accept"):
        return action == command
    name: str = event[0]
    if name == "on_key_press":
        symbol: int = event[1]
        return every_key().get(action) == symbol
    control: str = event[2]
    return action == f"pad:{control}"


def source_name(device: str, source: int | str) -> str | None:
    """Return the name of a key, mouse button or gamepad control. `Actions.rebind` accepts these
    names.

    If the key or button has no name, return None.
    """
    if device == "pad" or isinstance(source, str):
        return f"pad:{source}"
    if device == "key":
        binding = key_source(source)
        return None if binding is None else str(binding)
    return next(
        (f"mouse:{name}" for name, symbol in MOUSE_BUTTONS.items() if symbol == source), None
    )
