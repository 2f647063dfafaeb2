"""Change attributes gradually until they reach their final values (tweens).

The class `Tweens` runs all tweens of a scene. In each tick, the scheduled functions run first, and
then the tweens advance. Each tween writes its values to a column or an attribute. The times are
exact fractions of seconds, and come from a clock, which is a `Schedule`. Therefore, a tween ends in
the correct tick, even if the game has been running for a day.
"""

from __future__ import annotations

__all__ = ["Tween"]

import math
from collections.abc import Callable, Generator, Iterable, Mapping
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Mask
from ..checks import flag, whole, wrong_value
from ..coroutines import frames
from ..errors import FrameworkError
from ..geometry.eases import Ease, Spring, checked
from ..moved_names import check_options, renamed_options
from ..other_engines.other_options import made_by
from ..timing.routines import Routine, join, wake
from ..timing.schedule import Schedule, duration, exact_time_of
from .tween_targets import RowTarget, TweenTarget, loaded_target, targets_of
from .tween_tracks import ONCE, PING_PONG, REPEAT, TweenTrack

_MAX_TIME = 1 << 1000  # in seconds; a larger time does not fit into a float
_MIN_PARTS = 10**9  # the shortest duration is a second divided by this number


renamed_options("Scene.tween", length="duration")
renamed_options("Tween.then", length="duration")

OPTIONS: dict[str, Any] = {
    "duration": None,
    "ease": "linear",
    "delay": 0,
    "repeat": 1,
    "ping_pong": False,
    "relative": False,
    "shortest": False,
}
"""The default options of a tween. See `Scene.tween`."""


class Plan:
    """The checked options of a tween, its targets and its start time."""

    __slots__ = (
        "begin",
        "clock",
        "duration",
        "ease",
        "end",
        "mode",
        "number",
        "odd",
        "relative",
        "shortest",
        "targets",
    )

    def __init__(self, clock: Schedule, begin: Fraction, options: dict[str, Any]) -> None:
        self.clock = clock
        self.ease = checked("ease", options["ease"])
        self.number = 0
        delay = options["delay"]
        self.begin = begin if type(delay) is int and not delay else begin + duration("delay", delay)
        self.relative = flag("relative", options["relative"])
        self.shortest = flag("shortest", options["shortest"])
        ping_pong = flag("ping_pong", options["ping_pong"])
        repeat = options["repeat"]
        for_ever = isinstance(repeat, float) and repeat == math.inf
        runs = 1 if for_ever else whole("repeat", repeat, 1)
        repeats = runs > 1 or for_ever
        self.duration = _duration_of(self.ease, options["duration"], repeats)
        self.mode = (PING_PONG if ping_pong else REPEAT) if repeats else ONCE
        all_runs = self.duration if runs == 1 else runs * self.duration
        self.end: Fraction | None = None if for_ever else _sums.of(self.begin, all_runs)
        if self.end is not None and self.end.numerator > _MAX_TIME * self.end.denominator:
            raise wrong_value(
                "repeat",
                "fewer repeats (the end is too late for a float), or math.inf for a tween without end",
                repeat,
            )
        self.odd = not ping_pong or runs % 2 == 1
        self.targets: list[TweenTarget] = []


def _duration_of(ease: Ease, seconds: Any, repeats: bool) -> Fraction:
    """Check the duration of a tween, and return it. By default, a `Spring` has its own duration."""
    if seconds is None:
        if not isinstance(ease, Spring):
            raise TypeError(
                "duration: expected seconds, got None; only a Spring has a duration of its own"
            )
        seconds = ease.duration
    exact_duration = duration("duration", seconds)
    if 0 < exact_duration.numerator * _MIN_PARTS < exact_duration.denominator:
        raise wrong_value("duration", "0, or at least a nanosecond", seconds)
    if repeats and not exact_duration:
        raise wrong_value("duration", "a number of seconds above 0, because it repeats", seconds)
    return exact_duration


class _Sums:
    """A cache for the last sum of two fractions, because adding two fractions in Python is slow.
    Tweens that begin at the same time usually have equal durations, so their end time is already in
    the cache.
    """

    def __init__(self) -> None:
        self._last = (Fraction(), Fraction(), Fraction())

    def of(self, first: Fraction, second: Fraction) -> Fraction:
        last = self._last
        if first is last[0] and second is last[1]:
            return last[2]
        total = first + second
        self._last = first, second, total
        return total


