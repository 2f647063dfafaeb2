"""Compute kerning, the glyphs of joined words, and the order of right-to-left text.

HarfBuzz computes the kerning and the glyphs, but it measures letters without hinting. FreeType
draws and measures single letters with hinting, which moves the outlines of letters to whole pixels.
With HarfBuzz's widths, the spaces between small letters would look uneven, as in "illimita ble" and
"Ha ll". At font sizes below 20 pixels, hinting changes about 27 % of the advances in the default
font. An advance is the distance to the next letter.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Pixels
from .harfbuzz import GlyphExtents, SizedFont, TextBuffer, harfbuzz
from .markup import right_to_left

# The number of HarfBuzz's units per pixel.
_PARTS = 64
# The number of positions within a pixel at which a joined glyph can be drawn. If glyphs could only
# be drawn at whole pixels, there would be gaps between them.
PHASES = 4
# The maximum size of a glyph, as a multiple of the font size. A larger glyph is not drawn, because
# the font file may be damaged.
_MAX_GLYPH = 16
_MAX_STROKE = 6  # the maximum number of pixels by which a mask grows in one step
# The maximum number of cached kernings per font, and of cached advances.
_MAX_PAIRS = 1 << 14

# HarfBuzz features that are disabled to measure a pair. The letters of a pair are drawn separately,
# so the pair needs kerning, but no ligature.
_APART = {"liga": False, "clig": False, "calt": False}
_COLOR_TABLES = frozenset({"CBDT", "COLR", "sbix"})

NO_TEXT = "nothing"
"""The result of `shaped_by` if no text can be measured, because Pillow has no FreeType."""

_BRACKETS = {"(": ")", "[": "]", "{": "}", "«": "»", "‹": "›"}
_MAX_DEPTH = 63  # the maximum depth of nested brackets in UAX #9
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")


class GlyphPosition(NamedTuple):
    """A glyph (letter shape) of a text after shaping: its number in the font, and its position in
    pixels.
    """

    number: int
    x: float
    y: float


def shaped_by() -> str:
    """Return the names and versions of the libraries that measure text, in one line.

    If two computers have the same versions, every text has the same size on both.
    """
    from PIL import features  # a server that measures no text does not need to load Pillow

    if not features.check_module("freetype2"):
        return NO_TEXT
    return (
        f"FreeType {features.version_module('freetype2')}, HarfBuzz {harfbuzz().version_string()}"
    )


class FontFile:
    """A font file that HarfBuzz has loaded: its characters and its kerning.

    Raises `ValueError` if the file contains no glyphs.
    """

    def __init__(self, path: str) -> None:
        hb = harfbuzz()
        self.hb = hb
        # Read the whole file. A memory-mapped file that changes during a hot reload would crash the
        # process.
        self.face = hb.Face(hb.Blob(Path(path).read_bytes()))
        if not self.face.glyph_count:
            raise ValueError("it has no glyphs")
        self._font = hb.Font(self.face)
        self._units_per_em = int(self.face.upem)
        self._kerning: dict[tuple[str, str], float] = {}
        self._advances: dict[str, int] = {}

    def has(self, character: str) -> bool:
        """Return whether the font has a glyph for a character."""
        return bool(self._font.get_nominal_glyph(ord(character)))

    def glyph_number(self, character: str) -> int:
        """Return the glyph number for a character, or 0 if the font does not contain it."""
        return self._font.get_nominal_glyph(ord(character)) or 0

    @property
    def colored(self) -> bool:
        """Whether the font contains glyphs with their own colors, such as emoji."""
        return not _COLOR_TABLES.isdisjoint(self.face.table_tags)

    def kerning(self, first: str, second: str) -> float:
        """Return the kerning of two letters in ems: how much the distance between them changes. One
        em is the font size. Kerning is usually negative, which moves the two letters closer
        together.

        Add the kerning to the advance of the first letter.
        """
        pair = first, second
        kerning = self._kerning.get(pair)
        if kerning is None:
            if len(self._kerning) >= _MAX_PAIRS:
                self._kerning.clear()
            apart = self._advance(first) + self._advance(second)
            kerning = (self._units(first + second, _APART) - apart) / self._units_per_em
            self._kerning[pair] = kerning
        return kerning

    def _advance(self, character: str) -> int:
        advance = self._advances.get(character)
        if advance is None:
            if len(self._advances) >= _MAX_PAIRS:
                self._advances.clear()
            advance = self._advances[character] = self._units(character, _APART)
        return advance

    def width(self, text: str) -> float:
        """Return the width of a text in ems, after shaping. One em is the font size."""
        return self._units(text, None) / self._units_per_em

    def _units(self, text: str, features: dict[str, bool] | None) -> int:
        buffer = self.shaped(self._font, text, features)
        return int(sum(position.x_advance for position in buffer.glyph_positions or ()))

    def shaped(
        self, font: SizedFont, text: str, features: dict[str, bool] | None = None
    ) -> TextBuffer:
        """Shape a text: convert its characters to glyphs with positions. Return a HarfBuzz buffer
        that contains the glyphs. All letters of the text must have the same direction, left to
        right or right to left.
        """
        buffer = self.hb.Buffer()
        buffer.add_codepoints([ord(character) for character in text])
        buffer.guess_segment_properties()
        # The language of the player's system is ignored, so that all computers draw the same
        # glyphs.
        buffer.language = "und"
        buffer.direction = "rtl" if right_to_left(text) else "ltr"
        self.hb.shape(font, buffer, features)
        return buffer


@lru_cache(maxsize=16)
def font_file(path: str, state: tuple[int, ...]) -> FontFile:
    """Return the `FontFile` at ``path``. Opened font files are cached.

    ``state`` contains the modification time, the size and the inode number of the file. If
    ``state`` has changed since the last call, the file is loaded again.
    """
    return FontFile(path)


class Shaper:
    """A font at a size in pixels. A `Shaper` converts texts to glyphs with positions, and draws
    glyphs.
    """

    def __init__(self, file: FontFile, pixels: float) -> None:
        self.file = file
        self._font = file.hb.Font(file.face)
        self._pixels = pixels
        self._font.scale = (round(pixels * _PARTS), round(pixels * _PARTS))

    def shape(self, text: str) -> tuple[float, list[GlyphPosition]]:
        """Shape a text: convert its characters to glyphs with positions. All letters of the text
        must have the same direction, left to right or right to left.

        Return the width of the text in pixels, and the glyphs from left to right.
        """
        buffer = self.file.shaped(self._font, text)
        pen = 0.0
        glyphs = []
        infos = buffer.glyph_infos or ()
        positions = buffer.glyph_positions or ()
        for info, position in zip(infos, positions, strict=True):
            x = (pen + position.x_offset) / _PARTS
            y = position.y_offset / _PARTS
            glyphs.append(GlyphPosition(info.codepoint, x, y))
            pen += position.x_advance
        return pen / _PARTS, glyphs

    def mask(self, number: int, density: int, shift: float) -> tuple[Pixels, int, int] | None:
        """Return the mask of a glyph, and the positions of its left and bottom edges. Each
        pixel says how much of it the glyph covers, from 0 to 255.

        Row 0 of the mask is the top row. The mask has ``density`` times as many pixels as the
        layout, along each side. Before drawing, the glyph is moved to the right by ``shift``
        pixels. If the glyph is empty, return None.
        """
        if self._extents(number) is None:
            return None
        raster = self.file.hb.RasterDraw()
        raster.scale_factor = (_PARTS, _PARTS)
        raster.transform = (density, 0, 0, density, shift * _PARTS, 0)
        raster.draw_glyph(self._font, number)
        image = raster.render()
        left, bottom, width, height, stride = image.extents
        if not width or not height:
            return None
        rows = np.frombuffer(image.buffer, np.uint8).reshape(height, stride)[:, :width]
        return rows[::-1].copy(), left, bottom

    def colors(self, number: int, density: int) -> tuple[Pixels, int, int] | None:
        """Return the RGBA pixels of a color glyph, and the positions of its left and bottom edges.

        If the glyph has no colors, return None.
        """
        extents = self._extents(number)
        if extents is None:
            return None
        png = self._font.get_glyph_color_png(number).data
        if not png:
            return self._painted(number, density, extents)
        from PIL import Image

        image = Image.open(BytesIO(png)).convert("RGBA")
        width, height = (
            max(1, round(side * density / _PARTS)) for side in (extents.width, -extents.height)
        )
        pixels = np.asarray(image.resize((width, height), Image.Resampling.LANCZOS))
        left = round(extents.x_bearing * density / _PARTS)
        bottom = round((extents.y_bearing + extents.height) * density / _PARTS)
        return pixels, left, bottom

    def _painted(
        self, number: int, density: int, extents: GlyphExtents
    ) -> tuple[Pixels, int, int] | None:
        """Return the RGBA pixels of a glyph that consists of colored layers."""
        hb = self.file.hb
        face = self.file.face
        if not (face.get_glyph_color_layers(number) or face.glyph_has_color_paint(number)):
            return None
        paint = hb.RasterPaint()
        paint.scale_factor = (_PARTS, _PARTS)
        paint.transform = (density, 0, 0, density, 0, 0)
        paint.foreground = hb.Color(255, 255, 255, 255)
        paint.set_glyph_extents(extents)
        paint.paint_glyph(self._font, number)
        image = paint.render()
        left, bottom, width, height, stride = image.extents
        if not width or not height:
            return None
        rows = np.frombuffer(image.buffer, np.uint8).reshape(height, stride // 4, 4)[::-1, :width]
        alpha = rows[..., 3:].astype(np.uint16)
        straight = np.minimum(rows[..., 2::-1] * np.uint16(255) // np.maximum(alpha, 1), 255)
        if (straight == 255).all(where=alpha > 0):
            return None  # draw the glyph as a letter in the label's color
        return np.concatenate([straight, alpha], axis=2).astype(np.uint8), left, bottom

    def _extents(self, number: int) -> GlyphExtents | None:
        """Return the rectangle that contains a glyph. Return None if the glyph is empty, or is so
        large that the font file is probably broken.
        """
        extents = self._font.get_glyph_extents(number)
        if extents is None:
            return None
        sides = extents.x_bearing, extents.y_bearing, extents.width, extents.height
        too_large = max(map(abs, sides)) > _MAX_GLYPH * self._pixels * _PARTS
        return None if too_large else extents


def grown(mask: Pixels, radius: float) -> tuple[Pixels, int]:
    """Enlarge the shape in a mask by ``radius`` pixels on all sides. Return the new, larger mask,
    and how many pixels were added on each of its sides.
    """
    if radius <= 0:
        return mask, 0
    step = min(radius, _MAX_STROKE)
    room = math.ceil(step)
    height, width = mask.shape
    wide = np.zeros((height + 2 * room, width + 2 * room), np.uint8)
    for y in range(-room, room + 1):
        for x in range(-room, room + 1):
            share = min(1.0, max(0.0, step + 1.0 - math.hypot(x, y)))
            if share > 0:
                part = wide[room + y : room + y + height, room + x : room + x + width]
                np.maximum(part, mask if share == 1 else (mask * share).astype(np.uint8), out=part)
    result, added = grown(wide, radius - step)
    return result, room + added


def reads_from_the_right(letters: Sequence[str]) -> bool:
    """Return whether a paragraph is read from right to left.

    The first letter that has a direction determines the direction of the paragraph. Digits and
    spaces have no direction.
    """
    return next((kind == "R" for kind in map(_kind, letters) if kind in "LR"), False)


def in_order(letters: Sequence[str], from_the_right: bool) -> list[tuple[int, bool]]:
    """Return the letters of a line in visual order, from left to right. For each letter, the result
    contains a pair (index, reversed).

    ``from_the_right`` is the result of `reads_from_the_right` for the paragraph. ``reversed`` is
    True if the letter is read from right to left. The order follows the bidirectional algorithm of
    Unicode (UAX #9: W4 to W7, N0 to N2, L2). The bidirectional algorithm arranges text that mixes
    both directions. Explicit embeddings and overrides (control characters for the direction) are
    not supported.
    """
    levels = _levels(letters, from_the_right)
    order = list(range(len(letters)))
    for level in range(max(levels, default=0), 0, -1):
        start = None
        for index in range(len(order) + 1):
            inside = index < len(order) and levels[order[index]] >= level
            if inside and start is None:
                start = index
            elif not inside and start is not None:
                order[start:index] = order[start:index][::-1]
                start = None
    return [(index, levels[index] % 2 == 1) for index in order]


def mirrored(text: str) -> str:
    """Replace brackets and similar characters with their mirror images, for right-to-left text."""
    return text.translate(_MIRRORED)


def _kind(letter: str) -> str:
    """Return the kind of a letter in the bidirectional algorithm of Unicode, as one character.

    The kinds are L (left to right), R (right to left), N (number), S (separator in numbers), T (end
    of numbers, such as %) and O (other).
    """
    for character in letter:
        kind = unicodedata.bidirectional(character)
        if kind == "L":
            return "L"
        if kind in ("R", "AL"):
            return "R"
        if kind in ("EN", "AN"):
            return "N"
        if kind in ("ES", "CS"):
            return "S"
        if kind == "ET":
            return "T"
    return "O"


def _levels(letters: Sequence[str], from_the_right: bool) -> list[int]:
    kinds = list(map(_kind, letters))
    base = "R" if from_the_right else "L"
    _weak(kinds, base)
    _match_brackets(kinds, base, _pairs(letters))
    _match_neighbors(kinds, base)
    if from_the_right:
        return [1 if kind == "R" else 2 for kind in kinds]
    return [{"L": 0, "R": 1, "N": 2}[kind] for kind in kinds]


def _match_brackets(kinds: list[str], base: str, pairs: Sequence[tuple[int, int]]) -> None:
    """Set the direction of brackets to the direction of the letters between them (rule N0). If these
    letters have no direction, the brackets do not change.

    ``base`` is the direction of the paragraph. ``pairs`` contains the indices of matching brackets.
    """
    previous = base
    index = 0
    for first, last in pairs:
        previous = next((kind for kind in reversed(kinds[index:first]) if kind in "LRN"), previous)
        index = first
        inside = {"R" if kind == "N" else kind for kind in kinds[first + 1 : last]} & {"L", "R"}
        if inside:
            is_opposite = base not in inside and (previous in "RN") == (base == "L")
            kinds[first] = kinds[last] = ("R" if base == "L" else "L") if is_opposite else base


def _match_neighbors(kinds: list[str], base: str) -> None:
    """Set the direction of letters that have none, such as spaces (rules N1 and N2). They get the
    direction of the letters around them. If the letters before and after differ, use ``base``, the
    direction of the paragraph.
    """
    previous = base
    index = 0
    end = len(kinds)
    while index < end:
        stop = next((position for position in range(index, end) if kinds[position] in "LRN"), end)
        after = base if stop == end else "R" if kinds[stop] == "N" else kinds[stop]
        kinds[index:stop] = [previous if previous == after else base] * (stop - index)
        previous = after
        index = stop + 1


def _weak(kinds: list[str], strong: str) -> None:
    """Replace the kinds S, T and N in the list ``kinds``. The new kinds depend on the neighbors of
    each letter.

    A separator (S) or an end of numbers (T) beside a number becomes a part of the number. A number
    that follows left-to-right letters takes the direction of these letters.
    """
    last = len(kinds) - 1
    for index, kind in enumerate(kinds):
        around = kinds[index - 1] if index else "O", kinds[index + 1] if index < last else "O"
        if (kind == "S" and around == ("N", "N")) or (kind == "T" and "N" in around):
            kinds[index] = "N"
    for index, kind in enumerate(kinds):
        if kind in "LR":
            strong = kind
        elif kind == "N" and strong == "L":
            kinds[index] = "L"


def _pairs(letters: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of matching brackets. Each pair contains two indices."""
    pairs: list[tuple[int, int]] = []
    open_at: list[int] = []
    for index, letter in enumerate(letters):
        if letter in _BRACKETS:
            if len(open_at) == _MAX_DEPTH:
                break
            open_at.append(index)
        elif letter in _BRACKETS.values():
            match = next(
                (
                    position
                    for position in reversed(open_at)
                    if _BRACKETS[letters[position]] == letter
                ),
                None,
            )
            if match is not None:
                del open_at[open_at.index(match) :]
                pairs.append((match, index))
    return sorted(pairs)
