"""Run `Physics2D` with the library Rapier (https://rapier.rs).

Rapier itself simulates 3D bodies. Here, all bodies have a z coordinate of 0, and turn only about
the z axis. Movement along z is not locked, because Rapier computes the wrong friction if an axis is
locked. Because rounding errors change the z coordinates, the engine sets them back to 0 after each
tick.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Rows
from ..geometry import exact, tileedges
from ..geometry.strokes import stroke
from ..geometry.tilegrid import Tiles
from ..state.columns import Table, Tabular
from ..state.rows import table_of
from .body_materials import BodyMaterial
from .engines import rapier3d
from .moving_walls import corners
from .physics_layers import Search
from .plane_engine import JointNumbers, Outline, PlaneHit
from .rapier_bytes import numbers_of
from .rapier_engine import RapierBase, body_builder
from .rapier_joints2d import drive_motor, joint_builder, joint_impulse, joint_outline
from .rapier_oneway import OneWayTiles
from .rapier_queries import (
    CastHit,
    Piece,
    first_hit,
    first_ray_hit,
    overlapping,
    query_pieces,
    vector_of,
    way_out,
)
from .rapier_shapes2d import (
    HIDDEN,
    LINE,
    Mass,
    block,
    collider_of,
    encloses,
    half_thickness,
    mass_of,
    outline_of,
    prism,
    sheet,
    with_mass,
)
from .row_images import look_of, pieces_of
from .shapes2d import PlaneShape, ShapeSpec, make_shapes

if TYPE_CHECKING:
    from .rapier_engine import Body

    Parts = list[rapier3d.ColliderBuilder]

PlaneSpec = tuple[ShapeSpec, bool | None]
"""The options of `Physics2D.add` for the shape, and the option ``fast``."""

_INSET = 0.1
"""The distance between the sides of a wall and the solid blocks inside the wall, in tiles."""

# The numbers of a body's velocity and angular velocity that are used in 2D.
_PLANE_SPEEDS = [0, 1, 5]
_DRIFT = 1e-4  # meters; a body that is further from the 2D plane is moved back

# Speed limits in meters and radians per second. A body below both limits falls asleep. Without
# gravity, bodies drift for a long time, so the limits are lower.
_SLOW = (0.05, 0.1)
_SLOW_WITHOUT_GRAVITY = (0.002, 0.005)

# Meters per second; the default of Rapier (400) is too low for games with pixels as units.
_MAX_SPEED = 1e6


class RapierPlaneEngine(RapierBase):
    """The implementation of `PlaneEngine` that calls Rapier."""

    name: ClassVar[str] = "rapier"
    user: ClassVar[str] = "Physics2D"
    dimensions: ClassVar[int] = 2
    pose: ClassVar[str] = "angle"
    noun: ClassVar[str] = "a batch of sprites, or a table with columns position and angle"
    state_size: ClassVar[int] = 6  # columns for position, angle, velocity and angular velocity
    pose_size: ClassVar[int] = 3
    sizes: ClassVar[tuple[slice | int, ...]] = (slice(0, 2), 2, slice(3, 5), 5)

    _not_hashed = (
        "_angles",
        "_bytes",
        "_new_shapes",
        "_rotations",
        "_wall_indices",
    )

    def __init__(self, iterations: int, sleep_after: float | None, meter: float) -> None:
        """``meter`` is the length of one meter in units of the game. ``sleep_after`` is the time in
        seconds after which a body that is not moving falls asleep.
        """
        super().__init__()
        self._sleep_after = sleep_after
        self._meter = meter
        self._has_gravity = False
        # For each body, by the index of the body: the last angle, and the rotation at that time as
        # the sine and the cosine of half the angle. These values are needed because Rapier does not
        # count whole turns.
        self._angles: Doubles = np.empty(0)
        self._rotations: Doubles = np.empty((0, 2))
        self._wall_indices: set[int] = set()
        # The shapes that `_builders` has computed for each row, until `make` has used them.
        self._new_shapes: dict[int, list[PlaneShape]] = {}
        self._one_way = OneWayTiles(meter)
        self._contacts.platforms = self._one_way
        parameters = self.world.integration_parameters
        parameters.length_unit = meter
        parameters.num_solver_iterations = iterations
        parameters.normalized_max_linear_velocity = _MAX_SPEED

    # -- bodies ------------------------------------------------------------------------------------

    def _builders(
        self, batch: Tabular[Table], shape: PlaneSpec, material: BodyMaterial, row: int
    ) -> tuple[rapier3d.RigidBodyBuilder, *tuple[rapier3d.ColliderBuilder, ...]]:
        spec, fast = shape
        shapes = make_shapes(spec, look_of(batch, row), row, pieces_of(batch))
        self._new_shapes[row] = shapes
        table = table_of(batch)
        x, y = table.column("position").data[row].tolist()
        rotation = _rotation(float(table.column("angle").data[row]))
        body = body_builder(material.kind).position(rapier3d.Isometry3((x, y, 0.0), rotation))
        body = body.enabled_rotations((False, False, not material.fixed_rotation))
        body = body.allow_fast_rotation(True).can_sleep(self._sleep_after is not None)
        body = body.ccd_enabled(bool(fast))
        return body, *self._parts(shapes, material)

    def _parts(self, shapes: list[PlaneShape], material: BodyMaterial) -> Parts:
        """Return one Rapier builder for each shape of a body."""
        density = material.density
        if density is None:
            area = sum(mass_of(shape, 1.0).mass for shape in shapes)
            density = (material.mass or 1.0) / area
        parts = []
        for shape in shapes:
            collider = self._with_material(collider_of(shape, self._meter), material)
            if material.kind == "dynamic":
                collider = with_mass(collider, shape, mass_of(shape, density))
            elif material.kind == "kinematic":
                # A kinematic body turns about its position and not about its center of mass.
                collider = with_mass(collider, shape, Mass(1.0, (0.0, 0.0), 1.0))
                # The collider must report contacts with static and kinematic bodies, too.
                every_type = rapier3d.ActiveCollisionTypes.all()
                collider = collider.active_collision_types(every_type)
            parts.append(collider)
        return parts

    def _with_material(
        self, collider: rapier3d.ColliderBuilder, material: BodyMaterial
    ) -> rapier3d.ColliderBuilder:
        multiply = rapier3d.CoefficientCombineRule.MULTIPLY
        collider = super()._with_material(collider, material)
        return collider.friction_combine_rule(multiply).restitution_combine_rule(multiply)

    def make(
        self, batch: Tabular[Table], shape: PlaneSpec, material: BodyMaterial, rows: Rows
    ) -> list[Body]:
        """Create a body for each row in ``rows``.

        If no valid shape can be created for a row, the engine creates no bodies. The error message
        contains the index of the row.
        """
        try:
            bodies = super().make(batch, shape, material, rows)
            new_shapes = self._new_shapes
        finally:
            self._new_shapes = {}
        is_dynamic = material.kind == "dynamic"
        is_moving_wall = material.kind == "kinematic" and not material.sensor
        angles: list[float] = table_of(batch).column("angle").data[rows].astype(float).tolist()
        for handle, row, angle in zip(bodies, rows.tolist(), angles, strict=True):
            reach = np.inf
            if is_dynamic or is_moving_wall:
                shapes = new_shapes[row]
                if is_dynamic:
                    reach = min(map(half_thickness, shapes))
                else:
                    self._moving_walls.add(handle.index, map(corners, shapes))
            self._fast.add(handle.index, reach, is_dynamic and shape[1] is None)
            self._note_angle(handle, angle)
            self._set_sleep(handle)
        return bodies

    def _drop(self, handle: Body) -> None:
        self._wall_indices.discard(handle.index)
        self._one_way.forget(part.index for part in self.native(handle).colliders)
        super()._drop(handle)

    def _set_sleep(self, handle: Body) -> None:
        if self._sleep_after is None:
            return
        body = self.native(handle)
        activation = body.activation
        activation.time_until_sleep = self._sleep_after
        slow = _SLOW if self._has_gravity else _SLOW_WITHOUT_GRAVITY
        activation.linear_threshold, activation.angular_threshold = slow
        body.activation = activation

    def _allow_sleep(self, handle: Body, allowed: bool) -> None:
        """Set whether a body may fall asleep when it is not moving."""
        super()._allow_sleep(handle, allowed)
        if allowed:
            self._set_sleep(handle)

    def _note_angle(self, handle: Body, angle: float) -> None:
        """Store an angle that the game has set, so that `read_states` returns exactly this angle,
        without rounding errors.
        """
        index = handle.index
        if index >= len(self._angles):
            growth = max(index + 1, 2 * len(self._angles), 16) - len(self._angles)
            self._angles = np.concatenate([self._angles, np.zeros(growth)])
            self._rotations = np.concatenate([self._rotations, np.zeros((growth, 2))])
        self._angles[index] = angle
        self._rotations[index] = numbers_of(self.native(handle))[2:4]

    def set_attribute(
        self, bodies: list[Body], kind: str, name: str, values: NDArray[Any], seconds: float
    ) -> None:
        """Set an attribute of ``bodies``: "position", "angle", "velocity" or "angular_velocity".

        If ``seconds`` is above 0, kinematic bodies reach the new position or angle after this time.
        """
        carries = kind == "kinematic" and seconds > 0 and name in ("position", "angle")
        for handle, value in zip(bodies, values.astype(np.float64).tolist(), strict=True):
            body = self.native(handle)
            self._active.append(handle)
            if carries:
                self._carry(handle, body, name, value, seconds)
            elif name in ("position", "angle"):
                self._place(handle, name, value)
                if name == "position":
                    self._placed[handle.index] = value
            elif name == "velocity":
                body.linvel = rapier3d.Vec3(value[0], value[1], 0.0)
                self._fast.start(body, handle.index, self.world.integration_parameters.dt)
            else:
                body.angvel = rapier3d.Vec3(0.0, 0.0, value)
            if kind == "static":
                self.world.wake_up_all()  # wakes the bodies on top of the static body
            elif kind == "dynamic":
                body.wake_up()
        self._old = True

    def _carry(
        self, handle: Body, body: rapier3d.RigidBody, name: str, value: Any, seconds: float
    ) -> None:
        self._carried.append(handle)
        self._sent.add(handle.index)
        self._targets.append((handle, name, value))
        if name == "position":
            x, y, _ = body.translation.to_tuple()
            velocity_x = (value[0] - x) / seconds
            velocity_y = (value[1] - y) / seconds
            body.linvel = rapier3d.Vec3(velocity_x, velocity_y, 0.0)
        else:
            turn = value - float(self._angles[handle.index])
            body.angvel = rapier3d.Vec3(0.0, 0.0, turn / seconds)

    def _place(self, handle: Body, name: str, value: Any) -> None:
        body = self.native(handle)
        if name == "position":
            body.translation = rapier3d.Vec3(value[0], value[1], 0.0)
        else:
            body.rotation = _rotation(value)
            self._note_angle(handle, value)

    def push(self, bodies: list[Body], impulses: Doubles, points: Doubles | None) -> None:
        """Apply an impulse to each body in ``bodies``, at a point in the world.

        If ``points`` is None, the impulses act at the centers of mass.
        """
        for index, handle in enumerate(bodies):
            body = self.native(handle)
            impulse = (*impulses[index].tolist(), 0.0)
            self._active.append(handle)
            if points is None:
                body.apply_impulse(impulse)
            else:
                body.apply_impulse_at_point(impulse, (*points[index].tolist(), 0.0))
            self._fast.start(body, handle.index, self.world.integration_parameters.dt)

    def push_forces(self, name: str, bodies: list[Body], values: Doubles) -> None:
        """Apply a force or a torque to each body during the next physics step."""
        for handle, value in zip(bodies, values.tolist(), strict=True):
            body = self.native(handle)
            if name == "force":
                body.add_force((*value, 0.0))
            else:
                body.add_torque((0.0, 0.0, value))
            self._pushed.append((name, handle))

    # -- walls and joints --------------------------------------------------------------------------

    def tile_shape(self, tiles: Tiles) -> Parts:
        """Create the shape of a wall of solid tiles: the outer sides of the whole area, and solid
        blocks inside the area.

        Bodies touch only the outer sides, so a sliding body does not get stuck at the border
        between two tiles. The solid blocks push out bodies that the game has moved into the area.
        """
        sides = tileedges.outline(tiles)
        inset = _INSET * min(tiles.tile_size)
        boxes = tileedges.rectangles(tiles) + (inset, inset, -inset, -inset)
        rectangles: list[tuple[float, float, float, float]] = boxes.tolist()
        parts = [block(box, self._meter).user_data(HIDDEN) for box in rectangles]
        parts += [
            prism(core, self._meter).user_data(HIDDEN)
            for core in tileedges.cores(tiles, sides, inset)
        ]
        if len(sides):
            parts.append(sheet(sides, self._meter))
        return parts + self._one_way.builders(tiles)

    def line_shape(self, path: Doubles, radius: float) -> Parts:
        """Create the shape of a wall that follows a thick line. The shape consists of the sides of
        the line. ``path`` is an array of points with the shape (k, 2).

        If two consecutive points of the path are equal, there is no segment between them.
        """
        thinnest = self.world.integration_parameters.allowed_linear_error()
        differs = np.concatenate([[True], (path[1:] != path[:-1]).any(axis=1)])
        points = path[differs]
        half = max(radius, thinnest)
        return [sheet(stroke(points, half), self._meter).user_data(LINE)]

    def solid_shape(self, shapes: list[PlaneShape]) -> Parts:
        """Combine all ``shapes``, which are in world coordinates, into one shape for a wall."""
        return [collider_of(shape, self._meter) for shape in shapes]

    def new_wall(self, shape: Parts, material: BodyMaterial) -> Body:
        """Create a wall from the Rapier builders ``shape``. `tile_shape`, `line_shape` and
        `solid_shape` return builders for walls.
        """
        parts = [self._with_material(part, material) for part in shape]
        wall = self._insert(rapier3d.RigidBody.fixed(), *parts)
        self._wall_indices.add(wall.index)
        self._one_way.add(self.world, wall)
        return wall

    def drop_through(self, body: Body) -> None:
        """Let a body fall through the one-way tiles on which it is standing."""
        if self._one_way.let_fall(part.index for part in self.native(body).colliders):
            self.wake(body)

    def new_joint(
        self,
        kind: str,
        ends: tuple[Body, Body],
        numbers: JointNumbers,
        strength: float | None,
        bump: bool,
    ) -> rapier3d.ImpulseJointHandle:
        """Create a joint of the kind ``kind``, and wake the two bodies that it connects.

        Raises `FrameworkError` if Rapier does not have this kind of joint.
        """
        first, second = (self.native(body) for body in ends)
        builder = joint_builder(kind, first, second, numbers, strength)
        return self.insert_joint(ends, builder, bump)

    def drive_motor(self, joint: rapier3d.ImpulseJointHandle, speed: float) -> None:
        """Set the speed of a motor, in radians / s. Positive speeds are counter-clockwise."""
        drive_motor(self.world.impulse_joints[joint].data, speed)

    def joint_load(self, kind: str, joint: rapier3d.ImpulseJointHandle) -> float:
        """Return the force in a joint during the last physics step. For a joint that turns bodies,
        return the torque. ``kind`` is the kind of joint.
        """
        native = self.world.impulse_joints.get(joint)
        return 0.0 if native is None else joint_impulse(kind, native) / self.small_step()

    def reinsert_joint(self, joint: rapier3d.ImpulseJointHandle) -> rapier3d.ImpulseJointHandle:
        """Replace ``joint`` with an equal joint at the end of the list of joints, and return the
        new joint.

        The order of joints matters: if two joints contradict each other, Rapier gives priority to
        the older joint.
        """
        joints = self.world.impulse_joints
        ends = joints.bodies_connected_by_joint(joint)
        copy = rapier3d.GenericJoint.from_bytes(joints[joint].data.to_bytes())
        joints.remove(joint)
        return joints.insert(*ends, copy)

    # -- queries -----------------------------------------------------------------------------------

    def cast(
        self, starts: Doubles, displacements: Doubles, radius: float, search: Search
    ) -> list[PlaneHit | None]:
        """Return a list with the first hit of each ray. If a ray hits nothing, its item is None.

        A ray does not hit a shape that contains the start of the ray.
        """
        queries = self.queries()
        hits: list[PlaneHit | None] = []
        rays = zip(starts.tolist(), displacements.tolist(), strict=True)
        for (x, y), (ahead_x, ahead_y) in rays:
            hit = None
            if ahead_x or ahead_y:
                origin = (x, y, 0.0)
                ahead = (ahead_x, ahead_y, 0.0)
                hit = self._first_hit(queries, origin, ahead, radius, search)
            hits.append(hit)
        return hits

    def _first_hit(
        self,
        queries: rapier3d.QueryPipeline,
        origin: tuple[float, float, float],
        ahead: tuple[float, float, float],
        radius: float,
        search: Search,
    ) -> PlaneHit | None:
        # Skip the shapes that contain the start of the ray. pymunk would find them.
        around: set[int] = set()
        every = self.query_filter(search)
        self._collect(queries, origin, max(radius, 0.0), every, around)
        outside = self.query_filter(search, around) if around else every
        ball = rapier3d.SharedShape.ball(radius) if radius else None
        hit = first_ray_hit(queries, origin, ahead, ball, outside)
        if hit is None:
            return None
        return PlaneHit(self.owner_of(hit.collider), hit.fraction, hit.point[:2], hit.normal[:2])

    def _collect(
        self,
        queries: rapier3d.QueryPipeline,
        point: tuple[float, float, float],
        radius: float,
        chosen: rapier3d.QueryFilter,
        indices: set[int],
    ) -> None:
        """Find the colliders that are at most ``radius`` units away from ``point``, and add their
        indices to the set ``indices``.
        """

        def add(handle: rapier3d.ColliderHandle) -> bool:
            indices.add(handle.index)
            return True

        if radius:
            pose = rapier3d.Isometry3(point, rapier3d.Rotation3.identity())
            queries.intersect_shape(pose, rapier3d.SharedShape.ball(radius), add, chosen)
        else:
            queries.intersect_point(point, add, chosen)
        indices |= {line.index for line in self._lines_around(queries, point, chosen)}

    def _lines_around(
        self,
        queries: rapier3d.QueryPipeline,
        point: tuple[float, float, float],
        chosen: rapier3d.QueryFilter,
    ) -> list[rapier3d.ColliderHandle]:
        """Return the thick lines (walls) that contain ``point``. Rapier's queries do not find thick
        lines around a point, because the inside of a line is hollow.
        """
        pose = rapier3d.Isometry3(point, rapier3d.Rotation3.identity())
        box = rapier3d.SharedShape.ball(1e-6).compute_aabb(pose)
        colliders = self.world.colliders
        lines: list[rapier3d.ColliderHandle] = []

        def add_line(handle: rapier3d.ColliderHandle) -> bool:
            collider = colliders[handle]
            if collider.user_data == LINE and encloses(collider, point[:2]):
                lines.append(handle)
            return True

        queries.intersect_aabb_conservative(box, add_line, chosen)
        return lines

    def bodies_at(self, point: tuple[float, float], radius: float, search: Search) -> set[Hashable]:
        """Return the keys of the bodies that are at most ``radius`` units away from ``point``."""
        colliders: set[int] = set()
        self._collect(self.queries(), (*point, 0.0), radius, self.query_filter(search), colliders)
        return self._owners(colliders)

    def bodies_in(
        self, low: tuple[float, float], high: tuple[float, float], search: Search
    ) -> set[Hashable]:
        """Return the keys of the bodies whose bounds overlap the rectangle from ``low`` to
        ``high``.

        A wall is found only if one of its shapes overlaps the rectangle.
        """
        chosen = self.query_filter(search)
        width = high[0] - low[0]
        height = high[1] - low[1]
        box = rapier3d.SharedShape.cuboid(max(width / 2, 1e-6), max(height / 2, 1e-6), self._meter)
        center = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, 0.0)
        pose = rapier3d.Isometry3(center, rapier3d.Rotation3.identity())
        queries = self.queries()
        exact_hits: set[int] = set()
        in_bounds: set[int] = set()
        colliders = self.world.colliders

        def add(handle: rapier3d.ColliderHandle) -> bool:
            exact_hits.add(handle.index)
            return True

        def add_bounds(handle: rapier3d.ColliderHandle) -> bool:
            is_wall = self.owner_of(handle) in self._wall_indices
            if not is_wall and _bounds_overlap(colliders[handle], low, high):
                in_bounds.add(handle.index)
            return True

        queries.intersect_shape(pose, box, add, chosen)
        queries.intersect_aabb_conservative(box.compute_aabb(pose), add_bounds, chosen)
        return self._owners(exact_hits | in_bounds)

    def bodies_overlapping(
        self, shapes: list[PlaneShape], position: tuple[float, float], angle: float, search: Search
    ) -> set[Hashable]:
        """Return the keys of the bodies that overlap at least one of ``shapes``."""
        queries = self.queries()
        chosen = self.query_filter(search)
        pieces = query_pieces(collider_of(shape, self._meter) for shape in shapes)
        pose = rapier3d.Isometry3((*position, 0.0), _rotation(angle))
        colliders = overlapping(queries, pieces, pose, chosen)
        within = self._lines_around(queries, _point_within(shapes[0], pose), chosen)
        return self._owners(handle.index for handle in (*colliders, *within))

    def cast_shape(
        self,
        shapes: list[PlaneShape],
        starts: Doubles,
        displacements: Doubles,
        angle: float,
        search: Search,
    ) -> list[PlaneHit | None]:
        """Move a shape from several starting points, each with its own displacement. Return the
        first hit of each moving shape, or None if it hits nothing.
        """
        queries = self.queries()
        pieces = query_pieces(collider_of(shape, self._meter) for shape in shapes)
        rotation = _rotation(angle)
        hits: list[PlaneHit | None] = []
        for start, displacement in zip(starts, displacements, strict=True):
            pose = rapier3d.Isometry3(vector_of(start), rotation)
            ahead = vector_of(displacement)
            within = _point_within(shapes[0], pose)
            hit = self._first_shape_hit(queries, pieces, pose, within, ahead, search)
            length = float(np.hypot(*displacement))
            hits.append(
                hit
                and PlaneHit(
                    self.owner_of(hit.collider),
                    hit.distance / length,
                    hit.point[:2],
                    hit.normal[:2],
                )
            )
        return hits

    def _first_shape_hit(
        self,
        queries: rapier3d.QueryPipeline,
        pieces: list[Piece],
        pose: rapier3d.Isometry3,
        point: tuple[float, float, float],
        ahead: tuple[float, float, float],
        search: Search,
    ) -> CastHit | None:
        """Return the first hit of a moving shape. ``point`` is any point inside the moving
        shape.
        """
        chosen = self.query_filter(search)
        left: set[int] = set()
        for line in self._lines_around(queries, point, chosen) if any(ahead) else ():
            surface = way_out(queries, point, _only(line))
            if surface is not None:
                nearest, normal = surface
                if normal[0] * ahead[0] + normal[1] * ahead[1] < 0:
                    return CastHit(line, 0.0, nearest, normal)
            left.add(line.index)
        if left:
            chosen = self.query_filter(search, left)
        return first_hit(queries, pieces, pose, ahead, chosen)

    def _owners(self, colliders: Iterable[int]) -> set[Hashable]:
        return {self._owners_of[index] for index in colliders if index in self._owners_of}

    def outlines(self) -> list[Outline]:
        """Return the outlines of all shapes and joints, for debug drawing."""
        world = self.world
        lines = []
        for _, collider in world.colliders:
            if collider.parent is not None:
                body = world.rigid_bodies[collider.parent]
                lines.append(outline_of(body, collider))
        return lines + [
            joint_outline(world.rigid_bodies, joint) for _, joint in world.impulse_joints
        ]

    # -- steps -------------------------------------------------------------------------------------

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Set the acceleration of all dynamic bodies, in units / s²."""
        x, y = gravity
        self._has_gravity = bool(x or y)
        self.world.gravity = rapier3d.Vec3(x, y, 0.0)
        self.world.wake_up_all()

    def step_once(self, seconds: float) -> None:
        """Simulate one physics step with a duration of ``seconds``."""
        super().step_once(seconds)
        self._one_way.end_step(self.world)

    def read_states(self, has_velocities: bool, has_transient_velocities: bool) -> Doubles:
        """Return the states of all bodies, as an array with one row per body. Each row includes the
        velocities if one of the two arguments is True.

        To save time, the method reads only bodies that may have moved. If many bodies have moved,
        the method reads all bodies in one call, which is faster and returns exactly the same
        numbers.
        """
        active = self._active
        self._active = []
        # Otherwise all bodies are read, including those that have woken up.
        if not self._are_many(active):
            active = active + self.world.active_bodies()
        before, sent = self._poses_before()
        if active:
            self._read(active, has_velocities)
            self._put_back(before, sent)
        self._steps = 0
        if has_velocities or not has_transient_velocities:
            return self._state
        state = self._state.copy()
        rows, _, _, speeds = self._numbers_by_row(self._bodies, True)
        if speeds is not None:
            state[rows, 3:] = speeds[:, _PLANE_SPEEDS]
        return state

    def _read(self, active: list[Body], has_velocities: bool) -> None:
        rows, indices, poses, speeds = self._numbers_by_row(active, has_velocities)
        state = self._state
        if self._steps:
            x = state[rows, 0] - poses[:, 4]
            y = state[rows, 1] - poses[:, 5]
            lengths = np.sqrt(x * x + y * y) / self._steps
            native = self.world
            self._fast.update(
                native.rigid_bodies,
                self._bodies,
                rows,
                indices,
                lengths,
                native.integration_parameters.dt,
            )
        state[rows, 0] = poses[:, 4]
        state[rows, 1] = poses[:, 5]
        state[rows, 2] = self._turned(indices, poses[:, 2:4].astype(np.float64))
        if speeds is not None:
            state[rows, 3:] = speeds[:, _PLANE_SPEEDS]
        if self._steps:
            self._stay_in_plane(rows, poses[:, 6])

    def _numbers_by_row(
        self, bodies: list[Body], has_velocities: bool
    ) -> tuple[Rows, Rows, NDArray[Any], NDArray[Any] | None]:
        """Return the rows, the indices, the poses and the velocities of bodies.

        The result contains all bodies in ``bodies`` that are in a batch, and possibly more bodies.
        The velocities are None if ``has_velocities`` is False.
        """
        result = self._read_all(has_velocities) if self._are_many(bodies) else None
        if result is None:
            result = self._read_singly(bodies + self.world.active_bodies(), has_velocities)
        indices, poses, speeds = result
        rows = self._rows_at(indices)
        mapped = np.flatnonzero(rows >= 0)
        if len(mapped) < len(indices):
            indices = indices[mapped]
            rows = rows[mapped]
            poses = poses[mapped]
            speeds = None if speeds is None else speeds[mapped]
        return rows, indices, poses, speeds

    def _read_singly(
        self, active: list[Body], has_velocities: bool
    ) -> tuple[Rows, NDArray[Any], NDArray[Any] | None]:
        handles = {body.index: body for body in active}
        bodies = self.world.rigid_bodies
        values = [numbers_of(bodies[handle]) for handle in handles.values()]
        numbers = np.array(values).reshape(len(handles), 13)  # also without bodies
        speeds = numbers[:, 7:] if has_velocities else None
        return np.fromiter(handles, np.intp, len(handles)), numbers[:, :7], speeds

    def _turned(self, indices: Rows, rotations: Doubles) -> Doubles:
        """Return the angles of bodies in radians. The angles include full turns. For example, a
        body that has turned once has an angle of 2 pi, not 0.

        ``rotations`` is an array with the shape (n, 2). Each row of ``rotations`` contains the sine
        and the cosine of half the angle. If a body has not turned, its angle stays exactly the
        same.
        """
        differs = self._rotations[indices] != rotations
        turned = np.flatnonzero(differs[:, 0] | differs[:, 1])
        if len(turned):
            bodies = indices[turned]
            angle = 2 * exact.arctan2(rotations[turned, 0], rotations[turned, 1])
            turns = np.rint((self._angles[bodies] - angle) / (2 * np.pi))
            self._angles[bodies] = angle + 2 * np.pi * turns
            self._rotations[bodies] = rotations[turned]
        return self._angles[indices]

    def _stay_in_plane(self, rows: Rows, heights: NDArray[Any]) -> None:
        """Set the z coordinate of bodies to 0, because rounding errors may have changed it."""
        away = np.flatnonzero(np.abs(heights) > _DRIFT * self._meter)
        for row in rows[away].tolist():
            body = self.native(self._bodies[row])
            x, y, _ = body.translation.to_tuple()
            body.translation = rapier3d.Vec3(x, y, 0.0)
            velocity_x, velocity_y, _ = body.linvel.to_tuple()
            body.linvel = rapier3d.Vec3(velocity_x, velocity_y, 0.0)


def _bounds_overlap(
    collider: rapier3d.Collider, low: tuple[float, float], high: tuple[float, float]
) -> bool:
    """Return whether the bounds of a collider overlap the rectangle from ``low`` to ``high``."""
    bounds = collider.compute_aabb()
    left, bottom, _ = bounds.mins.to_tuple()
    right, top, _ = bounds.maxs.to_tuple()
    return left <= high[0] and right >= low[0] and bottom <= high[1] and top >= low[1]


def _only(line: rapier3d.ColliderHandle) -> rapier3d.QueryFilter:
    return rapier3d.QueryFilter().predicate(lambda handle, _: handle.index == line.index)


def _point_within(shape: PlaneShape, pose: rapier3d.Isometry3) -> tuple[float, float, float]:
    """Return an arbitrary point inside a shape."""
    x, y, _ = pose.transform_point((*mass_of(shape, 1.0).center, 0.0)).to_tuple()
    return x, y, 0.0


def _rotation(angle: float) -> rapier3d.Rotation3:
    sine, cosine = exact.sincos(angle / 2)
    return rapier3d.Rotation3.from_tuple((0.0, 0.0, float(sine), float(cosine)))
