"""Music voices: start, fade out, pause and move the voices of a game's music.

If a tick runs again, its calls change only the `MusicHistory`. After the last of these ticks,
`MusicVoices.align` compares the voices with the state of the music, and corrects them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Protocol
from weakref import WeakSet

from ..assets.sounds import RATE
from .mixer_track import FAR, MIN_FADE, ONE, SampleSource
from .music_files import MusicFile
from .music_history import MusicState
from .voices import Voice, VoiceOptions, fade_out, track_of

_MAX_VOICES = 64  # the maximum number of stored voices, for games that return to earlier ticks


class VoiceMaker(Protocol):
    """The attributes and methods of a `Console` that `MusicVoices` uses."""

    @property
    def tick(self) -> int: ...

    @property
    def sample(self) -> int: ...

    @property
    def tick_sample(self) -> int: ...

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

    def revive(self, voice: Voice) -> None: ...


class MusicVoices:
    """The voices of a game's music, including old music that is fading out."""

    def __init__(self, audio: VoiceMaker) -> None:
        self._audio = audio
        self._voices: deque[Voice] = deque(maxlen=_MAX_VOICES)
        # The voices that the music has paused, but not the game.
        self._paused: WeakSet[Voice] = WeakSet()
        # The voices that continue when the music is resumed. Old music that was paused before new
        # music began stays paused.
        self._resumable: WeakSet[Voice] = WeakSet()

    @property
    def all(self) -> Sequence[Voice]:
        """The stored voices. Some of them may have ended."""
        return self._voices

    def start(self, layers: Sequence[tuple[MusicFile, VoiceOptions]]) -> tuple[Voice, ...]:
        """Start one or more files at the same sample, and return their voices. In a tick that runs
        again, return the voices of the first run.
        """
        audio = self._audio
        voices: list[Voice] = []
        for file, options in layers:

            def begin(
                audible: bool, file: MusicFile = file, options: VoiceOptions = options
            ) -> Voice:
                return audio.voice(
                    file.name,
                    file.source,
                    options,
                    audible=audible,
                    steals=False,
                    loops=file.loops,
                )

            voices.append(audio.once(("music", file.key), begin, options))
        self._voices += [voice for voice in voices if voice not in self._voices]
        return tuple(voices)

    def crossfade(self, old: Sequence[Voice], new: Sequence[Voice]) -> None:
        """Keep the loudness the same during the crossfade from the voices ``old`` to ``new``. If one
        of them is empty, this method does nothing.
        """
        if old and new:
            for voice in (*old, *new):
                track_of(voice).even = True

    def fade_out(self, fade: float, voices: Sequence[Voice] = ()) -> None:
        """Fade out all music except ``voices``."""
        for voice in self._voices:
            if voice not in voices:
                fade_out(voice, fade)

    def current(self, state: MusicState) -> list[Voice]:
        """Return the voices of a state that are playing, and not fading out."""
        return [voice for voice in state.voices if voice.playing and not track_of(voice).ending]

    def forget(self, tick: int, used: set[Voice]) -> None:
        """Delete the voices that ended before ``tick``, to free memory, unless ``used`` contains
        them.
        """
        voices = [
            voice
            for voice in self._voices
            if voice.playing
            or voice in used
            or max(track_of(voice).began, track_of(voice).ended) >= tick
        ]
        self._voices = deque(voices, _MAX_VOICES)

    # -- pause -------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Pause all voices, including old music that is fading out."""
        self._resumable = WeakSet()
        for voice in self._voices:
            is_paused_again = voice in self._paused and not track_of(voice).ending
            if voice.playing and (is_paused_again or not voice.paused):
                self._pause(voice)

    def resume(self) -> None:
        """Resume the voices that the music has paused."""
        for voice in [*self._resumable]:
            self._resume(voice)

    def _pause(self, voice: Voice) -> None:
        voice.paused = True
        self._paused.add(voice)
        self._resumable.add(voice)

    def _resume(self, voice: Voice) -> None:
        voice.paused = False
        self._paused.discard(voice)
        self._resumable.discard(voice)

    # -- position ----------------------------------------------------------------------------------

    def seek(self, state: MusicState, seconds: float) -> None:
        """Continue the music at the position ``seconds``, also if it has reached its end. ``state`` is
        the state of the music after the seek.
        """
        for voice in self._unstopped(state, self._audio.tick):
            if voice.playing or state.paused is None:
                self._move(voice, round(seconds * RATE) * ONE)
            else:  # the music has ended, and is paused: it continues only after the pause
                self._pause(voice)
                position = round((state.paused - state.origin) * RATE) * ONE
                self._move(voice, position, pauses=True)

    def _unstopped(self, state: MusicState, tick: int) -> list[Voice]:
        """Return the voices of a state that the game has not stopped, for example with
        `Voice.stop`, up to ``tick``.
        """
        return [voice for voice in state.voices if not 0 < track_of(voice).ended <= tick]

    def _move(self, voice: Voice, place: int, *, pauses: bool = False) -> None:
        """Continue a voice at a position in units of 1 / `ONE` samples, with a short crossfade. A
        voice that has ended, or is fading out, starts again. If ``pauses`` is True, the voice is
        silent at the new position.
        """
        track = track_of(voice)
        if track.playing and not track.ending:
            track.seek(place, pauses=pauses)
            return
        if place >= track.end:
            return
        if track.source.streams:
            track.end = FAR  # the end is known only after the stream has been decoded up to it
        if track.playing:
            track.seek(place, pauses=pauses)
        else:
            track.place = place
            track.fresh = track.fresh or pauses
        self._audio.revive(voice)

    def align(
        self,
        state: MusicState,
        time: Fraction,
        tick: int,
        *,
        is_moved: bool,
        is_earlier: bool = False,
    ) -> None:
        """Let the voices be as ``state`` says, after a correction or a rewind to the tick ``tick``.
        ``time`` is the game time of the current tick.

        If ``is_moved`` is True, also move the voices of ``state`` to the position that belongs to
        the beats. If ``is_earlier`` is True, the game has returned to an earlier tick: voices that
        have reached their end play again.
        """
        old = [voice for voice in self._voices if voice.playing and voice not in state.voices]
        fading = {voice for voice in old if track_of(voice).ending}
        for voice in old:
            # The fade of the state is the fade of its own tick, and not of later music.
            fade_out(voice, state.fade if track_of(voice).began <= tick else 0.0)
        if state.fade * RATE >= 2 * MIN_FADE and not is_earlier:
            new = [voice for voice in state.voices if track_of(voice).fresh]
            self.crossfade([voice for voice in old if voice not in fading], new)
        is_paused = state.paused is not None
        audio = self._audio
        position = state.position(time)
        if not is_paused:
            position += Fraction(audio.sample - audio.tick_sample, RATE)
        for voice in self._unstopped(state, tick):
            track = track_of(voice)
            if is_paused and not (voice.paused and voice not in self._paused):
                self._pause(voice)
            elif not is_paused and voice in self._paused:
                self._resume(voice)
            if is_moved or (is_earlier and track.place >= track.end):
                self._move(voice, max(0, round(position * RATE)) * ONE, pauses=is_paused)
            elif track.ending or not track.playing:
                audio.revive(voice)
        # The oldest voices may no longer be stored.
        self._voices += [voice for voice in state.voices if voice not in self._voices]
