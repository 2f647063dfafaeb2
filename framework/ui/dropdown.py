"""A button that opens a list from which the player chooses an item (a dropdown)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checks import whole
from .basic_widgets import Choice
from .widget import Widget, no_action, node_of

MARK = "▾"
"""The mark that a closed dropdown shows beside its value."""


class Dropdown(Choice, creator="dropdown"):
    """A button that opens a list of choices: ``menu.dropdown("Size", sizes, self.set_size)``.

    The list opens below or above the button, over other widgets. The player can scroll the list if
    it has more than ``rows`` choices (10 by default), or if the view is too small. While the list
    is open, typing a letter moves the focus to the next choice that begins with it. Enter or a
    click chooses a value. Escape, Tab, B on a gamepad, or a click outside the list closes it. While
    the list is closed, the left and right arrow keys choose another value, as in a `Choice`.
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
        """The root that shows the open list, or None while the list is closed."""
        interface = node_of(self).interface
        return None if interface is None else interface.opened_for(self)

    def open(self) -> None:
        """Open the list of choices.

        Raises `ValueError` if the dropdown is hidden, disabled or not in a `UI`.
        """
        node = node_of(self)
        if node.interface is None or not node.interactive:
            raise ValueError(
                f"{self!r}: cannot open; the dropdown must be visible, enabled and in an interface"
            )
        node.interface.open_list(self)

    def close(self) -> None:
        """Close the list without changing the value."""
        popup = self.opened
        if popup is not None:
            popup.remove()

    def press(self) -> None:
        self.open()

    def shown_value(self, value: object) -> str:
        return f"{value} {MARK}"
