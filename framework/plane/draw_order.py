"""Sort the rows of a 2D batch into drawing order: by layer, and then by y."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import Rows
from ..gpu.handover import ColumnBuffer
from ..state.columns import TableColumn


class Order:
    """The order in which the rows of a batch are drawn. Rows in lower layers are drawn first. With
    y-sorting, rows with a higher y are drawn first within each layer.
    """

    def __init__(self, layer: TableColumn, position: TableColumn) -> None:
        self._layer = layer
        self._position = position
        self.rows: Rows | None = None
        """The row indices in drawing order. If None, rows are drawn in the order of their indices.
        """
        self.by_y = self._layered = False
        # An earlier backend of the batch may have sorted the rows for its own buffers.
        layer.uploads.stale = True

    def sort(self, n: int, by_y: bool, layered: bool, buffers: Sequence[ColumnBuffer]) -> None:
        """Sort the first ``n`` rows into drawing order.

        ``layered`` is True if the game has changed the column ``layer``.

        If the order changes, all rows in ``buffers`` are marked to be uploaded again.
        """
        before = self.rows
        layer = self._layer
        sent = layer.uploads.sent
        is_grown = not (layered or by_y or self.by_y) and before is None and 0 < sent < n
        # Usually new rows are in the same layer as all other rows. (The column's array is not
        # stored in a variable, because the variable would count as a view.)
        if is_grown and not (layer.data[sent:n] != layer.data[0]).any():
            layer.handed_over(n, False)
            return
        layered = layered or sent != n
        layer.handed_over(n, layered)
        self._sort(n, by_y, layered)
        if before is not self.rows and (
            before is None or self.rows is None or not np.array_equal(before, self.rows)
        ):
            for buffer in buffers:
                buffer.column.uploads.stale = True

    def place_of(self, row: int) -> int:
        """Return the number of rows that are drawn before ``row``."""
        return row if self.rows is None else int(np.flatnonzero(self.rows == row)[0])

    def _sort(self, n: int, by_y: bool, layered: bool) -> None:
        layers: NDArray[np.int32] = self._layer.data[:n]
        position = self._position
        if layered:
            self._layered = n > 0 and bool((layers != layers[0]).any())
        resort = layered or by_y != self.by_y
        if by_y:
            if resort or position.uploads.stale or position.uploads.patches or position.changed(n):
                self.rows = np.lexsort((-position.data[:n, 1], layers))
        elif resort:
            self.rows = np.argsort(layers, kind="stable") if self._layered else None
        self.by_y = by_y
