"""Play one music file at a time, with crossfades. The file is decoded while it plays."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from fractions import Fraction
from typing import NamedTuple, Protocol
from weakref import WeakSet

from .. import checks
from ..assets.sounds import RATE
from ..errors import AssetError
from ..other_engines.audio_names import music_names
from ..other_engines.other_names import Hinted
from ..resources import Folder, Reloadable, find
from .beat_clock import Beat, BeatClock, checked_bpm
from .file_stream import Stream
from .mixer_track import FAR, MIN_FADE, ONE, MixerTrack, SampleSource
from .music_layers import MusicLayers
from .source_maker import SourceMaker, identity_of, length_of, new_source
from .voices import (
    Voice,
    VoiceOptions,
    checked_loop,
    checked_options,
    checked_second,
    seek_target,
    track_of,
)

# The maximum number of stored beat clock changes, for games that return to earlier ticks.
_MAX_CLOCKS = 256
MAX_LAYERS = 16
"""The maximum number of files that can play at the same time."""

_MAX_VOICES = 64  # the maximum number of stored voices, for games that return to earlier ticks


class _ClockChange(NamedTuple):
    """A change to the beat clock, with its tick. Times are game times in seconds."""

    tick: int
    in_tick: bool
    """Whether the change was made in a tick. If this tick runs again, the change is made again.
    """
    clock: BeatClock | None
    origin: Fraction
    """The time at which the music is, or would have been, at its start."""
    resumed: Fraction | None = None
    """The time at which the music was resumed. Until then, the beat does not change."""
    paused: Fraction | None = None
    """The time at which the music stopped because of a pause, or None if it is not paused."""
    begun: Fraction | None = None
    """The time at which the music began to sound, or was resumed after silence. A pause at this
    time takes effect immediately, because no sample has been played yet.
    """
    has_music: bool = False
    """Whether music was started. The value is False for a beat clock without music."""

    def music_time(self, time: float) -> float:
        """Return the time within the part of the music that plays at ``time``. While the music is
        paused, this is the time of the pause.
        """
        if self.paused is not None:
            time = min(time, float(self.paused))
        if self.resumed is not None:
            time = max(time, float(self.resumed))
        return time


class _Course(NamedTuple):
    """The course of the music: the values that decide which samples play at a game time."""

    origin: Fraction | None
    paused: Fraction | None
    voices: list[Voice]


class _File(NamedTuple):
    """A file or a sound that plays as music."""

    name: object
    """The path of the file, or the sound: `Voice.sound`."""
    key: Hashable
    """A key that is equal for two files or sounds with the same samples."""
    source: SampleSource
    length: int | None
    """The number of samples, or None if it is unknown."""
    loops: bool


class MusicPlayer(Protocol):
    """The attributes and methods of a `Console` that `Music` uses."""

    @property
    def folders(self) -> Sequence[Folder]: ...

    @property
    def correcting(self) -> bool: ...

    @property
    def time(self) -> Fraction: ...

    @property
    def tick_seconds(self) -> Fraction: ...

    @property
    def tick(self) -> int: ...

    @property
    def in_tick(self) -> bool: ...

    @property
    def standing(self) -> bool: ...

    @property
    def sample(self) -> int: ...

    @property
    def tick_sample(self) -> int: ...

    def ahead(self, voice: Voice) -> float: ...

    @property
    def delay(self) -> float: ...

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

    All music plays on the bus "music".
    """

    __slots__ = ("__weakref__", "_audio", "_before", "_clocks", "_paused_voices", "_voices")

    not_state = True

    def __init__(self, audio: MusicPlayer) -> None:
        self._audio = audio
        self._voices: deque[Voice] = deque(maxlen=_MAX_VOICES)
        self._clocks: deque[_ClockChange] = deque(maxlen=_MAX_CLOCKS)
        # The voices that `paused` has paused.
        self._paused_voices: WeakSet[Voice] = WeakSet()
        # The origin, the pause and the voices of the music before a correction.
        self._before: _Course | None = None

    @property
    def voice(self) -> Voice | None:
        """The voice of the current music. The value is None if no music is playing, or if the music
        is already fading out.
        """
        current = self._current()
        return current[-1] if current else None

    def _current(self) -> list[Voice]:
        """Return the voices of the current music: one voice, or one for each layer."""
        return [voice for voice in self._voices if voice.playing and not track_of(voice).ending]

    def _renew(self, files: Set[str]) -> bool:
        """If ``files`` contains the file of the current music, reload the file and continue at the
        same position. Return whether the file was reloaded.
        """
        is_renewed = False
        for voice in self._voices:
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
        """Delete the voices that ended before ``tick``, to free memory. The game can no longer go
        back to ticks before ``tick``.
        """
        voices = [
            voice
            for voice in self._voices
            if voice.playing or max(track_of(voice).began, track_of(voice).ended) >= tick
        ]
        self._voices = deque(voices, _MAX_VOICES)

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
        file = self._file("path", path, loop)
        start = checked_second("start", start, file.length)
        options = _options(volume, fade, start)

        voices = self._begin([(file, options)], fade)
        self._change_clock(clock, self._origin(start), has_music=True)
        return voices[0]

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
        loudness = _checked_volumes(volumes or {}, named)
        clock = None if bpm is None else self._new_clock(bpm, first_beat, beats_per_bar, start)
        part = checked_loop(loop, None)
        layers = []
        for name, path in named.items():
            volume = loudness.get(name, 1.0)
            file = self._file("paths", path, loop)
            start = checked_second("start", start, file.length)
            layers.append((file, _options(volume, fade, start)))
        _check_lengths([file for file, _ in layers], part)
        voices = self._begin(layers, fade)
        self._change_clock(clock, self._origin(start), has_music=True)
        return MusicLayers(dict(zip(named, voices, strict=True)))

    def _file(self, name: str, path: object, loop: object) -> _File:
        """Open a file, or a sound, that will play as music."""
        part = checked_loop(loop, None)
        if isinstance(path, SourceMaker):
            source = new_source(path, loop)
            return _File(path, (identity_of(path), part), source, length_of(path), part is not None)
        if not isinstance(path, str | os.PathLike):
            raise checks.wrong_type(name, "the path of a music file, or a Sound", path)
        file = find(checks.path(name, path), self._audio.folders)
        stream = Stream(file, part)
        length = stream.header_length()
        if not length and stream.is_empty():
            raise AssetError(
                f"The music {str(file)!r} contains no samples: it is empty, or broken. Save it again."
            )
        return _File(str(file), (str(file), part), stream, length, part is not None)

    def _begin(self, layers: list[tuple[_File, VoiceOptions]], fade: float) -> list[Voice]:
        """Start one or more files at the same sample, and stop the current music."""
        audio = self._audio
        voices: list[Voice] = []
        earlier = list(self._voices)
        current = self._current()
        for file, options in layers:

            def begin(audible: bool, file: _File = file, options: VoiceOptions = options) -> Voice:
                if audible:
                    for voice in earlier:
                        voice.stop(fade)
                new = audio.voice(
                    file.name,
                    file.source,
                    options,
                    audible=audible,
                    steals=False,
                    loops=file.loops,
                )
                if audible and current and options.fade * RATE >= 2 * MIN_FADE:
                    for voice in (*current, new):
                        track_of(voice).even = True
                return new

            voices.append(audio.once(("music", file.key), begin, options))
        Reloadable.add(self, Music._renew)
        if audio.correcting:  # the first run of the tick has stopped these voices in `begin`
            for playing in self._voices:
                if playing not in voices:
                    playing.stop(fade)
        for voice in voices:
            if voice not in self._voices:
                self._voices.append(voice)
        return voices

    def stop(self, fade: float = 0.0) -> None:
        """Fade out all music over ``fade`` seconds. Music that is already fading out ends after
        ``fade`` seconds at the latest.
        """
        fade = checks.number("fade", fade, least=0, most=3600)
        for voice in self._voices:
            voice.stop(fade)
        self._change_clock(None, self._audio.time)

    @property
    def paused(self) -> bool:
        """Whether the music is paused, together with its beats. False resumes the music at the same
        position and at the same beat. A short fade prevents a click. Old music that is still fading
        out is paused too.

        While the music is paused, `beat` does not change, and `every` returns no beats. Use `paused`
        in the rules of a rhythm game, and change it before you call `every`. The pause of the bus
        "music" does not stop the beats.
        """
        change = self._change()
        return change is not None and change.paused is not None

    @paused.setter
    def paused(self, paused: bool) -> None:
        if checks.flag("paused", paused) == self.paused:
            return
        audio = self._audio
        now = audio.time
        change = self._change() or _ClockChange(0, False, None, now)
        if paused:
            self._add_change(change._replace(paused=self._silence_time(change, now)))
        else:
            assert change.paused is not None
            begun = now if change.paused <= now else change.begun
            shift = max(Fraction(0), now - change.paused)
            self._shift_clock(change._replace(begun=begun), shift, resumed=now)
        if audio.in_tick and audio.standing:  # ticks before the current one do not change voices
            return
        if paused:
            self._pause_voices()
        else:
            self._resume_voices()

    def _silence_time(self, change: _ClockChange, now: Fraction) -> Fraction:
        """Return the game time at which music that is paused now has become silent. Until then, the
        position of the music changes.

        The result depends only on ticks, and not on voices, which a snapshot does not restore.
        """
        if not change.has_music or change.begun == now:
            return now
        return now + self._fade_time(MIN_FADE)

    def _fade_time(self, samples: int) -> Fraction:
        """Return the duration of a fade of ``samples`` samples, in seconds. A paused voice stops at
        the first tick in which it is silent.
        """
        tick = self._audio.tick_seconds
        return math.ceil(Fraction(samples, RATE) / tick) * tick

    def _pause_voices(self) -> None:
        """Pause all voices of the music, including old music that is fading out."""
        earlier = self._paused_voices
        self._paused_voices = WeakSet()
        for voice in self._voices:
            is_again = voice in earlier and not track_of(voice).ending
            if voice.playing and (is_again or not voice.paused):
                self._paused_voices.add(voice)
                voice.paused = True

    def _resume_voices(self) -> None:
        """Resume the voices that `_pause_voices` has paused."""
        for voice in self._paused_voices:
            voice.paused = False
        self._paused_voices.clear()

    def seek(self, seconds: float) -> None:
        """Continue the music at the position ``seconds``, together with its beats. The mixer
        crossfades over 5 ms, so that no click is audible.

        All layers jump to the same position. `beat` jumps to the beat at this position. If the
        music has ended, only the beats jump. See `Voice.seek`.
        """
        seconds = checks.number("seconds", seconds, least=0)
        voices = self._current()
        for voice in voices:  # an error leaves all layers at their positions
            seek_target(voice, seconds)
        for voice in voices:
            voice.seek(seconds)
        change = self._change()
        if change is None:
            return
        now = self._audio.time
        until = now if change.paused is None else min(now, change.paused)
        shift = until - checks.decimal(seconds) - change.origin
        self._shift_clock(change, shift, resumed=None, paused=change.paused)

    def _shift_clock(
        self,
        change: _ClockChange,
        shift: Fraction,
        *,
        resumed: Fraction | None,
        paused: Fraction | None = None,
    ) -> None:
        """Let all beats happen ``shift`` seconds later."""
        clock = change.clock
        self._add_change(
            change._replace(
                clock=None if clock is None else clock.shifted(shift),
                origin=change.origin + shift,
                resumed=resumed,
                paused=paused,
            )
        )

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
        change = self._change()
        if change is None or not change.has_music:
            self._change_clock(clock, self._audio.time)
            return clock
        if change.paused is not None:
            clock = clock.shifted(min(Fraction(0), change.paused - self._audio.time))
        self._add_change(change._replace(clock=clock))
        return clock

    @property
    def clock(self) -> BeatClock | None:
        """The current beat clock. `play`, `play_layers` and `start_clock` replace it. The value is
        None before the first of these calls, after `stop`, and if you did not pass ``bpm`` to
        `play`.
        """
        change = self._change()
        return None if change is None else change.clock

    def _change(self) -> _ClockChange | None:
        """Return the latest change to the beat clock, up to the current tick."""
        tick = self._audio.tick
        for change in reversed(self._clocks):
            if change.tick <= tick:
                return change
        return None

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
        change = self._change()
        if change is None or change.clock is None:
            return 0
        return change.clock.bar_at(change.music_time(float(self._audio.time)))

    def beat_at(self, time: float) -> float:
        """Return the beat at a game time in seconds. The result is 0 if there is no beat clock.

        To compare a key press with the beat that the player heard, call
        ``music.beat_at(audio.time - audio.delay)``. In a replay, the result is the same.
        """
        time = checks.number("time", time)
        change = self._change()
        if change is None or change.clock is None:
            return 0.0
        return change.clock.beat_at(change.music_time(time))

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
        change = self._change()
        now = self._audio.time
        end = now + self._audio.tick_seconds
        clock = None if change is None else change.clock
        if change is not None and change.paused is not None:
            end = max(now, min(end, change.paused))
        beat_clock = _NO_BEATS if clock is None else clock
        beats_of_tick = beat_clock.between(now, end, beats, offset)
        return [] if clock is None else beats_of_tick

    def _new_clock(
        self, bpm: float, first_beat: float, beats_per_bar: int, start: float = 0.0
    ) -> BeatClock:
        first = checks.decimal(checks.number("first_beat", first_beat, least=-3600, most=3600))
        tempo = checked_bpm("bpm", bpm)
        return BeatClock(tempo, self._origin(start) + first, beats_per_bar)

    def _origin(self, start: float) -> Fraction:
        """Return the game time at which the music would have been at its start, if it is now at the
        position ``start``.
        """
        return self._audio.time - checks.decimal(checks.number("start", start))

    def _change_clock(
        self, clock: BeatClock | None, origin: Fraction, *, has_music: bool = False
    ) -> None:
        audio = self._audio
        self._add_change(
            _ClockChange(
                audio.tick, audio.in_tick, clock, origin, begun=audio.time, has_music=has_music
            )
        )

    def _add_change(self, change: _ClockChange) -> None:
        audio = self._audio
        change = change._replace(tick=audio.tick, in_tick=audio.in_tick)
        changes = self._clocks
        if audio.standing and any(old[:2] == change[:2] for old in changes):
            return  # the first run of the tick has already made this change
        later = [old for old in changes if old.tick > change.tick]
        for _ in later:
            changes.pop()
        changes.append(change)
        changes.extend(later)

    def begin_again(self, tick: int) -> None:
        """Called when a tick is about to run again, for each tick. Remove the changes to the beat
        clock that were made in the tick ``tick`` and in later ticks.
        """
        is_first = self._before is None
        if is_first:
            self._before = self._course()
        count = len(self._clocks)
        self._keep_changes(lambda old: old.tick < tick or not old.in_tick)
        if len(self._clocks) < count and not is_first:
            self._before = _NO_COURSE  # an incomplete second run has changed the music

    def end_correction(self) -> None:
        """Called after the last of the repeated ticks. If the second run differs from the first
        run, let the music continue at the position that belongs to its beats.
        """
        before = self._before
        self._before = None
        if before is not None and before != self._course():
            self._align(self._audio.time)

    def go_back(self, tick: int, next_time: Fraction) -> None:
        """Called when the game continues from the earlier tick ``tick``. The next tick begins at the
        game time ``next_time``. Remove all later changes to the beat clock. Let the music continue
        at the position that belongs to its beats.
        """
        self._before = None
        self._keep_changes(lambda old: old.tick <= tick)
        change = self._clocks[-1] if self._clocks else None
        is_moved = change is not None and change.clock is not None
        self._align(next_time, is_moved=is_moved, began_until=tick)

    def _course(self) -> _Course:
        change = self._clocks[-1] if self._clocks else None
        if change is None:
            return _Course(None, None, self._current())
        return _Course(change.origin, change.paused, self._current())

    def _align(
        self, time: Fraction, *, is_moved: bool = True, began_until: float = math.inf
    ) -> None:
        """Pause or resume all voices of the current music. If ``is_moved`` is True, also move the
        voices that began up to the tick ``began_until`` to the position that belongs to the beats.
        ``time`` is the game time of the current tick.
        """
        change = self._clocks[-1] if self._clocks else None
        voices = self._current()
        paused = None if change is None else change.paused
        for voice in voices:
            voice.paused = paused is not None
            (self._paused_voices.discard if paused is None else self._paused_voices.add)(voice)
        if change is None or not is_moved:
            return
        audio = self._audio
        for voice in voices:
            track = track_of(voice)
            if track.began > began_until:
                continue
            if paused is None:
                seconds = time - change.origin + Fraction(audio.sample - audio.tick_sample, RATE)
            else:  # the voice still moves until it is silent
                seconds = paused - change.origin - self._fade_time(self._moving_samples(track))
            track.seek(max(0, round(seconds * RATE)) * ONE)

    def _moving_samples(self, track: MixerTrack[Voice]) -> int:
        """Return the number of samples for which a paused voice still moves, while it fades out."""
        now = self._audio.sample
        if track.fresh or track.step == 0 or track.is_silent(now):
            return 0
        _, end, _, _, to_left, to_right = track.ramp
        return max(0, end - now) if to_left == to_right == 0.0 else MIN_FADE

    def _keep_changes(self, condition: Callable[[_ClockChange], bool]) -> None:
        self._clocks = deque(filter(condition, self._clocks), _MAX_CLOCKS)


