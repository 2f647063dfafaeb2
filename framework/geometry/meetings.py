"""Pairs from tick to tick: which have begun to touch, which still do, and which have parted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Rows

_SHIFT = 32


class Meetings:
    """Told the pairs of each tick, it knows which are new and which are no more.

        self.caught = collide.Meetings()
        …
        self.caught.update(collide.overlaps(self.heroes, self.coins))
        for hero, coin in self.caught.entered: …

    Pairs are numbers of rows. Where rows are removed the numbers of others change: give ``update``
    numbers of your own for the rows, which stay. Each pair is in exactly one of ``entered`` and
    ``staying`` while it touches, and once in ``left``. All three are (m, 2), by the first number
    and then by the second.
    """

    def __init__(self) -> None:
        self.entered: Rows = np.empty((0, 2), np.intp)
        """Pairs that touch in this tick and did not in the last one."""
        self.staying: Rows = self.entered
        """Pairs that touched in the last tick and still do."""
        self.left: Rows = self.entered
        """Pairs that touched in the last tick and do not any more."""
        self._now: NDArray[np.int64] = np.empty(0, np.int64)

    def update(
        self,
        pairs: ArrayLike,
        numbers: ArrayLike | None = None,
        other_numbers: ArrayLike | None = None,
    ) -> None:
        """A tick's ``pairs`` (m, 2). With ``numbers`` (n,) a row stands for its number, and so do
        the second ones for ``other_numbers``, or for ``numbers`` too where these are left out."""
        both = checks.whole_numbers("pairs", pairs, (None, 2))
        for column, name, value in ((0, "numbers", numbers), (1, "other_numbers", other_numbers)):
            if value is None and column:
                name, value = "numbers", numbers
            if value is not None:
                stand = checks.whole_numbers(name, value, (None,), 1 << 31)
                if len(both) and both[:, column].max() >= len(stand):
                    raise ValueError(f"{name}: expected one for each row, got {len(stand)}")
                both[:, column] = stand[both[:, column]]
        now = np.unique((both[:, 0] << _SHIFT) | both[:, 1])
        before = self._now
        still = np.isin(now, before, assume_unique=True)
        self.entered, self.staying = _pairs(now[~still]), _pairs(now[still])
        self.left = _pairs(before[~np.isin(before, now, assume_unique=True)])
        self._now = now

    def clear(self) -> None:
        """Nothing has touched yet: after a level was made anew, say."""
        self.__init__()  # type: ignore[misc]


def _pairs(keys: NDArray[np.int64]) -> Rows:
    return np.column_stack([keys >> _SHIFT, keys & ((1 << _SHIFT) - 1)]).astype(np.intp)


def meeting(
    pairs: ArrayLike,
    layers: ArrayLike,
    masks: ArrayLike,
    other_layers: ArrayLike | None = None,
    other_masks: ArrayLike | None = None,
) -> Rows:
    """Those of ``pairs`` (m, 2) that may meet: where one's layers have a bit of the other's mask,
    either way round.

    ``layers`` and ``masks`` are (n,) whole numbers whose bits are layers: those that a row is in,
    and those that it looks at. Of pairs of two sets, ``other_layers`` and ``other_masks`` are those
    of the second one's rows.
    """
    both = checks.whole_numbers("pairs", pairs, (None, 2))
    ours, seen = (
        checks.whole_numbers(n, v, (None,)) for n, v in (("layers", layers), ("masks", masks))
    )
    theirs = (
        ours
        if other_layers is None
        else checks.whole_numbers("other_layers", other_layers, (None,))
    )
    looked = (
        seen if other_masks is None else checks.whole_numbers("other_masks", other_masks, (None,))
    )
    for name, values, column in (
        ("layers", ours, 0),
        ("masks", seen, 0),
        ("other_layers", theirs, 1),
        ("other_masks", looked, 1),
    ):
        if len(both) and both[:, column].max() >= len(values):
            raise ValueError(f"{name}: expected one for each row, got {len(values)}")
    a = both[:, 0]
    b = both[:, 1]
    met: Rows = both[((ours[a] & looked[b]) | (theirs[b] & seen[a])) != 0]
    return met
