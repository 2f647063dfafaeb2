"""Autotile: tiles that match their neighbors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from framework.tiles.autotile import autotile
from framework.tiles.map_data import WangSet

TOP, TOP_RIGHT, RIGHT, BOTTOM_RIGHT, BOTTOM, BOTTOM_LEFT, LEFT, TOP_LEFT = range(8)


def wang_set(kind: str, sides: Any, colors: int = 1) -> WangSet:
    sides = np.array(sides, np.uint8)
    return WangSet(
        "one", kind, [f"c{number}" for number in range(colors)], np.arange(len(sides)) + 10, sides
    )


def complete_set(kind: str, colors: int = 1) -> WangSet:
    """Return a set with every possible tile."""
    columns = {"edge": range(0, 8, 2), "corner": range(1, 8, 2)}[kind]
    sides = np.zeros(((colors + 1) ** 4, 8), np.uint8)
    sides[:, list(columns)] = [*itertools.product(range(colors + 1), repeat=4)]
    return wang_set(kind, sides, colors)


def sides_of(gids: Any, known: WangSet, first_gid: int = 1) -> Any:
    return known.sides[np.asarray(gids, int) - first_gid - 10]


def test_edges_join_set_cells() -> None:
    tile_set = complete_set("edge")
    tiles = autotile(
        np.array([[0, 0, 0, 0], [0, 1, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], bool),
        tile_set,
        first_gid=100,
    )
    assert tiles.dtype == np.uint32
    assert (tiles > 0).tolist() == [
        [False] * 4,
        [False, True, True, False],
        [False, True, False, False],
        [False] * 4,
    ]
    corner, right, low = (
        sides_of(tiles[cell], tile_set, 100).tolist() for cell in ((1, 1), (1, 2), (2, 1))
    )
    assert [side for side in range(8) if corner[side]] == [RIGHT, BOTTOM]
    assert [side for side in range(8) if right[side]] == [LEFT]
    assert [side for side in range(8) if low[side]] == [TOP]


def test_a_corner_needs_four_set_cells() -> None:
    tile_set = complete_set("corner")
    mask = np.zeros((4, 4), bool)
    mask[1:3, 1:3] = True
    tiles = autotile(mask, tile_set)
    corners = {(1, 1): BOTTOM_RIGHT, (1, 2): BOTTOM_LEFT, (2, 1): TOP_RIGHT, (2, 2): TOP_LEFT}
    for cell, corner in corners.items():
        assert np.flatnonzero(sides_of(tiles[cell], tile_set)).tolist() == [corner]


def test_cells_outside_the_mask_repeat_its_border() -> None:
    known = complete_set("corner")
    assert (sides_of(autotile(np.ones((3, 2), bool), known), known)[..., 1::2] == 1).all()


def test_neighbors_share_sides_of_the_lower_color() -> None:
    known = complete_set("corner", 3)
    mask = np.random.default_rng(3).integers(1, 4, (20, 30))
    sides = sides_of(autotile(mask, known), known)
    assert (sides[:, :-1, TOP_RIGHT] == sides[:, 1:, TOP_LEFT]).all()
    assert (sides[:-1, :, BOTTOM_LEFT] == sides[1:, :, TOP_LEFT]).all()
    four = np.minimum.reduce([mask[:-1, :-1], mask[1:, :-1], mask[:-1, 1:], mask[1:, 1:]])
    assert (sides[:-1, :-1, BOTTOM_RIGHT] == four).all()


def test_a_mixed_set_has_corners_only_between_edges() -> None:
    every = np.array([*itertools.product((0, 1), repeat=8)], np.uint8)
    known = wang_set("mixed", every)
    mask = np.random.default_rng(4).random((40, 40)) < 0.6
    sides = sides_of(autotile(mask, known), known)[mask]
    for corner in range(1, 8, 2):
        beside = (sides[:, corner - 1] == 1) & (sides[:, (corner + 1) % 8] == 1)
        assert (beside | (sides[:, corner] == 0)).all()
    assert len(np.unique(sides, axis=0)) == 47  # the blob tile set has 47 tiles


def test_a_missing_tile_is_replaced_by_the_most_similar_one() -> None:
    tile_set = wang_set(
        "edge",
        [[0] * 8, [1, 0, 1, 0, 1, 0, 1, 0], [1, 0, 1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 1, 0, 0, 0]],
    )
    assert autotile([[1, 0], [0, 0]], wang_set("edge", tile_set.sides[1:]))[0, 0] == 11
    tiles = autotile(
        np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), wang_set("edge", tile_set.sides[[0, 2, 3]])
    )
    assert tiles[1, 1] == 12  # two of four sides match; of two such tiles, the first is used


def test_the_first_of_several_equal_tiles_is_used() -> None:
    assert (autotile(np.ones((2, 2)) > 0, wang_set("corner", [[0, 1] * 4, [0, 1] * 4])) == 11).all()


def test_unused_sides_of_a_set_are_ignored() -> None:
    known = wang_set("corner", [[0, 0] * 4, [1, 1] * 4])
    assert (autotile(np.ones((2, 2), int), known) == 12).all()


def test_an_empty_mask_gives_no_tiles() -> None:
    assert autotile(np.zeros((0, 3), bool), complete_set("edge")).shape == (0, 3)


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        ([1, 2], r"mask: expected bools \(h, w\)"),
        ([[2]], "numbers of colors from 0 to 1"),
        ([[-1]], "numbers of colors from 0 to 1"),
        ([[0.5]], "mask: expected bools"),
        ("x", "mask: expected bools"),
    ],
)
def test_a_wrong_mask_is_refused(mask: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        autotile(mask, complete_set("edge"))


def test_a_wrong_wang_set_is_refused() -> None:
    with pytest.raises(TypeError, match="wang_set: "):
        autotile([[1]], "grass")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has no tiles"):
        autotile([[1]], wang_set("edge", np.zeros((0, 8))))
    with pytest.raises(ValueError, match="first_gid: "):
        autotile([[1]], complete_set("edge"), first_gid=0)
