"""Store the poses and parents of nodes, and compute the world poses in which they are drawn.

The columns of the table contain only local poses, relative to the parent. In each frame, the table
interpolates all local poses at alpha, which is the time since the last tick as a fraction of a
tick. Then it computes the world poses level by level, starting with the nodes that have no parent.
If a parent turns, its child therefore moves along an arc, even between two ticks. Games use the
classes in the module `nodes` instead of this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Mask, Rows, row_indices
from ..checks import vector, whole
from ..geometry import exact, quaternions
from .columns import TableColumn, assign
from .displacement import shown_pose
from .interpolation import Extrapolation
from .transforms import PoseTable, checked_out
from .transforms2d import PoseTable2D, matrices2d
from .transforms3d import PoseTable3D, matrices

_SHOWN = 8  # an error message shows at most this many nodes of a loop


_SLOTS = ("_levels", "_parent")


class NodeTable(PoseTable):
    """The base class of `NodeTable2D` and `NodeTable3D`. A `NodeTable` stores the parents of nodes,
    and the levels of the tree.
    """

    __slots__ = ()  # subclasses have `_SLOTS`: two bases with slots cannot be joined

    not_state: tuple[str, ...] = ("_levels",)

    _levels: list[Rows] | None
    rows_can_be_received = False

    _parent: TableColumn

    def _add_parents(self) -> None:
        self._parent = TableColumn("parent", 1, -1, dtype=np.int32, interpolated=False)
        self.add_columns(self._parent)
        self._levels = None

    def check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if a save has a node with a missing parent, or a node that is its own
        ancestor.
        """
        levels_of(columns["parent"])

    # -- parents -----------------------------------------------------------------------------------

    @property
    def parent(self) -> NDArray[np.int32]:
        """The row of each node's parent, or -1 for a node without a parent. The array is int32 with
        the shape (n,), and is read-only.
        """
        view = self._parent.current(self.count).view()
        view.flags.writeable = False
        return view

    def set_parents(self, value: ArrayLike) -> None:
        """Set the parent of every node. Nodes whose parent has changed are drawn at their new
        position without interpolation.
        """
        before = self.parent.copy()
        assign(self._parent, self.count, value)
        self._check_parents(before)
        self.mark_teleported(np.flatnonzero(self.parent != before))

    def attach(self, rows: Rows | slice, parent: int) -> None:
        """Set the parent of the nodes ``rows``. ``parent`` is the row of the new parent, or -1 for
        no parent.
        """
        before = self.parent.copy()
        self._parent.data[rows] = parent
        self._parent.frozen = None
        self._check_parents(before)
        self.mark_teleported(rows)

    def _check_parents(self, before: NDArray[np.int32]) -> None:
        try:
            self._levels = levels_of(self.parent)
        except ValueError:
            self._parent.data[: self.count] = before
            raise

    @property
    def levels(self) -> list[Rows]:
        """The tree of nodes as a list of levels. Each level is an array of rows. The first level
        contains the nodes without a parent, the second level contains their children, and so on.
        """
        if self._levels is None:
            self._levels = levels_of(self.parent)
        return self._levels

    # -- rows --------------------------------------------------------------------------------------

    def extend(self, count: int, columns: Mapping[str, ArrayLike]) -> slice:
        """Check the parents, and add ``count`` nodes with the values ``columns``. Return the rows
        of the new nodes as a slice.
        """
        values = self.checked(count, columns)
        parents = np.concatenate([self.parent, values.get("parent", np.full(count, -1, np.int32))])
        levels = levels_of(parents)
        rows = self.spawn(count, values)
        self._levels = levels
        return rows

    def spawn(self, count: int, values: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> slice:
        """Add ``count`` nodes at the end.

        ``values`` is the dict that the method `checked` returned. Columns that are not in
        ``values`` get their default values. By default, a new node has no parent.
        """
        self._levels = None
        return super().spawn(count, values)

    def spawn_row(self) -> int:
        """Add one node with the default values at the end, and return its row."""
        self._levels = None
        return super().spawn_row()

    def remove(self, rows: Rows | slice) -> None:
        """Remove nodes together with all their descendants."""
        gone = np.zeros(self.count, bool)
        gone[rows] = True
        for level in self.levels[1:]:
            gone[level] |= gone[self.parent[level]]
        self.keep(np.flatnonzero(~gone))

    def keep(self, rows: Rows) -> None:
        """Remove all nodes that are not in ``rows``, an array of ascending indices. The parents of
        remaining nodes must also be in ``rows``.
        """
        # the last entry is for the index -1 (no parent)
        numbers = np.full(self.count + 1, -1, np.intp)
        numbers[rows] = np.arange(len(rows))
        super().keep(rows)
        self._parent.data[: self.count] = numbers[self._parent.data[: self.count]]
        self._levels = None

    def after_restore(self) -> None:
        """Discard the cached levels. Called after the game has restored a snapshot."""
        self._levels = None

    def ancestry(self, row: int) -> list[int]:
        """Return the rows of a node and of all its ancestors, starting with the node itself and its
        parent.
        """
        rows = [row]
        parents = self._parent.data
        while parents[rows[-1]] >= 0:
            rows.append(int(parents[rows[-1]]))
        return rows

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """Return the drawn world matrix of one node at ``alpha``. The matrix has the shape (4, 4)."""
        raise NotImplementedError

    def world_rotation(self, alpha: float, row: int) -> Floats:
        """Return the drawn rotation of one node in the world at ``alpha``. The result is a unit
        quaternion of shape (4,).
        """
        raise NotImplementedError

    # -- ticks -------------------------------------------------------------------------------------

    def begin_tick(self, dt: float) -> None:
        """Begin a tick. If several drawables draw the same nodes, only the first call in each tick
        has an effect.
        """
        if not self.tick.running:
            PoseTable.begin_tick(self, dt)

    def end_tick(self) -> None:
        """End a tick. If several drawables draw the same nodes, only the first call in each tick
        has an effect.
        """
        if self.tick.running:
            PoseTable.end_tick(self)


class Viewpoint(Protocol):
    """The alpha and the camera position of one frame. The framework creates a new `Viewpoint` for
    each frame.
    """

    @property
    def alpha(self) -> float: ...

    @property
    def eye(self) -> Doubles:
        """The position of the camera in the world. The array has the shape (3,)."""


class NodeTable3D(NodeTable, PoseTable3D):
    """The table that stores the rows of a `Nodes3D` and computes their world matrices."""

    __slots__ = (*_SLOTS, "_mirrored", "_seen")

    # The motions of large worlds. They are computed on the CPU, because the CPU can use float64.
    _large_motions = ("interpolate", "hermite", "none")

    not_state = ("_mirrored", "_seen")

    def __init__(
        self, motion: str | Extrapolation = "interpolate", *, large_world: bool = False
    ) -> None:
        super().__init__(motion, large_world=large_world)
        self._add_parents()
        self._seen: tuple[Viewpoint, Floats] | None = None
        self._mirrored = False

    @property
    def mirrored(self) -> bool:
        """Whether any node had a scale below 0 when `matrices_from` last computed matrices."""
        return self._mirrored

    def states(self, rows: Rows | slice) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
        """Return the previous and the current state of the interpolated columns.

        In a large world, the arrays are float64. In float32, rounding errors in the rotation of a
        parent would visibly move nodes that are far away from it.
        """
        old, new = super().states(rows)
        if self.large_world:
            old, new = ([part.astype(np.float64) for part in state] for state in (old, new))
        return old, new

    def world_matrices(
        self, alpha: float, out: Floats | None = None, *, eye: Doubles | None = None
    ) -> Floats:
        """Return the world matrix of each node at ``alpha``. The float32 array has the shape (n, 4,
        4). The matrices are for row vectors (``v @ m``).

        If you pass the point ``eye``, positions are relative to it, so that rounding errors in
        float32 are small for positions near this point. Without ``eye``, the matrices of a large
        world are float64. If you pass an array ``out``, the matrices are written into it.
        """
        return self._world_matrices(self.pose(alpha), out, eye)

    def _world_matrices(
        self, pose: tuple[Any, Any, Any], out: Floats | None, eye: Doubles | None
    ) -> Floats:
        """Return the world matrices of all nodes. ``pose`` contains the local poses of the
        nodes.
        """
        position, rotation, scale = pose
        levels = self.levels
        large = self.large_world
        if eye is not None and levels:
            eye = vector("eye", eye, 3)
            # the values are float64 until the camera's position is subtracted
            position[levels[0]] = position[levels[0]] - eye
        world = matrices(position, rotation, scale, None if large else out, exact=large)
        for level in levels[1:]:
            world[level] = exact.functions().matmul(world[level], world[self._parent.data[level]])
        if large and out is not None:
            checked_out(out, len(world))[:] = world
            return out
        return world.astype(np.float32) if large and eye is not None else world

    def matrices_from(self, shot: Viewpoint) -> Floats:
        """Return the world matrices for a frame, relative to the camera. The matrices include the
        errors that slowly fade after a network correction. All calls in one frame return the same
        array.
        """
        if self._seen is None or self._seen[0] is not shot or len(self._seen[1]) != self.count:
            pose = (*shown_pose(self, shot.alpha), self.pose(shot.alpha)[2])
            self._seen = shot, self._world_matrices(pose, None, shot.eye)
            scale = self.column("scale")
            self._mirrored = any(
                (state(self.count) < 0).any() for state in (scale.current, scale.previous)
            )
        return self._seen[1]

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """Return the drawn world matrix of one node at ``alpha``. The matrix has the shape (4, 4)."""
        rows = self.ancestry(whole("row", row, 0, self.count - 1))
        world: Floats = np.eye(4, dtype=np.float64 if self.large_world else np.float32)
        for local in matrices(*self.pose(alpha, np.array(rows)), exact=self.large_world):
            world = exact.functions().matmul(world, local)
        return world

    def world_rotation(self, alpha: float, row: int) -> Floats:
        """Return the drawn rotation of one node in the world at ``alpha``. The result is a unit
        quaternion of shape (4,). Scales and shears do not affect the returned rotation.
        """
        rows = self.ancestry(whole("row", row, 0, self.count - 1))
        _, rotation, scale = self.pose(alpha, np.array(rows))
        turned: Floats = np.array([[0, 0, 0, 1]], np.float32)
        mirror = np.ones(3, np.float32)
        own: Floats
        factors: Floats
        for own, factors in zip(rotation[::-1, None], scale[::-1], strict=True):
            # For descendants of a node that is mirrored along an axis, movements along this axis
            # and turns about the other axes are reversed.
            mirrored: Floats = own * np.append(mirror * mirror.prod(), 1).astype(np.float32)
            turned = quaternions.multiply(turned, mirrored) if own.any() else turned
            mirror *= np.where(factors < 0, np.float32(-1), np.float32(1))
        unit: Floats = quaternions.normalized(turned)[0]
        return unit


class NodeTable2D(NodeTable, PoseTable2D):
    """The table that stores the rows of a `Nodes2D` and computes their world poses."""

    __slots__ = _SLOTS

    def __init__(self, motion: str | Extrapolation = "interpolate") -> None:
        super().__init__(motion)
        self._add_parents()

    def world_pose(
        self, alpha: float, rows: Rows | slice = slice(None)
    ) -> tuple[Floats, Floats, Floats]:
        """Return the world positions, angles and scales of nodes at ``alpha``. The three float32
        arrays have the shapes (n, 2), (n,) and (n, 2).

        ``rows`` selects the nodes. By default, all nodes are selected.
        """
        return self._world_pose(self.pose(alpha), rows)

    def shown_world_pose(self, alpha: float, rows: Rows) -> tuple[Floats, Floats, Floats]:
        """Return the same arrays as `world_pose`, but include the errors that slowly fade after a
        network correction.
        """
        return self._world_pose((*shown_pose(self, alpha), self.pose(alpha)[2]), rows)

    def _world_pose(
        self, pose: tuple[Any, Any, Any], rows: Rows | slice
    ) -> tuple[Floats, Floats, Floats]:
        rows = row_indices(rows, self.count)
        position, angle, scale = pose
        for level in self.levels[1:]:
            parents = self._parent.data[level]
            offsets: Floats = (position[level] * scale[parents]).T
            from_x: Floats = offsets[0]
            from_y: Floats = offsets[1]
            turns: tuple[Floats, Floats] = exact.functions().sincos(angle[parents])
            sin, cos = turns
            position[level, 0] = position[parents, 0] + from_x * cos - from_y * sin
            position[level, 1] = position[parents, 1] + from_x * sin + from_y * cos
            # children of a mirrored node turn in the opposite direction
            mirrored: Mask = scale[parents].prod(axis=1) < 0
            angle[level] = angle[parents] + np.where(mirrored, -angle[level], angle[level])
            scale[level] *= scale[parents]
        return position[rows], angle[rows], scale[rows]

    def world_matrices(self, alpha: float) -> Floats:
        """Return the model matrix of each node at ``alpha``. The float32 array has the shape (n, 4,
        4).
        """
        return matrices2d(*self.world_pose(alpha))

    def world_matrix(self, alpha: float, row: int) -> Floats:
        """Return the drawn world matrix of one node at ``alpha``. The matrix has the shape (4, 4)."""
        row = whole("row", row, 0, self.count - 1)
        matrix: Floats = self.world_matrices(alpha)[row]
        return matrix

    def world_rotation(self, alpha: float, row: int) -> Floats:
        """Return the drawn rotation of one node about the z axis at ``alpha``. The result is a unit
        quaternion of shape (4,).
        """
        row = whole("row", row, 0, self.count - 1)
        _, angle, _ = self.world_pose(alpha, slice(row, row + 1))
        return quaternions.from_axis((0, 0, 1), float(angle[0]))


def levels_of(parent: NDArray[Any]) -> list[Rows]:
    """Return the rows of each level of the tree. The level of a node is the number of its
    ancestors.

    Raises `ValueError` if a parent does not exist or a node is its own ancestor.
    """
    n = len(parent)
    if n and (parent.min() < -1 or parent.max() >= n):
        row = int(np.flatnonzero((parent < -1) | (parent >= n))[0])
        raise ValueError(
            f"parent: there are {n} nodes, and node {row} has the parent {int(parent[row])}"
        )
    depth = _depths(parent)
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depth))[:-1]) if n else []


def _depths(parent: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of ancestors of each node. Raises `ValueError` if a node is its own
    ancestor.
    """
    n = len(parent)
    # Each round replaces each ancestor with the ancestor's ancestor. After k rounds, the ancestors
    # are 2 ** k generations above.
    ancestor = np.append(np.where(parent < 0, n, parent), n).astype(np.intp)
    depth = (ancestor < n).astype(np.intp)
    for _ in range(n.bit_length() + 1):
        if (ancestor == n).all():
            break
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    else:
        raise ValueError(f"parent: {_loop(parent, int(np.flatnonzero(ancestor < n)[0]))}")
    return depth[:n]


def _loop(parent: NDArray[Any], row: int) -> str:
    """Return a text that describes the loop of parents above ``row``, for an error message. In a
    loop of parents, each node is its own ancestor.
    """
    visited: dict[int, None] = {}
    while row not in visited:
        visited[row] = None
        row = int(parent[row])
    loop = list(visited)[list(visited).index(row) :]
    names = [str(node) for node in loop[:_SHOWN]] + ["…"] * (len(loop) > _SHOWN)
    return f"nodes would be their own ancestors: {' → '.join([*names, str(row)])}"
