"""What panels over the picture have in common: letters, colours, and drawing whatever a game left
switched on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..gpu.gl import moderngl
from ..resources import folder

Color = tuple[float, float, float, float]
Pixels = NDArray[np.uint8]

LINE, LETTERS = 15, 12
"""Units of a line of words, and of their letters."""

# Opaque: software drivers fill that a fifth quicker than what shows through.
PANEL: Color = (0.03, 0.04, 0.07, 1.0)
FIELD: Color = (0.11, 0.12, 0.15, 1.0)
GUIDE: Color = (0.41, 0.42, 0.45, 1.0)
WORDS: Color = (0.66, 0.70, 0.78, 1.0)
NUMBERS: Color = (1.0, 1.0, 1.0, 1.0)
NOTE: Color = (1.0, 0.86, 0.40, 1.0)

# GL's switches that moderngl does not know and that would spoil a panel: STENCIL_TEST,
# COLOR_LOGIC_OP, SAMPLE_ALPHA_TO_COVERAGE, FRAMEBUFFER_SRGB.
_SWITCHES = (0x0B90, 0x0BF2, 0x809E, 0x8DB9)


class Lettering:
    """Words over the panel's colour, put together from letters that are drawn once: of a small
    font, or of the one that has Greek and Cyrillic letters, too."""

    def __init__(self, scale: int, of_anyone: bool = False) -> None:
        size = LETTERS * scale
        found = ImageFont.truetype(folder("fonts") / "DejaVuSans.ttf", size) if of_anyone else None
        self._font = found or ImageFont.load_default(size)
        self._height = LINE * scale
        self._baseline = LETTERS * scale
        self._letters: dict[tuple[str, Color], Pixels] = {}

    def word(self, text: str, color: Color) -> Pixels:
        """uint8 (height of a line, width, 4), premultiplied; row 0 is the top."""
        letters = [self._letter(letter, color) for letter in text]
        return (
            np.concatenate(letters, axis=1) if letters else np.empty((self._height, 0, 4), np.uint8)
        )

    def _letter(self, letter: str, color: Color) -> Pixels:
        tile = self._letters.get((letter, color))
        if tile is None:
            mask = Image.new("L", (max(1, round(self._font.getlength(letter))), self._height))
            ImageDraw.Draw(mask).text(
                (0, self._baseline), letter, font=self._font, fill=255, anchor="ls"
            )
            cover = np.asarray(mask, np.float32)[..., None] / 255
            over = premultiplied(color) * cover + premultiplied(PANEL) * (1 - cover * color[3])
            tile = self._letters[letter, color] = np.round(over * 255).astype(np.uint8)
        return tile


@contextmanager
def plain_state(ctx: moderngl.Context) -> Iterator[None]:
    """Drawing over all that is there, whatever the game left switched on; its switches are put back
    after.
    """
    gl = sys.modules["pyglet.gl"]
    on = [switch for switch in _SWITCHES if gl.glIsEnabled(switch)]
    for switch in on:
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
        for switch in on:
            ctx.enable_direct(switch)


def premultiplied(color: Color) -> NDArray[np.float32]:
    """Its parts with the alpha multiplied in."""
    red, green, blue, alpha = color
    return np.array([red * alpha, green * alpha, blue * alpha, alpha], np.float32)


def in_bytes(color: Color) -> Pixels:
    """The same, 0 to 255."""
    return np.round(premultiplied(color) * 255).astype(np.uint8)
