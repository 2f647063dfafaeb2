"""Raise an error if a game defines or sets a name that the framework uses itself."""

from __future__ import annotations

import dis
import functools
import inspect
import opcode
from collections.abc import Collection, Iterator
from types import CodeType, FunctionType
from typing import Any, NoReturn, TypeVar

from ..moved_names import Absent, check_hooks
from ..other_engines.game_code import functions_in

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
    """A setter for a property that the code of a game must not set. The setter raises
    `AttributeError`, with a hint in the error message.
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
    """A class decorator that adds a setter to each read-only property of a class. Each added setter
    raises `AttributeError`, with a hint in the error message.
    """
    for name, value in list(vars(kind).items()):
        if isinstance(value, property) and value.fset is None and name[0] != "_":
            # Each property gets its own setter, because a method `__setattr__` would slow down
            # every assignment in a game.
            setattr(kind, name, value.setter(Refusal(name)))
    return kind


# Names that a subclass is allowed to define.
_HOOKS = frozenset(
    {"setup", "update", "draw", "on_enter", "on_exit", "default_listener", "pauses_below", "opaque"}
    | {"not_state", "own_names"}
    | {"saved", "saved_classes", "saved_routines", "saved_version", "saves_folder", "migrations"}
    | {"save", "load", "state_hash"}  # a game may define its own file format and hash
)

# The modules that define `Game` and `Scene`.
_OWNERS = frozenset(f"framework.game.{module}" for module in ("game", "scene"))


def check_definitions(kind: type) -> None:
    """Raise `TypeError` if a class of the game defines a name that the framework uses.

    Games may define hooks such as ``update``, declarations such as ``saved``, and methods that call
    ``super()``.
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
    framework uses it. Subclasses may define hooks, declarations such as ``saved``, and old names of
    the framework (see `moved_names`).
    """
    if name[0] == "_" or name in _HOOKS:
        return False
    owners = [base for base in kind.__mro__ if base.__module__ in _OWNERS and name in vars(base)]
    return bool(owners) and not isinstance(vars(owners[0])[name], Absent)


def is_read_only(kind: type, name: str) -> bool:
    """Return whether ``name`` is a property of `Game` or `Scene` that the code of a game must not
    set.
    """
    static = inspect.getattr_static(kind, name, None)
    return isinstance(static, property) and isinstance(static.fset, Refusal)


# -- methods that the game replaces ----------------------------------------------------------------


# Games often use these names for attributes of their own. Setting such an attribute is an error
# only if the code of the class also calls the method, as in ``self.start(self.intro())``.
_COMMON_NAMES = frozenset(
    {"load", "next", "save", "seconds", "show", "start", "tasks", "ticks", "tween"}
)


def guard_methods(kind: type) -> None:
    """Raise an error if the game sets an attribute with the name of a framework method, such as
    ``self.start = (5, 5)``.

    To check assignments, the function adds a ``__setattr__`` to ``kind``, but only if the code of
    the class assigns to the name of a method. A ``__setattr__`` in `Scene` would slow down every
    assignment in every game. Assigning a function is allowed: ``self.update = self.update_menu``
    replaces the method.
    """
    setter: Any = kind.__setattr__
    if setter not in (object.__setattr__, _set_checked):
        return
    methods = _methods(kind)
    codes = [
        code
        for base in kind.__mro__
        if base is not object and not base.__module__.startswith("framework.")
        for value in vars(base).values()
        for code in functions_in(value)
    ]
    stored = {name for code in codes for name in _stored(code) if name in methods}
    if not stored:
        return
    common = stored & _COMMON_NAMES
    refused = methods - _COMMON_NAMES | _called(codes, common)
    if stored & refused:
        setattr(kind, "_refused_names", refused)  # noqa: B010  (mypy refuses the assignment)
        setattr(kind, "__setattr__", _set_checked)  # noqa: B010


def _called(codes: list[CodeType], names: Collection[str]) -> frozenset[str]:
    """Return each name in ``names`` that the code calls as a method of ``self``, its first
    argument.
    """
    called = set()
    for code in codes:
        if not code.co_argcount or not {*names} & {*code.co_names}:
            continue
        before: Any = None
        for instruction in dis.get_instructions(code):
            # Since Python 3.12, the instruction LOAD_ATTR loads methods, too.
            loads_method = instruction.opname == "LOAD_METHOD" or (
                instruction.opname == "LOAD_ATTR" and "NULL" in instruction.argrepr
            )
            receiver = before[-1] if isinstance(before, tuple) and before else before
            if loads_method and instruction.argval in names and receiver == code.co_varnames[0]:
                called.add(instruction.argval)
            before = instruction.argval
    return frozenset(called)


def replaces_method(kind: type, name: str, value: object) -> bool:
    """Return whether an attribute ``name`` would replace a method of `Game` or `Scene` with a value
    that is not a function.
    """
    return not callable(value) and name in _methods(kind) - _COMMON_NAMES


def method_message(kind: type, name: str) -> str:
    """Return the error message for an attribute ``name`` that would replace a method."""
    return (
        f"{kind.__name__}.{name}: the framework has a method of this name, and the attribute would "
        f"replace the method. Use another name for your own attribute, such as my_{name}"
    )


def _set_checked(scene: object, name: str, value: object) -> None:
    refused: frozenset[str] = getattr(type(scene), "_refused_names", frozenset())
    if name in refused and not callable(value):
        raise AttributeError(method_message(type(scene), name))
    object.__setattr__(scene, name, value)


def _methods(kind: type) -> frozenset[str]:
    return frozenset().union(
        *(_methods_of(base) for base in kind.__mro__ if base.__module__ in _OWNERS)
    )


@functools.cache
def _methods_of(owner: type) -> frozenset[str]:
    """Return the names of the public methods of a framework class."""
    return frozenset(
        name
        for name, value in vars(owner).items()
        if name[0] != "_" and isinstance(value, FunctionType | classmethod | staticmethod)
    )


_STORE = opcode.opmap["STORE_ATTR"]
_EXTENDED = opcode.opmap["EXTENDED_ARG"]


def _stored(code: CodeType) -> Iterator[str]:
    """Yield the names of all attributes that ``code`` sets on an object.

    The function reads the bytecode directly, because the module `dis` would take a few milliseconds
    for a large game.
    """
    high = 0
    instructions = code.co_code
    for operation, argument in zip(instructions[::2], instructions[1::2], strict=True):
        argument |= high
        if operation == _STORE:
            yield code.co_names[argument]
        high = argument << 8 if operation == _EXTENDED else 0


def _extends(value: Any) -> bool:
    """Return whether a method, or the getter of a property, calls ``super()``."""
    function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    return code is not None and "__class__" in code.co_freevars
