"""Row sender: sends the rows of one batch from a server to its clients.

Each row has a *slot*: a number that stays the same while the row exists. Two kinds of data are sent
as reliable messages: new and removed rows, and columns that change rarely. Positions and angles are
sent as unreliable messages, called parts. A part contains blocks of 16 slots. A client can decode a
part even if other parts are lost. The server predicts the values from earlier states that the
client has confirmed. A part contains only the differences.
"""

from __future__ import annotations

import bisect
import itertools
import struct
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rice_coding import Ints
from .row_codec import BLOCK, PARAMETER_BYTES, STATES, CodedBlocks, RowShape, predicted, residuals

Ids = NDArray[np.uint32]
Ticks = NDArray[np.int64]

WINDOW = 128
"""The server and the clients store the states of this number of ticks."""
MAX_PART = 1100
"""The maximum size of a part in bytes. With headers, the datagram then has at most 1200 bytes."""
MAX_RUNS = 40
"""The maximum number of runs in a part. A run is a list of consecutive blocks."""
MAX_ROWS = 1 << 19
"""The maximum number of slots in a batch."""

PART = struct.Struct("<HHB")  # the lowest bits of the tick and of the version, the number of runs
RUN = struct.Struct("<HBBBB")  # first block, blocks and a flag, three ages
RESTED = 0x80  # flag: the block did not change until the state before this one
MAX_RUN = 0x7F  # blocks in a run
MEMBERS = struct.Struct("<IIII")  # version, tick, numbers of removed and added slots
CHANGES = struct.Struct("<IIHI")  # version, tick, index of the column, number of slots

_MAX_AGE = 120  # ticks, below `WINDOW` and 255
_REFRESH = 90  # ticks after which an unchanged block is sent again
_FIRST_BLOCKS = 4
_KEPT = 8  # confirmed states of a block
_RATE = np.float32(0.08)  # weight of the newest state in the choice of a prediction
_CLEAR = np.float32(0.1)  # bits that a prediction must save to be chosen
_CHOOSE_EVERY = 4  # states between two choices of the predictions
_MEASURE_EVERY = 4  # states between two choices of the coding parameters


class DatagramPart(NamedTuple):
    """A part of a state. A part fits into one datagram and contains some of the blocks."""

    data: bytes
    blocks: NDArray[np.intp]


