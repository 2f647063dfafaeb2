"""Text: labels whose letters are sprites of one batch. A label that does not change costs nothing."""

from __future__ import annotations

import math
import os
import re
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont, features

from .. import resources
from ..assets.images import Region
from ..checks import Sealed, choice, flag, number, pair, wrong_type, wrong_value
from ..checks import color as rgba
from ..errors import AssetError
from ..gpu.drawable import DrawableDefaults
from ..gpu.graphics import Graphics, check_thread
from .sprites import Sprite, SpriteBatch

_ACROSS = {"left": 0.0, "center": 0.5, "right": 1.0}
_UP = {"bottom": 0.0, "center": 0.5, "top": 1.0}

# Kerning between any two letters is asked for once; this bounds what is remembered of a long text.
_MOST_PAIRS = 4096

# As editors and terminals have it. What is left of Unicode's paragraph separators would end Raqm's layout in an error.
_LINE_END = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")

# Control and format characters have no picture, though many a font shows a box for them.
_UNSEEN = ("Cc", "Cf")

# A code that will never be a character: what a font shows for it, it shows for every letter that it lacks.
_NO_LETTER = "\U0010ffff"
_MOST_NAMED = 20


class TextBatch(DrawableDefaults, Sealed):
    """Labels in one font and size, all drawn in one call.

    Parameters
    ----------
    font
        A TrueType or OpenType file; default: Aileron as it comes with Pillow, which has little beyond ASCII. Letters
        that a font lacks are shown as boxes, and a `RuntimeWarning` names them, once per batch.
    size
        Height of the letters in units (the font's em).
    """

    layer_on_hud = 1  # over what comes later, as a level's sprites

    __slots__ = ("__weakref__", "_face", "_font", "_glyphs", "_labels", "_size")

    not_state = ("_face",)
    not_hashed = ("_glyphs",)  # which are made of the labels, for the pixels of this window

    def __init__(self, font: str | os.PathLike[str] | None = None, size: float = 20) -> None:
        if font is not None and not isinstance(font, str | os.PathLike):
            raise wrong_type("font", "the path of a font", font)
        self._font = font
        self._size = number("size", size, least=1, most=2048)
        self._face: _Face | None = None
        self._glyphs = SpriteBatch(smooth_edges=False)
        self._labels: list[Label] = []

    def add(
        self,
        text: object,
        position: tuple[float, float] = (0.0, 0.0),
        *,
        color: str | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        anchor: tuple[str, str] = ("left", "bottom"),
        visible: bool = True,
    ) -> Label:
        """A label at ``position``. ``anchor`` says which point of the text lies there: ("left" | "center" | "right",
        "bottom" | "center" | "top"). Lines are divided by ``\\n``, or any other line end that Unicode has; of control
        characters tabs alone are shown."""
        label = Label(self, text, position, color, anchor, visible)
        if self._face is not None:
            label.lay_out(self._face)
        self._labels.append(label)
        if self._face is not None:
            self._face.name_missing()
        return label

    def remove(self, label: Label) -> None:
        """Take a label out. Raises `ValueError` when it is not in."""
        if label not in self._labels:
            raise ValueError("label: it is not in this batch")
        self._labels.remove(label)
        label.leave()

    def __len__(self) -> int:
        """Labels in the batch."""
        return len(self._labels)

    @property
    def uploaded_bytes(self) -> int:
        """Bytes written to the GPU so far."""
        return self._glyphs.uploaded_bytes

    @property
    def glyphs(self) -> SpriteBatch:
        """The letters, each a sprite."""
        return self._glyphs

    @property
    def face(self) -> _Face | None:
        """The font, once the batch is in a game."""
        return self._face

    def attach(self, graphics: Graphics) -> None:
        self._begin(graphics, self._glyphs.attach)

    def attach_unseen(self, graphics: Graphics) -> None:
        self._begin(graphics, self._glyphs.attach_unseen)

    def _begin(self, graphics: Graphics, attach: Callable[[Graphics], None]) -> None:
        face = _Face(self._font, self._size, graphics, self._glyphs)
        attach(graphics)
        self._face = face
        self._glyphs.clear()  # of an earlier game, perhaps of another pixel ratio
        for label in self._labels:
            label.lay_out(face, anew=True)
        face.name_missing()

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

    def release_unseen(self) -> None:
        self._glyphs.release_unseen()


