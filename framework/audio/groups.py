"""Groups of voices: effects, music, speech, each with a volume of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from .. import checks
from ..checks import Sealed, Setting

T = TypeVar("T")

LOUDEST = 16.0
"""Of volumes: 24 decibels more than a sound has."""
HIGHEST_PITCH = 16.0
"""Four octaves up."""
LOWEST_PITCH = 1 / 1024


def checked_volume(name: str, value: object) -> float:
    """A volume: 0 is silence, 1 as it was recorded."""
    return checks.number(name, value, least=0, most=LOUDEST)


def checked_pitch(name: str, value: object) -> float:
    """A pitch: 2 is an octave up, and twice as fast."""
    return checks.number(name, value, least=LOWEST_PITCH, most=HIGHEST_PITCH)


class Shared(Setting[T]):
    """A setting that concerns many voices: they look again."""

    def keep(self, thing: Group, value: T) -> None:
        """Note the value, and tell."""
        super().keep(thing, value)
        thing._changed()


class Group(Sealed):
    """Voices that are made louder, or are halted, together: ``self.audio.groups["speech"].volume =
    0.5``.

    What is set is reached in a straight line within a tick, and in 5 ms at least, so that nothing
    clicks.
    """

    __slots__ = ("_changed", "_follows_time", "_paused", "_pitch", "_volume", "name")

    not_state = True

    volume = Shared(checked_volume, "How loud: 1 as it is, 0 is silence.")
    pitch = Shared(checked_pitch, "How fast, and how high: 2 is an octave up.")
    paused = Shared(checks.flag, "Whether its voices stand still.")
    follows_time = Shared(
        checks.flag, "Whether its voices become slower and lower in slow motion, by the time scale."
    )

    def __init__(self, name: str, changed: Callable[[], object]) -> None:
        self._changed = changed
        self.name = name
        self._volume = self._pitch = 1.0
        self._paused = self._follows_time = False

    def __repr__(self) -> str:
        return f"<Group {self.name!r}, volume {self.volume:g}>"


class Groups:
    """The groups by name; each is made when it is first asked for."""

    not_state = True

    def __init__(self, changed: Callable[[], object]) -> None:
        self._changed = changed
        self._known: dict[str, Group] = {}

    def __getitem__(self, name: str) -> Group:
        return self.of(checks.text("group", name))

    def of(self, name: str) -> Group:
        """Return the group of a name that was checked."""
        group = self._known.get(name)
        if group is None:
            group = self._known[name] = Group(name, self._changed)
        return group

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._known))
