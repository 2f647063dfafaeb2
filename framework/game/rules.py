"""Run the game logic of a scene in each tick.

The game logic consists of scheduled functions, tweens, routines (coroutines) and systems (functions
that run in every tick).
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

if TYPE_CHECKING:  # only for type checkers: most scenes do not import it
    from ..motion.tweens import Tweens

T = TypeVar("T")
S = TypeVar("S", bound=Callback)

# The names of the phases in the frame statistics.
_SERIES = {phase: f"update.{phase}" for phase in PHASES}

_MISSING: Any = object()


class TickTimes(Protocol):
    """The methods of an object that receives the times of phases and systems, such as the recorder
    of `FrameStats` and the probe of a sync test.
    """

    @property
    def measuring(self) -> bool:
        """Whether the scene must measure times and call `span` and `detail`."""

    def span(self, name: str, start: int, end: int) -> None:
        """Called at the end of each phase of a tick. ``start`` and ``end`` are times in
        nanoseconds.
        """

    def detail(self, name: str, start: int, end: int) -> None:
        """Called at the end of each system (function) of a phase. ``start`` and ``end`` are times
        in nanoseconds.
        """


class Rules:
    """The code that a scene runs in each tick: tasks, tweens, routines and systems. A system is a
    function that the scene calls in one of the phases of a tick.
    """

    not_state = ("phase_times", "system_times")
    _not_hashed = ("endings", "untouched")

    # These are class attributes, so that the state of a scene without tweens and routines stays the
    # same as in older versions.
    tweens: Tweens | None = None
    routines: Routines | None = None
    endings: tuple[Callable[[], object], ...] = ()
    """The functions that the scene calls at the end of each tick, after all rules."""
    untouched: Schedule | None = None
    """A schedule that was created between two ticks, or None. It becomes part of the state when the
    game adds a task to it.
    """

    def __init__(self) -> None:
        self.planned = False
        """Whether the scene has tasks, tweens, routines or systems. If not, a tick of the scene
        only calls `update`.
        """
        self.schedule: Schedule | None = None
        self.phase_times: dict[str, float] = {}
        self.system_times: list[tuple[str, Callback, float]] = []
        # Contains only the phases that have systems.
        self._systems: dict[str, tuple[System, ...]] = {}

    def make_schedule(self) -> Schedule:
        """Return the schedule of the scene. The first call creates the schedule, whose time starts
        at 0.
        """
        if self.schedule is None:
            self.schedule = Schedule() if self.untouched is None else self.untouched
            self.planned = True
        return self.schedule

    def call_or_undo(self, function: Callable[[], T]) -> T:
        """Call ``function()``, and return its result. ``function`` may create a `Tweens`,
        `Routines` or `Schedule` object for the scene. If ``function`` raises an error, remove all
        objects that it has created for the scene.
        """
        before = {**vars(self)}
        try:
            return function()
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def make_tweens(self) -> Tweens:
        """Return the object that runs the scene's tweens. The first call creates it."""
        if self.tweens is None:
            from ..motion.tweens import Tweens  # imported here because few scenes use tweens

            self.make_schedule()
            self.tweens = Tweens()
        return self.tweens

    def make_routines(self) -> Routines:
        """Return the object that runs the routines of the scene. The first call creates it."""
        if self.routines is None:
            self.make_schedule()
            self.routines = Routines()
        return self.routines

    def add(
        self, phase: str, function: Callback, group: Schedule | None, rate: float | Fraction | None
    ) -> None:
        """Add a system (a function) to a phase. The new system is called after the existing systems
        of the phase.
        """
        check_phase(phase)
        self._systems[phase] = (*self._systems.get(phase, ()), System(function, group, rate))
        self.planned = True

    def remove(self, phase: str, function: Callback) -> None:
        """Remove a system (a function) from a phase. Raise `ValueError` if the function is not a
        system of this phase.
        """
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
        """Run the tasks, tweens, routines and systems of the scene for a tick of ``dt`` seconds of
        game time. The function ``update`` runs as the first system of the phase "movement".
        """
        if self.schedule is not None:
            measuring = times.measuring
            start = time.perf_counter_ns() if measuring else 0
            self.schedule.advance(dt)
            if measuring:
                start = _note(times, "update.tasks", start)
            if self.tweens:
                self.tweens.advance()
                if measuring:
                    start = _note(times, "update.tweens", start)
            if self.routines:
                self.routines.run()
                if self.tweens is not None:
                    self.tweens.catch_up()
                if measuring:
                    _note(times, "update.routines", start)
        if self._systems:
            self._run_phases(dt, update, times)
            return
        if self.phase_times:  # the game has removed its last system
            self.phase_times = {}
            self.system_times = []
            self.planned = self.schedule is not None
        update(dt)

    def _run_phases(self, dt: float, update: Callback, times: TickTimes) -> None:
        phases: dict[str, float] = {}
        system_times: list[tuple[str, Callback, float]] = []
        before = time.perf_counter_ns()
        for phase in PHASES:
            phase_start = before
            systems = self._systems.get(phase, ())
            if phase == "movement":
                update(dt)
                before = time.perf_counter_ns()
            for system in systems:
                start = before
                system.run(dt)
                before = time.perf_counter_ns()
                system_times.append((phase, system.function, (before - start) / NANOSECONDS))
                times.detail(name_of(system.function), start, before)
            phases[phase] = (before - phase_start) / NANOSECONDS
            if systems or phase == "movement":
                times.span(_SERIES[phase], phase_start, before)
        self.phase_times = phases
        self.system_times = system_times

    def release(self) -> None:
        """Cancel all tasks, tweens and routines because the scene is being removed from the
        stack.
        """
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
        schedule = self.schedule
        self.schedule = None
        self._systems = {}
        self.phase_times = {}
        self.system_times = []
        self.planned = False
        self.endings = ()
        if schedule is not None:
            schedule.cancel()


