"""The interface of a *link*, which sends and receives datagrams, for example over UDP.

A datagram is a short message that may get lost, arrive twice, or arrive after a datagram that was
sent later. `Endpoint` uses a link to open connections.
"""

from __future__ import annotations

__all__ = ["Link"]

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .. import checks

MAX_DATAGRAM = 1200
"""The maximum size of a datagram in bytes. Larger datagrams may be split or lost on the
internet.
"""

HEADERS = 28
"""The number of bytes in the UDP and IPv4 headers of each datagram."""

Peer = Hashable
"""The address of another machine's link. With UDP, the address is a pair ``(host, port)``. In a
`MemoryNetwork`, the address is a name. In a relay room, the address is the ID of a member.
"""


@dataclass(slots=True)
class LinkCounts:
    """How many datagrams and bytes a link has sent and received so far.

    Parameters
    ----------
    sent, received
        The number of datagrams that were sent, and that were received.
    sent_bytes, received_bytes
        The total size in bytes of all sent datagrams, and of all received datagrams, without
        `HEADERS`.
    dropped
        For each reason, how many datagrams were not sent or not received.
    """

    sent: int = 0
    received: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    def add_sent(self, size: int) -> None:
        """Count a sent datagram with ``size`` bytes."""
        self.sent += 1
        self.sent_bytes += size

    def add_received(self, size: int) -> None:
        """Count a received datagram with ``size`` bytes."""
        self.received += 1
        self.received_bytes += size


class Link(Protocol):
    """The interface of a link. A link sends and receives datagrams. All methods of a link return
    without waiting. No peer can cause an exception in these methods.

    To use another network library, write a class with all methods and properties of `Link`.
    """

    @property
    def counts(self) -> LinkCounts:
        """How many datagrams and bytes this link has sent and received so far."""
        ...

    @property
    def now_ns(self) -> int:
        """The time of the link's clock in nanoseconds. The time never decreases."""
        ...

    @property
    def peers(self) -> Sequence[Peer]:
        """The peers that the link knows before it has received any datagrams."""
        ...

    def send(self, peer: Peer, data: bytes) -> None:
        """Send one datagram of at most `MAX_DATAGRAM` bytes to ``peer``."""
        ...

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return all datagrams that have arrived since the last call. Each entry of the list is a
        pair ``(peer, data)`` of the sender and the bytes.
        """
        ...

    def close(self) -> None:
        """Close the link. A closed link neither sends nor receives datagrams."""
        ...


def checked_datagram(data: bytes) -> bytes:
    """Return ``data``. Raise `ValueError` if ``data`` is too long for one datagram."""
    checks.instance("data", data, bytes, what="bytes")
    if len(data) > MAX_DATAGRAM:
        raise ValueError(
            f"data: expected at most {MAX_DATAGRAM} bytes, got {len(data)}; split the data, or send "
            "it with Connection.send_reliable"
        )
    return data
