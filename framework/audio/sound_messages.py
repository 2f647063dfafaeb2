"""The messages between a game and the second process that plays its sounds.

The second process imports this module, so it imports only two other modules of the framework: the
mix table and the array types.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO, NamedTuple

from ..arrays import Floats
from .mix_table import Record

_SIZE = struct.Struct("<Q")

Lines = list[tuple[int, Floats] | None]
"""The new samples of each delay memory: the number of the first sample, and a float32 array of
shape (2, n).
"""


class Report(NamedTuple):
    """A message from the second process to the game: the state of its player and of its sound
    device.
    """

    read: int
    continued: int
    missed: int
    time: float
    """The time of the report on the clock `time.monotonic`, which all processes share."""
    device: str | None
    """The name of the audio system, or None if there is no sound device."""
    lost: bool = False
    """Whether the process is missing the samples of a source. If so, the game must send all samples
    again.
    """


class SharedSource(NamedTuple):
    """A `DecodedSource` in a message: the indices of the source's arrays in `Update.arrays`, and
    the loop of the source.
    """

    arrays: tuple[int, ...]
    loop: tuple[int, int] | None


class Update(NamedTuple):
    """A message from the game to the second process: a piece of the mix, and the mix table."""

    mix: Floats
    start: int
    hole: int
    resume: int
    rows: tuple[Record, Record, Record, Record] | None
    """The rows of the table: the voices, the groups, the effects and the head. None means that
    there is no table.
    """
    sources: list[int]
    """The index of each voice's source."""
    new: dict[int, SharedSource | int]
    """The sources that the process does not have yet. A source is a sound, or the channels of a
    stream.
    """
    arrays: dict[int, Floats]
    """The samples of sounds that the process does not have yet."""
    decoded: dict[int, tuple[int, Floats]]
    """The new samples of streams: the number of the first sample, and a float32 array of shape
    (channels, n).
    """
    lines: Lines
    lost: list[int]
    """The numbers of the sources that no voice uses any longer."""
    lost_arrays: list[int]
    """The numbers of arrays in `arrays` that the game has deleted."""
    reset: bool = False
    """Whether the process must first delete everything that the game has sent. This update then
    contains all sources.
    """


def send(pipe: BinaryIO, message: object) -> None:
    data = pickle.dumps(message, 5)
    pipe.write(_SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: BinaryIO) -> Any:
    """Wait for the next message, and return it. Raises `EOFError` if the other process has ended."""
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError
    (size,) = _SIZE.unpack(head)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)
