"""Draw a game at a low resolution, but let the image follow the camera smoothly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ..geometry import exact
from ..gpu.gl import moderngl
from ..gpu.pixelated import BORDER, PixelFramebuffer
from ..motion.camera_base import notice_writes
from ..plane.camera2d import Camera2D, parallax_center
from ..plane.sprite_drawing import drawing_of
from ..plane.sprites import Sprite
from ..screen_mapping import ScreenMapping
from ..tiles.parallax_layers import ParallaxLayer

if TYPE_CHECKING:
    from ..assets.palettes import Palette
    from ..gpu.graphics import Graphics
    from .painter_interface import Drawn, PaintedBackend, Painting, Place
    from .scene_drawables import Camera, SceneDrawables

Color = tuple[float, float, float, float]
Pair = tuple[float, float]
Mark = Sprite | tuple[Pair, Pair | None] | None

Bind = Callable[["Camera", "Place"], None]
"""A function that sets the camera and the viewport for all drawables that are drawn after its
call.
"""

_CLEAR = 0.0, 0.0, 0.0, 0.0


class Step(NamedTuple):
    """One step in drawing a scene. The step draws a drawable, or some sprites of a batch."""

    drawable: PaintedBackend
    camera: Camera
    mark: Mark = None
    """A point in the world that must be drawn exactly at the corner of a texel. The point is the
    position of a sprite, the center of a parallax layer, or (for None) the origin of the world.
    Steps that have the same mark and camera can share a layer.
    """
    draw_part: Callable[[], None] | None = None
    """A function that draws some sprites of a `SpriteBatch`, or None to draw the whole drawable."""

    def draw(self) -> None:
        (self.draw_part or self.drawable.draw)()


class PixelLayer(NamedTuple):
    """An image of texels (pixels of the game), and its shift on the screen. The shift is a pair of
    numbers, in texels: to the right, and up.
    """

    camera: Camera
    mark: Mark
    picture: PixelFramebuffer
    pose: tuple[float, float, float, float]
    shift: tuple[float, float]


class _Twin(Camera2D):
    """A copy of a 2D camera whose position is rounded to whole texels. It replaces the camera when
    an image of texels is drawn.
    """

    __slots__ = ()


@parallax_center.register(_Twin)
def _(camera: _Twin, alpha: float, parallax: Pair, origin: Pair | None) -> Pair:
    return camera.position  # all drawables in a layer have the same parallax


class PixelArt:
    """Draws a game in whole texels (pixels of the game), as a stack of layers. A layer contains
    consecutive drawables that use the same camera.

    Each layer is drawn to its own image. The image is then drawn to the window, with a shift of up
    to half a texel. A drawable with parallax has its own layer. A sprite that the camera follows
    also has its own layer.

    A layer is drawn with a copy of its 2D camera. The position of the camera's copy is rounded to
    whole texels. While the camera moves from one texel to the next, the layer's image stays the
    same and only its shift changes, so the motion is smooth. All drawables in one image move
    together on the screen, so a drawable that moves differently needs its own image.
    """

    not_state = True

    def __init__(self, graphics: Graphics, painting: Painting) -> None:
        self._graphics = graphics
        self._painting = painting
        self.first_pass = BeginTexels(self, painting)
        self.palette: Palette | None = None
        """The palette of the game, or None if all colors are allowed."""
        self.backdrop: Color | None = None
        """The background color, or None after the first layer of the frame was drawn."""
        self._twin = _Twin((1, 1))
        self._images: list[PixelFramebuffer] = []
        self._used: set[PixelFramebuffer] = set()  # since `begin_frame`
        self._layers: list[PixelLayer] = []  # layers that have not been copied to the canvas yet

    def begin_frame(self, backdrop: Color) -> None:
        """Begin a frame, and free the images that the last frame did not use. ``backdrop`` is the
        background color of the frame.
        """
        unused = [image for image in self._images if image not in self._used]
        if unused:
            canvas = self._graphics.ctx.fbo
            for image in unused:
                image.release()
            canvas.use()
        self._images = [image for image in self._images if image in self._used]
        self._used.clear()
        self.backdrop = backdrop

    def draw(self, drawn: Drawn, drawables: SceneDrawables) -> None:
        """Draw the drawables of a scene as layers."""
        painting = self._painting
        if painting.paused:
            for each_camera in {id(camera): camera for _, camera in drawn}.values():
                notice_writes(each_camera)
            for drawable, _ in drawn:
                drawable.notice_writes()
        # If the world is scaled, the HUD is drawn at another resolution.
        hud = None if painting.scaled is None else drawables.hud

        def bind(camera: Camera, viewport: Place) -> None:
            painting.bind_in(camera, drawables, viewport)

        for is_over, run in groupby(drawn, lambda entry: entry[1] is hud):
            if is_over and painting.scaled is not None:
                painting.bring(drawables)
                painting.clear_depth()
            canvas = self._graphics.ctx.fbo
            viewport = painting.viewport
            try:
                self.paint(run, painting.moment.alpha, canvas, bind)
            finally:
                canvas.viewport = painting.viewport = viewport
                canvas.use()

    def paint(
        self,
        drawn: Iterable[tuple[PaintedBackend, Camera]],
        alpha: float,
        canvas: moderngl.Framebuffer,
        bind: Bind,
    ) -> None:
        """Draw drawables as layers, and copy the layers to the viewport of ``canvas``."""
        steps = list(_steps(drawn, alpha))
        # Some steps change the colors below them. They are drawn in every layer, so keep the layers
        # until the last of these steps.
        changing_steps = sum(step.drawable.changes_below for step in steps)
        bound = False
        try:
            for step in steps:
                changes = step.drawable.changes_below
                changing_steps -= changes
                if changes and self._layers:
                    # Layers with the same shift are then neighbors, so light is computed only once
                    # for each shift.
                    for layer in sorted(self._layers, key=attrgetter("shift")):
                        self._bind_over(layer, step.camera, alpha, bind)
                        step.drawable.draw()
                    bound = False
                    continue
                if changes and self.backdrop is None:  # the colors below are on the canvas
                    bind(step.camera, canvas.viewport)
                    step.draw()
                    continue
                if not (self._layers and _same(self._layers[-1], step)):
                    if not changing_steps:
                        self._show(canvas)
                    self._begin(step, alpha)
                    bound = False
                if not bound:
                    self._bind_in(self._layers[-1], bind)
                    bound = True
                step.draw()
            self._show(canvas)
        finally:
            self._layers.clear()

    def _begin(self, step: Step, alpha: float) -> None:
        """Begin a new layer for ``step``."""
        camera = step.camera
        width, height = camera.view.size
        image = self._free_image((max(1, round(width)), max(1, round(height))))
        image.begin(self.backdrop or _CLEAR)
        self.backdrop = None
        pose = (0.0, 0.0, 1.0, 0.0)
        shift = (0.0, 0.0)
        if isinstance(camera, Camera2D):
            pose = camera.pose(alpha)
            mark = (0.0, 0.0)
            if isinstance(step.mark, Sprite):
                mark = step.mark.drawn_position(alpha)
            elif step.mark is not None:
                pose = *parallax_center(camera, alpha, *step.mark), *pose[2:]
            shift = off_texels(pose, (width, height), mark)
        self._layers.append(PixelLayer(camera, step.mark, image, pose, shift))

    def _free_image(self, size: tuple[int, int]) -> PixelFramebuffer:
        """Return an image of ``size`` texels that no current layer uses. If there is none, create
        it.
        """
        used_images = [layer.picture for layer in self._layers]
        image = next(
            (
                candidate
                for candidate in self._images
                if candidate.size == size and candidate not in used_images
            ),
            None,
        )
        if image is None:
            image = PixelFramebuffer(self._graphics, size)
            self._images.append(image)
        self._used.add(image)
        return image

    def _bind_in(self, layer: PixelLayer, bind: Bind) -> None:
        """Bind the framebuffer of a layer's image, and set the camera of this layer."""
        in_plane = isinstance(layer.camera, Camera2D)
        viewport = layer.picture.use(bordered=in_plane)
        bind(self._placed(layer.camera, layer, layer.pose) if in_plane else layer.camera, viewport)

    def _bind_over(self, layer: PixelLayer, camera: Camera, alpha: float, bind: Bind) -> None:
        """Bind the framebuffer of a layer's image, and use ``camera`` instead of the layer's
        camera.
        """
        assert isinstance(camera, Camera2D), "what changes colors below it is in the plane"
        bind(self._placed(camera, layer, camera.pose(alpha)), layer.picture.use())

    def _placed(
        self, camera: Camera, layer: PixelLayer, pose: tuple[float, float, float, float]
    ) -> Camera2D:
        """Return the copy of ``camera`` that is used to draw a layer. The position of the copy is
        the position in ``pose`` plus the layer's shift. This sum is a whole number of texels.
        """
        twin = self._twin
        width, height = camera.view.size
        twin.view = ScreenMapping(
            (width + 2 * BORDER, height + 2 * BORDER), (0, 0, *layer.picture.whole)
        )
        x, y, zoom, angle = pose
        sin, cos = exact.functions().turn(angle)
        dx = layer.shift[0] / zoom
        dy = layer.shift[1] / zoom
        twin.position = x + dx * cos - dy * sin, y + dx * sin + dy * cos
        twin.zoom = zoom
        twin.angle = angle
        twin.teleport()
        return twin

    def _show(self, canvas: moderngl.Framebuffer) -> None:
        """Copy all finished layers to ``canvas``, and bind ``canvas``."""
        for layer in self._layers:
            layer.picture.show(canvas, layer.shift, self.palette)
        self._layers.clear()

    def release(self) -> None:
        """Called when the game ends. Free the images of all layers."""
        for image in self._images:
            image.release()
        self._images.clear()


