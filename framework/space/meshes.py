"""Meshes drawn in instanced batches: one mesh and material, thousands of poses, one draw call."""

from __future__ import annotations

__all__ = ["Hit", "Instance", "MeshBatch"]

from collections.abc import Set
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Mask, Rows
from ..checks import Sealed, Setting, flag, instance
from ..errors import AssetError
from ..geometry.mesh import Mesh
from ..gpu.drawable import SolidDefaults
from ..gpu.graphics import Graphics
from ..gpu.handover import Handover
from ..gpu.shaders import Programs
from ..models.materials import Material
from ..models.skins import Skin
from ..state.columns import Cells, Column, Table, Ticked
from ..state.motion import Extrapolation
from ..state.rows import Cell, ColorCell, Handle, Handled, handle_of
from ..state.transforms3d import PoseTable3D, Transforms3D, matrices, transforms3d_of
from . import picking
from .camera3d import Shot
from .instancing import MeshGpu
from .surfaces import WorldAssets, is_made_of


class Hit(NamedTuple):
    """What a ray met."""

    instance: Instance
    distance: float
    """From where the ray began, in units."""
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    """Of the triangle, on the side that was met, length 1."""


def _material(name: str, value: Any) -> Material:
    return instance(name, value, Material)


class Meshes(Handled["Instance"], Ticked, SolidDefaults, Sealed):
    """Rows that each show the same mesh in the same material; where, what derives from it knows.

    Every row has the columns ``color`` and ``visible``.
    """

    __slots__ = (
        "__weakref__",
        "_casts_shadow",
        "_color",
        "_cull",
        "_gpu",
        "_handed_over",
        "_material",
        "_table",
        "_visible",
        "mesh",
        "skin",
    )

    not_state: ClassVar[tuple[str, ...]] = ("_gpu", "_handed_over")

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
        skin: Skin | None = None,
    ) -> None:
        self.mesh = instance("mesh", mesh, Mesh)
        self.material = Material() if material is None else material
        self.casts_shadow = casts_shadow
        self.cull = cull
        self.skin = None if skin is None else instance("skin", skin, Skin)
        self._table: Any = table
        self._color = Column("color", 4, 1.0, interpolated=False, color_space="linear")
        self._visible = Column("visible", 1, True, dtype=np.bool_, interpolated=False)
        table.add_columns(self._color, self._visible)
        self._gpu: MeshGpu | None = None
        self._handed_over: Shot | None = None  # for the frame that is drawn

    @property
    def casts_shadow(self) -> bool:
        """Whether it throws the sun's shadow; None is set for: unless it blends or is a
        wireframe.
        """
        if self._casts_shadow is not None:
            return self._casts_shadow
        return not (self.transparent or self.material.wireframe)

    @casts_shadow.setter
    def casts_shadow(self, value: bool | None) -> None:
        self._casts_shadow = None if value is None else flag("casts_shadow", value)

    @property
    def transparent(self) -> bool:
        """Whether what is behind shows through, so that it must be drawn last."""
        return self.material.alpha_mode == "blend"

    @property
    def bends(self) -> bool:
        """Whether its vertices move by themselves: the instances are drawn as they stand then, all
        of them.
        """
        return self.skin is not None

    # -- what draws it asks ------------------------------------------------------------------------

    @property
    def motion_uniform(self) -> tuple[float, float, float, float] | None:
        """Of poses that are blended on the GPU by a motion that must know the time."""
        return None

    @property
    def mirrored(self) -> bool:
        """Whether poses may mirror: scales below 0 among those that are drawn."""
        raise NotImplementedError

    @property
    def colors(self) -> Floats:
        """The column ``color``, for reading only."""
        return self._color.current(self._table.count)

    @property
    def shown(self) -> Rows:
        """The rows that are visible."""
        return np.flatnonzero(self._visible.current(self._table.count))

    def in_view(self, shot: Shot) -> Mask:
        """Whether rows may be in the picture: (n,)."""
        raise NotImplementedError

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        """The model matrices that are drawn, their places counted from the eye: float32 (n, 4, 4);
        of ``rows``, or all.
        """
        raise NotImplementedError

    def drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Position (3,) and rotation (4,) in the world of a row as it is drawn at ``alpha``."""
        raise NotImplementedError

    # -- frames ------------------------------------------------------------------------------------

    @property
    def uploaded_bytes(self) -> int:
        """Bytes of columns written to the GPU so far."""
        return 0 if self._gpu is None else self._gpu.handover.uploaded

    def attach(self, graphics: Graphics, programs: Programs) -> None:
        """The batch was added to a world: make what it needs on the GPU."""
        if self._gpu is not None:
            raise ValueError("batch: it was added to a world already")
        self._gpu = self.made_gpu(
            instance("programs", programs, WorldAssets, what="the WorldAssets of a World")
        )
        self._table.touch()  # to be handed over, also before the first tick

    def made_gpu(self, assets: WorldAssets) -> MeshGpu:
        """What draws it."""
        raise NotImplementedError

    def hand_over(self) -> None:
        """Upload what changed since the last time: nothing, between two ticks of a game that left
        it alone.
        """
        handover, table = self.attached.handover, self._table
        if not table.news():
            return
        handover.reserve(table.capacity)
        handover.hand_over(table.count, not table.tick.handed_over)
        table.tick.handed_over = True

    def draw(self) -> None:
        """Draw. The frame's and the world's uniform blocks are bound, the target is set.

        Of a material that blends, the instances are drawn from the farthest to the nearest.
        """
        gpu = self.attached
        if not self.cull or self.bends:  # else it needs no columns on the GPU, but for its shadow
            self._hand_over_once()
        if self._table.count:
            gpu.draw(self)

    def draw_shadow(self) -> None:
        """Draw its depth, seen from the sun."""
        self._hand_over_once()
        if self._table.count:
            self.attached.draw_shadow(self)

    def _hand_over_once(self) -> None:
        """`hand_over` for a frame, in which there may be shadows to draw first."""
        shot = self.attached.assets.shot
        if self._handed_over is not shot or shot is None:
            self._handed_over = shot
            self.hand_over()

    def depth(self) -> float:
        """How far from the camera the middle of its instances is drawn, in units; before the first
        frame, 0.
        """
        shot = None if self._gpu is None else self._gpu.assets.shot
        if shot is None or not self._table.count:
            return 0.0
        place = self.models_from_eye(shot)[:, 3, :3].mean(axis=0, dtype=np.float64)
        return float(np.nan_to_num(np.linalg.norm(place)))

    def renew(self, files: Set[str]) -> bool:
        """Draw what the mesh is now, where that was read anew, and what the material's files are,
        where they are among these."""
        gpu = self._gpu
        if gpu is None:
            return False
        painted = is_made_of(self.material, files, gpu.assets.folders)
        if painted:
            self.material.after_restore()
        if gpu.places is self.mesh.positions:
            return painted
        self._gpu = self.made_gpu(gpu.assets)
        gpu.release()
        self._table.touch()
        return True

    def release(self) -> None:
        if self._gpu is not None:
            self._gpu.release()
            self._gpu = None

    @property
    def attached(self) -> MeshGpu:
        """What draws it. Raises `AssetError` while it is in no game."""
        if self._gpu is None:
            raise AssetError("this batch is not in a game yet: game.add(batch) makes it ready")
        return self._gpu


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

    __slots__ = ("_mirrored", "_models")

    not_state = ("_mirrored", "_models")

    _rows_can_be_saved = True

    position = Cells[Any]("Units: float32 (n, 3), float64 in a large world; interpolated.")
    rotation = Cells[Floats]("Unit quaternions x y z w: float32 (n, 4), interpolated.")
    scale = Cells[Floats]("Factors along x, y and z: float32 (n, 3), interpolated.")
    velocity = Cells[Floats](
        "Units a simulated second, where the motion knows of it: float32 (n, 3)."
    )
    spin = Cells[Floats](
        "Radians a simulated second, where the motion knows of it: float32 (n, 3)."
    )

    table: PoseTable3D

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
        self._models: tuple[Shot, Floats] | None = None  # of the frame that is drawn
        self._mirrored = False
        self._start_with(count, capacity)

    @property
    def transforms(self) -> Transforms3D:
        """The poses, with `Transforms3D.model_matrices`. Rows are added and removed through the
        batch only.
        """
        return transforms3d_of(self._table)

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

    @property
    def motion_uniform(self) -> tuple[float, float, float, float] | None:
        """Of poses that are blended on the GPU by a motion that must know the time."""
        return self._table.motion_uniform if self._table.timed else None

    @property
    def mirrored(self) -> bool:
        """Whether poses may mirror: scales below 0 among those that are drawn."""
        if self.cull:  # else it was looked for when columns were handed over
            self._look_for_mirrors()
        return self._mirrored

    def _look_for_mirrors(self) -> None:
        scale, n = self._table.column("scale"), self._table.count
        at_rest = scale.at_rest(n)
        if self._mirrored or not at_rest:
            below = bool((scale.current(n) < 0).any())
            self._mirrored = below or (
                self._mirrored and not at_rest
            )  # the state before may still be drawn

    def hand_over(self) -> None:
        """Upload what changed since the last time, and see whether any of it mirrors."""
        self._look_for_mirrors()
        super().hand_over()

    def made_gpu(self, assets: WorldAssets) -> MeshGpu:
        """What draws it."""
        handover = Handover.of(assets.graphics.ctx, self._table, self._color, self._visible)
        return MeshGpu(assets, self.mesh, self.material, handover, pose_defines(self._table))

    def in_view(self, shot: Shot) -> Mask:
        """Whether the balls about the rows are in the picture: (n,)."""
        centers, radii = self._table.balls(shot.alpha, self.mesh)
        return shot.sees((centers - shot.eye.astype(centers.dtype)).astype(np.float32), radii)

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        """The model matrices that are drawn, their places counted from the eye: float32 (n, 4, 4);
        of ``rows``, or all.
        """
        if rows is not None:
            position, rotation, scale = self._table.pose(shot.alpha, rows)
            return matrices(
                (position.astype(np.float64) - shot.eye).astype(np.float32), rotation, scale
            )
        if self._models is None or self._models[0] is not shot:
            position, rotation, scale = self._table.pose(shot.alpha)
            place = (position.astype(np.float64) - shot.eye).astype(np.float32)
            self._models = shot, matrices(place, rotation, scale)
        return self._models[1]

    def drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Position (3,) and rotation (4,) of a row as it is drawn at ``alpha``."""
        position, rotation, _ = self._table.pose(alpha, slice(row, row + 1))
        return position[0], rotation[0]


def pose_defines(transforms: PoseTable3D) -> dict[str, str | int]:
    """What meshes.vert is asked for, to draw what `Transforms3D` computes."""
    if transforms.observer is not None:
        return {"POSE": "pose_predicted.glsl"}
    defines: dict[str, str | int] = {
        "POSE": "pose_columns.glsl",
        f"MOTION_{transforms.motion.upper()}": 1,
    }
    return defines | ({"LARGE_WORLD": 1} if transforms.large_world else {})


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
        x, y, z = self._batch.drawn_pose(self._row, alpha)[0].tolist()
        return x, y, z

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """How it is turned as it is drawn at ``alpha``: a unit quaternion x y z w."""
        x, y, z, w = self._batch.drawn_pose(self._row, alpha)[1].tolist()
        return x, y, z, w
