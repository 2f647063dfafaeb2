"""Writes down what is played: what each tick latched, and now and then a hash of the state that
came of it.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import platform
import struct
import sys
import warnings
from collections.abc import Iterator
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
from ..record.container import Container, ContainerWriter
from ..record.hashes import SCHEME
from ..text.shaping import shaped_by
from ..timing.timestep import Tick, Timestep, control_of
from ..version import __version__
from .loop import Loop
from .savelog import INPUTS, LOADS, MAX_TOTAL, SAVE, Result, blocks
from .stage import Stage
from .subsystems import Subsystem

INPUT, HASH, END = 1, 2, 5
"""Types of blocks; 3 and 4 are kept free for states to seek from, and an index."""
TICKS_A_BLOCK = 600
_HASHES = 8 * 50  # bytes of hashes that are worth a block
_FULL = 1 << 17  # bytes of a block that is written before its time
_MOST = 1 << 19  # bytes of one tick: what comes of hours at rest with a restless mouse

# Options that are of the machine and its screen: a recording is played with others.
_NOT_STATE = {
    "drawing",
    "fullscreen",
    "frame_rate",
    "headless",
    "manage_gc",
    "monitor",
    "pacing",
    "pause_when_hidden",
    "pixel_ratio",
    "resizable",
    "samples",
    "size",
    "title",
    "vsync",
}

_U64 = struct.Struct("<Q")


class Recorder(Subsystem):
    """Writes a recording, from the first tick on until it is released."""

    not_state = True

    def __init__(self, stage: Stage, loop: Loop, path: str, hash_every: int) -> None:
        self.path = path
        control = control_of(loop.timestep)
        if control is None:
            kind = type(loop.timestep).__name__
            raise FrameworkError(f"record: expected one of the framework's timesteps, got {kind}")
        self._stage, self._loop, self._control = stage, loop, control
        self._every = hash_every
        self._file: ContainerWriter | None = ContainerWriter(
            path, _header(stage, loop.timestep, control.rate)
        )
        self._inputs = InputWriter()
        self._first = 0  # ticks before those of this block
        self._last = 0  # the last of them that has anything written
        self._events = 0  # of the last tick
        self._begun = False  # the next tick's input: some of it came while time stood still
        self._mark = 0  # where the input of the last tick begins
        self._hashes = bytearray()
        self._hashed = 0  # the tick of the first of these
        self._due = min(
            hash_every or TICKS_A_BLOCK, TICKS_A_BLOCK
        )  # the tick after which there is something to do
        # Of input and hashes in the file: ticks before each block, where it begins, and results
        # before it.
        self._blocks: list[tuple[int, int, int]] = []
        self._results = [*stage.files.early]  # of all calls that looked at the player's files
        self._written = 0  # so many of these results are in the file
        self._held: dict[str, int] = {}  # the sizes of the saves that it holds, by their hashes
        self._write_results(0)
        stage.files.notes.append(self.note_result)
        stage.notes.append(self.note)
        stage.past.went_back.append(self.go_back)
        stage.past.restored.append(self.restored)

    def note(self, number: int, events: list[Event], still: bool) -> None:
        """The tick ``number`` latches events; or some are told before it, while time stands
        still.
        """
        writer, data = self._inputs, self._inputs.data
        if self._begun:
            if not still:
                writer.add([STILL], more=True)
        else:
            self._mark, self._events = len(data), 0
            gap = number - self._last
            if gap < 0x80:  # nearly always: without the call
                data.append(gap)
            else:
                put_whole(data, gap)
            self._last = number
        writer.scale = self._stage.scale
        length = 0 if self._control.fixed or still else self._control.length_of(number)
        writer.add(events, length, still)
        self._events += len(events)
        self._begun = still
        if len(data) > _MOST or self._events > MAX_EVENTS:
            self._fail("one tick has more input than a recording holds")

    def note_result(self, result: Result) -> None:
        """Add the result of a call that looked at the player's files."""
        room = MAX_TOTAL - sum(self._held.values())
        self._results.append(
            result if result.held and result.size <= room else result._replace(data=None)
        )

    def begin_tick(self, tick: Tick) -> None:
        """What was told while time stood still belongs to this tick, even when nothing came since;
        and its length.
        """
        to_note = self._begun or (not self._control.fixed and self._last < tick.number)
        if to_note and not self._stage.past.standing:  # else the tick is run again
            self.note(tick.number, [], False)

    def end_tick(self, tick: Tick) -> None:
        """Now and then, a hash, and a block."""
        if tick.number >= self._due and not self._stage.past.standing:
            self._look(tick.number)

    def _look(self, number: int) -> None:
        every = self._every
        if every and not number % every:
            if not self._hashes:
                self._hashed = number
            self._hashes += _U64.pack(self._stage.game.state_hash())
        if number - self._first >= TICKS_A_BLOCK or len(self._inputs.data) > _FULL:
            self._write(number)
            if len(self._hashes) >= _HASHES:
                self._write_hashes()
        self._due = self._first + TICKS_A_BLOCK
        if every:
            self._due = min(self._due, number - number % every + every)

    def _write(self, number: int) -> None:
        """The blocks of the ticks up to this one."""
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
        """Write the results up to a tick, and the saves that were loaded. Raises `AssetError`."""
        due = [result for result in self._results[self._written :] if result.tick <= number]
        self._written += len(due)
        if self._file is not None:
            for kind, payload in blocks(due, self._held):
                self._file.write(kind, payload)

    def _write_hashes(self) -> None:
        if self._file is None or not self._hashes:
            return
        try:
            self._blocks.append((self._first, self._file.length, self._written))
            self._file.write(HASH, self._hash_block())
        except AssetError as error:
            self._fail(str(error))
        self._hashes.clear()

    # -- going back --------------------------------------------------------------------------------

    def go_back(self, tick: int) -> None:
        """The game goes on from a tick of the past: what came after it is taken out, from the file
        too.
        """
        if self._file is None:
            return
        pending = bytes(self._inputs.data[: self._mark] if self._begun else self._inputs.data)
        undone = [(INPUT, _head(self._first, self._first) + pending), (HASH, self._hash_block())]
        try:
            undone = [*self._cut(tick), *undone]
        except AssetError as error:
            self._fail(str(error))
            return
        self._inputs, self._last, self._begun, self._events = InputWriter(), self._first, False, 0
        self._hashes.clear()
        self._results = [result for result in self._results if result.tick <= tick]
        for kind, payload in undone:
            for number, held in _read(kind, payload):
                if number > tick:
                    break
                if isinstance(held, bytes):
                    self._hashed = self._hashed if self._hashes else number
                    self._hashes += held
                else:
                    put_whole(self._inputs.data, number - self._last)
                    self._last = number
                    self._inputs.scale = self._stage.scale
                    self._inputs.add(held.events, held.length)
        self._due = min(
            self._first + TICKS_A_BLOCK,
            tick - tick % (self._every or 1) + (self._every or TICKS_A_BLOCK),
        )

    def restored(self) -> None:
        """Where a snapshot leads to, a recording does not know: it has what came, and no states."""
        self._write(self._loop.tick)
        self._fail(
            "the game is restored by hand, which no recording holds; game.recording.rewind goes "
            "back in it, too"
        )

    def _cut(self, tick: int) -> list[tuple[int, bytes]]:
        """Take the blocks out of the file that have anything of later ticks, and return them."""
        index = len(self._blocks)
        if self._file is None or tick >= self._first:
            return []
        while index and self._blocks[index - 1][0] > tick:
            index -= 1
        index -= 1  # the one that has the tick, or ends with it
        self._first, place, self._written = self._blocks[index]
        kept = {result.sha256 for result in self._results[: self._written]}
        self._held = {digest: size for digest, size in self._held.items() if digest in kept}
        found = [block for block in Container(self.path).blocks() if block[0] not in (SAVE, LOADS)][
            index:
        ]
        del self._blocks[index:]
        self._file.cut(place)
        return found

    def _hash_block(self) -> bytes:
        head = bytearray()
        put_whole(head, self._hashed)
        put_whole(head, self._every)
        return bytes(head + self._hashes)

    def _forget(self) -> None:
        stage = self._stage
        stage.notes = [note for note in stage.notes if note != self.note]
        stage.files.notes = [note for note in stage.files.notes if note != self.note_result]
        stage.past.restored = [tell for tell in stage.past.restored if tell != self.restored]
        stage.past.went_back = [tell for tell in stage.past.went_back if tell != self.go_back]

    def _fail(self, why: str) -> None:
        """A full disk is no reason to end the game."""
        self._forget()
        file, self._file = self._file, None
        if file is not None:
            warnings.warn(f"The recording ends here: {why}", RuntimeWarning, stacklevel=2)
            file.close()

    def release(self) -> None:
        """The recording is over. A second time does nothing."""
        if self._file is None:
            return
        self._forget()
        number = self._loop.tick
        if self._begun:  # what came after the last tick is of no tick
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
    """How a block of input begins."""
    head = bytearray()
    put_whole(head, first)
    put_whole(head, last - first)
    return bytes(head)


