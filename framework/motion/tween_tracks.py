"""Compute many tweens at the same time, as NumPy arrays.

The arrays contain the start times, the durations, the initial values and the final values of the
tweens. A few array operations are enough to advance ten thousand tweens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask, Reals, Rows
from ..geometry import exact
from ..geometry.eases import Ease, curve_of
from ..state.columns import Table, TableColumn
from ..state.rows import RowSet
from ..timing.schedule import Schedule

ONCE, REPEAT, PING_PONG = range(3)
"""The modes of a tween: run once, repeat, or run back and forth (ping-pong)."""

_BEGIN, _DURATION, _END = range(3)  # rows of `Track.times`
_MAX_UNSHARED_VALUES = 4  # with this number of values or fewer, sharing fractions saves no time
_SLACK = 1e-9  # added to the fraction, so that a rounding error does not delay the next run
# A margin for the rounding errors of times. Up to this margin before the first tween ends, no
# fraction of a tween that runs once exceeds 1, so the track need not limit the fractions.
_EARLY = 1e-12
_START, _CHANGE, _GOAL, _LAST = range(4)  # rows of `Track.values`


Runs = tuple[slice | Rows, Rows | None]
"""Runs of neighboring values with equal start times and durations, such as the values of one tween.
The progress of a run is computed only once, for all its values.

