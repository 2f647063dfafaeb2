"""Hierarchies: nodes with parents, whose poses are blended on the CPU and multiplied level by
level.

Each node has a pose in its parent's frame, with the two states and the teleports of all transforms.
What is drawn are world poses: a frame blends all local poses by alpha at once, and then takes a
step for each level of the tree. They are computed for each frame and are never columns of their
own: a child of a parent that turns moves along an arc, also between two ticks.
"""

from __future__ import annotations

__all__ = ["Node", "Nodes2D", "Nodes3D"]

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Rows, row_indices
from ..checks import Sealed, vector, whole
from ..geometry import exact, quaternions
from .columns import Column, assign
from .motion import Extrapolation
from .rows import Cell, Handle, Handled, handle_of
from .transforms import Transforms, checked_out
from .transforms2d import Transforms2D, matrices2d
from .transforms3d import Transforms3D, matrices

_SHOWN = 8  # nodes of a loop that an error names


_SLOTS = ("_levels", "_parent")


class _Tree(Handled["Node"], Transforms):
    """What `Nodes2D` and `Nodes3D` have in common: who is whose parent, and the order in which
    poses are multiplied.
    """

    __slots__ = ()  # those of `_SLOTS` are its trees': two bases with slots cannot be joined

    not_state: tuple[str, ...] = ("_levels",)

    _rows_can_be_saved = True
    _noun = "nodes"

    _levels: list[Rows] | None
    _parent: Column

    def _plant(self) -> None:
        self._parent = Column("parent", 1, -1, dtype=np.int32, interpolated=False)
        self.add_columns(self._parent)
        self._levels = None

    # -- parents -----------------------------------------------------------------------------------

    @property
    def parent(self) -> NDArray[np.int32]:
        """Each node's parent, -1 for none: int32 (n,), read-only; assign a whole array, or use
        `attach`.

        Nodes that get another parent so are drawn at their new place at once, too.
        """
        view = self._parent.current(self.count).view()
        view.flags.writeable = False
        return view

    @parent.setter
    def parent(self, value: ArrayLike) -> None:
        before = self.parent.copy()
        assign(self._parent, self.count, value)
        self._check_parents(before)
        self.mark_teleported(np.flatnonzero(self.parent != before))

    def attach(self, rows: Node | ArrayLike | slice, parent: Node | int | None) -> None:
        """Give nodes another parent, or None. Their poses stay what they are, and count from the
        new parent.

        They are drawn at their new place at once, without a displacement. Raises `ValueError` that
        names the nodes when one would come to be its own ancestor, and changes nothing then.
        """
        chosen = self._chosen_rows(rows)
        before = self.parent.copy()
        self._parent.data[chosen] = -1 if parent is None else self.number_of(parent, "parent")
        self._parent.frozen = None
        self._check_parents(before)
        self.mark_teleported(chosen)

    def _check_parents(self, before: NDArray[np.int32]) -> None:
        try:
            self._levels = _levels(self.parent)
        except ValueError:
            self._parent.data[: self.count] = before
            raise

    @property
    def levels(self) -> list[Rows]:
        """The nodes without parents, their children, the children of these, …: arrays of rows."""
        if self._levels is None:
            self._levels = _levels(self.parent)
        return self._levels

    # -- rows --------------------------------------------------------------------------------------

    def add(self, parent: Node | int | None = None, **columns: ArrayLike) -> Node:
        """One more node: ``add(ship, position=(0, 2, 0))``; keywords are columns. Returns it."""
        row = self.extend(
            1, parent=-1 if parent is None else self.number_of(parent, "parent"), **columns
        ).start
        return self._handle(row)

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more nodes; returns their rows. Keyword arguments are columns: ``parent=…,
        position=…``.

        Parents may be among the new nodes: their numbers are known beforehand, from ``len(nodes)``
        on.
        """
        count = self._room_for("count", count)
        values = self.checked(count, columns)
        parents = np.concatenate([self.parent, values.get("parent", np.full(count, -1, np.int32))])
        levels = _levels(parents)
        rows = self.spawn(count, values)
        self._levels = levels
        return rows

    def spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        """``count`` new nodes at the end, with values that were `checked`, elsewhere at their
        defaults: no parents.
        """
        self._levels = None
        return super().spawn(count, values)

    def remove(self, rows: Node | ArrayLike | slice) -> None:
        """Take out nodes and all that are below them. The others keep their order; numbers close
        up.

        To spare children, give them another parent first. What draws the nodes stops drawing those
        that are gone.
        """
        gone = np.zeros(self.count, bool)
        gone[self._chosen_rows(rows)] = True
        for level in self.levels[1:]:
            gone[level] |= gone[self.parent[level]]
        self.keep(np.flatnonzero(~gone))

    def keep(self, rows: Rows) -> None:
        """Drop all rows but ``rows`` (ascending indices), among which are the parents of each."""
        numbers = np.full(self.count + 1, -1, np.intp)  # the last: the number of no parent
        numbers[rows] = np.arange(len(rows))
        super().keep(rows)
        self._parent.data[: self.count] = numbers[self._parent.data[: self.count]]
        self._levels = None

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` for parents that are not there, and for loops, among rows that
        somebody brings.
        """
        _levels(columns["parent"])

    def after_restore(self) -> None:
        """A snapshot was put back."""
        self._levels = None

    def number_of(self, node: Node | int, name: str = "node") -> int:
        """The row of a node, or of its number; -1 is no node. Raises `ValueError` for one that is
        not there.

        ``name`` is that of the argument, for errors.
        """
        if isinstance(node, Node):
            return node.row_in(self)
        return whole(name, node, -1, self.count - 1)

    def ancestry(self, row: int) -> list[int]:
        """A node's number and those of its parent, its parent's parent, …, up to the topmost."""
        rows, parents = [row], self._parent.data
        while parents[rows[-1]] >= 0:
            rows.append(int(parents[rows[-1]]))
        return rows

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """One node's model matrix at ``alpha``: (4, 4)."""
        raise NotImplementedError

    def world_rotation(self, alpha: float, row: int) -> Floats:
        """How one node is turned at ``alpha``, whatever its scale: a unit quaternion (4,)."""
        raise NotImplementedError

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        """A tick begins. Several drawables may show the same nodes: only the first one's call
        counts.
        """
        if not self.tick.running:
            Transforms.begin_tick(self, dt)

    def end_tick(self) -> None:
        """The tick is over: the first call counts."""
        if self.tick.running:
            Transforms.end_tick(self)

    def notice_writes(self) -> None:
        """While no ticks run: nodes written since the last call are drawn where they are."""
        Transforms.notice_writes(self)


