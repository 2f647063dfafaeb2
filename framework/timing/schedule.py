"""Work in game time: once after a delay, or again and again at an interval.

A `Schedule` reads no clock. It is advanced by each tick, and runs what falls due in it. It thus
stands still while the game is paused, slows down with it, and does the same in every run. Due times
are exact fractions: call k of an interval is due at start + k · interval after 24 hours as after a
second, also where the interval is no multiple of the tick.
"""

from __future__ import annotations

__all__ = ["LAST", "Schedule", "Task"]

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import ClassVar, NamedTuple

from ..checks import exact_number, number, takes, wrong_value
from ..errors import FrameworkError
from ..moved_names import WithMoved, current_names, moved

Callback = Callable[[float], object]

LAST = math.inf
"""The ``order`` of a task that runs after all others of its tick."""

MOST_ROUNDS = 100
"""How often in a row tasks may schedule more tasks for the very moment that they run at."""

# A float of so few digits was written down; one of more was divided, and is known again up to this
# denominator.
_WRITTEN_DIGITS = 12
_LARGEST_DENOMINATOR = 10**6

# So few cancelled tasks wait for their time to be thrown away.
_FEW = 32


class Task:
    """What `Schedule.once` and `Schedule.interval` return: a handle to cancel it by."""

    __slots__ = ("_callback", "_waiting", "cancelled", "dt", "due", "interval", "number", "order")

    def __init__(
        self,
        waiting: _Waiting,
        callback: Callback,
        dt: Fraction,
        repeats: bool,
        order: float,
        number: int,
    ) -> None:
        self._waiting = waiting
        self._callback: Callback | None = callback  # None once it was cancelled
        self.interval = dt if repeats else None
        """Seconds between two calls, exactly; None of a task that is called once."""
        self.dt = float(dt)
        """Seconds that it is called with."""
        self.order = order
        """When it is called among those that are due at the same time: the lowest first."""
        self.number = number
        """1 for the first task of its schedule: of the same order, the lowest is called first."""
        self.due: float | None = None
        """When it is called next, in seconds of its schedule's time; None when it never is
        again.
        """
        self.cancelled = False
        """Whether it was cancelled. A task that ran once and is over was not."""

    def cancel(self) -> None:
        """Never call it again; allowed at any time, also from within the task. Of one that is over,
        does nothing.
        """
        if self.due is not None:
            self.cancelled = True
            self.due = self._callback = None  # what the callback refers to is free at once
            self._waiting.note_cancelled()

    def __repr__(self) -> str:
        state = (
            "cancelled"
            if self.cancelled
            else "over"
            if self.due is None
            else f"due at {self.due:g} s"
        )
        return (
            f"<Task {name_of(self._callback)}, {state}>" if self._callback else f"<Task, {state}>"
        )


class _Entry(NamedTuple):
    """A task in a heap, in the order of its fields. The float is there for speed; equal ones are
    told apart exactly.
    """

    about: float
    due: Fraction
    round: int
    order: float
    number: int
    task: Task


class _Waiting:
    """The tasks of a schedule that are not over, in two heaps: those of order `LAST` wait by
    themselves.
    """

    __slots__ = ("_cancelled", "last", "queue")

    def __init__(self) -> None:
        self.queue: list[_Entry] = []
        self.last: list[_Entry] = []
        self._cancelled = 0  # tasks that are still in a heap

    def push(self, task: Task, due: Fraction, turn: int) -> None:
        entry = _Entry(float(due), due, turn, task.order, task.number, task)
        task.due = entry.about
        heappush(self.last if task.order == LAST else self.queue, entry)

    def pop(self, heap: list[_Entry]) -> _Entry:
        entry = heappop(heap)
        self._cancelled -= entry.task.cancelled
        return entry

    def note_cancelled(self) -> None:
        self._cancelled += 1
        if self._cancelled > _FEW and 2 * self._cancelled > len(self.queue) + len(self.last):
            for heap in (self.queue, self.last):
                heap[:] = [entry for entry in heap if not entry.task.cancelled]
                heapify(heap)
            self._cancelled = 0

    def cancel(self) -> None:
        """All of them."""
        entries = *self.queue, *self.last
        self.queue.clear()
        self.last.clear()
        for entry in entries:
            entry.task.cancel()
        self._cancelled = 0


_ONE = Fraction(1)

MOST_RATE = 1_000_000
"""Calls a second of one task or system: with more of them, a tick would not end in any useful
time.
"""


