"""Recreate the routines (running coroutines) of a save when the save is loaded.

Each routine continues at the ``await`` at which it was waiting when the game was saved. The module
`routine_packing` writes routines into a save, and describes the format.

A save contains only the names of functions. The loader accepts only functions that the game lists
in `saved_routines`, and only if their source code has not changed since the game was saved. The
loader checks all values, because the save may come from an attacker.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn

from ..checks import shown
from ..coroutines import frames, iterators
from ..coroutines.adoption import compile_function
from ..coroutines.frames import ENDED, FrameState, ManagerState
from ..coroutines.iterators import IteratorState
from ..coroutines.routine_code import RoutineCode, compiled
from ..coroutines.support import AsyncManager
from ..timing.routines import ConditionWait, EventWait, Routine, TaskGroup
from .routine_packing import BUILTIN_METHODS, SavedFunctions, SceneOfSave
from .unpacking import SavedPart

_MAX_TIME = 1 << 40  # maximum number of ticks or seconds in one wait
_SCENE = "scenes["  # the start of the name of a scene
_WAITS = frozenset({"ready", "condition", "tasks", "object", "ticks", "seconds", "event"})

Value = Callable[[object, str], Any]
"""A function ``value(node, path)`` that returns the object for a saved value."""
LoadTween = Callable[[SceneOfSave, Mapping[str, Any]], object]
"""A function that creates a tween from a scene and the saved values of the tween."""


class _Waiting(NamedTuple):
    """A routine that the loader has created but not yet started. It starts after the complete save
    has been loaded.
    """

    routine: Routine
    state: FrameState
    moment: Fraction
    wait: tuple[str, Any]
    awaited: object


class RoutineLoading:
    """Creates the routines in a save, and the objects that belong to these routines.

    Parameters
    ----------
    functions
        The functions that a save may contain.
    scenes
        The game and the scenes on the stack. The keys are their names in saves of this version and
        of earlier versions.
    named
        The objects that exist in every game, such as the keyboard of a player. The keys of
        ``named`` are the names of the objects.
    load_tween
        A function that creates a running tween from a save.
    """

    def __init__(
        self,
        functions: SavedFunctions,
        scenes: Mapping[str, SceneOfSave],
        named: Mapping[str, object],
        load_tween: LoadTween,
    ) -> None:
        self._functions = functions
        self._scenes = scenes
        self._named = named
        self._load_tween = load_tween
        self._waiting: list[_Waiting] = []
        self._groups: list[tuple[TaskGroup, list[Routine]]] = []
        self._continued: list[Routine] = []
        self._tweens: list[Any] = []
        # The numbers of the next routine and of the next tween. `undo` sets these numbers again.
        runners = [
            runner
            for scene in scenes.values()
            for runner in (scene.rules.routines, scene.rules.tweens)
        ]
        self._counts: list[tuple[Any, int]] = [
            (runner, runner.made) for runner in runners if runner is not None
        ]

    def made(
        self,
        part: SavedPart,
        path: str,
        keep: Callable[[Any], Any],
        value: Value,
        fail: Callable[[str, str], NoReturn],
    ) -> object:
        """Return the object that ``part`` describes. The method passes the new object to the
        function ``keep`` before it loads the values of the object, because these values may refer
        to the object. The function ``fail(path, words)`` raises an error.
        """
        return self._call(
            _MAKERS[part.kind], part.kind, _Part(part.values, path, keep, value, fail)
        )

    def _call(
        self, function: Callable[[RoutineLoading, _Part], object], kind: str, part: _Part
    ) -> object:
        """Call a method of this class. If the values of the part are invalid, call ``part.fail``."""
        try:
            return function(self, part)
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            part.fail(part.path, f"is an invalid part ({kind}) of a saved routine: {error}")

    def finish(self) -> None:
        """Continue all routines in the save. Call `finish` after all other values have been loaded.
        First, create all coroutines, because only this step can raise errors. Then let each routine
        wait for the same event or time as before the save.
        """
        coroutines = [frames.resumed(waiting.state) for waiting in self._waiting]
        for waiting, coroutine in zip(self._waiting, coroutines, strict=True):
            routine = waiting.routine
            self._continued.append(routine)
            routine._runner.routines.continue_loaded(
                routine, coroutine, waiting.moment, waiting.wait, waiting.awaited
            )
        for group, members in self._groups:
            group._members = {member.number: member for member in members if not member.over}

    def undo(self) -> None:
        """Remove the routines and tweens that the `RoutineLoading` has created."""
        for routine in self._continued:
            routine._runner.routines.discard_loaded(routine)
        for tween in self._tweens:
            tween.cancel()
        for runner, count in self._counts:
            runner.made = count

    def check(self, parts: Sequence[SavedPart], fail: Callable[[str, str], NoReturn]) -> None:
        """Raise an error if the game does not allow the function of a saved frame, or if the source
        of this function has changed since the save. Also raise an error if the save refers to a
        scene that is not on the stack.
        """
        for part in parts:
            check = _CHECKS.get(part.kind)
            if check is not None:
                values = _Part(part.values, "", lambda obj: obj, lambda node, path: node, fail)
                self._call(check, part.kind, values)

    # -- parts -------------------------------------------------------------------------------------

    def _named_object(self, part: _Part) -> object:
        name = part.text("name")
        if name not in self._named:
            self._refuse_name(part, name)
        return self._named[name]

    def _scene_of(self, part: _Part) -> SceneOfSave:
        """Return the scene to which a routine, a group or a tween belongs. Earlier versions wrote
        the index of the scene on the stack.
        """
        saved = part.values["scene"]
        name = f"{_SCENE}{saved}]" if type(saved) is int else _instance(saved, str)
        if name not in self._scenes:
            self._refuse_name(part, name)
        return self._scenes[name]

    def _cell(self, part: _Part) -> types.CellType:
        cell: types.CellType = part.keep(types.CellType())
        if "value" in part.values:
            cell.cell_contents = part.made("value")
        return cell

    def _function(self, part: _Part) -> types.FunctionType:
        name = part.text("name")
        function = self._functions.function(name)
        code = self._functions.code(name, part.whole("index", 1 << 16))
        if function is None or code is None:
            self._refuse(part, name)
        if name == function.__qualname__:
            return function
        cells = part.made("cells")
        closure = tuple([_instance(cells[free], types.CellType) for free in code.co_freevars])
        defaults = part.made("defaults")
        copy = types.FunctionType(code, function.__globals__, code.co_name, defaults, closure)
        copy.__kwdefaults__ = part.made("keywords")
        return copy

    def _method(self, part: _Part) -> types.MethodType:
        name = part.text("name")
        function = self._functions.function(name)
        if function is None or function.__qualname__ != name:
            self._refuse(part, name)
        owner = part.made("object")
        kind = name.rpartition(".")[0].rpartition(".")[2]
        if kind not in [base.__name__ for base in type(owner).__mro__]:
            raise ValueError(f"a {type(owner).__name__} has no method {name}")
        return types.MethodType(function, owner)

    def _builtin(self, part: _Part) -> object:
        owner = part.made("object")
        name = part.text("name")
        if name not in BUILTIN_METHODS.get(type(owner), ()):
            raise ValueError(f"the method {name} of a {type(owner).__name__}")
        return getattr(owner, name)

    def _iterator(self, part: _Part) -> IteratorState:
        kind = part.text("kind")
        position = part.values["position"]
        if kind not in iterators.KINDS or not (position is None or type(position) is int):
            raise ValueError(f"the position {shown(position)} of {shown(kind)}")
        state: IteratorState = part.keep(IteratorState(kind, (), position))
        state.sources = tuple(part.made("sources"))
        return state

    def _range(self, part: _Part) -> range:
        return range(*part.made("ends"))

    def _condition(self, part: _Part) -> ConditionWait:
        wait: ConditionWait = part.keep(ConditionWait(_nothing))
        condition = part.made("condition")
        if not callable(condition):
            raise TypeError(f"the condition is {shown(condition)}")
        wait.condition = condition
        wait.value = part.made("value")
        return wait

    def _event(self, part: _Part) -> EventWait:
        wait: EventWait = part.keep(EventWait([]))
        wait.arguments = _instance(part.made("arguments"), tuple)
        return wait

    def _ended(self, part: _Part) -> object:
        return ENDED

    def _tween(self, part: _Part) -> object:
        scene = self._scene_of(part)
        values = {name: part.made(name) for name in part.values}
        tween = part.keep(self._load_tween(scene, values))
        self._tweens.append(tween)
        return tween

    def _tasks(self, part: _Part) -> TaskGroup:
        scene = self._scene_of(part)
        group: TaskGroup = part.keep(TaskGroup(scene.rules.make_routines()))
        members = [_instance(member, Routine) for member in part.made("members")]
        host = part.made("host")
        group._host = None if host is None else _instance(host, Routine)
        group._waits = _instance(part.values["waits"], bool)
        self._groups.append((group, members))
        return group

    def _routine(self, part: _Part) -> Routine:
        scene = self._scene_of(part)
        routines = scene.rules.make_routines()
        assert scene.rules.schedule is not None
        routine: Routine = part.keep(
            routines.loaded(part.text("name"), part.text("started_at"), scene.rules.schedule)
        )
        routine.cancelled = _instance(part.values["cancelled"], bool)
        routine.result = part.made("result")
        group = part.made("group")
        routine._group = None if group is None else _instance(group, TaskGroup)
        states = [_instance(state, FrameState) for state in part.made("frames")]
        if not states:
            return routine
        awaited = part.made("awaited")
        for outer, inner in itertools.pairwise(states):
            outer.awaited = inner
        states[-1].awaited = awaited
        wait = self._wait(part.values["wait"])
        if wait[0] == "condition":
            awaited = _found_in(states, ConditionWait | EventWait)
        elif wait[0] == "event":
            awaited = _found_in(states, EventWait)
        elif wait[0] == "object" and not frames.is_leaf(awaited):
            raise ValueError(f"it waits for {shown(awaited)}")
        moment = _fraction(part.values["moment"])
        self._waiting.append(_Waiting(routine, states[0], moment, wait, awaited))
        return routine

    def _wait(self, node: Any) -> tuple[str, Any]:
        kind, amount = node
        if kind not in _WAITS:
            raise ValueError(f"it waits for {shown(kind)}")
        if kind == "ticks":
            ticks = int(amount)
            if not 0 < ticks < _MAX_TIME:
                raise ValueError(f"it waits for {amount} ticks")
            return kind, ticks
        return kind, _fraction(amount) if kind == "seconds" else amount

    def _frame(self, part: _Part) -> FrameState:
        code = self._code(part)
        function = self._functions.function(code.name)
        assert function is not None
        state: FrameState = part.keep(FrameState(code, code.name, {}))
        state.space = function.__globals__
        state.cells = _cells(part, code, function)
        arguments = part.made("arguments")
        if arguments is not None:
            positional, keywords = arguments
            state.begin(_called(state, function), positional, keywords)
            return state
        number = part.whole("at", 1 << 30)
        if number not in code.live or {*state.cells} != {*code.cells}:
            raise ValueError(f"{code.name} does not wait there")
        state.number = number
        state.values = part.made("values")
        variables = {*code.live[number], *code.plain.co_varnames}
        if not variables.issuperset(state.values):
            raise ValueError(f"{code.name} has no such variables")
        state.managers = {
            name: _block(code, name, manager, phase)
            for name, (manager, phase) in part.made("blocks").items()
        }
        return state

    def _code(self, part: _Part) -> RoutineCode:
        """Return the code object for the function of a saved frame. Raise an error if the source of
        the function has changed since the save.
        """
        name = part.text("function")
        function = self._functions.function(name)
        code = self._functions.code(name, part.whole("index", 1 << 16))
        if function is None or code is None:
            self._refuse(part, name)
        error = compile_function(function) if function.__code__ is code else None
        entry = compiled(code, function.__globals__)
        if error is not None or not isinstance(entry, RoutineCode):
            part.fail(part.path, f"the routine {name} cannot be restored: {error or entry}")
        if entry.digest != part.values["hash"]:
            part.fail(
                part.path,
                f"the routine {name} was saved with another source; its code has changed since; set "
                "the attribute to None in a migration, and start the routine in after_load()",
            )
        return entry

    def _refuse_name(self, part: _Part, name: str) -> NoReturn:
        if name.startswith(_SCENE):
            part.fail(part.path, _missing_scene(name))
        raise ValueError(f"the game has no {shown(name)}")

    def _refuse(self, part: _Part, name: str) -> NoReturn:
        part.fail(
            part.path,
            f"it runs the function {shown(name)}; those that may run are in saved_routines: "
            f"{self._functions.names()}",
        )


def _missing_scene(name: str) -> str:
    """Return an error message about a scene that is not on the stack. ``name`` is its name in a
    save.
    """
    saved = name.removeprefix(_SCENE).partition("]")[0]
    kind, _, count = saved.partition(" ")
    if kind.isdecimal():  # a save of an earlier version
        return (
            "it belongs to a scene that is not on the stack; push the same scenes as when the game "
            "was saved"
        )
    kind = shown(kind)[1:-1]
    if count:
        return (
            f"the save refers to {shown(count)[1:-1]} scenes of the class {kind}, and the stack has "
            "fewer; push them before load"
        )
    return f"the save refers to the scene {kind}, which is not on the stack; push it before load"


def _cells(
    part: _Part, code: RoutineCode, function: types.FunctionType
) -> dict[str, types.CellType]:
    """Return the variables that a saved frame shares with other functions. The cell (shared
    variable) ``__class__`` is never saved, so it is taken from the function.
    """
    cells = part.made("cells")
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name in code.cells and name == "__class__":
            cells[name] = cell
    return {name: _instance(cell, types.CellType) for name, cell in cells.items()}


def _called(state: FrameState, function: types.FunctionType) -> types.FunctionType:
    """Return the function of a saved frame. It is ``function`` itself, or a function that
    ``function`` defines.
    """
    code = state.code
    if code.name == function.__qualname__:
        return function
    closure = tuple([state.cells[name] for name in code.running.co_freevars])
    return types.FunctionType(code.running, function.__globals__, code.plain.co_name, None, closure)


def _block(code: RoutineCode, name: str, manager: Any, phase: object) -> ManagerState:
    """Return the state of an ``async with`` block with the context manager ``manager``."""
    block = AsyncManager(manager, *code.block_numbers(name))
    block.phase = _instance(phase, int)
    return ManagerState(block)


class _Part(NamedTuple):
    """The saved values of one object, and the functions that load these values."""

    values: Mapping[str, Any]
    path: str
    keep: Callable[[Any], Any]
    value: Value
    fail: Callable[[str, str], NoReturn]

    def made(self, name: str) -> Any:
        """Return the object for the saved value ``name``."""
        return self.value(self.values[name], f"{self.path}.{name}")

    def text(self, name: str) -> str:
        text: str = _instance(self.values[name], str)
        return text

    def whole(self, name: str, limit: int) -> int:
        number: int = _instance(self.values[name], int)
        if not 0 <= number < limit:
            raise ValueError(f"{name} {number}")
        return number


def _instance(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{shown(value)} in an unexpected place")
    return value


def _found_in(states: Sequence[FrameState], kind: Any) -> object:
    """Return the object that a routine is waiting for, which is a local variable of the innermost
    frame.
    """
    for value in states[-1].values.values():
        if isinstance(value, kind):
            return value
    raise ValueError("nothing to wait for")


def _fraction(text: object) -> Fraction:
    number = Fraction(_instance(text, str)[:200])
    if abs(number) > _MAX_TIME:
        raise ValueError(f"the time {text}")
    return number


def _nothing() -> None: ...


_MAKERS: dict[str, Callable[[RoutineLoading, _Part], object]] = {
    "named": RoutineLoading._named_object,
    "routine": RoutineLoading._routine,
    "frame": RoutineLoading._frame,
    "cell": RoutineLoading._cell,
    "function": RoutineLoading._function,
    "method": RoutineLoading._method,
    "builtin": RoutineLoading._builtin,
    "iterator": RoutineLoading._iterator,
    "range": RoutineLoading._range,
    "condition": RoutineLoading._condition,
    "event": RoutineLoading._event,
    "tasks": RoutineLoading._tasks,
    "ended": RoutineLoading._ended,
    "tween": RoutineLoading._tween,
}

_CHECKS: dict[str, Callable[[RoutineLoading, _Part], object]] = {
    "named": RoutineLoading._named_object,
    "frame": RoutineLoading._code,
    "routine": RoutineLoading._scene_of,
    "tasks": RoutineLoading._scene_of,
    "tween": RoutineLoading._scene_of,
}
"""The checks of a save before any of its values are loaded."""
