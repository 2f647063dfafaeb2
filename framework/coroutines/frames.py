"""Capture a suspended coroutine, and create a new coroutine that continues at the same ``await``.

A `FrameState` contains the local variables of one coroutine, the number of its current ``await``,
and the awaited object. If the awaited object is a coroutine too, it has its own `FrameState`.

A `FrameState` refers to the objects of the game, but does not copy them. To go back to an earlier
tick, first restore the contents of these objects, and then call `resumed`.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .adoption import (
    Coroutine,
    arguments_of,
    compile_function,
    function_of,
    is_compiled,
    is_new,
    reason_against,
)
from .iterators import (
    BY_POSITION,
    ITERATORS,
    IteratorState,
    Memo,
    is_iterator,
    is_restorable,
    state_by_position,
    state_of,
)
from .refusals import CannotCapture, CannotCompile
from .routine_code import RoutineCode, known
from .support import (
    COMPILED_FLAG,
    MANAGER_CODES,
    PRIME,
    AsyncManager,
    Dropped,
    Leaf,
    is_generator_manager,
)
from .syntax import AWAIT, AWAITED, CELLS, HIDDEN

_LEAVES: dict[type, Callable[[Any], object]] = {}


def register_leaf(kind: type, result: Callable[[Any], object]) -> None:
    """Register ``kind``, a class of awaitable objects that wait only once. When the wait for
    ``obj`` ends, ``result(obj)`` returns the value of the ``await`` expression.
    """
    _LEAVES[kind] = result


def is_leaf(obj: object) -> bool:
    """Return whether the class of ``obj`` was registered by `register_leaf`."""
    return type(obj) in _LEAVES


_NOTHING: Mapping[str, Any] = types.MappingProxyType({})
_ErrorState = tuple[BaseException, types.TracebackType | None]
"""An error, and the traceback that the error had at the time of the capture."""
_MOVING = frozenset([*ITERATORS, types.CoroutineType])
"""The classes of iterators and coroutines. A `FrameState` stores such an object as a state."""


_MAX_THROWS = 100


class _NewState(NamedTuple):
    """The state of a coroutine that has not started."""

    function: types.FunctionType
    arguments: list[object]
    keywords: dict[str, object]


class ManagerState:
    """The captured state of an ``async with`` block."""

    __slots__ = ("error", "manager", "phase")

    def __init__(self, manager: AsyncManager) -> None:
        self.manager = manager
        self.phase = manager.phase
        self.error = _with_trace(manager.error)


class FrameState:
    """The captured state of one coroutine.

    The defaults of the attributes are class attributes. Most states differ in only a few
    attributes, and setting all of them would take a quarter of the time of a capture.
    """

    number = 0
    """The number of the current await, or 0 if the coroutine has not started."""
    cells: Mapping[str, types.CellType] = _NOTHING
    """The variables that the function shares with inner or outer functions."""
    managers: Mapping[str, ManagerState] = _NOTHING
    errors: Mapping[str, _ErrorState] = _NOTHING
    """The errors that the current ``except`` blocks have caught."""
    awaited: object = None
    """The `FrameState` of the awaited coroutine, or the awaited object, or None."""
    space: dict[str, Any] | None = None
    """The global variables of the function."""
    new: _NewState | None = None
    """The function and the arguments of a coroutine that has not started, otherwise None."""
    is_shared = True
    """True if the state stays valid until the coroutine runs again.

    It is False if a local variable contains an iterator or a coroutine that has not started,
    because other code can advance this iterator or start this coroutine.
    """
    queued: list[object] | None = None
    """The objects that a snapshot must capture because of this state. None before the first
    snapshot.
    """
    described: Any = None
    """A cached value for state hashes, or None before the first hash."""

    def __init__(self, code: RoutineCode, name: str, values: dict[str, object]) -> None:
        self.code = code
        self.name = name
        """The qualified name of the function."""
        self.values = values
        """The local variables by name, including the hidden variables that are still needed.
        Iterators are stored as `IteratorState` objects.
        """

    def begin(
        self, function: types.FunctionType, arguments: list[object], keywords: dict[str, object]
    ) -> None:
        """Make this object the state of a coroutine that has not started."""
        self.new = _NewState(function, arguments, keywords)
        self.is_shared = False

    def named_parts(self) -> Iterator[tuple[str, object]]:
        """Yield the path and the value of each object that this state refers to. A path is a string
        such as "Game.intro().name". Error messages contain the path.
        """
        before = f"{self.name}()"
        for name, value in sorted(self.values.items()):
            yield f"{before}.{name}", value
        for name, cell in sorted(self.cells.items()):
            yield f"{before}.{name}", cell
        for name, manager in sorted(self.managers.items()):
            yield f"{before}.{name}", manager.manager.manager
            yield f"{before}.{name}.phase", manager.phase
            if manager.error is not None:
                yield f"{before}.{name}.error", manager.error[0]
        if self.new is not None:
            yield f"{before}.function", self.new.function
            for index, value in enumerate(self.new.arguments):
                yield f"{before}[{index}]", value
            for name, value in sorted(self.new.keywords.items()):
                yield f"{before}.{name}", value

    def parts(self) -> list[object]:
        """Return the objects that this state and the states of its awaited coroutines refer to."""
        parts: list[object] = [*self.values.values(), *self.cells.values()]
        for manager in self.managers.values():
            parts.append(manager.manager.manager)
            if manager.error is not None:
                parts.append(manager.error[0])
        if self.new is not None:
            parts += self.new.function, *self.new.arguments, *self.new.keywords.values()
        parts.append(self.awaited)
        if _STATES.isdisjoint(map(type, parts)):
            return parts
        objects: list[object] = []
        for part in parts:
            if isinstance(part, FrameState | IteratorState):
                objects += part.parts()
            else:
                objects.append(part)
        return objects


_STATES = frozenset([FrameState, IteratorState])


class _Captures(dict[int, tuple[object, object]]):
    """The states that one call to `capture` has created: a dict from the ``id`` of each captured
    object to a tuple of the object and its state.

    The tuple keeps the object alive, so that no other object can get the same ``id``. ``outermost``
    is the coroutine that was passed to `capture`.
    """

    def __init__(self, outermost: Coroutine) -> None:
        self.outermost = outermost

    def has_suspended(self, coroutine: Coroutine) -> bool:
        """Return True if ``coroutine`` is the outermost coroutine, or if the outermost coroutine
        awaits it, directly or through others.
        """
        current: Any = self.outermost
        while isinstance(current, types.CoroutineType):
            if current is coroutine:
                return True
            current = current.cr_await
        return False


class _Ended:
    """The class of the constant `ENDED`, which a state contains in place of a coroutine that cannot
    be awaited again, because it has ended or another coroutine runs it.
    """


ENDED = _Ended()


async def _ended() -> None: ...


def capture(coroutine: Coroutine) -> FrameState:
    """Return the state of a coroutine that is suspended, or that has not started.

    Raises `CannotCapture` if the coroutine cannot be restored.
    """
    state = _captured_simple(coroutine)
    return _captured(coroutine, _Captures(coroutine)) if state is None else state


def _captured_simple(coroutine: Coroutine) -> FrameState | None:
    """Return the state of a suspended coroutine that waits for ticks, seconds, a tween or a
    routine, and has only plain local variables and at most one loop. For all other coroutines,
    return None.

    The result is the same as from `_captured`. Most routines are simple, and this function needs
    two thirds of the time.
    """
    code = coroutine.cr_code
    entry = known(code)
    if entry.__class__ is not RoutineCode or not code.co_flags & COMPILED_FLAG:
        return None
    assert isinstance(entry, RoutineCode)
    frame: Any = coroutine.cr_frame
    if frame is None or entry.cells or entry.has_async_with:
        return None
    variables: dict[str, Any] = frame.f_locals
    number: int = variables.get(AWAIT, 0)
    if not number:  # the coroutine has not started
        return None
    awaited: Any = variables.get(AWAITED)
    if awaited.__class__ is types.CoroutineType:
        inner: types.CodeType = awaited.cr_code
        if not inner.co_flags & COMPILED_FLAG or known(inner) is not None:
            return None
        awaited = None  # the coroutine waits for a number of ticks or seconds
    elif awaited.__class__ is Leaf:
        awaited = awaited.of
    elif awaited.__class__ not in _LEAVES:
        return None
    values = {name: value for name, value in variables.items() if name[0] != HIDDEN}
    if not _MOVING.isdisjoint(map(type, values.values())):
        return None
    live = entry.live[number]
    if live:
        if len(live) > 1:
            return None
        for name in live:
            iterator = variables.get(name)
            if iterator.__class__ not in BY_POSITION:
                return None
            values[name] = state_by_position(iterator)
    state = FrameState(entry, coroutine.__qualname__, values)
    state.space = frame.f_globals
    state.number = number
    if awaited is not None:
        state.awaited = awaited
    return state


def _captured(coroutine: Coroutine, memo: _Captures) -> FrameState:
    if is_new(coroutine):
        return _captured_new(coroutine, memo)
    entry = known(coroutine.cr_code)
    frame: Any = coroutine.cr_frame
    if not isinstance(entry, RoutineCode) or not is_compiled(coroutine.cr_code) or frame is None:
        raise CannotCapture(_why_not(coroutine, entry))
    state = FrameState(entry, coroutine.__qualname__, {})
    memo[id(coroutine)] = coroutine, state
    state.space = frame.f_globals
    variables: dict[str, Any] = dict(frame.f_locals)
    number: int = variables.get(AWAIT, 0)  # the variable does not exist before the first await
    awaited = variables.get(AWAITED)
    if entry.has_async_with:
        manager = _manager_that_waits(coroutine)
        if manager is not None:
            number = manager.phase
            awaited = manager.awaited
    state.number = number
    if entry.cells:
        state.cells = _cells_of(variables[CELLS])
        for name in state.cells:
            variables.pop(name, None)
    values = state.values
    for name, value in variables.items():
        if name[0] == HIDDEN:
            continue
        if value.__class__ in _MOVING:
            values[name] = _stored_value(value, memo)
            state.is_shared = False
        else:
            values[name] = value
    for name in entry.live[number]:
        if name in variables:
            _store_hidden(name, variables[name], state, memo, frame)
    inner_state = state.awaited = _captured_awaited(awaited, state, frame, memo)
    if isinstance(inner_state, FrameState) and not inner_state.is_shared:
        state.is_shared = False
    return state


def _cells_of(function: types.FunctionType) -> dict[str, types.CellType]:
    """Return the cells of the outer variables that a function uses, by the names of the variables."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _manager_that_waits(coroutine: Coroutine) -> AsyncManager | None:
    """Return the manager of the ``async with`` block that a coroutine is entering or leaving, or
    None.
    """
    inner = coroutine.cr_await
    if not isinstance(inner, types.CoroutineType) or inner.cr_code not in MANAGER_CODES:
        return None
    inner_frame: Any = inner.cr_frame
    manager: AsyncManager = inner_frame.f_locals["self"]
    return manager


