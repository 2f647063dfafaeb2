"""Where a voice's samples come from: a sound that is decoded, or a file that is decoded as it is
heard.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE, Decoder, Samples

Loop = tuple[int, int | None]
"""The first sample that is played again, and the one after the last; None is the end."""

_AHEAD = 4096  # samples that a stream decodes at least
_KEPT = (
    4 * RATE
)  # samples of a loop that a stream decodes once and keeps: a decoder takes milliseconds to go back
_BITS = 16


def _wrap(frame: int, low: int, high: int) -> int:
    return frame if frame < high else low + (frame - low) % (high - low)


def _padded(rows: Floats, count: int) -> Floats:
    """So many samples, 0 beyond the end."""
    padded = np.zeros((len(rows), count), np.float32)
    padded[:, : rows.shape[1]] = rows
    return padded


class Clip:
    """A decoded sound. In a loop, samples are counted on, and looked up in the sound."""

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
        self._samples, self._loop = samples, loop
        self._rows, self._mono = samples.rows, samples.mono[None]
        self.channels = len(samples.rows)
        self.length: int | None = samples.length if loop is None else None
        self._end = samples.length if loop is None else loop[1]
        again = self._again = (
            samples.again(self._end) if loop is not None and loop[0] == 0 else samples.rows[:, :0]
        )
        self._again_mono = again.mean(axis=0, keepdims=True) if len(again) > 1 else again
        self._seam = (0 if loop is None else loop[0]) + again.shape[
            1
        ]  # until there, a later turn sounds otherwise

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """The samples from ``first`` on, float32 (channels or 1, count); 0 beyond the end. Nobody
        writes into it.
        """
        rows, loop, end, begin = self._mono if mono else self._rows, self._loop, self._end, first
        if first >= end and loop is not None:
            low = loop[0]
            begin = low + (first - low) % (end - low)
        if begin + count <= end and (
            begin == first or begin >= self._seam
        ):  # as a rule: all else takes ten times that
            return rows[:, begin : begin + count]
        if loop is None:
            return _padded(rows[:, first:end], count)
        again = self._again_mono if mono else self._again
        if count > end - loop[0]:
            return self._turns(rows, again, first, count)
        pieces, later = [], begin != first
        while count > 0:  # three at most, which is quicker than to look up each sample
            part, stop = (again, self._seam) if later and begin < self._seam else (rows, end)
            pieces.append(part[:, begin : min(stop, begin + count)])
            count -= pieces[-1].shape[1]
            begin += pieces[-1].shape[1]
            if begin == end:
                begin, later = loop[0], True
        return np.concatenate(pieces, axis=1)

    def _turns(self, rows: Floats, again: Floats, first: int, count: int) -> Floats:
        """More samples than a turn of the loop has."""
        assert self._loop is not None
        low, high = self._loop
        frames = np.arange(first, first + count)
        places = np.where(frames < high, frames, low + (frames - low) % (high - low))
        found = rows[:, places]
        seam = (frames >= high) & (places < again.shape[1])
        found[:, seam] = again[:, places[seam]]
        return found

    def wrapped(self, place: int) -> int:
        """A place in the sound, for one that is counted on through a loop."""
        if self._loop is None:
            return min(place, self._samples.length << _BITS)
        return _wrap(place, self._loop[0] << _BITS, self._loop[1] << _BITS)

    def skip(self, first: int) -> None:
        """Its length is known."""


class Stream:
    """A file that is decoded as it is heard: some milliseconds of it are in memory, besides the
    file as it is.
    """

    def __init__(self, path: Path, loop: Loop | None) -> None:
        self._decoder = Decoder(path)
        self.path = path
        self.loop = loop
        self.channels = self._decoder.channels
        self.length: int | None = None
        self._held = np.empty((self.channels, 0), np.float32)
        self._first = 0  # the sample that ``held`` begins with, counted on through loops
        self._next = 0  # the sample of the file that the decoder gives next
        self._file_end: int | None = None
        self._asked = False  # the file, where that is
        self._joined: Floats | None = (
            None  # what is heard at the beginning, right after the end: (n, channels)
        )
        self._turn: Floats | None = None  # of a loop that is short, all samples: (n, channels)

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """The samples from ``first`` on, float32 (channels or 1, count); 0 beyond the end. Nobody
        writes into it.
        """
        end = self._first + self._held.shape[1]
        if not self._first <= first <= end:
            self._go_to(first)
        else:
            self._held = self._held[:, first - self._first :]
            self._first = first
        missing = count - self._held.shape[1]
        if missing > 0:
            self._decode(max(missing, _AHEAD))
        held = self._held[:, :count]
        return _padded(held.mean(axis=0, dtype=np.float32, keepdims=True) if mono else held, count)

    def wrapped(self, place: int) -> int:
        """A place in the file, for one that is counted on through a loop."""
        high = self._end_of_loop()
        if high is None:
            return place
        if self.loop is None or high <= self.loop[0]:
            return min(place, high << _BITS)
        return _wrap(place, self.loop[0] << _BITS, high << _BITS)

    def skip(self, first: int) -> None:
        """Nobody hears the samples before ``first``, which are not decoded: of its end the file is
        believed.
        """
        if self._file_end is None and not self._asked:
            self._asked, self._file_end = True, self._decoder.told_length()
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

    def _go_to(self, first: int) -> None:
        """Time passed that nobody heard."""
        self._held, self._first = self._held[:, :0], first
        self._next = self.wrapped(first << _BITS) >> _BITS
        if self._turn is None:
            self._decoder.seek(self._next)

    def _decode(self, count: int) -> None:
        pieces = [self._held]
        empty = 0
        while count > 0 and self.length is None and empty < 2:
            if self._turn is not None:
                pieces.append(self._turned(self._turn, count))
                break
            high = self._end_of_loop()
            wanted = count if high is None else min(count, high - self._next)
            piece = (
                self._decoder.read(wanted)
                if wanted > 0
                else np.empty((0, self.channels), np.float32)
            )
            self._next += len(piece)
            count -= len(piece)
            pieces.append(piece.T)
            if len(piece):
                empty = 0
            if len(piece) < wanted:
                self._file_end = self._next
            if len(piece) < wanted or wanted <= 0:
                empty += 1
                again = self._begin_again(sum(piece.shape[1] for piece in pieces))
                count -= len(again)
                pieces.append(again.T)
        self._held = np.concatenate(pieces, axis=1)

    def _begin_again(self, held: int) -> Floats:
        """The end: begin again where the loop does, or be over. Returns what is heard first: (n,
        channels).
        """
        low, end = None if self.loop is None else self.loop[0], self._next
        if low is None or end <= low:
            self.length = self._first + held
            return np.empty((0, self.channels), np.float32)
        if self._joined is None:
            self._joined = (
                np.empty((0, self.channels), np.float32) if low else self._decoder.again(end)
            )
        again = self._joined
        self._next = low + len(again)
        self._decoder.seek(self._next)
        if end - low > _KEPT:
            return again
        turn = np.concatenate([again, self._decoder.read(end - self._next)])
        self._turn, self._next = (turn if len(turn) else None), low
        return turn[:0]

    def _turned(self, turn: Floats, count: int) -> Floats:
        """The next samples of a loop that is kept, as often as it takes: (channels, count)."""
        assert self.loop is not None
        low = self.loop[0]
        places = self._next - low + np.arange(count)
        self._next = low + (self._next - low + count) % len(turn)
        return turn[places % len(turn)].T
