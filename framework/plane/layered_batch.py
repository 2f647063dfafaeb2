"""The base class of `Shapes` and `Polygons`, with a drawing layer for each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats
from ..checks import Sealed, Setting, flag
from ..gpu.graphics import BLEND_MODES
from ..state.backend import Frontend
from ..state.columns import TableColumn
from ..state.own_columns import add_own_columns, checked_columns
from ..state.rows import Handle, Handled
from ..state.transforms2d import PoseTable2D
from .row_growth import CHECKED_EVERY, CHECKED_FROM, RowGrowth, Rows, check_growth

H = TypeVar("H", bound=Handle[Any])


class Layered(Handled[H], Frontend, Sealed):
    """A batch with the columns of `Transforms2D` and the column ``layer``. The GPU draws all rows
    in one draw call.
    """

    __slots__ = ("_blend", "_growth", "_may_grow", "_table")

    _transient_attributes: ClassVar[Any] = ("_growth", "_may_grow")
    _lasting_attributes = ("_blend",)

    _takes_columns = True
    _table: PoseTable2D

    def __init__(
        self, table: PoseTable2D, blend: str, columns: Mapping[str, Any] | None = None
    ) -> None:
        own = checked_columns("columns", columns)
        self._backend = None
        self._blend = checks.choice("blend", blend, BLEND_MODES)
        self._table = table
        self._growth = RowGrowth()
        self._may_grow = False
        add_own_columns(self, table, own)

    def _checked_row(self, row: Mapping[str, object]) -> list[tuple[TableColumn, ArrayLike]]:
        """Check the values of a new row. Return a list of (column, value) pairs.

        If a value is invalid, raise an error, and do not change the batch.
        """
        values: list[tuple[TableColumn, ArrayLike]] = [
            (column := self._table.column(name), column.checked(value))
            for name, value in row.items()
        ]
        self._room_for("count", 1)
        return values

    def _add_row(self, values: Sequence[tuple[TableColumn, ArrayLike]]) -> H:
        index = self._table.spawn_row()
        for column, value in values:
            column.data[index] = value
        if index >= CHECKED_FROM and not index % CHECKED_EVERY:
            advice = (
                f"{self._noun}, because {self._noun} are added in every tick and never removed; add "
                "them once, in setup, and change them in update, as in shape.position = (x, y)"
            )
            check_growth(self, index, self._growing_rows, advice, level=5)
        return self._handle(index)

    def _growing_rows(self) -> Rows:
        count = self._table.count
        kinds = np.zeros(count, np.int32)
        position = self._table.column("position").data
        return Rows(position, self._sizes(count), kinds, lambda kind: (1.0, 1.0))

    def _sizes(self, count: int) -> Floats:
        """Return the width and height of the first ``count`` rows in units. The array is float32
        with the shape (count, 2).
        """
        return self._table.column("scale").current(count)

    may_grow = Setting(
        flag,
        "Whether you may add rows in every tick without a warning. Default: False.",
    )
