"""What comes with the framework: pictures and sounds that are made when they are asked for, and a
font.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pictures import colors_in

import framework as fw
from framework.assets import artwork
from framework.game import art


def test_every_picture_shows_something_within_its_edges_and_cannot_be_written_to() -> None:
    assert art.names() == tuple(sorted(artwork.IMAGES))
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
    assert fw.art.sounds.jump.duration > 0


LETTERS = Path(__file__).resolve().parent.parent / "examples" / "art" / "pixel_letters.txt"


@pytest.mark.parametrize(("size", "pixels"), [(10, 1), (20, 2)])
def test_the_pixel_font_is_what_is_drawn_in_its_list_pixel_by_pixel(size: int, pixels: int) -> None:
    rows = {line[0]: line[2:].split(" ") for line in LETTERS.read_text("utf-8").splitlines()}
    letters = "AgQ@%ßжΩ★_"
    with fw.Game(headless=True, size=(20 * len(letters), 40), background=(0, 0, 0)) as game:
        batch = game.add(fw.TextBatch(fw.art.fonts.pixel, size), camera=game.hud)
        for column, letter in enumerate(letters):
            batch.add(letter, (20 * column, 14), anchor=("left", "baseline"))
        game.advance(0)
        lit = game.pixels()[..., 0]
    assert set(np.unique(lit)) == {0, 255}  # no pixel is covered by half
    for column, letter in enumerate(letters):
        drawn = np.array([[dot == "#" for dot in row] for row in rows[letter]])
        wanted = np.zeros((13, 10), bool)  # 7 rows above the baseline, and what is below
        wanted[: len(drawn), : drawn.shape[1]] = drawn
        wanted = np.kron(wanted, np.ones((pixels, pixels), bool))
        top, left = 40 - 14 - 7 * pixels, 20 * column
        found = lit[top : top + 10 * pixels, left : left + 10 * pixels] > 0
        assert np.array_equal(found, wanted[: len(found), : found.shape[1]]), letter


def test_the_pixel_font_has_the_letters_of_europe() -> None:
    from PIL import ImageFont

    font = ImageFont.truetype(LETTERS.parents[2] / "framework" / "fonts" / "SubtickPixel.ttf", 10)
    lacks = bytes(font.getmask("\U0010ffff"))
    text = (
        "ÅåÇçĐđĘęĞğŁłŃńŐőØøŘřŞşȚțŮůŽžÆæŒœßÞþðÀÿ ЖжЩщЪъЫыЭэЮюЯяЁёЇїЄєҐґЂђЉљ "
        "ΑαΓγΔδΘθΛλΞξΠπΣσςΦφΨψΩωΆάΐ «“„”»–—…€£¿¡"
    )
    assert [
        letter for letter in text if letter != " " and bytes(font.getmask(letter)) == lacks
    ] == []


@pytest.mark.parametrize(
    ("names", "name"), [(fw.art, "shipp"), (fw.art.sounds, "jum"), (fw.art.fonts, "pixle")]
)
def test_a_name_that_is_not_there_is_told_with_the_nearest(names: object, name: str) -> None:
    with pytest.raises(AttributeError, match=r"did you mean (ship|jump|pixel)"):
        getattr(names, name)