Runs are stored as a pair: the index of each run's first value, and the lengths of the runs. The
lengths are None if there is only one run, or if each value is a run of its own.
"""


def _runs_of(times: Doubles) -> Runs:
    """Find runs: neighboring values with equal times. ``times`` contains the start time and the
    duration of each value, and has the shape (2, n). Return the index of the first value of each
    run, and the length of each run.

    If there are only a few values, each value is a run of its own.
    """
    n = times.shape[1]
    if n > _MAX_UNSHARED_VALUES:
        firsts = np.append(0, 1 + np.flatnonzero((times[:, 1:] != times[:, :-1]).any(axis=0)))
        if len(firsts) == 1:
            return slice(1), None
        if _MAX_UNSHARED_VALUES * len(firsts) <= n:
            return firsts, np.diff(firsts, append=n)
    return slice(n), None


class TweenTrack:
    """Tweens with the same ease (speed curve), the same clock and the same mode. All tweens of a
    track change values with the same number of components: a 2D position, for example, has two.

    If ``turn`` is True, the values are rotations (unit quaternions), which follow the shortest path
    between two rotations.
    """

    _not_hashed = ("_runs",)  # computed from the times
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
        self.clock = clock
        self.ease = ease
        self.mode = mode
        self.turn = turn
        self.count = 0
        """The number of tweened values."""
        self.first_end = np.inf
        """The earliest time at which the tween of a value ends, in seconds of the clock.

        The time is infinite if there are no values.
        """
        self._runs: Runs | None = None  # the runs of the values; None if the values have changed
        self.numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        """For each value, the number of its tween: int64 (capacity,)."""
        self.times: Doubles = np.zeros((3, 0))
        """The start, the duration and the end of each value, in seconds of the clock: float64 (3,
        capacity).
        """
        self.values: Doubles = np.zeros((4, width, 0))
        """The start, the change, the goal and the last value: float64 (4, width, capacity)."""

    def append(
        self,
        number: int,
        times: tuple[float, float, float],
        start: Doubles,
        goal: Doubles,
        back: bool,
    ) -> None:
        """Append the values of the tween with this ``number``. ``start`` and ``goal`` are float64
        arrays with the shape (width, n).

        ``times`` contains the start, the duration and the end of the tween. If ``back`` is True,
        the tween returns to its initial values, so its final values are equal to ``start``.
        """
        first = self._extend(start.shape[1], times)
        n = self.count
        self.numbers[first:n] = number
        for part, time in zip(self.times, times, strict=True):
            part[first:n] = time
        new: Doubles = self.values[:, :, first:n]
        new[_START] = start
        new[_GOAL] = goal
        new[_LAST] = start if back else goal
        new[_CHANGE] = _across(start, goal) if self.turn else goal - start

    def _extend(self, count: int, times: tuple[float, float, float]) -> int:
        """Reserve memory for ``count`` values. Return the index of the first reserved value."""
        first = self.count
        n = first + count
        if n > len(self.numbers):
            self._reserve(max(n, 2 * first))
        self._runs = None
        self.count = n
        self.first_end = min(self.first_end, times[_END])
        return first

    def append_one(
        self,
        number: int,
        times: tuple[float, float, float],
        start: list[float],
        goal: list[float],
        back: bool,
    ) -> None:
        """Append a single value. The result is the same as that of `append`, but `append_one` is
        faster. The track must not contain rotations.
        """
        index = self._extend(1, times)
        self.numbers[index] = number
        self.times[0, index], self.times[1, index], self.times[2, index] = times
        values = self.values
        for part, (first, last) in enumerate(zip(start, goal, strict=True)):
            values[_START, part, index] = first
            values[_CHANGE, part, index] = last - first
            values[_GOAL, part, index] = last
            values[_LAST, part, index] = first if back else last

    def _reserve(self, capacity: int) -> None:
        n = self.count
        for name in ("numbers", "times", "values"):
            old: Reals = getattr(self, name)
            new: Reals = np.zeros((*old.shape[:-1], capacity), old.dtype)
            new[..., :n] = old[..., :n]
            setattr(self, name, new)

    def keep(self, mask: Mask) -> NDArray[np.int64]:
        """Keep the values in ``mask``, and remove all other values.

        Return the tween number of each removed value.
        """
        dropped: NDArray[np.int64] = self.numbers[: self.count][~mask]
        n = int(mask.sum())
        for array in (self.numbers, self.times, self.values):
            array[..., :n] = array[..., : self.count][..., mask]
            array[..., n : self.count] = 0
        self.count = n
        self._runs = None
        self.first_end = float(self.times[_END, :n].min()) if n else np.inf
        return dropped

    def mask_of(self, number: int) -> Mask:
        """Return a mask of the values that belong to the tween with this ``number``."""
        mask: Mask = self.numbers[: self.count] == number
        return mask

    def lose(self, lost: Mask) -> None:
        """Stop writing the values in the mask ``lost``. To save time, the track removes them later,
        together with other values. Until then, `gone` includes them.
        """
        raise NotImplementedError

    def saved(self, mask: Mask) -> list[dict[str, object]]:
        """Return the values in ``mask`` as dicts, for a save. Each dict contains the target, the
        name of the column or attribute, the rows, the initial values and the final values.
        """
        raise NotImplementedError

    def _saved_values(self, mask: Mask) -> dict[str, object]:
        start, _, goal, last = self.values[:, :, : self.count][:, :, mask]
        goes_back = bool((last == start).all() and not (goal == start).all())
        return {"start": start.tolist(), "goal": goal.tolist(), "back": goes_back}

    def gone(self) -> Mask | None:
        """Return a mask of the values whose row or object was removed. If no row or object was
        removed, return None.
        """
        raise NotImplementedError

    def put(self, values: Doubles) -> None:
        """Write ``values`` to the column or to the attributes. The array ``values`` has the shape
        (width, n).
        """
        raise NotImplementedError

    def write(self) -> Mask | None:
        """Compute all values at the current time of the clock, and write the values to their
        targets.

        Return a mask of the values whose tween has ended. If no tween has ended, return None.
        """
        n = self.count
        time = self.clock.time
        firsts, sizes = self._runs = self._runs or _runs_of(self.times[:_END, :n])
        begin: Doubles
        duration: Doubles
        begin, duration = self.times[:_END, firsts]
        start: Doubles
        change: Doubles
        goal: Doubles
        last: Doubles
        start, change, goal, last = self.values[:, :, :n]
        fractions = np.asarray(curve_of(self.ease)(self._progress(begin, duration)))
        values = self._between(
            start, change, goal, fractions if sizes is None else fractions.repeat(sizes)
        )
        ended: Mask | None = None
        if time >= self.first_end:
            ends: Doubles = self.times[_END, :n]
            ended = ends <= time
            values[:, ended] = last[:, ended]
        self.put(values)
        return ended

    def _progress(self, begin: Doubles, duration: Doubles) -> Doubles:
        """Return the progress of tweens at the current time, from 0 to 1. A tween that repeats
        begins again at 0. In a ping-pong tween, every second pass goes back from 1 to 0.
        """
        time = self.clock.time
        fractions: Doubles = time - begin
        fractions /= duration
        if self.mode != ONCE:
            turns = np.floor(fractions + _SLACK)
            fractions -= turns
            np.maximum(fractions, 0.0, out=fractions)
            if self.mode == PING_PONG:
                fractions = np.where(turns % 2 == 1, 1 - fractions, fractions)
        elif time * (1 + _EARLY) >= self.first_end - _EARLY:
            np.minimum(fractions, 1.0, out=fractions)
        return fractions

    def _between(
        self, start: Doubles, change: Doubles, goal: Doubles, fractions: Doubles
    ) -> Doubles:
        if self.turn:
            sine: Doubles
            cosine: Doubles
            sine, cosine = exact.sincos(fractions * _angles(start, goal))
            turned: Doubles = start * cosine + change * sine
            return turned
        values: Doubles = change * fractions
        values += start
        return values


class ColumnTrack(TweenTrack):
    """A track for tweens of table rows.

    ``parts`` contains the indices of the numbers in the column that the tweens change.
    """

    # The batch is only needed for saves, because the rows contain the table.
    _not_hashed = ("batch",)
    __slots__ = ("batch", "column", "parts", "rows")

    def __init__(
        self,
        clock: Schedule,
        ease: Ease,
        mode: int,
        batch: object,
        table: Table,
        column: TableColumn,
        parts: tuple[int, ...],
        turn: bool,
    ) -> None:
        super().__init__(clock, ease, mode, len(parts), turn)
        self.batch = batch
        self.column = column
        self.parts = parts
        self.rows = RowSet(table, np.zeros(0, np.intp))

    def add_rows(self, rows: Rows) -> None:
        """Append the rows of the values that were last passed to `append`."""
        self.rows.replace(np.concatenate([self.rows.rows, rows]))

    def add_row(self, row: int) -> None:
        """Append a single row, in the same way as `add_rows`."""
        rows = self.rows.rows
        longer = np.empty(len(rows) + 1, np.intp)
        longer[:-1] = rows
        longer[-1] = row
        self.rows.replace(longer)

    def keep(self, mask: Mask) -> NDArray[np.int64]:
        self.rows.replace(self.rows.rows[mask])
        return super().keep(mask)

    def lose(self, lost: Mask) -> None:
        rows = self.rows.rows
        rows[lost] = -1
        self.rows.replace(rows)

    def gone(self) -> Mask | None:
        return self.rows.gone()

    def saved(self, mask: Mask) -> list[dict[str, object]]:
        rows = self.rows.rows[mask].tolist()
        common = {"target": self.batch, "name": self.column.name, "parts": [*self.parts]}
        return [{**common, "rows": rows, **self._saved_values(mask)}]

    def put(self, values: Doubles) -> None:
        data = self.column.values(self.rows.table.count)
        indices = self.rows.place()
        if data.ndim == 1:
            data[indices] = values[0]
            return
        for part, numbers in zip(self.parts, values, strict=True):
            data[indices, part] = numbers


Kind = type[object] | None
"""The class of an attribute's value, such as tuple, or None for a single number."""


