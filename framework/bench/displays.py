"""Simulated displays: when frames begin, and when a busy CPU reads the clock for them.

The module only computes with nanoseconds, as `timestep` does, for the lab and for tests. A frame
begins at a refresh. The display's own delay until it lights is equal for all frames and is left
out. So the content of a frame is compared with the truth at the beginning of the frame. A missed refresh has
no frame: the previous image stays for one more.
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
"""Refreshes per second of the displays in the lab."""

VARIABLE = "vrr"
UNPACED = "off"
_BEGIN = 7 * NANOSECONDS + 123  # a start that is not 0, as with any real clock
_VARIABLE = 48.0, 144.0  # frames per second, lowest and highest
_FREE = 3e-3, 5e-3  # seconds: the shortest frame without vsync, and the mean additional time


@dataclass(frozen=True)
class SimulatedDisplay:
    """A screen with ``rate`` refreshes per second, or a kind without a fixed rate.

    The kinds have the ``rate`` None. ``"vrr"`` refreshes when a frame is ready, 48 to 144 times per
    second. Its pace drifts as a game's work does. ``"off"`` is a display without vsync, with frames
    as uneven as their work.
    """

    name: str
    rate: float | None = None

    @property
    def reported(self) -> float:
        """The rate that the system reports: whole refreshes per second."""
        if self.rate is None:
            return _VARIABLE[1] if self.name == VARIABLE else 60.0
        return float(round(self.rate))

    def gaps(self, seconds: float, random: np.random.Generator) -> NDArray[np.float64]:
        """Return the seconds between the refreshes, for ``seconds`` in total."""
        if self.rate is not None:
            return np.full(round(self.rate * seconds), 1 / self.rate)
        if self.name == VARIABLE:
            slow, fast = _VARIABLE
            pace = (slow + fast) / 2 + np.cumsum(random.normal(0, 2.5, round(fast * seconds)))
            span = 2 * (fast - slow)
            # reflected at both limits
            pace = slow + np.abs((pace - slow + span / 2) % span - span / 2)
            gaps: NDArray[np.float64] = 1 / pace
        else:
            shortest, additional = _FREE
            gaps = shortest + random.exponential(additional, round(seconds / shortest))
        return gaps[np.cumsum(gaps) < seconds]


def pick_displays(words: Sequence[str | float] | None) -> list[SimulatedDisplay]:
    """Return the displays for ``words``: refreshes per second, ``vrr`` or ``off``. None for all.

    Raises `ValueError` for other words.
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
    """The irregularities of a display's frames.

    Stamps are late by a half-normal time, whose normal has a standard deviation of ``late``
    seconds. The fraction ``missed`` of refreshes has no frame. Each of the ``hitches`` is a pause
    of the game in seconds. They are spread evenly over the time.
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
"""The conditions of the lab, from none to all."""


class Frames(NamedTuple):
    """The frames of a display, in order: three arrays of equal length."""

    begun: NDArray[np.int64]
    """The refresh at which each frame begins, in nanoseconds."""
    stamps: NDArray[np.int64]
    """The clock when the game reads it: a little later, and never before the last stamp."""
    stretch: NDArray[np.intp]
    """0 up to the first hitch, 1 up to the second, and so on."""


def simulate(display: SimulatedDisplay, trouble: Trouble, seconds: float, seed: int = 0) -> Frames:
    """Return frames for ``seconds`` plus the hitches.

    Equal arguments give equal frames on every machine.
    """
    random = np.random.default_rng([seed, zlib.crc32(f"{display.name} {trouble.name}".encode())])
    gaps = display.gaps(seconds, random)
    begins = np.concatenate([[0.0], np.cumsum(gaps)])
    if display.rate is not None:
        # not summed, so that rounding errors do not add up
        begins = np.arange(len(begins)) / display.rate
    begins = begins[np.concatenate([[True], random.random(len(gaps)) >= trouble.missed])]
    hitches = np.array(trouble.hitches)
    if display.rate is not None:
        # whole refreshes, so that the display's phase stays the same
        hitches = np.ceil(hitches * display.rate) / display.rate
    stretch = np.searchsorted(np.linspace(0, seconds, len(hitches) + 2)[1:-1], begins, side="right")
    begins += np.concatenate([[0.0], np.cumsum(hitches)])[stretch]
    begun = _BEGIN + np.round(begins * NANOSECONDS).astype(np.int64)
    late = (
        np.abs(random.normal(0, trouble.late, len(begun))) if trouble.late else np.zeros(len(begun))
    )
    stamps = np.maximum.accumulate(begun + np.round(late * NANOSECONDS).astype(np.int64))
    return Frames(begun, stamps, stretch)
