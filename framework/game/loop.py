"""Loop: run one frame of a game: its ticks, the painting and the flip (the display of the painted
image).

    clock.now() ──► timestep.advance(now) ──► n ticks: input is latched, previous ◄ current, update(dt)
                                └──────────── alpha ──► painter.paint ──► screen.show

Every frame goes through `Loop.frame`, in a window and off screen, in `Game.run` and in
`Game.advance`.
"""

from __future__ import annotations

import math
import time
import warnings
from _thread import get_ident
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from .. import current_game
from ..checks import seconds
from ..current_game import working
from ..errors import FrameworkError
from ..geometry.exact import chosen
from ..gpu.graphics import check_thread
from ..input.buttons import is_pending
from ..motion import camera_base
from ..timing.timestep import NANOSECONDS, Tick, Timestep, control_of
from ..watch.frame_stats import Frame
from ..watch.workload import MAX_UNCOUNTED, Workload
from .error_advice import advise
from .painter import Painter
from .stage import Entry, Stage
from .subsystems import Subsystems
from .surface import GameSurface, abandoned

if TYPE_CHECKING:
    from ..gpu.uniforms import Uniforms
    from .scene_drawables import Camera

_LONG_FRAME = 0.5  # seconds
_ATTO = 10**18
_ATTO_IN_NANO = _ATTO // NANOSECONDS


class GameClock(Protocol):
    """The interface of a game's clock. `now` returns the game time for which a frame is computed
    and drawn.
    """

    def now(self, stamp: int) -> int:
        """Return the game time of a frame as an integer number of nanoseconds.

        ``stamp`` is the system time at which the frame begins, in nanoseconds.
        """


class Screen(Protocol):
    """The interface of an object that receives finished frames, such as a window."""

    def hidden(self) -> bool:
        """Return True if a frame would be invisible. The loop then does not paint the frame."""

    def show(self, frame: Frame) -> None:
        """Display a frame that was painted."""

    def skip(self) -> None:
        """Called in place of `show` if the frame would be invisible."""


class TickSource(Protocol):
    """An object that decides in place of the clock which ticks run. A recording that is played is
    an example of a tick source.
    """

    def ticks(self, now: int) -> Iterable[Tick]:
        """Yield the ticks that run until the time ``now``, in nanoseconds. When the loop takes a
        tick, the source also puts the input of this tick into the inbox.
        """


class Keeper(Protocol):
    """An object whose methods are called before and after each tick, such as the history of a
    rewind.
    """

    def before(self, tick: Tick) -> None:
        """Called before a tick begins, after the previous tick is complete."""

    def after(self, tick: Tick) -> None:
        """Called after a tick, and after the changes of scenes that the tick requested."""


