"""Draw each frame as a list of passes (drawing steps).

A simple 2D game has two passes: `_Clear` clears the screen, and `ScenePass` draws the drawables of
a scene with their cameras. The passes that only some games need are in other modules: `world_image`
(another resolution), `view_drawing`, `pixel_art`, `effect_drawing`, `transition_drawing` and
`overlay_panels`. The painter creates a new list of passes only when the layout of the frame
changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import floor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import FrameworkError
from ..gpu.gl import moderngl
from ..gpu.graphics import FRAME_BINDING, shared_of
from ..motion.camera_base import frame_block_of, notice_writes
from ..timing.timestep import Timestep
from ..watch.frame_stats import FrameTimes
from .overlay_panels import Panels, PanelsPass
from .scene import Scene
from .scene_drawables import SceneDrawables
from .stage import Entry, Stage
from .subsystems import Subsystem
from .world_image import OpenWorld, ShowEffects, ShowWorld, WorldImage

if TYPE_CHECKING:  # only for type checkers, so that most games do not load it
    from ..gpu.draw_pass import Pass
    from ..gpu.passes import Over
    from ..gpu.scaled import ScaledFramebuffer
    from ..gpu.timer import GpuTimer
    from ..gpu.transitions import Transition
    from .correction_fading import CorrectionFading
    from .painter_interface import Drawn, Place
    from .pixel_art import PixelArt
    from .scene_drawables import Camera
    from .transition_drawing import ActiveTransition

_MIN_GROUPED = 4  # with fewer drawables, sprite batches are not grouped

DrawContents = Callable[[SceneDrawables], None]
"""A function that draws the drawables of a scene."""


class Painter(Subsystem):
    """Paints the frames of a game. The passes use only the parts of the painter that the interface
    `Painting` describes.
    """

    not_state = True  # `EngineState` captures only the attributes that are state

    def __init__(
        self,
        stage: Stage,
        background: tuple[float, float, float],
        letterbox_color: tuple[float, float, float],
        render_scale: float,
        pixel_art: bool,
    ) -> None:
        self._stage = stage
        self.background = background
        self.letterbox_color = letterbox_color
        self.world = WorldImage(stage, render_scale)
        self.panels = Panels(stage)
        self.moment = stage.graphics.moment
        self._shared = shared_of(stage.graphics)
        self.time = 0.0
        self.fading: CorrectionFading | None = None
        """The object that moves sprites smoothly after corrections, or None. See
        `Picture.error_fade`.
        """
        self.paused = False
        self.seen: Sequence[Entry] = ()
        self.target: moderngl.Framebuffer
        self.canvas: moderngl.Framebuffer
        self.whole = self.place = self.viewport = stage.view.viewport
        self.scaled: ScaledFramebuffer | None = None
        self.draw: Callable[[Drawn, SceneDrawables], None] = self.draw_in_order
        self.pixel_art = self._start_pixel_art() if pixel_art else None
        """The object that draws pixel art, or None in a game without pixel art or without
        drawing.
        """
        self.gpu_timer: GpuTimer[FrameTimes] | None = None
        self.gpu_took = 0
        """The GPU time of the last measured frame, in nanoseconds."""
        self.transition: ActiveTransition | None = None
        """The transition that is running now, or None."""
        stage.capture = self.capture
        stage.cross = self.cross
        self._passes: list[Pass] = []
        # The layout that the passes were built for.
        self._built_for: tuple[object, ...] = ()
        # The cameras whose uniform block is up to date for this frame.
        self._written: set[Camera] = set()
        self._painted = False  # whether a frame has shown the state after the last tick
        self._uncleared: moderngl.Framebuffer | None = None
        """The framebuffer `target`, if its depth buffer must still be cleared in this frame.
        Otherwise None.
        """

    def _start_pixel_art(self) -> PixelArt | None:
        """Create the `PixelArt` object of the game. Return None if the game does not draw."""
        graphics = self._stage.graphics
        graphics.pixel_art = True
        graphics.pixel_ratio = 1.0
        if not graphics.drawing:
            return None
        from .pixel_art import PixelArt  # imported here because most games are not pixel-art games

        self.world.of_texels = True
        pixel_art = PixelArt(graphics, self)
        self.draw = pixel_art.draw
        return pixel_art

    # -- a frame -----------------------------------------------------------------------------------

    def paint(self, timestep: Timestep, off_screen: bool = False) -> None:
        """Paint a frame with the state of the game at the current time of ``timestep``."""
        stage = self._stage
        moment = self.moment
        alpha = moment.alpha = timestep.alpha
        clock = moment.clock = moment.next_clock
        if clock is not None:
            moment.flicks = clock.now + floor(clock.length * alpha)
        time = timestep.time - (1 - alpha) / (timestep.tick or 1) * timestep.time
        self.time = time if time > 0 else 0.0
        if self.fading is not None:
            self.fading.begin_frame(self.time, alpha)
        if self.transition is not None and not self.transition.goes_on(self.time, stage.game.tick):
            self.cross(None)
        whole = stage.view.viewport
        scenes = self._begin(whole, timestep.paused)
        surface = stage.surface
        target = surface.target
        if target is None or off_screen:
            target = surface.use(off_screen)
        else:
            target.use()
        target.viewport = whole
        self.target = self.canvas = target
        layout = scenes, stage.barred, self.panels.covered, bool(self.panels.shown)
        if layout != self._built_for:
            self._passes = self._frame_passes()
            self._built_for = layout
        stage.busy = stage.painting = True
        try:
            for step in self._passes:
                step.draw()
        finally:
            stage.busy = stage.painting = False
            self.seen = ()
            self._uncleared = None
        self._painted = True
        if self._shared.chain is not None:
            self._shared.chain.begin_frame()
        if stage.switches:
            stage.make_switches()

    def _begin(self, whole: Place, paused: bool) -> tuple[object, ...]:
        """Prepare the painter for a new frame. ``whole`` is the viewport of the frame in the target
        framebuffer, in pixels. Return the layout of the frame: the values that decide which passes
        are needed. If the layout has not changed since the last frame, the painter reuses the list
        of passes. Transitions are not part of the layout, because the method `cross` handles them.
        """
        stage = self._stage
        world = self.world
        transition = self.transition
        self.whole = whole
        self.paused = paused
        self.place = whole if transition is None or transition.lies_over else (0, 0, *whole[2:])
        self.viewport = self.place
        self._written.clear()
        stack = stage.stack
        visible = self.seen = stack[stage.first("opaque") :] if len(stack) > 1 else stack
        views = []
        with_effects = False
        for _, drawables, _ in visible:
            views.append(drawables.views is None)
            if drawables.effects:
                with_effects = True
        plain = not (
            with_effects
            or world.scaled is not None
            or world.quality is not None
            or world.render_scale != 1
            or world.samples
            or stage.surface.samples
        )
        self.scaled = None if plain else world.begin(visible, self.place, self.time)
        return self.scaled is None, views

    def _frame_passes(self) -> list[Pass]:
        """Return the list of passes for a frame."""
        panels = self.panels
        clears_now = self._stage.barred or panels.covered or self.scaled is None
        passes: list[Pass] = [_Clear(self, self._stage) if clears_now else _ClearLater(self)]
        if not panels.covered:
            passes += self._picture_passes()
        if panels.shown:
            passes.append(PanelsPass(self, panels))
        return passes

    def _picture_passes(self) -> list[Pass]:
        """Return the passes that draw the scenes and a transition."""
        passes: list[Pass] = []
        transition = self.transition
        if transition is not None:
            from .transition_drawing import BeginNew, ShowTransition

            passes += [] if transition.lies_over else [BeginNew(self, transition)]
        if self.scaled is not None:
            passes.append(OpenWorld(self))
        if self.pixel_art is not None:
            passes.append(self.pixel_art.first_pass)
        for index, (_, drawables, _) in enumerate(self.seen):
            views = drawables.views is not None
            passes.append(ScenePass(self, index, self._views() if views else self._draw_driven))
            if self.scaled is not None:
                last = index == len(self.seen) - 1
                passes.append(ShowEffects(self, self.world, index, transition if last else None))
        if self.scaled is not None:
            passes.append(ShowWorld(self))
        if transition is not None:
            passes.append(ShowTransition(self, transition, self._stage))
        return passes

    def _views(self) -> DrawContents:
        from .view_drawing import ViewDrawing  # imported here because few games use views

        return ViewDrawing(self, self._stage.graphics, self.world, self.pixel_art).draw

    def capture(self, transition: Transition) -> ActiveTransition | None:
        """Paint the scenes in their state after the last tick.

        Return a transition that begins with the painted image. Return None if the game cannot paint
        now.
        """
        stage = self._stage
        surface = self._stage.surface
        if not (surface.drawing and surface.drawable):
            return None
        from .transition_drawing import ActiveTransition

        game = stage.game
        now = float(game.timestep.time)
        size = stage.view.viewport[2:]
        active = ActiveTransition(stage.graphics, transition, now, game.tick, surface.samples)
        before = stage.busy, stage.painting, stage.between_ticks
        # Prevent changes to the scene stack. The flags also ensure that `draw` does not change the
        # state when it reads values.
        stage.busy = stage.painting = stage.between_ticks = True
        try:
            self.time = now
            self._paint_old(active, size)
        except BaseException:
            active.release()
            raise
        finally:
            stage.busy, stage.painting, stage.between_ticks = before
            self.seen = ()
        return active

    def _paint_old(self, transition: ActiveTransition, size: tuple[int, int]) -> None:
        """Paint the image of ``size`` pixels with which a transition begins."""
        old = transition.old(size)
        moment = self.moment
        moment.alpha = 1.0  # animations use this alpha
        moment.clock = None
        self._begin((0, 0, *size), False)
        old.begin(self.background)
        self.target = self.canvas = old.framebuffer
        for step in self._picture_passes():
            step.draw()
        transition.finish_old()

    def cross(self, transition: ActiveTransition | None) -> None:
        """Start ``transition``, an object that `capture` has returned. If it is None, end the
        current transition.
        """
        before = self.transition
        self.transition = transition
        self._passes = []
        self._built_for = ()
        if before is not None:
            before.release()

    # -- called by passes --------------------------------------------------------------------------

    def _draw_driven(self, drawables: SceneDrawables) -> None:
        if drawables.driven:
            self.draw(tuple(drawables.driven), drawables)

    @contextmanager
    def drawn_elsewhere(self, viewport: Place) -> Iterator[None]:
        """Return a context manager in which `draw_in_order` can draw to any framebuffer, between
        two frames. The state after the last tick is drawn.
        """
        stage = self._stage
        moment = self.moment
        before = stage.busy, stage.painting, stage.between_ticks
        camera = moment.camera
        clock = moment.clock
        alpha = moment.alpha
        stage.busy = stage.painting = stage.between_ticks = True
        self._written.clear()
        self.viewport = viewport
        moment.alpha = 1.0  # animations use this alpha
        moment.clock = None
        try:
            yield
        finally:
            stage.busy, stage.painting, stage.between_ticks = before
            moment.camera = camera
            moment.clock = clock
            moment.alpha = alpha
            self._written.clear()
            self.viewport = self.place

    def draw_in_order(self, drawn: Drawn, drawables: SceneDrawables) -> None:
        """Draw a list of drawables in the order of the list, each with its camera."""
        hud = drawables.hud
        bound = None
        paused = self.paused
        if len(drawn) >= _MIN_GROUPED:
            drawn = drawables.grouped(drawn)
        for drawable, camera in drawn:
            if camera is not bound:
                if camera is hud and self.scaled is not None:
                    self.bring(drawables)
                    self.clear_depth()
                if paused:
                    notice_writes(camera)
                self.bind(camera, drawables)
                bound = camera
            if paused:
                drawable.notice_writes()
            drawable.draw()

    def bind(self, camera: Camera, drawables: SceneDrawables) -> None:
        """Set the camera for all drawables that are drawn after this call."""
        block = drawables.frame_blocks.get(camera)
        moment = self.moment
        if block is None or camera not in self._written:
            packed = frame_block_of(camera)
            frame = packed(moment.alpha, self.time, self.viewport, moment.flicks)
            if block is None:
                ctx = self._stage.surface.ctx
                block = drawables.frame_blocks[camera] = ctx.buffer(frame, dynamic=True)
            else:
                block.write(frame)
        self._written.add(camera)
        block.bind_to_uniform_block(FRAME_BINDING)
        moment.camera = camera

    def bind_in(self, camera: Camera, drawables: SceneDrawables, viewport: Place) -> None:
        """Set the camera and the viewport for all drawables that are drawn after this call."""
        self.viewport = viewport
        self._written.discard(camera)
        self.bind(camera, drawables)

    def bring(self, drawables: SceneDrawables | None, over: Over | None = None) -> None:
        """Apply the effects of a scene to the offscreen image `scaled`, and copy it to the
        framebuffer `canvas`. Later passes draw directly to `canvas`, or to a second offscreen image
        if a higher scene also has effects.
        """
        scaled = self.scaled
        assert scaled is not None
        next_image = self.scaled = self.world.show(
            scaled, self.canvas, drawables, self.place, self.moment.alpha, over
        )
        if next_image is not scaled:
            self.viewport = self.place if next_image is None else (0, 0, *next_image.size)
            self._written.clear()

    def leave_uncleared(self) -> None:
        """Do not clear the depth buffer of `target` now, because a later pass may clear it. The
        first pass that needs the depth buffer calls `clear_depth`.
        """
        self._uncleared = self.target

    def clear_depth(self) -> None:
        """Clear the depth buffer of `target`, unless this frame has already cleared it."""
        target = self._uncleared
        self._uncleared = None
        if target is not None:
            target.color_mask = False, False, False, False
            target.clear()
            target.color_mask = True, True, True, True
            # moderngl applies the color mask only when a framebuffer is bound.
            self._stage.surface.ctx.fbo.use()

    # -- times, screenshots and pyglet -------------------------------------------------------------

    def paint_timed(self, timestep: Timestep, frame: FrameTimes) -> None:
        """Paint a frame, and start measuring the time that the GPU needs for it. Also store the
        measured times of all earlier frames that the GPU has finished.
        """
        if self.gpu_timer is None:
            from ..gpu.timer import GpuTimer

            self.gpu_timer = GpuTimer()
        timer = self.gpu_timer
        timer.begin(frame)
        self.paint(timestep)
        timer.end()
        for painted, duration in timer.finished():
            painted.gpu = self.gpu_took = duration

    def mark_unpainted(self) -> None:
        """Mark the last painted frame as out of date, because ticks have run since then. After this
        call, `pixels` first paints a new frame.
        """
        self._painted = False

    def pixels(self, timestep: Timestep) -> NDArray[np.uint8]:
        """Return the pixels of the last frame. Return a uint8 array of shape (height, width, 4).
        Row 0 is at the top. If ticks have run since the last painted frame, first paint a new
        frame.
        """
        stage = self._stage
        surface = stage.surface
        if stage.busy:
            raise FrameworkError(
                "pixels: the frame is not finished; call pixels() between two frames"
            )
        if not surface.drawable:
            return np.zeros((surface.framebuffer_size[1], surface.framebuffer_size[0], 4), np.uint8)
        # `Game.advance` may have painted this frame already, so do not paint it again.
        if not (surface.headless and self._painted):
            self.paint(timestep, off_screen=True)
        pixels: NDArray[np.uint8] = surface.read()
        return pixels

    @contextmanager
    def pyglet_drawing(self) -> Iterator[None]:
        """A context manager in which pyglet can draw. See `Picture.pyglet_drawing`."""
        from pyglet.math import Mat4

        ctx = self._stage.surface.ctx
        window = self._stage.surface.window
        width, height = self._stage.view.size
        window.ubo.bind()
        window.projection = Mat4.orthogonal_projection(0, width, 0, height, -8192, 8192)
        window.view = Mat4()
        ctx.enable_only(moderngl.BLEND)
        try:
            yield
        finally:
            target = ctx.fbo
            target.viewport = self.viewport
            target.use()
            ctx.enable_only(moderngl.BLEND)

    def release(self) -> None:
        """Called when the game ends. Free all GPU memory of the painter."""
        with ExitStack() as ending:  # an error in one release must not prevent the others
            for part in (self.gpu_timer, self.world, self.pixel_art, self.transition, self.panels):
                if part is not None:
                    ending.callback(part.release)
        self.gpu_timer = self.pixel_art = self.transition = None
        self._passes = []


class _Clear:
    """The pass that clears the screen: the game's area to the background color, and the bars beside
    it to the letterbox color.
    """

    def __init__(self, painter: Painter, stage: Stage) -> None:
        self._painter = painter
        self._stage = stage

    def draw(self) -> None:
        painter = self._painter
        barred = self._stage.barred
        target = painter.target
        if barred:
            target.clear(*painter.letterbox_color, 1.0)
            target.clear(*painter.background, 1.0, viewport=painter.whole)
        else:
            target.clear(*painter.background, 1.0)


class _ClearLater:
    """The first pass of a frame whose scenes are drawn to an offscreen image. It does not clear the
    colors, because the offscreen image later covers the whole framebuffer.
    """

    def __init__(self, painter: Painter) -> None:
        self._painter = painter

    def draw(self) -> None:
        self._painter.leave_uncleared()


class ScenePass:
    """The pass that draws one scene: first its drawables, then its method ``draw``."""

    def __init__(self, painter: Painter, index: int, draw_contents: DrawContents) -> None:
        self._painter = painter
        self._index = index
        self._draw_contents = draw_contents

    def draw(self) -> None:
        painter = self._painter
        scene, drawables, _ = painter.seen[self._index]
        if painter.paused:
            for values in drawables.effect_values():
                values.notice_writes()
        if drawables.with_own_camera:
            drawables.exchange_cameras()
        if painter.scaled is None:
            painter.clear_depth()
        self._draw_contents(drawables)
        draw = scene.draw
        if getattr(draw, "__func__", None) is not Scene.draw:
            draw(painter.moment.alpha)
