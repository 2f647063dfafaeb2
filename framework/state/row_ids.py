"""Give each row of a batch, such as a sprite, an id that never changes.

Each new row gets the next higher id. After the last removal, the ids of new rows are consecutive
numbers, so they do not have to be stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Rows
from ..checks import wrong_type
from ..errors import FrameworkError
from .previous import Frozen

MAX_IDS = 1 << 32
"""The maximum number of ids in a batch. Ids are stored as uint32."""

IdsState = tuple[NDArray[Any], int]
"""The ids of the first rows as an array, and the id of the next new row. The rows after the array
have consecutive ids. The array is never changed, because snapshots share it.
"""


class RowIds:
    """The ids of the rows of a table. In all methods, ``count`` is the number of rows."""

    __slots__ = ("_frozen", "state")

    def __init__(self) -> None:
        self.state: IdsState = _NO_IDS
        # the ids as one array, or None if no code has read the ids
        self._frozen: Frozen | None = None

    def next(self, count: int) -> int:
        """Return the id for the next new row."""
        first_ids, after = self.state
        return after + count - len(first_ids)

    @property
    def plain(self) -> bool:
        """Whether each id is equal to the index of its row, which is the case until a row is
        removed.
        """
        return self.state is _NO_IDS

    def frozen(self, count: int) -> Frozen:
        """Return the ids of all rows. While no rows are added or removed, all calls return the same
        array.
        """
        frozen = self._frozen
        if frozen is None or len(frozen.rows) != count:
            first_ids, after = self.state
            kind = np.uint32 if self.next(count) <= MAX_IDS else np.uint64
            rows = np.empty(count, kind)
            rows[: len(first_ids)] = first_ids
            rows[len(first_ids) :] = np.arange(after, self.next(count), dtype=kind)
            rows.flags.writeable = False
            frozen = self._frozen = Frozen(rows)
        return frozen

    def of_row(self, row: int) -> int:
        """Return the id of the row with the index ``row``."""
        first_ids, after = self.state
        return int(first_ids[row]) if row < len(first_ids) else after + row - len(first_ids)

    def values(self, count: int) -> NDArray[np.uint32]:
        """Return the ids of all rows as a read-only uint32 array of shape (n,).

        Raises `FrameworkError` if the batch has used all possible ids.
        """
        if self.next(count) > MAX_IDS:
            raise FrameworkError(
                f"ids: expected at most {MAX_IDS:,} rows in the life of a batch, got "
                f"{self.next(count):,}; make a new batch"
            )
        ids: NDArray[np.uint32] = self.frozen(count).rows
        return ids

    def rows_of(self, ids: ArrayLike, count: int) -> Rows:
        """Return the row of each id in ``ids``. For an id whose row was removed, the result is
        -1.
        """
        try:
            ids_to_find: NDArray[Any] = np.asarray(ids)
        except ValueError:  # NumPy raises this error for lists of different lengths
            ids_to_find = np.empty((), object)
        if ids_to_find.dtype.kind not in "iu" and ids_to_find.shape != (0,):
            raise wrong_type("ids", "an id or an array of ids, whole numbers", ids)
        all_ids = self.values(count)
        if not count:
            return np.full(ids_to_find.shape, -1, np.intp)
        order = None if bool((all_ids[1:] > all_ids[:-1]).all()) else np.argsort(all_ids)
        rows = np.minimum(np.searchsorted(all_ids, ids_to_find, sorter=order), count - 1)
        if order is not None:
            rows = order[rows]
        return np.where(all_ids[rows] == ids_to_find, rows, -1)

    def keep(self, rows: Rows, count: int) -> None:
        """Remove all ids except the ids of ``rows``, an array of indices. The remaining ids are put
        into the order of ``rows``.

        Call `keep` only if the index of a row changes or a row is removed. Do not write to ``rows``
        after the call.
        """
        first_ids, after = self.state
        following = after + count - len(first_ids)
        new_ids: NDArray[Any] = rows  # no row was removed so far
        if self.state is not _NO_IDS:
            new_ids = first_ids
            if after < following:
                new_ids = np.concatenate([first_ids, np.arange(after, following)])
            new_ids = new_ids.take(rows)
        self.state = new_ids, following
        self._frozen = None

    def load(self, ids: NDArray[Any] | None, after: int, count: int) -> None:
        """Set the ids of all rows from a save, and the id of the next new row. If the ids are None,
        the rows get the ids from 0 to ``count`` - 1.
        """
        plain = ids is None or (after == count and bool((ids == np.arange(count)).all()))
        self.state = _NO_IDS if ids is None or plain else (ids, after)
        self._frozen = None

    def restore(self, state: IdsState) -> None:
        """Restore ``state`` from a snapshot."""
        self.state = state
        self._frozen = None


_NO_IDS: IdsState = (np.empty(0, np.intp), 0)
