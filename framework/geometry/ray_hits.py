"""Ray hits: find the balls on one ray, or the first triangle of a mesh on a few rays.

The results are exactly the same as those of `rays.ray_spheres` and `rays.ray_triangles`, but the
functions take a third of the time. The functions of this module do not check their arguments.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Doubles, Mask, Reals, Rows


def entered_spheres(origin: Reals, direction: Reals, centers: Reals, radii: Reals) -> Rows:
    """Return the indices of the balls that one ray enters. The indices are sorted by the distance
    at which the ray enters the ball. The distances are exactly the same as those of `ray_spheres`.

    ``origin`` and ``direction`` have the shape (3,), ``centers`` has the shape (n, 3), and
    ``radii`` has the shape (n,). ``origin``, ``direction`` and ``centers`` must have the same type.
    The arguments are not checked. NumPy may warn about invalid numbers, so call this function
    inside ``np.errstate``.
    """
    column = direction[:, None]
    to: Reals = centers.T - origin[:, None]
    length = np.sqrt(_sum_of(direction * direction))
    along: Reals = _sum_of(to * column)
    along /= length
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


_YZX = [1, 2, 0]
_ZXY = [2, 0, 1]


class Triangles(NamedTuple):
    """The triangles of a mesh, prepared for many rays: float64 arrays (3, 1, k) for k triangles.

    The first axis of each array has the three coordinates. The order of the coordinates is x y z, y
    z x or z x y. The name of each array contains this order.
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
        """Prepare triangles. ``corners`` has the three corners of each triangle: a float64 array
        (k, 3, 3).
        """
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
        """Return the nearest of all hits between n rays and k triangles. The returned hit has the
        index of the ray, the index of the triangle, and the distance. Distances are the same as in
        `ray_triangles`. Return None if no ray hits a triangle.

        ``origin`` and ``direction`` are float64 arrays (5, n, 1), with the coordinates x y z x y of
        the rays. ``mirrors`` is None, or an array (n, 1) with one number for each ray. The sign of
        a number in ``mirrors`` selects the side of the triangles that the ray can hit. NumPy may
        warn about divisions by 0, so call this method inside ``np.errstate``.
        """
        count = origin.shape[1], self.corner.shape[2]
        products = np.empty((4, 3, *count))
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


# Each edge belongs to both triangles beside it. So no ray passes between two triangles.
_SLACK = 1e-9
_LEAST_SHARES = np.array([-_SLACK, -_SLACK, 0.0])[:, None, None]


def _sum_of(products: Reals) -> Any:
    """Return the sum x + y + z of an array (3, …). The function adds the three numbers in this
    order: x, y, z.
    """
    total: Any = products[0] + products[1]
    total += products[2]
    return total
