"""The tiles, slopes and boxes that block moving bodies.

A body is an upright box. While the bodies in ``rows`` move along ``axis``, `MovingBoxes` calls the
method ``stop(bodies, axis, rows, sign, lead, ahead)`` of each obstacle to find the bodies that it
stops. The front edges of the bodies move from ``lead`` to ``ahead``, in the direction ``sign``,
which is 1 or -1 for each body. ``rows``, ``lead`` and ``ahead`` are arrays of shape (m,). ``stop``
returns two arrays: the indices in ``rows`` of the stopped bodies, and the positions of the edges
that stop them. Obstacles compare edges exactly, without a tolerance for rounding. A body that only
touches an edge is outside the obstacle, and stays outside.

A body that starts inside an obstacle can leave it, but cannot move deeper into it. `collide.move`
calls the method ``find_inside`` once per call, to find the bodies that start inside an obstacle.
The method ``deeper`` returns the indices in ``rows`` of the bodies that would move deeper into the
obstacle (see `penetration`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Rows
from .penetration import deeper_into_boxes, deeper_into_tiles
from .tilegrid import Boxes, Tiles, halves, mask

GROUND_TOLERANCE = 1 / 64
"""The largest distance to the ground at which a body still stands on the ground, as a fraction of
the body's height.
"""

# A body that covers more tiles than this is compared with its tiles separately.
_MAX_SMALL = 36

_NONE: tuple[Rows, Doubles] = np.empty(0, np.intp), np.empty(0)

_Range = tuple[Rows, Rows]
"""The range of tiles that each body covers along an axis: the index of the first tile, and of the
tile after the last.
"""


def rows_at(rows: Rows | slice, indices: Rows) -> Rows:
    """Return the rows at ``indices`` in ``rows``. ``rows`` is an array of rows, or a slice that
    contains all rows.
    """
    return indices if isinstance(rows, slice) else rows[indices]


class BoxPositions(NamedTuple):
    """The positions and sizes of all bodies, which the obstacles read."""

    at: list[Doubles]
    """The centers of the bodies in units: one array of shape (n,) for x, and one for y."""
    half: list[Doubles]
    """Half the widths and half the heights of the bodies, in units: two arrays of shape (n,)."""
    through: Mask | None
    """Whether each body falls through one-way tiles and boxes: a bool array of shape (n,). The
    value is None if no body falls through.
    """

    def span(self, axis: int, rows: Rows | slice) -> tuple[Doubles, Doubles]:
        """Return the lower and upper edges of bodies along an axis. The lower edges and the upper
        edges are arrays of shape (m,).
        """
        at = self.at[axis][rows]
        half = self.half[axis][rows]
        return at - half, at + half


class Obstacle(Protocol):
    """The interface of an object that stops moving bodies. The docstring of the module `obstacles`
    describes the methods.
    """

    def find_inside(self, bodies: BoxPositions) -> None: ...

    def deeper(
        self, bodies: BoxPositions, axis: int, rows: Rows | slice, sign: Doubles
    ) -> Rows: ...

    def stop(
        self,
        bodies: BoxPositions,
        axis: int,
        rows: Rows | slice,
        sign: Doubles,
        lead: Doubles,
        ahead: Doubles,
    ) -> tuple[Rows, Doubles]: ...


class _Crossing(NamedTuple):
    """Bodies that cross the edges of tiles while they move along an axis."""

    axis: int
    rows: Rows
    sign: Doubles
    low: Rows
    # The range of tiles that each body covers on the other axis. The tile `high` is not part of the
    # range.
    high: Rows
    reach: Doubles  # the displacement of the bodies along the axis

    def take(self, indices: Rows) -> _Crossing:
        return _Crossing(
            self.axis,
            self.rows[indices],
            self.sign[indices],
            self.low[indices],
            self.high[indices],
            self.reach[indices],
        )


class TileObstacle:
    """Solid tiles and one-way tiles that stop bodies."""

    def __init__(self, tiles: Tiles) -> None:
        height, width = tiles.solid.shape
        self.counts = width, height
        self.pitch = float(tiles.tile_size[0]), float(tiles.tile_size[1])
        self.origin = float(tiles.position[0]), float(tiles.position[1])
        self._solid = tiles.solid
        self._one_way: Mask | None = getattr(tiles, "one_way", None)
        # A division by a power of two is exact. Another quotient may be rounded up to the next
        # whole number.
        self._exact = [
            np.frexp(pitch)[0] == 0.5 and start == 0
            for pitch, start in zip(self.pitch, self.origin, strict=True)
        ]
        self._inside: Mask | None = None

    def find_inside(self, bodies: BoxPositions) -> None:
        """Find the bodies that overlap solid tiles before they move."""
        columns, rows = (self.covered(axis, *bodies.span(axis, slice(None))) for axis in (0, 1))
        left, right = columns
        bottom, top = rows
        covers = (left < right) & (bottom < top)
        if not covers.any():
            return
        inside: Mask = covers & self._solid_at_corners(columns, rows)
        # If a body covers at most 2 x 2 tiles, the tiles at its four corners are all its tiles.
        unknown = covers & ~inside & ((right - left > 2) | (top - bottom > 2))
        is_small = (right - left) * (top - bottom) <= _MAX_SMALL
        height = self.counts[1]
        for body in np.flatnonzero(unknown & ~is_small).tolist():
            solid = self._solid[height - top[body] : height - bottom[body]]
            inside[body] = solid[:, left[body] : right[body]].any()
        for part, x, y in _tiles_in(columns, rows, np.flatnonzero(unknown & is_small)):
            inside[part] |= self._solid[height - 1 - y, x]
        self._inside = inside if inside.any() else None

    def _solid_at_corners(self, columns: _Range, rows: _Range) -> Mask:
        """Return whether a tile at a corner of each body is solid. Reading a one-dimensional array
        by index takes a third of the time of `_tiles_in`.
        """
        left, right = columns
        bottom, top = rows
        width, height = self.counts
        solid = self._solid.reshape(-1)
        hit = np.zeros(len(left), bool)
        for start_of_row in ((height - 1 - bottom) * width, (height - top) * width):
            for column in (left, right - 1):
                hit |= solid.take(start_of_row + column, mode="clip")
        return hit

    def deeper(self, bodies: BoxPositions, axis: int, rows: Rows | slice, sign: Doubles) -> Rows:
        if self._inside is None:
            return _NONE[0]
        indices = np.flatnonzero(self._inside[rows])
        inside_rows = rows_at(rows, indices)
        spans = bodies.span(0, inside_rows), bodies.span(1, inside_rows)
        ranges = self.covered(0, *spans[0]), self.covered(1, *spans[1])
        return indices[
            deeper_into_tiles(
                self._solid, axis, sign[indices], ranges, spans, self.origin, self.pitch
            )
        ]

    def edge(self, axis: int, number: Any) -> Doubles:
        """Return the position of the left or lower edge of a tile, in units. ``number`` is the
        index of the tile, counted from the left or from the bottom.
        """
        edges: Doubles = self.origin[axis] + number * self.pitch[axis]
        return edges

    def steps(self, axis: int, sign: Doubles | float, at: Doubles) -> Doubles:
        """Return the index of the first tile edge that a body reaches when it moves from ``at`` in
        the direction ``sign``. An edge exactly at the start counts.
        """
        start = self.origin[axis]
        pitch = self.pitch[axis]
        if self._exact[axis]:
            exact_number: Doubles = np.ceil(at * (sign / pitch))
            return exact_number
        number = np.ceil((at - start) * sign / pitch)
        number -= sign * (start + sign * (number - 1) * pitch) >= sign * at
        number += sign * (start + sign * number * pitch) < sign * at
        return number

    def covered(self, axis: int, low: Doubles, high: Doubles) -> _Range:
        """Return the range of tiles that each body covers along an axis. The body covers the range
        from ``low`` to ``high``, in units.

        The method returns two indices: the first tile, and the tile after the last tile.
        """
        count = self.counts[axis]
        first = -self.steps(axis, -1.0, low)
        last = self.steps(axis, 1.0, high)
        return np.clip(first, 0, count).astype(np.intp), np.clip(last, 0, count).astype(np.intp)

    def stop(
        self,
        bodies: BoxPositions,
        axis: int,
        rows: Rows | slice,
        sign: Doubles,
        lead: Doubles,
        ahead: Doubles,
    ) -> tuple[Rows, Doubles]:
        first = self.steps(axis, sign, lead)
        last = self.steps(axis, sign, ahead)
        met = np.flatnonzero(last > first)
        if not len(met):
            return _NONE
        moving = rows_at(rows, met)
        beside = self.covered(1 - axis, *bodies.span(1 - axis, moving))
        crossing = _Crossing(axis, moving, sign[met], *beside, (ahead - lead)[met])
        stopped, edges = self._first_edges(bodies, crossing, first[met], last[met])
        return met[stopped], edges

    def _first_edges(
        self, bodies: BoxPositions, crossing: _Crossing, first: Doubles, last: Doubles
    ) -> tuple[Rows, Doubles]:
        """Return the indices in ``crossing`` of the bodies that a tile stops, and the edges that
        stop them. The bodies enter the tiles from step ``first`` to the step before ``last``.
        """
        axis = crossing.axis
        # For the direction -1, count from the other side: the tiles 0 .. n-1 have the steps -n ..
        # -1.
        count = float(self.counts[axis])
        up = crossing.sign > 0
        first = np.maximum(first, np.where(up, 0.0, -count))
        last = np.minimum(last, np.where(up, count, 0.0))
        active = np.flatnonzero((first < last) & (crossing.low < crossing.high))
        stopped: list[Rows] = []
        edges: list[Doubles] = []
        number = first[active]
        while len(active):
            entering = crossing.take(active)
            tile = np.where(entering.sign > 0, number, -1 - number).astype(np.intp)
            hit = self._stops(bodies, entering, tile)
            if hit.any():
                stopped.append(active[hit])
                edges.append(self.edge(axis, (entering.sign * number)[hit]))
            number += 1
            goes_further = ~hit & (number < last[active])
            active = active[goes_further]
            number = number[goes_further]
        return (np.concatenate(stopped), np.concatenate(edges)) if stopped else _NONE

    def _stops(self, bodies: BoxPositions, crossing: _Crossing, tile: Rows) -> Mask:
        """For each body that enters the column or row ``tile``, return whether a tile stops the
        body.
        """
        hit = self._any(self._solid, crossing, tile)
        if self._one_way is not None and crossing.axis == 1:
            one_way_hit: Mask = (crossing.sign < 0) & self._any(self._one_way, crossing, tile)
            if bodies.through is not None:
                one_way_hit &= ~bodies.through[crossing.rows]
            hit |= one_way_hit
        return hit

    def _any(self, tiles: Mask, crossing: _Crossing, tile: Rows) -> Mask:
        """For each body, return whether ``tiles`` is True for at least one of the tiles that the
        body enters.
        """
        hit = np.zeros(len(tile), bool)
        for selection, other_tile in _by_number(crossing.low, crossing.high):
            x, y = (
                (tile[selection], other_tile)
                if crossing.axis == 0
                else (other_tile, tile[selection])
            )
            hit[selection] |= tiles[self.counts[1] - 1 - y, x]
        return hit


def _by_number(low: Rows, high: Rows) -> list[tuple[Rows | slice, Rows]]:
    """Return the integers in n ranges, as a list of pairs (rows, numbers). In each pair, ``rows``
    contains the indices of the ranges.

    The first pair contains the first number of each range, the second pair the second number, and
    so on. Each range starts at ``low`` and ends before ``high``.
    """
    count = int((high - low).max(initial=0))
    parts: list[tuple[Rows | slice, Rows]] = []
    if count:
        parts.append((slice(None), low))
    if count > 1:
        parts.append((slice(None), np.minimum(low + 1, high - 1)))
    # This loop rarely runs, because few bodies cover more than two tiles.
    for number in range(2, count):
        longer = np.flatnonzero(low + number < high)
        parts.append((longer, low[longer] + number))
    return parts


def _tiles_in(columns: _Range, rows: _Range, bodies: Rows) -> Iterator[tuple[Rows, Rows, Rows]]:
    """Yield the tiles that ``bodies`` cover, one tile of each body at a time. Each item contains
    the bodies that cover one more tile, and the columns and rows of these tiles.
    """
    left, right = columns
    bottom, top = rows
    for selection, x in _by_number(left[bodies], right[bodies]):
        wide_bodies = bodies[selection]
        for part, y in _by_number(bottom[wide_bodies], top[wide_bodies]):
            yield wide_bodies[part], x[part], y


class SlopeObstacle(TileObstacle):
    """Sloped tiles that stop bodies. The ground of a sloped tile is a straight line from its left
    edge to its right edge.

    On a slope, a body stands on one of its two lower corners: the corner above the higher ground.
    """

    def __init__(self, tiles: Tiles, slopes: Doubles) -> None:
        super().__init__(tiles)
        self._heights = slopes
        self._sloped: Mask = np.asarray(slopes.any(axis=2))
        self.steepness = (
            float(np.abs(slopes[..., 1] - slopes[..., 0]).max()) * self.pitch[1] / self.pitch[0]
        )
        """The slope of the steepest tile: units up per unit to the side."""

    def slack(self, reach: Doubles) -> Doubles:
        """Return the largest height by which slopes can lift the bodies, in units, if they move by
        ``reach`` along x.
        """
        return np.abs(reach) * (self.steepness * (1 + 1e-9)) + 1e-6 * self.pitch[1]

    def _stops(self, bodies: BoxPositions, crossing: _Crossing, tile: Rows) -> Mask:
        # A slope stops bodies from below here; `stop` handles falling bodies.
        if crossing.axis == 1:
            return (crossing.sign > 0) & self._any(self._sloped, crossing, tile)
        bottom = bodies.span(1, crossing.rows)[0] + self.slack(crossing.reach)
        side = np.where(crossing.sign > 0, 0, 1)
        hit = np.zeros(len(tile), bool)
        for selection, y in _by_number(crossing.low, crossing.high):
            height = self._heights[self.counts[1] - 1 - y, tile[selection], side[selection]]
            top = np.where(
                height == 1, self.edge(1, y + 1.0), self.edge(1, y + 0.0) + height * self.pitch[1]
            )
            hit[selection] |= (height > 0) & (bottom[selection] < top)
        return hit

    def stop(
        self,
        bodies: BoxPositions,
        axis: int,
        rows: Rows | slice,
        sign: Doubles,
        lead: Doubles,
        ahead: Doubles,
    ) -> tuple[Rows, Doubles]:
        if axis == 0 or (sign > 0).all():
            return super().stop(bodies, axis, rows, sign, lead, ahead)
        rising, edges = super().stop(bodies, axis, rows, sign, lead, ahead)
        falling = np.flatnonzero(sign < 0)
        ground = self.ground(bodies, rows_at(rows, falling), ahead[falling], lead[falling])
        stopped = ground > ahead[falling]
        # A body that is already below the ground must not sink further.
        level = np.minimum(ground, lead[falling])[stopped]
        return np.concatenate([rising, falling[stopped]]), np.concatenate([edges, level])

    def ground(self, bodies: BoxPositions, rows: Rows, low: Doubles, high: Doubles) -> Doubles:
        """Return the height of the highest ground below each body, or -inf if there is no ground.

        The method reads only tiles between the heights ``low`` and ``high``.
        """
        left, right = bodies.span(0, rows)
        columns = self.covered(0, left, right)
        tile_rows = self.covered(1, low, np.nextafter(high, np.inf))
        highest = np.full(len(rows), -np.inf)
        covering = np.flatnonzero((columns[0] < columns[1]) & (tile_rows[0] < tile_rows[1]))
        for each, x, y in _tiles_in(columns, tile_rows, covering):
            level = self._level(x, y, left[each], right[each])
            highest[each] = np.maximum(highest[each], level)
        return highest

    def _level(self, x: Rows, y: Rows, left: Doubles, right: Doubles) -> Doubles:
        """For each tile, return the height of its highest ground in the range from ``left`` to
        ``right``. ``x`` is the column and ``y`` is the row of each tile.
        """
        heights = self._heights[self.counts[1] - 1 - y, x]
        start = heights[:, 0]
        end = heights[:, 1]
        levels = []
        for x_position in (left, right):
            share_across = np.clip((x_position - self.edge(0, x + 0.0)) / self.pitch[0], 0, 1)
            levels.append(np.where(share_across == 1, end, start + (end - start) * share_across))
        highest_share = np.maximum(*levels)
        top = np.where(
            highest_share >= 1,
            self.edge(1, y + 1.0),
            self.edge(1, y + 0.0) + highest_share * self.pitch[1],
        )
        sloped: Doubles = np.where(self._sloped[self.counts[1] - 1 - y, x], top, -np.inf)
        return sloped


class BoxObstacle:
    """Upright boxes that stop bodies. Each body is compared only with the boxes near it.

    ``pairs`` is an array of shape (m, 2). Each pair consists of the row of a body, and the row of a
    box near this body.
    """

    carrying: Rows | None = None
    """The row of the box that carries each body, or -1: an array of shape (n,). A box does not stop
    the body that it carries. The value is None if no box carries a body.
    """

    def __init__(self, boxes: Boxes, pairs: Rows) -> None:
        self.boxes = boxes
        self.bodies = pairs[:, 0]
        self.near = pairs[:, 1]
        self._low = [np.ascontiguousarray(boxes.low[self.near, axis]) for axis in (0, 1)]
        self._high = [np.ascontiguousarray(boxes.high[self.near, axis]) for axis in (0, 1)]
        self._one_way = boxes.one_way[self.near]
        self._inside: Rows | None = None  # the pairs of a body and a box that overlap at the start

    def find_inside(self, bodies: BoxPositions) -> None:
        """Find the bodies that overlapped a box at the start of the tick, before the boxes moved."""
        inside = ~self._one_way
        for axis in (0, 1):
            low, high = bodies.span(axis, self.bodies)
            box_low = self._low[axis]
            box_high = self._high[axis]
            if self.boxes.displacement is not None:
                # A moving box also pushes a body that overlapped the box by less than the
                # tolerance.
                displacement = self.boxes.displacement[self.near]
                moves = (displacement != 0).any(axis=1)
                tolerance = moves * (GROUND_TOLERANCE * bodies.half[axis][self.bodies])
                box_low = box_low - displacement[:, axis] + tolerance
                box_high = box_high - displacement[:, axis] - tolerance
            inside &= (low < box_high) & (high > box_low)
        self._inside = np.flatnonzero(inside) if inside.any() else None

    def deeper(self, bodies: BoxPositions, axis: int, rows: Rows | slice, sign: Doubles) -> Rows:
        if self._inside is None:
            return _NONE[0]
        index_of_row = _indices_by_row(rows, len(bodies.at[0]))
        pairs = self._still_inside(bodies, self._inside)
        pairs = pairs[index_of_row[self.bodies[pairs]] >= 0]
        body = self.bodies[pairs]
        indices = index_of_row[body]
        low = self._low[0][pairs], self._low[1][pairs]
        high = self._high[0][pairs], self._high[1][pairs]
        deeper = deeper_into_boxes(
            axis, sign[indices], body, low, high, (bodies.span(0, body), bodies.span(1, body))
        )
        return np.unique(indices[deeper])

    def _still_inside(self, bodies: BoxPositions, pairs: Rows) -> Rows:
        """Return the pairs whose body still overlaps the box, and is not carried by the box."""
        body = self.bodies[pairs]
        overlap = np.ones(len(pairs), bool)
        for axis in (0, 1):
            low, high = bodies.span(axis, body)
            overlap &= (low < self._high[axis][pairs]) & (high > self._low[axis][pairs])
        if self.carrying is not None:
            overlap &= self.near[pairs] != self.carrying[body]
        return pairs[overlap]

    def stop(
        self,
        bodies: BoxPositions,
        axis: int,
        rows: Rows | slice,
        sign: Doubles,
        lead: Doubles,
        ahead: Doubles,
    ) -> tuple[Rows, Doubles]:
        pairs: Rows | slice = slice(None)
        indices = self.bodies  # the index in `rows` of the body in each pair
        if not isinstance(rows, slice):
            index_of_row = _indices_by_row(rows, len(bodies.at[0]))
            pairs = np.flatnonzero(index_of_row[self.bodies] >= 0)
            indices = index_of_row[self.bodies[pairs]]
        if not len(indices):
            return _NONE
        direction = sign[indices]
        edge = direction * np.where(direction > 0, self._low[axis][pairs], self._high[axis][pairs])
        start, end = bodies.span(1 - axis, self.bodies[pairs])
        hit = (start < self._high[1 - axis][pairs]) & (end > self._low[1 - axis][pairs])
        hit &= ((sign * lead)[indices] <= edge) & ((sign * ahead)[indices] > edge)
        if self.carrying is not None:
            hit &= self.near[pairs] != self.carrying[self.bodies[pairs]]
        if self._one_way[pairs].any():
            hit &= ~self._one_way[pairs] | self._falls_onto(bodies, axis, direction, pairs)
        nearest = np.full(len(sign), np.inf)
        np.minimum.at(nearest, indices[hit], edge[hit])
        met = np.flatnonzero(nearest < np.inf)
        return met, (nearest * sign)[met]

    def _falls_onto(
        self, bodies: BoxPositions, axis: int, direction: Doubles, pairs: Rows | slice
    ) -> Mask:
        """For each pair, return whether a one-way box would stop the body."""
        falls: Mask = np.asarray(direction < 0) & (axis == 1)
        if bodies.through is not None:
            falls &= ~bodies.through[self.bodies[pairs]]
        return falls


def _indices_by_row(rows: Rows | slice, count: int) -> Rows:
    """Return the index in ``rows`` of each of ``count`` bodies, or -1 for a body that is not in
    ``rows``.
    """
    indices = np.full(count, -1, np.intp)
    indices[rows] = np.arange(count if isinstance(rows, slice) else len(rows))
    return indices


def on_tiles(tiles: Tiles, which: ArrayLike, position: ArrayLike, size: ArrayLike) -> Mask:
    """Return whether each upright box overlaps a marked tile. The result is a bool array of shape
    (n,). Use `on_tiles` to find bodies on ladders, in water or in traps.

    Parameters
    ----------
    tiles
        A `TileGrid` or a similar object. Only the tile size and the position of ``tiles`` are used.
    which
        Whether each tile is marked: a bool array of shape (h, w). Row 0 is the top row.
    position
        The centers of the boxes, in units: an array of shape (n, 2).
    size
        The widths and heights of the boxes, in units: an array of shape (n, 2), or one row of shape
        (2,) for all boxes.

    A box that only touches a tile does not overlap this tile.
    """
    marked = mask("which", which, tiles.solid.shape)
    centers: Doubles = checks.numbers("position", position, (None, 2))
    half = halves(size, len(centers))
    grid = TileObstacle(tiles)
    columns, rows = (
        grid.covered(axis, centers[:, axis] - half[:, axis], centers[:, axis] + half[:, axis])
        for axis in (0, 1)
    )
    overlapping = np.zeros(len(centers), bool)
    covering = np.flatnonzero((columns[0] < columns[1]) & (rows[0] < rows[1]))
    for part, x, y in _tiles_in(columns, rows, covering):
        overlapping[part] |= marked[grid.counts[1] - 1 - y, x]
    return overlapping
