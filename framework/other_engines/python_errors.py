"""Add advice to errors of Python and NumPy that do not mention the framework.

The advice says how to make the call correctly. This code runs only after an error, so it does not
slow down correct code.
"""

from __future__ import annotations

import dis
import re
from types import FrameType, TracebackType
from typing import Any

from .. import checks
from .game_code import game_of

_LEFT = "write self.keys['left']"
_MOUSE = "write self.mouse['left']"
_PAD = "write pad['a']"
_ACTIONS = "write actions['move'], or actions.just_pressed('jump')"

# The key is the class of the object that the game's code called.
_CALLED = {
    "frozenset": "down is the set of held keys: write keys['left']",
    "Schedule": (
        "write self.schedule.interval(f, 1.0), or self.schedule.once(f, 1.0) for a single call"
    ),
    "Sound": "write sound.play()",
    "Keys": _LEFT,
    "Mouse": _MOUSE,
    "Gamepad": _PAD,
    "Gamepads": "write self.pads[0]",
    "Actions": _ACTIONS,
    "Music": "write self.audio.music.play('song.ogg')",
    "SpriteBatch": "write batch.add(position=(x, y))",
    "TextBatch": "write self.labels.add('Score 0', (x, y))",
    "Camera2D": "write self.camera.position = (x, y)",
    "Generator": "write self.random.random(), or self.random.integers(1, 7)",
}

# The key is the class of the object after ``in``.
_SEARCHED = {
    "Keys": _LEFT,
    "Mouse": _MOUSE,
    "Gamepad": _PAD,
    "Actions": _ACTIONS,
}

_NOT_CALLABLE = re.compile(r"'(?:[\w.]+\.)?(?P<kind>\w+)' object is not callable")
# The third pattern matches the message in Python 3.14.
_NOT_ITERABLE = re.compile(
    r"argument of type '(?P<argument>\w+)' is not iterable|"
    r"'(?P<object>\w+)' object is not iterable|"
    r"argument of type '(?P<container>\w+)' is not a container or iterable"
)

_NOT_SUBSCRIPTABLE = re.compile(
    r"'(?:[\w.]+\.)?(?P<kind>\w+)' object "
    r"(?:is not subscriptable|does not support item assignment|does not support item deletion)"
)
_NOT_FLOAT = re.compile(r"could not convert string to float: '(?P<text>.*)'")

SAVES_ADVICE = (
    "write saved = ('score',) in the class, then game.save('slot 1') and game.load('slot 1')"
)

# The key is the class of the object before the square brackets.
_SUBSCRIPTED = {
    "TileLayer": "write layer.tiles[row, column]",
    "Saves": SAVES_ADVICE,
    "Sprite": "write sprite.x, or sprite.position[0]",
}

_MOVED_SPRITE = "write sprite.x += 5, or sprite.position = (x, y)"
_MOVED_CAMERA = "write x, y = camera.position, and camera.position = (x + 5, y)"


def advice_on(error: TypeError | ValueError) -> str | None:
    """Return advice about an error that Python or NumPy has raised in a game's code, or None."""
    message = str(error)
    if isinstance(error, ValueError):
        if message.startswith("The truth value of an") and "len(" not in message:
            return "write if len(pairs): an array of pairs or rows is empty if its length is 0"
        match = _NOT_FLOAT.fullmatch(message)
        if match is not None and _is_color(match["text"]):
            return (
                "the array of a batch contains numbers: write batch.color[rows] = (1, 0.5, 0, 1), "
                f"or sprite.color = {match['text']!r} for one row"
            )
        return None
    match = _NOT_SUBSCRIPTABLE.fullmatch(message)
    if match is not None and match["kind"] in _SUBSCRIPTED:
        return _SUBSCRIPTED[match["kind"]]
    if (
        match is not None
        and match["kind"] == "method"
        and _attributes_before(error)[-1:] == ["save"]
    ):
        return SAVES_ADVICE
    match = _NOT_CALLABLE.fullmatch(message)
    if match is not None:
        return _CALLED.get(match["kind"]) or _replaced_method(error, match["kind"])
    match = _NOT_ITERABLE.fullmatch(message)
    if match is not None:
        return _SEARCHED.get(match["argument"] or match["object"] or match["container"])
    if message == "'tuple' object does not support item assignment":
        return _of_tuple(_attributes_before(error))
    return None


