"""Play one music file at a time, with crossfades. The file is decoded while it plays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from typing import Protocol

from .. import checks
from ..assets.sounds import RATE
from ..other_engines.audio_names import music_names
from ..other_engines.other_names import Hinted
from ..resources import Folder, Reloadable
from .beat_clock import Beat, BeatClock, checked_bpm
from .file_stream import Stream
from .mixer_track import FAR, MIN_FADE
from .music_files import MusicFile, check_lengths, checked_volumes, music_file, music_options
from .music_history import MusicHistory, MusicState, MusicTime
from .music_layers import MusicLayers
from .music_voices import MusicVoices, VoiceMaker
from .source_maker import SourceMaker
from .voices import Voice, VoiceOptions, checked_loop, checked_second, seek_target, track_of

MAX_LAYERS = 16
"""The maximum number of files that can play at the same time."""


class MusicPlayer(MusicTime, VoiceMaker, Protocol):
    """The attributes and methods of a `Console` that `Music` uses."""

    @property
    def folders(self) -> Sequence[Folder]: ...

    @property
    def correcting(self) -> bool: ...

    def ahead(self, voice: Voice) -> float: ...

    @property
    def delay(self) -> float: ...


@music_names
class Music(Hinted, checks.Sealed):
    """The music of a game: ``self.audio.music.play("theme.ogg", fade=1.0)``.

    All music plays on the bus "music".
    """

    __slots__ = ("__weakref__", "_audio", "_before", "_history", "_is_corrected", "_voices")

    not_state = True

    def __init__(self, audio: MusicPlayer) -> None:
        self._audio = audio
        self._history = MusicHistory(audio)
        self._voices = MusicVoices(audio)
        # Whether ticks are running again. `_before` is the state of the music before these ticks.
        self._is_corrected = False
        self._before: MusicState | None = None

    @property
    def voice(self) -> Voice | None:
        """The voice of the current music. The value is None if no music is playing, or if the music
        is already fading out.
        """
        current = self._voices.current(self._history.current)
        return current[-1] if current else None

    def _renew(self, files: Set[str]) -> bool:
        """If ``files`` contains the file of the current music, reload the file and continue at the
        same position. Return whether the file was reloaded.
        """
        is_renewed = False
        for voice in self._voices.all:
            track = track_of(voice)
            source = track.source
            if (
                voice.playing
                and not track.ending
                and isinstance(source, Stream)
                and os.path.realpath(source.path) in files
            ):
                track.source = Stream(source.path, source.loop)
                track.end = FAR
                is_renewed = True
        return is_renewed

    def forget(self, tick: int) -> None:
        """Delete the states and voices that ended before ``tick``, to free memory. The game can no
        longer go back to ticks before ``tick``.
        """
        self._history.forget(tick)
        self._voices.forget(tick, self._history.voices)

    @property
    def playing(self) -> bool:
        """Whether music is playing. The value is False while the music is fading out."""
        return self.voice is not None

    def play(
        self,
        path: str | os.PathLike[str] | SourceMaker,
        *,
        volume: float = 1.0,
        fade: float = 0.0,
        loop: bool | tuple[float, float] = True,
        start: float = 0.0,
        bpm: float | None = None,
        first_beat: float = 0.0,
        beats_per_bar: int = 4,
    ) -> Voice:
        """Play music from a file (WAV, FLAC, MP3 or Ogg Vorbis) or from a `Sound`. Music that is
        already playing fades out. Return the `Voice` of the music.

        The game loads the compressed file into memory, and decodes it in small pieces while it
        plays. Raises `AssetError` if the file cannot be read.

        Parameters
        ----------
        path
            The path of the file. The game searches for the file in the folder of its Python files,
            then in the working directory. For music that your program computes, pass a `Sound`.
        volume
            The volume: 0 is silence, 1 is the volume of the file, and 16 is the maximum.
        fade
            The duration of the crossfade in seconds. The old music fades out while the new music
            fades in. During a crossfade, the loudness stays the same.
        loop
            Whether the music repeats. To repeat only a part of the music, pass (start, end) in
            seconds. The part before ``start`` is played once. Default: True.
        start
            The position in the music at which it starts, in seconds. Default: 0.
        bpm
            The tempo of the music in beats per minute. You need it for `beat`, `bar` and `every`.
            If ``bpm`` is None, the music has no beat clock.
        first_beat
            The position of the first beat in the file, in seconds.
        beats_per_bar
            The number of beats per bar, for `bar`. Default: 4.
        """
        clock = None if bpm is None else self._new_clock(bpm, first_beat, beats_per_bar, start)
        file = music_file("path", path, loop, self._audio.folders)
        start = checked_second("start", start, file.length)
        options = music_options(volume, fade, start)
        return self._begin([(file, options)], clock, start, fade)[0]

    def play_layers(
        self,
        paths: Mapping[str, str | os.PathLike[str] | SourceMaker],
        *,
        volumes: Mapping[str, float] | None = None,
        fade: float = 0.0,
        loop: bool | tuple[float, float] = True,
        start: float = 0.0,
        bpm: float | None = None,
        first_beat: float = 0.0,
        beats_per_bar: int = 4,
    ) -> MusicLayers:
        """Play several files that start at the same sample. For example, play calm music, and add
        drums during a fight:

            self.layers = self.audio.music.play_layers(
                {"calm": "calm.ogg", "drums": "drums.ogg"}, volumes={"drums": 0.0}
            )
            self.layers.fade("drums", volume=1.0, seconds=2.0)

        Music that is already playing fades out. The other parameters are the same as in `play`.

        Parameters
        ----------
        paths
            The paths of the files by name, at most 16. You can also pass `Sound` objects.
        volumes
            The volumes of the files, by the names in ``paths``. Default: 1.

        Raises `ValueError` if the files have different lengths, because they would not stay in
        sync. Raises `AssetError` if a file cannot be read.
        """
        named = checks.named("paths", paths, "a dict of names and paths")
        if not 1 <= len(named) <= MAX_LAYERS:
            raise checks.wrong_value("paths", f"1 to {MAX_LAYERS} files", paths)
        loudness = checked_volumes(volumes or {}, named)
        clock = None if bpm is None else self._new_clock(bpm, first_beat, beats_per_bar, start)
        part = checked_loop(loop, None)
        layers = []
        for name, path in named.items():
            volume = loudness.get(name, 1.0)
            file = music_file("paths", path, loop, self._audio.folders)
            start = checked_second("start", start, file.length)
            layers.append((file, music_options(volume, fade, start)))
        check_lengths([file for file, _ in layers], part)
        voices = self._begin(layers, clock, start, fade)
        return MusicLayers(dict(zip(named, voices, strict=True)))

    def _begin(
        self,
        layers: Sequence[tuple[MusicFile, VoiceOptions]],
        clock: BeatClock | None,
        start: float,
        fade: float,
    ) -> Sequence[Voice]:
        """Start one or more files at the same sample, and fade out the current music."""
        old = self._voices.current(self._history.current)
        voices = self._voices.start(layers)
        self._add(self._history.new_state(clock, self._origin(start), voices, fade))
        Reloadable.add(self, Music._renew)
        if self._changes_voices:
            self._voices.fade_out(fade, voices)
            if layers[0][1].fade * RATE >= 2 * MIN_FADE:
                self._voices.crossfade(old, voices)
        return voices

    @property
    def _changes_voices(self) -> bool:
        """Whether a change to the music changes its voices now. Ticks that run again, and a game
        that is paused at an earlier tick, change only the history. The voices are corrected later.
        """
        return not (self._audio.correcting or self._audio.standing)

    def _add(self, state: MusicState) -> None:
        """Add a state of the music that begins now."""
        if self._audio.standing and not self._audio.in_tick:
            self._begin_correction()  # the voices change when the game continues
        self._history.add(state)

    def stop(self, fade: float = 0.0) -> None:
        """Fade out all music over ``fade`` seconds. Music that is already fading out ends after
        ``fade`` seconds at the latest.
        """
        fade = checks.number("fade", fade, least=0, most=3600)
        self._add(self._history.new_state(None, self._audio.time, fade=fade))
        if self._changes_voices:
            self._voices.fade_out(fade)

    @property
    def paused(self) -> bool:
        """Whether the music is paused, together with its beats. False resumes the music at the same
        position and at the same beat. A short fade prevents a click. Old music that is still fading
        out is paused too.

        While the music is paused, `beat` does not change, and `every` returns no beats. Use `paused`
        in the rules of a rhythm game, and change it before you call `every`. The pause of the bus
        "music" does not stop the beats.
        """
        return self._history.current.paused is not None

    @paused.setter
    def paused(self, paused: bool) -> None:
        if checks.flag("paused", paused) == self.paused:
            return
        state = self._history.current
        now = self._audio.time
        if paused:
            self._add(state.pause(now, self._audio.tick_seconds))
        else:
            self._add(state.resume(now))
        if not self._changes_voices:
            return
        if paused:
            self._voices.pause()
        else:
            self._voices.resume()

    def seek(self, seconds: float) -> None:
        """Continue the music at the position ``seconds``, together with its beats. The mixer
        crossfades over 5 ms, so that no click is audible.

        All layers jump to the same position. `beat` jumps to the beat at this position. Music that
        has reached its end plays again from this position. See `Voice.seek`.
        """
        seconds = checks.number("seconds", seconds, least=0)
        state = self._history.current
        for voice in state.voices:  # an error leaves all layers at their positions
            seek_target(voice, seconds)
        state = state.seek(self._audio.time, seconds)
        self._add(state)
        if self._changes_voices:
            self._voices.seek(state, seconds)

    # -- beats -------------------------------------------------------------------------------------

    def start_clock(
        self, bpm: float, *, first_beat: float = 0.0, beats_per_bar: int = 4
    ) -> BeatClock:
        """Start a beat clock without a music file, for example for a drum machine.

        Beat 0 is ``first_beat`` seconds after the start of the current tick. Return the new
        `BeatClock`, which replaces the beat clock of the current music. The music continues, and
        stays paused if it is paused. Beat 0 is then ``first_beat`` seconds after the pause.
        """
        clock = self._new_clock(bpm, first_beat, beats_per_bar)
        state = self._history.current
        now = self._audio.time
        if not state.voices:
            self._add(self._history.new_state(clock, now))
            return clock
        state = state.start_clock(clock, now)
        self._add(state)
        assert state.clock is not None
        return state.clock

    @property
    def clock(self) -> BeatClock | None:
        """The current beat clock. `play`, `play_layers` and `start_clock` replace it. The value is
        None before the first of these calls, after `stop`, and if you did not pass ``bpm`` to
        `play`.
        """
        return self._history.current.clock

    @property
    def beat(self) -> float:
        """The beat of the music at the current tick. For example, 2.5 is halfway between beat 2 and
        beat 3. The value is 0 if there is no beat clock.

        The beat depends only on the game time, so the rules of the game may use `beat`. The player
        hears the music a little later: see `heard_beat`. `paused` and `seek` of `Music` change the
        beat together with the music. `beat` ignores pauses, seeks and pitch changes of the voice
        and of the bus "music". For slow motion, set ``follows_time = True`` on the bus "music".
        The music then becomes slower together with the beats.
        """
        return self.beat_at(float(self._audio.time))

    @property
    def bar(self) -> int:
        """The number of the current bar, at the current tick. The first bar is bar 0."""
        return self._history.current.bar_at(float(self._audio.time))

    def beat_at(self, time: float) -> float:
        """Return the beat at a game time in seconds. The result is 0 if there is no beat clock.

        To compare a key press with the beat that the player heard, call
        ``music.beat_at(audio.time - audio.delay)``. In a replay, the result is the same.
        """
        return self._history.current.beat_at(checks.number("time", time))

    def heard_beat(self, alpha: float = 0.0) -> float:
        """Return the beat that the player hears now, for drawing. Call ``music.heard_beat(alpha)``
        in ``draw(alpha)``. The result is 0 if there is no beat clock.

        The heard beat is behind the current `beat` by the delay of the sound (`Audio.delay`).
        After a long frame, the music can be ahead of the game. The result takes this into account,
        so it depends on the computer. In the rules of the game, use `beat_at`.
        """
        alpha = checks.number("alpha", alpha, least=0, most=1)
        audio = self._audio
        voice = self.voice
        ahead = 0.0 if voice is None else audio.ahead(voice)
        now = float(audio.time + Fraction(alpha) * audio.tick_seconds)
        return self.beat_at(now + ahead - audio.delay)

    def every(self, beats: float = 1, *, offset: float = 0) -> list[Beat]:
        """Return all beats from the current tick up to the next tick. A beat exactly at the next
        tick is not included. Call `every` once in each tick:

            for beat in self.audio.music.every(beats=0.5):
                self.hat.play(at=beat.time)

        The list contains only the beats ``offset + k * beats``, where k is a whole number. For
        example, with ``beats=4, offset=2`` these are the beats 2, 6, 10 and so on. In most ticks
        the list is empty. The list is always empty if there is no beat clock. Each beat is returned
        in exactly one tick, if you change the music before you call `every`. If you call `play` or
        `seek` or change `paused` after `every` in the same tick, a beat can be missing or appear
        twice. The list depends only on the game time, so it is the same in a replay or after a
        rewind.
        """
        now = self._audio.time
        end = now + self._audio.tick_seconds
        return self._history.current.beats(now, end, beats, offset)

    def _new_clock(
        self, bpm: float, first_beat: float, beats_per_bar: int, start: float = 0.0
    ) -> BeatClock:
        first = checks.decimal(checks.number("first_beat", first_beat, least=-3600, most=3600))
        tempo = checked_bpm("bpm", bpm)
        return BeatClock(tempo, self._origin(start) + first, beats_per_bar)

    def _origin(self, start: float) -> Fraction:
        """Return the game time at which the music would have started if it is now at the position
        ``start``.
        """
        return self._audio.time - checks.decimal(checks.number("start", start))

    # -- ticks that run again ----------------------------------------------------------------------

    def begin_again(self, tick: int) -> None:
        """Called when a tick is about to run again, for each tick. Remove the changes to the music
        that were made in the tick ``tick`` and in later ticks.
        """
        self._begin_correction()
        self._history.remove_from(tick)

    def end_tick(self) -> None:
        """Called at the end of each tick."""
        self._history.end_tick()

    def end_correction(self) -> None:
        """Called after the last of the repeated ticks. If the second run differs from the first
        run, let the music continue at the position that belongs to its beats.
        """
        if not self._is_corrected:
            return
        before = self._before
        self._end_correction()
        state = self._history.latest
        if state is not None:
            is_moved = before is None or _course(before) != _course(state)
            self._voices.align(state, self._audio.time, self._audio.tick, is_moved=is_moved)

    def go_back(self, tick: int, next_time: Fraction) -> None:
        """Called when the game continues from the earlier tick ``tick``. The next tick begins at the
        game time ``next_time``. Remove all later changes to the music. Let the music continue at
        the position that belongs to its beats.
        """
        self._end_correction()
        self._history.remove_after(tick)
        state = self._history.latest
        if state is None:
            self._voices.fade_out(0.0)
        else:
            is_moved = state.clock is not None
            self._voices.align(state, next_time, tick, is_moved=is_moved, is_earlier=True)

    def _begin_correction(self) -> None:
        if not self._is_corrected:
            self._is_corrected = True
            self._before = self._history.latest

    def _end_correction(self) -> None:
        self._is_corrected = False
        self._before = None


def _course(state: MusicState) -> tuple[object, ...]:
    """Return the values that decide which samples play at a game time."""
    return state.origin, state.paused, state.voices
