"""What draws the nodes of hierarchies: sprites and meshes whose poses are those of nodes, sent once a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import picking
from .camera3d import Shot
from .columns import Column, Floats, Rows
from .graphics import Graphics
from .images import ImageSource
from .materials import Material
from .mesh import Mesh
from .meshes import Hit, Instance, MeshBatch
from .nodes import Node, Nodes2D, Nodes3D
from .skins import Skin
from .sprites import Sprite, SpriteBatch

Numbers = NDArray[np.float64]


class NodeSprites(SpriteBatch):
    """Sprites that are drawn where nodes are: a gun on a ship.

    Parameters as of a `SpriteBatch`, and ``nodes``, a `Nodes2D`. Each sprite shows the node of its column ``node``
    (n,) int32; its own pose is overwritten at each frame. A sprite goes with its node.

        nodes = fw.Nodes2D()
        ship = nodes.add(position=(400, 300))
        gun = nodes.add(ship, position=(20, 0))
        batch = self.add(fw.NodeSprites(["ship.png", "gun.png"], nodes))
        batch.show(ship, 0)
        batch.show(gun, 1)
    """

    def __init__(
        self, image: ImageSource | list[ImageSource] | tuple[ImageSource, ...] | None, nodes: Nodes2D, **options: Any
    ) -> None:
        if not isinstance(nodes, Nodes2D):
            raise TypeError(f"nodes: expected a Nodes2D, got {nodes!r}")
        super().__init__(image, motion="none", **options)
        self.nodes = nodes
        self._node = Column("node", 1, -1, dtype=np.int32, interpolated=False)
        self._transforms.columns.append(self._node)
        self._node.reserve(self._transforms.capacity, 0)
        self._node._current[:] = -1
        self._graphics: Graphics | None = None
        nodes.follow(self)

    def show(self, node: Node | int, image: ImageSource | int | None = None, **columns: Any) -> Sprite:
        """One more sprite, at ``node``; keywords are those of `add`."""
        row = self.nodes._row(node)
        sprite = self.add(image, **columns)
        self._node._current[sprite._row] = row
        return sprite

    def attach(self, graphics: Graphics) -> None:
        self._graphics = graphics
        super().attach(graphics)

    def begin_tick(self, dt: float) -> None:
        self.nodes.begin_tick(dt)
        super().begin_tick(dt)

    def end_tick(self) -> None:
        self.nodes.end_tick()
        super().end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw nodes that were written since the last call where they are now."""
        self.nodes.notice_writes()

    def hand_over(self) -> None:
        """Upload the world poses of this frame, and what else changed."""
        alpha = 1.0 if self._graphics is None else self._graphics.moment.alpha
        shown = self._node.current(len(self._transforms))
        rows = np.flatnonzero(shown >= 0)
        transforms = self._transforms
        for column, drawn in zip(transforms._poses, self.nodes.world_pose(alpha, shown[rows]), strict=True):
            column._current[rows] = drawn
            column.touch()
        super().hand_over()

    def renumber(self, numbers: Rows) -> None:
        """The nodes have other numbers."""
        shown = self._node.current(len(self._transforms))
        rows = np.flatnonzero(shown >= 0)
        shown[rows] = numbers[shown[rows]]
        gone = rows[shown[rows] < 0]
        if len(gone):
            self.remove(gone)


