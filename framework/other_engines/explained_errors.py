"""Add advice to the messages of errors that a game's code causes."""

from __future__ import annotations

import re
import sys

from ..checks import unknown_attribute
from .game_code import game_of, is_framework
from .other_names import static_attribute
from .python_errors import SAVES_ADVICE, advice_on, coordinate_of_tuple

Explained = TypeError | AttributeError | OverflowError | ValueError


"""The types of errors in a game's code to which `explain` adds advice."""


_TUPLE_ERRORS = (
    "can't multiply sequence by non-int of type 'float'",
    "unsupported operand type(s) for -: 'tuple' and 'tuple'",
    "unsupported operand type(s) for /: 'tuple'",
)


def explain(error: Explained) -> None:
    """Add advice to the message of an error in a game's code. For example, the game may calculate
    with a tuple, as in ``speed * actions["move"]``, or use an unknown attribute of a framework
    object, such as ``actions.jump``.
    """
    message = str(error)
    advice = None
    if isinstance(error, TypeError | ValueError):
        advice = advice_on(error)
    if advice is not None:
        error.args = (f"{message}; {advice}",)
    elif isinstance(error, AttributeError):
        _explain_attribute(error)
    elif isinstance(error, ValueError):
        if message.endswith(" is read-only"):
            hint = "write camera.position = camera.position + (0, 1, 0), not +="
            rows = "rows that a batch receives, as with fw.Beside(), can only be read"
            mesh = "a mesh never changes: write positions = mesh.positions.copy() and fw.Mesh(…)"
            text = f"{message}: the array cannot be changed in place; {hint}; {rows}; {mesh}"
            error.args = (text,)
    elif isinstance(error, OverflowError):
        if "out of bounds for uint" in message:
            error.args = (f"{message}; numbers of tiles are at least 0, and 0 is no tile",)
    elif (awaited := _AWAITED.fullmatch(message)) is not None:
        error.args = (f"{message}; {_await_advice(awaited['object'] or awaited['value'])}",)
    elif hasattr(error, "__notes__"):
        return
    elif message == "unsupported operand type(s) for -: 'tuple' and 'tuple'":
        error.add_note(
            "Positions and sizes are tuples of numbers. For the way from one position to another, "
            "write np.subtract(target.position, sprite.position), and for the distance "
            "math.dist(target.position, sprite.position)"
        )
    elif str(error).startswith(_TUPLE_ERRORS):
        error.add_note(
            "Positions, sizes and sticks are tuples of numbers. Calculate with the numbers "
            "(x, y = self.actions['move']; self.ship.x += 260 * x * dt), or with an array: "
            "np.array(self.actions['move']) * 260 * dt"
        )


# The second pattern matches the message in Python 3.14.
_AWAITED = re.compile(
    r"object (?P<object>\w+) can't be used in 'await' expression|"
    r"'(?P<value>\w+)' object can't be awaited"
)


def _await_advice(kind: str) -> str:
    """Return advice about using ``await`` with an object of the class ``kind``."""
    if kind in ("int", "float"):
        return "write await self.seconds(1.5), or await self.ticks(90)"
    if kind == "bool":
        return "write await self.until(lambda: self.score > 9), with a function for the condition"
    if kind == "NoneType":
        return "the function after await returned None: write async def, or leave out await"
    return (
        "a routine waits for calls such as self.seconds(1.5), self.until(condition), or for "
        "another routine"
    )


_READ_ONLY = re.compile(r"property '(?P<name>\w+)' of '(?P<kind>\w+)' object has no setter")


_COMPUTED = {
    ("Label", "size"): "the size follows from the text: write label.font_size, or label.scale",
    ("Sprite", "width"): "the width follows from image and scale: write sprite.scale = (2, 1)",
    ("Sprite", "clip"): "write sprite.play('walk')",
    ("Sprite", "height"): "the height follows from image and scale: write sprite.scale = (1, 2)",
}


"""Advice about read-only properties that programs for other engines set."""


