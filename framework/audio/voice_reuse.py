"""Continue the sounds of a tick when it runs again, instead of starting them a second time.

In the second run of a tick, `sound.play` returns the voice (the playing sound) that was started in
the first run. If the second run does not play the sound, the voice fades out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple
from weakref import WeakSet, ref

from ..record.content_keys import content_key
from ..record.effect_log import EffectLog
from .mixer import Mixer
from .mixer_track import MIN_FADE
from .voices import Voice, VoiceOptions, track_of

_STOP_AGAIN = -1  # a value of `MixerTrack.ended`: the tick that stopped the voice is running again


class _Begun(NamedTuple):
    voice: ref[Voice]
    options: tuple[Hashable, ...]


class VoiceReuse:
    """Stores the voices that each tick has started and stopped, so that a repeated tick does not
    start its sounds a second time.
    """

    def __init__(self) -> None:
        self.log: EffectLog[_Begun] = EffectLog()
        self.loops: WeakSet[Voice] = WeakSet()
        """The voices that never end by themselves."""
        self.stolen: WeakSet[Voice] = WeakSet()
        """The voices that were stopped because too many voices were playing."""
        self.withdrawn: WeakSet[Voice] = WeakSet()
        """The voices that were faded out after a correction. These voices never continue."""
        self._counts: Counter[Hashable] = Counter()
        # The voices that were stopped by a tick that is running again.
        self._stopped: WeakSet[Voice] = WeakSet()
        self._first: int | None = None  # the earliest tick that is running again

    def end_tick(self) -> None:
        """Called at the end of a tick. The voices of the next tick are counted from 0 again."""
        self._counts.clear()

    def add(self, tick: int, key: Hashable, voice: Voice, options: VoiceOptions) -> None:
        """Store a voice that was started in this tick, so that a second run of the tick returns the
        same voice.
        """
        self.log.add(tick, key, _Begun(ref(voice), _keys(options)))

    def stored(self, tick: int, key: Hashable) -> Voice | None:
        """For a game that is paused at an earlier tick, return the voice that was started in this
        tick. If the tick started several voices with the same key, each call returns the next one.
        """
        count = self._counts[key]
        self._counts[key] += 1
        begun = self.log.find(tick, key, count)
        return None if begun is None else begun.voice()

    # -- corrections -------------------------------------------------------------------------------

    @property
    def correcting(self) -> bool:
        """Whether ticks are running again, possibly with other input."""
        return self._first is not None

    def begin_again(self, tick: int, mixer: Mixer) -> None:
        """Called when the tick ``tick`` is about to run again."""
        if self._first is not None and tick >= self._first:
            return
        self._first = tick
        self.log.begin_again(tick)
        for voice in {*self.loops, *[track.voice for track in mixer.tracks]}:
            track = track_of(voice)
            is_stopped = track.ended >= tick
            if is_stopped and voice not in self.stolen and voice not in self.withdrawn:
                self._stopped.add(voice)
                track.ended = _STOP_AGAIN

    def repeated(
        self, tick: int, key: Hashable, options: VoiceOptions
    ) -> tuple[bool, Voice | None]:
        """Return two values: whether the first run started a voice with this key, and the voice.

        If the second run passes other options than the first run, the voice is changed accordingly.
        The voice is None if Python has already deleted it.
        """
        keys = _keys(options)
        begun = self.log.repeat(key, lambda begun: begun.options == keys)
        if begun is None:
            return False, None
        self.log.add(tick, key, begun._replace(options=keys))
        voice = begun.voice()
        if voice is not None:
            track_of(voice).began = tick
            voice._change(
                {
                    name: value
                    for name, value, old, new in zip(
                        options._fields, options, begun.options, keys, strict=True
                    )
                    if old != new
                }
            )
        return True, voice

    def end_correction(self, tick: int, mixer: Mixer) -> None:
        """Called at the end of a correction, after the last of its ticks has run again. Fade out
        the voices that only the first run started. Resume the voices that the ticks stopped when
        they first ran, but not when they ran again.

        ``tick`` is the last tick of the correction.
        """
        self._first = None
        stopped = [*self._stopped]
        self._stopped.clear()
        for voice in stopped:
            if track_of(voice).ended == _STOP_AGAIN:
                revive(voice, mixer)
        for begun in self.log.end_correction(tick):
            withdrawn = begun.voice()
            if withdrawn is not None:
                withdrawn._withdraw()
                self.withdrawn.add(withdrawn)

    def go_back(self, tick: int) -> None:
        """Called when the game returns to ``tick``. Delete the stored voices of all later ticks."""
        self.log.remove_after(tick)


def revive(voice: Voice, mixer: Mixer) -> None:
    """Continue a voice that was stopped, with a short fade-in. If the sound of the voice has ended,
    the function does nothing.
    """
    track = track_of(voice)
    track.ended = 0
    if track.place >= track.end:
        return
    if not track.playing and not track.ending:  # the voice has reached its end
        track.fade = mixer.now, 0.0, mixer.now, 0.0
    track.fade_to(1.0, mixer.now, MIN_FADE)
    track.ending = False
    track.playing = True
    if track not in mixer.tracks:
        track.start_at(mixer.now)
        track.stale = True  # the bus of the voice may have effects now
        mixer.add(track)


def _keys(options: VoiceOptions) -> tuple[Hashable, ...]:
    return tuple([content_key(value) for value in options])
