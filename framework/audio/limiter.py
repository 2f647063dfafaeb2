"""Limiter: reduces the volume of loud parts, so that the mix is between -1 and 1.

If a sample exceeds 1, the gain drops at once, so that this sample is exactly 1. The gain stays low
for 16 blocks of 64 samples, which is longer than one period of a low tone. The gain then returns to
1 within a fifth of a second. It rises linearly within each block.

Blocks begin at multiples of 64 samples of the mix. The limiter does not look ahead. Therefore the
limiter adds no delay, and its result does not depend on how the mix is split into pieces. A wave
that suddenly becomes too loud is clipped until its first peak.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .mix_table import Record

_BLOCK = 64  # samples
_HOLD = 16  # blocks
_RELEASE = np.float32(64) / np.float32(9600)  # increase of the gain per block
_RISE: Floats = np.arange(_BLOCK, dtype=np.float32) * np.float32(1 / _BLOCK)
_ONE = np.float32(1)


def limit(head: Record, mix: Floats, first: int) -> None:
    """Reduce loud parts of ``mix`` in place, so that every sample is from -1 to 1.

    ``mix`` is float32 (2, n), and ``first`` is the sample of the whole mix at which it begins.
    ``head`` is the head of a table, with the state of the limiter.
    """
    row = head[0]
    peaks: Floats = np.abs(mix).max(axis=0)
    loudest = peaks.max(initial=0.0)
    gain, low, hold = row["limiter_gain"], row["limiter_low"], int(row["held"])
    rise = row["limiter_rise"]
    if loudest <= 1.0 and gain == low == 1.0 and not hold:
        return
    needed = _ONE / np.maximum(peaks, _ONE)
    n = len(peaks)
    begin = 0
    while begin < n:
        start = (first + begin) % _BLOCK
        end = min(n, begin + _BLOCK - start)
        if start == 0:
            reached = gain + rise
            attacked = low < reached
            gain = low if attacked else reached
            hold = _HOLD if attacked else max(0, hold - 1)
            rise = np.float32(0) if hold else min(_ONE - gain, _RELEASE)
            low = _ONE
        lows = np.minimum(np.minimum.accumulate(needed[begin:end]), low)
        low = lows[-1]
        gains = np.minimum(gain + rise * _RISE[start : start + end - begin], lows)
        mix[:, begin:end] *= gains
        begin = end
    np.clip(mix, -1.0, 1.0, out=mix)  # rounding errors
    row["limiter_gain"], row["limiter_rise"], row["limiter_low"] = gain, rise, low
    row["held"] = hold
