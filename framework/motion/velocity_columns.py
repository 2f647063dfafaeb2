"""Move rows by their velocity, acceleration, angular velocity and damping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..arrays import Floats
from ..checks import number, shown, wrong_type
from ..geometry import exact
from ..moved_names import renamed_column
from ..state.columns import ColumnValues, Table, TableColumn
from ..state.own_columns import Column as OwnColumn
from ..state.own_columns import checked_columns

OPTIONAL = {"velocity": 2, "acceleration": 2, "angular_velocity": 1, "damping": 1}
"""The optional columns of a batch, as a dict from names to the number of values per row."""


def split_columns(
    name: str, value: str | Iterable[str] | Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, OwnColumn]]:
    """Return two dicts of columns. The first dict contains the optional columns in ``value`` (such
    as "velocity") and their defaults. The second dict contains the game's own columns.

    If ``value`` is a dict, it can contain optional columns and the game's own columns. If ``value``
    is a sequence, it can contain only the names of optional columns. Raises `TypeError` or
    `ValueError` for all other names.
    """
    if isinstance(value, Mapping):
        own = checked_columns(name, {key: value[key] for key in value if key not in OPTIONAL})
        optional = {
            key: _checked_default(f"{name}[{key!r}]", key, value[key])
            for key in OPTIONAL
            if key in value
        }
        return optional, own
    if isinstance(value, str):
        value = (value,)
    try:
        names = list(value)
    except TypeError:
        raise wrong_type(name, "names of columns, or a dict of columns", value) from None
    for column in names:
        if not isinstance(column, str) or column not in OPTIONAL:
            raise _not_optional(name, column)
    return {column: 0.0 for column in OPTIONAL if column in names}, {}


def _not_optional(name: str, column: object) -> ValueError:
    renamed = renamed_column(column) if isinstance(column, str) else None
    return ValueError(
        f"{name}: expected some of {', '.join(OPTIONAL)}, got {shown(column)}; for columns "
        "of your own pass a dict, as in columns={'hp': 3.0}"
        if renamed is None
        else f"{name}: {renamed}"
    )


def _checked_default(name: str, column: str, value: object) -> Any:
    """Return the default value of an optional column, or raise an error if the value is not valid."""
    width = OPTIONAL[column]
    if isinstance(value, tuple | list) and width > 1 and len(value) == width:
        return tuple(number(name, part) for part in value)
    if isinstance(value, tuple | list | str):
        count = f"a number or {width} numbers" if width > 1 else "a number"
        raise wrong_type(name, f"the default value, {count}", value)
    return number(name, value)


def add_optional(table: Table, columns: Mapping[str, Any]) -> None:
    """Add optional columns to a table. If the table already contains one of these columns, only its
    default value changes.
    """
    for name, default in columns.items():
        if table.has(name):
            table.set_default(table.column(name), default)
        else:
            column = TableColumn(name, OPTIONAL[name], default, interpolated=False)
            table.add_columns(column, drawn=False)


class Moving:
    """A base class of 2D batches that adds the method `move`."""

    __slots__ = ()

    _table: Table

    acceleration = ColumnValues[Floats](
        "Acceleration in units per second squared: float32 (n, 2). An optional column."
    )
    damping = ColumnValues[Floats](
        "Damping of velocity and angular velocity, in 1/s: float32 (n,). An optional column."
    )

    def move(self, dt: float) -> None:
        """Move all rows by ``dt`` seconds. The positions are computed with the semi-implicit Euler
        method, which is stable enough for games.

        First, ``acceleration`` changes ``velocity``. Second, ``damping`` slows the motion:
        ``velocity`` and ``angular_velocity`` are multiplied by exp(-damping · dt). Third,
        ``velocity`` changes the position, and ``angular_velocity`` changes the angle.

        The columns ``velocity``, ``acceleration``, ``damping`` and ``angular_velocity`` are
        optional. List the columns that your batch needs: ``SpriteBatch(…, columns=("velocity",
        "damping"))``. Every computer computes exactly the same new positions. Raises
        `AttributeError` if the batch has neither a column ``velocity`` nor a column
        ``angular_velocity``.
        """
        dt = number("dt", dt, least=0)
        table = self._table
        table.close_holes()
        n = table.count
        step = np.float32(dt)
        names = [name for name in OPTIONAL if table.has(name)]
        columns: dict[str, Floats] = {name: table.column(name).values(n) for name in names}
        if "velocity" not in columns and "angular_velocity" not in columns:
            raise AttributeError(f"move: {table.missing('velocity')}")
        if "acceleration" in columns and "velocity" in columns:
            columns["velocity"] += columns["acceleration"] * step
        if "damping" in columns:
            factor: Floats = exact.exp(columns["damping"] * -step)
            for name in ("velocity", "angular_velocity"):
                if name in columns:
                    columns[name] *= factor[:, None] if name == "velocity" else factor
        for name, target in (("velocity", "position"), ("angular_velocity", "angle")):
            if name in columns:
                values: Floats = table.column(target).values(n)
                values += columns[name] * step
