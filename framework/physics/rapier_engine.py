"""Run `Physics3D` with the library Rapier (https://rapier.rs)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sized
from operator import is_
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Mask, Rows
from ..geometry.mesh import Mesh
from ..state.columns import Table, Tabular
from .body_materials import BodyMaterial
from .bodysets import poses_of
from .contacts import Decide, Reading
from .engines import rapier3d, use_engine
from .fast_bodies import FastBodies
from .model_parts import CompoundSpec, make_pieces
from .moving_walls import MovingWalls
from .physics_layers import ALL_LAYERS, Search
from .rapier_bytes import BodyBytes, unit_rotations
from .rapier_contacts import RapierContacts
from .rapier_queries import Piece, first_hit, vector_of
from .shapes3d import SolidSpec, surface, triangles
from .wheels import WheelController

if TYPE_CHECKING:
    Body = rapier3d.RigidBodyHandle
    JointBuilder = (
        rapier3d.FixedJointBuilder
        | rapier3d.SphericalJointBuilder
        | rapier3d.RopeJointBuilder
        | rapier3d.SpringJointBuilder
        | rapier3d.GenericJointBuilder
    )

Solid = tuple["SolidSpec | CompoundSpec", bool | None]
"""A shape, and the option ``fast`` of `Physics3D.add`."""


_BULK = 64  # if there are fewer bodies than this, they are read one by one
# A fraction of half a body's thickness; a smaller ball does not touch the static body below.
_CORE = 0.9
_BULK_SHARE = 0.2  # if a smaller fraction of the bodies is awake, they are read one by one


class RapierWorld:
    """Rapier's world. A snapshot stores the world as bytes, so that a restored game continues with
    exactly the same results.
    """

    not_state = _captured_attributes = ("events", "native")

    def __init__(self, contacts: RapierContacts) -> None:
        self._contacts = contacts
        self.events = rapier3d.ChannelEventCollector()
        """Events of colliders that have begun or stopped touching since the events were last
        read.
        """
        self._use(rapier3d.PhysicsWorld())

    def _use(self, native: rapier3d.PhysicsWorld) -> None:
        native.set_num_threads(1)
        # Rapier's type annotations do not allow Rapier's own collector.
        native.event_handler = cast(Any, self.events)
        self.native = native

    def step(self) -> None:
        """Simulate one step, in which Rapier calls the contact filters.

        After the step, the filters are removed from the world. They refer to the game, which refers
        to the world, and Python's garbage collector cannot follow references inside Rapier's world.
        If the filters stayed there, a closed game would remain in memory forever.
        """
        # Rapier's type annotations do not allow objects that have only some of the methods.
        self.native.physics_hooks = cast(Any, self._contacts)
        try:
            self.native.step()
        finally:
            self.native.physics_hooks = None

    def _capture(self) -> bytes:
        """Return the state of the world as the bytes that Rapier serializes."""
        return self.native.snapshot()

    def _restore(self, state: bytes) -> None:
        """Restore the world from the saved state ``state``. ``state`` must be a result of
        `_capture`.

        The handles of bodies remain valid after `_restore`.
        """
        self._use(rapier3d.PhysicsWorld.restore(state))


class RapierBase:
    """The base class of the 2D and the 3D Rapier engine.

    The methods use Rapier's handles for bodies, walls and joints.
    """

    user: ClassVar[str]
    """The public class that uses the engine. Error messages contain the name of this class."""
    dimensions: ClassVar[int]
    state_size: ClassVar[int]
    """The number of columns in the result of `read_states`."""
    pose_size: ClassVar[int]
    """The number of columns with the pose: the position, and the angle or rotation. These columns
    come first.
    """

    _not_hashed: tuple[str, ...] = (
        "_active",
        "_anchor",
        "_bodies",
        "_carried",
        "_fast",
        "_hard",
        "_moving_walls",
        "_old",
        "_owners_of",
        "_places",
        "_simulated",
        "_steps",
        "_targets",
        "_total",
    )
    # The attributes `_placed` and `_sent` are empty between ticks.
    not_state: tuple[str, ...] = ("_awake", "_bytes", "_placed", "_sent")

    def __init__(self) -> None:
        use_engine("rapier3d", self.user)
        self._contacts = RapierContacts(self.dimensions)
        self._holder = RapierWorld(self._contacts)
        # With clusters, Rapier 0.36 reports wrong impulses for contacts with meshes and lines: they
        # include the impulses of earlier steps. Without clusters, steps take the same time and
        # stacks are as stable.
        self.world.integration_parameters.contact_clustering = False
        self._active: list[Body] = []  # bodies whose poses may differ from `_state`
        self._simulated: list[Body] = []  # bodies that were awake in the last step
        # The result of `_awake_rows`, and the objects for which it was computed.
        self._awake: tuple[list[Body], Rows, Mask] | None = None
        self._bytes: BodyBytes | None = None  # None after a body has been added or removed
        self._total = 0  # the number of mapped bodies and walls
        self._bodies: list[Body] = []  # the bodies in the order of `_state`
        self._state: Doubles = np.zeros((0, self.state_size))
        # The index of each collider's body, by the index of the collider.
        self._owners_of: dict[int, int] = {}
        # The row of each body in `_state`, by the index of the body.
        self._places: Rows = np.empty(0, np.intp)
        self._anchor: Body | None = None
        self._old = True  # True if the query pipeline must be updated
        self._carried: list[Body] = []
        # The goals of the bodies in `_carried`.
        self._targets: list[tuple[Body, str, Any]] = []
        # The kind ("force" or "torque") and the body of each push.
        self._pushed: list[tuple[str, Body]] = []
        self.vehicles: list[WheelController] = []
        self._fast = FastBodies()
        self._steps = 0  # the number of physics steps since the states were last read
        self._hard = False  # whether contacts with static bodies are hard
        self._moving_walls = MovingWalls()
        # The positions to which the game has teleported bodies since the states were last read. The
        # key is the index of the body.
        self._placed: dict[int, ArrayLike] = {}
        self._sent: set[int] = set()  # the indices of kinematic bodies that the game has moved

    @property
    def world(self) -> rapier3d.PhysicsWorld:
        """Rapier's world. After a snapshot has been restored, this property returns a new
        object.
        """
        return self._holder.native

    # -- bodies ------------------------------------------------------------------------------------

    def make(
        self, batch: Tabular[Table], shape: Any, material: BodyMaterial, rows: Rows
    ) -> list[Body]:
        """Create a body for each row in ``rows``.

        If no valid shape can be created for a row, the engine creates no bodies. The error message
        contains the index of the row.
        """
        indices: list[int] = rows.tolist()
        pairs = [self._builders(batch, shape, material, row) for row in indices]
        return [self._insert(*builders) for builders in pairs]

    def _builders(
        self, batch: Tabular[Table], shape: Any, material: BodyMaterial, row: int
    ) -> tuple[rapier3d.RigidBodyBuilder, *tuple[rapier3d.ColliderBuilder, ...]]:
        """Return Rapier's builders: one for the body of ``row``, and one for each part of its
        shape.
        """
        raise NotImplementedError

    def _insert(
        self, body: rapier3d.RigidBodyBuilder, *colliders: rapier3d.ColliderBuilder
    ) -> Body:
        self._bytes = None
        handle = self.world.add_body(body, list(colliders))
        parts = self.world.rigid_bodies[handle].colliders
        self._owners_of |= dict.fromkeys((part.index for part in parts), handle.index)
        self._contacts.add(self.world, parts)
        self._old = True
        return handle

    def _with_material(
        self, collider: rapier3d.ColliderBuilder, material: BodyMaterial
    ) -> rapier3d.ColliderBuilder:
        groups = rapier3d.InteractionGroups(
            rapier3d.Group.from_bits(1 << material.layer), rapier3d.Group.from_bits(material.hits)
        )
        collider = (
            collider.friction(material.friction)
            .restitution(material.elasticity)
            .sensor(material.sensor)
            .collision_groups(groups)
            .active_events(rapier3d.ActiveEvents.COLLISION_EVENTS)
        )
        # The flag makes sensors report static and kinematic bodies, too.
        return (
            collider.active_collision_types(rapier3d.ActiveCollisionTypes.all())
            if material.sensor
            else collider
        )

    def native(self, body: Body) -> rapier3d.RigidBody:
        """Return Rapier's `RigidBody` object for the handle ``body``."""
        return self.world.rigid_bodies[body]

    def remove_body(self, body: Body) -> None:
        """Remove a body from Rapier. If the body is the chassis of a vehicle, also remove the
        vehicle.

        The caller must remove the joints of the body first.
        """
        self.vehicles = [vehicle for vehicle in self.vehicles if vehicle.chassis != body]
        self._drop(body)

    def _drop(self, handle: Body) -> None:
        self._bytes = None
        parts = self.world.rigid_bodies[handle].colliders
        for part in parts:
            del self._owners_of[part.index]
        self._contacts.remove(parts)
        self._fast.remove(handle.index)
        self._moving_walls.remove(handle.index)
        self._placed.pop(handle.index, None)
        self._sent.discard(handle.index)
        self._active = [body for body in self._active if body != handle]
        self._carried = [body for body in self._carried if body != handle]
        self._targets = [target for target in self._targets if target[0] != handle]
        self.world.remove_body(handle)
        self._old = True

    def set_trait(self, bodies: list[Body], name: str, values: NDArray[Any]) -> None:
        """Set a trait of ``bodies``, such as "damping", and wake the bodies."""
        for handle, value in zip(bodies, values.tolist(), strict=True):
            body = self.native(handle)
            if body.is_dynamic:
                body.wake_up()
            if name == "locked":
                self._lock(body, value)
            elif name == "can_sleep":
                self._allow_sleep(handle, value)
            else:
                setattr(body, "linear_damping" if name == "damping" else name, value)

    def _allow_sleep(self, handle: Body, allowed: bool) -> None:
        """Set whether a body may fall asleep when it is not moving."""
        kind = rapier3d.RigidBodyActivation
        self.native(handle).activation = kind.active() if allowed else kind.cannot_sleep()

    def _lock(self, body: rapier3d.RigidBody, locked: list[bool]) -> None:
        """Raise `ValueError`, because only bodies of `Physics3D` have locked axes."""
        raise ValueError("locked: only bodies of Physics3D have axes that can be locked")

    def stop_carried(self) -> None:
        """Stop the kinematic bodies that `set_attribute` has moved.

        Afterwards, these bodies are exactly at the positions that the game has set.
        """
        for handle in self._carried:
            body = self.native(handle)
            body.linvel = body.angvel = rapier3d.Vec3.zeros()
        self._carried.clear()
        for handle, name, value in self._targets:
            self._place(handle, name, value)
        self._targets.clear()

    def _place(self, handle: Body, name: str, value: Any) -> None:
        """Set the position, the angle or the rotation of a body."""
        raise NotImplementedError

    def asleep(self, body: Body) -> bool:
        """Return whether a body is sleeping. Rapier does not simulate sleeping bodies."""
        return self.native(body).is_sleeping

    def wake(self, body: Body) -> None:
        """Wake a body, so that Rapier simulates it again."""
        self.native(body).wake_up()

    # -- walls and joints --------------------------------------------------------------------------

    def new_wall(self, shape: Any, material: BodyMaterial) -> Body:
        """Create a wall from the Rapier builder ``shape``. `mesh_shape` and `floor_shape` return
        builders for walls.
        """
        return self._insert(rapier3d.RigidBody.fixed(), self._with_material(shape, material))

    def remove_wall(self, wall: Body) -> None:
        """Remove a wall, and wake all bodies, because some of them may be resting on the wall."""
        self._drop(wall)
        self.world.wake_up_all()

    def world_body(self) -> Body:
        """Return the static body that represents the world in joints."""
        if self._anchor is None:
            self._anchor = self.world.add_body(rapier3d.RigidBody.fixed(), [])
        return self._anchor

    def insert_joint(
        self, ends: tuple[Body, Body], builder: JointBuilder, bump: bool
    ) -> rapier3d.ImpulseJointHandle:
        """Create a joint between two bodies with a Rapier joint builder.

        Return Rapier's handle for the joint.
        """
        return self.world.impulse_joints.insert(*ends, builder.contacts_enabled(bump).build())

    def remove_joint(self, joint: rapier3d.ImpulseJointHandle) -> None:
        """Remove a joint from Rapier's world.

        `remove_joint` does nothing if the joint is not in the world.
        """
        if joint in self.world.impulse_joints:
            self.world.impulse_joints.remove(joint)

    def drive_joint(
        self,
        joint: rapier3d.ImpulseJointHandle,
        axis: rapier3d.JointAxis,
        speed: float,
        strength: float,
    ) -> None:
        """Switch on the motor of a joint. The motor turns about ``axis``, or moves along ``axis``,
        at the speed ``speed``. ``strength`` is the maximum torque or force of the motor.
        """
        data = self.world.impulse_joints[joint].data
        data.set_motor_velocity(axis, speed, _MOTOR_DAMPING)
        data.set_motor_max_force(axis, strength)

    def drive_joint_to(
        self,
        joint: rapier3d.ImpulseJointHandle,
        axis: rapier3d.JointAxis,
        target: float,
        stiffness: float,
        damping: float,
        strength: float,
    ) -> None:
        """Switch on the motor of a joint. The motor acts like a spring that pulls the joint to the
        angle or displacement ``target``.
        """
        data = self.world.impulse_joints[joint].data
        data.set_motor_model(axis, rapier3d.MotorModel.FORCE_BASED)
        data.set_motor_position(axis, target, stiffness, damping)
        data.set_motor_max_force(axis, strength)

    def stop_motor(self, joint: rapier3d.ImpulseJointHandle, axis: rapier3d.JointAxis) -> None:
        """Switch off the motor of a joint."""
        data = self.world.impulse_joints[joint].data
        data.set_motor(axis, 0.0, 0.0, 0.0, 0.0)

    def limit_joint(
        self, joint: rapier3d.ImpulseJointHandle, axis: rapier3d.JointAxis, low: float, high: float
    ) -> None:
        """Set the limits of the rotation about ``axis``, or of the movement along ``axis``."""
        self.world.impulse_joints[joint].data.set_limits(axis, low, high)

    def joint_limits(
        self, joint: rapier3d.ImpulseJointHandle, axis: rapier3d.JointAxis
    ) -> tuple[float, float] | None:
        """Return the limits of the rotation about ``axis``, or of the movement along ``axis``. If
        the joint has no limits, return None.
        """
        limits = self.world.impulse_joints[joint].data.limits(axis)
        return None if limits is None else (limits.min, limits.max)

    def small_step(self) -> float:
        """Return the duration of the last small step in seconds. Rapier divides a step into several
        small steps, and stores only the impulses of the last small step.
        """
        parameters = self.world.integration_parameters
        return parameters.dt / parameters.num_solver_iterations

    # -- queries -----------------------------------------------------------------------------------

    def queries(self) -> rapier3d.QueryPipeline:
        """Return Rapier's query pipeline, updated to the current positions of all bodies."""
        if self._old:
            self.world.update_query_pipeline()
            self._old = False
        return self.world.query_pipeline

    def layer_filter(self, bits: int) -> rapier3d.QueryFilter:
        """Return a Rapier query filter that finds bodies in the layers ``bits``, but no sensors."""
        return self.query_filter(Search(bits))

    def keys_of(self, bodies: list[Body]) -> list[Hashable]:
        """Return the key of each body, which is its index in Rapier."""
        return [body.index for body in bodies]

    def query_filter(self, search: Search, colliders: Collection[int] = ()) -> rapier3d.QueryFilter:
        """Return a Rapier query filter for the layers and bodies of ``search``.

        The filter also excludes colliders whose index is in ``colliders``.
        """
        groups = rapier3d.InteractionGroups(
            rapier3d.Group.ALL,
            rapier3d.Group.from_bits(search.layers),
            rapier3d.InteractionTestMode.AND,
        )
        query_filter = rapier3d.QueryFilter(groups=groups)
        if not search.sensors:
            query_filter = query_filter.exclude_sensors()
        if not search.excluded and not colliders:
            return query_filter
        excluded = search.excluded

        def matches(handle: rapier3d.ColliderHandle, collider: rapier3d.Collider) -> bool:
            return handle.index not in colliders and self.owner_of(handle) not in excluded

        return query_filter.predicate(matches)

    def owner_of(self, collider: rapier3d.ColliderHandle) -> int:
        """Return the index of a collider's body. If the game has added the collider to Rapier
        directly, return -1.
        """
        return self._owners_of.get(collider.index, -1)

    # -- steps -------------------------------------------------------------------------------------

    def step_once(self, seconds: float) -> None:
        """Simulate one physics step of ``seconds``: first the wheels of all vehicles, then all
        bodies.

        Forces from `push_forces` act only during one step.
        """
        world = self.world
        for vehicle in self.vehicles:
            ground = self.layer_filter(ALL_LAYERS).exclude_rigid_body(vehicle.chassis)
            vehicle.roll(seconds, world, self.queries(), ground)
        if world.integration_parameters.dt != np.float32(seconds):
            world.integration_parameters.dt = seconds
        if self._fast.rushing != self._hard:
            self._set_hard(self._fast.rushing)
        self._simulated = world.active_bodies()
        self._active += self._simulated
        self._contacts.begin_step()
        self._holder.step()
        self._steps += 1
        self._contacts.end_step(world)
        for name, handle in self._pushed:
            body = self.native(handle)
            (body.reset_forces if name == "force" else body.reset_torques)()
        self._pushed.clear()
        self._old = True

    def _set_hard(self, hard: bool) -> None:
        """Set whether contacts with static bodies are hard or soft. By default, contacts in Rapier
        are soft.
        """
        # Only contacts with static bodies become hard. Hard contacts between two bodies that can
        # move would make stacks fall.
        softness = rapier3d.SpringCoefficients(_HARD if hard else _SOFT, _CONTACT_DAMPING)
        self.world.integration_parameters.static_contact_softness = softness
        self._hard = hard

    def map_order(self, bodies: list[Body], walls: list[Body]) -> None:
        """Set the order of bodies and walls in the results of `read_states` and `touching`.

        In the results, the bodies come before the walls. The next call to `read_states` reads all
        bodies.
        """
        indices = [body.index for body in (*bodies, *walls)]
        row_table = np.full(max(indices, default=0) + 1, -1, np.intp)
        row_table[indices] = np.arange(len(indices))
        self._state = self._reordered(row_table, len(bodies))
        self._places = row_table
        self._bodies = bodies
        self._active = [*bodies]
        self._total = len(indices)
        self._contacts.map_order(self._owners_of, self._places)
        order = np.array([body.index for body in bodies], np.intp)
        self._moving_walls.map_order(order, self._fast.reach_of(order))
        # Update the query pipeline now. Otherwise, a query between ticks would update it, and
        # Rapier's tree of bounds would get new colliders earlier, which would change the order of
        # contacts.
        self.queries()

    def _reordered(self, row_table: Rows, count: int) -> Doubles:
        """Return the states of ``count`` bodies in a new order. The positions of new bodies are
        NaN, and their velocities are 0.

        ``row_table[i]`` is the new row of the body with the index ``i``.
        """
        state = np.zeros((count, self.state_size))
        state[:, : self.dimensions] = np.nan
        numbers = np.arange(min(len(row_table), len(self._places)))
        before = self._places[numbers]
        after = row_table[numbers]
        valid = (before >= 0) & (before < len(self._state)) & (after >= 0) & (after < count)
        state[after[valid]] = self._state[before[valid]]
        return state

    def _are_many(self, bodies: Sized) -> bool:
        """Return True if it is faster to read all bodies of the world in one call than to read
        ``bodies`` one by one.
        """
        return len(bodies) > max(_BULK, _BULK_SHARE * len(self._state))

    def _read_all(
        self, has_velocities: bool
    ) -> tuple[Rows, NDArray[Any], NDArray[Any] | None] | None:
        """Return the indices, poses and velocities of all bodies. If the layout of Rapier's bytes
        is unknown, return None.
        """
        bodies = self.world.rigid_bodies
        if self._bytes is None or self._bytes.bodies is not bodies:
            owners = np.fromiter(self._owners_of.values(), np.intp, len(self._owners_of))
            counts: list[int] = np.bincount(owners).tolist()
            self._bytes = BodyBytes(bodies, dict(enumerate(counts)))
        numbers = self._bytes.read(bodies, has_velocities)
        return None if numbers is None else (self._bytes.indices, *numbers)

    def _rows_at(self, indices: Rows) -> Rows:
        """Return the row in `_state` of each body, or -1 if the body is a wall.

        ``indices`` contains Rapier's indices of the bodies.
        """
        padded = np.append(self._places, -1)
        rows = padded[np.minimum(indices, len(self._places))]
        return np.where(rows < len(self._state), rows, -1)

    def mark_teleported(self, bodies: list[Body]) -> None:
        """Called before the physics steps of a tick, with the kinematic bodies that the game has
        teleported since the last tick. In the tick in which a body was teleported, it does not push
        back other bodies.
        """
        nowhere = np.full(self.dimensions, np.nan)
        self._placed |= dict.fromkeys([body.index for body in bodies], nowhere)

    def _poses_before(self) -> tuple[Doubles | None, Rows]:
        """Return the poses that all bodies had before the physics steps, and the rows of the
        kinematic bodies that the game has moved. The poses are None if no body can pass through a
        kinematic body in these steps.
        """
        placed = self._placed
        self._placed = {}
        sent = self._sent
        self._sent = set()
        if not self._steps or not self._moving_walls.any:
            return None, np.empty(0, np.intp)
        before = self._state[:, : self.pose_size].copy()
        for index, position in placed.items():
            for row in self._rows_of([index]).tolist():
                before[row, : self.dimensions] = position
        return before, self._rows_of(sent)

    def _rows_of(self, indices: Collection[int]) -> Rows:
        """Return the rows of bodies. ``indices`` contains Rapier's indices of the bodies."""
        rows = self._rows_at(np.fromiter(indices, np.intp, len(indices)))
        return rows[rows >= 0]

    def _put_back(self, before: Doubles | None, sent: Rows) -> None:
        """Find the bodies that a moving kinematic body has passed, and move them back in front of
        it.

        The arguments are the results of `_poses_before`.
        """
        if before is None:
            return
        state = self._state
        size = self.dimensions
        done: set[int] = set()
        crossings = self._moving_walls.crossings(before, state[:, : self.pose_size], sent)
        for row, wall, position in crossings:
            body = self._bodies[row]
            if row in done or not self._bump(self._bodies[wall], body):
                continue
            done.add(row)
            reach = self._moving_walls.reach_of(row)
            if self._is_blocked(body, before[row, :size], position, reach):
                continue
            self.native(body).translation = rapier3d.Vec3(*vector_of(position))
            state[row, :size] = position
            self._old = True

    def _is_blocked(self, body: Body, start: Doubles, end: Doubles, reach: float) -> bool:
        """Return whether a static body lies between the points ``start`` and ``end``.

        ``reach`` is half the thickness of the moving body. The method tests a slightly smaller
        ball, because the body may already touch static bodies.
        """
        world = self.world
        groups = world.colliders[world.rigid_bodies[body].colliders[0]].collision_groups

        def stops(_: rapier3d.ColliderHandle, collider: rapier3d.Collider) -> bool:
            other_groups = collider.collision_groups
            return groups.test(other_groups) and not self._contacts.may_pass(groups, other_groups)

        fixed = rapier3d.QueryFilter.only_fixed().exclude_sensors().predicate(stops)
        ball = Piece(rapier3d.SharedShape.ball(_CORE * reach), rapier3d.Isometry3.identity())
        pose = rapier3d.Isometry3(vector_of(start), rapier3d.Rotation3.identity())
        ahead = vector_of(end - start)
        return first_hit(self.queries(), [ball], pose, ahead, fixed) is not None

    def _bump(self, first: Body, second: Body) -> bool:
        """Return whether two bodies can collide. A layer, a filter or a joint can prevent two
        bodies from colliding.
        """
        world = self.world
        colliders = [
            world.colliders[world.rigid_bodies[body].colliders[0]] for body in (first, second)
        ]
        groups = [collider.collision_groups for collider in colliders]
        joints = world.impulse_joints
        return (
            not any(collider.is_sensor for collider in colliders)
            and groups[0].test(groups[1])
            and not self._contacts.may_pass(*groups)
            and not any(
                first in joints.bodies_connected_by_joint(joint)
                and not joints[joint].data.contacts_enabled
                for joint in joints.attached_joints(second)
            )
        )

    def mark_moved(self, bodies: list[Body]) -> None:
        """Make sure that the next `read_states` reads ``bodies``, even if Rapier did not move these
        bodies.
        """
        self._active = bodies

    # -- contacts ----------------------------------------------------------------------------------

    def note_touching(self) -> None:
        """Store the pairs of bodies and walls that are touching after a step, for the next call of
        `touched`.
        """
        self._contacts.note_events(self._holder.events.drain_collision_events())

    def touching(self) -> Rows:
        """Return the pairs of bodies and walls that are touching. The result is an array of indices
        with the shape (m, 2).

        The pairs include contacts with sensors.

        A wall has the index ``n + i``, where n is the number of bodies, and i is the index in the
        list of walls.
        """
        return self._contacts.touching()

    def touched(self) -> Rows:
        """Return the pairs that were in contact at the end of any step since `touched` was last
        called. The result is an array of indices as in `touching`, with the shape (m, 2).
        """
        return self._contacts.take_touched()

    def asleep_pairs(self, pairs: Rows) -> Mask:
        """For each pair, return whether both bodies were sleeping in the last step. Rapier does not
        simulate sleeping bodies.
        """
        awake = self._awake_rows()
        return ~(awake[pairs[:, 0]] | awake[pairs[:, 1]])

    def _awake_rows(self) -> Mask:
        """For each body and wall, return whether it was awake in the last step.

        The result is cached until the next step, or the next call of `map_order`. Both make new
        objects, and a restored snapshot brings earlier objects back.
        """
        key = self._simulated, self._places
        if self._awake is not None and all(map(is_, key, self._awake[:2])):
            return self._awake[2]
        awake = np.zeros(self._total, bool)
        simulated = np.array([body.index for body in self._simulated], np.intp)
        rows = self._places[simulated[simulated < len(self._places)]]
        awake[rows[rows >= 0]] = True
        self._awake = (*key, awake)
        return awake

    def all_asleep(self) -> bool:
        """Return whether all bodies were sleeping in the last step."""
        return not self._simulated

    def read_contacts(self, pairs: Rows, asleep: bool) -> Reading:
        """Return the contacts of ``pairs`` in the last step.

        If ``asleep`` is False, the result does not contain pairs of sleeping bodies.
        """
        chosen = np.arange(len(pairs)) if asleep else np.flatnonzero(~self.asleep_pairs(pairs))
        reading = self._contacts.read(self.world, pairs[chosen])
        return reading._replace(pairs=chosen[reading.pairs])

    def filter_contacts(
        self, layers: list[tuple[int, int]], decide: Decide, bodies: list[Body]
    ) -> None:
        """Set ``decide``, the function that decides whether two shapes collide. The engine calls
        ``decide`` when two shapes begin to touch, before the two shapes push each other apart.

        If ``decide`` returns False, the two shapes pass through each other until they separate.
        """
        self._contacts.filter(layers, decide)
        for handle in bodies:
            self._contacts.hook(self.world, self.native(handle).colliders)

    def take_error(self) -> BaseException | None:
        """Return the error that ``decide`` raised in the last step, or None. Each error is returned
        only once.
        """
        return self._contacts.take_error()

    def velocity_at(self, body: Body, point: Doubles) -> Doubles:
        """Return the velocity of a body or wall at a point in the world."""
        width = self.dimensions
        x, y, *z = point.tolist()
        velocity = self.native(body).velocity_at_point((x, y, *z, 0.0)[:3])
        return np.array(velocity.to_tuple()[:width])


