"""Compute the positions of tiles in all map layouts of the map editor Tiled.

The layouts are orthogonal, isometric, staggered, hexagonal and oblique. Tiled's files use two
coordinate systems, both in pixels:

- *Picture* pixels start at the top left corner of the map's image, or of the first cell in oblique
  maps. x points right, and y points down.
- *Object* pixels are the same as picture pixels, except in isometric and oblique maps, whose axes
  are parallel to the sides of the tiles. In isometric maps, each side of a tile is as long as the
  height of a tile. In oblique maps, the sides are as long as the width and the height of a tile.

The *world* is the coordinate system of the game: y points up, and (0, 0) is the bottom left corner
of the grid's image.

The formulas are from Tiled's documentation, and from its classes IsometricRenderer,
HexagonalRenderer and ObliqueRenderer. In staggered and hexagonal maps, half of an odd number is
rounded down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Mask, Rows

ORIENTATIONS = ("orthogonal", "isometric", "staggered", "hexagonal", "oblique")
# In maps with these orientations, every second row or column is shifted.
_SHIFTED = ("staggered", "hexagonal")
_MAX_SKEW = 1 << 15


@dataclass(frozen=True, slots=True)
class TileLayout:
    """The grid of a map: its size, its orientation and the positions of its cells.

    ``columns``, ``rows``
        The number of cells along each side of the map.
    ``tile_size``
        The width and the height of a cell, in pixels.
    ``stagger_axis`` ("x", "y")
        In staggered and hexagonal maps: whether rows ("y") or columns ("x") are shifted. With "y",
        every second row is shifted to the side. With "x", every second column is shifted down.
    ``stagger_index`` ("odd", "even")
        Whether the odd or the even rows (or columns) are shifted.
    ``hex_side``
        In hexagonal maps, the length of a tile's side along ``stagger_axis``, in pixels.
    ``skew``
        Two numbers in pixels: the shifts of rows and columns in oblique maps. The first number is
        the shift of each row to the right, relative to the row above. The second number is the
        shift of each column down, relative to the column on its left.
    ``origin``
        The column and the row of the first cell, as in the file. The layout subtracts the origin
        from all positions in the file. The origin also determines which rows or columns are
        shifted.
    ``rows_in_file``
        The number of rows stored in the file of an infinite isometric map. In such a map, the x
        coordinate in picture pixels depends on this number.
    """

    columns: int
    rows: int
    tile_size: tuple[int, int]
    orientation: str = "orthogonal"
    stagger_axis: str = "y"
    stagger_index: str = "odd"
    hex_side: int = 0
    origin: tuple[int, int] = (0, 0)
    rows_in_file: int | None = None
    skew: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        for name in ("columns", "rows"):
            checks.whole(name, getattr(self, name), least=0)
        checks.choice("orientation", self.orientation, ORIENTATIONS)
        min_size = 2 if self.orientation in _SHIFTED else 1
        for length in self.tile_size:
            checks.whole("tile_size", length, least=min_size)
        checks.choice("stagger_axis", self.stagger_axis, ("x", "y"))
        checks.choice("stagger_index", self.stagger_index, ("odd", "even"))
        along = self.tile_size[self.stagger_axis == "y"]
        max_side = along if self.orientation == "hexagonal" else None
        checks.whole("hex_side", self.hex_side, least=0, most=max_side)
        self._check_skew()

    def _check_skew(self) -> None:
        for length in self.skew:
            checks.whole("skew", length, least=-_MAX_SKEW, most=_MAX_SKEW)
        if self.orientation != "oblique" and self.skew != (0, 0):
            expected = f'(0, 0) in {self.orientation} maps; only "oblique" maps have a skew'
            raise checks.wrong_value("skew", expected, self.skew)
        if self._area == 0:
            width, height = self.tile_size
            expected = f"tiles with an area, not {width} x {height} tiles on one line"
            raise checks.wrong_value("skew", expected, self.skew)

    @property
    def _area(self) -> int:
        """The area of a cell in square pixels, or a negative number if the skew mirrors the map."""
        width, height = self.tile_size
        right, down = self.skew
        return width * height - right * down

    @property
    def _first_corner(self) -> tuple[int, int]:
        """The top left corner of the first cell of an oblique map, in pixels. The corner is
        measured from the top left corner of the grid's image.
        """
        right, down = self.skew
        return self.rows * max(0, -right), self.columns * max(0, -down)

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height of the grid's image, in pixels."""
        width, height = self.box
        columns = self.columns
        rows = self.rows
        if self.orientation == "orthogonal":
            return float(columns * width), float(rows * height)
        if self.orientation == "oblique":
            right, down = self.skew
            return float(columns * width + rows * abs(right)), float(
                rows * height + columns * abs(down)
            )
        if self.orientation == "isometric":
            return (columns + rows) * width / 2, (columns + rows) * height / 2
        across, down = self._steps
        side = self._side
        if self.stagger_axis == "x":
            return float(columns * across + (width - side) // 2), float(
                rows * down + (columns > 1) * (height // 2)
            )
        return float(columns * across + (rows > 1) * (width // 2)), float(
            rows * down + (height - side) // 2
        )

    def centers(self, columns: ArrayLike, rows: ArrayLike) -> Doubles:
        """Return the world positions of the centers of cells, in units. The returned array has the
        shape (…, 2).

        ``columns`` are counted from the left and ``rows`` from the top.
        """
        columns, rows = np.broadcast_arrays(np.asarray(columns), np.asarray(rows))
        return self._up(self._middles(columns, rows))

    def points(self, positions: ArrayLike) -> Doubles:
        """Convert points from the object pixels of Tiled's file (see the module) to world
        positions. ``positions`` is an array of shape (…, 2).
        """
        positions_in_file = np.asarray(positions, np.float64)
        if self.orientation == "oblique":
            width, height = self.tile_size
            shift = positions_in_file[..., ::-1] * self.skew / (height, width)
            return self.picture_points(positions_in_file + shift)
        if self.orientation != "isometric":
            return self.picture_points(positions_in_file)
        return self._up(self._diamond(positions_in_file / self.tile_size[1] - self.origin))

    def picture_points(self, positions: ArrayLike) -> Doubles:
        """Convert points from the picture pixels of Tiled's file (see the module) to world
        positions. ``positions`` is an array of shape (…, 2).
        """
        column, row = self.origin
        if self.orientation == "oblique":
            first_of_file = self._skewed(np.negative(self.origin))
            return self._up(np.asarray(positions, np.float64) + first_of_file)
        if self.orientation != "isometric":
            start = np.multiply(self.origin, self._steps)
        else:
            width, height = self.tile_size
            rows = self.rows if self.rows_in_file is None else self.rows_in_file
            start = np.array(
                [(column - row + rows - self.rows) * width / 2, (column + row) * height / 2]
            )
        return self._up(np.asarray(positions, np.float64) - start)

    def cells(self, points: ArrayLike) -> NDArray[np.int64]:
        """Return the column and the row of the cell at each world position. ``points`` is an array
        of shape (…, 2).

        The cell of a point may be outside the grid.
        """
        world = np.asarray(points, np.float64) * (1, -1) + (0, self.size[1])
        if self.orientation == "orthogonal":
            return _floor(world / self.tile_size)
        if self.orientation == "isometric":
            along = (world - (self.rows * self.tile_size[0] / 2, 0)) / self.tile_size
            total: Doubles = along.sum(-1)
            return _floor(np.stack([total, along[..., 1] - along[..., 0]], -1))
        if self.orientation == "oblique":
            width, height = self.tile_size
            right, down = self.skew
            x, y = np.moveaxis(world - self._first_corner, -1, 0)
            along = np.stack([x * height - y * right, y * width - x * down], -1)
            return _floor(along / self._area)
        return self._nearest(world)

    def _nearest(self, positions: Doubles) -> NDArray[np.int64]:
        """For each position in a staggered or hexagonal map, return the cell with the nearest
        center.

        In hexagonal maps, the nearest center is found by straight-line distance. In staggered maps,
        the distance is the sum of the distances along x and y, measured in cells.
        """
        first_guess = _floor(positions / self._steps)
        around = np.mgrid[-1:2, -1:2].reshape(2, 9).T
        candidates = first_guess[..., None, :] + around
        apart = np.abs(
            self._middles(candidates[..., 0], candidates[..., 1]) - positions[..., None, :]
        )
        distances: Doubles = (
            (apart / self.box).sum(-1) if self.orientation == "staggered" else (apart**2).sum(-1)
        )
        nearest: Rows = distances.argmin(-1)
        best = nearest[..., None, None]
        chosen: NDArray[np.int64] = np.take_along_axis(candidates, best, -2)[..., 0, :]
        return chosen

    @property
    def box(self) -> tuple[int, int]:
        """The width and the height of the upright box around a cell, in pixels.

        In staggered and hexagonal maps, the box is rounded so that both slopes of a cell have the
        same whole number of pixels. The box may therefore be a pixel smaller than a tile.
        """
        width, height = self.tile_size
        if self.orientation not in _SHIFTED:
            return width, height
        if self.stagger_axis == "x":
            return width - (width - self._side) % 2, height & ~1
        return width & ~1, height - (height - self._side) % 2

    @property
    def _side(self) -> int:
        return self.hex_side if self.orientation == "hexagonal" else 0

    @property
    def _steps(self) -> tuple[int, int]:
        """The distance between neighboring columns and between neighboring rows, in pixels. The
        shift of every second row or column is not included.
        """
        width, height = self.box
        if self.orientation == "orthogonal":
            return width, height
        if self.stagger_axis == "x":
            return max((width - self._side) // 2 + self._side, 1), height
        return width, max((height - self._side) // 2 + self._side, 1)

    def _middles(self, columns: NDArray[Any], rows: NDArray[Any]) -> Doubles:
        """Return the centers of cells, in picture pixels."""
        if self.orientation == "isometric":
            return self._diamond(np.stack([columns, rows], -1) + 0.5)
        if self.orientation == "oblique":
            return self._skewed(np.stack([columns, rows], -1) + 0.5)
        corner = np.stack([columns, rows], -1) * self._steps
        if self.orientation != "orthogonal":
            axis = 1 if self.stagger_axis == "y" else 0
            shifted: Mask = ((columns, rows)[axis] + self.origin[axis]) % 2 == (
                self.stagger_index == "odd"
            )
            corner[..., 1 - axis] += shifted * (self.box[1 - axis] // 2)
        middles: Doubles = corner + np.array(self.box) / 2
        return middles

    def _diamond(self, tiles: Doubles) -> Doubles:
        """Convert positions from tiles to picture pixels, in an isometric map."""
        width, height = self.tile_size
        x = tiles[..., 0]
        y = tiles[..., 1]
        return np.stack([(x - y + self.rows) * width / 2, (x + y) * height / 2], -1)

    def _skewed(self, tiles: Doubles) -> Doubles:
        """Convert positions from tiles to pixels of the grid's image, in an oblique map."""
        width, height = self.tile_size
        right, down = self.skew
        x = tiles[..., 0]
        y = tiles[..., 1]
        return np.stack([x * width + y * right, y * height + x * down], -1) + self._first_corner

    def _up(self, positions: Doubles) -> Doubles:
        up: Doubles = positions * (1, -1) + (0, self.size[1])
        return up


def _floor(values: Doubles) -> NDArray[np.int64]:
    cells: NDArray[np.int64] = np.floor(values).astype(np.int64)
    return cells
