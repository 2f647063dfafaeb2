"""Call functions after a delay, or repeatedly at an interval of game time.

A `Schedule` does not read the computer's clock. In each tick, the scene advances the time of its
schedule, and the schedule calls all tasks that are due. Therefore, tasks pause and slow down
together with the game, and two runs of the game with the same input call the same tasks. Times are
exact fractions: even after 24 hours, call number k of a task is due at start + k · interval. An
interval may be any number of seconds, not only a multiple of the tick's duration.
"""

from __future__ import annotations

__all__ = ["LAST", "Schedule", "Task"]

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import ClassVar, NamedTuple

from ..checks import exact_number, number, shown, takes, wrong_value
from ..errors import FrameworkError
from ..moved_names import WithMoved, current_names, moved
from ..other_engines.other_options import made_by, other_options
from ..other_engines.schedule_names import schedule_names

Callback = Callable[[float], object]

LAST = math.inf
"""A value for the option ``order`` of a task. A task with the order `LAST` is called after all
other tasks of the same tick.
"""

MAX_ROUNDS = 100
"""The maximum length of a chain of tasks that schedule each other with a delay of 0. It is also the
maximum length of a chain of routines that start each other in one tick.
"""

# A float with at most 12 digits is read as a decimal number. Other floats are read as a fraction
# with a denominator of at most a million.
_MAX_DIGITS = 12
_MAX_DENOMINATOR = 10**6

# The number of cancelled tasks that may stay in the heaps until they are due.
_MAX_CANCELLED = 32


@made_by("write self.schedule.once(function, 1.0)")
class Task:
    """A function that a schedule calls later in game time, once or many times.

    `Schedule.once` and `Schedule.interval` return a task. To stop the task, call `cancel`.
    """

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
        self._callback: Callback | None = callback  # None after `cancel`
        self.interval = dt if repeats else None
        """The exact time between two calls, in seconds, or None for a task that is called only
        once.
        """
        self.dt = float(dt)
        """The number of seconds that is passed to the function: the delay or the interval of the
        task.
        """
        self.order = order
        """If several tasks are due at the same time, the task with the lowest order is called
        first.
        """
        self.number = number
        """The number of the task in its schedule. The first task has the number 1. If two tasks
        have the same due time and the same order, the task with the lower number is called first.
        """
        self.due: float | None = None
        """The time of the next call, in seconds of the schedule, or None if there is no next
        call.
        """
        self.cancelled = False
        """True after `cancel` was called. After the last call of a task, ``cancelled`` is still
        False.
        """

    def cancel(self) -> None:
        """Stop the task: the schedule never calls the function again.

        You can call `cancel` at any time, even in the function of the task. If the task has already
        ended, `cancel` does nothing.
        """
        if self.due is not None:
            self.cancelled = True
            self.due = self._callback = None  # Python can now delete the callback and its objects
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
    """A waiting task in a heap (a list whose first item is always the next task). The heap compares
    the fields of two tasks in this order: first ``about``, then ``due``, and so on. ``about`` is
    the due time as a float, because Python compares floats faster than fractions.
    """

    about: float
    due: Fraction
    round: int
    order: float
    number: int
    task: Task


class _Waiting:
    """The tasks of a schedule that are waiting for their next call. Tasks with the order `LAST`
    have a separate heap.
    """

    __slots__ = ("_cancelled", "last", "queue")

    def __init__(self) -> None:
        self.queue: list[_Entry] = []
        self.last: list[_Entry] = []
        self._cancelled = 0  # number of cancelled tasks that are still in a heap

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
        if self._cancelled > _MAX_CANCELLED and 2 * self._cancelled > len(self.queue) + len(
            self.last
        ):
            for heap in (self.queue, self.last):
                heap[:] = [entry for entry in heap if not entry.task.cancelled]
                heapify(heap)
            self._cancelled = 0

    def cancel(self) -> None:
        entries = *self.queue, *self.last
        self.queue.clear()
        self.last.clear()
        for entry in entries:
            entry.task.cancel()
        self._cancelled = 0


_ONE = Fraction(1)

MAX_RATE = 1_000_000
"""The maximum number of calls per second of a task or a system.

More calls would make ticks too slow.
"""


def _swapped(method: str, callback: object, seconds: object) -> TypeError:
    """Return the error for a call that passes the function and the seconds in the wrong order."""
    name = name_of(seconds)
    function = name if name.isidentifier() else "function"
    return TypeError(
        f"callback: expected a function of dt, got {shown(callback)}; the function comes first: "
        f"write schedule.{method}({function}, {shown(callback)})"
    )


