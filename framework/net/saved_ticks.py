"""Saved ticks: store the snapshots to which a rollback session can return."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..record.snapshots import Snapshot

_MEMORY = 0.95  # the weight of the old value in a moving average
_MIN_RATE = 0.005  # the minimum rate that is used, in corrections per tick


class SavedTicks:
    """The snapshots of a match's last ticks. The newest snapshot with final input is always stored.

    If there are more snapshots, normal ticks take more time. If there are fewer snapshots, more
    ticks must run again in a correction. The class computes the best number of ticks between two
    snapshots from measured times.
    """

    not_state = True

    def __init__(self, max_distance: int) -> None:
        self.distance = 1
        """The number of ticks between two snapshots."""
        self._max_distance = max(1, max_distance)
        # The snapshot of each tick, from the oldest to the newest.
        self._snapshots: dict[int, Snapshot] = {}
        self._save_time = 0.0  # the mean time for a snapshot, in seconds
        self._tick_time = 0.0  # the mean time for a tick that runs again, in seconds
        self._rate = 0.1  # the mean number of corrections per tick

    def save(self, game: Any, tick: int) -> Snapshot:
        """Take a snapshot of the present state, and return the snapshot. ``tick`` is the number of
        the tick that has just run.
        """
        existing = self._snapshots.get(tick)
        if existing is not None:
            return existing
        start = time.perf_counter()
        snapshot: Snapshot = game.snapshot()
        self._save_time = _mean(self._save_time, time.perf_counter() - start)
        self._snapshots[tick] = snapshot
        return snapshot

    def save_if_due(self, game: Any, tick: int, last_known: bool) -> None:
        """Take a snapshot after ``tick``, if enough ticks have passed since the last snapshot.
        ``last_known`` is True if ``tick`` is the last tick with final input. If ``last_known`` is
        True, always take a snapshot.
        """
        newest = next(reversed(self._snapshots), None)
        if newest is None or tick - newest >= self.distance or (last_known and tick > newest):
            self.save(game, tick)

    def before(self, tick: int) -> tuple[int, Snapshot]:
        """Return the tick of the newest snapshot before ``tick``, and the snapshot. Delete the
        snapshots of later ticks, because these ticks will run again.
        """
        for later in [saved for saved in self._snapshots if saved >= tick]:
            del self._snapshots[later]
        newest = next(reversed(self._snapshots))
        return newest, self._snapshots[newest]

    def confirm(self, tick: int) -> None:
        """Remove the snapshots that are no longer needed, because the input up to ``tick`` is
        final.
        """
        old = [saved for saved in self._snapshots if saved <= tick]
        for saved in old[:-1]:
            del self._snapshots[saved]

    def note_tick(self) -> None:
        """Called after the first run of a tick. Choose the number of ticks between two
        snapshots.
        """
        self._rate *= _MEMORY
        # A snapshot in every n-th tick costs one snapshot per n ticks. A correction then runs (n -
        # 1) / 2 more ticks. The time of a tick is not known before the first correction, so use the
        # time of a snapshot.
        cost = max(self._rate, _MIN_RATE) * (self._tick_time or self._save_time)
        best = math.sqrt(2 * self._save_time / cost) if cost else 1
        self.distance = min(max(1, round(best)), self._max_distance)

    def note_correction(self, ticks: int, seconds: float) -> None:
        """Called after a correction. ``ticks`` is the number of ticks that have run again.
        ``seconds`` is the time that these ticks took.
        """
        self._rate += 1 - _MEMORY
        self._tick_time = _mean(self._tick_time, seconds / ticks)


def _mean(before: float, value: float) -> float:
    return value if not before else _MEMORY * before + (1 - _MEMORY) * value
