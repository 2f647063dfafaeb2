"""The panel that F4 opens, with which the player can go back to an earlier tick of the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ..gpu.gl import moderngl
from .overlay_texture import OverlayTexture
from .panels import (
    FIELD,
    GUIDE,
    LINE,
    NOTE,
    NUMBERS,
    PANEL,
    WORDS,
    Color,
    PanelText,
    Pixels,
    in_bytes,
    paste,
)

_MARGIN = 12
_PADDING = 12
_GAP = 10
_MARKS = 12  # the heights of parts of the panel, in units
_TRACK = 12
_NOTCH = 4
_BELOW = _PADDING + LINE  # the height below the track, where the seconds are written
_HEIGHT = _BELOW + _NOTCH + _TRACK + _MARKS + _GAP + LINE + _PADDING
_BETWEEN = 44  # minimum distance between the labels of seconds, in units
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600)  # possible intervals between labels, in seconds
_NARROWEST = 120
_ARROWS = "<>"  # drawn as shapes because not every font has arrows
_HINTS = ((_ARROWS, "one tick"), ("Space", "go on from here"), ("Esc", "back"))

_PAST: Color = (0.23, 0.45, 0.72, 1.0)
_EDGE: Color = (0.11, 0.12, 0.15, 1.0)

# The kinds of input in a tick. A kind with a higher number is drawn over a kind with a lower
# number.
KEYS = 2
BUTTONS = 1
MOTION = 0
_MARK: Mapping[int, tuple[Color, int]] = {
    KEYS: (NOTE, _MARKS),
    BUTTONS: ((1.0, 0.55, 0.75, 1.0), _MARKS),
    MOTION: ((0.36, 0.40, 0.48, 1.0), 3),
}
_LEGEND = (("keys", _MARK[KEYS][0]), ("mouse", _MARK[BUTTONS][0]))


class _Place(NamedTuple):
    """The panel's rectangle in the framebuffer, in pixels. The y axis points up."""

    left: int
    bottom: int
    width: int
    height: int


