"""What a `sampler2D` of a game's own shader shows: an image, a picture that a view draws, or a
texture of one's own.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Protocol, TypeAlias, cast

import numpy as np

from ..arrays import Pixels
from ..assets.images import (
    ImageSource,
    LivePicture,
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
    """An object with a texture, which may be another one in each frame: a `PingPong`."""

    @property
    def texture(self) -> moderngl.Texture: ...


Source: TypeAlias = "ImageSource | moderngl.Texture | HasTexture"


class Sampled:
    """One of these, as it was given for the sampler of a name.

    Raises `AssetError` for an image that is missing or broken, `TypeError` for what is none of
    these.
    """

    __slots__ = ("pixels", "source")

    not_state = ("pixels",)

    def __init__(self, name: str, source: Source) -> None:
        self.pixels: Pixels | None = None
        """Of an image: uint8 (height, width, 4), straight alpha, row 0 at the bottom."""
        self.source = source
        if texture_of(source) is None:
            image: ImageSource = checked_source(name, source)
            if not isinstance(image, LivePicture):
                self.pixels = _loaded(image)

    def renew(self, files: Set[str]) -> bool:
        """Load it anew if it is from one of these files."""
        image = cast(ImageSource, self.source)
        if self.pixels is None or not is_among(image, files, tuple(current_folders())):
            return False
        self.pixels = _loaded(image)
        return True


def texture_of(source: object) -> moderngl.Texture | None:
    """Return the texture that ``source`` is or has now, or None if there is none."""
    texture: object = None if isinstance(source, type) else getattr(source, "texture", source)
    is_texture = callable(getattr(texture, "use", None)) and hasattr(texture, "glo")
    return cast("moderngl.Texture", texture) if is_texture else None


def _loaded(source: ImageSource) -> Pixels:
    return np.ascontiguousarray(load(source, tuple(current_folders()))[::-1])


class SampledTexture:
    """The texture of an image, or of a picture that is drawn while the game runs: filtered,
    repeated beyond its edges.

    Raises `AssetError` when the driver has no texture as large.
    """

    def __init__(self, ctx: moderngl.Context, sampled: Sampled) -> None:
        source = cast(ImageSource, sampled.source)
        pixels = sampled.pixels
        self._source = source if isinstance(source, LivePicture) else None
        if pixels is None:
            assert self._source is not None
            width, height = self._source.size
        else:
            height, width, _ = pixels.shape
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(width, height) > limit:
            raise AssetError(
                f"{described(source)} has {width}×{height} pixels, the driver takes {limit}×{limit}"
            )
        data = bytes(4 * width * height) if pixels is None else pixels.tobytes()
        self.texture = ctx.texture((width, height), 4, data)
        if self._source is not None:
            add_copy(self._source, self._copy)

    def _copy(self, gl: OpenGL, width: int, height: int) -> None:
        self.texture.use(0)
        gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height)

    def release(self) -> None:
        """Free it."""
        if self._source is not None:
            remove_copy(self._source, self._copy)
        self.texture.release()
