"""Mesh batches: draw one mesh with one material at thousands of poses, in one call."""

from __future__ import annotations

__all__ = ["Hit", "Instance", "MeshBatch"]

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Rows
from ..checks import Sealed, Setting, flag, instance
from ..geometry.mesh import Mesh
from ..models.materials import Material
from ..moved_names import HasMoved, moved
from ..state.columns import Column, ColumnValues, Table
from ..state.interpolation import Extrapolation
from ..state.rows import Handle, Handled, RowColor, RowValue, handle_of
from ..state.transforms3d import PoseTable3D, Transforms3D, transforms3d_of
from . import picking
from .solids import SolidFrontend


class Hit(NamedTuple):
    """The point where a ray meets an instance: the result of `pick`."""

    instance: Instance
    distance: float
    """Distance from the start of the ray to the point, in units."""
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    """Normal of the triangle in the world, of length 1, on the side of the ray's start."""


def _material(name: str, value: object) -> Material:
    return instance(name, value, Material)


class MeshParts(NamedTuple):
    """The columns of a mesh batch that its backend reads, besides the poses."""

    color: Column
    visible: Column


class Meshes(Handled["Instance"], SolidFrontend, HasMoved, Sealed):
    """The base of batches whose rows show the same mesh with the same material.

    Subclasses have the poses of the rows. Every row has the columns ``color`` and ``visible``.
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

    material = Setting(_material, "The material. You can replace it at any time.")
    cull = Setting(
        flag, "Whether instances outside the view are skipped. You can change it at any time."
    )
    color = ColumnValues[Floats](
        "Linear colors, multiplied with the material's color: float32 (n, 4)."
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
    ) -> None:
        self._backend = None
        self.mesh = instance("mesh", mesh, Mesh)
        self.material = Material() if material is None else material
        self.casts_shadow = casts_shadow
        self.cull = cull
        self._table: Table = table
        self._color = Column("color", 4, 1.0, interpolated=False, color_space="linear")
        self._visible = Column("visible", 1, True, dtype=np.bool_, interpolated=False)
        table.add_columns(self._color, self._visible)

    @property
    def casts_shadow(self) -> bool:
        """Whether the batch casts a shadow of the sun.

        Set None (the default) to cast a shadow unless the material is transparent or a wireframe.
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
        """Return the drawn position (3,) and rotation (4,) of a row at ``alpha``, in the world."""
        raise NotImplementedError


