"""Sample sources: provide the samples of a voice from a decoded sound, or from a file that is
decoded while it plays."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE, Decoder, Samples
from .mixer_track import SourceMemory

Loop = tuple[int, int | None]
"""The repeated part of a sound: its first sample, and the sample after its end. If the second
number is None, the part ends with the sound.
"""

# The minimum number of samples that a stream decodes in one step.
_MIN_DECODED = 4096
# A stream stores a loop of at most this number of samples in memory, because seeking in the decoder
# takes milliseconds.
_MAX_KEPT = 4 * RATE
_BITS = 16
_MEMORY = 1 << 18  # the number of samples that a stream keeps in memory (5 seconds)
_PAST = 4096  # the number of samples that remain in memory after they have been mixed


def _wrap(frame: int, low: int, high: int) -> int:
    return frame if frame < high else low + (frame - low) % (high - low)


def _padded(rows: Floats, count: int) -> Floats:
    """Return ``rows`` padded with zeros at the end, so that each row has ``count`` samples."""
    padded = np.zeros((len(rows), count), np.float32)
    padded[:, : rows.shape[1]] = rows
    return padded


class SharedSamples(NamedTuple):
    """The samples of a `DecodedSource`, in a form that can be sent to another process."""

    rows: Floats
    mono: Floats
    again: Floats
    again_mono: Floats
    loop: tuple[int, int] | None


class DecodedSource:
    """The samples of a decoded sound, for one voice. If ``loop`` is not None, part of the sound
    repeats.

    ``loop`` contains two numbers: the first sample of the repeated part, and the first sample after
    this part. Even in a loop, callers pass sample numbers that keep increasing. The class converts
    these numbers to positions in the sound.
    """

    __slots__ = (
        "__weakref__",
        "_again",
        "_again_mono",
        "_end",
        "_loop",
        "_memories",
        "_mono",
        "_rows",
        "_samples",
        "_seam",
        "channels",
        "length",
    )

    streams = False

    def __init__(self, samples: Samples, loop: tuple[int, int] | None) -> None:
        rows = samples.rows
        mono = samples.mono
        if loop is not None and loop[1] == samples.length:
            rows, mono = samples.looped(loop[0])
        again = (
            np.ascontiguousarray(samples.again(samples.length if loop is None else loop[1]))
            if loop is not None and loop[0] == 0
            else rows[:, :0]
        )
        again_mono = again.mean(axis=0, keepdims=True) if len(again) > 1 else again
        self._set(SharedSamples(rows, mono[None], again, again_mono, loop))

    def _set(self, shared: SharedSamples) -> None:
        self._rows, self._mono, self._again, self._again_mono, self._loop = shared
        self._memories: dict[bool, SourceMemory] = {}
        loop = self._loop
        self.channels = len(self._rows)
        self._samples: int = self._rows.shape[1]
        self.length: int | None = self._samples if loop is None else None
        self._end = self._samples if loop is None else loop[1]
        # From the second repetition on, the start of the loop is blended with its end. The blend
        # ends at this sample.
        self._seam = (0 if loop is None else loop[0]) + self._again.shape[1]

    def shared(self) -> SharedSamples:
        """Return the samples in a form that can be sent to another process."""
        return SharedSamples(self._rows, self._mono, self._again, self._again_mono, self._loop)

    @classmethod
    def from_shared(cls, shared: SharedSamples) -> DecodedSource:
        """Create a source from the result of `shared`, in another process."""
        source = cls.__new__(cls)
        source._set(shared)
        return source

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """Return ``count`` samples, starting at the sample ``first``. The array is float32 and has
        the shape (channels, count) or (1, count). Samples after the end of the sound are 0.

        The caller must not change this array.
        """
        rows = self._mono if mono else self._rows
        loop = self._loop
        end = self._end
        begin = first
        if first >= end and loop is not None:
            low = loop[0]
            begin = low + (first - low) % (end - low)
        # The usual case. All other cases take ten times as long.
        if begin + count <= end and (begin == first or begin >= self._seam):
            return rows[:, begin : begin + count]
        if loop is None:
            return _padded(rows[:, first:end], count)
        again = self._again_mono if mono else self._again
        if count > end - loop[0]:
            return self._repeated(rows, again, first, count)
        pieces = []
        later = begin != first
        while count > 0:  # at most three pieces, which take less time than an index for each sample
            part, stop = (again, self._seam) if later and begin < self._seam else (rows, end)
            pieces.append(part[:, begin : min(stop, begin + count)])
            count -= pieces[-1].shape[1]
            begin += pieces[-1].shape[1]
            if begin == end:
                begin = loop[0]
                later = True
        return np.concatenate(pieces, axis=1)

    def _repeated(self, rows: Floats, again: Floats, first: int, count: int) -> Floats:
        """Return ``count`` samples, starting at the sample ``first``, for a loop that is shorter
        than ``count`` samples.
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
        """Convert a position that always increases to a position in the sound. In a loop, the
        result goes back to the start of the loop each time.

        Both positions are in units of 1 / 65,536 samples.
        """
        if self._loop is None:
            return min(position, self._samples << _BITS)
        return _wrap(position, self._loop[0] << _BITS, self._loop[1] << _BITS)

    def memory(self, mono: bool) -> SourceMemory:
        """Return the location of the samples in memory. If ``mono`` is True, the samples are the
        mean of both channels.
        """
        memory = self._memories.get(mono)
        if memory is None:
            rows = self._mono if mono else self._rows
            again = self._again_mono if mono else self._again
            low, high = self._loop or (0, 0)
            memory = self._memories[mono] = SourceMemory(
                _address(rows[0]),
                _address(rows[-1]),
                _address(again[0]),
                _address(again[-1]),
                self._samples,
                low,
                high,
                self._seam if self._again.shape[1] else 0,
                0,
                0,
                (rows, again),
            )
        return memory

    def prepare(self, first: int, count: int) -> None:
        """Do nothing: only a stream has to compute its samples."""

    def read_ahead(self, first: int, count: int) -> None:
        """Do nothing: only a stream has to compute its samples."""

    def skip(self, first: int) -> None:
        """Do nothing: the samples are already decoded, and the length is known."""