class RapierEngine(RapierBase):
    """The implementation of `PhysicsEngine` for 3D, which calls Rapier."""

    user: ClassVar[str] = "Physics3D"
    dimensions: ClassVar[int] = 3
    pose: ClassVar[str] = "rotation"
    noun: ClassVar[str] = (
        "a batch of meshes or models, or a table with columns position and rotation"
    )
    state_size: ClassVar[int] = 13  # columns for position, rotation, velocity and angular velocity
    pose_size: ClassVar[int] = 7
    sizes: ClassVar[tuple[slice | int, ...]] = (
        slice(0, 3),
        slice(3, 7),
        slice(7, 10),
        slice(10, 13),
    )

    # -- bodies ------------------------------------------------------------------------------------

    def make(
        self, batch: Tabular[Table], shape: Solid, material: BodyMaterial, rows: Rows
    ) -> list[Body]:
        """Create a body for each row in ``rows``.

        If no valid shape can be created for a row, the engine creates no bodies. The error message
        contains the index of the row.
        """
        bodies = super().make(batch, shape, material, rows)
        moves = material.kind == "dynamic"
        for handle in bodies:
            reach = self._half_thickness(handle) if moves else np.inf
            self._fast.add(handle.index, reach, moves and shape[1] is None)
            if material.kind == "kinematic" and not material.sensor:
                colliders = self.world.colliders
                parts = [surface(colliders[part]) for part in self.native(handle).colliders]
                self._moving_walls.add(handle.index, parts)
        return bodies

    def _half_thickness(self, handle: Body) -> float:
        """Return half the thickness of a body's thinnest shape, in units."""
        world = self.world
        upright = rapier3d.Isometry3.identity()
        boxes = [
            world.colliders[part].shape.compute_aabb(upright)
            for part in world.rigid_bodies[handle].colliders
        ]
        return min(min((box.maxs - box.mins).to_tuple()) / 2 for box in boxes)

    def _builders(
        self, batch: Tabular[Table], shape: Solid, material: BodyMaterial, row: int
    ) -> tuple[rapier3d.RigidBodyBuilder, *tuple[rapier3d.ColliderBuilder, ...]]:
        solid, fast = shape
        table, stride = poses_of(batch)
        poses: list[Doubles] = [
            table.column(name).data[row * stride].astype(np.float64)
            for name in ("position", "rotation", "scale")
        ]
        position, rotation, scale = poses
        pieces = make_pieces(solid, scale, row)
        colliders = [self._with_material(piece, material) for piece in pieces]
        if material.kind == "dynamic":
            colliders = _with_masses(colliders, material)
        elif material.kind == "kinematic":
            # A kinematic body turns about its position and not about its center of mass.
            colliders = [_with_mass_at_body(collider) for collider in colliders]
        body = body_builder(material.kind)
        body = body.position(self.isometry(position, rotation)).ccd_enabled(bool(fast))
        if material.fixed_rotation:
            body = body.enabled_rotations((False, False, False))
        return body, *colliders

    def isometry(self, position: ArrayLike, rotation: ArrayLike) -> rapier3d.Isometry3:
        """Convert a position and a rotation to a Rapier `Isometry3`.

        If all components of the quaternion ``rotation`` are 0, the result does not rotate.
        """
        x: float
        y: float
        z: float
        w: float
        x, y, z, w = np.asarray(rotation, np.float64).tolist()
        length = (x * x + y * y + z * z + w * w) ** 0.5
        unit = (x / length, y / length, z / length, w / length) if length else (0.0, 0.0, 0.0, 1.0)
        translation: tuple[float, float, float] = tuple(np.asarray(position).tolist())
        return rapier3d.Isometry3(translation, rapier3d.Rotation3.from_tuple(unit))

    def set_attribute(
        self, bodies: list[Body], kind: str, name: str, values: NDArray[Any], seconds: float
    ) -> None:
        """Set an attribute of ``bodies``: "position", "rotation", "velocity" or "angular_velocity".

        If ``seconds`` is above 0, kinematic bodies reach the new position or rotation after this
        time.
        """
        carries = kind == "kinematic" and seconds > 0 and name in ("position", "rotation")
        value: Doubles
        for handle, value in zip(bodies, values.astype(np.float64), strict=True):
            body = self.native(handle)
            self._active.append(handle)
            if carries:
                self._carry(handle, body, name, value, seconds)
            elif name in ("position", "rotation"):
                self._place(handle, name, value)
                if name == "position":
                    self._placed[handle.index] = value
            else:
                setattr(body, "linvel" if name == "velocity" else "angvel", _vector(value))
                self._fast.start(body, handle.index, self.world.integration_parameters.dt)
            if kind == "static":
                self.world.wake_up_all()  # wakes the bodies on top of the static body
            elif kind == "dynamic":
                body.wake_up()
        self._old = True

    def _lock(self, body: rapier3d.RigidBody, locked: list[bool]) -> None:
        """Lock some of the six axes of a body. ``locked`` contains a flag for each of the axes x,
        y, z, rx, ry, rz. The method also stops the motion of the body along the locked axes.
        """
        x, y, z, rx, ry, rz = (not axis for axis in locked)
        body.enabled_translations = x, y, z
        body.enabled_rotations = rx, ry, rz
        if any(locked) and body.is_dynamic:
            body.linvel = _vector(np.array(body.linvel.to_tuple()) * (x, y, z))
            body.angvel = _vector(np.array(body.angvel.to_tuple()) * (rx, ry, rz))

    def _carry(
        self, handle: Body, body: rapier3d.RigidBody, name: str, value: Doubles, seconds: float
    ) -> None:
        self._carried.append(handle)
        self._sent.add(handle.index)
        self._targets.append((handle, name, value))
        if name == "position":
            displacement = value - body.translation.to_tuple()
            body.linvel = _vector(displacement / seconds)
        else:
            rotation: rapier3d.Rotation3 = (
                self.isometry((0, 0, 0), value).rotation * body.rotation.inverse()
            )
            body.angvel = _vector(np.array(rotation.scaled_axis.to_tuple()) / seconds)

    def _place(self, handle: Body, name: str, value: Doubles) -> None:
        body = self.native(handle)
        if name == "position":
            body.translation = _vector(value)
        else:
            body.rotation = self.isometry((0, 0, 0), value).rotation

    def push(self, bodies: list[Body], impulses: Doubles, points: Doubles | None) -> None:
        """Apply an impulse to each body in ``bodies``, at a point in the world.

        If ``points`` is None, the impulses act at the centers of mass.
        """
        for index, handle in enumerate(bodies):
            body = self.native(handle)
            impulse: Doubles = impulses[index]
            self._active.append(handle)
            if points is None:
                body.apply_impulse(_vector(impulse))
            else:
                point: Doubles = points[index]
                body.apply_impulse_at_point(_vector(impulse), _vector(point))
            self._fast.start(body, handle.index, self.world.integration_parameters.dt)

    def push_forces(self, name: str, bodies: list[Body], values: Doubles) -> None:
        """Apply a force or a torque to each body during the next physics step."""
        vectors: list[list[float]] = values.tolist()
        for handle, vector in zip(bodies, vectors, strict=True):
            body = self.native(handle)
            (body.add_force if name == "force" else body.add_torque)(vector)
            self._pushed.append((name, handle))

    def velocities(self, body: Body) -> tuple[Doubles, Doubles]:
        """Return the velocity and the angular velocity of a body."""
        native = self.native(body)
        return np.array(native.linvel.to_tuple()), np.array(native.angvel.to_tuple())

    def joint_load(
        self, joint: rapier3d.ImpulseJointHandle, free_axis: str | None
    ) -> tuple[float, float]:
        """Return the force and the torque in a joint during the last step.

        ``free_axis`` is the axis that has limits or a motor, or None.
        """
        native = self.world.impulse_joints[joint]
        impulses: list[float] = native.impulses
        linear = sum(impulse * impulse for impulse in impulses[:3])
        # Rapier computes angular constraints with half the angle, so the impulses are twice as
        # large.
        angular = sum(impulse * impulse for impulse in impulses[3:]) / 4
        if free_axis is not None:
            axis = getattr(rapier3d.JointAxis, free_axis)
            parts = native.data.limits(axis), native.data.motor(axis)
            along_axis = sum(part.impulse**2 for part in parts if part is not None)
            if free_axis.startswith("LIN"):
                linear += along_axis
            else:
                angular += along_axis
        seconds = self.small_step()
        return linear**0.5 / seconds, angular**0.5 / seconds

    # -- walls and queries -------------------------------------------------------------------------

    def mesh_shape(self, mesh: Mesh, position: Doubles) -> rapier3d.ColliderBuilder:
        """Return Rapier's builder for a wall that consists of the triangles of ``mesh``.
        ``position`` is the position of the wall in the world.
        """
        return triangles(mesh.positions.astype(np.float64) + position, mesh)

    def floor_shape(self, height: float) -> rapier3d.ColliderBuilder:
        """Return Rapier's builder for an infinite floor at ``height``."""
        return rapier3d.Collider.halfspace((0.0, 1.0, 0.0)).translation((0.0, height, 0.0))

    def collider_filter(self, collider: rapier3d.Collider) -> rapier3d.QueryFilter:
        """Return a Rapier query filter that finds only colliders with which ``collider`` can
        collide.
        """
        return rapier3d.QueryFilter(groups=collider.collision_groups).exclude_sensors()

    # -- steps -------------------------------------------------------------------------------------

    @property
    def gravity(self) -> tuple[float, float, float]:
        """The acceleration of all dynamic bodies, in units / s²."""
        gravity: tuple[float, float, float] = self.world.gravity.to_tuple()
        return gravity

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Set the acceleration of all dynamic bodies, in units / s²."""
        self.world.gravity = rapier3d.Vec3(*gravity)
        self.world.wake_up_all()

    def read_states(self, has_velocities: bool, has_transient_velocities: bool) -> Doubles:
        """Return the states of all bodies, as an array with one row per body. Each row includes the
        velocities if one of the two arguments is True.

        To save time, the method reads only bodies that may have moved.
        """
        state = self._state
        active = {body.index: body for body in (*self._active, *self.world.active_bodies())}
        earlier = state[:, :3].copy() if self._steps else state
        before, sent = self._poses_before()
        if not self._read_in_bulk(active, has_velocities):
            self._read_singly(active, has_velocities)
        self._active = []
        if self._steps:
            lengths = np.linalg.norm(state[:, :3] - earlier, axis=1) / self._steps
            self._update_fast_bodies(lengths)
            self._put_back(before, sent)
            self._steps = 0
        return (
            state
            if has_velocities or not has_transient_velocities
            else self._with_velocities(state)
        )

    def _update_fast_bodies(self, lengths: Doubles) -> None:
        """Switch continuous collision detection on or off for each body. ``lengths`` contains the
        distance that each body has moved per step, with the shape (n,).
        """
        # Rapier may have stopped a body so early that the body has not moved at all.
        moved = np.arange(len(lengths)) if self._fast.rushing else np.flatnonzero(lengths)
        indices = np.fromiter((self._bodies[row].index for row in moved.tolist()), np.intp)
        seconds = self.world.integration_parameters.dt
        bodies = self.world.rigid_bodies
        self._fast.update(bodies, self._bodies, moved, indices, lengths[moved], seconds)

    def _read_in_bulk(self, active: Mapping[int, Body], has_velocities: bool) -> bool:
        """Read the bodies in ``active`` from the bytes of all bodies. If this would be slower than
        reading the bodies one by one, or would give different numbers, return False without reading
        the bodies.

        The keys of ``active`` are the indices of the bodies.
        """
        result = self._read_all(has_velocities) if self._are_many(active) else None
        if result is None:
            return False
        indices, poses, speeds = result
        rotations = unit_rotations(poses[:, :4])
        if rotations is None:
            return False
        rows = self._rows_at(indices)
        is_active = np.isin(indices, np.fromiter(active, np.intp, len(active)))
        read = np.flatnonzero(is_active & (rows >= 0))
        target = rows[read]
        self._state[target, :3] = poses[read, 4:]
        self._state[target, 3:7] = rotations[read]
        if speeds is not None:
            self._state[target, 7:] = speeds[read]
        return True

    def _read_singly(self, active: Mapping[int, Body], has_velocities: bool) -> None:
        """Read the bodies in ``active`` one by one."""
        bodies = self.world.rigid_bodies
        rows = self._places
        total = len(self._state)
        for index, handle in active.items():
            row: int = rows[index] if index < len(rows) else -1
            if 0 <= row < total:
                body = bodies[handle]
                values: tuple[float, ...] = body.translation.to_tuple() + body.rotation.to_tuple()
                if has_velocities:
                    values += body.linvel.to_tuple() + body.angvel.to_tuple()
                self._state[row, : len(values)] = values

    def _with_velocities(self, state: Doubles) -> Doubles:
        """Return a copy of ``state`` with the current velocities from Rapier."""
        state = state.copy()
        for row, handle in enumerate(self._bodies):
            body = self.world.rigid_bodies[handle]
            state[row, 7:] = body.linvel.to_tuple() + body.angvel.to_tuple()
        return state


def body_builder(kind: str) -> rapier3d.RigidBodyBuilder:
    """Return Rapier's builder for a body of the kind "dynamic", "kinematic" or "static"."""
    builders = {
        "dynamic": rapier3d.RigidBody.dynamic,
        "kinematic": rapier3d.RigidBody.kinematic_velocity_based,
        "static": rapier3d.RigidBody.fixed,
    }
    return builders[kind]()


