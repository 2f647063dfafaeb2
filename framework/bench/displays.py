"""Compute when each frame begins on a simulated display, and when the game reads the clock.

This module never reads the real clock. It computes simulated times in nanoseconds, for the timing
lab and for tests. In the simulation, a frame begins when the display refreshes. The delay until the
display shows the image is ignored, because it is the same for all frames. The timing lab compares
the image of a frame with the true positions at the beginning of the frame. If the game misses a
refresh, the display shows the previous image until the next refresh.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..timing.timestep import NANOSECONDS

RATES = (24, 30, 50, 59.94, 60, 75, 90, 120, 144, 165, 240, 360)
"""The refresh rates of the displays in the lab, in refreshes per second."""

VARIABLE = "vrr"
UNPACED = "off"
_BEGIN = 7 * NANOSECONDS + 123  # the time of the first frame, which is not 0 on a real clock
_VARIABLE = 48.0, 144.0  # the lowest and the highest number of frames per second
_FREE = 3e-3, 5e-3  # in seconds: the shortest frame without vsync, and the mean time added to it


@dataclass(frozen=True)
class SimulatedDisplay:
    """A display with ``rate`` refreshes per second, or a display without a fixed rate.

    For a display without a fixed rate, ``rate`` is None. There are two such displays: ``"vrr"`` and
    ``"off"``. The display ``"vrr"`` refreshes as soon as a frame is ready, 48 to 144 times per
    second. The refresh rate changes slowly, because the time that a game needs for a frame changes
    slowly. The display ``"off"`` has no vsync, so its frame times vary as much as the work in each
    frame.
    """

    name: str
    rate: float | None = None

    @property
    def reported(self) -> float:
        """The refresh rate that an operating system would report for this display, as an integer."""
        if self.rate is None:
            return _VARIABLE[1] if self.name == VARIABLE else 60.0
        return float(round(self.rate))

    def gaps(self, seconds: float, random: np.random.Generator) -> NDArray[np.float64]:
        """Return the times between successive refreshes, in seconds. The sum of these times is
        about ``seconds``.
        """
        if self.rate is not None:
            return np.full(round(self.rate * seconds), 1 / self.rate)
        if self.name == VARIABLE:
            gaps = _variable_gaps(seconds, random)
        else:
            gaps = _free_gaps(seconds, random)
        return gaps[np.cumsum(gaps) < seconds]


def _variable_gaps(seconds: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the times between refreshes of a display with a variable rate: at least enough for
    ``seconds``.
    """
    slow, fast = _VARIABLE
    pace = (slow + fast) / 2 + np.cumsum(random.normal(0, 2.5, round(fast * seconds)))
    span = 2 * (fast - slow)
    # Reflect the frame rate at both limits, so that it stays within the limits.
    pace = slow + np.abs((pace - slow + span / 2) % span - span / 2)
    gaps: NDArray[np.float64] = 1 / pace
    return gaps


def _free_gaps(seconds: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the times between frames without vsync: at least enough for ``seconds``."""
    shortest, additional = _FREE
    gaps: NDArray[np.float64] = shortest + random.exponential(additional, round(seconds / shortest))
    return gaps


def pick_displays(words: Sequence[str | float] | None) -> list[SimulatedDisplay]:
    """Return a `SimulatedDisplay` for each of ``words``: a refresh rate such as "60", or ``vrr`` or
    ``off``. If ``words`` is None, return all displays. Raise `ValueError` for a word that is
    neither a rate nor ``vrr`` nor ``off``.
    """
    displays = []
    for word in (*RATES, VARIABLE, UNPACED) if words is None else words:
        if word in (VARIABLE, UNPACED):
            displays.append(SimulatedDisplay(str(word)))
            continue
        try:
            rate = float(word)
        except ValueError:
            rate = math.nan
        if not 10 <= rate <= 1000:
            raise ValueError(
                f"rates: expected 10 to 1000 Hz, {VARIABLE!r} or {UNPACED!r}, got {word!r}"
            )
        displays.append(SimulatedDisplay(f"{rate:g}", rate))
    return list(dict.fromkeys(displays))


@dataclass(frozen=True)
class Trouble:
    """The problems that a simulated game has: late clock readings, missed refreshes and pauses.

    The game reads the clock a little late. The delay is random: the absolute value of a normally
    distributed number with the standard deviation ``late``, in seconds. ``missed`` is the fraction
    of refreshes at which the game does not show a new frame. ``hitches`` are the durations of
    pauses in seconds, which are spread evenly over the simulated time.
    """

    name: str
    words: str
    late: float = 0.0
    missed: float = 0.0
    hitches: tuple[float, ...] = ()


TROUBLES = (
    Trouble("exact", "stamps exact"),
    Trouble("late", "stamps late by a half-normal of 1 ms", late=1e-3),
    Trouble(
        "missed",
        "stamps late by a half-normal of 2 ms, 1 % of the refreshes missed",
        late=2e-3,
        missed=0.01,
    ),
    Trouble(
        "hitches",
        "stamps late by a half-normal of 1 ms, hitches of 0.1 and 0.5 s",
        late=1e-3,
        hitches=(0.1, 0.5),
    ),
)
"""The problems that the lab simulates. The first entry is a display without problems."""


class Frames(NamedTuple):
    """The frames of a simulated display. Each array of this object has one element per frame."""

    begun: NDArray[np.int64]
    """The time of the refresh at which each frame begins, in nanoseconds."""
    stamps: NDArray[np.int64]
    """The time at which the game reads the clock in each frame, in nanoseconds: a little after the
    refresh. The times never decrease.
    """
    stretch: NDArray[np.intp]
    """For each frame, the number of pauses so far."""


def simulate(display: SimulatedDisplay, trouble: Trouble, seconds: float, seed: int = 0) -> Frames:
    """Simulate a display, and return its frames. The simulated time is ``seconds`` plus the
    durations of all pauses. The same arguments result in the same frames on every machine.
    """
    random = np.random.default_rng([seed, zlib.crc32(f"{display.name} {trouble.name}".encode())])
    gaps = display.gaps(seconds, random)
    begins = np.concatenate([[0.0], np.cumsum(gaps)])
    if display.rate is not None:
        # Divide instead of adding up, because the rounding errors of a sum accumulate.
        begins = np.arange(len(begins)) / display.rate
    begins = begins[np.concatenate([[True], random.random(len(gaps)) >= trouble.missed])]
    hitches = _hitches(trouble, display)
    stretch = np.searchsorted(np.linspace(0, seconds, len(hitches) + 2)[1:-1], begins, side="right")
    begins += np.concatenate([[0.0], np.cumsum(hitches)])[stretch]
    begun = _BEGIN + np.round(begins * NANOSECONDS).astype(np.int64)
    late = (
        np.abs(random.normal(0, trouble.late, len(begun))) if trouble.late else np.zeros(len(begun))
    )
    stamps = np.maximum.accumulate(begun + np.round(late * NANOSECONDS).astype(np.int64))
    return Frames(begun, stamps, stretch)


def _hitches(trouble: Trouble, display: SimulatedDisplay) -> NDArray[np.float64]:
    """Return the durations of the pauses in seconds. With a fixed refresh rate, each pause lasts a
    whole number of refreshes, so that the display's phase stays the same.
    """
    hitches = np.array(trouble.hitches)
    return hitches if display.rate is None else np.ceil(hitches * display.rate) / display.rate
