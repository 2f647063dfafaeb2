"""Find and call the optional package `subtick_sound`, which plays sounds with C code.

With this native library, sounds continue even if a frame of the game takes a long time. Without it,
a second Python process plays the sounds.
"""

from __future__ import annotations

import ctypes
import importlib
import os
from functools import cache

import numpy as np

from ..arrays import Floats
from .mix_table import EFFECT, GROUP, HEAD, VERSION, VOICE, MixTable, quarter_sine

CHUNK = 512
"""The number of samples that the native kernel mixes at a time."""

_SIZES = [VERSION, VOICE.itemsize, GROUP.itemsize, EFFECT.itemsize, HEAD.itemsize]


def address(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> int:
    """Return the address of an array in memory."""
    return array.ctypes.data


class NativeLibrary:
    """The functions of the native library, for calls from Python. Raises `OSError` if the library
    belongs to another version of Subtick.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.functions = ctypes.CDLL(path)
        sizes = (ctypes.c_int32 * 5)()
        self.functions.subtick_sizes(sizes)
        if list(sizes) != _SIZES:
            raise OSError(f"{path} is of another version: {list(sizes)}, expected {_SIZES}")
        self.functions.subtick_mix.restype = None
        self.functions.subtick_mix.argtypes = [
            ctypes.c_void_p,
            ctypes.c_int64,
            ctypes.c_int64,
            ctypes.c_void_p,
            ctypes.c_void_p,
        ]


class NativeKernel:
    """The kernel of the native library, written in C. The kernel has its own memory, so each mixer
    needs a separate kernel.
    """

    def __init__(self, library: NativeLibrary) -> None:
        self._mix = library.functions.subtick_mix
        self._scratch: Floats = np.empty(0, np.float32)

    def mix(self, table: MixTable, first: int, count: int) -> Floats:
        """Return ``count`` samples of the mix, starting at the sample ``first``. The array is
        float32 and has the shape (2, count).
        """
        out = np.empty((2, count), np.float32)
        size = len(table.groups) * 2 * CHUNK
        if len(self._scratch) < size:
            self._scratch = np.empty(size, np.float32)
        point(table)
        self._mix(address(table.head), first, count, address(out), address(self._scratch))
        return out


def point(table: MixTable) -> None:
    """Write the memory addresses of the rows to the head of a table, for the C code."""
    head = table.head[0]
    head["voices"] = address(table.voices)
    head["groups"] = address(table.groups)
    head["effects"] = address(table.effects)
    head["quarter_sine"] = address(quarter_sine())
    head["voice_count"] = len(table.sources)
    head["effect_count"] = len(table.effects)
    for index, line in enumerate(table.lines):
        if line is not None:
            table.effects[index]["line"] = address(line)
            table.effects[index]["line_size"] = line.shape[1]


@cache
def native_library() -> NativeLibrary | None:
    """Return the native library. Return None if the library is not installed, or if its version is
    wrong.

    To use another library, set the environment variable ``SUBTICK_SOUND`` to its path. If the
    variable is set to "python", no native library is used.
    """
    choice = os.environ.get("SUBTICK_SOUND", "")
    if choice == "python":
        return None
    try:
        path = choice or str(importlib.import_module("subtick_sound").library_path())
        return NativeLibrary(path)
    except (ImportError, OSError, AttributeError):
        return None
