"""Receive the rows (such as sprites) that `row_sender` sends for one batch.

All bytes that this module reads come from another machine. If they are invalid, `ValueError` is
raised, and no row changes.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .golomb_coding import Ints
from .row_codec import BLOCK, RowShape, Run, decoded, predicted, values
from .row_sender import (
    AGES,
    CHANGES,
    FIRST,
    GAP,
    MAX_ROWS,
    MAX_RUNS,
    MEMBERS,
    PART,
    RESTED,
    RUN,
    WINDOW,
    Ids,
    Ticks,
    grown,
)

_MAX_MESSAGE = 1 << 26  # the maximum size of a reliable message after unpacking, in bytes
_MAX_PENDING = 1 << 14  # the maximum number of messages that can wait for their tick


class TooManyWaitingError(Exception):
    """Raised if too many messages are waiting for their tick. Dropping messages is not possible,
    because the rows would then stay wrong forever.
    """


class Members(NamedTuple):
    """The rows that the server has added and removed in one tick."""

    tick: int
    removed: NDArray[np.intp]
    """The slots of the removed rows."""
    added: NDArray[np.intp]
    """The slots of the added rows."""
    ids: Ids
    """The IDs of the added rows."""


class Change(NamedTuple):
    """New values of a column that the server sends only when its values change."""

    tick: int
    column: int
    slots: NDArray[np.intp]
    values: NDArray[Any]


class RowReceiver:
    """The server's rows in one batch, with the states that this client has received.

    ``shifts``, ``columns`` and ``interval`` must be equal to the arguments of the server's
    `RowSender`. ``jump`` is a pair of a number of channels and a distance, or None. If one of the
    first channels, up to this number of channels, changes by more than this distance, the client
    does not interpolate the row.
    """

    def __init__(
        self,
        shifts: Sequence[int],
        columns: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] = (),
        interval: int = 1,
        jump: tuple[int, float] | None = None,
    ) -> None:
        self.shape = RowShape(shifts)
        self.channels = len(shifts)
        self.version = 0
        """The number of the last message about new and removed rows."""
        self.newest = 0
        """The tick of the newest state. The client may have received only some blocks of this
        state.
        """
        self.pending: list[Members | Change] = []
        """Messages that this client has not applied yet, sorted by tick."""
        self.columns = list(columns)
        self._interval = interval
        self._jump = jump
        self._reference = 0  # a recent tick, which completes the low bits of ticks in messages
        self._size = 0  # the number of slots that have been used so far
        self._blocks = 0
        self._bases: Ints = np.zeros((0, self.channels), np.int32)
        # For each block: the version that added the newest row of the block.
        self._births: Ticks = np.zeros(0, np.int64)
        self._states: dict[int, Ints] = {}
        # Which blocks have arrived, for each stored state.
        self._present: dict[int, NDArray[np.bool_]] = {}

    @property
    def blocks(self) -> int:
        """The number of blocks that contain rows."""
        return self._blocks

    # -- reliable messages -------------------------------------------------------------------------

    def receive_members(self, data: bytes) -> Members:
        """Handle a message about new and removed rows."""
        version, tick, removed_count, added_count = _head(MEMBERS, data)
        if max(removed_count, added_count) > MAX_ROWS or version <= self.version:
            raise ValueError("members")
        row_bytes = 8 + 4 * self.channels + sum(_row_bytes(column) for column in self.columns)
        size = 4 * removed_count + row_bytes * added_count
        body = _Reader(_decompressed(data[MEMBERS.size :], size))
        removed = _checked_slots(body.array("<u4", removed_count), self._size)
        added = _checked_slots(body.array("<u4", added_count), MAX_ROWS)
        ids: Ids = body.array("<u4", added_count).astype(np.uint32)
        bases = body.array("<i4", added_count * self.channels).reshape(-1, self.channels)
        changes = [
            Change(tick, index, added, body.rows(column, added_count))
            for index, column in enumerate(self.columns)
        ]
        if len(self.pending) > _MAX_PENDING:
            raise TooManyWaitingError
        self.version = version
        self._reference = max(self._reference, tick)
        if added_count:
            self._add_rows(added, bases)
        members = Members(tick, removed, added, ids)
        self.pending.append(members)
        self.pending += changes if added_count else ()
        return members

    def _add_rows(self, slots: NDArray[np.intp], bases: Ints) -> None:
        """Add new rows, which have the values ``bases`` in all states received so far."""
        self._grow(int(slots.max()) + 1)
        for state in (self._bases, *self._states.values()):
            state[slots] = bases
        self._births[slots // BLOCK] = self.version

    def receive_changes(self, data: bytes) -> None:
        """Handle a message with new values of a column."""
        _, tick, index, count = _head(CHANGES, data)
        if index >= len(self.columns) or count > MAX_ROWS:
            raise ValueError("changes")
        if len(self.pending) > _MAX_PENDING:
            raise TooManyWaitingError
        column = self.columns[index]
        body = _Reader(_decompressed(data[CHANGES.size :], count * (4 + _row_bytes(column))))
        slots = _checked_slots(body.array("<u4", count), self._size)
        self.pending.append(Change(tick, index, slots, body.rows(column, count)))

    def _grow(self, size: int) -> None:
        self._size = max(self._size, size)
        self._blocks = blocks = -(-self._size // BLOCK)
        if blocks * BLOCK > len(self._bases):
            rows = max(blocks * BLOCK, 2 * len(self._bases))
            self._bases = grown(self._bases, rows)
            for tick, state in self._states.items():
                self._states[tick] = grown(state, rows)
        self._births = grown(self._births, blocks)
        for tick, present in self._present.items():
            self._present[tick] = grown(present, blocks)

    # -- parts of a state --------------------------------------------------------------------------

    def receive_part(self, data: bytes) -> bool:
        """Handle one part of a state. Return False if this client cannot decode the part because an
        earlier state or a message about rows is missing.
        """
        low_tick, low_version, ages_count, run_count = _head(PART, data)
        ahead = (low_version - self.version + 0x8000 & 0xFFFF) - 0x8000
        if ahead > 0:
            return False
        tick = _full_tick(low_tick, self._reference)
        if tick <= self._reference - WINDOW or not run_count or run_count > MAX_RUNS or tick <= 0:
            return False
        heads, offset = _run_heads(data, ages_count, run_count)
        runs: list[_Run] = []
        for head in heads:
            run = self._run(tick, head)
            newer = self._births[head.first : head.first + head.blocks] > self.version + ahead
            if run is None or newer.any():
                return False  # a block contained other rows when the server sent the part
            runs.append(run)
        states = np.concatenate([run.states for run in runs], axis=1)
        differences = states[:-1] - states[1:]
        delta, exponents = predicted(differences, [run.head for run in runs], self.shape)
        numbers = decoded(data[offset:], exponents, self.shape)
        self._store(tick, runs, values(numbers, states[0], delta, self.shape))
        return True

    def _run(self, tick: int, head: Run) -> _Run | None:
        """Return consecutive blocks with their earlier states, or None if a state is missing."""
        first = head.first
        count = head.blocks
        if not count or first + count > self._blocks:
            raise ValueError("blocks")
        states = []
        state = self._bases
        before = 0
        is_missing = False
        for age in head.ages:
            if age:
                if age <= before or is_missing:
                    raise ValueError("ages")
                present = self._present.get(tick - age)
                if present is None or not present[first : first + count].all():
                    return None
                state = self._states[tick - age]
                before = age
            is_missing = not age
            states.append(state[head.row_slice].reshape(count, -1))
        return _Run(head, np.array(states))

    def _store(self, tick: int, runs: list[_Run], received: Ints) -> None:
        state, present = self._state(tick)
        rows_received = received.reshape(-1, self.channels)
        start = 0
        for run in runs:
            head = run.head
            stop = start + head.blocks * BLOCK
            state[head.row_slice] = rows_received[start:stop]
            present[head.block_slice] = True
            if head.rested and head.ages[0] > self._interval:
                # The blocks did not change until the state before this state.
                before, before_present = self._state(tick - self._interval)
                before[head.row_slice] = run.states[0].reshape(-1, self.channels)
                before_present[head.block_slice] = True
            start = stop
        if tick > self.newest:
            self.newest = tick
            self._reference = max(self._reference, tick)
            self._forget_states(tick - WINDOW)

    def _forget_states(self, last: int) -> None:
        """Delete the states up to the tick ``last``."""
        for old in [old for old in self._states if old <= last]:
            del self._states[old], self._present[old]

    def _state(self, tick: int) -> tuple[Ints, NDArray[np.bool_]]:
        if tick not in self._states:
            self._states[tick] = self._bases.copy()
            self._present[tick] = np.zeros(self._blocks, bool)
        return self._states[tick], self._present[tick]

    def state(self, tick: int, slots: NDArray[np.intp]) -> Ints | None:
        """Return the values of ``slots`` after the tick ``tick``, or None if this client does not
        have all of them.
        """
        present = self._present.get(tick)
        if present is None or not present[slots // BLOCK].all():
            return None
        return self._states[tick][slots]

    # -- values between two states -----------------------------------------------------------------

    def take_due(self, time: float) -> list[Members | Change]:
        """Remove the messages up to the tick ``time`` from `pending`, and return them."""
        count = 0
        while count < len(self.pending) and self.pending[count].tick <= time:
            count += 1
        due = self.pending[:count]
        del self.pending[:count]
        return due

    def at(self, time: float) -> NDArray[np.float64]:
        """Return the values of all slots at ``time``. ``time`` is a tick number, as a float. The
        array is float64 and has the shape (slots, channels). The unused low bits of the values are
        removed.

        For a block without a state after ``time``, return its newest values.
        """
        blocks = self._blocks
        result = np.empty((blocks * BLOCK, self.channels))
        for chosen, choice in self._choices(time):
            rows = _rows_of(chosen, blocks)
            result[rows] = self._between(choice, rows, time)
        return result

    def _choices(self, time: float) -> list[tuple[NDArray[np.intp], _Choice]]:
        """Return groups of blocks that are interpolated between the same states."""
        blocks = self._blocks
        if not self._states:
            return [(np.arange(blocks), _NO_CHOICE)] if blocks else []
        chosen = self._ticks_around(time)
        if (chosen == chosen[0]).all():
            return [(np.arange(blocks), _choice(chosen[0]))]
        groups: dict[bytes, list[int]] = {}
        for block in range(blocks):
            groups.setdefault(chosen[block].tobytes(), []).append(block)
        return [(np.array(members), _choice(chosen[members[0]])) for members in groups.values()]

    def _ticks_around(self, time: float) -> NDArray[np.int64]:
        """Return the ticks of four states for each block, as an array with the shape (blocks, 4):
        the last state up to ``time``, the state before it, and the next two states after ``time``.
        For a missing state, the tick is -1 before ``time``, and `_NEVER` after ``time``.
        """
        sorted_ticks = sorted(self._states)
        present = np.array([self._present[tick] for tick in sorted_ticks])
        ticks = np.array(sorted_ticks, np.int64)[:, None]
        passed = ticks <= time
        before = np.sort(np.where(present & passed, ticks, -1), axis=0)
        after = np.sort(np.where(present & ~passed, ticks, _NEVER), axis=0)
        if len(ticks) == 1:
            before = np.vstack([np.full(self._blocks, -1), before])
            after = np.vstack([after, np.full(self._blocks, _NEVER)])
        chosen: NDArray[np.int64] = np.vstack([before[-2:][::-1], after[:2]]).T
        return chosen

    def _between(
        self, choice: _Choice, rows: slice | NDArray[np.intp], time: float
    ) -> NDArray[np.float64]:
        """Return the values of ``rows`` at ``time``: points on cubic curves through the states."""
        shift = self.shape.shifts
        if choice.before is None:
            state = self._bases if choice.after is None else self._states[choice.after]
            return (state[rows] >> shift).astype(np.float64)
        start = self._states[choice.before][rows]
        if choice.after is None:
            return (start >> shift).astype(np.float64)
        stop = self._states[choice.after][rows]
        length = choice.after - choice.before
        step = ((stop - start) >> shift).astype(np.float64)
        share = (time - choice.before) / length
        slope_start = slope_stop = step
        if choice.earlier is not None:
            earlier = (start - self._states[choice.earlier][rows]) >> shift
            slope_start = _slope(step, length, earlier, choice.before - choice.earlier)
        if choice.later is not None:
            later = (self._states[choice.later][rows] - stop) >> shift
            slope_stop = _slope(step, length, later, choice.later - choice.after)
        if self._jump is not None:
            axes, distance = self._jump
            jumped = np.abs(step[:, :axes]).max(axis=1) > distance
            slope_start = _slope_without_jump(slope_start, step, jumped, self._jump)
            slope_stop = _slope_without_jump(slope_stop, step, jumped, self._jump)
            step[jumped] = 0
        return (start >> shift) + _cubic(share, step, slope_start, slope_stop)


def _slope(
    step: NDArray[np.float64], length: int, outer: NDArray[np.int32], outer_length: int
) -> NDArray[np.float64]:
    """Return how fast the values change at a state between two steps, as the change in ``length``
    ticks. ``step`` is the change of the values in ``length`` ticks on one side of the state, and
    ``outer`` the change in ``outer_length`` ticks on the other side.
    """
    outer_step = outer * (length / outer_length)
    slope: NDArray[np.float64] = (outer_step * length + step * outer_length) / (
        length + outer_length
    )
    return slope


def _slope_without_jump(
    slope: NDArray[np.float64],
    step: NDArray[np.float64],
    jumped: NDArray[np.bool_],
    jump: tuple[int, float],
) -> NDArray[np.float64]:
    """Return the slope, but 0 for rows that jump in this ``step``, and the slope of the step alone
    for rows that have jumped before it or will jump after it.
    """
    axes, distance = jump
    slope = np.where(jumped[:, None], 0, slope)
    # The speed of a row that has jumped is not a real speed.
    fast = np.abs(slope[:, :axes]).max(axis=1) > distance / 2
    return np.where(fast[:, None], step, slope)


def _cubic(
    share: float,
    step: NDArray[np.float64],
    slope_start: NDArray[np.float64],
    slope_stop: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how much of ``step`` a cubic curve has covered at ``share``, from 0 to 1. The curve
    has the given slopes at its start and at its end.
    """
    square = share * share
    cube = square * share
    return (
        step * (3 * square - 2 * cube)
        + slope_start * (cube - 2 * square + share)
        + slope_stop * (cube - square)
    )


