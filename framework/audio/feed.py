"""Keeps a ring as full as it should be: a sound is heard so long after its tick, whatever the two
clocks do.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE
from .ring import Ring

_JUMP = RATE // 20  # frames, 50 ms: what is further off is not waited for
_NEAR = RATE // 250  # 4 ms: what is nearer is right
_CALM = 0.05  # the share of a new measurement in the mean: a device takes its frames in gulps
_STRETCH = 250  # of so many frames, one is left out or put in: 0.4 %
# frames over which two pieces of the mix are blended where something between them is left out
_JOIN = 240


class Feed:
    """Writes a mix into a ring. ``wanted`` frames are to be in it when the mix of a frame of the
    game is.
    """

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.skipped = 0
        """Frames of the mix that were left out, after hitches."""
        self._error = 0.0

    def push(self, mix: Floats, wanted: int) -> None:
        """Put float32 (n, 2) in. What is too much after a hitch is left out, what is too little
        waits in silence.
        """
        ring = self.ring
        off = ring.filled + len(mix) - wanted
        if not ring.filled and off < 0:  # at the beginning, and after it ran dry
            if ring.written:
                mix = _risen(mix)
            ring.write(np.zeros((-off, 2), np.float32))
            off = 0
            self._error = 0.0
        if off > _JUMP and len(mix) > 2 * _JOIN:
            mix = self._shortened(mix, min(off, len(mix) - 2 * _JOIN))
            self._error = 0.0
        else:
            self._error += (off - self._error) * _CALM
            if abs(self._error) > _NEAR:
                mix = _stretched(mix, -1 if self._error > 0 else 1)
        self.skipped += len(mix) - ring.write(mix)

    def _shortened(self, mix: Floats, less: int) -> Floats:
        """Leave out frames of the middle, and blend what is before with what is after."""
        self.skipped += less
        begin = (len(mix) - less - _JOIN) // 2
        share = np.linspace(0, 1, _JOIN, dtype=np.float32)[:, None]
        old, new = mix[begin : begin + _JOIN], mix[begin + less : begin + less + _JOIN]
        return np.concatenate((mix[:begin], old + (new - old) * share, mix[begin + less + _JOIN :]))


def _risen(mix: Floats) -> Floats:
    """The same coming out of silence."""
    count = min(_JOIN, len(mix))
    share = np.linspace(0, 1, _JOIN, endpoint=False, dtype=np.float32)[:count, None]
    return np.concatenate((mix[:count] * share, mix[count:]))


def _stretched(mix: Floats, direction: int) -> Floats:
    """The same a little longer or shorter: nobody hears 0.4 % of pitch, and a clock's error is a
    hundredth of that.
    """
    n = len(mix)
    count = n + direction * (n // _STRETCH)
    if count == n or count < 2:
        return mix
    at, known = np.linspace(0, n - 1, count), np.arange(n)
    return np.stack([np.interp(at, known, mix[:, channel]) for channel in (0, 1)], axis=1).astype(
        np.float32
    )
