"""Merge the sides of solid tiles into long lines, and cover solid tiles with large boxes.

A body that rolls along a merged side does not get stuck at the borders between tiles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Mask, Rows
from .outlines import pieces_of_ring, rectangle, simple_ring
from .tilegrid import Tiles, shapes_of

_CLOSE = 1e-6  # in tiles; coordinates with a smaller distance are treated as equal


def edges(tiles: Tiles) -> Doubles:
    """Return the sides between solid tiles and free tiles, in units. Neighboring sides on the same
    line are merged. The returned array has the shape (m, 2, 2).

    Each returned side has a start and an end. If you look from the start of a side to its end, the
    solid tiles are on the left.
    """
    solid = np.pad(tiles.solid, 1)[::-1]  # y up
    pieces: list[Doubles] = []
    # The sides of solid tiles with a free neighbor: below, right, above, left.
    for axis, shift, reverse in ((0, 1, False), (1, -1, False), (0, -1, True), (1, 1, True)):
        open_sides = solid & ~np.roll(solid, shift, axis=axis)
        lines = open_sides if axis == 0 else open_sides.T
        line, start, end = _runs(lines)
        across = line + (shift == -1)
        ends = np.stack([np.column_stack([start, across]), np.column_stack([end, across])], axis=1)
        if axis == 1:
            ends = ends[:, :, ::-1]
        pieces.append((ends[:, ::-1] if reverse else ends).astype(np.float64))
    return _in_units(tiles, np.concatenate(pieces) - 1)


def _in_units(tiles: Tiles, corners: Doubles) -> Doubles:
    """Convert corners from tiles to units. ``corners`` has the shape (m, 2, 2)."""
    position = np.asarray(tiles.position, np.float64)
    positions: Doubles = position + corners * np.asarray(tiles.tile_size, np.float64)
    return positions


def outline(tiles: Tiles) -> Doubles:
    """Return the sides of solid, sloped and partly solid tiles, in units. One-way tiles are not
    included. The result does not contain the parts of sides that a neighboring tile covers. The
    returned array has the shape (m, 2, 2).

    The sides of solid tiles are merged, as in `edges`. If you look from the start of a side to its
    end, the solid ground is on the left.
    """
    sides = _whole_outline(tiles)
    shapes = shapes_of(tiles)
    if not shapes:
        return sides
    rings = list(map(simple_ring, shapes))
    parts = [np.stack([ring, np.roll(ring, -1, axis=0)], axis=1) for ring in rings]
    return _uncovered(np.concatenate([sides, *parts]), min(tiles.tile_size) * _CLOSE)


def merged_shapes(tiles: Tiles) -> list[Doubles]:
    """Return the shapes of tiles that are only partly solid, as polygons of shape (k, 2), in units.
    Neighboring rectangles of the same height are merged.
    """
    polygons: list[Doubles] = []
    rectangles: list[_Rectangle] = []
    for shape in shapes_of(tiles):
        low = shape.min(axis=0)
        high = shape.max(axis=0)
        if len(shape) == 4 and ((shape == low) | (shape == high)).all():
            rectangles.append(
                _Rectangle(float(low[1]), float(high[1]), float(low[0]), float(high[0]))
            )
        else:
            polygons.append(shape)
    return polygons + [
        rectangle(left, bottom, right, top)
        for bottom, top, left, right in _merged_neighbors(rectangles)
    ]


class _Rectangle(NamedTuple):
    """The edges of a rectangle, in units. Sorted rectangles of the same height are neighbors."""

    bottom: float
    top: float
    left: float
    right: float


def _merged_neighbors(rectangles: list[_Rectangle]) -> list[_Rectangle]:
    """Merge rectangles that are next to each other and have the same bottom and top."""
    merged: list[_Rectangle] = []
    for current in sorted(rectangles):
        last = merged[-1] if merged else None
        if last and last[:2] == current[:2] and last.right >= current.left:
            merged[-1] = last._replace(right=max(current.right, last.right))
        else:
            merged.append(current)
    return merged


def cores(tiles: Tiles, sides: Doubles, inset: float) -> list[Doubles]:
    """Return the inner parts of tiles that are only partly solid, as convex polygons of shape
    (k, 2), in units.

    ``sides`` is the result of `outline`. The inner parts have a distance of ``inset`` units from
    these sides. If a neighboring tile covers a side, the inner part reaches ``inset`` units into
    this neighbor.
    """
    close = min(tiles.tile_size) * _CLOSE
    free = [sides[np.abs(np.ptp(sides[:, :, axis], axis=1)) < close] for axis in (0, 1)]
    polygons = []
    for shape in shapes_of(tiles):
        cell = _cell_around(shape, tiles)
        outer = simple_ring(shape)
        outer_sides = set(_sides(outer))
        for piece in pieces_of_ring(outer):
            ring = piece if _area(piece) > 0 else piece[::-1]
            core = rectangle(*(cell[0] - inset), *(cell[1] + inset))
            for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
                move = 0.0
                if (*start.tolist(), *end.tolist()) in outer_sides:
                    is_covered = _is_covered(start, end, cell, free, close)
                    move = inset if is_covered else -inset
                core = _clipped(core, start, end, move)
            if len(core) > 2 and _area(core) > close:
                polygons.append(core)
    return polygons


def _cell_around(shape: Doubles, tiles: Tiles) -> Doubles:
    """Return the lowest and the highest corner of the cell that contains a shape, in units. The
    returned array has the shape (2, 2).
    """
    position = np.array(tiles.position)
    cell = np.floor((shape.mean(axis=0) - position) / tiles.tile_size)
    low = position + cell * tiles.tile_size
    return np.stack([low, low + tiles.tile_size])


def _sides(ring: Doubles) -> list[tuple[float, ...]]:
    """Return the start and the end of each side of a ring, as tuples of four numbers."""
    sides = np.concatenate([ring, np.roll(ring, -1, axis=0)], axis=1)
    return list(map(tuple, sides.tolist()))


def _is_covered(
    start: Doubles, end: Doubles, cell: Doubles, free: list[Doubles], close: float
) -> bool:
    """Return whether the side from ``start`` to ``end`` is on the border of its cell, and covered
    by neighboring tiles.

    ``cell`` contains the lowest and the highest corner of the cell. ``free`` contains the vertical
    and the horizontal sides that no tile covers.
    """
    is_covered = False
    for axis in (0, 1):
        on_border = np.abs(cell[:, axis] - start[axis]) < close
        if on_border.any() and abs(start[axis] - end[axis]) < close:
            on_line = free[axis][np.abs(free[axis][:, 0, axis] - start[axis]) < close]
            spans = on_line[:, :, 1 - axis]
            low, high = sorted((float(start[1 - axis]), float(end[1 - axis])))
            overlaps = np.minimum(spans.max(axis=1), high) - np.maximum(spans.min(axis=1), low)
            is_covered = not (overlaps > close).any()
    return is_covered


def _clipped(ring: Doubles, start: Doubles, end: Doubles, move: float) -> Doubles:
    """Return the part of a convex polygon that is on the left of a line. First, the line is moved
    to the right by ``move`` units.
    """
    if not len(ring):
        return ring
    along = end - start
    normal = np.array((along[1], -along[0])) / np.hypot(*along)
    heights = (ring - start) @ normal - move
    corners: list[Doubles] = []
    for index, height in enumerate(heights.tolist()):
        following = (index + 1) % len(ring)
        if height <= 0:
            corners.append(ring[index])
        if (height <= 0) != (heights[following] <= 0):
            share = height / (height - heights[following])
            corners.append(ring[index] + share * (ring[following] - ring[index]))
    return np.array(corners).reshape(-1, 2)


def _area(ring: Doubles) -> float:
    """Return the area of ``ring``, which has the shape (k, 2). The area is above 0 if the corners
    are counter-clockwise.
    """
    x, y = (ring - ring[0]).T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _uncovered(sides: Doubles, close: float) -> Doubles:
    """Return the sides, of shape (m, 2, 2), without the parts where two sides with opposite
    directions cover each other. Horizontal sides on the same line are merged, and so are vertical
    sides on the same line.

    Two coordinates are treated as equal if their difference is less than ``close``.
    """
    free: list[Doubles] = []
    for axis in (0, 1):  # first the edges along x, then those along y
        across = 1 - axis
        on_line = np.abs(sides[:, 0, across] - sides[:, 1, across]) < close
        aligned = sides[on_line]
        sides = sides[~on_line]
        lines = np.rint(aligned[:, 0, across] / close).astype(np.int64)
        for line in np.unique(lines).tolist():
            group = aligned[lines == line]
            height = float(group[0, 0, across])
            for start, end in _spans(group[:, :, axis].tolist(), close):
                side = np.full((2, 2), height)
                side[:, axis] = start, end
                free.append(side)
    return np.concatenate([sides, np.array(free).reshape(-1, 2, 2)])


def _spans(spans: list[list[float]], close: float) -> list[tuple[float, float]]:
    """Return the parts of a line where more sides point in one direction than in the opposite
    direction.

    Each returned part has a start and an end.
    """
    steps: list[tuple[float, int]] = []
    for start, end in spans:
        sign = 1 if end > start else -1
        steps += [(start, sign), (end, -sign)] if sign > 0 else [(end, sign), (start, -sign)]
    steps.sort()
    parts: list[_Part] = []
    depth = 0
    before = steps[0][0]
    for position, change in steps:
        if depth and position - before > close:
            parts.append(_Part(before, position, depth > 0))
        if abs(position - before) > close or not depth:
            before = position
        depth += change
    return [
        (part.low, part.high) if part.ascends else (part.high, part.low)
        for part in _merged_parts(parts, close)
    ]


class _Part(NamedTuple):
    """A part of a line, whose side points towards higher or lower coordinates."""

    low: float
    high: float
    ascends: bool


def _merged_parts(parts: list[_Part], close: float) -> list[_Part]:
    """Merge neighboring parts with the same direction. The parts are in ascending order."""
    merged: list[_Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if last and last.ascends == part.ascends and abs(last.high - part.low) <= close:
            merged[-1] = last._replace(high=part.high)
        else:
            merged.append(part)
    return merged


def _whole_outline(tiles: Tiles) -> Doubles:
    """Return the sides of solid and sloped tiles, for `outline`."""
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
    return _in_units(tiles, np.array(lines, np.float64).reshape(-1, 2, 2) - 1)


_Lines = list[tuple[tuple[float, float], tuple[float, float]]]


def _level_sides(open_sides: Mask, above: int) -> _Lines:
    """Return the merged horizontal sides of tiles: the lower sides if ``above`` is 0, the upper
    sides if ``above`` is 1. Positions are in tiles, not in units.
    """
    runs: list[list[int]] = np.column_stack(_runs(open_sides)).tolist()
    if above:
        return [((end, row + 1), (start, row + 1)) for row, start, end in runs]
    return [((start, row), (end, row)) for row, start, end in runs]


def _upright_sides(heights: Doubles) -> _Lines:
    """Return the left and right sides of tiles, which are vertical. Positions are in tiles, not in
    units. Neighboring sides are merged if they are as high as a tile.

    ``heights``, of shape (h, w, 2), contains the heights of the ground at the left edge and the
    right edge of each tile.
    """
    left = heights[:, :-1, 1]
    right = heights[:, 1:, 0]
    right_sides = _upright_spans(left, right)
    left_sides = _upright_spans(right, left)
    return [((x, low), (x, high)) for x, low, high in right_sides] + [
        ((x, high), (x, low)) for x, low, high in left_sides
    ]


def _upright_spans(ground: Doubles, neighbor: Doubles) -> list[tuple[float, float, float]]:
    """Return the x, the bottom and the top of each vertical side that no neighbor covers.

    ``ground`` and ``neighbor`` contain the heights on the two sides of each border between two
    columns.
    """
    whole = (ground == 1) & (neighbor == 0)
    runs: list[list[int]] = np.column_stack(_runs(whole.T)).tolist()
    cells: list[list[int]] = np.argwhere((ground > neighbor) & ~whole).tolist()
    return [(float(column + 1), float(start), float(end)) for column, start, end in runs] + [
        (
            float(column + 1),
            row + float(neighbor[row, column]),
            row + float(ground[row, column]),
        )
        for row, column in cells
    ]


def _slopes(heights: Doubles) -> _Lines:
    """Return the upper side of each sloped tile. Positions are in tiles, not in units."""
    cells: list[list[int]] = np.argwhere(heights.any(axis=2)).tolist()
    return [
        (
            (column + 1, row + float(heights[row, column, 1])),
            (column, row + float(heights[row, column, 0])),
        )
        for row, column in cells
    ]


def tops(tiles: Tiles) -> Doubles:
    """Return the upper sides of one-way tiles, in units. Neighboring sides on the same line are
    merged. The returned array has the shape (m, 2, 2), and contains the left end and the right end
    of each side.
    """
    one_way: Mask | None = getattr(tiles, "one_way", None)
    if one_way is None:
        return np.empty((0, 2, 2))
    line, start, end = _runs((one_way & ~tiles.solid)[::-1])
    corners = [np.column_stack([start, line + 1]), np.column_stack([end, line + 1])]
    return _in_units(tiles, np.stack(corners, axis=1))


def rectangles(tiles: Tiles) -> Doubles:
    """Return a few large boxes that cover all solid tiles, in units. The returned array has the
    shape (m, 4). The columns of the array are left, bottom, right and top.

    The function makes each box as wide as possible, then as high as possible. The number of boxes
    is not always the smallest possible.
    """
    remaining = tiles.solid[::-1].copy()
    boxes: list[tuple[int, int, int, int]] = []
    height = len(remaining)
    for row in range(height):
        _, starts, ends = _runs(remaining[row : row + 1])
        spans: list[list[int]] = np.column_stack([starts, ends]).tolist()
        for start, end in spans:
            top = row + 1
            while top < height and _is_run(remaining[top], start, end):
                remaining[top, start:end] = False
                top += 1
            boxes.append((start, row, end, top))
    corners = np.array(boxes, np.float64).reshape(-1, 2, 2)
    return _in_units(tiles, corners).reshape(-1, 4)


def ramps(tiles: Tiles) -> list[Doubles]:
    """Return the ground of each sloped tile as a polygon of shape (k, 2), in units. The corners of
    each polygon are counter-clockwise.
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


def _is_run(line: Mask, start: int, end: int) -> bool:
    """Return whether the tiles of ``line`` from ``start`` to ``end`` are solid, but not the tiles
    before and after them. If they were solid too, the run would be wider than the box below it, and
    could not extend this box.
    """
    before = line[max(0, start - 1) : start]
    after = line[end : end + 1]
    return bool(line[start:end].all() and not before.any() and not after.any())


def _runs(lines: Mask) -> tuple[Rows, Rows, Rows]:
    """Find runs of True values in each line of an array. Return three arrays: the line, the start
    and the end of each run.

    The end of a run is the index after its last True value.
    """
    steps = np.diff(np.pad(lines.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    line, start = np.nonzero(steps == 1)
    _, end = np.nonzero(steps == -1)
    return line.astype(np.intp), start.astype(np.intp), end.astype(np.intp)
