"""A separate random generator for each row of an `ArrayGame`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Doubles

Words = NDArray[np.uint64]

# The constants of SplitMix64, from Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
# Generators", 2014.
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_BITS = 2.0**-53


class RandomStreams:
    """A random generator for each row of a game. Each row has its own seed.

    The random numbers of a row depend only on its seed, not on other rows.
    """

    def __init__(self, seeds: ArrayLike) -> None:
        seeds = np.array(seeds, np.uint64)
        self._keys = _mixed(seeds + _GAMMA)
        self.counts: Words = np.zeros(len(seeds), np.uint64)
        """The number of random numbers that each row has used. The array is uint64 and has one
        element per row.
        """

    def seed(self, rows: Any, seeds: ArrayLike) -> None:
        """Restart the random generators of ``rows`` with ``seeds``."""
        self._keys[rows] = _mixed(np.array(seeds, np.uint64) + _GAMMA)
        self.counts[rows] = 0

    def uniform(
        self, rows: Any, low: ArrayLike = 0.0, high: ArrayLike = 1.0, count: int | None = None
    ) -> Doubles:
        """Return a random number for each of ``rows``. Each number is at least ``low`` and less
        than ``high``. The returned array is float64 and has one element per row. If ``count`` is
        not None, the returned array has the shape (rows, count).
        """
        drawn = 1 if count is None else count
        first = self.counts[rows]
        self.counts[rows] = first + np.uint64(drawn)
        positions = first[:, None] + np.arange(1, drawn + 1, dtype=np.uint64)
        fractions = (
            _mixed(self._keys[rows][:, None] + positions * _GAMMA) >> np.uint64(11)
        ) * _BITS
        if count is None:
            fractions = fractions[:, 0]
        low = np.asarray(low, np.float64)
        numbers: Doubles = low + (np.asarray(high, np.float64) - low) * fractions
        return numbers


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    mixed: Words = words ^ (words >> np.uint64(31))
    return mixed
