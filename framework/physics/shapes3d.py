"""Check the shape options of `Physics3D.add`, and create Rapier's colliders."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Rows
from ..geometry import exact, quaternions
from ..geometry.mesh import Mesh
from ..geometry.pairwise import cross
from .engines import rapier3d
from .shapes2d import check_lengths

SHAPES = ("box", "ball", "capsule", "cylinder", "cone", "hull", "mesh")
_SHAPES_WITH_SIZE = ("box", "capsule", "cylinder", "cone")
_ROUND_SIDES = 16


class SolidSpec(NamedTuple):
    """The checked options of `Physics3D.add` for a shape, not yet multiplied by the scale of a row."""

    kind: str
    size: tuple[float, float, float] | None
    radius: float | None
    mesh: Mesh | None
    bounds: Doubles | None
    """The lowest and the highest corner of the mesh or model. The shape is (2, 3)."""


class _Model(Protocol):
    """A model whose meshes this module converts to shapes."""

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
    """Check the shape options of `Physics3D.add`, and return a `SolidSpec`.

    If ``mesh`` is None, the mesh or the model of ``batch`` determines the shape. Raises `TypeError`
    or `ValueError` if an option is invalid. The error message begins with the name of this option.
    """
    kind = checks.choice("shape", shape, SHAPES)
    if kind == "mesh" and moves:
        raise ValueError(
            "shape: a 'mesh' cannot move; use kind='static' or 'kinematic', or shape='hull'"
        )
    sides = None if size is None else checks.vector("size", size, 3)
    if sides is not None and (sides <= 0).any():
        raise checks.wrong_value("size", "three numbers above 0", size)
    if sides is not None and kind not in _SHAPES_WITH_SIZE:
        raise ValueError(
            f"size: only {', '.join(map(repr, _SHAPES_WITH_SIZE))} have a size, not {kind!r}"
        )
    checked_radius = None if radius is None else checks.number("radius", radius, above=0)
    if checked_radius is not None and kind != "ball":
        raise ValueError(f"radius: only 'ball' has a radius, not {kind!r}; use size=")
    own, bounds = _mesh_and_bounds(mesh, batch, needs_mesh=kind in ("hull", "mesh"))
    if sides is None and checked_radius is None and bounds is None:
        raise ValueError(
            "shape: the batch has no mesh to take the shape from; use size=, radius= or mesh="
        )
    if kind in ("hull", "mesh") and own is None:
        raise ValueError(f"mesh: shape={kind!r} needs a mesh, and the batch has no mesh")
    if kind == "hull" and own is not None and _is_flat(own):
        raise ValueError("shape: the mesh is flat, so it has no hull; use shape='box' and size=")
    checked_size = None if sides is None else triple(sides)
    return SolidSpec(kind, checked_size, checked_radius, own, bounds)


def _mesh_and_bounds(
    mesh: Mesh | None, batch: object, needs_mesh: bool
) -> tuple[Mesh | None, Doubles | None]:
    """Return the mesh that determines a shape, and its bounds with the shape (2, 3). If ``mesh`` is
    None, the function uses the mesh or the model of ``batch``.

    If ``batch`` has a model, and ``needs_mesh`` is False, the returned mesh is None. If ``batch``
    has neither a mesh nor a model, both results are None.
    """
    own: Mesh | None = (
        getattr(batch, "mesh", None) if mesh is None else checks.instance("mesh", mesh, Mesh)
    )
    model: _Model | None = getattr(batch, "model", None) if own is None else None
    if model is not None and needs_mesh:
        own = Mesh.merged(*[part for part, _ in model.merged()])
    bounded: Mesh | _Model | None = model if own is None else own
    return own, None if bounded is None else np.array(bounded.bounds, np.float64)


def _is_flat(mesh: Mesh) -> bool:
    return bool(np.linalg.matrix_rank(mesh.positions - mesh.positions[0], tol=1e-6) < 3)


QUERY_SHAPES = ("box", "ball", "capsule", "cylinder", "cone", "hull")


def query_solid(
    shape: str, size: ArrayLike | None, radius: float | None, mesh: Mesh | None
) -> rapier3d.ColliderBuilder:
    """Check the shape options of a query, and return Rapier's builder for the shape.

    Raises `TypeError` or `ValueError` if an option is invalid. The error message begins with the
    name of this option.
    """
    kind = checks.choice("shape", shape, QUERY_SHAPES)
    if kind == "hull" and mesh is None:
        raise ValueError("mesh: expected the mesh of the hull, got None")
    if kind == "ball" and radius is None and mesh is None:
        raise ValueError("radius: expected the radius of the ball, got None")
    if kind in _SHAPES_WITH_SIZE and size is None and mesh is None:
        raise ValueError(f"size: expected the width, height and depth of the {kind}, got None")
    spec = checked_solid(kind, size, radius, mesh, None, moves=True)
    check_lengths(size=size, radius=radius, mesh=None if mesh is None else mesh.bounds)
    return make_solid(spec, np.ones(3), 0)


def triple(values: Doubles) -> tuple[float, float, float]:
    """Convert an array of three numbers to a tuple."""
    x, y, z = values.tolist()
    return x, y, z


def make_solid(spec: SolidSpec, scale: Doubles, row: int) -> rapier3d.ColliderBuilder:
    """Return Rapier's builder for the shape of the body of ``row``.

    Raises `ValueError` if the shape has no volume. The error message contains the index of the row.
    """
    collider = rapier3d.Collider
    if spec.kind in ("hull", "mesh"):
        return _make_from_mesh(spec, scale, row)
    center, size = _center_and_size(spec, scale)
    if spec.kind == "ball":
        radius = (
            spec.radius * float(np.abs(scale).max())
            if spec.radius is not None
            else float(size.max()) / 2
        )
        check_volume(row, radius)
        return collider.ball(radius).translation(triple(center))
    check_volume(row, *triple(size))
    x, y, z = triple(size / 2)
    if spec.kind == "box":
        builder = collider.cuboid(x, y, z)
    elif spec.kind == "capsule":
        radius = max(x, z)
        builder = collider.capsule_y(max(y - radius, 0.0), radius)
    elif spec.kind == "cylinder":
        builder = collider.cylinder(y, max(x, z))
    else:
        builder = collider.cone(y, max(x, z))
    return builder.translation(triple(center))


def _make_from_mesh(spec: SolidSpec, scale: Doubles, row: int) -> rapier3d.ColliderBuilder:
    """Return Rapier's builder for a "hull" or a "mesh", from the arguments of `make_solid`."""
    assert spec.mesh is not None
    points = spec.mesh.positions.astype(np.float64) * scale
    if spec.kind == "mesh":
        check_volume(row, *triple(np.abs(scale)))
        return triangles(points, spec.mesh)
    extent: Doubles = np.ptp(points, axis=0)
    check_volume(row, *triple(extent))
    return rapier3d.Collider.convex_hull(np.unique(points, axis=0))


