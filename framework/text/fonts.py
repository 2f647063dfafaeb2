"""Measure texts, break them into lines, and draw their letters at a font size.

If a font does not contain a letter, a fallback font is used.

FreeType measures the advances of single letters. An advance is the distance from a letter to the
next letter. Pillow draws the letters, also with FreeType. HarfBuzz computes the kerning, and shapes
joined words and letters with accents (see `shaping`). A letter is drawn when a text first contains
it, and its image is then cached.
"""

from __future__ import annotations

import bisect
import math
import os
import sys
import unicodedata
import warnings
from _thread import get_ident
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import accumulate, chain, islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from PIL import Image, ImageDraw, ImageFont, features

from .. import resources
from ..arrays import Pixels
from ..checks import nearest, wrong_type
from ..errors import AssetError
from ..gpu.graphics import Graphics, check_thread
from .markup import (
    Color,
    StyledText,
    clusters,
    is_emoji,
    joined_script,
    lines,
    right_to_left,
    seen,
    wrapped,
    wrapped_ascii,
)
from .shaping import (
    PHASES,
    GlyphPosition,
    Shaper,
    font_file,
    grown,
    in_order,
    mirrored,
    reads_from_the_right,
)

K = TypeVar("K")
T = TypeVar("T")

FontName = str | os.PathLike[str]

# The maximum number of letter pairs whose advance is cached.
_MAX_PAIRS = 4096

# The maximum number of open fonts. A font at two sizes counts as two fonts. The fonts stay open for
# later games.
_MAX_FONTS = 16
_MAX_WORDS = 1024
# The maximum number of cached glyph images per font. An image with more than _MAX_IMAGE_SIZE pixels
# is not cached.
_MAX_IMAGES = 256
_MAX_IMAGE_SIZE = 64 * 64

