"""A game: fixed ticks, a vsync'd frame that computes alpha, and what is drawn in it.

    pyglet's clock ──now──► Timestep.advance(now) ──► n ticks: latch, update(dt)
                                  └──────────── alpha ──► on_draw: batches, shaders
"""

from __future__ import annotations

import inspect
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import moderngl
import numpy as np
import pyglet
from numpy.typing import NDArray
from PIL import Image

from .camera import SCALINGS, View, fit
from .errors import AssetError, FrameworkError
from .events import Events, key_names
from .garbage import Collector
from .gpu import GpuTimer
from .graphics import FRAME_BINDING, Graphics, check_choice
from .input import Keys, Mouse
from .load import Load
from .monitor import Monitor
from .overlay import Overlay
from .pacing import Pacer
from .quality import Quality, check_render_scale
from .refresh import RefreshClock
from .scaled import ScaledPicture, scaled_size
from .scene import Camera, D, Scene
from .timestep import NANOSECONDS, FixedTimestep, Tick, Timestep, finite_number, positive_fraction, whole
from .window import Surface

_ATTO = 10**18

# A machine that draws only this many frames a second still runs at full speed; below, time is given up.
_SLOWEST_FRAME_RATE = 15

# Frames that a program without a display and without a limit draws before it ends.
DEMO_FRAMES = 300

# A run off screen of so many frames, or without an end, is worth the time that it takes to sort out the garbage first.
_LONG_RUN = 120

# Nanoseconds before the screen's refresh in which no garbage is collected any more: the picture must not be late.
_MARGIN = 2_000_000