def _note(times: TickTimes, name: str, start: int) -> int:
    """Report the time from ``start`` until now as the duration of a phase or a system. Return the
    current time in nanoseconds, at which the next duration starts.
    """
    end = time.perf_counter_ns()
    times.span(name, start, end)
    return end


def check_phase(phase: object) -> None:
    """Raise an error if ``phase`` is not one of the `PHASES`."""
    choice("phase", phase, PHASES)


def _wait_for_a_function(dt: float) -> None: ...


class Systems(Sealed):
    """The functions that a scene calls in each tick, sorted by the phases of the tick. The property
    `Scene.systems` is an object of this class.

    The phases "input", "ai" and "physics" run before `Scene.update`, so `update` can use the
    results of their functions. `update` itself is the first function of the phase "movement". Later
    phases, such as "collision", can use the positions that `update` has set.
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
        """In every tick, call ``function(dt)`` after the functions that were already added to the
        phase. Return ``function``.

        ``phase`` is one of the `PHASES`. If you pass no function, `add` returns a decorator:

            @self.systems.add("ai", rate=10)
            def think(dt): ...

        ``dt`` is the duration of the tick in seconds of game time. If a function adds or removes
        functions of its own phase, the change takes effect in the next tick. Raises `ValueError`
        for an unknown phase.

        Parameters
        ----------
        group
            A group of `Scene.schedule`, such as ``self.schedule.group(0.1)``. With a ``group``,
            ``dt`` and ``rate`` are measured in the time of the group. Objects that the function
            moves are drawn smoothly, even if the function is not called in every tick.
        rate
            The number of calls per second of game time. By default, the function is called once per
            tick. For example, use a rate of 10 to let enemies make decisions, and 120 for physics
            with stiff springs.
        """
        if function is _MISSING:
            check_phase(phase)
            # Create the system here, so that a wrong argument raises its error at the game's own
            # line.
            System(_wait_for_a_function, group, rate)
            return lambda function: self.add(phase, function, group=group, rate=rate)
        self._rules.add(phase, function, group, rate)
        return function

    def remove(self, phase: str, function: Callback) -> None:
        """Stop calling ``function`` in the phase ``phase``. Raises `ValueError` if ``function`` was
        not added to the phase ``phase``.
        """
        self._rules.remove(phase, function)

    def at_end(self, function: Callable[[], object]) -> None:
        """Call ``function()`` at the end of every tick, after the systems of all scenes have run.

        For example, a simulation can finish its work in this function, before the frame is drawn.
        """
        rules = self._rules
        rules.endings = (*rules.endings, checked_function("function", function))

    @property
    def phase_times(self) -> dict[str, float]:
        """The real time in seconds that each phase took in the scene's last tick. The keys are the
        names of the phases. The phase "movement" includes `update`.

        If the scene has no systems, the dict is empty, because the scene does not measure its
        phases.
        """
        return dict(self._rules.phase_times)

    @property
    def times(self) -> list[tuple[str, Callback, float]]:
        """The duration of each system in the scene's last tick. Each item is a tuple: the name of
        the phase, the function, and the duration in real seconds. The list is in the order in which
        the systems were called.
        """
        return list(self._rules.system_times)