def _store_hidden(name: str, value: object, state: FrameState, memo: _Captures, frame: Any) -> None:
    """Store the value of a hidden variable in ``state``."""
    if isinstance(value, AsyncManager):
        state.managers = {**state.managers, name: ManagerState(value)}
        return
    if isinstance(value, BaseException):
        state.errors = {**state.errors, name: (value, value.__traceback__)}
    is_lost = hasattr(value, "__next__") and not is_restorable(value)
    if is_lost or is_generator_manager(value):
        raise CannotCapture(f"{state.code.line_of(frame)}: {reason_against(value)}")
    state.values[name] = _stored_value(value, memo)


def _captured_new(coroutine: Coroutine, memo: _Captures) -> FrameState:
    """Return the state of a coroutine that has not started: its function and its arguments."""
    function = function_of(coroutine)
    error = None if function is None else compile_function(function)
    entry = known(coroutine.cr_code)
    if function is None or error is not None or not isinstance(entry, RoutineCode):
        raise CannotCapture(_why_not(coroutine, error or entry))
    state = FrameState(entry, coroutine.__qualname__, {})
    memo[id(coroutine)] = coroutine, state
    arguments, keywords = arguments_of(coroutine)
    stored_keywords = {name: _stored_value(value, memo) for name, value in keywords.items()}
    state.begin(function, [_stored_value(value, memo) for value in arguments], stored_keywords)
    return state


