"""Row codec: packs the states of many rows. Values are predicted from earlier states, so that only
small differences are sent.

The values of a row are int32, and one column of the array is called a *channel*. A channel of an
angle uses only the highest bits of its int32, so that differences of angles wrap without any extra
code. Arrays of blocks have one row for each block, with the values of all its rows.

Both sides compute the same prediction from the same earlier states. The arithmetic is exact on every
machine: int32, and single operations in float32.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .golomb_coding import Coded, Ints, best_codes, code_bases, unpacked

BLOCK = 16
"""Rows in a block. Each block has its own earlier states."""
STATES = 4
"""The maximum number of earlier states in a prediction."""
CONTEXTS = 16
"""Groups of values with similar uncertainty. Each group has its own code."""

_LEVELS = 8  # contexts of numbers, and of angles
_UNKNOWN = _LEVELS - 1  # the level of values with fewer than four earlier states
_ZERO = np.float32(0)
_DAMPING = np.float32(0.85)  # because accelerations do not last
_FRACTION_BITS = np.uint32(23)
_EXPONENTS = 512  # with a bit for the sign
_ZERO_EXPONENT = 127  # the exponent of 1.0

# the context of a value, by the exponent of its uncertainty: first for numbers, then for angles
_LEVEL_OF = np.clip(np.arange(_EXPONENTS) % 256 - _ZERO_EXPONENT, 0, _UNKNOWN - 1)
_LEVEL_OF[-1] = _UNKNOWN
_CONTEXT_OF = np.concatenate([_LEVEL_OF, _LEVEL_OF + _LEVELS]).astype(np.uint8)


class Run(NamedTuple):
    """Consecutive blocks whose earlier states have the same ages."""

    blocks: int
    ages: tuple[int, ...]
    """The ages of the `STATES` earlier states in ticks, the newest first. 0: there is no state."""


class RowShape:
    """The channels of rows: the shift and the kind of each value, for any number of blocks."""

    __slots__ = ("_kinds", "_shifts", "channels", "shifts", "step")

    def __init__(self, shifts: Sequence[int]) -> None:
        self.shifts: Ints = np.array(shifts, np.int32)
        """The number of unused low bits of each channel: 0 for numbers, 32 - bits for angles."""
        self.channels = len(self.shifts)
        self.step = BLOCK * self.channels
        """The number of values in a block."""
        self._reserve(1)

    def _reserve(self, blocks: int) -> None:
        self._shifts: Ints = np.tile(self.shifts, (blocks, BLOCK))
        self._kinds: Ints = np.where(self._shifts > 0, _EXPONENTS, 0).astype(np.int32)

    def sized(self, blocks: int) -> tuple[Ints, Ints]:
        """Return the shift and the kind of each value of ``blocks`` blocks."""
        if blocks > len(self._shifts):
            self._reserve(2 * blocks)
        return self._shifts[:blocks], self._kinds[:blocks]


def predicted(differences: Ints, runs: Sequence[Run], shape: RowShape) -> tuple[Ints, Ints]:
    """Return the predicted change of each value since the newest state, and the exponents, which
    describe the uncertainty of each value for `CodedBlocks`: values that accelerate are uncertain.

    ``differences`` are the `differences_of` the earlier states, the newest first. A state that does
    not exist is replaced by the next newer one. ``runs`` has the number and the ages of consecutive
    blocks.

    The prediction uses the speed between the two newest states, and an acceleration. Two
    accelerations are known from four states. If both have the same sign, the prediction uses the
    smaller one, otherwise none.
    """
    changes = differences.astype(np.float32)
    newer, older, speed, unknown = _weights(runs)
    bends = changes[:-1] * newer
    bends -= changes[1:] * older
    bend, before = bends
    exponents = (bend.view(np.uint32) >> _FRACTION_BITS).view(np.int32)
    if unknown is not None:
        exponents[unknown] = _EXPONENTS - 1
    exponents |= shape.sized(len(bend))[1]
    move = changes[0]
    move *= speed
    low = np.minimum(before, _ZERO)
    np.maximum(before, _ZERO, out=before)
    acceleration = np.maximum(bend, low, out=low)
    np.minimum(acceleration, before, out=acceleration)
    move += acceleration
    np.rint(move, out=move)
    return move.astype(np.int64).astype(np.int32), exponents


def differences_of(states: Ints, shape: RowShape) -> Ints:
    """Return the differences between consecutive states: (states - 1, blocks, values)."""
    result = states[:-1] - states[1:]
    result >>= shape.sized(states.shape[1])[0]
    return result


def _weights(runs: Sequence[Run]) -> tuple[Any, Any, Any, NDArray[np.bool_] | None]:
    """Return the weights of all blocks: of the newer and of the older change in both accelerations,
    and of the newest change in the prediction. Return also a mask of the blocks without `STATES`
    states, or None if all have them.
    """
    if len(runs) == 1:
        ages = runs[0].ages
        newer, older, speed = _weights_of(ages)
        unknown = None if ages[-1] else np.ones(runs[0].blocks, bool)
        return newer, older, speed, unknown
    counts = [run.blocks for run in runs]
    each = np.array([_all_weights_of(run.ages) for run in runs], np.float32)
    weights = each.repeat(counts, axis=0).T[:, :, None]
    unknown = None
    if not all(run.ages[-1] for run in runs):
        unknown = np.array([not run.ages[-1] for run in runs]).repeat(counts)
    return weights[:2], weights[2:4], weights[4], unknown


@functools.lru_cache(4096)
def _weights_of(ages: tuple[int, ...]) -> tuple[Any, Any, np.float32]:
    """Return the weights of blocks whose states have these ages, for arrays of any blocks."""
    weights = np.array(_all_weights_of(ages), np.float32)
    return weights[:2, None, None], weights[2:4, None, None], weights[4]


@functools.lru_cache(4096)
def _all_weights_of(ages: tuple[int, ...]) -> tuple[np.float32, ...]:
    """Return the weights of a block whose states have these ages: of the newer change in the newest
    acceleration and in the acceleration before, of the older change in both, and of the newest
    change in the prediction.
    """
    times = [np.float32(age) for age in ages]
    spans = [max(older - newer, np.float32(1)) for newer, older in itertools.pairwise(times)]
    reach = (times[0] + spans[0]) * times[0] * _DAMPING
    if not ages[-1]:
        reach = _ZERO
    newest = reach / (spans[0] + spans[1])
    before = reach / (spans[1] + spans[2])
    return (
        newest / spans[0],
        before / spans[1],
        newest / spans[1],
        before / spans[2],
        times[0] / spans[0],
    )


def residuals(change: Ints, delta: Ints, shape: RowShape) -> Ints:
    """Return the differences between the changes of values and their prediction ``delta``.
    ``change`` is overwritten.
    """
    shifts, _ = shape.sized(len(change))
    change -= delta
    change <<= shifts
    change >>= shifts
    return change


def values(residual: Ints, newest: Ints, delta: Ints, shape: RowShape) -> Ints:
    """Return the values from their differences: the inverse of `residuals`."""
    shifts, _ = shape.sized(len(newest))
    difference = residual + delta
    difference <<= shifts
    difference += newest
    return difference


class CodedBlocks:
    """The numbers of several blocks, ready to be packed. ``exponents`` are those of `predicted`.
    ``codes`` has the code of each context, or is None for the best ones.
    """

    __slots__ = ("_coded", "_step", "codes")

    def __init__(
        self, numbers: Ints, exponents: Ints, codes: NDArray[np.uint8] | None = None
    ) -> None:
        self._step = numbers.shape[1]
        if codes is None:
            contexts = _CONTEXT_OF.take(exponents)
            codes = best_codes(numbers.reshape(-1), contexts.reshape(-1), CONTEXTS)
        self.codes = codes
        bases = _bases_of(codes.tobytes()).take(exponents)
        self._coded = Coded(numbers.reshape(-1), bases.reshape(-1))

    def sizes(self) -> NDArray[np.int64]:
        """Return the number of bits up to the end of each block."""
        return self._coded.sizes(self._step)

    def packed(self, bounds: Sequence[int]) -> list[bytes]:
        """Return the codes and the numbers of the blocks from ``bounds[0]`` = 0 up to but not
        including ``bounds[1]``, up to ``bounds[2]``, and so on up to the last block.
        """
        codes = (self.codes[::2] << 4 | self.codes[1::2]).tobytes()
        step = self._step
        return [codes + data for data in self._coded.packed([step * bound for bound in bounds])]


@functools.lru_cache(256)
def _bases_of(codes: bytes) -> Ints:
    """Return the `code_bases` for each exponent."""
    result: Ints = code_bases(np.frombuffer(codes, np.uint8)).take(_CONTEXT_OF)
    return result


CODE_BYTES = CONTEXTS // 2


def decoded(data: bytes, exponents: Ints) -> Ints:
    """Return the numbers of `CodedBlocks.packed`. Raises `ValueError` for other bytes."""
    if len(data) < CODE_BYTES:
        raise ValueError("too short")
    pairs = np.frombuffer(data, np.uint8, CODE_BYTES)
    codes = np.empty(CONTEXTS, np.uint8)
    codes[::2] = pairs >> 4
    codes[1::2] = pairs & 15
    numbers = unpacked(data[CODE_BYTES:], codes.take(_CONTEXT_OF).take(exponents.reshape(-1)))
    return numbers.reshape(exponents.shape)
