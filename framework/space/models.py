"""Draw many copies of a 3D model, each with its own position and animation."""

from __future__ import annotations

__all__ = ["ModelBatch", "ModelInstance"]

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, Self, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Reals, Rows
from ..checks import Sealed, flag, instance, ndim, number, numbers, whole
from ..models.model import Model
from ..models.morphs import MorphWeights
from ..models.parts import Part
from ..other_engines.other_options import made_by, meant_option
from ..other_engines.space_names import model_instance_names
from ..state.columns import (
    Codes,
    ColumnValues,
    Table,
    TableColumn,
    TableState,
    Tabular,
    assign_to,
    small_number,
)
from ..state.nodes import Node, Nodes3D
from ..state.own_columns import add_own_columns, checked_columns
from ..state.rows import (
    Handle,
    Handled,
    RowColor,
    RowCoordinate,
    RowValue,
    chosen_rows,
    handle_of,
    table_of,
)
from .node_meshes import CopyParts, NodeMeshes, NodeMeshParts
from .picking import Hit
from .playback import AnimationPlayback, AnimationTrack, Numbers
from .solids import SolidFrontend

_POSE = ("position", "rotation", "scale")


class _CopyCells(ColumnValues[Floats], ABC):
    """A column of a `ModelBatch` that stores its values in another table, such as the table of
    nodes.
    """

    @overload
    def __get__(self, batch: None, owner: type) -> Self: ...
    @overload
    def __get__(self, batch: Tabular[Table], owner: type) -> Floats: ...
    def __get__(self, batch: Tabular[Table] | None, owner: type) -> Self | Floats:
        return self if batch is None else self._of(batch)

    def __set__(self, batch: Tabular[Table], value: ArrayLike) -> None:
        assign_to(self.name, self._of(batch), value)

    @abstractmethod
    def _of(self, batch: object) -> Floats:
        """Return the values of all copies of the model, as an array that shares its memory with the
        table that stores the values.
        """


class _RootCells(_CopyCells):
    """The column position, rotation or scale of a `ModelBatch`. These values are stored in the root
    node of each copy.
    """

    def _of(self, batch: object) -> Floats:
        assert isinstance(batch, ModelBatch)
        values: Floats = getattr(batch.nodes, self.name)
        return values[:: batch.stride]


class _WeightCells(_CopyCells):
    """The column with the morph weights, with one row per copy."""

    def _of(self, batch: object) -> Floats:
        assert isinstance(batch, ModelBatch)
        return batch._morph_weights().values(len(batch))[:, : len(batch.model.morphs)]


Captured: TypeAlias = tuple[TableState, list[tuple[Rows, TableState]], Numbers]
"""The state of a `ModelBatch` in a snapshot: the table of nodes, the rows of each mesh and the
copies that they belong to, and the animations.
"""


class ModelParts(NamedTuple):
    """The objects that a `ModelBatch` passes to its backend, the object that advances the
    animations.
    """

    nodes: Table
    playback: AnimationPlayback
    weights: Table | None
    """The table with the morph weights. None if the model has no morph targets."""