def _stored_value(value: object, memo: _Captures) -> object:
    """Return the object that represents ``value`` in a state: the state of an iterator or
    coroutine, or any other value itself.
    """
    if is_iterator(value):
        return state_of(value, memo) if is_restorable(value) else value
    if not isinstance(value, types.CoroutineType):
        return value
    if id(value) in memo:
        return memo[id(value)][1]
    if is_new(value):
        return _captured_new(value, memo)
    return _captured(value, memo) if memo.has_suspended(value) else ENDED


def _captured_awaited(awaited: Any, state: FrameState, frame: Any, memo: _Captures) -> object:
    """Return the state of ``awaited``, the object that a coroutine awaits, or the object itself if
    it has no state. If the coroutine waits for ticks or seconds, return None.
    """
    if isinstance(awaited, types.CoroutineType):
        if id(awaited) in memo:
            return memo[id(awaited)][1]
        if isinstance(known(awaited.cr_code), RoutineCode):
            return _captured(awaited, memo)
        if is_compiled(awaited.cr_code):  # the coroutine waits for a number of ticks or seconds
            return None
    elif isinstance(awaited, Leaf):
        return awaited.of
    elif isinstance(awaited, types.GeneratorType):
        if awaited.gi_code in _single_waits:
            return None
    elif type(awaited) in _LEAVES:
        return awaited
    raise _error_of_awaited(awaited, f"{state.code.name} at {state.code.line_of(frame)}")


