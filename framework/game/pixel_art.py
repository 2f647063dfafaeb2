"""Pixel art: what each camera sees in pictures of few texels, drawn for whole texels and shifted by
what is left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from ..geometry import exact
from ..gpu.gl import moderngl
from ..gpu.pixelated import BORDER, PixelPicture
from ..motion.viewpoint import notice_writes
from ..plane.camera2d import Camera2D, parallax_center
from ..plane.sprite_drawing import drawing_of
from ..plane.sprites import Sprite, SpriteBatch
from ..tiles.placed import Placed
from ..view import View

if TYPE_CHECKING:
    from ..assets.palettes import Palette
    from ..gpu.graphics import Graphics
    from .contents import Camera, Contents
    from .painting import Drawn, Driven, Painting, Place

Color = tuple[float, float, float, float]
Pair = tuple[float, float]
Mark = Sprite | tuple[Pair, Pair | None] | None

Bind = Callable[["Camera", "Place"], None]
"""Has what is drawn next seen through a camera, in a viewport."""

_CLEAR = 0.0, 0.0, 0.0, 0.0


class Step(NamedTuple):
    """Something to draw, or a part of it."""

    drawable: Driven
    camera: Camera
    mark: Mark = None
    """What of the plane lies on a corner of texels: the world's origin (None), a sprite, or that of
    what goes by with a parallax and its origin. What has the same, and the same camera, may be in
    one layer."""
    draw_part: Callable[[], None] | None = None
    """Draws some of the sprites of a `SpriteBatch`; None for all of it."""

    def draw(self) -> None:
        (self.draw_part or self.drawable.draw)()


class Layer(NamedTuple):
    """A picture of texels that is being drawn, and how many of them it is moved by, to the right
    and up.
    """

    camera: Camera
    mark: Mark
    picture: PixelPicture
    pose: tuple[float, float, float, float]
    shift: tuple[float, float]


class _Twin(Camera2D):
    """Stands for a camera while a layer is drawn."""

    __slots__ = ()


@parallax_center.register(_Twin)
def _(camera: _Twin, alpha: float, parallax: Pair, origin: Pair | None) -> Pair:
    return camera.position  # the layer is of that parallax alone


class PixelArt:
    """What a `Painter` draws in texels, in layers: each run of drawables that one camera sees is
    one, which goes to the window with that camera's shift, and so are what goes by with a parallax
    and the sprite that the camera follows.

    A camera in the plane is drawn through a twin of it that stands at whole texels: what it sees is
    put on the same texels wherever the camera stands between two of them. As all that is in one
    picture is whole texels apart, what moves otherwise needs a picture with a shift of its own.
    """

    not_state = True

    def __init__(self, graphics: Graphics, painting: Painting) -> None:
        self._graphics, self._painting = graphics, painting
        self.first_pass = BeginTexels(self, painting)
        self.palette: Palette | None = None
        """Whose colours are shown; None for all."""
        self.backdrop: Color | None = None
        """Behind the next layer that is begun, where nothing was drawn before it."""
        self._twin = _Twin((1, 1))
        self._pictures: list[PixelPicture] = []
        self._used: set[PixelPicture] = set()  # since `begin_frame`
        self._layers: list[Layer] = []  # that are not on the canvas yet

    def begin_frame(self, backdrop: Color) -> None:
        """A new picture of the window begins. Pictures of texels that the last one had no use for
        are freed.
        """
        unused = [picture for picture in self._pictures if picture not in self._used]
        if unused:
            canvas = self._graphics.ctx.fbo
            for picture in unused:
                picture.release()
            canvas.use()
        self._pictures = [picture for picture in self._pictures if picture in self._used]
        self._used.clear()
        self.backdrop = backdrop

    def draw(self, drawn: Drawn, contents: Contents) -> None:
        """Draw some of the works of a scene in layers of texels."""
        painting = self._painting
        if painting.paused:
            for seen in {id(camera): camera for _, camera in drawn}.values():
                notice_writes(seen)
            for drawable, _ in drawn:
                drawable.notice_writes()
        over = None if painting.scaled is None else contents.hud  # what comes with other pixels

        def bind(camera: Camera, viewport: Place) -> None:
            painting.bind_in(camera, contents, viewport)

        for is_over, run in groupby(drawn, lambda one: one[1] is over):
            if is_over and painting.scaled is not None:
                painting.bring(contents)
                painting.clear_depth()
            canvas, viewport = self._graphics.ctx.fbo, painting.viewport
            try:
                self.paint(run, painting.moment.alpha, canvas, bind)
            finally:
                canvas.viewport = painting.viewport = viewport
                canvas.use()

    def paint(
        self,
        drawn: Iterable[tuple[Driven, Camera]],
        alpha: float,
        canvas: moderngl.Framebuffer,
        bind: Bind,
    ) -> None:
        """Lay what is drawn over the viewport of ``canvas``."""
        steps = list(_steps(drawn, alpha))
        # Before the last one that changes colours below it, layers are kept: it is drawn in each of
        # them.
        left = sum(step.drawable.changes_below for step in steps)
        bound = False
        try:
            for step in steps:
                changes = step.drawable.changes_below
                left -= changes
                if changes and self._layers:
                    for layer in sorted(
                        self._layers, key=attrgetter("shift")
                    ):  # light is computed once for each shift
                        self._bind_over(layer, step.camera, alpha, bind)
                        step.drawable.draw()
                    bound = False
                    continue
                if changes and self.backdrop is None:  # what is below is on the canvas
                    bind(step.camera, canvas.viewport)
                    step.draw()
                    continue
                if not (self._layers and _same(self._layers[-1], step)):
                    if not left:
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
        """Have a new layer."""
        camera = step.camera
        width, height = camera.view.size
        picture = self._picture((max(1, round(width)), max(1, round(height))))
        picture.begin(self.backdrop or _CLEAR)
        self.backdrop = None
        pose, shift = (0.0, 0.0, 1.0, 0.0), (0.0, 0.0)
        if isinstance(camera, Camera2D):
            pose, mark = camera.pose(alpha), (0.0, 0.0)
            if isinstance(step.mark, Sprite):
                mark = step.mark.drawn_position(alpha)
            elif step.mark is not None:
                pose = *parallax_center(camera, alpha, *step.mark), *pose[2:]
            shift = off_texels(pose, (width, height), mark)
        self._layers.append(Layer(camera, step.mark, picture, pose, shift))

    def _picture(self, size: tuple[int, int]) -> PixelPicture:
        """One of so many texels that no layer has."""
        taken = [layer.picture for layer in self._layers]
        found = next((one for one in self._pictures if one.size == size and one not in taken), None)
        if found is None:
            found = PixelPicture(self._graphics, size)
            self._pictures.append(found)
        self._used.add(found)
        return found

    def _bind_in(self, layer: Layer, bind: Bind) -> None:
        """Have all drawn in a layer, through its own camera."""
        in_plane = isinstance(layer.camera, Camera2D)
        viewport = layer.picture.use(bordered=in_plane)
        bind(self._placed(layer.camera, layer, layer.pose) if in_plane else layer.camera, viewport)

    def _bind_over(self, layer: Layer, camera: Camera, alpha: float, bind: Bind) -> None:
        """Have all drawn in a layer that is seen through another camera than its own, where that
        sees it.
        """
        assert isinstance(camera, Camera2D), "what changes colors below it is in the plane"
        bind(self._placed(camera, layer, camera.pose(alpha)), layer.picture.use())

    def _placed(
        self, camera: Camera, layer: Layer, pose: tuple[float, float, float, float]
    ) -> Camera2D:
        """The twin of a camera at a pose, for what a layer is to show when it is shifted."""
        twin, (width, height) = self._twin, camera.view.size
        twin.view = View((width + 2 * BORDER, height + 2 * BORDER), (0, 0, *layer.picture.whole))
        x, y, zoom, rotation = pose
        sin, cos = exact.functions().turn(rotation)
        dx, dy = layer.shift[0] / zoom, layer.shift[1] / zoom
        twin.position = x + dx * cos - dy * sin, y + dx * sin + dy * cos
        twin.zoom, twin.rotation = zoom, rotation
        twin.teleport()
        return twin

    def _show(self, canvas: moderngl.Framebuffer) -> None:
        """The layers are drawn: lay them over ``canvas``, and draw there from now on."""
        for layer in self._layers:
            layer.picture.show(canvas, layer.shift, self.palette)
        self._layers.clear()

    def release(self) -> None:
        """The game has ended."""
        for picture in self._pictures:
            picture.release()
        self._pictures.clear()


class BeginTexels:
    """Begins a picture of texels."""

    def __init__(self, pixel_art: PixelArt, painting: Painting) -> None:
        self._pixel_art, self._painting = pixel_art, painting

    def draw(self) -> None:
        self._pixel_art.begin_frame((*self._painting.background, 1.0))


def off_texels(
    pose: tuple[float, float, float, float], size: tuple[float, float], mark: tuple[float, float]
) -> tuple[float, float]:
    """How far a point of the world is to the right of and above a corner of texels, in a picture of
    that size that is seen at a camera's pose: -0.5 to 0.5 texels."""
    x, y, zoom, rotation = pose
    sin, cos = exact.functions().turn(rotation)
    dx, dy = mark[0] - x, mark[1] - y
    across, upwards = (
        size[0] / 2 + (dx * cos + dy * sin) * zoom,
        size[1] / 2 + (dy * cos - dx * sin) * zoom,
    )
    return across - round(across), upwards - round(upwards)


