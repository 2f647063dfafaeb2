"""Pacing: keeps the game clocks of all machines together, and chooses the delay of input."""

from __future__ import annotations

import math

_SMOOTH = 0.9  # weight of the old value in a moving average
_TOLERANCE = 0.15  # ticks of difference that need no correction
_STRENGTH = 0.03  # change of the pace per tick of difference
_MAX_CHANGE = 0.1  # of the pace

_MAX_DELAY = 4  # the maximum delay of "auto", in ticks
_PATIENCE = 60  # ticks; another delay must be better for this long


class TimeDifference:
    """The difference between the clocks of two machines, in ticks. Both machines estimate this
    difference.

    Each machine estimates how many ticks it is ahead. The estimate uses the ping and the ticks of
    both machines. The estimates of both machines contain the same error, for example because
    packets wait for the next frame. So half of the difference between the two estimates is right.
    Packets may take longer in one direction than in the other. No machine can measure this, so this
    error stays.
    """

    not_state = True

    def __init__(self) -> None:
        self.estimate: float | None = None
        """The number of ticks that this machine is ahead, as this machine estimates it. The
        estimate is None before the first packet.
        """
        self._theirs = 0.0

    def note(self, here: float, there: float, one_way: float, theirs: float) -> None:
        """Update the estimate when a packet arrives. ``here`` is the current tick of this machine,
        and ``there`` the current tick of the other machine. ``one_way`` is half the ping, in ticks.
        ``theirs`` is the estimate of the other machine.
        """
        ahead = here - (there + one_way)
        before = ahead if self.estimate is None else self.estimate
        self.estimate = _SMOOTH * before + (1 - _SMOOTH) * ahead
        self._theirs = theirs

    @property
    def ahead(self) -> float:
        """The number of ticks that this machine is ahead of the other one."""
        return 0.0 if self.estimate is None else (self.estimate - self._theirs) / 2


def pace_for(ahead: float) -> float:
    """Return the speed of the game clock for a machine that is ``ahead`` ticks ahead. 1.0 is the
    normal speed.
    """
    if abs(ahead) <= _TOLERANCE:
        return 1.0
    return 1.0 - max(-_MAX_CHANGE, min(_MAX_CHANGE, ahead * _STRENGTH))


class InputDelay:
    """The number of ticks from a key press until the key has an effect.

    With "auto", the delay is half of the time to the slowest player, at most 4 ticks. Prediction
    hides the other half of this time. The delay changes at most once in 60 ticks.
    """

    not_state = True

    def __init__(self, delay: int | str) -> None:
        self.ticks = 2 if delay == "auto" else int(delay)
        """The delay now, in ticks."""
        self._auto = delay == "auto"
        self._for = 0  # ticks for which another delay was better

    def note_tick(self, one_way: float) -> None:
        """Called in each tick: choose a new delay if another delay was better for the last 60
        ticks. ``one_way`` is the time to the slowest player, in ticks.
        """
        if not self._auto or not one_way:
            return
        best = min(_MAX_DELAY, math.ceil(one_way / 2))
        self._for = self._for + 1 if best != self.ticks else 0
        if self._for >= _PATIENCE:
            self.ticks = best
            self._for = 0