def _error_of_awaited(awaited: Any, where: str) -> CannotCapture:
    """Return the error for an awaited object that cannot be restored. ``where`` is the function and
    the line of the await.
    """
    entry = known(awaited.cr_code) if isinstance(awaited, types.CoroutineType) else None
    if isinstance(entry, CannotCompile):
        return CannotCapture(str(entry))
    kind = getattr(awaited, "__qualname__", type(awaited).__qualname__)
    return CannotCapture(
        f"{where} awaits {kind}, which cannot be restored; await a routine, a tween or an async "
        "def of the game"
    )


_single_waits: set[types.CodeType] = set()


def register_wait(function: Callable[..., object]) -> None:
    """Register a generator function that yields only once and returns None. The function must be
    decorated with `types.coroutine`.
    """
    code: types.CodeType = function.__code__
    _single_waits.add(code)


def _why_not(coroutine: Coroutine, entry: object) -> str:
    if isinstance(entry, CannotCompile):
        return str(entry)
    code = coroutine.cr_code
    return (
        f"{code.co_filename}:{code.co_firstlineno}: {coroutine.__qualname__} was not compiled by "
        "the framework"
    )


def _with_trace(error: BaseException | None) -> _ErrorState | None:
    return None if error is None else (error, error.__traceback__)


def awaited_by(coroutine: Coroutine) -> object:
    """Return the object that a suspended coroutine awaits, or None if it is unknown. If the
    coroutine awaits another coroutine, return the object that the innermost coroutine awaits.
    """
    current: Any = coroutine
    while isinstance(current, types.CoroutineType) and current.cr_frame is not None:
        variables = current.cr_frame.f_locals
        following = current.cr_await
        if not isinstance(following, types.CoroutineType):
            awaited = variables.get(AWAITED)
            return awaited.of if isinstance(awaited, Leaf) else awaited
        current = following
    return None


def is_outdated(coroutine: Coroutine | FrameState) -> bool:
    """Return whether a hot reload has changed the function of ``coroutine`` or of a coroutine that
    it awaits.
    """
    current: Any = coroutine
    while current is not None:
        if isinstance(current, FrameState):
            entry: object = current.code
            following: Any = current.awaited
        elif isinstance(current, types.CoroutineType):
            entry = known(current.cr_code)
            following = current.cr_await
        else:
            break
        if isinstance(entry, RoutineCode) and entry.outdated:
            return True
        current = following
    return False


# -- restoring -------------------------------------------------------------------------------------


def resumed(state: FrameState) -> Coroutine:
    """Return a new coroutine that is suspended at the same ``await`` as the captured coroutine, and
    continues from there. The game's code before this ``await`` does not run again.
    """
    coroutine = _built(state, {})
    if state.number:
        arrived = coroutine.send(None)
        assert arrived is PRIME, f"{state.name}: the restored routine did not arrive at its await"
    return coroutine


