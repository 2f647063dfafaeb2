"""Rays: distances along rays to balls, boxes and triangles.

``origin`` and ``direction`` have the shape (3,) for one ray, or (n, 3) for one ray per shape.
Distances are multiples of the length of ``direction``. For a direction of length 1, distances are
in units. The distance is infinite if the ray misses the shape.
"""

from __future__ import annotations

__all__ = ["ray_boxes", "ray_spheres", "ray_triangles"]

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Reals, Rows
from . import exact
from .pairwise import cross, one_row


def checked_ray(origin: ArrayLike, direction: ArrayLike) -> tuple[Doubles, Doubles]:
    """Return ``origin`` and ``direction`` as float64 (3,). The direction is scaled to length 1.

    Raises `ValueError` or `TypeError` with the name of a wrong argument.
    """
    start = one_row(origin, 3) if isinstance(origin, tuple) and len(origin) == 3 else None
    if start is None or not math.isfinite(sum(start)):
        return checks.vector("origin", origin, 3), checks.direction("direction", direction)
    return np.array(start), np.array(checks.direction_parts("direction", direction))


def ray_spheres(origin: Doubles, direction: Doubles, centers: Reals, radii: ArrayLike) -> Doubles:
    """Return the distance along each ray to a ball: an array (n,). The distance is 0 if the ray
    starts inside the ball.

    ``centers`` is an array (n, 3) and ``radii`` an array (n,), in units.
    """
    origin, direction, centers = _vectors(origin=origin, direction=direction, centers=centers)
    to = centers - origin
    squared = np.square(_numbers("radii", radii))
    length = exact.norm(direction)
    along = exact.dot(to, direction) / length
    # The simpler |to|² - along² would lose digits for distant balls.
    beside = to - (along / length)[..., None] * direction
    with np.errstate(invalid="ignore", over="ignore"):
        chord = squared - exact.dot(beside, beside)
        hits = (chord >= 0) & ((along >= 0) | (along**2 <= chord))
        return np.where(hits, np.maximum(along - np.sqrt(np.maximum(chord, 0)), 0) / length, np.inf)


def entered_spheres(origin: Reals, direction: Reals, centers: Reals, radii: Reals) -> Rows:
    """Return the indices of the balls that one ray enters, sorted by the distance at which the ray
    enters them. The distances are those of `ray_spheres`, with the same bits.

    The arguments are arrays (3,), (3,), (n, 3) and (n,). The type of the first three is the same.
    The arguments are not checked.
    """
    column = direction[:, None]
    to: Reals = centers.T - origin[:, None]
    length = np.sqrt(_sum_of(direction * direction))
    along: Reals = _sum_of(to * column)
    along /= length
    with np.errstate(invalid="ignore", over="ignore"):
        to -= (along / length) * column
        to *= to
        chord: Reals = radii * radii - _sum_of(to)
        hits: Mask = along * along <= chord
        hits |= along >= 0
        hits &= chord >= 0
    rows: Rows = hits.nonzero()[0]
    if len(rows) < 2:
        return rows
    distance: Reals = np.maximum(along[rows] - np.sqrt(chord[rows]), 0)
    return rows[distance.argsort(kind="stable")]


def ray_boxes(origin: Doubles, direction: Doubles, low: Reals, high: Reals) -> Doubles:
    """Return the distance along each ray to an upright box: an array (n,). The distance is 0 if the
    ray starts inside the box.

    A box reaches from ``low`` to ``high``. ``low`` and ``high`` are arrays (n, 3), in units.
    """
    origin, direction, low, high = _vectors(origin=origin, direction=direction, low=low, high=high)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = (low - origin) / direction
        second = (high - origin) / direction
    # A ray parallel to a slab never crosses its sides: it is always or never inside.
    inside = np.where((low <= origin) & (origin <= high), -np.inf, np.inf)
    still: Mask = direction == 0
    enter: Reals = np.where(still, inside, np.minimum(first, second)).max(axis=-1, initial=0)
    leave: Reals = np.where(still, np.inf, np.maximum(first, second)).min(axis=-1)
    return np.where(enter <= leave, enter, np.inf)


