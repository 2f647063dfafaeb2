"""Attach 2D or 3D objects to parents, with positions and rotations relative to the parent.

Like all transforms, nodes are interpolated between ticks, and can be teleported. The module
`node_tables` computes the drawn poses.
"""

from __future__ import annotations

__all__ = ["Node", "Nodes2D", "Nodes3D"]

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Rows
from ..checks import Sealed, whole
from ..moved_names import HasMoved, moved
from ..other_engines.other_options import made_by
from ..other_engines.space_names import node_names
from .columns import Table, TableColumn
from .interpolation import Extrapolation
from .node_tables import NodeTable, NodeTable2D, NodeTable3D
from .own_columns import add_own_columns, checked_columns
from .rows import (
    Handle,
    Handled,
    RowValue,
    chosen_rows,
    columns_of_one_row,
    handle_of,
    row_in,
    table_of,
)
from .transforms import Pose, Transforms
from .transforms2d import Transforms2D
from .transforms3d import Transforms3D


class Nodes(Handled["Node"], Transforms):
    """The base class of `Nodes2D` and `Nodes3D`. `Nodes` stores the parents of nodes, and has
    methods to add and remove nodes.
    """

    __slots__ = ()

    _noun = "nodes"

    _table: NodeTable

    @property
    def parent(self) -> NDArray[np.int32]:
        """The row of each node's parent, or -1 for a node without a parent. The array is int32 with
        the shape (n,), and is read-only.

        To change parents, assign an array for all nodes, or call `attach`. Nodes whose parent has
        changed are drawn at their new position without interpolation.
        """
        return self._table.parent

    @parent.setter
    def parent(self, value: ArrayLike) -> None:
        self._table.set_parents(value)

    def attach(self, rows: Node | ArrayLike | slice, parent: Node | int | None) -> None:
        """Set the parent of nodes, or remove it with None. The numbers in the columns ``position``
        and ``rotation`` do not change, but they are now relative to the new parent. The nodes
        therefore jump to other positions in the world, without interpolation. If a node would
        become its own ancestor, `attach` raises `ValueError` and changes nothing.
        """
        chosen = chosen_rows(self, rows)
        self._table.attach(chosen, -1 if parent is None else number_of(self, parent, "parent"))

    def add(self, parent: Node | int | None = None, **columns: ArrayLike) -> Node:
        """Add a node and return its handle: ``add(ship, position=(0, 2, 0))``. Keyword arguments
        are the values of columns, such as ``position``.
        """
        number = -1 if parent is None else number_of(self, parent, "parent")
        values = columns_of_one_row(self._table, columns)
        return self._handle(self.extend(1, parent=number, **values).start)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """Add ``count`` nodes and return their rows. Keyword arguments are the values of columns:
        ``parent=…, position=…``.

        A new node may be the parent of another new node. If 10 nodes exist before the call, the
        first new node gets row 10.
        """
        return self._table.extend(self._room_for("count", count), columns)

    def remove(self, rows: Node | ArrayLike | slice) -> None:
        """Remove nodes together with all their descendants. The remaining rows stay in the same
        order, but their indices become smaller.

        To keep the children of a node, attach them to a new parent before you remove the node.
        `remove` also removes the rows of drawables that are attached to a removed node.
        """
        self._table.remove(chosen_rows(self, rows))


