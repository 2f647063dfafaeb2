"""The main program of the second process, which plays the sounds of a game.

See `sound_process`. Because the process must start quickly, this module imports only a few modules
of the framework, directly and indirectly (`tests/test_player.py` lists them).
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
import types
import warnings
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from ..arrays import Floats
from .kernel import NumpyKernel
from .mix_table import MixTable, TableSource, quarter_sine
from .output import Opened, Output, PythonDevice
from .player import DevicePlayer, Player
from .sound_messages import Report, SharedSource, Update, receive, send
from .sources import DecodedSource, SharedSamples, StreamedSource


class ReceivedStream(StreamedSource):
    """The copy of a stream in the second process. The game decodes the samples of the stream, and
    sends them to the second process.
    """

    def receive(self, first: int, samples: Floats) -> None:
        """Add samples, starting at the sample ``first``. The array is float32 and has the shape
        (channels, n).
        """
        if first != self._valid:
            self._restart_at(first)
        self._store(samples)
        self._oldest = max(self._oldest, self._valid - self._ring.shape[1])

    def seek(self, first: int) -> None:
        """Do nothing, because the game itself seeks in the file."""


class Receiver:
    """Receives mixes and tables from the game, and passes them to a player."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._sources: dict[int, TableSource] = {}
        self._arrays: dict[int, Floats] = {}
        self._lines: list[Floats | None] = []

    def receive(self, update: Update) -> None:
        """Pass an update from the game to the player. Raises `KeyError` if the update refers to a
        source that the game has not sent.
        """
        if update.reset:
            self._sources.clear()
            self._arrays.clear()
            self._lines.clear()
        self._arrays.update(update.arrays)
        for number, shared in update.new.items():
            self._sources[number] = (
                ReceivedStream(shared) if isinstance(shared, int) else self._decoded(shared)
            )
        for number, (first, samples) in update.decoded.items():
            stream = self._sources[number]
            assert isinstance(stream, ReceivedStream)
            stream.receive(first, samples)
        for number in update.lost:
            self._sources.pop(number, None)
        for number in update.lost_arrays:
            self._arrays.pop(number, None)
        self.player.publish(
            update.mix, update.start, update.hole, update.resume, self._table(update)
        )

    def _decoded(self, shared: SharedSource) -> DecodedSource:
        rows, mono, again, again_mono = [self._arrays[array] for array in shared.arrays]
        return DecodedSource.from_shared(SharedSamples(rows, mono, again, again_mono, shared.loop))

    def _table(self, update: Update) -> MixTable | None:
        if update.rows is None:
            return None
        table = MixTable()
        table.voices, table.groups, table.effects, table.head = update.rows
        table.sources = [self._sources[number] for number in update.sources]
        del self._lines[len(update.lines) :]
        for index, piece in enumerate(update.lines):
            if index >= len(self._lines):
                self._lines.append(None)
            if piece is None:
                self._lines[index] = None
            else:
                self._receive_line(index, *piece, int(table.effects["line_size"][index]))
        table.lines = list(self._lines)
        return table

    def _receive_line(self, index: int, first: int, samples: Floats, size: int) -> None:
        """Write new samples to the copy of an effect's delay memory. ``first`` is the number of the
        first sample. ``size`` is the size of the memory, or 0 for the size of ``samples``.
        """
        size = size or samples.shape[1]
        line = self._lines[index]
        if line is None or line.shape != (len(samples), size):
            line = self._lines[index] = np.zeros((len(samples), size), np.float32)
        line[:, np.arange(first, first + samples.shape[1]) % size] = samples


def _miniaudio() -> Any:
    """Import miniaudio without the module `urllib.request`, which miniaudio uses only for internet
    radio. `urllib.request` takes as long to import as the rest of this process, except NumPy.
    """
    name = "urllib.request"
    is_new = name not in sys.modules
    if is_new:
        sys.modules[name] = types.ModuleType(name)
    try:
        return importlib.import_module("miniaudio")
    except AttributeError:  # a version of miniaudio that uses the module immediately
        del sys.modules[name]
        return importlib.import_module("miniaudio")
    finally:
        if is_new:
            sys.modules.pop(name, None)


def _open(player: DevicePlayer, *, null: bool) -> Opened:
    assert isinstance(player, Player)
    return PythonDevice(player, _miniaudio(), null=null)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Play all updates from the game until the game closes the pipe."""
    receiver: Receiver | None = None
    output: Output | None = None
    try:
        while True:
            message = receive(requests)
            is_lost = False
            if isinstance(message, Update):
                if receiver is None or output is None:
                    continue
                try:
                    receiver.receive(message)
                except KeyError:  # an earlier message has been lost
                    is_lost = True
                output.check()
            elif message[0] == "open":
                _, size, null = message
                player = Player(size, NumpyKernel().mix)
                receiver = receiver or Receiver(player)
                output = Output(receiver.player, open=partial(_open, null=null))
                quarter_sine()  # computed now, because a crossfade of music must not wait for it
            elif output is not None:
                output.close()
                output = None
                continue
            if receiver is not None and output is not None:
                send(replies, tuple(_report(receiver.player, output, is_lost)))
    except (EOFError, OSError):
        if output is not None:
            output.close()


def _report(player: Player, output: Output, is_lost: bool) -> Report:
    # The time is read after the position, so the game never expects that more was played.
    position = player.read, player.continued, player.missed
    return Report(*position, time.monotonic(), output.name, is_lost)


def main() -> None:
    """Run the program of the second process. The program ends when the game has closed the pipe or
    was killed.
    """
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # text that libraries print must not end up in the pipe
    warnings.simplefilter("ignore")
    sys.setswitchinterval(0.0005)
    parent = os.getppid()

    def watch() -> None:
        # The pipe alone is not enough, because another process of the game may keep it open.
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(0)

    if os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()
    serve(requests, replies)
    os._exit(0)
