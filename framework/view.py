"""How a picture in units lies on a framebuffer in pixels."""

from __future__ import annotations

import math
from typing import NamedTuple

from .checks import number, whole

SCALINGS = ("letterbox", "integer", "stretch")


class View(NamedTuple):
    """How units lie on the framebuffer.

    ``size`` in units; ``viewport`` (x, y, width, height) in framebuffer pixels from the bottom
    left.
    """

    size: tuple[float, float]
    viewport: tuple[int, int, int, int]

    @property
    def pixels_per_unit(self) -> tuple[float, float]:
        return self.viewport[2] / self.size[0], self.viewport[3] / self.size[1]


def fit(size: tuple[float, float], framebuffer: tuple[int, int], scaling: str) -> View:
    """Put a picture of ``size`` units on a framebuffer: with bars (``letterbox``), at a whole
    number of pixels a unit where it fits (``integer``), or filling it (``stretch``)."""
    width, height = framebuffer
    if scaling == "stretch":
        return View(size, (0, 0, width, height))
    factor = min(width / size[0], height / size[1])
    if scaling == "integer" and factor >= 1:
        factor = math.floor(factor)
    w, h = max(1, round(size[0] * factor)), max(1, round(size[1] * factor))
    return View(size, ((width - w) // 2, (height - h) // 2, w, h))


def check_render_scale(name: str, value: float) -> float:
    """``value`` as a float above 0 and up to 2; a `ValueError` or `TypeError` names ``name``."""
    return number(name, value, above=0, most=2)


def check_samples(name: str, value: int) -> int:
    """``value`` as 0 or a power of two, which is what drivers have; a `ValueError` or `TypeError`
    names ``name``.
    """
    samples = whole(name, value, 0)
    if samples & (samples - 1):
        raise ValueError(f"{name}: expected 0, 2, 4, 8 or 16, got {samples}")
    return samples
