"""Snapshot plan: chooses the ticks of which a client takes a snapshot, to correct them later."""

from __future__ import annotations

_LONG = 2  # states; a correction that runs more ticks than these again counts as long


class SnapshotPlan:
    """The ticks with a snapshot, on a client of a `Server`.

    The client can correct a tick only if the tick has a snapshot. The server sends a state every
    few ticks, and usually each of these ticks gets a snapshot. But if predictions are wrong again
    and again, each correction takes the snapshots of all later states again. So after a long
    correction, only every second state gets a snapshot. Then half as many corrections follow, and
    each correction takes half as many snapshots.
    """

    not_state = True

    def __init__(self) -> None:
        self._interval = 1
        self._distance = 1
        self._next = 0  # the first tick that may have a snapshot

    def start(self, interval: int) -> None:
        """Begin with a snapshot for each state. ``interval`` is the number of ticks between two
        states.
        """
        self._interval = self._distance = interval
        self._next = 0

    def is_due(self, tick: int) -> bool:
        """Return whether to take a snapshot after a tick whose state the server sends."""
        return tick >= self._next

    def note_snapshot(self, tick: int) -> None:
        """Note that a snapshot was taken after ``tick``."""
        self._next = tick + self._distance

    def note_right(self) -> None:
        """Note that the prediction of a tick with a snapshot was right."""
        self._distance = self._interval

    def note_correction(self, tick: int, ticks: int) -> None:
        """Note that the state after ``tick`` was wrong, and that ``ticks`` ticks run again now."""
        is_long = ticks > _LONG * self._interval
        self._distance = (2 if is_long else 1) * self._interval
        self._next = tick + self._distance
