"""Send datagrams to the other members of a room, through the relay."""

from __future__ import annotations

__all__ = ["RelayLink", "RelaySocket", "Relays"]

from collections.abc import Callable, Sequence
from typing import Protocol

from .. import checks
from .link import LinkCounts, Peer, checked_datagram
from .waiting_datagrams import WaitingDatagrams

_MAX_WAITING = 1 << 20  # bytes


class RelaySocket(Protocol):
    """The interface of a connection to a relay. All methods return without waiting."""

    @property
    def state(self) -> str:
        """The state of the connection: "connecting", "open" or "closed"."""
        ...

    @property
    def reason(self) -> str:
        """A sentence that explains why the connection was closed, or "" while the connection is
        open.
        """
        ...

    def send(self, frame: str | bytes, droppable: bool = False) -> None:
        """Send a frame. If ``droppable`` is True, the frame may be dropped while many frames are
        waiting.
        """
        ...

    def receive(self) -> list[str | bytes]:
        """Return the frames that have arrived since the last call."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Relays(Protocol):
    """The interface of a relay to which a `Room` can connect."""

    @property
    def now_ns(self) -> int:
        """The time of the relay's clock in nanoseconds."""
        ...

    def open(self) -> RelaySocket:
        """Open and return a connection to the relay. The state of this connection may still be
        "connecting".
        """
        ...


class RelayLink:
    """A link between the members of a room. The property `Room.link` returns a `RelayLink`.

    On this link, the address of a peer is the ID of the member. All datagrams go through the relay
    over TCP, so players behind firewalls can play too. If a packet gets lost, all later packets
    must wait until TCP has sent it again, unlike with UDP.
    """

    not_state = True

    def __init__(
        self,
        send: Callable[[int, bytes], bool],
        poll: Callable[[], None],
        peers: Callable[[], Sequence[Peer]],
        now_ns: Callable[[], int],
    ) -> None:
        self.counts = LinkCounts()
        self._send = send
        self._poll = poll
        self._peers = peers
        self._now_ns = now_ns
        self._waiting = WaitingDatagrams(_MAX_WAITING, self.counts)

    @property
    def now_ns(self) -> int:
        """The time in nanoseconds, from the clock of this computer, or from the virtual clock of a
        `MemoryRelay`. The time never decreases.
        """
        return self._now_ns()

    @property
    def closed(self) -> bool:
        """True after `close` was called."""
        return self._waiting.closed

    @property
    def peers(self) -> Sequence[Peer]:
        """The IDs of all other connected members."""
        return self._peers()

    def send(self, peer: Peer, data: bytes) -> None:
        """Send a datagram to the member with the ID ``peer``."""
        checked_datagram(data)
        if not isinstance(peer, int):
            raise checks.wrong_type("peer", "the id of a member", peer)
        if self._waiting.closed or not self._send(peer, data):
            self.counts.dropped["closed"] += 1
            return
        self.counts.add_sent(len(data))

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return the datagrams that have arrived since the last call. Each entry of the list is a
        pair ``(peer, data)`` of the sender's ID and the bytes.
        """
        self._poll()
        return self._waiting.take()

    def deliver(self, member: int, data: bytes) -> None:
        """Store a datagram until `receive` is called. Only the room calls this method."""
        self._waiting.add(member, data)

    def close(self) -> None:
        """Close the link, but not its room. A closed link neither sends nor receives datagrams."""
        self._waiting.close()
