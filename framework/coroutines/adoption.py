"""Adoption: replaces coroutine functions by compiled ones.

The code of a function is exchanged in place when its first coroutine is started or awaited. All
later calls then return coroutines of the compiled function, without any cost.
"""

from __future__ import annotations

import gc
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from .iterators import is_restorable
from .refusals import CannotCompile
from .routine_code import RoutineCode, compiled
from .support import ADOPT, COMPILED_FLAG, HELPERS, REFUSE

_COROUTINE, _VARIABLE, _KEYWORDS = 0x80, 0x04, 0x08  # flags of code objects, as in `inspect`


class Strictness:
    """Whether the running game needs routines that can be restored: then a routine that cannot be
    compiled, or a loop whose iterator cannot be captured, is an error at once.

    `is_strict` is set by the module that runs routines.
    """

    is_strict: Callable[[], bool] = staticmethod(lambda: False)


def single_wait(code: types.CodeType) -> types.CodeType:
    """Return the code of a coroutine function that waits once and then returns None, with the mark
    that its coroutines can be restored.
    """
    return code.replace(co_flags=code.co_flags | COMPILED_FLAG)


def is_compiled(code: types.CodeType) -> bool:
    """Return whether coroutines of a code object can be captured."""
    return bool(code.co_flags & COMPILED_FLAG)


def function_of(coroutine: types.CoroutineType[Any, Any, Any]) -> types.FunctionType | None:
    """Return the function that was called to make a coroutine, or None if it is unknown. A
    coroutine refers to its function, but has no attribute for it.
    """
    code = coroutine.cr_code
    for referent in gc.get_referents(coroutine):
        if type(referent) is types.FunctionType and referent.__code__ is code:
            return referent
    return None


def is_new(coroutine: types.CoroutineType[Any, Any, Any]) -> bool:
    """Return whether a coroutine has not begun to run."""
    return not (coroutine.cr_running or coroutine.cr_suspended or coroutine.cr_frame is None)


def compile_function(function: types.FunctionType) -> CannotCompile | None:
    """Exchange the code of a coroutine function for compiled code. Return the error if the function
    cannot be compiled.
    """
    code = function.__code__
    if is_compiled(code):
        return None
    entry = compiled(code, function.__globals__)
    if not isinstance(entry, RoutineCode):
        return entry
    if "_@adopt" not in function.__globals__:
        function.__globals__.update(HELPERS)
    function.__code__ = entry.running
    return None


def adopted(awaitable: Any) -> Any:
    """Return the object to await in place of ``awaitable``. A coroutine that has not begun is made
    again from its function, after the function was compiled. Other objects are returned unchanged.

    Raises `CannotCompile` if the game needs routines that can be restored, and this one cannot be.
    """
    if type(awaitable) is not types.CoroutineType or is_compiled(awaitable.cr_code):
        return awaitable
    function = function_of(awaitable) if is_new(awaitable) else None
    if function is None:
        return awaitable
    error = compile_function(function)
    if error is not None:
        if Strictness.is_strict():
            awaitable.close()
            raise CannotCompile.again(error)
        return awaitable
    arguments, keywords = arguments_of(awaitable)
    awaitable.close()
    return function(*arguments, **keywords)


def arguments_of(
    coroutine: types.CoroutineType[Any, Any, Any],
) -> tuple[list[object], dict[str, object]]:
    """Return the arguments of a coroutine that has not begun, as positional and keyword arguments."""
    code = coroutine.cr_code
    values: dict[str, object] = dict(coroutine.cr_frame.f_locals)
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

_prepared: set[tuple[int, type]] = set()
_kept: list[object] = []  # keeps the ids in `_prepared` unique


def prepare(function: types.FunctionType, owner: object) -> CannotCompile | None:
    """Compile a coroutine function, and the coroutine functions that it calls: methods of ``owner``
    (the first argument), functions of its module, and functions that these call.

    So errors come when a routine starts, and not when it arrives at the call. Return the first
    error. Functions that are found only while the routine runs are compiled then.
    """
    first: CannotCompile | None = None
    for called in _reachable(function, owner):
        first = first or compile_function(called)
    return first


def _reachable(function: types.FunctionType, owner: object) -> Iterator[types.FunctionType]:
    """Yield a coroutine function and those that it calls by name."""
    kind = type(owner)
    waiting = [function]
    visited = {id(function)}
    while waiting:
        current = waiting.pop()
        yield current
        for name in dict.fromkeys(_names_in(current.__code__)):
            for value in (
                inspect.getattr_static(kind, name, None),
                current.__globals__.get(name),
            ):
                value = getattr(value, "__func__", value)
                if (
                    isinstance(value, types.FunctionType)
                    and value.__code__.co_flags & _COROUTINE
                    and id(value) not in visited
                ):
                    visited.add(id(value))
                    waiting.append(value)


def _names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names_in(part)


def _refuse_iterator(iterator: object) -> None:
    """Raise an error for the iterator of a loop that begins, if the game needs routines that can be
    restored.
    """
    if Strictness.is_strict() and not is_restorable(iterator):
        raise unrestorable_loop(iterator)


def unrestorable_loop(iterator: object) -> CannotCompile:
    """Return the error for a loop over an iterator that cannot be captured."""
    import sys

    frame = sys._getframe(1)
    while frame.f_back is not None and not is_compiled(frame.f_code):
        frame = frame.f_back
    words = (
        f"a routine that loops over a {type(iterator).__name__} cannot be restored; "
        "write for … in list(…)"
    )
    return CannotCompile(frame.f_code.co_filename, frame.f_lineno, words)


HELPERS[ADOPT] = adopted
HELPERS[REFUSE] = _refuse_iterator