_sums = _Sums()


def _float(fraction: Fraction) -> float:
    """Convert a fraction to a float, three times as fast as ``float(fraction)``."""
    return fraction.numerator / fraction.denominator


@made_by("write self.tween(sprite, x=400, duration=1)")
class Tween:
    """A tween that was created with `Scene.tween`.

    You can wait for the end of a tween with ``await``, cancel the tween, or add another tween with
    `then`.
    """

    __slots__ = ("_tweens", "number")

    def __init__(self, tweens: Tweens, number: int) -> None:
        self._tweens = tweens
        self.number = number
        """The number of the tween in its scene. The first tween has the number 1."""

    @property
    def ended(self) -> bool:
        """Whether the tween has ended.

        A cancelled tween has also ended. A tween ends early if a newer tween changes the same
        values or if its target is removed.
        """
        return not self._tweens.is_on(self.number)

    def cancel(self) -> None:
        """End the tween in this tick. The attributes keep their current values. Tweens that were
        added with `then` do not start.

        `cancel` does nothing if the tween has already ended.
        """
        self._tweens.cancel(self.number)

    def then(self, target: Any, *, rows: Any = None, **fields: Any) -> Tween:
        """Add a second tween that starts exactly when this tween ends.

        Pass the same arguments as to `Scene.tween`, except ``group``: the second tween belongs to
        the same group as this tween. The second tween does not start if this tween is cancelled, or
        if a newer tween changes the same values. Raises `FrameworkError` if this tween has already
        ended, or if it repeats forever.
        """
        if "duration" not in fields:
            check_options("Tween.then", fields)
        options = {name: fields.pop(name, default) for name, default in OPTIONS.items()}
        return self._tweens.chain(self.number, target, rows, options, fields)

    def _saved_part(self, fail: Callable[[str], NoReturn]) -> tuple[str, dict[str, object]]:
        """Return the data of the tween for a save. See `record.routine_packing`."""
        return "tween", {"owner": self._tweens, **self._tweens.saved(self.number, fail)}

    def __await__(self) -> Generator[Any, Any, None]:
        if not self.ended:
            yield _Ending(self._tweens, self.number)

    def __repr__(self) -> str:
        return f"<Tween {self.number}{', ended' if self.ended else ''}>"


frames.register_leaf(Tween, lambda tween: None)


class _Ending:
    """An object that a routine can await until the tween ends."""

    __slots__ = ("_number", "_tweens")

    def __init__(self, tweens: Tweens, number: int) -> None:
        self._tweens = tweens
        self._number = number

    def hold(self, routine: Routine) -> None:
        """Store ``routine``. The routine continues when the tween ends."""
        self._tweens.hold(self._number, routine)


