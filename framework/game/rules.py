"""What a scene's ticks run beside `update`: tasks, tweens, routines, then the systems of each
phase.
"""

from __future__ import annotations

import time
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..checks import choice, shown
from ..timing.routines import Routines
from ..timing.schedule import Callback, Schedule, name_of
from ..timing.systems import PHASES, System
from ..timing.timestep import NANOSECONDS

if TYPE_CHECKING:  # what few scenes use
    from collections.abc import Callable

    from ..motion.tweens import Tweens

T = TypeVar("T")

# The monitor's names for the phases.
_SERIES = {phase: f"update.{phase}" for phase in PHASES}


class TickTimes(Protocol):
    """Receives the parts of a tick as they end: a `Monitor`, or the probe of a sync test."""

    @property
    def measuring(self) -> bool:
        """Whether `span` and `detail` are to be called."""

    def span(self, name: str, start: int, end: int) -> None:
        """A phase ended; ``start`` and ``end`` are nanoseconds."""

    def detail(self, name: str, start: int, end: int) -> None:
        """A system ended; ``start`` and ``end`` are nanoseconds."""


class Rules:
    """The schedule of a scene, and its systems by phase."""

    not_state = ("phase_times", "system_times")
    _not_hashed = ("endings", "untouched")

    # Of few scenes: those that have none are in the same state as if there were no such thing.
    tweens: Tweens | None = None
    routines: Routines | None = None
    endings: tuple[Callable[[], object], ...] = ()
    """Called at the end of each tick, after all rules."""
    untouched: Schedule | None = None
    """A schedule that was made when it was read between ticks: it becomes `schedule` when there is
    a use for one.
    """

    def __init__(self) -> None:
        self.planned = False
        """Whether there is more to a tick than `update`."""
        self.schedule: Schedule | None = None
        self.phase_times: dict[str, float] = {}
        self.system_times: list[tuple[str, Callback, float]] = []
        self._systems: dict[str, tuple[System, ...]] = {}  # of the phases that have any

    def make_schedule(self) -> Schedule:
        """The schedule, whose time begins when it is first asked for."""
        if self.schedule is None:
            self.schedule = Schedule() if self.untouched is None else self.untouched
            self.planned = True
        return self.schedule

    def asked(self, ask: Callable[[], T]) -> T:
        """What ``ask`` returns. If it is refused, what was made as it was the first to need it is
        there no more.
        """
        before = {**vars(self)}
        try:
            return ask()
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def make_tweens(self) -> Tweens:
        """The scene's tweens, from when the first one is made."""
        if self.tweens is None:
            from ..motion.tweens import Tweens  # few scenes use them

            self.make_schedule()
            self.tweens = Tweens()
        return self.tweens

    def make_routines(self) -> Routines:
        """The scene's routines, from when the first one is started."""
        if self.routines is None:
            self.make_schedule()
            self.routines = Routines()
        return self.routines

    def add(
        self, phase: str, function: Callback, group: Schedule | None, rate: float | Fraction | None
    ) -> None:
        """Run the function in every tick, after what is in its phase."""
        check_phase(phase)
        self._systems[phase] = (*self._systems.get(phase, ()), System(function, group, rate))
        self.planned = True

    def remove(self, phase: str, function: Callback) -> None:
        """Run it no longer. Raises `ValueError` if it is not in the phase."""
        check_phase(phase)
        systems = list(self._systems.get(phase, ()))
        for index, system in enumerate(systems):
            if system.function == function:
                del systems[index]
                break
        else:
            raise ValueError(f"function: {shown(function)} is not a system of the phase {phase!r}")
        self._systems[phase] = tuple(systems)
        if not systems:
            del self._systems[phase]

    def run(self, dt: float, update: Callback, times: TickTimes) -> None:
        """A tick of ``dt`` simulated seconds; ``update`` is the first system of "movement"."""
        if self.schedule is not None:
            noted = times.measuring
            began = time.perf_counter_ns() if noted else 0
            self.schedule.advance(dt)
            if noted:
                began = _note(times, "update.tasks", began)
            if self.tweens:
                self.tweens.advance()
                if noted:
                    began = _note(times, "update.tweens", began)
            if self.routines:
                self.routines.run()
                if self.tweens is not None:
                    self.tweens.catch_up()
                if noted:
                    _note(times, "update.routines", began)
        if self._systems:
            self._run_phases(dt, update, times)
            return
        if self.phase_times:  # the last system was removed
            self.phase_times, self.system_times = {}, []
            self.planned = self.schedule is not None
        update(dt)

    def _run_phases(self, dt: float, update: Callback, times: TickTimes) -> None:
        phases: dict[str, float] = {}
        singly: list[tuple[str, Callback, float]] = []
        before = time.perf_counter_ns()
        for phase in PHASES:
            began = before
            systems = self._systems.get(phase, ())
            if phase == "movement":
                update(dt)
                before = time.perf_counter_ns()
            for system in systems:
                start = before
                system.run(dt)
                before = time.perf_counter_ns()
                singly.append((phase, system.function, (before - start) / NANOSECONDS))
                times.detail(name_of(system.function), start, before)
            phases[phase] = (before - began) / NANOSECONDS
            if systems or phase == "movement":
                times.span(_SERIES[phase], began, before)
        self.phase_times, self.system_times = phases, singly

    def release(self) -> None:
        """The scene was taken off: what it has begun is cancelled."""
        try:
            if self.routines is not None:
                self.routines.release()
        finally:
            if self.tweens is not None:
                self.tweens.release()
            for name in ("routines", "tweens"):
                vars(self).pop(name, None)
            self._end_tasks()

    def _end_tasks(self) -> None:
        schedule, self.schedule = self.schedule, None
        self._systems, self.phase_times, self.system_times = {}, {}, []
        self.planned, self.endings = False, ()
        if schedule is not None:
            schedule.cancel()


def _note(times: TickTimes, name: str, began: int) -> int:
    """What has this name has ended now, which is returned."""
    ended = time.perf_counter_ns()
    times.span(name, began, ended)
    return ended


def check_phase(phase: object) -> None:
    """Raise an error unless it is one of the `PHASES`."""
    choice("phase", phase, PHASES)
