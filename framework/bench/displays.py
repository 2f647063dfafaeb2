"""Displays that are invented: when their frames begin, and when a busy CPU reads the clock for
them.

Pure arithmetic on nanoseconds, as in `timestep`, for the lab and for tests. A frame begins at a
refresh. From there it takes the display's own time to light, which is the same for every frame and
is left out here; what a frame shows can therefore be compared with the truth at the moment at which
it begins. A missed refresh has no frame: the picture before stays on for one more.
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
"""Refreshes a second of the displays that the lab looks at."""

VARIABLE, UNPACED = "vrr", "off"
_BEGIN = 7 * NANOSECONDS + 123  # any clock has run for a while
_VARIABLE = 48.0, 144.0  # frames a second, from and to
_FREE = 3e-3, 5e-3  # seconds: the shortest frame without vsync, and what comes on top on average


@dataclass(frozen=True)
class Display:
    """A screen: ``rate`` refreshes a second, or one of a kind without a fixed rate, ``rate`` None.

    The kinds: ``"vrr"`` refreshes when a frame is ready, 48 to 144 times a second, its pace
    wandering as a game's work does; ``"off"`` is vsync switched off, with frames as uneven as the
    work in them.
    """

    name: str
    rate: float | None = None

    @property
    def reported(self) -> float:
        """What the system says of the screen's rate: whole refreshes a second."""
        if self.rate is None:
            return _VARIABLE[1] if self.name == VARIABLE else 60.0
        return float(round(self.rate))

    def gaps(self, seconds: float, dice: np.random.Generator) -> NDArray[np.float64]:
        """Seconds between its refreshes, for a while of so many."""
        if self.rate is not None:
            return np.full(round(self.rate * seconds), 1 / self.rate)
        if self.name == VARIABLE:
            slow, fast = _VARIABLE
            pace = (slow + fast) / 2 + np.cumsum(dice.normal(0, 2.5, round(fast * seconds)))
            span = 2 * (fast - slow)
            pace = slow + np.abs(
                (pace - slow + span / 2) % span - span / 2
            )  # reflected at both ends
            gaps: NDArray[np.float64] = 1 / pace
        else:
            shortest, more = _FREE
            gaps = shortest + dice.exponential(more, round(seconds / shortest))
        return gaps[np.cumsum(gaps) < seconds]


def pick_displays(words: Sequence[str | float] | None) -> list[Display]:
    """The displays that ``words`` mean: refreshes a second, ``vrr`` or ``off``. None means all of
    the lab's.

    Raises `ValueError` for anything else.
    """
    displays = []
    for word in (*RATES, VARIABLE, UNPACED) if words is None else words:
        if word in (VARIABLE, UNPACED):
            displays.append(Display(str(word)))
            continue
        try:
            rate = float(word)
        except ValueError:
            rate = math.nan
        if not 10 <= rate <= 1000:
            raise ValueError(
                f"rates: expected 10 to 1000 Hz, {VARIABLE!r} or {UNPACED!r}, got {word!r}"
            )
        displays.append(Display(f"{rate:g}", rate))
    return list(dict.fromkeys(displays))


@dataclass(frozen=True)
class Trouble:
    """What is wrong with the frames of a display.

    Stamps are late by the magnitude of a normal whose standard deviation is ``late`` seconds (a
    half-normal); the share ``missed`` of the refreshes gets no frame; once for each of the
    ``hitches``, evenly over the time, the game stands still for so many seconds.
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
"""From none to all that the lab looks at."""


class Frames(NamedTuple):
    """The frames of a display, in order: three arrays of the same length."""

    begun: NDArray[np.int64]
    """The refresh at which each begins, nanoseconds."""
    stamps: NDArray[np.int64]
    """What the clock says when the game gets to read it: a little later, never earlier than the
    last.
    """
    stretch: NDArray[np.intp]
    """0 up to the first hitch, 1 up to the second, and so on."""


def simulate(display: Display, trouble: Trouble, seconds: float, seed: int = 0) -> Frames:
    """``seconds`` of frames (hitches come on top), the same for the same arguments on every
    machine.
    """
    dice = np.random.default_rng([seed, zlib.crc32(f"{display.name} {trouble.name}".encode())])
    gaps = display.gaps(seconds, dice)
    begins = np.concatenate([[0.0], np.cumsum(gaps)])
    if display.rate is not None:
        begins = np.arange(len(begins)) / display.rate  # not summed: no rounding gathers
    begins = begins[np.concatenate([[True], dice.random(len(gaps)) >= trouble.missed])]
    hitches = np.array(trouble.hitches)
    if display.rate is not None:
        hitches = (
            np.ceil(hitches * display.rate) / display.rate
        )  # it is still the same display after them
    stretch = np.searchsorted(np.linspace(0, seconds, len(hitches) + 2)[1:-1], begins, side="right")
    begins += np.concatenate([[0.0], np.cumsum(hitches)])[stretch]
    begun = _BEGIN + np.round(begins * NANOSECONDS).astype(np.int64)
    late = (
        np.abs(dice.normal(0, trouble.late, len(begun))) if trouble.late else np.zeros(len(begun))
    )
    stamps = np.maximum.accumulate(begun + np.round(late * NANOSECONDS).astype(np.int64))
    return Frames(begun, stamps, stretch)
