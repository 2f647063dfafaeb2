"""Quaternions: 3D rotations of single objects, or of thousands of objects in one array.

A quaternion is an array of four numbers x y z w with a length of 1, and n quaternions are an array
of shape (n, 4). To rotate a vector v by a quaternion q, compute q v q* (`rotate` does this).
``multiply(a, b)`` is the rotation that first applies b, then a. Each function computes a whole
array in one call, because calling the library pyrr for each quaternion would take a few
microseconds each time.

The functions also accept a single rotation of shape (4,), such as the result of `from_axis` or the
``rotation`` of an instance. If all arguments are single rotations or single vectors, the result has
the shape (4,) instead of (n, 4).

An argument with the wrong shape raises `ValueError`, and an argument of the wrong type raises
`TypeError`, with the name of the argument in the message.
"""

from __future__ import annotations

__all__ = [
    "conjugate",
    "from_axis",
    "from_euler",
    "from_matrices",
    "from_matrix",
    "from_vectors",
    "look_rotation",
    "matrices",
    "multiply",
    "normalized",
    "rotate",
    "slerp",
    "to_vectors",
]

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats, Reals, Rows
from ..moved_names import renamed_functions
from ..other_engines.other_names import words
from . import exact
from .pairwise import cross

# A limit for the cosine of half the angle between two rotations (0.063 rad). Above the limit, the
# normalized linear blend is used, because slerp divides by a sine that is almost 0 there. The error
# is at most 1.1e-6 rad. The error is so small that rounding errors at the limit do not matter, on
# the CPU and on the GPU.
NLERP_ABOVE = 0.9995

# Below this cosine, the negative quaternion of the other rotation is nearer. For half a turn, the
# cosine is 0 except for rounding errors. Such errors must not decide the direction, because the CPU
# and the GPU must turn in the same direction.
NEGATED_BELOW = -1e-6

TINY = np.float32(1e-30)
"""The length below which a quaternion is treated as 0."""


def multiply(a: Reals, b: Reals) -> Reals:
    """For each row, return the rotation that first applies ``b``, then ``a``. The result has the
    shape (n, 4), or (4,) for two single rotations.

    If one argument is a single rotation of shape (4,), it is combined with each row of the other
    argument.
    """
    single = _is_single(a, b)
    a = _rows("a", a, 4)
    b = _rows("b", b, 4)
    _alike("b", b, a)
    x = a[:, 0]
    y = a[:, 1]
    z = a[:, 2]
    w = a[:, 3]
    p = b[:, 0]
    q = b[:, 1]
    r = b[:, 2]
    s = b[:, 3]
    product = np.stack(
        [
            w * p + x * s + y * r - z * q,
            w * q - x * r + y * s + z * p,
            w * r + x * q - y * p + z * s,
            w * s - x * p - y * q - z * r,
        ],
        axis=1,
    )
    return _as_given(product, single)


def conjugate(q: Reals) -> Reals:
    """Return the inverse of each rotation. The result has the shape (n, 4), or (4,) for a single
    rotation.
    """
    single = _is_single(q)
    q = _rows("q", q, 4)
    backwards: Reals = q * np.array([-1, -1, -1, 1], q.dtype)
    return _as_given(backwards, single)


def normalized(q: Reals) -> Reals:
    """Return copies of quaternions, scaled to a length of 1. The result has the shape (n, 4), or
    (4,) for a single quaternion.

    A quaternion of length 0 is not changed.
    """
    single = _is_single(q)
    q = _rows("q", q, 4)
    length = exact.norm(q)
    unit: Reals = q / np.maximum(length, TINY)[:, None]
    return _as_given(unit, single)


