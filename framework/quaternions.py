"""Unit quaternions, thousands at a time: float arrays (n, 4), x y z w, which turn vectors by q v q*.

pyrr has them one by one, at some microseconds each; here are the few operations that poses need, on whole columns.
A product ``multiply(a, b)`` turns by b first, then by a.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]  # float32, as columns are, or float64

# Above this cosine of half the angle between two rotations (0.28 rad), the normalised linear blend is off by less than
# 1e-4 rad, and it is taken: slerp divides by a sine that vanishes there.
NLERP_ABOVE = 0.99

_TINY = np.float32(1e-30)


def multiply(a: Floats, b: Floats) -> Floats:
    """The rotations b, then a: (n, 4)."""
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


def conjugate(q: Floats) -> Floats:
    """The rotations backwards."""
    backwards: Floats = q * np.array([-1, -1, -1, 1], q.dtype)
    return backwards


def normalized(q: Floats) -> Floats:
    """The same directions, of length 1; what has no length stays 0."""
    length = np.sqrt(np.einsum("ij,ij->i", q, q))
    unit: Floats = q / np.maximum(length, _TINY)[:, None]
    return unit


def from_vectors(turns: Floats) -> Floats:
    """Rotations of |v| radians about v: (n, 3) → (n, 4)."""
    angle = np.sqrt(np.einsum("ij,ij->i", turns, turns))
    half = angle / 2
    # sin(x/2)/x is 1/2 at 0.
    share = np.where(angle > 1e-6, np.sin(half) / np.maximum(angle, _TINY), 0.5)
    return np.concatenate([turns * share[:, None], np.cos(half)[:, None]], axis=1, dtype=turns.dtype)


def to_vectors(q: Floats) -> Floats:
    """The axis times the angle in radians, the short way, at most half a turn: (n, 4) → (n, 3)."""
    q = np.where(q[:, 3:] < 0, -q, q)
    sine = np.sqrt(np.einsum("ij,ij->i", q[:, :3], q[:, :3]))
    angle = 2 * np.arctan2(sine, q[:, 3])
    share = np.where(sine > 1e-6, angle / np.maximum(sine, _TINY), 2.0).astype(q.dtype)
    turns: Floats = q[:, :3] * share[:, None]
    return turns


def slerp(previous: Floats, current: Floats, alpha: float) -> Floats:
    """From one rotation to another at an even pace, the short way round: (n, 4), of length 1."""
    t = np.float32(alpha)
    cosine = np.einsum("ij,ij->i", previous, current)
    sign = np.where(cosine < 0, np.float32(-1), np.float32(1))
    cosine = np.minimum(np.abs(cosine), np.float32(1))
    angle = np.arccos(cosine)
    sine = np.maximum(np.sin(angle), _TINY)
    near = cosine > NLERP_ABOVE
    first = np.where(near, 1 - t, np.sin((1 - t) * angle) / sine)
    second = np.where(near, t, np.sin(t * angle) / sine) * sign
    return normalized(previous * first[:, None] + current * second[:, None])


def slerp_one(previous: Floats, current: Floats, alpha: float) -> Floats:
    """`slerp` of single rotations (4,), some times quicker for one: what a camera needs in each frame."""
    a, b = previous.tolist(), current.tolist()
    cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    side = -1.0 if cosine < 0 else 1.0
    cosine = min(abs(cosine), 1.0)
    first, second = 1 - alpha, alpha
    if cosine <= NLERP_ABOVE:
        angle = math.acos(cosine)
        sine = math.sin(angle)
        first, second = math.sin((1 - alpha) * angle) / sine, math.sin(alpha * angle) / sine
    mixed = [p * first + q * second * side for p, q in zip(a, b, strict=True)]
    length = math.sqrt(sum([part * part for part in mixed])) or 1.0
    return np.array([part / length for part in mixed], np.float32)


def matrix_one(q: Floats) -> NDArray[np.float64]:
    """The matrix of one rotation (4,), which is taken as of length 1, for row vectors: float64 (3, 3)."""
    x, y, z, w = q.tolist()
    length = math.sqrt(x * x + y * y + z * z + w * w) or 1.0  # float32 is of length 1 to 1e-7 only
    x, y, z, w = x / length, y / length, z / length, w / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
            [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
            [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrices(q: Floats) -> Floats:
    """Rotation matrices for row vectors (``v @ m``), as pyrr has them: (n, 4) → (n, 3, 3)."""
    x, y, z, w = q[:, 0], q[:, 1], q[:, 2], q[:, 3]
    out: NDArray[np.float32] = np.empty((len(q), 3, 3), q.dtype)
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


def rotate(q: Floats, vectors: Floats) -> Floats:
    """``vectors`` (n, 3), turned."""
    t = 2 * np.cross(q[:, :3], vectors)
    turned: Floats = vectors + q[:, 3:] * t + np.cross(q[:, :3], t)
    return turned


def from_axis(axis: tuple[float, float, float], angle: float) -> NDArray[np.float32]:
    """One rotation of ``angle`` radians about ``axis``, counter-clockwise seen from its tip: (4,)."""
    vector = np.asarray(axis, np.float64)
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or not length:
        raise ValueError(f"axis: expected three numbers, not all 0, got {axis!r}")
    half = angle / 2
    return np.array([*(vector / length * np.sin(half)), np.cos(half)], np.float32)


def looking(direction: tuple[float, float, float], up: tuple[float, float, float] = (0, 1, 0)) -> NDArray[np.float32]:
    """One rotation that turns -z to ``direction`` and y as near to ``up`` as can be: (4,).

    A direction along ``up`` is turned about any axis. Raises `ValueError` for one of no length.
    """
    forward = np.asarray(direction, np.float64)
    length = float(np.linalg.norm(forward))
    if not np.isfinite(length) or not length:
        raise ValueError(f"direction: expected three numbers, not all 0, got {direction!r}")
    back = -forward / length
    right = np.cross(np.asarray(up, np.float64), back)
    if np.linalg.norm(right) < 1e-9:
        right = np.cross((0.0, 0.0, 1.0) if abs(back[2]) < 0.9 else (1.0, 0.0, 0.0), back)
    right /= np.linalg.norm(right)
    return from_matrix(np.array([right, np.cross(back, right), back]))


def from_matrix(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """The rotation of a matrix (3, 3) for row vectors: (4,). Shepperd's method: the largest part is found first.

    Raises `ValueError` for one that does more or less than turn: a singular one, a mirror, one that scales.
    """
    m = np.asarray(rows, np.float64)
    if m.shape != (3, 3) or not np.allclose(m @ m.T, np.eye(3), atol=1e-3) or np.linalg.det(m) < 0:
        raise ValueError(f"matrix: expected a rotation of shape (3, 3), got {rows!r}")
    trace = float(m[0, 0] + m[1, 1] + m[2, 2])
    parts = np.array([2 * m[0, 0] - trace, 2 * m[1, 1] - trace, 2 * m[2, 2] - trace, trace])
    largest = int(np.argmax(parts))
    if largest == 3:
        q = np.array([m[1, 2] - m[2, 1], m[2, 0] - m[0, 2], m[0, 1] - m[1, 0], 1 + trace])
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q = np.empty(4)
        q[i] = 1 + parts[i]
        q[j], q[k] = m[i, j] + m[j, i], m[i, k] + m[k, i]
        q[3] = m[j, k] - m[k, j]
    unit: NDArray[np.float32] = (q / np.linalg.norm(q)).astype(np.float32)
    return unit
