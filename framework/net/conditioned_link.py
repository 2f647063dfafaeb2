"""Add simulated delay and packet loss to a real network connection, for testing."""

from __future__ import annotations

__all__ = ["ConditionedLink"]

import heapq
import itertools
from collections.abc import Sequence

from .. import checks
from .conditions import Conditions, LinkPath
from .link import Link, LinkCounts, Peer, checked_datagram

_MAX_PATHS = 256
_MAX_FLYING = 4096


class ConditionedLink:
    """A link that adds delay and faults to each datagram that it sends.

    With this class, you can test a game on one computer as if the players lived far apart. You can
    set `conditions` while the game is running. The options ``clock`` and ``stop`` of `Conditions`
    have no effect, because a real link uses the computer's clock.

    Parameters
    ----------
    link
        The real link that sends the datagrams.
    conditions
        The delay and the faults of the link. By default (None), the link has no delay and no
        faults.
    """

    not_state = True

    def __init__(self, link: Link, conditions: Conditions | None = None) -> None:
        checks.methods("link", link, ("send", "receive", "close"), "a link, such as UdpLink()")
        self._link = link
        self._paths: dict[Peer, LinkPath] = {}
        self._order = itertools.count()
        self._flying: list[tuple[int, int, Peer, bytes]] = []
        self.conditions = conditions or Conditions()

    @property
    def conditions(self) -> Conditions:
        """The delay and the faults of the link. A new value affects only datagrams that are sent
        after the change.
        """
        return self._conditions

    @conditions.setter
    def conditions(self, conditions: Conditions) -> None:
        self._conditions = checks.instance("conditions", conditions, Conditions)
        self._paths.clear()

    @property
    def counts(self) -> LinkCounts:
        """How many datagrams and bytes the real link has sent and received."""
        return self._link.counts

    @property
    def now_ns(self) -> int:
        """The time of the real link's clock in nanoseconds."""
        return self._link.now_ns

    @property
    def peers(self) -> Sequence[Peer]:
        """The addresses of the peers that the real link knows."""
        return self._link.peers

    def resolve(self, address: str) -> Peer:
        """Return the peer for an address. If the real link has no method ``resolve``, return
        ``address`` itself.
        """
        resolve = getattr(self._link, "resolve", None)
        peer: Peer = checks.text("address", address) if resolve is None else resolve(address)
        return peer

    def send(self, peer: Peer, data: bytes) -> None:
        """Send a datagram, unless the simulated conditions delay or drop it."""
        checked_datagram(data)
        now_ns = self._link.now_ns
        path = self._paths.get(peer)
        if path is None:
            if len(self._paths) >= _MAX_PATHS:
                self._paths.clear()
            path = self._paths[peer] = LinkPath(self._conditions, repr(peer))
        for arrival_ns in path.arrivals(now_ns, len(data)):
            if len(self._flying) >= _MAX_FLYING:
                self.counts.dropped["queue"] += 1
            else:
                heapq.heappush(self._flying, (arrival_ns, next(self._order), peer, data))
        self._send_due(now_ns)

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return the datagrams that have arrived, and send delayed datagrams that are now due."""
        self._send_due(self._link.now_ns)
        return self._link.receive()

    def close(self) -> None:
        """Close the real link."""
        self._flying.clear()
        self._link.close()

    def _send_due(self, now_ns: int) -> None:
        while self._flying and self._flying[0][0] <= now_ns:
            _, _, peer, data = heapq.heappop(self._flying)
            self._link.send(peer, data)
