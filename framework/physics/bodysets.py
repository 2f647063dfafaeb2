"""Bodies of a batch's rows: they come and go with the rows, and what ticks make of them stands in
the batch's columns.

Before a step, what the game has written to a column since the last one is given to the engine;
after it, poses are written back. A `Channel` knows for one column what it was told last, and so
what the game has written.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Mask, Rows, row_indices
from ..current_game import between_ticks
from ..state.columns import Column, Table, Tabular, assign_to
from ..state.rows import Handle, RowSet, row_in, table_of
from .body_materials import Material
from .engines import BodyT, Engine


class _Models(Protocol):
    """A batch of models, which has its poses in a table of nodes."""

    @property
    def stride(self) -> int: ...

    @property
    def nodes(self) -> Tabular[Table]: ...


def poses_of(batch: Tabular[Table]) -> tuple[Table, int]:
    """Return the table with the poses of a batch, and how many of its rows each row of the batch
    has there.
    """
    stride: int | None = getattr(batch, "stride", None)
    if stride is None:
        return table_of(batch), 1
    return table_of(cast(_Models, batch).nodes), stride


class Channel:
    """One attribute of bodies, in a column of their batch or, where that has none, in numbers of
    its own.

    A batch of models has its poses in a table of nodes, in which each copy takes ``stride`` rows.
    """

    __slots__ = ("column", "name", "own", "parts", "rows", "stride", "table", "told")

    def __init__(
        self, rows: RowSet, table: Table, stride: int, name: str, parts: slice | int
    ) -> None:
        self.rows, self.table, self.stride = rows, table, stride
        self.name = name
        self.parts = parts
        """Where it stands in a body's state."""
        self.column: Column | None = table.column(name) if table.has(name) else None
        width = 0 if isinstance(parts, int) else parts.stop - parts.start
        kind = np.float64 if self.column is None else self.column.data.dtype
        self.own: NDArray[Any] = np.zeros((0, width) if width else 0, np.float64)
        self.told: NDArray[Any] = self.own.astype(kind)
        """What it was when a step ended."""

    @property
    def _place(self) -> Rows | slice:
        place, stride = self.rows.place() if len(self.rows.rows) else slice(0, 0), self.stride
        if stride == 1:
            return place
        return (
            slice(place.start * stride, place.stop * stride, stride)
            if isinstance(place, slice)
            else place * stride
        )

    def of_rows(self, rows: Rows) -> NDArray[Any]:
        """What it is for rows that have no bodies yet."""
        if self.column is None:
            return np.zeros((len(rows), *self.told.shape[1:]))
        return self.column.current(self.table.count)[rows * self.stride]

    def now(self) -> NDArray[Any]:
        """What it is, for reading only."""
        return (
            self.own if self.column is None else self.column.current(self.table.count)[self._place]
        )

    def view(self) -> NDArray[Any]:
        """What it is, to be written to in place, unless the rows are scattered."""
        return (
            self.own if self.column is None else self.column.values(self.table.count)[self._place]
        )

    def assign(self, values: ArrayLike) -> None:
        """Have other values, which the game has written."""
        target = self.view()
        assign_to(self.name, target, values)
        if self.column is not None:
            self.column.values(self.table.count)[self._place] = target

    def put(self, values: NDArray[Any]) -> None:
        """Have other values, which it is told of."""
        values = _converted(values, self.told.dtype)
        # The same, as when all are asleep. As a rule the first few tell that they are not.
        if values[:_FEW].tobytes() == self.told[:_FEW].tobytes() and np.array_equal(
            values, self.told
        ):
            return
        if self.column is None:
            self.own[...] = values
        else:
            self.column.values(self.table.count)[self._place] = values
        self.told = values

    def written(self) -> Rows:
        """Which bodies it was written for since then."""
        now = self.now()
        if np.array_equal(now, self.told):
            return _NO_ROWS
        differs = now != self.told
        return np.flatnonzero(differs if differs.ndim == 1 else differs.any(axis=1))

    def resize(self, kept: Mask, more: NDArray[Any]) -> None:
        """Some bodies are left, and there are more."""
        self.told = np.concatenate([self.told[kept], more.astype(self.told.dtype)])
        if self.column is None:
            self.own = np.concatenate([self.own[kept], more])


