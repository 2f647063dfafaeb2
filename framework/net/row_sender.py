"""Send the rows (such as sprites) of one batch from a game server to its clients.

Each row has a *slot*, a number that does not change while the row exists. New rows, removed rows
and columns that rarely change are sent in reliable messages. Positions and angles are sent in
unreliable messages, called *parts*. A part contains blocks of 16 slots each, and can be decoded
even if other parts are lost.

The server and the client predict each value in the same way, from earlier states that the client
has confirmed. A part therefore only has to contain the differences between the values and the
predictions.
"""

from __future__ import annotations

import bisect
import itertools
import struct
import zlib
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .golomb_coding import Ints
from .row_codec import (
    BLOCK,
    CODE_BYTES,
    FEW_RUNS,
    STATES,
    CodedBlocks,
    Codes,
    RowShape,
    Run,
    predicted,
    residuals,
)
from .row_lookup import indices_of

Ids = NDArray[np.uint32]
Ticks = NDArray[np.int64]
Ages = NDArray[np.uint8]

WINDOW = 128
"""The number of ticks for which the server and the clients store states."""
MAX_PART = 1100
"""The maximum size of a part in bytes. With headers, a datagram then contains at most 1200
bytes.
"""
MAX_RUNS = 40
"""The maximum number of runs in a part. A run is a list of consecutive blocks."""
MAX_ROWS = 1 << 19
"""The maximum number of slots in a batch."""

# A part contains: the low bits of the tick and of the version, the number of different ages, the
# number of runs, all ages, all runs, and the numbers of the blocks.
PART = struct.Struct("<HHBB")
# The ages of a run's earlier states, from the newest to the oldest.
AGES = struct.Struct("<BBBB")
# The number of blocks with a flag, and the index of the ages with a flag.
RUN = struct.Struct("<BB")
# The first block of a run that has the flag GAP.
FIRST = struct.Struct("<H")
# This flag means: this is the first state in which the block has changed since its earlier state.
RESTED = 0x80
# This flag means: there are blocks without changes between the previous run and this run.
GAP = 0x80
# The maximum number of blocks in a run.
MAX_RUN = 0x7F
# Fields: the version, the tick, the number of removed slots, and the number of added slots.
MEMBERS = struct.Struct("<IIII")
# Fields: the version, the tick, the index of the column, and the number of slots.
CHANGES = struct.Struct("<IIHI")

_MAX_AGE = 120  # the maximum age in ticks; it must be below `WINDOW` and 255
_REFRESH = 90  # an unchanged block is sent again after this number of ticks
_FIRST_BLOCKS = 4
_KEPT = 8  # the number of confirmed states that are stored for each block
_MEASURE_EVERY = 8  # the codes are chosen again after this number of states
_PART_BITS = 8 * (MAX_PART - PART.size - CODE_BYTES - 9)
_RUN_BITS = 8 * (RUN.size + FIRST.size + AGES.size)


class DatagramPart(NamedTuple):
    """A part of a state that contains some of the blocks and fits into one datagram."""

    data: bytes
    blocks: NDArray[np.intp]


