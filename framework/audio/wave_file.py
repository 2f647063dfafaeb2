"""WAV files: write the mix of a game with 16 bits, two channels and 48,000 samples per second."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import BinaryIO, Self, TypeVar

import numpy as np

from ..arrays import Floats
from ..assets.sounds import wave_head
from ..errors import AssetError
from ..resources import check_writable

T = TypeVar("T")

_MAX_FRAMES = (1 << 32) // 4 - 16  # sizes in the file have 32 bits


class WaveFile:
    """A WAV file to which the game appends samples while it mixes sounds."""

    def __init__(self, path: str) -> None:
        check_writable(path)
        self.path = path
        self.frames = 0
        """The number of samples per channel that were written."""
        file = self._guarded(lambda: open(path, "wb"))  # noqa: SIM115  (closed by `close`)
        self._file: BinaryIO | None = file
        self._guarded(lambda: file.write(wave_head(0)))

    def write(self, mix: Floats) -> None:
        """Append the samples ``mix`` to the file as 16-bit integers. ``mix`` is float32 (n, 2).

        `write` does nothing after `close`, or if the file would exceed 4 GB, the limit of the WAV
        format.
        """
        file = self._file
        if file is None or self.frames + len(mix) > _MAX_FRAMES:
            return
        samples = np.clip(np.rint(mix * np.float32(32768)), -32768, 32767).astype("<i2")
        self._guarded(lambda: file.write(samples.tobytes()))
        self.frames += len(mix)

    def close(self) -> None:
        """Write the header, which contains the length, and close the file.

        A second call of `close` has no effect.
        """
        file = self._file
        self._file = None
        if file is not None:
            with file:
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


class AudioCapture:
    """The context manager of `Audio.capture`, which writes the mix to a WAV file."""

    not_state = True

    def __init__(
        self,
        path: str,
        begin: Callable[[str], WaveFile | None],
        end: Callable[[WaveFile], object],
    ) -> None:
        self.path = path
        self._begin = begin
        self._end = end
        self._file: WaveFile | None = None

    def __enter__(self) -> Self:
        self._file = self._begin(self.path)
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