def _converted(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Numbers of another type, contiguous. Part by part: of rows as short as these, row by row
    takes four times as long."""
    made = np.empty(values.shape, dtype)
    if values.ndim == 1:
        made[:] = values
    else:
        for part in range(values.shape[1]):
            made[:, part] = values[:, part]
    return made


_FEW = 8
_NO_ROWS: Rows = np.empty(0, np.intp)


class Host(Protocol[BodyT]):
    """The simulation that bodies are in."""

    moving: bool
    """Whether velocities are read after each tick."""
    looking: bool
    """Whether velocities were read between ticks only, which is no state."""

    def settle(self) -> None:
        """Give new rows their bodies, and remove the bodies of rows that are gone."""

    def new_keys(self, count: int, layer: int) -> NDArray[np.int64]:
        """Return numbers that no other body or wall has."""

    def drop_bodies(self, raw: list[BodyT]) -> None:
        """Remove bodies from the engine, and the joints that hold them."""

    def read_velocities(self) -> None:
        """Read the velocities of all bodies now."""


class BodySet(Generic[BodyT]):
    """The bodies of a batch, as the simulation drives them; the game holds `Bodies` of it."""

    _not_hashed: ClassVar[tuple[str, ...]] = ("_looked_at", "looked", "raw")

    def __init__(
        self,
        host: Host[BodyT],
        engine: Engine[BodyT],
        batch: Tabular[Table],
        rows: Rows | None,
        shape: object,
        stuff: Material,
    ) -> None:
        self.host, self.engine = host, engine
        self.batch = batch
        self.table = table_of(batch)
        self.every = rows is None
        """Whether all rows have bodies, later ones too."""
        self.shape, self.material = shape, stuff
        self.rows = RowSet(self.table, _NO_ROWS)
        self.raw: list[BodyT] = []
        """The engine's bodies."""
        self.keys: NDArray[np.int64] = np.empty(0, np.int64)
        """Numbers that no other body has or will have, ascending: see `Simulation.new_keys`."""
        self.poses = self._channels("position", engine.pose)
        self.speeds: list[Channel] = []
        self.looked: list[Channel] = []
        """Channels of velocities that were read between ticks only: no state, until the game writes
        to them.
        """
        self._looked_at = False  # the same of forces
        self._pushed = False  # whether rules have read the forces, and may have written to them
        turns = np.empty((0, 3)) if engine.dimensions == 3 else np.empty(0)
        self._forces: list[Doubles] = [np.empty((0, engine.dimensions)), turns]
        if self.table.has("velocity") or self.table.has("spin"):
            self.have_velocities()

    def _channels(self, *names: str) -> list[Channel]:
        """Channels for some of the attributes of a body's state."""
        every = ("position", self.engine.pose, "velocity", "spin")
        table, stride = poses_of(self.batch)
        return [
            Channel(self.rows, table, stride, name, self.engine.sizes[every.index(name)])
            for name in names
        ]

    # -- rows and their bodies ---------------------------------------------------------------------

    def raw_of(self, row: int | Handle[Any]) -> BodyT:
        """Return the engine's body of a row. Raises `ValueError` if the row has none."""
        place = self.place_of(row)  # which may exchange the list, for rows that are gone
        return self.raw[place]

    def place_of(self, row: int | Handle[Any]) -> int:
        """Return the index of a row's body. Raises `ValueError` if the row has none."""
        self.host.settle()
        number = row_in(row, self.batch) if isinstance(row, Handle) else checks.whole("row", row, 0)
        found = np.flatnonzero(self.rows.rows == number)
        if not len(found):
            raise ValueError(f"row: there are {len(self.raw)} bodies, none of them of row {number}")
        return int(found[0])

    def places(self, rows: object) -> Rows:
        """Return the indices of the bodies of rows: a handle, indices, a mask or a slice."""
        self.host.settle()
        if isinstance(rows, Handle):
            return np.array([self.place_of(rows)])
        wanted = row_indices(rows, self.table.count)
        if isinstance(wanted, slice):
            wanted = np.arange(wanted.start, wanted.stop)
            return np.flatnonzero(np.isin(self.rows.rows, wanted))
        return np.array([self.place_of(int(row)) for row in wanted], np.intp)

    def raw_at(self, places: Rows) -> list[BodyT]:
        """Return the engine's bodies at indices."""
        raw = self.raw
        return [raw[place] for place in places.tolist()]

    # -- velocities and forces ---------------------------------------------------------------------

    def speed(self, index: int) -> NDArray[Any]:
        """Return the velocities (0) or the spins (1), for the game to read, and to write to."""
        self.host.settle()
        if not self.speeds and between_ticks():
            if not self.looked:
                self.looked, self.host.looking = self._new_speeds(), True
                self.host.read_velocities()
            return self.looked[index].view()
        self.have_velocities()
        return self.speeds[index].view()

    def set_speed(self, index: int, value: ArrayLike) -> None:
        """Set the velocities (0) or the spins (1)."""
        self.host.settle()
        self.have_velocities()
        self.speeds[index].assign(value)

    def have_velocities(self) -> None:
        """Read velocities after each tick from now on."""
        if not self.speeds:
            self.speeds, self.looked = self.looked or self._new_speeds(), []
            self.host.moving = True
            self.host.read_velocities()

    def _new_speeds(self) -> list[Channel]:
        """Return channels of the velocities and the spins of all bodies."""
        speeds = self._channels("velocity", "spin")
        for channel in speeds:
            channel.resize(np.zeros(0, bool), np.zeros((len(self.raw), *channel.told.shape[1:])))
        return speeds

    def _all_channels(self) -> tuple[Channel, ...]:
        return *self.poses, *self.speeds, *self.looked

    def force(self, index: int) -> Doubles:
        """Return the forces (0) or the torques (1), for the game to read, and to write to."""
        self.host.settle()
        if between_ticks():
            self._looked_at = True
        else:
            self._pushed = True
        return self._forces[index]

    def set_force(self, index: int, value: ArrayLike) -> None:
        """Set the forces (0) or the torques (1)."""
        assign_to(("force", "torque")[index], self.force(index), value)
        self._pushed = True

    def hit(self, impulse: ArrayLike, rows: object, point: ArrayLike | None) -> None:
        """See `Bodies.impulse`."""
        places = self.places(rows)
        width = self.engine.dimensions
        hits = np.broadcast_to(checks.vectors("impulse", impulse, width), (len(places), width))
        points = None
        if point is not None:
            points = np.broadcast_to(checks.vectors("point", point, width), (len(places), width))
        self.have_velocities()
        self.give_written(0.0, self.speeds)
        self.engine.push(self.raw_at(places), hits, points)
        self.host.read_velocities()

    # -- ticks -------------------------------------------------------------------------------------

    def follow(self) -> bool:
        """Rows that are gone lose their bodies, new ones get theirs. Returns whether there were
        any.
        """
        table = self.table
        if table.holes:
            table.close_holes()
        changed = False
        if len(self.raw) and self._some_are_gone():
            rows = self.rows.rows
            self._lose((rows >= 0) & (rows < table.count))
            changed = True
        if self.every and table.count > len(self.rows.rows):
            self.begin(np.arange(len(self.rows.rows), table.count))
            changed = True
        return changed

    def _some_are_gone(self) -> bool:
        if self.rows.gone() is not None:
            return True
        place = self.rows.place()
        last = place.stop if isinstance(place, slice) else int(place.max()) + 1
        return bool(last > self.table.count)

    def begin(self, rows: Rows) -> None:
        """Make the bodies of more rows. Raises an error that names the row of which none can be
        made.
        """
        values = {channel: self._checked(channel, rows) for channel in self._all_channels()}
        made = self.engine.make(self.batch, self.shape, self.material, rows)
        kept = np.ones(len(self.raw), bool)
        self.raw += made
        self.rows.replace(np.concatenate([self.rows.rows, rows]))
        self.keys = np.concatenate([self.keys, self.host.new_keys(len(rows), self.material.layer)])
        for channel, told in values.items():
            channel.resize(kept, told)
        self._resize_forces(kept, len(rows))
        places = np.arange(len(kept), len(self.raw))
        for channel in self.speeds:
            if channel.column is not None and values[channel].any():
                self._give(channel, places, values[channel], 0.0)

    def _give(self, channel: Channel, places: Rows, values: NDArray[Any], seconds: float) -> None:
        kind = self.material.kind
        self.engine.give(self.raw_at(places), kind, channel.name, values, seconds)

    def _checked(self, channel: Channel, rows: Rows) -> NDArray[Any]:
        values = channel.of_rows(rows)
        check_finite(channel.name, values, rows)
        return values

    def _lose(self, kept: Mask) -> None:
        self.host.drop_bodies(self.raw_at(np.flatnonzero(~kept)))
        self.raw = [body for body, stays in zip(self.raw, kept.tolist(), strict=True) if stays]
        self.rows.replace(self.rows.rows[kept])
        self.keys = self.keys[kept]
        for channel in self._all_channels():
            channel.resize(kept, np.zeros((0, *channel.told.shape[1:])))
        self._resize_forces(kept, 0)

    def end(self) -> None:
        """All of them go."""
        self.every = False
        self._lose(np.zeros(len(self.raw), bool))

    def _resize_forces(self, kept: Mask, more: int) -> None:
        self._forces = [
            np.concatenate([old[kept], np.zeros((more, *old.shape[1:]))]) for old in self._forces
        ]

    def give_written(self, seconds: float, channels: list[Channel] | None = None) -> None:
        """Tell the engine what the game wrote; steps of so many ``seconds`` in all are next."""
        if self.looked and any(len(channel.written()) for channel in self.looked):
            self.speeds, self.looked, self.host.moving = self.looked, [], True
        for channel in (*self.poses, *self.speeds) if channels is None else channels:
            places = channel.written()
            if len(places):
                values = channel.now()[places]
                check_finite(channel.name, values, self.rows.rows[places])
                self._give(channel, places, values, seconds)

    def pushes(self) -> Mapping[str, tuple[Rows, Doubles]]:
        """The forces and the torques that are not 0: which bodies', and how much."""
        if not self._pushed and not (
            self._looked_at and any(values.any() for values in self._forces)
        ):
            return _NOTHING
        self._pushed = True
        found = {}
        for name, values in zip(("force", "torque"), self._forces, strict=True):
            if values.any():
                places = np.flatnonzero(values.reshape(len(values), -1).any(axis=1))
                check_finite(name, values[places], self.rows.rows[places])
                found[name] = places, values[places]
        return found or _NOTHING

    def take(self, state: Doubles) -> None:
        """A tick's steps are over: each body's state, a row for each."""
        for channel in self._all_channels():
            channel.put(state[:, channel.parts])


class Bodies:
    """The bodies of a batch: made by ``physics.add(batch, …)``. A row has one body; ``[row]`` is
    the engine's body object.

    ``velocity`` and ``spin`` are columns of the batch if it has them, otherwise of the bodies. The
    next step begins with the values that you write. ``force`` and ``torque`` act in every step
    until you write other values.
    """

    def __init__(self, body_set: BodySet[Any]) -> None:
        self._set = body_set

    def __len__(self) -> int:
        """Return the number of bodies."""
        self._set.host.settle()
        return len(self._set.raw)

    def __repr__(self) -> str:
        return f"<Bodies of {len(self._set.raw)} rows>"

    def __getitem__(self, row: int | Handle[Any]) -> Any:
        """Return the engine's body object of a row or a handle: pymunk's `Body` or Rapier's
        `RigidBody`. Raises `ValueError` if the row has no body.
        """
        return self._set.engine.native(self._set.raw_of(row))

    @property
    def velocity(self) -> NDArray[Any]:
        """Velocities, units / s: (n, 2) or (n, 3). Set it, or write to it in place."""
        return self._set.speed(0)

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._set.set_speed(0, value)

    @property
    def spin(self) -> NDArray[Any]:
        """Angular velocities, radians / s, counter-clockwise: (n,). In space (n, 3), about the axes
        of the world.
        """
        return self._set.speed(1)

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._set.set_speed(1, value)

    @property
    def force(self) -> Doubles:
        """Forces on the centers of mass in every step, mass times units / s²: (n, 2) or (n, 3).
        Set it, or write to it in place.
        """
        return self._set.force(0)

    @force.setter
    def force(self, value: ArrayLike) -> None:
        self._set.set_force(0, value)

    @property
    def torque(self) -> Doubles:
        """Torques in every step: (n,), in space (n, 3). Set it, or write to it in place."""
        return self._set.force(1)

    @torque.setter
    def torque(self, value: ArrayLike) -> None:
        self._set.set_force(1, value)

    @property
    def sleeping(self) -> Mask:
        """Whether each body is at rest: bool (n,). A sleeping body costs nothing until something
        touches it.
        """
        self._set.host.settle()
        asleep = self._set.engine.asleep
        return np.array([asleep(body) for body in self._set.raw], bool)

    def wake(self, rows: object = slice(None)) -> None:
        """Wake the bodies of rows: a handle, indices, a mask or a slice. Default: all."""
        for body in self._set.raw_at(self._set.places(rows)):
            self._set.engine.wake(body)

    def impulse(
        self, impulse: ArrayLike, rows: object = slice(None), *, point: ArrayLike | None = None
    ) -> None:
        """Hit bodies: add ``impulse`` (2,) or (3,), or one for each body, to mass times velocity.

        ``rows``: a handle, indices, a mask or a slice. Default: all. ``point``: the point of the
        world that is hit. Default: the centers of mass; at any other point, bodies begin to turn.
        """
        self._set.hit(impulse, rows, point)


def set_of(bodies: Bodies) -> BodySet[Any]:
    """Return what the simulation drives for ``bodies``."""
    return bodies._set


_NOTHING: Mapping[str, tuple[Rows, Doubles]] = MappingProxyType({})


def check_finite(name: str, values: NDArray[Any], rows: Rows) -> None:
    """Raise a `ValueError` that names the first row that has a number which is none."""
    fine = np.isfinite(values)
    if not fine.all():
        bad = int(np.flatnonzero(~fine.reshape(len(values), -1).all(axis=1))[0])
        given = checks.shown(values[bad].tolist())
        raise ValueError(f"{name}: row {rows[bad]} has {given}; a body needs finite numbers")
