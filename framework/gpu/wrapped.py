"""An image in a texture of its own: it can be repeated without end, and has mipmaps."""

from __future__ import annotations

from collections.abc import Set

from ..arrays import Pixels
from ..assets import images
from ..assets.images import ImageSource, LivePicture, add_copy, premultiply, remove_copy
from ..errors import AssetError
from . import mipmaps
from .gl import OpenGL, moderngl, opengl
from .graphics import Graphics, driver_limit

_MIRRORED_REPEAT = 0x8370
_PERIODS = {"repeat": 1.0, "mirror": 2.0, "clamp": 0.0}
_FILTERS = {
    "linear": (0x2703, 0x2601),  # GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR
    "nearest": (0x2700, 0x2600),  # GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST
}


class WrappedTexture:
    """The texture of one image, premultiplied. ``wrap``: what is beside it, along x and along y:
    "repeat", "mirror" or "clamp". Raises as `images.load` does, and `AssetError` where it is larger
    than a texture may be."""

    def __init__(
        self, graphics: Graphics, source: ImageSource, wrap: tuple[str, str], filter: str
    ) -> None:
        self._graphics, self._source, self._wrap, self._filter = graphics, source, wrap, filter
        self._texture = self._made(images.load(source, graphics.folders, live=True))
        if isinstance(source, LivePicture):
            add_copy(source, self._copy)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width: int
        height: int
        width, height = self._texture.size
        return width, height

    @property
    def period(self) -> tuple[float, float]:
        """Images after which it is the same again, along x and along y; 0: never."""
        x, y = (_PERIODS[wrap] for wrap in self._wrap)
        return x, y

    def use(self, unit: int) -> None:
        """Have programs read it from a texture unit."""
        self._texture.use(unit)

    def repeat(self, x: bool, y: bool) -> None:
        """From now on, have it repeated along x and y, or not."""
        self._texture.repeat_x, self._texture.repeat_y = x, y

    def renew(self, files: Set[str]) -> bool:
        """Load it anew, if it is from one of these files."""
        folders = self._graphics.folders
        if not images.is_among(self._source, files, folders):
            return False
        pixels = images.load(images.fresh(self._source), folders, live=True)
        before, self._texture = self._texture, self._made(pixels)
        before.release()
        return True

    def _made(self, pixels: Pixels) -> moderngl.Texture:
        height, width, _ = pixels.shape
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(width, height) > limit:
            words = (
                f"{width}×{height} pixels are more than a texture may have here "
                f"({limit}×{limit}); scale it down"
            )
            raise AssetError(f"{images.described(self._source)}: {words}")
        upward = premultiply(pixels)[::-1]
        texture = self._graphics.ctx.texture((width, height), 4, upward.tobytes())
        mipmaps.build(texture, upward)
        texture.filter = _FILTERS[self._filter]
        texture.repeat_x, texture.repeat_y = (wrap == "repeat" for wrap in self._wrap)
        gl = opengl()
        for axis, wrap in zip(
            (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T), self._wrap, strict=True
        ):
            if wrap == "mirror":  # which moderngl has no word for
                texture.use()
                gl.glTexParameteri(gl.GL_TEXTURE_2D, axis, _MIRRORED_REPEAT)
        return texture

    def _copy(self, gl: OpenGL, width: int, height: int) -> None:
        """It was drawn anew, and is bound for reading."""
        self._texture.use()
        gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D)

    def release(self) -> None:
        """Free it."""
        if isinstance(self._source, LivePicture):
            remove_copy(self._source, self._copy)
        self._texture.release()
