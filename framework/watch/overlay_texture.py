"""Show a panel that is drawn on the CPU, such as the tick timeline, over the game."""

from __future__ import annotations

import numpy as np

from ..gpu import shaders
from ..gpu.gl import moderngl
from .panels import Pixels, plain_state


class OverlayTexture:
    """A texture that is drawn over the game without scaling, and its shader program."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = shaders.program(ctx, "overlay.vert", "strip.frag")
        shaders.set_uniform(self._program, "pixels", 0)
        self._array = ctx.vertex_array(self._program, [])
        self._texture: moderngl.Texture | None = None

    def place(
        self, left: int, bottom: int, width: int, height: int, screen: tuple[int, int]
    ) -> None:
        """Set the texture's position and size in the framebuffer, in pixels, with the y axis
        pointing up. ``screen`` is the size of the framebuffer.

        The pixels of the texture are undefined until `write` is called.
        """
        if self._texture is not None:
            self._texture.release()
        self._texture = self._ctx.texture((width, height), 4)
        self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        shaders.set_uniform(self._program, "panel", (left, bottom, width, height))
        shaders.set_uniform(self._program, "screen", screen)

    def write(self, panel: Pixels) -> None:
        """Upload new pixels to the texture. ``panel`` is a uint8 array of shape (height, width, 4)
        with premultiplied alpha. Row 0 is at the top.
        """
        assert self._texture is not None
        self._texture.write(np.ascontiguousarray(panel[::-1]))

    def draw(self) -> None:
        """Draw the texture to the current framebuffer."""
        assert self._texture is not None
        with plain_state(self._ctx):
            self._texture.use(0)
            self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)

    def release(self) -> None:
        """Release the texture and the shader program."""
        for part in (self._array, self._program, self._texture):
            if part is not None:
                part.release()
        self._texture = None
