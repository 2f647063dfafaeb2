"""Store the input of a game's most recent ticks, with snapshots, so that they can run again."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator

from ..errors import FrameworkError
from ..input.tick_input import STILL, Event, Inbox, TickInput
from ..record.history import History, Keyframe
from ..state.columns import Table
from ..state.rows import table_of
from ..timing.timestep import NANOSECONDS, Tick, control_of
from .game_protocols import RunningGame
from .loop import Loop
from .stage import Stage

# In nanoseconds. A seek should take at most a 60th of a second. Running ticks again may take this
# much of it; the rest is for restoring the snapshot, and for a busy machine.
_RERUN_BUDGET = 4_500_000
_KEYFRAME_SHARE = 0.1  # the fraction of a tick's time, on average, that keyframes may take
_MEMORY_SHARE = 0.95  # the fraction of the memory for keyframes; the rest is for inputs
_MIN_KEYFRAMES = 4  # the minimum number of keyframes


class _RecordedInput:
    """An input source for ticks that run again. Each tick gets the input of its first run."""

    not_state = True
    receive: Callable[[Event], object] | None = None

    def __init__(self, history: History) -> None:
        self._history = history

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return the recorded input of the tick ``number``."""
        return self._history.input(number)

    def due(self, now: int) -> tuple[object, ...]:
        """Return an empty tuple, because frames run no ticks during a seek."""
        return ()


