"""Voices: sounds that are playing, with volume, pitch, pan and position."""

from __future__ import annotations

__all__ = ["Voice"]

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from .. import checks
from ..assets.sounds import RATE
from ..checks import Sealed, Setting
from ..moved_names import HasMoved, moved
from ..other_engines.audio_names import voice_names
from ..other_engines.other_options import made_by
from ..record.effect_log import Withdrawable
from .buses import Bus, checked_pitch, checked_volume
from .mixer_track import MIN_FADE, ONE, MixerTrack, SampleSource
from .positional import HasPosition, Place, checked_place, checked_reach

T = TypeVar("T")

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
