"""The main loop, which runs the ticks that are due in each frame, and draws and shows an image.

    clock.now() ──► timestep.advance(now) ──► n ticks: input is latched, previous ◄ current, update(dt)
                                └──────────── alpha ──► painter.paint ──► screen.show

`Game.run` and `Game.advance` both call `Loop.frame`, with or without a window.
"""

from __future__ import annotations

import math
import time
import warnings
from _thread import get_ident
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeVar

from .. import current_game
from ..checks import seconds
from ..current_game import working
from ..errors import FrameworkError
from ..geometry.exact import chosen
from ..gpu.graphics import check_thread
from ..input.buttons import is_pending
from ..input.input_source import CheckedSource
from ..input.tick_input import Inbox, TickInput, by_player
from ..motion import camera_base
from ..timing.timestep import NANOSECONDS, Tick, TickControl, Timestep, control_of
from ..watch.frame_stats import FrameTimes
from ..watch.workload import MAX_UNCOUNTED, Workload
from . import unadded_batches
from .error_advice import advise
from .painter import Painter
from .session import Session
from .stage import Entry, Stage
from .subsystems import Subsystems
from .surface import GameSurface, abandoned

if TYPE_CHECKING:
    from ..gpu.uniforms import Uniforms
    from .scene_drawables import Camera

T = TypeVar("T")

_LONG_FRAME = 0.5  # seconds
_ATTO = 10**18
_ATTO_IN_NANO = _ATTO // NANOSECONDS


class GameClock(Protocol):
    """The interface of a game's clock."""

    def now(self, stamp: int) -> int:
        """Return the game time of a frame, in integer nanoseconds. ``stamp`` is the time of the
        computer's clock at the start of the frame, in nanoseconds.
        """


class Screen(Protocol):
    """The interface of an object that shows the frames of a game, such as a window."""

    def hidden(self) -> bool:
        """Return whether the window is hidden. While the window is hidden, the loop paints no
        frames.
        """

    def show(self, frame: FrameTimes) -> None:
        """Show a frame to the player. The loop calls this method after it has painted the frame."""

    def skip(self) -> None:
        """The loop calls this method instead of `show` if the window is hidden."""


class TickObserver(Protocol):
    """The interface of an object that stores the history of a game."""

    def before(self, tick: Tick) -> None:
        """The loop calls this method before each tick."""

    def after(self, tick: Tick) -> None:
        """The loop calls this method after each tick, once the scene changes requested in the tick
        have been made.
        """


