"""Terrain as a grid of heights, with contacts, rays and a mesh."""

from __future__ import annotations

__all__ = ["Heightfield"]

import itertools
import math
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Rows, repeated_rows
from ..other_engines.space_names import heightfield_names
from . import exact
from .collide import corners
from .mesh import Mesh, grid_indices, grid_uvs
from .pairwise import Contacts, pairwise

# The corners of a square have the indices 0 (near), 1 (right), 2 (down) and 3 (far). A square
# consists of a triangle at higher x and a triangle at higher z. For each triangle, the tables have
# the corners of its side along x and of its side along z. The last tables have the five edges of
# both triangles.
_ACROSS = np.array([0, 1, 0, 1])
_DOWN = np.array([0, 0, 1, 1])
_LEFT, _RIGHT, _UPPER, _LOWER = (np.array(pair) for pair in ([0, 2], [1, 3], [1, 0], [3, 2]))
_SIDES = np.array([1, -1])
_EDGES = ((0, 1), (0, 2), (0, 3), (1, 3), (2, 3))
_STARTS = np.array(_EDGES)[:, 0]
_ENDS = np.array(_EDGES)[:, 1]

# How many squares to each side are searched for a ball above the ground.
_MAX_SQUARES = 8
# If at least this number of squares is near a ball, the search first leaves out squares that are
# too far away.
_MIN_FILTERED = 64
# Up to this number of squares around a ball, Python floats take less time than arrays.
_MAX_LOOPED = 100
_HUGE = 1e100  # the square of this number is still a finite float

_Number = TypeVar("_Number", float, Doubles)


