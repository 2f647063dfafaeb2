"""The base class of ribbons and trails, which draw an image along a line."""

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
"""The maximum number of points in one strip."""

_WHITE = np.full((1, 1, 4), 255, np.uint8)


class Band(NamedTuple):
    """The points of a ribbon or trail at one moment, with one row per point."""

    position: Doubles | Floats
    """Positions in units. The array has the shape (n, 2)."""
    width: Doubles | Floats
    """Widths in units. The array has the shape (n,). If two neighboring points have the width 0,
    nothing is drawn between them.
    """
    color: Doubles | Floats
    """Colors in sRGB, from 0 to 1, with straight alpha. The array has the shape (n, 4)."""
    along: Doubles | Floats
    """The horizontal texture coordinate of each point. The array has the shape (n,). The coordinate
    0 is the left edge of the image, and 1 is the right edge.
    """


def along(position: Doubles | Floats, repeat: float | None) -> Doubles:
    """Return the horizontal texture coordinate of each point of a ribbon or trail. A coordinate of
    0 is the left edge of the image, and 1 is the right edge. Coordinates above 1 belong to further
    copies of the image.

    One copy of the image is ``repeat`` units long. If ``repeat`` is None, one copy of the image
    covers the whole strip.
    """
    steps = np.diff(position, axis=0).astype(np.float64)
    lengths = np.hypot(steps[:, 0], steps[:, 1])
    lengths[~np.isfinite(lengths)] = 0  # these pieces are not drawn
    distance: Doubles = np.concatenate([np.zeros(min(1, len(position))), np.cumsum(lengths)])
    if repeat is not None:
        return distance / repeat
    length: float = distance[-1] if len(distance) else 0.0
    return distance / length if length > 0 else distance


class StripLook(NamedTuple):
    """The options of a ribbon or trail that you cannot change once it exists."""

    image: ImageSource
    filter: str
    blend: str


class Strip(Frontend, Sealed):
    """The base class of `Ribbon` and `Trail`, which draw an image along a line."""

    __slots__ = ("_look", "_repeat")

    _transient_attributes: ClassVar[tuple[str, ...]] = ("_look",)
    _backend_in = "framework.plane.strip_drawing"
    _has_no_rows = True

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
