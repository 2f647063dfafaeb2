"""Compute the positions of all letters of many labels together, when they change.

`Typesetter.set` is for labels with a single line, such as scores. `Typesetter.set_styled` is for
labels with line breaks, outlines, shadows or colors. Both methods work on NumPy arrays that contain
the letters of all labels. The results are exactly the same as with `FontFace.lay_out`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask, Rows
from .fonts import FontFace
from .markup import Color, StyledText, wrapped_ascii

_ASCII = 128
_SPACE = ord(" ")
_HYPHEN = ord("-")
_UNKNOWN = -2  # an outline that is not drawn yet
_NO_OUTLINES = 0  # the index of the row that is used for labels without an outline
# For fewer labels, Python computes line breaks faster than NumPy.
_MIN_WRAPPED = 8


class Slot(NamedTuple):
    """The sprite rows of a label, and the attributes of the label that determine the positions of
    its letters.
    """

    start: float
    """The first sprite row of the label."""
    capacity: float
    """The number of the label's sprite rows."""
    letter_count: float
    """The number of rows that contain letters. The label's other rows are spare."""
    x: float
    y: float
    angle: float
    scale: float
    visible_characters: float
    """The index of the first hidden letter."""
    anchor_x: float
    anchor_y: float
    """The anchor, as a fraction of the label's width and height. NaN means that the baseline of the
    first line is at the label's position.
    """


class Slots(NamedTuple):
    """The fields of n `Slot` objects, as arrays of length n.

    ``position`` and ``anchor`` have the shape (n, 2).
    """

    start: Rows
    capacity: Rows
    letter_count: Rows
    position: Doubles
    angle: Doubles
    scale: Doubles
    visible_characters: Doubles
    anchor: Doubles


def slots_of(slots: Sequence[Slot]) -> Slots:
    """Convert several `Slot` objects to one `Slots` object."""
    size = len(Slot._fields)
    table = np.fromiter(chain.from_iterable(slots), np.float64).reshape(len(slots), size)
    start: Rows
    capacity: Rows
    letter_count: Rows
    start, capacity, letter_count = table[:, :3].T.astype(np.intp)
    position = table[:, 3:5]
    anchor = table[:, 8:10]
    return Slots(
        start, capacity, letter_count, position, table[:, 5], table[:, 6], table[:, 7], anchor
    )


class Written(NamedTuple):
    """The laid-out letters of several labels. The letters are in the order of the labels.

    ``images`` contains the index of each letter's image in the batch. ``offsets`` contains the
    position of each letter in units, relative to the position of its label, and has the shape (n,
    2). ``ranks`` contains the index of each letter in its label. ``owners`` contains the index of
    each letter's label. ``counts`` contains the number of letters of each label.
    """

    images: NDArray[np.int32]
    offsets: Doubles
    ranks: NDArray[np.int32]
    owners: Rows
    counts: Rows


class Block(NamedTuple):
    """The layout options of a styled label, as numbers."""

    limit: float
    """The maximum width of a line in pixels, or infinity."""
    align: float
    spacing: float
    stroke: float
    """The width of the outline in pixels. 0 means no outline."""
    shadow_x: float
    """The displacement of the shadow in units. NaN means no shadow."""
    shadow_y: float


class LabelStyle(NamedTuple):
    """The font size, the colors and the layout options of a styled label. Most labels in a game
    have one of a few styles.
    """

    font_size: float
    color: Color
    outline: Color | None
    shadow: Color | None
    block: Block


class Painted(NamedTuple):
    """The laid-out letters of several styled labels, and the color of each letter.

    ``colors`` contains the color of each letter, and has the shape (n, 4). ``has_colors`` contains
    one bool per label: whether any of its letters has its own color.
    """

    written: Written
    colors: Floats
    has_colors: Mask


