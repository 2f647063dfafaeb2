"""The backend of `game.audio`, which starts the sounds of each tick and mixes them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from .. import checks
from ..arrays import Floats
from ..assets.sounds import RATE
from ..current_game import write_file
from ..errors import FrameworkError
from ..motion.camera_base import dimensions_of
from ..record.effect_log import MAX_TICKS
from ..resources import Folder
from ..timing.timestep import Tick
from .audio import Audio
from .buffering import BufferFeed
from .buses import Buses
from .device import (
    better_output,
    is_alive,
    new_output,
    new_player,
    release,
    started_player,
)
from .mixer import Mixer
from .mixer_track import MIN_FADE, ONE, MixerTrack, SampleSource
from .music import Music
from .occlusion import Occlusion, occlusion_between
from .output import Output
from .positional import (
    Place,
    doppler_pitch,
    in_space,
    in_the_plane,
    place_of,
    plane_distance,
    space_distance,
)
from .sample_clock import SampleClock, TimestepClock
from .sound_process import ProcessPlayer
from .source_maker import SourceMaker
from .tween_starts import TweenStarts
from .voice_reuse import VoiceReuse, revive
from .voices import Moment, Voice, VoiceOptions, track_of
from .wave_file import WaveFile

# The size of the device's ring buffer: samples for one second.
_RING = RATE
# Samples; without ticks, the device is paused when the buffer is this far below the latency.
_LOW = RATE // 50
# The maximum number of samples between two ticks while sound is being captured.
_MAX_TICK = 60 * RATE
# The number of samples that are mixed in advance when ticks are longer, as in slow motion.
_AHEAD = RATE // 2
# The longest time for which a voice can wait for its start, in seconds.
_MAX_WAIT = 3600
# The maximum number of stored voices with a start time; they start again if the game goes back.
_MAX_PLANNED = 1024
_FORGETTING = 256  # how often voices that ended long ago are removed, in ticks
_CLOSING = 60  # the number of frames in which the old player plays the rest of its ring buffer
_STEAL_FADE = MIN_FADE / RATE  # seconds


class AudioHost(Protocol):
    """The attributes and methods of a game that the audio backend uses."""

    headless: bool
    """Whether the game has no sound device."""
    folders: Sequence[Folder]
    """The folders in which the game searches for sound files."""

    @property
    def tick(self) -> int:
        """The number of the current tick, or of the most recent tick if none is running."""

    @property
    def in_tick(self) -> bool:
        """True while a tick is running, including its start."""

    @property
    def resimulating(self) -> bool:
        """True while a tick is running again, for example after a rewind."""

    @property
    def standing(self) -> bool:
        """True while the game is paused at an earlier tick."""

    @property
    def caught_up(self) -> bool:
        """True while the last of the repeated ticks is running."""

    @property
    def timestep(self) -> TimestepClock:
        """The timestep of the game, which contains the simulated time."""

    def default_listener(self, dimensions: int) -> tuple[Any, float] | None:
        """Return the camera from which the player hears voices with a position, and the width of
        its view. Return None if the game has no such camera.
        """


class ShownFrame(Protocol):
    """A frame of the game that was shown on the screen, with its ``alpha``."""

    @property
    def alpha(self) -> float: ...


class Console:
    """Plays the sounds of a game, tick by tick. A console is the backend of `Audio`.

    The code of a game uses the `frontend` of the console, which is an `Audio` object. The game loop
    calls the console in each tick and each frame.
    """

    not_state = True

    def __init__(self, host: AudioHost) -> None:
        self._host = host
        self.mixer = Mixer(self._position_gain)
        """The mixer of the game's voices. The attribute ``mixer.now`` is the number of samples that
        have been mixed so far.
        """
        self.buses = Buses(self.mixer.update_targets)
        self.buses.tween_starts = TweenStarts(self)
        self.mixer.use_buses(self.buses)
        self.mixer.doppler = self._doppler
        self.mixer.occlusion = self._occlusion
        self.frontend = Audio(self, self.buses, Music(self))
        self._clock = SampleClock(host.tick, host.timestep)
        self.mixer.now = self._clock.moment
        self._once = VoiceReuse()
        # The most recent voices that had to wait for their start time.
        self._planned: deque[tuple[Voice, VoiceOptions]] = deque(maxlen=_MAX_PLANNED)
        self._sinks: list[WaveFile] = []
        self._shown: float | None = None  # the alpha of the last frame, or None after a tick
        self._last_alpha = -1.0  # the alpha of the last frame with a sound device
        self._output: Output | None = None
        self._feed: BufferFeed | None = None
        self._pending: list[Floats] = []
        # A second process that was started before the game played a sound.
        self._early: ProcessPlayer | None = None
        # A second process that is starting, or that is opening its sound device.
        self._candidate: Output | None = None
        # The previous output, which plays its last samples, and the number of frames until it is
        # closed.
        self._old: tuple[Output, int] | None = None
        # True once a voice has started that must continue during long frames.
        self._continues = False
        self._input_tick: int | None = None  # the tick whose event handlers have just run
        self._ended_tick: int | None = None  # the latest tick that has ended, and did not run again
        if SourceMaker.long_sound_exists:
            self.prepare_long_sounds()

    def prepare_long_sounds(self) -> None:
        """Called when the game has loaded a long sound. If sounds would stop during long frames,
        start the second process now: it takes 0.1 to 0.3 s, and more on a busy computer.
        """
        if self._host.headless or not self.frontend.enabled or self._early or self._candidate:
            return
        if self._output is None:
            self._early = started_player()
        else:  # another sound has already opened the sound device
            self._find_better()

    @property
    def device(self) -> str | None:
        """The name of the audio system, such as "ALSA". The value is None if no sound device is
        open, as in a game that runs without a window.
        """
        return None if self._output is None else self._output.name

    def begin_capture(self, path: str, dither: bool) -> WaveFile | None:
        """Begin to write the mix to a WAV file. Return the `WaveFile` to which the mix is written.

        In a replay, no file is written, and the method returns None.
        """
        files: list[WaveFile] = []
        write_file(path, lambda file_path: files.append(WaveFile(file_path, dither)))
        self._catch_up()
        self._sinks += files
        return files[0] if files else None

    def end_capture(self, file: WaveFile) -> None:
        """Mix the samples up to the next tick, and write them to the file. Then close the file."""
        if file in self._sinks:
            try:
                self._mix(self._clock.next_tick(self._host.timestep))
            finally:
                self._sinks.remove(file)
                file.close()

    # -- voices ------------------------------------------------------------------------------------

    @property
    def folders(self) -> Sequence[Folder]:
        """The folders in which the game searches for sound files."""
        return self._host.folders

    def begin(
        self,
        sound: object,
        source: SampleSource,
        options: VoiceOptions,
        key: Hashable,
        *,
        content: Hashable = None,
    ) -> Voice:
        """Start a sound for `Sound.play`, and return its voice. ``key`` is the argument ``key`` of
        `Sound.play`, or None. ``content`` is a key that is equal for two sounds with the same
        samples. If ``content`` is None, no other sound has the same samples.
        """
        if options.at is not None:
            self._check_time(options.at)
        loops = source.length is None
        arguments = sound, source, options
        return self.once(
            (id(sound) if content is None else content, loops, options.bus),
            lambda audible: self.voice(*arguments, audible=audible, steals=True, loops=loops),
            options,
            key,
        )

    def once(
        self,
        sound: Hashable,
        make: Callable[[bool], Voice],
        options: VoiceOptions,
        key: Hashable = None,
    ) -> Voice:
        """Return a new voice for a sound of this tick. If the tick is running again, return the
        voice of the first run instead.

        Without a ``key``, ``sound`` identifies the sound within its tick. With a ``key``, ``sound``
        and ``key`` together identify the sound within all repeated ticks. ``make(audible)`` is a
        function that creates the voice. ``audible`` is False if the voice has already ended, or if
        the game is paused at an earlier tick.
        """
        host = self._host
        if not host.in_tick:
            return make(not host.standing)
        tick = host.tick
        identity = (tick, sound) if key is None else ("key", sound, key)
        if host.standing:
            voice = self._once.stored(tick, identity)
            return make(False) if voice is None else voice
        if host.resimulating:
            self._once.begin_again(tick, self.mixer)
            is_known, voice = self._once.repeated(tick, identity, options)
            if is_known:
                if voice is not None:
                    self._move(voice, options.at)
                return make(False) if voice is None else voice
        voice = make(True)
        self._once.add(tick, identity, voice, options)
        return voice

    @property
    def correcting(self) -> bool:
        """True while a tick is running again. Its sounds may differ from the sounds of the first
        run.
        """
        return self._host.in_tick and self._host.resimulating and not self._host.standing

    def voice(
        self,
        sound: object,
        source: SampleSource,
        options: VoiceOptions,
        *,
        audible: bool,
        steals: bool,
        loops: bool,
    ) -> Voice:
        """Create and return a voice that starts now.

        If ``audible`` is False, the voice is silent, as if it had already ended. If ``steals`` is
        True, the new voice may stop a less important voice. Music does not stop other voices, and
        other voices do not stop music. ``loops`` is True for a voice that
        repeats forever. If the game returns to an earlier tick, a voice with ``loops`` continues
        from that tick.
        """
        self._catch_up()
        host = self._host
        mixer = self.mixer
        voice = Voice(sound, source, self.buses.of(options.bus), options, self._now)
        track = track_of(voice)
        track.began = host.tick
        track.is_music = not steals
        if not audible:
            track.playing = False
            return voice
        if self._output is None and self.frontend.enabled and not host.headless:
            self._open()
        self._prepare(track, options, options.at)
        if steals and not self._steal_voice(voice):
            track.playing = False
            return voice
        if not mixer.add(track):
            return voice
        if options.at is not None:
            self._planned.append((voice, options))
        must_continue = loops or source.streams or self._early is not None
        if not self._continues and self._candidate is None and must_continue:
            self._continues = True
            self._find_better()  # the process starts now, not in the next frame
        if loops:
            self._once.loops.add(voice)
        return voice

    def _steal_voice(self, new: Voice) -> bool:
        """If the new voice would exceed `Audio.max_voices`, stop the least important voices.

        Return False if the new voice itself is the least important and must not play.
        """
        tracks = self.mixer.tracks
        if len(tracks) < self.frontend.max_voices:
            return True
        live = [track.voice for track in tracks if not track.ending and not track.is_music]
        if len(live) < self.frontend.max_voices:
            return True
        if min([voice.priority for voice in live]) > new.priority:
            return False
        # If the game has lowered `max_voices`, several voices must stop.
        for victim in self._least_important(live, len(live) - self.frontend.max_voices + 1):
            victim.stop(_STEAL_FADE)
            self._once.stolen.add(victim)
        return True

    def _least_important(self, voices: list[Voice], count: int) -> list[Voice]:
        """Return the ``count`` least important voices. The returned list is sorted by priority.
        Among voices with the same priority, the quietest voice comes first.
        """
        # The usual case. The loudness is computed only when it is needed, because computing it
        # takes time.
        if count == 1:
            lowest = min([voice.priority for voice in voices])
            voices = [voice for voice in voices if voice.priority == lowest]
            loudness = self.mixer.loudness(voices)
            return [voices[loudness.index(min(loudness))]]
        order = [
            (voice.priority, loudness, index)
            for index, (voice, loudness) in enumerate(
                zip(voices, self.mixer.loudness(voices), strict=True)
            )
        ]
        return [voices[index] for _, _, index in sorted(order)[:count]]

    def revive(self, voice: Voice) -> None:
        """Continue a voice that has ended, with a short fade-in."""
        revive(voice, self.mixer)

    # -- voices that wait for a time ---------------------------------------------------------------

    @property
    def time(self) -> Fraction:
        """The game time of the current tick (or of the last tick), in seconds."""
        return self._clock.time_of(self._host.tick, self._host.timestep)

    @property
    def tick_seconds(self) -> Fraction:
        """The duration of a tick, in seconds of game time."""
        return self._clock.tick_seconds(self._host.timestep)

    @property
    def tick(self) -> int:
        """The number of the current tick, or of the most recent tick if none is running."""
        return self._host.tick

    @property
    def in_tick(self) -> bool:
        """Whether a tick is running."""
        return self._host.in_tick

    @property
    def delay(self) -> float:
        """The delay in seconds between the game time of a sound and the moment when the player
        hears it.
        """
        return self.frontend.delay

    @property
    def standing(self) -> bool:
        """Whether the game is paused at an earlier tick."""
        return self._host.standing

    @property
    def sample(self) -> int:
        """The number of mixed samples."""
        return self.mixer.now

    @property
    def tick_sample(self) -> int:
        """The sample at which the current tick began. In a game with a sound device, `sample` can
        already be at the next tick.
        """
        return self._clock.moment

    def ahead(self, voice: Voice) -> float:
        """Return how far a voice on the sound device is ahead of the mix after a long frame, in
        seconds.
        """
        return track_of(voice).ahead_at(self.mixer.now) / (ONE * RATE)

    def _check_time(self, at: float) -> None:
        now = self.time
        if not now - self.tick_seconds <= at <= now + _MAX_WAIT:
            raise checks.wrong_value(
                "at",
                f"a game time in seconds, from {float(now):.6g} (audio.time) to one hour later",
                at,
            )

    def _move(self, voice: Voice, at: float | None) -> None:
        """Set another start time (in game time) for a voice that has not started yet."""
        track = track_of(voice)
        now = self.mixer.now
        if track.starts > now and track.at != at:
            track.at = at
            sample = now if at is None else self._clock.sample_at(at, self._host.timestep)
            track.begin_at(max(now, sample))

    def _wait_again(self) -> None:
        """Called when the time scale has changed. Voices that are waiting for a game time still
        start at that time.
        """
        now = self.mixer.now
        for track in self.mixer.tracks:
            if track.at is not None and track.starts > now:
                track.begin_at(max(now, self._clock.sample_at(track.at, self._host.timestep)))

    def _plan_again(self, tick: int) -> None:
        """Called when the game continues from the earlier tick ``tick``. Correct the voices that
        are waiting for a later time. A voice that was scheduled in ``tick`` or earlier still starts
        at its time. A voice that was scheduled after ``tick`` does not start.
        """
        timestep = self._host.timestep
        mixer = self.mixer
        time = self._clock.time_of(tick, timestep)
        for planned in list(self._planned):
            voice, options = planned
            if voice in self._once.withdrawn:
                continue
            track = track_of(voice)
            if track.began > tick:
                self._planned.remove(planned)
                if track.starts > mixer.now:
                    track.playing = False
            elif track.at is not None and track.at > time and not 0 < track.ended <= tick:
                self._begin_again(voice, options)
        mixer.tracks = [track for track in mixer.tracks if track.playing]

    def _begin_again(self, voice: Voice, options: VoiceOptions) -> None:
        """Make a voice wait for its start time again, even if it has already started or ended."""
        mixer = self.mixer
        old = track_of(voice)
        if old in mixer.tracks:
            if old.starts > mixer.now:
                mixer.tracks.remove(old)
            else:
                old.ghost = old.ending = True
                old.fade_to(0.0, mixer.now, MIN_FADE)
        voice._track = track = MixerTrack(voice, old.source)
        track.began = old.began
        self._prepare(track, options, old.at)
        mixer.add(track)

    def _prepare(self, track: MixerTrack[Voice], options: VoiceOptions, at: float | None) -> None:
        """Prepare a new voice: set its position in the sound, its first sample in the mix, and its
        fade-in.
        """
        now = self.mixer.now
        track.seek(round(options.start * RATE) * ONE)
        if options.fade:
            length = max(1, round(options.fade * RATE))
            track.fade = (now, 0.0, now + length, 1.0)
        if at is not None:
            track.at = at
            track.begin_at(max(now, self._clock.sample_at(at, self._host.timestep)))

    def _now(self) -> Moment:
        """Return the number of the current sample in the mix, and the current tick."""
        self._catch_up()
        host = self._host
        return Moment(self.mixer.now, host.tick, self.correcting, host.in_tick and host.standing)

    # -- time --------------------------------------------------------------------------------------

    def note_tick(self, number: int) -> None:
        """Begin the tick ``number``. First, mix the samples up to this tick, with the settings of
        the last tick.
        """
        host = self._host
        clock = self._clock
        if host.resimulating or (number == clock.number and number != self._ended_tick):
            return
        self._ended_tick = None
        # For a sound device, every tick of a frame counts as if it were due before the frame. A
        # captured file must contain the same bits at every frame rate, so a capture does not use
        # alpha.
        alpha, self._shown = (
            (0.0, None) if self._output is None or self._sinks else (self._shown, None)
        )
        if not clock.begin_tick(number, host.timestep, alpha):
            self._go_back(number - 1)
        if self._once.correcting:  # the game is continuing before all ticks have run again
            self._once.end_correction(number - 1, self.mixer)
        self.frontend.music.end_correction()
        self._update_time_scale()
        self._mix(clock.moment)
        if number % _FORGETTING == 0:
            self._forget(number - MAX_TICKS)

    def _forget(self, tick: int) -> None:
        """Delete voices that ended before ``tick``, to free the memory of their sounds."""
        self.frontend.music.forget(tick)
        time = self._clock.time_of(tick, self._host.timestep)
        planned = [
            (voice, options)
            for voice, options in self._planned
            if voice.playing or options.at is None or options.at >= time
        ]
        self._planned = deque(planned, _MAX_PLANNED)

    def _update_time_scale(self) -> None:
        if self._clock.scale != self.mixer.time_scale:
            self.mixer.time_scale = self._clock.scale
            self.mixer.update_targets()
            self._wait_again()

    def _catch_up(self) -> None:
        if self._host.in_tick:
            self.note_tick(self._host.tick)

    def begin_input(self, number: int) -> None:
        """Begin the tick ``number``, before its event handlers run. In a tick without input, only
        `begin_tick` is called.
        """
        if self._host.resimulating and not self._host.standing:
            self.frontend.music.begin_again(number)
            self._once.begin_again(number, self.mixer)
        self.note_tick(number)
        self._input_tick = number

    def begin_tick(self, tick: Tick) -> None:
        if self._input_tick != tick.number:
            self.begin_input(tick.number)
        self._input_tick = None

    def end_tick(self, tick: Tick) -> None:
        self._once.end_tick()
        self.frontend.music.end_tick()
        if not self._host.resimulating:
            self._ended_tick = tick.number
        if self._once.correcting and self._host.caught_up:
            self._once.end_correction(tick.number, self.mixer)
            self.frontend.music.end_correction()

    def _go_back(self, tick: int) -> None:
        """Called when the game has returned to the earlier tick ``tick``. Play the loops that were
        playing in this tick.

        Loops that began after ``tick`` are stopped. Loops that were stopped after ``tick`` continue
        to play.
        """
        self._once.go_back(tick)
        self._plan_again(tick)
        for voice in list(self._once.loops):
            track = track_of(voice)
            if track.began > tick:
                voice.stop()
            elif track.ended > tick and voice not in self._once.withdrawn:
                revive(voice, self.mixer)
        self.frontend.music.go_back(tick, self._clock.time_of(tick + 1, self._host.timestep))

    def _mix(self, until: int, end: int | None = None) -> None:
        audible = self.device is not None
        mixer = self.mixer
        if self._sinks and until - mixer.now > _MAX_TICK:
            self._end_captures(until - mixer.now)
        if not self._sinks:  # without a capture, skip samples that do not fit into the ring buffer
            while until - _RING - mixer.now > _MAX_TICK:
                mixer.run(mixer.now + _MAX_TICK, False)
            mixer.run(until - _RING, False)
        mix = self.mixer.run(until, bool(self._sinks), end, audible)
        for sink in self._sinks:
            sink.write(mix)
        if audible and len(self.mixer.device_mix):
            self._pending.append(self.mixer.device_mix)
            while sum(map(len, self._pending)) > _RING:
                del self._pending[0]

    def _end_captures(self, samples: int) -> None:
        """Called when the disk has no space left for ``samples`` more samples. End all captures and
        raise an error.
        """
        for sink in self._sinks:
            sink.close()
        self._sinks.clear()
        raise FrameworkError(
            f"capture: at a time scale of {self._clock.scale:g} the next tick is "
            f"{samples / RATE:,.0f} seconds later, more than the maximum of "
            f"{_MAX_TICK // RATE} seconds. The file ends here. "
            "Set the time scale to 0 to stop the time"
        )

    def frame(self, frame: ShownFrame) -> None:
        """Called once per frame. Mix the sounds up to the current time, and pass the mix to the
        sound device.
        """
        if self._output is not None and not is_alive(self._output.player):
            self._open()  # the second process has ended
        output = self._output
        feed = self._feed
        if output is None or feed is None:
            return
        clock = self._clock
        timestep = self._host.timestep
        if not self._sinks:
            self._shown = frame.alpha
            clock.update_scale(timestep, frame.alpha)
        self._update_time_scale()
        next_tick = clock.next_tick(timestep)
        left = clock.samples_left(timestep, frame.alpha)
        ahead = min(left, _AHEAD)
        if output.check():
            self._mix(next_tick - left + ahead, next_tick)
        self._feed_device(feed, ahead, frame.alpha == self._last_alpha)
        self._last_alpha = frame.alpha
        if self._continues:
            self._find_better()
        if self._old is not None:
            self._close_old(*self._old)

    def _feed_device(self, feed: BufferFeed, ahead: int, is_still: bool) -> None:
        """Pass the new samples of the mix to the device. ``ahead`` is the number of these samples that
        are later than the current frame. ``is_still`` is True if no time has passed since the last
        frame.
        """
        latency = round(self.frontend.latency * RATE)
        player = feed.player
        if self._pending:
            mix = np.concatenate(self._pending)
            self._pending.clear()
            mixer = self.mixer
            feed.push(mix, mixer.now, ahead + latency, mixer.shift, mixer.publishable)
        elif is_still and player.written - player.read < latency - _LOW:
            feed.pause()  # the game's time is standing still

    def _open(self) -> None:
        """Open the sound device, and create a new player for it. Close the old output, if one is
        open.
        """
        old = self._output
        if old is not None:
            old.close()
            release(old.player)
        player = new_player()
        self._feed = BufferFeed(player, continues=old is not None)
        self._output = new_output(player)

    def _find_better(self) -> None:
        """If sounds would stop during long frames, start a second process that plays them. The
        second process is used as soon as its sound device is open.
        """
        candidate = self._candidate
        if candidate is None:
            self._continues = False
            if self._output is not None:
                self._candidate = better_output(self._output, self._early)
                if self._candidate is None and self._early is not None:
                    release(self._early)
                self._early = None
                self._continues = self._candidate is not None
        elif not candidate.check() or candidate.name is None:
            candidate.close()
            release(candidate.player)
            self._candidate = None
            self._continues = False
        elif candidate.name:
            if self._output is not None and self._feed is not None:
                self._feed.pause()  # the old player plays the rest of its ring buffer, then fades out
                self._old = self._output, _CLOSING
            self._output = candidate
            self._candidate = None
            self._continues = False
            self._feed = BufferFeed(candidate.player, continues=True)

    def _close_old(self, old: Output, frames: int) -> None:
        """Close the old output as soon as its player has played all buffered samples."""
        if frames:
            self._old = old, frames - 1
        else:
            self._old = None
            old.close()
            release(old.player)

    def release(self) -> None:
        """Called when the game ends. Close the sound device and all files."""
        old = None if self._old is None else self._old[0]
        for output in (self._output, self._candidate, old):
            if output is not None:
                output.close()
                release(output.player)
        if self._early is not None:
            release(self._early)
        self._output = self._candidate = self._old = self._early = None
        for sink in self._sinks:
            sink.close()
        self._sinks.clear()
        for track in self.mixer.tracks:
            track.playing = False
        self.mixer.tracks.clear()

    # -- space -------------------------------------------------------------------------------------

    def _position(self, voice: Voice, alpha: float) -> Place | None:
        """Return the position of a voice in the world. ``alpha`` is the fraction of a tick that has
        passed since the last tick. If the sprite of the voice was removed, return the last position
        of the sprite. Return None for a voice without a position.
        """
        track = track_of(voice)
        target = voice.position
        position = None if target is None else place_of(target, alpha)
        if position is not None:
            track.last_position = position
        return track.last_position

    def _position_gain(self, voice: Voice, alpha: float) -> tuple[float, float]:
        position = self._position(voice, alpha)
        if position is None:
            return 0.0, 0.0
        listening = self._listening(len(position))
        if listening is None:
            return 1.0, 0.0
        listener, width = listening
        reach = voice.reach or self.frontend.reach
        if dimensions_of(listener) == 2:
            width = listener.view.size[0] if width is None else width
            return in_the_plane(listener, position, width, reach or width / 2, alpha)
        return in_space(listener, (*position, 0.0)[:3], reach or 10.0, alpha)

    def _listening(self, dimensions: int) -> tuple[Any, float | None] | None:
        """Return the camera from which the player hears voices with a position, and the width of
        its view. ``dimensions`` is 2 or 3. Return None if the game has no such camera.
        """
        listener = self.frontend.listener
        if listener is not None:
            return listener, None
        return self._host.default_listener(dimensions)

    def _occlusion(self, voice: Voice) -> Occlusion:
        """Return how much walls block a voice with a position, from 0 to 1."""
        option = self.frontend.occlusion if voice.occlusion is None else voice.occlusion
        position = None if option is None else self._position(voice, 1.0)
        listening = None if position is None else self._listening(len(position))
        if position is None or listening is None:
            return Occlusion(0.0, True)
        listener = listening[0]
        pose: tuple[Any, ...] = listener.pose(1.0)
        heard_from: Place = tuple(pose[:2])
        if dimensions_of(listener) == 3:
            heard_from = tuple(pose[0].tolist())
            position = (*position, 0.0)[:3]
        try:
            return occlusion_between(option, position[: len(heard_from)], heard_from)
        except Exception:
            self._stop_occlusion(voice)  # otherwise the error would be reported in every tick
            raise

    def _stop_occlusion(self, voice: Voice) -> None:
        if voice.occlusion is None:
            self.frontend.occlusion = None
        else:
            voice.occlusion = 0.0

    def _doppler(self, voice: Voice) -> float:
        """Return the pitch of a moving voice, for the Doppler effect. The pitch depends on the
        motion of the voice during the last tick.
        """
        sound_speed = self.frontend.sound_speed
        target = voice.position
        if sound_speed is None or target is None:
            return 1.0
        distances: list[float] = []
        for alpha in (0.0, 1.0):
            position = place_of(target, alpha)
            listening = None if position is None else self._listening(len(position))
            if position is None or listening is None:
                return 1.0
            listener = listening[0]
            if dimensions_of(listener) == 2:
                distances.append(plane_distance(listener, position, alpha))
            else:
                distances.append(space_distance(listener, (*position, 0.0)[:3], alpha))
        before, now = distances
        return doppler_pitch((before, now), float(self.tick_seconds), sound_speed)
