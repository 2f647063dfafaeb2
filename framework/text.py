"""Text: labels whose letters are sprites of one batch. A label that does not change costs nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from . import images
from .errors import AssetError
from .graphics import Graphics, check_choice
from .images import Region
from .sprites import Sprite, SpriteBatch, _pair, _rgba

_ACROSS = {"left": 0.0, "center": 0.5, "right": 1.0}
_UP = {"bottom": 0.0, "center": 0.5, "top": 1.0}

# Kerning between any two letters is asked for once; this bounds what is remembered of a long text.
_MOST_PAIRS = 4096


class TextBatch:
    """Labels in one font and size, all drawn in one call.

    Parameters
    ----------
    font
        A TrueType or OpenType file; default: Aileron as it comes with Pillow, which has little beyond ASCII. Letters
        that a font lacks are shown as boxes.
    size
        Height of the letters in units (the font's em).
    """

    def __init__(self, font: str | os.PathLike[str] | None = None, size: float = 20) -> None:
        if not 1 <= size <= 2048:
            raise ValueError(f"size: expected 1 to 2048 units, got {size!r}")
        self._font_name = font
        self._size = size
        self._face: _Face | None = None
        self._glyphs = SpriteBatch(smooth_edges=False)
        self._labels: list[Label] = []

    def add(
        self,
        text: object,
        position: tuple[float, float] = (0.0, 0.0),
        *,
        color: Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        anchor: tuple[str, str] = ("left", "bottom"),
        visible: bool = True,
    ) -> Label:
        """A label at ``position``. ``anchor`` says which point of the text lies there: ("left" | "center" | "right",
        "bottom" | "center" | "top"). Several lines are divided by ``\\n``."""
        label = Label(self, text, position, color, anchor, visible)
        if self._face is not None:
            label._lay_out(self._face, label._text)
        self._labels.append(label)
        return label

    def __len__(self) -> int:
        """Labels in the batch."""
        return len(self._labels)

    @property
    def uploaded_bytes(self) -> int:
        return self._glyphs.uploaded_bytes

    def attach(self, graphics: Graphics) -> None:
        face = _Face(self._font_name, self._size, graphics, self._glyphs)
        self._glyphs.attach(graphics)
        self._face = face
        self._glyphs.clear()  # of an earlier game, perhaps of another pixel ratio
        for label in self._labels:
            label._sprites.clear()
            label._lay_out(face, label._text)

    def begin_tick(self, dt: float) -> None:
        self._glyphs.begin_tick(dt)

    def end_tick(self) -> None:
        self._glyphs.end_tick()

    def notice_writes(self) -> None:
        """As of a `SpriteBatch`: what is moved while the game is paused is drawn where it is."""
        self._glyphs.notice_writes()

    def draw(self) -> None:
        self._glyphs.draw()

    def release(self) -> None:
        self._glyphs.release()


class Label:
    """A piece of text in a `TextBatch`. Moving it is interpolated; a new text appears at once."""

    __slots__ = ("_anchor", "_batch", "_box", "_color", "_offsets", "_position", "_sprites", "_text", "_visible")

    def __init__(
        self,
        batch: TextBatch,
        text: object,
        position: tuple[float, float],
        color: Sequence[float],
        anchor: tuple[str, str],
        visible: bool,
    ) -> None:
        across, up = anchor
        self._anchor = _ACROSS[check_choice("anchor", across, _ACROSS)], _UP[check_choice("anchor", up, _UP)]
        self._batch: TextBatch | None = batch
        self._text = str(text)
        self._position = _pair("position", position)
        self._color = _rgba(color)
        self._visible = bool(visible)
        self._sprites: list[Sprite] = []
        self._offsets: list[tuple[float, float]] = []
        self._box = (0.0, 0.0)

    def __repr__(self) -> str:
        return f"<Label {self._text!r}>"

    @property
    def text(self) -> str:
        """What it says; anything else than a string is shown as ``str`` gives it."""
        return self._text

    @text.setter
    def text(self, value: object) -> None:
        text = str(value)
        batch = self._living()
        if text != self._text:
            if batch._face is not None:
                self._lay_out(batch._face, text)
            self._text = text

    @property
    def position(self) -> tuple[float, float]:
        return self._position

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        self._living()
        x, y = self._position = _pair("position", value)
        for sprite, (dx, dy) in zip(self._sprites, self._offsets, strict=True):
            sprite.position = x + dx, y + dy

    @property
    def color(self) -> tuple[float, ...]:
        """Red, green, blue and alpha in 0..1."""
        return self._color

    @color.setter
    def color(self, value: Sequence[float]) -> None:
        self._living()
        self._color = _rgba(value)
        for sprite in self._sprites:
            sprite.color = self._color

    @property
    def visible(self) -> bool:
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        self._living()
        self._visible = bool(value)
        for sprite in self._sprites:
            sprite.visible = value

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the text in units; (0, 0) until its batch is added to a game."""
        return self._box

    def teleport(self) -> None:
        """Be drawn where this tick leaves it, without a way there."""
        self._living()
        for sprite in self._sprites:
            sprite.teleport()

    def remove(self) -> None:
        """Leave the batch. A second time is a `ValueError`."""
        self._living()._labels.remove(self)
        self._batch = None
        for sprite in self._sprites:
            sprite.remove()
        self._sprites.clear()

    def _living(self) -> TextBatch:
        if self._batch is None:
            raise ValueError(f"label: {self._text!r} was removed from its batch; make a new one with add(…)")
        return self._batch

    def _lay_out(self, face: _Face, text: str) -> None:
        glyphs, width, height = face.lay_out(text)  # what may fail, before anything is changed
        self._box = width, height
        left, bottom = -width * self._anchor[0], -height * self._anchor[1]
        batch = self._living()._glyphs
        while len(self._sprites) > len(glyphs):
            self._sprites.pop().remove()
        x, y = self._position
        self._offsets = []
        for place, (image, dx, dy) in enumerate(glyphs):
            offset = face.snap(left + dx), face.snap(bottom + dy)
            self._offsets.append(offset)
            at = x + offset[0], y + offset[1]
            if place == len(self._sprites):
                scale = 1 / face.ratio
                sprite = batch.add(image, position=at, scale=scale, color=self._color, visible=self._visible)
                self._sprites.append(sprite)
            else:
                sprite = self._sprites[place]
                sprite.image = image
                sprite.teleport(at)


class _Face:
    """A font at one size, and its letters as images of a batch, made when first used.

    Letters are drawn at the framebuffer's resolution and put on whole pixels, so that they stay sharp.
    """

    def __init__(
        self, name: str | os.PathLike[str] | None, size: float, graphics: Graphics, batch: SpriteBatch
    ) -> None:
        self.ratio = graphics.pixel_ratio
        self._font = _load_font(name, size * self.ratio, graphics)
        # The basic layout's advances are whole pixels, which looks even. Kerning as fonts have it today needs Raqm
        # (Pillow takes the basic one where it has none); letters are drawn one by one, so none may merge with another.
        self._kerner = self._font.font_variant(layout_engine=ImageFont.Layout.RAQM)
        self._features = ["-liga", "-clig"] if self._kerner.layout_engine == ImageFont.Layout.RAQM else None
        self._batch = batch
        self._ascent, self._descent = self._font.getmetrics()
        self._glyphs: dict[str, tuple[int | None, int, int]] = {}  # image index, left and bottom of the pen, pixels
        self._pairs: dict[str, int] = {}

    def snap(self, value: float) -> float:
        """To the nearest whole pixel, in units."""
        return round(value * self.ratio) / self.ratio

    def lay_out(self, text: str) -> tuple[list[tuple[int, float, float]], float, float]:
        """The letters of ``text`` as (image, x, y) from the text's bottom left corner, its width and height; units."""
        lines = text.split("\n")
        line_height = self._ascent + self._descent
        placed: list[tuple[int, float, float]] = []
        widest = 0
        for number, line in enumerate(lines):
            baseline = (len(lines) - 1 - number) * line_height + self._descent
            pen = 0
            for letter, after in pairwise(line + " "):
                image, left, bottom = self._glyph(letter)
                if image is not None:
                    placed.append((image, (pen + left) / self.ratio, (baseline + bottom) / self.ratio))
                pen += self._advance(letter, after)
            widest = max(widest, pen)
        return placed, widest / self.ratio, len(lines) * line_height / self.ratio

    def _advance(self, letter: str, after: str) -> int:
        """Pixels from a letter to the next, kerning included."""
        pair = letter + after
        advance = self._pairs.get(pair)
        if advance is None:
            if len(self._pairs) >= _MOST_PAIRS:
                self._pairs.clear()
            pair_length, *single = [self._kerner.getlength(text, features=self._features) for text in (pair, *pair)]
            advance = self._pairs[pair] = round(self._font.getlength(letter)) + round(pair_length - sum(single))
        return advance

    def _glyph(self, letter: str) -> tuple[int | None, int, int]:
        glyph = self._glyphs.get(letter)
        if glyph is None:
            left, top, right, bottom = (round(edge) for edge in self._font.getbbox(letter, anchor="ls"))
            if right > left and bottom > top and not letter.isspace():
                picture = Region(self._picture(letter, left, top, right, bottom), None, (0.0, 0.0))
                glyph = self._batch.add_image(picture), left, -bottom
            else:
                glyph = None, 0, 0
            self._glyphs[letter] = glyph
        return glyph

    def _picture(self, letter: str, left: int, top: int, right: int, bottom: int) -> NDArray[np.uint8]:
        mask = Image.new("L", (right - left, bottom - top))
        ImageDraw.Draw(mask).text((-left, -top), letter, font=self._font, fill=255, anchor="ls")
        pixels = np.full((bottom - top, right - left, 4), 255, np.uint8)
        pixels[..., 3] = np.asarray(mask)
        return pixels


def _load_font(name: str | os.PathLike[str] | None, size: float, graphics: Graphics) -> ImageFont.FreeTypeFont:
    size = max(1.0, size)  # in a tiny picture letters would be smaller than a pixel, which FreeType refuses
    if name is None:
        font = ImageFont.load_default(size)
        if not isinstance(font, ImageFont.FreeTypeFont):
            raise AssetError("Pillow was built without FreeType and draws no text; its wheel can: pip install pillow")
        return font
    path = images.find(name, graphics.folders)
    try:
        return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise AssetError(f"The font {str(path)!r} cannot be read: {error}. TrueType and OpenType files can.") from error
