"""Provide the samples of a playing sound, from memory or decoded piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..arrays import Floats
from .mixer_track import SourceMemory

if TYPE_CHECKING:  # the second process does not load the decoders
    from ..assets.sounds import Samples

# The minimum number of samples that a stream decodes in one step.
_MIN_DECODED = 4096
BITS = 16
"""A position in a sound has this number of bits after the point."""

_MEMORY = 1 << 18  # the number of samples that a stream keeps in memory (5 seconds)
_PAST = 4096  # the number of samples that remain in memory after they have been mixed


def wrap(frame: int, low: int, high: int) -> int:
    """Return the position in a loop from ``low`` to ``high`` that plays at ``frame``."""
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
            return min(position, self._samples << BITS)
        return wrap(position, self._loop[0] << BITS, self._loop[1] << BITS)

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
