"""Check an event from the server before its arguments are passed to the game's functions."""

from __future__ import annotations

import inspect
import operator
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ..checks import shown

_Cached = tuple[tuple[object, ...], inspect.Signature | None]

# For each class in an annotation: the classes of the JSON values that a parameter accepts.
_JSON_CLASSES: dict[object, type | tuple[type, ...]] = {
    bool: bool,
    int: int,
    float: (int, float),
    str: str,
    list: list,
    tuple: list,
    Sequence: list,
    Iterable: (list, str),
    None: types.NoneType,
    types.NoneType: types.NoneType,
}
# The attributes of a function from which Python computes its signature.
_PARTS = ("__code__", "__defaults__", "__kwdefaults__", "__annotations__")
# The signature of each function, because computing it takes 50 µs, and the attributes at that time.
_signatures: WeakKeyDictionary[Callable[..., object], _Cached] = WeakKeyDictionary()


def wrong_arguments(function: Callable[..., object], arguments: Sequence[Any]) -> str:
    """Return a sentence if ``function`` cannot receive these arguments, which are JSON values.
    Otherwise return "".

    The number of arguments must be right. The class of an argument must match the annotation of its
    parameter if the annotation consists of numbers, strings, lists and tuples.
    """
    signature = _signature(function)
    if signature is None:
        return ""
    name = getattr(function, "__name__", type(function).__name__)
    try:
        bound = signature.bind(*arguments).arguments
    except TypeError as error:
        return f"{name}: {error}"
    for parameter in signature.parameters.values():
        if parameter.name not in bound:
            continue
        value = bound[parameter.name]
        is_star = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        for item in value if is_star else [value]:
            if not _fits(item, parameter.annotation):
                expected = inspect.formatannotation(parameter.annotation)
                return f"{name}({parameter.name}): expected {expected}, got {shown(item)}"
    return ""


def _signature(function: Callable[..., object]) -> inspect.Signature | None:
    """Return the signature of a function, or None if it is unknown."""
    if hasattr(function, "__wrapped__") or not hasattr(function, "__code__"):
        return _new_signature(function)[0]
    # A hot reload replaces these attributes, and keeps the function.
    try:
        parts = tuple([getattr(function, name, None) for name in _PARTS])
    except Exception:  # in Python 3.14, an annotation can name a class that does not exist yet
        return _new_signature(function)[0]
    cached = _signatures.get(function)
    if cached is not None and not any(map(operator.is_not, cached[0], parts)):
        return cached[1]
    signature, is_final = _new_signature(function)
    if is_final:
        _signatures[function] = parts, signature
    return signature


def _new_signature(function: Callable[..., object]) -> tuple[inspect.Signature | None, bool]:
    """Return the signature of a function, or None if it is unknown, and whether the signature is
    final. It is not final if a name in an annotation may be defined later.
    """
    try:
        return inspect.signature(function, eval_str=True), True
    except Exception:
        # An annotation names a class that is imported only for type checkers, or defined later.
        try:
            return inspect.signature(function), False
        except Exception:  # a function in C, or an annotation that Python 3.14 cannot evaluate
            return None, False


def _fits(value: Any, annotation: Any) -> bool:
    """Return whether a JSON value matches an annotation. All values match an annotation with other
    classes, such as an array or an enum.
    """
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        return any(_fits(value, option) for option in typing.get_args(annotation))
    origin = typing.get_origin(annotation) or annotation
    if not isinstance(origin, type | None) or origin not in _JSON_CLASSES:
        return True
    if not isinstance(value, _JSON_CLASSES[origin]):
        return False
    options = typing.get_args(annotation)
    if not isinstance(value, list) or not options:
        return True
    if origin is tuple and options[-1] is not Ellipsis:
        return len(value) == len(options) and all(map(_fits, value, options))
    return all(_fits(item, options[0]) for item in value)
