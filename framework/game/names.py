"""Names that a game and its scenes have from the framework: setting one by accident is an error
that says so.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

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
    "views": "self.add_view(camera, area) adds one",
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
