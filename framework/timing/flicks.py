"""Count time in flicks, a very small unit of time, so that rounding errors do not add up.

A flick is 1/705,600,000 of a second (Christopher Horvath, 2017). A millisecond is a whole number of
flicks, and so is a tick at 24, 25, 30, 48, 50, 60, 90, 100, 120, 144 or 240 ticks per second. At
other tick rates, the clock also stores the remaining fraction of a flick exactly. The clock returns
its time in whole flicks, rounded down.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import floor

from .schedule import Schedule, exact

FLICKS = 705_600_000
"""The number of flicks in a second."""


@lru_cache(maxsize=1024)
def flicks(seconds: float | Fraction) -> tuple[int, Fraction | int]:
    """Convert seconds to flicks. Return the number of whole flicks, and the remaining fraction of a
    flick.

    The float 1/60 is treated as exactly one sixtieth.
    """
    length = (exact(seconds) if isinstance(seconds, float) else Fraction(seconds)) * FLICKS
    whole = length.numerator // length.denominator
    # The int 0, because testing an int is faster than testing a Fraction.
    return whole, length - whole or 0


class FlickClock:
    """A clock that counts flicks. Its steps are exact, even if a step is not a whole number of
    flicks.
    """

    __slots__ = ("_part", "_rest", "_seconds", "_whole", "before", "now")

    not_state = ("_part", "_seconds", "_whole")

    def __init__(self) -> None:
        self.now = 0
        """The current time, in whole flicks."""
        self.before = 0
        """The time before the last step, in whole flicks."""
        self._rest = Fraction()  # the remaining fraction of a flick
        self._seconds: float | Fraction | None = None  # the argument of the last call to `flicks`
        self._whole, self._part = flicks(0.0)  # the result of that call

    def flicks(self, seconds: float | Fraction) -> int:
        """Return the number of whole flicks in ``seconds``. The result for the last argument is
        cached, because most calls pass the same argument again.
        """
        if seconds is not self._seconds:  # the game usually passes the same object
            self._whole, self._part = flicks(seconds)
            self._seconds = seconds
        return self._whole

    def advance(self, seconds: float | Fraction) -> None:
        """Advance the clock by ``seconds``."""
        self.before = self.now
        self.now += self._whole if seconds is self._seconds else self.flicks(seconds)
        if self._part:
            self._rest += self._part
            if self._rest >= 1:
                self._rest -= 1
                self.now += 1

    def set(self, now: int) -> None:
        """Set the current time and the time `before` the last step to ``now`` flicks. The stored
        fraction of a flick becomes 0.
        """
        self.restore((now, now, Fraction()))

    def state(self) -> tuple[int, int, Fraction]:
        """Return the state of the clock, for `restore`."""
        return self.now, self.before, self._rest

    def restore(self, state: tuple[int, int, Fraction]) -> None:
        """Restore a state that `state` has returned."""
        self.now, self.before, self._rest = state


class TickClock(FlickClock):
    """A clock that advances with the ticks of the game. At the start of a tick, the clock adds the
    duration of the previous tick.
    """

    __slots__ = ("_odd", "due", "group", "length", "step", "ticks")

    # Not part of the hash, because these values can be computed from the rows' clips, which the
    # table's hash contains.
    _not_hashed = (
        "_odd",
        "due",
        "group",
        "length",
    )

    def __init__(self) -> None:
        super().__init__()
        self.step: float | Fraction = 0.0
        """The duration of the current tick in seconds. Between two ticks, it is the duration of the
        last tick. See `take`.
        """
        self.length = 0
        """The duration of the current tick in whole flicks. Between two ticks, it is the duration
        of the last tick.
        """
        self._odd = False  # whether `step` also has a fraction of a flick
        self.ticks = 0
        """The number of ticks since the clock started."""
        self.due = 0
        """The time of the next event in flicks, such as the end of an animation clip. If `due` is
        0, the event happens in the next tick.
        """
        self.group: Schedule | None = None
        """The schedule that sets the speed of this clock. None means that the clock runs at the
        speed of the game's ticks.
        """

    def tick(self, seconds: float | Fraction) -> bool:
        """Begin a tick with a duration of ``seconds``. Return True if the clock has reached the
        time `due`.
        """
        if self._odd:
            self.advance(self.step)
        # The same code as in `advance`. Calling `advance` would be slower, and batches with clips
        # run this code in every tick.
        else:
            self.before = self.now
            self.now += self.length
        if seconds is not self.step:
            self.take(seconds)
        self.ticks += 1
        return self.now >= self.due

    def take(self, seconds: float | Fraction) -> None:
        """Set the duration of this tick to ``seconds``."""
        self.step = seconds
        self.length, fraction = flicks(seconds)
        self._odd = fraction != 0

    def go_with_group(self) -> None:
        """Called at the end of a tick. If the clock has a `group` (a schedule with its own speed),
        use the duration that the tick has in the time of the group.
        """
        if self.step and self.group is not None:
            self.take(self.group.step)

    def moment(self, alpha: float) -> int:
        """Return the time of a frame, in flicks. ``alpha`` is the position of the frame between the
        start of the tick (0) and its end (1).
        """
        return self.now + floor(self.length * alpha)
