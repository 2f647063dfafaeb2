"""Tick times in samples: tick k begins at sample round(k · 48,000 / rate).

The result does not depend on how the frames were paced.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, TypeGuard

from ..assets.sounds import RATE
from ..checks import decimal


class TickClock(Protocol):
    """A timestep. It may also have ``rate``, ``time_scale`` and ``fixed``."""

    @property
    def time(self) -> float:
        """Simulated seconds at the end of the last tick."""


class FixedClock(TickClock, Protocol):
    """A timestep whose ticks all have the same length."""

    @property
    def rate(self) -> Fraction:
        """Ticks per second."""


class SampleClock:
    """Converts ticks to moments of the mix, in samples.

    In slow motion the ticks are further apart, and sounds keep their speed.
    """

    def __init__(self, number: int, timestep: TickClock) -> None:
        self.number = number
        """Number of the last tick."""
        self.scale = 1.0
        """Simulated seconds per real second, as last read from the timestep."""
        self._tick = 0
        self._moment = 0
        self._time = 0.0
        self._last = float(timestep.time)
        self.moment = self._at(number, timestep)
        """The sample at which the last tick began."""

    def arrive(self, number: int, timestep: TickClock, alpha: float | None = 0.0) -> bool:
        """Begin a tick. Return whether it follows the last one.

        If it does not, it begins at the time when the next tick is due. A new time scale applies
        from ``alpha`` after the last tick. With None, only `look` reads the time scale.
        """
        follows = number == self.number + 1
        if follows:
            if alpha is not None:
                self.look(timestep, alpha)
            self.moment = self._at(number, timestep)
        else:
            self.moment = self.following(timestep)
            self._begin(number, self.moment, timestep.time)
        self.number = number
        self._last = timestep.time
        return follows

    def look(self, timestep: TickClock, alpha: float = 0.0) -> None:
        """Read the time scale, and apply a new one from ``alpha`` after the last tick.

        The next tick is due earlier or later accordingly. A scale of 0 changes nothing.
        """
        pace: float = getattr(timestep, "time_scale", 1.0)
        scale = float(pace)
        if scale in (0.0, self.scale):
            return
        if alpha and _is_fixed(timestep):
            due = self._at(self.number + 1, timestep) - self.left(timestep, alpha)
            self.scale = scale
            self._begin(self.number + 1, due + self.left(timestep, alpha), timestep.time)
        else:
            self.scale = scale
            self._begin(self.number, self.moment, self._last)

    def _begin(self, number: int, moment: int, time: float) -> None:
        """Count samples from this tick."""
        self._tick = number
        self._moment = moment
        self._time = time

    def following(self, timestep: TickClock) -> int:
        """Return the sample at which the next tick is due."""
        self.look(timestep)
        if _is_fixed(timestep):
            return self._at(self.number + 1, timestep)
        return self.moment + max(1, self.left(timestep, 0.0))

    def left(self, timestep: TickClock, alpha: float) -> int:
        """Return the samples from ``alpha`` until the next tick."""
        # With one tick per frame, slow motion makes ticks shorter, not fewer.
        pace = self.scale if _is_fixed(timestep) else 1.0
        rate: float = getattr(timestep, "rate", 60)
        return round((1 - alpha) * RATE / (float(rate) * pace))

    def _at(self, number: int, timestep: TickClock) -> int:
        if _is_fixed(timestep):
            rate = timestep.rate
            numerator = rate.denominator * RATE * (number - self._tick)
            denominator = rate.numerator
            if self.scale != 1.0:
                share, whole = decimal(self.scale).as_integer_ratio()
                numerator = numerator * whole
                denominator = denominator * share
            return self._moment + _rounded(numerator, denominator)
        return self._moment + round((float(timestep.time) - self._time) * RATE / self.scale)


def _is_fixed(timestep: TickClock) -> TypeGuard[FixedClock]:
    fixed: bool = getattr(timestep, "fixed", False)
    return fixed


def _rounded(numerator: int, denominator: int) -> int:
    """Divide, and round to the nearest integer.

    A half is rounded to the even integer, as `round` does, but without a float.
    """
    quotient, remainder = divmod(numerator, denominator)
    return quotient + (
        2 * remainder > denominator or (2 * remainder == denominator and quotient & 1)
    )
