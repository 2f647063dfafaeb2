"""Screen mapping: the area of a framebuffer that shows a screen whose size is given in units."""

from __future__ import annotations

import math
from typing import NamedTuple

from .checks import number, whole

SCALINGS = ("letterbox", "integer", "stretch")


class ScreenMapping(NamedTuple):
    """The mapping of units to framebuffer pixels.

    ``size`` is the width and height of the screen in units. ``viewport`` (x, y, width, height) is
    the area in framebuffer pixels, with x and y from the bottom left.
    """

    size: tuple[float, float]
    viewport: tuple[int, int, int, int]

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        """The number of framebuffer pixels per unit, horizontally and vertically."""
        return self.viewport[2] / self.size[0], self.viewport[3] / self.size[1]


def fit(size: tuple[float, float], framebuffer: tuple[int, int], scaling: str) -> ScreenMapping:
    """Return the mapping that shows a screen of ``size`` units on a framebuffer.

    ``scaling`` is "letterbox" (the screen keeps its proportions, with bars beside it), "integer"
    (like "letterbox", and each unit is a whole number of pixels if the screen fits), or "stretch"
    (the screen fills the framebuffer).
    """
    width, height = framebuffer
    if scaling == "stretch":
        return ScreenMapping(size, (0, 0, width, height))
    factor = min(width / size[0], height / size[1])
    if scaling == "integer" and factor >= 1:
        factor = math.floor(factor)
    w = max(1, round(size[0] * factor))
    h = max(1, round(size[1] * factor))
    return ScreenMapping(size, ((width - w) // 2, (height - h) // 2, w, h))


def check_render_scale(name: str, value: float) -> float:
    """Return ``value`` as a float. Raise an error unless ``value`` is above 0 and at most 2. The
    error message starts with ``name``.
    """
    return number(name, value, above=0, most=2)


def check_samples(name: str, value: int) -> int:
    """Return ``value`` if it is 0 or a power of two, otherwise raise `ValueError`. Graphics drivers
    support only 0 or a power of two as the number of samples per pixel.

    The error message starts with ``name``.
    """
    samples = whole(name, value, 0)
    if samples & (samples - 1):
        raise ValueError(f"{name}: expected 0, 2, 4, 8 or 16, got {samples}")
    return samples
