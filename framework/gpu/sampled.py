"""Pictures that a shader of the game's own reads: what stands behind its ``uniform sampler2D``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..assets import images
from ..errors import AssetError
from ..resources import Folder
from .gl import moderngl
from .graphics import driver_limit


class Sampled:
    """The textures of the pictures that one shader was given, each made when it is first drawn with."""

    not_state = True

    def __init__(self, ctx: moderngl.Context, folders: Sequence[Folder]) -> None:
        self._ctx, self._folders = ctx, folders
        self._made: dict[str, tuple[Any, _Copy]] = {}

    def textures(self, pictures: Mapping[str, Any]) -> dict[str, Any]:
        """A texture for each, by the names of the uniforms. Raises `AssetError` for an image that cannot be read."""
        return {name: self._texture(name, picture) for name, picture in pictures.items()}

    def _texture(self, name: str, picture: Any) -> Any:
        if not images.is_source(picture):
            return getattr(picture, "texture", picture)  # of a PingPong, or a texture itself
        known, made = self._made.get(name, (None, None))
        if made is None or known is not picture:
            if made is not None:
                made.release()
            made = _Copy(self._ctx, picture, self._folders)
            self._made[name] = picture, made
        return made.texture

    def release(self) -> None:
        """Free what was made here."""
        for _, made in self._made.values():
            made.release()
        self._made.clear()


class _Copy:
    """An image as a texture: premultiplied, row 0 at the bottom, repeated; of a live picture what was drawn last."""

    def __init__(self, ctx: moderngl.Context, source: Any, folders: Sequence[Folder]) -> None:
        pixels = images.premultiply(images.load(source, folders))
        height, width = pixels.shape[:2]
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(width, height) > limit:
            what = images.described(source)
            raise AssetError(f"{what}: {width}×{height} pixels, the driver takes textures of {limit}×{limit}")
        self._source = source
        self.texture = ctx.texture((width, height), 4, pixels[::-1].tobytes())
        self.texture.filter = moderngl.LINEAR, moderngl.LINEAR
        self._target: moderngl.Framebuffer | None = None
        if isinstance(source, images.LivePicture):
            self.texture.repeat_x = self.texture.repeat_y = False
            self._target = ctx.framebuffer([self.texture])
            source.shown_in(self._copy)

    def _copy(self, gl: Any, width: int, height: int) -> None:
        assert self._target is not None
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._target.glo)
        gl.glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def release(self) -> None:
        if self._target is not None:
            self._source.shown_no_longer_in(self._copy)
            self._target.release()
        self.texture.release()
