"""The smaller and smaller versions of a picture that a texture has, for where it is drawn smaller than it is."""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numpy as np

from ..arrays import Floats, Pixels
from ..checks import linear
from .gl import moderngl

_SMALL = 64 * 64  # pixels
_SRGB8_ALPHA8 = 0x8C43


def build(texture: moderngl.Texture, pixels: Pixels, srgb: bool = False) -> None:
    """Make all levels of a texture below its first; ``pixels``, uint8 (height, width, 4), are that one, row by row.

    A level has half the width and height of the one before, rounded down; its pixels are means over what they cover,
    of light where the numbers are ``srgb``. Drivers do it too, but Mesa's software GL compiles a program for it in each
    game, for 20 to 60 ms. So what is small is done here.
    """
    height, width = pixels.shape[:2]
    if height * width > _SMALL:
        texture.build_mipmaps()
        return
    gl: Any = sys.modules["pyglet.gl"]
    stored = _SRGB8_ALPHA8 if srgb else gl.GL_RGBA8
    texture.use()
    for level, small in enumerate(smaller(pixels, srgb), 1):
        height, width = small.shape[:2]
        start = small.ctypes.data_as(ctypes.c_void_p)
        kind = gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
        gl.glTexImage2D(gl.GL_TEXTURE_2D, level, stored, width, height, 0, *kind, start)


def smaller(pixels: Pixels, srgb: bool = False) -> list[Pixels]:
    """The levels below a first one, down to a single pixel: see `build`."""
    numbers, halfway = _light()
    light = pixels / np.float32(255)
    if srgb:
        light[..., :3] = numbers[pixels[..., :3]]
    levels = []
    while light.shape[0] * light.shape[1] > 1:
        rows, columns = (_shares(length) for length in light.shape[:2])
        light = np.einsum("ij,jkc,lk->ilc", rows, light, columns, optimize=True)
        small = np.rint(light * 255).astype(np.uint8, order="C")
        if srgb:
            small[..., :3] = np.searchsorted(halfway, light[..., :3])
        levels.append(small)
    return levels


@functools.lru_cache(16)
def _shares(length: int) -> Floats:
    """How much of each of ``length`` pixels is in each of half as many: float32 (half, length), rows of sum 1."""
    count = max(1, length // 2)
    edges = np.arange(count + 1) * (length / count)
    pixels = np.arange(length)
    covered = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    shares: Floats = (np.maximum(covered, 0) * (count / length)).astype(np.float32)
    return shares


@functools.cache
def _light() -> tuple[Floats, Floats]:
    """What the bytes 0 to 255 of sRGB are in light, float32 (256,); and where between them the nearest is another."""
    steps = np.array([linear(step / 510) for step in range(511)], np.float32)
    return steps[::2], steps[1::2]
