"""Make the mix quieter when it is too loud, so that all samples are between -1 and 1.

The limiter has to look ahead, so its output is `LOOKAHEAD` samples (2.7 ms) later than the mix.
Before a loud part, the volume falls linearly within 64 samples, so that no peak is cut off. It
stays low for 16 blocks of 64 samples, which is longer than one period of a low tone, and then rises
to 1 again within a fifth of a second.

Blocks begin at multiples of 64 samples of the mix, so the result does not depend on the pieces in
which the mix is computed. The limiter of the native library (``native/src/kernel.c``) has exactly
the same results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from .mix_table import LOOKAHEAD, Record, new_head

# The size of a block in samples; the gain of a block depends on the next block.
_BLOCK = LOOKAHEAD // 2
_HOLD = 16  # blocks
_RELEASE = np.float32(64) / np.float32(9600)  # the most by which the gain rises per block
_SHARES: Floats = np.arange(_BLOCK, dtype=np.float32) * np.float32(1 / _BLOCK)
_ORDER = np.arange(LOOKAHEAD)
_ONE = np.float32(1)


def limit(head: Record, mix: Floats, first: int) -> Floats:
    """Return copies of the samples, limited to the range from -1 to 1. The returned samples are
    `LOOKAHEAD` samples older than the samples in ``mix``.

    ``mix`` is a float32 array of shape (2, n). ``first`` is the number of the first sample in
    ``mix``, counted from the start of the whole mix. ``head`` is the head of a mix table. The head
    also stores the state of the limiter. If ``first`` does not follow the last sample of the
    previous call, the limiter begins with silence. Samples that are not finite are replaced with 0.
    """
    row = head[0]
    if row["limited"] != first:
        row["limiter_line"] = 0.0
        row["limiter_low"] = row["limiter_before"] = _ONE
    n = mix.shape[1]
    row["limited"] = first + n
    peaks: Floats = np.abs(mix).max(axis=0)
    loudest = peaks.max(initial=0.0)
    if not np.isfinite(loudest):
        is_finite = np.isfinite(peaks)
        mix = np.where(is_finite, mix, np.float32(0))
        peaks = np.where(is_finite, peaks, np.float32(0))
        loudest = peaks.max()
    out = _delayed(row["limiter_line"], mix, first)
    is_calm = row["limiter_gain"] == row["limiter_to"] == 1.0 and not row["held"]
    is_calm = is_calm and row["limiter_low"] == row["limiter_before"] == 1.0
    if loudest > 1.0 or not is_calm:
        _reduce(row, peaks, out, first)
    return out


def _delayed(line: Floats, mix: Floats, first: int) -> Floats:
    """Return samples that are `LOOKAHEAD` samples older than those in ``mix``, and store the newest
    samples of ``mix`` in the delay memory ``line``.
    """
    n = mix.shape[1]
    samples = np.concatenate((line[:, (first + _ORDER) % LOOKAHEAD], mix), axis=1)
    line[:, (first + n + _ORDER) % LOOKAHEAD] = samples[:, n:]
    return samples[:, :n].copy()


def _reduce(row: Any, peaks: Floats, out: Floats, first: int) -> None:
    """Multiply the samples in ``out`` by the gain. ``peaks`` contains the peaks of the samples that
    are `LOOKAHEAD` samples ahead.
    """
    gain = row["limiter_gain"]
    target = row["limiter_to"]
    hold = int(row["held"])
    low = row["limiter_low"]
    before = row["limiter_before"]
    needed = _ONE / np.maximum(peaks, _ONE)
    n = len(peaks)
    begin = 0
    while begin < n:
        start = (first + begin) % _BLOCK
        end = min(n, begin + _BLOCK - start)
        if start == 0:
            gain = target
            risen = gain if hold else gain + min(_ONE - gain, _RELEASE)
            lowest = min(before, low)
            is_falling = lowest < 1 and lowest <= risen
            target = lowest if is_falling else risen
            hold = _HOLD if is_falling else max(0, hold - 1)
            before = low
            low = _ONE
        low = min(low, needed[begin:end].min())
        out[:, begin:end] *= gain + (target - gain) * _SHARES[start : start + end - begin]
        begin = end
    np.clip(out, -1.0, 1.0, out=out)  # rounding errors
    row["limiter_gain"] = gain
    row["limiter_to"] = target
    row["held"] = hold
    row["limiter_low"] = low
    row["limiter_before"] = before


class MixLimiter:
    """Limits a mix piece by piece, for a WAV file. The limiter delays the mix, but the sounds in
    the file have no delay. So this class drops the silence at the start, and `finish` returns the
    last samples.
    """

    not_state = True

    def __init__(self) -> None:
        self._head = new_head()
        self._next = 0

    def limited(self, mix: Floats) -> Floats:
        """Return the next limited samples of the mix. ``mix`` is a float32 array of shape (n, 2).
        The result is a float32 array of shape (m, 2).
        """
        first = self._next
        self._next += len(mix)
        out = limit(self._head, np.ascontiguousarray(mix.T), first)
        return np.ascontiguousarray(out[:, max(0, LOOKAHEAD - first) :].T)

    def finish(self) -> Floats:
        """Return the last limited samples. The array is float32 and has the shape (m, 2)."""
        return self.limited(np.zeros((LOOKAHEAD, 2), np.float32))
