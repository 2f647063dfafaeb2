"""Hierarchies: nodes with parents, whose poses are blended on the CPU and multiplied level by level.

Each node has a pose in its parent's frame, with the two states and the teleports of all transforms. What is drawn are
world poses: a frame blends all local poses by alpha at once, and then takes a step for each level of the tree. They are
computed for each frame and are never columns of their own: a child of a parent that turns moves along an arc, also
between two ticks.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import quaternions
from .batch import row_indices
from .camera3d import Shot, Vector
from .columns import Column, Floats, Rows, assign
from .motion import Extrapolation
from .timestep import whole
from .transforms import _ALL, Transforms, Transforms2D
from .transforms3d import Transforms3D, matrices

_SHOWN = 8  # nodes of a loop that an error names


class Follower(Protocol):
    """What shows nodes by their numbers, and must know when these change."""

    def renumber(self, numbers: Rows) -> None:
        """Node ``i`` has the number ``numbers[i]`` now, or -1: it is gone."""


class _Tree(Transforms):
    """What `Nodes2D` and `Nodes3D` have in common: who is whose parent, and the order in which poses are multiplied."""

    def _plant(self) -> None:
        self._parent = Column("parent", 1, -1, dtype=np.int32, interpolated=False)
        self.columns.append(self._parent)
        self._nodes: dict[int, Node] = {}  # those that somebody may hold, by row
        self._followers: weakref.WeakSet[Follower] = weakref.WeakSet()
        self._levels: list[Rows] | None = None

    # -- parents -------------------------------------------------------------------------------------------------

    @property
    def parent(self) -> NDArray[np.int32]:
        """Each node's parent, -1 for none: int32 (n,), read-only; assign a whole array, or use `attach`."""
        view = self._parent.current(self._n).view()
        view.flags.writeable = False
        return view

    @parent.setter
    def parent(self, value: ArrayLike) -> None:
        before = self.parent.copy()
        assign(self._parent, self._n, value)
        self._check_parents(before)

    def attach(self, rows: Node | ArrayLike | slice, parent: Node | int | None) -> None:
        """Give nodes another parent, or None. Their poses stay what they are, and count from the new parent.

        They are drawn at their new place at once, without a way there. Raises `ValueError` that names the nodes when
        one would come to be its own ancestor, and changes nothing then.
        """
        rows = self._rows(rows)
        before = self.parent.copy()
        self._parent._current[rows] = -1 if parent is None else self._row(parent)
        self._check_parents(before)
        self.teleport(rows)

    def _check_parents(self, before: NDArray[np.int32]) -> None:
        try:
            self._levels = _levels(self.parent)
        except ValueError:
            self._parent._current[: self._n] = before
            raise

    @property
    def levels(self) -> list[Rows]:
        """The nodes without parents, their children, the children of these, …: arrays of rows."""
        if self._levels is None:
            self._levels = _levels(self.parent)
        return self._levels

    # -- rows ----------------------------------------------------------------------------------------------------

    def add(self, parent: Node | int | None = None, **columns: ArrayLike) -> Node:
        """One more node: ``add(ship, position=(0, 2, 0))``; keywords are columns. Returns it."""
        row = self.extend(1, parent=-1 if parent is None else self._row(parent), **columns).start
        return self[row]

    def extend(self, count: int, **columns: ArrayLike) -> slice:
        """``count`` more nodes; returns their rows. Keyword arguments are columns: ``parent=…, position=…``.

        Parents may be among the new nodes: their numbers are known beforehand, from ``len(nodes)`` on.
        """
        count = whole("count", count, 0)
        values = self.checked(count, columns)
        before = self._n
        parents = np.concatenate([self.parent, values.get("parent", np.full(count, -1, np.int32))])
        levels = _levels(parents)
        rows = self.spawn(count, values)
        self._levels = levels
        assert rows.start == before
        return rows

    def spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        """``count`` new nodes at the end, with values that were `checked`, elsewhere at their defaults: no parents."""
        self._levels = None
        return super().spawn(count, values)

    def remove(self, rows: Node | ArrayLike | slice) -> None:
        """Take out nodes and all that are below them. The others keep their order; numbers close up.

        To spare children, give them another parent first. What draws the nodes stops drawing those that are gone.
        """
        gone = np.zeros(self._n, bool)
        gone[self._rows(rows)] = True
        for level in self.levels[1:]:
            gone[level] |= gone[self.parent[level]]
        self.keep(np.flatnonzero(~gone))

    def keep(self, rows: Rows) -> None:
        """Drop all rows but ``rows`` (ascending indices), among which are the parents of each."""
        numbers = np.full(self._n + 1, -1, np.intp)  # the last: the number of no parent
        numbers[rows] = np.arange(len(rows))
        super().keep(rows)
        self._parent._current[: self._n] = numbers[self._parent._current[: self._n]]
        self._levels = None
        nodes, self._nodes = self._nodes, {}
        for row, node in nodes.items():
            node._row = int(numbers[row])
            if node._row >= 0:
                self._nodes[node._row] = node
        for follower in list(self._followers):
            follower.renumber(numbers[:-1])

    def follow(self, follower: Follower) -> None:
        """Tell ``follower`` from now on when nodes get other numbers. It is not kept alive."""
        self._followers.add(follower)

    def __getitem__(self, row: int) -> Node:
        """The node of a row, 0 to len - 1 (negative: from the end). It stays the same when rows close up."""
        row = operator.index(row)
        if not -self._n <= row < self._n:
            raise IndexError(f"row: there are {self._n} nodes, asked for number {row}")
        row %= self._n
        node = self._nodes.get(row)
        if node is None:
            node = self._nodes[row] = Node(self, row)
        return node

    def _row(self, node: Node | int) -> int:
        if isinstance(node, Node):
            return node._own(self)
        row = operator.index(node)
        if not -1 <= row < self._n:
            raise ValueError(f"node: there are {self._n} nodes, asked for number {row}")
        return row

    def _rows(self, rows: Node | ArrayLike | slice) -> Rows | slice:
        return row_indices([rows._own(self)] if isinstance(rows, Node) else rows, self._n)

    def ancestry(self, row: int) -> list[int]:
        """A node's number and those of its parent, its parent's parent, …, up to the topmost."""
        rows = [row]
        while self._parent._current[rows[-1]] >= 0:
            rows.append(int(self._parent._current[rows[-1]]))
        return rows

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """One node's model matrix at ``alpha``: (4, 4)."""
        raise NotImplementedError

    # -- ticks ---------------------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        """A tick begins. Several drawables may show the same nodes: only the first one's call counts."""
        if not self._in_tick:
            super().begin_tick(dt)

    def end_tick(self) -> None:
        if self._in_tick:
            super().end_tick()


