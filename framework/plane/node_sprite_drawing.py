"""Draw sprites at the positions and angles of their nodes in a hierarchy."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from ..arrays import Rows
from ..gpu.graphics import Graphics
from ..state.backend import Backend, drives
from ..state.node_tables import NodeTable2D
from ..state.rows import table_of
from .node_sprites import NodeSprites
from .sprite_drawing import SpriteDrawing, SpriteSizes
from .sprites import SpriteParts


class _NodeTicks(Backend[NodeSprites]):
    """A `NodeSprites` backend that also updates the nodes in each tick."""

    __slots__ = ()

    @property
    def _nodes(self) -> NodeTable2D:
        return table_of(self.frontend.nodes)

    def begin_tick(self, dt: float) -> None:
        self._nodes.begin_tick(dt)
        super().begin_tick(dt)

    def end_tick(self) -> None:
        self._nodes.end_tick()
        super().end_tick()

    def notice_writes(self) -> None:
        self._nodes.notice_writes()


class NodeSpriteSizes(_NodeTicks, SpriteSizes):
    """The backend of a `NodeSprites` in a game without graphics. It draws nothing."""

    __slots__ = ()


@drives(NodeSprites, unseen=NodeSpriteSizes)
class NodeSpriteDrawing(_NodeTicks, SpriteDrawing):
    """The backend that draws a `NodeSprites` in a game with graphics."""

    __slots__ = ("_checked_nodes",)

    def __init__(self, frontend: NodeSprites, parts: SpriteParts, graphics: Graphics) -> None:
        assert parts.nodes is not None
        self._checked_nodes = cast("Callable[[], Rows]", parts.nodes)
        super().__init__(frontend, parts, graphics)

    def hand_over(self) -> None:
        """Upload the world positions and angles of the nodes, and all rows of sprites that have
        changed.
        """
        nodes = self._checked_nodes()
        rows = np.flatnonzero(nodes >= 0)
        poses = self._nodes.shown_world_pose(self._moment.alpha, nodes[rows])
        for column, pose in zip(self.table.interpolated, poses, strict=True):
            column.data[rows] = pose
            column.touch()
        super().hand_over()
