"""How a picture in units lies on a framebuffer in pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

SCALINGS = ("letterbox", "integer", "stretch")


@dataclass(frozen=True)
class View:
    """How units lie on the framebuffer.

    ``size`` in units; ``viewport`` (x, y, width, height) in framebuffer pixels from the bottom left.
    """

    size: tuple[float, float]
    viewport: tuple[int, int, int, int]

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        return self.viewport[2] / self.size[0], self.viewport[3] / self.size[1]


def fit(size: tuple[float, float], framebuffer: tuple[int, int], scaling: str) -> View:
    """Put a picture of ``size`` units on a framebuffer: with bars (``letterbox``), at a whole number of pixels a unit
    where it fits (``integer``), or filling it (``stretch``)."""
    width, height = framebuffer
    if scaling == "stretch":
        return View(size, (0, 0, width, height))
    factor = min(width / size[0], height / size[1])
    if scaling == "integer" and factor >= 1:
        factor = math.floor(factor)
    w, h = max(1, round(size[0] * factor)), max(1, round(size[1] * factor))
    return View(size, ((width - w) // 2, (height - h) // 2, w, h))