def _steps(drawn: Iterable[tuple[Driven, Camera]], alpha: float) -> Iterator[Step]:
    """What is drawn, in order; the batch of a sprite that its camera follows in three parts."""
    for drawable, camera in drawn:
        thing = drawable.face
        if not isinstance(camera, Camera2D):
            yield Step(drawable, camera)
        elif isinstance(thing, Placed):
            plain = thing.parallax == (1.0, 1.0)
            yield Step(drawable, camera, None if plain else (thing.parallax, thing.parallax_origin))
        elif drawable.changes_below or (sprite := _followed(camera, thing, alpha)) is None:
            yield Step(drawable, camera)
        else:
            batch: SpriteBatch = sprite.batch
            drawing = drawing_of(batch)
            assert drawing is not None
            place, count = drawing.place_of(sprite), len(batch)
            parts: tuple[tuple[Sprite | None, int, int], ...] = (
                (None, 0, place),
                (sprite, place, place + 1),
                (None, place + 1, count),
            )
            for mark, first, end in parts:
                if first < end:
                    yield Step(drawable, camera, mark, partial(drawing.draw_some, first, end))


def _followed(camera: Camera2D, batch: object, alpha: float) -> Sprite | None:
    """The sprite of a batch that a camera follows, if there is one, and is at a place."""
    sprite = getattr(camera.controller, "target", None)
    if not isinstance(sprite, Sprite) or sprite.removed or sprite.batch is not batch:
        return None
    return sprite if all(map(math.isfinite, sprite.drawn_position(alpha))) else None


def _same(layer: Layer, step: Step) -> bool:
    return layer.camera is step.camera and (
        layer.mark is step.mark or (isinstance(step.mark, tuple) and layer.mark == step.mark)
    )
