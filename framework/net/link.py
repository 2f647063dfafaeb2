"""Links: the interface of everything that carries datagrams, such as UDP and memory.

A link carries short pieces of bytes, called datagrams, between peers. A datagram may be lost, may
arrive twice, and may arrive after a later one. `Endpoint` makes connections over any link.
"""

from __future__ import annotations

__all__ = ["Link"]

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .. import checks

MAX_DATAGRAM = 1200
"""The largest datagram in bytes. Routers on the internet carry 1200 bytes without splitting."""

HEADERS = 28
"""Bytes that UDP and IPv4 add to each datagram on the way."""

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
    """A carrier of datagrams. No method of a link waits, and no method fails because of a peer.

    A class of your own with these methods is a link, too, for example over another library.
    """

    @property
    def counts(self) -> LinkCounts:
        """Datagrams and bytes that passed the link."""
        ...

    @property
    def now_ns(self) -> int:
        """The time in nanoseconds on the clock of this link, which never goes back."""
        ...

    @property
    def peers(self) -> Sequence[Peer]:
        """The peers that this link can name before the first datagram."""
        ...

    def send(self, peer: Peer, data: bytes) -> None:
        """Send one datagram of at most `MAX_DATAGRAM` bytes to ``peer``."""
        ...

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return the datagrams that have arrived since the last call, each with its sender."""
        ...

    def close(self) -> None:
        """Close the link. A closed link drops all datagrams."""
        ...


def checked_datagram(data: bytes) -> bytes:
    """Return ``data`` if one datagram can carry these bytes, otherwise raise an error."""
    checks.instance("data", data, bytes, what="bytes")
    if len(data) > MAX_DATAGRAM:
        raise ValueError(
            f"data: expected at most {MAX_DATAGRAM} bytes, got {len(data)}; split the data, or send "
            "it with Connection.send_reliable"
        )
    return data