_RANDOM = {
    **dict.fromkeys(("randint", "randrange"), "write self.random.integers(0, 800)"),
    "sample": "write self.random.choice(items, 3, replace=False)",
    "gauss": "write self.random.normal(0, 1)",
    "choices": "write self.random.choice(items, 3)",
}


"""Advice about methods of Python's random module that NumPy's generator does not have."""


_COORDINATES = ("x", "y", "z")


_MISSING = re.compile(r"'(\w+)' object has no attribute '\w+'(?: and no __dict__.*)?")


def _hint_for_coordinate(error: AttributeError) -> str | None:
    """Return advice for a coordinate such as ``position.x`` of an array or a tuple, or None."""
    kind = type(error.obj)
    if error.name not in _COORDINATES or kind.__name__ not in ("ndarray", "tuple"):
        return None
    index = _COORDINATES.index(error.name)
    if kind is tuple:
        return coordinate_of_tuple(error, index)
    is_single = getattr(error.obj, "ndim", 2) == 1
    value = f"position[{index}]" if is_single else f"velocity[:, {index}]"
    return f"positions and velocities are tuples and arrays: write {value}"


def _hint_for_other_object(error: AttributeError) -> str | None:
    """Return advice about an attribute that belongs to a different object, such as the game instead
    of a scene, or None.
    """
    if getattr(error.obj, "__qualname__", None) == "Game.save":
        return SAVES_ADVICE
    return _hint_outside(type(error.obj), error.name) or _attribute_of_game(error.obj, error.name)


def _explain_attribute(error: AttributeError) -> None:
    """Add advice to Python's message about an unknown attribute of a framework object."""
    kind = type(error.obj)
    name = error.name
    match = _READ_ONLY.fullmatch(str(error))
    if match is not None:
        advice = _COMPUTED.get((match["kind"], match["name"]))
        if advice is not None:
            error.args = (f"{error}; {advice}",)
        return
    hint = _hint_for_coordinate(error) or _hint_for_other_object(error)
    if hint is not None:
        error.args = (f"{error}; {hint}",)
        error.name = None  # Python would append a hint of its own
        return
    if not name or name[0] == "_" or not is_framework(kind.__module__):
        return
    if not _MISSING.fullmatch(str(error)):
        return
    find = getattr(kind, "_advice_on", None)
    advice = None if find is None else find(error.obj, name)
    if advice is None:
        error.args = (unknown_attribute(kind, name),)
    else:
        error.args = (f"{kind.__name__} has no attribute {name!r}; {advice}",)
    error.name = None  # Python would append a hint of its own


def _hint_outside(kind: type, name: str | None) -> str | None:
    """Return advice about an unknown attribute ``name`` of a NumPy object or a scene, or None."""
    if not name:
        return None
    if kind.__name__ == "Generator":
        return _RANDOM.get(name)
    if kind.__module__ == "numpy" and kind.__name__.startswith(("int", "uint")):
        return f"a row is a number: write batch[row].{name}"
    game_class = _game_class(kind)
    if game_class is not None and isinstance(static_attribute(game_class, name), property):
        return f"the game has it: write self.game.{name}"
    return None


def _attribute_of_game(scene: object, name: str | None) -> str | None:
    """Return advice about an attribute that the game of ``scene`` has, or None. The scene itself
    does not have the attribute.
    """
    if not name or name[0] == "_" or _game_class(type(scene)) is None:
        return None
    game = game_of(scene)
    if game is None:
        return None
    if name in vars(game) or callable(static_attribute(type(game), name)):
        return f"the game has it: write self.game.{name}"
    return None


def _game_class(kind: type) -> type | None:
    """Return the class `Game` if ``kind`` is a scene class, but not a game class."""
    names = [base.__name__ for base in kind.__mro__ if is_framework(base.__module__)]
    if "Scene" not in names or "Game" in names:
        return None
    game_class: type = sys.modules["framework"].Game
    return game_class
