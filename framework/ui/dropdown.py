"""One of several, chosen from a list that opens over all else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..checks import whole
from .gadgets import Choice

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

    most = 10_000

    def __init__(
        self,
        text: object,
        choices: Sequence[Any],
        target: Any = None,
        attribute: str | None = None,
        *,
        rows: int = 10,
        **options: Any,
    ) -> None:
        self.rows = whole("rows", rows, 1, 1000)
        super().__init__(text, choices, target, attribute, **options)

    @property
    def opened(self) -> Any:
        """The `ListBox`, while it is open; else None."""
        roots = [] if self.ui is None else self.ui.roots
        return next((root for root in roots if root.serves is self), None)

    def open(self) -> None:
        """Show the list. Raises `ValueError` where it is in no interface, or cannot be used."""
        ui = self.ui
        if ui is None or not self.usable:
            raise ValueError(
                f"{self!r}: it can be opened where it is shown, enabled, and in an interface"
            )
        ui.open_list(self)

    def close(self) -> None:
        """Take the list away, and choose nothing."""
        found = self.opened
        if found is not None:
            found.remove()

    def press(self) -> None:
        self.open()

    def shown_value(self, value: Any) -> str:
        return f"{value} {MARK}"
