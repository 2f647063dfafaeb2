"""The positions and rotations of single 3D bodies, computed with Python floats.

The module does not use NumPy, which is slower for arrays of only three numbers. The results are the
same on every machine, because the module uses only + - * / and the square root.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray

Vector: TypeAlias = tuple[float, float, float]
"""Three numbers: a point, a direction or a displacement."""

Quaternion: TypeAlias = tuple[float, float, float, float]
"""A rotation as four numbers: x, y, z and w."""

ZERO: Vector = (0.0, 0.0, 0.0)
UP: Vector = (0.0, 1.0, 0.0)
_NO_ROTATION: Quaternion = (0.0, 0.0, 0.0, 1.0)


def plus(first: Vector, second: Vector, factor: float = 1.0) -> Vector:
    """Return ``first + factor * second``."""
    return (
        first[0] + factor * second[0],
        first[1] + factor * second[1],
        first[2] + factor * second[2],
    )


def minus(first: Vector, second: Vector) -> Vector:
    """Return ``first - second``."""
    return first[0] - second[0], first[1] - second[1], first[2] - second[2]


def times(vector: Vector, factor: float) -> Vector:
    """Return ``factor * vector``."""
    return vector[0] * factor, vector[1] * factor, vector[2] * factor


def dot(first: Vector, second: Vector) -> float:
    """Return the dot product of two vectors."""
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


def length_of(vector: Vector) -> float:
    """Return the length of a vector."""
    return math.sqrt(dot(vector, vector))


def horizontal(vector: Vector) -> Vector:
    """Return ``vector`` without its vertical part."""
    return vector[0], 0.0, vector[2]


def unit(vector: Vector) -> Vector:
    """Return ``vector`` scaled to a length of 1. If the vector is shorter than 1e-12, return zeros."""
    length = length_of(vector)
    return times(vector, 1 / length) if length > 1e-12 else ZERO


def rotate(rotation: Quaternion, vector: Vector) -> Vector:
    """Return ``vector``, rotated by the unit quaternion ``rotation``."""
    if rotation == _NO_ROTATION:
        return vector
    x, y, z, w = rotation
    a, b, c = vector
    # Twice the cross product of the rotation's axis and the vector.
    i = 2 * (y * c - z * b)
    j = 2 * (z * a - x * c)
    k = 2 * (x * b - y * a)
    return a + w * i + y * k - z * j, b + w * j + z * i - x * k, c + w * k + x * j - y * i


def multiply(first: Quaternion, second: Quaternion) -> Quaternion:
    """Return the rotation that first rotates by ``second``, then by ``first``."""
    x, y, z, w = first
    a, b, c, d = second
    return (
        w * a + x * d + y * c - z * b,
        w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d,
        w * d - x * a - y * b - z * c,
    )


def conjugate(rotation: Quaternion) -> Quaternion:
    """Return the inverse of the unit quaternion ``rotation``."""
    x, y, z, w = rotation
    return -x, -y, -z, w


def unit_quaternion(rotation: Quaternion) -> Quaternion:
    """Return the quaternion ``rotation``, scaled to a length of 1. If all components of the
    quaternion are 0, return (0, 0, 0, 1), which does not rotate.
    """
    x, y, z, w = rotation
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not length:
        return _NO_ROTATION
    return x / length, y / length, z / length, w / length


class Pose(NamedTuple):
    """The position and the rotation of a body. A pose converts the coordinates of the body to world
    coordinates.
    """

    position: Vector
    rotation: Quaternion

    def apply(self, point: Vector) -> Vector:
        """Convert a point from body coordinates to world coordinates."""
        return plus(rotate(self.rotation, point), self.position)

    def inverse(self) -> Pose:
        """Return the inverse pose, which converts world coordinates to body coordinates."""
        back = conjugate(self.rotation)
        return Pose(rotate(back, times(self.position, -1.0)), back)

    def after(self, first: Pose) -> Pose:
        """Combine two poses: return a pose that applies ``first``, and then this pose."""
        return Pose(self.apply(first.position), multiply(self.rotation, first.rotation))


def pose_of(position: NDArray[Any], rotation: NDArray[Any]) -> Pose:
    """Return a `Pose` from two arrays. ``position`` has the shape (3,), and ``rotation`` has the
    shape (4,).
    """
    x: float
    y: float
    z: float
    x, y, z = position.tolist()
    return Pose((x, y, z), unit_quaternion(tuple(rotation.tolist())))


def moved_by(start: Pose, end: Pose, point: Vector) -> Vector:
    """Return the new position of a point on a body that moves from the pose ``start`` to the pose
    ``end``. ``point`` and the result are in world coordinates.
    """
    if start.rotation == end.rotation:
        return plus(point, minus(end.position, start.position))
    return end.apply(start.inverse().apply(point))


def yaw_between(start: Quaternion, end: Quaternion) -> Quaternion:
    """Return the yaw (the rotation about the vertical axis) from the rotation ``start`` to the
    rotation ``end``.
    """
    if start == end:
        return _NO_ROTATION
    _, y, _, w = multiply(end, conjugate(start))
    return unit_quaternion((0.0, y, 0.0, w))
