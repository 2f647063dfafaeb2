"""Strips of an image through points in the plane: the base of ribbons and trails."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.images import ImageSource, checked_source
from ..checks import Sealed
from ..gpu.graphics import BLEND_MODES
from ..state.backend import Frontend

MAX_POINTS = 1 << 16
"""Maximum number of points in one strip."""

_WHITE = np.full((1, 1, 4), 255, np.uint8)


class Band(NamedTuple):
    """A strip at one moment, one row per point."""

    position: Doubles | Floats
    """(n, 2), units."""
    width: Doubles | Floats
    """(n,), units. A piece whose two ends have width 0 is not drawn."""
    color: Doubles | Floats
    """(n, 4), straight alpha."""
    along: Doubles | Floats
    """(n,), the position in the image: 0 is its left edge, 1 its right edge."""


def along(position: Doubles | Floats, repeat: float | None) -> Doubles:
    """Return the position of each point in the image, whose width is 1.

    The image is shown once every ``repeat`` units. If ``repeat`` is None, it covers the whole strip
    once.
    """
    steps = np.diff(position, axis=0).astype(np.float64)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    lengths[~np.isfinite(lengths)] = 0  # pieces that are not drawn
    distance: Doubles = np.concatenate([np.zeros(min(1, len(position))), np.cumsum(lengths)])
    if repeat is not None:
        return distance / repeat
    length: float = distance[-1] if len(distance) else 0.0
    return distance / length if length > 0 else distance


class StripLook(NamedTuple):
    """The options of a strip that cannot be changed."""

    image: ImageSource
    filter: str
    blend: str


class Strip(Frontend, Sealed):
    """An image along a line. Subclasses have the line's points."""

    __slots__ = ("_look", "_repeat")

    _transient_attributes: ClassVar[tuple[str, ...]] = ("_look",)
    _backend_in = "framework.plane.strip_drawing"

    def __init__(
        self, image: ImageSource | None, repeat: float | None, filter: str, blend: str
    ) -> None:
        self._backend = None
        self._look = StripLook(
            _WHITE if image is None else checked_source("image", image),
            checks.choice("filter", filter, ("linear", "nearest")),
            checks.choice("blend", blend, BLEND_MODES),
        )
        self._repeat = None if repeat is None else checks.number("repeat", repeat, above=0)
