"""Move a 3D character along walls, stairs and slopes in one tick."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import NamedTuple

from .engines import rapier3d
from .poses3d import (
    UP,
    ZERO,
    Pose,
    Quaternion,
    Vector,
    dot,
    horizontal,
    length_of,
    minus,
    moved_by,
    plus,
    times,
    unit,
)
from .sweeps3d import AHEAD, MIN_LENGTH, Mover, Sweeper, SweepHit, sweep, way_until

_DOWN: Vector = (0.0, -1.0, 0.0)
_MAX_SLIDES = 5
# Because of rounding errors, a slide also moves away from the surface, by this fraction of its
# length.
_BIAS = 1e-4
_EDGE_PROBE = 0.02  # units beyond an edge at which the surface behind the edge is tested
_MIN_CLIMB = 1e-4  # the minimum height of a stair, in units
_LOOK = 2.0  # a stair is searched up to this number of gaps ahead


class Gait(NamedTuple):
    """The movement options of a character, such as the maximum height of a stair."""

    step: float
    min_up: float
    """The cosine of the angle of the steepest slope. The normal of a floor has at least this y
    component.
    """
    snap: float
    gap: float
    bottom: float
    """The height of the body's lowest point, relative to the body's position."""


class Ground(NamedTuple):
    """The floor under a character: its body, normal and contact point."""

    body: rapier3d.RigidBodyHandle | None
    normal: Vector
    point: Vector


class Walk:
    """Moves a character in one tick. Afterwards, the attributes contain the results of the
    movement.

    ``is_dynamic`` is a function that returns whether a body is dynamic. A character does not climb
    onto dynamic bodies as if they were stairs.
    """

    def __init__(
        self,
        sweeper: Sweeper,
        pose: Pose,
        gait: Gait,
        is_dynamic: Callable[[rapier3d.RigidBodyHandle], bool],
    ) -> None:
        self.sweeper = sweeper
        self.position: Vector = pose.position
        self.rotation: Quaternion = pose.rotation
        self.gait = gait
        self._is_dynamic = is_dynamic
        self.on_wall = False
        self.on_ceiling = False
        self.ground: Ground | None = None
        self.touched: list[SweepHit] = []
        """The obstacles that stopped the character's own moves, in the order in which it reached
        them.
        """

    @property
    def pose(self) -> Pose:
        """The current position and rotation of the character's body."""
        return Pose(self.position, self.rotation)

    def is_floor(self, normal: Vector) -> bool:
        """Return whether a surface is flat enough for a character to stand on. ``normal`` is a
        vector of length 1 that points out of the surface.
        """
        return normal[1] >= self.gait.min_up

    def is_ceiling(self, normal: Vector) -> bool:
        """Return whether a surface points down, and is flat enough to be a ceiling."""
        return normal[1] <= -self.gait.min_up

    # -- moves -------------------------------------------------------------------------------------

    def slide(self, displacement: Vector, without: Collection[int] = ()) -> list[SweepHit]:
        """Move the character by ``displacement``. At an obstacle, continue along the surface of the
        obstacle.

        ``without`` contains the indices of the Rapier bodies to ignore. Return the obstacles that
        the character hit.
        """
        remaining = displacement
        hits: list[SweepHit] = []
        for _ in range(_MAX_SLIDES):
            path = sweep(self.sweeper, self.pose, remaining, self.gait.gap, without)
            self.position = path.position
            if path.hit is None:
                break
            normals = [hit.normal for hit in hits]
            remaining = along(times(remaining, 1 - path.share), path.hit.normal, normals)
            hits.append(path.hit)
        return hits

    def walk(self, displacement: Vector, climbs: bool) -> None:
        """Move the character horizontally by ``displacement``. The character also walks up slopes
        and along walls. If ``climbs`` is True, the character also climbs stairs.
        """
        remaining = displacement
        walls: list[Vector] = []
        for _ in range(_MAX_SLIDES):
            path = sweep(self.sweeper, self.pose, remaining, self.gait.gap)
            self.position = path.position
            hit = path.hit
            if hit is None:
                return
            self.touched.append(hit)
            remaining = times(remaining, 1 - path.share)
            if self.is_floor(hit.normal):
                remaining = _up_slope(remaining, hit.normal)
                continue
            if climbs and self.gait.step and self._climb(remaining, hit):
                return
            self.on_wall = True
            wall = unit(horizontal(hit.normal))
            remaining = _off_wall(remaining, wall)
            if wall == ZERO or any(dot(remaining, earlier) < 0 for earlier in walls):
                return
            walls.append(wall)

    def _climb(self, remaining: Vector, obstacle: SweepHit) -> bool:
        """Climb a stair. Return True if the character is now standing on the stair."""
        body = self.sweeper.body_of(obstacle)
        if body is None or self._is_dynamic(body):
            return False
        gap = self.gait.gap
        flat = horizontal(remaining)
        raised = sweep(self.sweeper, self.pose, (0.0, self.gait.step, 0.0), gap).position
        height = raised[1] - self.position[1]
        # Search farther ahead, because a short move does not bring the foot over the edge of a
        # stair.
        look = max(length_of(flat), _LOOK * gap)
        ahead = sweep(self.sweeper, Pose(raised, self.rotation), times(unit(flat), look), gap)
        reached = length_of(minus(ahead.position, raised))
        if (
            height < _MIN_CLIMB
            or reached < MIN_LENGTH
            or not self._is_stair(ahead.position, height)
        ):
            return False
        forward = plus(raised, unit(flat), min(reached, length_of(flat)))
        below = self.sweeper.cast(Pose(forward, self.rotation), _DOWN, height + AHEAD * gap)
        depth = height if below is None else min(max(way_until(below, _DOWN, gap), 0.0), height)
        self.position = plus(forward, _DOWN, depth)
        return True

    def _is_stair(self, position: Vector, height: float) -> bool:
        """Return whether the character can climb a stair at ``position``. The stair must have a
        floor at most ``height`` units below ``position``.
        """
        below = self.sweeper.cast(
            Pose(position, self.rotation), _DOWN, height + AHEAD * self.gait.gap
        )
        if below is None or below.depth:
            return False
        if way_until(below, _DOWN, self.gait.gap) > height - _MIN_CLIMB:
            return False
        stair = self.sweeper.body_of(below)
        if stair is None or self._is_dynamic(stair):
            return False
        return self.is_floor(self._surface(below, position[1]))

    def rise(self, height: float) -> None:
        """Move the character up by ``height``, or until a ceiling stops it."""
        self.ground = None
        for hit in self.slide((0.0, height, 0.0)):
            self.touched.append(hit)
            if self.is_ceiling(hit.normal):
                self.on_ceiling = True
            elif not self.is_floor(hit.normal):
                self.on_wall = True

    def fall(self, depth: float) -> None:
        """Move the character down by ``depth``, or until a floor stops it. On a steep slope, the
        character slides down.
        """
        self.ground = None
        remaining: Vector = (0.0, -depth, 0.0)
        normals: list[Vector] = []
        for _ in range(_MAX_SLIDES):
            path = sweep(self.sweeper, self.pose, remaining, self.gait.gap)
            self.position = path.position
            hit = path.hit
            if hit is None:
                break
            self.touched.append(hit)
            if self._stand_on(hit):
                return
            if not self.is_ceiling(hit.normal):
                self.on_wall = True
            remaining = along(times(remaining, 1 - path.share), hit.normal, normals)
            normals.append(hit.normal)
            if remaining[1] > -_BIAS * depth:
                if len(normals) > 1:
                    self._stand_between(normals[0], normals[-1], hit)
                break
        if self.ground is None:
            self.snap(self.gait.gap)

    def snap(self, distance: float) -> bool:
        """Move the character down to a floor that is at most ``distance`` units below. Return
        whether there is such a floor.

        If the floor is nearer than the gap of the character, the character moves up instead.
        """
        gap = self.gait.gap
        hit = self.sweeper.cast(self.pose, _DOWN, distance + AHEAD * gap)
        if hit is None:
            return False
        depth = way_until(hit, _DOWN, gap)
        # A character that is deep inside a body must not jump out.
        is_deep = -depth > max(self.gait.step, 2 * gap)
        if depth > distance or is_deep or not self._stand_on(hit):
            return False
        if depth >= 0:
            self.position = plus(self.position, _DOWN, depth)
        else:
            raised = sweep(self.sweeper, self.pose, (0.0, -depth, 0.0), gap)
            self.position = raised.position
        return True

    # -- floors ------------------------------------------------------------------------------------

    def _stand_on(self, hit: SweepHit) -> bool:
        """If ``hit`` is a floor, store it in `ground`. Return whether ``hit`` is a floor."""
        normal = self._surface(hit, self.position[1])
        if not self.is_floor(normal):
            return False
        self.ground = Ground(self.sweeper.body_of(hit), normal, hit.point)
        return True

    def _stand_between(self, first: Vector, last: Vector, hit: SweepHit) -> None:
        """Use two steep slopes as a floor if the character is caught between them. ``first`` and
        ``last`` are the normals of the slopes, and ``hit`` is the obstacle with the last normal.
        """
        middle = unit(plus(first, last))
        if self.is_floor(middle):
            self.ground = Ground(self.sweeper.body_of(hit), middle, hit.point)

    def _surface(self, hit: SweepHit, height: float) -> Vector:
        """Return the normal of the surface that ``hit`` found below the character.

        The round lower end of a capsule may touch the edge of a stair. At the edge of a stair, the
        normal of ``hit`` points to the side. If the edge is low enough for a stair, the method
        returns the normal of the upper surface of the stair instead. ``height`` is the y coordinate
        from which the character's shape was moved down.
        """
        normal = hit.normal
        if self.is_floor(normal) or normal[1] <= 0 or not self.gait.step:
            return normal
        foot = height - hit.distance + self.gait.bottom
        if hit.point[1] - foot > self.gait.step:
            return normal
        back = unit(horizontal(normal))
        start = plus(plus(hit.point, back, -_EDGE_PROBE), UP, _EDGE_PROBE)
        surface = self.sweeper.surface_normal(hit, start, _DOWN, 2 * _EDGE_PROBE)
        return normal if surface is None or not self.is_floor(surface) else surface

    # -- moving bodies -----------------------------------------------------------------------------

    def push_out(self, mover: Mover, start: Vector) -> float:
        """Push the character out of the body ``mover``, and return how deep the two bodies still
        overlap.

        ``start`` is the position of the character before ``mover`` moved. If the character and
        ``mover`` do not overlap, the result is at most 0. If the character is crushed, the result
        is above 0. If ``mover`` did not touch the character, the result is minus infinity.
        """
        came_from = mover.now.apply(mover.before.inverse().apply(start))
        displacement = minus(self.position, came_from)
        length = length_of(displacement)
        gap = self.gait.gap
        if length < MIN_LENGTH:
            inside = self.sweeper.cast_one(mover, self.pose, _DOWN, MIN_LENGTH, overlaps=True)
            return -math.inf if inside is None else inside.depth
        direction = times(displacement, 1 / length)
        pose = Pose(came_from, self.rotation)
        hit = self.sweeper.cast_one(mover, pose, direction, length + AHEAD * gap)
        if hit is None:
            return -math.inf
        approach = -dot(direction, hit.normal)
        # A body pushes a character about as far as the surface of the body has moved, so that a
        # character that is deep inside a body does not jump out.
        surface_motion = length_of(minus(hit.point, moved_by(mover.now, mover.before, hit.point)))
        overlap = max(0.0, hit.depth - 2 * (surface_motion + gap))
        needed = (length - hit.distance) * approach + hit.depth - overlap + gap
        if needed <= 0:
            return -math.inf
        before = self.position
        self.slide(times(hit.normal, needed), (mover.body.index,))
        if self.is_floor(hit.normal):
            self.ground = Ground(mover.body, hit.normal, hit.point)
        return needed + overlap - dot(minus(self.position, before), hit.normal) - gap


