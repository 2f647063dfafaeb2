"""Run `Physics2D` with pymunk.

pymunk (https://www.pymunk.org) is a Python library for 2D physics, which is based on Chipmunk2D.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..geometry import tileedges
from ..geometry.outlines import pieces_of_ring
from ..geometry.tilegrid import Tiles
from ..state.columns import Table, Tabular
from ..state.rows import table_of
from .body_materials import BodyMaterial
from .contacts import Decide, Reading, both
from .engines import ENGINES, load_package, pymunk, use_engine
from .oneway import OneWay
from .physics_layers import Search
from .plane_engine import JointNumbers, Outline, PlaneHit
from .pymunk_contacts import (
    Arbiters,
    PymunkFilters,
    read_arbiters,
    reading_of,
    sleeping_arbiters,
)
from .pymunk_outlines import outlines_of
from .pymunk_queries import (
    circle_hit,
    overlapping,
    plane_hit,
    pymunk_shape,
    radius_of,
    thick_ray_hit,
)
from .row_images import look_of, pieces_of
from .shapes2d import PlaneShape, ShapeSpec, make_shapes

# The boxes behind the tops of one-way tiles are narrower than the tiles. This is the distance to
# the sides, in tiles.
_INSET = 0.1

_SLOT_BITS = np.uint64(6)  # the addresses of two bodies differ by at least 64 bytes
_MAX_SLOTS = 1 << 21

if TYPE_CHECKING:
    Body = pymunk.Body
    Part = pymunk.Body | pymunk.Shape | pymunk.Constraint


class WallShape(NamedTuple):
    """A static body and its shapes, before the engine adds them to the pymunk space."""

    body: Body
    shapes: list[pymunk.Shape]


class Motion(NamedTuple):
    """The position, angle and velocities of a body in a snapshot."""

    body: Body
    position: tuple[float, float]
    angle: float
    velocity: tuple[float, float]
    angular_velocity: float


class PymunkEngine:
    """The implementation of `PlaneEngine` that calls pymunk.

    Bodies and walls are `pymunk.Body` objects, and joints are `pymunk.Constraint` objects.
    """

    name: ClassVar[str] = "pymunk"
    dimensions: ClassVar[int] = 2
    pose: ClassVar[str] = "angle"
    noun: ClassVar[str] = "a batch of sprites, or a table with columns position and angle"
    sizes: ClassVar[tuple[slice | int, ...]] = (slice(0, 2), 2, slice(3, 5), 5)

    _not_hashed = (
        "_buffer",
        "_carried",
        "_ids",
        "_ids_by_row",
        "_known",
        "_mapped",
        "_noted",
        "_now",
        "_one_way",
        "_order",
        "_places",
        "_row_table",
        "_total",
        "space",
    )

    def __init__(self, iterations: int, sleep_after: float | None) -> None:
        """``sleep_after`` is the time in seconds after which a body that is not moving falls
        asleep.

        If ``sleep_after`` is None, bodies never sleep.
        """
        use_engine("pymunk", ENGINES["pymunk"][0])
        load_package("pymunk.batch", *ENGINES["pymunk"])
        self.space = pymunk.Space()
        self.space.iterations = iterations
        if sleep_after is not None:
            self.space.sleep_time_threshold = sleep_after
        # pymunk keeps contacts for one step only, so its list contains exactly the bodies that are
        # touching now.
        self.space.collision_persistence = 1
        self._buffer = pymunk.batch.Buffer()
        # The ids in the order in which pymunk returns bodies.
        self._ids: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._ids_by_row: NDArray[np.uint64] = self._ids
        self._order: Rows | slice = slice(0, 0)
        # The ids of mapped bodies and walls, in ascending order.
        self._known: NDArray[np.uint64] = self._ids
        # The row of each mapped body in `read_states`, or -1 for a wall.
        self._places: Rows = np.empty(0, np.intp)
        # The number of mapped bodies.
        self._total = 0
        # The row of each id; empty if the ids are too far from each other.
        self._row_table: Rows = self._places
        self._carried: list[Body] = []
        self._one_way = OneWay(self.space)
        self._filters = PymunkFilters(self.space, self._rows_of_ids)
        # Bodies and walls, in the order of `map_order`.
        self._mapped: list[Body] = []
        # The touching pairs after the last step, or None if they have not been read.
        self._now: Rows | None = None
        self._noted: list[Rows] = []  # the touching pairs after each step of this tick

    # -- bodies ------------------------------------------------------------------------------------

    def make(
        self,
        batch: Tabular[Table],
        shape: tuple[ShapeSpec, bool | None],
        material: BodyMaterial,
        rows: Rows,
    ) -> list[Body]:
        """Create a body for each row in ``rows``.

        If no valid shape can be created for a row, the engine creates no bodies. The error message
        contains the index of the row.
        """
        indices: list[int] = rows.tolist()
        bodies = [self._new_body(batch, shape[0], material, row) for row in indices]
        for body in bodies:
            self.space.add(body, *body.shapes)
        return bodies

    def _new_body(
        self, batch: Tabular[Table], spec: ShapeSpec, material: BodyMaterial, row: int
    ) -> Body:
        kinds = {
            "dynamic": pymunk.Body.DYNAMIC,
            "kinematic": pymunk.Body.KINEMATIC,
            "static": pymunk.Body.STATIC,
        }
        body = pymunk.Body(body_type=kinds[material.kind])
        table = table_of(batch)
        body.position = tuple(table.column("position").data[row].tolist())
        body.angle = float(table.column("angle").data[row])
        plane_shapes = make_shapes(spec, look_of(batch, row), row, pieces_of(batch))
        shapes = [pymunk_shape(body, shape) for shape in plane_shapes]
        for shape in shapes:
            self._set_material(shape, material)
        if material.kind == "dynamic":
            _set_mass(body, shapes, material)
        return body

    def _set_material(self, shape: pymunk.Shape, material: BodyMaterial) -> None:
        shape.friction = material.friction
        shape.elasticity = material.elasticity
        shape.sensor = material.sensor
        shape.filter = pymunk.ShapeFilter(0, 1 << material.layer, material.hits)
        self._filters.set_type(shape)

    def remove_body(self, body: Body) -> None:
        """Remove a body from the pymunk space.

        The caller must remove the joints of the body first.
        """
        self.space.remove(body, *body.shapes)
        self._now = None
        self._one_way.forget(body.shapes)
        self._filters.forget(body.shapes)

    def set_attribute(
        self, bodies: list[Body], kind: str, name: str, values: NDArray[Any], seconds: float
    ) -> None:
        """Set an attribute of ``bodies``: "position", "angle", "velocity" or "angular_velocity".

        If ``seconds`` is above 0, kinematic bodies reach the new position or angle after this time.
        """
        is_pose = name in ("position", "angle")
        if kind == "kinematic" and is_pose and seconds > 0:
            for body, value in zip(bodies, values.tolist(), strict=True):
                self._carry(body, name, value, seconds)
            return
        for body, value in zip(bodies, values.tolist(), strict=True):
            if is_pose:
                self._wake_around(body)  # also wakes bodies on top of the body
            setattr(body, name, tuple(value) if isinstance(value, list) else value)
            if is_pose:
                self.space.reindex_shapes_for_body(body)
                self._wake_around(body)

    def _carry(self, body: Body, name: str, value: Any, seconds: float) -> None:
        self._carried.append(body)
        if name == "position":
            body.velocity = (pymunk.Vec2d(*value) - body.position) / seconds
        else:
            body.angular_velocity = (value - body.angle) / seconds

    def _wake_around(self, body: Body) -> None:
        for shape in body.shapes:
            left, bottom, right, top = shape.bb
            margin = self.space.collision_slop
            box = pymunk.BB(left - margin, bottom - margin, right + margin, top + margin)
            for neighbor in self.space.bb_query(box, pymunk.ShapeFilter()):
                if neighbor.body is not None:
                    self.wake(neighbor.body)

    def set_trait(self, bodies: list[pymunk.Body], name: str, values: NDArray[Any]) -> None:
        """Raise `ValueError`, because bodies in pymunk have no traits."""
        raise ValueError(f"{name}: the bodies of pymunk have no {name} of their own")

    def push(self, bodies: list[Body], impulses: Doubles, points: Doubles | None) -> None:
        """Apply an impulse to each body in ``bodies``, at a point in the world.

        If ``points`` is None, the impulses act at the centers of mass.
        """
        for index, body in enumerate(bodies):
            point = (
                body.local_to_world(body.center_of_gravity)
                if points is None
                else tuple(points[index].tolist())
            )
            body.apply_impulse_at_world_point(tuple(impulses[index].tolist()), point)

    def push_forces(self, name: str, bodies: list[Body], values: Doubles) -> None:
        """Apply a force or a torque to each body during the next physics step."""
        for body, value in zip(bodies, values.tolist(), strict=True):
            if name == "force":
                center = body.local_to_world(body.center_of_gravity)
                body.apply_force_at_world_point(tuple(value), center)
            else:
                body.torque += value

    def asleep(self, body: Body) -> bool:
        """Return whether a body is sleeping. pymunk does not simulate sleeping bodies."""
        return body.is_sleeping

    def wake(self, body: Body) -> None:
        """Wake a dynamic body, so that pymunk simulates it again.

        `wake` does nothing for kinematic and static bodies.
        """
        if body.body_type == pymunk.Body.DYNAMIC:
            body.activate()

    def native(self, body: Body) -> Body:
        """Return ``body``, which is pymunk's own object."""
        return body

    # -- walls and joints --------------------------------------------------------------------------

    def tile_shape(self, tiles: Tiles) -> WallShape:
        """Create the shape of a wall of solid tiles. Instead of one box for each tile, the shape
        consists of a few large boxes.

        The boxes have no lines along their sides, because a line could keep a fast body inside the
        wall.
        """
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        rectangles: list[tuple[float, float, float, float]] = tileedges.rectangles(tiles).tolist()
        shapes: list[pymunk.Shape] = [
            pymunk.Poly(body, [(left, bottom), (right, bottom), (right, top), (left, top)])
            for left, bottom, right, top in rectangles
        ]
        shapes += [pymunk.Poly(body, ramp.tolist()) for ramp in tileedges.ramps(tiles)]
        shapes += [
            pymunk.Poly(body, piece.tolist())
            for shape in tileedges.merged_shapes(tiles)
            for piece in pieces_of_ring(shape)
        ]
        inset = _INSET * min(tiles.tile_size)
        shapes += self._one_way.shapes(body, tiles, inset)
        return WallShape(body, shapes)

    def line_shape(self, path: Doubles, radius: float) -> WallShape:
        """Create the shape of a wall that follows a path. The shape consists of pymunk segments.
        ``path`` has the shape (k, 2).

        If two consecutive points of the path are equal, there is no segment between them.
        """
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        corners: list[tuple[float, float]] = [(x, y) for x, y in path.tolist()]
        return WallShape(
            body,
            [
                pymunk.Segment(body, start, end, radius)
                for start, end in pairwise(corners)
                if start != end
            ],
        )

    def solid_shape(self, shapes: list[PlaneShape]) -> WallShape:
        """Combine all ``shapes``, which are in world coordinates, into one shape for a wall."""
        body = pymunk.Body(body_type=pymunk.Body.STATIC)
        return WallShape(body, [pymunk_shape(body, shape) for shape in shapes])

    def new_wall(self, shape: WallShape, material: BodyMaterial) -> Body:
        """Create a wall from a shape that `tile_shape`, `line_shape` or `solid_shape` returned."""
        for part in shape.shapes:
            self._set_material(part, material)
        self.space.add(shape.body, *shape.shapes)
        return shape.body

    def remove_wall(self, wall: Body) -> None:
        """Remove a wall, and wake the bodies that are resting on the wall."""
        self.remove_body(wall)

    def drop_through(self, body: Body) -> None:
        """Let a body fall through the one-way tiles on which it is standing."""
        if self._one_way.let_fall(body.shapes):
            self.wake(body)

    def world_body(self) -> Body:
        """Return the static body that represents the world in joints."""
        return self.space.static_body

    def new_joint(
        self,
        kind: str,
        ends: tuple[Body, Body],
        numbers: JointNumbers,
        strength: float | None,
        bump: bool,
    ) -> pymunk.Constraint:
        """Create a joint of the kind ``kind``, and wake the two bodies that it connects.

        If a joint that turns bodies connects two bodies that cannot turn, the joint has no force.
        With ``bump=False``, the two bodies of such a joint still do not collide.

        Raises `ValueError` if neither body is dynamic.
        """
        if not any(body.body_type == pymunk.Body.DYNAMIC for body in ends):
            raise ValueError(
                f"{kind}: pymunk's joints need at least one dynamic body, got two bodies that are "
                "static or kinematic"
            )
        joint: pymunk.Constraint = getattr(pymunk, _JOINTS[kind])(*ends, *_converted(kind, numbers))
        if not bump and not _is_safe(joint):
            # A limit that no angle reaches only prevents collisions between the two bodies.
            joint = pymunk.RotaryLimitJoint(*ends, -math.inf, math.inf)
        if strength is not None:
            joint.max_force = strength
        joint.collide_bodies = bump
        for body in ends:
            self.wake(body)
        if _is_safe(joint):
            self.space.add(joint)
        return joint

    def drive_motor(self, joint: pymunk.Constraint, speed: float) -> None:
        """Set the speed of a motor, in radians / s. Positive speeds are counter-clockwise.

        `drive_motor` does nothing if `new_joint` has replaced the motor of two bodies that cannot
        turn.
        """
        if isinstance(joint, pymunk.SimpleMotor):
            joint.rate = -speed

    def joint_load(self, kind: str, joint: pymunk.Constraint) -> float:
        """Return the force in a joint during the last physics step. For a joint that turns bodies,
        return the torque.
        """
        seconds = self.space.current_time_step
        if not seconds or joint not in self.space.constraints:
            return 0.0
        return abs(joint.impulse) / seconds

    def reinsert_joint(self, joint: pymunk.Constraint) -> pymunk.Constraint:
        """Return ``joint`` unchanged, because the order of pymunk's joints does not matter."""
        return joint

    def remove_joint(self, joint: pymunk.Constraint) -> None:
        """Remove a joint from the pymunk space.

        `remove_joint` does nothing if the joint is not in the pymunk space.
        """
        if joint in self.space.constraints:
            self.space.remove(joint)

    # -- queries -----------------------------------------------------------------------------------

    def keys_of(self, bodies: list[Body]) -> list[Hashable]:
        """Return ``bodies``, because a pymunk body is its own key."""
        return [*bodies]

    def cast(
        self, starts: Doubles, displacements: Doubles, radius: float, search: Search
    ) -> list[PlaneHit | None]:
        """Return a list with the first hit of each ray. If a ray hits nothing, its item is None."""
        ends = starts + displacements
        segments: list[list[tuple[float, float]]] = np.stack([starts, ends], axis=1).tolist()
        return [self._first_hit(start, end, radius, search) for start, end in segments]

    def _first_hit(
        self, start: tuple[float, float], end: tuple[float, float], radius: float, search: Search
    ) -> PlaneHit | None:
        if radius:
            return thick_ray_hit(
                self.space, start, end, radius, search, lambda shape: _matches(shape, search)
            )
        shape_filter = pymunk.ShapeFilter(mask=search.layers)
        hit = self.space.segment_query_first(start, end, radius, shape_filter)
        if hit is not None and not _matches(hit.shape, search):
            hits = self.space.segment_query(start, end, radius, shape_filter)
            matches = [each for each in hits if _matches(each.shape, search)]
            hit = min(matches, key=lambda each: each.alpha, default=None)
        return plane_hit(hit, start)

    def bodies_at(self, point: tuple[float, float], radius: float, search: Search) -> set[Hashable]:
        """Return the bodies that are at most ``radius`` units away from ``point``."""
        hits = self.space.point_query(point, radius, pymunk.ShapeFilter(mask=search.layers))
        shapes = [hit.shape for hit in hits if hit.shape is not None]
        return {shape.body for shape in shapes if _matches(shape, search)}

    def bodies_in(
        self, low: tuple[float, float], high: tuple[float, float], search: Search
    ) -> set[Hashable]:
        """Return the bodies whose bounds overlap the rectangle from ``low`` to ``high``."""
        box = pymunk.BB(*low, *high)
        shapes = self.space.bb_query(box, pymunk.ShapeFilter(mask=search.layers))
        return {shape.body for shape in shapes if _matches(shape, search)}

    def bodies_overlapping(
        self, shapes: list[PlaneShape], position: tuple[float, float], angle: float, search: Search
    ) -> set[Hashable]:
        """Return the bodies that overlap at least one of ``shapes``."""

        def matches(shape: pymunk.Shape | None) -> bool:
            return _matches(shape, search)

        return overlapping(self.space, shapes, position, angle, search, matches)

    def cast_shape(
        self,
        shapes: list[PlaneShape],
        starts: Doubles,
        displacements: Doubles,
        angle: float,
        search: Search,
    ) -> list[PlaneHit | None]:
        """Return the first hit of each moving shape, or None if it hits nothing. The shape must be
        a circle.
        """
        radius = radius_of(shapes)

        def matches(shape: pymunk.Shape | None) -> bool:
            return _matches(shape, search)

        return [
            circle_hit(self.space, radius, (x, y), (ahead_x, ahead_y), search, matches)
            for (x, y), (ahead_x, ahead_y) in zip(
                starts.tolist(), displacements.tolist(), strict=True
            )
        ]

    def outlines(self) -> list[Outline]:
        """Return the outlines of all shapes and joints, for debug drawing."""
        return outlines_of(self.space)

    # -- steps -------------------------------------------------------------------------------------

    def set_gravity(self, gravity: tuple[float, ...]) -> None:
        """Set the acceleration of all dynamic bodies, in units / s²."""
        x, y = gravity
        self.space.gravity = x, y

    def step_once(self, seconds: float) -> None:
        """Simulate one physics step with a duration of ``seconds``."""
        self._now = None
        self.space.step(seconds)
        self._filters.end_step()

    def stop_carried(self) -> None:
        """Stop the kinematic bodies that `set_attribute` has moved, by setting their velocities to
        0.
        """
        for body in self._carried:
            body.velocity = (0.0, 0.0)
            body.angular_velocity = 0.0
        self._carried.clear()

    def map_order(self, bodies: list[Body], walls: list[Body]) -> None:
        """Set the order of bodies and walls in the results of `read_states` and `touching`.

        In the results, the bodies come before the walls.
        """
        self._now = None
        self._mapped = [*bodies, *walls]
        ids = np.array([body.id for body in self._mapped], np.uint64)
        self._ids_by_row = ids
        self._places = np.argsort(ids)
        self._known = ids[self._places]
        self._ids = np.empty(0, np.uint64)
        self._total = len(bodies)
        self._row_table = self._new_row_table()

    def _new_row_table(self) -> Rows:
        """Return a table that contains the row of each body at the index that `_slots` computes
        from the body's id. If the table would be too large, or if two ids have the same index,
        return an empty array.
        """
        if not len(self._known):
            return np.empty(0, np.intp)
        slots = self._slots(self._known)
        if slots[-1] >= _MAX_SLOTS:
            return np.empty(0, np.intp)
        table = np.full(int(slots[-1]) + 1, -1)
        table[slots] = self._places
        return table if np.array_equal(table[slots], self._places) else np.empty(0, np.intp)

    def mark_teleported(self, bodies: list[Body]) -> None:
        """Do nothing, because pymunk does not compare positions before and after a step."""

    def mark_moved(self, bodies: list[Body]) -> None:
        """Do nothing, because `read_states` always reads all bodies."""

    def read_states(self, has_velocities: bool, has_transient_velocities: bool) -> Doubles:
        """Return the states of all bodies, as an array with one row per body. Each row includes the
        velocities if at least one of the two arguments is True.

        The rows are in the order that `map_order` has set. The rows must be sorted because pymunk
        changes its own order when bodies fall asleep.
        """
        buffer = self._buffer
        with_velocities = has_velocities or has_transient_velocities
        buffer.clear()
        pymunk.batch.get_space_bodies(self.space, _fields(with_velocities), buffer)
        ids: NDArray[np.uint64] = np.frombuffer(buffer.int_buf(), np.uint64)
        if not np.array_equal(ids, self._ids):
            self._ids = ids.copy()
            self._order = self._order_of(self._rows_of(ids))
        floats: Doubles = np.frombuffer(buffer.float_buf())
        states = floats.reshape(len(ids), 6 if with_velocities else 3)
        # Without a copy, a slice would be a view of pymunk's own memory. This memory is valid only
        # until the next call.
        return (
            states[self._order]
            if isinstance(self._order, slice)
            else states.take(self._order, axis=0, mode="clip")
        )

    def _order_of(self, rows: Rows) -> Rows | slice:
        """For each body in the order of `map_order`, return its index in pymunk's own order.

        The argument ``rows`` must be the result of `_rows_of`.
        """
        n = self._total
        order = np.empty(n, np.intp)
        # Skip walls, and bodies that the game has added to pymunk's space directly.
        mapped = np.flatnonzero((rows >= 0) & (rows < n))
        order[rows[mapped]] = mapped
        return slice(0, n) if np.array_equal(order, np.arange(n)) else order

    def _rows_of(self, ids: NDArray[np.uint64]) -> Rows:
        """For each pymunk id of a body or wall, return its index in the order of `map_order`.

        The index is -1 for a body that the game has added to pymunk directly.
        """
        if len(self._row_table):  # 40 times faster than the search below
            rows: Rows = self._row_table.take(self._slots(ids), mode="clip")
            ids_of_rows = self._ids_by_row[rows]
            rows[ids_of_rows != ids] = -1
            return rows
        if not len(self._known):
            return np.full(len(ids), -1)
        matches = np.minimum(np.searchsorted(self._known, ids), len(self._known) - 1)
        rows_of_ids: Rows = np.where(self._known[matches] == ids, self._places[matches], -1)
        return rows_of_ids

    def _slots(self, ids: NDArray[np.uint64]) -> Rows:
        """Convert ids of bodies to indices in the array `_row_table`. In pymunk, the id of a body
        is a memory address.
        """
        slots: Rows = ((ids - self._known[0]) >> _SLOT_BITS).astype(np.intp)
        return slots

    def _rows_of_ids(self, ids: list[int]) -> list[int]:
        rows: list[int] = self._rows_of(np.array(ids, np.uint64)).tolist()
        return rows

    # -- contacts ----------------------------------------------------------------------------------

    def touching(self) -> Rows:
        """Return the pairs of bodies and walls that are touching, except pairs of sleeping bodies.
        The result is an array of indices with the shape (m, 2).

        A wall has the index ``n + i``, where n is the number of bodies, and i is the index in the
        list of walls.
        """
        if self._now is None:
            self._now = self._read_touching()
        return self._now

    def _read_touching(self) -> Rows:
        fields = pymunk.batch.ArbiterFields
        buffer = self._buffer
        buffer.clear()
        pymunk.batch.get_space_arbiters(
            self.space, fields.BODY_A_ID | fields.BODY_B_ID | fields.CONTACT_COUNT, buffer
        )
        numbers: NDArray[np.uint64] = np.frombuffer(buffer.int_buf(), np.uint64)
        arbiters = numbers.reshape(-1, 3)
        passing = self._one_way.passing(arbiters)
        if passing is not None:
            arbiters = arbiters[(arbiters[:, 2] > 0) | ~passing]
        pairs = self._rows_of(arbiters[:, :2].ravel()).reshape(-1, 2)
        are_mapped = both(pairs >= 0)
        if len(self._filters.passing):
            # pymunk also reports contacts of bodies that are passing through each other, but
            # without points.
            are_mapped &= ~(self._pass_filters(pairs) & (arbiters[:, 2] == 0))
        return pairs[are_mapped]

    def _pass_filters(self, pairs: Rows) -> Mask:
        """For each pair, return whether a filter lets its bodies pass through each other."""
        passing = np.sort(self._filters.passing, axis=1)
        same: Mask = (np.sort(pairs, axis=1)[:, None] == passing).all(axis=2).any(axis=1)
        return same

    def note_touching(self) -> None:
        """Store the pairs of bodies and walls that are touching after a step, for the next call of
        `touched`.
        """
        self._noted.append(self.touching())

    def touched(self) -> Rows:
        """Return the pairs that were in contact at the end of any step since `touched` was last
        called. The result is an array of indices as in `touching`, with the shape (m, 2).
        """
        pairs = np.concatenate([np.empty((0, 2), np.intp), *self._noted])
        self._noted = []
        return pairs

    def asleep_pairs(self, pairs: Rows) -> Mask:
        """For each pair, return whether at least one of its two bodies is sleeping.

        If only one of two touching bodies is sleeping, they are still touching, because pymunk
        wakes the sleeping body when the other body moves away.
        """
        sleeping = np.zeros(len(self._mapped), bool)
        rows: list[int] = np.unique(pairs).tolist()
        sleeping[rows] = [self._mapped[row].is_sleeping for row in rows]
        return sleeping[pairs[:, 0]] | sleeping[pairs[:, 1]]

    def all_asleep(self) -> bool:
        """Return False, because pymunk cannot list the bodies that are awake."""
        return False

    def read_contacts(self, pairs: Rows, asleep: bool) -> Reading:
        """Return the contacts of ``pairs`` in the last step.

        If ``asleep`` is False, the result does not contain sleeping bodies, because reading their
        contacts takes longer.
        """
        arbiters = read_arbiters(self.space, self._buffer)
        if asleep:
            rows: list[int] = np.unique(pairs).tolist()
            sleeping = sleeping_arbiters(self._mapped[row] for row in rows)
            arbiters = Arbiters(
                np.concatenate([arbiters.ids, sleeping.ids]),
                np.concatenate([arbiters.numbers, sleeping.numbers]),
            )
        bodies = self._rows_of(arbiters.ids[:, :2].ravel()).reshape(-1, 2)
        return reading_of(arbiters, bodies, pairs)

    def filter_contacts(
        self, layers: list[tuple[int, int]], decide: Decide, bodies: list[Body]
    ) -> None:
        """Set ``decide``, the function that decides whether two shapes collide. The engine calls
        ``decide`` when two shapes begin to touch, before the two shapes push each other apart.

        If ``decide`` returns False, the two shapes pass through each other until they separate.
        """
        self._filters.filter(layers, decide)

    def take_error(self) -> BaseException | None:
        """Return the error that ``decide`` raised in the last step, or None. Each error is returned
        only once.
        """
        return self._filters.take_error()

    def velocity_at(self, body: Body, point: Doubles) -> Doubles:
        """Return the velocity of a body or wall at a point in the world."""
        x, y = point.tolist()
        return np.array(body.velocity_at_world_point((x, y)))

    # -- snapshots ---------------------------------------------------------------------------------

    def motions(self, bodies: list[Body]) -> list[Motion]:
        """Return the current position, angle and velocities of each body, for a snapshot."""
        return [
            Motion(
                body,
                (body.position.x, body.position.y),
                body.angle,
                (body.velocity.x, body.velocity.y),
                body.angular_velocity,
            )
            for body in bodies
        ]

    def restore(
        self, motions: list[Motion], walls: list[Body], joints: list[pymunk.Constraint]
    ) -> None:
        """Restore bodies, walls and joints from a snapshot. Each body gets its position and
        velocities from the snapshot.

        The engine removes all bodies, shapes and joints that are not in the snapshot.
        """
        space = self.space
        bodies = [motion.body for motion in motions] + walls
        shapes = [shape for body in bodies for shape in body.shapes]
        self._set_parts([*bodies, *shapes, *filter(_is_safe, joints)])
        for body, position, angle, velocity, angular_velocity in motions:
            body.position = position
            body.angle = angle
            body.velocity = velocity
            body.angular_velocity = angular_velocity
            space.reindex_shapes_for_body(body)
        self._one_way.recompute()
        self._now = None

    def _set_parts(self, parts: list[Part]) -> None:
        """Remove all parts of the pymunk space that are not in ``parts``, and add the parts that
        the space does not have.
        """
        old: list[Part] = [*self.space.constraints, *self.space.shapes, *self.space.bodies]
        keep = {*parts}
        present = {*old}
        extra = [part for part in old if part not in keep]
        self.space.remove(*extra)
        self._one_way.forget(extra)
        self._filters.forget(extra)
        self.space.add(*[part for part in parts if part not in present])


