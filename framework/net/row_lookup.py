"""Find the indices of values, such as row IDs, in an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def indices_of(values: NDArray[Any], array: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each value in ``array``, or -1 for a value that is not in ``array``. Each
    value that you look up must occur in ``array`` only once.
    """
    if not len(array):
        return np.full(len(values), -1, np.intp)
    order = np.argsort(array)
    indices = order[np.minimum(np.searchsorted(array[order], values), len(array) - 1)]
    return np.where(array[indices] == values, indices, -1)
