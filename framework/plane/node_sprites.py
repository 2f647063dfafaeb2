"""Sprites that are attached to the nodes of a hierarchy, such as a gun on a ship.

The positions and angles of the nodes are uploaded in each frame.
"""

from __future__ import annotations

__all__ = ["NodeSprites"]

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..assets.clips import Clips
from ..assets.images import ImageSource
from ..checks import instance, number, pair
from ..errors import FrameworkError
from ..state.columns import ColumnValues, TableColumn
from ..state.nodes import AtNodes, Node, Nodes2D, number_of
from ..state.rows import handle_of
from .sprites import Sprite, SpriteBatch, SpriteParts


class NodeSprites(AtNodes, SpriteBatch):
    """A batch of sprites that are attached to the nodes of a `Nodes2D`, such as a gun on a ship.

    The sprites move with the nodes in ``nodes``, a `Nodes2D`. Apart from ``nodes``, the parameters
    are the same as in `SpriteBatch`. The column ``node`` contains the node index of each sprite, or
    -1 for a sprite without a node. ``node`` is int32 with the shape (n,). In each frame, a sprite
    is drawn with the position, angle and scale of its node. `Sprite.drawn_position` returns the
    position of the sprite's node. If you remove a node, the sprites that are attached to it are
    also removed.

        nodes = fw.Nodes2D()
        ship = nodes.add(position=(400, 300))
        gun = nodes.add(ship, position=(20, 0))
        batch = self.add(fw.NodeSprites(["ship.png", "gun.png"], nodes))
        batch.show(ship, 0)
        batch.show(gun, 1)
    """

    __slots__ = ("_node", "nodes")

    _backend_in = "framework.plane.node_sprite_drawing"

    node = ColumnValues[NDArray[np.int32]](
        "The node index of each sprite, or -1 for a sprite without a node: int32 (n,)."
    )

    _least_node = -1

    nodes: Nodes2D

    def __init__(
        self,
        image: ImageSource | list[ImageSource] | tuple[ImageSource, ...] | Clips | None,
        nodes: Nodes2D,
        **options: Any,
    ) -> None:
        instance("nodes", nodes, Nodes2D)
        super().__init__(image, motion="none", **options)
        self.nodes = nodes
        self._node = TableColumn("node", 1, -1, dtype=np.int32, interpolated=False)
        self._table.add_columns(self._node)
        self._table.derived += (
            "position",
            "angle",
            "scale",
        )  # each frame computes these columns from the nodes
        self._follow_nodes()

    def show(
        self, node: Node | int, image: ImageSource | int | None = None, **columns: Any
    ) -> Sprite:
        """Add a sprite that is attached to ``node``. `show` takes the same keywords as the method
        `add`.
        """
        row = number_of(self.nodes, node)
        sprite = self.add(image, **columns)
        self._node.data[sprite.row] = row
        return sprite

    def _contain(self, method: str, point: object, rows: slice) -> NoReturn:
        pair("point", point)
        raise FrameworkError(
            f"{method}: the position of a sprite in a NodeSprites is relative to its node, so pick "
            "and contains do not work; compare the point with sprite.drawn_position(1), or use a "
            "SpriteBatch"
        )

    def _parts(self) -> SpriteParts:
        return super()._parts()._replace(nodes=self._checked_nodes)


@handle_of(NodeSprites)
class _NodeSprite(Sprite):
    """A sprite of a `NodeSprites`. The sprite is drawn at the position and angle of its node."""

    __slots__ = ()

    def drawn_position(self, alpha: float) -> tuple[float, float]:
        """Return the position at which the sprite is drawn in a frame, in world units. ``alpha`` is
        the time since the last tick, as a fraction of a tick.
        """
        batch = self.batch
        assert isinstance(batch, NodeSprites)
        node = int(self._table.column("node").data[self._row])
        if node < 0:
            return super().drawn_position(alpha)
        position, _, _ = batch.nodes.world_pose(number("alpha", alpha), slice(node, node + 1))
        return float(position[0, 0]), float(position[0, 1])
