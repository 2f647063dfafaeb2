"""What images look like to what bumps into them: the box, the outline and the convex pieces of what
is opaque.

Outlines are rings of corners (k, 2), counter-clockwise, in pixels from the image's anchor (its
centre unless told), y up: what `Shapes.polygons` takes where they are convex.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Pixels
from .shapes import cross

_OPAQUE = 128


def opaque(pixels: Pixels) -> Mask:
    """Which pixels are opaque, by alpha of at least a half: bool (h, w), row 0 at the top."""
    image = np.asarray(pixels)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 4:
        raise checks.wrong_value("pixels", "uint8 of shape (h, w, 4)", pixels)
    shown: Mask = image[..., 3] >= _OPAQUE
    return shown


def opaque_box(pixels: Pixels, anchor: tuple[float, float] | None = None) -> Doubles:
    """Left, bottom, right and top of what is opaque, in pixels from the anchor (the centre unless
    told), y up: (4,); NaN where nothing is."""
    solid = opaque(pixels)
    height, width = solid.shape
    x, y = (width / 2, height / 2) if anchor is None else anchor
    columns, rows = np.flatnonzero(solid.any(axis=0)), np.flatnonzero(solid.any(axis=1))
    if not len(columns):
        return np.full(4, np.nan)
    return np.array(
        [columns[0] - x, height - 1 - rows[-1] - y, columns[-1] + 1 - x, height - rows[0] - y]
    )


def outline(
    pixels: Pixels, tolerance: float = 1.0, anchor: tuple[float, float] | None = None
) -> list[Doubles]:
    """The outlines of what is opaque, one for each part that hangs together by its sides, the
    largest first; holes are filled. Simplified so that no corner that is left out is further than
    ``tolerance`` pixels from what is left."""
    solid = np.pad(opaque(pixels), 1)
    tolerance = checks.number("tolerance", tolerance, least=0)
    height, width = solid.shape
    x, y = ((width - 2) / 2, (height - 2) / 2) if anchor is None else checks.pair("anchor", anchor)
    rings = []
    for ring in _boundaries(solid):
        corners = np.array(ring, np.float64)
        if _area(corners) > 0:  # the others go round holes
            rings.append(simplified(corners, tolerance))
    rings.sort(key=_area, reverse=True)
    return [ring - (x, y) for ring in rings]


def _boundaries(solid: Mask) -> list[list[tuple[int, int]]]:
    """The sides between what is solid and what is not, as rings that have it on their left, y up
    from the bottom of an image that has got a border."""
    up = solid[::-1]
    following: dict[tuple[int, int], list[tuple[int, int]]] = {}
    # A side of each pixel whose neighbour is free, from corner to corner, counter-clockwise around
    # the pixel.
    for (down, right), start, end in (
        ((-1, 0), (0, 0), (1, 0)), ((0, 1), (1, 0), (1, 1)), ((1, 0), (1, 1), (0, 1)), ((0, -1), (0, 1), (0, 0)),
    ):  # fmt: skip
        rows, columns = np.nonzero(up & ~np.roll(up, (-down, -right), axis=(0, 1)))
        for row, column in zip((rows - 1).tolist(), (columns - 1).tolist(), strict=True):
            following.setdefault((column + start[0], row + start[1]), []).append(
                (column + end[0], row + end[1])
            )
    rings = []
    while following:
        place = first = next(iter(following))
        ring: list[tuple[int, int]] = []
        way = (0, 0)
        while not ring or place != first:
            ring.append(place)
            ends = following[place]
            # Where two pixels meet at a corner only, they are two parts: turn left, back to one's
            # own.
            turns = [way[0] * (end[1] - place[1]) - way[1] * (end[0] - place[0]) for end in ends]
            end = ends.pop(turns.index(max(turns)))
            if not ends:
                del following[place]
            way, place = (end[0] - place[0], end[1] - place[1]), end
        rings.append(ring)
    return rings


def _area(ring: Doubles) -> float:
    return float(cross(ring, np.roll(ring, -1, axis=0)).sum()) / 2


def simplified(ring: ArrayLike, tolerance: float = 1.0) -> Doubles:
    """A ring (k, 2) with fewer corners, from which those left out are at most ``tolerance`` away;
    by Ramer, Douglas and Peucker, from its lowest left corner and the one that is farthest from
    it."""
    corners: Doubles = checks.numbers("ring", ring, (None, 2))
    tolerance = checks.number("tolerance", tolerance, least=0)
    if len(corners) < 4:
        return corners
    start = int(np.lexsort((corners[:, 1], corners[:, 0]))[0])
    corners = np.concatenate([np.roll(corners, -start, axis=0), corners[start : start + 1]])
    squared: Doubles = np.square(corners - corners[:1]).sum(axis=1)
    far = int(np.argmax(squared))
    kept = np.zeros(len(corners), bool)
    kept[[0, far]] = True
    spans = [(0, far), (far, len(corners) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        origin: Doubles = corners[first]
        end: Doubles = corners[last]
        along = end - origin
        to = corners[first + 1 : last] - origin
        length = float(np.square(along).sum())
        reached: Doubles = (to * along).sum(axis=1)
        share = np.clip(reached / (length or 1.0), 0, 1)
        away: Doubles = np.square(to - share[:, None] * along).sum(axis=1)
        worst = int(np.argmax(away))
        if away[worst] > tolerance * tolerance + 1e-9:
            middle = first + 1 + worst
            kept[middle] = True
            spans += [(first, middle), (middle, last)]
    return corners[kept]


def hull(points: ArrayLike) -> Doubles:
    """The convex hull of points (n, 2): its corners (k, 2), counter-clockwise, by Andrew's monotone
    chain.
    """
    places = np.unique(checks.numbers("points", points, (None, 2)), axis=0)
    if len(places) < 3:
        return places
    chains = []
    forward: list[list[float]] = places.tolist()
    for corners in (forward, forward[::-1]):
        chain: list[list[float]] = []
        for x, y in corners:
            while len(chain) > 1 and _left(chain[-2], chain[-1], [x, y]) <= 0:
                chain.pop()
            chain.append([x, y])
        chains += chain[:-1]
    return np.array(chains)


def _left(a: list[float], b: list[float], c: list[float]) -> float:
    """Above 0 where the way from a by b to c turns left."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def convex_pieces(ring: ArrayLike) -> list[Doubles]:
    """A ring (k, 2) that does not cross itself, cut into convex ones without new corners: ears are
    cut off, and put together again where that stays convex (Hertel and Mehlhorn; at most four times
    as many as there must be)."""
    corners: Doubles = checks.numbers("ring", ring, (None, 2))
    ears = triangles(corners)
    cut = [corners[piece] for piece in _merged(corners.tolist(), ears)]
    if not np.isclose(sum(map(_area, cut)), abs(_area(corners))):
        raise ValueError("ring: expected one that does not cross itself")
    return cut


