"""Sounds at other pitches: between two samples of a sound, what is heard is a straight line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .voices import ONE, Source, Track

_ROWS = 32  # that are stretched at a time, so that they stay in the cache
_WIDEST = (1 << 16) - 1  # samples of all their windows

Whole = NDArray[np.int64]
Ways = NDArray[np.int64]
"""How far a voice has come at each sample, in units of 1 / `ONE`."""


def glide(track: Track, n: int) -> Ways:
    """How far it has come at each sample of a stretch in which its pitch changes: int64 (n +
    1,).
    """
    steps = track.step + (track.to_step - track.step) * np.arange(n, dtype=np.int64) // n
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(steps)))


_Ways32 = NDArray[np.uint32]

Row = tuple[int, Source, bool, int, int, Ways | None]
"""What is to be stretched: the number of its row in a block, the first of two for a source that is
heard in stereo; the source; whether as one channel; the place that it begins at; its step; and its
ways, where its pitch changes."""


class Stretcher:
    """Fills rows of up to ``most`` samples. It keeps the memory that it works in: getting it anew
    takes longer.
    """

    def __init__(self, most: int) -> None:
        self._count = np.arange(most, dtype=np.uint32)
        self._whole = np.empty((2, _ROWS * most), np.uint32)
        self._places = np.empty(_ROWS * most, np.intp)
        self._parts = np.empty((3, _ROWS * most), np.float32)
        self._memory: Floats = np.empty(0, np.float32)

    def fill(self, block: Floats, rows: list[Row]) -> None:
        """Fill rows of ``block``, float32 (rows, m)."""
        singles = [row for row in rows if row[2]]
        doubles = [row for row in rows if not row[2]]
        if singles:
            self._fill(block, singles, 1)
        if doubles:
            self._fill(block, doubles, 2)

    def _fill(self, block: Floats, rows: list[Row], channels: int) -> None:
        m = block.shape[1]
        at: Whole = np.array([row[3] for row in rows], np.int64)
        step: Whole = np.array([row[4] for row in rows], np.int64)
        begins: list[int] = (at >> 16).tolist()
        fractions: Whole = at & (ONE - 1)
        ends: Whole = step * (m - 1)
        for number, (_, _, _, _, _, moved) in enumerate(rows):
            if moved is not None:
                ends[number] = moved[m - 1]
        width = int((fractions + ends).max() >> 16) + 2
        some = max(1, min(_ROWS, _WIDEST // width) // channels)
        for first in range(0, len(rows), some):
            piece = slice(first, first + some)
            self._stretch(
                block, rows[piece], begins[piece], fractions[piece], step[piece], (channels, width)
            )

    def _stretch(
        self,
        block: Floats,
        rows: list[Row],
        begins: list[int],
        fractions: Whole,
        step: Whole,
        shape: tuple[int, int],
    ) -> None:
        """Stretch so many that their places, counted through the windows of all, are below 2 to the
        32nd.
        """
        (channels, width), m = shape, block.shape[1]
        count = channels * len(rows)
        window = self._room(count, width)
        ways, index = self._whole[:, : count * m].reshape(
            2, count, m
        )  # in one piece, or numpy would copy them
        if channels == 2:
            step, fractions = step.repeat(2), fractions.repeat(2)
        offsets = fractions + (np.arange(0, count * width, width, dtype=np.int64) << 16)
        np.multiply(self._count[:m], step.astype(np.uint32)[:, None], out=ways)
        for number, row in enumerate(rows):
            if row[5] is not None:
                ways[channels * number : channels * (number + 1)] = row[5]
        ways += offsets.astype(np.uint32)[:, None]
        windows = [
            row[1].window(begin, width, row[2]) for row, begin in zip(rows, begins, strict=True)
        ]
        np.concatenate(windows, out=window)
        first = rows[0][0]
        if rows[-1][0] - first == count - channels:
            self._between(ways, index, window, block[first : first + count])
            return
        between = self._parts[2, : count * m].reshape(count, m)
        self._between(ways, index, window, between)
        for number, row in enumerate(rows):
            block[row[0] : row[0] + channels] = between[channels * number : channels * (number + 1)]

    def _room(self, rows: int, width: int) -> Floats:
        if self._memory.size < rows * width:
            self._memory = np.empty(rows * width, np.float32)
        return self._memory[: rows * width].reshape(rows, width)

    def _between(self, ways: _Ways32, index: _Ways32, window: Floats, out: Floats) -> None:
        """What is heard at so many `ONE`-ths of a sample after the first window's begin."""
        rows, m = ways.shape
        share, high = self._parts[:2, : rows * m].reshape(2, rows, m)
        places = self._places[: rows * m].reshape(rows, m)
        np.right_shift(ways, 16, out=index)
        places[:] = index
        np.bitwise_and(ways, ONE - 1, out=ways)
        share[:] = ways.view(np.int32)  # for which processors have an instruction
        share *= np.float32(1 / ONE)
        flat = window.reshape(-1)
        np.take(
            flat, places, out=out, mode="wrap"
        )  # all are there: "raise" would look first, and copy
        np.take(flat[1:], places, out=high, mode="wrap")
        high -= out
        high *= share
        out += high
