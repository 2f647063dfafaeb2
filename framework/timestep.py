"""When ticks are due: the rules of time, as arithmetic on integers.

Nothing here reads a clock or sleeps: ``advance(now)`` is told what time it is, in nanoseconds, and answers with
the ticks that are due. A test can thus invent any display, any hitch and any day of play.

A frame's remainder is ``alpha``, the fraction of a tick by which the clock has run past the last one; what is
drawn is the mix of the last two states by alpha (Fiedler, "Fix Your Timestep!", 2004).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple, Protocol

NANOSECONDS = 1_000_000_000

# Simulated time is counted in units of 1 ns / (numerator of the tick rate) / SCALE. A tick is then a whole number of
# units for every rational rate, and so is a nanosecond at every time scale that has up to 18 decimals. Nothing is
# rounded, nothing drifts: tick k is due at k / rate after 24 hours as after a second.
_SCALE = 10**18

_BELOW_ONE = math.nextafter(1.0, 0.0)

# Ticks a second: none shorter than the nanosecond that time is told in, none longer than a human life.
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
    """What a game asks of a loop. `FixedTimestep` is one; any object with these names can stand in for it."""

    time_scale: float
    paused: bool

    @property
    def alpha(self) -> float: ...
    @property
    def tick(self) -> int: ...
    @property
    def time(self) -> float: ...
    @property
    def dropped_time(self) -> float: ...

    def advance(self, now: int) -> Sequence[Tick]:
        """The ticks that are due at ``now``, nanoseconds; none at the first call."""

    def step(self, n: int = 1) -> None:
        """Have the next `advance` give ``n`` ticks although paused."""

    def give_back(self, n: int) -> None:
        """The last ``n`` ticks of this frame were not run: one before them paused the game."""


class _Loop:
    """What the loops have in common: the time that they are told, scaled, paused, capped and counted.

    Each says by `_take` how the simulated time that has gathered is cut into ticks.
    """

    def __init__(self, rate: Fraction, max_frame_time: float | None, max_ticks: int | None) -> None:
        self._rate = rate
        self._unit = rate.numerator * _SCALE  # units in a nanosecond of unscaled time
        self._tick_units = rate.denominator * NANOSECONDS * _SCALE
        self._second = self._unit * NANOSECONDS
        self._cap = None if max_frame_time is None else _nanoseconds("max_frame_time", max_frame_time)
        self._limit = None if max_ticks is None else whole("max_ticks", max_ticks, 1)
        self._now: int | None = None  # the last moment advance() was told, None before the first
        self._units = 0  # simulated time beyond the last tick
        self._total = 0  # simulated time at the end of the last tick
        self._tick = 0
        self._steps = 0  # ticks asked for by step()
        self._given: Sequence[int] = ()  # lengths of the ticks that the last frame's time brought
        self._given_at = 0  # units in a nanosecond when it did
        self._paused = False
        self._paused_time = 0  # real time that stood still, in ns / _SCALE
        self._dropped = 0  # real time given up, in ns / _SCALE
        self.time_scale = 1.0

    @property
    def tick(self) -> int:
        """Ticks so far."""
        return self._tick

    @property
    def time(self) -> float:
        """Simulated seconds at the end of the last tick."""
        return self._total / self._second

    @property
    def alpha(self) -> float:
        """How far the drawn moment is past the tick before the last, in [0, 1)."""
        raise NotImplementedError

    @property
    def dropped_time(self) -> float:
        """Real seconds given up so far, by the cap on frames and by dropped ticks."""
        return self._dropped / (_SCALE * NANOSECONDS)

    @property
    def paused_time(self) -> float:
        """Real seconds that passed while paused or at time scale 0."""
        return self._paused_time / (_SCALE * NANOSECONDS)

    @property
    def time_scale(self) -> float:
        """Simulated seconds in a real one: 0 stands still, 0.5 is slow motion."""
        return self._time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        number = finite_number("time_scale", value)
        if number < 0:
            raise ValueError(f"time_scale: expected a finite number of at least 0, got {value!r}")
        self._time_scale = float(number)
        self._scale = round(_decimal(number) * _SCALE)
        self._step_units = self._unit // _SCALE * self._scale  # units in a nanosecond of real time

    @property
    def paused(self) -> bool:
        """While true no time passes; `step` still gives ticks."""
        return self._paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._paused = bool(value)

    def step(self, n: int = 1) -> None:
        """Have the next `advance` give ``n`` ticks although paused (they add up). Not paused, it does nothing."""
        self._steps += whole("n", n, 1)

    def advance(self, now: int) -> Sequence[Tick]:
        """The ticks that are due at ``now``, integer nanoseconds on any monotonic clock.

        The first call sets the origin and gives none. A time before the last one counts as the last one.
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
        if self._paused:
            count, self._steps = self._steps, 0
            return self._ticks([self._tick_units] * count)
        self._steps = 0
        if not self._step_units:
            return ()
        self._given, self._given_at = self._take(), self._step_units
        return self._ticks(self._given)

    def give_back(self, n: int) -> None:
        """Take back the last ``n`` ticks of this frame, which were not run: a tick before them paused the game.

        Their time counts as paused, so that nothing is made up for when the game goes on.
        """
        if not 0 <= n <= len(self._given):
            raise ValueError(f"n: this frame's time brought {len(self._given)} ticks, got {n!r} to take back")
        if n:
            units = sum(self._given[-n:])
            self._given = self._given[:-n]
            self._tick -= n
            self._total -= units
            self._paused_time += units * _SCALE // self._given_at

    def _add(self, elapsed: int) -> None:
        if self._paused or not self._step_units:
            self._paused_time += elapsed * _SCALE
            return
        if self._cap is not None and elapsed > self._cap:
            self._dropped += (elapsed - self._cap) * _SCALE
            elapsed = self._cap
        self._units += elapsed * self._step_units

    def _take(self) -> Sequence[int]:
        """Lengths of the ticks that are due, in units, taken out of the time that has gathered."""
        raise NotImplementedError

    def _drop(self, units: int) -> None:
        self._units -= units
        self._dropped += units * _SCALE // self._step_units

    def _ticks(self, lengths: Sequence[int]) -> Sequence[Tick]:
        if not lengths:
            return ()
        ticks, total, end = [], self._total, self._tick + len(lengths)
        for number, units in enumerate(lengths, self._tick + 1):
            total += units
            ticks.append(Tick(number, total / self._second, units / self._second, number == end))
        self._tick, self._total = end, total
        return ticks