class Nodes3D(_Tree, Transforms3D):
    """Poses in space with parents: ``position``, ``rotation`` and ``scale`` count from the parent's.

    Columns as of `Transforms3D`, and ``parent`` (n,) int32, -1 for none. They are drawn by a `NodeMeshes` (or another
    drawable that asks for `world_matrices`), which also tells them of ticks.

        nodes = fw.Nodes3D()
        tank = nodes.add()
        turret = nodes.add(tank, position=(0, 1, 0))
        hulls = self.add(fw.NodeMeshes(hull, nodes, [tank]))
        turrets = self.add(fw.NodeMeshes(gun, nodes, [turret]))
    """

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        super().__init__(motion)
        self._plant()
        self._seen: tuple[Shot, Floats] | None = None

    def world_matrices(self, alpha: float, out: Floats | None = None, *, eye: Vector | None = None) -> Floats:
        """Each node's model matrix at ``alpha``: float32 (n, 4, 4) for row vectors (``v @ m``).

        ``eye`` (3,) is subtracted from all places, before they lose digits. ``out`` is filled and returned when given.
        """
        n = self._n
        if out is not None and (out.shape != (n, 4, 4) or out.dtype != np.float32):
            raise ValueError(f"out: expected float32 of shape {(n, 4, 4)}, got {out.dtype} of shape {out.shape}")
        position, rotation, scale = self.pose(alpha)
        levels = self.levels
        if eye is not None and levels:
            position[levels[0]] = position[levels[0]] - eye  # float64 until it is small
        world = matrices(position, rotation, scale, out)
        for level in levels[1:]:
            world[level] = world[level] @ world[self._parent._current[level]]
        return world

    def matrices_from(self, shot: Shot) -> Floats:
        """`world_matrices` for what a camera shows in a frame, its eye subtracted; computed once a frame."""
        if self._seen is None or self._seen[0] is not shot or len(self._seen[1]) != self._n:
            self._seen = shot, self.world_matrices(shot.alpha, eye=shot.eye)
        return self._seen[1]

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """One node's model matrix at ``alpha``: (4, 4)."""
        rows = self.ancestry(row)
        world: Floats = np.eye(4, dtype=np.float32)
        for local in matrices(*self.pose(alpha, np.array(rows))):
            world = world @ local
        return world


