"""Tile stacks: split the tiles of an LDtk layer into several layers with one tile per cell.

In LDtk, a cell may contain several tiles, a tile may have any position in pixels, and each tile has
an alpha. LDtk draws the tiles of a layer in the order of the file. In the new layers, overlapping
tiles are drawn in the same order. There are two kinds of new layers: plain layers and shifted
layers. A plain layer contains only opaque tiles that are on the grid. In a shifted layer, each cell
has a shift in pixels and an alpha.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..arrays import Mask, Rows

# The maximum number of comparisons of two tiles in one layer. This number of comparisons takes half
# a second. All later tiles are no longer compared: each of them is drawn above all earlier tiles.
_MAX_COMPARISONS = 1 << 20

Positions = NDArray[np.int64]


@dataclass(eq=False, slots=True)
class StackLayer:
    """One layer of a stack: its kind (shifted or plain), and its tiles."""

    is_shifted: bool
    tiles: list[int] = field(default_factory=list)
    """The indices of the tiles."""
    cells: set[int] = field(default_factory=set)
    """The cells of all tiles that may overlap tiles of other cells."""
    last: int = -1
    """The cell in `cells` that is drawn last."""


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
    layers = _distributed(
        positions, is_plain, cells, np.flatnonzero(crowded), max(cell_size, side), side
    )
    lone = np.flatnonzero(~crowded)
    order, counts = by_height(cells[lone])
    plain = [layer for layer in layers if not layer.is_shifted]
    for _ in range(len(counts) - len(plain)):
        layers.append(StackLayer(False))
        plain.append(layers[-1])
    groups = np.split(lone[order], np.cumsum(counts)[:-1])
    lone_tiles = {id(layer): group for layer, group in zip(plain, groups, strict=False)}
    none = np.empty(0, np.intp)
    return [
        (
            layer.is_shifted,
            np.concatenate([np.array(layer.tiles, np.intp), lone_tiles.get(id(layer), none)]),
        )
        for layer in layers
    ]


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


def _distributed(
    positions: Positions, is_plain: Mask, cells: Rows, tiles: Rows, square: int, side: int
) -> list[StackLayer]:
    """Split tiles that may overlap tiles of other cells into layers. To find overlapping tiles
    quickly, the map is divided into squares. ``square`` is the side length of these squares in
    pixels.
    """
    layers = [StackLayer(False)]
    # A dict from squares of the 2D world to the tiles that touch the square. The tiles of a square
    # are a dict from positions to the highest layer and the cell.
    squares: dict[tuple[int, int], dict[tuple[int, int], tuple[int, int]]] = {}
    remaining = _MAX_COMPARISONS
    corners: list[list[int]] = positions[tiles].tolist()
    for tile, (x, y), cell, plain in zip(
        tiles.tolist(), corners, cells[tiles].tolist(), is_plain[tiles].tolist(), strict=True
    ):
        lowest = 0
        touched = [
            squares.setdefault((column, row), {})
            for column in range(x // square, (x + side - 1) // square + 1)
            for row in range(y // square, (y + side - 1) // square + 1)
        ]
        remaining -= sum(map(len, touched))
        if remaining < 0:
            top = layers[-1]
            lowest = len(layers) - (top.is_shifted != plain and top.last < cell)
        for near in touched if remaining >= 0 else ():
            for (other_x, other_y), (number, other_cell) in near.items():
                if number >= lowest and abs(other_x - x) < side and abs(other_y - y) < side:
                    shares = layers[number].is_shifted != plain and other_cell < cell
                    lowest = max(lowest, number + (not shares))
        while lowest < len(layers) and (
            layers[lowest].is_shifted == plain or cell in layers[lowest].cells
        ):
            lowest += 1
        if lowest == len(layers):
            layers.append(StackLayer(not plain))
        layer = layers[lowest]
        layer.tiles.append(tile)
        layer.cells.add(cell)
        layer.last = max(layer.last, cell)
        for near in touched:
            near[x, y] = lowest, cell
    return layers
