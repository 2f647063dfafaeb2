"""Carry 3D characters along with lifts and other moving bodies.

When a lift moves, a character on it must move by the same distance, but Rapier does not do this.
The game may set the lift's position before or after the character moves, and Rapier moves the
lift's body later, in the next physics step. Therefore, `Riders` stores the poses of all kinematic
bodies at the end of each tick, and compares them with the columns of the batches in the next tick.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles
from .bodysets import BodyAttribute, BodySet
from .engines import rapier3d
from .poses3d import ZERO, Pose, Vector, length_of, minus, moved_by, pose_of, times
from .rapier_engine import RapierEngine
from .simulation import RowOrWall, Simulation
from .sweeps3d import Mover, pose_of_isometry


class Rider(Protocol):
    """The members of a character that `Riders` uses."""

    _key: int
    """The unique number of the character's body."""

    @property
    def removed(self) -> bool:
        """Whether the body of the character has been removed."""

    def _follow(self, seconds: float, quiet: bool) -> None:
        """At the end of a tick, carry the character along with its floor, and move it out of the
        way of moving bodies. ``seconds`` is the duration of this tick.

        ``quiet`` is True if no kinematic bodies other than characters have moved.
        """


class _TickEnd(NamedTuple):
    """The poses that the kinematic bodies of one batch had at the end of the last tick."""

    bodies: BodySet[Any]
    keys: NDArray[np.int64]
    positions: NDArray[Any]
    rotations: NDArray[Any]


class BodySize(NamedTuple):
    """The size of a body in units, which is used to find bodies that may touch a character."""

    radius: float
    """The radius of a sphere around the body. The center of the sphere is the body's position."""
    side: float
    """The longest side of the body's bounds."""
    bottom: float
    """The height of the body's lowest point, relative to the body's position."""