def _is_color(text: str) -> bool:
    try:
        checks.color("color", text)
    except ValueError:
        return False
    return True


def coordinate_of_tuple(error: AttributeError, index: int) -> str:
    """Return advice about a coordinate such as ``position.x``, because a tuple has no such
    attributes. ``index`` is the index of the coordinate in the tuple.
    """
    names = _attributes_before(error)
    if names and names[-1] in ("x", "y", "z"):
        names.pop()
    if names and names[-1] != "position":
        return f"positions and velocities are tuples: write {names[-1]}[{index}]"
    read = f"; to read the number, write position[{index}]"
    return f"positions are tuples: {_position_advice(names)}{read}"


def _of_tuple(names: list[str]) -> str:
    if names and names[-1] != "position":
        return f"a tuple never changes: write {'.'.join(names)} = (…), with all its numbers"
    return f"a tuple never changes: {_position_advice(names)}"


def _position_advice(names: list[str]) -> str:
    return _MOVED_CAMERA if "camera" in names else _MOVED_SPRITE


_OF_OBJECT = ("STORE_SUBSCR", "BINARY_SUBSCR", "LOAD_ATTR", "STORE_ATTR")
"""Instructions whose position in the source code begins where the object begins."""


def _last_frame(error: BaseException) -> TracebackType | None:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback


def _attributes_before(error: BaseException) -> list[str]:
    """Return the names in the expression that failed, such as ``["self", "ship", "position"]`` for
    ``self.ship.position[0] += 5``. If the expression has no attributes, return an empty list.
    """
    traceback = _last_frame(error)
    if traceback is None:
        return []
    names: list[str] = []
    instructions = [*dis.get_instructions(traceback.tb_frame.f_code)]
    failed = next((each for each in instructions if each.offset == traceback.tb_lasti), None)
    # In Python 3.14, reading a[b] is a binary operation.
    is_subscript = failed is not None and failed.argrepr == "[]"
    if failed is None or not (failed.opname in _OF_OBJECT or is_subscript):
        return []
    if failed.positions is None or failed.positions.col_offset is None:
        return []
    start = failed.positions.lineno, failed.positions.col_offset
    for instruction in instructions:
        if instruction.offset > failed.offset:
            break
        positions = instruction.positions
        if positions is None or (positions.lineno, positions.col_offset) != start:
            continue
        if instruction.opname.startswith(("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF")):
            loaded = instruction.argval  # since Python 3.13, one instruction may load two variables
            names = [str(loaded[-1] if isinstance(loaded, tuple) else loaded)]
        elif instruction.opname == "LOAD_ATTR":
            names.append(str(instruction.argval))
    return names if len(names) > 1 else []


def _replaced_method(error: BaseException, kind: str) -> str | None:
    """Return advice if the code calls a method of its scene or game that the game has overwritten
    with a value. ``kind`` is the class of the value.
    """
    traceback = _last_frame(error)
    if traceback is None:
        return None
    for scene in _scenes_in(traceback.tb_frame):
        for name, value in vars(scene).items():
            if type(value).__name__ == kind and callable(getattr(type(scene), name, None)):
                return (
                    f"{name} is a method of the framework, and self.{name} = … has replaced the "
                    f"method: use another name for your own attribute, such as my_{name}"
                )
    return None


def _scenes_in(frame: FrameType) -> list[Any]:
    """Return the scenes and games in the local variables of ``frame``, and the games that these
    scenes belong to.
    """
    scenes = []
    for value in frame.f_locals.values():
        if any(base.__module__ == "framework.game.scene" for base in type(value).__mro__):
            scenes.append(value)
            game = game_of(value)
            if game is not None and game is not value:
                scenes.append(game)
    return scenes
