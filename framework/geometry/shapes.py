"""Circles, boxes, capsules and convex polygons, with contacts and raycasts.

Each shape is a convex polygon with rounded corners: a circle has one corner and a radius, and a
capsule has two corners and a radius. Because all shapes have this form, one function can compare
any two of them. If two polygons overlap, their contact is computed with the separating axis
theorem. Otherwise, it is computed from their nearest points.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Rows
from ..moved_names import HasMoved, moved
from . import exact
from .broadphase import Extents, near, pairs, pairs_between
from .pairwise import Contacts, one_row, pairwise, unit
from .shape_index import ShapeIndex
from .single_shapes import MAX_COORDINATE, MAX_PAIRS, boxes_touch, contact, lists_of, overlap
from .tilegrid import halves

_CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


@moved("shapes", {"placed": "transformed"})
class ConvexShapes(HasMoved):
    """A set of 2D convex shapes, with one shape per row.

    Create shapes with `circles`, `boxes`, `capsules`, `polygons`, `segments` and `points`.
    ``shapes[rows]`` returns a set with only the shapes in ``rows``.

    ``corners`` is an array of shape (n, k, 2) in units. The corners are counter-clockwise.
    ``radius``, of shape (n,), is the radius of the rounded corners. If a shape has fewer than k
    corners, its last corner is repeated.
    """

    _transient_attributes = ("_index",)
    _index: ShapeIndex | None = None

    def __init__(self, corners: Doubles, radius: Doubles) -> None:
        self.corners = corners
        self.radius = radius

    def __len__(self) -> int:
        return len(self.corners)

    def __getitem__(self, rows: Rows | Mask | slice) -> ConvexShapes:
        return ConvexShapes(self.corners[rows], self.radius[rows])

    @classmethod
    def circles(cls, center: ArrayLike, radius: ArrayLike) -> ConvexShapes:
        """Return circles. ``center`` is an array of shape (n, 2) and ``radius`` an array of shape
        (n,), in units. If ``radius`` is one number, all circles have the same radius.
        """
        middle, reach = pairwise(center=(center, 2), radius=(radius, 1))
        return cls(middle[:, None].copy(), _radii(reach))

    @classmethod
    def boxes(
        cls, center: ArrayLike, size: ArrayLike, angle: ArrayLike | None = None
    ) -> ConvexShapes:
        """Return boxes. ``center`` is an array of shape (n, 2). ``size`` has the shape (n, 2), or
        (2,) for all boxes. Centers and sizes are in units.

        ``angle``, of shape (n,), is the rotation of each box, in radians counter-clockwise. By
        default, the boxes are upright.
        """
        middle, turn = pairwise(center=(center, 2), angle=(0.0 if angle is None else angle, 1))
        ends: Doubles = _CORNERS * halves(size, len(middle))[:, None]
        return cls(
            middle[:, None] + (ends if angle is None else turned(ends, turn)), np.zeros(len(middle))
        )

    @classmethod
    def capsules(cls, start: ArrayLike, end: ArrayLike, radius: ArrayLike) -> ConvexShapes:
        """Return capsules. A capsule is the area within a distance of ``radius`` from a line
        segment.

        ``start`` and ``end``, of shape (n, 2), are the two ends of each line segment, in units.
        ``radius`` is an array of shape (n,), or one number for all capsules.
        """
        starts, ends, reach = pairwise(start=(start, 2), end=(end, 2), radius=(radius, 1))
        return cls(np.stack([starts, ends], axis=1), _radii(reach))

    @classmethod
    def segments(cls, start: ArrayLike, end: ArrayLike) -> ConvexShapes:
        """Return line segments from ``start`` to ``end``, in units. Both arrays have the shape
        (n, 2).
        """
        return cls.capsules(start, end, 0.0)

    @classmethod
    def points(cls, position: ArrayLike) -> ConvexShapes:
        """Return points at ``position``, an array of shape (n, 2), in units. A point is a shape
        without a size.
        """
        return cls.circles(position, 0.0)

    @classmethod
    def polygons(
        cls, corners: ArrayLike | Sequence[ArrayLike], radius: ArrayLike = 0.0
    ) -> ConvexShapes:
        """Return convex polygons with the corners in ``corners``. The corners of a polygon may be
        clockwise or counter-clockwise.

        Parameters
        ----------
        corners
            An array of shape (n, k, 2) in units, or a list of arrays of shape (k, 2). In a list of
            arrays, each array may have a different length.
        radius
            The radius of the rounded corners, in units: an array of shape (n,), or one number for
            all polygons. Default: 0.

        Raises `ValueError` if a polygon is not convex. Use `collide.convex_pieces` to split a
        polygon that is not convex into convex polygons.
        """
        if not hasattr(corners, "__iter__"):
            raise checks.wrong_type(
                "corners", "the corners of polygons, (n, k, 2) or a list of (k, 2)", corners
            )
        padded = _padded([checks.numbers("corners", ring, (None, 2)) for ring in corners])
        area: Doubles = cross(padded, np.roll(padded, -1, axis=1)).sum(axis=1)
        padded[area < 0] = padded[area < 0, ::-1]  # now all are counter-clockwise
        edges: Doubles = np.roll(padded, -1, axis=1) - padded
        for row, edges_of_polygon in enumerate(edges):
            if not _is_convex(edges_of_polygon):
                raise ValueError(
                    f"corners: polygon {row} is not convex; collide.convex_pieces splits it"
                )
        _, reach = pairwise(corner=(padded[:, 0], 2), radius=(radius, 1))
        return cls(padded, _radii(reach))

    def transformed(
        self, position: ArrayLike, angle: ArrayLike | None = None, scale: ArrayLike | None = None
    ) -> ConvexShapes:
        """Return copies of the shapes with the positions, angles and scales of sprites.

        Each shape is first scaled by ``scale``, then rotated by ``angle`` in radians, and finally
        moved to ``position``. ``scale`` and ``position`` have the shape (n, 2), and ``angle`` has
        the shape (n,). If the set has a single shape, this shape is repeated for all n rows. The
        radius of the corners is multiplied by the smaller of the two scale factors.
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
        """Return the bounding box of each shape, in units: the lowest x and y, and the highest x
        and y. The lowest corners and the highest corners are arrays of shape (n, 2).
        """
        reach = self.radius[:, None]
        low: Doubles = self.corners.min(axis=1)
        high: Doubles = self.corners.max(axis=1)
        return low - reach, high + reach


