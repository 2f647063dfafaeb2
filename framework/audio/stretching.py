"""Sounds at other pitches: between two samples of a sound, what is heard is a straight line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .voices import ONE, Source, Track

_ROWS = 16  # that are stretched at a time, so that they stay in the cache

Ways = NDArray[Any]
"""How far a voice has come at each sample, in units of 1 / `ONE`."""


def glide(track: Track, n: int) -> Ways:
    """How far it has come at each sample of a stretch in which its pitch changes: int64 (n + 1,)."""
    steps = track.step + (track.to_step - track.step) * np.arange(n, dtype=np.int64) // n
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(steps)))


Row = tuple[int, Source, bool, int, int, Ways | None]
"""What is to be stretched: the number of its row in a block, the first of two for a source that is heard in stereo; the
source; whether as one channel; the place that it begins at; its step; and its ways, where its pitch changes."""


class Stretcher:
    """Fills rows of up to ``most`` samples. It keeps the memory that it works in: getting it anew takes longer."""

    def __init__(self, most: int) -> None:
        self._count = np.arange(most, dtype=np.int32)
        self._whole = np.empty((2, _ROWS * most), np.int32)
        self._places = np.empty(_ROWS * most, np.intp)
        self._parts = np.empty((3, _ROWS * most), np.float32)
        self._memory: Floats = np.empty(0, np.float32)

    def fill(self, block: Floats, rows: list[Row]) -> None:
        """Fill rows of ``block``, float32 (rows, m)."""
        singles = [row for row in rows if row[2]]
        doubles = [row for row in rows if not row[2]]
        for first in range(0, len(singles), _ROWS):
            self._fill(block, singles[first : first + _ROWS], 1)
        for first in range(0, len(doubles), _ROWS // 2):
            self._fill(block, doubles[first : first + _ROWS // 2], 2)

    def _fill(self, block: Floats, rows: list[Row], channels: int) -> None:
        count, m = channels * len(rows), block.shape[1]
        numbers, sources, monos, places, steps, glides = zip(*rows, strict=True)
        ways, index = self._whole[:, : count * m].reshape(2, count, m)  # in one piece, or numpy would copy them
        at, step = np.array(places, np.int64), np.array(steps, np.int32)
        fraction = (at & (ONE - 1)).astype(np.int32)
        if channels == 2:
            step, fraction = step.repeat(2), fraction.repeat(2)
        np.multiply(self._count[:m], step[:, None], out=ways)
        for number, moved in enumerate(glides):
            if moved is not None:
                ways[channels * number : channels * (number + 1)] = moved
        ways += fraction[:, None]
        width = int(ways[:, m - 1].max() >> 16) + 2
        window = self._room(count, width)
        first = 0
        for source, mono, begin in zip(sources, monos, (at >> 16).tolist(), strict=True):
            source.windows(begin, width, mono, window[first : first + channels])
            first += channels
        if numbers[-1] - numbers[0] == count - channels:
            self._between(ways, index, window, block[numbers[0] : numbers[0] + count])
            return
        between = self._parts[2, : count * m].reshape(count, m)
        self._between(ways, index, window, between)
        for number, begin in enumerate(numbers):
            block[begin : begin + channels] = between[channels * number : channels * (number + 1)]

    def _room(self, rows: int, width: int) -> Floats:
        if self._memory.size < rows * width:
            self._memory = np.empty(rows * width, np.float32)
        return self._memory[: rows * width].reshape(rows, width)

    def _between(self, ways: NDArray[np.int32], index: NDArray[np.int32], window: Floats, out: Floats) -> None:
        """What is heard at so many `ONE`-ths of a sample after each window's begin."""
        rows, m = ways.shape
        share, high = self._parts[:2, : rows * m].reshape(2, rows, m)
        places = self._places[: rows * m].reshape(rows, m)
        np.right_shift(ways, 16, out=index)
        width = window.shape[1]
        index += np.arange(0, rows * width, width, dtype=np.int32)[:, None]
        places[:] = index
        np.bitwise_and(ways, ONE - 1, out=ways)
        share[:] = ways
        share *= np.float32(1 / ONE)
        flat = window.reshape(-1)
        np.take(flat, places, out=out, mode="clip")  # all are there; the other modes look, and copy
        np.take(flat[1:], places, out=high, mode="clip")
        high -= out
        high *= share
        out += high
