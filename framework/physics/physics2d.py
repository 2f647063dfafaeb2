"""Physics in the plane, by pymunk: https://www.pymunk.org (Chipmunk2D)."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Rows
from ..geometry import tileedges
from ..geometry.tilegrid import Tiles, checked_tiles
from ..record.snapshots import Captured, Lost
from ..state.rows import table_of
from .bodysets import Bodies, material
from .engines import engine
from .joints2d import Joining2D
from .oneway import OneWay
from .queries2d import Asking2D
from .shapes2d import Look, checked_shape, make_shapes
from .simulation import Wall

# How much smaller than the tiles the boxes are that lie behind their sides, as a share of a tile.
_INSET = 0.1

_LOST = "pymunk's, with contacts that it does not show"
_INSTEAD = (
    "record the game instead and play it again up to there (framework run GAME "
    "--record), or make it with "
    "Physics2D(…, snapshots='near') if going on nearly the same will do"
)


class Physics2D(Joining2D, Asking2D, Captured):
    """Bodies that fall, bounce, roll, pile up and hang together, in the plane: units, seconds,
    radians, y up.

    Parameters
    ----------
    scene
        The scene or the game whose ticks it goes along with: it is a system of the phase "physics",
        before `update`. None for one whose `advance` you call yourself.
    gravity
        Units / s²: (0, -900) for pixels, say.
    rate
        Steps a second of game time, 120, 240: exactly so many, some in each tick, whatever the rate
        of ticks.
    substeps
        Without a rate: steps in each tick. Two make stiffer heaps than one.
    group
        The schedule whose time it keeps, for slow motion: ``scene.schedule.group(0.2)``.
    iterations
        How often each step goes over all contacts: more are stiffer and slower.
    sleep_after
        Seconds after which what lies still costs nothing any more, until something touches it; None
        for never.
    snapshots
        pymunk does not tell all that a body's next step depends on. "refuse": `Game.snapshot` says
        so. "near": it puts back poses and velocities, from which the game goes on nearly as it did,
        but not bit for bit.

    Needs ``pip install 'subtick[physics]'``, else it is a `FrameworkError`. The same steps give the
    same bits, in every process on a machine.
    """

    dimensions = 2
    pose = "angle"
    noun = "a batch of sprites, or what has columns position and angle"
    sizes = (slice(0, 2), 2, slice(3, 5), 5)

    not_hashed = (
        "_keys_there",
        "_buffer",
        "_ids",
        "_known",
        "_one_way",
        "_order",
        "_places",
        "_pymunk",
        "carried",
        "changed",
        "space",
    )

    def __init__(
        self,
        scene: Any = None,
        *,
        gravity: tuple[float, float] = (0.0, 0.0),
        rate: float | Fraction | None = None,
        substeps: int = 2,
        group: Any = None,
        iterations: int = 10,
        sleep_after: float | None = 0.5,
        snapshots: str = "refuse",
    ) -> None:
        self._pymunk: Any = engine("pymunk", "Physics2D", "physics")
        self._batch_calls: Any = engine("pymunk.batch", "Physics2D", "physics")
        self.snapshots = checks.choice("snapshots", snapshots, ("refuse", "near"))
        self.space: Any = self._pymunk.Space()
        """pymunk's own, for what there are no words for here."""
        self.space.iterations = checks.whole("iterations", iterations, 1, 1000)
        if sleep_after is not None:
            self.space.sleep_time_threshold = checks.number("sleep_after", sleep_after, above=0)
        # Contacts that have parted are forgotten at once: those that are kept are those that touch.
        self.space.collision_persistence = 1
        self._buffer: Any = self._batch_calls.Buffer()
        self._ids: NDArray[np.uint64] = np.empty(0, np.uint64)
        self._order: Rows | slice = slice(0, 0)
        self._known: NDArray[np.uint64] = self._ids  # ids that are ours, ascending
        self._places: Rows = np.empty(0, np.intp)  # of those, in `read_states`
        self.carried: list[Any] = []
        self._one_way = OneWay(self.space)
        super().__init__(scene, gravity, rate, substeps, group)

    def __repr__(self) -> str:
        return f"<Physics2D of {len(self.space.bodies)} bodies>"

    # -- bodies ------------------------------------------------------------------------------------

    def add(
        self,
        batch: Any,
        rows: Any = None,
        *,
        shape: str = "box",
        size: tuple[float, float] | None = None,
        radius: float | None = None,
        points: ArrayLike | Sequence[ArrayLike] | None = None,
        tolerance: float = 1.0,
        kind: str = "dynamic",
        mass: float | None = None,
        density: float | None = None,
        friction: float = 0.7,
        elasticity: float = 0.0,
        sensor: bool = False,
        fixed_rotation: bool = False,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Bodies:
        """A body for each row of a batch, those that are added later too; with ``rows`` (a sprite,
        indices, a mask, a slice), or with a sprite for the batch, for these only.

        ``position`` and ``angle`` of the batch are the bodies' from now on: written by each tick,
        drawn between ticks; what the game writes to them moves the bodies there. Rows that are
        removed lose their bodies.

        ``shape`` is "box", "circle" or "capsule" (along its longer side) around what is opaque of a
        row's image, unless ``size=`` (width, height) or ``radius=`` are given; "polygon" of
        ``points`` (k, 2), also several, also concave; or "outline", of what is opaque of the image,
        to ``tolerance`` pixels. All of it in pixels of the image: scaled and mirrored as the row is
        when its body is made.

        ``kind``: "dynamic", "kinematic" (moved by what the game writes, and pushing others) or
        "static". ``mass`` is 1 for each body, or ``density`` that of a square unit. What touches
        what is told by `entered` by their ``layer``; they bump into layers that ``hits`` names, all
        unless told, if those bump into theirs too. A ``sensor`` bumps into nothing, and tells.
        """
        spec = checked_shape(shape, size, radius, points, tolerance)
        if spec.kind == "outline" and not hasattr(getattr(batch, "batch", batch), "alpha_pieces"):
            raise checks.wrong_type("batch", "a batch of sprites, for shape='outline'", batch)
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
        return self.add_bodies(batch, rows, spec, stuff)

    def make(self, bodies: Bodies, rows: Rows) -> list[Any]:
        """The bodies of rows: all of them, or none, and an error."""
        made = [self._new_body(bodies, row) for row in rows.tolist()]
        self.space.add(*[thing for body in made for thing in (body, *body.shapes)])
        return made

    def _new_body(self, bodies: Bodies, row: int) -> Any:
        stuff, pymunk = bodies.material, self._pymunk
        kinds = {
            "dynamic": pymunk.Body.DYNAMIC,
            "kinematic": pymunk.Body.KINEMATIC,
            "static": pymunk.Body.STATIC,
        }
        body = pymunk.Body(body_type=kinds[stuff.kind])
        table = bodies.table
        body.position = tuple(table.column("position").data[row].tolist())
        body.angle = float(table.column("angle").data[row])
        shapes = make_shapes(
            pymunk, body, bodies.shape, _look(bodies.batch, row), row, _pieces(bodies.batch)
        )
        for shape in shapes:
            self._dress(
                shape, stuff.friction, stuff.elasticity, stuff.sensor, stuff.layer, stuff.hits
            )
        if stuff.kind == "dynamic":
            area = sum(shape.area for shape in shapes)
            density = stuff.density if stuff.density is not None else (stuff.mass or 1.0) / area
            if stuff.fixed_rotation:
                body.mass, body.moment = density * area, float("inf")
            else:
                for shape in shapes:
                    shape.density = density
        return body

    def _dress(
        self, shape: Any, friction: float, elasticity: float, sensor: bool, layer: int, hits: int
    ) -> None:
        shape.friction, shape.elasticity, shape.sensor = friction, elasticity, sensor
        shape.filter = self._pymunk.ShapeFilter(0, 1 << layer, hits)

    def drop(self, bodies: Bodies, places: Rows) -> None:
        """Take out bodies, with the joints that hold them."""
        for place in places.tolist():
            body = bodies.raw[place]
            for joint in [joint for joint in self.joints if joint.raw in body.constraints]:
                joint.remove()
            self.space.remove(body, *body.shapes)
            self._one_way.forget(body.shapes)

    def give(
        self, bodies: Bodies, name: str, places: Rows, values: NDArray[Any], seconds: float
    ) -> None:
        """What the game wrote to a column is so; what is kinematic is carried there within
        ``seconds``.
        """
        kinematic = (
            bodies.material.kind == "kinematic" and name in ("position", "angle") and seconds > 0
        )
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            body = bodies.raw[place]
            if kinematic:
                self.carried.append(body)
                if name == "position":
                    body.velocity = (self._pymunk.Vec2d(*value) - body.position) / seconds
                else:
                    body.angular_velocity = (value - body.angle) / seconds
                continue
            if name in ("position", "angle"):
                self._wake_around(body)  # what lay on it
            setattr(body, _ATTRIBUTES[name], tuple(value) if isinstance(value, list) else value)
            if name in ("position", "angle"):
                self.space.reindex_shapes_for_body(body)
                self._wake_around(body)

    def _wake_around(self, body: Any) -> None:
        for shape in body.shapes:
            left, bottom, right, top = shape.bb
            margin = self.space.collision_slop
            box = self._pymunk.BB(left - margin, bottom - margin, right + margin, top + margin)
            for other in self.space.bb_query(box, self._pymunk.ShapeFilter()):
                self.wake(other.body)

    def rest(self) -> None:
        for body in self.carried:
            body.velocity, body.angular_velocity = (0.0, 0.0), 0.0
        self.carried.clear()

    def push(self, bodies: Bodies, places: Rows, impulse: Doubles, point: Doubles | None) -> None:
        """Hit bodies, at points of the world or in their middles."""
        for index, place in enumerate(places.tolist()):
            body = bodies.raw[place]
            at = (
                body.local_to_world(body.center_of_gravity)
                if point is None
                else tuple(point[index].tolist())
            )
            body.apply_impulse_at_world_point(tuple(impulse[index].tolist()), at)

    def push_forces(self) -> None:
        for bodies in self.sets:
            for name, (places, values) in bodies.pushes().items():
                for place, value in zip(places.tolist(), values.tolist(), strict=True):
                    body = bodies.raw[place]
                    if name == "force":
                        middle = body.local_to_world(body.center_of_gravity)
                        body.apply_force_at_world_point(tuple(value), middle)
                    else:
                        body.torque += value

    def asleep(self, body: Any) -> bool:
        """Whether a body has come to rest."""
        return bool(body.is_sleeping)

    def wake(self, body: Any) -> None:
        """Have a body move again."""
        if body.body_type == self._pymunk.Body.DYNAMIC:
            body.activate()

    # -- what stands still -------------------------------------------------------------------------

    def solid(
        self,
        tiles: Tiles,
        *,
        friction: float = 0.7,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """The solid tiles of a grid: a `collide.TileGrid`, a layer of a map, what has ``solid``,
        ``tile_size`` and ``position``. As they are now: when they change, `Wall.remove` it and make
        it anew.

        Their open sides are merged to lines as long as they can be, so that what slides along them
        catches nowhere. Slopes are solid too. Tiles that are ``one_way`` hold what comes from
        above, and let through all else.
        """
        grid = checked_tiles("tiles", tiles)
        body = self._pymunk.Body(body_type=self._pymunk.Body.STATIC)
        inset = _INSET * min(grid.tile_size)
        shapes = [
            self._pymunk.Poly(body, [(left, bottom), (right, bottom), (right, top), (left, top)])
            for left, bottom, right, top in (
                tileedges.rectangles(grid) + (inset, inset, -inset, -inset)
            ).tolist()
        ]
        shapes += [
            self._pymunk.Segment(body, *map(tuple, side), 0.0)
            for side in tileedges.edges(grid).tolist()
        ]
        shapes += [self._pymunk.Poly(body, ramp.tolist()) for ramp in tileedges.ramps(grid)]
        shapes += self._one_way.shapes(self._pymunk, body, grid, inset)
        return self._wall(body, shapes, friction, elasticity, layer, hits, tiles)

    def drop_through(self, thing: Any) -> None:
        """A body lets go of the one-way tiles that hold it, and falls through them; what is below
        them holds it again.

        ``thing`` is a handle of its row, or (bodies, row). Of one that stands on none, does
        nothing: so it may be called in each tick while the key for "down" is held.
        """
        body = self.body_of("thing", thing)
        if self._one_way.let_go(body.shapes):
            self.wake(body)

    def line(
        self,
        points: ArrayLike,
        *,
        closed: bool = False,
        radius: float = 1.0,
        friction: float = 0.7,
        elasticity: float = 0.0,
        layer: str = "default",
        hits: Iterable[str] | None = None,
    ) -> Wall:
        """A line through points (k, 2) that stands still, as thick as twice its ``radius``, round
        at its ends.
        """
        places = checks.numbers("points", points, (None, 2))
        if len(places) < 2:
            raise checks.wrong_value("points", "two points at least", points)
        reach = checks.number("radius", radius, least=0)
        path = np.concatenate([places, places[:1]]) if checks.flag("closed", closed) else places
        body = self._pymunk.Body(body_type=self._pymunk.Body.STATIC)
        corners = [tuple(corner) for corner in path.tolist()]
        shapes = [
            self._pymunk.Segment(body, start, end, reach)
            for start, end in pairwise(corners)
            if start != end
        ]
        if not shapes:
            raise checks.wrong_value("points", "points that differ", points)
        return self._wall(body, shapes, friction, elasticity, layer, hits)

    def _wall(
        self,
        body: Any,
        shapes: list[Any],
        friction: float,
        elasticity: float,
        layer: str,
        hits: Any,
        source: Any = None,
    ) -> Wall:
        rub, bounce = (
            checks.number("friction", friction, least=0),
            checks.number("elasticity", elasticity, least=0),
        )
        number, bits = self.layers.number(layer), self.layers.bits("hits", hits)
        for shape in shapes:
            self._dress(shape, rub, bounce, False, number, bits)
        self.space.add(body, *shapes)
        return self.new_wall(body, number, source)

    def drop_wall(self, raw: Any) -> None:
        self.space.remove(raw, *raw.shapes)
        self._one_way.forget(raw.shapes)

    # -- steps -------------------------------------------------------------------------------------

    def put_gravity(self, gravity: tuple[float, ...]) -> None:
        self.space.gravity = gravity

    def step_once(self, seconds: float) -> None:
        self.space.step(seconds)

    def map_order(self, total: int) -> None:
        """Where bodies stand in `read_states`, by their ids; behind the last one, walls."""
        ids = [body.id for bodies in self.sets for body in bodies.raw] + [
            wall.raw.id for wall in self.walls
        ]
        known = np.array(ids, np.uint64)
        self._places = np.argsort(known)
        self._known = known[self._places]
        self._ids = np.empty(0, np.uint64)

    def read_states(self) -> Doubles:
        """All bodies at once, in whatever order pymunk has them: it changes when some fall
        asleep.
        """
        buffer, calls = self._buffer, self._batch_calls
        moving = self.moving or self.looking
        wanted = _wanted(calls.BodyFields, moving)
        buffer.clear()
        calls.get_space_bodies(self.space, wanted, buffer)
        ids: NDArray[np.uint64] = np.frombuffer(buffer.int_buf(), np.uint64)
        if not np.array_equal(ids, self._ids):
            self._ids = ids.copy()
            self._order = self._order_of(self._place(ids))
        width = self.width if moving else self.width // 2
        found = np.frombuffer(buffer.float_buf()).reshape(len(ids), width)
        # Where they stand as we count them, it is pymunk's own memory, which is written to again,
        # or freed.
        return (
            found[self._order]
            if isinstance(self._order, slice)
            else found.take(self._order, axis=0, mode="clip")
        )

    def _order_of(self, places: Rows) -> Rows | slice:
        """Where pymunk has the bodies that we count one after another."""
        n = self.total
        order = np.empty(n, np.intp)
        ours = np.flatnonzero(
            (places >= 0) & (places < n)
        )  # no walls, nor what the game has put there itself
        order[places[ours]] = ours
        return slice(0, n) if np.array_equal(order, np.arange(n)) else order

    def _place(self, ids: NDArray[np.uint64]) -> Rows:
        """Places of bodies by their ids; -1 for what is not ours."""
        if not len(self._known):
            return np.full(len(ids), -1)
        found = np.minimum(np.searchsorted(self._known, ids), len(self._known) - 1)
        return np.where(self._known[found] == ids, self._places[found], -1)

    def touching(self) -> Rows:
        """Pairs of contacts, of what is not asleep."""
        fields, buffer, calls = self._batch_calls.ArbiterFields, self._buffer, self._batch_calls
        buffer.clear()
        calls.get_space_arbiters(
            self.space, fields.BODY_A_ID | fields.BODY_B_ID | fields.CONTACT_COUNT, buffer
        )
        found = np.frombuffer(buffer.int_buf(), np.uint64).reshape(-1, 3)
        passed = self._one_way.passed(found)
        if passed is not None:
            found = found[(found[:, 2] > 0) | ~passed]
        pairs = self._place(found[:, :2].ravel()).reshape(-1, 2)
        return pairs[(pairs >= 0).all(axis=1)]

    def both_still(self, first: Any, second: Any) -> bool:
        """Whether one of two is asleep: what touches it has not moved, or it would have woken
        up.
        """
        return bool(first.is_sleeping or second.is_sleeping)

    # -- snapshots ---------------------------------------------------------------------------------

    def captured(self) -> Any:
        """Poses and velocities, for `put_back`; refused unless ``snapshots`` is "near"."""
        if self.snapshots == "refuse":
            raise Lost(self, _LOST, _INSTEAD, final=True)
        moved = [(body, _motion(body)) for bodies in self.sets for body in bodies.raw]
        return moved, [*self.walls], [joint.raw for joint in self.joints]

    def put_back(self, saved: Any) -> None:
        """Have the bodies, walls and joints again that there were, where they were."""
        moved, walls, joints = saved
        space = self.space
        bodies = [body for body, _ in moved] + [wall.raw for wall in walls]
        wanted = [*bodies, *[shape for body in bodies for shape in body.shapes], *joints]
        there = {*space.bodies, *space.shapes, *space.constraints}
        extra = [
            thing
            for thing in (*space.constraints, *space.shapes, *space.bodies)
            if thing not in {*wanted}
        ]
        space.remove(*extra)
        self._one_way.forget(extra)
        space.add(*[thing for thing in wanted if thing not in there])
        for body, (position, angle, velocity, spin) in moved:
            body.position, body.angle, body.velocity, body.angular_velocity = (
                position,
                angle,
                velocity,
                spin,
            )
            space.reindex_shapes_for_body(body)
        self._one_way.look_again()
        self.changed = True


_ATTRIBUTES = {
    "position": "position",
    "angle": "angle",
    "velocity": "velocity",
    "spin": "angular_velocity",
}


@functools.cache
def _wanted(fields: Any, moving: bool) -> Any:
    """What is asked of all bodies: an `enum` takes microseconds to join its flags."""
    poses = fields.BODY_ID | fields.POSITION | fields.ANGLE
    return poses | fields.VELOCITY | fields.ANGULAR_VELOCITY if moving else poses


def _motion(body: Any) -> tuple[Any, float, Any, float]:
    return tuple(body.position), body.angle, tuple(body.velocity), body.angular_velocity


def _look(batch: Any, row: int) -> Look:
    """How a row of a batch stands, as far as it has pictures."""
    table = table_of(batch)
    scale = table.column("scale").data[row].tolist() if table.has("scale") else (1.0, 1.0)
    if not hasattr(batch, "alpha_boxes"):
        return Look((scale[0], scale[1]), None, 0)
    across, along = table.column("flip").data[row].tolist()
    image = int(table.column("image").data[row])
    mirrored = -scale[0] if across else scale[0], -scale[1] if along else scale[1]
    return Look(mirrored, batch.alpha_boxes()[image], image)


def _pieces(batch: Any) -> Any:
    return getattr(batch, "alpha_pieces", None)
