"""Backdrops: repetition, parallax, motion and scale, compared with a simple renderer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.errors import AssetError

Make = Callable[..., Any]


def noise(width: int, height: int) -> np.ndarray:
    pixels = np.random.default_rng(1).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    return pixels


def expected_image(
    pixels: np.ndarray, size: tuple[int, int], corner: tuple[int, int], repeat: tuple[bool, bool]
) -> np.ndarray:
    """Return an image of ``size`` with the pixels' bottom left corner at ``corner``."""
    width, height = size
    rows = len(pixels)
    columns = pixels.shape[1]
    x = np.arange(width) - corner[0]
    y = np.arange(height)[::-1] - corner[1]
    covered = np.ones((height, width), bool)
    if not repeat[0]:
        covered &= (x >= 0) & (x < columns)
    if not repeat[1]:
        covered &= ((y >= 0) & (y < rows))[:, None]
    repeated = pixels[(rows - 1 - y) % rows][:, x % columns, :3]
    return np.where(covered[..., None], repeated, 0)


@pytest.mark.parametrize("repeat", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_a_backdrop_repeats_everywhere(make: Make, repeat: tuple[bool, bool], filter: str) -> None:
    pixels = noise(23, 17)
    game = make(size=(160, 120))
    game.add(fw.Backdrop(pixels, (30, 40), repeat=repeat, filter=filter))
    for x, y in ((80, 60), (-1003, 2011), (90, 31)):
        game.camera.position = x, y
        game.camera.teleport()
        game.advance(0)
        expected = expected_image(pixels, (160, 120), (30 - (x - 80), 40 - (y - 60)), repeat)
        np.testing.assert_array_equal(game.pixels()[..., :3], expected)


def test_parallax_is_interpolated_between_ticks(make: Make) -> None:
    class Moving(fw.Game):
        def setup(self) -> None:
            self.sky = self.add(
                fw.Backdrop(PIXELS, (0, 0), repeat=True, parallax=(0.25, 0), filter="nearest")
            )
            self.camera.position = 100, 50

        def update(self, dt: float) -> None:
            self.camera.position = self.camera.x + 16, self.camera.y + 40

    game = make(Moving, tick_rate=10)
    game.advance(0.1)
    game.advance(0.1)  # alpha 0: the camera is at 116
    for alpha, x in ((0, 116), (0.5, 124)):
        game.advance(0.1 * alpha)
        # The camera started at (100, 50). The backdrop moves by a quarter of the camera's motion
        # along x, and not at all along y.
        corner = round(0.75 * (x - 100) - (x - 100)), 0
        np.testing.assert_array_equal(
            game.pixels()[..., :3], expected_image(PIXELS, (200, 100), corner, (True, True))
        )


PIXELS = noise(32, 20)


def test_a_backdrop_moves_between_ticks_and_is_scaled(make: Make) -> None:
    class Drifting(fw.Game):
        def setup(self) -> None:
            self.cloud = self.add(fw.Backdrop(solid(2, 2), (10, 10), scale=3, filter="nearest"))

        def update(self, dt: float) -> None:
            self.cloud.position = self.cloud.position[0] + 10, 10

    game = make(Drifting, tick_rate=10)
    game.advance(0.1)
    game.advance(0.15)
    rows, columns = np.nonzero(game.pixels()[..., 0])
    assert (columns.min(), columns.max() + 1) == (25, 31)
    assert (100 - rows.max() - 1, 100 - rows.min()) == (10, 16)
    assert game.cloud.size == (6, 6)


def test_a_small_backdrop_is_averaged(make: Make) -> None:
    pixels = solid(64, 64, (0, 0, 0, 255))
    pixels[::2, ::2] = pixels[1::2, 1::2] = 255
    game = make(size=(32, 32))
    game.add(fw.Backdrop(pixels, repeat=True))
    game.camera.zoom = 0.25
    game.advance(0)
    assert np.unique(game.pixels()[..., 0]).tolist() in ([127], [128])


@pytest.mark.parametrize("drawing", [True, False])
def test_wrong_arguments_are_errors(make: Make, drawing: bool) -> None:
    game = make(drawing=drawing)
    with pytest.raises(AssetError, match=r"There is no file 'none\.png'"):
        game.add(fw.Backdrop("none.png"))
    with pytest.raises(TypeError, match="repeat: expected"):
        fw.Backdrop(solid(2, 2), repeat="x")
    with pytest.raises(ValueError, match="scale: expected"):
        fw.Backdrop(solid(2, 2), scale=0)
    with pytest.raises(TypeError, match="image: expected a path"):
        fw.Backdrop(3)
    sky = game.add(fw.Backdrop(solid(2, 3)))
    assert sky.size == (2, 3)
    with pytest.raises(ValueError, match="added to a game already"):
        game.add(sky)
