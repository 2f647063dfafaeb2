"""Meshes of textured polygons, as rows of numbers that shaders/polygons.vert reads.

Each corner of a triangle lies at ``parts * size + margin``, where ``size`` is that of the polygon
just then, and shows the image at ``at + per_unit * size + pixels / image size``: so a box is
stretched, tiled, or keeps its corners.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from ..arrays import Doubles, Floats, Rows

TEXELS = 5
"""Of each corner, after one of the mesh's own."""
_STRETCHED, _TILED, _SLICED = 1, 2, 3
_MOST_OUT = 2.0  # of a corner, in half pixels: sharper ones are cut off


class Patch(NamedTuple):
    """A mesh: a row each corner but ``triangles`` (m, 3), which are the numbers of corners, in
    either direction.
    """

    places: Doubles
    """Where they are in one size: (n, 2). What the outline is is found from it."""
    triangles: Rows
    parts: Doubles
    margin: Doubles
    at: Doubles
    per_unit: Doubles
    pixels: Doubles
    colors: Doubles
    kind: int
    per_out: Doubles
    """How far the image goes on beyond the outline: of the image, a unit; where it is stretched,
    the whole size.
    """
    margins: tuple[float, float] = (0.0, 0.0)
    """Units of both margins along x and along y."""


def box(pivot: tuple[float, float], tile: tuple[float, float] | None) -> Patch:
    """A box, with the image once in it, or as tiles of so many units; ``pivot`` is the part of it
    that is at 0.
    """
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    none, white = np.zeros((4, 2)), np.ones((4, 4))
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    parts = corners - pivot
    if tile is None:
        return Patch(
            corners, triangles, parts, none, corners, none, none, white, _STRETCHED, np.ones(2)
        )
    per_unit = corners / tile
    return Patch(
        corners, triangles, parts, none, none, per_unit, none, white, _TILED, 1 / np.array(tile)
    )


def sliced(pivot: tuple[float, float], slices: tuple[float, float, float, float]) -> Patch:
    """A box whose left, bottom, right and top strips of so many pixels keep their width, a unit a
    pixel.
    """
    left, bottom, right, top = slices
    # Along each axis: the part of the size, the margin in units, the part of the image, pixels of
    # the image.
    columns = np.array([[0, 0, 0, 0], [0, left, 0, left], [1, -right, 1, -right], [1, 0, 1, 0]])
    rows = np.array([[0, 0, 0, 0], [0, bottom, 0, bottom], [1, -top, 1, -top], [1, 0, 1, 0]])
    across, up = np.tile(np.arange(4), 4), np.repeat(np.arange(4), 4)
    both = np.stack([columns[across], rows[up]], axis=2)  # (16, 4, 2)
    triangles: list[list[int]] = []
    for row in range(3):
        for column in range(3):
            corner = 4 * row + column
            triangles += [[corner, corner + 1, corner + 5], [corner, corner + 5, corner + 4]]
    places = np.column_stack([across, up]).astype(float)
    return Patch(
        places,
        np.array(triangles),
        both[:, 0] - pivot,
        both[:, 1],
        both[:, 2],
        np.zeros((16, 2)),
        both[:, 3],
        np.ones((16, 4)),
        _SLICED,
        np.ones(2),
        (left + right, bottom + top),
    )


def polygon(
    points: Doubles,
    triangles: Rows,
    uvs: Doubles | None,
    tile: tuple[float, float] | None,
    colors: Doubles,
) -> tuple[Patch, Doubles]:
    """A mesh of points (n, 2), and the size of its box. ``uvs`` (n, 2) are parts of the image;
    unless given, the image lies once over the box, or as tiles of so many units from the points'
    origin on."""
    low: Doubles = points.min(axis=0)
    high: Doubles = points.max(axis=0)
    size: Doubles = np.where(high > low, high - low, 1.0)
    middle = (low + high) / 2
    parts: Doubles = (points - middle) / size
    none = np.zeros_like(points)
    offset: Doubles = np.broadcast_to(middle, points.shape)
    kind, per_out, per_unit = 0, np.zeros(2), none
    if tile is not None:
        kind, per_out = _TILED, 1 / np.array(tile)
        per_unit, uvs = parts / tile, offset / tile
    elif uvs is None:
        kind, per_out, uvs = _STRETCHED, np.ones(2), parts + 0.5
    return Patch(points, triangles, parts, offset, uvs, per_unit, none, colors, kind, per_out), size


def texels(patch: Patch) -> Floats:
    """What the GPU is told of a mesh: float32 (1 + 5 · 3m, 4)."""
    triangles = _counter_clockwise(patch.places, patch.triangles)
    edges, outward = _outline(patch.places, triangles)
    rows = triangles.reshape(-1)
    made = np.zeros((1 + TEXELS * len(rows), 4), np.float32)
    made[0, :3] = len(rows), *patch.margins
    corners = made[1:].reshape(-1, TEXELS, 4)
    corners[:, 0] = np.hstack([patch.parts, patch.margin])[rows]
    corners[:, 1] = np.hstack([patch.at, patch.per_unit])[rows]
    corners[:, 2] = patch.colors[rows]
    corners[:, 3] = np.hstack([patch.pixels, outward])[rows]
    corners[:, 4, :2], corners[:, 4, 2], corners[:, 4, 3] = (
        patch.per_out,
        np.repeat(edges, 3),
        patch.kind,
    )
    return made


def _counter_clockwise(places: Doubles, triangles: Rows) -> Rows:
    a, b, c = (places[triangles[:, corner]] for corner in range(3))
    clockwise = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) < (b[:, 1] - a[:, 1]) * (
        c[:, 0] - a[:, 0]
    )
    turned = triangles.copy()
    turned[clockwise] = turned[clockwise][:, ::-1]
    return turned


def _outline(places: Doubles, triangles: Rows) -> tuple[Rows, Doubles]:
    """Which sides of triangles belong to the outline, as bits by the corner that is across (m,),
    and for each corner the way out of it (n, 2), by which a line at a distance of 1 is met."""
    across = (
        np.roll(triangles, -1, axis=1),
        np.roll(triangles, -2, axis=1),
    )  # the side that is across from a corner
    sides = np.stack(across, axis=2)
    keys = [tuple(side) for side in np.sort(sides, axis=2).reshape(-1, 2).tolist()]
    counted = Counter(keys)
    outer = np.array([counted[key] == 1 for key in keys]).reshape(-1, 3)
    bits: Rows = outer @ np.array([1, 2, 4])
    first: Rows
    second: Rows
    first, second = sides[outer].T
    along: Doubles = places[second] - places[first]
    normals = np.column_stack(
        [along[:, 1], -along[:, 0]]
    )  # to the right of what goes counter-clockwise
    normals /= np.maximum(np.hypot(*along.T), 1e-12)[:, None]
    total = np.zeros_like(places)
    for ends in (first, second):
        np.add.at(total, ends, normals)
    # Of two normals, the sum's length squared is 2 + 2 cos, and the miter is the sum over 1 + cos.
    reach: Doubles = np.maximum((total * total).sum(axis=1) / 2, 1e-12)
    outward: Doubles = total / reach[:, None]
    far = np.hypot(outward[:, 0], outward[:, 1])
    outward /= np.maximum(far / _MOST_OUT, 1.0)[:, None]
    return bits, outward
