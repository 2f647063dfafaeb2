"""Hierarchies: nodes with parents, whose poses count from their parents'.

Each node has a pose in its parent's frame, with the two states and the teleports of all transforms.
What is drawn are world poses; `node_tables` computes them.
"""

from __future__ import annotations

__all__ = ["Node", "Nodes2D", "Nodes3D"]

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Rows
from ..checks import Sealed, whole
from .columns import Column, Table
from .motion import Extrapolation
from .node_tables import NodeTable, NodeTable2D, NodeTable3D, levels_of
from .rows import Cell, Handle, Handled, handle_of, row_in, table_of
from .transforms import Pose, Transforms
from .transforms2d import Transforms2D
from .transforms3d import Transforms3D


class Nodes(Handled["Node"], Transforms):
    """The part of `Nodes2D` and `Nodes3D` that is the same: parents, and rows."""

    __slots__ = ()

    _noun = "nodes"

    _table: NodeTable

    @property
    def parent(self) -> NDArray[np.int32]:
        """Each node's parent, -1 for none: int32 (n,), read-only; assign a whole array, or use
        `attach`.

        Nodes that get another parent so are drawn at their new place at once, too.
        """
        return self._table.parent

    @parent.setter
    def parent(self, value: ArrayLike) -> None:
        self._table.set_parents(value)

    def attach(self, rows: Node | ArrayLike | slice, parent: Node | int | None) -> None:
        """Give nodes another parent, or None. Their poses stay what they are, and count from the
        new parent.

        They are drawn at their new place at once, without a displacement. Raises `ValueError` that
        names the nodes when one would come to be its own ancestor, and changes nothing then.
        """
        chosen = self._chosen_rows(rows)
        self._table.attach(chosen, -1 if parent is None else number_of(self, parent, "parent"))

    def add(self, parent: Node | int | None = None, **columns: ArrayLike) -> Node:
        """One more node: ``add(ship, position=(0, 2, 0))``; keywords are columns. Returns it."""
        number = -1 if parent is None else number_of(self, parent, "parent")
        return self._handle(self.extend(1, parent=number, **columns).start)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more nodes; returns their rows. Keyword arguments are columns: ``parent=…,
        position=…``.

        Parents may be among the new nodes: their numbers are known beforehand, from ``len(nodes)``
        on.
        """
        return self._table.extend(self._room_for("count", count), columns)

    def remove(self, rows: Node | ArrayLike | slice) -> None:
        """Take out nodes and all that are below them. The others keep their order; numbers close
        up.

        To spare children, give them another parent first. What draws the nodes stops drawing those
        that are gone.
        """
        self._table.remove(self._chosen_rows(rows))

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` for parents that are not there, and for loops, among rows that
        somebody brings.
        """
        levels_of(columns["parent"])


class Nodes3D(Nodes, Transforms3D):
    """Poses in space with parents: ``position``, ``rotation`` and ``scale`` count from the
    parent's.

    Columns as of `Transforms3D`, and ``parent`` (n,) int32, -1 for none. They are drawn by a
    `NodeMeshes` (or another drawable that asks for `world_matrices`), which also tells them of
    ticks.

        nodes = fw.Nodes3D()
        tank = nodes.add()
        turret = nodes.add(tank, position=(0, 1, 0))
        hulls = self.add(fw.NodeMeshes(hull, nodes, [tank]))
        turrets = self.add(fw.NodeMeshes(gun, nodes, [turret]))

    With ``large_world`` positions are float64, and what hangs on what is computed so: it is drawn
    as exactly a million units from the origin as near to it. All motions but "extrapolate" have
    that.
    """

    __slots__ = ()

    _table: NodeTable3D

    def __init__(
        self, motion: str | Extrapolation = "interpolate", *, large_world: bool = False
    ) -> None:
        self._table = NodeTable3D(motion, large_world=large_world)

    def world_matrices(
        self, alpha: float, out: Floats | None = None, *, eye: Doubles | None = None
    ) -> Floats:
        """Return the model matrix of each node at ``alpha``: float32 (n, 4, 4) for row vectors
        (``v @ m``).

        ``eye`` (3,) is subtracted from all places, before they lose digits; without it, those of a
        large world are float64. ``out`` is filled and returned when given.
        """
        return self._table.world_matrices(alpha, out, eye=eye)


class Nodes2D(Nodes, Transforms2D):
    """Poses in the plane with parents: ``position``, ``angle`` and ``scale`` count from the
    parent's.

    Columns as of `Transforms2D`, and ``parent`` (n,) int32, -1 for none. They are drawn by a
    `NodeSprites`. Nothing is sheared: a child that is turned against a parent of uneven scale is
    scaled along its own axes.
    """

    __slots__ = ()

    _table: NodeTable2D

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        self._table = NodeTable2D(motion)

    def world_pose(self, alpha: float, rows: Rows | slice = slice(None)) -> Pose:
        """Return position (n, 2), angle (n,) and scale (n, 2) in the world as they are drawn at
        ``alpha``, float32; of ``rows``, by default all.
        """
        return self._table.world_pose(alpha, rows)