@moved("schedule", {"schedule_once": "once", "schedule_interval": "interval"})
class Schedule(metaclass=WithMoved):
    """Tasks in a time of its own, which `advance` moves on. Every scene has one: `Scene.schedule`.

    A tick of length dt that ends at t covers (t - dt, t]. What is due in it runs in this order: by
    due time; at the same time by ``order``, the lowest first; then as it was scheduled. Tasks of
    order `LAST` wait until nothing else is left to do in the tick. An interval shorter than a tick
    is called several times in one.

    Delays count from the end of the last tick; within a task, from the moment that the task was
    due, so that a task which schedules itself again does not drift. What a task schedules for a
    time within the running tick runs in it; with a delay of 0, in a further round, after everything
    else of the same moment. An exception in a task is raised by `advance`; what was due after it
    runs in the next tick.

    Parameters
    ----------
    time_scale
        Seconds of its time in a second that `advance` is given.
    """

    # Not `checks.Sealed`: each tick sets attributes, and a __setattr__ in Python costs 0.1 µs.
    __slots__ = (
        "__weakref__",
        "_advancing",
        "_dt",
        "_groups",
        "_last",
        "_over",
        "_per_second",
        "_running",
        "_scale",
        "_scheduled",
        "_seconds",
        "_time",
        "_time_scale",
        "_unit_step",
        "_units",
        "_waiting",
        "step",
        "time",
    )

    _transient_attributes: ClassVar[tuple[str, ...]] = ("_dt", "_seconds")
    _not_hashed = (
        "_last",
        "_per_second",
        "_unit_step",
        "_units",
    )  # which follow from the time and the step

    def __init__(self, time_scale: float = 1.0) -> None:
        self.time_scale = time_scale
        self.time = 0.0
        """Seconds of its time so far, at the end of the tick that is running or was the last."""
        self.step = Fraction()
        """How long the tick is in its time, in seconds, exactly; 0 once it was cancelled."""
        self._time = Fraction()  # the time, exactly
        # The same in whole units, of which a step like the last one is some: to add fractions takes
        # 1 µs.
        self._last, self._units, self._unit_step, self._per_second = Fraction(), 0, 0, 1
        self._dt: float | Fraction = 0.0  # what `advance` was given last
        self._seconds = Fraction()  # the same, exactly
        self._waiting = _Waiting()
        self._scheduled = 0
        self._running: _Entry | None = None
        self._advancing = False
        self._over = False
        self._groups: list[_Group] = []

    def __dir__(self) -> list[str]:
        return current_names(type(self), super().__dir__())

    @property
    def time_scale(self) -> float:
        """Its seconds in a second of the game (a group's: of the schedule it belongs to), from the
        next tick on.

        At 0 it stands still and runs nothing.
        """
        return self._time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        scale = duration("time_scale", value)
        self._scale = _ONE if scale == 1 else scale
        self._time_scale = float(value)

    @property
    def dt(self) -> float:
        """How long the tick is in its time, in seconds: ``bullet.x += 300 * self.slow.dt`` within
        `update`.
        """
        return float(self.step)

    @property
    def now(self) -> Fraction:
        """The moment that a delay counts from, exactly: within a task that at which it was due,
        else `time`.
        """
        return self._time if self._running is None else self._running.due

    @property
    def over(self) -> bool:
        """Whether it was cancelled, for good."""
        return self._over

    # -- tasks -------------------------------------------------------------------------------------

    def once(self, callback: Callback, delay: float | Fraction, *, order: float = 0) -> Task:
        """Call ``callback(delay)`` once, ``delay`` seconds from now.

        0 is the next tick; within a task, this one. Raises `FrameworkError` when tasks have
        scheduled tasks for the same moment 100 times in a row, and names the callback.
        """
        return self._add(callback, duration("delay", delay), False, order)

    def interval(self, callback: Callback, interval: float | Fraction, *, order: float = 0) -> Task:
        """Call ``callback(interval)`` every ``interval`` seconds, first after one interval.

        The rate is exact in the mean: ``schedule.interval(think, 1 / 7)`` is called 7 times in each
        second of 60 ticks. A float is taken as the decimal that it was written as, or the simple
        fraction that it was divided from.
        """
        seconds = duration("interval", interval)
        if not seconds:
            raise wrong_value("interval", "a number of seconds above 0", interval)
        if seconds * MOST_RATE < 1:
            raise wrong_value("interval", f"at least {1 / MOST_RATE:.6f} seconds", interval)
        return self._add(callback, seconds, True, order)

    def _add(self, callback: Callback, delay: Fraction, repeats: bool, order: float) -> Task:
        takes("callback", callback, "a function of dt", "the seconds that have passed")
        order = LAST if isinstance(order, float) and order == LAST else number("order", order)
        self._check_live()
        running, turn = self._running, 1
        due = delay + self.now
        if running is not None and not delay:
            turn = running.round + 1
            if turn > MOST_ROUNDS:
                raise FrameworkError(
                    f"{name_of(callback)} was scheduled with delay 0 from within a "
                    "task, which was itself, and so on "
                    f"for {MOST_ROUNDS} rounds of one tick. Give it a delay above 0, "
                    "or use schedule.interval."
                )
        self._scheduled += 1
        task = Task(self._waiting, callback, delay, repeats, order, self._scheduled)
        self._waiting.push(task, due, turn)
        return task

    # -- groups ------------------------------------------------------------------------------------

    def group(self, time_scale: float = 1.0) -> Schedule:
        """A schedule of its own time scale within this one: slow motion for some things of a world.

        Its time begins with the next tick. In each tick its tasks run after this schedule's own,
        groups in the order in which they were made, and before this schedule's tasks of order
        `LAST`. `cancel` ends it.
        """
        self._check_live()
        return _Group(time_scale, self._groups)

    def cancel(self) -> None:
        """Cancel all tasks and groups, for good: nothing can be scheduled here any more. Twice does
        nothing more.
        """
        self._over = True
        self.step = Fraction()
        self._waiting.cancel()
        for group in tuple(self._groups):
            group.cancel()

    def _check_live(self) -> None:
        if self._over:
            raise FrameworkError(
                "This schedule was cancelled, or its scene was taken off; use another."
            )

    # -- time --------------------------------------------------------------------------------------

    def advance(self, dt: float | Fraction) -> None:
        """A tick of ``dt`` seconds: run what falls due in it. A game does this for the schedules of
        its scenes.

        0 seconds run nothing. Raises `FrameworkError` from within a task, and for a group, which
        goes with the schedule that it belongs to.
        """
        if dt is not self._dt:  # as a rule all are one
            self._seconds, self._dt = duration("dt", dt), dt
        if self._advancing:
            raise FrameworkError(
                "advance: this schedule is running already; a task cannot advance it"
            )
        self._pass(self._seconds)
        waiting = self._waiting
        if waiting.queue or waiting.last or self._groups:
            self._advancing = True
            try:
                self._run()
            finally:
                self._advancing = False

    def _pass(self, step: Fraction) -> None:
        """Time goes on, here and in all groups, before any task runs: one that fails leaves no
        clock behind.
        """
        if self._scale is not _ONE:
            step *= self._scale
        self.step = step
        if step is not self._last and step != self._last:
            self._take(step)
        if self._unit_step:
            units = self._units = self._units + self._unit_step
            self._time = Fraction(units, self._per_second)
            self.time = units / self._per_second
        for group in self._groups:
            group._pass(step)

    def _take(self, step: Fraction) -> None:
        """Steps are others now: so are the units."""
        time, second = self._time, math.lcm(self._time.denominator, step.denominator)
        self._last, self._per_second = step, second
        self._units = time.numerator * (second // time.denominator)
        self._unit_step = step.numerator * (second // step.denominator)

    def _run(self) -> None:
        if not self.step:
            return
        waiting = self._waiting
        if waiting.queue:
            self._run_due(waiting.queue)
        if self._groups:
            for group in tuple(self._groups):
                group._run()
            self._run_due(waiting.queue)  # what the groups scheduled here
        while waiting.last and self._is_due(waiting.last):
            self._call(waiting.pop(waiting.last))
            self._run_due(waiting.queue)

    def _run_due(self, queue: list[_Entry]) -> None:
        while self._is_due(queue):
            self._call(self._waiting.pop(queue))

    def _is_due(self, heap: list[_Entry]) -> bool:
        return bool(heap) and heap[0].about <= self.time and heap[0].due <= self._time

    def _call(self, entry: _Entry) -> None:
        task = entry.task
        callback = task._callback
        if callback is None:
            return
        if task.interval is None:
            task.due = None
        else:
            self._waiting.push(task, entry.due + task.interval, 1)
        self._running = entry
        try:
            callback(task.dt)
        finally:
            self._running = None


def exact_time_of(schedule: Schedule) -> Fraction:
    """Return `Schedule.time`, exactly."""
    return schedule._time


class _Group(Schedule):
    """A schedule among the ``groups`` of another, which advances them."""

    __slots__ = ("_siblings",)

    def __init__(self, time_scale: float, groups: list[_Group]) -> None:
        super().__init__(time_scale)
        self._siblings = groups
        groups.append(self)

    def advance(self, dt: float | Fraction) -> None:
        duration("dt", dt)
        raise FrameworkError("advance: this is a group; advance the schedule that it belongs to")

    def cancel(self) -> None:
        if self in self._siblings:
            self._siblings.remove(self)
        super().cancel()


def duration(name: str, value: float | Fraction) -> Fraction:
    """A number of seconds, of at least 0, exactly as it was meant."""
    seconds = exact_number(name, value, least=0)
    return exact(seconds) if isinstance(seconds, float) else Fraction(seconds)


@lru_cache(maxsize=1024)
def exact(number: float) -> Fraction:
    """The number that was meant by a float: a decimal of a few digits, else a simple quotient such
    as 1 / 60.

    Read digit by digit, 1 / 90 would be a little more than a ninetieth, and each call due at the
    end of a tick of that length would come a tick late. 1 / 59.94 is rounded twice, hence the
    second unit in the last place.
    """
    if float(f"{number:.{_WRITTEN_DIGITS}g}") != number:
        quotient = Fraction(number).limit_denominator(_LARGEST_DENOMINATOR)
        if abs(float(quotient) - number) <= 2 * math.ulp(number):
            return quotient
    return Fraction(str(number))


def name_of(callback: object) -> str:
    """What a callback is called where it was written."""
    return str(getattr(callback, "__qualname__", None) or repr(callback))
