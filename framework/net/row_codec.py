"""Compress the states of many rows (such as sprites) that a server sends to its clients.

The codec predicts each value from earlier states, so only the small differences between the values
and the predictions have to be sent.

The values of all rows are stored in an int32 array, and each column of the array is called a
*channel*. An angle uses only the highest bits of its int32, and the whole range of int32 is one
full turn. The difference between two angles is therefore never more than half a turn. An array of
blocks has the shape (blocks, values): each block contains the values of its first row, then the
values of its second row, and so on.

The server and the client must compute the same prediction from the same earlier states. All
machines get exactly the same results, because the code uses only int32 arithmetic and single
float32 operations.
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
"""The number of rows in a block. Each block is predicted from its own earlier states."""
STATES = 4
"""The maximum number of earlier states that a prediction uses."""
CONTEXTS = 16
"""The number of contexts. A context is a group of values that can be predicted equally well. Each
context has its own Golomb code.
"""

FEW_RUNS = 4
"""The maximum number of runs that are computed one after another. If there are more runs, arrays
are used to compute all runs together, which takes more time for each value but less time for each
run.
"""

_LEVELS = 8  # the number of contexts for numbers, and the number of contexts for angles
_UNKNOWN = _LEVELS - 1  # the context of values with fewer than four earlier states
_ZERO = np.float32(0)
_DAMPING = np.float32(0.85)  # less than 1, because an acceleration usually ends soon
_FRACTION_BITS = np.uint32(23)
_EXPONENTS = 512  # the number of floating-point exponents, with a bit for the sign
_ZERO_EXPONENT = 127  # the exponent of 1.0


def _levels(shift: int) -> NDArray[np.intp]:
    """Return the level of a value with ``shift`` unused low bits, for each exponent of its
    acceleration.
    """
    exponents = np.arange(_EXPONENTS) % 256 - _ZERO_EXPONENT - shift
    levels: NDArray[np.intp] = np.clip(exponents, 0, _UNKNOWN - 1)
    levels[-1] = _UNKNOWN
    return levels


class Run(NamedTuple):
    """Consecutive blocks whose predictions use earlier states of the same ages."""

    blocks: int
    """The number of blocks."""
    ages: tuple[int, ...]
    """The ages of the `STATES` earlier states in ticks, newest state first. The age of a missing
    state is 0.
    """
    first: int = 0
    """The index of the first block."""
    rested: bool = False
    """Whether this is the first state in which the blocks have changed since their newest earlier
    state.
    """

    @property
    def block_slice(self) -> slice:
        """The indices of the blocks, as a slice."""
        return slice(self.first, self.first + self.blocks)

    @property
    def row_slice(self) -> slice:
        """The slots of the rows in the blocks."""
        return slice(self.first * BLOCK, (self.first + self.blocks) * BLOCK)


class RowShape:
    """The format of one row: the shift and the kind of each channel. A channel is one integer of a
    row, such as x, y or the angle. `RowShape` also stores the format as arrays for many blocks.
    """

    __slots__ = (
        "_kinds",
        "_scales",
        "_shifts",
        "channels",
        "contexts",
        "has_angles",
        "shifts",
        "step",
    )

    def __init__(self, shifts: Sequence[int]) -> None:
        self.shifts: Ints = np.array(shifts, np.int32)
        """The number of unused low bits of each channel: 0 for numbers, 32 - bits for angles."""
        self.has_angles = bool(self.shifts.any())
        """Whether any channel is an angle. All other channels have the shift 0."""
        self.channels = len(self.shifts)
        self.step = BLOCK * self.channels
        """The number of values in a block."""
        angle_shifts = sorted({shift for shift in shifts if shift})
        levels = [_levels(0), *[_LEVELS + _levels(shift) for shift in angle_shifts]]
        self.contexts: NDArray[np.uint8] = np.concatenate(levels).astype(np.uint8)
        """The context of each exponent from `predicted`: first for numbers, then for angles."""
        self._reserve(1)

    def _reserve(self, blocks: int) -> None:
        kinds = np.unique([0, *self.shifts], return_inverse=True)[1][1:]
        self._shifts: Ints = np.tile(self.shifts, (blocks, BLOCK))
        self._scales = np.ldexp(np.float32(1), -self._shifts)
        self._kinds: Ints = np.tile((_EXPONENTS * kinds).astype(np.int32), (blocks, BLOCK))

    def sized(self, blocks: int) -> tuple[Ints, NDArray[np.float32], Ints]:
        """Return three arrays for ``blocks`` blocks: the shift of each value, the factor that
        removes the unused low bits, and the number that is added to the exponent of the value.
        """
        if blocks > len(self._shifts):
            self._reserve(2 * blocks)
        return self._shifts[:blocks], self._scales[:blocks], self._kinds[:blocks]


def predicted(differences: Ints, runs: Sequence[Run], shape: RowShape) -> tuple[Ints, Ints]:
    """Predict how much each value has changed since the newest earlier state. Return the predicted
    changes, and the exponents of the accelerations. `CodedBlocks` needs these exponents, because
    predictions are less precise if the acceleration is large.

    ``differences`` contains the differences between consecutive earlier states, the newest first,
    and has the shape (states - 1, blocks, values). If a state is missing, pass the next newer
    state. ``runs`` contains all blocks in order.

    The prediction is the sum of the last speed and an acceleration. Two accelerations are computed
    from four earlier states. If both have the same sign, the prediction uses the smaller one.
    Otherwise, it uses no acceleration.
    """
    changes = differences.astype(np.float32)
    move = changes[0]
    last = changes[1]
    earlier = changes[2]
    bend = np.empty_like(move)
    for blocks, weights in _weights(runs):
        bend_newer, before_newer, bend_older, before_older, speed = weights
        part = np.multiply(move[blocks], bend_newer, out=bend[blocks])
        part -= last[blocks] * bend_older
        last[blocks] *= before_newer
        earlier[blocks] *= before_older
        move[blocks] *= speed
    before = np.subtract(last, earlier, out=last)
    exponents = (bend.view(np.uint32) >> _FRACTION_BITS).view(np.int32)
    if not all(run.ages[-1] for run in runs):
        unknown = [not run.ages[-1] for run in runs]
        exponents[np.repeat(unknown, [run.blocks for run in runs])] = _EXPONENTS - 1
    if shape.has_angles:
        shifts, scales, kinds = shape.sized(len(bend))
        exponents += kinds
    low = np.minimum(before, _ZERO, out=earlier)
    np.maximum(before, _ZERO, out=before)
    acceleration = np.maximum(bend, low, out=low)
    np.minimum(acceleration, before, out=acceleration)
    move += acceleration
    if shape.has_angles:
        # Scaling by a power of two is exact, so the unused low bits can be removed this late.
        move *= scales
    np.rint(move, out=move)
    delta = move.astype(np.int64).astype(np.int32)
    if shape.has_angles:
        delta <<= shifts
    return delta, exponents


def _weights(runs: Sequence[Run]) -> list[tuple[slice, Any]]:
    """Return the weights from `_weights_of` for all blocks, as a list of pairs: a slice of blocks,
    and the five weights of these blocks.
    """
    # Multiplying by numbers takes half as long as multiplying by arrays.
    if len(runs) <= FEW_RUNS:
        pairs: list[tuple[slice, Any]] = []
        start = 0
        for run in runs:
            stop = start + run.blocks
            pairs.append((slice(start, stop), _weights_of(run.ages)))
            start = stop
        return pairs
    each = np.array([_weights_of(run.ages) for run in runs], np.float32)
    weights = each.repeat([run.blocks for run in runs], axis=0).T[:, :, None]
    return [(slice(None), weights)]


@functools.lru_cache(4096)
def _weights_of(ages: tuple[int, ...]) -> tuple[float, ...]:
    """Return the five weights that `predicted` needs if the earlier states have the given ``ages``.
    Two weights are for the newer change, two for the older change, and one is for the last speed.
    """
    times = [np.float32(age) for age in ages]
    spans = [max(older - newer, np.float32(1)) for newer, older in itertools.pairwise(times)]
    reach = (times[0] + spans[0]) * times[0] * _DAMPING
    if not ages[-1]:
        reach = _ZERO
    newest = reach / (spans[0] + spans[1])
    before = reach / (spans[1] + spans[2])
    weights = [
        newest / spans[0],
        before / spans[1],
        newest / spans[1],
        before / spans[2],
        times[0] / spans[0],
    ]
    return tuple([float(weight) for weight in weights])


def residuals(change: Ints, delta: Ints, shape: RowShape) -> Ints:
    """Return the real changes ``change`` minus the predicted changes ``delta``. ``change`` is
    overwritten.
    """
    change -= delta
    if shape.has_angles:
        change >>= shape.sized(len(change))[0]
    return change


def values(residual: Ints, newest: Ints, delta: Ints, shape: RowShape) -> Ints:
    """Compute the values of rows from the differences between the values and the prediction. This
    is the inverse of `residuals`.
    """
    if shape.has_angles:
        residual = residual << shape.sized(len(newest))[0]
    return residual + delta + newest


class CodedBlocks:
    """The numbers in several blocks, which can be packed into bytes. ``exponents`` is the second
    result of `predicted`. ``codes`` contains the code of each context. If it is None, the codes
    that need the fewest bytes are chosen.
    """

    __slots__ = ("_coded", "_step", "codes")

    def __init__(
        self, numbers: Ints, exponents: Ints, shape: RowShape, codes: Codes | None = None
    ) -> None:
        self._step = shape.step
        flat = numbers.reshape(-1)
        if codes is None:
            contexts = shape.contexts.take(exponents.reshape(-1))
            codes = Codes(best_codes(flat, contexts, CONTEXTS), shape)
        self.codes = codes
        # All exponents are valid. The mode "clip" is faster than "raise".
        self._coded = Coded(flat, codes.bases.take(exponents.reshape(-1), mode="clip"))

    def sizes(self) -> NDArray[np.int64]:
        """For each block, return the total number of bits from the first block to the end of this
        block.
        """
        return self._coded.sizes(self._step)

    def packed(self, bounds: Sequence[int], heads: Sequence[bytes]) -> list[bytes]:
        """Return several parts as bytes. Each part contains its own head, the codes, and the
        numbers in its blocks. Part i contains the blocks ``bounds[i]`` to ``bounds[i + 1] - 1``.
        Together, the parts contain all blocks. Call this method only once, because it changes the
        stored numbers.
        """
        step = self._step
        codes = self.codes.packed
        return self._coded.packed(
            [step * bound for bound in bounds], [head + codes for head in heads]
        )


class Codes:
    """The code of each context, and arrays computed from the codes. ``numbers`` contains the codes
    as a uint8 array of shape (`CONTEXTS`,).
    """

    __slots__ = ("bases", "numbers", "packed")

    def __init__(self, numbers: NDArray[np.uint8], shape: RowShape) -> None:
        self.numbers = numbers
        self.packed = (numbers[::2] << 4 | numbers[1::2]).tobytes()
        """The codes as bytes, two codes in a byte."""
        self.bases: Ints = code_bases(numbers).take(shape.contexts)
        """The `code_bases` for each exponent."""


CODE_BYTES = CONTEXTS // 2


def decoded(data: bytes, exponents: Ints, shape: RowShape) -> Ints:
    """Return the numbers from bytes that `CodedBlocks.packed` has returned. Raises `ValueError` if
    the bytes are invalid.
    """
    if len(data) < CODE_BYTES:
        raise ValueError("too short")
    pairs = np.frombuffer(data, np.uint8, CODE_BYTES)
    codes = np.empty(CONTEXTS, np.uint8)
    codes[::2] = pairs >> 4
    codes[1::2] = pairs & 15
    numbers = unpacked(data[CODE_BYTES:], codes.take(shape.contexts).take(exponents.reshape(-1)))
    return numbers.reshape(exponents.shape)
