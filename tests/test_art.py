"""What comes with the framework: pictures and sounds that are made when they are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from pictures import colors_in

import framework as fw
from framework.assets import artwork
from framework.game import art


def test_every_picture_shows_something_within_its_edges_and_cannot_be_written_to() -> None:
    assert art.names() == tuple(sorted(artwork.PICTURES))
    for name in art.names():
        made = getattr(fw.art, name)
        for picture in made if isinstance(made, tuple) else (made,):
            assert picture.dtype == np.uint8
            assert picture.shape[2] == 4
            assert not picture.flags.writeable
            covered = picture[..., 3] > 0
            assert covered.mean() > 0.2, name
            if name != "tiles":  # those join their like
                assert not covered[[0, -1]].any(), name
                assert not covered[:, [0, -1]].any(), name
            assert len(np.unique(picture[covered][:, :3], axis=0)) > 2, name


def test_each_is_made_once_and_always_the_same() -> None:
    assert fw.art.ship is fw.art.ship
    assert np.array_equal(artwork.ship(), fw.art.ship)
    assert len({step.tobytes() for step in fw.art.hero}) >= artwork.WALK - 1  # legs together twice
    assert fw.art.sounds.coin is fw.art.sounds.coin


def test_tiles_join_and_are_whole() -> None:
    assert {tile.shape for tile in fw.art.tiles} == {(32, 32, 4)}
    assert all((tile[..., 3] == 255).all() for tile in fw.art.tiles)


def test_edges_are_not_darkened_by_what_is_clear() -> None:
    edge = (fw.art.ball[..., 3] > 20) & (fw.art.ball[..., 3] < 235)
    assert edge.any()
    ink = np.array([0x2B, 0x24, 0x40])
    assert np.abs(fw.art.ball[edge][:, :3].astype(int) - ink).max() <= 1  # the outline's own colour


def test_they_go_wherever_images_do() -> None:
    with fw.Game(headless=True, size=(64, 64)) as game:
        game.sprites.add(fw.art.ship, position=(32, 32))
        walker = game.add(fw.SpriteBatch(list(fw.art.hero)))
        walker.add(position=(10, 10), image=2)
        game.advance(0)
        assert colors_in(game.pixels()) > 10
    assert fw.art.sounds.jump.seconds > 0


@pytest.mark.parametrize(("names", "name"), [(fw.art, "shipp"), (fw.art.sounds, "jum")])
def test_a_name_that_is_not_there_is_told_with_the_nearest(names: object, name: str) -> None:
    with pytest.raises(AttributeError, match=r"did you mean (ship|jump)"):
        getattr(names, name)
