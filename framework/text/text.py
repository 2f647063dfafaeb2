"""Labels in 2D games. Each letter is a sprite, so a single draw call draws many labels.

A label that does not change costs no time in ticks or frames.
"""

from __future__ import annotations

__all__ = ["Label", "TextBatch"]

import math
import warnings
from collections.abc import Callable, Iterable, Sequence, Set
from functools import lru_cache
from itertools import chain
from operator import is_
from typing import Any, NamedTuple, Self, TypedDict, TypeVar, Unpack

import numpy as np

from ..arrays import Doubles, Floats, Mask, Reals, Rows
from ..checks import Sealed, Setting, choice, flag, number, pair, respelled, whole, wrong_value
from ..checks import color as rgba
from ..current_game import current_game
from ..gpu.graphics import Graphics
from ..motion.camera_base import MAX_MAGNITUDE
from ..moved_names import OPTIONS, HasMoved, check_options, moved, renamed_options
from ..other_engines.other_options import made_by, other_options
from ..other_engines.text_names import label_names, text_batch_names
from ..plane.sprites import SpriteBatch
from ..resources import is_among
from ..state.backend import Frontend, Placement, end_backend, new_backend
from ..state.columns import Table, TableColumn
from ..state.rows import table_of
from ..state.transforms2d import PoseTable2D
from .fonts import Carets, FontFace, FontName, LayoutOptions, Letters, font_names
from .glyph_images import GlyphImages
from .markup import Color, StyledText, letter_count, runs
from .typesetting import (
    Block,
    LabelStyle,
    Painted,
    Slot,
    Slots,
    Typesetter,
    Written,
    ranges,
    slots_of,
)

T = TypeVar("T")

_set = object.__setattr__

_ACROSS = {"left": 0.0, "center": 0.5, "right": 1.0}
_UP = {"bottom": 0.0, "center": 0.5, "top": 1.0, "baseline": math.nan}

_ANOTHER_FONT = "self.add(fw.TextBatch(['its file.ttf', 'another.ttf']), camera=self.hud)."

# The number is limited, because each letter is a sprite. A longer text would not fit on a screen
# anyway.
_MAX_LETTERS = 100_000

# Styled labels with at most `_MAX_TOGETHER` letters wait, so that the writer can lay them out
# together. If all waiting labels together have fewer than `_MIN_TOGETHER` letters, it is faster to
# lay out each label alone.
_MAX_TOGETHER = 512
_MIN_TOGETHER = 96
_MAX_PARSED = 1024  # the maximum number of cached texts with tags

# The writer removes unused rows if there are more than `_MIN_SPARE`, and more than a quarter of all
# rows.
_MIN_SPARE = 256

# If labels grow, the writer adds spare rows: `_MIN_FREE`, or a sixteenth of all rows if that is
# more.
_MIN_FREE = 64


_RENAMED = {"size": "font_size", "shown": "visible_characters"}
OPTIONS |= {f"TextBatch.{method}": _RENAMED for method in ("add", "measure")}


class LabelOptions(TypedDict, total=False):
    """The keyword options of `TextBatch.add`. `Label` explains each option."""

    color: str | Sequence[float]
    alpha: float | None
    visible: bool
    font_size: float | None
    angle: float
    scale: float
    width: float | None
    align: str
    line_spacing: float
    outline: str | Sequence[float] | None
    outline_width: float
    shadow: str | Sequence[float] | None
    shadow_offset: tuple[float, float]
    markup: bool
    visible_characters: int | None


class MeasureOptions(LabelOptions, total=False):
    """The keyword options of `TextBatch.measure`. `Label` explains each option."""

    position: tuple[float, float]
    anchor: tuple[str, str] | str