def _read(kind: int, payload: bytes) -> Iterator[tuple[int, TickInput | bytes]]:
    """What a block has of each tick: input, or a hash."""
    reader = InputReader(payload)
    number, step = reader.whole(), reader.whole()
    while reader.place < len(payload):
        if kind == INPUT:
            number += reader.whole()
            yield number, reader.tick()
        else:
            yield number, payload[reader.place : reader.place + 8]
            reader.place += 8
            number += step


def _header(stage: Stage, timestep: Timestep, rate: Fraction) -> dict[str, Any]:
    kind = type(stage.game)
    arguments, options = stage.made_with
    written, left_out = {}, []
    for name, value in [
        *((str(place), value) for place, value in enumerate(arguments)),
        *options.items(),
    ]:
        if name in _NOT_STATE:
            continue
        try:
            written[name] = plain(value)
        except TypeError:
            left_out.append(name)
    seed: Any = stage.random.bit_generator.seed_seq
    return {
        "kind": "recording",
        "game": f"{kind.__module__}:{kind.__qualname__}",
        "source": _source(kind),
        "options": written,
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
        "platform": f"{sys.platform} {platform.machine()}",
    }


def _versions() -> dict[str, str]:
    numbers = {"subtick": __version__, "python": platform.python_version(), "numpy": np.__version__}
    return {**numbers, "text": shaped_by()}


def _source(kind: type) -> dict[str, str]:
    """The file that defines the game, and its SHA-256: told, not enforced."""
    try:
        path = Path(inspect.getfile(kind))
        return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    except (TypeError, OSError):  # made in an interactive session
        return {}


def plain(value: Any) -> Any:
    """An option as JSON has it. Raises `TypeError` for what it has no words for."""
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
        return {"tuple": [plain(one) for one in value]}
    elif isinstance(value, list):
        return [plain(one) for one in value]
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: plain(one) for key, one in value.items()}}
    raise TypeError
