"""Draw scenes and views with their screen effects, such as bloom."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..gpu.passes import EffectChain, Over
from ..gpu.scaled import ScaledFramebuffer
from ..gpu.screen_effects import Effect, active, look_of

if TYPE_CHECKING:
    from .scene_drawables import SceneDrawables
    from .views import View

Size = tuple[int, int]
Place = tuple[int, int, int, int]
Make = Callable[[Size], ScaledFramebuffer]


def graded(seen: Iterable[SceneDrawables]) -> list[SceneDrawables]:
    """Return the scenes that have enabled effects, such as bloom."""
    return [drawables for drawables in seen if drawables.effects and active(drawables.effects)]


def keeps_light(waiting: Iterable[SceneDrawables], seen: Iterable[SceneDrawables]) -> bool:
    """Return whether the image of a frame needs a format that can store colors brighter than white.
    The result is True if a drawable draws such colors and an enabled effect uses them.
    """
    lists = [active(drawables.effects) for drawables in waiting if drawables.effects is not None]
    if not any(shines(effects) for effects in lists):
        return False
    return any(drawable.keeps_light for drawables in seen for drawable, _ in drawables.driven)


def shines(effects: Iterable[Effect]) -> bool:
    """Return whether at least one of ``effects`` uses colors brighter than white."""
    return any(look_of(effect).keeps_light for effect in effects)


class ViewWithEffects:
    """The offscreen image of a view with effects."""

    def __init__(self, graphics: Graphics, view: View, light: bool, time: float) -> None:
        self._chain = EffectChain.of(graphics)
        self._moment = graphics.moment
        self._view = view
        chain = self._chain
        self._before = chain.units, chain.time, chain.in_space, self._moment.above_white
        chain.units = view.size
        chain.time = time
        chain.in_space = light
        self._moment.above_white = light

    def begin(
        self, target: moderngl.Framebuffer, size: Size, samples: int, color: tuple[float, ...]
    ) -> moderngl.Framebuffer:
        """Clear the offscreen image of the view, and return its framebuffer for drawing. Later, the
        method `show` copies the image into the current viewport of ``target``.
        """
        self._target = target
        self._picture = self._chain.canvas(size, samples)
        self._picture.begin((color[0], color[1], color[2]))
        return self._picture.framebuffer

    def show(self, alpha: float) -> None:
        """Apply the effects of the view to its offscreen image, and draw the result to the target
        framebuffer.
        """
        self._chain.show(
            self._picture, active(self._view.effects), self._target, alpha, owner=self._view
        )

    def end(self) -> None:
        """Restore the settings of the effect chain, which all views share."""
        chain = self._chain
        chain.units, chain.time, chain.in_space, self._moment.above_white = self._before


class EffectDrawing:
    """Draws the scenes of a frame with their effects.

    The effects of a scene apply to its drawables and to all scenes below it. The `hud` of a scene
    is painted after the effects, so the effects do not change it. If a higher scene also has
    effects, the result is drawn to a second offscreen image. The effects of the higher scene are
    then applied to this image.
    """

    def __init__(self, graphics: Graphics, make: Make) -> None:
        self._graphics = graphics
        self._make = make
        self._chain = EffectChain.of(graphics)
        self._images: dict[bool, ScaledFramebuffer] = {}
        self._waiting: list[SceneDrawables] = []
        self._second = False  # True if the second of the two images is the current one
        self._place: Place = (0, 0, 1, 1)
        self._light = False

    def begin_frame(
        self,
        waiting: list[SceneDrawables],
        place: Place,
        units: tuple[float, float],
        time: float,
        light: bool,
    ) -> None:
        """Prepare a new frame. ``waiting`` is a list of all scenes with enabled effects. ``place``
        is the viewport of the frame in the target framebuffer, in pixels.
        """
        if light is not self._light or place[2:] != self._place[2:]:
            self._drop()
        self._waiting = waiting
        self._place = place
        self._light = light
        self._second = False
        chain = self._chain
        chain.units = units
        chain.time = time
        chain.in_space = light
        self._graphics.moment.above_white = light

    def waits_for(self, drawables: SceneDrawables) -> bool:
        """Return whether the effects of a scene have not been applied in this frame yet."""
        return any(waiting is drawables for waiting in self._waiting)

    def show(
        self,
        image: ScaledFramebuffer,
        target: moderngl.Framebuffer,
        drawables: SceneDrawables | None,
        alpha: float,
        over: Over | None,
    ) -> ScaledFramebuffer | None:
        """Apply the effects of a scene. Called after the drawables of the scene have been painted,
        and before its `hud` is painted. Return the offscreen image to which the next drawables must
        be painted, or None if they must be painted directly to the target framebuffer.
        """
        effects: list[Effect] = []
        if drawables is not None and drawables.effects is not None and self.waits_for(drawables):
            effects = active(drawables.effects)
            self._waiting = [waiting for waiting in self._waiting if waiting is not drawables]
        if self._waiting:
            if not effects and image.size == self._place[2:]:
                return image
            next_image = self._next()
            next_image.begin((0.0, 0.0, 0.0))
            self._chain.show(image, effects, next_image.framebuffer, alpha, owner=drawables)
            return next_image
        target.viewport = self._place
        self._chain.show(image, effects, target, alpha, over, drawables)
        self._graphics.moment.above_white = False
        return None

    def _next(self) -> ScaledFramebuffer:
        self._second = not self._second
        if self._second not in self._images:
            width, height = self._place[2:]
            self._images[self._second] = self._make((width, height))
        return self._images[self._second]

    def _drop(self) -> None:
        images = self._images
        self._images = {}
        for image in images.values():
            image.release()

    def release(self) -> None:
        """Release the offscreen images."""
        self._graphics.moment.above_white = False
        self._drop()
