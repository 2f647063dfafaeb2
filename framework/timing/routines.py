"""Run coroutines (routines) in the ticks of a game, with waits in game time and without asyncio.

In each tick, a scene resumes all routines whose wait has ended, in the order in which the waits
end. If several waits end at the same time, the routine with the longest wait is resumed first.
Routines that wait for ticks, conditions or events are resumed after all other routines. Times are
exact fractions, as in `Schedule`. For example, a loop that waits for 1/7 second in each pass runs
exactly seven times per second.

Task groups are like the nurseries of the library Trio (Nathaniel Smith, "Notes on structured
concurrency", 2018, https://vorpal.net/notes): a block ends only after all routines that were
started in the block have ended.
"""

from __future__ import annotations

__all__ = ["Routine", "TaskGroup"]

import functools
import sys
import types
import warnings
from collections.abc import Callable, Coroutine, Generator
from fractions import Fraction
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any, ParamSpec, Protocol, cast

from ..checks import function, shown
from ..coroutines import adoption, frames
from ..coroutines.frames import FrameState
from ..errors import FrameworkError
from ..other_engines.other_options import made_by
from .schedule import MAX_ROUNDS, Schedule, duration, exact_time_of, name_of

MAX_MOMENTS = 100_000
"""The maximum number of different times within one tick at which routines may resume."""

_MIN_OVER = 32  # at most this many ended routines may stay in the waiting lists

_NO_ASYNCIO = (
    "asyncio's functions do not work in a game's ticks: write await self.seconds(t), "
    "self.until(…), …"
)

# The types of tick counts and seconds; most routines wait for these two.
_NUMBERS = frozenset({int, float})

# flags of code objects, as in `inspect`
_GENERATOR = 0x20
_COROUTINE = 0x80

Script = Coroutine[Any, Any, Any]
Parameters = ParamSpec("Parameters")


class Wait(Protocol):
    """The interface of all objects that a routine can await. A routine can also await an int
    (ticks), a float or a fraction (seconds).
    """

    def hold(self, routine: Routine) -> None:
        """Called when ``routine`` starts waiting for this object, which must call ``wake(routine)``
        when the wait ends.
        """


def waiting(
    function: Callable[Parameters, Generator[Any, None, None]],
) -> Callable[Parameters, Coroutine[Any, None, None]]:
    """Convert a generator function to a coroutine function. The coroutine awaits each value that
    the generator yields.

    Like `types.coroutine`, this decorator changes flags of the function's code. Unlike
    `types.coroutine`, the decorated function returns a real coroutine object. So Python shows a
    warning if you forget ``await``.
    """
    original = cast(types.FunctionType, function)
    flags = original.__code__.co_flags & ~_GENERATOR | _COROUTINE
    code = adoption.single_wait(original.__code__.replace(co_flags=flags))
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
    """Wait for a number of ticks (int), for seconds (float or fraction), or for a `Wait`. Call
    `wait` inside a routine: ``await wait(…)``.
    """
    yield what


frames.register_wait(wait)


class ResumeMoment:
    """A point in game time, with the routines that will resume then."""

    __slots__ = ("after", "ahead", "due", "routines")

    _not_hashed = ("after",)
    _captured_attributes = __slots__  # `Runner.capture` captures them

    def __init__(self, due: Fraction) -> None:
        self.due = due
        self.ahead = True  # True if the moment is in the future, so that routines can wait for it
        self.routines: list[Routine] = []
        self.after: dict[Any, ResumeMoment] = {}  # later moments, by the number of seconds to wait