class Loop:
    """The loop of a game, which runs frames, and in each frame the ticks that are due."""

    not_state = True  # `EngineState` captures the part of it that is state

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
        """Whether the game's time follows the refreshes of the display, if frames wait for the
        display. If False, the time follows the clock, which a busy CPU reads at irregular times.
        """
        self.exact = False
        """Whether the framework computes the same bits on every machine during ticks."""
        self.stops: Callable[[], bool] | None = None
        """Called after each tick of a frame. If this function returns True, the other ticks of the
        frame do not run.
        """
        self.source: TickSource | None = None
        """The object that decides which ticks run, such as a recording. If it is None, the clock
        decides which ticks run.
        """
        self.keeper: Keeper | None = None
        """The object whose methods are called before and after every tick, or None."""
        self._stage = stage
        self._incoming = stage.incoming
        self._recorder = stage.frame_stats.recorder
        self._painter = painter
        self._subsystems = subsystems
        self._load = load
        self._open: Frame | None = None
        self._was_hidden = False

    def frame(self, clock: GameClock, screen: Screen) -> Frame:
        """Run one frame: run its ticks, paint the frame, and display it (flip). The duration of the
        frame is measured until `end_frame` or the next call of `frame`.
        """
        stage = self._stage
        timestep = self.timestep
        start = time.perf_counter_ns()
        frame = self._begin_frame(start)
        surface = stage.surface
        if abandoned or (
            surface.gl is not None and surface.gl.current_context is not surface.window.context
        ):
            surface.begin_frame()  # another game may have been drawn in between
        if stage.calls and not stage.resimulation.at_earlier_tick:
            stage.make_calls()

        self._run_ticks(clock.now(start), frame)
        frame.alpha = timestep.alpha
        frame.dropped = timestep.dropped_time

        if stage.untouched:
            stage.use_touched()
        if not screen.hidden():
            began = time.perf_counter_ns()
            if stage.frame_stats.gpu and self._recorder.on:
                self._painter.paint_timed(timestep, frame)
            else:
                self._painter.paint(timestep)
            self.frames += 1
            frame.worked = time.perf_counter_ns()
            frame.spans += ("draw", began, frame.worked)
            screen.show(frame)
            self._load.uncounted.append(frame)
        else:
            self.frames += 1
            screen.skip()
        if stage.pictures:
            stage.write_pictures()
        for hook in self._subsystems.frame:
            hook(frame)
        return frame

    def _begin_frame(self, now: int) -> Frame:
        if self._open is not None:
            self.end_frame(now)
        recorder = self._recorder
        if recorder.on:
            frame = recorder.open = Frame(next(recorder.numbers), now)
        else:
            frame = Frame(0, now)
        self._open = frame
        return frame

    def end_frame(self, now: int) -> None:
        """End the current frame, and store its measured times."""
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

    # -- ticks -------------------------------------------------------------------------------------

    def _run_ticks(self, now: int, frame: Frame) -> None:
        timestep = self.timestep
        stage = self._stage
        if self.source is not None:
            for tick in self.source.ticks(now):
                self._run_timed(tick, frame)
            return
        incoming = self._incoming
        if (incoming.inbox.events or incoming.own.events) and self._stands_still():
            stage.hear_still(self.tick + 1)
        paused = timestep.paused
        ticks = self._due_ticks(now) if self.pause_when_hidden else timestep.advance(now)
        control = self._control if len(ticks) > 1 else None
        if ticks:
            stage.resimulation.reached = 0
        try:
            for tick in ticks:
                if control is not None:
                    control.at_tick(tick)
                self._run_timed(tick, frame)
                if (timestep.paused and not paused) or (self.stops is not None and self.stops()):
                    break
        finally:
            if control is not None:
                control.at_tick(ticks[-1])
        if frame.ticks < len(ticks):
            # Usually the game was paused by a tick. The remaining ticks of the frame do not run, at
            # any frame rate.
            timestep.give_back(len(ticks) - frame.ticks)

    def _run_timed(self, tick: Tick, frame: Frame) -> None:
        start = time.perf_counter_ns()
        self.run_tick(tick)
        frame.ticks += 1
        frame.spans += ("update", start, time.perf_counter_ns())

    def _stands_still(self) -> bool:
        """Return whether the game is paused, so that this frame runs no tick."""
        timestep = self.timestep
        if timestep.paused or not timestep.time_scale or getattr(timestep, "cancelled", False):
            return True
        return self.pause_when_hidden and self._stage.surface.hidden()

    def _due_ticks(self, now: int) -> Sequence[Tick]:
        """Return the ticks that must run until the time ``now``. Time during which the window is
        hidden counts as a pause.
        """
        timestep = self.timestep
        hidden = self._stage.surface.hidden()
        before = self._was_hidden
        self._was_hidden = hidden
        if timestep.paused or not (hidden or before):
            return timestep.advance(now)
        timestep.paused = True
        try:
            return timestep.advance(now)
        finally:
            timestep.paused = False

    def run_tick(self, tick: Tick) -> None:
        """Run one tick: take the waiting input, call event handlers, store the previous state for
        interpolation, and update the scenes.
        """
        keeper = self.keeper
        incoming = self._incoming
        if keeper is not None:
            keeper.before(tick)
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
        if resimulation.effects and resimulation.deliver is not None:
            resimulation.deliver(tick.number)
        if keeper is not None:
            keeper.after(tick)

    def _run_tick(self, tick: Tick) -> None:
        stage = self._stage
        dt = tick.dt
        resimulation = stage.resimulation
        resimulation.passes += 1
        self.tick = tick.number
        incoming = self._incoming
        stage.input_devices.dt = dt
        if incoming.inbox.events or incoming.own.events or stage.on[-1].scene._brings is not None:
            stage.latch(tick.number)
        else:
            for device in filter(is_pending, stage.devices):
                device.begin_tick()
        on = stage.on
        for begin in self._subsystems.begin_tick:
            begin(tick)
        first = stage.first("pauses_below") if len(on) > 1 else 0
        # A camera may belong to several scenes. In a paused scene nothing moves.
        cameras: dict[Camera, bool] = {}
        has_effects = False
        for index, (_, drawables, _) in enumerate(on):
            for camera in drawables.cameras:
                cameras[camera] = index >= first
            if drawables.effects is not None or drawables.views is not None:
                has_effects = True
        stage.busy = True
        try:
            for index, entry in enumerate(on):
                for drawable, _ in entry.drawables.driven:
                    drawable.begin_tick(dt if index >= first else 0.0)
            if has_effects:
                for values in _effect_values(on):
                    values.begin_tick()
            for camera in cameras:
                if camera_base.is_moving(camera):
                    camera_base.begin_tick(camera)
            ruled: Sequence[Entry] = on[first:] if first else on
            if stage.rules_elsewhere is not None:
                stage.rules_elsewhere(tick)
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
            for _, drawables, _ in on:
                for drawable, _ in drawables.driven:
                    drawable.end_tick()
                if drawables.effects is not None or drawables.views is not None:
                    has_effects = True  # added by the rules
            if has_effects:
                for values in _effect_values(on):
                    values.end_tick()
            for camera, live in cameras.items():
                if live and camera_base.is_moving(camera):
                    camera_base.end_tick(camera)
        finally:
            stage.busy = False
        for end in self._subsystems.end_tick:
            end(tick)
        if stage.switches:
            stage.make_switches()

    def run_tick_by_hand(self) -> None:
        """Run the next tick at once, without waiting for the clock. Draw nothing."""
        timestep = self.timestep
        resimulation = self._stage.resimulation
        number = self.tick + 1
        control = self._control
        if control is None:  # a timestep of the game's own
            dt = float(getattr(timestep, "dt", 1 / 60))
            tick = Tick(number, number * dt, dt, True)
        else:
            tick = control.run_on()
        if number > resimulation.reached or resimulation.at_earlier_tick:
            self.run_tick(tick)
            return
        resimulation.resimulating = True
        try:
            self.run_tick(tick)
        finally:
            resimulation.resimulating = False


