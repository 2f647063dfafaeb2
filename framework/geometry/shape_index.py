"""Find the shapes near a ray quickly, without testing every shape.

The index of a set of shapes is computed once, and again only when the shapes have changed. It
consists of the bounding boxes of the shapes, which are used when many rays are cast at a time, and
of a grid, which is used for a few rays. Each cell of the grid lists the shapes whose bounding boxes
overlap it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..arrays import Doubles, Mask, Rows, repeated_rows
from .broadphase import Extents
from .single_shapes import MAX_COORDINATE, Side, entry, overlap, sides_of

# A hit of a ray may be outside of the bounding box by this fraction of the largest coordinate.
# Rounding errors are smaller than that (below 1e-15).
_MARGIN = 1e-9
# A shape that overlaps more cells than this is compared with every ray.
_MAX_CELLS_OF_SHAPE = 64
# If more shapes than this are compared with every ray, the grid is not used.
_MAX_LARGE = 32
# If the shapes have more corners than this, the index is not used for a few rays.
_MAX_CORNERS = 32
# Below this coordinate, the product of four coordinates is rounded to 0.
_LEAST_COORDINATE = 1e-75
# Without the grid, `shapes.raycast` is used if more shapes than this are near the ray.
_MAX_NEAR = 64

Hit = tuple[float, int, float, float]
"""The hit of one ray: the fraction of the ray before the hit, the row of the shape, and the x and y
of the normal.
"""

_NO_HIT: Hit = math.inf, -1, 0.0, 0.0


_Box = tuple[float, float, float, float]
"""The left, bottom, right and top edges of a bounding box."""


class ShapeIndex:
    """The bounding boxes and the grid of a set of shapes.

    ``corners``, of shape (n, k, 2), and ``radius``, of shape (n,), are the arrays of
    `ConvexShapes`.
    """

    def __init__(self, corners: Doubles, radius: Doubles) -> None:
        self._corners = np.ascontiguousarray(corners, np.float64).copy()
        self._radius = np.ascontiguousarray(radius, np.float64).copy()
        self._bits = self._corners.view(np.int64), self._radius.view(np.int64)
        self.extents = _bounding_boxes(corners, radius)
        self.largest = float(
            max(np.abs(self.extents.low).max(initial=0), np.abs(self.extents.high).max(initial=0))
        )
        """The largest coordinate of a bounding box, or NaN."""
        self.supports_cast = bool(
            corners.dtype == radius.dtype == np.float64
            and corners.shape[1] <= _MAX_CORNERS
            and _LEAST_COORDINATE <= self.largest <= MAX_COORDINATE
            and not (radius < 0).any()
        )
        """Whether `cast` can be used: it needs finite shapes with few corners."""
        self._calls = 0  # of `cast`
        self._grid: _Grid | None = None
        self._half: Doubles = (self.extents.high - self.extents.low) / 2
        self._margin = _MARGIN * self.largest
        # A cache for the shapes near rays: the sides, the radius, the corners and the bounding box
        # of each shape.
        self._shapes: dict[int, tuple[list[Side], float, list[list[float]], _Box]] = {}

    def is_current(self, corners: Doubles, radius: Doubles) -> bool:
        """Return whether the shapes are still the same as when the index was computed."""
        bits, radius_bits = self._bits
        return bool(
            corners.shape == self._corners.shape
            and corners.dtype == radius.dtype == np.float64
            and (corners.view(np.int64) == bits).all()
            and (radius.view(np.int64) == radius_bits).all()
        )

    def near_ray(self, start: Doubles, displacement: Doubles, row: Rows) -> Mask:
        """For each pair of a ray and a shape, return whether the line of the ray crosses the
        bounding box of the shape. ``start`` and ``displacement`` are arrays of shape (2, m), with
        one ray for each pair. ``row``, of shape (m,), contains the row of the shape in each pair.
        """
        x, y = self.extents.middle.take(row, axis=1) - start
        width, height = self._half.take(row, axis=1)
        across, along = np.abs(displacement)
        with np.errstate(over="ignore", invalid="ignore"):
            margin = self._margin_of(start, displacement)
            distance = np.abs(x * displacement[1] - y * displacement[0])
            reach = (width + margin) * along + (height + margin) * across
        passes: Mask = ~(distance > reach)
        return passes

    def near_points(self, points: Doubles, row: Rows) -> Mask:
        """For each pair of a point and a shape, return whether the point is inside the bounding box
        of the shape. ``points`` is an array of shape (2, m). ``row``, of shape (m,), contains the
        row of the shape in each pair.
        """
        x, y = np.abs(self.extents.middle.take(row, axis=1) - points)
        width, height = self._half.take(row, axis=1)
        margin = self._margin_of(points)
        inside: Mask = ~((x > width + margin) | (y > height + margin))
        return inside

    def _margin_of(self, *coordinates: Doubles) -> float:
        """Return an upper limit for the rounding errors of hits and positions, in units."""
        largest: float = sum([float(np.abs(part).max(initial=0)) for part in coordinates])
        return _MARGIN * (self.largest + largest)

    # -- a few rays --------------------------------------------------------------------------------

    def cast(self, x: float, y: float, displacement_x: float, displacement_y: float) -> Hit | None:
        """Return the first hit of one ray with the shapes. No coordinate of the ray may be above
        `MAX_COORDINATE`. Return None if `shapes.raycast` would be faster for this ray.
        """
        end_x = x + displacement_x
        end_y = y + displacement_y
        left, right = (x, end_x) if x <= end_x else (end_x, x)
        bottom, top = (y, end_y) if y <= end_y else (end_y, y)
        box = left, bottom, right, top
        self._calls += 1
        if self._grid is None:
            if self._calls == 1:  # a grid for a single ray would take more time than it saves
                return self._cast_at_all(x, y, displacement_x, displacement_y, box)
            self._grid = _Grid(self.extents, self.largest)
        grid = self._grid
        farthest = max(abs(x), abs(y), abs(end_x), abs(end_y))
        if len(grid.large_rows) > _MAX_LARGE or farthest * _MARGIN > grid.margin:
            return self._cast_at_all(x, y, displacement_x, displacement_y, box)
        return self._cast_in_grid(grid, x, y, displacement_x, displacement_y, box)

    def _cast_at_all(
        self, x: float, y: float, displacement_x: float, displacement_y: float, box: _Box
    ) -> Hit | None:
        left, bottom, right, top = box
        low_x, low_y = self.extents.low
        high_x, high_y = self.extents.high
        near: Mask = low_x <= right
        near &= high_x >= left
        near &= low_y <= top
        near &= high_y >= bottom
        rows: list[int] = near.nonzero()[0].tolist()
        if len(rows) > _MAX_NEAR:
            return None
        best = math.inf
        result = _NO_HIT
        for row in rows:
            hit = self._entry(row, x, y, displacement_x, displacement_y)
            if hit[0] < best:
                best = hit[0]
                result = hit
        return result if best <= 1 else _NO_HIT

    def _cast_in_grid(
        self,
        grid: _Grid,
        x: float,
        y: float,
        displacement_x: float,
        displacement_y: float,
        box: _Box,
    ) -> Hit:
        left, bottom, right, top = box
        boxes = grid.boxes
        best = math.inf
        best_row = -1
        result = _NO_HIT
        tested = set[int]()
        cross = x * displacement_y - y * displacement_x
        across = abs(displacement_x)
        along = abs(displacement_y)
        for limit, rows in grid.rows_near(x, y, displacement_x, displacement_y):
            if limit > best:
                break
            for row in rows:
                if row in tested:
                    continue
                tested.add(row)
                low_x, low_y, high_x, high_y, middle_x, middle_y, half_width, half_height = boxes[
                    row
                ]
                if low_x > right or high_x < left or low_y > top or high_y < bottom:
                    continue
                # The line of the ray does not touch the box.
                if (
                    abs(middle_x * displacement_y - middle_y * displacement_x - cross)
                    > half_width * along + half_height * across
                ):
                    continue
                hit = self._entry(row, x, y, displacement_x, displacement_y)
                if hit[0] < best or (hit[0] == best and row < best_row):
                    best = hit[0]
                    best_row = row
                    result = hit
        return result if best <= 1 else _NO_HIT

    def _entry(
        self, row: int, x: float, y: float, displacement_x: float, displacement_y: float
    ) -> Hit:
        shape = self._shapes.get(row)
        if shape is None:
            corners: list[list[float]] = self._corners[row].tolist()
            radius = float(self._radius[row])
            edges: list[float] = [
                *(self.extents.low[:, row] - self._margin),
                *(self.extents.high[:, row] + self._margin),
            ]
            left, bottom, right, top = map(float, edges)
            shape = sides_of(corners, radius), radius, corners, (left, bottom, right, top)
            self._shapes[row] = shape
        sides, radius, corners, (left, bottom, right, top) = shape
        if left <= x <= right and bottom <= y <= top and overlap([[x, y]], 0.0, corners, radius):
            return 0.0, row, 0.0, 0.0
        fraction, normal_x, normal_y = entry(x, y, displacement_x, displacement_y, sides, radius)
        return fraction, row, normal_x, normal_y


def _bounding_boxes(corners: Doubles, radius: Doubles) -> Extents:
    low: list[Doubles] = []
    high: list[Doubles] = []
    for axis in (0, 1):
        lowest = highest = np.ascontiguousarray(corners[:, 0, axis])
        for corner in range(1, corners.shape[1]):
            along = corners[:, corner, axis]
            lowest = np.minimum(lowest, along)
            highest = np.maximum(highest, along)
        low.append(lowest - radius)
        high.append(highest + radius)
    with np.errstate(over="ignore", invalid="ignore"):
        return Extents(np.array(low, np.float64), np.array(high, np.float64))


class _Grid:
    """A grid of square cells that cover the bounding boxes of shapes. The search for a ray visits
    the cells along the ray one after another.
    """

    def __init__(self, extents: Extents, largest: float) -> None:
        low = extents.low
        high = extents.high
        self.margin = 4 * _MARGIN * largest
        """The distance by which the boxes in the grid are enlarged, to allow for rounding errors.
        """
        origin: Doubles = low.min(axis=1, initial=math.inf) if len(extents) else np.zeros(2)
        span: Doubles = high.max(axis=1) - origin if len(extents) else np.zeros(2)
        width, height = span.tolist()
        cell_size = max(_cell_size(extents, width, height), 2 * self.margin, 1e-30)
        self._cell_size = cell_size
        origin_x, origin_y = origin.tolist()
        self._origin = origin_x, origin_y
        self._counts = int(width / cell_size) + 1, int(height / cell_size) + 1
        self._first = self._cells_at(low - self.margin)
        self._last = self._cells_at(high + self.margin)
        covered: Rows = np.prod(self._last - self._first + 1, axis=0)
        is_large = covered > _MAX_CELLS_OF_SHAPE
        self._small = np.flatnonzero(~is_large)
        self._covered: Rows = covered[self._small]
        self.large_rows: list[int] = np.flatnonzero(is_large).tolist()
        """The rows of large shapes, which are not in any cell of the grid."""
        middle = (low + high) / 2
        half = (high - low) / 2 + self.margin
        self.boxes: list[list[float]] = np.concatenate([low, high, middle, half]).T.tolist()
        """For each shape, the edges, the center and half the size of its bounding box. The half
        sizes include the margin.
        """
        # For each axis: the rows of the shapes in each cell, and the index of the first row of each
        # cell.
        self._cells: list[tuple[list[int], list[int]] | None] = [None, None]

    def _cells_at(self, positions: Doubles) -> Rows:
        """Return the column and the row of the cell at each position. ``positions`` and the result
        have the shape (2, n). Outside of the grid, the nearest cell is returned.
        """
        origin = np.array(self._origin)[:, None]
        cells = np.floor((positions - origin) / self._cell_size).astype(np.intp)
        clipped: Rows = np.clip(cells, 0, np.array(self._counts)[:, None] - 1)
        return clipped

    def _cells_along(self, axis: int) -> tuple[list[int], list[int]]:
        """Return the rows of the shapes in each cell. Also return the index at which the rows of
        each cell start. The cells are sorted by their position along ``axis``.
        """
        cells = self._cells[axis]
        if cells is None:
            cell = self._covered_cells(axis)
            order = np.argsort(cell, kind="stable")
            rows: list[int] = np.repeat(self._small, self._covered)[order].tolist()
            counts = np.bincount(cell, minlength=self._counts[0] * self._counts[1])
            starts: list[int] = np.concatenate([[0], np.cumsum(counts)]).tolist()
            cells = self._cells[axis] = rows, starts
        return cells

    def _covered_cells(self, axis: int) -> Rows:
        """Return the cells that each small shape covers, one shape after another. The number of a
        cell is its position along ``axis`` times the number of cells along the other axis, plus its
        position along the other axis.
        """
        first = self._first[:, self._small]
        heights = self._last[1 - axis, self._small] - first[1 - axis] + 1
        shape, number = repeated_rows(self._covered)
        steps, beside = np.divmod(number, heights[shape])
        cell: Rows = first[axis, shape] + steps
        cell *= self._counts[1 - axis]
        cell += first[1 - axis, shape] + beside
        return cell

    def rows_near(
        self, x: float, y: float, displacement_x: float, displacement_y: float
    ) -> Iterator[tuple[float, list[int]]]:
        """Yield the shapes in the cells that a ray crosses, from its start to its end. Each item is
        a pair: the fraction of the ray at which it enters the cells, and the rows of the shapes in
        these cells.
        """
        if self.large_rows:
            yield 0.0, self.large_rows
        if abs(displacement_x) >= abs(displacement_y):
            axis = 0
            start = x
            beside = y
            movement = displacement_x
            aside = displacement_y
        else:
            axis = 1
            start = y
            beside = x
            movement = displacement_y
            aside = displacement_x
        rows, starts = self._cells_along(axis)
        cell_size = self._cell_size
        margin = self.margin
        # Convert positions to cells of the grid.
        position = (start - self._origin[axis]) / cell_size
        other_position = (beside - self._origin[1 - axis]) / cell_size
        length = movement / cell_size
        other_length = aside / cell_size
        spare = margin / cell_size
        count = self._counts[axis]
        other_count = self._counts[1 - axis]
        forward = movement >= 0
        low, high = (position, position + length) if forward else (position + length, position)
        first = max(math.floor(low - spare), 0)
        last = min(math.floor(high + spare), count - 1)
        for cell in range(first, last + 1) if forward else range(last, first - 1, -1):
            enters = 0.0
            leaves = 1.0
            if length:
                enters = (
                    cell - spare - position if forward else cell + 1 + spare - position
                ) / length
                leaves = (
                    cell + 1 + spare - position if forward else cell - spare - position
                ) / length
                enters = enters if enters > 0 else 0.0
                leaves = leaves if leaves < 1 else 1.0
            entry_beside = other_position + other_length * enters
            exit_beside = other_position + other_length * leaves
            lower = min(entry_beside, exit_beside)
            upper = max(entry_beside, exit_beside)
            first_beside = math.floor(lower - spare)
            last_beside = math.floor(upper + spare)
            if last_beside < 0 or first_beside >= other_count:
                continue
            index = cell * other_count
            begin = starts[index + (first_beside if first_beside > 0 else 0)]
            end = starts[
                index + (last_beside if last_beside < other_count else other_count - 1) + 1
            ]
            if begin < end:
                yield enters, rows[begin:end]


def _cell_size(extents: Extents, width: float, height: float) -> float:
    """Return the size of square cells with which there is about one cell per box. The boxes cover
    an area of ``width`` times ``height``.
    """
    cells = max(len(extents), 1)
    mean_size = float((extents.high - extents.low).mean()) if len(extents) else 0.0
    return max(math.sqrt(width * height / cells), mean_size, max(width, height) / cells)
