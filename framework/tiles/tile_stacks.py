"""Split the tiles of an LDtk layer into several layers with one tile per cell.

In LDtk, a cell may contain several tiles, a tile may have any position in pixels, and each tile has
an alpha. There are therefore two kinds of new layers: a plain layer contains only opaque tiles that
are on the grid, and in a shifted layer, each cell has a shift in pixels and an alpha. LDtk draws
the tiles of a layer in the order of the file, and overlapping tiles in the new layers are drawn in
the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Rows

# The maximum number of comparisons of two tiles in one layer. This number of comparisons takes half
# a second. All later tiles are no longer compared: each of them is drawn above all earlier tiles.
_MAX_COMPARISONS = 1 << 20

Positions = NDArray[np.int64]


@dataclass(eq=False, slots=True)
class StackLayer:
    """One layer of a stack, with its tiles. A plain layer contains only opaque tiles on the grid. A
    shifted layer contains other tiles.
    """

    is_shifted: bool
    tiles: list[int] = field(default_factory=list)
    """The indices of the tiles."""
    cells: set[int] = field(default_factory=set)
    """The cells of all tiles that may overlap tiles of other cells."""
    last: int = -1
    """The cell in `cells` that is drawn last."""

    def add(self, tile: _Tile) -> None:
        self.tiles.append(tile.number)
        self.cells.add(tile.cell)
        self.last = max(self.last, tile.cell)


class _Tile(NamedTuple):
    """A tile of an LDtk layer: its number in the file, the position of its top left corner in
    pixels, its cell, and whether it belongs into a plain layer.
    """

    number: int
    x: int
    y: int
    cell: int
    is_plain: bool


class _Stack:
    """The layers of a stack. The tiles that may overlap tiles of other cells are added one by one,
    in the order in which LDtk draws them.

    To find overlapping tiles quickly, the map is divided into squares. ``square`` is the side
    length of these squares in pixels, and ``side`` is the side length of a tile.
    """

    def __init__(self, square: int, side: int) -> None:
        self.layers = [StackLayer(False)]
        self._square = square
        self._side = side
        # A dict from squares of the 2D world to the tiles that touch the square. The tiles of a
        # square are a dict from positions to the highest layer and the cell.
        self._squares: dict[tuple[int, int], dict[tuple[int, int], tuple[int, int]]] = {}
        self._remaining_comparisons = _MAX_COMPARISONS

    def add(self, tile: _Tile) -> None:
        """Add a tile to the lowest layer that draws it above all tiles it overlaps."""
        _, x, y, cell, _ = tile
        square = self._square
        last = self._side - 1
        squares = self._squares
        touched = [
            squares.setdefault((column, row), {})
            for column in range(x // square, (x + last) // square + 1)
            for row in range(y // square, (y + last) // square + 1)
        ]
        self._remaining_comparisons -= sum(map(len, touched))
        if self._remaining_comparisons >= 0:
            lowest = self._lowest_above_overlapping(tile, touched)
        else:
            lowest = self._lowest_above_all(tile)
        number = self._layer_with_space(tile, lowest)
        self.layers[number].add(tile)
        for near in touched:
            near[x, y] = number, cell

    def _lowest_above_overlapping(
        self, tile: _Tile, touched: list[dict[tuple[int, int], tuple[int, int]]]
    ) -> int:
        """Return the number of the lowest layer that draws ``tile`` above the tiles that overlap
        it. ``touched`` contains the tiles of each square that the tile touches.
        """
        _, x, y, cell, is_plain = tile
        side = self._side
        layers = self.layers
        lowest = 0
        for near in touched:
            for (near_x, near_y), (number, near_cell) in near.items():
                if number >= lowest and abs(near_x - x) < side and abs(near_y - y) < side:
                    # A layer of the same kind draws both tiles in the right order if the cell of
                    # the lower tile comes first.
                    can_share = layers[number].is_shifted != is_plain and near_cell < cell
                    lowest = max(lowest, number + (not can_share))
        return lowest

    def _lowest_above_all(self, tile: _Tile) -> int:
        """Return the number of the lowest layer that draws ``tile`` above all earlier tiles."""
        top = self.layers[-1]
        can_share = top.is_shifted != tile.is_plain and top.last < tile.cell
        return len(self.layers) - can_share

    def _layer_with_space(self, tile: _Tile, lowest: int) -> int:
        """Return the number of the first layer, from ``lowest`` on, that has the kind of ``tile``
        and no tile in its cell. If there is none, add a layer.
        """
        for number in range(lowest, len(self.layers)):
            layer = self.layers[number]
            if layer.is_shifted != tile.is_plain and tile.cell not in layer.cells:
                return number
        self.layers.append(StackLayer(not tile.is_plain))
        return len(self.layers) - 1


def stacked(
    positions: Positions, is_plain: Mask, cells: Rows, cell_size: int, side: int
) -> list[tuple[bool, Rows]]:
    """Split n tiles into layers, the lowest layer first.

    For each layer, return whether it is a shifted layer, and an array with the indices of its
    tiles. The first layer is always plain, and may be empty.

    ``positions`` is an array (n, 2) with the position of each tile's top left corner in pixels. The
    tiles are in LDtk's drawing order. ``is_plain`` is True for each tile that is opaque and on the
    grid. ``cells`` contains the index of each tile's cell. Cells are numbered row by row. Each
    layer draws its tiles in the order of their cells. ``side`` is the side length of a tile in
    pixels.
    """
    crowded = ~is_plain | (side > cell_size) | _touched(positions, is_plain, cell_size, side)
    stack = _Stack(max(cell_size, side), side)
    chosen = np.flatnonzero(crowded)
    columns = (chosen, *positions[chosen].T, cells[chosen], is_plain[chosen])
    for values in zip(*(column.tolist() for column in columns), strict=True):
        stack.add(_Tile(*values))
    return _with_lone_tiles(stack.layers, cells, np.flatnonzero(~crowded))


def _with_lone_tiles(layers: list[StackLayer], cells: Rows, lone: Rows) -> list[tuple[bool, Rows]]:
    """Add the tiles that do not overlap tiles of other cells. The lowest tile of each cell is added
    to the first plain layer, the second tile of each cell to the second plain layer, and so on. For
    the returned list, see `stacked`.
    """
    order, counts = by_height(cells[lone])
    plain = [layer for layer in layers if not layer.is_shifted]
    new = [StackLayer(False) for _ in range(len(counts) - len(plain))]
    layers += new
    plain += new
    tiles = {id(layer): [np.array(layer.tiles, np.intp)] for layer in layers}
    lone_by_height = np.split(lone[order], np.cumsum(counts)[:-1])
    for layer, tiles_of_height in zip(plain, lone_by_height, strict=False):
        tiles[id(layer)].append(tiles_of_height)
    return [(layer.is_shifted, np.concatenate(tiles[id(layer)])) for layer in layers]


def by_height(cell: Rows) -> tuple[Rows, Rows]:
    """Sort tiles by their height, which is the number of tiles below them in the same cell. The
    lowest tile of each cell comes first, then the second tile of each cell, and so on.

    Return the sorted tile indices, and the number of tiles at each height. Without any tiles, the
    second array is a single 0.
    """
    order = np.argsort(cell, kind="stable")
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    heights = np.empty(len(cell), np.intp)
    heights[order] = np.arange(len(cell)) - np.repeat(first, np.diff(first, append=len(cell)))
    return np.argsort(heights, kind="stable"), np.bincount(heights, minlength=1)


def _touched(positions: Positions, is_plain: Mask, cell_size: int, side: int) -> Mask:
    """For each tile, return whether its cell overlaps a tile of a shifted layer: bools (n,)."""
    shifted = positions[~is_plain]
    low = shifted // cell_size
    high = (shifted + side - 1) // cell_size
    corners = np.concatenate(
        [low, high, np.stack([low[:, 0], high[:, 1]], 1), np.stack([high[:, 0], low[:, 1]], 1)]
    )
    touched: Mask = np.isin(_keys(positions // cell_size), _keys(corners))
    return touched


def _keys(cells: Positions) -> Positions:
    """Return a different number for each cell. This works because positions are below 2^31."""
    return cells[:, 0] * (1 << 32) + cells[:, 1]