def _index_of(shapes: ConvexShapes) -> ShapeIndex:
    """Return the index of the shapes, which finds the shapes near a ray. If the shapes have changed
    since the last call, compute a new index.
    """
    index = shapes._index
    if index is None or not index.is_current(shapes.corners, shapes.radius):
        index = shapes._index = ShapeIndex(shapes.corners, shapes.radius)
    return index


def _padded(rings: list[Doubles]) -> Doubles:
    """Return the corners of n polygons as an array of shape (n, k, 2). If a polygon has fewer than
    k corners, its last corner is repeated.
    """
    corner_count = max([len(ring) for ring in rings], default=1)
    if any(not len(ring) for ring in rings):
        raise ValueError("corners: expected at least one corner of each polygon, got none")
    padded = [[*ring, *[ring[-1]] * (corner_count - len(ring))] for ring in rings]
    return np.array(padded).reshape(-1, corner_count, 2)


def _is_convex(edges: Doubles) -> bool:
    """Return whether a polygon is convex. ``edges`` contains the vectors from each corner to the
    next corner, counter-clockwise.
    """
    sides = edges[(edges != 0).any(axis=1)]
    bends = cross(sides, np.roll(sides, -1, axis=0))
    longest = np.square(sides).sum(axis=1).max(initial=0)
    across = np.sign(sides[np.abs(sides[:, 0]) > 1e-9 * math.sqrt(longest), 0])
    # Count the changes of direction along x. With more than two, the ring goes around twice.
    turns = (across != np.roll(across, 1)).sum()
    return bool(turns <= 2 and not (bends < -1e-9 * longest).any())


def _radii(reach: Doubles) -> Doubles:
    if (reach < 0).any():
        raise ValueError(f"radius: expected numbers of at least 0, got {reach.min():g}")
    return reach.copy()  # a copy, because the caller may change the array later


def turned(vectors: Doubles, angle: Doubles) -> Doubles:
    """Rotate ``vectors``, of shape (n, k, 2), counter-clockwise by the angles ``angle``, of shape
    (n,), in radians.
    """
    sine, cosine = (part[:, None] for part in exact.sincos(angle))
    x = vectors[..., 0]
    y = vectors[..., 1]
    return np.stack([x * cosine - y * sine, x * sine + y * cosine], axis=-1)


def cross(one: Doubles, other: Doubles) -> Doubles:
    """Return the cross product x y' - y x' of two 2D vectors."""
    area: Doubles = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    return area


