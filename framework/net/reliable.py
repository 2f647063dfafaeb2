"""Split reliable messages into fragments, and resend each fragment until it arrives.

A fragment has at most 1024 bytes. The fragments of a connection are numbered consecutively, and
after 65,535 the numbers start again at 0. At most a certain number of fragments, called the window,
may be waiting for an acknowledgment at the same time. The window grows with each acknowledgment,
and is halved when the network is overloaded. The receiver puts the fragments in order and joins
them into messages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .acks import SEQUENCES, ahead

FRAGMENT_LENGTH = 1024
"""The number of bytes in each fragment of a message. The last fragment may be shorter."""
_MAX_SPAN = 256
"""The maximum difference between the numbers of a new fragment and the oldest fragment without an
ack.
"""
_OVERHEAD = 64
"""For the limits, this number of bytes is added to the length of each message, so that the number
of very short messages is limited too.
"""
# This number of fragments with headers fits into the usual buffer of a UDP socket (208 KiB).
_MAX_WINDOW = 128.0
# Allows at least 1.3 Mbit/s at a ping of 0.1 s, even if packets get lost at random.
_MIN_WINDOW = 16.0
_START_WINDOW = 32.0
_MAX_BACKOFF = 2  # the time to wait for an ack is doubled at most this number of times


class Fragment:
    """A fragment that has been sent but is still waiting for an ack."""

    __slots__ = ("data", "due_ns", "last", "number", "tries")

    def __init__(self, number: int, data: bytes, last: bool) -> None:
        self.number = number
        self.data = data
        self.last = last
        self.tries = 0
        self.due_ns = 0  # the time when the fragment is sent again


class ReliableSender:
    """The messages that must be sent, and the fragments that have been sent but are still waiting
    for an ack.
    """

    __slots__ = (
        "_next",
        "_offset",
        "_on_the_way",
        "_shrunk_ns",
        "_slow_start",
        "_waiting",
        "size",
        "window",
    )

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        # How many bytes of the first waiting message are already in fragments.
        self._offset = 0
        self._on_the_way: dict[int, Fragment] = {}
        self._next = 0
        self._shrunk_ns = 0
        self._slow_start = True
        # Bytes of messages and fragments without an ack, including `_OVERHEAD` for each.
        self.size = 0
        self.window = _START_WINDOW  # the maximum number of fragments without an ack

    def add(self, message: bytes) -> None:
        """Add a message to the end of the queue."""
        self._waiting.append(message)
        self.size += len(message) + _OVERHEAD

    def due(self, now_ns: int, resend_ns: int, congested: bool) -> list[Fragment]:
        """Return the fragments that must be sent now. If no ack for a fragment arrives within
        ``resend_ns`` nanoseconds, the fragment is sent again. If ``congested`` is True, a lost
        fragment halves the window, and the time before the next attempt doubles after each attempt.
        """
        due = []
        for fragment in self._on_the_way.values():
            if fragment.due_ns <= now_ns:
                due.append(fragment)
        if congested and any(fragment.tries == 1 for fragment in due):
            self._shrink(now_ns, resend_ns)
        while self._waiting and len(self._on_the_way) < self.window and not self._is_span_full():
            due.append(self._next_fragment())
        for fragment in due:
            doublings = min(fragment.tries, _MAX_BACKOFF) if congested else 0
            fragment.due_ns = now_ns + (resend_ns << doublings)
            fragment.tries += 1
        return due

    def _is_span_full(self) -> bool:
        oldest = next(iter(self._on_the_way), self._next)
        return ahead(self._next, oldest) >= _MAX_SPAN

    def _next_fragment(self) -> Fragment:
        message = self._waiting[0]
        end = self._offset + FRAGMENT_LENGTH
        last = end >= len(message)
        fragment = Fragment(self._next, message[self._offset : end], last)
        self._on_the_way[self._next] = fragment
        self._next = (self._next + 1) % SEQUENCES
        self._offset = end
        if last:
            self._waiting.popleft()
            self._offset = 0
        return fragment

    def _shrink(self, now_ns: int, resend_ns: int) -> None:
        """Halve the window, but only once within ``resend_ns`` nanoseconds."""
        self._slow_start = False
        if now_ns - self._shrunk_ns >= resend_ns:
            self._shrunk_ns = now_ns
            self.window = max(_MIN_WINDOW, self.window / 2)

    def acknowledge(self, numbers: Iterable[int]) -> None:
        """Remove the fragments that have arrived, and increase the window."""
        for number in numbers:
            fragment = self._on_the_way.pop(number, None)
            if fragment is None:
                continue
            self.size -= len(fragment.data) + (_OVERHEAD if fragment.last else 0)
            growth = 1.0 if self._slow_start else 1 / self.window
            self.window = min(_MAX_WINDOW, self.window + growth)

    def lose(self, numbers: Iterable[int]) -> None:
        """Mark the fragments in a lost packet, so that `due` returns them. Fragments that have
        already been sent twice are not marked.
        """
        for number in numbers:
            fragment = self._on_the_way.get(number)
            if fragment is not None and fragment.tries == 1:
                fragment.due_ns = 0


class TooLongError(Exception):
    """Raised if a message from the peer is longer than this side allows."""


class ReliableReceiver:
    """Receives fragments in any order and joins them into messages."""

    __slots__ = ("_early", "_expected", "_parts", "_size", "max_message")

    def __init__(self, max_message: int) -> None:
        self.max_message = max_message
        self._expected = 0
        self._early: dict[int, tuple[bytes, bool]] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def accepts(self, number: int, length: int, last: bool) -> bool:
        """Return whether the fragment is valid. The length of the fragment must be correct, and its
        number must not be far ahead of the next expected number. A lower number is valid, because a
        packet may arrive long after its fragments were sent again.
        """
        fits = length <= FRAGMENT_LENGTH if last else length == FRAGMENT_LENGTH
        return fits and ahead(number, self._expected) < _MAX_SPAN

    def add(self, number: int, data: bytes, last: bool) -> list[bytes]:
        """Add a fragment, and return all messages that it completes.

        Raises
        ------
        TooLongError
            If the part of the message that has arrived is already longer than ``max_message``.
        """
        messages: list[bytes] = []
        if ahead(number, self._expected) < 0 or number in self._early:
            return messages  # a second copy arrives if the ack of the first copy was lost
        self._early[number] = data, last
        while self._expected in self._early:
            part, ends = self._early.pop(self._expected)
            self._expected = (self._expected + 1) % SEQUENCES
            self._size += len(part)
            if self._size > self.max_message:
                raise TooLongError
            self._parts.append(part)
            if ends:
                messages.append(b"".join(self._parts))
                self._parts.clear()
                self._size = 0
        return messages
