"""Choose the tile of each cell by its neighbors (autotiling), with the terrains of Tiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .map_data import Gids, WangSet

# The offsets (row, column) to the eight neighbors of a cell, clockwise from the top. A wang set,
# Tiled's terrain rules, lists the sides of a tile in the same order.
_SIDES = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
# The sides that each kind of wang set compares.
_USED = {"edge": slice(0, 8, 2), "corner": slice(1, 8, 2), "mixed": slice(0, 8)}
_BLOCK = 1 << 20  # maximum number of comparisons in one NumPy call, to limit memory


def autotile(mask: ArrayLike, wang_set: WangSet, first_gid: int = 1) -> Gids:
    """Return a tile number for each cell in ``mask``. ``mask`` and the returned array have the
    shape (h, w). In both arrays, row 0 is at the top.

    You can assign the returned array to the ``tiles`` of a layer. ``mask`` contains a color number
    for each cell. 1 is the first color of ``wang_set.colors``, and 0 means no color. In an array of
    bools, True means the color number 1. ``first_gid`` is the first tile number of the tileset that
    contains the wang set. Cells without a color get the tile number 0 (no tile).

    Each edge of a tile is the border between two cells. Its color number is the lower of the two
    cells' color numbers. At each corner of a tile, four cells meet. The corner's color number is
    the lowest of the four cells' color numbers. At the border between two colors, tiles therefore
    show the color with the lower number. Next to an empty cell, a tile shows no color (0). Cells
    outside the mask are treated like the nearest cell inside. For each cell, the first tile with
    the right colors is chosen. Only colors that the wang set defines are compared: edge colors,
    corner colors, or both (in a mixed set). If no tile has all the right colors, the first tile
    with the fewest wrong colors is chosen.

    Raises `ValueError` or `TypeError` for an invalid mask, and for a wang set without tiles.
    """
    checks.instance("wang_set", wang_set, WangSet)
    first_gid = checks.whole("first_gid", first_gid, 1)
    colors = _colors(mask, len(wang_set.colors))
    if not len(wang_set.ids):
        raise ValueError(f"wang_set: {wang_set.name!r} has no tiles")
    used = _USED[wang_set.kind]
    # Eight sides are packed into one number, so that equal cells have equal numbers.
    needed, inverse = np.unique(_needed_sides(colors, used).view(np.uint64), return_inverse=True)
    tiles = (
        wang_set.ids[_nearest(needed[:, None].view(np.uint8)[:, used], wang_set.sides[:, used])]
        + first_gid
    )
    result: Gids = np.where(colors > 0, tiles[inverse.reshape(colors.shape)], 0).astype(np.uint32)
    return result


def _colors(mask: ArrayLike, max_color: int) -> NDArray[np.uint8]:
    array = np.asarray(mask)
    if array.dtype == bool:
        array = array.astype(np.uint8)
    if array.dtype.kind not in "iu":
        raise checks.wrong_type("mask", "bools or numbers of colors (h, w)", mask)
    if array.ndim != 2 or (array.size and (array.min() < 0 or array.max() > max_color)):
        raise checks.wrong_value(
            "mask", f"bools (h, w), or numbers of colors from 0 to {max_color}", mask
        )
    return array.astype(np.uint8)


def _needed_sides(colors: NDArray[np.uint8], used: slice) -> NDArray[np.uint8]:
    """For each cell, return the colors that its tile must have at its four edges and four corners.
    Return an array of shape (h, w, 8). If the wang set has no edge colors, the four edge numbers
    are 0. If the wang set has no corner colors, the four corner numbers are 0.
    """
    height, width = colors.shape
    around = (
        np.pad(colors, 1, mode="edge")
        if colors.size
        else np.zeros((height + 2, width + 2), np.uint8)
    )
    needed = np.zeros((height, width, 8), np.uint8)
    for side in range(8)[used]:
        down, right = _SIDES[side]
        cells = {(0, 0), (down, right), (down, 0), (0, right)}
        needed[..., side] = np.minimum.reduce(
            [around[1 + y : 1 + y + height, 1 + x : 1 + x + width] for y, x in cells]
        )
    return needed


def _nearest(needed: NDArray[np.uint8], sides: NDArray[np.uint8]) -> NDArray[np.intp]:
    """For each row of ``needed``, return the index of the best tile, as an array of shape (n,).

    ``needed`` has the shape (n, k). A row of ``needed`` contains the colors that a tile must have
    at its edges and corners. ``sides`` has the shape (m, k). A row of ``sides`` contains the edge
    and corner colors of one of the m tiles. The best tile is the tile with the fewest wrong colors.
    If several tiles are equally good, the first is chosen.
    """
    nearest = np.empty(len(needed), np.intp)
    step = max(_BLOCK // sides.size, 1)
    for start in range(0, len(needed), step):
        block = slice(start, start + step)
        nearest[block] = (needed[block, None] != sides).sum(-1).argmin(-1)
    return nearest