class FixedTimestep(_Loop):
    """Ticks of one length, whatever the frame rate.

    Parameters
    ----------
    tick_rate
        Ticks a second: an int, a float (taken as its decimal digits say: 59.94 is 2997/50) or a ``Fraction``.
    max_frame_time
        Seconds of real time that one frame may bring. What a longer frame (a hitch, a debugger, a laptop's sleep)
        has beyond it is dropped and counted.
    max_ticks
        Ticks that one frame may bring; ``None`` is no limit. A machine too slow for its ticks then runs in slow
        motion, which is recoverable, instead of falling ever further behind.
    overflow
        What becomes of ticks beyond ``max_ticks``: ``"drop"`` gives them up (and counts their time as dropped),
        ``"carry"`` leaves them to the next frames, never more than ``max_ticks`` in each.

    Raises
    ------
    ValueError, TypeError
        An argument is not a positive finite number of the right kind; the message names it.
    """

    def __init__(
        self,
        tick_rate: float | Fraction = 60,
        max_frame_time: float | None = 0.25,
        max_ticks: int | None = 8,
        overflow: Literal["drop", "carry"] = "drop",
    ) -> None:
        super().__init__(_tick_rate(tick_rate), max_frame_time, max_ticks)
        if overflow not in ("drop", "carry"):
            raise ValueError(f"overflow: expected 'drop' or 'carry', got {overflow!r}")
        self._carry = overflow == "carry"

    @property
    def tick_rate(self) -> float:
        """Ticks a second."""
        return float(self._rate)

    @property
    def dt(self) -> float:
        """Simulated seconds of one tick."""
        return float(1 / self._rate)

    @property
    def alpha(self) -> float:
        """How far the clock is past the last tick, as a fraction of a tick in [0, 1)."""
        return min(self._units % self._tick_units / self._tick_units, _BELOW_ONE)

    def _take(self) -> Sequence[int]:
        if self._units < self._tick_units:
            return ()
        count = self._units // self._tick_units
        if self._limit is not None and count > self._limit:
            if not self._carry:
                self._drop((count - self._limit) * self._tick_units)
            count = self._limit
        self._units -= count * self._tick_units
        return [self._tick_units] * count


class SemiFixedTimestep(_Loop):
    """Ticks of one length, and a shorter one with the rest of the frame: the ticks add up to the frame's time.

    What is drawn is the newest state, so motion is as smooth as the frames; but ticks of different lengths make a
    game depend on the frame rate. A frame's time beyond ``max_ticks`` full ticks is dropped. The parameters are those
    of `FixedTimestep`.
    """

    def __init__(
        self,
        tick_rate: float | Fraction = 60,
        max_frame_time: float | None = 0.25,
        max_ticks: int | None = 8,
    ) -> None:
        super().__init__(_tick_rate(tick_rate), max_frame_time, max_ticks)

    @property
    def alpha(self) -> float:
        """The largest number below 1: the newest state is drawn, no time is left over."""
        return _BELOW_ONE

    def _take(self) -> Sequence[int]:
        if self._limit is not None and self._units > self._limit * self._tick_units:
            self._drop(self._units - self._limit * self._tick_units)
        count, rest = divmod(self._units, self._tick_units)
        self._units = 0
        return [self._tick_units] * count + ([rest] if rest else [])


