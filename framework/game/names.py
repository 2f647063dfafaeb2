"""Reserved names: errors if a game sets or defines a name of the framework by accident."""

from __future__ import annotations

import inspect
from typing import Any, NoReturn, TypeVar

from ..moved_names import Moved

C = TypeVar("C", bound=type)

_HINTS = {
    "camera": "move it: self.camera.position = …",
    "hud": "it never moves; a camera of your own is made by fw.Camera2D",
    "labels": (
        "self.labels.add(…) adds to it; a batch of your own is made by self.add(fw.TextBatch(…))"
    ),
    "pads": "pads come as they are plugged in; self.pads[0] is the first",
    "players": "Game(players=…) says how many",
    "random": "Game(seed=…) says where it begins",
    "scene": "another one is put on by self.push(scene), or self.show(scene)",
    "size": "Game(size=…) and Game(resolution=…) say it",
    "sprites": (
        "self.sprites.add(…) adds to it; a batch of your own is made by self.add(fw.SpriteBatch(…))"
    ),
    "tick": "ticks are counted; run_ticks(…) runs some",
    "timestep": "Game(timestep=…) takes one of your own",
    "ui": "self.ui.column(…), … add to it",
    "systems": "self.systems.add(phase, function) adds one",
    "views": "self.views.add(camera, area) adds one",
    "world": (
        "what is in space is added by self.add(…); a world of your own is made by "
        "self.add(fw.World())"
    ),
}


class Refusal:
    """The setter of a read-only property. It raises `AttributeError`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, thing: object, value: Any) -> NoReturn:
        name, advice = self._name, _HINTS.get(self._name)
        hint = f"{advice}. " if advice else ""
        raise AttributeError(
            f"{type(thing).__name__}.{name} is a name of the framework's own, which "
            f"cannot be set: {hint}"
            f"Call what is yours by another name, such as my_{name}"
        )


def kept(kind: C) -> C:
    """A class decorator: setting a read-only property of the class raises an error with advice."""
    for name, value in list(vars(kind).items()):
        if isinstance(value, property) and value.fset is None and name[0] != "_":
            # A setter and no __setattr__, which would slow down every assignment in a game.
            setattr(kind, name, value.setter(Refusal(name)))
    return kind


# Names that a subclass may define.
_HOOKS = frozenset(
    {"setup", "update", "draw", "enter", "leave", "ear", "pauses_below", "hides_below", "not_state"}
    | {"saved", "saved_classes", "saved_version", "saves_folder", "migrations"}
    | {"save", "load", "state_hash"}  # a game may have its own format, and its own hash
)

# The modules of `Game`, `Scene` and their bases.
_OWNERS = frozenset(f"framework.game.{module}" for module in ("game", "scene"))


def check_definitions(kind: type) -> None:
    """Raise `TypeError` if a game's own class defines a name of the framework by accident.

    Hooks and declarations are allowed. So is a method that extends the framework's method and calls
    ``super()``.
    """
    if kind.__module__.startswith("framework."):
        return
    for ancestor in kind.__mro__:
        if ancestor is object or ancestor.__module__.startswith("framework."):
            continue
        for name, value in vars(ancestor).items():
            if is_taken(kind, name) and not _extends(value):
                raise TypeError(
                    f"{kind.__name__}.{name}: expected a name that is free, got one that the "
                    f"framework uses; call it my_{name}, say. (A method that extends the "
                    f"framework's calls super().{name})"
                )


def is_taken(kind: type, name: str) -> bool:
    """Whether the framework uses a name of its games and scenes, so that a subclass may not define
    it. Hooks, declarations and names that moved are free.
    """
    if name[0] == "_" or name in _HOOKS:
        return False
    owners = [base for base in kind.__mro__ if base.__module__ in _OWNERS and name in vars(base)]
    return bool(owners) and not isinstance(vars(owners[0])[name], Moved)


def is_read_only(kind: type, name: str) -> bool:
    """Whether a name of games and scenes is a property that programs must not set."""
    static = inspect.getattr_static(kind, name, None)
    return isinstance(static, property) and isinstance(static.fset, Refusal)


def _extends(value: Any) -> bool:
    """Return whether a method, or the getter of a property, calls ``super()``."""
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    return code is not None and "__class__" in code.co_freevars