class NodeMeshes(MeshBatch):
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
        A `Skin` bends the mesh by joints among the nodes; its ``rows`` are then the numbers of each instance's first
        node, from which the skin's joints count.

    Instances have the columns ``color``, ``visible`` and ``node`` (n,) int32; their poses are those of the nodes. An
    instance goes with its node.
    """

    def __init__(
        self,
        mesh: Mesh,
        nodes: Nodes3D,
        rows: ArrayLike | list[Node] = (),
        *,
        material: Material | None = None,
        skin: Skin | None = None,
    ) -> None:
        if not isinstance(nodes, Nodes3D):
            raise TypeError(f"nodes: expected a Nodes3D, got {nodes!r}")
        super().__init__(mesh, material=material, motion="none")
        self.nodes = nodes
        self.skin = skin
        self._node = Column("node", 1, 0, dtype=np.int32, interpolated=False)
        self._model = Column("model", 16, 0.0, interpolated=False)
        self._transforms.columns += [self._node]
        self._matrices = self._model
        self._sent_for: Shot | None = None
        nodes.follow(self)
        numbers = [nodes._row(row) for row in np.asarray(rows, object).reshape(-1)]
        if numbers:
            self.extend(len(numbers), node=np.array(numbers, np.int32))

    def show(self, node: Node | int, **columns: ArrayLike) -> Instance:
        """One more instance, at ``node``; keywords are columns: ``color=…, visible=…``."""
        return self.add(node=self.nodes._row(node), **columns)

    @property
    def node(self) -> NDArray[np.int32]:
        """The number of each instance's node: int32 (n,)."""
        return self._node.values(len(self))

    def pick(self, origin: ArrayLike, direction: ArrayLike, alpha: float = 1.0) -> Hit | None:
        """What a ray meets first; see `MeshBatch.pick`. A skin is met as its joints bend it."""
        start, way = picking.checked_ray(origin, direction)
        world, n = self.nodes.world_matrices(alpha), len(self)
        best: Hit | None = None
        for row in np.flatnonzero(self._visible.current(n)).tolist():
            model = world[self._node.current(n)[row]].astype(np.float64)
            if self.skin is None and not self._near(model, start, way):
                continue
            corners = self._places(world, row, model)[self.mesh.indices].reshape(-1, 3, 3)
            distance, side = picking.ray_triangles(start, way, corners)
            if not self.material.double_sided:
                distance = np.where(side > 0, distance, np.inf)
            nearest = int(np.argmin(np.where(np.isnan(distance), np.inf, distance)))
            if distance[nearest] < (np.inf if best is None else best.distance):
                far, (a, b, c) = float(distance[nearest]), corners[nearest]
                normal = np.cross(b - a, c - a)
                normal /= np.linalg.norm(normal) * (-1 if normal @ way > 0 else 1)
                best = Hit(self[row], far, tuple((start + way * far).tolist()), tuple(normal.tolist()))
        return best

    def _near(self, model: Numbers, start: Numbers, way: Numbers) -> bool:
        """Whether a ray meets the ball about the mesh."""
        center = self.mesh.center @ model[:3, :3] + model[3, :3]
        radius = self.mesh.radius * np.linalg.norm(model[:3, :3], 2) * 1.001
        return bool(np.isfinite(picking.ray_spheres(start, way, center[None], [radius])).any())

    def _places(self, world: Floats, row: int, model: Numbers) -> Numbers:
        """The vertices of a row's mesh in the world: (v, 3)."""
        if self.skin is not None:
            return self.skin.bent(self.mesh.positions, world, int(self._node.current(len(self))[row]))
        places: Numbers = self.mesh.positions @ model[:3, :3] + model[3, :3]
        return places

    def begin_tick(self, dt: float) -> None:
        self.nodes.begin_tick(dt)
        super().begin_tick(dt)

    def end_tick(self) -> None:
        self.nodes.end_tick()
        super().end_tick()

    def notice_writes(self) -> None:
        """While no ticks run, draw nodes that were written since the last call where they are now."""
        self.nodes.notice_writes()

    def hand_over(self) -> None:
        """Upload this frame's world matrices, and what else changed."""
        gpu, n = self._attached, len(self)
        shot = gpu.assets.shot
        assert shot is not None
        if n and shot is not self._sent_for:
            self._sent_for = shot
            world, shown = self.nodes.matrices_from(shot), self._node.current(n)
            if self.skin is None:
                gpu.reserve(self._transforms.capacity)
                assert gpu.matrices is not None
                gpu.matrices.write(0, world[shown].reshape(n, 16))
            else:
                gpu.send_joints(self.skin.matrices(world, shown))
        super().hand_over()

    def _models_from_eye(self, shot: Shot, rows: Rows | None = None) -> Floats:
        shown = self._node.current(len(self))
        models: Floats = self.nodes.matrices_from(shot)[shown if rows is None else shown[rows]]
        return models

    def _in_view(self, shot: Shot) -> NDArray[np.bool_]:
        models = self._models_from_eye(shot)
        centers = self.mesh.center @ models[:, :3, :3] + models[:, 3, :3]
        radii = self.mesh.radius * np.sqrt((models[:, :3, :3] ** 2).sum(axis=2).max(axis=1))
        return shot.sees(centers, radii)

    def renumber(self, numbers: Rows) -> None:
        """The nodes have other numbers."""
        shown = self._node.current(len(self))
        shown[:] = numbers[shown]
        if (shown < 0).any():
            self.remove(shown < 0)
