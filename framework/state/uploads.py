"""Uploads: what the GPU has of a column, and what has to be uploaded next."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from ..arrays import Rows

MOST_PATCHES = 16
"""Pieces of rows that are uploaded one by one; with more, the column is uploaded whole."""


class Source(Protocol):
    """The buffers of a column on the GPU, from which its previous state can be fetched."""

    @property
    def keeps_states(self) -> bool:
        """Whether they have both states as they were handed over, row by row."""

    def fetch(self, newest: bool) -> NDArray[Any]:
        """Return the newest state that was handed over, or the one before it: all rows."""


class Uploads:
    """What the GPU has of a column, as the column and `gpu.handover` note it.

    Without a GPU nothing is ever handed over, and all of it stays as it is at first.
    """

    __slots__ = ("given", "patches", "sent", "source", "stale", "unsent", "viewed")

    def __init__(self) -> None:
        self.sent = 0
        """Rows that the GPU has; those from here on are new to it."""
        self.unsent = False
        """Whether the column may have been written to since the last hand-over."""
        self.stale = True
        """Whether both states are to be uploaded whole."""
        self.patches: list[Rows | slice] = []
        """Rows of the previous state that were rewritten since the last hand-over."""
        self.source: Source | None = None
        self.given = b""
        """The newest state that was handed over, of a column of a few rows."""
        self.viewed = False
        """Whether a view was held at the last hand-over: it may have been written to since, and
        released.
        """

    def patch(self, rows: Rows | slice) -> None:
        """Upload some rows of the previous state with the next hand-over."""
        if not self.stale:
            self.patches.append(rows)
            self.stale = len(self.patches) > MOST_PATCHES

    def has_states(self, n: int) -> bool:
        """Return whether both states of ``n`` rows can be fetched as the column has them."""
        if self.stale or self.patches or self.sent != n:
            return False
        return self.source is not None and self.source.keeps_states