def ray_triangles(origin: Doubles, direction: Doubles, corners: Reals) -> tuple[Doubles, Doubles]:
    """Return the distance along each ray to a triangle, and the side of the triangle that the ray
    hits.

    ``corners`` is an array (…, 3, 3), and is broadcast against the rays. The returned sides and
    distances have the same shape. The side is a number above 0 if the ray hits the front of the
    triangle. The method is the algorithm of Möller and Trumbore.
    """
    origin, direction, corners = _vectors(origin=origin, direction=direction, corners=corners)
    if corners.shape[-2:] != (3, 3):
        raise checks.wrong_value("corners", "numbers of shape (…, 3, 3)", corners)
    first_edge = corners[..., 1, :] - corners[..., 0, :]
    second_edge = corners[..., 2, :] - corners[..., 0, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        across = cross(direction, second_edge)
        side: Reals = (first_edge * across).sum(axis=-1)
        start = origin - corners[..., 0, :]
        u: Reals = (start * across).sum(axis=-1) / side
        normal = cross(start, first_edge)
        v: Reals = (direction * normal).sum(axis=-1) / side
        distance: Reals = (second_edge * normal).sum(axis=-1) / side
        hits = (u >= -_SLACK) & (v >= -_SLACK) & (u + v <= 1 + _SLACK) & (distance >= 0)
    return np.where(hits, distance, np.inf), side


_YZX = [1, 2, 0]
_ZXY = [2, 0, 1]


class Triangles(NamedTuple):
    """Triangles of a mesh, prepared for many rays: float64 arrays (3, 1, k) for k triangles.

    The first axis has the coordinates. The names of the arrays say their order: x y z, y z x or
    z x y.
    """

    corner_yzx: Doubles
    corner_zxy: Doubles
    corner: Doubles
    first_edge: Doubles
    first_edge_yzx: Doubles
    first_edge_zxy: Doubles
    second_edge: Doubles
    second_edge_yzx: Doubles
    second_edge_zxy: Doubles

    @classmethod
    def of(cls, corners: Doubles) -> Triangles:
        """Prepare triangles. ``corners`` is float64 (k, 3, 3): the three corners of each triangle."""
        corner: Doubles = np.ascontiguousarray(corners[:, 0].T[:, None])
        first: Doubles = np.ascontiguousarray((corners[:, 1] - corners[:, 0]).T[:, None])
        second: Doubles = np.ascontiguousarray((corners[:, 2] - corners[:, 0]).T[:, None])
        return cls(
            corner[_YZX],
            corner[_ZXY],
            corner,
            first,
            first[_YZX],
            first[_ZXY],
            second,
            second[_YZX],
            second[_ZXY],
        )

    def nearest_hit(
        self, origin: Doubles, direction: Doubles, mirrors: Doubles | None
    ) -> tuple[int, int, float] | None:
        """Return the nearest hit of n rays and k triangles: the index of the ray, the index of the
        triangle, and the distance as in `ray_triangles`. Return None if no ray hits.

        ``origin`` and ``direction`` are float64 (5, n, 1): the coordinates x y z x y of the rays.
        If ``mirrors`` is given, an array (n, 1), a ray hits only triangles whose side has the sign
        of its number.
        """
        count = origin.shape[1], self.corner.shape[2]
        products = np.empty((4, 3, *count))
        with np.errstate(all="ignore"):
            across = direction[1:4] * self.second_edge_zxy
            across -= direction[2:] * self.second_edge_yzx
            normal = (origin[1:4] - self.corner_yzx) * self.first_edge_zxy
            normal -= (origin[2:] - self.corner_zxy) * self.first_edge_yzx
            np.multiply(self.first_edge, across, out=products[0])
            np.multiply(origin[:3] - self.corner, across, out=products[1])
            np.multiply(direction[:3], normal, out=products[2])
            np.multiply(self.second_edge, normal, out=products[3])
            sums: Doubles = products[:, 0] + products[:, 1]
            sums += products[:, 2]
            side: Doubles = sums[0]
            shares: Doubles = sums[1:]
            shares /= side
            within: Mask = shares >= _LEAST_SHARES
            hits: Mask = shares[0] + shares[1] <= 1 + _SLACK
            hits &= within[0]
            hits &= within[1]
            hits &= within[2]
            if mirrors is not None:
                side *= mirrors
                hits &= side > 0
            indices: Rows = hits.reshape(-1).nonzero()[0]
        if not len(indices):
            return None
        distances = shares[2].reshape(-1)
        index = int(indices[0])
        if len(indices) > 1:
            index = int(indices[distances[indices].argmin()])
        distance: float = distances.item(index)
        return (*divmod(index, count[1]), distance) if distance < math.inf else None


# Edges belong to both of their triangles, so that no ray slips through between two triangles.
_SLACK = 1e-9
_LEAST_SHARES = np.array([-_SLACK, -_SLACK, 0.0])[:, None, None]


def _sum_of(products: Reals) -> Any:
    """Return x + y + z of products (3, …), in this order."""
    total: Any = products[0] + products[1]
    total += products[2]
    return total


def _vectors(**values: ArrayLike) -> list[Reals]:
    """Return the arguments as arrays of shape (…, 3). The arrays keep their type, float32 or
    float64.
    """
    return [_vector(name, value) for name, value in values.items()]


def _vector(name: str, value: ArrayLike) -> Reals:
    numbers = _numbers(name, value)
    if numbers.shape[-1:] != (3,):
        raise checks.wrong_value(name, "numbers of shape (3,) or (…, 3)", value)
    return numbers


def _numbers(name: str, value: ArrayLike) -> Reals:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value  # usually
    return checks.numbers(name, value, None, finite=False)
