"""The backend that draws a `MeshBatch` in a game with graphics."""

from __future__ import annotations

from collections.abc import Set
from typing import TypeVar

import numpy as np

from ..arrays import Floats, Mask, Rows
from ..gpu.graphics import Graphics
from ..gpu.handover import Handover
from ..state.backend import backend_of, drives
from ..state.displacement import shown_pose
from ..state.rows import table_of
from ..state.transforms import Pose
from ..state.transforms3d import PoseTable3D, matrices
from .camera3d import Shot
from .instancing import MeshGpu
from .meshes import MeshBatch, Meshes, MeshParts
from .solids import SolidTableBackend
from .surfaces import WorldAssets, is_made_of

M = TypeVar("M", bound=Meshes)


class MeshBackend(SolidTableBackend[M]):
    """The base class of backends that draw one mesh with one material in all rows.

    Subclasses compute the position at which each row is drawn.
    """

    __slots__ = ("_assets", "_color", "_handed_over", "_visible", "gpu")

    def __init__(
        self, frontend: M, parts: MeshParts, graphics: Graphics, assets: WorldAssets
    ) -> None:
        super().__init__(frontend, parts, graphics)
        self._assets = assets
        self._color = parts.color
        self._visible = parts.visible
        self._handed_over: Shot | None = None  # valid only in the current frame
        self.gpu = self._new_gpu()
        """The mesh on the GPU, with the columns of its rows."""
        self.table.touch()  # the rows must be uploaded even before the first tick

    def _new_gpu(self) -> MeshGpu:
        """Return a new `MeshGpu` for the mesh and the material of the batch."""
        raise NotImplementedError

    # -- read by `MeshGpu` -------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.table.count

    @property
    def motion_uniform(self) -> tuple[float, float, float, float] | None:
        """The four times that the shader needs if the motion between two ticks depends on time.

        The value is None if the CPU computes the positions and rotations.
        """
        return None

    @property
    def mirrored(self) -> bool:
        """Whether any instance may have a negative scale, which mirrors the mesh."""
        raise NotImplementedError

    @property
    def colors(self) -> Floats:
        """The linear colors of all rows. The float32 array is read-only and has the shape (n, 4)."""
        colors: Floats = self._color.current(self.table.count)
        return colors

    @property
    def shown(self) -> Rows:
        """The indices of the visible rows."""
        return np.flatnonzero(self._visible.current(self.table.count))

    def in_view(self, shot: Shot) -> Mask:
        """Return whether the instance of each row may be visible on the screen. The result is a
        bool array with the shape (n,).
        """
        raise NotImplementedError

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        """Return the matrices that place the mesh relative to the camera, one for each of ``rows``.

        The array has the dtype float32 and the shape (n, 4, 4). If ``rows`` is None, the array
        contains the matrices of all rows.
        """
        raise NotImplementedError

    # -- called by the world -----------------------------------------------------------------------

    @property
    def transparent(self) -> bool:
        return self.frontend.material.alpha_mode == "blend"

    @property
    def casts_shadow(self) -> bool:
        return self.frontend.casts_shadow

    @property
    def bends(self) -> bool:
        """Whether a skin or morph targets change the shape of the mesh.

        If so, the instances are drawn in the order of their rows, because the shader finds an
        instance's joints and weights by its row index.
        """
        return False

    @property
    def uploaded_bytes(self) -> int:
        """The total number of bytes uploaded for the columns of this batch."""
        return self.gpu.handover.uploaded

    def hand_over(self) -> None:
        """Upload all rows that the game has changed since the last upload.

        Games usually change rows only in ticks. If no tick has run since the last frame, there is
        usually nothing to upload.
        """
        handover = self.gpu.handover
        table = self.table
        if not table.news():
            return
        handover.reserve(table.capacity)
        handover.hand_over(table.count, not table.tick.handed_over)
        table.tick.handed_over = True

    def draw(self) -> None:
        # If only visible rows are drawn (culling), only shadows need all columns on the GPU.
        if not self.frontend.cull or self.bends:
            self._hand_over_once()
        if self.table.count:
            self.gpu.draw(self)

    def draw_shadow(self) -> None:
        self._hand_over_once()
        if self.table.count:
            self.gpu.draw_shadow(self)

    def _hand_over_once(self) -> None:
        """Call `hand_over`, but only once per frame. In a frame with shadows, `_hand_over_once` is
        called for the shadows and again for the mesh.
        """
        shot = self._assets.shot
        if self._handed_over is not shot or shot is None:
            self._handed_over = shot
            self.hand_over()

    def depth(self) -> float:
        """Return the distance from the camera to the mean position of all instances, in units.
        Before the first frame, return 0.
        """
        shot = self._assets.shot
        if shot is None or not self.table.count:
            return 0.0
        position = self.models_from_eye(shot)[:, 3, :3].mean(axis=0, dtype=np.float64)
        return float(np.nan_to_num(np.linalg.norm(position)))

    def renew(self, files: Set[str]) -> bool:
        """Reload the material's files. If the mesh was reloaded, also create new buffers.

        Return whether the material or the mesh has changed.
        """
        gpu = self.gpu
        material = self.frontend.material
        painted = is_made_of(material, files, self._assets.folders)
        if painted:
            material.after_restore()
        if gpu.positions is self.frontend.mesh.positions:
            return painted
        self.gpu = self._new_gpu()
        gpu.release()
        self.table.touch()
        return True

    def release(self) -> None:
        self.gpu.release()