def touching(shapes: ConvexShapes, others: ConvexShapes | None = None) -> Rows:
    """Return the pairs of rows whose shapes overlap. The result has the shape (m, 2): one row for
    each of the m pairs.

    If you pass ``others``, the first column contains rows of ``shapes``, and the second column
    contains rows of ``others``. If you pass only ``shapes``, the smaller row of each pair comes
    first.
    """
    checks.instance("shapes", shapes, ConvexShapes)
    if others is None:
        second = shapes
        candidates = pairs(*shapes.bounds())
    else:
        second = checks.instance("others", others, ConvexShapes)
        if len(shapes) * len(second) <= MAX_PAIRS:
            rows = _touching_few(shapes, second)
            if rows is not None:
                return rows
        candidates = pairs_between(*shapes.bounds(), *second.bounds())
    if not len(candidates):
        return candidates
    return candidates[_overlapping(shapes[candidates[:, 0]], second[candidates[:, 1]])]


def _touching_few(shapes: ConvexShapes, others: ConvexShapes) -> Rows | None:
    """Return the pairs of rows whose shapes overlap, computed without NumPy for a few shapes.
    Return None if `touching` must compare the shapes with NumPy.
    """
    first = _lists(shapes)
    second = _lists(others)
    if first is None or second is None:
        return None
    rows = [
        (row, other_row)
        for row, (corners, radius) in enumerate(zip(*first, strict=True))
        for other_row, (other_corners, other_radius) in enumerate(zip(*second, strict=True))
        if boxes_touch(corners, radius, other_corners, other_radius)
        and overlap(corners, radius, other_corners, other_radius)
    ]
    return np.array(rows, np.intp) if rows else np.empty((0, 2), np.intp)


def _lists(shapes: ConvexShapes) -> tuple[list[list[list[float]]], list[float]] | None:
    """Return the corners and the radii of a few shapes as Python lists. Return None if
    `single_shapes` does not support the shapes.
    """
    corners = shapes.corners
    radius = shapes.radius
    return lists_of(corners, radius) if corners.dtype == radius.dtype == np.float64 else None


def _overlapping(first: ConvexShapes, second: ConvexShapes) -> Mask:
    """For each row, return whether the contact has a depth above 0."""
    gap, _ = _separation(first.corners, second.corners)
    reach = first.radius + second.radius
    overlaps: Mask = (gap < 0) & (reach - gap > 0)
    # Shapes without a radius overlap only if the distance is below 0.
    apart = np.flatnonzero(~(gap < 0) & (reach > 0))
    if len(apart):
        first_point, second_point = _nearest(first.corners[apart], second.corners[apart])
        overlaps[apart] = reach[apart] - exact.norm(first_point - second_point) > 0
    return overlaps


def _alike(first: ConvexShapes, second: ConvexShapes) -> tuple[ConvexShapes, ConvexShapes]:
    """Make two sets of shapes have the same number of rows, by repeating a set with a single shape."""
    checks.instance("shapes", first, ConvexShapes)
    checks.instance("others", second, ConvexShapes)
    if len(first) == len(second):
        return first, second
    if 1 not in (len(first), len(second)):
        raise ValueError(f"others: expected {len(first)} shapes, or one, got {len(second)}")
    rows = np.zeros(len(second) if len(first) == 1 else len(first), np.intp)
    return (first[rows], second) if len(first) == 1 else (first, second[rows])


def contacts(shapes: ConvexShapes, others: ConvexShapes) -> Contacts:
    """Return the contacts between two sets of shapes. Contact i is between shape i of ``shapes``
    and shape i of ``others``.

    ``shapes`` and ``others`` must have the same number of rows, unless one of them has only one
    row. If the depth is below 0, the shapes do not touch, and the distance between them is minus
    the depth.
    """
    first, second = _alike(shapes, others)
    if len(first) <= MAX_PAIRS:
        result = _contacts_few(first, second)
        if result is not None:
            return result
    gap, normal = _separation(first.corners, second.corners)
    deepest: Rows = np.argmax(exact.dot(second.corners, normal[:, None]), axis=1)
    point = second.corners[np.arange(len(second)), deepest]
    apart = np.flatnonzero(~(gap < 0))
    if len(apart):
        first_point, second_point = _nearest(first.corners[apart], second.corners[apart])
        direction, distance = unit(first_point - second_point, (0.0, 1.0))
        # If the polygons only touch, the normal of the side remains.
        normal[apart] = np.where((distance == 0)[:, None], normal[apart], direction)
        gap[apart] = distance
        point[apart] = second_point
    return Contacts(
        first.radius + second.radius - gap, normal, point + normal * second.radius[:, None]
    )


