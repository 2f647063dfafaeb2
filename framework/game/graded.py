"""The pictures of a frame whose scenes have effects: whose are done when, and what is painted where
meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ..gpu.gl import moderngl
from ..gpu.grading import Effect, active, look_of
from ..gpu.graphics import Graphics
from ..gpu.passes import EffectChain, Over
from ..gpu.scaled import ScaledPicture

if TYPE_CHECKING:
    from .contents import Contents
    from .views import View

Size = tuple[int, int]
Place = tuple[int, int, int, int]
Make = Callable[[Size], ScaledPicture]


def graded(seen: Iterable[Contents]) -> list[Contents]:
    """Those of the scenes that are painted whose pictures go through effects."""
    return [contents for contents in seen if contents.effects and active(contents.effects)]


def keeps_light(waiting: Iterable[Contents], seen: Iterable[Contents]) -> bool:
    """Whether something shines that is to be seen above white: in a picture of space."""
    lists = [active(contents.effects) for contents in waiting if contents.effects is not None]
    if not any(shines(effects) for effects in lists):
        return False
    return any(drawable.keeps_light for contents in seen for drawable, _ in contents.driven)


def shines(effects: Iterable[Effect]) -> bool:
    """Whether what is above white is seen with these."""
    return any(look_of(effect).keeps_light for effect in effects)


class GradedView:
    """The picture of a view that goes through effects of its own, while it is painted."""

    def __init__(self, graphics: Graphics, view: View, light: bool, time: float) -> None:
        self._chain, self._moment, self._view = EffectChain.of(graphics), graphics.moment, view
        chain = self._chain
        self._before = chain.units, chain.time, chain.in_space, self._moment.above_white
        chain.units, chain.time, chain.in_space = view.size, time, light
        self._moment.above_white = light

    def begin(
        self, target: moderngl.Framebuffer, size: Size, samples: int, color: tuple[float, ...]
    ) -> moderngl.Framebuffer:
        """Have all drawn in a picture of its own, which is to lie at ``target``'s viewport. Returns
        where.
        """
        self._target, self._picture = target, self._chain.canvas(size, samples)
        self._picture.begin((color[0], color[1], color[2]))
        return self._picture.framebuffer

    def show(self, alpha: float) -> None:
        """Lay it over where it is to lie, with its effects, and draw there from now on."""
        self._chain.show(
            self._picture, active(self._view.effects), self._target, alpha, owner=self._view
        )

    def end(self) -> None:
        """What was before is again."""
        chain = self._chain
        chain.units, chain.time, chain.in_space, self._moment.above_white = self._before


class Grading:
    """A frame's pictures between the scenes and where they are seen.

    What was painted until a scene is through, or comes to what is seen through its hud, goes
    through its effects, and what follows is painted over that: in another picture, as long as there
    are scenes with effects to come.
    """

    def __init__(self, graphics: Graphics, make: Make) -> None:
        self._graphics, self._make = graphics, make
        self._chain = EffectChain.of(graphics)
        self._pictures: dict[bool, ScaledPicture] = {}
        self._waiting: list[Contents] = []
        self._second = False  # whether it is the second one of the two that is painted
        self._place: Place = (0, 0, 1, 1)
        self._light = False

    def begin_frame(
        self,
        waiting: list[Contents],
        place: Place,
        units: tuple[float, float],
        time: float,
        light: bool,
    ) -> None:
        """A frame begins: it comes to lie at ``place`` of its target."""
        if light is not self._light or place[2:] != self._place[2:]:
            self._drop()
        self._waiting, self._place, self._light, self._second = waiting, place, light, False
        chain = self._chain
        chain.units, chain.time, chain.in_space = units, time, light
        self._graphics.moment.above_white = light

    def waits_for(self, contents: Contents) -> bool:
        """Whether the effects of a scene are still to be done."""
        return any(waiting is contents for waiting in self._waiting)

    def show(
        self,
        picture: ScaledPicture,
        target: moderngl.Framebuffer,
        contents: Contents | None,
        alpha: float,
        over: Over | None,
    ) -> ScaledPicture | None:
        """A scene is through, or comes to its hud: returns where what follows is painted, None for
        the target.
        """
        effects: list[Effect] = []
        if contents is not None and contents.effects is not None and self.waits_for(contents):
            effects = active(contents.effects)
            self._waiting = [waiting for waiting in self._waiting if waiting is not contents]
        if self._waiting:
            if not effects and picture.size == self._place[2:]:
                return picture
            following = self._next()
            following.begin((0.0, 0.0, 0.0))
            self._chain.show(picture, effects, following.framebuffer, alpha, owner=contents)
            return following
        target.viewport = self._place
        self._chain.show(picture, effects, target, alpha, over, contents)
        self._graphics.moment.above_white = False
        return None

    def _next(self) -> ScaledPicture:
        self._second = not self._second
        if self._second not in self._pictures:
            width, height = self._place[2:]
            self._pictures[self._second] = self._make((width, height))
        return self._pictures[self._second]

    def _drop(self) -> None:
        pictures, self._pictures = self._pictures, {}
        for picture in pictures.values():
            picture.release()

    def release(self) -> None:
        """Free the pictures."""
        self._graphics.moment.above_white = False
        self._drop()
