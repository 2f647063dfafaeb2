"""Find the first 3D object that a ray hits, for example under the mouse (picking).

For rays and simple shapes, see `framework.rays`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Doubles, Mask, Reals, Rows
from ..geometry.mesh import Mesh, triangles_of
from ..geometry.ray_hits import Triangles, entered_spheres
from ..geometry.rays import checked_ray, ray_spheres
from ..moved_names import renamed_functions
from ..other_engines.space_names import hit_names
from ..state.transforms3d import PoseTable3D

__all__ = ["Hit", "RowHit", "nearest"]

# The maximum number of pairs of an instance and a triangle in the first test. If an instance of the
# first test is hit, the instances behind it need no test. Each further test is twice as large, up to
# `_MAX_PAIRS`, which need about 20 MB of memory.
_PAIRS = 1 << 13
_MAX_PAIRS = 1 << 17
_MAX_FEW = 4  # up to this number of instances, a loop over single numbers is faster than arrays
_MARGIN = np.float32(1.01)


if not TYPE_CHECKING:
    __getattr__ = renamed_functions("picking", Met="RowHit")


T = TypeVar("T")


@hit_names
class Hit(NamedTuple, Generic[T]):
    """The result of `pick`: the point where a ray hits an object."""

    instance: T
    """The `Instance` of a batch of meshes, the `ModelInstance` or the `CrowdInstance`."""
    distance: float
    """The distance from the start of the ray to this point, in units."""
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    """The normal of the triangle that the ray hits, as a vector of length 1 in world coordinates.
    It points to the side from which the ray comes.
    """


@runtime_checkable
class Pickable(Protocol):
    """The interface of solids that `World.pick` tests."""

    def pick(
        self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0
    ) -> Hit[Any] | None: ...


class RowHit(NamedTuple):
    """A point where a ray hits a row: the row index, the distance in units, and the point and
    normal in the world.
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
    """Return the first row of ``transforms`` that a ray hits, or None.

    ``among`` is a bool array with the shape (n,). Rows that are False in ``among`` are ignored.
    Each row shows ``mesh`` at the position at which it is drawn in a frame. ``alpha`` is the time
    since the last tick, as a fraction of a tick. To save time, the function first tests the ray
    against a sphere around each row. It tests the triangles only of rows whose spheres are hit,
    beginning with the nearest row.
    """
    start, along = checked_ray(origin, direction)
    # An instance with a scale of 0 along an axis is never hit.
    with np.errstate(all="ignore"):
        return _nearest(mesh, transforms, start, along, alpha, among, both_sides)


