"""Routines: coroutines that wait in game time, with their own scheduler instead of asyncio.

The routines of a scene are resumed at one point of every tick, in the order of the moments that
they wait for. For the same moment, the routine that waits longest is first. Routines that wait for
ticks, conditions or presses follow at the end of the tick. Moments are exact fractions, as in
`Schedule`: a loop that waits 1/7 second runs seven times per second.

Task groups follow Nathaniel J. Smith's nurseries (https://vorpal.net/notes, "Notes on structured
concurrency", 2018): routines that start in a block end with the block.
"""

from __future__ import annotations

__all__ = ["Routine", "TaskGroup"]

import functools
import sys
import types
from collections.abc import Callable, Coroutine, Generator
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any, ParamSpec, Protocol, cast

from ..checks import function, shown
from ..errors import FrameworkError
from .schedule import MAX_ROUNDS, Schedule, duration, exact_time_of, name_of

MAX_MOMENTS = 100_000
"""The largest number of moments per tick at which routines are resumed."""

_MIN_OVER = 32  # up to this number, routines that are over stay in the waiting lists

_NO_ASYNCIO = (
    "asyncio's functions do not work in a game's ticks: write await self.seconds(t), "
    "self.until(…), …"
)

_NUMBERS = frozenset({int, float})  # most routines wait for these: ticks or seconds

_GENERATOR, _COROUTINE = 0x20, 0x80  # code flags, as in `inspect`

Script = Coroutine[Any, Any, Any]
Parameters = ParamSpec("Parameters")


class Wait(Protocol):
    """An object that a routine can wait for, besides ticks (an int) and seconds (a float or
    fraction).
    """

    def hold(self, routine: Routine) -> None:
        """Make the routine wait, and call `wake` when its wait is over."""


def waiting(
    function: Callable[Parameters, Generator[Any, None, None]],
) -> Callable[Parameters, Coroutine[Any, None, None]]:
    """Turn a generator function into a coroutine function, which waits for the yielded values.

    Like `types.coroutine` it changes the flags of the code. But the result is a true coroutine, so
    Python warns about a forgotten ``await``. Calls are as fast as with `types.coroutine`.
    """
    original = cast(types.FunctionType, function)
    flags = original.__code__.co_flags & ~_GENERATOR | _COROUTINE
    code = original.__code__.replace(co_flags=flags)
    coroutine_function = types.FunctionType(
        code,
        original.__globals__,
        original.__name__,
        original.__defaults__,
        original.__closure__,
    )
    functools.update_wrapper(coroutine_function, original)
    return cast(Callable[Parameters, Coroutine[Any, None, None]], coroutine_function)


@types.coroutine
def wait(what: Wait | int | float | Fraction) -> Generator[Any, None, None]:
    """Wait for ticks, seconds or a `Wait`. Within a routine: ``await wait(…)``."""
    yield what


class Moment:
    """A moment at which routines are resumed."""

    __slots__ = ("after", "ahead", "due", "routines")

    _not_hashed = ("after",)

    def __init__(self, due: Fraction) -> None:
        self.due = due
        self.ahead = True  # whether it is in the future, so that routines can wait for it
        self.routines: list[Routine] = []
        self.after: dict[Any, Moment] = {}  # later moments, by the seconds between


