"""Audio buffering: keeps the latency constant, with the same number of samples in the ring buffer.

The clocks of the game and of the device run at slightly different speeds. `BufferFeed` therefore
makes the mix up to 0.4 % longer or shorter. Players cannot hear this.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE
from .ring_buffer import RingBuffer

_JUMP = RATE // 20  # frames, 50 ms: a larger surplus is removed at once
_NEAR = RATE // 250  # frames, 4 ms: a smaller error is ignored
_CALM = 0.05  # weight of a new measurement in the mean: a device reads in bursts
_STRETCH = 250  # one frame in 250 is removed or added: 0.4 %
_JOIN = 240  # frames over which both sides of a gap are blended


class BufferFeed:
    """Writes the game's mix into a ring buffer, and corrects the number of buffered frames.

    A frame is one sample of the left and one of the right channel.
    """

    def __init__(self, ring: RingBuffer) -> None:
        self.ring = ring
        self.skipped = 0
        """The number of lost audio frames. They were removed after a slow frame of the game, or did
        not fit into the ring buffer.
        """
        self._error = 0.0

    def push(self, mix: Floats, target: int) -> None:
        """Write ``mix`` to the ring buffer, so that the buffer then has ``target`` frames. ``mix``
        is float32 (n, 2).

        If the buffer has far too many frames, `push` removes some at once. If it is empty, `push`
        adds silence. To correct smaller differences, `push` makes the mix up to 0.4 % longer or
        shorter.
        """
        ring = self.ring
        difference = ring.filled + len(mix) - target
        if not ring.filled and difference < 0:  # at the start, and after the ring ran empty
            if ring.written:
                mix = _faded_in(mix)
            ring.write(np.zeros((-difference, 2), np.float32))
            difference = 0
            self._error = 0.0
        if difference > _JUMP and len(mix) > 2 * _JOIN:
            mix = self._shortened(mix, min(difference, len(mix) - 2 * _JOIN))
            self._error = 0.0
        else:
            self._error += (difference - self._error) * _CALM
            if abs(self._error) > _NEAR:
                mix = _stretched(mix, -1 if self._error > 0 else 1)
        self.skipped += len(mix) - ring.write(mix)

    def _shortened(self, mix: Floats, surplus: int) -> Floats:
        """Remove ``surplus`` frames from the middle of the mix, blend the two sides of the gap, and
        return the result.
        """
        self.skipped += surplus
        begin = (len(mix) - surplus - _JOIN) // 2
        share = np.linspace(0, 1, _JOIN, dtype=np.float32)[:, None]
        old = mix[begin : begin + _JOIN]
        new = mix[begin + surplus : begin + surplus + _JOIN]
        return np.concatenate(
            (mix[:begin], old + (new - old) * share, mix[begin + surplus + _JOIN :])
        )


def _faded_in(mix: Floats) -> Floats:
    """Return the mix with a fade-in from silence."""
    count = min(_JOIN, len(mix))
    share = np.linspace(0, 1, _JOIN, endpoint=False, dtype=np.float32)[:count, None]
    return np.concatenate((mix[:count] * share, mix[count:]))


def _stretched(mix: Floats, direction: int) -> Floats:
    """Return the mix stretched by 0.4 % if ``direction`` is 1, or shortened by 0.4 % if
    ``direction`` is -1.

    The pitch changes by 0.4 %, which is inaudible. The clock of a sound device has a much smaller
    error, a hundredth of 0.4 %.
    """
    n = len(mix)
    count = n + direction * (n // _STRETCH)
    if count == n or count < 2:
        return mix
    positions = np.linspace(0, n - 1, count)
    frames = np.arange(n)
    return np.stack(
        [np.interp(positions, frames, mix[:, channel]) for channel in (0, 1)], axis=1
    ).astype(np.float32)
