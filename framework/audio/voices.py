"""Voices: sounds that are playing, with volume, pitch, pan and position."""

from __future__ import annotations

__all__ = ["Voice"]

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..arrays import Doubles, Floats
from ..assets.sounds import RATE
from ..checks import Sealed, Setting
from ..geometry import exact
from ..moved_names import HasMoved, moved
from ..other_engines.audio_names import voice_names
from ..other_engines.other_options import made_by
from ..record.effect_log import Withdrawable
from .buses import Bus, checked_pitch, checked_volume
from .positional import HasPosition, Place, checked_place, checked_reach

T = TypeVar("T")

ONE = 1 << 16
"""The number of position units per sample. Positions in a sound are integers of 1 / 65,536 samples."""

FAR = math.inf
"""The end of a source if its length is unknown, as for a stream or a loop."""

MIN_FADE = 240
"""Minimum length of every fade and every change in samples: 5 ms, to avoid clicks."""

WITHDRAWN_FADE = 0.03
"""The duration of the fade in `Voice._withdraw`, in seconds."""


class Moment(NamedTuple):
    """The time when the game calls a method of a voice, as a sample and a tick."""

    sample: int
    """The number of the current sample of the mix."""
    tick: int
    """The number of the tick that is running, or of the last tick."""
    again: bool
    """Whether the tick has run before and now runs again."""


class VoiceOptions(NamedTuple):
    """The options of a new voice, checked by `checked_options`. See `Sound.play`."""

    volume: float = 1.0
    pitch: float = 1.0
    pan: float = 0.0
    position: Place | HasPosition | None = None
    fade: float = 0.0
    bus: str = "effects"
    priority: float = 0.0
    reach: float | None = None


def checked_options(
    volume: float,
    pitch: float,
    pan: float,
    position: object,
    fade: float,
    bus: str,
    priority: float,
    reach: float | None,
) -> VoiceOptions:
    """Check the options of a new voice and return them. `Voice` does not check the options again."""
    return VoiceOptions(
        checked_volume("volume", volume),
        checked_pitch("pitch", pitch),
        _pan("pan", pan),
        checked_place("position", position),
        checks.number("fade", fade, least=0, most=3600),
        checks.text("bus", bus),
        checks.number("priority", priority),
        checked_reach("reach", reach),
    )


def checked_loop(loop: object, length: int | None) -> tuple[int, int | None] | None:
    """Return the first sample of the repeated part of a sound, and the sample after the end of this
    part.

    Return None if the sound does not repeat. ``length`` is the length of the sound in samples.
    """
    if checks.is_flag(loop) or (isinstance(loop, int | float) and loop in (0, 1)):
        return (0, length) if loop else None
    start, end = checks.pair("loop", loop, least=0)
    low = round(start * RATE)
    high = round(end * RATE)
    if low >= high or (length is not None and high > length):
        available = "" if length is None else f" of {length / RATE:g}"
        raise checks.wrong_value(
            "loop", f"the first repeated second{available} and a later one", loop
        )
    return low, high


class SampleSource(Protocol):
    """The interface of a sample source: a decoded sound or a stream. A voice reads its samples."""

    channels: int
    length: int | None
    """The number of samples. The number is None for a loop, and for a stream until the end of the
    stream is known.
    """

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """Return ``count`` samples from the sample ``first`` on, float32 (channels or 1, count).
        After the end of the sound, samples are 0.

        The caller must not change the returned array.
        """

    def skip(self, first: int) -> None:
        """Skip the samples before ``first``. The voice is not audible, so these samples are not
        decoded.

        If the source ends before ``first``, `skip` sets `length` to the number of samples in the
        source.
        """

    def wrapped(self, place: int) -> int:
        """Return the position in the sound for ``place``, a position that keeps increasing while a
        loop repeats.

        The unit of both positions is 1 / `ONE` samples.
        """


class MixerTrack:
    """The state of a voice in the mixer: the position in the sound, the gains and the fade.

    The base class `Sealed` checks each assignment, which takes time. This class does not use
    `Sealed`, because the mixer assigns these attributes for each voice in each tick.
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
        "last_position",
        "place",
        "playing",
        "source",
        "stale",
        "step",
        "to_step",
        "voice",
    )

    def __init__(self, voice: Voice, source: SampleSource) -> None:
        self.voice = voice
        self.source = source
        self.place = 0
        """Position in the sound, in units of 1 / `ONE` samples.

        In a loop, the position keeps increasing.
        """
        self.end: float = FAR if source.length is None else source.length * ONE
        self.step = self.to_step = 0
        """How far the voice advances per sample, in units of 1 / `ONE` samples. This is the value
        at the end of the current call of `Mixer.run`.
        """
        self.gains = 0.0, 0.0, 0.0, 0.0
        """Four volumes: left and right at the start of the current call of `Mixer.run`, and left
        and right at its end.
        """
        self.fade: tuple[int, float, int, float] | None = None
        """The fade: the first sample of the mix, the level there, the last sample, and the level
        there. It is None without a fade.
        """
        self.even = False
        """Whether the fade is half of a crossfade with equal power.

        In such a crossfade, the squares of the two levels add up to 1.
        """
        self.last_position: tuple[float, ...] | None = None
        """The last known position of the voice in the world. The mixer uses it after the sprite in
        `Voice.position` was removed.
        """
        self.fresh = self.stale = self.playing = True
        self.ending = False
        self.began = self.ended = 0
        """The tick in which the voice was stopped, or 0. While this tick runs again, and has not
        stopped the voice again so far, `ended` is -1.

        The attribute `began` is the tick in which the voice began.
        """

    def fade_to(self, level: float, now: int, length: int) -> None:
        """Fade to ``level`` (0 to 1) over ``length`` samples, from the sample ``now`` of the mix."""
        old = self.level(now)
        self.even = False
        self.fade = now, old, now + max(length, MIN_FADE), level

    def level(self, now: int) -> float:
        """Return the level of the voice's fade at the sample ``now`` of the mix, 0 to 1."""
        return 1.0 if self.fade is None else float(self.levels(np.array(now)))

    def levels(self, moments: NDArray[np.signedinteger]) -> Doubles:
        """Return the levels of the voice's fade at n samples of the mix. The array is float64
        (n,).
        """
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


