"""Penetration: find moves that would push a body deeper into tiles or boxes that it already
overlaps.

A body inside a box, or inside a row of adjacent solid tiles, can leave through four sides. The
distances from the body to these four sides are called *exits*. A move leads deeper if it goes away
from the side with the shortest exit. Moves along the other axis do not lead deeper, so a body with
its feet in the floor can walk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows

# A run is a row of solid tiles. The search for the end of a run stops after this number of tiles.
# For a body that is farther inside, there is no exit, and the edges of the tiles around it stop it.
MAX_RUN = 64

_BEHIND, _AHEAD, _LOWER, _UPPER = range(4)


def deeper_into_tiles(
    solid: Mask,
    axis: int,
    sign: Doubles,
    ranges: tuple[tuple[Rows, Rows], tuple[Rows, Rows]],
    spans: tuple[tuple[Doubles, Doubles], tuple[Doubles, Doubles]],
    origin: tuple[float, float],
    pitch: tuple[float, float],
) -> Mask:
    """For each body, return whether a move would lead deeper into solid tiles. The result is a bool
    array of shape (n,). All bodies move along ``axis``. The direction ``sign``, of shape (n,), is 1
    or -1 for each body.

    ``ranges`` contains the tiles that each body covers, for x and for y. A range consists of two
    numbers: the first tile, and the tile after the last tile. Tiles are counted from the left and
    from the bottom. ``spans`` contains the lower and upper edges of the bodies, for x and for y.
    """
    body, tiles = _solid_tiles(solid, ranges)
    deeper = np.zeros(len(sign), bool)
    if not len(body):
        return deeper
    along = tiles[axis]
    across = tiles[1 - axis]
    signs = sign[body]
    forward = signs > 0
    edges = [
        (origin[each] + tiles[each] * pitch[each], origin[each] + (tiles[each] + 1) * pitch[each])
        for each in (0, 1)
    ]
    low, high = (edge[body] for edge in spans[axis])
    to_low = high - edges[axis][0]
    to_high = edges[axis][1] - low
    exits = np.empty((4, len(body)))
    exits[_BEHIND] = np.where(forward, to_low, to_high)
    exits[_AHEAD] = np.where(forward, to_high, to_low)
    exits[_LOWER] = spans[1 - axis][1][body] - edges[1 - axis][0]
    exits[_UPPER] = edges[1 - axis][1] - spans[1 - axis][0][body]
    steps = np.zeros((4, 2, len(body)), np.intp)
    steps[_BEHIND, axis] = -signs
    steps[_AHEAD, axis] = signs
    steps[_LOWER, 1 - axis] = -1
    steps[_UPPER, 1 - axis] = 1
    _extend(solid, exits, tiles, steps, pitch, axis)
    # The tiles of a run are neighbors along the axis of the move. Only the whole run determines
    # where a body can leave it to the side.
    order = np.lexsort((along, across, body))
    starts = np.ones(len(body), bool)
    starts[1:] = (
        (np.diff(body[order]) != 0) | (np.diff(across[order]) != 0) | (np.diff(along[order]) != 1)
    )
    first = np.flatnonzero(starts)
    run = np.cumsum(starts) - 1
    sides: Doubles = np.minimum(exits[_LOWER], exits[_UPPER])[order]
    nearest_side = np.minimum.reduceat(sides, first)[run]
    behind = exits[_BEHIND][order]
    blocked: Mask = (behind < exits[_AHEAD][order]) & (behind <= nearest_side)
    deeper[body[order][blocked]] = True
    return deeper


def _solid_tiles(
    solid: Mask, ranges: tuple[tuple[Rows, Rows], tuple[Rows, Rows]]
) -> tuple[Rows, tuple[Rows, Rows]]:
    """Return the solid tiles that the bodies cover. The function returns three arrays: the index of
    the body, the column and the row of each tile. Columns are counted from the left, rows from the
    bottom.
    """
    (left, right), (bottom, top) = ranges
    width = np.maximum(right - left, 0)
    counts = width * np.maximum(top - bottom, 0)
    body = np.repeat(np.arange(len(counts)), counts)
    number: Rows = np.arange(len(body)) - np.repeat(np.cumsum(counts) - counts, counts)
    row, column = np.divmod(number, np.maximum(width[body], 1))
    x: Rows = left[body] + column
    y: Rows = bottom[body] + row
    is_solid = solid[len(solid) - 1 - y, x]
    return body[is_solid], (x[is_solid], y[is_solid])


def _extend(
    solid: Mask,
    exits: Doubles,
    tiles: tuple[Rows, Rows],
    steps: NDArray[np.intp],
    pitch: tuple[float, float],
    axis: int,
) -> None:
    """Make the exits of each tile longer if the next tile in the same direction is also solid.
    ``exits``, of shape (4, n), contains the four exits of each tile: the distances from the body to
    the sides. The function changes ``exits`` in place.

    For each tile, all exits except the shortest exit become infinite. ``steps``, of shape
    (4, 2, n), contains the steps along x and y to the next tile, for each of the four directions.
    """
    height, width = solid.shape
    length = np.array([pitch[axis], pitch[axis], pitch[1 - axis], pitch[1 - axis]])[:, None]
    ended = np.zeros(exits.shape, bool)
    x = tiles[0] + steps[:, 0]
    y = tiles[1] + steps[:, 1]
    for _ in range(MAX_RUN):
        nearest = np.where(ended, exits, np.inf).min(axis=0)
        searched = ~ended & (exits <= nearest)
        if not searched.any():
            break
        within = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        follows = within & solid[height - 1 - np.where(within, y, 0), np.where(within, x, 0)]
        ended |= searched & ~follows
        longer = searched & follows
        exits += longer * length
        x += longer * steps[:, 0]
        y += longer * steps[:, 1]
    exits[~ended] = np.inf


def deeper_into_boxes(
    axis: int,
    sign: Doubles,
    body: Rows,
    low: tuple[Doubles, Doubles],
    high: tuple[Doubles, Doubles],
    spans: tuple[tuple[Doubles, Doubles], tuple[Doubles, Doubles]],
) -> Mask:
    """For each pair of a body and a box, return whether a move would lead the body deeper into the
    box. The result is a bool array of shape (m,). All bodies move along ``axis``. The direction
    ``sign`` is 1 or -1 for each pair.

    ``body`` contains the row of the body, for each pair. ``low`` and ``high`` contain the edges of
    the boxes. ``spans`` contains the lower and upper edges of the bodies, for x and for y.
    """
    exits = np.stack(
        [
            spans[axis][1] - low[axis],
            high[axis] - spans[axis][0],
            spans[1 - axis][1] - low[1 - axis],
            high[1 - axis] - spans[1 - axis][0],
        ]
    )
    # An exit is allowed only if it does not lead the body deeper into another box. Without this
    # rule, a small body between two boxes would leave one box through the other.
    first, second = _pairs_of_pairs(body)
    for number, (other_axis, direction) in enumerate(
        [(axis, -1.0), (axis, 1.0), (1 - axis, -1.0), (1 - axis, 1.0)]
    ):
        moved = [[spans[each][end][second] for end in (0, 1)] for each in (0, 1)]
        distance: Doubles = direction * exits[number][first]
        moved[other_axis] = [edge + distance for edge in moved[other_axis]]
        after = _depth(moved, low, high, second)
        before = _depth(
            [[spans[each][end][second] for end in (0, 1)] for each in (0, 1)], low, high, second
        )
        exits[number][first[after > before]] = np.inf
    forward = sign > 0
    behind: Doubles = np.where(forward, exits[0], exits[1])
    ahead: Doubles = np.where(forward, exits[1], exits[0])
    deeper: Mask = (behind < ahead) & (behind <= np.minimum(exits[2], exits[3]))
    return deeper


def _depth(
    edges: list[list[Doubles]],
    low: tuple[Doubles, Doubles],
    high: tuple[Doubles, Doubles],
    rows: Rows,
) -> Doubles:
    """Return the distance from each body to the nearest side through which it can leave its box.
    The distance is 0 for a body outside its box.
    """
    distances = [edges[axis][1] - low[axis][rows] for axis in (0, 1)]
    distances += [high[axis][rows] - edges[axis][0] for axis in (0, 1)]
    depth: Doubles = np.maximum(np.minimum.reduce(distances), 0.0)
    return depth


def _pairs_of_pairs(body: Rows) -> tuple[Rows, Rows]:
    """Find all combinations of two different pairs with the same body, in both orders. For each
    combination, return the index of its first pair and the index of its second pair.
    """
    order = np.argsort(body, kind="stable")
    starts = np.flatnonzero(np.diff(body[order], prepend=-1))
    counts = np.diff(starts, append=len(body))
    group = np.repeat(np.arange(len(starts)), counts)
    size = counts[group]
    first = np.repeat(np.arange(len(body)), size)
    offset = np.arange(len(first)) - np.repeat(np.cumsum(size) - size, size)
    second = starts[group][first] + offset
    different = first != second
    return order[first[different]], order[second[different]]
