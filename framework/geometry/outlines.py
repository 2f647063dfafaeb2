"""Compute the bounds, outlines and convex polygons of the opaque pixels of an image.

An outline is a closed ring of corners in counter-clockwise order: an array of shape (k, 2). The
corners are in pixels, relative to the anchor of the image, which is its center by default. The y
axis points up. To make collision shapes, pass convex rings to `ConvexShapes.polygons`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Pixels
from .shapes import cross

_OPAQUE = 128


def opaque(pixels: Pixels) -> Mask:
    """Return whether each pixel is opaque. The alpha of an opaque pixel is at least one half. The
    result is a bool array of shape (h, w). Row 0 is the top row.
    """
    image = np.asarray(pixels)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 4:
        raise checks.wrong_value("pixels", "uint8 of shape (h, w, 4)", pixels)
    opaque_pixels: Mask = image[..., 3] >= _OPAQUE
    return opaque_pixels


def opaque_box(pixels: Pixels, anchor: tuple[float, float] | None = None) -> Doubles:
    """Return the left, bottom, right and top edges of the opaque part of an image, as an array of
    shape (4,). All four numbers are NaN if no pixel is opaque.

    The numbers are in pixels, relative to the anchor. The y axis points up. By default, the anchor
    is the center of the image.
    """
    solid = opaque(pixels)
    height, width = solid.shape
    x, y = (width / 2, height / 2) if anchor is None else anchor
    columns = np.flatnonzero(solid.any(axis=0))
    rows = np.flatnonzero(solid.any(axis=1))
    if not len(columns):
        return np.full(4, np.nan)
    return np.array(
        [columns[0] - x, height - 1 - rows[-1] - y, columns[-1] + 1 - x, height - rows[0] - y]
    )


def outline(
    pixels: Pixels, tolerance: float = 1.0, anchor: tuple[float, float] | None = None
) -> list[Doubles]:
    """Return one outline for each connected opaque part of an image. The outline of the largest
    part comes first.

    Two opaque pixels belong to the same part if they share a side. Holes inside a part have no
    outline. The outline is simplified: each removed corner is at most ``tolerance`` pixels away
    from the new outline.
    """
    solid = np.pad(opaque(pixels), 1)
    tolerance = checks.number("tolerance", tolerance, least=0)
    height, width = solid.shape
    x, y = ((width - 2) / 2, (height - 2) / 2) if anchor is None else checks.pair("anchor", anchor)
    rings = []
    for ring in _boundaries(solid):
        corners = np.array(ring, np.float64)
        if _area(corners) > 0:  # clockwise rings are holes
            rings.append(simplified(corners, tolerance))
    rings.sort(key=_area, reverse=True)
    return [ring - (x, y) for ring in rings]


def _boundaries(solid: Mask) -> list[list[tuple[int, int]]]:
    """Return the borders between solid and free pixels, as closed rings of corners. The solid
    pixels are on the left side of each ring.

    The y coordinate of a corner is counted from the bottom of the image. The pixels at the edge of
    the image must be free.
    """
    following = _sides_of_pixels(solid)
    rings = []
    while following:
        corner = first = next(iter(following))
        ring: list[tuple[int, int]] = []
        direction = (0, 0)
        while not ring or corner != first:
            ring.append(corner)
            ends = following[corner]
            # Pixels that share only a corner belong to separate parts, so turn left, around the
            # same pixel.
            turns = [
                direction[0] * (end[1] - corner[1]) - direction[1] * (end[0] - corner[0])
                for end in ends
            ]
            end = ends.pop(turns.index(max(turns)))
            if not ends:
                del following[corner]
            direction = (end[0] - corner[0], end[1] - corner[1])
            corner = end
        rings.append(ring)
    return rings


def _sides_of_pixels(solid: Mask) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return the sides between solid and free pixels, as a dict from the corner at which sides
    start to the corners at which they end. The sides go counter-clockwise around each solid pixel.
    """
    up = solid[::-1]
    following: dict[tuple[int, int], list[tuple[int, int]]] = {}
    # For each neighbor of a pixel: the start and the end of the side between the pixel and this
    # neighbor.
    for (down, right), start, end in (
        ((-1, 0), (0, 0), (1, 0)), ((0, 1), (1, 0), (1, 1)), ((1, 0), (1, 1), (0, 1)), ((0, -1), (0, 1), (0, 0)),
    ):  # fmt: skip
        rows, columns = np.nonzero(up & ~np.roll(up, (-down, -right), axis=(0, 1)))
        for row, column in zip((rows - 1).tolist(), (columns - 1).tolist(), strict=True):
            following.setdefault((column + start[0], row + start[1]), []).append(
                (column + end[0], row + end[1])
            )
    return following


