"""Music history: the state of a game's music at each tick, with its beats, pauses and seeks.

The methods `play`, `stop`, `seek` and `start_clock` of `Music`, and its attribute `paused`, change
the state of the music. The history stores each new state with its tick. If the game returns to an
earlier tick, the music has the state of that tick again.

This module computes with game times only, and never changes a voice. Times are in seconds.
"""

from __future__ import annotations

import math
from collections import deque
from fractions import Fraction
from typing import NamedTuple, Protocol

from .. import checks
from ..assets.sounds import RATE
from .beat_clock import Beat, BeatClock
from .mixer_track import MIN_FADE
from .voices import Voice

# The maximum number of stored states, for games that return to earlier ticks: 17 seconds if the music
# changes in each tick. If a state is no longer stored, a rewind to its tick stops the music.
_MAX_STATES = 1024


class MusicTime(Protocol):
    """The attributes of a `Console` that `MusicHistory` uses."""

    @property
    def time(self) -> Fraction: ...

    @property
    def tick_seconds(self) -> Fraction: ...

    @property
    def tick(self) -> int: ...

    @property
    def in_tick(self) -> bool: ...

    @property
    def standing(self) -> bool: ...


class MusicState(NamedTuple):
    """The state of the music from a tick on, until the next state begins."""

    tick: int
    in_tick: bool
    """Whether the state was set in a tick. If this tick runs again, the state is set again."""
    origin: Fraction
    """The time at which the music is, or would have been, at its start."""
    clock: BeatClock | None = None
    voices: tuple[Voice, ...] = ()
    """The voices of the music: one voice, or one for each layer. The tuple is empty for a beat
    clock without music.
    """
    fade: float = 0.0
    """The duration in which all other music fades out."""
    paused: Fraction | None = None
    """The time at which the music stopped because of a pause, or None if it is not paused."""
    resumed: Fraction | None = None
    """The time at which the music was resumed. Until then, the beat does not change."""
    begun: Fraction | None = None
    """The time at which the music began to sound, or was resumed after silence. A pause at this
    time takes effect immediately, because no sample has been played yet.
    """
    interrupted: tuple[Fraction, Fraction] | None = None
    """If the music was resumed while it was fading out for a pause: the time of the resume, and the
    time at which the music would have stopped. A pause at the time of the resume continues the fade.
    """

    def pause(self, now: Fraction, tick_seconds: Fraction) -> MusicState:
        """Return the state of music that is paused at the time ``now``. Until the music is silent,
        its position still changes.

        The result depends only on ticks, and not on voices, which a snapshot does not restore.
        """
        if self.interrupted is not None and self.interrupted[0] == now:
            return self._replace(paused=self.interrupted[1])
        is_silent = not self.voices or self.begun == now
        fade = Fraction(0) if is_silent else _fade_time(MIN_FADE, tick_seconds)
        return self._replace(paused=now + fade)

    def resume(self, now: Fraction) -> MusicState:
        """Return the state of music that is resumed at the time ``now``."""
        if self.paused is None:
            return self
        shift = max(Fraction(0), now - self.paused)
        resumed = self._shifted(shift)._replace(resumed=now, paused=None)
        if self.paused <= now:
            return resumed._replace(begun=now)
        return resumed._replace(interrupted=(now, self.paused))

    def seek(self, now: Fraction, seconds: float) -> MusicState:
        """Return the state of music that is at the position ``seconds`` at the time ``now``."""
        until = now if self.paused is None else min(now, self.paused)
        shift = until - checks.decimal(seconds) - self.origin
        return self._shifted(shift)._replace(resumed=None)

    def start_clock(self, clock: BeatClock, now: Fraction) -> MusicState:
        """Return the state of the same music with another beat clock. ``clock`` is a clock for
        music that is not paused at the time ``now``.
        """
        if self.paused is not None:
            clock = clock.shifted(min(Fraction(0), self.paused - now))
        return self._replace(clock=clock)

    def _shifted(self, seconds: Fraction) -> MusicState:
        """Return a state in which all beats happen ``seconds`` later."""
        clock = self.clock
        return self._replace(
            clock=None if clock is None else clock.shifted(seconds), origin=self.origin + seconds
        )

    def position(self, time: Fraction) -> Fraction:
        """Return the position in the music at ``time``, or the position of the pause."""
        return (time if self.paused is None else self.paused) - self.origin

    def beat_at(self, time: float) -> float:
        """Return the beat at ``time``, or 0 if there is no beat clock."""
        return 0.0 if self.clock is None else self.clock.beat_at(self._music_time(time))

    def bar_at(self, time: float) -> int:
        """Return the number of the bar at ``time``, or 0 if there is no beat clock."""
        return 0 if self.clock is None else self.clock.bar_at(self._music_time(time))

    def _music_time(self, time: float) -> float:
        """Return the time within the part of the music that plays at ``time``. While the music is
        paused, this is the time of the pause.
        """
        if self.paused is not None:
            time = min(time, float(self.paused))
        if self.resumed is not None:
            time = max(time, float(self.resumed))
        return time

    def beats(self, now: Fraction, end: Fraction, beats: float, offset: float) -> list[Beat]:
        """Return all beats from the time ``now`` up to the time ``end``. See `Music.every`."""
        if self.paused is not None:
            end = max(now, min(end, self.paused))
        # Without a clock, check the arguments nevertheless.
        beats_until_end = (self.clock or _ANY_CLOCK).between(now, end, beats, offset)
        return [] if self.clock is None else beats_until_end