def from_vectors(turns: Reals) -> Reals:
    """Convert rotation vectors of shape (n, 3) to quaternions of shape (n, 4). For a single vector
    of shape (3,), the result is a single quaternion of shape (4,).

    The direction of a rotation vector is the axis of the rotation. The length of a rotation vector
    is the angle in radians.
    """
    single = _is_single(turns)
    turns = _rows("turns", turns, 3)
    angle = exact.norm(turns)
    half = angle / 2
    sine, cosine = exact.functions().sincos(half)
    # For the angle 0, sin(x/2)/x is 1/2.
    share = np.where(angle > 1e-6, sine / np.maximum(angle, TINY), 0.5)
    rotations = np.concatenate([turns * share[:, None], cosine[:, None]], axis=1, dtype=turns.dtype)
    return _as_given(rotations, single)


def to_vectors(q: Reals) -> Reals:
    """Convert quaternions of shape (n, 4) to rotation vectors of shape (n, 3). A rotation vector is
    the axis of the rotation, times the angle in radians.

    The angle of each rotation vector is at most π. For a single quaternion of shape (4,), the
    result is a single vector of shape (3,).
    """
    single = _is_single(q)
    q = _rows("q", q, 4)
    q = np.where(q[:, 3:] < 0, -q, q)
    sine = exact.norm(q[:, :3])
    angle = 2 * exact.functions().arctan2(sine, q[:, 3])
    share = np.where(sine > 1e-6, angle / np.maximum(sine, TINY), 2.0).astype(q.dtype)
    turns: Reals = q[:, :3] * share[:, None]
    return _as_given(turns, single)


def slerp(previous: Reals, current: Reals, alpha: float) -> Reals:
    """Return rotations between ``previous`` and ``current``, for smooth turning. The result is an
    array of shape (n, 4), in which each quaternion has a length of 1.

    If ``alpha`` is 0, the result is ``previous``, and if ``alpha`` is 1, the result is ``current``.
    As ``alpha`` increases from 0 to 1, the rotation turns at a constant speed, along the shorter
    path. For two single rotations of shape (4,), the result has the shape (4,).
    """
    single = _is_single(previous, current)
    previous = _rows("previous", previous, 4)
    current = _rows("current", current, 4)
    _alike("current", current, previous)
    t = np.float32(checks.number("alpha", alpha))
    cosine = exact.dot(previous, current)
    sign = np.where(cosine < NEGATED_BELOW, np.float32(-1), np.float32(1))
    cosine = np.minimum(np.abs(cosine), np.float32(1))
    functions = exact.functions()
    sine = np.sqrt((1 - cosine) * (1 + cosine))
    angle = functions.arctan2(sine, cosine)
    sine = np.maximum(sine, TINY)
    is_near = cosine > NLERP_ABOVE
    first = np.where(is_near, 1 - t, functions.sin((1 - t) * angle) / sine)
    second = np.where(is_near, t, functions.sin(t * angle) / sine) * sign
    mixed = normalized(previous * first[:, None] + current * second[:, None])
    return _as_given(mixed, single)


def slerp_one(previous: Reals, current: Reals, alpha: float) -> Reals:
    """Return the same result as `slerp` for two single rotations of shape (4,), but several times
    faster.

    Cameras call this function in every frame.
    """
    a = _one("previous", previous)
    b = _one("current", current)
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    side = -1.0 if cosine < NEGATED_BELOW else 1.0
    cosine = min(abs(cosine), 1.0)
    alpha = checks.number("alpha", alpha)
    first = 1 - alpha
    second = alpha
    if cosine <= NLERP_ABOVE:
        angle = math.acos(cosine)
        sine = math.sin(angle)
        first = math.sin((1 - alpha) * angle) / sine
        second = math.sin(alpha * angle) / sine
    mixed = [p * first + q * second * side for p, q in zip(a, b, strict=True)]
    length = math.sqrt(sum([part * part for part in mixed])) or 1.0
    return np.array([part / length for part in mixed], np.float32)


