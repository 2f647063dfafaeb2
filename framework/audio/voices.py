"""A voice: one sound that is being heard, with what a game may change of it, and where the mixer is
in it.
"""

from __future__ import annotations

__all__ = ["Voice"]

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.sounds import RATE
from ..checks import Sealed, Setting
from ..geometry import exact
from .groups import Group, checked_pitch, checked_volume
from .hearing import Place, Placed, checked_place, checked_reach

T = TypeVar("T")

ONE = 1 << 16
"""A sample, in the units in which places in a sound are counted."""

FAR = math.inf
"""The end of what has none."""

SHORTEST_FADE = 240
"""Samples, 5 ms: whatever ends or changes takes so long at least, so that nothing clicks."""


class VoiceOptions(NamedTuple):
    """The options of a new voice, checked by `checked_options`. `Sound.play` documents them."""

    volume: float = 1.0
    pitch: float = 1.0
    pan: float = 0.0
    position: Place | Placed | None = None
    fade: float = 0.0
    group: str = "effects"
    priority: float = 0.0
    reach: float | None = None


def checked_options(
    volume: float,
    pitch: float,
    pan: float,
    position: object,
    fade: float,
    group: str,
    priority: float,
    reach: float | None,
) -> VoiceOptions:
    """Check the options of a new voice. This is the one place: `Voice` takes them as they are."""
    return VoiceOptions(
        checked_volume("volume", volume),
        checked_pitch("pitch", pitch),
        _pan("pan", pan),
        checked_place("position", position),
        checks.number("fade", fade, least=0, most=3600),
        checks.text("group", group),
        checks.number("priority", priority),
        checked_reach("reach", reach),
    )


def checked_loop(loop: object, length: int | None) -> tuple[int, int | None] | None:
    """Whether a sound is played again and again, or which samples of it are: the first, and the one
    after the last.
    """
    if checks.is_flag(loop) or (isinstance(loop, int | float) and loop in (0, 1)):
        return (0, length) if loop else None
    start, end = checks.pair("loop", loop, least=0)
    low, high = round(start * RATE), round(end * RATE)
    if low >= high or (length is not None and high > length):
        there = "" if length is None else f" of the {length / RATE:g} it has"
        raise checks.wrong_value(
            "loop", f"the second{there} that is played again first, and a later one", loop
        )
    return low, high


class Source(Protocol):
    """Where samples come from."""

    channels: int
    length: int | None
    """Samples, where it is known."""

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """The samples from ``first`` on, float32 (channels or 1, count); 0 beyond the end. Nobody
        writes into it.
        """

    def skip(self, first: int) -> None:
        """Nobody hears the samples before ``first``: note the length, should that be where it
        ends.
        """

    def wrapped(self, place: int) -> int:
        """The same sample of a loop, the first time round; in units of a sample and of `ONE`."""


class Track:
    """Where the mixer is in a voice. No `Sealed`: the mixer writes here for every voice in every
    tick.
    """

    __slots__ = (
        "began",
        "end",
        "ended",
        "ending",
        "even",
        "fade",
        "fresh",
        "gains",
        "place",
        "place_heard",
        "playing",
        "source",
        "stale",
        "step",
        "to_step",
        "voice",
    )

    def __init__(self, voice: Voice, source: Source) -> None:
        self.voice, self.source = voice, source
        self.place = 0
        """Where in the sound it is, in units of 1 / `ONE` samples; in a loop counted on."""
        self.end: float = FAR if source.length is None else source.length * ONE
        self.step = self.to_step = 0
        """How far it goes in a sample: now, and at the end of the stretch."""
        self.gains = 0.0, 0.0, 0.0, 0.0
        """Of the left and of the right: now, and at the end of the stretch."""
        self.fade: tuple[int, float, int, float] | None = None
        """From which moment and level to which moment and level; moments in samples of the mix."""
        self.even = False
        """Whether the fade is half of a crossfade: the squares of both levels add up to 1, as the
        powers of two pieces of music do."""
        self.place_heard: tuple[float, ...] | None = None
        """Where in the world it was last."""
        self.fresh = self.stale = self.playing = True
        self.ending = False
        self.began = self.ended = 0
        """The ticks in which the voice was begun, and stopped."""

    def fade_to(self, level: float, now: int, length: int) -> None:
        """Go to a level in so many samples from ``now`` on."""
        old, self.even = self.level(now), False
        self.fade = now, old, now + max(length, SHORTEST_FADE), level

    def level(self, now: int) -> float:
        """How far it is faded in, 0..1."""
        return 1.0 if self.fade is None else float(self.levels(np.array(now)))

    def levels(self, moments: NDArray[np.signedinteger]) -> Doubles:
        """The same of a voice that fades, at many moments: float64."""
        assert self.fade is not None
        begin, old, end, new = self.fade
        passed = np.clip((moments - begin) / (end - begin), 0.0, 1.0)
        if not self.even:
            return np.asarray(old + (new - old) * passed)
        levels: tuple[Doubles, Doubles] = exact.sincos(passed * (math.pi / 2))
        coming, going = levels
        return np.asarray(old * going + new * coming)