class Typesetter:
    """Lays out many labels together. The tables of a `Typesetter` contain the advance (the distance
    to the next letter) and the image of each ASCII letter.

    All fonts of one `Typesetter` must have the same number of pixels per unit.
    """

    not_state = True

    def __init__(self) -> None:
        self._faces: list[FontFace] = []
        self._numbers: dict[float, int] = {}
        self._bold_numbers: dict[float, int] = {}
        self._steps = np.empty((0, _ASCII, _ASCII), np.float32)
        self._pictures = np.empty((0, _ASCII), np.int32)
        self._metrics = np.empty((0, 5))
        self._outlines = np.full((1, _ASCII), -1, np.int32)
        self._outline_rows: dict[tuple[int, float], int] = {}

    def _add(self, face: FontFace) -> int:
        steps = np.full((1, _ASCII, _ASCII), np.nan, np.float32)
        steps[0, 0] = 0.0  # the end of a text has the advance 0
        self._steps = np.concatenate([self._steps, steps])
        self._pictures = np.concatenate([self._pictures, np.full((1, _ASCII), -1, np.int32)])
        metrics = face.descent, face.ascent, face.height, *face.pixel_metrics
        self._metrics = np.concatenate([self._metrics, [metrics]])
        self._faces.append(face)
        return len(self._faces) - 1

    def _number(self, size: float, face_at: Callable[[float, bool], FontFace]) -> int:
        number = self._numbers.get(size)
        if number is None:
            number = self._numbers[size] = self._add(face_at(size, False))
        return number

    def _bold_number(self, size: float, face_at: Callable[[float, bool], FontFace]) -> int:
        number = self._bold_numbers.get(size)
        if number is None:
            number = self._bold_numbers[size] = self._add(face_at(size, True))
        return number

    def _outline_row(self, kind: int, stroke: float) -> int:
        """Return the row of the table `_outlines` for a font. ``stroke`` is the width of the
        outline in pixels. Without an outline, ``stroke`` is 0.
        """
        if not stroke:
            return _NO_OUTLINES
        row = self._outline_rows.get((kind, stroke))
        if row is None:
            row = self._outline_rows[kind, stroke] = len(self._outlines)
            images = np.full((1, _ASCII), _UNKNOWN, np.int32)
            images[0, 0] = -1  # the end of a text has the advance 0
            self._outlines = np.concatenate([self._outlines, images])
        return row

    def numbers(self, sizes: Sequence[float], face_at: Callable[[float, bool], FontFace]) -> Rows:
        """For each font size in ``sizes``, return the index of the font in the tables.

        ``face_at(size, False)`` must return the font with the font size ``size``. ``face_at`` is
        called for sizes that are not in the tables yet.
        """
        cached = self._numbers
        return np.array(
            [cached[size] if size in cached else self._number(size, face_at) for size in sizes],
            np.intp,
        )

    def set(self, texts: Sequence[str], kinds: Rows, anchors: Doubles) -> Written:
        """Lay out several labels that each have a single line. ``kinds`` contains the index of the
        font of each text, as `numbers` returns it. ``anchors`` contains the anchor of each label,
        as in `Slots.anchor`, and has the shape (n, 2). The atlas must already contain all letters
        of ``texts``. See `FontFace.knows`.
        """
        codes = np.frombuffer(("\0".join(texts) + "\0").encode("ascii"), np.uint8).astype(np.intp)
        ends = np.flatnonzero(codes == 0)
        starts = np.concatenate([[0], ends[:-1] + 1])
        owners = np.repeat(np.arange(len(texts)), ends - starts + 1)
        letters = kinds[owners] * _ASCII + codes
        steps = letters * _ASCII
        steps[:-1] += codes[1:]
        advances = self._advances_of(steps)
        pens = advances.cumsum() - advances  # advances are whole numbers, so their sums are exact
        images = self._pictures.take(letters)
        drawn = np.flatnonzero(images >= 0)
        owners = owners[drawn]
        ratio = self._faces[0].ratio
        descents, ascents, heights = self._metrics[kinds, :3].T
        corners = np.stack([np.zeros(len(texts)), descents], axis=1)
        if anchors.any():
            widths = (pens[ends] - pens[starts]) / ratio
            corners += _corners(widths, heights, ascents, anchors, ratio)
        offsets = corners.take(owners, axis=0)
        offsets[:, 0] += (pens[drawn] - pens[starts[owners]]) / ratio
        ranks = (drawn - starts[owners]).astype(np.int32)
        return Written(
            images[drawn], offsets, ranks, owners, np.bincount(owners, minlength=len(texts))
        )

    def set_styled(
        self,
        texts: Sequence[Sequence[StyledText]],
        styles: Sequence[LabelStyle],
        anchors: Doubles,
        face_at: Callable[[float, bool], FontFace],
    ) -> Painted | None:
        """Lay out labels with line breaks, outlines, shadows or colors.

        ``texts`` contains the parts of each label's text, which must consist of printable ASCII
        characters. ``anchors`` contains the anchor of each label, as in `Slots.anchor`, and has the
        shape (n, 2). ``face_at(size, bold)`` returns the font for a font size. The atlas must
        already contain all letters of the texts. See `FontFace.drawn_letters`. If any letter has a
        negative advance, return None.
        """
        text = self._text_of(texts, styles, face_at)
        pens = self._pens_of(text)
        if pens is None:
            return None
        lines = _broken(text, pens)
        left, bottom, width, height = self._line_corners(lines, pens, text)
        ratio = self._faces[0].ratio
        metrics = self._metrics[text.label_kinds]
        inside, line = lines.letters()
        owners = lines.owner[line]
        offsets = np.empty((len(inside), 2))
        offsets[:, 0] = (left[line] + pens[inside]) / ratio
        offsets[:, 1] = ((bottom + metrics[lines.owner, 3]) / ratio)[line]
        ranks = (inside - text.starts[owners]).astype(np.int32)

        shadow, outline, front = self._layers_of(text, inside, owners)
        drawn = _merged(shadow, outline, front)
        offsets = offsets.take(drawn.letters, axis=0)
        if len(shadow.letters):  # the shadow of a label is before its other letters
            shadow_rows = ranges(_starts(drawn.counts), shadow.counts)
            offsets[shadow_rows] += text.blocks[shadow.owners, 4:6]
        origins = _corners(width / ratio, height / ratio, metrics[:, 1], anchors, ratio)
        offsets += origins.take(drawn.owners, axis=0)
        written = Written(drawn.images, offsets, ranks[drawn.letters], drawn.owners, drawn.counts)
        has_colors = (shadow.counts > 0) | (outline.counts > 0) | text.has_tags
        return Painted(written, text.palette.take(drawn.colors, axis=0), has_colors)

    def _layers_of(self, text: _Text, inside: Rows, owners: Rows) -> tuple[_Layer, _Layer, _Layer]:
        """Return the images of the shadows, of the outlines and of the letters. ``inside`` contains the
        indices of the letters in lines, and ``owners`` the index of each letter's label.
        """
        count = len(text.starts)
        images = self._pictures.take(text.letters[inside])
        drawn = (images >= 0).nonzero()[0]
        colors = text.colors[inside[drawn]]
        front = _layer_of(drawn, images[drawn], owners[drawn], colors, count)
        outlines = self._outlines_of(text.outline_rows[inside], text.codes[inside])
        outlined = (outlines >= 0).nonzero()[0]
        colors = text.outline_colors[owners[outlined]]
        outline = _layer_of(outlined, outlines[outlined], owners[outlined], colors, count)
        shadow = _shadow_of(outline, front, ~np.isnan(text.blocks[:, 4]), text.shadow_colors)
        return shadow, outline, front

    def _pens_of(self, text: _Text) -> Doubles | None:
        """Return the exact position of each letter in pixels, as if all texts were in one line. If
        any letter has a negative advance, return None.
        """
        codes = text.codes
        kinds = text.kinds
        steps = text.letters * _ASCII
        # There is no kerning between letters of different fonts, so use the advance of a letter at
        # the end of a text.
        steps[:-1] += np.where(kinds[1:] == kinds[:-1], codes[1:], 0)
        advances = self._advances_of(steps)
        if advances.min() < 0:
            return None
        pens: Doubles = advances.cumsum() - advances  # exact, because advances are whole numbers
        return pens

    def _text_of(
        self,
        texts: Sequence[Sequence[StyledText]],
        styles: Sequence[LabelStyle],
        face_at: Callable[[float, bool], FontFace],
    ) -> _Text:
        """Return the letters of all labels in one array, with the font and the color of each
        letter.
        """
        pieces: list[str] = []
        # The index of each color. Most labels have the same few colors.
        palette: dict[Color, int] = {}
        # For each part: its length, and the index of its font, row of outlines and color in
        # `fonts_and_colors`. Most parts have one of the same few combinations.
        lengths: list[int] = []
        combinations: list[int] = []
        fonts_and_colors: list[tuple[int, int, int]] = []
        # Three numbers for each style: its font, the color of its outline, and the color of its
        # shadow.
        styles_table: list[int] = []
        blocks: list[Block] = []
        style_of_label: list[int] = []
        has_tags: list[bool] = []
        last_style: LabelStyle | None = None
        for parts, style in zip(texts, styles, strict=True):
            if style != last_style:  # usually, all labels have the same style
                last_style = style
                size, color, outline, shadow, block = style
                kind = self._number(size, face_at)
                outline_color = _faded_index(palette, outline, color)
                shadow_color = _faded_index(palette, shadow, color)
                styles_table += (kind, outline_color, shadow_color)
                blocks.append(block)
                combination_of: dict[tuple[Color | None, bool], int] = {}
            is_tinted = False
            for piece, tint, bold in parts:
                if tint is not None:
                    is_tinted = True
                combination = combination_of.get((tint, bold))
                if combination is None:
                    combination = combination_of[tint, bold] = len(fonts_and_colors)
                    part_kind = self._bold_number(size, face_at) if bold else kind
                    part_row = self._outline_row(part_kind, block.stroke)
                    part_color = _faded_index(palette, tint, color)
                    fonts_and_colors.append((part_kind, part_row, part_color))
                pieces.append(piece)
                lengths.append(len(piece))
                combinations.append(combination)
            pieces.append("\0")
            lengths[-1] += 1  # the end of the text belongs to the last part
            has_tags.append(is_tinted)
            style_of_label.append(len(blocks) - 1)
        codes = np.frombuffer("".join(pieces).encode("ascii"), np.uint8).astype(np.intp)
        ends = (codes == 0).nonzero()[0]
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1] + 1
        combination_of_letter = np.repeat(np.array(combinations, np.intp), lengths)
        columns = np.array(fonts_and_colors, np.intp).T.copy()
        kinds, rows, colors = (column.take(combination_of_letter) for column in columns)
        style_columns = np.array(styles_table, np.intp).reshape(-1, 3).T
        label_kinds, outline_colors, shadow_colors = style_columns.take(style_of_label, axis=1)
        return _Text(
            codes,
            kinds,
            kinds * _ASCII + codes,
            rows,
            colors,
            starts,
            ends,
            label_kinds,
            outline_colors,
            shadow_colors,
            np.array(blocks).take(style_of_label, axis=0),
            np.array(has_tags),
            np.array(list(palette), np.float32),
        )

    def _line_corners(
        self, lines: _Lines, pens: Doubles, text: _Text
    ) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Return the x and the y of each line in pixels, as two arrays with one number per line. To
        get the x of a letter, add the letter's pen to the x of its line. Also return the width and
        the height of each label in pixels, as two more arrays. The numbers are the same as in
        `FontFace._block_of`.
        """
        limit, align, spacing = text.blocks[:, :3].T
        descent, ascent = self._metrics[text.label_kinds, 3:].T
        counts = np.bincount(lines.owner, minlength=len(text.starts))
        first = _starts(counts)
        widths = pens[lines.stop] - pens[lines.start]
        across = np.where(np.isinf(limit), np.maximum.reduceat(widths, first), limit)
        owner = lines.owner
        line_height = (ascent + descent) * spacing
        left = np.floor((across[owner] - widths) * align[owner] + 0.5)
        below = (counts - 1)[owner] - (np.arange(len(owner)) - first[owner])
        bottom = np.floor(below * line_height[owner] + 0.5)
        height = ascent + descent + (counts - 1) * line_height
        return left - pens[lines.start], bottom, across, height

    def _outlines_of(self, rows: Rows, codes: Rows) -> NDArray[np.int32]:
        """Return the index of the outline image of each letter. If a letter has no outline, the
        index is -1.
        """
        keys = rows * _ASCII + codes
        outlines = self._outlines.take(keys)
        if len(outlines) and outlines.min() == _UNKNOWN:
            fonts = {row: font for font, row in self._outline_rows.items()}
            unknown: list[int] = np.unique(keys[outlines == _UNKNOWN]).tolist()
            for key in unknown:
                row, code = divmod(key, _ASCII)
                kind, stroke = fonts[row]
                image = self._faces[kind].outline(chr(code), stroke)
                self._outlines[row, code] = -1 if image is None else image
            outlines = self._outlines.take(keys)
        return outlines

    def _advances_of(self, steps: Rows) -> Doubles:
        """Return the distance from each letter to the next letter, in pixels."""
        advances = self._steps.take(steps).astype(np.float64)
        if np.isnan(advances.sum()):
            self._learn(np.unique(steps[np.isnan(advances)]))
            advances = self._steps.take(steps).astype(np.float64)
        return advances

    def _learn(self, steps: Rows) -> None:
        keys: list[int] = steps.tolist()
        for key in keys:
            pair, next_code = divmod(key, _ASCII)
            kind, code = divmod(pair, _ASCII)
            advance, picture = self._faces[kind].step(chr(code), chr(next_code).strip("\0"))
            self._steps[kind, code, next_code] = advance
            self._pictures[kind, code] = -1 if picture is None else picture


class _Text(NamedTuple):
    """The letters of several labels, as arrays with one element per letter or per label. After the
    last letter of each label, ``codes`` contains a 0.

    ``codes``, ``kinds``, ``letters``, ``outline_rows`` and ``colors`` have one element per letter.
    For each letter, these arrays contain the character code, and the indices of the font, the image
    (in `Typesetter._pictures`), the row of outlines and the color.

    The other arrays, except the palette, have one element per label. For each label, these arrays
    contain the index of its first letter, the index after its last letter, the indices of its font,
    outline color and shadow color, the fields of its `Block`, and whether its text has color tags.
    """

    codes: Rows
    kinds: Rows
    letters: Rows
    outline_rows: Rows
    colors: Rows
    starts: Rows
    ends: Rows
    label_kinds: Rows
    outline_colors: Rows
    shadow_colors: Rows
    blocks: Doubles
    has_tags: Mask
    palette: Floats


class _Lines(NamedTuple):
    """The lines of several labels. For each line, the arrays contain the indices of the label, of
    the line's first letter, and of the letter after the line.
    """

    owner: Rows
    start: Rows
    stop: Rows

    def letters(self) -> tuple[Rows, Rows]:
        """Return the indices of the letters in all lines, and the index of each letter's line. Spaces
        at the end of a line are not included.
        """
        lengths = self.stop - self.start
        return ranges(self.start, lengths), np.repeat(np.arange(len(lengths)), lengths)


class _Layer(NamedTuple):
    """The images of all shadows, all outlines or all letters, in the order of the labels.

    For each image, ``letters`` contains the index of its letter, ``owners`` the index of its label,
    and ``colors`` the index of its color. ``counts`` contains the number of images of each label.
    """

    letters: Rows
    images: NDArray[np.int32]
    owners: Rows
    colors: Rows
    counts: Rows


def _layer_of(
    letters: Rows, images: NDArray[np.int32], owners: Rows, colors: Rows, label_count: int
) -> _Layer:
    counts = np.bincount(owners, minlength=label_count)
    return _Layer(letters, images, owners, colors, counts)


def _shadow_of(outline: _Layer, front: _Layer, has_shadow: Mask, colors: Rows) -> _Layer:
    """Return the images for the shadows of labels. The shadow of a label with an outline has the
    shape of the outline. Otherwise it has the shape of the letters. ``colors`` contains the index
    of the shadow color of each label.
    """
    count = len(has_shadow)
    if not has_shadow.any():
        nothing = np.empty(0, np.intp)
        return _Layer(nothing, nothing.astype(np.int32), nothing, nothing, np.zeros(count, np.intp))
    is_outlined = outline.counts > 0
    counts = np.where(has_shadow, np.where(is_outlined, outline.counts, front.counts), 0)
    first_letter = len(outline.letters) + _starts(front.counts)
    source = ranges(np.where(is_outlined, _starts(outline.counts), first_letter), counts)
    letters = np.concatenate([outline.letters, front.letters])[source]
    images = np.concatenate([outline.images, front.images])[source]
    owners = np.repeat(np.arange(count), counts)
    return _Layer(letters, images, owners, colors[owners], counts)


def _merged(shadow: _Layer, outline: _Layer, front: _Layer) -> _Layer:
    """Return the images of all layers, label by label. The shadow of a label comes first, because it
    is drawn behind the other letters, then its outline.
    """
    counts = shadow.counts + outline.counts + front.counts
    first = _starts(counts)
    total = int(counts.sum())
    letters = np.empty(total, np.intp)
    images = np.empty(total, np.int32)
    colors = np.empty(total, np.intp)
    for layer in (shadow, outline, front):
        if len(layer.letters):
            rows = ranges(first, layer.counts)
            letters[rows] = layer.letters
            images[rows] = layer.images
            colors[rows] = layer.colors
            first = first + layer.counts
    return _Layer(letters, images, np.repeat(np.arange(len(counts)), counts), colors, counts)


def _corners(
    widths: Doubles, heights: Doubles, ascents: Doubles, anchors: Doubles, ratio: float
) -> Doubles:
    """Return the bottom left corner of each label's text, relative to the position of the label.
    The sizes and the result are in units. ``ratio`` is the number of pixels per unit. Like
    `FontFace.snap`, this rounds the corners to whole pixels.
    """
    across, up = anchors.T
    corners = np.empty(anchors.shape)
    corners[:, 0] = -widths * across
    corners[:, 1] = -np.where(np.isnan(up), heights - ascents, heights * up)
    snapped: Doubles = np.floor(corners * ratio + 0.5) / ratio
    return snapped


def _color_index(palette: dict[Color, int], color: Color) -> int:
    """Return the index of a color in ``palette``. If the palette does not contain the color, add
    it.
    """
    return palette.setdefault(color, len(palette))


def _faded_index(palette: dict[Color, int], color: Color | None, label_color: Color) -> int:
    """Return the index of ``color`` after its alpha is multiplied by the alpha of the label. If
    ``color`` is None, return the index of the label's color.
    """
    if color is None:
        return _color_index(palette, label_color)
    alpha = (color[3] if len(color) > 3 else 1.0) * label_color[3]
    return _color_index(palette, (*color[:3], alpha))


def _starts(counts: Rows) -> Rows:
    """Return the first index of each range, for ranges of the lengths ``counts`` that follow each
    other.
    """
    starts: Rows = counts.cumsum() - counts
    return starts


def ranges(start: Rows, counts: Rows) -> Rows:
    """Return the indices in several ranges, one range after the other. ``start`` contains the first
    index of each range, and ``counts`` the length of each range.
    """
    indices: Rows = np.repeat(start - counts.cumsum() + counts, counts)
    indices += np.arange(len(indices))
    return indices


class _BreakTables(NamedTuple):
    """Where a text may be broken into lines. Each array has one element per letter of the text."""

    next_letter: Rows
    """The index of the first letter that is not a space, from this letter on."""
    after_letter: Rows
    """The index after the last letter that is not a space, up to this letter."""
    last_break: Rows
    """The index of the last letter that may begin a line, up to this letter. 0 means no letter."""


def _break_tables(codes: Rows) -> _BreakTables:
    indices = np.arange(len(codes))
    is_space: Mask = codes == _SPACE
    next_letter = np.minimum.accumulate(np.where(is_space, len(codes), indices)[::-1])[::-1]
    after_letter = np.maximum.accumulate(np.where(is_space, 0, indices + 1))
    may_begin = np.zeros(len(codes), bool)
    may_begin[1:] = (is_space[:-1] | (codes[:-1] == _HYPHEN)) & ~is_space[1:] & (codes[1:] != 0)
    last_break = np.maximum.accumulate(np.where(may_begin, indices, 0))
    return _BreakTables(next_letter, after_letter, last_break)


def _broken(text: _Text, pens: Doubles) -> _Lines:
    """Split labels into lines that are at most `Block.limit` wide. The lines are the same as those of
    `wrapped_ascii`. ``pens`` contains the exact position of each letter, in ascending order.
    """
    starts = text.starts
    ends = text.ends
    limits = text.blocks[:, 0]
    base = pens[starts]
    too_long: Mask = pens[ends] - base > limits
    if not too_long.any():
        return _Lines(np.arange(len(starts)), starts, ends)
    fitting = (~too_long).nonzero()[0]
    lines = [_Lines(fitting, starts[fitting], ends[fitting])]
    next_letter, after_letter, last_break = _break_tables(text.codes)
    active = too_long.nonzero()[0]
    start = starts[active]
    # Each round finds the next line of each label. The variables have the same names as in
    # `wrapped_ascii`.
    while len(active) >= _MIN_WRAPPED:
        origin = base[active]
        reach = np.floor(pens[start] - origin + limits[active]) + origin
        end = ends[active]
        index = pens.searchsorted(reach, side="right") - 1
        index = np.minimum(np.maximum(index, start + 1), end)
        index = next_letter[index]
        done = index >= end
        break_before = last_break[index]
        stop = np.where(break_before > start, break_before, index)
        line_stop = np.where(done, end, np.maximum(start, after_letter[stop - 1]))
        lines.append(_Lines(active, start, line_stop))
        active = active[~done]
        start = stop[~done]
    for label, first in zip(active.tolist(), start.tolist(), strict=True):
        begin = int(starts[label])
        stop_of_label = int(ends[label])
        letters = text.codes[begin:stop_of_label].astype(np.uint8).tobytes().decode("ascii")
        label_pens: list[float] = (pens[begin : stop_of_label + 1] - base[label]).tolist()
        spans = wrapped_ascii(letters, label_pens, float(limits[label]), first - begin)
        edges = np.array(spans, np.intp) + begin
        lines.append(_Lines(np.full(len(edges), label), edges[:, 0], edges[:, 1]))
    owner, line_start, line_stop = (np.concatenate(parts) for parts in zip(*lines, strict=True))
    order = owner.argsort(kind="stable")
    return _Lines(owner[order], line_start[order], line_stop[order])
