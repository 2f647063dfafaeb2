"""Text that is typed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checks import flag, whole
from ..input import key
from ..text.markup import clusters
from .gadgets import TextLabel, ruler_of
from .widget import Shown, Widget, maybe_function, said, seat_of

if TYPE_CHECKING:
    from .brush import Brush
    from .captions import Ruler

_MOST = 10_000
_MOST_OF_HINT = 1000
_WORD, _GAP = re.compile(r"\S+"), re.compile(r"\s+")
_JOINERS = "\n\u200c\u200d\ufe0f"  # of lines, and within emoji and scripts whose letters join


class _Broken(NamedTuple):
    """The lines of a field, what they were measured by and for, and those of each of its
    paragraphs.
    """

    ruler: Ruler
    about: tuple[float, float]
    text: str | None
    known: dict[str, list[tuple[int, int]]]
    lines: list[tuple[int, int]]


class _Typed(Shown[str]):
    """What a field has: letters that can be in it, as many as it may have."""

    def keep(self, thing: Widget, value: str) -> None:
        assert isinstance(thing, TextField)
        super().keep(thing, thing._kept(value)[: thing.limit])


class TextField(TextLabel, creator="text_field"):
    """A line of text: ``menu.text_field("Name", self.rename)``. The function is told the text when
    Enter is pressed.

    While the focus is on it, keys are for it alone. Text comes as the keyboard's layout and the
    system's input method have it; Ctrl C, X, V and A copy, cut, paste and select all. ``limit`` is
    how many letters it may have. Of several ``lines``, Enter begins a new one, and Ctrl Enter is
    what Enter is else. ``accepts`` is asked about the text that typing would make, and tells
    whether it may: ``accepts=str.isdigit``. ``edited`` is told each text that came about by typing.
    One that is ``hidden`` shows dots, and cannot be copied; recordings have what was typed all the
    same.
    """

    focusable = True
    solid = True

    _transient_attributes = ("_broken", "_stopped")

    _broken: _Broken | None = None
    _stopped: tuple[tuple[Ruler, str, float], list[float]] | None = (
        None  # where its letters begin, and what of
    )

    text = _Typed(said, "What is in it; what is longer than its ``limit`` is cut off.")

    def __init__(
        self,
        text: object = "",
        entered: Callable[[str], object] | None = None,
        *,
        hint: str = "",
        limit: int = 200,
        lines: int = 1,
        hidden: bool = False,
        accepts: Callable[[str], object] | None = None,
        edited: Callable[[str], object] | None = None,
        **options: Any,
    ) -> None:
        options.setdefault("padding", (10, 8))
        options.setdefault("min_width", 120)
        self.limit, self.lines = whole("limit", limit, 1, _MOST), whole("lines", lines, 1, 100)
        self.hint = self._kept(str(hint))[:_MOST_OF_HINT]
        self.entered, self.edited = (
            maybe_function("entered", entered),
            maybe_function("edited", edited),
        )
        self.accepts, self.hidden = maybe_function("accepts", accepts), flag("hidden", hidden)
        if self.hidden and self.lines > 1:
            raise ValueError(f"hidden: what is hidden has one line, not {self.lines}")
        super().__init__(text, **options)
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

    def _kept(self, text: str) -> str:
        """Return the part of a text that can be in the field."""
        text = text[: 2 * _MOST].replace("\r\n", "\n").replace("\r", "\n")
        if self.lines == 1:
            text = text.replace("\n", " ")
        if text.replace("\n", "").isprintable():
            return text
        return "".join(letter for letter in text if letter.isprintable() or letter in _JOINERS)

    def type(self, text: str) -> None:
        """Put letters in place of what is selected, as far as there is room."""
        low, high = self.selection
        typed = self._kept(text)[: max(self.limit - len(self.text) + high - low, 0)]
        made = self.text[:low] + typed + self.text[high:]
        if (typed or low != high) and (not made or self.accepts is None or self.accepts(made)):
            self.text = made
            self.caret = self.mark = low + len(typed)
            self._tell()

    def _tell(self) -> None:
        """The player changed the text."""
        interface = seat_of(self).interface
        if self.edited is not None and interface is not None:
            interface.later(self.edited, self.text)

    @property
    def _shown(self) -> str:
        """What is seen of the text, letter by letter."""
        return "•" * len(self.text) if self.hidden else str(self.text)

    def _move(self, motion: int, select: bool) -> None:
        low, high = self.selection
        if motion in (key.MOTION_BACKSPACE, key.MOTION_DELETE):
            if low == high:
                self.mark = self._beside(low, -1 if motion == key.MOTION_BACKSPACE else 1)
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
        if low != high:
            self._tell()

    def _moved(self, motion: int) -> int:
        text, caret = str(self.text), min(self.caret, len(self.text))
        if motion in (key.MOTION_LEFT, key.MOTION_RIGHT):
            return self._beside(caret, 1 if motion == key.MOTION_RIGHT else -1)
        if motion == key.MOTION_PREVIOUS_WORD:
            return max((word.start() for word in _WORD.finditer(text, 0, caret)), default=0)
        if motion == key.MOTION_NEXT_WORD:
            found = _GAP.search(text, caret)
            return len(text) if found is None else found.end()
        if motion in (key.MOTION_BEGINNING_OF_FILE, key.MOTION_END_OF_FILE):
            return 0 if motion == key.MOTION_BEGINNING_OF_FILE else len(text)
        if motion in (key.MOTION_BEGINNING_OF_LINE, key.MOTION_END_OF_LINE):
            start, stop = self._rows()[self._row_of(caret)]
            return start if motion == key.MOTION_BEGINNING_OF_LINE else stop
        if motion in (key.MOTION_UP, key.MOTION_DOWN) and self.lines > 1:
            row = self._row_of(caret)
            start, stop = self._rows()[row]
            x = ruler_of(self).carets(text[start:stop], self.letter_size)[min(caret, stop) - start]
            return self._at(row + (1 if motion == key.MOTION_DOWN else -1), x)
        return caret

    def _beside(self, caret: int, by: int) -> int:
        """The place before or after what is drawn as one letter."""
        if self.text.isascii():
            return min(max(caret + by, 0), len(self.text))
        place = 0
        for letter in clusters(self.text):
            if by < 0 and place + len(letter) >= caret:
                return place
            place += len(letter)
            if by > 0 and place > caret:
                return place
        return max(caret - 1, 0) if by < 0 else len(self.text)

    # -- lines -------------------------------------------------------------------------------------

    def _rows(self) -> list[tuple[int, int]]:
        """Its lines, each as (start, stop)."""
        if self.lines == 1:
            return [(0, len(self.text))]
        ruler, text, about = (
            ruler_of(self),
            str(self.text),
            (self.letter_size, max(self._room(), 1.0)),
        )
        broken = self._broken
        if broken is None or (broken.ruler, broken.about) != (ruler, about):
            broken = _Broken(ruler, about, None, {}, [])
        if broken.text != text:  # of paragraphs that stayed the lines are known
            known, paragraphs, start, lines = broken.known, text.split("\n"), 0, []
            now = {
                one: known.get(one) or ruler.breaks(one, *about)
                for one in dict.fromkeys(paragraphs)
            }
            for one in paragraphs:
                lines += [(start + first, start + last) for first, last in now[one]]
                start += len(one) + 1
            self._broken = broken = _Broken(ruler, about, text, now, lines)
        return broken.lines

    def _row_of(self, place: int) -> int:
        starts = [start for start, _ in self._rows()]
        return max(bisect_right(starts, place) - 1, 0)

    def _at(self, row: int, x: float) -> int:
        """The place in a line, so far to the right."""
        rows = self._rows()
        if not 0 <= row < len(rows):
            return 0 if row < 0 else len(self.text)
        start, stop = rows[row]
        stops = ruler_of(self).carets(self._shown[start:stop], self.letter_size)
        return start + min(range(len(stops)), key=lambda end: abs(stops[end] - x))

    def _first_row(self) -> int:
        """Of those that are seen."""
        if not self.focused:
            return 0
        room = self.box.h - 2 * self.box.padding[1]
        fitting = max(int(room / ruler_of(self).line_height(self.letter_size) + 0.01), 1)
        return max(self._row_of(self.caret) - fitting + 1, 0)

    def _shortcut(self, symbol: int) -> str | None:
        if symbol == key.A:
            self.mark, self.caret = 0, len(self.text)
            self.changed()
        elif symbol in (key.C, key.X) and self.selected and not self.hidden:
            copied = self.selected
            if symbol == key.X:
                self._erase()
            return copied
        return None

    def enter(self) -> None:
        """Enter was pressed."""
        interface = seat_of(self).interface
        if self.entered is not None and interface is not None:
            interface.later(self.entered, self.text)

    def point(self, x: float, y: float, begins: bool) -> None:
        at = x - self.box.padding[0] + self._scrolled()
        row = 0
        if self.lines > 1:
            row = self._first_row() + int(
                (y - self.box.padding[1]) // ruler_of(self).line_height(self.letter_size)
            )
            row = min(max(row, 0), len(self._rows()) - 1)
        self.caret = self._at(row, at)
        if begins:
            self.mark = self.caret
        self.changed()

    def _room(self) -> float:
        return float(max(self.box.w - self.box.padding[0] - self.box.padding[2], 0.0))

    def _stops(self) -> list[float]:
        """Where the letters of its one line begin, and where the last one ends."""
        asked = ruler_of(self), self._shown, self.letter_size
        if self._stopped is None or self._stopped[0] != asked:
            self._stopped = asked, asked[0].stops(*asked[1:])
        return self._stopped[1]

    def _scrolled(self) -> float:
        """By how much a text that is too long is moved to the left, for the caret to be seen."""
        if not self.focused or self.lines > 1:
            return 0.0
        stops = self._stops()
        most = stops[min(self.caret, len(self.text))] + 2 - self._room()
        return stops[min(bisect_left(stops, most), len(stops) - 1)] if most > 0 else 0.0

    def least(self) -> float:
        return 40.0

    def size(self, available: float) -> tuple[float, float]:
        return min(available, 240.0), self.lines * ruler_of(self).line_height(self.letter_size)

    def paint(self, brush: Brush) -> None:
        theme, size = brush.theme, self.letter_size
        w, h, left = self.box.w, self.box.h, self.box.padding[0]
        edge = theme.focus if self.focused else theme.edge
        brush.box(
            0,
            0,
            w,
            h,
            fill=theme.track,
            radius=theme.radius / 2,
            edge=edge,
            edge_width=2 if self.focused else 1,
        )
        high, first, moved = ruler_of(self).line_height(size), self._first_row(), self._scrolled()
        top = self.box.padding[1] if self.lines > 1 else (h - high) / 2
        if not self.text and self.hint:
            stops = ruler_of(self).stops(self.hint, size)
            fitting = max(bisect_right(stops, self._room() + 0.01) - 1, 0)
            brush.text(self.hint[:fitting], size, left, top + high, theme.muted)
        own = self._row_of(self.caret) if self.focused else -1
        for row, (start, stop) in enumerate(self._rows()):
            y = top + (row - first) * high
            if row >= first and (y + high <= h + 1 or row == first):
                self._paint_row(brush, *self._seen(start, stop, moved), y, row == own)

    def _seen(self, start: int, stop: int, moved: float) -> tuple[int, int]:
        """The letters of a line that have room."""
        stops = (
            self._stops()
            if self.lines == 1
            else ruler_of(self).stops(self._shown[start:stop], self.letter_size)
        )
        begin = bisect_left(stops, moved)
        return start + begin, start + max(
            bisect_right(stops, moved + self._room() + 0.01) - 1, begin
        )

    def _paint_row(self, brush: Brush, begin: int, end: int, y: float, has_caret: bool) -> None:
        theme, size, text, left = brush.theme, self.letter_size, self._shown, self.box.padding[0]
        high = ruler_of(self).line_height(size)
        low, upper = (min(max(place, begin), end) - begin for place in self.selection)
        carets = ruler_of(self).carets(text[begin:end], size)
        if self.focused and upper > low:
            x, right = min(carets[low : upper + 1]), max(carets[low : upper + 1])
            brush.box(left + x, y, right - x, high, fill=(*theme.accent[:3], 0.5), edge_width=0)
        brush.text(
            text[begin:end], size, left, y + high, theme.text if self.enabled else theme.muted
        )
        if has_caret:
            at = carets[max(min(self.caret, end), begin) - begin]
            brush.box(
                left + min(at, self._room()), y + 2, 2, high - 4, fill=theme.focus, edge_width=0
            )


def move_caret(field: TextField, motion: int, select: bool) -> None:
    """Move the caret of a field, or delete a letter, as pyglet's ``MOTION_…`` says."""
    field._move(motion, select)


def shortcut(field: TextField, symbol: int) -> str | None:
    """Do what Ctrl and a key mean in a field. Return the text to be copied, if there is any."""
    return field._shortcut(symbol)
