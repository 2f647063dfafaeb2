"""Which cells of a map of tiles a picture shows, and by which steps they are drawn. Numbers only.

Cells have a row and a column, row 0 at the top. Each has an upright box around it; those of
neighbours overlap, but in an orthogonal map. Where they are, `TileLayout` says; here it is brought
into the few numbers that a shader is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from .tilelayout import TileLayout

Point = tuple[float, float]


class Box(NamedTuple):
    """An upright box, in units, y up."""

    left: float
    bottom: float
    right: float
    top: float


class Area(NamedTuple):
    """Cells that a picture may show: columns and rows, each from the first to before the last one.
    Of an isometric map, the differences of column and row, and their sums."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether there are none."""
        return self.left >= self.right or self.top >= self.bottom


class Lattice:
    """The cells of a map, as steps from one to the next: units, y up, from the bottom left corner
    of the map.
    """

    not_state = True

    def __init__(self, layout: TileLayout) -> None:
        self.layout = layout
        self.orientation = layout.orientation
        self.rows, self.columns = layout.rows, layout.columns
        self.stagger = (
            0
            if self.orientation in ("orthogonal", "isometric")
            else 1 + (layout.stagger_axis == "x")
        )
        """What shifts a cell: nothing, its row (1) or its column (2)."""
        even = layout.origin[layout.stagger_axis == "y"] % 2 == 0
        self.odd = (layout.stagger_index == "odd") == even
        """Whether the odd ones are shifted."""
        width, height = layout.tile_size
        self.tile: Point = (width & ~1, height & ~1) if self.stagger else (width, height)
        """Width and height of a cell's box."""
        # Four cells from an even one on, of which one or two are shifted; of those beyond the map,
        # too.
        centers: list[list[float]] = layout.centers([0, 1, 2, 0, 0], [0, 0, 0, 1, 2]).tolist()
        start, right, two_right, down, two_down = centers
        self.across: Point = (two_right[0] - start[0]) / 2, (two_right[1] - start[1]) / 2
        """The way to the next column, were none shifted; ``down`` is that to the next row."""
        self.down: Point = (two_down[0] - start[0]) / 2, (two_down[1] - start[1]) / 2
        beside, step = ((down, self.down), (right, self.across))[self.stagger == 2]
        moved = beside[0] - start[0] - step[0], beside[1] - start[1] - step[1]
        side = 1 if self.odd else -1
        self.shift: Point = (side * moved[0], side * moved[1]) if self.stagger else (0.0, 0.0)
        """How far those are shifted that are."""
        back = (0.0, 0.0) if self.odd else self.shift
        self.first: Point = (
            start[0] - self.tile[0] / 2 - back[0],
            start[1] - self.tile[1] / 2 - back[1],
        )
        """The bottom left corner of the first cell's box, were it not shifted."""

    def seen(self, view: Box, reach: Box) -> Area:
        """The cells of which a picture of ``view`` may show something, where what is in a cell
        reaches from ``reach``'s bottom left to its top right, seen from the corner of the cell's
        box."""
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
            _within(math.floor, low, limits[0], limits[2]),
            _within(math.floor, top, limits[1], limits[3]),
            _within(math.ceil, high, limits[0], limits[2]),
            _within(math.ceil, bottom, limits[1], limits[3]),
        )

    def near(self, x: float, y: float) -> tuple[int, int]:
        """Row and column, both even, of a cell near a point, in the map or not: what is near is
        counted from there.
        """
        column, row = (
            (x - self.first[0]) / abs(self.across[0]),
            (self.first[1] - y) / abs(self.down[1]),
        )
        if self.orientation == "isometric":
            column, row = (row + column) / 2, (row - column) / 2
        return 2 * round(row / 2), 2 * round(column / 2)


def _within(rounded: Callable[[float], int], number: float, least: int, most: int) -> int:
    return rounded(min(max(number, least), most))
