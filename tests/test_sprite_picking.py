"""Picking: the sprite at a point, such as the point under the mouse."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, UnidentifiedImageError

import framework as fw

CARD = np.full((40, 20, 4), 255, np.uint8)


def batch(count: int = 0, **options: object) -> fw.SpriteBatch:
    return fw.SpriteBatch(CARD, count, **options)  # type: ignore[arg-type]


def test_the_sprite_at_a_point_is_the_one_in_front() -> None:
    cards = batch()
    below = cards.add(position=(100, 100))
    above = cards.add(position=(105, 100))
    assert cards.pick((105, 100)) is above
    assert cards.pick((91, 100)) is below
    assert cards.pick((80, 100)) is None
    below.layer = 1
    assert cards.pick((105, 100)) is below
    below.visible = False
    assert cards.pick((105, 100)) is above
    assert batch().pick((0, 0)) is None


def test_with_y_sort_the_lower_sprite_is_in_front() -> None:
    trees = batch(y_sort=True)
    front = trees.add(position=(0, 0))
    trees.add(position=(0, 10))
    assert trees.pick((0, 5)) is front


def test_a_rotated_scaled_and_flipped_sprite_contains_points() -> None:
    image = np.zeros((40, 40, 4), np.uint8)
    image[:, :10] = 255  # only the left quarter is opaque
    sprite = fw.SpriteBatch(image).add(position=(100, 100))
    assert sprite.contains((82, 100))
    assert not sprite.contains((118, 100))
    sprite.flip = True, False
    assert sprite.contains((118, 100))
    assert not sprite.contains((82, 100))
    sprite.angle = math.pi / 2
    assert sprite.contains((100, 118))
    sprite.scale = 3
    assert sprite.contains((100, 155))
    sprite.visible = False
    assert sprite.contains((100, 155))


def test_a_sprite_without_a_finite_position_contains_nothing() -> None:
    sprite = batch().add()
    sprite.batch.position[:] = math.nan
    assert not sprite.contains((0, 0))


@pytest.mark.parametrize("scale", [math.inf, (math.inf, 1), (1, math.inf), math.nan])
def test_a_sprite_without_a_finite_scale_contains_nothing(scale: float) -> None:
    sprite = batch().add()
    sprite.batch.scale[:] = scale
    assert not sprite.contains((0, 0))


def test_bad_points_and_nodes_are_clear_errors() -> None:
    with pytest.raises(TypeError, match="point: expected two"):
        batch().pick(3)  # type: ignore[arg-type]
    nodes = fw.Nodes2D()
    guns = fw.NodeSprites(CARD, nodes)
    gun = guns.show(nodes.add())
    with pytest.raises(fw.FrameworkError, match=r"^pick: the position .* relative to its node"):
        guns.pick((0, 0))
    with pytest.raises(fw.FrameworkError, match=r"^contains: the position .* relative to its node"):
        gun.contains((0, 0))


NAMES = (
    "speed order text label radius mask bounds box drag clicked hovered fade flash copy follow "
    "sort swap nearest z under"
)


@pytest.mark.parametrize("name", NAMES.split())
def test_names_with_advice_may_be_columns(name: str) -> None:
    sprites = batch(columns={name: 2})
    sprite = sprites.add(position=(0, 0))
    assert getattr(sprite, name) == 2
    setattr(sprite, name, 3)
    assert getattr(sprites, name).tolist() == [3]


def test_an_image_without_its_folder_names_the_image_of_the_batch(tmp_path: Path) -> None:
    image = tmp_path / "gun.png"
    Image.fromarray(CARD).save(image)
    with fw.Game(headless=True, size=(64, 64)) as game:
        sprites = game.add(fw.SpriteBatch([CARD, image]))
        with pytest.raises(fw.AssetError, match=r"There is no file 'gun'.*write image=1\."):
            sprites.add("gun")


def test_the_error_of_an_image_keeps_its_cause(tmp_path: Path) -> None:
    (tmp_path / "broken.png").write_bytes(b"no image")
    with fw.Game(headless=True, size=(64, 64)) as game:
        sprites = game.add(fw.SpriteBatch(CARD))
        with pytest.raises(fw.AssetError) as raised:
            sprites.add(str(tmp_path / "broken.png"))
    assert isinstance(raised.value.__cause__, UnidentifiedImageError)


def test_two_joined_tuples_are_explained() -> None:
    sprite = batch().add(position=(1, 2))
    with pytest.raises(ValueError, match=r"joins two tuples: write sprite\.x \+= 5"):
        sprite.position += (3, 4)  # type: ignore[assignment]


def test_the_sprite_at_a_point_after_sprites_were_removed() -> None:
    sprites = batch()
    rows = [sprites.add(position=(1000 * number, 0)) for number in range(50)]
    for number in (3, 10, 11):
        rows[number].remove()
    assert rows[40].contains((40_000, 0))  # the first call after the removal
    rows[20].remove()
    assert sprites.pick((49_000, 0)) is rows[49]
    rows[21].remove()
    assert not rows[49].contains((48_000, 0))
    assert sprites.pick((3000, 0)) is None
