"""Type annotations for NumPy arrays, and functions that compute row indices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""An array of float32, such as a column of a batch, or data for the GPU."""

Doubles = NDArray[np.float64]
"""An array of float64, for values that are computed once per frame and for positions far from the
origin.
"""

Reals = NDArray[Any]
"""An array of float32 or float64. Functions usually return an array of the same type as their
argument.
"""

Rows = NDArray[np.intp]
"""An array of row indices."""

Mask = NDArray[np.bool_]
"""An array with one bool per row."""

Pixels = NDArray[np.uint8]
"""An image as a uint8 array of shape (height, width, 4): red, green, blue and alpha. Row 0 is the
top row.
"""

# Whenever 128 KiB at the end of its heap are free, glibc returns them to the system, then requests
# them again page by page. This takes a third of the time of an overlap test between 2,000 and 2,000
# sprites. After a block of this size has been freed once, glibc keeps up to twice that size. The
# array is never written to, so it takes no memory.
np.empty(1 << 22, np.uint8)


def row_indices(rows: object, n: int) -> Rows | slice:
    """Return the indices of the rows that ``rows`` selects, from 0 to n - 1, or a slice if a slice
    selects the same rows.

    ``rows`` is a single index, a list of indices, a mask of ``n`` bools, or a slice. A negative
    index counts from the end. Raises `ValueError` or `TypeError` if ``rows`` is anything else. The
    error message starts with ``rows``.
    """
    if isinstance(rows, slice):
        try:
            start, stop, step = rows.indices(n)
        except (TypeError, ValueError) as error:  # a slice of strings or fractions, or with step 0
            from .checks import shown  # for errors only

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
        from .checks import wrong_type  # for errors only

        raise wrong_type("rows", "indices, a mask or a slice", rows) from None
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(
                f"rows: expected a mask of shape ({n},), got one of shape {array.shape}"
            )
        return np.flatnonzero(array)
    return _checked_indices(array, n)


def _checked_indices(array: NDArray[Any], n: int) -> Rows:
    """Return indices of rows as numbers from 0 to ``n`` - 1. Negative indices count from the
    end.
    """
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


def repeated_rows(counts: Rows) -> tuple[Rows, Rows]:
    """Return two arrays: each row index i repeated ``counts[i]`` times, and the number of each
    repetition, from 0.

    For the counts 2, 0 and 3, the indices are 0, 0, 2, 2, 2, and the numbers are 0, 1, 0, 1, 2.
    """
    row: Rows = np.repeat(np.arange(len(counts)), counts)
    number: Rows = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    return row, number
