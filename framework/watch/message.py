"""Words over a game's picture: a few lines along its upper edge, or as many as a window holds, over
all of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..gpu.gl import moderngl
from .panels import LINE, NOTE, NUMBERS, PANEL, WORDS, Color, Lettering, in_bytes
from .plate import Plate

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
        self._plate: Plate | None = None

    def attach(self, ctx: moderngl.Context, scale: int) -> None:
        """Make what it draws with; ``scale`` is the pixels in a unit."""
        self._scale, self._lettering, self._plate = (
            scale,
            Lettering(scale, of_anyone=True),
            Plate(ctx),
        )

    def release(self) -> None:
        """Free what `attach` made."""
        if self._plate is not None:
            self._plate.release()
        self._plate = None

    def draw(self, now: int, screen: tuple[int, int]) -> None:
        """Draw into the bound framebuffer, whose size is ``screen``, pixels."""
        if self._plate is None:
            return
        if screen != self._screen:
            self._screen = screen
            self._write(self._plate, *screen)
        self._plate.draw()

    def shown(self, height: int) -> list[Line]:
        """The lines that a picture of ``height`` pixels has room for: the last ones of the middle
        part are left out.
        """
        room = max(1, (height - 2 * _PADDING * self._scale) // (LINE * self._scale))
        return self.lines[:room]

    def _write(self, plate: Plate, width: int, height: int) -> None:
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
        plate.place(0, height - high, width, high, self._screen)
        plate.write(panel)
