"""The smaller versions of a picture in a texture: those of the driver, and means where it takes less than all."""

from __future__ import annotations

from ctypes import c_void_p

import moderngl
import numpy as np
import pytest

from framework.checks import linear
from framework.gpu import mipmaps

SRGB8_ALPHA8 = 0x8C43


def picture(width: int, height: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, (height, width, 4), dtype=np.uint8)


def levels(texture: moderngl.Texture, count: int) -> list[np.ndarray]:
    from pyglet import gl

    made = []
    texture.use()
    for level in range(1, count + 1):
        width, height = (max(1, side >> level) for side in texture.size)
        made.append(np.zeros((height, width, 4), np.uint8))
        gl.glGetTexImage(gl.GL_TEXTURE_2D, level, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, made[-1].ctypes.data_as(c_void_p))
    return made


@pytest.mark.parametrize("srgb", [False, True])
def test_they_are_those_that_the_driver_makes(ctx: moderngl.Context, srgb: bool) -> None:
    pixels = picture(16, 8)
    drivers, ours = (
        ctx.texture((16, 8), 4, pixels.tobytes(), **({"internal_format": SRGB8_ALPHA8} if srgb else {}))
        for _ in range(2)
    )
    drivers.build_mipmaps()
    mipmaps.build(ours, pixels, srgb)
    for one, other in zip(levels(drivers, 4), levels(ours, 4), strict=True):
        assert np.abs(one.astype(int) - other).max() <= 3  # Mesa rounds each level up


def test_each_pixel_counts_alike_in_whatever_size() -> None:
    pixels = picture(23, 17)
    made = mipmaps.smaller(pixels)
    assert [level.shape[:2] for level in made] == [(8, 11), (4, 5), (2, 2), (1, 1)]
    for level in made:
        np.testing.assert_allclose(level.mean((0, 1)), pixels.mean((0, 1)), atol=0.5)
    assert mipmaps.smaller(picture(1, 1)) == []
    assert [level.shape[:2] for level in mipmaps.smaller(picture(1, 5))] == [(2, 1), (1, 1)]


def test_light_is_averaged_and_what_is_even_stays_so() -> None:
    pixels = np.array([[[0, 255, 7, 0], [255, 255, 7, 255]]], np.uint8)
    assert mipmaps.smaller(pixels)[0].tolist() == [[[128, 255, 7, 128]]]
    (small,) = mipmaps.smaller(pixels, srgb=True)
    assert small[0, 0].tolist() == [188, 255, 7, 128]
    assert linear(187.5 / 255) < 0.5 < linear(188.5 / 255)
    every = np.repeat(np.arange(256, dtype=np.uint8), 4).reshape(256, 1, 1, 4)
    for row in every:
        assert (mipmaps.smaller(row.repeat(2, axis=0), srgb=True)[0] == row).all()


def test_what_is_large_is_the_drivers_work(ctx: moderngl.Context) -> None:
    pixels = picture(128, 64)
    texture = ctx.texture((128, 64), 4, pixels.tobytes())
    mipmaps.build(texture, pixels)
    (half,) = levels(texture, 1)
    np.testing.assert_allclose(half, pixels.reshape(32, 2, 64, 2, 4).mean((1, 3)), atol=1.01)
