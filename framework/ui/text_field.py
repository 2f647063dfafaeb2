"""A field in which the player types, selects and copies text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..checks import flag, whole
from ..input import key
from ..moved_names import moved, renamed_options
from ..text.markup import clusters
from .basic_widgets import TextLabel, ink, is_usable, ruler_of
from .easing import Levels, mixed
from .theme import dimmed
from .widget import ShownSetting, Widget, as_text, callback, maybe_function, no_action, node_of

if TYPE_CHECKING:
    from .brush import Brush
    from .text_ruler import Ruler

_MAX_LETTERS = 10_000
_MAX_HINT = 1000  # letters
_WORD = re.compile(r"\S+")
_GAP = re.compile(r"\s+")
_JOINERS = "\n\u200c\u200d\ufe0f"  # line breaks, and joiners within emoji and joined scripts


class _Broken(NamedTuple):
    """The cached line breaks of a text field. They are valid until ``ruler``, ``text`` or ``about``
    changes. ``about`` contains the font size and the available width, in units. ``known`` contains
    the line breaks of each paragraph.
    """

    ruler: Ruler
    about: tuple[float, float]
    text: str | None
    known: dict[str, list[tuple[int, int]]]
    lines: list[tuple[int, int]]

    def changed(self, text: str) -> _Broken:
        """Return the line breaks of a new text. The line breaks of unchanged paragraphs are not
        computed again.
        """
        paragraphs = text.split("\n")
        breaks = {
            paragraph: self.known.get(paragraph) or self.ruler.breaks(paragraph, *self.about)
            for paragraph in dict.fromkeys(paragraphs)
        }
        lines = []
        start = 0
        for paragraph in paragraphs:
            lines += [(start + first, start + last) for first, last in breaks[paragraph]]
            start += len(paragraph) + 1
        return _Broken(self.ruler, self.about, text, breaks, lines)


class _Typed(ShownSetting[str]):
    """The property `TextField.text`. Unprintable letters, and letters beyond the maximum number
    ``limit``, are removed.
    """

    def keep(self, field: Widget, value: str) -> None:
        assert isinstance(field, TextField)
        super().keep(field, field._valid_part(value)[: field.limit])


@moved("field", {"enter": "submit"}, settings={"entered": "on_submit", "edited": "on_edit"})
class TextField(TextLabel, creator="text_field"):
    """A field for typing text: ``menu.text_field("Name", self.rename)``.

    When the player presses Enter, ``on_submit`` is called with the text. While the field has the
    focus, the game does not receive keys. The typed text depends on the keyboard layout and the
    input method of the operating system. Ctrl C copies, Ctrl X cuts, Ctrl V pastes, and Ctrl A
    selects all text.

    Parameters
    ----------
    hint
        A text of at most 1,000 letters that is shown while the field is empty.
    limit
        The maximum number of letters, from 1 to 10,000. By default, ``limit`` is 200.
    lines
        The number of visible lines, from 1 to 100. By default, ``lines`` is 1. If ``lines`` is
        above 1, Enter begins a new line, and Ctrl Enter calls ``on_submit``.
    hidden
        Whether the field shows a dot for each letter, for example for a password. If ``hidden`` is
        True, the player cannot copy the text, and ``lines`` must be 1. Recordings contain hidden
        text in readable form.
    accepts
        A function that checks the new text when the player types or pastes letters, such as
        ``accepts=str.isdigit``. If the function returns False, the text does not change. The player
        can always delete letters: ``accepts`` is not called for this.
    on_edit
        A function that is called with the new text each time the player changes it.
    """

    focusable = True
    solid = True

    _transient_attributes = ("_broken", "_stopped")

    _broken: _Broken | None = None
    # A key that consists of the ruler, the text and the font size, and the edges of the letters.
    _stopped: tuple[tuple[Ruler, str, float], list[float]] | None = None

    text = _Typed(
        as_text, "The text of the field. Letters after the first ``limit`` letters are cut off."
    )

    @renamed_options("TextField", entered="on_submit", edited="on_edit")
    def __init__(
        self,
        text: object = "",
        on_submit: Callable[[str], object] = no_action,
        *,
        hint: str = "",
        limit: int = 200,
        lines: int = 1,
        hidden: bool = False,
        accepts: Callable[[str], object] | None = None,
        on_edit: Callable[[str], object] = no_action,
        **options: Any,
    ) -> None:
        options.setdefault("padding", (10, 8))
        options.setdefault("min_width", 120)
        self.limit = whole("limit", limit, 1, _MAX_LETTERS)
        self.lines = whole("lines", lines, 1, 100)
        self.hint = self._valid_part(str(hint))[:_MAX_HINT]
        self.on_submit = callback("on_submit", on_submit)
        self.on_edit = callback("on_edit", on_edit)
        self.accepts = maybe_function("accepts", accepts)
        self.hidden = flag("hidden", hidden)
        if self.hidden and self.lines > 1:
            raise ValueError(f"hidden: expected 1 line in a hidden field, got {self.lines}")
        super().__init__(text, **options)
        self.caret = self.mark = len(self.text)

    @property
    def selection(self) -> tuple[int, int]:
        """The start and the end of the selected text, as indices of letters.

        If no text is selected, the start and the end are equal.
        """
        length = len(self.text)
        start, stop = sorted((min(self.caret, length), min(self.mark, length)))
        return start, stop

    @property
    def selected(self) -> str:
        """The selected text, or "" if no text is selected."""
        start, stop = self.selection
        return str(self.text)[start:stop]

    def _valid_part(self, text: str) -> str:
        """Return ``text`` without the letters that the field does not accept. The field accepts
        printable letters and line breaks.
        """
        text = text[: 2 * _MAX_LETTERS].replace("\r\n", "\n").replace("\r", "\n")
        if self.lines == 1:
            text = text.replace("\n", " ")
        if text.replace("\n", "").isprintable():
            return text
        return "".join(letter for letter in text if letter.isprintable() or letter in _JOINERS)

    def type(self, text: str) -> None:
        """Replace the selected text with ``text``, as if the player had typed it. The result is
        limited to `limit` letters.
        """
        start, stop = self.selection
        typed = self._valid_part(text)[: max(self.limit - len(self.text) + stop - start, 0)]
        new_text = self.text[:start] + typed + self.text[stop:]
        if (typed or start != stop) and (
            not new_text or self.accepts is None or self.accepts(new_text)
        ):
            self.text = new_text
            self.caret = self.mark = start + len(typed)
            self._notify()

    def _notify(self) -> None:
        """Arrange for `on_edit` to be called after all events of the tick."""
        interface = node_of(self).interface
        if self.on_edit is not None and interface is not None:
            interface.call_later(self.on_edit, self.text)

    @property
    def _display_text(self) -> str:
        """The text that the field shows. If the field is hidden, the shown text contains a dot for
        each letter.
        """
        return "•" * len(self.text) if self.hidden else str(self.text)

    def _move(self, motion: int, select: bool) -> None:
        start, stop = self.selection
        if motion in (key.MOTION_BACKSPACE, key.MOTION_DELETE):
            if start == stop:
                self.mark = self._next_letter(start, -1 if motion == key.MOTION_BACKSPACE else 1)
            self._delete_selection()
            return
        position = self._motion_target(motion)
        if not select and start != stop and motion in (key.MOTION_LEFT, key.MOTION_RIGHT):
            position = start if motion == key.MOTION_LEFT else stop
        self.caret = position
        if not select:
            self.mark = position
        self.changed()

    def _delete_selection(self) -> None:
        start, stop = self.selection
        self.text = self.text[:start] + self.text[stop:]
        self.caret = self.mark = start
        self.changed()
        if start != stop:
            self._notify()

    def _motion_target(self, motion: int) -> int:
        text = str(self.text)
        caret = min(self.caret, len(self.text))
        if motion in (key.MOTION_LEFT, key.MOTION_RIGHT):
            return self._next_letter(caret, 1 if motion == key.MOTION_RIGHT else -1)
        if motion == key.MOTION_PREVIOUS_WORD:
            return max((word.start() for word in _WORD.finditer(text, 0, caret)), default=0)
        if motion == key.MOTION_NEXT_WORD:
            gap = _GAP.search(text, caret)
            return len(text) if gap is None else gap.end()
        if motion in (key.MOTION_BEGINNING_OF_FILE, key.MOTION_END_OF_FILE):
            return 0 if motion == key.MOTION_BEGINNING_OF_FILE else len(text)
        if motion in (key.MOTION_BEGINNING_OF_LINE, key.MOTION_END_OF_LINE):
            start, stop = self._rows()[self._row_of(caret)]
            return start if motion == key.MOTION_BEGINNING_OF_LINE else stop
        if motion in (key.MOTION_UP, key.MOTION_DOWN):
            return self._next_row(caret, 1 if motion == key.MOTION_DOWN else -1)
        return caret

    def _next_row(self, caret: int, step: int) -> int:
        """Return the caret position one line above (``step`` -1) or below (``step`` 1) a caret
        position.
        """
        row = self._row_of(caret)
        start, stop = self._rows()[row]
        carets = ruler_of(self).carets(str(self.text)[start:stop], self.current_font_size)
        return self._position_at(row + step, carets[min(caret, stop) - start])

    def _next_letter(self, caret: int, step: int) -> int:
        """Return the caret position one letter further: to the right if ``step`` is 1, or to the
        left if it is -1.

        A letter may consist of several characters, for example an emoji.
        """
        if self.text.isascii():
            return min(max(caret + step, 0), len(self.text))
        position = 0
        for letter in clusters(self.text):
            if step < 0 and position + len(letter) >= caret:
                return position
            position += len(letter)
            if step > 0 and position > caret:
                return position
        return max(caret - 1, 0) if step < 0 else len(self.text)

    # -- lines -------------------------------------------------------------------------------------

    def _rows(self) -> list[tuple[int, int]]:
        """For each line, return the index of the first letter and the index after the last letter."""
        if self.lines == 1:
            return [(0, len(self.text))]
        ruler = ruler_of(self)
        text = str(self.text)
        settings = (self.current_font_size, max(self._text_width(), 1.0))
        broken = self._broken
        if broken is None or (broken.ruler, broken.about) != (ruler, settings):
            broken = _Broken(ruler, settings, None, {}, [])
        if broken.text != text:
            self._broken = broken = broken.changed(text)
        return broken.lines

    def _row_of(self, position: int) -> int:
        starts = [start for start, _ in self._rows()]
        return max(bisect_right(starts, position) - 1, 0)

    def _position_at(self, row: int, x: float) -> int:
        """Return the caret position that is nearest to ``x`` in a line. ``x`` is in units from the
        left edge of the line.
        """
        rows = self._rows()
        if not 0 <= row < len(rows):
            return 0 if row < 0 else len(self.text)
        start, stop = rows[row]
        stops = ruler_of(self).carets(self._display_text[start:stop], self.current_font_size)
        return start + min(range(len(stops)), key=lambda end: abs(stops[end] - x))

    def _first_row(self) -> int:
        """Return the index of the first visible line. It depends on the caret, because the line
        with the caret must be visible.
        """
        if not self.focused:
            return 0
        height = self.box.h - 2 * self.box.padding[1]
        fitting = max(int(height / ruler_of(self).line_height(self.current_font_size) + 0.01), 1)
        return max(self._row_of(self.caret) - fitting + 1, 0)

    def _shortcut(self, symbol: int) -> str | None:
        if symbol == key.A:
            self.mark = 0
            self.caret = len(self.text)
            self.changed()
        elif symbol in (key.C, key.X) and self.selected and not self.hidden:
            copied = self.selected
            if symbol == key.X:
                self._delete_selection()
            return copied
        return None

    def submit(self) -> None:
        """Call `on_submit` with the text, as if the player had pressed Enter."""
        interface = node_of(self).interface
        if self.on_submit is not None and interface is not None:
            interface.call_later(self.on_submit, self.text)

    def on_drag(self, x: float, y: float, begins: bool) -> None:
        content_x = x - self.box.padding[0] + self._scroll_offset()
        row = 0
        if self.lines > 1:
            row = self._first_row() + int(
                (y - self.box.padding[1]) // ruler_of(self).line_height(self.current_font_size)
            )
            row = min(max(row, 0), len(self._rows()) - 1)
        self.caret = self._position_at(row, content_x)
        if begins:
            self.mark = self.caret
        self.changed()

    def _text_width(self) -> float:
        return float(max(self.box.w - self.box.padding[0] - self.box.padding[2], 0.0))

    def _letter_edges(self) -> list[float]:
        """Return the left edge of each letter, and the right edge of the last letter. Only for a
        field with one line.
        """
        cache_key = ruler_of(self), self._display_text, self.current_font_size
        if self._stopped is None or self._stopped[0] != cache_key:
            self._stopped = cache_key, cache_key[0].stops(*cache_key[1:])
        return self._stopped[1]

    def _scroll_offset(self) -> float:
        """Return how far a long text is moved to the left, in units. If a text is wider than the
        field, it is moved so that the caret is visible.
        """
        if not self.focused or self.lines > 1:
            return 0.0
        stops = self._letter_edges()
        overflow = stops[min(self.caret, len(self.text))] + 2 - self._text_width()
        return stops[min(bisect_left(stops, overflow), len(stops) - 1)] if overflow > 0 else 0.0

    def min_content_width(self) -> float:
        return 40.0

    def size(self, available: float) -> tuple[float, float]:
        return min(available, 240.0), self.lines * ruler_of(self).line_height(
            self.current_font_size
        )

    def paint(self, brush: Brush) -> None:
        self._paint_frame(brush)
        h = self.box.h
        line_height = ruler_of(self).line_height(self.current_font_size)
        first = self._first_row()
        moved = self._scroll_offset()
        top = self.box.padding[1] if self.lines > 1 else (h - line_height) / 2
        if not self.text and self.hint:
            self._paint_hint(brush, top + line_height)
        caret_row = self._row_of(self.caret) if self.focused else -1
        for row, (start, stop) in enumerate(self._rows()):
            y = top + (row - first) * line_height
            if row >= first and (y + line_height <= h + 1 or row == first):
                self._paint_row(brush, *self._visible_part(start, stop, moved), y, row == caret_row)

    def _visible_part(self, start: int, stop: int, moved: float) -> tuple[int, int]:
        """Return the index of the first visible letter in a line, and the index after the last
        visible letter.

        ``moved`` is how far the line is moved to the left, in units.
        """
        stops = (
            self._letter_edges()
            if self.lines == 1
            else ruler_of(self).stops(self._display_text[start:stop], self.current_font_size)
        )
        begin = bisect_left(stops, moved)
        return start + begin, start + max(
            bisect_right(stops, moved + self._text_width() + 0.01) - 1, begin
        )

    def _paint_frame(self, brush: Brush) -> None:
        theme = brush.theme
        target = Levels(focus=float(self.focused))
        focus = brush.eases.levels(self, target, theme.ease).focus
        brush.box(
            0,
            0,
            self.box.w,
            self.box.h,
            fill=theme.track,
            radius=theme.radius / 2,
            edge=mixed(dimmed(theme.edge, is_usable(self)), theme.focus, focus),
            edge_width=2 if self.focused else 1,
        )

    def _paint_hint(self, brush: Brush, bottom: float) -> None:
        """Draw the part of the hint that fits into the field. ``bottom`` is its bottom edge."""
        size = self.current_font_size
        stops = ruler_of(self).stops(self.hint, size)
        fitting = max(bisect_right(stops, self._text_width() + 0.01) - 1, 0)
        brush.text(self.hint[:fitting], size, self.box.padding[0], bottom, brush.theme.disabled)

    def _paint_row(self, brush: Brush, begin: int, end: int, y: float, has_caret: bool) -> None:
        theme = brush.theme
        size = self.current_font_size
        text = self._display_text
        left = self.box.padding[0]
        line_height = ruler_of(self).line_height(size)
        lower, upper = (min(max(position, begin), end) - begin for position in self.selection)
        carets = ruler_of(self).carets(text[begin:end], size)
        if self.focused and upper > lower:
            x = min(carets[lower : upper + 1])
            right = max(carets[lower : upper + 1])
            brush.box(
                left + x, y, right - x, line_height, fill=(*theme.accent[:3], 0.5), edge_width=0
            )
        brush.text(text[begin:end], size, left, y + line_height, ink(brush))
        if has_caret:
            caret_x = carets[max(min(self.caret, end), begin) - begin]
            x = left + min(caret_x, self._text_width())
            brush.box(x, y + 2, 2, line_height - 4, fill=theme.focus, edge_width=0)


def move_caret(field: TextField, motion: int, select: bool) -> None:
    """Move the caret of a field, or delete a letter.

    ``motion`` is one of pyglet's ``MOTION_…`` constants, such as ``MOTION_LEFT``.

    If ``select`` is True, select the letters between the old and the new position of the caret.
    """
    field._move(motion, select)


def shortcut(field: TextField, symbol: int) -> str | None:
    """Run the shortcut Ctrl A, Ctrl C or Ctrl X.

    Return the text for the clipboard if the shortcut copies or cuts, otherwise None.
    """
    return field._shortcut(symbol)
