"""Relay links: send datagrams to the other members of a room, through a relay."""

from __future__ import annotations

__all__ = ["RelayLink", "RelaySocket", "Relays"]

from collections.abc import Callable, Sequence
from typing import Protocol

from .. import checks
from .link import LinkCounts, Peer, checked_datagram
from .waiting_datagrams import WaitingDatagrams

_MAX_WAITING = 1 << 20  # bytes


class RelaySocket(Protocol):
    """The interface of a connection to a relay. All methods return at once."""

    @property
    def state(self) -> str:
        """One of "connecting", "open" and "closed"."""
        ...

    @property
    def reason(self) -> str:
        """A sentence that says why the connection was closed. The text is "" while the connection
        is open.
        """
        ...

    def send(self, frame: str | bytes, droppable: bool = False) -> None:
        """Send a frame. If ``droppable`` is True and many frames wait, the frame may be dropped."""
        ...

    def receive(self) -> list[str | bytes]:
        """Return the frames that have arrived since the last call."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Relays(Protocol):
    """The interface of a relay that a `Room` can connect to."""

    @property
    def now_ns(self) -> int:
        """The time of the relay's clock in nanoseconds."""
        ...

    def open(self) -> RelaySocket:
        """Open a connection and return it. The connection may have the state "connecting" at
        first.
        """
        ...


class RelayLink:
    """A link between the members of a room. The property `Room.link` returns a `RelayLink`.

    The address of a peer is the member's id. All datagrams go through the relay, over TCP. So
    players behind firewalls can play together. If a packet gets lost, TCP must send it again before
    later packets arrive. With UDP, later packets do not wait for lost packets, so the delay is
    shorter.
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
        """The time in nanoseconds. This clock never goes back."""
        return self._now_ns()

    @property
    def closed(self) -> bool:
        """True after `close` was called."""
        return self._waiting.closed

    @property
    def peers(self) -> Sequence[Peer]:
        """The ids of all other members who are connected."""
        return self._peers()

    def send(self, peer: Peer, data: bytes) -> None:
        """Send a datagram to the member with the id ``peer``."""
        checked_datagram(data)
        if not isinstance(peer, int):
            raise checks.wrong_type("peer", "the id of a member", peer)
        if self._waiting.closed or not self._send(peer, data):
            self.counts.dropped["closed"] += 1
            return
        self.counts.add_sent(len(data))

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return the datagrams that have arrived since the last call. Each item of the list is a
        pair of the sender and the bytes.
        """
        self._poll()
        return self._waiting.take()

    def deliver(self, member: int, data: bytes) -> None:
        """Store a datagram until `receive` is called. Only the room calls this method."""
        self._waiting.add(member, data)

    def close(self) -> None:
        """Close the link. The room stays open. A closed link sends and receives nothing."""
        self._waiting.close()