class AckedStates:
    """The ticks for which one client has confirmed the state of each block.

    A prediction uses the newest confirmed state and two earlier ones. These states are at least
    ``gap`` ticks apart, because a speed from two close states would be less exact.
    """

    __slots__ = ("_confirmed", "_gap", "chosen")

    def __init__(self, gap: int) -> None:
        self._gap = gap
        self._confirmed: Ticks = np.zeros((0, _KEPT), np.int64)  # the newest first, 0: none
        self.chosen: Ticks = np.zeros((0, STATES), np.int64)
        """For each block, the ticks of the states that predict it. The newest comes first. The tick
        0 means that there is no such state.
        """

    def grow(self, blocks: int) -> None:
        """Make the arrays large enough for ``blocks`` blocks."""
        self._confirmed = _grown(self._confirmed, blocks)
        self.chosen = _grown(self.chosen, blocks)

    def confirm(self, tick: int, blocks: NDArray[np.intp], now: int) -> None:
        """Record that the client has confirmed the state of ``blocks`` at ``tick``. ``now`` is the
        current tick.
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
        """Return the ages in ticks of the states that are used to predict ``blocks``. The age of a
        missing state is 0.
        """
        chosen = self.chosen[blocks]
        ages = now - chosen
        ages[(ages > _MAX_AGE) | (chosen == 0)] = 0
        return ages


class RowSender:
    """The slots and the last states of the rows of one batch.

    Parameters
    ----------
    shifts
        The number of unused low bits of each channel. For positions, this number is 0. For an angle
        with n bits, this number is 32 - n.
    columns
        The columns that are sent only when they change. Each item of ``columns`` is a pair of the
        dtype and the shape of one row.
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
        """The minimum number of ticks between two states that are used in a prediction."""
        self.channels = len(shifts)
        self.version = 1
        """A number that grows whenever rows are added or removed."""
        self.tick = 0
        """The tick of the newest state."""
        self.blocks = 0
        """The number of blocks in use."""
        self.slots: NDArray[np.intp] = np.empty(0, np.intp)
        """The slot of each row."""
        self._ids: Ids = np.empty(0, np.uint32)  # of the rows, in their order
        self._in_order = True  # whether the slots of the rows are 0, 1, 2, …
        self._size = 0  # slots in use so far
        self._slot_ids: Ids = np.empty(0, np.uint32)
        self._alive = np.empty(0, bool)
        self._bases: Ints = np.empty(
            (0, self.channels), np.int32
        )  # the values when a slot got its row
        self._free: list[tuple[int, NDArray[np.intp]]] = []  # the tick and the slots, oldest first
        self._born: Ticks = np.empty(0, np.int64)  # the tick in which a slot got its row
        self._last_birth = 0
        self._states: dict[int, Ints] = {}
        self._last: Ints = self._bases
        self._rests_since: Ticks = np.empty(0, np.int64)  # the tick of each block's last change
        self._rested_since: Ticks = np.empty(0, np.int64)  # the same, one state earlier
        self._values = [np.empty((0, *shape), dtype) for dtype, shape in columns]
        numbers = self.shape.shifts[: self.channels] == 0
        self._number_channels = np.flatnonzero(numbers).tolist()
        self._scores = np.empty(0, np.float32)  # of each row, positive if acceleration helps
        self._curve_bits: NDArray[np.uint16] = np.empty(0, np.uint16)  # one bit per row
        self._curves: NDArray[np.float32] = np.empty(0, np.float32)
        self._kinds: NDArray[np.uint8] = np.empty(0, np.uint8)
        self._low_bits: NDArray[np.uint8] | None = None  # the parameters of the coding
        self._updates = 0
        self._sent_curves: dict[int, NDArray[np.uint16]] = {}  # the bits of each state
        self._coded: dict[bytes, list[DatagramPart]] = {}
        self._bits: NDArray[np.int64] = np.empty(0, np.int64)  # the last size of each block
        self._reserve(_FIRST_BLOCKS)

    def _reserve(self, blocks: int) -> None:
        """Make all arrays large enough for ``blocks`` blocks."""
        rows = blocks * BLOCK
        self._slot_ids = _grown(self._slot_ids, rows)
        self._alive = _grown(self._alive, rows)
        self._bases = _grown(self._bases, rows)
        self._born = _grown(self._born, rows)
        self._states = {tick: _grown(state, rows) for tick, state in self._states.items()}
        self._last = _grown(self._last, rows)
        self._rests_since = _grown(self._rests_since, blocks)
        self._rested_since = _grown(self._rested_since, blocks)
        self._bits = _grown(self._bits, blocks)
        self._scores = _grown(self._scores, rows)
        self._curve_bits = _grown(self._curve_bits, blocks)
        self._curves, self._kinds = self.shape.curves(self._curve_bits)
        self._sent_curves = {tick: _grown(bits, blocks) for tick, bits in self._sent_curves.items()}
        self._values = [_grown(values, rows) for values in self._values]

    # -- the rows of a tick ------------------------------------------------------------------------

    def update(
        self, tick: int, ids: Ids, current: Ints, columns: Sequence[NDArray[Any]] = ()
    ) -> list[bytes]:
        """Store the state after a tick. Return the reliable messages for all clients.

        ``current`` has the positions and angles of the rows as int32, with the shape (rows,
        channels). ``columns`` has the columns that are sent only when they change.
        """
        messages = []
        if not np.array_equal(ids, self._ids):
            messages.append(self._renumber(tick, ids, current, columns))
        messages += self._changes(tick, columns)
        state = self._last.copy()
        if self._in_order:
            state[: len(ids)] = current
        else:
            state[self.slots] = current
        used = self.blocks * BLOCK
        values_of_block = BLOCK * self.channels
        different = state[:used] != self._last[:used]
        moved = different.reshape(self.blocks, values_of_block).any(axis=1)
        self._rested_since[: self.blocks] = self._rests_since[: self.blocks]
        self._rests_since[: self.blocks][moved] = tick
        self._last = state
        self._states[tick] = state
        if self._updates % _CHOOSE_EVERY == 1:
            self._choose_predictions(tick)
        if self._updates % _MEASURE_EVERY == 0:
            self._low_bits = None
        self._updates += 1
        self._sent_curves[tick] = self._curve_bits
        for old in [old for old in self._states if old <= tick - WINDOW]:
            del self._states[old], self._sent_curves[old]
        self.tick = tick
        self._coded.clear()
        return messages

    def _choose_predictions(self, tick: int) -> None:
        """Choose whether the acceleration is used to predict each row. Use the way that would have
        predicted the last states better.
        """
        gap = self.gap
        states = [self._states.get(tick - ago * gap) for ago in range(4)]
        last = self.blocks
        now, before, earlier, oldest = states
        if now is None or before is None or earlier is None or oldest is None:
            return
        rows = slice(0, last * BLOCK)
        gains = np.zeros(rows.stop, np.float32)
        for channel in self._number_channels:
            speed = before[rows, channel] - earlier[rows, channel]
            straight = now[rows, channel] - before[rows, channel] - speed
            curved = straight - (speed - (earlier[rows, channel] - oldest[rows, channel]))
            ratio = np.abs(straight.astype(np.float32)) + 1
            ratio /= np.abs(curved.astype(np.float32)) + 1
            gains += np.log2(ratio)
        scores = self._scores[rows]
        scores += (gains - scores) * _RATE
        old = np.unpackbits(self._curve_bits[:last].astype("<u2").view(np.uint8), bitorder="little")
        new = np.where(np.abs(scores) > _CLEAR, scores > 0, old)
        if (new != old).any():
            self._curve_bits = self._curve_bits.copy()
            packed = np.packbits(new.astype(np.uint8), bitorder="little").view("<u2")
            self._curve_bits[:last] = packed
            self._curves, self._kinds = self.shape.curves(self._curve_bits)

    def _renumber(
        self, tick: int, ids: Ids, current: Ints, columns: Sequence[NDArray[Any]]
    ) -> bytes:
        """Give slots to new rows, and free the slots of removed rows. Return a message about
        both.
        """
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
        self._bases[added] = self._last[added] = current[new]
        self._born[added] = tick
        if len(added):
            self._last_birth = tick
        for stored, column in zip(self._values, columns, strict=True):
            stored[added] = column[new]
        self._ids = ids.copy()
        self.slots = slots
        self._in_order = bool((slots == np.arange(len(slots))).all())
        return self._members(tick, removed, added)

    def _take_slots(self, tick: int, count: int) -> NDArray[np.intp]:
        """Return ``count`` free slots. A slot of a removed row is used again only after all clients
        have forgotten the row.
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
            self._bases[added].astype("<i4"),
            *[_little(values[added]) for values in self._values],
        ]
        return head + zlib.compress(b"".join([part.tobytes() for part in parts]), 1)

    def _changes(self, tick: int, columns: Sequence[NDArray[Any]]) -> list[bytes]:
        """Return a message for each column with changed values."""
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

        The list does not contain blocks that have not changed since the client confirmed them. If
        the other blocks need more than ``max_bytes``, only the blocks with the highest
        ``priorities`` are returned.
        """
        acked.grow(self.blocks)
        newest = acked.chosen[: self.blocks, 0]
        rests = (self._rests_since[: self.blocks] <= newest) & (
            newest > max(0, self.tick - _REFRESH)
        )
        blocks = np.flatnonzero(~rests)
        if max_bytes is not None:
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
        step = BLOCK * self.channels
        flags = self._rests_since[blocks] == self.tick
        flags &= self._rested_since[blocks] <= self.tick - ages[:, 0]
        flags &= ages[:, 0] > 0
        runs = _runs(blocks, ages, flags)
        numbers = np.empty(len(blocks) * step, np.int32)
        curves = self._curve_bits[blocks]
        changed = curves.copy()
        everything = len(runs) == 1 and int(blocks[0]) == 0
        states = self._earlier(blocks, ages, runs)
        shifts, _ = self.shape.sized(len(blocks))
        if everything:
            used = slice(0, len(blocks) * step)
            current = self._last.reshape(-1)[used]
            kinds = self._kinds[used]
            weights = self._curves[used]
        else:
            current = _picked(self._last, blocks, step)
            kinds = _picked(self._kinds, blocks, step)
            weights = _picked(self._curves, blocks, step)
        delta, contexts = predicted(states, ages, shifts, kinds, weights)
        residuals(current, states[0], delta, shifts, numbers)
        for first, last in runs:
            age = int(ages[first, 0])
            if age:
                block = int(blocks[first])
                before = self._sent_curves[self.tick - age]
                changed[first:last] ^= before[block : block + last - first]
        coded = CodedBlocks(numbers, contexts, step, self._low_bits)
        self._low_bits = coded.parameters
        ends = coded.sizes()
        differs = changed != 0
        ends += np.add.accumulate(np.where(differs, 17, 1))
        sizes = ends + 8
        sizes[1:] -= ends[:-1]
        self._bits[blocks] = sizes
        return self._split(coded, ends, runs, blocks, _Heads(ages, flags, curves, differs))

    def _earlier(
        self, blocks: NDArray[np.intp], ages: NDArray[np.int64], runs: list[tuple[int, int]]
    ) -> list[Ints]:
        """Return the three earlier states of all blocks. The function `predicted` needs these
        states.
        """
        step = BLOCK * self.channels
        states = []
        if len(runs) > 1:
            states = [np.empty(len(blocks) * step, np.int32) for _ in range(STATES)]
        for first, last in runs:
            start = int(blocks[first]) * step
            part = slice(start, start + (last - first) * step)
            values = self._bases.reshape(-1)[part]
            for index, age in enumerate(ages[first].tolist()):
                if age:
                    values = self._states[self.tick - age].reshape(-1)[part]
                    if self._last_birth > self.tick - age:
                        values = self._with_bases(values, int(blocks[first]), self.tick - age)
                if len(runs) > 1:
                    states[index][first * step : last * step] = values
                else:
                    states.append(values)
        return states

    def _with_bases(self, values: Ints, block: int, tick: int) -> Ints:
        """Return the values of some blocks in an earlier tick. Rows that did not exist in this tick
        get their first values.
        """
        first = block * BLOCK
        count = len(values) // self.channels
        newer = np.flatnonzero(self._born[first : first + count] > tick)
        if len(newer):
            values = values.copy()
            values.reshape(-1, self.channels)[newer] = self._bases[first + newer]
        return values

    def _split(
        self,
        coded: CodedBlocks,
        ends: NDArray[np.int64],
        runs: list[tuple[int, int]],
        blocks: NDArray[np.intp],
        of_blocks: _Heads,
    ) -> list[DatagramPart]:
        """Split the coded blocks into parts of at most `MAX_PART` bytes."""
        parts = []
        limits = ends.tolist()
        numbers = blocks.tolist()
        space = 8 * (MAX_PART - PART.size - PARAMETER_BYTES - 8)
        first = 0
        run = 0
        while first < len(numbers):
            before = limits[first - 1] if first else 0
            heads: list[bytes] = []
            last = first
            while run < len(runs) and len(heads) < MAX_RUNS:
                start, stop = max(runs[run][0], last), runs[run][1]
                limit = before + space - 8 * RUN.size * (len(heads) + 1)
                end = min(stop, bisect.bisect_right(limits, limit, start, stop))
                if end > start:
                    count = end - start | (RESTED if of_blocks.rested[start] else 0)
                    ages = of_blocks.ages[start].tolist()
                    heads.append(RUN.pack(numbers[start], count, *ages))
                    last = end
                if end < stop:
                    break
                run += 1
            if last == first:  # a block with too many channels
                raise ValueError("a block has more bytes than a datagram")
            head = PART.pack(self.tick & 0xFFFF, self.version & 0xFFFF, len(heads))
            part = of_blocks.curves_changed[first:last]
            marks = np.packbits(part).tobytes()
            if part.any():
                marks += of_blocks.curves[first:last][part].astype("<u2").tobytes()
            data = head + b"".join(heads) + marks + coded.packed(first, last)
            parts.append(DatagramPart(data, blocks[first:last]))
            first = last
        return parts


