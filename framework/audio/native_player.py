"""Play the mix of a game with the C code of the native library, without Python.

The module `player` describes the tasks of a player.
"""

from __future__ import annotations

import ctypes

import numpy as np

from ..arrays import Floats
from .mix_table import EFFECT, GROUP, HEAD, MAX_EFFECTS, MAX_GROUPS, MAX_VOICES, VOICE, MixTable
from .native import CHUNK, NativeLibrary, address, point
from .player import write_frames

_SLOTS = 4
_NO_TABLE = int(np.iinfo(np.int64).min)


class NativePlayer:
    """A player written in C. The thread of the sound device calls this player without Python."""

    def __init__(self, size: int, library: NativeLibrary) -> None:
        self.size = size
        self.written = 0
        functions = self._functions = library.functions
        _declare_types(functions)
        # The compiler expects an address that is a multiple of 16.
        memory = np.zeros(functions.subtick_player_size() + 16, np.uint8)
        self.address = (address(memory) + 15) & ~15
        self._ring = np.zeros((size, 2), np.float32)
        self._heads = [np.zeros(1, HEAD) for _ in range(_SLOTS)]
        voices = np.zeros(MAX_VOICES, VOICE)
        groups = np.zeros(MAX_GROUPS, GROUP)
        effects = np.zeros(MAX_EFFECTS, EFFECT)
        scratch = np.zeros(MAX_GROUPS * 2 * CHUNK, np.float32)
        slots = (ctypes.c_void_p * _SLOTS)(*map(address, self._heads))
        self._memory = memory, voices, groups, effects, scratch, slots
        functions.subtick_player_init(
            self.address,
            address(self._ring),
            size,
            slots,
            *map(address, (voices, groups, effects, scratch)),
        )
        # The tables in the slots. The references keep all memory alive that the rows point to.
        self._tables: list[MixTable | None] = [None] * _SLOTS
        self._current = self._previous = _NO_TABLE
        self._serial = 0
        self._state: np.ndarray[tuple[int], np.dtype[np.int64]] = np.zeros(4, np.int64)
        # The player's copies of the delay memories. Each key consists of an address and a shape.
        self._lines: dict[tuple[int, tuple[int, ...]], Floats] = {}

    def _look(self) -> list[int]:
        self._functions.subtick_player_state(self.address, address(self._state))
        state: list[int] = self._state.tolist()
        return state

    @property
    def read(self) -> int:
        """The number of frames that the sound device has read."""
        return self._look()[0]

    @property
    def continued(self) -> int:
        """The number of frames that the player itself has mixed because the ring buffer was
        empty.
        """
        return self._look()[1]

    @property
    def missed(self) -> int:
        """The number of silent frames that were played because the player had nothing to mix."""
        return self._look()[2]

    def publish(
        self, mix: Floats, start: int, hole: int, resume: int, table: MixTable | None
    ) -> None:
        """Write ``mix`` to the ring buffer, and publish a mix table. See `Player.publish`."""
        write_frames(self._ring, mix, start)
        self.written = start + len(mix)
        number = _NO_TABLE if table is None else self._put_in_slot(table)
        self._functions.subtick_publish(
            self.address, self.written, hole, resume, number, self._current
        )
        self._previous = self._current
        self._current = number
        for slot in self._free_slots():
            self._tables[slot] = None

    def _put_in_slot(self, table: MixTable) -> int:
        """Copy a mix table into a free slot. Return a new number that identifies the table. The number
        modulo `_SLOTS` is the slot.
        """
        slot = self._free_slots()[0]
        # The lines are not copied here, because the player copies them when it needs them.
        copy = table.copy(lines=False)
        del copy.sources[MAX_VOICES:]  # the player has space only for these rows
        for index, line in enumerate(table.lines):
            if line is not None:
                copy.effects[index]["line_copy"] = address(self._line_copy(line))
        point(copy)
        self._heads[slot][:] = copy.head
        self._tables[slot] = copy
        self._serial += 1
        return self._serial * _SLOTS + slot

    def _free_slots(self) -> list[int]:
        """Return the slots whose tables the player no longer reads."""
        hazard = self._look()[3]  # the table that the device's thread is reading
        in_use = {id % _SLOTS for id in (self._current, self._previous, hazard) if id >= 0}
        return [slot for slot in range(_SLOTS) if slot not in in_use]

    def _line_copy(self, line: Floats) -> Floats:
        key = address(line), line.shape
        if key not in self._lines:
            self._lines[key] = np.zeros_like(line)
        return self._lines[key]

    @property
    def callback(self) -> int:
        """The memory address of the function that a sound device calls."""
        address: int = ctypes.cast(self._functions.subtick_callback, ctypes.c_void_p).value or 0
        return address

    def set_user_data(self, offset: int) -> None:
        """Set the offset in miniaudio's device struct at which the address of the player is stored."""
        self._functions.subtick_set_user_data.argtypes = [ctypes.c_int64]
        self._functions.subtick_set_user_data(offset)

    def take(self, count: int) -> Floats:
        """Return the next ``count`` frames that a sound device would receive. The array is float32
        and has the shape (count, 2).
        """
        out = np.empty((count, 2), np.float32)
        self._functions.subtick_play(self.address, address(out), count)
        return out


def _declare_types(functions: ctypes.CDLL) -> None:
    """Declare the types of the native library's functions for ctypes."""
    pointer = ctypes.c_void_p
    integer = ctypes.c_int64
    functions.subtick_player_size.restype = integer
    functions.subtick_publish.argtypes = [pointer, *[integer] * 5]
    functions.subtick_player_init.argtypes = [pointer, pointer, integer, *[pointer] * 5]
    functions.subtick_play.argtypes = [pointer, pointer, ctypes.c_int32]
    functions.subtick_player_state.argtypes = [pointer, pointer]
