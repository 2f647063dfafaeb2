"""Where the cells of a map of tiles are: orthogonal, isometric, staggered or hexagonal. Numbers only.

Cells have a row and a column, row 0 at the top, as maps are written. Places are units, y up, from the bottom left corner
of the map. A cell has an upright box around it; those of neighbours overlap, but in an orthogonal map. The formulas are
those of Tiled's renderers (src/libtiled: orthogonalrenderer, isometricrenderer, hexagonalrenderer).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from .. import checks

ORIENTATIONS = ("orthogonal", "isometric", "staggered", "hexagonal")

Point = tuple[float, float]


class Box(NamedTuple):
    """An upright box, in units, y up."""

    left: float
    bottom: float
    right: float
    top: float


class Area(NamedTuple):
    """Cells that a picture may show: columns and rows, each from the first to before the last one. Of an isometric map,
    the differences of column and row, and their sums."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether there are none."""
        return self.left >= self.right or self.top >= self.bottom


class Lattice:
    """The cells of a map.

    Parameters
    ----------
    shape
        Rows and columns.
    tile
        Width and height of the box around a cell, in units.
    orientation
        One of `ORIENTATIONS`.
    axis, odd
        Of staggered and hexagonal maps: along which axis ("x" or "y") every other row or column is shifted, and whether
        these are the odd ones.
    side
        Of hexagonal maps: how long the edges are that lie along the other axis, in units.
    """

    not_state = True

    def __init__(
        self,
        shape: tuple[int, int],
        tile: tuple[float, float],
        orientation: str = "orthogonal",
        *,
        axis: str = "y",
        odd: bool = True,
        side: float = 0.0,
    ) -> None:
        self.rows, self.columns = rows, columns = shape
        self.orientation = checks.choice("orientation", orientation, ORIENTATIONS)
        self.axis = checks.choice("axis", axis, ("x", "y"))
        self.odd = odd
        self.stagger = 0 if orientation in ORIENTATIONS[:2] else 1 if axis == "y" else 2
        """What shifts a cell: nothing, its row (1) or its column (2)."""
        self.shift: Point = (0.0, 0.0)
        """How far those are shifted that are."""
        width, height = self.tile = tile
        if self.stagger:
            width, height = self.tile = width // 2 * 2, height // 2 * 2
        side = side if orientation == "hexagonal" else 0.0
        if orientation == "orthogonal":
            self.across, self.down = (width, 0.0), (0.0, -height)
            self.size: Point = columns * width, rows * height
        elif orientation == "isometric":
            self.across, self.down = (width / 2, -height / 2), (-width / 2, -height / 2)
            self.size = (rows + columns) * width / 2, (rows + columns) * height / 2
        elif self.stagger == 1:
            pitch = (height + side) / 2
            self.across, self.down, self.shift = (width, 0.0), (0.0, -pitch), (width / 2, 0.0)
            self.size = columns * width + (width / 2 if rows > 1 else 0), rows * pitch + (height - side) / 2
        else:
            pitch = (width + side) / 2
            self.across, self.down, self.shift = (pitch, 0.0), (0.0, -height), (0.0, -height / 2)
            self.size = columns * pitch + (width - side) / 2, rows * height + (height / 2 if columns > 1 else 0)
        left = (rows - 1) * width / 2 if orientation == "isometric" else 0.0
        self.first: Point = left, self.size[1] - height
        """The bottom left corner of the first cell's box, were it not shifted. ``across`` is the way from there to the
        next column, ``down`` to the next row."""

    def shifted(self, row: int, column: int) -> bool:
        """Whether a cell is."""
        return self.stagger != 0 and ((row, column)[self.stagger - 1] & 1 == 1) == self.odd

    def corner(self, row: float, column: float) -> Point:
        """The bottom left corner of the box around a cell."""
        shift = self.shift if self.stagger and self.shifted(int(row), int(column)) else (0.0, 0.0)
        return (
            self.first[0] + column * self.across[0] + row * self.down[0] + shift[0],
            self.first[1] + column * self.across[1] + row * self.down[1] + shift[1],
        )

    def center(self, row: int, column: int) -> Point:
        """The middle of a cell."""
        x, y = self.corner(row, column)
        return x + self.tile[0] / 2, y + self.tile[1] / 2

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of the cell that a point is in; it need not be in the map."""
        width, height = self.tile
        if self.orientation == "orthogonal":
            return self.rows - 1 - math.floor(y / height), math.floor(x / width)
        right = (x - self.first[0] - width / 2) / (width / 2)
        low = (self.first[1] + height - y) / (height / 2)
        if self.orientation == "isometric":
            return math.floor((low - right) / 2), math.floor((low + right) / 2)
        row, column = round((self.first[1] - y) / -self.down[1]), round((x - self.first[0]) / self.across[0])
        near = [(row + i, column + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        return min(near, key=lambda cell: self._away(cell, x, y))

    def _away(self, cell: tuple[int, int], x: float, y: float) -> float:
        middle, (width, height) = self.center(*cell), self.tile
        if self.orientation == "staggered":  # diamonds
            return abs(x - middle[0]) / width + abs(y - middle[1]) / height
        return math.dist((x, y), middle)

    def seen(self, view: Box, reach: Box) -> Area:
        """The cells of which a picture of ``view`` may show something, where what is in a cell reaches from ``reach``'s
        bottom left to its top right, seen from the corner of the cell's box."""
        right, up = max(0.0, self.shift[0]), min(0.0, self.shift[1])
        pitch = abs(self.across[0]), abs(self.down[1])
        low = (view.left - reach.right - right - self.first[0]) / pitch[0]
        high = (view.right - reach.left - self.first[0]) / pitch[0]
        top = (self.first[1] + reach.bottom + up - view.top) / pitch[1]
        bottom = (self.first[1] + reach.top - view.bottom) / pitch[1]
        limits = (0, 0, self.columns, self.rows)
        if self.orientation == "isometric":
            limits = (1 - self.rows, 0, self.columns, self.rows + self.columns - 1)
        return Area(
            _within(math.floor, low, limits[0], limits[2]), _within(math.floor, top, limits[1], limits[3]),
            _within(math.ceil, high, limits[0], limits[2]), _within(math.ceil, bottom, limits[1], limits[3]),
        )  # fmt: skip

    def near(self, x: float, y: float) -> tuple[int, int]:
        """Row and column, both even, of a cell near a point, in the map or not: what is near is counted from there."""
        column, row = (x - self.first[0]) / abs(self.across[0]), (self.first[1] - y) / abs(self.down[1])
        if self.orientation == "isometric":
            column, row = (row + column) / 2, (row - column) / 2
        return 2 * round(row / 2), 2 * round(column / 2)


def _within(rounded: Callable[[float], int], number: float, least: int, most: int) -> int:
    return rounded(min(max(number, least), most))
