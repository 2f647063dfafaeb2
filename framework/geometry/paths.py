"""Ways through a grid of tiles: what sees what, the shortest path for one, and a field that leads
everybody to a goal.

Places are points (x, y) in units, y up, and tiles are what `TileGrid` or a layer of a map has:
``solid``, ``tile_size`` and ``position``. A step goes to one of the eight tiles around, costs its
length in tiles (1, or √2) times the mean of what the two tiles cost, and cuts no corner of what is
solid.
"""

from __future__ import annotations

__all__ = ["FlowField", "cast", "find", "line_of_sight"]

import heapq
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Rows
from .contacts import pairwise
from .tilegrid import Tiles, checked_tiles

# Rows down, columns to the right: the straight ones first.
_STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
_DIAGONAL = math.sqrt(2)


def cast(tiles: Tiles, origin: ArrayLike, displacement: ArrayLike) -> Doubles:
    """How much of rays from ``origin`` (n, 2), as long as ``displacement`` (n, 2), is free of solid
    tiles: (n,), the share up to the first one, infinite where there is none. 0 from within. A ray
    may slip through where two tiles meet at a corner only."""
    tiles = checked_tiles("tiles", tiles)
    start, way = pairwise(origin=(origin, 2), displacement=(displacement, 2))
    if not (np.isfinite(start).all() and np.isfinite(way).all()):
        raise ValueError("origin, displacement: expected finite numbers")
    n, size, corner = len(start), np.array(tiles.tile_size, float), np.array(tiles.position, float)
    at, way = (start - corner) / size, way / size
    counts = np.array(tiles.solid.shape[::-1])
    shares, rays = [np.zeros(n), np.ones(n)], [np.arange(n), np.arange(n)]
    for axis in (0, 1):  # the edges that they cross within the grid
        ends = np.clip([at[:, axis], at[:, axis] + way[:, axis]], -1, counts[axis] + 1)
        first, last = (
            np.ceil(ends.min(axis=0)).astype(np.intp),
            np.floor(ends.max(axis=0)).astype(np.intp),
        )
        many = np.where(way[:, axis] == 0, 0, np.maximum(last - first + 1, 0))
        ray = np.repeat(np.arange(n), many)
        edge = np.arange(len(ray)) - np.repeat(np.cumsum(many) - many, many) + first[ray]
        shares.append(np.clip((edge - at[ray, axis]) / way[ray, axis], 0, 1))
        rays.append(ray)
    share, ray = np.concatenate(shares), np.concatenate(rays)
    order = np.lexsort((share, ray))
    share, ray = share[order], ray[order]
    middle = (share[:-1] + share[1:]) / 2
    within = np.flatnonzero((ray[:-1] == ray[1:]) & (share[:-1] < share[1:]))
    still = np.flatnonzero((way == 0).all(axis=1))  # points
    which = np.concatenate([ray[within], still])
    x, y = np.floor(
        at[which] + way[which] * np.concatenate([middle[within], np.zeros(len(still))])[:, None]
    ).T
    there = (x >= 0) & (x < counts[0]) & (y >= 0) & (y < counts[1])
    hit = np.zeros(len(which), bool)
    hit[there] = tiles.solid[counts[1] - 1 - y[there].astype(np.intp), x[there].astype(np.intp)]
    free = np.full(n, np.inf)
    np.minimum.at(free, which[hit], np.concatenate([share[within], np.zeros(len(still))])[hit])
    return free


def line_of_sight(tiles: Tiles, start: ArrayLike, end: ArrayLike) -> Mask:
    """Whether no solid tile is between ``start`` and ``end`` (n, 2), or one for all: (n,)."""
    one, other = pairwise(start=(start, 2), end=(end, 2))
    free: Mask = np.isinf(cast(tiles, one, other - one))
    return free


def find(
    tiles: Tiles,
    start: tuple[float, float],
    goal: tuple[float, float],
    *,
    diagonal: bool = True,
    cost: ArrayLike | None = None,
) -> Doubles:
    """The cheapest way from one point to another, by A*: the middles of its tiles (k, 2), with
    those that start and goal are in; (0, 2) where there is none.

    ``cost`` (h, w), at least 1, is what tiles cost, row 0 at the top. Of ways that cost the same it
    is always the same one. One path at a time; for many who want to go to one place, see
    `FlowField`.
    """
    ground = _Ground(tiles, diagonal, cost)
    first, last = ground.cell("start", start), ground.cell("goal", goal)
    none = np.empty((0, 2))
    if first is None or last is None:
        return none
    before: dict[int, int] = {first: first}
    spent = {first: 0.0}
    waiting = [(ground.least(first, last), 0, first)]
    count, done = 0, set[int]()
    while waiting:
        _, _, cell = heapq.heappop(waiting)
        if cell == last:
            return ground.middles(_back(before, last))
        if cell in done:
            continue
        done.add(cell)
        for other, price in ground.around(cell):
            sum_ = spent[cell] + price
            if sum_ < spent.get(other, math.inf):
                spent[other], before[other] = sum_, cell
                count += 1  # of equals, who came first
                heapq.heappush(waiting, (sum_ + ground.least(other, last), count, other))
    return none


def _back(before: dict[int, int], cell: int) -> list[int]:
    way = [cell]
    while before[cell] != cell:
        cell = before[cell]
        way.append(cell)
    return way[::-1]


