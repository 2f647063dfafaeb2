"""Interpolation: the values of a sound between its samples, for voices with a pitch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

BEFORE = 1
"""The number of samples before a position that `interpolate` reads."""

AFTER = 2
"""The number of samples after a position that `interpolate` reads."""

_SHARE = np.float32(1 / 65536)


def interpolate(
    window: Floats,
    index: NDArray[np.intp],
    fraction: NDArray[np.int32],
    out: Floats,
    scratch: Floats,
) -> None:
    """Write the values of a sound at n positions to ``out``.

    Position number n lies after the sample ``window[index[n]]``, by ``fraction[n]`` / 65,536 of a
    sample. ``window`` has the shape (m,), all other arrays have the shape (rows, n). ``scratch``
    has the shape (3, rows, n), and its values are lost. The C kernel has the same function in
    ``native/src/interpolate.h``, with the same operations in the same order.
    """
    share, following = scratch[0], scratch[1]
    np.multiply(fraction, _SHARE, out=share, dtype=np.float32, casting="unsafe")
    # All positions are valid. The mode "raise" would check them first, and copy.
    np.take(window, index, out=out, mode="wrap")
    np.take(window[1:], index, out=following, mode="wrap")
    following -= out
    following *= share
    out += following
