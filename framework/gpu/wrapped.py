"""Textures that repeat, mirror or clamp their image at the edges."""

from __future__ import annotations

from collections.abc import Set

from ..arrays import Pixels
from ..assets import images
from ..assets.images import ImageSource, LiveImage, add_copy, premultiply, remove_copy
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
    """A texture that contains one image with premultiplied alpha.

    ``wrap`` is a pair of names for x and y: "repeat", "mirror" or "clamp". ``filter`` is "linear"
    or "nearest". Raises the same errors as `images.load`. Raises `AssetError` if the image is
    larger than the driver's limit.
    """

    def __init__(
        self, graphics: Graphics, source: ImageSource, wrap: tuple[str, str], filter: str
    ) -> None:
        self._graphics = graphics
        self._source = source
        self._wrap = wrap
        self._filter = filter
        self._texture = self._make_texture(images.load(source, graphics.folders, live=True))
        if isinstance(source, LiveImage):
            add_copy(source, self._copy)

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the image in pixels."""
        width: int
        height: int
        width, height = self._texture.size
        return width, height

    @property
    def period(self) -> tuple[float, float]:
        """The distance after which the pattern repeats along x and along y. The unit of the
        distance is the image size: 1 for "repeat", 2 for "mirror". A distance of 0 means that the
        pattern does not repeat.
        """
        x, y = (_PERIODS[wrap] for wrap in self._wrap)
        return x, y

    def use(self, unit: int) -> None:
        """Bind the texture to a texture unit."""
        self._texture.use(unit)

    def repeat(self, x: bool, y: bool) -> None:
        """Set whether the image repeats along x and along y."""
        self._texture.repeat_x = x
        self._texture.repeat_y = y

    def renew(self, files: Set[str]) -> bool:
        """Reload the image if ``files`` contains its file. Return whether the image has been
        reloaded.
        """
        folders = self._graphics.folders
        if not images.is_among(self._source, files, folders):
            return False
        pixels = images.load(images.fresh(self._source), folders, live=True)
        old_texture = self._texture
        self._texture = self._make_texture(pixels)
        old_texture.release()
        return True

    def _make_texture(self, pixels: Pixels) -> moderngl.Texture:
        height, width, _ = pixels.shape
        limit = driver_limit("GL_MAX_TEXTURE_SIZE")
        if max(width, height) > limit:
            words = f"{width}×{height} pixels, the driver's limit is {limit}×{limit}; scale it down"
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
            if wrap == "mirror":  # moderngl has no option for mirrored textures
                texture.use()
                gl.glTexParameteri(gl.GL_TEXTURE_2D, axis, _MIRRORED_REPEAT)
        return texture

    def _copy(self, gl: OpenGL, width: int, height: int) -> None:
        """Copy the image of a view to the texture. Before you call `_copy`, bind the framebuffer of
        the view for reading.
        """
        self._texture.use()
        gl.glCopyTexSubImage2D(gl.GL_TEXTURE_2D, 0, 0, 0, 0, 0, width, height)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D)

    def release(self) -> None:
        """Release the texture."""
        if isinstance(self._source, LiveImage):
            remove_copy(self._source, self._copy)
        self._texture.release()
