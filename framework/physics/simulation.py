"""What physics in the plane and in space have in common: steps in the tick, rows and their bodies,
what touches what.

All bodies have a place in one array of states, batch by batch; the engine's own order is mapped to
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Doubles, Rows, row_indices
from ..geometry.meetings import Meetings
from ..state.columns import Table
from ..state.rows import Handle, Handled, table_of
from ..timing.between import BetweenTicks
from ..timing.schedule import MOST_RATE, Schedule, exact
from .bodysets import Bodies, Channel
from .physics_layers import MOST_LAYERS, PhysicsLayers

_NO_PAIRS: Rows = np.empty((0, 2), np.intp)


class Row(NamedTuple):
    """A row of a batch that hands out no handles."""

    batch: Any
    row: int


def poses_of(batch: Any) -> tuple[Any, int]:
    """The table that has the poses of a batch, and how many rows each of the batch's takes
    there.
    """
    stride = getattr(batch, "stride", None)
    return (table_of(batch), 1) if stride is None else (batch.nodes, stride)


class Wall:
    """What stands still and belongs to no batch: the outlines of tiles, lines, a ground."""

    not_hashed = ("raw",)

    def __init__(self, host: Any, raw: Any, key: int, layer: int, source: Any = None) -> None:
        self.host, self.raw, self.key, self.layer = host, raw, key, layer
        self.source = source
        """What it was made of."""

    def remove(self) -> None:
        """Take it out: what lay on it falls. Raises `ValueError` when it is out already."""
        if self not in self.host.walls:
            raise ValueError("wall: it was removed already")
        self.host.walls.remove(self)
        self.host.drop_wall(self.raw)
        self.host.changed = True


class Physics:
    """See `Physics2D` and `Physics3D`."""

    dimensions: int
    pose: str
    noun: str
    sizes: tuple[slice | int, ...]
    """Where position, angle or rotation, velocity and spin stand in a body's state."""

    not_hashed: tuple[str, ...] = ("_keys_there", "changed", "looking", "total")

    def __init__(
        self, scene: Any, gravity: Any, rate: float | Fraction | None, substeps: int, group: Any
    ) -> None:
        self.gravity = gravity
        self._interval: Fraction | None = None
        if rate is not None:
            self._interval = 1 / checks.positive_fraction("rate", rate)
            if self._interval * MOST_RATE < 1:
                raise checks.wrong_value("rate", f"at most {MOST_RATE:,} steps a second", rate)
        self._substeps = checks.whole("substeps", substeps, 1, 1000)
        self._time = Fraction()
        self.layers = PhysicsLayers()
        self.sets: list[Bodies] = []
        """What `add` returned, in that order."""
        self.walls: list[Wall] = []
        self.joints: list[Any] = []
        """Those that there are."""
        self.changed = True
        """Whether bodies came or went since the engine's order was mapped last."""
        self.moving = False
        """Whether somebody asks for velocities."""
        self.looking = False
        """Whether somebody asked for velocities between ticks only, which is no state."""
        self._keys = 0
        self._asked: list[tuple[int, int]] = []
        self._meetings = Meetings()
        self._keys_there: NDArray[np.int64] = np.empty(0, np.int64)
        self.total = 0
        """Bodies that were mapped."""
        if group is not None:
            checks.instance(
                "group", group, Schedule, what="a Schedule, such as scene.schedule.group(0.5)"
            )
        if scene is not None:
            if not callable(getattr(scene, "add_system", None)):
                what = "the scene or game whose ticks it goes along with, or None"
                raise checks.wrong_type(
                    "scene", f"{what}; without one, call advance(dt) yourself", scene
                )
            scene.add_system("physics", self.advance, group=group)
            rules = getattr(scene, "_rules", None)
            if (
                rules is not None
            ):  # so that bodies do not depend on whether somebody looks at them between ticks
                rules.endings = (*rules.endings, self.finish)

    @property
    def gravity(self) -> Any:
        """Units / s²: (x, y), in space (x, y, z). May be changed at any time."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = tuple(checks.vector("gravity", value, self.dimensions).tolist())
        self.put_gravity(self._gravity)

    @property
    def width(self) -> int:
        """Numbers of a body's state."""
        last = self.sizes[-1]
        return last + 1 if isinstance(last, int) else int(last.stop)

    # -- what the engine does ----------------------------------------------------------------------

    def put_gravity(self, gravity: tuple[float, ...]) -> None:
        """Bodies fall like this from now on."""
        raise NotImplementedError

    def step_once(self, seconds: float) -> None:
        """One step."""
        raise NotImplementedError

    def read_states(self) -> Doubles:
        """The engine's states, a row for each of our bodies: as they are until they are asked for
        again.
        """
        raise NotImplementedError

    def touching(self) -> Rows:
        """Which bodies and walls touch: places in `read_states` and, from its end on, numbers of
        walls (m, 2).
        """
        raise NotImplementedError

    def drop_wall(self, raw: Any) -> None:
        """Take out what a `Wall` stands for."""
        raise NotImplementedError

    def drop_joint(self, raw: Any) -> None:
        """Take out the engine's joint."""
        raise NotImplementedError

    def push_forces(self) -> None:
        """Before a step: forces and torques act on bodies."""
        raise NotImplementedError

    def rest(self) -> None:
        """Bodies that the last step carried to where the game wants them stay there."""
        raise NotImplementedError

    def both_still(self, first: Any, second: Any) -> bool:
        """Whether two touch that do not move, so that the engine says nothing of them any more."""
        raise NotImplementedError

    # -- ticks -------------------------------------------------------------------------------------

    def advance(self, dt: float) -> None:
        """``dt`` seconds go by: ``substeps``, or with a ``rate`` the steps that are due. A scene's
        tick calls it.
        """
        seconds = checks.number("dt", dt, least=0)
        self.settle()
        steps, length = self._due(seconds)
        if not steps:
            return
        for bodies in self.sets:
            bodies.give_written(steps * length)
        self._map()
        met: list[Rows] = []
        for _ in range(steps):
            self.push_forces()
            self.step_once(length)
            if self._asked:
                met.append(self._asked_of(self.touching()))
        self.rest()
        states = self.read_states()
        for bodies, places in self.parts():
            bodies.take(states[places])
        if self._asked:
            self._meet(np.concatenate(met))

    def _due(self, seconds: float) -> tuple[int, float]:
        if self._interval is None:
            return (self._substeps, seconds / self._substeps) if seconds else (0, 0.0)
        self._time += exact(seconds)
        steps, self._time = divmod(self._time, self._interval)
        return int(steps), float(self._interval)

    def settle(self) -> None:
        """Bodies follow their rows."""
        changed = [bodies.follow() for bodies in self.sets]
        if any(changed):
            self.changed = True

    def finish(self) -> None:
        """The tick is over: what its rules added and removed has bodies, whether anybody looks at
        them or not.
        """
        self.settle()
        if self.changed:
            self._map()
            self.read_states()

    def parts(self) -> Iterator[tuple[Bodies, slice]]:
        """The batches' bodies, and their places in `read_states`."""
        start = 0
        for bodies in self.sets:
            yield bodies, slice(start, start + len(bodies.raw))
            start += len(bodies.raw)

    def _map(self) -> None:
        if self.changed:
            self.total = sum(len(bodies.raw) for bodies in self.sets)
            self.map_order(self.total)
            walls = np.array([wall.key for wall in self.walls], np.int64)
            self._keys_there = np.concatenate([*[bodies.keys for bodies in self.sets], walls])
            self.changed = False

    def map_order(self, total: int) -> None:
        """There are other bodies than before: find out where the engine has them."""
        raise NotImplementedError

    def read_velocities(self) -> None:
        """Velocities are asked for: of all bodies, as they are now."""
        self._map()
        states = self.read_states()
        for bodies, places in self.parts():
            for channel in (*bodies.speeds, *bodies.looked):
                channel.put(states[places, channel.parts])

    # -- bodies ------------------------------------------------------------------------------------

    def channels(self, bodies: Bodies, names: tuple[str, ...]) -> list[Channel]:
        """Channels of a batch for some of what a body's state is made of."""
        every = ("position", self.pose, "velocity", "spin")
        table, stride = poses_of(bodies.batch)
        return [
            Channel(bodies.rows, table, stride, name, self.sizes[every.index(name)])
            for name in names
        ]

    def native(self, raw: Any) -> Any:
        """The engine's own body, of what stands for it here."""
        return raw

    def new_keys(self, count: int, layer: int) -> NDArray[np.int64]:
        """Numbers for things that may touch, which no other will ever have; their last bits are
        their layer.
        """
        self._keys += count
        return np.arange(self._keys - count, self._keys) * MOST_LAYERS + layer

    def add_bodies(self, batch: Any, rows: Any, shape: Any, stuff: Any) -> Bodies:
        """Bodies for all rows of a batch, or for some."""
        if isinstance(batch, Handle):
            batch, rows = batch.batch, batch
        table = table_of(batch)
        if not isinstance(table, Table) or not all(
            map(poses_of(batch)[0].has, ("position", self.pose))
        ):
            raise checks.wrong_type("batch", f"{self.noun}, or one of its rows", batch)
        chosen = None
        if rows is not None:
            if table.holes:
                table.close_holes()
            numbers = [rows.row_in(batch)] if isinstance(rows, Handle) else rows
            picked = row_indices(numbers, table.count)
            chosen = np.arange(picked.start, picked.stop) if isinstance(picked, slice) else picked
        self._check_free(table, chosen)
        bodies = Bodies(self, batch, chosen, shape, stuff)
        if chosen is not None:
            bodies.begin(chosen)
        bodies.follow()
        self.sets.append(bodies)
        self.changed = True
        return bodies

    def _check_free(self, table: Any, rows: Rows | None) -> None:
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
        """Take out what `add` returned: the rows stay, without bodies."""
        if checks.instance("bodies", bodies, Bodies) not in self.sets:
            raise ValueError("bodies: they are not in this physics, or were removed already")
        self.settle()
        bodies.end()
        self.sets.remove(bodies)
        self.changed = True

    def new_wall(self, raw: Any, layer: int, source: Any = None) -> Wall:
        """What was made of lines, or of tiles."""
        wall = Wall(self, raw, int(self.new_keys(1, layer)[0]), layer, source)
        self.walls.append(wall)
        self.changed = True
        return wall

    def body_of(self, name: str, thing: Any) -> Any:
        """The engine's body of a handle, of (bodies, row), or of a wall."""
        if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[0], Bodies):
            return thing[0].raw_of(thing[1])
        if isinstance(thing, Wall):
            return thing.raw
        handle: Any = checks.instance(
            name,
            thing,
            Handle,
            what="a handle of a row that has a body, such as a sprite, or (bodies, row)",
        )
        self.settle()
        for bodies in self.sets:
            if bodies.batch is handle.batch and (bodies.rows.rows == handle.row).any():
                return bodies.raw_of(handle.row)
        raise ValueError(f"{name}: its row has no body; give it one first: physics.add(…)")

    def those(self, test: Callable[[Any], bool]) -> list[Any]:
        """Handles of the rows whose bodies pass a test, and walls that do: in the order in which
        they were made.
        """
        things = []
        for bodies in self.sets:
            pairs = zip(bodies.raw, bodies.rows.rows.tolist(), strict=True)
            things += [self.handle_of(bodies, row) for body, row in pairs if test(body)]
        return things + [wall for wall in self.walls if test(wall.raw)]

    # -- what touches what -------------------------------------------------------------------------

    def entered(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Who began to touch in this tick: what has the one layer, and what has the other, pair by
        pair.

        Each is the handle of its row (a sprite, an instance, …), a `Row` of a batch that has none,
        or a `Wall`; in the order in which they were made. What touches when a pair of layers is
        first asked for has entered.
        """
        return self._pairs("entered", layer, other)

    def staying(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Who touched in the last tick, and still does; see `entered`."""
        return self._pairs("staying", layer, other)

    def left(self, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Who touched in the last tick, and does no more; see `entered`. None stands for what is
        gone.
        """
        return self._pairs("left", layer, other)

    def touching_rows(self, bodies: Bodies, other: Bodies) -> Rows:
        """Rows of two batches whose bodies touch now, or of one: (m, 2), the first batch's
        first.
        """
        self.settle()
        self._map()
        parts: dict[int, slice] = {id(some): places for some, places in self.parts()}
        for name, some in (("bodies", bodies), ("other", other)):
            if id(checks.instance(name, some, Bodies)) not in parts:
                raise ValueError(f"{name}: they are not in this physics")
        one, two = parts[id(bodies)], parts[id(other)]
        pairs = self.touching()
        both = np.concatenate([pairs, pairs[:, ::-1]])
        within = (both >= (one.start, two.start)) & (both < (one.stop, two.stop))
        both = both[within.all(axis=1)] - (one.start, two.start)
        if bodies is other:
            both = both[both[:, 0] < both[:, 1]]
        rows = np.column_stack([bodies.rows.rows[both[:, 0]], other.rows.rows[both[:, 1]]])
        return np.unique(rows, axis=0).astype(np.intp).reshape(-1, 2)

    def _pairs(self, which: str, layer: str, other: str) -> list[tuple[Any, Any]]:
        first, second = self.layers.known(layer), self.layers.known(other, "other")
        pair = (min(first, second), max(first, second))
        if pair not in self._asked and BetweenTicks.find():  # nobody follows them for a look
            self.settle()
            self._map()
            met = Meetings()
            met.update(self._asked_of(self.touching(), [pair]))
            return self._things_of(getattr(met, which), first, second)
        if pair not in self._asked:
            self._asked.append(pair)
            self.settle()
            self._map()
            self._meet(self._asked_of(self.touching()))
        return self._things_of(getattr(self._meetings, which), first, second)

    def _things_of(
        self, pairs: NDArray[np.int64], first: int, second: int
    ) -> list[tuple[Any, Any]]:
        """The pairs of two layers: what has the first one, and what has the second."""
        layers = pairs % MOST_LAYERS
        straight, turned = (
            (layers == (first, second)).all(axis=1),
            (layers == (second, first)).all(axis=1),
        )
        pairs = np.where((turned & ~straight)[:, None], pairs[:, ::-1], pairs)[straight | turned]
        return [(self._keyed(one), self._keyed(two)) for one, two in pairs.tolist()]

    def _keyed(self, key: int) -> Any:
        """What has a key: a handle, a `Row` or a `Wall`; None for what is gone."""
        for bodies in self.sets:
            place = int(np.searchsorted(bodies.keys, key))
            if place < len(bodies.keys) and bodies.keys[place] == key:
                return self.handle_of(bodies, int(bodies.rows.rows[place]))
        return next((wall for wall in self.walls if wall.key == key), None)

    def handle_of(self, thing: Any, row: int) -> Any:
        """What a body is told as: the handle of its row, where its batch has any."""
        if not isinstance(thing, Bodies):
            return thing
        if row < 0 or row in thing.table.holes:
            return None
        return thing.batch[row] if isinstance(thing.batch, Handled) else Row(thing.batch, row)

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
            raw = {wall.key: wall.raw for wall in self.walls}
            for bodies in self.sets:
                raw |= dict(zip(bodies.keys.tolist(), bodies.raw, strict=True))
            still = [pair for pair in lost.tolist() if self._lie_still(*map(raw.get, pair))]
            met = np.concatenate([met, np.array(still, np.int64).reshape(-1, 2)])
        self._meetings.update(met)

    def _lie_still(self, first: Any, second: Any) -> bool:
        return first is not None and second is not None and self.both_still(first, second)


def _codes(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each pair of keys."""
    codes: NDArray[np.int64] = (pairs[:, 0] << 32) | pairs[:, 1]
    return codes
