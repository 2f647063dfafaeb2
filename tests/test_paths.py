"""Ways through tiles: sight against small steps, paths and fields against Dijkstra."""

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
    """What the way from each tile to the goal costs: the textbook's."""
    free, far = ~tiles.solid, np.full(tiles.solid.shape, math.inf)
    far[goal] = 0
    heap = [(0.0, goal)]
    while heap:
        spent, (row, column) = heapq.heappop(heap)
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                other = row + down, column + right
                if (
                    not (0 <= other[0] < 9 and 0 <= other[1] < 12)
                    or not free[other]
                    or not (down or right)
                ):
                    continue
                if (
                    down
                    and right
                    and not (diagonal and free[row, other[1]] and free[other[0], column])
                ):
                    continue
                price = spent + math.hypot(down, right) * (cost[row, column] + cost[other]) / 2
                if price < far[other] - 1e-9:
                    far[other] = price
                    heapq.heappush(heap, (price, other))
    return far


@settings(max_examples=12)
@given(seed=seeds, diagonal=st.booleans(), dear=st.booleans())
def test_paths_and_fields_are_as_cheap_as_dijkstras(seed: int, diagonal: bool, dear: bool) -> None:
    random = np.random.default_rng(seed)
    tiles = maze(seed, position=(-30.0, 7.0))
    cost = random.integers(1, 5, (9, 12)) if dear else np.ones((9, 12))
    free = np.argwhere(~tiles.solid)
    start, goal = (tuple(free[random.integers(len(free))].tolist()) for _ in range(2))
    far = dijkstra(tiles, goal, cost, diagonal)
    field = paths.FlowField(tiles, [tiles.cell_center(goal)], diagonal=diagonal, cost=cost)
    assert field.distance == pytest.approx(far)
    path = paths.find(
        tiles, tiles.cell_center(start), tiles.cell_center(goal), diagonal=diagonal, cost=cost
    )
    cells = [tiles.world_to_cell(tuple(point)) for point in path]
    if math.isinf(far[start]):
        assert path.shape == (0, 2)
        assert field.direction([tiles.cell_center(start)]).tolist() == [[0, 0]]
        return
    assert (cells[0], cells[-1]) == (start, goal)
    spent = sum(
        math.hypot(*np.subtract(a, b)) * (cost[a] + cost[b]) / 2
        for a, b in itertools.pairwise(cells)
    )
    assert spent == pytest.approx(far[start])
    # Who follows the field comes there at the same price.
    at, price = start, 0.0
    while at != goal:
        way = field.direction([tiles.cell_center(at)])[0]
        after = tiles.world_to_cell(
            tuple(np.add(tiles.cell_center(at), np.sign(way.round(9)) * 16))
        )
        price += math.hypot(*np.subtract(at, after)) * (cost[at] + cost[after]) / 2
        at = after
    assert price == pytest.approx(far[start])


@settings(max_examples=8)
@given(seed=seeds, size=st.sampled_from([16.0, (0.3, 2.0)]))
def test_rays_end_where_small_steps_along_them_do(seed: int, size: Any) -> None:
    random = np.random.default_rng(seed)
    tiles = maze(seed, 0.2, size, (3.0, -5.0))
    scale = np.array(tiles.tile_size)
    start, way = (
        random.uniform(-2, 13, (40, 2)) * scale + (3, -5),
        random.normal(0, 6, (40, 2)) * scale,
    )
    free = paths.raycast(tiles, start, way)
    end = start + way
    assert np.array_equal(
        paths.line_of_sight(tiles, start, end), np.isinf(paths.raycast(tiles, start, end - start))
    )
    steps = np.linspace(0, 1, 1500)
    for ray in range(40):
        x, y = np.floor((start[ray] + way[ray] * steps[:, None] - (3, -5)) / scale).astype(int).T
        hit = (
            (x >= 0) & (x < 12) & (y >= 0) & (y < 9) & tiles.solid[8 - y.clip(0, 8), x.clip(0, 11)]
        )
        first = steps[np.argmax(hit)] if hit.any() else math.inf
        assert free[ray] <= first
        if free[ray] < 1:
            x, y = np.floor((start[ray] + way[ray] * (free[ray] + 1e-9) - (3, -5)) / scale).astype(
                int
            )
            assert tiles.solid[8 - y, x]


def test_sight_is_stopped_by_walls_and_slips_through_corners() -> None:
    tiles = TileGrid([[False, True, False], [False, False, True], [False, False, False]], 10)
    assert paths.line_of_sight(tiles, (5, 25), [(25, 25), (5, 5), (25, 5)]).tolist() == [
        False,
        True,
        True,
    ]
    assert paths.raycast(tiles, [(5, 25), (15, 25), (5, 5), (-50, 25)], [(20, 0), (0, 0), (0, 0), (1e9, 0)]).tolist() == [
        0.25, 0, math.inf, 60e-9,
    ]  # fmt: skip
    assert paths.line_of_sight(tiles, [(12, 12)], [(28, 28)]).tolist() == [True]  # between the two


def test_nobody_cuts_corners_and_nobody_walks_in_walls() -> None:
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


def test_whoever_is_infinitely_far_away_is_led_nowhere() -> None:
    field = paths.FlowField(TileGrid(np.zeros((3, 3), bool), 10), [(5, 5)])
    assert field.direction([(1e300, -1e300), (25, 5)]).tolist() == [[0, 0], [-1, 0]]
