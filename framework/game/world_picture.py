"""Where the world is painted when that is not the window's own picture: at another resolution, or
for effects.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ..gpu.gl import moderngl
from .contents import Contents
from .stage import Entry, Stage

if TYPE_CHECKING:  # what only some games show need not be loaded by all
    from ..gpu.passes import Over
    from ..gpu.scaled import ScaledPicture
    from ..watch.quality import Quality
    from .crossing import Crossing
    from .graded import Grading
    from .painting import Painting, Place


class WorldPicture:
    """The world's picture, of which a frame has one, or none.

    The world is painted off screen, with other pixels, when ``render_scale`` is not 1 or
    ``samples`` are not those of the window, or depth is read, which a window with MSAA does not
    give, or a scene that is seen has effects: up to the first drawable that was added with a
    scene's `hud`.
    """

    not_state = True

    def __init__(self, stage: Stage, render_scale: float) -> None:
        self._stage = stage
        self.samples = stage.surface.samples
        self.render_scale = render_scale
        self.of_texels = False
        """Whether the game is pixel art, whose texels have one resolution."""
        self.quality: Quality | None = None
        self._applied: object = None  # the quality's settings that are in force
        self.scaled: ScaledPicture | None = None
        self._scaled_for: tuple[object, ...] = ()
        self._grading: Grading | None = None  # of a picture that goes through effects

    def begin(self, seen: Sequence[Entry], place: Place, time: float) -> ScaledPicture | None:
        """A picture of these scenes begins, which is to lie at ``place`` of its target, at a moment
        in simulated seconds. Returns where the world is painted, None for the target."""
        if self.quality is not None:
            self._apply(self.quality)
        surface = self._stage.surface
        light = self._grade([entry.contents for entry in seen], place, time)
        scale, samples = (1.0, 0) if self.of_texels else (self.render_scale, self.samples)
        as_it_is = self.of_texels or (
            (scale, samples) == (1, surface.samples) and not self._needs_depth()
        )
        if self._grading is None and as_it_is:
            if self.scaled is not None:
                self._drop_scaled()
            return None
        wanted = (place[2:], scale, samples, light)
        if wanted != self._scaled_for:
            self._drop_scaled()
            info = surface.ctx.info
            limit = min(info["GL_MAX_TEXTURE_SIZE"], info["GL_MAX_RENDERBUFFER_SIZE"])
            from ..gpu.scaled import ScaledPicture, scaled_size

            size = scaled_size(place[2:], scale, limit)
            self.scaled = ScaledPicture(surface.ctx, size, samples, "f2" if light else "f1")
            self._scaled_for = wanted
        return self.scaled

    def _needs_depth(self) -> bool:
        """Whether depth is read that a window's own picture, with MSAA, does not give."""
        surface = self._stage.surface
        if not surface.samples or surface.headless:
            return False
        return any(
            drawable.reads_depth for on in self._stage.on for drawable, _ in on.contents.driven
        )

    def _grade(self, seen: list[Contents], place: Place, time: float) -> bool:
        """Whether scenes have effects shows here, in `_grading`. Returns whether light above white
        is kept for them.
        """
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
        self._grading.begin_frame(waiting, place, stage.view.size, time, light)
        return light

    def _picture(self, size: tuple[int, int]) -> ScaledPicture:
        """One more picture of the kind of the first."""
        from ..gpu.scaled import ScaledPicture

        assert self.scaled is not None
        return ScaledPicture(
            self._stage.surface.ctx, size, self.scaled.samples, self.scaled.texture.dtype
        )

    def waits_for(self, contents: Contents) -> bool:
        """Whether the effects of a scene are still to be done."""
        return self._grading is not None and self._grading.waits_for(contents)

    def show(
        self,
        painted: ScaledPicture,
        target: moderngl.Framebuffer,
        contents: Contents | None,
        place: Place,
        alpha: float,
        over: Over | None,
    ) -> ScaledPicture | None:
        """What was ``painted`` of the world of a scene, or of all (None), is brought to ``place``
        of a target. Returns where what follows is painted, None for the target."""
        if self._grading is not None:
            return self._grading.show(painted, target, contents, alpha, over)
        target.viewport = place
        painted.show(target)
        return None

    # -- its quality -------------------------------------------------------------------------------

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
            self.samples = min(
                settings.get("samples", self.samples), self._stage.surface.max_samples
            )

    # -- its end -----------------------------------------------------------------------------------

    def _drop_grading(self) -> None:
        grading, self._grading = self._grading, None
        if grading is not None:
            grading.release()

    def _drop_scaled(self) -> None:
        scaled, self.scaled, self._scaled_for = self.scaled, None, ()
        if scaled is not None:
            scaled.release()

    def release(self) -> None:
        """Free the pictures."""
        with ExitStack() as ending:  # one that fails does not keep the other from being released
            ending.callback(self._drop_scaled)
            ending.callback(self._drop_grading)


class OpenWorld:
    """Paints the world to its own picture from here on."""

    def __init__(self, painting: Painting) -> None:
        self._painting = painting

    def draw(self) -> None:
        painting = self._painting
        scaled = painting.scaled
        assert scaled is not None
        painting.viewport = (0, 0, *scaled.size)
        scaled.begin(painting.background)


class ShowEffects:
    """Brings what was painted until a scene is through its effects, unless its hud did."""

    def __init__(
        self, painting: Painting, world: WorldPicture, index: int, crossing: Crossing | None
    ) -> None:
        self._painting, self._world, self._index = painting, world, index
        self._crossing = crossing  # over the last scene, which nothing else lies below

    def draw(self) -> None:
        painting = self._painting
        contents = painting.seen[self._index].contents
        if painting.scaled is None or not self._world.waits_for(contents):
            return
        crossing = self._crossing
        over = None if crossing is None else crossing.over(painting.time)
        painting.bring(contents, over)


class ShowWorld:
    """Brings the world's picture to where it is seen, unless a hud or effects did."""

    def __init__(self, painting: Painting) -> None:
        self._painting = painting

    def draw(self) -> None:
        if self._painting.scaled is not None:
            self._painting.bring(None)