def _area(ring: Doubles) -> float:
    return float(cross(ring, np.roll(ring, -1, axis=0)).sum()) / 2


def simplified(ring: ArrayLike, tolerance: float = 1.0) -> Doubles:
    """Return a copy of a ring of corners that has fewer corners. The ring has the shape (k, 2).

    Each removed corner is at most ``tolerance`` pixels away from the simplified ring. The function
    uses the algorithm of Ramer, Douglas and Peucker, which simplifies lines. It starts with two
    corners that it keeps: the lowest of the leftmost corners, and the corner farthest away from it.
    """
    corners: Doubles = checks.numbers("ring", ring, (None, 2))
    tolerance = checks.number("tolerance", tolerance, least=0)
    if len(corners) < 4:
        return corners
    start = int(np.lexsort((corners[:, 1], corners[:, 0]))[0])
    corners = np.concatenate([np.roll(corners, -start, axis=0), corners[start : start + 1]])
    squared: Doubles = np.square(corners - corners[:1]).sum(axis=1)
    farthest = int(np.argmax(squared))
    is_corner = np.zeros(len(corners), bool)
    is_corner[[0, farthest]] = True
    spans = [(0, farthest), (farthest, len(corners) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        away = _squared_distances(corners[first + 1 : last], corners[first], corners[last])
        worst = int(np.argmax(away))
        if away[worst] > tolerance * tolerance + 1e-9:
            middle = first + 1 + worst
            is_corner[middle] = True
            spans += [(first, middle), (middle, last)]
    return corners[is_corner]


def _squared_distances(points: Doubles, start: Doubles, end: Doubles) -> Doubles:
    """Return the squared distances from points to the straight line from ``start`` to ``end``."""
    along = end - start
    to = points - start
    length = float(np.square(along).sum())
    reached: Doubles = (to * along).sum(axis=1)
    share = np.clip(reached / (length or 1.0), 0, 1)
    squared: Doubles = np.square(to - share[:, None] * along).sum(axis=1)
    return squared


def hull(points: ArrayLike) -> Doubles:
    """Return the convex hull of ``points``: the smallest convex polygon around them. ``points`` has
    the shape (n, 2). The corners of the hull are in counter-clockwise order, and have the shape
    (k, 2).

    `hull` uses Andrew's monotone chain algorithm.
    """
    positions = np.unique(checks.numbers("points", points, (None, 2)), axis=0)
    if len(positions) < 3:
        return positions
    forward: list[list[float]] = positions.tolist()
    lower = _left_turns(forward)
    upper = _left_turns(forward[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _left_turns(path: list[list[float]]) -> list[list[float]]:
    """Remove the points of a path at which it does not turn left, and return the remaining points."""
    chain: list[list[float]] = []
    for point in path:
        while len(chain) > 1 and _left(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _left(a: list[float], b: list[float], c: list[float]) -> float:
    """Return a number above 0 if the path from ``a`` to ``b`` to ``c`` turns left, and a number
    below 0 if it turns right.
    """
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def simple_ring(ring: Doubles) -> Doubles:
    """Return a counter-clockwise ring of shape (k, 2) that does not cross itself. If ``ring``
    crosses itself, return its bounding box instead.
    """
    try:
        convex_pieces(ring)
    except ValueError:
        return rectangle(*ring.min(axis=0).tolist(), *ring.max(axis=0).tolist())
    return ring if _area(ring) > 0 else ring[::-1]


def rectangle(left: float, bottom: float, right: float, top: float) -> Doubles:
    """Return the corners of a rectangle in counter-clockwise order, as an array of shape (4, 2)."""
    return np.array([(left, bottom), (right, bottom), (right, top), (left, top)])


def pieces_of_ring(ring: Doubles) -> list[Doubles]:
    """Return convex rings that together cover the ring returned by `simple_ring`."""
    return [piece for piece in convex_pieces(simple_ring(ring)) if abs(_area(piece)) > 0]


def convex_pieces(ring: ArrayLike) -> list[Doubles]:
    """Split a ring of shape (k, 2) into convex rings, without adding corners. The ring must not
    cross itself.

    First, the function splits the ring into triangles. Then the function merges neighboring
    triangles, as long as the merged polygon is convex. The number of polygons is at most four times
    the smallest possible number (Hertel and Mehlhorn).
    """
    corners: Doubles = checks.numbers("ring", ring, (None, 2))
    ears = triangles(corners)
    cut = [corners[piece] for piece in _merged(corners.tolist(), ears)]
    if not np.isclose(sum(map(_area, cut)), abs(_area(corners))):
        raise ValueError("ring: expected a ring that does not cross itself")
    return cut


def triangles(ring: ArrayLike) -> list[list[int]]:
    """Split a ring of shape (k, 2) into triangles, without adding corners. The ring must not cross
    itself.

    Each triangle is a list of three corner indices, counter-clockwise. Triangles with an area of 0
    are left out. The function uses ear clipping, an algorithm that cuts off one corner after
    another.
    """
    corners: Doubles = checks.numbers("ring", ring, (None, 2))
    if len(corners) < 3:
        raise checks.wrong_value("ring", "at least three corners", ring)
    positions: list[list[float]] = corners.tolist()
    order = list(range(len(positions)))
    if _area(corners) <= 0:
        order.reverse()
    ears: list[list[int]] = []
    while len(order) > 3:
        index = _first_ear(positions, order)
        ears.append([order[index - 1], order[index], order[(index + 1) % len(order)]])
        del order[index]
    # Leave out triangles with three corners on one line.
    return [ear for ear in [*ears, order] if _left(*(positions[corner] for corner in ear)) > 0]


def _first_ear(positions: list[list[float]], order: list[int]) -> int:
    """Return the index of the first corner that can be cut off the ring ``order``."""
    for index in range(len(order)):
        if _is_ear(positions, order, index):
            return index
    raise ValueError("ring: expected a ring that does not cross itself")


def pieces(
    pixels: Pixels, tolerance: float = 1.0, anchor: tuple[float, float] | None = None
) -> list[Doubles]:
    """Split the opaque part of an image into convex polygons of shape (k, 2). You can pass these
    polygons to `ConvexShapes.polygons`.

    `pieces` calls `outline`, then splits each outline with `convex_pieces`. If a simplified outline
    crosses itself, the function tries a smaller tolerance.
    """
    tolerance = checks.number("tolerance", tolerance, least=0)
    while True:
        convex = []
        try:
            for ring in outline(pixels, tolerance, anchor):
                convex += convex_pieces(ring)
        except ValueError:
            if not tolerance:
                raise
            tolerance = tolerance / 2 if tolerance > 0.25 else 0.0
            continue
        return convex


def _is_ear(positions: list[list[float]], order: list[int], at: int) -> bool:
    a, b, c = (positions[order[index % len(order)]] for index in (at - 1, at, at + 1))
    turn = _left(a, b, c)
    if turn <= 0:
        return turn == 0
    return not any(
        min(_left(a, b, position), _left(b, c, position), _left(c, a, position)) >= 0
        for position in (positions[index] for index in order)
        if position not in (a, b, c)
    )


def _merged(positions: list[list[float]], pieces: list[list[int]]) -> list[list[int]]:
    """Merge two convex polygons that share a side, if the merged polygon is also convex."""
    index = 0
    while index < len(pieces):
        joined = None
        for second in range(index + 1, len(pieces)):
            joined = _together(positions, pieces[index], pieces[second])
            if joined:
                pieces[index] = joined
                del pieces[second]
                break
        index += not joined
    return pieces


def _together(
    positions: list[list[float]], first: list[int], second: list[int]
) -> list[int] | None:
    """Merge two polygons that share a side. Return None if they share no side, or if the merged
    polygon is not convex.
    """
    for index, start in enumerate(first):
        end = first[(index + 1) % len(first)]
        for second_index, corner in enumerate(second):
            if corner == end and second[(second_index + 1) % len(second)] == start:
                end_to_start = first[index + 1 :] + first[: index + 1]
                start_to_end = second[second_index + 1 :] + second[: second_index + 1]
                merged = end_to_start + start_to_end[1:-1]
                return merged if _is_convex([positions[corner] for corner in merged]) else None
    return None


def _is_convex(ring: list[list[float]]) -> bool:
    n = len(ring)
    return all(_left(ring[k], ring[(k + 1) % n], ring[(k + 2) % n]) >= 0 for k in range(n))
