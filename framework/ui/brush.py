"""What widgets draw with: boxes, pictures and text become rows of a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .theme import NinePatch, Theme

_CLEAR = (0.0, 0.0, 0.0, 0.0)


class Brush:
    """What widgets draw with: units from the widget's top left corner, y down."""

    not_state = True

    def __init__(self, regions: Any, theme: Theme, scale: float, height: float) -> None:
        self.theme = theme
        self._regions, self._scale, self._height = regions, scale, height
        self._x = self._y = 0.0
        self._widget: Any = None
        self._number = 0
        self._sheet: Any = None

    def start(self, sheet: Any, widget: Any, x: float, y: float) -> None:
        """Draw a widget whose corner is there."""
        self._sheet, self._widget, self._x, self._y, self._number = sheet, widget, x, y, 0

    def _key(self) -> Any:
        self._number += 1
        return self._widget, self._number

    def box(
        self, x: float, y: float, width: float, height: float, *, fill: Sequence[float] = _CLEAR, radius: float = 0.0,
        edge: Sequence[float] = _CLEAR, edge_width: float | None = None,
    ) -> None:  # fmt: skip
        """A box with round corners, and an edge within it."""
        wide = self.theme.edge_width if edge_width is None else edge_width
        self._row(x, y, width, height, [*fill, *edge, radius * self._scale, wide * self._scale, 0, 0, *_CLEAR, *_CLEAR])

    def image(
        self, image: Any, x: float, y: float, width: float, height: float, *, tint: Sequence[float] = (1, 1, 1, 1),
        border: Sequence[float] = _CLEAR, scale: float = 1.0,
    ) -> None:  # fmt: skip
        """A picture; with a ``border`` (left, top, right, bottom in its pixels), that much of it is not stretched."""
        region = self._regions.region(image)
        if region is not None:
            self._row(x, y, width, height, [*tint, *_CLEAR, 0, 0, scale * self._scale, 1, *region, *border])

    def _row(self, x: float, y: float, width: float, height: float, rest: list[float]) -> None:
        scale = self._scale
        place = (
            (self._x + x) * scale, self._height - (self._y + y + height) * scale, width * scale, height * scale
        )  # fmt: skip
        sheet, key = self._sheet, self._key()
        sheet.places[key] = place
        sheet.rows.append([*sheet.before.get(key, place), *place, *rest])

    def text(self, line: str, size: float, x: float, y: float, color: Any) -> None:
        """A line of text whose bottom left corner is there."""
        if line:
            place = (self._x + x) * self._scale, self._height - (self._y + y) * self._scale
            self._sheet.captions.write(self._key(), line, size * self._scale, *place, color)

    def skin(self, skin: NinePatch, width: float, height: float) -> None:
        """A nine-patch."""
        self.image(skin.image, 0, 0, width, height, border=skin.border, scale=skin.scale)

    def panel(self, width: float, height: float) -> None:
        """What is behind a group."""
        theme = self.theme
        if theme.panel_skin is not None:
            self.skin(theme.panel_skin, width, height)
        else:
            self.box(0, 0, width, height, fill=theme.panel, edge=theme.edge, radius=theme.radius)

    def control(self, widget: Any) -> None:
        """What is behind a button, by its state; and the mark of the focus."""
        theme, w, h = self.theme, widget.box.w, widget.box.h
        down, hot = widget.held and widget.hot, widget.hot and widget.enabled
        skin = (theme.down_skin if down else theme.hot_skin if hot else None) or theme.control_skin
        if skin is not None:
            self.skin(skin, w, h)
        else:
            fill = theme.down if down else theme.hot if hot else theme.control
            self.box(0, 0, w, h, fill=fill, edge=theme.edge, radius=theme.radius)
        if widget.focused:
            self.box(0, 0, w, h, edge=theme.focus, edge_width=2, radius=theme.radius)
