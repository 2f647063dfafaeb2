"""Routines: coroutines that wait in game time, on a scheduler of their own that knows nothing of
asyncio.

The routines of a scene are resumed at one point of each tick: by the moment that they waited for;
at the same moment as they began to wait; and at the tick's end those that wait for ticks, for
conditions, for presses. Moments are exact fractions, as of `Schedule`: a routine that waits a
seventh of a second again and again does so seven times in a second.

Groups of routines are structured, as of Nathaniel J. Smith's nurseries (https://vorpal.net/notes,
"Notes on structured concurrency", 2018): what is begun in a block has ended when the block ends.
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
from .schedule import MOST_ROUNDS, Schedule, duration, exact_time_of, name_of

MOST_MOMENTS = 100_000
"""Moments within one tick at which routines may be resumed."""

_FEW = 32  # so few that were cancelled wait for their time to be thrown away

_NO_ASYNCIO = (
    "asyncio's functions do not work in a game's ticks: write await self.seconds(t), "
    "self.until(…), …"
)

_NUMBERS = frozenset({int, float})  # what most routines wait for: ticks, seconds

_GENERATOR, _COROUTINE = 0x20, 0x80  # flags of code, as `inspect` has them

Script = Coroutine[Any, Any, Any]
Parameters = ParamSpec("Parameters")


class Wait(Protocol):
    """What a routine can wait for, besides a number of ticks (an int) and of seconds (a float or a
    fraction).
    """

    def hold(self, routine: Routine) -> None:
        """Wake the routine (`wake`) when it is time."""


def waiting(
    function: Callable[Parameters, Generator[Any, None, None]],
) -> Callable[Parameters, Coroutine[Any, None, None]]:
    """What a generator function yields is waited for, as with `types.coroutine`, which changes its
    code's flags too; but it gives true coroutines, of which Python itself warns where ``await`` was
    forgotten, at no further cost."""
    old = cast(types.FunctionType, function)
    code = old.__code__.replace(co_flags=old.__code__.co_flags & ~_GENERATOR | _COROUTINE)
    made = types.FunctionType(
        code, old.__globals__, old.__name__, old.__defaults__, old.__closure__
    )
    functools.update_wrapper(made, old)
    return cast(Callable[Parameters, Coroutine[Any, None, None]], made)


@types.coroutine
def wait(what: Wait | int | float | Fraction) -> Generator[Any, None, None]:
    """Wait: within a routine, ``await wait(…)``."""
    yield what


class Moment:
    """When routines are resumed."""

    __slots__ = ("after", "ahead", "due", "routines")

    _not_hashed = ("after",)

    def __init__(self, due: Fraction) -> None:
        self.due = due
        self.ahead = True  # whether it is to come, and can be waited for
        self.routines: list[Routine] = []
        self.after: dict[Any, Moment] = {}  # those that are so many seconds later


class Routine:
    """A coroutine that runs in the ticks of a scene: what `Scene.start` returns. ``await`` it for
    what it returns.
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
        """What its function is called where it was written."""
        self.number = number
        """1 for the first of its scene."""
        self.started_at = started_at
        """The file and the line where it was started."""
        self.cancelled = False
        """Whether it was cancelled, or is to be, when it waits next."""
        self.result: Any = None
        """What it returned."""
        self._moment = moment
        self._group: TaskGroup | None = None
        self._place: list[Routine] | None = None  # where it waits
        self._among: list[Routine] | None = (
            None  # the same, where it waited last for a routine or a tween
        )
        self._waits_for: Until | Heard | None = None
        self._waiters: list[Routine] = []

    @property
    def over(self) -> bool:
        """Whether it has returned, failed or was cancelled."""
        return self._send is None

    def cancel(self) -> None:
        """End it where it waits: its ``with`` and ``finally`` blocks are left, which may not wait.
        One that cancels itself goes on until it waits next. Of one that is over, does nothing."""
        coroutine = self._coroutine
        if coroutine is None:
            return
        self.cancelled = True
        if self._runner.routines.is_running(self):
            return
        self._end()
        before, self._runner.routines.running = self._runner.routines.running, self
        try:
            coroutine.close()
        except RuntimeError as error:
            if "ignored GeneratorExit" not in str(error):
                raise self._told(error) from None
            words = (
                f"{self.name}: it waits while it is cancelled; what its finally and with "
                "blocks do may not wait"
            )
            raise self._told(FrameworkError(words)) from None
        except BaseException as error:
            raise self._told(error) from None
        finally:
            self._runner.routines.running = before

    def _end(self) -> None:
        """It is over: what it held is free, and who waited for it goes on."""
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
        """Raise an error where it waits, at a moment."""
        coroutine = self._coroutine
        if coroutine is None:
            raise error
        if self._place is not None:
            self._place.remove(self)
            self._place = None
        self._moment = moment
        self._runner.step(self, lambda _: coroutine.throw(error))

    def _wait_in(self, place: list[Any]) -> None:
        """Wait among others, until `wake`."""
        self._place = place
        place.append(self)

    def _hold(self, routine: Routine) -> None:
        """Have another one wait for this one. Raises `FrameworkError` in one for which this one
        waits.
        """
        circle = routine._waited_for_by(lambda other: other is self)
        if circle:
            routine._throw(_in_a_circle(circle), routine._moment)
        else:
            join(routine, self._waiters)

    def _waited_for_by(self, wanted: Callable[[Routine], bool]) -> list[Routine]:
        """The first one wanted of this one, those that wait for it, those that wait for these, and
        so on; and the ones in between, from this one on. Nothing where there is none."""
        before: dict[int, Routine | None] = {self.number: None}
        queue = [self]
        for routine in queue:  # which grows meanwhile
            if wanted(routine):
                path = [routine]
                while (nearer := before[path[-1].number]) is not None:
                    path.append(nearer)
                return path[::-1]
            host = None if routine._group is None else routine._group._waiting
            for other in [*routine._waiters, *([] if host is None else [host])]:
                if other._send is not None and other.number not in before:
                    before[other.number] = routine
                    queue.append(other)
        return []

    def __await__(self) -> Generator[Any, None, Any]:
        if self._send is not None:
            yield _Held(self)
        return self.result

    def _told(self, error: BaseException) -> BaseException:
        """An error with a note of where it came from."""
        if _is_asyncios(error):
            error, cause = FrameworkError(f"{self.name}: {_NO_ASYNCIO}"), error
            error.__cause__ = cause
        error.add_note(f"in the task {self.name}, which was started at {self.started_at}")
        return error

    def __repr__(self) -> str:
        return (
            "<Routine "
            f"{self.name}{', cancelled' if self.cancelled else ', over' if self.over else ''}>"
        )


