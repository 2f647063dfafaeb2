"""Find the cells of a tile map that are visible in a view, and the spacing of the cells.

The position of a cell is its row and its column, with row 0 at the top. Each cell has an upright
box that contains the whole cell. The boxes of neighboring cells overlap, except in orthogonal maps
and in some oblique maps. `TileLayout` computes the positions of cells. This module reduces them to
a few numbers for the shader that draws tile layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from .tilelayout import TileLayout

Point = tuple[float, float]


class ViewBox(NamedTuple):
    """An upright box in units. The y axis points up."""

    left: float
    bottom: float
    right: float
    top: float


class CellRange(NamedTuple):
    """The range of columns and rows that may be visible in a view, excluding the column ``right``
    and the row ``bottom``.

    In isometric maps, ``left`` and ``right`` limit the column minus the row, and ``top`` and
    ``bottom`` limit the column plus the row.
    """

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether the range contains no cells."""
        return self.left >= self.right or self.top >= self.bottom


class CellSpacing:
    """The distances between the neighboring cells of a map, and the position of the map's first
    cell. Positions are in units, relative to the map's bottom left corner. The y axis points up.
    """

    not_state = True

    def __init__(self, layout: TileLayout) -> None:
        self.layout = layout
        self.orientation = layout.orientation
        self.rows = layout.rows
        self.columns = layout.columns
        self.stagger = (
            0
            if self.orientation in ("orthogonal", "isometric", "oblique")
            else 1 + (layout.stagger_axis == "x")
        )
        """Which cells are shifted: 0 for none, 1 for every second row, and 2 for every second
        column.
        """
        even = layout.origin[layout.stagger_axis == "y"] % 2 == 0
        self.odd = (layout.stagger_index == "odd") == even
        """Whether odd or even rows (or columns) are shifted: True for odd, False for even."""
        self.tile: Point = layout.box
        """The width and the height of a cell's box, in units."""
        # Compute the centers of five cells; the first cell is even. One or two of them are shifted.
        # The cells may be outside the map.
        centers: list[list[float]] = layout.centers([0, 1, 2, 0, 0], [0, 0, 0, 1, 2]).tolist()
        start, right, two_right, down, two_down = centers
        self.across: Point = _step(start, two_right, 2)
        """The displacement from a cell to the next column, without shifts. The attribute `down` is
        the displacement to the next row.
        """
        self.down: Point = _step(start, two_down, 2)
        self.shift: Point = (0.0, 0.0)
        """The displacement of shifted cells, in units."""
        if self.stagger:
            next_cell, step = (right, self.across) if self.stagger == 2 else (down, self.down)
            side = 1 if self.odd else -1
            self.shift = (
                side * (next_cell[0] - start[0] - step[0]),
                side * (next_cell[1] - start[1] - step[1]),
            )
        right_skew, down_skew = layout.skew
        unshift = (0.0, 0.0) if self.odd else self.shift
        self.first: Point = (
            start[0] - self.tile[0] / 2 - unshift[0] + right_skew / 2,
            start[1] - self.tile[1] / 2 - unshift[1] + down_skew / 2,
        )
        """The bottom left corner of the first cell's box, without a shift. In oblique maps, the box
        and the cell have the same bottom left corner, as in Tiled.
        """

    def seen(self, view: ViewBox, reach: ViewBox) -> CellRange:
        """Return the range of cells that may be visible in ``view``.

        ``reach`` is the box around the image of a cell, relative to the bottom left corner of the
        cell's own box.
        """
        if self.orientation == "oblique":
            return self._seen_oblique(view, reach)
        right = max(0.0, self.shift[0])
        up = min(0.0, self.shift[1])
        pitch = abs(self.across[0]), abs(self.down[1])
        low = (view.left - reach.right - right - self.first[0]) / pitch[0]
        high = (view.right - reach.left - self.first[0]) / pitch[0]
        top = (self.first[1] + reach.bottom + up - view.top) / pitch[1]
        bottom = (self.first[1] + reach.top - view.bottom) / pitch[1]
        limits = (0, 0, self.columns, self.rows)
        if self.orientation == "isometric":
            limits = (1 - self.rows, 0, self.columns, self.rows + self.columns - 1)
        return CellRange(
            _clipped(math.floor, low, limits[0], limits[2]),
            _clipped(math.floor, top, limits[1], limits[3]),
            _clipped(math.ceil, high, limits[0], limits[2]),
            _clipped(math.ceil, bottom, limits[1], limits[3]),
        )

    def _seen_oblique(self, view: ViewBox, reach: ViewBox) -> CellRange:
        corners = [
            self._in_cells(x - self.first[0], y - self.first[1])
            for x in (view.left - reach.right, view.right - reach.left)
            for y in (view.bottom - reach.top, view.top - reach.bottom)
        ]
        columns, rows = zip(*corners, strict=True)
        return CellRange(
            _clipped(math.floor, min(columns), 0, self.columns),
            _clipped(math.floor, min(rows), 0, self.rows),
            _clipped(math.ceil, max(columns), 0, self.columns),
            _clipped(math.ceil, max(rows), 0, self.rows),
        )

    def _in_cells(self, x: float, y: float) -> Point:
        """Convert a displacement from units to columns and rows of an oblique map."""
        area = self.across[0] * self.down[1] - self.across[1] * self.down[0]
        return (
            (x * self.down[1] - y * self.down[0]) / area,
            (y * self.across[0] - x * self.across[1]) / area,
        )

    def near(self, x: float, y: float) -> tuple[int, int]:
        """Return the row and the column of the cell nearest to a point, among the cells with an
        even row and an even column. The cell may be outside the map.

        The shader of tile layers counts rows and columns from this cell.
        """
        if self.orientation == "oblique":
            column, row = self._in_cells(x - self.first[0], y - self.first[1])
            return 2 * round(row / 2), 2 * round(column / 2)
        column = (x - self.first[0]) / abs(self.across[0])
        row = (self.first[1] - y) / abs(self.down[1])
        if self.orientation == "isometric":
            column, row = (row + column) / 2, (row - column) / 2
        return 2 * round(row / 2), 2 * round(column / 2)


def _step(start: list[float], end: list[float], count: int) -> Point:
    """Return the displacement of each of ``count`` equal steps between two points."""
    return (end[0] - start[0]) / count, (end[1] - start[1]) / count


def _clipped(rounded: Callable[[float], int], number: float, lower: int, upper: int) -> int:
    return rounded(min(max(number, lower), upper))
