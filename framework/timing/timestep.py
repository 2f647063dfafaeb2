"""When ticks are due: the rules of time, as arithmetic on integers.

Nothing here reads a clock or sleeps: ``advance(now)`` is given the time, in nanoseconds, and
answers with the ticks that are due. A test can thus invent any display, any hitch and any day of
play.

A frame's remainder is ``alpha``, the fraction of a tick by which the clock has run past the last
one; what is drawn is the mix of the last two states by alpha (Fiedler, "Fix Your Timestep!", 2004).
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

NANOSECONDS = 1_000_000_000

# Simulated time is counted in units of 1 ns / (numerator of the tick rate) / SCALE. A tick is then
# a whole number of units for every rational rate, and so is a nanosecond at every time scale that
# has up to 18 decimals. Nothing is rounded, nothing drifts: tick k is due at k / rate after 24
# hours as after a second.
_SCALE = 10**18

_BELOW_ONE = math.nextafter(1.0, 0.0)

# Ticks a second: none shorter than the nanosecond that time is counted in, none longer than a human
# life.
_SLOWEST, _FASTEST = Fraction(1, 10**9), 10**9


class Tick(NamedTuple):
    """One fixed step of the simulation."""

    number: int
    """1 for the first tick."""
    time: float
    """Simulated seconds at the tick's end: number / tick rate."""
    dt: float
    """Simulated seconds that the tick lasts."""
    last: bool
    """Whether it is the last tick of its frame."""


class Timestep(Protocol):
    """What a game asks of a loop. `FixedTimestep` is one; any object with these names can stand in
    for it.
    """

    time_scale: float
    paused: bool

    @property
    def alpha(self) -> float:
        """How far the drawn moment is past the tick before the last, in [0, 1)."""

    @property
    def tick(self) -> int:
        """Ticks so far."""

    @property
    def time(self) -> float:
        """Simulated seconds at the end of the last tick."""

    @property
    def dropped_time(self) -> float:
        """Real seconds given up so far."""

    def advance(self, now: int) -> Sequence[Tick]:
        """The ticks that are due at ``now``, nanoseconds; none at the first call."""

    def step(self, n: int = 1) -> None:
        """Have the next `advance` give ``n`` ticks although paused."""

    def give_back(self, n: int) -> None:
        """The last ``n`` ticks of this frame were not run: one before them paused the game."""


