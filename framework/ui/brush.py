"""Draw boxes, images and text for widgets, which use a brush in their method `paint`.

For each box, image or letter, the brush writes one row of numbers, which the GPU draws. The canvas
keeps the rows of a widget until the widget is painted again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..arrays import Doubles, Floats, Mask, Rows
from .easing import Eases, Levels, mixed
from .theme import NinePatch, Theme, dimmed
from .ui_atlas import WIDTH, UIAtlas

if TYPE_CHECKING:
    from ..assets.images import ImageSource
    from .flex import LayoutBox

_CLEAR = (0.0, 0.0, 0.0, 0.0)

_NO_ROWS: Floats = np.zeros((0, WIDTH), np.float32)
_MAX_FEW = 8  # up to this number of pieces, Python numbers are faster than arrays

Piece = tuple[float, float, float, float]
"""Left, bottom, width and height of a piece in units. Positive y is up. A line of text has the
width and height 0.
"""

PreviousPosition = tuple[list[Piece] | None, tuple[float, ...] | None, list[bool]]
"""The position of a `WidgetLook` in the last tick: the rectangles of its pieces, its corner and
clip rectangle, and whether each piece is text.
"""


class WidgetLook:
    """The rows that a widget has painted, and their position on the screen.

    Each row belongs to a piece: a box, an image or a line of text. When the widget moves, all rows
    of a piece move by the same distance. Rows never change, so snapshots need not copy them. When
    the widget moves, `put` returns a new `WidgetLook`.
    """

    not_state = True

    def __init__(self, state: object) -> None:
        self.state = state
        """The state that the widget had when it was painted."""
        self.rows: Floats = _NO_ROWS
        """The rows to draw, relative to the position of their piece. The array is float32 with the
        shape (n, `WIDTH`).
        """
        self.pieces: list[Piece] = []
        """The rectangle of each piece, relative to the top left corner of the widget."""
        self.texts: list[bool] = []
        """Whether each piece is a line of text."""
        self.counts: list[int] = []
        """The number of rows of each piece."""
        self.drawn: Floats = self.rows
        """The rows at their positions on the screen."""
        self._at: list[Piece] | None = None
        self._place: tuple[float, ...] | None = None
        self.moved = False
        self._came: tuple[list[Piece] | None, tuple[float, ...] | None] = (None, None)
        self._shift: Doubles | None = None
        """The displacement of each row from `rows` to `drawn`, if all pieces are text."""

    def continued(self, previous: WidgetLook) -> None:
        """Continue the motion of ``previous``, the last `WidgetLook` of the same widget: copy its
        position, so that frames can interpolate from there.
        """
        self._place = previous._place
        if previous._at is not None and previous._place is not None:
            self._at = previous._at if previous.texts == self.texts else None
            if not previous.moved and (previous.pieces, previous.counts) == (
                self.pieces,
                self.counts,
            ):
                self._shift = previous._shift

    @property
    def place(self) -> tuple[float, ...] | None:
        """The most recent position and clip area of the rows: x, y, left, bottom, right and top.
        None if `put` has not been called yet.
        """
        return self._place

    def previous_position(self) -> PreviousPosition:
        """Return the positions that all pieces had in the last tick. To set them in another
        `WidgetLook`, pass the result to `set_previous_position`.
        """
        return *self._came, self.texts

    def set_previous_position(self, previous: PreviousPosition) -> None:
        """Set the positions that all pieces had in the last tick. ``previous`` is what
        `previous_position` of the widget's previous `WidgetLook` returned.
        """
        pieces, self._place, texts = previous
        self._shift = None
        self._at = pieces if texts == self.texts else None

    def put(
        self, x: float, y: float, clip: Sequence[float], moving: bool, ratio: float
    ) -> WidgetLook:
        """Return a copy of the rows, moved to the position (x, y): the top left corner of the
        widget in units of the view. The y axis points up.

        ``clip`` is the visible part of the view: left, bottom, right, top. The GPU cuts off all
        pixels outside ``clip``. ``ratio`` is the number of screen pixels per unit. If ``moving`` is
        True, the position is interpolated in frames between two ticks.
        """
        target = x, y, *clip
        if self.drawn is not self.rows and target == self._place and not self.moved:
            return self
        look = self
        if self.drawn is not self.rows:  # if `drawn` is `rows`, the look has just been painted
            look = WidgetLook.__new__(WidgetLook)
            look.__dict__.update(self.__dict__)
        look.put_here(target, moving, ratio)
        return look

    def put_here(self, target: tuple[float, ...], moving: bool, ratio: float) -> None:
        """Do the same as `put`, but change this `WidgetLook` itself. Only for a `WidgetLook` that
        no snapshot contains yet. ``target`` contains the arguments x, y and clip of `put`.
        """
        x, y, *clip = target
        pieces = self.pieces
        shift = self._shift
        # usually, another text at the same position
        if shift is not None and target == self._place:
            drawn = self.drawn = self.rows.copy()
            drawn[:, 4:6] += shift
            drawn[:, :4] = drawn[:, 4:8]
            drawn[:, 28:] = clip
            self.moved = False
            self._came = self._at, self._place
            return
        if len(pieces) <= _MAX_FEW and math.isfinite(sum(map(sum, pieces)) + x + y):
            pixels = [
                _on_whole_pixels(left + x, bottom + y, width, height, ratio)
                for left, bottom, width, height in pieces
            ]
            drawn = self._few_drawn(pixels)
        else:
            moved = np.array(pieces, np.float64).reshape(-1, 4) + (x, y, 0.0, 0.0)
            self._shift = None
            rectangles = _on_pixels(moved, ratio)
            pixels = [*map(tuple, rectangles.tolist())]
            drawn = self._drawn(rectangles)
        self.drawn = drawn
        drawn[:, :4] = drawn[:, 4:8]
        self.moved = False
        previous = self._at
        if moving and self._place is not None and (previous is None or previous != pixels):
            if previous is None:
                displacement = np.array([self._place[0] - x, self._place[1] - y, 0, 0])
                self.moved = bool(displacement.any())
            else:
                by_piece = np.array(previous) - np.array(pixels)
                self.moved = bool(by_piece.any())
                displacement = by_piece.repeat(self.counts, axis=0)
            drawn[:, :4] += displacement
        drawn[:, 28:] = clip
        self._came = previous, self._place
        self._at = pixels
        self._place = target

    def _few_drawn(self, pixels: list[Piece]) -> Floats:
        """Return a copy of the rows, moved to the rectangles ``pixels``. For a few rectangles,
        `_few_drawn` is faster than `_drawn`.
        """
        drawn = self.rows.copy()
        if pixels and all(self.texts):
            self._shift = np.array(pixels)[:, :2].repeat(self.counts, axis=0)
            drawn[:, 4:6] += self._shift
            return drawn
        start = 0
        for (left, bottom, width, height), text, count in zip(
            pixels, self.texts, self.counts, strict=True
        ):
            rows = drawn[start : start + count]
            start += count
            # NumPy computes the sum in float64, and then rounds it to float32.
            rows[:, 4:6] += np.array((left, bottom))
            if not text:
                rows[:, 6:8] = width, height
        return drawn

    def _drawn(self, pixels: Doubles) -> Floats:
        """Return a copy of the rows, moved to the rectangles ``pixels``. The array ``pixels`` has
        the shape (n, 4).
        """
        owners: Rows = np.repeat(np.arange(len(self.counts)), self.counts)
        boxes: Mask = ~np.array(self.texts, bool)[owners]
        drawn = self.rows.copy()
        drawn[:, 4:6] += pixels[owners, :2]
        drawn[boxes, 6:8] = pixels[owners[boxes], 2:]
        return drawn


def _on_whole_pixels(
    left: float, bottom: float, width: float, height: float, ratio: float
) -> Piece:
    """Do the same as `_on_pixels`, but for a single rectangle."""
    low = left * ratio
    begin = math.floor(low + 0.5)
    size = width * ratio
    wide = max(math.floor(low + size + 0.5) - begin, 1) if size > 0 else 0
    low = bottom * ratio
    begin_up = math.floor(low + 0.5)
    size = height * ratio
    high = max(math.floor(low + size + 0.5) - begin_up, 1) if size > 0 else 0
    return begin / ratio, begin_up / ratio, wide / ratio, high / ratio


def _on_pixels(pieces: Doubles, ratio: float) -> Doubles:
    """Move the edges of rectangles to the nearest whole pixels. A rectangle is (left, bottom,
    width, height).

    ``ratio`` is the number of screen pixels per unit. A width or height above 0 is rounded to at
    least one pixel.
    """
    low = pieces[:, :2] * ratio
    size = pieces[:, 2:] * ratio
    begin = np.floor(low + 0.5)
    whole = np.where(size > 0, np.maximum(np.floor(low + size + 0.5) - begin, 1.0), 0.0)
    return np.hstack([begin, whole]) / ratio


class Control(Protocol):
    """The attributes that `Brush.control` reads from a button, a slider or a similar widget."""

    box: LayoutBox

    @property
    def held(self) -> bool: ...
    @property
    def hovered(self) -> bool: ...
    @property
    def focused(self) -> bool: ...


class Brush:
    """Draws the boxes, images and texts of a widget.

    Positions are in units from the top left corner of the widget. The y axis points down.
    """

    not_state = True

    def __init__(self, atlas: UIAtlas, theme: Theme, scale: float, eases: Eases) -> None:
        self.theme = theme
        self.usable = True
        """Whether the painted widget and all its parents are enabled."""
        self._atlas = atlas
        self._scale = scale
        self.eases = eases
        """The current strengths of the hover, press and focus colors of each widget. Only used by
        themes with an ``ease``.
        """
        self._blocks: list[Floats] = []
        self._pieces: list[Piece] = []
        self._texts: list[bool] = []
        self._counts: list[int] = []

    def start(self) -> None:
        """Delete the rows of the previous widget. Called before the next widget is painted."""
        self._blocks = []
        self._pieces = []
        self._texts = []
        self._counts = []

    def finish(self, state: object, previous: WidgetLook | None) -> WidgetLook:
        """Return the rows that have been painted since `start` was last called.

        ``state`` is the current state of the widget. ``previous`` contains the rows that were
        painted before for the same widget, or is None for a new widget.
        """
        look = WidgetLook(state)
        if self._blocks:
            blocks = self._blocks
            look.rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        look.pieces = self._pieces
        look.texts = self._texts
        look.counts = self._counts
        look.drawn = look.rows
        if previous is not None:
            look.continued(previous)
        return look

    def _add(self, rows: Floats, piece: Piece, text: bool) -> None:
        self._blocks.append(rows)
        self._pieces.append(piece)
        self._texts.append(text)
        self._counts.append(len(rows))

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: Sequence[float] = _CLEAR,
        radius: float = 0.0,
        edge: Sequence[float] = _CLEAR,
        edge_width: float | None = None,
    ) -> None:
        """Draw a filled box with round corners. It can have an outline, which is drawn inside the
        box.

        ``radius`` (of the corners) and ``edge_width`` (of the outline) are in units. By default,
        ``edge_width`` comes from the theme. Colors are (r, g, b, a), from 0 to 1. By default,
        ``fill`` and ``edge`` are transparent.
        """
        edge_pixels = self.theme.edge_width if edge_width is None else edge_width
        edge_pixels = (
            max(edge_pixels * self._scale, 1.0 / self._atlas.ratio) if edge_pixels else 0.0
        )
        self._row(
            x,
            y,
            width,
            height,
            [*fill, *edge, radius * self._scale, edge_pixels, 0, 0, *_CLEAR, *_CLEAR],
        )

    def image(
        self,
        image: ImageSource,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        tint: Sequence[float] = (1, 1, 1, 1),
        border: Sequence[float] = _CLEAR,
        scale: float = 1.0,
        share: float = 1.0,
    ) -> None:
        """Draw an image in a rectangle. The image is stretched to ``width`` and ``height``.

        If ``share`` is less than 1, only the left part of the image is drawn. For example, a
        ``share`` of 0.5 draws the left half of the image. ``border`` contains the widths of the
        edges that are not stretched: left, top, right and bottom. The widths are in pixels of the
        image. See `NinePatch`. ``scale`` is the size at which one pixel of the border is drawn, in
        units.
        """
        left, top, texels_wide, texels_high = self._atlas.region(image)
        region = left, top, texels_wide * share, texels_high
        self._row(
            x, y, width, height, [*tint, *_CLEAR, 0, 0, scale * self._scale, 1, *region, *border]
        )

    def _row(self, x: float, y: float, width: float, height: float, numbers: list[float]) -> None:
        scale = self._scale
        # `WidgetLook.put` sets both boxes and the clip rectangle.
        row = np.array([[*_CLEAR, *_CLEAR, *numbers, *_CLEAR]], np.float32)
        piece = x * scale, -(y + height) * scale, width * scale, height * scale
        self._add(row, piece, False)

    def text(self, line: str, size: float, x: float, y: float, color: Sequence[float]) -> None:
        """Draw a line of text. ``size`` is the font size in units.

        (x, y) is the bottom left corner of the text.
        """
        glyphs = self._atlas.line(line, size * self._scale) if line else None
        if glyphs:
            self._add(glyphs.rows(color), (x * self._scale, -y * self._scale, 0.0, 0.0), True)

    def skin(
        self,
        skin: NinePatch,
        x: float,
        y: float,
        width: float,
        height: float,
        opacity: float = 1.0,
    ) -> None:
        """Draw a nine-patch in a rectangle: an image that is stretched except for its corners."""
        tint = (1.0, 1.0, 1.0, opacity)
        self.image(skin.image, x, y, width, height, tint=tint, border=skin.border, scale=skin.scale)

    def fitted(
        self, skin: NinePatch | None, width: float, height: float
    ) -> tuple[float, float] | None:
        """Return the drawn width and height of the image ``skin``. If it does not fit into
        ``width`` and ``height``, it is scaled down, keeping its aspect ratio.

        If ``skin`` is None, return None.
        """
        if skin is None:
            return None
        skin_width, skin_height = (side * skin.scale for side in self._atlas.region(skin.image)[2:])
        shrunk = max(min(1.0, width / skin_width, height / skin_height), 0.0)
        return skin_width * shrunk, skin_height * shrunk

    def track(
        self, x: float, y: float, width: float, height: float, edge: Sequence[float] = _CLEAR
    ) -> None:
        """Draw the track of a slider or progress bar, with the theme's skin or as a rounded box."""
        if self.theme.track_skin is not None:
            self.skin(self.theme.track_skin, x, y, width, height)
        else:
            self.box(x, y, width, height, fill=self.theme.track, radius=height / 2, edge=edge)

    def filling(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        part: float,
        color: Sequence[float],
        opacity: float = 1.0,
    ) -> None:
        """Draw the filled part of a slider or progress bar. The filled part begins at the left edge
        of the track and is ``part`` units long.

        If the theme has no ``fill_skin``, draw a box with ``color``. ``opacity`` is the opacity of
        the skin. A skin with a border is stretched to the length of the filled part. A skin without
        a border is cut off at the end of the filled part.
        """
        skin = self.theme.fill_skin
        part = min(part, width)
        if skin is None:
            self.box(x, y, part, height, fill=color, radius=height / 2)
        elif any(skin.border):
            self.skin(skin, x, y, part, height, opacity)
        elif width > 0:
            tint = (1.0, 1.0, 1.0, opacity)
            self.image(
                skin.image, x, y, part, height, tint=tint, scale=skin.scale, share=part / width
            )

    def panel(self, width: float, height: float, solid: bool = False) -> None:
        """Draw the background of a group, with the theme's skin or as a box.

        If ``solid`` is True, the box is opaque.
        """
        theme = self.theme
        if theme.panel_skin is not None:
            self.skin(theme.panel_skin, 0, 0, width, height)
        else:
            fill = (*theme.panel[:3], 1.0) if solid else theme.panel
            self.box(0, 0, width, height, fill=fill, edge=theme.edge, radius=theme.radius)

    def control(self, widget: Control, usable: bool) -> None:
        """Draw the background of a button. If the button has the focus, draw an outline.

        The background is different while the button is pressed or the mouse pointer is over it.
        ``usable`` is False if the widget is disabled.
        """
        theme = self.theme
        w = widget.box.w
        h = widget.box.h
        target = Levels(
            float(widget.hovered and usable),
            float(widget.held and widget.hovered),
            float(widget.focused),
        )
        hover, press, focus = self.eases.levels(widget, target, theme.ease)
        skin = (
            theme.pressed_skin if press > 0.5 else theme.hover_skin if hover > 0.5 else None
        ) or theme.control_skin
        if skin is not None:
            self.skin(skin, 0, 0, w, h)
        else:
            fill = mixed(mixed(theme.control, theme.hover, hover), theme.pressed, press)
            edge = dimmed(theme.edge, usable)
            # a button is drawn a little smaller while the player is pressing it
            inset = press if theme.ease else 0.0
            self.box(
                inset,
                inset,
                w - 2 * inset,
                h - 2 * inset,
                fill=fill,
                edge=edge,
                radius=theme.radius,
            )
        if focus:
            self._focus_outline(w, h, focus)

    def _focus_outline(self, width: float, height: float, focus: float) -> None:
        """Draw the outline of a button that has the focus. While ``focus`` changes from 0 to 1, the
        outline shrinks from a larger size to the size of the button.
        """
        theme = self.theme
        grown = 4 * (1 - focus)
        self.box(
            -grown,
            -grown,
            width + 2 * grown,
            height + 2 * grown,
            edge=(*theme.focus[:3], theme.focus[3] * focus),
            edge_width=2,
            radius=theme.radius + grown,
        )