class Viewpoint(Protocol):
    """What a frame is seen from; the same object throughout a frame, and another one in the
    next.
    """

    @property
    def alpha(self) -> float: ...

    @property
    def eye(self) -> Doubles:
        """A place in the world: (3,)."""


class Nodes3D(_Tree, Transforms3D):
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

    __slots__ = (*_SLOTS, "_mirrored", "_seen")

    _large_motions = (
        "interpolate",
        "hermite",
        "none",
    )  # they are blended here, where any position can be exact

    not_state = ("_mirrored", "_seen")

    def __init__(
        self, motion: str | Extrapolation = "interpolate", *, large_world: bool = False
    ) -> None:
        super().__init__(motion, large_world=large_world)
        self._plant()
        self._seen: tuple[Viewpoint, Floats] | None = None
        self._mirrored = False

    @property
    def mirrored(self) -> bool:
        """Whether any node's scale was below 0 when `matrices_from` last computed what is drawn."""
        return self._mirrored

    def states(self, rows: Rows | slice) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Previous and current of the interpolated columns; in a large world all float64: of what
        hangs far away from its parent, the digits of a rotation count too."""
        old, new = super().states(rows)
        if self.large_world:
            old, new = ([part.astype(np.float64) for part in state] for state in (old, new))
        return old, new

    def world_matrices(
        self, alpha: float, out: Floats | None = None, *, eye: Doubles | None = None
    ) -> Floats:
        """Each node's model matrix at ``alpha``: float32 (n, 4, 4) for row vectors (``v @ m``).

        ``eye`` (3,) is subtracted from all places, before they lose digits; without it, those of a
        large world are float64. ``out`` is filled and returned when given.
        """
        position, rotation, scale = self.pose(alpha)
        levels, large = self.levels, self.large_world
        if eye is not None and levels:
            eye = vector("eye", eye, 3)
            position[levels[0]] = position[levels[0]] - eye  # float64 until it is small
        world = matrices(position, rotation, scale, None if large else out, exact=large)
        for level in levels[1:]:
            world[level] = exact.functions().matmul(world[level], world[self._parent.data[level]])
        if large and out is not None:
            checked_out(out, len(world))[:] = world
            return out
        return world.astype(np.float32) if large and eye is not None else world

    def matrices_from(self, shot: Viewpoint) -> Floats:
        """`world_matrices` for what a camera shows in a frame, its eye subtracted; computed once a
        frame.
        """
        if self._seen is None or self._seen[0] is not shot or len(self._seen[1]) != self.count:
            self._seen = shot, self.world_matrices(shot.alpha, eye=shot.eye)
            scale = self.column("scale")
            self._mirrored = any(
                (state(self.count) < 0).any() for state in (scale.current, scale.previous)
            )
        return self._seen[1]

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """One node's model matrix at ``alpha``: (4, 4)."""
        rows = self.ancestry(whole("row", row, 0, self.count - 1))
        world: Floats = np.eye(4, dtype=np.float64 if self.large_world else np.float32)
        for local in matrices(*self.pose(alpha, np.array(rows)), exact=self.large_world):
            world = exact.functions().matmul(world, local)
        return world

    def world_rotation(self, alpha: float, row: int) -> Floats:
        """How one node is turned at ``alpha``, whatever its scale: a unit quaternion (4,). Shears
        do not count.
        """
        rows = self.ancestry(whole("row", row, 0, self.count - 1))
        _, rotation, scale = self.pose(alpha, np.array(rows))
        turned, mirror = np.array([[0, 0, 0, 1]], np.float32), np.ones(3, np.float32)
        for own, factors in zip(rotation[::-1, None], scale[::-1], strict=True):
            # Below what is mirrored along an axis, what leads along it and what turns about the
            # others is opposite.
            mirrored = own * np.append(mirror * mirror.prod(), 1).astype(np.float32)
            turned = quaternions.multiply(turned, mirrored) if own.any() else turned
            mirror *= np.where(factors < 0, np.float32(-1), np.float32(1))
        unit: Floats = quaternions.normalized(turned)[0]
        return unit


