"""A panel that shows one sentence in the middle of the window, such as "Waiting for player 2"."""

from __future__ import annotations

import numpy as np

from .overlay_texture import OverlayTexture
from .panels import LINE, NOTE, PANEL, Pixels, in_bytes, paste
from .text_panel import TextPanel

_SIZE = 2  # the letters are twice as high as the letters of other panels
_MAX_CHARACTERS = 400
_MAX_SHARE = 0.8  # the maximum width of the panel, as a fraction of the window's width
_PADDING = 16
_BORDER = 2
_HEIGHT = 0.62  # the y of the panel's center, as a fraction of the window's height


class StatusPanel(TextPanel):
    """A box that shows a sentence in the middle of the window. Long sentences are wrapped."""

    _letter_size = _SIZE

    def __init__(self, text: str) -> None:
        self.text = text[:_MAX_CHARACTERS]

    def _write(self, texture: OverlayTexture, width: int, height: int) -> None:
        pad = _PADDING * self._scale
        room = max(1, round(width * _MAX_SHARE) - 2 * pad)
        words = [
            self._panel_text.word(line.strip(), NOTE)[:, :room]
            for line in self._panel_text.wrapped(self.text, room)
        ]
        line_height = LINE * _SIZE * self._scale
        box_width = min(width, max(word.shape[1] for word in words) + 2 * pad)
        box_height = min(height, len(words) * line_height + 2 * pad)
        box = self._empty_box(box_width, box_height)
        for number, word in enumerate(words):
            left = max(0, (box_width - word.shape[1]) // 2)
            paste(box, word, pad + number * line_height, left)
        bottom = min(height - box_height, max(0, round(height * _HEIGHT) - box_height // 2))
        texture.place((width - box_width) // 2, bottom, box_width, box_height, self._screen)
        texture.write(box)

    def _empty_box(self, width: int, height: int) -> Pixels:
        """Return an image of a box with a border, in pixels."""
        box = np.empty((height, width, 4), np.uint8)
        box[:] = in_bytes(NOTE)
        border = _BORDER * self._scale
        box[border:-border, border:-border] = in_bytes(PANEL)
        return box
