"""Links to a relay: the interface of a connection that carries frames, and a link over a room."""

from __future__ import annotations

__all__ = ["RelayLink", "RelaySocket", "Relays"]

from collections.abc import Callable, Sequence
from typing import Protocol

from .. import checks
from .link import LinkCounts, Peer, checked_datagram
from .waiting_datagrams import WaitingDatagrams

_MAX_WAITING = 1 << 20  # bytes


class RelaySocket(Protocol):
    """A connection to a relay. No method waits."""

    @property
    def state(self) -> str:
        """ "connecting", "open" or "closed"."""
        ...

    @property
    def reason(self) -> str:
        """A sentence that says why the connection is closed, otherwise ""."""
        ...

    def send(self, frame: str | bytes, droppable: bool = False) -> None:
        """Send a frame. A ``droppable`` frame is dropped if many frames wait."""
        ...

    def receive(self) -> list[str | bytes]:
        """Return the frames that have arrived since the last call."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


class Relays(Protocol):
    """A relay to which connections can be opened."""

    @property
    def now_ns(self) -> int:
        """The time in nanoseconds."""
        ...

    def open(self) -> RelaySocket:
        """Open a connection. The state of the connection is "connecting" at first."""
        ...


class RelayLink:
    """A link between the members of a room. `Room.link` is one.

    The peers are the ids of the other members. The relay forwards the datagrams over TCP, so that
    players behind firewalls can play. Late datagrams are therefore later than with UDP.
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
        """The time in nanoseconds on this computer's clock, which never goes back."""
        return self._now_ns()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._waiting.closed

    @property
    def peers(self) -> Sequence[Peer]:
        """The ids of the other members that are connected."""
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
        """Return the datagrams that have arrived since the last call, each with its sender."""
        self._poll()
        return self._waiting.take()

    def deliver(self, member: int, data: bytes) -> None:
        """Put a datagram into the buffer of this link. The room calls this method."""
        self._waiting.add(member, data)

    def close(self) -> None:
        """Close the link, but not the room. A closed link drops all datagrams."""
        self._waiting.close()