class VirtualClock:
    """The clock of games off screen: its time changes only in `advance`, so that every run is the
    same. The clock counts attoseconds (1e-18 s), so that the durations of frames add up exactly.
    """

    def __init__(self) -> None:
        self.attoseconds = 0
        self._read = 0  # the attoseconds at the last call of `now`

    def advance(self, seconds: float | Fraction) -> None:
        """Advance the clock by ``seconds`` seconds."""
        numerator, denominator = seconds.as_integer_ratio()
        whole_attoseconds, remainder = divmod(numerator * _ATTO, denominator)
        self.attoseconds += whole_attoseconds + (2 * remainder >= denominator)

    def now(self, stamp: int) -> int:
        """Return the time in nanoseconds, rounded up. Without rounding up, sixty frames of 1/60 s
        would not run one tick each.
        """
        self._read = self.attoseconds
        return -(-self.attoseconds * NANOSECONDS // _ATTO)

    @property
    def rounding(self) -> int:
        """The attoseconds (1e-18 s) by which the last result of `now` was rounded up. Setting
        `rounding` does not change the last result of `now`.
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
    """The screen object for `Game.advance`, and for all frames of a game off screen. If the game
    has a window, the frames are displayed in the window.
    """

    def __init__(self, surface: GameSurface) -> None:
        self._surface = surface

    def hidden(self) -> bool:
        """Return True if there is no framebuffer to paint to."""
        surface = self._surface
        return not (surface.drawable and surface.drawing)

    def show(self, frame: Frame) -> None:
        """Flip the window, if the game has one."""
        if not self._surface.headless:
            self._surface.flip()
            frame.spans += ("wait", frame.worked, time.perf_counter_ns())

    def skip(self) -> None:
        """Do nothing, because an invisible frame needs no flip."""


class Drive:
    """Runs frames that a program requests, with `Game.advance`, or with `Game.run` off screen.

    ``shut`` is a function that closes the game. ``give_up`` is a function that closes the game
    while an exception propagates.
    """

    not_state = True

    def __init__(
        self,
        stage: Stage,
        loop: Loop,
        clock: VirtualClock,
        shut: Callable[[], None],
        give_up: Callable[[], None],
    ) -> None:
        self._stage = stage
        self._loop = loop
        self._clock = clock
        self._alone = (stage,)  # the running games, if no other game runs this one
        self._shut = shut
        self._give_up = give_up
        self._screen = ByHand(stage.surface)
        self.running = False
        """True while `Game.run`, `Game.advance` or another program runs the game."""
        self.closing = False
        """Whether the game closes as soon as ``running`` ends."""

    def advance(self, frame_time: float | Fraction) -> float:
        """Advance the game by ``frame_time`` seconds and draw a frame; see `Game.advance`."""
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
            # A comparison of fractions is slow, so it is made only after time was dropped.
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
                self._give_up()
            raise
        finally:
            self.running = False
            working.set(outer)
            if outer:
                current_game.draw_again()
        if self.closing:
            self._shut()
        return self._loop.timestep.alpha

    def step(self, frame_time: float | Fraction) -> None:
        """Run one frame that lies ``frame_time`` seconds after the last frame."""
        stage = self._stage
        loop = self._loop
        if not stage.surface.headless:
            stage.surface.window.dispatch_events()
        self._clock.advance(frame_time)
        loop.frame(self._clock, self._screen)
        loop.end_frame(time.perf_counter_ns())
        if stage.after_frame is not None:
            stage.settle()


def _effect_values(on: Sequence[Entry]) -> Iterator[Uniforms]:
    """Yield the uniform values of all effects of the scenes ``on`` and of their views."""
    for entry in on:
        drawables = entry.drawables
        if drawables.effects is not None or drawables.views is not None:
            yield from drawables.effect_values()