def triangles(ring: ArrayLike) -> list[list[int]]:
    """A ring (k, 2) that does not cross itself, cut into triangles without new corners: ears are
    cut off. Each is the numbers of three corners, counter-clockwise; such as lie between two others
    on a straight line are left out."""
    corners: Doubles = checks.numbers("ring", ring, (None, 2))
    if len(corners) < 3:
        raise checks.wrong_value("ring", "at least three corners", ring)
    places: list[list[float]] = corners.tolist()
    order = list(range(len(places))) if _area(corners) > 0 else list(range(len(places)))[::-1]
    ears: list[list[int]] = []
    while len(order) > 3:
        at = next((at for at in range(len(order)) if _is_ear(places, order, at)), None)
        if at is None:
            raise ValueError("ring: expected one that does not cross itself")
        ears.append([order[at - 1], order[at], order[(at + 1) % len(order)]])
        del order[at]
    return [
        ear for ear in [*ears, order] if _left(*(places[corner] for corner in ear)) > 0
    ]  # not three in a row


def pieces(
    pixels: Pixels, tolerance: float = 1.0, anchor: tuple[float, float] | None = None
) -> list[Doubles]:
    """What is opaque of an image, as convex pieces: of its `outline`, which is followed more
    closely than ``tolerance`` where it would cross itself otherwise."""
    tolerance = checks.number("tolerance", tolerance, least=0)
    while True:
        found = []
        try:
            for ring in outline(pixels, tolerance, anchor):
                found += convex_pieces(ring)
        except ValueError:
            if not tolerance:
                raise
            tolerance = tolerance / 2 if tolerance > 0.25 else 0.0
            continue
        return found


def _is_ear(places: list[list[float]], order: list[int], at: int) -> bool:
    a, b, c = (places[order[index % len(order)]] for index in (at - 1, at, at + 1))
    turn = _left(a, b, c)
    if turn <= 0:
        return turn == 0
    return not any(
        min(_left(a, b, place), _left(b, c, place), _left(c, a, place)) >= 0
        for place in (places[index] for index in order)
        if place not in (a, b, c)
    )


def _merged(places: list[list[float]], pieces: list[list[int]]) -> list[list[int]]:
    """Pieces that share a side become one where that is convex."""
    index = 0
    while index < len(pieces):
        joined = None
        for other in range(index + 1, len(pieces)):
            joined = _together(places, pieces[index], pieces[other])
            if joined:
                pieces[index] = joined
                del pieces[other]
                break
        index += not joined
    return pieces


def _together(places: list[list[float]], one: list[int], other: list[int]) -> list[int] | None:
    for at, start in enumerate(one):
        end = one[(at + 1) % len(one)]
        for back, corner in enumerate(other):
            if corner == end and other[(back + 1) % len(other)] == start:
                ring = one[at + 1 :] + one[: at + 1]  # from end to start
                rest = other[back + 1 :] + other[: back + 1]  # from start to end
                whole = ring + rest[1:-1]
                n = len(whole)
                bends = [_left(*(places[whole[(k + d) % n]] for d in range(3))) for k in range(n)]
                return whole if min(bends) >= 0 else None
    return None
