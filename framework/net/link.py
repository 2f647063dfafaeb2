"""Links: the interface of classes that send and receive datagrams, for example with UDP.

A link sends short pieces of bytes between peers. They are called datagrams. A datagram may be lost,
may arrive twice, or may arrive after a later datagram. `Endpoint` makes connections over any link.
"""

from __future__ import annotations

__all__ = ["Link"]

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .. import checks

MAX_DATAGRAM = 1200
"""The maximum size of a datagram in bytes. Routers on the internet do not split 1200 bytes."""

HEADERS = 28
"""The number of bytes in the UDP and IPv4 headers of each datagram."""

Peer = Hashable
"""The address of another link: ``(host, port)`` with UDP, a name in a `MemoryNetwork`, the number
of a member in a room of a relay.
"""


@dataclass(slots=True)
class LinkCounts:
    """Datagrams and bytes that passed a link.

    Parameters
    ----------
    sent, received
        Numbers of datagrams.
    sent_bytes, received_bytes
        Bytes in these datagrams, without `HEADERS`.
    dropped
        Numbers of datagrams that were not sent or not received, by reason.
    """

    sent: int = 0
    received: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    def add_sent(self, size: int) -> None:
        """Count a sent datagram of ``size`` bytes."""
        self.sent += 1
        self.sent_bytes += size

    def add_received(self, size: int) -> None:
        """Count a received datagram of ``size`` bytes."""
        self.received += 1
        self.received_bytes += size


class Link(Protocol):
    """Sends and receives datagrams. No method waits for a peer, or raises an error because of a
    peer.

    You can write your own link with these methods, for example with another library.
    """

    @property
    def counts(self) -> LinkCounts:
        """Datagrams and bytes that passed the link."""
        ...

    @property
    def now_ns(self) -> int:
        """The time of this link's clock in nanoseconds. The clock never goes back."""
        ...

    @property
    def peers(self) -> Sequence[Peer]:
        """The peers that this link knows before the first datagram."""
        ...

    def send(self, peer: Peer, data: bytes) -> None:
        """Send one datagram of at most `MAX_DATAGRAM` bytes to ``peer``."""
        ...

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return the datagrams that have arrived since the last call, as pairs of the sender and
        the bytes.
        """
        ...

    def close(self) -> None:
        """Close the link. A closed link drops all datagrams."""
        ...


def checked_datagram(data: bytes) -> bytes:
    """Return ``data`` if it fits into one datagram, otherwise raise an error."""
    checks.instance("data", data, bytes, what="bytes")
    if len(data) > MAX_DATAGRAM:
        raise ValueError(
            f"data: expected at most {MAX_DATAGRAM} bytes, got {len(data)}; split the data, or send "
            "it with Connection.send_reliable"
        )
    return data
