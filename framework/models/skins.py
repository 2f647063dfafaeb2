"""Skins: meshes that bend with joints, in the vertex shader."""

from __future__ import annotations

__all__ = ["Skin"]

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Rows

MOST_JOINTS = 1024
"""Joints of one skin."""


class Skin(checks.Sealed):
    """How vertices follow joints: each the mean of four, by its weights.

    Parameters
    ----------
    nodes
        (j,) the joints, as numbers of nodes counted from an instance's first.
    inverse
        (j, 4, 4) what brings the mesh, as it was bound, into each joint's frame; for row vectors.
        Default: nothing.
    joints
        (n, 4) for each vertex four numbers below j.
    weights
        (n, 4) their shares; scaled to a sum of 1.

    Raises `ValueError` or `TypeError`, which names the argument, for what does not fit.
    """

    __slots__ = ("_balls", "inverse", "joints", "nodes", "weights")

    not_state = True

    def __init__(
        self, nodes: ArrayLike, inverse: ArrayLike | None, joints: ArrayLike, weights: ArrayLike
    ) -> None:
        self._balls: list[tuple[int, Doubles, float]] | None = None
        self.nodes: Rows = checks.whole_numbers("nodes", nodes, (None,))
        count = len(self.nodes)
        if not 0 < count <= MOST_JOINTS:
            raise ValueError(f"nodes: expected 1 to {MOST_JOINTS:,} joints, got {count:,}")
        inverse = np.tile(np.eye(4), (count, 1, 1)) if inverse is None else inverse
        self.inverse: Floats = checks.numbers("inverse", inverse, (count, 4, 4), dtype="f4")
        joints = checks.whole_numbers("joints", joints, (None, 4), count)
        self.joints: NDArray[np.uint16] = np.ascontiguousarray(joints, np.uint16)
        shares: Floats = checks.numbers("weights", weights, self.joints.shape, dtype="f4")
        if (shares < 0).any():
            raise checks.wrong_value("weights", "numbers of at least 0", shares)
        total: Floats = shares.sum(axis=1, keepdims=True)
        # A vertex that no joint claims goes with its first.
        self.weights: Floats = np.where(
            total > 0, shares / np.maximum(total, 1e-30), (1, 0, 0, 0)
        ).astype(np.float32)

    def matrices(self, world: Floats, first: NDArray[np.int32]) -> Floats:
        """Each instance's joint matrices (instances, j, 4, 4), from all nodes' world matrices."""
        joints: Floats = self.inverse @ world[first[:, None] + self.nodes]
        return joints

    def bent(self, positions: Floats, world: NDArray[Any], first: int) -> NDArray[np.float64]:
        """Where the vertices (v, 3) of one instance are, on the CPU; ``world`` are all nodes' world
        matrices.
        """
        joints = self.inverse.astype(np.float64) @ world[first + self.nodes]
        blended: Doubles = sum(
            self.weights[:, place, None, None] * joints[self.joints[:, place]] for place in range(4)
        )
        places: NDArray[np.float64] = (
            np.einsum("va,vab->vb", positions, blended[:, :3, :3]) + blended[:, 3, :3]
        )
        return places

    def balls(self, positions: Floats) -> list[tuple[int, Doubles, float]]:
        """For each joint that vertices follow, its node, and a ball about these in its own frame:
        (3,), radius.

        A vertex is a mean of places in its joints' balls, wherever these are.
        """
        if self._balls is None:
            self._balls = []
            numbers: list[int] = np.unique(self.joints[self.weights > 0]).tolist()
            places: Doubles
            for joint in numbers:
                followed = positions[((self.joints == joint) & (self.weights > 0)).any(axis=1)]
                places = (
                    followed @ self.inverse[joint, :3, :3].astype(np.float64)
                    + self.inverse[joint, 3, :3]
                )
                middle: Doubles = (places.min(axis=0) + places.max(axis=0)) / 2
                squares: Doubles = ((places - middle) ** 2).sum(axis=1)
                radius = float(np.sqrt(squares.max()))
                self._balls.append((int(self.nodes[joint]), middle, radius))
        return self._balls

    def vertices(self) -> bytes:
        """Joints and weights of each vertex side by side, as they are sent to the GPU: four uint16,
        four float32.
        """
        both = np.empty(len(self.joints), [("joints", np.uint16, 4), ("weights", np.float32, 4)])
        both["joints"], both["weights"] = self.joints, self.weights
        return both.tobytes()
