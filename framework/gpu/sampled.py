"""Bind images and textures to the `sampler2D` uniforms of a game's own shaders."""

from __future__ import annotations

from collections.abc import Set
from typing import Protocol, TypeAlias, cast

import numpy as np

from ..arrays import Pixels
from ..assets.images import (
    ImageSource,
    LiveImage,
    add_copy,
    checked_source,
    described,
    is_among,
    load,
    remove_copy,
)
from ..current_game import current_folders
from ..errors import AssetError
from .gl import OpenGL, moderngl
from .graphics import driver_limit


class HasTexture(Protocol):
    """An object with an attribute ``texture``, such as a `PingPong`. The object may have a
    different texture in each frame.
    """

    @property
    def texture(self) -> moderngl.Texture: ...


Source: TypeAlias = "ImageSource | moderngl.Texture | HasTexture"


class Sampled:
    """The image or texture that the game has set for a `sampler2D`.

    Raises `AssetError` if an image is missing or damaged, and `TypeError` for any other value.
    """

    __slots__ = ("pixels", "source")

    not_state = ("pixels",)

    def __init__(self, name: str, source: Source) -> None:
        self.pixels: Pixels | None = None
        """The pixels of an image. The array is uint8 with the shape (height, width, 4) and straight
        alpha. Row 0 is at the bottom.

        None for a texture, and for an image that a view draws.
        """
        self.source = source
        if texture_of(source) is None:
            image: ImageSource = checked_source(name, source)
            if not isinstance(image, LiveImage):
                self.pixels = _loaded(image)

    def renew(self, files: Set[str]) -> bool:
        """Reload the image if ``files`` contains its file. Return whether the image has been
        reloaded.
        """
        image = cast(ImageSource, self.source)
        if self.pixels is None or not is_among(image, files, tuple(current_folders())):
            return False
        self.pixels = _loaded(image)
        return True


def texture_of(source: object) -> moderngl.Texture | None:
    """Return ``source`` if it is a texture. If ``source`` is not a texture, return the texture in
    the attribute ``texture`` of ``source``. If ``source`` is an image, return None.
    """
    texture: object = None if isinstance(source, type) else getattr(source, "texture", source)
    is_texture = callable(getattr(texture, "use", None)) and hasattr(texture, "glo")
    return cast("moderngl.Texture", texture) if is_texture else None


def _loaded(source: ImageSource) -> Pixels:
    return np.ascontiguousarray(load(source, tuple(current_folders()))[::-1])


class SampledTexture:
    """A texture made from an image or a `RenderTexture`. The texture has a linear filter. The image
    repeats outside the texture coordinates from 0 to 1.

    Raises `AssetError` if the image is larger than the driver's limit.
    """

    def __init__(self, ctx: moderngl.Context, sampled: Sampled) -> None:
        source = cast(ImageSource, sampled.source)
        pixels = sampled.pixels
        self._source = source if isinstance(source, LiveImage) else None
        if pixels is None:
            assert self._source is not None
            width, height = self._source.size
        else:
            height, width, _ = pixels.shape
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(width, height) > limit:
            raise AssetError(
                f"{described(source)} has {width}×{height} pixels, "
                f"the driver's limit is {limit}×{limit}"
            )
        data = bytes(4 * width * height) if pixels is None else pixels.tobytes()
        self.texture = ctx.texture((width, height), 4, data)
        if self._source is not None:
            add_copy(self._source, self._copy)

    def _copy(self, gl: OpenGL, width: int, height: int) -> None:
        self.texture.use(0)
        gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height)

    def release(self) -> None:
        if self._source is not None:
            remove_copy(self._source, self._copy)
        self.texture.release()
