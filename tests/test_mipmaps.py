"""Mipmaps: each texel is the mean of its texels in the level below, for sRGB textures the mean of
their light.
"""

from __future__ import annotations

from typing import Any

import moderngl
import numpy as np
import pytest
from shading import from_srgb, to_srgb

from framework.gpu import mipmaps


def levels(texture: moderngl.Texture) -> list[np.ndarray]:
    """Return all levels of a texture except the first, read from the driver."""
    from pyglet import gl

    result = []
    width, height = texture.size
    texture.use()
    for level in range(1, max(width, height).bit_length()):
        pixels = np.zeros((max(1, height >> level), max(1, width >> level), 4), np.uint8)
        gl.glGetTexImage(
            gl.GL_TEXTURE_2D, level, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data
        )
        result.append(pixels.astype(float))
    return result


def built_levels(ctx: moderngl.Context, pixels: Any, srgb: bool) -> list[np.ndarray]:
    options: Any = {"internal_format": mipmaps.SRGB8_ALPHA8} if srgb else {}
    texture = ctx.texture(pixels.shape[1::-1], 4, pixels, **options)
    mipmaps.build(texture, pixels, srgb)
    return levels(texture)


def means(pixels: Any, shape: tuple[int, ...]) -> Any:
    rows = pixels.shape[0] // shape[0]
    columns = pixels.shape[1] // shape[1]
    return pixels.reshape(shape[0], rows, shape[1], columns, 4).mean(axis=(1, 3))


@pytest.mark.parametrize("srgb", [False, True])
@pytest.mark.parametrize("shape", [(16, 16), (4, 64), (32, 1)])
def test_each_texel_is_the_mean_of_the_texels_below(
    ctx: moderngl.Context, shape: tuple[int, int], srgb: bool
) -> None:
    pixels = np.random.default_rng(7).integers(0, 256, (*shape, 4)).astype(np.uint8)
    light = pixels / 255
    if srgb:
        light[..., :3] = from_srgb(light[..., :3])
    for level in built_levels(ctx, pixels, srgb):
        expected = means(light, level.shape[:2])
        if srgb:
            expected[..., :3] = to_srgb(expected[..., :3])
        assert np.abs(level - 255 * expected).max() < 3  # each level is rounded


@pytest.mark.parametrize(("shape", "srgb"), [((15, 7), False), ((15, 7), True)])
def test_mipmaps_of_any_size_end_with_one_texel(
    ctx: moderngl.Context, shape: tuple[int, int], srgb: bool
) -> None:
    levels_of_texture = built_levels(ctx, np.full((*shape, 4), (200, 100, 50, 255), np.uint8), srgb)
    assert levels_of_texture[-1].shape == (1, 1, 4)
    assert all(np.abs(level - (200, 100, 50, 255)).max() <= 1 for level in levels_of_texture)
