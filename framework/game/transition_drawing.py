"""Draw a transition, which blends from an image of the old scenes to the new scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..gpu.gl import moderngl
from ..gpu.graphics import Graphics
from ..gpu.passes import EffectChain, Over
from ..gpu.scaled import ScaledFramebuffer
from ..gpu.transitions import Transition, hides_by_old_alone, progress_at
from ..gpu.uniforms import uniforms_of

if TYPE_CHECKING:
    from .painter_interface import Painting
    from .stage import Stage


class ActiveTransition:
    """A transition between scenes that is running.

    The transition stores an image of the old scenes, so the old scenes themselves are no longer
    needed. A running transition is not part of the game's state. If the game goes back to a tick
    before the transition, the transition ends.
    """

    def __init__(
        self, graphics: Graphics, transition: Transition, start: float, tick: int, samples: int
    ) -> None:
        self._chain = EffectChain.of(graphics)
        self._samples = samples
        self.transition = transition
        self.start = start
        self.tick = tick
        self._uniforms = uniforms_of(transition)
        self._old: ScaledFramebuffer | None = None
        self._new: ScaledFramebuffer | None = None
        self._plain: moderngl.Framebuffer | None = None
        self._over: Over | None = None

    def goes_on(self, time: float, tick: int) -> bool:
        """Return whether the transition is still running. ``time`` is the game time of the frame in
        seconds, and ``tick`` is the number of the last tick.
        """
        return tick >= self.tick and time < self.start + self.transition.duration

    def old(self, size: tuple[int, int]) -> ScaledFramebuffer:
        """Return a new image, to which the old scenes are painted once."""
        self._old = ScaledFramebuffer(self._chain.ctx, size, self._samples)
        if self.lies_over:
            # The image has the size of the screen and never moves, so the cheapest filter is
            # enough.
            self._old.texture.filter = moderngl.NEAREST, moderngl.NEAREST
            if hides_by_old_alone(self.transition) and not self._samples:
                # Without a depth buffer, the framebuffer needs no copy of the depth.
                self._plain = self._chain.ctx.framebuffer([self._old.texture])
        return self._old

    @property
    def lies_over(self) -> bool:
        """Whether the transition draws the old image above the new scenes, as an overlay, so that
        the new scenes need no offscreen image.
        """
        return bool(self._uniforms.file)

    def finish_old(self) -> None:
        """Resolve the MSAA samples of the old image. Called after the old scenes have been painted
        to this image.
        """
        if self._old is not None:
            self._old.resolve()

    def new(self, size: tuple[int, int]) -> ScaledFramebuffer:
        """Return the image to which the new scenes are painted in each frame."""
        if self._new is None or self._new.size != size:
            if self._new is not None:
                self._new.release()
            self._new = ScaledFramebuffer(self._chain.ctx, size, self._samples)
        return self._new

    def over(self, time: float) -> Over | None:
        """Return the old image as an overlay for this frame. Return None if the transition blends
        two images, without an overlay.
        """
        if not self.lies_over or self._old is None:
            return None
        self._over = Over(self._uniforms, self._progress(time), self._old.texture, self._plain)
        return self._over

    def _progress(self, time: float) -> float:
        return progress_at(self.transition, (time - self.start) / self.transition.duration)

    def show(self, target: moderngl.Framebuffer, time: float, units: tuple[float, float]) -> None:
        """Draw the transition to the viewport of ``target``, and bind ``target``."""
        old = self._old
        new = self._new
        chain = self._chain
        assert old is not None
        over = self._over
        self._over = None
        if over is not None and over.drawn:
            return
        chain.time = time
        chain.units = units
        progress = self._progress(time)
        if new is None:
            target.use()
            chain.draw_transition_overlay(self._uniforms, progress, old.texture)
        else:
            new.resolve()
            target.use()
            chain.draw_transition(self._uniforms, progress, old.texture, new.texture)

    def release(self) -> None:
        """Release the images of the transition, to free GPU memory."""
        images = self._plain, self._old, self._new
        self._plain = self._old = self._new = None
        for image in images:
            if image is not None:
                image.release()


class BeginNew:
    """The pass (drawing step) that begins an offscreen image for the new scenes. Later in the
    frame, the transition blends the image of the new scenes with the image of the old scenes.
    """

    def __init__(self, painting: Painting, transition: ActiveTransition) -> None:
        self._painting = painting
        self._transition = transition

    def draw(self) -> None:
        painting = self._painting
        new = self._transition.new(painting.place[2:])
        new.begin(painting.background)
        painting.canvas = new.framebuffer


class ShowTransition:
    """The pass (drawing step) that draws the transition."""

    def __init__(self, painting: Painting, transition: ActiveTransition, stage: Stage) -> None:
        self._painting = painting
        self._transition = transition
        self._stage = stage

    def draw(self) -> None:
        painting = self._painting
        painting.target.viewport = painting.viewport = painting.whole
        self._transition.show(painting.target, painting.time, self._stage.view.size)
