"""Find overlapping pairs among many upright boxes (the broad phase of collision detection).

The sides of an upright box are parallel to the axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Mask, Rows


def pairs(low: ArrayLike, high: ArrayLike) -> Rows:
    """Return the pairs of rows whose upright boxes overlap or touch. The returned array has the
    shape (m, 2). In each returned pair, the smaller row index comes first.

    A box extends from its corner ``low`` to its corner ``high``, in units. ``low`` and ``high`` are
    arrays of shape (n, 2) or (n, 3). A box overlaps no other box if one of its numbers is NaN or
    infinite, or if its ``low`` is above its ``high``.

    `pairs` sorts the boxes by size, and builds one grid for all boxes of similar size. The running
    time depends on the number of boxes, and on how many of them are close together, but not on
    their sizes.
    """
    return near(_checked("low", low, "high", high))


def pairs_between(
    low: ArrayLike, high: ArrayLike, other_low: ArrayLike, other_high: ArrayLike
) -> Rows:
    """Compare two sets of upright boxes, and return the pairs of boxes that overlap or touch. The
    returned array has the shape (m, 2), with rows of the first set in column 0. See `pairs` for the
    shapes of the arguments.
    """
    boxes = _checked("low", low, "high", high)
    return near(boxes, _checked("other_low", other_low, "other_high", other_high, len(boxes.low)))


class Extents:
    """A set of upright boxes. The bounds are stored in one array per axis, for fast comparisons.
    The arrays ``low`` and ``high`` have the shape (2, n) or (3, n).
    """

    def __init__(self, low: Doubles, high: Doubles) -> None:
        self.low = low
        self.high = high
        self.middle: Doubles = low + high
        self.middle *= 0.5
        size = high - low
        self.rows = np.arange(len(self))
        """The rows of the valid boxes: an array of shape (m,). A box is valid if its numbers are
        finite and ``low`` is not above ``high``.
        """
        self.middles = self.middle
        """The centers of the valid boxes: an array of shape (2, m) or (3, m)."""
        self.lowest, self.highest = self._range()
        if len(self) and not (
            math.isfinite(sum(self.lowest) + sum(self.highest)) and size.min() >= 0
        ):
            usable = np.logical_and.reduce([*np.isfinite(self.middle), *(low <= high)])
            self.rows = np.flatnonzero(usable)
            self.middles = self.middle[:, self.rows]
            size = size[:, self.rows]
            self.lowest, self.highest = self._range()
        self.sizes: Doubles = size[0]
        """The longest side of each valid box: an array of shape (m,)."""
        along: Doubles
        for along in size[1:]:
            np.maximum(self.sizes, along, out=self.sizes)

    def __len__(self) -> int:
        return len(self.low[0])

    def _range(self) -> tuple[list[float], list[float]]:
        """Return the minimum and the maximum of the centers along each axis."""
        if not len(self.rows):
            return [], []
        # Compute each axis separately. One NumPy call for all axes takes ten times as long.
        axes: list[Doubles] = [*self.middles]
        return [float(axis.min()) for axis in axes], [float(axis.max()) for axis in axes]


def near(
    boxes: Extents,
    others: Extents | None = None,
    strictly: bool = False,
    narrow: Callable[[Rows, Rows], Mask] | None = None,
) -> Rows:
    """Return the overlapping pairs within one set of boxes, as `pairs` does. If you pass
    ``others``, return the overlapping pairs between ``boxes`` and ``others``.

    If ``strictly`` is True, boxes that only touch do not count as overlapping. ``narrow(a, b)`` is
    an optional second test that is more exact than comparing upright boxes. ``a`` and ``b`` contain
    the rows of the first and the second box of each pair. ``narrow`` returns a mask that is True
    for each pair that overlaps.
    """
    overlap_test = np.less if strictly else np.less_equal
    if others is None:
        a, b = _narrowed(_joined(_pairs_within(boxes, overlap_test)), narrow)
        return _in_order(np.minimum(a, b), np.maximum(a, b), len(boxes))
    matches = _narrowed(_joined(_pairs_of_sets(boxes, others, overlap_test)), narrow)
    # The rows are in order except for short runs. For such rows, a merge sort takes a sixth of the
    # time of the default sort.
    return _in_order(*matches, len(others), "stable")


def _pairs_within(boxes: Extents, overlap_test: np.ufunc) -> list[tuple[Rows, Rows]]:
    """Return the overlapping pairs within one set of boxes, by comparing every level with itself
    and every other level.
    """
    sets = _Sets(boxes, boxes, overlap_test)
    levels = _levels(boxes, _Frame.of([boxes]))
    return [
        _pairs_of_levels(level, other_level, sets)
        for i, level in enumerate(levels)
        for other_level in levels[i:]
    ]


def _pairs_of_sets(
    boxes: Extents, others: Extents, overlap_test: np.ufunc
) -> list[tuple[Rows, Rows]]:
    """Return the overlapping pairs of each level of ``boxes`` with each level of ``others``."""
    frame = _Frame.of([boxes, others])
    other_levels = _levels(others, frame)
    sets = _Sets(boxes, others, overlap_test)
    swapped_sets = _Sets(others, boxes, overlap_test)
    return [
        _pairs_of_levels(level, other_level, sets)
        if level.size <= other_level.size
        else _pairs_of_levels(other_level, level, swapped_sets)[::-1]
        for level in _levels(boxes, frame)
        for other_level in other_levels
    ]


class _Sets(NamedTuple):
    """Two sets of boxes that are compared with each other."""

    boxes: Extents
    others: Extents
    overlap_test: np.ufunc

    def overlapping(self, a: Rows, b: Rows) -> tuple[Rows, Rows]:
        """Return the pairs of overlapping boxes, as the rows ``a`` in ``boxes`` and ``b`` in
        ``others``.
        """
        low: Doubles
        high: Doubles
        other_low: Doubles
        other_high: Doubles
        for low, high, other_low, other_high in zip(
            self.boxes.low, self.boxes.high, self.others.low, self.others.high, strict=True
        ):
            mask: Mask = self.overlap_test(
                low.take(a, mode=_UNCHECKED), other_high.take(b, mode=_UNCHECKED)
            )
            mask &= self.overlap_test(
                other_low.take(b, mode=_UNCHECKED), high.take(a, mode=_UNCHECKED)
            )
            # Checked here, because most pairs do not overlap on the first axis.
            a, b = _masked(mask, a, b)
        return a, b


def _narrowed(
    matches: tuple[Rows, Rows], narrow: Callable[[Rows, Rows], Mask] | None
) -> tuple[Rows, Rows]:
    return matches if narrow is None else _masked(narrow(*matches), *matches)


def _masked(mask: Mask, a: Rows, b: Rows) -> tuple[Rows, Rows]:
    """Return the pairs (a, b) for which ``mask`` is True.

    The function uses `numpy.take`, because indexing with a mask (``a[mask]``) takes twice as long.
    """
    rows = mask.nonzero()[0]
    return a.take(rows, mode=_UNCHECKED), b.take(rows, mode=_UNCHECKED)


def _checked(
    low_name: str, low: ArrayLike, high_name: str, high: ArrayLike, width: int | None = None
) -> Extents:
    lowest = checks.numbers(low_name, low, (None, width), finite=False)
    if lowest.shape[1] not in (2, 3):
        raise checks.wrong_value(low_name, "numbers of shape (n, 2) or (n, 3)", low)
    highest = checks.numbers(high_name, high, lowest.shape, finite=False)
    with np.errstate(over="ignore", invalid="ignore"):
        return Extents(np.ascontiguousarray(lowest.T), np.ascontiguousarray(highest.T))


# The maximum number of cells along an axis. Three indices below this number fit into 64 bits.
_MAX_CELLS = 1 << 20
# Along the last axis, cells are narrower by this factor. Along this axis, each box is compared only
# with the cells that the box overlaps.
_FINE_FACTOR = 4


class _Frame(NamedTuple):
    """The lowest and the highest center of all boxes, along each axis. All grids use this range.
    All grids count their cells from ``origin``, the lower end of the range.
    """

    origin: list[float]
    # The size of the grid along each axis.
    span: list[float]
    # The minimum size of a cell.
    min_cell_size: float
    # The rounding error of the distance between two centers.
    rounding: float

    @classmethod
    def of(cls, sets: list[Extents]) -> _Frame:
        nonempty_sets = [boxes for boxes in sets if len(boxes.rows)]
        if not nonempty_sets:
            axes = len(sets[0].low)
            return cls([0.0] * axes, [0.0] * axes, 1.0, 0.0)
        lowest = [*map(min, zip(*[boxes.lowest for boxes in nonempty_sets], strict=True))]
        highest = [*map(max, zip(*[boxes.highest for boxes in nonempty_sets], strict=True))]
        span = [high - low for low, high in zip(lowest, highest, strict=True)]
        rounding = 2 * math.ulp(max(map(abs, [*lowest, *highest])))
        size = max(max(span) / _MAX_CELLS * 2, 2 * rounding)
        return cls(lowest, span, max(size, 1e-30), rounding)


# The row numbers are always valid, and without checking bounds, `take` needs a third less time.
_UNCHECKED: Final = "clip"


class _Grid(NamedTuple):
    """A grid that finds boxes of similar size by their position. The grid stores the rows of the
    boxes, sorted by cell. A box belongs to the cell that contains its center.
    """

    rows: Rows
    keys: NDArray[np.int64]
    # How much the key changes from one cell to the next along each axis. The last step is 1.
    steps: list[int]
    # For each cell: the position of its first row, or of the first row in a later cell. None if
    # there are many cells.
    starts: Rows | None

    def first(self, keys: NDArray[np.int64]) -> Rows:
        """For each cell in ``keys``, return the index in ``rows`` of the cell's first box. If a
        cell is empty, return the index of the first box in the next cell that is not empty.
        """
        if self.starts is None:
            return np.searchsorted(self.keys, keys, "left")
        return self.starts.take(keys, mode=_UNCHECKED)

    def ranges(
        self, first: NDArray[np.int64], last: NDArray[np.int64], strips: list[tuple[int, ...]]
    ) -> tuple[Rows, Rows]:
        """Return the ranges of ``rows`` between the cells ``first`` and ``last``, in the strips
        beside them. The starts and the ends of the ranges are arrays of shape (n, k), for n cells
        and k strips. Each strip is a number of cells along every axis except the last.
        """
        # The ranges of a cell are next to each other in memory, so that rows stay in order.
        start, stop = np.empty((2, len(first), len(strips)), np.intp)
        for i, strip in enumerate(strips):
            shift = sum(cells * step for cells, step in zip(strip, self.steps, strict=False))
            start[:, i] = self.first(first + shift)
            stop[:, i] = self.first(last + shift)
        return start, stop


class _Level:
    """The boxes of one size class, which share one grid: the sizes of all boxes in a level round up
    to the same power of two.
    """

    def __init__(
        self, selection: Rows | slice, boxes: Extents, largest: float, frame: _Frame
    ) -> None:
        self.rows = boxes.rows[selection]
        self.middles = boxes.middles[:, selection]
        self.size = largest * _CELL_MARGIN + frame.rounding
        self.frame = frame
        self._cells_per_unit = _FINE_FACTOR / self.size
        self._grid: _Grid | None = None

    @property
    def grid(self) -> _Grid:
        """The grid of the level. Each cell of the grid is about as large as the largest box of the
        level. Along the last axis, cells are narrower by the factor `_FINE_FACTOR`.
        """
        if self._grid is None:
            cell_counts = self._cell_counts()
            steps = [math.prod(cell_counts[axis + 1 :]) for axis in range(len(cell_counts))]
            keys = self.strips(self.middles, steps)
            keys += self.along(self.middles[-1])
            cells = math.prod(cell_counts)
            starts = None
            # For 16-bit numbers, NumPy uses the fast radix sort.
            order = np.argsort(keys.astype(np.uint16) if cells <= 1 << 16 else keys, kind="stable")
            if cells <= 16 * len(keys) + 4096:
                starts = np.zeros(cells + 2, np.intp)
                np.cumsum(np.bincount(keys, minlength=cells + 1), out=starts[1:])
            self._grid = _Grid(self.rows.take(order), keys.take(order), steps, starts)
        return self._grid

    def _cell_counts(self) -> list[int]:
        """Return the number of cells along each axis. The grid has free cells on each side, so that
        every cell has neighbors.
        """
        *across, along = self.frame.span
        counts = [int(span / self.size) + 4 for span in across]
        return [*counts, int(along * self._cells_per_unit) + 4 + 2 * _FINE_FACTOR]

    def strips(self, middles: Doubles, steps: list[int]) -> NDArray[np.int64]:
        """For each position, return the first cell of the strip that contains the position.
        ``middles`` is an array of positions with the shape (axes, m). A strip is a line of cells
        along the last axis.
        """
        keys = np.zeros(middles.shape[1], np.int64)
        positions: Doubles
        for positions, start, step in zip(middles[:-1], self.frame.origin, steps, strict=False):
            distances = positions - start
            distances *= 1 / self.size
            cells: NDArray[np.int64] = distances.astype(np.int64)
            cells += 1
            cells *= step
            keys += cells
        return keys

    def along(self, positions: Doubles) -> NDArray[np.int64]:
        """For each position, return the index of its cell along the last axis. ``positions`` has
        the shape (m,).

        A position may be outside the range of the centers by at most the size of one cell.
        """
        # Start below all positions, so that distances are positive. Truncation then always rounds
        # down.
        start = self.frame.origin[-1] - self.size * (1 + 1 / _FINE_FACTOR)
        distances: Doubles = positions - start
        distances *= self._cells_per_unit
        return distances.astype(np.int64)


# Cells are larger than their boxes by this factor, which is larger than any rounding error.
_CELL_MARGIN = 1 + 2.0**-20


def _levels(boxes: Extents, frame: _Frame) -> list[_Level]:
    """Group boxes into levels, the smallest boxes first. Boxes belong to the same level if their
    sizes round up to the same power of two.
    """
    rows = boxes.rows
    if not len(rows):
        return []
    sizes: Doubles = np.maximum(boxes.sizes, frame.min_cell_size)
    largest = float(sizes.max())
    if _level(largest) - _level(float(sizes.min())) <= 1:
        return [_Level(slice(None), boxes, largest, frame)]
    fraction, levels = np.frexp(sizes)
    levels = levels.astype(np.int64) - (fraction == 0.5)
    _merge_levels(levels)
    groups = [np.flatnonzero(levels == level) for level in np.unique(levels)]
    return [
        _Level(rows_of_size, boxes, float(sizes[rows_of_size].max()), frame)
        for rows_of_size in groups
    ]


def _merge_levels(levels: NDArray[np.int64]) -> None:
    """Add each level with only a few boxes to the next larger level, because a few boxes do not
    need a grid of their own. Levels of similar sizes are merged too. ``levels`` contains the level
    of each box, and is changed in place.
    """
    distinct_levels, counts = np.unique(levels, return_counts=True)
    level: np.int64
    count: np.int64
    next_level: np.int64
    for level, count, next_level in zip(distinct_levels, counts, distinct_levels[1:], strict=False):
        if count < 32 or next_level == level + 1:
            levels[levels == level] = next_level


def _level(size: float) -> int:
    """Return the exponent of the smallest power of two that is at least ``size``."""
    fraction, level = math.frexp(size)
    return level - (fraction == 0.5)


def _pairs_of_levels(small: _Level, large: _Level, sets: _Sets) -> tuple[Rows, Rows]:
    """Return the pairs of overlapping boxes from two levels. The boxes of ``large`` are at least as
    large as the boxes of ``small``.

    `_pairs_of_levels` compares only boxes whose centers are in neighboring cells.
    """
    grid = large.grid
    boxes = sets.boxes
    is_same = small is large
    rows = grid.rows if is_same else small.rows
    all_rows = len(rows) == len(boxes) and not is_same
    middles, low, high = (
        part if all_rows else part[:, rows] for part in (boxes.middle, boxes.low, boxes.high)
    )
    keys = large.strips(middles, grid.steps)
    half = large.size / 2
    bottom: Doubles = low[-1]
    top: Doubles = high[-1]
    first = keys + large.along(bottom - half)
    last = keys + large.along(top + half) + 1
    strips = [*product((-1, 0, 1), repeat=len(boxes.low) - 1)]
    if is_same:  # the other strips would find the same pairs in reverse
        strips = strips[len(strips) // 2 :]
    start, stop = grid.ranges(first, last, strips)
    # Within a strip, the row that is sorted first has already found the pair.
    if is_same:
        start[:, 0] = np.arange(1, len(rows) + 1)
        np.maximum(start[:, 0], stop[:, 0], out=stop[:, 0])
    return _overlapping(sets, rows, grid.rows, start, stop)


# The maximum number of pairs that are compared in one NumPy operation.
_MAX_CANDIDATES = 1 << 20


def _overlapping(
    sets: _Sets, rows: Rows, choice: Rows, start: Rows, stop: Rows
) -> tuple[Rows, Rows]:
    """Compare the box of each row in ``rows`` with some boxes of ``choice``. Return the pairs of
    boxes that overlap.

    Each row in ``rows`` is compared with k ranges of ``choice``, each of which goes from a
    ``start`` to a ``stop``. ``start`` and ``stop`` have the shape (n, k).
    """
    counts = stop - start
    ends = np.cumsum(counts).reshape(counts.shape)
    base = start - ends + counts
    total_by = np.append(0, ends[:, -1])
    matches = []
    index = 0
    while index < len(rows):
        count_before = int(total_by[index])
        stop_index = max(
            index + 1, int(np.searchsorted(total_by, count_before + _MAX_CANDIDATES, "right")) - 1
        )
        part = slice(index, stop_index)
        a = np.repeat(rows[part], total_by[index + 1 : stop_index + 1] - total_by[part])
        b = np.repeat(base[part].ravel(), counts[part].ravel())
        b += np.arange(count_before, count_before + len(b))
        matches.append(sets.overlapping(a, choice.take(b, mode=_UNCHECKED)))
        index = stop_index
    return _joined(matches)


def _joined(matches: list[tuple[Rows, Rows]]) -> tuple[Rows, Rows]:
    if len(matches) == 1:
        return matches[0]
    empty = np.empty(0, np.intp)
    return np.concatenate([empty, *(a for a, _ in matches)]), np.concatenate(
        [empty, *(b for _, b in matches)]
    )


def _in_order(
    a: Rows, b: Rows, n: int, algorithm: Literal["quicksort", "stable"] = "quicksort"
) -> Rows:
    """Sort pairs by the first row, then by the second row. The returned array has the shape (m, 2).

    ``n`` must be larger than the largest row in ``b``.
    """
    bits = n.bit_length()
    both = a << bits
    both |= b
    both.sort(kind=algorithm)
    rows = np.empty((len(both), 2), np.intp)
    np.right_shift(both, bits, out=rows[:, 0])
    np.bitwise_and(both, (1 << bits) - 1, out=rows[:, 1])
    return rows