@moved("schedule", {"schedule_once": "once", "schedule_interval": "interval"})
@schedule_names
class Schedule(metaclass=WithMoved):
    """Calls functions at exact times of game time. Each scene has a schedule: ``Scene.schedule``.

    A tick of ``dt`` seconds ends at a game time t. The tick calls all tasks that are due after the
    time t - dt, and not later than t. Tasks are called in the order of their due times. If several
    tasks are due at the same time, the task with the lowest ``order`` is called first. If the order
    is also the same, the task that was created first is called first. Tasks with the order `LAST`
    are called at the end of the tick. If an interval is shorter than a tick, the schedule calls the
    task several times per tick.

    A delay usually starts at the end of the last tick. In the function of a task, a delay starts at
    the exact due time of this task. So a task that schedules itself again in each call stays exact.
    If a task schedules a second task that is due in this tick, the second task is called in this
    tick, too. With a delay of 0, the second task is called after all other tasks with the same due
    time.

    If a task raises an exception, `advance` raises the same exception. The next tick calls the
    tasks that this tick has not called.

    Parameters
    ----------
    time_scale
        The speed of the schedule: how many seconds its time advances for each second that is passed
        to `advance`. Default: 1.
    """

    # This class is not `checks.Sealed`, because every tick sets attributes. A __setattr__ in Python
    # costs 0.1 µs.
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
    # Not part of the hash, because these values can be computed from the time and the step.
    _not_hashed = (
        "_last",
        "_per_second",
        "_unit_step",
        "_units",
    )

    def __init__(self, time_scale: float = 1.0) -> None:
        self.time_scale = time_scale
        self.time = 0.0
        """The time at the end of the current tick in seconds of the schedule. Between two ticks, it
        is the time at the end of the last tick.
        """
        self.step = Fraction()
        """The exact duration of this tick in seconds of the schedule. `step` is 0 after
        `cancel`.
        """
        self._time = Fraction()  # the exact time
        # The same time as an integer count of units. The last step is a whole number of these
        # units. A sum of fractions would take 1 µs.
        self._last = Fraction()
        self._units = 0
        self._unit_step = 0
        self._per_second = 1
        self._dt: float | Fraction = 0.0  # the argument of the last call to `advance`
        self._seconds = Fraction()  # `_dt` as an exact fraction
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
        """The number of seconds that the schedule advances during one second of the game.

        The default is 1. A group advances by `time_scale` seconds during one second of its outer
        schedule. A new value takes effect in the next tick. With 0, the schedule is paused and does
        not call any tasks.
        """
        return self._time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        scale = duration("time_scale", value)
        self._scale = _ONE if scale == 1 else scale
        self._time_scale = float(value)

    @property
    def dt(self) -> float:
        """The duration of this tick, in seconds of the schedule.

        For slow motion, multiply speeds by the `dt` of a group in `update`: ``bullet.x += 300 *
        self.slow.dt``.
        """
        return float(self.step)

    @property
    def now(self) -> Fraction:
        """The exact time at which a new delay starts. In the function of a task, `now` is the exact
        due time of the task. Outside of tasks, `now` is the exact value of `time`.
        """
        return self._time if self._running is None else self._running.due

    @property
    def over(self) -> bool:
        """True after `cancel` was called."""
        return self._over

    # -- tasks -------------------------------------------------------------------------------------

    def once(self, callback: Callback, delay: float | Fraction, *, order: float = 0) -> Task:
        """Call ``callback(delay)`` once, after ``delay`` seconds.

        With a delay of 0, the function is called in the next tick. In the function of a task, a
        delay of 0 means the same tick. If several tasks are due at the same time, the task with the
        lowest ``order`` is called first. Return the `Task`, which you can cancel.

        Raises
        ------
        FrameworkError
            If the schedule was cancelled, or if more than 100 tasks in a row have scheduled each
            other with a delay of 0.
        """
        if type(delay) is not float and callable(delay):
            raise _swapped("once", callback, delay)
        return self._add(callback, duration("delay", delay), False, order)

    @other_options(
        **dict.fromkeys(
            ("repeat", "times", "count"),
            "keep the task, and call task.cancel() after the last call",
        ),
    )
    def interval(self, callback: Callback, interval: float | Fraction, *, order: float = 0) -> Task:
        """Call ``callback(interval)`` every ``interval`` seconds, for the first time after
        ``interval`` seconds.

        The average time between two calls is exactly ``interval`` seconds. For example, after
        ``schedule.interval(think, 1/7)``, the function is called 7 times per second, even at 60
        ticks per second. A float such as 0.1 or 1/7 means exactly one tenth or one seventh. The
        interval must be at least 0.000001 seconds. Return the `Task`, which you can cancel.
        """
        if type(interval) is not float and callable(interval):
            raise _swapped("interval", callback, interval)
        seconds = duration("interval", interval)
        if not seconds:
            raise wrong_value("interval", "a number of seconds above 0", interval)
        if seconds * MAX_RATE < 1:
            raise wrong_value("interval", f"at least {1 / MAX_RATE:.6f} seconds", interval)
        return self._add(callback, seconds, True, order)

    def _add(self, callback: Callback, delay: Fraction, repeats: bool, order: float) -> Task:
        takes("callback", callback, "a function of dt", "the seconds that have passed")
        order = LAST if isinstance(order, float) and order == LAST else number("order", order)
        self._check_live()
        running = self._running
        turn = 1
        due = delay + self.now
        if running is not None and not delay:
            turn = running.round + 1
            if turn > MAX_ROUNDS:
                raise FrameworkError(
                    f"{name_of(callback)} was scheduled with delay 0 from within a "
                    "task, which was itself, and so on "
                    f"for {MAX_ROUNDS} rounds of one tick. Give it a delay above 0, "
                    "or use schedule.interval."
                )
        self._scheduled += 1
        task = Task(self._waiting, callback, delay, repeats, order, self._scheduled)
        self._waiting.push(task, due, turn)
        return task

    # -- groups ------------------------------------------------------------------------------------

    def group(self, time_scale: float = 1.0) -> Schedule:
        """Return a new schedule inside this schedule. The new schedule has its own time scale, for
        example for slow motion.

        The time of the group starts in the next tick. In each tick, the schedule calls its own
        tasks first, and then the tasks of its groups. Tasks of this schedule with the order `LAST`
        are called after the tasks of all groups. If there are several groups, the oldest group is
        called first. To end the group, call ``group.cancel()``.
        """
        self._check_live()
        return _Group(time_scale, self._groups)

    @other_options(_="write task = self.schedule.once(function, 1.0) and task.cancel()")
    def cancel(self) -> None:
        """Cancel all tasks and groups, and end the schedule.

        After this call, the methods `once`, `interval` and `group` raise `FrameworkError`. Calling
        `cancel` again does nothing.
        """
        self._over = True
        self.step = Fraction()
        self._waiting.cancel()
        for group in tuple(self._groups):
            group.cancel()

    def _check_live(self) -> None:
        if self._over:
            raise FrameworkError(
                "This schedule was cancelled, or its scene was removed; use another schedule."
            )

    # -- time --------------------------------------------------------------------------------------

    def advance(self, dt: float | Fraction) -> None:
        """Advance the time by ``dt`` seconds, and call all tasks that are due.

        A game calls this method for the schedule of each scene. If ``dt`` is 0, no task is called.
        Raises `FrameworkError` if a task calls this method. Also raises `FrameworkError` if the
        schedule is a group, because a group is advanced by its outer schedule.
        """
        if dt is not self._dt:  # the caller usually passes the same object
            self._seconds = duration("dt", dt)
            self._dt = dt
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
        """Advance the time of this schedule and of all its groups.

        The time of all schedules is advanced before the first task is called, so an exception in a
        task does not stop the time of any schedule.
        """
        if self._scale is not _ONE:
            step *= self._scale
        self.step = step
        if step is not self._last and step != self._last:
            self._change_units(step)
        if self._unit_step:
            units = self._units = self._units + self._unit_step
            self._time = Fraction(units, self._per_second)
            self.time = units / self._per_second
        for group in self._groups:
            group._pass(step)

    def _change_units(self, step: Fraction) -> None:
        """Choose a new unit of time, of which the current time and the duration of a tick are
        multiples. Exact times are then integers, which are faster than fractions.
        """
        time = self._time
        second = math.lcm(time.denominator, step.denominator)
        self._last = step
        self._per_second = second
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
            self._run_due(waiting.queue)  # tasks that a group has added to this schedule
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
    """Return the exact time of a schedule, as a fraction. The attribute `Schedule.time` contains
    the same time as a float.
    """
    return schedule._time


