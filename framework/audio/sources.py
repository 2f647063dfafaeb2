"""Sample sources: the samples of a voice, from a decoded sound or a streamed file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE, Decoder, Samples

Loop = tuple[int, int | None]
"""The repeated part of a sound: its first sample, and the sample after its end. None means the end
of the sound.
"""

_MIN_DECODED = 4096  # samples that a stream decodes at a time
# Samples of a loop that a stream decodes once and keeps: a seek of the decoder takes milliseconds.
_MAX_KEPT = 4 * RATE
_BITS = 16


def _wrap(frame: int, low: int, high: int) -> int:
    return frame if frame < high else low + (frame - low) % (high - low)


def _padded(rows: Floats, count: int) -> Floats:
    """Return ``rows``, extended with zeros to ``count`` samples."""
    padded = np.zeros((len(rows), count), np.float32)
    padded[:, : rows.shape[1]] = rows
    return padded


class DecodedSource:
    """The samples of a decoded sound for one voice. If ``loop`` is set, a part of the sound
    repeats.

    ``loop`` is a pair: the first sample of the repeated part, and the first sample after this part.
    While a loop repeats, callers continue to count samples. The class converts their numbers to
    positions in the sound.
    """

    __slots__ = (
        "_again",
        "_again_mono",
        "_end",
        "_loop",
        "_mono",
        "_rows",
        "_samples",
        "_seam",
        "channels",
        "length",
    )

    def __init__(self, samples: Samples, loop: tuple[int, int] | None) -> None:
        self._samples = samples
        self._loop = loop
        self._rows = samples.rows
        self._mono = samples.mono[None]
        self.channels = len(samples.rows)
        self.length: int | None = samples.length if loop is None else None
        self._end = samples.length if loop is None else loop[1]
        again = self._again = (
            samples.again(self._end) if loop is not None and loop[0] == 0 else samples.rows[:, :0]
        )
        self._again_mono = again.mean(axis=0, keepdims=True) if len(again) > 1 else again
        # Up to this sample, the loop is blended with its end, from the second turn on.
        self._seam = (0 if loop is None else loop[0]) + again.shape[1]

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """Return ``count`` samples from the sample ``first`` on, float32 (channels or 1, count).
        After the end of the sound, samples are 0.

        The caller must not change the returned array.
        """
        rows = self._mono if mono else self._rows
        loop = self._loop
        end = self._end
        begin = first
        if first >= end and loop is not None:
            low = loop[0]
            begin = low + (first - low) % (end - low)
        # The usual case: all other cases take ten times as long.
        if begin + count <= end and (begin == first or begin >= self._seam):
            return rows[:, begin : begin + count]
        if loop is None:
            return _padded(rows[:, first:end], count)
        again = self._again_mono if mono else self._again
        if count > end - loop[0]:
            return self._repeated(rows, again, first, count)
        pieces = []
        later = begin != first
        while count > 0:  # at most three pieces: faster than an index for each sample
            part, stop = (again, self._seam) if later and begin < self._seam else (rows, end)
            pieces.append(part[:, begin : min(stop, begin + count)])
            count -= pieces[-1].shape[1]
            begin += pieces[-1].shape[1]
            if begin == end:
                begin = loop[0]
                later = True
        return np.concatenate(pieces, axis=1)

    def _repeated(self, rows: Floats, again: Floats, first: int, count: int) -> Floats:
        """Return ``count`` samples from the sample ``first`` on, if ``count`` samples are longer
        than the loop.
        """
        assert self._loop is not None
        low, high = self._loop
        frames = np.arange(first, first + count)
        positions = np.where(frames < high, frames, low + (frames - low) % (high - low))
        result = rows[:, positions]
        seam = (frames >= high) & (positions < again.shape[1])
        result[:, seam] = again[:, positions[seam]]
        return result

    def wrapped(self, position: int) -> int:
        """Convert a position that callers have counted on through all repetitions of a loop to a
        position in the sound.

        The unit of both positions is 1 / 65,536 samples.
        """
        if self._loop is None:
            return min(position, self._samples.length << _BITS)
        return _wrap(position, self._loop[0] << _BITS, self._loop[1] << _BITS)

    def skip(self, first: int) -> None:
        """Do nothing. Only a stream must skip samples, because its length is not known."""


class Stream:
    """The samples of a file that is decoded while it plays, for music.

    The whole file is in memory, in the format of the file. The stream decodes the file little by
    little, at least 4,096 samples (85 ms) at a time. If a loop is at most 4 seconds long, the
    stream decodes the loop only once and keeps its samples.
    """

    def __init__(self, path: Path, loop: Loop | None) -> None:
        self._decoder = Decoder(path)
        self.path = path
        self.loop = loop
        self.channels = self._decoder.channels
        self.length: int | None = None
        self._held = np.empty((self.channels, 0), np.float32)
        self._first = 0  # number of the first sample in `_held`, counted through loops
        self._next = 0  # position of the decoder in the file
        self._file_end: int | None = None
        self._asked = False  # whether the header was read for `_file_end`
        # The first samples after the end, blended with it: (n, channels).
        self._joined: Floats | None = None
        # All samples of a short loop: (n, channels).
        self._turn: Floats | None = None

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """Return ``count`` samples from the sample ``first`` on, float32 (channels or 1, count).
        After the end of the file, samples are 0.

        The caller must not change the returned array.
        """
        end = self._first + self._held.shape[1]
        if not self._first <= first <= end:
            self._jump_to(first)
        else:
            self._held = self._held[:, first - self._first :]
            self._first = first
        missing = count - self._held.shape[1]
        if missing > 0:
            self._decode(max(missing, _MIN_DECODED))
        samples = self._held[:, :count]
        return _padded(
            samples.mean(axis=0, dtype=np.float32, keepdims=True) if mono else samples, count
        )

    def wrapped(self, position: int) -> int:
        """Convert a position that callers have counted on through all repetitions of a loop to a
        position in the file.

        The unit of both positions is 1 / 65,536 samples.
        """
        high = self._end_of_loop()
        if high is None:
            return position
        if self.loop is None or high <= self.loop[0]:
            return min(position, high << _BITS)
        return _wrap(position, self.loop[0] << _BITS, high << _BITS)

    def skip(self, first: int) -> None:
        """Skip the samples before ``first``. The voice is silent, so these samples are not decoded.

        Because the end is not decoded either, `skip` reads the length from the header of the file.
        """
        if self._file_end is None and not self._asked:
            self._asked = True
            self._file_end = self._decoder.header_length()
        end = self._file_end
        if (
            self.length is None
            and end is not None
            and first >= end
            and (self.loop is None or self.loop[0] >= end)
        ):
            self.length = end

    def _end_of_loop(self) -> int | None:
        high = None if self.loop is None else self.loop[1]
        ends = [end for end in (high, self._file_end) if end is not None]
        return min(ends, default=None)

    def _jump_to(self, first: int) -> None:
        """Continue at the sample ``first``. The samples before ``first`` are not decoded."""
        self._held = self._held[:, :0]
        self._first = first
        self._next = self.wrapped(first << _BITS) >> _BITS
        if self._turn is None:
            self._decoder.seek(self._next)

    def _decode(self, count: int) -> None:
        pieces = [self._held]
        empty = 0
        while count > 0 and self.length is None and empty < 2:
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
                again = self._restart(sum(piece.shape[1] for piece in pieces))
                count -= len(again)
                pieces.append(again.T)
        self._held = np.concatenate(pieces, axis=1)

    def _restart(self, decoded: int) -> Floats:
        """Called at the end of the file or of the loop. Continue at the start of the loop, or store
        the length if the stream does not repeat.

        ``decoded`` is the number of samples that were decoded since `_first`. Return the first
        samples of the new repetition, (n, channels).
        """
        low = None if self.loop is None else self.loop[0]
        end = self._next
        if low is None or end <= low:
            self.length = self._first + decoded
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
        """Return the next ``count`` samples of a loop whose samples are in memory: (channels, count)."""
        assert self.loop is not None
        low = self.loop[0]
        positions = self._next - low + np.arange(count)
        self._next = low + (self._next - low + count) % len(turn)
        return turn[positions % len(turn)].T
