"""Pathfinding on tile grids: line of sight, A* and flow fields.

Positions are points (x, y) in units, and the y axis points up. ``tiles`` is a `TileGrid`, a
`TileLayer`, or an object with the attributes ``solid``, ``tile_size`` and ``position``. Each step
of a path goes from a tile to one of its eight neighbors. It costs its length in tiles (1 or √2),
times the mean cost of the two tiles. Paths do not cut across the corners of solid tiles. An agent
is treated as a point without a size. For a large agent, pass tiles with thicker walls.
"""

from __future__ import annotations

__all__ = ["FlowField", "find", "line_of_sight", "raycast"]

import heapq
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles, Mask, Rows, repeated_rows
from ..moved_names import renamed_functions
from ..other_engines.other_names import words
from .pairwise import one_row, pairwise
from .single_sight import first_solid_tile
from .tilegrid import Tiles, blocked, checked_tiles

# Steps along rows (down) and columns (right). Straight steps come before diagonal steps.
_STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
_DIAGONAL = math.sqrt(2)


def raycast(tiles: Tiles, origin: ArrayLike, displacement: ArrayLike) -> Doubles:
    """Return how far each ray goes before it hits a solid tile, as a fraction of the ray's length.
    The result is an array of shape (n,). The fraction is infinite for a ray that hits no solid
    tile.

    Each ray goes from ``origin`` to ``origin + displacement``, in units. ``origin`` and
    ``displacement`` are arrays of shape (n, 2). The fraction is 0 if the ray starts in a solid
    tile. If two solid tiles share only a corner, a ray can pass between them.
    """
    tiles = checked_tiles("tiles", tiles)
    first = one_row(origin, 2)
    single = one_row(displacement, 2)
    if first is not None and single is not None:
        fraction = first_solid_tile(tiles, first, single)
        if fraction is not None:
            return np.array([fraction])
    start, movement = pairwise(origin=(origin, 2), displacement=(displacement, 2))
    if not (np.isfinite(start).all() and np.isfinite(movement).all()):
        raise ValueError("origin, displacement: expected finite numbers")
    size = np.array(tiles.tile_size, float)
    start_cell = (start - np.array(tiles.position, float)) / size
    movement = movement / size
    ray, entered, left = _pieces(start_cell, movement, tiles.solid.shape)
    middle = start_cell[ray] + movement[ray] * ((entered + left) / 2)[:, None]
    is_hit = _is_blocked(tiles, middle)
    fractions = np.full(len(start), np.inf)
    np.minimum.at(fractions, ray[is_hit], entered[is_hit])
    fractions += 0.0  # converts -0.0 to 0.0
    return fractions


def _pieces(
    start_cell: Doubles, movement: Doubles, shape: tuple[int, ...]
) -> tuple[Rows, Doubles, Doubles]:
    """Split each ray into pieces at the edges of tiles. For each piece, return the index of the
    ray, and the fractions of the ray at which the piece starts and ends.

    Positions and movements are in tiles. ``shape`` is the number of rows and columns of the grid. A
    ray without a length has one piece, from 0 to 0.
    """
    n = len(start_cell)
    height, width = shape
    columns = _edges_crossed(start_cell[:, 0], movement[:, 0], width)
    rows = _edges_crossed(start_cell[:, 1], movement[:, 1], height)
    ray = np.concatenate([np.arange(n), np.arange(n), columns[0], rows[0]])
    share = np.concatenate([np.zeros(n), np.ones(n), columns[1], rows[1]])
    order = np.lexsort((share, ray))
    share = share[order]
    ray = ray[order]
    has_length = np.flatnonzero((ray[:-1] == ray[1:]) & (share[:-1] < share[1:]))
    points = np.flatnonzero((movement == 0).all(axis=1))  # rays without a length
    zeros = np.zeros(len(points))
    return (
        np.concatenate([ray[has_length], points]),
        np.concatenate([share[has_length], zeros]),
        np.concatenate([share[has_length + 1], zeros]),
    )


