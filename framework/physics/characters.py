"""3D character controllers: bodies that walk, climb stairs, ride lifts and push crates."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry import exact
from ..other_engines.other_names import SealedByClass
from ..other_engines.physics_names import character_names, move_options
from .bodysets import BodySet, check_finite, poses_of
from .engines import rapier3d
from .poses3d import (
    UP,
    ZERO,
    Pose,
    Vector,
    dot,
    horizontal,
    length_of,
    minus,
    moved_by,
    multiply,
    plus,
    pose_of,
    times,
    yaw_between,
)
from .rapier_engine import RapierEngine
from .riders import Riders, differ
from .shapes3d import triple
from .simulation import RowOrWall
from .sweeps3d import Mover, Sweeper, SweepHit
from .walking import Gait, Ground, Walk

# The steepest descent on which a character stays on the floor, in units down per unit to the side.
_MAX_DESCENT = 3.0
CHARACTER_BODY = "physics.add(instance, shape='capsule', kind='kinematic')"  # for error messages
_CRUSHED = 1e-3  # units; a deeper overlap is not a rounding error


@character_names
class Character(SealedByClass):
    """A walking 3D character, created by `Physics3D.character`.

    The body of a character is kinematic: the game moves it by calling `move`. At the end of each
    tick, the framework also carries the character along with a moving floor, and moves it out of
    the way of kinematic bodies. `Character` is like Godot's `CharacterBody3D`, but `move` takes a
    displacement, and adds no gravity.
    """

    _not_hashed = ("_floor_raw",)
    _public_attributes = (
        *("on_floor", "on_wall", "on_ceiling", "crushed"),
        *("floor_normal", "floor_velocity"),
    )

    def __init__(
        self,
        riders: Riders,
        key: int,
        gait: Gait,
        mass: float,
        keep_velocity: bool,
    ) -> None:
        self._riders = riders
        self._key = key
        self._gait = gait
        self._mass = mass
        self._keep_velocity = keep_velocity
        self.on_floor = False
        """Whether the character is standing on a floor."""
        self.on_wall = False
        """Whether the last `move` was stopped by a wall, or by a slope that is too steep."""
        self.on_ceiling = False
        """Whether the last `move` was stopped by a ceiling."""
        self.crushed = False
        """Whether a moving body is squeezing the character against another body.

        A crushed character overlaps the moving body. The game decides what happens: for example,
        the character loses a life.
        """
        self.floor_normal: Vector = UP
        """The normal of the floor: a vector of length 1 that points away from the floor. While
        `on_floor` is False, the normal is (0, 1, 0).
        """
        self.floor_velocity: Vector = ZERO
        """The velocity of the floor at the character's feet, in units / s. While `on_floor` is
        False, the velocity is 0.
        """
        self._floor: int | None = None
        # Rapier's handle of the body with the key `_floor`.
        self._floor_raw: rapier3d.RigidBodyHandle | None = None
        self._floor_pose: Pose | None = None
        self._momentum: Vector = ZERO
        self._seen: dict[int, Pose] = {}
        self._crushing: tuple[int, ...] = ()

    @property
    def removed(self) -> bool:
        """Whether the body of the character has been removed."""
        self._riders.sync()
        return self._riders.find(self._key) is None

    @property
    def floor_body(self) -> RowOrWall | None:
        """The floor under the character: a row's handle, a `BodyRow` or a `Wall`.

        The value is None while the character is in the air, or if the floor has been removed.
        """
        return None if self._floor is None else self._riders.owner(self._floor)

    @move_options
    def move(self, displacement: ArrayLike, dt: float) -> Doubles:
        """Move the character by ``displacement`` until an obstacle stops it. ``displacement`` is a
        vector in units, with the shape (3,).

        Return how far the character actually moved, as a vector with the shape (3,). Movement
        caused by the floor or by other bodies is not included. `move` sets the ``position`` of the
        character's row, and attributes such as `on_floor`. The physics body follows in the next
        physics step.

        While the character walks on a floor, `move` ignores the downward part of ``displacement``.
        If ``displacement`` has an upward part, the character jumps. Call `move` in each tick, even
        if the character is not walking.

        Parameters
        ----------
        displacement
            The movement of this tick in units, such as ``velocity * dt``. `move` does not add
            gravity: to make the character fall, add a downward movement yourself.
        dt
            The duration of the movement in seconds, which must be above 0.

        Raises `ValueError` if the body of the character has been removed.
        """
        goal = triple(checks.vector("displacement", displacement, 3))
        seconds = checks.number("dt", dt, above=0)
        self._riders.sync()
        pose = self._pose()
        movers = self._movers(pose, length_of(goal))
        walk = self._new_walk(pose, movers)
        had_floor = self._floor
        floor_moved = self._ride(walk, movers, seconds)
        if not floor_moved and had_floor is None:
            self._drift(walk, times(self._momentum, seconds))
        self.on_wall = self.on_ceiling = False
        start = walk.position
        self._walk(walk, goal)
        moved = minus(walk.position, start)
        self._push(walk, goal, seconds)
        self.on_wall = walk.on_wall
        self.on_ceiling = walk.on_ceiling
        left = had_floor is not None and walk.ground is None
        if left and self._keep_velocity:
            self._momentum = self.floor_velocity
            if not floor_moved:  # a floor that has not moved yet moves later in this tick
                self._drift(walk, times(self._momentum, seconds))
        self._stand(walk.ground, walk.position, seconds)
        self._finish(walk, movers)
        return np.array(moved)

    def _follow(self, seconds: float, quiet: bool) -> None:
        """At the end of a tick, carry the character along with its floor, and move it out of the
        way of moving bodies. ``seconds`` is the duration of this tick.

        ``quiet`` is True if no kinematic bodies other than characters have moved.
        """
        if self._riders.find(self._key) is None:
            return
        if quiet and self._floor is None and not self._crushing:
            self._seen = {}
            return
        pose = self._pose()
        movers = [] if quiet and not self._crushing else self._movers(pose, 0.0)
        if not self._is_touched(movers):
            if self._floor is not None and seconds:
                self._measure_floor(pose.position, seconds)
            self._seen = {}
            return
        walk = self._new_walk(pose, movers)
        self._ride(walk, movers, seconds)
        if walk.ground is not None:
            self._stand(walk.ground, walk.position, seconds)
        elif self._floor is not None and seconds:
            self._measure_floor(walk.position, seconds)
        if walk.pose != pose:
            self._finish(walk, [])
        self._seen = {}

    def _is_touched(self, movers: list[Mover]) -> bool:
        """Return whether the floor or a body near the character has moved since the last `_follow`
        or `move`.
        """
        if self._crushing or any(mover.before != mover.now for mover in movers):
            return True
        return self._floor is not None and self._riders.pose(self._floor) != self._floor_pose

    def _measure_floor(self, position: Vector, seconds: float) -> None:
        """Store the velocity that the floor has at the end of a tick."""
        assert self._floor is not None
        velocity = self._riders.velocity_at(self._floor, self._feet(position), seconds)
        self.floor_velocity = ZERO if velocity is None else velocity

    # -- the steps of a move -----------------------------------------------------------------------

    def _pose(self) -> Pose:
        """Read the position and rotation of the character from the columns of the batch. Raise
        `ValueError` if a number is NaN or infinite.
        """
        bodies, index = self._body_set()
        position, rotation = (attribute.now()[index] for attribute in bodies.poses)
        x, y, z = position.tolist()
        if not math.isfinite(x + y + z + sum(rotation.tolist())):
            row = bodies.rows.rows[index : index + 1]
            check_finite("position", position[None], row)
            check_finite("rotation", rotation[None], row)
        return pose_of(position, rotation)

    def _movers(self, pose: Pose, reach: float) -> list[Mover]:
        """Return the kinematic bodies that have moved and are within ``reach`` units of the
        character.
        """
        bodies, index = self._body_set()
        gait = self._gait
        radius = self._riders.size_of(self._key, bodies.raw[index]).radius
        spare = reach + gait.step + gait.snap + 8 * gait.gap + radius
        movers = self._riders.movers(pose.position, spare, self._seen, self._crushing)
        return [mover for mover in movers if mover.key != self._key]

    def _new_walk(self, pose: Pose, movers: list[Mover]) -> Walk:
        bodies, index = self._body_set()
        sweeper = Sweeper(self._riders.engine, bodies.raw[index], movers)
        return Walk(sweeper, pose, self._gait, self._is_dynamic)

    def _body_set(self) -> tuple[BodySet[rapier3d.RigidBodyHandle], int]:
        entry = self._riders.find(self._key)
        if entry is None:
            raise ValueError(
                "character: its body was removed; make a new one with physics.character(…)"
            )
        return entry

    def _is_dynamic(self, body: rapier3d.RigidBodyHandle) -> bool:
        return bool(self._riders.engine.native(body).is_dynamic)

    def _feet(self, position: Vector) -> Vector:
        return plus(position, UP, self._gait.bottom)

    def _ride(self, walk: Walk, movers: list[Mover], seconds: float) -> bool:
        """Carry the character along with its floor, and then move it out of the way of moving
        bodies. Return whether the floor moved.
        """
        start = walk.position
        floor_moved = self._follow_floor(walk, seconds)
        crushing: list[int] = []
        for mover in movers:
            carried = walk.position == moved_by(mover.before, mover.now, start)
            moved = differ(mover.before, mover.now)
            touches = moved and not (carried and mover.key == self._floor)
            if not touches and mover.key not in self._crushing:
                continue
            if walk.push_out(mover, start) > _CRUSHED:
                crushing.append(mover.key)
        self._crushing = tuple(crushing)
        self.crushed = bool(crushing)
        return floor_moved

    def _follow_floor(self, walk: Walk, seconds: float) -> bool:
        """Move and turn the character with its floor, and return whether the floor moved."""
        if self._floor is None or self._floor_pose is None:
            return False
        entry = self._riders.find(self._floor)
        now = self._riders.pose(self._floor)
        before = self._floor_pose
        raw = None if entry is None else entry[0].raw[entry[1]]
        if raw is None or now is None or self._riders.teleported(before, now, self._floor, raw):
            self._stand(None, walk.position, seconds)
            return False
        self._floor_pose = now
        if before == now:
            return False
        walk.rotation = multiply(yaw_between(before.rotation, now.rotation), walk.rotation)
        goal = moved_by(before, now, walk.position)
        displacement = minus(goal, walk.position)
        if not walk.slide(displacement, (raw.index,)):
            walk.position = goal  # the exact goal, without the rounding errors of the slide
        velocity = self._riders.velocity_at(self._floor, self._feet(walk.position), seconds)
        if velocity is not None:
            self.floor_velocity = velocity
        return differ(before, now)

    def _drift(self, walk: Walk, displacement: Vector) -> None:
        """Move the character at the velocity that the floor had when the character left it."""
        for hit in walk.slide(displacement):
            self._momentum = plus(
                self._momentum, hit.normal, -min(0.0, dot(self._momentum, hit.normal))
            )

    def _walk(self, walk: Walk, goal: Vector) -> None:
        """Move the character by the vector ``goal``: first horizontally, then up or down."""
        gait = self._gait
        had_floor = self._floor is not None
        flat = horizontal(goal)
        start = walk.position
        walk.walk(flat, climbs=had_floor)
        if goal[1] > 0:
            walk.rise(goal[1])
            return
        climbed = max(0.0, walk.position[1] - start[1])
        steepest = math.sqrt(1 - gait.min_up**2) / max(gait.min_up, 1e-6)
        descent = length_of(flat) * min(_MAX_DESCENT, steepest)
        if not had_floor or not walk.snap(gait.snap + descent + climbed):
            walk.fall(-goal[1])

    def _push(self, walk: Walk, goal: Vector, seconds: float) -> None:
        """Push the dynamic bodies that are in the way of the character. Also press down on the
        dynamic body under the character's feet, with the character's weight.
        """
        engine = self._riders.engine
        weight = self._mass * length_of(engine.gravity)
        ground = walk.ground
        floor = None if ground is None else ground.body
        pushed: set[int] = set()
        for hit in walk.touched:
            body = walk.sweeper.body_of(hit)
            if body is None or body.index in pushed or not self._is_dynamic(body):
                continue
            pushed.add(body.index)
            if body == floor:
                continue
            impulse = self._push_impulse(hit, body, goal, seconds, weight)
            if impulse > 0:
                # Push at the height of the center of mass, so that tall crates do not tip over.
                center: Vector = engine.native(body).center_of_mass.to_tuple()
                point = (hit.point[0], center[1], hit.point[2])
                self._hit(body, times(hit.normal, -impulse), point)
        if ground is not None and floor is not None and self._is_dynamic(floor):
            self._hit(floor, times(UP, -weight * seconds), ground.point)

    def _push_impulse(
        self,
        hit: SweepHit,
        body: rapier3d.RigidBodyHandle,
        goal: Vector,
        seconds: float,
        weight: float,
    ) -> float:
        """Return the impulse of a collision without bounce, limited by the character's weight."""
        native = self._riders.engine.native(body)
        own_velocity = times(goal, 1 / seconds)
        velocity: Vector = native.velocity_at_point(hit.point).to_tuple()
        speed = -dot(minus(own_velocity, velocity), hit.normal)
        impulse = speed * self._mass * native.mass / (self._mass + native.mass)
        return min(impulse, weight * seconds) if weight else impulse

    def _hit(self, body: rapier3d.RigidBodyHandle, impulse: Vector, point: Vector) -> None:
        """Apply an impulse to a body at a point. If the game has set the velocity of the body, the
        impulse is added to this velocity.
        """
        engine = self._riders.engine
        before = engine.velocities(body)
        engine.push([body], np.array([impulse]), np.array([point]))
        after = engine.velocities(body)
        key = self._riders.key_of(body)
        entry = None if key is None else self._riders.find(key)
        if entry is not None:
            bodies, index = entry
            for attribute, old, new in zip(bodies.speeds, before, after, strict=False):
                attribute.add_at(index, old, new)

    def _stand(self, ground: Ground | None, position: Vector, seconds: float) -> None:
        """Store the floor under the character, or None if there is no floor."""
        self.on_floor = ground is not None
        if ground is None:
            self._floor = self._floor_pose = self._floor_raw = None
            self.floor_normal = UP
            self.floor_velocity = ZERO
            return
        self.floor_normal = ground.normal
        self._momentum = ZERO
        key = self._key_of_floor(ground.body)
        self._floor_raw = ground.body
        changed = key != self._floor
        self._floor = key
        if key is None:
            self._floor_pose = None
            self.floor_velocity = ZERO
            return
        self._floor_pose = self._riders.pose(key)
        if changed:
            velocity = self._riders.velocity_at(key, self._feet(position), seconds)
            self.floor_velocity = ZERO if velocity is None else velocity

    def _key_of_floor(self, body: rapier3d.RigidBodyHandle | None) -> int | None:
        if body is None:
            return None
        if body == self._floor_raw:
            return self._floor  # avoids a search through all bodies
        return self._riders.key_of(body)

    def _finish(self, walk: Walk, movers: list[Mover]) -> None:
        """Write the new pose of the character to the columns of the batch, and store the poses of
        the bodies near the character.
        """
        bodies, index = self._body_set()
        table, stride = poses_of(bodies.batch)
        row = int(bodies.rows.rows[index]) * stride
        table.column("position").put(row, list(walk.position))
        rotation = table.column("rotation")
        if tuple(rotation.data[row].tolist()) != walk.rotation:
            rotation.put(row, list(walk.rotation))
        self._seen |= {mover.key: mover.now for mover in movers}


