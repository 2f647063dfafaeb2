"""Audio buses: groups of voices that share a volume, a pitch and a pause."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TypeVar

from .. import checks
from ..checks import Sealed, Setting
from ..other_engines.misspellings import misspelling_of
from ..other_engines.other_names import other_names, words

_DEFAULTS = ("effects", "music")

T = TypeVar("T")

MAX_VOLUME = 16.0
"""The largest volume: 24 decibels above the recorded sound."""
MAX_PITCH = 16.0
"""The largest pitch: four octaves up."""
MIN_PITCH = 1 / 1024


def checked_volume(name: str, value: object) -> float:
    """Return a checked volume from 0 to 16. 0 is silence, and 1 is the volume of the recording."""
    return checks.number(name, value, least=0, most=MAX_VOLUME)


def checked_pitch(name: str, value: object) -> float:
    """Return a checked pitch, 1/1024 to 16: 2 is an octave up and twice as fast."""
    return checks.number(name, value, least=MIN_PITCH, most=MAX_PITCH)


class Shared(Setting[T]):
    """A setting of a bus, such as `Bus.volume`. If you change it, the mixer updates all voices."""

    def keep(self, bus: Bus, value: T) -> None:
        super().keep(bus, value)
        bus._changed()


class Bus(Sealed):
    """A group of voices with a common volume: ``self.audio.buses["speech"].volume = 0.5``.

    A new volume or pitch does not apply at once, which would click. It changes linearly over one
    tick, and at least 5 ms. A voice is in the bus "effects" by default, and music is in the bus
    "music".
    """

    __slots__ = ("_changed", "_follows_time", "_paused", "_pitch", "_volume", "name")

    not_state = True

    volume = Shared(checked_volume, "Volume of the bus: 1 leaves it unchanged, 0 is silence.")
    pitch = Shared(checked_pitch, "Pitch and speed: 2 is an octave up and twice as fast.")
    paused = Shared(checks.flag, "Whether the voices of the bus are paused.")
    follows_time = Shared(
        checks.flag, "Whether the game's time scale also slows down and lowers the voices."
    )

    def __init__(self, name: str, changed: Callable[[], object]) -> None:
        self._changed = changed
        self.name = name
        self._volume = self._pitch = 1.0
        self._paused = self._follows_time = False

    def __repr__(self) -> str:
        return f"<Bus {self.name!r}, volume {self.volume:g}>"


@other_names(
    "buses",
    {
        **words("music effects sfx voice speech master", "write audio.buses['music'].volume = 0.5"),
    },
)
class Buses:
    """All audio buses of a game, by name. The first access to a name creates the bus.

    If a new name is almost the name of another bus, there is a `RuntimeWarning`. To create such a
    bus without a warning, call `add`.
    """

    not_state = True

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._known: dict[str, Bus] = {}

    def __getitem__(self, name: str) -> Bus:
        return self.of(checks.text("bus", name))

    def of(self, name: str) -> Bus:
        """Return the bus ``name``, and create it if it does not exist. The caller has already
        checked the name.
        """
        bus = self._known.get(name)
        if bus is None:
            meant = misspelling_of(name, {*_DEFAULTS, *self._known})
            if meant is not None:
                warnings.warn(
                    f"buses: {name!r} is a new bus; did you mean {meant!r}? If the bus is meant, "
                    f"create it before its first use: audio.buses.add({name!r})",
                    RuntimeWarning,
                    stacklevel=3,
                )
            bus = self._known[name] = Bus(name, self._changed)
        return bus

    def add(self, name: str) -> Bus:
        """Create a bus, and return it. If the bus exists, return the existing bus.

        You need `add` only if the new name is almost the name of another bus. It avoids the
        warning.
        """
        name = checks.text("name", name)
        return self._known.setdefault(name, Bus(name, self._changed))

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._known))
