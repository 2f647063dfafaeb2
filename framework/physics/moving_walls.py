"""Find the bodies that a moving wall (a kinematic body) has passed through in a physics step.

Rapier's continuous collision detection stops a fast body at the surface of a moving wall. However,
the wall continues to move in the same step, so the center of a thin wall can move past the stopped
body. The same happens to a slow body in front of a fast wall, because slow bodies do not use
continuous collision detection. Contacts would then push the body out on the wrong side of the wall.
Therefore, `MovingWalls` finds these bodies after each physics step, and the engine moves them back
to the side from which they came.

The module works in 2D and in 3D. In the shapes of arrays, d is the number of coordinates of a
position: 2 or 3. A pose has the shape (3,) in 2D: x, y and the angle in radians. In 3D it has the
shape (7,): x, y, z and the rotation as a quaternion (x, y, z, w).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Rows, repeated_rows
from ..geometry import exact, quaternions
from ..geometry.broadphase import pairs_between
from ..geometry.pairwise import cross
from .shapes2d import BoxShape, Capsule, Circle, PlaneShape, corners_of

# A fraction of half a body's thickness; a body that moves less cannot get its center into a wall.
_SHARE = 0.5
_ROUND_SIDES = 16
# Radians; a body that has turned farther than this between two reads pushes no bodies back.
_MAX_TURN = 1.0
# The largest number of sides that are compared with lines in one step, to limit the memory.
_SIDES_AT_ONCE = 2**18


T = TypeVar("T", bound=np.generic)


class Crossing(NamedTuple):
    """A body whose center has moved into or through a kinematic body."""

    row: int
    """The row of the body."""
    wall: int
    """The row of the kinematic body."""
    position: Doubles
    """The position at which the body touches the kinematic body from the side it came from. The
    shape is (d,).
    """


class _Poses:
    """The poses of n bodies: the base class of `_Poses2D` and `_Poses3D`. All other code of this
    module is the same in 2D and in 3D.
    """

    __slots__ = ("numbers",)

    def __init__(self, numbers: Doubles) -> None:
        self.numbers = numbers
        """One row for each pose. The shape is (n, 3) in 2D, and (n, 7) in 3D."""

    def at(self, rows: Rows) -> _Poses:
        """Return the poses in ``rows``."""
        return type(self)(self.numbers[rows])

    @property
    def positions(self) -> Doubles:
        """The positions of the bodies. The shape is (n, d)."""
        raise NotImplementedError

    def turns_to(self, last: _Poses) -> Doubles:
        """Return the angle by which each body has turned from this pose to its pose in ``last``, in
        radians.
        """
        raise NotImplementedError

    def to_local(self, points: Doubles) -> Doubles:
        """Convert points of shape (n, d), one for each body, from world coordinates to the
        coordinates of the bodies.
        """
        raise NotImplementedError

    def to_world(self, points: Doubles) -> Doubles:
        """Convert points of shape (n, d), one for each body, from the coordinates of the bodies to
        world coordinates.
        """
        raise NotImplementedError


class _Poses2D(_Poses):
    __slots__ = ()

    @property
    def positions(self) -> Doubles:
        return self.numbers[:, :2]

    def turns_to(self, last: _Poses) -> Doubles:
        turns: Doubles = np.abs(last.numbers[:, 2] - self.numbers[:, 2])
        return turns

    def to_local(self, points: Doubles) -> Doubles:
        sine, cosine = exact.sincos(self.numbers[:, 2])
        x, y = (points - self.positions).T
        return np.column_stack([cosine * x + sine * y, cosine * y - sine * x])

    def to_world(self, points: Doubles) -> Doubles:
        sine, cosine = exact.sincos(self.numbers[:, 2])
        x, y = points.T
        turned = np.column_stack([cosine * x - sine * y, sine * x + cosine * y])
        placed: Doubles = turned + self.positions
        return placed


class _Poses3D(_Poses):
    __slots__ = ()

    @property
    def positions(self) -> Doubles:
        return self.numbers[:, :3]

    def turns_to(self, last: _Poses) -> Doubles:
        # The distance between two unit quaternions is 2 sin(turn / 4), which is half the turn within
        # 1 % up to 1 radian. The quaternions q and -q are the same rotation.
        before = self.numbers[:, 3:]
        after = last.numbers[:, 3:]
        near, far = (exact.norm(after + sign * before) for sign in (-1.0, 1.0))
        distances: Doubles = np.minimum(near, far)
        return 2 * distances

    def to_local(self, points: Doubles) -> Doubles:
        inverses = quaternions.conjugate(self.numbers[:, 3:])
        return quaternions.rotate(inverses, points - self.positions)

    def to_world(self, points: Doubles) -> Doubles:
        return quaternions.rotate(self.numbers[:, 3:], points) + self.positions


def _poses_of(numbers: Doubles) -> _Poses:
    """Return the poses in the rows of an array with the shape (n, 3) or (n, 7)."""
    return _Poses2D(numbers) if numbers.shape[1] == 3 else _Poses3D(numbers)


class _Walls(NamedTuple):
    """Arrays for all kinematic bodies, in the order of their rows. In the shapes of the arrays, k
    is the number of bodies, p the number of convex parts, and s the number of sides.
    """

    rows: Rows
    """The row of each kinematic body. The shape is (k,)."""
    spans: Doubles
    """The distance from the position of each body to its farthest corner. The shape is (k,)."""
    lengths: Doubles
    """The longest side of each body's bounds. The shape is (k,)."""
    parts: Rows
    """The index of each body's first part, followed by the total number of parts. The shape is (k +
    1,).
    """
    sides: Rows
    """The index of each part's first side, followed by the total number of sides. The shape is (p +
    1,).
    """
    normals: Doubles
    """The outward normals of all sides. The shape is (s, d)."""
    offsets: Doubles
    """The distances of all sides from the positions of their bodies. The shape is (s,)."""

    def sides_of(self, part: Rows) -> tuple[Doubles, Doubles]:
        """Return the normals (m, c, d) and the offsets (m, c) of the sides of m parts. If a part
        has fewer than c sides, its last side is repeated.
        """
        counts = self.sides[part + 1] - self.sides[part]
        numbers = np.minimum(np.arange(counts.max(initial=0)), counts[:, None] - 1)
        chosen = self.sides[part][:, None] + numbers
        return self.normals[chosen], self.offsets[chosen]

    def parts_of(self, walls: Rows) -> tuple[Rows, Rows]:
        """Return all parts of several kinematic bodies, one body after the other. ``walls``
        contains the indices of the bodies, with the shape (m,).

        The first result contains an index of ``walls`` for each part. The second result contains
        the index of the part.
        """
        counts = self.parts[walls + 1] - self.parts[walls]
        owners, index_in_wall = repeated_rows(counts)
        return owners, index_in_wall + self.parts[walls[owners]]