def _built(state: FrameState, memo: Memo) -> Coroutine:
    """Return a new coroutine for ``state``. When the new coroutine runs for the first time, it
    skips forward to its ``await``.
    """
    if id(state) in memo:
        cached: Any = memo[id(state)][1]
        return cached  # type: ignore[no-any-return]
    coroutine = _new_coroutine(state, memo)
    memo[id(state)] = state, coroutine
    return coroutine


def _new_coroutine(state: FrameState, memo: Memo) -> Coroutine:
    if state.new is not None:
        return _called_again(state.new, memo)
    awaited = state.awaited
    inner: object
    if isinstance(awaited, FrameState):
        inner = _built(awaited, memo)
    else:
        inner = Leaf(awaited, _LEAVES.get(type(awaited)))
    saved: dict[str, object] = {AWAITED: inner}
    for name, value in state.values.items():
        saved[name] = _variable_value(value, memo)
    for error, trace in state.errors.values():
        error.__traceback__ = trace
    for name, manager in state.managers.items():
        cause: BaseException | None = None
        if manager.error is not None:
            cause, trace = manager.error
            cause.__traceback__ = trace
        saved[name] = manager.manager.restored(manager.phase, cause, inner)
    code = state.code.resuming
    if state.cells:
        saved[CELLS] = _sharing(state.cells)
    closure = tuple([state.cells[name] for name in code.co_freevars])
    function = types.FunctionType(code, state.space or {}, state.code.plain.co_name, None, closure)
    function.__qualname__ = state.name
    coroutine: Coroutine = function(state.number, saved)
    return coroutine


def _called_again(new: _NewState, memo: Memo) -> Coroutine:
    """Return a coroutine that has not started, from the same function with the same arguments."""
    keywords = {name: _variable_value(value, memo) for name, value in new.keywords.items()}
    arguments = [_variable_value(value, memo) for value in new.arguments]
    coroutine: Coroutine = new.function(*arguments, **keywords)
    return coroutine


def _variable_value(value: object, memo: Memo) -> object:
    """Return the value of a variable of a restored coroutine. ``value`` is the object that
    `_stored_value` returned for the variable.
    """
    if isinstance(value, IteratorState):
        return value.iterator(memo)
    if isinstance(value, FrameState):
        return _built(value, memo)
    if value is ENDED:
        ended = _ended()
        ended.close()
        return ended
    return value


def _sharing(cells: Mapping[str, types.CellType]) -> types.SimpleNamespace:
    """Return an object with the attributes ``__code__`` and ``__closure__`` of a function whose
    free variables are ``cells``.
    """
    code = types.SimpleNamespace(co_freevars=tuple(cells))
    return types.SimpleNamespace(__code__=code, __closure__=tuple(cells.values()))


def drop(coroutine: Coroutine) -> None:
    """End a coroutine without running its ``finally`` and ``with`` blocks. Call `drop` only after a
    restored coroutine has replaced the old coroutine.
    """
    if not coroutine.cr_suspended:
        coroutine.close()
        return
    unused = [*_new_coroutines(coroutine)]
    try:
        # A loop, because a function that is not compiled may catch the error.
        for _ in range(_MAX_THROWS):
            coroutine.throw(Dropped())
    except (Dropped, StopIteration):
        pass
    except Exception as error:
        words = (
            f"{coroutine.__qualname__}: {type(error).__name__} in a routine that a restore ended"
        )
        warnings.warn(f"{words}: {error}", RuntimeWarning, stacklevel=2)
    for never_awaited in unused:
        never_awaited.close()


def _new_coroutines(coroutine: Coroutine) -> Iterator[Coroutine]:
    """Yield the coroutines that have not started, from the local variables of ``coroutine`` and of
    the coroutines that it awaits.

    The caller must close the yielded coroutines. Otherwise, Python warns that they were never
    awaited.
    """
    current: Any = coroutine
    while isinstance(current, types.CoroutineType) and current.cr_frame is not None:
        for value in [*current.cr_frame.f_locals.values()]:
            if isinstance(value, types.CoroutineType) and is_new(value):
                yield value
        current = current.cr_await