def _edges_crossed(start: Doubles, movement: Doubles, count: int) -> tuple[Rows, Doubles]:
    """Return the tile edges that rays cross along one axis, within a grid of ``count`` tiles. For
    each edge, return the index of the ray, and the fraction of the ray at which it crosses.
    """
    ends = np.clip([start, start + movement], -1, count + 1)
    first = np.ceil(ends.min(axis=0)).astype(np.intp)
    last = np.floor(ends.max(axis=0)).astype(np.intp)
    ray, number = repeated_rows(np.where(movement == 0, 0, np.maximum(last - first + 1, 0)))
    share = np.clip((first[ray] + number - start[ray]) / movement[ray], 0, 1)
    return ray, share


def _is_blocked(tiles: Tiles, cells: Doubles) -> Mask:
    """Return whether each point is in a tile that is at least partly solid. ``cells`` contains the
    positions in tiles, counted from the bottom left corner of the grid, as an array of shape
    (n, 2).
    """
    height, width = tiles.solid.shape
    x, y = np.floor(cells).T
    is_inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    is_solid = np.zeros(len(cells), bool)
    is_solid[is_inside] = blocked(tiles)[
        height - 1 - y[is_inside].astype(np.intp), x[is_inside].astype(np.intp)
    ]
    return is_solid


def line_of_sight(tiles: Tiles, start: ArrayLike, end: ArrayLike) -> Mask:
    """For each pair of points, return whether no solid tile is between them. The result is a bool
    array of shape (n,).

    ``start`` and ``end`` are arrays of shape (n, 2), in units. A single point of shape (2,) is used
    for all pairs.
    """
    first = one_row(start, 2)
    last = one_row(end, 2)
    if first is not None and last is not None:
        tiles = checked_tiles("tiles", tiles)
        fraction = first_solid_tile(tiles, first, (last[0] - first[0], last[1] - first[1]))
        if fraction is not None:
            return np.array([fraction == math.inf])
    start_points, end_points = pairwise(start=(start, 2), end=(end, 2))
    free: Mask = np.isinf(raycast(tiles, start_points, end_points - start_points))
    return free


def find(
    tiles: Tiles,
    start: tuple[float, float],
    goal: tuple[float, float],
    *,
    diagonal: bool = True,
    cost: ArrayLike | None = None,
) -> Doubles:
    """Return the cheapest path between two points in units. The result is an array of shape (k, 2)
    that contains the center of each tile on the path.

    The path includes the tiles of ``start`` and ``goal``. If there is no path, the result is an
    empty array of shape (0, 2). If several paths have the same lowest cost, `find` returns the same
    path in each call. Each call runs one A* search. If many agents walk to the same goal, use a
    `FlowField` instead.

    Parameters
    ----------
    diagonal
        Whether steps to the four diagonal neighbors are allowed. Default: True.
    cost
        The cost of each tile, at least 1: an array of shape (h, w). Row 0 is the top row. Default:
        1.
    """
    ground = _Ground(tiles, diagonal, cost)
    first = ground.cell("start", start)
    last = ground.cell("goal", goal)
    no_path = np.empty((0, 2))
    if first is None or last is None:
        return no_path
    previous: dict[int, int] = {first: first}
    costs = {first: 0.0}
    queue = [(ground.lower_bound(first, last), 0, first)]
    count = 0
    closed = set[int]()
    while queue:
        _, _, cell = heapq.heappop(queue)
        if cell == last:
            return ground.centers(_path_to(previous, last))
        if cell in closed:
            continue
        closed.add(cell)
        for neighbor, step_cost in ground.around(cell):
            total = costs[cell] + step_cost
            if total < costs.get(neighbor, math.inf):
                costs[neighbor] = total
                previous[neighbor] = cell
                count += 1  # the count decides between equal costs: the earlier entry is first
                heapq.heappush(queue, (total + ground.lower_bound(neighbor, last), count, neighbor))
    return no_path


