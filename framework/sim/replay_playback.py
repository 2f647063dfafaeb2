"""Pass the input of a recording to a game tick by tick, and compare the hashes of the states."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import FrameworkError
from ..game.driven_game import driven, run_ticks
from ..game.game import Game
from ..game.subsystems import Subsystem
from ..input.input_source import NO_INPUT
from ..input.tick_input import Event, TickInput
from ..record.hashes import SCHEME
from ..timing.timestep import NANOSECONDS, Tick, control_of
from .recording import Recording, broken

_BELOW_ONE = 1 - 2**-53
_SLACK = 1e-9  # a tick may run this many seconds early, because frame times are rounded
_AT_A_TIME = 600  # ticks
_MAX_FRAME_TIME = 0.25  # the maximum real time of a frame in seconds

_OPTIONS = {"pymunk": "pymunk", "rapier3d": "rapier"}
"""For each package of a physics engine, the value of the option ``engine`` of `Physics2D`."""


class _PlayedInput:
    """The driver of a game that plays a recording. It decides when ticks run, and passes the
    recorded input to them.
    """

    not_state = True

    def __init__(self, playback: Playback) -> None:
        self._playback = playback
        self.receive: Callable[[Event], object] | None = playback.receive

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return the recorded input of the tick ``number``."""
        return self._playback.input(number)

    def due(self, now: int) -> Iterator[int]:
        """Yield the number of each tick that must run before the time ``now``. ``now`` is in
        nanoseconds.
        """
        return self._playback.due(now)


