"""One ray through tiles has the same bits as among many rays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from framework import collide, paths


def grid_of(random: np.random.Generator, number: int) -> collide.TileGrid:
    shape = tuple(random.integers(0, 12, 2))
    size: Any = (16, (16, 8), (7.3, 5.1), 0.1)[number % 4]
    return collide.TileGrid(random.random(shape) < 0.15, size, ((0, 0), (-3.7, 11.2))[number % 2])


def test_one_ray_has_the_same_fraction_as_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    hits = misses = 0
    for number in range(120):
        grid = grid_of(random, number)
        tile = np.array(grid.tile_size)
        extent = np.array(grid.solid.shape[::-1]) * tile
        start = grid.position + random.uniform(-0.3, 1.3, (8, 2)) * extent
        movement = random.normal(size=(8, 2)) * extent * (0.05, 1, 1e9)[number % 3]
        if number % 4 == 0:  # along edges and through corners
            start = grid.position + np.round((start - grid.position) / tile * 2) / 2 * tile
            movement = np.round(movement / tile) * tile
        movement[:2, 0] = 0
        movement[1:3, 1] = 0
        expected = paths.raycast(grid, start, movement)
        assert not np.signbit(expected).any()
        for row in range(8):
            single = paths.raycast(grid, start[row], [movement[row].tolist()])
            assert single.tobytes() == expected[row : row + 1].tobytes()
            end = start[row] + movement[row]
            visible = paths.line_of_sight(grid, tuple(start[row].tolist()), end)
            among_others = paths.line_of_sight(grid, start[row], np.array([end, end]))[:1]
            assert visible.dtype == bool
            assert visible.tolist() == among_others.tolist()
        hits += int(np.isfinite(expected).sum())
        misses += int(np.isinf(expected).sum())
    assert min(hits, misses) > 100


def test_a_ray_that_is_not_finite_is_refused() -> None:
    grid = collide.TileGrid(np.zeros((2, 2), bool), 16)
    for start, movement in (((np.nan, 0), (1, 0)), ((0, 0), (np.inf, 0))):
        with pytest.raises(ValueError, match="origin, displacement: expected finite numbers"):
            paths.raycast(grid, start, movement)


def test_a_ray_inside_the_grid_has_the_same_fraction_as_among_many() -> None:
    """Rays along edges, through corners, and with pieces that are shorter than a rounding error."""
    random = np.random.default_rng(2)
    hits = 0
    for number in range(90):
        solid = random.random(random.integers(1, 30, 2)) < 0.08
        if number % 7 == 0:
            solid = np.asfortranarray(solid)
        tile = np.array([(16, 16), (7.3, 5.1)][number % 2])
        position = np.array([(0, 0), (-3.7, 11.2)][number // 2 % 2])
        grid = collide.TileGrid(solid, tuple(tile), tuple(position))
        start, end = random.uniform(0, 1, (2, 30, 2)) * solid.shape[::-1]
        if number % 3 == 0:
            start = np.round(start * 2) / 2
            end = np.round(end * 2) / 2
        if number % 5 == 0:
            end = start + (end - start) * 10.0 ** -random.uniform(0, 14, start.shape)
        start = position + start * tile
        movement = position + end * tile - start
        expected = paths.raycast(grid, start, movement)
        for row in range(30):
            single = paths.raycast(grid, start[row], movement[row])
            assert single.tobytes() == expected[row : row + 1].tobytes()
        hits += int(np.isfinite(expected).sum())
    assert hits > 500
