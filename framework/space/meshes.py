"""Draw thousands of copies of one mesh with one material in a single call."""

from __future__ import annotations

__all__ = ["Instance", "MeshBatch"]

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Rows
from ..checks import Sealed, Setting, flag, instance
from ..geometry.mesh import Mesh
from ..models.materials import Material
from ..moved_names import HasMoved, moved
from ..other_engines.other_options import made_by, other_options
from ..other_engines.space_names import instance_names
from ..state.columns import ColumnValues, Table, TableColumn
from ..state.interpolation import Extrapolation
from ..state.own_columns import add_own_columns, checked_columns
from ..state.rows import Handle, Handled, RowColor, RowCoordinate, RowValue, handle_of
from ..state.transforms3d import PoseTable3D, Transforms3D, transforms3d_of
from .picking import Hit, nearest
from .solids import SolidFrontend


def _material(name: str, value: object) -> Material:
    return instance(name, value, Material)


class MeshParts(NamedTuple):
    """The columns that the backend of a mesh batch needs, in addition to position, rotation and
    scale.
    """

    color: TableColumn
    visible: TableColumn


class Meshes(Handled["Instance"], SolidFrontend, HasMoved, Sealed):
    """The base class of batches that draw one mesh with one material in all rows.

    Subclasses define the position at which each row is drawn. Each row has a ``color``, and a bool
    ``visible`` that hides the row if it is False.
    """

    __slots__ = (
        "_casts_shadow",
        "_color",
        "_cull",
        "_material",
        "_table",
        "_visible",
        "mesh",
    )

    _noun = "instances"
    _takes_columns = True

    material = Setting(
        _material, "The material of all rows. You can replace the material at any time."
    )
    cull = Setting(
        flag,
        "Whether instances outside the view are not drawn. You can change this setting at any "
        "time.",
    )
    color = ColumnValues[Floats](
        "Linear colors that multiply the material's color: float32 (n, 4)."
    )
    visible = ColumnValues[NDArray[np.bool_]]("Whether each row is drawn: bool (n,).")

    def __init__(
        self,
        mesh: Mesh,
        table: Table,
        *,
        material: Material | None,
        casts_shadow: bool | None = None,
        cull: bool = False,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        own = checked_columns("columns", columns)
        self._backend = None
        self.mesh = instance("mesh", mesh, Mesh)
        self.material = Material() if material is None else material
        self.casts_shadow = casts_shadow
        self.cull = cull
        self._table: Table = table
        self._color = TableColumn("color", 4, 1.0, interpolated=False, color_space="linear")
        self._visible = TableColumn("visible", 1, True, dtype=np.bool_, interpolated=False)
        table.add_columns(self._color, self._visible)
        add_own_columns(self, table, own)

    @property
    def casts_shadow(self) -> bool:
        """Whether the instances of the batch cast shadows in sunlight.

        If `casts_shadow` is None (the default), the batch casts shadows, unless its material is
        transparent or a wireframe.
        """
        if self._casts_shadow is not None:
            return self._casts_shadow
        return not (self.material.alpha_mode == "blend" or self.material.wireframe)

    @casts_shadow.setter
    def casts_shadow(self, value: bool | None) -> None:
        self._casts_shadow = None if value is None else flag("casts_shadow", value)

    def _visible_rows(self) -> Rows:
        return np.flatnonzero(self._visible.current(self._table.count))

    def _drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the position and rotation with which a row is drawn in a frame, in world
        coordinates. ``alpha`` is the time since the last tick, as a fraction of a tick.
        """
        raise NotImplementedError


@moved("batch", {}, {"spin": "angular_velocity"})
class MeshBatch(Meshes):
    """Many copies (instances) of one mesh. A `World` draws all instances in one draw call.

        self.add(fw.MeshBatch(mesh, 1000))

    Parameters
    ----------
    mesh
        The `Mesh` that all instances show.
    count
        The number of instances that the new batch contains. At first, all instances are at (0, 0,
        0).
    material
        The `Material` of all instances. The default material is white and matte.
    motion
        How the framework computes positions in frames between two ticks. For the options, see
        `SpriteBatch`.
    large_world
        Whether the batch stores positions as float64 instead of float32. float64 positions are
        precise even at a distance of a million units from the origin, but need twice as much
        memory. Use ``large_world`` if instances are farther than about 10,000 units from the
        origin.
    capacity
        The number of rows to reserve memory for. If you add more rows than ``capacity``, the batch
        replaces its columns with larger arrays. Your game must then read ``batch.position`` and all
        other columns again, because the old arrays are no longer updated.
    casts_shadow
        Whether the instances cast shadows in sunlight, if `World.shadows` is set. By default, the
        instances cast shadows, unless the material is transparent or a wireframe.
    cull
        Whether to skip instances outside the view (culling). ``cull`` is False by default. With
        culling, the CPU computes and uploads the matrices of the visible instances in every frame.
        Culling saves time if the mesh has hundreds of triangles and most of the instances are
        outside the view. Without culling, a frame needs almost no CPU time, even with many
        instances.
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
        float32 (n, 4): linear colors that are multiplied with the material's color.
    visible
        bool (n,): whether each instance is drawn.
    velocity, angular_velocity
        float32 (n, 3): velocities in units per simulated second, and angular velocities in radians
        per simulated second. A batch has the columns ``velocity`` and ``angular_velocity`` only if
        ``motion`` is "hermite" or "extrapolate"; see `Transforms3D`.
    """

    __slots__ = ()

    _rows_can_be_saved = True
    _backend_in = "framework.space.mesh_drawing"

    position = ColumnValues[Any](
        "Positions in units: float32 (n, 3), or float64 in a large world. Interpolated."
    )
    rotation = ColumnValues[Floats](
        "Rotations as unit quaternions (x, y, z, w): float32 (n, 4), interpolated."
    )
    scale = ColumnValues[Floats]("Scale factors along x, y and z: float32 (n, 3), interpolated.")
    velocity = ColumnValues[Floats](
        "Velocities in units per second of game time: float32 (n, 3). Only batches with the "
        'motion "hermite" or "extrapolate" have this column.'
    )
    angular_velocity = ColumnValues[Floats](
        "Angular velocities in radians per second of game time: float32 (n, 3). Only batches with "
        'the motion "hermite" or "extrapolate" have this column.'
    )

    _table: PoseTable3D

    @other_options(
        **dict.fromkeys(
            ("color", "texture", "metallic", "roughness"),
            "write fw.MeshBatch(mesh, material=fw.Material(base_color='red'))",
        ),
        **dict.fromkeys(
            ("position", "rotation", "scale", "visible"),
            "write batch.add(position=(x, y, z), scale=2) for each instance",
        ),
        tags="only a SpriteBatch has tags: write columns={'kind': 0}, a value of each instance",
    )
    def __init__(
        self,
        mesh: Mesh,
        count: int = 0,
        *,
        material: Material | None = None,
        motion: str | Extrapolation = "interpolate",
        large_world: bool = False,
        capacity: int = 0,
        casts_shadow: bool | None = None,
        cull: bool = False,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        table = PoseTable3D(motion, large_world=large_world)
        super().__init__(
            mesh, table, material=material, casts_shadow=casts_shadow, cull=cull, columns=columns
        )
        self._start_with(count, capacity)

    @property
    def transforms(self) -> Transforms3D:
        """The positions, rotations and scales of all rows, as a `Transforms3D`.

        To add or remove rows, use the methods of the batch, not those of `transforms`.
        """
        return transforms3d_of(self._table)

    def _parts(self) -> MeshParts:
        return MeshParts(self._color, self._visible)

    def pick(
        self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0
    ) -> Hit[Instance] | None:
        """Return a `Hit` for the first visible instance that a ray hits, or None.

        To find the instance under the mouse, write
        ``batch.pick(*world.camera.screen_ray(mouse.position))``. The ray is tested against the
        instances as they are drawn in a frame. An ``alpha`` of 0 means the positions before the
        last tick, and 1 (the default) means the newest positions. A ray hits only the front of a
        triangle, unless the material is double-sided.

        Raises `ValueError` if the ray contains a NaN or infinite number, or if the direction is (0,
        0, 0).
        """
        hit = nearest(
            self.mesh,
            self._table,
            origin,
            direction,
            alpha,
            among=self._visible.current(self._table.count),
            both_sides=self.material.double_sided,
        )
        return None if hit is None else Hit(self[hit.row], hit.distance, hit.point, hit.normal)

    def _drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the position and rotation with which a row is drawn in a frame. ``alpha`` is the
        time since the last tick, as a fraction of a tick.
        """
        position, rotation, _ = self._table.pose(alpha, slice(row, row + 1))
        return position[0], rotation[0]


@instance_names
@moved("instance", {}, {"spin": "angular_velocity"})
@handle_of(Meshes)
@made_by("write batch = self.add(fw.MeshBatch(fw.Mesh.box())) and batch.add(position=(x, y, z))")
class Instance(Handle["Meshes"], HasMoved, Sealed):
    """One instance of a `MeshBatch` or `NodeMeshes`. You can read and write the columns of the
    batch as properties of the instance.

    ``batch.add(…)`` and ``batch[row]`` return an `Instance`. An instance of a `NodeMeshes` is drawn
    at its node, so the instance has no position of its own. Once the instance has been removed, its
    properties and methods raise `ValueError`.
    """

    __slots__ = ()

    _noun = "instance"

    position = RowValue[tuple[float, float, float]]("The position of the instance in units.")
    x = RowCoordinate(0, "The x coordinate of the instance's position, in units.")
    y = RowCoordinate(1, "The y coordinate of the instance's position, in units. Positive y is up.")
    z = RowCoordinate(2, "The z coordinate of the instance's position, in units.")
    rotation = RowValue[tuple[float, float, float, float]](
        "The rotation of the instance as a unit quaternion (x, y, z, w)."
    )
    scale = RowValue[tuple[float, float, float]](
        "The scale factors along x, y and z. One number sets all three factors."
    )
    velocity = RowValue[tuple[float, float, float]](
        'The velocity in units per second of game time. Only batches with the motion "hermite" or '
        '"extrapolate" have this value.'
    )
    angular_velocity = RowValue[tuple[float, float, float]](
        "The angular velocity around the world's axes, in radians per second of game time. Only "
        'batches with the motion "hermite" or "extrapolate" have this value.'
    )
    color = RowColor(
        "The linear color (red, green, blue, alpha), or a string such as '#f80'. A color of three "
        "numbers does not change alpha."
    )
    visible = RowValue[bool]("Whether the instance is drawn.")

    def __repr__(self) -> str:
        return (
            "<Instance, removed>" if self.removed else f"<Instance at {self.drawn_position(1.0)}>"
        )

    def drawn_position(self, alpha: float) -> tuple[float, float, float]:
        """Return the position at which the instance is drawn in a frame, in world units. ``alpha``
        is the time since the last tick, as a fraction of a tick.
        """
        position, _ = self._batch._drawn_pose(self._row, alpha)
        numbers: list[float] = position.tolist()
        x, y, z = numbers
        return x, y, z

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """Return the rotation with which the instance is drawn in a frame, as a unit quaternion x y
        z w. ``alpha`` is the time since the last tick, as a fraction of a tick.
        """
        _, rotation = self._batch._drawn_pose(self._row, alpha)
        numbers: list[float] = rotation.tolist()
        x, y, z, w = numbers
        return x, y, z, w
