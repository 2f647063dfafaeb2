"""Screen mapping: the area of a framebuffer that shows a screen of a given size in units."""

from __future__ import annotations

import math
from typing import NamedTuple

from .checks import number, whole

SCALINGS = ("letterbox", "integer", "stretch")


class ScreenMapping(NamedTuple):
    """The mapping of units to framebuffer pixels.

    ``size`` is in units. ``viewport`` (x, y, width, height) is in framebuffer pixels, from the
    bottom left.
    """

    size: tuple[float, float]
    viewport: tuple[int, int, int, int]

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        """Framebuffer pixels per unit, horizontally and vertically."""
        return self.viewport[2] / self.size[0], self.viewport[3] / self.size[1]


def fit(size: tuple[float, float], framebuffer: tuple[int, int], scaling: str) -> ScreenMapping:
    """Return the mapping that shows ``size`` units on a framebuffer.

    ``scaling`` is "letterbox" (with bars), "integer" (whole pixels per unit if it fits, with bars),
    or "stretch" (fills the framebuffer).
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
    """Return ``value`` as a float above 0 and up to 2. Error messages contain ``name``."""
    return number(name, value, above=0, most=2)


def check_samples(name: str, value: int) -> int:
    """Return ``value`` if it is 0 or a power of two. Drivers support only such sample counts.

    Error messages contain ``name``.
    """
    samples = whole(name, value, 0)
    if samples & (samples - 1):
        raise ValueError(f"{name}: expected 0, 2, 4, 8 or 16, got {samples}")
    return samples
