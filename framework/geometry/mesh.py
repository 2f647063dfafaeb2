"""Triangle meshes as NumPy arrays, with built-in shapes such as boxes and spheres."""

from __future__ import annotations

__all__ = ["Mesh"]

import math
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Floats, Reals
from ..moved_names import HasMoved, moved
from ..other_engines.mesh_names import mesh_names
from . import exact, quaternions
from .ray_hits import Triangles

# For larger meshes, prepared triangles would need too much memory, so they are prepared again for
# each ray.
_MAX_PREPARED = 1 << 12

MAX_VERTICES = 1 << 26
"""The maximum number of vertices of a mesh."""


@moved("mesh", {"placed": "transformed", "colored": "with_color", "joined": "merged"})
@mesh_names
class Mesh(HasMoved, checks.Sealed):
    """A 3D shape made of triangles: NumPy arrays of positions, normals, colors and texture
    coordinates.

    The front of a triangle is the side from which its corners appear counter-clockwise. A mesh
    never changes. The arrays of a mesh are read-only, and the methods return new meshes. Therefore,
    drawing, `pick` and physics always use the same triangles. To change vertices, create a new mesh
    from changed arrays:

        positions = mesh.positions.copy()
        positions[:, 1] += hills
        mesh = fw.Mesh(positions, mesh.indices, uvs=mesh.uvs)

    Raises `ValueError` or `TypeError` if an array has the wrong shape, a number is not finite, or
    an index has no vertex. The error message contains the name of this argument.

    Parameters
    ----------
    positions
        The positions of the vertices, in units: an array of shape (n, 3).
    indices
        The indices of the three vertices of each triangle: an integer array of shape (3 m,) for m
        triangles. By default, the vertices 0, 1 and 2 form the first triangle, the vertices 3, 4
        and 5 form the second triangle, and so on.
    normals
        The normal of each vertex, a vector of length 1: an array of shape (n, 3). By default, the
        normals are computed from the triangles. With computed normals, the surface looks smooth
        where triangles share a vertex.
    uvs
        The texture coordinates of each vertex: an array of shape (n, 2). The upper left corner of
        the image has the texture coordinates (0, 0), as in glTF. Default: 0.
    colors
        The color of each vertex, as linear color values: an array of shape (n, 4) or (n, 3). The
        color of each vertex is multiplied by the color of the material. Default: white.
    tangents
        The tangent of each vertex, for normal maps: an array of shape (n, 4). The fourth number of
        a tangent, 1 or -1, is the sign of the bitangent. By default, tangents are computed from
        ``uvs``.
    second_uvs
        A second set of texture coordinates, for textures with the option ``uv_set=1``: an array of
        shape (n, 2). See `Texture`. By default, textures with ``uv_set=1`` use ``uvs`` too.
    """

    __slots__ = (
        "_reach",
        "_triangles",
        "bounds",
        "center",
        "colors",
        "indices",
        "normals",
        "positions",
        "radius",
        "second_uvs",
        "tangents",
        "uvs",
    )

    not_state = True

    def __init__(
        self,
        positions: ArrayLike,
        indices: ArrayLike | None = None,
        *,
        normals: ArrayLike | None = None,
        uvs: ArrayLike | None = None,
        colors: ArrayLike | None = None,
        tangents: ArrayLike | None = None,
        second_uvs: ArrayLike | None = None,
    ) -> None:
        self.positions = _floats("positions", positions, (None, 3))
        n = len(self.positions)
        if not n or n > MAX_VERTICES:
            raise ValueError(f"positions: expected 1 to {MAX_VERTICES:,} vertices, got {n:,}")
        self.indices = _indices(np.arange(n) if indices is None else indices, n)
        self.normals = (
            self._smooth_normals() if normals is None else _floats("normals", normals, (n, 3))
        )
        self.uvs = np.zeros((n, 2), np.float32) if uvs is None else _floats("uvs", uvs, (n, 2))
        self.colors = (
            np.ones((n, 4), np.float32) if colors is None else _colors("colors", colors, n)
        )
        self.second_uvs = None if second_uvs is None else _floats("second_uvs", second_uvs, (n, 2))
        self.tangents = (
            self._computed_tangents() if tangents is None else _floats("tangents", tangents, (n, 4))
        )
        low: Reals = self.positions.min(axis=0)
        high: Reals = self.positions.max(axis=0)
        self.bounds: tuple[Floats, Floats] = (low, high)
        """The lowest and the highest corner of the bounding box, in units: two arrays of shape
        (3,).
        """
        middle: Reals = (low + high) / 2
        self.center: Floats = middle
        """The center of the bounding box, in units: an array of shape (3,)."""
        squared: Floats = ((self.positions - self.center) ** 2).sum(axis=1)
        self.radius = float(np.sqrt(squared.max()))
        """The radius of a sphere around `center` that contains all vertices, in units."""
        self._reach = self.radius + float(np.linalg.norm(middle))
        self._triangles: Triangles | None = None  # prepared when the first ray is cast
        arrays = self.normals, self.uvs, self.colors, self.tangents, self.second_uvs, low, high
        for array in (self.positions, self.indices, middle, *arrays):
            if array is not None:
                array.setflags(write=False)

    def __setattr__(self, name: str, value: object) -> None:
        if name in _FIXED and hasattr(self, name):
            raise AttributeError(
                f"Mesh.{name}: a mesh never changes; make a new mesh: fw.Mesh(positions, "
                "mesh.indices), or mesh.transformed(…), and a batch that shows it"
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<Mesh of {self.triangle_count:,} triangles>"

    @property
    def triangle_count(self) -> int:
        """The number of triangles."""
        return len(self.indices) // 3

    def vertices(self) -> Floats:
        """Return one array with all attributes of the vertices, in the memory layout of the GPU.
        The array has the dtype float32 and the shape (n, 16).
        """
        return np.concatenate(
            [self.positions, self.normals, self.uvs, self.tangents, self.colors], axis=1
        )

    def transformed_by(self, matrix: ArrayLike) -> Mesh:
        """Return a copy of the mesh, transformed by a matrix of shape (4, 4) for row vectors: each
        vertex v becomes ``v @ matrix``.

        If the matrix mirrors the mesh, the method reverses the order of each triangle's corners, so
        that the front still faces outward. Raises `ValueError` if the matrix cannot be inverted.
        """
        m = checks.numbers("matrix", matrix, (4, 4))
        turn = m[:3, :3]
        # Normals need the transposed inverse of the matrix. This is `across` divided by the
        # determinant.
        across = np.cross(
            turn[[1, 2, 0]],
            turn[[2, 0, 1]],
        )
        determinant: float = exact.dot(turn[0], across[0])
        if abs(determinant) < 1e-30:
            raise checks.wrong_value("matrix", "an invertible matrix", matrix)
        normals = exact.matmul(self.normals, across / determinant)
        tangents = self.tangents.copy()
        tangents[:, :3] = exact.matmul(tangents[:, :3], turn)
        indices = self.indices
        if determinant < 0:  # the mesh is mirrored, so its front and back sides are swapped
            indices = indices.reshape(-1, 3)[:, ::-1].reshape(-1)
            tangents[:, 3] *= -1
        return Mesh(
            exact.matmul(self.positions, turn) + m[3, :3],
            indices,
            normals=normals / np.maximum(exact.norm(normals)[:, None], 1e-30),
            uvs=self.uvs,
            colors=self.colors,
            tangents=tangents,
            second_uvs=self.second_uvs,
        )

    def transformed(
        self,
        position: tuple[float, float, float] = (0.0, 0.0, 0.0),
        rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        scale: float | tuple[float, float, float] = 1.0,
    ) -> Mesh:
        """Return a copy of the mesh that is first scaled, then rotated, then moved.

        Use `transformed` to build an object from several meshes:

            hat = fw.Mesh.merged(fw.Mesh.cone(), fw.Mesh.cylinder(1, 0.1).transformed((0, -0.5, 0)))

        Parameters
        ----------
        position
            The displacement of the mesh, in units: x, y and z.
        rotation
            The rotation of the mesh, as a quaternion x y z w of any length above 0.
        scale
            One factor for all axes, or three factors for x, y and z. No scale factor may be 0.

        To transform a mesh by a matrix, call `transformed_by`.
        """
        if checks.ndim(position) == 2:
            raise ValueError(
                "position: expected three numbers, got a matrix; call mesh.transformed_by(matrix)"
            )
        q = checks.numbers("rotation", rotation, (4,))
        if not q.any():
            raise checks.wrong_value("rotation", "a quaternion x y z w, not all 0", rotation)
        three = (scale,) * 3 if checks.ndim(scale) == 0 else scale
        factors = checks.vector("scale", three, 3)
        if not factors.all():
            raise checks.wrong_value("scale", "one or three numbers other than 0", scale)
        m = np.eye(4)
        m[:3, :3] = quaternions.matrices((q / exact.norm(q))[None])[0] * factors[:, None]
        m[3, :3] = checks.vector("position", position, 3)
        return self.transformed_by(m)

    def with_color(self, color: ArrayLike) -> Mesh:
        """Return a copy of the mesh with the color ``color`` at all vertices.

        ``color`` is a color string, or three or four linear color values. You may also pass one row
        of numbers for each vertex.
        """
        if isinstance(color, str):
            color = checks.color("color", color, as_light=True)
        n = len(self.positions)
        colors = _colors("color", np.tile(color, (n, 1)) if checks.ndim(color) == 1 else color, n)
        colors.setflags(write=False)
        recolored = copy(self)
        object.__setattr__(recolored, "colors", colors)
        return recolored

    def flat(self) -> Mesh:
        """Return a copy of the mesh for flat shading: the edges between triangles are visible. The
        triangles of the copy share no vertices, and all corners of a triangle have the same normal.
        """
        vertices = self.indices
        second = None if self.second_uvs is None else self.second_uvs[vertices]
        return Mesh(
            self.positions[vertices],
            uvs=self.uvs[vertices],
            colors=self.colors[vertices],
            second_uvs=second,
        )

    @staticmethod
    def merged(*meshes: Mesh) -> Mesh:
        """Return one mesh with the triangles of all ``meshes``."""
        if not meshes:
            raise ValueError("meshes: expected at least one mesh, got none")
        for mesh in meshes:
            checks.instance("meshes", mesh, Mesh)
        second = None
        if any(mesh.second_uvs is not None for mesh in meshes):
            second = np.concatenate(
                [mesh.uvs if mesh.second_uvs is None else mesh.second_uvs for mesh in meshes]
            )
        starts = np.cumsum([0, *[len(mesh.positions) for mesh in meshes[:-1]]])
        return Mesh(
            np.concatenate([mesh.positions for mesh in meshes]),
            np.concatenate(
                [mesh.indices + start for mesh, start in zip(meshes, starts, strict=True)]
            ),
            normals=np.concatenate([mesh.normals for mesh in meshes]),
            uvs=np.concatenate([mesh.uvs for mesh in meshes]),
            colors=np.concatenate([mesh.colors for mesh in meshes]),
            tangents=np.concatenate([mesh.tangents for mesh in meshes]),
            second_uvs=second,
        )

    def _smooth_normals(self) -> Floats:
        """For each vertex, return the mean normal of the triangles at the vertex. Large triangles
        have more weight in the mean than small triangles.
        """
        corners = self.positions[self.indices].reshape(-1, 3, 3).astype(np.float64)
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return _unit(self._summed(faces), (0, 1, 0))

    def _summed(self, triangles: Doubles) -> Doubles:
        """For each vertex, add the vectors of its triangles. ``triangles`` contains one vector per
        triangle. The sums have the shape (n, 3).
        """
        corners = np.repeat(triangles, 3, axis=0)
        count = len(self.positions)
        # `np.add.at` is slower than `np.bincount`.
        return np.column_stack([np.bincount(self.indices, along, count) for along in corners.T])

    def _computed_tangents(self) -> Floats:
        """For each vertex, return the tangent: the direction in which the texture coordinate u
        increases.

        The method is from Lengyel's article "Computing Tangent Space Basis Vectors".
        """
        toward_u, toward_v = self._texture_directions()
        along = self._summed(toward_u)
        normals = self.normals.astype(np.float64)
        ahead: Doubles = (normals * along).sum(axis=1, keepdims=True)
        flat = along - normals * ahead
        missing = np.cross(normals, np.where(np.abs(normals[:, :1]) < 0.9, (1, 0, 0), (0, 1, 0)))
        squared: Doubles = (flat**2).sum(axis=1, keepdims=True)
        tangents = _unit(np.where(squared > 1e-20, flat, missing), (1, 0, 0))
        # In glTF, v grows downward in the image, so the bitangent points against the direction in
        # which v grows.
        bitangents = -self._summed(toward_v)
        against: Doubles = (np.cross(normals, tangents) * bitangents).sum(axis=1)
        side = np.where(against < 0, -1.0, 1.0)
        return np.column_stack([tangents, side]).astype(np.float32)

    def _texture_directions(self) -> tuple[Doubles, Doubles]:
        """For each triangle, return the displacement in space if the texture coordinate u grows by
        1, and the displacement if v grows by 1: two arrays of shape (m, 3).
        """
        corners = self.positions[self.indices].reshape(-1, 3, 3).astype(np.float64)
        uv = self.uvs[self.indices].reshape(-1, 3, 2).astype(np.float64)
        edges = corners[:, 1:] - corners[:, :1]
        uv_edges = uv[:, 1:] - uv[:, :1]
        area = uv_edges[:, 0, 0] * uv_edges[:, 1, 1] - uv_edges[:, 1, 0] * uv_edges[:, 0, 1]
        share = np.where(np.abs(area) > 1e-20, 1 / np.where(area == 0, 1, area), 0)[:, None]
        toward_u = (edges[:, 0] * uv_edges[:, 1, 1:] - edges[:, 1] * uv_edges[:, 0, 1:]) * share
        toward_v = (edges[:, 1] * uv_edges[:, 0, :1] - edges[:, 0] * uv_edges[:, 1, :1]) * share
        return toward_u, toward_v

    # -- shapes ------------------------------------------------------------------------------------

    @staticmethod
    def cube(size: float = 1.0) -> Mesh:
        """Return a cube with its center at (0, 0, 0). The edges of the cube are ``size`` units
        long.

        Each face of the cube shows the whole image of the material.
        """
        return Mesh.box((size, size, size))

    @staticmethod
    def box(size: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Mesh:
        """Return a box with its center at (0, 0, 0). ``size`` contains the lengths of the box along
        x, y and z, in units.

        Each face of the box shows the whole image of the material.
        """
        corners = []
        normals = []
        for axis in range(3):
            for side in (1.0, -1.0):
                normal = np.zeros(3)
                normal[axis] = side
                up = np.array([0.0, 0.0, -side]) if axis == 1 else np.array([0.0, 1.0, 0.0])
                right = np.cross(up, normal)
                corners += [
                    normal - right + up,
                    normal + right + up,
                    normal + right - up,
                    normal - right - up,
                ]
                normals += [normal] * 4
        positions = np.array(corners) * _lengths("size", size, 3) / 2
        quads = np.arange(6)[:, None] * 4 + np.array([0, 3, 2, 0, 2, 1])
        uvs = np.tile([(0, 0), (1, 0), (1, 1), (0, 1)], (6, 1))
        return Mesh(positions, quads.reshape(-1), normals=normals, uvs=uvs)

    @staticmethod
    def plane(size: tuple[float, float] = (1.0, 1.0), pieces: int = 1) -> Mesh:
        """Return a horizontal rectangle. The front of the rectangle faces up. The center of the
        rectangle is (0, 0, 0).

        ``size`` contains the lengths of the rectangle along x and z, in units. The rectangle is
        divided into ``pieces`` × ``pieces`` equal parts. You need more than one part if a shader
        moves the vertices, for example for waves.
        """
        width: float
        depth: float
        width, depth = _lengths("size", size, 2)
        pieces = _pieces("pieces", pieces, 1)
        uvs = grid_uvs(pieces, pieces)
        u, v = uvs.T
        positions = np.column_stack([(u - 0.5) * width, np.zeros_like(u), (v - 0.5) * depth])
        normals = np.tile((0.0, 1.0, 0.0), (len(positions), 1))
        return Mesh(positions, grid_indices(pieces, pieces), normals=normals, uvs=uvs)

    @staticmethod
    def sphere(radius: float = 0.5, segments: int = 32) -> Mesh:
        """Return a sphere with its center at (0, 0, 0).

        ``segments`` is the number of faces around the y axis. The sphere has half as many faces
        from pole to pole.
        """
        radius = _length("radius", radius)
        segments = _pieces("segments", segments, 3)
        rings = max(2, segments // 2)
        angle = np.linspace(0, math.pi, rings + 1)
        sin, cos = exact.sincos(angle)
        return _turned(radius * sin, radius * cos, sin, cos, segments)

    @staticmethod
    def cylinder(radius: float = 0.5, height: float = 1.0, segments: int = 32) -> Mesh:
        """Return a cylinder along the y axis, closed at both ends. The center of the cylinder is
        (0, 0, 0).
        """
        return Mesh.cone(radius, height, segments, top=radius)

    @staticmethod
    def cone(
        radius: float = 0.5, height: float = 1.0, segments: int = 32, *, top: float = 0.0
    ) -> Mesh:
        """Return a cone along the y axis, with its tip up and a closed base. The center of the cone
        is (0, 0, 0).

        ``top`` is the radius of the upper end. By default, ``top`` is 0, so the cone has a pointed
        tip. If ``top`` is above 0, the upper end is a closed disk instead of a tip.
        """
        radius = _length("radius", radius)
        height = _length("height", height)
        segments = _pieces("segments", segments, 3)
        top = checks.number("top", top, least=0)
        half = height / 2
        slope = exact.hypot(height, radius - top)
        out = height / slope
        up = (radius - top) / slope
        rings = [
            ((top, radius), (half, -half), (out, out), (up, up)),
            ((radius, 0.0), (-half, -half), (0, 0), (-1, -1)),
        ]
        if top:
            rings.insert(0, ((0.0, top), (half, half), (0, 0), (1, 1)))
        return Mesh.merged(
            *[
                _turned(np.array(r), np.array(y), np.array(o), np.array(u), segments)
                for r, y, o, u in rings
            ]
        )

    @staticmethod
    def torus(radius: float = 0.5, tube: float = 0.2, segments: int = 32) -> Mesh:
        """Return a ring around the y axis.

        ``radius`` is the distance from the center to the middle of the tube. ``tube`` is the radius
        of the tube itself.
        """
        radius = _length("radius", radius)
        tube = _length("tube", tube)
        angle = np.linspace(0, 2 * math.pi, _pieces("segments", segments, 3) + 1)
        sin, cos = exact.sincos(angle)
        return _turned(radius + tube * cos, -tube * sin, cos, -sin, segments)

    @staticmethod
    def capsule(radius: float = 0.5, height: float = 2.0, segments: int = 32) -> Mesh:
        """Return a capsule along the y axis: a cylinder with a half sphere at each end.

        ``height`` is the total height, including both half spheres. ``height`` must be at least
        twice the radius.
        """
        radius = _length("radius", radius)
        height = _length("height", height)
        if height < 2 * radius:
            raise checks.wrong_value("height", f"at least twice the radius, {2 * radius:g}", height)
        segments = _pieces("segments", segments, 3)
        angle = np.linspace(0, math.pi / 2, max(2, segments // 4) + 1)
        angle = np.concatenate([angle, math.pi / 2 + angle])
        ends = np.where(np.arange(len(angle)) < len(angle) // 2, 1, -1) * (height / 2 - radius)
        sin, cos = exact.sincos(angle)
        return _turned(radius * sin, radius * cos + ends, sin, cos, segments)


def _turned(radius: Doubles, height: Doubles, out: Doubles, up: Doubles, segments: int) -> Mesh:
    """Return the mesh of a solid of revolution, such as a cone. The solid is created by turning a
    profile (a line of points) around the y axis.

    ``radius`` and ``height`` are the coordinates of the profile's points, from top to bottom.
    ``radius`` and ``height`` have the shape (rings,). ``out`` and ``up`` are the components of the
    normals at the profile's points: away from the axis, and along the axis.
    """
    angle = np.linspace(0, 2 * math.pi, segments + 1)
    sin, cos = exact.sincos(angle)
    ones = np.ones(segments + 1)

    def around(out: Doubles, up: Doubles) -> Doubles:
        vectors = [np.outer(out, sin), np.outer(up, ones), np.outer(out, cos)]
        return np.stack(vectors, axis=-1).reshape(-1, 3)

    positions = around(radius, height)
    return Mesh(
        positions,
        _with_area(positions, grid_indices(segments, len(radius) - 1)),
        normals=_unit(around(out, up), (0, 1, 0)),
        uvs=grid_uvs(segments, len(radius) - 1),
    )


def _with_area(positions: Doubles, indices: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the indices without the triangles of area 0, such as those at the poles of a sphere."""
    triangles = indices.reshape(-1, 3)
    corners = positions[triangles]
    area: Doubles = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    has_area = area > 1e-12 * max(1e-30, float(np.abs(positions).max()) ** 2)
    return triangles[has_area].reshape(-1)


def grid_indices(across: int, down: int) -> NDArray[np.uint32]:
    """Return the vertex indices of a grid, with two triangles for each square.

    The vertices of the grid are numbered row by row. Seen from the front of a triangle, the texture
    coordinate u increases to the right, and v increases downwards.
    """
    below = across + 1
    first = (
        np.arange(down, dtype=np.uint32)[:, None] * below + np.arange(across, dtype=np.uint32)
    ).reshape(-1, 1)
    corners = np.array([0, below, below + 1, 0, below + 1, 1], np.uint32)
    return (first + corners).reshape(-1).astype(np.uint32)


def grid_uvs(across: int, down: int) -> Doubles:
    """Return the texture coordinates of a grid's vertices, in the order of `grid_indices`. The
    image is stretched over the whole grid. The returned array has the shape (n, 2).
    """
    u, v = np.meshgrid(np.linspace(0, 1, across + 1), np.linspace(0, 1, down + 1))
    return np.stack([u, v], axis=-1).reshape(-1, 2)


def _unit(vectors: Doubles, instead: tuple[float, float, float]) -> Floats:
    squared: Doubles = (vectors**2).sum(axis=1, keepdims=True)
    length = np.sqrt(squared)
    return np.where(length > 1e-20, vectors / np.maximum(length, 1e-20), instead).astype(np.float32)


def _floats(name: str, value: ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    return _owned(checks.numbers(name, value, shape, dtype=np.float32))


def _owned(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that the game cannot change later. If ``array`` is writable, the function
    copies it.
    """
    return array.copy() if array.flags.writeable else array


def _colors(name: str, value: ArrayLike, rows: int) -> Floats:
    if checks.ndim(value) == 2 and np.shape(value)[1] == 3:
        value = np.column_stack([value, np.ones(len(np.asarray(value)))])
    return _floats(name, value, (rows, 4))


def _indices(value: ArrayLike, vertices: int) -> NDArray[np.uint32]:
    array = checks.whole_numbers("indices", value, (None,), vertices)
    if len(array) % 3 or not len(array):
        raise ValueError(
            f"indices: expected three per triangle, and at least one triangle, got {len(array):,}"
        )
    return _owned(np.ascontiguousarray(array, np.uint32))


def _length(name: str, value: float) -> float:
    return checks.number(name, value, above=0)


def _lengths(name: str, values: tuple[float, ...], count: int) -> Doubles:
    lengths = checks.vector(name, values, count)
    if (lengths <= 0).any():
        raise checks.wrong_value(name, f"{count} numbers above 0", values)
    return lengths


def _pieces(name: str, value: int, minimum: int) -> int:
    return checks.whole(name, value, minimum, 4096)


_FIXED = frozenset(name for name in Mesh.__slots__ if name[0] != "_")


def reach_of(mesh: Mesh) -> float:
    """Return the largest distance from (0, 0, 0) to a vertex, in units: the radius of a sphere
    around (0, 0, 0) that contains the mesh.
    """
    return mesh._reach


def triangles_of(mesh: Mesh) -> Triangles:
    """Return the triangles of a mesh, prepared for `Triangles.nearest_hit`. The triangles are in
    the order of the indices.
    """
    triangles = mesh._triangles
    if triangles is None:
        corners = mesh.positions[mesh.indices].reshape(-1, 3, 3).astype(np.float64)
        triangles = Triangles.of(corners)
        if len(corners) <= _MAX_PREPARED:
            mesh._triangles = triangles
    return triangles
