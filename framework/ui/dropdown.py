"""One of several, chosen from a list that opens over all else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checks import whole
from .gadgets import Choice
from .widget import Widget, seat_of

MARK = "▾"
"""What it shows beside its value."""


class Dropdown(Choice, creator="dropdown"):
    """One of several, in a list that opens below it, or above: ``menu.dropdown("Size", sizes,
    self.set_size)``.

    The list is over all else and scrolls where there is no room, or more than ``rows`` entries.
    Letters go to the entry that begins with them, Enter or a click chooses one; Escape, a pad's B,
    Tab and a click elsewhere close it. While it is closed, left and right choose as they do of a
    `Choice`.
    """

    _most = 10_000

    def __init__(
        self,
        text: object,
        choices: Sequence[Any],
        target: object = None,
        attribute: str | None = None,
        *,
        rows: int = 10,
        **options: Any,
    ) -> None:
        self.rows = whole("rows", rows, 1, 1000)
        super().__init__(text, choices, target, attribute, **options)

    @property
    def opened(self) -> Widget | None:
        """The list, while it is open; else None."""
        interface = seat_of(self).interface
        return None if interface is None else interface.opened_for(self)

    def open(self) -> None:
        """Show the list. Raises `ValueError` where it is in no interface, or cannot be used."""
        seat = seat_of(self)
        if seat.interface is None or not seat.usable:
            raise ValueError(
                f"{self!r}: it can be opened where it is shown, enabled, and in an interface"
            )
        seat.interface.open_list(self)

    def close(self) -> None:
        """Take the list away, and choose nothing."""
        found = self.opened
        if found is not None:
            found.remove()

    def press(self) -> None:
        self.open()

    def shown_value(self, value: object) -> str:
        return f"{value} {MARK}"
