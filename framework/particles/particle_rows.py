"""Particle births: rows that are written once, when a particle is born.

A particle's whole flight is computed from its row and its age (`particle_motion`), so no other state is
stored. Rows are in blocks that are never changed. Snapshots, recordings and the GPU share the
blocks. They compare the number of births to find new rows.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..checks import decimal, whole, wrong_value
from ..timing.schedule import duration

UNITS = 1 << 20
"""Time units per second. Birth times are whole numbers of units, modulo 2^32. Ages are differences.
"""

MAX_LIFETIME = 1000.0
"""Maximum lifetime in seconds: a quarter of the time after which birth times repeat."""

_BLOCK = 256  # rows: smaller blocks are joined
_FRACTION = re.compile(r"\d{1,300}(/[1-9]\d{0,299})?")
_SPAN = 64 * UNITS  # longest time between the births of two joined blocks

Words = NDArray[np.uint32]
"""Rows as 32-bit numbers of any meaning, for hashes and comparisons."""

SavedBirths = tuple[int, str, str, Words, NDArray[np.int64]]
"""The number of births, the start and length of the last tick, all rows, and the spans of blocks.

A span is the number of rows, and the times in `UNITS` when the first is born and the last is dead.
"""


def row_type(dimensions: int) -> np.dtype[Any]:
    """Return the data type of particle rows, in the plane (2) or in space (3).

    In space, positions are float64, as precise as the columns of instances.
    """
    position = "f4" if dimensions == 2 else "f8"
    return np.dtype(
        [
            ("place", position, (dimensions,)),
            ("velocity", "f4", (dimensions,)),
            ("born", "u4"),
            ("seed", "u4"),
            ("lifetime", "f4"),
            ("scale", "f4"),
            ("turn", "f4", (2,)),
            ("tint", "f4", (4,)),
        ]
    )


class Block:
    """Rows that were born at about the same time."""

    __slots__ = ("began", "ends", "words")

    def __init__(self, words: Words, began: int, ends: int) -> None:
        words.flags.writeable = False
        self.words = words
        self.began = began
        """The time when the first of the rows was born, in `UNITS`."""
        self.ends = ends
        """The time when all of the rows are dead, in `UNITS`."""


class ParticleRows:
    """The rows of the newest ``capacity`` particles, and the clock for their ages.

    Blocks in which all particles are dead are removed.
    """

    __slots__ = ("blocks", "capacity", "count", "length", "replaced", "start", "type")

    not_state = ("replaced",)

    def __init__(self, dimensions: int, capacity: int) -> None:
        self.replaced = 0
        """The number of times that a snapshot or a save has replaced these rows."""
        self.type = row_type(dimensions)
        self.capacity = capacity
        self.count = 0
        """The number of births so far."""
        self.blocks: deque[Block] = deque()
        """The blocks of rows, in the order of births."""
        self.start = Fraction(0)
        """The start of the last tick in simulated seconds: the time at alpha 0."""
        self.length = Fraction(0)
        """The length of the last tick. The time at alpha 1 is later by this length."""

    @property
    def clock(self) -> int:
        """The start of the last tick, in `UNITS`."""
        return in_units(self.start)

    @property
    def first(self) -> int:
        """The index of the oldest particle that fits. Older ones have been replaced."""
        return max(0, self.count - self.capacity)

    def begin_tick(self, dt: float, time_scale: float = 1.0) -> None:
        """Begin a tick of ``dt`` simulated seconds, multiplied by ``time_scale`` for the particles."""
        self.start += self.length
        self.length = duration("dt", dt)
        if time_scale != 1:
            self.length *= decimal(time_scale)
        if self.blocks:
            self._forget()

    def _forget(self) -> None:
        """Remove blocks that cannot be visible any longer."""
        blocks, clock = self.blocks, self.clock
        count = sum(len(block.words) for block in blocks)
        while blocks and (blocks[0].ends <= clock or count - len(blocks[0].words) >= self.capacity):
            count -= len(blocks.popleft().words)

    def add(self, rows: NDArray[Any], replaced: int = 0) -> None:
        """Add ``rows`` of the `type`, after ``replaced`` births that are already replaced.

        ``born`` counts from the beginning of the last tick.
        """
        if not len(rows):
            return
        offsets: NDArray[np.int32] = rows["born"].view(np.int32)
        clock = self.clock
        lifetimes: Floats = rows["lifetime"]
        began = clock + int(offsets.min())
        ended = clock + int(offsets.max()) + int(float(lifetimes.max()) * UNITS) + 1
        rows["born"] += np.uint32(clock % (1 << 32))
        words = rows.view(np.uint32).reshape(len(rows), -1)
        self.count += replaced + len(rows)
        last = self.blocks[-1] if self.blocks else None
        if replaced:
            self.blocks.clear()
        elif (
            last is not None
            and len(last.words) + len(words) <= _BLOCK
            and began - last.began < _SPAN
        ):
            self.blocks.pop()
            words = np.concatenate([last.words, words])
            began, ended = min(last.began, began), max(last.ends, ended)
        self.blocks.append(Block(words, began, ended))
        self._forget()

    def since(self, number: int) -> Iterator[NDArray[Any]]:
        """Return the stored rows of the particles from ``number`` on, read-only."""
        at = self.count - sum(len(block.words) for block in self.blocks)
        for block in self.blocks:
            n = len(block.words)
            if at + n > number:
                yield block.words[max(0, number - at) :].view(self.type)[:, 0]
            at += n

    def rows(self) -> NDArray[Any]:
        """Return all rows that may be alive, in the order of their births, read-only."""
        parts = [*self.since(self.first)]
        return np.concatenate(parts) if parts else np.empty(0, self.type)

    def ages(self, rows: NDArray[Any], alpha: float) -> NDArray[np.float32]:
        """Return the seconds since the births of ``rows`` at ``alpha``, float32.

        An age below 0 means that the particle is not born yet. The order of operations is the same
        as in the shader.
        """
        passed = (np.uint32(self.clock % (1 << 32)) - rows["born"]).view(np.int32)
        age: NDArray[np.float32] = passed.astype(np.float32) * np.float32(1 / UNITS)
        return age + np.float32(alpha) * np.float32(self.length)

    def clear(self) -> None:
        """Remove all particles."""
        self.blocks.clear()

    def capture(self) -> SavedBirths:
        """Return the state for a save."""
        spans = [(len(block.words), block.began, block.ends) for block in self.blocks]
        width = self.type.itemsize // 4
        words = np.concatenate(
            [np.empty((0, width), np.uint32), *(block.words for block in self.blocks)]
        )
        return (
            self.count,
            str(self.start),
            str(self.length),
            words,
            np.array(spans, np.int64).reshape(-1, 3),
        )

    def restore(self, saved: SavedBirths) -> None:
        """Restore what `capture` returned. Raises `ValueError` if it does not fit."""
        count, start_text, length_text, words, spans = saved
        start, length = exactly(start_text), exactly(length_text)
        if spans.shape[1:] != (3,) or words.shape != (spans[:, 0].sum(), self.type.itemsize // 4):
            raise ValueError("its particles belong to another kind of particle system")
        if (
            words.dtype != np.uint32
            or len(words) > whole("count", count, 0)
            or spans[:, 0].min(initial=0) < 0
        ):
            raise ValueError("its particles are not valid")
        parts = np.split(words.copy(), np.cumsum(spans[:-1, 0]))
        times: list[tuple[int, int, int]] = spans.tolist()
        blocks = [
            Block(part, began, ends)
            for part, (_, began, ends) in zip(parts, times, strict=False)
            if len(part)
        ]
        self.count = count
        self.start = start
        self.length = length
        self.blocks = deque(blocks)
        self.after_restore()

    def after_restore(self) -> None:
        """Called when a snapshot is restored: the rows may differ."""
        self.replaced += 1


def exactly(text: str) -> Fraction:
    """Return a number from 0 to 2^40 from its text as a fraction. Raises `ValueError` otherwise."""
    if not isinstance(text, str) or not _FRACTION.fullmatch(text) or Fraction(text) > 1 << 40:
        raise wrong_value("time", "a fraction", text)
    return Fraction(text)


def in_units(seconds: Fraction) -> int:
    """Return seconds as the nearest whole number of `UNITS`."""
    return (2 * seconds.numerator * UNITS + seconds.denominator) // (2 * seconds.denominator)
