"""Open the sound device with the library miniaudio, and play the mix of a game in its thread.

If the native library is installed, the device's thread calls a player that is written in C.
Otherwise, it calls a player in Python, which must wait whenever the game's thread holds Python's
global interpreter lock. To avoid gaps in the sound, a second Python process is then started when
the game plays its first music or loop. From then on, this process plays all sounds (see
`sound_process`).
"""

from __future__ import annotations

import os
import weakref
from typing import Any

from ..assets.sounds import RATE, miniaudio
from ..errors import FrameworkError
from .kernel import NumpyKernel
from .native import native_library
from .native_player import NativePlayer
from .output import PERIOD, PERIODS, Opened, Output, PythonDevice
from .player import DevicePlayer, Player
from .sound_process import ProcessPlayer, can_start

_RING = RATE  # the size of the ring buffer in frames (one second)


def new_player() -> DevicePlayer:
    """Return a new player for the sound device: the player of the native library if it is
    installed, otherwise a player in Python.
    """
    library = native_library()
    return Player(_RING, NumpyKernel().mix) if library is None else NativePlayer(_RING, library)


def started_player() -> ProcessPlayer | None:
    """Start a second process that can play the sounds of a game later. Return None if the game needs
    no second process, or if no process can be started.
    """
    return ProcessPlayer.started(_RING) if native_library() is None else None


def better_output(output: Output, player: ProcessPlayer | None) -> Output | None:
    """Return the output of a second process that plays the sounds: of ``player``, or of a process
    that is started now. Return None if ``output`` needs no second process, or if no process can be
    started.
    """
    if not isinstance(output.device, PythonDevice):
        return None
    if player is None or not player.alive:
        player = ProcessPlayer.started(_RING)
    return None if player is None else new_output(player, warns=False)


def new_output(player: DevicePlayer, *, warns: bool = True) -> Output:
    """Open the default sound device for a player. If ``warns`` is True, a failure issues a
    `RuntimeWarning`.
    """
    return Output(player, open=opened, warns=warns)


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
    return PythonDevice(player, miniaudio(), null=null)


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
    config.periodSizeInMilliseconds = PERIOD
    config.periods = PERIODS
    config.dataCallback = ffi.cast(ffi.typeof(config.dataCallback), player.callback)
    config.pUserData = ffi.cast("void *", player.address)
    return config


def _close_native(
    functions: Any, device: object, context: object, player: NativePlayer, process: int
) -> None:
    if os.getpid() == process:  # a child of `os.fork` does not have the device's thread
        functions.ma_device_uninit(device)
        functions.ma_context_uninit(context)


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
