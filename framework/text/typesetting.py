"""Typesetting: lays out many labels together when they change, such as scores.

`Typesetter.set` is for labels with a single line. `Typesetter.set_styled` is for labels with line
breaks, outlines, shadows or colors. Both methods work on NumPy arrays that contain the letters of
all labels. The results are exactly the same as with `FontFace.lay_out`.
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
    """The sprite rows of a label, and the attributes that determine where its letters are."""

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
    """The anchor, as a fraction of the label's width and height. If it is NaN, the baseline is at
    the label's position.
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
    """Convert several `Slot` objects to one `Slots`."""
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


class StyledLabel(NamedTuple):
    """The text, the font size and the colors of a label. All parts of the text must consist of
    printable ASCII characters.
    """

    parts: Sequence[StyledText]
    font_size: float
    color: Color
    outline: Color | None
    shadow: Color | None
    stroke: float
    """The width of the outline in pixels, as in `Block`."""


class Painted(NamedTuple):
    """The laid-out letters of several styled labels, and the color of each letter.

    ``colors`` contains the color of each letter, and has the shape (n, 4). ``has_colors`` contains
    one bool per label: whether any of its letters has its own color.
    """

    written: Written
    colors: Floats
    has_colors: Mask


class Typesetter:
    """Lays out many labels together. The tables contain the advance (the distance to the next
    letter) and the image of each ASCII letter.

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
        outline in pixels.
        """
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
        metrics = self._metrics[kinds]
        corners = np.stack([np.zeros(len(texts)), metrics[:, 0]], axis=1)
        if anchors.any():
            across = (pens[ends] - pens[starts]) / ratio * anchors[:, 0]
            on_baseline = metrics[:, 2] - metrics[:, 1]
            low = np.where(np.isnan(anchors[:, 1]), on_baseline, metrics[:, 2] * anchors[:, 1])
            # The same rounding as in `FontFace.snap`.
            corners += np.floor(np.stack([-across, -low], axis=1) * ratio + 0.5) / ratio
        offsets = corners[owners]
        offsets[:, 0] += (pens[drawn] - pens[starts[owners]]) / ratio
        ranks = (drawn - starts[owners]).astype(np.int32)
        return Written(
            images[drawn], offsets, ranks, owners, np.bincount(owners, minlength=len(texts))
        )

    def set_styled(
        self,
        labels: Sequence[StyledLabel],
        options: Sequence[Block],
        anchors: Doubles,
        face_at: Callable[[float, bool], FontFace],
    ) -> Painted | None:
        """Lay out labels with line breaks, outlines, shadows or colors.

        ``options`` contains the layout options of each label. ``anchors`` contains the anchor of
        each label, as in `Slots.anchor`, and has the shape (n, 2). ``face_at(size, bold)`` returns
        the font for a font size. The atlas must already contain all letters of the texts. See
        `FontFace.drawn_letters`. If any letter has a negative advance, return None.
        """
        text = self._text_of(labels, face_at)
        codes = text.codes
        kinds = text.kinds
        ends = np.flatnonzero(codes == 0)
        starts = np.concatenate([[0], ends[:-1] + 1])
        letters = kinds * _ASCII + codes
        steps = letters * _ASCII
        # There is no kerning between letters of different fonts, so use the advance of a letter at
        # the end of a text.
        steps[:-1] += np.where(kinds[1:] == kinds[:-1], codes[1:], 0)
        advances = self._advances_of(steps)
        if advances.min() < 0:
            return None
        pens = advances.cumsum() - advances  # advances are whole numbers, so their sums are exact
        flat = np.fromiter(chain.from_iterable(options), np.float64)
        blocks = flat.reshape(len(options), -1)
        lines = _broken(codes, pens, starts, ends, blocks[:, 0])
        left, bottom, width, height = self._line_corners(lines, pens, blocks, text.label_kinds)
        ratio = self._faces[0].ratio
        metrics = self._metrics[text.label_kinds]
        low = np.where(
            np.isnan(anchors[:, 1]), height / ratio - metrics[:, 1], height / ratio * anchors[:, 1]
        )
        corners = np.stack([-(width / ratio) * anchors[:, 0], -low], axis=1)
        origins = np.floor(corners * ratio + 0.5) / ratio  # rounds like `FontFace.snap`

        lengths = lines.stop - lines.start
        inside = ranges(lines.start, lengths)  # spaces at the end of a line are removed
        line = np.repeat(np.arange(len(lengths)), lengths)
        owners = lines.owner[line]
        offsets = np.empty((len(inside), 2))
        offsets[:, 0] = (left[line] + pens[inside]) / ratio
        offsets[:, 1] = ((bottom + metrics[lines.owner, 3]) / ratio)[line]
        ranks = (inside - starts[owners]).astype(np.int32)
        images = self._pictures.take(letters[inside])
        outlines = self._outlines_of(text.outline_rows[inside], codes[inside])
        drawn = np.flatnonzero(images >= 0)
        outlined = np.flatnonzero(outlines >= 0)
        count = len(labels)
        behind = _Layer(outlined, outlines[outlined], owners[outlined], count)
        front = _Layer(drawn, images[drawn], owners[drawn], count)
        shadow = _shadow_of(behind, front, ~np.isnan(blocks[:, 4]))
        layers = [shadow, behind, front]

        counts = shadow.counts + behind.counts + front.counts
        first = counts.cumsum() - counts
        total = int(counts.sum())
        letter = np.empty(total, np.intp)
        image = np.empty(total, np.int32)
        color = np.empty(total, np.intp)
        tints = [text.shadow_colors, text.outline_colors, text.colors[inside]]
        rows = []
        for layer, tint in zip(layers, tints, strict=True):
            at = ranges(first, layer.counts)
            rows.append(at)
            first = first + layer.counts
            letter[at] = layer.letters
            image[at] = layer.images
            color[at] = tint[layer.letters if layer is front else layer.owners]
        owners = owners[letter]
        offsets = offsets.take(letter, axis=0)
        if len(shadow.letters):
            offsets[rows[0]] += blocks[shadow.owners, 4:6]
        offsets += origins.take(owners, axis=0)
        written = Written(image, offsets, ranks[letter], owners, counts)
        has_colors = (shadow.counts > 0) | (behind.counts > 0) | text.has_tags
        return Painted(written, text.palette.take(color, axis=0), has_colors)

    def _text_of(
        self, labels: Sequence[StyledLabel], face_at: Callable[[float, bool], FontFace]
    ) -> _Text:
        """Return the letters of all labels in one array, with the font and the color of each
        letter.
        """
        texts: list[str] = []
        # The index of each color. Most labels have the same few colors.
        palette: dict[Color, int] = {}
        color_index = palette.setdefault
        # Four numbers for each part: its length, font, row of outlines and color.
        parts_table: list[int] = []
        # Three numbers for each label: its font, the color of its outline, and the color of its
        # shadow.
        labels_table: list[int] = []
        has_tags: list[bool] = []
        numbers = self._numbers
        outline_rows = self._outline_rows
        for parts, size, color, outline, shadow, stroke in labels:
            kind = numbers.get(size)
            if kind is None:
                kind = self._number(size, face_at)
            row = _NO_OUTLINES
            if stroke:
                row = outline_rows.get((kind, stroke), 0) or self._outline_row(kind, stroke)
            own_color = color_index(color, len(palette))
            is_tinted = False
            for text, tint, bold in parts:
                part_kind = kind
                part_row = row
                if bold:
                    part_kind = self._bold_number(size, face_at)
                    part_row = self._outline_row(part_kind, stroke) if stroke else _NO_OUTLINES
                part_color = own_color
                if tint is not None:
                    is_tinted = True
                    part_color = color_index(_faded(tint, color), len(palette))
                texts.append(text)
                parts_table += (len(text), part_kind, part_row, part_color)
            texts.append("\0")
            parts_table[-4] += 1  # the end of the text belongs to the last part
            has_tags.append(is_tinted)
            outline_color = shadow_color = own_color
            if outline is not None:
                outline_color = color_index(_faded(outline, color), len(palette))
            if shadow is not None:
                shadow_color = color_index(_faded(shadow, color), len(palette))
            labels_table += (kind, outline_color, shadow_color)
        codes = np.frombuffer("".join(texts).encode("ascii"), np.uint8).astype(np.intp)
        part_columns = np.array(parts_table, np.intp).reshape(-1, 4).T.copy()
        part_of_letter = np.repeat(np.arange(len(parts_table) // 4), part_columns[0])
        kinds, rows, colors = (column.take(part_of_letter) for column in part_columns[1:])
        label_columns = np.array(labels_table, np.intp).reshape(-1, 3).T
        label_kinds, outline_colors, shadow_colors = label_columns
        return _Text(
            codes,
            kinds,
            rows,
            colors,
            label_kinds,
            outline_colors,
            shadow_colors,
            np.array(has_tags),
            np.array(list(palette), np.float32),
        )

    def _line_corners(
        self, lines: _Lines, pens: Doubles, blocks: Doubles, kinds: Rows
    ) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Return the x and the y of each line in pixels, as two arrays with one number per line. To
        get the x of a letter, add the letter's pen to the x of its line. Also return the width and
        the height of each label in pixels, as two more arrays. The numbers are the same as in
        `FontFace._block_of`.
        """
        limit, align, spacing = blocks[:, :3].T
        descent, ascent = self._metrics[kinds, 3:].T
        counts = np.bincount(lines.owner, minlength=len(kinds))
        first = counts.cumsum() - counts
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

    ``codes``, ``kinds``, ``outline_rows`` and ``colors`` have one element per letter. For each
    letter, these arrays contain the character code, and the indices of the font, the row of
    outlines and the color. ``label_kinds``, ``outline_colors``, ``shadow_colors`` and ``has_tags``
    have one element per label. For each label, these arrays contain the indices of its font,
    outline color and shadow color, and whether its text has color tags.
    """

    codes: Rows
    kinds: Rows
    outline_rows: Rows
    colors: Rows
    label_kinds: Rows
    outline_colors: Rows
    shadow_colors: Rows
    has_tags: Mask
    palette: Floats


class _Lines(NamedTuple):
    """The lines of several labels. For each line, the arrays contain the indices of the label, of
    the line's first letter, and of the letter after the line.
    """

    owner: Rows
    start: Rows
    stop: Rows


class _Layer:
    """The images of all shadows, all outlines or all letters."""

    def __init__(
        self, letters: Rows, images: NDArray[np.int32], owners: Rows, label_count: int
    ) -> None:
        self.letters = letters
        """For each image, the index of its letter."""
        self.images = images
        self.owners = owners
        """For each image, the index of its label."""
        self.counts = np.bincount(owners, minlength=label_count)
        """The number of images of each label."""


def _shadow_of(behind: _Layer, front: _Layer, has_shadow: Mask) -> _Layer:
    """Return the images for the shadows of labels. The shadow of a label with an outline has the
    shape of the outline. Otherwise it has the shape of the letters.
    """
    count = len(has_shadow)
    if not has_shadow.any():
        nothing = np.empty(0, np.intp)
        return _Layer(nothing, nothing.astype(np.int32), nothing, count)
    is_outlined = behind.counts > 0
    counts = np.where(has_shadow, np.where(is_outlined, behind.counts, front.counts), 0)
    first_outline = behind.counts.cumsum() - behind.counts
    first_letter = len(behind.letters) + front.counts.cumsum() - front.counts
    source = ranges(np.where(is_outlined, first_outline, first_letter), counts)
    letters = np.concatenate([behind.letters, front.letters])[source]
    images = np.concatenate([behind.images, front.images])[source]
    return _Layer(letters, images, np.repeat(np.arange(count), counts), count)


def _faded(color: Color, label_color: Color) -> Color:
    """Return ``color`` with its alpha multiplied by the alpha of the label."""
    return *color[:3], (color[3] if len(color) > 3 else 1.0) * label_color[3]


def ranges(start: Rows, counts: Rows) -> Rows:
    """Return the indices in several ranges, one range after the other. ``start`` contains the first
    index of each range, and ``counts`` the length of each range.
    """
    indices: Rows = np.arange(int(counts.sum())) + np.repeat(
        start - np.cumsum(counts) + counts, counts
    )
    return indices


def _broken(codes: Rows, pens: Doubles, starts: Rows, ends: Rows, limits: Doubles) -> _Lines:
    """Split labels into lines that are at most ``limits`` pixels wide. The lines are the same as
    those of `wrapped_ascii`.

    ``pens`` contains the exact position of each letter, in ascending order. ``starts`` contains the
    index of each label's first letter. ``ends`` contains the index after each label's last letter.
    """
    base = pens[starts]
    too_long: Mask = pens[ends] - base > limits
    if not too_long.any():
        return _Lines(np.arange(len(starts)), starts, ends)
    fitting = np.flatnonzero(~too_long)
    lines = [_Lines(fitting, starts[fitting], ends[fitting])]
    indices = np.arange(len(codes))
    is_space: Mask = codes == _SPACE
    next_letter = np.minimum.accumulate(np.where(is_space, len(codes), indices)[::-1])[::-1]
    after_letter = np.maximum.accumulate(np.where(is_space, 0, indices + 1))
    may_break = np.zeros(len(codes), bool)
    may_break[1:] = (is_space[:-1] | (codes[:-1] == _HYPHEN)) & ~is_space[1:] & (codes[1:] != 0)
    last_break = np.maximum.accumulate(np.where(may_break, indices, 0))
    active = np.flatnonzero(too_long)
    start = starts[active]
    # Each round finds the next line of each label. The variables have the same names as in
    # `wrapped_ascii`.
    while len(active) >= _MIN_WRAPPED:
        origin = base[active]
        reach = np.floor(pens[start] - origin + limits[active]) + origin
        end = ends[active]
        index = np.clip(np.searchsorted(pens, reach, side="right") - 1, start + 1, end)
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
        end_of_label = int(ends[label])
        text = codes[begin:end_of_label].astype(np.uint8).tobytes().decode("ascii")
        label_pens: list[float] = (pens[begin : end_of_label + 1] - base[label]).tolist()
        spans = wrapped_ascii(text, label_pens, float(limits[label]), first - begin)
        edges = np.array(spans, np.intp) + begin
        lines.append(_Lines(np.full(len(edges), label), edges[:, 0], edges[:, 1]))
    owner, line_start, line_stop = (np.concatenate(parts) for parts in zip(*lines, strict=True))
    order = owner.argsort(kind="stable")
    return _Lines(owner[order], line_start[order], line_stop[order])