class Nodes2D(_Tree, Transforms2D):
    """Poses in the plane with parents: ``position``, ``angle`` and ``scale`` count from the
    parent's.

    Columns as of `Transforms2D`, and ``parent`` (n,) int32, -1 for none. They are drawn by a
    `NodeSprites`. Nothing is sheared: a child that is turned against a parent of uneven scale is
    scaled along its own axes.
    """

    __slots__ = _SLOTS

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        super().__init__(motion)
        self._plant()

    def world_pose(
        self, alpha: float, rows: Rows | slice = slice(None)
    ) -> tuple[Floats, Floats, Floats]:
        """Position (n, 2), angle (n,) and scale (n, 2) in the world at ``alpha``, float32; of
        ``rows``, or all.
        """
        rows = row_indices(rows, self.count)
        position, angle, scale = self.pose(alpha)
        for level in self.levels[1:]:
            parents = self._parent.data[level]
            from_x, from_y = (position[level] * scale[parents]).T
            sin, cos = exact.functions().sincos(angle[parents])
            position[level, 0] = position[parents, 0] + from_x * cos - from_y * sin
            position[level, 1] = position[parents, 1] + from_x * sin + from_y * cos
            mirrored = scale[parents].prod(axis=1) < 0  # what is mirrored turns the other way
            angle[level] = angle[parents] + np.where(mirrored, -angle[level], angle[level])
            scale[level] *= scale[parents]
        return position[rows], angle[rows], scale[rows]

    def world_matrices(self, alpha: float) -> Floats:
        """Each node's model matrix at ``alpha``: float32 (n, 4, 4), laid out as by
        `Transforms2D.model_matrices`.
        """
        return matrices2d(*self.world_pose(alpha))

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """One node's model matrix at ``alpha``: (4, 4)."""
        row = whole("row", row, 0, self.count - 1)
        matrix: Floats = self.world_matrices(alpha)[row]
        return matrix

    def world_rotation(self, alpha: float, row: int) -> Floats:
        """How one node is turned at ``alpha``, about the z axis: a unit quaternion (4,)."""
        row = whole("row", row, 0, self.count - 1)
        _, angle, _ = self.world_pose(alpha, slice(row, row + 1))
        return quaternions.from_axis((0, 0, 1), float(angle[0]))


