"""Images that a view draws while the game runs, for use on sprites and 3D materials."""

from __future__ import annotations

__all__ = ["RenderTexture"]

from contextlib import suppress

from .. import checks
from ..assets.images import LiveImage, copies_of
from ..errors import FrameworkError
from .gl import moderngl, opengl
from .graphics import driver_limit, in_context

_MAX_SIZE = 1 << 14


class RenderTexture(LiveImage):
    """An image that the game draws in each frame, through a view. ``size`` is the width and height
    of the image in pixels.

        scene.views.add(camera, texture=…)

    You can use a `RenderTexture` as the image of sprites and materials. If a sprite is drawn before
    the view, the sprite shows the view's image from the last frame. For example, sprites of a scene
    below the view's scene are drawn before the view. Each sprite batch and each material has a copy
    of the image in its own texture. The copy ensures that no shader reads the texture while the
    view is drawing into it. Sprites that are much smaller than the image may look rough, because
    their copy of the image has no mipmaps.

    Parameters
    ----------
    size
        The width and height in pixels, at most 16,384.
    depth
        Whether the texture has a depth buffer. A view of a 3D `World` needs a depth buffer.
        ``depth`` is True by default.
    """

    def __init__(self, size: tuple[int, int], *, depth: bool = True) -> None:
        self.size = checks.size("size", size, _MAX_SIZE)
        self.depth = checks.flag("depth", depth)
        self._copies = []
        self._view_framebuffer = ViewFramebuffer(self)


def framebuffer_of(texture: RenderTexture) -> ViewFramebuffer:
    """Return the framebuffer of a render texture. The view draws into the returned framebuffer."""
    return texture._view_framebuffer


class ViewFramebuffer:
    """The framebuffer of a `RenderTexture`. The framebuffer is created when the game draws the view
    for the first time.
    """

    not_state = True

    def __init__(self, texture: RenderTexture) -> None:
        self._texture = texture
        self._ctx: moderngl.Context | None = None
        self._framebuffer: moderngl.Framebuffer | None = None
        self._parts: list[moderngl.Framebuffer | moderngl.Renderbuffer] = []

    def begin(
        self, ctx: moderngl.Context, color: tuple[float, float, float, float]
    ) -> moderngl.Framebuffer:
        """Bind the framebuffer, fill it with ``color``, and return the framebuffer. ``color`` has
        straight alpha.
        """
        if ctx is not self._ctx:
            self._make(ctx)
        assert self._framebuffer is not None
        red, green, blue, alpha = color
        self._framebuffer.viewport = (0, 0, *self._texture.size)
        self._framebuffer.use()
        self._framebuffer.clear(red * alpha, green * alpha, blue * alpha, alpha)
        return self._framebuffer

    def finish(self) -> None:
        """Copy the view's image to all sprite batches and materials that show the render texture."""
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
                f"RenderTexture: {size[0]}×{size[1]} pixels, the driver's limit is {limit}×{limit}"
            )
        self.release()  # the existing framebuffer may belong to another game
        self._ctx = ctx
        color = ctx.renderbuffer(size, 4)
        depth = ctx.depth_renderbuffer(size) if self._texture.depth else None
        self._framebuffer = ctx.framebuffer([color], depth)
        self._parts = [self._framebuffer, color, *([depth] if depth is not None else [])]

    def release(self) -> None:
        """Release the framebuffer. The game calls `release` when the view is removed. After
        `release`, sprites and materials still show the last image.
        """
        ctx = self._ctx
        parts = self._parts
        self._ctx = self._framebuffer = None
        self._parts = []
        if ctx is not None:
            with (
                suppress(FrameworkError),
                in_context(ctx),
            ):  # if the game was closed, its framebuffer is already released
                for part in parts:
                    part.release()
