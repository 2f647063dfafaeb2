"""Moving walls: find bodies that a moving wall (a kinematic body) has passed through in a step.

Rapier's continuous collision detection stops a fast body at the surface of a moving wall. In the
same physics step, the wall continues to move, so a thin wall can move past the center of a stopped
body. A fast wall can also move past the center of a slow body, because slow bodies do not use
continuous collision detection. Without a correction, contacts would push the body out on the wrong
side of the wall. After each physics step, `MovingWalls` finds the bodies that a wall has passed,
and the engine moves them back to the side from which they came.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows
from ..geometry import exact
from ..geometry.broadphase import pairs_between
from .shapes2d import BoxShape, Capsule, Circle, PlaneShape, corners_of

# A fraction of half a body's thickness; a body that moves less cannot get its center into a wall.
_SHARE = 0.5
_ROUND_SIDES = 16
# Radians; a body that has turned farther than this between two reads pushes no bodies back.
_MAX_TURN = 1.0


T = TypeVar("T", bound=np.generic)


class Crossing(NamedTuple):
    """A body whose center has moved into or through a kinematic body."""

    row: int
    """The row of the body."""
    wall: int
    """The row of the kinematic body."""
    position: Doubles
    """The position at which the body touches the kinematic body from the side it came from. The
    shape is (2,).
    """


class _Walls(NamedTuple):
    """Arrays for all kinematic bodies, in the order of their rows. In the shapes of the arrays, k
    is the number of bodies, p the number of convex parts, and s the number of sides.
    """

    rows: Rows
    """The row of each kinematic body. The shape is (k,)."""
    spans: Doubles
    """The distance from the position of each body to its farthest corner. The shape is (k,)."""
    sides: Doubles
    """The longest side of each body's bounds. The shape is (k,)."""
    parts: Rows
    """The index of each body's first part, followed by the total number of parts. The shape is (k +
    1,).
    """
    normals: Doubles
    """The outward normals of the sides of each part. The shape is (p, s, 2). If a part has fewer
    than s sides, one of its sides is repeated.
    """
    offsets: Doubles
    """The distances of the sides of each part from the position of its body. The shape is (p, s).
    """


