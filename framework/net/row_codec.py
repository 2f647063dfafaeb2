"""Row codec: packs the states of many rows into few bytes. The codec predicts each value from
earlier states. So only the small differences to the prediction are sent.

The values of rows are an int32 array. A column of this array is called a *channel*. For angles,
only the highest bits of the int32 are used. A full turn is the whole range of int32. So the
difference of two angles is never more than half a turn. ``shifts`` is the number of unused low bits
of each value.

The server and the client compute the same prediction from the same earlier states. The arithmetic
gives the same result on every machine: int32, and single float32 operations.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rice_coding import MAX_LENGTH, MAX_LOW_BITS, Coded, Ints, parameters, unpacked

BLOCK = 16
"""The number of rows in a block. Each block is predicted from its own earlier states."""
STATES = 3
"""The maximum number of earlier states in a prediction."""
CONTEXTS = 24
"""The number of contexts. A context is a group of values that can be predicted equally well. Each
context has its own parameter for the Rice coding.
"""

Curves = NDArray[np.float32]
"""An array with a 1 for each value that is predicted with its acceleration. Other values have a
0.
"""

_LEVELS = 8  # the number of contexts for each kind of value
_NUMBER, _CURVED, _ANGLE = 0, _LEVELS, 2 * _LEVELS  # each kind is the number of its first context
_UNKNOWN = _LEVELS - 1  # the level of values with fewer than three earlier states
_FAR = np.float32(1 << 30)
_ONE = np.float32(1)
_DAMPING = np.float32(0.8)  # because an acceleration usually ends soon
_EXPONENT = _ONE.view(np.int32) >> 23  # the exponent of the float32 1.0

# the level of a value, from the exponent of its correction by acceleration
_LEVEL_OF = np.clip(np.arange(256) - _EXPONENT, 0, _LEVELS - 2).astype(np.uint8)


class RowShape:
    """The format of a row: the shift and the kind of each channel. The format is also available as
    arrays for many blocks.
    """

    __slots__ = ("_kinds", "_shifts", "channels", "kinds", "shifts")

    def __init__(self, shifts: Sequence[int]) -> None:
        self._shifts = np.array(shifts, np.int32)
        self._kinds = np.where(self._shifts > 0, _ANGLE, _NUMBER).astype(np.uint8)
        self.channels = len(self._shifts)
        self.reserve(1)

    def reserve(self, blocks: int) -> None:
        """Create arrays with the shifts and kinds for ``blocks`` blocks."""
        self.shifts: Ints = np.tile(self._shifts, blocks * BLOCK)
        self.kinds: NDArray[np.uint8] = np.tile(self._kinds, blocks * BLOCK)

    def sized(self, blocks: int) -> tuple[Ints, NDArray[np.uint8]]:
        """Return the shift and the kind of each value in ``blocks`` blocks."""
        count = blocks * BLOCK * self.channels
        if count > len(self.shifts):
            self.reserve(2 * blocks)
        return self.shifts[:count], self.kinds[:count]

    def curves(self, bits: NDArray[np.uint16]) -> tuple[Curves, NDArray[np.uint8]]:
        """Return the curves and the kinds of all values. ``bits`` has one number for each block,
        with one bit for each row. The bit is 1 if the row is predicted with its acceleration.

        Angles are never predicted with their acceleration.
        """
        kinds = self.sized(len(bits))[1]
        rows = np.unpackbits(bits.astype("<u2").view(np.uint8), bitorder="little")
        curved = np.repeat(rows, self.channels)
        curved &= kinds == _NUMBER
        return curved.astype(np.float32), kinds + curved * np.uint8(_CURVED)


def predicted(
    states: Sequence[Ints],
    ages: NDArray[np.int64],
    shifts: Ints,
    kinds: NDArray[np.uint8],
    curves: Curves,
) -> tuple[Ints, NDArray[np.uint8]]:
    """Predict the change of each value since the newest state. Return the changes and the context
    of each value.

    ``states`` is a list of three flat arrays. The newest state comes first. If a state is missing,
    pass the next newer state instead. ``ages`` has the age of each state in ticks, with the shape
    (blocks, 3). The age of a missing state is 0. ``kinds`` and ``curves`` are results of
    `RowShape.curves`.
    """
    straight: Any
    late: Any
    early: Any
    first = ages[0].tolist()
    if len(ages) == 1 or bool((ages == first).all()):
        straight, late, early = _weights(*map(np.float32, first))
        unknown = not first[2]
    else:
        step = len(shifts) // len(ages)
        weights = [_weights(*map(np.float32, triple)) for triple in ages.tolist()]
        straight, late, early = np.array(weights, np.float32).T.repeat(step, axis=1)
        unknown = (ages[:, 2] == 0).repeat(step) if not ages[:, 2].all() else False
    difference = states[0] - states[1]
    difference >>= shifts
    change = difference.astype(np.float32)
    np.subtract(states[1], states[2], out=difference)
    difference >>= shifts
    bend = difference.astype(np.float32)
    bend *= early
    np.subtract(change * late, bend, out=bend)
    change *= straight
    exponents = bend.view(np.int32) >> 23
    exponents &= 0xFF
    levels = _LEVEL_OF.take(exponents)
    if unknown is not False:
        levels[unknown] = _UNKNOWN
    levels += kinds
    bend *= curves
    change += bend
    return _whole(change), levels


@functools.lru_cache(4096)
def _weights(
    newest: np.float32, middle: np.float32, oldest: np.float32
) -> tuple[np.float32, np.float32, np.float32]:
    """Return three weights for the prediction. The first weight is for the last change. The other
    two weights are for the correction by acceleration: for the last change, and for the change
    before it.
    """
    span = max(middle - newest, _ONE)
    earlier_span = max(oldest - middle, _ONE)
    share = (span + newest) * newest / (span + earlier_span) * _DAMPING
    if not oldest:
        share = np.float32(0)
    return newest / span, share / span, share / earlier_span


def _whole(values: NDArray[np.float32]) -> Ints:
    """Round float32 values to int32. Values above 2**30 become 2**30. Values below -2**30 become
    -2**30.
    """
    np.rint(values, out=values)
    np.minimum(values, _FAR, out=values)
    np.maximum(values, -_FAR, out=values)
    return values.astype(np.int32)


def residuals(current: Ints, newest: Ints, delta: Ints, shifts: Ints, out: Ints) -> None:
    """Write the differences between ``current`` and the prediction to ``out``. Each difference is
    coded as a number that is not negative. The function overwrites ``delta``.
    """
    np.subtract(current, newest, out=out)
    out >>= shifts
    out -= delta
    out <<= shifts
    out >>= shifts
    sign = np.right_shift(out, 31, out=delta)
    out <<= 1
    out ^= sign


def values(numbers: Ints, newest: Ints, delta: Ints, shifts: Ints) -> Ints:
    """Compute the values of rows from their differences to the prediction. This function is the
    inverse of `residuals`.
    """
    difference = (numbers.view(np.uint32) >> np.uint32(1)).view(np.int32)
    difference ^= -(numbers & 1)
    difference += delta
    difference <<= shifts
    difference += newest
    return difference


class CodedBlocks:
    """The numbers of several blocks, prepared for packing. ``contexts`` contains the context of
    each number. ``step`` is the number of values in a block.
    """

    __slots__ = ("_coded", "_step", "parameters")

    def __init__(
        self,
        numbers: Ints,
        contexts: NDArray[np.uint8],
        step: int,
        low_bits: NDArray[np.uint8] | None = None,
    ) -> None:
        self.parameters = _best_parameters(numbers, contexts) if low_bits is None else low_bits
        self._step = step
        self._coded = Coded(numbers, self.parameters.take(contexts))

    def sizes(self) -> NDArray[np.int64]:
        """For each block, return the number of bits from the start of the first block to the end of
        this block.
        """
        return self._coded.sizes(self._step)

    def packed(self, first: int, last: int) -> bytes:
        """Return the parameters and the blocks ``first`` to ``last - 1`` as bytes."""
        low_bits = self.parameters
        pairs = (low_bits[::2] << 4 | low_bits[1::2]).astype(np.uint8).tobytes()
        return pairs + self._coded.packed(first * self._step, last * self._step)


def _best_parameters(numbers: Ints, contexts: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the best parameter of each context. With this parameter, the numbers of the context
    need the fewest bits.
    """
    floats = numbers.view(np.uint32).astype(np.float32)
    lengths = floats.view(np.int32) >> 23
    lengths -= _EXPONENT - 1  # so that 1 has one bit; 0 has a negative length
    np.maximum(lengths, 0, out=lengths)
    np.minimum(lengths, MAX_LENGTH - 1, out=lengths)
    lengths += _FIRST_LENGTH.take(contexts)
    counts = np.bincount(lengths, minlength=CONTEXTS * MAX_LENGTH)
    return parameters(counts.reshape(CONTEXTS, MAX_LENGTH))


_FIRST_LENGTH = (np.arange(CONTEXTS) * MAX_LENGTH).astype(np.int32)
PARAMETER_BYTES = CONTEXTS // 2


def decoded(data: bytes, contexts: NDArray[np.uint8]) -> Ints:
    """Return the numbers from bytes of `CodedBlocks.packed`. Raises `ValueError` if the bytes are
    invalid.
    """
    if len(data) < PARAMETER_BYTES:
        raise ValueError("too short")
    pairs = np.frombuffer(data, np.uint8, PARAMETER_BYTES)
    low_bits = np.empty(CONTEXTS, np.uint8)
    low_bits[::2] = pairs >> 4
    low_bits[1::2] = pairs & 15
    if low_bits.max() > MAX_LOW_BITS:
        raise ValueError("parameters")
    return unpacked(data[PARAMETER_BYTES:], low_bits.take(contexts))
