"""Tile edges: the outlines of solid tiles, merged to long sides, and large boxes that cover the
tiles.

A body that rolls along merged edges does not get stuck at the borders between tiles.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Doubles, Mask, Rows
from .tilegrid import Tiles


def edges(tiles: Tiles) -> Doubles:
    """Return the sides between solid tiles and tiles that are not solid, in units. Sides on one
    line are merged. The result is an array (m, 2, 2).

    Each side in the result has a start and an end. Solid tiles are on the left of the direction
    from start to end.
    """
    solid = np.pad(tiles.solid, 1)[::-1]  # y up
    pieces: list[Doubles] = []
    # The side of a tile whose neighbor is free: below, right, above, left.
    for axis, shift, reverse in ((0, 1, False), (1, -1, False), (0, -1, True), (1, 1, True)):
        open_sides = solid & ~np.roll(solid, shift, axis=axis)
        lines = open_sides if axis == 0 else open_sides.T
        line, start, end = _runs(lines)
        across = line + (shift == -1)
        first = np.column_stack([start, across] if axis == 0 else [across, start])
        last = np.column_stack([end, across] if axis == 0 else [across, end])
        pieces.append(
            np.stack([last, first] if reverse else [first, last], axis=1).astype(np.float64)
        )
    corners = np.concatenate(pieces) - 1
    placed: Doubles = np.asarray(tiles.position, np.float64) + corners * np.asarray(
        tiles.tile_size, np.float64
    )
    return placed


def outline(tiles: Tiles) -> Doubles:
    """Return the sides of solid and sloped tiles, in units. Parts that a neighboring tile covers
    are left out. The result is an array (m, 2, 2).

    Sides of solid tiles are merged, as in `edges`. The ground is on the left of the direction from
    start to end.
    """
    slopes: Doubles | None = getattr(tiles, "slopes", None)
    if slopes is None or not slopes.any():
        return edges(tiles)
    solid = np.pad(tiles.solid, 1)[::-1]  # y up
    heights = np.pad(slopes, ((1, 1), (1, 1), (0, 0)))[::-1] + solid[..., None]
    ground = heights.any(axis=2)
    lines = [
        *_level_sides(solid & ~np.roll(ground, -1, axis=0), 1),
        *_level_sides(ground & ~np.roll(solid, 1, axis=0), 0),
        *_upright_sides(heights),
        *_slopes(heights * (ground & ~solid)[..., None]),
    ]
    corners = np.array(lines, np.float64).reshape(-1, 2, 2) - 1
    placed: Doubles = np.asarray(tiles.position, np.float64) + corners * np.asarray(
        tiles.tile_size, np.float64
    )
    return placed


_Lines = list[tuple[tuple[float, float], tuple[float, float]]]


def _level_sides(open_sides: Mask, above: int) -> _Lines:
    """Return the merged lower sides of tiles if ``above`` is 0, or the merged upper sides if
    ``above`` is 1. The positions are in tiles.
    """
    runs: list[list[int]] = np.column_stack(_runs(open_sides)).tolist()
    if above:
        return [((end, row + 1), (start, row + 1)) for row, start, end in runs]
    return [((start, row), (end, row)) for row, start, end in runs]


def _upright_sides(heights: Doubles) -> _Lines:
    """Return the left and right sides of tiles. Positions are in tiles. Sides that are a whole tile
    high are merged.

    ``heights`` (h, w, 2) are the heights of the ground at the left and the right edge of each tile.
    """
    left = heights[:, :-1, 1]
    right = heights[:, 1:, 0]
    lines: _Lines = []
    for first, second, sign in ((left, right, 1), (right, left, -1)):
        whole = (first == 1) & (second == 0)
        runs: list[list[int]] = np.column_stack(_runs(whole.T)).tolist()
        spans = [(column + 1, float(start), float(end)) for column, start, end in runs]
        parts = (first > second) & ~whole
        cells: list[list[int]] = np.argwhere(parts).tolist()
        spans += [
            (column + 1, row + float(second[row, column]), row + float(first[row, column]))
            for row, column in cells
        ]
        for x, low, high in spans:
            bottom, top = (float(x), low), (float(x), high)
            lines.append((bottom, top) if sign > 0 else (top, bottom))
    return lines


def _slopes(heights: Doubles) -> _Lines:
    """Return the sloped side of each sloped tile. Positions are in tiles."""
    cells: list[list[int]] = np.argwhere(heights.any(axis=2)).tolist()
    return [
        (
            (column + 1, row + float(heights[row, column, 1])),
            (column, row + float(heights[row, column, 0])),
        )
        for row, column in cells
    ]


def tops(tiles: Tiles) -> Doubles:
    """Return the upper sides of one-way tiles, in units. Sides on one line are merged. The array
    (m, 2, 2) has the left and the right end of each side.
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
    """Return a few large boxes that cover all solid tiles, in units. Each row of the array (m, 4)
    is left, bottom, right and top.

    Each box is first made as wide as possible, then as high as possible. So there may be more boxes
    than necessary.
    """
    remaining = tiles.solid[::-1].copy()
    boxes: list[tuple[int, int, int, int]] = []
    height, width = remaining.shape
    for row in range(height):
        _, starts, ends = _runs(remaining[row : row + 1])
        spans: list[list[int]] = np.column_stack([starts, ends]).tolist()
        for start, end in spans:
            top = row + 1
            while (
                top < height
                and remaining[top, start:end].all()
                and not _wider(remaining[top], start, end, width)
            ):
                remaining[top, start:end] = False
                top += 1
            boxes.append((start, row, end, top))
    corners = np.array(boxes, np.float64).reshape(-1, 4)
    position = np.asarray(tiles.position, np.float64)
    size = np.asarray(tiles.tile_size, np.float64)
    placed: Doubles = np.tile(position, 2) + corners * np.tile(size, 2)
    return placed


def ramps(tiles: Tiles) -> list[Doubles]:
    """Return the ground of each sloped tile as a polygon (k, 2), in units. The corners of a ramp
    are counter-clockwise.
    """
    slopes: Doubles | None = getattr(tiles, "slopes", None)
    if slopes is None:
        return []
    left, bottom = tiles.position
    wide, high = tiles.tile_size
    polygons = []
    sloped: list[list[int]] = np.argwhere(slopes.any(axis=2)).tolist()
    for row, column in sloped:
        x = left + column * wide
        y = bottom + (len(slopes) - 1 - row) * high
        ends: list[float] = (slopes[row, column] * high).tolist()
        corners = [(x, y), (x + wide, y), (x + wide, y + ends[1]), (x, y + ends[0])]
        polygons.append(np.array(list(dict.fromkeys(corners))))
    return polygons


def _wider(line: Mask, start: int, end: int, width: int) -> bool:
    """Return whether a tile beside the range is solid: the tile on the left of ``start``, or the
    tile at ``end``.

    If one of the two is solid, the tiles of ``line`` are wider than the box below, and are not
    merged with this box.
    """
    return bool((start > 0 and line[start - 1]) or (end < width and line[end]))


def _runs(lines: Mask) -> tuple[Rows, Rows, Rows]:
    """Find runs of True values in each line. Return the line, the start and the end of each run.

    The end is the index after the last True value.
    """
    steps = np.diff(np.pad(lines.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    line, start = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    return line.astype(np.intp), start.astype(np.intp), end.astype(np.intp)
