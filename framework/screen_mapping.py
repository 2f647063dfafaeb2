"""Map the game's screen to an area of the window or image, and units to pixels."""

from __future__ import annotations

import math
from typing import NamedTuple

from .checks import number, whole

SCALINGS = ("letterbox", "integer", "stretch")


class ScreenMapping(NamedTuple):
    """The mapping from screen units to framebuffer pixels.

    ``size`` is the width and the height of the screen in units. ``viewport`` is the area
    (x, y, width, height) in framebuffer pixels. The position x, y is measured from the bottom left
    corner.
    """

    size: tuple[float, float]
    viewport: tuple[int, int, int, int]

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        """The number of framebuffer pixels per unit, along x and along y."""
        return self.viewport[2] / self.size[0], self.viewport[3] / self.size[1]


def fit(size: tuple[float, float], framebuffer: tuple[int, int], scaling: str) -> ScreenMapping:
    """Return the mapping for a screen of ``size`` units on a framebuffer.

    ``scaling`` determines how the screen fills the framebuffer. With "letterbox", the screen keeps
    its proportions, and bars fill the rest. "integer" does the same, but makes a unit a whole
    number of pixels wide, unless the framebuffer is too small. With "stretch", the screen fills the
    whole framebuffer.
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
    """Return ``value``, a render scale, as a float. An error is raised unless ``value`` is above 0
    and at most 2. The error message starts with ``name``.
    """
    return number(name, value, above=0, most=2)


def check_samples(name: str, value: int) -> int:
    """Return ``value``, a number of samples per pixel. Raise `ValueError` if ``value`` is neither 0
    nor a power of two, because graphics drivers do not support other numbers of samples.

    The error message starts with ``name``.
    """
    samples = whole(name, value, 0)
    if samples & (samples - 1):
        raise ValueError(f"{name}: expected 0, 2, 4, 8 or 16, got {samples}")
    return samples
