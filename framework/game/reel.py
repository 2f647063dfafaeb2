"""Keeps what the ticks of a game do, so that any of the last ones can be had again."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Iterator

from ..errors import FrameworkError
from ..input.tick_input import STILL, Event, Inbox, TickInput
from ..record.history import History, Keyframe
from ..state.columns import Table
from ..state.rows import table_of
from ..timing.timestep import NANOSECONDS, Tick, control_of
from .loop import Loop
from .running import RunningGame
from .stage import Stage

# A seek is to take a 60th of a second: so much of it, in nanoseconds, may go to ticks that are run
# again, which leaves twice as much for what is put back, and for a busy machine.
_RUN_AGAIN = 4_500_000
_SHARE = 0.1  # of a tick's time, on average, that keyframes may take
_ROOM = 0.95  # of the memory that keyframes are planned for; the rest is for inputs
_QUARTERS = 4  # the least number of keyframes


class Reel:
    """The keyframes and the inputs of a game's last ticks, from when it is attached until it is
    detached.

    ``run`` runs ticks, each made when it is asked for; ``stood`` is called before a tick that is
    run by hand while the game stands at a tick of the past. Raises `FrameworkError` for a loop that
    cannot run ticks again.
    """

    not_state = True

    def __init__(
        self,
        game: RunningGame,
        stage: Stage,
        loop: Loop,
        run: Callable[[Iterable[Tick]], None],
        span: float,
        memory: int,
        stood: Callable[[], object],
    ) -> None:
        control = control_of(loop.timestep)
        if control is None:
            kind = type(loop.timestep).__name__
            raise FrameworkError(f"rewind: expected one of the framework's timesteps, got {kind}")
        self._game, self._stage, self._loop, self._control = game, stage, loop, control
        self._run, self._stood = run, stood
        self.history = History(max(2, math.ceil(span * control.rate)), memory)
        self.rate = control.rate
        """Ticks a second."""
        self._tick_time = float(NANOSECONDS / control.rate)
        self._told: list[Event] = []  # while time stood still, since the last tick
        self._came: tuple[Event, ...] = ()  # that this tick latched
        self._began = 0  # when it did
        self._least, self._most = (
            1,
            max(1, self.history.span // _QUARTERS),
        )  # ticks between two keyframes
        self._count = self._took = 0  # ticks since the last one, and their time
        self.drawn = False
        """A picture was drawn of where it stands: that may have changed something."""
        self._spent = NANOSECONDS  # on the last keyframe
        self._full = False  # the memory does not hold even one

    def attach(self) -> None:
        """Go along with the ticks."""
        self._loop.keeper = self
        self._stage.notes.append(self.note)

    def detach(self) -> None:
        """Go along with them no longer."""
        self._loop.keeper = None
        self._stage.notes = [note for note in self._stage.notes if note != self.note]
        self.history.clear()

    # -- what goes along with the ticks ------------------------------------------------------------

    def note(self, number: int, events: list[Event], still: bool) -> None:
        """The tick ``number`` latches events; or some are told before it, while time stands
        still.
        """
        if still:
            self._told += events
        else:
            self._came = (*self._told, STILL, *events) if self._told else tuple(events)
            self._told.clear()

    def before(self, tick: Tick) -> None:
        """A tick is about to begin."""
        stage, history = self._stage, self.history
        if stage.past.standing:
            if stage.past.resimulating:
                return
            self._stood()
        self._came = ()
        last = tick.number - 1
        if last != history.last or not history.keyframes:
            history.clear()
            history.last = last
            self._count = self._least
            stage.past.disturbed = True
        due = self._count >= self._least and (self._took >= _RUN_AGAIN or self._count >= self._most)
        if (due or stage.past.disturbed) and not self._told and not self._full:
            self._keep(last, self._control.begin_of(tick.number))
        self._began = time.perf_counter_ns()

    def after(self, tick: Tick) -> None:
        """It is over."""
        if self._stage.past.standing:
            return
        self._took += time.perf_counter_ns() - self._began
        self._count += 1
        history, number = self.history, tick.number
        history.last = number
        history.tidy()
        if self._told:  # no event came since
            self._came = (*self._told, STILL)
            self._told.clear()
        length = 0 if self._control.fixed else self._control.length_of(number)
        if self._came or length:
            history.note(number, TickInput(self._came, length))
            if history.bytes > _ROOM * history.memory:
                history.trim()
                if (
                    len(history.keyframes) < _QUARTERS
                ):  # it is input that fills it: only a new keyframe makes room
                    self._count = max(self._count, self._most)
                if history.bytes > history.memory:
                    history.clear()

    def _keep(self, tick: int, total: int) -> None:
        start = time.perf_counter_ns()
        history, stage = self.history, self._stage
        stage.past.disturbed = False
        before = history.keyframes[-1] if history.keyframes else None
        taken = history.add(
            Keyframe(self._game.snapshot(), total, stage.view.size, self._ticking(), before)
        )
        history.trim()
        if history.bytes > history.memory:
            warnings.warn(
                f"rewind: one keyframe of {type(self._game).__name__} has {taken:,} "
                "bytes, but memory is "
                f"{history.memory:,}: nothing can be wound back; give it more: "
                f"Rewind(memory={4 * taken})",
                RuntimeWarning,
                stacklevel=2,
            )
            history.clear()
            self._full = True
        if before is not None:  # the first one shares nothing yet
            average = max(history.bytes / len(history.keyframes), 1) if history.keyframes else taken
            fit = max(2.0, _ROOM * history.memory / average)
            by_memory = math.ceil(history.span / (fit - 1))
            self._spent = min(
                time.perf_counter_ns() - start, 2 * self._spent
            )  # one that was held up tells little
            by_time = math.ceil(self._spent / (_SHARE * self._tick_time))
            self._least = max(by_memory, min(by_time, history.span // _QUARTERS))
        self._most = max(self._least, history.span // _QUARTERS)
        self._count = self._took = 0

    def _ticking(self) -> Iterator[Table]:
        """The tables whose previous state each tick makes anew."""
        for entry in self._stage.on:
            for drawable, _ in entry.contents.drawn:
                table = table_of(drawable)
                if table is not None:
                    yield table

    # -- going to a tick ---------------------------------------------------------------------------

    def keep_present(self) -> Keyframe:
        """The state as it is now, whole: to come back to."""
        history = self.history
        if history.keyframes[-1].tick == history.last:
            history.remove(history.keyframes[-1])
        before = history.keyframes[-1] if history.keyframes else None
        total = self._control.begin_of(history.last + 1)
        present = Keyframe(self._game.snapshot(), total, self._stage.view.size, (), before)
        history.add(present)
        history.trim()
        return present

    def go(self, tick: int) -> None:
        """Have the state be that after a tick. What ticks do outside the game's state, they do not
        do again.
        """
        stage, loop = self._stage, self._loop
        if loop.tick == tick and not self.drawn:
            return
        outside = stage.inbox, stage.notes, stage.unanswered, stage.pictures, stage.exiting
        stage.notes, stage.unanswered, stage.pictures, stage.past.again = [], None, [], []
        stage.inbox, stage.past.resimulating = Inbox(), True
        try:
            base = self.history.base_of(tick)
            if self.drawn or not base.tick <= loop.tick < tick:
                gathered = self._control.gathered
                self._restore(base)
                self._control.go_to(base.tick, base.total, gathered)
            self._run(self._again(tick))
        finally:
            stage.inbox, stage.notes, stage.unanswered, stage.pictures, stage.exiting = outside
            stage.past.resimulating = stage.past.disturbed = self.drawn = False

    def _again(self, last: int) -> Iterator[Tick]:
        """The ticks up to one, each with what it latched then."""
        stage = self._stage
        for number in range(self._loop.tick + 1, last + 1):
            came = self.history.input(number)
            stage.hear_again(number, came)
            yield self._control.run_on(came.length)
            calls, stage.past.again = stage.past.again, []
            for call in calls:
                call()

    def go_back(self, present: Keyframe) -> None:
        """Have the state be that of the present."""
        gathered = self._control.gathered
        self._restore(present)
        self._control.go_to(present.tick, present.total, gathered)
        self._stage.past.disturbed = False

    def _restore(self, keyframe: Keyframe) -> None:
        self._stage.have_size(keyframe.size)
        self._game.restore(keyframe.snapshot)

    def go_on(self, tick: int) -> None:
        """The ticks after this one are forgotten: the next one follows it."""
        if tick < self.history.last:
            self._told.clear()
            self.history.cut(tick)
        elif self._told:  # the present is that of no tick's end
            self.history.remove(self.history.keyframes[-1])
        self._count = self._took = 0
        self._came = ()
        if not self.history.keyframes:
            self._stage.past.disturbed = True
