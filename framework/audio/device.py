"""Sound device: plays the mix of a game with the library miniaudio, in a separate thread.

If the native library is installed, this thread calls the player of the native library, which is
written in C. Otherwise, the thread calls a player in Python. A player in Python must wait while the
game's thread holds Python's global interpreter lock. To avoid gaps in the sound, a second Python
process is started when the game plays its first music or loop. This process then plays all sounds
(`audio/sound_process`).
"""

from __future__ import annotations

import os
import time
import warnings
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from ..assets.sounds import RATE, miniaudio
from ..errors import FrameworkError
from .kernel import NumpyKernel
from .native import native_library
from .native_player import NativePlayer
from .player import DevicePlayer, Player
from .sound_process import ProcessPlayer, can_start

_PERIOD = 10  # the time between two callbacks in milliseconds
_PERIODS = 3
_LOST = 1.0  # seconds; a device that has read no samples for longer counts as unplugged
_RETRY = 5.0  # seconds until the next attempt to open a device
_RING = RATE  # the size of the ring buffer in frames (one second)


class Opened(Protocol):
    """The interface of an open sound device."""

    @property
    def name(self) -> str: ...

    def close(self) -> None: ...


def new_player() -> DevicePlayer:
    """Return a new player for the sound device: the player of the native library if it is
    installed, otherwise a player in Python.
    """
    library = native_library()
    return Player(_RING, NumpyKernel().mix) if library is None else NativePlayer(_RING, library)


def better_output(output: Output) -> Output | None:
    """Start a second process that plays the sounds, and return its output. Return None if
    ``output`` needs no second process, or if no process can be started.
    """
    if not isinstance(output.device, PythonDevice):
        return None
    player = ProcessPlayer.started(_RING)
    return None if player is None else Output(player, warns=False)


def opened(player: DevicePlayer, *, null: bool = False) -> Opened:
    """Open the default sound device. The device plays the samples of ``player`` until the method
    `close` of the device is called.

    Raises `FrameworkError` if the system has no sound device. For tests, pass ``null=True`` to open
    a device that makes no sound.
    """
    if isinstance(player, ProcessPlayer):
        return player.open_device(null)
    if isinstance(player, NativePlayer):
        return NativeDevice(player, null=null)
    assert isinstance(player, Player)
    return PythonDevice(player, null=null)


class PythonDevice:
    """The default sound device, with a thread that calls a player in Python."""

    def __init__(self, player: Player, *, null: bool = False) -> None:
        library = miniaudio()
        self._frames = player.frames()
        next(self._frames)
        try:
            self._device = library.PlaybackDevice(
                library.SampleFormat.FLOAT32,
                2,
                RATE,
                _PERIOD,
                callback_periods=_PERIODS,
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


class NativeDevice:
    """The default sound device, with a thread that calls the player of the native library.

    The Python interface of miniaudio accepts only functions that are written in Python. So this
    class calls miniaudio's functions in C, and passes the address of the native player's function.
    """

    def __init__(self, player: NativePlayer, *, null: bool = False) -> None:
        library: Any = miniaudio()
        ffi = library.ffi
        functions = library.lib
        self._context = ffi.new("ma_context *")
        self._device = ffi.new("ma_device *")
        self._kept = ffi.new("char[]", b"subtick")
        _init_context(library, self._context, self._kept, null=null)
        config = _device_config(library, player)
        player.set_user_data(ffi.offsetof("ma_device", "pUserData"))
        if functions.ma_device_init(self._context, ffi.addressof(config), self._device):
            functions.ma_context_uninit(self._context)
            raise FrameworkError("there is no sound device")
        # When Python ends, the device must be closed before the memory of the player is deleted.
        self._finalizer = weakref.finalize(
            self, _close_native, functions, self._device, self._context, player, os.getpid()
        )
        backend = self._device.pContext.backend
        self.name: str = ffi.string(functions.ma_get_backend_name(backend)).decode()
        silent = backend == functions.ma_backend_null and not null
        if silent or functions.ma_device_start(self._device):
            self.close()
            raise FrameworkError("there is no sound device")

    def close(self) -> None:
        """Close the device, and wait until its thread has ended."""
        self._finalizer()


def _init_context(library: Any, context: Any, app_name: Any, *, null: bool) -> None:
    """Let miniaudio choose an audio system. With ``null``, the audio system plays nothing."""
    ffi = library.ffi
    functions = library.lib
    config = functions.ma_context_config_init()
    config.threadPriority = library.ThreadPriority.HIGHEST.value
    config.pulse.pApplicationName = app_name
    backends = ffi.NULL
    count = 0
    if null:
        backends = ffi.new("ma_backend[]", [library.Backend.NULL.value])
        count = 1
    if functions.ma_context_init(backends, count, ffi.addressof(config), context):
        raise FrameworkError("there is no sound device")


def _device_config(library: Any, player: NativePlayer) -> Any:
    """Return miniaudio's settings of a sound device that calls the player."""
    ffi = library.ffi
    functions = library.lib
    config = functions.ma_device_config_init(functions.ma_device_type_playback)
    config.sampleRate = RATE
    config.playback.channels = 2
    config.playback.format = functions.ma_format_f32
    config.periodSizeInMilliseconds = _PERIOD
    config.periods = _PERIODS
    config.dataCallback = ffi.cast(ffi.typeof(config.dataCallback), player.callback)
    config.pUserData = ffi.cast("void *", player.address)
    return config


def _close_native(
    functions: Any, device: object, context: object, player: NativePlayer, process: int
) -> None:
    if os.getpid() == process:  # a child of `os.fork` does not have the device's thread
        functions.ma_device_uninit(device)
        functions.ma_context_uninit(context)


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
        open: Callable[[DevicePlayer], Opened] = opened,
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


def described() -> str:
    """Return the name of the default sound device, for `framework doctor`.

    Raises an exception if no device can be opened.
    """
    player = Player(_RING, NumpyKernel().mix)
    playing = opened(player)  # raises an error if a listed device cannot be opened
    playing.close()
    return f"the default device, by {playing.name}"


def continuation() -> str:
    """Return the text in which `framework doctor` says how sounds continue during a long frame of
    the game.
    """
    library = native_library()
    if library is not None:
        return "sounds continue during long frames by the package subtick-sound"
    hint = "the package subtick-sound is not installed"
    if can_start():
        return f"music and loops continue during long frames in a second process of Python; {hint}"
    return f"sounds stop while Python computes for long; {hint}"


def is_alive(player: DevicePlayer) -> bool:
    """Return whether a player can still play. A player in another process stops working when that
    process ends.
    """
    return not isinstance(player, ProcessPlayer) or player.alive


def release(player: DevicePlayer) -> None:
    """End the process in which a player runs, if it has its own process."""
    if isinstance(player, ProcessPlayer):
        player.close()