class _Held:
    """Waits for a routine, or for all of a group."""

    __slots__ = ("_target",)

    def __init__(self, target: Routine | TaskGroup) -> None:
        self._target = target

    def hold(self, routine: Routine) -> None:
        """Have a routine wait."""
        self._target._hold(routine)


def join(routine: Routine, waiting: list[Any]) -> None:
    """Have a routine wait in the list ``waiting``, for what may never be over, until `wake`."""
    routine._among = waiting
    routine._wait_in(waiting)


def wake(routine: Routine, clock: Schedule | None = None, moment: Fraction | None = None) -> None:
    """Resume a routine that waits since `join`: at a moment of a clock that has come in this tick,
    or else at the end of the next run.
    """
    if routine._send is not None:
        runner = routine._runner
        runner.resume_at(routine, moment if clock is runner.clock else None)


def _is_asyncios(error: BaseException) -> bool:
    """Whether it is raised where asyncio looks for its loop: some of it finds None, and asks that
    for a future.
    """
    told = str(error)
    return (isinstance(error, RuntimeError) and "no running event loop" in told) or (
        isinstance(error, AttributeError) and error.obj is None and error.name == "create_future"
    )


def _in_a_circle(waiting: list[Routine]) -> FrameworkError:
    """Of routines of which each waits for the one before it, and the first one is to wait for the
    last.
    """
    first, *others = waiting
    if not others:
        return FrameworkError(f"{first.name}: it awaits itself, which would never end")
    names = ", which awaits ".join(other.name for other in [*others[::-1], first])
    return FrameworkError(f"{first.name}: it awaits {names}; none of them would ever end")


class Until:
    """Waits for a condition, which is asked in every tick."""

    __slots__ = ("condition", "found")

    def __init__(self, condition: Callable[[], object]) -> None:
        self.condition = function("condition", condition, "a function without arguments")
        self.found: object = None

    def hold(self, routine: Routine) -> None:
        """Ask when conditions are asked next, in this tick or in the next one."""
        routine._waits_for = self
        routine._wait_in(routine._runner.polls)

    def asked(self) -> bool:
        """Whether it holds now."""
        self.found = self.condition()
        return bool(self.found)