# A code that is never a character. The font's glyph for this code is also drawn for every missing
# letter.
_NO_LETTER = "\U0010ffff"
_MAX_NAMED = 20
# Joiners and variation selectors have no image of their own: they select the glyph of a neighboring
# character.
_CHOOSE = frozenset(map(chr, (0x200C, 0x200D, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))

_MAX_FILE = 64 << 20

# The maximum font size in pixels for glyph images with a higher resolution, which are used when the
# camera is near.
_MAX_DENSE_SIZE = 512

# An emoji font contains images of only one size. The usual sizes in pixels are:
_STRIKES = (109, 128, 136, 160, 96, 64, 32)

ENDINGS = (".ttf", ".otf", ".ttc")

_WHITE = (1.0, 1.0, 1.0)  # the tint of color emoji

_DEFAULT = "DejaVuSans.ttf"
_DEFAULT_BOLD = "DejaVuSans-Bold.ttf"


class _LetterImage(NamedTuple):
    """The image of a letter, and its position.

    ``pixels`` is a uint8 array. For most letters, the array contains the opacity of each pixel and
    has the shape (height, width). For color emoji, it contains the colors and has the shape
    (height, width, 4). If a letter has no image, such as a space, ``pixels`` is None. ``left`` and
    ``bottom`` are the distances in pixels from the letter's origin to the left and bottom edge of
    the image. The origin of a letter is a point on the baseline. ``colored`` is True for color
    emoji, which are drawn in their own colors.
    """

    pixels: Pixels | None
    left: int
    bottom: int
    colored: bool


class _Font(NamedTuple):
    """A font file, loaded at one font size.

    ``scale`` is usually 1. If the file contains only bitmaps of another size, they are scaled by
    this factor.

    ``advances`` caches the advances of letters. An advance is the distance to the next letter. Each
    key of ``advances`` is a pair: a letter and the letter after it. ``images`` caches the images of
    letters. Each key of ``images`` consists of the letter, the outline width in pixels, and whether
    only one color is allowed. All games in a process share these caches.
    """

    basic: ImageFont.FreeTypeFont
    shaper: Shaper
    scale: float
    box: bytes
    advances: dict[tuple[str, str], float]
    images: dict[tuple[str, float, bool], _LetterImage]
    path: str
    colored: bool
    bold: bool


class Letters(NamedTuple):
    """The letters of a laid-out text, and their positions. Letters that have no image, such as
    spaces, are not included.

    ``images`` contains the index of each letter's image in the batch. ``positions`` contains x and
    y of the first letter, then x and y of the second letter, and so on, in units from the text's
    bottom left corner. ``ranks`` contains the index of each letter in the text, counting spaces.
    ``colors`` contains the color of each letter, or None if the letter uses the label's color.
    ``total`` is the number of letters in the text, including spaces.
    """

    images: list[int]
    positions: list[float]
    ranks: list[int]
    colors: list[Color | None]
    outlines: list[int]
    outline_positions: list[float]
    outline_ranks: list[int]
    size: tuple[float, float]
    total: int

    def put(
        self, image: int, x: float, y: float, rank: int, color: Color | None, stroke: float
    ) -> None:
        """Add the image of a letter. If ``stroke`` is not 0, the image is the outline of the
        letter.
        """
        if stroke:
            self.outlines.append(image)
            self.outline_positions.extend((x, y))
            self.outline_ranks.append(rank)
        else:
            self.images.append(image)
            self.positions.extend((x, y))
            self.ranks.append(rank)
            self.colors.append(color)


class Carets(NamedTuple):
    """All positions that the caret (text cursor) can have in a text, in units from the text's
    bottom left corner.

    ``starts``, ``edges`` and ``bottoms`` contain one element per line, from the top line to the
    bottom line. ``starts`` contains the index of the first character of each line. ``edges``
    contains the x of each caret position. ``bottoms`` contains the y of the lower edge of each
    line. In each line, there is one caret position before each character, and one after the last
    character.
    """

    starts: list[int]
    edges: list[list[float]]
    bottoms: list[float]

    @property
    def last(self) -> int:
        """The index of the last caret position in the text."""
        return self.starts[-1] + len(self.edges[-1]) - 1

    def lower_end(self, index: int) -> tuple[float, float]:
        """Return the lower end of the caret (text cursor) before the character ``index``."""
        line = bisect.bisect_right(self.starts, index) - 1
        edges = self.edges[line]
        return edges[min(index - self.starts[line], len(edges) - 1)], self.bottoms[line]

    def index_at(self, x: float, y: float) -> int:
        """Return the index of the caret position that is nearest to the point (``x``, ``y``)."""
        line = next(
            (index for index, bottom in enumerate(self.bottoms) if y >= bottom),
            len(self.bottoms) - 1,
        )
        edges = self.edges[line]
        return self.starts[line] + min(range(len(edges)), key=lambda index: abs(edges[index] - x))


class LayoutOptions(NamedTuple):
    """The layout options of a text.

    ``width`` is the maximum width of a line in units. If ``width`` is None, lines can have any
    width. ``align`` is the fraction of a line's free space that is on its left: 0 aligns left, 0.5
    centers, and 1 aligns right. ``outline`` is the width of the outline in pixels of the glyph
    image, or 0 for no outline.
    """

    width: float | None
    align: float
    spacing: float
    outline: float


class GlyphStore(Protocol):
    """The interface of an object that adds glyph images to an atlas, such as `GlyphImages`."""

    def add_letter(self, pixels: Pixels, pen: tuple[float, float], /) -> int:
        """Add the image of a letter. Return the index of the image in the batch."""


class FontStack:
    """A font and its fallback fonts, at one font size in pixels.

    Each letter is drawn with the first font that contains it.

    Texts are drawn and measured with the same advances (distances from one letter to the next). So
    a drawn text has exactly its measured size.
    """

    def __init__(
        self,
        names: Sequence[FontName],
        pixels: float,
        folders: Sequence[resources.Folder],
        bold: bool,
    ) -> None:
        # FreeType refuses letters smaller than a pixel.
        pixels = max(1.0, pixels)
        files: list[FontName | None] = [*names, None]
        self._names = names
        self._load = partial(_load_fonts, files, folders=folders, bold=bold)
        self._pixels = pixels
        self._fonts = self._load(pixels)
        self._ascent, self._descent = self._fonts[0].basic.getmetrics()
        self._chosen: dict[str, _Font] = {}
        self._pairs: dict[tuple[str, str], float] = {}
        self.missing: list[str] = []

    @property
    def line_height(self) -> int:
        """The distance between two baselines, in pixels."""
        return self._ascent + self._descent

    def advances(self, letters: Sequence[str]) -> list[float]:
        """Return the distance from each letter of a line to the next letter, in pixels. The
        distances include kerning.

        The last distance is the width of the last letter.
        """
        cached = self._pairs
        pairs = zip_longest(letters, islice(letters, 1, None), fillvalue="")
        return [
            self.advance(*pair) if (advance := cached.get(pair)) is None else advance
            for pair in pairs
        ]

    def width(self, letters: Sequence[str]) -> float:
        """Return the width of a line in pixels.

        Before measuring, right-to-left letters are put into their visual order.
        """
        if isinstance(letters, str) and letters.isascii():
            return sum(self.advances(letters))
        return sum(advance for _, advance, _ in self._visual_order(letters))

    def carets_of(self, letters: Sequence[str]) -> list[float]:
        """Return the x of each caret position in a line, in pixels from the left end of the line.
        The caret is the text cursor.

        In each line, there is one caret position before each character, and one after the last
        character.
        """
        edges = _edges(self._visual_order(letters), 0.0)
        return [edges[index] for index in sorted(edges)] or [0.0]

    def _visual_order(self, letters: Sequence[str]) -> list[tuple[str, float, int]]:
        """Return the letters of a line in visual order, from left to right on the screen.

        Each item contains a letter, its advance in pixels, and the index of the character after it.
        """
        ends = list(accumulate(map(len, letters)))
        if any(map(right_to_left, letters)):
            order = in_order(letters, reads_from_the_right(letters))
            letters = [
                mirrored(letters[index]) if turned else letters[index] for index, turned in order
            ]
            ends = [ends[index] for index, _ in order]
        return list(zip(letters, self.advances(letters), ends, strict=True))

    def advance(self, letter: str, after: str) -> float:
        """Return the distance from ``letter`` to the letter ``after``, in pixels. The distance
        includes kerning.
        """
        advance = self._pairs.get((letter, after))
        if advance is None:
            font = self.font_of(letter)
            pair = letter, after if self._may_kern(font, letter, after) else ""
            advance = font.advances.get(pair)
            if advance is None:
                advance = _checked(font, self._measured, font, *pair)
                _store(font.advances, pair, advance, _MAX_PAIRS)
            _store(self._pairs, (letter, after), advance, _MAX_PAIRS)
        return advance

    def _may_kern(self, font: _Font, letter: str, after: str) -> bool:
        return (
            len(letter) == len(after) == 1
            and font is self.font_of(after)
            and _has(font, letter)
            and _has(font, after)
        )

    def _measured(self, font: _Font, letter: str, after: str) -> float:
        """Return the distance from ``letter`` to the letter ``after``, rounded to whole pixels so
        that the spaces between letters look equal.
        """
        if _is_word(font, letter):
            return float(round(font.shaper.shape(letter)[0]))
        if not _has(font, _first(letter)):
            return float(_box_count(letter) * round(font.basic.getlength(_NO_LETTER) * font.scale))
        if not _first(letter):
            letter = "".join(filter(str.isspace, letter))
        base = "" if letter[:1] in _CHOOSE else letter[:1]
        file = font.shaper.file
        advance = round(font.basic.getlength(base) * font.scale)
        if letter != base:  # add the width of the marks, which is usually 0
            advance += round((file.width(letter) - file.width(base)) * self._pixels)
        elif after and letter and font.scale == 1:
            advance += round(file.kerning(letter, after) * self._pixels)
        return float(advance)

    def font_of(self, letter: str) -> _Font:
        """Return the first font that contains ``letter``.

        If no font contains ``letter``, return the first font.

        Fonts with color images are searched first for an emoji, and last for any other letter.
        """
        font = self._chosen.get(letter)
        if font is None:
            first = _first(letter)
            emoji = is_emoji(letter)
            # The sort is stable, so the fonts within each group keep their order.
            fonts = sorted(self._fonts, key=lambda font: font.colored != emoji)
            font = next((font for font in fonts if _has(font, first)), None)
            if font is None:
                font = self._fonts[0]
                if first not in [*self.missing, _NO_LETTER] and len(self.missing) < _MAX_NAMED:
                    self.missing.append(first)
            _store(self._chosen, letter, font, _MAX_PAIRS)
        return font


class FontFace(FontStack):
    """A font at one font size. A `FontFace` lays out texts, and draws letters into the atlas of a
    batch.

    Letters look sharp, because each pixel of a glyph image is one pixel of the framebuffer. A
    letter is drawn the first time that a text contains it. Its image is then cached. If you pass
    another `FontFace` as ``like``, texts are measured with that font. Both faces then produce the
    same layout, even if their resolutions differ.
    """

    def __init__(
        self,
        names: Sequence[FontName],
        size: float,
        graphics: Graphics,
        batch: GlyphStore,
        zoom: float,
        bold: bool,
        like: FontStack | None = None,
    ) -> None:
        self.ratio = graphics.pixel_ratio * zoom
        self._thread = graphics.thread
        pixels = max(1.0, size * self.ratio)
        super().__init__(names, pixels, graphics.folders, bold)
        self._like = like
        # The width in pixels of the strokes that are added to imitate bold letters, for a font
        # without a bold file.
        self._heavy = max(1.0, pixels / 28) if bold else 0.0
        self._batch = batch
        self.density = 1
        """The resolution of glyph images: 1, 2, 4, 8 or 16. At 2, a glyph image has twice as many
        pixels along each side as the letter in the layout.
        """
        self._drawn = self._fonts
        self._glyphs: dict[tuple[str, float], tuple[int | None, bool]] = {}
        # Images of single letters and letters with marks, by the index of their font.
        self._letters: dict[tuple[int, str, float], tuple[int | None, bool]] = {}
        self._words: dict[tuple[str, float], list[tuple[int, float, float, bool]]] = {}
        self._outlines: dict[tuple[int, int, int, float], tuple[int | None, bool]] = {}
        # For pairs of ASCII letters: the advance of the first letter, and the index of its image.
        self._steps: dict[tuple[str, str], tuple[float, int | None]] = {}
        self._known: set[str] = set()
        # Letters that already have an image, by the width of the outline in pixels. A letter that
        # has an image with an outline also has an image without it.
        self._drawn_letters: dict[float, set[str]] = {}

    def advance(self, letter: str, after: str) -> float:
        """Return the distance from ``letter`` to the letter ``after``, in pixels. The distance
        includes kerning.

        The distance is a whole number, unless the text is measured with the font ``like``.
        """
        return (
            super().advance(letter, after)
            if self._like is None
            else self._like.advance(letter, after) * self.ratio
        )

    @property
    def family(self) -> str:
        """The name of the first font in the stack, such as "DejaVu Sans Book"."""
        return " ".join(filter(None, self._fonts[0].basic.getname()))

    def snap(self, value: float) -> float:
        """Round a position in units to the nearest whole pixel.

        A position exactly between two pixels is rounded up.
        """
        return math.floor(value * self.ratio + 0.5) / self.ratio

    def draw_finer(self, density: int) -> None:
        """Draw all letters again at another resolution. ``density`` is the number of image pixels
        per layout pixel, along each side. It is halved until no glyph image is higher than 512
        pixels.
        """
        while density > 1 and self._pixels * density > _MAX_DENSE_SIZE:
            density //= 2
        self._drawn = self._fonts if density == 1 else self._load(self._pixels * density)
        self.density = density
        self._glyphs.clear()
        self._steps.clear()
        self._known.clear()
        self._drawn_letters.clear()
        self._words.clear()
        self._letters.clear()
        self._outlines.clear()

    def measured(
        self, parts: Sequence[StyledText], shape: LayoutOptions, bold: Callable[[], FontFace]
    ) -> tuple[tuple[float, float], int]:
        """Return the width and height of a text in units, and its number of letters."""
        paragraphs, count = _paragraphs(parts, self, bold)
        across, tall, _ = self._block(self._rows(paragraphs, shape.width), shape)
        return (across / self.ratio, tall / self.ratio), count

    def lay_out(
        self, parts: Sequence[StyledText], shape: LayoutOptions, bold: Callable[[], FontFace]
    ) -> Letters:
        """Lay out a text: compute the line breaks, and the position and image of each letter.

        Raises `AssetError` if a font file is broken.
        """
        check_thread(self._thread)
        return self._laid_out(parts, shape, bold)

    def line(self, text: str) -> Letters:
        """Lay out a line of printable ASCII characters in one style. This method is fast: use it
        for texts that change often, such as scores.
        """
        check_thread(self._thread)
        images: list[int] = []
        positions: list[float] = []
        ranks: list[int] = []
        add_image = images.append
        add_positions = positions.append
        add_rank = ranks.append
        steps = self._steps
        ratio = self.ratio
        baseline = self._descent / self.ratio
        pen = 0.0
        for rank, pair in enumerate(zip_longest(text, text[1:], fillvalue="")):
            advance, image = steps.get(pair) or self._step(pair)
            if image is not None:
                add_image(image)
                add_positions(pen / ratio)
                add_positions(baseline)
                add_rank(rank)
            pen += advance
        return Letters(
            images, positions, ranks, [], [], [], [], (pen / ratio, self.height), len(text)
        )

    def pens(self, text: str) -> tuple[list[int], list[float], float, float]:
        """Lay out a line of printable ASCII characters, as `line` does. For each letter that has an
        image, return the index of its image and its x. Also return the y of all letters, and the
        width of the line.
        """
        check_thread(self._thread)
        images: list[int] = []
        pens: list[float] = []
        steps = self._steps
        ratio = self.ratio
        pen = 0.0
        for pair in zip(text, chain(text[1:], ("",)), strict=True):
            advance, image = steps.get(pair) or self._step(pair)
            if image is not None:
                images.append(image)
                pens.append(pen / ratio)
            pen += advance
        return images, pens, self._descent / ratio, pen / ratio

    def _step(self, pair: tuple[str, str]) -> tuple[float, int | None]:
        """For a letter and the next letter, return the advance of the first one in pixels, and the
        index of its image.
        """
        glyph = self._glyphs.get((pair[0], 0.0)) or self._glyph(pair[0], 0.0)
        step = self._steps[pair] = self.advance(*pair), glyph[0]
        self._drawn_letters.setdefault(0.0, set()).add(pair[0])
        if pair[0] != "[":  # "[" may begin a tag, so a text with "[" must be parsed
            self._known.add(pair[0])
        return step

    def knows(self, text: str) -> bool:
        """Return whether the atlas already contains all letters of a text. The text must consist of
        printable ASCII characters.

        If the result is True, `step` raises no error for these letters.
        """
        check_thread(self._thread)
        return self._known.issuperset(text)

    def drawn_letters(self, stroke: float) -> set[str]:
        """Return the printable ASCII letters that the atlas already contains. If ``stroke`` is not
        0, return only letters whose outlines are also in the atlas. ``stroke`` is the width of the
        outline in pixels.

        For the letters in the result, `step` and `outline` raise no error.
        """
        check_thread(self._thread)
        return self._drawn_letters.setdefault(stroke, set())

    def outline(self, letter: str, stroke: float) -> int | None:
        """Return the index of the image that contains a letter's outline. ``stroke`` is the width
        of the outline in pixels.
        """
        return (self._glyphs.get((letter, stroke)) or self._glyph(letter, stroke))[0]

    @property
    def pixel_metrics(self) -> tuple[int, int]:
        """How far a line extends below and above the baseline, in pixels of the layout."""
        return self._descent, self._ascent

    def step(self, letter: str, after: str) -> tuple[float, int | None]:
        """Return the distance from ``letter`` to the letter ``after`` in pixels, and the index of
        the image of ``letter``.

        ``letter`` must be a printable ASCII character. ``after`` is the next letter, or "" at the
        end of a line.
        """
        return self._steps.get((letter, after)) or self._step((letter, after))

    def span(self, text: str) -> float:
        """Return the width of a line in units. The line must consist of printable ASCII characters."""
        return (
            sum(self.step(*pair)[0] for pair in zip_longest(text, text[1:], fillvalue=""))
            / self.ratio
        )

    def _laid_out(
        self, parts: Sequence[StyledText], shape: LayoutOptions, bold: Callable[[], FontFace]
    ) -> Letters:
        if self._like is None and all(map(_is_plain, parts)):
            letters = self._plain_laid_out(parts, shape, bold)
            if letters is not None:
                return letters
        paragraphs, count = _paragraphs(parts, self, bold)
        rows = self._rows(paragraphs, shape.width)
        across, tall, pens = self._block(rows, shape)
        letters = Letters(
            [], [], [], [], [], [], [], (across / self.ratio, tall / self.ratio), count
        )
        for (row, _), (pen, bottom) in zip(rows, pens, strict=True):
            baseline = bottom + self._descent
            for letter, advance, rank, color, face in row:
                x = pen if self._like is None else math.floor(pen + 0.5)
                if shape.outline:
                    face._put(letter, x, baseline, rank, None, shape.outline, letters)
                face._put(letter, x, baseline, rank, color, 0.0, letters)
                pen += advance
        return letters

    def _plain_laid_out(
        self, parts: Sequence[StyledText], shape: LayoutOptions, bold: Callable[[], FontFace]
    ) -> Letters | None:
        """Lay out one paragraph of printable ASCII characters. `_laid_out` returns the same result,
        but takes five times as long. If any letter has a negative advance, return None.

        The sums of advances have no rounding errors, because all advances are whole numbers.
        """
        faces = [bold() if heavy else self for _, _, heavy in parts]
        text = "".join([part for part, _, _ in parts])
        letter_steps = _letter_steps(parts, faces)
        advances = [advance for advance, _ in letter_steps]
        images = [image for _, image in letter_steps]
        if advances and min(advances) < 0:
            return None
        pens = [0.0, *accumulate(advances)]
        limit = None if shape.width is None else shape.width * self.ratio
        spans = [(0, len(text))] if limit is None else wrapped_ascii(text, pens, limit)
        widths = [pens[stop] - pens[start] for start, stop in spans]
        across, tall, corners = self._block_of(widths, shape)
        ratio = self.ratio
        size = (across / ratio, tall / ratio)
        letters = Letters([], [], [], [], [], [], [], size, len(text))
        letter_lists = letters.images, letters.positions, letters.ranks
        outline_lists = letters.outlines, letters.outline_positions, letters.outline_ranks
        outlines = _outline_images(parts, faces, shape.outline) if shape.outline else []
        for (start, stop), (left, bottom) in zip(spans, corners, strict=True):
            origin = left - pens[start]
            lefts = [(origin + pen) / ratio for pen in pens[start:stop]]
            baseline = (bottom + self._descent) / ratio
            if outlines:
                _put_line(outlines[start:stop], start, lefts, baseline, outline_lists)
            _put_line(images[start:stop], start, lefts, baseline, letter_lists)
        if any(color for _, color, _ in parts):
            colors = [color for part, color, _ in parts for _ in part]
            letters.colors.extend([colors[rank] for rank in letters.ranks])
        return letters

    def _block(
        self, rows: Sequence[_Row], shape: LayoutOptions
    ) -> tuple[float, float, list[tuple[float, int]]]:
        """Return the size of the whole text, and each line's left and bottom edge, in pixels."""
        return self._block_of([width for _, width in rows], shape)

    def _block_of(
        self, widths: Sequence[float], shape: LayoutOptions
    ) -> tuple[float, float, list[tuple[float, int]]]:
        """Return the same result as `_block`. ``widths`` contains the width of each line in pixels."""
        line_height = (self._ascent + self._descent) * shape.spacing
        across = max(widths) if shape.width is None else shape.width * self.ratio
        last = len(widths) - 1
        lefts = [math.floor((across - width) * shape.align + 0.5) * 1.0 for width in widths]
        bottoms = [math.floor((last - index) * line_height + 0.5) for index in range(len(widths))]
        return (
            across,
            self._ascent + self._descent + last * line_height,
            list(zip(lefts, bottoms, strict=True)),
        )

    def carets(
        self, parts: Sequence[StyledText], shape: LayoutOptions, bold: Callable[[], FontFace]
    ) -> Carets:
        """Return all caret positions of a text that is laid out as in `lay_out`."""
        paragraphs, count = _paragraphs(parts, self, bold)
        rows = self._rows(paragraphs, shape.width)
        _, _, pens = self._block(rows, shape)
        ends = _ends(paragraphs, count)
        carets = Carets([], [], [])
        after = 0
        for (row, width), (pen, bottom) in zip(rows, pens, strict=True):
            edges = _edges(
                [(letter, advance, ends[rank]) for letter, advance, rank, *_ in row], pen
            )
            first = min(edges, default=after)
            pens_of_carets = [edges[index] for index in sorted(edges)] or [pen + width]
            carets.starts.append(first)
            carets.edges.append([x / self.ratio for x in pens_of_carets])
            carets.bottoms.append(bottom / self.ratio)
            after = max(edges, default=first) + 1  # the index of the line end
        return carets

    @property
    def descent(self) -> float:
        """How far a line extends below the baseline, in units."""
        return self._descent / self.ratio

    @property
    def ascent(self) -> float:
        """How far a line extends above the baseline, in units."""
        return self._ascent / self.ratio

    @property
    def height(self) -> float:
        """The height of a line, in units."""
        return (self._ascent + self._descent) / self.ratio

    def _put(
        self,
        letter: str,
        pen: float,
        baseline: int,
        rank: int,
        color: Color | None,
        stroke: float,
        letters: Letters,
    ) -> None:
        glyph = self._glyphs.get((letter, stroke))
        if glyph is None:
            font = self.font_of(letter)
            if _is_shaped(font, letter):
                for picture, x, y, colored in self._word(font, letter, stroke):
                    shade = _WHITE if colored else color
                    left = (pen + x) / self.ratio
                    bottom = (baseline + y) / self.ratio
                    letters.put(picture, left, bottom, rank, shade, stroke)
                return
            glyph = self._glyph(letter, stroke)
        image, colored = glyph
        if image is not None:
            shade = _WHITE if colored else color
            letters.put(image, pen / self.ratio, baseline / self.ratio, rank, shade, stroke)

    def _word(self, font: _Font, word: str, stroke: float) -> list[tuple[int, float, float, bool]]:
        """Return the glyphs (letter shapes) of a word. For each glyph, return the index of its
        image, and its x and y in pixels from the word's origin. The last value is True if the glyph
        has its own colors, as emoji do.
        """
        glyphs = self._words.get((word, stroke))
        if glyphs is not None:
            return glyphs
        glyphs = []
        _store(self._words, (word, stroke), glyphs, _MAX_WORDS)
        letters = {} if _is_word(font, word) else _letters_of(font, word)
        for glyph in font.shaper.shape(word)[1]:
            letter = letters.get(glyph.number)
            if letter is None:
                x = math.floor(glyph.x)
                picture, colored = self._outline(font, glyph, stroke)
            else:  # use the image of the single letter
                x = round(glyph.x)
                picture, colored = self._drawn_letter(font, letter, stroke)
            if picture is not None:
                glyphs.append((picture, x, round(glyph.y), colored))
        return glyphs

    def _outline(self, font: _Font, glyph: GlyphPosition, stroke: float) -> tuple[int | None, bool]:
        """Return the index of the image of a glyph (letter shape), and whether the glyph has its
        own colors, as emoji do.
        """
        number = self._font_number(font)
        phase = math.floor((glyph.x - math.floor(glyph.x)) * PHASES)
        key = number, glyph.number, phase, stroke
        outline = self._outlines.get(key)
        if outline is None:
            outline = self._outlines[key] = self._drawn_outline(font, glyph.number, phase, stroke)
        return outline

    def _font_number(self, font: _Font) -> int:
        return next(index for index, candidate in enumerate(self._fonts) if candidate is font)

    def _drawn_outline(
        self, font: _Font, number: int, phase: int, stroke: float
    ) -> tuple[int | None, bool]:
        density = self.density
        painted = font.shaper.colors(number, density) if font.colored else None
        if painted is not None and not stroke:
            pixels, left, bottom = np.pad(painted[0], ((1, 1), (1, 1), (0, 0))), *painted[1:]
            pen = float(1 - left), float(1 - bottom)
            return self._batch.add_letter(pixels, pen), True
        heavy = 0.0
        if painted is not None:
            coverage, left, bottom = painted[0][..., 3], *painted[1:]
        else:
            mask = font.shaper.mask(number, density, phase / PHASES * density)
            if mask is None:
                return None, False
            coverage, left, bottom = mask
            heavy = self._pixels / 40 if self._heavy and not font.bold else 0.0
        covered, added = grown(coverage, (stroke + heavy) * density)
        pen = float(added + 1 - left), float(added + 1 - bottom)
        return self._batch.add_letter(np.pad(covered, 1), pen), False

    def _rows(self, paragraphs: Sequence[list[_Styled]], width: float | None) -> list[_Row]:
        """Split paragraphs into lines that are at most ``width`` wide.

        Return the letters of each line, and the width of the line in pixels.
        """
        rows = []
        for paragraph in paragraphs:
            advances = _advances(paragraph)
            written = [letter for letter, *_ in paragraph]
            spans = [(0, len(paragraph))]
            if width is not None:
                spans = wrapped(written, advances, width * self.ratio)
            turned = any(map(right_to_left, written))
            from_the_right = turned and reads_from_the_right(written)
            for start, stop in spans:
                line = paragraph[start:stop]
                widths = advances[start:stop]
                if turned:
                    line = _turned(line, from_the_right)
                    widths = _advances(line)
                row = [
                    (letter, advance, rank, color, face)
                    for (letter, rank, color, face), advance in zip(line, widths, strict=True)
                ]
                rows.append((row, sum(widths)))
        return rows

    def _glyph(self, letter: str, stroke: float) -> tuple[int | None, bool]:
        """Return the index of a letter's image, and whether the letter has its own colors, as emoji
        do.

        The anchor of the image is the origin of the letter on the baseline.
        """
        if not _first(letter):
            self._glyphs[letter, stroke] = None, False
            return None, False
        font = self.font_of(letter)
        if not _has(font, _first(letter)) and letter.strip(_NO_LETTER):
            lacking = _NO_LETTER * _box_count(letter)  # all missing letters share one image
            glyph = self._glyphs.get((lacking, stroke)) or self._glyph(lacking, stroke)
            self._glyphs[letter, stroke] = glyph
            return glyph
        glyph = self._glyphs[letter, stroke] = self._drawn_letter(font, letter, stroke)
        return glyph

    def _drawn_letter(self, chosen: _Font, letter: str, stroke: float) -> tuple[int | None, bool]:
        """Draw a single letter with the first font that contains it."""
        number = self._font_number(chosen)
        glyph = self._letters.get((number, letter, stroke))
        if glyph is not None:
            return glyph
        glyph = (None, False)
        font = self._drawn[number]
        stretched = (stroke + (0.0 if chosen.bold else self._heavy)) * self.density
        key = letter, stretched, bool(stroke)
        picture = font.images.get(key) or _new_picture(font, *key)
        if picture.pixels is not None:
            pen = -float(picture.left), -float(picture.bottom)
            glyph = self._batch.add_letter(picture.pixels, pen), picture.colored
        self._letters[number, letter, stroke] = glyph
        return glyph

    def complain(self, where: str, remedy: str) -> bool:
        """Warn about letters that no font contains.

        Return True if any letter was missing.
        """
        if not self.missing:
            return False
        named = self.missing[:_MAX_NAMED]
        letters = " ".join(letter if letter.isprintable() else ascii(letter) for letter in named)
        text = (
            f"{self.family} lacks {letters}, drawn as boxes{where}. Take one that has them, or "
            f"more: {remedy}"
        )
        warnings.warn(f"font: {text} (Said once.)", RuntimeWarning, stacklevel=4)
        return True


def _letter_steps(
    parts: Sequence[StyledText], faces: Sequence[FontFace]
) -> list[tuple[float, int | None]]:
    """Return the result of `FontFace.step` for each letter. ``faces`` contains the font of each
    part.
    """
    letter_steps: list[tuple[float, int | None]] = []
    for index, ((part, _, _), face) in enumerate(zip(parts, faces, strict=True)):
        steps = face._steps
        after = ""  # the first letter of the next part, if this part has the same font
        if index + 1 < len(parts) and faces[index + 1] is face:
            after = parts[index + 1].text[:1]
        pairs = zip(part, [*part[1:], after], strict=True) if part else ()
        letter_steps += [steps.get(pair) or face._step(pair) for pair in pairs]
    return letter_steps


def _outline_images(
    parts: Sequence[StyledText], faces: Sequence[FontFace], stroke: float
) -> list[int | None]:
    """Return the index of the outline image of each letter. ``faces`` contains the font of each
    part.
    """
    images = []
    for (part, _, _), face in zip(parts, faces, strict=True):
        glyphs = face._glyphs
        for letter in part:
            images.append((glyphs.get((letter, stroke)) or face._glyph(letter, stroke))[0])
        face._drawn_letters.setdefault(stroke, set()).update(part)
    return images


def _put_line(
    images: Sequence[int | None],
    start: int,
    lefts: Sequence[float],
    baseline: float,
    into: tuple[list[int], list[float], list[int]],
) -> None:
    """Append the images, positions and ranks of a line's letters to the three lists in ``into``.
    Letters that have no image are skipped. ``start`` is the index of the line's first letter in the
    text.
    """
    all_images, positions, ranks = into
    rank = start
    for image, left in zip(images, lefts, strict=True):
        if image is not None:
            all_images.append(image)
            positions += (left, baseline)
            ranks.append(rank)
        rank += 1


def _is_plain(part: StyledText) -> bool:
    """Return whether a part of a text contains only printable ASCII characters."""
    return part.text.isascii() and part.text.isprintable()


_Styled = tuple[str, int, Color | None, FontFace]
"""A letter, its index in the text, its color and its font."""
_Row = tuple[list[tuple[str, float, int, Color | None, FontFace]], float]
"""The letters of a line with their advances, and the width of the line. All numbers are in pixels.
"""


def _paragraphs(
    parts: Sequence[StyledText], plain: FontFace, bold: Callable[[], FontFace]
) -> tuple[list[list[_Styled]], int]:
    """Split a text into paragraphs at its line ends.

    Return the letters of each paragraph, and the total number of letters.

    In this total, each line end counts as one letter.
    """
    paragraphs: list[list[_Styled]] = [[]]
    rank = 0
    for text, color, heavy in parts:
        face = bold() if heavy else plain
        for index, line in enumerate(lines(text)):
            if index:
                paragraphs.append([])
                rank += 1
            letters = clusters(line)
            paragraphs[-1] += [
                (letter, rank + offset, color, face) for offset, letter in enumerate(letters)
            ]
            rank += len(letters)
    return paragraphs, rank


def _turned(row: Sequence[_Styled], from_the_right: bool) -> list[_Styled]:
    """Return the letters of a line in visual order, from left to right on the screen."""
    order = in_order([letter for letter, *_ in row], from_the_right)
    return [
        (mirrored(row[index][0]) if turned else row[index][0], *row[index][1:])
        for index, turned in order
    ]


def _ends(paragraphs: Sequence[Sequence[_Styled]], count: int) -> list[int]:
    """Return the index of the character after each letter and after each line end."""
    lengths = [1] * count
    for paragraph in paragraphs:
        for letter, rank, *_ in paragraph:
            lengths[rank] = len(letter)
    return list(accumulate(lengths))


def _edges(row: Sequence[tuple[str, float, int]], pen: float) -> dict[int, float]:
    """Return the caret positions of a line, as a dict from character indices to x in pixels.

    ``row`` is the result of `FontStack._visual_order`. ``pen`` is the x of the line's start, in
    pixels.
    """
    edges: dict[int, float] = {}
    for letter, advance, end in row:
        length = len(letter)
        flipped = right_to_left(letter)
        for index in range(length + 1):
            share = (length - index if flipped else index) / length
            edges.setdefault(end - length + index, pen + advance * share)
        pen += advance
    return edges


def font_names(font: object) -> tuple[FontName, ...]:
    """Check the option ``font``, and return its fonts as a tuple.

    ``font`` is one font, several fonts, or None. If ``font`` is None, the tuple is empty.
    """
    if font is None:
        return ()
    fonts = tuple(font) if isinstance(font, list | tuple) and font else (font,)
    for item in fonts:
        if not isinstance(item, str | os.PathLike):
            raise wrong_type("font", "the path or name of a font, or a list of them", font)
    return fonts


def _advances(row: Sequence[_Styled]) -> list[float]:
    advances = []
    last = len(row) - 1
    for index, (letter, _, _, face) in enumerate(row):
        after = row[index + 1][0] if index < last and row[index + 1][3] is face else ""
        advance = face._pairs.get((letter, after))
        advances.append(face.advance(letter, after) if advance is None else advance)
    return advances


def _first(letter: str) -> str:
    """Return the first character of ``letter`` that has an image. If no character has an image,
    return "".
    """
    return next((c for c in letter if not c.isspace() and c not in _CHOOSE), "")


def _box_count(letter: str) -> int:
    """Return how many boxes are drawn in place of a letter that no font contains."""
    return sum(not c.isspace() and c not in _CHOOSE for c in letter)


def _is_word(font: _Font, letter: str) -> bool:
    """Return whether ``letter`` is a word of joined letters (as in Arabic) that the font can draw."""
    return joined_script(letter) and _has(font, _first(letter))


def _is_shaped(font: _Font, letter: str) -> bool:
    """Return whether HarfBuzz shapes ``letter``. It shapes words in scripts with joined letters,
    such as Arabic, and letters with combining marks.
    """
    first = _first(letter)
    return bool(first) and (len(letter) > 1 or joined_script(letter)) and _has(font, first)


def _letters_of(font: _Font, cluster: str) -> dict[int, str]:
    """Return a dict with the characters of a letter and its marks (accents). The keys are the glyph
    numbers in the font.

    The dict also contains the single Unicode character for the letter with its mark, such as é for
    e with an accent.
    """
    characters = dict.fromkeys((*unicodedata.normalize("NFC", cluster), *cluster))
    numbers = {
        font.shaper.file.glyph_number(character): character
        for character in characters
        if seen(character)
    }
    numbers.pop(0, None)
    return numbers


def _has(font: _Font, letter: str) -> bool:
    return letter.isspace() or not seen(letter) or font.shaper.file.has(letter)


def _store(cache: dict[K, T], key: K, value: T, max_size: int) -> None:
    """Store a value in a cache. If the cache is full, empty it first."""
    if len(cache) >= max_size:
        cache.clear()
    cache[key] = value


def _checked(font: _Font, function: Callable[..., T], *arguments: Any) -> T:
    """Call ``function``, which reads a font file.

    If FreeType cannot read the file, raise `AssetError`.
    """
    try:
        return function(*arguments)
    except OSError as error:
        raise _broken(font.path, error) from error


def _new_picture(font: _Font, letter: str, stroke: float, mask: bool) -> _LetterImage:
    """Draw a letter, and store its image in the cache of the font, unless the image is large."""
    picture = _checked(font, _picture, font, letter, stroke, mask)
    if picture.pixels is None or picture.pixels.size <= 4 * _MAX_IMAGE_SIZE:
        _store(font.images, (letter, stroke, mask), picture, _MAX_IMAGES)
    return picture


def _picture(font: _Font, letter: str, stroke: float, mask: bool) -> _LetterImage:
    drawn = font.basic
    if not any(font.box) and not letter.strip(_NO_LETTER):
        return _boxes(font, letter, stroke)
    if stroke and font.scale != 1:  # FreeType cannot draw outlines of bitmaps
        return _framed(_picture(font, letter, 0.0, False), stroke if mask else 0.0)
    options: dict[str, Any] = {"stroke_width": stroke} if stroke else {}
    left, top, right, bottom = (
        round(edge) for edge in drawn.getbbox(letter, anchor="ls", **options)
    )
    if right <= left or bottom <= top or letter.isspace():
        return _LetterImage(None, 0, 0, False)
    # Add an empty border of one pixel. Then the edges are smooth if the letter is turned or scaled.
    left, top, right, bottom = box = left - 1, top - 1, right + 1, bottom + 1
    may_be_colored = font.colored and not (mask or letter.isascii())
    pixels, colored = _painted(drawn, letter, box, options, may_be_colored)
    if font.scale != 1:
        pixels = _resized(pixels, font.scale)
    return _LetterImage(pixels, round(left * font.scale), round(-bottom * font.scale), colored)


def _resized(pixels: Pixels, scale: float) -> Pixels:
    high, wide = (max(1, round(side * scale)) for side in pixels.shape[:2])
    return np.asarray(Image.fromarray(pixels).resize((wide, high), Image.Resampling.LANCZOS))


def _framed(picture: _LetterImage, stroke: float) -> _LetterImage:
    """Return the image of a letter's outline: its shape, enlarged by ``stroke`` pixels on all
    sides.

    If ``stroke`` is 0, return the image of the letter itself.
    """
    if picture.pixels is None or not stroke:
        return picture
    pixels = picture.pixels
    covered, added = grown(pixels if pixels.ndim == 2 else pixels[..., 3], stroke)
    return _LetterImage(covered, picture.left - added, picture.bottom - added, False)


def _boxes(font: _Font, letter: str, stroke: float) -> _LetterImage:
    """Return an image of empty boxes, which is drawn in place of a letter that no font contains. It
    is used only if the first font has no image of its own for missing letters.
    """
    size = font.basic.size * font.scale
    wide = max(3, round(font.basic.getlength(_NO_LETTER) * font.scale))
    high = max(4, round(0.72 * size))
    line = max(1, round(size / 18))
    margin = max(1, round(wide / 10))
    grow = math.ceil(stroke)
    count = len(letter)
    image = Image.new("L", (wide * count + 2 * grow + 2, high + 2 * grow + 2))
    for index in range(count):
        x = 1 + index * wide
        box = x + margin, 1, x + wide - 1 - margin + 2 * grow, high + 2 * grow
        ImageDraw.Draw(image).rectangle(box, outline=255, width=line + 2 * grow)
    return _LetterImage(np.array(image), -1 - grow, -1 - grow, False)


def _painted(
    font: ImageFont.FreeTypeFont,
    letter: str,
    box: tuple[int, int, int, int],
    options: dict[str, Any],
    may_be_colored: bool,
) -> tuple[Pixels, bool]:
    """Return the pixels of a letter as a uint8 array, and whether the letter has its own colors.

    For a letter without its own colors, the array contains opacities and has the shape (height,
    width).
    """
    left, top, right, bottom = box
    position = (-left, -top)
    size = (right - left, bottom - top)
    coverage = None if options else _coverage(font, letter, box)
    if coverage is None:
        grey = Image.new("L", size)
        ImageDraw.Draw(grey).text(position, letter, font=font, fill=255, anchor="ls", **options)
        coverage = np.array(grey)
    if not may_be_colored:
        return coverage, False
    painted = Image.new("RGBA", size, (255, 255, 255, 0))
    draw = ImageDraw.Draw(painted)
    draw.text(
        position, letter, font=font, fill=(255, 255, 255, 255), anchor="ls", embedded_color=True
    )
    colors = np.asarray(painted)
    if (colors[..., :3] != 255).any(where=colors[..., 3:] > 0):
        return colors, True
    return coverage, False


def _coverage(
    font: ImageFont.FreeTypeFont, letter: str, box: tuple[int, int, int, int]
) -> Pixels | None:
    """Return the opacity of a letter's pixels in the rectangle ``box``. The uint8 array has the
    shape (height, width). If the letter is completely outside ``box``, return None.

    `ImageDraw` returns the same image, but takes five times as long.
    """
    left, top, right, bottom = box
    mask, (x, y) = font.getmask2(letter, "L", anchor="ls")
    width, height = mask.size
    x -= left
    y -= top
    if x < 0 or y < 0 or x + width > right - left or y + height > bottom - top:
        return None
    rows = Image.Image()._new(mask).tobytes()
    coverage = np.zeros((bottom - top, right - left), np.uint8)
    coverage[y : y + height, x : x + width] = np.frombuffer(rows, np.uint8).reshape(height, width)
    return coverage


def _load_fonts(
    names: Sequence[FontName | None],
    pixels: float,
    folders: Sequence[resources.Folder],
    bold: bool,
) -> list[_Font]:
    return [_load_font(name, pixels, folders, bold) for name in names]


def _load_font(
    name: FontName | None, size: float, folders: Sequence[resources.Folder], bold: bool
) -> _Font:
    if not features.check_module("freetype2"):
        raise AssetError(
            "Pillow was built without FreeType and draws no text; its wheel can: pip install pillow"
        )
    if name is None:
        path: Path = resources.folder("fonts") / (_DEFAULT_BOLD if bold else _DEFAULT)
    else:
        path = _bold_of(_font_path(name, folders)) if bold else _font_path(name, folders)
        if path.stat().st_size > _MAX_FILE:
            raise AssetError(
                f"The font {str(path)!r} has more than {_MAX_FILE >> 20} MiB, the maximum."
            )
    try:
        state = path.stat()
    except OSError as error:
        raise _broken(path, error) from error
    # A FreeType face must only be used in one thread.
    return _opened(str(path), size, get_ident(), (state.st_mtime_ns, state.st_size, state.st_ino))


@lru_cache(maxsize=_MAX_FONTS)
def _opened(path: str, size: float, thread: object, state: tuple[int, ...]) -> _Font:
    try:
        basic, scale = _opened_face(path, size)
        box = bytes(basic.getmask(_NO_LETTER))
        file = font_file(path, state)
    except (OSError, ValueError) as error:
        raise _broken(path, error) from error
    bold = "bold" in (basic.getname()[1] or "").lower()
    return _Font(basic, Shaper(file, size), scale, box, {}, {}, path, file.colored, bold)


def _opened_face(path: str, size: float) -> tuple[ImageFont.FreeTypeFont, float]:
    """Open a font file. Return the font, and the factor by which its letters must be scaled. If the
    file contains only bitmaps, the font has one of the usual sizes of bitmaps instead of ``size``.
    """
    opened = partial(ImageFont.truetype, path, layout_engine=ImageFont.Layout.BASIC)
    try:
        return opened(size), 1.0
    except OSError:
        for strike in _STRIKES:
            with suppress(OSError):
                return opened(strike), size / strike
        raise


def _bold_of(path: Path) -> Path:
    """Return the path of the bold font file in the same folder as ``path``. For example, the bold
    file of ``Menu.ttf`` is ``Menu-Bold.ttf``.

    If there is no bold file, return ``path``.
    """
    bold = path.with_stem(path.stem.removesuffix("-Regular") + "-Bold")
    return bold if bold.is_file() else path


def _font_path(name: FontName, folders: Sequence[resources.Folder]) -> Path:
    """Return the path of the font file for ``name``.

    ``name`` is a path or the name of a font. The font may come with the framework or be installed
    on the computer.
    """
    try:
        return resources.find(name, folders)
    except AssetError as error:
        plain_name = _plain(Path(name).stem if Path(name).suffix in ENDINGS else os.fspath(name))
        if os.path.isabs(name) or not plain_name:
            raise
        path = _own_font(plain_name) or _system_font(plain_name)
        if path is not None:
            return path
        system_fonts = _system_fonts(tuple(_system_folders())).values()
        similar = nearest(os.fspath(name), [path.stem for path in system_fonts])
        raise AssetError(
            f"{error} The system has no font of that name either; the nearest are {similar}."
        ) from None


def _own_font(plain_name: str) -> Path | None:
    """Return the path of a font that comes with the framework."""
    for path in resources.folder("fonts").glob("*.ttf"):
        if _plain(path.stem) == plain_name:
            return path
    return None


def _system_font(plain_name: str) -> Path | None:
    for rescan in (False, True):
        if rescan:  # a font may have been installed or removed since then
            _system_fonts.cache_clear()
        fonts = _system_fonts(tuple(_system_folders()))
        path = fonts.get(plain_name) or fonts.get(plain_name + "regular")
        if path is not None and path.is_file():
            return path
    return None


@lru_cache(maxsize=1)
def _system_fonts(folders: tuple[Path, ...]) -> dict[str, Path]:
    """Return the font files in ``folders``, as a dict from simplified font names to paths."""
    fonts: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS):
            fonts.setdefault(_plain(path.stem), path)
    return fonts


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _system_folders() -> list[Path]:
    home = Path.home()
    if sys.platform == "win32":
        local = Path(os.environ.get("LOCALAPPDATA", home)) / "Microsoft/Windows/Fonts"
        return [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts", local]
    if sys.platform == "darwin":
        return [home / "Library/Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    return [
        home / ".local/share/fonts",
        home / ".fonts",
        Path("/usr/local/share/fonts"),
        Path("/usr/share/fonts"),
    ]


def _broken(font: object, error: Exception) -> AssetError:
    name = f"The font {str(font)!r}"
    return AssetError(f"{name} cannot be read: {error}. TrueType and OpenType files can.")
