"""The bodies, walls and joints of a physics world, and the physics steps that move them.

The states of all bodies are stored in one array, batch after batch. pymunk and Rapier store the
bodies in another order, so the `PhysicsEngine` sorts the states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Set
from fractions import Fraction
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeAlias, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Mask, Rows
from ..current_game import between_ticks
from ..errors import FrameworkError
from ..other_engines.other_names import SealedByClass
from ..other_engines.physics_names import joint_names
from ..state.columns import Table, Tabular
from ..state.rows import Handle, Handled, chosen_rows, table_of
from ..timing.schedule import MAX_RATE, exact
from .body_materials import BodyMaterial
from .body_traits import BodyTraits
from .bodysets import Bodies, BodySet, poses_of, set_of
from .contacts import (
    NO_CODES,
    NO_READING,
    BodyContacts,
    Codes,
    ContactColumns,
    NewContact,
    Reading,
    TouchingPairs,
    between_layers,
    both,
    in_order,
    is_unchanged,
    keys_of,
    merged,
    of_layers,
    pair_codes,
    unique,
    within,
)
from .engines import BodyT, PhysicsEngine
from .physics_layers import MAX_LAYERS, PhysicsLayers, Search

_LARGEST = float(np.finfo(np.float32).max)


class BodyRow(NamedTuple):
    """A row of a batch that has no handles: the batch, and the index of the row."""

    batch: Any
    row: int


class Wall:
    """A static body that is not in a batch: solid tiles, a line, a floor or a mesh.

    ``raw`` is a `Body` of pymunk, or a body handle of Rapier.
    """

    _not_hashed = ("raw",)

    def __init__(self, simulation: Simulation[Any], raw: Any, key: int) -> None:
        self._simulation = simulation
        self.raw = raw
        self._key = key

    def remove(self) -> None:
        """Remove the wall from the world. Bodies that were resting on the wall then fall.

        Calling `remove` again raises `ValueError`.
        """
        simulation = self._simulation
        simulation.check_not_stepping()
        if self not in simulation.walls:
            raise ValueError("wall: the wall was removed already")
        simulation.walls.remove(self)
        simulation.engine.remove_wall(self.raw)
        simulation.changed = True


@joint_names
class Joint(SealedByClass):
    """A joint between two bodies, or between a body and the world.

    ``raw`` is a constraint of pymunk, or a joint handle of Rapier. ``name`` is the name of the
    method that created the joint, such as "pivot" or "hinge".
    """

    _not_hashed: tuple[str, ...] = ("_ends", "raw")
    _public_attributes: ClassVar[tuple[str, ...]] = ("name", "raw")

    def __init__(
        self, simulation: Simulation[Any], raw: Any, ends: tuple[object, object], name: str
    ) -> None:
        self._simulation = simulation
        self.raw = raw
        self._ends = ends
        self.name = name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def removed(self) -> bool:
        """Whether the joint has been removed, directly or together with one of its bodies."""
        return self not in self._simulation.joints

    def remove(self) -> None:
        """Remove the joint, so that the two bodies are no longer connected.

        Raises `ValueError` if the joint has already been removed.
        """
        self._simulation.check_not_stepping()
        if self.removed:
            raise ValueError("joint: the joint, or one of its bodies, was removed already")
        self._simulation.joints.remove(self)
        self._simulation.engine.remove_joint(self.raw)


RowOrWall: TypeAlias = Handle[Any] | BodyRow | Wall
"""A body in the results of queries: the handle of its row, a `BodyRow`, or a wall.

