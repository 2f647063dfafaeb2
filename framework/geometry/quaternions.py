"""Unit quaternions, thousands at a time: float arrays (n, 4), x y z w, which turn vectors by q v
q*.

pyrr has them one by one, at some microseconds each; here are the few operations that poses need, on
whole columns. A product ``multiply(a, b)`` turns by b first, then by a.

Arguments of another shape are a `ValueError`, of another kind a `TypeError`, which names them.
"""

from __future__ import annotations

__all__ = [
    "conjugate",
    "from_axis",
    "from_matrices",
    "from_matrix",
    "from_vectors",
    "looking",
    "matrices",
    "multiply",
    "normalized",
    "rotate",
    "slerp",
    "to_vectors",
]

import math

import numpy as np

from .. import checks
from ..arrays import Doubles, Floats, Mask, Reals, Rows
from . import exact

# Above this cosine of half the angle between two rotations (0.063 rad), the normalised linear blend
# is off by 1.1e-6 rad at most, and it is taken: slerp divides by a sine that vanishes there. So
# little that it does not matter on which side of it a last digit puts a turn, here and on the GPU.
NLERP_ABOVE = 0.9995

# Below this cosine the other rotation's negative is nearer. Half a turn has one of 0, but for the
# last digit, and must not depend on it: it goes the same way round here and on the GPU.
NEGATED_BELOW = -1e-6

_TINY = np.float32(1e-30)


def multiply(a: Reals, b: Reals) -> Reals:
    """The rotations b, then a: (n, 4)."""
    a, b = _rows("a", a, 4), _rows("b", b, 4)
    _alike("b", b, a)
    x, y, z, w = a[:, 0], a[:, 1], a[:, 2], a[:, 3]
    p, q, r, s = b[:, 0], b[:, 1], b[:, 2], b[:, 3]
    return np.stack(
        [
            w * p + x * s + y * r - z * q,
            w * q - x * r + y * s + z * p,
            w * r + x * q - y * p + z * s,
            w * s - x * p - y * q - z * r,
        ],
        axis=1,
    )


def conjugate(q: Reals) -> Reals:
    """The rotations backwards."""
    q = _rows("q", q, 4)
    backwards: Reals = q * np.array([-1, -1, -1, 1], q.dtype)
    return backwards


def normalized(q: Reals) -> Reals:
    """The same rotations, of length 1; what has no length stays 0."""
    q = _rows("q", q, 4)
    length = exact.norm(q)
    unit: Reals = q / np.maximum(length, _TINY)[:, None]
    return unit


def from_vectors(turns: Reals) -> Reals:
    """Rotations of |v| radians about v: (n, 3) → (n, 4)."""
    turns = _rows("turns", turns, 3)
    angle = exact.norm(turns)
    half = angle / 2
    sine, cosine = exact.functions().sincos(half)
    # sin(x/2)/x is 1/2 at 0.
    share = np.where(angle > 1e-6, sine / np.maximum(angle, _TINY), 0.5)
    return np.concatenate([turns * share[:, None], cosine[:, None]], axis=1, dtype=turns.dtype)


def to_vectors(q: Reals) -> Reals:
    """The axis times the angle in radians, at most half a turn: (n, 4) → (n, 3)."""
    q = _rows("q", q, 4)
    q = np.where(q[:, 3:] < 0, -q, q)
    sine = exact.norm(q[:, :3])
    angle = 2 * exact.functions().arctan2(sine, q[:, 3])
    share = np.where(sine > 1e-6, angle / np.maximum(sine, _TINY), 2.0).astype(q.dtype)
    turns: Reals = q[:, :3] * share[:, None]
    return turns


def slerp(previous: Reals, current: Reals, alpha: float) -> Reals:
    """From one rotation to another at an even pace, along the shorter arc: (n, 4), of length 1."""
    previous, current = _rows("previous", previous, 4), _rows("current", current, 4)
    _alike("current", current, previous)
    t = np.float32(checks.number("alpha", alpha))
    cosine = exact.dot(previous, current)
    sign = np.where(cosine < NEGATED_BELOW, np.float32(-1), np.float32(1))
    cosine = np.minimum(np.abs(cosine), np.float32(1))
    functions = exact.functions()
    sine = np.sqrt((1 - cosine) * (1 + cosine))
    angle, sine = functions.arctan2(sine, cosine), np.maximum(sine, _TINY)
    near = cosine > NLERP_ABOVE
    first = np.where(near, 1 - t, functions.sin((1 - t) * angle) / sine)
    second = np.where(near, t, functions.sin(t * angle) / sine) * sign
    return normalized(previous * first[:, None] + current * second[:, None])


def slerp_one(previous: Reals, current: Reals, alpha: float) -> Reals:
    """`slerp` of single rotations (4,), some times quicker for one: what a camera needs in each
    frame.
    """
    a, b = _one("previous", previous), _one("current", current)
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    side = -1.0 if cosine < NEGATED_BELOW else 1.0
    cosine = min(abs(cosine), 1.0)
    alpha = checks.number("alpha", alpha)
    first, second = 1 - alpha, alpha
    if cosine <= NLERP_ABOVE:
        angle = math.acos(cosine)
        sine = math.sin(angle)
        first, second = math.sin((1 - alpha) * angle) / sine, math.sin(alpha * angle) / sine
    mixed = [p * first + q * second * side for p, q in zip(a, b, strict=True)]
    length = math.sqrt(sum([part * part for part in mixed])) or 1.0
    return np.array([part / length for part in mixed], np.float32)