class _Heads(NamedTuple):
    """Data about each block that is sent in addition to its numbers."""

    ages: NDArray[np.int64]
    rested: NDArray[np.bool_]
    curves: NDArray[np.uint16]
    curves_changed: NDArray[np.bool_]


def _runs(
    blocks: NDArray[np.intp], ages: NDArray[np.int64], rested: NDArray[np.bool_]
) -> list[tuple[int, int]]:
    """Group the blocks into ranges. A range contains at most `MAX_RUN` consecutive blocks with
    equal ages and equal values in ``rested``. Return the start and the end of each range.
    """
    count = len(blocks)
    if (
        count <= MAX_RUN
        and int(blocks[-1]) - int(blocks[0]) == count - 1
        and not rested.any()
        and (ages == ages[0]).all()
    ):
        return [(0, count)]
    breaks = np.diff(blocks) != 1
    breaks |= (ages[1:] != ages[:-1]).any(axis=1)
    breaks |= rested[1:] != rested[:-1]
    bounds = [0, *(np.flatnonzero(breaks) + 1).tolist(), count]
    runs = []
    for first, last in itertools.pairwise(bounds):
        runs += [(start, min(start + MAX_RUN, last)) for start in range(first, last, MAX_RUN)]
    return runs


def _picked(values: NDArray[Any], blocks: NDArray[np.intp], step: int) -> NDArray[Any]:
    """Return the values that belong to ``blocks``. The array ``values`` has ``step`` values for
    each block. The items of ``blocks`` are indices of blocks.
    """
    return values.reshape(-1, step).take(blocks, axis=0).reshape(-1)


def _grown(array: NDArray[Any], rows: int) -> NDArray[Any]:
    if rows <= len(array):
        return array
    grown = np.zeros((rows, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def _different_rows(before: NDArray[Any], now: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of the rows that differ. Bits are compared, so NaN equals NaN."""
    if not len(now):
        return np.empty(0, np.intp)
    old, new = [
        np.ascontiguousarray(values).reshape(len(now), -1).view(np.uint8)
        for values in (before, now)
    ]
    return np.flatnonzero((old != new).any(axis=1))


def _little(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values as little-endian numbers."""
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