def _nearest(
    mesh: Mesh,
    transforms: PoseTable3D,
    start: Doubles,
    along: Doubles,
    alpha: float,
    among: Mask,
    both_sides: bool,
) -> RowHit | None:
    """Return the result of `nearest`, for a ray that is already checked."""
    centers, radii = transforms.balls(alpha, mesh)
    # The spheres are a little larger, because float32 is not exact far from the ray's start.
    kind = centers.dtype
    radii *= _MARGIN
    from_here: Reals = start.astype(kind)
    ahead: Reals = along.astype(kind)
    rows = entered_spheres(from_here, ahead, centers, radii)
    rows = rows[among[rows]]
    if not len(rows):
        return None
    triangles = triangles_of(mesh)
    triangle_count = triangles.corner.shape[2]
    pairs = _PAIRS
    best: RowHit | None = None
    first = 0
    while first < len(rows):
        part = rows[first : first + max(1, pairs // triangle_count)]
        first += len(part)
        pairs = min(2 * pairs, _MAX_PAIRS)
        if best is not None:
            row = part[:1]
            entry = ray_spheres(from_here, ahead, centers[row], radii[row])
            if float(entry[0]) > best.distance:
                break
        hit = _nearest_of(triangles, transforms, part, start, along, alpha, both_sides)
        if hit is not None and (best is None or hit.distance < best.distance):
            best = hit
    return best


def _nearest_of(
    triangles: Triangles,
    transforms: PoseTable3D,
    rows: Rows,
    start: Doubles,
    direction: Doubles,
    alpha: float,
    both_sides: bool,
) -> RowHit | None:
    local = _in_local_coordinates(transforms, rows, alpha, start, direction)
    # If an instance is mirrored, the front and back of its triangles are swapped.
    hit = triangles.nearest_hit(local.rays, None if both_sides else local.mirrors[:, None])
    if hit is None:
        return None
    row, triangle, far = hit
    turn = _numbers_of(local.rotations[row])
    factors = _numbers_of(local.scales[row])
    first_edge, second_edge = triangles.edges[:, :, 0, triangle].T.tolist()
    face = _cross(first_edge, second_edge)
    face = [part / factor for part, factor in zip(face, factors, strict=True)]
    vector = np.array(_rotated(*turn, *face))
    x, y, z = vector.tolist()
    length = math.sqrt(vector.dot(vector)) * (-1 if vector.dot(direction) > 0 else 1)
    start_x, start_y, start_z = start.tolist()
    along_x, along_y, along_z = direction.tolist()
    point = start_x + along_x * far, start_y + along_y * far, start_z + along_z * far
    return RowHit(int(rows[row]), far, point, (x / length, y / length, z / length))


class _LocalRays(NamedTuple):
    """A ray in the local coordinates of n instances."""

    rays: Doubles
    """The rays for `Triangles.nearest_hit`. The shape is (5, 2, n, 1)."""
    mirrors: Doubles
    """A number for each instance, below 0 if the instance is mirrored. The shape is (n,)."""
    rotations: Sequence[list[float]] | Doubles
    """The rotation of each instance, as a quaternion."""
    scales: Sequence[list[float]] | Doubles
    """The scale factors of each instance."""


def _numbers_of(row: list[float] | Doubles) -> list[float]:
    numbers: list[float] = row if isinstance(row, list) else row.tolist()
    return numbers


def _in_local_coordinates(
    transforms: PoseTable3D, rows: Rows, alpha: float, start: Doubles, direction: Doubles
) -> _LocalRays:
    """Convert a ray to the local coordinates of the instances in ``rows``. A few rows are converted
    one by one, because this takes less time than operations on arrays.
    """
    poses = _few_poses(transforms, rows, alpha) if len(rows) <= _MAX_FEW else None
    if poses is not None:
        _, rotations, scales = zip(*poses, strict=True)
        signs = [math.copysign(1.0, x * y * z) for x, y, z in scales]
        rays = _few_local_rays(poses, start, direction)
        return _LocalRays(rays, np.array(signs), rotations, scales)
    upright = transforms.upright_poses(alpha, rows)
    turns: Sequence[list[float]] | Doubles
    if upright is None:
        plain = transforms.plain_poses(alpha, rows)
        position, rotation, scale = [part.astype(np.float64) for part in plain]
        turns = rotation
        rays = _local_rays(position, rotation, scale, start, direction)
    else:
        position, scale = [part.astype(np.float64) for part in upright]
        turns = [_UPRIGHT] * len(rows)
        rays = _upright_local_rays(position, scale, start, direction)
    products: Doubles = scale[:, 0] * scale[:, 1]
    products *= scale[:, 2]
    return _LocalRays(rays, products, turns, scale)


def _local_rays(
    position: Doubles, rotation: Doubles, scale: Doubles, start: Doubles, direction: Doubles
) -> Doubles:
    """Convert a ray to the local coordinates of n instances, for `Triangles.nearest_hit`. The
    returned array has the shape (5, 2, n, 1).
    """
    # the vector parts of the quaternions of the inverse rotations
    five = (rotation[:, :3].T * -1)[_FIVE, None]
    w = rotation[:, 3]
    vectors = np.empty((5, 2, len(position)))
    vectors[:3, 0] = direction[:, None]
    vectors[:3, 1] = start[:, None] - position.T
    vectors[3:] = vectors[:2]
    across = five[1:4] * vectors[2:]
    across -= five[2:] * vectors[1:4]
    across *= 2
    turned = vectors[:3] + w * across
    across = across[_FIVE]
    twice = five[1:4] * across[2:]
    twice -= five[2:] * across[1:4]
    turned += twice
    turned /= scale.T[:, None]
    return turned[_FIVE, ..., None]


def _upright_local_rays(
    position: Doubles, scale: Doubles, start: Doubles, direction: Doubles
) -> Doubles:
    """Return the same array as `_local_rays`, but for instances without rotation."""
    local = np.empty((5, 2, len(position), 1))
    local[:3, 0, :, 0] = direction[:, None]
    local[:3, 1, :, 0] = (start - position).T
    local[:3, :, :, 0] /= scale.T[:, None]
    local[3:] = local[:2]
    return local


_FIVE = [0, 1, 2, 0, 1]
_UPRIGHT = [0.0, 0.0, 0.0, 1.0]


_PlainPose = tuple[list[float], list[float], list[float]]
"""The position, rotation and scale of one instance."""


def _few_poses(transforms: PoseTable3D, rows: Rows, alpha: float) -> list[_PlainPose] | None:
    """Return the positions, rotations and scales of a few rows as lists of numbers. Return None if
    a scale is 0, because the conversion of a ray divides by the scale.
    """
    numbers: list[int] = rows.tolist()
    poses = [transforms.plain_pose(alpha, row) for row in numbers]
    return poses if all(all(scale) for _, _, scale in poses) else None


def _few_local_rays(poses: list[_PlainPose], start: Doubles, direction: Doubles) -> Doubles:
    """Return the same array as `_local_rays`, for a few instances. `_few_local_rays` does not use
    NumPy, because plain Python is faster for a few instances.
    """
    start_x, start_y, start_z = start.tolist()
    axes: list[float] = direction.tolist()
    rays = []
    for (x, y, z), (i, j, k, w), (wide, high, deep) in poses:
        local_x, local_y, local_z = _rotated(-i, -j, -k, w, *axes)
        along_x = local_x / wide
        along_y = local_y / high
        along_z = local_z / deep
        local_x, local_y, local_z = _rotated(-i, -j, -k, w, start_x - x, start_y - y, start_z - z)
        x = local_x / wide
        y = local_y / high
        z = local_z / deep
        rays.append(((along_x, x), (along_y, y), (along_z, z), (along_x, x), (along_y, y)))
    return np.array(rays).transpose(1, 2, 0)[..., None]


def _rotated(
    i: float, j: float, k: float, w: float, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Rotate the vector (x, y, z) by the quaternion (i, j, k, w), and return the rotated vector.
    The result has exactly the same bits as the result of `quaternions.rotate`.
    """
    across = 2 * (j * z - k * y)
    up = 2 * (k * x - i * z)
    ahead = 2 * (i * y - j * x)
    return (
        x + w * across + (j * ahead - k * up),
        y + w * up + (k * across - i * ahead),
        z + w * ahead + (i * up - j * across),
    )


def _cross(one: list[float], other: list[float]) -> list[float]:
    x, y, z = one
    a, b, c = other
    return [y * c - z * b, z * a - x * c, x * b - y * a]
