"""Previous states: a copy of a column from the start of the tick. No copy is made while the GPU has
the same values.

For a large column that changes in every tick, a copy takes as long as the upload. While no code
reads the previous state, the column is not copied, because the GPU has this state too. When code
reads the previous state, the state is fetched from the GPU. After a read of the previous state, the
column is copied again for some ticks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Rows
from .uploads import Uploads

# After a read, the previous state is copied for this number of ticks: at first, and at most.
_PATIENCE = 64
_MAX_PATIENCE = 1 << 16

# The first rows, which are compared first: usually all rows move, or none.
FIRST_ROWS = 8

_LATCHED = 1
_HANDED_OVER = 2


class Frozen:
    """A read-only copy of a column's rows at one time, and the hash of the copy. The copy and the
    hash are computed when they are needed.
    """

    __slots__ = ("digest", "rows")

    def __init__(self, rows: NDArray[Any] | None = None) -> None:
        self.rows: Any = rows
        self.digest: int | None = None


class Previous:
    """The previous rows of a column. The interpolation begins at the previous rows, and the column
    compares the previous rows with the current rows.

    In an interpolated column, the previous rows are the rows at the start of the tick. In a column
    without interpolation, the previous rows are those of the last upload.
    """

    __slots__ = ("_patience", "asked", "frozen", "lagging", "lent", "rows")

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows
        """The copied rows. While `lagging` is not 0, only the first rows are valid."""
        self.lagging = 0
        """`lagging` is not 0 while only the GPU has the previous rows.

        After `lag` the previous rows are the newest rows on the GPU. After the next upload the
        previous rows are the older rows on the GPU.
        """
        self.asked = 0
        """The number of ticks for which the copy is still made, because code has read the previous
        rows.
        """
        self._patience = _PATIENCE  # the value of `asked` at the next read
        self.frozen: Frozen | None = None
        """The copy of the rows that snapshots share, or None if the rows may have been written
        since the copy was made.
        """
        self.lent = False
        """Whether a snapshot shares the memory of `rows`. Shared memory must not be written."""

    def values(self, n: int, uploads: Uploads) -> NDArray[Any]:
        """Return the first ``n`` previous rows. Rows that are only on the GPU are read from the
        GPU.
        """
        if self.lagging:
            self.catch_up(uploads)
        self.asked = max(self.asked, _PATIENCE)
        return self.rows[:n]

    def catch_up(self, uploads: Uploads) -> None:
        """Fetch the previous rows from the GPU. Reading from the GPU waits for the GPU, so in the
        next ticks the column is copied on the CPU. With each read from the GPU, the number of ticks
        in which the column is copied doubles.
        """
        assert uploads.source is not None
        self.rows[: uploads.sent] = uploads.source.fetch(newest=self.lagging == _LATCHED)
        self.lagging = 0
        self.asked = self._patience
        self._patience = min(2 * self._patience, _MAX_PATIENCE)

    def may_lag(self, n: int, uploads: Uploads) -> bool:
        """Return whether this tick need not copy the ``n`` rows. The result of `may_lag` is True if
        no code read the rows in the last ticks and the GPU has the rows.
        """
        return not self.asked and uploads.has_states(n)

    def lag(self, data: NDArray[Any]) -> None:
        """Start a tick without a full copy of ``data``. Only the first rows of the column are
        copied.
        """
        self.renew(data)
        self.lagging = _LATCHED
        self.rows[:FIRST_ROWS] = data[:FIRST_ROWS]

    def renew(self, data: NDArray[Any]) -> None:
        """Discard the copied rows, because the caller writes all rows next."""
        self.lagging = 0
        self.frozen = None
        if self.lent:
            self.rows = np.empty(data.shape, data.dtype)
            self.lent = False

    def handed_over(self, data: NDArray[Any], n: int, changed: bool) -> None:
        """Called after the previous and current rows were uploaded. ``changed`` is True if the
        current rows differ from the previous rows.
        """
        if changed:
            self.lagging = _HANDED_OVER
        else:
            self.catch_up_with(data, n)

    def catch_up_with(self, data: NDArray[Any], n: int) -> None:
        """Copy the current rows to the previous rows, without a fetch from the GPU."""
        self.rows[:n] = data[:n]
        self.lagging = 0

    # -- memory ------------------------------------------------------------------------------------

    def own(self, data: NDArray[Any]) -> None:
        """If a snapshot shares the memory of the rows, copy the rows before some of them are
        written. The new memory has the shape of ``data``.
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
        """Allocate an array of the given ``shape``, and copy the first ``n`` rows into the
        array.
        """
        rows = np.empty(shape, self.rows.dtype)
        rows[:n] = self.rows[:n]
        self.rows = rows
        self.lent = False

    def borrow(self, frozen: Frozen) -> None:
        """Use the rows of a restored snapshot as the previous rows, without copying them."""
        self.rows = frozen.rows
        self.frozen = frozen
        self.lent = True
        self.lagging = 0

    def lend(self, n: int, uploads: Uploads) -> Frozen:
        """Return the first ``n`` previous rows for a snapshot. The snapshot shares the memory of
        the rows.
        """
        frozen = self.frozen = Frozen(self.values(n, uploads))
        self.lent = True
        return frozen