class AtNodes:
    """A batch whose rows are at ``nodes``. It stands before the batch among the bases of a class.

    A row's node is in the column ``node``; a row whose node is gone goes too.
    """

    __slots__ = ()

    _rows_can_be_saved: ClassVar[bool] = True
    _least_node: ClassVar[int] = 0
    """The number of a node, or -1 where a row may have none."""

    nodes: Any
    _table: Any
    _node: Column

    def _checked_nodes(self) -> NDArray[np.int32]:
        """The column ``node``, which a game may have written. Raises `ValueError` for nodes that
        are not there.
        """
        shown = self._node.current(self._table.count)
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

    def renumber(self, numbers: Rows) -> None:
        """The nodes have other numbers."""
        if (
            self._table.holes
        ):  # else rows would close up while those that are gone are taken out by their numbers
            self._table.close_holes()
        shown = self._node.current(self._table.count)
        rows = np.flatnonzero(shown >= 0)
        shown[rows] = numbers[shown[rows]]
        self._node.frozen = None
        gone = rows[shown[rows] < 0]
        if len(gone):
            self.remove(gone)

    def remove(self, rows: Any) -> None:
        """Take out rows; see the batch."""
        super().remove(rows)  # type: ignore[misc]  # of the batch


@handle_of(_Tree)
class Node(Handle[Any], Sealed):
    """One node of a `Nodes2D` or `Nodes3D`, with properties. Made by ``nodes.add(…)`` or
    ``nodes[row]``.

    After it was removed it is no more: using it is a `ValueError`.
    """

    __slots__ = ()

    noun = "node"
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
        row = int(self.nodes.parent[self.row])
        return None if row < 0 else self.nodes[row]

    @parent.setter
    def parent(self, parent: Node | None) -> None:
        self.nodes.attach(self, parent)

    @property
    def children(self) -> list[Node]:
        """The nodes whose poses count from this one."""
        return [self.nodes[row] for row in np.flatnonzero(self.nodes.parent == self.row).tolist()]

    def drawn_matrix(self, alpha: float) -> Floats:
        """Its model matrix in the world as it is drawn at ``alpha``: (4, 4), for row vectors;
        float32, in a large world float64."""
        matrix: Floats = self.nodes.world_matrix(alpha, self.row)
        return matrix

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        """Where in the world it is drawn at ``alpha``."""
        return tuple(self.drawn_matrix(alpha)[3, : len(self.position)].tolist())

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """How it is turned in the world as it is drawn at ``alpha``: a unit quaternion x y z w.

        Whatever the scales are: what is mirrored is turned as if it were not, and what is sheared
        as if it were square.
        """
        x, y, z, w = self.nodes.world_rotation(alpha, self.row).tolist()
        return x, y, z, w

    def remove(self) -> None:
        """Take it out, and all that are below it. A second time is a `ValueError`."""
        super().remove()


def _levels(parent: NDArray[Any]) -> list[Rows]:
    """The rows by how many ancestors they have. Raises `ValueError` for parents that are not there,
    and for loops.
    """
    n = len(parent)
    if n and (parent.min() < -1 or parent.max() >= n):
        row = int(np.flatnonzero((parent < -1) | (parent >= n))[0])
        raise ValueError(
            f"parent: there are {n} nodes, and node {row} has the parent {int(parent[row])}"
        )
    # Everybody looks up the ancestor of their ancestor: after k rounds, that of 2 ** k generations
    # ago.
    ancestor = np.append(np.where(parent < 0, n, parent), n).astype(np.intp)
    depth = (ancestor < n).astype(np.intp)
    for _ in range(n.bit_length() + 1):
        if (ancestor == n).all():
            break
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    else:
        raise ValueError(f"parent: {_loop(parent, int(np.flatnonzero(ancestor < n)[0]))}")
    depth = depth[:n]
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depth))[:-1]) if n else []


def _loop(parent: NDArray[Any], row: int) -> str:
    """The nodes of the loop that is above ``row``, in words."""
    seen: dict[int, None] = {}
    while row not in seen:
        seen[row] = None
        row = int(parent[row])
    loop = list(seen)[list(seen).index(row) :]
    shown = [str(node) for node in loop[:_SHOWN]] + ["…"] * (len(loop) > _SHOWN)
    return f"nodes would be their own ancestors: {' → '.join([*shown, str(row)])}"
