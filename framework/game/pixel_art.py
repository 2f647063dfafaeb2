"""Pixel art: what each camera sees in a picture of few texels, drawn for whole texels and shifted by what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..geometry import exact
from ..gpu.gl import moderngl
from ..gpu.pixelated import BORDER, PixelPicture
from ..plane.camera2d import Camera2D
from ..view import View

if TYPE_CHECKING:
    from ..assets.palettes import Palette
    from .contents import Camera

Color = tuple[float, float, float, float]


class PixelArt:
    """What a `Painter` draws in texels: each run of drawables that one camera sees is a layer of its own, which goes to
    the window with that camera's shift.

    A camera in the plane is drawn through a twin of it that stands at whole texels: what it sees is put on the same
    texels wherever the camera stands between two of them.
    """

    not_state = True

    def __init__(self, ctx: moderngl.Context) -> None:
        self._ctx = ctx
        self.palette: Palette | None = None
        """Whose colours are shown; None for all."""
        self.backdrop: Color | None = None
        """Behind the next layer that is begun, where nothing was drawn before it."""
        self._pictures: dict[tuple[int, int], PixelPicture] = {}
        self._twin = Camera2D((1, 1))  # of the camera whose layer is drawn
        self._picture: PixelPicture | None = None
        self._shift = 0.0, 0.0

    def begin(self, camera: Camera, alpha: float) -> tuple[Camera, tuple[int, int, int, int]]:
        """Have all drawn in a layer. Returns the camera to draw through, and the viewport."""
        width, height = camera.view.size
        size = max(1, round(width)), max(1, round(height))
        picture = self._pictures.get(size)
        if picture is None:
            picture = self._pictures[size] = PixelPicture(self._ctx, size)
        self._picture = picture
        picture.begin(self.backdrop or (0.0, 0.0, 0.0, 0.0))
        self.backdrop = None
        if not isinstance(camera, Camera2D):
            self._shift = 0.0, 0.0
            picture.keep_border()
            return camera, (BORDER, BORDER, *size)
        twin = self._twin
        twin.view = View((width + 2 * BORDER, height + 2 * BORDER), (0, 0, *picture.whole))
        self._shift = place_on_texels(twin, camera, alpha)
        return twin, (0, 0, *picture.whole)

    def show(self, target: moderngl.Framebuffer) -> None:
        """The layer is drawn: lay it over ``target``'s viewport, and draw there from now on."""
        assert self._picture is not None
        self._picture.show(target, self._shift, self.palette)

    def release(self) -> None:
        """The game has ended."""
        for picture in self._pictures.values():
            picture.release()
        self._pictures.clear()


def place_on_texels(twin: Camera2D, camera: Camera2D, alpha: float) -> tuple[float, float]:
    """Put a camera's twin where the world's origin lies on a corner of texels. Returns how far that is from where it
    is seen: -0.5 to 0.5 texels to the right, and up."""
    x, y, zoom, rotation = camera.pose(alpha)
    width, height = camera.view.size
    sin, cos = exact.functions().turn(rotation)
    across, upwards = width / 2 - (x * cos + y * sin) * zoom, height / 2 - (y * cos - x * sin) * zoom
    right, up = across - round(across), upwards - round(upwards)
    dx, dy = right / zoom, up / zoom
    twin.position = x + dx * cos - dy * sin, y + dx * sin + dy * cos
    twin.zoom, twin.rotation = zoom, rotation
    twin.teleport()
    return right, up
