"""A texture's mipmaps: reduced here where that is little work, and else by the driver.

A driver in software compiles a program for ``glGenerateMipmap`` in each context, which takes 60 ms,
and longer where a side is no power of two: ten times as long as a small picture takes here.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..arrays import Pixels
from ..assets.images import halved
from .atlas import halvings
from .gl import opengl

if TYPE_CHECKING:
    from .gl import moderngl

SRGB8_ALPHA8 = 0x8C43
"""GL's number for what an sRGB texture holds."""

_MOST = (
    512 * 512
)  # pixels that are reduced here: 2 ms, or 10 ms where they are sRGB. With more, a GPU is quicker
_BRIGHTEST = 65_535


def build(texture: moderngl.Texture, pixels: Pixels, srgb: bool = False) -> None:
    """Give a texture all its mipmaps: means of the pixels (uint8 (height, width, 4)) that it was
    made of.

    Those of an sRGB texture are means of light, not of the numbers that stand for it.
    """
    height: int = pixels.shape[0]
    width: int = pixels.shape[1]
    even = not (width & (width - 1) or height & (height - 1))
    if height * width > _MOST or (srgb and not even):
        texture.build_mipmaps()
        return
    times = halvings(width, height)
    gl = opengl()
    texture.use()
    gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
    for level, small in enumerate(
        _means(pixels, times, srgb) if even else halved(pixels, times), 1
    ):
        data = np.ascontiguousarray(small)
        size = data.shape[1], data.shape[0], 0
        kind = SRGB8_ALPHA8 if srgb else gl.GL_RGBA8
        gl.glTexImage2D(
            gl.GL_TEXTURE_2D, level, kind, *size, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, data.ctypes.data
        )


@functools.cache
def _tables() -> tuple[NDArray[np.uint32], Pixels]:
    """Of each sRGB byte its light, 0 … 65,535; of each light its byte. From IEC 61966-2-1."""
    byte, light = np.arange(256) / 255, np.arange(_BRIGHTEST + 1) / _BRIGHTEST
    linear = np.where(byte <= 0.04045, byte / 12.92, ((byte + 0.055) / 1.055) ** 2.4)
    coded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return (linear * _BRIGHTEST + 0.5).astype(np.uint32), (coded * 255 + 0.5).astype(np.uint8)


def _means(pixels: Pixels, times: int, srgb: bool) -> list[Pixels]:
    """`halved`, of a picture whose sides are powers of two."""
    lights, bytes_ = _tables()
    light: NDArray[np.uint32] = lights[pixels] if srgb else pixels.astype(np.uint32)
    light[..., 3] = pixels[..., 3]  # alpha is what it says
    pictures = []
    for _ in range(times):
        light = light[::2] + light[1::2] if len(light) > 1 else light * 2
        light = light[:, ::2] + light[:, 1::2] if light.shape[1] > 1 else light * 2
        light = (light + np.uint32(2)) >> np.uint32(2)  # so that it is rounded
        small = bytes_[light] if srgb else light.astype(np.uint8)
        small[..., 3] = light[..., 3]
        pictures.append(small)
    return pictures