@moved("batch", {"size": "font_size"})
@text_batch_names
class TextBatch(Frontend, HasMoved, Sealed):
    """A batch of labels. A single draw call draws all labels, at any font size.

    Parameters
    ----------
    font
        A TrueType or OpenType file, the name of a system font, or a list of them. Each letter is
        drawn with the first font that contains the letter. The default font is DejaVu Sans, which
        contains Latin, Greek and Cyrillic letters. Letters that your own fonts do not contain are
        drawn with DejaVu Sans. If no font contains a letter, a box is drawn instead, and the batch
        issues one `RuntimeWarning`.
    font_size
        The height of letters (the em of the font) in units. Labels without their own ``font_size``
        use the font size of the batch. Default: 20.
    zoom
        The minimum resolution of glyph images: the number of image pixels per window pixel, along
        each side. Default: 1. When a camera enlarges the text, the glyphs are drawn again with 2,
        4, … 16 times as many pixels along each side. When letters are small on the screen, the GPU
        draws smaller copies of their images (mipmaps).
    """

    __slots__ = (
        "_font_size",
        "_fonts",
        "_growth",
        "_labels",
        "_may_grow",
        "_writer",
        "_zoom",
    )

    _transient_attributes = ("_growth", "_may_grow")
    # The contents of the writer depend only on the labels and on the pixels of this window.
    _not_hashed = ("_writer",)
    # The HUD is drawn above batches that are added later, such as the sprites of a level.
    _placement = Placement(layer_on_hud=1)
    _backend_in = "framework.text.text_drawing"

    @renamed_options("TextBatch", size="font_size")
    def __init__(
        self,
        font: FontName | Sequence[FontName] | None = None,
        font_size: float = 20,
        *,
        zoom: float = 1,
    ) -> None:
        self._backend = None
        self._fonts = font_names(font)
        self._font_size = _checked_size("font_size", font_size)
        self._zoom = number("zoom", zoom, least=1, most=16)
        self._may_grow = False
        # How many ticks had run when the number of labels last was a power of two.
        self._growth = -1
        self._labels: list[Label] = []
        self._writer = LabelWriter(self._fonts, self._font_size, self._zoom, self._labels)

    @other_options(_="write self.labels.add('Score 0', (16, 16))")
    def add(
        self,
        text: object,
        position: tuple[float, float] = (0.0, 0.0),
        *,
        anchor: tuple[str, str] | str = ("left", "bottom"),
        **options: Unpack[LabelOptions],
    ) -> Label:
        """Add a label at ``position``, and return the label. The label is drawn on top of all
        labels that were added earlier.

        For the meaning of ``anchor`` and ``options``, see `Label`. A line end in ``text`` starts a
        new line. Other control characters, except tabs, are ignored.

        Raises
        ------
        AssetError
            The font is broken.
        ValueError
            The text has more than 100,000 letters.
        """
        try:
            label = Label(self, text, position, anchor=anchor, **options)
        except TypeError:
            check_options("TextBatch.add", options)
            raise
        self._labels.append(label)
        count = len(self._labels)
        if count >= 64 and not count & (count - 1):  # if `count` is 64, 128, 256, …
            self._check_growth(count)
        return label

    def _check_growth(self, count: int) -> None:
        """Warn once if the game adds labels in almost every tick. Called each time the number of
        labels in the batch has doubled. ``count`` is the number of labels.
        """
        game = current_game()
        if game is None or self.may_grow:
            return
        before = self._growth
        self._growth = game.ticks_run
        ticks = game.ticks_run - before
        if before >= 0 and max(32, count // 16) <= ticks <= count:
            self._growth = -1
            self._may_grow = True
            warnings.warn(
                f"labels: {count} labels, because labels are added in every tick and never removed; "
                "add a label once, in setup, and set label.text in update. If the labels are meant, "
                "set labels.may_grow = True",
                RuntimeWarning,
                stacklevel=3,
            )

    may_grow = Setting(
        flag,
        "Whether labels may be added in every tick without a warning. Default: False.",
    )

    def measure(self, text: object, **options: Unpack[MeasureOptions]) -> tuple[float, float]:
        """Return the width and height that a label with this text would have, in units.

        If the batch is not in a game yet, one unit is one pixel.
        """
        check_options("TextBatch.measure", options)
        label = Label(self, text, **options)
        size = label.size
        label._leave()
        return size

    def remove(self, label: Label) -> None:
        """Remove a label from the batch. Raises `ValueError` if the label is not in this batch."""
        if not isinstance(label, Label) or label not in self._labels:
            raise ValueError("label: expected a label of this batch")
        self._labels.remove(label)
        label._leave()
        self._writer.close_up()

    def __len__(self) -> int:
        """The number of labels in the batch."""
        return len(self._labels)

    @property
    def font_size(self) -> float:
        """The height of letters in units. Labels without their own ``font_size`` use the font size
        of the batch.
        """
        return self._font_size

    @property
    def _table(self) -> PoseTable2D:
        """The table with one sprite row per letter."""
        return self._writer.table

    def _parts(self) -> LabelWriter:
        return self._writer


class LabelWriter:
    """Writes the letters of a batch's labels into the rows of a sprite batch. Each letter is one
    sprite.

    Before each tick and each draw, the letters of all changed labels are written together.
    """

    not_state = (
        *("_last_slots", "_pictures", "_said", "_typesetter", "attached", "faces", "graphics"),
        "table",
    )

    def __init__(
        self, fonts: Sequence[FontName], size: float, zoom: float, labels: list[Label]
    ) -> None:
        self._fonts = fonts
        self._size = size
        self.zoom = zoom
        self._labels = labels
        self.attached = False
        """Whether the batch is in a game. Only then can letters be drawn."""
        self.graphics: Graphics | None = None
        self.faces: dict[tuple[float, bool], FontFace] = {}
        """The fonts, by pairs of the font size in units and a bool for bold."""
        self._typesetter = Typesetter()
        self._said = False
        self.sprites = SpriteBatch(smooth_edges=False)
        self.table = table_of(self.sprites)
        offset = TableColumn("offset", 2, 0.0, interpolated=False)
        rank = TableColumn("rank", 1, 0, dtype=np.int32, interpolated=False)
        self.table.add_columns(offset, rank, drawn=False)
        self._pictures = GlyphImages(self.sprites)
        # The era of the image indices in the rows. After a snapshot was restored, it may be older
        # than `_pictures.era`.
        self._era = 0
        self._last_slots: tuple[list[Slot], Slots] = [], slots_of([])
        self.dirty: list[Label] = []
        """Labels that have changed since their letters were written to the rows."""
        self._spare = 0
        self._free = slice(0, 0)  # rows that no label uses yet
        self._has_new_rows = False
        """Whether labels have received new rows since the last `flush` started."""
        self._check_order = False
        """Whether the order of the rows may differ from the order of the labels."""

    def face_at(self, size: float, bold: bool = False) -> FontFace:
        """Return the font with the font size ``size``. ``size`` is in units.

        Raises `AssetError` if the font file is missing or broken.
        """
        face = self.faces.get((size, bold))
        if face is None:
            graphics = self.graphics or Graphics(None, drawing=False)  # type: ignore[arg-type]  # only measured with
            face = FontFace(self._fonts, size, graphics, self._pictures, self.zoom, bold)
            if self._pictures.density > 1:
                face.draw_finer(self._pictures.density)
            self.faces[size, bold] = face
        return face

    def complain(self, face: FontFace) -> None:
        """Warn once about letters that no font contains."""
        if not self._said and face.missing:
            self._said = True
            face.complain("", _ANOTHER_FONT)

    def mark(self, label: Label) -> None:
        """Mark a label as changed, so that its letters are written before the next draw."""
        self.dirty.append(label)

    def begin(self, graphics: Graphics) -> None:
        """Called when the batch is added to a game. Create the fonts and an atlas for glyph images.
        The letters of the labels are written later, before the first draw.
        """
        # Begin a new era, because the rows in older snapshots do not contain the indices of the new
        # images.
        pictures = GlyphImages(self.sprites, self._pictures.era + 1)
        face = FontFace(self._fonts, self._size, graphics, pictures, self.zoom, False)
        # Remove letters of an earlier game, which may have had another pixel ratio.
        self.sprites.clear()
        self._pictures.clear_images()
        new_backend(self.sprites, graphics)
        self._pictures = pictures
        self._era = pictures.era
        self._typesetter = Typesetter()
        self.graphics = graphics
        self.faces = {(self._size, False): face}
        self._said = False
        self.attached = True
        self.dirty.clear()
        self._spare = 0
        self._free = slice(0, 0)
        try:
            for label in self._labels:
                label._begin()
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Called when the batch is removed from its game."""
        self.graphics = None
        self.attached = False
        end_backend(self.sprites, drawing=True)

    def look(self, pixels_per_unit: float) -> None:
        """Set the resolution of the glyph images. ``pixels_per_unit`` is the number of screen
        pixels per unit, as seen through this frame's camera.
        """
        graphics = self.graphics
        if graphics is not None and not graphics.pixel_art:
            self._pictures.look(pixels_per_unit / (graphics.pixel_ratio * self.zoom))

    def end_tick(self) -> None:
        """If no camera has enlarged the text for 60 ticks, draw the letters again with fewer
        pixels.
        """
        self._pictures.end_tick()

    def renew(self, files: Set[str]) -> bool:
        """If ``files`` contains a font of this batch, lay out all labels again. ``files`` contains
        the paths of the changed files.
        """
        graphics = self.graphics
        if graphics is None or not any(
            is_among(font, files, graphics.folders) for font in self._fonts
        ):
            return False
        old_faces = self.faces
        self.faces = {}
        self._typesetter = Typesetter()
        try:
            for label in self._labels:
                label._lay_out()
        except BaseException:
            self.faces = old_faces
            self._typesetter = Typesetter()
            for label in self._labels:
                label._lay_out()
            raise
        self._pictures.start_over()
        return True

    def flush(self) -> None:
        """Write the letters of all labels that have changed."""
        if not self.dirty and self._era == self._pictures.era:
            return
        self._release_old_images()
        labels = [label for label in dict.fromkeys(self.dirty) if label._batch is not None]
        waiting = [label for label in labels if label._letters == ()]
        plain = [label for label in waiting if label._is_short_line()]
        if len(plain) < len(waiting):
            self._write_together([label for label in waiting if not label._is_short_line()])
        self.dirty = []
        styled = [label for label in labels if label._letters]
        if plain:
            self._write_plain(plain)
        if styled:
            self._write_laid_out(styled)
        if self._check_order:
            self._restore_order()

    def _write_plain(self, labels: Sequence[Label]) -> None:
        """Lay out labels that each have a single line without styles, and write their letters."""
        slots = self._slots_of(labels)
        written = self._typeset(labels, slots)
        for label in labels:
            _set(label, "_letters", None)
            if label._painted:
                label._paint([])
        self._write(labels, slots, written)

    def _write_laid_out(self, labels: Sequence[Label]) -> None:
        """Write the letters of labels that are laid out already."""
        letters = [label._take_letters() for label in labels]
        self._write(labels, self._slots_of(labels), _joined(letters))
        for label, each in zip(labels, letters, strict=True):
            label._paint(each.colors)

    def _write_together(self, labels: Sequence[Label]) -> None:
        """Lay out several styled labels together, and write their letters. If laying out each label
        separately is faster, do that instead.
        """
        painted = None
        if sum(len(label._text) for label in labels) >= _MIN_TOGETHER:
            slots = self._slots_of(labels)
            texts = [label._parts(label._text) for label in labels]
            styles = [label._style or label._new_style() for label in labels]
            painted = self._typesetter.set_styled(texts, styles, slots.anchor, self.face_at)
        if painted is None:
            for label in labels:
                label._lay_out()
            return
        for label in labels:
            _set(label, "_letters", None)
        self._has_new_rows = False
        rows = self._write(labels, slots, painted.written)
        self._paint(labels, rows, painted)

    def _paint(self, labels: Sequence[Label], rows: Rows, painted: Painted) -> None:
        """Write the colors of the letters of ``labels`` into their rows."""
        _, colors, has_colors = painted
        for label, tinted in zip(labels, has_colors.tolist(), strict=True):
            if label._painted != tinted:
                if label._painted:
                    label._paint([])
                _set(label, "_painted", tinted)
        table = self.table
        color = table.column("color")
        changed = _differing(color.current(table.count).take(rows, axis=0), colors)
        if len(changed):
            color.values(table.count)[rows[changed]] = colors[changed]

    def _restore_order(self) -> None:
        """Sort the rows into the order of the labels. A label is drawn on top of all labels that
        were added earlier.

        Called after a label has needed more rows, because new rows are at the end of the table.
        """
        self._check_order = False
        labels = [label for label in self._labels if label._rows.stop > label._rows.start]
        starts = [label._rows.start for label in labels]
        if starts == sorted(starts):
            return
        ranges = [label._rows for label in labels] + [self._free]
        self.table.keep(np.concatenate([np.arange(rows.start, rows.stop) for rows in ranges]))
        start = 0
        for label in labels:
            rows = label._rows
            label._rows = slice(start, start + rows.stop - rows.start)
            label._slot = None
            start = label._rows.stop
        self._spare = 0
        self._free = slice(start, self.table.count)

    def _slots_of(self, labels: Sequence[Label]) -> Slots:
        """Return the slots of ``labels``. Often, the same labels change in each tick, and their
        slots stay the same, so the last result is cached.
        """
        slots = [label._slot or _new_slot(label) for label in labels]
        last_slots, result = self._last_slots
        # compare identities, because equal slots may contain 0.0 and -0.0
        if len(slots) != len(last_slots) or not all(map(is_, slots, last_slots)):
            result = slots_of(slots)
            self._last_slots = slots, result
        return result

    def _typeset(self, labels: Sequence[Label], slots: Slots) -> Written:
        faces = self._typesetter.numbers([label._font_size for label in labels], self.face_at)
        return self._typesetter.set([label._text for label in labels], faces, slots.anchor)

    def _write(self, labels: Sequence[Label], slots: Slots, written: Written) -> Rows:
        """Write letters into the rows of their labels. Return the row of each letter."""
        images, offsets, ranks, owners, counts = written
        if (counts > slots.capacity).any():
            full = np.flatnonzero(counts > slots.capacity)
            self._make_room([labels[index] for index in full.tolist()], counts[full])
            slots = self._slots_of(labels)
        self._set_counts(labels, slots, counts)
        rows = ranges(slots.start, counts)
        if not len(rows):
            return rows
        table = self.table
        n = table.count
        previous = _previous_poses(table, slots) if table.tick.running else None
        _put_pairs(table.column("offset").values(n), rows, offsets)
        table.column("rank").values(n)[rows] = ranks
        table.column("image").put_rows(rows, images)
        table.column("visible").put_rows(rows, ranks < slots.visible_characters[owners])
        position = table.column("position")
        angle = slots.angle[owners] if slots.angle.any() else 0.0
        origin = slots.position.take(owners, axis=0)
        positions = _letter_positions(offsets, origin, angle, slots.scale[owners])
        positions = positions.astype(np.float32)
        moved = _differing(position.current(n).take(rows, axis=0), positions)
        if len(moved):
            position.put_rows(rows[moved], positions[moved])
        if previous is None:
            table.mark_teleported(rows)
            return rows
        self._put_previous_positions(rows, offsets, owners, previous)
        return rows

    def _put_previous_positions(
        self, rows: Rows, offsets: Doubles, owners: Rows, previous: _PreviousPoses
    ) -> None:
        """Compute the previous positions of new letters from the label's previous pose, so that frames
        can interpolate new letters too.
        """
        displaced = previous.displaced[owners]
        origins = _letter_positions(
            offsets, previous.position[owners], previous.angle[owners], previous.scale[owners]
        )
        position = self.table.column("position")
        position.put_previous(rows[displaced], origins[displaced].astype(np.float32))
        self.table.mark_teleported(rows[~displaced])

    def _set_counts(self, labels: Sequence[Label], slots: Slots, counts: Rows) -> None:
        """Store the new number of letters of each label, and hide the rows of former letters."""
        old_counts = slots.letter_count
        differs: Mask = old_counts != counts
        changed = np.flatnonzero(differs)
        for index in changed.tolist():
            labels[index]._set_count(int(counts[index]))
        fewer = changed[old_counts[changed] > counts[changed]]
        if len(fewer):
            hidden = ranges(slots.start[fewer] + counts[fewer], (old_counts - counts)[fewer])
            self.table.column("visible").put_rows(hidden, False)

    def _release_old_images(self) -> None:
        """If the glyph images use much memory and most of them are no longer visible, release all
        images.

        If the rows have image indices of an earlier era, draw the images of all labels again.
        """
        pictures = self._pictures
        if pictures.crowded:
            image_columns = [self.table.column("image").current(self.table.count)]
            waiting = [label._letters for label in self.dirty if label._letters]
            image_columns += [
                np.array(letters.images + letters.outlines, np.int32) for letters in waiting
            ]
            pictures.make_room(np.concatenate(image_columns))
        if self._era != pictures.era:
            self._draw_images_again()

    def _draw_images_again(self) -> None:
        """Lay out all labels again, and write the indices of the new images into the rows."""
        self.faces.clear()
        self._typesetter = Typesetter()
        dirty = set(map(id, self.dirty))
        written_labels = [label for label in self._labels if id(label) not in dirty]
        plain = [label for label in written_labels if label._is_plain_line()]
        styled = [label for label in written_labels if not label._is_plain_line()]
        for label in [*styled, *self.dirty]:
            if label._letters != () and label._batch is not None:
                label._lay_out()
        self._era = self._pictures.era
        self.table.column("image").values(self.table.count)[:] = 0
        self._pictures.begin()
        if plain:
            slots = self._slots_of(plain)
            self._exchange(plain, slots, self._typeset(plain, slots))
        if styled:
            letters = [label._take_letters() for label in styled]
            self._exchange(styled, self._slots_of(styled), _joined(letters))
        self.dirty = [label for label in self.dirty if label._letters is not None]

    def _exchange(self, labels: Sequence[Label], slots: Slots, written: Written) -> None:
        """Replace the images of letters that are already in rows. The letters stay at their
        positions.
        """
        table = self.table
        same: Mask = slots.letter_count == written.counts
        # The number of images has changed, because some letters are too small to be drawn.
        for index in np.flatnonzero(~same).tolist():
            labels[index]._lay_out()
        chosen = same[written.owners]
        rows = ranges(slots.start, written.counts)[chosen]
        table.column("image").values(table.count)[rows] = written.images[chosen]
        scale = table.column("scale")
        scales = np.array([label._texel_scale() for label in labels], np.float32)
        rows = ranges(slots.start, slots.capacity)
        scales = np.repeat(scales, slots.capacity)
        resized: Mask = scale.current(table.count)[rows, 0] != scales
        if resized.any():
            scale.values(table.count)[rows[resized]] = scales[resized, None]
            scale.snap(rows[resized])

    def _make_room(self, labels: Sequence[Label], counts: Rows) -> None:
        """Give new rows to ``labels``, and release the old rows of these labels. ``counts``
        contains the number of letters of each label.

        A label that already has rows needs new ones because it now has more letters. It gets 50 %
        more rows than it needs.
        """
        self.give_up(labels)
        grew = np.array([label._rows.stop > 0 for label in labels])
        # Labels without styles receive new rows first, so the order of the rows may differ.
        self._check_order = self._check_order or self._has_new_rows or bool(grew.any())
        self._has_new_rows = True
        capacities = counts + np.where(grew, counts // 2, 0)
        total = int(capacities.sum())
        start = self._free_rows(total, bool(grew.any()))
        stops = start + np.cumsum(capacities)
        first_rows: list[int] = (stops - capacities).tolist()
        end_rows: list[int] = stops.tolist()
        for label, first, stop in zip(labels, first_rows, end_rows, strict=True):
            label._rows = slice(first, stop)
            label._set_count(0)
        self._put_poses(labels, np.arange(start, start + total), capacities)

    def _put_poses(self, labels: Sequence[Label], rows: Rows, capacities: Rows) -> None:
        """Write the angle, the scale and the color of each label into its new rows. ``rows`` contains
        the rows of all labels, and ``capacities`` the number of rows of each label.
        """
        table = self.table
        poses = [(label._angle, label._texel_scale(), *label._color) for label in labels]
        pose = np.repeat(np.array(poses, np.float32), capacities, axis=0)
        for name, values in (
            ("angle", pose[:, 0]),
            ("scale", pose[:, [1, 1]]),
            ("color", pose[:, 2:]),
        ):
            if (table.column(name).current(table.count)[rows] != values).any():
                table.column(name).put_rows(rows, values)

    def _free_rows(self, count: int, grow: bool) -> int:
        """Find ``count`` consecutive free rows, and return the index of the first. If there are too
        few, add rows. With ``grow=True``, add more rows than necessary. This saves time later,
        because adding even a single row copies all rows.
        """
        start = self._free.start
        free = self._free.stop - self._free.start
        if count > free:
            added = count + (max(_MIN_FREE, self.table.count // 16) if grow else 0)
            rows = self.sprites.extend(
                added, np.zeros(added, np.int32), visible=np.zeros(added, bool)
            )
            self._spare += free
            start = rows.start
            self._free = rows
        self._free = slice(start + count, self._free.stop)
        return start

    def give_up(self, labels: Sequence[Label]) -> None:
        """Hide the rows of ``labels``, and mark them as unused, so that other labels can get
        them.
        """
        rows = [np.arange(label._rows.start, label._rows.stop) for label in labels]
        released = np.concatenate(rows) if rows else np.empty(0, np.intp)
        if len(released):
            self.table.column("visible").put_rows(released, False)
            self._spare += len(released)

    def close_up(self) -> None:
        """If the table has too many unused rows, remove them."""
        if not (self._spare > _MIN_SPARE and 4 * self._spare > self.table.count):
            return
        labels_with_rows = [label for label in self._labels if label._rows.stop]
        is_used = np.zeros(self.table.count, bool)
        for label in labels_with_rows:
            is_used[label._rows] = True
        index_before = np.concatenate([[0], np.cumsum(is_used)])
        self.sprites.remove(~is_used)
        for label in labels_with_rows:
            label._rows = slice(
                int(index_before[label._rows.start]), int(index_before[label._rows.stop])
            )
            label._slot = None
        self._spare = 0
        self._free = slice(0, 0)


def _put_pairs(values: Floats, rows: Rows, pairs: Doubles) -> None:
    """Write ``pairs``, an array of the shape (n, 2), into ``rows`` of the array ``values``."""
    # NumPy takes ten times as long to write rows of two numbers as to write complex numbers.
    values.view(np.complex64)[rows, 0] = pairs.astype(np.float32).view(np.complex64)[:, 0]


def _differing(first: Reals, second: Reals) -> Rows:
    """Return the indices of the rows in which ``first`` and ``second`` differ. Each array must have
    two or four columns.
    """
    differs: Mask = first != second
    # Read each row as one integer, because `any(axis=1)` takes ten times as long.
    return differs.view(np.uint16 if differs.shape[1] == 2 else np.uint32)[:, 0].nonzero()[0]


def _new_slot(label: Label) -> Slot:
    """Return the `Slot` of a label. A `Slot` contains a label's rows and the attributes that its
    layout depends on.

    When the label changes, its `Slot` is no longer valid.
    """
    rows = label._rows
    x, y = label._position
    across, up = label._anchor
    slot = label._slot = Slot(
        rows.start,
        rows.stop - rows.start,
        label._count,
        x,
        y,
        label._angle,
        label._scale,
        label._last_shown(),
        _ACROSS[across],
        _UP[up],
    )
    return slot


def _corner(
    face: FontFace, size: tuple[float, float], anchor: tuple[str, str] | str
) -> tuple[float, float]:
    """Return the bottom left corner of a label's text, relative to the position of the label."""
    if anchor == ("left", "bottom"):
        return 0.0, 0.0
    # Only this corner is rounded to whole pixels, because the distances between letters are whole
    # pixels already.
    across = _ACROSS[anchor[0]]
    up = _UP[anchor[1]]
    low = size[1] - face.ascent if math.isnan(up) else size[1] * up
    return face.snap(-size[0] * across), face.snap(-low)


def _joined(parts: Sequence[Letters]) -> Written:
    """Combine the letters of several labels into one `Written`."""
    images, positions, ranks = (
        list(chain.from_iterable(part)) for part in list(zip(*parts, strict=True))[:3]
    )
    counts = np.array([len(letters.images) for letters in parts], np.intp)
    offsets = np.array(positions, np.float64).reshape(-1, 2)
    owners = np.repeat(np.arange(len(parts)), counts)
    return Written(np.array(images, np.int32), offsets, np.array(ranks, np.int32), owners, counts)


def _letter_positions(
    offset: Doubles,
    position: Doubles | Floats | tuple[float, float] | float,
    angle: Doubles | float,
    scale: Doubles | float,
) -> Doubles:
    """Return the positions of letters, as an array of the shape (n, 2). Each letter's offset is
    scaled, rotated and added to the position of its label.
    """
    positions: Doubles = np.empty(offset.shape)
    x = offset[:, 0] * scale
    y = offset[:, 1] * scale
    if np.count_nonzero(angle):
        cos = np.cos(angle)
        sin = np.sin(angle)
        x, y = x * cos - y * sin, x * sin + y * cos
    positions[:, 0] = x
    positions[:, 1] = y
    positions += position
    return positions


class _PreviousPoses(NamedTuple):
    """The positions, angles and scales of n labels at the start of the tick."""

    displaced: Mask
    """Whether each label has moved, turned or changed its scale."""
    position: Doubles
    angle: Doubles
    scale: Doubles


def _previous_poses(table: Table, slots: Slots) -> _PreviousPoses | None:
    """Return the positions, angles and scales that labels had at the start of the tick. They are
    computed from the first letter of each label. If no label has moved, return None.
    """
    lettered = slots.letter_count > 0
    if not lettered.any():
        return None
    n = table.count
    first = np.where(lettered, slots.start, 0)
    offset = table.column("offset").current(n).take(first, axis=0).astype("f8")
    position = table.column("position").previous(n).take(first, axis=0)
    angle = table.column("angle").previous(n)[first]
    old_scale: Floats = table.column("scale").previous(n)[first, 0]
    new_scale: Floats = table.column("scale").current(n)[first, 0]
    current = _letter_positions(offset, slots.position, slots.angle, slots.scale)
    displaced: Mask = (current.astype(np.float32) != position).any(axis=1)
    displaced |= (angle != slots.angle.astype(np.float32)) | (old_scale != new_scale)
    displaced &= lettered
    if not displaced.any():
        return None
    scale = slots.scale * np.where(displaced, old_scale / np.where(new_scale == 0, 1, new_scale), 1)
    angle = angle.astype("f8")
    return _PreviousPoses(
        displaced, position - _letter_positions(offset, 0.0, angle, scale), angle, scale
    )


def _checked_text(value: object) -> str:
    text = str(value)
    if len(text) > _MAX_LETTERS:
        raise ValueError(
            f"text: a label has at most {_MAX_LETTERS:,} letters, got {len(text):,}; "
            "show a part of it"
        )
    return text


@lru_cache(maxsize=_MAX_PARSED)
def _parsed(text: str) -> tuple[StyledText, ...]:
    """Return the parts of a text with tags, each in a single style. The result is cached. Do not
    call `_parsed` with long texts, because the cache would keep them.
    """
    return tuple(runs(text, True))


def _is_plain(text: str) -> bool:
    """Return whether a text consists of printable ASCII characters and contains no tags."""
    return text.isascii() and text.isprintable() and "[" not in text


def _finite_float(name: str, value: object) -> float:
    """Check an angle or a scale, and return it. It must be finite in float32."""
    return number(name, value, least=-MAX_MAGNITUDE, most=MAX_MAGNITUDE)


def _checked_width(name: str, value: object) -> float | None:
    return None if value is None else number(name, value, above=0)


def _checked_spacing(name: str, value: object) -> float:
    return number(name, value, least=0, most=100)


def _checked_visible_characters(name: str, value: object) -> int | None:
    return None if value is None else int(number(name, value, least=0))


# The words for an anchor. Widgets accept the same words.
_ANCHORS = {
    f"{up} {across}".replace("center ", "").replace(" center", ""): (across, up)
    for up in ("top", "center", "bottom")
    for across in ("left", "center", "right")
}


def _checked_anchor(name: str, value: Any) -> tuple[str, str]:
    if isinstance(value, str):  # the same words as for widgets, such as "top left"
        if value not in _ANCHORS:
            expected = (
                f"two words, such as ('center', 'top'), or one of {', '.join(map(repr, _ANCHORS))}"
            )
            error = wrong_value(name, expected, value)
            raise ValueError(f"{error}{respelled(value, _ANCHORS)}")
        return _ANCHORS[value]
    try:
        across, up = value
    except (TypeError, ValueError):
        raise wrong_value(name, "two words, such as ('center', 'top')", value) from None
    return choice(name, across, _ACROSS), choice(name, up, _UP)


def _checked_size(name: str, value: object) -> float:
    return number(name, value, least=1, most=2048)


def _checked_outline(name: str, value: object) -> float:
    return number(name, value, least=0, most=64)


def _checked_tint(name: str, value: object) -> tuple[float, ...] | None:
    return None if value is None else rgba(name, value)


def _word_of(words: Iterable[str]) -> Callable[[str, object], str]:
    return lambda name, value: choice(name, value, words)


class _Styled(Setting[T]):
    """A setting of a label that affects its layout.

    When the value changes, the label is laid out again.
    """

    def keep(self, label: Label, value: T) -> None:
        label._living()
        if value != self.read(label):
            label._lay_out(**{self.slot: value})


@moved(
    "label",
    {"letters": "character_count", "place_of": "caret_point"},
    settings={"shown": "visible_characters"},
)
@label_names
@made_by("write self.labels.add('Score 0', (16, 16))")
class Label(HasMoved, Sealed):
    """A text that a `TextBatch` draws. To create a label, call `TextBatch.add`.

    If the position, angle or scale changes in a tick, it is interpolated in the frames between two
    ticks. A new text appears immediately, without interpolation.

    Parameters
    ----------
    color
        Red, green, blue and alpha, sRGB from 0 to 1, or a string such as "#f80". The option
        ``alpha`` replaces the alpha of ``color``.
    anchor
        The point of the text that is drawn at ``position``: ("left" | "center" | "right", "bottom"
        | "center" | "top" | "baseline"). The anchor "baseline" is a point on the baseline of the
        first line.
    font_size
        The height of letters (the em of the font) in units. By default, the font size of the batch
        is used.
    angle, scale
        The rotation in radians (counter-clockwise), and the scale factor. When the text rotates or
        grows, its anchor stays at the same point.
    width
        The maximum width of a line in units. Longer lines are wrapped. By default, the width is not
        limited.
    align
        How lines of different widths are aligned: "left", "center" or "right".
    line_spacing
        The distance between lines, as a multiple of the font's line height.
    outline, outline_width
        The color of a line around each letter, and the width of this line in units. If ``outline``
        is None, the letters have no outline.
    shadow, shadow_offset
        The color of the shadow, and its displacement in units. The shadow is a copy of the text,
        drawn behind it. If ``shadow`` is None, letters have no shadow.
    markup
        Whether tags in the text change its style. For example, ``[#f80]gold[/]`` sets a color, and
        ``[b]bold[/]`` makes letters bold. To write ``[b]`` as text, write ``[[b]``.
    visible_characters
        The number of visible letters, at most ``label.character_count``. If ``visible_characters``
        is None, all letters are visible.
    """

    __slots__ = (
        "_align",
        "_anchor",
        "_angle",
        "_batch",
        "_box",
        "_color",
        "_count",
        "_font_size",
        "_letters",
        "_line_spacing",
        "_markup",
        "_origin",
        "_outline",
        "_outline_width",
        "_painted",
        "_position",
        "_rows",
        "_scale",
        "_shadow",
        "_shadow_offset",
        "_slot",
        "_style",
        "_text",
        "_total",
        "_visible",
        "_visible_characters",
        "_width",
    )

    width = _Styled(_checked_width, "The maximum width of a line in units. None: no line breaks.")
    align = _Styled(_word_of(_ACROSS), 'The alignment of short lines: "left", "center" or "right".')
    anchor = _Styled(
        _checked_anchor, 'The point of the text at ``position``, such as ("center", "top").'
    )
    font_size = _Styled(
        _checked_size, "The height of the letters in units. `size` is the size of the whole text."
    )
    line_spacing = _Styled(
        _checked_spacing,
        "The distance between lines, as a multiple of the font's line height. Default: 1.",
    )
    outline = _Styled(
        _checked_tint, "The color of the line around each letter, or None for no outline."
    )
    outline_width = _Styled(_checked_outline, "The width of the outline in units. Default: 2.")
    shadow = _Styled(
        _checked_tint, "The color of a copy of the text behind it, or None for no shadow."
    )
    shadow_offset = _Styled(pair, "The displacement of the shadow in units. Default: (2, -2).")
    markup = _Styled(
        flag, "Whether tags in the text can make letters colored or bold. Default: True."
    )

    _not_hashed = (
        "_box",
        "_letters",
        "_origin",
        "_painted",
        "_slot",
        "_style",
        "_total",
        "_rows",
        "_count",
    )

    @other_options(
        **dict.fromkeys(
            ("font", "font_name", "bold", "italic"),
            "a batch has one font: write self.add(fw.TextBatch('title.ttf'))",
        ),
        **dict.fromkeys(("x", "y"), "write self.labels.add('Score 0', (x, y))"),
        **dict.fromkeys(
            ("layer", "camera", "z"),
            "a batch has them: write self.add(fw.TextBatch(), layer=1).add('Score 0', (x, y))",
        ),
        **dict.fromkeys(("max_width", "wrap", "wrap_width", "multiline"), "write width=200"),
        **dict.fromkeys(
            ("background", "bg", "background_color"),
            "write shapes.add_box((x, y), (40, 20)) before the label is added",
        ),
        centered="write anchor='center'",
        **dict.fromkeys(("anchor_x", "anchor_y"), "write anchor=('center', 'center')"),
    )
    def __init__(
        self,
        batch: TextBatch,
        text: object,
        position: tuple[float, float] = (0.0, 0.0),
        *,
        color: str | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        alpha: float | None = None,
        anchor: tuple[str, str] | str = ("left", "bottom"),
        visible: bool = True,
        font_size: float | None = None,
        angle: float = 0.0,
        scale: float = 1.0,
        width: float | None = None,
        align: str = "left",
        line_spacing: float = 1.0,
        outline: str | Sequence[float] | None = None,
        outline_width: float = 2.0,
        shadow: str | Sequence[float] | None = None,
        shadow_offset: tuple[float, float] = (2.0, -2.0),
        markup: bool = True,
        visible_characters: int | None = None,
    ) -> None:
        self._anchor = _checked_anchor("anchor", anchor)
        self._batch: TextBatch | None = batch
        self._text = _checked_text(text)
        self._position = pair("position", position)
        self._color = rgba("color", color)
        if alpha is not None:
            self._color = *self._color[:3], number("alpha", alpha, least=0, most=1)
        self._visible = flag("visible", visible)
        self._font_size = (
            batch.font_size if font_size is None else _checked_size("font_size", font_size)
        )
        self._angle = _finite_float("angle", angle)
        self._scale = _finite_float("scale", scale)
        self._width = _checked_width("width", width)
        self._align = choice("align", align, _ACROSS)
        self._line_spacing = _checked_spacing("line_spacing", line_spacing)
        self._outline = _checked_tint("outline", outline)
        self._outline_width = _checked_outline("outline_width", outline_width)
        self._shadow = _checked_tint("shadow", shadow)
        self._shadow_offset = pair("shadow_offset", shadow_offset)
        self._markup = flag("markup", markup)
        self._visible_characters = _checked_visible_characters(
            "visible_characters", visible_characters
        )
        self._letters: Letters | tuple[()] | None = None
        """The laid-out letters that are not in the rows yet, or None if all letters are in the
        rows. The value is () while the label is waiting to be laid out together with other labels.
        """
        self._painted = False  # whether markup colors some letters
        # None for a line without styles that has not been measured yet.
        self._box: tuple[float, float] | None = (0.0, 0.0)
        self._origin = (0.0, 0.0)
        self._total = 0
        self._slot: Slot | None = None  # None until the writer needs the slot
        self._style: LabelStyle | None = None  # None until the writer needs the style
        self._rows = slice(0, 0)
        """The rows of the label in the batch. Letters use the first ``_count`` rows of the label.
        """
        self._count = 0
        if batch._writer.attached:
            self._begin()
        else:
            self._lay_out()

    def __repr__(self) -> str:
        return f"<Label {self._text!r}>"

    def _begin(self) -> None:
        """Lay out the label. Called when the batch of the label is added to a game.

        The label has no sprite rows yet.
        """
        self._rows = slice(0, 0)
        self._count = 0
        self._slot = None
        self._style = None
        self._lay_out()

    def _lay_out(self, **changes: Any) -> None:
        """Set the attributes in ``changes``, and lay out the text again.

        If this raises an error, no attribute changes.
        """
        writer = self._living()
        old_values = {name: getattr(self, name) for name in changes}
        for name, value in changes.items():
            _set(self, name, value)
        if not writer.attached:
            self._total = letter_count(runs(self._text, self._markup))
            self._box = (0.0, 0.0)
            return
        try:
            face = writer.face_at(self._font_size)
            if self._width is None and self._outline is None and _is_plain(self._text):
                letters = face.line(self._text)
            else:
                letters = face.lay_out(
                    runs(self._text, self._markup), self._shape(), self._bold_face
                )
        except BaseException:
            for name, value in old_values.items():
                _set(self, name, value)
            raise
        _set(self, "_letters", letters)
        _set(self, "_total", letters.total)
        _set(self, "_slot", None)
        _set(self, "_style", None)
        self._laid_out(face, letters.size)
        writer.mark(self)
        writer.complain(face)

    def _laid_out(self, face: FontFace, size: tuple[float, float]) -> None:
        """Store the size of the text, and the position of its bottom left corner relative to the
        label's position.
        """
        _set(self, "_box", size)
        _set(self, "_origin", _corner(face, size, self._anchor))

    def _measure(self) -> tuple[float, float]:
        """Return the width and height of the text in units.

        If the batch is not in a game yet, one unit is one pixel.
        """
        writer = None if self._batch is None else self._batch._writer
        if writer is not None and (self._box is None or not writer.attached):
            face = writer.face_at(self._font_size)
            if self._box is None and self._is_short_line():
                self._total = len(self._text)
                size = face.span(self._text), face.height
            else:
                parts = runs(self._text, self._markup)
                size, self._total = face.measured(parts, self._shape(), self._bold_face)
            self._laid_out(face, size)
        return self._box or (0.0, 0.0)

    def _bold_face(self) -> FontFace:
        return self._living().face_at(self._font_size, True)

    def _take_letters(self) -> Letters:
        """Return the letters that must be written into rows, and delete them from the label. The
        letters of the shadow come first, then the letters of the outline, then the letters of the
        text.
        """
        letters = self._letters
        assert letters
        _set(self, "_letters", None)
        return _composed(letters, self._origin, self._outline, self._shadow, self._shadow_offset)

    def _set_count(self, count: int) -> None:
        self._count = count
        self._slot = None

    def _is_plain_line(self) -> bool:
        """Return whether the label is one line in one style, without an outline or a shadow."""
        return (
            self._width is None
            and self._outline is None
            and self._shadow is None
            and _is_plain(self._text)
        )

    def _is_short_line(self) -> bool:
        """Return the same result as `_is_plain_line`, but faster. The text must consist of
        printable ASCII characters.
        """
        return (
            self._width is None
            and self._outline is None
            and self._shadow is None
            and ("[" not in self._text)
        )

    def _parts(self, text: str) -> Sequence[StyledText]:
        """Return the parts of a short text, each in a single style."""
        if self._markup and "[" in text:
            return _parsed(text)
        return (StyledText(text, None, False),)

    def _is_drawn(self, writer: LabelWriter, face: FontFace, text: str) -> bool:
        """Return whether ``text`` can be laid out later, together with other labels. The text must
        be short and consist of printable ASCII characters that already have images. Laying out such
        a text later cannot raise an error.
        """
        if len(text) > _MAX_TOGETHER:
            return False
        stroke = self._outline_width * face.ratio if self._outline else 0.0
        drawn = face.drawn_letters(stroke)
        if "[" not in text:
            return drawn.issuperset(text)
        bold_drawn: set[str] | None = None
        for letters, _, bold in self._parts(text):
            if not bold:
                if not drawn.issuperset(letters):
                    return False
                continue
            if bold_drawn is None:
                bold_face = writer.faces.get((self._font_size, True))
                if bold_face is None:
                    return False
                bold_drawn = bold_face.drawn_letters(stroke)
            if not bold_drawn.issuperset(letters):
                return False
        return True

    def _new_style(self) -> LabelStyle:
        """Return the colors and the layout options of the label as numbers."""
        shape = self._shape()
        ratio = self._living().face_at(self._font_size).ratio
        limit = math.inf if shape.width is None else shape.width * ratio
        shadow = self._shadow_offset if self._shadow else (math.nan, math.nan)
        block = Block(limit, shape.align, shape.spacing, shape.outline, *shadow)
        style = LabelStyle(self._font_size, self._color, self._outline, self._shadow, block)
        _set(self, "_style", style)
        return style

    def _last_shown(self) -> float:
        """Return the index of the first hidden letter. If no letter is hidden, return infinity."""
        visible_count = math.inf if self._visible_characters is None else self._visible_characters
        return visible_count if self._visible else 0

    def _texel_scale(self) -> float:
        """Return the scale of the sprites that show the letters."""
        face = self._living().face_at(self._font_size)
        return self._scale / (face.ratio * face.density)

    def _paint(self, colors: Sequence[tuple[float, ...] | None]) -> None:
        """Write the colors of the letters into the rows.

        If the color of a letter is None, it gets the label's color.
        """
        has_colors = any(colors)
        if has_colors or self._painted:
            table = self._living().table
            alpha = self._color[3]
            tinted = table.column("color").values(table.count)[self._rows]
            tinted[:] = self._color
            if has_colors:
                each = [
                    self._color if c is None else (*c[:3], (c[3] if len(c) > 3 else 1.0) * alpha)
                    for c in colors
                ]
                tinted[: len(each)] = each
            _set(self, "_painted", has_colors)

    def _move(self, turned: bool = False) -> None:
        """Write the position, angle and scale of each letter into its row."""
        writer = self._living()
        self._slot = None
        if not writer.attached:
            return
        table = writer.table
        n = writer.table.count
        if turned:
            table.column("angle").values(n)[self._rows] = self._angle
            table.column("scale").values(n)[self._rows] = self._texel_scale()
        if self._letters is None:  # otherwise `flush` writes the letters later
            rows = slice(self._rows.start, self._rows.start + self._count)
            offset = table.column("offset").current(n)[rows].astype("f8")
            table.column("position").values(n)[rows] = _letter_positions(
                offset, self._position, self._angle, self._scale
            )

    def _show(self) -> None:
        writer = self._living()
        self._slot = None
        if self._letters is None and writer.attached:
            table = writer.table
            rows = slice(self._rows.start, self._rows.start + self._count)
            is_visible = table.column("rank").current(table.count)[rows] < self._last_shown()
            table.column("visible").values(table.count)[rows] = is_visible

    @property
    def text(self) -> str:
        """The text of the label. You can assign any object: the label shows ``str(value)``."""
        return self._text

    @text.setter
    def text(self, value: object) -> None:
        text = value if value.__class__ is str else str(value)
        batch = self._batch
        if batch is None or text == self._text:
            self._living()
            return
        writer = batch._writer
        # This is a short path, because games set texts often. If all letters of the text have
        # images, the label waits, to be laid out together with other labels.
        face = None if writer.graphics is None else writer.faces.get((self._font_size, False))
        lined = self._width is None and self._outline is None and self._shadow is None
        if face is not None and (
            (lined and face.knows(text) and len(text) <= _MAX_LETTERS)
            or self._is_drawn(writer, face, text)
        ):
            _set(self, "_text", text)
            _set(self, "_box", None)
            if self._letters != ():
                _set(self, "_letters", ())
                writer.dirty.append(self)
        else:
            self._lay_out(_text=_checked_text(text))

    @property
    def character_count(self) -> int:
        """The number of letters in the text, including spaces and line ends. In Arabic and similar
        scripts, a word of joined letters counts as one letter.
        """
        if self._box is None and not self._is_short_line():
            return letter_count(runs(self._text, self._markup))
        return self._total if self._box is not None else len(self._text)

    @property
    def position(self) -> tuple[float, float]:
        """The position of the label's anchor in units. The y axis points up."""
        return self._position

    @position.setter
    def position(self, value: tuple[float, float]) -> None:
        self._living()
        self._position = pair("position", value)
        self._move()

    @property
    def x(self) -> float:
        """The x coordinate of the label's anchor, in units."""
        return self._position[0]

    @x.setter
    def x(self, value: float) -> None:
        self._living()
        self._position = number("x", value), self._position[1]
        self._move()

    @property
    def y(self) -> float:
        """The y coordinate of the label's anchor, in units. The y axis points up."""
        return self._position[1]

    @y.setter
    def y(self, value: float) -> None:
        self._living()
        self._position = self._position[0], number("y", value)
        self._move()

    @property
    def angle(self) -> float:
        """The rotation around the label's anchor in radians, counter-clockwise."""
        return self._angle

    @angle.setter
    def angle(self, value: float) -> None:
        self._living()
        self._angle = _finite_float("angle", value)
        self._move(turned=True)

    @property
    def scale(self) -> float:
        """The scale factor of the text. When the text grows, its anchor stays at the same point.
        Default: 1.
        """
        return self._scale

    @scale.setter
    def scale(self, value: float) -> None:
        self._living()
        self._scale = _finite_float("scale", value)
        self._move(turned=True)

    @property
    def color(self) -> tuple[float, ...]:
        """Red, green, blue and alpha, sRGB from 0 to 1.

        You can also set a color string such as "#f80".
        """
        return self._color

    @color.setter
    def color(self, value: str | Sequence[float]) -> None:
        writer = self._living()
        self._color = rgba("color", value)
        self._style = None
        if writer.attached:
            table = writer.table
            table.column("color").values(table.count)[self._rows] = self._color
            if self._outline or self._shadow or "[" in self._text or not self._text.isascii():
                self._lay_out()

    @property
    def alpha(self) -> float:
        """The alpha of the color, from 0 to 1."""
        return self._color[3]

    @alpha.setter
    def alpha(self, value: float) -> None:
        self.color = *self._color[:3], number("alpha", value, least=0, most=1)

    @property
    def visible(self) -> bool:
        """Whether the label is visible."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        self._living()
        self._visible = flag("visible", value)
        self._show()

    @property
    def visible_characters(self) -> int | None:
        """The number of visible letters, at most `character_count`.

        If the value is None, all letters are visible. To show the text letter by letter, increase
        the value gradually, for example with a tween. A number such as 2.5 is rounded down.
        """
        return self._visible_characters

    @visible_characters.setter
    def visible_characters(self, value: float | None) -> None:
        self._living()
        self._visible_characters = _checked_visible_characters("visible_characters", value)
        self._show()

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the text in units. This does not include the `scale` of the
        label.

        If the batch is not in a game yet, one unit is one pixel.
        """
        return self._measure()

    def caret_point(self, index: int) -> tuple[float, float]:
        """Return the lower end of the caret (text cursor) before the character ``index``, as (x,
        y).

        The point is in the same coordinates as ``position``. A text editor can draw its cursor at
        this point. In ``index``, a line end counts as one character. Tags and invisible characters
        are not counted. The caret after the last character of a wrapped line is at the start of the
        next line. Inside a word of joined letters, the caret positions are evenly spaced.
        """
        carets = self._carets()
        index = whole("index", index, 0, carets.last)
        corner = np.add([carets.lower_end(index)], self._origin)
        x: float
        y: float
        x, y = _letter_positions(corner, self._position, self._angle, self._scale)[0]
        return float(x), float(y)

    @renamed_options("Label.index_at", place="point")
    def index_at(self, point: tuple[float, float]) -> int:
        """Return the index of the caret position that is nearest to ``point``. For example, a text
        editor can pass the position of a click.

        ``point`` is in the same coordinates as ``position``. See `caret_point`.
        """
        carets = self._carets()
        displacement = np.subtract(pair("point", point), self._position)
        turned: Doubles = _letter_positions(
            displacement[None], (0.0, 0.0), -self._angle, 1 / self._scale if self._scale else 0.0
        )[0]
        return carets.index_at(*(turned - self._origin))

    @property
    def line_height(self) -> float:
        """The height of one line of the font, in units."""
        return self._living().face_at(self._font_size).height

    def _carets(self) -> Carets:
        writer = self._living()
        self._measure()
        return writer.face_at(self._font_size).carets(
            runs(self._text, self._markup), self._shape(), self._bold_face
        )

    def _shape(self) -> LayoutOptions:
        stroke = (
            self._outline_width * self._living().face_at(self._font_size).ratio
            if self._outline
            else 0.0
        )
        return LayoutOptions(self._width, _ACROSS[self._align], self._line_spacing, stroke)

    def teleport(self) -> None:
        """Draw the label at its new position immediately, without interpolation in this tick."""
        writer = self._living()
        if self._count:
            writer.table.mark_teleported(self._rows)

    def remove(self) -> None:
        """Remove the label from its batch. Raises `ValueError` if the label has already been
        removed.
        """
        self._in_batch().remove(self)

    @property
    def removed(self) -> bool:
        """Whether the label has been removed from its batch."""
        return self._batch is None

    def __enter__(self) -> Self:
        """Return the label, for a ``with`` statement. The label is removed at the end of the
        ``with`` block.
        """
        return self

    def __exit__(self, *error: object) -> None:
        if not self.removed:
            self.remove()

    def _leave(self) -> None:
        """Release the sprite rows of the label. Called after the label has been removed from its
        batch.
        """
        self._measure()
        self._living().give_up([self])
        self._batch = None

    def _in_batch(self) -> TextBatch:
        if self._batch is None:
            raise ValueError(
                f"label: {self._text!r} was removed from its batch; make a new one with add(…)"
            )
        return self._batch

    def _living(self) -> LabelWriter:
        batch = self._batch
        return self._in_batch()._writer if batch is None else batch._writer


def _composed(
    letters: Letters,
    origin: tuple[float, float],
    outline: Color | None,
    shadow: Color | None,
    apart: tuple[float, float],
) -> Letters:
    """Return the letters of a label, with those of its shadow and its outline. All returned
    positions are relative to the label's position.

    The letters of the shadow come first, because they are drawn behind all others. Then come the
    letters of the outline, and then the letters of the text. ``apart`` is the displacement of the
    shadow in units.
    """
    if not (any(origin) or shadow or outline):
        return letters
    images, positions, ranks, colors = letters[:4]
    if outline or shadow:
        tint: list[Color | None] = [outline] * len(letters.outlines)
        colors = colors or [None] * len(images)
        images = letters.outlines + images
        positions = letters.outline_positions + positions
        ranks = letters.outline_ranks + ranks
        colors = tint + colors
    if shadow:
        behind = len(letters.outlines) or len(images)
        shade: list[Color | None] = [shadow] * behind
        # `positions` alternates between x and y
        shifted = [value + apart[index % 2] for index, value in enumerate(positions[: 2 * behind])]
        images = images[:behind] + images
        positions = shifted + positions
        ranks = ranks[:behind] + ranks
        colors = shade + colors
    if any(origin):
        positions = [value + origin[index & 1] for index, value in enumerate(positions)]
    return letters._replace(images=images, positions=positions, ranks=ranks, colors=colors)
