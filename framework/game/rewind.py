"""Go back to an earlier tick of a game, from code or with the F4 timeline."""

from __future__ import annotations

__all__ = ["Rewind"]

from collections.abc import Callable
from typing import NamedTuple

from .. import checks
from ..errors import FrameworkError
from ..input.buttons import pending_down
from ..input.tick_input import Inbox, TickInput, by_player
from ..moved_names import HasMoved, moved, renamed_options
from ..record.history import Keyframe
from .game_protocols import RunningGame
from .loop import Loop
from .painter import Painter
from .rewind_history import RewindHistory
from .stage import Stage
from .tick_driver import PausedDriver
from .timeline_input import TimelineInput
from .window_events import WindowEvents

_MAX_DURATION = 3600.0  # seconds
_MIN_MEMORY = 1 << 16  # bytes


class RewindParts(NamedTuple):
    """The internal objects of a game that its `Rewind` uses."""

    game: RunningGame
    stage: Stage
    loop: Loop
    events: WindowEvents
    painter: Painter
    run: Callable[[Callable[[], bool]], None]


class _Present(NamedTuple):
    """The state and the input of a game before the game was paused at an earlier tick."""

    keyframe: Keyframe
    inbox: Inbox
    down: tuple[set[int], set[int]]


class _Pause(PausedDriver):
    """Prevents new ticks while the game is paused at an earlier tick. ``leave`` is a function that
    ends the pause.
    """

    def __init__(
        self, loop: Loop, rewind_history: RewindHistory, leave: Callable[[], object]
    ) -> None:
        super().__init__(loop.timestep, each_frame=self._show)
        self._loop = loop
        self._rewind_history = rewind_history
        self._leave = leave
        self.scrubber: TimelineInput | None = None

    def _show(self, now: int) -> None:
        if self.scrubber is not None:
            self.scrubber.frame(now)
        self._rewind_history.drawn = True

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Called when the game's code calls `Game.run_ticks` while the game is paused. End the
        pause, and return the input of the tick.
        """
        self._leave()
        return self._loop.take_input(number)


@moved("rewind", {}, settings={"seconds": "duration", "standing": "paused"})
class Rewind(HasMoved):
    """Stores the last seconds of a game, so that you can go back to any tick in this period.

        game.recording.rewind = fw.Rewind()

    A `Rewind` stores the input of each tick, and a snapshot of the game's state every few ticks.
    The method `seek` restores the last snapshot before a tick, and then runs the ticks after this
    snapshot again. The `Rewind` measures how long ticks take. It chooses the interval between
    snapshots so that `seek` usually takes less time than a frame.

    The F4 key opens a timeline of the stored ticks. Each game needs its own `Rewind` object. To
    store a single state, use `Game.snapshot`. To record a whole game, use `framework run --record`.

    Parameters
    ----------
    duration
        How many seconds of game time to store, above 0 and up to 3,600. If this would need more
        than ``memory``, the `Rewind` stores a shorter time.
    memory
        The maximum size of the stored data in bytes, at least 65,536. The default of 64 MiB is
        enough for ten seconds of 100,000 moving sprites.
    """

    not_state = True

    @renamed_options("Rewind", seconds="duration")
    def __init__(self, duration: float = 10, memory: int = 64 << 20) -> None:
        self.duration = checks.number("duration", duration, above=0, most=_MAX_DURATION)
        """How many seconds of game time are stored."""
        self.memory = checks.whole("memory", memory, _MIN_MEMORY)
        """The maximum memory in bytes."""
        self._parts: RewindParts | None = None
        self._rewind_history: RewindHistory | None = None
        self._present: _Present | None = None
        self._pause: _Pause | None = None

    def __repr__(self) -> str:
        return (
            f"<Rewind of ticks {self.ticks.start} to {self.ticks.stop - 1}>"
            if self.ticks
            else "<Rewind>"
        )

    # -- contents ----------------------------------------------------------------------------------

    @property
    def ticks(self) -> range:
        """The range of ticks that you can pass to `seek`. The last tick in the range is the current
        tick.

        The range is empty before the first tick.
        """
        return range(0) if self._rewind_history is None else self._rewind_history.history.ticks

    @property
    def bytes(self) -> int:
        """The size of the stored data in bytes: the input, and copies of arrays, tables and
        containers.
        """
        return 0 if self._rewind_history is None else self._rewind_history.history.bytes

    @property
    def paused(self) -> bool:
        """True while the game is paused at a stored tick because `seek` was called. To end the
        pause, call `resume` or `cancel`.
        """
        return self._present is not None

    # -- seeking -----------------------------------------------------------------------------------

    def seek(self, tick: int) -> None:
        """Pause the game, and go to the state at the end of the tick ``tick``.

        Until you call `resume` or `cancel`, the screen shows this tick, and no game time passes. To
        compute this state, the game runs some ticks again, without repeating their sounds and other
        effects (see `Game.emit`). In a tick, you cannot call `seek` directly: pass it to
        `Game.call_soon`.

        Raises
        ------
        ValueError
            If ``tick`` is not in `ticks`.
        FrameworkError
            If you call `seek` in a tick, in ``draw``, in a replay or in a game with a session, or
            if this `Rewind` belongs to no game.
        """
        parts, rewind_history = self._attached("seek")
        if parts.loop.session is not None:
            raise FrameworkError(
                "rewind: a game with a session cannot go back alone; record the match with "
                "game.recording.start(path), and go back in the replay"
            )
        parts.stage.check_between_ticks("rewind.seek")
        ticks = self.ticks
        tick = checks.whole("tick", tick)
        if tick not in ticks:
            available = f"{ticks.start} to {ticks.stop - 1}" if ticks else "none yet"
            raise ValueError(f"tick: expected one of the stored ticks, {available}, got {tick}")
        self._begin_pause(parts, rewind_history)
        rewind_history.seek(tick)

    def resume(self) -> None:
        """End the pause, and continue the game from the tick that the screen shows. All stored
        ticks after this tick are deleted.

        The next tick receives the player's new input instead of the stored input. If the game is
        not paused by this `Rewind`, this method does nothing.
        """
        self._end(to_present=False)

    def cancel(self) -> None:
        """Undo all calls to `seek`: end the pause, and continue the game from the tick at which
        `seek` was first called.

        If the game is not paused by this `Rewind`, this method does nothing.
        """
        self._end(to_present=True)

    def show(self) -> None:
        """Open the timeline of the stored ticks, as the F4 key does. Before the first tick, this
        method does nothing.

        `show` raises `FrameworkError` in the same cases as `seek`.
        """
        parts, rewind_history = self._attached("show")
        if self.ticks:
            self.seek(parts.loop.tick)
            if (
                self._pause is not None
                and self._present is not None
                and self._pause.scrubber is None
            ):
                scrubber = TimelineInput(
                    parts.stage,
                    parts.loop,
                    rewind_history,
                    self._present.down,
                    self.resume,
                    self.cancel,
                )
                self._pause.scrubber = scrubber
                self._pause.receive = parts.stage.inbox.put
                parts.painter.panels.show_strip(scrubber.strip)

    # -- the pause ---------------------------------------------------------------------------------

    def _begin_pause(self, parts: RewindParts, rewind_history: RewindHistory) -> None:
        if self._present is not None:
            return
        stage = parts.stage
        loop = parts.loop
        if stage.driver is not None:
            raise FrameworkError(
                "rewind: this game plays a recording; see docs/replay.md for going to a tick"
            )
        self._present = _Present(rewind_history.capture_present(), stage.inbox, _down(stage))
        stage.resimulation.at_earlier_tick = True
        stage.inbox = Inbox()
        stage.driver = self._pause = _Pause(loop, rewind_history, self._leave)

    def _leave(self) -> None:
        """End the pause because `Game.run_ticks` is about to run a tick."""
        self._end(to_present=False, redo=False)

    def _end(self, to_present: bool, redo: bool = True) -> None:
        present = self._present
        if present is None:
            return
        parts, rewind_history = self._attached("resume")
        stage = parts.stage
        loop = parts.loop
        parts.stage.live  # noqa: B018 (raises an error if the game was closed)
        if to_present:
            rewind_history.return_to_present(present.keyframe)
        elif redo:
            rewind_history.seek(loop.tick)
        is_earlier = loop.tick < present.keyframe.tick
        scrubber = None if self._pause is None else self._pause.scrubber
        self._present = self._pause = stage.driver = None
        stage.resimulation.at_earlier_tick = False
        pending = stage.inbox
        stage.inbox = Inbox() if is_earlier else present.inbox
        rewind_history.continue_from(loop.tick)
        if scrubber is not None:
            parts.painter.panels.show_strip(None)
            for event in (*scrubber.settled(*_down(stage)), *parts.events.settled()):
                stage.inbox.put(event)
        _put_events_of_pause(stage, pending)
        if is_earlier:
            # The next ticks are new, also if the game had returned to an earlier tick with `restore`.
            stage.resimulation.reached = min(stage.resimulation.reached, loop.tick)
            for callback in stage.resimulation.went_back:
                callback(loop.tick)

    # -- the game ----------------------------------------------------------------------------------

    def attach(self, parts: RewindParts) -> None:
        """Connect this `Rewind` to a game. To start storing ticks, call `begin` afterwards.

        Raises `FrameworkError` if this `Rewind` already belongs to a game.
        """
        if self._rewind_history is not None:
            raise FrameworkError(
                "rewind: this Rewind belongs to another game; make one for each game"
            )
        history_parts = parts.game, parts.stage, parts.loop, parts.run
        self._rewind_history = RewindHistory(*history_parts, self.duration, self.memory)
        self._parts = parts

    def begin(self) -> None:
        """Start storing ticks."""
        self._attached("begin")[1].attach()

    def detach(self) -> None:
        """Disconnect this `Rewind` from its game, and delete all stored ticks."""
        self.resume()
        if self._rewind_history is not None:
            self._rewind_history.detach()
        self._parts = self._rewind_history = None

    def _attached(self, method: str) -> tuple[RewindParts, RewindHistory]:
        if self._parts is None or self._rewind_history is None:
            raise FrameworkError(
                f"rewind.{method}: it belongs to no game; set game.recording.rewind = fw.Rewind() first"
            )
        return self._parts, self._rewind_history


def _put_events_of_pause(stage: Stage, pending: Inbox) -> None:
    """Put the events that arrived during a pause of the rewind into the inbox of the game."""
    if stage.window_view.size != stage.view.size:  # the window was resized after that tick
        stage.inbox.put(("on_resize", *stage.window_view.size))
    for player, event in by_player(pending.take()):
        stage.inbox.put(event, player)


def _down(stage: Stage) -> tuple[set[int], set[int]]:
    """Return the keys and the mouse buttons that the first player is holding, as two sets. Presses
    and releases that no tick has handled yet are included.
    """
    return pending_down(stage.keys), pending_down(stage.mouse)