class BeginTexels:
    """The pass (drawing step) that begins a frame of pixel art."""

    def __init__(self, pixel_art: PixelArt, painting: Painting) -> None:
        self._pixel_art = pixel_art
        self._painting = painting

    def draw(self) -> None:
        self._pixel_art.begin_frame((*self._painting.background, 1.0))


def off_texels(
    pose: tuple[float, float, float, float], size: tuple[float, float], mark: tuple[float, float]
) -> tuple[float, float]:
    """Return the distance from the point ``mark`` to the nearest corner of a texel. The distance is
    a pair of numbers, to the right and up, from -0.5 to 0.5 texels.

    ``pose`` contains the x, y, zoom and angle of the camera. ``size`` is the width and height of
    the image in texels.
    """
    x, y, zoom, angle = pose
    sin, cos = exact.functions().turn(angle)
    dx = mark[0] - x
    dy = mark[1] - y
    across = size[0] / 2 + (dx * cos + dy * sin) * zoom
    upwards = size[1] / 2 + (dy * cos - dx * sin) * zoom
    return across - round(across), upwards - round(upwards)


def _steps(drawn: Iterable[tuple[PaintedBackend, Camera]], alpha: float) -> Iterator[Step]:
    """Yield the steps for drawing a list of drawables, in drawing order. If the camera follows a
    sprite, the batch of this sprite is drawn in up to three steps. The steps draw the sprites below
    the followed sprite, then the followed sprite, then the sprites above it.
    """
    for drawable, camera in drawn:
        frontend = drawable.frontend
        if not isinstance(camera, Camera2D):
            yield Step(drawable, camera)
        elif isinstance(frontend, ParallaxLayer):
            plain = frontend.parallax == (1.0, 1.0)
            yield Step(
                drawable, camera, None if plain else (frontend.parallax, frontend.parallax_origin)
            )
        elif drawable.changes_below or (sprite := _followed(camera, frontend, alpha)) is None:
            yield Step(drawable, camera)
        else:
            yield from _steps_around(sprite, drawable, camera)


