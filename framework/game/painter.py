"""How a frame is painted: the scenes that are on, through their cameras, and the overlay."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FrameworkError
from ..gpu.gl import moderngl
from ..gpu.graphics import FRAME_BINDING
from ..timing.timestep import Timestep
from ..watch.monitor import Frame
from .contents import Contents
from .scene import Scene
from .stage import Stage
from .subsystems import Subsystem

if TYPE_CHECKING:  # what only some games show need not be loaded by all
    from ..gpu.scaled import ScaledPicture
    from ..gpu.timer import GpuTimer
    from ..watch.overlay import Overlay
    from ..watch.quality import Quality
    from ..watch.strip import Strip
    from .contents import Camera
    from .pixel_art import PixelArt
    from .views import View, Views


class Painter(Subsystem):
    """Paints the picture of a moment.

    The world is painted off screen, with other pixels, when ``render_scale`` is not 1 or ``samples`` are not those of
    the window, or depth is read, which a window with MSAA does not give: up to the first drawable that was added with a
    scene's `hud`.
    """

    not_state = (
        *("_alpha", "_applied", "_painted", "_scaled_for", "_stage", "_time", "_viewport", "_written", "gpu_timer"),
        *("gpu_took", "overlay", "pixel_art", "quality", "render_scale", "samples", "scaled", "strip"),
    )

    def __init__(
        self,
        stage: Stage,
        background: tuple[float, float, float],
        bar_color: tuple[float, float, float],
        render_scale: float,
    ) -> None:
        self._stage = stage
        self.background = background
        self.bar_color = bar_color
        self.samples = stage.surface.samples
        self.render_scale = render_scale
        self.quality: Quality | None = None
        self.overlay: Overlay | None = None
        self.pixel_art: PixelArt | None = None
        """What draws in texels, in a game of pixel art."""
        self.strip: Strip | None = None
        """Is drawn over everything, while the game stands at a tick of the past."""
        self.gpu_timer: GpuTimer[Frame] | None = None
        self.gpu_took = 0
        """Nanoseconds, for the last picture that is known to be drawn."""
        self.scaled: ScaledPicture | None = None
        self._scaled_for: tuple[object, ...] = ()
        self._applied: object = None  # the quality's settings that are in force
        self._viewport = stage.view.viewport  # that is painted to now
        self._alpha = self._time = 0.0
        self._written: set[Camera] = set()  # whose block is that of this picture
        self._painted = False

    def draw_texels(self, pixel_art: bool) -> None:
        """Whether the game is pixel art; told before anything is attached."""
        if not pixel_art:
            return
        graphics = self._stage.graphics
        graphics.pixel_art, graphics.pixel_ratio = True, 1.0
        if graphics.drawing:
            from .pixel_art import PixelArt  # most games are none

            self.pixel_art = PixelArt(graphics.ctx)

    # -- a picture -----------------------------------------------------------------------------------------------

    def paint(self, timestep: Timestep, off_screen: bool = False) -> None:
        """Paint the moment that ``timestep`` has come to."""
        stage = self._stage
        if self.quality is not None:
            self._apply(self.quality)
        self._alpha = alpha = stage.graphics.moment.alpha = timestep.alpha
        self._time = max(0.0, timestep.time - (1 - alpha) / max(timestep.tick, 1) * timestep.time)
        scaled = self._scaled_picture()
        surface: Any = stage.surface
        target = surface.target
        if target is None or off_screen:
            target = surface.use(off_screen)
        else:
            target.use()
        if stage.barred:
            target.clear(*self.bar_color, 1.0)
            target.clear(*self.background, 1.0, viewport=stage.view.viewport)
        else:
            target.clear(*self.background, 1.0)
        target.viewport = self._viewport = stage.view.viewport
        if scaled is not None:
            self._viewport = (0, 0, *scaled.size)
            scaled.begin(self.background)
        elif self.pixel_art is not None:
            self.pixel_art.backdrop = *self.background, 1.0
        self._written.clear()
        stage.busy = stage.painting = True
        try:
            self._paint_scenes(target, scaled, timestep.paused)
            for panel in (self.strip, self.overlay):
                if panel is not None:
                    self._paint_panel(panel, target)
        finally:
            stage.busy = stage.painting = False
        self._painted = True
        if stage.switches:
            stage.make_switches()

    def _paint_scenes(self, target: moderngl.Framebuffer, scaled: ScaledPicture | None, paused: bool) -> None:
        stage = self._stage
        for scene, contents, _ in stage.on[stage.first("hides_below") if len(stage.on) > 1 else 0 :]:
            if contents.bringing:
                contents.exchange_cameras()
            if contents.views is None:
                scaled = self._paint_drawn(tuple(contents.drawn), contents, scaled, target, paused)
            else:
                scaled = self._paint_views(contents.views, contents, scaled, target, paused)
            draw = scene.draw
            if getattr(draw, "__func__", None) is not Scene.draw:
                draw(self._alpha)
        if scaled is not None:
            self._show_scaled(scaled, target)

    def _paint_drawn(
        self,
        drawn: Sequence[tuple[Any, Camera]],
        contents: Contents,
        scaled: ScaledPicture | None,
        target: moderngl.Framebuffer,
        paused: bool,
    ) -> ScaledPicture | None:
        """Paint some of what a scene draws. Returns where the world is painted from then on."""
        if self.pixel_art is not None:
            self._paint_texels(self.pixel_art, drawn, contents, paused)
            return scaled
        hud, bound = contents.hud, None
        for drawable, camera in drawn:
            if scaled is not None and camera is hud:
                self._show_scaled(scaled, target)
                scaled = bound = None
            if camera is not bound:
                if paused:
                    camera.notice_writes()
                self._bind(camera, contents)
                bound = camera
            if paused:
                drawable.notice_writes()
            drawable.draw()
        return scaled

    def _paint_texels(
        self, pixel_art: PixelArt, drawn: Sequence[tuple[Any, Camera]], contents: Contents, paused: bool
    ) -> None:
        """Paint some of what a scene draws, what each camera sees as a layer of texels."""
        canvas, viewport = self._stage.surface.ctx.fbo, self._viewport
        try:
            for camera, run in groupby(drawn, itemgetter(1)):
                if paused:
                    camera.notice_writes()
                twin, self._viewport = pixel_art.begin(camera, self._alpha)
                self._written.discard(twin)
                self._bind(twin, contents)
                for drawable, _ in run:
                    if paused:
                        drawable.notice_writes()
                    drawable.draw()
                pixel_art.show(canvas)
        finally:
            canvas.viewport = self._viewport = viewport
            canvas.use()

    def _paint_views(
        self,
        views: Views,
        contents: Contents,
        scaled: ScaledPicture | None,
        target: moderngl.Framebuffer,
        paused: bool,
    ) -> ScaledPicture | None:
        """Paint a scene that is seen in views: each of them in its place, and what is seen in the whole picture."""
        ctx = self._stage.surface.ctx
        for view, drawn in views.passes():
            if view is None:
                scaled = self._paint_drawn(drawn, contents, scaled, target, paused)
                continue
            canvas, whole = ctx.fbo, self._viewport
            self._viewport = view.pixels(whole)
            if min(self._viewport[2:]) <= 0:
                self._viewport = whole
                continue
            try:
                view_target = self._open(view, canvas)
                self._paint_drawn(drawn, contents, None, view_target, paused)
                if view.texture is not None:
                    view.texture.finish()
                elif view.effects is not None:
                    view.effects.show(canvas)
            finally:
                canvas.viewport = self._viewport = whole
                canvas.use()
        return scaled

    def _open(self, view: View, canvas: moderngl.Framebuffer) -> moderngl.Framebuffer:
        """Have all drawn in a view, on its background. Returns what is drawn to."""
        ctx, color = self._stage.surface.ctx, view.background
        if view.texture is not None:
            return view.texture.begin(ctx, color or (0.0, 0.0, 0.0, 0.0))
        canvas.viewport = x, y, width, height = self._viewport
        if self.pixel_art is not None:
            self.pixel_art.backdrop = color
        if view.effects is not None:
            view.effects.begin(ctx, (width, height), color or (*self.background, 1.0))
            self._viewport = 0, 0, width, height
            return ctx.fbo
        if color is not None:
            canvas.clear(*color, viewport=(x, y, width, height))
        canvas.use()
        return canvas

    def _bind(self, camera: Camera, contents: Contents) -> None:
        """What is drawn next is seen through this camera."""
        block = contents.frame_blocks.get(camera)
        if block is None:
            frame = camera.pack_frame(self._alpha, self._time, self._viewport)
            block = contents.frame_blocks[camera] = self._stage.surface.ctx.buffer(frame, dynamic=True)
        elif camera not in self._written:
            block.write(camera.pack_frame(self._alpha, self._time, self._viewport))
        self._written.add(camera)
        block.bind_to_uniform_block(FRAME_BINDING)
        self._stage.graphics.moment.camera = camera

    def show_overlay(self, shown: bool, timestep: Timestep) -> None:
        """Paint the monitor's numbers over the picture, or no longer."""
        if shown and self.overlay is None:
            from ..watch.overlay import Overlay  # most runs show none

            monitor, surface = self._stage.monitor, self._stage.surface
            monitor.on = monitor.gpu = True
            overlay = Overlay(monitor, timestep)
            overlay.attach(surface.ctx, max(1, round(surface.pixel_ratio)))
            self.overlay = overlay
        elif not shown and self.overlay is not None:
            overlay, self.overlay = self.overlay, None
            overlay.release()

    def show_strip(self, strip: Strip | None) -> None:
        """Paint a strip of ticks over the picture, or none."""
        before, self.strip = self.strip, strip
        if before is not None:
            before.release()
        if strip is not None:
            surface = self._stage.surface
            strip.attach(surface.ctx, max(1, round(surface.pixel_ratio)))

    def _paint_panel(self, panel: Overlay | Strip, target: moderngl.Framebuffer) -> None:
        size = self._stage.surface.framebuffer_size
        scissor = target.scissor
        target.scissor = None  # type: ignore[assignment]  # the whole picture
        target.viewport = (0, 0, *size)
        target.use()
        panel.draw(time.perf_counter_ns(), size)
        target.viewport = self._stage.view.viewport
        if scissor != (0, 0, *size):
            target.scissor = scissor

    # -- the world at another resolution -------------------------------------------------------------------------

    def _scaled_picture(self) -> ScaledPicture | None:
        """Where the world is painted, when that is not the window's own picture."""
        surface = self._stage.surface
        plain = self.render_scale == 1 and self.samples == surface.samples
        if self.pixel_art is not None or (plain and not self._needs_depth()):
            if self.scaled is not None:
                self._drop_scaled()
            return None
        viewport = self._stage.view.viewport[2:]
        wanted = (viewport, self.render_scale, self.samples)
        if wanted != self._scaled_for:
            self._drop_scaled()
            info = surface.ctx.info
            limit = min(info["GL_MAX_TEXTURE_SIZE"], info["GL_MAX_RENDERBUFFER_SIZE"])
            from ..gpu.scaled import ScaledPicture, scaled_size

            self.scaled = ScaledPicture(surface.ctx, scaled_size(viewport, self.render_scale, limit), self.samples)
            self._scaled_for = wanted
        return self.scaled

    def _needs_depth(self) -> bool:
        """Whether depth is read that a window's own picture, with MSAA, does not give."""
        surface = self._stage.surface
        if not surface.samples or surface.headless:
            return False
        return any(drawable.reads_depth for on in self._stage.on for drawable, _ in on.contents.drawn)

    def _drop_scaled(self) -> None:
        scaled, self.scaled, self._scaled_for = self.scaled, None, ()
        if scaled is not None:
            scaled.release()

    def _show_scaled(self, scaled: ScaledPicture, target: moderngl.Framebuffer) -> None:
        """The world is painted: bring it to the window; what follows is painted there, with other pixels."""
        target.viewport = self._viewport = self._stage.view.viewport
        scaled.show(target)
        self._written.clear()

    def set_quality(self, quality: Quality | None) -> None:
        """Have a governor, or none."""
        self.quality, self._applied = quality, None
        if quality is not None:
            self._apply(quality)

    def _apply(self, quality: Quality) -> None:
        settings = quality.settings
        if settings is not self._applied:
            self._applied = settings
            self.render_scale = settings.get("render_scale", self.render_scale)
            self.samples = min(settings.get("samples", self.samples), self._stage.surface.max_samples)

    # -- what else is to do with pictures ------------------------------------------------------------------------

    def paint_timed(self, timestep: Timestep, frame: Frame) -> None:
        """Paint, and ask for the GPU's time for it. Of earlier frames it is known by now."""
        if self.gpu_timer is None:
            from ..gpu.timer import GpuTimer

            self.gpu_timer = GpuTimer()
        timer = self.gpu_timer
        timer.begin(frame)
        self.paint(timestep)
        timer.end()
        for painted, duration in timer.finished():
            painted.gpu = self.gpu_took = duration

    def pixels(self, timestep: Timestep) -> NDArray[np.uint8]:
        """The picture as it was last painted: uint8 (height, width, 4), row 0 at the top."""
        stage = self._stage
        surface: Any = stage.surface
        if stage.busy:
            raise FrameworkError("pixels: the picture is not finished; ask for it between two frames")
        if not surface.drawable:
            return np.zeros((surface.framebuffer_size[1], surface.framebuffer_size[0], 4), np.uint8)
        if not (surface.headless and self._painted):
            self.paint(timestep, off_screen=True)
        picture: NDArray[np.uint8] = surface.read()
        return picture

    @contextmanager
    def pyglet_drawing(self) -> Iterator[None]:
        """See `Game.pyglet_drawing`."""
        from pyglet.math import Mat4

        ctx, window = self._stage.surface.ctx, self._stage.surface.window
        width, height = self._stage.view.size
        window.ubo.bind()
        window.projection = Mat4.orthogonal_projection(0, width, 0, height, -8192, 8192)
        window.view = Mat4()
        ctx.enable_only(moderngl.BLEND)
        try:
            yield
        finally:
            target = ctx.fbo
            target.viewport = self._viewport
            target.use()
            ctx.enable_only(moderngl.BLEND)

    def release(self) -> None:
        """The game has ended."""
        with ExitStack() as ending:  # one that fails does not keep the others from being released
            for part in (self.gpu_timer, self.overlay, self.scaled, self.strip, self.pixel_art):
                if part is not None:
                    ending.callback(part.release)
        self.gpu_timer = self.overlay = self.scaled = self.strip = self.pixel_art = None
