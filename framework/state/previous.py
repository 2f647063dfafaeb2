"""The values that rows had at the start of the tick, from which frames interpolate.

Copying a large column takes as much time as uploading it, and the GPU stores the previous state
anyway. Therefore, a column is not copied until some code reads its previous state. The column then
downloads this state from the GPU, and makes copies in the following ticks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Rows
from .uploads import Uploads

# After code has read the previous state, it is copied in this many ticks: at first, and at most.
_PATIENCE = 64
_MAX_PATIENCE = 1 << 16

# The number of first rows that are compared before all other rows. Usually either all rows move, or
# none.
FIRST_ROWS = 8

_LATCHED = 1
_HANDED_OVER = 2


class Frozen:
    """A read-only copy of a column's rows at one moment, with the hash of the rows. The copy and
    the hash are computed when they are first read.
    """

    __slots__ = ("digest", "rows")

    def __init__(self, rows: NDArray[Any] | None = None) -> None:
        self.rows: Any = rows
        self.digest: int | None = None


class Previous:
    """The previous rows of a column. Frames interpolate from the previous rows to the current rows.
    To find changes, the column compares the previous rows with the current rows.

    In an interpolated column, the previous rows are the rows at the start of the tick. In any other
    column, the previous rows are the rows of the last upload.
    """

    __slots__ = ("_patience", "asked", "frozen", "lagging", "lent", "rows")

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows
        """A copy of the rows of the previous state. While `lagging` is not 0, only the first rows
        are valid.
        """
        self.lagging = 0
        """Not 0 while only the GPU has the previous rows.

        After a call of `lag`, this is `_LATCHED`: the previous rows are the newest rows on the GPU.
        After the next upload, it is `_HANDED_OVER`: the previous rows are the older of the two
        states on the GPU.
        """
        self.asked = 0
        """The number of further ticks in which the column is copied, because code has read the
        previous rows.
        """
        self._patience = _PATIENCE  # the value of `asked` at the next read
        self.frozen: Frozen | None = None
        """The copy of the rows that snapshots share. None if the rows may have changed since this
        copy.
        """
        self.lent = False
        """True if a snapshot also uses the memory of `rows`. No code may write to this memory in
        this case.
        """

    def values(self, n: int, uploads: Uploads) -> NDArray[Any]:
        """Return the first ``n`` previous rows. Rows that are only on the GPU are downloaded."""
        if self.lagging:
            self.catch_up(uploads)
        self.asked = max(self.asked, _PATIENCE)
        return self.rows[:n]

    def catch_up(self, uploads: Uploads) -> None:
        """Download the previous rows from the GPU. The download has to wait for the GPU, so the
        column makes copies on the CPU in the next ticks. Each download doubles the number of these
        ticks.
        """
        assert uploads.source is not None
        self.rows[: uploads.sent] = uploads.source.fetch(newest=self.lagging == _LATCHED)
        self.lagging = 0
        self.asked = self._patience
        self._patience = min(2 * self._patience, _MAX_PATIENCE)

    def may_lag(self, n: int, uploads: Uploads) -> bool:
        """Return whether this tick can skip copying the ``n`` rows. This is possible if they are on
        the GPU, and no code has read the previous rows in the most recent ticks.
        """
        return not self.asked and uploads.has_states(n)

    def lag(self, data: NDArray[Any]) -> None:
        """Start a tick without a full copy of ``data``. Copy only the first rows of the column."""
        self.renew(data)
        self.lagging = _LATCHED
        self.rows[:FIRST_ROWS] = data[:FIRST_ROWS]

    def renew(self, data: NDArray[Any]) -> None:
        """Discard the copied rows. Called before the caller writes all rows."""
        self.lagging = 0
        self.frozen = None
        if self.lent:
            self.rows = np.empty(data.shape, data.dtype)
            self.lent = False

    def handed_over(self, data: NDArray[Any], n: int, changed: bool) -> None:
        """Called after an upload of the previous and current rows. ``changed`` is True if the
        previous rows differ from the current rows.
        """
        if changed:
            self.lagging = _HANDED_OVER
        else:
            self.catch_up_with(data, n)

    def catch_up_with(self, data: NDArray[Any], n: int) -> None:
        """Copy the current rows to the previous rows, without downloading rows from the GPU."""
        self.rows[:n] = data[:n]
        self.lagging = 0

    # -- memory ------------------------------------------------------------------------------------

    def own(self, data: NDArray[Any]) -> None:
        """Make the previous rows writable: if a snapshot also uses their memory, copy them to new
        memory with the shape of ``data``.
        """
        if self.lent:
            lent = self.rows
            self.rows = np.empty(data.shape, data.dtype)
            self.rows[: len(lent)] = lent
            self.lent = False

    def write(self, data: NDArray[Any], rows: Rows | slice, values: ArrayLike) -> None:
        """Set the previous values of ``rows`` to ``values``."""
        self.own(data)
        self.rows[rows] = values
        self.frozen = None

    def reserve(self, shape: tuple[int, ...], n: int) -> None:
        """Allocate a new array of shape ``shape``, and copy the first ``n`` rows into it."""
        rows = np.empty(shape, self.rows.dtype)
        rows[:n] = self.rows[:n]
        self.rows = rows
        self.lent = False

    def borrow(self, frozen: Frozen) -> None:
        """Use the rows of a restored snapshot as the previous rows, without a copy."""
        self.rows = frozen.rows
        self.frozen = frozen
        self.lent = True
        self.lagging = 0

    def lend(self, n: int, uploads: Uploads) -> Frozen:
        """Return the first ``n`` previous rows for a snapshot, without a copy."""
        frozen = self.frozen = Frozen(self.values(n, uploads))
        self.lent = True
        return frozen
