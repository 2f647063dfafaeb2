"""Physics in space, by Rapier: https://rapier.rs."""

from __future__ import annotations

__all__ = ["Physics3D"]

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Rows
from ..geometry.heightfield import Heightfield
from ..geometry.mesh import Mesh
from ..record.snapshots import Captured
from .bodysets import Bodies, material
from .characters import Character
from .engines import engine
from .joints3d import Joining3D
from .queries3d import Asking3D
from .shapes3d import checked_solid, make_solid, triangles
from .simulation import Wall, poses_of
from .vehicles import Vehicle


class RapierWorld(Captured):
    """Rapier's world, which a snapshot holds as Rapier's own bytes: it goes on bit for bit as it
    would have.
    """

    not_state = ("native",)
    not_hashed = ("rapier",)

    def __init__(self, rapier: Any) -> None:
        self.rapier = rapier
        self.native: Any = rapier.PhysicsWorld()
        self.native.set_num_threads(1)

    def captured(self) -> Any:
        """All there is, as Rapier writes it."""
        return self.native.snapshot()

    def put_back(self, state: Any) -> None:
        """A world that is as that was; handles of bodies stay what they are."""
        self.native = self.rapier.PhysicsWorld.restore(state)
        self.native.set_num_threads(1)


class Physics3D(Joining3D, Asking3D):
    """Bodies that fall, bounce, roll, pile up and hang together, in space: units, seconds, radians,
    y up.

    Parameters
    ----------
    scene
        The scene or the game whose ticks it goes along with: it is a system of the phase "physics",
        before `update`. None for one whose `advance` you call yourself.
    gravity
        Units / s².
    rate
        Steps a second of game time, 120, 240: exactly so many, some in each tick, whatever the rate
        of ticks.
    substeps
        Without a rate: steps in each tick.
    group
        The schedule whose time it keeps, for slow motion: ``scene.schedule.group(0.2)``.

    Needs ``pip install 'subtick[physics3d]'``, else it is a `FrameworkError`. The same steps give
    the same bits on a machine, and `Game.snapshot` holds all of it: what is put back goes on bit
    for bit as it did.
    """

    dimensions = 3
    pose = "rotation"
    noun = "a batch of meshes or models, or what has columns position and rotation"
    sizes = (slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13))

    not_hashed = (
        "_active",
        "_anchor",
        "_old",
        "_owners_of",
        "_places",
        "_rapier",
        "carried",
        "changed",
    )

    def __init__(
        self,
        scene: Any = None,
        *,
        gravity: tuple[float, float, float] = (0.0, -9.81, 0.0),
        rate: float | Fraction | None = None,
        substeps: int = 1,
        group: Any = None,
    ) -> None:
        self._rapier: Any = engine("rapier3d", "Physics3D", "physics3d")
        self._holder = RapierWorld(self._rapier)
        self._active: list[Any] = []  # of which poses may have changed since they were read
        self.state: Doubles = np.zeros((0, self.width))
        self._owners_of: dict[
            int, int
        ] = {}  # of colliders, by their indices: the indices of bodies
        self._places: Rows = np.empty(0, np.intp)  # in `state`, by the indices of bodies
        self._anchor: Any = None
        self._old = True  # whether questions need the world to be looked over again
        self.carried: list[Any] = []
        self.vehicles: list[Vehicle] = []
        super().__init__(scene, gravity, rate, substeps, group)

    def __repr__(self) -> str:
        return f"<Physics3D of {len(self.world.rigid_bodies)} bodies>"

    @property
    def world(self) -> Any:
        """Rapier's own, for what there are no words for here. Another one after `Game.restore`:
        fetch it anew.
        """
        return self._holder.native

    # -- bodies ------------------------------------------------------------------------------------

    def add(
        self,
        batch: Any,
        rows: Any = None,
        *,
        shape: str = "box",
        size: tuple[float, float, float] | None = None,
        radius: float | None = None,
        mesh: Mesh | None = None,
        kind: str = "dynamic",
        mass: float | None = None,
        density: float | None = None,
        friction: float = 0.5,
        elasticity: float = 0.0,
        sensor: bool = False,
        fixed_rotation: bool = False,
        fast: bool = False,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Bodies:
        """A body for each row of a batch of meshes or models, those that are added later too; with
        ``rows`` (an instance, indices, a mask, a slice), or with an instance for the batch, for
        these only.

        ``position`` and ``rotation`` of the batch are the bodies' from now on: written by each
        tick, drawn between ticks; what the game writes to them moves the bodies there. Rows that
        are removed lose their bodies.

        ``shape`` is "box", "ball", "capsule", "cylinder" or "cone" (upright), around the batch's
        mesh unless ``size=`` (width, height, depth) or ``radius=`` (of a ball) are given; "hull",
        the convex hull of a mesh; or "mesh", its triangles, for what does not fall. ``mesh=`` is
        another one than the batch's. All of it is scaled as the row is when its body is made.

        ``kind``: "dynamic", "kinematic" (moved by what the game writes, and pushing others) or
        "static". ``mass`` is 1 for each body, or ``density`` that of a cubic unit. What touches
        what is told by `entered` by their ``layer``; they bump into layers that ``hits`` names, all
        unless told, if those bump into theirs too. A ``sensor`` bumps into nothing, and tells. What
        is ``fast`` does not fly through what is thin.
        """
        of = getattr(batch, "batch", batch)
        chosen = checks.choice("kind", kind, ("dynamic", "kinematic", "static"))
        solid = checked_solid(shape, size, radius, mesh, of, chosen == "dynamic")
        stuff = material(
            self.layers,
            kind,
            mass,
            density,
            friction,
            elasticity,
            sensor,
            fixed_rotation,
            layer,
            hits,
        )
        quick = checks.flag("fast", fast)
        return self.add_bodies(batch, rows, (solid, quick), stuff)

    def make(self, bodies: Bodies, rows: Rows) -> list[Any]:
        """The bodies of rows: all of them, or none, and an error."""
        made = [self._builders(bodies, row) for row in rows.tolist()]
        return [self._insert(*builders) for builders in made]

    def _insert(self, body: Any, *colliders: Any) -> Any:
        handle = self.world.add_body(body, list(colliders))
        self._owners_of |= dict.fromkeys(
            (part.index for part in self.world.rigid_bodies[handle].colliders), handle.index
        )
        self._old = True
        return handle

    def _builders(self, bodies: Bodies, row: int) -> tuple[Any, Any]:
        stuff, rapier = bodies.material, self._rapier
        solid, fast = bodies.shape
        table, stride = poses_of(bodies.batch)
        position, rotation, scale = (
            table.column(name).data[row * stride].astype(np.float64)
            for name in ("position", "rotation", "scale")
        )
        collider = make_solid(rapier, solid, scale, row)
        collider = self._dressed(
            collider, stuff.friction, stuff.elasticity, stuff.sensor, stuff.layer, stuff.hits
        )
        if stuff.kind == "dynamic":
            collider = (
                collider.mass(stuff.mass)
                if stuff.density is None
                else collider.density(stuff.density)
            )
        kinds = {"dynamic": "dynamic", "kinematic": "kinematic_velocity_based", "static": "fixed"}
        body = getattr(rapier.RigidBody, kinds[stuff.kind])()
        body = body.position(self.isometry(position, rotation)).ccd_enabled(fast)
        if stuff.fixed_rotation:
            body = body.enabled_rotations((False, False, False))
        return body, collider

    def isometry(self, position: ArrayLike, rotation: ArrayLike) -> Any:
        """Rapier's pose. Rotations of length 0 turn nothing."""
        x, y, z, w = np.asarray(rotation, np.float64).tolist()
        length = (x * x + y * y + z * z + w * w) ** 0.5
        turn = (x / length, y / length, z / length, w / length) if length else (0.0, 0.0, 0.0, 1.0)
        return self._rapier.Isometry3(
            tuple(np.asarray(position).tolist()), self._rapier.Rotation3.from_tuple(turn)
        )

    def _dressed(
        self, collider: Any, friction: float, elasticity: float, sensor: bool, layer: int, hits: int
    ) -> Any:
        rapier = self._rapier
        groups = rapier.InteractionGroups(
            rapier.Group.from_bits(1 << layer), rapier.Group.from_bits(hits)
        )
        collider = (
            collider.friction(friction)
            .restitution(elasticity)
            .sensor(sensor)
            .collision_groups(groups)
        )
        # What does not fall tells, too, that it is in a sensor.
        return (
            collider.active_collision_types(rapier.ActiveCollisionTypes.all())
            if sensor
            else collider
        )

    def native(self, raw: Any) -> Any:
        """Rapier's body, by its handle."""
        return self.world.rigid_bodies[raw]

    def drop(self, bodies: Bodies, places: Rows) -> None:
        """Take out bodies, with the joints that hold them."""
        for place in places.tolist():
            handle = bodies.raw[place]
            for joint in [joint for joint in self.joints if handle in joint.ends]:
                joint.remove()
            self.vehicles = [vehicle for vehicle in self.vehicles if vehicle.chassis != handle]
            self._drop(handle)

    def _drop(self, handle: Any) -> None:
        for part in self.world.rigid_bodies[handle].colliders:
            del self._owners_of[part.index]
        self._active = [body for body in self._active if body != handle]
        self.carried = [body for body in self.carried if body != handle]
        self.world.remove_body(handle)
        self._old = True

    def give(
        self, bodies: Bodies, name: str, places: Rows, values: NDArray[Any], seconds: float
    ) -> None:
        """What the game wrote to a column is so; what is kinematic is carried there within
        ``seconds``.
        """
        kinematic = bodies.material.kind == "kinematic" and seconds > 0
        for place, value in zip(places.tolist(), values.astype(np.float64), strict=True):
            handle = bodies.raw[place]
            body = self.native(handle)
            self._active.append(handle)
            if kinematic and name in ("position", "rotation"):
                self._carry(handle, body, name, value, seconds)
            elif name == "position":
                body.translation = tuple(value.tolist())
            elif name == "rotation":
                body.rotation = self.isometry((0, 0, 0), value).rotation
            else:
                setattr(body, "linvel" if name == "velocity" else "angvel", tuple(value.tolist()))
            if bodies.material.kind == "static":
                self.world.wake_up_all()  # what lay on it
            elif bodies.material.kind == "dynamic":
                body.wake_up()
        self._old = True

    def _carry(self, handle: Any, body: Any, name: str, value: Doubles, seconds: float) -> None:
        self.carried.append(handle)
        if name == "position":
            way = value - body.translation.to_tuple()
            body.linvel = tuple((way / seconds).tolist())
        else:
            turn = self.isometry((0, 0, 0), value).rotation * body.rotation.inverse()
            body.angvel = tuple((np.array(turn.scaled_axis.to_tuple()) / seconds).tolist())

    def rest(self) -> None:
        for handle in self.carried:
            body = self.native(handle)
            body.linvel = body.angvel = (0.0, 0.0, 0.0)
        self.carried.clear()

    def push(self, bodies: Bodies, places: Rows, impulse: Doubles, point: Doubles | None) -> None:
        """Hit bodies, at points of the world or in their middles."""
        for index, place in enumerate(places.tolist()):
            body, hit = self.native(bodies.raw[place]), tuple(impulse[index].tolist())
            self._active.append(bodies.raw[place])
            if point is None:
                body.apply_impulse(hit)
            else:
                body.apply_impulse_at_point(hit, tuple(point[index].tolist()))

    def push_forces(self) -> None:
        """Forces and torques, and wheels."""
        for bodies in self.sets:
            for name, (places, values) in bodies.pushes().items():
                for place, value in zip(places.tolist(), values.tolist(), strict=True):
                    body = self.native(bodies.raw[place])
                    (body.add_force if name == "force" else body.add_torque)(tuple(value))

    def asleep(self, body: Any) -> bool:
        """Whether a body has come to rest."""
        return bool(self.native(body).is_sleeping)

    def wake(self, body: Any) -> None:
        """Have a body move again."""
        self.native(body).wake_up()

    # -- what stands still -------------------------------------------------------------------------

    def solid(
        self,
        ground: Heightfield | Mesh,
        position: ArrayLike = (0.0, 0.0, 0.0),
        *,
        friction: float = 0.5,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """A ground that stands still: a `Heightfield`, or the triangles of a `Mesh` at
        ``position``.
        """
        place = checks.vector("position", position, 3)
        if isinstance(ground, Heightfield):
            mesh = ground.mesh()
        else:
            mesh = checks.instance("ground", ground, Mesh, what="a Heightfield or a Mesh")
        collider = triangles(self._rapier, mesh.positions.astype(np.float64) + place, mesh)
        return self._wall(collider, friction, elasticity, layer, hits, ground)

    def floor(
        self,
        height: float = 0.0,
        *,
        friction: float = 0.5,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """All that is below a height is solid, as far as the world goes."""
        up = (0.0, 1.0, 0.0)
        collider = self._rapier.Collider.halfspace(up).translation(
            (0.0, checks.number("height", height), 0.0)
        )
        return self._wall(collider, friction, elasticity, layer, hits, None)

    def _wall(
        self, collider: Any, friction: Any, elasticity: Any, layer: str, hits: Any, source: Any
    ) -> Wall:
        rub, bounce = (
            checks.number("friction", friction, least=0),
            checks.number("elasticity", elasticity, least=0),
        )
        number, bits = self.layers.number(layer), self.layers.bits("hits", hits)
        raw = self._insert(
            self._rapier.RigidBody.fixed(),
            self._dressed(collider, rub, bounce, False, number, bits),
        )
        return self.new_wall(raw, number, source)

    def drop_wall(self, raw: Any) -> None:
        self._drop(raw)
        self.world.wake_up_all()

    # -- what goes by itself -----------------------------------------------------------------------

    def character(
        self,
        thing: Any,
        *,
        step: float = 0.3,
        slope: float = 0.8,
        snap: float = 0.2,
        gap: float = 0.01,
    ) -> Character:
        """One that walks: up stairs of ``step`` units, up slopes of ``slope`` radians, slides along
        walls.

        ``thing`` is a handle of a row, or (bodies, row), of ``kind="kinematic"``. See
        `Character.move`.
        """
        return Character(self, thing, step, slope, snap, gap)

    def vehicle(
        self, thing: Any, wheels: ArrayLike, *, radius: float = 0.35, **options: Any
    ) -> Vehicle:
        """A car: wheels on springs, that feel for the ground with rays. ``thing`` is a handle of
        the row that is its chassis, or (bodies, row).

        ``wheels`` (n, 3) are where the springs begin, from the chassis' middle; it drives along its
        own +z. Options: ``suspension`` the springs' length, ``stiffness``, ``travel``, ``grip``,
        ``damping``: see `Vehicle`.
        """
        vehicle = Vehicle(self, thing, wheels, radius, **options)
        self.vehicles.append(vehicle)
        return vehicle

    # -- steps -------------------------------------------------------------------------------------

    def put_gravity(self, gravity: tuple[float, ...]) -> None:
        self.world.gravity = gravity
        self.world.wake_up_all()

    def step_once(self, seconds: float) -> None:
        world = self.world
        for vehicle in self.vehicles:
            vehicle.roll(seconds)
        if world.integration_parameters.dt != np.float32(seconds):
            world.integration_parameters.dt = seconds
        self._active += world.active_bodies()
        world.step()
        for bodies in self.sets:
            for name, (places, _) in bodies.pushes().items():
                for place in places.tolist():
                    body = self.native(bodies.raw[place])
                    (body.reset_forces if name == "force" else body.reset_torques)()
        self._old = True

    def map_order(self, total: int) -> None:
        """Where bodies stand in `state`, by their indices; behind the last one, walls. All of them
        are read anew.
        """
        raw = [body for bodies in self.sets for body in bodies.raw]
        indices = [body.index for body in raw] + [wall.raw.index for wall in self.walls]
        self._places = np.full(max(indices, default=0) + 1, -1, np.intp)
        self._places[indices] = np.arange(len(indices))
        self._active = raw
        self.state = np.zeros((total, self.width))

    def read_states(self) -> Doubles:
        """Those bodies that may have moved, one by one."""
        bodies, state, places = self.world.rigid_bodies, self.state, self._places
        moving, total = self.moving, len(self.state)
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
        return state if moving or not self.looking else self._with_velocities(state)

    def _with_velocities(self, state: Doubles) -> Doubles:
        """The states with velocities, for somebody who only looks at these: they are no part of
        `state`.
        """
        state, begin = state.copy(), self.width // 2 + 1
        raw = [body for bodies in self.sets for body in bodies.raw]
        for place, handle in enumerate(raw):
            body = self.world.rigid_bodies[handle]
            state[place, begin:] = body.linvel.to_tuple() + body.angvel.to_tuple()
        return state

    def read_velocities(self) -> None:
        self._active = [body for bodies in self.sets for body in bodies.raw]
        super().read_velocities()

    def touching(self) -> Rows:
        """Pairs of contacts, and of what is in sensors."""
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
        """Rapier tells of those that sleep, too."""
        return False
