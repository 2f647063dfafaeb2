"""Music: a file that is decoded as it is heard, one at a time, each fading into the next."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Hashable, Sequence, Set
from typing import Protocol

from .. import checks
from ..assets.sounds import RATE
from ..resources import Folder, Renewed, find
from .sources import Stream
from .voices import (
    FAR,
    SHORTEST_FADE,
    Source,
    Voice,
    VoiceOptions,
    checked_loop,
    checked_options,
    track_of,
)

_REMEMBERED = 16  # voices, for games that go back


class Player(Protocol):
    """What plays it: the `Console` of a game."""

    @property
    def folders(self) -> Sequence[Folder]: ...

    def once(self, key: Hashable, make: Callable[[bool], Voice]) -> Voice: ...

    def voice(
        self,
        sound: object,
        source: Source,
        options: VoiceOptions,
        *,
        heard: bool,
        steals: bool,
        loops: bool,
    ) -> Voice: ...


class Music:
    """What `Audio.music` is: ``self.audio.music.play("theme.ogg", fade=1.0)``. Its voices are in
    the group "music".
    """

    not_state = True

    def __init__(self, audio: Player) -> None:
        self._audio = audio
        self._voices: deque[Voice] = deque(maxlen=_REMEMBERED)

    @property
    def voice(self) -> Voice | None:
        """What is heard; None when nothing is, or only its end."""
        for voice in reversed(self._voices):
            if voice.playing and not track_of(voice).ending:
                return voice
        return None

    def renew(self, files: Set[str]) -> bool:
        """Go on at the same second of the file, as it is now, if it is one of these."""
        voice = self.voice
        source = None if voice is None else track_of(voice).source
        if (
            voice is None
            or not isinstance(source, Stream)
            or os.path.realpath(source.path) not in files
        ):
            return False
        track = track_of(voice)
        track.source, track.end = Stream(source.path, source.loop), FAR
        return True

    @property
    def playing(self) -> bool:
        """Whether any is heard."""
        return self.voice is not None

    def play(
        self,
        path: str | os.PathLike[str],
        *,
        volume: float = 1.0,
        fade: float = 0.0,
        loop: bool | tuple[float, float] = True,
    ) -> Voice:
        """Play a file (WAV, FLAC, MP3, Ogg Vorbis), while what was heard before fades out.

        ``fade``: seconds in which the one goes and the other comes, both together as loud as each.
        ``loop``: whether it begins again at its end; or the seconds (start, end) of it that are
        repeated, after what is before them. It is streamed: the file is in memory as it is, and
        decoded some milliseconds ahead. Raises `AssetError` for what cannot be read.
        """
        options = checked_options(volume, 1.0, 0.0, None, fade, "music", 0.0, None)
        found, audio = checked_loop(loop, None), self._audio
        where = find(checks.path("path", path), audio.folders)

        def begin(heard: bool) -> Voice:
            source = Stream(where, found)
            before = self.voice
            if heard:
                self.stop(fade)
            new = audio.voice(
                str(where), source, options, heard=heard, steals=False, loops=found is not None
            )
            if heard and before is not None and options.fade * RATE >= 2 * SHORTEST_FADE:
                track_of(before).even = track_of(new).even = True
            return new

        if Renewed.known is not None:
            Renewed.known.add(self)
        voice = audio.once(("music", str(where)), begin)
        if voice not in self._voices:
            self._voices.append(voice)
        return voice

    def stop(self, fade: float = 0.0) -> None:
        """Fade out in so many seconds, with what is still fading out."""
        fade = checks.number("fade", fade, least=0, most=3600)
        for voice in self._voices:
            voice.stop(fade)
