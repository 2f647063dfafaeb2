"""Create a physics body for each row of a batch (such as a sprite), and keep the two in sync.

Before each physics step, values that the game has changed are copied from the columns of the batch
to pymunk or Rapier. After the step, the new values are copied back to the columns. To detect the
game's changes, a `BodyAttribute` remembers the values that the physics engine last returned. If a
column contains a different value, the game has changed it.
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
from ..moved_names import HasMoved, moved
from ..other_engines.other_names import SealedByClass
from ..other_engines.physics_names import bodies_names
from ..state.columns import Table, TableColumn, Tabular, assign_to
from ..state.rows import Handle, RowSet, row_in, table_of
from .body_materials import BodyMaterial
from .body_traits import BodyTraits, TraitColumns
from .engines import BodyT, PhysicsEngine


class _Models(Protocol):
    """The attributes of a batch of models that `poses_of` uses. The table ``nodes`` stores the
    positions of the models.
    """

    @property
    def stride(self) -> int: ...

    @property
    def nodes(self) -> Tabular[Table]: ...


def poses_of(batch: Tabular[Table]) -> tuple[Table, int]:
    """Return the table that stores the positions of a batch, and the number of table rows for each
    row of the batch.
    """
    stride: int | None = getattr(batch, "stride", None)
    if stride is None:
        return table_of(batch), 1
    return table_of(cast(_Models, batch).nodes), stride


class BodyAttribute:
    """One attribute of all bodies of a batch, such as the velocity.

    If the batch has a column with the same name, this column stores the values. If the batch has no
    such column, the array `own` stores the values. A batch of models stores its positions in a
    table of nodes, in which each model has ``stride`` rows.
    """

    __slots__ = (
        "column",
        "engine_values",
        "own",
        "parts",
        "rows",
        "stable_name",
        "stride",
        "table",
    )

    def __init__(
        self, rows: RowSet, table: Table, stride: int, name: str, parts: slice | int
    ) -> None:
        self.rows = rows
        self.table = table
        self.stride = stride
        self.stable_name = _STABLE_NAMES.get(name, name)
        """The name of the attribute in state hashes, which stays the same if the attribute is
        renamed.
        """
        self.parts = parts
        """The columns of this attribute in the result of `PhysicsEngine.read_states`."""
        self.column: TableColumn | None = table.column(name) if table.has(name) else None
        width = 0 if isinstance(parts, int) else parts.stop - parts.start
        kind = np.float64 if self.column is None else self.column.data.dtype
        self.own: NDArray[Any] = np.zeros((0, width) if width else 0, np.float64)
        self.engine_values: NDArray[Any] = self.own.astype(kind)
        """The values of the physics engine at the end of the last step."""

    @property
    def name(self) -> str:
        """The name of this attribute and of its column in the batch, such as "position"."""
        return _NAMES.get(self.stable_name, self.stable_name)

    @property
    def _rows_in_table(self) -> Rows | slice:
        rows = self.rows.place() if len(self.rows.rows) else slice(0, 0)
        stride = self.stride
        if stride == 1:
            return rows
        return (
            slice(rows.start * stride, rows.stop * stride, stride)
            if isinstance(rows, slice)
            else rows * stride
        )

    def row_values(self, rows: Rows) -> NDArray[Any]:
        """Return the initial values of the attribute for the new bodies of ``rows``.

        If the batch has no column for the attribute, all values are 0.
        """
        if self.column is None:
            return np.zeros((len(rows), *self.engine_values.shape[1:]))
        return self.column.current(self.table.count)[rows * self.stride]

    def now(self) -> NDArray[Any]:
        """Return an array of the current values of all bodies. The caller must not write to the
        array.
        """
        return (
            self.own
            if self.column is None
            else self.column.current(self.table.count)[self._rows_in_table]
        )

    def view(self) -> NDArray[Any]:
        """Return an array of the current values of all bodies. The game may write to the returned
        array.

        The array is a copy if the rows of the bodies are not consecutive in the table. Writing to a
        copy has no effect, so use `assign` to change the values.
        """
        return (
            self.own
            if self.column is None
            else self.column.values(self.table.count)[self._rows_in_table]
        )

    def assign(self, values: ArrayLike) -> None:
        """Set the values of all bodies. Calling `assign` has the same effect as writing to the
        column.
        """
        target = self.view()
        assign_to(self.name, target, values)
        if self.column is not None:
            self.column.values(self.table.count)[self._rows_in_table] = target

    def put(self, values: NDArray[Any]) -> None:
        """Set the values of all bodies to ``values``, which come from the physics engine."""
        values = _converted(values, self.engine_values.dtype)
        # If no value has changed, for example while all bodies are sleeping, there is nothing to
        # do. If values have changed, comparing the first rows is usually enough to see it.
        if values[:_FIRST_ROWS].tobytes() == self.engine_values[
            :_FIRST_ROWS
        ].tobytes() and np.array_equal(values, self.engine_values):
            return
        if self.column is None:
            self.own[...] = values
        else:
            self.column.values(self.table.count)[self._rows_in_table] = values
        self.engine_values = values

    def add_at(self, index: int, old: Doubles, new: Doubles) -> None:
        """Add ``new`` minus ``old`` to the value of the body at ``index``. Both values come from
        the physics engine.

        If the game has not changed the value since the last step, the value becomes exactly
        ``new``.
        """
        values = self.view()
        if np.array_equal(values[index], self.engine_values[index]):
            values[index] = new
        else:
            values[index] += new - old
        if self.column is not None:
            self.column.values(self.table.count)[self._rows_in_table] = values
        self.engine_values = self.engine_values.copy()
        self.engine_values[index] = new

    def changed_bodies(self) -> Rows:
        """Return the indices of the bodies whose values the game has changed since the last
        step.
        """
        now = self.now()
        if np.array_equal(now, self.engine_values):
            return _NO_ROWS
        differs = now != self.engine_values
        return np.flatnonzero(differs if differs.ndim == 1 else differs.any(axis=1))

    def resize(self, keep: Mask, new: NDArray[Any]) -> None:
        """Remove the bodies whose value in the mask ``keep`` is False. Then append new bodies with
        the values ``new``.
        """
        self.engine_values = np.concatenate(
            [self.engine_values[keep], new.astype(self.engine_values.dtype)]
        )
        if self.column is None:
            self.own = np.concatenate([self.own[keep], new])


_STABLE_NAMES: Mapping[str, str] = MappingProxyType({"angular_velocity": "spin"})
"""A dict from the new names of renamed attributes to their old names. Hashes of the state still use
the old names.
"""

_NAMES: Mapping[str, str] = MappingProxyType({old: new for new, old in _STABLE_NAMES.items()})


def _converted(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a contiguous copy of ``values`` with the dtype ``dtype``.

    This function copies the array column by column. Copying row by row would take four times as
    long, because the rows are short.
    """
    copy = np.empty(values.shape, dtype)
    if values.ndim == 1:
        copy[:] = values
    else:
        for column in range(values.shape[1]):
            copy[:, column] = values[:, column]
    return copy


