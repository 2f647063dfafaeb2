"""The engine of `Physics3D`: Rapier, https://rapier.rs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Rows
from ..geometry.mesh import Mesh
from .body_materials import Material
from .bodysets import poses_of
from .engines import load_package
from .physics_layers import ALL_LAYERS
from .shapes3d import SolidSpec, make_solid, triangles
from .wheels import WheelController

_WIDTH = 13  # numbers of a body's state


class RapierWorld:
    """Rapier's world, which a snapshot holds as Rapier's own bytes: it goes on bit for bit as it
    would have.
    """

    not_state = _captured_attributes = ("native",)
    _not_hashed = ("rapier",)

    def __init__(self, rapier: Any) -> None:
        self.rapier = rapier
        self.native: Any = rapier.PhysicsWorld()
        self.native.set_num_threads(1)

    def _captured(self) -> Any:
        """All there is, as Rapier writes it."""
        return self.native.snapshot()

    def _put_back(self, state: Any) -> None:
        """A world that is as that was; handles of bodies stay what they are."""
        self.native = self.rapier.PhysicsWorld.restore(state)
        self.native.set_num_threads(1)


class RapierEngine:
    """A Rapier world: an `Engine` in space. Bodies, walls and joints are handles of Rapier's."""

    dimensions: ClassVar[int] = 3
    pose: ClassVar[str] = "rotation"
    noun: ClassVar[str] = "a batch of meshes or models, or what has columns position and rotation"
    sizes: ClassVar[tuple[slice | int, ...]] = (
        slice(0, 3),
        slice(3, 7),
        slice(7, 10),
        slice(10, _WIDTH),
    )

    _not_hashed = (
        "_active",
        "_anchor",
        "_bodies",
        "_carried",
        "_old",
        "_owners_of",
        "_places",
        "rapier",
    )

    def __init__(self) -> None:
        self.rapier: Any = load_package("rapier3d", "Physics3D", "physics3d")
        self._holder = RapierWorld(self.rapier)
        self._active: list[Any] = []  # of which poses may have changed since they were read
        self._bodies: list[Any] = []  # those of `_state`
        self._state: Doubles = np.zeros((0, _WIDTH))
        # Of colliders, by their indices: the indices of bodies.
        self._owners_of: dict[int, int] = {}
        self._places: Rows = np.empty(0, np.intp)  # in `_state`, by the indices of bodies
        self._anchor: Any = None
        self._old = True  # whether questions need the world to be looked over again
        self._carried: list[Any] = []
        self._pushed: list[tuple[str, Any]] = []  # the forces of the next step, by body
        self.vehicles: list[WheelController] = []

    @property
    def world(self) -> Any:
        """Rapier's world; another object after a snapshot was restored."""
        return self._holder.native

    # -- bodies ------------------------------------------------------------------------------------

    def make(
        self, batch: Any, shape: tuple[SolidSpec, bool], material: Material, rows: Rows
    ) -> list[Any]:
        """Make a body for each row. Raises an error that names the first row for which no body can
        be made; then no body was made. ``shape``: with whether bodies are fast.
        """
        made = [self._builders(batch, shape, material, row) for row in rows.tolist()]
        return [self._insert(*builders) for builders in made]

    def _insert(self, body: Any, *colliders: Any) -> Any:
        handle = self.world.add_body(body, list(colliders))
        self._owners_of |= dict.fromkeys(
            (part.index for part in self.world.rigid_bodies[handle].colliders), handle.index
        )
        self._old = True
        return handle

    def _builders(
        self, batch: Any, shape: tuple[SolidSpec, bool], material: Material, row: int
    ) -> tuple[Any, Any]:
        rapier = self.rapier
        solid, fast = shape
        table, stride = poses_of(batch)
        position, rotation, scale = (
            table.column(name).data[row * stride].astype(np.float64)
            for name in ("position", "rotation", "scale")
        )
        collider = self._dressed(make_solid(rapier, solid, scale, row), material)
        if material.kind == "dynamic":
            collider = (
                collider.mass(material.mass)
                if material.density is None
                else collider.density(material.density)
            )
        kinds = {"dynamic": "dynamic", "kinematic": "kinematic_velocity_based", "static": "fixed"}
        body = getattr(rapier.RigidBody, kinds[material.kind])()
        body = body.position(self.isometry(position, rotation)).ccd_enabled(fast)
        if material.fixed_rotation:
            body = body.enabled_rotations((False, False, False))
        return body, collider

    def isometry(self, position: ArrayLike, rotation: ArrayLike) -> Any:
        """Return Rapier's pose. A rotation of length 0 turns nothing."""
        x, y, z, w = np.asarray(rotation, np.float64).tolist()
        length = (x * x + y * y + z * z + w * w) ** 0.5
        turn = (x / length, y / length, z / length, w / length) if length else (0.0, 0.0, 0.0, 1.0)
        return self.rapier.Isometry3(
            tuple(np.asarray(position).tolist()), self.rapier.Rotation3.from_tuple(turn)
        )

    def _dressed(self, collider: Any, material: Material) -> Any:
        rapier = self.rapier
        groups = rapier.InteractionGroups(
            rapier.Group.from_bits(1 << material.layer), rapier.Group.from_bits(material.hits)
        )
        collider = (
            collider.friction(material.friction)
            .restitution(material.elasticity)
            .sensor(material.sensor)
            .collision_groups(groups)
        )
        # What does not fall tells, too, that it is in a sensor.
        return (
            collider.active_collision_types(rapier.ActiveCollisionTypes.all())
            if material.sensor
            else collider
        )

    def native(self, body: Any) -> Any:
        """Return Rapier's body, by its handle."""
        return self.world.rigid_bodies[body]

    def drop(self, body: Any) -> None:
        """Remove a body, and the vehicle whose chassis it is. Its joints were removed before."""
        self.vehicles = [vehicle for vehicle in self.vehicles if vehicle.chassis != body]
        self._drop(body)

    def _drop(self, handle: Any) -> None:
        for part in self.world.rigid_bodies[handle].colliders:
            del self._owners_of[part.index]
        self._active = [body for body in self._active if body != handle]
        self._carried = [body for body in self._carried if body != handle]
        self.world.remove_body(handle)
        self._old = True

    def give(
        self, bodies: list[Any], kind: str, name: str, values: NDArray[Any], seconds: float
    ) -> None:
        """Set position, rotation, velocity or spin (``name``) of bodies to ``values``.

        With ``seconds`` above 0, kinematic bodies move to a pose within that time instead.
        """
        carried = kind == "kinematic" and seconds > 0 and name in ("position", "rotation")
        for handle, value in zip(bodies, values.astype(np.float64), strict=True):
            body = self.native(handle)
            self._active.append(handle)
            if carried:
                self._carry(handle, body, name, value, seconds)
            elif name == "position":
                body.translation = tuple(value.tolist())
            elif name == "rotation":
                body.rotation = self.isometry((0, 0, 0), value).rotation
            else:
                setattr(body, "linvel" if name == "velocity" else "angvel", tuple(value.tolist()))
            if kind == "static":
                self.world.wake_up_all()  # what lay on it
            elif kind == "dynamic":
                body.wake_up()
        self._old = True

    def _carry(self, handle: Any, body: Any, name: str, value: Doubles, seconds: float) -> None:
        self._carried.append(handle)
        if name == "position":
            way = value - body.translation.to_tuple()
            body.linvel = tuple((way / seconds).tolist())
        else:
            turn = self.isometry((0, 0, 0), value).rotation * body.rotation.inverse()
            body.angvel = tuple((np.array(turn.scaled_axis.to_tuple()) / seconds).tolist())

    def rest(self) -> None:
        """Stop the kinematic bodies that the last steps moved to a pose."""
        for handle in self._carried:
            body = self.native(handle)
            body.linvel = body.angvel = (0.0, 0.0, 0.0)
        self._carried.clear()

    def push(self, bodies: list[Any], impulses: Doubles, points: Doubles | None) -> None:
        """Apply an impulse to each body, at a point of the world or at its center of mass."""
        for index, handle in enumerate(bodies):
            body, hit = self.native(handle), tuple(impulses[index].tolist())
            self._active.append(handle)
            if points is None:
                body.apply_impulse(hit)
            else:
                body.apply_impulse_at_point(hit, tuple(points[index].tolist()))

    def push_forces(self, name: str, bodies: list[Any], values: Doubles) -> None:
        """Apply a "force" or a "torque" to each body during the next step."""
        for handle, value in zip(bodies, values.tolist(), strict=True):
            body = self.native(handle)
            (body.add_force if name == "force" else body.add_torque)(tuple(value))
            self._pushed.append((name, handle))

    def asleep(self, body: Any) -> bool:
        """Return whether a body is at rest and is not simulated."""
        return bool(self.native(body).is_sleeping)

    def wake(self, body: Any) -> None:
        """Simulate a body again that was asleep."""
        self.native(body).wake_up()

    # -- walls and joints --------------------------------------------------------------------------

    def mesh_shape(self, mesh: Mesh, position: Doubles) -> Any:
        """Return the triangles of a mesh at a position."""
        return triangles(self.rapier, mesh.positions.astype(np.float64) + position, mesh)

    def floor_shape(self, height: float) -> Any:
        """Return all that is below a height."""
        return self.rapier.Collider.halfspace((0.0, 1.0, 0.0)).translation((0.0, height, 0.0))

    def new_wall(self, shape: Any, material: Material) -> Any:
        """Make a wall of what `mesh_shape` or `floor_shape` returned."""
        return self._insert(self.rapier.RigidBody.fixed(), self._dressed(shape, material))

    def drop_wall(self, wall: Any) -> None:
        """Remove a wall. All bodies wake up, those too that lay on it."""
        self._drop(wall)
        self.world.wake_up_all()

    def world_body(self) -> Any:
        """Return the static body that stands for the world in joints."""
        if self._anchor is None:
            self._anchor = self.world.add_body(self.rapier.RigidBody.fixed(), [])
        return self._anchor

    def new_joint(self, ends: tuple[Any, Any], builder: Any, bump: bool) -> Any:
        """Make a joint of Rapier's builder, and return its handle."""
        return self.world.impulse_joints.insert(*ends, builder.contacts_enabled(bump).build())

    def drop_joint(self, joint: Any) -> None:
        """Remove a joint, if the world still has it."""
        if joint in self.world.impulse_joints:
            self.world.impulse_joints.remove(joint)

    def drive_joint(self, joint: Any, axis: str, speed: float, strength: float) -> None:
        """Turn on the motor of a joint about or along an axis: "ANG_X" or "LIN_X"."""
        number = getattr(self.rapier.JointAxis, axis)
        data = self.world.impulse_joints[joint].data
        data.set_motor_velocity(number, speed, _STIFF)
        data.set_motor_max_force(number, strength)

    # -- queries -----------------------------------------------------------------------------------

    def queries(self) -> Any:
        """Return Rapier's query pipeline, of the world as it is now."""
        if self._old:
            self.world.update_query_pipeline()
            self._old = False
        return self.world.query_pipeline

    def seen(self, bits: int) -> Any:
        """Return Rapier's filter for the bits of layers, without sensors."""
        rapier = self.rapier
        groups = rapier.InteractionGroups(
            rapier.Group.ALL, rapier.Group.from_bits(bits), rapier.InteractionTestMode.AND
        )
        return rapier.QueryFilter(groups=groups).exclude_sensors()

    def seen_by(self, part: Any) -> Any:
        """Return Rapier's filter for what a collider bumps into."""
        return self.rapier.QueryFilter(groups=part.collision_groups).exclude_sensors()

    def owner_of(self, part: Any) -> int:
        """Return the index of the body that has a collider; -1 if it is not ours."""
        return self._owners_of.get(part.index, -1)

    # -- steps -------------------------------------------------------------------------------------

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Set the acceleration of all dynamic bodies, units / s²."""
        self.world.gravity = gravity
        self.world.wake_up_all()

    def step_once(self, seconds: float) -> None:
        """Simulate one step, wheels first. The forces of `push_forces` end with it."""
        world = self.world
        for vehicle in self.vehicles:
            seen = self.seen(ALL_LAYERS).exclude_rigid_body(vehicle.chassis)
            vehicle.roll(seconds, world, self.queries(), seen)
        if world.integration_parameters.dt != np.float32(seconds):
            world.integration_parameters.dt = seconds
        self._active += world.active_bodies()
        world.step()
        for name, handle in self._pushed:
            body = self.native(handle)
            (body.reset_forces if name == "force" else body.reset_torques)()
        self._pushed.clear()
        self._old = True

    def map_order(self, bodies: list[Any], walls: list[Any]) -> None:
        """Set the order of bodies in `read_states`, by their indices; after the last one, walls.
        All bodies are read again.
        """
        indices = [body.index for body in (*bodies, *walls)]
        self._places = np.full(max(indices, default=0) + 1, -1, np.intp)
        self._places[indices] = np.arange(len(indices))
        self._bodies, self._active = bodies, [*bodies]
        self._state = np.zeros((len(bodies), _WIDTH))

    def mark_moved(self, bodies: list[Any]) -> None:
        """Make `read_states` read these bodies again, whether they moved or not."""
        self._active = bodies

    def read_states(self, moving: bool, looking: bool) -> Doubles:
        """Return a row for each body; velocities and spins only if ``moving`` or ``looking``.

        Only bodies that may have moved are read, one by one.
        """
        bodies, state, places = self.world.rigid_bodies, self._state, self._places
        total = len(state)
        active = {body.index: body for body in (*self._active, *self.world.active_bodies())}
        for index, handle in active.items():
            place = places[index] if index < len(places) else -1
            if 0 <= place < total:
                body = bodies[handle]
                values = body.translation.to_tuple() + body.rotation.to_tuple()
                if moving:
                    values += body.linvel.to_tuple() + body.angvel.to_tuple()
                state[place, : len(values)] = values
        self._active = []
        return state if moving or not looking else self._with_velocities(state)

    def _with_velocities(self, state: Doubles) -> Doubles:
        """Return a copy of the states with velocities and spins, which are no part of `_state`."""
        state = state.copy()
        for place, handle in enumerate(self._bodies):
            body = self.world.rigid_bodies[handle]
            state[place, 7:] = body.linvel.to_tuple() + body.angvel.to_tuple()
        return state

    def touching(self) -> Rows:
        """Return the pairs that touch (m, 2), also of what is in sensors: indices of bodies and,
        after the last body, of walls.
        """
        narrow, owners = self.world.narrow_phase, self._owners_of
        pairs = [
            (owners.get(pair.collider1.index, -1), owners.get(pair.collider2.index, -1))
            for pair in narrow.contact_pairs()
            if pair.has_any_active_contact
        ]
        pairs += [
            (owners.get(one.index, -1), owners.get(two.index, -1))
            for one, two, met in narrow.intersection_pairs()
            if met
        ]
        ours = [
            (a, b) for a, b in pairs if 0 <= a < len(self._places) and 0 <= b < len(self._places)
        ]
        places = self._places[np.array(ours, np.intp).reshape(-1, 2)]
        return places[(places >= 0).all(axis=1)]

    def both_still(self, first: Any, second: Any) -> bool:
        """Return False: Rapier lists the contacts of sleeping bodies, too."""
        return False


_STIFF = 1000.0  # how hard a motor holds its speed, as far as its strength allows
