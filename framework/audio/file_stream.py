"""Decode a music file piece by piece while it plays."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE, Decoder
from .sources import BITS, StreamedSource, wrap

Loop = tuple[int, int | None]
"""The repeated part of a sound: its first sample, and the sample after its end. If the second
number is None, the part ends with the sound.
"""

# A stream stores a loop of at most this number of samples in memory, because seeking in the decoder
# takes milliseconds.
_MAX_KEPT = 4 * RATE


class Stream(StreamedSource):
    """The samples of a music file that is decoded while it is playing.

    The whole compressed file is in memory. The stream decodes the file in pieces of at least 4,096
    samples (85 ms). A loop of at most 4 seconds is decoded only once. The samples of a short loop
    stay in memory.
    """

    def __init__(self, path: Path, loop: Loop | None) -> None:
        self._decoder = Decoder(path)
        super().__init__(self._decoder.channels)
        self.path = path
        self.loop = loop
        self._decoder.loop_start = None if loop is None else loop[0]
        self._next = 0  # the position of the decoder in the file, in samples
        self._file_end: int | None = None
        # True after the header was read.
        self._asked = False
        # The end of the file according to its header.
        self._header_end: int | None = None
        # True if the file has ended and is not repeated.
        self._over = False
        # The first samples after the end of the loop, blended with its end. The array has the shape
        # (n, channels).
        self._joined: Floats | None = None
        # All samples of a short loop. The array has the shape (n, channels).
        self._turn: Floats | None = None

    def wrapped(self, position: int) -> int:
        """Convert a position that always increases to a position in the file. In a loop, the result
        goes back to the start of the loop each time.

        Both positions are in units of 1 / 65,536 samples.
        """
        if position >> BITS > self._valid:
            self._read_header()
        high = self._end_of_loop(self._header_end)
        if high is None:
            return position
        if self.loop is None or high <= self.loop[0]:
            return min(position, high << BITS)
        return wrap(position, self.loop[0] << BITS, high << BITS)

    def skip(self, first: int) -> None:
        """Skip to the sample ``first``, without decoding the samples before it. Called while the
        voice is silent.

        The method reads the length of the file from its header, because the end of the file has not
        been decoded.
        """
        self._read_header()
        if self._file_end is None:
            self._file_end = self._header_end
        end = self._file_end
        if (
            self.length is None
            and end is not None
            and first >= end
            and (self.loop is None or self.loop[0] >= end)
        ):
            self.length = end

    def header_length(self) -> int | None:
        """Return the length of the file in samples, according to its header. Return None if the
        length is unknown.
        """
        return self._decoder.header_length()

    def is_empty(self) -> bool:
        """Return whether the file contains no samples. The method decodes the start of the file."""
        decoder = Decoder(self.path)
        try:
            return not len(decoder.read(1))
        finally:
            decoder.close()

    def _read_header(self) -> None:
        """Read the length of the file from its header, unless the end of the file was already
        decoded. The header is read only once.
        """
        if self._file_end is None and not self._asked:
            self._asked = True
            self._header_end = self.header_length()

    def _end_of_loop(self, header_end: int | None = None) -> int | None:
        """Return the sample at which the loop or the file ends. Return None if the end is unknown.
        ``header_end`` is the end of the file according to its header. This value is used until the
        decoder has reached the real end.
        """
        high = None if self.loop is None else self.loop[1]
        file_end = header_end if self._file_end is None else self._file_end
        ends = [end for end in (high, file_end) if end is not None]
        return min(ends, default=None)

    def seek(self, first: int) -> None:
        """Continue at the sample ``first`` of the file. The samples before ``first`` are skipped
        without decoding.
        """
        if first:
            self._read_header()
        self._next = self.wrapped(first << BITS) >> BITS
        self._over = False
        if self._turn is not None and self.loop is not None and self._next < self.loop[0]:
            self._turn = None  # the stored loop does not contain the samples before the loop
        if self._turn is None:
            self._decoder.seek(self._next)

    def decode(self, count: int) -> Floats:
        """Decode and return at least the next ``count`` samples. The array is float32 and has the
        shape (channels, m). If m is less than ``count``, the file has ended and does not repeat.
        """
        pieces: list[Floats] = []
        empty = 0
        while count > 0 and not self._over and empty < 2:
            if self._turn is not None:
                pieces.append(self._repeated_turn(self._turn, count))
                break
            high = self._end_of_loop()
            requested = count if high is None else min(count, high - self._next)
            piece = (
                self._decoder.read(requested)
                if requested > 0
                else np.empty((0, self.channels), np.float32)
            )
            self._next += len(piece)
            count -= len(piece)
            pieces.append(piece.T)
            if len(piece):
                empty = 0
            if len(piece) < requested:
                self._file_end = self._next
            if len(piece) < requested or requested <= 0:
                empty += 1
                again = self._restart()
                count -= len(again)
                pieces.append(again.T)
        return np.concatenate(pieces, axis=1) if pieces else np.empty((self.channels, 0), "f4")

    def _restart(self) -> Floats:
        """Called when the end of the file or of the loop is reached. Continue at the start of the
        loop. If the stream does not repeat, remember that it has ended.

        Return the first samples of the next repetition. The array has the shape (n, channels).
        """
        low = None if self.loop is None else self.loop[0]
        end = self._next
        if low is None or end <= low:
            self._over = True
            return np.empty((0, self.channels), np.float32)
        if self._joined is None:
            self._joined = (
                np.empty((0, self.channels), np.float32) if low else self._decoder.again(end)
            )
        again = self._joined
        self._next = low + len(again)
        self._decoder.seek(self._next)
        if end - low > _MAX_KEPT:
            return again
        turn = np.concatenate([again, self._decoder.read(end - self._next)])
        self._turn = turn if len(turn) else None
        self._next = low
        return turn[:0]

    def _repeated_turn(self, turn: Floats, count: int) -> Floats:
        """Return the next ``count`` samples of a short loop from memory. The array has the shape
        (channels, count).
        """
        assert self.loop is not None
        low = self.loop[0]
        positions = self._next - low + np.arange(count)
        self._next = low + (self._next - low + count) % len(turn)
        return turn[positions % len(turn)].T
