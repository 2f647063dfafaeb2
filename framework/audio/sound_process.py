"""Sound process: plays the mix of a game in a second process of Python.

The game computes in one process, and the thread of the sound device runs in the other. So sounds
continue while the game holds Python's global interpreter lock. A game starts the process with its
first sound, if the native library is not installed.

The processes are connected by two pipes. The game sends each piece of its mix together with its
table of voices. It sends the samples of each sound only once. The process ends when the pipe is
closed, and the system closes the pipe even if the game is killed.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from weakref import ref

import numpy as np

from ..arrays import Floats
from .kernel import NumpyKernel
from .mix_table import MixTable, Record, TableSource
from .native import address
from .player import MAX_CONTINUED, Player
from .sources import DecodedSource, SharedSamples, StreamedSource

_RATE = 48_000
_SIZE = struct.Struct("<Q")
_MAX_WAITING = 256  # messages that wait for the process; if there are more, the newest is lost
_END_SECONDS = 1.0  # the time that the process has to end by itself

Lines = list[tuple[int, Floats] | None]
"""The new samples of each delay memory: the first sample of the mix, and float32 (2, n)."""


class Report(NamedTuple):
    """What the process reports to the game."""

    read: int
    continued: int
    missed: int
    time: float
    """The time of the report on the clock `time.monotonic`, which all processes share."""
    device: str | None
    """The name of the audio system, or None if there is no sound device."""


class SharedSource(NamedTuple):
    """A `DecodedSource`: the numbers of its arrays in `Update.arrays`, and its loop."""

    arrays: tuple[int, ...]
    loop: tuple[int, int] | None


class Update(NamedTuple):
    """A piece of the mix with its table, as the game sends it to the process."""

    mix: Floats
    start: int
    hole: int
    resume: int
    rows: tuple[Record, Record, Record, Record] | None
    """The voices, groups, effects and the head of the table, or None for no table."""
    sources: list[int]
    """The number of each voice's source."""
    new: dict[int, SharedSource | int]
    """The sources that the process does not have yet: a sound, or the channels of a stream."""
    arrays: dict[int, Floats]
    """The samples of sounds that the process does not have yet."""
    decoded: dict[int, tuple[int, Floats]]
    """The new samples of streams: the number of the first sample, and float32 (channels, n)."""
    lines: Lines
    lost: list[int]
    """The numbers of sources that no voice uses any longer."""
    lost_arrays: list[int]
    """The numbers of arrays in `arrays` that the game has deleted."""


def _send(pipe: BinaryIO, message: object) -> None:
    data = pickle.dumps(message, 5)
    pipe.write(_SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: BinaryIO) -> Any:
    """Return the next message. Raises `EOFError` if the other process has ended."""
    head = pipe.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError
    (size,) = _SIZE.unpack(head)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


# -- the game's process ----------------------------------------------------------------------------


