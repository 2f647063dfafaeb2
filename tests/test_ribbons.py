"""Ribbons: strips through points, their interpolation, uploads, images and snapshots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from drawings import driven

import framework as fw
from framework.state.rows import table_of

SIZE = 64


@pytest.fixture(scope="module")
def game() -> Iterator[fw.Game]:
    game = fw.Game(size=(SIZE, SIZE), headless=True, background=(0, 0, 0), tick_rate=10)
    yield game
    game.close()


@pytest.fixture
def drawn(game: fw.Game) -> Iterator[Callable[[fw.Ribbon], Any]]:
    added: list[fw.Ribbon] = []

    def draw(ribbon: fw.Ribbon) -> Any:
        if ribbon not in added:
            added.append(game.add(ribbon))
        game.advance(0)
        return game.pixels()[::-1, :, :3] / 255  # row 0 is at the bottom

    yield draw
    for ribbon in added:
        game.remove(ribbon)


def test_a_ribbon_covers_its_width_along_its_points(drawn: Any) -> None:
    pixels = drawn(fw.Ribbon(None, [(12, 32.25), (52, 32.25)], width=8, color="#f00"))
    assert pixels[..., 0].sum() == pytest.approx(320, abs=1)
    assert pixels[:, 30, 0] == pytest.approx([*[0] * 28, 0.75, *[1] * 7, 0.25, *[0] * 27], abs=0.01)


def test_joins_have_no_gaps_and_no_overlaps(drawn: Any) -> None:
    zigzag = [(8, 10), (30, 54), (36, 10), (56, 50)]
    pixels = drawn(fw.Ribbon(None, zigzag, width=6, color=(1, 1, 1, 0.5)))[..., 0]
    displacements = np.diff(np.array(zigzag, float), axis=0)
    for start, displacement in zip(zigzag, displacements, strict=False):
        for share in (0.02, 0.5, 0.98):
            x, y = np.array(start) + share * displacement
            assert pixels[int(y), int(x)] > 0.45, (start, share)
    assert pixels.max() < 0.51


def test_repeated_points_change_nothing(drawn: Any) -> None:
    bent = [(8, 10), (40, 10), (40, 50)]
    once = drawn(ribbon := fw.Ribbon(None, bent, width=9, color=(1, 1, 1, 0.5)))
    ribbon.points = [bent[0], bent[0], bent[1], bent[1], bent[1], bent[2], bent[2]]
    ribbon.teleport()
    assert (drawn(ribbon) == once).all()
    # Parts that are not drawn do not change the next part.
    ribbon.points = [*bent[:2], bent[1], (60, 60), (60, 60), (50, 60)]
    ribbon.width = 9, 9, 0, 0, 9, 9
    ribbon.teleport()
    separate = drawn(ribbon)[..., 0]
    assert separate[5:16, 36].tolist() == separate[5:16, 20].tolist()
    assert not separate[20:50, 45:].any()


def test_a_ribbon_keeps_its_width_at_a_sharp_turn(drawn: Any) -> None:
    pixels = drawn(fw.Ribbon(None, [(10, 28), (50, 28), (12, 38)], width=8))[
        ..., 0
    ]  # by 165 degrees
    assert pixels[24:32, 10:49].min() == 1
    assert not pixels[:, 58:].any()


def test_colors_and_widths_are_interpolated_between_points(drawn: Any) -> None:
    colors = [(1, 0, 0, 1), (0, 0, 1, 1)]
    pixels = drawn(fw.Ribbon(None, [(0, 32), (64, 32)], width=[4, 12], color=colors))
    assert pixels[32, 2] == pytest.approx([0.96, 0, 0.04], abs=0.01)
    assert pixels[32, 48] == pytest.approx([0.24, 0, 0.76], abs=0.01)
    assert pixels[:, 16].sum() == pytest.approx(6, abs=0.3)
    assert pixels[:, 48].sum() == pytest.approx(10, abs=0.3)


def test_an_image_is_repeated_and_scrolled_along_a_ribbon(drawn: Any) -> None:
    image = np.zeros((2, 4, 3), np.uint8)
    image[0, :2], image[1] = (255, 0, 0), (0, 255, 0)  # above: red, then black
    ribbon = fw.Ribbon(image, [(0, 32), (64, 32)], width=16, repeat=16, filter="nearest")
    pixels = drawn(ribbon)
    assert (pixels[30, :, 1] == 1).all()
    red = [1] * 8 + [0] * 8
    assert pixels[36, :, 0].tolist() == red * 4
    ribbon.scroll = 0.25
    assert drawn(ribbon)[36, 4:, 0].tolist() == (red * 4)[:-4]


def test_a_ribbon_that_is_removed_and_added_again_is_drawn_again(game: fw.Game) -> None:
    ribbon = fw.Ribbon(None, [(0, 12), (64, 12)], width=4)
    images = []
    for _ in range(2):
        game.add(ribbon)
        game.advance(0.05)
        game.advance(0.05)
        images.append(game.pixels()[..., :3].copy())
        game.remove(ribbon)
    assert images[0].max() == 255
    assert (images[0] == images[1]).all()


@pytest.mark.filterwarnings("ignore:advance:RuntimeWarning")  # a long frame drops time
def test_a_ribbon_is_interpolated_without_uploads_between_ticks(game: fw.Game, drawn: Any) -> None:
    ribbon = fw.Ribbon(None, [(0, 12), (64, 12)], width=4)
    drawn(ribbon)
    game.update = lambda dt: setattr(ribbon, "points", ribbon.points + (0, 20))  # type: ignore[method-assign]
    try:
        game.run_ticks(1)
    finally:
        del game.update  # type: ignore[method-assign]
    bands = driven(ribbon).bands()
    assert bands is not None
    assert [band.position[0].tolist() for band in bands] == [[0, 12], [0, 32]]
    table_of(ribbon).touch()
    drawn(ribbon)
    uploaded = driven(ribbon).uploaded_bytes
    game.advance(0.05)
    pixels = game.pixels()[::-1, 30, 0] / 255
    assert pixels[20:24].tolist() == [1] * 4
    assert pixels.sum() == 4
    assert driven(ribbon).uploaded_bytes == uploaded
    game.advance(0.06)  # in this tick the ribbon rests, so both states are equal
    uploaded_at_rest = driven(ribbon).uploaded_bytes
    game.advance(0.5)
    assert driven(ribbon).uploaded_bytes == uploaded_at_rest > uploaded


def test_writes_between_ticks_are_drawn_and_nan_is_not(game: fw.Game, drawn: Any) -> None:
    ribbon = fw.Ribbon(None, [(0, 12), (32, 12), (64, 12)], width=4)
    drawn(ribbon)
    game.run_ticks(2)
    drawn(ribbon)
    ribbon.position[:, 1] = 40  # written between two ticks
    game.run_ticks(1)
    assert drawn(ribbon)[:, 30, 0].nonzero()[0].tolist() == [38, 39, 40, 41]
    ribbon.position[2] = np.nan
    game.run_ticks(1)
    assert drawn(ribbon)[..., 0].sum() == 32 * 4


def test_points_can_be_added_and_removed() -> None:
    ribbon = fw.Ribbon(None, [(0, 0), (1, 0)], width=(2, 3), color=("#f00", "#00f")[0])
    ribbon.points = [(0, 0), (1, 0), (2, 0), (3, 0)]
    assert ribbon.width.tolist() == [2, 3, 3, 3]
    assert ribbon.color[3].tolist() == [1, 0, 0, 1]
    ribbon.points = [(5, 5)]
    assert len(ribbon) == 1
    ribbon.points = ()
    assert len(ribbon) == 0
    ribbon.points = [(1, 2), (3, 4)]
    assert ribbon.width.tolist() == [1, 1]
    with pytest.raises(ValueError, match="points: expected finite numbers"):
        ribbon.points = [(1, float("nan"))]
    with pytest.raises(ValueError, match="a ribbon has at most 65,536; use several"):
        ribbon.extend(1 << 16)
    assert len(ribbon) == 2


@pytest.mark.parametrize("width", [-1.0, float("nan"), float("inf"), [2, -3, 2]])
def test_a_width_is_at_least_0(width: Any) -> None:
    points = [(0, 0), (5, 0), (9, 3)]
    ribbon = fw.Ribbon(None, points, width=2)
    with pytest.raises(ValueError, match="width: expected"):
        ribbon.width = width
    with pytest.raises(ValueError, match="width: expected"):
        ribbon.extend(3, position=points, width=width)
    with pytest.raises(ValueError, match="width: expected"):
        fw.Ribbon(None, points, width=width)
    assert ribbon.width.tolist() == [2, 2, 2]


def test_a_ribbon_is_restored_and_hashed() -> None:
    with fw.Game(drawing=False) as game:
        ribbon = game.add(fw.Ribbon(None, [(0, 0), (1, 0)]))
        before = game.state_hash()
        snapshot = game.snapshot()
        ribbon.points = [(0, 0), (1, 0), (9, 9)]
        ribbon.scroll = 2
        assert game.state_hash() != before
        game.restore(snapshot)
        assert game.state_hash() == before
        assert ribbon.points.tolist() == [[0, 0], [1, 0]]
        assert ribbon.scroll == 0
