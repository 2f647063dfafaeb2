"""Record the input of each tick, and hashes of the game's state, to a file."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import platform
import struct
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import AssetError, FrameworkError
from ..input.tick_input import (
    MAX_EVENTS,
    STILL,
    Event,
    InputReader,
    InputWriter,
    TickInput,
    put_whole,
)
from ..physics.engines import engine_versions
from ..record.container import Container, ContainerWriter, digest_of_header
from ..record.hashes import SCHEME
from ..text.shaping import shaped_by
from ..timing.timestep import Tick, Timestep, control_of
from ..version import __version__
from .loop import Loop
from .save_log import INPUTS, MAX_TOTAL, Result, blocks
from .stage import Stage
from .subsystems import Subsystem

INPUT = 1
HASH = 2
END = 5
HEADER = 9
ENGINES = 10
"""The numbers that identify the block types in recordings. The numbers 3 and 4 are reserved for
states and for an index. The module `save_log` defines the numbers 7 and 8.

The first block of a recording has the type `HEADER`, and contains the hash of the file's header.

An `ENGINES` block contains the versions of the physics engines that the game has used so far, as a
JSON object. The header does not contain these versions, because a game may use physics for the
first time in a later scene.
"""
TICKS_A_BLOCK = 600
# Bytes of hashes; fewer hashes are not worth a block.
_MIN_HASH_BYTES = 8 * 50
# Bytes of input; a larger block is written earlier.
_MAX_BLOCK = 1 << 17
# The maximum number of input bytes in one tick. A paused game reaches this number only after hours
# of mouse motion.
_MAX_TICK = 1 << 19

# Options that depend on the machine and its screen. They may have other values when a recording is
# replayed.
_NOT_STATE = {
    "borderless",
    "drawing",
    "fullscreen",
    "frame_rate",
    "headless",
    "icon",
    "manage_gc",
    "max_fps",
    "min_size",
    "frame_stats",
    "pacing",
    "pause_when_hidden",
    "physical_keys",  # recorded keys are already converted
    "pixel_ratio",
    "resizable",
    "samples",
    "screen",
    "session",
    "size",
    "title",
    "vsync",
}

_U64 = struct.Struct("<Q")


def not_recorded_option(name: str) -> bool:
    """Return whether an option concerns only the window or the machine, and not the state of the
    game.
    """
    return name in _NOT_STATE


class InputRecorder(Subsystem):
    """Writes the input of each tick to a recording file, from the first tick until `release`."""

    not_state = True

    def __init__(self, stage: Stage, loop: Loop, path: str, hash_every: int) -> None:
        self.path = path
        control = control_of(loop.timestep)
        if control is None:
            kind = type(loop.timestep).__name__
            raise FrameworkError(f"record: expected one of the framework's timesteps, got {kind}")
        self._stage = stage
        self._loop = loop
        self._control = control
        self._every = hash_every
        header = _header(stage, loop.timestep, control.rate)
        self._file: ContainerWriter | None = ContainerWriter(path, header)
        self._file.write(HEADER, digest_of_header(header))
        self._inputs = InputWriter()
        # The number of ticks before the current block.
        self._first = 0
        # The last tick with input in the current block.
        self._last = 0
        # The number of events of the last tick.
        self._events = 0
        # Whether events for the next tick were handled while the game was paused.
        self._has_early = False
        self._mark = 0  # the start of the last tick's input in the data
        self._hashes = bytearray()
        # The tick of the first hash in the current block.
        self._hashed = 0
        # The tick after which a hash or a block is written.
        self._due = min(hash_every or TICKS_A_BLOCK, TICKS_A_BLOCK)
        # For each block of input or hashes in the file: the number of ticks before the block, the
        # position of the block, and the number of results before the block.
        self._blocks: list[tuple[int, int, int]] = []
        self._results = [*stage.files.early]  # results of all calls that used the player's files
        self._written = 0  # the number of these results that are in the file
        self._held: dict[str, int] = {}  # the sizes of the saves in the file, by their hashes
        self._engines: set[str] = set()  # the physics engines whose versions are in the file
        self._write_results(0)
        stage.files.notes.append(self.note_result)
        stage.notes.append(self.note)
        stage.resimulation.went_back.append(self.go_back)
        stage.resimulation.restored.append(self.restored)

    def note(self, number: int, events: list[Event], still: bool) -> None:
        """Store the input events of the tick ``number``. ``still`` is True if the game handles the
        events while it is paused, before the tick.
        """
        writer = self._inputs
        data = self._inputs.data
        if self._has_early:
            if not still:
                writer.add([STILL], more=True)
        else:
            self._mark = len(data)
            self._events = 0
            gap = number - self._last
            if gap < 0x80:  # nearly always true
                data.append(gap)
            else:
                put_whole(data, gap)
            self._last = number
        writer.scale = self._stage.scale
        length = 0 if self._control.fixed or still else self._control.length_of(number)
        writer.add(events, length, still)
        self._events += len(events)
        self._has_early = still
        if len(data) > _MAX_TICK or self._events > MAX_EVENTS:
            self._fail("one tick has more input than a recording can contain")

    def note_result(self, result: Result) -> None:
        """Add the result of a load or save to the recording, because a replay needs it."""
        room = MAX_TOTAL - sum(self._held.values())
        self._results.append(
            result if result.held and result.size <= room else result._replace(data=None)
        )

    def begin_tick(self, tick: Tick) -> None:
        """Store the duration of the tick if not all ticks of the timestep have the same duration.
        After a pause, also store that the events handled during the pause belong to this tick.
        """
        to_note = self._has_early or (not self._control.fixed and self._last < tick.number)
        if (
            to_note and not self._stage.resimulation.at_earlier_tick
        ):  # at an earlier tick, nothing is written because the tick is running again
            self.note(tick.number, [], False)

    def end_tick(self, tick: Tick) -> None:
        """Write a state hash or a block of input to the file, if the recording needs it after this
        tick.
        """
        if tick.number >= self._due and not self._stage.resimulation.at_earlier_tick:
            self._write_due(tick.number)

    def _write_due(self, number: int) -> None:
        every = self._every
        if every and not number % every:
            if not self._hashes:
                self._hashed = number
            self._hashes += _U64.pack(self._hash_of_state())
        if number - self._first >= TICKS_A_BLOCK or len(self._inputs.data) > _MAX_BLOCK:
            self._write(number)
            if len(self._hashes) >= _MIN_HASH_BYTES:
                self._write_hashes()
        self._due = self._first + TICKS_A_BLOCK
        if every:
            self._due = min(self._due, number - number % every + every)

    def _hash_of_state(self) -> int:
        """Return the hash of the state after the last recorded tick."""
        return self._stage.game.state_hash()

    @property
    def _last_tick(self) -> int:
        """The number of the last tick in the recording."""
        return self._loop.tick

    def confirm(self, tick: int) -> None:
        """Called when the input of all ticks up to ``tick`` is final. In a game without a session,
        this method does nothing, because the input of each tick is final immediately.
        """

    def _write(self, number: int) -> None:
        """Write the input of all ticks up to ``number`` to the file. Also write the results of all
        loads and saves up to this tick.
        """
        if self._file is None:
            return
        try:
            self._blocks.append((self._first, self._file.length, self._written))
            self._write_results(number)
            self._file.write(INPUT, _head(self._first, number) + self._inputs.data)
        except AssetError as error:
            self._fail(str(error))
        self._inputs = InputWriter()
        self._first = self._last = number

    def _write_results(self, number: int) -> None:
        """Write the results of all loads and saves up to the tick ``number``. Also write the
        contents of loaded save files, and the versions of physics engines. Raises `AssetError` if
        the recording file cannot be written.
        """
        due = [result for result in self._results[self._written :] if result.tick <= number]
        self._written += len(due)
        if self._file is not None:
            for kind, payload in blocks(due, self._held):
                self._file.write(kind, payload)
            if self._stage.engines != self._engines:
                self._engines = set(self._stage.engines)
                versions = json.dumps(engine_versions(self._engines), separators=(",", ":"))
                self._file.write(ENGINES, versions.encode())

    def _write_hashes(self) -> None:
        if self._file is None or not self._hashes:
            return
        try:
            self._blocks.append((self._first, self._file.length, self._written))
            self._file.write(HASH, self._hash_block())
        except AssetError as error:
            self._fail(str(error))
        self._hashes.clear()

    # -- rewind ------------------------------------------------------------------------------------

    def go_back(self, tick: int) -> None:
        """Called when the game continues from an earlier tick after a rewind. Remove all ticks
        after ``tick`` from memory and from the recording file.
        """
        if self._file is None:
            return
        pending = bytes(self._inputs.data[: self._mark] if self._has_early else self._inputs.data)
        undone = [(INPUT, _head(self._first, self._first) + pending), (HASH, self._hash_block())]
        try:
            undone = [*self._cut(tick), *undone]
        except AssetError as error:
            self._fail(str(error))
            return
        self._inputs = InputWriter()
        self._last = self._first
        self._has_early = False
        self._events = 0
        self._hashes.clear()
        self._results = [result for result in self._results if result.tick <= tick]
        for kind, payload in undone:
            self._repeat(kind, payload, tick)
        self._due = min(
            self._first + TICKS_A_BLOCK,
            tick - tick % (self._every or 1) + (self._every or TICKS_A_BLOCK),
        )

    def restored(self) -> None:
        """Called when the game restores a snapshot. End the recording, because a recording contains
        only input, not states.
        """
        self._write(self._loop.tick)
        self._fail(
            "the game was restored by hand, which a recording cannot contain; to go back, use "
            "game.recording.rewind"
        )

    def _repeat(self, kind: int, payload: bytes, tick: int) -> None:
        """Add the content of a removed block to the current block, except the ticks after
        ``tick``.
        """
        for number, content in _read(kind, payload):
            if number > tick:
                break
            if isinstance(content, bytes):
                self._hashed = self._hashed if self._hashes else number
                self._hashes += content
            else:
                put_whole(self._inputs.data, number - self._last)
                self._last = number
                self._inputs.scale = self._stage.scale
                self._inputs.add(content.events, content.length)

    def _cut(self, tick: int) -> list[tuple[int, bytes]]:
        """Remove all blocks with ticks after ``tick`` from the recording file, and return the
        removed blocks.
        """
        index = len(self._blocks)
        if self._file is None or tick >= self._first:
            return []
        while index and self._blocks[index - 1][0] > tick:
            index -= 1
        index -= 1  # the block that contains the tick or ends with it
        self._first, position, self._written = self._blocks[index]
        kept_hashes = {result.sha256 for result in self._results[: self._written]}
        self._held = {digest: size for digest, size in self._held.items() if digest in kept_hashes}
        removed = [
            block for block in Container(self.path).blocks() if block[0] in (INPUT, HASH, END)
        ][index:]
        # The block with the versions may be deleted, so the next input block repeats them.
        self._engines = set()
        del self._blocks[index:]
        self._file.cut(position)
        return removed

    def _hash_block(self) -> bytes:
        head = bytearray()
        put_whole(head, self._hashed)
        put_whole(head, self._every)
        return bytes(head + self._hashes)

    def _disconnect(self) -> None:
        stage = self._stage
        stage.notes = [note for note in stage.notes if note != self.note]
        stage.files.notes = [note for note in stage.files.notes if note != self.note_result]
        stage.resimulation.restored = [
            callback for callback in stage.resimulation.restored if callback != self.restored
        ]
        stage.resimulation.went_back = [
            callback for callback in stage.resimulation.went_back if callback != self.go_back
        ]

    def _fail(self, why: str) -> None:
        """End the recording, and show a warning with the reason ``why``. This method raises no
        exception, so the game continues even if the disk is full.
        """
        self._disconnect()
        file = self._file
        self._file = None
        if file is not None:
            warnings.warn(f"The recording ends here: {why}", RuntimeWarning, stacklevel=2)
            file.close()

    def release(self) -> None:
        """Write the remaining data to the recording file, and close the file. If the recording has
        already ended, this method does nothing.
        """
        if self._file is None:
            return
        self._disconnect()
        number = self._last_tick
        if self._has_early:  # events after the last tick belong to no tick, so they are deleted
            del self._inputs.data[self._mark :]
        if number > self._first:
            self._write(number)
        self._write_hashes()
        file = self._file
        if file is not None:
            try:
                self._write_results(number)
                file.write(END, _U64.pack(number))
                file.close()
            except AssetError as error:
                warnings.warn(f"The recording lacks its end: {error}", RuntimeWarning, stacklevel=2)
        self._file = None


def _head(first: int, last: int) -> bytes:
    """Return the first bytes of an input block: the number of ticks before the block, and the
    number of ticks in it.
    """
    head = bytearray()
    put_whole(head, first)
    put_whole(head, last - first)
    return bytes(head)


def _read(kind: int, payload: bytes) -> Iterator[tuple[int, TickInput | bytes]]:
    """Yield a pair for each tick in a block: the tick number, and the content for this tick. In a
    block of input, the content is the input of the tick. In a block of hashes, the content is the
    hash as bytes.
    """
    reader = InputReader(payload)
    number = reader.whole()
    step = reader.whole()
    while reader.position < len(payload):
        if kind == INPUT:
            number += reader.whole()
            yield number, reader.tick()
        else:
            yield number, payload[reader.position : reader.position + 8]
            reader.position += 8
            number += step


def _header(stage: Stage, timestep: Timestep, rate: Fraction) -> dict[str, Any]:
    kind = type(stage.game)
    recorded, left_out = _recorded_options(*stage.made_with)
    seed: Any = stage.random.bit_generator.seed_seq
    return {
        "kind": "recording",
        "game": f"{kind.__module__}:{kind.__qualname__}",
        "source": _source(kind),
        "options": recorded,
        "left_out": left_out,
        "seed": str(getattr(seed, "entropy", "")),
        "loop": type(timestep).__name__,
        "tick_rate": str(rate),
        "size": list(stage.view.size if stage.resolution is None else stage.surface.size),
        "pixel_ratio": stage.surface.pixel_ratio,
        "players": len(stage.players),
        "inputs": INPUTS,
        "hashes": SCHEME,
        "versions": _versions(),
        "platform": this_platform(),
    }


def this_platform() -> str:
    """Return the names of the operating system and the processor architecture, such as "linux
    x86_64".
    """
    return f"{sys.platform} {platform.machine()}"


def _versions() -> dict[str, str]:
    numbers = {"subtick": __version__, "python": platform.python_version(), "numpy": np.__version__}
    return {**numbers, "text": shaped_by()}


def _source(kind: type) -> dict[str, str]:
    """Return the name and the SHA-256 hash of the file that defines the game. A replay uses them to
    report that the file has changed since the recording.
    """
    try:
        path = Path(inspect.getfile(kind))
        return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    except (TypeError, OSError):  # a class defined in an interactive session has no file
        return {}


def _recorded_options(
    arguments: Sequence[Any], options: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return the options of a game in the form that JSON can store, and the names of the options
    that JSON cannot store. The name of a positional argument is its index.
    """
    recorded = {}
    left_out = []
    by_index = {str(index): value for index, value in enumerate(arguments)}
    for name, value in (by_index | dict(options)).items():
        if name in _NOT_STATE:
            continue
        try:
            recorded[name] = plain(value)
        except TypeError:
            left_out.append(name)
    return recorded, left_out


def plain(value: Any) -> Any:
    """Convert the value of an option to a form that JSON can store. Raise `TypeError` if JSON
    cannot store the value.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer) and abs(int(value)) < 1 << 63:
        return int(value)
    if isinstance(value, float | np.floating):
        if math.isfinite(value):
            return float(value)
    elif isinstance(value, Fraction):
        return {"fraction": [str(value.numerator), str(value.denominator)]}
    elif isinstance(value, tuple):
        return {"tuple": [plain(item) for item in value]}
    elif isinstance(value, list):
        return [plain(item) for item in value]
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: plain(item) for key, item in value.items()}}
    raise TypeError