def _set_mass(body: Body, shapes: list[pymunk.Shape], material: BodyMaterial) -> None:
    """Set the mass and the moment of inertia of a dynamic body. With ``fixed_rotation``, the moment
    is infinite.
    """
    area = sum(shape.area for shape in shapes)
    mass = material.mass or 1.0
    density = material.density if material.density is not None else mass / area
    if material.fixed_rotation:
        body.mass = density * area
        body.moment = float("inf")
        return
    for shape in shapes:
        shape.density = density


def _matches(shape: pymunk.Shape | None, search: Search) -> bool:
    """Return False if the query excludes the body of ``shape``, or if ``shape`` is a sensor and the
    query ignores sensors. `_matches` does not check the layer of the shape.
    """
    if shape is None:
        return False
    return (search.sensors or not shape.sensor) and shape.body not in search.excluded


@functools.cache
def _fields(with_velocities: bool) -> pymunk.batch.BodyFields:
    """Return pymunk's flags for the fields to read from each body.

    The result is cached, because combining the flags of an `enum` takes Python several
    microseconds.
    """
    fields = pymunk.batch.BodyFields
    poses = fields.BODY_ID | fields.POSITION | fields.ANGLE
    return poses | fields.VELOCITY | fields.ANGULAR_VELOCITY if with_velocities else poses