class Loop:
    """The main loop of a game, which runs frames and the ticks in each frame."""

    not_state = True  # `EngineState` captures only the attributes that are state

    def __init__(
        self,
        stage: Stage,
        timestep: Timestep,
        painter: Painter,
        subsystems: Subsystems,
        load: Workload,
    ) -> None:
        self.timestep = timestep
        self._control = control_of(timestep)
        self.tick = 0
        """The number of the current or last tick, or 0 before the first tick."""
        self.frames = 0
        """The number of frames drawn so far."""
        self.pause_when_hidden = False
        """Whether the game is paused while the window is hidden."""
        self.pacing = True
        """Whether the game measures time by the refreshes of the display. If `pacing` is False, the
        game measures time by the computer's clock.
        """
        self.exact = False
        """Whether ticks compute exactly the same numbers on every machine."""
        self.stops: Callable[[], bool] | None = None
        """A function that is called after each tick of a frame. If it returns True, the remaining
        ticks of the frame do not run.
        """
        self.session: Session | None = None
        """The network session of the game, or None."""
        self.shows_status = True
        """Whether a box in the window shows the status of the network session."""
        self.tick_observer: TickObserver | None = None
        """The object that stores a history of the game, or None."""
        self._stage = stage
        self._incoming = stage.incoming
        # Finds lines of code that create drawables without storing them.
        self._reported: set[tuple[str, int]] = set()
        self._recorder = stage.frame_stats.recorder
        self._painter = painter
        self._subsystems = subsystems
        self._load = load
        self._open: FrameTimes | None = None
        self._was_hidden = False

    def frame(self, clock: GameClock, screen: Screen) -> FrameTimes:
        """Run one frame: run all ticks that are due, paint an image, and show this image. The frame
        time is measured until the next call to `end_frame` or `frame`.
        """
        stage = self._stage
        timestep = self.timestep
        start = time.perf_counter_ns()
        frame = self._begin_frame(start)
        surface = stage.surface
        if abandoned or (
            surface.gl is not None and surface.gl.current_context is not surface.window.context
        ):
            surface.begin_frame()  # another game may have drawn since the last frame
        if stage.calls and not stage.resimulation.at_earlier_tick:
            stage.make_calls()

        self._run_ticks(clock.now(start), frame)
        if self.session is not None and stage.driver is None:
            self.session.frame(stage.game)
            if surface.drawing:
                status = str(getattr(self.session, "status", "")) if self.shows_status else ""
                self._painter.panels.show_status(status)
        frame.alpha = timestep.alpha
        frame.dropped = timestep.dropped_time

        if stage.untouched:
            stage.use_touched()
        if screen.hidden():
            self.frames += 1
            screen.skip()
        else:
            self._paint_and_show(frame, screen)
        if stage.pictures:
            stage.write_pictures()
        for hook in self._subsystems.frame:
            hook(frame)
        return frame

    def _begin_frame(self, now: int) -> FrameTimes:
        if self._open is not None:
            self.end_frame(now)
        recorder = self._recorder
        if recorder.on:
            frame = recorder.open = FrameTimes(next(recorder.numbers), now)
        else:
            frame = FrameTimes(0, now)
        self._open = frame
        return frame

    def end_frame(self, now: int) -> None:
        """End the current frame, and store its measured times for the statistics."""
        frame = self._open
        self._open = None
        if frame is None:
            return
        frame.end = now
        recorder = self._recorder
        if recorder.open is frame:
            recorder.open = None
            if recorder.stamps:
                recorder.note_collections(frame)
            recorder.frames.append(frame)
        if len(self._load.uncounted) >= MAX_UNCOUNTED:
            self._load.catch_up()

    def _paint_and_show(self, frame: FrameTimes, screen: Screen) -> None:
        """Paint an image, and show it. Record how long painting took."""
        began = time.perf_counter_ns()
        if self._stage.frame_stats.gpu and self._recorder.on:
            self._painter.paint_timed(self.timestep, frame)
        else:
            self._painter.paint(self.timestep)
        self.frames += 1
        frame.worked = time.perf_counter_ns()
        frame.spans += ("draw", began, frame.worked)
        screen.show(frame)
        self._load.uncounted.append(frame)

    # -- ticks -------------------------------------------------------------------------------------

    def _run_ticks(self, now: int, frame: FrameTimes) -> None:
        timestep = self.timestep
        stage = self._stage
        if stage.driver is not None:
            for _ in stage.driver.due(now):
                self._take_timed(frame)
            return
        if stage.source is not None and self._control is not None and self._control.fixed:
            self._run_source_ticks(now, frame, self._control)
            return
        incoming = self._incoming
        if incoming.inbox.events or incoming.own.events:
            self._hear_while_paused()
        paused = timestep.paused
        advance = timestep.advance
        ticks = self._due_ticks(now, advance) if self.pause_when_hidden else advance(now)
        control = self._control if len(ticks) > 1 else None
        if ticks:
            stage.resimulation.reached = 0
        try:
            for tick in ticks:
                if control is not None:
                    control.at_tick(tick)
                if stage.source is not None and self.take_input(tick.number) is None:
                    break
                self._run_timed(tick, frame)
                if (timestep.paused and not paused) or (self.stops is not None and self.stops()):
                    break
        finally:
            if control is not None:
                control.at_tick(ticks[-1])
        if frame.ticks < len(ticks):
            # A tick may have paused the game. In this case, the remaining ticks of the frame do not
            # run, whatever the frame rate is.
            timestep.give_back(len(ticks) - frame.ticks)

    def _run_source_ticks(self, now: int, frame: FrameTimes, control: TickControl) -> None:
        """Run the ticks of this frame with input from the source (`Game.input`), such as a network
        session. If the input of a tick has not arrived yet, this tick and the following ticks run
        in a later frame.
        """
        timestep = self.timestep
        stage = self._stage
        if self.session is None:
            self._hear_while_paused()
        paused = timestep.paused
        due = self._due_ticks(now, control.take) if self.pause_when_hidden else control.take(now)
        if not due:
            return
        stage.resimulation.reached = 0
        between = control.between
        for ran in range(due):
            if not self._take_timed(frame):
                control.between = between
                control.wait(due - ran)
                return
            if (timestep.paused and not paused) or (self.stops is not None and self.stops()):
                control.drop(due - ran - 1)
                break
        control.between = between

    def _hear_while_paused(self) -> None:
        """If the game is paused, call the event handlers for new events."""
        incoming = self._incoming
        if (incoming.inbox.events or incoming.own.events) and self._stands_still():
            self._stage.handle_paused_events(self.tick + 1)

    def _take_timed(self, frame: FrameTimes) -> bool:
        start = time.perf_counter_ns()
        if not self.take_tick():
            return False
        frame.ticks += 1
        frame.spans += ("update", start, time.perf_counter_ns())
        return True

    def take_tick(self, calls: bool = False) -> bool:
        """Run the next tick with input from the source (`Game.input`). If the input of the tick has
        not arrived, return False without running the tick. If ``calls`` is True, first call the
        functions that were passed to `Game.call_soon`.
        """
        stage = self._stage
        self._begin_in_session()
        tick_input = self.take_input(self.tick + 1)
        if tick_input is None:
            return False
        tick = self._next_tick(tick_input.length)
        if calls and stage.calls and not stage.resimulation.at_earlier_tick:
            stage.make_calls()
        self.run_tick(tick)
        return True

    def _next_tick(self, length: int = 0) -> Tick:
        """Return the `Tick` that runs next. ``length`` is the duration of the tick in time units of
        the timestep, or 0 for the usual duration.
        """
        if self._control is not None:
            return self._control.run_on(length)
        timestep = self.timestep  # the game has its own timestep
        number = self.tick + 1
        dt = float(getattr(timestep, "dt", 1 / 60))
        return Tick(number, number * dt, dt, True)

    def take_input(self, number: int) -> TickInput | None:
        """Get the input of the tick ``number`` from the source (`Game.input`), store it for the
        tick, and return it. Return None if the input has not arrived.
        """
        stage = self._stage
        local = TickInput(tuple(stage.inbox.events))
        source = stage.source if stage.driver is None else stage.driver
        if source is None:
            return local
        tick_input = source.tick(number, local)
        if tick_input is not None and tick_input is not local:
            stage.inbox.take()
            stage.replay_input(number, tick_input)
        return tick_input

    def _begin_in_session(self) -> None:
        """Call `Session.before_tick`. In `Session.before_tick`, the session may restore a snapshot
        and run ticks again. Ticks that the session runs again do not receive new input from this
        machine.
        """
        session = self.session
        stage = self._stage
        resimulation = stage.resimulation
        if session is None or resimulation.in_session or stage.driver is not None:
            return
        outside = stage.inbox
        stage.inbox = Inbox()
        resimulation.in_session = True
        try:
            session.before_tick(stage.game, self.tick + 1)
        finally:
            resimulation.in_session = False
            added = stage.inbox.take()
            stage.inbox = outside
            for player, event in by_player(added):
                outside.put(event, player)

    def _run_timed(self, tick: Tick, frame: FrameTimes) -> None:
        start = time.perf_counter_ns()
        self.run_tick(tick)
        frame.ticks += 1
        frame.spans += ("update", start, time.perf_counter_ns())

    def _stands_still(self) -> bool:
        """Return whether the game is paused. While the game is paused, frames run no ticks."""
        timestep = self.timestep
        if timestep.paused or not timestep.time_scale or getattr(timestep, "cancelled", False):
            return True
        return self.pause_when_hidden and self._stage.surface.hidden()

    def _due_ticks(self, now: int, advance: Callable[[int], T]) -> T:
        """Return the result of ``advance(now)``, which computes the ticks that are due at the time
        ``now``. While the window is hidden, no ticks are due.
        """
        timestep = self.timestep
        hidden = self._stage.surface.hidden()
        before = self._was_hidden
        self._was_hidden = hidden
        if timestep.paused or self.session is not None or not (hidden or before):
            return advance(now)
        timestep.paused = True
        try:
            return advance(now)
        finally:
            timestep.paused = False

    def run_tick(self, tick: Tick) -> None:
        """Run one tick. The tick calls event handlers for new input, stores the previous state for
        interpolation, and updates the scenes.
        """
        tick_observer = self.tick_observer
        incoming = self._incoming
        if tick_observer is not None:
            tick_observer.before(tick)
        stage = self._stage
        if stage.untouched:
            stage.use_touched()
        stage.between_ticks = False
        incoming.ticking = True
        try:
            if self.exact:
                with chosen():
                    self._run_tick(tick)
            else:
                self._run_tick(tick)
        except (TypeError, AttributeError, OverflowError, ValueError) as error:
            advise(error)
            raise
        finally:
            stage.between_ticks = True
            incoming.ticking = False
        resimulation = stage.resimulation
        if resimulation.deliver is not None and (
            resimulation.effects or resimulation.resimulating or resimulation.delivers_always
        ):
            resimulation.deliver(tick.number)
        if tick_observer is not None:
            tick_observer.after(tick)

    def _run_tick(self, tick: Tick) -> None:
        stage = self._stage
        dt = tick.dt
        resimulation = stage.resimulation
        resimulation.passes += 1
        self.tick = tick.number
        incoming = self._incoming
        stage.input_devices.dt = dt
        if (
            incoming.inbox.events
            or incoming.own.events
            or stage.stack[-1].scene._finished_work is not None
        ):
            stage.handle_input(tick.number)
        else:
            for device in filter(is_pending, stage.devices):
                device.begin_tick()
        stack = stage.stack
        for begin in self._subsystems.begin_tick:
            begin(tick)
        first = stage.first("pauses_below") if len(stack) > 1 else 0
        # A camera may belong to several scenes. In a paused scene, no camera moves.
        cameras: dict[Camera, bool] = {}
        has_effects = False
        for index, (_, drawables, _) in enumerate(stack):
            for camera in drawables.cameras:
                cameras[camera] = index >= first
            if drawables.effects is not None or drawables.views is not None:
                has_effects = True
        stage.busy = True
        try:
            for index, entry in enumerate(stack):
                for drawable, _ in entry.drawables.driven:
                    drawable.begin_tick(dt if index >= first else 0.0)
            if has_effects:
                for values in _effect_values(stack):
                    values.begin_tick()
            for camera in cameras:
                if camera_base.is_moving(camera):
                    camera_base.begin_tick(camera)
            ruled: Sequence[Entry] = stack[first:] if first else stack
            if stage.remote_tick is not None:
                stage.remote_tick(tick)
                ruled = ()
            for scene, _, backend in ruled:
                rules = backend.rules
                if rules.planned:
                    rules.run(dt, scene.update, stage.tick_times)
                else:
                    scene.update(dt)
            for _, _, backend in ruled:
                for ending in backend.rules.endings:
                    ending()
            if stage.untouched:
                stage.use_touched()
            for index, (_, drawables, _) in enumerate(stack):
                for drawable, _ in drawables.driven:
                    drawable.end_tick()
                for camera in drawables.cameras:
                    cameras[camera] = index >= first  # the rules may have added cameras
                if drawables.effects is not None or drawables.views is not None:
                    has_effects = True  # the rules have added effects or views
            if has_effects:
                for values in _effect_values(stack):
                    values.end_tick()
            for camera, live in cameras.items():
                if live and camera_base.is_moving(camera):
                    camera_base.end_tick(camera)
        finally:
            stage.busy = False
        if stage.created:
            scene_name = type(stage.stack[-1].scene).__name__
            unadded_batches.remark_dropped(scene_name, stage.created, self._reported)
        for end in self._subsystems.end_tick:
            end(tick)
        if stage.switches:
            stage.make_switches()

    def run_tick_by_hand(self) -> bool:
        """Run the next tick immediately, without waiting for its time and without drawing. If the
        input of the tick has not arrived, return False without running the tick.
        """
        stage = self._stage
        resimulation = stage.resimulation
        if self.session is not None:
            self._begin_in_session()
        number = self.tick + 1
        again = number <= resimulation.reached and not resimulation.at_earlier_tick
        length = 0
        if stage.source is not None or stage.driver is not None:
            tick_input = self.take_input(number)
            if tick_input is None:
                return False
            length = tick_input.length
        tick = self._next_tick(length)
        if not again:
            self.run_tick(tick)
            return True
        resimulation.resimulating = True
        try:
            self.run_tick(tick)
        finally:
            resimulation.resimulating = False
        if number == resimulation.reached:
            for callback in resimulation.caught_up:
                callback()
        return True

    def run_known_tick(self, method: str) -> None:
        """Run the next tick immediately. Raise `FrameworkError` if its input has not arrived."""
        if not self.run_tick_by_hand():
            source = self.session or self._stage.source or self._stage.driver
            raise FrameworkError(
                f"{method}: the input of tick {self.tick + 1} is not known yet, because "
                f"{_name_of(source)} waits for it; use game.advance(1 / 60), which draws a frame "
                "and tries again"
            )


