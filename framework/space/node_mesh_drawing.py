"""Draw meshes at their nodes, whose world matrices are uploaded once per frame."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Mask, Rows
from ..gpu.graphics import Graphics
from ..gpu.handover import Handover
from ..state.backend import Backend, drives
from ..state.rows import table_of
from .camera3d import Shot
from .instancing import MeshGpu
from .joints import JointsGpu
from .mesh_drawing import MeshBackend
from .morphing import MorphsGpu
from .node_meshes import NodeMeshes, NodeMeshParts
from .solids import SolidTableBackend
from .surfaces import WorldAssets


class _NodeMeshTicks(Backend[NodeMeshes]):
    """A backend that also begins and ends the ticks of the nodes, because the nodes may not have a
    backend of their own that does this.
    """

    __slots__ = ()

    def begin_tick(self, dt: float) -> None:
        table_of(self.frontend.nodes).begin_tick(dt)
        super().begin_tick(dt)

    def end_tick(self) -> None:
        table_of(self.frontend.nodes).end_tick()
        super().end_tick()

    def notice_writes(self) -> None:
        table_of(self.frontend.nodes).notice_writes()


class NodeMeshTicks(_NodeMeshTicks, SolidTableBackend[NodeMeshes]):
    """The backend of a `NodeMeshes` in a game without graphics. It draws nothing."""

    __slots__ = ()


@drives(NodeMeshes, unseen=NodeMeshTicks)
class NodeMeshDrawing(_NodeMeshTicks, MeshBackend[NodeMeshes]):
    """The backend that draws a `NodeMeshes` in a game with graphics."""

    __slots__ = ("_parts", "_sent_for")

    def __init__(
        self, frontend: NodeMeshes, parts: NodeMeshParts, graphics: Graphics, assets: WorldAssets
    ) -> None:
        self._parts = parts
        self._sent_for: Shot | None = None
        super().__init__(frontend, parts.meshes, graphics, assets)

    def _new_gpu(self) -> MeshGpu:
        assets = self._assets
        frontend = self.frontend
        skin = self._parts.skin
        targets = self._parts.targets
        ctx = assets.graphics.ctx
        handover = Handover(ctx, [], [self._color, self._visible])
        pose, joints = ("matrix", None) if skin is None else ("skin", JointsGpu(ctx, skin))
        morphs = None if targets is None else MorphsGpu(ctx, targets)
        pose += "" if morphs is None else "_morphed"
        defines: dict[str, str | int] = {"POSE": f"pose_{pose}.glsl"}
        return MeshGpu(
            assets,
            frontend.mesh,
            frontend.material,
            handover,
            defines,
            joints=joints,
            morphs=morphs,
        )

    @property
    def bends(self) -> bool:
        return self._parts.skin is not None or self._parts.targets is not None

    @property
    def mirrored(self) -> bool:
        return bool(table_of(self.frontend.nodes).mirrored)

    def hand_over(self) -> None:
        """Upload the world matrices of the nodes for this frame, and all rows that have changed."""
        gpu = self.gpu
        table = self.table
        skin = self._parts.skin
        shot = self._assets.shot
        assert shot is not None
        if table.count and shot is not self._sent_for:
            self._sent_for = shot
            world = table_of(self.frontend.nodes).matrices_from(shot)
            nodes = self._parts.checked_nodes()
            if skin is None:
                gpu.handover.reserve(table.capacity)
                gpu.send_models(world[nodes])
            else:
                gpu.send_joints(skin.matrices(world, nodes))
        super().hand_over()

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        nodes = self._parts.checked_nodes()
        models: Floats = table_of(self.frontend.nodes).matrices_from(shot)
        return models[nodes if rows is None else nodes[rows]]

    def in_view(self, shot: Shot) -> Mask:
        mesh = self.frontend.mesh
        models = self.models_from_eye(shot)
        centers = mesh.center @ models[:, :3, :3] + models[:, 3, :3]
        radii = mesh.radius * np.sqrt((models[:, :3, :3] ** 2).sum(axis=2).max(axis=1))
        return shot.sees(centers, radii)