class TickTimeline:
    """A panel along the lower edge of the window that shows all ticks that the game has stored,
    with the oldest tick at the left.

    ``rate`` is the tick rate of the game in ticks per second. ``marks`` contains a pair (tick,
    type) for each tick with input. The type is `KEYS`, `BUTTONS` or `MOTION`.
    """

    def __init__(self, ticks: range, rate: Fraction, marks: Iterable[tuple[int, int]]) -> None:
        self._ticks = ticks
        self._rate = rate
        # Higher kinds are drawn last, over lower kinds.
        self._marks = sorted(marks, key=lambda mark: mark[1])
        self.tick = ticks[-1]
        """The tick at which the game is paused."""
        self._drawn: tuple[object, ...] = ()  # the tick that the panel shows
        self._screen = (0, 0)
        # the parts of the panel that do not depend on the tick
        self._ground: Pixels = np.zeros((0, 0, 4), np.uint8)

    def attach(self, ctx: moderngl.Context, scale: int) -> None:
        """Create the GPU objects of the panel. ``scale`` is the number of screen pixels per
        unit.
        """
        self._scale = scale
        self._panel_text = PanelText(scale)
        self._texture = OverlayTexture(ctx)

    def release(self) -> None:
        """Release the GPU objects of the panel."""
        self._texture.release()

    def draw(self, now: int, screen: tuple[int, int]) -> None:
        """Draw the panel to the current framebuffer. ``screen`` is the size of the framebuffer in
        pixels.
        """
        panel = self._place(screen)
        if panel.width < _NARROWEST * self._scale or panel.height > screen[1]:
            return  # the window is too small for the panel
        if screen != self._screen:
            self._screen = screen
            self._drawn = ()
            self._lay_out(panel)
        if self._drawn != (self.tick,):
            self._drawn = (self.tick,)
            self._draw_tick(panel)
        self._texture.draw()

    def tick_at(self, x: float, screen: tuple[int, int]) -> int:
        """Return the tick at the position ``x``, in pixels from the left edge of the window. If
        ``x`` is outside the timeline, return the nearest tick.
        """
        left, width = self._track(self._place(screen).width)
        fraction = (x - _MARGIN * self._scale - left) / max(width - 1, 1)
        index = round(fraction * (len(self._ticks) - 1))
        return self._ticks[min(max(index, 0), len(self._ticks) - 1)]

    def contains(self, x: float, y: float, screen: tuple[int, int]) -> bool:
        """Return whether a point is on the panel. ``x`` and ``y`` are pixels from the lower left
        corner of the window.
        """
        left, bottom, width, height = self._place(screen)
        return left <= x < left + width and bottom <= y < bottom + height

    # -- positions ---------------------------------------------------------------------------------

    def _place(self, screen: tuple[int, int]) -> _Place:
        margin = _MARGIN * self._scale
        return _Place(margin, margin, screen[0] - 2 * margin, _HEIGHT * self._scale)

    def _track(self, width: int) -> tuple[int, int]:
        """Return the left edge and the width of the timeline's track, in pixels of the panel."""
        return _PADDING * self._scale, width - 2 * _PADDING * self._scale

    def _x(self, tick: int, width: int) -> int:
        """Return the position of a tick, in pixels from the left edge of the panel."""
        left, track_width = self._track(width)
        return left + round(
            (tick - self._ticks[0]) / max(len(self._ticks) - 1, 1) * (track_width - 1)
        )

    def _rows(self, bottom: int, height: int) -> slice:
        """Return the pixel rows of a part of the panel, as a slice. Row 0 is at the top of the
        panel. The part is ``height`` units high, and its lower edge is ``bottom`` units above the
        lower edge of the panel.
        """
        return slice((_HEIGHT - bottom - height) * self._scale, (_HEIGHT - bottom) * self._scale)

    # -- drawing -----------------------------------------------------------------------------------

    def _lay_out(self, area: _Place) -> None:
        """Draw the parts of the panel that do not depend on the tick."""
        ground = self._ground = np.empty((area.height, area.width, 4), np.uint8)
        ground[:] = in_bytes(PANEL)
        left, track_width = self._track(area.width)
        track = self._rows(_BELOW + _NOTCH, _TRACK)
        ground[track, left : left + track_width] = in_bytes(FIELD)
        self._draw_seconds(ground)
        self._draw_marks(ground)
        self._texture.place(*area, self._screen)

    def _draw_seconds(self, ground: Pixels) -> None:
        """Draw a notch for each second below the track, and write the time below some notches."""
        scale = self._scale
        width = ground.shape[1]
        _, track_width = self._track(width)
        step = next(
            (s for s in _STEPS if self._wide(s, track_width) >= _BETWEEN * scale), _STEPS[-1]
        )
        first = -(-self._ticks[0] // self._rate)
        for second in range(first, int(self._ticks[-1] / self._rate) + 1):
            x = self._x(round(second * self._rate), width)
            labeled = second % step == 0
            notch = self._rows(_BELOW + (0 if labeled else _NOTCH // 2), _NOTCH)
            ground[notch, x : x + scale] = in_bytes(GUIDE)
            if labeled:
                word = self._panel_text.word(f"{second} s", WORDS)
                label_left = min(max(x - word.shape[1] // 2, 0), width - word.shape[1])
                paste(ground, word, (_HEIGHT - _BELOW) * scale, label_left)

    def _draw_marks(self, ground: Pixels) -> None:
        """Draw a line above the track for each tick with input."""
        above = _BELOW + _NOTCH + _TRACK
        for tick, kind in self._marks:
            if tick in self._ticks:
                color, height = _MARK[kind]
                x = self._x(tick, ground.shape[1])
                ground[self._rows(above + 1, height - 1), x : x + self._scale] = in_bytes(color)

    def _wide(self, seconds: int, width: int) -> float:
        return float(seconds * self._rate / max(len(self._ticks) - 1, 1) * width)

    def _draw_tick(self, area: _Place) -> None:
        """Draw the number and the time of the current tick, and mark its position on the track."""
        scale = self._scale
        width = area.width
        panel = self._ground.copy()
        left, _ = self._track(width)
        x = self._x(self.tick, width)
        track = self._rows(_BELOW + _NOTCH, _TRACK)
        inner = slice(track.start + scale, track.stop - scale)
        panel[inner, left : x + 1] = in_bytes(_PAST)
        # a dark border, so that the line is easy to see
        panel[track, max(x - scale, 0) : x + 2 * scale] = in_bytes(PANEL)
        self._draw_pointer(panel, x)
        self._write_head(panel)
        self._texture.write(panel)

    def _draw_pointer(self, panel: Pixels, x: int) -> None:
        """Draw a vertical line with a dark border, and a triangle on top of the line."""
        scale = self._scale
        tall = self._rows(_BELOW, _NOTCH + _TRACK + _MARKS + 4)
        panel[tall, max(x - scale, 0) : x + 2 * scale] = in_bytes(PANEL)
        panel[tall, x : x + scale] = in_bytes(NUMBERS)
        for row in range(4 * scale):
            reach = 4 * scale - row - 1
            panel[tall.start + row, max(x - reach, 0) : x + scale + reach] = in_bytes(NUMBERS)

    def _write_head(self, panel: Pixels) -> None:
        left = self._write_tick(panel)
        right = self._write_legend(panel, left)
        self._write_hints(panel, left, right - 12 * self._scale)

    def _write_tick(self, panel: Pixels) -> int:
        """Write the number and the time of the tick. Return the right edge of the text."""
        scale = self._scale
        word = self._panel_text.word
        behind = float((self._ticks[-1] - self.tick) / self._rate)
        left: int = _PADDING * scale
        # Minimum widths, so that texts do not move while the mouse drags.
        for image, min_width in (
            (word(f"tick {self.tick:,}", NUMBERS), 84),
            (word(f"{float(self.tick / self._rate):.2f} s", WORDS), 66),
            (word(f"{behind:.2f} s back" if behind else "now", NOTE if behind else WORDS), 0),
        ):
            paste(panel, image, _PADDING * scale, left)
            left += max(image.shape[1] + 14 * scale, min_width * scale)
        return left

    def _write_legend(self, panel: Pixels, left: int) -> int:
        """Write the legend at the right edge of the panel, if there is space to the right of
        ``left``. Return the left edge of the legend.
        """
        scale = self._scale
        right: int = panel.shape[1] - _PADDING * scale
        widths = [self._panel_text.word(name, WORDS).shape[1] + 19 * scale for name, _ in _LEGEND]
        if sum(widths) <= right - left:
            for name, color in _LEGEND[::-1]:
                right = self._write_key(panel, name, color, _PADDING * scale, right)
        return right

    def _write_hints(self, panel: Pixels, left: int, right: int) -> None:
        """Write the keys and their meanings from right to left. Keys that do not fit are left out."""
        scale = self._scale
        word = self._panel_text.word
        for key, meaning in _HINTS[::-1]:
            words = word(meaning, WORDS), self._arrows() if key == _ARROWS else word(key, NUMBERS)
            if right - sum(image.shape[1] + 6 * scale for image in words) < left:
                return
            for image in words:
                right -= image.shape[1]
                paste(panel, image, _PADDING * scale, right)
                right -= 6 * scale
            right -= 12 * scale

    def _arrows(self) -> Pixels:
        """Return an image with the symbols of the left and right arrow keys."""
        scale = self._scale
        tile = np.empty((LINE * scale, 22 * scale, 4), np.uint8)
        tile[:] = in_bytes(PANEL)
        for column in range(8 * scale):
            rows = slice(8 * scale - (column + 1) // 2, 8 * scale + (column + 1) // 2 + 1)
            tile[rows, column] = tile[rows, -1 - column] = in_bytes(NUMBERS)
        return tile

    def _write_key(self, panel: Pixels, name: str, color: Color, top: int, right: int) -> int:
        """Draw one entry of the panel's legend: a color, and the text ``name`` with its right edge
        at ``right``. Return the right edge for the next entry.
        """
        scale = self._scale
        word = self._panel_text.word(name, WORDS)
        left: int = right - word.shape[1] - 7 * scale
        paste(panel, word, top, right - word.shape[1])
        panel[top + 3 * scale : top + 13 * scale, left : left + 2 * scale] = in_bytes(color)
        return left - 12 * scale