class MovingWalls:
    """The kinematic bodies of a world, and their shapes."""

    def __init__(self) -> None:
        # The corners of the convex parts of each kinematic body. The key is the index of the body.
        self._rings: dict[int, tuple[Doubles, ...]] = {}
        self._walls: _Walls | None = None
        # Half the thickness of each body, in the order of the rows.
        self._reach: Doubles = np.empty(0)

    def add(self, index: int, shapes: list[PlaneShape]) -> None:
        """Store a new kinematic body."""
        self._rings[index] = tuple([_constant(np.array(_ring_of(shape))) for shape in shapes])

    def remove(self, index: int) -> None:
        """Remove the stored shapes of a body."""
        self._rings.pop(index, None)

    def map_order(self, indices: Rows, reach: Doubles) -> None:
        """Set the order of all bodies.

        ``indices`` contains the index of the body in each row. ``reach`` contains half the
        thickness of each body. ``reach`` is infinite for bodies that are not dynamic.
        """
        self._reach = _constant(reach)
        rows = [row for row, index in enumerate(indices.tolist()) if index in self._rings]
        bodies = [self._rings[int(indices[row])] for row in rows]
        rings = [ring for body in bodies for ring in body]
        sides = max(map(len, rings), default=0)
        normals, offsets = np.empty((len(rings), sides, 2)), np.empty((len(rings), sides))
        for part, ring in enumerate(rings):
            count = len(ring)
            normals[part, :count], offsets[part, :count] = _sides_of(ring)
            normals[part, count:], offsets[part, count:] = normals[part, 0], offsets[part, 0]
        spans = [max(float(np.hypot(*ring.T).max()) for ring in body) for body in bodies]
        longest = [float(np.ptp(np.concatenate(body), axis=0).max()) for body in bodies]
        parts = np.cumsum([0, *map(len, bodies)])
        sizes = np.array(spans), np.array(longest)
        arrays = np.array(rows, np.intp), *sizes, parts, normals, offsets
        self._walls = _Walls(*map(_constant, arrays)) if rows else None

    @property
    def any(self) -> bool:
        """Whether the world has any kinematic bodies."""
        return self._walls is not None

    def reach_of(self, row: int) -> float:
        """Return half the thickness of the body in ``row``."""
        return float(self._reach[row])

    def crossings(self, before: Doubles, after: Doubles, sent: Rows) -> list[Crossing]:
        """Return a `Crossing` for each body whose center crossed a kinematic body, with the
        earliest crossing first. A body can cross several kinematic bodies in one step.

        ``before`` and ``after`` are arrays of x, y and angle with the shape (n, 3). ``before``
        contains the values at the beginning of a physics step, and ``after`` the values at its end.
        ``sent`` contains the rows of the kinematic bodies whose position or angle the game has set.

        The method ignores a kinematic body that has turned by more than 1 radian. The method also
        ignores a body in ``sent`` that has moved farther than the longest side of its bounds.
        """
        if self._walls is None:
            return []
        rows, spans = self._walls.rows, self._walls.spans
        first, last = before[rows], after[rows]
        shifts = last - first
        distances, turns = np.hypot(shifts[:, 0], shifts[:, 1]), np.abs(shifts[:, 2])
        # Comparing with NaN gives False, so bodies with NaN do not count as moved.
        moves: Mask = ((distances > 0) | (turns > 0)) & (turns <= _MAX_TURN)
        if len(sent):
            moves &= (distances <= self._walls.sides) | ~np.isin(rows, sent)
        moved = np.flatnonzero(moves & ~np.isnan(distances))
        if not len(moved):
            return []
        motions = distances[moved] + turns[moved] * spans[moved]
        own = np.hypot(*(after[:, :2] - before[:, :2]).T)
        fast = np.flatnonzero(own + motions.max() > _SHARE * self._reach)
        if not len(fast):
            return []
        reach = spans[moved, None]
        pairs = pairs_between(
            *_bounds(before[fast, :2], after[fast, :2]),
            np.minimum(first[moved, :2], last[moved, :2]) - reach,
            np.maximum(first[moved, :2], last[moved, :2]) + reach,
        )
        return self._crossings_of(fast[pairs[:, 0]], moved[pairs[:, 1]], before, after)

    def _crossings_of(
        self, bodies: Rows, walls: Rows, before: Doubles, after: Doubles
    ) -> list[Crossing]:
        """Return a `Crossing` for each pair of a body and a kinematic body that it has crossed.
        ``bodies`` contains the row of the body in each pair. ``walls`` contains the index of the
        kinematic body in each pair.
        """
        assert self._walls is not None
        rows, _, _, parts, normals, offsets = self._walls
        counts = parts[walls + 1] - parts[walls]
        pair = np.repeat(np.arange(len(walls)), counts)
        part = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
        part += parts[walls[pair]]
        body, wall = bodies[pair], rows[walls[pair]]
        starts = _local(before[body, :2], before[wall])
        ends = _local(after[body, :2], after[wall])
        fractions, sides = entries(normals[part], offsets[part], starts, ends)
        hits = np.flatnonzero(fractions < np.inf)
        hits = hits[np.argsort(fractions[hits], kind="stable")]
        points = starts[hits] + fractions[hits, None] * (ends[hits] - starts[hits])
        points += self._reach[body[hits], None] * sides[hits]
        positions = _world(points, after[wall[hits]])
        owners = zip(body[hits].tolist(), wall[hits].tolist(), positions, strict=True)
        return [Crossing(*owner) for owner in owners]


def _constant(array: NDArray[T]) -> NDArray[T]:
    """Make an array read-only, so that snapshots do not have to copy it."""
    array.flags.writeable = False
    return array


def _bounds(first: Doubles, last: Doubles) -> tuple[Doubles, Doubles]:
    return np.minimum(first, last), np.maximum(first, last)


