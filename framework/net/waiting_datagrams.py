"""A limited buffer for datagrams that have arrived but that the program has not read yet."""

from __future__ import annotations

from collections import deque

from .link import LinkCounts, Peer

_OVERHEAD = 64  # bytes that are added to the size of each datagram in the limit


class WaitingDatagrams:
    """The datagrams that a link has received but that the game has not read yet.

    ``max_bytes`` is the maximum size of the buffer in bytes. A datagram is dropped if it does not
    fit into the buffer. ``counts`` is the `LinkCounts` of the link, which `WaitingDatagrams`
    updates.
    """

    not_state = True

    def __init__(self, max_bytes: int, counts: LinkCounts) -> None:
        self.closed = False
        """True after `close` was called."""
        self._max_bytes = max_bytes
        self._counts = counts
        self._waiting: deque[tuple[Peer, bytes]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of waiting datagrams."""
        return len(self._waiting)

    def add(self, source: Peer, data: bytes) -> None:
        """Add a datagram that has arrived from the address ``source``."""
        size = len(data) + _OVERHEAD
        if self.closed or self._bytes + size > self._max_bytes:
            self._counts.dropped["closed" if self.closed else "buffer"] += 1
            return
        self._waiting.append((source, data))
        self._bytes += size

    def take(self) -> list[tuple[Peer, bytes]]:
        """Return all waiting datagrams, and remove them from the buffer. Each entry of the list is
        a pair ``(peer, data)`` of the sender's address and the bytes. All returned datagrams are
        counted as received.
        """
        datagrams = list(self._waiting)
        self._clear()
        for _, data in datagrams:
            self._counts.add_received(len(data))
        return datagrams

    def close(self) -> None:
        """Drop all datagrams in the buffer, and all datagrams that arrive later."""
        self.closed = True
        self._clear()

    def _clear(self) -> None:
        self._waiting.clear()
        self._bytes = 0
