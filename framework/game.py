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
from .graphics import FRAME_BINDING, Graphics, check_choice
from .input import Keys, Mouse
from .monitor import Monitor
from .overlay import Overlay
from .pacing import Pacer
from .refresh import RefreshClock
from .scene import Camera, D, Scene
from .timestep import NANOSECONDS, FixedTimestep, Tick, Timestep, finite_number, positive_fraction, whole
from .window import Surface

_ATTO = 10**18

# A machine that draws only this many frames a second still runs at full speed; below, time is given up.
_SLOWEST_FRAME_RATE = 15

# Frames that a program without a display and without a limit draws before it ends.
DEMO_FRAMES = 300

# pyglet's window events that are only passed on to the methods of scenes and games.
_PASSED_ON = ("on_text", "on_text_motion", "on_text_motion_select", "on_activate", "on_file_drop", "on_move")


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
        self._pacing = bool(pacing) and bool(vsync)
        self._shown = True
        self._drawn_once = False
        self._before_flip = 0, 0
        self._frame_blocks: dict[Camera, moderngl.Buffer] = {}
        self._events = _Events(self)
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
        self._monitor = Monitor(on=monitor)
        self._overlay: Overlay | None = None
        self._keys = Keys(_key_names())
        self._mouse = Mouse()
        self.view = self._fit()
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
            overlay = Overlay(self._monitor)
            overlay.attach(self.graphics)
            self._overlay = overlay
        elif not value and shown is not None:
            self._overlay = None
            if shown.camera in self._frame_blocks:
                self._frame_blocks.pop(shown.camera).release()
            shown.release()

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
        try:
            if self.headless:
                while not self._exiting and self._frames != last:
                    self._step(self._frame_time)
            elif frames != 0 and not self._exiting:
                self._run_window(last)
        except BaseException:
            self._running = False
            self._give_up()
            raise
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
        monitor.begin_frame(time.perf_counter_ns())
        surface.make_current()
        if not surface.headless:
            surface.window.dispatch_events()
        # Summed exactly and rounded up: sixty frames of a sixtieth make sixty ticks, one in each.
        self._virtual += round(frame_time * _ATTO)
        self._run_ticks(-(-self._virtual * NANOSECONDS // _ATTO))
        if surface.drawable:
            self._draw_frame()
            if not surface.headless:
                drawn = time.perf_counter_ns()
                surface.flip()
                monitor.span("wait", drawn, time.perf_counter_ns())
        else:
            self._frames += 1
        monitor.end_frame(time.perf_counter_ns())

    def _run_window(self, last: int | None) -> None:
        surface, monitor = self._live, self._monitor
        pacer = Pacer(surface.refresh_rate)
        refreshes = RefreshClock(surface.refresh_rate)
        origin = time.perf_counter_ns() - self._virtual * NANOSECONDS // _ATTO

        def turn(dt: float) -> None:
            """Every turn of pyglet's loop: the ticks that are due, then a frame, then the wait for the next."""
            start = time.perf_counter_ns()
            monitor.begin_frame(start)
            surface.make_current()
            now = start - origin
            if self._pacing:
                now = refreshes.shown(now) if pacer.vsync_waits else refreshes.passed(now)
            self._virtual = now * (_ATTO // NANOSECONDS)
            self._run_ticks(now)
            # pyglet says `on_hide` of a minimised window, and nothing of one that the game itself hides.
            if self._shown and surface.window.visible and surface.drawable:
                surface.window.draw(dt)  # on_draw, then the flip
                wall, cpu = self._before_flip
                flipped = time.perf_counter_ns()
                monitor.span("wait", wall, flipped)
                pacer.flipped(flipped - wall, time.process_time_ns() - cpu)
            else:
                self._frames += 1
                pacer.skipped()
            if self._exiting or self._frames == last:
                pyglet.app.exit()
                return
            before = time.perf_counter_ns()
            delay = pacer.delay(before)
            if delay:
                time.sleep(delay / NANOSECONDS)
                monitor.span("wait", before, time.perf_counter_ns())

        pyglet.clock.schedule(turn)
        try:
            pyglet.app.run(None)
        finally:
            pyglet.clock.unschedule(turn)
            monitor.end_frame(time.perf_counter_ns())
            if pyglet.app.event_loop.is_running:  # an exception came through it
                pyglet.app.event_loop.is_running = False
                pyglet.app.platform_event_loop.stop()

    def _on_draw(self) -> None:
        self._draw_frame()
        self._before_flip = time.perf_counter_ns(), time.process_time_ns()

    def _run_ticks(self, now: int) -> None:
        timestep = self.timestep
        paused = timestep.paused
        ticks = timestep.advance(now)
        for done, tick in enumerate(ticks, 1):
            start = time.perf_counter_ns()
            self._run_tick(tick)
            self._monitor.ticked(start, time.perf_counter_ns())
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
        timestep, start = self.timestep, time.perf_counter_ns()
        self._paint(self._live, off_screen=False)
        self._monitor.drawn(start, time.perf_counter_ns(), timestep.alpha, timestep.dropped_time)
        self._frames += 1

    def _paint(self, surface: Surface, off_screen: bool) -> None:
        timestep = self.timestep
        alpha, paused = timestep.alpha, timestep.paused
        self.graphics.moment.alpha = alpha
        target = surface.use(off_screen)
        target.clear(*self._background, 1.0)
        target.viewport = self.view.viewport
        simulated = max(0.0, timestep.time - (1 - alpha) / max(timestep.tick, 1) * timestep.time)
        blocks: set[Camera] = set()
        bound: Camera | None = None
        self._deferring = True
        try:
            for scene in self._scenes[_first(self._scenes, "hides_below") :]:
                for drawable, camera in tuple(scene._drawn):
                    if camera is not bound:
                        self._bind(camera, alpha, simulated, blocks)
                        bound = camera
                    if paused:
                        notice_writes = getattr(drawable, "notice_writes", None)
                        if notice_writes is not None:
                            notice_writes()
                    drawable.draw()
                scene.draw(alpha)
            if self._overlay is not None:
                target.viewport = self.view.viewport
                target.use()
                self._overlay.look(self.view)
                self._bind(self._overlay.camera, 1.0, simulated, blocks)
                self._overlay.draw(time.perf_counter_ns())
        finally:
            self._deferring = False
        self._drawn_once = True
        if self._switches:
            self._make_switches()

    def _bind(self, camera: Camera, alpha: float, simulated: float, written: set[Camera]) -> None:
        block = self._frame_blocks.get(camera)
        if block is None:
            block = self._live.ctx.buffer(camera.pack_frame(alpha, simulated), dynamic=True)
            self._frame_blocks[camera] = block
        elif camera not in written:
            block.write(camera.pack_frame(alpha, simulated))
        written.add(camera)
        block.bind_to_uniform_block(FRAME_BINDING)

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
            target.viewport = self.view.viewport
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
            if self._overlay is not None:
                stack.callback(self._overlay.release)
                self._overlay = None
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


class _Events:
    """pyglet's window events, recorded for the ticks and passed on to the methods of the scene on top."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def on_draw(self) -> bool:
        self._game._on_draw()
        return True

    def on_close(self) -> bool:
        if not self._game._dispatch("on_close"):
            self._game.exit()
        return True

    def on_resize(self, width: int, height: int) -> bool:
        self._game._resized(width, height)
        self._game._dispatch("on_resize", *self._game.size)
        return True

    def on_hide(self) -> None:
        self._game._shown = False
        self._game._dispatch("on_hide")

    def on_show(self) -> None:
        self._game._shown = True
        self._game._dispatch("on_show")

    def on_deactivate(self) -> None:
        self._game._keys.release_all()
        self._game._mouse.release_all()
        self._game._dispatch("on_deactivate")

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        game = self._game
        game._keys.press(symbol)
        if game._dispatch("on_key_press", symbol, modifiers):
            return True
        if symbol == _ESCAPE and game._escape_closes:
            game.exit()
        elif symbol == _F3:
            game.overlay = not game.overlay
        return True

    def on_key_release(self, symbol: int, modifiers: int) -> bool:
        self._game._keys.release(symbol)
        return self._game._dispatch("on_key_release", symbol, modifiers)

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> bool:
        return self._game._dispatch("on_mouse_motion", *self._moved(x, y, dx, dy))

    def on_mouse_drag(self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int) -> bool:
        return self._game._dispatch("on_mouse_drag", *self._moved(x, y, dx, dy), buttons, modifiers)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._game._mouse.press(button)
        return self._game._dispatch("on_mouse_press", ux, uy, button, modifiers)

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._game._mouse.release(button)
        return self._game._dispatch("on_mouse_release", ux, uy, button, modifiers)

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._game._mouse.scroll(scroll_x, scroll_y)
        return self._game._dispatch("on_mouse_scroll", ux, uy, scroll_x, scroll_y)

    def on_mouse_enter(self, x: float, y: float) -> bool:
        self._game._mouse.enter()
        return self._game._dispatch("on_mouse_enter", *self._game._to_units(x, y))

    def on_mouse_leave(self, x: float, y: float) -> bool:
        self._game._mouse.leave()
        return self._game._dispatch("on_mouse_leave", *self._game._to_units(x, y))

    def _moved(self, x: float, y: float, dx: float, dy: float) -> tuple[float, float, float, float]:
        game = self._game
        ux, uy = game._to_units(x, y)
        kx, ky = game.view.pixels_per_unit
        ratio = game._live.pixel_ratio
        udx, udy = dx * ratio / kx, dy * ratio / ky
        game._mouse.move(ux, uy, udx, udy)
        return ux, uy, udx, udy


def _passer(name: str) -> Callable[..., bool]:
    def pass_on(self: _Events, *args: Any) -> bool:
        return self._game._dispatch(name, *args)

    return pass_on


for _name in _PASSED_ON:
    setattr(_Events, _name, _passer(_name))

# pyglet.window.key.ESCAPE and F3; its module cannot be imported before `prepare`.
_ESCAPE, _F3 = 0xFF1B, 0xFFC0


def _key_names() -> dict[str, int]:
    """pyglet's names of keys: "SPACE", "A", "LEFT", …; the digits, "_1" there, are "1" here."""
    from pyglet.window import key

    names = {name: symbol for name, symbol in vars(key).items() if name.isupper() and name[:3] not in ("MOD", "MOT")}
    return names | {digit: getattr(key, f"_{digit}") for digit in "0123456789"}


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