def _bus(name: str, value: object) -> Bus:
    return checks.instance(name, value, Bus)


class _MixerSetting(Setting[T]):
    """A setting of a voice that the mixer reads, such as `Voice.volume`. If the setting changes,
    the mixer updates the voice.
    """

    def keep(self, voice: Voice, value: T) -> None:
        super().keep(voice, value)
        track_of(voice).stale = True


@moved("voice", {}, settings={"group": "bus"})
@voice_names
@made_by("write voice = fw.Sound('jump.wav').play()")
class Voice(Sealed, HasMoved, Withdrawable):
    """A sound that is playing: the return value of `Sound.play`.

    If you change a setting such as `volume`, the voice changes linearly to the new value until the
    next tick. Voices are not part of the state of a game. If the game restores a snapshot, voices
    do not change.
    """

    __slots__ = (
        "__weakref__",
        "_bus",
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

    volume = _MixerSetting(
        checked_volume, "Volume: 1 is as recorded, 0 is silence, 16 is the maximum."
    )
    pitch = _MixerSetting(checked_pitch, "Pitch and speed: 2 is an octave up and twice as fast.")
    pan = _MixerSetting(
        _pan, "Pan: -1 is left only, 1 is right only, and 0 leaves both sides unchanged."
    )
    position = _MixerSetting(
        checked_place,
        "The position in the world: a sprite, an instance or a point. None: equally loud everywhere.",
    )

    bus = _MixerSetting(
        _bus,
        'The `Bus` of the voice, such as ``game.audio.buses["speech"]``.',
    )
    priority = Setting(
        checks.number,
        "Importance of the voice. If there are too many voices, the lowest priority is stopped.",
    )
    reach = _MixerSetting(
        checked_reach, "The distance at which the voice is half as loud. None: `Audio.reach`."
    )

    def __init__(
        self,
        sound: object,
        source: SampleSource,
        bus: Bus,
        options: VoiceOptions,
        now: Callable[[], Moment],
    ) -> None:
        """``now`` returns the current sample of the mix and the current tick."""
        self._track = MixerTrack(self, source)
        self.sound = sound
        self._now = now
        self._bus = bus
        self._volume = options.volume
        self._pitch = options.pitch
        self._pan = options.pan
        self._position = options.position
        self._priority = options.priority
        self._reach = options.reach

    @property
    def playing(self) -> bool:
        """Whether the voice is playing or fading out. `playing` is False after the end of the
        voice.
        """
        return self._track.playing

    @property
    def seconds(self) -> float:
        """The current position of the voice in its sound, in seconds.

        When a loop repeats, the position returns to the start of the loop.
        """
        return self._track.source.wrapped(self._track.place) / (ONE * RATE)

    def stop(self, fade: float = 0.0) -> None:
        """Fade out the voice over ``fade`` seconds, at least 5 ms, and end it.

        If the voice is fading out already, only a ``fade`` that is shorter than the remaining time
        has an effect. If the voice has ended, `stop` does nothing.
        """
        length = round(checks.number("fade", fade, least=0, most=3600) * RATE)
        track = self._track
        if track.ended < 0:  # the tick that stopped the voice runs again, and stops it again
            track.ended = self._now().tick
        if not track.playing:
            return
        now, tick, again = self._now()
        if again and track.began > tick:  # this run of the tick is before the voice
            return
        if not track.ending:
            track.ended = tick
            track.ending = True
        elif track.fade is not None and now + max(length, MIN_FADE) >= track.fade[2]:
            return
        track.fade_to(0.0, now, length)

    def _withdraw(self) -> None:
        """Fade out, because the tick has run again and no longer begins this voice."""
        self.stop(WITHDRAWN_FADE)

    def _change(self, options: dict[str, Any]) -> None:
        """Set the given options of `Sound.play` to new values."""
        for name, value in options.items():
            if name not in ("fade", "bus"):  # the fade-in has begun, and no voice changes its bus
                setattr(self, f"_{name}", value)
        self._track.stale = True

    def __repr__(self) -> str:
        return f"<Voice of {self.sound!r}{'' if self.playing else ', over'}>"


def track_of(voice: Voice) -> MixerTrack:
    """Return the `MixerTrack` of a voice, its state in the mixer."""
    return voice._track