class _Shape(NamedTuple):
    """The shape of one kinematic body. In the shapes of the arrays, p is the number of convex
    parts, and s the number of sides.
    """

    span: float
    """The distance from the position of the body to its farthest corner."""
    length: float
    """The longest side of the body's bounds."""
    counts: Rows
    """The number of sides of each part. The shape is (p,)."""
    normals: Doubles
    """The outward normals of all sides. The shape is (s, d)."""
    offsets: Doubles
    """The distances of all sides from the position of the body. The shape is (s,)."""


class MovingWalls:
    """The kinematic bodies of a world, and their shapes."""

    def __init__(self) -> None:
        # The shape of each kinematic body. The key is the index of the body.
        self._shapes: dict[int, _Shape] = {}
        self._walls: _Walls | None = None
        # Half the thickness of each body, in the order of the rows.
        self._reach: Doubles = np.empty(0)

    def add(self, index: int, parts: Iterable[Doubles]) -> None:
        """Store a new kinematic body.

        In 2D, each item of ``parts`` contains the corners of a convex part, counter-clockwise, with
        the shape (k, 2): see `corners`. In 3D, each item contains either the triangles of one
        convex part, with the shape (1, t, 3, 3), or t single triangles, with the shape (t, 1, 3,
        3). The corners of a triangle are counter-clockwise when seen from outside.
        """
        shape = _shape_of([*parts])
        if shape is not None:
            self._shapes[index] = shape

    def remove(self, index: int) -> None:
        """Remove the stored shapes of a body."""
        self._shapes.pop(index, None)

    def map_order(self, indices: Rows, reach: Doubles) -> None:
        """Set the order of all bodies.

        ``indices`` contains the index of the body in each row. ``reach`` contains half the
        thickness of each body. ``reach`` is infinite for bodies that are not dynamic.
        """
        self._reach = _constant(reach)
        rows = [row for row, index in enumerate(indices.tolist()) if index in self._shapes]
        shapes = [self._shapes[int(indices[row])] for row in rows]
        self._walls = _walls_of(rows, shapes) if rows else None

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

        ``before`` and ``after`` are arrays of poses, with one row per body. ``before`` contains the
        poses at the beginning of a physics step, and ``after`` the poses at its end. ``sent``
        contains the rows of the kinematic bodies whose position or rotation the game has set.

        The method ignores a kinematic body that has turned by more than 1 radian. The method also
        ignores a body in ``sent`` that has moved farther than the longest side of its bounds.
        """
        if self._walls is None:
            return []
        start = _poses_of(before)
        end = _poses_of(after)
        moved, wall_distances = self._moved_walls(self._walls, start, end, sent)
        if not len(moved):
            return []
        distances = _lengths(end.positions - start.positions)
        fast = np.flatnonzero(distances + wall_distances.max() > _SHARE * self._reach)
        if not len(fast):
            return []
        rows = self._walls.rows[moved]
        spans = self._walls.spans[moved, None]
        low, high = _bounds(start.positions[rows], end.positions[rows])
        bounds_of_bodies = _bounds(start.positions[fast], end.positions[fast])
        pairs = pairs_between(*bounds_of_bodies, low - spans, high + spans)
        return self._crossings_of(fast[pairs[:, 0]], moved[pairs[:, 1]], start, end)

    def _moved_walls(
        self, walls: _Walls, start: _Poses, end: _Poses, sent: Rows
    ) -> tuple[Rows, Doubles]:
        """Return the indices of the kinematic bodies that have moved in the step, except the bodies
        that `crossings` ignores. Also return, for each of them, the largest distance that any of
        its points can have moved.
        """
        first = start.at(walls.rows)
        last = end.at(walls.rows)
        distances = _lengths(last.positions - first.positions)
        turns = first.turns_to(last)
        # Comparing with NaN gives False, so bodies with NaN do not count as moved.
        moves: Mask = ((distances > 0) | (turns > 0)) & (turns <= _MAX_TURN)
        if len(sent):
            moves &= (distances <= walls.lengths) | ~np.isin(walls.rows, sent)
        moved = np.flatnonzero(moves & ~np.isnan(distances))
        if not len(moved):
            return moved, np.empty(0)
        return moved, distances[moved] + turns[moved] * walls.spans[moved]

    def _crossings_of(
        self, bodies: Rows, walls: Rows, start: _Poses, end: _Poses
    ) -> list[Crossing]:
        """Return a `Crossing` for each pair of a body and a kinematic body that it has crossed.
        ``bodies`` contains the row of the body in each pair. ``walls`` contains the index of the
        kinematic body in each pair.
        """
        assert self._walls is not None
        pairs, parts = self._walls.parts_of(walls)
        bodies = bodies[pairs]
        wall_rows = self._walls.rows[walls[pairs]]
        ordered: list[tuple[float, Crossing]] = []
        for block in self._blocks(parts):
            body = bodies[block]
            wall = wall_rows[block]
            starts = start.at(wall).to_local(start.positions[body])
            ends = end.at(wall).to_local(end.positions[body])
            fractions, normals = entries(*self._walls.sides_of(parts[block]), starts, ends)
            hits = np.flatnonzero(fractions < np.inf)
            points = starts[hits] + fractions[hits, None] * (ends[hits] - starts[hits])
            points += self._reach[body[hits], None] * normals[hits]
            positions = end.at(wall[hits]).to_world(points)
            owners = zip(body[hits].tolist(), wall[hits].tolist(), positions, strict=True)
            crossings = [Crossing(*owner) for owner in owners]
            ordered += zip(fractions[hits].tolist(), crossings, strict=True)
        ordered.sort(key=lambda item: item[0])
        return [crossing for _, crossing in ordered]

    def _blocks(self, part: Rows) -> Iterator[slice]:
        """Divide the items of ``part`` into blocks that need only a limited amount of memory."""
        assert self._walls is not None
        most_sides = int(np.diff(self._walls.sides).max())
        size = max(1, _SIDES_AT_ONCE // most_sides)
        return (slice(start, start + size) for start in range(0, len(part), size))


def _constant(array: NDArray[T]) -> NDArray[T]:
    """Make an array read-only, so that snapshots do not have to copy it."""
    array.flags.writeable = False
    return array


def _lengths(vectors: Doubles) -> Doubles:
    """Return the length of each vector. ``vectors`` has the shape (n, d)."""
    if vectors.shape[1] == 2:
        length: Doubles = np.hypot(vectors[:, 0], vectors[:, 1])
        return length
    return exact.norm(vectors)


def _bounds(first: Doubles, last: Doubles) -> tuple[Doubles, Doubles]:
    return np.minimum(first, last), np.maximum(first, last)


def entries(
    normals: Doubles, offsets: Doubles, starts: Doubles, ends: Doubles
) -> tuple[Doubles, Doubles]:
    """Return where each line enters its convex polygon, and the outward normal of the side that the
    line crosses. The first result contains a fraction for each line, from 0 at the start to 1 at
    the end, with the shape (m,). The second result contains one normal for each line, with the
    shape (m, d).

    The fraction is infinite if a line does not enter its polygon, or starts inside the polygon.
    ``normals`` and ``offsets`` describe the sides of each polygon, or of each convex solid in 3D.
    ``normals`` has the shape (m, s, d), and ``offsets`` has the shape (m, s). ``starts`` and
    ``ends`` are the end points of the lines, as arrays of the shape (m, d).
    """
    # How far each point is from each side of its polygon, with the shape (m, s).
    first, last = (exact.dot(normals, points[:, None]) - offsets for points in (starts, ends))
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


def _shape_of(parts: list[Doubles]) -> _Shape | None:
    """Return the shape of a body with the argument ``parts`` of `MovingWalls.add`. If the parts
    have no area, return None.
    """
    sides = [_sides_of_part(part) for part in parts if len(part)]
    if not sides:
        return None
    points = np.concatenate([part.reshape(-1, part.shape[-1]) for part in parts])
    normals = np.concatenate([side.reshape(-1, side.shape[-1]) for side, _ in sides])
    counts = np.concatenate([np.full(len(side), side.shape[1]) for side, _ in sides])
    return _Shape(
        float(_lengths(points).max()),
        float(np.ptp(points, axis=0).max()),
        _constant(counts),
        _constant(normals),
        _constant(np.concatenate([offsets.ravel() for _, offsets in sides])),
    )


def _walls_of(rows: list[int], shapes: list[_Shape]) -> _Walls:
    """Return the arrays for the kinematic bodies in ``rows``, which have the shapes ``shapes``."""
    counts = np.concatenate([shape.counts for shape in shapes])
    arrays = (
        np.array(rows, np.intp),
        np.array([shape.span for shape in shapes]),
        np.array([shape.length for shape in shapes]),
        np.cumsum([0, *(len(shape.counts) for shape in shapes)]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([shape.normals for shape in shapes]),
        np.concatenate([shape.offsets for shape in shapes]),
    )
    return _Walls(*map(_constant, arrays))


def _sides_of_part(part: Doubles) -> tuple[Doubles, Doubles]:
    """Return the normals (p, s, d) and the offsets (p, s) of the sides of p convex parts. ``part``
    is an item of the argument ``parts`` of `MovingWalls.add`.
    """
    if part.ndim == 2:
        normals, offsets = _sides_of(part)
        return normals[None], offsets[None]
    return _sides_of_solids(part) if part.shape[1] > 1 else _sides_of_sheets(part[:, 0])


def _sides_of(ring: Doubles) -> tuple[Doubles, Doubles]:
    """Return the outward normal of each side of a polygon, and the distance of each side from the
    origin. The normals have the shape (k, 2), and the distances have the shape (k,).
    """
    sides = np.roll(ring, -1, axis=0) - ring
    normals = np.column_stack([sides[:, 1], -sides[:, 0]]) / np.hypot(*sides.T)[:, None]
    return normals, exact.dot(normals, ring)


def _sides_of_solids(solids: Doubles) -> tuple[Doubles, Doubles]:
    """Return the outward normals (p, t, 3) and the offsets (p, t) of the sides of p convex solids,
    which consist of t triangles each.
    """
    corner = solids[:, :, 0]
    second = solids[:, :, 1]
    third = solids[:, :, 2]
    normals = _unit(cross(second - corner, third - corner))
    return normals, exact.dot(normals, corner)


def _sides_of_sheets(triangles: Doubles) -> tuple[Doubles, Doubles]:
    """Return the normals (p, 5, 3) and the offsets (p, 5) of p triangles as parts without
    thickness: the front, the back, and the three edges of each triangle.
    """
    edges = np.roll(triangles, -1, axis=1) - triangles
    front = cross(edges[:, :1], edges[:, 1:2])
    normals = _unit(np.concatenate([front, -front, cross(edges, front.repeat(3, axis=1))], axis=1))
    return normals, exact.dot(normals, triangles[:, [0, 0, 0, 1, 2]])


def _unit(vectors: Doubles) -> Doubles:
    """Return vectors (p, s, 3), scaled to the length 1."""
    scaled: Doubles = vectors / exact.norm(vectors)[..., None]
    return scaled


def corners(shape: PlaneShape) -> Doubles:
    """Return the corners of a 2D shape, counter-clockwise. The rounded parts of circles and capsules
    become many short sides.
    """
    if isinstance(shape, BoxShape):
        return np.array(corners_of(shape))
    if isinstance(shape, Circle):
        return _corners_of_capsule(Capsule(shape.center, shape.center, shape.radius))
    if isinstance(shape, Capsule):
        return _corners_of_capsule(shape)
    x, y = (shape.corners - shape.corners[0]).T
    area = float(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    upright: Doubles = shape.corners if area > 0 else shape.corners[::-1]
    return upright


def _corners_of_capsule(capsule: Capsule) -> Doubles:
    (x, y), (end_x, end_y), radius = capsule
    angle = float(exact.arctan2(end_y - y, end_x - x))
    turns = np.linspace(-np.pi / 2, np.pi / 2, _ROUND_SIDES // 2 + 1) + angle
    arc = radius * np.column_stack([exact.cos(turns), exact.sin(turns)])
    ring = np.concatenate([arc + (end_x, end_y), (x, y) - arc])
    differs: Mask = (ring != np.roll(ring, -1, axis=0)).any(axis=1)
    return ring[differs]
