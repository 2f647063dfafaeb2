"""Networks in memory: links between games in one process, with a virtual clock."""

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
"""The maximum number of bytes that wait for `MemoryLink.receive`, like the buffer of a socket."""


class MemoryNetwork:
    """A network in memory, with a virtual clock. Use it for tests, and for games in one process.

    The clock moves only when you call `advance`. The arrival times of datagrams depend only on
    ``conditions`` and its seed, so that each run of a test is the same.

    Parameters
    ----------
    conditions
        The delay and the faults of all links. None: datagrams arrive at once.
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
        """The time of the virtual clock in nanoseconds. The first time is 0."""
        return self._now_ns

    @property
    def links(self) -> tuple[MemoryLink, ...]:
        """All links in the order in which they were made."""
        return tuple(self._links.values())

    def link(self, name: str) -> MemoryLink:
        """Make a link. ``name`` is the address of the link for the other links.

        The first link is the first side in `Conditions`. All other links are second sides.
        """
        checks.text("name", name)
        if name in self._links:
            raise ValueError(f"name: expected a name that no link has, got {name!r}")
        link = MemoryLink(self, name, self._conditions if self._links else Conditions())
        self._links[name] = link
        return link

    def set_conditions(self, conditions: Conditions, source: str, target: str) -> None:
        """Set the conditions of one direction: datagrams from ``source`` to ``target``."""
        key = checks.text("source", source), checks.text("target", target)
        self._special[key] = checks.instance("conditions", conditions, Conditions)
        self._paths.pop(key, None)

    def advance(self, seconds: float) -> None:
        """Move the clock forward by ``seconds``."""
        self.advance_to(self._now_ns + round(checks.number("seconds", seconds, least=0) * 1e9))

    def advance_to(self, now_ns: int) -> None:
        """Move the clock forward to ``now_ns``. Datagrams that have arrived wait in their links."""
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
        """Put a datagram into ``target`` at once, as if ``source`` had sent it. No link needs to
        have the name ``source``. Tests send forged datagrams with this method.
        """
        checks.text("source", source)
        checks.instance("data", data, bytes, what="bytes")
        link = self._links.get(checks.text("target", target))
        if link is None:
            raise ValueError(f"target: {checks.nearest(target, self._links)}")
        link.deliver(source, data)

    def _carry(self, source: str, target: str, data: bytes) -> None:
        """Send a datagram under the conditions of the network. Links call this method."""
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
        """Return how many datagrams from ``source`` to ``target`` were lost, by reason."""
        path = self._paths.get((checks.text("source", source), checks.text("target", target)))
        return {} if path is None else dict(path.dropped)


class MemoryLink:
    """A link of a `MemoryNetwork`. `MemoryNetwork.link` makes one."""

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
        """The address of this link for the other links."""
        return self._name

    @property
    def now_ns(self) -> int:
        """The time in nanoseconds on the clock of this side, which `Conditions.clock` speeds up."""
        now_ns = self._network.now_ns
        return now_ns if self._clock == 1 else round(now_ns * self._clock)

    @property
    def stopped(self) -> bool:
        """Whether this side is stopped by `Conditions.stop`. The program that drives the side
        should then run no frame of it.
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
        """Return the datagrams that have arrived since the last call, each with its sender."""
        if self.stopped:
            return []
        return self._waiting.take()

    def deliver(self, source: str, data: bytes) -> None:
        """Put a datagram into the buffer of this link. The network calls this method."""
        self._waiting.add(source, data)

    def close(self) -> None:
        """Close the link. A closed link drops all datagrams."""
        self._waiting.close()