class Tweens:
    """The waiting and running tweens of a scene."""

    def __init__(self) -> None:
        self._made = 0
        # By the number of a tween: how many values it is still changing, or 0 before it starts.
        self._left: dict[int, int] = {}
        # By the number of a tween: its end time in seconds of its clock, or None for a tween that
        # never ends.
        self._ends: dict[int, Fraction | None] = {}
        self._chained: dict[int, list[int]] = {}
        self._waiters: dict[int, list[Routine]] = {}
        self._tracks: dict[tuple[Any, ...], TweenTrack] = {}
        # Tracks with tweens that routines have started in the current tick.
        self._late: list[TweenTrack] = []
        # For each clock, a heap of waiting tweens, sorted by start time.
        self._plans: dict[Schedule, list[tuple[float, int, Plan]]] = {}

    @property
    def made(self) -> int:
        """The number of tweens that the scene has created. This is also the number of the newest
        tween.
        """
        return self._made

    @made.setter
    def made(self, number: int) -> None:
        self._made = number

    def __len__(self) -> int:
        """Return the number of tweens that have not ended."""
        return len(self._left)

    @property
    def tracks(self) -> list[TweenTrack]:
        """The `TweenTrack` objects with all running tweens.

        NumPy computes all tweens of a `TweenTrack` in one operation.
        """
        return [*self._tracks.values()]

    def is_on(self, number: int) -> bool:
        """Return whether the tween with this ``number`` is waiting or running."""
        return number in self._left

    def add(
        self,
        clock: Schedule,
        begin: Fraction,
        target: Any,
        rows: Any,
        options: dict[str, Any],
        fields: dict[str, Any],
        follows: bool = False,
    ) -> Tween:
        """Add a tween that starts at the time ``begin`` of ``clock``.

        If ``begin`` is in the past, the tween starts now. If ``follows`` is True, the tween was
        added with `Tween.then`. Even if ``begin`` is in the past, it then starts only after the
        previous tween has written its final values.

        For all other arguments, see `Scene.tween`.
        """
        plan = Plan(clock, begin, options)
        now = clock.now
        # Test for the same object first, because comparing two fractions is slow.
        at_once = (
            not follows
            and (plan.begin is begin or plan.begin == begin)
            and (begin is now or begin <= now)
        )
        plan.targets = targets_of(target, rows, fields, plan.relative, at_once)
        self._made += 1
        plan.number = self._made
        self._left[plan.number] = 0
        self._ends[plan.number] = plan.end
        if at_once:
            begun = self._begin(plan)
            time = exact_time_of(clock)
            if plan.begin is not time and plan.begin < time:
                self._late += [track for track in begun if track not in self._late]
        else:
            heappush(self._plans.setdefault(clock, []), (float(plan.begin), plan.number, plan))
        return Tween(self, plan.number)

    def chain(
        self, number: int, target: Any, rows: Any, options: dict[str, Any], fields: dict[str, Any]
    ) -> Tween:
        """Add a tween that starts when the tween with this ``number`` ends."""
        if number not in self._left:
            raise FrameworkError("then: this tween has ended; begin another with self.tween(…)")
        end = self._ends[number]
        if end is None:
            raise FrameworkError("then: this tween repeats forever, so nothing can follow it")
        clock = self._clock_of(number)
        tween = self.add(clock, end, target, rows, options, fields, follows=True)
        self._chained.setdefault(number, []).append(tween.number)
        return tween

    def saved(self, number: int, fail: Callable[[str], NoReturn]) -> dict[str, object]:
        """Return the data of the tween with this ``number`` for a save. The times in the data are
        relative to the current time of the clock. If the tween cannot be saved, call ``fail`` with
        the reason. The function ``fail`` must raise an error.
        """
        if number not in self._left:
            return {"pieces": []}
        tracks = [track for track in self.tracks if track.mask_of(number).any()]
        if not tracks:
            fail("is a tween that has not begun, which cannot be saved")
        if self._chained.get(number):
            fail("is a tween with another one after it (then), which cannot be saved")
        track = tracks[0]
        if not isinstance(track.ease, str):
            fail("is a tween with an ease that has no name, which cannot be saved")
        begin, duration, _ = track.times[:, : track.count][:, track.mask_of(number)][:, 0].tolist()
        end = self._ends[number]
        return {
            "begin": begin - track.clock.time,
            "duration": duration,
            "end": None if end is None else str(end - track.clock.now),
            "ease": track.ease,
            "mode": track.mode,
            "pieces": [piece for track in tracks for piece in track.saved(track.mask_of(number))],
        }

    def load(self, clock: Schedule, values: Mapping[str, Any]) -> Tween:
        """Create a tween from the data of a save, and return it. ``values`` is a dict that `saved`
        returned earlier.

        Raises `ValueError`, `TypeError` or `AttributeError` if the data does not match the game.
        """
        pieces = [loaded_target(piece) for piece in values["pieces"]]
        backs = [bool(piece["back"]) for piece in values["pieces"]]
        if not pieces:
            return Tween(self, 0)  # number 0: a tween that has ended
        ease = checked("ease", values["ease"])
        begin = float(values["begin"])
        duration = float(values["duration"])
        end = None if values["end"] is None else Fraction(values["end"])
        mode = values["mode"]
        if mode not in (ONCE, REPEAT, PING_PONG) or not 0 < duration < _MAX_TIME:
            raise ValueError(f"a tween of {duration} seconds")
        self._made += 1
        number = self._made
        self._left[number] = 0
        self._ends[number] = None if end is None else clock.now + end
        last = math.inf if end is None else float(clock.now + end)
        times = begin + clock.time, duration, last
        for (target, start, goal), back in zip(pieces, backs, strict=True):
            self._end_others(target)
            self._join(target, (clock, ease, mode), number, times, start, goal, back)
        return Tween(self, number)

    def _join(
        self,
        target: TweenTarget,
        kind: tuple[Schedule, Ease, int],
        number: int,
        times: tuple[float, float, float],
        start: Doubles,
        goal: Doubles,
        back: bool,
    ) -> TweenTrack:
        """Add the values of a tween's target to a track, and return the track. The track must match
        the clock, the ease and the mode of the tween, and the key of the target.
        """
        track = self._track(target, kind)
        track.append(number, times, start, goal, back)
        target.join(track)
        self._left[number] += start.shape[1]
        return track

    def _track(self, target: TweenTarget, kind: tuple[Schedule, Ease, int]) -> TweenTrack:
        """Return the track for a target. Create the track first if it does not exist."""
        key = (*kind, *target.key())
        track = self._tracks.get(key)
        if track is None:
            track = self._tracks[key] = target.track(*kind)
        return track

    def _clock_of(self, number: int) -> Schedule:
        for track in self._tracks.values():
            if track.mask_of(number).any():
                return track.clock
        return next(
            clock
            for clock, heap in self._plans.items()
            for _, queued, _ in heap
            if queued == number
        )

    def hold(self, number: int, routine: Routine) -> None:
        """Store ``routine``. The routine continues when the tween with this ``number`` ends."""
        join(routine, self._waiters.setdefault(number, []))

    def cancel(self, number: int) -> None:
        """End the tween with this ``number``. The attributes keep their current values."""
        if number in self._left:
            for track in self._tracks.values():
                track.lose(track.mask_of(number))
            self._over(number, None)

    # -- beginning ---------------------------------------------------------------------------------

    def _begin(self, plan: Plan) -> list[TweenTrack]:
        """Start a tween. The tween starts from the current values of its targets.

        Return the tracks to which the tween was added.
        """
        begun = []
        end = math.inf if plan.end is None else _float(plan.end)
        times = _float(plan.begin), _float(plan.duration) or 1.0, end
        for target in plan.targets:
            if isinstance(target, RowTarget) and not target.turns:
                begun.append(self._begin_row(plan, target, times))
                continue
            start = target.start()
            if start is None:
                continue
            goal = target.goal(start, plan.shortest)
            self._end_others(target)
            kind = (plan.clock, plan.ease, plan.mode)
            back = not plan.odd
            begun.append(self._join(target, kind, plan.number, times, start, goal, back))
        if not self._left.get(plan.number):
            self._over(plan.number, None)
        return begun

    def _begin_row(
        self, plan: Plan, target: RowTarget, times: tuple[float, float, float]
    ) -> TweenTrack:
        """Start a tween of a single row. Return the track to which the tween was added."""
        start = target.numbers
        goal = target.goal_numbers(start, plan.shortest)
        self._end_others(target)
        track = self._track(target, (plan.clock, plan.ease, plan.mode))
        track.append_one(plan.number, times, start, goal, not plan.odd)
        target.join(track)
        self._left[plan.number] += 1
        return track

    def _end_others(self, target: TweenTarget) -> None:
        """End all tweens that change the same values as ``target``."""
        for track in self._tracks.values():
            hit = target.hits(track)
            # `count_nonzero` takes a tenth of the time of `any`.
            if hit is not None and np.count_nonzero(hit):
                self._lose(track, hit)

    # -- ticks -------------------------------------------------------------------------------------

    def advance(self) -> None:
        """Run a tick: compute the values of all tweens, and write the values to the targets.

        Call `advance` after all schedules have advanced.
        """
        self._late = []
        if self._tracks:
            self._write(self.tracks)
        if self._plans:
            for clock, heap in [*self._plans.items()]:
                if clock.over:
                    self._end_waiting(heap)
                else:
                    self._begin_due(clock, heap)
            self._plans = {clock: heap for clock, heap in self._plans.items() if heap}

    def catch_up(self) -> None:
        """Called at the end of a tick. Write the values of tweens that routines have started in the
        current tick.
        """
        if self._late:
            late = self._late
            self._late = []
            self._write(late)
            for clock, heap in [*self._plans.items()]:
                if not clock.over:
                    self._begin_due(clock, heap, before_now=True)
            self._plans = {clock: heap for clock, heap in self._plans.items() if heap}

    def _begin_due(
        self, clock: Schedule, heap: list[tuple[float, int, Plan]], before_now: bool = False
    ) -> None:
        """Start the tweens whose start time has passed. The tween with the earliest start time
        starts first. If ``before_now`` is True, a tween that starts exactly at the current time
        waits for the next tick.

        A tween that starts now may also end in this tick. When a tween ends, the tweens that were
        added to it with `then` also start.
        """
        while heap and heap[0][0] <= clock.time:
            if before_now and heap[0][2].begin >= exact_time_of(clock):
                break
            time = heap[0][0]
            begun: dict[int, TweenTrack] = {}
            # The numbers of the tweens that follow the tweens in `begun`.
            next_numbers: set[int] = set()
            while heap and heap[0][0] == time:
                _, number, plan = heappop(heap)
                # The previous tween has the duration 0, and must end first.
                if number in next_numbers:
                    self._write(begun.values())
                    begun = {}
                    next_numbers = set()
                if number in self._left:
                    begun |= {id(track): track for track in self._begin(plan)}
                    next_numbers.update(self._chained.get(number, ()))
            self._write(begun.values())

    def _end_waiting(self, heap: list[tuple[float, int, Plan]]) -> None:
        """End the tweens that are waiting for the time of a cancelled schedule, because they can
        never start.
        """
        numbers = [number for _, number, _ in heap]
        heap.clear()
        for number in numbers:
            if number in self._left:
                self._over(number, None)

    def _write(self, tracks: Iterable[TweenTrack]) -> None:
        for track in tracks:
            if track.clock.over:
                self._drop(track, np.zeros(track.count, bool))
            gone = track.gone() if track.count else None
            if gone is not None:
                self._drop(track, ~gone)
            if track.count and track.clock.step:
                ended = track.write()
                if ended is not None:
                    # Values that were appended during `write` have not ended.
                    remaining = np.ones(track.count, bool)
                    remaining[: len(ended)] = ~ended
                    self._drop(track, remaining, track.clock)
        for key in [key for key, track in self._tracks.items() if not track.count]:
            del self._tracks[key]

    # -- endings -----------------------------------------------------------------------------------

    def _lose(self, track: TweenTrack, lost: Mask) -> None:
        """Remove the values in the mask ``lost`` from a track, because a newer tween changes these
        values.
        """
        self._count_down(track.numbers[: track.count][lost], None)
        track.numbers[: track.count][lost] = 0
        track.lose(lost)

    def _drop(self, track: TweenTrack, mask: Mask, clock: Schedule | None = None) -> None:
        """Keep the values in ``mask`` in a track, and remove all other values. A tween ends when
        its last value is removed. If the tweens end because their time is over, ``clock`` is their
        clock. If they end early, ``clock`` is None.
        """
        self._count_down(track.keep(mask), clock)

    def _count_down(self, dropped: NDArray[np.int64], clock: Schedule | None) -> None:
        for number, count in zip(
            *map(np.ndarray.tolist, np.unique(dropped, return_counts=True)), strict=True
        ):
            if number in self._left:  # otherwise the tween has already been cancelled
                self._left[number] -= count
                if not self._left[number]:
                    self._over(number, clock)

    def _over(self, number: int, clock: Schedule | None) -> None:
        ended = [number]
        while ended:  # a loop, because a long chain would exceed the recursion limit
            number = ended.pop()
            if self._left.pop(number, None) is None:
                continue
            end = self._ends.pop(number)
            children = self._chained.pop(number, [])
            for waiter in self._waiters.pop(number, ()):
                wake(waiter, clock, end)
            if clock is None:
                ended += children[::-1]

    def release(self) -> None:
        """Remove all tweens. Called when the scene is removed."""
        self._left.clear()
        for part in (
            self._ends,
            self._chained,
            self._waiters,
            self._tracks,
            self._plans,
            self._late,
        ):
            part.clear()
