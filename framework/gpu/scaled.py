"""Draw at another resolution than the window's, and scale the image with a linear filter."""

from __future__ import annotations

from . import shaders
from .gl import moderngl

_UNIT = 0


class ScaledFramebuffer:
    """A framebuffer for the whole screen, with a depth buffer. ``size`` is in pixels. If
    ``samples`` is not 0, the framebuffer uses MSAA, which makes edges smooth.

    Raises ``moderngl.Error`` if the driver cannot create the framebuffer.
    """

    def __init__(
        self, ctx: moderngl.Context, size: tuple[int, int], samples: int, dtype: str = "f1"
    ) -> None:
        self.size = size
        self.samples = samples
        self._ctx = ctx
        self.texture = ctx.texture(size, 4, dtype=dtype)
        self.texture.repeat_x = self.texture.repeat_y = (
            False  # with this setting, the filter reads no colors from the opposite edge
        )
        self.texture.filter = moderngl.LINEAR, moderngl.LINEAR
        self._depth = ctx.depth_renderbuffer(size, samples=samples)
        self._color = ctx.renderbuffer(size, 4, samples=samples, dtype=dtype) if samples else None
        self._resolved = ctx.framebuffer([self.texture]) if self._color else None
        self._framebuffer = ctx.framebuffer([self._color or self.texture], self._depth)
        self._program = shaders.program(ctx, "scaled.vert", "scaled.frag")
        self._program["picture"] = _UNIT
        self._array = ctx.vertex_array(self._program, [])

    @property
    def framebuffer(self) -> moderngl.Framebuffer:
        """The framebuffer that the game draws into. With MSAA, the framebuffer has several samples
        per pixel.
        """
        return self._framebuffer

    def begin(self, background: tuple[float, float, float]) -> None:
        """Bind the framebuffer and fill it with ``background``: red, green and blue from 0 to 1."""
        self._framebuffer.viewport = (0, 0, *self.size)
        self._framebuffer.use()
        self._framebuffer.clear(*background, 1.0)

    def show(self, target: moderngl.Framebuffer) -> None:
        """Draw the screen's image over the viewport of ``target``. After the call, ``target`` is
        the bound framebuffer.
        """
        self.resolve()
        target.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self.texture.use(_UNIT)
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)
        self._ctx.enable_only(moderngl.BLEND)

    def resolve(self) -> None:
        """Convert the framebuffer with MSAA to a `texture` with one color per pixel. Without MSAA,
        do nothing.
        """
        if self._resolved is not None:
            self._ctx.copy_framebuffer(self._resolved, self._framebuffer)

    def release(self) -> None:
        """Release the framebuffers and textures. After the call, OpenGL's default framebuffer is
        bound.
        """
        self._ctx.screen.use()
        for part in (
            self._array,
            self._program,
            self._framebuffer,
            self._resolved,
            self._color,
            self._depth,
        ):
            if part is not None:
                part.release()
        self.texture.release()


def scaled_size(size: tuple[int, int], scale: float, limit: int) -> tuple[int, int]:
    """Return a size in pixels, multiplied by ``scale``. The returned width and height are at least
    1 and at most ``limit``.
    """
    width, height = (min(limit, max(1, round(pixels * scale))) for pixels in size)
    return width, height
