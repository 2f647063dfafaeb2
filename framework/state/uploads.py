"""Record which rows of a batch are already on the GPU, and which the next frame must upload."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from ..arrays import Rows

MAX_PATCHES = 16
"""The maximum number of separate ranges of rows in an upload. If there are more ranges, the whole
column is uploaded.
"""


class GpuColumn(Protocol):
    """The GPU buffers that contain a column's values, from which the CPU can read previous values."""

    @property
    def keeps_states(self) -> bool:
        """Whether the GPU buffers still contain the previous and current values of the last
        upload.
        """

    def fetch(self, newest: bool) -> NDArray[Any]:
        """Return all rows of the last upload. If ``newest`` is False, return the rows of the upload
        before it.
        """


class Uploads:
    """A record of the rows of a column that are on the GPU. The column and the module
    `gpu.handover` update the `Uploads` object.

    In games without a GPU, nothing is uploaded, and the attributes of `Uploads` stay unchanged.
    """

    __slots__ = ("given", "patches", "sent", "source", "stale", "unsent", "viewed")

    def __init__(self) -> None:
        self.sent = 0
        """The number of rows on the GPU. Rows with higher indices were added since the last upload.
        """
        self.unsent = False
        """True if the game may have written to the column since the last upload."""
        self.stale = True
        """True if all current and previous values must be uploaded, instead of only changed rows.
        """
        self.patches: list[Rows | slice] = []
        """The rows with new previous values since the last upload."""
        self.source: GpuColumn | None = None
        self.given = b""
        """A copy of the rows of the last upload, as bytes. Only kept for a column with few rows."""
        self.viewed = False
        """Whether a view of the column existed at the last upload. The game may have written to
        this view since the last upload.
        """

    def patch(self, rows: Rows | slice) -> None:
        """Mark rows whose previous values have changed, so that the next frame uploads these
        rows.
        """
        if not self.stale:
            self.patches.append(rows)
            self.stale = len(self.patches) > MAX_PATCHES

    def has_states(self, n: int) -> bool:
        """Return whether the GPU stores exactly the current and previous values of the first ``n``
        rows.
        """
        if self.stale or self.patches or self.sent != n:
            return False
        return self.source is not None and self.source.keeps_states
