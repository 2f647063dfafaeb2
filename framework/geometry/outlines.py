"""What images look like to what bumps into them: the box, the outline and the convex pieces of what is opaque."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arrays import Doubles, Mask, Pixels

_OPAQUE = 128


def opaque(pixels: Pixels) -> Mask:
    """Which pixels are opaque, by alpha of at least a half: bool (h, w), row 0 at the top."""
    image = np.asarray(pixels)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 4:
        raise checks.wrong_value("pixels", "uint8 of shape (h, w, 4)", pixels)
    shown: Mask = image[..., 3] >= _OPAQUE
    return shown


def opaque_box(pixels: Pixels, anchor: tuple[float, float] | None = None) -> Doubles:
    """Left, bottom, right and top of what is opaque, in pixels from the anchor (the centre unless told), y up: (4,);
    NaN where nothing is."""
    solid = opaque(pixels)
    height, width = solid.shape
    x, y = (width / 2, height / 2) if anchor is None else anchor
    columns, rows = np.flatnonzero(solid.any(axis=0)), np.flatnonzero(solid.any(axis=1))
    if not len(columns):
        return np.full(4, np.nan)
    return np.array([columns[0] - x, height - 1 - rows[-1] - y, columns[-1] + 1 - x, height - rows[0] - y])