@made_by("write self.start(self.intro()), with async def intro(self)")
class Routine:
    """A coroutine that is running in a scene, as returned by `Scene.start`.

    ``await routine`` waits until the routine has ended, and returns its result.
    """

    __slots__ = (
        "_among",
        "_coroutine",
        "_group",
        "_moment",
        "_place",
        "_runner",
        "_send",
        "_state",
        "_waiters",
        "_waits_for",
        "cancelled",
        "name",
        "number",
        "result",
        "started_at",
    )

    # The hash includes the coroutine through the module `record.kinds`.
    _not_hashed = ("_among", "_coroutine", "_send", "_state", "started_at")

    def __init__(
        self, runner: Runner, coroutine: Script, number: int, moment: ResumeMoment, started_at: str
    ) -> None:
        self._runner = runner
        self._coroutine: Script | None = coroutine
        self._send: Callable[[None], object] | None = coroutine.send
        # The captured frames, until the coroutine resumes. All snapshots taken until then share
        # this object.
        self._state: FrameState | None = None
        self.name: str = coroutine.__qualname__  # type: ignore[attr-defined]  # every coroutine has one
        """The qualified name of the coroutine's function."""
        self.number = number
        """The number of the routine in its scene. The first routine has the number 1."""
        self.started_at = started_at
        """The line of code that has started the routine, as "path:line"."""
        self.cancelled = False
        """True after `cancel` was called. If a routine cancels itself, its code continues until the
        next ``await``.
        """
        self.result: Any = None
        """The return value of the coroutine, or None until it has returned."""
        self._moment = moment
        self._group: TaskGroup | None = None
        self._place: list[Routine] | None = None  # the waiting list that contains the routine
        # The waiting list of the last routine or tween that this routine awaited.
        self._among: list[Routine] | None = None
        self._waits_for: ConditionWait | EventWait | None = None
        # The routines that await this routine, or None: most routines are not awaited, and None
        # makes snapshots smaller than an empty list.
        self._waiters: list[Routine] | None = None

    @property
    def over(self) -> bool:
        """True if the routine has returned, has raised an error, or was cancelled."""
        return self._send is None

    def cancel(self) -> None:
        """End the routine at its current ``await``.

        All ``with`` and ``finally`` blocks of the routine run, but they must not wait. If a routine
        cancels itself, its code continues until the next ``await``. If the routine has already
        ended, `cancel` does nothing.
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
        """Mark the routine as ended, and resume all routines that await it."""
        self._coroutine = self._send = self._state = None
        if self._place is not None:
            self._runner.note_over(self)
        # Remove the routine from its old lists, because snapshots would not find the ended routine
        # there.
        self._place = self._among = self._waits_for = None
        self._runner.routines.remove(self)
        waiters = self._waiters
        self._waiters = None
        for routine in waiters or ():
            self._runner.resume_soon(routine, self._moment)
        if self._group is not None:
            self._group._ended(self)

    def _throw(self, error: BaseException, moment: ResumeMoment) -> None:
        """Raise ``error`` in the routine, at its current ``await``. ``moment`` becomes the start
        time of the routine's next wait.
        """
        coroutine = self._coroutine
        if coroutine is None:
            raise error
        if self._place is not None:
            self._place.remove(self)
            self._place = None
        self._moment = moment
        self._runner.step(self, lambda _: coroutine.throw(error))

    # -- capture -----------------------------------------------------------------------------------

    def _restore(self, saved: tuple[Any, ...]) -> None:
        """Restore the attributes of the routine. The method `_resume_from` restores the coroutine
        later.
        """
        for name, value in zip(_CHANGING, saved, strict=False):
            setattr(self, name, value)
        self._coroutine = self._send = self._state = None

    def _parts_of(self, saved: tuple[Any, ...]) -> list[object]:
        """Return the objects that a captured state contains, because snapshots must also capture
        these objects. The list of objects does not contain the stack frames of the coroutine.

        The waiting lists of tweens and dialogs are included. The waiting lists of the runner are
        not included, because the runner captures them itself. The list also contains the runner and
        the clock of an ended routine, because the scene may no longer have this runner.
        """
        among, group, _, waiting, waiters, waits_for, _, result, _ = saved
        if self._send is None:
            runner = self._runner
            ended = (runner, runner.clock, group, waiters, waits_for, result)
            return [part for part in ended if part is not None]
        if waiting is not among and group is waiters is waits_for is result is None:
            return _NO_PARTS
        parts = [part for part in (group, waiters, waits_for, result) if part is not None]
        return [*parts, waiting] if waiting is among and waiting is not None else parts

    def _wait_for_save(self) -> tuple[str, Fraction | int | str | None] | str:
        """Return a pair (kind, value) that describes what the routine is waiting for. The kind is
        "ready", "condition", "tasks", "object", "ticks", "seconds" or "event". The value of the
        pair is a number of ticks, a time in seconds, the name of an event, or None. If a save
        cannot store this wait, return a string with the reason instead of a pair.
        """
        own_list = self._place
        runner = self._runner
        if own_list is None:
            return "tasks", None
        if own_list is runner._ready:
            return "ready", None
        if own_list is runner.polls:
            return "condition", None
        if own_list is self._among:
            return "object", None
        for tick, waiting in runner._wheel.items():
            if waiting is own_list:
                return "ticks", tick - runner.ticks
        for moment in runner._moments.values():
            if moment.routines is own_list:
                return "seconds", moment.due - runner.clock.now
        for name, waiting in runner.routines._listeners.items():
            if waiting is own_list:
                return "event", name
        return "it waits for an object that is in no save"

    def _moment_for_save(self) -> Fraction:
        """Return the start time of the routine's next wait, relative to the current time of the
        clock.
        """
        return self._moment.due - self._runner.clock.now

    def _captured_frames(self) -> FrameState | None:
        """Return the captured stack frames of the coroutine. Return None if the routine has ended,
        or is running now.

        Raises `CannotCapture` if the coroutine cannot be restored.
        """
        coroutine = self._coroutine
        if coroutine is None:
            return None
        assert isinstance(coroutine, types.CoroutineType)
        if self._state is not None or coroutine.cr_running:
            return self._state
        state = frames.capture(coroutine)
        if state.is_shared:
            self._state = state
        return state

    def _drop(self) -> None:
        """Delete the coroutine before a snapshot is restored. The ``finally`` and ``with`` blocks
        of the coroutine do not run. The routine counts as ended until `_resume_from` is called.
        """
        coroutine = self._coroutine
        self._coroutine = self._send = self._state = None
        if coroutine is not None:
            assert isinstance(coroutine, types.CoroutineType)
            frames.drop(coroutine)

    def _resume_from(self, state: FrameState) -> None:
        """Create the coroutine again from its captured stack frames ``state``. Called after all
        objects of the game have been restored.

        If a hot reload has changed the code of the coroutine, end the routine.
        """
        if frames.is_outdated(state):
            self._send = _never
            self._end()
            self.cancelled = True
            _warn_changed(self)
            return
        coroutine = frames.resumed(state)
        self._coroutine = coroutine
        self._send = coroutine.send
        self._state = state if state.is_shared else None

    def _wait_in(self, waiting: list[Any]) -> None:
        """Append the routine to the waiting list ``waiting``, in which it stays until its wait
        ends.
        """
        self._place = waiting
        waiting.append(self)

    def _hold(self, routine: Routine) -> None:
        """Make ``routine`` wait until this routine (``self``) has ended.

        If this routine already awaits ``routine``, raise a `FrameworkError` in ``routine``.
        """
        cycle = routine._path_to_waiter(lambda waiter: waiter is self)
        if cycle:
            routine._throw(_cycle_error(cycle), routine._moment)
        else:
            if self._waiters is None:
                self._waiters = []
            join(routine, self._waiters)

    def _path_to_waiter(self, matches: Callable[[Routine], bool]) -> list[Routine]:
        """Return a chain of routines that await each other.

        The chain starts at this routine, and ends at a routine for which ``matches`` returns True.

        Each routine in the chain awaits the routine before it. If there is no such chain, return an
        empty list.
        """
        before: dict[int, Routine | None] = {self.number: None}
        queue = [self]
        for routine in queue:  # the loop appends routines to `queue`
            if matches(routine):
                path = [routine]
                while (previous := before[path[-1].number]) is not None:
                    path.append(previous)
                return path[::-1]
            host = None if routine._group is None else routine._group._waiting
            for waiter in [*(routine._waiters or ()), *([] if host is None else [host])]:
                if waiter._send is not None and waiter.number not in before:
                    before[waiter.number] = routine
                    queue.append(waiter)
        return []

    def __await__(self) -> Generator[Any, None, Any]:
        if self._send is not None:
            yield _Held(self)
        return self.result

    def _with_note(self, error: BaseException) -> BaseException:
        """Add a note to ``error`` with the name of the routine and the line of code that started
        it. Return ``error``.
        """
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


_CHANGING = (
    *("_among", "_group", "_moment", "_place", "_waiters", "_waits_for"),
    *("cancelled", "result"),
)
captured_attributes: Callable[[Routine], tuple[Any, ...]] = attrgetter(*_CHANGING, "_state")
"""A function that returns those attributes of a routine that can change while it runs. The last
value is the `FrameState` of the last capture. It is None if the coroutine has resumed since then,
or if snapshots cannot share the state.
"""
_NO_PARTS: list[object] = []


class _Held:
    """A `Wait` that ends when a routine has ended, or when all routines of a group have ended."""

    __slots__ = ("_target",)

    def __init__(self, target: Routine | TaskGroup) -> None:
        self._target = target

    def hold(self, routine: Routine) -> None:
        self._target._hold(routine)


def join(routine: Routine, waiting: list[Any]) -> None:
    """Append ``routine`` to the list ``waiting``. The routine waits until it is passed to
    `wake`.
    """
    routine._among = waiting
    routine._wait_in(waiting)


def wake(routine: Routine, clock: Schedule | None = None, moment: Fraction | None = None) -> None:
    """End the wait that `join` has started for a routine.

    If ``clock`` is the clock on which the routine runs, resume the routine at the time ``moment``,
    which must be in the current tick. Otherwise, resume it in the next call to `Runner.run`, after
    all routines that wait for a time.
    """
    if routine._send is not None:
        runner = routine._runner
        runner.resume_at(routine, moment if clock is runner.clock else None)


def _is_from_asyncio(error: BaseException) -> bool:
    """Return whether an error was raised because a game uses asyncio, which has no event loop here.

    Some functions of asyncio call ``None.create_future`` if there is no event loop, which raises
    `AttributeError`.
    """
    message = str(error)
    return (isinstance(error, RuntimeError) and "no running event loop" in message) or (
        isinstance(error, AttributeError) and error.obj is None and error.name == "create_future"
    )


def _cycle_error(cycle: list[Routine]) -> FrameworkError:
    """Return the error for a cycle of routines that wait for each other.

    Each routine in ``cycle`` awaits the routine before it. The first routine tried to await the
    last routine in ``cycle``.
    """
    first, *following = cycle
    if not following:
        return FrameworkError(f"{first.name}: the routine awaits itself, which would never end")
    names = ", which awaits ".join(routine.name for routine in [*following[::-1], first])
    return FrameworkError(f"{first.name}: the routine awaits {names}; none of them would ever end")


class ConditionWait:
    """A `Wait` that ends when a condition is true. The runner tests the condition in each tick."""

    __slots__ = ("condition", "value")

    def __init__(self, condition: Callable[[], object]) -> None:
        self.condition = function("condition", condition, "a function without arguments")
        self.value: object = None

    def hold(self, routine: Routine) -> None:
        """Make ``routine`` wait for the condition, which is first tested in this tick or in the
        next tick. In each tick, the runner tests all conditions together.
        """
        routine._waits_for = self
        routine._wait_in(routine._runner.polls)

    def is_met(self) -> bool:
        """Call the condition, and store its result in `value`. Return whether the result is true."""
        self.value = self.condition()
        return bool(self.value)


class EventWait:
    """A `Wait` that ends at the next event with a given name, such as "on_key_press"."""

    __slots__ = ("_place", "arguments")

    def __init__(self, waiting: list[Routine]) -> None:
        self._place = waiting
        self.arguments: tuple[Any, ...] = ()

    def hold(self, routine: Routine) -> None:
        """Make ``routine`` wait for the next event."""
        routine._waits_for = self
        routine._wait_in(self._place)

    def is_met(self) -> bool:
        """Return True, because this method is called only after the event."""
        return True


class Runner:
    """Runs the routines that use one clock. The clock is the schedule of a scene, or a group of
    this schedule.
    """

    _captured_attributes = (
        *("_hollow", "_loose", "_moments", "_most", "_over", "_ready", "_times", "_wheel"),
        *("polls", "ticks"),
    )
    __slots__ = (*_captured_attributes, "clock", "routines")

    _not_hashed = ("_loose",)

    def __init__(self, routines: Routines, clock: Schedule) -> None:
        self.routines = routines
        self.clock = clock
        self.ticks = 0
        self.polls: list[Routine] = []  # routines that wait for conditions
        # Waiting lists, by the number of the tick in which they resume.
        self._wheel: dict[int, list[Routine]] = {}
        self._moments: dict[float, ResumeMoment] = {}
        self._times: list[float] = []  # a heap of the keys of `_moments`
        # Routines that have started or whose wait has ended. Each of these routines resumes at its
        # own moment.
        self._ready: list[Routine] = []
        self._over = 0  # an estimate of the ended routines in the waiting lists
        # The maximum of `_over`; if it is exceeded, ended routines are removed.
        self._most = _MIN_OVER
        # Waiting lists of routines and tweens that contain ended routines.
        self._loose: dict[int, list[Routine]] = {}
        self._hollow = False  # True if there may be moments without waiting routines

    # -- capture -----------------------------------------------------------------------------------

    # One function captures all waiting lists, because capturing each list by itself would take
    # longer.
    def capture(self) -> tuple[Any, ...]:
        """Return the state of the runner for `restore`, including all lists of waiting routines."""
        return (
            (self.ticks, self._over, self._most, self._hollow),
            [(tick, waiting, [*waiting]) for tick, waiting in self._wheel.items()],
            [
                (about, moment, moment.routines, [*moment.routines])
                for about, moment in self._moments.items()
            ],
            [*self._times],
            [(waiting, [*waiting]) for waiting in (self._ready, self.polls)],
            dict(self._loose),
        )

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Restore a state that `capture` has returned. The method changes the existing lists and
        objects, and does not create new objects.
        """
        numbers, wheel, moments, times, lists, loose = saved
        self.ticks, self._over, self._most, self._hollow = numbers
        for moment in self._moments.values():  # routines must no longer use this moment
            moment.ahead = False
            moment.routines = []
        self._moments = {}
        for about, moment, waiting, members in moments:
            waiting[:] = members
            moment.routines = waiting
            moment.ahead = True
            self._moments[about] = moment
        self._wheel = {}
        for tick, waiting, members in wheel:
            waiting[:] = members
            self._wheel[tick] = waiting
        self._times = [*times]
        for waiting, members in lists:
            waiting[:] = members
        (self._ready, _), (self.polls, _) = lists
        self._loose = dict(loose)

    def parts_of(self, saved: tuple[Any, ...]) -> list[object]:
        """Return the routines that have ended but are still in waiting lists. Snapshots must
        capture them too, and find them only through this method.
        """
        _, wheel, moments, _, lists, loose = saved
        every = [each[-1] for each in lists]
        if self._over:
            every += [each[-1] for waiting in (wheel, moments) for each in waiting]
        ended = [routine for members in every for routine in members if routine._send is None]
        return [*ended, *loose.values()]

    # -- waiting -----------------------------------------------------------------------------------

    def resume_at(self, routine: Routine, due: Fraction | None) -> None:
        """Resume a routine at the time ``due``, which must be in this tick. If ``due`` is None,
        resume the routine in the next call to `run`, after all routines that wait for a time.
        """
        routine._wait_in(
            self._waiting_for_tick(self.ticks + 1) if due is None else self._moment(due).routines
        )

    def resume_soon(self, routine: Routine, moment: ResumeMoment) -> None:
        """Resume a routine in this tick, directly after the routines that are running now.
        ``moment`` becomes the start time of the routine's next wait.
        """
        runner = routine._runner
        if runner is self:
            routine._moment = moment
            routine._wait_in(self._ready)
        else:
            wake(routine)

    def _waiting_for_tick(self, number: int) -> list[Routine]:
        return self._wheel.setdefault(number, [])

    def _moment(self, due: Fraction) -> ResumeMoment:
        about = float(due)
        moment = self._moments.get(about)
        if moment is None:
            moment = self._moments[about] = ResumeMoment(due)
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
        """Resume all routines that are due in this tick. Call this method after the clock has
        advanced.
        """
        self.ticks += 1
        if self._hollow:
            self._remove_empty()
        time = self.clock.time
        moment_count = 0
        asleep = not self._times or self._times[0] > time
        if asleep and not (self._ready or self.polls or self.ticks in self._wheel):
            return
        end = ResumeMoment(exact_time_of(self.clock))
        self._resume_ready()
        while self._times and self._times[0] <= time:
            moment = self._moments.pop(heappop(self._times))
            routines = moment.routines
            moment.routines = []
            moment.ahead = False
            self._resume(routines, moment)
            self._resume_ready()
            moment_count += 1
            if moment_count > MAX_MOMENTS:
                raise FrameworkError(
                    f"seconds: routines were resumed at {moment_count:,} moments of one tick; wait longer"
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

    def _poll(self, end: ResumeMoment) -> None:
        polls = self.polls
        self.polls = []
        for index, routine in enumerate(polls):
            until = routine._waits_for
            if routine._send is None or until is None:
                continue
            try:
                try:
                    is_true = until.is_met()
                except Exception as error:
                    routine._place = None
                    # Raised in the routine, which can catch the error and continue.
                    routine._throw(error, end)
                    continue
                if is_true:
                    self._resume([routine], end)
                else:
                    routine._wait_in(self.polls)
            except BaseException:
                self.polls += polls[index + 1 :]
                raise

    def _resume(self, due: list[Routine], moment: ResumeMoment | None) -> None:
        """Resume the routines in the list ``due``. The next wait of each routine starts at
        ``moment``. If ``moment`` is None, the next wait of each routine starts at the `moment` of
        the routine.
        """
        routines = self.routines
        running = routines.running
        done = 0
        # The last awaited value and its waiting list, because the next routine often awaits the
        # same value. Initially, the value is `self`, which no routine can await.
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
                routine._place = routine._state = None
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
            # If a routine has raised an error, the other routines are resumed in the next tick.
            if done < len(due):
                self._put_off(due[done:], moment)

    def _put_off(self, due: list[Routine], moment: ResumeMoment | None) -> None:
        waiting_list = self._ready if moment is None else self._moment(moment.due).routines
        for routine in due:
            if routine._send is not None:
                routine._wait_in(waiting_list)

    def step(self, routine: Routine, send: Callable[[None], object]) -> None:
        """Resume one routine now. The call ``send(None)`` continues the coroutine of the
        routine.
        """
        before = self.routines.running
        self.routines.running = routine
        routine._state = None
        try:
            awaited = send(None)
        except BaseException as error:
            self._ended(routine, error)
        else:
            self._wait(routine, awaited)
        finally:
            self.routines.running = before

    def _wait(self, routine: Routine, awaited: object) -> None:
        """Make a routine wait for ``awaited``, the value that its coroutine awaits."""
        if routine.cancelled:
            self.routines.running = None
            routine.cancel()
        elif type(awaited) is int:
            routine._wait_in(self._waiting_for_tick(self.ticks + awaited))
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
        """End a routine whose coroutine has returned or raised an error. If it has returned,
        ``error`` is a `StopIteration` with the returned value.
        """
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
        """Count a routine that has ended but is still in a waiting list.

        If waiting lists contain too many ended routines, remove all of them.
        """
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

    def _remove_empty(self) -> None:
        """Remove the waiting lists that do not contain any routine."""
        self._hollow = False
        self._wheel = {tick: waiting for tick, waiting in self._wheel.items() if waiting}
        for about, moment in [*self._moments.items()]:
            moment.ahead = bool(moment.routines)
            if not moment.ahead:
                del self._moments[about]
        self._times = sorted(self._moments)


class Routines:
    """All routines of a scene. The scene has one `Runner` for each clock."""

    _transient_attributes = ("_fresh",)

    def __init__(self) -> None:
        self.running: Routine | None = None
        """The routine that is running now, or None."""
        self._made = 0
        self._runners: dict[Schedule, Runner] = {}
        self._on: dict[int, Routine] = {}  # routines that have not ended, by number
        # Coroutines that were started and may not have run yet.
        self._fresh: set[types.CoroutineType[Any, Any, Any]] = set()
        self._listeners: dict[str, list[Routine]] = {}
        self._over = False

    @property
    def made(self) -> int:
        """The number of routines that the scene has created so far, which is also the number of the
        newest routine.
        """
        return self._made

    @made.setter
    def made(self, number: int) -> None:
        self._made = number

    def __len__(self) -> int:
        """Return the number of routines that are still running."""
        return len(self._on)

    async def next_event(self, name: str) -> tuple[Any, ...]:
        """Wait for the next event called ``name``. Return the arguments of the event."""
        event = EventWait(self._listeners.setdefault(name, []))
        await wait(event)
        return event.arguments

    def dispatch_event(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Resume all routines that wait for the event ``name``. The scene calls this method before
        the tick in which it handles the event.
        """
        for routine in self._listeners.pop(name, ()):
            if routine._send is not None and isinstance(routine._waits_for, EventWait):
                routine._waits_for.arguments = arguments
                # Resume the routine together with the routines that wait for conditions. Otherwise
                # the same press could also end its next wait.
                routine._wait_in(routine._runner.polls)

    def listening(self) -> list[list[Routine]]:
        """Return the waiting lists for all events. The returned dict has one list of routines per
        event name.
        """
        return [*self._listeners.values()]

    def is_running(self, routine: Routine) -> bool:
        """Return whether the routine's code is running now. This is also the case while a routine
        that it has resumed is running.
        """
        coroutine = routine._coroutine
        return isinstance(coroutine, types.CoroutineType) and coroutine.cr_running

    def start(
        self, coroutine: object, clock: Schedule | None, default: Schedule, depth: int = 2
    ) -> Routine:
        """Start a coroutine as a routine, and return the routine. The waits of the new routine use
        the time of ``clock``.

        If ``clock`` is None, the new routine uses the clock of the routine that is running now, or
        the clock ``default`` if no routine is running. ``depth`` is the number of function calls
        from the game's code to this method. The method uses it to find the line of the game's code
        for `Routine.started_at`.
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
        coroutine = adoption.started(coroutine)
        running = self.running
        clock = clock or (default if running is None else running._runner.clock)
        runner = self._runners.get(clock) or self._runner_of(clock)
        self._made += 1
        frame = sys._getframe(depth)
        started_at = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        now = clock.now if running is None else self.now(clock)
        # The first wait of the routine starts at the time `now`.
        routine = Routine(runner, coroutine, self._made, ResumeMoment(now), started_at)
        routine._place = waiting = runner._ready
        waiting.append(routine)
        self._on[self._made] = routine
        self._fresh.add(coroutine)
        return routine

    def awaited(self) -> list[tuple[Routine, Any]]:
        """Return a list of pairs: a routine that awaits a tween or another routine, and the object
        that it awaits.
        """
        pairs = [
            (routine, frames.awaited_by(routine._coroutine))
            for routine in self._on.values()
            if isinstance(routine._coroutine, types.CoroutineType)
        ]
        return [(routine, awaited) for routine, awaited in pairs if frames.is_leaf(awaited)]

    # -- loading -----------------------------------------------------------------------------------

    def loaded(self, name: str, started_at: str, clock: Schedule) -> Routine:
        """Create and return a routine of a save that is being loaded. The new routine counts as
        ended until `continue_loaded` is called.
        """
        coroutine = _nothing()
        coroutine.close()
        self._made += 1
        runner = self._runner_of(clock)
        routine = Routine(runner, coroutine, self._made, ResumeMoment(clock.now), started_at)
        routine.name = name
        routine._coroutine = routine._send = None
        return routine

    def continue_loaded(
        self,
        routine: Routine,
        coroutine: types.CoroutineType[Any, Any, Any],
        moment: Fraction,
        wait: tuple[str, Any],
        awaited: Any,
    ) -> None:
        """Make a loaded routine wait in the same way as it waited when the game was saved.

        ``wait`` is a pair (kind, value) that `Routine._wait_for_save` returned. ``awaited`` is the
        object that the routine awaits. Only the kinds "object", "condition" and "event" use
        ``awaited``.
        """
        runner = routine._runner
        now = runner.clock.now
        routine._coroutine = coroutine
        routine._send = coroutine.send
        routine._moment = ResumeMoment(now + moment)
        self._on[routine.number] = routine
        kind, amount = wait
        if kind == "ticks":
            routine._wait_in(runner._waiting_for_tick(runner.ticks + amount))
        elif kind == "seconds":
            routine._wait_in(runner._moment(now + amount).routines)
        elif kind == "condition":
            routine._waits_for = awaited
            routine._wait_in(runner.polls)
        elif kind == "event":
            awaited._place = self._listeners.setdefault(amount, [])
            awaited.hold(routine)
        elif kind == "object" and not (
            awaited.over if isinstance(awaited, Routine) else awaited.ended
        ):
            next(awaited.__await__()).hold(routine)
        elif kind != "tasks":
            routine._wait_in(runner._ready)

    def discard_loaded(self, routine: Routine) -> None:
        """Undo a call to `continue_loaded`, because another part of the save could not be
        loaded.
        """
        waiting = routine._place
        if waiting is not None and routine in waiting:
            waiting.remove(routine)
        routine._place = None
        routine._drop()
        self.remove(routine)

    def _runner_of(self, clock: Schedule) -> Runner:
        runner = self._runners.get(clock)
        if runner is None:
            runner = self._runners[clock] = Runner(self, clock)
        return runner

    def now(self, clock: Schedule) -> Fraction:
        """Return the time at which a new wait starts.

        Inside a routine of ``clock``, `now` returns the time of the routine. Otherwise, it returns
        the time of ``clock``.
        """
        running = self.running
        return (
            clock.now
            if running is None or running._runner.clock is not clock
            else running._moment.due
        )

    def remove(self, routine: Routine) -> None:
        """Remove a routine that has ended."""
        self._on.pop(routine.number, None)

    def run(self) -> None:
        """Resume all routines that are due in this tick. The method handles one clock after
        another, in the order in which the clocks got their first routine.
        """
        for runner in [*self._runners.values()]:
            clock = runner.clock
            if clock.over:
                del self._runners[clock]
                self.cancel([routine for routine in self._on.values() if routine._runner is runner])
            elif clock.step:
                runner.run()
        if self._fresh:  # coroutines of a paused group are still new
            self._fresh = {*filter(_is_new, self._fresh)}

    def end_changed(self) -> None:
        """Cancel all routines whose code a hot reload has changed. Issue a warning for each
        cancelled routine.
        """
        for routine in [*self._on.values()]:
            coroutine = routine._coroutine
            if isinstance(coroutine, types.CoroutineType) and frames.is_outdated(coroutine):
                _warn_changed(routine)
                routine.cancel()

    def drop(self) -> None:
        """Delete all coroutines before a snapshot is restored. Their ``finally`` and ``with``
        blocks do not run.

        Without this method, Python would run these blocks later, in the restored game.
        """
        for routine in [*self._on.values()]:
            routine._drop()

    def release(self) -> None:
        """Cancel all routines. The newest routine is cancelled first. Called when the game removes
        the scene.
        """
        self._over = True
        self._fresh.clear()
        routines = [*self._on.values()]
        self._on = {}
        self.cancel(routines[::-1])

    def cancel(self, routines: list[Routine]) -> None:
        """Cancel the given routines. If some of them raise errors, cancel the remaining ones too,
        and then raise the first error.
        """
        errors: list[Exception] = []
        for routine in routines:
            try:
                routine.cancel()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]


_is_new = adoption.is_new


def _warn_changed(routine: Routine) -> None:
    """Issue a warning that a routine has ended because its code was changed."""
    words = (
        f"{routine.name}: the running routine has ended, because a reload has changed its code; "
        f"it was started at {routine.started_at}"
    )
    warnings.warn(words, RuntimeWarning, stacklevel=3)


async def _nothing() -> None: ...


def _never(nothing: None) -> object:
    """A function that is used as ``coroutine.send`` for a routine that has no coroutine and will
    end soon.
    """


class TaskGroup:
    """An ``async with`` block that waits for the routines that were started in the block.

        async with self.tasks() as tasks:
            tasks.start(self.enemy())

    At the end of the block, the game waits until all routines of the block have ended. If the block
    or one of its routines raises an error, all other routines of the block are cancelled. Then the
    block raises this error.
    """

    __slots__ = ("_host", "_members", "_routines", "_waits")

    def __init__(self, routines: Routines) -> None:
        self._routines = routines
        self._members: dict[int, Routine] = {}
        self._host: Routine | None = None
        self._waits = False  # whether the end of the block waits for its routines

    def __len__(self) -> int:
        """Return the number of routines in the group that are still running."""
        return len(self._members)

    def start(self, coroutine: Script) -> Routine:
        """Start a routine in the group. Raises `FrameworkError` outside of the ``async with``
        block.
        """
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
        """Cancel all routines of the group. The newest routine is cancelled first. After this call,
        the code in the ``async with`` block continues.
        """
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
        """The routine that is waiting at the end of the ``async with`` block, or None."""
        return self._host if self._waits else None

    def _hold(self, routine: Routine) -> None:
        """Make ``routine`` wait until all routines of the group have ended. ``routine`` has reached
        the end of the ``async with`` block.

        If a routine of the group awaits ``routine``, raise a `FrameworkError` in the block.
        """
        cycle = routine._path_to_waiter(lambda waiter: waiter._group is self)
        if cycle:
            routine._throw(_cycle_error(cycle), routine._moment)

    def _ended(self, routine: Routine) -> None:
        """Remove a routine that has ended from the group. If this was the last routine of the
        group, continue the routine of the ``async with`` block.
        """
        self._members.pop(routine.number, None)
        if not self._members and self._waits and self._host is not None:
            self._waits = False
            self._host._runner.resume_soon(self._host, routine._moment)

    def _failed(self, error: Exception, moment: ResumeMoment) -> None:
        """Raise the error of a group's routine in the ``async with`` block."""
        host = self._host
        self._waits = False
        if host is None:
            raise error
        host._throw(error, moment)


frames.register_leaf(Routine, attrgetter("result"))


def _not_a_coroutine(value: object) -> str:
    from inspect import iscoroutinefunction  # needed only for errors

    if isinstance(value, types.FunctionType | types.MethodType) and iscoroutinefunction(value):
        return (
            f"coroutine: expected a coroutine, got the function {value.__name__}; call it: "
            f"{value.__name__}(…)"
        )
    return (
        f"coroutine: expected a coroutine, got {shown(value)}; a call of an async def function "
        "returns one"
    )
