"""Let a game store its own values, such as hit points, in each row of a batch.

For a batch with own columns, the framework creates subclasses of the batch class and of the handle
class, with a property for each column. A batch without own columns keeps its class.
"""

from __future__ import annotations

__all__ = ["Column"]

import functools
import keyword
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import DTypeLike

from ..checks import (
    Sealed,
    flag,
    is_flag,
    number,
    shown,
    whole,
    wrong_type,
    wrong_value,
)
from ..other_engines.other_names import OtherName
from .columns import ColumnValues, Table, TableColumn
from .rows import Batch, Handle, Handled, RowValue

DTYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
"""The dtypes of numbers in columns. Saves support the same dtypes."""
MAX_NUMBERS = 4096
"""The maximum number of components in one row of a column."""
MAX_COLUMNS = 64
"""The maximum number of own columns in a batch."""
_MAX_DIMENSIONS = 3
_RESERVED = frozenset(
    (
        *("position", "angle", "rotation", "scale", "velocity", "angular_velocity"),
        *("acceleration", "damping"),
        *("count", "dt", "image", "node", "row", "rows", "self"),
        *("attach", "attach_unseen"),
    )
)
"""Names that are not allowed for own columns. Physics and `move` use some of these names for their
columns. The other names are parameters of methods, or methods of drawables.
"""


class Column(Sealed):
    """A column for your own values in each row of a batch, such as hit points.

        fw.SpriteBatch("crab.png", columns={"hp": fw.Column("i4", default=3)})

    Parameters
    ----------
    dtype
        The type of the numbers, such as ``"f4"``, ``float`` or ``np.uint8``: a bool, or an integer
        or float of at most 64 bits. With the dtype `object`, a row can store any Python value.
    shape
        The shape of the value in each row. Default: one number. If the shape is 2 or (2,), each row
        stores two numbers, and the column has the shape (n, 2).
    default
        The value of new rows. Default: 0, False, or None in a column of objects.
    interpolated
        Whether the batch also stores the values from the start of the tick, so that
        ``batch.blended`` can return values between two ticks. Only columns of floats can be
        interpolated between ticks. Default: False.

    The option ``columns`` also accepts shorter forms: ``3.0`` (a float64 column with this default),
    ``3`` (int64), ``True`` (bool), ``"u1"`` (a dtype), ``("f4", 2)`` (dtype and shape), ``object``.
    """

    __slots__ = ("_default", "_dtype", "_interpolated", "_shape")

    not_state = True

    def __init__(
        self,
        dtype: DTypeLike | type[object],
        shape: int | tuple[int, ...] = (),
        default: Any = None,
        interpolated: bool = False,
    ) -> None:
        self._dtype = _checked_dtype("dtype", dtype)
        self._shape = _checked_shape("shape", shape)
        self._interpolated = flag("interpolated", interpolated)
        kind = self.dtype.kind
        if kind == "O" and self.shape:
            raise wrong_value("shape", "() for a column of objects", shape)
        if self.interpolated and kind != "f":
            raise wrong_value("interpolated", f"False for a column of {self.dtype}", interpolated)
        if kind == "O":
            if isinstance(default, list | dict | set | bytearray | np.ndarray):
                raise wrong_value(
                    "default",
                    "a value that all rows may share, as None (set each row's own after adding it)",
                    default,
                )
        elif default is None:
            default = 0
        self._default = default
        self._default = self._made("default").checked(default)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the column."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value in each row, or () for one number."""
        return self._shape

    @property
    def default(self) -> Any:
        """The value of new rows."""
        return self._default

    @property
    def interpolated(self) -> bool:
        """Whether the batch also stores the values from the start of the tick."""
        return self._interpolated

    def __repr__(self) -> str:
        return f"Column({self.dtype.name!r}, {self.shape}, {self.default!r}, {self.interpolated})"

    def _made(self, name: str) -> TableColumn:
        """Create and return the column of a table with these settings."""
        return TableColumn(
            name,
            math.prod(self.shape),
            self.default,
            dtype=self.dtype,
            interpolated=self.interpolated,
            cell=self.shape,
            check=_any_float if self.dtype.kind == "f" else None,
        )


def _any_float(name: str, value: object) -> float:
    """Convert a value to a float, which may be NaN or infinite."""
    if type(value) is float:
        return value
    if isinstance(value, np.floating) and not np.isfinite(value):
        return float(value)
    return number(name, value)


def _checked_dtype(name: str, value: object) -> np.dtype[Any]:
    words = f"one of {', '.join(DTYPES)}, or object"
    if value is None:
        raise wrong_type(name, words, value)
    try:
        dtype = np.dtype(cast(DTypeLike, value))
    except (TypeError, ValueError):
        raise wrong_value(name, words, value) from None
    if not dtype.hasobject and dtype.str[1:] not in DTYPES:
        raise wrong_value(name, words, value)
    return dtype.newbyteorder("=")


def _checked_shape(name: str, value: object) -> tuple[int, ...]:
    sizes = value if isinstance(value, tuple | list) else (value,)
    shape = tuple([whole(name, size, 1, MAX_NUMBERS) for size in sizes])
    if len(shape) > _MAX_DIMENSIONS or math.prod(shape) > MAX_NUMBERS:
        words = f"at most {_MAX_DIMENSIONS} sizes and {MAX_NUMBERS:,} numbers"
        raise wrong_value(name, words, value)
    return () if shape == (1,) and not isinstance(value, tuple | list) else shape