def _contacts_few(shapes: ConvexShapes, others: ConvexShapes) -> Contacts | None:
    """Return the contacts of a few pairs, computed without NumPy. Return None if `contacts` must
    compare the shapes with NumPy.
    """
    first = _lists(shapes)
    second = _lists(others)
    if first is None or second is None or not first[0]:
        return None
    depths, normals, points = zip(*map(contact, *first, *second), strict=True)
    return Contacts(np.array(depths), np.array(normals), np.array(points))


def _separation(ours: Doubles, theirs: Doubles) -> tuple[Doubles, Doubles]:
    """For each pair of polygons, return the largest distance along the normal of a side, and this
    normal. If the distance is below 0, the two polygons overlap. The normal points out of the
    second polygon. For polygons without sides, the distance is -inf and the normal is (0, 1).
    """
    n = len(ours)
    best = np.full(n, -np.inf)
    normal = np.tile([0.0, 1.0], (n, 1))
    for core, opposite, out in ((ours, theirs, -1.0), (theirs, ours, 1.0)):
        if core.shape[1] == 1:
            continue
        for start, along in _sides(core):
            length = exact.norm(along)
            has_length = length > 0
            across = np.stack([along[:, 1], -along[:, 0]], axis=1)
            axis = across / np.where(has_length, length, 1)[:, None]
            gap: Doubles = exact.dot(opposite - start[:, None], axis[:, None]).min(axis=1)
            # If the distances are equal, the first axis is used.
            better = has_length & (gap > best + 1e-12 * length)
            best[better] = gap[better]
            normal[better] = out * axis[better]
    best[best == -np.inf] = 0.0
    return best, normal


def _sides(core: Doubles) -> Iterator[tuple[Doubles, Doubles]]:
    """Yield the sides of polygons. For each side, yield the first corner and the vector to the next
    corner: two arrays of shape (n, 2).
    """
    k = core.shape[1]
    for index in range(k):
        start = core[:, index]
        yield start, core[:, (index + 1) % k] - start


def _nearest(ours: Doubles, theirs: Doubles) -> tuple[Doubles, Doubles]:
    """For pairs of polygons that do not overlap, return the two points that are nearest to each
    other, as two arrays of shape (n, 2).

    At least one of the two points is a corner. The other is a corner or a point on a side.
    """
    n = len(ours)
    best = np.full(n, np.inf)
    first_points = np.zeros((n, 2))
    second_points = np.zeros((n, 2))
    rows = np.arange(n)
    for corners, core, corner_points, side_points in (
        (ours, theirs, first_points, second_points),
        (theirs, ours, second_points, first_points),
    ):
        for start, along in _sides(core):
            point = _points_on_side(corners, start[:, None], along[:, None])
            away = corners - point
            squared_distance = exact.dot(away, away)
            corner: Rows = np.argmin(squared_distance, axis=1)
            nearer = squared_distance[rows, corner] < best
            best[nearer] = squared_distance[rows, corner][nearer]
            corner_points[nearer] = corners[rows, corner][nearer]
            side_points[nearer] = point[rows, corner][nearer]
    return first_points, second_points


def _points_on_side(corners: Doubles, start: Doubles, along: Doubles) -> Doubles:
    """For each corner, return the nearest point of a side, which goes from ``start`` to
    ``start + along``.
    """
    squared = exact.dot(along, along)
    share = exact.dot(corners - start, along) / np.where(squared > 0, squared, 1)
    np.copyto(share, 0.0, where=share < 0)  # not `clip`, which may lose the sign of 0
    np.minimum(share, 1.0, out=share)
    point: Doubles = start + share[..., None] * along
    return point


# -- rays ------------------------------------------------------------------------------------------


class Hits(NamedTuple):
    """The first hit of each ray."""

    fraction: Doubles
    """How far along its ray each hit is: an array of shape (n,). The value is 0 at the start of the
    ray, 1 at the end, and infinite if the ray hits nothing.
    """
    row: Rows
    """The row of the shape that each ray hits, or -1 if the ray hits nothing: an array of shape
    (n,).
    """
    normal: Doubles
    """The normal of the surface at each hit: an array of shape (n, 2). Normals have a length of 1
    and point out of the shape.

    The normal is (0, 0) if the ray hits nothing or starts inside a shape.
    """


