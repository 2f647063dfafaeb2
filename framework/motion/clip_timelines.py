"""Store clips as tables of integers, so that the GPU and the CPU compute the same image.

A clip is a sequence of steps of equal duration, each of which shows one image. A turn is one pass
through all steps of a clip. The phase of a clip is its progress: an unsigned 32-bit integer in
units of 2^-32 turns.

The phase is equal to the upper 32 bits of the 64-bit product `now * rate`, so it stays exact even
if a looping clip runs for a long time. If a clip plays only once, its phase is in units of 2^-16
turns, and the clip has ended when its phase is above 2^16. The shader in shaders/include/clip.glsl
computes the same phases with the same integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..timing.flicks import FLICKS

ONCE = 1 << 31
"""A bit in the step count of a clip. The bit is set if the clip plays only once."""

MAX_STEPS = (1 << 16) - 1
"""The maximum number of steps of one clip."""

MAX_TOTAL_STEPS = 1 << 17
"""The maximum number of steps in all clips of a batch."""

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_TURN_ONCE = 1 << 16

Words = NDArray[np.uint32]


class ClipSteps(NamedTuple):
    """A clip as data: the image of each step, the duration, whether the clip loops, and the steps
    with markers.
    """

    images: NDArray[np.int32]
    seconds: Fraction
    loop: bool
    markers: Mapping[str, Sequence[int]]


class Timeline:
    """All clips of a batch, as arrays with one element per clip or per step. A step is the time for
    which a clip shows one image. The phase of a clip is its progress, as a whole number.
    """

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

    def __init__(self, strips: Mapping[str, ClipSteps]) -> None:
        clips = list(strips.values())
        self.names = tuple(strips)
        self.numbers = {name: number for number, name in enumerate(strips)}
        sizes = np.array([len(strip.images) for strip in clips], np.int64)
        self.once = np.array([not strip.loop for strip in clips])
        """Whether each clip plays only once: bool (clips,)."""
        self.counts = sizes.astype(np.uint32) | np.where(self.once, np.uint32(ONCE), np.uint32(0))
        """The number of steps of each clip, with the bit `ONCE`: uint32 (clips,)."""
        self.first = (np.cumsum(sizes) - sizes).astype(np.uint32)
        """The index of the first step of each clip: uint32 (clips,)."""
        self.images = np.concatenate([strip.images for strip in clips])
        """The images of all steps of all clips: int32 (steps,)."""
        self.flicks = np.array([float(strip.seconds * FLICKS) for strip in clips])
        """The duration of each clip in flicks: float64 (clips,)."""
        turns = [
            Fraction(2 ** (64 if strip.loop else 48)) / (strip.seconds * FLICKS) for strip in clips
        ]
        self.rates = np.array([float(turn) for turn in turns])
        """The rate of each clip at speed 1: float64 (clips,). The unit of the rates is 2^-64 turns
        per flick.
        """
        self._thresholds = _marker_phases(clips)

    @property
    def markers(self) -> tuple[str, ...]:
        """The names of all markers in the clips."""
        return tuple(self._thresholds)

    def marked(self, name: str) -> list[tuple[int, NDArray[np.uint32]]]:
        """Find the clips that have the marker ``name``. For each clip with the marker, return the
        index of the clip and the phases at which the clip reaches the marker.
        """
        return self._thresholds.get(name, [])

    def rate(self, clips: NDArray[np.int32], speeds: NDArray[np.float64]) -> NDArray[np.uint64]:
        """Return the rates of the n ``clips`` at the given ``speeds``. The uint64 array has the
        shape (n,). The rate is how much the phase increases per flick. A flick is the internal unit
        of time.

        Rates are rounded up, so that no image appears one tick too late.
        """
        return np.ceil(self.rates[clips] * speeds).astype(np.uint64)

    def flicks_of(
        self, clips: NDArray[np.int32], speeds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the durations of ``clips`` at the given ``speeds``, in flicks. A flick is the
        internal unit of time.

        If the speed is 0, the duration is infinite.
        """
        with np.errstate(divide="ignore"):
            lengths: NDArray[np.float64] = np.floor(self.flicks[clips] / speeds)
        return lengths

    def step_phase(self, clips: NDArray[np.int32], phases: Words) -> Words:
        """For each phase, return the phase at which the step that is visible then has started."""
        counts = self.counts[clips] & np.uint32(ONCE - 1)
        step = steps_at(phases, self.counts[clips]).astype(np.uint64)
        turn = np.where(self.once[clips], np.uint64(_TURN_ONCE), np.uint64(1 << 32))
        phase: Words = ((step * turn + (counts - np.uint32(1))) // counts).astype(np.uint32)
        return phase


def _marker_phases(clips: Sequence[ClipSteps]) -> dict[str, list[tuple[int, NDArray[np.uint32]]]]:
    """Return the clips that have a marker, for the name of each marker. For each clip, return its
    index and the phases at which it reaches the marker.
    """
    thresholds: dict[str, list[tuple[int, NDArray[np.uint32]]]] = {}
    for number, strip in enumerate(clips):
        turn = 2**32 if strip.loop else _TURN_ONCE
        size = len(strip.images)
        for name, steps in strip.markers.items():
            phases = np.array([-(-step * turn // size) for step in steps], np.uint32)
            thresholds.setdefault(name, []).append((number, phases))
    return thresholds


def turned(now: int | NDArray[np.int64], rates: NDArray[np.uint64]) -> Words:
    """Return the phases of clips at the time ``now``, in units of 2^-32 turns. The uint32 array has
    the shape (n,). A turn is one pass through the clip. Complete turns are subtracted.
    """
    moment = now.astype(np.uint64) if isinstance(now, np.ndarray) else np.uint64(now & (2**64 - 1))
    turns: Words = (rates * moment >> _HALF).astype(np.uint32)
    return turns


def steps_at(phases: Words, counts: Words) -> Words:
    """Return the index of the visible step at each phase.

    ``counts`` contains the number of steps of each clip, as in `Timeline.counts`.
    """
    size = counts & np.uint32(ONCE - 1)
    once = counts >= ONCE
    phase = phases
    if once.any():  # a clip that plays only once stops at its end
        phase = np.where(
            once, np.minimum(phases, np.uint32(_TURN_ONCE - 1)) << np.uint32(16), phases
        )
    high = phase >> np.uint32(16)
    low = phase & np.uint32(0xFFFF)
    steps: Words = (high * size + (low * size >> np.uint32(16))) >> np.uint32(16)
    return steps


def halves(rates: NDArray[np.uint64]) -> tuple[Words, Words]:
    """Split each 64-bit rate into its low and its high 32 bits, because shaders have only 32-bit
    integers.
    """
    return (rates & _LOW).astype(np.uint32), (rates >> _HALF).astype(np.uint32)


def joined(low: Words, high: Words) -> NDArray[np.uint64]:
    """Join low and high 32-bit halves into 64-bit integers. `joined` is the inverse of `halves`."""
    return (high.astype(np.uint64) << _HALF) | low