class Nodes3D(Nodes, Transforms3D):
    """3D nodes: ``position``, ``rotation`` and ``scale`` are relative to a parent.

    `Nodes3D` has the columns of `Transforms3D`, and the int32 column ``parent`` of shape (n,). A
    node with the parent -1 has no parent. A `NodeMeshes` draws the nodes, and calls `begin_tick`
    and `end_tick` on them in each tick. If you write your own drawable, draw the nodes with the
    matrices that `world_matrices` returns.

        nodes = fw.Nodes3D()
        tank = nodes.add()
        turret = nodes.add(tank, position=(0, 1, 0))
        hulls = self.add(fw.NodeMeshes(hull, nodes, [tank]))
        turrets = self.add(fw.NodeMeshes(gun, nodes, [turret]))

    With ``large_world``, positions are float64, and nodes a million units from the origin are drawn
    as precisely as nodes near the origin. All motions except "extrapolate" support ``large_world``.

    ``columns`` adds your own columns: pass a dict such as ``{"hp": 3.0}``. See `fw.Column`.
    """

    __slots__ = ()

    _table: NodeTable3D

    def __init__(
        self,
        motion: str | Extrapolation = "interpolate",
        *,
        large_world: bool = False,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        own = checked_columns("columns", columns)
        self._table = NodeTable3D(motion, large_world=large_world)
        add_own_columns(self, self._table, own)

    def world_matrices(
        self, alpha: float, out: Floats | None = None, *, eye: Doubles | None = None
    ) -> Floats:
        """Return the model matrix of each node at ``alpha``. The float32 array has the shape (n, 4,
        4). The matrices are for row vectors (``v @ m``).

        If you pass the point ``eye``, positions are relative to it, so that rounding errors in
        float32 are small for positions near this point. Without ``eye``, the matrices of a large
        world are float64. If you pass an array ``out``, the matrices are written into it.
        """
        return self._table.world_matrices(alpha, out, eye=eye)


class Nodes2D(Nodes, Transforms2D):
    """2D nodes: ``position``, ``angle`` and ``scale`` are relative to a parent.

    `Nodes2D` has the columns of `Transforms2D`, and the int32 column ``parent`` of shape (n,). A
    node with the parent -1 has no parent. A `NodeSprites` draws the nodes. Nodes are never sheared.
    If a parent has different x and y scales, a rotated child is scaled along the child's own axes.

    ``columns`` adds your own columns: pass a dict such as ``{"hp": 3.0}``. See `fw.Column`.
    """

    __slots__ = ()

    _table: NodeTable2D

    def __init__(
        self,
        motion: str | Extrapolation = "interpolate",
        *,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        own = checked_columns("columns", columns)
        self._table = NodeTable2D(motion)
        add_own_columns(self, self._table, own)

    def world_pose(self, alpha: float, rows: Rows | slice = slice(None)) -> Pose:
        """Return the drawn positions, angles and scales of nodes in the world, at ``alpha``. The
        three float32 arrays have the shapes (n, 2), (n,) and (n, 2).

        ``rows`` selects the nodes. By default, all nodes are selected.
        """
        return self._table.world_pose(alpha, rows)


def number_of(nodes: Nodes, node: Node | int, name: str = "node") -> int:
    """Return the row of ``node``, which is a handle, an index, or -1 for no node.

    Error messages use ``name`` as the name of the argument. Raises `ValueError` if the node does
    not exist.
    """
    if isinstance(node, Node):
        return row_in(node, nodes)
    return whole(name, node, -1, len(nodes) - 1)


class AtNodes:
    """The base class of batches that draw their rows at the poses of ``nodes``. A subclass must
    list `AtNodes` before the class of the batch, as in ``class NodeSprites(AtNodes, …)``.

    The column ``node`` contains the index of the node at which each row is drawn. If you remove a
    node, the rows at this node are removed too.
    """

    __slots__ = ()

    _rows_can_be_saved: ClassVar[bool] = True
    _least_node: ClassVar[int] = 0
    """The lowest allowed value in the column ``node``: 0, or -1 if a row may have no node."""

    nodes: Nodes
    _table: Any
    _node: TableColumn

    def _checked_nodes(self) -> NDArray[np.int32]:
        """Check the column ``node``, into which the game may have written wrong indices, and return
        it. Raises `ValueError` if a row refers to a node that does not exist.
        """
        node_rows: NDArray[np.int32] = self._node.current(self._table.count)
        self._check_nodes(node_rows)
        return node_rows

    def _check_nodes(self, node_rows: NDArray[np.int32], further: int = 0) -> None:
        """Raise `ValueError` if a node in ``node_rows`` does not exist in ``nodes``. If ``further``
        is given, also check the ``further`` nodes that follow each node.
        """
        lowest = self._least_node
        count = len(self.nodes)
        if (
            len(node_rows)
            and not lowest <= int(node_rows.min()) <= int(node_rows.max()) < count - further
        ):
            row = int(np.argmax((node_rows < lowest) | (node_rows >= count - further)))
            raise ValueError(
                f"node: row {row} asks for number {node_rows[row]}, there are {count:,} nodes"
            )

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if a row in a save refers to a node that does not exist, or does not
        fit the table.
        """
        self._check_nodes(columns["node"])
        self._table.check_rows(columns)

    def _follow_nodes(self) -> None:
        """From now on, update the column ``node`` whenever the indices of nodes change."""
        table_of(self.nodes).follow(self, AtNodes._renumber_nodes)

    def _renumber_nodes(self, numbers: Rows) -> None:
        """Write the new node indices into the column ``node``. Remove the rows of removed nodes."""
        table: Table = self._table
        table.close_holes()  # otherwise the indices of rows would change during the removal
        node_rows: NDArray[np.int32] = self._node.current(table.count)
        rows = np.flatnonzero(node_rows >= 0)
        # A batch that exists only in a snapshot of a later tick may refer to nodes that do not
        # exist now.
        exists = rows[node_rows[rows] < len(numbers)]
        node_rows[rows[node_rows[rows] >= len(numbers)]] = -1
        node_rows[exists] = numbers[node_rows[exists]]
        self._node.frozen = None
        gone = rows[node_rows[rows] < 0]
        if len(gone):
            self.remove(gone)

    def remove(self, rows: Any) -> None:
        """Remove rows of the batch. ``rows`` is a handle, an array of indices, a mask or a slice.
        The nodes at which the rows are drawn are not removed.
        """
        super().remove(rows)  # type: ignore[misc]  # of the batch


@node_names
@moved("node", {}, {"spin": "angular_velocity"})
@handle_of(Nodes)
@made_by("write nodes = fw.Nodes2D() and nodes.add(position=(x, y))")
class Node(Handle[Any], HasMoved, Sealed):
    """A handle of one node of a `Nodes2D` or `Nodes3D`, with properties such as ``position``.

    ``nodes.add(…)`` and ``nodes[row]`` return a `Node`. Do not call `Node` yourself. Using a node
    after it was removed raises `ValueError`.
    """

    __slots__ = ()

    _noun = "node"
    _loss = "it was removed, or what it hung on; make a new one with nodes.add(…)"

    position = RowValue[Any]("The position relative to the parent: two or three numbers.")
    rotation = RowValue[Any]("In 3D, the rotation as a unit quaternion (x, y, z, w).")
    angle = RowValue[float]("In 2D, the angle in radians, counter-clockwise.")
    scale = RowValue[Any]("Two or three scale factors. One number sets all factors.")
    velocity = RowValue[Any](
        "The velocity relative to the parent, in units per second of game time. Only some motions "
        'use the velocity. With the motion "hermite", set the velocity when you set the position. '
        "Without a velocity, the node stops at each tick."
    )
    angular_velocity = RowValue[Any](
        "The angular velocity in radians per second of game time: one number in 2D, a vector in "
        "3D. Only some motions use the angular velocity."
    )

    def __repr__(self) -> str:
        return "<Node, removed>" if self.removed else f"<Node {self.row} at {self.position}>"

    @property
    def nodes(self) -> Any:
        """The `Nodes2D` or `Nodes3D` that contains the node."""
        return self._batch

    @property
    def parent(self) -> Node | None:
        """The parent of the node, or None. Setting a new parent does not change the numbers in
        `position` and `rotation`, which are then relative to the new parent. The node may therefore
        jump to another position in the world.
        """
        nodes: Nodes = self._batch
        row = int(nodes.parent[self.row])
        return None if row < 0 else nodes[row]

    @parent.setter
    def parent(self, parent: Node | None) -> None:
        self.nodes.attach(self, parent)

    @property
    def children(self) -> list[Node]:
        """The direct children of the node."""
        nodes: Nodes = self._batch
        rows: list[int] = np.flatnonzero(nodes.parent == self.row).tolist()
        return [nodes[row] for row in rows]

    def drawn_matrix(self, alpha: float) -> Floats:
        """Return the drawn matrix of the node in the world at ``alpha``.

        The matrix has the shape (4, 4), and is for row vectors. The dtype is float32, or float64 in
        a large world.
        """
        row = self.row
        nodes: Nodes = self._batch
        return table_of(nodes).world_matrix(alpha, row)

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        """Return the drawn position of the node in the world at ``alpha``."""
        return tuple(self.drawn_matrix(alpha)[3, : len(self.position)].tolist())

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """Return the drawn rotation of the node in the world at ``alpha``. The result is a unit
        quaternion (x, y, z, w).

        Scales of the node and of its ancestors do not affect the rotation.
        """
        row = self.row
        nodes: Nodes = self._batch
        rotation: list[float] = table_of(nodes).world_rotation(alpha, row).tolist()
        x, y, z, w = rotation
        return x, y, z, w

    def remove(self) -> None:
        """Remove the node together with all its descendants. Calling `remove` again raises
        `ValueError`.
        """
        super().remove()
