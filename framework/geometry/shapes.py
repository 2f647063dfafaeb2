"""Convex shapes: circles, boxes, capsules and polygons, with contacts and raycasts.

Each shape is a convex polygon with rounded corners. A circle has one corner and a radius, and a
capsule has two corners and a radius. Because all shapes have corners and a radius, one function
compares any two shapes. If two polygons overlap, the contact is computed with the separating axis
theorem. If two polygons do not overlap, the nearest points of corners and edges are computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Rows
from ..moved_names import HasMoved, moved
from . import exact
from .broadphase import pairs, pairs_between
from .pairwise import Contacts, pairwise, unit
from .tilegrid import halves

_CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


@moved("shapes", {"placed": "transformed"})
class ConvexShapes(HasMoved):
    """2D convex shapes, one per row.

    Make shapes with `circles`, `boxes`, `capsules`, `polygons`, `segments` and `points`.
    ``shapes[rows]`` returns only the shapes of ``rows``.

    ``corners`` is an array (n, k, 2), in units, counter-clockwise. ``radius`` (n,) makes the
    corners round. If a shape has fewer than k corners, its last corner is repeated.
    """

    def __init__(self, corners: Doubles, radius: Doubles) -> None:
        self.corners = corners
        self.radius = radius

    def __len__(self) -> int:
        return len(self.corners)

    def __getitem__(self, rows: Rows | Mask | slice) -> ConvexShapes:
        return ConvexShapes(self.corners[rows], self.radius[rows])

    @classmethod
    def circles(cls, center: ArrayLike, radius: ArrayLike) -> ConvexShapes:
        """Return circles. ``center`` is an array (n, 2) and ``radius`` an array (n,), in units. If
        ``radius`` is one number, all circles have this radius.
        """
        middle, reach = pairwise(center=(center, 2), radius=(radius, 1))
        return cls(middle[:, None].copy(), _radii(reach))

    @classmethod
    def boxes(
        cls, center: ArrayLike, size: ArrayLike, angle: ArrayLike | None = None
    ) -> ConvexShapes:
        """Return boxes. ``center`` is an array (n, 2), and ``size`` has the shape (n, 2) or (2,).
        Centers and sizes are in units.

        ``angle`` (n,) is the rotation of each box in radians, counter-clockwise. By default, the
        boxes are upright.
        """
        middle, turn = pairwise(center=(center, 2), angle=(0.0 if angle is None else angle, 1))
        ends: Doubles = _CORNERS * halves(size, len(middle))[:, None]
        return cls(
            middle[:, None] + (ends if angle is None else turned(ends, turn)), np.zeros(len(middle))
        )

    @classmethod
    def capsules(cls, start: ArrayLike, end: ArrayLike, radius: ArrayLike) -> ConvexShapes:
        """Return capsules. A capsule is all points within ``radius`` of a line segment.

        ``start`` and ``end`` (n, 2) are the ends of the segments, in units. ``radius`` is an array
        (n,), or one number.
        """
        starts, ends, reach = pairwise(start=(start, 2), end=(end, 2), radius=(radius, 1))
        return cls(np.stack([starts, ends], axis=1), _radii(reach))

    @classmethod
    def segments(cls, start: ArrayLike, end: ArrayLike) -> ConvexShapes:
        """Return line segments from ``start`` (n, 2) to ``end`` (n, 2), in units."""
        return cls.capsules(start, end, 0.0)

    @classmethod
    def points(cls, position: ArrayLike) -> ConvexShapes:
        """Return points at ``position`` (n, 2), in units. A point is a shape without a size."""
        return cls.circles(position, 0.0)

    @classmethod
    def polygons(
        cls, corners: ArrayLike | Sequence[ArrayLike], radius: ArrayLike = 0.0
    ) -> ConvexShapes:
        """Return convex polygons with the given corners. Corners may be in clockwise or
        counter-clockwise order.

        Parameters
        ----------
        corners
            An array (n, k, 2) in units, or a list of arrays (k, 2). The arrays of a list may have
            different lengths.
        radius
            The radius of the round corners, in units: an array (n,), or one number for all
            polygons. Default: 0.

        Raises `ValueError` for a polygon that is not convex. Use `collide.convex_pieces` to split a
        polygon that is not convex into convex polygons.
        """
        if not hasattr(corners, "__iter__"):
            raise checks.wrong_type(
                "corners", "the corners of polygons, (n, k, 2) or a list of (k, 2)", corners
            )
        rings = [checks.numbers("corners", ring, (None, 2)) for ring in corners]
        corner_count = max([len(ring) for ring in rings], default=1)
        if any(not len(ring) for ring in rings):
            raise ValueError("corners: expected at least one corner of each polygon, got none")
        padded = np.array(
            [[*ring, *[ring[-1]] * (corner_count - len(ring))] for ring in rings]
        ).reshape(-1, corner_count, 2)
        following = np.roll(padded, -1, axis=1)
        area: Doubles = cross(padded, following).sum(axis=1)
        padded[area < 0] = padded[area < 0, ::-1]
        along = np.roll(padded, -1, axis=1) - padded
        for row, ring in enumerate(along):
            sides = ring[(ring != 0).any(axis=1)]
            bends = cross(sides, np.roll(sides, -1, axis=0))
            longest = np.square(sides).sum(axis=1).max(initial=0)
            across = np.sign(sides[np.abs(sides[:, 0]) > 1e-9 * math.sqrt(longest), 0])
            # Changes of direction along x. More than two mean that the ring goes round twice.
            turns = (across != np.roll(across, 1)).sum()
            if turns > 2 or (bends < -1e-9 * longest).any():
                raise ValueError(
                    f"corners: polygon {row} is not convex; collide.convex_pieces splits it"
                )
        _, reach = pairwise(corner=(padded[:, 0], 2), radius=(radius, 1))
        return cls(padded, _radii(reach))

    def transformed(
        self, position: ArrayLike, angle: ArrayLike | None = None, scale: ArrayLike | None = None
    ) -> ConvexShapes:
        """Return copies of the shapes with positions, angles and scales, as sprites have.

        Each shape is scaled by ``scale`` (n, 2), then turned by ``angle`` (n,) in radians, then
        moved to ``position`` (n, 2). A single shape is repeated for all n rows. A radius is
        multiplied by the smaller of the two scale factors.
        """
        factors = (1.0, 1.0) if scale is None else scale
        positions, turn, factor, rows = pairwise(
            position=(position, 2),
            angle=(0.0 if angle is None else angle, 1),
            scale=(factors, 2),
            rows=(np.arange(float(len(self))), 1),
        )
        chosen = rows.astype(np.intp)
        corners = self.corners[chosen] * factor[:, None]
        mirrored = factor[:, 0] * factor[:, 1] < 0
        corners[mirrored] = corners[mirrored, ::-1]
        corners = positions[:, None] + (corners if angle is None else turned(corners, turn))
        smaller: Doubles = np.abs(factor).min(axis=1)
        return ConvexShapes(corners, self.radius[chosen] * smaller)

    def bounds(self) -> tuple[Doubles, Doubles]:
        """Return the bounding box of each shape, in units: its lowest x and y, and its highest x
        and y. The results are two arrays (n, 2).
        """
        reach = self.radius[:, None]
        low: Doubles = self.corners.min(axis=1)
        high: Doubles = self.corners.max(axis=1)
        return low - reach, high + reach


def _radii(reach: Doubles) -> Doubles:
    if (reach < 0).any():
        raise ValueError(f"radius: expected numbers of at least 0, got {reach.min():g}")
    return reach.copy()  # a copy, because the caller may change the array later


def turned(vectors: Doubles, angle: Doubles) -> Doubles:
    """Turn vectors (n, k, 2) counter-clockwise by angles (n,) in radians."""
    sine, cosine = (part[:, None] for part in exact.sincos(angle))
    x = vectors[..., 0]
    y = vectors[..., 1]
    return np.stack([x * cosine - y * sine, x * sine + y * cosine], axis=-1)


def cross(one: Doubles, other: Doubles) -> Doubles:
    """Return the cross product x y' - y x' of 2D vectors."""
    area: Doubles = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    return area


def touching(shapes: ConvexShapes, others: ConvexShapes | None = None) -> Rows:
    """Return the pairs of rows whose shapes overlap. The result is an array (m, 2).

    If you pass ``others``, the first column has rows of ``shapes``, and the second column has rows
    of ``others``. If you pass only ``shapes``, the lower row of each pair comes first.
    """
    checks.instance("shapes", shapes, ConvexShapes)
    if others is None:
        candidates = pairs(*shapes.bounds())
        second = shapes
    else:
        second = checks.instance("others", others, ConvexShapes)
        candidates = pairs_between(*shapes.bounds(), *second.bounds())
    if not len(candidates):
        return candidates
    return candidates[contacts(shapes[candidates[:, 0]], second[candidates[:, 1]]).depth > 0]


def contacts(shapes: ConvexShapes, others: ConvexShapes) -> Contacts:
    """For each row i, return the contact between shape i of ``shapes`` and shape i of ``others``.

    ``shapes`` and ``others`` must have the same number of rows, or one of them has a single row for
    all pairs. A depth below 0 is exactly the negative distance between the two shapes.
    """
    first = checks.instance("shapes", shapes, ConvexShapes)
    second = checks.instance("others", others, ConvexShapes)
    if len(first) != len(second):
        if 1 not in (len(first), len(second)):
            raise ValueError(f"others: expected {len(first)} shapes, or one, got {len(second)}")
        rows = np.zeros(max(len(first), len(second)), np.intp)
        first, second = (first[rows], second) if len(first) == 1 else (first, second[rows])
    gap, normal = _separation(first.corners, second.corners)
    apart = np.flatnonzero(~(gap < 0))
    deepest: Rows = np.argmax(exact.dot(second.corners, normal[:, None]), axis=1)
    point = second.corners[np.arange(len(second)), deepest]
    if len(apart):
        first_point, second_point = _nearest(first.corners[apart], second.corners[apart])
        fallback = normal[apart]
        normal[apart], gap[apart] = unit(first_point - second_point, (0.0, 1.0))
        touches: Mask = gap[apart] == 0
        normal[apart[touches]] = fallback[touches]
        point[apart] = second_point
    return Contacts(
        first.radius + second.radius - gap, normal, point + normal * second.radius[:, None]
    )


def _separation(ours: Doubles, theirs: Doubles) -> tuple[Doubles, Doubles]:
    """For each pair of polygons, return the largest distance along the normal of a side, and this
    normal.

    A distance below 0 means that the polygons overlap. The normal points out of the second polygon.
    For polygons without sides, the distance is -inf and the normal points up.
    """
    n = len(ours)
    best = np.full(n, -np.inf)
    normal = np.tile([0.0, 1.0], (n, 1))
    for core, opposite, out in ((ours, theirs, -1.0), (theirs, ours, 1.0)):
        for index in range(core.shape[1] if core.shape[1] > 1 else 0):
            start = core[:, index]
            along = core[:, (index + 1) % core.shape[1]] - start
            length = exact.norm(along)
            has_length = length > 0
            axis = (
                np.stack([along[:, 1], -along[:, 0]], axis=1)
                / np.where(has_length, length, 1)[:, None]
            )
            gap: Doubles = exact.dot(opposite - start[:, None], axis[:, None]).min(axis=1)
            better = has_length & (
                gap > best + 1e-12 * length
            )  # if distances are equal, the first axis
            best[better] = gap[better]
            normal[better] = out * axis[better]
    best[best == -np.inf] = 0.0
    return best, normal


def _nearest(ours: Doubles, theirs: Doubles) -> tuple[Doubles, Doubles]:
    """Return the two nearest points of polygons that do not overlap. The results are two arrays (n,
    2).

    At least one of the two points is a corner. One of the two points is a corner, the other is a
    corner or a point on a side.
    """
    n = len(ours)
    best = np.full(n, np.inf)
    first_points = np.zeros((n, 2))
    second_points = np.zeros((n, 2))
    for corners, core, swapped in ((ours, theirs, False), (theirs, ours, True)):
        for index in range(core.shape[1]):
            start = core[:, index, None]
            along = core[:, (index + 1) % core.shape[1], None] - start
            squared = exact.dot(along, along)
            share = exact.dot(corners - start, along) / np.where(squared > 0, squared, 1)
            point = start + np.clip(share, 0, 1)[..., None] * along
            away = corners - point
            squared_distance = exact.dot(away, away)
            corner: Rows = np.argmin(squared_distance, axis=1)
            rows = np.arange(n)
            nearer = squared_distance[rows, corner] < best
            best[nearer] = squared_distance[rows, corner][nearer]
            pair = corners[rows, corner], point[rows, corner]
            for result, values in zip(
                (first_points, second_points), pair[::-1] if swapped else pair, strict=True
            ):
                result[nearer] = values[nearer]
    return first_points, second_points


# -- rays ------------------------------------------------------------------------------------------


class Hits(NamedTuple):
    """The first hit of each ray."""

    fraction: Doubles
    """The position of each hit along its ray: an array (n,). The position is 0 at the start of the
    ray and 1 at the end.

    The position is infinite if the ray hits nothing.
    """
    row: Rows
    """The row of the shape that each ray hits, or -1 if the ray hits nothing: an array (n,)."""
    normal: Doubles
    """The normal of the surface at each hit: an array (n, 2). Normals have the length 1 and point
    out of the shape.

    The normal is (0, 0) if the ray hits nothing or starts inside a shape.
    """


def raycast(origin: ArrayLike, displacement: ArrayLike, shapes: ConvexShapes) -> Hits:
    """Cast rays at all ``shapes``, and return the first hit of each ray.

    Each ray goes from ``origin`` to ``origin + displacement``. ``origin`` and ``displacement`` are
    arrays (n, 2). If you pass only one origin or one displacement (2,), all rays use it. If a ray
    hits two shapes at the same distance, the result is the shape with the lower row.
    """
    start, displacements = pairwise(origin=(origin, 2), displacement=(displacement, 2))
    checks.instance("shapes", shapes, ConvexShapes)
    n = len(start)
    end = start + displacements
    candidates = pairs_between(np.minimum(start, end), np.maximum(start, end), *shapes.bounds())
    ray = candidates[:, 0]
    row = candidates[:, 1]
    fraction, normal = _entered(start[ray], displacements[ray], shapes[row])
    best = np.full(n, np.inf)
    np.minimum.at(best, ray, fraction)
    met = np.flatnonzero((fraction == best[ray]) & (fraction <= 1))
    rays, first = np.unique(ray[met], return_index=True)  # if hits are equally near, the lower row
    hits = Hits(np.full(n, np.inf), np.full(n, -1, np.intp), np.zeros((n, 2)))
    for array, values in zip(hits, (fraction, row, normal), strict=True):
        array[rays] = values[met[first]]
    return hits


def _entered(
    start: Doubles, displacement: Doubles, shapes: ConvexShapes
) -> tuple[Doubles, Doubles]:
    """For each pair of a ray and a shape, find where the ray enters the shape. Return the fraction
    of the ray, and the normal of the shape.
    """
    core = shapes.corners
    reach = shapes.radius
    best = np.full(len(start), np.inf)
    normal = np.zeros((len(start), 2))
    for index in range(core.shape[1]):
        corner = core[:, index]
        along = core[:, (index + 1) % core.shape[1]] - corner
        length = exact.norm(along)
        axis = (
            np.stack([along[:, 1], -along[:, 0]], axis=1) / np.where(length > 0, length, 1)[:, None]
        )
        speed = exact.dot(displacement, axis)
        facing = (length > 0) & (speed < 0)
        fraction = exact.dot(corner + axis * reach[:, None] - start, axis) / np.where(
            facing, speed, 1
        )
        beside = exact.dot(start + displacement * fraction[:, None] - corner, along)
        side = (
            facing
            & (fraction >= 0)
            & (beside >= 0)
            & (beside <= length * length)
            & (fraction < best)
        )
        best[side] = fraction[side]
        normal[side] = axis[side]
        _round(start - corner, displacement, reach, best, normal)
    within = (
        contacts(ConvexShapes.points(start), shapes).depth > 0 if len(start) else np.zeros(0, bool)
    )
    best[within] = 0.0
    normal[within] = 0.0
    return best, normal


def _round(
    start: Doubles, displacement: Doubles, reach: Doubles, best: Doubles, normal: Doubles
) -> None:
    """Test rays against circles around (0, 0): the rounded corners of shapes.

    If a ray hits a circle before its first hit so far, `_round` writes the new hit to ``best`` and
    ``normal``.
    """
    squared = exact.dot(displacement, displacement)
    along = exact.dot(start, displacement)
    beside = cross(start, displacement)
    chord = squared * reach * reach - beside * beside
    met = (reach > 0) & (chord >= 0) & (along < 0)
    fraction = np.where(
        met, (-along - np.sqrt(np.where(met, chord, 0))) / np.where(met, squared, 1), np.inf
    )
    met &= (fraction >= 0) & (fraction < best)
    best[met] = fraction[met]
    normal[met] = unit(
        (start + displacement * np.where(met, fraction, 0)[:, None])[met], (0.0, 1.0)
    )[0]


def inside(points: ArrayLike, shapes: ConvexShapes) -> Mask:
    """For each row i, return whether point i is inside shape i. The result is an array of bools
    (n,).

    ``points`` is an array of positions (n, 2), in units. A single point or a single shape is used
    for all pairs.
    """
    within: Mask = contacts(ConvexShapes.points(points), shapes).depth > 0
    return within
