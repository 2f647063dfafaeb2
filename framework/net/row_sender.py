"""Row sender: sends the rows of one batch from a server to its clients.

Each row has a *slot*, which does not change while the row exists. Reliable messages contain the
slots of rows, and columns that are sent only when they change. Unreliable parts contain the other
columns, in blocks of slots. A client can decode each part without other parts. The blocks of a part
are predicted from earlier states that the client has confirmed.
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
    STATES,
    CodedBlocks,
    RowShape,
    differences_of,
    predicted,
    residuals,
)

Ids = NDArray[np.uint32]
Ticks = NDArray[np.int64]

WINDOW = 128
"""The number of ticks for which the server and the clients store earlier states."""
MAX_PART = 1100
"""The maximum size of a part in bytes. With all headers, a datagram has at most 1200 bytes."""
MAX_RUNS = 40
"""The largest number of runs in a part."""
MAX_ROWS = 1 << 19
"""The largest number of slots of a batch that is sent."""

# the lowest bits of the tick and of the version, the number of different ages, the number of runs
PART = struct.Struct("<HHBB")
AGES = struct.Struct("<BBBB")  # the ages of the states of some runs, the newest first
RUN = struct.Struct("<BB")  # blocks and a flag, the index of the ages and a flag
FIRST = struct.Struct("<H")  # the first block of a run that does not follow the run before
RESTED = 0x80  # a flag beside the blocks: the blocks did not change until the snapshot before
GAP = 0x80  # a flag beside the index: the first block follows
MAX_RUN = 0x7F  # blocks in a run
MEMBERS = struct.Struct("<IIII")  # version, tick, numbers of removed and added slots
CHANGES = struct.Struct("<IIHI")  # version, tick, index of the column, number of slots

_MAX_AGE = 120  # ticks, below `WINDOW` and 255
_REFRESH = 90  # ticks after which an unchanged block is sent again
_FIRST_BLOCKS = 4
_KEPT = 8  # confirmed states of a block
_MEASURE_EVERY = 8  # states, after which the codes are chosen again


class DatagramPart(NamedTuple):
    """A piece of a state that fits into one datagram, and the blocks in it."""

    data: bytes
    blocks: NDArray[np.intp]


class AckedStates:
    """The states of each block that one client has confirmed.

    Predictions use the newest state and three earlier ones, which are at least ``gap`` ticks apart:
    the speed between states that are close together is less exact.
    """

    __slots__ = ("_confirmed", "_gap", "chosen")

    def __init__(self, gap: int) -> None:
        self._gap = gap
        self._confirmed: Ticks = np.zeros((0, _KEPT), np.int64)  # the newest first, 0: none
        self.chosen: Ticks = np.zeros((0, STATES), np.int64)
        """The ticks of the states for predictions, the newest first. 0: there is no such state."""

    def grow(self, blocks: int) -> None:
        """Make room for the states of ``blocks`` blocks."""
        self._confirmed = _grown(self._confirmed, blocks)
        self.chosen = _grown(self.chosen, blocks)

    def confirm(self, tick: int, blocks: NDArray[np.intp], now: int) -> None:
        """Called in the tick ``now`` if the client has confirmed the state of ``blocks`` at
        ``tick``.
        """
        gap = max(self._gap, (now - tick) // 3)
        newer = blocks[self.chosen[blocks, 0] < tick]
        if len(newer) == 0:
            return
        ticks = self._confirmed[newer]
        ticks[:, 1:] = ticks[:, :-1]
        ticks[:, 0] = tick
        self._confirmed[newer] = ticks
        chosen = np.zeros((len(newer), STATES), np.int64)
        chosen[:, 0] = latest = ticks[:, 0]
        for index in range(1, STATES):
            older = np.where(ticks <= (latest - gap)[:, None], ticks, 0)
            chosen[:, index] = latest = older.max(axis=1)
        self.chosen[newer] = chosen

    def ages(self, now: int, blocks: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the ages of the states of ``blocks`` in ticks, or 0 for no state."""
        ages = now - self.chosen.take(blocks, axis=0)
        is_old = ages > (_MAX_AGE if now > _MAX_AGE else now - 1)  # the tick 0 means no state
        if is_old.any():
            ages[is_old] = 0
        return ages