class Nodes2D(_Tree, Transforms2D):
    """Poses in the plane with parents: ``position``, ``angle`` and ``scale`` count from the parent's.

    Columns as of `Transforms2D`, and ``parent`` (n,) int32, -1 for none. They are drawn by a `NodeSprites`. Nothing is
    sheared: a child that is turned against a parent of uneven scale is scaled along its own axes.
    """

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        super().__init__(motion)
        self._plant()

    def world_pose(self, alpha: float, rows: Rows | slice = _ALL) -> tuple[Floats, Floats, Floats]:
        """Position (n, 2), angle (n,) and scale (n, 2) in the world at ``alpha``, float32; of ``rows``, or all."""
        position, angle, scale = self.pose(alpha)
        for level in self.levels[1:]:
            parents = self._parent._current[level]
            from_x, from_y = (position[level] * scale[parents]).T
            cos, sin = np.cos(angle[parents]), np.sin(angle[parents])
            position[level, 0] = position[parents, 0] + from_x * cos - from_y * sin
            position[level, 1] = position[parents, 1] + from_x * sin + from_y * cos
            mirrored = scale[parents].prod(axis=1) < 0  # what is mirrored turns the other way
            angle[level] = angle[parents] + np.where(mirrored, -angle[level], angle[level])
            scale[level] *= scale[parents]
        return position[rows], angle[rows], scale[rows]

    def world_matrices(self, alpha: float) -> Floats:
        """Each node's model matrix at ``alpha``: float32 (n, 4, 4), laid out as by `Transforms2D.model_matrices`."""
        position, angle, scale = self.world_pose(alpha)
        cos, sin = np.cos(angle), np.sin(angle)
        out = np.zeros((self._n, 4, 4), np.float32)
        out[:, 0, 0], out[:, 0, 1] = cos * scale[:, 0], sin * scale[:, 0]
        out[:, 1, 0], out[:, 1, 1] = -sin * scale[:, 1], cos * scale[:, 1]
        out[:, 2, 2] = out[:, 3, 3] = 1
        out[:, 3, :2] = position
        return out

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """One node's model matrix at ``alpha``: (4, 4)."""
        matrix: Floats = self.world_matrices(alpha)[row]
        return matrix


