"""Rays: where they meet balls, boxes and triangles, and which instance of a mesh they meet first. Pure NumPy.

An ``origin`` and a ``direction`` are (3,), or (n, 3) for one ray a shape. Distances are in units of the direction's
length, infinite where nothing is met.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import quaternions
from .camera3d import checked_vector
from .mesh import Mesh
from .transforms3d import Transforms3D

Numbers = NDArray[np.float64]

# Rays times triangles that are tested at once: some 20 MB of intermediate numbers.
_PAIRS = 1 << 17


class Met(NamedTuple):
    """Where a ray meets a row."""

    row: int
    distance: float
    point: tuple[float, float, float]
    normal: tuple[float, float, float]


def checked_ray(origin: ArrayLike, direction: ArrayLike) -> tuple[Numbers, Numbers]:
    """Both as float64 (3,), the direction of length 1. Raises `ValueError`, by name, for anything else."""
    start, way = checked_vector("origin", origin, 3), checked_vector("direction", direction, 3)
    length = float(np.linalg.norm(way))
    if not length:
        raise ValueError("direction: expected a vector of some length, got (0, 0, 0)")
    return start, way / length


def ray_spheres(origin: Numbers, direction: Numbers, centers: NDArray[np.floating], radii: ArrayLike) -> Numbers:
    """How far it is into balls at ``centers`` (n, 3) of ``radii`` (n,): (n,), 0 from within."""
    way, squared = centers - origin, np.square(np.asarray(radii))
    length = np.sqrt((direction**2).sum(axis=-1))
    along = np.einsum("...j,...j->...", way, np.broadcast_to(direction, way.shape)) / length
    beside = way - (along / length)[..., None] * direction  # |way|² - along² would lose the digits of what is far
    with np.errstate(invalid="ignore", over="ignore"):
        chord = squared - np.einsum("...j,...j->...", beside, beside)
        met = (chord >= 0) & ((along >= 0) | (along**2 <= chord))
        return np.where(met, np.maximum(along - np.sqrt(np.maximum(chord, 0)), 0) / length, np.inf)


def ray_boxes(origin: Numbers, direction: Numbers, low: NDArray[np.floating], high: NDArray[np.floating]) -> Numbers:
    """How far it is into upright boxes between ``low`` and ``high`` (n, 3): (n,), 0 from within."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (low - origin) / direction, (high - origin) / direction
    # A ray along a slab never crosses its sides: it is within, or never is.
    within = np.where((low <= origin) & (origin <= high), -np.inf, np.inf)
    enter = np.where(direction == 0, within, np.minimum(first, second)).max(axis=-1, initial=0)
    leave = np.where(direction == 0, np.inf, np.maximum(first, second)).min(axis=-1)
    return np.where(enter <= leave, enter, np.inf)


def ray_triangles(origin: Numbers, direction: Numbers, corners: NDArray[np.floating]) -> tuple[Numbers, Numbers]:
    """How far it is to triangles (…, 3, 3), which broadcast with the rays, by Möller and Trumbore.

    Returns the distances and, of the same shape, the side that is met: above 0 where their front is.
    """
    one, two = corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        across = np.cross(direction, two)
        side = (one * across).sum(axis=-1)
        start = origin - corners[..., 0, :]
        u = (start * across).sum(axis=-1) / side
        over = np.cross(start, one)
        v = (direction * over).sum(axis=-1) / side
        distance = (two * over).sum(axis=-1) / side
        # Edges belong to both triangles: a ray never slips through between two.
        met = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (distance >= 0)
    return np.where(met, distance, np.inf), side


def nearest(
    mesh: Mesh,
    transforms: Transforms3D,
    origin: ArrayLike,
    direction: ArrayLike,
    alpha: float,
    *,
    among: NDArray[np.bool_],
    both_sides: bool = False,
) -> Met | None:
    """The first of the rows ``among`` (n,) that a ray meets, each showing ``mesh`` where it is drawn at ``alpha``.

    First the balls about all rows, then the triangles of those that are met, the nearest first.
    """
    start, way = checked_ray(origin, direction)
    centers, radii = transforms.balls(alpha, mesh)
    # A little wider, as float32 is not exact far from the ray's start.
    entry = ray_spheres(start.astype(centers.dtype), way.astype(centers.dtype), centers, radii * np.float32(1.01))
    rows = np.flatnonzero(np.isfinite(entry) & among)
    rows = rows[np.argsort(entry[rows], kind="stable")]
    corners = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype(np.float64)
    step = max(1, _PAIRS // len(corners))
    best: Met | None = None
    for first in range(0, len(rows), step):
        some = rows[first : first + step]
        if best is not None and entry[some[0]] > best.distance:
            break
        met = _nearest_of(corners, transforms, some, start, way, alpha, both_sides)
        if met is not None and (best is None or met.distance < best.distance):
            best = met
    return best


def _nearest_of(
    corners: Numbers,
    transforms: Transforms3D,
    rows: NDArray[np.intp],
    start: Numbers,
    way: Numbers,
    alpha: float,
    both_sides: bool,
) -> Met | None:
    position, rotation, scale = [part.astype(np.float64) for part in transforms.pose(alpha, rows)]
    # The ray as each instance sees it. Its direction shrinks with the scale, so that distances stay those of the world.
    back = quaternions.conjugate(rotation)
    with np.errstate(all="ignore"):  # what is of no size in some way has no inside to look from, and is not met
        local_start = quaternions.rotate(back, start - position) / scale
        local_way = quaternions.rotate(back, np.broadcast_to(way, position.shape)) / scale
        distance, side = ray_triangles(local_start[:, None], local_way[:, None], corners[None])
        if not both_sides:  # a mirrored instance shows the other side
            distance = np.where(side * np.sign(scale.prod(axis=1))[:, None] > 0, distance, np.inf)
    distance = np.where(np.isnan(distance), np.inf, distance)
    index = int(np.argmin(distance))
    row, triangle = divmod(index, len(corners))
    far = float(distance[row, triangle])
    if not np.isfinite(far):
        return None
    face = np.cross(corners[triangle, 1] - corners[triangle, 0], corners[triangle, 2] - corners[triangle, 0])
    normal = quaternions.rotate(rotation[row][None], (face / scale[row])[None])[0]
    normal /= np.linalg.norm(normal) * (-1 if normal @ way > 0 else 1)
    return Met(int(rows[row]), far, tuple((start + way * far).tolist()), tuple(normal.tolist()))