class _Lost:
    """The object that replaces a target in a track when its attribute is no longer tweened."""

    removed = True


_LOST = _Lost()


class AttributeTrack(TweenTrack):
    """A track for tweens of attributes of Python objects."""

    __slots__ = ("targets",)

    def __init__(self, clock: Schedule, ease: Ease, mode: int, width: int) -> None:
        super().__init__(clock, ease, mode, width)
        self.targets: list[tuple[object, str, Kind]] = []
        """For each value: the object, the name of the attribute, and the class of the attribute's
        value.
        """

    def keep(self, mask: Mask) -> NDArray[np.int64]:
        self.targets = [
            target for target, stays in zip(self.targets, mask.tolist(), strict=True) if stays
        ]
        return super().keep(mask)

    def lose(self, lost: Mask) -> None:
        for index in np.flatnonzero(lost).tolist():
            self.targets[index] = (_LOST, "", None)

    def gone(self) -> Mask | None:
        gone = [getattr(target, "removed", False) is True for target, _, _ in self.targets]
        return np.array(gone) if any(gone) else None

    def saved(self, mask: Mask) -> list[dict[str, object]]:
        pieces: list[dict[str, object]] = []
        for index in np.flatnonzero(mask).tolist():
            target, name, _ = self.targets[index]
            alone = np.zeros(self.count, bool)
            alone[index] = True
            common = {"target": target, "name": name, "parts": None, "rows": None}
            pieces.append({**common, **self._saved_values(alone)})
        return pieces

    def put(self, values: Doubles) -> None:
        # A copy, because setting an attribute may start other tweens.
        targets = self.targets[: values.shape[1]]
        rows: list[list[float]] = values.T.tolist()
        for (target, name, kind), numbers in zip(targets, rows, strict=True):
            setattr(target, name, shaped(numbers, kind))

    def _between(
        self, start: Doubles, change: Doubles, goal: Doubles, fractions: Doubles
    ) -> Doubles:
        # Start from the nearer end, so that a rounding error never exceeds the goal.
        return np.where(
            fractions < 0.5, start + change * fractions, goal - change * (1 - fractions)
        )