class Riders:
    """Manages the characters of a `Physics3D`. `Simulation` calls this object in each tick."""

    _not_hashed = ("_own", "_sizes")
    not_state = ("_stored_radii",)

    def __init__(
        self, simulation: Simulation[rapier3d.RigidBodyHandle], engine: RapierEngine
    ) -> None:
        self._simulation = simulation
        self.engine = engine
        self.characters: list[Rider] = []
        """The characters, from the oldest to the newest. Characters whose body has been removed are
        not in the list.
        """
        self._ends: list[_TickEnd] = []
        self._seconds = 0.0
        self._tick_ended = False
        self._sizes: dict[int, BodySize] = {}
        self._own: frozenset[int] = frozenset()  # the unique numbers of the characters' bodies
        self._stored_radii: dict[int, tuple[NDArray[np.int64], Doubles]] = {}

    def add(self, character: Rider) -> None:
        """Add a character. From now on, lifts and other moving bodies carry and push the new
        character.
        """
        if not self.characters:
            self._simulation.followers.append(self)
            self._store_ends()
        self.characters.append(character)
        self._own |= {character._key}

    # -- ticks -------------------------------------------------------------------------------------

    def before_steps(self, seconds: float) -> None:
        """If the scene has not called `end_tick`, end the last tick first."""
        if not self._tick_ended:
            self.end_tick()
        self._seconds = seconds
        self._tick_ended = False

    def after_step(self, seconds: float) -> None:
        """Do nothing, because characters move only once per tick, after all physics steps."""

    def end_tick(self) -> None:
        """Move the characters along with lifts and other bodies that moved after the characters in
        this tick.
        """
        if any(character.removed for character in self.characters):
            self.characters = [each for each in self.characters if not each.removed]
            self._own = frozenset(character._key for character in self.characters)
        quiet = not any(self._others_moved(bodies) for bodies in self._kinematic_sets())
        for character in self.characters:
            character._follow(self._seconds, quiet)
        self._store_ends()
        self._tick_ended = True

    def _store_ends(self) -> None:
        self._ends = [self._end_of(bodies, renew=True) for bodies in self._kinematic_sets()]

    def _others_moved(self, bodies: BodySet[Any]) -> bool:
        """Return whether a body in ``bodies`` has moved since the last tick. The method ignores the
        movement of characters in ``bodies``.
        """
        end = self._end_of(bodies)
        position, rotation = (attribute.now() for attribute in bodies.poses)
        if np.array_equal(position, end.positions) and np.array_equal(rotation, end.rotations):
            return False
        moved = (position != end.positions).any(axis=1) | (rotation != end.rotations).any(axis=1)
        keys: list[int] = bodies.keys[moved].tolist()
        return not self._own.issuperset(keys)

    def _kinematic_sets(self) -> list[BodySet[rapier3d.RigidBodyHandle]]:
        return [bodies for bodies in self._simulation.sets if bodies.material.kind == "kinematic"]

    def _end_of(self, bodies: BodySet[Any], renew: bool = False) -> _TickEnd:
        """Return the poses of ``bodies`` at the end of the last tick.

        For a new body, the result contains the current pose. With ``renew=True``, the result
        contains the current poses of all bodies. If no pose has changed, the stored arrays are
        returned without copying them.
        """
        position, rotation = bodies.poses
        old = next((end for end in self._ends if end.bodies is bodies), None)
        current = position.now(), rotation.now()
        if old is not None and np.array_equal(old.keys, bodies.keys):
            stored = old.positions, old.rotations
            if not renew or all(map(np.array_equal, stored, current)):
                return old
        positions, rotations = (values.copy() for values in current)
        if old is not None and not renew:
            _, ours, theirs = np.intersect1d(
                bodies.keys, old.keys, assume_unique=True, return_indices=True
            )
            positions[ours] = old.positions[theirs]
            rotations[ours] = old.rotations[theirs]
        return _TickEnd(bodies, bodies.keys, positions, rotations)

    # -- bodies ------------------------------------------------------------------------------------

    def sync(self) -> None:
        """Create a body for each new row, and remove the bodies of rows that the game has removed."""
        self._simulation.sync_bodies()

    def find(self, key: int) -> tuple[BodySet[rapier3d.RigidBodyHandle], int] | None:
        """Return the `BodySet` of the body with the number ``key``, and the index of the body.

        If the body has been removed or is a wall, return None.
        """
        return self._simulation.body_with(key)

    def owner(self, key: int) -> RowOrWall | None:
        """Return the handle, `BodyRow` or `Wall` with the number ``key``. If the body or wall has
        been removed, return None.
        """
        return self._simulation.owner_of_key(key)

    def key_of(self, body: rapier3d.RigidBodyHandle) -> int | None:
        """Return the unique number of a body or a wall. If the game has added the body directly to
        Rapier, return None.
        """
        return self._simulation.key_of(body)

    def size_of(self, key: int, body: rapier3d.RigidBodyHandle) -> BodySize:
        """Return the size of a body. The sizes are cached."""
        size = self._sizes.get(key)
        if size is None:
            size = self._sizes[key] = self._measure(body)
        return size

    def _measure(self, body: rapier3d.RigidBodyHandle) -> BodySize:
        world = self.engine.world
        native = world.rigid_bodies[body]
        boxes = [world.colliders[collider].compute_aabb() for collider in native.colliders]
        center = np.array(native.translation.to_tuple())
        low = np.min([box.mins.to_tuple() for box in boxes], axis=0) - center
        high = np.max([box.maxs.to_tuple() for box in boxes], axis=0) - center
        farthest: Vector = tuple(np.maximum(np.abs(low), np.abs(high)).tolist())
        return BodySize(length_of(farthest), float((high - low).max()), float(low[1]))

    def pose(self, key: int) -> Pose | None:
        """Return the pose of a body from the columns of its batch. If the body is a wall or has
        been removed, return None.
        """
        entry = self.find(key)
        if entry is None:
            return None
        bodies, index = entry
        position, rotation = bodies.poses
        return pose_of(position.now()[index], rotation.now()[index])

    def end_pose(self, key: int) -> Pose | None:
        """Return the pose that a kinematic body had at the end of the last tick. If the body is not
        kinematic, return None.
        """
        entry = self.find(key)
        if entry is None or entry[0].material.kind != "kinematic":
            return None
        bodies, index = entry
        end = self._end_of(bodies)
        return pose_of(end.positions[index], end.rotations[index])

    def velocity_at(self, key: int, point: Vector, seconds: float) -> Vector | None:
        """Return the velocity of a body at a point in the world. If the body has not moved in this
        tick, return None.

        ``seconds`` is the duration of the tick.
        """
        entry = self.find(key)
        if entry is None or entry[0].material.kind == "static":
            return ZERO
        bodies, index = entry
        native = self.engine.native(bodies.raw[index])
        velocity: Vector = native.velocity_at_point(point).to_tuple()
        if bodies.material.kind == "dynamic" or velocity != ZERO:
            return velocity
        start = self.end_pose(key)
        now = self.pose(key)
        if start is None or now is None or not seconds or not differ(start, now):
            return None
        return times(minus(point, moved_by(now, start, point)), 1 / seconds)

    def teleported(self, before: Pose, now: Pose, key: int, body: rapier3d.RigidBodyHandle) -> bool:
        """Return whether a body has teleported, which means that it has moved farther than its own
        size in this tick. A teleported body does not carry or push characters.
        """
        moved = length_of(minus(now.position, before.position))
        return moved > self.size_of(key, body).side

    def movers(
        self, center: Vector, reach: float, known: Mapping[int, Pose], kept: tuple[int, ...]
    ) -> list[Mover]:
        """Return the kinematic bodies near ``center`` that have moved in this tick.

        ``reach`` is the distance in units that the character moves, plus the radius of the
        character. ``known`` maps the number of a body to the pose that the body had when the
        character last moved in this tick. If the number of a body is in ``kept``, the result
        contains the body even if it has not moved.
        """
        movers: list[Mover] = []
        for bodies in self._kinematic_sets():
            if bodies.material.sensor or not len(bodies.raw):
                continue
            end = self._end_of(bodies)
            positions, rotations = (attribute.now() for attribute in bodies.poses)
            moved = np.abs(positions - end.positions).sum(axis=1)
            distances = np.abs(positions - center).max(axis=1)
            near: list[int] = np.flatnonzero(distances <= reach + moved + self._radii(end)).tolist()
            for index in near:
                key = int(bodies.keys[index])
                same_as_end = (
                    not moved[index]
                    and _sent(bodies.poses, index)
                    and (rotations[index] == end.rotations[index]).all()
                )
                if not same_as_end or key in kept:
                    now = pose_of(positions[index], rotations[index])
                    movers.append(self._mover(end, index, now, known.get(key)))
        return movers

    def _mover(self, end: _TickEnd, index: int, now: Pose, before: Pose | None) -> Mover:
        """Return the kinematic body at ``index``. ``now`` is the pose of the body in the columns of
        its batch. ``before`` is the pose that the body had when the character last moved in this
        tick, or None for the pose at the end of the last tick.
        """
        bodies = end.bodies
        key = int(bodies.keys[index])
        body = bodies.raw[index]
        if before is None:
            before = pose_of(end.positions[index], end.rotations[index])
        if key in self._own or self.teleported(before, now, key, body):
            before = now
        # If the game has moved a body, its columns are more exact than Rapier's float32 numbers.
        sent = _sent(bodies.poses, index)
        engine = now if sent else pose_of_isometry(self.engine.native(body).position)
        return Mover(key, body, engine, before, now)

    def _radii(self, end: _TickEnd) -> Doubles:
        """Return the radii of all bodies of a batch. The returned array has the shape (n,)."""
        stored = self._stored_radii.get(id(end.bodies))
        if stored is None or stored[0] is not end.keys:
            keys: list[int] = end.keys.tolist()
            pairs = zip(keys, end.bodies.raw, strict=True)
            radii = np.array([self.size_of(key, body).radius for key, body in pairs])
            self._stored_radii[id(end.bodies)] = stored = (end.keys, radii)
        return stored[1]


def differ(first: Pose, second: Pose) -> bool:
    """Return whether two poses of a body differ by more than Rapier's rounding errors."""
    farthest = max(1.0, *map(abs, second.position))
    if length_of(minus(first.position, second.position)) > _ROUNDING * farthest:
        return True
    pairs = zip(first.rotation, second.rotation, strict=True)
    return any(abs(first_part - second_part) > _ROUNDING for first_part, second_part in pairs)


_ROUNDING = 1e-6  # relative error: about eight times the rounding error of a float32


def _sent(poses: list[BodyAttribute], index: int) -> bool:
    """Return whether the pose of a body in Rapier is the same as its pose in the columns of the
    batch.
    """
    return all(bool((each.now()[index] == each.engine_values[index]).all()) for each in poses)