_JOINTS = {
    "pivot": "PivotJoint",
    "pin": "PinJoint",
    "rope": "SlideJoint",
    "spring": "DampedSpring",
    "groove": "GrooveJoint",
    "turn_limit": "RotaryLimitJoint",
    "turn_spring": "DampedRotarySpring",
    "gear": "GearJoint",
    "motor": "SimpleMotor",
}
"""A dict from each kind of joint to pymunk's class for this kind."""


_TURNING = ("RotaryLimitJoint", "DampedRotarySpring", "GearJoint", "SimpleMotor")
"""The names of pymunk's joints that turn bodies, but do not move them."""


def _is_safe(joint: pymunk.Constraint) -> bool:
    """Return whether a joint may be in a pymunk space.

    A joint that turns bodies is not safe if neither of its bodies can turn. pymunk would divide by
    0, and then compute positions that are NaN. A limit from -infinity to infinity is safe, because
    pymunk computes no force for it.
    """
    if type(joint).__name__ not in _TURNING:
        return True
    if isinstance(joint, pymunk.RotaryLimitJoint) and joint.max == math.inf:
        return True
    return any(
        body.body_type == pymunk.Body.DYNAMIC and math.isfinite(body.moment)
        for body in (joint.a, joint.b)
    )


def _converted(kind: str, numbers: JointNumbers) -> JointNumbers:
    """Convert the framework's numbers for a joint to the arguments of pymunk's constructor."""
    if kind == "motor":
        (speed,) = cast(tuple[float], numbers)
        return (-speed,)
    if kind == "gear":
        # In pymunk, ratio and phase define the first angle: first = ratio · second - phase.
        ratio, angle = cast(tuple[float, float], numbers)
        return angle / ratio, 1 / ratio
    return numbers
