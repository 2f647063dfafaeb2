"""Change the pitch and the speed of sounds whose `pitch` is not 1.

The module `sample_interpolation` computes the values between two samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .mix_table import TableSource
from .sample_interpolation import AFTER, BEFORE, SCRATCH, interpolate

ONE = 1 << 16
_ROWS = 32  # the number of rows that are resampled together; they fit into the processor's cache
_MAX_WIDTH = (1 << 16) - 1  # the maximum number of source samples of all rows together

Whole = NDArray[np.int64]
Ways = NDArray[np.int64]
"""The distance that a voice has moved in its sound at each sample, in units of 1 / `ONE` samples.
"""


_Ways32 = NDArray[np.uint32]


class PitchedRow(NamedTuple):
    """A voice that fills one row of a block, or two rows if its source is played in stereo."""

    first_row: int
    """The index of the row, or of the first of the two rows."""
    source: TableSource
    mono: bool
    """Whether the source is mixed to one channel."""
    position: int
    """The position in the sound at the first sample, in units of 1 / `ONE` samples."""
    step: int
    """The distance to the position of the next sample, in the same units."""
    distances: Ways | None
    """The distance from `position` at each sample if the pitch changes, otherwise None."""


class Resampler:
    """Computes resampled sounds for rows of up to ``max_samples`` samples.

    The class reuses its memory, because allocating new memory takes longer than resampling.
    """

    def __init__(self, max_samples: int) -> None:
        self._count = np.arange(max_samples, dtype=np.uint32)
        self._whole = np.empty((2, _ROWS * max_samples), np.uint32)
        self._places = np.empty(_ROWS * max_samples, np.intp)
        self._parts = np.empty((SCRATCH + 1, _ROWS * max_samples), np.float32)
        self._memory: Floats = np.empty(0, np.float32)

    def fill(self, block: Floats, rows: list[PitchedRow]) -> None:
        """Write m samples to each of the rows ``rows`` of ``block``. ``block`` is a float32 array
        with m columns.
        """
        singles = [row for row in rows if row.mono]
        doubles = [row for row in rows if not row.mono]
        if singles:
            self._fill(block, singles, 1)
        if doubles:
            self._fill(block, doubles, 2)

    def _fill(self, block: Floats, rows: list[PitchedRow], channels: int) -> None:
        m = block.shape[1]
        positions: Whole = np.array([row.position for row in rows], np.int64)
        step: Whole = np.array([row.step for row in rows], np.int64)
        begins: list[int] = (positions >> 16).tolist()
        fractions: Whole = positions & (ONE - 1)
        ends: Whole = step * (m - 1)
        for number, row in enumerate(rows):
            if row.distances is not None:
                ends[number] = row.distances[m - 1]
        width = int((fractions + ends).max() >> 16) + 1 + BEFORE + AFTER
        row_count = max(1, min(_ROWS, _MAX_WIDTH // width) // channels)
        for first in range(0, len(rows), row_count):
            piece = slice(first, first + row_count)
            self._stretch(
                block, rows[piece], begins[piece], fractions[piece], step[piece], (channels, width)
            )

    def _stretch(
        self,
        block: Floats,
        rows: list[PitchedRow],
        begins: list[int],
        fractions: Whole,
        step: Whole,
        shape: tuple[int, int],
    ) -> None:
        """Resample up to `_ROWS` rows at a time. The method first copies the samples of all rows to
        one array.

        The array is short, so that 32 bits are enough for all positions, in units of 1 / `ONE`
        samples.
        """
        channels, width = shape
        m: int = block.shape[1]
        count = channels * len(rows)
        window = self._scratch(count, width)
        # The arrays must be contiguous, otherwise NumPy would copy them.
        distances, index = self._whole[:, : count * m].reshape(2, count, m)
        if channels == 2:
            step = step.repeat(2)
            fractions = fractions.repeat(2)
        starts = np.arange(0, count * width, width, dtype=np.int64)
        offsets = fractions + (starts << 16)
        np.multiply(self._count[:m], step.astype(np.uint32)[:, None], out=distances)
        for number, row in enumerate(rows):
            if row.distances is not None:
                distances[channels * number : channels * (number + 1)] = row.distances
        distances += offsets.astype(np.uint32)[:, None]
        windows = [
            _window(row.source, begin - BEFORE, width, row.mono)
            for row, begin in zip(rows, begins, strict=True)
        ]
        np.concatenate(windows, out=window)
        first = rows[0].first_row
        are_adjacent = rows[-1].first_row - first == count - channels
        if are_adjacent:
            self._interpolate(distances, index, window, block[first : first + count])
            return
        between = self._parts[SCRATCH, : count * m].reshape(count, m)
        self._interpolate(distances, index, window, between)
        for number, row in enumerate(rows):
            values = between[channels * number : channels * (number + 1)]
            block[row.first_row : row.first_row + channels] = values

    def _scratch(self, rows: int, width: int) -> Floats:
        if self._memory.size < rows * width:
            self._memory = np.empty(rows * width, np.float32)
        return self._memory[: rows * width].reshape(rows, width)

    def _interpolate(self, distances: _Ways32, index: _Ways32, window: Floats, out: Floats) -> None:
        """Write the values of sounds at the positions ``distances`` to ``out``. The values are
        interpolated between the samples in ``window``.

        ``distances`` are measured from the sample `BEFORE` of ``window``, in units of 1 / `ONE`
        samples.
        ``window`` is a contiguous float32 array of shape (rows, width).
        """
        rows, m = distances.shape
        scratch = self._parts[:SCRATCH, : rows * m].reshape(SCRATCH, rows, m)
        positions = self._places[: rows * m].reshape(rows, m)
        np.right_shift(distances, 16, out=index)
        positions[:] = index
        np.bitwise_and(distances, ONE - 1, out=distances)
        # Use int32, because processors have an instruction that converts int32 to float32.
        interpolate(window.reshape(-1), positions, distances.view(np.int32), out, scratch)


def _window(source: TableSource, first: int, count: int, mono: bool) -> Floats:
    """Return ``count`` samples of a source, from a position in the source. Samples before the
    beginning of the sound are 0.
    """
    if first >= 0:
        return source.window(first, count, mono)
    samples = source.window(0, count + first, mono)
    silence = np.zeros((len(samples), -first), np.float32)
    return np.concatenate((silence, samples), axis=1)
