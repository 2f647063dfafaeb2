"""At which sample of the mix a tick is: round(k · 48,000 / rate), whatever happened before it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..assets.sounds import RATE
from ..checks import decimal


class Beats:
    """Ticks as moments of the mix. In slow motion they are further apart: what is heard goes on as fast as ever."""

    def __init__(self, number: int, timestep: Any) -> None:
        self.number = number
        """Of the last tick."""
        self.scale = 1.0
        """Game seconds in a second, as last seen."""
        self._tick, self._moment, self._time = 0, 0, 0.0
        self.moment = self._at(number, timestep)
        """When that was, in samples."""

    def arrive(self, number: int, timestep: Any) -> bool:
        """A tick begins. Returns whether it follows the last one; when it does not, it takes its place in time."""
        follows = number == self.number + 1
        if follows:
            self.moment = self._at(number, timestep)
        else:
            self._begin(self.following(timestep), number, timestep)
        self.number = number
        scale = float(getattr(timestep, "time_scale", 1.0)) or 1.0
        if scale != self.scale:
            self.scale = scale
            self._begin(self.moment, number, timestep)
        return follows

    def _begin(self, moment: int, number: int, timestep: Any) -> None:
        """Count from this tick on."""
        self._tick, self._moment, self._time = number, moment, timestep.time
        self.moment = moment

    def following(self, timestep: Any) -> int:
        """When the next tick is due, in samples."""
        if getattr(timestep, "fixed", False):
            return self._at(self.number + 1, timestep)
        return self.moment + max(1, round(RATE / (float(getattr(timestep, "rate", 60)) * self.scale)))

    def _at(self, number: int, timestep: Any) -> int:
        if getattr(timestep, "fixed", False):
            rate: Fraction = timestep.rate
            over, under = rate.denominator * RATE * (number - self._tick), rate.numerator
            if self.scale != 1.0:
                share, whole = decimal(self.scale).as_integer_ratio()
                over, under = over * whole, under * share
            return self._moment + _rounded(over, under)
        return self._moment + round((float(timestep.time) - self._time) * RATE / self.scale)


def _rounded(over: int, under: int) -> int:
    """A quotient, to the nearest whole number, and half of one to the even: what `round` does, without a float."""
    whole, rest = divmod(over, under)
    return whole + (2 * rest > under or (2 * rest == under and whole & 1))