class Routine:
    """A coroutine that runs in the ticks of a scene. `Scene.start` returns it.

    ``await routine`` waits until it is over, and returns its result.
    """

    __slots__ = (
        "_among",
        "_coroutine",
        "_group",
        "_moment",
        "_place",
        "_runner",
        "_send",
        "_waiters",
        "_waits_for",
        "cancelled",
        "name",
        "number",
        "result",
        "started_at",
    )

    _not_hashed = ("_coroutine", "_among", "_send", "started_at")

    def __init__(
        self, runner: Runner, coroutine: Script, number: int, moment: Moment, started_at: str
    ) -> None:
        self._runner = runner
        self._coroutine: Script | None = coroutine
        self._send: Callable[[None], object] | None = coroutine.send
        self.name = name_of(coroutine)
        """The qualified name of the coroutine's function."""
        self.number = number
        """The number of the routine. The first routine of a scene is 1."""
        self.started_at = started_at
        """The file and line that started the routine: "path:line"."""
        self.cancelled = False
        """Whether it was cancelled. A routine that cancels itself ends at its next wait."""
        self.result: Any = None
        """The return value of the coroutine. None until it returned."""
        self._moment = moment
        self._group: TaskGroup | None = None
        self._place: list[Routine] | None = None  # the list that it waits in
        # The list of its last wait for a routine or a tween.
        self._among: list[Routine] | None = None
        self._waits_for: Until | Heard | None = None
        self._waiters: list[Routine] = []

    @property
    def over(self) -> bool:
        """Whether the routine returned, failed or was cancelled."""
        return self._send is None

    def cancel(self) -> None:
        """End the routine where it waits.

        Its ``with`` and ``finally`` blocks are run, and must not wait. A routine that cancels
        itself continues until its next wait. Does nothing if the routine is over.
        """
        coroutine = self._coroutine
        if coroutine is None:
            return
        self.cancelled = True
        if self._runner.routines.is_running(self):
            return
        self._end()
        before = self._runner.routines.running
        self._runner.routines.running = self
        try:
            coroutine.close()
        except RuntimeError as error:
            if "ignored GeneratorExit" not in str(error):
                raise self._with_note(error) from None
            words = (
                f"{self.name}: the routine waits while it is cancelled; its finally and with "
                "blocks must not wait"
            )
            raise self._with_note(FrameworkError(words)) from None
        except BaseException as error:
            raise self._with_note(error) from None
        finally:
            self._runner.routines.running = before

    def _end(self) -> None:
        """Mark the routine as over, and resume the routines that wait for it."""
        self._coroutine = self._send = None
        if self._place is not None:
            self._runner.note_over(self)
        self._runner.routines.forget(self)
        for routine in self._waiters:
            self._runner.resume_soon(routine, self._moment)
        self._waiters = []
        if self._group is not None:
            self._group._ended(self)

    def _throw(self, error: BaseException, moment: Moment) -> None:
        """Raise an error inside the routine, where it waits, at ``moment``."""
        coroutine = self._coroutine
        if coroutine is None:
            raise error
        if self._place is not None:
            self._place.remove(self)
            self._place = None
        self._moment = moment
        self._runner.step(self, lambda _: coroutine.throw(error))

    def _wait_in(self, waiting: list[Any]) -> None:
        """Wait in the list ``waiting`` until `wake`."""
        self._place = waiting
        waiting.append(self)

    def _hold(self, routine: Routine) -> None:
        """Make ``routine`` wait for this one.

        If this one already waits for ``routine``, raise a `FrameworkError` inside ``routine``.
        """
        cycle = routine._path_to_waiter(lambda waiter: waiter is self)
        if cycle:
            routine._throw(_cycle_error(cycle), routine._moment)
        else:
            join(routine, self._waiters)

    def _path_to_waiter(self, matches: Callable[[Routine], bool]) -> list[Routine]:
        """Return the path from this routine to the first matching one, both included.

        Each routine of the path waits for the one before it. Empty if no routine matches.
        """
        before: dict[int, Routine | None] = {self.number: None}
        queue = [self]
        for routine in queue:  # the loop appends to it
            if matches(routine):
                path = [routine]
                while (previous := before[path[-1].number]) is not None:
                    path.append(previous)
                return path[::-1]
            host = None if routine._group is None else routine._group._waiting
            for waiter in [*routine._waiters, *([] if host is None else [host])]:
                if waiter._send is not None and waiter.number not in before:
                    before[waiter.number] = routine
                    queue.append(waiter)
        return []

    def __await__(self) -> Generator[Any, None, Any]:
        if self._send is not None:
            yield _Held(self)
        return self.result

    def _with_note(self, error: BaseException) -> BaseException:
        """Return the error with a note that names the routine."""
        if _is_from_asyncio(error):
            cause = error
            error = FrameworkError(f"{self.name}: {_NO_ASYNCIO}")
            error.__cause__ = cause
        error.add_note(f"in the task {self.name}, which was started at {self.started_at}")
        return error

    def __repr__(self) -> str:
        return (
            "<Routine "
            f"{self.name}{', cancelled' if self.cancelled else ', over' if self.over else ''}>"
        )


