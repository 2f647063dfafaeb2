"""Timesteps: compute with integers which ticks are due in a frame.

This module never reads a clock and never sleeps. ``advance(now)`` takes the time in nanoseconds,
and returns the ticks that are due. So a test can simulate any display, a very long frame, or many
hours.

``alpha`` is the part of a tick that has passed since the last tick, from 0 to below 1. A frame
shows a blend of the last two states (Fiedler, "Fix Your Timestep!", 2004).
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
# every time scale with up to 18 decimals. Nothing is rounded: tick k is due at k / rate, even after
# 24 hours.
_SCALE = 10**18

_BELOW_ONE = math.nextafter(1.0, 0.0)

_NORMAL_PACE = 10**6  # `pace` is stored as an integer number of millionths
_MIN_PACE, _MAX_PACE = 0.5, 2.0

# Ticks per second: a tick lasts at least a nanosecond, and at most 31 years.
_MIN_RATE = Fraction(1, 10**9)
_MAX_RATE = 10**9


class Tick(NamedTuple):
    """One step of the simulation, with its number, its time and its length."""

    number: int
    """The number of the tick. The first tick has the number 1."""
    time: float
    """The simulated time at the end of the tick, in seconds: number / tick rate."""
    dt: float
    """The length of the tick, in seconds of simulated time."""
    last: bool
    """Whether this is the last tick of its frame."""


class Timestep(Protocol):
    """The interface of a timestep, which decides when a game runs ticks. `FixedTimestep` has this
    interface, and you can write a class of your own.
    """

    time_scale: float
    paused: bool

    @property
    def alpha(self) -> float:
        """The part of a tick that has passed since the last tick, from 0 to below 1. Frames use
        ``alpha`` to blend the last two states.
        """

    @property
    def tick(self) -> int:
        """The number of ticks since the start."""

    @property
    def time(self) -> float:
        """The simulated time at the end of the last tick, in seconds."""

    @property
    def dropped_time(self) -> float:
        """The real time for which no ticks ran because frames exceeded the limits. The time is in
        seconds, and counts since the start.
        """

    def advance(self, now: int) -> Sequence[Tick]:
        """Return the ticks that are due at ``now`` nanoseconds. The first call of `advance` returns
        no ticks.
        """

    def step(self, n: int = 1) -> None:
        """Make the next `advance` return ``n`` ticks, if the loop is paused."""

    def give_back(self, n: int) -> None:
        """Take back the last ``n`` ticks of this frame. The game paused before these ticks, so it
        did not run them.
        """


class _Loop:
    """The base of all timestep classes. A loop converts real time to simulated time: with the time
    scale, pauses and limits.

    Subclasses define `_take`, which divides the accumulated time into ticks and sets ``alpha``.
    Each call of `advance` updates the attributes for frames, such as ``alpha``.
    """

    # Not `checks.Sealed`: about ten attributes are set every frame, and a __setattr__ in Python
    # costs 0.1 µs.
    fixed = True
    """Whether all ticks have the same length."""

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

    # Real time continues after a restore, so it is not a part of the game's state.
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
        self._now: int | None = None  # `now` of the last advance(), None before the first
        self._units = 0  # simulated time since the last tick
        self._total = 0  # simulated time at the end of the last tick
        self._steps = 0  # ticks that step() requested
        self._given: Sequence[int] = ()  # lengths of the last frame's ticks, without step()
        self._given_end = 0  # number of the last of these ticks
        self._given_at = 0  # units per nanosecond of real time in that frame
        self._paused_time = 0  # real time while paused, in ns / _SCALE
        self._dropped = 0  # dropped real time, in ns / _SCALE
        self._at_tick = alpha  # alpha at the moment of a tick
        self._pace = _NORMAL_PACE
        self._waits = False  # whether a tick is due whose input was missing; see `TickControl`
        self._time_scale = 1.0
        self._scale = _SCALE
        self._step_units = self._unit  # units per nanosecond of real time
        self.paused = False
        """Whether game time is paused. You can set the attribute `paused`. While `paused` is True,
        `step` runs single ticks.
        """
        self.tick = 0
        """The number of ticks since the start."""
        self.time = 0.0
        """The simulated time at the end of the last tick, in seconds."""
        self.alpha = alpha
        """The part of a tick that has passed since the last tick, from 0 to below 1. Frames use
        ``alpha`` to blend the last two states.
        """
        self.dropped_time = 0.0
        """The real time in seconds that was dropped, because of the limits on frame time and on
        ticks per frame.
        """
        self.paused_time = 0.0
        """The real time in seconds during which the loop was paused or the time scale was 0."""

    @property
    def time_scale(self) -> float:
        """The speed of the game: simulated seconds per real second. Default: 1. 0 stops time, and
        0.5 is slow motion.
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
        """The speed of the clock, a number from 0.5 to 2. Default: 1. With a pace of 1.1, there are
        1.1 times as many ticks in a real second.

        A session sets the pace, for example to run its ticks at the same time as another machine.
        Unlike `time_scale`, the pace is not part of the game's state: snapshots and hashes do not
        contain it. The pace does not change the length of a tick.
        """
        return self._pace / _NORMAL_PACE

    @pace.setter
    def pace(self, value: float) -> None:
        value = checked_number("pace", value, least=_MIN_PACE, most=_MAX_PACE)
        self._pace = round(value * _NORMAL_PACE)

    @property
    def rate(self) -> Fraction:
        """Ticks per second, as an exact fraction. For a `VariableTimestep`, this is the rate of
        ticks from `step`.
        """
        return self._rate

    def step(self, n: int = 1) -> None:
        """Make the next `advance` return ``n`` ticks, if the loop is paused. If you call `step`
        several times, the numbers are added.

        If the loop is not paused, `step` does nothing.
        """
        self._steps += whole("n", n, 1)

    def advance(self, now: int) -> Sequence[Tick]:
        """Return the ticks that are due at ``now``. ``now`` is the time of any monotonic clock, in
        integer nanoseconds.

        The first call sets the start time, and returns no ticks. If ``now`` is earlier than in the
        last call, the loop assumes that no time has passed.
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
        """Take back the last ``n`` ticks of this frame. The game paused before these ticks, so it
        did not run them.

        The time of ticks that are given back counts as paused time: the game never runs these ticks
        later.
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
        """The loop's time units per nanosecond of real time, at the current pace."""
        if self._pace == _NORMAL_PACE:
            return self._step_units
        return self._step_units * self._pace // _NORMAL_PACE

    def _take(self) -> Sequence[int]:
        """Remove the ticks that are due from the accumulated time, and set ``alpha``.

        Return the lengths of these ticks, in the loop's units.
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
        dt = self._tick_time  # the same object every time: clocks compare it by `is`
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
    """Controls the ticks of a loop, for recordings, replays and rewind. `control_of` returns a
    `TickControl`.

    Games do not need this class. Lengths and times are whole numbers of the loop's time units.
    """

    __slots__ = ("_loop",)

    not_state = True

    def __init__(self, loop: _Loop) -> None:
        self._loop = loop

    @property
    def rate(self) -> Fraction:
        """Ticks per second, as an exact fraction."""
        return self._loop.rate

    @property
    def fixed(self) -> bool:
        """Whether all ticks have the same length."""
        return self._loop.fixed

    @property
    def second(self) -> int:
        """The loop's time units per simulated second. The length of every tick is a whole number of
        the loop's time units.
        """
        return self._loop._second

    def length_of(self, number: int) -> int:
        """Return the length of the tick ``number`` of this frame, in units."""
        loop = self._loop
        from_end = loop._given_end - number
        return loop._given[-1 - from_end] if 0 <= from_end < len(loop._given) else loop._tick_units

    def begin_of(self, number: int) -> int:
        """Return the simulated time at which the tick ``number`` of this frame begins, in units."""
        loop = self._loop
        return loop._total - sum(
            [self.length_of(later) for later in range(number, loop._given_end + 1)]
        )

    def at_tick(self, tick: Tick) -> None:
        """Set the loop's ``tick`` and ``time`` to a tick that is about to run.

        If a frame has several ticks, call `at_tick` before each tick.
        """
        self._loop.tick = tick.number
        self._loop.time = tick.time

    def run_on(self, length: int = 0) -> Tick:
        """Advance by one tick at once, even if the loop is paused. Return the new `Tick`.

        ``length`` is the length of the tick in units. If ``length`` is 0, the tick has the usual
        length.
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
        """The simulated time since the last tick, in units."""
        return self._loop._units

    def go_to(self, number: int, total: int, gathered: int) -> None:
        """Set the loop to the end of the tick ``number``. ``total`` is the simulated time in units.

        ``gathered`` is the simulated time since this tick, in units. ``alpha`` gets its value right
        after a tick.
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
        """Return how many ticks are due at ``now``, but do not count these ticks as run. Run each
        tick with `run_on`. For `take`, all ticks of the loop must have the same length.

        If a tick waits for its input (see `wait`), only this tick is due. The time of the other
        ticks counts as paused time.
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
        """Take back the last ``count`` ticks, which have not run."""
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
        """Make the next tick due in the next frame, because its input has not arrived yet.

        ``ticks`` is the number of ticks from `take` that have not run. The time of all but one of
        the ``ticks`` counts as paused time.

        ``alpha`` gets its largest value, so frames show the newest state while the tick waits.
        """
        loop = self._loop
        loop._waits = True
        loop.alpha = _BELOW_ONE
        self._count_as_paused(ticks - 1)

    def drop(self, ticks: int) -> None:
        """Count the time of ticks from `take` as paused time. The game has paused before these
        ticks could run.
        """
        self._count_as_paused(ticks)

    @property
    def between(self) -> tuple[int, float]:
        """The time since the last tick, as a pair: in units, and as ``alpha``.

        After a restore in the middle of a frame, set `between` to its value before the restore.
        """
        return self._loop._units, self._loop.alpha

    @between.setter
    def between(self, value: tuple[int, float]) -> None:
        self._loop._units, self._loop.alpha = value

    def pass_by(self, now: int) -> None:
        """Skip the real time up to ``now``. There are no ticks for the skipped time.

        Later ticks are due at the same real times as without this call.
        """
        loop = self._loop
        if loop._now is not None and now > loop._now and loop.fixed:
            skipped = (now - loop._now) * loop._speed
            loop._units = (loop._units + skipped) % loop._tick_units
        loop._now = now if loop._now is None else max(now, loop._now)


