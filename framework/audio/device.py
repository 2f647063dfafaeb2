"""The sound device, by miniaudio: it copies from a ring, in a thread of its own."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator
from typing import Protocol

from ..assets.sounds import RATE, miniaudio
from ..errors import FrameworkError
from .ring import Ring

_PERIOD = 10  # ms between two callbacks
_LOST = 1.0  # seconds in which a device reads nothing, after which it is taken for unplugged
_AGAIN = 5.0  # seconds until the next attempt at opening one


class _Constants(Protocol):
    """What is used of miniaudio's enumerations."""

    NULL: object
    FLOAT32: object


class _Device(Protocol):
    """A device of miniaudio."""

    backend: object

    def start(self, frames: Generator[bytes | memoryview, int, None]) -> None: ...
    def close(self) -> None: ...


class _Library(Protocol):
    """What is used of miniaudio, which has no types."""

    Backend: _Constants
    SampleFormat: _Constants
    MiniaudioError: type[Exception]

    def PlaybackDevice(
        self,
        output_format: object,
        nchannels: int,
        sample_rate: int,
        buffersize_msec: int,
        *,
        callback_periods: int,
        app_name: str,
        backends: list[object] | None,
    ) -> _Device: ...


class Opened(Protocol):
    """A device that is playing."""

    name: str

    def close(self) -> None: ...


class Playing:
    """The system's default device. Raises an exception where there is none."""

    def __init__(self, ring: Ring, *, null: bool = False) -> None:
        library: _Library = miniaudio()
        self._frames = ring.frames()
        next(self._frames)
        try:
            self._device = library.PlaybackDevice(
                library.SampleFormat.FLOAT32,
                2,
                RATE,
                _PERIOD,
                callback_periods=3,
                app_name="subtick",
                backends=[library.Backend.NULL] if null else None,
            )
        except library.MiniaudioError as error:
            raise FrameworkError("there is no sound device") from error
        self.name = str(self._device.backend)
        if self.name == "Null" and not null:
            self._device.close()
            raise FrameworkError("there is no sound device")
        self._device.start(self._frames)

    def close(self) -> None:
        """Be silent."""
        self._device.close()


class Output:
    """What a game is heard by: the default device, none, or the next one when it was unplugged.

    ``clock`` tells seconds; ``open`` makes a device that reads a ring, or raises an exception.
    """

    def __init__(
        self,
        ring: Ring,
        *,
        clock: Callable[[], float] = time.monotonic,
        open: Callable[[Ring], Opened] = Playing,
    ) -> None:
        self.ring = ring
        self._clock, self._open = clock, open
        self._device: Opened | None = None
        self._said = False
        self._had = False  # whether there ever was one
        self._seen = -1  # frames that were read when last looked
        self._since = self._next = clock()
        self.attempt()

    @property
    def name(self) -> str | None:
        """What sounds go to, as the system calls it; None while nothing is heard."""
        return None if self._device is None else self._device.name

    def attempt(self) -> None:
        """Open the default device."""
        self._since, self._seen = self._clock(), -1
        try:
            self._device = self._open(self.ring)
            self._had = True
        except Exception as error:  # miniaudio's, and that it is not installed
            self._device = None
            self._next = self._clock() + _AGAIN
            if not self._said:
                self._said = True
                warnings.warn(
                    f"Nothing is heard: {str(error) or type(error).__name__}. "
                    "`framework doctor` says more.",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def check(self) -> bool:
        """Look after the device, once a frame. Returns whether something is heard."""
        now, asked = self._clock(), self.ring.read + self.ring.missed
        if self._device is None:
            if self._had and now >= self._next:
                self.attempt()
        elif asked != self._seen:
            self._seen, self._since = asked, now
        elif now - self._since > _LOST:  # unplugged
            self._device.close()
            self.attempt()
        return self._device is not None

    def close(self) -> None:
        """Be silent."""
        device, self._device = self._device, None
        if device is not None:
            device.close()


def described() -> str:
    """What the default device is opened by, for `framework doctor`. Raises an exception where there
    is none.
    """
    playing = Playing(Ring(RATE))  # that a device is listed does not mean that it can be opened
    playing.close()
    return f"the default device, by {playing.name}"