class ModelBatch(Handled["ModelInstance"], SolidFrontend, Sealed):
    """Many copies of a `Model`. Each copy has its own position and animations.

        self.add(fw.ModelBatch(model, 20))

    The GPU draws each mesh of the model in one call for all copies. In each frame, the CPU
    interpolates the nodes and joints of all copies. For thousands of copies without animations, use
    `Model.merged`. For thousands of copies with animations, use a `Crowd`.

    Parameters
    ----------
    model
        The `Model` that all copies show.
    count
        The number of copies that the new batch contains. At first, all copies are at (0, 0, 0).
    large_world
        Whether the batch stores positions as float64 instead of float32. float64 positions are
        precise even at a distance of a million units from the origin.
    columns
        Your own columns, as a dict with default values, such as ``{"hp": 3.0}``. See `fw.Column`.

    Columns
    -------
    position
        float32 (n, 3): positions in units, interpolated. With ``large_world``, the positions are
        float64.
    rotation
        float32 (n, 4): unit quaternions x y z w, interpolated.
    scale
        float32 (n, 3): scale factors along x, y and z, interpolated.
    color
        float32 (n, 4): linear colors that are multiplied with the colors of the materials.
    visible
        bool (n,): whether each copy is drawn.
    weights
        float32 (n, w): morph weights in the order of `Model.morph_names`, interpolated. Only models
        with morph targets have the column ``weights``.
    """

    __slots__ = (
        "_color",
        "_consists_of",
        "_playback",
        "_rest",
        "_table",
        "_visible",
        "_weights",
        "model",
        "nodes",
        "stride",
    )

    _rows_can_be_saved = True
    _noun = "copies"
    _takes_columns = True
    _backend_in = "framework.space.model_drawing"

    _consists_of: list[PartMeshes]

    position = _RootCells(
        "Positions in units: float32 (n, 3), or float64 in a large world. Interpolated."
    )
    rotation = _RootCells(
        "Rotations as unit quaternions (x, y, z, w): float32 (n, 4), interpolated."
    )
    scale = _RootCells("Scale factors along x, y and z: float32 (n, 3), interpolated.")
    color = ColumnValues[Floats](
        "Linear colors that multiply the colors of the materials: float32 (n, 4)."
    )
    visible = ColumnValues[NDArray[np.bool_]]("Whether each copy is drawn: bool (n,).")
    weights = _WeightCells("Morph weights, usually from 0 to 1: float32 (n, w), interpolated.")

    def __init__(
        self,
        model: Model,
        count: int = 0,
        *,
        large_world: bool = False,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        own = checked_columns("columns", columns)
        self._backend = None
        self.model = instance("model", model, Model)
        self.nodes = Nodes3D(large_world=large_world)
        """The nodes of all copies: for each copy its root node, followed by the nodes of the model.
        """
        self.stride = 1 + len(model.node_names)
        """The number of nodes in one copy, including the root node."""
        self._color = TableColumn("color", 4, 1.0, interpolated=False, color_space="linear")
        self._visible = TableColumn("visible", 1, True, dtype=np.bool_, interpolated=False)
        self._weights = _weights_column(model.morphs)
        self._table: Table = Table(
            () if self._weights is None else (self._weights,), self._color, self._visible
        )
        add_own_columns(self, self._table, own)
        self._rest = _rest(model)
        self._playback = AnimationPlayback(self.nodes, self._rest, model.morphs, self._weights)
        self._consists_of = [PartMeshes(self, part) for part in model.parts]
        self.extend(count)

    # -- copies ------------------------------------------------------------------------------------

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """Add ``count`` copies in the rest pose, and return a slice of their rows.

        Keywords such as ``position=``, ``rotation=``, ``scale=`` and ``color=`` set columns of the
        new copies.
        """
        count = self._room_for("count", count)
        poses: dict[str, ArrayLike] = {name: columns.pop(name) for name in _POSE if name in columns}
        weights = self._checked_weights(count, columns)
        values = self._checked(count, columns)
        root_values = table_of(self.nodes).checked(count, poses)
        firsts = len(self.nodes) + np.arange(count) * self.stride
        position, rotation, scale = self._initial_pose(count, root_values)
        self.nodes.extend(
            len(position),
            parent=self._parents(firsts).reshape(-1),
            position=position,
            rotation=rotation,
            scale=scale,
        )
        rows = self._table.spawn(count, values)
        if weights is not None:
            self.weights[rows] = weights
        self._playback.extend(count)
        owners = np.arange(rows.start, rows.stop)
        for part in self._consists_of:
            part.extend_copies(firsts, owners)
        return rows

    def _parents(self, firsts: Rows) -> Rows:
        """Return the parent of each node in new copies. ``firsts`` contains the index of the root
        node of each copy. The result has the shape (copies, `stride`).
        """
        parents_in_copy = np.append(-1, self.model.at_rest.parent)
        parents = np.tile(parents_in_copy, len(firsts)).reshape(len(firsts), self.stride)
        roots = firsts[:, None]
        parents[:, 1:] = np.where(parents[:, 1:] < 0, roots, roots + 1 + parents[:, 1:])
        return parents

    def _initial_pose(self, count: int, root_values: Mapping[str, NDArray[Any]]) -> list[Reals]:
        """Return the positions, rotations and scales of all nodes in ``count`` new copies.
        ``root_values`` contains the values of the root nodes that differ from the rest pose.
        """
        pose: list[Reals] = [np.tile(part, (count, 1)) for part in self._rest]
        if self.nodes.large_world:
            pose[0] = pose[0].astype(np.float64)
        for name, column in zip(_POSE, pose, strict=True):
            if name in root_values:
                column[:: self.stride] = root_values[name]
        return pose

    def _checked(self, count: int, columns: dict[str, ArrayLike]) -> dict[str, NDArray[Any]]:
        for name in columns:
            if name not in ("color", "visible", *self._table.own):
                names = ["position", "rotation", "scale", "color", "visible", "weights"]
                raise TypeError(
                    meant_option("add", name, names)
                    or f"{name}: not a column; there are {', '.join([*names, *self._table.own])}"
                )
        return self._table.checked(count, columns)

    def _checked_weights(self, count: int, columns: dict[str, ArrayLike]) -> Floats | None:
        """Remove the item "weights" from ``columns``, and return its values as an array with the
        shape (count, w). If ``columns`` has no item "weights", return None.
        """
        if "weights" not in columns:
            return None
        self._morph_weights()
        values = np.tile(self.model.morphs.rest, (count, 1))
        assign_to("weights", values, columns.pop("weights"))
        return values

    def _morph_weights(self) -> TableColumn:
        """Return the column with the morph weights of all copies.

        Raises `AttributeError` if the model has no morph targets.
        """
        if self._weights is None:
            raise AttributeError(
                f"weights: the model {self.model.path.name!r} has no morph targets"
            )
        return self._weights

    def _drawn_weights(self) -> tuple[Floats, Floats]:
        """Return the morph weights of all copies before and after the last tick. Both arrays are
        read-only and have the shape (n, w).
        """
        old, new = self._table.states(slice(None))
        return old[0], new[0]

    def remove(self, rows: ModelInstance | ArrayLike | slice) -> None:
        """Remove a copy. You can also pass several rows as indices, a mask or a slice.

        The remaining copies keep their order, but copies after a removed copy move to lower row
        indices.
        """
        keep = np.ones(self._table.count, bool)
        keep[chosen_rows(self, rows)] = False
        remaining = np.flatnonzero(keep)
        numbers = np.cumsum(keep) - 1
        for part in self._consists_of:
            part.owner = numbers[part.owner[keep[part.owner]]]
        self._playback.keep(remaining)
        table_of(self.nodes).keep(np.flatnonzero(np.repeat(keep, self.stride)))
        self._table.keep(remaining)

    def teleport(self, rows: ModelInstance | ArrayLike | slice = slice(None)) -> None:
        """Show copies at their new positions immediately: do not interpolate from the last tick.

        ``rows`` defaults to all copies.
        """
        chosen = np.arange(self._table.count)[chosen_rows(self, rows)]
        table_of(self.nodes).mark_teleported(chosen * self.stride)
        if self._weights is not None:
            self._table.mark_teleported(chosen)

    def pick(
        self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0
    ) -> Hit[ModelInstance] | None:
        """Return a `Hit` for the first visible copy that a ray hits, or None. For the arguments, see
        `MeshBatch.pick`.
        """
        best: Hit[ModelInstance] | None = None
        world = self.nodes.world_matrices(alpha)
        for part in self._consists_of:
            part.weigh(alpha)
            hit = part._pick_at(world, origin, direction)
            if hit is not None and (best is None or hit.distance < best.distance):
                owner: int = part.owner[hit.instance.row]
                best = Hit(self[int(owner)], hit.distance, hit.point, hit.normal)
        return best

    def play(
        self,
        name: str | None,
        rows: ArrayLike | slice = slice(None),
        *,
        loop: bool = True,
        speed: float = 1.0,
        fade: float = 0.2,
        start: float = 0.0,
    ) -> None:
        """Play an animation of the model on some of the copies. The animation starts in the next
        tick.

        If ``name`` is None, the copies return to the rest pose.

        Parameters
        ----------
        name
            The name of the animation.
        rows
            The copies that play the animation, as row indices, a mask or a slice. ``rows`` defaults
            to all copies.
        loop
            Whether the animation repeats. ``loop`` is True by default.
        speed
            A factor for the normal speed of the animation. With a negative ``speed``, the animation
            plays backwards.
        fade
            How many simulated seconds the previous animation takes to fade out.
        start
            The start time in the animation, in seconds.

        If the model has no animation ``name``, `play` raises a `ValueError` that lists the model's
        animations.
        """
        animation = None if name is None else self.model.animation(name)
        chosen: list[int] = np.arange(self._table.count)[chosen_rows(self, rows)].tolist()
        times = number("speed", speed), number("fade", fade, least=0), number("start", start)
        self._playback.play(chosen, animation, flag("loop", loop), *times)

    def _track(self, row: int) -> AnimationTrack:
        """Return the current and the previous animation of one copy."""
        return self._playback.tracks[row]

    # -- saves -------------------------------------------------------------------------------------

    def _further_rows(self) -> dict[str, tuple[NDArray[Any], Codes | None]]:
        """Return the positions and animations, which a save contains in addition to the columns of
        the table.
        """
        rows: dict[str, tuple[NDArray[Any], Codes | None]] = {}
        for name in _POSE:
            column = table_of(self.nodes).column(name)
            values = column.current(len(self.nodes))
            rows[name] = values.reshape(len(self), self.stride * column.width), None
        names = ["", *self.model.animations]  # index 0 means no animation
        now, before, times = self._playback.numbers(names)
        codes = Codes(list(names))
        return rows | {"plays": (now, codes), "played": (before, codes), "times": (times, None)}

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if a loaded save contains NaN or infinite animation times, or a
        negative fade.
        """
        times = columns["times"]
        # The previous times are not checked, because they may be NaN.
        finite_times = np.delete(times, (2, 7), axis=1)
        if not np.isfinite(finite_times).all() or (times[:, 11] < 0).any():
            raise ValueError("times: expected finite numbers, and no fade below 0")

    def _put_further(self, count: int, columns: dict[str, NDArray[Any]]) -> None:
        """Change the number of copies to ``count``, and set their positions and animations from a
        loaded save.

        `_put_further` removes the position and animation columns from ``columns``.
        """
        if count < len(self):
            self.remove(slice(count, None))
        self.extend(count - len(self))
        for name in _POSE:
            column = table_of(self.nodes).column(name)
            values = columns.pop(name)
            column.values(len(self.nodes))[...] = values.reshape(-1, column.width)
        table_of(self.nodes).mark_teleported(slice(None))
        for table in (table_of(self.nodes), *map(table_of, self._consists_of)):
            table.ids.load(None, 0, table.count)  # a save has only the ids of the copies
        self._restore_tracks((columns.pop("plays"), columns.pop("played"), columns.pop("times")))

    def _restore_tracks(self, numbers: Numbers) -> None:
        self._playback.put_numbers(numbers, [None, *self.model.animations.values()])

    def _capture_extra(self) -> Captured:
        """Return the state of the nodes and animations for a snapshot."""
        parts = [(part.owner, table_of(part).capture()) for part in self._consists_of]
        return (
            table_of(self.nodes).capture(),
            parts,
            self._playback.numbers(["", *self.model.animations]),
        )

    def _restore_extra(self, captured: Captured) -> None:
        """Restore the state that `_capture_extra` returned."""
        nodes, parts, played = captured
        self._restore_tracks(played)
        table_of(self.nodes).restore(nodes)
        table_of(self.nodes).after_restore()
        for part, (owner, table) in zip(self._consists_of, parts, strict=True):
            part.owner = owner
            table_of(part).restore(table)

    def _parts(self) -> ModelParts:
        weights = None if self._weights is None else self._table
        return ModelParts(table_of(self.nodes), self._playback, weights)

    def _looks(self, owner: Rows) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the colors and the ``visible`` values of the copies with the indices ``owner``.
        Both arrays are read-only.
        """
        return self._color.data[owner], self._visible.data[owner]


class PartMeshes(NodeMeshes):
    """One mesh of the model in a `ModelBatch`. The batch of the mesh has one row for every node
    that shows the mesh, in every copy of the model.
    """

    __slots__ = ("_copies", "_firsts", "_part", "_weights", "owner")

    _backend_in = "framework.space.model_drawing"

    def __init__(self, copies: ModelBatch, part: Part) -> None:
        super().__init__(part.mesh, copies.nodes, material=part.material, skin=part.skin)
        self._copies = copies
        self._part = part
        self._targets = part.targets
        # For each node of the model, the index of its first column of ``weights``.
        self._firsts = np.zeros(1, np.intp)
        if part.targets is not None:
            first = copies.model.morphs.first
            self._firsts = np.array(
                [first.get(node, 0) for node in range(copies.stride - 1)], np.intp
            )
        self._weights: Floats | None = None  # the morph weights of each row, for `pick`
        # Colors and visibilities are read from the copies when a frame is drawn.
        self._table.derived = (
            "color",
            "visible",
        )
        self.owner: Rows = np.zeros(0, np.intp)
        """The index of the copy that each row belongs to. The array has the shape (n,)."""

    def extend_copies(self, firsts: Rows, owners: Rows) -> None:
        """Add the rows of new copies. ``firsts`` contains the index of each new copy's first node."""
        # A skin counts its joints from the first node of a copy, so the node of the mesh does not
        # matter.
        offsets = np.array([0]) if self._skin is not None else 1 + np.array(self._part.nodes)
        self.owner = np.concatenate([self.owner, np.repeat(owners, len(offsets))])
        self.extend(
            len(firsts) * len(offsets),
            node=(firsts[:, None] + offsets).reshape(-1).astype(np.int32),
        )

    def _parts(self) -> NodeMeshParts:
        weights = None if self._targets is None else self._drawn_weights
        return super()._parts()._replace(copies=CopyParts(self._looks, weights))

    def _looks(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the color and the ``visible`` value of each row. A row has the same values as its
        copy. Both arrays are read-only.
        """
        return self._copies._looks(self.owner)

    def _visible_rows(self) -> Rows:
        # The columns of this table contain the values of the most recent frame.
        _, visible = self._looks()
        return np.flatnonzero(visible)

    def _drawn_weights(self) -> tuple[Floats, Floats]:
        """Return the morph weights of the rows before and after the last tick. Both arrays are
        read-only.
        """
        old, new = self._of_rows(*self._copies._drawn_weights())
        return old, new

    def _of_rows(self, *states: Floats) -> list[Floats]:
        """Return the morph weights of each row, with the shape (rows, t). Each array in ``states``
        contains the weights of all copies, with the shape (n, w).
        """
        assert self._targets is not None
        if self._skin is not None:
            node = np.full(len(self.owner), self._part.nodes[0])
        else:
            node = self._node.current(self._table.count) - self.owner * self._copies.stride - 1
        columns = self._firsts[node][:, None] + np.arange(len(self._targets))
        return [state[self.owner[:, None], columns] for state in states]

    def weigh(self, alpha: float) -> None:
        """Compute the morph weights that the next `pick` uses: the weights in a frame. ``alpha`` is
        the time since the last tick, as a fraction of a tick.
        """
        if self._targets is not None:
            old, new = self._drawn_weights()
            self._weights = old + (new - old) * np.float32(alpha)

    def _local_vertices(self, row: int) -> NDArray[Any]:
        if self._targets is None or self._weights is None:
            return super()._local_vertices(row)
        return self._targets.blended(self.mesh.positions, self._weights[row])

    def _bounding_spheres(self, world: Floats, nodes: NDArray[np.int32]) -> tuple[Doubles, Doubles]:
        centers, radii = super()._bounding_spheres(world, nodes)
        if self._targets is None or self._weights is None:
            return centers, radii
        moved = np.abs(self._weights[self._visible_rows()]) @ self._targets.max_offsets
        models = (
            world[nodes][:, None]
            if self._skin is None
            else self._skin.matrices(world, nodes.astype(np.int32))
        )
        squares: Floats = (models[..., :3, :3] ** 2).sum(axis=(2, 3))
        largest: Floats = squares.max(axis=1)
        stretch = np.sqrt(largest)  # the sum of the lengths of all displacements is an upper limit
        return centers, radii + moved * stretch


class _RootCell(RowValue[tuple[float, ...]]):
    """A property of a `ModelInstance`: position, rotation or scale. The value is stored in the root
    node of the copy.
    """

    @overload
    def __get__(self, handle: None, owner: type) -> Self: ...
    @overload
    def __get__(self, handle: Handle[Any], owner: type) -> tuple[float, ...]: ...
    def __get__(self, handle: Handle[Any] | None, owner: type) -> Self | tuple[float, ...]:
        if handle is None:
            return self
        value: tuple[float, ...] = getattr(_copy(handle).root, self.name)
        return value

    def __set__(self, handle: Handle[Any], value: object) -> None:
        setattr(_copy(handle).root, self.name, value)


class _RootCoordinate(RowCoordinate):
    """One coordinate of the position of a `ModelInstance`, such as ``x``."""

    def __get__(self, handle: Handle[Any] | None, owner: type) -> Any:
        return self if handle is None else _copy(handle).root.position[self._axis]

    def __set__(self, handle: Handle[Any], value: Any) -> None:
        root = _copy(handle).root
        position = [*root.position]
        position[self._axis] = small_number(self._name, value)
        root.position = position


class _WeightsCell(RowValue[tuple[float, ...]]):
    """The property ``weights`` of a `ModelInstance`: the morph weights of one copy."""

    @overload
    def __get__(self, handle: None, owner: type) -> Self: ...
    @overload
    def __get__(self, handle: Handle[Any], owner: type) -> tuple[float, ...]: ...
    def __get__(self, handle: Handle[Any] | None, owner: type) -> Self | tuple[float, ...]:
        if handle is None:
            return self
        copy = _copy(handle)
        batch = copy.batch
        count = len(batch.model.morphs)
        weights: list[float] = batch._morph_weights().current(len(batch))[copy.row, :count].tolist()
        return tuple(weights)

    def __set__(self, handle: Handle[Any], value: object) -> None:
        copy = _copy(handle)
        count = len(copy.batch.model.morphs)
        row: Floats = copy.batch.weights[copy.row]
        row[:] = (
            number(self.name, value) if ndim(value) == 0 else numbers(self.name, value, (count,))
        )


def _copy(handle: object) -> ModelInstance:
    assert isinstance(handle, ModelInstance)
    return handle


@model_instance_names
@handle_of(ModelBatch)
@made_by("write batch = self.add(fw.ModelBatch(model)) and batch.add(position=(x, y, z))")
class ModelInstance(Handle["ModelBatch"], Sealed):
    """One copy of the model in a `ModelBatch`. You can read and write the columns of the batch as
    properties of the copy.

    ``batch.add(…)`` and ``batch[row]`` return a `ModelInstance`. Once the copy has been removed,
    its properties and methods raise `ValueError`.
    """

    __slots__ = ()

    _noun = "instance"

    position = _RootCell("The position of the copy in units, as three numbers.")
    x = _RootCoordinate(0, "The x coordinate of the copy's position, in units.")
    y = _RootCoordinate(1, "The y coordinate of the copy's position, in units. Positive y is up.")
    z = _RootCoordinate(2, "The z coordinate of the copy's position, in units.")
    rotation = _RootCell("The rotation of the copy as a unit quaternion (x, y, z, w).")
    scale = _RootCell("The scale factors along x, y and z. One number sets all three factors.")
    color = RowColor(
        "The linear color (red, green, blue, alpha). A color of three numbers does not change "
        "alpha."
    )
    visible = RowValue[bool]("Whether the copy is drawn.")
    weights = _WeightsCell(
        "Morph weights, in the order of `Model.morph_names`. One number sets all weights."
    )

    def __repr__(self) -> str:
        return "<ModelInstance, removed>" if self.removed else f"<ModelInstance at {self.position}>"

    @property
    def root(self) -> Node:
        """The root node of the copy. You can attach other nodes to the root node."""
        return self.batch.nodes[self.row * self.batch.stride]

    def node(self, name: str | int) -> Node:
        """Return the node ``name`` of this copy, for example to turn its head.

        At the start of each tick, the animations set the positions and rotations of the nodes. To
        add your own motion to an animation, change the node in every `update`.
        """
        batch = self.batch
        chosen = (
            batch.model.node_index(name)
            if isinstance(name, str)
            else whole("name", name, 0, batch.stride - 2)
        )
        return batch.nodes[self.row * batch.stride + 1 + chosen]

    def weight(self, name: str | int) -> float:
        """Return the weight of a morph target of this copy.

        If the model has no morph target ``name``, `weight` raises a `ValueError` that lists the
        morph targets.
        """
        weights: tuple[float, ...] = self.weights
        index: int = self.batch.model.morphs.numbered(name)[0]
        return weights[int(index)]

    def set_weight(self, name: str | int, value: float) -> None:
        """Set the weight of a morph target of this copy.

        If several morph targets have the name ``name``, `set_weight` sets all of them. For example,
        several meshes of a face may have a target "smile". At the start of each tick, the
        animations set the weights of their own morph targets.
        """
        batch = self.batch
        columns = batch.model.morphs.numbered(name)
        batch.weights[self.row, columns] = number("value", value)

    def play(
        self, name: str | None, *, loop: bool = True, speed: float = 1.0, fade: float = 0.2
    ) -> None:
        """Start an animation on this copy. For the arguments, see `ModelBatch.play`."""
        self.batch.play(name, [self.row], loop=loop, speed=speed, fade=fade)

    @property
    def playing(self) -> str | None:
        """The name of the animation that the copy is playing. `playing` is None if the copy is in
        the rest pose.
        """
        now = self.batch._track(self.row).now
        return None if now is None else now.animation.name

    @property
    def time(self) -> float:
        """The current time in the copy's animation, in seconds.

        To jump to another time, set ``time``.
        """
        now = self.batch._track(self.row).now
        return 0.0 if now is None else now.time

    @time.setter
    def time(self, value: float) -> None:
        now = self.batch._track(self.row).now
        if now is None:
            raise ValueError("time: no animation is playing; call play() first")
        now.time = number("time", value)

    @property
    def finished(self) -> bool:
        """Whether the animation of the copy has ended. `finished` is True if the copy has no
        animation.

        An animation with ``loop=True`` never ends.
        """
        now = self.batch._track(self.row).now
        return now is None or now.finished

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        """Return the position at which the copy is drawn in a frame, in world units. ``alpha`` is
        the time since the last tick, as a fraction of a tick.
        """
        return self.root.drawn_position(alpha)

    def teleport(self, position: ArrayLike | None = None) -> None:
        """Show the copy at its new position immediately: do not interpolate from the last tick.

        If you pass ``position``, the copy first moves to this position.
        """
        self.root.teleport(position)
        self.batch.teleport(self)


def _weights_column(morphs: MorphWeights) -> TableColumn | None:
    if not len(morphs):
        return None
    # at least two weights, because a column with one number per row has the shape (n,)
    width = max(len(morphs), 2)
    defaults = np.zeros(width)
    defaults[: len(morphs)] = morphs.rest
    return TableColumn("weights", width, tuple(defaults.tolist()), interpolated=True)


def _rest(model: Model) -> tuple[Floats, Floats, Floats]:
    """Return the positions, rotations and scales of all nodes of a copy in the rest pose. The root
    node comes first.
    """
    nodes = model.at_rest
    return (
        np.concatenate([np.zeros((1, 3), np.float32), nodes.position]),
        np.concatenate([np.array([[0, 0, 0, 1]], np.float32), nodes.rotation]),
        np.concatenate([np.ones((1, 3), np.float32), nodes.scale]),
    )
