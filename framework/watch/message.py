"""Words over a game's picture: a few lines along its upper edge, or as many as a window holds, over all of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..gpu import shaders
from ..gpu.gl import moderngl
from .panels import LINE, NOTE, NUMBERS, PANEL, WORDS, Color, Lettering, in_bytes, plain_state

_PADDING = 12
_MOST_COLUMNS = 400  # letters of a line

PLAIN, LOUD, HINT = WORDS, NUMBERS, NOTE
"""Colours of lines."""
ALARM: Color = (1.0, 0.45, 0.40, 1.0)

Line = tuple[str, Color]


class Message:
    """A panel of lines of words. ``whole``: over all of the picture, else as high as its lines."""

    def __init__(self, lines: Sequence[Line], whole: bool) -> None:
        self.lines = [(words.expandtabs(4)[:_MOST_COLUMNS], color) for words, color in lines]
        self.whole = whole
        self._screen = (0, 0)
        self._texture: moderngl.Texture | None = None
        self._program: moderngl.Program | None = None

    def attach(self, ctx: moderngl.Context, scale: int) -> None:
        """Make what it draws with; ``scale`` is the pixels in a unit."""
        self._ctx, self._scale = ctx, scale
        self._lettering = Lettering(scale)
        self._program = shaders.program(ctx, "overlay.vert", "strip.frag")
        shaders.set_uniform(self._program, "pixels", 0)
        self._array = ctx.vertex_array(self._program, [])

    def release(self) -> None:
        """Free what `attach` made."""
        if self._program is not None:
            for part in (self._array, self._program, self._texture):
                if part is not None:
                    part.release()
        self._program = self._texture = None

    def draw(self, now: int, screen: tuple[int, int]) -> None:
        """Draw into the bound framebuffer, whose size is ``screen``, pixels."""
        if self._program is None:
            return
        if screen != self._screen:
            self._screen = screen
            self._write(*screen)
        assert self._texture is not None
        with plain_state(self._ctx):
            self._texture.use(0)
            self._array.render(moderngl.TRIANGLE_STRIP, vertices=4)

    def shown(self, height: int) -> list[Line]:
        """The lines that a picture of ``height`` pixels has room for: the last ones of the middle part are left out."""
        room = max(1, (height - 2 * _PADDING * self._scale) // (LINE * self._scale))
        return self.lines[:room]

    def _write(self, width: int, height: int) -> None:
        scale, pad = self._scale, _PADDING * self._scale
        lines = self.shown(height)
        high = height if self.whole else min(height, len(lines) * LINE * scale + pad)
        panel = np.empty((high, width, 4), np.uint8)
        panel[:] = in_bytes(PANEL)
        for number, (words, color) in enumerate(lines):
            word = self._lettering.word(words, color)[:, : max(0, width - 2 * pad)]
            top = (pad if self.whole else pad // 2) + number * LINE * scale
            word = word[: max(0, high - top)]
            panel[top : top + word.shape[0], pad : pad + word.shape[1]] = word
        if self._texture is not None:
            self._texture.release()
        self._texture = self._ctx.texture((width, high), 4, np.ascontiguousarray(panel[::-1]))
        self._texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
        assert self._program is not None
        shaders.set_uniform(self._program, "panel", (0, height - high, width, high))
        shaders.set_uniform(self._program, "screen", (width, height))