The body is a `BodyRow` if the batch has no handles.
"""

HasBody: TypeAlias = Handle[Any] | tuple[Bodies, int] | Wall
"""The type of an argument for one body: the handle of a row, a pair ``(bodies, row)``, or a wall.
"""


Excluded: TypeAlias = HasBody | Bodies | Iterable[HasBody | Bodies]
"""The bodies that a query ignores: one body, the bodies of a batch, or a list of both."""


class Follower(Protocol):
    """An object that a simulation calls in each tick, such as the characters of a `Physics3D`."""

    def before_steps(self, seconds: float) -> None:
        """Called before the physics steps of a tick. ``seconds`` is the duration of the tick."""

    def after_step(self, seconds: float) -> None:
        """Called after each physics step. ``seconds`` is the duration of the step."""

    def end_tick(self) -> None:
        """Called at the end of each tick of the scene."""


class Simulation(Generic[BodyT]):
    """The bodies, walls and joints of a `Physics2D` or `Physics3D`. A simulation advances in
    physics steps.
    """

    _not_hashed: tuple[str, ...] = (
        "_mapped_keys",
        "_stepping",
        "changed",
        "followers",
        "has_transient_velocities",
    )

    def __init__(
        self,
        engine: PhysicsEngine[BodyT],
        gravity: ArrayLike,
        rate: float | Fraction | None,
        substeps: int,
    ) -> None:
        self.engine = engine
        self._stepping = False  # True while a physics step calls functions of the game
        self.gravity = gravity
        self._interval: Fraction | None = None
        if rate is not None:
            self._interval = 1 / checks.positive_fraction("rate", rate)
            if self._interval * MAX_RATE < 1:
                raise checks.wrong_value("rate", f"at most {MAX_RATE:,} steps a second", rate)
        self._substeps = checks.whole("substeps", substeps, 1, 1000)
        self._time = Fraction()
        self.layers = PhysicsLayers()
        self.sets: list[BodySet[BodyT]] = []
        """A list with the bodies of each call to `Physics2D.add` or `Physics3D.add`."""
        self.walls: list[Wall] = []
        self.joints: list[Joint] = []
        """The joints of this world, except joints that have been removed."""
        self.followers: list[Follower] = []
        """The objects that this simulation calls in each tick."""
        self.changed = True
        """Whether bodies or walls have been added or removed since `PhysicsEngine.map_order` was
        last called.
        """
        self.has_velocities = False
        """Whether the velocities are read from the physics engine after each tick."""
        self.has_transient_velocities = False
        """True if the velocities have been read, but only between ticks, for example by a debugger.
        Reading them there must not change the state of the game.
        """
        self._key_count = 0
        self._touching = TouchingPairs()
        self._columns: dict[tuple[int, int], ContactColumns] = {}
        """For each pair of layer indices, the contacts of this tick. Only pairs for which the game
        has called `contacts` are in the dict.
        """
        self._filters: dict[tuple[int, int], Callable[[NewContact], bool]] = {}
        """For each pair of layer indices, the function that the game passed to `filter_contacts`.
        """
        self._mapped_keys: NDArray[np.int64] = np.empty(0, np.int64)

    @property
    def gravity(self) -> tuple[float, ...]:
        """The acceleration of all dynamic bodies, in units / s²."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        vector = checks.vector("gravity", value, self.engine.dimensions)
        self.check_not_stepping()
        self._gravity: tuple[float, ...] = tuple(vector.tolist())
        self.engine.set_gravity(self._gravity)

    # -- ticks -------------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Simulate ``seconds`` of physics in ``substeps`` steps. If the world has a ``rate``, the
        number of steps depends on ``seconds``.
        """
        self.sync_bodies()
        for follower in self.followers:
            follower.before_steps(seconds)
        steps, length = self._due(seconds)
        if not steps:
            self._skip_contacts()
            return
        for bodies in self.sets:
            bodies.send_changes(steps * length)
        self._map_order()
        readings, error = self._run_steps(steps, length)
        self.engine.stop_carried()
        self._update_contacts(self.engine.touched(), readings)
        if self._filters:
            self.sync_bodies()  # these functions may have removed rows
            self._map_order()
        states = self._read_states()
        state_error = self._error_of(states)
        if state_error is None:  # otherwise the batches keep the numbers of the last tick
            for bodies, indices in self._parts():
                bodies.take(states[indices])
        # If both errors have occurred, raise the error of the game's own function.
        if error is None:
            error = state_error
        if error is not None:
            raise error

    def _error_of(self, states: Doubles) -> FrameworkError | None:
        """Return an error if the physics engine has computed a number that is NaN or too large for
        the columns of a batch. Otherwise, return None.
        """
        # The comparison is also False for NaN.
        if np.abs(states).max(initial=0) <= _LARGEST:
            return None
        for bodies, indices in self._parts():
            if not len(bodies.raw):
                continue
            for attribute in (*bodies.poses, *bodies.speeds):
                values = states[indices, attribute.parts]
                is_right = (np.abs(values) <= _LARGEST).reshape(len(values), -1).all(axis=1)
                if not is_right.all():
                    index = int(np.argmin(is_right))
                    return FrameworkError(
                        f"{attribute.name}: the physics engine computed "
                        f"{checks.shown(values[index].tolist())} for row {bodies.rows.rows[index]}; "
                        "very stiff springs, joints that contradict each other, or a number that "
                        "the game has set on the body itself can cause this: set a smaller "
                        "stiffness= or damping=, more substeps=, or a smaller, finite number"
                    )
        return None

    def _run_steps(
        self, count: int, length: float
    ) -> tuple[list[tuple[Codes, Reading]], BaseException | None]:
        """Simulate ``count`` physics steps of ``length`` seconds. Return the results of
        `_read_step` for each step if the game has read contacts.

        If a function of `filter_contacts` raises an error, the current step is the last step, and
        the error is the second result.
        """
        engine = self.engine
        readings: list[tuple[Codes, Reading]] = []
        for _ in range(count):
            self._push_forces()
            self._stepping = bool(self._filters)
            engine.step_once(length)
            self._stepping = False
            for follower in self.followers:
                follower.after_step(length)
            engine.note_touching()
            if self._columns:
                readings.append(self._read_step())
            error = engine.take_error()
            if error is not None:
                return readings, error
        return readings, None

    def _push_forces(self) -> None:
        for bodies in self.sets:
            for name, (indices, values) in bodies.applied_forces().items():
                self.engine.push_forces(name, bodies.raw_at(indices), values)

    def _due(self, seconds: float) -> tuple[int, float]:
        """Return the number of physics steps for a tick, and the duration of a step in seconds."""
        if self._interval is None:
            return (self._substeps, seconds / self._substeps) if seconds else (0, 0.0)
        self._time += exact(seconds)
        steps, self._time = divmod(self._time, self._interval)
        return int(steps), float(self._interval)

    def sync_bodies(self) -> None:
        """Create a body for each new row, and remove the bodies of rows that the game has removed."""
        self.check_not_stepping()
        changed = [bodies.sync_rows() for bodies in self.sets]
        if any(changed):
            self.changed = True

    def check_not_stepping(self) -> None:
        """Raise `FrameworkError` while a function that the game passed to `filter_contacts` is
        running.
        """
        if self._stepping:
            raise FrameworkError(
                "filter_contacts: bodies cannot be read or changed in the middle of a physics "
                "step; use the attributes of the contact, store what you need, and change the "
                "bodies in update"
            )

    def finish(self) -> None:
        """End the tick: create a body for each new row, and remove the bodies of rows that the game
        has removed.

        After `finish`, code such as a debugger can read bodies between two ticks without changing
        the game's state.
        """
        self.sync_bodies()
        for bodies in self.sets:
            bodies.note_teleports()
        for follower in self.followers:
            follower.end_tick()
        if self.changed:
            self._map_order()
            self._read_states()

    def _read_states(self) -> Doubles:
        return self.engine.read_states(self.has_velocities, self.has_transient_velocities)

    def _parts(self) -> Iterator[tuple[BodySet[BodyT], slice]]:
        """Yield a pair for each batch: the bodies of the batch, and their slice in the array of all
        states.
        """
        start = 0
        for bodies in self.sets:
            yield bodies, slice(start, start + len(bodies.raw))
            start += len(bodies.raw)

    def _map_order(self) -> None:
        if self.changed:
            self.engine.map_order(self._all_bodies(), [wall.raw for wall in self.walls])
            walls = np.array([wall._key for wall in self.walls], np.int64)
            self._mapped_keys = np.concatenate([*[bodies.keys for bodies in self.sets], walls])
            self.changed = False

    def _all_bodies(self) -> list[BodyT]:
        return [body for bodies in self.sets for body in bodies.raw]

    def read_velocities(self) -> None:
        """Read the current velocities of all bodies from the physics engine."""
        self.engine.mark_moved(self._all_bodies())
        self._map_order()
        states = self._read_states()
        for bodies, indices in self._parts():
            for attribute in (*bodies.speeds, *bodies.transient_speeds):
                attribute.put(states[indices, attribute.parts])

    # -- bodies ------------------------------------------------------------------------------------

    def new_keys(self, count: int, layer: int) -> NDArray[np.int64]:
        """Return ``count`` new unique numbers for bodies or walls.

        The low five bits of each number are the index of the body's layer.
        """
        self._key_count += count
        return np.arange(self._key_count - count, self._key_count) * MAX_LAYERS + layer

    def add_bodies(
        self,
        batch: object,
        rows: object,
        shape: object,
        stuff: BodyMaterial,
        traits: BodyTraits | None = None,
    ) -> Bodies:
        """Create bodies for all rows of ``batch``, or only for ``rows``."""
        engine = self.engine
        if isinstance(batch, Handle):
            rows = batch
            batch = batch.batch
        table = table_of(batch)
        tabular = cast(Tabular[Table], batch)
        if table is None or not all(map(poses_of(tabular)[0].has, ("position", engine.pose))):
            raise checks.wrong_type("batch", f"{engine.noun}, or one of its rows", batch)
        chosen = None if rows is None else _row_array(tabular, rows)
        self._check_free(table, chosen)
        bodies = BodySet(self, engine, tabular, chosen, shape, stuff, traits)
        if chosen is not None:
            bodies.add_rows(chosen)
        bodies.sync_rows()
        self.sets.append(bodies)
        self.changed = True
        return Bodies(bodies)

    def _check_free(self, table: Table, rows: Rows | None) -> None:
        if rows is not None and len(np.unique(rows)) < len(rows):
            raise ValueError(
                "rows: expected each row once, got a row twice; a row can have only one body"
            )
        self.sync_bodies()
        for bodies in self.sets:
            if bodies.table is table:
                overlaps = rows is None or bodies.all_rows or np.isin(rows, bodies.rows.rows).any()
                if overlaps and (len(bodies.raw) or bodies.all_rows):
                    raise ValueError(
                        "batch: some rows have bodies already, and a row can have only one; call "
                        "physics.remove(bodies) first"
                    )

    def remove(self, bodies: Bodies) -> None:
        """Remove all bodies in ``bodies`` from the simulation. See `PhysicsWorld.remove`."""
        body_set = set_of(checks.instance("bodies", bodies, Bodies))
        if body_set not in self.sets:
            raise ValueError(
                "bodies: expected bodies of this physics world, got bodies of another world, or "
                "bodies that were removed"
            )
        self.sync_bodies()
        body_set.end()
        self.sets.remove(body_set)
        self.changed = True

    def remove_bodies(self, raw: list[BodyT]) -> None:
        """Remove bodies and their joints from the physics engine."""
        for body in raw:
            for joint in [joint for joint in self.joints if body in joint._ends]:
                joint.remove()
            self.engine.remove_body(body)

    def new_wall(self, shape: object, stuff: BodyMaterial) -> Wall:
        """Create a wall, and return the `Wall`. ``shape`` must be created by a method of the
        physics engine.
        """
        self.check_not_stepping()
        raw = self.engine.new_wall(shape, stuff)
        wall = Wall(self, raw, int(self.new_keys(1, stuff.layer)[0]))
        self.walls.append(wall)
        self.changed = True
        return wall

    def set_with(self, handle: Handle[Any]) -> BodySet[BodyT] | None:
        """Return the `BodySet` that contains the body of a handle's row. If the row has no body,
        return None.
        """
        for bodies in self.sets:
            if bodies.batch is handle.batch and (bodies.rows.rows == handle.row).any():
                return bodies
        return None

    def body_of(self, name: str, target: HasBody, new_body: str = "physics.add(batch)") -> BodyT:
        """Return the pymunk or Rapier body of a wall, a handle, or a pair ``(bodies, row)``.

        ``name`` is the name of the argument, for error messages. ``new_body`` is code that creates
        a body. The error message shows this code if the row has no body.
        """
        if _is_pair(target):
            body: BodyT = set_of(target[0]).raw_of(target[1])
            return body
        if isinstance(target, Wall):
            raw: BodyT = target.raw
            return raw
        what = "a handle of a row that has a body, such as a sprite, or (bodies, row)"
        handle: Handle[Any] = checks.instance(name, target, Handle, what=what)
        self.sync_bodies()
        bodies = self.set_with(handle)
        if bodies is None:
            raise ValueError(f"{name}: the row has no body; write {new_body} first")
        return bodies.raw_of(handle.row)

    def search(self, layers: Iterable[str] | None, exclude: Excluded, sensors: bool) -> Search:
        """Return a `Search`: the layers and bodies that a query may find. See `Queries2D` for the
        arguments.
        """
        self.sync_bodies()
        single = isinstance(exclude, Handle | Wall | Bodies) or _is_pair(exclude)
        items: list[Any] = [exclude] if single else checks.items("exclude", cast(Any, exclude))
        raw: list[BodyT] = []
        for item in items:
            raw += set_of(item).raw if isinstance(item, Bodies) else [self.body_of("exclude", item)]
        keys = frozenset(self.engine.keys_of(raw))
        return Search(self.layers.known_bits(layers), keys, checks.flag("sensors", sensors))

    def ends_of(self, first: HasBody | None, second: HasBody | None) -> tuple[BodyT, BodyT]:
        """Return the two bodies of a joint, as objects of pymunk or Rapier.

        If ``first`` or ``second`` is None, the static body of the world is used instead.
        """
        if first is None and second is None:
            raise ValueError("second: expected a body, got None (the world) for both ends")
        for name, target in (("first", first), ("second", second)):
            self._check_in_world(name, target)
        first_body, second_body = [
            self.engine.world_body() if target is None else self.body_of(name, target)
            for name, target in (("first", first), ("second", second))
        ]
        if first_body == second_body:
            raise ValueError("second: expected a body other than first, got the same body")
        return first_body, second_body

    def _check_in_world(self, name: str, target: HasBody | None) -> None:
        """Raise `ValueError` if ``target`` is a wall, or a pair ``(bodies, row)``, that is not in
        this world. ``name`` is the name of the argument.
        """
        if isinstance(target, Wall) and target not in self.walls:
            problem = "a wall of this physics world, got a removed wall, or a wall of another world"
        elif _is_pair(target) and set_of(target[0]) not in self.sets:
            problem = "bodies of this physics world, got removed bodies, or bodies of another world"
        else:
            return
        raise ValueError(f"{name}: expected {problem}")

    def query_results(self, keys: Set[Hashable]) -> list[RowOrWall | None]:
        """Return the rows and walls of the bodies that a query has found. ``keys`` are the keys of
        these bodies: see `PhysicsEngine.keys_of`.

        The rows are in the order in which the game added the bodies. The walls come after the rows.
        """
        results: list[RowOrWall | None] = []
        for bodies in self.sets:
            rows: list[int] = bodies.rows.rows.tolist()
            pairs = zip(self.engine.keys_of(bodies.raw), rows, strict=True)
            results += [handle_of(bodies, row) for key, row in pairs if key in keys]
        wall_keys = self.engine.keys_of([wall.raw for wall in self.walls])
        walls = zip(wall_keys, self.walls, strict=True)
        return results + [wall for key, wall in walls if key in keys]

    def query_owners(self) -> Callable[[Hashable], RowOrWall | None]:
        """Return a function that converts a key of `PhysicsEngine.keys_of` to the body's row or
        wall. For a body that the game has added directly to pymunk or Rapier, the function returns
        None.
        """
        owners: list[tuple[BodySet[BodyT], dict[Hashable, int]]] = []
        for bodies in self.sets:
            rows: list[int] = bodies.rows.rows.tolist()
            keys = self.engine.keys_of(bodies.raw)
            owners.append((bodies, dict(zip(keys, rows, strict=True))))
        wall_keys = self.engine.keys_of([wall.raw for wall in self.walls])
        walls = dict(zip(wall_keys, self.walls, strict=True))

        def owner_of(key: Hashable) -> RowOrWall | None:
            for bodies, rows_by_key in owners:
                if key in rows_by_key:
                    return handle_of(bodies, rows_by_key[key])
            return walls.get(key)

        return owner_of

    # -- contacts ----------------------------------------------------------------------------------

    def touching_rows(self, bodies: Bodies, other: Bodies) -> Rows:
        """Return the pairs of rows whose bodies are touching. The result is an array with the shape
        (m, 2).

        See `PhysicsWorld.touching_rows`.
        """
        self.sync_bodies()
        self._map_order()
        first, first_part = self._set_and_part("bodies", bodies)
        second, second_part = self._set_and_part("other", other)
        touching = self.engine.touching()
        pairs = np.concatenate([touching, touching[:, ::-1]])
        start = (first_part.start, second_part.start)
        stop = (first_part.stop, second_part.stop)
        is_between: Mask = (pairs >= start) & (pairs < stop)
        pairs = pairs[is_between.all(axis=1)] - start
        if first is second:
            pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        rows = np.column_stack([first.rows.rows[pairs[:, 0]], second.rows.rows[pairs[:, 1]]])
        return np.unique(rows, axis=0).astype(np.intp).reshape(-1, 2)

    def _set_and_part(self, name: str, bodies: Bodies) -> tuple[BodySet[BodyT], slice]:
        """Return the `BodySet` of ``bodies``, and its slice in the array of all states. ``name`` is
        the name of the argument, for error messages.
        """
        body_set = set_of(checks.instance(name, bodies, Bodies))
        for own_set, part in self._parts():
            if own_set is body_set:
                return own_set, part
        raise ValueError(f"{name}: expected bodies of this physics world")

    def pairs(self, which: str, layer: str, other: str) -> list[tuple[Any, Any]]:
        """Return the pairs of two layers that began to touch, are still touching, or separated in
        this tick. ``which`` is "entered", "staying" or "exited".
        """
        first = self.layers.known(layer)
        codes = self._touching.changes(which, first, self.layers.known(other, "other"))
        keys, _ = in_order(codes, first)
        numbers: list[list[int]] = keys.tolist()
        return [(self.owner_of_key(a), self.owner_of_key(b)) for a, b in numbers]

    def contacts(self, layer: str, other: str) -> BodyContacts:
        """Return the contacts between two layers in this tick. See `PhysicsWorld.contacts`.

        Once `contacts` has been called for two layers, `advance` reads their contacts after each
        physics step. Calling `contacts` between two ticks, for example in a debugger, does not
        change the state of the game.
        """
        self.check_not_stepping()
        first = self.layers.known(layer)
        second = self.layers.known(other, "other")
        columns = self._columns_of(min(first, second), max(first, second))
        keys, swapped = in_order(columns.codes, first)
        normals = np.where(swapped[:, None], -columns.normals, columns.normals)
        entered = ~within(columns.codes, self._touching.before)
        exited, _ = in_order(self._touching.changes("exited", first, second), first)
        return BodyContacts(
            self, keys, self._rows_of_keys(keys), columns._replace(normals=normals), entered, exited
        )

    def _columns_of(self, low: int, high: int) -> ContactColumns:
        """Return the contacts between two layers in this tick. The first call for two layers in a
        tick also makes `advance` read their contacts after each physics step.

        ``low`` is the lower of the two indices of the layers, and ``high`` is the higher index.
        """
        columns = self._columns.get((low, high))
        if columns is not None:
            return columns
        self.sync_bodies()
        self._map_order()
        codes = of_layers(self._touching.now, low, high)
        reading = self._read_contacts(codes, asleep=True)
        columns = merged(codes, [reading], self.engine.dimensions)
        if not between_ticks():
            self._columns[low, high] = columns
        return columns

    def contact_lines(self, length: float) -> Doubles:
        """Return lines that show all contacts: a cross and a normal for each contact.

        The array of lines has the shape (m, 2, 2), or (m, 2, 3) in 3D. ``length`` is the length of
        the normals in units.
        """
        self._map_order()
        width = self.engine.dimensions
        codes, reading = self._read_contacts(self._touching.now, asleep=True)
        columns = merged(unique(codes), [(codes, reading)], width)
        points = columns.points
        # A quarter of the length in both directions of each axis.
        arms: Doubles = np.eye(width)[:, None] * (length / 4)
        crosses = np.stack([points - arms, points + arms], axis=2).reshape(-1, 2, width)
        normals = np.stack([points, points + columns.normals * length], axis=1)
        return np.concatenate([crosses, normals])

    def filter_contacts(
        self, layer: str, other: str, function: Callable[[NewContact], bool] | None
    ) -> None:
        """Set the function that decides whether two bodies collide.

        See `PhysicsWorld.filter_contacts`.
        """
        self.sync_bodies()
        first = self.layers.known(layer)
        second = self.layers.known(other, "other")
        if function is not None and not callable(function):
            raise checks.wrong_type(
                "function", "a function that takes a contact, or None", function
            )
        self._filters.pop((first, second), None)
        self._filters.pop((second, first), None)
        if function is not None:
            self._filters[first, second] = function
        self.engine.filter_contacts([*self._filters], self._collides, self._raw_in_layer(first))

    def _raw_in_layer(self, layer: int) -> list[BodyT]:
        """Return the pymunk or Rapier bodies of all bodies and walls in a layer."""
        bodies = [
            body for bodies in self.sets if bodies.material.layer == layer for body in bodies.raw
        ]
        return bodies + [wall.raw for wall in self.walls if wall._key % MAX_LAYERS == layer]

    def _collides(
        self,
        index: int,
        other: int,
        point: Doubles,
        normal: Doubles,
        depth: float,
        relative_velocity: Doubles,
    ) -> bool:
        """Call the game's function that decides whether two bodies collide, and return its result.
        ``index`` and ``other`` are the indices of the two bodies.

        ``normal`` points from the first body to the second body.
        """
        keys: list[int] = self._mapped_keys[[index, other]].tolist()
        layers = keys[0] % MAX_LAYERS, keys[1] % MAX_LAYERS
        function = self._filters.get(layers)
        swapped = function is None or (layers[0] == layers[1] and keys[0] > keys[1])
        if swapped:
            function = self._filters.get((layers[1], layers[0]))
            keys.reverse()
            normal = -normal
            relative_velocity = -relative_velocity
        if function is None:
            return True
        for bodies in self.sets:
            bodies.table.close_holes()  # an earlier call may have removed rows
        contact = NewContact(
            self.owner_of_key(keys[0]),
            self.owner_of_key(keys[1]),
            tuple(point.tolist()),
            tuple(normal.tolist()),
            depth,
            tuple(relative_velocity.tolist()),
        )
        collides = function(contact)
        if not isinstance(collides, bool | np.bool_):
            raise checks.wrong_type(
                "filter_contacts", "True (collide) or False (pass) from the function", collides
            )
        return bool(collides)

    def body_with(self, key: int) -> tuple[BodySet[BodyT], int] | None:
        """Return the `BodySet` of the body with the number ``key``, and the index of the body.

        If the body has been removed or is a wall, return None.
        """
        for bodies in self.sets:
            keys = bodies.keys
            if len(keys) and keys[0] <= key <= keys[-1]:
                index = int(keys.searchsorted(key))
                if keys[index] == key:
                    return bodies, index
        return None

    def key_of(self, raw: BodyT) -> int | None:
        """Return the unique number of a pymunk or Rapier body. If the game has added the body
        directly to pymunk or Rapier, return None.
        """
        for bodies in self.sets:
            if raw in bodies.raw:
                return int(bodies.keys[bodies.raw.index(raw)])
        return next((wall._key for wall in self.walls if wall.raw == raw), None)

    def owner_of_key(self, key: int) -> RowOrWall | None:
        """Return the handle, `BodyRow` or `Wall` with the number ``key``. If the body or wall has
        been removed, return None.
        """
        for bodies in self.sets:
            index = int(np.searchsorted(bodies.keys, key))
            if index < len(bodies.keys) and bodies.keys[index] == key:
                return handle_of(bodies, int(bodies.rows.rows[index]))
        return next((wall for wall in self.walls if wall._key == key), None)

    def _rows_of_keys(self, keys: Codes) -> Rows:
        """For each key, return the row of the body in its batch. If a key belongs to a wall or a
        removed body, return -1 for this key.
        """
        rows = np.full(keys.shape, -1, np.intp)
        for bodies in self.sets:
            contained = within(keys.ravel(), bodies.keys).reshape(keys.shape)
            if contained.any():
                rows[contained] = bodies.rows.rows[np.searchsorted(bodies.keys, keys[contained])]
        return rows

    def _indices_of_keys(self, keys: Codes) -> Rows:
        """For each key, return the index of the body or wall in the order of `map_order`. If a key
        belongs to a removed body or wall, return -1 for this key.
        """
        order = np.argsort(self._mapped_keys)
        ascending = self._mapped_keys[order]
        contained = within(keys.ravel(), ascending).reshape(keys.shape)
        indices = np.full(keys.shape, -1, np.intp)
        indices[contained] = order[np.searchsorted(ascending, keys[contained])]
        return indices

    def relative_velocities(self, keys: Codes, points: Doubles) -> Doubles:
        """For each pair of bodies, return the velocity of the second body relative to the first
        body. ``points`` are in world coordinates.
        """
        self.sync_bodies()
        self._map_order()
        indices = self._indices_of_keys(keys)
        raw = [*self._all_bodies(), *[wall.raw for wall in self.walls]]
        velocities = np.full((len(keys), self.engine.dimensions), np.nan)
        valid = np.flatnonzero((indices >= 0).all(axis=1) & np.isfinite(points).all(axis=1))
        for row in valid.tolist():
            first, second = indices[row].tolist()
            at = points[row]
            velocities[row] = self.engine.velocity_at(raw[second], at) - self.engine.velocity_at(
                raw[first], at
            )
        return velocities

    def _read_step(self) -> tuple[Codes, Reading]:
        """Return the contacts of the last step, for pairs of layers whose contacts the game has
        read.

        The first result contains one pair code for each contact. Contacts of sleeping bodies may be
        missing from the result.
        """
        if self.engine.all_asleep():
            return NO_CODES, NO_READING
        indices = self.engine.touching()
        codes = pair_codes(self._mapped_keys[indices].reshape(-1, 2))
        in_layers = [between_layers(codes, *pair) for pair in self._columns]
        codes = unique(codes[np.logical_or.reduce(in_layers)])
        return self._read_contacts(codes, asleep=False)

    def _read_contacts(self, codes: Codes, asleep: bool) -> tuple[Codes, Reading]:
        """Return the contacts of the pairs ``codes`` in the last step, and the pair code of each
        contact.

        If ``asleep`` is False, the engine may omit pairs of sleeping bodies.
        """
        indices = self._indices_of_keys(keys_of(codes))
        present = both(indices >= 0)
        reading = self.engine.read_contacts(indices[present], asleep)
        return codes[present][reading.pairs], reading

    def _update_contacts(self, indices: Rows, readings: list[tuple[Codes, Reading]]) -> None:
        """Set the touching pairs of a tick, and the contacts of the layers whose contacts the game
        has read. The touching pairs are the pairs in ``indices``, and the pairs that touched
        earlier and are now sleeping.
        """
        codes = unique(pair_codes(self._mapped_keys[indices].reshape(-1, 2)))
        before = self._touching.now
        lost = before[~within(before, codes)]
        if len(lost):
            asleep = lost[self._are_asleep(lost)]
            if len(asleep):
                codes = np.sort(np.concatenate([codes, asleep]))
        self._touching.update(codes)
        for pair, last in self._columns.items():
            codes = of_layers(self._touching.now, *pair)
            if self.engine.all_asleep() and is_unchanged(last, codes, len(readings)):
                continue  # keeps the arrays of the last tick, so that snapshots can share them
            columns = merged(codes, readings, self.engine.dimensions, last)
            self._add_impulses_of_sleepers(columns)
            self._columns[pair] = columns

    def _are_asleep(self, codes: Codes) -> Mask:
        """For each pair, return whether its bodies exist and are sleeping."""
        pairs = self._indices_of_keys(keys_of(codes))
        asleep = both(pairs >= 0)
        asleep[asleep] = self.engine.asleep_pairs(pairs[asleep])
        return asleep

    def _add_impulses_of_sleepers(self, columns: ContactColumns) -> None:
        """Add impulses for pairs that have fallen asleep in this tick: in the steps after that,
        each pair has the impulse of its last step.
        """
        partial = np.flatnonzero(columns.unread_steps)
        if len(partial):
            pairs = self._indices_of_keys(keys_of(columns.codes[partial]))
            asleep = partial[self.engine.asleep_pairs(pairs)]
            load = columns.last_impulses[asleep] * columns.unread_steps[asleep]
            columns.impulses[asleep] += load

    def _skip_contacts(self) -> None:
        """End a tick that has no physics step: the touching pairs do not change, and all impulses
        are 0.
        """
        self._touching.update(self._touching.now)
        for pair, columns in self._columns.items():
            self._columns[pair] = columns._replace(impulses=np.zeros(len(columns.codes)))


def _row_array(batch: Tabular[Table], rows: object) -> Rows:
    selected = chosen_rows(batch, cast(ArrayLike, rows))
    return np.arange(selected.start, selected.stop) if isinstance(selected, slice) else selected


def _is_pair(target: object) -> TypeGuard[tuple[Bodies, int]]:
    """Return whether ``target`` is a pair ``(bodies, row)``."""
    return isinstance(target, tuple) and len(target) == 2 and isinstance(target[0], Bodies)


def handle_of(owner: BodySet[Any] | Wall | None, row: int) -> RowOrWall | None:
    """Return the handle of a body's row. If the batch has no handles, return a `BodyRow`. If the
    body is a wall, return the `Wall`.

    If the row has been removed, return None.
    """
    if not isinstance(owner, BodySet):
        return owner
    if row < 0 or row in owner.table.holes:
        return None
    return owner.batch[row] if isinstance(owner.batch, Handled) else BodyRow(owner.batch, row)