class _Loop:
    """What the loops have in common: the time that they are given, scaled, paused, capped and
    counted.

    Each says by `_take` how the simulated time that has gathered is cut into ticks, and what is
    left by ``alpha``. What a frame asks for are plain attributes, and are up to date after each
    `advance`.
    """

    # Not `checks.Sealed`: some ten attributes are set in each frame, and a __setattr__ in Python
    # costs 0.1 µs.
    fixed = True
    """Whether its ticks are all of one length."""

    __slots__ = (
        "_at_tick",
        "_cap",
        "_dropped",
        "_given",
        "_given_at",
        "_given_end",
        "_limit",
        "_now",
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
        "alpha",
        "dropped_time",
        "paused",
        "paused_time",
        "tick",
        "time",
    )

    # Real time goes on whatever is put back, and what of it has gathered is no state of the game.
    _transient_attributes: ClassVar[tuple[str, ...]] = (
        *(
            "_at_tick",
            "_cap",
            "_dropped",
            "_limit",
            "_now",
            "_paused_time",
            "_rate",
            "_second",
            "_tick_time",
        ),
        *("_tick_units", "_unit", "dropped_time", "paused_time"),
    )

    def __init__(
        self, rate: Fraction, max_frame_time: float | None, max_ticks: int | None, alpha: float
    ) -> None:
        self._rate = rate
        self._unit = rate.numerator * _SCALE  # units in a nanosecond of unscaled time
        self._tick_units = rate.denominator * NANOSECONDS * _SCALE
        self._second = self._unit * NANOSECONDS
        self._tick_time = self._tick_units / self._second
        self._cap = (
            None if max_frame_time is None else _nanoseconds("max_frame_time", max_frame_time)
        )
        self._limit = None if max_ticks is None else whole("max_ticks", max_ticks, 1)
        self._now: int | None = (
            None  # the last moment that advance() was given, None before the first
        )
        self._units = 0  # simulated time beyond the last tick
        self._total = 0  # simulated time at the end of the last tick
        self._steps = 0  # ticks asked for by step()
        self._given: Sequence[int] = ()  # lengths of the ticks that the last frame's time brought
        self._given_end = 0  # the number of the last of these
        self._given_at = 0  # units in a nanosecond when it did
        self._paused_time = 0  # real time that stood still, in ns / _SCALE
        self._dropped = 0  # real time given up, in ns / _SCALE
        self._at_tick = alpha  # at the moment of a tick, when no time has gathered since
        self._time_scale, self._scale, self._step_units = 1.0, _SCALE, self._unit
        self.paused = False
        """While true no time passes; `step` still gives ticks. May be set."""
        self.tick = 0
        """Ticks so far."""
        self.time = 0.0
        """Simulated seconds at the end of the last tick."""
        self.alpha = alpha
        """How far the drawn moment is past the tick before the last, in [0, 1)."""
        self.dropped_time = 0.0
        """Real seconds given up so far, by the cap on frames and by dropped ticks."""
        self.paused_time = 0.0
        """Real seconds that passed while paused or at time scale 0."""

    @property
    def time_scale(self) -> float:
        """Simulated seconds in a real one: 0 stands still, 0.5 is slow motion."""
        return self._time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        number = exact_number("time_scale", value, least=0)
        self._time_scale = float(number)
        self._scale = round(decimal(number) * _SCALE)
        self._step_units = self._unit // _SCALE * self._scale  # units in a nanosecond of real time

    @property
    def rate(self) -> Fraction:
        """Ticks a second, exactly; of loops without a rate, of the ticks that `step` gives."""
        return self._rate

    def step(self, n: int = 1) -> None:
        """Have the next `advance` give ``n`` ticks although paused (they add up). Not paused, it
        does nothing.
        """
        self._steps += whole("n", n, 1)

    def advance(self, now: int) -> Sequence[Tick]:
        """The ticks that are due at ``now``, integer nanoseconds on any monotonic clock.

        The first call sets the origin and gives none. A time before the last one counts as the last
        one.
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
            count, self._steps = self._steps, 0
            return self._ticks([self._tick_units] * count)
        self._steps = 0
        if not self._step_units:
            return ()
        self._given, self._given_at = self._take(), self._step_units
        return self._ticks(self._given)

    def give_back(self, n: int) -> None:
        """Take back the last ``n`` ticks of this frame, which were not run: a tick before them
        paused the game.

        Their time counts as paused, so that nothing is made up for when the game goes on.
        """
        if whole("n", n, 0) > len(self._given):
            raise ValueError(
                f"n: this frame's time brought {len(self._given)} ticks, got {n} to take back"
            )
        if n:
            units = sum(self._given[-n:])
            self._given = self._given[:-n]
            self._given_end = self.tick = self._given_end - n
            self._total -= units
            self.time = self._total / self._second
            self._stand_still(units * _SCALE // self._given_at)

    def _add(self, elapsed: int) -> None:
        if self.paused or not self._step_units:
            self._stand_still(elapsed * _SCALE)
            return
        if self._cap is not None and elapsed > self._cap:
            self._give_up((elapsed - self._cap) * _SCALE)
            elapsed = self._cap
        self._units += elapsed * self._step_units

    def _take(self) -> Sequence[int]:
        """Lengths of the ticks that are due, in units, taken out of the time that has gathered;
        sets ``alpha``.
        """
        raise NotImplementedError

    def _drop(self, units: int) -> None:
        self._units -= units
        self._give_up(units * _SCALE // self._step_units)

    def _give_up(self, time: int) -> None:
        self._dropped += time
        self.dropped_time = self._dropped / (_SCALE * NANOSECONDS)

    def _stand_still(self, time: int) -> None:
        self._paused_time += time
        self.paused_time = self._paused_time / (_SCALE * NANOSECONDS)

    def _ticks(self, lengths: Sequence[int]) -> Sequence[Tick]:
        if not lengths:
            return ()
        ticks, total, end, second = [], self._total, self.tick + len(lengths), self._second
        usual, dt = (
            self._tick_units,
            self._tick_time,
        )  # the same number each time, which is told by `is`
        for number, units in enumerate(lengths, self.tick + 1):
            total += units
            ticks.append(
                Tick(
                    number, total / second, dt if units == usual else units / second, number == end
                )
            )
        self.tick = self._given_end = end
        self._total, self.time = total, ticks[-1].time
        return ticks


class TickControl:
    """What recordings, replays and rewinding do with one of the framework's loops: `control_of`.

    Games need none of this. Lengths of ticks and moments of simulated time are whole numbers of the
    loop's units.
    """

    __slots__ = ("_loop",)

    not_state = True

    def __init__(self, loop: _Loop) -> None:
        self._loop = loop

    @property
    def rate(self) -> Fraction:
        """See `_Loop.rate`."""
        return self._loop.rate

    @property
    def fixed(self) -> bool:
        """See `_Loop.fixed`."""
        return self._loop.fixed

    @property
    def second(self) -> int:
        """Units in a simulated second."""
        return self._loop._second

    def length_of(self, number: int) -> int:
        """Return the length of a tick of this frame."""
        loop = self._loop
        behind = loop._given_end - number
        return loop._given[-1 - behind] if 0 <= behind < len(loop._given) else loop._tick_units

    def begin_of(self, number: int) -> int:
        """Return the simulated time at which a tick of this frame begins."""
        loop = self._loop
        return loop._total - sum(
            [self.length_of(later) for later in range(number, loop._given_end + 1)]
        )

    def at_tick(self, tick: Tick) -> None:
        """Set ``tick`` and ``time`` of the loop to those of one of several ticks of a frame, which
        is about to run.
        """
        self._loop.tick, self._loop.time = tick.number, tick.time

    def run_on(self, length: int = 0) -> Tick:
        """Return the next tick, whatever the clock says, paused or not.

        ``length`` is in units, 0 for a tick of the loop's rate.
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
        """Simulated time that has gathered towards the next tick."""
        return self._loop._units

    def go_to(self, number: int, total: int, gathered: int) -> None:
        """Go to the end of the tick ``number``, at ``total`` units of simulated time. ``alpha`` is
        that of a tick.
        """
        loop = self._loop
        loop.tick = loop._given_end = number
        loop._total, loop.time = total, total / loop._second
        loop._units, loop._steps, loop._given = gathered, 0, ()
        loop.alpha = loop._at_tick

    def pass_by(self, now: int) -> None:
        """Let time pass that is not the game's. Ticks stay due at the same moments of the clock."""
        loop = self._loop
        if loop._now is not None and now > loop._now and loop.fixed:
            passed = (now - loop._now) * loop._step_units
            loop._units = (loop._units + passed) % loop._tick_units
        loop._now = now if loop._now is None else max(now, loop._now)


