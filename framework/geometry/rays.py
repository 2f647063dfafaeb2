"""Rays: how far it is along them into balls, boxes and triangles. Pure NumPy.

An ``origin`` and a ``direction`` are (3,), or (n, 3) for one ray a shape. Distances are in units of
the direction's length, infinite where nothing is met.
"""

from __future__ import annotations

__all__ = ["ray_boxes", "ray_spheres", "ray_triangles"]

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Reals
from . import exact


def checked_ray(origin: ArrayLike, direction: ArrayLike) -> tuple[Doubles, Doubles]:
    """Both as float64 (3,), the direction of length 1. Raises `ValueError` or `TypeError`, by name,
    for anything else.
    """
    return checks.vector("origin", origin, 3), checks.direction("direction", direction)


def ray_spheres(origin: Doubles, direction: Doubles, centers: Reals, radii: ArrayLike) -> Doubles:
    """How far it is into balls at ``centers`` (n, 3) of ``radii`` (n,): (n,), 0 from within."""
    origin, direction, centers = _places(origin=origin, direction=direction, centers=centers)
    to, squared = centers - origin, np.square(_numbers("radii", radii))
    length = exact.norm(direction)
    along = exact.dot(to, direction) / length
    beside = (
        to - (along / length)[..., None] * direction
    )  # |to|² - along² would lose the digits of what is far
    with np.errstate(invalid="ignore", over="ignore"):
        chord = squared - exact.dot(beside, beside)
        met = (chord >= 0) & ((along >= 0) | (along**2 <= chord))
        return np.where(met, np.maximum(along - np.sqrt(np.maximum(chord, 0)), 0) / length, np.inf)


def ray_boxes(origin: Doubles, direction: Doubles, low: Reals, high: Reals) -> Doubles:
    """How far it is into upright boxes between ``low`` and ``high`` (n, 3): (n,), 0 from within."""
    origin, direction, low, high = _places(origin=origin, direction=direction, low=low, high=high)
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (low - origin) / direction, (high - origin) / direction
    # A ray along a slab never crosses its sides: it is within, or never is.
    within = np.where((low <= origin) & (origin <= high), -np.inf, np.inf)
    still: Mask = direction == 0
    enter: Reals = np.where(still, within, np.minimum(first, second)).max(axis=-1, initial=0)
    leave: Reals = np.where(still, np.inf, np.maximum(first, second)).min(axis=-1)
    return np.where(enter <= leave, enter, np.inf)


def ray_triangles(origin: Doubles, direction: Doubles, corners: Reals) -> tuple[Doubles, Doubles]:
    """How far it is to triangles (…, 3, 3), which broadcast with the rays, by Möller and Trumbore.

    Returns the distances and, of the same shape, the side that is met: above 0 where their front
    is.
    """
    origin, direction, corners = _places(origin=origin, direction=direction, corners=corners)
    if corners.shape[-2:] != (3, 3):
        raise checks.wrong_value("corners", "numbers of shape (…, 3, 3)", corners)
    one, two = corners[..., 1, :] - corners[..., 0, :], corners[..., 2, :] - corners[..., 0, :]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        across = np.cross(direction, two)
        side: Reals = (one * across).sum(axis=-1)
        start = origin - corners[..., 0, :]
        u: Reals = (start * across).sum(axis=-1) / side
        over = np.cross(start, one)
        v: Reals = (direction * over).sum(axis=-1) / side
        distance: Reals = (two * over).sum(axis=-1) / side
        # Edges belong to both triangles: a ray never slips through between two.
        met = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (distance >= 0)
    return np.where(met, distance, np.inf), side


def _places(**places: ArrayLike) -> list[Reals]:
    """Numbers of shape (…, 3), of the kind that they are."""
    return [_threes(name, value) for name, value in places.items()]


def _threes(name: str, value: ArrayLike) -> Reals:
    numbers = _numbers(name, value)
    if numbers.shape[-1:] != (3,):
        raise checks.wrong_value(name, "numbers of shape (3,) or (…, 3)", value)
    return numbers


def _numbers(name: str, value: ArrayLike) -> Reals:
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value  # as a rule
    return checks.numbers(name, value, None, finite=False)
