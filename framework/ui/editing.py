"""A line of text that is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..checks import whole
from ..input import key
from .gadgets import Label
from .widgets import maybe_function

if TYPE_CHECKING:
    from .brush import Brush

_MOST = 10_000


class TextField(Label):
    """A line of text: ``menu.text_field("Name", self.rename)``. The function is told the text when Enter is pressed.

    While the focus is on it, keys are for it alone. Text comes as the keyboard's layout and the system's input method
    have it; Ctrl C, X, V and A copy, cut, paste and select all. ``limit`` is how many letters it may have.
    """

    focusable = True
    solid = True

    def __init__(
        self, text: object = "", entered: Callable[[str], Any] | None = None, *, hint: str = "", limit: int = 200,
        **options: Any,
    ) -> None:  # fmt: skip
        options.setdefault("padding", (10, 8))
        options.setdefault("min_width", 120)
        self.limit = whole("limit", limit, 1, _MOST)
        self.hint = str(hint)
        self.entered = maybe_function("entered", entered)
        super().__init__(str(text)[: self.limit], **options)
        self.caret = self.mark = len(self.text)

    @property
    def selection(self) -> tuple[int, int]:
        """Where the selected letters begin and end."""
        length = len(self.text)
        low, high = sorted((min(self.caret, length), min(self.mark, length)))
        return low, high

    @property
    def selected(self) -> str:
        """The letters that are selected."""
        low, high = self.selection
        return str(self.text)[low:high]

    def type(self, text: str) -> None:
        """Put letters in place of what is selected, as far as there is room."""
        low, high = self.selection
        typed = "".join(letter for letter in text.replace("\r", " ").replace("\n", " ") if letter.isprintable())
        typed = typed[: max(self.limit - len(self.text) + high - low, 0)]
        if typed or low != high:
            self.text = self.text[:low] + typed + self.text[high:]
            self.caret = self.mark = low + len(typed)

    def move(self, motion: int, select: bool) -> None:
        """A key moved the caret, or deleted a letter: pyglet's ``MOTION_…``."""
        low, high = self.selection
        if motion in (key.MOTION_BACKSPACE, key.MOTION_DELETE):
            if low == high:
                self.mark = max(low - 1, 0) if motion == key.MOTION_BACKSPACE else min(low + 1, len(self.text))
            self._erase()
            return
        place = self._moved(motion)
        if not select and low != high and motion in (key.MOTION_LEFT, key.MOTION_RIGHT):
            place = low if motion == key.MOTION_LEFT else high
        self.caret = place
        if not select:
            self.mark = place
        self.changed()

    def _erase(self) -> None:
        low, high = self.selection
        self.text = self.text[:low] + self.text[high:]
        self.caret = self.mark = low
        self.changed()

    def _moved(self, motion: int) -> int:
        text, caret = str(self.text), min(self.caret, len(self.text))
        if motion == key.MOTION_LEFT:
            return max(caret - 1, 0)
        if motion == key.MOTION_RIGHT:
            return min(caret + 1, len(text))
        if motion == key.MOTION_PREVIOUS_WORD:
            return text[:caret].rstrip().rfind(" ") + 1
        if motion == key.MOTION_NEXT_WORD:
            found = text.find(" ", caret)
            return len(text) if found < 0 else found + 1
        if motion in (key.MOTION_BEGINNING_OF_LINE, key.MOTION_BEGINNING_OF_FILE):
            return 0
        if motion in (key.MOTION_END_OF_LINE, key.MOTION_END_OF_FILE):
            return len(text)
        return caret

    def shortcut(self, symbol: int) -> str | None:
        """Ctrl and a key. Returns what is to be copied, if anything is."""
        if symbol == key.A:
            self.mark, self.caret = 0, len(self.text)
            self.changed()
        elif symbol in (key.C, key.X) and self.selected:
            copied = self.selected
            if symbol == key.X:
                self._erase()
            return copied
        return None

    def enter(self) -> None:
        """Enter was pressed."""
        ui = self.ui
        if self.entered is not None and ui is not None:
            ui.later(self.entered, self.text)

    def point(self, x: float, y: float, begins: bool) -> None:
        ruler, size = self.ruler(), self.letter_size
        at = x - self.box.padding[0] + self._scrolled()
        ends = [ruler.width(self.text[:end], size) for end in range(len(self.text) + 1)]
        self.caret = min(range(len(ends)), key=lambda end: abs(ends[end] - at))
        if begins:
            self.mark = self.caret
        self.changed()

    def _room(self) -> float:
        return float(max(self.box.w - self.box.padding[0] - self.box.padding[2], 0.0))

    def _scrolled(self) -> float:
        """By how much a text that is too long is moved to the left, for the caret to be seen."""
        if not self.focused:
            return 0.0
        return max(self.ruler().width(self.text[: self.caret], self.letter_size) + 2 - self._room(), 0.0)

    def least(self) -> float:
        return 40.0

    def size(self, available: float) -> tuple[float, float]:
        return min(available, 240.0), self.ruler().line_height(self.letter_size)

    def paint(self, brush: Brush) -> None:
        theme, ruler, size = brush.theme, self.ruler(), self.letter_size
        w, h, left = self.box.w, self.box.h, self.box.padding[0]
        edge = theme.focus if self.focused else theme.edge
        brush.box(0, 0, w, h, fill=theme.track, radius=theme.radius / 2, edge=edge, edge_width=2 if self.focused else 1)
        high, moved = ruler.line_height(size), self._scrolled()
        top = (h - high) / 2
        begin = 0
        while begin < len(self.text) and ruler.width(self.text[:begin], size) < moved:
            begin += 1
        end = len(self.text)
        while end > begin and ruler.width(self.text[begin:end], size) > self._room():
            end -= 1
        low, upper = (min(max(place, begin), end) for place in self.selection)
        if self.focused and upper > low:
            start = ruler.width(self.text[begin:low], size)
            brush.box(left + start, top, ruler.width(self.text[low:upper], size), high, fill=(*theme.accent[:3], 0.5))
        if self.text:
            brush.text(self.text[begin:end], size, left, top + high, theme.text if self.enabled else theme.muted)
        elif self.hint:
            brush.text(self.hint, size, left, top + high, theme.muted)
        if self.focused:
            at = ruler.width(self.text[begin : max(self.caret, begin)], size)
            brush.box(left + min(at, self._room()), top + 2, 2, high - 4, fill=theme.focus)
