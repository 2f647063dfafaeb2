"""Compute the filters, echoes, reverbs and other effects of buses with NumPy.

The sound can be computed in pieces of any size, with the same result. All times are sample numbers,
counted from the start of the mix. If a setting changes, the effect crossfades from the sound with
the old settings to the sound with the new settings, so that no click is audible.
``native/src/effects.h`` contains the same functions in C.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats
from .mix_table import MUFFLE_BLOCK

LOW_PASS, HIGH_PASS, ECHO, REVERB, COMPRESSOR, DUCKING, METER, CRUSHER = range(1, 9)

AMOUNT = 15
"""The index of the parameter "amount" in the parameters of an effect. With the amount 0, the effect
does not change the sound. With the amount 1, you hear only the output of the effect.
"""

MAX_SAMPLE = 65_536.0
"""The largest value of a sample after an effect. Without this limit, several effects that amplify a
sound could raise it to infinity, and the bus would stay silent from then on.
"""

FILTER_BLOCK = MUFFLE_BLOCK
"""Filters compute blocks of 16 samples. Settings of effects change at multiples of this number."""

MIN_DELAY = 480
"""The minimum delay of an echo in samples."""

MAX_DELAY = 96_000
"""The maximum delay of an echo in samples: 2 seconds."""

REVERB_DELAYS = (1031, 1171, 1327, 1499, 1693, 1901, 2137, 2399)
"""The delays of a reverb, in samples. The numbers are primes, so that few echoes are heard at the
same time.
"""

MIN_SAMPLE_RATE = 100
"""The lowest sample rate of a bit crusher in hertz. The delay memory has 512 samples, and at this
rate each sample is repeated 480 times.
"""

_LINE_SIZES = {
    ECHO: (2, 1 << 18),
    REVERB: (8, 1 << 16),
    METER: (2, 1 << 16),
    CRUSHER: (2, 1 << 9),
}
_RATE = 48_000
# A compressor measures the volume every time this number of samples has passed.
_LEVEL_BLOCK = 64
# Adding and subtracting this number sets tiny numbers to 0, because processors compute slowly with
# them.
_TINY = np.float32(1e-18)
_QUIET = 1e-6

_Samples = NDArray[np.int64]


def new_line(kind: int) -> Floats | None:
    """Return silent delay memory for an effect, or None if the effect needs no memory. The array is
    float32 and has the shape (rows, size).
    """
    shape = _LINE_SIZES.get(kind)
    return None if shape is None else np.zeros(shape, np.float32)


def run(effect: Any, line: Floats | None, block: Floats, side: Floats | None, first: int) -> None:
    """Apply an effect to ``block`` in place. ``block`` is a float32 array of shape (2, n): the left
    and the right channel.

    ``effect`` is the row of the effect in a mix table. The row also stores the state of the effect.
    ``line`` is the delay memory of the effect. Sample number s of the mix is stored at the index s
    modulo the size of the memory. ``side`` is the sound of the bus that controls the effect.
    ``first`` is the number of the first sample of ``block``, counted from the start of the mix.
    """
    kind = int(effect["kind"])
    if kind == 0:
        return
    samples = first + np.arange(block.shape[1])
    change = _Change(effect, samples)
    amount = change.values(AMOUNT)
    is_whole = bool((amount == 1).all())
    dry = block if is_whole else block.copy()
    if kind in (LOW_PASS, HIGH_PASS):
        _filter(effect, block, first, change.shares)
    elif kind == ECHO and line is not None:
        _echo(change, line, block, samples)
    elif kind == REVERB and line is not None:
        _reverb(change, line, block, samples)
    elif kind in (COMPRESSOR, DUCKING):
        _compress(effect, block, side, first)
    elif kind == CRUSHER and line is not None:
        _crush(change, line, block, samples)
    elif kind == METER and line is not None:
        line[:, samples & (line.shape[1] - 1)] = block
    if not is_whole:
        block[:] = np.where(amount < 1, dry + (block - dry) * amount, block)
    np.clip(block, -MAX_SAMPLE, MAX_SAMPLE, out=block)


class _Change:
    """The parameters of an effect, with one value for each sample of a block."""

    def __init__(self, effect: Any, samples: _Samples) -> None:
        begin = int(effect["ramp_begin"])
        end = int(effect["ramp_end"])
        self.old: list[float] = effect["params"].tolist()
        self.new: list[float] = effect["to_params"].tolist()
        self.is_over = bool(samples[0] >= end)
        self.shares: Floats = np.clip((samples - begin) / max(1, end - begin), 0.0, 1.0).astype(
            np.float32
        )

    def values(self, index: int) -> Floats:
        """Return the values of a parameter for all samples. The array is float32. The shape of the
        array is (n,), or (1,) if the parameter does not change.
        """
        return self.between(self.old[index], self.new[index])

    def between(self, first: float, last: float) -> Floats:
        """Return the value that a changing number has at each sample: ``first`` before the change,
        and ``last`` after it. The array is float32. The shape of the array is (n,), or (1,) if the
        number does not change.
        """
        old = np.float32(first)
        new = np.float32(last)
        if self.is_over or old == new:
            return np.full(1, new)
        return np.asarray(np.where(self.shares < 1, old + (new - old) * self.shares, new))


# -- filters ---------------------------------------------------------------------------------------


class FilterResponse(NamedTuple):
    """A second-order filter (with two state variables), which is computed in blocks of
    `FILTER_BLOCK` samples.
    """

    output: Doubles
    """The output of the filter for a single sample of 1. The array is float64 and has the shape
    (16,).
    """
    first_state: Doubles
    """The output of the filter for the input 0, if the first number of the state is 1. The array is
    float64 and has the shape (16,).
    """
    second_state: Doubles
    drive: Doubles
    """The effect of each sample of a block on the state at the end of the block. The array is
    float64 and has the shape (16, 2).
    """
    advance: tuple[float, float, float, float]
    """The 2 × 2 matrix that converts the state at the start of a block to the state at the end of
    the block.
    """


def filter_response(frequency: float, resonance: float) -> FilterResponse:
    """Return a low-pass filter, which is computed in blocks of `FILTER_BLOCK` samples."""
    return _filter_of(LOW_PASS, frequency, resonance)


@lru_cache(maxsize=256)
def _filter_of(kind: int, frequency: float, resonance: float) -> FilterResponse:
    """Return a low-pass or high-pass filter. The filter is a state variable filter with trapezoidal
    integration.
    """
    g = math.tan(math.pi * frequency / _RATE)
    k = 1.0 / resonance
    a1 = 1.0 / (1.0 + g * (g + k))
    a2 = g * a1
    a3 = g * a2
    matrix = np.array([[2 * a1 - 1, -2 * a2], [2 * a2, 1 - 2 * a3]])
    push = np.array([2 * a2, 2 * a3])
    output = np.array([a2, 1 - a3])
    direct = a3
    if kind == HIGH_PASS:
        output = np.array([-k * a1 - a2, k * a2 - 1 + a3])
        direct = 1 - k * a2 - a3
    states = [output]
    pushes = [push]
    for _ in range(FILTER_BLOCK - 1):
        states.append(states[-1] @ matrix)
        pushes.append(matrix @ pushes[-1])
    response = np.array([direct, *[row @ push for row in states[:-1]]])
    rows = np.array(states)
    whole = np.linalg.matrix_power(matrix, FILTER_BLOCK)
    return FilterResponse(
        response,
        rows[:, 0].copy(),
        rows[:, 1].copy(),
        np.array(pushes[::-1]),
        (float(whole[0, 0]), float(whole[0, 1]), float(whole[1, 0]), float(whole[1, 1])),
    )


def _filter(effect: Any, block: Floats, first: int, shares: Floats) -> None:
    """Apply a filter to ``block`` in place.

    The state in the row begins with the filter states at the start of a block of 16 samples, first
    for the old settings, then for the new settings. The samples of the block follow.
    """
    state = effect["state"]
    current = state[:4].reshape(2, 2)
    following = state[4:8].reshape(2, 2)
    inputs = FilterInput(state[16:].view(np.float32).reshape(2, FILTER_BLOCK), block, first)
    blocks = inputs.blocks
    complete = inputs.complete
    count = blocks.shape[1]
    begin = first - inputs.missing
    result = np.empty_like(blocks)
    kind = int(effect["kind"])
    old = _filter_of(kind, *effect["params"][:2].tolist())
    new = _filter_of(kind, *effect["to_params"][:2].tolist())
    ramp = [(int(effect[name]) - begin) // FILTER_BLOCK for name in ("ramp_begin", "ramp_end")]
    start, stop = (min(max(0, edge), count) for edge in ramp)
    filter_blocks(old, current, blocks[:, :start], result[:, :start], complete)
    if start == ramp[0]:
        following[:] = current
    if start < stop:
        part = blocks[:, start:stop]
        faded = np.empty_like(part)
        filter_blocks(old, current, part, result[:, start:stop], complete - start)
        filter_blocks(new, following, part, faded, complete - start)
        weights = np.zeros((count, FILTER_BLOCK))
        inputs.samples_in(weights[None])[:] = shares
        result[:, start:stop] += (faded - result[:, start:stop]) * weights[start:stop]
    if stop == ramp[1] and stop < count:
        current[:] = following
    filter_blocks(new, current, blocks[:, stop:], result[:, stop:], complete - stop)
    block[:] = inputs.samples_in(result)
    inputs.keep_incomplete()


class FilterInput:
    """The input of a filter for n samples, divided into blocks of `FILTER_BLOCK` samples.

    The first block may have begun in an earlier call. Then ``memory``, of the shape (rows, 16),
    contains the samples from the start of this block. ``samples`` has the shape (rows, n), and
    begins at the sample ``first`` of the mix.
    """

    def __init__(self, memory: Floats, samples: Floats, first: int) -> None:
        rows, n = samples.shape
        self._memory = memory
        self._count = n
        self.missing = first % FILTER_BLOCK
        """The number of samples that the first block has from earlier calls."""
        self.complete = (self.missing + n) // FILTER_BLOCK
        """The number of blocks that are complete. One incomplete block may follow."""
        count = -(-(self.missing + n) // FILTER_BLOCK)
        self.blocks: Doubles = np.zeros((rows, count, FILTER_BLOCK))
        """The samples in blocks, of the shape (rows, count, 16). Samples that do not exist yet are
        0.
        """
        self._flat = self.blocks.reshape(rows, -1)
        self._flat[:, : self.missing] = memory[:, : self.missing]
        self._flat[:, self.missing : self.missing + n] = samples

    def samples_in(self, blocks: Doubles) -> Doubles:
        """Return the n requested samples from ``blocks``, as an array of the shape (rows, n)."""
        return blocks.reshape(len(blocks), -1)[:, self.missing : self.missing + self._count]

    def keep_incomplete(self) -> None:
        """Write the samples of the last, incomplete block to the memory."""
        remaining = (self.missing + self._count) % FILTER_BLOCK
        last = self.complete * FILTER_BLOCK
        self._memory[:, :remaining] = self._flat[:, last : last + remaining]


def filter_blocks(
    response: FilterResponse, states: Doubles, blocks: Doubles, out: Doubles, complete: int
) -> None:
    """Apply a filter to ``blocks``, and write the result to ``out``. ``blocks`` and ``out`` have
    the shape (rows, k, 16). ``states`` has the shape (rows, 2). ``states`` contains the states of
    the filter before the first block. The function replaces them with the states after the first
    ``complete`` blocks.
    """
    count = blocks.shape[1]
    if not count:
        return
    a, b, c, d = response.advance
    out[:] = 0.0
    pushes = np.zeros((len(blocks), count, 2))
    # Compute the same sample of all blocks in each step. So the order of the additions does not
    # depend on how the samples are divided into calls.
    for index in range(FILTER_BLOCK):
        sample = blocks[:, :, index, None]
        out[:, :, index:] += sample * response.output[: FILTER_BLOCK - index]
        pushes += sample * response.drive[index]
    starts = np.empty_like(pushes)
    for row, (x, y) in enumerate(states.tolist()):
        row_starts = []
        for index, (push_x, push_y) in enumerate(pushes[row].tolist()):
            row_starts.append((x, y))
            if index < complete:
                x, y = a * x + b * y + push_x, c * x + d * y + push_y
                x = (x + 1e-30) - 1e-30
                y = (y + 1e-30) - 1e-30
        starts[row] = row_starts
        states[row] = x, y
    out += starts[:, :, :1] * response.first_state
    out += starts[:, :, 1:] * response.second_state


# -- delays ----------------------------------------------------------------------------------------


def _pieces(count: int, size: int) -> list[slice]:
    return [slice(begin, min(count, begin + size)) for begin in range(0, count, size)]


def _part(values: Floats, part: slice) -> Floats:
    return values if len(values) == 1 else values[part]


def _echo(change: _Change, line: Floats, block: Floats, samples: _Samples) -> None:
    mask = line.shape[1] - 1
    old, new = (int(delays[0]) for delays in (change.old, change.new))
    feedback, wet, dry, amount = (change.values(index) for index in (1, 2, 3, AMOUNT))
    weight = change.between(0.0, 1.0)
    is_constant = change.is_over or old == new
    for part in _pieces(block.shape[1], MIN_DELAY):
        now = samples[part]
        echo = line[:, (now - (new if is_constant else old)) & mask]
        if not is_constant:
            later = line[:, (now - new) & mask]
            share = _part(weight, part)
            echo = np.where(share < 1, echo + (later - echo) * share, later)
        dry_block = block[:, part]
        # Multiply by the amount, so that the first repetition does not begin with a click.
        heard = dry_block * _part(amount, part) + _part(feedback, part) * echo
        line[:, now & mask] = (heard + _TINY) - _TINY
        block[:, part] = _part(dry, part) * dry_block + _part(wet, part) * echo


def _reverb(change: _Change, line: Floats, block: Floats, samples: _Samples) -> None:
    mask = line.shape[1] - 1
    gains = [
        change.between(_decay(delay, change.old[0]), _decay(delay, change.new[0]))
        for delay in REVERB_DELAYS
    ]
    damping, wet, dry, amount = (change.values(index) for index in (1, 2, 3, AMOUNT))
    quarter = np.float32(0.25)
    for part in _pieces(block.shape[1], REVERB_DELAYS[0]):
        now = samples[part]
        damped = _part(damping, part) * np.float32(0.5)
        entering = _part(amount, part) * quarter
        rows = _damped_delays(line, now, damped)
        total = rows[0]
        for row in rows[1:]:
            total = total + row
        shared = total * quarter
        for index, (row, gain) in enumerate(zip(rows, gains, strict=True)):
            value = block[index & 1, part] * entering + (row - shared) * _part(gain, part)
            line[index, now & mask] = (value + _TINY) - _TINY
        left = ((rows[0] - rows[2]) + rows[4]) - rows[6]
        right = ((rows[1] - rows[3]) + rows[5]) - rows[7]
        for channel, tail in enumerate((left, right)):
            dry_block = _part(dry, part) * block[channel, part]
            block[channel, part] = dry_block + _part(wet, part) * tail


def _damped_delays(line: Floats, samples: _Samples, damping: Floats) -> list[Floats]:
    """Return the output of each delay of the reverb. ``damping`` is the share of the sample before,
    which makes the sound duller.
    """
    mask = line.shape[1] - 1
    rows = []
    for row, delay in zip(line, REVERB_DELAYS, strict=True):
        heard = row[(samples - delay) & mask]
        before = row[(samples - delay - 1) & mask]
        rows.append(heard + (before - heard) * damping)
    return rows


def _decay(delay: int, duration: float) -> float:
    """Return the volume factor for one repetition of a delay. With the returned factor, the sound
    becomes 60 dB quieter in ``duration`` seconds.
    """
    return math.pow(10.0, -3.0 * delay / (_RATE * max(duration, 0.001)))


# -- bit crusher -----------------------------------------------------------------------------------


def _crush(change: _Change, line: Floats, block: Floats, samples: _Samples) -> None:
    size = line.shape[1]
    first = int(samples[0])
    earlier = line[:, np.arange(first - size, first) & (size - 1)]
    history = np.concatenate((earlier, block), axis=1)
    recent = samples[-size:]
    line[:, recent & (size - 1)] = block[:, -size:]

    def crushed(bits: float, sample_rate: float) -> Floats:
        repeated = _repeated_samples(samples, sample_rate)
        steps = np.float32(math.pow(2.0, bits - 1.0))
        values = history[:, repeated - first + size]
        return np.asarray(np.floor(values * steps + np.float32(0.5)) / steps)

    block[:] = crushed(*change.new[:2])
    if not change.is_over and change.old != change.new:
        old = crushed(*change.old[:2])
        block[:] = np.where(change.shares < 1, old + (block - old) * change.shares, block)


def _repeated_samples(samples: _Samples, sample_rate: float) -> _Samples:
    """Return, for each sample of the mix, the sample that a bit crusher repeats at this time."""
    periods = np.floor(samples * sample_rate / _RATE)
    starts = np.ceil(periods * _RATE / sample_rate)
    return np.minimum(starts, samples).astype(np.int64)


# -- volume ----------------------------------------------------------------------------------------


def _compress(effect: Any, block: Floats, side: Floats | None, first: int) -> None:
    """Lower the volume of loud parts of ``block``, in place.

    The loudness is measured in blocks of 64 samples. During the next block, the volume changes
    linearly. The state in the row consists of four numbers: the gains (minus 1) at both ends of the
    current block, the peak of the block, and the reduction in decibels.
    """
    state = effect["state"]
    start, end, peak, reduction = state[:4].tolist()
    is_ducking = int(effect["kind"]) == DUCKING
    listened = side if is_ducking else block
    levels = np.zeros(block.shape[1], np.float32)
    if listened is not None:
        levels = np.abs(listened).max(axis=0)
    n = block.shape[1]
    done = 0
    while done < n:
        phase = (first + done) % _LEVEL_BLOCK
        if phase == 0:
            start = end
            end, reduction = _next_gain(effect, first + done, is_ducking, peak, reduction)
            peak = 0.0
        until = min(n, done + _LEVEL_BLOCK - phase)
        peak = max(peak, float(levels[done:until].max()))
        if start or end:
            old = np.float32(1 + start)
            rise = np.float32(end - start)
            shares = np.arange(phase, phase + until - done, dtype=np.float32)
            block[:, done:until] *= old + rise * (shares * np.float32(1 / _LEVEL_BLOCK))
        done = until
    state[:4] = start, end, peak, reduction


def _next_gain(
    effect: Any, sample: int, is_ducking: bool, peak: float, reduction: float
) -> tuple[float, float]:
    """Return the next gain (minus 1) and the next reduction in decibels."""
    begin = int(effect["ramp_begin"])
    end = int(effect["ramp_end"])
    share = min(1.0, max(0.0, (sample - begin) / max(1, end - begin)))
    old = effect["params"][:5].tolist()
    new = effect["to_params"][:5].tolist()
    threshold, strength, attack, release, gain = (
        a + (b - a) * share for a, b in zip(old, new, strict=True)
    )
    above = 20.0 * math.log10(max(peak, _QUIET)) - threshold
    target = 0.0
    if above > 0.0:
        target = strength if is_ducking else above * (1.0 - 1.0 / strength)
    time = attack if target > reduction else release
    reduction += (target - reduction) * (1.0 - math.exp(-_LEVEL_BLOCK / (_RATE * time)))
    return math.pow(10.0, (gain - reduction) / 20.0) - 1.0, reduction
