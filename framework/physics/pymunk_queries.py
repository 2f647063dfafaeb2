"""Find the pymunk bodies that overlap a shape, or the first body that a moving circle hits."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias

from ..errors import FrameworkError
from .engines import pymunk
from .physics_layers import Search
from .plane_engine import PlaneHit
from .shapes2d import BoxShape, Capsule, Circle, PlaneShape, corners_of

Point = tuple[float, float]
# A string, because pymunk may not be installed.
Matches: TypeAlias = "Callable[[pymunk.Shape | None], bool]"
"""The type of a function that returns whether a query may find a shape."""


def pymunk_shape(body: pymunk.Body, shape: PlaneShape) -> pymunk.Shape:
    """Convert a body's shape to a pymunk shape."""
    if isinstance(shape, Circle):
        return pymunk.Circle(body, shape.radius, shape.center)
    if isinstance(shape, Capsule):
        return pymunk.Segment(body, shape.start, shape.end, shape.radius)
    corners = corners_of(shape) if isinstance(shape, BoxShape) else shape.corners.tolist()
    return pymunk.Poly(body, corners)


def overlapping(
    space: pymunk.Space,
    shapes: list[PlaneShape],
    position: Point,
    angle: float,
    search: Search,
    matches: Matches,
) -> set[Hashable]:
    """Return the bodies that overlap at least one of ``shapes``."""
    body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
    body.position = position
    body.angle = angle
    owners: set[Hashable] = set()
    for part in shapes:
        shape = pymunk_shape(body, part)
        shape.filter = pymunk.ShapeFilter(mask=search.layers)
        hits = [info.shape for info in space.shape_query(shape) if matches(info.shape)]
        owners |= {hit.body for hit in hits if hit is not None}
    return owners


def radius_of(shapes: list[PlaneShape]) -> float:
    """Return the radius of a circle.

    Raises `FrameworkError` for all shapes except circles, because pymunk can move only circles.
    """
    circle = shapes[0]
    if not isinstance(circle, Circle):
        raise FrameworkError(
            "shape: pymunk can cast only 'circle'; cast a circle, or make the physics world with "
            "Physics2D(…, engine='rapier')"
        )
    return circle.radius


def circle_hit(
    space: pymunk.Space,
    radius: float,
    start: Point,
    displacement: Point,
    search: Search,
    matches: Matches,
) -> PlaneHit | None:
    """Return the first body that a circle hits when it moves along ``displacement``.

    If the circle already overlaps a body at the start, the result is a hit on this body, with a
    fraction of 0. If the circle is moving out of the body, there is no hit.
    """
    if not any(displacement):
        return None
    body = pymunk.Body(body_type=pymunk.Body.KINEMATIC)
    body.position = start
    circle = pymunk.Circle(body, radius)
    circle.filter = pymunk.ShapeFilter(mask=search.layers)
    overlaps = _overlaps_of(space, circle, matches)
    hit = _deepest_hit(overlaps, displacement)
    if hit is not None:
        return hit
    around = {shape for shape, _ in overlaps}
    end = start[0] + displacement[0], start[1] + displacement[1]
    return thick_ray_hit(
        space, start, end, radius, search, lambda shape: matches(shape) and shape not in around
    )


def _overlaps_of(
    space: pymunk.Space, circle: pymunk.Circle, matches: Matches
) -> list[tuple[pymunk.Shape, pymunk.ContactPointSet]]:
    """Return the shapes that overlap a circle, each with its contact with the circle."""
    return [
        (info.shape, info.contact_point_set)
        for info in space.shape_query(circle)
        if info.shape is not None and matches(info.shape) and info.contact_point_set.points
    ]


def _deepest_hit(
    overlaps: list[tuple[pymunk.Shape, pymunk.ContactPointSet]], displacement: Point
) -> PlaneHit | None:
    """Return a hit on the shape that overlaps the circle most, among the shapes into which the
    circle is moving. If the circle is not moving into any of the shapes, return None.
    """
    deepest: tuple[float, PlaneHit] | None = None
    for shape, contact in overlaps:
        into = contact.normal
        if into.x * displacement[0] + into.y * displacement[1] <= 0:
            continue
        depth = min(point.distance for point in contact.points)
        if deepest is None or depth < deepest[0]:
            point = contact.points[0].point_b
            deepest = depth, PlaneHit(shape.body, 0.0, (point.x, point.y), (-into.x, -into.y))
    return None if deepest is None else deepest[1]


def thick_ray_hit(
    space: pymunk.Space,
    start: Point,
    end: Point,
    radius: float,
    search: Search,
    matches: Matches,
) -> PlaneHit | None:
    """Return the first hit of a thick ray, or None if the ray hits nothing. The thickness of the
    ray is ``2 * radius``.
    """
    # pymunk's query only tests shapes whose bounds touch the middle of the ray.
    (left, right), (bottom, top) = (sorted(pair) for pair in zip(start, end, strict=True))
    box = pymunk.BB(left - radius, bottom - radius, right + radius, top + radius)
    near = space.bb_query(box, pymunk.ShapeFilter(mask=search.layers))
    hits = [shape.segment_query(start, end, radius) for shape in near if matches(shape)]
    hit = min(filter(None, hits), key=lambda each: each.alpha, default=None)
    return plane_hit(hit, start)


def plane_hit(hit: pymunk.SegmentQueryInfo | None, start: Point) -> PlaneHit | None:
    """Convert pymunk's hit, for a ray that starts at ``start``, to a `PlaneHit`. Return None if
    there is no hit.

    If the ray starts inside the shape, the point of the hit is ``start``.
    """
    if hit is None or hit.shape is None:
        return None
    # If the ray starts inside the shape, `hit.point` is the end of the ray.
    x, y = start if hit.alpha == 0 else hit.point
    return PlaneHit(hit.shape.body, hit.alpha, (x, y), (hit.normal.x, hit.normal.y))
