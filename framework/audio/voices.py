"""Playing sounds (voices), with their volume, pitch, pan and position."""

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
from .occlusion import checked_occlusion
from .positional import HasPosition, Place, checked_place, checked_reach

T = TypeVar("T")

_MAX_SECONDS = 1_000_000
_MAX_JUMPS = 64  # the maximum number of stored seeks, for ticks that run again

WITHDRAWN_FADE = 0.03
"""The duration of the fade in `Voice._withdraw`, in seconds."""


class Moment(NamedTuple):
    """The time at which the game calls a method of a voice, as a sample number and a tick
    number.
    """

    sample: int
    """The number of the current sample of the mix."""
    tick: int
    """The number of the tick that is running, or of the most recent tick."""
    again: bool
    """Whether the tick has run before and is now running again."""
    standing: bool = False
    """Whether the game is paused at an earlier tick. If so, ticks do not change voices."""


class VoiceOptions(NamedTuple):
    """The options of a new voice, after `checked_options` has checked them. See `Sound.play`."""

    volume: float = 1.0
    pitch: float = 1.0
    pan: float = 0.0
    position: Place | HasPosition | None = None
    fade: float = 0.0
    bus: str = "effects"
    priority: float = 0.0
    reach: float | None = None
    start: float = 0.0
    at: float | None = None
    occlusion: Any = None


def checked_options(
    volume: float,
    pitch: float,
    pan: float,
    position: object,
    fade: float,
    bus: str,
    priority: float,
    reach: float | None,
    start: float = 0.0,
    at: float | None = None,
    occlusion: object = None,
) -> VoiceOptions:
    """Check the options of a new voice and return them. The constructor of `Voice` does not check
    the options again.
    """
    return VoiceOptions(
        checked_volume("volume", volume),
        checked_pitch("pitch", pitch),
        _pan("pan", pan),
        checked_place("position", position),
        checks.number("fade", fade, least=0, most=3600),
        checks.text("bus", bus),
        checks.number("priority", priority),
        checked_reach("reach", reach),
        start,
        None if at is None else checks.number("at", at),
        checked_occlusion("occlusion", occlusion),
    )


