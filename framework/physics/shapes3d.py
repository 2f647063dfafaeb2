"""Shapes of bodies in space, from a batch's mesh or from numbers: Rapier's, row by row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from ..geometry.mesh import Mesh
from .engines import rapier3d

SHAPES = ("box", "ball", "capsule", "cylinder", "cone", "hull", "mesh")
_SIZED = ("box", "capsule", "cylinder", "cone")
_FEWEST = 4  # corners that span a volume


class SolidSpec(NamedTuple):
    """What `Physics3D.add` is told of shapes, in units of a row's own: before its scale."""

    kind: str
    size: tuple[float, float, float] | None
    radius: float | None
    mesh: Mesh | None
    bounds: Doubles | None
    """The lowest and the highest corner of what it is around, (2, 3)."""


class _Model(Protocol):
    """A model, of which the meshes are used here."""

    @property
    def bounds(self) -> ArrayLike: ...

    def merged(self) -> Iterable[tuple[Mesh, object]]: ...


def checked_solid(
    shape: str,
    size: ArrayLike | None,
    radius: float | None,
    mesh: Mesh | None,
    batch: object,
    moves: bool,
) -> SolidSpec:
    """What a shape is to be. Raises `TypeError` or `ValueError` for what cannot be one."""
    kind = checks.choice("shape", shape, SHAPES)
    if kind == "mesh" and moves:
        raise ValueError(
            "shape: a 'mesh' stands still: kind='static' or 'kinematic'; what moves may be a 'hull'"
        )
    wide = None if size is None else checks.vector("size", size, 3)
    if wide is not None and (wide <= 0).any():
        raise checks.wrong_value("size", "three numbers above 0", size)
    if wide is not None and kind not in _SIZED:
        raise ValueError(f"size: it is for {', '.join(map(repr, _SIZED))}, not for {kind!r}")
    reach = None if radius is None else checks.number("radius", radius, above=0)
    if reach is not None and kind != "ball":
        raise ValueError(f"radius: it is for 'ball', not for {kind!r}: say size=")
    own: Mesh | None = (
        getattr(batch, "mesh", None) if mesh is None else checks.instance("mesh", mesh, Mesh)
    )
    model: _Model | None = getattr(batch, "model", None) if own is None else None
    if model is not None and kind in ("hull", "mesh"):
        own = Mesh.joined(*[part for part, _ in model.merged()])
    around: Mesh | _Model | None = model if own is None else own
    bounds = None if around is None else np.array(around.bounds, np.float64)
    if wide is None and reach is None and bounds is None:
        raise ValueError(
            "shape: the batch has no mesh that it could be taken from; say size=, radius= or mesh="
        )
    if kind in ("hull", "mesh") and own is None:
        raise ValueError(f"mesh: a {kind!r} is made of one, and the batch has none")
    if (
        kind == "hull"
        and own is not None
        and np.linalg.matrix_rank(own.positions - own.positions[0], tol=1e-6) < 3
    ):
        raise ValueError("shape: the mesh is flat, it has no hull; say shape='box' and size=")
    sides = None
    if wide is not None:
        width: float = wide[0]
        height: float = wide[1]
        depth: float = wide[2]
        sides = width, height, depth
    return SolidSpec(kind, sides, reach, own, bounds)


def make_solid(spec: SolidSpec, scale: Doubles, row: int) -> rapier3d.ColliderBuilder:
    """Rapier's builder of a row's shape. Raises `ValueError` that names the row of which none can
    be made.
    """
    collider = rapier3d.Collider
    if spec.kind in ("hull", "mesh"):
        assert spec.mesh is not None
        points = spec.mesh.positions.astype(np.float64) * scale
        check_volume(
            row,
            *(np.ptp(points, axis=0).tolist() if spec.kind == "hull" else np.abs(scale).tolist()),
        )
        if spec.kind == "hull":
            return collider.convex_hull(np.unique(points, axis=0))
        return triangles(points, spec.mesh)
    middle, size = _middle_and_size(spec, scale)
    if spec.kind == "ball":
        radius = (
            spec.radius * float(np.abs(scale).max())
            if spec.radius is not None
            else float(size.max()) / 2
        )
        check_volume(row, radius)
        return collider.ball(radius).translation(tuple(middle))
    check_volume(row, *size.tolist())
    x, y, z = (size / 2).tolist()
    if spec.kind == "box":
        made = collider.cuboid(x, y, z)
    elif spec.kind == "capsule":
        radius = max(x, z)
        made = collider.capsule_y(max(y - radius, 0.0), radius)
    elif spec.kind == "cylinder":
        made = collider.cylinder(y, max(x, z))
    else:
        made = collider.cone(y, max(x, z))
    return made.translation(tuple(middle))


def triangles(points: Doubles, mesh: Mesh) -> rapier3d.ColliderBuilder:
    """Triangles that stand still, with no edges between them on which anything could catch."""
    return rapier3d.Collider.trimesh(
        points,
        mesh.indices.reshape(-1, 3).astype(np.uint32),
        flags=rapier3d.TriMeshFlags.FIX_INTERNAL_EDGES,
    )


def _middle_and_size(spec: SolidSpec, scale: Doubles) -> tuple[Doubles, Doubles]:
    if spec.size is not None:
        return np.zeros(3), np.array(spec.size) * np.abs(scale)
    if spec.radius is not None:
        return np.zeros(3), np.full(3, 2 * spec.radius) * np.abs(scale)
    assert spec.bounds is not None
    low: Doubles = spec.bounds[0]
    high: Doubles = spec.bounds[1]
    return (low + high) / 2 * scale, (high - low) * np.abs(scale)


def check_volume(row: int, *lengths: float) -> None:
    """Raise `ValueError` for a shape that is nothing, or no number."""
    if not all(np.isfinite(lengths)) or min(lengths) <= 0:
        given = " x ".join(f"{length:g}" for length in lengths)
        raise ValueError(
            f"shape: that of row {row} would be {given} in size; scale it, or say size= or radius="
        )