def matrix_one(q: Reals) -> Doubles:
    """The matrix of one rotation (4,), which is taken as of length 1, for row vectors: float64 (3,
    3).
    """
    x, y, z, w = _one("q", q)
    length = math.sqrt(x * x + y * y + z * z + w * w) or 1.0  # float32 is of length 1 to 1e-7 only
    x, y, z, w = x / length, y / length, z / length, w / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrices(q: Reals) -> Reals:
    """Rotation matrices for row vectors (``v @ m``), as pyrr has them: (n, 4) → (n, 3, 3)."""
    q = _rows("q", q, 4)
    x, y, z, w = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
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
    return out


def rotate(q: Reals, vectors: Reals) -> Reals:
    """``vectors`` (n, 3), turned."""
    q, vectors = _rows("q", q, 4), _rows("vectors", vectors, 3)
    _alike("vectors", vectors, q)
    t = 2 * np.cross(q[:, :3], vectors)
    turned: Reals = vectors + q[:, 3:] * t + np.cross(q[:, :3], t)
    return turned


def from_axis(axis: tuple[float, float, float], angle: float) -> Floats:
    """One rotation of ``angle`` radians about ``axis``, counter-clockwise seen from its tip:
    (4,).
    """
    vector = checks.direction("axis", axis)
    sine, cosine = exact.sincos(checks.number("angle", angle) / 2)
    return np.array([*(vector * sine), cosine], np.float32)


def looking(
    direction: tuple[float, float, float], up: tuple[float, float, float] = (0, 1, 0)
) -> Floats:
    """One rotation that turns -z to ``direction`` and y as near to ``up`` as can be: (4,).

    A direction along ``up`` is turned about any axis. Raises `ValueError` for one of no length.
    """
    back: list[float] = (-checks.direction("direction", direction)).tolist()
    above: list[float] = checks.vector("up", up, 3).tolist()
    right = _cross(above, back)
    if _length(right) < 1e-9:
        right = _cross([0.0, 0.0, 1.0] if abs(back[2]) < 0.9 else [1.0, 0.0, 0.0], back)
    length = _length(right)
    right = [part / length for part in right]
    return _from_axes([right, _cross(back, right), back])


# In every tick a camera turns to what it follows: one at a time, numbers are ten times as fast as
# arrays.


def _cross(a: list[float], b: list[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _length(parts: list[float]) -> float:
    total = parts[0] * parts[0]
    for part in parts[1:]:
        total += part * part
    return math.sqrt(total)


def _from_axes(m: list[list[float]]) -> Floats:
    """As `from_matrices`, for one."""
    trace = m[0][0] + m[1][1] + m[2][2]
    parts = [2 * m[axis][axis] - trace for axis in range(3)] + [trace]
    i = parts.index(max(parts))
    if i < 3:
        j, k = (i + 1) % 3, (i + 2) % 3
        q = [0.0, 0.0, 0.0, m[j][k] - m[k][j]]
        q[i], q[j], q[k] = 1 + parts[i], m[i][j] + m[j][i], m[i][k] + m[k][i]
    else:
        q = [m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0], 1 + trace]
    length = _length(q)
    return np.array([part / length for part in q], np.float32)


def from_matrix(matrix: Doubles) -> Floats:
    """The rotation of a matrix (3, 3) for row vectors: (4,).

    Raises `ValueError` for one that does more or less than turn: a singular one, a mirror, one that
    scales.
    """
    m = checks.numbers("matrix", matrix, (3, 3))
    if not np.allclose(exact.matmul(m, m.T), np.eye(3), atol=1e-3) or np.linalg.det(m) < 0:
        raise checks.wrong_value("matrix", "one that turns, and does nothing else", matrix)
    axes: list[list[float]] = m.tolist()
    return _from_axes(axes)


def from_matrices(matrices: Doubles) -> Doubles:
    """The rotations of matrices (n, 3, 3) for row vectors that turn, and do nothing else: (n, 4).

    Shepperd's method: the largest part is found first.
    """
    m = checks.numbers("matrices", matrices, (None, 3, 3))
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    parts = np.column_stack([2 * m[:, axis, axis] - trace for axis in range(3)] + [trace])
    largest: Rows = parts.argmax(axis=1)
    own: Mask
    q = np.empty((len(m), 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        own = largest == i
        q[own, i] = 1 + parts[own, i]
        q[own, j], q[own, k] = m[own, i, j] + m[own, j, i], m[own, i, k] + m[own, k, i]
        q[own, 3] = m[own, j, k] - m[own, k, j]
    own = largest == 3
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        q[own, i] = m[own, j, k] - m[own, k, j]
    q[own, 3] = 1 + trace[own]
    unit: Doubles = q / exact.norm(q)[:, None]
    return unit


def _rows(name: str, value: Reals, width: int) -> Reals:
    """Numbers of shape (n, width), of the kind that they are."""
    if (
        isinstance(value, np.ndarray)
        and value.ndim == 2
        and value.shape[1] == width
        and value.dtype.kind == "f"
    ):
        return value  # as a rule
    return checks.numbers(name, value, (None, width), finite=False)


def _alike(name: str, value: Reals, other: Reals) -> None:
    """As many rows as ``other``, or one for all."""
    if len(value) != len(other) and 1 not in (len(value), len(other)):
        raise ValueError(f"{name}: expected {len(other)} rows, got {len(value)}")


def _one(name: str, value: Reals) -> list[float]:
    parts: list[float]
    if isinstance(value, np.ndarray) and value.shape == (4,) and value.dtype.kind == "f":
        parts = value.tolist()
    else:
        parts = checks.numbers(name, value, (4,), finite=False).tolist()
    return parts
