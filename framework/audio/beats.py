"""At which sample of the mix a tick is: round(k · 48,000 / rate), whatever happened before it."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, TypeGuard

from ..assets.sounds import RATE
from ..checks import decimal


class Clock(Protocol):
    """The rules by which ticks are due; they may have a ``rate`` and a ``time_scale``, too."""

    @property
    def time(self) -> float:
        """Simulated seconds at the end of the last tick."""


class FixedClock(Clock, Protocol):
    """Rules by which all ticks are of one length."""

    @property
    def rate(self) -> Fraction:
        """Ticks a second."""


class Beats:
    """Ticks as moments of the mix. In slow motion they are further apart: what is heard goes on as
    fast as ever.
    """

    def __init__(self, number: int, timestep: Clock) -> None:
        self.number = number
        """Of the last tick."""
        self.scale = 1.0
        """Game seconds in a second, as last seen."""
        self._tick, self._moment, self._time = 0, 0, 0.0
        self._last = float(timestep.time)
        self.moment = self._at(number, timestep)
        """When that was, in samples."""

    def arrive(self, number: int, timestep: Clock, alpha: float | None = 0.0) -> bool:
        """A tick begins. Returns whether it follows the last one; when it does not, it takes its
        place in time.

        What pace time has now, it has since ``alpha`` after the last tick; None: it is asked for by
        `look`.
        """
        follows = number == self.number + 1
        if follows:
            if alpha is not None:
                self.look(timestep, alpha)
            self.moment = self._at(number, timestep)
        else:
            self.moment = self.following(timestep)
            self._begin(number, self.moment, timestep.time)
        self.number, self._last = number, timestep.time
        return follows

    def look(self, timestep: Clock, alpha: float = 0.0) -> None:
        """Whether time has another pace from ``alpha`` after the last tick on: the next one then is
        due accordingly.
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
        """Count from this tick on."""
        self._tick, self._moment, self._time = number, moment, time

    def following(self, timestep: Clock) -> int:
        """When the next tick is due, in samples."""
        self.look(timestep)
        if _is_fixed(timestep):
            return self._at(self.number + 1, timestep)
        return self.moment + max(1, self.left(timestep, 0.0))

    def left(self, timestep: Clock, alpha: float) -> int:
        """How long it is until then, at an alpha, in samples."""
        # Where each frame brings a tick, ticks of slow motion are as many as ever, and shorter.
        pace = self.scale if _is_fixed(timestep) else 1.0
        rate: float = getattr(timestep, "rate", 60)
        return round((1 - alpha) * RATE / (float(rate) * pace))

    def _at(self, number: int, timestep: Clock) -> int:
        if _is_fixed(timestep):
            rate = timestep.rate
            over, under = rate.denominator * RATE * (number - self._tick), rate.numerator
            if self.scale != 1.0:
                share, whole = decimal(self.scale).as_integer_ratio()
                over, under = over * whole, under * share
            return self._moment + _rounded(over, under)
        return self._moment + round((float(timestep.time) - self._time) * RATE / self.scale)


def _is_fixed(timestep: Clock) -> TypeGuard[FixedClock]:
    fixed: bool = getattr(timestep, "fixed", False)
    return fixed


def _rounded(over: int, under: int) -> int:
    """A quotient, to the nearest whole number, and half of one to the even: what `round` does,
    without a float.
    """
    whole, rest = divmod(over, under)
    return whole + (2 * rest > under or (2 * rest == under and whole & 1))
