"""Names that games and scenes inherit from the framework: errors for setting or defining one by
accident.
"""

from __future__ import annotations

import inspect
from typing import Any, NoReturn, TypeVar

from ..moved_names import Moved

C = TypeVar("C", bound=type)

_INSTEAD = {
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
    """The setter of a property that is for reading only: it raises `AttributeError`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, thing: object, value: Any) -> NoReturn:
        name, instead = self._name, _INSTEAD.get(self._name)
        hint = f"{instead}. " if instead else ""
        raise AttributeError(
            f"{type(thing).__name__}.{name} is a name of the framework's own, which "
            f"cannot be set: {hint}"
            f"Call what is yours by another name, such as my_{name}"
        )


def kept(kind: C) -> C:
    """Have the class's properties that are for reading only say so when they are set. A decorator
    of classes.
    """
    for name, found in list(vars(kind).items()):
        if isinstance(found, property) and found.fset is None and name[0] != "_":
            # A setter, and no __setattr__, which would take its time at each attribute of a game.
            setattr(kind, name, found.setter(Refusal(name)))
    return kind


# What a subclass is free to define.
_HOOKS = frozenset(
    {"setup", "update", "draw", "enter", "leave", "ear", "pauses_below", "hides_below", "not_state"}
    | {"saved", "saved_classes", "saved_version", "saves_folder", "migrations"}
    | {"save", "load", "state_hash"}  # a game may have its own format, and its own hash
)

# The modules of `Game`, `Scene` and their bases.
_OWNERS = frozenset(f"framework.game.{module}" for module in ("game", "scene"))


def check_definitions(kind: type) -> None:
    """Raise `TypeError` if a game's own class defines a name of the framework by accident.

    Hooks and declarations are free. So are methods that extend the framework's: they call
    ``super()``.
    """
    if kind.__module__.startswith("framework."):
        return
    for own in kind.__mro__:
        if own is object or own.__module__.startswith("framework."):
            continue
        for name, value in vars(own).items():
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
    theirs = [base for base in kind.__mro__ if base.__module__ in _OWNERS and name in vars(base)]
    return bool(theirs) and not isinstance(vars(theirs[0])[name], Moved)


def is_read_only(kind: type, name: str) -> bool:
    """Whether a name of games and scenes is a property that programs must not set."""
    found = inspect.getattr_static(kind, name, None)
    return isinstance(found, property) and isinstance(found.fset, Refusal)


def _extends(value: Any) -> bool:
    """Whether a method, or the getter of a property, calls ``super()``."""
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    return code is not None and "__class__" in code.co_freevars