def raycast(origin: ArrayLike, displacement: ArrayLike, shapes: ConvexShapes) -> Hits:
    """Cast rays against ``shapes``, and return the first hit of each ray.

    Each ray goes from ``origin`` to ``origin + displacement``. ``origin`` and ``displacement`` are
    arrays of shape (n, 2), in units. A single origin or displacement of shape (2,) is used for all
    rays. If a ray hits two shapes at the same distance, the shape with the smaller row is returned.

    `ConvexShapes` objects store an index, which finds the shapes near a ray quickly. When corners
    or radii have changed, `raycast` computes a new index. If your shapes do not move, reuse one
    `ConvexShapes` object in all ticks, so that the index is computed only once.
    """
    checks.instance("shapes", shapes, ConvexShapes)
    point = one_row(origin, 2)
    movement = one_row(displacement, 2)
    if (
        point is not None and movement is not None
    ):  # Without arrays, a single ray takes a third less time.
        single_hits = _raycast_few([point], [movement], shapes)
        if single_hits is not None:
            return single_hits
    start, displacements = pairwise(origin=(origin, 2), displacement=(displacement, 2))
    n = len(start)
    if 0 < n <= _MAX_RAYS:
        few_hits = _raycast_few(start.tolist(), displacements.tolist(), shapes)
        if few_hits is not None:
            return few_hits
    index = _index_of(shapes)
    ray, row = near(_boxes_around(start, displacements), index.extents).T
    starts: Doubles = np.ascontiguousarray(start.T).take(ray, axis=1)
    movements: Doubles = np.ascontiguousarray(displacements.T).take(ray, axis=1)
    passed = index.near_ray(starts, movements, row).nonzero()[0]
    ray = ray.take(passed)
    row = row.take(passed)
    starts = starts.take(passed, axis=1)
    movements = movements.take(passed, axis=1)
    near_start = index.near_points(starts, row).nonzero()[0]
    fraction, normal = _entered(starts, movements, shapes[row], near_start)
    return _first_hits(n, ray, Hits(fraction, row, normal))


_MAX_RAYS = 16  # if there are more rays, one call for all rays takes less time


def _boxes_around(start: Doubles, displacement: Doubles) -> Extents:
    end = start + displacement
    with np.errstate(over="ignore", invalid="ignore"):
        return Extents(
            np.ascontiguousarray(np.minimum(start, end).T),
            np.ascontiguousarray(np.maximum(start, end).T),
        )


def _first_hits(n: int, ray: Rows, hits: Hits) -> Hits:
    """Return the first hit of each of ``n`` rays. ``hits`` contains all hits, and ``ray`` the ray
    of each hit. If two shapes are equally near, the lower row is used.
    """
    best = np.full(n, np.inf)
    np.minimum.at(best, ray, hits.fraction)
    nearest = np.flatnonzero((hits.fraction == best[ray]) & (hits.fraction <= 1))
    hit_rays, first = np.unique(ray[nearest], return_index=True)
    result = Hits(np.full(n, np.inf), np.full(n, -1, np.intp), np.zeros((n, 2)))
    for array, values in zip(result, hits, strict=True):
        array[hit_rays] = values[nearest[first]]
    return result


def _raycast_few(
    origins: Sequence[Sequence[float]],
    displacements: Sequence[Sequence[float]],
    shapes: ConvexShapes,
) -> Hits | None:
    """Cast a few rays without NumPy. Return None if `raycast` with NumPy would be faster."""
    index = _index_of(shapes)
    if not index.supports_cast:
        return None
    fractions = []
    rows = []
    normals = []
    for (x, y), (across, along) in zip(origins, displacements, strict=True):
        if not abs(x) + abs(y) + abs(across) + abs(along) <= MAX_COORDINATE:
            return None
        hit = index.cast(x, y, across, along)
        if hit is None:
            return None
        fractions.append(hit[0])
        rows.append(hit[1])
        normals.append(hit[2:])
    return Hits(np.array(fractions), np.array(rows, np.intp), np.array(normals))


