"""Morph targets, which blend a mesh into other shapes, such as a smile, controlled by weights."""

from __future__ import annotations

__all__ = ["MorphTargets"]

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats, Rows
from ..geometry.mesh import Mesh
from ..moved_names import HasMoved, moved

MAX_TARGETS = 1024
"""The maximum number of morph targets of one mesh."""
MAX_NUMBERS = 1 << 24
"""The maximum number of floats in the targets of a mesh or a file: 64 MiB."""
MAX_WEIGHTS = 1 << 16
"""The maximum number of morph weights in one model."""


@moved("targets", {"placed": "blended", "reaches": "max_offsets"})
class MorphTargets(HasMoved, checks.Sealed):
    """Other shapes of a mesh, such as a smile. Weights blend the mesh into these shapes.

    A target contains a displacement for each vertex of the mesh. At a weight of 0.5, each vertex
    moves by half of its displacement.

    Parameters
    ----------
    positions
        How far each target moves each vertex. The array has the shape (t, n, 3), for t targets and
        n vertices.
    normals, tangents
        The change of each vertex's normal and tangent in each target. Both arrays have the shape
        (t, n, 3). ``normals`` and ``tangents`` default to None.
    weights
        The weights of the t targets in the rest pose. By default, all weights are 0.
    names
        The names of the t targets, for `ModelInstance.set_weight`. The default names are "target
        0", "target 1" and so on.

    An invalid value raises `ValueError` or `TypeError` with the name of the argument.
    """

    __slots__ = ("max_offsets", "names", "normals", "positions", "tangents", "weights")

    def __init__(
        self,
        positions: ArrayLike,
        *,
        normals: ArrayLike | None = None,
        tangents: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.positions: Floats = checks.numbers("positions", positions, (None, None, 3), dtype="f4")
        count, vertices, _ = self.positions.shape
        if not (0 < count <= MAX_TARGETS and vertices > 0 and self.positions.size <= MAX_NUMBERS):
            raise ValueError(
                f"positions: expected 1 to {MAX_TARGETS:,} targets of at most "
                f"{MAX_NUMBERS:,} numbers in all, got "
                f"{count:,} of {vertices:,} vertices"
            )
        shape = self.positions.shape
        self.normals = (
            None if normals is None else checks.numbers("normals", normals, shape, dtype="f4")
        )
        self.tangents = (
            None if tangents is None else checks.numbers("tangents", tangents, shape, dtype="f4")
        )
        defaults = np.zeros(count, np.float32) if weights is None else weights
        self.weights: Floats = checks.numbers("weights", defaults, (count,), dtype="f4")
        self.names = _target_names(names, count)
        self.max_offsets: Doubles = np.sqrt(
            (self.positions.astype(np.float64) ** 2).sum(axis=2).max(axis=1)
        )
        """The largest distance by which each target moves a vertex at a weight of 1. The array has
        the shape (t,).
        """

    def __len__(self) -> int:
        return len(self.names)

    def blended(self, positions: Floats, weights: Floats) -> Doubles:
        """Return the positions of vertices after the targets have moved them. ``positions`` has the
        shape (n, 3), and ``weights`` has the shape (t,).
        """
        moved: Doubles = positions + np.tensordot(weights.astype(np.float64), self.positions, 1)
        return moved


def _target_names(names: Sequence[str] | None, count: int) -> list[str]:
    if names is None:
        return [f"target {number}" for number in range(count)]
    listed: list[object] = checks.items("names", names)
    checked = [checks.text("names", name) for name in listed]
    if len(checked) != count:
        raise ValueError(f"names: expected {count}, got {len(checked)}")
    return checked


def morphed(targets: MorphTargets, mesh: Mesh, weights: Floats) -> Mesh:
    """Return a copy of ``mesh`` that the targets have deformed with these weights. ``weights`` has
    the shape (t,).

    If all weights are 0, the function returns ``mesh`` itself.
    """
    if not weights.any():
        return mesh
    normals = mesh.normals
    tangents = mesh.tangents
    if targets.normals is not None:
        normals = normals + np.tensordot(weights, targets.normals, 1)
        normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    if targets.tangents is not None:
        tangents = tangents.copy()
        tangents[:, :3] += np.tensordot(weights, targets.tangents, 1)
    return Mesh(
        targets.blended(mesh.positions, weights),
        mesh.indices,
        normals=normals,
        tangents=tangents,
        uvs=mesh.uvs,
        colors=mesh.colors,
        second_uvs=mesh.second_uvs,
    )


def texels(targets: MorphTargets) -> Floats:
    """Return the values of the targets in the layout of the GPU texture. The array has the shape
    (t, n, k, 3), with k from 1 to 3.

    Index 0 of the third axis is the displacement of the vertex. If the targets also change normals
    or tangents, index 1 is the change of the normal, and index 2 is the change of the tangent.
    """
    kinds: list[Floats] = [targets.positions]
    if targets.normals is not None or targets.tangents is not None:
        kinds.append(
            np.zeros_like(targets.positions) if targets.normals is None else targets.normals
        )
    if targets.tangents is not None:
        kinds.append(targets.tangents)
    return np.stack(kinds, axis=2)


class MorphWeights:
    """All morph weights of a model, in one row. The row starts with all weights of the first node,
    followed by all weights of the next node, and so on.

    ``nodes`` contains a tuple for each node with morph targets: the index of the node, the names of
    its targets, and the weights in the rest pose.
    """

    def __init__(self, nodes: Iterable[tuple[int, Sequence[str], Floats]] = ()) -> None:
        self.names: list[str] = []
        """The name of each weight."""
        self.first: dict[int, int] = {}
        """The index of each node's first weight, by the index of the node."""
        self.counts: dict[int, int] = {}
        """The number of each node's weights, by the index of the node."""
        defaults: list[Floats] = [np.zeros(0, np.float32)]
        for node, names, weights in nodes:
            self.first[node] = len(self.names)
            self.counts[node] = len(names)
            self.names += names
            defaults.append(weights)
        if len(self.names) > MAX_WEIGHTS:
            count = len(self.names)
            raise ValueError(
                f"its nodes have {count:,} weights of morph targets, the maximum is {MAX_WEIGHTS:,}"
            )
        self.rest: Floats = np.concatenate(defaults).astype(np.float32)
        """The weights in the rest pose. The array has the shape (w,)."""

    def __len__(self) -> int:
        return len(self.names)

    def numbered(self, name: str | int) -> Rows:
        """Return the indices of all weights called ``name``.

        If ``name`` is an index, return an array that contains this index.

        If no weight has this name, raise a `ValueError` that lists all names.
        """
        if not isinstance(name, str):
            return np.array([checks.whole("name", name, 0, len(self) - 1)])
        indices = np.flatnonzero([target == name for target in self.names])
        if not len(indices):
            names = ", ".join(map(repr, dict.fromkeys(self.names[:8]))) or "none"
            raise ValueError(
                f"name: there is no morph target {checks.shown(name)}; there are {names}"
            )
        return indices

    def of_node(self, node: int, weights: Floats, count: int) -> Floats:
        """Return the first ``count`` weights of one node. ``weights`` contains the weights of the
        complete model.
        """
        first = self.first[node]
        return weights[first : first + count]
