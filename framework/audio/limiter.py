"""A limiter: keeps the mix within -1 and 1 without cutting its waves off flat.

The peak of each 64 samples says how much they must be lowered; between these the gain goes in
straight lines, of which both ends are low enough, so that nothing is ever above 1. It stays down
for 20 ms, longer than a low tone's wave takes to come back, and then comes up within a fifth of a
second. (A peak limiter that looks ahead, as in D. Giannoulis et al., "Digital Dynamic Range
Compressor Design", JAES 60, 2012; it looks ahead as far as the block goes, and thus needs no delay.
What is too loud right at the beginning of a block is cut off there, for 64 samples at most, as a
gain that jumped would click.)
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

_PIECE = 64
_RELEASE = _PIECE / 9600  # of the gain, in the time of a piece
_HOLD = 16  # pieces


class Limiter:
    """What it last lowered the mix by."""

    def __init__(self) -> None:
        self.gain = 1.0
        self._held = 0  # pieces in which it is not to come up

    def apply(self, mix: Floats) -> None:
        """Lower what is above 1 of float32 (2, n), in place."""
        peaks: Floats = np.abs(mix).max(axis=0)
        if self.gain == 1.0 and peaks.max(initial=0.0) <= 1.0:
            return
        n = len(peaks)
        starts = np.arange(0, n, _PIECE)
        allowed: list[float] = (1.0 / np.maximum(np.maximum.reduceat(peaks, starts), 1.0)).tolist()
        gains = [self.gain]
        for piece, following in zip(allowed, [*allowed[1:], 1.0], strict=True):
            limit = min(piece, following)
            self._held = _HOLD if limit <= gains[-1] else max(0, self._held - 1)
            gains.append(min(limit, gains[-1] + (0.0 if self._held else _RELEASE)))
        gains[-1] = min(gains[-1], 1.0)
        self.gain = gains[-1]
        mix *= np.interp(np.arange(n), [*starts.tolist(), n], gains).astype(np.float32)
        np.clip(mix, -1.0, 1.0, out=mix)  # by a rounding, and at the beginning
