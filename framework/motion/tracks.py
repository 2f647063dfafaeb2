"""Tracks: tweens of one column, or of attributes, that are evaluated together.

All that a tween of a row needs is in columns: when it began, how long it takes, from where to
where. A tick is then a few operations on arrays, for one tween as for ten thousand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Reals, Rows
from ..geometry import exact
from ..geometry.eases import Ease, curve_of
from ..state.columns import Column, Table
from ..state.rows import RowSet
from ..timing.schedule import Schedule

ONCE, AGAIN, TO_AND_FRO = range(3)
"""How a tween goes on when it comes to its end."""

_BEGUN, _LENGTH, _ENDS = range(3)
_FEW = 4  # values that can do without one share for several
_SLACK = 1e-9  # of a run: at its very end, the next one begins
# of the time, more than floats round it by: before, no share of a tween that runs once is above 1
_EARLY = 1e-12
_START, _CHANGE, _GOAL, _LAST = range(4)


Runs = tuple[slice | Rows, Rows | None]
"""The first of the values that follow on one another, began together and take as long, as rows of
one tween do, and how many these are: one share of the time is for all of them. None for one or for
all."""


def _runs_of(times: Doubles) -> Runs:
    """Those of values that began and take as long as this: (2, n). Where there are few of them,
    each is by itself.
    """
    n = times.shape[1]
    if n > _FEW:
        firsts = np.append(0, 1 + np.flatnonzero((times[:, 1:] != times[:, :-1]).any(axis=0)))
        if len(firsts) == 1:
            return slice(1), None
        if _FEW * len(firsts) <= n:
            return firsts, np.diff(firsts, append=n)
    return slice(n), None


class Track:
    """Tweens with one ease and one clock, of values that have as many numbers.

    ``turn`` says that the values are rotations: unit quaternions, blended along the great circle.
    """

    _not_hashed = ("_runs",)  # which follow from their times
    __slots__ = (
        "_runs",
        "clock",
        "count",
        "ease",
        "first_end",
        "mode",
        "numbers",
        "times",
        "turn",
        "values",
    )

    def __init__(
        self, clock: Schedule, ease: Ease, mode: int, width: int, turn: bool = False
    ) -> None:
        self.clock, self.ease, self.mode, self.turn = clock, ease, mode, turn
        self.count = 0
        """Values that are tweened."""
        self.first_end = np.inf
        """When the first of them ends."""
        self._runs: Runs | None = None  # of the values as they are now
        self.numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        """Of the tweens that they belong to."""
        self.times: Doubles = np.zeros((3, 0))
        """When they began, how long they take, and when they end, in seconds of the clock."""
        self.values: Doubles = np.zeros((4, width, 0))
        """Where they start, by how much they change, where that leads to, and where they end."""

    def append(
        self,
        number: int,
        times: tuple[float, float, float],
        start: Doubles,
        goal: Doubles,
        back: bool,
    ) -> None:
        """More values of a tween: (width, n) where they are, and where they go, or with ``back``,
        go and come from.
        """
        first, n = self.count, self.count + start.shape[1]
        if n > len(self.numbers):
            self._reserve(max(n, 2 * first))
        self.numbers[first:n] = number
        self.times[:, first:n] = np.array(times)[:, None]
        self._runs = None
        new: Doubles = self.values[:, :, first:n]
        new[_START], new[_GOAL], new[_LAST] = start, goal, start if back else goal
        new[_CHANGE] = _across(start, goal) if self.turn else goal - start
        self.count, self.first_end = n, min(self.first_end, times[_ENDS])

    def _reserve(self, capacity: int) -> None:
        n = self.count
        for name in ("numbers", "times", "values"):
            old: Reals = getattr(self, name)
            new: Reals = np.zeros((*old.shape[:-1], capacity), old.dtype)
            new[..., :n] = old[..., :n]
            setattr(self, name, new)

    def keep(self, kept: Mask) -> NDArray[np.int64]:
        """Drop all values but these. Returns the numbers of the tweens that those belonged to."""
        dropped: NDArray[np.int64] = self.numbers[: self.count][~kept]
        n = int(kept.sum())
        for array in (self.numbers, self.times, self.values):
            array[..., :n] = array[..., : self.count][..., kept]
            array[..., n : self.count] = 0
        self.count = n
        self._runs = None
        self.first_end = float(self.times[_ENDS, :n].min()) if n else np.inf
        return dropped

    def lose(self, lost: Mask) -> None:
        """These values are moved no longer; they are dropped with the others that are `gone`."""
        raise NotImplementedError

    def gone(self) -> Mask | None:
        """Which of the values are of what is no more."""
        raise NotImplementedError

    def put(self, values: Doubles) -> None:
        """Write values: (width, n)."""
        raise NotImplementedError

    def write(self) -> Mask | None:
        """Bring what is tweened to where it is now. Returns which values have come to their end."""
        n, time = self.count, self.clock.time
        firsts, sizes = self._runs = self._runs or _runs_of(self.times[:_ENDS, :n])
        begun: Doubles
        length: Doubles
        begun, length = self.times[:_ENDS, firsts]
        shares = time - begun
        shares /= length
        if self.mode != ONCE:
            turns = np.floor(shares + _SLACK)
            shares -= turns
            np.maximum(shares, 0.0, out=shares)
            if self.mode == TO_AND_FRO:
                shares = np.where(turns % 2 == 1, 1 - shares, shares)
        elif time * (1 + _EARLY) >= self.first_end - _EARLY:
            np.minimum(shares, 1.0, out=shares)
        start: Doubles
        change: Doubles
        goal: Doubles
        last: Doubles
        start, change, goal, last = self.values[:, :, :n]
        shares = np.asarray(curve_of(self.ease)(shares))
        values = self._between(
            start, change, goal, shares if sizes is None else shares.repeat(sizes)
        )
        ended: Mask | None = None
        if time >= self.first_end:
            ends: Doubles = self.times[_ENDS, :n]
            ended = ends <= time
            values[:, ended] = last[:, ended]
        self.put(values)
        return ended

    def _between(self, start: Doubles, change: Doubles, goal: Doubles, shares: Doubles) -> Doubles:
        if self.turn:
            sine: Doubles
            cosine: Doubles
            sine, cosine = exact.sincos(shares * _angles(start, goal))
            turned: Doubles = start * cosine + change * sine
            return turned
        values: Doubles = change * shares
        values += start
        return values


class ColumnTrack(Track):
    """Of rows of a table: the ``parts`` of a column."""

    __slots__ = ("column", "parts", "rows")

    def __init__(
        self,
        clock: Schedule,
        ease: Ease,
        mode: int,
        table: Table,
        column: Column,
        parts: tuple[int, ...],
        turn: bool,
    ) -> None:
        super().__init__(clock, ease, mode, len(parts), turn)
        self.column, self.parts = column, parts
        self.rows = RowSet(table, np.zeros(0, np.intp))

    def add_rows(self, rows: Rows) -> None:
        """The rows of the values that were appended."""
        self.rows.replace(np.concatenate([self.rows.rows, rows]))

    def keep(self, kept: Mask) -> NDArray[np.int64]:
        self.rows.replace(self.rows.rows[kept])
        return super().keep(kept)

    def lose(self, lost: Mask) -> None:
        rows = self.rows.rows
        rows[lost] = -1
        self.rows.replace(rows)

    def gone(self) -> Mask | None:
        return self.rows.gone()

    def put(self, values: Doubles) -> None:
        data, place = self.column.values(self.rows.table.count), self.rows.place()
        if data.ndim == 1:
            data[place] = values[0]
            return
        for part, numbers in zip(self.parts, values, strict=True):
            data[place, part] = numbers


Kind = type[object] | None
"""The class of an attribute's value; None for one number."""


