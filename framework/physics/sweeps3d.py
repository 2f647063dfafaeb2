"""Move the shape of a 3D body along a line until it hits an obstacle (a sweep).

When the game sets the position of a kinematic body, such as a lift, Rapier keeps the old position
until the next physics step. A sweep must use the new position. Because it cannot move the lift, it
moves and turns the swept shape instead: relative to the lift's old pose, the shape is placed
exactly as it should be relative to the new pose.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from .engines import rapier3d
from .poses3d import Pose, Vector, dot, minus, plus, rotate, times, unit_quaternion
from .rapier_engine import RapierEngine


class Mover(NamedTuple):
    """A moving kinematic body near a character."""

    key: int
    """The unique number of the body, from `Simulation.new_keys`."""
    body: rapier3d.RigidBodyHandle
    engine: Pose
    """The pose of the body in Rapier."""
    before: Pose
    """The pose of the body when the character last moved."""
    now: Pose
    """The pose of the body in the columns of its batch."""

    @property
    def to_engine(self) -> Pose:
        """The pose that converts coordinates from the body's new pose to its pose in Rapier."""
        return self.engine.after(self.now.inverse())


class SweepHit(NamedTuple):
    """The first obstacle that a moving shape hits."""

    distance: float
    """The distance that the shape moves before it touches the obstacle, in units, or 0 if the
    shapes overlap.
    """
    normal: Vector
    """The direction from the obstacle to the shape, as a vector of length 1."""
    point: Vector
    """A point on the surface of the obstacle, in world coordinates."""
    depth: float
    """How deep the shapes overlap at the start, in units, or 0 if they do not overlap.
    """
    collider: rapier3d.ColliderHandle


class Sweeper:
    """Moves the shape of a character's body along a line to find obstacles.

    ``movers`` are kinematic bodies near the character. The pose of a moving body in the batch may
    differ from its pose in Rapier.
    """

    def __init__(
        self, engine: RapierEngine, body: rapier3d.RigidBodyHandle, movers: Sequence[Mover]
    ) -> None:
        self._engine = engine
        self._queries = engine.queries()
        world = engine.world
        collider = world.colliders[world.rigid_bodies[body].colliders[0]]
        self._shape = collider.shape
        local = collider.position_wrt_parent
        assert local is not None  # true because the collider belongs to a body
        self._local = pose_of_isometry(local)
        self._filter = engine.collider_filter(collider).exclude_rigid_body(body)
        self._shifted = [mover for mover in movers if mover.engine != mover.now]
        self._shifted_bodies = frozenset(mover.body.index for mover in self._shifted)

    def cast(
        self,
        pose: Pose,
        direction: Vector,
        length: float,
        without: Collection[int] = (),
    ) -> SweepHit | None:
        """Move the shape by ``length`` units along ``direction``, and return the first hit.

        ``pose`` is the pose of the character's body. ``direction`` must have a length of 1.
        ``without`` contains the indices of the Rapier bodies to ignore. A body that overlaps the
        shape at the start counts as a hit only if the shape moves deeper into the body.
        """
        hidden = self._shifted_bodies.union(without)
        obstacles = self._except(hidden) if hidden else self._filter
        nearest = self._first(pose, direction, length, obstacles)
        for mover in self._shifted:
            if mover.body.index not in without:
                hit = self.cast_one(mover, pose, direction, length)
                if hit is not None and (nearest is None or hit.distance < nearest.distance):
                    nearest = hit
        return nearest

    def cast_one(
        self, mover: Mover, pose: Pose, direction: Vector, length: float, overlaps: bool = False
    ) -> SweepHit | None:
        """Return the hit of the shape with the body of ``mover``, or None if the shape does not hit
        this body.

        With ``overlaps=True``, a body that overlaps the shape at the start always counts as a hit.
        """
        to_engine = mover.to_engine
        hit = self._first(
            to_engine.after(pose),
            rotate(to_engine.rotation, direction),
            length,
            self._only(mover.body.index),
            overlaps,
        )
        if hit is None:
            return None
        to_world = to_engine.inverse()
        return hit._replace(
            normal=rotate(to_world.rotation, hit.normal), point=to_world.apply(hit.point)
        )

    def surface_normal(
        self, hit: SweepHit, start: Vector, direction: Vector, length: float
    ) -> Vector | None:
        """Cast a ray that can hit only the obstacle in ``hit``. Return the normal of the surface
        where the ray hits the obstacle, or None if there is no hit.

        If the ray starts inside the obstacle, return None.
        """
        body = self.body_of(hit)
        if body is None:
            return None
        mover = next((each for each in self._shifted if each.body.index == body.index), None)
        to_engine = None if mover is None else mover.to_engine
        if to_engine is not None:
            start = to_engine.apply(start)
            direction = rotate(to_engine.rotation, direction)
        match = self._queries.cast_ray_and_get_normal(
            rapier3d.Ray(start, direction), length, True, self._only(body.index)
        )
        if match is None or not match[1].time_of_impact:
            return None
        normal = match[1].normal.to_tuple()
        return normal if to_engine is None else rotate(to_engine.inverse().rotation, normal)

    def body_of(self, hit: SweepHit) -> rapier3d.RigidBodyHandle | None:
        """Return Rapier's handle of the body in ``hit``. If the collider has no body, return
        None.
        """
        body: rapier3d.RigidBodyHandle | None = self._engine.world.colliders[hit.collider].parent
        return body

    def _first(
        self,
        pose: Pose,
        direction: Vector,
        length: float,
        obstacles: rapier3d.QueryFilter,
        overlaps: bool = False,
    ) -> SweepHit | None:
        placed = pose.after(self._local)
        options = rapier3d.ShapeCastOptions(length, 0.0, overlaps, True)
        rotation = rapier3d.Rotation3.from_tuple(placed.rotation)
        start = rapier3d.Isometry3(placed.position, rotation)
        match = self._queries.cast_shape(start, direction, self._shape, options, obstacles)
        if match is None:
            return None
        collider, hit = match
        normal: Vector = hit.normal1.to_tuple()
        distance: float = hit.time_of_impact
        point: Vector = hit.witness1.to_tuple()
        depth = 0.0
        if hit.status == rapier3d.ShapeCastStatus.PENETRATING_OR_WITHIN_TARGET_DIST:
            own_point = placed.apply(hit.witness2.to_tuple())
            depth = max(0.0, dot(minus(point, own_point), normal))
        return SweepHit(distance, normal, point, depth, collider)

    def _except(self, bodies: Collection[int]) -> rapier3d.QueryFilter:
        return self._filter.predicate(lambda _, collider: _body_index(collider) not in bodies)

    def _only(self, body: int) -> rapier3d.QueryFilter:
        return self._filter.predicate(lambda _, collider: _body_index(collider) == body)


