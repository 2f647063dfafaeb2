"""Dropdown: choose one value from a list that opens above the interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checks import whole
from .basic_widgets import Choice
from .widget import Widget, no_action, node_of

MARK = "▾"
"""The mark that a closed dropdown displays beside its value."""


class Dropdown(Choice, creator="dropdown"):
    """A value that is chosen from a list: ``menu.dropdown("Size", sizes, self.set_size)``.

    The list opens below or above the dropdown, in front of all widgets. The list scrolls if it has
    more than ``rows`` choices, or if the view is too small. A typed letter moves the focus to the
    next choice that begins with the letter. Enter or a click selects the choice. Escape, B on a
    gamepad, Tab and a click outside the list close the list. While the list is closed, left and
    right change the value, as in a `Choice`.
    """

    _max_choices = 10_000

    def __init__(
        self,
        text: object,
        choices: Sequence[Any],
        target: object = no_action,
        attribute: str | None = None,
        *,
        rows: int = 10,
        **options: Any,
    ) -> None:
        self.rows = whole("rows", rows, 1, 1000)
        super().__init__(text, choices, target, attribute, **options)

    @property
    def opened(self) -> Widget | None:
        """The open list, or None while the list is closed."""
        interface = node_of(self).interface
        return None if interface is None else interface.opened_for(self)

    def open(self) -> None:
        """Open the list of choices.

        Raises `ValueError` if the dropdown is in no interface, hidden or disabled.
        """
        node = node_of(self)
        if node.interface is None or not node.interactive:
            raise ValueError(
                f"{self!r}: cannot open; the dropdown must be visible, enabled and in an interface"
            )
        node.interface.open_list(self)

    def close(self) -> None:
        """Close the list without a change of the value."""
        popup = self.opened
        if popup is not None:
            popup.remove()

    def press(self) -> None:
        self.open()

    def shown_value(self, value: object) -> str:
        return f"{value} {MARK}"