class _Run(NamedTuple):
    """Several consecutive blocks of rows, and the earlier states from which their new states are
    decoded.
    """

    head: Run
    states: Ints


class _Choice(NamedTuple):
    """The ticks of the four states that an interpolation uses. An interpolated value lies between
    the values of the states ``before`` and ``after``. The states ``earlier`` and ``later`` are only
    needed for the speeds at ``before`` and ``after``.
    """

    earlier: int | None
    before: int | None
    after: int | None
    later: int | None


_NEVER = 1 << 62
_NO_CHOICE = _Choice(None, None, None, None)


def _choice(ticks: NDArray[np.int64]) -> _Choice:
    before, earlier, after, later = [
        None if tick < 0 or tick == _NEVER else int(tick) for tick in ticks
    ]
    return _Choice(earlier, before, after, later)


def _rows_of(blocks: NDArray[np.intp], count: int) -> slice | NDArray[np.intp]:
    if len(blocks) == count:
        return slice(0, count * BLOCK)
    return (blocks[:, None] * BLOCK + np.arange(BLOCK)).reshape(-1)


def _full_tick(low: int, newest: int) -> int:
    """Return a complete tick from its lowest 16 bits, ``low``. The result is the tick that ends in
    these bits and is nearest to ``newest``.
    """
    difference = (low - newest) & 0xFFFF
    return newest + difference - (0x10000 if difference >= 0x8000 else 0)


