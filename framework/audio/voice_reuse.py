"""Voice reuse: a tick that runs again does not start its sounds a second time.

When a tick runs again, `sound.play` returns the voice that it began when the tick ran for the first
time. If the second run does not begin this voice, the voice is withdrawn.
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

_STOP_AGAIN = -1  # in `MixerTrack.ended`: the tick that stopped the voice runs again


class _Begun(NamedTuple):
    voice: ref[Voice]
    options: tuple[Hashable, ...]


class VoiceReuse:
    """The voices that ticks have begun and stopped. A tick that runs again does not begin them a
    second time.
    """

    def __init__(self) -> None:
        self.log: EffectLog[_Begun] = EffectLog()
        self.loops: WeakSet[Voice] = WeakSet()
        """The voices that never end by themselves."""
        self.stolen: WeakSet[Voice] = WeakSet()
        """The voices that were stopped because too many voices would play."""
        self.withdrawn: WeakSet[Voice] = WeakSet()
        """The voices that were withdrawn. These voices never continue."""
        self._counts: Counter[Hashable] = Counter()
        self._stopped: WeakSet[Voice] = WeakSet()  # by a tick that runs again
        self._first: int | None = None  # the earliest tick that runs again

    def end_tick(self) -> None:
        """Called at the end of a tick: the next tick counts its voices from 0."""
        self._counts.clear()

    def add(self, tick: int, key: Hashable, voice: Voice, options: VoiceOptions) -> None:
        """Store a voice that the tick has begun, so that a second run of the tick returns it."""
        self.log.add(tick, key, _Begun(ref(voice), _keys(options)))

    def stored(self, tick: int, key: Hashable) -> Voice | None:
        """Return the voice that the tick began, while the game is paused at an earlier tick. If the
        tick began several voices with this key, each call returns the next voice.
        """
        count = self._counts[key]
        self._counts[key] += 1
        begun = self.log.find(tick, key, count)
        return None if begun is None else begun.voice()

    # -- corrections -------------------------------------------------------------------------------

    @property
    def correcting(self) -> bool:
        """Whether ticks run again, perhaps with other input."""
        return self._first is not None

    def begin_again(self, tick: int, mixer: Mixer) -> None:
        """Note that the tick ``tick`` runs again."""
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
        """Return a pair: whether the first run began a voice with this key, and the voice.

        If other options are passed than in the first run, the voice gets the new options. The
        returned voice is None if Python has already deleted the voice.
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
        """Called at the end of a correction, when the ticks have run again. Withdraw the voices
        that only the first run began, and continue the voices that only the first run stopped.

        ``tick`` is the last tick that has run again.
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
        """Called when the game returns to ``tick``: forget the voices of all later ticks."""
        self.log.remove_after(tick)


def revive(voice: Voice, mixer: Mixer) -> None:
    """Continue a voice that was stopped. If the sound has ended, nothing happens."""
    track = track_of(voice)
    track.ended = 0
    if track.place >= track.end:
        return
    track.fade_to(1.0, mixer.now, MIN_FADE)
    track.ending = False
    track.playing = True
    if track not in mixer.tracks:
        track.start_at(mixer.now)
        track.stale = True  # its bus may have effects now
        mixer.add(track)


def _keys(options: VoiceOptions) -> tuple[Hashable, ...]:
    return tuple([content_key(value) for value in options])