class RewindHistory:
    """The keyframes (snapshots) and the inputs of a game's most recent ticks.

    ``run(condition)`` is a function that runs ticks while ``condition()`` returns True. Raises
    `FrameworkError` if the timestep of the game cannot run ticks again. In a game with a session,
    the history stores no ticks.
    """

    not_state = True

    def __init__(
        self,
        game: RunningGame,
        stage: Stage,
        loop: Loop,
        run: Callable[[Callable[[], bool]], None],
        span: float,
        memory: int,
    ) -> None:
        control = control_of(loop.timestep)
        if control is None:
            kind = type(loop.timestep).__name__
            raise FrameworkError(f"rewind: expected one of the framework's timesteps, got {kind}")
        self._game = game
        self._stage = stage
        self._loop = loop
        self._control = control
        self._run = run
        self.history = History(max(2, math.ceil(span * control.rate)), memory)
        self.rate = control.rate
        """The number of ticks per second."""
        self._tick_time = float(NANOSECONDS / control.rate)
        # Events that were handled while the game was paused after the last tick.
        self._handled: list[Event] = []
        # The events of the current tick.
        self._tick_events: tuple[Event, ...] = ()
        # The start time of the current tick, in nanoseconds.
        self._start = 0
        # The number of ticks between two keyframes.
        self._min_distance = 1
        self._max_distance = max(1, self.history.span // _MIN_KEYFRAMES)
        # The number of ticks since the last keyframe, and the time that they took.
        self._count = self._took = 0
        self.drawn = False
        """True if a frame was drawn after the current tick. The game's ``draw`` methods may then
        have changed the state.
        """
        self._spent = NANOSECONDS  # how long the last keyframe took to write, in nanoseconds
        self._full = False  # True if the memory is too small for one keyframe

    def attach(self) -> None:
        """Start storing ticks: their input, and keyframes (snapshots)."""
        self._loop.tick_observer = self
        self._stage.notes.append(self.note)

    def detach(self) -> None:
        """Stop storing ticks, and delete all keyframes (snapshots) and inputs."""
        self._loop.tick_observer = None
        self._stage.notes = [note for note in self._stage.notes if note != self.note]
        self.history.clear()

    # -- recording ---------------------------------------------------------------------------------

    def note(self, number: int, events: list[Event], still: bool) -> None:
        """Store the input events of the tick ``number``. ``still`` is True if the game handles the
        events while it is paused, before the tick.
        """
        if still:
            self._handled += events
        else:
            self._tick_events = (*self._handled, STILL, *events) if self._handled else tuple(events)
            self._handled.clear()

    def before(self, tick: Tick) -> None:
        """The loop calls this method before each tick. Store the time at which the tick starts. If
        the last keyframe is too old, also store a new keyframe (a snapshot of the state).
        """
        stage = self._stage
        history = self.history
        if stage.resimulation.at_earlier_tick or self._loop.session is not None:
            return
        self._tick_events = ()
        last = tick.number - 1
        if last != history.last or not history.keyframes:
            history.clear()
            history.last = last
            self._count = self._min_distance
            stage.resimulation.disturbed = True
        due = self._count >= self._min_distance and (
            self._took >= _RERUN_BUDGET or self._count >= self._max_distance
        )
        if (due or stage.resimulation.disturbed) and not self._handled and not self._full:
            self._keep(last, self._control.begin_of(tick.number))
        self._start = time.perf_counter_ns()

    def after(self, tick: Tick) -> None:
        """The loop calls this method after each tick. Store the input of the tick, and how long the
        tick took.
        """
        if self._stage.resimulation.at_earlier_tick or self._loop.session is not None:
            return
        self._took += time.perf_counter_ns() - self._start
        self._count += 1
        history = self.history
        number = tick.number
        history.last = number
        history.tidy()
        if self._handled:  # no later event has been stored after these events
            self._tick_events = (*self._handled, STILL)
            self._handled.clear()
        length = 0 if self._control.fixed else self._control.length_of(number)
        if self._tick_events or length:
            history.note(number, TickInput(self._tick_events, length))
            if history.bytes > _MEMORY_SHARE * history.memory:
                self._free_memory()

    def _free_memory(self) -> None:
        history = self.history
        history.trim()
        # The memory is full of inputs. Only a new keyframe frees memory, because older inputs can
        # then be deleted.
        if len(history.keyframes) < _MIN_KEYFRAMES:
            self._count = max(self._count, self._max_distance)
        if history.bytes > history.memory:
            history.clear()

    def _keep(self, tick: int, total: int) -> None:
        start = time.perf_counter_ns()
        history = self.history
        stage = self._stage
        stage.resimulation.disturbed = False
        before = history.keyframes[-1] if history.keyframes else None
        size = history.add(
            Keyframe(self._game.snapshot(), total, stage.view.size, self._ticking(), before)
        )
        history.trim()
        if history.bytes > history.memory:
            warnings.warn(
                f"rewind: one keyframe of {type(self._game).__name__} has {size:,} "
                "bytes, but memory is "
                f"{history.memory:,}, so no tick can be restored; use Rewind(memory={4 * size})",
                RuntimeWarning,
                stacklevel=2,
            )
            history.clear()
            self._full = True
        if before is not None:  # not for the first keyframe, because it is a full copy
            # The time is limited, because it is too long if another program has interrupted this
            # thread.
            self._spent = min(time.perf_counter_ns() - start, 2 * self._spent)
            by_time = math.ceil(self._spent / (_KEYFRAME_SHARE * self._tick_time))
            by_memory = self._distance_that_fits(size)
            self._min_distance = max(by_memory, min(by_time, history.span // _MIN_KEYFRAMES))
        self._max_distance = max(self._min_distance, history.span // _MIN_KEYFRAMES)
        self._count = self._took = 0

    def _distance_that_fits(self, size: int) -> int:
        """Return the number of ticks between two keyframes with which the keyframes of the whole
        span fit into the memory. ``size`` is the size of the last keyframe in bytes.
        """
        history = self.history
        average = max(history.bytes / len(history.keyframes), 1) if history.keyframes else size
        count = max(2.0, _MEMORY_SHARE * history.memory / average)
        return math.ceil(history.span / (count - 1))

    def _ticking(self) -> Iterator[Table]:
        """Yield the table of each batch in the scenes. A keyframe does not contain the previous
        positions and other previous values of batches that move, because each tick sets these
        values again.
        """
        for entry in self._stage.stack:
            for drawable, _ in entry.drawables.drawn:
                table = table_of(drawable)
                if table is not None:
                    yield table

    # -- seeking -----------------------------------------------------------------------------------

    def capture_present(self) -> Keyframe:
        """Store and return a keyframe (a snapshot) of the current state. To restore this keyframe
        later, call `return_to_present`.
        """
        history = self.history
        if history.keyframes[-1].tick == history.last:
            history.remove(history.keyframes[-1])
        before = history.keyframes[-1] if history.keyframes else None
        total = self._control.begin_of(history.last + 1)
        present = Keyframe(self._game.snapshot(), total, self._stage.view.size, (), before)
        history.add(present)
        history.trim()
        return present

    def seek(self, tick: int) -> None:
        """Restore the state at the end of the tick ``tick``. The method restores the last keyframe
        before this tick, and runs the ticks after the keyframe again, without repeating their
        sounds and other effects.
        """
        stage = self._stage
        loop = self._loop
        if loop.tick == tick and not self.drawn:
            return
        outside = stage.inbox, stage.notes, stage.unhandled, stage.pictures, stage.exiting
        driver = stage.driver
        stage.notes = []
        stage.unhandled = None
        stage.pictures = []
        stage.resimulation.again = []
        stage.inbox = Inbox()
        stage.resimulation.resimulating = True
        try:
            base = self.history.base_of(tick)
            if self.drawn or not base.tick <= loop.tick < tick:
                gathered = self._control.gathered
                self._restore(base)
                self._control.go_to(base.tick, base.total, gathered)
            stage.driver = _RecordedInput(self.history)
            self._run(lambda: self._continue_to(tick))
        finally:
            stage.driver = driver
            stage.inbox, stage.notes, stage.unhandled, stage.pictures, stage.exiting = outside
            stage.resimulation.resimulating = stage.resimulation.disturbed = self.drawn = False

    def _continue_to(self, last: int) -> bool:
        """Call the functions that the last tick has passed to `Game.call_soon`. Return True if the
        history must run another tick before it reaches the tick ``last``.
        """
        calls = self._stage.resimulation.again
        self._stage.resimulation.again = []
        for call in calls:
            call()
        return self._loop.tick < last

    def return_to_present(self, present: Keyframe) -> None:
        """Restore the state before the first seek: the keyframe that `capture_present` returned."""
        gathered = self._control.gathered
        self._restore(present)
        self._control.go_to(present.tick, present.total, gathered)
        self._stage.resimulation.disturbed = False

    def _restore(self, keyframe: Keyframe) -> None:
        self._stage.set_size(keyframe.size)
        self._game.restore(keyframe.snapshot)

    def continue_from(self, tick: int) -> None:
        """Delete the stored ticks after ``tick``, because the game continues from this tick with
        new input.
        """
        if tick < self.history.last:
            self._handled.clear()
            self.history.cut(tick)
        elif self._handled:  # events were handled after the tick of this keyframe
            self.history.remove(self.history.keyframes[-1])
        self._count = self._took = 0
        self._tick_events = ()
        if not self.history.keyframes:
            self._stage.resimulation.disturbed = True