def entries(
    normals: Doubles, offsets: Doubles, starts: Doubles, ends: Doubles
) -> tuple[Doubles, Doubles]:
    """Return where each line enters its convex polygon, and the outward normal of the side that the
    line crosses. The first result contains a fraction for each line, from 0 at the start to 1 at
    the end, with the shape (m,). The second result contains one normal for each line, with the
    shape (m, 2).

    The fraction is infinite if a line does not enter its polygon, or starts inside the polygon.
    ``normals`` and ``offsets`` describe the sides of each polygon. ``normals`` has the shape
    (m, s, 2), and ``offsets`` has the shape (m, s). ``starts`` and ``ends`` are the two end points
    of each line, with the shape (m, 2).
    """
    first = normals[..., 0] * starts[:, :1] + normals[..., 1] * starts[:, 1:] - offsets
    last = normals[..., 0] * ends[:, :1] + normals[..., 1] * ends[:, 1:] - offsets
    outside: Mask = first > 0
    misses = (outside & (last > 0)).any(axis=1) | ~outside.any(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = first / (first - last)
    entering = np.where(outside, at, -np.inf)
    side = entering.argmax(axis=1)
    lines = np.arange(len(side))
    enter = entering[lines, side]
    leave = np.where(~outside & (last > 0), at, np.inf).min(axis=1, initial=np.inf)
    fractions = np.where(misses | (enter > leave), np.inf, enter)
    return fractions, normals[lines, side]


def _sides_of(ring: Doubles) -> tuple[Doubles, Doubles]:
    """Return the outward normal of each side of a polygon, and the distance of each side from the
    origin. The normals have the shape (k, 2), and the distances have the shape (k,).
    """
    sides = np.roll(ring, -1, axis=0) - ring
    normals = np.column_stack([sides[:, 1], -sides[:, 0]]) / np.hypot(*sides.T)[:, None]
    offsets: Doubles = normals[:, 0] * ring[:, 0] + normals[:, 1] * ring[:, 1]
    return normals, offsets


def _local(points: Doubles, poses: Doubles) -> Doubles:
    """Convert ``points``, with the shape (m, 2), from world coordinates to the coordinates of
    bodies. ``poses`` contains the x, y and angle of each body, with the shape (m, 3).
    """
    sine, cosine = exact.sincos(poses[:, 2])
    x, y = (points - poses[:, :2]).T
    return np.column_stack([cosine * x + sine * y, cosine * y - sine * x])


def _world(points: Doubles, poses: Doubles) -> Doubles:
    """Convert ``points``, with the shape (m, 2), from the coordinates of bodies to world
    coordinates. ``poses`` contains the x, y and angle of each body, with the shape (m, 3).
    """
    sine, cosine = exact.sincos(poses[:, 2])
    x, y = points.T
    turned = np.column_stack([cosine * x - sine * y, sine * x + cosine * y])
    placed: Doubles = turned + poses[:, :2]
    return placed


def _ring_of(shape: PlaneShape) -> Doubles:
    """Return the corners of a shape, in counter-clockwise order. The rounded parts of circles and
    capsules become many short sides.
    """
    if isinstance(shape, BoxShape):
        return np.array(corners_of(shape))
    if isinstance(shape, Circle | Capsule):
        ends = (
            (shape.center, shape.center) if isinstance(shape, Circle) else (shape.start, shape.end)
        )
        (x, y), (end_x, end_y) = ends
        angle = float(exact.arctan2(end_y - y, end_x - x))
        turns = np.linspace(-np.pi / 2, np.pi / 2, _ROUND_SIDES // 2 + 1) + angle
        arc = shape.radius * np.column_stack([exact.cos(turns), exact.sin(turns)])
        ring = np.concatenate([arc + (end_x, end_y), (x, y) - arc])
        differs: Mask = (ring != np.roll(ring, -1, axis=0)).any(axis=1)
        return ring[differs]
    x, y = (shape.corners - shape.corners[0]).T
    area = float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    corners: Doubles = shape.corners if area > 0 else shape.corners[::-1]
    return corners
