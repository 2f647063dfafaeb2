"""Contacts: how pairs of shapes touch, and checks of pairwise arguments."""

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
    """(n,): the penetration depth in units. Below 0, it is about the distance between the shapes.
    """
    normal: Doubles
    """(n, 2) or (n, 3), length 1: the direction in which the first shape leaves the second.

    Moved by ``normal * depth``, the first shape only just touches the second.
    """
    point: Doubles
    """(n, 2) or (n, 3): the contact point on the second shape."""


def pairwise(**values: tuple[ArrayLike, int]) -> list[Doubles]:
    """Return arguments, each given by name with its width, with equally many rows.

    Each is (n, width), or (n,) if its width is 1. A single row is repeated for all pairs.
    """
    arrays = []
    for name, (value, width) in values.items():
        axes = (1,) if width == 1 else (1, width)
        if type(value) is np.ndarray and value.dtype == np.float64 and _fits(value.shape, axes):
            arrays.append(value)  # usually, if one pair is checked at a time
            continue
        if type(value) is float and width == 1:
            arrays.append(np.array([value]))
            continue
        array = checks.numbers(name, value, None, finite=False)
        if array.ndim == len(axes) - 1:  # one row for all pairs
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
    """Return vectors of length 1, and their lengths before.

    Vectors of length 0 become ``instead``.
    """
    length = exact.norm(vectors)
    has_length = length > 0
    return np.where(
        has_length[:, None], vectors / np.where(has_length, length, 1)[:, None], instead
    ), length
