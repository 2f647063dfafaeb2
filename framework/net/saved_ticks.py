"""Take the snapshots to which a rollback session returns after a wrong prediction."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..record.snapshots import Snapshot

_MEMORY = 0.95  # the weight of the old value in a moving average
_MIN_RATE = 0.005  # corrections per tick; if there are fewer, this rate is used


class SavedTicks:
    """The snapshots of the most recent ticks of a match. The newest snapshot with final input is
    always stored.

    With more snapshots, normal ticks take more time. With fewer snapshots, more ticks must run
    again in a correction. The class measures both times, and computes the best number of ticks
    between two snapshots.
    """

    not_state = True

    def __init__(self, max_distance: int) -> None:
        self.distance = 1
        """The number of ticks between two snapshots."""
        self._max_distance = max(1, max_distance)
        # The snapshot of each tick, from the oldest to the newest.
        self._snapshots: dict[int, Snapshot] = {}
        self._save_time = 0.0  # the mean time that a snapshot takes, in seconds
        self._tick_time = 0.0  # the mean time that a tick takes when it runs again, in seconds
        self._rate = 0.1  # the mean number of corrections per tick

    def save(self, game: Any, tick: int) -> Snapshot:
        """Take a snapshot of the current state, and return it. ``tick`` is the tick that has just
        run.
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
        """Take a snapshot after ``tick`` if enough ticks have run since the last snapshot. If
        ``tick`` is the last tick with final input, ``last_known`` is True, and a snapshot is always
        taken.
        """
        newest = next(reversed(self._snapshots), None)
        if newest is None or tick - newest >= self.distance or (last_known and tick > newest):
            self.save(game, tick)

    def before(self, tick: int) -> tuple[int, Snapshot]:
        """Return the newest snapshot before ``tick``, with its tick, and delete later snapshots,
        because their ticks will run again.
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
        """Choose the number of ticks between two snapshots. Called when a tick has run for the
        first time.
        """
        self._rate *= _MEMORY
        # A snapshot in every n-th tick costs one snapshot per n ticks. A correction then runs (n -
        # 1) / 2 more ticks. Before the first correction, it is not known how long a tick takes, so
        # use the time that a snapshot takes.
        cost = max(self._rate, _MIN_RATE) * (self._tick_time or self._save_time)
        best = math.sqrt(2 * self._save_time / cost) if cost else 1
        self.distance = min(max(1, round(best)), self._max_distance)

    def note_correction(self, ticks: int, seconds: float) -> None:
        """Called after a correction. ``ticks`` is the number of ticks that have run again, and
        ``seconds`` is the time that they took.
        """
        self._rate += 1 - _MEMORY
        self._tick_time = _mean(self._tick_time, seconds / ticks)


def _mean(before: float, value: float) -> float:
    return value if not before else _MEMORY * before + (1 - _MEMORY) * value