class ProcessPlayer:
    """A player in a second process of Python. Its methods never wait for the process."""

    def __init__(self, size: int, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.size = size
        self.written = 0
        self._process = process
        self._report: Report | None = None
        self._messages: queue.Queue[object] = queue.Queue(_MAX_WAITING)
        self._start()
        for target, pipe in ((self._write, process.stdin), (self._read, process.stdout)):
            threading.Thread(target=target, args=(pipe,), daemon=True).start()

    def _start(self) -> None:
        self._numbers: dict[TableSource, int] = {}  # of the sources in the last table
        self._sent: dict[int, int] = {}  # by number: the samples of a stream that were sent
        self._last_number = 0
        # By address and shape: the number of an array, and the array that owns the memory.
        self._arrays: dict[tuple[int, tuple[int, ...]], tuple[int, ref[Any]]] = {}
        self._lines: list[tuple[Floats, int]] = []  # the delay memories, and how far they were sent

    @classmethod
    def started(cls, size: int) -> ProcessPlayer | None:
        """Start a process and return its player. Return None if no process can be started, for
        example in a game that was packed into one program.
        """
        if getattr(sys, "frozen", False) or not sys.executable:
            return None
        package = Path(__file__).resolve().parents[2]
        code = f"import sys; sys.path.insert(0, {str(package)!r}); import framework.audio.sound_process as p; p.main()"
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            return None
        return cls(size, process)

    def _write(self, pipe: BinaryIO) -> None:
        try:
            while (message := self._messages.get()) is not None:
                _send(pipe, message)
            pipe.close()
        except (OSError, ValueError):  # the process has ended
            pass

    def _read(self, pipe: BinaryIO) -> None:
        try:
            with pipe:
                while True:
                    self._report = Report(*_receive(pipe))
        except (OSError, ValueError, EOFError):
            pass

    def _post(self, message: object) -> None:
        with contextlib.suppress(queue.Full):
            self._messages.put_nowait(message)

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    @property
    def device(self) -> str | None:
        """The name of the audio system, "" while the process starts, and None if there is no sound
        device.
        """
        return "" if self._report is None else self._report.device

    @property
    def read(self) -> int:
        """The number of frames that the device has read. It is estimated from the last report."""
        report = self._report
        if report is None or report.device is None or not self.alive:
            return 0 if report is None else report.read
        passed = time.monotonic() - report.time
        return report.read + int(_RATE * min(max(0.0, passed), MAX_CONTINUED / _RATE + 1))

    @property
    def continued(self) -> int:
        """The number of frames that the player has mixed, because the ring buffer was empty."""
        return 0 if self._report is None else self._report.continued

    @property
    def missed(self) -> int:
        """The number of silent frames, because there was nothing to mix."""
        return 0 if self._report is None else self._report.missed

    def publish(
        self, mix: Floats, start: int, hole: int, resume: int, table: MixTable | None
    ) -> None:
        """Send ``mix``, float32 (n, 2), to the process, for its ring buffer from the frame
        ``start`` on.

        The buffer then has no samples between the frames ``hole`` and ``resume``. ``table``
        continues the ring buffer. If it is None, silence follows.
        """
        self.written = start + len(mix)
        if table is None:
            self._post(Update(mix, start, hole, resume, None, [], {}, {}, {}, [], [], []))
            return
        new: dict[int, SharedSource | int] = {}
        decoded: dict[int, tuple[int, Floats]] = {}
        arrays: dict[int, Floats] = {}
        numbers = {}
        for source in table.sources:
            number = self._numbers.get(source) or self._next()
            numbers[source] = number
            if source not in self._numbers:
                new[number] = (
                    self._shared(source, arrays)
                    if isinstance(source, DecodedSource)
                    else source.channels
                )
            if isinstance(source, StreamedSource):
                first, samples = source.newest(self._sent.get(number, -1))
                decoded[number] = first, samples
                self._sent[number] = first + samples.shape[1]
        lost = [self._numbers[source] for source in self._numbers if source not in numbers]
        for number in lost:
            self._sent.pop(number, None)
        self._numbers = numbers
        rows = (
            table.voices[: len(table.sources)].copy(),
            table.groups.copy(),
            table.effects.copy(),
            table.head.copy(),
        )
        order = [numbers[source] for source in table.sources]
        lines, lost_arrays = self._new_lines(table), self._lost_arrays()
        mix = mix.copy()
        self._post(
            Update(
                mix,
                start,
                hole,
                resume,
                rows,
                order,
                new,
                arrays,
                decoded,
                lines,
                lost,
                lost_arrays,
            )
        )

    def _next(self) -> int:
        self._last_number += 1
        return self._last_number

    def _shared(self, source: DecodedSource, arrays: dict[int, Floats]) -> SharedSource:
        """Return a source for the process, and add its new arrays to ``arrays``."""
        *parts, loop = source.shared()
        numbers = []
        for array in parts:
            owner = array if array.base is None else array.base
            key = address(array), array.shape
            known = self._arrays.get(key)
            if known is None or known[1]() is not owner:
                known = self._arrays[key] = self._next(), ref(owner)
                arrays[known[0]] = array
            numbers.append(known[0])
        return SharedSource(tuple(numbers), loop)

    def _lost_arrays(self) -> list[int]:
        lost = [key for key, (_, owner) in self._arrays.items() if owner() is None]
        return [self._arrays.pop(key)[0] for key in lost]

    def _new_lines(self, table: MixTable) -> Lines:
        sample = int(table.head["sample"][0])
        result: Lines = []
        lines: list[tuple[Floats, int]] = []
        for index, line in enumerate(table.lines):
            if line is None:
                result.append(None)
                lines.append((np.empty((2, 0), np.float32), 0))
                continue
            size = line.shape[1]
            known, sent = self._lines[index] if index < len(self._lines) else (None, 0)
            first = sent if known is line else sample - size
            first = max(first, sample - size)
            result.append((first, line[:, np.arange(first, sample) % size]))
            lines.append((line, sample))
        self._lines = lines
        return result

    def open_device(self, null: bool) -> ProcessDevice:
        """Let the process open the default device. Return at once."""
        self._post(("open", self.size, null))
        return ProcessDevice(self)

    def close_device(self) -> None:
        """Let the process close its device."""
        self._report = None
        self._post(("close",))

    def close(self) -> None:
        """End the process."""
        try:
            self._messages.put(None, timeout=_END_SECONDS)
            self._process.wait(_END_SECONDS)
        except (queue.Full, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()


class ProcessDevice:
    """The sound device of a second process."""

    def __init__(self, player: ProcessPlayer) -> None:
        self._player = player

    @property
    def name(self) -> str:
        """The name of the audio system, or "" while the process starts."""
        return self._player.device or ""

    @property
    def starting(self) -> bool:
        """Whether the process has not answered yet."""
        return self._player.device == ""

    @property
    def failed(self) -> bool:
        """Whether the process has ended, or has found no sound device."""
        return not self._player.alive or self._player.device is None

    def close(self) -> None:
        self._player.close_device()


# -- the second process ----------------------------------------------------------------------------


class ReceivedStream(StreamedSource):
    """A stream whose samples the game decodes."""

    def receive(self, first: int, samples: Floats) -> None:
        """Add the samples from the sample ``first`` on, float32 (channels, n)."""
        if first != self._valid:
            self._restart_at(first)
        self._store(samples)
        self._oldest = max(self._oldest, self._valid - self._ring.shape[1])

    def seek(self, first: int) -> None:
        """Do nothing. The game seeks."""


class Receiver:
    """Receives the mix and the tables of a game, and gives them to a player."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._sources: dict[int, TableSource] = {}
        self._arrays: dict[int, Floats] = {}
        self._lines: list[Floats | None] = []

    def receive(self, update: Update) -> None:
        """Give an update to the player."""
        self._arrays.update(update.arrays)
        for number, shared in update.new.items():
            if isinstance(shared, int):
                self._sources[number] = ReceivedStream(shared)
            else:
                rows, mono, again, again_mono = [self._arrays[array] for array in shared.arrays]
                samples = SharedSamples(rows, mono, again, again_mono, shared.loop)
                self._sources[number] = DecodedSource.from_shared(samples)
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
                continue
            first, samples = piece
            size = int(table.effects["line_size"][index]) or samples.shape[1]
            line = self._lines[index]
            if line is None or line.shape[1] != size:
                line = self._lines[index] = np.zeros((2, size), np.float32)
            line[:, np.arange(first, first + samples.shape[1]) % size] = samples
        table.lines = list(self._lines)
        return table


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Play what the game sends, until the game closes the pipe."""
    from .device import Output, PythonDevice

    receiver: Receiver | None = None
    output: Output | None = None
    try:
        while True:
            message = _receive(requests)
            if isinstance(message, Update):
                if receiver is None or output is None:
                    continue
                receiver.receive(message)
                output.check()
            elif message[0] == "open":
                _, size, null = message
                player = Player(size, NumpyKernel().mix)
                receiver = receiver or Receiver(player)
                output = Output(receiver.player, open=partial(PythonDevice, null=null))
            elif output is not None:
                output.close()
                output = None
                continue
            if receiver is not None and output is not None:
                player = receiver.player
                report = Report(
                    player.read, player.continued, player.missed, time.monotonic(), output.name
                )
                _send(replies, tuple(report))
    except (EOFError, OSError):
        if output is not None:
            output.close()


def main() -> None:
    """Run the second process. It ends when the game has closed the pipe, or was killed."""
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # messages of libraries must not reach the pipe
    warnings.simplefilter("ignore")
    sys.setswitchinterval(0.0005)
    parent = os.getppid()

    def watch() -> None:
        # Another process that the game has started may keep the pipe open.
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(0)

    if os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()
    serve(requests, replies)
    os._exit(0)
