"""Replace the code of ``async def`` functions, so that their coroutines can be restored.

The code of a function is replaced when the game starts or awaits one of its coroutines for the
first time. From then on, all calls use the compiled code, which is as fast as the original.
"""

from __future__ import annotations

import ast
import gc
import inspect
import sys
import types
from contextlib import AbstractContextManager
from typing import Any, TypeAlias, cast

from ..current_game import current_game, working
from .refusals import CannotCompile
from .routine_code import RoutineCode, compiled, known
from .support import ADOPT, COMPILED_FLAG, HELPERS, REFUSE, SCENES

Coroutine: TypeAlias = "types.CoroutineType[Any, Any, Any]"

# flags of code objects, as in `inspect`
_COROUTINE = 0x80
_VARIABLE = 0x04
_KEYWORDS = 0x08


def single_wait(code: types.CodeType) -> types.CodeType:
    """Return a copy of ``code`` that is marked as a single wait. The framework does not compile
    functions with this mark. A marked function must wait only once, and then return None.
    """
    return code.replace(co_flags=code.co_flags | COMPILED_FLAG)


def note_scene(kind: type) -> None:
    """Register a scene class, so that compiled code awaits its methods `Scene.ticks` and
    `Scene.seconds` faster. If the class overrides one of them, do nothing.
    """
    methods = [inspect.getattr_static(kind, name, None) for name in ("ticks", "seconds")]
    if all(
        isinstance(method, types.FunctionType) and is_compiled(method.__code__)
        for method in methods
    ):
        HELPERS[SCENES].add(kind)


def is_compiled(code: types.CodeType) -> bool:
    """Return whether the framework can capture the coroutines that run ``code``."""
    return bool(code.co_flags & COMPILED_FLAG)


def function_of(coroutine: Coroutine) -> types.FunctionType | None:
    """Return the function whose call created ``coroutine``, or None if it cannot be found.

    A coroutine object has no attribute for its function. `function_of` searches the objects that
    the coroutine refers to.
    """
    code = coroutine.cr_code
    entry = known(code)
    codes = [code]
    if isinstance(entry, RoutineCode):  # the function may have been compiled after the call
        codes.append(entry.running)
    for referent in gc.get_referents(coroutine):
        if type(referent) is types.FunctionType and referent.__code__ in codes:
            return referent
    return None


def is_new(coroutine: Coroutine) -> bool:
    """Return True if a coroutine has not started to run."""
    return not (coroutine.cr_running or coroutine.cr_suspended or coroutine.cr_frame is None)


def compile_function(function: types.FunctionType) -> CannotCompile | None:
    """Replace the code of a coroutine function with compiled code. Return None, or the error if the
    function cannot be compiled.
    """
    code = function.__code__
    if is_compiled(code):
        return None
    entry = compiled(code, function.__globals__)
    if not isinstance(entry, RoutineCode):
        return entry
    names: dict[str, Any] = cast(Any, function).__builtins__
    if ADOPT not in names:
        # Do not add the helpers to the globals of the module, because other code may iterate over
        # the globals at the same time.
        names.update(HELPERS)
    function.__code__ = entry.running
    return None


def adopted(awaitable: Any) -> Any:
    """Return the object to await in place of ``awaitable``.

    If ``awaitable`` is a coroutine that has not started, compile its function, and call the
    compiled function with the same arguments. Snapshots can capture the coroutine that this call
    returns. Any other object is returned unchanged.

    Raises `CannotCompile` if the function cannot be compiled, but the game has a `Rewind`.
    """
    if type(awaitable) is not types.CoroutineType or is_compiled(awaitable.cr_code):
        return awaitable
    function = function_of(awaitable) if is_new(awaitable) else None
    if function is None:
        return awaitable
    error = compile_function(function)
    if error is not None:
        if _must_restore():
            awaitable.close()
            raise error.again()
        return awaitable
    arguments, keywords = arguments_of(awaitable)
    awaitable.close()
    return function(*arguments, **keywords)


def arguments_of(
    coroutine: Coroutine,
) -> tuple[list[object], dict[str, object]]:
    """Return the arguments of a coroutine that has not started. The result is a list of positional
    arguments and a dict of keyword arguments.
    """
    code = coroutine.cr_code
    frame: Any = coroutine.cr_frame
    values: dict[str, object] = dict(frame.f_locals)
    names = code.co_varnames
    count = code.co_argcount
    end = count + code.co_kwonlyargcount
    arguments = [values[name] for name in names[:count]]
    keywords = {name: values[name] for name in names[count:end]}
    if code.co_flags & _VARIABLE:
        variable: Any = values[names[end]]
        arguments += variable
        end += 1
    if code.co_flags & _KEYWORDS:
        further: Any = values[names[end]]
        keywords |= further
    return arguments, keywords


# -- before the start ------------------------------------------------------------------------------

