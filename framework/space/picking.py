"""Picking: find the first instance of a mesh on a ray, for example under the mouse.

For rays and simple shapes, see `framework.rays`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Mask, Rows
from ..geometry import quaternions
from ..geometry.mesh import Mesh
from ..geometry.pairwise import cross
from ..geometry.rays import checked_ray, ray_spheres, ray_triangles
from ..moved_names import renamed_functions
from ..state.transforms3d import PoseTable3D

__all__ = ["RowHit", "nearest"]

# Pairs of instances and triangles that are tested at once: about 20 MB of intermediate numbers.
_PAIRS = 1 << 17


if not TYPE_CHECKING:
    __getattr__ = renamed_functions("picking", Met="RowHit")


class RowHit(NamedTuple):
    """The point where a ray hits a row: row index, distance in units, and the point and normal in
    the world.
    """

    row: int
    distance: float
    point: tuple[float, float, float]
    normal: tuple[float, float, float]


def nearest(
    mesh: Mesh,
    transforms: PoseTable3D,
    origin: ArrayLike,
    direction: ArrayLike,
    alpha: float,
    *,
    among: Mask,
    both_sides: bool = False,
) -> RowHit | None:
    """Return the first row of ``transforms`` on a ray, or None.

    ``among`` is a mask of the shape (n,). Rows that are False in ``among`` are ignored. Each row
    shows ``mesh`` at the position where it is drawn at ``alpha``. First, the ray is compared with
    the bounding spheres of all rows. Then the ray is compared with the triangles of the rows that
    it may hit, nearest first.
    """
    start, along = checked_ray(origin, direction)
    centers, radii = transforms.balls(alpha, mesh)
    # The spheres are a little larger, because float32 is not exact far from the ray's start.
    entry = ray_spheres(
        start.astype(centers.dtype), along.astype(centers.dtype), centers, radii * np.float32(1.01)
    )
    rows = np.flatnonzero(np.isfinite(entry) & among)
    rows = rows[np.argsort(entry[rows], kind="stable")]
    corners = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype(np.float64)
    step = max(1, _PAIRS // len(corners))
    best: RowHit | None = None
    for first in range(0, len(rows), step):
        part = rows[first : first + step]
        nearest_entry: float = entry[part[0]]
        if best is not None and nearest_entry > best.distance:
            break
        hit = _nearest_of(corners, transforms, part, start, along, alpha, both_sides)
        if hit is not None and (best is None or hit.distance < best.distance):
            best = hit
    return best


def _nearest_of(
    corners: Doubles,
    transforms: PoseTable3D,
    rows: Rows,
    start: Doubles,
    direction: Doubles,
    alpha: float,
    both_sides: bool,
) -> RowHit | None:
    position, rotation, scale = [part.astype(np.float64) for part in transforms.pose(alpha, rows)]
    # The ray is transformed to the local space of each instance. The ray's direction is scaled,
    # too, so that distances are still in world units.
    back = quaternions.conjugate(rotation)
    with np.errstate(all="ignore"):  # an instance with a scale of 0 along an axis is never hit
        local_start = quaternions.rotate(back, start - position) / scale
        local_direction = (
            quaternions.rotate(back, np.broadcast_to(direction, position.shape)) / scale
        )
        distance, side = ray_triangles(
            local_start[:, None], local_direction[:, None], corners[None]
        )
        if not both_sides:  # a mirrored instance shows the other side
            distance = np.where(side * np.sign(scale.prod(axis=1))[:, None] > 0, distance, np.inf)
    distance = np.where(np.isnan(distance), np.inf, distance)
    index = int(np.argmin(distance))
    row, triangle = divmod(index, len(corners))
    far = float(distance[row, triangle])
    if not np.isfinite(far):
        return None
    a: Doubles
    b: Doubles
    c: Doubles
    a, b, c = corners[triangle]
    face = cross(b - a, c - a)
    normal: Doubles = quaternions.rotate(rotation[row][None], (face / scale[row])[None])[0]
    normal /= np.linalg.norm(normal) * (-1 if normal @ direction > 0 else 1)
    return RowHit(int(rows[row]), far, _three(start + direction * far), _three(normal))


def _three(vector: Doubles) -> tuple[float, float, float]:
    numbers: list[float] = vector.tolist()
    x, y, z = numbers
    return x, y, z
