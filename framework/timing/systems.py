"""Systems: functions of a scene that run in a phase of every tick, or at a fixed rate."""

from __future__ import annotations

__all__ = ["PHASES"]

import math
from fractions import Fraction

from .. import checks
from .schedule import MAX_RATE, Callback, Schedule, exact

PHASES = ("input", "ai", "physics", "movement", "collision", "animation", "camera")
"""The phases of a tick, in order. See `Scene.systems`."""


class System:
    """A function that a scene calls with ``dt``, in every tick or at a fixed rate. If a system has
    a group, the time of the system is the time of this schedule group.

    Without a ``rate``, the function is called in every tick. Without a ``rate``, ``dt`` is the
    length of the tick in the time of ``group``. If the time scale of the group is above 1, the
    function is called several times per tick. In each call, ``dt`` is at most the length of a
    normal tick. So a simulation that is stable at normal speed is also stable at a higher time
    scale.

    With a ``rate``, call number k is due exactly at k / rate seconds in the time of the group. A
    tick may make no call, one call or several calls. In each call of a system with a rate, ``dt``
    is 1 / rate.

    A wrong argument raises `ValueError` or `TypeError`. The error message names the wrong argument.
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
        self._time = Fraction()  # seconds since the last call, used with a rate

    def run(self, dt: float) -> None:
        """Call the function for a tick of ``dt`` seconds. The group of the system must have
        advanced first.
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
