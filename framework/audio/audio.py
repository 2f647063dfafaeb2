"""`game.audio`: the volume of a game, its buses, its music, and all sounds that are playing.

To write all sounds of a game to a file, use `Audio.capture`.
"""

from __future__ import annotations

__all__ = ["Audio"]

import os
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from .. import checks
from ..checks import Sealed, Setting
from ..motion.camera_base import CameraBase
from ..moved_names import HasMoved, moved
from ..other_engines.other_names import Hinted, words
from ..other_engines.other_options import made_by
from .buses import Buses, checked_volume
from .mixer import Mixer
from .mixer_track import SampleSource
from .music import Music
from .occlusion import checked_occlusion
from .positional import checked_reach
from .voices import Voice, VoiceOptions
from .wave_file import AudioCapture, WaveFile


class AudioConsole(Protocol):
    """The attributes and methods of a `Console` that `Audio` and `Sound` use."""

    mixer: Mixer

    @property
    def device(self) -> str | None: ...
    @property
    def time(self) -> Fraction: ...
    def begin(
        self,
        sound: object,
        source: SampleSource,
        options: VoiceOptions,
        key: Hashable,
        *,
        content: Hashable = None,
    ) -> Voice: ...
    def prepare_long_sounds(self) -> None: ...
    def begin_capture(self, path: str, dither: bool) -> WaveFile | None: ...
    def end_capture(self, file: WaveFile) -> None: ...


class _Volume(Setting[float]):
    """The setting `Audio.volume`. The mixer stores the value of this setting."""

    def read(self, audio: Audio) -> float:
        return float(console_of(audio).mixer.volume)

    def keep(self, audio: Audio, value: float) -> None:
        console_of(audio).mixer.volume = value


def _checked_latency(name: str, value: object) -> float:
    return checks.number(name, value, least=0.01, most=0.5)


class _PanLaw(Setting[str]):
    """The setting `Audio.pan_law`. The mixer stores the value of this setting."""

    def read(self, audio: Audio) -> str:
        return "power" if console_of(audio).mixer.constant_power else "balance"

    def keep(self, audio: Audio, value: str) -> None:
        mixer = console_of(audio).mixer
        mixer.constant_power = value == "power"
        mixer.update_targets()


def _checked_law(name: str, value: object) -> str:
    return checks.choice(name, value, ("balance", "power"))


def _checked_delay(name: str, value: object) -> float:
    return checks.number(name, value, least=-0.5, most=1)


def _checked_voices(name: str, value: object) -> int:
    return checks.whole(name, value, 1, 4096)


def _checked_listener(name: str, value: object) -> CameraBase[Any] | None:
    if value is None:
        return None
    checks.methods(name, value, ["pose"], "a camera, or None")
    if not isinstance(value, CameraBase):
        raise checks.wrong_type(name, "a camera, or None", value)
    return value


