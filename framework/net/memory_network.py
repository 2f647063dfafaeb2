"""Connect several games in one process over a simulated network with a virtual clock, for tests."""

from __future__ import annotations

__all__ = ["MemoryNetwork"]

import heapq
import itertools
from collections.abc import Sequence

from .. import checks
from .conditions import Conditions, LinkPath
from .link import LinkCounts, Peer, checked_datagram
from .waiting_datagrams import WaitingDatagrams

_NANOSECONDS = 1_000_000_000
_MAX_WAITING = 1 << 18
"""The maximum number of bytes that can wait in a `MemoryLink` for `receive`. The buffer of a real
socket is limited too.
"""


class MemoryNetwork:
    """A simulated network in this process, with a virtual clock. Use `MemoryNetwork` in tests. The
    virtual clock moves only when you call `advance`, and the arrival times depend only on
    ``conditions`` and its seed. Therefore each run of a test has the same result.

    Parameters
    ----------
    conditions
        The delay and the faults between all links. By default, datagrams arrive without delay.
    """

    not_state = True

    def __init__(self, conditions: Conditions | None = None) -> None:
        if conditions is not None:
            checks.instance("conditions", conditions, Conditions)
        self._conditions = conditions or Conditions()
        self._special: dict[tuple[str, str], Conditions] = {}
        self._paths: dict[tuple[str, str], LinkPath] = {}
        self._links: dict[str, MemoryLink] = {}
        self._order = itertools.count()
        self._flying: list[tuple[int, int, str, str, bytes]] = []
        self._now_ns = 0

    @property
    def now_ns(self) -> int:
        """The time of the virtual clock in nanoseconds. The clock starts at 0."""
        return self._now_ns

    @property
    def links(self) -> tuple[MemoryLink, ...]:
        """All links of the network, in the order in which they were created."""
        return tuple(self._links.values())

    def link(self, name: str) -> MemoryLink:
        """Create and return a link. For other links, ``name`` is the address of the new link.

        The first link of the network is the first side of `Conditions`. All other links are on the
        second side.
        """
        checks.text("name", name)
        if name in self._links:
            raise ValueError(f"name: expected a name that no link has, got {name!r}")
        link = MemoryLink(self, name, self._conditions if self._links else Conditions())
        self._links[name] = link
        return link

    def set_conditions(self, conditions: Conditions, source: str, target: str) -> None:
        """Set the delay and the faults for datagrams from the link ``source`` to the link
        ``target``.
        """
        key = checks.text("source", source), checks.text("target", target)
        self._special[key] = checks.instance("conditions", conditions, Conditions)
        self._paths.pop(key, None)

    def advance(self, seconds: float) -> None:
        """Move the virtual clock forward by ``seconds``."""
        self.advance_to(self._now_ns + round(checks.number("seconds", seconds, least=0) * 1e9))

    def advance_to(self, now_ns: int) -> None:
        """Move the virtual clock forward to ``now_ns``, in nanoseconds. The receivers can then read
        all datagrams that have arrived by this time.
        """
        checks.whole("now_ns", now_ns, self._now_ns)
        flying = self._flying
        while flying and flying[0][0] <= now_ns:
            arrival_ns, _, source, target, data = heapq.heappop(flying)
            self._now_ns = arrival_ns
            link = self._links.get(target)
            if link is not None:
                link.deliver(source, data)
        self._now_ns = now_ns

    def inject(self, source: str, target: str, data: bytes) -> None:
        """Deliver a datagram to the link ``target`` immediately, as if the link ``source`` had sent
        it. A link named ``source`` does not have to exist, so you can test forged datagrams with
        this method.
        """
        checks.text("source", source)
        checks.instance("data", data, bytes, what="bytes")
        link = self._links.get(checks.text("target", target))
        if link is None:
            raise ValueError(f"target: {checks.nearest(target, self._links)}")
        link.deliver(source, data)

    def _carry(self, source: str, target: str, data: bytes) -> None:
        """Send a datagram with the delay and the faults of the network."""
        path = self._path(source, target)
        for arrival_ns in path.arrivals(self._now_ns, len(data)):
            entry = arrival_ns, next(self._order), source, target, data
            if arrival_ns <= self._now_ns and target in self._links:
                self._links[target].deliver(source, data)
            else:
                heapq.heappush(self._flying, entry)

    def _path(self, source: str, target: str) -> LinkPath:
        key = source, target
        path = self._paths.get(key)
        if path is None:
            names = list(self._links)
            back = target in names and names.index(source) > names.index(target)
            conditions = self._special.get(key, self._conditions)
            path = self._paths[key] = LinkPath(conditions, f"{source} {target}", back=back)
        return path

    def dropped(self, source: str, target: str) -> dict[str, int]:
        """Return how many datagrams from ``source`` to ``target`` were lost, for each reason."""
        path = self._paths.get((checks.text("source", source), checks.text("target", target)))
        return {} if path is None else dict(path.dropped)


class MemoryLink:
    """A link in a `MemoryNetwork`. Call `MemoryNetwork.link` to create a link."""

    not_state = True

    def __init__(self, network: MemoryNetwork, name: str, conditions: Conditions) -> None:
        self.counts = LinkCounts()
        self._network = network
        self._name = name
        self._clock = conditions.clock
        self._stop = conditions.stop
        self._waiting = WaitingDatagrams(_MAX_WAITING, self.counts)

    @property
    def name(self) -> str:
        """The name of this link, which is its address for other links."""
        return self._name

    @property
    def now_ns(self) -> int:
        """The time in nanoseconds on the clock of this link's side. If `Conditions.clock` is not 1,
        this clock runs too fast or too slowly.
        """
        now_ns = self._network.now_ns
        return now_ns if self._clock == 1 else round(now_ns * self._clock)

    @property
    def stopped(self) -> bool:
        """True while this link's simulated computer is in sleep mode (see ``stop`` of
        `Conditions`). Check `stopped` before each frame, and do not run frames of the game on this
        side while it is True.
        """
        if self._stop is None:
            return False
        start, duration = self._stop
        return start <= self._network.now_ns / _NANOSECONDS < start + duration

    @property
    def peers(self) -> Sequence[Peer]:
        """The names of all other links of the network."""
        return [link.name for link in self._network.links if link is not self]

    def send(self, peer: Peer, data: bytes) -> None:
        """Send a datagram to the link with the name ``peer``."""
        checked_datagram(data)
        target = checks.instance("peer", peer, str, what="the name of a link")
        if self._waiting.closed or self.stopped:
            self.counts.dropped["closed" if self._waiting.closed else "stopped"] += 1
            return
        self.counts.add_sent(len(data))
        self._network._carry(self._name, target, data)

    def receive(self) -> list[tuple[Peer, bytes]]:
        """Return the datagrams that have arrived since the last call. Each entry of the list is a
        pair ``(peer, data)`` of the sender's name and the bytes.
        """
        if self.stopped:
            return []
        return self._waiting.take()

    def deliver(self, source: str, data: bytes) -> None:
        """Store a datagram until `receive` is called. Only the network calls this method."""
        self._waiting.add(source, data)

    def close(self) -> None:
        """Close the link. A closed link neither sends nor receives datagrams."""
        self._waiting.close()