class MusicHistory:
    """The states of a game's music, the earliest state first."""

    def __init__(self, time: MusicTime) -> None:
        self._time = time
        self._states: deque[MusicState] = deque(maxlen=_MAX_STATES)
        # If the game is paused at an earlier tick, each tick sets its states again, but the history
        # already contains them. This is the number of states that the current tick has set again.
        self._set_again = 0

    @property
    def current(self) -> MusicState:
        """The state at this moment. Before the first state, the state of no music.

        In a tick that runs again, states that the tick has not set again yet do not count.
        """
        time = self._time
        now = time.tick, not time.in_tick
        later = 0
        if time.in_tick and time.standing:
            later = sum(_order(state) == now for state in self._states) - self._set_again
        for state in reversed(self._states):
            if _order(state) > now:
                continue
            if later <= 0:
                return state
            later -= 1
        return self.new_state(None, time.time)._replace(begun=None)

    @property
    def latest(self) -> MusicState | None:
        """The latest state, or None if the music has not changed yet."""
        return self._states[-1] if self._states else None

    def new_state(
        self,
        clock: BeatClock | None,
        origin: Fraction,
        voices: tuple[Voice, ...] = (),
        fade: float = 0.0,
    ) -> MusicState:
        """Return the state of music, or of a beat clock without music, that begins now."""
        time = self._time
        return MusicState(time.tick, time.in_tick, origin, clock, voices, fade, begun=time.time)

    def add(self, state: MusicState) -> None:
        """Add a state that begins at the current tick."""
        time = self._time
        state = state._replace(tick=time.tick, in_tick=time.in_tick)
        states = self._states
        if time.standing:
            self._set_again += time.in_tick
            if sum(old[:2] == state[:2] for old in states) >= max(1, self._set_again):
                return  # the first run of the tick has already set this state
        later: list[MusicState] = []
        while states and _order(states[-1]) > _order(state):
            later.append(states.pop())
        states.append(state)
        states.extend(reversed(later))

    def end_tick(self) -> None:
        """Called at the end of each tick."""
        self._set_again = 0

    def remove_from(self, tick: int) -> None:
        """Remove the states that were set in the tick ``tick`` and in later ticks."""
        states = self._states
        later: list[MusicState] = []
        while states and states[-1].tick >= tick:
            later.append(states.pop())
        states.extend(state for state in reversed(later) if not state.in_tick)

    def remove_after(self, tick: int) -> None:
        """Remove all states that begin after the tick ``tick``."""
        while self._states and self._states[-1].tick > tick:
            self._states.pop()

    def forget(self, tick: int) -> None:
        """Delete the states that ended before ``tick``, to free memory."""
        states = self._states
        while len(states) > 1 and states[1].tick < tick:
            states.popleft()

    @property
    def voices(self) -> set[Voice]:
        """The voices of all stored states."""
        return {voice for state in self._states for voice in state.voices}


def _order(state: MusicState) -> tuple[int, bool]:
    """Return a key by which states are sorted. A state that was set after a tick has run follows
    the states of this tick.
    """
    return state.tick, not state.in_tick


def _fade_time(samples: int, tick_seconds: Fraction) -> Fraction:
    """Return the duration of a fade of ``samples`` samples, in seconds. A paused voice stops at
    the first tick in which it is silent.
    """
    return math.ceil(Fraction(samples, RATE) / tick_seconds) * tick_seconds


_ANY_CLOCK = BeatClock(120)
