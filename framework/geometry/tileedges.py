"""The sides of solid tiles that are open, as few and as long as they can be: what rolls along them
meets no seams.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask, Rows
from .tilegrid import Tiles


def edges(tiles: Tiles) -> Doubles:
    """The sides between solid tiles and others, merged: start and end of each, in units, (m, 2, 2).

    What is solid is on the left of the way from start to end.
    """
    solid = np.pad(tiles.solid, 1)[::-1]  # y up
    found: list[Doubles] = []
    # Of a tile whose neighbour is open: below, to the right, above, to the left.
    for axis, shift, reverse in ((0, 1, False), (1, -1, False), (0, -1, True), (1, 1, True)):
        open_sides = solid & ~np.roll(solid, shift, axis=axis)
        lines = open_sides if axis == 0 else open_sides.T
        line, start, end = _runs(lines)
        across = line + (shift == -1)
        first = np.column_stack([start, across] if axis == 0 else [across, start])
        last = np.column_stack([end, across] if axis == 0 else [across, end])
        found.append(
            np.stack([last, first] if reverse else [first, last], axis=1).astype(np.float64)
        )
    corners = np.concatenate(found) - 1
    placed: Doubles = np.asarray(tiles.position, np.float64) + corners * np.asarray(
        tiles.tile_size, np.float64
    )
    return placed


def tops(tiles: Tiles) -> Doubles:
    """The upper sides of tiles that hold in one way only, merged: their left and right ends, in
    units, (m, 2, 2).
    """
    one_way: Mask | None = getattr(tiles, "one_way", None)
    if one_way is None:
        return np.empty((0, 2, 2))
    line, start, end = _runs((one_way & ~tiles.solid)[::-1])
    corners = np.stack(
        [np.column_stack([start, line + 1]), np.column_stack([end, line + 1])], axis=1
    )
    placed: Doubles = np.asarray(tiles.position, np.float64) + corners * np.asarray(
        tiles.tile_size, np.float64
    )
    return placed


def rectangles(tiles: Tiles) -> Doubles:
    """Solid tiles as few boxes, found greedily: left, bottom, right and top of each, in units (m,
    4).
    """
    left_over = tiles.solid[::-1].copy()
    found: list[tuple[int, int, int, int]] = []
    height, width = left_over.shape
    for row in range(height):
        _, starts, ends = _runs(left_over[row : row + 1])
        spans: list[list[int]] = np.column_stack([starts, ends]).tolist()
        for start, end in spans:
            top = row + 1
            while (
                top < height
                and left_over[top, start:end].all()
                and not _wider(left_over[top], start, end, width)
            ):
                left_over[top, start:end] = False
                top += 1
            found.append((start, row, end, top))
    corners = np.array(found, np.float64).reshape(-1, 4)
    position, size = np.asarray(tiles.position, np.float64), np.asarray(tiles.tile_size, np.float64)
    placed: Doubles = np.tile(position, 2) + corners * np.tile(size, 2)
    return placed


def ramps(tiles: Tiles) -> list[Doubles]:
    """What is below the ground of slopes, a polygon (k, 2) for each such tile, in units,
    counter-clockwise.
    """
    slopes: Doubles | None = getattr(tiles, "slopes", None)
    if slopes is None:
        return []
    (left, bottom), (wide, high) = tiles.position, tiles.tile_size
    found = []
    sloped: list[list[int]] = np.argwhere(slopes.any(axis=2)).tolist()
    for row, column in sloped:
        x, y = left + column * wide, bottom + (len(slopes) - 1 - row) * high
        ends: list[float] = (slopes[row, column] * high).tolist()
        corners = [(x, y), (x + wide, y), (x + wide, y + ends[1]), (x, y + ends[0])]
        found.append(np.array(list(dict.fromkeys(corners))))
    return found


def _wider(line: Mask, start: int, end: int, width: int) -> bool:
    """Whether a run of solid tiles goes on beyond these: it is left for a box of its own."""
    return bool((start > 0 and line[start - 1]) or (end < width and line[end]))


def _runs(lines: Mask) -> tuple[Rows, Rows, Rows]:
    """Runs of what is true along lines: which line, from where, to before where."""
    steps = np.diff(np.pad(lines.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    line, start = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    return line.astype(np.intp), start.astype(np.intp), end.astype(np.intp)