def along(displacement: Vector, normal: Vector, earlier: Collection[Vector]) -> Vector:
    """Return the part of ``displacement`` that is parallel to a surface. If this part leads into a
    surface that the character has already hit, return the part that follows the edge between both
    surfaces.
    """
    bias = _BIAS * length_of(displacement)
    result = plus(displacement, normal, bias - dot(displacement, normal))
    for second in earlier:
        if dot(result, second) < 0:
            crease = unit(_cross(normal, second))
            result = times(crease, dot(displacement, crease))
            if any(dot(result, each) < -bias for each in earlier):
                return ZERO
            return plus(result, unit(plus(normal, second)), bias)
    return result


def _up_slope(displacement: Vector, normal: Vector) -> Vector:
    """Return ``displacement`` in the same horizontal direction, but parallel to a slope. ``normal``
    is the normal of the slope.
    """
    x, _, z = displacement
    rise = -(x * normal[0] + z * normal[2]) / normal[1]
    bias = _BIAS * length_of(displacement)
    return (x, rise + bias, z)


def _off_wall(displacement: Vector, wall: Vector) -> Vector:
    """Return ``displacement`` without the part that leads into a wall. ``wall`` is the normal of
    the wall.
    """
    into = dot(displacement, wall)
    bias = _BIAS * length_of(displacement)
    return plus(displacement, wall, bias - min(into, 0.0))


def _cross(first: Vector, second: Vector) -> Vector:
    a, b, c = first
    x, y, z = second
    return b * z - c * y, c * x - a * z, a * y - b * x