def _path_to(previous: dict[int, int], cell: int) -> list[int]:
    path = [cell]
    while previous[cell] != cell:
        cell = previous[cell]
        path.append(cell)
    return path[::-1]


class _Ground:
    """The walkable tiles and their costs. Tiles are numbered row by row. A border of solid tiles is
    added around the grid.
    """

    def __init__(self, tiles: Tiles, diagonal: bool, cost: ArrayLike | None) -> None:
        shape = checked_tiles("tiles", tiles).solid.shape
        self.free: Mask = ~np.pad(blocked(tiles), 1, constant_values=True)
        self.width = shape[1] + 2
        self.cost = np.ones(self.free.shape)
        if cost is not None:
            self.cost[1:-1, 1:-1] = checks.numbers("cost", cost, shape)
            if self.cost.min() < 1:
                raise checks.wrong_value("cost", "numbers of at least 1", cost)
        self.diagonal = checks.flag("diagonal", diagonal)
        self._steps = _STEPS if diagonal else _STEPS[:4]
        self._tiles = tiles
        self._rows = shape[0]
        self._is_free = self.free.ravel().tolist()
        self._prices = self.cost.ravel().tolist()

    def cells(self, name: str, points: ArrayLike) -> Rows:
        """Return the index of the tile that contains each point. ``points`` is an array of shape
        (n, 2). For a point outside the grid, the result is the index of a border tile.
        """
        positions = checks.numbers(name, points, (None, 2))
        tiles = np.floor((positions - self._tiles.position) / self._tiles.tile_size)
        row = np.clip(self._rows - tiles[:, 1], 0, self._rows + 1)
        column = np.clip(tiles[:, 0] + 1, 0, self.width - 1)
        numbers: Rows = row.astype(np.intp) * self.width + column.astype(np.intp)
        return numbers

    def cell(self, name: str, point: tuple[float, float]) -> int | None:
        """Return the index of the tile that contains a point, or None if this tile is solid."""
        number = int(self.cells(name, [checks.pair(name, point)])[0])
        return number if self._is_free[number] else None

    def centers(self, cells: list[int]) -> Doubles:
        row, column = np.divmod(np.array(cells, np.intp), self.width)
        tiles = np.column_stack([column - 0.5, self._rows - row + 0.5])
        positions: Doubles = tiles * self._tiles.tile_size + self._tiles.position
        return positions

    def lower_bound(self, cell: int, goal: int) -> float:
        """Return a lower limit for the cost of a path, for the A* search. The limit is the cost of
        the path on a grid without solid tiles, if each tile costs 1.
        """
        row, column = divmod(cell, self.width)
        to_row, to_column = divmod(goal, self.width)
        down = abs(row - to_row)
        across = abs(column - to_column)
        if not self.diagonal:
            return float(down + across)
        # The estimate must never be above the true cost, so round down.
        return float(max(down, across) + (_DIAGONAL - 1) * min(down, across) * (1 - 1e-12))

    def around(self, cell: int) -> Iterator[tuple[int, float]]:
        """Yield each tile that an agent can reach from ``cell`` in one step, with the cost of the
        step.
        """
        is_free = self._is_free
        prices = self._prices
        for down, right in self._steps:
            neighbor = cell + down * self.width + right
            if not is_free[neighbor]:
                continue
            mean = (prices[cell] + prices[neighbor]) / 2
            if not (down and right):
                yield neighbor, mean
            elif is_free[cell + down * self.width] and is_free[cell + right]:
                yield neighbor, mean * _DIAGONAL

    def around_all(self, cells: Rows) -> Iterator[tuple[Rows, Mask, Doubles]]:
        """Yield three arrays for each direction of a step: the neighbor of each tile, whether an
        agent can reach it, and the cost of the step.

        ``cells`` must not contain tiles of the border.
        """
        free = self.free.ravel()
        prices = self.cost.ravel()
        for down, right in self._steps:
            neighbor = cells + (down * self.width + right)
            is_reachable = free[neighbor]
            mean = (prices[cells] + prices[neighbor]) / 2
            if down and right:
                is_reachable &= free[cells + down * self.width] & free[cells + right]
                mean *= _DIAGONAL
            yield neighbor, is_reachable, mean


