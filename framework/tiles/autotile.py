"""Autotiling: which tiles of a wang set belong where, by what is beside each cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from .tiles import Gids, WangSet

# The eight neighbours, (row, column), in the order of a wang set's sides: from the top, clockwise.
_SIDES = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))
_USED = {"edge": slice(0, 8, 2), "corner": slice(1, 8, 2), "mixed": slice(0, 8)}
_BLOCK = 1 << 20  # comparisons at a time


def autotile(mask: ArrayLike, wang_set: WangSet, first_gid: int = 1) -> Gids:
    """Tiles (h, w) for a ``mask`` (h, w) of cells, row 0 at the top, for the ``tiles`` of a layer.

    ``mask`` has the number of a colour for each cell, from 1 on as in ``wang_set.colors``, and 0
    for none; of bools, True is colour 1. ``first_gid`` is that of the wang set's tileset. Cells
    without a colour get no tile: 0.

    The side of a cell has the lowest number among the cells that share it: two at an edge, four at
    a corner. So a colour gives way to those below it, and to nothing. Beyond the border it goes on
    as at the border. Of a wang set's tiles the first is taken that has all these colours: at edges,
    at corners, or (in a mixed set) at both. Where there is none, the transition is missing: then
    the one that differs in the fewest sides is taken, of several the first.

    Raises `ValueError` and `TypeError` for a mask of another kind, and for a wang set without
    tiles.
    """
    checks.instance("wang_set", wang_set, WangSet)
    first_gid = checks.whole("first_gid", first_gid, 1)
    colors = _colors(mask, len(wang_set.colors))
    if not len(wang_set.ids):
        raise ValueError(f"wang_set: {wang_set.name!r} has no tiles")
    used = _USED[wang_set.kind]
    # Eight sides are one number, by which cells that want the same are found.
    wanted, where = np.unique(_wanted(colors, used).view(np.uint64), return_inverse=True)
    tiles = (
        wang_set.ids[_nearest(wanted[:, None].view(np.uint8)[:, used], wang_set.sides[:, used])]
        + first_gid
    )
    made: Gids = np.where(colors > 0, tiles[where.reshape(colors.shape)], 0).astype(np.uint32)
    return made


def _colors(mask: ArrayLike, most: int) -> NDArray[np.uint8]:
    array = np.asarray(mask)
    if array.dtype == bool:
        array = array.astype(np.uint8)
    if array.dtype.kind not in "iu":
        raise checks.wrong_type("mask", "bools or numbers of colours (h, w)", mask)
    if array.ndim != 2 or (array.size and (array.min() < 0 or array.max() > most)):
        raise checks.wrong_value(
            "mask", f"bools (h, w), or numbers of colours from 0 to {most}", mask
        )
    return array.astype(np.uint8)


def _wanted(colors: NDArray[np.uint8], used: slice) -> NDArray[np.uint8]:
    """The colours that the sides of each cell are to have: (h, w, 8), 0 where they are not used."""
    height, width = colors.shape
    around = (
        np.pad(colors, 1, mode="edge")
        if colors.size
        else np.zeros((height + 2, width + 2), np.uint8)
    )
    wanted = np.zeros((height, width, 8), np.uint8)
    for side in range(8)[used]:
        down, right = _SIDES[side]
        cells = {(0, 0), (down, right), (down, 0), (0, right)}
        wanted[..., side] = np.minimum.reduce(
            [around[1 + y : 1 + y + height, 1 + x : 1 + x + width] for y, x in cells]
        )
    return wanted


def _nearest(wanted: NDArray[np.uint8], sides: NDArray[np.uint8]) -> NDArray[np.intp]:
    """For each of (n, k), the first of (m, k) that differs in the fewest places: (n,)."""
    found = np.empty(len(wanted), np.intp)
    step = max(_BLOCK // sides.size, 1)
    for start in range(0, len(wanted), step):
        some = slice(start, start + step)
        found[some] = (wanted[some, None] != sides).sum(-1).argmin(-1)
    return found
