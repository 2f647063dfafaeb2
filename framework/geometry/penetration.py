"""Find moves that would push a body deeper into tiles or boxes that it already overlaps.

A body inside a box, or inside a row of adjacent solid tiles, can leave it through four sides. The
distances from the body to these sides are called *exits*. A move leads deeper if it goes away from
the side with the shortest exit. Moves along the other axis do not lead deeper, so a body whose feet
are in the floor can still walk.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows, repeated_rows

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
    """For each body, return whether a move along ``axis`` would lead deeper into solid tiles. The
    result is a bool array of shape (n,). ``sign``, of shape (n,), is the direction of each body's
    move: 1 or -1.

    ``ranges`` contains the tiles that each body covers, for x and for y. A range consists of two
    numbers: the first tile, and the tile after the last tile. Tiles are counted from the left and
    from the bottom. ``spans`` contains the lower and upper edges of the bodies, for x and for y.
    """
    body, tiles = _solid_tiles(solid, ranges)
    deeper = np.zeros(len(sign), bool)
    if not len(body):
        return deeper
    side = 1 - axis
    to_low = [spans[each][1][body] - (origin[each] + tiles[each] * pitch[each]) for each in (0, 1)]
    to_high = [
        origin[each] + (tiles[each] + 1) * pitch[each] - spans[each][0][body] for each in (0, 1)
    ]
    signs = sign[body]
    exits = np.empty((4, len(body)))
    exits[_BEHIND] = np.where(signs > 0, to_low[axis], to_high[axis])
    exits[_AHEAD] = np.where(signs > 0, to_high[axis], to_low[axis])
    exits[_LOWER] = to_low[side]
    exits[_UPPER] = to_high[side]
    _extend(solid, exits, tiles, _steps_outward(axis, signs), pitch, axis)
    # The tiles of a run are neighbors along the axis of the move. Only the whole run determines
    # where a body can leave it to the side.
    nearest_side = _min_per_run(
        np.minimum(exits[_LOWER], exits[_UPPER]), body, tiles[side], tiles[axis]
    )
    behind = exits[_BEHIND]
    blocked: Mask = (behind < exits[_AHEAD]) & (behind <= nearest_side)
    deeper[body[blocked]] = True
    return deeper


def _steps_outward(axis: int, sign: Doubles) -> NDArray[np.intp]:
    """Return the steps along x and y towards each of the four exits, as an array of shape
    (4, 2, n). The move is along ``axis``, in the direction ``sign``.
    """
    steps = np.zeros((4, 2, len(sign)), np.intp)
    steps[_BEHIND, axis] = -sign
    steps[_AHEAD, axis] = sign
    steps[_LOWER, 1 - axis] = -1
    steps[_UPPER, 1 - axis] = 1
    return steps


def _min_per_run(values: Doubles, body: Rows, line: Rows, position: Rows) -> Doubles:
    """For each tile, return the lowest of the values in its run. The tiles of a run belong to the
    same body and the same line, and have adjacent positions on this line.
    """
    order = np.lexsort((position, line, body))
    starts = np.ones(len(order), bool)
    starts[1:] = (
        (np.diff(body[order]) != 0) | (np.diff(line[order]) != 0) | (np.diff(position[order]) != 1)
    )
    run = np.cumsum(starts) - 1
    minima = np.empty(len(order))
    minima[order] = np.minimum.reduceat(values[order], np.flatnonzero(starts))[run]
    return minima


def _solid_tiles(
    solid: Mask, ranges: tuple[tuple[Rows, Rows], tuple[Rows, Rows]]
) -> tuple[Rows, tuple[Rows, Rows]]:
    """Return the solid tiles that the bodies cover. The function returns three arrays: the index of
    the body, the column and the row of each tile. Columns are counted from the left, rows from the
    bottom.
    """
    (left, right), (bottom, top) = ranges
    width = np.maximum(right - left, 0)
    body, number = repeated_rows(width * np.maximum(top - bottom, 0))
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
    """For each pair of a body and a box, return whether a move along ``axis`` would lead the body
    deeper into the box. The result is a bool array of shape (m,). ``sign`` is the direction of the
    move for each pair: 1 or -1.

    ``body`` contains the row of the body, for each pair. ``low`` and ``high`` contain the edges of
    the boxes. ``spans`` contains the lower and upper edges of the bodies, for x and for y.
    """
    directions = [(axis, -1.0), (axis, 1.0), (1 - axis, -1.0), (1 - axis, 1.0)]
    exits = np.stack(
        [
            spans[each][1] - low[each] if direction < 0 else high[each] - spans[each][0]
            for each, direction in directions
        ]
    )
    # An exit is allowed only if it does not lead the body deeper into another box. Without this
    # rule, a small body between two boxes would leave one box through the other.
    first, second = _pairs_of_pairs(body)
    edges = [[edge[second] for edge in spans[each]] for each in (0, 1)]
    depth_before = _depth(edges, low, high, second)
    for exit_distances, (exit_axis, direction) in zip(exits, directions, strict=True):
        moved = edges.copy()
        moved[exit_axis] = [edge + direction * exit_distances[first] for edge in edges[exit_axis]]
        depth_after = _depth(moved, low, high, second)
        exit_distances[first[depth_after > depth_before]] = np.inf
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
    combination, return the indices of its first and its second pair.
    """
    order = np.argsort(body, kind="stable")
    starts = np.flatnonzero(np.diff(body[order], prepend=-1))
    counts = np.diff(starts, append=len(body))
    group, _ = repeated_rows(counts)
    first, number = repeated_rows(counts[group])
    second = starts[group][first] + number
    different = first != second
    return order[first[different]], order[second[different]]
