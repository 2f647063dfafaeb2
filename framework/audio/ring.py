"""What is mixed ahead, between the game's thread, which writes, and a sound device's, which only
copies.

Each side counts what it has done, and only it writes its counter; CPython's lock makes that enough.
What the device reads was written before, or is silence: no sample is ever given twice.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from ..arrays import Floats

_BYTES = 8  # of a frame: two channels of float32
# Frames in which sound ends when the ring runs dry, and comes back. In products of more than 500
# numbers, numpy would let other threads run, and then wait for them.
_FADE = 240
_LEVELS: Floats = np.linspace(0, 1, _FADE + 1, dtype=np.float32)[:, None]


class Ring:
    """Room for ``size`` frames of float32 left and right."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._frames = np.zeros((size, 2), np.float32)
        self._bytes = memoryview(self._frames.reshape(-1)).cast("B")  # type: ignore[arg-type]  # NumPy's stubs lack it
        self.written = self.read = 0
        """Frames so far, of silence that was put in too."""
        self.missed = 0
        """Frames that the device asked for and that were not there."""
        self._level = 0  # of `_FADE`: how far the sound has come back, in pieces of any size

    @property
    def filled(self) -> int:
        """Frames that are waiting."""
        return self.written - self.read

    def write(self, frames: Floats) -> int:
        """Put in as many of float32 (n, 2) as there is room for. Returns how many those were."""
        count = min(len(frames), self.size - self.filled)
        at = self.written % self.size
        first = min(count, self.size - at)
        self._frames[at : at + first] = frames[:first]
        self._frames[: count - first] = frames[first:count]
        self.written += count
        return count

    def take(self, count: int) -> bytes | memoryview:
        """The next ``count`` frames, as bytes; what is missing is left out, and is silence to the
        device.
        """
        there = min(count, self.written - self.read)
        at = self.read % self.size
        first = min(there, self.size - at)
        data: bytes | memoryview = self._bytes[at * _BYTES : (at + first) * _BYTES]
        if first < there:
            data = bytes(data) + bytes(self._bytes[: (there - first) * _BYTES])
        if there and self._level < _FADE:
            data = self._risen(data)
        self.read += there
        if there < count:
            self.missed += count - there
            if self._level:
                data = bytes(data) + self._fallen(count - there)
        return data

    def _risen(self, data: bytes | memoryview) -> bytes:
        """The sound comes back: the first frames grow."""
        frames = np.frombuffer(data, np.float32).reshape(-1, 2).copy()
        level = self._level
        short = min(_FADE - level, len(frames))
        self._level = level + short
        frames[:short] *= _LEVELS[level + 1 : level + short + 1]
        return frames.tobytes()

    def _fallen(self, room: int) -> bytes:
        """The ring has run dry: from the last frame down to nothing, or as far as there is room."""
        last, level = self._frames[(self.read - 1) % self.size], self._level
        self._level = level - min(room, level)
        fade: Floats = last * _LEVELS[self._level : level][::-1]
        return fade.tobytes()

    def frames(self) -> Generator[bytes | memoryview, int, None]:
        """What a device's callback asks, as miniaudio has it: sent a number of frames, it yields
        their bytes.
        """
        count = yield b""
        while True:
            count = yield self.take(count)
