"""Pack many small integers into few bits with Golomb coding, in one NumPy call.

First, the integers 0, -1, 1, -2, … are mapped to 0, 1, 2, 3, … A *code* divides these numbers into
ranges, from a small first range to a large last one. Each number is written as the index of its
range, followed by its offset within the range. The index is written as that number of zero bits and
a one bit, so small numbers need few bits. There are `CODES` codes to choose from: some suit small
numbers, others suit numbers that are usually 0 and sometimes large. A number outside all ranges is
written as `MAX_ZEROS` zero bits, and stored in full with 32 bits.

The packed bytes have three parts: the range indices, then the offsets, then the 32-bit numbers.
Each part starts at a new byte.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Span = tuple[int, int]
"""The index of the first byte, and one past the index of the last byte."""

MAX_ZEROS = 14
"""The number of zero bits that marks a number stored in full, with 32 bits."""
CODES = 16
"""The number of codes."""
# How many bits of an index into the table of small numbers are for the number; the bits above are
# for the code.
_SHIFT = 12
_HALF = 1 << _SHIFT - 1  # the small numbers are those from 1 - _HALF to _HALF - 2
_FIRST_SMALL = np.int32(_HALF - 1)  # added to small numbers, so that the smallest becomes 0
_LAST_SMALL = np.uint32(2 * _HALF - 3)  # the largest small number after `_FIRST_SMALL` was added
_BITS = 26  # the size of a field for a sum of bits: enough for `MAX_ROWS` rows with seven channels
_MASK = (1 << _BITS) - 1
_WORD = (1 << 64) - 1
_FIELD_BITS = np.uint64(_BITS)
_OFFSET_FIELD = np.uint64(2 * _BITS)
_FIELD = np.uint64(_MASK)
_SUMS = np.uint64((1 << 2 * _BITS) - 1)
_MAX_BITS = 12  # the maximum number of bits in an offset
_CLASSES = 26  # the number of classes; the numbers in a class need about the same number of bits


def _range_bits() -> list[list[int]]:
    """For each code, return the number of bits that an offset needs in each range."""
    ranges = range(MAX_ZEROS)
    doubling = [[low + index for index in ranges] for low in range(6)]
    flat_start = [[low + max(index - 2, 0) for index in ranges] for low in range(6)]
    quadrupling = [[low + 2 * index for index in ranges] for low in range(4)]
    return doubling + flat_start + quadrupling


class _Tables:
    """The tables for packing and unpacking numbers, as arrays."""

    def __init__(self) -> None:
        numbers = np.arange(-_HALF, _HALF)
        natural = np.where(numbers < 0, -2 * numbers - 1, 2 * numbers)
        is_wide = (numbers == -_HALF) | (numbers == _HALF - 1)
        self.offset_bits = np.zeros((CODES, MAX_ZEROS + 2), np.int32)
        self.first = np.zeros((CODES, MAX_ZEROS + 2), np.int32)
        """The first number of each range. A range contains the numbers with the same number of zero
        bits.
        """
        self.coded: Words = np.empty(CODES << _SHIFT, np.uint64)
        """A packed entry for each number. From the lowest bit, an entry has 26 bits for the number
        of zero bits plus one, 26 bits for the length of the offset, and 12 bits for the offset. The
        index of an entry is the number plus its `code_bases`.
        """
        self.classes = np.minimum(natural, 16) + np.log2(np.maximum(natural, 16)).astype(int) - 4
        self.classes[is_wide] = _CLASSES - 1
        members = np.bincount(self.classes, minlength=_CLASSES)
        self.mean_bits = np.empty((_CLASSES, CODES))
        """How many bits a number of each class needs on average with each code."""
        for code, all_lengths in enumerate(_range_bits()):
            lengths = np.minimum(all_lengths, _MAX_BITS)
            ends = np.cumsum(1 << lengths)
            self.offset_bits[code, :MAX_ZEROS] = lengths
            self.first[code, 1:MAX_ZEROS] = ends[:-1]
            zeros = np.searchsorted(ends, natural, "right")
            zeros[is_wide] = MAX_ZEROS
            length = self.offset_bits[code, zeros]
            offset = np.where(is_wide, 0, natural - self.first[code, zeros])
            row = slice(code << _SHIFT, code + 1 << _SHIFT)
            self.coded[row] = zeros + 1 | length.astype(np.int64) << _BITS | offset << 2 * _BITS
            bits = zeros + 1 + length + 32 * is_wide
            totals = np.bincount(self.classes, bits, _CLASSES)
            self.mean_bits[:, code] = totals / np.maximum(members, 1)


@functools.cache
def _tables() -> _Tables:
    return _Tables()


def best_codes(numbers: Ints, groups: NDArray[np.uint8], group_count: int) -> NDArray[np.uint8]:
    """For each group of numbers, return the code that needs the fewest bits. ``groups`` is an array
    with the group of each number, from 0 to ``group_count`` - 1.
    """
    tables = _tables()
    small = np.clip(numbers, -_HALF, _HALF - 1)
    index = groups.astype(np.intp) * _CLASSES + tables.classes.take(small + _HALF)
    counts = np.bincount(index, minlength=group_count * _CLASSES)
    bits = counts.reshape(group_count, _CLASSES) @ tables.mean_bits
    result: NDArray[np.uint8] = bits.argmin(axis=1).astype(np.uint8)
    return result


class Coded:
    """Integers that can be packed, in parts of any length.

    ``numbers`` is an int32 array. The numbers may be negative. ``bases`` is an int32 array that
    selects a code for each number, with values from `code_bases`. This array is overwritten.
    """

    __slots__ = ("_numbers", "_offsets", "_sums", "_wide")

    def __init__(self, numbers: Ints, bases: Ints) -> None:
        self._numbers = numbers
        self._wide: NDArray[np.intp] | None = None
        index = numbers + _FIRST_SMALL
        if np.maximum.reduce(index.view(np.uint32)) > _LAST_SMALL:
            index = np.minimum(np.maximum(numbers, -_HALF), _HALF - 1)
            index += _FIRST_SMALL
            self._wide = (index.view(np.uint32) > _LAST_SMALL).nonzero()[0]
        bases += index
        coded: Words = np.empty(len(numbers) + 1, np.uint64)
        # An empty offset after the last number.
        coded[-1] = 0
        # All indices are valid. The mode "raise" would copy the result, so "clip" is faster.
        _tables().coded.take(bases, out=coded[:-1], mode="clip")
        # Both of the lowest two fields are added up in one call. The offsets in the highest bits
        # are ignored.
        self._sums: Words = np.empty(len(coded), np.uint64)
        self._sums[0] = 0
        np.add.accumulate(coded[:-1], out=self._sums[1:])
        coded >>= _OFFSET_FIELD
        self._offsets: Words = coded

    def sizes(self, step: int) -> NDArray[np.intp]:
        """Return how many bits are needed for the first ``step`` numbers, for the first ``2 *
        step`` numbers, and so on. The length of ``numbers`` must be a multiple of ``step``.
        """
        # Add the two fields of each sum. A sum is a + b * 2**26, and the remainder after a division
        # by 2**26 - 1 is a + b.
        total: NDArray[np.intp] = ((self._sums[step::step] & _SUMS) % _FIELD).view(np.intp)
        if self._wide is not None:
            total += 32 * np.cumsum(np.bincount(self._wide // step, minlength=len(total)))
        return total

    def packed(self, bounds: Sequence[int], heads: Sequence[bytes]) -> list[bytes]:
        """Pack the numbers in parts, and return a list with the bytes of each part. Part i contains
        the numbers from index ``bounds[i]`` up to but not including ``bounds[i + 1]``. The first
        bound is 0, and the last bound is the length of ``numbers``. The bytes of part i begin with
        ``heads[i]``. Call this method only once, because it changes the stored numbers.
        """
        zero_bytes, offset_bytes = self._align(bounds)
        sums = self._sums
        bits = np.zeros(8 * zero_bytes[-1][1] + 1, np.uint8)
        bits[(sums[1:] & _FIELD).view(np.intp)] = 1
        zeros = np.packbits(bits[1:]).tobytes()
        offsets = self._packed_offsets(offset_bytes)
        result = [
            b"".join((head, zeros[first:last], offsets[begin:end]))
            for head, (first, last), (begin, end) in zip(
                heads, zero_bytes, offset_bytes, strict=True
            )
        ]
        wide = self._wide
        if wide is not None:
            for index, (start, stop) in enumerate(itertools.pairwise(bounds)):
                chosen = wide[(wide >= start) & (wide < stop)]
                result[index] += self._numbers[chosen].astype("<i4").tobytes()
        return result

    def _align(self, bounds: Sequence[int]) -> tuple[list[Span], list[Span]]:
        """Align each part so that its zero and one bits begin at a new byte, and its offsets begin
        at a new 64-bit word. Return two lists, for the zero and one bits and for the offsets. Each
        list contains a pair for each part: the first byte, and the end of the bytes.
        """
        sums = self._sums
        zero_bytes: list[Span] = []
        offset_bytes: list[Span] = []
        byte = word = 0
        for start, stop in itertools.pairwise(bounds):
            if start:
                before = int(sums[start])
                added_zeros = 8 * byte - (before & _MASK)
                added_offsets = 64 * word - (before >> _BITS & _MASK)
                # The sum before a number gives the start of the number's offset. It also gives the
                # end of the ones and zeros of the number before.
                sums[start] = (before + (added_offsets << _BITS)) & _WORD
                sums[start + 1 :] += np.uint64(added_zeros + (added_offsets << _BITS))
            last = int(sums[stop])
            end = (last & _MASK) + 7 >> 3
            zero_bytes.append((byte, end))
            byte = end
            offset_end = last >> _BITS & _MASK
            offset_bytes.append((8 * word, offset_end + 7 >> 3))
            word = offset_end + 63 >> 6
        return zero_bytes, offset_bytes

    def _packed_offsets(self, pieces: list[Span]) -> bytes:
        """Return the packed offsets of all parts as bytes. ``pieces`` contains the first byte and
        the end of each part's offsets.
        """
        before = self._sums >> _FIELD_BITS
        shifts = before & _SIXTY_THREE
        before &= _FIELD
        # For each word: the first number with an offset that begins in this word or in a later
        # word.
        words = (pieces[-1][1] + 7 >> 3) + 1
        begins = before.searchsorted(_word_bits(words))
        result = np.add.reduceat(self._offsets << shifts, begins[:-1])
        lasts = begins[1:] - 1  # the last number in each word; its offset may end in the next word
        high = self._offsets.take(lasts)
        high >>= _ONE
        high >>= _SIXTY_THREE - shifts.take(lasts)
        for first, _ in pieces[1:]:
            word = first // 8 - 1
            if (
                word >= 0 and begins[word] == begins[word + 1]
            ):  # this word contains only the end of an offset
                result[word] = high[word] = 0
        result[1:] += high[:-1]
        return result.astype("<u8", copy=False).tobytes()


@functools.lru_cache(64)
def _word_bits(count: int) -> Words:
    """Return the index of the first bit of each 64-bit word."""
    return np.arange(count, dtype=np.uint64) << np.uint64(6)


_ONE = np.uint64(1)
_SIXTY_THREE = np.uint64(63)


def code_bases(codes: NDArray[np.uint8]) -> Ints:
    """Return the base of each code. `Coded` uses the bases to select a code for each number."""
    result: Ints = (codes.astype(np.int32) << _SHIFT) + 1
    return result


def unpacked(data: bytes, codes: NDArray[np.uint8]) -> Ints:
    """Return the numbers from bytes that `Coded.packed` returned. Raises `ValueError` if ``data``
    is invalid.
    """
    tables = _tables()
    count = len(codes)
    content = np.frombuffer(data, np.uint8)
    ones = _one_bits(content, count)
    zeros = np.diff(ones, prepend=-1) - 1
    if int(zeros.max()) > MAX_ZEROS:
        raise ValueError("too many zero bits")
    index = codes.astype(np.intp)
    index *= MAX_ZEROS + 2
    index += zeros
    lengths = tables.offset_bits.reshape(-1).take(index)
    ends = np.add.accumulate(lengths)
    start = (int(ones[-1]) + 8) // 8
    stop = start + (int(ends[-1]) + 7) // 8
    wide = np.flatnonzero(zeros == MAX_ZEROS)
    if len(data) != stop + 4 * len(wide):
        raise ValueError("another length")
    offsets = _unpacked_offsets(content[start:stop], ends - lengths, lengths)
    offsets += tables.first.reshape(-1).take(index)
    result: Ints = (offsets >> 1) ^ -(offsets & 1)
    if len(wide):
        result[wide] = np.frombuffer(data, "<i4", len(wide), stop)
    return result


def _one_bits(content: NDArray[np.uint8], count: int) -> NDArray[np.intp]:
    """Return the indices of the first ``count`` one bits. Each of them ends the zero bits of a
    number.
    """
    bit_count = min(8 * len(content), (MAX_ZEROS + 1) * count)
    ones = np.flatnonzero(np.unpackbits(content, count=bit_count))[:count]
    if len(ones) < count or not count:
        raise ValueError("too few numbers")
    return ones


def _unpacked_offsets(packed: NDArray[np.uint8], bits: Ints, lengths: Ints) -> Ints:
    """Return the offsets with these ``lengths`` in bits. ``bits`` contains the index of the first
    bit of each offset, and is overwritten.
    """
    padded = np.zeros(len(packed) + 4, np.uint8)
    padded[: len(packed)] = packed
    positions = bits >> 3
    bits &= 7
    offsets: Ints = padded.take(positions).astype(np.int32)
    for byte in (1, 2):  # an offset and the 7 bits before it use at most 3 bytes
        positions += 1
        offsets |= padded.take(positions).astype(np.int32) << 8 * byte
    offsets >>= bits
    offsets &= (1 << lengths) - 1
    return offsets
