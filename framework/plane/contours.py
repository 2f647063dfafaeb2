"""Contours: the points of paths and polygons, checked, and kept once each."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats, Mask

MOST_POINTS = 512
"""Of one path: each pixel of its box looks at all of them."""

SHORT = 10
"""Points of paths that need no texture where they are drawn: shaders/shapes.vert hands so many
on.
"""

_MOST_TEXELS = 1 << 20

_WORDS = {2: "two", 3: "three"}


def contour(name: str, value: ArrayLike, closed: bool) -> Doubles:
    """Points (n, 2) of a path or of a polygon, without those that repeat the one before. Raises
    `ValueError` where too few or too many are left."""
    given = checks.vectors(name, value, 2)
    following = (
        np.roll(given, -1, axis=0) if closed else np.concatenate([given[1:], given[-1:] + 1])
    )
    points: Doubles = given[(given != following).any(axis=1)]
    least = 3 if closed else 2
    if len(points) < least:
        raise ValueError(
            f"{name}: expected at least {_WORDS[least]} points that differ, got {len(points)}"
        )
    if len(points) > MOST_POINTS:
        raise ValueError(
            f"{name}: expected at most {MOST_POINTS} points, got {len(points):,}; use several paths"
        )
    return points


def ring(name: str, value: ArrayLike) -> Doubles:
    """Those of a polygon that does not cross itself, and is more than a line: else `ValueError`."""
    points = contour(name, value, True)
    crossing = np.argwhere(_crossings(points))
    if len(crossing):
        edges: list[int] = crossing[0].tolist()
        first, second = edges
        raise ValueError(
            f"{name}: expected a polygon that does not cross itself; its edges {first} "
            f"and {second} meet"
        )
    along = np.roll(points, -1, axis=0)
    if not (points[:, 0] * along[:, 1] - points[:, 1] * along[:, 0]).sum():
        raise ValueError(f"{name}: expected a polygon of some area, got {checks.shown(value)}")
    return points


def _crossings(points: Doubles) -> Mask:
    """Which edges of a ring meet others than their neighbours: (n, n), above the diagonal."""
    n, following = len(points), np.roll(points, -1, axis=0)
    way = following - points

    def sides(places: Doubles) -> Doubles:
        """On which side of each edge places are: (edges, places)."""
        apart = places[None] - points[:, None]
        return np.sign(way[:, None, 0] * apart[..., 1] - way[:, None, 1] * apart[..., 0])

    start, end = sides(points), sides(following)
    apart = (start * end <= 0) & (start.T * end.T <= 0)
    low, high = np.minimum(points, following), np.maximum(points, following)
    boxes = (low[:, None] <= high[None]) & (low[None] <= high[:, None])
    number = np.arange(n)
    steps = number[None] - number[:, None]
    crossings: Mask = apart & boxes.all(axis=2) & (steps > 1) & (steps < n - 1)
    return crossings


class Contours:
    """Rows of up to four numbers, each of them once, such as a path's points as parts of its box:
    float32 (n, 2) in -0.5..0.5. It only grows."""

    not_state = True  # rows know them by their numbers, and hashes by what they are

    def __init__(self) -> None:
        self.paths: list[Floats] = []
        self.starts = np.zeros(16, np.uint32)
        """Where each begins in the texture, in texels."""
        self.lengths = np.zeros(16, np.uint32)
        """How many rows each has."""
        self._numbers: dict[bytes, int] = {}
        self.texels = 0
        """Texels of all of them."""

    def number(self, parts: Floats) -> int:
        """The number of a path, which is kept if it is new."""
        key = parts.tobytes()
        found = self._numbers.get(key)
        if found is not None:
            return found
        texels = texels_of(parts)
        if self.texels + texels > _MOST_TEXELS:
            most: int = _MOST_TEXELS * 4 // parts.shape[1]
            raise ValueError(
                f"points: a batch holds at most {most:,} points of paths that differ; use several"
            )
        number = self._numbers[key] = len(self.paths)
        if number == len(self.starts):
            self.starts = np.concatenate([self.starts, np.zeros_like(self.starts)])
            self.lengths = np.concatenate([self.lengths, np.zeros_like(self.lengths)])
        self.starts[number], self.lengths[number] = self.texels, len(parts)
        self.paths.append(parts)
        self.texels += texels
        return number


def texels_of(parts: Floats) -> int:
    """Return the texels of a path, with the one that holds its number of rows."""
    return 1 + parts.size // 4 + (2 if parts.shape[1] == 2 else 0)


def joined(points: Doubles, closed: bool, limit: float) -> float:
    """How far mitered joins stick out at the most, in half widths: 1 for round ones."""
    ways = np.diff(points[[*range(len(points)), 0, 1]] if closed else points, axis=0)
    ways /= np.hypot(ways[:, 0], ways[:, 1])[:, None]
    turns: Doubles = (ways[1:] * ways[:-1]).sum(axis=1)
    narrow = np.sqrt(np.maximum((1 + turns) / 2, 0))
    narrow = narrow[narrow >= 1 / limit]
    return float((1 / narrow).max(initial=1.0))
