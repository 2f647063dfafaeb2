"""How a frame is painted: the scenes that are on, through their cameras, and the overlay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FrameworkError
from ..gpu.gl import moderngl
from ..gpu.graphics import FRAME_BINDING
from ..motion.viewpoint import frame_block, notice_writes
from ..timing.timestep import Timestep
from ..watch.monitor import Frame
from .contents import Contents
from .overlays import Overlays
from .scene import Scene
from .stage import Entry, Stage
from .subsystems import Subsystem
from .world_picture import WorldPicture

if TYPE_CHECKING:  # what only some games show need not be loaded by all
    from ..gpu.passes import Over
    from ..gpu.scaled import ScaledPicture
    from ..gpu.timer import GpuTimer
    from ..gpu.transitions import Transition
    from .contents import Camera
    from .crossing import Crossing
    from .graded import GradedView
    from .pixel_art import PixelArt
    from .views import View, Views


class Painter(Subsystem):
    """Paints the picture of a moment."""

    not_state = True  # what of it is state, `Backstage` sees to

    def __init__(
        self,
        stage: Stage,
        background: tuple[float, float, float],
        bar_color: tuple[float, float, float],
        render_scale: float,
        pixel_art: bool,
    ) -> None:
        self._stage = stage
        self.background = background
        self.bar_color = bar_color
        self.world = WorldPicture(stage, render_scale)
        self.panels = Overlays(stage)
        self.pixel_art = self._texels() if pixel_art else None
        """What draws in texels, in a game of pixel art with pictures."""
        self.gpu_timer: GpuTimer[Frame] | None = None
        self.gpu_took = 0
        """Nanoseconds, for the last picture that is known to be drawn."""
        self._viewport = self._place = (
            stage.view.viewport
        )  # that is painted to now; where the picture comes to lie
        self.crossing: Crossing | None = None
        """A transition from scenes that were on."""
        stage.capture, stage.cross = self.capture, self.cross
        self._alpha = self._time = 0.0
        self._written: set[Camera] = set()  # whose block is that of this picture
        self._painted = False
        self._uncleared: moderngl.Framebuffer | None = None
        """The target, while its depth is of an earlier picture: pictures are laid over all of it,
        which need none.
        """

    def _texels(self) -> PixelArt | None:
        """The game is pixel art."""
        graphics = self._stage.graphics
        graphics.pixel_art, graphics.pixel_ratio = True, 1.0
        if not graphics.drawing:
            return None
        from .pixel_art import PixelArt  # most games are none

        self.world.of_texels = True
        return PixelArt(graphics)

    # -- a picture ---------------------------------------------------------------------------------

    def paint(self, timestep: Timestep, off_screen: bool = False) -> None:
        """Paint the moment that ``timestep`` has come to."""
        stage = self._stage
        moment = stage.graphics.moment
        self._alpha = alpha = moment.alpha = timestep.alpha
        clock = moment.clock = moment.next_clock
        if clock is not None:
            moment.flicks = clock.now + floor(clock.length * alpha)
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
        elif scaled is None or self.panels.covered:
            target.clear(*self.background, 1.0)
        else:
            self._uncleared = target
        target.viewport = stage.view.viewport
        stage.busy = stage.painting = True
        try:
            if not self.panels.covered:
                self._paint_picture(target, scaled, timestep.paused)
            if self.panels.shown:
                self._clear_depth()
                self.panels.draw(target)
        finally:
            stage.busy = stage.painting = False
            self._uncleared = None
        self._painted = True
        if stage.graphics.chain is not None:
            stage.graphics.chain.begin_frame()
        if stage.switches:
            stage.make_switches()

    def _lay(self, place: tuple[int, int, int, int]) -> ScaledPicture | None:
        """The picture is to lie at ``place`` of its target, or first in a picture of a transition.
        Returns where the world is painted, if that is elsewhere."""
        self._place = (
            place if self.crossing is None or self.crossing.lies_over else (0, 0, *place[2:])
        )
        world, seen = self.world, self._seen()
        as_ever = (world.render_scale, world.samples, world.quality, world.scaled) == (
            1,
            0,
            None,
            None,
        )
        if (
            as_ever
            and not self._stage.surface.samples
            and not any(entry.contents.effects for entry in seen)
        ):
            return None
        return world.begin(seen, self._place, self._time)

    def _paint_picture(
        self, target: moderngl.Framebuffer, scaled: ScaledPicture | None, paused: bool
    ) -> None:
        """Paint the scenes over the viewport of ``target``, which is in use, by way of a transition
        that is on.
        """
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
            self.pixel_art.begin_frame((*self.background, 1.0))
        self._written.clear()
        self._paint_scenes(canvas, scaled, paused)
        if crossing is not None:
            target.viewport = self._viewport = place
            crossing.show(target, self._time, self._stage.view.size)

    def capture(self, transition: Transition) -> Crossing | None:
        """The picture of the scenes that are on, as the last tick left them, for a transition to
        others.
        """
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
            moment = stage.graphics.moment
            moment.alpha, moment.clock = 1.0, None  # which has clips tell how far they are on
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

    def _paint_scenes(
        self, target: moderngl.Framebuffer, scaled: ScaledPicture | None, paused: bool
    ) -> None:
        seen = self._seen()
        for scene, contents, _ in seen:
            for values in contents.effect_values() if paused else ():
                values.notice_writes()
            if contents.bringing:
                contents.exchange_cameras()
            if scaled is None:
                self._clear_depth()
            if contents.views is None:
                scaled = self._paint_drawn(tuple(contents.driven), contents, scaled, target, paused)
            else:
                scaled = self._paint_views(contents.views, contents, scaled, target, paused)
            draw = scene.draw
            if getattr(draw, "__func__", None) is not Scene.draw:
                draw(self._alpha)
            if scaled is not None and self.world.waits_for(contents):
                crossing = (
                    self.crossing if contents is seen[-1].contents else None
                )  # which nothing else lies below
                over = None if crossing is None else crossing.over(self._time)
                scaled = self._show_scaled(scaled, target, contents, over)
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
                self._clear_depth()
                scaled, bound = following, bound if following is scaled else None
            if camera is not bound:
                if paused:
                    notice_writes(camera)
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
        """Paint some of what a scene draws in layers of texels."""
        alpha, over = (
            self._alpha,
            None if scaled is None else contents.hud,
        )  # what comes with other pixels
        if paused:
            for seen in {id(camera): camera for _, camera in drawn}.values():
                notice_writes(seen)
            for drawable, _ in drawn:
                drawable.notice_writes()

        def bind(camera: Any, viewport: tuple[int, int, int, int]) -> None:
            self._viewport = viewport
            self._written.discard(camera)
            self._bind(camera, contents)

        for is_over, run in groupby(drawn, lambda one: one[1] is over):
            if is_over and scaled is not None:
                scaled = self._show_scaled(scaled, target, contents)
                self._clear_depth()
            canvas, viewport = self._stage.surface.ctx.fbo, self._viewport
            try:
                pixel_art.paint(run, alpha, canvas, bind)
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
        """Paint a scene that is seen in views: each of them in its place, and what is seen in the
        whole picture.
        """
        from .views import pixels_of

        ctx = self._stage.surface.ctx
        for view, drawn in views.passes():
            if view is None:
                scaled = self._paint_drawn(drawn, contents, scaled, target, paused)
                continue
            canvas, whole = ctx.fbo, self._viewport
            self._viewport = pixels_of(view, whole)
            if min(self._viewport[2:]) <= 0:
                self._viewport = whole
                continue
            graded = self._graded(view, drawn)
            if self.pixel_art is not None:
                backdrop, self.pixel_art.backdrop = self.pixel_art.backdrop, view.background
            try:
                view_target = self._open(view, canvas, graded)
                self._paint_drawn(drawn, contents, None, view_target, paused)
                if graded is not None:
                    graded.show(self._alpha)
                if view.texture is not None:
                    from ..gpu.render_texture import canvas_of

                    canvas_of(view.texture).finish()
            finally:
                if graded is not None:
                    graded.end()
                if self.pixel_art is not None and view.texture is not None:
                    self.pixel_art.backdrop = (
                        backdrop  # of the picture, of which nothing was drawn yet
                    )
                canvas.viewport = self._viewport = whole
                canvas.use()
        return scaled

    def _graded(self, view: View, drawn: Sequence[tuple[Any, Camera]]) -> GradedView | None:
        """What brings the picture of a view through its effects, if it has any."""
        from .views import has_effects

        if not has_effects(view):
            return None
        from ..gpu.grading import active
        from .graded import GradedView, shines

        effects = active(view.effects)
        if not effects:
            return None
        light = self._stage.graphics.moment.above_white
        light = light or (shines(effects) and any(drawable.keeps_light for drawable, _ in drawn))
        return GradedView(self._stage.graphics, view, light, self._time)

    def _open(
        self, view: View, canvas: moderngl.Framebuffer, graded: GradedView | None
    ) -> moderngl.Framebuffer:
        """Have all drawn in a view, on its background. Returns what is drawn to."""
        ctx, color = self._stage.surface.ctx, view.background
        if view.texture is not None:
            from ..gpu.render_texture import canvas_of

            canvas = canvas_of(view.texture).begin(ctx, color or (0.0, 0.0, 0.0, 0.0))
        else:
            canvas.viewport = self._viewport
        x, y, width, height = self._viewport
        if graded is not None:
            self._viewport = 0, 0, width, height
            samples = (
                0 if self.pixel_art is not None or view.texture is not None else self.world.samples
            )
            return graded.begin(canvas, (width, height), samples, color or (*self.background, 1.0))
        if view.texture is not None:
            return canvas
        if color is not None:
            canvas.clear(*color, viewport=(x, y, width, height))
        canvas.use()
        return canvas

    def _bind(self, camera: Camera, contents: Contents) -> None:
        """What is drawn next is seen through this camera."""
        block, moment = contents.frame_blocks.get(camera), self._stage.graphics.moment
        if block is None:
            frame = frame_block(camera, self._alpha, self._time, self._viewport, moment.flicks)
            block = contents.frame_blocks[camera] = self._stage.surface.ctx.buffer(
                frame, dynamic=True
            )
        elif camera not in self._written:
            block.write(frame_block(camera, self._alpha, self._time, self._viewport, moment.flicks))
        self._written.add(camera)
        block.bind_to_uniform_block(FRAME_BINDING)
        moment.camera = camera

    def _show_scaled(
        self,
        scaled: ScaledPicture,
        target: moderngl.Framebuffer,
        contents: Contents | None,
        over: Over | None = None,
    ) -> ScaledPicture | None:
        """The world of a scene is painted: bring it to the window; what follows is painted there,
        with other pixels. Returns what it is painted to instead, while there are scenes with
        effects to come."""
        following = self.world.show(scaled, target, contents, self._place, self._alpha, over)
        if following is not scaled:
            self._viewport = self._place if following is None else (0, 0, *following.size)
            self._written.clear()
        return following

    def _clear_depth(self) -> None:
        """What may ask for depth is drawn to the target."""
        target, self._uncleared = self._uncleared, None
        if target is not None:
            target.color_mask = False, False, False, False
            target.clear()
            target.color_mask = True, True, True, True
            self._stage.surface.ctx.fbo.use()  # which has its mask in force again

    # -- what else is to do with pictures ----------------------------------------------------------

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
            raise FrameworkError(
                "pixels: the picture is not finished; ask for it between two frames"
            )
        if not surface.drawable:
            return np.zeros((surface.framebuffer_size[1], surface.framebuffer_size[0], 4), np.uint8)
        if not (surface.headless and self._painted):
            self.paint(timestep, off_screen=True)
        picture: NDArray[np.uint8] = surface.read()
        return picture

    @contextmanager
    def pyglet_drawing(self) -> Iterator[None]:
        """See `Game.picture.pyglet_drawing`."""
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
            for part in (self.gpu_timer, self.world, self.pixel_art, self.crossing, self.panels):
                if part is not None:
                    ending.callback(part.release)
        self.gpu_timer = self.pixel_art = self.crossing = None