def number_of(nodes: Nodes, node: Node | int, name: str = "node") -> int:
    """Return the row of a node, or of its number; -1 is no node.

    ``name`` is that of the argument, for errors. Raises `ValueError` for a node that is not there.
    """
    if isinstance(node, Node):
        return row_in(node, nodes)
    return whole(name, node, -1, len(nodes) - 1)


class AtNodes:
    """A batch whose rows are at ``nodes``. It stands before the batch among the bases of a class.

    A row's node is in the column ``node``; a row whose node is gone goes too.
    """

    __slots__ = ()

    _rows_can_be_saved: ClassVar[bool] = True
    _least_node: ClassVar[int] = 0
    """The number of a node, or -1 where a row may have none."""

    nodes: Nodes
    _table: Any
    _node: Column

    def _checked_nodes(self) -> NDArray[np.int32]:
        """The column ``node``, which a game may have written. Raises `ValueError` for nodes that
        are not there.
        """
        shown: NDArray[np.int32] = self._node.current(self._table.count)
        self._check_nodes(shown)
        return shown

    def _check_nodes(self, shown: NDArray[np.int32], further: int = 0) -> None:
        """Raise `ValueError` for nodes that are not there, and the ``further`` ones after each."""
        least, count = self._least_node, len(self.nodes)
        if len(shown) and not least <= int(shown.min()) <= int(shown.max()) < count - further:
            row = int(np.argmax((shown < least) | (shown >= count - further)))
            raise ValueError(
                f"node: row {row} asks for number {shown[row]}, there are {count:,} nodes"
            )

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` for nodes that are not there, among rows that somebody brings."""
        self._check_nodes(columns["node"])

    def _follow_nodes(self) -> None:
        """Keep the column ``node`` up to date when nodes get other numbers."""
        table_of(self.nodes).follow(self, AtNodes._renumber_nodes)

    def _renumber_nodes(self, numbers: Rows) -> None:
        """Write the new numbers of the nodes, and remove the rows whose node is gone."""
        table: Table = self._table
        if table.holes:  # else rows would close up while those that are gone are taken out
            table.close_holes()
        shown: NDArray[np.int32] = self._node.current(table.count)
        rows = np.flatnonzero(shown >= 0)
        shown[rows] = numbers[shown[rows]]
        self._node.frozen = None
        gone = rows[shown[rows] < 0]
        if len(gone):
            self.remove(gone)

    def remove(self, rows: Any) -> None:
        """Take out rows; see the batch."""
        super().remove(rows)  # type: ignore[misc]  # of the batch


@handle_of(Nodes)
class Node(Handle[Any], Sealed):
    """One node of a `Nodes2D` or `Nodes3D`, with properties. Made by ``nodes.add(…)`` or
    ``nodes[row]``.

    After it was removed it is no more: using it is a `ValueError`.
    """

    __slots__ = ()

    _noun = "node"
    _loss = "it was removed, or what it hung on; make a new one with nodes.add(…)"

    position = Cell[Any]("Two or three numbers, from its parent.")
    rotation = Cell[Any]("A unit quaternion x y z w, in space.")
    angle = Cell[float]("Radians counter-clockwise, in the plane.")
    scale = Cell[Any]("Two or three factors; one number sets all.")
    velocity = Cell[Any](
        "Units a simulated second from its parent, where the motion knows of it: with "
        '"hermite" it is to be written '
        "wherever a position is, or the node stops between any two ticks."
    )
    spin = Cell[Any](
        "Radians a simulated second, where the motion knows of it: one number in the "
        "plane, a vector in space."
    )

    def __repr__(self) -> str:
        return "<Node, removed>" if self.removed else f"<Node {self.row} at {self.position}>"

    @property
    def nodes(self) -> Any:
        """The `Nodes2D` or `Nodes3D` that it belongs to."""
        return self._batch

    @property
    def parent(self) -> Node | None:
        """The node that its pose counts from. Another one may be set; see ``nodes.attach``."""
        nodes: Nodes = self._batch
        row = int(nodes.parent[self.row])
        return None if row < 0 else nodes[row]

    @parent.setter
    def parent(self, parent: Node | None) -> None:
        self.nodes.attach(self, parent)

    @property
    def children(self) -> list[Node]:
        """The nodes whose poses count from this one."""
        nodes: Nodes = self._batch
        rows: list[int] = np.flatnonzero(nodes.parent == self.row).tolist()
        return [nodes[row] for row in rows]

    def drawn_matrix(self, alpha: float) -> Floats:
        """Its model matrix in the world as it is drawn at ``alpha``: (4, 4), for row vectors;
        float32, in a large world float64."""
        row = self.row
        nodes: Nodes = self._batch
        return table_of(nodes).world_matrix(alpha, row)

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        """Where in the world it is drawn at ``alpha``."""
        return tuple(self.drawn_matrix(alpha)[3, : len(self.position)].tolist())

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """How it is turned in the world as it is drawn at ``alpha``: a unit quaternion x y z w.

        Whatever the scales are: what is mirrored is turned as if it were not, and what is sheared
        as if it were square.
        """
        row = self.row
        nodes: Nodes = self._batch
        rotation: list[float] = table_of(nodes).world_rotation(alpha, row).tolist()
        x, y, z, w = rotation
        return x, y, z, w

    def remove(self) -> None:
        """Take it out, and all that are below it. A second time is a `ValueError`."""
        super().remove()
