"""Store the final input of every tick of a match, for spectators, rejoining players and reports."""

from __future__ import annotations

import struct
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator

from ..input.tick_input import TickInput
from .connection import Connection
from .match_input import MAX_TICKS, Events, PlayerInput, read_ticks

MAX_HISTORY = 1 << 20
"""The maximum number of ticks for which the input of a match is stored. At 60 ticks per second,
this is almost five hours.
"""
TOO_LONG = (
    "this match is too long to come back: more than 4.8 hours; start a new match on all machines"
)
MAX_PLAYERS = 4
_LAST_RETURN = 256  # ticks; if fewer ticks than this remain in the history, no player can come back
_FRAME_MESSAGES = 8  # the maximum number of messages to each receiver in one frame
_MAX_UNSENT = 1 << 15  # the maximum number of bytes that can wait for a receiver
_HEAD = struct.Struct("<cI")  # fields: the kind, and the first tick
FINAL = b"c"
"""The first byte of a message with final input."""


class MatchHistory:
    """The final input of all players of a match. Old ticks are stored in compressed form."""

    not_state = True

    def __init__(self) -> None:
        self.known = 0
        """The last tick whose input is stored."""
        self._firsts: list[int] = []  # the first tick of each block of old ticks
        self._blocks: list[bytes] = []
        # The input of the ticks after the last block.
        self._recent: dict[int, Events] = {}
        # For each tick: the checksum of all input up to this tick.
        self._checksums = array("I", [0])

    @property
    def is_full(self) -> bool:
        """Whether the match has become so long that no more input can be stored."""
        return self.known >= MAX_HISTORY

    @property
    def is_closed(self) -> bool:
        """Whether the match has become so long that players can no longer rejoin it."""
        return self.known >= MAX_HISTORY - _LAST_RETURN

    def note(self, tick: int, tick_input: TickInput) -> None:
        """Store the final input of the next tick."""
        if tick != self.known + 1 or self.is_full:
            return
        self.known = tick
        events = tick_input.events
        self._recent[tick] = events
        last = self._checksums[-1]
        self._checksums.append(zlib.crc32(repr((tick, events)).encode(), last) if events else last)
        if len(self._recent) >= 2 * MAX_TICKS:
            self._pack_oldest()

    def _pack_oldest(self) -> None:
        """Move the oldest ticks in `_recent` to a new block."""
        first = next(iter(self._recent))
        packed = _packed(self._recent, first)
        self._firsts.append(first)
        self._blocks.append(packed)
        for old in range(first, first + _count(packed)):
            del self._recent[old]

    def forget_after(self, tick: int) -> None:
        """Delete all ticks after ``tick``."""
        while self._firsts and self._firsts[-1] > tick:
            self._firsts.pop()
            self._blocks.pop()
            self._recent.clear()
        if self._blocks and not (self._recent and next(iter(self._recent)) <= tick + 1):
            first = self._firsts.pop()
            self._recent = dict(enumerate(_unpacked(self._blocks.pop()), first))
        self._recent = {old: events for old, events in self._recent.items() if old <= tick}
        self.known = min(self.known, tick)
        del self._checksums[self.known + 1 :]

    def checksum(self, tick: int) -> int | None:
        """Return a checksum of all input up to a tick, or None if the history does not contain the
        input of this tick. If two machines have used the same input, their checksums are equal.
        """
        return self._checksums[tick] if 0 <= tick <= self.known else None

    def packed(self, first: int) -> bytes:
        """Return the input of at most 127 ticks, from the tick ``first`` on, as bytes that
        `read_ticks` can read.
        """
        index = bisect_right(self._firsts, first) - 1
        if index < 0 or (self._recent and first >= next(iter(self._recent))):
            return _packed(self._recent, first)
        block_first = self._firsts[index]
        if block_first == first:
            return self._blocks[index]
        return _packed(dict(enumerate(_unpacked(self._blocks[index]), block_first)), first)

    def events(self, first: int, count: int) -> list[Events]:
        """Return a list with the events of at most ``count`` ticks, from the tick ``first`` on."""
        result: list[Events] = []
        while len(result) < count and first + len(result) <= self.known:
            result += _unpacked(self.packed(first + len(result)))
        return result[:count]

    def ticks(self) -> Iterator[tuple[int, Events]]:
        """Yield the tick number and the events of each tick, in order."""
        for first, block in zip(self._firsts, self._blocks, strict=True):
            yield from enumerate(_unpacked(block), first)
        yield from self._recent.items()


def _packed(ticks: dict[int, Events], first: int) -> bytes:
    own = PlayerInput(first - 1)
    for tick in range(first, first + MAX_TICKS):
        if tick not in ticks:
            break
        own.add(tick, ticks[tick])
    return own.packed(first)


def _unpacked(block: bytes) -> list[Events]:
    ticks = read_ticks(block, players=MAX_PLAYERS)
    assert ticks is not None  # always valid, because this module has packed the block
    return ticks


def _count(packed: bytes) -> int:
    return packed[0] & 0x7F


def send_final(history: MatchHistory, connection: Connection, following: int, last: int) -> int:
    """Send the final input of the ticks ``following`` to ``last``, and return the number of the
    next tick to send. Stop early if too many bytes are waiting for the receiver.
    """
    for _ in range(_FRAME_MESSAGES):
        if following > min(history.known, last) or connection.unsent > _MAX_UNSENT:
            break
        packed = history.packed(following)
        connection.send_reliable(_HEAD.pack(FINAL, following) + packed)
        following += _count(packed)
    return following


def read_final(message: bytes, players: int) -> tuple[int, list[Events]] | None:
    """Return the first tick and the input from a message that `send_final` has sent, or None if the
    bytes are invalid.
    """
    if len(message) <= _HEAD.size or message[:1] != FINAL:
        return None
    first = _HEAD.unpack_from(message)[1]
    ticks = read_ticks(message[_HEAD.size :], players=players)
    return None if ticks is None or not 0 < first <= MAX_HISTORY else (first, ticks)
