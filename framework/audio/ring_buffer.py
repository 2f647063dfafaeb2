"""Ring buffer: passes the mix from the game's thread to the device's thread.

The game's thread writes to the buffer, and the device's thread only reads. Each of the two counters
is written by one thread only: `written` by the game's thread, and `read` by the device's thread.
Because of CPython's global interpreter lock, the counters are safe without a lock of their own. The
device never receives a sample twice: if no new samples are in the buffer, the device plays silence.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ..arrays import Floats

_BYTES = 8  # per frame: two channels of float32
# The number of frames of the fade when the ring buffer runs empty, and when sound returns. For
# products of more than 500 numbers, NumPy would let other threads run and then wait for these.
_FADE = 240
_LEVELS: Floats = np.linspace(0, 1, _FADE + 1, dtype=np.float32)[:, None]


class RingBuffer:
    """A ring buffer of ``size`` frames: each frame is one float32 for the left and one for the
    right channel.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._frames = np.zeros((size, 2), np.float32)
        self._bytes = self._frames.reshape(-1).data.cast("B")
        self.written = self.read = 0
        """The number of frames that the device has read so far. `written` is the number of frames
        that the game has written.
        """
        self.missed = 0
        """The number of silent frames. The device has requested them while the buffer was empty.
        """
        self._level = 0  # 0 to `_FADE`: how far the sound has faded in

    @property
    def filled(self) -> int:
        """The number of frames that are ready to be read."""
        return self.written - self.read

    def write(self, frames: Floats) -> int:
        """Write ``frames`` to the buffer until it is full, and return the number of written frames.
        ``frames`` is float32 (n, 2).
        """
        count = min(len(frames), self.size - self.filled)
        start = self.written % self.size
        until_end = min(count, self.size - start)
        self._frames[start : start + until_end] = frames[:until_end]
        self._frames[: count - until_end] = frames[until_end:count]
        self.written += count
        return count

    def take(self, count: int) -> bytes | memoryview:
        """Return up to ``count`` frames as bytes, for the device.

        If the buffer contains fewer than ``count`` frames, `take` returns all of them, and the
        device plays silence for the missing frames.
        """
        available = min(count, self.written - self.read)
        start = self.read % self.size
        until_end = min(available, self.size - start)
        data: bytes | memoryview = self._bytes[start * _BYTES : (start + until_end) * _BYTES]
        if until_end < available:
            data = bytes(data) + bytes(self._bytes[: (available - until_end) * _BYTES])
        if available and self._level < _FADE:
            data = self._faded_in(data)
        self.read += available
        if available < count:
            self.missed += count - available
            if self._level:
                data = bytes(data) + self._faded_out(count - available)
        return data

    def _faded_in(self, data: bytes | memoryview) -> bytes:
        """Return frames with a fade-in from silence."""
        frames = np.frombuffer(data, np.float32).reshape(-1, 2).copy()
        level = self._level
        short = min(_FADE - level, len(frames))
        self._level = level + short
        frames[:short] *= _LEVELS[level + 1 : level + short + 1]
        return frames.tobytes()

    def _faded_out(self, room: int) -> bytes:
        """Return at most ``room`` frames that fade out from the last frame to silence."""
        last = self._frames[(self.read - 1) % self.size]
        level = self._level
        self._level = level - min(room, level)
        fade: Floats = last * _LEVELS[self._level : level][::-1]
        return fade.tobytes()

    def frames(self) -> Generator[bytes | memoryview, int, None]:
        """A generator for miniaudio: miniaudio sends the number of frames, and the generator yields
        them as bytes.
        """
        count = yield b""
        while True:
            count = yield self.take(count)
