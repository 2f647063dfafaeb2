"""A texture that a view draws to while the game runs, and that sprites and materials show."""

from __future__ import annotations

__all__ = ["RenderTexture"]

from contextlib import suppress

from .. import checks
from ..assets.images import LivePicture, copies_of
from ..errors import FrameworkError
from .gl import moderngl, opengl
from .graphics import driver_limit, in_context

_MOST = 1 << 14


class RenderTexture(LivePicture):
    """A picture of ``size`` pixels that a view draws anew in each frame: ``scene.views.add(camera,
    texture=…)``.

    It is given to sprites and materials in place of an image. Where they are drawn before the view
    is, by a scene below, they show the frame before. What shows it has a copy in a texture of its
    own, so that nothing reads what is being drawn; sprites show it without mipmaps.

    Parameters
    ----------
    size
        Width and height in pixels, at most 16,384.
    depth
        Whether it can show what is in space.
    """

    def __init__(self, size: tuple[int, int], *, depth: bool = True) -> None:
        self.size = checks.size("size", size, _MOST)
        self.depth = checks.flag("depth", depth)
        self._copies = []
        self._canvas = Canvas(self)


def canvas_of(texture: RenderTexture) -> Canvas:
    """Return what the painter draws to."""
    return texture._canvas


class Canvas:
    """The framebuffer of a `RenderTexture`, made when it is first drawn to."""

    not_state = True

    def __init__(self, texture: RenderTexture) -> None:
        self._texture = texture
        self._ctx: moderngl.Context | None = None
        self._framebuffer: moderngl.Framebuffer | None = None
        self._parts: list[moderngl.Framebuffer | moderngl.Renderbuffer] = []

    def begin(
        self, ctx: moderngl.Context, color: tuple[float, float, float, float]
    ) -> moderngl.Framebuffer:
        """Draw here from now on, on ``color`` (straight alpha). Returns what is drawn to."""
        if ctx is not self._ctx:
            self._make(ctx)
        assert self._framebuffer is not None
        red, green, blue, alpha = color
        self._framebuffer.viewport = (0, 0, *self._texture.size)
        self._framebuffer.use()
        self._framebuffer.clear(red * alpha, green * alpha, blue * alpha, alpha)
        return self._framebuffer

    def finish(self) -> None:
        """Copy what was drawn to everything that shows it."""
        gl = opengl()
        assert self._framebuffer is not None
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._framebuffer.glo)
        for copy in copies_of(self._texture):
            copy(gl, *self._texture.size)

    def _make(self, ctx: moderngl.Context) -> None:
        size = self._texture.size
        limit = min(driver_limit("GL_MAX_TEXTURE_SIZE"), driver_limit("GL_MAX_RENDERBUFFER_SIZE"))
        if max(size) > limit:
            raise FrameworkError(
                f"RenderTexture: {size[0]}×{size[1]} pixels, the driver takes {limit}×{limit}"
            )
        self.release()  # in another game
        self._ctx = ctx
        color = ctx.renderbuffer(size, 4)
        depth = ctx.depth_renderbuffer(size) if self._texture.depth else None
        self._framebuffer = ctx.framebuffer([color], depth)
        self._parts = [self._framebuffer, color, *([depth] if depth is not None else [])]

    def release(self) -> None:
        """Free what it is drawn to, with the view; what shows it keeps the last picture."""
        ctx, parts = self._ctx, self._parts
        self._ctx = self._framebuffer = None
        self._parts = []
        if ctx is not None:
            with suppress(FrameworkError), in_context(ctx):  # a closed game has freed it
                for part in parts:
                    part.release()
