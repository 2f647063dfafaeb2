"""Missing columns: errors about attributes that rows do not have, such as ``sprite.hp`` of a batch
without the column ``hp``.

Python itself raises an error without advice for such an attribute. The methods ``__getattr__`` and
``__setattr__`` could add the advice, but would slow down every access to an attribute. The module
therefore reads the code of the game once, and declares each attribute name in the code as a
descriptor of `Handle`. Only names that rows do not have reach these descriptors.

The code of a game is all code in the folder of the function that creates a batch. For names in
other code, `explain_missing` adds the advice when the error leaves the game's code.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType, ModuleType
from typing import Any, NoReturn

from ..checks import how_to_have, listed, similar_names, unknown_attribute
from ..moved_names import Absent, current_names
from ..other_engines.game_code import functions_in, is_call_in, is_called
from .rows import Handle

MAX_NAMES = 1 << 14
"""The maximum number of names that the module declares."""
_MAX_CODES = 1 << 12  # functions that have created a batch

_codes: dict[int, CodeType] = {}  # functions that have created a batch, by their `id`
_modules: dict[str, ModuleType] = {}  # modules of which all names are declared
_names: set[str] = set()

_LIBRARY = os.path.dirname(os.__file__) + os.sep


class MissingColumn(Absent):
    """A descriptor for a name that rows do not have. Reading or setting the attribute raises
    `AttributeError`: the message says how to declare a column.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        frame = sys._getframe(1)
        called = is_call_in(frame.f_code, frame.f_lasti, self.name)
        raise AttributeError(_message(owner, self.name, called), name=None, obj=None)

    def __set__(self, instance: object, value: object) -> NoReturn:
        raise AttributeError(_message(type(instance), self.name, False), name=None, obj=None)


def _message(kind: type, name: str, called: bool) -> str:
    if not getattr(kind, "_takes_columns", False):
        return unknown_attribute(kind, name)
    return f"{kind.__name__!r} object has no attribute {name!r}; {_hint(kind, name, called)}"


def _hint(kind: type, name: str, called: bool) -> str:
    names = _public_names(kind)
    similar = similar_names(name, names)
    if similar:
        return f"did you mean {' or '.join(map(repr, similar))}?"
    if called:
        return f"it has {listed(public for public in names if public != 'row')}"
    return how_to_have(name)


def _public_names(kind: type) -> list[str]:
    return [name for name in current_names(kind, dir(kind)) if name[0] != "_"]


# -- the code of a game ----------------------------------------------------------------------------


def read_code(frame: FrameType | None) -> None:
    """Declare the names in the code that creates a batch, and in the modules of the same folder.

    ``frame`` is the frame of the constructor's caller. Later calls from the same function do
    nothing.
    """
    while frame is not None and _is_framework(frame.f_globals):
        frame = frame.f_back
    if frame is None or id(frame.f_code) in _codes:
        return
    if len(_codes) >= _MAX_CODES:
        _codes.clear()
    _codes[id(frame.f_code)] = frame.f_code
    names = set(_names_in(frame.f_code))
    names.update(_names_of(frame.f_globals))
    folder = os.path.dirname(frame.f_code.co_filename)
    for module in _modules_in(folder) if folder else ():
        _modules[module.__name__] = module
        names.update(_names_of(vars(module)))
    _declare(names)


def _is_framework(namespace: Mapping[str, Any]) -> bool:
    name = namespace.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] == "framework"


def _modules_in(folder: str) -> Iterator[ModuleType]:
    """Yield the modules in a folder and its subfolders that were not read before."""
    start = folder + os.sep
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if (
            isinstance(file, str)
            and file.startswith(start)
            and _modules.get(name) is not module
            and "site-packages" not in file
            and not file.startswith(_LIBRARY)
            and isinstance(module, ModuleType)
            and module.__name__ == name
            and not _is_framework(vars(module))
        ):
            yield module


def _names_of(namespace: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names in the functions and classes of a module."""
    for value in list(namespace.values()):
        for code in functions_in(value):
            yield from _names_in(code)
        if isinstance(value, type) and value.__module__ == namespace.get("__name__"):
            for member in list(vars(value).values()):
                for code in functions_in(member):
                    yield from _names_in(code)


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names of attributes in a function, and in the functions inside it. The names of
    global variables and of keyword arguments are among them.
    """
    yield from code.co_names
    reads_text = "getattr" in code.co_names or "setattr" in code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
        elif reads_text and isinstance(constant, str) and constant.isidentifier():
            yield constant


def _declare(names: set[str]) -> None:
    new = sorted(name for name in names - _names if name[0] != "_")
    if not new:
        return
    # A descriptor of `Handle` would hide an attribute of a class behind `Handle`.
    behind = {
        base for kind in _subclasses(Handle) for base in kind.__mro__[kind.__mro__.index(Handle) :]
    }
    used = {name for base in behind for name in vars(base)}
    for name in new[: max(MAX_NAMES - len(_names), 0)]:
        _names.add(name)
        if name not in used:
            setattr(Handle, name, MissingColumn(name))


def _subclasses(base: Any) -> set[type]:
    subclasses: list[Any] = base.__subclasses__()
    return {*subclasses}.union(*map(_subclasses, subclasses))


# -- errors of other code --------------------------------------------------------------------------

# Python 3.13 adds the second part when an attribute is set.
_MISSING = re.compile(
    r"'(\w+)' object has no attribute '(\w+)'(?: and no __dict__ for setting new attributes)?"
)


def explain_missing(error: AttributeError) -> bool:
    """If the error is about an unknown attribute of a handle, such as a `Sprite`, add advice to its
    message. The advice says how to declare a column. Return True if the advice was added.
    """
    match = _MISSING.fullmatch(str(error))
    if match is None or match[2][0] == "_":
        return False
    owner: object = getattr(error, "obj", None)
    kinds = {kind for kind in _subclasses(Handle) if getattr(kind, "_takes_columns", False)}
    if type(owner) in kinds if owner is not None else match[1] in {kind.__name__ for kind in kinds}:
        hint = (
            how_to_have(match[2])
            if owner is None
            else _hint(type(owner), match[2], is_called(error, match[2]))
        )
        error.args = (f"{match[0]}; {hint}",)
        error.name = None  # Python would append a hint of its own
        return True
    return False