def _options(volume: float, fade: float, start: float) -> VoiceOptions:
    """Return the options of a new voice that plays music."""
    options = checked_options(volume, 1.0, 0.0, None, fade, "music", 0.0, None, start)
    # The first sample in the middle of the music would be a click.
    return options._replace(fade=max(options.fade, MIN_FADE / RATE)) if start else options


def _checked_volumes(
    volumes: Mapping[str, float], paths: Mapping[str, object]
) -> Mapping[str, float]:
    """Check that each volume belongs to a file in ``paths``, and return the volumes by name."""
    named = checks.named("volumes", volumes, "a dict of names and volumes")
    for name in named:
        checks.choice("volumes", name, paths)
    return named


def _check_lengths(files: list[_File], part: tuple[int, int | None] | None) -> None:
    """Check that files have the same length, so that they can play in sync."""
    stated = [(file.name, file.length) for file in files if file.length is not None]
    end = None if part is None else part[1]
    for name, length in stated:
        if end is not None and length < end:
            raise ValueError(
                f"loop: expected an end within all files, got {end / RATE:g} s; "
                f"{name!r} has {length / RATE:g} s"
            )
        first_name, first_length = stated[0]
        if end is None and abs(length - first_length) > 1:
            raise ValueError(
                f"paths: expected files of equal length, got {first_name!r} with "
                f"{first_length / RATE:g} s and {name!r} with {length / RATE:g} s; pass "
                "loop=(start, end) to repeat a part that all files have"
            )


_NO_BEATS = BeatClock(120)
_NO_COURSE = _Course(None, None, [])
