"""Draw the text of panels, such as error messages, and set their colors and OpenGL state."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..gpu.gl import moderngl
from ..resources import folder

Color = tuple[float, float, float, float]
Pixels = NDArray[np.uint8]

LINE = 15
"""The height of a text line, in units."""
LETTERS = 12
"""The height of a character, in units."""
_INDENT = 4  # spaces before the second and later lines of a text that wraps

# Opaque, because software drivers draw opaque pixels in a fifth less time than transparent pixels.
PANEL: Color = (0.03, 0.04, 0.07, 1.0)
FIELD: Color = (0.11, 0.12, 0.15, 1.0)
GUIDE: Color = (0.41, 0.42, 0.45, 1.0)
WORDS: Color = (0.66, 0.70, 0.78, 1.0)
NUMBERS: Color = (1.0, 1.0, 1.0, 1.0)
NOTE: Color = (1.0, 0.86, 0.40, 1.0)

# OpenGL flags that have no name in moderngl, and would change how a panel is drawn: STENCIL_TEST,
# COLOR_LOGIC_OP, SAMPLE_ALPHA_TO_COVERAGE, FRAMEBUFFER_SRGB.
_SWITCHES = (0x0B90, 0x0BF2, 0x809E, 0x8DB9)


class PanelText:
    """Draws text on the background color of a panel. The image of each character is drawn once, and
    then reused.

    The default font contains only a few characters. If ``all_scripts`` is True, the text can also
    contain Greek and Cyrillic characters.
    """

    def __init__(self, scale: int, all_scripts: bool = False) -> None:
        size = LETTERS * scale
        font = ImageFont.truetype(folder("fonts") / "DejaVuSans.ttf", size) if all_scripts else None
        self._font = font or ImageFont.load_default(size)
        self._height = LINE * scale
        self._baseline = LETTERS * scale
        self._letters: dict[tuple[str, Color], Pixels] = {}
        self._widths: dict[str, int] = {}

    def word(self, text: str, color: Color) -> Pixels:
        """Return an image of the text, as a uint8 array of shape (line height, width, 4) with
        premultiplied alpha. Row 0 is at the top.
        """
        letters = [self._letter(letter, color) for letter in text]
        return (
            np.concatenate(letters, axis=1) if letters else np.empty((self._height, 0, 4), np.uint8)
        )

    def wrapped(self, text: str, width: int) -> list[str]:
        """Break a text into lines of at most ``width`` pixels, and return these lines.

        A line breaks between two words. If a single word is too wide, the line breaks between two
        characters. If the width is large enough, all lines except the first are slightly indented.
        """
        edges = [0, *accumulate(map(self._width, text))]
        indent = " " * (len(text) - len(text.lstrip()) + _INDENT)
        if 2 * len(indent) * self._width(" ") > width:
            indent = ""
        lines: list[str] = []
        start = 0
        while True:
            space = width - (len(indent) * self._width(" ") if lines else 0)
            end = max(bisect_right(edges, edges[start] + space) - 1, start + 1)
            gap = text.rfind(" ", start, end + 1)
            if end < len(text) and gap > start and text[start:gap].strip():
                end = gap
            lines.append((indent if lines else "") + text[start:end].rstrip())
            start = end + len(text[end:]) - len(text[end:].lstrip())
            if start >= len(text):
                return lines

    def _width(self, letter: str) -> int:
        width = self._widths.get(letter)
        if width is None:
            width = self._widths[letter] = max(1, round(self._font.getlength(letter)))
        return width

    def _letter(self, letter: str, color: Color) -> Pixels:
        tile = self._letters.get((letter, color))
        if tile is None:
            mask = Image.new("L", (self._width(letter), self._height))
            ImageDraw.Draw(mask).text(
                (0, self._baseline), letter, font=self._font, fill=255, anchor="ls"
            )
            cover = np.asarray(mask, np.float32)[..., None] / 255
            over = premultiplied(color) * cover + premultiplied(PANEL) * (1 - cover * color[3])
            tile = self._letters[letter, color] = np.round(over * 255).astype(np.uint8)
        return tile


def paste(panel: Pixels, image: Pixels, top: int, left: int) -> None:
    """Copy an image into the image of a panel. Parts below the panel or on its right are cut off."""
    area = panel[top : top + image.shape[0], left : left + image.shape[1]]
    area[:] = image[: area.shape[0], : area.shape[1]]


@contextmanager
def plain_state(ctx: moderngl.Context) -> Iterator[None]:
    """A context manager that sets the OpenGL state for drawing panels over the game. At the end of
    the block, it restores the game's OpenGL state.
    """
    gl = sys.modules["pyglet.gl"]
    enabled = [switch for switch in _SWITCHES if gl.glIsEnabled(switch)]
    for switch in enabled:
        ctx.disable_direct(switch)
    wireframe = ctx.wireframe
    if wireframe:
        ctx.wireframe = False
    ctx.enable_only(moderngl.NOTHING)
    try:
        yield
    finally:
        ctx.enable_only(moderngl.BLEND)
        if wireframe:
            ctx.wireframe = True
        for switch in enabled:
            ctx.enable_direct(switch)


def premultiplied(color: Color) -> NDArray[np.float32]:
    """Return a color multiplied by its alpha, as a float32 array of four numbers."""
    red, green, blue, alpha = color
    return np.array([red * alpha, green * alpha, blue * alpha, alpha], np.float32)


def in_bytes(color: Color) -> Pixels:
    """Return a color multiplied by its alpha, as a uint8 array of four numbers."""
    return np.round(premultiplied(color) * 255).astype(np.uint8)