class FlowField:
    """A map of directions to the nearest goal, one for each tile. Use a `FlowField` for crowds of
    agents.

    The constructor computes the directions of all tiles once. `direction` then reads the directions
    from memory, which is fast for thousands of agents.

        field = paths.FlowField(level, [(25, 5)])
        self.enemies.velocity = 40 * field.direction(self.enemies.position)

    Parameters
    ----------
    tiles
        A `TileGrid` or a similar object. The field is not updated when the tiles change: create a
        new field after each change.
    goals
        The goals, in units: an array of shape (n, 2).
    diagonal, cost
        The same parameters as in `find`.
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
        free = ground.free.ravel()
        costs = np.full(free.shape, np.inf)
        cells = np.unique(ground.cells("goals", goals))
        cells = cells[free[cells]]
        costs[cells] = 0
        while len(cells):  # continue from each tile with a new cost to its neighbors
            updated_cells = []
            for neighbor, is_reachable, cost_of_step in ground.around_all(cells):
                total_cost = costs[cells] + cost_of_step
                better = is_reachable & (total_cost < costs[neighbor])
                # `neighbor` contains no tile twice, because the same step from different tiles
                # leads to different tiles.
                costs[neighbor[better]] = total_cost[better]
                updated_cells.append(neighbor[better])
            cells = np.unique(np.concatenate(updated_cells))
        self._costs = costs.reshape(ground.free.shape)

    @property
    def distance(self) -> Doubles:
        """The cost of the path from each tile to its nearest goal, as an array of shape (h, w). Row
        0 is the top row. The cost is infinite for a tile without a path to a goal.
        """
        return self._costs[1:-1, 1:-1]

    def direction(self, position: ArrayLike) -> Doubles:
        """Return the direction from each point to the center of the next tile on the path to the
        nearest goal. ``position`` and the result are arrays of shape (n, 2). Each direction has a
        length of 1. The direction is (0, 0) in a tile with a goal, and in a tile without a path to
        a goal.
        """
        positions = checks.numbers("position", position, (None, 2))
        cells = self._ground.cells("position", positions)
        target = self._next_cells(cells)
        directions: Doubles = self._ground.centers(target.tolist()) - positions
        # Set before squaring, because these positions can be very large.
        directions[target == cells] = 0
        lengths = np.sqrt(directions[:, 0] * directions[:, 0] + directions[:, 1] * directions[:, 1])
        directions /= np.where(lengths > 0, lengths, 1)[:, None]
        return directions

    def _next_cells(self, cells: Rows) -> Rows:
        """Return the next tile of the path for each tile, or the tile itself if there is none."""
        costs = self._costs.ravel()
        has_next = np.flatnonzero(np.isfinite(costs[cells]) & (costs[cells] > 0))
        start = cells[has_next]
        target = start.copy()
        best = np.full(len(start), np.inf)
        for neighbor, is_reachable, cost_of_step in self._ground.around_all(start):
            total_cost = costs[neighbor] + cost_of_step
            better = is_reachable & (total_cost < best)
            best[better] = total_cost[better]
            target[better] = neighbor[better]
        next_cells = cells.copy()
        next_cells[has_next] = target
        return next_cells


if not TYPE_CHECKING:
    __getattr__ = renamed_functions(
        "paths",
        {
            **words(
                "astar find_path path a_star astar_calculate_path shortest_path AStar",
                "write paths.find(level['ground'], start, goal)",
            ),
            **words(
                "follow Path PathFollower PathFollow PathFollow2D Path2D Waypoints follow_path",
                "docs/plane.md shows how to follow a path",
            ),
            **words("has_line_of_sight visible", "write paths.line_of_sight(tiles, start, end)"),
        },
        cast="raycast",
    )
