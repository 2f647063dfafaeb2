"""Meshes that are attached to the nodes of a hierarchy, such as the wheels of a car."""

from __future__ import annotations

__all__ = ["NodeMeshes"]

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats
from ..checks import instance, number
from ..geometry import rays
from ..geometry.mesh import Mesh
from ..models.materials import Material
from ..models.morphs import MorphTargets
from ..models.skins import Skin
from ..state.columns import ColumnValues, Table, TableColumn
from ..state.nodes import AtNodes, Node, Nodes3D, number_of
from .meshes import Instance, Meshes, MeshParts
from .picking import Hit
from .row_picking import first_hit


class CopyParts(NamedTuple):
    """Functions that the backend of one mesh in a `ModelBatch` calls to get the colors and weights
    of the copies.
    """

    looks: Callable[[], tuple[Floats, NDArray[np.bool_]]]
    """A function that returns the colors and visible flags of the rows."""
    weights: Callable[[], tuple[Floats, Floats]] | None
    """A function that returns the morph weights of the rows in the previous tick and in this tick.
    None if the mesh has no morph targets.
    """


class NodeMeshParts(NamedTuple):
    """The objects that a `NodeMeshes` passes to its backend, the object that draws the meshes."""

    meshes: MeshParts
    checked_nodes: Callable[[], NDArray[np.int32]]
    """A function that returns the column ``node``. The function raises `ValueError` if a node does
    not exist.
    """
    skin: Skin | None
    targets: MorphTargets | None
    copies: CopyParts | None = None
    """The colors and weights of a model's copies. None if the mesh does not belong to a model."""


