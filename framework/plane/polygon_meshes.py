"""Compute the corners and texture coordinates of boxes, 9-slices and outlines.

The shader draws each corner at ``parts * size + margin``, where ``size`` is the current size of the
polygon, ``parts`` contains fractions of this size, and ``margin`` is a distance in units. The
texture coordinates of a corner are ``at + per_unit * size + pixels / image size``: 0 is one edge of
the image, and 1 is the opposite edge. ``parts``, ``at``, ``per_unit`` and ``pixels`` together
determine whether the image is stretched, tiled or sliced.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Floats, Rows

TEXELS = 5
"""The number of texels per corner. One more texel precedes the corners of a mesh."""
_STRETCHED = 1
_TILED = 2
_SLICED = 3
_MAX_MITER = 2.0  # maximum length of a corner in half pixels (sharper corners are cut off)


class PolygonMesh(NamedTuple):
    """A mesh with one row per corner. ``triangles`` contains three corner indices for each
    triangle, and has the shape (m, 3).
    """

    points: Doubles
    """The positions of the corners. The outline is computed from these positions. The array has the
    shape (n, 2).
    """
    triangles: Rows
    parts: Doubles
    margin: Doubles
    at: Doubles
    per_unit: Doubles
    pixels: Doubles
    colors: Doubles
    kind: int
    per_out: Doubles
    """How much of the image is shown per unit outside the outline. For a stretched mesh, the
    polygon's size replaces the unit.
    """
    margins: tuple[float, float] = (0.0, 0.0)
    """The sum of the left and the right margin, and the sum of the bottom and the top margin, in
    units.
    """


def box(pivot: tuple[float, float], tile: tuple[float, float] | None) -> PolygonMesh:
    """Return the mesh of a box. If ``tile`` is None, the box shows the image once. If ``tile`` is
    set, the box shows tiles of ``tile`` units.

    ``pivot`` is the point of the box that is at the polygon's position. A ``pivot`` of (0, 0) is
    the bottom left corner of the box, and a ``pivot`` of (1, 1) is the top right corner.
    """
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    none = np.zeros((4, 2))
    return PolygonMesh(
        points=corners,
        triangles=np.array([[0, 1, 2], [0, 2, 3]]),
        parts=corners - pivot,
        margin=none,
        at=corners if tile is None else none,
        per_unit=none if tile is None else corners / tile,
        pixels=none,
        colors=np.ones((4, 4)),
        kind=_STRETCHED if tile is None else _TILED,
        per_out=np.ones(2) if tile is None else 1 / np.array(tile),
    )


def sliced(pivot: tuple[float, float], slices: tuple[float, float, float, float]) -> PolygonMesh:
    """Return the mesh of a 9-slice, which is a box with four border strips of constant width.

    ``slices`` are the widths of the left, bottom, right and top strips, in pixels of the image. A
    strip that is 8 pixels wide in the image is 8 units wide.
    """
    left, bottom, right, top = slices
    # Each row has four numbers for one axis: the fraction of the size, the margin in units, the
    # fraction of the image, and the pixels of the image.
    columns = np.array([[0, 0, 0, 0], [0, left, 0, left], [1, -right, 1, -right], [1, 0, 1, 0]])
    rows = np.array([[0, 0, 0, 0], [0, bottom, 0, bottom], [1, -top, 1, -top], [1, 0, 1, 0]])
    across = np.tile(np.arange(4), 4)
    up = np.repeat(np.arange(4), 4)
    both = np.stack([columns[across], rows[up]], axis=2)  # the shape is (16, 4, 2)
    corners = (4 * np.arange(3)[:, None] + np.arange(3)).reshape(-1, 1, 1)
    cell = np.array([[0, 1, 5], [0, 5, 4]])  # the two triangles of the first of the nine cells
    return PolygonMesh(
        points=np.column_stack([across, up]).astype(float),
        triangles=(corners + cell).reshape(-1, 3),
        parts=both[:, 0] - pivot,
        margin=both[:, 1],
        at=both[:, 2],
        per_unit=np.zeros((16, 2)),
        pixels=both[:, 3],
        colors=np.ones((16, 4)),
        kind=_SLICED,
        per_out=np.ones(2),
        margins=(left + right, bottom + top),
    )


def polygon(
    points: Doubles,
    triangles: Rows,
    uvs: Doubles | None,
    tile: tuple[float, float] | None,
    colors: Doubles,
) -> tuple[PolygonMesh, Doubles]:
    """Return the mesh of the polygon ``points``, and the size of its bounding box. ``points`` has
    the shape (n, 2).

    ``uvs`` contains one texture coordinate per point, from 0 to 1, and has the shape (n, 2). If
    neither ``uvs`` nor ``tile`` is set, the image is stretched over the bounding box. With
    ``tile``, the image repeats every ``tile`` units, starting at (0, 0).
    """
    low: Doubles = points.min(axis=0)
    high: Doubles = points.max(axis=0)
    size: Doubles = np.where(high > low, high - low, 1.0)
    middle = (low + high) / 2
    parts: Doubles = (points - middle) / size
    none = np.zeros_like(points)
    offset: Doubles = np.broadcast_to(middle, points.shape)
    kind = 0
    per_out = np.zeros(2)
    per_unit = none
    if tile is not None:
        kind = _TILED
        per_out = 1 / np.array(tile)
        per_unit = parts / tile
        uvs = offset / tile
    elif uvs is None:
        kind = _STRETCHED
        per_out = np.ones(2)
        uvs = parts + 0.5
    mesh = PolygonMesh(
        points=points,
        triangles=triangles,
        parts=parts,
        margin=offset,
        at=uvs,
        per_unit=per_unit,
        pixels=none,
        colors=colors,
        kind=kind,
        per_out=per_out,
    )
    return mesh, size


def texels(mesh: PolygonMesh) -> Floats:
    """Return a mesh as texels, which the shader reads from a texture. For m triangles, the array is
    float32 with the shape (1 + 5 · 3m, 4).
    """
    triangles = _counter_clockwise(mesh.points, mesh.triangles)
    edges, outward = _outline(mesh.points, triangles)
    rows = triangles.reshape(-1)
    rows_of_mesh = np.zeros((1 + TEXELS * len(rows), 4), np.float32)
    rows_of_mesh[0, :3] = len(rows), *mesh.margins
    corners = rows_of_mesh[1:].reshape(-1, TEXELS, 4)
    corners[:, 0] = np.hstack([mesh.parts, mesh.margin])[rows]
    corners[:, 1] = np.hstack([mesh.at, mesh.per_unit])[rows]
    corners[:, 2] = mesh.colors[rows]
    corners[:, 3] = np.hstack([mesh.pixels, outward])[rows]
    corners[:, 4, :2] = mesh.per_out
    corners[:, 4, 2] = np.repeat(edges, 3)
    corners[:, 4, 3] = mesh.kind
    return rows_of_mesh


def _counter_clockwise(points: Doubles, triangles: Rows) -> Rows:
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    clockwise = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) < (b[:, 1] - a[:, 1]) * (
        c[:, 0] - a[:, 0]
    )
    turned = triangles.copy()
    turned[clockwise] = turned[clockwise][:, ::-1]
    return turned


def _outline(points: Doubles, triangles: Rows) -> tuple[Rows, Doubles]:
    """Find the triangle sides that form the outline of the mesh. Also find the outward direction of
    each corner, for smooth edges.

    The returned sides have the shape (m,), with three bits for each triangle. Bit 0, 1 or 2 is set
    if the side opposite corner 0, 1 or 2 is on the outline. The returned directions have the shape
    (n, 2), with one vector for each corner. If each corner is moved by its vector, the outline
    moves outwards by 1 unit.
    """
    # For each corner, the side opposite to it.
    sides = np.stack([np.roll(triangles, -1, axis=1), np.roll(triangles, -2, axis=1)], axis=2)
    keys = [tuple(side) for side in np.sort(sides, axis=2).reshape(-1, 2).tolist()]
    counted = Counter(keys)
    outer = np.array([counted[key] == 1 for key in keys]).reshape(-1, 3)
    bits: Rows = outer @ np.array([1, 2, 4])
    return bits, _outward(points, *sides[outer].T)


def _outward(points: Doubles, first: Rows, second: Rows) -> Doubles:
    """Return the vector by which each point moves if the outline moves outwards by 1 unit. The array
    has the shape (n, 2).

    ``first`` and ``second`` contain the two ends of each side of the outline, counter-clockwise.
    """
    along: Doubles = points[second] - points[first]
    # normals to the right of a counter-clockwise edge, so outside the polygon
    normals = np.column_stack([along[:, 1], -along[:, 0]])
    normals /= np.maximum(np.hypot(*along.T), 1e-12)[:, None]
    total = np.zeros_like(points)
    for ends in (first, second):
        np.add.at(total, ends, normals)
    # The squared length of the sum of two normals is 2 + 2 cos. The miter, the vector to the corner
    # of the outer edge, is this sum divided by 1 + cos.
    reach: Doubles = np.maximum((total * total).sum(axis=1) / 2, 1e-12)
    outward: Doubles = total / reach[:, None]
    lengths = np.hypot(outward[:, 0], outward[:, 1])
    outward /= np.maximum(lengths / _MAX_MITER, 1.0)[:, None]
    return outward
