"""Keep the game clocks of all machines in step, and choose the delay of the player's own input."""

from __future__ import annotations

import math

_SMOOTH = 0.9  # the weight of the old value in a moving average
_TOLERANCE = 0.15  # ticks; smaller differences need no correction
_STRENGTH = 0.03  # the change of the pace for each tick of difference
_MAX_CHANGE = 0.1  # the maximum change of the pace

_NANOSECONDS = 1_000_000_000
_MEASURED_TIME = 1_500_000_000  # nanoseconds over which the speed of a server is measured
_LONG_FRAME = 500_000_000  # nanoseconds
_SLOW_SERVER = 0.9
_MIN_SHARE = 0.1

_MAX_DELAY = 4  # the maximum delay of "auto", in ticks
_PATIENCE = 60  # ticks; the delay changes when another delay has been better for this time


class TimeDifference:
    """The difference between the clocks of two machines, in ticks. From the ping and the current
    ticks of both machines, each machine estimates by how many ticks it is ahead of the other
    machine. Both estimates contain the same error, for example because packets wait for the next
    frame. This error cancels out in half of the difference between the two estimates, so the class
    uses this value. If packets take longer in one direction than in the other, a second error
    remains, which no machine can measure.
    """

    not_state = True

    def __init__(self) -> None:
        self.estimate: float | None = None
        """This machine's estimate of how many ticks it is ahead of the other machine, or None
        before the first packet.
        """
        self._theirs = 0.0

    def note(self, here: float, there: float, one_way: float, theirs: float) -> None:
        """Update the estimate when a packet arrives. ``here`` is the current tick of this machine,
        and ``there`` is the current tick of the other machine. ``one_way`` is half the ping, in
        ticks. ``theirs`` is the other machine's estimate, in ticks.
        """
        ahead = here - (there + one_way)
        before = ahead if self.estimate is None else self.estimate
        self.estimate = _SMOOTH * before + (1 - _SMOOTH) * ahead
        self._theirs = theirs

    @property
    def ahead(self) -> float:
        """By how many ticks this machine is ahead of the other machine, as a float."""
        return 0.0 if self.estimate is None else (self.estimate - self._theirs) / 2


def pace_for(ahead: float) -> float:
    """Return the speed of the game clock for a machine that is ``ahead`` ticks ahead. The normal
    speed is 1.0.
    """
    if abs(ahead) <= _TOLERANCE:
        return 1.0
    return 1.0 - max(-_MAX_CHANGE, min(_MAX_CHANGE, ahead * _STRENGTH))


class ServerSpeed:
    """Measures how fast the ticks of a server run. A server that has too much work runs fewer ticks
    per second than its tick rate.
    """

    not_state = True

    def __init__(self) -> None:
        self.share = 1.0
        """The speed of the server's ticks as a fraction of the normal speed. Values above
        `_SLOW_SERVER` count as 1.0, because a client adapts to small differences anyway.
        """
        self._tick = 0
        self._since_ns = 0  # the time when the server's tick was `_tick`
        self._noted_ns = -_LONG_FRAME  # the time of the last call of `note`

    def note(self, tick: int, now_ns: int, rate: float) -> None:
        """Update the share. Called in each frame. ``tick`` is the server's newest tick, and
        ``rate`` is the normal number of ticks per second.
        """
        slept = now_ns - self._noted_ns >= _LONG_FRAME  # this computer, so packets are missing
        self._noted_ns = now_ns
        elapsed = now_ns - self._since_ns
        if not slept and (elapsed < _MEASURED_TIME or tick == self._tick):
            return
        if not slept:
            share = (tick - self._tick) / (elapsed / _NANOSECONDS * rate)
            self.share = 1.0 if share > _SLOW_SERVER else max(share, _MIN_SHARE)
        self._tick = tick
        self._since_ns = now_ns


class InputDelay:
    """The input delay: the number of ticks between a key press and its effect.

    With "auto", the delay is half the time that a packet takes to reach the slowest player, but at
    most 4 ticks. The other half is hidden by prediction. The delay changes at most once every 60
    ticks.
    """

    not_state = True

    def __init__(self, delay: int | str) -> None:
        self.ticks = 2 if delay == "auto" else int(delay)
        """The current delay in ticks."""
        self._auto = delay == "auto"
        self._for = 0  # the number of ticks in which another delay has been better

    def note_tick(self, one_way: float) -> None:
        """If another delay has been better for the last 60 ticks, use it from now on. Called in
        each tick. ``one_way`` is the time in ticks that a packet takes to reach the slowest player.
        """
        if not self._auto or not one_way:
            return
        best = min(_MAX_DELAY, math.ceil(one_way / 2))
        self._for = self._for + 1 if best != self.ticks else 0
        if self._for >= _PATIENCE:
            self.ticks = best
            self._for = 0