def matrix_one(q: Reals) -> Doubles:
    """Return the rotation matrix of a single quaternion of shape (4,), which may have any length
    above 0. The matrix has the dtype float64 and the shape (3, 3), and is for row vectors:
    ``v @ m``.
    """
    x, y, z, w = _one("q", q)
    length = (
        math.sqrt(x * x + y * y + z * z + w * w) or 1.0
    )  # float32 quaternions have the length 1 only with an error of 1e-7
    x = x / length
    y = y / length
    z = z / length
    w = w / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrices(q: Reals) -> Reals:
    """Return the rotation matrices of quaternions of shape (n, 4). The matrices have the shape
    (n, 3, 3). The matrices are for row vectors: ``v @ m``.

    The matrices of pyrr are also for row vectors. For a single rotation of shape (4,), the result
    is a single matrix of shape (3, 3).
    """
    single = _is_single(q)
    q = _rows("q", q, 4)
    x = q[:, 0]
    y = q[:, 1]
    z = q[:, 2]
    w = q[:, 3]
    out: Floats = np.empty((len(q), 3, 3), q.dtype)
    out[:, 0, 0] = 1 - 2 * (y * y + z * z)
    out[:, 0, 1] = 2 * (x * y + z * w)
    out[:, 0, 2] = 2 * (x * z - y * w)
    out[:, 1, 0] = 2 * (x * y - z * w)
    out[:, 1, 1] = 1 - 2 * (x * x + z * z)
    out[:, 1, 2] = 2 * (y * z + x * w)
    out[:, 2, 0] = 2 * (x * z + y * w)
    out[:, 2, 1] = 2 * (y * z - x * w)
    out[:, 2, 2] = 1 - 2 * (x * x + y * y)
    return _as_given(out, single)


def rotate(q: Reals, vectors: Reals) -> Reals:
    """Rotate ``vectors``, of shape (n, 3), by quaternions of shape (n, 4), and return the rotated
    vectors.

    A single rotation of shape (4,) is applied to all vectors, and all rotations are applied to a
    single vector of shape (3,). For a single rotation and a single vector, the result has the shape
    (3,).
    """
    single = _is_single(q, vectors)
    q = _rows("q", q, 4)
    vectors = _rows("vectors", vectors, 3)
    _alike("vectors", vectors, q)
    t = 2 * cross(q[:, :3], vectors)
    turned: Reals = vectors + q[:, 3:] * t + cross(q[:, :3], t)
    return _as_given(turned, single)


def from_axis(axis: tuple[float, float, float], angle: float) -> Floats:
    """Return a rotation of ``angle`` radians around ``axis``. The rotation has the dtype float32
    and the shape (4,).

    The rotation is counter-clockwise if the axis points towards you.
    """
    x, y, z = checks.direction_parts("axis", axis)
    sine, cosine = exact.sincos(checks.number("angle", angle) / 2)
    return np.array((x * sine, y * sine, z * sine, cosine), np.float32)


def from_euler(yaw: ArrayLike = 0.0, pitch: ArrayLike = 0.0, roll: ArrayLike = 0.0) -> Floats:
    """Return the rotation of an object that first rolls, then raises its nose, then turns to the
    side. The result has the dtype float32 and the shape (4,).

    Each argument is an angle in radians, or an array of angles of shape (n,). With an array, the
    result has the shape (n, 4). Godot and Unity also use this order of axes.

    Parameters
    ----------
    yaw
        The angle around the y axis. A positive ``yaw`` turns to the left, from -z to -x.
    pitch
        The angle around the x axis. A positive ``pitch`` raises the nose, from -z to y.
    roll
        The angle around the z axis. A positive ``roll`` lowers the left side.
    """
    angles_by_name = {"yaw": yaw, "pitch": pitch, "roll": roll}
    single = not any(checks.ndim(value) for value in angles_by_name.values())
    angles = [
        checks.numbers(name, value if checks.ndim(value) else [value], (None,))
        for name, value in angles_by_name.items()
    ]
    count = max(map(len, angles))
    for name, each in zip(angles_by_name, angles, strict=True):
        if len(each) not in (1, count):
            raise ValueError(f"{name}: expected {count} angles, got {len(each)}")
    zero = np.zeros(count)
    sines, cosines = exact.functions().sincos(np.array([each + zero for each in angles]) / 2)
    turns = [np.stack([zero] * 3 + [cosine], axis=1) for cosine in cosines]
    for turn, axis, sine in zip(turns, (1, 0, 2), sines, strict=True):
        turn[:, axis] = sine
    rotations = multiply(multiply(turns[0], turns[1]), turns[2]).astype(np.float32)
    return _as_given(rotations, single)


