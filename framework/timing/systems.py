"""Systems: functions that are called in a phase of each tick, in their group's time, at their own
rate.
"""

from __future__ import annotations

__all__ = ["PHASES"]

import math
from fractions import Fraction

from .. import checks
from .schedule import MOST_RATE, Callback, Schedule, exact

PHASES = ("input", "ai", "physics", "movement", "collision", "animation", "camera")
"""The parts of a tick, in order, that systems are registered to: `Scene.systems`."""


class System:
    """A function of dt, and when it is called. Raises `ValueError` or `TypeError` for what cannot
    be one.

    Without a ``rate`` it is called in every tick. ``dt`` is then the tick's length in the time of
    its ``group``; where that is longer than a tick, in several steps of the same length, none
    longer than a tick: what is stable at the game's own pace stays so. With a ``rate``, calls are
    due at k / rate of that time, exactly, after the first interval: none, one or several in a tick,
    each of ``dt = 1 / rate``.
    """

    __slots__ = ("_interval", "_time", "function", "group")

    def __init__(
        self,
        function: Callback,
        group: Schedule | None = None,
        rate: float | Fraction | None = None,
    ) -> None:
        self.function = checks.takes(
            "function", function, "a function of dt", "the seconds of the step"
        )
        what = "a Schedule, such as scene.schedule.group(0.5)"
        self.group = None if group is None else checks.instance("group", group, Schedule, what=what)
        self._interval = None if rate is None else 1 / checks.positive_fraction("rate", rate)
        if self._interval is not None and self._interval * MOST_RATE < 1:
            raise checks.wrong_value("rate", f"at most {MOST_RATE:,} calls a second", rate)
        self._time = Fraction()  # since the last call, with a rate

    def run(self, dt: float) -> None:
        """A tick of ``dt`` seconds; the schedule of the group has advanced already."""
        if self.group is None and self._interval is None:
            self.function(dt)
            return
        step = exact(dt) if self.group is None else self.group.step
        if self._interval is not None:
            self._time += step
            while self._time >= self._interval:
                self._time -= self._interval
                self.function(float(self._interval))
        elif step:
            pieces = math.ceil(step / exact(dt))
            for _ in range(pieces):
                self.function(float(step / pieces))
