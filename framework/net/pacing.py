"""Pacing: run the ticks of several machines at the same time, and choose the delay of input."""

from __future__ import annotations

import math

_SMOOTH = 0.9  # share of the old value in a running mean
_TOLERANCE = 0.15  # ticks of difference that need no correction
_STRENGTH = 0.03  # change of the pace per tick of difference
_MAX_CHANGE = 0.1  # of the pace

_MAX_DELAY = 4  # ticks of delay that "auto" chooses at most
_PATIENCE = 60  # ticks for which another delay must be better


class TimeDifference:
    """The number of ticks by which this machine is ahead of another one, from both views.

    Each machine estimates the difference from the ping. Both estimates have the same error, such as
    the time that a packet waits for the next frame. Half of their difference is right. If packets
    take longer in one direction, no machine can measure this, and the difference stays.
    """

    not_state = True

    def __init__(self) -> None:
        self.estimate: float | None = None
        """This machine's estimate, in ticks."""
        self._theirs = 0.0

    def note(self, here: float, there: float, one_way: float, theirs: float) -> None:
        """Note a packet. ``here`` and ``there`` are the times of both machines in ticks, ``one_way``
        is half the ping in ticks, and ``theirs`` is the estimate of the other machine.
        """
        ahead = here - (there + one_way)
        before = ahead if self.estimate is None else self.estimate
        self.estimate = _SMOOTH * before + (1 - _SMOOTH) * ahead
        self._theirs = theirs

    @property
    def ahead(self) -> float:
        """The number of ticks by which this machine is ahead."""
        return 0.0 if self.estimate is None else (self.estimate - self._theirs) / 2


def pace_for(ahead: float) -> float:
    """Return the pace of a machine that is ``ahead`` ticks ahead of the others."""
    if abs(ahead) <= _TOLERANCE:
        return 1.0
    return 1.0 - max(-_MAX_CHANGE, min(_MAX_CHANGE, ahead * _STRENGTH))


class InputDelay:
    """The number of ticks between a key press and the tick that receives it.

    With "auto", half of the time that a packet needs is delay, at most 4 ticks. The prediction
    covers the rest. The delay changes at most once per second.
    """

    not_state = True

    def __init__(self, delay: int | str) -> None:
        self.ticks = 2 if delay == "auto" else int(delay)
        """The present delay, in ticks."""
        self._auto = delay == "auto"
        self._for = 0  # ticks for which another delay was better

    def note_tick(self, one_way: float) -> None:
        """Note a tick. ``one_way`` is the time in ticks that a packet needs to the slowest player."""
        if not self._auto or not one_way:
            return
        best = min(_MAX_DELAY, math.ceil(one_way / 2))
        self._for = self._for + 1 if best != self.ticks else 0
        if self._for >= _PATIENCE:
            self.ticks = best
            self._for = 0
