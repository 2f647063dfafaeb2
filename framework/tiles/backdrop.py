"""Background images that can repeat and move slower than the world (parallax)."""

from __future__ import annotations

__all__ = ["Backdrop"]

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from ..assets.images import ImageSource, checked_source
from ..checks import Setting, choice, flag, pair, wrong_value
from ..state.latched import Latched
from .parallax_layers import ParallaxLayer, State


def _repeats(name: str, value: object) -> tuple[bool, bool]:
    if not isinstance(value, tuple | list):
        return (flag(name, value),) * 2
    if len(value) != 2:
        raise wrong_value(name, "True or False, for x and for y", value)
    return flag(name, value[0]), flag(name, value[1])


def _scale(name: str, value: object) -> tuple[float, float]:
    return pair(name, value if isinstance(value, tuple | list) else (value, value), above=0)


class BackdropImage:
    """The image of a backdrop, and its filter for scaling: "nearest" or "linear"."""

    __slots__ = ("blend", "crop", "filter", "is_tiled", "size", "source")

    not_state = True

    def __init__(self, source: ImageSource, filter: str) -> None:
        self.source = source
        self.filter = filter
        self.blend = "alpha"
        """The blend mode of the backdrop, a key of `BLEND_MODES`."""
        self.size = (0, 0)
        """The width and height of the image in pixels. Before the backdrop is added to a game, this
        is (0, 0).
        """
        self.crop: tuple[float, float, float, float] | None = None
        """The visible part of the image in pixels: left, top, width and height. The numbers may
        have fractions. If None, the whole image is visible.
        """
        self.is_tiled = False
        """Whether `crop` may be larger than the image. If it is larger, copies of the image fill
        the visible part.
        """

    @property
    def visible_size(self) -> tuple[float, float]:
        """The width and height of the visible part, in pixels."""
        if self.crop is None or self.size == (0, 0):
            return self.size
        return self.crop[2:]

    @property
    def texture_box(self) -> tuple[float, float, float, float]:
        """The visible part of the texture: left, bottom, width and height. The four numbers are
        fractions of the texture's size, with y up.
        """
        if self.crop is None:
            return 0.0, 0.0, 1.0, 1.0
        left, top, width, height = self.crop
        columns, rows = self.size
        return left / columns, 1 - (top + height) / rows, width / columns, height / rows


class BackdropParts(NamedTuple):
    """The objects that a `Backdrop` shares with its backend: the image, and the values that are
    interpolated between ticks.
    """

    state: Latched[State]
    image: BackdropImage


class Backdrop(ParallaxLayer):
    """A background image or a foreground image of a 2D scene.

        self.add(fw.Backdrop("hills.png", repeat=(True, False), parallax=(0.3, 1)))

    Parameters
    ----------
    image
        A path, a Pillow image, an array or a `Region`.
    position
        The bottom left corner of the backdrop in units, y up.
    repeat
        Whether the image repeats endlessly, along x and along y. One bool applies to both axes.
        Default: False.
    parallax
        How fast the backdrop moves on the screen when the camera moves: a factor for x and one for
        y. At 1, it moves like the sprites of the world. At 0, it does not move on the screen.
    parallax_origin
        The camera position for which the backdrop is drawn at its ``position``. By default, this is
        the position of a new camera.
    scale
        The size of an image pixel in units, along x and along y. One number applies to both axes.
    color
        A color by which the image is multiplied: sRGB from 0 to 1, with alpha.
    filter
        "nearest" for sharp pixels, or "linear" for smooth pixels. With either filter, smaller
        copies (mipmaps) are used when the image is drawn small.

    ``position`` and ``color`` are interpolated between ticks. To move clouds smoothly, change
    ``position`` in each tick.
    """

    __slots__ = ("_image", "_repeat", "_scale")

    _transient_attributes: ClassVar[Any] = ("_image",)
    _backend_in = "framework.tiles.backdrop_drawing"
    _has_no_rows = True

    repeat = Setting(
        _repeats,
        "Whether the image is repeated endlessly along x, and whether it is repeated along y. One "
        "flag sets both.",
    )
    scale = Setting(
        _scale,
        "The number of units per pixel of the image, in x and y. One number sets both. Default: "
        "(1, 1).",
    )

    def __init__(
        self,
        image: ImageSource,
        position: tuple[float, float] = (0.0, 0.0),
        *,
        repeat: bool | tuple[bool, bool] = (False, False),
        parallax: tuple[float, float] = (1.0, 1.0),
        parallax_origin: tuple[float, float] | None = None,
        scale: float | tuple[float, float] = 1.0,
        color: str | Sequence[float] = (1.0, 1.0, 1.0, 1.0),
        filter: str = "linear",
    ) -> None:
        source = checked_source("image", image)
        self._image = BackdropImage(source, choice("filter", filter, ("nearest", "linear")))
        super().__init__(position, color, parallax, parallax_origin)
        self.repeat = repeat
        self.scale = scale

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the image in units. If the image repeats, `size` is the size of a
        single copy.

        The size is (0, 0) before you add the backdrop to a game.
        """
        width, height = self._image.visible_size
        x, y = self.scale
        return width * x, height * y

    @property
    def blend(self) -> str:
        return self._image.blend

    def _parts(self) -> BackdropParts:
        return BackdropParts(self._state, self._image)


def cropped_backdrop(
    image: ImageSource,
    crop: tuple[float, float, float, float] | None,
    position: tuple[float, float],
    **options: Any,
) -> Backdrop:
    """Return a `Backdrop` that shows only a part of its image. ``crop`` is the visible part of the
    image in pixels: left, top, width and height, as floats.
    """
    backdrop = Backdrop(image, position, **options)
    backdrop._image.crop = crop
    return backdrop
