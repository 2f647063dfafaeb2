"""Compute the contacts and raycasts of a few convex shapes, faster than `shapes`.

Every NumPy call takes about a microsecond, even for a single number. For a few pairs of shapes,
this module therefore uses Python's floats, and takes less time than `shapes`. Both modules give
exactly the same results, because they perform the same operations in the same order.

In this module, a shape is a radius and a list of corners (x, y), counter-clockwise. All numbers
must be finite and at most `MAX_COORDINATE`, so that their products are finite too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..arrays import Doubles

MAX_COORDINATE = 1e60
MAX_PAIRS = 8
"""The number of pairs above which the functions of `shapes` are faster."""
_MAX_CORNERS = 8  # for shapes with more corners, the functions of `shapes` take less time

Corner = list[float]
Corners = list[Corner]
Vector = tuple[float, float]

_INFINITE = math.inf
_sqrt = math.sqrt


def lists_of(corners: Doubles, radius: Doubles) -> tuple[list[Corners], list[float]] | None:
    """Return the corners and the radii of a few shapes as lists of shape (n, k, 2) and (n,). Return
    None if this module does not support the shapes.
    """
    if corners.shape[1] > _MAX_CORNERS:
        return None
    numbers: list[float] = corners.reshape(-1).tolist()
    radii: list[float] = radius.tolist()
    if not numbers:
        return [], []
    # If a number is NaN, the sum is NaN. Every comparison with NaN is False.
    total = sum(numbers) + sum(radii)
    fits = (
        -_INFINITE < total < _INFINITE
        and max(numbers) <= MAX_COORDINATE
        and min(numbers) >= -MAX_COORDINATE
        and min(radii) >= 0
        and max(radii) <= MAX_COORDINATE
    )
    return (corners.tolist(), radii) if fits else None


def boxes_touch(ours: Corners, radius: float, theirs: Corners, other_radius: float) -> bool:
    """Return whether the bounding boxes of two shapes overlap or touch."""
    axes = zip(*ours, strict=True)
    other_axes = zip(*theirs, strict=True)
    for numbers, other_numbers in zip(axes, other_axes, strict=True):
        if not (
            min(numbers) - radius <= max(other_numbers) + other_radius
            and min(other_numbers) - other_radius <= max(numbers) + radius
        ):
            return False
    return True


def separation(ours: Corners, theirs: Corners) -> tuple[float, float, float]:
    """For two polygons, return the largest distance along the normal of a side, and the x and y of
    this normal. See `shapes._separation`.
    """
    best = -_INFINITE
    normal_x = 0.0
    normal_y = 1.0
    for core, opposite, out in ((ours, theirs, -1.0), (theirs, ours, 1.0)):
        if len(core) < 2:
            continue
        for (start_x, start_y), (end_x, end_y) in zip(core, core[1:] + core[:1], strict=True):
            along_x = end_x - start_x
            along_y = end_y - start_y
            length = _sqrt(along_x * along_x + along_y * along_y)
            if not length > 0:
                continue
            axis_x = along_y / length
            axis_y = -along_x / length
            if len(opposite) == 1:  # a circle or a point
                ((x, y),) = opposite
                gap = (x - start_x) * axis_x + (y - start_y) * axis_y
            else:
                gap = min([(x - start_x) * axis_x + (y - start_y) * axis_y for x, y in opposite])
            if gap > best + 1e-12 * length:
                best = gap
                normal_x = out * axis_x
                normal_y = out * axis_y
    return (0.0 if best == -_INFINITE else best), normal_x, normal_y


def nearest(ours: Corners, theirs: Corners) -> tuple[float, float, float, float]:
    """Return the x and y of the two nearest points of two polygons that do not overlap. See
    `shapes._nearest`.
    """
    best = _INFINITE
    corner_x = corner_y = point_x = point_y = 0.0
    corner_is_ours = True
    for corners, core, is_ours in ((ours, theirs, True), (theirs, ours, False)):
        for (start_x, start_y), (end_x, end_y) in zip(core, core[1:] + core[:1], strict=True):
            along_x = end_x - start_x
            along_y = end_y - start_y
            squared = along_x * along_x + along_y * along_y
            divisor = squared if squared > 0 else 1.0
            for x, y in corners:
                share = ((x - start_x) * along_x + (y - start_y) * along_y) / divisor
                if share < 0.0:
                    share = 0.0
                elif share > 1.0:
                    share = 1.0
                near_x = start_x + share * along_x
                near_y = start_y + share * along_y
                away_x = x - near_x
                away_y = y - near_y
                squared_distance = away_x * away_x + away_y * away_y
                if squared_distance < best:
                    best = squared_distance
                    corner_x = x
                    corner_y = y
                    point_x = near_x
                    point_y = near_y
                    corner_is_ours = is_ours
    if corner_is_ours:
        return corner_x, corner_y, point_x, point_y
    return point_x, point_y, corner_x, corner_y


def contact(
    ours: Corners, radius: float, theirs: Corners, other_radius: float
) -> tuple[float, Vector, Vector]:
    """Return the depth, the normal and the point of the contact between two shapes. See
    `shapes.contacts`.
    """
    gap, normal_x, normal_y = separation(ours, theirs)
    if gap < 0:
        deepest = [x * normal_x + y * normal_y for x, y in theirs]
        point_x, point_y = theirs[deepest.index(max(deepest))]
    else:
        first_x, first_y, point_x, point_y = nearest(ours, theirs)
        away_x = first_x - point_x
        away_y = first_y - point_y
        gap = _sqrt(away_x * away_x + away_y * away_y)
        if gap > 0:
            normal_x = away_x / gap
            normal_y = away_y / gap
    return (
        radius + other_radius - gap,
        (normal_x, normal_y),
        (point_x + normal_x * other_radius, point_y + normal_y * other_radius),
    )


def overlap(ours: Corners, radius: float, theirs: Corners, other_radius: float) -> bool:
    """Return whether two shapes overlap: their contact has a depth above 0."""
    if len(ours) == len(theirs) == 1:
        gap = 0.0
    else:
        gap, _, _ = separation(ours, theirs)
    reach = radius + other_radius
    if gap < 0:
        return reach - gap > 0
    if not reach > 0:  # without a radius, shapes do not overlap, because the distance is at least 0
        return False
    first_x, first_y, point_x, point_y = nearest(ours, theirs)
    away_x = first_x - point_x
    away_y = first_y - point_y
    return reach - _sqrt(away_x * away_x + away_y * away_y) > 0


# -- rays ------------------------------------------------------------------------------------------


class Side(NamedTuple):
    """A side of a shape, with values that are computed once for many rays."""

    x: float
    """The x coordinate of the first corner."""
    y: float
    along_x: float
    along_y: float
    squared: float
    """The square of the length of the side."""
    axis_x: float
    """The x coordinate of the normal. The normal is (0, 0) if the side has no length."""
    axis_y: float
    edge_x: float
    """The x coordinate of the first corner, moved outward by the radius of the shape."""
    edge_y: float


def sides_of(corners: Corners, radius: float) -> list[Side]:
    """Return the sides of a shape, in the order of the corners."""
    sides = []
    for index, (x, y) in enumerate(corners):
        end_x, end_y = corners[(index + 1) % len(corners)]
        along_x = end_x - x
        along_y = end_y - y
        length = _sqrt(along_x * along_x + along_y * along_y)
        axis_x = along_y / length if length > 0 else 0.0
        axis_y = -along_x / length if length > 0 else 0.0
        edge_x = x + axis_x * radius
        edge_y = y + axis_y * radius
        sides.append(Side(x, y, along_x, along_y, length * length, axis_x, axis_y, edge_x, edge_y))
    return sides


def entry(
    origin_x: float,
    origin_y: float,
    displacement_x: float,
    displacement_y: float,
    sides: list[Side],
    radius: float,
) -> tuple[float, float, float]:
    """Return the fraction of the ray at which it enters a shape, and the x and y of the shape's
    normal there. The fraction is infinite for a ray that does not enter the shape. See
    `shapes._entered`.
    """
    best = _INFINITE
    normal_x = normal_y = 0.0
    for x, y, along_x, along_y, squared, axis_x, axis_y, edge_x, edge_y in sides:
        speed = displacement_x * axis_x + displacement_y * axis_y
        if speed < 0:
            fraction = ((edge_x - origin_x) * axis_x + (edge_y - origin_y) * axis_y) / speed
            if 0 <= fraction < best:
                beside = (origin_x + displacement_x * fraction - x) * along_x + (
                    origin_y + displacement_y * fraction - y
                ) * along_y
                if 0 <= beside <= squared:
                    best = fraction
                    normal_x = axis_x
                    normal_y = axis_y
        if radius > 0:
            hit = _entry_of_circle(
                origin_x - x, origin_y - y, displacement_x, displacement_y, radius, best
            )
            if hit is not None:
                best, normal_x, normal_y = hit
    return best, normal_x, normal_y


def _entry_of_circle(
    x: float, y: float, displacement_x: float, displacement_y: float, radius: float, best: float
) -> tuple[float, float, float] | None:
    """Return the fraction of the ray at which it enters a circle around (0, 0), and the x and y of
    the normal there. Return None if the fraction would not be below ``best``. See `shapes._round`.
    """
    along = x * displacement_x + y * displacement_y
    squared = displacement_x * displacement_x + displacement_y * displacement_y
    beside = x * displacement_y - y * displacement_x
    chord = squared * radius * radius - beside * beside
    if not (along < 0 and chord >= 0 and squared > 0):
        return None
    fraction = (-along - _sqrt(chord)) / squared
    if not 0 <= fraction < best:
        return None
    normal_x = x + displacement_x * fraction
    normal_y = y + displacement_y * fraction
    length = _sqrt(normal_x * normal_x + normal_y * normal_y)
    if length > 0:
        return fraction, normal_x / length, normal_y / length
    return fraction, 0.0, 1.0