@moved("audio", {"groups": "buses"})
@made_by("write self.audio")
class Audio(Hinted, Sealed, HasMoved):
    """The volume, buses, music and voices of a game: `Game.audio`.

    A sound that you play in tick k starts k / rate seconds after the start of the game, plus the
    `latency` of the sound device. In a game with a window, the first sound opens the default sound
    device. If the system has no sound device, a `RuntimeWarning` is issued once. A game that runs
    without a window plays no sounds. Such a game mixes its sounds only during a `capture`.
    """

    __slots__ = (
        "__weakref__",
        "_console",
        "_delay",
        "_enabled",
        "_latency",
        "_listener",
        "_max_voices",
        "_occlusion",
        "_reach",
        "_sound_speed",
        "buses",
        "music",
    )

    _transient_attributes = True

    _advice: ClassVar[Mapping[str, str]] = {
        **words("play_sound play_sfx", "write fw.Sound('jump.wav').play()"),
        **words("play_music load_music", "write audio.music.play('theme.ogg')"),
        **words("mute unmute muted set_muted", "write audio.enabled = False, or audio.volume = 0"),
        **words("set_volume master master_volume main_volume", "write audio.volume = 0.5"),
        **words("music_volume sfx_volume", "write audio.buses['music'].volume = 0.5"),
        **words("pause paused", "write audio.music.paused = True"),
        **dict.fromkeys(("master_volume", "gain"), "write audio.volume"),
        **dict.fromkeys(("music_volume", "bgm_volume"), "write audio.buses['music'].volume"),
        **dict.fromkeys(("sound_volume", "sfx_volume"), "write audio.buses['effects'].volume"),
        "play": "write fw.Sound('jump.wav').play(), or audio.music.play('theme.ogg')",
    }

    volume = _Volume(
        checked_volume, "The master volume: 1 leaves the volume unchanged, and 0 is silence."
    )
    latency = Setting(
        _checked_latency,
        "The time in seconds from a tick until its sounds are heard, from 0.01 to 0.5. The device and "
        "the limiter (3 ms) add their own delays. Default: 0.05. If a frame takes longer, voices "
        "continue, but new sounds start later.",
    )
    delay = Setting(
        _checked_delay,
        "The time in seconds from the game time of a sound until the player hears it, from -0.5 to 1. "
        "Default: 0.08. `scenes.Calibration` measures the delay for one player. See "
        "`Music.heard_beat`.",
    )
    max_voices = Setting(
        _checked_voices,
        "The maximum number of simultaneous voices, from 1 to 4,096. Default: 128. See `Sound.play`.",
    )
    reach = Setting(
        checked_reach,
        "The distance at which a voice with a position is half as loud. Farther away, the voice is "
        "quieter, but never silent. With None, the distance is half the width of the view, or 10 "
        "units in 3D.",
    )
    pan_law = _PanLaw(
        _checked_law,
        'How ``pan`` changes the volume. With "balance" (the default), the side of the sound keeps '
        'its volume, and the other side becomes quieter. With "power", the sum of the powers of both '
        "sides is constant, so a sound that moves from one side to the other does not become louder. "
        "In the middle, both sides are then 3 dB quieter than the recording. Stereo sounds without a "
        'position always use "balance".',
    )
    sound_speed = Setting(
        checked_reach,
        "The speed of sound in units per second, for the Doppler effect: voices with a position "
        "sound higher while they are coming nearer. If a unit is a meter, use 343. With None (the "
        "default), there is no Doppler effect.",
    )
    occlusion = Setting[Any](
        checked_occlusion,
        "How much walls block voices with a position that do not set ``occlusion`` themselves: a "
        "number from 0 to 1, a function, or the walls of a world. See `Sound.play`. With None (the "
        "default), nothing blocks them.",
    )
    enabled = Setting(
        checks.flag,
        "Whether the sound device is opened when a game with a window plays its first sound. "
        "Default: True.",
    )
    listener = Setting(
        _checked_listener,
        "The camera from which voices with a position are heard. With None, this is the camera of "
        "the top scene.",
    )

    def __init__(self, console: AudioConsole, buses: Buses, music: Music) -> None:
        self._console = console
        self._latency = 0.05
        self._delay = 0.08
        self._max_voices = 128
        self._enabled = True
        self._reach = self._listener = self._sound_speed = self._occlusion = None
        self.buses = buses
        """The audio buses by name: ``buses["effects"]``, ``buses["music"]`` and your own buses. A
        bus is a group of voices that share a volume and a pitch, and can be paused together.
        """
        self.music = music
        """The music of the game, which plays one file at a time."""

    def _tween_start(self, name: str, value: Any) -> Any:
        """Called by a tween of an audio setting. Return the value from which the tween starts."""
        return self.buses.tween_start(self, name, value)

    @property
    def time(self) -> float:
        """The game time of the current tick, in seconds. To play a sound a little later, write
        ``sound.play(at=self.audio.time + 0.1)``.
        """
        return float(self._console.time)

    @property
    def voices(self) -> tuple[Voice, ...]:
        """The voices that are playing or fading out. The oldest voice comes first."""
        tracks = self._console.mixer.tracks
        return tuple(track.voice for track in tracks if track.playing and not track.ghost)

    @property
    def device(self) -> str | None:
        """The name of the audio system, such as "ALSA". The value is None if no sound device is
        open, as in a game that runs without a window.
        """
        return self._console.device

    def stop(self, fade: float = 0.0) -> None:
        """Fade out all voices, including music, over ``fade`` seconds. By default, all voices stop
        immediately, within 5 ms.
        """
        fade = checks.number("fade", fade, least=0, most=3600)
        for track in self._console.mixer.tracks:
            track.voice.stop(fade)

    def capture(self, path: str | os.PathLike[str], *, dither: bool = True) -> AudioCapture:
        """Return a context manager that writes all sounds of the game to a WAV file.

            with game.audio.capture("mix.wav"):
                game.run(600)

        The file is in stereo, with 16 bits per sample and 48,000 samples per second. The file
        begins with the last tick before the ``with`` block, and ends one tick after the last tick
        in the block. If a sound starts k ticks after the beginning of the file, its first sample is
        round(k · 48,000 / rate). The same game always writes exactly the same file, whatever its
        frame rate.

        With ``dither``, a small random number is added to samples that must be rounded to 16 bits.
        Each 16-bit sample is then within 1.5 quantization steps of its exact value. Quiet sounds
        and fades then end in faint noise, which is less audible than distortion. Dither changes
        neither silence nor 16-bit sounds at full volume. Pass ``dither=False`` to round the samples
        without random numbers.

        Raises `AssetError` if the file cannot be written.
        """
        return AudioCapture(
            checks.path("path", path),
            checks.flag("dither", dither),
            self._console.begin_capture,
            self._console.end_capture,
        )


def console_of(audio: Audio) -> AudioConsole:
    """Return the console that plays the sounds of a game."""
    return audio._console
