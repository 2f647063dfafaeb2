"""Uploads: the rows of a column that the GPU has, and those to upload next."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from ..arrays import Rows

MAX_PATCHES = 16
"""The maximum number of row ranges that are uploaded one by one. With more ranges, the whole column
is uploaded.
"""


class GpuColumn(Protocol):
    """The buffers of a column on the GPU, from which its previous state can be fetched."""

    @property
    def keeps_states(self) -> bool:
        """Whether the buffers still hold the previous and current values exactly as uploaded."""

    def fetch(self, newest: bool) -> NDArray[Any]:
        """Return all rows of the newest state that was uploaded, or of the one before it."""


class Uploads:
    """The rows of a column that the GPU has, as the column and `gpu.handover` note them.

    Without a GPU nothing is uploaded, and no attribute changes.
    """

    __slots__ = ("given", "patches", "sent", "source", "stale", "unsent", "viewed")

    def __init__(self) -> None:
        self.sent = 0
        """The number of rows that the GPU has. Rows after these were added since the last upload.
        """
        self.unsent = False
        """Whether the column may have been written to since the last upload."""
        self.stale = True
        """Whether both states must be uploaded whole."""
        self.patches: list[Rows | slice] = []
        """Rows of the previous state that were written since the last upload."""
        self.source: GpuColumn | None = None
        self.given = b""
        """The newest uploaded state of a column with few rows, as bytes."""
        self.viewed = False
        """Whether a view of the column existed at the last upload. The game may have written to
        that view since.
        """

    def patch(self, rows: Rows | slice) -> None:
        """Mark rows whose previous values were written, for the next upload."""
        if not self.stale:
            self.patches.append(rows)
            self.stale = len(self.patches) > MAX_PATCHES

    def has_states(self, n: int) -> bool:
        """Return whether both states of ``n`` rows can be fetched as the column has them."""
        if self.stale or self.patches or self.sent != n:
            return False
        return self.source is not None and self.source.keeps_states
