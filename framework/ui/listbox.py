"""The list of a dropdown, while it is open."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..input import key
from .dropdown import MARK
from .gadgets import Button, choice_widths, interface_around, ruler_of
from .panes import GRIP, Area, Popup
from .widget import Widget, seat_of

if TYPE_CHECKING:
    from .brush import Brush
    from .captions import Ruler
    from .dropdown import Dropdown

_APART = 2.0  # units between the dropdown and its list
_PADDING = 4.0
_AROUND = (10.0, 5.0)  # of an entry
_MOST_WIDTHS = 8  # for which it is known where entries begin


class _Entry(Button):
    """One of the list."""

    def __init__(self, number: int, dropdown: Dropdown) -> None:
        super().__init__(
            dropdown.choices[number], align="left", padding=_AROUND, size=dropdown.letters
        )
        self.number, self._value, self._dropdown = number, dropdown.choices[number], dropdown

    def press(self) -> None:
        self._dropdown.close()
        self._dropdown.choose(self._value)

    def steer(self, direction: str) -> bool:
        return direction in ("left", "right")  # there is nothing beside it

    def paint(self, brush: Brush) -> None:
        theme, w, h = brush.theme, self.box.w, self.box.h
        if self.hot or self.focused:
            edge = theme.focus if self.focused else theme.hot
            brush.box(0, 0, w, h, fill=theme.hot, edge=edge, edge_width=2, radius=theme.radius / 2)
        chosen = self._dropdown.value == self._value
        self.write(brush, self.text, theme.accent if chosen else theme.text, self.align)


class _Entries(Widget):
    """The entries, of which those are there that are seen or could be next: of thousands some
    dozens.
    """

    not_state = ("_edges",)

    def __init__(self, dropdown: Dropdown) -> None:
        super().__init__()
        self._dropdown = dropdown
        self._edges: dict[
            tuple[Ruler, float, float], list[float]
        ] = {}  # between entries, units from the top; by what they follow from

    def _renewed(self) -> None:
        self._edges = {}

    def entry(self, number: int) -> _Entry:
        """One of them, which is there from now on."""
        entries = self._there()
        place = bisect_left(entries, number, key=lambda entry: entry.number)
        if place < len(entries) and entries[place].number == number:
            return entries[place]
        entry = _Entry(number, self._dropdown)
        self.put(entry, place)
        return entry

    def _there(self) -> list[_Entry]:
        """Return the entries that there are, in their order."""
        return [child for child in seat_of(self).children if isinstance(child, _Entry)]

    def show(self, top: float, bottom: float) -> None:
        """Have those that are seen between two heights, and those that the focus may go to."""
        edges, last = (
            self.edges(self.box.w or self._dropdown.box.w),
            len(self._dropdown.choices) - 1,
        )
        first, end = max(bisect_right(edges, top) - 1, 0), min(bisect_left(edges, bottom), last + 1)
        there = {entry.number: entry for entry in self._there()}
        kept = [
            number for number, entry in there.items() if entry.focused or entry.hot or entry.held
        ]
        needed = {
            0,
            last,
            *range(first, end),
            *(near for number in kept for near in range(number - 1, number + 2)),
        }
        if needed & set(range(last + 1)) <= there.keys():
            return
        page = end - first
        needed = {
            number for number in (*needed, *range(first - page, end + page)) if 0 <= number <= last
        }
        for number in there.keys() - needed:
            there[number].remove()
        for number in sorted(needed):
            self.entry(number)

    def edges(self, width: float) -> list[float]:
        """The upper edges of all entries, and the lower one of the last, where they are so wide."""
        dropdown, size = self._dropdown, self._dropdown.letter_size
        ruler, room = ruler_of(dropdown), max(width - 2 * _AROUND[0], 0.0)
        asked = ruler, size, room
        found = self._edges.get(asked)
        if found is None:
            # With its mark, as the dropdown has measured it already, a text is hardly wider than
            # without.
            high, most = ruler.line_height(size), room + ruler.width(MARK, size)
            each = zip(map(str, dropdown.choices), choice_widths(dropdown), strict=True)
            counts = (
                1 if wide <= most and text.isprintable() else len(ruler.lines(text, size, room))
                for text, wide in each
            )
            if len(self._edges) >= _MOST_WIDTHS:
                self._edges.clear()
            heights = (high * count + 2 * _AROUND[1] for count in counts)
            found = self._edges[asked] = list(accumulate(heights, initial=0.0))
        return found

    def size(self, available: float) -> tuple[float, float]:
        dropdown = self._dropdown
        widest = max(choice_widths(dropdown)) - ruler_of(dropdown).width(MARK, dropdown.letter_size)
        width = min(widest + 2 * _AROUND[0], available)
        return width, self.edges(width)[-1]

    def places(
        self, width: float, height: float, sizes: Sequence[tuple[float, float]]
    ) -> Iterator[tuple[float, float, float, float]]:
        """Where those are that are there."""
        edges = self.edges(width)
        for entry in (entry for entry in self._there() if entry.visible):
            top, bottom = edges[entry.number : entry.number + 2]
            yield 0.0, top, width, bottom - top


class ListBox(Popup):
    """The entries of a dropdown, below or above it: they go as soon as the player is elsewhere."""

    closes_elsewhere = True

    def __init__(self, dropdown: Dropdown) -> None:
        interface = interface_around(dropdown)
        given: dict[str, Any] = (
            {} if dropdown.theme is interface.theme else {"theme": dropdown.theme}
        )
        super().__init__(dropdown, padding=_PADDING, margin=0, action="cancel", **given)
        self._dropdown = dropdown
        self._entries = self.add(_Entries(dropdown))
        self._typed, self._found = "", -1

    def entry(self, number: int) -> Button:
        """The entry of one of the choices."""
        return self._entries.entry(number)

    @property
    def chosen(self) -> Button:
        """The entry with the dropdown's value, or the first one."""
        values, value = self._dropdown.choices, self._dropdown.value
        return self.entry(values.index(value) if value in values else 0)

    def press(self) -> None:
        self.remove()

    def area(self, width: float, height: float) -> Area:
        """Below the dropdown, or above it where there is more room; as wide as that, if not
        wider.
        """
        around, size = self._dropdown.box, self._dropdown.letter_size
        x, y = around.place()
        x = min(max(x, 0.0), max(width - around.w, 0.0))
        top, bottom = (min(max(edge, 0.0), height) for edge in (y, y + around.h))
        entry = ruler_of(self._dropdown).line_height(size) + 2 * _AROUND[1]
        count = len(self._dropdown.choices)
        wanted = min(count, self._dropdown.rows) * entry + 2 * _PADDING
        above, below = (max(free - _APART - _PADDING, 0.0) for free in (top, height - bottom))
        down = below >= min(wanted, above)
        room = below if down else above
        high = min(wanted, room)
        bar = GRIP / 2 if high < count * entry else 0.0
        self.box.min_width, self.box.max_height = around.w, high
        self.box.padding = _PADDING, _PADDING, _PADDING + bar, _PADDING
        self._entries.show(self.offset - _PADDING, self.offset - _PADDING + high)
        return Area(
            x,
            bottom + _APART if down else top - _APART - room,
            width - x,
            room,
            0.0,
            0.0 if down else 1.0,
        )

    @property
    def _here(self) -> int:
        """The number of the entry with the focus."""
        focus = interface_around(self).focus
        return focus.number if isinstance(focus, _Entry) and focus.parent is self._entries else 0

    def write(self, text: str) -> None:
        """Go to the entry that begins with what was typed: with all of it, if there is one, or else
        with the last.
        """
        here = self._here
        typed = self._typed + text if here == self._found else text
        found = self._beginning(typed, here)
        if found is None:
            typed, found = text, self._beginning(text, here + 1)
        if found is not None:
            self._typed, self._found = typed, found
            self._go(found)

    def _go(self, number: int) -> None:
        """Put the focus on an entry, unless the game has hidden or disabled it."""
        entry, interface = self.entry(number), interface_around(self)
        if seat_of(entry).interface is interface and seat_of(entry).usable:
            interface.set_focus(entry)

    def _beginning(self, typed: str, start: int) -> int | None:
        """The next entry from there on, and round, that begins so."""
        values, typed = self._dropdown.choices, typed.casefold()
        order = (number % len(values) for number in range(start, start + len(values)))
        return next(
            (number for number in order if str(values[number]).casefold().startswith(typed)), None
        )

    def hear_motion(self, motion: int) -> None:
        last, rows, here = len(self._dropdown.choices) - 1, self._dropdown.rows - 1, self._here
        to = {
            key.MOTION_BEGINNING_OF_LINE: 0,
            key.MOTION_END_OF_LINE: last,
            key.MOTION_BEGINNING_OF_FILE: 0,
            key.MOTION_END_OF_FILE: last,
            key.MOTION_PREVIOUS_PAGE: here - rows,
            key.MOTION_NEXT_PAGE: here + rows,
        }.get(motion)
        if to is not None:
            self._go(min(max(to, 0), last))

    def paint(self, brush: Brush) -> None:
        brush.panel(self.box.w, self.box.h, solid=True)
