"""Snapshot plan: chooses the ticks after which a client takes a snapshot, for later corrections."""

from __future__ import annotations

_LONG = 2  # states: a correction over more ticks than these is long


class SnapshotPlan:
    """The ticks with a snapshot, on a client of a `Server`.

    The client can correct a tick only if the tick has a snapshot. The server sends a state every
    few ticks, and usually each of these ticks gets a snapshot. But if predictions are often wrong,
    each correction must take the snapshots of all later ticks again. So after a long correction,
    only every second state gets a snapshot. This halves the number of corrections, and the number
    of snapshots in each correction.
    """

    not_state = True

    def __init__(self) -> None:
        self._interval = 1
        self._distance = 1
        self._next = 0  # the first tick that may have a snapshot

    def start(self, interval: int) -> None:
        """Begin with a snapshot for each state of the server. ``interval`` is the number of ticks
        between two states.
        """
        self._interval = self._distance = interval
        self._next = 0

    def is_due(self, tick: int) -> bool:
        """Return whether to take a snapshot after ``tick``. The server will send the state of this
        tick.
        """
        return tick >= self._next

    def note_snapshot(self, tick: int) -> None:
        """Note that a snapshot was taken after ``tick``."""
        self._next = tick + self._distance

    def note_right(self) -> None:
        """Note that the client has predicted the state of a tick with a snapshot correctly."""
        self._distance = self._interval

    def note_correction(self, tick: int, ticks: int) -> None:
        """Note that the predicted state after ``tick`` was wrong, and that the client now runs
        ``ticks`` ticks again.
        """
        is_long = ticks > _LONG * self._interval
        self._distance = (2 if is_long else 1) * self._interval
        self._next = tick + self._distance
