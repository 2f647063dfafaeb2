"""Simulate the latency, the lost packets and other faults of a bad network."""

from __future__ import annotations

__all__ = ["Conditions"]

import math
import random
from collections import Counter
from dataclasses import dataclass

from .. import checks
from .link import HEADERS

_NANOSECONDS = 1_000_000_000
_MAX_QUEUE = 500_000_000
"""The maximum time in nanoseconds that a datagram waits in the queue. If the wait would be longer,
the datagram is dropped.
"""
_MAX_DELAY = 100_000_000
"""The maximum extra delay of a reordered datagram, in nanoseconds."""
_MAX_SECONDS = 3600.0
# A larger latency is probably a number of milliseconds.
_MAX_LATENCY = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Conditions:
    """The delay, lost packets and other faults of a simulated network. The same seed always
    produces the same faults.

    Parameters
    ----------
    latency
        How long a datagram takes from one side of the network to the other, in seconds. Pass a pair
        of numbers to set each direction separately: from the first side to the second, and back.
    jitter
        The maximum random change of each datagram's latency, in seconds.
    loss
        The fraction of datagrams that are lost, from 0 to 1.
    duplicate
        The fraction of datagrams that arrive twice, from 0 to 1.
    reorder
        The fraction of datagrams that get a random extra delay, from 0 to 1. Such a datagram may
        arrive after a datagram that was sent later. The extra delay is shorter than 0.1 seconds.
    burst
        A pair ``(share, length)`` for bursts, in which many datagrams in a row are lost. ``share``
        is the probability that a datagram starts a burst, from 0 to 1. ``length`` is the average
        number of lost datagrams in a burst. (This is the Gilbert-Elliott model.)
    bandwidth
        The maximum number of bits per second in each direction, including the headers of each
        packet. None, the default, means that the bandwidth is not limited. If a side sends more
        than ``bandwidth`` bits per second, datagrams wait in a queue. A datagram is dropped if it
        would wait longer than 0.5 seconds.
    clock
        How fast the second side's clock runs. The default is 1, the normal speed. At 1.001, the
        clock gains one second in 1000 seconds.
    stop
        A pair ``(start, duration)`` in seconds. At the time ``start``, the second side stops for
        ``duration`` seconds, like a laptop in sleep mode. None, the default, means that the second
        side never stops.
    seed
        The seed of the random numbers.
    """

    latency: float | tuple[float, float] = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    burst: tuple[float, float] = (0.0, 1.0)
    bandwidth: float | None = None
    clock: float = 1.0
    stop: tuple[float, float] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        latency: object = self.latency
        if isinstance(latency, tuple | list):
            forth, back = checks.pair("latency", latency, least=0)
            _keep(self, "latency", (_delay("latency", forth), _delay("latency", back)))
        else:
            _keep(self, "latency", _delay("latency", latency))
        _keep(self, "jitter", _delay("jitter", self.jitter))
        for name in ("loss", "duplicate", "reorder"):
            _keep(self, name, checks.number(name, getattr(self, name), least=0, most=1))
        share, length = checks.pair("burst", self.burst, least=0)
        checks.number("burst", share, least=0, most=1)
        checks.number("burst", length, least=1)
        _keep(self, "burst", (share, length))
        if self.bandwidth is not None:
            _keep(self, "bandwidth", checks.number("bandwidth", self.bandwidth, least=1))
        _keep(self, "clock", checks.number("clock", self.clock, least=0.5, most=2))
        if self.stop is not None:
            start, duration = checks.pair("stop", self.stop, least=0)
            _keep(self, "stop", (_seconds("stop", start), _seconds("stop", duration)))
        _keep(self, "seed", checks.whole("seed", self.seed))


def _keep(conditions: Conditions, name: str, value: object) -> None:
    object.__setattr__(conditions, name, value)  # needed because the class is frozen


def _seconds(name: str, value: object) -> float:
    return checks.number(name, value, least=0, most=_MAX_SECONDS)


def _delay(name: str, value: object) -> float:
    seconds = checks.number(name, value, least=0)
    if seconds > _MAX_LATENCY:
        raise ValueError(
            f"{name}: expected seconds from 0 to {_MAX_LATENCY:g}, got {value}; for {value:g} "
            f"milliseconds, write {name}={seconds / 1000:g}"
        )
    return seconds


class LinkPath:
    """One direction of the connection between two links. A `LinkPath` computes the arrival time of
    each datagram.

    Parameters
    ----------
    conditions
        The delay and the faults of this direction.
    name
        A name for this direction. The name is added to the seed, so that each direction has its own
        random numbers.
    back
        True for the direction from the second side to the first.
    """

    def __init__(self, conditions: Conditions, name: str, *, back: bool = False) -> None:
        latency = conditions.latency
        if isinstance(latency, tuple):
            latency = latency[back]
        self.dropped: Counter[str] = Counter()
        self._conditions = conditions
        self._latency = latency
        self._random = random.Random(f"{conditions.seed} {name}")
        # True while a burst of losses lasts.
        self._burst = False
        # The time at which the simulated line will have sent all waiting datagrams, in nanoseconds.
        self._free_ns = 0

    def arrivals(self, now_ns: int, size: int) -> list[int]:
        """Return the arrival times of a datagram of ``size`` bytes, in nanoseconds.

        If the datagram is lost, the list is empty. If the datagram arrives twice, the list contains
        two times.
        """
        waiting = self._wait_for_bandwidth(now_ns, size)
        if waiting is None:
            self.dropped["bandwidth"] += 1
            return []
        if self._is_in_burst():
            self.dropped["burst"] += 1
            return []
        if self._happens(self._conditions.loss):
            self.dropped["loss"] += 1
            return []
        copies = 2 if self._happens(self._conditions.duplicate) else 1
        return [now_ns + waiting + self._delay() for _ in range(copies)]

    def _wait_for_bandwidth(self, now_ns: int, size: int) -> int | None:
        """Return the time in nanoseconds until the whole datagram is sent, or None if the queue is
        full.
        """
        bandwidth = self._conditions.bandwidth
        if bandwidth is None:
            return 0
        start_ns = max(now_ns, self._free_ns)
        if start_ns - now_ns > _MAX_QUEUE:
            return None
        bits = (size + HEADERS) * 8
        self._free_ns = start_ns + math.ceil(bits / bandwidth * _NANOSECONDS)
        return self._free_ns - now_ns

    def _is_in_burst(self) -> bool:
        share, length = self._conditions.burst
        if self._burst:
            # Each datagram ends the burst with this probability, so the mean length is `length`.
            self._burst = not self._happens(1 / length)
        if not self._burst:
            self._burst = self._happens(share)
        return self._burst

    def _happens(self, share: float) -> bool:
        # A fault that is turned off uses no random numbers.
        return share > 0 and self._random.random() < share

    def _delay(self) -> int:
        jitter = self._conditions.jitter
        seconds = self._latency
        if jitter:
            seconds = max(0.0, seconds + self._random.uniform(-jitter, jitter))
        delay = round(seconds * _NANOSECONDS)
        if self._happens(self._conditions.reorder):
            delay += self._random.randrange(_MAX_DELAY)
        return delay
