"""Clips as numbers: which image is shown when, so that a shader and the CPU choose the same one.

A clip is a row of equal steps, each of which shows an image. How far it has come is a phase, an
unsigned number of 32 bits that counts what `now * rate` is in 2^-32 turns, a turn being the clip
once. Products are taken modulo 2^64, so that loops never end and never lose anything. Of a clip
that plays once, a turn is 2^16, and a phase beyond that is its end. shaders/include/clip.glsl does
the same in the same whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..timing.flicks import FLICKS

ONCE = 1 << 31
"""Of the number of a clip's steps, the bit of one that plays once."""

MOST_STEPS = (1 << 16) - 1
"""Steps of one clip."""

MOST_ALL_STEPS = 1 << 17
"""Steps of all the clips of a batch."""

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_TURN_ONCE = 1 << 16

Words = NDArray[np.uint32]


class Strip(NamedTuple):
    """A clip: the images of its steps, how long it takes, whether it repeats, and the steps at
    which marks are.
    """

    images: NDArray[np.int32]
    seconds: Fraction
    loop: bool
    marks: Mapping[str, Sequence[int]]


class Timeline:
    """Several clips, by numbers."""

    not_state = True

    __slots__ = (
        "_thresholds",
        "counts",
        "first",
        "flicks",
        "images",
        "names",
        "numbers",
        "once",
        "rates",
    )

    def __init__(self, strips: Mapping[str, Strip]) -> None:
        clips = list(strips.values())
        self.names = tuple(strips)
        self.numbers = {name: number for number, name in enumerate(strips)}
        sizes = np.array([len(strip.images) for strip in clips], np.int64)
        self.once = np.array([not strip.loop for strip in clips])
        """Whether each plays once: bool (clips,)."""
        self.counts = sizes.astype(np.uint32) | np.where(self.once, np.uint32(ONCE), np.uint32(0))
        """How many steps, and the bit `ONCE`: uint32 (clips,)."""
        self.first = (np.cumsum(sizes) - sizes).astype(np.uint32)
        """The first of its steps: uint32 (clips,)."""
        self.images = np.concatenate([strip.images for strip in clips])
        """The image that each step shows, of all clips: int32 (steps,)."""
        self.flicks = np.array([float(strip.seconds * FLICKS) for strip in clips])
        """How long each takes: float64 (clips,)."""
        turns = [
            Fraction(2 ** (64 if strip.loop else 48)) / (strip.seconds * FLICKS) for strip in clips
        ]
        self.rates = np.array([float(turn) for turn in turns])
        """What a flick adds at a speed of 1: float64 (clips,)."""
        self._thresholds: dict[str, list[tuple[int, NDArray[np.uint32]]]] = {}
        for number, strip in enumerate(clips):
            turn, size = (2**32 if strip.loop else _TURN_ONCE), len(strip.images)
            for name, steps in strip.marks.items():
                phases = np.array([-(-step * turn // size) for step in steps], np.uint32)
                self._thresholds.setdefault(name, []).append((number, phases))

    @property
    def marks(self) -> tuple[str, ...]:
        """The names of marks."""
        return tuple(self._thresholds)

    def marked(self, name: str) -> list[tuple[int, NDArray[np.uint32]]]:
        """The clips that have a mark, and the phases at which they come to it."""
        return self._thresholds.get(name, [])

    def rate(self, clips: NDArray[np.int32], speeds: NDArray[np.float64]) -> NDArray[np.uint64]:
        """What a flick adds, rounded up: a frame then never comes a tick too late."""
        return np.ceil(self.rates[clips] * speeds).astype(np.uint64)

    def flicks_of(
        self, clips: NDArray[np.int32], speeds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """How long clips take at these speeds; infinity at a speed of 0."""
        with np.errstate(divide="ignore"):
            lengths: NDArray[np.float64] = np.floor(self.flicks[clips] / speeds)
        return lengths

    def step_phase(self, clips: NDArray[np.int32], phases: Words) -> Words:
        """The first phase of the step that is shown at each of these."""
        counts = self.counts[clips] & np.uint32(ONCE - 1)
        step = steps_at(phases, self.counts[clips]).astype(np.uint64)
        turn = np.where(self.once[clips], np.uint64(_TURN_ONCE), np.uint64(1 << 32))
        phase: Words = ((step * turn + (counts - np.uint32(1))) // counts).astype(np.uint32)
        return phase


def turned(now: int | NDArray[np.int64], rates: NDArray[np.uint64]) -> Words:
    """``now * rates`` in 2^-32 turns, modulo 2^32."""
    moment = now.astype(np.uint64) if isinstance(now, np.ndarray) else np.uint64(now & (2**64 - 1))
    turns: Words = (rates * moment >> _HALF).astype(np.uint32)
    return turns


def steps_at(phases: Words, counts: Words) -> Words:
    """The steps that are shown at these phases, of clips with so many steps (and the bit
    `ONCE`).
    """
    size, once = counts & np.uint32(ONCE - 1), counts >= ONCE
    phase = phases
    if once.any():  # at its end it stays
        phase = np.where(
            once, np.minimum(phases, np.uint32(_TURN_ONCE - 1)) << np.uint32(16), phases
        )
    high, low = phase >> np.uint32(16), phase & np.uint32(0xFFFF)
    steps: Words = (high * size + (low * size >> np.uint32(16))) >> np.uint32(16)
    return steps


def halves(rates: NDArray[np.uint64]) -> tuple[Words, Words]:
    """The low and the high 32 bits."""
    return (rates & _LOW).astype(np.uint32), (rates >> _HALF).astype(np.uint32)


def joined(low: Words, high: Words) -> NDArray[np.uint64]:
    """The numbers of which `halves` made these."""
    return (high.astype(np.uint64) << _HALF) | low
