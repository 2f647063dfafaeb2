"""Layered batches: the base class of `Shapes` and `Polygons`, whose rows have a layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from .. import checks
from ..checks import Sealed
from ..gpu.graphics import BLEND_MODES
from ..state.backend import Frontend
from ..state.columns import Column
from ..state.own_columns import add_own_columns, checked_columns
from ..state.rows import Handle, Handled
from ..state.transforms2d import PoseTable2D

H = TypeVar("H", bound=Handle[Any])


class Layered(Handled[H], Frontend, Sealed):
    """A batch whose rows have the columns of `Transforms2D` and ``layer``, drawn in one call."""

    __slots__ = ("_blend", "_table")

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
        add_own_columns(self, table, own)

    def _checked_row(self, row: Mapping[str, object]) -> list[tuple[Column, ArrayLike]]:
        """Check the values of a new row, and return pairs of columns and values.

        An invalid value raises an error before the batch changes.
        """
        values: list[tuple[Column, ArrayLike]] = [
            (column := self._table.column(name), column.checked(value))
            for name, value in row.items()
        ]
        self._room_for("count", 1)
        return values

    def _add_row(self, values: Sequence[tuple[Column, ArrayLike]]) -> H:
        index: int = self._table.spawn(1).start
        for column, value in values:
            column.data[index] = value
        return self._handle(index)