class Label(Sealed):
    """A piece of text in a `TextBatch`. Moving it is interpolated; a new text appears at once."""

    __slots__ = ("_anchor", "_batch", "_box", "_color", "_offsets", "_position", "_sprites", "_text", "_visible")

    not_hashed = ("_box", "_offsets", "_sprites")

    def __init__(
        self,
        batch: TextBatch,
        text: object,
        position: tuple[float, float],
        color: str | Sequence[float],
        anchor: tuple[str, str],
        visible: bool,
    ) -> None:
        try:
            across, up = anchor
        except (TypeError, ValueError):
            raise wrong_value("anchor", "two words, such as ('center', 'top')", anchor) from None
        self._anchor = _ACROSS[choice("anchor", across, _ACROSS)], _UP[choice("anchor", up, _UP)]
        self._batch: TextBatch | None = batch
        self._text = str(text)
        self._position = pair("position", position)
        self._color = rgba("color", color)
        self._visible = flag("visible", visible)
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
        text, batch = str(value), self._living()
        if text != self._text:
            if batch.face is not None:
                self.lay_out(batch.face, text)
            self._text = text
            if batch.face is not None:
                batch.face.name_missing()

    @property
    def position(self) -> tuple[float, float]:
        """Where its anchor lies: units, y up."""
        return self._position

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        self._living()
        x, y = self._position = pair("position", value)
        for sprite, (dx, dy) in zip(self._sprites, self._offsets, strict=True):
            sprite.position = x + dx, y + dy

    @property
    def color(self) -> tuple[float, ...]:
        """Red, green, blue and alpha, sRGB in 0..1; a string such as "#f80" is taken too."""
        return self._color

    @color.setter
    def color(self, value: str | Sequence[float]) -> None:
        self._living()
        self._color = rgba("color", value)
        for sprite in self._sprites:
            sprite.color = self._color

    @property
    def visible(self) -> bool:
        """Whether it is drawn."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        self._living()
        self._visible = flag("visible", value)
        for sprite in self._sprites:
            sprite.visible = self._visible

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the text in units; (0, 0) until its batch is added to a game."""
        return self._box

    def teleport(self) -> None:
        """Be drawn where this tick leaves it, without a displacement."""
        self._living()
        for sprite in self._sprites:
            sprite.teleport()

    def remove(self) -> None:
        """Leave the batch. A second time is a `ValueError`."""
        self._living().remove(self)

    @property
    def removed(self) -> bool:
        """Whether it was removed from its batch."""
        return self._batch is None

    def __enter__(self) -> Self:
        """``with self.labels.add("Ready?") as label:`` has it removed when the block is left."""
        return self

    def __exit__(self, *error: object) -> None:
        if not self.removed:
            self.remove()

    def leave(self) -> None:
        """It was taken out of its batch."""
        self._batch = None
        for sprite in self._sprites:
            sprite.remove()
        self._sprites.clear()

    def _living(self) -> TextBatch:
        if self._batch is None:
            raise ValueError(f"label: {self._text!r} was removed from its batch; make a new one with add(…)")
        return self._batch

    def lay_out(self, face: _Face, text: str | None = None, anew: bool = False) -> None:
        """Bring its letters up to date with ``text``; ``anew``: those that it had are gone."""
        # What may fail, before anything is changed.
        letters, width, height = face.lay_out(self._text if text is None else text)
        if anew:
            self._sprites.clear()
        self._box = width, height
        # Once for all letters: they are whole pixels apart already, and are to stay it.
        left, bottom = face.snap(-width * self._anchor[0]), face.snap(-height * self._anchor[1])
        batch = self._living().glyphs
        while len(self._sprites) > len(letters):
            self._sprites.pop().remove()
        x, y = self._position
        self._offsets = []
        for place, (image, dx, dy) in enumerate(letters):
            offset = left + dx, bottom + dy
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