def look_rotation(
    direction: tuple[float, float, float], up: tuple[float, float, float] = (0, 1, 0)
) -> Floats:
    """Return the rotation of an object that looks in the direction ``direction``. The result has
    the shape (4,).

    The rotation turns the -z axis to ``direction``. The y axis then points as nearly as possible in
    the direction ``up``. Cameras use this convention: a camera without a rotation looks along -z.
    If ``direction`` is parallel to ``up``, the function replaces ``up`` with another axis. Raises
    `ValueError` if ``direction`` has a length of 0.
    """
    backwards: list[float] = (-checks.direction("direction", direction)).tolist()
    above: list[float] = checks.vector("up", up, 3).tolist()
    right = _cross(above, backwards)
    if _length(right) < 1e-9:
        right = _cross([0.0, 0.0, 1.0] if abs(backwards[2]) < 0.9 else [1.0, 0.0, 0.0], backwards)
    length = _length(right)
    right = [part / length for part in right]
    return _from_axes([right, _cross(backwards, right), backwards])


# These functions are for single rotations, such as a camera that turns to its target in every tick.
# Python floats take a tenth of the time of arrays.


def _cross(a: list[float], b: list[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _length(parts: list[float]) -> float:
    total = parts[0] * parts[0]
    for part in parts[1:]:
        total += part * part
    return math.sqrt(total)


def _from_axes(m: list[list[float]]) -> Floats:
    """Return the quaternion of one rotation matrix. For many matrices, use `from_matrices`."""
    trace = m[0][0] + m[1][1] + m[2][2]
    parts = [2 * m[axis][axis] - trace for axis in range(3)] + [trace]
    i = parts.index(max(parts))
    if i < 3:
        j = (i + 1) % 3
        k = (i + 2) % 3
        q = [0.0, 0.0, 0.0, m[j][k] - m[k][j]]
        q[i] = 1 + parts[i]
        q[j] = m[i][j] + m[j][i]
        q[k] = m[i][k] + m[k][i]
    else:
        q = [m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0], 1 + trace]
    length = _length(q)
    return np.array([part / length for part in q], np.float32)


def from_matrix(matrix: Doubles) -> Floats:
    """Return the quaternion of one rotation matrix for row vectors. The quaternion has the shape
    (4,), and the matrix has the shape (3, 3).

    Raises `ValueError` if the matrix mirrors or scales, because then it is not a pure rotation.
    """
    m = checks.numbers("matrix", matrix, (3, 3))
    if not np.allclose(exact.matmul(m, m.T), np.eye(3), atol=1e-3) or np.linalg.det(m) < 0:
        raise checks.wrong_value("matrix", "a pure rotation", matrix)
    axes: list[list[float]] = m.tolist()
    return _from_axes(axes)


def from_matrices(matrices: Doubles) -> Doubles:
    """Return the quaternions of several rotation matrices. The quaternions have the shape (n, 4),
    and the matrices have the shape (n, 3, 3). The matrices are for row vectors.

    The function uses Shepperd's method, which computes the largest component of each quaternion
    first, for precision.
    """
    m = checks.numbers("matrices", matrices, (None, 3, 3))
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    parts = np.column_stack([2 * m[:, axis, axis] - trace for axis in range(3)] + [trace])
    # Row i is the quaternion, multiplied by four times its component i.
    multiples = np.empty((len(m), 4, 4))
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        multiples[:, i, j] = multiples[:, j, i] = m[:, i, j] + m[:, j, i]
        multiples[:, i, 3] = multiples[:, 3, i] = m[:, j, k] - m[:, k, j]
    for i in range(4):
        multiples[:, i, i] = 1 + parts[:, i]
    largest: Rows = parts.argmax(axis=1)
    q: Doubles = multiples[np.arange(len(m)), largest]
    unit: Doubles = q / exact.norm(q)[:, None]
    return unit


def _rows(name: str, value: Reals, width: int) -> Reals:
    """Return ``value`` as an array of shape (n, width). The type of the array, float32 or float64,
    does not change. A single row of shape (width,) becomes an array of shape (1, width).
    """
    if (
        isinstance(value, np.ndarray)
        and value.ndim == 2
        and value.shape[1] == width
        and value.dtype.kind == "f"
    ):
        return value  # usually
    if isinstance(value, np.ndarray) and value.shape == (width,) and value.dtype.kind == "f":
        return value[None]
    array: Reals = checks.numbers(name, value, None, finite=False)
    if array.ndim == 1:
        array = array[None]
    if array.ndim != 2 or array.shape[1] != width:
        error = checks.wrong_value if array.ndim else checks.wrong_type
        raise error(name, f"numbers of shape ({width},) or (n, {width})", value)
    return array


def _is_single(*values: Reals) -> bool:
    """Return whether each of ``values`` is a single row of numbers, such as (4,) instead of (n, 4)."""
    for value in values:
        axes = value.ndim if isinstance(value, np.ndarray) else checks.ndim(value)
        if axes != 1:
            return False
    return True


def _as_given(rows: Reals, single: bool) -> Reals:
    """Return the only row of ``rows`` if all arguments were single rows. If an argument had several
    rows, return ``rows``.
    """
    return rows[0] if single else rows


def _alike(name: str, value: Reals, other: Reals) -> None:
    """Raise `ValueError` if the two arrays have different numbers of rows. A single row is always
    allowed.
    """
    if len(value) != len(other) and 1 not in (len(value), len(other)):
        raise ValueError(f"{name}: expected {len(other)} rows, got {len(value)}")


def _one(name: str, value: Reals) -> list[float]:
    parts: list[float]
    if isinstance(value, np.ndarray) and value.shape == (4,) and value.dtype.kind == "f":
        parts = value.tolist()
    else:
        parts = checks.numbers(name, value, (4,), finite=False).tolist()
    return parts


if not TYPE_CHECKING:
    __getattr__ = renamed_functions(
        "quaternions",
        {
            **words(
                "euler from_euler_angles Euler from_yaw_pitch_roll from_angles yaw_pitch_roll "
                "euler_angles from_rotation_ypr",
                "write quaternions.from_euler(yaw, pitch, roll), in radians",
            ),
            **words(
                "from_axis_angle angle_axis from_angle_axis axis_angle AngleAxis from_degrees",
                "write quaternions.from_axis((0, 1, 0), angle), in radians",
            ),
            **words(
                "rotation_x rotation_y rotation_z rotate_x rotate_y rotate_z from_rotation_y",
                "write quaternions.from_axis((0, 1, 0), angle), in radians",
            ),
            **words("dot angle angle_to", "write np.dot(a, b), the cosine of half the angle"),
            **words("look_at look lookat lookAt", "write quaternions.look_rotation(direction)"),
            **words("inverse inverted invert", "write quaternions.conjugate(rotation)"),
            **words(
                "to_euler to_axis_angle to_angles",
                "write quaternions.to_vectors(rotation): the axis times the angle",
            ),
            **words("mul product compose", "write quaternions.multiply(turn, rotation)"),
            **words("lerp nlerp interpolate", "write quaternions.slerp(a, b, 0.5)"),
            **words("normalize normalise", "write quaternions.normalized(rotation)"),
            **words("identity IDENTITY", "write (0, 0, 0, 1): x, y, z, w"),
            **words("apply transform rotate_vector", "write quaternions.rotate(rotation, vector)"),
        },
        looking="look_rotation",
    )
