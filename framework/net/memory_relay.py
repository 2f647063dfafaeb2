"""Run a relay inside this process, to test lobbies and rooms without a network."""

from __future__ import annotations

__all__ = ["MemoryRelay"]

import itertools

from .. import checks
from .relay import Relay

_NANOSECONDS = 1_000_000_000


class MemoryRelay:
    """A relay in this process, with a virtual clock. Pass a `MemoryRelay` to `Room` to test a room
    without a network.

    Parameters
    ----------
    relay
        The `Relay` object that manages the rooms. By default, the `MemoryRelay` creates a new
        `Relay`.
    """

    not_state = True

    def __init__(self, relay: Relay | None = None) -> None:
        if relay is not None:
            checks.instance("relay", relay, Relay)
        self.relay = relay or Relay()
        self._now_ns = 0
        self._sockets: dict[int, _MemorySocket] = {}
        self._numbers = itertools.count(1)

    @property
    def now_ns(self) -> int:
        """The time of the virtual clock in nanoseconds."""
        return self._now_ns

    def advance(self, seconds: float) -> None:
        """Move the virtual clock forward by ``seconds``."""
        self._now_ns += round(checks.number("seconds", seconds, least=0) * _NANOSECONDS)
        self.relay.advance(self._now_ns)
        self._carry()

    def open(self) -> _MemorySocket:
        """Open a connection to the relay, and return it. The new connection is immediately in the
        state "open".
        """
        number = next(self._numbers)
        socket = _MemorySocket(self, number)
        self._sockets[number] = socket
        self.relay.connect(number, f"address {number}", self._now_ns)
        self._carry()
        return socket

    def _carry(self) -> None:
        """Deliver the frames that the relay has sent to the connections."""
        for outgoing in self.relay.take_outgoing():
            socket = self._sockets.get(outgoing.client)
            if socket is not None and outgoing.frame is None:
                socket.cut(outgoing.reason)
            elif socket is not None and outgoing.frame is not None:
                socket.waiting.append(outgoing.frame)

    def _cut(self, number: int, reason: str) -> None:
        """End the connection ``number`` as if the network had failed."""
        if self._sockets.pop(number, None) is not None:
            self.relay.disconnect(number, self._now_ns)
            self._carry()


class _MemorySocket:
    """One client's connection to a `MemoryRelay`."""

    not_state = True

    def __init__(self, relay: MemoryRelay, number: int) -> None:
        self.waiting: list[str | bytes] = []
        self._relay = relay
        self._number = number
        self._state = "open"
        self._reason = ""

    @property
    def state(self) -> str:
        return self._state

    @property
    def reason(self) -> str:
        return self._reason

    def send(self, frame: str | bytes, droppable: bool = False) -> None:
        if self._state == "open":
            self._relay.relay.receive(self._number, frame, self._relay.now_ns)
            self._relay._carry()

    def receive(self) -> list[str | bytes]:
        frames = self.waiting
        self.waiting = []
        return frames

    def close(self) -> None:
        self.cut("this program closed the connection")

    def cut(self, reason: str) -> None:
        """End the connection as if the network had failed."""
        if self._state == "open":
            self._state = "closed"
            self._reason = reason
            self._relay._cut(self._number, reason)