def checked_loop(loop: object, length: int | None) -> tuple[int, int | None] | None:
    """Check the option ``loop``. Return two numbers: the first sample of the repeated part, and the
    sample after this part.

    Return None if the sound does not repeat. ``length`` is the length of the sound in samples, or
    None if the length is unknown.
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


def checked_second(name: str, seconds: object, length: int | None) -> float:
    """Check a position in a sound, in seconds, and return it. ``length`` is the length of the sound
    in samples, or None if the length is unknown.
    """
    if length is None:
        return checks.number(name, seconds, least=0, most=_MAX_SECONDS)
    value = checks.number(name, seconds, least=0)
    if value * RATE > length + 0.5:
        raise checks.wrong_value(name, f"0 to {length / RATE:g}, the duration of the sound", value)
    return value


def _pan(name: str, value: object) -> float:
    return checks.number(name, value, least=-1, most=1)


def _bus(name: str, value: object) -> Bus:
    return checks.instance(name, value, Bus)


class _MixerSetting(Setting[T]):
    """A setting of a voice that the mixer uses, such as `Voice.volume`. If you change the setting,
    the mixer updates the voice.
    """

    def keep(self, voice: Voice, value: T) -> None:
        super().keep(voice, value)
        track_of(voice).stale = True


class _BusSetting(_MixerSetting[Bus]):
    """The bus of a voice, which must be a bus of the same game."""

    def keep(self, voice: Voice, value: Bus) -> None:
        if value.buses is not voice.bus.buses:
            raise checks.wrong_value("bus", "a bus of the same game", value)
        super().keep(voice, value)


@moved("voice", {}, settings={"group": "bus"})
@voice_names
@made_by("write voice = fw.Sound('jump.wav').play()")
class Voice(Sealed, HasMoved, Withdrawable):
    """A sound that is playing: the return value of `Sound.play`.

    If you change a setting such as `volume`, it changes linearly, and reaches the new value at the
    next tick. Voices are not part of a game's state: they do not change when the game restores a
    snapshot.
    """

    __slots__ = (
        "__weakref__",
        "_bus",
        "_now",
        "_occlusion",
        "_pan",
        "_paused",
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
        checked_volume, "The volume: 1 is the recorded volume, 0 is silence, and 16 is the maximum."
    )
    pitch = _MixerSetting(
        checked_pitch,
        "The pitch and the speed: with 2, the voice is an octave higher and twice as fast.",
    )
    pan = _MixerSetting(
        _pan, "The pan: -1 is left only, 1 is right only, and 0 leaves both sides unchanged."
    )
    position = _MixerSetting(
        checked_place,
        "The position in the world: a sprite, an instance or a point. With None, the voice is equally "
        "loud everywhere.",
    )

    bus = _BusSetting(
        _bus,
        'The `Bus` of the voice, such as ``game.audio.buses["speech"]``.',
    )
    paused = _MixerSetting(
        checks.flag,
        "Whether the voice is paused. A paused voice fades out and keeps its position. Set `paused` to "
        "False to resume the voice.",
    )
    priority = Setting(
        checks.number,
        "The importance of the voice. If there are too many voices, the voice with the lowest "
        "priority is stopped.",
    )
    reach = _MixerSetting(
        checked_reach,
        "The distance at which the voice is half as loud. With None, `Audio.reach` is used.",
    )
    occlusion = _MixerSetting[Any](
        checked_occlusion,
        "How much walls block the sound of a voice with a position: a number from 0 to 1, a function, "
        "or the walls of a world. With None, `Audio.occlusion` is used. See `Sound.play`.",
    )

    def __init__(
        self,
        sound: object,
        source: SampleSource,
        bus: Bus,
        options: VoiceOptions,
        now: Callable[[], Moment],
    ) -> None:
        """``now`` is a function that returns the current sample of the mix, and the current tick."""
        self._track: MixerTrack[Voice] = MixerTrack(self, source)
        self.sound = sound
        self._now = now
        self._bus = bus
        self._volume = options.volume
        self._pitch = options.pitch
        self._pan = options.pan
        self._position = options.position
        self._priority = options.priority
        self._reach = options.reach
        self._occlusion = options.occlusion
        self._paused = False

    @property
    def playing(self) -> bool:
        """Whether the voice is playing or fading out. The value is False after the voice has ended."""
        return self._track.playing

    @property
    def seconds(self) -> float:
        """The current position of the voice in its sound, in seconds.

        In a loop, the position returns to the start of the loop.
        """
        track = self._track
        position = track.place if track.jump is None else track.jump
        return track.source.wrapped(position) / (ONE * RATE)

    def seek(self, seconds: float) -> None:
        """Continue at the position ``seconds`` in the sound. The mixer crossfades over 5 ms, so
        that no click is audible.

        If the voice loops, a position after the end of the loop is converted to a position in the
        loop. The voice ends if a stream has no sound at this position. The method does nothing if
        the voice has already ended.

        Parameters
        ----------
        seconds
            The new position in seconds, from 0 to the duration of the sound.

        Raises `ValueError` if ``seconds`` is below 0, or after the end of the sound.
        """
        target = seek_target(self, seconds)
        track = self._track
        moment = self._now()
        if not track.playing or moment.standing:
            return
        entry = moment.tick, target
        # The seek has no effect if this tick is before the start of the voice, or if the first run
        # of the tick already made the same seek.
        if moment.again and (track.began > moment.tick or entry in track.jumps):
            return
        track.jumps = [*track.jumps[1 - _MAX_JUMPS :], entry]
        track.seek(target)

    def stop(self, fade: float = 0.0) -> None:
        """Fade out the voice over ``fade`` seconds (at least 5 ms), then end it.

        If the voice is already fading out, ``fade`` only matters if it is shorter than the
        remaining time. The method does nothing if the voice has already ended.
        """
        fade = checks.number("fade", fade, least=0, most=3600)
        track = self._track
        if track.ended < 0:  # this tick has stopped the voice in its first run, and stops it again
            track.ended = self._now().tick
        if not track.playing:
            return
        _, tick, again, _ = self._now()
        if again and track.began > tick:  # this tick is before the start of the voice
            return
        if not track.ending:
            track.ended = tick
        fade_out(self, fade)

    def _tween_start(self, name: str, value: Any) -> Any:
        """Called by a tween of a voice setting. Return the value from which the tween starts."""
        return self._bus.buses.tween_start(self, name, value)

    def _withdraw(self) -> None:
        """Fade out the voice, because the tick has run again and has not started this voice."""
        self.stop(WITHDRAWN_FADE)

    def _change(self, options: dict[str, Any]) -> None:
        """Change the options of `Sound.play` for a voice that is already playing."""
        for name, value in options.items():
            # These options cannot change once the voice is playing.
            if name not in ("fade", "bus", "start", "at"):
                setattr(self, f"_{name}", value)
        self._track.stale = True

    def __repr__(self) -> str:
        return f"<Voice of {self.sound!r}{'' if self.playing else ', over'}>"


def track_of(voice: Voice) -> MixerTrack[Voice]:
    """Return the `MixerTrack` of a voice, which contains its state in the mixer."""
    return voice._track


def fade_out(voice: Voice, fade: float) -> None:
    """Fade out a voice over ``fade`` seconds, then end it. See `Voice.stop`."""
    track = voice._track
    if not track.playing:
        return
    now = voice._now().sample
    length = round(fade * RATE)
    if track.ending and track.fade is not None and now + max(length, MIN_FADE) >= track.fade[2]:
        return
    track.ending = True
    track.fade_to(0.0, now, length)


def seek_target(voice: Voice, seconds: object) -> int:
    """Check the argument of `Voice.seek`. Return the position in units of 1 / `ONE` samples."""
    duration = getattr(voice.sound, "duration", None)
    length = None if duration is None else round(duration * RATE)
    return round(checked_second("seconds", seconds, length) * RATE) * ONE


def change_volume(voice: Voice, volume: float, samples: int) -> None:
    """Change the volume of a voice linearly over ``samples`` samples of the mix. See
    `MusicLayers.fade`.
    """
    if volume != voice.volume:
        track = voice._track
        if track.fresh and track.begin_volume is None:
            track.begin_volume = voice.volume
        track.ramp_until = voice._now().sample + samples
        voice.volume = volume