class Node:
    """One node of a `Nodes2D` or `Nodes3D`, with properties. Made by ``nodes.add(…)`` or ``nodes[row]``.

    After it was removed it is no more: using it is a `ValueError`.
    """

    __slots__ = ("_nodes", "_row")

    def __init__(self, nodes: _Tree, row: int) -> None:
        self._nodes = nodes
        self._row = row

    def __repr__(self) -> str:
        return "<Node, removed>" if self.removed else f"<Node {self._row} at {self.position}>"

    @property
    def nodes(self) -> Any:
        """The `Nodes2D` or `Nodes3D` that it belongs to."""
        return self._nodes

    @property
    def row(self) -> int:
        """Its number now."""
        return self._own(self._nodes)

    @property
    def removed(self) -> bool:
        return self._row < 0

    @property
    def parent(self) -> Node | None:
        """The node that its pose counts from. Another one may be set; see ``nodes.attach``."""
        row = int(self._nodes._parent._current[self.row])
        return None if row < 0 else self._nodes[row]

    @parent.setter
    def parent(self, parent: Node | None) -> None:
        self._nodes.attach(self, parent)

    @property
    def children(self) -> list[Node]:
        """The nodes whose poses count from this one."""
        return [self._nodes[row] for row in np.flatnonzero(self._nodes.parent == self.row).tolist()]

    @property
    def position(self) -> tuple[float, ...]:
        """Two or three numbers, from its parent."""
        return tuple(self._read("position"))

    @position.setter
    def position(self, value: ArrayLike) -> None:
        self._write("position", value)

    @property
    def rotation(self) -> tuple[float, ...]:
        """A unit quaternion x y z w, in space."""
        return tuple(self._read("rotation"))

    @rotation.setter
    def rotation(self, value: ArrayLike) -> None:
        self._write("rotation", value)

    @property
    def angle(self) -> float:
        """Radians counter-clockwise, in the plane."""
        angle: float = self._read("angle")
        return angle

    @angle.setter
    def angle(self, value: float) -> None:
        self._write("angle", value)

    @property
    def scale(self) -> tuple[float, ...]:
        """Two or three factors; one number sets all."""
        return tuple(self._read("scale"))

    @scale.setter
    def scale(self, value: ArrayLike) -> None:
        self._write("scale", value)

    @property
    def velocity(self) -> tuple[float, ...]:
        """Units a simulated second from its parent, where the motion knows of it: with "hermite" it is to be written
        wherever a position is, or the node stops between any two ticks."""
        return tuple(self._read("velocity"))

    @velocity.setter
    def velocity(self, value: ArrayLike) -> None:
        self._write("velocity", value)

    @property
    def spin(self) -> Any:
        """Radians a simulated second, where the motion knows of it: one number in the plane, a vector in space."""
        return self._read("spin")

    @spin.setter
    def spin(self, value: ArrayLike) -> None:
        self._write("spin", value)

    def drawn_matrix(self, alpha: float) -> Floats:
        """Its model matrix in the world as it is drawn at ``alpha``: float32 (4, 4), for row vectors."""
        return self._nodes.world_matrix(alpha, self.row)

    def drawn_position(self, alpha: float) -> tuple[float, ...]:
        """Where in the world it is drawn at ``alpha``."""
        return tuple(self.drawn_matrix(alpha)[3, : len(self.position)].tolist())

    def drawn_rotation(self, alpha: float) -> tuple[float, float, float, float]:
        """How it is turned in the world as it is drawn at ``alpha``, in space: a unit quaternion x y z w."""
        rows = self.drawn_matrix(alpha)[:3, :3].astype(np.float64)
        x, y, z, w = quaternions.from_matrix(rows / np.linalg.norm(rows, axis=1, keepdims=True)).tolist()
        return x, y, z, w

    def teleport(self, position: ArrayLike | None = None) -> None:
        """Be drawn where this tick leaves it, and all that hangs on it, without a way there; ``position`` is set first
        when given."""
        if position is not None:
            self.position = position
        self._nodes.teleport(slice(self.row, self.row + 1))

    def remove(self) -> None:
        """Take it out, and all that are below it. A second time is a `ValueError`."""
        self._nodes.remove(self)

    def _own(self, nodes: _Tree) -> int:
        if self._nodes is not nodes:
            raise ValueError("node: it belongs to other nodes")
        if self._row < 0:
            raise ValueError("node: it was removed, or what it hung on; make a new one with nodes.add(…)")
        return self._row

    def _column(self, name: str) -> Column:
        for column in self._nodes.columns:
            if column.name == name:
                return column
        raise AttributeError(
            f"{name}: {type(self._nodes).__name__} has none; there are "
            f"{', '.join(column.name for column in self._nodes.columns)}"
        )

    def _read(self, name: str) -> Any:
        row = self.row
        return self._column(name)._current[row].tolist()

    def _write(self, name: str, value: Any) -> None:
        row, column = self.row, self._column(name)
        try:
            column._current[row] = value
        except (TypeError, ValueError):
            shape = "one number" if column.width == 1 else f"{column.width} numbers"
            raise ValueError(f"{name}: expected {shape}, got {value!r}") from None
        column.touch()


def _levels(parent: NDArray[Any]) -> list[Rows]:
    """The rows by how many ancestors they have. Raises `ValueError` for parents that are not there, and for loops."""
    n = len(parent)
    if n and (parent.min() < -1 or parent.max() >= n):
        row = int(np.flatnonzero((parent < -1) | (parent >= n))[0])
        raise ValueError(f"parent: there are {n} nodes, and node {row} has the parent {int(parent[row])}")
    # Everybody looks up the ancestor of their ancestor: after k rounds, that of 2 ** k generations ago.
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