def _pan(name: str, value: object) -> float:
    return checks.number(name, value, least=-1, most=1)


def _group(name: str, value: object) -> Group:
    return checks.instance(name, value, Group)


class _Heard(Setting[T]):
    """A setting at which the mixer looks again."""

    def keep(self, thing: Voice, value: T) -> None:
        """Note the value, and that."""
        super().keep(thing, value)
        track_of(thing).stale = True


class Voice(Sealed):
    """A sound that is being heard: what `Sound.play` returns.

    What is set takes effect at the moment of the tick, and is reached in a straight line when the
    next one is due. Nothing of it is a state of the game: going back to an earlier tick does not
    change it.
    """

    __slots__ = (
        "__weakref__",
        "_group",
        "_now",
        "_pan",
        "_pitch",
        "_position",
        "_priority",
        "_reach",
        "_track",
        "_volume",
        "sound",
    )

    _transient_attributes = True

    volume = _Heard(checked_volume, "How loud: 1 as it was recorded, 0 is silence.")
    pitch = _Heard(checked_pitch, "How high, and how fast: 2 is an octave up and twice as fast.")
    pan = _Heard(_pan, "From -1, left, to 1, right.")
    position = _Heard(
        checked_place,
        "Where it is: a sprite, an instance, a point; None for nowhere, and just as "
        "loud everywhere.",
    )

    group = _Heard(
        _group,
        'Its group, as ``game.audio.groups["speech"]`` is one.',
    )
    priority = Setting(checks.number, "When there are too many voices, the lowest is stopped.")
    reach = _Heard(
        checked_reach, "The distance at which it is half as loud; None for that of `Audio.reach`."
    )

    def __init__(
        self,
        sound: object,
        source: Source,
        group: Group,
        options: VoiceOptions,
        now: Callable[[], tuple[int, int]],
    ) -> None:
        """``now`` returns the moment at which something is done: the sample, and the tick."""
        self._track = Track(self, source)
        self.sound, self._now = sound, now
        self._group = group
        self._volume, self._pitch, self._pan = options.volume, options.pitch, options.pan
        self._position = options.position
        self._priority, self._reach = options.priority, options.reach

    @property
    def playing(self) -> bool:
        """Whether it is heard, or fades out."""
        return self._track.playing

    @property
    def seconds(self) -> float:
        """Where in the sound it is."""
        return self._track.source.wrapped(self._track.place) / (ONE * RATE)

    def stop(self, fade: float = 0.0) -> None:
        """Fade out in so many seconds, 5 ms at least, and be over. One that fades out already does
        so sooner, if that is sooner; of one that is over, does nothing."""
        length = round(checks.number("fade", fade, least=0, most=3600) * RATE)
        track = self._track
        if not track.playing:
            return
        now, tick = self._now()
        if not track.ending:
            track.ended, track.ending = tick, True
        elif track.fade is not None and now + max(length, SHORTEST_FADE) >= track.fade[2]:
            return
        track.fade_to(0.0, now, length)

    def __repr__(self) -> str:
        return f"<Voice of {self.sound!r}{'' if self.playing else ', over'}>"


def track_of(voice: Voice) -> Track:
    """Return where the mixer is in a voice."""
    return voice._track
