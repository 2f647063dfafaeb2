"""Saved ticks: the snapshots to which a rollback session can go back, and how often to take one."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..record.snapshots import Snapshot

_MEMORY = 0.95  # share of the old value in a running mean
_MIN_RATE = 0.005  # corrections per tick below which the rate does not fall


class SavedTicks:
    """Snapshots of the latest ticks. The newest snapshot up to the last confirmed tick is always
    kept.

    A snapshot costs time in every tick, and a missing snapshot costs ticks in a correction. The
    number of ticks between two snapshots follows from the measured times of both.
    """

    not_state = True

    def __init__(self, max_distance: int) -> None:
        self.distance = 1
        """The number of ticks between two snapshots."""
        self._max_distance = max(1, max_distance)
        self._snapshots: dict[int, Snapshot] = {}  # the oldest first
        self._save_time = 0.0  # mean seconds of a snapshot
        self._tick_time = 0.0  # mean seconds of a tick that runs again
        self._rate = 0.1  # mean number of corrections per tick

    def save(self, game: Any, tick: int) -> Snapshot:
        """Take a snapshot of the present state, which is that after ``tick``."""
        existing = self._snapshots.get(tick)
        if existing is not None:
            return existing
        start = time.perf_counter()
        snapshot: Snapshot = game.snapshot()
        self._save_time = _mean(self._save_time, time.perf_counter() - start)
        self._snapshots[tick] = snapshot
        return snapshot

    def save_if_due(self, game: Any, tick: int, last_known: bool) -> None:
        """Take a snapshot after ``tick`` if the last one is old enough, or if ``last_known`` is
        True: the input of ``tick`` is known, and that of the next tick is not.
        """
        newest = next(reversed(self._snapshots), None)
        if newest is None or tick - newest >= self.distance or (last_known and tick > newest):
            self.save(game, tick)

    def before(self, tick: int) -> tuple[int, Snapshot]:
        """Return the newest snapshot of a tick before ``tick``, with its tick. Later snapshots are
        removed, because their ticks run again.
        """
        for later in [saved for saved in self._snapshots if saved >= tick]:
            del self._snapshots[later]
        newest = next(reversed(self._snapshots))
        return newest, self._snapshots[newest]

    def confirm(self, tick: int) -> None:
        """Remove the snapshots that no correction needs, because the input up to ``tick`` is known."""
        old = [saved for saved in self._snapshots if saved <= tick]
        for saved in old[:-1]:
            del self._snapshots[saved]

    def note_tick(self) -> None:
        """Note that a tick ran for the first time. Choose the distance between two snapshots."""
        self._rate *= _MEMORY
        # A distance of n ticks costs a snapshot in n ticks, and (n - 1) / 2 ticks in a correction.
        # The time of a tick is not known before the first correction.
        cost = max(self._rate, _MIN_RATE) * (self._tick_time or self._save_time)
        best = math.sqrt(2 * self._save_time / cost) if cost else 1
        self.distance = min(max(1, round(best)), self._max_distance)

    def note_correction(self, ticks: int, seconds: float) -> None:
        """Note a correction, in which ``ticks`` ticks ran again in ``seconds`` seconds."""
        self._rate += 1 - _MEMORY
        self._tick_time = _mean(self._tick_time, seconds / ticks)


def _mean(before: float, value: float) -> float:
    return value if not before else _MEMORY * before + (1 - _MEMORY) * value