class RowSender:
    """The slots and the last states of the rows of one batch.

    Parameters
    ----------
    shifts
        The number of unused low bits of each channel: 0 for numbers, 32 - bits for angles.
    columns
        The dtype and the shape of a row of each column that is sent on change.
    interval
        The number of ticks between two states.
    """

    def __init__(
        self,
        shifts: Sequence[int],
        columns: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] = (),
        interval: int = 1,
    ) -> None:
        self.shape = RowShape(shifts)
        self.gap = 2 * interval
        """The minimum number of ticks between two states in a prediction."""
        self.channels = len(shifts)
        self.version = 1
        """Increased whenever a row gets or loses its slot."""
        self.tick = 0
        """The tick of the newest state."""
        self.blocks = 0
        """The number of blocks that contain all slots in use."""
        self.slots: NDArray[np.intp] = np.empty(0, np.intp)
        """The slot of each row."""
        self._ids: Ids = np.empty(0, np.uint32)  # of the rows, in their order
        self._in_order = True  # whether the slots of the rows are 0, 1, 2, …
        self._size = 0  # slots in use so far
        self._slot_ids: Ids = np.empty(0, np.uint32)
        self._alive = np.empty(0, bool)
        self._free: list[tuple[int, NDArray[np.intp]]] = []  # the tick and the slots, oldest first
        # The states of the last ticks, with the state of a tick at ``tick % self._span``. The last
        # element has the values when a slot got its row.
        self._span = -(-WINDOW // interval) * interval
        self._history: Ints = np.empty((self._span + 1, 0, self.shape.step), np.int32)
        self._stored: deque[int] = deque()  # the ticks of the stored states
        self._rests_since: Ticks = np.empty(0, np.int64)  # the tick of each block's last change
        self._rested_since: Ticks = np.empty(0, np.int64)  # the same before the newest state
        self._values = [np.empty((0, *shape), dtype) for dtype, shape in columns]
        self._codes: NDArray[np.uint8] | None = None  # of the contexts
        self._updates = 0
        self._coded: dict[bytes, list[DatagramPart]] = {}
        self._bits: NDArray[np.int64] = np.empty(0, np.int64)  # of each block when last sent
        self._is_limited = False  # whether `_bits` is used
        self._reserve(_FIRST_BLOCKS)

    def _reserve(self, blocks: int) -> None:
        """Make room for ``blocks`` blocks in all arrays."""
        rows = blocks * BLOCK
        self._slot_ids = _grown(self._slot_ids, rows)
        self._alive = _grown(self._alive, rows)
        history = np.zeros((self._span + 1, blocks, self.shape.step), np.int32)
        before = self._history.shape[1]
        for index in [self._span, *{tick % self._span for tick in self._stored}]:
            history[index, :before] = self._history[index]
        self._history = history
        # the element of the history for a tick before, times the blocks of an element
        self._wheel = -np.arange(2 * self._span + 1) % self._span * blocks
        self._rests_since = _grown(self._rests_since, blocks)
        self._rested_since = _grown(self._rested_since, blocks)
        self._bits = _grown(self._bits, blocks)
        self._values = [_grown(values, rows) for values in self._values]

    def _rows_at(self, index: int) -> Ints:
        """Return the values of all slots in an element of the history."""
        return self._history[index].reshape(-1, self.channels)

    # -- the rows of a tick ------------------------------------------------------------------------

    def update(
        self, tick: int, ids: Ids, current: Ints, columns: Sequence[NDArray[Any]] = ()
    ) -> list[bytes]:
        """Store the state of a tick, and return the reliable messages for all clients.

        ``current`` are the values of the rows: int32 (rows, channels). ``columns`` are the columns
        that are sent on change.
        """
        messages = []
        if ids.tobytes() != self._ids.tobytes():
            messages.append(self._renumber(tick, ids, current, columns))
        messages += self._changes(tick, columns)
        blocks = self.blocks
        last = self._history[self.tick % self._span]
        self._store(tick)
        state = self._history[tick % self._span]
        state[:blocks] = last[:blocks]
        rows = state.reshape(-1, self.channels)
        if self._in_order:
            rows[: len(ids)] = current
        else:
            rows[self.slots] = current
        moved = (state[:blocks] != last[:blocks]).any(axis=1)
        self._rested_since[:blocks] = self._rests_since[:blocks]
        self._rests_since[:blocks][moved] = tick
        if self._updates % _MEASURE_EVERY == 0:
            self._codes = None
        self._updates += 1
        self.tick = tick
        self._coded.clear()
        return messages

    def _store(self, tick: int) -> None:
        """Make room in the history for the state of a tick."""
        stored = self._stored
        while stored and stored[0] <= tick - self._span:
            stored.popleft()
        stored.append(tick)

    def _renumber(
        self, tick: int, ids: Ids, current: Ints, columns: Sequence[NDArray[Any]]
    ) -> bytes:
        """Give slots to new rows, free the slots of removed rows, and return the message."""
        self.version += 1
        used = np.flatnonzero(self._alive[: self._size])
        removed = used[~np.isin(self._slot_ids[used], ids)]
        self._alive[removed] = False
        if len(removed):
            self._free.append((tick, removed))
        slots = np.full(len(ids), -1, np.intp)
        used = np.flatnonzero(self._alive[: self._size])
        order = np.argsort(self._slot_ids[used])
        sorted_ids = self._slot_ids[used][order]
        if len(used):
            indices = np.minimum(np.searchsorted(sorted_ids, ids), len(used) - 1)
            same = sorted_ids[indices] == ids
            slots[same] = used[order[indices[same]]]
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
        self._ids = ids.copy()
        self.slots = slots
        self._in_order = bool((slots == np.arange(len(slots))).all())
        return self._members(tick, removed, added)

    def _take_slots(self, tick: int, count: int) -> NDArray[np.intp]:
        """Return ``count`` slots that no client can still use for a removed row."""
        reused: list[NDArray[np.intp]] = []
        needed = count
        while needed and self._free and self._free[0][0] <= tick - 2 * WINDOW:
            freed, slots = self._free.pop(0)
            reused.append(slots[:needed])
            if len(slots) > needed:
                self._free.insert(0, (freed, slots[needed:]))
            needed -= len(reused[-1])
        if needed:
            reused.append(np.arange(self._size, self._size + needed))
            self._size += needed
            if self._size > MAX_ROWS:
                raise ValueError(
                    f"batch: expected at most {MAX_ROWS:,} rows, got {self._size:,}; send fewer rows "
                    "with visible="
                )
            blocks = -(-self._size // BLOCK)
            if blocks * BLOCK > len(self._alive):
                self._reserve(max(blocks, 2 * len(self._alive) // BLOCK))
            self.blocks = blocks
        return np.concatenate(reused) if reused else np.empty(0, np.intp)

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
        """Return a message for each column that has changed."""
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
        """Return the message with all rows, for a client that has none of them."""
        slots = np.flatnonzero(self._alive[: self._size])
        return self._members(self.tick, np.empty(0, np.intp), slots)

    # -- the parts of a snapshot -------------------------------------------------------------------

    def parts(
        self,
        acked: AckedStates,
        priorities: NDArray[np.float64] | None = None,
        max_bytes: int | None = None,
    ) -> list[DatagramPart]:
        """Return the newest state in parts for one client.

        Confirmed blocks without changes are left out. If the other blocks need more than
        ``max_bytes``, the blocks with the highest ``priorities`` are returned.
        """
        acked.grow(self.blocks)
        newest = acked.chosen[: self.blocks, 0]
        rests = self._rests_since[: self.blocks] <= newest
        if rests.any():
            rests &= newest > max(0, self.tick - _REFRESH)
            blocks = (~rests).nonzero()[0]
        else:
            blocks = np.arange(self.blocks)
        if max_bytes is not None:
            self._is_limited = True
            blocks = self._most_urgent(blocks, priorities, max_bytes)
        if not len(blocks):
            return []
        ages = acked.ages(self.tick, blocks)
        key = blocks.tobytes() + ages.tobytes()
        parts = self._coded.get(key)
        if parts is None:
            parts = self._coded[key] = self._encode(blocks, ages)
        return parts

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

    def _encode(self, blocks: NDArray[np.intp], ages: NDArray[np.int64]) -> list[DatagramPart]:
        rested = self._rested_since.take(blocks) <= self.tick - ages[:, 0]
        if rested.any():
            rested &= self._rests_since[blocks] == self.tick
            rested &= ages[:, 0] > 0
        runs = _runs(blocks, ages, rested)
        states = self._history.reshape(-1, self.shape.step).take(
            self._history_index(blocks, ages), axis=0
        )
        differences = differences_of(states, self.shape)
        delta, exponents = predicted(differences[1:], runs, self.shape)
        numbers = residuals(differences[0], delta, self.shape)
        coded = CodedBlocks(numbers, exponents, self._codes)
        self._codes = coded.codes
        ends = coded.sizes()
        if self._is_limited:
            self._bits[blocks] = np.diff(ends, prepend=0) + 8
        bounds, heads = self._split(ends.tolist(), runs)
        return [
            DatagramPart(head + data, blocks[first:last])
            for head, data, (first, last) in zip(
                heads, coded.packed(bounds), itertools.pairwise(bounds), strict=True
            )
        ]

    def _history_index(
        self, blocks: NDArray[np.intp], ages: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the indices in the history of the newest state and of the earlier states of
        ``blocks``: (1 + `STATES`, blocks).
        """
        index = np.zeros((1 + STATES, len(blocks)), np.int64)
        index[1:] = ages.T
        index += self._span - self.tick % self._span
        index = self._wheel.take(index)
        if not ages[:, -1].all():
            index[1:][ages.T == 0] = self._span * self._history.shape[1]
            for state in range(1, STATES):  # a missing state is replaced by the next newer one
                missing = ages[:, state] == 0
                index[state + 1, missing] = index[state, missing]
        index += blocks
        return index

    def _split(self, ends: list[int], runs: list[BlockRun]) -> tuple[list[int], list[bytes]]:
        """Split coded blocks into parts of at most `MAX_PART` bytes. ``ends`` are the bits up to the
        end of each block. Return the bounds of the parts in blocks, and the head of each part.
        """
        bounds = [0]
        heads = []
        space = 8 * (MAX_PART - PART.size - CODE_BYTES - 9)
        run_space = 8 * (RUN.size + FIRST.size + AGES.size)
        run = iter(runs)
        left = next(run)  # what is left of the present run
        while bounds[-1] < len(ends):
            first = bounds[-1]
            limit = space + (ends[first - 1] if first else 0)
            packed_runs: list[bytes] = []
            all_ages: dict[tuple[int, ...], int] = {}
            following = 0
            last = first
            while left.blocks and len(packed_runs) < MAX_RUNS:
                limit -= run_space
                count = bisect.bisect_right(ends, limit, last, last + left.blocks) - last
                if not count:
                    break
                index = all_ages.setdefault(left.ages, len(all_ages))
                flagged = count | RESTED if left.rested else count
                if left.first == following:
                    packed_runs.append(RUN.pack(flagged, index))
                else:
                    packed_runs.append(RUN.pack(flagged, index | GAP) + FIRST.pack(left.first))
                following = left.first + count
                last += count
                if count < left.blocks:
                    left = left._replace(first=following, blocks=left.blocks - count)
                    break
                left = next(run, _NO_RUN)
            if last == first:  # a block of many channels
                raise ValueError("a block has more bytes than a datagram")
            counts = len(all_ages), len(packed_runs)
            head = PART.pack(self.tick & 0xFFFF, self.version & 0xFFFF, *counts)
            heads.append(b"".join([head, *[AGES.pack(*ages) for ages in all_ages], *packed_runs]))
            bounds.append(last)
        return bounds, heads


class BlockRun(NamedTuple):
    """A `Run` of blocks with the same ages, with its first block. ``rested`` is True if the blocks
    changed in the newest state for the first time since their newest confirmed state.
    """

    blocks: int
    ages: tuple[int, ...]
    first: int
    rested: bool


_NO_RUN = BlockRun(0, (), 0, False)


def _runs(
    blocks: NDArray[np.intp], ages: NDArray[np.int64], rested: NDArray[np.bool_]
) -> list[BlockRun]:
    """Return the runs of consecutive blocks with the same ages."""
    keys = ages.astype(np.uint8).view(np.uint32).reshape(-1)
    breaks = keys[1:] != keys[:-1]
    if rested.any():
        breaks |= rested[1:] != rested[:-1]
    if int(blocks[-1]) - int(blocks[0]) >= len(blocks):
        breaks |= np.diff(blocks) != 1
    starts = [0, *(breaks.nonzero()[0] + 1).tolist()]
    if len(starts) == 1 and len(blocks) <= MAX_RUN:
        return [BlockRun(len(blocks), tuple(ages[0].tolist()), int(blocks[0]), bool(rested[0]))]
    firsts = blocks.take(starts).tolist()
    all_ages = ages.take(starts, axis=0).tolist()
    flags = rested.take(starts).tolist()
    runs = []
    for index, (start, stop) in enumerate(itertools.pairwise([*starts, len(blocks)])):
        own_ages = tuple(all_ages[index])
        for offset in range(0, stop - start, MAX_RUN):
            count = min(MAX_RUN, stop - start - offset)
            runs.append(BlockRun(count, own_ages, firsts[index] + offset, flags[index]))
    return runs


def _grown(array: NDArray[Any], rows: int) -> NDArray[Any]:
    if rows <= len(array):
        return array
    grown = np.zeros((rows, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _different_rows(before: NDArray[Any], now: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of the rows whose bits differ, so that NaN is equal to itself."""
    if not len(now):
        return np.empty(0, np.intp)
    old, new = [
        np.ascontiguousarray(values).reshape(len(now), -1).view(np.uint8)
        for values in (before, now)
    ]
    return np.flatnonzero((old != new).any(axis=1))


def _little(values: NDArray[Any]) -> NDArray[Any]:
    """Return ``values`` with little-endian numbers."""
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
