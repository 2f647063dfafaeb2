"""The mixing console of a game: its voices, groups and music, what they are heard by, and when."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Protocol
from weakref import WeakSet

import numpy as np

from ..arrays import Floats
from ..assets.sounds import RATE
from ..current_game import write_file
from ..errors import FrameworkError
from ..motion.viewpoint import dimensions_of
from ..resources import Folder
from ..timing.timestep import Tick
from .audio import Audio
from .beats import Beats, Clock
from .device import Output
from .feed import Feed
from .groups import Groups
from .hearing import in_space, in_the_plane, place_of
from .mixer import Mixer
from .music import Music
from .once import Once
from .ring import Ring
from .sources import Clip
from .voices import SHORTEST_FADE, Source, Voice, VoiceOptions, track_of
from .wave_file import WaveFile

_RING = RATE  # frames: a second
_LONGEST = 60 * RATE  # between two ticks, in a capture
_AHEAD = (
    RATE // 2
)  # that are mixed before they are due, where ticks are longer than that, as in slow motion
_STOLEN = SHORTEST_FADE / RATE


class Host(Protocol):
    """What is asked of the game."""

    headless: bool
    """Whether nobody hears it."""
    folders: Sequence[Folder]
    """Where its files are looked up."""

    @property
    def tick(self) -> int:
        """The tick that is running, or the last one."""

    @property
    def in_tick(self) -> bool:
        """Whether one is running, or begins."""

    @property
    def resimulating(self) -> bool:
        """Whether it was run before."""

    @property
    def standing(self) -> bool:
        """Whether the game stands at a tick of the past."""

    @property
    def timestep(self) -> Clock:
        """The rules by which ticks are due."""

    def ear(self, dimensions: int) -> tuple[Any, float] | None:
        """The camera of the plane or of space, and the picture's width; None where there is
        none.
        """


class ShownFrame(Protocol):
    """A frame that was shown."""

    @property
    def alpha(self) -> float: ...


class Console:
    """Plays the sounds of a game, tick by tick. Its `face` is the `Audio` that the game holds."""

    not_state = True

    def __init__(self, host: Host) -> None:
        self._host = host
        self.mixer = Mixer(self._heard)
        """The voices, and how far they are mixed."""
        self.groups = Groups(self.mixer.look_again)
        self.face = Audio(self, self.groups, Music(self))
        self._beats = Beats(host.tick, host.timestep)
        self.mixer.now = self._beats.moment
        self._once = Once()
        self._loops: WeakSet[Voice] = WeakSet()
        self._sinks: list[WaveFile] = []
        self._shown: float | None = None  # the alpha of the last frame, until a tick comes
        self._output: Output | None = None
        self._feed: Feed | None = None
        self._pending: list[Floats] = []

    @property
    def device(self) -> str | None:
        """What sounds go to; None where nothing is heard, as off screen."""
        return None if self._output is None else self._output.name

    def begin_capture(self, path: str) -> WaveFile | None:
        """Begin to write what is heard to a file; None in a replay."""
        files: list[WaveFile] = []
        write_file(path, lambda place: files.append(WaveFile(place)))
        self._catch_up()
        self._sinks += files
        return files[0] if files else None

    def end_capture(self, file: WaveFile) -> None:
        """Write the rest of the tick, and close the file."""
        if file in self._sinks:
            try:
                self._mix(self._beats.following(self._host.timestep))
            finally:
                self._sinks.remove(file)
                file.close()

    # -- voices ------------------------------------------------------------------------------------

    @property
    def folders(self) -> Sequence[Folder]:
        """Where the game's files are looked up."""
        return self._host.folders

    def begin(self, sound: object, source: Clip, options: VoiceOptions) -> Voice:
        """What `Sound.play` asks."""
        loops = source.length is None
        made = sound, source, options
        return self.once(
            id(sound), lambda heard: self.voice(*made, heard=heard, steals=True, loops=loops)
        )

    def once(self, key: Hashable, make: Callable[[bool], Voice]) -> Voice:
        """A voice that a tick begins: the one that it began when it was run before, if it was.

        ``make`` is told whether the voice is to be heard: not one that is over, in a tick that is
        run again.
        """
        host = self._host
        if not host.in_tick:
            return make(not host.standing)
        known, voice = self._once.again(host.tick, key)
        if not host.resimulating or not (known or host.standing):
            voice = make(True)
            self._once.note(host.tick, key, voice)
        return make(False) if voice is None else voice

    def voice(
        self,
        sound: object,
        source: Source,
        options: VoiceOptions,
        *,
        heard: bool,
        steals: bool,
        loops: bool,
    ) -> Voice:
        """A new voice, which begins now."""
        self._catch_up()
        host, mixer = self._host, self.mixer
        voice = Voice(sound, source, self.groups.of(options.group), options, self._now)
        track = track_of(voice)
        track.began = host.tick
        if not heard:
            track.playing = False
            return voice
        if self._output is None and self.face.enabled and not host.headless:
            self._open()
        if options.fade:
            track.fade = (
                mixer.now,
                0.0,
                mixer.now + max(1, round(options.fade * RATE)),
                1.0,
            )
        if steals and not self._make_room(voice):
            track.playing = False
            return voice
        mixer.tracks.append(track)
        if loops:
            self._loops.add(voice)
        return voice

    def _make_room(self, new: Voice) -> bool:
        """Stop the least important voice, if there are too many. Returns whether the new one is to
        be heard.
        """
        tracks = self.mixer.tracks
        if len(tracks) < self.face.max_voices:
            return True
        live = [
            track.voice for track in tracks if not track.ending and isinstance(track.source, Clip)
        ]
        if len(live) < self.face.max_voices:
            return True
        live.sort(key=lambda voice: (voice.priority, self.mixer.loudness(voice)))
        if live[0].priority > new.priority:
            return False
        for least in live[
            : len(live) - self.face.max_voices + 1
        ]:  # several where there were to be more of them
            least.stop(_STOLEN)
        return True

    def _now(self) -> tuple[int, int]:
        """The moment at which something is done: the sample, and the tick."""
        self._catch_up()
        return self.mixer.now, self._host.tick

    # -- time --------------------------------------------------------------------------------------

    def arrive(self, number: int) -> None:
        """A tick begins: all until its moment is mixed, as it was left."""
        host, beats = self._host, self._beats
        if host.resimulating or number == beats.number:
            return
        # To who hears it now, all ticks of a frame were due before it; a file has the same bits at
        # any frame rate.
        alpha, self._shown = (
            (0.0, None) if self._output is None or self._sinks else (self._shown, None)
        )
        if not beats.arrive(number, host.timestep, alpha):
            self._go_back(number - 1)
        self._keep_pace()
        self._mix(beats.moment)

    def _keep_pace(self) -> None:
        if self._beats.scale != self.mixer.time_scale:
            self.mixer.time_scale = self._beats.scale
            self.mixer.look_again()

    def _catch_up(self) -> None:
        if self._host.in_tick:
            self.arrive(self._host.tick)

    def begin_tick(self, tick: Tick) -> None:
        """A tick begins."""
        self.arrive(tick.number)

    def end_tick(self, tick: Tick) -> None:
        """A tick is over."""
        self._once.end_tick()

    def _go_back(self, tick: int) -> None:
        """The game goes on from another tick: what has not been is stopped, and loops that it
        stopped go on.
        """
        self._once.go_back(tick)
        now = self.mixer.now
        for voice in list(self._loops):
            track = track_of(voice)
            if track.began > tick:
                voice.stop()
            elif track.ended > tick:
                track.ended = 0
                track.fade_to(1.0, now, SHORTEST_FADE)
                track.ending, track.playing = False, True
                if track not in self.mixer.tracks:
                    self.mixer.tracks.append(track)

    def _mix(self, until: int) -> None:
        heard, mixer = self.device is not None, self.mixer
        if self._sinks and until - mixer.now > _LONGEST:
            self._give_up(until - mixer.now)
        if not self._sinks:  # more than the ring holds would be dropped again
            while until - _RING - mixer.now > _LONGEST:
                mixer.run(mixer.now + _LONGEST, False)
            mixer.run(until - _RING, False)
        mix = self.mixer.run(until, heard or bool(self._sinks))
        if len(mix):
            for sink in self._sinks:
                sink.write(mix)
            if heard:
                self._pending.append(mix)
                while sum(map(len, self._pending)) > _RING:
                    del self._pending[0]

    def _give_up(self, samples: int) -> None:
        """So much between two ticks fills disks."""
        for sink in self._sinks:
            sink.close()
        self._sinks.clear()
        raise FrameworkError(
            f"capture: at a time scale of {self._beats.scale:g} the next tick is "
            f"{samples / RATE:,.0f} seconds later, "
            f"more than {_LONGEST // RATE} seconds of sound; what was heard until now "
            "is in the file. Time that is to "
            "stand still has a scale of 0"
        )

    def frame(self, frame: ShownFrame) -> None:
        """A frame was shown: what is known of the time until the next tick is mixed, and handed
        over.
        """
        output, feed = self._output, self._feed
        if output is None or feed is None:
            return
        beats, timestep = self._beats, self._host.timestep
        if not self._sinks:
            self._shown = frame.alpha
            beats.look(timestep, frame.alpha)
        self._keep_pace()
        following, left = beats.following(timestep), beats.left(timestep, frame.alpha)
        rest = min(left, _AHEAD)
        if output.check():
            self._mix(following - left + rest)
        if self._pending:
            mix = np.concatenate(self._pending)
            self._pending.clear()
            feed.push(mix, rest + round(self.face.latency * RATE))

    def _open(self) -> None:
        ring = Ring(_RING)
        self._feed, self._output = Feed(ring), Output(ring)

    def release(self) -> None:
        """The game has ended."""
        output, self._output = self._output, None
        if output is not None:
            output.close()
        for sink in self._sinks:
            sink.close()
        self._sinks.clear()
        for track in self.mixer.tracks:
            track.playing = False
        self.mixer.tracks.clear()

    # -- space -------------------------------------------------------------------------------------

    def _heard(self, voice: Voice, alpha: float) -> tuple[float, float]:
        position = voice.position
        place = None if position is None else place_of(position, alpha)
        if place is None:  # it was removed: it is heard where it was
            place = track_of(voice).place_heard
        if place is None:
            return 0.0, 0.0
        track_of(voice).place_heard = place
        listener = self.face.listener
        found: tuple[Any, float | None] | None = (
            (listener, None) if listener is not None else self._host.ear(len(place))
        )
        if found is None:
            return 1.0, 0.0
        ear, width = found
        reach = voice.reach or self.face.reach
        if dimensions_of(ear) == 2:
            width = ear.view.size[0] if width is None else width
            return in_the_plane(ear, place, width, reach or width / 2, alpha)
        return in_space(ear, (*place, 0.0)[:3], reach or 10.0, alpha)
