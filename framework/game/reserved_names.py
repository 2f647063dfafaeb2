"""Reserved names: raises errors if a game defines or sets a name that the framework uses."""

from __future__ import annotations

import inspect
from typing import Any, NoReturn, TypeVar

from ..moved_names import Absent, check_hooks

C = TypeVar("C", bound=type)

_HINTS = {
    "camera": "Move it: self.camera.position = …",
    "hud": "It never moves; fw.Camera2D makes another camera",
    "labels": ("self.labels.add(…) adds a label; self.add(fw.TextBatch(…)) makes another batch"),
    "pads": "Gamepads connect by themselves; self.pads[0] is the first",
    "players": "Game(players=…) sets their number",
    "random": "Game(seed=…) sets its seed",
    "scene": "self.push(scene) or self.show(scene) puts another scene on",
    "size": "Game(size=…) and Game(resolution=…) set it",
    "sprites": (
        "self.sprites.add(…) adds a sprite; self.add(fw.SpriteBatch(…)) makes another batch"
    ),
    "tick": "It counts the ticks; run_ticks(…) runs some",
    "timestep": "Game(timestep=…) sets it",
    "ui": "self.ui.column(…), … add widgets",
    "systems": "self.systems.add(phase, function) adds a system",
    "views": "self.views.add(camera, area) adds a view",
    "world": ("self.add(…) adds a 3D drawable; self.add(fw.World()) makes another world"),
}


class Refusal:
    """The setter of a property that programs must not set. The setter raises `AttributeError` with
    a hint.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, thing: object, value: Any) -> NoReturn:
        name = self._name
        advice = _HINTS.get(self._name)
        hint = f"{advice}. " if advice else ""
        raise AttributeError(
            f"{type(thing).__name__}.{name}: the framework reserves this name, so it cannot be "
            f"set. {hint}Use another name for your own attribute, such as my_{name}"
        )


def kept(kind: C) -> C:
    """Class decorator that adds a setter to each read-only property. The setter raises an error
    with a hint.
    """
    for name, value in list(vars(kind).items()):
        if isinstance(value, property) and value.fset is None and name[0] != "_":
            # A setter and no __setattr__, which would slow down every assignment in a game.
            setattr(kind, name, value.setter(Refusal(name)))
    return kind


# Names that a subclass may define.
_HOOKS = frozenset(
    {"setup", "update", "draw", "on_enter", "on_exit", "default_listener", "pauses_below", "opaque"}
    | {"not_state", "own_names"}
    | {"saved", "saved_classes", "saved_routines", "saved_version", "saves_folder", "migrations"}
    | {"save", "load", "state_hash"}  # a game may have its own format, and its own hash
)

# The modules of `Game`, `Scene` and their bases.
_OWNERS = frozenset(f"framework.game.{module}" for module in ("game", "scene"))


def check_definitions(kind: type) -> None:
    """Raise `TypeError` if a class of the game defines a name that the framework uses.

    Hooks, declarations such as ``saved``, and methods that call ``super()`` are allowed.
    """
    if kind.__module__.startswith("framework."):
        return
    for ancestor in kind.__mro__:
        if ancestor is object or ancestor.__module__.startswith("framework."):
            continue
        check_hooks(ancestor)
        for name, value in vars(ancestor).items():
            if is_taken(kind, name) and not _extends(value):
                raise TypeError(
                    f"{kind.__name__}.{name}: expected a free name, got one that the framework uses; "
                    f"call it my_{name}, for example. (A method that extends the framework's "
                    f"method calls super().{name})"
                )


def is_taken(kind: type, name: str) -> bool:
    """Return whether a subclass of `Game` or `Scene` must not define ``name``, because the
    framework uses it. Hooks, declarations such as ``saved``, and old names of the framework (see
    `moved_names`) are allowed.
    """
    if name[0] == "_" or name in _HOOKS:
        return False
    owners = [base for base in kind.__mro__ if base.__module__ in _OWNERS and name in vars(base)]
    return bool(owners) and not isinstance(vars(owners[0])[name], Absent)


def is_read_only(kind: type, name: str) -> bool:
    """Return whether ``name`` is a property of `Game` or `Scene` that programs must not set."""
    static = inspect.getattr_static(kind, name, None)
    return isinstance(static, property) and isinstance(static.fset, Refusal)


def _extends(value: Any) -> bool:
    """Return whether a method, or the getter of a property, calls ``super()``."""
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    return code is not None and "__class__" in code.co_freevars