_FIRST_ROWS = 8
_NO_ROWS: Rows = np.empty(0, np.intp)


class BodyOwner(Protocol[BodyT]):
    """The methods of a simulation that `BodySet` calls."""

    has_velocities: bool
    """Whether the velocities are read from the physics engine after each tick."""
    has_transient_velocities: bool
    """Whether code such as a debugger has read velocities between two ticks. Reading between two
    ticks must not change the game's state.
    """

    def sync_bodies(self) -> None:
        """Create a body for each new row, and remove the bodies of rows that the game has removed."""

    def new_keys(self, count: int, layer: int) -> NDArray[np.int64]:
        """Return ``count`` new unique numbers, which become the keys of bodies or walls on the
        layer ``layer``.
        """

    def remove_bodies(self, raw: list[BodyT]) -> None:
        """Remove bodies, and the joints of these bodies, from the physics engine."""

    def read_velocities(self) -> None:
        """Read the current velocities of all bodies from the physics engine."""


class BodySet(Generic[BodyT]):
    """The internal object that manages the bodies of a batch.

    Games use the public class `Bodies` instead.
    """

    _not_hashed: ClassVar[tuple[str, ...]] = (
        "_forces_read_between_ticks",
        "_teleported",
        "_traits",
        "new_traits",
        "transient_speeds",
        "raw",
    )

    def __init__(
        self,
        host: BodyOwner[BodyT],
        engine: PhysicsEngine[BodyT],
        batch: Tabular[Table],
        rows: Rows | None,
        shape: object,
        stuff: BodyMaterial,
        traits: BodyTraits | None = None,
    ) -> None:
        self.host = host
        self.engine = engine
        self.batch = batch
        self.table = table_of(batch)
        self.all_rows = rows is None
        """Whether all rows have bodies, including rows that are added later."""
        self.shape = shape
        self.material = stuff
        self.new_traits = BodyTraits() if traits is None else traits
        """The traits of new bodies."""
        self._traits: TraitColumns | None = None  # created when the game first reads a trait
        self.rows = RowSet(self.table, _NO_ROWS)
        self.raw: list[BodyT] = []
        """The bodies of the physics library: `Body` objects of pymunk, or handles of Rapier."""
        self.keys: NDArray[np.int64] = np.empty(0, np.int64)
        """The unique numbers of the bodies, in ascending order."""
        # The keys of the kinematic bodies that the game has teleported since the last physics step.
        self._teleported: NDArray[np.int64] = np.empty(0, np.int64)
        self.poses = self._new_attributes("position", engine.pose)
        self.speeds: list[BodyAttribute] = []
        self.transient_speeds: list[BodyAttribute] = []
        """Velocities that have been read only between ticks, for example by a debugger. If the game
        writes to them, they become part of the game's state.
        """
        # Whether code has read the forces between ticks.
        self._forces_read_between_ticks = False
        # Whether the forces have been read in a tick, so that the game may have changed them.
        self._has_forces = False
        turns = np.empty((0, 3)) if engine.dimensions == 3 else np.empty(0)
        self._forces: list[Doubles] = [np.empty((0, engine.dimensions)), turns]
        if self.table.has("velocity") or self.table.has("angular_velocity"):
            self.require_velocities()

    def _new_attributes(self, *names: str) -> list[BodyAttribute]:
        """Return a `BodyAttribute` for each name in ``names``."""
        names_of_parts = ("position", self.engine.pose, "velocity", "angular_velocity")
        table, stride = poses_of(self.batch)
        return [
            BodyAttribute(
                self.rows, table, stride, name, self.engine.sizes[names_of_parts.index(name)]
            )
            for name in names
        ]

    # -- rows and their bodies ---------------------------------------------------------------------

    def raw_of(self, row: int | Handle[Any]) -> BodyT:
        """Return the pymunk or Rapier body of a row. Raises `ValueError` if the row has no body."""
        index = self.index_of(row)  # this call may replace the list `raw`
        return self.raw[index]

    def index_of(self, row: int | Handle[Any]) -> int:
        """Return the index of a row's body in the list `raw`.

        Raises `ValueError` if the row has no body.
        """
        self.host.sync_bodies()
        number = row_in(row, self.batch) if isinstance(row, Handle) else checks.whole("row", row, 0)
        matches = np.flatnonzero(self.rows.rows == number)
        if not len(matches):
            raise ValueError(
                f"row: expected a row with a body, got {number}; {len(self.raw)} rows have bodies"
            )
        return int(matches[0])

    def indices(self, rows: object) -> Rows:
        """Return the index of each body whose row is in ``rows``. ``rows`` is a handle, row
        indices, a mask or a slice.
        """
        self.host.sync_bodies()
        if isinstance(rows, Handle):
            return np.array([self.index_of(rows)])
        selected = row_indices(rows, self.table.count)
        if isinstance(selected, slice):
            every_row = np.arange(selected.start, selected.stop)
            return np.flatnonzero(np.isin(self.rows.rows, every_row))
        return np.array([self.index_of(int(row)) for row in selected], np.intp)

    def raw_at(self, indices: Rows) -> list[BodyT]:
        """Return the pymunk or Rapier bodies at ``indices`` in the list `raw`."""
        raw = self.raw
        numbers: list[int] = indices.tolist()
        return [raw[index] for index in numbers]

    # -- velocities and forces ---------------------------------------------------------------------

    def speed(self, index: int) -> NDArray[Any]:
        """Return the velocities of all bodies if ``index`` is 0, or the angular velocities if
        ``index`` is 1.

        The game may write to the returned array.
        """
        self.host.sync_bodies()
        if not self.speeds and between_ticks():
            if not self.transient_speeds:
                self.transient_speeds = self._new_speeds()
                self.host.has_transient_velocities = True
                self.host.read_velocities()
            return self.transient_speeds[index].view()
        self.require_velocities()
        return self.speeds[index].view()

    def set_speed(self, index: int, value: ArrayLike) -> None:
        """Set the velocities of all bodies if ``index`` is 0, or the angular velocities if
        ``index`` is 1.
        """
        self.host.sync_bodies()
        self.require_velocities()
        self.speeds[index].assign(value)

    def require_velocities(self) -> None:
        """From now on, read the velocities from the physics engine after each tick."""
        if not self.speeds:
            self.speeds = self.transient_speeds or self._new_speeds()
            self.transient_speeds = []
            self.host.has_velocities = True
            self.host.read_velocities()

    def _new_speeds(self) -> list[BodyAttribute]:
        """Return two `BodyAttribute` objects for all bodies: one for the velocities, and one for
        the angular velocities.
        """
        speeds = self._new_attributes("velocity", "angular_velocity")
        for attribute in speeds:
            attribute.resize(
                np.zeros(0, bool), np.zeros((len(self.raw), *attribute.engine_values.shape[1:]))
            )
        return speeds

    def _all_attributes(self) -> tuple[BodyAttribute, ...]:
        return *self.poses, *self.speeds, *self.transient_speeds

    def force(self, index: int) -> Doubles:
        """Return the forces on all bodies if ``index`` is 0, or the torques if ``index`` is 1.

        The game may write to the returned array.
        """
        self.host.sync_bodies()
        if between_ticks():
            self._forces_read_between_ticks = True
        else:
            self._has_forces = True
        return self._forces[index]

    def set_force(self, index: int, value: ArrayLike) -> None:
        """Set the forces on all bodies if ``index`` is 0, or the torques if ``index`` is 1."""
        assign_to(("force", "torque")[index], self.force(index), value)
        self._has_forces = True

    def hit(self, impulse: ArrayLike, rows: object, point: ArrayLike | None) -> None:
        """Apply an impulse to the bodies of ``rows`` at the point ``point``, or at each body's
        center of mass if ``point`` is None.

        See `Bodies.impulse`.
        """
        indices = self.indices(rows)
        width = self.engine.dimensions
        impulses = np.broadcast_to(checks.vectors("impulse", impulse, width), (len(indices), width))
        points = None
        if point is not None:
            points = np.broadcast_to(checks.vectors("point", point, width), (len(indices), width))
        self.require_velocities()
        self.send_changes(0.0, self.speeds)
        self.engine.push(self.raw_at(indices), impulses, points)
        self.host.read_velocities()

    # -- ticks -------------------------------------------------------------------------------------

    def sync_rows(self) -> bool:
        """Remove the bodies of rows that the game has removed, and create a body for each new row.

        Return whether any body was removed or created.
        """
        table = self.table
        table.close_holes()
        changed = False
        if len(self.raw) and self._some_rows_removed():
            rows = self.rows.rows
            self._keep((rows >= 0) & (rows < table.count))
            changed = True
        if self.all_rows and table.count > len(self.rows.rows):
            self.add_rows(np.arange(len(self.rows.rows), table.count))
            changed = True
        return changed

    def _some_rows_removed(self) -> bool:
        if self.rows.gone() is not None:
            return True
        rows = self.rows.place()
        end = rows.stop if isinstance(rows, slice) else int(rows.max()) + 1
        return bool(end > self.table.count)

    def add_rows(self, rows: Rows) -> None:
        """Create a body for each row in ``rows``.

        If no valid shape can be created for a row, the error message contains the index of the row.
        """
        values = {attribute: self._checked(attribute, rows) for attribute in self._all_attributes()}
        new_bodies = self.engine.make(self.batch, self.shape, self.material, rows)
        keep = np.ones(len(self.raw), bool)
        self.raw += new_bodies
        self.rows.replace(np.concatenate([self.rows.rows, rows]))
        self.keys = np.concatenate([self.keys, self.host.new_keys(len(rows), self.material.layer)])
        for attribute, initial in values.items():
            attribute.resize(keep, initial)
        self._resize_forces_and_traits(keep, len(rows))
        self._set_new_traits(new_bodies)
        indices = np.arange(len(keep), len(self.raw))
        for attribute in self.speeds:
            if attribute.column is not None and values[attribute].any():
                self._send(attribute, indices, values[attribute], 0.0)

    def _set_new_traits(self, new_bodies: list[BodyT]) -> None:
        """Pass the traits of new bodies to the physics engine, unless all traits have their default
        values.
        """
        defaults = BodyTraits()
        for name, value in self.new_traits._asdict().items():
            if new_bodies and value != getattr(defaults, name):
                self.engine.set_trait(new_bodies, name, np.array([value] * len(new_bodies)))

    def trait(self, name: str) -> NDArray[Any]:
        """Return the values of a trait, such as "damping". The game may write to the returned
        array.
        """
        return self._trait_columns().view(name)

    def set_trait(self, name: str, values: ArrayLike) -> None:
        """Set the values of a trait such as "damping"."""
        self._trait_columns().assign(name, values)

    def _trait_columns(self) -> TraitColumns:
        self.host.sync_bodies()
        if self._traits is None:
            self._traits = TraitColumns(self.new_traits, len(self.raw))
        return self._traits

    def _send(
        self, attribute: BodyAttribute, indices: Rows, values: NDArray[Any], seconds: float
    ) -> None:
        kind = self.material.kind
        self.engine.set_attribute(self.raw_at(indices), kind, attribute.name, values, seconds)

    def _checked(self, attribute: BodyAttribute, rows: Rows) -> NDArray[Any]:
        values = attribute.row_values(rows)
        check_finite(attribute.name, values, rows)
        return values

    def _keep(self, keep: Mask) -> None:
        self.host.remove_bodies(self.raw_at(np.flatnonzero(~keep)))
        self.raw = [body for body, stays in zip(self.raw, keep.tolist(), strict=True) if stays]
        self.rows.replace(self.rows.rows[keep])
        self.keys = self.keys[keep]
        for attribute in self._all_attributes():
            attribute.resize(keep, np.zeros((0, *attribute.engine_values.shape[1:])))
        self._resize_forces_and_traits(keep, 0)

    def end(self) -> None:
        """Remove all bodies of the batch from the simulation."""
        self.all_rows = False
        self._keep(np.zeros(len(self.raw), bool))

    def _resize_forces_and_traits(self, keep: Mask, new: int) -> None:
        """Remove the bodies whose value in the mask ``keep`` is False. Then append ``new`` bodies."""
        self._forces = [
            np.concatenate([old[keep], np.zeros((new, *old.shape[1:]))]) for old in self._forces
        ]
        if self._traits is not None:
            self._traits.resize(keep, new)

    def send_changes(self, seconds: float, attributes: list[BodyAttribute] | None = None) -> None:
        """Pass the values that the game has written to the columns to the physics engine.

        ``seconds`` is the total duration of the physics steps that follow. Kinematic bodies reach
        their new positions in this time.
        """
        if self.transient_speeds and any(
            len(attribute.changed_bodies()) for attribute in self.transient_speeds
        ):
            self.speeds = self.transient_speeds
            self.transient_speeds = []
            self.host.has_velocities = True
        if self._traits is not None and attributes is None:
            self._traits.send(self.engine, self.raw, self.rows.rows)
        if seconds and self.material.kind == "kinematic":
            self._send_teleports()
        for attribute in (*self.poses, *self.speeds) if attributes is None else attributes:
            indices = attribute.changed_bodies()
            if len(indices):
                values = attribute.now()[indices]
                check_finite(attribute.name, values, self.rows.rows[indices])
                self._send(attribute, indices, values, seconds)

    def note_teleports(self) -> None:
        """Record for `send_changes` which kinematic bodies the game has teleported in this tick."""
        if self.material.kind == "kinematic":
            position = self.poses[0]
            marks = position.table.teleported_rows()
            if marks is not None:
                keys = self.keys[marks[self.rows.rows * position.stride]]
                self._teleported = np.concatenate([self._teleported, keys])

    def _send_teleports(self) -> None:
        self.note_teleports()
        if len(self._teleported):
            teleported = np.isin(self.keys, self._teleported)
            self._teleported = np.empty(0, np.int64)
            # New rows are also marked as changed, although the game has not moved their bodies.
            moved = np.zeros(len(self.keys), bool)
            for attribute in self.poses:
                moved[attribute.changed_bodies()] = True
            self.engine.mark_teleported(self.raw_at(np.flatnonzero(teleported & moved)))

    def applied_forces(self) -> Mapping[str, tuple[Rows, Doubles]]:
        """Return all forces and torques that are not 0.

        The result is a dict with the keys "force" and "torque". Each value is a pair: the indices
        of the bodies, and the forces or torques that act on them.
        """
        if not self._has_forces and not (
            self._forces_read_between_ticks and any(values.any() for values in self._forces)
        ):
            return _NOTHING
        self._has_forces = True
        forces = {}
        for name, values in zip(("force", "torque"), self._forces, strict=True):
            if values.any():
                indices = np.flatnonzero(values.reshape(len(values), -1).any(axis=1))
                check_finite(name, values[indices], self.rows.rows[indices])
                forces[name] = indices, values[indices]
        return forces or _NOTHING

    def take(self, state: Doubles) -> None:
        """After the physics steps, copy the new positions, rotations and velocities of the bodies
        to the columns.

        ``state`` is an array with one row for each body.
        """
        for attribute in self._all_attributes():
            attribute.put(state[:, attribute.parts])