@moved("batch", {}, {"spin": "angular_velocity"})
class MeshBatch(Meshes):
    """Many instances of a mesh, drawn in one call in a `World`.

        self.add(fw.MeshBatch(mesh, 1000))

    Parameters
    ----------
    mesh
        A `Mesh`.
    count
        Rows to start with, at (0, 0, 0).
    material
        A `Material`. Default: matte white.
    motion
        How instances are drawn between two ticks; see `SpriteBatch`.
    large_world
        Whether to store positions as float64. Positions are then precise anywhere, even a million
        units from the origin, and use twice the memory. Use it from about 10,000 units on.
    capacity
        Number of rows to reserve memory for. If the batch grows beyond ``capacity``, read the
        columns again: older arrays are out of date.
    casts_shadow
        Whether the batch casts a shadow of the sun, in a world with `World.shadows`. Default: yes,
        unless the material blends or is a wireframe.
    cull
        Whether to skip instances whose bounding sphere is outside the view. The CPU then computes
        and uploads the matrices of the other instances in every frame. Culling is faster if meshes
        have hundreds of triangles and most instances are out of view. Without culling (the
        default), frames between two ticks cost no CPU time, for any number of instances.

    Columns
    -------
    position
        (n, 3) float32, interpolated; float64 with ``large_world``.
    rotation
        (n, 4) float32, unit quaternions x y z w, interpolated.
    scale
        (n, 3) float32, interpolated.
    color
        (n, 4) float32, linear, multiplied with the material's color.
    visible
        (n,) bool.
    velocity, angular_velocity
        (n, 3) float32, with the motions "hermite" and "extrapolate"; see `Transforms3D`.
    """

    __slots__ = ()

    _rows_can_be_saved = True
    _backend_in = "framework.space.mesh_drawing"

    position = ColumnValues[Any](
        "Positions in units: float32 (n, 3), float64 in a large world; interpolated."
    )
    rotation = ColumnValues[Floats]("Unit quaternions x y z w: float32 (n, 4), interpolated.")
    scale = ColumnValues[Floats]("Scale factors along x, y and z: float32 (n, 3), interpolated.")
    velocity = ColumnValues[Floats](
        "Velocities in units a simulated second: float32 (n, 3), for the motions hermite and "
        "extrapolate."
    )
    angular_velocity = ColumnValues[Floats](
        "Angular velocities in radians a simulated second: float32 (n, 3), for the motions hermite "
        "and extrapolate."
    )

    _table: PoseTable3D

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
    ) -> None:
        table = PoseTable3D(motion, large_world=large_world)
        super().__init__(mesh, table, material=material, casts_shadow=casts_shadow, cull=cull)
        self._start_with(count, capacity)

    @property
    def transforms(self) -> Transforms3D:
        """The poses of the rows, for example for `Transforms3D.model_matrices`.

        Add and remove rows with the batch, not with the transforms.
        """
        return transforms3d_of(self._table)

    def _parts(self) -> MeshParts:
        return MeshParts(self._color, self._visible)

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> Hit | None:
        """Return the nearest visible instance that a ray hits, or None.

        To find the instance below the mouse, use
        ``batch.pick(*world.camera.screen_ray(mouse.position))``. Instances are tested as they are
        drawn at ``alpha``: 0 is the previous tick, 1 (the default) the newest tick. Only the
        visible sides of triangles are hit.

        Raises `ValueError` if the ray has a number that is not finite, or no direction.
        """
        hit = picking.nearest(
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
        """Return the drawn position (3,) and rotation (4,) of a row at ``alpha``."""
        position, rotation, _ = self._table.pose(alpha, slice(row, row + 1))
        return position[0], rotation[0]


@moved("instance", {}, {"spin": "angular_velocity"})
@handle_of(Meshes)
class Instance(Handle["Meshes"], HasMoved, Sealed):
    """One row of a `MeshBatch` or a `NodeMeshes`, with properties.

    ``batch.add(…)`` and ``batch[row]`` return one. The instance of a `NodeMeshes` has no pose of
    its own: it is drawn at its node. Using an instance after `remove` raises a `ValueError`.
    """

    __slots__ = ()

    _noun = "instance"

    position = RowValue[tuple[float, float, float]]("Position in units.")
    rotation = RowValue[tuple[float, float, float, float]]("Rotation: a unit quaternion x y z w.")
    scale = RowValue[tuple[float, float, float]](
        "Scale factors along x, y and z. One number sets all three."
    )
    velocity = RowValue[tuple[float, float, float]](
        "Velocity in units a simulated second, for the motions hermite and extrapolate."
    )
    angular_velocity = RowValue[tuple[float, float, float]](
        "Angular velocity in radians a simulated second about the world's axes, for the motions "
        "hermite and extrapolate."
    )
    color = RowColor(
        "Red, green, blue and alpha, linear, or '#f80'. Without alpha, the alpha is kept."
    )
    visible = RowValue[bool]("Whether it is drawn.")

    def __repr__(self) -> str:
        return (
            "<Instance, removed>" if self.removed else f"<Instance at {self.drawn_position(1.0)}>"
        )

    def drawn_position(self, alpha: float) -> tuple[float, float, float]:
        """Return the position in the world at which the instance is drawn at ``alpha``, in
        units.
        """
        position, _ = self._batch._drawn_pose(self._row, alpha)
        numbers: list[float] = position.tolist()
        x, y, z = numbers
        return x, y, z

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """Return the rotation with which the instance is drawn at ``alpha``: a unit quaternion x y
        z w.
        """
        _, rotation = self._batch._drawn_pose(self._row, alpha)
        numbers: list[float] = rotation.tolist()
        x, y, z, w = numbers
        return x, y, z, w
