"""Measure how much data a link sends and receives, in kbit/s."""

from __future__ import annotations

from ..game.session import SessionStats
from .link import HEADERS, Link

_PERIOD = 1_000_000_000  # the minimum time between two measurements, in nanoseconds


class Traffic:
    """Measures the data rates of a link about once per second."""

    def __init__(self) -> None:
        # The time of the last measurement, and how many bytes had been sent and received by then.
        self._measured: tuple[int, int, int] | None = None

    def update(self, stats: SessionStats, link: Link) -> None:
        """If at least one second has passed, update ``stats.sent`` and ``stats.received``."""
        now = link.now_ns
        counts = link.counts
        sent = counts.sent_bytes + HEADERS * counts.sent
        received = counts.received_bytes + HEADERS * counts.received
        if self._measured is None:
            self._measured = now, sent, received
            return
        then, sent_before, received_before = self._measured
        if now - then >= _PERIOD:
            kilobits = 8e6 / (now - then)
            stats.sent = (sent - sent_before) * kilobits
            stats.received = (received - received_before) * kilobits
            self._measured = now, sent, received
