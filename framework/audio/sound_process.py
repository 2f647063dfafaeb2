"""Start a second Python process that plays the sounds of a game.

The thread of the sound device runs in the second process. Therefore, sounds continue even while the
game's own process holds Python's global interpreter lock. If the native library is not installed,
the second process is started when a game plays its first music or loop.

Two pipes connect the processes. The game sends each piece of its mix, together with its mix table.
The samples of each sound are sent only once. The second process ends when the pipe is closed, which
the operating system does even if the game is killed.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from weakref import ref

import numpy as np

from ..arrays import Floats
from .mix_table import MixTable, TableSource
from .native import address
from .player import MAX_CONTINUED
from .sound_messages import Lines, Report, SharedSource, Update, receive, send
from .sources import DecodedSource, StreamedSource

_RATE = 48_000
# The maximum number of messages that wait for the process; newer messages are dropped.
_MAX_WAITING = 256
# The program of the second process. Its arguments are the game's `sys.path`, so it need not import
# the module `site`.
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; import framework.audio.sound_server as s; s.main()"
)
# NumPy starts one thread for each core, but the process multiplies no matrices.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_END_SECONDS = 1.0  # the process must end by itself within this number of seconds


def _paths() -> list[str]:
    """Return the folders from which the second process imports modules."""
    package = str(Path(__file__).resolve().parents[2])
    return [package, *[path for path in map(os.path.abspath, sys.path) if path != package]]


def can_start() -> bool:
    """Return whether the game can start a second process of Python. A game that was packed into a
    single executable file cannot start one.
    """
    return not getattr(sys, "frozen", False) and bool(sys.executable)


# -- the game's process ----------------------------------------------------------------------------


class _SourceUpdate(NamedTuple):
    """The part of an `Update` that describes the sources."""

    new: dict[int, SharedSource | int]
    arrays: dict[int, Floats]
    decoded: dict[int, tuple[int, Floats]]
    lost: list[int]


class ProcessPlayer:
    """A player that runs in a second process of Python. A `ProcessPlayer` itself is in the game's
    process. Its methods never wait for the second process.
    """

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
        self._lost = False  # True if the process did not receive a message
        self._numbers: dict[TableSource, int] = {}  # the number of each source in the last table
        # For each source: the number of samples of the stream that have been sent.
        self._sent: dict[int, int] = {}
        self._last_number = 0
        # The number of each array, and a reference to the array that owns its memory. Each key
        # consists of an address and a shape.
        self._arrays: dict[tuple[int, tuple[int, ...]], tuple[int, ref[Any]]] = {}
        # The delay memories, each with the number of the sample up to which it has been sent.
        self._lines: list[tuple[Floats, int]] = []

    @classmethod
    def started(cls, size: int) -> ProcessPlayer | None:
        """Start a process and return its player. Return None if no process can be started, for
        example in a game that was packed into a single executable file.
        """
        if not can_start():
            return None
        try:
            process = subprocess.Popen(
                [sys.executable, "-S", "-c", _PROGRAM, *_paths()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | _ENVIRONMENT,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # of Windows
            )
        except OSError:
            return None
        return cls(size, process)

    def _write(self, pipe: BinaryIO) -> None:
        try:
            while (message := self._messages.get()) is not None:
                send(pipe, message)
        except (OSError, ValueError):  # the second process has ended
            pass
        with contextlib.suppress(OSError, ValueError):
            pipe.close()

    def _read(self, pipe: BinaryIO) -> None:
        try:
            with pipe:
                while True:
                    report = self._report = Report(*receive(pipe))
                    self._lost = self._lost or report.lost
        except (OSError, ValueError, EOFError):
            pass

    def _post(self, message: object) -> None:
        messages = self._messages
        try:
            messages.put_nowait(message)
            return
        except queue.Full:
            self._lost = True
        if not isinstance(message, Update):
            # Removes the waiting messages to make space for this message.
            with contextlib.suppress(queue.Empty):
                while True:
                    messages.get_nowait()
            messages.put_nowait(message)

    @property
    def alive(self) -> bool:
        """Whether the second process is running."""
        return self._process.poll() is None

    @property
    def device(self) -> str | None:
        """The name of the audio system, or None if there is no sound device. The name is "" while
        the process is starting.
        """
        return "" if self._report is None else self._report.device

    @property
    def read(self) -> int:
        """The number of frames that the sound device has read. The number is estimated from the
        last report of the process.
        """
        report = self._report
        if report is None or report.device is None or not self.alive:
            return 0 if report is None else report.read
        passed = time.monotonic() - report.time
        return report.read + int(_RATE * min(max(0.0, passed), MAX_CONTINUED / _RATE + 1))

    @property
    def continued(self) -> int:
        """The number of frames that the player itself has mixed because the ring buffer was
        empty.
        """
        return 0 if self._report is None else self._report.continued

    @property
    def missed(self) -> int:
        """The number of silent frames that were played because the player had nothing to mix."""
        return 0 if self._report is None else self._report.missed

    def publish(
        self, mix: Floats, start: int, hole: int, resume: int, table: MixTable | None
    ) -> None:
        """Send ``mix`` to the process, which writes it to its ring buffer, starting at the frame
        ``start``. ``mix`` is a float32 array of shape (n, 2).

        After the call, the buffer has no samples from the frame ``hole`` to the frame ``resume``.
        The player continues with ``table`` after the end of the ring buffer. If ``table`` is None,
        the player continues with silence.
        """
        self.written = start + len(mix)
        reset = self._lost
        if reset:
            self._start()
        if table is None:
            self._post(Update(mix, start, hole, resume, None, [], {}, {}, {}, [], [], [], reset))
            return
        # Another thread sends the message. So the message contains copies of all values that may
        # change.
        rows = (
            table.voices[: len(table.sources)].copy(),
            table.groups.copy(),
            table.effects.copy(),
            table.head.copy(),
        )
        sources = self._update_sources(table.sources)
        lines = self._new_lines(table)
        self._post(
            Update(
                mix.copy(),
                start,
                hole,
                resume,
                rows,
                [self._numbers[source] for source in table.sources],
                sources.new,
                sources.arrays,
                sources.decoded,
                lines,
                sources.lost,
                self._lost_arrays(),
                reset,
            )
        )

    def _update_sources(self, sources: list[TableSource]) -> _SourceUpdate:
        """Return the sources in a table that the second process has not yet received, or the
        missing parts of them.
        """
        update = _SourceUpdate({}, {}, {}, [])
        numbers = {}
        for source in sources:
            number = self._numbers.get(source) or self._next()
            numbers[source] = number
            if source not in self._numbers:
                update.new[number] = (
                    self._shared(source, update.arrays)
                    if isinstance(source, DecodedSource)
                    else source.channels
                )
            if isinstance(source, StreamedSource):
                first, samples = source.newest(self._sent.get(number, -1))
                update.decoded[number] = first, samples
                self._sent[number] = first + samples.shape[1]
        update.lost.extend(
            self._numbers[source] for source in self._numbers if source not in numbers
        )
        for number in update.lost:
            self._sent.pop(number, None)
        self._numbers = numbers
        return update

    def _next(self) -> int:
        self._last_number += 1
        return self._last_number

    def _shared(self, source: DecodedSource, arrays: dict[int, Floats]) -> SharedSource:
        """Return a description of a source for the second process, and add the source's new arrays
        to ``arrays``.
        """
        *parts, loop = source.shared()
        numbers = []
        for array in parts:
            owner = array if array.base is None else array.base
            key = address(array), array.shape
            entry = self._arrays.get(key)
            if entry is None or entry[1]() is not owner:
                entry = self._arrays[key] = self._next(), ref(owner)
                arrays[entry[0]] = array
            numbers.append(entry[0])
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
            entry, sent = self._lines[index] if index < len(self._lines) else (None, 0)
            first = sent if entry is line else sample - size
            first = max(first, sample - size)
            result.append((first, line[:, np.arange(first, sample) % size]))
            lines.append((line, sample))
        self._lines = lines
        return result

    def open_device(self, null: bool) -> ProcessDevice:
        """Ask the process to open the default sound device, without waiting for the answer."""
        self._post(("open", self.size, null))
        return ProcessDevice(self)

    def close_device(self) -> None:
        """Ask the process to close its sound device."""
        self._report = None
        self._post(("close",))

    def close(self) -> None:
        """End the second process."""
        if not self.alive:
            with contextlib.suppress(queue.Full):
                self._messages.put_nowait(None)
            return
        try:
            self._messages.put(None, timeout=_END_SECONDS)
            self._process.wait(_END_SECONDS)
        except (queue.Full, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()


class ProcessDevice:
    """The sound device in a second process. A `ProcessDevice` itself is in the game's process."""

    def __init__(self, player: ProcessPlayer) -> None:
        self._player = player

    @property
    def name(self) -> str:
        """The name of the audio system, or "" while the process is starting."""
        return self._player.device or ""

    @property
    def starting(self) -> bool:
        """Whether the process is still starting, because it has not sent a report."""
        return self._player.device == ""

    @property
    def failed(self) -> bool:
        """Whether the process has ended, or has no sound device."""
        return not self._player.alive or self._player.device is None

    def close(self) -> None:
        self._player.close_device()
