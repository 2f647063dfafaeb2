"""A picture drawn at another resolution than the window's, and brought to it with a linear
filter.
"""

from __future__ import annotations

from . import shaders
from .gl import moderngl

_UNIT = 0


class ScaledPicture:
    """An off-screen target of ``size`` pixels, with a depth buffer and, when asked for, MSAA.

    Raises ``moderngl.Error`` when the driver makes none of that size.
    """

    def __init__(
        self, ctx: moderngl.Context, size: tuple[int, int], samples: int, dtype: str = "f1"
    ) -> None:
        self.size = size
        self.samples = samples
        self._ctx = ctx
        self.texture = ctx.texture(size, 4, dtype=dtype)
        self.texture.repeat_x = self.texture.repeat_y = (
            False  # at the edges nothing of the opposite one comes in
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
        """Where it is drawn."""
        return self._framebuffer

    def begin(self, background: tuple[float, float, float]) -> None:
        """Draw here from now on, on ``background``."""
        self._framebuffer.viewport = (0, 0, *self.size)
        self._framebuffer.use()
        self._framebuffer.clear(*background, 1.0)

    def show(self, target: moderngl.Framebuffer) -> None:
        """Lay the picture over ``target``'s viewport, and draw there from now on."""
        self.resolve()
        target.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self.texture.use(_UNIT)
        self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)
        self._ctx.enable_only(moderngl.BLEND)

    def resolve(self) -> None:
        """What was drawn is in `texture`."""
        if self._resolved is not None:
            self._ctx.copy_framebuffer(self._resolved, self._framebuffer)

    def release(self) -> None:
        """Free what it holds; GL's own framebuffer is bound then."""
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
    """``size`` in pixels times ``scale``, at least one and at most ``limit`` either way."""
    width, height = (min(limit, max(1, round(pixels * scale))) for pixels in size)
    return width, height