class _Held:
    """Waits for a routine, or for all routines of a group."""

    __slots__ = ("_target",)

    def __init__(self, target: Routine | TaskGroup) -> None:
        self._target = target

    def hold(self, routine: Routine) -> None:
        self._target._hold(routine)


def join(routine: Routine, waiting: list[Any]) -> None:
    """Make a routine wait in the list ``waiting`` until `wake`, perhaps forever."""
    routine._among = waiting
    routine._wait_in(waiting)


def wake(routine: Routine, clock: Schedule | None = None, moment: Fraction | None = None) -> None:
    """Resume a routine that waits since `join`.

    It is resumed at ``moment`` of ``clock``, which must be in this tick, if ``clock`` is the
    routine's clock. Otherwise it is resumed at the end of the next run.
    """
    if routine._send is not None:
        runner = routine._runner
        runner.resume_at(routine, moment if clock is runner.clock else None)


def _is_from_asyncio(error: BaseException) -> bool:
    """Return whether asyncio raised the error because it has no event loop.

    Some of its functions get None as the loop and call `create_future` of that.
    """
    message = str(error)
    return (isinstance(error, RuntimeError) and "no running event loop" in message) or (
        isinstance(error, AttributeError) and error.obj is None and error.name == "create_future"
    )


def _cycle_error(cycle: list[Routine]) -> FrameworkError:
    """Return the error for routines that wait for each other.

    Each waits for the one before it, and the first is about to wait for the last.
    """
    first, *following = cycle
    if not following:
        return FrameworkError(f"{first.name}: the routine awaits itself, which would never end")
    names = ", which awaits ".join(routine.name for routine in [*following[::-1], first])
    return FrameworkError(f"{first.name}: the routine awaits {names}; none of them would ever end")


class Until:
    """Waits for a condition, which is tested every tick."""

    __slots__ = ("condition", "found")

    def __init__(self, condition: Callable[[], object]) -> None:
        self.condition = function("condition", condition, "a function without arguments")
        self.found: object = None

    def hold(self, routine: Routine) -> None:
        """Test the condition when conditions are tested next, in this tick or the next one."""
        routine._waits_for = self
        routine._wait_in(routine._runner.polls)

    def asked(self) -> bool:
        """Test the condition. Return whether it is true."""
        self.found = self.condition()
        return bool(self.found)


class Heard:
    """Waits for an event."""

    __slots__ = ("_place", "arguments")

    def __init__(self, waiting: list[Routine]) -> None:
        self._place = waiting
        self.arguments: tuple[Any, ...] = ()

    def hold(self, routine: Routine) -> None:
        """Wait for the next event."""
        routine._waits_for = self
        routine._wait_in(self._place)

    def asked(self) -> bool:
        """Return True: this method is only called after the event."""
        return True


