"""The previous state of a column: a copy of its rows, which may lag behind while the GPU has it.

Copying a large column that moves in every tick takes as long as its upload. While no code reads the
previous state, it is not copied. The GPU has it too: the first read fetches it from there. From then
on it is copied again, for a while.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Rows
from .uploads import Uploads

# Ticks in which the previous state is copied after somebody has asked for it: at first, and at
# most.
_PATIENCE, _LONGEST_PATIENCE = 64, 1 << 16

# The first rows, which tell at once that all rows move.
FIRST_ROWS = 8

_LATCHED, _HANDED_OVER = 1, 2


class Frozen:
    """The rows of a column at one moment, for reading only, and their hash. Both are made when they
    are first asked for.
    """

    __slots__ = ("digest", "rows")

    def __init__(self, rows: NDArray[Any] | None = None) -> None:
        self.rows: Any = rows
        self.digest: int | None = None


class Previous:
    """The copy of a column's rows that they are compared with.

    An interpolated column keeps its previous state in it, any other column the state that was
    uploaded last.
    """

    __slots__ = ("_patience", "asked", "frozen", "lagging", "lent", "rows")

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows = rows
        """The copy; of a lagging one, only the first rows count."""
        self.lagging = 0
        """Not 0 while the GPU has the other rows: as its newest state since the latch, as its older
        one since the hand-over after that.
        """
        self.asked = 0
        """Ticks for which the copy is still made, as somebody has asked for it."""
        self._patience = _PATIENCE  # the value of `asked` the next time that somebody asks
        self.frozen: Frozen | None = None
        """The rows as snapshots share them, while nothing can have been written since."""
        self.lent = False
        """Whether a snapshot shares the memory, so that nobody may write to it."""

    def values(self, n: int, uploads: Uploads) -> NDArray[Any]:
        """Return the first ``n`` rows."""
        if self.lagging:
            self.catch_up(uploads)
        self.asked = max(self.asked, _PATIENCE)
        return self.rows[:n]

    def catch_up(self, uploads: Uploads) -> None:
        """Fetch the rows from the GPU. That waits for it, so the next ticks copy, longer each
        time.
        """
        assert uploads.source is not None
        self.rows[: uploads.sent] = uploads.source.fetch(newest=self.lagging == _LATCHED)
        self.lagging = 0
        self.asked, self._patience = self._patience, min(2 * self._patience, _LONGEST_PATIENCE)

    def may_lag(self, n: int, uploads: Uploads) -> bool:
        """Return whether the copy of ``n`` rows can be left out: nobody has asked for it lately,
        and the GPU has it.
        """
        return not self.asked and uploads.has_states(n)

    def lag(self, data: NDArray[Any]) -> None:
        """Leave out the copy of ``data``, but for the few rows that are compared first."""
        self.renew(data)
        self.lagging = _LATCHED
        self.rows[:FIRST_ROWS] = data[:FIRST_ROWS]

    def renew(self, data: NDArray[Any]) -> None:
        """Forget the rows, before all that count are written."""
        self.lagging, self.frozen = 0, None
        if self.lent:
            self.rows, self.lent = np.empty(data.shape, data.dtype), False

    def handed_over(self, data: NDArray[Any], n: int, changed: bool) -> None:
        """Note that the GPU got both states, of which the newest is another if ``changed``."""
        if changed:
            self.lagging = _HANDED_OVER
        else:
            self.catch_up_with(data, n)

    def catch_up_with(self, data: NDArray[Any], n: int) -> None:
        """Take the current rows for the previous ones, without the GPU."""
        self.rows[:n] = data[:n]
        self.lagging = 0

    # -- memory ------------------------------------------------------------------------------------

    def own(self, data: NDArray[Any]) -> None:
        """Have memory of its own, with room for all rows of ``data``: before a part is written."""
        if self.lent:
            lent, self.rows = self.rows, np.empty(data.shape, data.dtype)
            self.rows[: len(lent)] = lent
            self.lent = False

    def write(self, data: NDArray[Any], rows: Rows | slice, values: ArrayLike) -> None:
        """Write some rows of the copy."""
        self.own(data)
        self.rows[rows] = values
        self.frozen = None

    def reserve(self, shape: tuple[int, ...], n: int) -> None:
        """Have new memory of a shape, with the first ``n`` rows."""
        rows = np.empty(shape, self.rows.dtype)
        rows[:n] = self.rows[:n]
        self.rows, self.lent = rows, False

    def borrow(self, frozen: Frozen) -> None:
        """Have the rows that a snapshot holds for the copy."""
        self.rows, self.frozen, self.lent = frozen.rows, frozen, True
        self.lagging = 0

    def lend(self, n: int, uploads: Uploads) -> Frozen:
        """Let a snapshot share the first ``n`` rows."""
        frozen = self.frozen = Frozen(self.values(n, uploads))
        self.lent = True
        return frozen
