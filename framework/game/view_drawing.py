"""Draw each view of a scene to its own area of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .views import has_effects, pixels_of

if TYPE_CHECKING:
    from ..gpu.gl import moderngl
    from ..gpu.graphics import Graphics
    from .effect_drawing import ViewWithEffects
    from .painter_interface import Drawn, Painting
    from .pixel_art import PixelArt
    from .scene_drawables import SceneDrawables
    from .views import View
    from .world_image import WorldImage


class ViewDrawing:
    """Draws scenes that have views. Drawables that belong to no view are drawn on the whole screen,
    either below or above the views.
    """

    def __init__(
        self,
        painting: Painting,
        graphics: Graphics,
        world: WorldImage,
        pixel_art: PixelArt | None,
    ) -> None:
        self._painting = painting
        self._graphics = graphics
        self._world = world
        self._pixel_art = pixel_art

    def draw(self, drawables: SceneDrawables) -> None:
        """Draw a scene that has at least one view."""
        assert drawables.views is not None
        for view, drawn in drawables.views.passes():
            if view is None:
                self._painting.draw(drawn, drawables)
            else:
                self._draw_view(view, drawn, drawables)

    def _draw_view(self, view: View, drawn: Drawn, drawables: SceneDrawables) -> None:
        painting = self._painting
        pixel_art = self._pixel_art
        canvas = self._graphics.ctx.fbo
        whole = painting.viewport
        scaled = painting.scaled
        viewport = pixels_of(view, whole)
        if min(viewport[2:]) <= 0:
            return
        graded = self._graded(view, drawn)
        if pixel_art is not None:
            backdrop = pixel_art.backdrop
            pixel_art.backdrop = view.background
        try:
            painting.viewport = viewport
            painting.scaled = None
            self._open(view, canvas, graded)
            painting.draw(drawn, drawables)
            if graded is not None:
                graded.show(painting.moment.alpha)
            if view.texture is not None:
                from ..gpu.render_texture import framebuffer_of

                framebuffer_of(view.texture).finish()
        finally:
            if graded is not None:
                graded.end()
            if pixel_art is not None and view.texture is not None:
                pixel_art.backdrop = backdrop  # the screen's background, which is drawn later
            painting.scaled = scaled
            canvas.viewport = painting.viewport = whole
            canvas.use()

    def _graded(self, view: View, drawn: Drawn) -> ViewWithEffects | None:
        """Return an object that applies the effects of a view, or None if the view has no enabled
        effects.
        """
        if not has_effects(view):
            return None
        from ..gpu.screen_effects import active
        from .effect_drawing import ViewWithEffects, shines

        effects = active(view.effects)
        if not effects:
            return None

        light = self._graphics.moment.above_white
        light = light or (shines(effects) and any(drawable.keeps_light for drawable, _ in drawn))
        return ViewWithEffects(self._graphics, view, light, self._painting.time)

    def _open(
        self, view: View, canvas: moderngl.Framebuffer, graded: ViewWithEffects | None
    ) -> None:
        """Bind the framebuffer of a view, and fill the view's area with its background color."""
        painting = self._painting
        color = view.background
        if view.texture is not None:
            from ..gpu.render_texture import framebuffer_of

            canvas = framebuffer_of(view.texture).begin(
                self._graphics.ctx, color or (0.0, 0.0, 0.0, 0.0)
            )
        else:
            canvas.viewport = painting.viewport
        x, y, width, height = painting.viewport
        if graded is not None:
            painting.viewport = 0, 0, width, height
            samples = (
                0
                if self._pixel_art is not None or view.texture is not None
                else self._world.samples
            )
            graded.begin(canvas, (width, height), samples, color or (*painting.background, 1.0))
        elif view.texture is None:
            if color is not None:
                canvas.clear(*color, viewport=(x, y, width, height))
            canvas.use()