class Runner:
    """The routines of one clock: the schedule of a scene, or a group of it."""

    __slots__ = (
        *("_hollow", "_loose", "_moments", "_most", "_over", "_ready", "_times", "_wheel"),
        *("clock", "polls", "routines", "ticks"),
    )

    _not_hashed = ("_loose",)

    def __init__(self, routines: Routines, clock: Schedule) -> None:
        self.routines = routines
        self.clock = clock
        self.ticks = 0
        self.polls: list[Routine] = []  # routines that wait for conditions
        self._wheel: dict[int, list[Routine]] = {}  # waiting routines, by the number of a tick
        self._moments: dict[float, Moment] = {}
        self._times: list[float] = []  # a heap of the keys of `_moments`
        # Started and woken routines, to be resumed at their own moments.
        self._ready: list[Routine] = []
        self._over = 0  # about how many routines in the waiting lists are over
        self._most = _MIN_OVER  # with more of them, the lists are cleaned up
        # Lists of routines and tweens in which routines that are over have waited.
        self._loose: dict[int, list[Routine]] = {}
        self._hollow = False  # whether there may be moments without waiting routines

    # -- waiting -----------------------------------------------------------------------------------

    def start(self, coroutine: Script, number: int, moment: Fraction, started_at: str) -> Routine:
        """Start a routine. Its time counts from ``moment``."""
        routine = Routine(self, coroutine, number, Moment(moment), started_at)
        routine._wait_in(self._ready)
        return routine

    def resume_at(self, routine: Routine, due: Fraction | None) -> None:
        """Resume a routine at the moment ``due`` of this tick. None: at the end of the next run."""
        routine._wait_in(
            self._at_tick(self.ticks + 1) if due is None else self._moment(due).routines
        )

    def resume_soon(self, routine: Routine, moment: Moment) -> None:
        """Resume a routine right after the routines that are due now. Its time continues at ``moment``."""
        runner = routine._runner
        if runner is self:
            routine._moment = moment
            routine._wait_in(self._ready)
        else:
            wake(routine)

    def _at_tick(self, number: int) -> list[Routine]:
        return self._wheel.setdefault(number, [])

    def _moment(self, due: Fraction) -> Moment:
        about = float(due)
        moment = self._moments.get(about)
        if moment is None:
            moment = self._moments[about] = Moment(due)
            heappush(self._times, about)
        return moment

    def _sleep(self, routine: Routine, seconds: float | Fraction) -> None:
        now = routine._moment
        moment = now.after.get(seconds)
        if moment is None or not moment.ahead:
            moment = now.after[seconds] = self._moment(now.due + duration("seconds", seconds))
        routine._wait_in(moment.routines)

    # -- ticks -------------------------------------------------------------------------------------

    def run(self) -> None:
        """Resume the routines that are due, after the clock advanced by a tick."""
        self.ticks += 1
        if self._hollow:
            self._forget_hollow()
        time = self.clock.time
        passed = 0
        asleep = not self._times or self._times[0] > time
        if asleep and not (self._ready or self.polls or self.ticks in self._wheel):
            return
        end = Moment(exact_time_of(self.clock))
        self._resume_ready()
        while self._times and self._times[0] <= time:
            moment = self._moments.pop(heappop(self._times))
            routines = moment.routines
            moment.routines = []
            moment.ahead = False
            self._resume(routines, moment)
            self._resume_ready()
            passed += 1
            if passed > MAX_MOMENTS:
                raise FrameworkError(
                    f"seconds: routines were resumed at {passed:,} moments of one tick; wait longer"
                )
        due = self._wheel.pop(self.ticks, None)
        if due is not None:
            self._resume(due, end)
            self._resume_ready()
        if self.polls:
            self._poll(end)
            self._resume_ready()

    def _resume_ready(self) -> None:
        for turn in range(MAX_ROUNDS + 1):
            ready = self._ready
            self._ready = []
            if not ready:
                return
            if turn == MAX_ROUNDS:
                raise FrameworkError(
                    f"{ready[0].name}: routines started each other {MAX_ROUNDS} times in one tick; "
                    "wait for a tick in between"
                )
            self._resume(ready, None)

    def _poll(self, end: Moment) -> None:
        polls = self.polls
        self.polls = []
        for index, routine in enumerate(polls):
            until = routine._waits_for
            if routine._send is None or until is None:
                continue
            try:
                try:
                    is_true = until.asked()
                except Exception as error:
                    routine._place = None
                    routine._throw(error, end)  # it can catch the error and continue
                    continue
                if is_true:
                    self._resume([routine], end)
                else:
                    routine._wait_in(self.polls)
            except BaseException:
                self.polls += polls[index + 1 :]
                raise

    def _resume(self, due: list[Routine], moment: Moment | None) -> None:
        """Resume routines, at ``moment`` or, with None, each at its own moment."""
        routines = self.routines
        running = routines.running
        done = 0
        # The last awaited value and its waiting list: often the next routine waits for the same.
        # `self` is never awaited.
        last: object = self
        waiting_list: list[Routine] = []
        try:
            for routine in due:
                done += 1
                send = routine._send
                if send is None:
                    continue
                if moment is not None:
                    routine._moment = moment
                routine._place = None
                routines.running = routine
                try:
                    awaited = send(None)
                except BaseException as error:
                    self._ended(routine, error)
                    continue
                if awaited is last and not routine.cancelled:
                    routine._place = waiting_list
                    waiting_list.append(routine)
                else:
                    self._wait(routine, awaited)
                    if (
                        moment is not None
                        and awaited.__class__ in _NUMBERS
                        and routine._place is not None
                    ):
                        last = awaited
                        waiting_list = routine._place
        finally:
            routines.running = running
            if done < len(due):  # an error: the others are resumed in the next tick
                self._put_off(due[done:], moment)

    def _put_off(self, due: list[Routine], moment: Moment | None) -> None:
        waiting_list = self._ready if moment is None else self._moment(moment.due).routines
        for routine in due:
            if routine._send is not None:
                routine._wait_in(waiting_list)

    def step(self, routine: Routine, send: Callable[[None], object]) -> None:
        """Resume one routine now."""
        before = self.routines.running
        self.routines.running = routine
        try:
            awaited = send(None)
        except BaseException as error:
            self._ended(routine, error)
        else:
            self._wait(routine, awaited)
        finally:
            self.routines.running = before

    def _wait(self, routine: Routine, awaited: object) -> None:
        """Make a routine wait for ``awaited``."""
        if routine.cancelled:
            self.routines.running = None
            routine.cancel()
        elif type(awaited) is int:
            routine._wait_in(self._at_tick(self.ticks + awaited))
        elif isinstance(awaited, float | Fraction):
            self._sleep(routine, awaited)
        elif hasattr(awaited, "hold"):
            awaited.hold(routine)
        else:
            words = (
                f"{routine.name}: the routine awaits {shown(awaited)}, which cannot be awaited in "
                f"game time; {_NO_ASYNCIO}"
            )
            routine._throw(FrameworkError(words), routine._moment)

    def _ended(self, routine: Routine, error: BaseException) -> None:
        """End a routine that returned (``error`` is a `StopIteration`) or failed."""
        self.routines.running = None
        group = routine._group
        if isinstance(error, StopIteration):
            routine.result = error.value
            routine._end()
            return
        routine._end()
        error = routine._with_note(error)
        if group is not None and isinstance(error, Exception):
            group._failed(error, routine._moment)
        else:
            raise error

    # -- cleaning up -------------------------------------------------------------------------------

    def note_over(self, routine: Routine) -> None:
        """Count a waiting routine that is over. The lists are cleaned up if there are many."""
        self._over += 1
        if routine._place is not None and routine._place is routine._among:
            self._loose[id(routine._place)] = routine._place
        if self._over > self._most:
            self._tidy()

    def _tidy(self) -> None:
        remaining = 0
        moments = [moment.routines for moment in self._moments.values()]
        loose = [*self._loose.values()]
        self._loose = {}
        for waiting_list in [*self._wheel.values(), *moments, *self.routines.listening(), *loose]:
            waiting_list[:] = [routine for routine in waiting_list if routine._send is not None]
            remaining += len(waiting_list)
        self._over = 0
        self._most = max(_MIN_OVER, remaining // 2)
        self._hollow = True

    def _forget_hollow(self) -> None:
        """Drop the moments and ticks without waiting routines, before routines run."""
        self._hollow = False
        self._wheel = {tick: waiting for tick, waiting in self._wheel.items() if waiting}
        for about, moment in [*self._moments.items()]:
            moment.ahead = bool(moment.routines)
            if not moment.ahead:
                del self._moments[about]
        self._times = sorted(self._moments)


class Routines:
    """The routines of a scene, for all its clocks."""

    _not_hashed = ("_fresh",)

    def __init__(self) -> None:
        self.running: Routine | None = None
        """The running routine, or None."""
        self._made = 0
        self._runners: dict[Schedule, Runner] = {}
        self._on: dict[int, Routine] = {}  # routines that are not over, by number
        # Coroutines that were started and may not have run yet.
        self._fresh: set[types.CoroutineType[Any, Any, Any]] = set()
        self._listeners: dict[str, list[Routine]] = {}
        self._over = False

    def __len__(self) -> int:
        """Return the number of routines that are not over."""
        return len(self._on)

    async def heard(self, name: str) -> tuple[Any, ...]:
        """Wait for an event by name. Return the arguments of its method."""
        event = Heard(self._listeners.setdefault(name, []))
        await wait(event)
        return event.arguments

    def hear(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Resume the routines that wait for an event. Called before the tick that latches it."""
        for routine in self._listeners.pop(name, ()):
            if routine._send is not None and isinstance(routine._waits_for, Heard):
                routine._waits_for.arguments = arguments
                # Resume it with the routines that wait for conditions, so that its next wait
                # does not end with the same press.
                routine._wait_in(routine._runner.polls)

    def listening(self) -> list[list[Routine]]:
        """Return the lists of routines that wait for events."""
        return [*self._listeners.values()]

    def is_running(self, routine: Routine) -> bool:
        """Return whether a routine runs now, or resumed the routine that runs now."""
        coroutine = routine._coroutine
        return isinstance(coroutine, types.CoroutineType) and coroutine.cr_running

    def start(
        self, coroutine: object, clock: Schedule | None, default: Schedule, depth: int = 2
    ) -> Routine:
        """Start a coroutine as a routine in the time of ``clock``.

        Default: the clock of the running routine or, without one, ``default``.
        """
        if not isinstance(coroutine, types.CoroutineType):
            raise TypeError(_not_a_coroutine(coroutine))
        if coroutine in self._fresh or not _is_new(coroutine):
            words = (
                f"start: {name_of(coroutine)} was started already; call its function again "
                "to get a new coroutine"
            )
            raise FrameworkError(words)
        if self._over:
            coroutine.close()
            raise FrameworkError(f"start: {name_of(coroutine)} cannot start: the scene was removed")
        running = self.running
        clock = clock or (default if running is None else running._runner.clock)
        runner = self._runners.get(clock)
        if runner is None:
            runner = self._runners[clock] = Runner(self, clock)
        self._made += 1
        frame = sys._getframe(depth)
        started_at = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        routine = runner.start(coroutine, self._made, self.now(clock), started_at)
        self._on[self._made] = routine
        self._fresh.add(coroutine)
        return routine

    def now(self, clock: Schedule) -> Fraction:
        """Return the moment from which new times count: of the running routine, or of the clock."""
        running = self.running
        return (
            clock.now
            if running is None or running._runner.clock is not clock
            else running._moment.due
        )

    def forget(self, routine: Routine) -> None:
        """Remove a routine that is over."""
        self._on.pop(routine.number, None)

    def run(self) -> None:
        """Resume the routines that are due in a tick, in the order of their clocks' first use."""
        for runner in [*self._runners.values()]:
            clock = runner.clock
            if clock.over:
                del self._runners[clock]
                self.cancel([routine for routine in self._on.values() if routine._runner is runner])
            elif clock.step:
                runner.run()
        if self._fresh:  # keep those of a paused group
            self._fresh = {*filter(_is_new, self._fresh)}

    def release(self) -> None:
        """Cancel all routines, the newest first, because the scene is removed."""
        self._over = True
        self._fresh.clear()
        routines = [*self._on.values()]
        self._on = {}
        self.cancel(routines[::-1])

    def cancel(self, routines: list[Routine]) -> None:
        """Cancel all of ``routines``, even if some raise errors. Then raise the first error."""
        errors: list[Exception] = []
        for routine in routines:
            try:
                routine.cancel()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]


def _is_new(coroutine: types.CoroutineType[Any, Any, Any]) -> bool:
    """Return whether a coroutine has not started to run."""
    return not (coroutine.cr_running or coroutine.cr_suspended or coroutine.cr_frame is None)


class TaskGroup:
    """Routines that end with a block.

        async with self.tasks() as tasks:
            tasks.start(self.enemy())

    The block waits at its end until all routines are over. If one of them or the block raises an
    error, the others are cancelled, and the block raises the error.
    """

    __slots__ = ("_host", "_members", "_routines", "_waits")

    def __init__(self, routines: Routines) -> None:
        self._routines = routines
        self._members: dict[int, Routine] = {}
        self._host: Routine | None = None
        self._waits = False  # whether the block waits for its routines

    def __len__(self) -> int:
        """Return the number of routines in the group that are not over."""
        return len(self._members)

    def start(self, coroutine: Script) -> Routine:
        """Start a routine in the group. Raises `FrameworkError` outside of the block."""
        if self._host is None:
            if isinstance(coroutine, types.CoroutineType):
                coroutine.close()
            raise FrameworkError(
                "tasks: this group is not open; write async with self.tasks() as tasks:"
            )
        clock = self._host._runner.clock
        routine = self._routines.start(coroutine, clock, clock)
        routine._group = self
        self._members[routine.number] = routine
        return routine

    def cancel(self) -> None:
        """Cancel all routines of the group, the newest first. The block continues."""
        self._routines.cancel([*self._members.values()][::-1])

    async def __aenter__(self) -> TaskGroup:
        self._host = self._routines.running
        if self._host is None:
            raise FrameworkError(
                "tasks: a group can be opened only within a routine: self.start(self.level())"
            )
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            while error is None and self._members:
                self._waits = True
                await wait(_Held(self))
        finally:
            self._waits = False
            self._host = None
            self.cancel()

    @property
    def _waiting(self) -> Routine | None:
        """The routine whose block waits for the group, or None."""
        return self._host if self._waits else None

    def _hold(self, routine: Routine) -> None:
        """Make the block wait for the group.

        If a routine of the group waits for the block, raise a `FrameworkError` inside the block.
        """
        cycle = routine._path_to_waiter(lambda waiter: waiter._group is self)
        if cycle:
            routine._throw(_cycle_error(cycle), routine._moment)

    def _ended(self, routine: Routine) -> None:
        """Remove a routine that is over. After the last one, resume the block."""
        self._members.pop(routine.number, None)
        if not self._members and self._waits and self._host is not None:
            self._waits = False
            self._host._runner.resume_soon(self._host, routine._moment)

    def _failed(self, error: Exception, moment: Moment) -> None:
        """Raise the error of a routine inside the block."""
        host = self._host
        self._waits = False
        if host is None:
            raise error
        host._throw(error, moment)


def _not_a_coroutine(value: object) -> str:
    from inspect import iscoroutinefunction  # for errors only

    if isinstance(value, types.FunctionType | types.MethodType) and iscoroutinefunction(value):
        return (
            f"coroutine: expected a coroutine, got the function {value.__name__}; call it: "
            f"{value.__name__}(…)"
        )
    return (
        f"coroutine: expected a coroutine, got {shown(value)}; a call of an async def function "
        "returns one"
    )
