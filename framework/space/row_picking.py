"""Find the first row that a ray hits, if every row has triangles of its own, as bent meshes do."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..arrays import Doubles, Reals
from ..geometry.pairwise import cross
from .picking import RowHit


def first_hit(
    entry: Reals,
    start: Doubles,
    direction: Doubles,
    first_triangle: Callable[[int], tuple[float, Doubles]],
) -> RowHit | None:
    """Return the first row that a ray hits, or None.

    ``entry`` contains the distance at which the ray enters a sphere around each row, or infinity.
    ``first_triangle(row)`` returns the distance along the ray to the first triangle of a row, and
    the corners of this triangle, with the shape (3, 3). The distance is infinite or NaN if the ray
    does not hit the row. The function is called for the nearest spheres first, and not for spheres
    behind a hit.
    """
    near = np.flatnonzero(np.isfinite(entry))
    nearest_first: list[int] = near[np.argsort(entry[near], kind="stable")].tolist()
    best: RowHit | None = None
    distance = math.inf
    for row in nearest_first:
        if float(entry[row]) > distance:
            break
        far, triangle = first_triangle(row)
        if far < distance:
            distance = far
            x, y, z = (start + direction * far).tolist()
            best = RowHit(row, far, (x, y, z), _normal_against(direction, triangle))
    return best


def _normal_against(direction: Doubles, triangle: Doubles) -> tuple[float, float, float]:
    """Return the normal of a triangle on the side that a ray along ``direction`` hits."""
    a: Doubles
    b: Doubles
    c: Doubles
    a, b, c = triangle
    normal = cross(b - a, c - a)
    normal /= np.linalg.norm(normal) * (-1 if normal @ direction > 0 else 1)
    x, y, z = normal.tolist()
    return x, y, z