class _Ground:
    """The tiles that may be walked on, numbered row by row with a border of solid ones."""

    def __init__(self, tiles: Tiles, diagonal: bool, cost: ArrayLike | None) -> None:
        shape = checked_tiles("tiles", tiles).solid.shape
        self.free: Mask = ~np.pad(tiles.solid, 1, constant_values=True)
        self.width = shape[1] + 2
        self.cost = np.ones(self.free.shape)
        if cost is not None:
            self.cost[1:-1, 1:-1] = checks.numbers("cost", cost, shape)
            if self.cost.min() < 1:
                raise checks.wrong_value("cost", "numbers of at least 1", cost)
        self.diagonal = checks.flag("diagonal", diagonal)
        self._tiles, self._rows = tiles, shape[0]
        self._walk, self._price = self.free.ravel().tolist(), self.cost.ravel().tolist()

    def cells(self, name: str, points: ArrayLike) -> Rows:
        """The numbers of the tiles that points (n, 2) are in; of one of the border, outside of the
        grid.
        """
        places = checks.numbers(name, points, (None, 2))
        tiles = np.floor((places - self._tiles.position) / self._tiles.tile_size)
        row = np.clip(self._rows - tiles[:, 1], 0, self._rows + 1)
        column = np.clip(tiles[:, 0] + 1, 0, self.width - 1)
        numbers: Rows = row.astype(np.intp) * self.width + column.astype(np.intp)
        return numbers

    def cell(self, name: str, point: tuple[float, float]) -> int | None:
        """The number of the tile that a point is in; None where nobody can stand."""
        number = int(self.cells(name, [checks.pair(name, point)])[0])
        return number if self._walk[number] else None

    def middles(self, cells: list[int]) -> Doubles:
        row, column = np.divmod(np.array(cells, np.intp), self.width)
        tiles = np.column_stack([column - 0.5, self._rows - row + 0.5])
        places: Doubles = tiles * self._tiles.tile_size + self._tiles.position
        return places

    def least(self, cell: int, goal: int) -> float:
        """What the way takes where nothing is in it."""
        (row, column), (to_row, to_column) = divmod(cell, self.width), divmod(goal, self.width)
        down, across = abs(row - to_row), abs(column - to_column)
        if not self.diagonal:
            return float(down + across)
        return float(
            max(down, across) + (_DIAGONAL - 1) * min(down, across) * (1 - 1e-12)
        )  # never more than it is

    def around(self, cell: int) -> Iterator[tuple[int, float]]:
        """The tiles that one may go to from a tile, and what that costs."""
        walk, price = self._walk, self._price
        for down, right in _STEPS[: 8 if self.diagonal else 4]:
            other = cell + down * self.width + right
            if not walk[other]:
                continue
            mean = (price[cell] + price[other]) / 2
            if not (down and right):
                yield other, mean
            elif walk[cell + down * self.width] and walk[cell + right]:
                yield other, mean * _DIAGONAL


class FlowField:
    """Which way to go to the nearest of some goals, from everywhere: made once, asked for
    thousands.

    Parameters
    ----------
    tiles
        A `TileGrid` or the like. What is solid now counts: make another one when it changes.
    goals
        Points (n, 2), in units.
    diagonal, cost
        As of `find`.
    """

    def __init__(
        self,
        tiles: Tiles,
        goals: ArrayLike,
        *,
        diagonal: bool = True,
        cost: ArrayLike | None = None,
    ) -> None:
        self._ground = ground = _Ground(tiles, diagonal, cost)
        free, price, width = ground.free.ravel(), ground.cost.ravel(), ground.width
        far = np.full(free.shape, np.inf)
        cells = np.unique(ground.cells("goals", goals))
        cells = cells[free[cells]]
        far[cells] = 0
        steps = [
            (down * width + right, down * width, right)
            for down, right in _STEPS[: 8 if diagonal else 4]
        ]
        while len(cells):  # from those that came nearer, on to their neighbours
            nearer = []
            for step, down, right in steps:
                to = cells + step
                length = 1.0 if not (down and right) else _DIAGONAL
                open_ = free[to] & (
                    free[cells + down] & free[cells + right] if down and right else True
                )
                spent = far[cells] + (price[cells] + price[to]) / 2 * length
                better = open_ & (spent < far[to])
                far[to[better]] = spent[better]  # each once: another step leads to another tile
                nearer.append(to[better])
            cells = np.unique(np.concatenate(nearer))
        self._far = far.reshape(ground.free.shape)
        self._steps = steps

    @property
    def distance(self) -> Doubles:
        """What the way to the nearest goal costs from each tile: (h, w), row 0 at the top; infinite
        without a way.
        """
        return self._far[1:-1, 1:-1]

    def direction(self, position: ArrayLike) -> Doubles:
        """The way to go from points (n, 2): (n, 2) of length 1, to the middle of the next tile; (0,
        0) in a goal's tile, and where no way leads."""
        places = checks.numbers("position", position, (None, 2))
        cells = self._ground.cells("position", places)
        free, price = self._ground.free.ravel(), self._ground.cost.ravel()
        far = self._far.ravel()
        best, target = np.full(len(cells), np.inf), cells.copy()
        lost = ~np.isfinite(far[cells]) | (far[cells] == 0)
        for step, down, right in self._steps:
            to = np.where(lost, cells, cells + step)
            length = 1.0 if not (down and right) else _DIAGONAL
            beside = (
                free[np.where(lost, cells, cells + down)]
                & free[np.where(lost, cells, cells + right)]
            )
            spent = far[to] + (price[cells] + price[to]) / 2 * length
            better = ~lost & free[to] & (beside | (not (down and right))) & (spent < best)
            best[better], target[better] = spent[better], to[better]
        way: Doubles = self._ground.middles(target.tolist()) - places
        way[lost] = 0  # before it is squared: they may be anywhere
        length_of = np.sqrt(way[:, 0] * way[:, 0] + way[:, 1] * way[:, 1])
        way /= np.where(length_of > 0, length_of, 1)[:, None]
        return way
