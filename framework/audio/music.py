"""Music: play one file at a time, decoded while it plays, with crossfades."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Hashable, Sequence, Set
from typing import Protocol

from .. import checks
from ..assets.sounds import RATE
from ..other_engines.audio_names import music_names
from ..other_engines.other_names import Hinted
from ..resources import Folder, Reloadable, find
from .mixer_track import FAR, MIN_FADE, SampleSource
from .sources import Stream
from .voices import Voice, VoiceOptions, checked_loop, checked_options, track_of

_MAX_VOICES = 16  # kept for games that return to earlier ticks


class MusicPlayer(Protocol):
    """The attributes of a `Console` that `Music` uses."""

    @property
    def folders(self) -> Sequence[Folder]: ...

    @property
    def correcting(self) -> bool: ...

    def once(
        self, sound: Hashable, make: Callable[[bool], Voice], options: VoiceOptions
    ) -> Voice: ...

    def voice(
        self,
        sound: object,
        source: SampleSource,
        options: VoiceOptions,
        *,
        audible: bool,
        steals: bool,
        loops: bool,
    ) -> Voice: ...


@music_names
class Music(Hinted, checks.Sealed):
    """The music of a game: ``self.audio.music.play("theme.ogg", fade=1.0)``.

    The voices of music are in the bus "music".
    """

    __slots__ = ("__weakref__", "_audio", "_voices")

    not_state = True

    def __init__(self, audio: MusicPlayer) -> None:
        self._audio = audio
        self._voices: deque[Voice] = deque(maxlen=_MAX_VOICES)

    @property
    def voice(self) -> Voice | None:
        """The voice of the current music. None if no music is playing, or the music fades out."""
        for voice in reversed(self._voices):
            if voice.playing and not track_of(voice).ending:
                return voice
        return None

    def renew(self, files: Set[str]) -> bool:
        """If ``files`` contains the current file, reload it and continue at the same second. Return
        whether it was reloaded.
        """
        voice = self.voice
        source = None if voice is None else track_of(voice).source
        if (
            voice is None
            or not isinstance(source, Stream)
            or os.path.realpath(source.path) not in files
        ):
            return False
        track = track_of(voice)
        track.source = Stream(source.path, source.loop)
        track.end = FAR
        return True

    @property
    def playing(self) -> bool:
        """Whether music is playing. `playing` is False while the music fades out."""
        return self.voice is not None

    def play(
        self,
        path: str | os.PathLike[str],
        *,
        volume: float = 1.0,
        fade: float = 0.0,
        loop: bool | tuple[float, float] = True,
    ) -> Voice:
        """Play a file: WAV, FLAC, MP3 or Ogg Vorbis. The current music fades out.

        The game keeps the file in memory in its own format, and decodes it little by little while
        it plays. Raises `AssetError` if the file cannot be read.

        Parameters
        ----------
        path
            The path of the file. The game first searches the folder of its own Python files, then
            the working directory.
        volume
            The volume: 0 is silence, 1 is as recorded, 16 is the maximum.
        fade
            The duration of the crossfade in seconds. The old music fades out while the new music
            fades in, and the loudness does not change.
        loop
            Whether the music repeats. Pass (start, end) in seconds to repeat only the music between
            these times. The music before ``start`` is played once.
        """
        options = checked_options(volume, 1.0, 0.0, None, fade, "music", 0.0, None)
        part = checked_loop(loop, None)
        audio = self._audio
        file_path = find(checks.path("path", path), audio.folders)

        def begin(audible: bool) -> Voice:
            source = Stream(file_path, part)
            before = self.voice
            if audible:
                self.stop(fade)
            new = audio.voice(
                str(file_path),
                source,
                options,
                audible=audible,
                steals=False,
                loops=part is not None,
            )
            if audible and before is not None and options.fade * RATE >= 2 * MIN_FADE:
                track_of(before).even = track_of(new).even = True
            return new

        if Reloadable.objects is not None:
            Reloadable.objects.add(self)
        voice = audio.once(("music", str(file_path), part), begin, options)
        if audio.correcting:  # the first run has stopped these voices in `begin`
            for playing in self._voices:
                if playing is not voice:
                    playing.stop(fade)
        if voice not in self._voices:
            self._voices.append(voice)
        return voice

    def stop(self, fade: float = 0.0) -> None:
        """Fade out all music over ``fade`` seconds, including music that is already fading out."""
        fade = checks.number("fade", fade, least=0, most=3600)
        for voice in self._voices:
            voice.stop(fade)