class NotStateTrack(AttributeTrack):
    """A track for attributes that are not part of the game state, such as the volume of an audio
    bus.

    In a network game, each player can set a different volume. So a fade has different values on
    each computer, although all games have the same state. State hashes ignore the values of a
    `NotStateTrack`. Snapshots contain these values, so that a fade continues after a restore.
    """

    _not_hashed = ("values",)
    __slots__ = ()


def shaped(numbers: Sequence[float], kind: Kind) -> float | Sequence[float] | Doubles:
    """Convert numbers to the type of an attribute's value: a number, a tuple, a list or an array."""
    if kind is None:
        return numbers[0]
    if kind is np.ndarray:
        return np.array(numbers)
    return list(numbers) if kind is list else tuple(numbers)


# -- rotations -------------------------------------------------------------------------------------


def _across(start: Doubles, goal: Doubles) -> Doubles:
    """For each rotation in ``start``, return a unit quaternion that is perpendicular to the
    rotation and points toward ``goal``. A tween computes its path from the rotation in ``start``
    and the returned quaternion. The returned array has the shape (4, n).

    There are two paths from one rotation to another. The tween uses the shorter path.
    """
    cosine = exact.dot(start.T, goal.T)
    across = np.where(cosine < 0, -goal, goal) - start * abs(cosine)
    size = exact.norm(across.T)
    return np.asarray(across / np.where(size > 0, size, 1.0))


def _angles(start: Doubles, goal: Doubles) -> Doubles:
    """For each pair of unit quaternions (rotations), return the angle between them. A tween needs
    this angle for its path. The angles are from 0 to π/2. The returned array has the shape (n,).
    Because a quaternion and its negative are the same rotation, a pair of quaternions has two
    possible angles. The function returns the smaller angle.

    Even very small angles are accurate.
    """
    difference = exact.norm((goal - start).T)
    total = exact.norm((goal + start).T)
    return np.asarray(
        2 * exact.arctan2(np.minimum(difference, total), np.maximum(difference, total))
    )
