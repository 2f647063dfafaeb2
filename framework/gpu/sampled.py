"""What a `sampler2D` of a game's own shader shows: an image, a picture that a view draws, or a
texture of one's own.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from ..arrays import Pixels
from ..assets.images import (
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
from .gl import moderngl
from .graphics import driver_limit


class Sampled:
    """One of these, as it was given for the sampler of a name.

    Raises `AssetError` for an image that is missing or broken, `TypeError` for what is none of
    these.
    """

    __slots__ = ("pixels", "source")

    not_state = ("pixels",)

    def __init__(self, name: str, source: Any) -> None:
        self.pixels: Pixels | None = None
        """Of an image: uint8 (height, width, 4), straight alpha, row 0 at the bottom."""
        self.source = source
        if not is_texture(source):
            checked_source(name, source)
            if not isinstance(source, LivePicture):
                self.pixels = _loaded(source)

    def renew(self, files: Set[str]) -> bool:
        """Load it anew if it is from one of these files."""
        if self.pixels is None or not is_among(self.source, files, tuple(current_folders())):
            return False
        self.pixels = _loaded(self.source)
        return True


def is_texture(source: Any) -> bool:
    """Whether it is a texture already, or has one, which may be another in each frame, as a
    `PingPong` has.
    """
    texture = None if isinstance(source, type) else getattr(source, "texture", source)
    return callable(getattr(texture, "use", None)) and hasattr(texture, "glo")


def _loaded(source: Any) -> Pixels:
    return np.ascontiguousarray(load(source, tuple(current_folders()))[::-1])


class SampledTexture:
    """The texture of an image, or of a picture that is drawn while the game runs: filtered,
    repeated beyond its edges.

    Raises `AssetError` when the driver has no texture as large.
    """

    def __init__(self, ctx: moderngl.Context, sampled: Sampled) -> None:
        source, pixels = sampled.source, sampled.pixels
        width, height = source.size if pixels is None else pixels.shape[1::-1]
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(width, height) > limit:
            raise AssetError(
                f"{described(source)} has {width}×{height} pixels, the driver takes {limit}×{limit}"
            )
        data = bytes(4 * width * height) if pixels is None else pixels.tobytes()
        self.texture = ctx.texture((width, height), 4, data)
        self._source = source if pixels is None else None
        if self._source is not None:
            add_copy(self._source, self._copy)

    def _copy(self, gl: Any, width: int, height: int) -> None:
        self.texture.use(0)
        gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height)

    def release(self) -> None:
        """Free it."""
        if self._source is not None:
            remove_copy(self._source, self._copy)
        self.texture.release()