class NodeMeshes(AtNodes, Meshes):
    """Copies of one mesh that are drawn at nodes, such as the four wheels of a car.

    Parameters
    ----------
    mesh
        The `Mesh` to draw at the nodes.
    nodes
        The `Nodes3D` object that contains the nodes.
    rows
        The nodes that show the mesh, as `Node` objects or indices. To add nodes later, call `show`.
    material
        The `Material` of the mesh. The default material is white and matte.
    skin
        A `Skin` whose joints bend the mesh. The joints are nodes of ``nodes``. With a skin,
        ``rows`` contains the first node of each instance, and the joint indices of the skin are
        relative to this node.
    columns
        Your own columns, as a dict with default values, such as ``{"hp": 3.0}``. See `fw.Column`.

    Each instance has the columns ``color``, ``visible`` and ``node``. The column ``node`` is int32
    with the shape (n,). Each instance is drawn at the position and rotation of its node. If you
    remove a node, the batch also removes the instances at this node.
    """

    __slots__ = ("_node", "_skin", "_targets", "nodes")

    _backend_in = "framework.space.node_mesh_drawing"

    node = ColumnValues[NDArray[np.int32]]("The node index of each instance: int32 (n,).")

    nodes: Nodes3D

    def __init__(
        self,
        mesh: Mesh,
        nodes: Nodes3D,
        rows: ArrayLike | list[Node] = (),
        *,
        material: Material | None = None,
        skin: Skin | None = None,
        columns: Mapping[str, Any] | None = None,
    ) -> None:
        self.nodes = instance("nodes", nodes, Nodes3D)
        super().__init__(mesh, Table(()), material=material, columns=columns)
        self._skin = None if skin is None else instance("skin", skin, Skin)
        self._node = TableColumn("node", 1, 0, dtype=np.int32, interpolated=False)
        self._table.add_columns(self._node)
        self._targets: MorphTargets | None = None  # only for a mesh of a `ModelBatch`
        self._follow_nodes()
        numbers = [number_of(nodes, row, "rows") for row in np.asarray(rows, object).reshape(-1)]
        if numbers:
            self.extend(len(numbers), node=np.array(numbers, np.int32))

    def _parts(self) -> NodeMeshParts:
        meshes = MeshParts(self._color, self._visible)
        return NodeMeshParts(meshes, self._checked_nodes, self._skin, self._targets)

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` if a loaded save contains the index of a missing node or joint."""
        self._check_nodes(columns["node"], 0 if self._skin is None else int(self._skin.nodes.max()))

    def show(self, node: Node | int, **columns: ArrayLike) -> Instance:
        """Add an instance of the mesh at ``node``.

        Keywords such as ``color=`` and ``visible=`` set columns of the new instance.
        """
        return self.add(node=number_of(self.nodes, node), **columns)

    def pick(
        self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0
    ) -> Hit[Instance] | None:
        """Return a `Hit` for the first visible instance that a ray hits, or None; see
        `MeshBatch.pick`.

        If the mesh has a skin, the ray is tested against the bent mesh.
        """
        return self._pick_at(self.nodes.world_matrices(number("alpha", alpha)), origin, direction)

    def _pick_at(
        self, world: Floats, origin: ArrayLike, direction: ArrayLike
    ) -> Hit[Instance] | None:
        """Return the result of `pick`, for nodes with world matrices that are already computed.
        ``world`` contains the world matrices of all nodes.

        To save time, the function first tests the ray against a sphere around each row. It tests
        the triangles only of rows whose spheres are hit, beginning with the nearest row.
        """
        start, direction = rays.checked_ray(origin, direction)
        nodes: NDArray[np.int32] = self._node.current(self._table.count)
        visible = self._visible_rows()
        centers, radii = self._bounding_spheres(world, nodes[visible])
        entry = np.full(self._table.count, np.inf)
        entry[visible] = rays.ray_spheres(start, direction, centers, radii)
        hit = first_hit(
            entry, start, direction, lambda row: self._first_triangle(world, row, start, direction)
        )
        return None if hit is None else Hit(self[hit.row], hit.distance, hit.point, hit.normal)

    def _first_triangle(
        self, world: Floats, row: int, start: Doubles, direction: Doubles
    ) -> tuple[float, Doubles]:
        """Return the distance along a ray to the first triangle of a row, and the corners of this
        triangle in world coordinates, with the shape (3, 3). If the ray does not hit the row, the
        distance is infinite or NaN.
        """
        matrix: Floats = world[self._node.data[row]]
        model = matrix.astype(np.float64)
        corners = self._world_vertices(world, row, model)[self.mesh.indices].reshape(-1, 3, 3)
        distance, side = rays.ray_triangles(start, direction, corners)
        if not self.material.double_sided:
            # If a mesh is mirrored, the front and back of its triangles are swapped.
            mirrored = self._skin is None and float(np.linalg.det(model[:3, :3])) < 0
            distance = np.where((side < 0) if mirrored else (side > 0), distance, np.inf)
        nearest = int(np.argmin(np.where(np.isnan(distance), np.inf, distance)))
        return float(distance[nearest]), corners[nearest]

    def _bounding_spheres(self, world: Floats, nodes: NDArray[np.int32]) -> tuple[Doubles, Doubles]:
        """Return a sphere around the mesh at each of ``nodes``: the centers, with the shape (n, 3),
        and the radii, with the shape (n,).
        """
        if self._skin is None:
            balls = [(nodes, self.mesh.center.astype(np.float64), self.mesh.radius)]
        else:
            balls = [
                (nodes + node, middle, radius)
                for node, middle, radius in self._skin.joint_spheres(self.mesh.positions)
            ]
        centers = np.empty((len(balls), len(nodes), 3))
        reaches = np.empty((len(balls), len(nodes)))
        for index, (rows, middle, radius) in enumerate(balls):
            models = world[rows]
            centers[index] = middle @ models[:, :3, :3] + models[:, 3, :3]
            reaches[index] = radius * _max_stretch(models)
        between: Doubles = centers.mean(axis=0)
        away = centers - between
        squares: Doubles = np.einsum("knj,knj->kn", away, away)
        radii: Doubles = (np.sqrt(squares) + reaches).max(axis=0)
        return between, radii * 1.001

    def _world_vertices(self, world: Floats, row: int, model: Doubles) -> Doubles:
        """Return the vertices of a row's mesh in world coordinates. The array has the shape (v, 3)."""
        if self._skin is not None:
            return self._skin.skinned(self._local_vertices(row), world, int(self._node.data[row]))
        vertices: Doubles = self._local_vertices(row) @ model[:3, :3] + model[3, :3]
        return vertices

    def _local_vertices(self, row: int) -> NDArray[Any]:
        """Return the vertices of a row's mesh in the mesh's own coordinates. The array has the
        shape (v, 3).
        """
        return self.mesh.positions

    def _drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the position and rotation of the row's node in a frame. ``alpha`` is the time
        since the last tick, as a fraction of a tick.
        """
        node = self.nodes[int(self._node.data[row])]
        return np.array(node.drawn_position(alpha)), np.array(node.drawn_rotation(alpha))


def _max_stretch(models: Floats) -> Floats:
    """Return an upper limit of the factor by which each matrix enlarges vectors. ``models`` has the
    shape (n, 4, 4).
    """
    x = models[:, 0, :3]
    y = models[:, 1, :3]
    z = models[:, 2, :3]
    # The limit comes from the Gershgorin circles of the axes' dot products.
    longest = np.sqrt(np.maximum.reduce([_dot(axis, axis) for axis in (x, y, z)]))
    leaning = np.abs(_dot(x, y)) + np.abs(_dot(y, z))
    leaning += np.abs(_dot(z, x))
    stretch: Floats = np.sqrt(longest * longest + leaning)
    return stretch


def _dot(a: Floats, b: Floats) -> Floats:
    """Return the dot product of each pair of vectors."""
    products: Floats = np.einsum("nj,nj->n", a, b)
    return products
