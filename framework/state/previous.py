"""Previous states: the copy of a column's rows, left out while the GPU has it.

A copy of a large column that moves in every tick takes as long as its upload. It is not made while
no code reads the previous state, because the GPU has it too. The first read fetches it from there.
After that it is copied again for a while.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Rows
from .uploads import Uploads

# Ticks in which the previous state is copied after a read: at first, and at most.
_PATIENCE = 64
_MAX_PATIENCE = 1 << 16

# The first rows, which are compared first: usually all rows move, or none.
FIRST_ROWS = 8

_LATCHED = 1
_HANDED_OVER = 2


class Frozen:
    """The rows of a column at one moment, for reading only, and their hash. Both are made when
    needed.
    """

    __slots__ = ("digest", "rows")

    def __init__(self, rows: NDArray[Any] | None = None) -> None:
        self.rows: Any = rows
        self.digest: int | None = None


class Previous:
    """The copy of a column's rows, for comparison.

    For an interpolated column it is the previous state, otherwise the state that was uploaded last.
    """

    __slots__ = ("_patience", "asked", "frozen", "lagging", "lent", "rows")

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows
        """The copy. While it lags, only the first rows are valid."""
        self.lagging = 0
        """Not 0 while only the GPU has the rows.

        They are its newest state since the latch, and its older one since the upload after that.
        """
        self.asked = 0
        """Ticks for which the copy is still made, because it was read."""
        self._patience = _PATIENCE  # the value of `asked` at the next read
        self.frozen: Frozen | None = None
        """The rows as snapshots share them, or None if they may have been written since."""
        self.lent = False
        """Whether a snapshot shares the memory, which must not be written then."""

    def values(self, n: int, uploads: Uploads) -> NDArray[Any]:
        """Return the first ``n`` rows."""
        if self.lagging:
            self.catch_up(uploads)
        self.asked = max(self.asked, _PATIENCE)
        return self.rows[:n]

    def catch_up(self, uploads: Uploads) -> None:
        """Fetch the rows from the GPU. That waits for it, so later ticks copy the rows, longer each
        time.
        """
        assert uploads.source is not None
        self.rows[: uploads.sent] = uploads.source.fetch(newest=self.lagging == _LATCHED)
        self.lagging = 0
        self.asked, self._patience = self._patience, min(2 * self._patience, _MAX_PATIENCE)

    def may_lag(self, n: int, uploads: Uploads) -> bool:
        """Return whether the copy of ``n`` rows can be left out: it was not read lately, and the
        GPU has it.
        """
        return not self.asked and uploads.has_states(n)

    def lag(self, data: NDArray[Any]) -> None:
        """Leave out the copy of ``data``, except for the first rows."""
        self.renew(data)
        self.lagging = _LATCHED
        self.rows[:FIRST_ROWS] = data[:FIRST_ROWS]

    def renew(self, data: NDArray[Any]) -> None:
        """Discard the rows, before all valid rows are written."""
        self.lagging = 0
        self.frozen = None
        if self.lent:
            self.rows = np.empty(data.shape, data.dtype)
            self.lent = False

    def handed_over(self, data: NDArray[Any], n: int, changed: bool) -> None:
        """Note that both states were uploaded. If ``changed``, the newest differs from the copy."""
        if changed:
            self.lagging = _HANDED_OVER
        else:
            self.catch_up_with(data, n)

    def catch_up_with(self, data: NDArray[Any], n: int) -> None:
        """Take the current rows as the previous ones, without the GPU."""
        self.rows[:n] = data[:n]
        self.lagging = 0

    # -- memory ------------------------------------------------------------------------------------

    def own(self, data: NDArray[Any]) -> None:
        """Copy shared memory, with room for all rows of ``data``, before a part is written."""
        if self.lent:
            lent = self.rows
            self.rows = np.empty(data.shape, data.dtype)
            self.rows[: len(lent)] = lent
            self.lent = False

    def write(self, data: NDArray[Any], rows: Rows | slice, values: ArrayLike) -> None:
        """Write some rows of the copy."""
        self.own(data)
        self.rows[rows] = values
        self.frozen = None

    def reserve(self, shape: tuple[int, ...], n: int) -> None:
        """Move to new memory of a shape, with the first ``n`` rows."""
        rows = np.empty(shape, self.rows.dtype)
        rows[:n] = self.rows[:n]
        self.rows = rows
        self.lent = False

    def borrow(self, frozen: Frozen) -> None:
        """Use the rows of a snapshot as the copy."""
        self.rows = frozen.rows
        self.frozen = frozen
        self.lent = True
        self.lagging = 0

    def lend(self, n: int, uploads: Uploads) -> Frozen:
        """Share the first ``n`` rows with a snapshot."""
        frozen = self.frozen = Frozen(self.values(n, uploads))
        self.lent = True
        return frozen
