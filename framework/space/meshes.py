"""Meshes drawn in instanced batches: one mesh and material, thousands of poses, one draw call."""

from __future__ import annotations

__all__ = ["Hit", "Instance", "MeshBatch"]

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Rows
from ..checks import Sealed, Setting, flag, instance
from ..geometry.mesh import Mesh
from ..models.materials import Material
from ..state.columns import Cells, Column, Table
from ..state.motion import Extrapolation
from ..state.rows import Cell, ColorCell, Handle, Handled, handle_of
from ..state.transforms3d import PoseTable3D, Transforms3D, transforms3d_of
from . import picking
from .solids import SolidFace


class Hit(NamedTuple):
    """What a ray met."""

    instance: Instance
    distance: float
    """From where the ray began, in units."""
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    """Of the triangle, on the side that was met, length 1."""


def _material(name: str, value: object) -> Material:
    return instance(name, value, Material)


class MeshParts(NamedTuple):
    """The columns of a batch that its works read, beside the table."""

    color: Column
    visible: Column


class Meshes(Handled["Instance"], SolidFace, Sealed):
    """Rows that each show the same mesh in the same material; where, what derives from it knows.

    Every row has the columns ``color`` and ``visible``.
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

    material = Setting(_material, "May be exchanged at any time.")
    cull = Setting(
        flag, "Whether instances outside the picture are left out; may be changed at any time."
    )
    color = Cells[Floats]("Linear, multiplies the material's: float32 (n, 4).")
    visible = Cells[NDArray[np.bool_]]("Whether it is drawn: bool (n,).")

    def __init__(
        self,
        mesh: Mesh,
        table: Table,
        *,
        material: Material | None,
        casts_shadow: bool | None = None,
        cull: bool = False,
    ) -> None:
        self._works = None
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
        """Whether it throws the sun's shadow; None is set for: unless it blends or is a
        wireframe.
        """
        if self._casts_shadow is not None:
            return self._casts_shadow
        return not (self.material.alpha_mode == "blend" or self.material.wireframe)

    @casts_shadow.setter
    def casts_shadow(self, value: bool | None) -> None:
        self._casts_shadow = None if value is None else flag("casts_shadow", value)

    def _shown(self) -> Rows:
        """The rows that are visible."""
        return np.flatnonzero(self._visible.current(self._table.count))

    def _drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Position (3,) and rotation (4,) in the world of a row as it is drawn at ``alpha``."""
        raise NotImplementedError


class MeshBatch(Meshes):
    """Many instances of a mesh, drawn in one call. It is drawn in a `World`:
    ``self.add(MeshBatch(…))``.

    Parameters
    ----------
    mesh
        A `Mesh`.
    count
        Rows to start with, at (0, 0, 0).
    material
        A `Material`; default: a matt white one.
    motion
        How instances are drawn between two ticks, as of a `SpriteBatch`.
    large_world
        Keep positions as float64: what is a million units from the origin moves as evenly as what
        is near it. It is drawn exactly wherever the camera is; each position takes twice the
        memory. Needed from some 10,000 units on.
    capacity
        Rows to make room for at once. Columns fetched before the batch outgrows its room go out of
        date.
    casts_shadow
        Whether it throws the sun's shadow, in a world with `World.shadows`; None: unless it blends
        or is a wireframe.
    cull
        Leave out instances whose ball is outside the picture. The others' matrices are then
        computed here and written for every frame, which pays where meshes are of hundreds of
        triangles and most are out of sight. Without it (the default) the GPU finds out by itself,
        and a frame between two ticks costs nothing here, for any number of them.

    Columns
    ------- ``position`` (n, 3), ``rotation`` (n, 4) unit quaternions x y z w, ``scale`` (n, 3):
    float32, interpolated. ``color`` (n, 4) float32, linear, multiplies the material's; ``visible``
    (n,) bool. With motion "hermite" or "extrapolate", ``velocity`` and ``spin`` (n, 3); see
    `Transforms3D`.
    """

    __slots__ = ()

    _rows_can_be_saved = True
    _works_in = "framework.space.mesh_drawing"

    position = Cells[Any]("Units: float32 (n, 3), float64 in a large world; interpolated.")
    rotation = Cells[Floats]("Unit quaternions x y z w: float32 (n, 4), interpolated.")
    scale = Cells[Floats]("Factors along x, y and z: float32 (n, 3), interpolated.")
    velocity = Cells[Floats](
        "Units a simulated second, where the motion knows of it: float32 (n, 3)."
    )
    spin = Cells[Floats](
        "Radians a simulated second, where the motion knows of it: float32 (n, 3)."
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
        """The poses, with `Transforms3D.model_matrices`. Rows are added and removed through the
        batch only.
        """
        return transforms3d_of(self._table)

    def _parts(self) -> MeshParts:
        return MeshParts(self._color, self._visible)

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> Hit | None:
        """What a ray meets first: the nearest visible instance as it is drawn at ``alpha``, or
        None.

        For what the mouse points at: ``batch.pick(*world.camera.screen_ray(mouse.position))``.
        Triangles are met from the sides that they are seen from. Raises `ValueError` for a ray that
        is not of finite numbers, or has no direction.
        """
        met = picking.nearest(
            self.mesh,
            self._table,
            origin,
            direction,
            alpha,
            among=self._visible.current(self._table.count),
            both_sides=self.material.double_sided,
        )
        return None if met is None else Hit(self[met.row], met.distance, met.point, met.normal)

    def _drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Position (3,) and rotation (4,) of a row as it is drawn at ``alpha``."""
        position, rotation, _ = self._table.pose(alpha, slice(row, row + 1))
        return position[0], rotation[0]


@handle_of(Meshes)
class Instance(Handle["Meshes"], Sealed):
    """One row of a `MeshBatch` or a `NodeMeshes`, with properties. Made by ``batch.add(…)`` or
    ``batch[row]``.

    The instance of a `NodeMeshes` has no pose of its own: it is drawn at its node. After `remove`
    it is no more: using it is a `ValueError`.
    """

    __slots__ = ()

    _noun = "instance"

    position = Cell[tuple[float, float, float]]("Units.")
    rotation = Cell[tuple[float, float, float, float]]("A unit quaternion x y z w.")
    scale = Cell[tuple[float, float, float]]("Factors along x, y and z; one number sets all.")
    velocity = Cell[tuple[float, float, float]](
        "Units a simulated second, in a batch whose motion knows of it."
    )
    spin = Cell[tuple[float, float, float]](
        "Radians a simulated second about the world's axes, in a batch whose motion knows of it."
    )
    color = ColorCell(
        "Red, green, blue and alpha, linear, or '#f80'; where alpha is left out it stays as it is."
    )
    visible = Cell[bool]("Whether it is drawn.")

    def __repr__(self) -> str:
        return (
            "<Instance, removed>" if self.removed else f"<Instance at {self.drawn_position(1.0)}>"
        )

    def drawn_position(self, alpha: float) -> tuple[float, float, float]:
        """Where it is drawn at ``alpha``."""
        position, _ = self._batch._drawn_pose(self._row, alpha)
        numbers: list[float] = position.tolist()
        x, y, z = numbers
        return x, y, z

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """How it is turned as it is drawn at ``alpha``: a unit quaternion x y z w."""
        _, rotation = self._batch._drawn_pose(self._row, alpha)
        numbers: list[float] = rotation.tolist()
        x, y, z, w = numbers
        return x, y, z, w
