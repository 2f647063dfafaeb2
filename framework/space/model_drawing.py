"""The backend of a `ModelBatch`, and the backends of the model's meshes."""

from __future__ import annotations

import numpy as np

from ..gpu.graphics import Graphics
from ..state.backend import drives
from .models import ModelBatch, ModelParts, PartMeshes
from .node_mesh_drawing import NodeMeshDrawing, NodeMeshTicks
from .node_meshes import CopyParts, NodeMeshParts
from .solids import SolidBackend
from .surfaces import WorldAssets


class ModelTicks(SolidBackend[ModelBatch]):
    """The backend of a `ModelBatch`. It advances the animations and the nodes in each tick, and
    draws nothing itself.

    The world draws each mesh of the model separately.
    """

    __slots__ = ("_parts",)

    def __init__(
        self,
        frontend: ModelBatch,
        parts: ModelParts,
        graphics: Graphics,
        assets: WorldAssets | None = None,
    ) -> None:
        super().__init__(frontend)
        self._parts = parts

    def begin_tick(self, dt: float) -> None:
        nodes, playback, weights = self._parts
        nodes.begin_tick(dt)
        if weights is not None:
            weights.begin_tick(dt)
        if dt:
            playback.advance(dt)

    def end_tick(self) -> None:
        nodes, playback, weights = self._parts
        playback.end_tick()
        nodes.end_tick()
        if weights is not None:
            weights.end_tick()

    def notice_writes(self) -> None:
        nodes, _, weights = self._parts
        nodes.notice_writes()
        if weights is not None:
            weights.notice_writes()


drives(ModelBatch, unseen=ModelTicks)(ModelTicks)


@drives(PartMeshes, unseen=NodeMeshTicks)
class PartMeshDrawing(NodeMeshDrawing):
    """The backend that draws one mesh of a model, for all copies of the model."""

    __slots__ = ("_copies",)

    def __init__(
        self, frontend: PartMeshes, parts: NodeMeshParts, graphics: Graphics, assets: WorldAssets
    ) -> None:
        assert parts.copies is not None
        self._copies: CopyParts = parts.copies
        super().__init__(frontend, parts, graphics, assets)

    def hand_over(self) -> None:
        """Upload the world matrices of the nodes for this frame, and all rows that have changed."""
        table = self.table
        copies = self._copies
        for name, values in zip(("color", "visible"), copies.looks(), strict=True):
            column = table.column(name)
            if not np.array_equal(values, column.current(table.count)):
                column.values(table.count)[:] = values
        if copies.weights is not None and table.count:
            before, now = copies.weights()
            self.gpu.send_weights(before, now)
        super().hand_over()
