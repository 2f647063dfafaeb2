"""Which of thousands of upright boxes overlap, in the plane and in space: by a grid for each size
of box.
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
    """The rows whose upright boxes, from ``low`` to ``high`` (n, 2) or (n, 3), overlap or touch:
    (m, 2), the lower row first.

    Rows with a number that is not finite, or that end before they begin, touch nothing. Takes time
    by n, and by the pairs that are near each other, whatever the sizes: boxes of about one size are
    sought in a grid of that size.
    """
    return near(_checked("low", low, "high", high))


def pairs_between(
    low: ArrayLike, high: ArrayLike, other_low: ArrayLike, other_high: ArrayLike
) -> Rows:
    """The rows of one set of boxes that overlap rows of another: (m, 2), the first set's row
    first.
    """
    boxes = _checked("low", low, "high", high)
    return near(boxes, _checked("other_low", other_low, "other_high", other_high, len(boxes.low)))


class Extents:
    """Upright boxes, axis by axis: from ``low`` to ``high``, (2, n) or (3, n)."""

    def __init__(self, low: Doubles, high: Doubles) -> None:
        self.low, self.high = low, high
        self.middle: Doubles = low + high
        self.middle *= 0.5
        size = high - low
        self.rows = np.arange(len(self))
        """Those that are boxes: their numbers are finite, and they end where they begin, or
        later.
        """
        self.middles = self.middle
        """The middles of those: (2, m) or (3, m)."""
        self.lowest, self.highest = self._range()
        if len(self) and not (
            math.isfinite(sum(self.lowest) + sum(self.highest)) and size.min() >= 0
        ):
            usable = np.logical_and.reduce([*np.isfinite(self.middle), *(low <= high)])
            self.rows = np.flatnonzero(usable)
            self.middles, size = self.middle[:, self.rows], size[:, self.rows]
            self.lowest, self.highest = self._range()
        self.sizes: Doubles = size[0]
        """How wide those are at most along an axis: (m,)."""
        along: Doubles
        for along in size[1:]:
            np.maximum(self.sizes, along, out=self.sizes)

    def __len__(self) -> int:
        return len(self.low[0])

    def _range(self) -> tuple[list[float], list[float]]:
        """The lowest and the highest of the middles along each axis."""
        if not len(self.rows):
            return [], []
        # Axis by axis: NumPy takes ten times as long for all of them at once.
        axes: list[Doubles] = [*self.middles]
        return [float(axis.min()) for axis in axes], [float(axis.max()) for axis in axes]


def near(
    boxes: Extents,
    others: Extents | None = None,
    strictly: bool = False,
    narrow: Callable[[Rows, Rows], Mask] | None = None,
) -> Rows:
    """The same as `pairs`, or as `pairs_between` with ``others``; ``strictly``: without those that
    only touch.

    ``narrow`` is given two columns of rows, and tells which of these pairs count.
    """
    meet = np.less if strictly else np.less_equal
    if others is None:
        levels = _levels(boxes, _Frame.of([boxes]))
        found = [
            _near(one, other, boxes, boxes, meet)
            for i, one in enumerate(levels)
            for other in levels[i:]
        ]
        a, b = _narrowed(_joined(found), narrow)
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
    # As rows are in order by then, but for small runs, a sort that merges takes a sixth of the
    # time.
    return _in_order(*_narrowed(_joined(found), narrow), len(others), "stable")


def _narrowed(
    found: tuple[Rows, Rows], narrow: Callable[[Rows, Rows], Mask] | None
) -> tuple[Rows, Rows]:
    return found if narrow is None else _those(narrow(*found), *found)


def _those(kept: Mask, a: Rows, b: Rows) -> tuple[Rows, Rows]:
    """The pairs that are kept: `take` of numbers takes half as long as a mask does."""
    rows = kept.nonzero()[0]
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


# Cells along an axis: three such numbers fit into one of 64 bits.
_MOST_CELLS = 1 << 20
# Cells lie that much closer along the last axis: there, each box asks for those alone that it
# reaches.
_FINE = 4


class _Frame(NamedTuple):
    """Where the middles of boxes are."""

    origin: list[float]
    span: list[float]  # along each axis
    least: float  # size of a cell
    # by which two middles may be nearer to each other than their numbers tell, or farther
    rounding: float

    @classmethod
    def of(cls, sets: list[Extents]) -> _Frame:
        there = [boxes for boxes in sets if len(boxes.rows)]
        if not there:
            axes = len(sets[0].low)
            return cls([0.0] * axes, [0.0] * axes, 1.0, 0.0)
        lowest: list[float] = [
            min(places) for places in zip(*(boxes.lowest for boxes in there), strict=True)
        ]
        highest: list[float] = [
            max(places) for places in zip(*(boxes.highest for boxes in there), strict=True)
        ]
        span = [high - low for low, high in zip(lowest, highest, strict=True)]
        rounding = 2 * math.ulp(max(map(abs, [*lowest, *highest])))
        far = max(max(span) / _MOST_CELLS * 2, 2 * rounding)
        return cls(lowest, span, max(far, 1e-30), rounding)


# Rows that were counted are there: to `take` them takes two thirds of the time where NumPy need not
# look.
_UNCHECKED: Final = "clip"


class _Grid(NamedTuple):
    """Rows of about one size, sorted by the cell that their middle is in."""

    rows: Rows
    keys: NDArray[np.int64]
    steps: list[int]  # from a cell to the next one along each axis; along the last it is 1
    starts: (
        Rows | None
    )  # for each cell the first row that is in it or a later one, where there are few cells

    def first(self, keys: NDArray[np.int64]) -> Rows:
        """The first of the rows that are in a cell or a later one."""
        if self.starts is None:
            return np.searchsorted(self.keys, keys, "left")
        return self.starts.take(keys, mode=_UNCHECKED)


class _Level:
    """Boxes of about one size."""

    def __init__(self, some: Rows | slice, boxes: Extents, largest: float, frame: _Frame) -> None:
        self.rows, self.middles = boxes.rows[some], boxes.middles[:, some]
        self.size = largest * _SPARE + frame.rounding
        self.frame = frame
        self._finely = _FINE / self.size
        self._grid: _Grid | None = None

    @property
    def grid(self) -> _Grid:
        """Sorted into cells that are as large as the largest of them."""
        if self._grid is None:
            *across, along = self.frame.span
            wide = [int(span / self.size) + 4 for span in across]  # a free cell on every side
            wide.append(int(along * self._finely) + 4 + 2 * _FINE)
            steps = [math.prod(wide[axis + 1 :]) for axis in range(len(wide))]
            keys = self.strips(self.middles, steps)
            keys += self.along(self.middles[-1])
            cells, starts = math.prod(wide), None
            # Of 16 bits, NumPy sorts by radix.
            order = np.argsort(keys.astype(np.uint16) if cells <= 1 << 16 else keys, kind="stable")
            if cells <= 16 * len(keys) + 4096:
                starts = np.zeros(cells + 2, np.intp)
                np.cumsum(np.bincount(keys, minlength=cells + 1), out=starts[1:])
            self._grid = _Grid(self.rows.take(order), keys.take(order), steps, starts)
        return self._grid

    def strips(self, middles: Doubles, steps: list[int]) -> NDArray[np.int64]:
        """The first cells of the strips, along the last axis, that places (axes, m) are in."""
        keys = np.zeros(middles.shape[1], np.int64)
        place: Doubles
        for place, start, step in zip(middles[:-1], self.frame.origin, steps, strict=False):
            away = place - start
            away *= 1 / self.size
            cells: NDArray[np.int64] = away.astype(np.int64)
            cells += 1
            cells *= step
            keys += cells
        return keys

    def along(self, places: Doubles) -> NDArray[np.int64]:
        """Which cell of a strip places (m,) are in that lie no farther than a size from where the
        boxes are.
        """
        start = self.frame.origin[-1] - self.size * (
            1 + 1 / _FINE
        )  # so that all are above 0, and truncated
        away: Doubles = places - start
        away *= self._finely
        return away.astype(np.int64)


# Cells are larger than what is in them by more than any rounding.
_SPARE = 1 + 2.0**-20


def _levels(boxes: Extents, frame: _Frame) -> list[_Level]:
    """The boxes by the powers of two that their sizes lie below, the smallest first."""
    rows = boxes.rows
    if not len(rows):
        return []
    sizes: Doubles = np.maximum(boxes.sizes, frame.least)
    largest = float(sizes.max())
    if _level(largest) - _level(float(sizes.min())) <= 1:
        return [_Level(slice(None), boxes, largest, frame)]
    fraction, levels = np.frexp(sizes)
    levels = levels.astype(np.int64) - (fraction == 0.5)
    # Few of a size do not need a grid of their own: they go with the next larger ones.
    kinds, counts = np.unique(levels, return_counts=True)
    kind: np.int64
    count: np.int64
    larger: np.int64
    for kind, count, larger in zip(kinds, counts, kinds[1:], strict=False):
        if count < 32 or larger == kind + 1:
            levels[levels == kind] = larger
    alike = [np.flatnonzero(levels == level) for level in np.unique(levels)]
    return [_Level(some, boxes, float(sizes[some].max()), frame) for some in alike]


def _level(size: float) -> int:
    """The power of two that is not below."""
    fraction, level = math.frexp(size)
    return level - (fraction == 0.5)


def _near(
    small: _Level, large: _Level, boxes: Extents, others: Extents, meet: np.ufunc
) -> tuple[Rows, Rows]:
    """Rows of ``small`` and of ``large``, no finer, that overlap: their middles are in cells side
    by side.
    """
    other, same = large.grid, small is large
    rows = other.rows if same else small.rows
    every = len(rows) == len(boxes) and not same
    middles, low, high = (
        part if every else part[:, rows] for part in (boxes.middle, boxes.low, boxes.high)
    )
    keys, half = large.strips(middles, other.steps), large.size / 2
    bottom: Doubles = low[-1]
    top: Doubles = high[-1]
    first = keys + large.along(bottom - half)
    last = keys + large.along(top + half) + 1
    places = [*product((-1, 0, 1), repeat=len(boxes.low) - 1)]
    if same:  # the others are the same pairs, seen from the other side
        places = places[len(places) // 2 :]
    # Range after range of one row, so that rows stay in order.
    start, stop = np.empty((2, len(rows), len(places)), np.intp)
    for i, place in enumerate(places):
        across = sum(cells * step for cells, step in zip(place, other.steps, strict=False))
        start[:, i], stop[:, i] = other.first(first + across), other.first(last + across)
    if same:  # in one's own strip, what is sorted before it has found it already
        start[:, 0] = np.arange(1, len(rows) + 1)
        np.maximum(start[:, 0], stop[:, 0], out=stop[:, 0])
    return _overlapping(rows, other.rows, start, stop, boxes, others, meet)


# Candidates that are compared at once.
_MOST_CANDIDATES = 1 << 20


def _overlapping(
    rows: Rows,
    choice: Rows,
    start: Rows,
    stop: Rows,
    boxes: Extents,
    others: Extents,
    meet: np.ufunc,
) -> tuple[Rows, Rows]:
    """Those of ``rows`` and ``choice[start:stop]``, some ranges (n, k) for each of them, whose
    boxes overlap.
    """
    counts = stop - start
    ends = np.cumsum(counts).reshape(counts.shape)
    base, done_by = start - ends + counts, np.append(0, ends[:, -1])
    found, first = [], 0
    while first < len(rows):
        done = int(done_by[first])
        last = max(first + 1, int(np.searchsorted(done_by, done + _MOST_CANDIDATES, "right")) - 1)
        a = np.repeat(rows[first:last], done_by[first + 1 : last + 1] - done_by[first:last])
        b = np.repeat(base[first:last].ravel(), counts[first:last].ravel())
        b += np.arange(done, done + len(b))
        b = choice.take(b, mode=_UNCHECKED)
        low: Doubles
        high: Doubles
        other_low: Doubles
        other_high: Doubles
        for low, high, other_low, other_high in zip(
            boxes.low, boxes.high, others.low, others.high, strict=True
        ):
            keep: Mask = meet(low.take(a, mode=_UNCHECKED), other_high.take(b, mode=_UNCHECKED))
            keep &= meet(other_low.take(b, mode=_UNCHECKED), high.take(a, mode=_UNCHECKED))
            a, b = _those(keep, a, b)  # most candidates are gone after the first axis
        found.append((a, b))
        first = last
    return _joined(found)


def _joined(found: list[tuple[Rows, Rows]]) -> tuple[Rows, Rows]:
    if len(found) == 1:
        return found[0]
    none = np.empty(0, np.intp)
    return np.concatenate([none, *(a for a, _ in found)]), np.concatenate(
        [none, *(b for _, b in found)]
    )


def _in_order(a: Rows, b: Rows, n: int, kind: Literal["quicksort", "stable"] = "quicksort") -> Rows:
    """Pairs (m, 2), by the first row and then by the second, which is below ``n``."""
    bits = n.bit_length()
    both = a << bits
    both |= b
    both.sort(kind=kind)
    rows = np.empty((len(both), 2), np.intp)
    np.right_shift(both, bits, out=rows[:, 0])
    np.bitwise_and(both, (1 << bits) - 1, out=rows[:, 1])
    return rows
