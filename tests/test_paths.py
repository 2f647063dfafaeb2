"""Paths through tiles: line of sight, shortest paths and flow fields."""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from framework import paths
from framework.geometry.tilegrid import TileGrid

seeds = st.integers(0, 2**32 - 1)


def maze(seed: int, share: float = 0.3, size: Any = 16.0, position: Any = (0.0, 0.0)) -> TileGrid:
    return TileGrid(np.random.default_rng(seed).random((9, 12)) < share, size, position)


def dijkstra(tiles: TileGrid, goal: tuple[int, int], cost: Any, diagonal: bool) -> Any:
    """Return the cost from each tile to the goal, by Dijkstra's algorithm."""
    free = ~tiles.solid
    costs = np.full(tiles.solid.shape, math.inf)
    costs[goal] = 0
    heap = [(0.0, goal)]
    while heap:
        spent, (row, column) = heapq.heappop(heap)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                neighbor = row + down, column + right
                if (
                    not (0 <= neighbor[0] < 9 and 0 <= neighbor[1] < 12)
                    or not free[neighbor]
                    or not (down or right)
                ):
                    continue
                if (
                    down
                    and right
                    and not (diagonal and free[row, neighbor[1]] and free[neighbor[0], column])
                ):
                    continue
                price = spent + math.hypot(down, right) * (cost[row, column] + cost[neighbor]) / 2
                if price < costs[neighbor] - 1e-9:
                    costs[neighbor] = price
                    heapq.heappush(heap, (price, neighbor))
    return costs


@settings(max_examples=12)
@given(seed=seeds, diagonal=st.booleans(), with_costs=st.booleans())
def test_paths_and_fields_cost_the_same_as_by_dijkstra(
    seed: int, diagonal: bool, with_costs: bool
) -> None:
    random = np.random.default_rng(seed)
    tiles = maze(seed, position=(-30.0, 7.0))
    cost = random.integers(1, 5, (9, 12)) if with_costs else np.ones((9, 12))
    free = np.argwhere(~tiles.solid)
    start, goal = (tuple(free[random.integers(len(free))].tolist()) for _ in range(2))
    costs = dijkstra(tiles, goal, cost, diagonal)
    field = paths.FlowField(tiles, [tiles.cell_center(goal)], diagonal=diagonal, cost=cost)
    assert field.distance == pytest.approx(costs)
    path = paths.find(
        tiles, tiles.cell_center(start), tiles.cell_center(goal), diagonal=diagonal, cost=cost
    )
    cells = [tiles.world_to_cell(tuple(point)) for point in path]
    if math.isinf(costs[start]):
        assert path.shape == (0, 2)
        assert field.direction([tiles.cell_center(start)]).tolist() == [[0, 0]]
        return
    assert (cells[0], cells[-1]) == (start, goal)
    spent = sum(
        math.hypot(*np.subtract(a, b)) * (cost[a] + cost[b]) / 2
        for a, b in itertools.pairwise(cells)
    )
    assert spent == pytest.approx(costs[start])
    # Steps along the flow field cost the same.
    cell = start
    price = 0.0
    while cell != goal:
        direction = field.direction([tiles.cell_center(cell)])[0]
        next_cell = tiles.world_to_cell(
            tuple(np.add(tiles.cell_center(cell), np.sign(direction.round(9)) * 16))
        )
        price += math.hypot(*np.subtract(cell, next_cell)) * (cost[cell] + cost[next_cell]) / 2
        cell = next_cell
    assert price == pytest.approx(costs[start])


@settings(max_examples=8)
@given(seed=seeds, size=st.sampled_from([16.0, (0.3, 2.0)]))
def test_rays_agree_with_small_steps(seed: int, size: Any) -> None:
    random = np.random.default_rng(seed)
    tiles = maze(seed, 0.2, size, (3.0, -5.0))
    scale = np.array(tiles.tile_size)
    start = random.uniform(-2, 13, (40, 2)) * scale + (3, -5)
    displacement = random.normal(0, 6, (40, 2)) * scale
    distance = paths.raycast(tiles, start, displacement)
    end = start + displacement
    assert np.array_equal(
        paths.line_of_sight(tiles, start, end), np.isinf(paths.raycast(tiles, start, end - start))
    )
    steps = np.linspace(0, 1, 1500)
    for ray in range(40):
        x, y = (
            np.floor((start[ray] + displacement[ray] * steps[:, None] - (3, -5)) / scale)
            .astype(int)
            .T
        )
        hit = (
            (x >= 0) & (x < 12) & (y >= 0) & (y < 9) & tiles.solid[8 - y.clip(0, 8), x.clip(0, 11)]
        )
        first = steps[np.argmax(hit)] if hit.any() else math.inf
        assert distance[ray] <= first
        if distance[ray] < 1:
            x, y = np.floor(
                (start[ray] + displacement[ray] * (distance[ray] + 1e-9) - (3, -5)) / scale
            ).astype(int)
            assert tiles.solid[8 - y, x]


def test_line_of_sight_is_blocked_by_walls_and_passes_corners() -> None:
    tiles = TileGrid([[False, True, False], [False, False, True], [False, False, False]], 10)
    assert paths.line_of_sight(tiles, (5, 25), [(25, 25), (5, 5), (25, 5)]).tolist() == [
        False,
        True,
        True,
    ]
    assert paths.raycast(tiles, [(5, 25), (15, 25), (5, 5), (-50, 25)], [(20, 0), (0, 0), (0, 0), (1e9, 0)]).tolist() == [
        0.25, 0, math.inf, 60e-9,
    ]  # fmt: skip
    # between the two walls
    assert paths.line_of_sight(tiles, [(12, 12)], [(28, 28)]).tolist() == [True]


def test_paths_do_not_cut_corners_or_enter_walls() -> None:
    tiles = TileGrid([[False, True], [False, False]], 10)
    assert paths.find(tiles, (5, 15), (15, 5)).tolist() == [[5, 15], [5, 5], [15, 5]]
    assert paths.find(tiles, (5, 15), (15, 15)).shape == (0, 2)
    assert paths.find(tiles, (500, 15), (5, 5)).shape == (0, 2)
    assert paths.find(tiles, (5, 5), (6, 6)).tolist() == [[5, 5]]
    field = paths.FlowField(tiles, [(15, 15), (15, 5), (99, 99)])
    assert field.direction([(5, 15), (15, 5), (15, 15), (-99, 0)]).tolist() == [
        [0, -1],
        [0, 0],
        [0, 0],
        [0, 0],
    ]
    with pytest.raises(ValueError, match=r"^cost: expected numbers of at least 1"):
        paths.find(tiles, (5, 15), (15, 5), cost=[[0.5, 1], [1, 1]])
    with pytest.raises(ValueError, match=r"^start: expected two finite numbers"):
        paths.find(tiles, (1, 2, 3), (15, 5))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^origin, displacement: expected finite numbers"):
        paths.raycast(tiles, (math.nan, 0), (1, 1))


def test_a_position_far_outside_has_no_direction() -> None:
    field = paths.FlowField(TileGrid(np.zeros((3, 3), bool), 10), [(5, 5)])
    assert field.direction([(1e300, -1e300), (25, 5)]).tolist() == [[0, 0], [-1, 0]]
