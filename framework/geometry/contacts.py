"""How pairs of shapes touch, and the arguments of what finds it out: as many rows of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Doubles
from . import exact


class Contacts(NamedTuple):
    """How n pairs of shapes touch."""

    depth: Doubles
    """(n,): how far they are in each other, in units; below 0, about how far they are apart."""
    normal: Doubles
    """(n, 2) or (n, 3), length 1: the direction that leads out. Moved by ``normal * depth``, the
    first shape only just touches the second."""
    point: Doubles
    """(n, 2) or (n, 3): where they touch, on the second shape."""


def pairwise(**values: tuple[ArrayLike, int]) -> list[Doubles]:
    """Arguments by name, each with its width: as many rows of each, (n, width), or (n,) of a width
    of 1.
    """
    arrays = []
    for name, (value, width) in values.items():
        axes = (1,) if width == 1 else (1, width)
        if type(value) is np.ndarray and value.dtype == np.float64 and _fits(value.shape, axes):
            arrays.append(value)  # as a rule, where one is asked for at a time
            continue
        if type(value) is float and width == 1:
            arrays.append(np.array([value]))
            continue
        array = checks.numbers(name, value, None, finite=False)
        if array.ndim == len(axes) - 1:  # one for all pairs
            array = array[None]
        arrays.append(checks.numbers(name, array, (None, *axes[1:]), finite=False))
    counts = {len(array) for array in arrays} - {1}
    n = counts.pop() if counts else 1
    for name, array in zip(values, arrays, strict=True):
        if len(array) not in (1, n):
            raise ValueError(f"{name}: expected {n} rows, or one, got {len(array)}")
    return [
        array if len(array) == n else np.broadcast_to(array, (n, *array.shape[1:]))
        for array in arrays
    ]


def _fits(shape: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    return len(shape) == len(axes) and shape[1:] == axes[1:]


def unit(vectors: Doubles, instead: tuple[float, ...]) -> tuple[Doubles, Doubles]:
    """Vectors of length 1, and how long they were; ``instead`` of those of no length."""
    length = exact.norm(vectors)
    there = length > 0
    return np.where(there[:, None], vectors / np.where(there, length, 1)[:, None], instead), length
