"""Warn if a game adds rows, such as sprites, to a batch in every tick.

In some engines, a game must draw everything again in each frame. Beginners who know such an engine
often add a sprite or a shape in every `update`, and the program becomes slower and slower.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats, Mask
from ..current_game import current_game
from ..errors import AssetError
from ..state.columns import Table

CHECKED_FROM = 512
"""The number of rows from which a batch is checked."""
CHECKED_EVERY = 64
"""A batch is checked each time its number of rows is a multiple of this number."""

_MIN_ENDLESS = 1 << 13
# The largest mean number of new rows in a tick that causes a warning. A larger number is probably
# intended, as for a level, an explosion or a crowd.
_MAX_NEW = 16
_MAX_NEW_ENDLESS = 4
# New rows that are on top of each other cause a warning. The limit is the number of different cells
# in which these rows are, divided by the number of rows.
_MAX_SHARE = 0.25


class Rows(NamedTuple):
    """The columns of all rows in a batch. ``Rows`` also contains a function that returns the size
    of an image.

    Two rows are compared only if they have the same value in ``images``.
    """

    positions: Floats
    scales: Floats
    images: NDArray[np.int32]
    size_of: Callable[[int], tuple[float, float]]


class Growing(Protocol):
    """The attributes of a batch that `check_growth` needs."""

    may_grow: bool

    @property
    def _table(self) -> Table: ...
    @property
    def _growth(self) -> RowGrowth: ...


def check_growth(
    batch: Growing, count: int, rows: Callable[[], Rows], advice: str, *, level: int
) -> None:
    """Warn once if the game adds rows to ``batch`` in every tick and never removes a row.

    The batch calls `check_growth` each time its number of rows, ``count``, is a multiple of 64.
    ``rows`` is a function that returns the columns of the batch. ``advice`` is the text of the
    warning. The first word of ``advice`` is the noun for the batch's rows, such as "sprites".
    ``level`` is the number of function calls between the game's code and `check_growth`, so that
    the warning can show the line in the game's code.
    """
    game = current_game()
    if game is None or batch.may_grow:
        return
    table = batch._table
    has_removed = bool(table.holes) or not table.ids.plain
    if batch._growth.is_endless(count, game.ticks_run, rows(), has_removed):
        batch.may_grow = True
        noun = advice.partition(",")[0]
        warnings.warn(
            f"{noun}: {count:,} {advice}. Remove {noun} that are no longer needed. If the {noun} are "
            "meant, set batch.may_grow = True",
            RuntimeWarning,
            stacklevel=level + 1,
        )


class RowGrowth:
    """Counts rows and ticks, to find games that add rows in nearly every tick."""

    __slots__ = ("_count", "_sample", "_start", "_ticks")

    not_state = True

    def __init__(self) -> None:
        self._count = 0
        self._ticks = 0  # the number of ticks at the last check, when the batch had `_count` rows
        self._start = 0, 0  # the numbers of rows and of ticks when the steady growth began
        self._sample: Floats | None = None  # the positions of some rows at the start of the growth

    def is_endless(self, count: int, ticks: int, rows: Rows, has_removed: bool) -> bool:
        """Return whether the game seems to add rows by mistake. The batch calls `is_endless` each
        time its number of rows is a multiple of 64.

        ``ticks`` is the number of ticks that have run. ``has_removed`` is True if the game has ever
        removed a row.

        Growth is steady if each tick adds 1 to 16 rows on average, and if no row is removed. During
        steady growth, `is_endless` checks the batch each time the number of rows has doubled.
        Steady growth counts as a mistake in two cases:

        - The new rows do not move, and most of them overlap each other. For example, a game calls
          `add` in each tick to draw one moving sprite. The tiles of a level do not overlap, so
          tiles cause no warning.
        - The batch has 8,192 or more rows, and each tick adds 1 to 4 rows at any positions.
        """
        block = ticks - self._ticks
        is_steady = (
            not has_removed
            and count == self._count + CHECKED_EVERY
            and _MAX_NEW * block >= CHECKED_EVERY
            and block <= CHECKED_EVERY
        )
        self._count = count
        self._ticks = ticks
        if not is_steady:
            self._begin(count, ticks, rows)
            return False
        start, ticks_then = self._start
        if count < 2 * start:
            return False
        new = count - start
        sample = self._sample
        is_long = count >= _MIN_ENDLESS and new <= _MAX_NEW_ENDLESS * (ticks - ticks_then)
        self._begin(count, ticks, rows)
        return is_long or (
            sample is not None
            and not _has_moved(rows.positions[start - CHECKED_EVERY :], sample)
            and _is_crowded(rows, slice(start, count))
        )

    def _begin(self, count: int, ticks: int, rows: Rows) -> None:
        self._start = count, ticks
        # The newest rows are left out, because the game may not have set their positions yet.
        self._sample = rows.positions[count - CHECKED_EVERY : count - _MAX_NEW].copy()


def _has_moved(positions: Floats, sample: Floats) -> bool:
    moved: Mask = (positions[: len(sample)] != sample).any(axis=1)
    return bool(moved.mean() > 0.5)


def _is_crowded(rows: Rows, new: slice) -> bool:
    images = rows.images[new]
    kinds, kind_of = np.unique(images, return_inverse=True)
    try:
        sizes = np.array([rows.size_of(int(kind)) for kind in kinds])[kind_of]
    except AssetError:  # no image is loaded, because the batch is in no game
        return False
    # a cell is half as large as the image
    cell_sizes: Doubles = np.maximum(np.abs(rows.scales[new]) * sizes / 2, 1.0)
    cells = np.column_stack([np.floor(rows.positions[new] / cell_sizes), images])
    return len(np.unique(cells, axis=0)) < _MAX_SHARE * len(cells)
