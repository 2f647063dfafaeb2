"""Run the frames of a game in a window, in pyglet's event loop.

pyglet's event loop calls the `WindowLoop` once per frame. Each call runs one frame, and then waits
until the next frame is due.
"""

from __future__ import annotations

import time

import pyglet

from ..timing.frame_pacing import Pacer
from ..timing.refresh_clock import RefreshClock
from ..timing.timestep import NANOSECONDS
from ..watch.frame_stats import FrameTimes
from ..watch.workload import Workload
from .loop import Loop, VirtualClock
from .painter import Painter
from .stage import Stage

# No garbage is collected in this time before the screen's refresh, in nanoseconds, so that the
# frame is not late.
_MARGIN = 2_000_000


class WindowLoop:
    """Runs the frames of a game with a window. The `WindowLoop` is the clock and the screen of the
    `Loop`.
    """

    def __init__(
        self, stage: Stage, loop: Loop, painter: Painter, load: Workload, virtual: VirtualClock
    ) -> None:
        self._stage = stage
        self._loop = loop
        self._painter = painter
        self._load = load
        self._virtual = virtual
        surface = stage.surface
        self._surface = surface
        self._screen = surface.screen()
        self._rate = surface.refresh_rate
        self._settings = surface.settings
        self._pacer = Pacer(self._rate, self._settings.vsync, self._settings.max_fps)
        self._refreshes = RefreshClock(self._rate)
        self._set_budget()
        self._origin = time.perf_counter_ns() - virtual.now(0)
        self._last: int | None = None
        # How long software rendering took in the last flip, in nanoseconds.
        self._drawn_late = 0

    def run(self, last: int | None) -> None:
        """Run frames until the game or pyglet ends the loop, or until the frame number ``last``."""
        self._last = last
        pyglet.clock.schedule(self._turn)
        try:
            pyglet.app.run(None)
        finally:
            pyglet.clock.unschedule(self._turn)
            self._loop.end_frame(time.perf_counter_ns())
            if pyglet.app.event_loop.is_running:  # still True if an exception ended the loop
                pyglet.app.event_loop.is_running = False
                pyglet.app.platform_event_loop.stop()

    def _turn(self, dt: float) -> None:
        """Run one frame, and then wait until the next frame is due. If the frame raises an error
        that the window cannot show, end the loop.
        """
        try:
            self._one_frame()
        except Exception as error:
            shows = self._stage.shows_error
            if shows is None or not shows(error):
                raise

    def _one_frame(self) -> None:
        if self._surface.moved:
            self._look_at_screen()
        frame = self._loop.frame(self, self)
        if frame.worked:
            self._judge(frame)
        if self._stage.after_frame is not None:
            self._origin += self._stage.settle()
        if self._stage.exiting or self._loop.frames == self._last:
            pyglet.app.exit()
        else:
            self._wait()

    def _set_budget(self) -> None:
        """Set the budget of one frame to the time between two frames."""
        max_fps = self._settings.max_fps
        rate = self._rate if max_fps is None else min(self._rate, max_fps)
        self._load.budget = round(NANOSECONDS / rate)

    def _judge(self, frame: FrameTimes) -> None:
        """Issue a warning if frames take too long, and change the quality level."""
        load = self._load
        quality = self._painter.world.quality
        load.catch_up()
        load.warn()
        if quality is not None:
            work = frame.worked - frame.start + self._drawn_late
            quality.add(max(work, self._painter.gpu_took), load.budget)

    # -- the clock ---------------------------------------------------------------------------------

    def now(self, stamp: int) -> int:
        """Return the game time of a frame, in nanoseconds. ``stamp`` is the time of the computer's
        clock at the start of the frame.
        """
        stamp -= self._origin
        follows = self._loop.pacing and self._pacer.vsync_waits
        now = self._refreshes.shown(stamp) if follows else self._refreshes.passed(stamp)
        self._virtual.set(now)
        return now

    # -- the screen --------------------------------------------------------------------------------

    def hidden(self) -> bool:
        """Return whether the window is hidden or minimized."""
        return bool(self._surface.hidden())

    def skip(self) -> None:
        """The loop calls this method instead of `show` if the window is hidden."""
        self._pacer.skipped()

    def show(self, frame: FrameTimes) -> None:
        """Show the painted frame in the window. If the window waits for the display (vsync), first
        run the garbage collector in the remaining time.
        """
        collector = self._stage.collector
        pacer = self._pacer
        window = self._surface.window
        collector.relieve()
        frame.worked = time.perf_counter_ns()
        if pacer.vsync_waits:
            slack = frame.start + self._load.budget - _MARGIN - frame.worked
            collector.use(slack, self._surface.start_drawing)
        wall = time.perf_counter_ns()
        cpu = time.process_time_ns()
        window.flip()
        flipped = time.perf_counter_ns()
        frame.spans += ("wait", frame.worked, flipped)
        self._drawn_late = pacer.flipped(flipped - wall, time.process_time_ns() - cpu)

    def _wait(self) -> None:
        """Wait until the next frame is due, unless the window itself waits for the display
        (vsync).
        """
        settings = self._settings
        pacer = self._pacer
        if settings.max_fps != pacer.max_fps:
            pacer.max_fps = settings.max_fps
            self._set_budget()
        pacer.vsync = settings.vsync
        before = time.perf_counter_ns()
        delay = pacer.delay(before)
        if delay:
            self._stage.collector.use(delay - _MARGIN)
            time.sleep(max(0, before + delay - time.perf_counter_ns()) / NANOSECONDS)
            self._stage.frame_stats.recorder.span("wait", before, time.perf_counter_ns())

    def _look_at_screen(self) -> None:
        """Read the refresh rate of the screen again. Called after the window has been moved or
        resized, because it may now be on another screen (monitor).
        """
        surface = self._surface
        surface.moved = False
        before = self._screen, self._rate
        self._screen = surface.screen()
        # Do not query the mode while the player drags the window.
        if self._screen is not before[0] or surface.window.fullscreen:
            self._rate = surface.refresh_rate
        if (self._screen, self._rate) != before:
            self._pacer.rate = self._rate
            self._refreshes.restart(self._rate)
            self._set_budget()