class _GameType(type):
    """Runs ``setup`` once the whole chain of ``__init__`` is through, so that it may use what they set."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        Launch.started = True
        game: Any = cls.__new__(cls, *args, **kwargs)  # type: ignore[arg-type]
        try:
            game.__init__(*args, **kwargs)
            if game._surface is None:
                raise TypeError(f"{cls.__name__}.__init__ must call super().__init__(**options)")
            game._begin()
        except BaseException:
            game._give_up()
            raise
        return game


class Game(Scene, metaclass=_GameType):
    """Subclass it, override `setup`, `update` and if need be `draw`, and start it with `run`.

    Parameters
    ----------
    size
        Width and height of the window in units (logical pixels).
    title
        Of the window; default: the class's name.
    tick_rate
        Ticks a second.
    timestep
        A loop of your own choice, instead of a `FixedTimestep` of ``tick_rate``.
    seed
        Of `random`.
    headless
        True draws off screen, False in a window; None takes a window where there is a display. Off screen, frames
        follow a virtual clock, so that every run is the same.
    vsync, resizable, fullscreen
        As of the window.
    pacing
        Whether time follows the display's refreshes instead of the moments at which a busy CPU gets to read the
        clock: frames are then drawn for evenly spaced moments, as they are shown (see `refresh`). In a window whose
        flips wait for the screen; elsewhere, and off screen, it changes nothing.
    samples
        MSAA samples a pixel, 0 for none.
    resolution
        A virtual size: `size`, the cameras and the mouse then count in its units, whatever the window's size is.
    scaling
        How the resolution lies in the window: ``"letterbox"``, ``"integer"`` or ``"stretch"``.
    background
        Colour behind everything: red, green, blue in 0..1.
    frame_rate
        Frames a second off screen.
    pixel_ratio
        Framebuffer pixels in a unit off screen (a window asks the system).
    escape_closes
        Whether the Escape key ends the game when no ``on_key_press`` returned True for it.
    monitor
        Whether `monitor` times the frames from the start.
    pause_when_hidden
        Whether time stands still while the window is hidden or minimised. Nothing is drawn then in any case. What
        passed meanwhile is never made up for; a game that had paused itself is still paused when it is shown again.
    render_scale
        Of the pictures that cameras take of the world: 0.5 draws half as many pixels in each direction. See
        `Game.render_scale`.
    manage_gc
        Whether `run` keeps Python's garbage collector out of the frames (see `garbage`): after the first one what is
        alive is frozen, then garbage is collected while the loop waits. When `run` ends, all is as it was before.
        Off screen in runs without an end, or of at least 120 frames: between them.
    """

    _surface: Surface | None = None

    def __init__(
        self,
        *,
        size: tuple[int, int] = (1280, 720),
        title: str | None = None,
        tick_rate: float | Fraction = 60,
        timestep: Timestep | None = None,
        seed: int = 0,
        headless: bool | None = None,
        vsync: bool = True,
        pacing: bool = True,
        resizable: bool = True,
        fullscreen: bool = False,
        samples: int = 0,
        resolution: tuple[int, int] | None = None,
        scaling: str = "letterbox",
        background: Sequence[float] = (0.07, 0.08, 0.11),
        frame_rate: float | Fraction = 60,
        pixel_ratio: float = 1.0,
        escape_closes: bool = True,
        monitor: bool = True,
        pause_when_hidden: bool = False,
        render_scale: float = 1.0,
        manage_gc: bool = True,
    ) -> None:
        super().__init__()
        size = _size("size", size)
        self._resolution = None if resolution is None else _size("resolution", resolution)
        self._scaling = check_choice("scaling", scaling, SCALINGS)
        self.background = background
        self._frame_time = 1 / positive_fraction("frame_rate", frame_rate)
        self.timestep: Timestep = (
            _default_timestep(tick_rate, self._frame_time) if timestep is None else _fresh(timestep)
        )
        samples = whole("samples", samples, 0)
        pixel_ratio = float(positive_fraction("pixel_ratio", pixel_ratio))
        self._random = _generator(seed)
        self._escape_closes = escape_closes
        self._frames = 0
        self._tick = 0
        self._virtual = 0  # attoseconds of frame time so far
        self._scenes: list[Scene] = [self]
        self._switches: list[Callable[[], None]] = []
        self._deferring = False  # in a tick or while drawing: scenes are switched after it
        self._switching = False
        self._running = False
        self._exiting = False
        self._closing = False
        self._pacing = bool(pacing)
        self._relocated = False  # the window may be on another screen, or its screen in another mode
        self._shown = True
        self._drawn_once = False
        self._before_flip = 0, 0, 0
        self.pause_when_hidden = bool(pause_when_hidden)
        self._was_hidden = False
        self._render_scale = check_render_scale("render_scale", render_scale)
        self._scaled: ScaledPicture | None = None
        self._scaling_world = self._render_scale != 1  # or it may be: samples or the scale were set
        self._scaled_for: tuple[object, ...] = ()
        self._quality: Quality | None = None
        self._applied: object = None  # the quality's settings that are in force
        self._manages_gc = bool(manage_gc)
        self._collector = Collector()
        self._collector_task: Callable[[], object] | None = None  # after this frame
        self._flip_due = 0
        self._warned_slow = False
        self._frame_blocks: dict[Camera, moderngl.Buffer] = {}
        self._events = Events(self)
        self._surface = Surface(
            size,
            title=title or type(self).__name__,
            headless=headless,
            vsync=vsync,
            resizable=resizable,
            fullscreen=fullscreen,
            samples=samples,
            pixel_ratio=pixel_ratio,
        )
        self._samples = self._surface.samples
        self._load = Load(self._budget())
        self._monitor = Monitor(on=monitor)
        self._overlay: Overlay | None = None
        self._gpu_timer: GpuTimer | None = None
        self._gpu_took = 0  # nanoseconds, for the last picture that is known to be drawn
        self._keys = Keys(key_names())
        self._mouse = Mouse()
        self.view = self._fit()
        self._viewport = self.view.viewport  # that is drawn to now
        pixels_per_unit = max(self.view.pixels_per_unit)
        self.graphics = Graphics(self._surface.ctx, _folders(type(self)), pixels_per_unit)
        self._surface.window.push_handlers(self._events)
        self._surface.window.close = self.close  # pyglet's own would leave us without a GL context
        self.timestep.advance(0)

    # -- what there is to know -----------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game itself, as for any scene."""
        return self

    @property
    def background(self) -> tuple[float, float, float]:
        """Colour behind everything: red, green, blue in 0..1."""
        return self._background

    @background.setter
    def background(self, value: Sequence[float]) -> None:
        self._background = _color(value)

    @property
    def tick(self) -> int:
        """The number of the tick that is running, or of the last one; 0 before the first."""
        return self._tick

    @property
    def frames(self) -> int:
        """Frames drawn so far."""
        return self._frames

    @property
    def headless(self) -> bool:
        return self._live.headless

    @property
    def window(self) -> Any:
        """pyglet's window."""
        return self._live.window

    @property
    def ctx(self) -> moderngl.Context:
        """The moderngl context, for drawing of your own."""
        return self._live.ctx

    @property
    def scene(self) -> Scene:
        """The scene on top; the game itself when there is no other."""
        return self._scenes[-1] if self._scenes else self

    @property
    def fullscreen(self) -> bool:
        return bool(self._live.window.fullscreen)

    @fullscreen.setter
    def fullscreen(self, value: bool) -> None:
        if not self.headless:
            self._live.window.set_fullscreen(value)

    @property
    def pacing(self) -> bool:
        """Whether time follows the display's refreshes, where flips wait for them. Set it at any time."""
        return self._pacing

    @pacing.setter
    def pacing(self, value: bool) -> None:
        self._pacing = bool(value)

    @property
    def monitor(self) -> Monitor:
        """What the last frames took. Off screen too: frames follow a virtual clock there, their times are real."""
        return self._monitor

    @property
    def overlay(self) -> bool:
        """Whether the monitor's numbers are drawn over the picture; F3 shows and hides them."""
        return self._overlay is not None

    @overlay.setter
    def overlay(self, value: bool) -> None:
        surface, shown = self._live, self._overlay
        surface.make_current()
        if value and shown is None:
            self._monitor.on = True
            overlay = Overlay(self._monitor, self.timestep)
            overlay.attach(surface.ctx, max(1, round(surface.pixel_ratio)))
            self._overlay = overlay
        elif not value and shown is not None:
            self._overlay = None
            shown.release()

    @property
    def running_slowly(self) -> bool:
        """Whether a frame's work takes longer than there is time for it, on average of the last 60 frames.

        There is time for it until the display's next refresh; off screen, for 1 / frame_rate seconds. True from 100 %
        of that on, until it is below 85 %. Waits for the screen are no work, and neither is what happens while the
        window is hidden. When it lasts, a game in a window warns once and says why.
        """
        return self._load.running_slowly

    @property
    def quality(self) -> Quality | None:
        """The governor of the game's quality, None for none. In a window it is told the work of each frame, or the
        GPU's time for the picture where that is more (and `monitor` is on, and the driver tells it).

        The settings ``render_scale`` and ``samples`` of its level are set on the game.
        """
        return self._quality

    @quality.setter
    def quality(self, value: Quality | None) -> None:
        if value is not None and not isinstance(value, Quality):
            raise TypeError(f"quality: expected a Quality or None, got {value!r}")
        self._quality, self._applied = value, None
        self._apply_quality()

    @property
    def render_scale(self) -> float:
        """The resolution of the world's picture, above 0 and up to 2, of the window's.

        Unless it is 1, what cameras see is drawn off screen and brought to the window's size with a linear filter:
        in each frame up to the first drawable that was added with a scene's `hud`. That and all after it, and the
        panel of F3, are drawn at full resolution.
        """
        return self._render_scale

    @render_scale.setter
    def render_scale(self, value: float) -> None:
        self._render_scale = check_render_scale("render_scale", value)
        self._scaling_world = True

    @property
    def samples(self) -> int:
        """MSAA samples a pixel of the world's picture, 0 for none, at most as many as the driver has.

        When it is not what the window was made with, the world is drawn off screen, as with `render_scale`.
        """
        return self._samples

    @samples.setter
    def samples(self, value: int) -> None:
        self._samples = min(whole("samples", value, 0), self._live.ctx.max_samples)
        self._scaling_world = True

    @property
    def _live(self) -> Surface:
        if self._surface is None:
            raise FrameworkError("This game was closed; make a new one.")
        return self._surface

    # -- scenes --------------------------------------------------------------------------------------------------

    def add(self, drawable: D, *, camera: Camera | None = None) -> D:
        self._live  # noqa: B018  (an error if it was closed)
        return super().add(drawable, camera=camera)

    add.__doc__ = Scene.add.__doc__

    def push(self, scene: Scene) -> None:
        """Put a scene on top. Within a tick or `draw`, it is put on when that ends."""
        _check_scene(scene)
        self._switch(lambda: self._push(scene))

    def pop(self) -> None:
        """Take the top scene off. Within a tick or `draw`, it is taken off when that ends."""
        self._switch(self._pop)

    def show(self, scene: Scene) -> None:
        """Put a scene on in place of all others but the game. Within a tick or `draw`, when that ends."""
        _check_scene(scene)
        self._switch(lambda: self._show(scene))

    def _switch(self, change: Callable[[], None]) -> None:
        self._live.make_current()
        self._switches.append(change)
        if not self._deferring:
            self._make_switches()
            # The press whose event brought the scene is not one for the scene itself: it would end a pause at once.
            self._keys.forget()
            self._mouse.forget()

    def _make_switches(self) -> None:
        if self._switching:  # asked for by a hook of a scene that is being switched: it comes next
            return
        self._switching = True
        try:
            while self._switches:
                self._switches.pop(0)()
        finally:
            self._switching = False
            self._switches.clear()

    def _push(self, scene: Scene) -> None:
        self._set_up(scene)
        self.scene.leave()
        self._scenes.append(scene)
        scene.enter()

    def _pop(self) -> None:
        if len(self._scenes) == 1:
            raise ValueError("pop: no scene is on but the game itself")
        self._take_off()
        self.scene.enter()

    def _show(self, scene: Scene) -> None:
        self._set_up(scene)
        self.scene.leave()
        while len(self._scenes) > 1:
            self._stop_scene(self._scenes.pop())
        self._scenes.append(scene)
        scene.enter()
        self._collector_task = self._collector_task or self._collector.renew  # another level: little of the old is left

    def _set_up(self, scene: Scene) -> None:
        if scene._open:
            raise ValueError(f"scene: {type(scene).__name__} is on already")
        try:
            scene._start(self)
        except BaseException:
            with suppress(Exception):
                self._stop_scene(scene)
            raise

    def _take_off(self) -> None:
        self.scene.leave()
        self._stop_scene(self._scenes.pop())

    def _stop_scene(self, scene: Scene) -> None:
        for camera in scene._cameras:
            if camera in self._frame_blocks:
                self._frame_blocks.pop(camera).release()
        scene._stop()

    # -- the loop ------------------------------------------------------------------------------------------------

    def run(self, frames: int | None = None) -> None:
        """Run until the window is closed, `exit` is called, or ``frames`` frames are over.

        Off screen, frame k is drawn for the virtual time k / frame_rate, as fast as it goes. The game stays open (for
        `pixels`, say) until `close`; but an exception in it closes it and is raised here.
        """
        frames = None if frames is None else whole("frames", frames, 0)
        self._live  # noqa: B018  (an error if it was closed)
        if self._running:
            raise FrameworkError("run: this game is running already")
        last = None if frames is None else self._frames + frames
        self._running = True
        if self._manages_gc and (not self.headless or frames is None or frames >= _LONG_RUN):
            self._collector_task = self._collector.begin
        try:
            if self.headless:
                while not self._exiting and self._frames != last:
                    self._step(self._frame_time)
                    self._collector.use(NANOSECONDS)  # nobody waits for a frame here
            elif frames != 0 and not self._exiting:
                _WindowLoop(self, last).run()
        except BaseException:
            self._running = False
            self._give_up()
            raise
        finally:
            self._collector_task = None
            self._collector.end()
        self._running = self._exiting = False
        if self._closing:
            self._shut()

    def exit(self) -> None:
        """End `run` after this frame; the next `run`, when none is on."""
        self._exiting = True

    def advance(self, frame_time: float | Fraction) -> float:
        """Drive the game by hand: let ``frame_time`` seconds pass, run the ticks due, draw. Returns alpha.

        The loop's limits hold as in `run`: of a hitch longer than its ``max_frame_time`` the rest is dropped.
        """
        self._live  # noqa: B018
        if self._running or self._deferring:
            raise FrameworkError("advance: this game is running already")
        self._step(_seconds("frame_time", frame_time))
        if self._closing:
            self._shut()
        return self.timestep.alpha

    def _step(self, frame_time: Fraction) -> None:
        surface, monitor = self._live, self._monitor
        start = time.perf_counter_ns()
        monitor.begin_frame(start)
        surface.make_current()
        if not surface.headless:
            surface.window.dispatch_events()
        # Summed exactly and rounded up: sixty frames of a sixtieth make sixty ticks, one in each.
        self._virtual += round(frame_time * _ATTO)
        self._run_ticks(-(-self._virtual * NANOSECONDS // _ATTO))
        if surface.drawable:
            self._draw_frame()
            drawn = time.perf_counter_ns()
            if not surface.headless:
                surface.flip()
                monitor.span("wait", drawn, time.perf_counter_ns())
            self._load.frame(drawn - start)
        else:
            self._frames += 1
            self._load.skipped()
        monitor.end_frame(time.perf_counter_ns())
        if self._collector_task is not None:
            self._do_collector_task()

    def _on_draw(self) -> None:
        self._draw_frame()
        self._collector.relieve()
        worked = time.perf_counter_ns()
        if self._flip_due:
            self._collector.use(self._flip_due - _MARGIN - worked, self._live.start_drawing)
        self._before_flip = worked, time.perf_counter_ns(), time.process_time_ns()

    def _budget(self) -> int:
        """Nanoseconds that a frame has."""
        surface = self._live
        return round(NANOSECONDS * (self._frame_time if surface.headless else 1 / surface.refresh_rate))

    def _shown_after(self, work: int) -> None:
        """A frame was shown in the window, after ``work`` nanoseconds of work."""
        load = self._load
        load.frame(work)
        if load.lasting and not self._warned_slow:
            self._warned_slow = True
            warnings.warn(load.explain(), RuntimeWarning, stacklevel=2)
        if self._quality is not None:
            self._quality.add(max(work, self._gpu_took), load.budget)

    def _do_collector_task(self) -> None:
        task, self._collector_task = self._collector_task, None
        assert task is not None
        task()

    @property
    def _hidden(self) -> bool:
        # pyglet says `on_hide` of a minimised window, and nothing of one that the game itself hides.
        surface = self._live
        return not (self._shown and surface.drawable and (surface.headless or surface.window.visible))

    def _due_ticks(self, now: int) -> Sequence[Tick]:
        """What the loop says is due; time that is spent hidden may be as if paused."""
        timestep = self.timestep
        if not self.pause_when_hidden:
            return timestep.advance(now)
        hidden, before = self._hidden, self._was_hidden
        self._was_hidden = hidden
        if timestep.paused or not (hidden or before):
            return timestep.advance(now)
        timestep.paused = True
        try:
            return timestep.advance(now)
        finally:
            timestep.paused = False

    def _run_ticks(self, now: int) -> None:
        timestep = self.timestep
        paused = timestep.paused
        ticks = self._due_ticks(now)
        for done, tick in enumerate(ticks, 1):
            start = time.perf_counter_ns()
            self._run_tick(tick)
            end = time.perf_counter_ns()
            self._monitor.ticked(start, end)
            self._load.ticked(end - start)
            if timestep.paused and not paused:
                # Paused by this tick: the rest of the frame's are not run, at any frame rate.
                if done < len(ticks):
                    timestep.give_back(len(ticks) - done)
                break

    def _run_tick(self, tick: Tick) -> None:
        self._tick = tick.number
        self._keys.begin_tick()
        self._mouse.begin_tick()
        scenes = self._scenes
        first = _first(scenes, "pauses_below")
        # A camera may serve several scenes; in one that is paused, nothing moves.
        cameras = {camera: index >= first for index, scene in enumerate(scenes) for camera in scene._cameras}
        self._deferring = True
        try:
            for index, scene in enumerate(scenes):
                scene._begin_tick(tick.dt if index >= first else 0.0)
            for camera in cameras:
                camera.begin_tick()
            for scene in scenes[first:]:
                scene._update(tick.dt)
            for scene in scenes:
                scene._end_tick()
            for camera, live in cameras.items():
                if live:
                    camera.end_tick()
        finally:
            self._deferring = False
        if self._switches:
            self._make_switches()

    # -- frames --------------------------------------------------------------------------------------------------

    def _draw_frame(self) -> None:
        timestep, monitor, start = self.timestep, self._monitor, time.perf_counter_ns()
        timer = self._timer_of_gpu() if monitor.on else None
        if timer is not None:
            timer.begin(monitor.number)
        self._paint(self._live, off_screen=False)
        if timer is not None:
            timer.end()
            for number, duration in timer.finished():
                monitor.gpu_took(number, duration)
                self._gpu_took = duration
        end = time.perf_counter_ns()
        monitor.drawn(start, end, timestep.alpha, timestep.dropped_time)
        self._load.drawn(end - start)
        self._frames += 1

    def _timer_of_gpu(self) -> GpuTimer:
        if self._gpu_timer is None:
            self._gpu_timer = GpuTimer()
        return self._gpu_timer

    def _paint(self, surface: Surface, off_screen: bool) -> None:
        timestep = self.timestep
        alpha, paused = timestep.alpha, timestep.paused
        if self._quality is not None:
            self._apply_quality()
        scaled = self._scaled_picture() if self._scaling_world else None
        self.graphics.moment.alpha = alpha
        target = surface.use(off_screen)
        target.clear(*self._background, 1.0)
        target.viewport = self._viewport = self.view.viewport
        if scaled is not None:
            self._viewport = (0, 0, *scaled.size)
            scaled.begin(self._background)
        simulated = max(0.0, timestep.time - (1 - alpha) / max(timestep.tick, 1) * timestep.time)
        blocks: set[Camera] = set()
        bound: Camera | None = None
        self._deferring = True
        try:
            for scene in self._scenes[_first(self._scenes, "hides_below") :]:
                for drawable, camera in tuple(scene._drawn):
                    if scaled is not None and camera is scene._hud:
                        self._show_scaled(scaled, target, blocks)
                        scaled = bound = None
                    if camera is not bound:
                        self._bind(camera, alpha, simulated, blocks)
                        bound = camera
                    if paused:
                        notice_writes = getattr(drawable, "notice_writes", None)
                        if notice_writes is not None:
                            notice_writes()
                    drawable.draw()
                scene.draw(alpha)
            if scaled is not None:
                self._show_scaled(scaled, target, blocks)
            if self._overlay is not None:
                self._draw_overlay(self._overlay, target, surface.framebuffer_size)
        finally:
            self._deferring = False
        self._drawn_once = True
        if self._switches:
            self._make_switches()

    def _draw_overlay(self, overlay: Overlay, target: moderngl.Framebuffer, size: tuple[int, int]) -> None:
        scissor = target.scissor
        target.scissor = None  # type: ignore[assignment]  # the whole picture
        target.viewport = (0, 0, *size)
        target.use()
        overlay.draw(time.perf_counter_ns(), size)
        target.viewport = self.view.viewport
        if scissor != (0, 0, *size):
            target.scissor = scissor

    def _bind(self, camera: Camera, alpha: float, simulated: float, written: set[Camera]) -> None:
        block = self._frame_blocks.get(camera)
        if block is None:
            block = self._live.ctx.buffer(camera.pack_frame(alpha, simulated, self._viewport), dynamic=True)
            self._frame_blocks[camera] = block
        elif camera not in written:
            block.write(camera.pack_frame(alpha, simulated, self._viewport))
        written.add(camera)
        block.bind_to_uniform_block(FRAME_BINDING)

    def _scaled_picture(self) -> ScaledPicture | None:
        """Where the world is drawn to, when that is not the window's own picture."""
        surface = self._live
        plain = self._render_scale == 1 and self._samples == surface.samples
        wanted = () if plain else (self.view.viewport[2:], self._render_scale, self._samples)
        if wanted != self._scaled_for:
            if self._scaled is not None:
                self._scaled.release()
                self._scaled = None
            if wanted:
                info = surface.ctx.info
                limit = min(info["GL_MAX_TEXTURE_SIZE"], info["GL_MAX_RENDERBUFFER_SIZE"])
                size = scaled_size(self.view.viewport[2:], self._render_scale, limit)
                self._scaled = ScaledPicture(surface.ctx, size, self._samples)
            self._scaled_for = wanted
        self._scaling_world = not plain
        return self._scaled

    def _show_scaled(self, scaled: ScaledPicture, target: moderngl.Framebuffer, written: set[Camera]) -> None:
        """The world is drawn: bring it to the window; what follows is drawn there, with other pixels."""
        target.viewport = self._viewport = self.view.viewport
        scaled.show(target)
        written.clear()

    def _apply_quality(self) -> None:
        settings = None if self._quality is None else self._quality.settings
        if settings is not None and settings is not self._applied:
            self.render_scale = settings.get("render_scale", self._render_scale)
            self.samples = settings.get("samples", self._samples)
        self._applied = settings

    def pixels(self) -> NDArray[np.uint8]:
        """The picture as it was last drawn: uint8 (height, width, 4), row 0 at the top, in framebuffer pixels."""
        surface = self._live
        if self._deferring:
            raise FrameworkError("pixels: the picture is not finished; ask for it between two frames")
        surface.make_current()
        if not surface.drawable:
            return np.zeros((surface.framebuffer_size[1], surface.framebuffer_size[0], 4), np.uint8)
        if not (surface.headless and self._drawn_once):
            self._paint(surface, off_screen=True)
        return surface.read()

    def screenshot(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an image file; its ending says which kind. Raises `AssetError` when that fails."""
        where = os.fspath(path)
        pixels = self.pixels()
        if not pixels.size:
            raise AssetError(f"The screenshot {where!r} is not written: the window has no size just now")
        picture = Image.fromarray(pixels)
        if Path(where).suffix.lower() in (".jpg", ".jpeg"):
            picture = picture.convert("RGB")
        try:
            picture.save(where)
        except (OSError, ValueError) as error:
            raise AssetError(f"The screenshot cannot be written to {where!r}: {error}") from error

    @contextmanager
    def pyglet_drawing(self) -> Iterator[None]:
        """Within it pyglet's own drawing (labels, shapes, batches) works, in the units of the picture.

            def draw(self, alpha):
                with self.pyglet_drawing():
                    self.label.draw()
        """
        from pyglet.math import Mat4

        surface, window = self._live, self._live.window
        width, height = self.view.size
        window.ubo.bind()
        window.projection = Mat4.orthogonal_projection(0, width, 0, height, -8192, 8192)
        window.view = Mat4()
        surface.ctx.enable_only(moderngl.BLEND)
        try:
            yield
        finally:
            target = surface.ctx.fbo
            target.viewport = self._viewport
            target.use()
            surface.ctx.enable_only(moderngl.BLEND)

    def _fit(self) -> View:
        surface = self._live
        if not surface.drawable:
            return self.view
        if self._resolution is not None:
            return fit(self._resolution, surface.framebuffer_size, self._scaling)
        width, height = surface.size
        return View((width, height), (0, 0, *surface.framebuffer_size))

    def _resized(self, width: int, height: int) -> None:
        self._live.resized(width, height)
        self.view = self._fit()
        self._viewport = self.view.viewport
        for scene in self._scenes:
            scene._look()

    def _to_units(self, x: float, y: float) -> tuple[float, float]:
        """A place in the window, in the units of the picture."""
        left, bottom, _, _ = self.view.viewport
        ratio = self._live.pixel_ratio
        kx, ky = self.view.pixels_per_unit
        return (x * ratio - left) / kx, (y * ratio - bottom) / ky

    def _dispatch(self, name: str, *args: Any) -> bool:
        for scene in [self.scene] if self.scene is self else [self.scene, self]:
            handler = getattr(scene, name, None)
            if handler is not None and handler(*args):
                return True
        return False

    # -- beginning and end ---------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._start(self)
        self.enter()

    def close(self) -> None:
        """Release everything and close the window; within a frame or `run`, when that ends. Twice does nothing more."""
        if self._running or self._deferring:
            self._closing = self._exiting = True
        else:
            self._shut()

    def _give_up(self) -> None:
        """Release what can be released: an exception is on its way, and another must not take its place."""
        with suppress(Exception):
            self._shut()

    def _shut(self) -> None:
        surface, self._surface = self._surface, None
        if surface is None:
            return
        with ExitStack() as stack:  # one that fails does not keep the others from being released
            stack.callback(surface.close)
            stack.callback(self._monitor.close)
            if self._gpu_timer is not None:
                stack.callback(self._gpu_timer.release)
                self._gpu_timer = None
            if self._overlay is not None:
                stack.callback(self._overlay.release)
                self._overlay = None
            if self._scaled is not None:
                stack.callback(self._scaled.release)
                self._scaled = None
            for block in self._frame_blocks.values():
                stack.callback(block.release)
            for scene in self._scenes:
                stack.callback(scene._stop)
            self._frame_blocks = {}
            self._scenes = []
            self._switches = []
            surface.window.remove_handlers(self._events)
            del self._events  # it refers to the game, which would wait for the garbage collector
            vars(surface.window).pop("close", None)
            surface.make_current()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shut()


class _WindowLoop:
    """`Game.run` in a window: one function that pyglet's clock calls in every turn of its loop."""

    def __init__(self, game: Game, last: int | None) -> None:
        self._game = game
        self._last = last  # the number of frames to end after
        self._surface = surface = game._live
        self._screen, self._rate = surface.screen(), surface.refresh_rate
        self._pacer, self._refreshes = Pacer(self._rate), RefreshClock(self._rate)
        game._load.budget = game._budget()
        self._origin = time.perf_counter_ns() - game._virtual * NANOSECONDS // _ATTO

    def run(self) -> None:
        """Run until the game or pyglet ends it."""
        pyglet.clock.schedule(self._turn)
        try:
            pyglet.app.run(None)
        finally:
            pyglet.clock.unschedule(self._turn)
            self._game._monitor.end_frame(time.perf_counter_ns())
            if pyglet.app.event_loop.is_running:  # an exception came through it
                pyglet.app.event_loop.is_running = False
                pyglet.app.platform_event_loop.stop()

    def _turn(self, dt: float) -> None:
        """The ticks that are due, then a frame, then the wait for the next."""
        game, start = self._game, time.perf_counter_ns()
        game._monitor.begin_frame(start)
        self._surface.make_current()
        if game._relocated:
            self._look_at_screen()
        now = self._moment(start - self._origin)
        game._virtual = now * (_ATTO // NANOSECONDS)
        game._run_ticks(now)
        if game._hidden:
            game._frames += 1
            game._load.skipped()
            self._pacer.skipped()
        else:
            self._show(start, dt)
        if game._exiting or game._frames == self._last:
            pyglet.app.exit()
        else:
            self._wait()

    def _moment(self, stamp: int) -> int:
        """The moment that a frame is computed for which begins at ``stamp``."""
        if self._game._pacing and self._pacer.vsync_waits:
            return self._refreshes.shown(stamp)
        return self._refreshes.passed(stamp)

    def _show(self, start: int, dt: float) -> None:
        game, pacer = self._game, self._pacer
        game._flip_due = start + game._load.budget if pacer.vsync_waits else 0
        self._surface.window.draw(dt)  # on_draw, then the flip
        worked, wall, cpu = game._before_flip
        flipped = time.perf_counter_ns()
        game._monitor.span("wait", worked, flipped)
        pacer.flipped(flipped - wall, time.process_time_ns() - cpu)
        game._shown_after(worked - start)
        if game._collector_task is not None:  # as a part of loading: no game time passes
            game._do_collector_task()
            self._origin += time.perf_counter_ns() - flipped

    def _wait(self) -> None:
        """Where flips do not wait for the screen."""
        before = time.perf_counter_ns()
        delay = self._pacer.delay(before)
        if delay:
            self._game._collector.use(delay - _MARGIN)
            time.sleep(max(0, before + delay - time.perf_counter_ns()) / NANOSECONDS)
            self._game._monitor.span("wait", before, time.perf_counter_ns())

    def _look_at_screen(self) -> None:
        """After the window moved or changed its size: another screen has other refreshes."""
        game, surface = self._game, self._surface
        game._relocated = False
        before = self._screen, self._rate
        self._screen = surface.screen()
        if self._screen is not before[0] or surface.window.fullscreen:  # its mode is not asked for while it is dragged
            self._rate = surface.refresh_rate
        if (self._screen, self._rate) != before:
            self._pacer.rate = self._rate
            self._refreshes.restart(self._rate)
            game._load.budget = game._budget()


def _first(scenes: Sequence[Scene], attribute: str) -> int:
    """The index of the highest scene that pauses or hides what is below it; 0 when none does."""
    for index in range(len(scenes) - 1, 0, -1):
        if getattr(scenes[index], attribute):
            return index
    return 0


def _default_timestep(tick_rate: float | Fraction, frame_time: Fraction) -> FixedTimestep:
    rate = positive_fraction("tick_rate", tick_rate)
    longest = max(Fraction(1, _SLOWEST_FRAME_RATE), frame_time)
    return FixedTimestep(tick_rate, max(0.25, 2 * float(frame_time)), max(8, math.ceil(rate * longest)))


def _fresh(timestep: Timestep) -> Timestep:
    names = ("alpha", "tick", "time", "dropped_time", "time_scale", "paused", "advance", "step", "give_back")
    missing = [name for name in names if not hasattr(timestep, name)]
    if isinstance(timestep, type) or missing:
        lacks = f" has no {', '.join(missing)}" if missing else " is a class: make one"
        raise TypeError(f"timestep: expected a FixedTimestep or the like; {timestep!r}{lacks}")
    if timestep.tick:
        raise ValueError(f"timestep: it has run for {timestep.tick} ticks already; each game needs one of its own")
    return timestep


def _generator(seed: int) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed: expected a whole number of at least 0, got {seed!r}") from None


def _check_scene(scene: Scene) -> None:
    if isinstance(scene, type):
        raise TypeError(f"scene: expected a Scene, got the class {scene.__name__}: make one, {scene.__name__}()")
    if not isinstance(scene, Scene):
        raise TypeError(f"scene: expected a Scene, got {scene!r}")


def _seconds(name: str, value: float | Fraction) -> Fraction:
    number = finite_number(name, value)
    if number < 0:
        raise ValueError(f"{name}: expected seconds, a number of at least 0, got {value!r}")
    return Fraction(number)


def _size(name: str, value: tuple[int, int]) -> tuple[int, int]:
    try:
        width, height = value
        if int(width) == width and int(height) == height and min(width, height) > 0:
            return int(width), int(height)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"{name}: expected two whole numbers above 0, got {value!r}")


def _color(value: Sequence[float]) -> tuple[float, float, float]:
    try:
        red, green, blue = (float(part) for part in value[:3])
    except (TypeError, ValueError):
        raise ValueError(f"background: expected red, green and blue in 0..1, got {value!r}") from None
    if not all(map(math.isfinite, (red, green, blue))):
        raise ValueError(f"background: expected red, green and blue in 0..1, got {value!r}")
    return red, green, blue


def _folders(game_class: type) -> tuple[Path, ...]:
    """The folders of the files that define the game, its own class first; the working directory is searched after."""
    found: list[Path] = []
    for cls in game_class.__mro__:
        if cls is Game:
            break
        try:
            folder = Path(inspect.getfile(cls)).resolve().parent
        except (TypeError, OSError):  # made in an interactive session
            continue
        if folder not in found:
            found.append(folder)
    return tuple(found)


class Launch:
    """What the command line asks of the next `run`."""

    headless: bool | None = None
    frames: int | None = None
    screenshot: str | None = None
    name: str | None = None
    """Of the picture that a game off screen leaves behind; default: the class's name."""
    started = False
    """Whether a game was made since."""


def run(
    game_class: type[Game],
    *,
    frames: int | None = None,
    screenshot: str | os.PathLike[str] | None = None,
    **options: Any,
) -> None:
    """Make a game, run it, and close it. ``options`` are those of `Game`.

    ``frames`` ends it after so many; ``screenshot`` then writes the last picture. `framework run` can set both. Off
    screen a game without ``frames`` ends after 300, and leaves its last picture in the working directory; one that
    was started by `framework run` leaves it in any case.
    """
    if Launch.headless is not None:
        options["headless"] = Launch.headless
    frames = Launch.frames if frames is None or Launch.frames is not None else frames
    screenshot = Launch.screenshot or screenshot
    try:
        with game_class(**options) as game:
            if game.headless and (frames is None or Launch.frames is not None):
                frames = DEMO_FRAMES if frames is None else frames
                screenshot = screenshot or f"{Launch.name or game_class.__name__.lower()}.png"
                print(f"{game_class.__name__}: {frames} frames are drawn off screen")
            game.run(frames)
            if screenshot is not None:
                game.screenshot(screenshot)
                print(f"{game_class.__name__}: the picture after {game.frames} frames is in {os.fspath(screenshot)}")
    except KeyboardInterrupt:
        print(f"{game_class.__name__}: interrupted", file=sys.stderr)
        raise SystemExit(130) from None
