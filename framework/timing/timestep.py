"""Compute how many ticks a game must run in each frame.

The timesteps in this module never read a clock and never sleep. The caller passes the time in
nanoseconds to ``advance(now)``, which returns the ticks that are due. Therefore, a test can
simulate any screen, a very slow frame, or many hours of game time.

``alpha`` is the time since the last tick, as a fraction of a tick: from 0 to below 1. In each
frame, the drawn state is interpolated between the states after the last two ticks. The method is
from the article "Fix Your Timestep!" by Glenn Fiedler (2004).
"""

from __future__ import annotations

__all__ = [
    "FixedTimestep",
    "RoundedTimestep",
    "SemiFixedTimestep",
    "Tick",
    "Timestep",
    "VariableTimestep",
]

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar, Literal, NamedTuple, Protocol

from ..checks import (
    choice,
    decimal,
    exact_number,
    is_flag,
    positive_fraction,
    whole,
    wrong_type,
    wrong_value,
)
from ..checks import number as checked_number

NANOSECONDS = 1_000_000_000

# Simulated time is counted in units of 1 ns / (numerator of the tick rate) / SCALE. Then a tick is
# a whole number of units for every rational rate. A nanosecond is a whole number of units too, at
# every time scale with up to 18 decimals. So no time is rounded: tick k is due at exactly k / rate,
# even after 24 hours.
_SCALE = 10**18

_BELOW_ONE = math.nextafter(1.0, 0.0)

_NORMAL_PACE = 10**6  # `pace` is stored as an integer number of millionths
_MIN_PACE = 0.05
_MAX_PACE = 2.0

# Ticks per second: a tick takes at least a nanosecond, and at most 31 years.
_MIN_RATE = Fraction(1, 10**9)
_MAX_RATE = 10**9


class Tick(NamedTuple):
    """One step of the simulation, with its number, its time and its duration."""

    number: int
    """The number of the tick. The first tick has the number 1."""
    time: float
    """The game time at the end of the tick, in seconds: number / tick rate."""
    dt: float
    """The duration of the tick in seconds of game time."""
    last: bool
    """True if this is the last tick of its frame."""


class Timestep(Protocol):
    """The interface of a timestep: an object that decides when ticks run, such as a
    `FixedTimestep`. You can also write a timestep class of your own.
    """

    time_scale: float
    paused: bool

    @property
    def alpha(self) -> float:
        """The time since the last tick, as a fraction of a tick: from 0 to below 1. Drawn values
        are interpolated with ``alpha`` between the states after the last two ticks.
        """

    @property
    def tick(self) -> int:
        """The number of ticks since the game started."""

    @property
    def time(self) -> float:
        """The game time at the end of the last tick, in seconds."""

    @property
    def dropped_time(self) -> float:
        """The real time in seconds for which no ticks have run since the game started, because
        frames took too long.
        """

    def advance(self, now: int) -> Sequence[Tick]:
        """Return the ticks that are due between the last call to `advance` and the time ``now``.
        ``now`` is in nanoseconds. The first call to `advance` returns no ticks.
        """

    def step(self, n: int = 1) -> None:
        """Run ``n`` ticks in the next frame while the game is paused."""

    def give_back(self, n: int) -> None:
        """Remove the last ``n`` ticks of this frame: they do not run and do not count. Called if a
        tick of this frame has paused the game.
        """