def _address(samples: Floats) -> int:
    """Return the memory address of the first sample in an array."""
    address: int = samples.__array_interface__["data"][0]
    return address


class StreamedSource:
    """A source that computes its samples piece by piece while the voice plays.

    The most recent 5 seconds of samples stay in memory. A subclass must implement the methods
    `decode` and `seek`.
    """

    streams = True
    min_decoded = _MIN_DECODED
    """The minimum number of samples that are decoded at a time."""

    def __init__(self, channels: int) -> None:
        self.channels = channels
        self.length: int | None = None
        """The number of samples, or None until the end is known."""
        self._ring: Floats = np.zeros((channels, _MEMORY), np.float32)
        self._mono_ring: Floats | None = self._ring if channels == 1 else None
        self._oldest = self._valid = 0  # the samples from `_oldest` to `_valid` are in memory

    def decode(self, count: int) -> Floats:
        """Compute and return at least the next ``count`` samples. The array is float32 and has the
        shape (channels, m). If m is less than ``count``, the stream has ended.
        """
        raise NotImplementedError

    def seek(self, first: int) -> None:
        """Continue at the sample ``first``: the next call to `decode` returns this sample first."""
        raise NotImplementedError

    def prepare(self, first: int, count: int) -> None:
        """Decode samples until ``count`` samples, starting at the sample ``first``, are in
        memory.
        """
        if not self._oldest <= first <= self._valid:
            self._restart_at(first)
        missing = first + count - self._valid
        if missing > 0 and self.length is None:
            self._decode(max(missing, self.min_decoded), first)

    def read_ahead(self, first: int, count: int) -> None:
        """Decode a part of the next ``count`` samples, starting at the sample ``first``. After
        several calls, all of them are decoded. If a frame of the game then takes a long time, the
        sound device can play these samples.
        """
        room = min(count, _MEMORY - _PAST - _MIN_DECODED)
        missing = first + room - self._valid
        if self._oldest <= first <= self._valid and missing > 0 and self.length is None:
            self._decode(min(_MIN_DECODED, max(missing, self.min_decoded)), first)

    def restart(self) -> None:
        """Delete all samples in memory, because the source has changed."""
        self._restart_at(self._valid)

    def _restart_at(self, first: int) -> None:
        # Allocate new memory, because a sound device may still read the old memory.
        self._ring = np.zeros((self.channels, _MEMORY), np.float32)
        self._mono_ring = self._ring if self.channels == 1 else None
        self._oldest = self._valid = first
        self.length = None  # if the stream has ended, it may continue at an earlier sample
        self.seek(first)

    def _decode(self, count: int, first: int) -> None:
        while count > 0 and self.length is None:
            requested_count = min(count, _MEMORY // 4)
            samples = self.decode(requested_count)
            decoded = samples.shape[1]
            if decoded < requested_count:
                self.length = self._valid + decoded
            self._store(samples)
            count -= decoded
        self._oldest = max(self._oldest, self._valid - _MEMORY)

    def _store(self, samples: Floats) -> None:
        count = samples.shape[1]
        start = self._valid % _MEMORY
        until_end = min(count, _MEMORY - start)
        rings = [(self._ring, samples)]
        if self._mono_ring is not None and self.channels == 2:
            rings.append((self._mono_ring, _mean(samples)))
        for ring, new in rings:
            ring[:, start : start + until_end] = new[:, :until_end]
            ring[:, : count - until_end] = new[:, until_end:]
        self._valid += count

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """Return ``count`` samples, starting at the sample ``first``. The array is float32 and has
        the shape (channels, count) or (1, count). Samples that are not in memory are replaced with
        0.

        The caller must not change this array.
        """
        begin = max(first, self._oldest)
        end = min(first + count, self._valid)
        ring = self._mean_ring() if mono else self._ring
        start = begin % _MEMORY
        if begin == first and end == first + count and start + count <= _MEMORY:
            return ring[:, start : start + count]
        result = np.zeros((len(ring), count), np.float32)
        if begin < end:
            index = np.arange(begin, end) % _MEMORY
            result[:, begin - first : end - first] = ring[:, index]
        return result

    def memory(self, mono: bool) -> SourceMemory:
        """Return the location of the samples in memory. If ``mono`` is True, the samples are the
        mean of both channels.
        """
        ring = self._mean_ring() if mono else self._ring
        left = _address(ring[0])
        right = _address(ring[-1])
        valid = self._valid
        return SourceMemory(left, right, left, right, 0, 0, 0, 0, _MEMORY - 1, valid, ring)

    def newest(self, first: int) -> tuple[int, Floats]:
        """Return all samples in memory, starting at the sample ``first``, and the number of the
        first returned sample. If the sample ``first`` is no longer in memory, return all samples in
        memory.
        """
        if not self._oldest <= first <= self._valid:
            first = self._oldest
        return first, self.window(first, self._valid - first, False).copy()

    def _mean_ring(self) -> Floats:
        # A stereo stream needs a mono mix when its voice has a position.
        if self._mono_ring is None:
            self._mono_ring = _mean(self._ring)
        return self._mono_ring

    def wrapped(self, position: int) -> int:
        """Return ``position`` unchanged, because this class does not repeat its samples.

        The position is in units of 1 / 65,536 samples.
        """
        return position

    def skip(self, first: int) -> None:
        """Skip to the sample ``first``, without decoding the samples before it. Called while the
        voice is silent.
        """


def _mean(samples: Floats) -> Floats:
    return (samples[:1] + samples[1:]) * np.float32(0.5)


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
        if position >> _BITS > self._valid:
            self._read_header()
        high = self._end_of_loop(self._header_end)
        if high is None:
            return position
        if self.loop is None or high <= self.loop[0]:
            return min(position, high << _BITS)
        return _wrap(position, self.loop[0] << _BITS, high << _BITS)

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
        self._next = self.wrapped(first << _BITS) >> _BITS
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
