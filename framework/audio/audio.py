"""Audio: what a game sets and asks of its sound."""

from __future__ import annotations

__all__ = ["Audio"]

import os
from typing import Any, Protocol

from .. import checks
from ..checks import Sealed, Setting
from ..motion.viewpoint import Viewpoint
from .groups import Groups, checked_volume
from .hearing import checked_reach
from .mixer import Mixer
from .music import Music
from .sources import Clip
from .voices import Voice, VoiceOptions
from .wave_file import Capture, WaveFile


class Console(Protocol):
    """What plays the sounds of a game, as far as `Audio` and sounds know it."""

    mixer: Mixer

    @property
    def device(self) -> str | None: ...
    def begin(self, sound: object, source: Clip, options: VoiceOptions) -> Voice: ...
    def begin_capture(self, path: str) -> WaveFile | None: ...
    def end_capture(self, file: WaveFile) -> None: ...


class _Volume(Setting[float]):
    """The volume of everything, which the mixer keeps."""

    def read(self, thing: Audio) -> float:
        """As it was set."""
        return float(console_of(thing).mixer.volume)

    def keep(self, thing: Audio, value: float) -> None:
        """The mixer reaches it within a tick."""
        console_of(thing).mixer.volume = value


def _checked_latency(name: str, value: object) -> float:
    return checks.number(name, value, least=0.01, most=0.5)


def _checked_voices(name: str, value: object) -> int:
    return checks.whole(name, value, 1, 4096)


def _checked_ear(name: str, value: object) -> Viewpoint[Any] | None:
    if value is None:
        return None
    checks.methods(name, value, ["pose"], "a camera, or None")
    if not isinstance(value, Viewpoint):
        raise checks.wrong_type(name, "a camera, or None", value)
    return value


class Audio(Sealed):
    """What is heard of a game: `Game.audio`.

    A sound that is started in tick k is heard at k / rate after the game's beginning, plus
    `latency`. In a window it is heard by the system's default device, which is opened when the
    first sound is played; where there is none, a `RuntimeWarning` says so once. Off screen nothing
    is mixed, unless `capture` asks for it.
    """

    __slots__ = (
        "__weakref__",
        "_console",
        "_enabled",
        "_latency",
        "_listener",
        "_max_voices",
        "_reach",
        "groups",
        "music",
    )

    _transient_attributes = True

    volume = _Volume(checked_volume, "How loud everything is: 1 as it is, 0 is silence.")
    latency = Setting(
        _checked_latency,
        """Seconds between a tick and its being heard, besides what the device takes: 0.05 unless set, 0.01 to 0.5. A
        frame that is longer than that is heard as a gap.""",
    )
    max_voices = Setting(
        _checked_voices,
        "Voices at once: 128 unless set; see `Sound.play`.",
    )
    reach = Setting(
        checked_reach,
        "The distance at which what has a position is half as loud. None: half a "
        "picture's width, in space 10 units.",
    )
    enabled = Setting(checks.flag, "Whether a device is opened when a sound is played in a window.")
    listener = Setting(
        _checked_ear,
        "Who hears what has a position: a camera. None: that of the scene on top.",
    )

    def __init__(self, console: Console, groups: Groups, music: Music) -> None:
        self._console = console
        self._latency, self._max_voices, self._enabled = 0.05, 128, True
        self._reach = self._listener = None
        self.groups = groups
        """The groups of voices by name: ``groups["effects"]``, ``groups["music"]``, and those of
        your own.
        """
        self.music = music
        """Music, streamed from files."""

    @property
    def voices(self) -> tuple[Voice, ...]:
        """The voices that are heard, in the order in which they began."""
        return tuple(track.voice for track in self._console.mixer.tracks if track.playing)

    @property
    def device(self) -> str | None:
        """What sounds go to; None where nothing is heard, as off screen."""
        return self._console.device

    def stop(self, fade: float = 0.0) -> None:
        """Stop all voices, in so many seconds."""
        fade = checks.number("fade", fade, least=0, most=3600)
        for track in self._console.mixer.tracks:
            track.voice.stop(fade)

    def capture(self, path: str | os.PathLike[str]) -> Capture:
        """Within it, write what is heard to a WAV file: 16 bits, left and right, 48,000 samples a
        second.

            with game.audio.capture("mix.wav"):
                game.run(600)

        The file begins at the moment of the last tick, and ends a tick after the last one in it:
        what tick k starts, counted from there, begins at sample round(k · 48,000 / rate). The same
        game gives the same bits, at any frame rate. Raises `AssetError` where the file cannot be
        written.
        """
        return Capture(
            checks.path("path", path), self._console.begin_capture, self._console.end_capture
        )


def console_of(audio: Audio) -> Console:
    """Return what plays the sounds of a game."""
    return audio._console
