"""Which of thousands of upright boxes overlap, in the plane and in space: by a grid for each size of box."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Rows


def pairs(low: ArrayLike, high: ArrayLike) -> Rows:
    """The rows whose upright boxes, from ``low`` to ``high`` (n, 2) or (n, 3), overlap or touch: (m, 2), the lower row
    first.

    Rows with a number that is not finite, or that end before they begin, touch nothing. Takes time by n, and by the
    pairs that are near each other, whatever the sizes: boxes of about one size are sought in a grid of that size.
    """
    return near(_checked("low", low, "high", high))


def pairs_between(low: ArrayLike, high: ArrayLike, other_low: ArrayLike, other_high: ArrayLike) -> Rows:
    """The rows of one set of boxes that overlap rows of another: (m, 2), the first set's row first."""
    boxes = _checked("low", low, "high", high)
    return near(boxes, _checked("other_low", other_low, "other_high", other_high, len(boxes.low)))


class Extents:
    """Upright boxes, axis by axis: from ``low`` to ``high``, (2, n) or (3, n)."""

    def __init__(self, low: Doubles, high: Doubles) -> None:
        self.low, self.high = low, high
        self.middle: Doubles = (low + high) / 2
        usable = np.logical_and.reduce([*np.isfinite(self.middle), *(low <= high)])
        self.rows = np.flatnonzero(usable)
        """Those that are boxes: their numbers are finite, and they end where they begin, or later."""
        self.middles = self.middle if len(self.rows) == len(usable) else self.middle[:, self.rows]
        """The middles of those: (2, m) or (3, m)."""

    def __len__(self) -> int:
        return len(self.low[0])


def near(boxes: Extents, others: Extents | None = None, strictly: bool = False) -> Rows:
    """The same as `pairs`, or as `pairs_between` with ``others``; ``strictly``: without those that only touch."""
    meet = np.less if strictly else np.less_equal
    if others is None:
        levels = _levels(boxes, _Frame.of([boxes]))
        a, b = _joined([_near(one, other, boxes, boxes, meet) for i, one in enumerate(levels) for other in levels[i:]])
        return _in_order(np.minimum(a, b), np.maximum(a, b), len(boxes))
    frame = _Frame.of([boxes, others])
    found = []
    theirs = _levels(others, frame)
    for one in _levels(boxes, frame):
        for other in theirs:
            if one.size <= other.size:
                found.append(_near(one, other, boxes, others, meet))
            else:
                found.append(_near(other, one, others, boxes, meet)[::-1])
    return _in_order(*_joined(found), len(others))


def _checked(low_name: str, low: ArrayLike, high_name: str, high: ArrayLike, width: int | None = None) -> Extents:
    lowest = checks.numbers(low_name, low, (None, width), finite=False)
    if lowest.shape[1] not in (2, 3):
        raise checks.wrong_value(low_name, "numbers of shape (n, 2) or (n, 3)", low)
    highest = checks.numbers(high_name, high, lowest.shape, finite=False)
    with np.errstate(over="ignore", invalid="ignore"):
        return Extents(np.ascontiguousarray(lowest.T), np.ascontiguousarray(highest.T))


# Cells along an axis: three such numbers fit into one of 64 bits.
_MOST_CELLS = 1 << 20


class _Frame(NamedTuple):
    """Where the middles of boxes are."""

    origin: Doubles
    span: Doubles  # along each axis
    least: float  # size of a cell

    @classmethod
    def of(cls, sets: list[Extents]) -> _Frame:
        there = [boxes.middles for boxes in sets if len(boxes.rows)]
        if not there:
            axes = len(sets[0].low)
            return cls(np.zeros(axes), np.zeros(axes), 1.0)
        # Axis by axis: NumPy takes ten times as long for all of them at once.
        lowest = np.array([min(float(middle.min()) for middle in axis) for axis in zip(*there, strict=True)])
        highest = np.array([max(float(middle.max()) for middle in axis) for axis in zip(*there, strict=True)])
        span = highest - lowest
        largest = max(float(np.abs(lowest).max()), float(np.abs(highest).max()))
        far = max(float(span.max()) / _MOST_CELLS * 2, float(np.spacing(largest)) * 4)
        return cls(lowest, span, max(far, 1e-30))


class _Grid(NamedTuple):
    """Rows of about one size, sorted by the cell that their middle is in."""

    rows: Rows
    keys: NDArray[np.int64]
    steps: NDArray[np.int64]  # from a cell to the next one along each axis; along the last it is 1
    starts: Rows | None  # for each cell the first row that is in it or a later one, where there are few cells

    def first(self, keys: NDArray[np.int64]) -> Rows:
        """The first of the rows that are in a cell or a later one."""
        if self.starts is None:
            return np.searchsorted(self.keys, keys, "left")
        found: Rows = self.starts[keys]
        return found