class _Reader:
    """Reads one array after another from bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def array(self, dtype: str | np.dtype[Any], count: int) -> NDArray[Any]:
        result = np.frombuffer(self._data, dtype, count, self._position) if count else None
        if result is None:
            return np.empty(0, dtype)
        self._position += result.nbytes
        return result

    def rows(self, column: tuple[np.dtype[Any], tuple[int, ...]], count: int) -> NDArray[Any]:
        dtype, shape = column
        numbers = self.array(dtype.newbyteorder("<"), count * int(np.prod(shape, dtype=int)))
        if dtype.kind == "b" and numbers.size and numbers.view(np.uint8).max() > 1:
            raise ValueError("booleans")
        return numbers.reshape(count, *shape).astype(dtype)


def _row_bytes(column: tuple[np.dtype[Any], tuple[int, ...]]) -> int:
    dtype, shape = column
    return int(dtype.itemsize * np.prod(shape, dtype=int))


def _run_heads(data: bytes, ages_count: int, run_count: int) -> tuple[list[Run], int]:
    """Return the heads of all runs in a part, and the position of the first byte after the
    heads.
    """
    offset = PART.size + ages_count * AGES.size
    if len(data) < offset + run_count * RUN.size or ages_count > run_count:
        raise ValueError("too short")
    all_ages = [
        AGES.unpack_from(data, PART.size + index * AGES.size) for index in range(ages_count)
    ]
    heads = []
    following = 0
    for _ in range(run_count):
        if len(data) < offset + RUN.size + FIRST.size:
            raise ValueError("too short")
        count, index = RUN.unpack_from(data, offset)
        offset += RUN.size
        first = following
        if index & GAP:
            (first,) = FIRST.unpack_from(data, offset)
            offset += FIRST.size
        if index & ~GAP >= ages_count or first < following:
            raise ValueError("run")
        blocks = count & ~RESTED
        heads.append(Run(blocks, all_ages[index & ~GAP], first, bool(count & RESTED)))
        following = first + blocks
    return heads, offset


def _head(form: Any, data: bytes) -> tuple[int, ...]:
    if len(data) < form.size:
        raise ValueError("too short")
    fields: tuple[int, ...] = form.unpack_from(data)
    return fields


def _decompressed(data: bytes, size: int) -> bytes:
    """Decompress ``data``. Raise `ValueError` if the result does not have ``size`` bytes."""
    if size > _MAX_MESSAGE:
        raise ValueError("too long")
    unpacking = zlib.decompressobj()
    try:
        result = unpacking.decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(result) != size or not unpacking.eof or unpacking.unused_data:
        raise ValueError("another length")
    return result


def _checked_slots(slots: NDArray[Any], limit: int) -> NDArray[np.intp]:
    result: NDArray[np.intp] = slots.astype(np.intp)
    if len(result) and (int(result.max()) >= limit or len(np.unique(result)) != len(result)):
        raise ValueError("slots")
    return result
