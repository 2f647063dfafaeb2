"""Sampler values: the image or texture of a `sampler2D` in a game's own shader."""

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
    """An object with an attribute ``texture`` that may change from frame to frame, such as a
    `PingPong`.
    """

    @property
    def texture(self) -> moderngl.Texture: ...


Source: TypeAlias = "ImageSource | moderngl.Texture | HasTexture"


class Sampled:
    """The image or texture that a game sets for a `sampler2D`.

    Raises `AssetError` for an image that is missing or broken, and `TypeError` for any other value.
    """

    __slots__ = ("pixels", "source")

    not_state = ("pixels",)

    def __init__(self, name: str, source: Source) -> None:
        self.pixels: Pixels | None = None
        """The pixels of an image: uint8 (height, width, 4), straight alpha, row 0 at the bottom.

        The value is None for a texture, and for an image that a view draws.
        """
        self.source = source
        if texture_of(source) is None:
            image: ImageSource = checked_source(name, source)
            if not isinstance(image, LiveImage):
                self.pixels = _loaded(image)

    def renew(self, files: Set[str]) -> bool:
        """Reload the image if the image's file is in ``files``. Return whether the image was
        reloaded.
        """
        image = cast(ImageSource, self.source)
        if self.pixels is None or not is_among(image, files, tuple(current_folders())):
            return False
        self.pixels = _loaded(image)
        return True


def texture_of(source: object) -> moderngl.Texture | None:
    """Return ``source`` if it is a texture, or its attribute ``texture`` if it has one. Return None
    if ``source`` is an image.
    """
    texture: object = None if isinstance(source, type) else getattr(source, "texture", source)
    is_texture = callable(getattr(texture, "use", None)) and hasattr(texture, "glo")
    return cast("moderngl.Texture", texture) if is_texture else None


def _loaded(source: ImageSource) -> Pixels:
    return np.ascontiguousarray(load(source, tuple(current_folders()))[::-1])


class SampledTexture:
    """The texture of an image or of a `RenderTexture`, with a linear filter. Texture coordinates
    beyond 0 and 1 repeat the image.

    Raises `AssetError` if the image is larger than the driver's largest texture.
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