@drives(MeshBatch, unseen=SolidTableBackend)
class MeshDrawing(MeshBackend[MeshBatch]):
    """The backend that draws a `MeshBatch` in a game with graphics. The GPU interpolates the
    positions of the instances.
    """

    __slots__ = ("_mirrored", "_models", "_transforms")

    def __init__(
        self, frontend: MeshBatch, parts: MeshParts, graphics: Graphics, assets: WorldAssets
    ) -> None:
        self._transforms: PoseTable3D = table_of(frontend)
        self._models: tuple[Shot, Floats] | None = None  # valid only in the current frame
        scale = self._transforms.column("scale")
        self._mirrored = bool((scale.current(self._transforms.count) < 0).any())
        super().__init__(frontend, parts, graphics, assets)

    def _new_gpu(self) -> MeshGpu:
        assets = self._assets
        transforms = self._transforms
        frontend = self.frontend
        handover = Handover.of(assets.graphics.ctx, transforms, self._color, self._visible)
        return MeshGpu(assets, frontend.mesh, frontend.material, handover, pose_defines(transforms))

    @property
    def motion_uniform(self) -> tuple[float, float, float, float] | None:
        return self._transforms.motion_uniform if self._transforms.timed else None

    @property
    def mirrored(self) -> bool:
        if self.frontend.cull:  # without `cull`, `hand_over` has updated the value
            self._update_mirrored()
        return self._mirrored

    def _update_mirrored(self) -> None:
        scale = self.table.column("scale")
        n = self.table.count
        at_rest = scale.at_rest(n)
        if self._mirrored or not at_rest:
            below = bool((scale.current(n) < 0).any())
            # Until alpha is 1, the previous state is also drawn, and the mesh may be mirrored in
            # that state.
            self._mirrored = below or (self._mirrored and not at_rest)

    def hand_over(self) -> None:
        """Upload all rows that have changed since the last upload, and update `mirrored`."""
        self._update_mirrored()
        super().hand_over()

    def in_view(self, shot: Shot) -> Mask:
        centers, radii = self._transforms.balls(shot.alpha, self.frontend.mesh)
        displacement = self._transforms.column("position").displacement
        if displacement is not None:
            centers = displacement(centers)
        return shot.sees((centers - shot.eye.astype(centers.dtype)).astype(np.float32), radii)

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        if rows is not None:
            position, rotation, scale = self._pose(shot.alpha, rows)
            return matrices(
                (position.astype(np.float64) - shot.eye).astype(np.float32), rotation, scale
            )
        if self._models is None or self._models[0] is not shot:
            position, rotation, scale = self._pose(shot.alpha, slice(None))
            from_eye = (position.astype(np.float64) - shot.eye).astype(np.float32)
            self._models = shot, matrices(from_eye, rotation, scale)
        return self._models[1]

    def _pose(self, alpha: float, rows: Rows | slice) -> Pose:
        """Return the positions, rotations and scales of ``rows`` in the current frame."""
        transforms = self._transforms
        pose = transforms.pose(alpha, rows)
        if transforms.column("position").displacement is None:
            return pose
        return *shown_pose(transforms, alpha, rows), pose[2]


def drawing_of(batch: MeshBatch) -> MeshDrawing | None:
    """Return the backend of a mesh batch. Return None if the batch is not in a game with graphics."""
    return backend_of(batch, MeshDrawing)


def pose_defines(transforms: PoseTable3D) -> dict[str, str | int]:
    """Return the macros for the vertex shader meshes.vert. With these macros, the shader reads
    positions in the format of ``transforms``.
    """
    if transforms.observer is not None:
        return {"POSE": "pose_predicted.glsl"}
    defines: dict[str, str | int] = {
        "POSE": "pose_columns.glsl",
        f"MOTION_{transforms.motion.upper()}": 1,
    }
    return defines | ({"LARGE_WORLD": 1} if transforms.large_world else {})