def triangles(points: Doubles, mesh: Mesh) -> rapier3d.ColliderBuilder:
    """Return Rapier's builder for the triangles of ``mesh``. ``points`` contains the positions of
    the vertices.

    Rapier corrects contacts at the edges of triangles, so that sliding bodies do not get stuck
    there.
    """
    return rapier3d.Collider.trimesh(
        points,
        mesh.indices.reshape(-1, 3).astype(np.uint32),
        flags=rapier3d.TriMeshFlags.FIX_INTERNAL_EDGES,
    )


def surface(collider: rapier3d.Collider) -> Doubles:
    """Return the surface of a collider as triangles, in the coordinates of its body. The corners of
    a triangle are counter-clockwise when seen from outside.

    The shape of the array is (1, t, 3, 3) for a convex shape with t triangles. It is (t, 1, 3, 3)
    for a mesh, because the triangles of a mesh do not belong to a convex shape. Triangles without
    area are left out. The rounded parts of balls, capsules, cylinders and cones become flat sides.
    """
    points, indices = _surface_mesh(collider.shape)
    pose = collider.position_wrt_parent
    if pose is not None:
        rotation = np.array(pose.rotation.to_tuple())
        points = quaternions.rotate(rotation, points) + np.array(pose.translation.to_tuple())
    triangles = points[indices]
    corner: Doubles = triangles[:, 0]
    area = exact.norm(cross(triangles[:, 1] - corner, triangles[:, 2] - corner))
    triangles = triangles[area > 0]
    return triangles[:, None] if collider.shape.as_trimesh() is not None else triangles[None]


def _surface_mesh(shape: rapier3d.SharedShape) -> tuple[Doubles, Rows]:
    """Return the corners (n, 3) and the triangles (t, 3) of the surface of a Rapier shape."""
    mesh = shape.as_trimesh()
    if mesh is not None:
        points = mesh.vertices
        indices = mesh.indices
    elif (solid := shape.as_cuboid() or shape.as_convex_polyhedron()) is not None:
        points, indices = solid.to_trimesh()
    elif (round_solid := shape.as_cylinder() or shape.as_cone()) is not None:
        points, indices = round_solid.to_trimesh(_ROUND_SIDES)
    else:
        ball = shape.as_ball() or shape.as_capsule()
        assert ball is not None, "a body has no other shapes"
        points, indices = ball.to_trimesh(_ROUND_SIDES, _ROUND_SIDES // 2)
    return np.asarray(points, np.float64), np.asarray(indices, np.intp)


def _center_and_size(spec: SolidSpec, scale: Doubles) -> tuple[Doubles, Doubles]:
    if spec.size is not None:
        return np.zeros(3), np.array(spec.size) * np.abs(scale)
    if spec.radius is not None:
        return np.zeros(3), np.full(3, 2 * spec.radius) * np.abs(scale)
    assert spec.bounds is not None
    low: Doubles = spec.bounds[0]
    high: Doubles = spec.bounds[1]
    return (low + high) / 2 * scale, (high - low) * np.abs(scale)


def check_volume(row: int, *lengths: float) -> None:
    """Raise `ValueError` if a number in ``lengths`` is 0, negative, NaN or infinite. ``lengths``
    are dimensions of the shape of ``row``, such as its width.
    """
    if not all(np.isfinite(lengths)) or min(lengths) <= 0:
        size = " x ".join(f"{length:g}" for length in lengths)
        repair = "scale it, or use size= or radius="
        if len(lengths) == 3 and lengths[1] == 0 and min(lengths[0], lengths[2]) > 0:
            repair = "for a flat floor, write physics.add_floor(0), or shape='mesh', kind='static'"
        raise ValueError(f"shape: the shape of row {row} would be {size} in size; {repair}")
