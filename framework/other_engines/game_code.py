"""Find out which names a game's source code reads, calls and sets, for errors and warnings."""

from __future__ import annotations

import dis
import inspect
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from ..errors import FrameworkError


def game_of(scene: Any) -> Any:
    """Return the game that ``scene`` belongs to, or None if the scene is not on a stack."""
    try:
        return scene.game
    except (FrameworkError, TypeError):  # TypeError: __init__ of the base class was not called
        return None


def is_called(error: BaseException, name: str) -> bool:
    """Return whether the code that raised an `AttributeError` calls the attribute ``name``, as in
    ``sprite.bounce()``.
    """
    traceback = error.__traceback__
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    for instruction in dis.get_instructions(traceback.tb_frame.f_code):
        if instruction.offset == traceback.tb_lasti:
            # since Python 3.12, LOAD_ATTR also loads methods
            loads_method = instruction.opname == "LOAD_METHOD" or "NULL" in instruction.argrepr
            return loads_method and instruction.argval == name
    return False


def is_read(name: str, kind: type, frame: FrameType | None = None) -> bool:
    """Return whether the game's code reads an attribute ``name``, or contains ``name`` as a string.

    The function searches the modules of ``kind`` and its base classes, other modules in the same
    folders, and the code of ``frame``. The search is slow, so the framework only searches for names
    that are probably a mistake.
    """
    codes = list(_codes_of(kind))
    if frame is not None:
        codes.append(frame.f_code)
        codes += _codes_in(frame.f_globals)
    visited: set[CodeType] = set()
    return any(_reads(code, name, visited) for code in codes)


def _codes_of(kind: type) -> Iterator[CodeType]:
    """Yield the code of the game's classes, of their modules, and of every other module in the same
    folders.
    """
    folders: set[str] = set()
    for base in kind.__mro__:
        if base is object or is_framework(base.__module__):
            continue
        yield from _codes_in(vars(base))
        module = sys.modules.get(base.__module__)
        if module is not None:
            yield from _codes_in(vars(module))
            folders.add(os.path.dirname(getattr(module, "__file__", None) or ""))
    for module in list(sys.modules.values()):
        if (
            isinstance(module, ModuleType)
            and not is_framework(module.__name__)
            and os.path.dirname(getattr(module, "__file__", None) or "") in folders - {""}
        ):
            yield from _codes_in(vars(module))


def _codes_in(namespace: Mapping[str, Any]) -> Iterator[CodeType]:
    """Yield the code of all functions and classes in the namespace of a module or class."""
    module = namespace.get("__name__", namespace.get("__module__"))
    for value in list(namespace.values()):
        yield from functions_in(value)
        if isinstance(value, type) and value.__module__ == module:
            for member in list(vars(value).values()):
                yield from functions_in(member)


def functions_in(value: Any) -> Iterator[CodeType]:
    """Yield the code objects of a function, a property, a class method or a static method.

    ``value`` may be any Python object that a game uses. The function reads the attributes of
    ``value`` without calling ``__getattr__``, which could raise any error.
    """
    if isinstance(value, property):
        parts: tuple[Any, ...] = (value.fget, value.fset)
    elif isinstance(value, classmethod | staticmethod | MethodType):
        parts = (value.__func__,)
    else:
        parts = (value,)
    for function in parts:
        wrapped = inspect.getattr_static(function, "__wrapped__", None)
        function = function if wrapped is None else wrapped
        if isinstance(function, FunctionType):
            yield function.__code__


def _reads(code: CodeType, name: str, visited: set[CodeType]) -> bool:
    if code in visited:
        return False
    visited.add(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if _reads(constant, name, visited):
                return True
        elif constant == name or (isinstance(constant, tuple) and name in constant):
            return True  # as in getattr(self, "paused"), or as a keyword of a tween
    return name in code.co_names and any(
        instruction.argval == name and instruction.opname.startswith(_LOADS)
        for instruction in dis.get_instructions(code)
    )


_LOADS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER", "LOAD_NAME")


def stores(code: CodeType, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each name in ``names`` that the code sets, with the line number. The name may be set on
    ``self``, or on an attribute ``game`` of any object.
    """
    stored = {*names} & {*code.co_names}
    if not stored or not code.co_argcount:
        return
    targets = code.co_varnames[0], "game"
    before: Any = None
    for instruction in dis.get_instructions(code):
        if (
            instruction.opname == "STORE_ATTR"
            and instruction.argval in stored
            # since Python 3.13, a single instruction may load two variables
            and (before[-1] if isinstance(before, tuple) else before) in targets
        ):
            yield (
                instruction.argval,
                getattr(instruction.positions, "lineno", None) or code.co_firstlineno,
            )
        before = instruction.argval


def is_framework(module: str) -> bool:
    return module == "framework" or module.startswith("framework.")
