"""The births of particles: rows that are written once, when a particle is born, and never again.

A particle's whole flight follows from its row and its age (`flights`), so nothing else is kept of
it. Rows come in blocks that are never written to again: snapshots, recordings and the GPU share
them, and know what is new by the number of births so far.
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
"""Of a second: moments of birth are whole numbers of these, modulo 2^32. Ages are differences, and
always short.
"""

LONGEST = 1000.0
"""Seconds that a particle may live: a quarter of the time after which the moments of birth come
again.
"""

_BLOCK = 256  # rows: blocks of fewer are joined
_FRACTION = re.compile(r"\d{1,300}(/[1-9]\d{0,299})?")
_SPAN = 64 * UNITS  # but not what was born at such different times

Words = NDArray[np.uint32]
"""Rows as numbers of four bytes, whatever they are: as such they are hashed, and compared."""

SavedBirths = tuple[int, str, str, Words, NDArray[np.int64]]
"""Births so far, the last tick's begin and length, all rows, and each block's rows, begin and
end.
"""


def row_type(dimensions: int) -> np.dtype[Any]:
    """What is known of a particle, in the plane (2) or in space (3). In space, places are as exact
    as columns are.
    """
    place = "f4" if dimensions == 2 else "f8"
    return np.dtype(
        [
            ("place", place, (dimensions,)),
            ("velocity", "f4", (dimensions,)),
            ("born", "u4"),
            ("seed", "u4"),
            ("life", "f4"),
            ("scale", "f4"),
            ("turn", "f4", (2,)),
            ("tint", "f4", (4,)),
        ]
    )


class Block:
    """Rows that were born about the same time."""

    __slots__ = ("began", "ends", "words")

    def __init__(self, words: Words, began: int, ends: int) -> None:
        words.flags.writeable = False
        self.words = words
        self.began = began
        """When the first of them was born, in `UNITS`."""
        self.ends = ends
        """When none of them lives any more."""


class Births:
    """The rows of the newest ``capacity`` particles, but for those that are dead for sure, and the
    clock of ages.
    """

    __slots__ = ("blocks", "capacity", "count", "length", "replaced", "start", "type")

    not_state = ("replaced",)

    def __init__(self, dimensions: int, capacity: int) -> None:
        self.replaced = 0
        """How often a snapshot or a save has put other rows in the place of these."""
        self.type = row_type(dimensions)
        self.capacity = capacity
        self.count = 0
        """Births so far."""
        self.blocks: deque[Block] = deque()
        """The last of them ends with the newest birth."""
        self.start = Fraction(0)
        """When the last tick began, in simulated seconds: what is drawn at alpha 0."""
        self.length = Fraction(0)
        """Of that tick. What is drawn at alpha 1 is later by this."""

    @property
    def clock(self) -> int:
        """When the last tick began, in `UNITS`."""
        return in_units(self.start)

    @property
    def first(self) -> int:
        """The number of the oldest particle that there is room for; those before it have been
        replaced.
        """
        return max(0, self.count - self.capacity)

    def begin_tick(self, dt: float, time_scale: float = 1.0) -> None:
        """A tick of ``dt`` simulated seconds begins, in which so much time goes by here."""
        self.start += self.length
        self.length = duration("dt", dt)
        if time_scale != 1:
            self.length *= decimal(time_scale)
        if self.blocks:
            self._forget()

    def _forget(self) -> None:
        """Leave out what can be seen no more."""
        blocks, clock = self.blocks, self.clock
        known = sum(len(block.words) for block in blocks)
        while blocks and (blocks[0].ends <= clock or known - len(blocks[0].words) >= self.capacity):
            known -= len(blocks.popleft().words)

    def add(self, rows: NDArray[Any], replaced: int = 0) -> None:
        """``rows`` of the `type`, whose ``born`` are moments from the last tick's beginning on,
        were born; before them ``replaced`` others, which are gone already."""
        if not len(rows):
            return
        offsets: NDArray[np.int32] = rows["born"].view(np.int32)
        clock = self.clock
        life: Floats = rows["life"]
        began = clock + int(offsets.min())
        ended = clock + int(offsets.max()) + int(float(life.max()) * UNITS) + 1
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
        """The rows of the particles from this number on, as far as they are known: for reading
        only.
        """
        at = self.count - sum(len(block.words) for block in self.blocks)
        for block in self.blocks:
            n = len(block.words)
            if at + n > number:
                yield block.words[max(0, number - at) :].view(self.type)[:, 0]
            at += n

    def rows(self) -> NDArray[Any]:
        """All that may be alive, in the order of their births: for reading only."""
        parts = [*self.since(self.first)]
        return np.concatenate(parts) if parts else np.empty(0, self.type)

    def ages(self, rows: NDArray[Any], alpha: float) -> NDArray[np.float32]:
        """Seconds since the births of ``rows`` at ``alpha``; below 0 of those that are still to
        come. float32, in the order of operations of the shader."""
        passed = (np.uint32(self.clock % (1 << 32)) - rows["born"]).view(np.int32)
        age: NDArray[np.float32] = passed.astype(np.float32) * np.float32(1 / UNITS)
        return age + np.float32(alpha) * np.float32(self.length)

    def clear(self) -> None:
        """There are none any more."""
        self.blocks.clear()

    def captured(self) -> SavedBirths:
        """All of it, in what a save can have."""
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

    def put_back(self, saved: SavedBirths) -> None:
        """Have these. Raises `ValueError` where they cannot be."""
        count, start_text, length_text, words, spans = saved
        start, length = exactly(start_text), exactly(length_text)
        if spans.shape[1:] != (3,) or words.shape != (spans[:, 0].sum(), self.type.itemsize // 4):
            raise ValueError("its particles are not those of such a system")
        if (
            words.dtype != np.uint32
            or len(words) > whole("count", count, 0)
            or spans[:, 0].min(initial=0) < 0
        ):
            raise ValueError("its particles are none")
        parts = np.split(words.copy(), np.cumsum(spans[:-1, 0]))
        times: list[tuple[int, int, int]] = spans.tolist()
        blocks = [
            Block(part, began, ends)
            for part, (_, began, ends) in zip(parts, times, strict=False)
            if len(part)
        ]
        self.count, self.start, self.length, self.blocks = count, start, length, deque(blocks)
        self.after_restore()

    def after_restore(self) -> None:
        """Called when a snapshot was restored: the rows may differ."""
        self.replaced += 1


def exactly(text: str) -> Fraction:
    """A number from 0 to 2^40 as `str` writes a fraction. Raises `ValueError` for anything else."""
    if not isinstance(text, str) or not _FRACTION.fullmatch(text) or Fraction(text) > 1 << 40:
        raise wrong_value("time", "a fraction", text)
    return Fraction(text)


def in_units(seconds: Fraction) -> int:
    """Seconds as the nearest whole number of `UNITS`."""
    return (2 * seconds.numerator * UNITS + seconds.denominator) // (2 * seconds.denominator)