class _Loop:
    """The base class of all timesteps. `_Loop` converts real time to game time, using the time
    scale, pauses and limits.

    A subclass defines `_take`, which splits game time into ticks and sets ``alpha``. Each call of
    `advance` updates attributes such as ``alpha`` and ``time``.
    """

    # This class is not `checks.Sealed`, because about ten attributes are set in every frame. A
    # __setattr__ in Python costs 0.1 µs.
    fixed = True
    """True if all ticks have the same duration."""

    __slots__ = (
        "_at_tick",
        "_cap",
        "_dropped",
        "_given",
        "_given_at",
        "_given_end",
        "_limit",
        "_now",
        "_pace",
        "_paused_time",
        "_rate",
        "_scale",
        "_second",
        "_step_units",
        "_steps",
        "_tick_time",
        "_tick_units",
        "_time_scale",
        "_total",
        "_unit",
        "_units",
        "_waits",
        "alpha",
        "dropped_time",
        "paused",
        "paused_time",
        "tick",
        "time",
    )

    # The real time is not part of the game's state, because it continues after a restore.
    _transient_attributes: ClassVar[tuple[str, ...]] = (
        *(
            "_at_tick",
            "_cap",
            "_dropped",
            "_limit",
            "_now",
            "_pace",
            "_paused_time",
            "_rate",
            "_second",
            "_tick_time",
        ),
        *("_tick_units", "_unit", "_waits", "dropped_time", "paused_time"),
    )

    def __init__(
        self, rate: Fraction, max_frame_time: float | None, max_ticks: int | None, alpha: float
    ) -> None:
        self._rate = rate
        self._unit = rate.numerator * _SCALE  # units per nanosecond of unscaled time
        self._tick_units = rate.denominator * NANOSECONDS * _SCALE
        self._second = self._unit * NANOSECONDS
        self._tick_time = self._tick_units / self._second
        self._cap = (
            None if max_frame_time is None else _nanoseconds("max_frame_time", max_frame_time)
        )
        self._limit = None if max_ticks is None else whole("max_ticks", max_ticks, 1)
        # The argument `now` of the last call of advance(), None before the first call.
        self._now: int | None = None
        self._units = 0  # simulated time since the last tick
        self._total = 0  # simulated time at the end of the last tick
        self._steps = 0  # ticks that step() requested
        # The durations of the last frame's ticks, without ticks from step().
        self._given: Sequence[int] = ()
        self._given_end = 0  # number of the last tick in `_given`
        self._given_at = 0  # `_step_units` of the frame of these ticks
        self._paused_time = 0  # real time while paused, in ns / _SCALE
        self._dropped = 0  # dropped real time, in ns / _SCALE
        self._at_tick = alpha  # the value that `alpha` has directly after a tick
        self._pace = _NORMAL_PACE
        self._waits = False  # True while a tick is waiting for its input; see `TickControl`
        self._time_scale = 1.0
        self._scale = _SCALE
        self._step_units = self._unit  # units per nanosecond of real time
        self.paused = False
        """Whether the game is paused. Set it to True to pause the game. During a pause, `step` runs
        single ticks.
        """
        self.tick = 0
        """The number of ticks since the start."""
        self.time = 0.0
        """The game time at the end of the last tick, in seconds."""
        self.alpha = alpha
        """The time since the last tick, as a fraction of a tick: from 0 to below 1. Drawn values
        are interpolated with ``alpha`` between the states after the last two ticks.
        """
        self.dropped_time = 0.0
        """The real time in seconds that was dropped, because a frame took too long or had too many
        ticks.
        """
        self.paused_time = 0.0
        """How long the game has been paused or had a time scale of 0, in seconds of real time."""

    @property
    def time_scale(self) -> float:
        """The number of game seconds per real second. Default: 1. With 0, the game stops. With 0.5,
        it runs in slow motion.
        """
        return self._time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        number = exact_number("time_scale", value, least=0)
        self._time_scale = float(number)
        self._scale = round(decimal(number) * _SCALE)
        self._step_units = self._unit // _SCALE * self._scale

    @property
    def pace(self) -> float:
        """The speed of the timestep relative to the real clock, from 0.05 to 2. Default: 1. With a
        pace of 1.1, there are 1.1 times as many ticks per real second.

        A network session sets the pace, for example so that two computers stay at the same tick.
        Unlike `time_scale`, the pace is not part of the game's state, so snapshots and state hashes
        do not contain it. The pace does not change the ``dt`` of a tick.
        """
        return self._pace / _NORMAL_PACE

    @pace.setter
    def pace(self, value: float) -> None:
        value = checked_number("pace", value, least=_MIN_PACE, most=_MAX_PACE)
        self._pace = round(value * _NORMAL_PACE)

    @property
    def rate(self) -> Fraction:
        """The number of ticks per second, as an exact fraction. A `VariableTimestep` uses `rate`
        only for ticks that you run with the method `step`.
        """
        return self._rate

    def step(self, n: int = 1) -> None:
        """Run ``n`` ticks in the next frame while the game is paused. If you call `step` several
        times before the next frame, the frame runs all these ticks.

        If the game is not paused, `step` does nothing.
        """
        self._steps += whole("n", n, 1)

    def advance(self, now: int) -> Sequence[Tick]:
        """Return the ticks that are due between the last call to `advance` and the time ``now``.
        The method may return no tick, one tick or several ticks.

        ``now`` is an int in nanoseconds, from any clock that never goes back. The first call of
        `advance` sets the start time, and returns no ticks. If ``now`` is earlier than in the
        previous call, the result is the same as if no time had passed.
        """
        if now.__class__ is not int:
            now = _nanosecond_stamp(now)
        last = self._now
        if last is None:
            self._now = now
            return ()
        if now > last:
            self._now = now
            self._add(now - last)
        self._given = ()
        if self.paused:
            count = self._steps
            self._steps = 0
            return self._ticks([self._tick_units] * count)
        self._steps = 0
        if not self._step_units:
            return ()
        self._given = self._take()
        self._given_at = self._speed
        return self._ticks(self._given)

    def give_back(self, n: int) -> None:
        """Remove the last ``n`` ticks of this frame: they do not run and do not count. Called if a
        tick of this frame has paused the game.

        The time of the removed ticks counts as paused time, so these ticks do not run after the
        pause either.
        """
        if whole("n", n, 0) > len(self._given):
            raise ValueError(
                f"n: expected at most the {len(self._given)} ticks of this frame, got {n}"
            )
        if n:
            units = sum(self._given[-n:])
            self._given = self._given[:-n]
            self._given_end = self.tick = self._given_end - n
            self._total -= units
            self.time = self._total / self._second
            self._add_paused(units * _SCALE // self._given_at)

    def _add(self, elapsed: int) -> None:
        if self.paused or not self._step_units:
            self._add_paused(elapsed * _SCALE)
            return
        if self._cap is not None and elapsed > self._cap:
            self._add_dropped((elapsed - self._cap) * _SCALE)
            elapsed = self._cap
        if self._pace == _NORMAL_PACE:
            self._units += elapsed * self._step_units
        else:
            self._units += elapsed * self._step_units * self._pace // _NORMAL_PACE

    @property
    def _speed(self) -> int:
        """The number of time units per nanosecond of real time, at the current `pace`."""
        if self._pace == _NORMAL_PACE:
            return self._step_units
        return self._step_units * self._pace // _NORMAL_PACE

    def _take(self) -> Sequence[int]:
        """Subtract the ticks that are due from the collected game time, and set ``alpha``.

        Return the duration of each due tick, in time units.
        """
        raise NotImplementedError

    def _drop(self, units: int) -> None:
        self._units -= units
        self._add_dropped(units * _SCALE // self._speed)

    def _add_dropped(self, time: int) -> None:
        self._dropped += time
        self.dropped_time = self._dropped / (_SCALE * NANOSECONDS)

    def _add_paused(self, time: int) -> None:
        self._paused_time += time
        self.paused_time = self._paused_time / (_SCALE * NANOSECONDS)

    def _ticks(self, lengths: Sequence[int]) -> Sequence[Tick]:
        if not lengths:
            return ()
        ticks: list[Tick] = []
        total = self._total
        end = self.tick + len(lengths)
        second = self._second
        usual = self._tick_units
        # All ticks get the same float object, because clocks compare it with `is`.
        dt = self._tick_time
        for number, units in enumerate(lengths, self.tick + 1):
            total += units
            ticks.append(
                Tick(
                    number, total / second, dt if units == usual else units / second, number == end
                )
            )
        self.tick = self._given_end = end
        self._total = total
        self.time = ticks[-1].time
        return ticks


class TickControl:
    """Controls the ticks of a timestep, for recordings, replays and rewind. The function
    `control_of` returns a `TickControl`.

    Games do not need this class. Durations and times are integers in the time unit of the timestep.
    """

    __slots__ = ("_loop",)

    not_state = True

    def __init__(self, loop: _Loop) -> None:
        self._loop = loop

    @property
    def rate(self) -> Fraction:
        """The number of ticks per second, as an exact fraction."""
        return self._loop.rate

    @property
    def fixed(self) -> bool:
        """True if all ticks have the same duration."""
        return self._loop.fixed

    @property
    def second(self) -> int:
        """The number of time units in one second of game time. The unit is chosen so that the
        duration of every tick is an integer.
        """
        return self._loop._second

    def length_of(self, number: int) -> int:
        """Return the duration of tick ``number`` in this frame, in time units."""
        loop = self._loop
        from_end = loop._given_end - number
        return loop._given[-1 - from_end] if 0 <= from_end < len(loop._given) else loop._tick_units

    def begin_of(self, number: int) -> int:
        """Return the game time at the start of tick ``number`` in this frame, in time units."""
        loop = self._loop
        return loop._total - sum(
            [self.length_of(later) for later in range(number, loop._given_end + 1)]
        )

    def at_tick(self, tick: Tick) -> None:
        """Set the attributes ``tick`` and ``time`` of the timestep for a tick that is about to run.

        If a frame has several ticks, call this method before each tick.
        """
        self._loop.tick = tick.number
        self._loop.time = tick.time

    def run_on(self, length: int = 0) -> Tick:
        """Count one more tick, even if the game is paused. Return the new `Tick`. The caller must
        run the new tick.

        ``length`` is the duration of the new tick in time units. With ``length=0``, the new tick
        has the usual duration.
        """
        loop = self._loop
        units = length or loop._tick_units
        loop._given = (units,)
        number = loop.tick = loop._given_end = loop.tick + 1
        total = loop._total = loop._total + units
        time = loop.time = total / loop._second
        return Tick(number, time, length / loop._second if length else loop._tick_time, True)

    @property
    def gathered(self) -> int:
        """The game time that has passed since the last tick, in time units."""
        return self._loop._units

    def go_to(self, number: int, total: int, gathered: int) -> None:
        """Set the timestep to the end of tick ``number``. ``total`` is the game time at the end of
        this tick, in time units.

        ``gathered`` is the game time that has passed since tick ``number``, in time units.
        ``alpha`` is set to the value that it has immediately after a tick.
        """
        loop = self._loop
        loop.tick = loop._given_end = number
        loop._total = total
        loop.time = total / loop._second
        loop._units = gathered
        loop._steps = 0
        loop._given = ()
        loop.alpha = loop._at_tick

    def take(self, now: int) -> int:
        """Return the number of ticks that are due at the time ``now``. These ticks are not counted
        yet: call `run_on` once for each tick to count it. `take` works only if all ticks have the
        same duration.

        While a tick is waiting for its input (see `wait`), only this tick is due. The time of
        further ticks counts as paused time.
        """
        loop = self._loop
        due = len(loop.advance(now))
        self._take_back(due)
        if loop._waits and (due or not (loop.paused or not loop._step_units)):
            loop._waits = False
            self._count_as_paused(due)
            return 1
        return due

    def _take_back(self, count: int) -> None:
        """Subtract ``count`` from the number of ticks, because these ticks have not run."""
        loop = self._loop
        if count:
            loop.tick -= count
            loop._given_end = loop.tick
            loop._total -= count * loop._tick_units
            loop.time = loop._total / loop._second
            loop._given = ()

    def _count_as_paused(self, ticks: int) -> None:
        loop = self._loop
        if ticks and loop._speed:
            loop._add_paused(ticks * loop._tick_units * _SCALE // loop._speed)

    def wait(self, ticks: int) -> None:
        """Called if the input of the next tick has not arrived over the network. The timestep tries
        this tick again in the next frame.

        ``ticks`` is the number of ticks from the last call to `take` that have not run yet. The
        time of the first of these ticks is kept, because it is the waiting tick. The time of all
        further ticks counts as paused time.

        While a tick is waiting, ``alpha`` has its largest value, just below 1, so frames show the
        newest state.
        """
        loop = self._loop
        loop._waits = True
        loop.alpha = _BELOW_ONE
        self._count_as_paused(ticks - 1)

    def drop(self, ticks: int) -> None:
        """Count the time of ``ticks`` ticks as paused time. Called if the game was paused before
        all ticks from `take` could run.
        """
        self._count_as_paused(ticks)

    @property
    def between(self) -> tuple[int, float]:
        """The time since the last tick, as a pair: the time in time units, and ``alpha``.

        If you restore a state in the middle of a frame, read this property before the restore, and
        set it to the same value afterwards.
        """
        return self._loop._units, self._loop.alpha

    @between.setter
    def between(self, value: tuple[int, float]) -> None:
        self._loop._units, self._loop.alpha = value

    def pass_by(self, now: int) -> None:
        """Ignore the real time from the last call until ``now``: no ticks run for it.

        After this call, ticks are due at the same real times as without the call.
        """
        loop = self._loop
        if loop._now is not None and now > loop._now and loop.fixed:
            skipped = (now - loop._now) * loop._speed
            loop._units = (loop._units + skipped) % loop._tick_units
        loop._now = now if loop._now is None else max(now, loop._now)


def control_of(timestep: Timestep) -> TickControl | None:
    """Return the `TickControl` of a timestep, or None if the game defines the timestep's class."""
    return TickControl(timestep) if isinstance(timestep, _Loop) else None


class FixedTimestep(_Loop):
    """A timestep with ticks of equal duration, at any frame rate. A game uses a `FixedTimestep` by
    default.

    Parameters
    ----------
    tick_rate
        The number of ticks per second: an int, a float or a ``Fraction``. A float means the decimal
        number that you write: 59.94 means 2997/50.
    max_frame_time
        The maximum real time in seconds that one frame adds to the game time. A frame can take very
        long, for example because of a slow disk, a debugger or a laptop in sleep mode. The time
        above ``max_frame_time`` is dropped: no ticks run for it, and it is added to `dropped_time`.
        With None, there is no maximum.
    max_ticks
        The maximum number of ticks in one frame. On a computer that is too slow for the ticks, the
        game then runs in slow motion until the computer is fast enough again. With None, there is
        no maximum.
    overflow
        With "drop", ticks above ``max_ticks`` never run, and their time is added to `dropped_time`.
        With "carry", these ticks run in later frames, which also run at most ``max_ticks`` ticks.

    Raises
    ------
    ValueError, TypeError
        If an argument is not a positive finite number of the right type. The error message contains
        the name of the argument.
    """

    __slots__ = _lasting_attributes = ("_carry", "dt", "tick_rate")

    def __init__(
        self,
        tick_rate: float | Fraction = 60,
        max_frame_time: float | None = 0.25,
        max_ticks: int | None = 8,
        overflow: Literal["drop", "carry"] = "drop",
    ) -> None:
        rate = _tick_rate(tick_rate)
        super().__init__(rate, max_frame_time, max_ticks, 0.0)
        self._carry = choice("overflow", overflow, ("drop", "carry")) == "carry"
        self.tick_rate = rate.numerator / rate.denominator
        """The number of ticks per second."""
        self.dt = rate.denominator / rate.numerator
        """The duration of a tick in seconds of game time."""

    def due(self, tick: int) -> int:
        """Return the real time at which a tick is due, in integer nanoseconds of the clock that you
        use for `advance`.

        The returned time is correct only if `time_scale` and `pace` stay the same until the tick.
        For a tick that has already run, the returned time is in the past. While the game is paused,
        the time is computed as if the pause ended now. Raises `ValueError` if `time_scale` is 0.
        """
        return _due(self, tick, 0)

    def _take(self) -> Sequence[int]:
        tick = self._tick_units
        count, remainder = divmod(self._units, tick)
        self.alpha = min(remainder / tick, _BELOW_ONE)
        if not count:
            return ()
        if self._limit is not None and count > self._limit:
            if not self._carry:
                self._drop((count - self._limit) * tick)
            count = self._limit
        self._units -= count * tick
        return [tick] * count


class SemiFixedTimestep(_Loop):
    """A timestep with ticks of equal duration, plus one shorter tick at the end of each frame.

    Together, the ticks of a frame take exactly as long as the frame. ``alpha`` is always just below
    1, so each frame shows the newest state. Therefore objects move in every frame, at any frame
    rate. The duration of the shorter tick depends on the frame rate, and so do the results of the
    game. If you need replays, use `FixedTimestep`. If a frame is longer than ``max_ticks`` ticks of
    full duration, the game skips the remaining time. For the parameters, see `FixedTimestep`.
    """

    __slots__ = ()

    fixed = False

    def __init__(
        self,
        tick_rate: float | Fraction = 60,
        max_frame_time: float | None = 0.25,
        max_ticks: int | None = 8,
    ) -> None:
        super().__init__(_tick_rate(tick_rate), max_frame_time, max_ticks, _BELOW_ONE)

    def _take(self) -> Sequence[int]:
        if self._limit is not None and self._units > self._limit * self._tick_units:
            self._drop(self._units - self._limit * self._tick_units)
        count, remainder = divmod(self._units, self._tick_units)
        self._units = 0
        return [self._tick_units] * count + ([remainder] if remainder else [])


class VariableTimestep(_Loop):
    """A timestep with one tick per frame. The tick takes as long as the frame, but at most
    ``max_frame_time`` seconds.

    ``alpha`` is always just below 1, so frames show the newest state. The results of the game
    depend on the frame rate, so two computers with different frame rates get different results.
    Ticks that `step` runs last 1/60 second.
    """

    __slots__ = ()

    fixed = False

    def __init__(self, max_frame_time: float | None = 0.1) -> None:
        super().__init__(Fraction(60), max_frame_time, None, _BELOW_ONE)

    def _take(self) -> Sequence[int]:
        units = self._units
        self._units = 0
        return [units] if units else ()


class RoundedTimestep(_Loop):
    """A timestep with ticks of equal duration, which may run up to half a tick early. In each
    frame, the timestep runs the number of ticks after which game time is closest to real time.

    So game time can be up to half a tick ahead of real time. The number of ticks in a frame is
    ``round(lag / tick)``, where ``lag`` is the real time minus the game time, and ``tick`` is the
    duration of a tick. The package fixed-framerate-loop by jacklehamster uses the same method.
    Ticks above ``max_ticks`` are dropped. Some games draw only after the last tick of a frame, for
    which ``Tick.last`` is True.

    ``alpha`` is 0.5 plus the lag that remains after the ticks, measured in ticks. The remaining lag
    is at least -0.5 and below 0.5. Frames show the game with a delay of half a tick, and motion is
    smooth at any frame rate.
    """

    __slots__ = ("cancelled",)

    def __init__(self, tick_rate: float | Fraction = 60, max_ticks: int | None = 10) -> None:
        super().__init__(_tick_rate(tick_rate), None, max_ticks, 0.5)
        self.cancelled = False
        """True after `cancel` was called. Do not set `cancelled` yourself."""

    def due(self, tick: int) -> int:
        return _due(self, tick, self._tick_units // 2)

    due.__doc__ = FixedTimestep.due.__doc__

    def cancel(self) -> None:
        """Stop the ticks of the game: from now on, `advance` returns no ticks. Calling `cancel`
        again does nothing.
        """
        self.cancelled = True

    def advance(self, now: int) -> Sequence[Tick]:
        return () if self.cancelled else super().advance(now)

    advance.__doc__ = _Loop.advance.__doc__

    def _take(self) -> Sequence[int]:
        tick = self._tick_units
        count = (2 * self._units + tick) // (2 * tick)
        if self._limit is not None and count > self._limit:
            self._drop((count - self._limit) * tick)
            count = self._limit
        self._units -= count * tick
        self.alpha = max(0.0, min((2 * self._units + tick) / (2 * tick), _BELOW_ONE))
        return [tick] * count


def _due(loop: _Loop, tick: int, early: int) -> int:
    """Return the real time at which a tick is due, in nanoseconds. ``early`` is the number of time
    units by which the tick runs earlier than in a `FixedTimestep`.
    """
    tick = whole("tick", tick, 0)
    if not loop._step_units:
        raise ValueError("due: expected a time scale above 0, got 0, so no tick is due")
    missing = (tick - loop.tick) * loop._tick_units - loop._units - early
    speed = loop._step_units * loop._pace
    return (loop._now or 0) - (-missing * _NORMAL_PACE // speed)


def _tick_rate(value: float | Fraction) -> Fraction:
    rate = positive_fraction("tick_rate", value)
    if not _MIN_RATE <= rate <= _MAX_RATE:
        raise wrong_value("tick_rate", "1e-9 to 1e9 ticks per second", value)
    return rate


def _nanoseconds(name: str, seconds: float) -> int:
    value = round(positive_fraction(name, seconds) * NANOSECONDS)
    if value < 1:
        raise wrong_value(name, "at least a nanosecond", seconds)
    return value


def _nanosecond_stamp(now: object) -> int:
    if is_flag(now) or not hasattr(now, "__index__"):
        raise wrong_type("now", "integer nanoseconds (time.perf_counter_ns())", now)
    return whole("now", now)
