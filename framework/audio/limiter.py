"""Limiter: reduces the volume of loud parts, so that the mix is between -1 and 1.

The limiter computes the gain that each block of 64 samples needs from the loudest sample of the
block. From block to block, the gain changes linearly. At both ends of a block, the gain is so low
that no sample of the block exceeds 1. After a peak, the gain stays low for 20 ms, which is longer
than one period of a low tone. The gain then returns to 1 within a fifth of a second.

This kind of limiter is a look-ahead peak limiter, described by Giannoulis and others, "Digital
Dynamic Range Compressor Design", JAES 60, 2012. The limiter looks ahead only within the samples of
one call of `Limiter.apply`, so that it adds no delay. If the first samples of a call are too loud,
at most 64 samples are clipped. A sudden change of the gain would be heard as a click.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

_BLOCK = 64  # samples
_RELEASE = _BLOCK / 9600  # increase of the gain per block
_HOLD = 16  # blocks


class Limiter:
    """A peak limiter, which reduces the volume of loud parts. ``gain`` is the factor for the last
    sample, at most 1.
    """

    def __init__(self) -> None:
        self.gain = 1.0
        self._held = 0  # blocks for which the gain stays down

    def apply(self, mix: Floats) -> None:
        """Reduce loud parts of ``mix`` in place, so that every sample is from -1 to 1. ``mix`` is
        float32 (2, n).
        """
        peaks: Floats = np.abs(mix).max(axis=0)
        if self.gain == 1.0 and peaks.max(initial=0.0) <= 1.0:
            return
        n = len(peaks)
        starts = np.arange(0, n, _BLOCK)
        block_gains: list[float] = (
            1.0 / np.maximum(np.maximum.reduceat(peaks, starts), 1.0)
        ).tolist()
        gains = [self.gain]
        for gain, following in zip(block_gains, [*block_gains[1:], 1.0], strict=True):
            limit = min(gain, following)
            self._held = _HOLD if limit <= gains[-1] else max(0, self._held - 1)
            gains.append(min(limit, gains[-1] + (0.0 if self._held else _RELEASE)))
        gains[-1] = min(gains[-1], 1.0)
        self.gain = gains[-1]
        mix *= np.interp(np.arange(n), [*starts.tolist(), n], gains).astype(np.float32)
        np.clip(mix, -1.0, 1.0, out=mix)  # rounding errors, and the first block