@moved("bodies", {}, {"spin": "angular_velocity"})
@bodies_names
class Bodies(HasMoved, SealedByClass):
    """The physics bodies of a batch, returned by ``physics.add(batch, …)``.

    By default, each row of the batch has one body. If you passed ``rows`` to ``physics.add``, only
    these rows have bodies.

    The velocities are stored in the batch's columns ``velocity`` and ``angular_velocity``, or in
    the `Bodies` object if the batch does not have these columns. If you write to ``velocity``, the
    next physics step starts with the new velocities. ``force`` and ``torque`` act in every step
    until you change them.

    ``bodies[row]`` returns the physics library's own object: a `Body` of pymunk, or a `RigidBody`
    of Rapier.
    """

    def __init__(self, body_set: BodySet[Any]) -> None:
        self._set = body_set

    def __len__(self) -> int:
        """Return the number of bodies in this `Bodies` object."""
        self._set.host.sync_bodies()
        return len(self._set.raw)

    def __repr__(self) -> str:
        return f"<Bodies of {len(self._set.raw)} rows>"

    def __getitem__(self, row: int | Handle[Any]) -> Any:
        """Return the object that the physics library uses for the body of a row. ``row`` is an
        index or a handle.

        The object is a `Body` of pymunk, or a `RigidBody` of Rapier. Raises `ValueError` if the row
        has no body.
        """
        return self._set.engine.native(self._set.raw_of(row))

    @property
    def velocity(self) -> NDArray[Any]:
        """The velocities of all bodies in units per second. The array has the shape (n, 2), or (n,
        3) in 3D.

        You can assign an array of velocities, or write to the elements in place.
        """
        return self._set.speed(0)

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._set.set_speed(0, value)

    @property
    def angular_velocity(self) -> NDArray[Any]:
        """The angular velocities of all bodies, in radians per second.

        You can assign an array of angular velocities, or write to the elements in place.

        In 2D, the array has the shape (n,). Positive values turn a body counter-clockwise. In 3D,
        the array has the shape (n, 3), and each vector points along the rotation axis, in world
        coordinates.
        """
        return self._set.speed(1)

    @angular_velocity.setter
    def angular_velocity(self, value: ArrayLike) -> None:
        self._set.set_speed(1, value)

    @property
    def force(self) -> Doubles:
        """The forces that act on the bodies' centers of mass in every step. Default: 0.

        The unit is mass times units / s². The array has the shape (n, 2), or (n, 3) in 3D. You can
        assign an array of forces, or write to the elements in place.
        """
        return self._set.force(0)

    @force.setter
    def force(self, value: ArrayLike) -> None:
        self._set.set_force(0, value)

    @property
    def torque(self) -> Doubles:
        """The torques that act on the bodies in every step. Default: 0.

        The array has the shape (n,), or (n, 3) in 3D. You can assign an array of torques, or write
        to the elements in place.
        """
        return self._set.force(1)

    @torque.setter
    def torque(self, value: ArrayLike) -> None:
        self._set.set_force(1, value)

    @property
    def damping(self) -> NDArray[Any]:
        """The damping of the velocity of each body, at least 0: the greater the damping, the faster
        the body slows down. The array has the shape (n,). The initial value is the ``damping`` that
        was passed to ``add``.

        With a damping of 0.5, a body loses about 40 % of its velocity per second of game time. You
        can assign an array or a number, or write to the elements in place.
        """
        return self._set.trait("damping")

    @damping.setter
    def damping(self, value: ArrayLike) -> None:
        self._set.set_trait("damping", value)

    @property
    def angular_damping(self) -> NDArray[Any]:
        """The damping of the angular velocity of each body, at least 0: the greater the damping,
        the faster the rotation slows down. The array has the shape (n,). The initial value is the
        ``angular_damping`` that was passed to ``add``.

        You can assign an array or a number, or write to the elements in place.
        """
        return self._set.trait("angular_damping")

    @angular_damping.setter
    def angular_damping(self, value: ArrayLike) -> None:
        self._set.set_trait("angular_damping", value)

    @property
    def gravity_scale(self) -> NDArray[Any]:
        """The factor by which the gravity on each body is multiplied. The array has the shape (n,).
        Default: 1.

        With a factor of 0, a body floats, and with -1, it rises like a balloon. You can assign an
        array or a number, or write to the elements in place.
        """
        return self._set.trait("gravity_scale")

    @gravity_scale.setter
    def gravity_scale(self, value: ArrayLike) -> None:
        self._set.set_trait("gravity_scale", value)

    @property
    def can_sleep(self) -> NDArray[Any]:
        """Whether each body may fall asleep when it is not moving. The array has the dtype bool and
        the shape (n,). Default: True.

        You can assign an array or a bool, or write to the elements in place.
        """
        return self._set.trait("can_sleep")

    @can_sleep.setter
    def can_sleep(self, value: ArrayLike) -> None:
        self._set.set_trait("can_sleep", value)

    @property
    def locked(self) -> NDArray[Any]:
        """A mask of the locked axes of each 3D body. The array has the dtype bool and the shape
        (n, 6), for the axes x, y, z, rx, ry, rz.

        Forces and collisions do not move a body along a locked axis (x, y or z), and do not turn it
        about a locked axis (rx, ry or rz). A ``velocity`` that you set yourself moves the body even
        along a locked axis. To stop all bodies from moving along z, write
        ``bodies.locked[:, 2] = True``.
        """
        return self._set.trait("locked")

    @locked.setter
    def locked(self, value: ArrayLike) -> None:
        self._set.set_trait("locked", value)

    @property
    def sleeping(self) -> Mask:
        """Whether each body is sleeping. The array has the dtype bool and the shape (n,).

        A body that has not moved for some time falls asleep. It is not simulated until another body
        touches it or the game moves it.
        """
        self._set.host.sync_bodies()
        asleep = self._set.engine.asleep
        return np.array([asleep(body) for body in self._set.raw], bool)

    def wake(self, rows: object = slice(None)) -> None:
        """Wake sleeping bodies, so that they are simulated again.

        ``rows`` is a handle, an array of row indices, a mask or a slice. Without ``rows``, `wake`
        wakes all bodies.
        """
        for body in self._set.raw_at(self._set.indices(rows)):
            self._set.engine.wake(body)

    def impulse(
        self, impulse: ArrayLike, rows: object = slice(None), *, point: ArrayLike | None = None
    ) -> None:
        """Push bodies. The velocity of each body changes immediately, by ``impulse`` divided by the
        body's mass.

        Parameters
        ----------
        impulse
            The impulse, in units of mass times velocity. Pass one vector with the shape (2,) or
            (3,) to give all bodies the same impulse, or an array with one row for each body.
        rows
            The bodies to push: a handle, an array of row indices, a mask or a slice. Without
            ``rows``, all bodies are pushed.
        point
            The point where the impulse acts, in world coordinates. If the point is not the center
            of mass, the impulse also turns the body. Without ``point``, the impulse acts at the
            center of mass of each body.
        """
        self._set.hit(impulse, rows, point)


def set_of(bodies: Bodies) -> BodySet[Any]:
    """Return the internal `BodySet` of the public object ``bodies``."""
    return bodies._set


_NOTHING: Mapping[str, tuple[Rows, Doubles]] = MappingProxyType({})


def check_finite(name: str, values: NDArray[Any], rows: Rows) -> None:
    """Raise `ValueError` if a number is NaN or infinite. The error message contains the first row
    with such a number.
    """
    finite = np.isfinite(values)
    if not finite.all():
        index = int(np.flatnonzero(~finite.reshape(len(values), -1).all(axis=1))[0])
        value = checks.shown(values[index].tolist())
        raise ValueError(f"{name}: row {rows[index]} has {value}; a body needs finite numbers")
