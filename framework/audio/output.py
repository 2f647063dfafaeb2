"""Open the sound device, and open it again after it has failed or was unplugged.

The second process imports this module, so it imports only the modules that the output needs.
"""

from __future__ import annotations

import os
import time
import warnings
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from ..errors import FrameworkError
from .player import DevicePlayer, Player

RATE = 48_000  # samples per second
PERIOD = 10
"""The time between two callbacks of a sound device, in milliseconds."""

PERIODS = 3
"""The number of callbacks whose samples a sound device stores."""

_LOST = 1.0  # seconds; a device that has read no samples for longer counts as unplugged
_RETRY = 5.0  # seconds until the next attempt to open a device


class Opened(Protocol):
    """The interface of an open sound device."""

    @property
    def name(self) -> str: ...

    def close(self) -> None: ...


class PythonDevice:
    """The default sound device, with a thread that calls a player in Python."""

    def __init__(self, player: Player, library: Any, *, null: bool = False) -> None:
        """``library`` is the module miniaudio."""
        self._frames = player.frames()
        next(self._frames)
        try:
            self._device = library.PlaybackDevice(
                library.SampleFormat.FLOAT32,
                2,
                RATE,
                PERIOD,
                callback_periods=PERIODS,
                app_name="subtick",
                backends=[library.Backend.NULL] if null else None,
            )
        except library.MiniaudioError as error:
            raise FrameworkError("there is no sound device") from error
        self.name = str(self._device.backend)
        if self.name == "Null" and not null:
            self._device.close()
            raise FrameworkError("there is no sound device")
        # Close the device before Python ends. Otherwise the device's thread would wait forever for
        # Python's global interpreter lock, and Python would wait for the thread.
        self._finalizer = weakref.finalize(self, _close_device, self._device, os.getpid())
        self._device.start(self._frames)

    def close(self) -> None:
        """Close the device, and wait until its thread has ended."""
        self._finalizer()


def _close_device(device: Any, process: int) -> None:
    if os.getpid() == process:
        device.close()
    else:  # a child of `os.fork` does not have the device's thread, so `close` would wait forever
        device.running = False
        device._device = None


class Output:
    """The sound output of a game: the default sound device, or no device if the system has none.

    When the user unplugs the device, the output opens the new default device. ``clock`` returns the
    real time in seconds. ``open(player)`` opens a device that plays the samples of the player.
    ``open`` raises an exception if the system has no sound device.
    """

    def __init__(
        self,
        player: DevicePlayer,
        *,
        clock: Callable[[], float] = time.monotonic,
        open: Callable[[DevicePlayer], Opened],
        warns: bool = True,
    ) -> None:
        self.player = player
        self._clock = clock
        self._open = open
        self.device: Opened | None = None
        """The open device, or None."""
        self._warned = not warns
        self._was_open = False  # True if a device was open before
        self._last_read = -1  # the number of frames that the device had read at the last check
        self._last_change = self._next_attempt = clock()
        self.attempt()

    @property
    def name(self) -> str | None:
        """The name of the open device's audio system, such as "ALSA", or None if no device is open."""
        return None if self.device is None else self.device.name

    def attempt(self) -> None:
        """Try to open the default sound device. If the first attempt fails, a `RuntimeWarning` is
        issued.
        """
        self._last_change = self._clock()
        self._last_read = -1
        try:
            self.device = self._open(self.player)
            self._was_open = True
        except Exception as error:  # any error of miniaudio, or miniaudio is not installed
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.device = None
        self._next_attempt = self._clock() + _RETRY
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"There is no sound: {str(error) or type(error).__name__}. "
                "Run `framework doctor` for details.",
                RuntimeWarning,
                stacklevel=3,
            )

    def check(self) -> bool:
        """Called once per frame. Return whether a sound device is open.

        A device counts as unplugged if it has read no samples for a second. While no device is
        open, the output tries every 5 seconds to open one.
        """
        now = self._clock()
        requested = self.player.read
        device = self.device
        if device is None:
            if self._was_open and now >= self._next_attempt:
                self.attempt()
        elif getattr(device, "failed", False):
            device.close()
            self._fail(FrameworkError("there is no sound device"))
        elif requested != self._last_read or getattr(device, "starting", False):
            self._last_read = requested
            self._last_change = now
        elif now - self._last_change > _LOST:  # unplugged
            device.close()
            self.attempt()
        return self.device is not None

    def close(self) -> None:
        device = self.device
        self.device = None
        if device is not None:
            device.close()
