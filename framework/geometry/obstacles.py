"""How far upright boxes get along an axis before something stops them: a tile, the ground of a
slope, another box.

Every obstacle has ``stop(bodies, axis, rows, sign, lead, ahead)``: of rows whose foremost edges go
from ``lead`` to ``ahead`` in the direction ``sign`` (all (m,)) along ``axis``, those that are
stopped (their places in ``rows``) and the edges that stop them. Edges are compared as they are in
floating point, with no tolerance: what ends at an edge is outside, and stays there. Only what a
body comes upon counts; what it is in already, it may leave.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Rows
from .tilegrid import Boxes, Tiles, halves, mask

_NONE: tuple[Rows, Doubles] = np.empty(0, np.intp), np.empty(0)


class Moving(NamedTuple):
    """Upright boxes that move: what obstacles read of them."""

    at: list[Doubles]
    """Their middles, x and y apart, (n,) each."""
    half: list[Doubles]
    """Half their widths and heights, (n,) each."""
    through: Mask | None
    """Which of them one-way tiles and boxes do not hold."""

    def span(self, axis: int, rows: Rows | slice) -> tuple[Doubles, Doubles]:
        """From where to where they are along an axis."""
        at, half = self.at[axis][rows], self.half[axis][rows]
        return at - half, at + half


class Obstacle(Protocol):
    """See the module."""

    def stop(
        self,
        bodies: Moving,
        axis: int,
        rows: Rows | slice,
        sign: Doubles,
        lead: Doubles,
        ahead: Doubles,
    ) -> tuple[Rows, Doubles]: ...


class _Crossing(NamedTuple):
    """Rows of bodies that come upon further columns (or rows) of tiles."""

    axis: int
    rows: Rows
    sign: Doubles
    low: Rows
    high: Rows  # the tiles that they are in across: low .. high - 1
    reach: Doubles  # how far they go


class TileObstacle:
    """The solid tiles of a grid, and those that hold what falls on them."""

    def __init__(self, tiles: Tiles) -> None:
        height, width = tiles.solid.shape
        self.counts = width, height
        self.pitch = float(tiles.tile_size[0]), float(tiles.tile_size[1])
        self.origin = float(tiles.position[0]), float(tiles.position[1])
        self._solid = tiles.solid
        self._one_way: Mask | None = getattr(tiles, "one_way", None)
        # A quotient by a power of two is exact; any other may be rounded to the next whole number.
        self._exact = [
            np.frexp(pitch)[0] == 0.5 and start == 0
            for pitch, start in zip(self.pitch, self.origin, strict=True)
        ]

    def edge(self, axis: int, number: Any) -> Doubles:
        """Where the tile of a number begins, counted from the left, or from below."""
        edges: Doubles = self.origin[axis] + number * self.pitch[axis]
        return edges

    def steps(self, axis: int, sign: Doubles | float, at: Doubles) -> Doubles:
        """The number, in the direction ``sign``, of the first edge that is at or beyond ``at``."""
        start, pitch = self.origin[axis], self.pitch[axis]
        if self._exact[axis]:
            whole: Doubles = np.ceil(at * (sign / pitch))
            return whole
        number = np.ceil((at - start) * sign / pitch)
        number -= sign * (start + sign * (number - 1) * pitch) >= sign * at
        number += sign * (start + sign * number * pitch) < sign * at
        return number

    def covered(self, axis: int, low: Doubles, high: Doubles) -> tuple[Rows, Rows]:
        """The tiles of the grid that bodies from ``low`` to ``high`` are in: from the first to
        before the second.
        """
        most = self.counts[axis]
        first, last = -self.steps(axis, -1.0, low), self.steps(axis, 1.0, high)
        return np.clip(first, 0, most).astype(np.intp), np.clip(last, 0, most).astype(np.intp)

    def stop(
        self,
        bodies: Moving,
        axis: int,
        rows: Rows | slice,
        sign: Doubles,
        lead: Doubles,
        ahead: Doubles,
    ) -> tuple[Rows, Doubles]:
        first, last = self.steps(axis, sign, lead), self.steps(axis, sign, ahead)
        met = np.flatnonzero(last > first)
        if not len(met):
            return _NONE
        return self._first_in_the_way(
            bodies, axis, rows, met, sign[met], first[met], last[met], (ahead - lead)[met]
        )

    def _first_in_the_way(
        self,
        bodies: Moving,
        axis: int,
        rows: Rows | slice,
        met: Rows,
        sign: Doubles,
        first: Doubles,
        last: Doubles,
        reach: Doubles,
    ) -> tuple[Rows, Doubles]:
        # In the direction of -1, the tiles 0 .. n-1 are the steps -n .. -1.
        count, up = float(self.counts[axis]), sign > 0
        first, last = (
            np.maximum(first, np.where(up, 0.0, -count)),
            np.minimum(last, np.where(up, count, 0.0)),
        )
        which = met if isinstance(rows, slice) else rows[met]
        low, high = self.covered(1 - axis, *bodies.span(1 - axis, which))
        active = np.flatnonzero((first < last) & (low < high))
        found: list[Rows] = []
        edges: list[Doubles] = []
        number = first[active]
        while len(active):
            ahead = sign[active]
            tile = np.where(ahead > 0, number, -1 - number).astype(np.intp)
            crossing = _Crossing(
                axis, which[active], ahead, low[active], high[active], reach[active]
            )
            hit = self._held(bodies, crossing, tile)
            if hit.any():
                found.append(active[hit])
                edges.append(self.edge(axis, (ahead * number)[hit]))
            number += 1
            on = ~hit & (number < last[active])
            active, number = active[on], number[on]
        return (met[np.concatenate(found)], np.concatenate(edges)) if found else _NONE

    def _held(self, bodies: Moving, crossing: _Crossing, tile: Rows) -> Mask:
        """Whether any of the tiles in the next column (or row) ``tile`` is in the way."""
        hit = self._any(self._solid, crossing, tile)
        if self._one_way is not None and crossing.axis == 1:
            held: Mask = (crossing.sign < 0) & self._any(self._one_way, crossing, tile)
            if bodies.through is not None:
                held &= ~bodies.through[crossing.rows]
            hit |= held
        return hit

    def _any(self, tiles: Mask, crossing: _Crossing, tile: Rows) -> Mask:
        """Whether ``tiles`` has any of those that are crossed."""
        hit = np.zeros(len(tile), bool)
        for some, across in _each(crossing.low, crossing.high):
            x, y = (tile[some], across) if crossing.axis == 0 else (across, tile[some])
            hit[some] |= tiles[self.counts[1] - 1 - y, x]
        return hit


def _each(low: Rows, high: Rows) -> list[tuple[Rows | slice, Rows]]:
    """Numbers from ``low`` to before ``high``, the first of all rows, the second, …: which rows,
    and their numbers.
    """
    most = int((high - low).max(initial=0))
    parts: list[tuple[Rows | slice, Rows]] = []
    if most:
        parts.append((slice(None), low))
    if most > 1:
        parts.append((slice(None), np.minimum(low + 1, high - 1)))
    for number in range(2, most):  # few bodies are that large
        some = np.flatnonzero(low + number < high)
        parts.append((some, low[some] + number))
    return parts


class SlopeObstacle(TileObstacle):
    """The ground of a grid's slopes: a line from the left edge of each tile to its right, on which
    boxes lie by the corner that is lowest above it."""

    def __init__(self, tiles: Tiles, slopes: Doubles) -> None:
        super().__init__(tiles)
        self._heights = slopes
        self._sloped: Mask = np.asarray(slopes.any(axis=2))
        self.steepness = (
            float(np.abs(slopes[..., 1] - slopes[..., 0]).max()) * self.pitch[1] / self.pitch[0]
        )
        """Of the steepest: how far up it goes for each unit across."""

    def slack(self, reach: Doubles) -> Doubles:
        """How far up bodies may be lifted that go ``reach`` across."""
        return np.abs(reach) * (self.steepness * (1 + 1e-9)) + 1e-6 * self.pitch[1]

    def _held(self, bodies: Moving, crossing: _Crossing, tile: Rows) -> Mask:
        if crossing.axis == 1:  # from below; what falls is stopped by the ground
            return (crossing.sign > 0) & self._any(self._sloped, crossing, tile)
        bottom = bodies.span(1, crossing.rows)[0] + self.slack(crossing.reach)
        side = np.where(crossing.sign > 0, 0, 1)
        hit = np.zeros(len(tile), bool)
        for some, y in _each(crossing.low, crossing.high):
            height = self._heights[self.counts[1] - 1 - y, tile[some], side[some]]
            top = np.where(
                height == 1, self.edge(1, y + 1.0), self.edge(1, y + 0.0) + height * self.pitch[1]
            )
            hit[some] |= (height > 0) & (bottom[some] < top)
        return hit

    def stop(
        self,
        bodies: Moving,
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
        which = falling if isinstance(rows, slice) else rows[falling]
        ground = self.ground(bodies, which, ahead[falling], lead[falling])
        stopped = ground > ahead[falling]
        # Who is below the ground already sinks no further.
        level = np.minimum(ground, lead[falling])[stopped]
        return np.concatenate([rising, falling[stopped]]), np.concatenate([edges, level])

    def ground(self, bodies: Moving, rows: Rows, low: Doubles, high: Doubles) -> Doubles:
        """The highest ground under each body, of the tiles between ``low`` and ``high``; -inf where
        there is none.
        """
        left, right = bodies.span(0, rows)
        (first, last), (below, above) = (
            self.covered(0, left, right),
            self.covered(1, low, np.nextafter(high, np.inf)),
        )
        highest = np.full(len(rows), -np.inf)
        near = np.flatnonzero((first < last) & (below < above))
        for some, x in _each(first[near], last[near]):
            columns = near[some]
            for part, y in _each(below[columns], above[columns]):
                each, column = columns[part], x[part]
                level = self._level(column, y, left[each], right[each])
                highest[each] = np.maximum(highest[each], level)
        return highest

    def _level(self, x: Rows, y: Rows, left: Doubles, right: Doubles) -> Doubles:
        """How high the ground of tiles is between ``left`` and ``right``."""
        heights = self._heights[self.counts[1] - 1 - y, x]
        start, end = heights[:, 0], heights[:, 1]
        levels = []
        for at in (left, right):
            across = np.clip((at - self.edge(0, x + 0.0)) / self.pitch[0], 0, 1)
            levels.append(np.where(across == 1, end, start + (end - start) * across))
        share = np.maximum(*levels)
        top = np.where(
            share >= 1, self.edge(1, y + 1.0), self.edge(1, y + 0.0) + share * self.pitch[1]
        )
        sloped: Doubles = np.where(self._sloped[self.counts[1] - 1 - y, x], top, -np.inf)
        return sloped


class BoxObstacle:
    """Upright boxes, of which only those near a body are looked at: ``pairs`` (m, 2), bodies' rows
    and boxes'.
    """

    carrying: Rows | None = None
    """Of each body, the box that brings it along just now, which is not in its way; -1 for none."""

    def __init__(self, boxes: Boxes, pairs: Rows) -> None:
        self.boxes = boxes
        self.bodies, self.near = pairs[:, 0], pairs[:, 1]
        self._low = [np.ascontiguousarray(boxes.low[self.near, axis]) for axis in (0, 1)]
        self._high = [np.ascontiguousarray(boxes.high[self.near, axis]) for axis in (0, 1)]
        self._one_way = boxes.one_way[self.near]

    def stop(
        self,
        bodies: Moving,
        axis: int,
        rows: Rows | slice,
        sign: Doubles,
        lead: Doubles,
        ahead: Doubles,
    ) -> tuple[Rows, Doubles]:
        some: Rows | slice = slice(None)
        place = self.bodies
        if not isinstance(rows, slice):
            places = np.full(len(bodies.at[0]), -1, np.intp)
            places[rows] = np.arange(len(rows))
            some = np.flatnonzero(places[self.bodies] >= 0)
            place = places[self.bodies[some]]
        if not len(place):
            return _NONE
        ahead_of = sign[place]
        edge = ahead_of * np.where(ahead_of > 0, self._low[axis][some], self._high[axis][some])
        start, end = bodies.span(1 - axis, self.bodies[some])
        hit = (start < self._high[1 - axis][some]) & (end > self._low[1 - axis][some])
        hit &= ((sign * lead)[place] <= edge) & ((sign * ahead)[place] > edge)
        if self.carrying is not None:
            hit &= self.near[some] != self.carrying[self.bodies[some]]
        one_way = self._one_way[some]
        if one_way.any():
            holds: Mask = np.asarray(ahead_of < 0) & (axis == 1)
            if bodies.through is not None:
                holds &= ~bodies.through[self.bodies[some]]
            hit &= ~one_way | holds
        nearest = np.full(len(sign), np.inf)
        np.minimum.at(nearest, place[hit], edge[hit])
        met = np.flatnonzero(nearest < np.inf)
        return met, (nearest * sign)[met]


def on_tiles(tiles: Tiles, which: ArrayLike, position: ArrayLike, size: ArrayLike) -> Mask:
    """Whether upright boxes of ``position`` and ``size`` (n, 2) are in any of the tiles of
    ``which`` (bool (h, w), row 0 at the top) says: on a ladder, in water, in a trap. (n,); what
    only touches is outside."""
    some = mask("which", which, tiles.solid.shape)
    place: Doubles = checks.numbers("position", position, (None, 2))
    half, grid = halves(size, len(place)), TileObstacle(tiles)
    (left, right), (low, high) = (
        grid.covered(axis, place[:, axis] - half[:, axis], place[:, axis] + half[:, axis])
        for axis in (0, 1)
    )
    found = np.zeros(len(place), bool)
    there = np.flatnonzero((left < right) & (low < high))
    for part, column in _each(left[there], right[there]):
        rows = there[part]
        for each, up in _each(low[rows], high[rows]):
            found[rows[each]] |= some[grid.counts[1] - 1 - up, column[each]]
    return found
