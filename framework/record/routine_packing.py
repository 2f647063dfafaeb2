"""Convert routines (running coroutines) to JSON for a save.

An object that belongs to a routine is written as ``{"@part": [kind, {name: value}]}``, with one of
the kinds below. The module `routine_loading` recreates the objects from a save. A save contains no
program code, only the names of functions, which the game must list in `saved_routines`.

    named       an object of the game, such as "scenes[0]" (the game itself), "scenes[Level]" (the
                lowest scene of the class `Level`), "scenes[Level 2]", and "players[0].keys"
    routine     its frames, what it waits for, its task group
    cell        a variable that functions share
    function    a lambda or an inner function: the name of the function that contains it
    method      an object and the name of its method
    builtin     a list, dict, set or deque and the name of its method
    iterator    the position of a loop
    range       a range
    condition   the function of `Scene.until`
    event       the name of the event of `Scene.next`
    tasks       a group of routines
    ended       a coroutine that has ended
    tween       a running tween

Routines, groups and tweens contain the name of their scene, such as "scenes[Level]". Earlier
versions wrote the index of the scene on the stack instead, as in 1 and "scenes[1]".
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn, Protocol

from ..coroutines.frames import ENDED, FrameState
from ..coroutines.iterators import IteratorState
from ..coroutines.refusals import CannotCapture
from ..coroutines.routine_code import RoutineCode
from ..errors import FrameworkError
from ..timing.routines import ConditionWait, EventWait, Routine, Routines, TaskGroup
from ..timing.schedule import Schedule

Fields = dict[str, object]
Part = tuple[str, Fields]
"""An object in a save: the name of its kind, and a dict with its values."""

KINDS = frozenset(
    {
        *("named", "routine", "cell", "function", "method", "iterator", "range", "condition"),
        *("event", "tasks", "ended", "tween", "frame", "builtin"),
    }
)
GAME = "scenes[0]"
"""The name that stands for the game itself in the routines of a save, instead of the name of a
scene.
"""
_INNER = ".<locals>."
BUILTIN_METHODS: Mapping[type, frozenset[str]] = {
    list: frozenset({"append", "extend", "insert", "remove", "index", "count"}),
    dict: frozenset({"get", "setdefault", "update", "pop"}),
    set: frozenset({"add", "discard", "remove", "update"}),
    collections.deque: frozenset({"append", "appendleft", "extend", "remove"}),
}
"""The methods of lists and dicts that are allowed in a save. For example, a routine that waits in
``self.log.append(await …)`` refers to the method ``append``.
"""


class HasCount(Protocol):
    """The interface of an object that counts how many tweens a scene has created (``made``)."""

    made: int


class HasRoutines(Protocol):
    """The interface of an object that runs the routines of a scene."""

    @property
    def tweens(self) -> HasCount | None: ...

    routines: Routines | None
    schedule: Schedule | None

    def make_routines(self) -> Routines: ...


class SceneOfSave(NamedTuple):
    """A scene, and the object that runs its routines."""

    scene: object
    rules: HasRoutines


class SavedFunctions:
    """The functions that a save may contain by name. They are the `saved_routines` of the game and
    of the scenes on the stack, their inner functions, and some functions of the framework.
    """

    def __init__(self, declared: Iterable[Any], own: Iterable[types.FunctionType]) -> None:
        """Raises `FrameworkError` if two functions have the same name.

        ``declared`` contains the `saved_routines` of the game and of the scenes. ``own`` contains
        the functions of the framework.
        """
        self._functions: dict[str, types.FunctionType] = {}
        for function in [*own, *map(_function_of, declared)]:
            name = function.__qualname__
            if self._functions.setdefault(name, function) is not function:
                raise FrameworkError(f"saved_routines: two functions have the name {name}")

    def names(self) -> str:
        """Return the names of the game's functions, as a text for error messages."""
        own = [
            name
            for name, function in self._functions.items()
            if not function.__module__.startswith("framework.")
        ]
        return ", ".join(own) or "none"

    def __contains__(self, function: object) -> bool:
        return isinstance(function, types.FunctionType) and (
            self._functions.get(function.__qualname__) is function
        )

    def function(self, name: str) -> types.FunctionType | None:
        """Return the function with the qualified name ``name``. If ``name`` belongs to an inner
        function, return the outer function.
        """
        return self._functions.get(name.partition(_INNER)[0])

    def code(self, name: str, index: int) -> types.CodeType | None:
        """Return the code object of a function. If several inner functions have the same name,
        ``index`` selects one of them. They are counted in the order of the source.
        """
        function = self.function(name)
        if function is None:
            return None
        if _INNER not in name:
            return function.__code__ if index == 0 else None
        codes = [code for code in codes_within(function.__code__) if code.co_qualname == name]
        return codes[index] if index < len(codes) else None

    def index_of(self, code: types.CodeType, within: types.CodeType) -> int:
        """Return the index of the inner function ``code``. Only the inner functions of ``within``
        with the same name as ``code`` are counted.
        """
        codes = [each for each in codes_within(within) if each.co_qualname == code.co_qualname]
        return next((i for i, each in enumerate(codes) if _is_place_of(each, code)), -1)


