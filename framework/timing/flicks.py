"""Time counted in whole numbers, so that what repeats does so exactly, after a day as after a
second.

A flick is 1/705,600,000 s: a whole number of them is a tick at 24, 25, 30, 48, 50, 60, 90, 100,
120, 144 or 240 a second, a millisecond, and a frame at most rates (the unit is Christopher
Horvath's, of 2017). Ticks of other lengths add up as exact fractions, of which the clock shows the
whole flicks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor

from .schedule import Schedule, exact

FLICKS = 705_600_000
"""In a second."""


@lru_cache(maxsize=1024)
def flicks(seconds: float | Fraction) -> tuple[int, Fraction | int]:
    """Seconds as whole flicks and the rest of one, exactly as they were meant: 1/60 is a
    sixtieth.
    """
    length = (exact(seconds) if isinstance(seconds, float) else Fraction(seconds)) * FLICKS
    whole = length.numerator // length.denominator
    return whole, length - whole or 0  # of a number, whether it is 0 is told quicker


class FlickClock:
    """A time that passes by exact steps."""

    __slots__ = ("_part", "_rest", "_seconds", "_whole", "before", "now")

    not_state = ("_part", "_seconds", "_whole")

    def __init__(self) -> None:
        self.now = 0
        """Whole flicks so far."""
        self.before = 0
        """The same, before the last step."""
        self._rest = Fraction()  # of a flick
        self._seconds: float | Fraction | None = None  # of the step that was looked at last
        self._whole, self._part = flicks(0.0)  # its flicks, and the rest of one

    def flicks(self, seconds: float | Fraction) -> int:
        """The whole flicks of a step."""
        if seconds is not self._seconds:  # as a rule all are one
            self._whole, self._part = flicks(seconds)
            self._seconds = seconds
        return self._whole

    def advance(self, seconds: float | Fraction) -> None:
        """So many seconds pass."""
        self.before = self.now
        self.now += self._whole if seconds is self._seconds else self.flicks(seconds)
        if self._part:
            self._rest += self._part
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


class TickClock(FlickClock):
    """A time that passes by the lengths of ticks, each as the next one begins."""

    __slots__ = ("_odd", "due", "group", "length", "step", "ticks")

    _not_hashed = (
        "_odd",
        "due",
        "group",
        "length",
    )  # which follow from what is played, and are the table's

    def __init__(self) -> None:
        super().__init__()
        self.step: float | Fraction = 0.0
        """Seconds that pass with the tick that is running, or was the last. Set by `take`."""
        self.length = 0
        """Its whole flicks."""
        self._odd = False  # whether it is more than those
        self.ticks = 0
        """So far."""
        self.due = 0
        """When something is to be done in a tick; 0 for in the next one."""
        self.group: Schedule | None = None
        """In whose time it runs; None for the ticks' own."""

    def tick(self, seconds: float | Fraction) -> bool:
        """A tick of so many seconds begins. Returns whether something is due."""
        if self._odd:
            self.advance(self.step)
        else:  # the same, as most often: batches with clips do it in each tick
            self.before = self.now
            self.now += self.length
        if seconds is not self.step:
            self.take(seconds)
        self.ticks += 1
        return self.now >= self.due

    def take(self, seconds: float | Fraction) -> None:
        """So many seconds are to pass with this tick."""
        self.step = seconds
        self.length, rest = flicks(seconds)
        self._odd = rest != 0

    def go_with_group(self) -> None:
        """The tick is over: with it passes what passed for the group, if anything did for the
        ticks.
        """
        if self.step and self.group is not None:
            self.take(self.group.step)

    def moment(self, alpha: float) -> int:
        """What lies so far into the tick, in flicks."""
        return self.now + floor(self.length * alpha)