class VariableTimestep(_Loop):
    """One tick a frame, as long as the frame was, at most ``max_frame_time`` seconds.

    What is drawn is the newest state. A game then depends on the frame rate: two machines compute different outcomes.
    `step` gives ticks of a sixtieth of a second.
    """

    def __init__(self, max_frame_time: float | None = 0.1) -> None:
        super().__init__(Fraction(60), max_frame_time, None)

    @property
    def alpha(self) -> float:
        """The largest number below 1: the newest state is drawn, no time is left over."""
        return _BELOW_ONE

    def _take(self) -> Sequence[int]:
        units, self._units = self._units, 0
        return [units] if units else ()


class RoundedTimestep(_Loop):
    """Ticks of one length, as many as bring the game nearest to the clock: it may run half a tick ahead.

    The rule of jacklehamster's fixed-framerate-loop: ``round(lag / tick)`` ticks a frame, at most ``max_ticks``; what
    is beyond is taken out of the clock and never caught up. Each frame's last tick is flagged, for games that draw
    only then. `alpha` draws half a tick late, which makes motion smooth at every frame rate.
    """

    def __init__(self, tick_rate: float | Fraction = 60, max_ticks: int | None = 10) -> None:
        super().__init__(_tick_rate(tick_rate), None, max_ticks)
        self._cancelled = False

    @property
    def alpha(self) -> float:
        """The lag, in ticks from -0.5 to below 0.5, plus a half."""
        return max(0.0, min((2 * self._units + self._tick_units) / (2 * self._tick_units), _BELOW_ONE))

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Give no more ticks, for good. A second time does nothing."""
        self._cancelled = True

    def advance(self, now: int) -> Sequence[Tick]:
        return () if self._cancelled else super().advance(now)

    advance.__doc__ = _Loop.advance.__doc__

    def _take(self) -> Sequence[int]:
        tick = self._tick_units
        count = (2 * self._units + tick) // (2 * tick)
        if self._limit is not None and count > self._limit:
            self._drop((count - self._limit) * tick)
            count = self._limit
        self._units -= count * tick
        return [tick] * count


def _tick_rate(value: float | Fraction) -> Fraction:
    rate = positive_fraction("tick_rate", value)
    if not _SLOWEST <= rate <= _FASTEST:
        raise ValueError(f"tick_rate: expected 1e-9 to 1e9 ticks a second, got {value!r}")
    return rate


def positive_fraction(name: str, value: float | Fraction) -> Fraction:
    """``value`` as an exact fraction, decimals as they are written; a `ValueError` or `TypeError` names ``name``."""
    number = finite_number(name, value)
    if not number > 0:
        raise ValueError(f"{name}: expected a finite number above 0, got {value!r}")
    return _decimal(number)


def whole(name: str, value: object, least: int) -> int:
    """``value`` as an int of at least ``least``; a `ValueError` or `TypeError` names ``name``."""
    if _is_bool(value) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected a whole number, got {value!r}")
    number = int(value.__index__())
    if number < least:
        raise ValueError(f"{name}: expected at least {least}, got {value!r}")
    return number


def _decimal(number: float | Fraction) -> Fraction:
    # str, not the float's binary value: 59.94 means 5994/100, and 86,400 s of it are a whole number of ticks.
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def finite_number(name: str, value: object) -> float | Fraction:
    """``value``, any finite number; a `ValueError` or `TypeError` names ``name``."""
    if _is_bool(value):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    if not isinstance(value, (int, float, Fraction)):
        try:
            value = float(value.__float__())  # type: ignore[attr-defined]  # numpy's scalars and decimal.Decimal
        except (AttributeError, TypeError):
            raise TypeError(f"{name}: expected a number, got {value!r}") from None
    try:
        finite = math.isfinite(value)
    except OverflowError:  # an int beyond any float, too long to be shown
        raise ValueError(f"{name}: expected a finite number, got one above 1e308") from None
    if not finite:
        raise ValueError(f"{name}: expected a finite number, got {value!r}")
    return value


def _is_bool(value: object) -> bool:
    return isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool"  # numpy's too


def _nanoseconds(name: str, seconds: float) -> int:
    value = round(positive_fraction(name, seconds) * NANOSECONDS)
    if value < 1:
        raise ValueError(f"{name}: expected at least a nanosecond, got {seconds!r} seconds")
    return value


def _nanosecond_stamp(now: object) -> int:
    if _is_bool(now) or not hasattr(now, "__index__"):
        raise TypeError(f"now: expected integer nanoseconds (time.perf_counter_ns()), got {now!r}")
    return int(now.__index__())