def codes_within(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code objects of all inner functions, in the order of the source."""
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield part
            yield from codes_within(part)


def _is_place_of(code: types.CodeType, other: types.CodeType) -> bool:
    """Return whether two code objects were compiled from the same function in the source, possibly
    at different times.
    """
    return code is other or [*code.co_positions()] == [*other.co_positions()]


def is_function(value: object) -> bool:
    """Return whether a value is a function or a method that a game can list in `saved_routines`."""
    return isinstance(_function_of(value), types.FunctionType)


def _function_of(value: Any) -> types.FunctionType:
    function: types.FunctionType = getattr(value, "__func__", value)
    return function


class RoutinePacking:
    """Converts running routines, and objects that only routines use, to JSON.

    Parameters
    ----------
    functions
        The functions that a save may contain.
    scenes
        The game and the scenes on the stack. The keys are their names in the save.
    named
        The objects that exist in every game, such as the keyboard of a player. The keys of
        ``named`` are the names of the objects.
    """

    def __init__(
        self,
        functions: SavedFunctions,
        scenes: Mapping[str, SceneOfSave],
        named: Mapping[str, object],
    ) -> None:
        self._functions = functions
        self._scenes = scenes
        self._names = {id(obj): name for name, obj in named.items()}

    def part(self, obj: Any, fail: Callable[[str], NoReturn]) -> Part | None:
        """Return the kind and the values of an object that belongs to a routine, or None for any
        other object.

        The function ``fail(words)`` raises an error whose message contains ``words`` and the path
        of the object.
        """
        name = self._names.get(id(obj))
        if name is not None:
            return "named", {"name": name}
        pack = _PARTS.get(type(obj))
        if pack is not None:
            return pack(self, obj, fail)
        if hasattr(type(obj), "_saved_part"):
            kind, fields = obj._saved_part(fail)
            owner = fields.pop("owner")
            for name, scene in self._scenes.items():
                if scene.rules.tweens is owner:
                    return kind, {**fields, "scene": name}
            # the object belongs to a scene that was removed
            return kind, {"pieces": [], "scene": GAME}
        return None

    def is_named(self, obj: object) -> bool:
        """Return whether a save contains only the name of this object. An object that exists in
        every game, such as the keyboard of a player, is saved by name.
        """
        return id(obj) in self._names

    # -- routines ----------------------------------------------------------------------------------

    def _scene_name(self, routine: Routine, fail: Callable[[str], NoReturn]) -> str:
        """Return the name of the scene that runs this routine."""
        for name, scene in self._scenes.items():
            if routine._runner.routines is scene.rules.routines:
                if routine._runner.clock is scene.rules.schedule:
                    return name
                fail(f"is the running routine {routine.name}, which waits in the time of a group")
        return fail("is a routine of a scene that is not on the stack")

    def _routine(self, routine: Routine, fail: Callable[[str], NoReturn]) -> Part:
        fields: Fields = {
            "name": routine.name,
            "started_at": routine.started_at,
            "cancelled": routine.cancelled,
            "result": routine.result,
            "scene": GAME,
            "frames": [],
            "group": None,
            "wait": None,
            "moment": "0",
        }
        if routine.over:
            return "routine", fields
        fields["scene"] = self._scene_name(routine, fail)
        frame = _captured_frame(routine, fail)
        wait = routine._wait_for_save()
        if isinstance(wait, str):
            fail(f"is the running routine {routine.name}, which cannot be saved; {wait}")
        frames: list[object] = []
        while isinstance(frame, FrameState):
            frames.append(frame)
            frame = frame.awaited
        if wait[0] == "object" and frame is None:
            fail(
                f"is the running routine {routine.name}, which cannot be saved, because it waits "
                "for a dialog or another object that is in no save"
            )
        fields["frames"] = frames
        fields["awaited"] = frame
        fields["group"] = routine._group
        fields["wait"] = [wait[0], _text_of(wait[1])]
        fields["moment"] = _text_of(routine._moment_for_save())
        return "routine", fields

    def _frame(self, frame: FrameState, fail: Callable[[str], NoReturn]) -> Part:
        """Convert one frame of a coroutine. A local variable of a routine may contain a coroutine
        that the routine has not awaited yet. Such a coroutine is also converted to a frame, which
        becomes one of the values of the outer frame.
        """
        name, index = self._place(frame.code, fail)
        if frame.errors:
            fail(f".{frame.name}() is in an except block, where a routine cannot be saved")
        if any(manager.error is not None for manager in frame.managers.values()):
            fail(f".{frame.name}() ends with an error, during which it cannot be saved")
        new = frame.new
        cells = frame.cells if new is None else _closure_of(new.function)
        return "frame", {
            "function": name,
            "index": index,
            "hash": frame.code.digest,
            "at": frame.number,
            "values": frame.values,
            "cells": {name: cell for name, cell in cells.items() if name != "__class__"},
            "blocks": {
                block: [manager.manager.manager, manager.phase]
                for block, manager in frame.managers.items()
            },
            "arguments": None if new is None else [new.arguments, new.keywords],
        }

    def _place(self, code: RoutineCode, fail: Callable[[str], NoReturn]) -> tuple[str, int]:
        """Return the name and the index of a function. `SavedFunctions.code` finds the function
        with this name and this index.
        """
        function = self._functions.function(code.name)
        if function is None:
            fail(
                f"runs the function {code.name}, which is not in saved_routines of the game or of "
                f"a scene on the stack; there are {self._functions.names()}"
            )
        if _INNER not in code.name:
            return code.name, 0
        index = self._functions.index_of(code.plain, function.__code__)
        if index < 0:
            fail(f"runs the function {code.name}, whose code has changed")
        return code.name, index

    # -- functions ---------------------------------------------------------------------------------

    def _function(self, function: types.FunctionType, fail: Callable[[str], NoReturn]) -> Part:
        name = function.__qualname__
        is_inner = _INNER in name
        around = self._functions.function(name)
        if around is None or (not is_inner and function not in self._functions):
            fail(
                f"is the function {name}, which is not in saved_routines of the game or of a "
                f"scene on the stack; there are {self._functions.names()}"
            )
        index = 0
        cells: Fields = {}
        if is_inner:
            index = self._functions.index_of(function.__code__, around.__code__)
            cells = _closure_of(function)
            if index < 0:
                fail(f"is the function {name}, whose code has changed")
        return "function", {
            "name": name,
            "index": index,
            "cells": cells,
            "defaults": function.__defaults__ if is_inner else None,
            "keywords": function.__kwdefaults__ if is_inner else None,
        }

    def _method(self, method: types.MethodType, fail: Callable[[str], NoReturn]) -> Part:
        if method.__func__ not in self._functions:
            fail(
                f"is the method {method.__func__.__qualname__}, which is not in saved_routines of "
                f"the game or of a scene on the stack; there are {self._functions.names()}"
            )
        return "method", {"object": method.__self__, "name": method.__func__.__qualname__}

    def _builtin(self, method: Any, fail: Callable[[str], NoReturn]) -> Part:
        owner = method.__self__
        name = method.__name__
        if name not in BUILTIN_METHODS.get(type(owner), ()):
            if isinstance(owner, types.ModuleType):
                fail(f"is the built-in function {name}, which cannot be saved")
            fail(f"is the method {name} of a {type(owner).__name__}, which cannot be saved")
        return "builtin", {"object": owner, "name": name}

    def _cell(self, cell: types.CellType, fail: Callable[[str], NoReturn]) -> Part:
        try:
            return "cell", {"value": cell.cell_contents}
        except ValueError:  # the variable has no value yet
            return "cell", {}

    # -- waits -------------------------------------------------------------------------------------

    def _iterator(self, state: IteratorState, fail: Callable[[str], NoReturn]) -> Part:
        fields: Fields = {"kind": state.kind, "position": state.position}
        return "iterator", fields | {"sources": [*state.sources]}

    def _range(self, numbers: range, fail: Callable[[str], NoReturn]) -> Part:
        return "range", {"ends": [numbers.start, numbers.stop, numbers.step]}

    def _condition(self, wait: ConditionWait, fail: Callable[[str], NoReturn]) -> Part:
        return "condition", {"condition": wait.condition, "value": wait.value}

    def _event(self, wait: EventWait, fail: Callable[[str], NoReturn]) -> Part:
        return "event", {"arguments": wait.arguments}

    def _tasks(self, group: TaskGroup, fail: Callable[[str], NoReturn]) -> Part:
        return "tasks", {
            "scene": next(
                (
                    name
                    for name, scene in self._scenes.items()
                    if group._routines is scene.rules.routines
                ),
                GAME,
            ),
            "members": [*group._members.values()],
            "host": group._host,
            "waits": group._waits,
        }

    def _ended(self, marker: object, fail: Callable[[str], NoReturn]) -> Part:
        return "ended", {}


def _closure_of(function: types.FunctionType | types.MethodType) -> Fields:
    """Return the variables that a function shares with the functions around it."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _captured_frame(routine: Routine, fail: Callable[[str], NoReturn]) -> Any:
    """Return the outermost captured frame of a routine that is not running now."""
    try:
        frame: Any = routine._captured_frames()
    except CannotCapture as error:
        fail(f"is the running routine {routine.name}, which cannot be saved; {error}")
    if frame is None:
        fail("is the routine that is running; save with game.call_soon, or in update()")
    return frame


def _text_of(number: Fraction | int | str | None) -> str | None:
    return None if number is None else str(number)


_PARTS: Mapping[type, Callable[[RoutinePacking, Any, Callable[[str], NoReturn]], Part]] = {
    Routine: RoutinePacking._routine,
    FrameState: RoutinePacking._frame,
    types.FunctionType: RoutinePacking._function,
    types.MethodType: RoutinePacking._method,
    types.BuiltinMethodType: RoutinePacking._builtin,
    types.CellType: RoutinePacking._cell,
    IteratorState: RoutinePacking._iterator,
    range: RoutinePacking._range,
    ConditionWait: RoutinePacking._condition,
    EventWait: RoutinePacking._event,
    TaskGroup: RoutinePacking._tasks,
    type(ENDED): RoutinePacking._ended,
}
