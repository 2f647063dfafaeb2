"""Colors: convert sRGB colors of images and style sheets to linear light."""

from __future__ import annotations

__all__ = ["srgb"]

import math
from collections.abc import Sequence

from . import checks


def srgb(color: str | Sequence[float]) -> tuple[float, ...]:
    """Return the linear numbers of a color in sRGB, the color space of images, style sheets and
    sprites.

    Meshes, materials, lights and lines take linear numbers. With half the number, the light is half
    as strong. ``color`` is a string, such as "#f80", "#ff8800", "#ff880080" or "orange", or red,
    green and blue from 0 to 1. You can add alpha as a fourth number. `srgb` returns three numbers,
    or four if ``color`` has alpha. The alpha value is not converted.

        cubes.color = fw.srgb((1.0, 0.53, 0.0))

    Attributes that take a color convert strings themselves: ``cubes.color = "#f80"``.
    """
    red, green, blue, alpha = checks.color("color", color, math.nan, least=0)
    linear = checks.linear(red), checks.linear(green), checks.linear(blue)
    return linear if math.isnan(alpha) else (*linear, alpha)