def _steps_around(sprite: Sprite, drawable: PaintedBackend, camera: Camera) -> Iterator[Step]:
    """Yield the steps for drawing the batch of a followed sprite: the sprites below it, the sprite
    itself, and the sprites above it.
    """
    drawing = drawing_of(sprite.batch)
    assert drawing is not None
    position = drawing.place_of(sprite)
    parts: tuple[tuple[Sprite | None, int, int], ...] = (
        (None, 0, position),
        (sprite, position, position + 1),
        (None, position + 1, len(sprite.batch)),
    )
    for mark, first, end in parts:
        if first < end:
            yield Step(drawable, camera, mark, partial(drawing.draw_some, first, end))


def _followed(camera: Camera2D, batch: object, alpha: float) -> Sprite | None:
    """Return the sprite that the camera follows, if it belongs to ``batch``. Return None if the
    position of the sprite is infinite or NaN.
    """
    sprite = getattr(camera.controller, "target", None)
    if not isinstance(sprite, Sprite) or sprite.removed or sprite.batch is not batch:
        return None
    return sprite if all(map(math.isfinite, sprite.drawn_position(alpha))) else None


def _same(layer: PixelLayer, step: Step) -> bool:
    return layer.camera is step.camera and (
        layer.mark is step.mark or (isinstance(step.mark, tuple) and layer.mark == step.mark)
    )
