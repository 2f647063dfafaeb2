"""Find the pairs that begin to overlap, still overlap, or stop overlapping in a tick."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Rows
from ..moved_names import HasMoved, moved

_SHIFT = 32


@moved("tracker", {"left": "exited"})
class OverlapTracker(HasMoved):
    """Finds the pairs that begin or stop overlapping in a tick, by comparing the pairs of this tick
    with the pairs of the last tick.

        self.caught = collide.OverlapTracker()
        …
        self.caught.update(collide.overlaps(self.heroes, self.coins))
        for hero, coin in self.caught.entered: …

    A pair consists of two row indices. Row indices change when a row is removed. If your game
    removes rows, also pass permanent numbers to `update`, such as an ID for each enemy. When two
    rows begin to overlap, their pair is in ``entered`` for one tick. In the following ticks, the
    pair is in ``staying``. When the overlap ends, the pair is in ``exited`` for one tick.
    ``entered``, ``staying`` and ``exited`` are arrays of shape (m, 2), sorted by the first and then
    by the second number.
    """

    def __init__(self) -> None:
        self.entered: Rows = np.empty((0, 2), np.intp)
        """The pairs that overlap in this tick, but did not overlap in the last tick: an array of
        shape (m, 2).
        """
        self.staying: Rows = self.entered
        """The pairs that overlap in this tick and overlapped in the last tick: an array of shape
        (m, 2).
        """
        self.exited: Rows = self.entered
        """The pairs that overlapped in the last tick, but do not overlap in this tick: an array of
        shape (m, 2).
        """
        self._now: NDArray[np.int64] = np.empty(0, np.int64)

    def update(
        self,
        pairs: ArrayLike,
        numbers: ArrayLike | None = None,
        other_numbers: ArrayLike | None = None,
    ) -> None:
        """Compare the overlapping ``pairs`` of this tick with the pairs of the last tick, and set
        `entered`, `staying` and `exited`. Call `update` once per tick.

        Parameters
        ----------
        pairs
            The row indices of the overlapping pairs, for example from `collide.overlaps`: an array
            of shape (m, 2).
        numbers
            A permanent number for each row in the first column of ``pairs``: an integer array of
            shape (n,). By default, the row indices are used instead of permanent numbers.
        other_numbers
            A permanent number for each row in the second column of ``pairs``: an integer array.
            Default: ``numbers``.
        """
        indices = checks.whole_numbers("pairs", pairs, (None, 2))
        rows, other_rows = indices.T
        if numbers is not None:
            rows[:] = _replaced(rows, "numbers", numbers)
        if other_numbers is not None:
            other_rows[:] = _replaced(other_rows, "other_numbers", other_numbers)
        elif numbers is not None:
            other_rows[:] = _replaced(other_rows, "numbers", numbers)
        now = np.unique((indices[:, 0] << _SHIFT) | indices[:, 1])
        before = self._now
        still = np.isin(now, before, assume_unique=True)
        self.entered = _pairs(now[~still])
        self.staying = _pairs(now[still])
        self.exited = _pairs(before[~np.isin(before, now, assume_unique=True)])
        self._now = now

    def clear(self) -> None:
        """Remove all stored pairs, for example after you load a new level."""
        self.__init__()  # type: ignore[misc]


def _replaced(rows: Rows, name: str, value: ArrayLike) -> Rows:
    """Return the permanent numbers of ``rows``, from the argument ``name`` of `update`."""
    numbers = checks.whole_numbers(name, value, (None,), 1 << 31)
    _check_length(name, numbers, rows)
    replaced: Rows = numbers[rows]
    return replaced


def _check_length(name: str, numbers: NDArray[np.int64], rows: Rows) -> None:
    if len(rows) and rows.max() >= len(numbers):
        raise ValueError(f"{name}: expected a number for each row, got {len(numbers)}")


def _pairs(keys: NDArray[np.int64]) -> Rows:
    return np.column_stack([keys >> _SHIFT, keys & ((1 << _SHIFT) - 1)]).astype(np.intp)


def filter_pairs(
    pairs: ArrayLike,
    layers: ArrayLike,
    masks: ArrayLike,
    other_layers: ArrayLike | None = None,
    other_masks: ArrayLike | None = None,
) -> Rows:
    """Return the pairs in ``pairs`` whose layers and masks match. ``pairs`` has the shape (m, 2).

    A pair matches if the mask of one row contains a layer of the other row.

    Parameters
    ----------
    layers
        The layers of each row: an integer array of shape (n,), in which each bit is one layer.
    masks
        The layers that each row may overlap: an integer array of shape (n,), in which each bit is
        one layer.
    other_layers, other_masks
        The layers and masks for the second column of ``pairs``. Pass ``other_layers`` and
        ``other_masks`` if the second column contains rows of another batch. By default, ``layers``
        and ``masks`` are used for both columns.
    """
    indices = checks.whole_numbers("pairs", pairs, (None, 2))
    our_layers = checks.whole_numbers("layers", layers, (None,))
    our_masks = checks.whole_numbers("masks", masks, (None,))
    their_layers = our_layers
    their_masks = our_masks
    if other_layers is not None:
        their_layers = checks.whole_numbers("other_layers", other_layers, (None,))
    if other_masks is not None:
        their_masks = checks.whole_numbers("other_masks", other_masks, (None,))
    a, b = indices.T
    _check_length("layers", our_layers, a)
    _check_length("masks", our_masks, a)
    _check_length("other_layers", their_layers, b)
    _check_length("other_masks", their_masks, b)
    matches: Rows = indices[
        ((our_layers[a] & their_masks[b]) | (their_layers[b] & our_masks[a])) != 0
    ]
    return matches
