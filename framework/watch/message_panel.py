"""A panel that shows lines of text over the game, such as an error after a reload."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from .overlay_texture import OverlayTexture
from .panels import LINE, NOTE, NUMBERS, PANEL, WORDS, Color, in_bytes, paste
from .text_panel import TextPanel

_PADDING = 12
_MAX_CHARACTERS = 4000  # the maximum length of a line before the panel wraps it

# The colors of lines.
PLAIN = WORDS
LOUD = NUMBERS
HINT = NOTE
ALARM: Color = (1.0, 0.45, 0.40, 1.0)

Line = tuple[str, Color]


class MessagePanel(TextPanel):
    """A panel of text lines at the upper edge of the window. Its height depends on the number of
    lines.

    Long lines are wrapped. If ``whole`` is True, the panel covers the whole window instead.
    """

    def __init__(self, lines: Sequence[Line], whole: bool) -> None:
        self.lines = [(words.expandtabs(4)[:_MAX_CHARACTERS], color) for words, color in lines]
        self.whole = whole

    def shown(self, width: int, height: int) -> list[Line]:
        """Wrap long lines, and return the first lines that fit into a rectangle of ``width`` by
        ``height`` pixels.
        """
        pad = 2 * _PADDING * self._scale
        count = max(1, (height - pad) // (LINE * self._scale))
        wrapped = (
            (part, color)
            for words, color in self.lines
            for part in self._panel_text.wrapped(words, max(width - pad, 1))
        )
        return list(islice(wrapped, count))

    def _write(self, texture: OverlayTexture, width: int, height: int) -> None:
        scale = self._scale
        pad = _PADDING * self._scale
        lines = self.shown(width, height)
        panel_height = height if self.whole else min(height, len(lines) * LINE * scale + pad)
        panel = np.empty((panel_height, width, 4), np.uint8)
        panel[:] = in_bytes(PANEL)
        for number, (words, color) in enumerate(lines):
            word = self._panel_text.word(words, color)[:, : max(0, width - 2 * pad)]
            top = (pad if self.whole else pad // 2) + number * LINE * scale
            paste(panel, word, top, pad)
        texture.place(0, height - panel_height, width, panel_height, self._screen)
        texture.write(panel)
