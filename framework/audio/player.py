"""Play the mix of a game in the thread of a sound device.

The game's thread writes its mix to a ring buffer, and also publishes a table with the state of its
voices (`mix_table`). The device's thread reads the ring buffer. If a frame of the game takes so
long that the ring buffer becomes empty, the player itself mixes the next samples from the table, so
that all sounds continue. When the game continues, the player crossfades to the game's mix within 5
ms, so that no click is audible.

The native library contains the same player in C, in ``native/src/player.c``, with exactly the same
results. Frames are counted from the moment when the device starts. In this module, a frame consists
of two samples: one for the left channel and one for the right.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple, Protocol

import numpy as np

from ..arrays import Floats
from .kernel import Kernel
from .limiter import limit
from .mix_table import PREROLL, MixTable

SOFT = 240
"""The length of all crossfades in frames (5 ms)."""

MAX_CONTINUED = 480_000
"""The number of frames for which a player continues without the game: 10 seconds."""

_CHUNK = 512
_SHARES: Floats = (np.arange(1, SOFT + 1, dtype=np.float32) * np.float32(1 / SOFT))[:, None]


class Published(NamedTuple):
    """The most recent update that the game's thread has published for the player."""

    written: int = 0
    """The frame after the last frame in the ring buffer."""
    hole: int = 0
    """The first frame of a gap in the ring buffer, which lasts until the frame `resume`."""
    resume: int = 0
    """The frame from which the ring buffer contains samples again."""
    table: MixTable | None = None
    """The table that continues the ring buffer, or None for silence."""
    previous: MixTable | None = None
    """The previously published table."""


class DevicePlayer(Protocol):
    """The interface of all players. A player can run in this process, in another process, or in C
    code.
    """

    size: int
    """The number of frames in the ring buffer."""
    written: int
    """The frame after the last frame that the game has written."""

    @property
    def read(self) -> int:
        """The number of frames that the sound device has read."""

    @property
    def continued(self) -> int:
        """The number of frames that the player itself has mixed because the ring buffer was
        empty."""

    @property
    def missed(self) -> int:
        """The number of silent frames that were played because the player had nothing to mix."""

    def publish(
        self, mix: Floats, start: int, hole: int, resume: int, table: MixTable | None
    ) -> None:
        """Write ``mix`` to the ring buffer, starting at the frame ``start``. ``mix`` is a float32
        array of shape (n, 2).

        After the call, the buffer has no samples from the frame ``hole`` to the frame ``resume``.
        The player continues with ``table`` after the end of the ring buffer. If ``table`` is None,
        the player continues with silence.
        """


