"""Colours as pictures and style sheets have them, for light."""

from __future__ import annotations

__all__ = ["srgb"]

import math
from collections.abc import Sequence

from . import checks


def srgb(color: str | Sequence[float]) -> tuple[float, ...]:
    """The linear numbers of a colour that is given in sRGB, as pictures, style sheets and sprites
    have it.

    Meshes, materials, lights and lines take linear numbers: half of them is half the light.
    ``color`` is a string, such as "#f80", "#ff8800", "#ff880080" or "orange", or red, green and
    blue in 0..1, with alpha or without. Returns three numbers, or four where alpha is among what
    was given; alpha is not converted.

        cubes.color = fw.srgb((1.0, 0.53, 0.0))

    Where a colour is set, a string alone means the same: ``cubes.color = "#f80"``.
    """
    red, green, blue, alpha = checks.color("color", color, math.nan, least=0)
    linear = checks.linear(red), checks.linear(green), checks.linear(blue)
    return linear if math.isnan(alpha) else (*linear, alpha)