class AckedStates:
    """For each block, the ticks of the states that one client has confirmed.

    A prediction uses four confirmed states: the newest state and three earlier states. They are at
    least ``gap`` ticks apart, because the speed would be less precise with states that are closer
    together.
    """

    __slots__ = ("_confirmed", "_gap", "chosen")

    def __init__(self, gap: int) -> None:
        self._gap = gap
        # Confirmed ticks of each block, from the newest to the oldest; 0 means no tick.
        self._confirmed: Ticks = np.zeros((0, _KEPT), np.int64)
        self.chosen: Ticks = np.zeros((0, STATES), np.int64)
        """For each block, the ticks of the states from which the block is predicted, newest state
        first. The tick 0 means that a state is missing.
        """

    def grow(self, blocks: int) -> None:
        """Make the arrays large enough for ``blocks`` blocks."""
        self._confirmed = grown(self._confirmed, blocks)
        self.chosen = grown(self.chosen, blocks)

    def confirm(self, tick: int, blocks: NDArray[np.intp], now: int) -> None:
        """Record that the client has confirmed the state of these ``blocks`` after ``tick``.
        ``now`` is the current tick.
        """
        gap = max(self._gap, (now - tick) // 3)
        newer = blocks[self.chosen[:, 0].take(blocks) < tick]
        if len(newer) == 0:
            return
        first = int(newer[0])
        is_span = int(newer[-1]) - first < len(newer)  # blocks are sorted, and slices are faster
        rows: Any = slice(first, first + len(newer)) if is_span else newer
        ticks = self._confirmed[rows]
        packed = ticks.tobytes()
        if packed == packed[: 8 * _KEPT] * len(newer):
            # Usually, all blocks of a part have the same confirmed states.
            confirmed = [tick, *ticks[0, :-1].tolist()]
            self._confirmed[rows] = confirmed
            self.chosen[rows] = _chosen(confirmed, gap)
            return
        columns = np.empty((_KEPT, len(newer)), np.int64)
        columns[0] = latest = tick
        columns[1:] = ticks[:, :-1].T
        self._confirmed[rows] = columns.T
        chosen = np.empty((STATES, len(newer)), np.int64)
        chosen[0] = tick
        for index in range(1, STATES):
            chosen[index] = latest = np.where(columns <= latest - gap, columns, 0).max(axis=0)
        self.chosen[rows] = chosen.T

    def ages(self, now: int, blocks: NDArray[np.intp] | None, count: int) -> Ages:
        """Return the ages of the earlier states from which each block is predicted, in ticks.
        ``blocks`` selects the blocks. If it is None, the first ``count`` blocks are used. If a
        block has fewer than four earlier states, the age of a missing state is 0.
        """
        chosen = self.chosen[:count] if blocks is None else self.chosen.take(blocks, axis=0)
        ages = now - chosen
        # The tick 0 means no state.
        limit = _MAX_AGE if now > _MAX_AGE else now - 1
        # The oldest earlier state of each block.
        if np.maximum.reduce(ages[:, -1], initial=0) > limit:
            ages[ages > limit] = 0
        return ages.astype(np.uint8)


def _chosen(confirmed: list[int], gap: int) -> list[int]:
    """Return the ticks of the states from which a block is predicted. ``confirmed`` contains the
    confirmed ticks from the newest to the oldest, followed by zeros.
    """
    chosen = [confirmed[0]]
    for _ in range(1, STATES):
        latest = chosen[-1] - gap
        chosen.append(next((tick for tick in confirmed if tick <= latest), 0))
    return chosen


class RowSender:
    """The slots and the most recent states of one batch's rows.

    Parameters
    ----------
    shifts
        The number of unused low bits of each channel: 0 for a position, and 32 - n for an angle
        with n bits.
    columns
        The columns that are sent only when their values change, as pairs of the column's dtype and
        the shape of one row.
    interval
        The number of ticks between two states that a client receives.
    """

    def __init__(
        self,
        shifts: Sequence[int],
        columns: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] = (),
        interval: int = 1,
    ) -> None:
        self.shape = RowShape(shifts)
        self.gap = 2 * interval
        """The minimum number of ticks between two states from which a prediction is computed."""
        self.channels = len(shifts)
        self.version = 1
        """A number that grows whenever rows are added or removed."""
        self.tick = 0
        """The tick of the newest state."""
        self.blocks = 0
        """The number of blocks in use."""
        self.slots: NDArray[np.intp] = np.empty(0, np.intp)
        """The slot of each row."""
        self._packed_ids = b""  # the IDs of the rows as bytes, in the order of the rows
        self._in_order = True  # whether the slots are 0, 1, 2 and so on, in the order of the rows
        self._size = 0  # the number of slots that were used so far
        self._slot_ids: Ids = np.empty(0, np.uint32)
        self._alive = np.empty(0, bool)
        # Freed slots, with the tick in which they were freed, from the oldest to the newest.
        self._free: list[tuple[int, NDArray[np.intp]]] = []
        # The states of the last ticks. The state of a tick has the index ``tick % self._span``. The
        # last element contains the values that each slot had when it got its row.
        self._span = -(-WINDOW // interval) * interval
        self._history: Ints = np.empty((self._span + 1, 0, self.shape.step), np.int32)
        # The ticks of the stored states.
        self._stored: deque[int] = deque()
        # The tick of each block's last change.
        self._rests_since: Ticks = np.empty(0, np.int64)
        # The previous values of `_rests_since`, from one state earlier.
        self._rested_since: Ticks = np.empty(0, np.int64)
        # Whether all blocks changed in the last state, and in the state before it.
        self._moved = self._moved_before = False
        self._values = [np.empty((0, *shape), dtype) for dtype, shape in columns]
        self._codes: Codes | None = None  # the Golomb code of each context
        self._updates = 0
        self._coded: dict[tuple[bytes, bytes], list[DatagramPart]] = {}
        self._all_blocks: NDArray[np.intp] = np.empty(0, np.intp)  # the indices 0, 1, 2 and so on
        self._bits: NDArray[np.int64] = np.empty(0, np.int64)  # the last size of each block in bits
        self._is_limited = False  # whether the bandwidth is limited; `_bits` is used only then
        self._reserve(_FIRST_BLOCKS)

    def _reserve(self, blocks: int) -> None:
        """Make all arrays large enough for ``blocks`` blocks."""
        rows = blocks * BLOCK
        self._slot_ids = grown(self._slot_ids, rows)
        self._alive = grown(self._alive, rows)
        history = np.zeros((self._span + 1, blocks, self.shape.step), np.int32)
        before = self._history.shape[1]
        for index in [self._span, *{tick % self._span for tick in self._stored}]:
            history[index, :before] = self._history[index]
        self._history = history
        # The state of the tick ``-index`` begins in the flat history at ``_wheel[index]``.
        self._wheel = -np.arange(2 * self._span + 1) % self._span * blocks
        self._rests_since = grown(self._rests_since, blocks)
        self._rested_since = grown(self._rested_since, blocks)
        self._bits = grown(self._bits, blocks)
        self._values = [grown(values, rows) for values in self._values]

    def _rows_at(self, index: int) -> Ints:
        """Return the values of all slots from the state with this ``index`` in the history."""
        rows: Ints = self._history[index].reshape(-1, self.channels)
        return rows

    # -- the rows of a tick ------------------------------------------------------------------------

    def update(
        self, tick: int, ids: Ids, current: Ints, columns: Sequence[NDArray[Any]] = ()
    ) -> list[bytes]:
        """Store the state of all rows after a tick, and return the reliable messages that all
        clients must receive.

        ``current`` contains the positions and angles of the rows, as int32 with the shape (rows,
        channels). ``columns`` contains the columns that are sent only when their values change.
        """
        messages = []
        packed_ids = ids.tobytes()
        if packed_ids != self._packed_ids:
            messages.append(self._renumber(tick, ids, current, columns))
            self._packed_ids = packed_ids
        if columns:
            messages += self._changes(tick, columns)
        last = self._history[self.tick % self._span, : self.blocks]
        state = self._store(tick, current, last)
        # The comparison handles two values at a time, because a block has an even number of values.
        moved = np.logical_or.reduce(state.view(np.int64) != last.view(np.int64), axis=1)
        self._note_moved(tick, moved)
        if self._updates % _MEASURE_EVERY == 0:
            self._codes = None
        self._updates += 1
        self.tick = tick
        self._coded.clear()
        return messages

    def _store(self, tick: int, current: Ints, last: Ints) -> Ints:
        """Write the state after a tick to the history, and return its blocks. Slots without a row
        keep their values from ``last``, the blocks of the state before.
        """
        stored = self._stored
        while stored and stored[0] <= tick - self._span:
            stored.popleft()
        stored.append(tick)
        state = self._history[tick % self._span, : self.blocks]
        rows = state.reshape(-1, self.channels)
        if self._in_order:
            full = len(current) // BLOCK  # in these blocks, all rows get new values
            state[full:] = last[full:]
            rows[: len(current)] = current
        else:
            state[:] = last
            rows[self.slots] = current
        return state

    def _note_moved(self, tick: int, moved: NDArray[np.bool_]) -> None:
        """Record which blocks have changed in this tick."""
        rests_since = self._rests_since[: self.blocks]
        self._rested_since[: self.blocks] = rests_since
        self._moved_before = self._moved
        self._moved = b"\0" not in moved.tobytes()
        if self._moved:
            rests_since[:] = tick
        else:
            rests_since[moved] = tick

    def _renumber(
        self, tick: int, ids: Ids, current: Ints, columns: Sequence[NDArray[Any]]
    ) -> bytes:
        """Choose slots for new rows, free the slots of removed rows, and return a message about
        these changes.
        """
        self.version += 1
        removed = self._free_slots_except(ids, tick)
        slots = self._slots_of(ids)
        new = np.flatnonzero(slots < 0)
        added = self._take_slots(tick, len(new))
        slots[new] = added
        self._slot_ids[added] = ids[new]
        self._alive[added] = True
        if len(added):
            for index in [self._span, *{stored % self._span for stored in self._stored}]:
                self._rows_at(index)[added] = current[new]
        for stored, column in zip(self._values, columns, strict=True):
            stored[added] = column[new]
        self.slots = slots
        self._in_order = bool((slots == np.arange(len(slots))).all())
        return self._members(tick, removed, added)

    def _free_slots_except(self, ids: Ids, tick: int) -> NDArray[np.intp]:
        """Free the slots of all rows except ``ids``, and return the freed slots."""
        used = np.flatnonzero(self._alive[: self._size])
        removed = used[~np.isin(self._slot_ids[used], ids)]
        self._alive[removed] = False
        if len(removed):
            self._free.append((tick, removed))
        return removed

    def _slots_of(self, ids: Ids) -> NDArray[np.intp]:
        """Return the slot of each row, or -1 for a row without a slot."""
        used = np.flatnonzero(self._alive[: self._size])
        indices = indices_of(ids, self._slot_ids[used])
        slots = np.full(len(ids), -1, np.intp)
        slots[indices >= 0] = used[indices[indices >= 0]]
        return slots

    def _take_slots(self, tick: int, count: int) -> NDArray[np.intp]:
        """Return ``count`` free slots. The slot of a removed row is not used again until all
        clients have forgotten the row.
        """
        reused: list[NDArray[np.intp]] = []
        needed = count
        while needed and self._free and self._free[0][0] <= tick - 2 * WINDOW:
            freed, slots = self._free.pop(0)
            reused.append(slots[:needed])
            if len(slots) > needed:
                self._free.insert(0, (freed, slots[needed:]))
            needed -= len(reused[-1])
        if needed:
            reused.append(self._new_slots(needed))
        return np.concatenate(reused) if reused else np.empty(0, np.intp)

    def _new_slots(self, count: int) -> NDArray[np.intp]:
        """Return ``count`` slots that were never used before."""
        slots = np.arange(self._size, self._size + count)
        self._size += count
        if self._size > MAX_ROWS:
            raise ValueError(
                f"batch: expected at most {MAX_ROWS:,} rows, got {self._size:,}; send fewer rows "
                "with visible="
            )
        blocks = -(-self._size // BLOCK)
        if blocks * BLOCK > len(self._alive):
            self._reserve(max(blocks, 2 * len(self._alive) // BLOCK))
        self.blocks = blocks
        return slots

    def _members(self, tick: int, removed: NDArray[np.intp], added: NDArray[np.intp]) -> bytes:
        head = MEMBERS.pack(self.version, tick, len(removed), len(added))
        parts = [
            removed.astype("<u4"),
            added.astype("<u4"),
            self._slot_ids[added].astype("<u4"),
            self._rows_at(self._span)[added].astype("<i4"),
            *[_little(values[added]) for values in self._values],
        ]
        return head + zlib.compress(b"".join([part.tobytes() for part in parts]), 1)

    def _changes(self, tick: int, columns: Sequence[NDArray[Any]]) -> list[bytes]:
        """Return one message for each column whose values have changed."""
        messages = []
        slots = self.slots
        for index, (stored, column) in enumerate(zip(self._values, columns, strict=True)):
            before = stored[: len(slots)] if self._in_order else stored[slots]
            rows = _different_rows(before, column)
            if len(rows):
                stored[slots[rows]] = column[rows]
                head = CHANGES.pack(self.version, tick, index, len(rows))
                body = slots[rows].astype("<u4").tobytes() + _little(column[rows]).tobytes()
                messages.append(head + zlib.compress(body, 1))
        return messages

    def welcome(self) -> bytes:
        """Return a message with all rows, for a new client."""
        slots = np.flatnonzero(self._alive[: self._size])
        return self._members(self.tick, np.empty(0, np.intp), slots)

    # -- the parts of a snapshot -------------------------------------------------------------------

    def parts(
        self,
        acked: AckedStates,
        priorities: NDArray[np.float64] | None = None,
        max_bytes: int | None = None,
    ) -> list[DatagramPart]:
        """Return the newest state for one client, as a list of parts.

        Blocks that have not changed since the client confirmed their state are left out. If the
        remaining blocks need more than ``max_bytes``, return only the blocks with the highest
        ``priorities``.
        """
        acked.grow(self.blocks)
        blocks = self._blocks_to_send(acked)
        if max_bytes is not None:
            self._is_limited = True
            blocks = self._most_urgent(blocks, priorities, max_bytes)
        if not len(blocks):
            return []
        is_whole = len(blocks) == self.blocks
        ages = acked.ages(self.tick, None if is_whole else blocks, self.blocks)
        key = b"" if is_whole else blocks.tobytes(), ages.tobytes()
        parts = self._coded.get(key)
        if parts is None:
            parts = self._coded[key] = self._encode(blocks, ages)
        return parts

    def _blocks_to_send(self, acked: AckedStates) -> NDArray[np.intp]:
        """Return the blocks that have changed since the client confirmed their state, or whose
        state the client has not confirmed for a long time.
        """
        if self._moved:
            if len(self._all_blocks) != self.blocks:
                self._all_blocks = np.arange(self.blocks)
            return self._all_blocks
        newest = acked.chosen[: self.blocks, 0]
        rests = self._rests_since[: self.blocks] <= newest
        rests &= newest > max(0, self.tick - _REFRESH)
        return (~rests).nonzero()[0]

    def _most_urgent(
        self, blocks: NDArray[np.intp], priorities: NDArray[np.float64] | None, max_bytes: int
    ) -> NDArray[np.intp]:
        unknown = 8 * BLOCK * self.channels
        bits = np.where(self._bits[blocks] > 0, self._bits[blocks], unknown)
        if int(bits.sum()) <= 8 * max_bytes:
            return blocks
        order = np.arange(len(blocks))
        if priorities is not None:
            order = np.argsort(-priorities[blocks], kind="stable")
        count = int(np.searchsorted(np.cumsum(bits[order]), 8 * max_bytes, "right"))
        return np.sort(blocks[order[: max(count, 1)]])

    def _encode(self, blocks: NDArray[np.intp], ages: Ages) -> list[DatagramPart]:
        runs = _runs(blocks, ages, self._just_moved(blocks, ages))
        if len(runs) <= FEW_RUNS:
            differences = self._run_differences(runs, len(blocks))
        else:
            differences = self._block_differences(blocks, ages)
        delta, exponents = predicted(differences[1:], runs, self.shape)
        numbers = residuals(differences[0], delta, self.shape)
        coded = CodedBlocks(numbers, exponents, self.shape, self._codes)
        self._codes = coded.codes
        ends = coded.sizes()
        if self._is_limited:
            self._bits[blocks] = np.diff(ends, prepend=0) + 8
        bounds, heads = self._split(ends.tolist(), runs)
        return [
            DatagramPart(data, blocks[first:last])
            for data, first, last in zip(
                coded.packed(bounds, heads), bounds, bounds[1:], strict=False
            )
        ]

    def _just_moved(self, blocks: NDArray[np.intp], ages: Ages) -> NDArray[np.bool_] | None:
        """Return whether each block has changed in this tick for the first time since its newest
        earlier state. None means that no block has.
        """
        if self._moved and self._moved_before:
            return None
        result = self._rested_since.take(blocks) <= self.tick - ages[:, 0].astype(np.int64)
        result &= self._rests_since.take(blocks) == self.tick
        result &= ages[:, 0] > 0
        return result

    def _run_differences(self, runs: list[Run], count: int) -> Ints:
        """Return the differences between consecutive states: the newest state and the earlier
        states of ``runs``. ``count`` is the number of blocks in all runs together.
        """
        history = self._history
        span = self._span
        tick = self.tick
        result = np.empty((STATES, count, self.shape.step), np.int32)
        start = 0
        for run in runs:
            blocks = slice(run.first, run.first + run.blocks)
            stop = start + run.blocks
            newer = history[tick % span, blocks]
            older = history[span, blocks]
            for index, age in enumerate(run.ages):
                # Without an age, the state is missing, and the next newer state is used instead.
                if age:
                    older = history[(tick - age) % span, blocks]
                np.subtract(newer, older, out=result[index, start:stop])
                newer = older
            start = stop
        return result

    def _block_differences(self, blocks: NDArray[np.intp], ages: Ages) -> Ints:
        """Return the same differences as `_run_differences`, computed for all blocks together."""
        indices = self._history_index(blocks, ages.astype(np.int64))
        states = self._history.reshape(-1, self.shape.step).take(indices, axis=0)
        differences: Ints = states[:-1] - states[1:]
        return differences

    def _history_index(
        self, blocks: NDArray[np.intp], ages: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the indices in the history for the newest state and for the earlier states of each
        block. The array has the shape (1 + `STATES`, blocks).
        """
        index = np.zeros((1 + STATES, len(blocks)), np.int64)
        index[1:] = ages.T
        index += self._span - self.tick % self._span
        index = self._wheel.take(index)
        if not ages.all():
            index[1:][ages.T == 0] = self._span * self._history.shape[1]
            for state in range(1, STATES):  # a missing state is replaced with the next newer state
                missing = ages[:, state] == 0
                index[state + 1, missing] = index[state, missing]
        index += blocks
        return index

    def _split(self, ends: list[int], runs: list[Run]) -> tuple[list[int], list[bytes]]:
        """Split packed blocks into parts of at most `MAX_PART` bytes. ``ends`` contains the total
        number of bits up to the end of each block. Return two lists: the first block of each part,
        followed by the number of blocks, and the head of each part.
        """
        bounds = [0]
        heads = []
        waiting = deque(runs)
        last = 0
        while last < len(ends):
            first = last
            limit = _PART_BITS + (ends[first - 1] if first else 0)
            head = _PartHead()
            while waiting and len(head.runs) < MAX_RUNS:
                limit -= _RUN_BITS
                blocks, ages, run_first, rested = waiting[0]
                count = bisect.bisect_right(ends, limit, last, last + blocks) - last
                if count:
                    head.add(count, ages, run_first, rested)
                    last += count
                if count < blocks:
                    # The part is full, and the next part begins with the other blocks.
                    waiting[0] = Run(blocks - count, ages, run_first + count, rested)
                    break
                waiting.popleft()
            if last == first:  # the block has too many channels for a datagram
                raise ValueError("a block has more bytes than a datagram")
            heads.append(head.packed(self.tick, self.version))
            bounds.append(last)
        return bounds, heads


class _PartHead:
    """The head of a part: a list of its runs, and the ages of their earlier states."""

    __slots__ = ("_following", "_index_of_ages", "runs")

    def __init__(self) -> None:
        self.runs: list[bytes] = []
        self._index_of_ages: dict[tuple[int, ...], int] = {}
        self._following = 0  # the block after the last run

    def add(self, blocks: int, ages: tuple[int, ...], first: int, rested: bool) -> None:
        """Add a run. The arguments are the fields of a `Run`."""
        index = self._index_of_ages.setdefault(ages, len(self._index_of_ages))
        flagged = blocks | RESTED if rested else blocks
        if first == self._following:
            self.runs.append(RUN.pack(flagged, index))
        else:
            self.runs.append(RUN.pack(flagged, index | GAP) + FIRST.pack(first))
        self._following = first + blocks

    def packed(self, tick: int, version: int) -> bytes:
        """Return the bytes of the head."""
        counts = len(self._index_of_ages), len(self.runs)
        head = PART.pack(tick & 0xFFFF, version & 0xFFFF, *counts)
        return b"".join([head, *[AGES.pack(*ages) for ages in self._index_of_ages], *self.runs])


def _runs(blocks: NDArray[np.intp], ages: Ages, rested: NDArray[np.bool_] | None) -> list[Run]:
    """Group consecutive blocks into runs. A run contains at most `MAX_RUN` blocks. All blocks in a
    run have the same ages and the same value in ``rested``. ``rested`` is None if no block has just
    begun to change again.
    """
    packed = ages.tobytes()
    runs = []
    bounds = [*_run_starts(blocks, packed, rested), len(blocks)]
    for start, stop in itertools.pairwise(bounds):
        own_ages = tuple(packed[STATES * start : STATES * (start + 1)])
        first = int(blocks[start])
        flag = rested is not None and bool(rested[start])
        for offset in range(0, stop - start, MAX_RUN):
            runs.append(Run(min(MAX_RUN, stop - start - offset), own_ages, first + offset, flag))
    return runs


def _run_starts(
    blocks: NDArray[np.intp], packed_ages: bytes, rested: NDArray[np.bool_] | None
) -> list[int]:
    """Return the indices in ``blocks`` at which a new run begins."""
    count = len(blocks)
    has_gaps = int(blocks[-1]) - int(blocks[0]) >= count
    if rested is None and not has_gaps and packed_ages == packed_ages[:STATES] * count:
        return [0]
    keys = np.frombuffer(packed_ages, np.uint32)
    breaks = keys[1:] != keys[:-1]
    if rested is not None:
        breaks |= rested[1:] != rested[:-1]
    if has_gaps:
        breaks |= blocks[1:] - blocks[:-1] != 1
    return [0, *(breaks.nonzero()[0] + 1).tolist()]


def grown(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """Return the array with zeros at its end, so that it has at least ``rows`` rows."""
    if rows <= len(array):
        return array
    result = np.zeros((rows, *array.shape[1:]), array.dtype)
    result[: len(array)] = array
    return result


def _different_rows(before: NDArray[Any], now: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of the rows that differ. The comparison uses the bits of the values, so
    NaN is equal to NaN.
    """
    if not len(now):
        return np.empty(0, np.intp)
    old, new = [
        np.ascontiguousarray(values).reshape(len(now), -1).view(np.uint8)
        for values in (before, now)
    ]
    return np.flatnonzero((old != new).any(axis=1))


def _little(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values in little-endian byte order."""
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
