"""Check the points of paths and polygons, and store each list of points once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Floats, Mask

MAX_POINTS = 512
"""The maximum number of points in one path. There is a limit because the shader reads all points of
the path for each pixel.
"""

SHORT = 10
"""The maximum number of points in a path that is drawn without a texture. The vertex shader
shaders/shapes.vert passes these points to the fragment shader.
"""

_MAX_TEXELS = 1 << 20

_WORDS = {2: "two", 3: "three"}


def checked_path(name: str, value: ArrayLike, closed: bool) -> Doubles:
    """Return the points of a path or polygon, leaving out each point that is equal to the previous
    point. The array has the shape (n, 2).

    Raises `ValueError` if the remaining points are too few or too many.
    """
    raw = checks.vectors(name, value, 2)
    following = np.roll(raw, -1, axis=0) if closed else np.concatenate([raw[1:], raw[-1:] + 1])
    points: Doubles = raw[(raw != following).any(axis=1)]
    min_count = 3 if closed else 2
    if len(points) < min_count:
        raise ValueError(
            f"{name}: expected at least {_WORDS[min_count]} points that differ, got {len(points)}"
        )
    if len(points) > MAX_POINTS:
        raise ValueError(
            f"{name}: expected at most {MAX_POINTS} points, got {len(points):,}; use several paths"
        )
    return points


def checked_ring(name: str, value: ArrayLike) -> Doubles:
    """Return the points of a polygon.

    Raises `ValueError` if the polygon crosses itself or has no area.
    """
    points = checked_path(name, value, True)
    crossing = np.argwhere(_crossings(points))
    if len(crossing):
        edges: list[int] = crossing[0].tolist()
        first, second = edges
        raise ValueError(
            f"{name}: expected a polygon that does not cross itself; its edges {first} "
            f"and {second} meet"
        )
    following = np.roll(points, -1, axis=0)
    if not (points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]).sum():
        raise ValueError(f"{name}: expected a polygon of some area, got {checks.shown(value)}")
    return points


def _crossings(points: Doubles) -> Mask:
    """Find the edges of a polygon that cross or touch each other. Neighboring edges are ignored,
    because they always share a corner.

    Return a bool array of the shape (n, n) for n edges. Only entries above the diagonal are set, so
    that each pair of edges is found once.
    """
    n = len(points)
    following = np.roll(points, -1, axis=0)
    edges = following - points

    def sides(positions: Doubles) -> Doubles:
        """For each edge and position, return the side of the edge that the position is on: -1 or 1.
        The result is 0 for a position on the edge. The array has the shape (edges, positions).
        """
        separated = positions[None] - points[:, None]
        return np.sign(
            edges[:, None, 0] * separated[..., 1] - edges[:, None, 1] * separated[..., 0]
        )

    start = sides(points)
    end = sides(following)
    separated = (start * end <= 0) & (start.T * end.T <= 0)
    low = np.minimum(points, following)
    high = np.maximum(points, following)
    boxes = (low[:, None] <= high[None]) & (low[None] <= high[:, None])
    number = np.arange(n)
    steps = number[None] - number[:, None]
    crossings: Mask = separated & boxes.all(axis=2) & (steps > 1) & (steps < n - 1)
    return crossings


class PointLists:
    """A store for lists of points. Equal lists are stored only once, and lists are never removed.

    Each list is a float32 array of the shape (n, 2) or (n, 4). In `Shapes`, a list contains the
    points of a path. The coordinates of a point are fractions of the bounding box, from -0.5 to
    0.5. In `Polygons`, a list contains the texels that describe a mesh for the shader.
    """

    not_state = True  # rows refer to a list by index, but hashes contain the points of the list

    def __init__(self) -> None:
        self.paths: list[Floats] = []
        self.starts = np.zeros(16, np.uint32)
        """The index of the first texel of each list."""
        self.lengths = np.zeros(16, np.uint32)
        """The number of entries in each list, such as points."""
        self._numbers: dict[bytes, int] = {}
        self.texels = 0
        """The total number of texels in all lists."""

    def number(self, parts: Floats) -> int:
        """Return the index of a list. A list that is not in the store yet is added."""
        key = parts.tobytes()
        index = self._numbers.get(key)
        if index is not None:
            return index
        texels = texels_of(parts)
        if self.texels + texels > _MAX_TEXELS:
            max_points: int = _MAX_TEXELS * 4 // parts.shape[1]
            raise ValueError(
                f"points: a batch holds at most {max_points:,} different points of paths; use several batches"
            )
        new_index = self._numbers[key] = len(self.paths)
        if new_index == len(self.starts):
            self.starts = np.concatenate([self.starts, np.zeros_like(self.starts)])
            self.lengths = np.concatenate([self.lengths, np.zeros_like(self.lengths)])
        self.starts[new_index] = self.texels
        self.lengths[new_index] = len(parts)
        self.paths.append(parts)
        self.texels += texels
        return new_index


def texels_of(parts: Floats) -> int:
    """Return how many texels a list needs in the texture, including one texel for the length of the
    list.
    """
    return 1 + parts.size // 4 + (2 if parts.shape[1] == 2 else 0)


def joined(points: Doubles, closed: bool, limit: float) -> float:
    """Return how far the tip of the sharpest corner (miter) of a path is from the corner's point,
    in halves of the line width. A path needs this much space around its points. The result is at
    least 1. Corners longer than ``limit`` are ignored, because their tips are cut off.
    """
    directions = np.diff(points[[*range(len(points)), 0, 1]] if closed else points, axis=0)
    directions /= np.hypot(directions[:, 0], directions[:, 1])[:, None]
    turns: Doubles = (directions[1:] * directions[:-1]).sum(axis=1)
    narrow = np.sqrt(np.maximum((1 + turns) / 2, 0))
    narrow = narrow[narrow >= 1 / limit]
    return float((1 / narrow).max(initial=1.0))