_prepared: dict[tuple[types.CodeType, type], CannotCompile | None] = {}
# The compiled code of the coroutines that `started` has returned, by the id of the code. An id is
# used because the hash of a code object takes as long as the rest of a start.
_ready: dict[int, types.CodeType] = {}


def started(coroutine: Coroutine) -> Coroutine:
    """Return a coroutine that does the same as ``coroutine``, but that snapshots can capture. Start
    it in place of ``coroutine``.

    The framework compiles the function of the coroutine. It also compiles the coroutine functions
    that this function calls, if they are in the same module or are methods of its first argument.
    An error in these functions is therefore raised when the routine starts, not later. All other
    coroutine functions are compiled when the routine calls them.

    If the game has no `Rewind`, the framework looks for called functions only at the first start of
    each function.

    Raises `CannotCompile` if a function cannot be compiled, but the game has a `Rewind`.
    """
    code = coroutine.cr_code
    if _ready.get(id(code)) is code and not (_may_restore and _must_restore()):
        return coroutine
    function = function_of(coroutine)
    if function is not None:
        frame: Any = coroutine.cr_frame
        arguments = frame.f_locals
        names = function.__code__.co_varnames
        owner = arguments[names[0]] if function.__code__.co_argcount else None
        error = _prepare(function, type(owner))
        if error is not None and _must_restore():
            coroutine.close()
            raise error.again()
    result: Coroutine = adopted(coroutine)
    code = result.cr_code
    if function is not None and is_compiled(code):
        _ready[id(code)] = code
    return result


def _prepare(function: types.FunctionType, kind: type) -> CannotCompile | None:
    """Compile a coroutine function, and the coroutine functions that it calls. Return None, or the
    first error if a function cannot be compiled. ``kind`` is the class of the function's first
    argument.
    """
    key = function.__code__, kind
    if key not in _prepared:
        first: CannotCompile | None = None
        waiting = [function]
        visited = {function}
        for current in waiting:  # the loop appends functions to `waiting`
            plain = current.__code__
            first = first or compile_function(current)
            entry = known(plain)
            called = _called_by(current, entry, kind) if isinstance(entry, RoutineCode) else ()
            new = [each for each in called if each not in visited]
            visited.update(new)
            waiting += new
        _prepared[key] = _prepared[function.__code__, kind] = first
    return _prepared[key]


def _called_by(
    function: types.FunctionType, entry: RoutineCode, kind: type
) -> list[types.FunctionType]:
    """Return the coroutine functions that the code of ``function`` names. Each of them is in the
    same module as ``function``, or is a method of the class ``kind``.
    """
    arguments = entry.definition.args
    first = next((each.arg for each in (*arguments.posonlyargs, *arguments.args)), None)
    values: list[object] = []
    for node in ast.walk(entry.definition):
        if isinstance(node, ast.Name):
            values.append(function.__globals__.get(node.id))
        elif isinstance(node, ast.Attribute):
            owner = node.value
            if isinstance(owner, ast.Name) and owner.id == first:
                values.append(inspect.getattr_static(kind, node.attr, None))
    called = [getattr(value, "__func__", value) for value in values]
    return [
        value
        for value in dict.fromkeys(filter(_is_coroutine_function, called))
        if isinstance(value, types.FunctionType)
    ]


def _is_coroutine_function(value: object) -> bool:
    return isinstance(value, types.FunctionType) and bool(value.__code__.co_flags & _COROUTINE)


# -- loops and blocks ------------------------------------------------------------------------------


# True if a game of this process has had a `Rewind`. This test is faster than a search for the
# current game.
_may_restore = False


def expect_restores() -> None:
    """Called when a game creates a `Rewind`. From then on, `started` checks whether the current
    game has a `Rewind`.
    """
    global _may_restore
    _may_restore = True


def _must_restore() -> bool:
    """Return True if the current game has a `Rewind`, so that all its routines must be restorable."""
    games = working.get()
    game = games[-1] if games else current_game()
    return game is not None and game.restores_routines


def _refuse(obj: object) -> None:
    """If the current game has a `Rewind`, raise an error that says that ``obj`` cannot be captured.
    ``obj`` is the iterator of a loop, or the context manager of a ``with`` block.
    """
    if not _must_restore():
        return
    frame = sys._getframe(1)
    while frame.f_back is not None and not is_compiled(frame.f_code):
        frame = frame.f_back
    raise CannotCompile(frame.f_code.co_filename, frame.f_lineno, reason_against(obj))


def reason_against(obj: object) -> str:
    """Return the error message for ``obj``, which cannot be captured: the iterator of a loop, or
    the context manager of a ``with`` block.
    """
    kind = type(obj).__name__
    if isinstance(obj, AbstractContextManager):
        return (
            "a block with a manager of contextlib.contextmanager cannot be restored, because the "
            "manager is a generator; write a class with __enter__ and __exit__"
        )
    return f"a loop over a {kind} cannot be restored; write for … in list(…)"


HELPERS[ADOPT] = adopted
HELPERS[REFUSE] = _refuse
