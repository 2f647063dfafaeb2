"""Compute the distances along rays to balls, boxes and triangles (raycasts).

For a single ray, ``origin`` and ``direction`` have the shape (3,). To cast a separate ray at each
shape, pass arrays of shape (n, 3). Distances are multiples of the length of the vector
``direction``, so they are in units if its length is 1. The distance is infinite for a ray that
misses the shape.
"""

from __future__ import annotations

__all__ = ["ray_boxes", "ray_spheres", "ray_triangles"]

import math

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Reals
from . import exact
from .pairwise import cross, one_row


def checked_ray(origin: ArrayLike, direction: ArrayLike) -> tuple[Doubles, Doubles]:
    """Return ``origin`` and ``direction`` as float64 arrays of shape (3,). The returned direction
    is scaled to a length of 1.

    Raises `ValueError` or `TypeError` if an argument is invalid. The error message contains the
    name of this argument.
    """
    start = one_row(origin, 3) if isinstance(origin, tuple) and len(origin) == 3 else None
    if start is None or not math.isfinite(sum(start)):
        return checks.vector("origin", origin, 3), checks.direction("direction", direction)
    return np.array(start), np.array(checks.direction_parts("direction", direction))


def ray_spheres(origin: Doubles, direction: Doubles, centers: Reals, radii: ArrayLike) -> Doubles:
    """Return the distance along each ray to a ball. The result is an array of shape (n,). The
    distance is 0 for a ray that starts inside its ball.

    ``centers`` is an array of shape (n, 3) and ``radii`` is an array of shape (n,), in units.
    """
    origin, direction, centers = _vectors(origin=origin, direction=direction, centers=centers)
    to = centers - origin
    squared = np.square(_numbers("radii", radii))
    length = exact.norm(direction)
    along = exact.dot(to, direction) / length
    # The simpler formula |to|² - along² would be inexact for distant balls.
    beside = to - (along / length)[..., None] * direction
    with np.errstate(invalid="ignore", over="ignore"):
        chord = squared - exact.dot(beside, beside)
        hits = (chord >= 0) & ((along >= 0) | (along**2 <= chord))
        return np.where(hits, np.maximum(along - np.sqrt(np.maximum(chord, 0)), 0) / length, np.inf)


def ray_boxes(origin: Doubles, direction: Doubles, low: Reals, high: Reals) -> Doubles:
    """Return the distance along each ray to an upright box. The result is an array of shape (n,).
    The distance is 0 for a ray that starts inside its box.

    Each box extends from its corner ``low`` to its corner ``high``. ``low`` and ``high`` are arrays
    of shape (n, 3), in units.
    """
    origin, direction, low, high = _vectors(origin=origin, direction=direction, low=low, high=high)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = (low - origin) / direction
        second = (high - origin) / direction
    # A ray that is parallel to a slab never crosses its sides, so the whole ray is inside or
    # outside.
    inside = np.where((low <= origin) & (origin <= high), -np.inf, np.inf)
    still: Mask = direction == 0
    enter: Reals = np.where(still, inside, np.minimum(first, second)).max(axis=-1, initial=0)
    leave: Reals = np.where(still, np.inf, np.maximum(first, second)).min(axis=-1)
    return np.where(enter <= leave, enter, np.inf)


def ray_triangles(origin: Doubles, direction: Doubles, corners: Reals) -> tuple[Doubles, Doubles]:
    """Return the distance along each ray to a triangle. Also return which side of the triangle the
    ray hits.

    ``corners`` is an array of shape (…, 3, 3). ``corners`` is broadcast together with the rays. The
    array of sides has the same shape as the array of distances. The side is above 0 if the ray hits
    the front of the triangle, and below 0 if it hits the back. The function uses the algorithm of
    Möller and Trumbore.
    """
    origin, direction, corners = _vectors(origin=origin, direction=direction, corners=corners)
    if corners.shape[-2:] != (3, 3):
        raise checks.wrong_value("corners", "numbers of shape (…, 3, 3)", corners)
    first_edge = corners[..., 1, :] - corners[..., 0, :]
    second_edge = corners[..., 2, :] - corners[..., 0, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        across = cross(direction, second_edge)
        side: Reals = (first_edge * across).sum(axis=-1)
        start = origin - corners[..., 0, :]
        u: Reals = (start * across).sum(axis=-1) / side
        normal = cross(start, first_edge)
        v: Reals = (direction * normal).sum(axis=-1) / side
        distance: Reals = (second_edge * normal).sum(axis=-1) / side
        # Each edge belongs to both triangles beside it, so no ray passes between two triangles.
        hits = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (distance >= 0)
    return np.where(hits, distance, np.inf), side


def _vectors(**values: ArrayLike) -> list[Reals]:
    """Return both arguments as arrays of shape (…, 3). The type of each array, float32 or float64,
    does not change.
    """
    return [_vector(name, value) for name, value in values.items()]


def _vector(name: str, value: ArrayLike) -> Reals:
    numbers = _numbers(name, value)
    if numbers.shape[-1:] != (3,):
        raise checks.wrong_value(name, "numbers of shape (3,) or (…, 3)", value)
    return numbers


def _numbers(name: str, value: ArrayLike) -> Reals:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value  # usually
    return checks.numbers(name, value, None, finite=False)