class Playback(Subsystem):
    """Plays a recording in a game from the first tick. The game must have been created with the
    recorded options.

    ``rate`` is the speed of the playback: the number of game seconds per real second. Window
    events, such as key presses, are passed to `on_event` instead of the game.
    """

    not_state = True

    def __init__(self, game: Game, recording: Recording) -> None:
        self.recording = recording
        self.rate = 1.0
        self.diverged: int | None = None
        """The first tick whose hash differs from the recording, or None if there is no difference
        so far.
        """
        self.agreed = 0
        """The last tick whose hash was equal to the recorded hash."""
        self.compared = 0
        """The number of states that have been compared so far."""
        self.on_diverge: Callable[[int], object] | None = None
        """A function that is called with the tick number when a state differs from the recording
        for the first time.
        """
        self.on_end: Callable[[], object] | None = None
        """A function that is called in each frame after the last recorded tick."""
        self.on_event: Callable[[Event], object] | None = None
        self._game = game
        self._stage, self._loop, events, *_ = driven(game)
        self._answer = events.answer
        self._timestep: Any = self._loop.timestep
        control = control_of(self._timestep)
        if control is None:
            kind = type(self._timestep).__name__
            raise FrameworkError(f"replay: expected one of the framework's timesteps, got {kind}")
        self._control = control
        self._dt = float(1 / control.rate)
        self._inputs = recording.inputs()
        self._hashes = recording.hashes() if recording.scheme == SCHEME else iter(())
        self._input = next(self._inputs, None)
        self._hash = next(self._hashes, None)
        self._now: int | None = None
        self._behind = 0.0  # the game time that the playback must still play, in seconds
        self._stage.freeze_size()
        self._stage.unhandled = None
        self._stage.resimulation.replaying = self._stage.incoming.shut = True
        self._stage.incoming.own_is_recorded = recording.old
        if recording.old and self._input is not None and self._input[0] == 1:
            # The input of tick 1 already contains the keys that setup() has pressed.
            self._stage.incoming.own.take()
        self._stage.driver = _PlayedInput(self)
        self._warns_of_engine = recording.old and not recording.engines
        self._check_engines()
        game.add_subsystem(self)

    def _check_engines(self) -> None:
        """Raise `AssetError` if the recorded game used a different physics engine."""
        recorded = {*self.recording.engines}
        used = self._stage.engines
        if recorded - used and used - recorded:
            before = sorted(recorded - used)[0]
            now = sorted(used - recorded)[0]
            repair = "play it with the game as it was recorded"
            if before in _OPTIONS:
                repair = f"make the physics world with Physics2D(…, engine={_OPTIONS[before]!r})"
            raise broken(
                self.recording.path,
                f"the recording was made with {before[:40]}, and the game uses {now}; {repair}",
            )
        if self._warns_of_engine and "rapier3d" in used:
            self._warns_of_engine = False
            warnings.warn(
                f"{self.recording.path!r}: an earlier version made this recording, which does not "
                "contain its physics engine; bodies may move differently here. The Physics2D of "
                "earlier versions used pymunk: pass engine='pymunk'",
                RuntimeWarning,
                stacklevel=2,
            )

    def end(self) -> None:
        """End the playback of the recording. The game then continues with its normal clock and
        input.
        """
        self._stage.driver = None
        self._stage.resimulation.replaying = self._stage.incoming.shut = (
            self._stage.incoming.own_is_recorded
        ) = False
        self._stage.unhandled = self._answer
        self._hash = None

    @property
    def tick(self) -> int:
        """The number of the last tick that the game has played."""
        return self._loop.tick

    @property
    def finished(self) -> bool:
        """Whether the game has played all recorded ticks."""
        return self.tick >= self.recording.ticks

    @property
    def missing(self) -> str:
        """A text for an error message about the first loaded file that is missing in the recording.
        If no file is missing, the text is "".
        """
        if not self._stage.files.missing:
            return ""
        tick, name = self._stage.files.missing[0]
        when = f"in tick {tick}" if tick else "in setup()"
        return (
            f"the game loads {name!r} {when}, which the recording does not hold: the file "
            "may have changed"
        )

    def due(self, now: int) -> Iterator[int]:
        """Yield the number of each tick that must run before the time ``now``. ``now`` is in
        nanoseconds.
        """
        elapsed = 0 if self._now is None else now - self._now
        self._now = now
        self._behind += (
            min(elapsed / NANOSECONDS, _MAX_FRAME_TIME)
            * self.rate
            * (self._timestep.time_scale or 1.0)
        )
        while not self.finished and self._behind >= self._next_dt() - _SLACK:
            self._behind = max(self._behind - self._next_dt(), 0.0)
            yield self.tick + 1
        if self.finished and self.on_end is not None:
            self.on_end()
        if self._timestep.fixed:
            self._timestep.alpha = (
                _BELOW_ONE if self.finished else min(self._behind / self._dt, _BELOW_ONE)
            )

    def run(self, until: int | None = None) -> Iterator[int]:
        """Play the recording without drawing, up to the tick ``until`` or the end of the recording.
        Every 600 ticks, yield the number of played ticks.
        """
        last = self.recording.ticks if until is None else min(until, self.recording.ticks)
        while self.tick < last and not self._stage.exiting:
            end = min(last, self.tick + _AT_A_TIME)
            run_ticks(self._game, lambda: self.tick < end and not self._stage.exiting)  # noqa: B023
            yield self.tick

    def end_tick(self, tick: Tick) -> None:
        """If the recording contains a hash for this tick, compare it with the hash of the game's
        state.
        """
        self._check_engines()
        while self._hash is not None and self._hash[0] <= tick.number:
            number, recorded = self._hash
            self._hash = next(self._hashes, None)
            if number < tick.number:
                continue
            self.compared += 1
            if self._game.state_hash() == recorded:
                if self.diverged is None:
                    self.agreed = number
            elif self.diverged is None:
                self.diverged = number
                if self.on_diverge is not None:
                    self.on_diverge(number)

    def _next_dt(self) -> float:
        if self._input is not None and self._input[1].length and self._input[0] == self.tick + 1:
            return float(self._input[1].length / self._control.second)
        return self._dt

    def input(self, number: int) -> TickInput:
        """Return the recorded input of the tick ``number``."""
        if self._input is None or self._input[0] != number:
            return NO_INPUT
        tick_input = self._input[1]
        self._input = next(self._inputs, None)
        return tick_input

    def receive(self, event: Event) -> None:
        """Handle an event of the window: pass the event to `on_event`, or end the game."""
        if self.on_event is not None:
            self.on_event(event)
        elif event[0] == "on_close":
            self._stage.exiting = True
