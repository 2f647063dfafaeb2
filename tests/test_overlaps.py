"""Overlaps of sprites: collide.overlaps, compared with shapes that have the same corners."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import framework as fw
from framework import collide
from framework.geometry.shapes import ConvexShapes

seeds = st.integers(0, 2**32 - 1)


def bordered_image(
    width: int, height: int, left: int = 0, bottom: int = 0, right: int = 0, top: int = 0
) -> Any:
    """Return a white image with transparent borders."""
    pixels = np.zeros((height, width, 4), np.uint8)
    pixels[top : height - bottom, left : width - right] = 255
    pixels[..., :3] = 255
    return pixels


IMAGES = [
    bordered_image(10, 6),
    bordered_image(16, 16, 3, 5, 2, 1),
    bordered_image(8, 4, 0, 0, 5, 0),
]


def batch(
    random: np.random.Generator, n: int, rotated: bool, anchor: tuple[float, float] | None = None
) -> Any:
    sprites = fw.SpriteBatch(IMAGES, count=n, anchor=anchor)
    sprites.position[:] = random.uniform(-40, 40, (n, 2))
    sprites.image[:] = random.integers(0, 3, n)
    sprites.scale[:] = random.uniform(-2, 2, (n, 2))
    sprites.flip[:] = random.integers(0, 2, (n, 2))
    if rotated:
        sprites.angle[:] = random.uniform(-7, 7, n)
    return sprites


def boxes(sprites: Any) -> ConvexShapes:
    """Return the boxes of the sprites, computed from the model matrices that draw the sprites."""
    matrices = sprites.transforms.model_matrices(1.0).astype(float)
    corners = []
    for row, (left, bottom, right, top) in enumerate(sprites.images.boxes()[sprites.image]):
        ring = np.array([(left, bottom), (right, bottom), (right, top), (left, top)])
        ring *= np.where(sprites.flip[row], -1, 1)
        corners.append(np.column_stack([ring, np.zeros(4), np.ones(4)]) @ matrices[row])
    return ConvexShapes.polygons(np.array(corners)[..., :2])


@settings(max_examples=8)
@given(seed=seeds, rotated=st.booleans(), anchor=st.sampled_from([None, (2.0, 3.0)]))
def test_overlaps_agree_with_the_drawn_boxes(seed: int, rotated: bool, anchor: Any) -> None:
    random = np.random.default_rng(seed)
    first = batch(random, 40, rotated, anchor)
    second = batch(random, 30, rotated, anchor)
    assert (
        collide.overlaps(first, second).tolist()
        == collide.touching(boxes(first), boxes(second)).tolist()
    )
    assert collide.overlaps(first).tolist() == collide.touching(boxes(first)).tolist()
    assert collide.overlaps(first, first).tolist() == collide.overlaps(first).tolist()
    rows = [3, 7, 30]
    others = slice(10, 20)
    expected = [
        pair
        for pair in collide.overlaps(first, second).tolist()
        if pair[0] in rows and 10 <= pair[1] < 20
    ]
    assert collide.overlaps(first, second, rows=rows, other_rows=others).tolist() == expected


def test_the_box_of_an_image_encloses_its_opaque_pixels() -> None:
    corner = fw.Region(IMAGES[1], (3, 1, 5, 5), anchor=(0, 0))
    sprites = fw.SpriteBatch([*IMAGES, np.zeros((4, 4, 4), np.uint8), corner])
    assert sprites.images.boxes()[:3].tolist() == [[-5, -3, 5, 3], [-5, -3, 6, 7], [-4, -2, -1, 2]]
    assert np.isnan(sprites.images.boxes()[3]).all()
    assert sprites.images.boxes()[4].tolist() == [0, 0, 5, 5]
    sprites.images.add(bordered_image(2, 2))
    assert sprites.images.boxes()[5].tolist() == [-1, -1, 1, 1]


def test_transparent_and_touching_sprites_do_not_overlap() -> None:
    sprites = fw.SpriteBatch([np.zeros((8, 8, 4), np.uint8), bordered_image(8, 8)], count=4)
    sprites.image[1:] = 1
    sprites.position[2:] = [(8, 0), (7.5, 1)]
    assert collide.overlaps(sprites).tolist() == [[1, 3], [2, 3]]
    sprites.angle[1] = math.pi / 4  # the corner of the rotated box is at x = 5.66
    assert collide.overlaps(sprites).tolist() == [[1, 2], [1, 3], [2, 3]]


def test_a_single_sprite_is_compared_like_its_row() -> None:
    random = np.random.default_rng(5)
    ships = batch(random, 6, True)
    coins = batch(random, 40, True)
    row = int(collide.overlaps(ships, coins)[-1, 0])
    ship = ships[row]
    expected = collide.overlaps(ships, coins, rows=[row])
    assert len(expected)
    assert collide.overlaps(ship, coins).tolist() == expected.tolist()
    assert collide.overlaps(coins, ship).tolist() == expected[:, ::-1].tolist()
    assert [row, row] not in collide.overlaps(ship, ships).tolist()
    assert collide.overlaps(ships[0], ships[0]).tolist() == []
    ships.remove(0)
    assert ship.row == row - 1
    assert collide.overlaps(ship, coins)[:, 1].tolist() == expected[:, 1].tolist()


def test_two_sprites_of_batches_with_one_image_overlap_where_they_touch() -> None:
    ship = fw.SpriteBatch(bordered_image(10, 6)).add(position=(0, 0))
    coin = fw.SpriteBatch(bordered_image(8, 8)).add(position=(8, 0))
    assert collide.overlaps(ship, coin).tolist() == [[0, 0]]
    coin.x = 10
    assert collide.overlaps(ship, coin).tolist() == []


def test_invalid_arguments_beside_a_single_sprite_are_errors() -> None:
    random = np.random.default_rng(5)
    ships = batch(random, 2, False)
    coins = batch(random, 3, False)
    ship = ships[0]
    with pytest.raises(
        ValueError, match=r"^rows: expected no rows, because batch is a single sprite"
    ):
        collide.overlaps(ship, coins, rows=[0])
    with pytest.raises(ValueError, match=r"^other_rows: expected no rows, because other is"):
        collide.overlaps(coins, ship, other_rows=[0])
    with pytest.raises(TypeError, match=r"^other: expected a batch of sprites, or a sprite, got 3"):
        collide.overlaps(ship, 3)
    for several in ([ship], (ship, ship)):
        with pytest.raises(TypeError, match=r"^batch: .*; put these sprites into one batch: self"):
            collide.overlaps(several, coins)  # type: ignore[arg-type]
    ship.remove()
    with pytest.raises(ValueError, match="removed"):
        collide.overlaps(ship, coins)


def test_removed_sprites_overlap_nothing(make: Callable[..., Any]) -> None:
    game = make()
    sprites = game.add(fw.SpriteBatch(bordered_image(8, 8), count=3))
    handle = sprites[0]
    assert collide.overlaps(sprites).tolist() == [[0, 1], [0, 2], [1, 2]]
    handle.remove()
    assert collide.overlaps(sprites).tolist() == [[0, 1]]
    with pytest.raises(TypeError, match=r"^other: expected a batch of sprites, or a sprite, got 3"):
        collide.overlaps(sprites, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("column", ["scale", "position", "angle"])
@pytest.mark.parametrize("rotated", [False, True])
def test_infinite_sprites_overlap_nothing(column: str, rotated: bool) -> None:
    with fw.Game(drawing=False) as game:
        first = game.add(fw.SpriteBatch(IMAGES, count=3))
        second = game.add(fw.SpriteBatch(IMAGES, count=2))
        first.image[:] = 1  # this image is not opaque on all sides of the anchor
        first.angle[:] = rotated
        getattr(first, column)[1] = math.inf
        assert collide.overlaps(first, second).tolist() == [[0, 0], [0, 1], [2, 0], [2, 1]]
        assert collide.overlaps(first).tolist() == [[0, 2]]
    with np.errstate(all="raise"):
        assert collide.pairs(
            [[0, 0], [math.inf, 0], [1, 1]], [[2, 2], [math.inf, 9], [3, 3]]
        ).tolist() == [[0, 2]]