def _seen(line: str) -> str:
    """The letters of a line that have a picture, or are white space."""
    if line.isascii() and line.isprintable():  # as a rule
        return line
    return "".join(letter for letter in line if letter == "\t" or unicodedata.category(letter) not in _UNSEEN)


class _Face:
    """A font at one size, and its letters as images of a batch, made when first used.

    Letters are drawn at the framebuffer's resolution and put on whole pixels, so that they stay sharp.
    """

    def __init__(
        self, name: str | os.PathLike[str] | None, size: float, graphics: Graphics, batch: SpriteBatch
    ) -> None:
        self.ratio = graphics.pixel_ratio
        self._thread = graphics.thread
        self._name = name
        self._font = _load_font(name, size * self.ratio, graphics)
        # The basic layout's advances are whole pixels, which looks even. Kerning as fonts have it today needs Raqm,
        # which not every Pillow has; letters are drawn one by one, so none may merge with another.
        raqm = features.check_feature("raqm")
        self._kerner = self._font.font_variant(layout_engine=ImageFont.Layout.RAQM) if raqm else self._font
        self._features = ["-liga", "-clig"] if raqm else None
        self._batch = batch
        self._ascent, self._descent = self._font.getmetrics()
        self._glyphs: dict[str, tuple[int | None, int, int]] = {}  # image index, left and bottom of the pen, pixels
        self._pairs: dict[str, int] = {}
        self._box = bytes(self._font.getmask(_NO_LETTER))
        self._missing: list[str] = []
        self._named = False

    def snap(self, value: float) -> float:
        """To the nearest whole pixel, in units; halves go up, whatever is beside them."""
        return math.floor(value * self.ratio + 0.5) / self.ratio

    def lay_out(self, text: str) -> tuple[list[tuple[int, float, float]], float, float]:
        """The letters of ``text`` as (image, x, y) from the text's bottom left corner, its width and height; units.

        Raises `AssetError` for a font that turns out to be broken at one of them.
        """
        check_thread(self._thread)
        try:
            return self._laid_out(text)
        except OSError as error:
            raise _broken(self._name, error) from error

    def _laid_out(self, text: str) -> tuple[list[tuple[int, float, float]], float, float]:
        lines = [_seen(line) for line in _LINE_END.split(text)]
        line_height = self._ascent + self._descent
        placed: list[tuple[int, float, float]] = []
        widest = 0
        for index, line in enumerate(lines):
            baseline = (len(lines) - 1 - index) * line_height + self._descent
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
            if not letter.isspace() and bytes(self._font.getmask(letter)) == self._box:
                self._missing.append(letter)
        return glyph

    def name_missing(self) -> None:
        """Say once which letters were asked for that the font lacks."""
        if self._named or not self._missing:
            return
        self._named = True
        letters = " ".join(letter if letter.isprintable() else ascii(letter) for letter in self._missing[:_MOST_NAMED])
        warnings.warn(
            f"font: {' '.join(filter(None, self._font.getname()))} lacks {letters}, drawn as boxes. Take one that has "
            "them: self.add(fw.TextBatch('its file.ttf'), camera=self.hud). (Said once per batch.)",
            RuntimeWarning,
            stacklevel=3,
        )

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
    path = resources.find(name, graphics.folders)
    try:
        return ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise _broken(path, error) from error


def _broken(font: object, error: OSError) -> AssetError:
    name = "The default font" if font is None else f"The font {str(font)!r}"
    return AssetError(f"{name} cannot be read: {error}. TrueType and OpenType files can.")
