"""Find the balls on one ray, or the first triangle of a mesh on a few rays, faster than `rays`.

The results are exactly the same as those of `rays.ray_spheres` and `rays.ray_triangles`, in a third
of the time. These functions do not check their arguments.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Doubles, Mask, Reals, Rows


def entered_spheres(origin: Reals, direction: Reals, centers: Reals, radii: Reals) -> Rows:
    """Return the indices of the balls that one ray enters. The indices are sorted by the distance
    at which the ray enters each ball. The distances are exactly the same as in `ray_spheres`.

    ``origin`` and ``direction`` have the shape (3,), ``centers`` has the shape (n, 3), and
    ``radii`` has the shape (n,). ``origin``, ``direction`` and ``centers`` must have the same type.
    The arguments are not checked. NumPy may warn about invalid numbers, so call this function
    inside ``np.errstate``.
    """
    column = direction[:, None]
    # By default, the coordinates of each center would follow each other in memory. Operations on
    # such an array take longer.
    to: Reals = np.subtract(centers.T, origin[:, None], order="C")
    length = np.sqrt(_sum_of(direction * direction))
    along: Reals = _sum_of(to * column)
    along /= length
    to -= (along / length) * column
    to *= to
    chord: Reals = radii * radii - _sum_of(to)
    # For a ball beside the ray, `chord` is negative, so its root is NaN and all comparisons are False.
    root: Reals = np.sqrt(chord, out=chord)
    hits: Mask = along + root >= 0
    rows: Rows = hits.nonzero()[0]
    if len(rows) < 2:
        return rows
    along -= root
    distance: Reals = np.maximum(along[rows], 0)
    return rows[distance.argsort(kind="stable")]


_YZX = [1, 2, 0]
_ZXY = [2, 0, 1]


class Triangles(NamedTuple):
    """The triangles of a mesh, prepared for many rays: float64 arrays for k triangles.

    ``corner`` has the shape (5, 1, k), with the coordinates x y z x y of the first corners. The
    other arrays have the shape (3, 2, 1, k). The second axis contains the two edges at the first
    corner. If the name of an array ends with letters such as ``yzx``, its coordinates are in this
    order, otherwise in the order x y z.
    """

    corner: Doubles
    edges: Doubles
    """The edges: the first edge, then the second edge."""
    swapped_yzx: Doubles
    """The edges: the second edge, then the first edge."""
    swapped_zxy: Doubles

    @classmethod
    def of(cls, corners: Doubles) -> Triangles:
        """Prepare triangles. ``corners`` contains the three corners of each triangle: a float64
        array of shape (k, 3, 3).
        """
        corner = corners[:, 0].T[:, None]
        first = corners[:, 1] - corners[:, 0]
        second = corners[:, 2] - corners[:, 0]
        edges: Doubles = np.stack([first.T, second.T], axis=1)[:, :, None]
        swapped = edges[:, ::-1]
        return cls(np.concatenate([corner, corner[:2]]), edges, swapped[_YZX], swapped[_ZXY])

    def nearest_hit(self, rays: Doubles, mirrors: Doubles | None) -> tuple[int, int, float] | None:
        """Return the nearest of all hits between n rays and k triangles: the index of the ray, the
        index of the triangle, and the distance, which is the same as in `ray_triangles`. Return
        None if no ray hits a triangle.

        ``rays`` is a float64 array of shape (5, 2, n, 1) of directions and origins, with the
        coordinates x y z x y. ``mirrors`` is None, or an array of shape (n, 1) with one number for
        each ray. The sign of a number in ``mirrors`` selects the side of the triangles that the ray
        can hit. NumPy may warn about divisions by 0, so call this method inside ``np.errstate``.
        """
        count = rays.shape[2], self.corner.shape[2]
        # Each NumPy operation computes two cross products or two dot products. For a few rays, the
        # number of operations determines the time.
        vectors = np.empty((5, 2, *count))
        vectors[:, 0] = rays[:, 0]
        np.subtract(rays[:, 1], self.corner, out=vectors[:, 1])
        crosses = vectors[1:4] * self.swapped_zxy
        crosses -= vectors[2:] * self.swapped_yzx
        products = np.empty((3, 4, *count))
        np.multiply(vectors[:3, ::-1], crosses, out=products[:, :2])
        np.multiply(self.edges[:, ::-1], crosses[:, ::-1], out=products[:, 2:])
        sums: Doubles = products[0] + products[1]
        sums += products[2]
        side: Doubles = sums[3]
        shares: Doubles = sums[:3]
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


# Each edge belongs to both triangles beside it, so no ray passes between two triangles.
_SLACK = 1e-9
_LEAST_SHARES = np.array([-_SLACK, -_SLACK, 0.0])[:, None, None]


def _sum_of(products: Reals) -> Any:
    """Return the sum x + y + z of an array of shape (3, …). The function adds the three numbers in
    this order: x, y, z.
    """
    total: Any = products[0] + products[1]
    total += products[2]
    return total
