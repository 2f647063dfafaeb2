"""Draw pixel art at a low resolution, and show each texel as a large square of pixels."""

from __future__ import annotations

import numpy as np

from ..assets.palettes import Palette
from .gl import Releasable, moderngl
from .graphics import BLEND_MODES, Graphics, programs_of

BORDER = 1
"""The width of the border around the image in texels. A part of the border becomes visible when the
image is shifted.
"""

_PICTURE_UNIT = 0
_PALETTE_UNIT = 1


class PixelFramebuffer:
    """A framebuffer for pixel art, with a depth buffer. The framebuffer has ``size`` texels, and a
    border of `BORDER` texels on each side.

    Raises ``moderngl.Error`` if the driver cannot create the framebuffer.
    """

    def __init__(self, graphics: Graphics, size: tuple[int, int]) -> None:
        self.size = size
        ctx = self._ctx = graphics.ctx
        self.whole = whole = size[0] + 2 * BORDER, size[1] + 2 * BORDER
        """The width and height in texels, with the border."""
        # One shader program draws the image. The other program draws the image in the colors of a
        # palette.
        self._textures = [ctx.texture(whole, 4) for _ in range(2)]
        for texture in self._textures:
            texture.repeat_x = texture.repeat_y = False
            texture.filter = moderngl.LINEAR, moderngl.LINEAR
        self._depth = ctx.depth_renderbuffer(whole)
        self._drawn = ctx.framebuffer([self._textures[0]], self._depth)
        self._mapped = ctx.framebuffer([self._textures[1]])
        programs = programs_of(graphics)
        self._show = programs.get("scaled.vert", "pixelated.frag")
        self._map = programs.get("scaled.vert", "palette.frag")
        self._show["picture"] = self._map["picture"] = _PICTURE_UNIT
        self._map["palette"] = _PALETTE_UNIT
        self._arrays = [ctx.vertex_array(program, []) for program in (self._show, self._map)]
        self._palette: Palette | None = None
        self._colors: moderngl.Texture | None = None

    def begin(self, color: tuple[float, float, float, float]) -> None:
        """Bind the framebuffer and fill it with ``color``, a color with premultiplied alpha."""
        self.use()
        self._drawn.clear(*color)

    def use(self, bordered: bool = True) -> tuple[int, int, int, int]:
        """Bind the framebuffer and return its viewport. If ``bordered`` is False, the viewport
        excludes the border, so draw calls do not change it.
        """
        viewport = (0, 0, *self.whole) if bordered else (BORDER, BORDER, *self.size)
        self._drawn.viewport = viewport
        self._drawn.use()
        return viewport

    def show(
        self, target: moderngl.Framebuffer, shift: tuple[float, float], palette: Palette | None
    ) -> None:
        """Draw the pixel art image over the viewport of ``target``. After the call, ``target`` is
        the bound framebuffer.

        ``shift`` moves the image to the right and up, in texels. Each value of ``shift`` is at most
        half a texel. With a ``palette``, the image is shown only in the palette's colors.
        """
        texture = self._textures[0] if palette is None else self._in_colors(palette)
        target.use()
        left, bottom, width, height = target.viewport
        self._show["origin"] = left, bottom
        self._show["zoom"] = width / self.size[0], height / self.size[1]
        self._show["shift"] = shift
        self._ctx.enable_only(moderngl.BLEND)
        self._ctx.blend_func = BLEND_MODES["alpha"]  # type: ignore[assignment]  # the stubs know two factors only
        texture.use(_PICTURE_UNIT)
        self._arrays[0].render(moderngl.TRIANGLE_STRIP, vertices=4)

    def _in_colors(self, palette: Palette) -> moderngl.Texture:
        colors = self._texture_of(palette)
        self._map["count"] = len(palette.bytes)
        self._map["dither"] = palette.dither
        self._mapped.use()
        self._ctx.enable_only(moderngl.NOTHING)
        self._textures[0].use(_PICTURE_UNIT)
        colors.use(_PALETTE_UNIT)
        self._arrays[1].render(moderngl.TRIANGLE_STRIP, vertices=4)
        return self._textures[1]

    def _texture_of(self, palette: Palette) -> moderngl.Texture:
        """Return a texture with the colors of a palette. The texture of the last palette is
        cached.
        """
        if self._colors is not None and palette is self._palette:
            return self._colors
        if self._colors is not None:
            self._colors.release()
        rows = np.array([[*color, 255] for color in palette.bytes], np.uint8)
        self._colors = self._ctx.texture((len(rows), 1), 4, rows.tobytes())
        self._colors.filter = moderngl.NEAREST, moderngl.NEAREST
        self._palette = palette
        return self._colors

    def release(self) -> None:
        """Release the framebuffers and textures. After the call, OpenGL's default framebuffer is
        bound.
        """
        self._ctx.screen.use()
        parts: list[Releasable] = [*self._arrays, self._drawn, self._mapped, self._depth]
        parts += self._textures
        if self._colors is not None:
            parts.append(self._colors)
        for part in parts:
            part.release()