def _body_index(collider: rapier3d.Collider) -> int:
    """Return the index of a collider's body, or -1 if the collider has no body."""
    body: rapier3d.RigidBodyHandle | None = collider.parent
    return -1 if body is None else body.index


def pose_of_isometry(isometry: rapier3d.Isometry3) -> Pose:
    """Convert Rapier's `Isometry3` to a `Pose`."""
    position: Vector = isometry.translation.to_tuple()
    return Pose(position, unit_quaternion(isometry.rotation.to_tuple()))


def way_until(hit: SweepHit, direction: Vector, gap: float) -> float:
    """Return the distance that the shape can move along ``direction`` until the obstacle is ``gap``
    units away.

    If the obstacle is already nearer than ``gap``, the result is negative. If the direction is
    almost parallel to the surface, the shape may come nearer than ``gap``, but never touches the
    surface.
    """
    approach = max(-dot(direction, hit.normal), 1 / AHEAD)
    return hit.distance - (gap + hit.depth) / approach


class SweepPath(NamedTuple):
    """The result of `sweep`: the position at which a shape stopped."""

    position: Vector
    share: float
    """The fraction of the displacement that the shape moved, from 0 to 1."""
    hit: SweepHit | None
    """The obstacle that stopped the shape."""


def sweep(
    sweeper: Sweeper, pose: Pose, displacement: Vector, gap: float, without: Collection[int] = ()
) -> SweepPath:
    """Move a shape by ``displacement``, but stop ``gap`` units before an obstacle."""
    length = dot(displacement, displacement) ** 0.5
    if length < MIN_LENGTH:
        return SweepPath(pose.position, 1.0, None)
    direction = times(displacement, 1 / length)
    hit = sweeper.cast(pose, direction, length + AHEAD * gap, without)
    if hit is not None:
        distance = max(way_until(hit, direction, gap), 0.0)
        if distance < length:
            return SweepPath(plus(pose.position, direction, distance), distance / length, hit)
    return SweepPath(plus(pose.position, displacement), 1.0, None)


MIN_LENGTH = 1e-7
"""The minimum displacement of a sweep, in units. A shorter displacement counts as 0."""
AHEAD = 4.0
"""A sweep also finds obstacles behind the end of a move, up to a distance of `AHEAD` times the gap.
"""
