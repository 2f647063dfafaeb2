"""Convert numbers, strings and other immutable values to the form in which they are hashed.

Snapshots do not copy immutable values, and a state hash contains these values themselves instead of
numbers of objects. `LEAVES` also lists classes whose objects are restored as a part of another
object, such as the columns of a table.
"""

from __future__ import annotations

import math
import types
import weakref
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath, PureWindowsPath, WindowsPath
from typing import Any

import numpy as np

from ..screen_mapping import ScreenMapping
from ..state.columns import TableColumn
from ..state.received_columns import ReceivedColumn
from ..state.row_pools import PooledColumn
from ..state.rows import Removed
from .stable_names import IN_HASHES

PLAIN: frozenset[type] = frozenset({int, str, bool, type(None), bytes})
"""Classes whose values are written into hashes unchanged, such as `int` and `str`."""
NAN = math.nan
"""The NaN that replaces all NaNs in hashes, because NaNs can have different bits."""

Write = Callable[[Any], object]
"""A function that converts a value for hashes to an object that `marshal` can write."""


def plain_float(value: float) -> float:
    """Convert a float for hashes: -0 becomes 0, and all NaNs become the same NaN."""
    return value + 0.0 if value == value else NAN


def _write_complex(value: complex) -> object:
    if value != value:
        return "complex", NAN
    return "complex", value.real + 0.0, value.imag + 0.0


def _write_slice(value: slice[object, object, object]) -> object:
    parts = (value.start, value.stop, value.step)
    return "slice", *[part if part.__class__ in PLAIN else None for part in parts]


def _write_scalar(value: np.generic) -> object:
    plain: object = value.item()
    if plain.__class__ is float:
        plain = plain_float(plain)
    elif plain.__class__ not in PLAIN:
        plain = repr(plain)
    return value.dtype.str, plain


def _write_fraction(value: Fraction) -> object:
    return "fraction", value.numerator, value.denominator


def _write_range(value: range) -> object:
    return "range", value.start, value.stop, value.step


def _write_span(value: timedelta) -> object:
    return "timedelta", value.days, value.seconds, value.microseconds


COLUMNS: frozenset[type] = frozenset({TableColumn, PooledColumn, ReceivedColumn})
"""The classes of columns. When the rows of a column move to other memory, the class of the column
changes, but the state of a game that refers to the column stays the same.
"""

WRITERS: dict[type, Write] = {
    Fraction: _write_fraction,
    Decimal: lambda value: ("decimal", str(value)),
    complex: _write_complex,
    type: lambda value: ("class", IN_HASHES.name_of(value)),
    types.ModuleType: lambda value: ("module", value.__name__),
    range: _write_range,
    slice: _write_slice,
    date: lambda value: ("date", value.isoformat()),
    datetime: lambda value: ("datetime", value.isoformat()),
    time: lambda value: ("time", value.isoformat()),
    timedelta: _write_span,
    type(Ellipsis): lambda value: ("...",),
    **dict.fromkeys(COLUMNS, lambda value: None),  # the table of the column has the values
    tuple: lambda value: ("tuple", len(value)),  # the values of the items are added separately
}
"""A dict from classes to the functions that convert their values for hashes."""
WRITERS |= {kind: _write_scalar for kind in np.sctypeDict.values() if isinstance(kind, type)}

LEAVES: frozenset[type] = frozenset(
    {
        *PLAIN,
        *(WRITERS.keys() - {tuple}),
        float,
        object,
        type(NotImplemented),
        timezone,
        weakref.ref,
        np.ufunc,
        Removed,
        ScreenMapping,
        # Paths of files are ignored, because they differ between machines.
        PosixPath,
        PurePosixPath,
        WindowsPath,
        PureWindowsPath,
        property,
        types.CodeType,
        types.MappingProxyType,
        types.WrapperDescriptorType,
        types.MethodDescriptorType,
        types.ClassMethodDescriptorType,
        types.GetSetDescriptorType,
        types.MemberDescriptorType,
    }
)
"""The classes of immutable values. Snapshots ignore the objects of these classes."""


def write_values(
    values: Iterable[Any], out: list[object], numbers: dict[int, int], queue: list[object]
) -> None:
    """Convert all values for a hash, and append the converted values to ``out``.

    An immutable value is converted to a form that `marshal` can write. Every other object is
    replaced with its number. An object that is found for the first time gets the next number, and
    is appended to ``queue``.
    """
    append = out.append
    plain = PLAIN
    writers = WRITERS
    for value in values:
        kind = value.__class__
        if kind in plain:
            append(value)
        elif kind is float:
            append(value + 0.0 if value == value else NAN)
        elif kind not in writers:
            key = id(value)
            if key in numbers:
                append([numbers[key]])
            else:  # an object that has no number yet
                numbers[key] = number = len(queue)
                queue.append(value)
                append([number])
        elif kind in COLUMNS:  # the table of the column has the values
            append(None)
        elif kind is tuple:
            inner: list[object] = []
            write_values(value, inner, numbers, queue)
            append(tuple(inner))
        else:
            append(WRITERS[kind](value))
