"""Draw straight 2D lines with a sprite batch, for debugging."""

from __future__ import annotations

__all__ = ["SpriteSegments"]

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from .sprites import SpriteBatch

_DOT = np.full((1, 1, 4), 255, np.uint8)


class SpriteSegments(SpriteBatch):
    """Straight 2D lines for debugging, such as the outlines of physics bodies.

        self.debug = self.add(fw.SpriteSegments(), layer=9)

    Each line is a stretched white sprite. ``width`` is the width of every line in units, by default
    1. For round ends, dashes or smooth edges, use `Shapes`.
    """

    __slots__ = ("width",)

    def __init__(self, width: float = 1.0) -> None:
        super().__init__(_DOT)
        self.width = checks.number("width", width, above=0)

    def draw_lines(self, lines: ArrayLike, colors: ArrayLike = (1.0, 1.0, 1.0, 1.0)) -> None:
        """Replace all lines. ``lines`` contains the start point and the end point of each line, in
        units. The array has the shape (m, 2, 2).

        ``colors`` is one color for all lines, or an array of the shape (m, 4). The lines are not
        interpolated. Example: ``self.debug.draw_lines(*self.physics.debug_lines())``.
        """
        ends = checks.numbers("lines", lines, (None, 2, 2))
        tint = checks.numbers("colors", colors, None)
        if tint.shape not in ((4,), (len(ends), 4)):
            raise checks.wrong_value("colors", f"numbers of shape (4,) or ({len(ends)}, 4)", colors)
        if len(self) > len(ends):
            self.remove(slice(len(ends), None))
        elif len(self) < len(ends):
            self.extend(len(ends) - len(self))
        along = ends[:, 1] - ends[:, 0]
        self.position = ends.mean(axis=1)
        self.angle = np.arctan2(along[:, 1], along[:, 0])
        length = np.sqrt(along[:, 0] * along[:, 0] + along[:, 1] * along[:, 1])
        self.scale = np.column_stack([length + self.width, np.full(len(ends), self.width)])
        self.color = tint
        self.teleport(slice(None))