@heightfield_names
class Heightfield(checks.Sealed):
    """Terrain as a grid of heights. The y axis points up.

    ``heights`` is an array of shape (rows, columns), in units. The column index grows along x, and
    the row index grows along z. Each square of the grid is divided into two triangles. The line
    between the two triangles starts at the corner with the lowest x and z, and ends at the opposite
    corner. Collisions and the `mesh` of the field use the same triangles. The heights are float64
    for collisions, and float32 in the mesh. Beyond the edges of the grid, the ground continues at
    the height of the nearest edge.

    The methods take points as arrays of shape (n, 3). `height_at` and `normal_at` ignore the y
    coordinate of a point.

    Parameters
    ----------
    heights
        The height at each corner of the squares, in units: an array of shape (rows, columns). The
        field must have at least two rows and two columns.
    cell
        The distance between neighboring columns and neighboring rows, in units: one number for
        both, or two numbers. Default: 1.
    origin
        The position of the field: the corner in the first row and column, at a height of 0. By
        default, the center of the field is at (0, 0, 0).

    Raises `ValueError` or `TypeError` if an argument has the wrong shape, or contains a number that
    is not finite. The error message contains the name of this argument.
    """

    __slots__ = ("_around", "_beside", "cell", "heights", "origin", "size")

    def __init__(
        self,
        heights: ArrayLike,
        cell: float | tuple[float, float] = 1.0,
        origin: ArrayLike | None = None,
    ) -> None:
        self.heights: Doubles = checks.numbers("heights", heights, (None, None)).copy()
        if min(self.heights.shape) < 2:
            raise checks.wrong_value("heights", "at least two rows and two columns", self.heights)
        self.cell: Doubles = checks.vector(
            "cell", (cell, cell) if checks.ndim(cell) == 0 else cell, 2
        )
        if not (self.cell > 0).all():
            raise checks.wrong_value("cell", "one or two numbers above 0", cell)
        rows, columns = self._shape()
        across, down = self._sides()
        self.size = float(across * (columns - 1)), float(down * (rows - 1))
        """The size of the field along x and z, in units."""
        # The corners of a square, as offsets in the flat array of heights.
        self._around = _ACROSS + columns * _DOWN
        self._beside = np.stack(
            [across * _ACROSS, down * _DOWN]
        )  # the same offsets along x and z, in units
        middle = -self.size[0] / 2, 0.0, -self.size[1] / 2
        self.origin: Doubles = checks.vector("origin", middle if origin is None else origin, 3)

    def _shape(self) -> tuple[int, int]:
        shape: tuple[int, int] = self.heights.shape
        return shape

    def _sides(self) -> tuple[float, float]:
        """Return the distance between columns and the distance between rows, in units."""
        across: float
        down: float
        across, down = self.cell.tolist()
        return across, down

    def _corner(self) -> tuple[float, float, float]:
        """Return the position of the corner in the field's first row and column, at a height of 0."""
        left: float
        bottom: float
        back: float
        left, bottom, back = self.origin.tolist()
        return left, bottom, back

    def _squares(self, points: Doubles) -> tuple[Rows, Rows, Doubles, Doubles]:
        """For each point, find the square of the grid with the same x and z. Return the column and
        the row of the square, and the position of the point within the square.

        The position within the square is a pair of fractions from 0 to 1, along x and along z.
        """
        rows, columns = self._shape()
        across, down = self._sides()
        left, _, back = self._corner()
        u = _within((points[:, 0] - left) / across, columns - 1)
        v = _within((points[:, 2] - back) / down, rows - 1)
        i: Rows = np.minimum(u.astype(np.intp), columns - 2)
        j: Rows = np.minimum(v.astype(np.intp), rows - 2)
        return i, j, u - i, v - j

    def _slopes(self, points: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        """For each point, return the height of the ground, its slope along x, and its slope along
        z.
        """
        i, j, u, v = self._squares(points)
        near = self.heights[j, i]
        far = self.heights[j + 1, i + 1]
        right = self.heights[j, i + 1]
        down = self.heights[j + 1, i]
        upper = u > v
        along = np.where(upper, right - near, far - down)
        across = np.where(upper, far - right, down - near)
        width, depth = self._sides()
        return self._corner()[1] + near + along * u + across * v, along / width, across / depth

    def height_at(self, points: ArrayLike) -> Doubles:
        """Return the height of the ground at each point, in units. ``points`` is an array of shape
        (n, 3). The y coordinate of each point is ignored. The returned array has the shape (n,).
        """
        return self._slopes(_points(points))[0]

    def normal_at(self, points: ArrayLike) -> Doubles:
        """Return the normal of the ground at each point. ``points`` is an array of shape (n, 3).
        The y coordinate of each point is ignored. The returned array has the shape (n, 3), and each
        normal has a length of 1.
        """
        _, along, across = self._slopes(_points(points))
        normal = np.column_stack([-along, np.ones_like(along), -across])
        unit: Doubles = normal / exact.norm(normal)[:, None]
        return unit

    def contains(self, points: ArrayLike) -> Mask:
        """Return whether each point is within the field's edges, at any height. ``points`` is an
        array of shape (n, 3). The result is a bool array of shape (n,).
        """
        across = _points(points)[:, [0, 2]] - self.origin[[0, 2]]
        over = (across >= 0) & (across <= self.size)
        return over[:, 0] & over[:, 1]

    def spheres(self, center: ArrayLike, radius: ArrayLike) -> Contacts:
        """Return the contacts of balls with the ground.

        ``center`` is an array of shape (n, 3) and ``radius`` an array of shape (n,), in units. If
        all balls have the same radius, pass one number. The contact point is the point on the
        ground that is nearest to the center of the ball. If a ball does not touch the ground, the
        depth of its contact is minus the distance to the ground.

        Only the squares of the grid that are at most eight squares away from a ball are searched.
        If a ball is farther above the ground, the returned distance may be too large.
        """
        balls, radii = pairwise(center=(center, 3), radius=(radius, 1))
        if (
            len(balls) == 1
            and (alone := self._sphere(balls[0].tolist(), float(radii[0]))) is not None
        ):
            return alone
        height = self._slopes(balls)[0]
        under = balls[:, 1] < height
        ball, i, j = self._squares_near(balls, radii, height)
        points_in_squares, squared = self._nearest_in(i, j, balls[ball])
        nearest, min_squared = _min_per_group(squared, ball, len(balls))
        point = points_in_squares[nearest]
        distance = np.sqrt(min_squared)
        side = np.where(under, -1.0, 1.0)
        out = (balls - point) * side[:, None]
        touching = distance <= 1e-9
        if touching.any():
            out = np.where(touching[:, None], self.normal_at(balls), out)
        normal = out / exact.norm(out)[:, None]
        return Contacts(radii - distance * side, normal, point)

    def _sphere(self, ball: list[float], radius: float) -> Contacts | None:
        """Return the contact of a single ball with the ground. The result is the same as that of
        `spheres`, but `_sphere` takes a third of the time.

        Return None if more than `_MAX_LOOPED` squares are near the ball.
        """
        rows, columns = self._shape()
        across, down = self._sides()
        left, bottom, back = self._corner()
        x = ball[0] - left
        z = ball[2] - back
        offset = self._offset_from_ground(x, ball[1], z)
        bound = _squared_with_margin(*offset)
        if not (bound < _HUGE and across > 1 / _HUGE and down > 1 / _HUGE):
            return None
        window = min(math.sqrt(bound), max(radius, _MAX_SQUARES * max(across, down)))
        first = _square_at(x - window, across, columns)
        last = _square_at(x + window, across, columns)
        upper = _square_at(z - window, down, rows)
        lower = _square_at(z + window, down, rows)
        if (last - first + 1) * (lower - upper + 1) > _MAX_LOOPED:
            return None
        away = left - ball[0], bottom - ball[1], back - ball[2]
        heights: list[list[float]] = self.heights[upper : lower + 2, first : last + 2].tolist()
        nearest, min_squared = _nearest_of(heights, (first, upper), away, (across, down), bound)
        if not min_squared < math.inf:
            return None
        return self._contact(ball, radius, nearest, is_under=offset[1] < 0)

    def _offset_from_ground(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Return the vector from a point on the ground to the point (x, y, z). The point on the
        ground has the same x and z. For a point beyond the edges, it is on the nearest edge.

        The coordinates x and z are relative to the corner of the field.
        """
        rows, columns = self._shape()
        across, down = self._sides()
        # These expressions convert NaN to 0.
        u = min(columns - 1, max(0.0, x / across))
        v = min(rows - 1, max(0.0, z / down))
        i = min(int(u), columns - 2)
        j = min(int(v), rows - 2)
        square: list[list[float]] = self.heights[j : j + 2, i : i + 2].tolist()
        (near, right), (below, far) = square
        along, slope = (right - near, far - right) if u - i > v - j else (far - below, below - near)
        height = self._corner()[1] + near + along * (u - i) + slope * (v - j)
        return x - u * across, y - height, z - v * down

    def _contact(
        self,
        ball: list[float],
        radius: float,
        nearest: tuple[float, float, float],
        *,
        is_under: bool,
    ) -> Contacts:
        """Return the contact of a single ball. ``nearest`` is the nearest point on the ground,
        relative to the center of the ball. ``is_under`` is whether the center is below the ground.
        """
        right, up, back = nearest
        distance = math.sqrt(right * right + up * up + back * back)
        side = -1.0 if is_under else 1.0
        point = [ball[axis] + nearest[axis] for axis in range(3)]
        outwards = [(ball[axis] - point[axis]) * side for axis in range(3)]
        if distance <= 1e-9:
            outwards = self.normal_at([ball]).ravel().tolist()
        length = math.sqrt(
            outwards[0] * outwards[0] + outwards[1] * outwards[1] + outwards[2] * outwards[2]
        )
        normal = [[number / length for number in outwards]]
        return Contacts(np.array([radius - distance * side]), np.array(normal), np.array([point]))

    def _squares_near(
        self, balls: Doubles, radii: Doubles, height: Doubles
    ) -> tuple[Rows, Rows, Rows]:
        """For each ball, find the squares that may contain the nearest point on the ground.

        Return three arrays: the index of the ball, the column and the row of each square. The
        indices of the balls are in ascending order.
        """
        rows, columns = self._shape()
        across, down = self._sides()
        left_edge, _, back_edge = self._corner()
        x = balls[:, 0] - left_edge
        z = balls[:, 2] - back_edge
        beside = x - _within(x, self.size[0])
        before = z - _within(z, self.size[1])
        bound = _squared_with_margin(beside, balls[:, 1] - height, before)
        window = np.minimum(np.sqrt(bound), np.maximum(radii, _MAX_SQUARES * max(across, down)))
        left, wide = _squares_along(x, window, across, columns)
        upper, high = _squares_along(z, window, down, rows)
        ball, number = repeated_rows(wide * high)
        j, i = np.divmod(number, wide[ball])
        i += left[ball]
        j += upper[ball]
        if len(ball) < _MIN_FILTERED:
            return ball, i, j
        may = ~(self._box_distance(i, j, x[ball], balls[ball, 1], z[ball]) > bound[ball])
        return ball[may], i[may], j[may]

    def _box_distance(self, i: Rows, j: Rows, x: Doubles, y: Doubles, z: Doubles) -> Doubles:
        """Return the squared distances from the points to the bounding boxes of the squares.

        The coordinates x and z are relative to the corner of the field.
        """
        heights = self.heights
        across, down = self._sides()
        bottom_edge = self._corner()[1]
        four = heights[j, i], heights[j, i + 1], heights[j + 1, i], heights[j + 1, i + 1]
        bottom = (
            np.minimum(np.minimum(four[0], four[1]), np.minimum(four[2], four[3])) + bottom_edge
        )
        top = np.maximum(np.maximum(four[0], four[1]), np.maximum(four[2], four[3])) + bottom_edge
        dx = x - np.clip(x, i * across, (i + 1) * across)
        dy = y - np.clip(y, bottom, top)
        dz = z - np.clip(z, j * down, (j + 1) * down)
        squared: Doubles = dx * dx + dy * dy + dz * dz
        return squared

    def _nearest_in(self, i: Rows, j: Rows, points: Doubles) -> tuple[Doubles, Doubles]:
        """For each point, find the nearest point on the ground of one square. Return the nearest
        points, of shape (n, 3), and their squared distances, of shape (n,).
        """
        across, down = self._sides()
        height = self.heights.take((j * self.heights.shape[1] + i)[:, None] + self._around)
        # Corners relative to the point, in the order near, right, down, far.
        corners = np.empty((len(i), 4, 3))
        away = self.origin - points
        corners[:, :, 0] = (i * across + away[:, 0])[:, None] + self._beside[0]
        corners[:, :, 1] = height + away[:, 1:2]
        corners[:, :, 2] = (j * down + away[:, 2])[:, None] + self._beside[1]
        candidates = np.empty((len(i), 7, 3))
        candidates[:, :2], is_inside = self._nearest_in_triangles(corners, height)
        candidates[:, 2:] = _nearest_on_edges(corners)
        squared = exact.dot(candidates, candidates)
        squared[:, :2][~is_inside] = np.inf
        best: tuple[Rows, Rows] = np.arange(len(i)), squared.argmin(axis=1)
        return points + candidates[best], np.fmin(
            squared[best], np.inf
        )  # a distance of NaN counts as infinite

    def _nearest_in_triangles(self, corners: Doubles, height: Doubles) -> tuple[Doubles, Mask]:
        """Return the points nearest to (0, 0, 0) on the planes of each square's two triangles, as
        an array of shape (n, 2, 3). Also return whether each point is inside its triangle.

        ``corners`` are the four corners of each square, of shape (n, 4, 3), relative to
        (0, 0, 0). ``height`` are their heights in the field, of shape (n, 4).
        """
        across, down = self._sides()
        x, y, z = (corners[:, :1, axis] for axis in range(3))
        along = (height[:, _RIGHT] - height[:, _LEFT]) / across
        slope = (height[:, _LOWER] - height[:, _UPPER]) / down
        height_share = (along * x + slope * z - y) / (1 + along * along + slope * slope)
        nearest = np.empty((*height_share.shape, 3))
        nearest[..., 0] = height_share * along
        nearest[..., 1] = -height_share
        nearest[..., 2] = height_share * slope
        u = (nearest[..., 0] - x) / across
        v = (nearest[..., 2] - z) / down
        is_inside: Mask = (
            (np.minimum(u, v) >= 0) & (np.maximum(u, v) <= 1) & ((u - v) * _SIDES >= 0)
        )
        return nearest, is_inside

    def boxes(
        self, middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None = None
    ) -> Contacts:
        """Return the contacts of boxes with the ground, one contact per box. See
        `collide.sphere_box` for the arguments.

        `boxes` compares only the deepest corner of each box with the ground. Therefore, a peak of
        the ground between the corners of a box is ignored. For exact results, make the squares of
        the grid larger than the boxes.
        """
        ends = corners(middle, half, rotation)
        flat = ends.reshape(-1, 3)
        normal = self.normal_at(flat)
        depth = ((self.height_at(flat) - flat[:, 1]) * normal[:, 1]).reshape(-1, 8)
        deepest: tuple[Rows, Rows] = np.arange(len(ends)), np.argmax(depth, axis=1)
        normal = normal.reshape(-1, 8, 3)[deepest]
        depth = depth[deepest]
        return Contacts(depth, normal, ends[deepest] + normal * depth[:, None])

    def ray(self, origin: ArrayLike, direction: ArrayLike, farthest: float = math.inf) -> Doubles:
        """Return the distance to the ground along each ray, in units. The returned array has the
        shape (n,). The distance is infinite for a ray that does not hit the ground.

        ``origin`` and ``direction`` are arrays of shape (n, 3). The directions may have any length
        above 0. A ray can hit the ground from above or from below.
        """
        start, toward = pairwise(origin=(origin, 3), direction=(direction, 3))
        if not (isinstance(farthest, float) and farthest == math.inf):
            farthest = checks.number("farthest", farthest, least=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            toward = toward / exact.norm(toward)[:, None]
        distances = np.full(len(start), np.inf)
        enter, leave = self._bounds_crossed(start, toward, farthest)
        active = np.flatnonzero(
            (enter <= leave) & np.isfinite(start).all(axis=1) & np.isfinite(toward).all(axis=1)
        )
        if not len(active):
            return distances
        distance_before = enter[active]
        i, j, _, _ = self._squares(start[active] + toward[active] * distance_before[:, None])
        while len(active):  # follow each ray from square to square
            ray = start[active]
            heading = toward[active]
            border, right, down = self._next_border(ray, heading, i, j)
            until: Doubles = np.minimum(border, leave[active])
            hit = self._in_square(ray, heading, i, j, distance_before, until)
            distances[active] = hit
            i = i + right
            j = j + down
            rows, columns = self._shape()
            goes_further = (
                ~np.isfinite(hit)
                & (until < leave[active])
                & (i >= 0)
                & (j >= 0)
                & (i < columns - 1)
                & (j < rows - 1)
            )
            active = active[goes_further]
            i = i[goes_further]
            j = j[goes_further]
            distance_before = until[goes_further]
        return distances

    def _next_border(
        self, ray: Doubles, toward: Doubles, i: Rows, j: Rows
    ) -> tuple[Doubles, Rows, Rows]:
        """Return the distance at which each ray leaves its square. Also return the steps to the
        next square, along x and along z: -1, 0 or 1.
        """
        corner = self.origin[[0, 2]] + np.column_stack([i, j]) * self.cell
        flat = toward[:, [0, 2]]
        with np.errstate(divide="ignore", invalid="ignore"):
            sides = np.where(flat > 0, corner + self.cell, corner)
            crossing = np.where(flat != 0, (sides - ray[:, [0, 2]]) / flat, np.inf)
        is_first = np.argmin(crossing, axis=1)[:, None] == (0, 1)
        right, down = np.where(is_first, np.sign(flat), 0).astype(np.intp).T
        return crossing.min(axis=1), right, down

    def _bounds_crossed(
        self, start: Doubles, toward: Doubles, farthest: float
    ) -> tuple[Doubles, Doubles]:
        """Return two distances per ray: where the ray enters and leaves the bounding box of the
        field.
        """
        left, bottom, back = self._corner()
        lowest: float = self.heights.min()
        highest: float = self.heights.max()
        low = np.array([left, bottom + lowest - 1e-9, back])
        high = np.array([left + self.size[0], bottom + highest + 1e-9, back + self.size[1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            first = (low - start) / toward
            second = (high - start) / toward
        enter: Doubles = np.fmax.reduce(np.fmin(first, second), axis=1, initial=0)
        return enter, np.fmin.reduce(np.fmax(first, second), axis=1, initial=farthest)

    def _in_square(
        self, ray: Doubles, toward: Doubles, i: Rows, j: Rows, at: Doubles, until: Doubles
    ) -> Doubles:
        """Return the distance at which each ray hits the triangles of its square. The distance is
        infinite if the ray hits neither of the two triangles.

        Hits at a distance below ``at`` or above ``until`` are ignored.
        """
        nearest = np.full(len(ray), np.inf)
        slack = 1e-9 * np.maximum(1, np.abs(until))
        across, down = self._sides()
        left, _, back = self._corner()
        # The triangle at higher z comes first, then the triangle at higher x.
        for (a, b, c), side in zip(self._triangles(i, j), (-1, 1), strict=True):
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                distance = _distance_to_plane(ray, toward, a, np.cross(b - a, c - a))
                point = ray + toward * distance[:, None]
                u = (point[:, 0] - left) / across - i
                v = (point[:, 2] - back) / down - j
                is_in_time = (distance >= at - slack) & (distance <= until + slack)
                hits = is_in_time & (distance >= 0) & ((u - v) * side >= -1e-9)
            nearest = np.where(hits, np.minimum(nearest, distance), nearest)
        return nearest

    def _triangles(self, i: Rows, j: Rows) -> list[tuple[Doubles, Doubles, Doubles]]:
        """Return the two triangles of each square. A triangle is three arrays of corners, each of
        shape (n, 3). The corners are counter-clockwise when seen from above.
        """
        rows, columns = self._shape()
        i = np.clip(i, 0, columns - 2)
        j = np.clip(j, 0, rows - 2)
        width, depth = self._sides()
        left, bottom, back = self._corner()

        def corner(across: int, down: int) -> Doubles:
            x = left + (i + across) * width
            z = back + (j + down) * depth
            return np.column_stack([x, bottom + self.heights[j + down, i + across], z])

        near = corner(0, 0)
        far = corner(1, 1)
        return [(near, corner(0, 1), far), (near, far, corner(1, 0))]

    def mesh(self) -> Mesh:
        """Return a `Mesh` of the ground, with smooth normals.

        The texture coordinates stretch one image over the whole terrain. The upper edge of the
        image is at the edge of the terrain with the lowest z.
        """
        rows, columns = self._shape()
        uvs = grid_uvs(columns - 1, rows - 1)
        left, bottom, back = self._corner()
        x = left + uvs[:, 0] * self.size[0]
        z = back + uvs[:, 1] * self.size[1]
        positions = np.column_stack([x, bottom + self.heights.ravel(), z])
        return Mesh(positions, grid_indices(columns - 1, rows - 1), uvs=uvs)


def _nearest_of(
    heights: list[list[float]],
    corner: tuple[int, int],
    away: tuple[float, float, float],
    cell: tuple[float, float],
    bound: float,
) -> tuple[tuple[float, float, float], float]:
    """Return the point on the ground nearest to (0, 0, 0), and its squared distance.

    `_nearest_of` does the same as `Heightfield._nearest_in`, but for a single point. All
    coordinates are relative to the given point, which is therefore (0, 0, 0). ``heights`` contains
    some rows and columns of the field's heights. ``corner`` is the column and the row of the first
    number in ``heights``. ``away`` is the position of the field's corner, relative to the point
    (0, 0, 0). The result is correct only if the squared distance is at most ``bound``.
    """
    across, down = cell
    nearest = (math.nan, math.nan, math.nan)
    min_squared = math.inf
    for j, (upper, lower) in enumerate(itertools.pairwise(heights), corner[1]):
        z = j * down + away[2]
        row_distance = max(z, 0.0, -(z + down))  # the distance along z from the point to the row
        for i, (near, right, below, far) in enumerate(
            zip(upper, upper[1:], lower, lower[1:], strict=False), corner[0]
        ):
            x = i * across + away[0]
            column_distance = max(x, 0.0, -(x + across))
            above = max(
                min(near, right, below, far) + away[1],
                0.0,
                -(max(near, right, below, far) + away[1]),
            )
            if (
                column_distance * column_distance + above * above + row_distance * row_distance
                > bound
            ):
                continue
            candidate, squared = _nearest_in_square(x, z, (near, right, below, far), away[1], cell)
            if squared < min_squared:
                nearest = candidate
                min_squared = squared
                bound = min(bound, squared * (1 + 1e-9) + 1e-18)
    return nearest, min_squared


def _nearest_in_square(
    x: float,
    z: float,
    heights: tuple[float, float, float, float],
    up: float,
    cell: tuple[float, float],
) -> tuple[tuple[float, float, float], float]:
    """Return the point on a square nearest to (0, 0, 0), and its squared distance.

    The function does the same as `Heightfield._nearest_in`, but for a single square. ``x`` and
    ``z`` are the coordinates of the square's corner. ``heights`` are the heights of the square's
    four corners. The function adds ``up`` to each height to make the heights relative to (0, 0, 0).
    """
    across, down = cell
    near, right, below, far = heights
    nearest = (math.nan, math.nan, math.nan)
    min_squared = math.inf
    y = near + up
    upper = (right - near) / across, (far - right) / down, 1
    lower = (far - below) / across, (below - near) / down, -1
    # The nearest point inside each triangle, along its normal.
    for along, slope, side in (upper, lower):
        over = (along * x + slope * z - y) / (1 + along * along + slope * slope)
        px = over * along
        pz = over * slope
        u = (px - x) / across
        v = (pz - z) / down
        if 0 <= u <= 1 and 0 <= v <= 1 and (u - v) * side >= 0:
            squared = px * px + over * over + pz * pz
            if squared < min_squared:
                nearest = (px, -over, pz)
                min_squared = squared
    corners = (
        (x, y, z),
        (x + across, right + up, z),
        (x, below + up, z + down),
        (x + across, far + up, z + down),
    )
    for start, end in _EDGES:
        sx, sy, sz = corners[start]
        ex, ey, ez = corners[end]
        ex = ex - sx
        ey = ey - sy
        ez = ez - sz
        share = -(sx * ex + sy * ey + sz * ez) / (ex * ex + ey * ey + ez * ez)
        share = (share if share < 1 else 1.0) if share > 0 else 0.0
        px = sx + ex * share
        py = sy + ey * share
        pz = sz + ez * share
        squared = px * px + py * py + pz * pz
        if squared < min_squared:
            nearest = (px, py, pz)
            min_squared = squared
    return nearest, min_squared


def _distance_to_plane(ray: Doubles, toward: Doubles, corner: Doubles, normal: Doubles) -> Doubles:
    """Return the distance along each ray at which it crosses a plane, from a point on the plane and
    the normal of the plane.
    """
    ahead: Doubles = ((corner - ray) * normal).sum(axis=1)
    speed: Doubles = (toward * normal).sum(axis=1)
    return ahead / speed


def _nearest_on_edges(corners: Doubles) -> Doubles:
    """Return the points nearest to (0, 0, 0) on the five edges of each square's triangles, as an
    array of shape (n, 5, 3). ``corners`` has the shape (n, 4, 3).
    """
    start = corners[:, _STARTS]
    edge = corners[:, _ENDS] - start
    share = -exact.dot(start, edge) / exact.dot(edge, edge)
    nearest: Doubles = start + edge * _within(share, 1)[:, :, None]
    return nearest


def _squared_with_margin(beside: _Number, above: _Number, before: _Number) -> _Number:
    """Return slightly more than the squared length of a vector, so that no square is left out
    because of rounding errors.
    """
    return (beside * beside + before * before + above * above) * (1 + 1e-9) + 1e-18


def _square_at(position: float, side: float, count: int) -> int:
    """Return the index of the nearest square along one axis. ``position`` is the distance from the
    corner of the field. ``side`` is the length of a square. ``count`` is the number of corners.
    """
    return int(min(count - 2, max(0.0, position / side)))


def _squares_along(center: Doubles, window: Doubles, side: float, count: int) -> tuple[Rows, Rows]:
    """Return the first square within ``window`` units of each center along one axis, and the number
    of these squares. ``side`` is the length of a square. ``count`` is the number of corners.
    """
    first: Rows = _within((center - window) / side, count - 2).astype(np.intp)
    last: Rows = _within((center + window) / side, count - 2).astype(np.intp)
    return first, last - first + 1


def _min_per_group(values: Doubles, group: Rows, count: int) -> tuple[Rows, Doubles]:
    """Return the index of the lowest value in each of ``count`` groups, and this value. If several
    values are equal, return the index of the first value.

    ``group`` contains the group of each value, in ascending order. No group is empty.
    """
    if not count:
        return np.empty(0, np.intp), np.empty(0)
    groups = np.arange(count)
    minimum: Doubles = np.minimum.reduceat(values, np.searchsorted(group, groups))
    candidates = np.flatnonzero(values == minimum[group])
    return candidates[np.searchsorted(group[candidates], groups)], minimum


def _points(points: ArrayLike) -> Doubles:
    return checks.numbers("points", points, (None, 3), finite=False)


def _within(numbers: Doubles, upper: float) -> Doubles:
    """Clip numbers to the range from 0 to ``upper``, and replace each NaN with 0."""
    inside: Doubles = np.fmin(np.fmax(numbers, 0), upper)
    return inside
