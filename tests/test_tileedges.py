"""Tile edges: the open sides of tiles as few lines, and the tiles as few boxes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from framework import collide
from framework.arrays import Doubles, Mask
from framework.geometry import tileedges

GRIDS = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.booleans())


def test_an_l_shape_of_tiles_has_six_sides() -> None:
    tiles = collide.TileGrid([[True, False], [True, True]], (10, 20), (100, 0))
    sides = {tuple(map(tuple, side)) for side in tileedges.edges(tiles).tolist()}
    assert sides == {
        ((100, 0), (120, 0)),
        ((120, 0), (120, 20)),
        ((120, 20), (110, 20)),
        ((110, 20), (110, 40)),
        ((110, 40), (100, 40)),
        ((100, 40), (100, 0)),
    }  # fmt: skip


def test_slopes_are_triangles_and_trapeziums() -> None:
    slopes = np.zeros((2, 2, 2))
    slopes[1, 0], slopes[0, 1] = (0, 1), (0.5, 1)
    ramps = tileedges.ramps(collide.TileGrid(np.zeros((2, 2), bool), 10, slopes=slopes))
    assert [ramp.tolist() for ramp in ramps] == [
        [[10, 10], [20, 10], [20, 20], [10, 15]],
        [[0, 0], [10, 0], [10, 10]],
    ]
    assert tileedges.ramps(collide.TileGrid([[True]])) == []


def covered(solid: Mask, boxes: Doubles) -> Mask:
    """Return the number of boxes over each tile. Tiles have size 1."""
    times = np.zeros(solid.shape, int)
    for left, bottom, right, top in boxes.astype(int).tolist():
        times[::-1][bottom:top, left:right] += 1
    return times


def test_half_tiles_side_by_side_are_one_rectangle() -> None:
    halves = [tileedges.rectangle(x, 0, x + 10, top) for x, top in ((20, 5), (0, 5), (10, 5))]
    higher = tileedges.rectangle(30, 0, 40, 8)
    tiles: Any = SimpleNamespace(tile_shapes=[*halves, higher])
    boxes = [(*shape.min(axis=0), *shape.max(axis=0)) for shape in tileedges.merged_shapes(tiles)]
    assert boxes == [(0, 0, 30, 5), (30, 0, 40, 8)]


@given(GRIDS)
def test_boxes_cover_each_solid_tile_once_and_nothing_else(solid: Mask) -> None:
    boxes = tileedges.rectangles(collide.TileGrid(solid, 1))
    assert (covered(solid, boxes) == solid).all()


@given(GRIDS)
def test_sides_surround_all_solid_tiles(solid: Mask) -> None:
    edges = tileedges.edges(collide.TileGrid(solid, 1))
    start = edges[:, 0]
    end = edges[:, 1]
    # The shoelace formula gives the area to the left of the sides: the area of the solid tiles.
    assert (start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0]).sum() / 2 == solid.sum()
    padded = np.pad(solid, 1)
    open_sides = sum(
        int((padded & ~np.roll(padded, direction, axis)).sum())
        for axis in (0, 1)
        for direction in (1, -1)
    )
    assert np.abs(end - start).sum() == open_sides
    # No side can be longer: no side begins at the end of another side with the same direction.
    directions = np.sign(end - start)
    ends = {
        (*map(float, corner), *direction)
        for corner, direction in zip(end.tolist(), directions.tolist(), strict=True)
    }
    assert not ends & {
        (*map(float, corner), *direction)
        for corner, direction in zip(start.tolist(), directions.tolist(), strict=True)
    }
