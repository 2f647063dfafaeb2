"""Convert objects to numbers, strings and lists that can be sent to another process."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import numpy as np

from ..checks import shown
from ..errors import FrameworkError

# A dict whose only key is one of these represents an array or a fraction.
_ARRAY = "\0array"
_FRACTION = "\0fraction"


def plain(name: str, value: Any) -> Any:
    """Convert a value to numbers, strings, bytes, tuples, lists and dicts.

    Arrays and fractions become dicts. Paths become strings. Error messages contain ``name``. Raises
    `FrameworkError` if a value of this class cannot be converted.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str, bytes):
        return value
    if isinstance(value, np.generic) and not isinstance(value, np.void):
        return plain(name, value.item())
    if isinstance(value, tuple):
        return tuple([plain(name, entry) for entry in value])
    if isinstance(value, list):
        return [plain(name, entry) for entry in value]
    if isinstance(value, dict):
        return {plain(name, key): plain(name, entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return {_ARRAY: (value.dtype.str, value.shape, value.tobytes())}
    if isinstance(value, Fraction):
        return {_FRACTION: (value.numerator, value.denominator)}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for base in (int, float, str):  # enums and other subclasses of these types
        if isinstance(value, base):
            return base(value)
    raise FrameworkError(
        f"{name}: expected numbers, strings, arrays, paths, tuples, lists and dicts, "
        f"got {shown(value)}; other objects cannot be sent to another process"
    )


def restored(value: Any) -> Any:
    """Convert a value that `plain` has returned back to the original value. Arrays and fractions
    become objects again, but paths stay strings.
    """
    if isinstance(value, tuple):
        return tuple([restored(entry) for entry in value])
    if isinstance(value, list):
        return [restored(entry) for entry in value]
    if isinstance(value, dict):
        if value.keys() == {_ARRAY}:
            dtype, shape, data = value[_ARRAY]
            return np.frombuffer(data, dtype).reshape(shape)
        if value.keys() == {_FRACTION}:
            return Fraction(*value[_FRACTION])
        return {restored(key): restored(entry) for key, entry in value.items()}
    return value
