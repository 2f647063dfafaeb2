"""The list of a dropdown, while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..input import key
from .gadgets import Button
from .panes import GRIP, Place, Root

if TYPE_CHECKING:
    from .brush import Brush
    from .dropdown import Dropdown

_APART = 2.0  # units between the dropdown and its list
_PADDING = 4.0
_AROUND = (10.0, 5.0)  # of an entry


class _Entry(Button):
    """One of the list."""

    def __init__(self, value: Any, dropdown: Dropdown) -> None:
        super().__init__(value, align="left", padding=_AROUND, size=dropdown.letters)
        self._value, self._dropdown = value, dropdown

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
        self.write(brush, self.shown_text(), theme.accent if chosen else theme.text, self.align)


class ListBox(Root):
    """The entries of a dropdown, below or above it: they go as soon as the player is elsewhere."""

    popup = True

    def __init__(self, dropdown: Dropdown) -> None:
        given: dict[str, Any] = {} if dropdown.theme is dropdown.ui.theme else {"theme": dropdown.theme}
        super().__init__(modal=True, panel=True, padding=_PADDING, margin=0, action="cancel", **given)
        self.serves = self._dropdown = dropdown
        self.entries = [self.add(_Entry(value, dropdown)) for value in dropdown.choices]
        self._typed, self._found = "", -1

    @property
    def chosen(self) -> Button:
        """The entry with the dropdown's value, or the first one."""
        values, value = self._dropdown.choices, self._dropdown.value
        return self.entries[values.index(value) if value in values else 0]

    def press(self) -> None:
        self.remove()

    def place(self, width: float, height: float) -> Place:
        """Below the dropdown, or above it where there is more room; as wide as that, if not wider."""
        around, size = self._dropdown.box, self._dropdown.letter_size
        x, y = around.place()
        x = min(max(x, 0.0), max(width - around.w, 0.0))
        top, bottom = (min(max(edge, 0.0), height) for edge in (y, y + around.h))
        entry = self._dropdown.ruler().line_height(size) + 2 * _AROUND[1]
        wanted = min(len(self.entries), self._dropdown.rows) * entry + 2 * _PADDING
        above, below = (max(free - _APART - _PADDING, 0.0) for free in (top, height - bottom))
        down = below >= min(wanted, above)
        room = below if down else above
        high = min(wanted, room)
        bar = GRIP / 2 if high < len(self.entries) * entry else 0.0
        self.box.min_width, self.box.max_height = around.w, high
        self.box.padding = _PADDING, _PADDING, _PADDING + bar, _PADDING
        return Place(x, bottom + _APART if down else top - _APART - room, width - x, room, 0.0, 0.0 if down else 1.0)

    def write(self, text: str) -> None:
        """Go to the entry that begins with what was typed: with all of it, if there is one, or else with the last."""
        focus = self.ui.focus
        here = next((number for number, entry in enumerate(self.entries) if entry is focus), 0)
        typed = self._typed + text if here == self._found else text
        found = self._beginning(typed, here)
        if found is None:
            typed, found = text, self._beginning(text, here + 1)
        if found is not None:
            self._typed, self._found = typed, found
            self.ui.set_focus(self.entries[found])

    def _beginning(self, typed: str, start: int) -> int | None:
        """The next entry from there on, and round, that begins so."""
        names, typed = [str(entry.text).casefold() for entry in self.entries], typed.casefold()
        order = (number % len(names) for number in range(start, start + len(names)))
        return next((number for number in order if names[number].startswith(typed)), None)

    def hear_motion(self, motion: int) -> None:
        last, rows = len(self.entries) - 1, self._dropdown.rows - 1
        here = next((number for number, entry in enumerate(self.entries) if entry is self.ui.focus), 0)
        to = {
            key.MOTION_BEGINNING_OF_LINE: 0, key.MOTION_END_OF_LINE: last, key.MOTION_BEGINNING_OF_FILE: 0,
            key.MOTION_END_OF_FILE: last, key.MOTION_PREVIOUS_PAGE: here - rows, key.MOTION_NEXT_PAGE: here + rows,
        }.get(motion)  # fmt: skip
        if to is not None:
            self.ui.set_focus(self.entries[min(max(to, 0), last)])

    def paint(self, brush: Brush) -> None:
        brush.panel(self.box.w, self.box.h, solid=True)