def _with_masses(
    colliders: list[rapier3d.ColliderBuilder], material: BodyMaterial
) -> list[rapier3d.ColliderBuilder]:
    """Set the masses of the pieces of a dynamic body, and return the pieces. If the material has a
    mass, a larger piece gets a larger share of the mass.
    """
    density = material.density
    if density is not None:
        return [collider.density(density) for collider in colliders]
    if material.mass is None:
        return colliders
    volumes = [collider.build().volume for collider in colliders]
    shares = np.array(volumes) / sum(volumes) if len(colliders) > 1 else [1.0]
    masses = [material.mass * float(share) for share in shares]
    return [collider.mass(mass) for collider, mass in zip(colliders, masses, strict=True)]


def _with_mass_at_body(collider: rapier3d.ColliderBuilder) -> rapier3d.ColliderBuilder:
    """Set the mass of ``collider`` to 1, and return the collider. The center of mass of the
    collider is moved to the position of the body.
    """
    x, y, z = collider.build().translation.to_tuple()
    return collider.mass_properties(rapier3d.MassProperties((-x, -y, -z), 1.0, (1.0, 1.0, 1.0)))


def _vector(values: Doubles) -> rapier3d.Vec3:
    x, y, z = values.tolist()  # `triple` would need another call for each body
    return rapier3d.Vec3(x, y, z)


# Contacts with static bodies are springs, with a frequency in Hz. The damping is a multiple of the
# critical damping. With hard contacts, a body sinks in by less than a thousandth of the distance
# that it moves in a step.
_SOFT = 60.0  # the default of Rapier
_HARD = 3000.0
_CONTACT_DAMPING = 10.0  # the default of Rapier

_MOTOR_DAMPING = 1000.0  # how strictly a motor with enough strength holds its speed
