"""Rice coding: pack arrays of whole numbers. Small numbers need few bits.

A Rice code has a parameter ``k``. A number ``z`` is written in three parts: ``z >> k`` zeros, then
a one, and then the lowest ``k`` bits of ``z``. So a small number needs few bits. Large numbers are
written in another way: `MAX_ZEROS` zeros, and then the number with 16 bits. The largest numbers
need 48 bits.

The packed bytes have four parts. The first part has the zeros and ones of all numbers, and the
second part has the low bits. The third part has the numbers with 16 bits, and the fourth part has
the numbers with 32 bits. Each part starts at a full byte.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]

MAX_ZEROS = 10
"""This number of zeros means that the number is written with 16 or 32 bits."""
MAX_LOW_BITS = 8
"""The largest value of the parameter ``k``."""
MAX_LENGTH = 18
"""`parameters` distinguishes this many lengths of numbers in bits: 0 to 17."""
_HUGE = 0xFFFF  # marks a number of 32 bits

# row k has k ones: the low bits that a number with the parameter k has
_HAS_BIT = np.tri(MAX_LOW_BITS + 1, MAX_LOW_BITS, -1, dtype=bool)


def _mean_bits() -> NDArray[np.float64]:
    """Return the average number of bits that a number needs. The array has a row for each length of
    numbers, and a column for each parameter ``k``.
    """
    result = np.zeros((MAX_LENGTH, MAX_LOW_BITS + 1))
    for length in range(MAX_LENGTH):
        start, stop = (1 << length) >> 1, 1 << length
        numbers = np.linspace(start, stop - 1, 64).astype(np.int64)
        for low_bits in range(MAX_LOW_BITS + 1):
            zeros = numbers >> low_bits
            wide = zeros >= MAX_ZEROS
            bits = np.where(wide, MAX_ZEROS + 1 + 16, zeros + 1 + low_bits)
            result[length, low_bits] = bits.mean()
    return result


_MEAN_BITS = _mean_bits()


class Coded:
    """Numbers that are prepared for packing. `packed` can then pack any range of the numbers.

    ``numbers`` is an int32 array. The bits of this array are read as uint32. ``low_bits`` has the
    parameter ``k`` of each number, from 0 to `MAX_LOW_BITS`.
    """

    __slots__ = ("_bits", "_ends", "_low", "_low_ends", "_numbers", "_wide")

    def __init__(self, numbers: Ints, low_bits: NDArray[np.uint8]) -> None:
        lengths = low_bits.astype(np.int32)
        zeros = (numbers.view(np.uint32) >> lengths.view(np.uint32)).view(np.int32)
        self._numbers = numbers
        self._wide = np.flatnonzero(zeros.view(np.uint32) >= MAX_ZEROS)
        if len(self._wide):
            zeros[self._wide] = MAX_ZEROS
            lengths[self._wide] = 0
            low_bits = low_bits.copy()
            low_bits[self._wide] = 0
        zeros += 1
        self._ends = np.add.accumulate(zeros, out=zeros)
        self._bits = np.zeros(zeros[-1], np.uint8)
        zeros -= 1
        self._bits[zeros] = 1
        zeros += 1
        self._low_ends = np.add.accumulate(lengths, out=lengths)
        low = np.unpackbits(numbers.astype(np.uint8), bitorder="little")
        self._low = low.compress(_HAS_BIT.take(low_bits, axis=0).reshape(-1))

    def sizes(self, step: int) -> NDArray[np.int64]:
        """Return the number of bits that the first ``step`` numbers need, then the first ``2 *
        step``, and so on. The total count of numbers must be a multiple of ``step``.
        """
        total = (self._ends[step - 1 :: step] + self._low_ends[step - 1 :: step]).astype(np.int64)
        if len(self._wide):
            bits = np.where(self._numbers.view(np.uint32)[self._wide] >= _HUGE, 48, 16)
            extra = np.bincount(self._wide // step, bits, len(total))
            total += np.cumsum(extra).astype(np.int64)
        return total

    def packed(self, start: int, stop: int) -> bytes:
        """Return the numbers ``start`` to ``stop - 1`` as bytes."""
        first = self._ends[start - 1] if start else 0
        first_low = self._low_ends[start - 1] if start else 0
        parts = [
            np.packbits(self._bits[first : self._ends[stop - 1]]).tobytes(),
            np.packbits(self._low[first_low : self._low_ends[stop - 1]]).tobytes(),
        ]
        if len(self._wide):
            chosen = self._wide[(self._wide >= start) & (self._wide < stop)]
            wide = self._numbers.view(np.uint32)[chosen]
            parts.append(np.minimum(wide, _HUGE).astype("<u2").tobytes())
            parts.append(wide[wide >= _HUGE].astype("<u4").tobytes())
        return b"".join(parts)


def unpacked(data: bytes, low_bits: NDArray[np.uint8]) -> Ints:
    """Return the numbers from bytes of `Coded.packed`. ``low_bits`` must be the same as for
    packing. Raises `ValueError` if the bytes are invalid.
    """
    count = len(low_bits)
    content = np.frombuffer(data, np.uint8)
    ones = np.flatnonzero(np.unpackbits(content, count=min(8 * len(data), 11 * count)))[:count]
    if len(ones) < count or not count:
        raise ValueError("too few numbers")
    zeros = np.diff(ones, prepend=-1) - 1
    wide = np.flatnonzero(zeros >= MAX_ZEROS)
    if len(wide):
        if int(zeros.max()) > MAX_ZEROS:
            raise ValueError("too many zero bits")
        low_bits = low_bits.copy()
        low_bits[wide] = 0
    low_start = (int(ones[-1]) + 8) // 8
    low_count = int(low_bits.sum(dtype=np.int64))
    low_stop = low_start + (low_count + 7) // 8
    wide_stop = low_stop + 2 * len(wide)
    if len(data) < wide_stop:
        raise ValueError("too short")
    table = np.zeros(count * MAX_LOW_BITS, np.uint8)
    table[_HAS_BIT.take(low_bits, axis=0).reshape(-1)] = np.unpackbits(
        content[low_start:low_stop], count=low_count
    )
    low = np.packbits(table, bitorder="little")
    numbers = (zeros.astype(np.int32) << low_bits) | low
    result: Ints = numbers.astype(np.int32, copy=False)
    if len(wide):
        values = np.frombuffer(data, "<u2", len(wide), low_stop).astype(np.uint32)
        huge = values == _HUGE
        huge_count = int(huge.sum())
        if len(data) != wide_stop + 4 * huge_count:
            raise ValueError("another length")
        values[huge] = np.frombuffer(data, "<u4", huge_count, wide_stop) if huge_count else 0
        result[wide] = values.view(np.int32)
    elif len(data) != wide_stop:
        raise ValueError("another length")
    return result


def parameters(lengths: NDArray[np.intp]) -> NDArray[np.uint8]:
    """Return the best parameter ``k`` for each group of numbers.

    ``lengths`` is an array of counts: how many numbers of a group have each length in bits. The
    shape of ``lengths`` is (groups, `MAX_LENGTH`).
    """
    best = (lengths @ _MEAN_BITS).argmin(axis=1)
    result: NDArray[np.uint8] = best.astype(np.uint8)
    return result
