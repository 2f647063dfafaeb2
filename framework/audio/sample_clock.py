"""Compute the sample number in the mix at which each tick begins.

Tick k begins at sample round(k · 48,000 / rate), whatever the frame rate.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, TypeGuard

from ..assets.sounds import RATE
from ..checks import decimal


class TimestepClock(Protocol):
    """The attributes of a game's timestep that the sample clock uses. A timestep can also have the
    attributes ``rate``, ``time_scale`` and ``fixed``.
    """

    @property
    def time(self) -> float:
        """The simulated time at the end of the last tick, in seconds."""


class FixedClock(TimestepClock, Protocol):
    """The interface of a timestep whose ticks all have the same length."""

    @property
    def rate(self) -> Fraction:
        """The number of ticks per second."""


class SampleClock:
    """Converts tick numbers to sample numbers of the mix.

    In slow motion, there are more samples between two ticks, but the sounds themselves do not
    become slower.
    """

    def __init__(self, number: int, timestep: TimestepClock) -> None:
        self.number = number
        """The number of the most recent tick."""
        self.scale = 1.0
        """The last time scale that was read from the game: simulated seconds per real second."""
        self._tick = 0
        self._moment = 0
        self._time = 0.0
        self._last = float(timestep.time)
        self.moment = self._at(number, timestep)
        """The sample at which the most recent tick began."""

    def begin_tick(self, number: int, timestep: TimestepClock, alpha: float | None = 0.0) -> bool:
        """Begin the tick ``number``, and compute the first sample of this tick. Return whether this
        tick directly follows the last tick.

        If the game has jumped to another tick, as in a rewind, that tick begins at the sample at
        which the next tick would have begun. A new time scale takes effect ``alpha`` ticks after
        the last tick. If ``alpha`` is None, the method does not read the time scale of the game. In
        this case, a new time scale takes effect only after `update_scale` is called.
        """
        follows = number == self.number + 1
        if follows:
            if alpha is not None:
                self.update_scale(timestep, alpha)
            self.moment = self._at(number, timestep)
        else:
            self.moment = self.next_tick(timestep)
            self._begin(number, self.moment, timestep.time)
        self.number = number
        self._last = timestep.time
        return follows

    def update_scale(self, timestep: TimestepClock, alpha: float = 0.0) -> None:
        """Read the time scale of the game. A new time scale takes effect ``alpha`` ticks after the
        last tick.

        If the game becomes slower, the next tick begins at a later sample than before. If the game
        becomes faster, the next tick begins at an earlier sample than before. A time scale of 0 (a
        paused game) changes nothing.
        """
        pace: float = getattr(timestep, "time_scale", 1.0)
        scale = float(pace)
        if scale in (0.0, self.scale):
            return
        if alpha and _is_fixed(timestep):
            due = self._at(self.number + 1, timestep) - self.samples_left(timestep, alpha)
            self.scale = scale
            self._begin(self.number + 1, due + self.samples_left(timestep, alpha), timestep.time)
        else:
            self.scale = scale
            self._begin(self.number, self.moment, self._last)

    def _begin(self, number: int, moment: int, time: float) -> None:
        """Set the first sample of the tick ``number`` to ``moment``. The first samples of later
        ticks are computed from this sample.
        """
        self._tick = number
        self._moment = moment
        self._time = time

    def next_tick(self, timestep: TimestepClock) -> int:
        """Return the sample at which the next tick begins."""
        self.update_scale(timestep)
        if _is_fixed(timestep):
            return self._at(self.number + 1, timestep)
        return self.moment + max(1, self.samples_left(timestep, 0.0))

    def time_of(self, number: int, timestep: TimestepClock) -> Fraction:
        """Return the game time of the tick ``number`` in seconds: number / rate.

        If the ticks have different lengths, return the time of the last tick instead.
        """
        if _is_fixed(timestep):
            return number / timestep.rate
        return Fraction(timestep.time)

    def tick_seconds(self, timestep: TimestepClock) -> Fraction:
        """Return the duration of a tick, in seconds of game time."""
        rate: float | Fraction = getattr(timestep, "rate", 60)
        return 1 / Fraction(rate)

    def sample_at(self, time: float, timestep: TimestepClock) -> int:
        """Return the sample of the mix at a game time in seconds, for the current time scale."""
        begin = Fraction(self._time)
        if _is_fixed(timestep):
            begin = self._tick / timestep.rate
        seconds = (Fraction(time) - begin) / decimal(self.scale)
        samples = seconds * RATE
        return self._moment + _rounded(samples.numerator, samples.denominator)

    def samples_left(self, timestep: TimestepClock, alpha: float) -> int:
        """Return the number of samples until the next tick. The samples are counted from ``alpha``
        ticks after the last tick.
        """
        # With a fixed timestep, slow motion means fewer ticks. With one tick per frame, slow motion
        # makes each tick shorter.
        pace = self.scale if _is_fixed(timestep) else 1.0
        rate: float = getattr(timestep, "rate", 60)
        return round((1 - alpha) * RATE / (float(rate) * pace))

    def _at(self, number: int, timestep: TimestepClock) -> int:
        if _is_fixed(timestep):
            rate = timestep.rate
            numerator = rate.denominator * RATE * (number - self._tick)
            denominator = rate.numerator
            if self.scale != 1.0:
                scale_numerator, scale_denominator = decimal(self.scale).as_integer_ratio()
                numerator = numerator * scale_denominator
                denominator = denominator * scale_numerator
            return self._moment + _rounded(numerator, denominator)
        return self._moment + round((float(timestep.time) - self._time) * RATE / self.scale)


def _is_fixed(timestep: TimestepClock) -> TypeGuard[FixedClock]:
    fixed: bool = getattr(timestep, "fixed", False)
    return fixed


def _rounded(numerator: int, denominator: int) -> int:
    """Divide two integers, and return the integer nearest to the quotient.

    If two integers are equally near, return the even integer. The function uses only integers, so
    large numbers do not lose precision.
    """
    quotient, remainder = divmod(numerator, denominator)
    return quotient + (
        2 * remainder > denominator or (2 * remainder == denominator and quotient & 1)
    )
