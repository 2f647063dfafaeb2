"""Decide after which ticks a client of a game server takes a snapshot of its game."""

from __future__ import annotations

_LONG = 2  # a correction that covers more states than this is long


class SnapshotPlan:
    """The ticks after which a client of a `Server` takes snapshots.

    If the prediction of a tick was wrong, the client needs a snapshot of this tick for the
    correction. The server sends a state every few ticks. Usually, the client takes a snapshot after
    each tick for which the server sends a state. If predictions are often wrong, many snapshots
    take a lot of time, because each correction must also replace all later snapshots. Therefore,
    after a long correction, the client takes a snapshot only for every second state. This halves
    the number of corrections, and the number of snapshots in each correction.
    """

    not_state = True

    def __init__(self) -> None:
        self._interval = 1
        self._distance = 1
        self._next = 0  # the first tick in which a snapshot may be taken

    def start(self, interval: int) -> None:
        """Plan a snapshot for each state that the server sends. ``interval`` is the number of ticks
        between two states of the server.
        """
        self._interval = self._distance = interval
        self._next = 0

    def is_due(self, tick: int) -> bool:
        """Return whether the client must take a snapshot after ``tick``. Call `is_due` only for
        ticks whose state the server will send.
        """
        return tick >= self._next

    def note_snapshot(self, tick: int) -> None:
        """Record that the client has taken a snapshot after ``tick``."""
        self._next = tick + self._distance

    def note_right(self) -> None:
        """Record that the client's prediction of a tick with a snapshot was correct."""
        self._distance = self._interval

    def note_correction(self, tick: int, ticks: int) -> None:
        """Record that the prediction of ``tick`` was wrong, so that ``ticks`` ticks run again."""
        is_long = ticks > _LONG * self._interval
        self._distance = (2 if is_long else 1) * self._interval
        self._next = tick + self._distance
