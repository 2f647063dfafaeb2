"""Change the sample rate of sounds with a polyphase filter.

A polyphase filter has separate coefficients for each position between two samples.

The coefficients are a sinc function multiplied by a Kaiser window, a common low-pass filter for
audio. The filter does not change the lowest 90 % of the frequencies (within 0.01 dB). Aliases
(wrong frequencies from the conversion) are quieter than -90 dB.

All computations use whole numbers: samples are in units of 2**-23, and filter coefficients in units
of 2**-21. All sums are below 2**53, so float64 stores them exactly, and they do not depend on the
order in which the BLAS library adds the numbers. Therefore, the converted samples are exactly the
same on every processor. You can convert the input in several pieces, with the same result as in one
piece.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats
from ..geometry import exact

_HALF = 48  # the number of samples on each side of a position, at the lower of the two sample rates
_BANDWIDTH = 0.96  # the filter's cutoff frequency, as a fraction of half of the lower sample rate
_BETA = 8.96  # the shape of the Kaiser window, for a stopband of -90 dB
# The maximum number of positions between two samples. A few sample rates are approximated, with an
# error of at most 0.012 %.
_MAX_PHASES = 4096
_BLOCK = 64  # the number of output samples per matrix
# The number of output samples per matrix at higher sample rates, which need more rows per sample.
_NARROW_BLOCK = 32
_SAMPLE_UNITS = float(1 << 23)
_UNITS = 1 << 21
_MAX_PRODUCTS = 1 << 18  # the maximum number of multiplications in one matrix product
_PIECE = 1 << 15  # the number of input samples per step, to limit the memory use


class _Filter(NamedTuple):
    """The filter coefficients for one period of output samples. The coefficients repeat after each
    period.
    """

    outputs: int
    """The number of output samples in one period of the filter."""
    inputs: int
    """The number of input samples in one period of the filter."""
    half: int
    """The number of input samples that affect the output, on each side of its position."""
    reach: int
    """The number of input samples that affect the output of one period."""
    blocks: tuple[tuple[int, Doubles], ...]
    """For each block of output samples: the index of the first input sample, and a matrix. The
    shape of the matrix is (inputs, outputs).
    """


@lru_cache(maxsize=4)
def _filter_of(rate: float, to_rate: int) -> _Filter:
    ratio = to_rate / Fraction(rate)
    if ratio.numerator > _MAX_PHASES:
        ratio = 1 / (1 / ratio).limit_denominator(_MAX_PHASES)
    phases = ratio.numerator
    stride = ratio.denominator
    narrow = max(1.0, rate / to_rate)
    half = math.ceil(_HALF * narrow)
    times = np.arange(phases, dtype=np.int64) * stride
    coefficients = _coefficients((times % phases) / phases, half, narrow)
    block = _BLOCK if rate < to_rate / 2 else _NARROW_BLOCK
    turns = max(1, -(-block // phases))  # repeat a short period until it fills a block
    outputs = phases * turns
    inputs = stride * turns
    blocks = []
    for begin in range(0, outputs, block):
        numbers = np.arange(begin, min(outputs, begin + block))
        firsts = numbers * stride // phases
        blocks.append(_block(firsts, coefficients[numbers % phases]))
    last_start, last_matrix = blocks[-1]
    return _Filter(outputs, inputs, half, last_start + len(last_matrix), tuple(blocks))


def _block(firsts: NDArray[np.int64], coefficients: Doubles) -> tuple[int, Doubles]:
    """Return one item of `_Filter.blocks`, for n output samples. ``firsts`` contains the first
    input sample that affects each of them, and ``coefficients`` its n rows of coefficients.
    """
    count, width = coefficients.shape
    first = int(firsts[0])
    last = int(firsts[-1])
    matrix: Doubles = np.zeros((last - first + width, count))
    rows = (firsts - first)[:, None] + np.arange(width)
    matrix[rows, np.arange(count)[:, None]] = coefficients
    return first, matrix


def _coefficients(fractions: Doubles, half: int, narrow: float) -> Doubles:
    """Return the filter coefficients for positions between two samples. ``fractions`` contains the
    positions, from 0 to 1. The array contains whole numbers in units of 2**-21. It is float64 with
    the shape (n, 2 · ``half``).
    """
    distance = np.arange(1 - half, half + 1) - fractions[:, None]
    width = _BANDWIDTH / narrow
    angle = np.where(distance == 0, 1.0, math.pi * width * distance)
    sinc = np.where(distance == 0, 1.0, exact.sincos(angle)[0] / angle)
    share = distance / half
    window = _bessel(_BETA * np.sqrt(np.maximum(0.0, 1.0 - share * share)))
    weights = sinc * window
    weights *= _UNITS / weights.sum(axis=1, keepdims=True)
    rounded: Doubles = np.rint(weights)
    # The weights of each position must add up to 1, so that a constant signal stays constant.
    nearest = np.abs(distance).argmin(axis=1)
    rounded[np.arange(len(rounded)), nearest] += _UNITS - rounded.sum(axis=1)
    return rounded


def _bessel(x: Doubles) -> Doubles:
    """Return the modified Bessel function of order 0. The Kaiser window is this function multiplied
    by a constant.
    """
    quarter = x * x / 4
    term: Doubles = np.ones_like(x)
    total: Doubles = np.ones_like(x)
    for number in range(1, 40):
        term = term * quarter / (number * number)
        total += term
    return total


class RateConverter:
    """A converter for the samples of one sound, from the sample rate ``rate`` to ``to_rate``. You
    can convert the samples in several pieces.

    The converter adds no delay: output sample k is at the time of input sample k · ``rate`` /
    ``to_rate``. ``first`` is the number of the first output sample, a multiple of `period`. If
    ``first`` is not 0, begin `convert` with the input sample `first_input`.
    """

    def __init__(self, rate: float, to_rate: int, channels: int, first: int = 0) -> None:
        self._filter = polyphase = _filter_of(rate, to_rate)
        self.period = polyphase.outputs
        self.first_input = first // polyphase.outputs * polyphase.inputs - (polyphase.half - 1)
        """The index of the first input sample that affects the output. Samples with a negative
        index are silence.
        """
        silence = max(0, -self.first_input)
        self._waiting: NDArray[np.float64] = np.zeros((channels, silence))
        self.first_input = max(0, self.first_input)
        self._received = self.first_input
        self._produced = first // polyphase.outputs * polyphase.outputs

    @property
    def lead(self) -> int:
        """The reach of the filter: each input sample affects `lead` output samples before it and
        `lead` after it.
        """
        polyphase = self._filter
        return self.output_count(polyphase.half) + 1

    def output_count(self, inputs: int) -> int:
        """Return the number of output samples for ``inputs`` input samples."""
        polyphase = self._filter
        count: int = (2 * inputs * polyphase.outputs + polyphase.inputs) // (2 * polyphase.inputs)
        return max(count, min(inputs, 1))

    def input_count(self, outputs: int) -> int:
        """Return the number of input samples that `convert` still needs before it returns
        ``outputs`` samples.
        """
        polyphase = self._filter
        periods = -(-outputs // polyphase.outputs)
        waiting: int = self._waiting.shape[1]
        return (periods - 1) * polyphase.inputs + polyphase.reach - waiting

    def convert(self, samples: Floats) -> Floats:
        """Convert the next input samples, with the shape (n, channels). Return the next output
        samples, with the shape (m, channels).
        """
        self._received += len(samples)
        pieces = [
            self._piece(samples[begin : begin + _PIECE]) for begin in range(0, len(samples), _PIECE)
        ]
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate(pieces) if pieces else np.empty((0, len(self._waiting)), np.float32)

    def _piece(self, samples: Floats) -> Floats:
        polyphase = self._filter
        units = np.rint(samples.T * _SAMPLE_UNITS)
        waiting = np.concatenate([self._waiting, units], axis=1)
        channels, count = waiting.shape
        periods = max(0, (count - polyphase.reach) // polyphase.inputs + 1)
        result: Doubles = np.empty((channels, periods, polyphase.outputs))
        done = 0
        if periods:
            step = polyphase.inputs * waiting.itemsize
            item = waiting.itemsize
            for first, matrix in polyphase.blocks:
                size, width = matrix.shape
                windows = np.lib.stride_tricks.as_strided(
                    waiting[:, first:], (channels, periods, size), (waiting.strides[0], step, item)
                )
                into = result[:, :, done : done + width]
                # Multiply small pieces, because for large matrices BLAS uses several threads, which
                # takes more CPU time.
                rows = max(1, _MAX_PRODUCTS // matrix.size)
                for row in range(0, periods, rows):
                    piece = np.ascontiguousarray(windows[:, row : row + rows])
                    np.matmul(piece, matrix, out=into[:, row : row + rows])
                done += width
        self._waiting = waiting[:, periods * polyphase.inputs :].copy()
        self._produced += periods * polyphase.outputs
        flat = result.reshape(channels, -1)
        flat *= 1 / (_SAMPLE_UNITS * _UNITS)
        return np.ascontiguousarray(flat.T, np.float32)

    def finish(self, after: Floats | None = None) -> Floats:
        """Return the last output samples, after all input samples have been converted. The array
        has the shape (m, channels).

        If the sound repeats, ``after`` contains the samples that are played after the end, with the
        shape (n, channels). By default, ``after`` is silence.
        """
        end = self.output_count(self._received)
        missing = end - self._produced
        if missing <= 0:
            return np.empty((0, len(self._waiting)), np.float32)
        count = max(0, self.input_count(missing))
        silence: Floats = np.zeros((count, len(self._waiting)), np.float32)
        if after is not None:
            silence[: len(after)] = after[:count]
        return self.convert(silence)[:missing]


def converted(samples: Floats, rate: float, to_rate: int) -> Floats:
    """Convert ``samples`` from the sample rate ``rate`` to ``to_rate``. Both arrays have the shape
    (n, channels).
    """
    converter = RateConverter(rate, to_rate, samples.shape[1])
    pieces = [converter.convert(samples), converter.finish()]
    return np.concatenate(pieces)