def control_of(timestep: Timestep) -> TickControl | None:
    """Return the `TickControl` of a timestep. Return None for a timestep class of the game's
    own.
    """
    return TickControl(timestep) if isinstance(timestep, _Loop) else None


class FixedTimestep(_Loop):
    """A timestep with ticks of equal length at every frame rate. A game uses a `FixedTimestep` by
    default.

    Parameters
    ----------
    tick_rate
        Ticks per second: an int, a float or a ``Fraction``. A float is read by its decimal digits:
        59.94 is 2997/50.
    max_frame_time
        The maximum real time per frame, in seconds. A frame may be longer because of a slow disk, a
        debugger or a sleeping laptop. The time of a frame above this maximum is dropped and counted
        in `dropped_time`. If ``max_frame_time`` is None, there is no limit.
    max_ticks
        The maximum number of ticks per frame. If a machine is too slow for the game's ticks, this
        maximum makes the game run in slow motion. The game returns to normal speed when ticks are
        fast enough again. If ``max_ticks`` is None, there is no limit.
    overflow
        With "drop", ticks above ``max_ticks`` are dropped, and their time is counted in
        `dropped_time`. With "carry", ticks above ``max_ticks`` run in the next frames, with at most
        ``max_ticks`` in each frame.

    Raises
    ------
    ValueError, TypeError
        An argument is not a positive finite number of the right type. The error message names the
        wrong argument.
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
        """Ticks per second."""
        self.dt = rate.denominator / rate.numerator
        """The length of a tick, in seconds of simulated time."""

    def due(self, tick: int) -> int:
        """Return the time at which the tick number ``tick`` is due. The time is in integer
        nanoseconds on the clock of `advance`.

        The returned time is only right if `time_scale` and `pace` do not change. If the tick has
        already run, the time is before the last call of `advance`. If the game is paused, the
        result assumes that the game continues now. Raises `ValueError` if `time_scale` is 0.
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
    """A timestep with ticks of equal length. The remaining time of each frame gets a shorter tick.

    The ticks of a frame are together as long as the frame. ``alpha`` is the largest number below 1,
    so frames show the newest state. Each frame shows new motion, because a frame can end with a
    shorter tick. The lengths of ticks depend on the frame rate, so the game does too. For replays,
    use `FixedTimestep`. Time above ``max_ticks`` full ticks is dropped. For the parameters, see
    `FixedTimestep`.
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
    """A timestep with one tick per frame. The tick is as long as the frame, but at most
    ``max_frame_time`` seconds.

    ``alpha`` is the largest number below 1, so frames show the newest state. The game depends on
    the frame rate, so two machines get different results. The method `step` makes ticks of 1/60
    second.
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
    """A timestep with ticks of equal length. Each frame runs the number of ticks that brings game
    time nearest to real time.

    Game time may be up to half a tick ahead of real time. A frame runs ``round(lag / tick)`` ticks.
    ``lag`` is the real time minus the game time. The package fixed-framerate-loop by jacklehamster
    uses the same method. Ticks above ``max_ticks`` are dropped. ``Tick.last`` is True for the last
    tick of a frame: some games draw only after this tick.

    ``alpha`` is 0.5 plus the lag in ticks, after the ticks of the frame. The lag after the ticks of
    a frame is from -0.5 to below 0.5. So frames show the game half a tick late, and motion is
    smooth at every frame rate.
    """

    __slots__ = ("cancelled",)

    def __init__(self, tick_rate: float | Fraction = 60, max_ticks: int | None = 10) -> None:
        super().__init__(_tick_rate(tick_rate), None, max_ticks, 0.5)
        self.cancelled = False
        """``cancelled`` is True after you called `cancel`. Do not set `cancelled` yourself."""

    def due(self, tick: int) -> int:
        return _due(self, tick, self._tick_units // 2)

    due.__doc__ = FixedTimestep.due.__doc__

    def cancel(self) -> None:
        """Stop the loop: `advance` returns no more ticks. If the loop is already cancelled, nothing
        happens.
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
    """Return the time at which a tick is due, in nanoseconds. ``early`` is how much earlier the
    tick runs than at the end of its full length, in units.
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
