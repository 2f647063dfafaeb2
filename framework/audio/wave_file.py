"""Write the mix of a game to a WAV file, in stereo with 16 bits and 48,000 samples per second."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import BinaryIO, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..assets.sounds import wave_head
from ..errors import AssetError
from ..resources import check_writable
from .limiter import MixLimiter

T = TypeVar("T")

_MAX_FRAMES = (1 << 32) // 4 - 16  # the file stores sizes as 32-bit numbers


class WaveFile:
    """A WAV file for the mix of a game. The game appends samples to the file while it runs."""

    def __init__(self, path: str, dither: bool = True) -> None:
        check_writable(path)
        self._dither = dither
        self._limiter = MixLimiter()
        self.path = path
        self.frames = 0
        """The number of samples per channel that have been written."""
        file = self._guarded(lambda: open(path, "wb"))  # noqa: SIM115  (closed by `close`)
        self._file: BinaryIO | None = file
        self._guarded(lambda: file.write(wave_head(0)))

    def write(self, mix: Floats) -> None:
        """Convert the samples in ``mix`` to 16-bit integers, and append them to the file. ``mix``
        is a float32 array of shape (n, 2).

        A limiter lowers the volume wherever samples are above 1. The limiter has to look ahead, so
        the last `LOOKAHEAD` samples are written later, by the next `write` or by `close`.

        With dither, a random number of at most one quantization step is added to each sample before
        it is rounded to 16 bits. Quiet sounds then end in faint noise, not in distortion. The
        random numbers depend only on the position in the file. So the same game always writes the
        same file.

        The method does nothing after `close`, or if the file would become larger than 4 GB, the
        limit of WAV files.
        """
        if self._file is not None:
            self._append(self._limiter.limited(mix))

    def _append(self, mix: Floats) -> None:
        file = self._file
        if file is None or self.frames + len(mix) > _MAX_FRAMES:
            return
        exact = mix * np.float32(32768)
        samples = np.rint(exact)
        # Exact 16-bit samples, such as silence and sounds at full volume, need no dither.
        between = samples != exact
        if self._dither and between.any():
            samples[between] = np.rint(exact + _dither(self.frames, len(mix)))[between]
        samples = np.clip(samples, -32768, 32767).astype("<i2")
        self._guarded(lambda: file.write(samples.tobytes()))
        self.frames += len(mix)

    def close(self) -> None:
        """Write the header with the length of the file, and close the file.

        Calling `close` again has no effect.
        """
        file = self._file
        if file is not None:
            with file:
                self._append(self._limiter.finish())
                self._file = None
                self._guarded(
                    lambda: (file.seek(0, os.SEEK_SET), file.write(wave_head(self.frames)))
                )

    def _guarded(self, action: Callable[[], T]) -> T:
        try:
            return action()
        except OSError as error:
            raise AssetError(
                f"{self.path!r} cannot be written: {error.strerror or error}."
            ) from error


def _dither(first: int, count: int) -> Floats:
    """Return random numbers from -1 to 1 with a triangular distribution, for dither. The array is
    float32 and has the shape (count, 2). The random numbers depend only on the position in the
    file, counted from 0.
    """
    numbers = _splitmix64(np.arange(2 * first, 2 * (first + count), dtype=np.uint64))
    first_half = (numbers >> np.uint64(32)).astype(np.float64)
    second_half = (numbers & np.uint64(0xFFFFFFFF)).astype(np.float64)
    difference = (first_half - second_half) * 2.0**-32
    return difference.astype(np.float32).reshape(count, 2)


def _splitmix64(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the numbers with these indices from the random number generator "splitmix64"."""
    numbers = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class AudioCapture:
    """The context manager of `Audio.capture`, which writes the mix to a WAV file."""

    not_state = True

    def __init__(
        self,
        path: str,
        dither: bool,
        begin: Callable[[str, bool], WaveFile | None],
        end: Callable[[WaveFile], object],
    ) -> None:
        self.path = path
        self._dither = dither
        self._begin = begin
        self._end = end
        self._file: WaveFile | None = None

    def __enter__(self) -> Self:
        self._file = self._begin(self.path, self._dither)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        file = self._file
        self._file = None
        if file is not None:
            self._end(file)