class Player:
    """A player in Python, which mixes with a kernel of this process."""

    def __init__(self, size: int, kernel: Kernel) -> None:
        self.size = size
        self.written = self.read = self.continued = self.missed = 0
        self._kernel = kernel
        self._ring = np.zeros((size, 2), np.float32)
        self._published = Published()
        self._mode = "silent"  # one of "silent", "ring" and "table"
        self._now: MixTable | None = None  # the table that is being mixed
        self._source: MixTable | None = None  # the published table from which `_now` was copied
        self._went_on = 0
        self._tail: Floats = np.zeros((0, 2), np.float32)  # the samples that are still fading out
        self._last: Floats = np.zeros(2, np.float32)

    # -- the game's thread -------------------------------------------------------------------------

    def publish(
        self, mix: Floats, start: int, hole: int, resume: int, table: MixTable | None
    ) -> None:
        """Write ``mix`` to the ring buffer, starting at the frame ``start``. ``mix`` is a float32
        array of shape (n, 2).

        After the call, the buffer has no samples from the frame ``hole`` to the frame ``resume``.
        The player continues with ``table`` after the end of the ring buffer. If ``table`` is None,
        the player continues with silence.
        """
        write_frames(self._ring, mix, start)
        self.written = start + len(mix)
        self._published = Published(
            self.written,
            hole,
            resume,
            None if table is None else table.copy(lines=False),
            self._published.table,
        )

    # -- the device's thread -----------------------------------------------------------------------

    def take(self, count: int) -> Floats:
        """Return the next ``count`` frames for the sound device. The array is float32 and has the
        shape (count, 2).
        """
        out = np.empty((count, 2), np.float32)
        published = self._published
        done = 0
        while done < count:
            frame = self.read + done
            block = self._next(published, frame, min(_CHUNK, count - done))
            fading = min(len(self._tail), len(block))
            if fading:
                begin = SOFT - len(self._tail)
                tail = self._tail[:fading]
                block[:fading] = tail + (block[:fading] - tail) * _SHARES[begin : begin + fading]
                self._tail = self._tail[fading:]
            out[done : done + len(block)] = block
            self._last = out[done + len(block) - 1]
            done += len(block)
        self.read += count
        return out

    def _next(self, published: Published, frame: int, count: int) -> Floats:
        """Return at most ``count`` frames from one source: the ring buffer, the table or silence.
        The samples that are fading out are not added.
        """
        written, hole, resume, table, previous = published
        if frame < written and (frame < hole or frame >= resume):
            end = min(hole, written) if frame < hole else written
            return self._from_ring(frame, min(count, end - frame))
        if frame < resume < written:
            count = min(count, resume - frame)
        if table is None or self._went_on >= MAX_CONTINUED:
            return self._silence(previous, frame, count)
        return self._from_table(table, previous, frame, count)

    def _from_ring(self, frame: int, count: int) -> Floats:
        """Return frames from the ring buffer. The buffer must contain all of them."""
        if self._mode != "ring":
            self._keep_tail(frame)
        self._mode = "ring"
        self._now = None
        self._source = None
        self._went_on = 0
        return self._ring[np.arange(frame, frame + count) % self.size]

    def _from_table(
        self, table: MixTable, previous: MixTable | None, frame: int, count: int
    ) -> Floats:
        """Return at most ``count`` frames that the player mixes by itself."""
        if self._mode != "table" or self._source is not table:
            is_seamless = self._mode == "ring" and table.head["frame"][0] == frame
            if not is_seamless:
                self._keep_old_tail(previous, frame)
            self._take(table)
            self._mode = "table"
            self._went_on = 0
        count = min(count, MAX_CONTINUED - self._went_on)
        self._went_on += count
        self.continued += count
        return self._continue(frame, count)

    def _silence(self, previous: MixTable | None, frame: int, count: int) -> Floats:
        if self._mode != "silent":
            self._keep_old_tail(previous, frame)
        self._mode = "silent"
        self._now = None
        self._source = None
        self.missed += count
        return np.zeros((count, 2), np.float32)

    def _take(self, table: MixTable) -> None:
        self._now = table.copy()
        self._source = table
        self._now.head["continuing"] = 1

    def _continue(self, frame: int, count: int) -> Floats:
        table = self._now
        assert table is not None
        head = table.head[0]
        first = int(head["sample"]) + frame - int(head["frame"])
        if head["limited"] != first:  # the limiter also needs the earlier samples
            earlier = first - PREROLL
            limit(table.head, self._kernel(table, earlier, PREROLL), earlier)
        mix = limit(table.head, self._kernel(table, first, count), first)
        return np.ascontiguousarray(mix.T)

    def _keep_old_tail(self, previous: MixTable | None, frame: int) -> None:
        is_end = previous is not None and previous.head["frame"][0] == frame
        if self._mode == "ring" and previous is not None and is_end:
            self._take(previous)
            self._mode = "table"
        self._keep_tail(frame)

    def _keep_tail(self, frame: int) -> None:
        """Store the next 5 ms of samples, starting at the frame ``frame``. After the player has
        changed to another source, it fades these samples out.
        """
        if self._mode == "table":
            tail = self._continue(frame, SOFT)
            fading = len(self._tail)
            if fading:
                old = self._tail
                tail[:fading] = old + (tail[:fading] - old) * _SHARES[SOFT - fading :]
        else:
            tail = np.repeat(self._last[None], SOFT, axis=0)
        self._tail = tail

    def frames(self) -> Generator[bytes, int, None]:
        """Return a generator for miniaudio. miniaudio sends a number of frames to the generator,
        which yields this many frames as bytes.
        """
        count = yield b""
        while True:
            count = yield self.take(count).tobytes()


def write_frames(ring: Floats, mix: Floats, start: int) -> None:
    """Write ``mix`` to the ring buffer ``ring``, starting at the frame ``start``. ``mix`` and
    ``ring`` are float32 and have two columns.
    """
    size = len(ring)
    begin = start % size
    until_end = min(len(mix), size - begin)
    ring[begin : begin + until_end] = mix[:until_end]
    ring[: len(mix) - until_end] = mix[until_end:]
