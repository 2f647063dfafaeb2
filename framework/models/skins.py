"""Skins, which bend a mesh with joints (bones) in the vertex shader."""

from __future__ import annotations

__all__ = ["Skin"]

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Rows
from ..moved_names import HasMoved, moved

MAX_SKIN_JOINTS = 1024
"""The maximum number of joints of one skin."""


@moved("skin", {"balls": "joint_spheres", "bent": "skinned"})
class Skin(HasMoved, checks.Sealed):
    """The joints that bend a mesh.

    Up to four joints move each vertex.

    Parameters
    ----------
    nodes
        The node index of each of the j joints. Index 0 is the first node of an instance.
    inverse
        The inverse bind matrix of each joint, for row vectors. Each matrix transforms vertices from
        the mesh's bind pose to the local space of the joint. By default, each matrix is an identity
        matrix.
    joints
        The indices of four joints for each vertex. Each index is less than j, the number of joints.
        The array has the shape (n, 4).
    weights
        The weights of the four joints of each vertex. The array has the shape (n, 4). The `Skin`
        scales the weights so that the sum of the four weights of a vertex is 1.

    An invalid value raises `ValueError` or `TypeError` with the name of the argument.
    """

    __slots__ = ("_joint_spheres", "inverse", "joints", "nodes", "weights")

    not_state = True

    def __init__(
        self, nodes: ArrayLike, inverse: ArrayLike | None, joints: ArrayLike, weights: ArrayLike
    ) -> None:
        self._joint_spheres: list[tuple[int, Doubles, float]] | None = None
        self.nodes: Rows = checks.whole_numbers("nodes", nodes, (None,))
        count = len(self.nodes)
        if not 0 < count <= MAX_SKIN_JOINTS:
            raise ValueError(f"nodes: expected 1 to {MAX_SKIN_JOINTS:,} joints, got {count:,}")
        inverse = np.tile(np.eye(4), (count, 1, 1)) if inverse is None else inverse
        self.inverse: Floats = checks.numbers("inverse", inverse, (count, 4, 4), dtype="f4")
        joints = checks.whole_numbers("joints", joints, (None, 4), count)
        self.joints: NDArray[np.uint16] = np.ascontiguousarray(joints, np.uint16)
        shares: Floats = checks.numbers("weights", weights, self.joints.shape, dtype="f4")
        if (shares < 0).any():
            raise checks.wrong_value("weights", "numbers of at least 0", shares)
        total: Floats = shares.sum(axis=1, keepdims=True)
        # A vertex without weights moves with its first joint.
        self.weights: Floats = np.where(
            total > 0, shares / np.maximum(total, 1e-30), (1, 0, 0, 0)
        ).astype(np.float32)

    def matrices(self, world: Floats, first: NDArray[np.int32]) -> Floats:
        """Return the joint matrices of each instance. The array has the shape (instances, j, 4, 4).

        ``world`` contains the world matrices of all nodes. ``first`` contains the index of the
        first node of each instance.
        """
        joints: Floats = self.inverse @ world[first[:, None] + self.nodes]
        return joints

    def skinned(self, positions: Floats, world: NDArray[Any], first: int) -> NDArray[np.float64]:
        """Return the vertex positions of one instance, after the joints have bent the mesh. The
        array has the shape (v, 3).

        ``world`` contains the world matrices of all nodes. ``first`` is the index of the instance's
        first node.
        """
        joints = self.inverse.astype(np.float64) @ world[first + self.nodes]
        blended: Doubles = sum(
            self.weights[:, corner, None, None] * joints[self.joints[:, corner]]
            for corner in range(4)
        )
        vertices: NDArray[np.float64] = (
            np.einsum("va,vab->vb", positions, blended[:, :3, :3]) + blended[:, 3, :3]
        )
        return vertices

    def joint_spheres(self, positions: Floats) -> list[tuple[int, Doubles, float]]:
        """Return a bounding sphere for each joint that moves vertices. Each item is a tuple (node,
        center, radius).

        The sphere contains the vertices of the joint, in the local space of the joint. A bent
        vertex is a weighted average of points, each of which is inside the sphere of one joint.
        """
        if self._joint_spheres is None:
            self._joint_spheres = []
            numbers: list[int] = np.unique(self.joints[self.weights > 0]).tolist()
            vertices: Doubles
            for joint in numbers:
                followed = positions[((self.joints == joint) & (self.weights > 0)).any(axis=1)]
                vertices = (
                    followed @ self.inverse[joint, :3, :3].astype(np.float64)
                    + self.inverse[joint, 3, :3]
                )
                middle: Doubles = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
                squares: Doubles = ((vertices - middle) ** 2).sum(axis=1)
                radius = float(np.sqrt(squares.max()))
                self._joint_spheres.append((int(self.nodes[joint]), middle, radius))
        return self._joint_spheres

    def vertices(self) -> bytes:
        """Return the joints and weights of all vertices as bytes. Each vertex has four uint16
        joints, and then four float32 weights.
        """
        both = np.empty(len(self.joints), [("joints", np.uint16, 4), ("weights", np.float32, 4)])
        both["joints"] = self.joints
        both["weights"] = self.weights
        return both.tobytes()
