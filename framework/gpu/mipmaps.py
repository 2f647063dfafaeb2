"""Compute the smaller versions (mipmaps) of small textures on the CPU.

For large textures, the driver computes the mipmaps on the GPU. However, in some drivers without a
GPU, ``glGenerateMipmap`` must first compile a shader program, which takes 60 ms, or longer if the
width or height of the texture is not a power of two. For a small image, computing the mipmaps on
the CPU takes only a tenth of that time.
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
"""The internal format of an sRGB texture in OpenGL."""

# The size in pixels of the largest image whose mipmaps the CPU computes. The CPU needs 2 ms for
# such an image, or 10 ms for sRGB. For larger images, the GPU is faster.
_MAX_PIXELS = 512 * 512
_MAX_LIGHT = 65_535


def build(texture: moderngl.Texture, pixels: Pixels, srgb: bool = False) -> None:
    """Compute and upload all mipmaps of ``texture``. ``pixels`` is the image of the texture, uint8
    with the shape (height, width, 4).

    For an sRGB texture, `build` averages the values of linear light, because averages of sRGB
    values are too dark.
    """
    height: int = pixels.shape[0]
    width: int = pixels.shape[1]
    even = not (width & (width - 1) or height & (height - 1))
    if height * width > _MAX_PIXELS or (srgb and not even):
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
    """Return two conversion tables for sRGB colors (IEC 61966-2-1). The first table converts sRGB
    bytes to linear light from 0 to 65,535. The second table converts linear light to sRGB bytes.
    """
    byte = np.arange(256) / 255
    light = np.arange(_MAX_LIGHT + 1) / _MAX_LIGHT
    linear = np.where(byte <= 0.04045, byte / 12.92, ((byte + 0.055) / 1.055) ** 2.4)
    coded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return (linear * _MAX_LIGHT + 0.5).astype(np.uint32), (coded * 255 + 0.5).astype(np.uint8)


def _means(pixels: Pixels, times: int, srgb: bool) -> list[Pixels]:
    """Return smaller versions of the image: half size, quarter size and so on, like the function
    `halved`. The width and height of the image must be powers of two.
    """
    lights, bytes_ = _tables()
    light: NDArray[np.uint32] = lights[pixels] if srgb else pixels.astype(np.uint32)
    light[..., 3] = pixels[..., 3]  # alpha is linear already
    levels = []
    for _ in range(times):
        light = light[::2] + light[1::2] if len(light) > 1 else light * 2
        light = light[:, ::2] + light[:, 1::2] if light.shape[1] > 1 else light * 2
        light = (light + np.uint32(2)) >> np.uint32(2)  # rounded to the nearest number
        small = bytes_[light] if srgb else light.astype(np.uint8)
        small[..., 3] = light[..., 3]
        levels.append(small)
    return levels
