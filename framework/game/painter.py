"""How a frame is painted: the scenes that are on, through their cameras, and the overlay."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import FrameworkError
from ..gpu.gl import moderngl
from ..gpu.graphics import FRAME_BINDING
from ..timing.timestep import Timestep
from ..watch.monitor import Frame
from .contents import Contents
from .scene import Scene
from .stage import Entry, Stage
from .subsystems import Subsystem

if TYPE_CHECKING:  # what only some games show need not be loaded by all
    from ..gpu.scaled import ScaledPicture
    from ..gpu.timer import GpuTimer
    from ..gpu.transitions import Transition
    from ..watch.overlay import Overlay
    from ..watch.quality import Quality
    from ..watch.strip import Strip
    from .contents import Camera
    from .crossing import Crossing
    from .graded import Grading
    from .pixel_art import PixelArt
    from .views import View, Views


class Panel(Protocol):
    """What is painted over a picture, in pixels of the framebuffer."""

    def attach(self, ctx: moderngl.Context, scale: int) -> None: ...

    def draw(self, now: int, screen: tuple[int, int]) -> None: ...

    def release(self) -> None: ...


class Painter(Subsystem):
    """Paints the picture of a moment.

    The world is painted off screen, with other pixels, when ``render_scale`` is not 1 or ``samples`` are not those of
    the window, or depth is read, which a window with MSAA does not give: up to the first drawable that was added with a
    scene's `hud`.
    """

    not_state = (
        *("_alpha", "_applied", "_grading", "_painted", "_place", "_scaled_for", "_stage", "_time", "_viewport"),
        *("_written", "covered", "crossing", "gpu_timer", "gpu_took", "over", "overlay", "pixel_art"),
        *("quality", "render_scale", "samples", "scaled", "strip"),
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
        self.over: list[Panel] = []
        """What else is drawn over everything, while a game is being developed."""
        self.covered = False
        """Whether that covers all of it: the scenes are not painted then."""
        self.gpu_timer: GpuTimer[Frame] | None = None
        self.gpu_took = 0
        """Nanoseconds, for the last picture that is known to be drawn."""
        self.scaled: ScaledPicture | None = None
        self._scaled_for: tuple[object, ...] = ()
        self._applied: object = None  # the quality's settings that are in force
        self._viewport = self._place = stage.view.viewport  # that is painted to now; where the picture comes to lie
        self.crossing: Crossing | None = None
        """A transition from scenes that were on."""
        stage.capture, stage.cross = self.capture, self.cross
        self._grading: Grading | None = None  # of a picture that goes through effects
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
        if self.crossing is not None and not self.crossing.goes_on(self._time, stage.game.tick):
            self.cross(None)
        scaled = self._lay(stage.view.viewport)
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
        target.viewport = stage.view.viewport
        stage.busy = stage.painting = True
        try:
            if not self.covered:
                self._paint_picture(target, scaled, timestep.paused)
            for panel in (self.strip, self.overlay, *self.over):
                if panel is not None:
                    self._paint_panel(panel, target)
        finally:
            stage.busy = stage.painting = False
        self._painted = True
        if stage.switches:
            stage.make_switches()

    def _lay(self, place: tuple[int, int, int, int]) -> ScaledPicture | None:
        """The picture is to lie at ``place`` of its target, or first in a picture of a transition. Returns where the
        world is painted, as of `_scaled_picture`."""
        self._place = place if self.crossing is None or self.crossing.lies_over else (0, 0, *place[2:])
        return self._scaled_picture()

    def _paint_picture(self, target: moderngl.Framebuffer, scaled: ScaledPicture | None, paused: bool) -> None:
        """Paint the scenes over the viewport of ``target``, which is in use, by way of a transition that is on."""
        crossing, place = self.crossing, target.viewport
        canvas = target
        if crossing is not None and not crossing.lies_over:
            picture = crossing.new(self._place[2:])
            picture.begin(self.background)
            canvas = picture.framebuffer
        self._viewport = self._place
        if scaled is not None:
            self._viewport = (0, 0, *scaled.size)
            scaled.begin(self.background)
        if self.pixel_art is not None:
            self.pixel_art.backdrop = *self.background, 1.0
        self._written.clear()
        self._paint_scenes(canvas, scaled, paused)
        if crossing is not None:
            target.viewport = self._viewport = place
            crossing.show(target, self._time, self._stage.view.size)

    def capture(self, transition: Transition) -> Crossing | None:
        """The picture of the scenes that are on, as the last tick left them, for a transition to others."""
        stage, surface = self._stage, self._stage.surface
        if not (surface.drawing and surface.drawable):
            return None
        from .crossing import Crossing

        game: Any = stage.game
        now, size = float(game.timestep.time), stage.view.viewport[2:]
        crossing = Crossing(stage.graphics, transition, now, game.tick, surface.samples)
        busy = stage.busy, stage.painting
        stage.busy = stage.painting = True
        try:
            old = crossing.old(size)
            self._alpha, self._time = 1.0, now
            stage.graphics.moment.alpha = 1.0
            scaled = self._lay((0, 0, *size))
            old.begin(self.background)
            self._paint_picture(old.framebuffer, scaled, False)
            crossing.finish_old()
        except BaseException:
            crossing.release()
            raise
        finally:
            stage.busy, stage.painting = busy
        return crossing

    def cross(self, crossing: Crossing | None) -> None:
        """Have a transition that was begun under way, or none."""
        before, self.crossing = self.crossing, crossing
        if before is not None:
            before.release()

    def _paint_scenes(self, target: moderngl.Framebuffer, scaled: ScaledPicture | None, paused: bool) -> None:
        for scene, contents, _ in self._seen():
            if paused and contents.effects is not None:
                contents.effects.notice_writes()
            if contents.bringing:
                contents.exchange_cameras()
            if contents.views is None:
                scaled = self._paint_drawn(tuple(contents.drawn), contents, scaled, target, paused)
            else:
                scaled = self._paint_views(contents.views, contents, scaled, target, paused)
            draw = scene.draw
            if getattr(draw, "__func__", None) is not Scene.draw:
                draw(self._alpha)
            if scaled is not None and self._grading is not None and self._grading.waits_for(contents):
                scaled = self._show_scaled(scaled, target, contents)
        if scaled is not None:
            self._show_scaled(scaled, target, None)

    def _seen(self) -> list[Entry]:
        """The scenes that are painted, the lowest first."""
        on = self._stage.on
        return on[self._stage.first("hides_below") :] if len(on) > 1 else on

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
            return self._paint_texels(self.pixel_art, drawn, contents, scaled, target, paused)
        hud, bound = contents.hud, None
        for drawable, camera in drawn:
            if scaled is not None and camera is hud:
                following = self._show_scaled(scaled, target, contents)
                scaled, bound = following, bound if following is scaled else None
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
        self,
        pixel_art: PixelArt,
        drawn: Sequence[tuple[Any, Camera]],
        contents: Contents,
        scaled: ScaledPicture | None,
        target: moderngl.Framebuffer,
        paused: bool,
    ) -> ScaledPicture | None:
        """Paint some of what a scene draws, what each camera sees as a layer of texels."""
        ctx = self._stage.surface.ctx
        for camera, run in groupby(drawn, itemgetter(1)):
            if scaled is not None and camera is contents.hud:
                scaled = self._show_scaled(scaled, target, contents)
            canvas, viewport = ctx.fbo, self._viewport
            try:
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
        return scaled

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

    def put_over(self, panel: Panel) -> None:
        """Paint a panel over all else, until it is taken off."""
        surface = self._stage.surface
        panel.attach(surface.ctx, max(1, round(surface.pixel_ratio)))
        self.over.append(panel)

    def take_off(self, panel: Panel) -> None:
        """Paint a panel no longer, and release it."""
        if panel in self.over:
            self.over.remove(panel)
            panel.release()

    def _paint_panel(self, panel: Panel, target: moderngl.Framebuffer) -> None:
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
        light = self._grade()
        scale, samples = self.render_scale, self.samples
        if self.pixel_art is not None:
            scale, samples = 1.0, 0
        as_it_is = (scale, samples) == (1, surface.samples) and not self._needs_depth()
        if self._grading is None and (as_it_is or self.pixel_art is not None):
            if self.scaled is not None:
                self._drop_scaled()
            return None
        viewport = self._stage.view.viewport[2:]
        wanted = (viewport, scale, samples, light)
        if wanted != self._scaled_for:
            self._drop_scaled()
            info = surface.ctx.info
            limit = min(info["GL_MAX_TEXTURE_SIZE"], info["GL_MAX_RENDERBUFFER_SIZE"])
            from ..gpu.scaled import ScaledPicture, scaled_size

            size = scaled_size(viewport, scale, limit)
            self.scaled = ScaledPicture(surface.ctx, size, samples, "f2" if light else "f1")
            self._scaled_for = wanted
        return self.scaled

    def _grade(self) -> bool:
        """Whether scenes have effects shows here, in `_grading`. Returns whether light above white is kept for them."""
        seen = [entry.contents for entry in self._seen()]
        if not any(contents.effects for contents in seen):
            self._drop_grading()
            return False
        from .graded import Grading, graded, keeps_light  # what few games load

        waiting, stage = graded(seen), self._stage
        if not waiting:
            self._drop_grading()
            return False
        light = keeps_light(waiting, seen)
        if self._grading is None:
            self._grading = Grading(stage.graphics, self._picture)
        self._grading.begin_frame(waiting, self._place, stage.view.size, self._time, light)
        return light

    def _picture(self, size: tuple[int, int]) -> ScaledPicture:
        """One more picture of the kind of the first."""
        from ..gpu.scaled import ScaledPicture

        assert self.scaled is not None
        return ScaledPicture(self._stage.surface.ctx, size, self.scaled.samples, self.scaled.texture.dtype)

    def _drop_grading(self) -> None:
        grading, self._grading = self._grading, None
        if grading is not None:
            grading.release()

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

    def _show_scaled(
        self, scaled: ScaledPicture, target: moderngl.Framebuffer, contents: Contents | None
    ) -> ScaledPicture | None:
        """The world of a scene is painted: bring it to the window; what follows is painted there, with other pixels.
        Returns what it is painted to instead, while there are scenes with effects to come."""
        following = None
        if self._grading is None:
            target.viewport = self._place
            scaled.show(target)
        else:
            following = self._grading.show(scaled, target, contents, self._alpha)
            if following is scaled:
                return scaled
        self._viewport = self._place if following is None else (0, 0, *following.size)
        self._written.clear()
        return following

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
            pictures = self.scaled, self.pixel_art, self._grading, self.crossing
            for part in (self.gpu_timer, *pictures, self.overlay, self.strip, *self.over):
                if part is not None:
                    ending.callback(part.release)
        self.gpu_timer = self.overlay = self.scaled = self.strip = self.pixel_art = None
        self._grading = self.crossing = None
        self.over = []
