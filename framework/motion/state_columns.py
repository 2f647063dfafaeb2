"""A state machine for each sprite (or other row) of a batch, such as a hundred enemies.

All state machines are updated together.
"""

from __future__ import annotations

__all__ = ["StateColumns"]

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Mask, Rows
from ..checks import shown, text, whole, wrong_type
from ..moved_names import HasMoved, moved
from ..state.columns import Codes, Table, TableColumn
from ..state.rows import chosen_rows, table_of
from ..timing.flicks import FLICKS, FlickClock
from ..timing.schedule import duration
from .state_machine import checked_state, state_names

_MAX_WAIT = 2**61  # a hundred years in flicks, so that a sum with any time fits into 64 bits


@moved("state_columns", {"left": "exited"})
class StateColumns(HasMoved):
    """State machines for the rows of a batch, for example for a hundred enemies.

    A new row is in the first state.

        self.minds = fw.StateColumns(self.foes, "patrol", "chase", "stunned")
        …
        self.minds.update(dt)                                            # first in update
        self.minds.change("patrol", "chase", when=distance < 80)
        self.minds.change("stunned", "patrol", after=0.8)
        self.foes.play("run", self.minds.entered("chase"))
        speed = self.minds.select(patrol=30, chase=90)                   # (n,), 0 when stunned

    The states are stored in additional columns of the batch's table. If the index of a row changes,
    the row keeps its state. The states are part of snapshots and of state hashes. To save the
    states with `Game.save`, list the batch and the `StateColumns` in ``saved``. If you create a
    second `StateColumns` for the same batch, pass another name as ``column``.
    """

    saved: ClassVar[tuple[str, ...]] = ("_now", "_ticks")

    def __init__(self, batch: Any, *names: str, column: str = "states") -> None:
        table = table_of(batch)
        if not isinstance(table, Table):
            raise wrong_type("batch", "a batch", batch)
        column = text("column", column)
        self.names = state_names(names)
        """The names of all states. The numbers in `state` are indices of these names."""
        names_used = [f"{column}{part}" for part in ("", "_since", "_tick", "_before")]
        existing = [name for name in names_used if table.has(name)]
        if existing:
            raise ValueError(
                f"column: the batch has a column {existing[0]!r}; give this one another name, column=…"
            )
        self._table: Table = table
        self._batch = batch
        self._clock = FlickClock()
        self._ticks = 0
        self._state = _column(column, 0, np.int32)
        self._since = _column(f"{column}_since", 0, np.int64)  # flicks
        # The number of the tick in which the state last changed.
        self._tick = _column(f"{column}_tick", -1, np.int64)
        # The index of the previous state. The value len(names) means that there is no previous
        # state.
        self._before = _column(f"{column}_before", len(names), np.int32)
        table.add_columns(self._state, self._since, self._tick, self._before, drawn=False)
        table.codes |= {column.name: Codes([*names, ""]) for column in (self._state, self._before)}

    # -- ticks -------------------------------------------------------------------------------------

    def update(self, dt: float | Fraction) -> None:
        """Begin a tick of ``dt`` seconds. Call `update` at the start of the game's own `update`."""
        self._clock.advance(duration("dt", dt))
        self._ticks += 1
        self.after_restore()

    @property
    def _now(self) -> int:
        """The sum of all ``dt`` that `update` has received, in flicks. A flick is the internal unit
        of time. Saves contain this sum.
        """
        return self._clock.now

    @_now.setter
    def _now(self, value: int) -> None:
        self._clock.set(whole("now", value, 0, 2**62))
        self.after_restore()

    def after_restore(self) -> None:
        """Called after a snapshot or a save was restored.

        For rows that the restore has added, the current time counts as the start of their state.
        """
        self._table.set_default(self._since, self._clock.now)

    def change(
        self,
        source: str,
        target: str,
        *,
        when: ArrayLike | None = None,
        after: float | Fraction = 0,
    ) -> Rows:
        """Change the state of rows from ``source`` to ``target``.

        Return the indices of the rows whose state changed, in ascending order.

        The state of a row changes only if the row has been in ``source`` for ``after`` seconds, and
        if ``when`` is True for the row. ``when`` is a bool array with the shape (n,): one element
        per row. Without ``when``, the new state begins exactly after ``after`` seconds, even
        between two ticks.
        """
        first = self._number("source", source)
        second = self._number("target", target)
        n = self._closed()
        changing = self._state.current(n) == first
        if when is not None:
            changing &= _checked_mask(when, n)
        wait = min(int(duration("after", after) * FLICKS), _MAX_WAIT)
        if wait:
            changing &= self._since.current(n) + wait <= self._clock.now
        rows = np.flatnonzero(changing)
        since: Any = self._clock.now
        if wait and when is None:
            since = self._since.current(n)[rows] + wait
        self._put(rows, second, since)
        return rows

    def put(self, rows: Any, name: str) -> None:
        """Set the state of ``rows`` to ``name``. Unlike `change`, `put` works for rows in any
        state.

        ``rows`` is a sprite or another handle, an array of indices, a mask or a slice.
        """
        number = self._number("name", name)
        chosen = chosen_rows(self._batch, rows)
        self._put(np.arange(self._table.count)[chosen], number, self._clock.now)

    def _put(self, rows: Rows, number: int, since: Any) -> None:
        if len(rows):
            n = self._table.count
            self._before.values(n)[rows] = self._state.current(n)[rows]
            for column, value in (
                (self._state, number),
                (self._since, since),
                (self._tick, self._ticks),
            ):
                column.values(n)[rows] = value

    # -- queries -----------------------------------------------------------------------------------

    def rows(self, *names: str) -> Rows:
        """Return the rows that are in one of the states ``names``, in ascending order."""
        return np.flatnonzero(self.mask(*names))

    def mask(self, *names: str) -> Mask:
        """Return a mask of the rows that are in one of the states ``names``. The bool array has the
        shape (n,).
        """
        n = self._closed()
        return np.isin(self._state.current(n), [self._number("names", name) for name in names])

    def entered(self, name: str) -> Rows:
        """Return the rows that `change` or `put` has moved to the state ``name`` since the start of
        the last `update`.
        """
        number = self._number("name", name)
        n = self._closed()
        return np.flatnonzero(
            (self._tick.current(n) == self._ticks) & (self._state.current(n) == number)
        )

    def exited(self, name: str) -> Rows:
        """Return the rows whose state changed from ``name`` to another state since the start of the
        last `update`.

        If the state of a row has changed several times, only the last change counts.
        """
        number = self._number("name", name)
        n = self._closed()
        return np.flatnonzero(
            (self._tick.current(n) == self._ticks) & (self._before.current(n) == number)
        )

    @property
    def state(self) -> NDArray[np.int32]:
        """The index of each row's state, as a copy. The int32 array has the shape (n,).

        The index of a state is its position in `names`.
        """
        return self._state.current(self._closed()).copy()

    @property
    def time(self) -> NDArray[np.float64]:
        """How long each row has been in its state, in seconds, as a copy. The float64 array has the
        shape (n,).
        """
        times: NDArray[np.float64] = (
            self._clock.now - self._since.current(self._closed())
        ) / FLICKS
        return times

    def select(self, default: ArrayLike = 0, **values: ArrayLike) -> NDArray[Any]:
        """Return one value per row, which depends on the row's state: ``select(patrol=30,
        chase=90)``.

        If the argument for a state is a number, or a tuple such as a color, all rows in this state
        get the same value. The argument can also be an array with one value for each row of the
        batch, with the shape (n,) or (n, k). Rows in all other states get the value ``default``.
        The returned array has the shape (n,) or (n, k).
        """
        n = self._closed()
        state = self._state.current(n)
        numbers = [self._number(name, name) for name in values]
        choices = [default, *values.values()]
        arrays = [np.asarray(value) for value in choices]
        are_per_row = [isinstance(value, np.ndarray) and value.ndim > 0 for value in choices]
        # The shape of one value, without the axis of the rows.
        shapes = [array.shape[per_row:] for array, per_row in zip(arrays, are_per_row, strict=True)]
        width = max(shapes, key=len)
        result = np.empty((n, *width), np.result_type(*arrays))
        for number, array, per_row in zip([None, *numbers], arrays, are_per_row, strict=True):
            rows = slice(None) if number is None else state == number
            try:
                value = array[rows] if per_row else array
                if per_row and value.ndim == 1:
                    value = value.reshape(-1, *[1] * len(width))
                result[rows] = value
            except (IndexError, ValueError):
                name = "default" if number is None else self.names[number]
                expected = f"one value, or one for each of {n} rows"
                raise ValueError(f"{name}: expected {expected}, got {shown(array)}") from None
        return result

    def _number(self, argument: str, name: Any) -> int:
        return self.names.index(checked_state(argument, name, self.names))

    def _closed(self) -> int:
        """Delete removed rows from the table's arrays. Return the number of rows in the batch."""
        self._table.close_holes()
        return self._table.count


def _checked_mask(when: ArrayLike, n: int) -> Mask:
    mask = np.asarray(when)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"when: expected a mask of shape ({n},), got {mask.dtype} of shape {mask.shape}"
        )
    return mask


def _column(name: str, default: int, dtype: type[np.signedinteger[Any]]) -> TableColumn:
    return TableColumn(name, 1, default, dtype=dtype, interpolated=False)
