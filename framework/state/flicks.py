"""Time counted in whole numbers, so that what repeats does so exactly, after a day as after a second.

A flick is 1/705,600,000 s: a whole number of them is a tick at 24, 25, 30, 48, 50, 60, 90, 100, 120, 144 or 240 a
second, a millisecond, and a frame at most rates (the unit is Christopher Horvath's, of 2017). Ticks of other lengths
add up as exact fractions, of which the clock shows the whole flicks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..timing.schedule import exact

FLICKS = 705_600_000
"""In a second."""


@lru_cache(maxsize=1024)
def flicks(seconds: float | Fraction) -> tuple[int, Fraction]:
    """Seconds as whole flicks and the rest of one, exactly as they were meant: 1/60 is a sixtieth."""
    length = (exact(seconds) if isinstance(seconds, float) else Fraction(seconds)) * FLICKS
    whole = length.numerator // length.denominator
    return whole, length - whole


class FlickClock:
    """A time that passes by exact steps."""

    __slots__ = ("_rest", "before", "now")

    def __init__(self) -> None:
        self.now = 0
        """Whole flicks so far."""
        self.before = 0
        """The same, before the last step."""
        self._rest = Fraction()  # of a flick

    def advance(self, seconds: float | Fraction) -> None:
        """So many seconds pass."""
        whole, rest = flicks(seconds)
        self.before = self.now
        self.now += whole
        if rest:
            self._rest += rest
            if self._rest >= 1:
                self._rest -= 1
                self.now += 1

    def set(self, now: int) -> None:
        """It is another time, after a step of no length."""
        self.put_back((now, now, Fraction()))

    def state(self) -> tuple[int, int, Fraction]:
        """What `put_back` takes."""
        return self.now, self.before, self._rest

    def put_back(self, state: tuple[int, int, Fraction]) -> None:
        """Be as it was."""
        self.now, self.before, self._rest = state
