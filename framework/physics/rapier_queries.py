"""Find Rapier colliders that overlap a shape, or the first collider that a moving shape hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..arrays import Doubles
from .engines import rapier3d

Vector = tuple[float, float, float]


class Piece(NamedTuple):
    """A convex part of the shape that a query tests."""

    shape: rapier3d.SharedShape
    local: rapier3d.Isometry3
    """The pose of the part relative to the shape."""


class CastHit(NamedTuple):
    """The first collider that a moving shape hits."""

    collider: rapier3d.ColliderHandle
    distance: float
    """The distance that the shape moves until it touches the collider, in units."""
    point: Vector
    """A point on the surface of the collider."""
    normal: Vector
    """The direction that points out of the collider, as a vector of length 1."""


class RayCastHit(NamedTuple):
    """The first collider that a ray hits."""

    collider: rapier3d.ColliderHandle
    fraction: float
    """How far along the ray the hit is: 0 at the start of the ray, and 1 at the end."""
    point: Vector
    """The point where the ray hits the collider, in world coordinates."""
    normal: Vector
    """The direction that points out of the collider, as a vector of length 1."""


def query_pieces(builders: Iterable[rapier3d.ColliderBuilder]) -> list[Piece]:
    """Return the convex parts of the shape that Rapier's ``builders`` create."""
    colliders = [builder.build() for builder in builders]
    return [Piece(collider.shape, collider.position) for collider in colliders]


def overlapping(
    queries: rapier3d.QueryPipeline,
    pieces: Sequence[Piece],
    pose: rapier3d.Isometry3,
    chosen: rapier3d.QueryFilter,
) -> list[rapier3d.ColliderHandle]:
    """Return the colliders that overlap at least one of the parts ``pieces``. The list can contain
    the same collider several times.
    """
    colliders: list[rapier3d.ColliderHandle] = []

    def append(collider: rapier3d.ColliderHandle) -> bool:
        colliders.append(collider)
        return True

    for piece in pieces:
        queries.intersect_shape(pose * piece.local, piece.shape, append, chosen)
    return colliders


def first_hit(
    queries: rapier3d.QueryPipeline,
    pieces: Sequence[Piece],
    pose: rapier3d.Isometry3,
    displacement: Vector,
    chosen: rapier3d.QueryFilter,
) -> CastHit | None:
    """Return the first collider that a shape hits when it moves along ``displacement``.

    If the shape already overlaps a collider at the start, the result is a hit on this collider, at
    a distance of 0. If the shape is moving out of the collider, there is no hit.
    """
    x, y, z = displacement
    length = (x * x + y * y + z * z) ** 0.5
    if not length:
        return None
    # A shape that is moving out of a collider is not stopped.
    options = rapier3d.ShapeCastOptions(length, 0.0, False, True)
    direction = (x / length, y / length, z / length)
    nearest: CastHit | None = None
    for piece in pieces:
        match = queries.cast_shape(pose * piece.local, direction, piece.shape, options, chosen)
        if match is None:
            continue
        collider, hit = match
        overlaps = hit.status == rapier3d.ShapeCastStatus.PENETRATING_OR_WITHIN_TARGET_DIST
        distance = 0.0 if overlaps else min(max(hit.time_of_impact, 0.0), length)
        if nearest is None or distance < nearest.distance:
            point: Vector = hit.witness1.to_tuple()
            normal: Vector = hit.normal1.to_tuple()
            nearest = CastHit(collider, distance, point, normal)
    return nearest


def first_ray_hit(
    queries: rapier3d.QueryPipeline,
    origin: Vector,
    ahead: Vector,
    ball: rapier3d.SharedShape | None,
    chosen: rapier3d.QueryFilter,
) -> RayCastHit | None:
    """Return the first collider that a ray from ``origin`` to ``origin + ahead`` hits. For a thick
    ray, ``ball`` is a ball with half the thickness of the ray. For a thin ray, ``ball`` is None.
    """
    if ball is None:
        ray = rapier3d.Ray(origin, ahead)
        match = queries.cast_ray_and_get_normal(ray, 1.0, True, chosen)
        if match is None:
            return None
        collider, hit = match
        fraction: float = hit.time_of_impact
        x, y, z = origin
        way_x, way_y, way_z = ahead
        point: Vector = (x + fraction * way_x, y + fraction * way_y, z + fraction * way_z)
        return RayCastHit(collider, fraction, point, hit.normal.to_tuple())
    pose = rapier3d.Isometry3(origin, rapier3d.Rotation3.identity())
    options = rapier3d.ShapeCastOptions(1.0)
    cast = queries.cast_shape(pose, ahead, ball, options, chosen)
    if cast is None:
        return None
    collider, impact = cast
    point = impact.witness1.to_tuple()
    return RayCastHit(collider, impact.time_of_impact, point, impact.normal1.to_tuple())


def way_out(
    queries: rapier3d.QueryPipeline, point: Vector, chosen: rapier3d.QueryFilter
) -> tuple[Vector, Vector] | None:
    """Return the point on the surface of the colliders that is nearest to ``point``, and the
    direction from ``point`` to this point.

    If ``point`` is exactly on the surface, return None.
    """
    match = queries.project_point(point, False, chosen)
    if match is None:
        return None
    nearest: Vector = match[1].point.to_tuple()
    x, y, z = (end - start for end, start in zip(nearest, point, strict=True))
    length = (x * x + y * y + z * z) ** 0.5
    return (nearest, (x / length, y / length, z / length)) if length else None


def vector_of(values: Doubles) -> Vector:
    """Convert an array of two or three numbers to a 3D vector."""
    x, y, *z = values.tolist()
    return x, y, z[0] if z else 0.0
