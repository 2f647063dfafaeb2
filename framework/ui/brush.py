"""Brush: draws boxes, images and text. The `paint` method of a widget receives a brush.

For each box, image or letter, a brush writes one row of numbers. The GPU draws these rows. The
canvas reuses the rows of a widget in each frame, until the widget is repainted.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..arrays import Doubles, Floats, Mask, Rows
from .theme import NinePatch, Theme, dimmed

if TYPE_CHECKING:
    from ..assets.images import ImageSource
    from .flex import Box
    from .ui_atlas import UIAtlas

_CLEAR = (0.0, 0.0, 0.0, 0.0)

WIDTH = 32
"""Numbers per row: box in the last tick, box, fill color, edge color, shape, image, border, clip."""

_NO_TEXTS: Mask = np.zeros(0, np.bool_)
_NO_OWNERS: Rows = np.zeros(0, np.intp)

PreviousPosition = tuple[Doubles | None, tuple[float, ...] | None, Mask]
"""The position of a look in the last tick: the rectangles of its pieces, its corner with its clip, and
whether each piece is text.
"""


class WidgetLook:
    """The rows that were painted for a widget (its look), and their position on the screen.

    The rows form pieces: a piece is a box, an image or a line of text. When a widget moves, all
    rows of a piece move by the same distance. `put` returns new rows and never changes existing
    rows, so snapshots need no copies.
    """

    not_state = True

    def __init__(self, state: object) -> None:
        self.state = state
        """The state of the widget when it was painted."""
        self.rows: Floats = np.zeros((0, WIDTH), np.float32)
        """The rows, float32 (n, `WIDTH`), relative to the position of their piece."""
        self.pieces: Doubles = np.zeros((0, 4))
        """Left, bottom, width and height of each piece, (n, 4), from the top left corner, y up.

        The size of a piece of text is 0.
        """
        self.texts = _NO_TEXTS
        """Whether each piece is a line of text, bool (n,)."""
        self.owners = _NO_OWNERS
        """The index of the piece of each row."""
        self.drawn: Floats = self.rows
        """The rows at their positions on the screen."""
        self._at: Doubles | None = None
        self._place: tuple[float, ...] | None = None
        self.moved = False
        self._came: tuple[Doubles | None, tuple[float, ...] | None] = (None, None)

    def continued(self, previous: WidgetLook) -> None:
        """Take over the position of ``previous``, the rows that were painted for the same widget
        before.
        """
        self._place = previous._place
        if previous._at is not None and previous._place is not None:
            self._at = previous._at if np.array_equal(previous.texts, self.texts) else None

    def previous_position(self) -> PreviousPosition:
        """Return the positions of all pieces in the last tick, for `set_previous_position`."""
        return *self._came, self.texts

    def set_previous_position(self, previous: PreviousPosition) -> None:
        """Set the positions in the last tick. ``previous`` is the result of `previous_position` of
        the rows that were painted for the widget before.
        """
        pieces, self._place, texts = previous
        self._at = pieces if np.array_equal(texts, self.texts) else None

    def put(
        self, x: float, y: float, clip: Sequence[float], moving: bool, ratio: float
    ) -> WidgetLook:
        """Return a copy of the rows with the top left corner at (x, y), in units of the view, y up.

        ``clip`` is the area in which the widget is visible: left, bottom, right, top. ``ratio`` is
        the number of screen pixels per unit. If ``moving`` is True, frames between two ticks draw
        the rows between their old and their new position.
        """
        target = x, y, *clip
        if self.drawn is not self.rows and target == self._place and not self.moved:
            return self
        look = copy.copy(self)
        look._place_rows(target, moving, ratio)
        return look

    def _place_rows(self, target: tuple[float, ...], moving: bool, ratio: float) -> None:
        x, y, *clip = target
        pixels = _on_pixels(self.pieces + (x, y, 0.0, 0.0), ratio)
        boxes = ~self.texts[self.owners]
        owners = self.owners
        drawn = self.drawn = self.rows.copy()
        drawn[:, 4:6] += pixels[owners, :2]
        drawn[boxes, 6:8] = pixels[owners[boxes], 2:]
        drawn[:, :4] = drawn[:, 4:8]
        self.moved = False
        if moving and self._place is not None:
            displacement: Doubles = (
                (self._at - pixels)
                if self._at is not None
                else np.array([self._place[0] - x, self._place[1] - y, 0, 0])
            )
            self.moved = bool(displacement.any())
            drawn[:, :4] += displacement[self.owners] if self._at is not None else displacement
        drawn[:, 28:] = clip
        self._came = self._at, self._place
        self._at = pixels
        self._place = target


def _on_pixels(pieces: Doubles, ratio: float) -> Doubles:
    """Return rectangles (left, bottom, width, height) aligned to pixels.

    ``ratio`` is the number of screen pixels per unit. A rectangle that is not empty stays at least
    one pixel wide and high.
    """
    low = pieces[:, :2] * ratio
    size = pieces[:, 2:] * ratio
    begin = np.floor(low + 0.5)
    whole = np.where(size > 0, np.maximum(np.floor(low + size + 0.5) - begin, 1.0), 0.0)
    return np.hstack([begin, whole]) / ratio


class Control(Protocol):
    """The attributes of a button, slider or similar widget that `Brush.control` reads."""

    box: Box

    @property
    def held(self) -> bool: ...
    @property
    def hovered(self) -> bool: ...
    @property
    def focused(self) -> bool: ...


class Brush:
    """Draws boxes, images and text of a widget.

    Positions are in units from the top left corner of the widget, y down.
    """

    not_state = True

    def __init__(self, atlas: UIAtlas, theme: Theme, scale: float) -> None:
        self.theme = theme
        self._atlas = atlas
        self._scale = scale
        self._blocks: list[Floats] = []
        self._pieces: list[tuple[float, float, float, float]] = []
        self._texts: list[bool] = []
        self._counts: list[int] = []

    def start(self) -> None:
        """Begin to draw the next widget."""
        self._blocks = []
        self._pieces = []
        self._texts = []
        self._counts = []

    def finish(self, state: object, previous: WidgetLook | None) -> WidgetLook:
        """Return the rows of the widget that was painted since `start`.

        ``state`` is the state of the widget. ``previous`` are the rows from the last paint of the
        widget.
        """
        look = WidgetLook(state)
        if self._blocks:
            look.rows = np.concatenate(self._blocks)
        look.pieces = np.array(self._pieces, np.float64).reshape(-1, 4)
        look.texts = np.array(self._texts, bool)
        look.owners = np.repeat(np.arange(len(self._counts)), self._counts)
        look.drawn = look.rows
        if previous is not None:
            look.continued(previous)
        return look

    def _add(self, rows: Floats, piece: tuple[float, float, float, float], text: bool) -> None:
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
        """Draw a filled box with round corners. The edge line lies inside the box.

        ``radius`` and ``edge_width`` are in units. By default ``edge_width`` is the ``edge_width``
        of the theme. Colors are (r, g, b, a) in 0..1, and transparent by default.
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
        """Draw an image, stretched to a rectangle.

        ``share`` is the part of the image that is drawn, from the left: 0.5 draws the left half.
        ``border`` is the part at the edges that is not stretched: left, top, right and bottom, in
        pixels of the image. See `NinePatch`. ``scale`` is the number of units per pixel of the
        border.
        """
        left, top, texels_wide, texels_high = self._atlas.region(image)
        region = left, top, texels_wide * share, texels_high
        self._row(
            x, y, width, height, [*tint, *_CLEAR, 0, 0, scale * self._scale, 1, *region, *border]
        )

    def _row(self, x: float, y: float, width: float, height: float, numbers: list[float]) -> None:
        scale = self._scale
        size = width * scale, height * scale
        row = np.array([[0, 0, 0, 0, 0, 0, *size, *numbers, *_CLEAR]], np.float32)
        self._add(row, (x * scale, -(y + height) * scale, *size), False)

    def text(self, line: str, size: float, x: float, y: float, color: Sequence[float]) -> None:
        """Draw a line of text with a font size of ``size`` units.

        (x, y) is the bottom left corner of the text.
        """
        glyphs = self._atlas.line(line, size * self._scale) if line else None
        if glyphs is None or not len(glyphs.boxes):
            return
        rows = np.zeros((len(glyphs.boxes), WIDTH), np.float32)
        rows[:, 4:8] = glyphs.boxes
        rows[:, 20:24] = glyphs.regions
        rows[:, 8:12] = color
        rows[glyphs.colored, 8:11] = 1.0
        rows[:, 18] = 1.0 / self._atlas.ratio
        rows[:, 19] = 1.0
        self._add(rows, (x * self._scale, -y * self._scale, 0.0, 0.0), True)

    def skin(
        self,
        skin: NinePatch,
        x: float,
        y: float,
        width: float,
        height: float,
        opacity: float = 1.0,
    ) -> None:
        """Draw a nine-patch, stretched to a rectangle."""
        tint = (1.0, 1.0, 1.0, opacity)
        self.image(skin.image, x, y, width, height, tint=tint, border=skin.border, scale=skin.scale)

    def fitted(
        self, skin: NinePatch | None, width: float, height: float
    ) -> tuple[float, float] | None:
        """Return width and height of a skin, scaled down to fit into an area.

        The aspect ratio of the skin is kept.

        Return None if ``skin`` is None.
        """
        if skin is None:
            return None
        skin_width, skin_height = (side * skin.scale for side in self._atlas.region(skin.image)[2:])
        shrunk = max(min(1.0, width / skin_width, height / skin_height), 0.0)
        return skin_width * shrunk, skin_height * shrunk

    def track(
        self, x: float, y: float, width: float, height: float, edge: Sequence[float] = _CLEAR
    ) -> None:
        """Draw the track of a slider or of a progress bar: the theme's skin, or a rounded box."""
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
        """Draw the filled part of a track, from the left edge to ``part`` units.

        If the theme has no skin for the filled part, a box of the color ``color`` is drawn. If the
        theme has such a skin, ``opacity`` is the opacity of the skin. A fill skin with a border is
        stretched to ``part`` units. A fill skin without a border is cut off after ``part`` units.
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
        """Draw the background of a group: the theme's skin, or a box.

        If ``solid`` is True, a box is drawn with an opaque color.
        """
        theme = self.theme
        if theme.panel_skin is not None:
            self.skin(theme.panel_skin, 0, 0, width, height)
        else:
            fill = (*theme.panel[:3], 1.0) if solid else theme.panel
            self.box(0, 0, width, height, fill=fill, edge=theme.edge, radius=theme.radius)

    def control(self, widget: Control, usable: bool) -> None:
        """Draw the background of a button, and the mark of the focus.

        The color or skin depends on whether the widget is pressed, under the pointer, or neither.
        ``usable`` is False for a disabled widget.
        """
        theme = self.theme
        w = widget.box.w
        h = widget.box.h
        pressed = widget.held and widget.hovered
        hovered = widget.hovered and usable
        skin = (
            theme.pressed_skin if pressed else theme.hover_skin if hovered else None
        ) or theme.control_skin
        if skin is not None:
            self.skin(skin, 0, 0, w, h)
        else:
            fill = theme.pressed if pressed else theme.hover if hovered else theme.control
            edge = dimmed(theme.edge, usable)
            self.box(0, 0, w, h, fill=fill, edge=edge, radius=theme.radius)
        if widget.focused:
            self.box(0, 0, w, h, edge=theme.focus, edge_width=2, radius=theme.radius)
