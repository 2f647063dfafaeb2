"""Ground: heights on a grid, with what stands, rolls and looks on it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .collide import Contacts, Numbers, corners
from .mesh import Mesh


class Heightfield:
    """Ground of ``heights`` (rows, columns), the columns along x and the rows along z, ``cell`` units apart.

    Each square is two triangles, cut from its corner of lowest x and z to the one of highest: what is asked here and
    what `mesh` shows are the same ground, but for float32. Points are of shape (n, 3), of which x and z count. Beyond
    its edges the ground goes on as high as at the edge.

    Parameters
    ----------
    cell
        Units between two columns and between two rows; two numbers if they differ.
    origin
        Where the first column of the first row is, at height 0: by default so that (0, 0, 0) is in the middle.

    Raises `ValueError` for fewer than two rows or columns, and numbers that are not finite.
    """

    def __init__(
        self, heights: ArrayLike, cell: float | tuple[float, float] = 1.0, origin: ArrayLike | None = None
    ) -> None:
        self.heights: Numbers = np.array(heights, np.float64)
        if self.heights.ndim != 2 or min(self.heights.shape) < 2 or not np.isfinite(self.heights).all():
            raise ValueError(
                f"heights: expected finite numbers of shape (rows, columns), two at least, got {self.heights.shape}"
            )
        self.cell: Numbers = np.broadcast_to(np.asarray(cell, np.float64), (2,)).copy()
        if not (np.isfinite(self.cell).all() and (self.cell > 0).all()):
            raise ValueError(f"cell: expected finite numbers above 0, got {cell!r}")
        rows, columns = self.heights.shape
        self.size = float(self.cell[0] * (columns - 1)), float(self.cell[1] * (rows - 1))
        """Units along x and z."""
        self.origin: Numbers = np.array([-self.size[0] / 2, 0, -self.size[1] / 2] if origin is None else origin, float)
        if self.origin.shape != (3,) or not np.isfinite(self.origin).all():
            raise ValueError(f"origin: expected 3 finite numbers, got {origin!r}")

    def _place(self, points: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.intp], Numbers, Numbers]:
        """Column and row of the square below points, and how far they are across it, 0 to 1."""
        points = np.asarray(points, np.float64)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"points: expected numbers of shape (n, 3), got {points.shape}")
        rows, columns = self.heights.shape
        u = np.clip((points[:, 0] - self.origin[0]) / self.cell[0], 0, columns - 1)
        v = np.clip((points[:, 2] - self.origin[2]) / self.cell[1], 0, rows - 1)
        u, v = np.nan_to_num(u), np.nan_to_num(v)
        i, j = np.minimum(u.astype(np.intp), columns - 2), np.minimum(v.astype(np.intp), rows - 2)
        return i, j, u - i, v - j

    def _slopes(self, points: ArrayLike) -> tuple[Numbers, Numbers, Numbers]:
        """Height, and how it grows along x and z."""
        i, j, u, v = self._place(points)
        near, far = self.heights[j, i], self.heights[j + 1, i + 1]
        right, down = self.heights[j, i + 1], self.heights[j + 1, i]
        upper = u > v
        along, across = np.where(upper, right - near, far - down), np.where(upper, far - right, down - near)
        return self.origin[1] + near + along * u + across * v, along / self.cell[0], across / self.cell[1]

    def height_at(self, points: ArrayLike) -> Numbers:
        """How high the ground is below points (n, 3): (n,)."""
        return self._slopes(points)[0]

    def normal_at(self, points: ArrayLike) -> Numbers:
        """Straight out of the ground below points (n, 3): (n, 3), length 1."""
        _, along, across = self._slopes(points)
        normal = np.column_stack([-along, np.ones_like(along), -across])
        unit: Numbers = normal / np.linalg.norm(normal, axis=1, keepdims=True)
        return unit

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether points (n, 3) are above or below it, not beside: (n,)."""
        way = np.asarray(points, np.float64)[:, [0, 2]] - self.origin[[0, 2]]
        over = (way >= 0) & (way <= self.size)
        return over[:, 0] & over[:, 1]

    def spheres(self, center: ArrayLike, radius: ArrayLike) -> Contacts:
        """Balls at ``center`` (n, 3) of ``radius`` (n,) on the ground, each against all triangles within its reach."""
        balls = np.asarray(center, np.float64)
        radii = np.broadcast_to(np.asarray(radius, np.float64), (len(balls),))
        height, _, _ = self._slopes(balls)
        i, j, _, _ = self._place(balls)
        reach = max(1, math.ceil(float(radii.max(initial=0)) / float(self.cell.min())))
        best = np.full(len(balls), np.inf)
        point = balls.copy()
        for down in range(-reach, reach + 1):
            for across in range(-reach, reach + 1):
                for triangle in self._triangles(i + across, j + down):
                    nearest = _nearest_on(triangle, balls)
                    squared = ((nearest - balls) ** 2).sum(axis=1)
                    closer = squared < best
                    best = np.where(closer, squared, best)
                    point = np.where(closer[:, None], nearest, point)
        under = balls[:, 1] < height
        distance = np.sqrt(best)
        way = np.where(under[:, None], point - balls, balls - point)
        straight = self.normal_at(balls)
        normal = np.where(distance[:, None] > 1e-9, way / np.maximum(distance, 1e-9)[:, None], straight)
        return Contacts(radii + np.where(under, distance, -distance), normal, point)

    def boxes(self, middle: ArrayLike, half: ArrayLike, rotation: ArrayLike | None = None) -> Contacts:
        """Boxes on the ground, as in `collide.sphere_box`: by the corner that is deepest in it.

        A peak that is in a box between its corners is not noticed: squares should be smaller than boxes.
        """
        ends = corners(middle, half, rotation)
        flat = ends.reshape(-1, 3)
        normal = self.normal_at(flat)
        depth = ((self.height_at(flat) - flat[:, 1]) * normal[:, 1]).reshape(-1, 8)
        deepest = np.arange(len(ends)), np.argmax(depth, axis=1)
        normal, depth = normal.reshape(-1, 8, 3)[deepest], depth[deepest]
        return Contacts(depth, normal, ends[deepest] + normal * depth[:, None])

    def ray(self, origin: ArrayLike, direction: ArrayLike, farthest: float = math.inf) -> Numbers:
        """How far it is to the ground from ``origin`` (n, 3) along ``direction`` (n, 3): (n,), infinite without any.

        In units; found from above and from below. All rays go from square to square together, each at its own pace.
        """
        start, way = np.broadcast_arrays(np.asarray(origin, np.float64), np.asarray(direction, np.float64))
        if start.ndim != 2 or start.shape[1] != 3:
            raise ValueError(f"origin, direction: expected numbers of shape (n, 3), got {start.shape}")
        length = np.linalg.norm(way, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            way = way / length[:, None]
        found = np.full(len(start), np.inf)
        enter, leave = self._over(start, way, farthest)
        active = np.flatnonzero((enter <= leave) & np.isfinite(start).all(axis=1) & np.isfinite(way).all(axis=1))
        if not len(active):
            return found
        at = enter[active]
        i, j = self._square(start[active] + way[active] * at[:, None])
        while len(active):
            ray, to = start[active], way[active]
            corner = self.origin[[0, 2]] + np.column_stack([i, j]) * self.cell
            flat = to[:, [0, 2]]
            with np.errstate(divide="ignore", invalid="ignore"):
                sides = np.where(flat > 0, corner + self.cell, corner)
                crossing = np.where(flat != 0, (sides - ray[:, [0, 2]]) / flat, np.inf)
            until = np.minimum(crossing.min(axis=1), leave[active])
            met = self._in_square(ray, to, i, j, at, until)
            found[active] = met
            step = np.argmin(crossing, axis=1)
            i = i + np.where(step == 0, np.sign(flat[:, 0]), 0).astype(np.intp)
            j = j + np.where(step == 1, np.sign(flat[:, 1]), 0).astype(np.intp)
            rows, columns = self.heights.shape
            on = ~np.isfinite(met) & (until < leave[active]) & (i >= 0) & (j >= 0) & (i < columns - 1) & (j < rows - 1)
            active, i, j, at = active[on], i[on], j[on], until[on]
        return found

    def _over(self, start: Numbers, way: Numbers, farthest: float) -> tuple[Numbers, Numbers]:
        """From where to where rays are over or under the field."""
        low = np.array([self.origin[0], self.origin[1] + self.heights.min() - 1e-9, self.origin[2]])
        high = np.array([low[0] + self.size[0], self.origin[1] + self.heights.max() + 1e-9, low[2] + self.size[1]])
        with np.errstate(divide="ignore", invalid="ignore"):
            one, two = (low - start) / way, (high - start) / way
        enter = np.fmax.reduce(np.fmin(one, two), axis=1, initial=0)
        return enter, np.fmin.reduce(np.fmax(one, two), axis=1, initial=farthest)

    def _square(self, points: Numbers) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        i, j, _, _ = self._place(points)
        return i, j

    def _in_square(
        self, ray: Numbers, way: Numbers, i: NDArray[np.intp], j: NDArray[np.intp], at: Numbers, until: Numbers
    ) -> Numbers:
        """How far it is to the two triangles of a square between ``at`` and ``until``, infinite if they are not met."""
        best = np.full(len(ray), np.inf)
        slack = 1e-9 * np.maximum(1, np.abs(until))
        for (a, b, c), side in zip(self._triangles(i, j), (-1, 1), strict=True):
            normal = np.cross(b - a, c - a)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                distance = ((a - ray) * normal).sum(axis=1) / (way * normal).sum(axis=1)
                point = ray + way * distance[:, None]
                u = (point[:, 0] - self.origin[0]) / self.cell[0] - i
                v = (point[:, 2] - self.origin[2]) / self.cell[1] - j
                met = (distance >= at - slack) & (distance <= until + slack) & (distance >= 0)
                met &= (u - v) * side >= -1e-9  # the triangle at higher z, then the one at higher x
            best = np.where(met, np.minimum(best, distance), best)
        return best

    def _triangles(self, i: NDArray[np.intp], j: NDArray[np.intp]) -> list[tuple[Numbers, Numbers, Numbers]]:
        """The two triangles of squares, three corners (n, 3) each, counter-clockwise from above."""
        rows, columns = self.heights.shape
        i, j = np.clip(i, 0, columns - 2), np.clip(j, 0, rows - 2)

        def corner(across: int, down: int) -> Numbers:
            x, z = self.origin[0] + (i + across) * self.cell[0], self.origin[2] + (j + down) * self.cell[1]
            return np.column_stack([x, self.origin[1] + self.heights[j + down, i + across], z])

        near, far = corner(0, 0), corner(1, 1)
        return [(near, corner(0, 1), far), (near, far, corner(1, 0))]

    def mesh(self) -> Mesh:
        """The ground to be drawn: normals are smooth, the image lies over it once, its upper edge at the lowest z."""
        rows, columns = self.heights.shape
        u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
        x, z = self.origin[0] + u * self.size[0], self.origin[2] + v * self.size[1]
        positions = np.stack([x, self.origin[1] + self.heights, z], axis=-1).reshape(-1, 3)
        square = np.array([0, columns, columns + 1, 0, columns + 1, 1], np.uint32)
        first = np.arange(rows - 1, dtype=np.uint32)[:, None] * columns + np.arange(columns - 1, dtype=np.uint32)
        indices = (first.reshape(-1, 1) + square).reshape(-1)
        return Mesh(positions, indices, uvs=np.stack([u, v], axis=-1).reshape(-1, 2))


def _nearest_on(triangle: tuple[Numbers, Numbers, Numbers], points: Numbers) -> Numbers:
    """The nearest places on triangles, three corners (n, 3), to points (n, 3): within it, or on one of its edges."""
    a, b, c = triangle
    normal = np.cross(b - a, c - a)
    area = np.maximum((normal**2).sum(axis=1), 1e-300)
    share = ((points - a) * normal).sum(axis=1) / area
    flat = points - normal * share[:, None]
    best, least = flat, np.full(len(points), np.inf)
    within = np.ones(len(points), bool)
    for one, two in ((a, b), (b, c), (c, a)):
        edge = two - one
        within &= (np.cross(edge, flat - one) * normal).sum(axis=1) >= 0
        along = np.clip(((points - one) * edge).sum(axis=1) / np.maximum((edge**2).sum(axis=1), 1e-300), 0, 1)
        place = one + edge * along[:, None]
        squared = ((place - points) ** 2).sum(axis=1)
        best = np.where((squared < least)[:, None], place, best)
        least = np.minimum(squared, least)
    nearest: Numbers = np.where(within[:, None], flat, best)
    return nearest
