"""Pictures that a shader of the game's own reads: what stands behind its ``uniform sampler2D``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..assets import images
from .graphics import Graphics
from .wrapped import WrappedTexture


class Sampled:
    """The textures of the pictures that one shader was given, each made when it is first drawn with."""

    not_state = True

    def __init__(self, graphics: Graphics) -> None:
        self._graphics = graphics
        self._made: dict[str, tuple[Any, WrappedTexture]] = {}

    def textures(self, pictures: Mapping[str, Any]) -> dict[str, Any]:
        """A texture for each, by the names of the uniforms. Raises `AssetError` for an image that cannot be read."""
        return {name: self._texture(name, picture) for name, picture in pictures.items()}

    def _texture(self, name: str, picture: Any) -> Any:
        if not images.is_source(picture):
            return getattr(picture, "texture", picture)  # of a PingPong, or a texture itself
        known, made = self._made.get(name, (None, None))
        if made is None or known is not picture:
            wrap = "clamp" if isinstance(picture, images.LivePicture) else "repeat"
            fresh = WrappedTexture(self._graphics, picture, (wrap, wrap), "linear")
            if made is not None:
                made.release()
            made, self._made[name] = fresh, (picture, fresh)
        return made

    def release(self) -> None:
        """Free what was made here."""
        for _, made in self._made.values():
            made.release()
        self._made.clear()
