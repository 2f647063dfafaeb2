"""Backdrops: images behind a game or before it, repeated without end, with a parallax."""

from __future__ import annotations

__all__ = ["Backdrop"]

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from ..assets.images import ImageSource, checked_source
from ..checks import Setting, choice, flag, pair, wrong_value
from ..state.latched import Latched
from .placed import Placed, State


def _repeats(name: str, value: object) -> tuple[bool, bool]:
    if not isinstance(value, tuple | list):
        return (flag(name, value),) * 2
    if len(value) != 2:
        raise wrong_value(name, "True or False, for x and for y", value)
    return flag(name, value[0]), flag(name, value[1])


def _scale(name: str, value: object) -> tuple[float, float]:
    return pair(name, value if isinstance(value, tuple | list) else (value, value), above=0)


class BackdropImage:
    """The image of a backdrop."""

    __slots__ = ("filter", "size", "source")

    not_state = True

    def __init__(self, source: ImageSource, filter: str) -> None:
        self.source, self.filter = source, filter
        self.size = (0, 0)
        """Width and height in pixels, from when the backdrop is in a game."""


class BackdropParts(NamedTuple):
    """The objects that a backdrop shares with its works."""

    state: Latched[State]
    image: BackdropImage


class Backdrop(Placed):
    """One picture in the plane: ``self.add(fw.Backdrop("hills.png", repeat=(True, False),
    parallax=(0.3, 1)))``.

    Parameters
    ----------
    image
        A path, a PIL image, an array or a `Region`.
    position
        Where its bottom left corner is, in units, y up.
    repeat
        Whether it is repeated along x and along y, without end; or one for both.
    parallax
        By how much of the camera's motion it goes by: 1 as all else, 0 stays in the picture.
    parallax_origin
        Where the camera's middle is when it is at its ``position``; None for that of a camera that
        was never moved.
    scale
        Units a pixel of the image, in x and y; or one for both.
    filter
        "nearest" (hard pixels) or "linear". Drawn smaller, it is read from reduced ones, with both.

    ``position`` and ``color`` are interpolated: write to them in ticks, and clouds drift as
    smoothly as all else.
    """

    __slots__ = ("_image", "_repeat", "_scale")

    _transient_attributes: ClassVar[Any] = ("_image",)
    _works_in = "framework.tiles.backdrop_drawing"

    repeat = Setting(_repeats, "Whether it is repeated along x and along y.")
    scale = Setting(_scale, "Units a pixel of the image, in x and y.")

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
        self.repeat, self.scale = repeat, scale

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of one picture in units; known once it is added to a game."""
        (width, height), (x, y) = self._image.size, self.scale
        return width * x, height * y

    def _parts(self) -> BackdropParts:
        return BackdropParts(self._state, self._image)
