"""Store the values of each particle in one row, which is written once, when it is born.

No other values are stored, because `particle_motion` computes the complete motion of a particle
from its row and its age. The rows are stored in blocks that never change, so snapshots, recordings
and the backend can share the blocks without copying them. To find new particles, the backend counts
the particles that it has already uploaded.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import decimal, whole, wrong_value
from ..timing.schedule import duration

UNITS = 1 << 20
"""The number of time units per second.

The time of birth of a particle is a whole number of these units, modulo 2^32. The age of a particle
is the time since its birth.
"""

MAX_LIFETIME = 1000.0
"""The maximum lifetime in seconds. It cannot be longer, because stored times start at 0 again after
4,096 seconds.
"""

_BLOCK = 256  # two blocks are joined if they have fewer rows than this together
_MAX_FEW = 16
_FRACTION = re.compile(r"\d{1,300}(/[1-9]\d{0,299})?")
_MAX_SPAN = 64 * UNITS  # the maximum time between births in a joined block

Words = NDArray[np.uint32]
"""The rows as arrays of 32-bit integers, for hashes and comparisons. The array has the shape (n,
words per row).
"""

SavedBirths = tuple[int, str, str, Words, NDArray[np.int64]]
"""The particles in a save: the number of births, the start of the last tick, the length of the last
tick, the rows, and the spans.

