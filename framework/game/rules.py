"""What a scene's ticks run beside `update`: tasks, tweens, routines, then the systems of each
phase.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from ..checks import Sealed, choice, shown
from ..checks import function as checked_function
from ..timing.routines import Routines
from ..timing.schedule import Callback, Schedule, name_of
from ..timing.systems import PHASES, System
from ..timing.timestep import NANOSECONDS

if TYPE_CHECKING:  # what few scenes use
    from ..motion.tweens import Tweens

T = TypeVar("T")
S = TypeVar("S", bound=Callback)

# The monitor's names for the phases.
_SERIES = {phase: f"update.{phase}" for phase in PHASES}

_MISSING: Any = object()


class TickTimes(Protocol):
    """Receives the parts of a tick as they end: the recorder of a `Monitor`, or the probe of a sync test."""

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


def _wait_for_a_function(dt: float) -> None: ...


class Systems(Sealed):
    """The functions that a scene calls in each tick, by phase: `Scene.systems`.

    `update` is the first system of "movement". It finds what input, ai and physics decided, and
    collisions find what it moved.
    """

    __slots__ = ("_rules",)
    not_state = True

    def __init__(self, rules: Rules) -> None:
        self._rules = rules

    @overload
    def add(
        self,
        phase: str,
        function: S,
        *,
        group: Schedule | None = None,
        rate: float | Fraction | None = None,
    ) -> S: ...
    @overload
    def add(
        self, phase: str, *, group: Schedule | None = None, rate: float | Fraction | None = None
    ) -> Callable[[S], S]: ...
    def add(
        self,
        phase: str,
        function: Callback = _MISSING,
        *,
        group: Schedule | None = None,
        rate: float | Fraction | None = None,
    ) -> Callable[..., object]:
        """Call ``function(dt)`` in every tick, in one of the `PHASES`, after the functions that
        were added to the phase before. Return the function.

        Without a function, return a decorator:

            @self.systems.add("ai", rate=10)
            def think(dt): ...

        ``dt`` is the tick's simulated seconds. While a phase runs, adding to it and removing from
        it count from the next tick on. Raises `ValueError` for a phase that does not exist.

        Parameters
        ----------
        group
            A group of `Scene.schedule`, say ``self.schedule.group(0.1)``: ``dt`` is then the tick
            in the group's time, and what the function moves is drawn as smoothly as the rest.
        rate
            Calls a second, instead of one in every tick: 10 for decisions, 120 for stiff physics.
        """
        if function is _MISSING:
            check_phase(phase)
            System(_wait_for_a_function, group, rate)  # an error here, not in the next line
            return lambda function: self.add(phase, function, group=group, rate=rate)
        self._rules.add(phase, function, group, rate)
        return function

    def remove(self, phase: str, function: Callback) -> None:
        """Stop calling ``function``. Raises `ValueError` if it is not in that phase."""
        self._rules.remove(phase, function)

    def at_end(self, function: Callable[[], object]) -> None:
        """Call ``function()`` at the end of every tick, after the systems of all scenes and before
        anything is drawn: for a simulation that must be finished before somebody reads it.
        """
        rules = self._rules
        rules.endings = (*rules.endings, checked_function("function", function))

    @property
    def phase_times(self) -> dict[str, float]:
        """Real seconds that each phase took in the scene's last tick, "movement" with `update`.

        Empty while the scene has no system: then nothing is measured.
        """
        return dict(self._rules.phase_times)

    @property
    def times(self) -> list[tuple[str, Callback, float]]:
        """Phase, function and real seconds of each system in the scene's last tick, in the order in
        which they ran.
        """
        return list(self._rules.system_times)