def _entered(
    start: Doubles, displacement: Doubles, shapes: ConvexShapes, near_start: Rows
) -> tuple[Doubles, Doubles]:
    """For each pair of a ray and a shape, find the point where the ray enters the shape. Return two
    arrays: the fraction of each ray before this point, of shape (m,), and the normal of the shape,
    of shape (m, 2).

    ``start`` and ``displacement`` are arrays of shape (2, m). ``near_start`` contains the pairs in
    which the ray may start inside the shape.
    """
    corners: Doubles = np.ascontiguousarray(shapes.corners.transpose(1, 2, 0))
    is_round = bool((shapes.radius > 0).any())
    best = np.full(len(shapes), np.inf)
    normal = np.zeros((2, len(shapes)))
    for index, corner in enumerate(corners):
        side = corners[(index + 1) % len(corners)] - corner
        fraction, axis, enters = _entered_side(start, displacement, corner, side, shapes.radius)
        nearer: Mask = enters & (fraction < best)
        best[nearer] = fraction[nearer]
        normal[:, nearer] = axis[:, nearer]
        if is_round:
            x, y = start - corner
            _round(x, y, displacement, shapes.radius, best, normal)
    if len(near_start):
        points = ConvexShapes.points(start.T[near_start])
        within = near_start[_overlapping(points, shapes[near_start])]
        best[within] = 0.0
        normal[:, within] = 0.0
    return best, normal.T


def _entered_side(
    start: Doubles, displacement: Doubles, corner: Doubles, side: Doubles, reach: Doubles
) -> tuple[Doubles, Doubles, Mask]:
    """For each ray, return the fraction of the ray before it enters a side from outside, the normal
    of the side, and whether the ray enters the side.

    ``corner`` is the first corner of each side, and ``side`` is the vector to the next corner. The
    sides are moved outward by ``reach``. Except ``reach``, all arrays have the shape (2, m).
    """
    x, y = start
    across, along = displacement
    corner_x, corner_y = corner
    side_x, side_y = side
    squared = side_x * side_x
    squared += side_y * side_y
    length = np.sqrt(squared)
    has_length = length > 0
    divisor = np.where(has_length, length, 1)
    axis = np.array([side_y / divisor, -side_x / divisor])
    axis_x, axis_y = axis
    speed = across * axis_x + along * axis_y
    enters = has_length & (speed < 0)
    fraction = (corner_x + axis_x * reach - x) * axis_x
    fraction += (corner_y + axis_y * reach - y) * axis_y
    fraction /= np.where(enters, speed, 1)
    beside = (x + across * fraction - corner_x) * side_x
    beside += (y + along * fraction - corner_y) * side_y
    enters &= fraction >= 0
    enters &= beside >= 0
    enters &= beside <= length * length
    return fraction, axis, enters


def _round(
    x: Doubles, y: Doubles, displacement: Doubles, reach: Doubles, best: Doubles, normal: Doubles
) -> None:
    """Test rays against circles around (0, 0), for the rounded corners of shapes. Each ray starts
    at the point (``x``, ``y``).

    ``best``, of shape (m,), contains the distance to the nearest hit of each ray so far. If a
    circle is nearer, the function writes the new distance to ``best``, and the normal of the hit to
    ``normal``, of shape (2, m).
    """
    across, along = displacement
    squared = across * across + along * along
    ahead = x * across + y * along
    beside = x * along - y * across
    chord = squared * reach * reach - beside * beside
    met: Mask = (reach > 0) & (chord >= 0) & (ahead < 0)
    fraction = np.where(
        met, (-ahead - np.sqrt(np.where(met, chord, 0))) / np.where(met, squared, 1), np.inf
    )
    met &= (fraction >= 0) & (fraction < best)
    best[met] = fraction[met]
    hits = np.column_stack([x[met] + across[met] * best[met], y[met] + along[met] * best[met]])
    normal[:, met] = unit(hits, (0.0, 1.0))[0].T


def inside(points: ArrayLike, shapes: ConvexShapes) -> Mask:
    """For each row i, return whether point i is inside shape i. The result is a bool array of shape
    (n,).

    ``points`` is an array of shape (n, 2), in units. A single point or a single shape is compared
    with all rows of the other argument.
    """
    checks.instance("shapes", shapes, ConvexShapes)
    point = one_row(points, 2) if len(shapes) == 1 else None
    if point is not None:
        shape = _lists(shapes)
        if shape is not None and abs(point[0]) + abs(point[1]) <= MAX_COORDINATE:
            (corners,), (radius,) = shape
            return np.array([overlap([[*point]], 0.0, corners, radius)])
    return _overlapping(*_alike(ConvexShapes.points(points), shapes))