def column_of(name: str, value: object) -> Column:
    """Return the `Column` for one value of the dict in the option ``columns``. Error messages use
    ``name`` as the name of the column.
    """
    if isinstance(value, Column):
        return value
    if value is object:
        return Column(object)
    if is_flag(value):
        return Column(bool, default=bool(value))
    if isinstance(value, int | np.integer):
        return Column(np.int64, default=whole(name, value, -(1 << 63), (1 << 63) - 1))
    if isinstance(value, float | np.floating):
        return Column(np.float64, default=float(value))
    if isinstance(value, str | type | np.dtype):
        return Column(_checked_dtype(name, value))
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str | type | np.dtype):
        return Column(_checked_dtype(name, value[0]), _checked_shape(name, value[1]))
    raise wrong_type(
        name,
        "a default (3.0, 3 or True), a dtype ('u1'), a dtype and a width (('f4', 2)), object, "
        "or an fw.Column",
        value,
    )


def checked_columns(name: str, columns: object) -> dict[str, Column]:
    """Check the option ``columns`` of a batch, and return a dict from names to columns. If the
    option is None, return an empty dict.

    Raises `TypeError` or `ValueError` if the option is not valid.
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise wrong_type(name, "a dict of columns, as in {'hp': 3.0}", columns)
    if len(columns) > MAX_COLUMNS:
        raise ValueError(f"{name}: expected at most {MAX_COLUMNS} columns, got {len(columns)}")
    return {
        column: column_of(f"{name}[{shown(column)}]", value) for column, value in columns.items()
    }


def add_own_columns(
    batch: Batch, table: Table, columns: Mapping[str, Column], name: str = "columns"
) -> None:
    """Add own columns to the table of a batch. The columns become attributes of the batch and of
    its handles.

    Call this function in the constructor of a batch, before the first row is added. Raises
    `ValueError` if the batch already has an attribute with the name of a column.
    """
    if not columns:
        return
    for column in columns:
        _check_name(name, column, batch, table)
    for column, spec in columns.items():
        table.add_own(spec._made(column))
    make_properties(batch, table, columns)


def make_properties(batch: Batch, table: Table, names: Iterable[str]) -> None:
    """Add a property for each own column to the class of a batch, and to the class of its
    handles.
    """
    columns = [table.own[name] for name in names]
    kinds = [
        _ObjectValue
        if column in table.of_objects
        else _Matrix
        if len(column.cell) > 1
        else RowValue
        for column in columns
    ]
    properties = tuple(zip(names, kinds, strict=True))
    kind: Any = type(batch)
    object.__setattr__(batch, "__class__", _batch_class(kind, properties))


def _check_name(option: str, name: object, batch: Batch, table: Table) -> None:
    if not isinstance(name, str) or not name.isidentifier() or name[0] == "_":
        raise ValueError(f"{option}: expected names such as 'hp', got {shown(name)}")
    if is_taken(batch, table, name):
        kind = type(batch).__name__
        raise ValueError(f"{option}: a {kind} uses {shown(name)} already; choose another name")


def is_taken(batch: Batch, table: Table, name: str) -> bool:
    """Return whether a batch or its handles already have an attribute ``name``."""
    kinds = [type(batch), *([batch._handle_class] if isinstance(batch, Handled) else [])]
    used = any(
        name in vars(base) and not isinstance(vars(base)[name], OtherName)
        for kind in kinds
        for base in kind.__mro__
    )
    driven: frozenset[str] = getattr(batch, "_driven", frozenset())
    return used or table.has(name) or name in driven | _RESERVED or keyword.iskeyword(name)


Properties = tuple[tuple[str, type[RowValue[Any]]], ...]
"""Pairs of the name of an own column and a class. The class is the class of the property with which
handles read and write the column.
"""


@functools.lru_cache(maxsize=256)
def _batch_class(kind: type[Any], properties: Properties) -> type[Any]:
    """Return a subclass of a batch's class with a property for each column."""
    members: dict[str, Any] = {name: ColumnValues[Any](_DOC) for name, _ in properties}
    handles: Any = getattr(kind, "_handle_class", None)
    if handles is not None:
        members["_handle_class"] = _handle_class(handles, properties)
    return _subclass(kind, members)


@functools.lru_cache(maxsize=256)
def _handle_class(kind: type[Any], properties: Properties) -> type[Any]:
    return _subclass(kind, {name: make(_DOC) for name, make in properties})


def _subclass(kind: type[Any], members: dict[str, Any]) -> type[Any]:
    """Return a subclass that has the same ``__name__`` and ``__qualname__`` as its base class.
    These names appear in hashes, saves and error messages.
    """
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__slots__": ()}
    make: Callable[..., type[Any]] = type(kind)
    return make(kind.__name__, (kind,), {**names, "__doc__": kind.__doc__, **members})


_DOC = "A column of the game's own."


class _ObjectValue(RowValue[Any]):
    """A property of a handle that reads and writes a Python object in a column of objects."""

    def __get__(self, handle: Handle[Any] | None, owner: type) -> Any:
        return self if handle is None else handle._table.column(self.name).data[handle._row]


class _Matrix(RowValue[Any]):
    """A property of a handle that returns the numbers of a row as a tuple of tuples."""

    def __get__(self, handle: Handle[Any] | None, owner: type) -> Any:
        if handle is None:
            return self
        return _as_tuple(handle._table.column(self.name).data[handle._row].tolist())


def _as_tuple(values: list[Any]) -> tuple[Any, ...]:
    """Convert a list, and the lists in it, to tuples."""
    return tuple([_as_tuple(value) if type(value) is list else value for value in values])
