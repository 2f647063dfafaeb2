"""Convert sRGB colors (as in images and style sheets) to linear light."""

from __future__ import annotations

__all__ = ["srgb"]

import math
from collections.abc import Sequence

from . import checks


def srgb(color: str | Sequence[float]) -> tuple[float, ...]:
    """Convert a color from sRGB to linear light. Images, style sheets and sprites use sRGB.

    Meshes, materials, lights and lines use linear light, in which half the number means half the
    light. ``color`` is a string such as "#f80", "#ff8800", "#ff880080" or "orange". You can also
    pass three numbers from 0 to 1 for red, green and blue, and alpha as an optional fourth number.
    The function returns three numbers, or four if ``color`` contains alpha. Alpha is not converted.

        cubes.color = fw.srgb((1.0, 0.53, 0.0))

    You do not need `srgb` for attributes that accept a color string: ``cubes.color = "#f80"``.
    """
    red, green, blue, alpha = checks.color("color", color, math.nan, least=0)
    linear = checks.linear(red), checks.linear(green), checks.linear(blue)
    return linear if math.isnan(alpha) else (*linear, alpha)
