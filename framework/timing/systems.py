"""The functions that a scene calls in each tick, or at a fixed rate (systems)."""

from __future__ import annotations

__all__ = ["PHASES"]

import math
from fractions import Fraction

from .. import checks
from .schedule import MAX_RATE, Callback, Schedule, exact

PHASES = ("input", "ai", "physics", "movement", "collision", "animation", "camera")
"""The phases of a tick, in the order in which they run. See `Scene.systems`."""


class System:
    """A function that a scene calls with ``dt``, in each tick or at a fixed rate. With a ``group``
    of the scene's schedule, ``dt`` and ``rate`` are measured in the time of the group.

    Without a ``rate``, the function is called in each tick, and ``dt`` is the duration of the tick
    in seconds of the ``group``. If the time scale of the group is above 1, the function is called
    several times per tick, so that ``dt`` is never longer than a tick at normal speed. So a
    simulation that is stable at normal speed is also stable at high speed.

    With a ``rate``, the function is called at the times 1 / rate, 2 / rate, 3 / rate and so on. In
    one tick, the scene may call the function once, several times or never. ``dt`` is always 1 /
    rate.

    An invalid argument raises `ValueError` or `TypeError`. The error message contains the name of
    the argument.
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
        if self._interval is not None and self._interval * MAX_RATE < 1:
            raise checks.wrong_value("rate", f"at most {MAX_RATE:,} calls a second", rate)
        self._time = Fraction()  # the time since the last call in seconds, for systems with a rate

    def run(self, dt: float) -> None:
        """Call the function for a tick of ``dt`` seconds. Call this method after the group has
        advanced in this tick.
        """
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
