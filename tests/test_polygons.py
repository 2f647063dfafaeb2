"""Polygons with images: edges, tiling, nine-slices, skew, interpolation, snapshots and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from drawings import driven

import framework as fw

SIZE = 64
RED_GREEN = np.array([[[255, 0, 0], [0, 255, 0]]], np.uint8)  # side by side


@pytest.fixture(scope="module")
def game() -> Iterator[fw.Game]:
    game = fw.Game(size=(SIZE, SIZE), headless=True, background=(0, 0, 0), tick_rate=10)
    yield game
    game.close()


@pytest.fixture
def drawn(game: fw.Game) -> Iterator[Callable[..., Any]]:
    added: list[fw.Polygons] = []

    def draw(batch: fw.Polygons) -> Any:
        if batch not in added:
            added.append(game.add(batch))
        batch.teleport(slice(None))
        game.advance(0)
        return game.pixels()[::-1, :, :3] / 255  # row 0 is at the bottom

    yield draw
    for batch in added:
        game.remove(batch)


@pytest.mark.parametrize("angle", [0.0, 0.5])
def test_edges_are_antialiased_by_their_exact_area(drawn: Any, angle: float) -> None:
    batch = fw.Polygons()
    batch.add_box((32.3, 30.8), (30.5, 20.25), angle=angle)
    batch.add_polygon([(-1, -2), (4, -2), (4, 3), (-1, 3)], position=(60.5, 4.5))
    pixels = drawn(batch)[..., 0]
    x, y = np.meshgrid(np.arange(SIZE) + 0.5, np.arange(SIZE) + 0.5)
    assert pixels.sum() == pytest.approx(30.5 * 20.25 + 4.5 * 5, rel=0.005)
    weight = pixels * (x < 58)
    assert (weight * x).sum() / weight.sum() == pytest.approx(32.3, abs=0.02)
    assert (weight * y).sum() / weight.sum() == pytest.approx(30.8, abs=0.02)


def test_a_polygon_with_wide_angles_has_smooth_edges_of_one_pixel(drawn: Any) -> None:
    turns = np.arange(24) / 24 * 2 * np.pi
    batch = fw.Polygons()
    batch.add_polygon(25 * np.column_stack([np.cos(turns), np.sin(turns)]), position=(32, 32))
    pixels = drawn(batch)[..., 0]
    assert pixels.sum() == pytest.approx(12 * 25**2 * np.sin(np.pi / 12), rel=0.005)
    x, y = np.meshgrid(np.arange(SIZE) - 31.5, np.arange(SIZE) - 31.5)
    distance = np.hypot(x, y)
    assert (pixels[distance < 24] == 1).all()
    assert (pixels[distance > 26] == 0).all()


def test_tiles_keep_their_size(drawn: Any) -> None:
    batch = fw.Polygons(RED_GREEN, wrap="repeat", filter="nearest")
    wall = batch.add_box((0, 0), (40, 8), tile=(8, 8), pivot=(0, 0))
    red = [1] * 4 + [0] * 4
    assert drawn(batch)[4, :40, 0].tolist() == red * 5
    wall.size = 64, 8
    assert drawn(batch)[4, :, 0].tolist() == red * 8
    wall.scroll = 0.5, 0
    assert drawn(batch)[4, :, 1].tolist() == red * 8
    mirrored = fw.Polygons(RED_GREEN, wrap="mirror", filter="nearest")
    mirrored.add_polygon([(0, 40), (32, 40), (32, 48), (0, 48)], tile=8)
    assert drawn(mirrored)[44, :16, 0].tolist() == red + red[::-1]


def test_a_panel_keeps_its_corners(drawn: Any) -> None:
    image = np.zeros((12, 12, 3), np.uint8)
    image[2:10, 4:11, 2] = 255  # margins: left 4, bottom 2, right 1, top 2 pixels
    image[0, 0] = 255, 255, 255
    batch = fw.Polygons(image, filter="nearest")
    panel = batch.add_nine_slice((2, 2), (40, 30), (4, 2, 1, 2), pivot=(0, 0))
    pixels = drawn(batch)
    blue = np.argwhere(pixels[..., 2] > 0.5)
    white = pixels[..., 0] > 0.5
    assert np.argwhere(white).tolist() == [[31, 2]]
    blue = blue[~white[tuple(blue.T)]]
    assert [blue.min(axis=0).tolist(), blue.max(axis=0).tolist()] == [[4, 6], [29, 40]]
    panel.size = 2.5, 2  # half of its margins
    assert drawn(batch)[..., 2].sum() <= 1


def test_a_skewed_box_keeps_the_length_of_its_sides(drawn: Any) -> None:
    batch = fw.Polygons()
    batch.add_box((20, 10), (20, 40), pivot=(0.5, 0), skew=-0.5)
    pixels = drawn(batch)[..., 0]
    x = np.arange(SIZE) + 0.5
    for row in (12, 30, 42):
        up = row + 0.5 - 10
        assert (pixels[row] * x).sum() / pixels[row].sum() == pytest.approx(
            20 + up * np.tan(0.5), abs=0.1
        )
        assert pixels[row].sum() == pytest.approx(20, abs=0.3)
    assert pixels.sum() == pytest.approx(20 * 40 * np.cos(0.5), rel=0.01)


def test_polygons_accept_uvs_triangles_and_colors(drawn: Any) -> None:
    batch = fw.Polygons(RED_GREEN, filter="nearest")
    corners = [(0, 0), (16, 0), (16, 16), (0, 16)]
    batch.add_polygon(corners, uvs=[(0.5, 0), (1, 0), (1, 1), (0.5, 1)])
    batch.add_polygon(
        corners,
        position=(32, 0),
        triangles=[(0, 2, 1)],
        colors=[(1, 1, 1, 1)] * 2 + [(0, 0, 0, 1)] * 2,
    )
    pixels = drawn(batch)
    assert (pixels[:16, :16] == (0, 1, 0)).all()
    assert pixels[12, 34:46].sum() < 6 * 1.5  # the triangle that was left out
    assert pixels[1, 46, 1] > 0.8 > 0.3 > pixels[14, 46, 1]


class Moving(fw.Game):
    """A box that grows and scrolls."""

    def __init__(self, **options: Any) -> None:
        super().__init__(size=(SIZE, SIZE), tick_rate=10, background=(0, 0, 0), **options)

    def setup(self) -> None:
        self.batch = self.add(fw.Polygons(RED_GREEN, wrap="repeat", filter="nearest"))
        self.box = self.batch.add_box((0, 0), (16, 16), tile=16, pivot=(0, 0), scroll=(0.875, 0))

    def update(self, dt: float) -> None:
        self.box.size = self.box.size[0] + 32, 16
        self.box.scroll = (self.box.scroll[0] + 0.25) % 1, 0


def test_size_and_scroll_are_interpolated_and_uploaded_once() -> None:
    with Moving(headless=True) as game:
        # half a tick after the first tick: 32 wide, and scrolled by 1, which is equal to 0
        game.advance(0.15)
        row = game.pixels()[-8] / 255
        assert row[:, :2].sum(axis=1).tolist() == [1] * 32 + [0] * 32
        assert row[:, 0].tolist() == ([1] * 8 + [0] * 8) * 2 + [0] * 32
        uploaded = driven(game.batch).uploaded_bytes
        game.advance(0.02)
        assert driven(game.batch).uploaded_bytes == uploaded


def test_rows_are_restored_and_hashed() -> None:
    with Moving(drawing=False) as game:
        snapshot = game.snapshot()
        before = game.state_hash()
        game.batch.add_nine_slice((0, 0), (9, 9), 2)
        game.run_ticks(2)
        assert game.state_hash() != before
        game.restore(snapshot)
        assert game.state_hash() == before
        assert len(game.batch) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda b: b.add_box((0, 0), (1, 1), tile=4),
            "tile: expected a batch that repeats its image",
        ),
        (lambda b: b.add_box((0, 0), (1, -1)), "size"),
        (
            lambda b: b.add_nine_slice((0, 0), (1, 1), (1, 2, -3, 4)),
            "slices: expected pixels, at least 0",
        ),
        (lambda b: b.add_polygon([(0, 0), (4, 4), (4, 0), (0, 4)]), "does not cross itself"),
        (
            lambda b: b.add_polygon([(0, 0), (9, 0), (9, 9), (5, 0), (0, 9)]),
            "its edges 0 and 2 meet",
        ),
        (lambda b: b.add_polygon([(0, 0), (4, 4)]), "at least 3 points|three points"),
        (
            lambda b: b.add_polygon([(0, 0), (4, 0), (0, 4)], triangles=[(0, 1, 3)]),
            "there are 3 points, got index 3",
        ),
        (lambda b: b.add_polygon([(0, 0), (4, 0), (0, 4)], triangles=[]), "triangles"),
        (lambda b: b.add_polygon([(0, 0), (4, 0), (0, 4)], uvs=[(0, 0)]), "uvs"),
        (
            lambda b: b.add_polygon([(0, 0), (4, 0), (0, 4)], uvs=[(0, 0)] * 3, tile=3),
            "tile: expected no uvs",
        ),
        (
            lambda b: b.add_polygon([(0, 0), (0, 0), (4, 0), (0, 4)], uvs=[(0, 0)] * 4),
            "points that differ",
        ),
        (lambda b: b.add([(0, 0), (4, 0), (0, 4)]), r"points go to add_polygon\(points\)"),
        (
            lambda b: b.add_box((0, 0), (1, 1), colour="red"),
            "polygons: unknown option 'colour'; did you mean color",
        ),
    ],
)
def test_an_invalid_polygon_is_refused_and_changes_nothing(
    make: Callable[[Any], Any], message: str
) -> None:
    batch = fw.Polygons()
    with pytest.raises((ValueError, TypeError), match=message):
        make(batch)
    assert len(batch) == 0


@pytest.mark.parametrize("wrap", [3, None, "often", ("repeat",), ("repeat", "often"), "ab"])
def test_an_invalid_wrap_is_refused(wrap: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="wrap: expected"):
        fw.Polygons(RED_GREEN, wrap=wrap)