def control_of(timestep: Timestep) -> TickControl | None:
    """Return the control of one of the framework's loops; None for a game's own."""
    return TickControl(timestep) if isinstance(timestep, _Loop) else None


class FixedTimestep(_Loop):
    """Ticks of one length, whatever the frame rate.

    Parameters
    ----------
    tick_rate
        Ticks a second: an int, a float (taken as its decimal digits say: 59.94 is 2997/50) or a
        ``Fraction``.
    max_frame_time
        Seconds of real time that one frame may bring. What a longer frame (a hitch, a debugger, a
        laptop's sleep) has beyond it is dropped and counted.
    max_ticks
        Ticks that one frame may bring; ``None`` is no limit. A machine too slow for its ticks then
        runs in slow motion, which is recoverable, instead of falling ever further behind.
    overflow
        What becomes of ticks beyond ``max_ticks``: ``"drop"`` gives them up (and counts their time
        as dropped), ``"carry"`` leaves them to the next frames, never more than ``max_ticks`` in
        each.

    Raises
    ------
    ValueError, TypeError
        An argument is not a positive finite number of the right kind; the message names it.
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
        """Ticks a second."""
        self.dt = rate.denominator / rate.numerator
        """Simulated seconds of one tick."""

    def _take(self) -> Sequence[int]:
        tick = self._tick_units
        count, rest = divmod(self._units, tick)
        self.alpha = min(rest / tick, _BELOW_ONE)
        if not count:
            return ()
        if self._limit is not None and count > self._limit:
            if not self._carry:
                self._drop((count - self._limit) * tick)
            count = self._limit
        self._units -= count * tick
        return [tick] * count


class SemiFixedTimestep(_Loop):
    """Ticks of one length, and a shorter one with the rest of the frame: the ticks add up to the
    frame's time.

    What is drawn is the newest state (``alpha`` is the largest number below 1), so motion is as
    smooth as the frames; but ticks of different lengths make a game depend on the frame rate. A
    frame's time beyond ``max_ticks`` full ticks is dropped. The parameters are those of
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
        count, rest = divmod(self._units, self._tick_units)
        self._units = 0
        return [self._tick_units] * count + ([rest] if rest else [])


class VariableTimestep(_Loop):
    """One tick a frame, as long as the frame was, at most ``max_frame_time`` seconds.

    What is drawn is the newest state (``alpha`` is the largest number below 1). A game then depends
    on the frame rate: two machines compute different outcomes. `step` gives ticks of a sixtieth of
    a second.
    """

    __slots__ = ()

    fixed = False

    def __init__(self, max_frame_time: float | None = 0.1) -> None:
        super().__init__(Fraction(60), max_frame_time, None, _BELOW_ONE)

    def _take(self) -> Sequence[int]:
        units, self._units = self._units, 0
        return [units] if units else ()


class RoundedTimestep(_Loop):
    """Ticks of one length, as many as bring the game nearest to the clock: it may run half a tick
    ahead.

    The rule of jacklehamster's fixed-framerate-loop: ``round(lag / tick)`` ticks a frame, at most
    ``max_ticks``; what is beyond is taken out of the clock and never caught up. Each frame's last
    tick is flagged, for games that draw only then. ``alpha`` is the lag, in ticks from -0.5 to
    below 0.5, plus a half: what is drawn is half a tick late, which makes motion smooth at every
    frame rate.
    """

    __slots__ = ("cancelled",)

    def __init__(self, tick_rate: float | Fraction = 60, max_ticks: int | None = 10) -> None:
        super().__init__(_tick_rate(tick_rate), None, max_ticks, 0.5)
        self.cancelled = False
        """Whether `cancel` was called. For reading."""

    def cancel(self) -> None:
        """Give no more ticks, for good. A second time does nothing."""
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


def _tick_rate(value: float | Fraction) -> Fraction:
    rate = positive_fraction("tick_rate", value)
    if not _SLOWEST <= rate <= _FASTEST:
        raise wrong_value("tick_rate", "1e-9 to 1e9 ticks a second", value)
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
