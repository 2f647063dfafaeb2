"""The arrays that the framework is made of, by the names that its signatures use, and what picks
rows of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks import shown, wrong_type

Floats = NDArray[np.float32]
"""What columns hold and the GPU is sent."""

Doubles = NDArray[np.float64]
"""What is computed once a frame, or far from the origin."""

Reals = NDArray[Any]
"""float32 or float64: what comes in goes out."""

Rows = NDArray[np.intp]
"""Numbers of rows."""

Mask = NDArray[np.bool_]
"""Whether, for each row."""

Pixels = NDArray[np.uint8]
"""(height, width, 4): red, green, blue and alpha, row 0 at the top."""

# glibc hands the end of its heap back to the system whenever 128 KiB have been freed there, and
# gets it again page by page: a third of the time that 2,000 sprites take that are tested against
# 2,000. Once a piece as large as this has come and gone, it keeps up to twice as much. Nothing is
# written to it, so it takes no memory.
np.empty(1 << 22, np.uint8)


def row_indices(rows: object, n: int) -> Rows | slice:
    """``rows`` (an index, indices, a mask of n, or a slice) as ascending-safe indices in 0..n-1 or
    a plain slice.

    Raises `ValueError` or `TypeError` naming ``rows`` when they do not fit.
    """
    if isinstance(rows, slice):
        try:
            start, stop, step = rows.indices(n)
        except (TypeError, ValueError) as error:  # of words, of fractions, of step 0
            raise type(error)(
                f"rows: expected a slice of whole numbers, got {shown(rows)}"
            ) from None
        return (
            slice(start, max(start, stop))
            if step == 1
            else np.arange(start, stop, step, dtype=np.intp)
        )
    try:
        array = np.atleast_1d(np.asarray(rows))
    except ValueError:  # ragged
        raise wrong_type("rows", "indices, a mask or a slice", rows) from None
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(
                f"rows: expected a mask of shape ({n},), got one of shape {array.shape}"
            )
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise TypeError(
            f"rows: expected indices, a mask or a slice, got {array.dtype} of shape {array.shape}"
        )
    array = array.astype(np.intp)
    if array.size:
        lowest: int = array.min()
        highest: int = array.max()
        if lowest < -n or highest >= n:
            wrong = lowest if lowest < -n else highest
            raise ValueError(f"rows: there are {n} rows, got index {wrong}")
    return np.where(array < 0, array + n, array)