class Heard:
    """Waits for an event."""

    __slots__ = ("_place", "arguments")

    def __init__(self, place: list[Routine]) -> None:
        self._place = place
        self.arguments: tuple[Any, ...] = ()

    def hold(self, routine: Routine) -> None:
        """Hear of the next one."""
        routine._waits_for = self
        routine._wait_in(self._place)

    def asked(self) -> bool:
        """Of one that is asked, the event has come."""
        return True


class Runner:
    """The routines of one clock: those of a scene, or of a group of its schedule."""

    __slots__ = (
        *("_hollow", "_loose", "_moments", "_most", "_over", "_ready", "_times", "_wheel"),
        *("clock", "polls", "routines", "ticks"),
    )

    _not_hashed = ("_loose",)

    def __init__(self, routines: Routines, clock: Schedule) -> None:
        self.routines, self.clock = routines, clock
        self.ticks = 0
        self.polls: list[Routine] = []  # that wait for conditions
        self._wheel: dict[int, list[Routine]] = {}  # by the number of the tick that they wait for
        self._moments: dict[float, Moment] = {}
        self._times: list[float] = []  # a heap of when those are
        self._ready: list[
            Routine
        ] = []  # to be resumed at their own moments: what was started, and what was woken
        self._over, self._most = (
            0,
            _FEW,
        )  # how many may be among those that wait, and are thrown away when more are
        self._loose: dict[
            int, list[Routine]
        ] = {}  # where some of those waited for a routine or a tween
        self._hollow = False  # whether there are moments that nobody waits for

    # -- waiting -----------------------------------------------------------------------------------

    def start(self, coroutine: Script, number: int, moment: Fraction, started_at: str) -> Routine:
        """Begin a routine, whose time counts from a moment."""
        routine = Routine(self, coroutine, number, Moment(moment), started_at)
        routine._wait_in(self._ready)
        return routine

    def resume_at(self, routine: Routine, due: Fraction | None) -> None:
        """Have a routine resumed at a moment that has come, or at the end of the next tick to be
        run.
        """
        routine._wait_in(
            self._at_tick(self.ticks + 1) if due is None else self._moment(due).routines
        )

    def resume_soon(self, routine: Routine, moment: Moment) -> None:
        """Have a routine resumed as soon as those are that are due now; its time goes on from
        ``moment``.
        """
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
        """A tick: the clock has advanced. Resume what is due."""
        self.ticks += 1
        if self._hollow:
            self._forget_hollow()
        time, passed = self.clock.time, 0
        asleep = not self._times or self._times[0] > time
        if asleep and not (self._ready or self.polls or self.ticks in self._wheel):
            return
        end = Moment(exact_time_of(self.clock))
        self._resume_ready()
        while self._times and self._times[0] <= time:
            moment = self._moments.pop(heappop(self._times))
            routines, moment.routines, moment.ahead = moment.routines, [], False
            self._resume(routines, moment)
            self._resume_ready()
            passed += 1
            if passed > MOST_MOMENTS:
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
        for turn in range(MOST_ROUNDS + 1):
            ready, self._ready = self._ready, []
            if not ready:
                return
            if turn == MOST_ROUNDS:
                raise FrameworkError(
                    f"{ready[0].name}: routines started one another {MOST_ROUNDS} times in one tick"
                )
            self._resume(ready, None)

    def _poll(self, end: Moment) -> None:
        polls, self.polls = self.polls, []
        for place, routine in enumerate(polls):
            until = routine._waits_for
            if routine._send is None or until is None:
                continue
            try:
                try:
                    come = until.asked()
                except Exception as error:
                    routine._place = None
                    routine._throw(error, end)  # it is told of where it waits, and may go on
                    continue
                if come:
                    self._resume([routine], end)
                else:
                    routine._wait_in(self.polls)
            except BaseException:
                self.polls += polls[place + 1 :]
                raise

    def _resume(self, due: list[Routine], moment: Moment | None) -> None:
        """Resume routines, at a moment or each at its own."""
        routines = self.routines
        running, done = routines.running, 0
        # what the one before waits for, and where: often the same; at first, nothing that can be
        last: object = self
        place: list[Routine] = []
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
                    what = send(None)
                except BaseException as error:
                    self._ended(routine, error)
                    continue
                if what is last and not routine.cancelled:
                    routine._place = place
                    place.append(routine)
                else:
                    self._wait(routine, what)
                    if (
                        moment is not None
                        and what.__class__ in _NUMBERS
                        and routine._place is not None
                    ):
                        last, place = what, routine._place
        finally:
            routines.running = running
            if done < len(due):  # one has failed: the others come in the next tick
                self._put_off(due[done:], moment)

    def _put_off(self, due: list[Routine], moment: Moment | None) -> None:
        place = self._ready if moment is None else self._moment(moment.due).routines
        for routine in due:
            if routine._send is not None:
                routine._wait_in(place)

    def step(self, routine: Routine, send: Callable[[None], object]) -> None:
        """Resume one routine now."""
        before, self.routines.running = self.routines.running, routine
        try:
            what = send(None)
        except BaseException as error:
            self._ended(routine, error)
        else:
            self._wait(routine, what)
        finally:
            self.routines.running = before

    def _wait(self, routine: Routine, what: object) -> None:
        """A routine waits for something."""
        if routine.cancelled:
            self.routines.running = None
            routine.cancel()
        elif type(what) is int:
            routine._wait_in(self._at_tick(self.ticks + what))
        elif isinstance(what, float | Fraction):
            self._sleep(routine, what)
        elif hasattr(what, "hold"):
            what.hold(routine)
        else:
            words = (
                f"{routine.name}: it awaits {shown(what)}, which is nothing of a game's "
                f"time; {_NO_ASYNCIO}"
            )
            routine._throw(FrameworkError(words), routine._moment)

    def _ended(self, routine: Routine, error: BaseException) -> None:
        """It has returned, which is an error too, or failed."""
        self.routines.running = None
        group = routine._group
        if isinstance(error, StopIteration):
            routine.result = error.value
            routine._end()
            return
        routine._end()
        error = routine._told(error)
        if group is not None and isinstance(error, Exception):
            group._failed(error, routine._moment)
        else:
            raise error

    # -- what is over ------------------------------------------------------------------------------

    def note_over(self, routine: Routine) -> None:
        """One that waited is over: it is thrown away with others, or when its time comes."""
        self._over += 1
        if routine._place is not None and routine._place is routine._among:
            self._loose[id(routine._place)] = routine._place
        if self._over > self._most:
            self._tidy()

    def _tidy(self) -> None:
        left = 0
        moments = [moment.routines for moment in self._moments.values()]
        loose, self._loose = [*self._loose.values()], {}
        for place in [*self._wheel.values(), *moments, *self.routines.listening(), *loose]:
            place[:] = [routine for routine in place if routine._send is not None]
            left += len(place)
        self._over, self._most, self._hollow = 0, max(_FEW, left // 2), True

    def _forget_hollow(self) -> None:
        """Forget the moments that nobody waits for any more: when nobody is just about to."""
        self._hollow = False
        self._wheel = {tick: place for tick, place in self._wheel.items() if place}
        for about, moment in [*self._moments.items()]:
            moment.ahead = bool(moment.routines)
            if not moment.ahead:
                del self._moments[about]
        self._times = sorted(self._moments)


class Routines:
    """The routines of a scene, of all its clocks."""

    _not_hashed = ("_fresh",)

    def __init__(self) -> None:
        self.running: Routine | None = None
        """The one that is running."""
        self._made = 0
        self._runners: dict[Schedule, Runner] = {}
        self._on: dict[int, Routine] = {}  # those that are not over, by their numbers
        self._fresh: set[types.CoroutineType[Any, Any, Any]] = (
            set()
        )  # what was started, and may not have begun yet
        self._listeners: dict[str, list[Routine]] = {}
        self._over = False

    def __len__(self) -> int:
        """Routines that are not over."""
        return len(self._on)

    async def heard(self, name: str) -> tuple[Any, ...]:
        """Wait for an event of a name; returns what its method is given."""
        event = Heard(self._listeners.setdefault(name, []))
        await wait(event)
        return event.arguments

    def hear(self, name: str, arguments: tuple[Any, ...]) -> None:
        """An event has come, before the tick that latches it."""
        for routine in self._listeners.pop(name, ()):
            if routine._send is not None and isinstance(routine._waits_for, Heard):
                routine._waits_for.arguments = arguments
                # With those that wait for conditions: what it waits for next is not to be found in
                # the same press.
                routine._wait_in(routine._runner.polls)

    def listening(self) -> list[list[Routine]]:
        """Where those are that wait for events."""
        return [*self._listeners.values()]

    def is_running(self, routine: Routine) -> bool:
        """Whether a routine is running now, or has begun what is running."""
        coroutine = routine._coroutine
        return isinstance(coroutine, types.CoroutineType) and coroutine.cr_running

    def start(
        self, coroutine: object, clock: Schedule | None, default: Schedule, depth: int = 2
    ) -> Routine:
        """Begin a routine in the time of a clock: that of the one that starts it, or of the scene,
        unless told.
        """
        if not isinstance(coroutine, types.CoroutineType):
            raise TypeError(_no_coroutine(coroutine))
        if coroutine in self._fresh or not _is_new(coroutine):
            words = (
                f"start: {name_of(coroutine)} has begun already; call its function again "
                "for another one"
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
        """The moment that something counts from that begins now: of the routine that is running, or
        of the clock.
        """
        running = self.running
        return (
            clock.now
            if running is None or running._runner.clock is not clock
            else running._moment.due
        )

    def forget(self, routine: Routine) -> None:
        """It is over."""
        self._on.pop(routine.number, None)

    def run(self) -> None:
        """A tick: resume what is due, clock by clock as they were first used."""
        for runner in [*self._runners.values()]:
            clock = runner.clock
            if clock.over:
                del self._runners[clock]
                self.cancel([routine for routine in self._on.values() if routine._runner is runner])
            elif clock.step:
                runner.run()
        if self._fresh:  # but what is in a group whose time stands still
            self._fresh = {*filter(_is_new, self._fresh)}

    def release(self) -> None:
        """The scene is taken off: cancel all, the last one first."""
        self._over = True
        self._fresh.clear()
        on, self._on = [*self._on.values()], {}
        self.cancel(on[::-1])

    def cancel(self, routines: list[Routine]) -> None:
        """Cancel all of them, whatever goes wrong in some. Raises the first error."""
        errors = []
        for routine in routines:
            try:
                routine.cancel()
            except Exception as error:
                errors.append(error)
        if errors:
            raise errors[0]


def _is_new(coroutine: types.CoroutineType[Any, Any, Any]) -> bool:
    """Whether it has not begun yet."""
    return not (coroutine.cr_running or coroutine.cr_suspended or coroutine.cr_frame is None)


class TaskGroup:
    """Routines that end with a block: ``async with self.tasks() as tasks:
    tasks.start(self.enemy())``.

    The block is left when all have ended. When one fails, or the block does, the others are
    cancelled, and the error goes on from the block.
    """

    __slots__ = ("_host", "_members", "_routines", "_waits")

    def __init__(self, routines: Routines) -> None:
        self._routines = routines
        self._members: dict[int, Routine] = {}
        self._host: Routine | None = None
        self._waits = False  # whether the block waits for its routines

    def __len__(self) -> int:
        """Routines in it that are not over."""
        return len(self._members)

    def start(self, coroutine: Script) -> Routine:
        """Begin a routine in it. Raises `FrameworkError` outside of its block."""
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
        """Cancel all that are in it, the last one first. The block goes on."""
        self._routines.cancel([*self._members.values()][::-1])

    async def __aenter__(self) -> TaskGroup:
        self._host = self._routines.running
        if self._host is None:
            raise FrameworkError(
                "tasks: a group is opened within a routine: self.start(self.level())"
            )
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            while error is None and self._members:
                self._waits = True
                await wait(_Held(self))
        finally:
            self._waits, self._host = False, None
            self.cancel()

    @property
    def _waiting(self) -> Routine | None:
        """The one whose block waits for the routines in it."""
        return self._host if self._waits else None

    def _hold(self, routine: Routine) -> None:
        """The block waits for the routines in it. Raises `FrameworkError` in it where one of them
        waits for it.
        """
        circle = routine._waited_for_by(lambda other: other._group is self)
        if circle:
            routine._throw(_in_a_circle(circle), routine._moment)

    def _ended(self, routine: Routine) -> None:
        """A routine in it is over."""
        self._members.pop(routine.number, None)
        if not self._members and self._waits and self._host is not None:
            self._waits = False
            self._host._runner.resume_soon(self._host, routine._moment)

    def _failed(self, error: Exception, moment: Moment) -> None:
        """A routine in it has failed: its block does."""
        host, self._waits = self._host, False
        if host is None:
            raise error
        host._throw(error, moment)


def _no_coroutine(given: object) -> str:
    from inspect import iscoroutinefunction  # for errors only

    if isinstance(given, types.FunctionType | types.MethodType) and iscoroutinefunction(given):
        return (
            f"coroutine: expected a coroutine, got the function {given.__name__}; call it: "
            f"{given.__name__}(…)"
        )
    return (
        f"coroutine: expected a coroutine, got {shown(given)}; it is what a function gives "
        "that begins: async def"
    )
