"""Sound device: plays the samples of a ring buffer with the library miniaudio, in a separate
thread.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Protocol

from ..assets.sounds import RATE, miniaudio
from ..errors import FrameworkError
from .ring_buffer import RingBuffer

_PERIOD = 10  # milliseconds between two callbacks
_LOST = 1.0  # seconds without a read, after which a device counts as unplugged
_RETRY = 5.0  # seconds until the next attempt to open a device


class Opened(Protocol):
    """The interface of an open sound device."""

    name: str

    def close(self) -> None: ...


class Playing:
    """The default sound device. It plays the samples of a ring buffer until `close`.

    Raises `FrameworkError` if the system has no sound device. With ``null=True``, the device is
    silent, for tests.
    """

    def __init__(self, ring: RingBuffer, *, null: bool = False) -> None:
        library = miniaudio()
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
        self._device.close()


class Output:
    """The sound output of a game: the default device, or none.

    If the user unplugs the device, the output opens the next default device. ``clock`` returns the
    real time in seconds. ``open(ring)`` opens a device that reads the ring buffer. If there is no
    device, ``open`` raises an exception.
    """

    def __init__(
        self,
        ring: RingBuffer,
        *,
        clock: Callable[[], float] = time.monotonic,
        open: Callable[[RingBuffer], Opened] = Playing,
    ) -> None:
        self.ring = ring
        self._clock = clock
        self._open = open
        self._device: Opened | None = None
        self._warned = False
        self._was_open = False  # whether a device was ever open
        self._last_read = -1  # frames read at the last check
        self._last_change = self._next_attempt = clock()
        self.attempt()

    @property
    def name(self) -> str | None:
        """The name of the open device's audio system, such as "ALSA", or None if no device is open."""
        return None if self._device is None else self._device.name

    def attempt(self) -> None:
        """Try to open the default device. If the first attempt fails, the game gets a
        `RuntimeWarning`.
        """
        self._last_change = self._clock()
        self._last_read = -1
        try:
            self._device = self._open(self.ring)
            self._was_open = True
        except Exception as error:  # of miniaudio, or because it is not installed
            self._device = None
            self._next_attempt = self._clock() + _RETRY
            if not self._warned:
                self._warned = True
                warnings.warn(
                    f"There is no sound: {str(error) or type(error).__name__}. "
                    "Run `framework doctor` for details.",
                    RuntimeWarning,
                    stacklevel=2,
                )

    def check(self) -> bool:
        """Called once per frame: return whether a sound device is open.

        A device that has not read the ring buffer for a second counts as unplugged. After a device
        was lost, the output tries to open a new device every 5 seconds.
        """
        now = self._clock()
        requested = self.ring.read + self.ring.missed
        if self._device is None:
            if self._was_open and now >= self._next_attempt:
                self.attempt()
        elif requested != self._last_read:
            self._last_read = requested
            self._last_change = now
        elif now - self._last_change > _LOST:  # unplugged
            self._device.close()
            self.attempt()
        return self._device is not None

    def close(self) -> None:
        device = self._device
        self._device = None
        if device is not None:
            device.close()


def described() -> str:
    """Return the name of the default device, for `framework doctor`.

    Raises an exception if no device can be opened.
    """
    playing = Playing(RingBuffer(RATE))  # a listed device may still fail to open
    playing.close()
    return f"the default device, by {playing.name}"
