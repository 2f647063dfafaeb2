"""Overlay texture: shows an image over the game. Panels draw this image on the CPU."""

from __future__ import annotations

import numpy as np

from ..gpu import shaders
from ..gpu.gl import moderngl
from .panels import Pixels, plain_state


class OverlayTexture:
    """A texture over the game, and the shader program that draws it without scaling."""

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self._program = shaders.program(ctx, "overlay.vert", "strip.frag")
        shaders.set_uniform(self._program, "pixels", 0)
        self._array = ctx.vertex_array(self._program, [])
        self._texture: moderngl.Texture | None = None

    def place(
        self, left: int, bottom: int, width: int, height: int, screen: tuple[int, int]
    ) -> None:
        """Set the position and size of the texture in a framebuffer of size ``screen``, in pixels,
        with y up.

        The pixels are undefined until `write` is called.
        """
        if self._texture is not None:
            self._texture.release()
        self._texture = self._ctx.texture((width, height), 4)
        self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        shaders.set_uniform(self._program, "panel", (left, bottom, width, height))
        shaders.set_uniform(self._program, "screen", screen)

    def write(self, panel: Pixels) -> None:
        """Upload new pixels. The array is uint8 and has the shape (height, width, 4). Alpha is
        premultiplied, and row 0 is at the top.
        """
        assert self._texture is not None
        self._texture.write(np.ascontiguousarray(panel[::-1]))

    def draw(self) -> None:
        """Draw the texture into the current framebuffer."""
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