class _Lost:
    """Stands in for what is tweened no longer."""

    removed = True


_LOST = _Lost()


class AttributeTrack(Track):
    """Of attributes of objects, each with the kind that its value has."""

    __slots__ = ("targets",)

    def __init__(self, clock: Schedule, ease: Ease, mode: int, width: int) -> None:
        super().__init__(clock, ease, mode, width)
        self.targets: list[tuple[object, str, Kind]] = []

    def keep(self, kept: Mask) -> NDArray[np.int64]:
        self.targets = [
            target for target, stays in zip(self.targets, kept.tolist(), strict=True) if stays
        ]
        return super().keep(kept)

    def lose(self, lost: Mask) -> None:
        for place in np.flatnonzero(lost).tolist():
            self.targets[place] = (_LOST, "", None)

    def gone(self) -> Mask | None:
        gone = [getattr(target, "removed", False) is True for target, _, _ in self.targets]
        return np.array(gone) if any(gone) else None

    def put(self, values: Doubles) -> None:
        targets = self.targets[: values.shape[1]]  # as it is written, one may have others begin
        rows: list[list[float]] = values.T.tolist()
        for (target, name, kind), numbers in zip(targets, rows, strict=True):
            setattr(target, name, shaped(numbers, kind))

    def _between(self, start: Doubles, change: Doubles, goal: Doubles, shares: Doubles) -> Doubles:
        # From the nearer end: then no rounding takes a number beyond where it goes.
        return np.where(shares < 0.5, start + change * shares, goal - change * (1 - shares))


def shaped(numbers: Sequence[float], kind: Kind) -> float | Sequence[float] | Doubles:
    """Numbers in the kind of thing that an attribute holds: one number, a tuple, a list or an
    array.
    """
    if kind is None:
        return numbers[0]
    if kind is np.ndarray:
        return np.array(numbers)
    return list(numbers) if kind is list else tuple(numbers)


# -- rotations -------------------------------------------------------------------------------------


def _across(start: Doubles, goal: Doubles) -> Doubles:
    """Of unit quaternions (4, n): what lies at a right angle to ``start`` on the shorter way to
    ``goal``, of size 1.
    """
    cosine = exact.dot(start.T, goal.T)
    across = np.where(cosine < 0, -goal, goal) - start * abs(cosine)
    size = exact.norm(across.T)
    return np.asarray(across / np.where(size > 0, size, 1.0))


def _angles(start: Doubles, goal: Doubles) -> Doubles:
    """The angles of the shorter ways between them: (n,), from 0 to π/2, exact also where they are
    small.
    """
    one, other = exact.norm((goal - start).T), exact.norm((goal + start).T)
    return np.asarray(2 * exact.arctan2(np.minimum(one, other), np.maximum(one, other)))
