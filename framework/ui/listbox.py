"""The list that a dropdown opens, from which the player chooses an item."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..input import key
from .basic_widgets import Button, choice_widths, ink, interface_around, ruler_of
from .containers import GRIP, Popup, RootArea
from .dropdown import MARK
from .widget import Widget, node_of

if TYPE_CHECKING:
    from .brush import Brush
    from .dropdown import Dropdown
    from .text_ruler import Ruler

_GAP = 2.0  # units between the dropdown and its list
_PADDING = 4.0
_ENTRY_PADDING = (10.0, 5.0)
_MAX_CACHED = 8  # maximum number of widths for which the edges of entries are cached


class _Entry(Button):
    """A button in an open list. Each entry shows one of the choices."""

    def __init__(self, number: int, dropdown: Dropdown) -> None:
        super().__init__(
            dropdown.choices[number],
            align="left",
            padding=_ENTRY_PADDING,
            font_size=dropdown.font_size,
        )
        self.number = number
        self._value = dropdown.choices[number]
        self._dropdown = dropdown

    def press(self) -> None:
        self._dropdown.close()
        self._dropdown.choose(self._value)

    def on_direction(self, direction: str) -> bool:
        # the focus stays here, because no widget is beside an entry
        return direction in ("left", "right")

    def paint(self, brush: Brush) -> None:
        theme = brush.theme
        w = self.box.w
        h = self.box.h
        if self.hovered or self.focused:
            edge = theme.focus if self.focused else theme.hover
            brush.box(
                0, 0, w, h, fill=theme.hover, edge=edge, edge_width=2, radius=theme.radius / 2
            )
        chosen = self._dropdown.value == self._value
        color = ink(brush, theme.accent if chosen else theme.text)
        self.paint_text(brush, self.text, color, self.align)


class _Entries(Widget):
    """The container with the entries of an open list.

    Only the entries near the visible part of the list, and next to the focus, exist as widgets. So
    even a list with thousands of choices needs only a few dozen widgets.
    """

    not_state = ("_edges",)

    def __init__(self, dropdown: Dropdown) -> None:
        super().__init__()
        self._dropdown = dropdown
        # A dict from (ruler, font size, width) to the edges of entries, in units from the top.
        self._edges: dict[tuple[Ruler, float, float], list[float]] = {}

    def _renewed(self) -> None:
        self._edges = {}

    def entry(self, number: int) -> _Entry:
        """Return the entry of the choice with the index ``number``.

        Create its widget if it does not exist yet.
        """
        entries = self._existing()
        index = bisect_left(entries, number, key=lambda entry: entry.number)
        if index < len(entries) and entries[index].number == number:
            return entries[index]
        entry = _Entry(number, self._dropdown)
        self.add(entry, index)
        return entry

    def _existing(self) -> list[_Entry]:
        """Return all entries that exist as widgets, in the order of the choices."""
        return [child for child in node_of(self).children if isinstance(child, _Entry)]

    def show(self, top: float, bottom: float) -> None:
        """Create all entries between ``top`` and ``bottom``, and the neighbors of the entry with
        the focus.

        ``top`` and ``bottom`` are in units from the top of the list. Remove the entries that are
        far from the visible part of the list.
        """
        edges = self.edges(self.box.w or self._dropdown.box.w)
        last = len(self._dropdown.choices) - 1
        first = max(bisect_right(edges, top) - 1, 0)
        end = min(bisect_left(edges, bottom), last + 1)
        existing = {entry.number: entry for entry in self._existing()}
        needed = {0, last, *range(first, end), *_around_active(existing)}
        if needed & set(range(last + 1)) <= existing.keys():
            return
        page = end - first
        needed = {
            number for number in (*needed, *range(first - page, end + page)) if 0 <= number <= last
        }
        for number in existing.keys() - needed:
            existing[number].remove()
        for number in sorted(needed):
            self.entry(number)

    def edges(self, width: float) -> list[float]:
        """Return the top edge of each entry, and the bottom edge of the last entry. ``width`` is
        the width of the list in units.

        The edges are in units from the top of the list.
        """
        dropdown = self._dropdown
        size = self._dropdown.current_font_size
        ruler = ruler_of(dropdown)
        available = max(width - 2 * _ENTRY_PADDING[0], 0.0)
        cache_key = ruler, size, available
        edges = self._edges.get(cache_key)
        if edges is None:
            line_height = ruler.line_height(size)
            counts = _line_counts(dropdown, available)
            if len(self._edges) >= _MAX_CACHED:
                self._edges.clear()
            heights = (line_height * count + 2 * _ENTRY_PADDING[1] for count in counts)
            edges = self._edges[cache_key] = list(accumulate(heights, initial=0.0))
        return edges

    def size(self, available: float) -> tuple[float, float]:
        dropdown = self._dropdown
        widest = max(choice_widths(dropdown)) - ruler_of(dropdown).width(
            MARK, dropdown.current_font_size
        )
        width = min(widest + 2 * _ENTRY_PADDING[0], available)
        return width, self.edges(width)[-1]

    def places(
        self, width: float, height: float, sizes: Sequence[tuple[float, float]]
    ) -> Iterator[tuple[float, float, float, float]]:
        """Yield (x, y, width, height) for each existing entry. See `Widget`."""
        edges = self.edges(width)
        for entry in (entry for entry in self._existing() if entry.visible):
            top, bottom = edges[entry.number : entry.number + 2]
            yield 0.0, top, width, bottom - top


def _around_active(entries: Mapping[int, _Entry]) -> Iterator[int]:
    """Yield the indices of the entries that the player is using now, and of their neighbors."""
    for number, entry in entries.items():
        if entry.focused or entry.hovered or entry.held:
            yield from range(number - 1, number + 2)


def _line_counts(dropdown: Dropdown, available: float) -> Iterator[int]:
    """Yield the number of text lines of each choice. A line is at most ``available`` units wide."""
    size = dropdown.current_font_size
    ruler = ruler_of(dropdown)
    # The dropdown has already measured the texts together with a narrow mark.
    max_width = available + ruler.width(MARK, size)
    for text, width in zip(map(str, dropdown.choices), choice_widths(dropdown), strict=True):
        if width <= max_width and text.isprintable():
            yield 1
        else:
            yield len(ruler.lines(text, size, available))


class ListBox(Popup):
    """The open list of a dropdown. The list opens below or above the dropdown, depending on the
    free space.

    The list closes when the player clicks outside it.
    """

    closes_elsewhere = True

    def __init__(self, dropdown: Dropdown) -> None:
        interface = interface_around(dropdown)
        options: dict[str, Any] = (
            {} if dropdown.theme is interface.theme else {"theme": dropdown.theme}
        )
        super().__init__(dropdown, padding=_PADDING, margin=0, action="cancel", **options)
        self._dropdown = dropdown
        self._entries = self.add(_Entries(dropdown))
        self._typed = ""
        self._found = -1

    def entry(self, number: int) -> Button:
        """Return the entry of the choice with the index ``number``."""
        return self._entries.entry(number)

    @property
    def chosen(self) -> Button:
        """The entry that shows the current value of the dropdown. If the value is not one of the
        choices, `chosen` is the first entry.
        """
        values = self._dropdown.choices
        value = self._dropdown.value
        return self.entry(values.index(value) if value in values else 0)

    def press(self) -> None:
        self.remove()

    def area(self, width: float, height: float) -> RootArea:
        """Return the area of the view for the list: below or above the dropdown. The list is above
        the dropdown only if it does not fit below and there is more space above.

        ``width`` and ``height`` are the size of the view in units of the `UI`. The list is never
        narrower than the dropdown.
        """
        around = self._dropdown.box
        size = self._dropdown.current_font_size
        x, y = around.absolute_position()
        x = min(max(x, 0.0), max(width - around.w, 0.0))
        top, bottom = (min(max(edge, 0.0), height) for edge in (y, y + around.h))
        entry = ruler_of(self._dropdown).line_height(size) + 2 * _ENTRY_PADDING[1]
        count = len(self._dropdown.choices)
        preferred = min(count, self._dropdown.rows) * entry + 2 * _PADDING
        above, below = (max(free - _GAP - _PADDING, 0.0) for free in (top, height - bottom))
        is_below = below >= min(preferred, above)
        available = below if is_below else above
        list_height = min(preferred, available)
        bar_width = GRIP / 2 if list_height < count * entry else 0.0
        self.box.min_width = around.w
        self.box.max_height = list_height
        self.box.padding = _PADDING, _PADDING, _PADDING + bar_width, _PADDING
        self._entries.show(self.offset - _PADDING, self.offset - _PADDING + list_height)
        return RootArea(
            x,
            bottom + _GAP if is_below else top - _GAP - available,
            width - x,
            available,
            0.0,
            0.0 if is_below else 1.0,
        )

    @property
    def _focused_index(self) -> int:
        """The index of the entry that has the focus, or 0."""
        focus = interface_around(self).focus
        return focus.number if isinstance(focus, _Entry) and focus.parent is self._entries else 0

    def write(self, text: str) -> None:
        """Move the focus to the next entry that begins with the letters that the player has typed.

        If no entry begins with these letters, use only the last letter.
        """
        current = self._focused_index
        typed = self._typed + text if current == self._found else text
        match = self._entry_beginning(typed, current)
        if match is None:
            typed = text
            match = self._entry_beginning(text, current + 1)
        if match is not None:
            self._typed = typed
            self._found = match
            self._focus_entry(match)

    def _focus_entry(self, number: int) -> None:
        """Give the focus to an entry. If the game has hidden or disabled the entry, do nothing."""
        entry = self.entry(number)
        interface = interface_around(self)
        if node_of(entry).interface is interface and node_of(entry).interactive:
            interface.set_focus(entry)

    def _entry_beginning(self, typed: str, start: int) -> int | None:
        """Return the index of the next entry that begins with the text ``typed``, or None if there
        is none.

        The search begins at the index ``start``. After the last entry, the search continues at the
        first entry.
        """
        values = self._dropdown.choices
        typed = typed.casefold()
        order = (number % len(values) for number in range(start, start + len(values)))
        return next(
            (number for number in order if str(values[number]).casefold().startswith(typed)), None
        )

    def on_text_motion(self, motion: int) -> None:
        last = len(self._dropdown.choices) - 1
        rows = self._dropdown.rows - 1
        current = self._focused_index
        target = {
            key.MOTION_BEGINNING_OF_LINE: 0,
            key.MOTION_END_OF_LINE: last,
            key.MOTION_BEGINNING_OF_FILE: 0,
            key.MOTION_END_OF_FILE: last,
            key.MOTION_PREVIOUS_PAGE: current - rows,
            key.MOTION_NEXT_PAGE: current + rows,
        }.get(motion)
        if target is not None:
            self._focus_entry(min(max(target, 0), last))

    def paint(self, brush: Brush) -> None:
        brush.panel(self.box.w, self.box.h, solid=True)