The start and the length of the tick are fractions of seconds, stored as text. Each block of rows
has one span: the number of rows, the time of the first birth, and the time when all particles are
dead. The times are in `UNITS`.
"""


def row_type(dimensions: int) -> np.dtype[Any]:
    """Return the NumPy dtype of particle rows for 2D or 3D. ``dimensions`` is 2 or 3.

    In 3D, positions are float64, as in batches of instances.
    """
    position = "f4" if dimensions == 2 else "f8"
    return np.dtype(
        [
            ("position", position, (dimensions,)),
            ("velocity", "f4", (dimensions,)),
            ("born", "u4"),
            ("seed", "u4"),
            ("lifetime", "f4"),
            ("scale", "f4"),
            ("rotation", "f4", (2,)),
            ("tint", "f4", (4,)),
        ]
    )


class Block:
    """The rows of particles that were born at about the same time.

    A block never changes.
    """

    __slots__ = ("began", "ends", "words")

    def __init__(self, words: Words, began: int, ends: int) -> None:
        words.flags.writeable = False
        self.words = words
        self.began = began
        """The time of the first birth, in `UNITS`."""
        self.ends = ends
        """The time when all particles are dead, in `UNITS`."""


class ParticleRows:
    """The rows of the newest ``capacity`` particles, and the clock for the ages of the particles.

    When all particles of a block are dead, the block is removed.
    """

    __slots__ = ("blocks", "capacity", "count", "length", "replaced", "start", "type")

    not_state = ("replaced",)

    def __init__(self, dimensions: int, capacity: int) -> None:
        self.replaced = 0
        """How many times a snapshot or a save has replaced the rows."""
        self.type = row_type(dimensions)
        self.capacity = capacity
        self.count = 0
        """The number of particles that have been born so far, including dead ones."""
        self.blocks: deque[Block] = deque()
        """The blocks of rows, in the order of births."""
        self.start = Fraction(0)
        """The time at the start of the last tick, in seconds of the particles' clock. The time at
        alpha 0 is `start`.
        """
        self.length = Fraction(0)
        """The length of the last tick in seconds. The time at alpha 1 is `start` + `length`."""

    @property
    def clock(self) -> int:
        """The time at the start of the last tick, in `UNITS` of 2^-20 seconds."""
        return in_units(self.start)

    @property
    def first(self) -> int:
        """The index of the oldest particle whose row is still stored. It is above 0 after more than
        ``capacity`` births, because new particles replace the oldest ones.
        """
        return max(0, self.count - self.capacity)

    def begin_tick(self, dt: float, time_scale: float = 1.0) -> None:
        """Begin a tick of ``dt`` simulated seconds.

        The clock of the particles advances by ``dt`` · ``time_scale``.
        """
        self.start += self.length
        self.length = duration("dt", dt)
        if time_scale != 1:
            self.length *= decimal(time_scale)
        if self.blocks:
            self._remove_dead(self.clock)

    def _remove_dead(self, clock: int) -> None:
        """Remove blocks that contain only dead or replaced particles. Pass the value of the
        property `clock` as ``clock``.
        """
        blocks = self.blocks
        if self.count <= self.capacity and blocks and blocks[0].ends > clock:
            return  # the usual case
        count = sum([len(block.words) for block in blocks])
        while blocks and (blocks[0].ends <= clock or count - len(blocks[0].words) >= self.capacity):
            count -= len(blocks.popleft().words)

    def add(self, rows: NDArray[Any], clock: int, first: int, last: int, replaced: int = 0) -> None:
        """Add particles to the rows. Their column ``born`` contains clock times in `UNITS`.

        Pass the value of the property `clock` as ``clock``. ``first`` and ``last`` are the times of
        the first and the last birth, in `UNITS` after ``clock``. ``replaced`` is the number of
        earlier particles that do not fit into the capacity. They are counted, but their rows are
        not stored.
        """
        began = clock + first
        ended = clock + last + int(_range_of(rows["lifetime"])[1] * UNITS) + 1
        words = rows.view(np.uint32).reshape(len(rows), -1)
        self.count += replaced + len(rows)
        blocks = self.blocks
        if replaced:
            blocks.clear()
        elif blocks:
            newest = blocks[-1]
            if len(newest.words) + len(words) <= _BLOCK and began - newest.began < _MAX_SPAN:
                blocks.pop()
                words = np.concatenate([newest.words, words])
                began = min(newest.began, began)
                ended = max(newest.ends, ended)
        blocks.append(Block(words, began, ended))
        self._remove_dead(clock)

    def since(self, number: int) -> Iterator[NDArray[Any]]:
        """Yield read-only arrays with the rows of all particles from the index ``number`` on."""
        index = self.count - sum(len(block.words) for block in self.blocks)
        for block in self.blocks:
            n = len(block.words)
            if index + n > number:
                yield block.words[max(0, number - index) :].view(self.type)[:, 0]
            index += n

    def rows(self) -> NDArray[Any]:
        """Return the rows of all particles that may be alive, in the order of their births. The
        array is read-only.
        """
        parts = [*self.since(self.first)]
        return np.concatenate(parts) if parts else np.empty(0, self.type)

    def ages(self, rows: NDArray[Any], alpha: float) -> NDArray[np.float32]:
        """Return the age of each particle in seconds, at ``alpha``. The float32 array has the shape
        (n,).

        The age of a particle that is not born yet is negative. The shader performs the same
        operations, so its results are the same.
        """
        passed = (np.uint32(self.clock % (1 << 32)) - rows["born"]).view(np.int32)
        age: NDArray[np.float32] = passed.astype(np.float32) * np.float32(1 / UNITS)
        return age + np.float32(alpha) * np.float32(self.length)

    def clear(self) -> None:
        """Remove all particles. The total number of births is not reset."""
        self.blocks.clear()

    def capture(self) -> SavedBirths:
        """Return the particles and their clock, for a save."""
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
        """Restore the particles and their clock, as `capture` returned them.

        Raises `ValueError` if the state does not fit this particle system.
        """
        count, start_text, length_text, words, spans = saved
        start = exactly(start_text)
        length = exactly(length_text)
        if spans.shape[1:] != (3,) or words.shape != (spans[:, 0].sum(), self.type.itemsize // 4):
            raise ValueError("its particles belong to another kind of particle system")
        if (
            words.dtype != np.uint32
            or len(words) > whole("count", count, 0)
            or spans[:, 0].min(initial=0) < 0
        ):
            raise ValueError("its particles are not valid")
        blocks = deque(_split_blocks(words.copy(), spans))
        self.count = count
        self.start = start
        self.length = length
        self.blocks = blocks
        self.after_restore()

    def after_restore(self) -> None:
        """Called after the game has restored a snapshot. In the next frame, all particles are
        uploaded again.
        """
        self.replaced += 1


def _split_blocks(words: NDArray[np.uint32], spans: NDArray[np.int64]) -> list[Block]:
    """Split the rows of a save into blocks. For each block, ``spans`` contains the number of rows,
    and the two times of the block.
    """
    parts = np.split(words, np.cumsum(spans[:-1, 0]))
    times: list[tuple[int, int, int]] = spans.tolist()
    return [
        Block(part, began, ends)
        for part, (_, began, ends) in zip(parts, times, strict=False)
        if len(part)
    ]


def _range_of(numbers: NDArray[Any]) -> tuple[float, float]:
    """Return the smallest and the largest number, with Python if there are only a few, because it
    is then faster than NumPy.
    """
    if len(numbers) <= _MAX_FEW:
        floats: list[float] = numbers.tolist()
        return min(floats), max(floats)
    return float(numbers.min()), float(numbers.max())


def exactly(text: str) -> Fraction:
    """Convert a text such as "1/3" to an exact fraction.

    Raises `ValueError` if the text is not a number from 0 to 2^40.
    """
    if not isinstance(text, str) or not _FRACTION.fullmatch(text) or Fraction(text) > 1 << 40:
        raise wrong_value("time", "a fraction", text)
    return Fraction(text)


def in_units(seconds: Fraction) -> int:
    """Convert seconds to `UNITS` of 2^-20 seconds, and round the number."""
    return (2 * seconds.numerator * UNITS + seconds.denominator) // (2 * seconds.denominator)
