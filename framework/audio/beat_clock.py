"""Convert game times to beats and bars of the music, and back, for music games."""

from __future__ import annotations

__all__ = ["BeatClock"]

import math
from fractions import Fraction
from typing import NamedTuple

from .. import checks

_MAX_BEATS = 10_000  # the maximum number of beats that one call of `between` returns


class Beat(NamedTuple):
    """A beat and its exact game time. `Music.every` returns a list of beats."""

    beat: float
    """The number of the beat. The first beat has the number 0. With ``every(beats=0.5)``, the
    numbers are 0, 0.5, 1, 1.5 and so on.
    """
    time: float
    """The game time of the beat in seconds, for ``sound.play(at=beat.time)``."""
    bar: int
    """The number of the bar, counted from 0."""
    in_bar: float
    """The number of the beat within its bar. The first beat of a bar has the number 0."""


class BeatClock(checks.Sealed):
    """The tempo of a piece of music. A beat clock converts game times in seconds to beats and bars,
    and beats to game times.

    `Music.play` and `Music.start_clock` create beat clocks. A beat clock never changes. Its beats
    depend only on the game time, so they are the same in a replay and at any frame rate. If you
    store a beat clock in an attribute of your game, snapshots of the game include it.

    Parameters
    ----------
    bpm
        The number of beats per minute, 1 to 1,000.
    start
        The game time of beat 0 in seconds. Default: 0.
    beats_per_bar
        The number of beats per bar, 1 to 64. Default: 4.
    """

    __slots__ = ("_beat_seconds", "_beats_per_bar", "_start")

    def __init__(
        self, bpm: float | Fraction, start: float | Fraction = 0.0, beats_per_bar: int = 4
    ) -> None:
        self._beat_seconds = 60 / checked_bpm("bpm", bpm)
        self._start = _exact("start", start)
        self._beats_per_bar = checks.whole("beats_per_bar", beats_per_bar, 1, 64)

    @property
    def bpm(self) -> float:
        """The number of beats per minute."""
        return float(60 / self._beat_seconds)

    @property
    def start(self) -> float:
        """The game time of beat 0 in seconds."""
        return float(self._start)

    @property
    def beats_per_bar(self) -> int:
        """The number of beats per bar."""
        return self._beats_per_bar

    def beat_at(self, time: float) -> float:
        """Return the beat at a game time in seconds. For example, 2.5 is halfway between beat 2 and
        beat 3. The result is negative for a time before beat 0.
        """
        seconds = checks.number("time", time) - self.start
        return seconds / float(self._beat_seconds)

    def bar_at(self, time: float) -> int:
        """Return the number of the bar at a game time in seconds. The first bar is bar 0."""
        # Add half a microsecond, so that a time that was computed from a beat still belongs to that
        # beat after rounding.
        beat = self.beat_at(time) + 5e-7 * self.bpm / 60
        return math.floor(beat / self.beats_per_bar)

    def time_of(self, beat: float) -> float:
        """Return the game time of a beat in seconds."""
        return float(self._start + _exact("beat", beat) * self._beat_seconds)

    def between(
        self, begin: float | Fraction, end: float | Fraction, beats: float = 1, offset: float = 0
    ) -> list[Beat]:
        """Return all beats from the game time ``begin`` to the game time ``end``. A beat exactly at
        ``end`` is not included.

        For example, with ``beats=4, offset=2`` the result contains the beats 2, 6, 10 and so on.
        The first beat is beat 0: the list has no negative beats.
        """
        step = checked_beats("beats", beats)
        shift = _exact("offset", offset)
        first = self._number_from(_exact("begin", begin), step, shift)
        last = self._number_from(_exact("end", end), step, shift)
        if last - first > _MAX_BEATS:
            raise ValueError(
                f"between: expected at most {_MAX_BEATS:,} beats, got {last - first:,}; pass a later "
                "begin, an earlier end or more beats"
            )
        return [self._beat(shift + number * step) for number in range(first, last)]

    def shifted(self, seconds: float | Fraction) -> BeatClock:
        """Return a clock whose beats happen ``seconds`` later. With a negative number, they happen
        earlier.
        """
        start = self._start + _exact("seconds", seconds)
        return BeatClock(60 / self._beat_seconds, start, self._beats_per_bar)

    def _number_from(self, time: Fraction, step: Fraction, shift: Fraction) -> int:
        """Return the number of the first multiple of ``step`` that is at ``time`` or later."""
        beats = (time - self._start) / self._beat_seconds
        return max(math.ceil((beats - shift) / step), math.ceil(-shift / step))

    def _beat(self, beat: Fraction) -> Beat:
        bar, in_bar = divmod(beat, self.beats_per_bar)
        time = float(self._start + beat * self._beat_seconds)
        return Beat(float(beat), time, int(bar), float(in_bar))

    def __repr__(self) -> str:
        return f"<BeatClock {self.bpm:g} beats per minute from {self.start:g} s>"


def checked_bpm(name: str, value: object) -> Fraction:
    """Check a tempo in beats per minute, and return it as an exact fraction."""
    checks.number(name, value, least=1, most=1000)
    return _exact(name, value)


def checked_beats(name: str, value: object) -> Fraction:
    """Check a distance in beats, and return it as an exact fraction."""
    checks.number(name, value, least=1 / 64, most=4096)
    return _exact(name, value)


def _exact(name: str, value: object) -> Fraction:
    return checks.decimal(checks.exact_number(name, value))