def new_character(
    riders: Riders,
    raw: rapier3d.RigidBodyHandle,
    *,
    step: float,
    slope: float,
    snap: float,
    gap: float,
    mass: float | None,
    keep_velocity: bool,
) -> Character:
    """Check the options of `Physics3D.character`, and return a `Character` for the body ``raw``.

    Raises `ValueError` if the body is not kinematic, has no convex shape, or has a character
    already.
    """
    key, body_mass = _checked_body(riders, raw)
    angle = checks.number("slope", slope, least=0, most=1.57)
    gait = Gait(
        step=checks.number("step", step, least=0),
        min_up=exact.cos(angle),
        snap=checks.number("snap", snap, least=0),
        gap=checks.number("gap", gap, above=0),
        bottom=riders.size_of(key, raw).bottom,
    )
    weight = body_mass if mass is None else checks.number("mass", mass, above=0)
    keeps = checks.flag("keep_velocity", keep_velocity)
    character = Character(riders, key, gait, 1.0 if weight is None else weight, keeps)
    riders.add(character)
    return character


def _checked_body(riders: Riders, raw: rapier3d.RigidBodyHandle) -> tuple[int, float | None]:
    """Check that a body can have a character. Return the unique number of the body, and its
    mass.
    """
    key = riders.key_of(raw)
    entry = None if key is None else riders.find(key)
    if key is None or entry is None or entry[0].material.kind != "kinematic":
        raise ValueError(
            f"body: a character needs a body of kind='kinematic'; write {CHARACTER_BODY}"
        )
    if not _has_one_convex_shape(riders.engine, raw):
        raise ValueError(
            "body: a character needs a body with one convex shape, such as shape='capsule'"
        )
    if any(character._key == key for character in riders.characters):
        raise ValueError("body: this body has a character already, and can have only one")
    return key, entry[0].material.mass


def _has_one_convex_shape(engine: RapierEngine, body: rapier3d.RigidBodyHandle) -> bool:
    colliders = engine.world.rigid_bodies[body].colliders
    return len(colliders) == 1 and engine.world.colliders[colliders[0]].shape.as_trimesh() is None