class VirtualClock:
    """The clock of a game without a window, which does not use real time. Only `advance` changes
    its time, so every run of the game has the same times. The clock counts attoseconds (1e-18 s),
    so that the sum of many frame durations is exact.
    """

    def __init__(self) -> None:
        self.attoseconds = 0
        self._read = 0  # the time of the last call of `now`, in attoseconds

    def advance(self, seconds: float | Fraction) -> None:
        """Advance the clock by ``seconds`` seconds."""
        numerator, denominator = seconds.as_integer_ratio()
        whole_attoseconds, remainder = divmod(numerator * _ATTO, denominator)
        self.attoseconds += whole_attoseconds + (2 * remainder >= denominator)

    def now(self, stamp: int) -> int:
        """Return the time in nanoseconds, rounded up. If it were rounded down, some frames of 1/60
        s would run no tick.
        """
        self._read = self.attoseconds
        return -(-self.attoseconds * NANOSECONDS // _ATTO)

    @property
    def rounding(self) -> int:
        """The last result of `now` minus the exact time, in attoseconds (1e-18 s). Setting this
        property changes the exact time, but not the last result of `now`.
        """
        return -self._read % _ATTO_IN_NANO

    @rounding.setter
    def rounding(self, value: int) -> None:
        change = self.rounding - value
        self._read += change
        self.attoseconds += change

    def set(self, nanoseconds: int) -> None:
        """Set the time of the clock to ``nanoseconds``."""
        self.attoseconds = self._read = nanoseconds * _ATTO_IN_NANO


class ByHand:
    """The `Screen` for frames drawn by `Game.advance`, and for all frames of a game without a
    window. If the game has a window, the frames appear in the window.
    """

    def __init__(self, surface: GameSurface) -> None:
        self._surface = surface

    def hidden(self) -> bool:
        """Return True if there is no framebuffer to paint to."""
        surface = self._surface
        return not (surface.drawable and surface.drawing)

    def show(self, frame: FrameTimes) -> None:
        """Show the frame in the window, if the game has one."""
        if not self._surface.headless:
            self._surface.flip()
            frame.spans += ("wait", frame.worked, time.perf_counter_ns())

    def skip(self) -> None:
        """Do nothing, because a hidden window shows no new frame."""


class Drive:
    """Runs the frames of `Game.advance`, and the frames of `Game.run` in a game without a window.

    ``close_now`` closes the game immediately, and ``close_after_error`` closes it after an error.
    """

    not_state = True

    def __init__(
        self,
        stage: Stage,
        loop: Loop,
        clock: VirtualClock,
        close_now: Callable[[], None],
        close_after_error: Callable[[], None],
    ) -> None:
        self._stage = stage
        self._loop = loop
        self._clock = clock
        self._alone = (stage,)  # the list of running games if no other game runs this one
        self._close_now = close_now
        self._close_after_error = close_after_error
        self._screen = ByHand(stage.surface)
        self.running = False
        """True while `Game.run`, `Game.advance` or other code runs the game."""
        self.closing = False
        """Whether the game closes as soon as `running` becomes False."""

    def advance(self, frame_time: float | Fraction) -> float:
        """Advance the game by ``frame_time`` seconds, and draw a frame. See `Game.advance`."""
        stage = self._stage
        surface = self._stage.surface
        if surface.game_closed:
            stage.live  # noqa: B018 (raises the error)
        if self.running:
            raise FrameworkError("advance: this game is running already")
        if type(frame_time) is not float or not 0 <= frame_time < math.inf:
            frame_time = seconds("frame_time", frame_time)
        if get_ident() != surface.thread:
            check_thread(surface.thread)
        outer = working.get()
        working.set(outer + self._alone if outer else self._alone)
        self.running = True
        timestep = self._loop.timestep
        dropped = timestep.dropped_time
        try:
            self.step(frame_time)
            # Comparing fractions is slow, so frame times are compared only after time has been
            # dropped.
            if timestep.dropped_time > dropped and frame_time >= _LONG_FRAME:
                warnings.warn(
                    f"advance: {float(frame_time):g} s is the time of one frame, and a frame drops "
                    "time that is too long; write game.run_ticks(60), or game.advance(1 / 60) "
                    "several times",
                    RuntimeWarning,
                    stacklevel=3,
                )
        except BaseException:
            if self.closing:
                self._close_after_error()
            raise
        finally:
            self.running = False
            working.set(outer)
            if outer:
                current_game.draw_again()
        if self.closing:
            self._close_now()
        return self._loop.timestep.alpha

    def step(self, frame_time: float | Fraction) -> None:
        """Advance the clock by ``frame_time`` seconds, and run one frame."""
        stage = self._stage
        loop = self._loop
        if not stage.surface.headless:
            stage.surface.window.dispatch_events()
        self._clock.advance(frame_time)
        loop.frame(self._clock, self._screen)
        loop.end_frame(time.perf_counter_ns())
        if stage.after_frame is not None:
            stage.settle()


def _name_of(source: object) -> str:
    """Return the class name of an input source, for error messages."""
    if isinstance(source, CheckedSource):
        source = source.source
    return type(source).__name__


def _effect_values(stack: Sequence[Entry]) -> Iterator[Uniforms]:
    """Yield the uniform values of all effects in the given scenes and their views. ``stack`` is a
    list of entries of the scene stack.
    """
    for entry in stack:
        drawables = entry.drawables
        if drawables.effects is not None or drawables.views is not None:
            yield from drawables.effect_values()
