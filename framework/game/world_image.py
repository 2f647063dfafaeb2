"""Draw the world to an offscreen image, for example to draw it at another resolution."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ..gpu.gl import moderngl
from .scene_drawables import SceneDrawables
from .stage import Entry, Stage

if TYPE_CHECKING:  # only for type checkers, so that most games do not load it
    from ..gpu.passes import Over
    from ..gpu.scaled import ScaledFramebuffer
    from ..watch.quality import Quality
    from .effect_drawing import EffectDrawing
    from .painter_interface import Painting, Place
    from .transition_drawing import ActiveTransition


class WorldImage:
    """The offscreen image to which the world is drawn. A frame has at most one world image.

    The world is drawn to this image in the following cases:

    - ``render_scale`` is not 1.
    - ``samples`` differs from the number of samples of the window.
    - A drawable reads the depth buffer, and the window has MSAA. In a window with MSAA, no drawable
      can read the depth buffer.
    - A visible scene has effects.

    The world is everything that is drawn before the first drawable that uses a scene's `hud`.
    """

    not_state = True

    def __init__(self, stage: Stage, render_scale: float) -> None:
        self._stage = stage
        self.samples = stage.surface.samples
        self.render_scale = render_scale
        self.of_texels = False
        """Whether the game has pixel art. In a game with pixel art, the resolution of the world is
        fixed.
        """
        self.quality: Quality | None = None
        self._applied: object = None  # the quality settings that are in use
        self.scaled: ScaledFramebuffer | None = None
        self._scaled_for: tuple[object, ...] = ()
        # The object that draws effects, only while a frame has effects.
        self._grading: EffectDrawing | None = None

    def begin(self, seen: Sequence[Entry], place: Place, time: float) -> ScaledFramebuffer | None:
        """Begin a frame that shows the scenes ``seen``. Return the offscreen image of the world.
        Return None if the world is drawn directly to the target framebuffer. ``place`` is the
        viewport of the frame in the target framebuffer. ``time`` is the game time of the frame in
        seconds.
        """
        if self.quality is not None:
            self._apply(self.quality)
        surface = self._stage.surface
        light = self._grade([entry.drawables for entry in seen], place, time)
        scale, samples = (1.0, 0) if self.of_texels else (self.render_scale, self.samples)
        is_direct = self.of_texels or (
            (scale, samples) == (1, surface.samples) and not self._needs_depth()
        )
        if self._grading is None and is_direct:
            if self.scaled is not None:
                self._drop_scaled()
            return None
        needed = (place[2:], scale, samples, light)
        if needed != self._scaled_for:
            self._drop_scaled()
            self.scaled = _new_scaled(surface.ctx, place[2:], scale, samples, light)
            self._scaled_for = needed
        return self.scaled

    def _needs_depth(self) -> bool:
        """Return whether the world needs an offscreen image because a drawable reads the depth
        buffer, which is impossible in a window with MSAA.
        """
        surface = self._stage.surface
        if not surface.samples or surface.headless:
            return False
        return any(
            drawable.reads_depth for on in self._stage.stack for drawable, _ in on.drawables.driven
        )

    def _grade(self, seen: list[SceneDrawables], place: Place, time: float) -> bool:
        """Prepare the effects of all scenes for a frame. Return whether an effect in the frame
        needs colors brighter than white.
        """
        if not any(drawables.effects for drawables in seen):
            self._drop_grading()
            return False
        from .effect_drawing import (
            EffectDrawing,
            graded,
            keeps_light,
        )  # imported here so that games without effects do not load it

        waiting = graded(seen)
        stage = self._stage
        if not waiting:
            self._drop_grading()
            return False
        light = keeps_light(waiting, seen)
        if self._grading is None:
            self._grading = EffectDrawing(stage.graphics, self._picture)
        self._grading.begin_frame(waiting, place, stage.view.size, time, light)
        return light

    def _picture(self, size: tuple[int, int]) -> ScaledFramebuffer:
        """Return a new offscreen image of ``size`` pixels. The new image has the same number of
        samples and the same format as the image of the world.
        """
        from ..gpu.scaled import ScaledFramebuffer

        assert self.scaled is not None
        return ScaledFramebuffer(
            self._stage.surface.ctx, size, self.scaled.samples, self.scaled.texture.dtype
        )

    def waits_for(self, drawables: SceneDrawables) -> bool:
        """Return whether the effects of a scene have not been applied in this frame yet."""
        return self._grading is not None and self._grading.waits_for(drawables)

    def show(
        self,
        painted: ScaledFramebuffer,
        target: moderngl.Framebuffer,
        drawables: SceneDrawables | None,
        place: Place,
        alpha: float,
        over: Over | None,
    ) -> ScaledFramebuffer | None:
        """Apply the effects of the scene ``drawables`` to the image ``painted``, and copy the
        result to the viewport ``place`` of ``target``. If ``drawables`` is None, copy the image
        without effects. Return the offscreen image to which the next drawables must be painted.
        Return None if the next drawables must be painted to ``target``.
        """
        if self._grading is not None:
            return self._grading.show(painted, target, drawables, alpha, over)
        target.viewport = place
        painted.show(target)
        return None

    # -- quality -----------------------------------------------------------------------------------

    def set_quality(self, quality: Quality | None) -> None:
        """Set the `Quality` object that changes the resolution and the samples. With None, the
        resolution and the samples never change.
        """
        self.quality = quality
        self._applied = None
        if quality is not None:
            self._apply(quality)

    def _apply(self, quality: Quality) -> None:
        settings = quality.settings
        if settings is not self._applied:
            self._applied = settings
            self.render_scale = settings.get("render_scale", self.render_scale)
            self.samples = min(
                settings.get("samples", self.samples), self._stage.surface.max_samples
            )

    # -- release -----------------------------------------------------------------------------------

    def _drop_grading(self) -> None:
        grading = self._grading
        self._grading = None
        if grading is not None:
            grading.release()

    def _drop_scaled(self) -> None:
        scaled = self.scaled
        self.scaled = None
        self._scaled_for = ()
        if scaled is not None:
            scaled.release()

    def release(self) -> None:
        """Release the world image and the images of effects, to free GPU memory."""
        with ExitStack() as ending:  # an error in one release must not prevent the other
            ending.callback(self._drop_scaled)
            ending.callback(self._drop_grading)


def _new_scaled(
    ctx: moderngl.Context, size: tuple[int, int], scale: float, samples: int, light: bool
) -> ScaledFramebuffer:
    """Create the offscreen image for a viewport of ``size`` pixels. ``light`` is True if the image
    must store colors brighter than white.
    """
    from ..gpu.scaled import ScaledFramebuffer, scaled_size

    info = ctx.info
    limit = min(info["GL_MAX_TEXTURE_SIZE"], info["GL_MAX_RENDERBUFFER_SIZE"])
    size = scaled_size(size, scale, limit)
    return ScaledFramebuffer(ctx, size, samples, "f2" if light else "f1")


class OpenWorld:
    """The pass (drawing step) that begins the world image. All later passes draw to the world
    image.
    """

    def __init__(self, painting: Painting) -> None:
        self._painting = painting

    def draw(self) -> None:
        painting = self._painting
        scaled = painting.scaled
        assert scaled is not None
        painting.viewport = (0, 0, *scaled.size)
        scaled.begin(painting.background)


class ShowEffects:
    """The pass (drawing step) that applies the effects of a scene after the scene has been painted.
    If the effects were already applied before the scene's `hud` was painted, this pass does
    nothing.
    """

    def __init__(
        self, painting: Painting, world: WorldImage, index: int, transition: ActiveTransition | None
    ) -> None:
        self._painting = painting
        self._world = world
        self._index = index
        self._transition = transition  # the transition that is drawn above the last scene

    def draw(self) -> None:
        painting = self._painting
        drawables = painting.seen[self._index].drawables
        if painting.scaled is None or not self._world.waits_for(drawables):
            return
        transition = self._transition
        over = None if transition is None else transition.over(painting.time)
        painting.bring(drawables, over)


class ShowWorld:
    """The pass (drawing step) that copies the world image to the target framebuffer. If it has
    already been copied, this pass does nothing.
    """

    def __init__(self, painting: Painting) -> None:
        self._painting = painting

    def draw(self) -> None:
        if self._painting.scaled is not None:
            self._painting.bring(None)