class _Level:
    """Boxes of about one size."""

    def __init__(self, some: Rows | slice, boxes: Extents, sizes: Doubles, frame: _Frame) -> None:
        self.rows, self.middles = boxes.rows[some], boxes.middles[:, some]
        self.size = float(sizes[some].max()) * _SPARE
        self.frame = frame
        self._grid: _Grid | None = None

    @property
    def grid(self) -> _Grid:
        """Sorted into cells that are as large as the largest of them."""
        if self._grid is None:
            wide = (self.frame.span / self.size).astype(np.int64) + 4  # a free cell on every side
            steps = np.cumprod([1, *wide[:0:-1]])[::-1].astype(np.int64)
            keys = _cells(self.middles, self.size, self.frame.origin, steps)
            order = np.argsort(keys, kind="stable")
            starts = None
            if wide.astype(float).prod() <= 4 * len(keys) + 4096:
                cells = int(wide.prod())
                starts = np.zeros(cells + 2, np.intp)
                np.cumsum(np.bincount(keys, minlength=cells + 1), out=starts[1:])
            self._grid = _Grid(self.rows[order], keys[order], steps, starts)
        return self._grid


# Cells are larger than what is in them by more than any rounding.
_SPARE = 1 + 2.0**-20


def _levels(boxes: Extents, frame: _Frame) -> list[_Level]:
    """The boxes by the powers of two that their sizes lie below, the smallest first."""
    rows = boxes.rows
    if not len(rows):
        return []
    with np.errstate(invalid="ignore"):  # those that are none may be infinite
        extent = np.maximum.reduce([*(boxes.high - boxes.low)])[rows]
    sizes = np.maximum(extent, frame.least)
    fraction, levels = np.frexp(sizes)
    levels = levels.astype(np.int64) - (fraction == 0.5)  # the power of two that is not below
    if levels.min() == levels.max():
        return [_Level(slice(None), boxes, sizes, frame)]
    # Few of a size do not need a grid of their own: they go with the next larger ones.
    kinds, counts = np.unique(levels, return_counts=True)
    for kind, count, larger in zip(kinds, counts, kinds[1:], strict=False):
        if count < 32 or larger == kind + 1:
            levels[levels == kind] = larger
    return [_Level(np.flatnonzero(levels == level), boxes, sizes, frame) for level in np.unique(levels)]


def _cells(middles: Doubles, size: float, origin: Doubles, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the cells that places (axes, m) are in."""
    keys = np.zeros(middles.shape[1], np.int64)
    for place, start, step in zip(middles, origin, steps, strict=True):
        keys += (np.floor((place - start) / size).astype(np.int64) + 1) * step
    return keys


def _near(small: _Level, large: _Level, boxes: Extents, others: Extents, meet: np.ufunc) -> tuple[Rows, Rows]:
    """Rows of ``small`` and of ``large``, no finer, that overlap: their middles are in cells side by side."""
    other, same = large.grid, small is large
    rows, keys = (other.rows, other.keys) if same else (small.rows, None)
    if keys is None:
        keys = _cells(small.middles, large.size, large.frame.origin, other.steps)
    starts, stops = [], []
    for place in product((-1, 0, 1), repeat=len(boxes.low) - 1):
        if same and place < (0,) * len(place):
            continue  # the same pairs, seen from the other side
        across = keys + int(np.dot(place, other.steps[:-1]))
        stop = other.first(across + 2)
        # In one's own row of cells, what is sorted before it has found it already.
        start = np.arange(1, len(rows) + 1) if same and not any(place) else other.first(across - 1)
        starts.append(start)
        stops.append(np.maximum(stop, start))
    every = np.tile(rows, len(starts))
    return _overlapping(every, other.rows, np.concatenate(starts), np.concatenate(stops), boxes, others, meet)


# Candidates that are compared at once.
_MOST_CANDIDATES = 1 << 20


def _overlapping(
    rows: Rows, choice: Rows, start: Rows, stop: Rows, boxes: Extents, others: Extents, meet: np.ufunc
) -> tuple[Rows, Rows]:
    """Those of ``rows`` and ``choice[start:stop]``, a range for each of them, whose boxes overlap."""
    counts = stop - start
    ends = np.cumsum(counts)
    found, first = [], 0
    while first < len(rows):
        done = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _MOST_CANDIDATES, "right")))
        some = counts[first:last]
        a = np.repeat(rows[first:last], some)
        b = choice[np.arange(len(a)) + np.repeat(start[first:last] + some - ends[first:last] + done, some)]
        for low, high, other_low, other_high in zip(boxes.low, boxes.high, others.low, others.high, strict=True):
            keep = meet(low[a], other_high[b]) & meet(other_low[b], high[a])
            a, b = a[keep], b[keep]  # most candidates are gone after the first axis
        found.append((a, b))
        first = last
    return _joined(found)


def _joined(found: list[tuple[Rows, Rows]]) -> tuple[Rows, Rows]:
    none = np.empty(0, np.intp)
    return np.concatenate([none, *(a for a, _ in found)]), np.concatenate([none, *(b for _, b in found)])


def _in_order(a: Rows, b: Rows, n: int) -> Rows:
    """Pairs (m, 2), by the first row and then by the second, which is below ``n``."""
    bits = n.bit_length()
    both = (a << bits) | b
    both.sort()
    return np.column_stack([both >> bits, both & ((1 << bits) - 1)])
