"""Meshes that are drawn where nodes of a hierarchy are: their world matrices are sent once a
frame.
"""

from __future__ import annotations

__all__ = ["NodeMeshes"]

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles, Floats, Mask, Rows
from ..checks import instance, number
from ..geometry import rays
from ..geometry.mesh import Mesh
from ..gpu.handover import Handover
from ..models.materials import Material
from ..models.morphs import MorphTargets
from ..models.skins import Skin
from ..state.columns import Cells, Column, Table
from ..state.nodes import Node, Nodes3D, TickedAtNodes, number_of
from ..state.rows import table_of
from .camera3d import Shot
from .instancing import MeshGpu
from .joints import JointsGpu
from .meshes import Hit, Instance, Meshes
from .morphing import MorphsGpu
from .surfaces import WorldAssets


class NodeMeshes(TickedAtNodes, Meshes):
    """A mesh that is drawn once for each of several nodes: wheels on cars, a turret on a tank.

    Parameters
    ----------
    mesh
        A `Mesh`.
    nodes
        A `Nodes3D`.
    rows
        The nodes to draw it at (nodes, or their numbers); more can be added.
    material
        A `Material`; default: a matt white one.
    skin
        A `Skin` bends the mesh by joints among the nodes; its ``rows`` are then the numbers of each
        instance's first node, from which the skin's joints count.

    Instances have the columns ``color``, ``visible`` and ``node`` (n,) int32; their poses are those
    of the nodes. An instance goes with its node.
    """

    __slots__ = ("_node", "_sent_for", "_targets", "nodes")

    not_state = ("_sent_for",)

    node = Cells[NDArray[np.int32]]("The number of each instance's node: int32 (n,).")

    nodes: Nodes3D

    def __init__(
        self,
        mesh: Mesh,
        nodes: Nodes3D,
        rows: ArrayLike | list[Node] = (),
        *,
        material: Material | None = None,
        skin: Skin | None = None,
    ) -> None:
        self.nodes = instance("nodes", nodes, Nodes3D)
        super().__init__(mesh, Table(()), material=material, skin=skin)
        self._node = Column("node", 1, 0, dtype=np.int32, interpolated=False)
        self._table.add_columns(self._node)
        self._sent_for: Shot | None = None
        self._targets: MorphTargets | None = None  # of a part of a model
        self._follow_nodes()
        numbers = [number_of(nodes, row, "rows") for row in np.asarray(rows, object).reshape(-1)]
        if numbers:
            self.extend(len(numbers), node=np.array(numbers, np.int32))

    @property
    def bends(self) -> bool:
        """Whether its vertices move by themselves: the instances are drawn as they stand then, all
        of them.
        """
        return self.skin is not None or self._targets is not None

    def _check_rows(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Raise `ValueError` for nodes that are not there, or joints, among rows that somebody
        brings.
        """
        self._check_nodes(columns["node"], 0 if self.skin is None else int(self.skin.nodes.max()))

    def show(self, node: Node | int, **columns: ArrayLike) -> Instance:
        """One more instance, at ``node``; keywords are columns: ``color=…, visible=…``."""
        return self.add(node=number_of(self.nodes, node), **columns)

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> Hit | None:
        """What a ray meets first; see `MeshBatch.pick`. A skin is met as its joints bend it."""
        return self.pick_at(self.nodes.world_matrices(number("alpha", alpha)), origin, direction)

    def pick_at(self, world: Floats, origin: ArrayLike, direction: ArrayLike) -> Hit | None:
        """`pick`, where the nodes have these matrices: first the balls about all rows, then the
        triangles in those that are met, the nearest first."""
        start, direction = rays.checked_ray(origin, direction)
        nodes, shown = self._node.current(self._table.count), self.shown
        centers, radii = self._balls(world, nodes[shown])
        entry = rays.ray_spheres(start, direction, centers, radii)
        near = np.flatnonzero(np.isfinite(entry))
        best: Hit | None = None
        for at in near[np.argsort(entry[near], kind="stable")].tolist():
            if best is not None and entry[at] > best.distance:
                break
            row = int(shown[at])
            model = world[nodes[row]].astype(np.float64)
            corners = self._places(world, row, model)[self.mesh.indices].reshape(-1, 3, 3)
            distance, side = rays.ray_triangles(start, direction, corners)
            if not self.material.double_sided:
                mirrored = (
                    self.skin is None and np.linalg.det(model[:3, :3]) < 0
                )  # it shows the other side
                distance = np.where((side < 0) if mirrored else (side > 0), distance, np.inf)
            nearest = int(np.argmin(np.where(np.isnan(distance), np.inf, distance)))
            if distance[nearest] < (np.inf if best is None else best.distance):
                far, (a, b, c) = float(distance[nearest]), corners[nearest]
                normal = np.cross(b - a, c - a)
                normal /= np.linalg.norm(normal) * (-1 if normal @ direction > 0 else 1)
                best = Hit(
                    self[row],
                    far,
                    tuple((start + direction * far).tolist()),
                    tuple(normal.tolist()),
                )
        return best

    def _balls(self, world: Floats, nodes: Rows) -> tuple[Doubles, Doubles]:
        """Centres (n, 3) and radii (n,) of balls that hold the mesh at ``nodes``."""
        if self.skin is None:
            balls = [(nodes, self.mesh.center.astype(np.float64), self.mesh.radius)]
        else:
            balls = [
                (nodes + node, middle, radius)
                for node, middle, radius in self.skin.balls(self.mesh.positions)
            ]
        centers, reaches = np.empty((len(balls), len(nodes), 3)), np.empty((len(balls), len(nodes)))
        for index, (rows, middle, radius) in enumerate(balls):
            models = world[rows]
            centers[index] = middle @ models[:, :3, :3] + models[:, 3, :3]
            x, y, z = models[:, 0, :3], models[:, 1, :3], models[:, 2, :3]
            # The stretch, at most: Gershgorin's circles of the axes' products.
            longest = np.sqrt(
                np.maximum.reduce([np.einsum("nj,nj->n", axis, axis) for axis in (x, y, z)])
            )
            leaning = np.abs(np.einsum("nj,nj->n", x, y)) + np.abs(np.einsum("nj,nj->n", y, z))
            leaning += np.abs(np.einsum("nj,nj->n", z, x))
            reaches[index] = radius * np.sqrt(longest * longest + leaning)
        between = centers.mean(axis=0)
        away = centers - between
        return between, (np.sqrt(np.einsum("knj,knj->kn", away, away)) + reaches).max(
            axis=0
        ) * 1.001

    def _places(self, world: Floats, row: int, model: Doubles) -> Doubles:
        """The vertices of a row's mesh in the world: (v, 3)."""
        if self.skin is not None:
            return self.skin.bent(self._shape(row), world, int(self._node.data[row]))
        places: Doubles = self._shape(row) @ model[:3, :3] + model[3, :3]
        return places

    def _shape(self, row: int) -> NDArray[Any]:
        """The vertices of a row's mesh before it is placed: (v, 3)."""
        return self.mesh.positions

    def made_gpu(self, assets: WorldAssets) -> MeshGpu:
        """What draws it."""
        ctx, skin = assets.graphics.ctx, self.skin
        handover = Handover(ctx, [], [self._color, self._visible])
        pose, joints = ("matrix", None) if skin is None else ("skin", JointsGpu(ctx, skin))
        morphs = None if self._targets is None else MorphsGpu(ctx, self._targets)
        pose += "" if morphs is None else "_morphed"
        defines: dict[str, str | int] = {"POSE": f"pose_{pose}.glsl"}
        return MeshGpu(
            assets, self.mesh, self.material, handover, defines, joints=joints, morphs=morphs
        )

    @property
    def mirrored(self) -> bool:
        """Whether poses may mirror: scales below 0 among the nodes."""
        return bool(table_of(self.nodes).mirrored)

    def hand_over(self) -> None:
        """Upload this frame's world matrices, and what else changed."""
        gpu, table = self.attached, self._table
        shot = gpu.assets.shot
        assert shot is not None
        if table.count and shot is not self._sent_for:
            self._sent_for = shot
            world, shown = table_of(self.nodes).matrices_from(shot), self._checked_nodes()
            if self.skin is None:
                gpu.handover.reserve(table.capacity)
                gpu.send_models(world[shown])
            else:
                gpu.send_joints(self.skin.matrices(world, shown))
        super().hand_over()

    def models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        """The model matrices that are drawn, their places counted from the eye: float32 (n, 4, 4);
        of ``rows``, or all.
        """
        shown = self._checked_nodes()
        models: Floats = table_of(self.nodes).matrices_from(shot)[
            shown if rows is None else shown[rows]
        ]
        return models

    def in_view(self, shot: Shot) -> Mask:
        """Whether the balls about the meshes are in the picture: (n,)."""
        models = self.models_from_eye(shot)
        centers = self.mesh.center @ models[:, :3, :3] + models[:, 3, :3]
        radii = self.mesh.radius * np.sqrt((models[:, :3, :3] ** 2).sum(axis=2).max(axis=1))
        return shot.sees(centers, radii)

    def drawn_pose(self, row: int, alpha: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Position (3,) and rotation (4,) in the world of a row's node as it is drawn at
        ``alpha``.
        """
        node = self.nodes[int(self._node.data[row])]
        return np.array(node.drawn_position(alpha)), np.array(node.drawn_rotation(alpha))
