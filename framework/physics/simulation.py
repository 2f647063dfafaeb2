"""Simulation: what drives a physics engine in the tick, for both dimensions.

Rows and their bodies, steps, walls, joints, and which bodies touch. All bodies have an index in one
array of states, batch by batch; the engine's own order is mapped to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Rows, row_indices
from ..current_game import between_ticks
from ..geometry.meetings import Meetings
from ..state.columns import Table, Tabular
from ..state.rows import Handle, Handled, rows_of, table_of
from ..timing.schedule import MOST_RATE, exact
from .body_materials import Material
from .bodysets import Bodies, BodySet, poses_of, set_of
from .engines import BodyT, Engine
from .physics_layers import MOST_LAYERS, PhysicsLayers


class Row(NamedTuple):
    """A row of a batch that hands out no handles."""

    batch: Any
    row: int


class Wall:
    """A static body that belongs to no batch: solid tiles, a line, a ground.

    ``raw`` is pymunk's `Body`, or Rapier's handle of it.
    """

    _not_hashed = ("raw",)

    def __init__(self, simulation: Simulation[Any], raw: Any, key: int) -> None:
        self._simulation, self.raw, self._key = simulation, raw, key

    def remove(self) -> None:
        """Remove the wall; bodies that lay on it fall. Raises `ValueError` if it was removed."""
        simulation = self._simulation
        if self not in simulation.walls:
            raise ValueError("wall: it was removed already")
        simulation.walls.remove(self)
        simulation.engine.drop_wall(self.raw)
        simulation.changed = True


class Joint:
    """A joint between two bodies, or between a body and the world.

    ``raw`` is pymunk's constraint, or Rapier's handle of its joint. ``name`` is the method that
    made the joint, as in "pivot" or "hinge".
    """

    _not_hashed: tuple[str, ...] = ("_ends", "raw")

    def __init__(
        self, simulation: Simulation[Any], raw: Any, ends: tuple[object, object], name: str
    ) -> None:
        self._simulation, self.raw, self._ends, self.name = simulation, raw, ends, name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def removed(self) -> bool:
        """Whether the joint or one of its bodies was removed."""
        return self not in self._simulation.joints

    def remove(self) -> None:
        """Remove the joint. Raises `ValueError` if it is gone already."""
        if self.removed:
            raise ValueError("joint: it is gone already, by itself or with one of its bodies")
        self._simulation.joints.remove(self)
        self._simulation.engine.drop_joint(self.raw)


RowOrWall: TypeAlias = Handle[Any] | Row | Wall
"""A row that has a body, or a wall. A `Row` if the batch of the row has no handles."""

HasBody: TypeAlias = Handle[Any] | tuple[Bodies, int] | Wall
"""What users pass for one body: the handle of a row, (bodies, row), or a wall."""


class Simulation(Generic[BodyT]):
    """The bodies, walls and joints of a `Physics2D` or `Physics3D`, and the steps of its engine."""

    _not_hashed: tuple[str, ...] = ("_keys_there", "changed", "looking")

    def __init__(
        self,
        engine: Engine[BodyT],
        gravity: ArrayLike,
        rate: float | Fraction | None,
        substeps: int,
    ) -> None:
        self.engine = engine
        self.gravity = gravity
        self._interval: Fraction | None = None
        if rate is not None:
            self._interval = 1 / checks.positive_fraction("rate", rate)
            if self._interval * MOST_RATE < 1:
                raise checks.wrong_value("rate", f"at most {MOST_RATE:,} steps a second", rate)
        self._substeps = checks.whole("substeps", substeps, 1, 1000)
        self._time = Fraction()
        self.layers = PhysicsLayers()
        self.sets: list[BodySet[BodyT]] = []
        """The bodies of each call of `add`, in that order."""
        self.walls: list[Wall] = []
        self.joints: list[Joint] = []
        """The joints that are not removed."""
        self.changed = True
        """Whether bodies or walls were added or removed since the last `Engine.map_order`."""
        self.moving = False
        """Whether velocities are read after each tick."""
        self.looking = False
        """Whether velocities were read between ticks only, which is no state."""
        self._keys = 0
        self._asked: list[tuple[int, int]] = []
        self._meetings = Meetings()
        self._keys_there: NDArray[np.int64] = np.empty(0, np.int64)

    @property
    def gravity(self) -> tuple[float, ...]:
        """Units / s²."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        vector = checks.vector("gravity", value, self.engine.dimensions)
        self._gravity: tuple[float, ...] = tuple(vector.tolist())
        self.engine.set_gravity(self._gravity)

    # -- ticks -------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Simulate ``seconds``: ``substeps``, or with a ``rate`` the steps that are due."""
        self.settle()
        steps, length = self._due(seconds)
        if not steps:
            return
        for bodies in self.sets:
            bodies.give_written(steps * length)
        self._map()
        engine = self.engine
        met: list[Rows] = []
        for _ in range(steps):
            self._push_forces()
            engine.step_once(length)
            if self._asked:
                met.append(self._asked_of(engine.touching()))
        engine.rest()
        states = self._read_states()
        for bodies, places in self._parts():
            bodies.take(states[places])
        if self._asked:
            self._meet(np.concatenate(met))

    def _push_forces(self) -> None:
        for bodies in self.sets:
            for name, (places, values) in bodies.pushes().items():
                self.engine.push_forces(name, bodies.raw_at(places), values)

    def _due(self, seconds: float) -> tuple[int, float]:
        if self._interval is None:
            return (self._substeps, seconds / self._substeps) if seconds else (0, 0.0)
        self._time += exact(seconds)
        steps, self._time = divmod(self._time, self._interval)
        return int(steps), float(self._interval)

    def settle(self) -> None:
        """Give new rows their bodies, and remove the bodies of rows that are gone."""
        changed = [bodies.follow() for bodies in self.sets]
        if any(changed):
            self.changed = True

    def finish(self) -> None:
        """End the tick: what its rules added and removed has bodies, whether anybody looks at them
        or not.
        """
        self.settle()
        if self.changed:
            self._map()
            self._read_states()

    def _read_states(self) -> Doubles:
        return self.engine.read_states(self.moving, self.looking)

    def _parts(self) -> Iterator[tuple[BodySet[BodyT], slice]]:
        """The batches' bodies, and their indices in the states."""
        start = 0
        for bodies in self.sets:
            yield bodies, slice(start, start + len(bodies.raw))
            start += len(bodies.raw)

    def _map(self) -> None:
        if self.changed:
            self.engine.map_order(self._all_bodies(), [wall.raw for wall in self.walls])
            walls = np.array([wall._key for wall in self.walls], np.int64)
            self._keys_there = np.concatenate([*[bodies.keys for bodies in self.sets], walls])
            self.changed = False

    def _all_bodies(self) -> list[BodyT]:
        return [body for bodies in self.sets for body in bodies.raw]

    def read_velocities(self) -> None:
        """Read the velocities of all bodies now."""
        self.engine.mark_moved(self._all_bodies())
        self._map()
        states = self._read_states()
        for bodies, places in self._parts():
            for channel in (*bodies.speeds, *bodies.looked):
                channel.put(states[places, channel.parts])

    # -- bodies ------------------------------------------------------------------------------------

    def new_keys(self, count: int, layer: int) -> NDArray[np.int64]:
        """Return numbers that no other body or wall has or will have; their last bits are the
        layer.
        """
        self._keys += count
        return np.arange(self._keys - count, self._keys) * MOST_LAYERS + layer

    def add_bodies(self, batch: object, rows: object, shape: object, stuff: Material) -> Bodies:
        """Make bodies for all rows of a batch, or for ``rows``."""
        engine = self.engine
        if isinstance(batch, Handle):
            batch, rows = batch.batch, batch
        table = table_of(batch)
        tabular = cast(Tabular[Table], batch)
        if table is None or not all(map(poses_of(tabular)[0].has, ("position", engine.pose))):
            raise checks.wrong_type("batch", f"{engine.noun}, or one of its rows", batch)
        chosen = None
        if rows is not None:
            if table.holes:
                table.close_holes()
            picked = row_indices(rows_of(batch, rows), table.count)
            chosen = np.arange(picked.start, picked.stop) if isinstance(picked, slice) else picked
        self._check_free(table, chosen)
        bodies = BodySet(self, engine, tabular, chosen, shape, stuff)
        if chosen is not None:
            bodies.begin(chosen)
        bodies.follow()
        self.sets.append(bodies)
        self.changed = True
        return Bodies(bodies)

    def _check_free(self, table: Table, rows: Rows | None) -> None:
        if rows is not None and len(np.unique(rows)) < len(rows):
            raise ValueError("rows: one of them is there twice; a row has one body")
        self.settle()
        for bodies in self.sets:
            if bodies.table is table:
                taken = rows is None or bodies.every or np.isin(rows, bodies.rows.rows).any()
                if taken and (len(bodies.raw) or bodies.every):
                    raise ValueError(
                        "batch: rows of it have bodies already; a row has one: "
                        "physics.remove(…) them"
                    )

    def remove(self, bodies: Bodies) -> None:
        """See `Physics2D.remove`."""
        body_set = set_of(checks.instance("bodies", bodies, Bodies))
        if body_set not in self.sets:
            raise ValueError("bodies: they are not in this physics, or were removed already")
        self.settle()
        body_set.end()
        self.sets.remove(body_set)
        self.changed = True

    def drop_bodies(self, raw: list[BodyT]) -> None:
        """Remove bodies from the engine, and the joints that hold them."""
        for body in raw:
            for joint in [joint for joint in self.joints if body in joint._ends]:
                joint.remove()
            self.engine.drop(body)

    def new_wall(self, shape: object, stuff: Material) -> Wall:
        """Make a wall of a shape of the engine."""
        raw = self.engine.new_wall(shape, stuff)
        wall = Wall(self, raw, int(self.new_keys(1, stuff.layer)[0]))
        self.walls.append(wall)
        self.changed = True
        return wall

    def set_with(self, handle: Handle[Any]) -> BodySet[BodyT] | None:
        """Return the bodies among which is that of a handle's row; None if it has no body."""
        for bodies in self.sets:
            if bodies.batch is handle.batch and (bodies.rows.rows == handle.row).any():
                return bodies
        return None

    def body_of(self, name: str, thing: HasBody) -> BodyT:
        """Return the engine's body of a handle, of (bodies, row), or of a wall."""
        if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], Bodies):
            body: BodyT = set_of(thing[0]).raw_of(thing[1])
            return body
        if isinstance(thing, Wall):
            raw: BodyT = thing.raw
            return raw
        what = "a handle of a row that has a body, such as a sprite, or (bodies, row)"
        handle: Handle[Any] = checks.instance(name, thing, Handle, what=what)
        self.settle()
        bodies = self.set_with(handle)
        if bodies is None:
            raise ValueError(f"{name}: its row has no body; give it one first: physics.add(…)")
        return bodies.raw_of(handle.row)

    def ends_of(self, first: HasBody | None, second: HasBody | None) -> tuple[BodyT, BodyT]:
        """Return the engine's bodies for a joint; None stands for the world."""
        if first is None and second is None:
            raise ValueError("second: expected one that has a body, got the world twice")
        one, two = [
            self.engine.world_body() if thing is None else self.body_of(name, thing)
            for name, thing in (("first", first), ("second", second))
        ]
        if one == two:
            raise ValueError("second: expected another body than the first")
        return one, two

    def matching(self, test: Callable[[BodyT], bool]) -> list[RowOrWall | None]:
        """Return handles of the rows whose bodies pass a test, and walls that do: in the order in
        which they were made.
        """
        things: list[RowOrWall | None] = []
        for bodies in self.sets:
            pairs = zip(bodies.raw, bodies.rows.rows.tolist(), strict=True)
            things += [handle_of(bodies, row) for body, row in pairs if test(body)]
        return things + [wall for wall in self.walls if test(wall.raw)]

    # -- what touches what -------------------------------------------------------------------------

    def touching_rows(self, bodies: Bodies, other: Bodies) -> Rows:
        """See `Physics2D.touching_rows`."""
        self.settle()
        self._map()
        parts = {id(some): places for some, places in self._parts()}
        for name, some in (("bodies", bodies), ("other", other)):
            if id(set_of(checks.instance(name, some, Bodies))) not in parts:
                raise ValueError(f"{name}: they are not in this physics")
        first, second = set_of(bodies), set_of(other)
        one, two = parts[id(first)], parts[id(second)]
        pairs = self.engine.touching()
        both = np.concatenate([pairs, pairs[:, ::-1]])
        within = (both >= (one.start, two.start)) & (both < (one.stop, two.stop))
        both = both[within.all(axis=1)] - (one.start, two.start)
        if first is second:
            both = both[both[:, 0] < both[:, 1]]
        rows = np.column_stack([first.rows.rows[both[:, 0]], second.rows.rows[both[:, 1]]])
        return np.unique(rows, axis=0).astype(np.intp).reshape(-1, 2)

    def pairs(self, which: str, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs that "entered", are "staying" or "left", of two layers."""
        first, second = self.layers.known(layer), self.layers.known(other, "other")
        pair = (min(first, second), max(first, second))
        if pair not in self._asked and between_ticks():  # nobody follows them for a look
            self.settle()
            self._map()
            met = Meetings()
            met.update(self._asked_of(self.engine.touching(), [pair]))
            return self._things_of(getattr(met, which), first, second)
        if pair not in self._asked:
            self._asked.append(pair)
            self.settle()
            self._map()
            self._meet(self._asked_of(self.engine.touching()))
        return self._things_of(getattr(self._meetings, which), first, second)

    def _things_of(
        self, pairs: NDArray[np.int64], first: int, second: int
    ) -> list[tuple[Any, Any]]:
        """Return the pairs of two layers: first the one of the first layer."""
        layers = pairs % MOST_LAYERS
        straight, turned = (
            (layers == (first, second)).all(axis=1),
            (layers == (second, first)).all(axis=1),
        )
        pairs = np.where((turned & ~straight)[:, None], pairs[:, ::-1], pairs)[straight | turned]
        return [(self._keyed(one), self._keyed(two)) for one, two in pairs.tolist()]

    def _keyed(self, key: int) -> RowOrWall | None:
        """What has a key: a handle, a `Row` or a `Wall`; None for what is gone."""
        for bodies in self.sets:
            place = int(np.searchsorted(bodies.keys, key))
            if place < len(bodies.keys) and bodies.keys[place] == key:
                return handle_of(bodies, int(bodies.rows.rows[place]))
        return next((wall for wall in self.walls if wall._key == key), None)

    def _asked_of(
        self, places: Rows, asked: list[tuple[int, int]] | None = None
    ) -> NDArray[np.int64]:
        """The keys of those pairs of places that somebody has asked for, the lower one first: (m,
        2).
        """
        most = len(self.layers.names)
        wanted = np.zeros((most, most), bool)
        for first, second in self._asked if asked is None else asked:
            wanted[first, second] = wanted[second, first] = True
        keys = self._keys_there[places].reshape(-1, 2)
        layers = keys % MOST_LAYERS
        return np.sort(keys[wanted[layers[:, 0], layers[:, 1]]], axis=1)

    def _meet(self, met: NDArray[np.int64]) -> None:
        """A tick is over, in which these pairs touched."""
        before = np.concatenate([self._meetings.entered, self._meetings.staying])
        lost = before[~np.isin(_codes(before), _codes(met))]
        if len(lost):
            raw: dict[int, BodyT] = {wall._key: wall.raw for wall in self.walls}
            for bodies in self.sets:
                raw |= dict(zip(bodies.keys.tolist(), bodies.raw, strict=True))
            still = [pair for pair in lost.tolist() if self._lie_still(*map(raw.get, pair))]
            met = np.concatenate([met, np.array(still, np.int64).reshape(-1, 2)])
        self._meetings.update(met)

    def _lie_still(self, first: BodyT | None, second: BodyT | None) -> bool:
        return first is not None and second is not None and self.engine.both_still(first, second)


def handle_of(thing: BodySet[Any] | Wall | None, row: int) -> RowOrWall | None:
    """Return the handle of a body's row, a `Row` if its batch has no handles, or the wall itself."""
    if not isinstance(thing, BodySet):
        return thing
    if row < 0 or row in thing.table.holes:
        return None
    return thing.batch[row] if isinstance(thing.batch, Handled) else Row(thing.batch, row)


def _codes(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each pair of keys."""
    codes: NDArray[np.int64] = (pairs[:, 0] << 32) | pairs[:, 1]
    return codes
