"""Build the collision shape of a 3D model from its meshes, with one piece per node."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry.mesh import Mesh
from .engines import rapier3d
from .shapes3d import SHAPES, SolidSpec, checked_solid, make_solid

PartNames: TypeAlias = bool | Sequence[str] | Mapping[str, str]
"""The option ``parts``: True for all nodes, a list of node names, or a dict from node names to
shapes.
"""


class CompoundSpec(NamedTuple):
    """The checked shape options of a body that consists of several pieces."""

    pieces: tuple[SolidSpec, ...]


class _Part(Protocol):
    @property
    def mesh(self) -> Mesh: ...

    @property
    def nodes(self) -> Sequence[int]: ...


class _Nodes(Protocol):
    def world_matrices(self, alpha: float) -> ArrayLike: ...


class _Model(Protocol):
    """The properties of a model that this module needs to create shapes."""

    @property
    def parts(self) -> Sequence[_Part]: ...

    @property
    def node_names(self) -> Sequence[str]: ...

    @property
    def at_rest(self) -> _Nodes: ...


def checked_parts(parts: PartNames, shape: str, batch: object, moves: bool) -> CompoundSpec:
    """Check the option ``parts`` of `Physics3D.add`, and return the shapes of the nodes.

    Raises `TypeError` or `ValueError` if an option is invalid. The error message begins with the
    name of this option.
    """
    model: _Model | None = getattr(batch, "model", None)
    if model is None:
        raise ValueError("parts: only a ModelBatch has parts; use mesh= or size=")
    meshes = _meshes_of_nodes(model)
    shapes = _shapes_of_nodes(parts, shape, [model.node_names[node] for node in meshes])
    pieces = tuple(
        checked_solid(kind, None, None, mesh, batch, moves)
        for mesh, kind in zip(meshes.values(), shapes, strict=True)
        if kind is not None
    )
    if not pieces:
        raise ValueError("parts: expected at least one node with a mesh, got none")
    return CompoundSpec(pieces)


def _meshes_of_nodes(model: _Model) -> dict[int, Mesh]:
    """For each node with a mesh, return the mesh, moved to the node's position in the model while
    no animation is playing.
    """
    matrices = np.asarray(model.at_rest.world_matrices(1.0), np.float64)
    meshes: dict[int, list[Mesh]] = {}
    for part in model.parts:
        for node in part.nodes:
            # A node with a scale of 0 is hidden.
            if abs(np.linalg.det(matrices[node, :3, :3])) > 1e-30:
                meshes.setdefault(node, []).append(part.mesh.transformed_by(matrices[node]))
    return {node: Mesh.merged(*meshes[node]) for node in sorted(meshes)}


def _shapes_of_nodes(parts: PartNames, shape: str, names: list[str]) -> list[str | None]:
    """Return the shape of each node that has a mesh. If a node is not a piece of the body, its
    shape is None.
    """
    if isinstance(parts, bool | np.bool_):
        if not parts:
            raise checks.wrong_value("parts", "True, names of nodes, or a dict", parts)
        return [shape] * len(names)
    patterns = _shapes_of_patterns(parts, shape)
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(name, pattern) for name in names):
            raise ValueError(
                f"parts: no node with a mesh is called {pattern!r}; "
                f"there are {', '.join(map(repr, names)) or 'none'}"
            )
    return [
        next((kind for key, kind in patterns.items() if fnmatch.fnmatchcase(name, key)), None)
        for name in names
    ]


def _shapes_of_patterns(parts: Sequence[str] | Mapping[str, str], shape: str) -> dict[str, str]:
    """Return a dict from each pattern for the names of nodes, such as "Mast*", to a shape."""
    if not isinstance(parts, Mapping):
        return {checks.text("parts", name): shape for name in checks.items("parts", parts)}
    return {
        checks.text("parts", name): checks.choice("parts", kind, SHAPES)
        for name, kind in parts.items()
    }


def make_pieces(
    spec: SolidSpec | CompoundSpec, scale: Doubles, row: int
) -> list[rapier3d.ColliderBuilder]:
    """Return Rapier's collider builders, one for each piece of a row's body.

    Raises `ValueError` if a piece has no volume. The error message contains the index of the row.
    """
    pieces = spec.pieces if isinstance(spec, CompoundSpec) else (spec,)
    return [make_solid(piece, scale, row) for piece in pieces]
