"""Play several music files together, such as a melody, and drums that play only in fights."""

from __future__ import annotations

__all__ = ["MusicLayers"]

from collections.abc import Iterator, Mapping

from .. import checks
from ..assets.sounds import RATE
from ..checks import Sealed
from ..other_engines.other_options import made_by
from .buses import checked_volume
from .voices import Voice, change_volume, track_of


@made_by("write layers = self.audio.music.play_layers({'calm': 'calm.ogg', 'drums': 'drums.ogg'})")
class MusicLayers(Sealed):
    """Music files that play at the same time: the return value of `Music.play_layers`.

    All files always stay at exactly the same position. To change the volume of one file, call
    `fade`. To pause all files or to change their pitch, use the bus "music".
    """

    __slots__ = ("__weakref__", "_voices")

    _transient_attributes = True

    def __init__(self, voices: Mapping[str, Voice]) -> None:
        self._voices = dict(voices)

    def __getitem__(self, name: str) -> Voice:
        return self._voices[checks.choice("name", name, self._voices)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._voices)

    def __len__(self) -> int:
        return len(self._voices)

    @property
    def playing(self) -> bool:
        """Whether the files are playing. The value is False while they are fading out."""
        return any(voice.playing and not track_of(voice).ending for voice in self._voices.values())

    @property
    def seconds(self) -> float:
        """The current position in the files, in seconds. All files have the same position."""
        return next(iter(self._voices.values())).seconds

    def fade(self, name: str, volume: float, seconds: float = 1.0) -> None:
        """Change the volume of one file linearly over ``seconds`` seconds.

        A file with the volume 0 continues silently, at the same position as the other files.
        """
        voice = self[name]
        volume = checked_volume("volume", volume)
        seconds = checks.number("seconds", seconds, least=0, most=3600)
        change_volume(voice, volume, round(seconds * RATE))

    def seek(self, seconds: float) -> None:
        """Continue all files at another position, as `Voice.seek` does for one voice."""
        checks.number("seconds", seconds, least=0)
        for voice in self._voices.values():
            voice.seek(seconds)

    def stop(self, fade: float = 0.0) -> None:
        """Fade out all files over ``fade`` seconds (at least 5 ms), then end them."""
        checks.number("fade", fade, least=0, most=3600)
        for voice in self._voices.values():
            voice.stop(fade)

    def __repr__(self) -> str:
        return f"<MusicLayers {checks.listed(self._voices)}>"