class _Group(Schedule):
    """A schedule inside another schedule, created by `Schedule.group`. The outer schedule advances
    the time of the group.
    """

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
    """Return a time in seconds as an exact fraction: `exact` converts floats. Raises an error if
    the time is negative.
    """
    seconds = exact_number(name, value, least=0)
    return exact(seconds) if isinstance(seconds, float) else Fraction(seconds)


@lru_cache(maxsize=1024)
def exact(number: float) -> Fraction:
    """Convert a float to the fraction that the programmer probably means. Most floats in programs
    mean a short decimal number, such as 0.1, or a simple fraction, such as 1 / 60.

    For example, the float 1 / 90 is slightly larger than one ninetieth. Without this function, a
    task with the interval 1 / 90 would be due slightly after the end of a tick of 1 / 90 second.
    The schedule would then call this task one tick late. A float such as 1/59.94 has two rounding
    errors: one from 59.94, and one from the division. If the float is almost equal to a simple
    fraction, the function returns this fraction.

    "Almost equal" means a difference of at most two units in the last binary place of the float.
    """
    if float(f"{number:.{_MAX_DIGITS}g}") != number:
        quotient = Fraction(number).limit_denominator(_MAX_DENOMINATOR)
        if abs(float(quotient) - number) <= 2 * math.ulp(number):
            return quotient
    return Fraction(str(number))


def name_of(callback: object) -> str:
    """Return the qualified name of a function, such as "Menu.on_click". If the object has no name,
    return its repr.
    """
    return str(getattr(callback, "__qualname__", None) or repr(callback))
