"""Add up the samples of all voices (playing sounds).

Each call to `Mixer.run` mixes the samples that come next. The mixer uses neither a sound device nor
a clock: the caller of `Mixer.run` decides how many samples are mixed.

If a game sets a volume, a pan or a pitch, the new value does not apply immediately, because this
would cause an audible click. Instead, the value changes linearly until the next tick, or over 5 ms
if that is longer. As a result, the volume of a sound changes smoothly between two ticks, just like
the position of a sprite.

The mixer writes the state of all voices to a table (`mix_table`), from which a kernel computes the
mix (`kernel`). All times in the table are sample numbers of the mix. Therefore, the samples of a
tick are the same, no matter in how many pieces they are mixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..arrays import Floats
from ..assets.sounds import Samples
from .bus_effects import EffectSlot
from .buses import Buses
from .kernel import Kernel, new_kernel
from .limiter import limit
from .mix_groups import MixGroups
from .mix_table import MAX_TRACKS, MAX_VOICES, NEVER, PREROLL, VOICE, MixTable
from .mixer_track import FAR, MIN_FADE, ONE, MixerTrack, filter_bytes, write_filter
from .occlusion import Occlusion, filtered_share, occluded_volume
from .sources import DecodedSource
from .voices import Voice, track_of

_MAX_STEP = 16 * ONE
# If there are too many tracks, this number of tracks ends at the same time, because searching for
# them is slow.
_ROOM = 64
# Two volumes that differ by less sound the same.
_NEAR = 1e-5
# Extra samples around the samples of a ghost, for the interpolation.
_SPARE = 8
# The maximum number of samples that are mixed in one step (250 ms).
_MAX_PIECE = 12_000
# The number of samples that a stream decodes in addition to those that the kernel reads.
_MARGIN = 512
# Streams decode this number of samples in advance, for a long frame of the game.
_CONTINUED = 144_000
# The maximum number of samples by which a voice on the device is ahead of the mix.
_MAX_AHEAD = 72_000
# A voice that is ahead on the device plays slower by 1 / 2**_DRAIN (1 / 256) of its speed.
_DRAIN = 8
# The number of samples (150 ms) over which a sound changes when a wall begins to block it.
_OCCLUSION_TIME = 7_200
_LIMITER_COLUMNS = (
    "limited",
    "limiter_line",
    "limiter_gain",
    "limiter_to",
    "limiter_low",
    "limiter_before",
    "held",
)

PositionGain = Callable[[Voice, float], tuple[float, float]]
"""A function that returns the loudness and the pan of a voice with a position. The last argument of
the function is alpha, from 0 to 1.
"""


class Mixer:
    """Computes the mix, which is the sum of all voices of a game. ``now`` is the number of samples
    that have been mixed so far.
    """

    def __init__(self, position_gain: PositionGain, kernel: Kernel | None = None) -> None:
        self.tracks: list[MixerTrack[Voice]] = []
        self.now = 0
        self.volume = 1.0
        self.time_scale = 1.0
        self.constant_power = False
        """Whether `Audio.pan_law` is "power"."""
        self.table = MixTable()
        """The table of the mix, with the states that the limiter and the effects have at `now`."""
        self.device_mix: Floats = np.empty((0, 2), np.float32)
        """The mix for the sound device, computed when `run` was last called. The limiter delays
        this mix by `LOOKAHEAD` samples. Voices on the device may be ahead of the mix: see `shift`.
        """
        self._kernel = kernel
        self._end = 0  # the sample at which the latest changes of settings end
        self._position_gain = position_gain
        self.groups = MixGroups(self.table)
        """The buses with effects."""
        self.groups.on_rebuild = self._leave_ahead
        self.doppler: Callable[[Voice], float] | None = None
        """The function that returns the pitch of a moving voice with a position (Doppler
        effect).
        """
        self.occlusion: Callable[[Voice], Occlusion] | None = None
        """The function that returns how much walls block a voice with a position."""
        self._buses_changed = False
        # The table was mixed up to this sample.
        self._mixed_end = 0
        # The latest change of the master volume.
        self._master = NEVER, NEVER, 1.0, 1.0
        # The tracks in the order of the table's rows.
        self._order: list[MixerTrack[Voice]] = []
        # The device's own table while voices on the device are ahead of the mix, otherwise None.
        self._ahead: MixTable | None = None
        # True if the table was mixed in addition to `_ahead`.
        self._captured = False
        # Whether the next samples will be mixed.
        self._is_heard = False
        # The loudness that new voices with a position have at volume 1. A voice is removed from
        # here when it is mixed.
        self._loudness: dict[MixerTrack[Voice], float] = {}
        # The tracks that the device can continue during a long frame.
        self._published: set[MixerTrack[Voice]] = set()

    def add(self, track: MixerTrack[Voice]) -> bool:
        """Add a track to the mix, starting at the sample `now`. Return False if the mixer already
        has too many tracks.

        If there are too many tracks, the mixer first ends the oldest voices that are already fading
        out.
        """
        if len(self.tracks) >= MAX_TRACKS:
            self._end_oldest(len(self.tracks) - MAX_TRACKS + _ROOM)
        if len(self.tracks) >= MAX_TRACKS:
            track.playing = False
            return False
        self.tracks.append(track)
        return True

    def _end_oldest(self, count: int) -> None:
        """End the ``count`` oldest tracks among the tracks that are fading out."""
        fading = [track for track in self.tracks if track.ending]
        for track in fading[:count]:
            track.playing = False
        self.tracks = [track for track in self.tracks if track.playing]

    def update_targets(self) -> None:
        """Called when a bus or the time scale has changed. Recompute the volume and speed of every
        voice.
        """
        self._buses_changed = True
        for track in self.tracks:
            track.stale = True

    def use_buses(self, buses: Buses) -> None:
        """Set the buses of the game, with their effects."""
        self.groups.buses = buses
        buses.read_meter = self._read_meter

    def _read_meter(self, slot: EffectSlot) -> Floats | None:
        if self._mixed_end != self.now:
            return None
        return self.groups.recorded(slot, self._ahead or self.table, self.now)

    def run(
        self, until: int, audible: bool, end: int | None = None, device: bool = False
    ) -> Floats:
        """Return the samples of the mix from ``now`` to ``until``. The returned array is float32
        and has the shape (n, 2): the left and the right channel. Samples may be above 1.
        `Audio.capture` limits the samples with `MixLimiter`.

        Changed settings, such as volumes, reach their new values at the sample ``end``. ``end`` is
        the first sample of the next tick. If ``end`` is None, the settings reach their new values
        at ``until``. If ``audible`` is False, the method only advances the positions of the voices.
        In this case, the returned array is empty. If ``device`` is True, the method also computes
        `device_mix`.
        """
        n = until - self.now
        if n <= 0:
            self.device_mix = np.empty((0, 2), np.float32)
            return self.device_mix
        if n > _MAX_PIECE and (audible or device):
            return self._run_in_pieces(until, audible, until if end is None else end, device)
        self._loudness.clear()
        self._is_heard = audible or device
        self._aim(until if end is None else end, audible or device)
        mix = device_mix = np.empty((2, 0), np.float32)
        self._captured = audible
        if audible or device:
            mix, device_mix = self._mix(n, audible, device)
        self.now = until
        self.table.head["sample"] = until
        for track in self.tracks:
            track.advance(until)
        self._end_tracks(audible or device)
        self.device_mix = np.ascontiguousarray(device_mix.T)
        return np.ascontiguousarray(mix.T)

    def _mix(self, n: int, audible: bool, device: bool) -> tuple[Floats, Floats]:
        """Return the next ``n`` samples of the mix, and the samples for the sound device. Both arrays
        have the shape (2, n). The samples for the device are limited. See `run`.
        """
        self._prepare(n, device)
        self._write_table()
        if self._mixed_end != self.now:
            self.groups.silence()
            self._ahead = None
        self._mixed_end = self.now + n
        kernel = self._kernel = self._kernel or new_kernel()
        ahead = self._table_ahead()
        device_table = ahead or self.table
        mix = device_mix = np.empty((2, 0), np.float32)
        if device:
            self._fill_limiter(kernel, device_table)
        if audible or ahead is None:
            mix = device_mix = kernel(self.table, self.now, n)
        if ahead is not None and device:
            device_mix = kernel(ahead, self.now, n)
        if device:
            device_mix = limit(device_table.head, device_mix, self.now)
        self._keep_filters(ahead)
        return mix, device_mix

    def _fill_limiter(self, kernel: Kernel, table: MixTable) -> None:
        """After a jump, pass the samples before `now` to the limiter, because the output of the
        limiter starts with these samples.
        """
        if table.head["limited"][0] != self.now:
            first = self.now - PREROLL
            copy = table.copy()  # the effects in the table must not process these samples twice
            limit(table.head, kernel(copy, first, PREROLL), first)
            for name in ("filter_state", "filter_inputs"):
                table.voices[name][: len(copy.voices)] = copy.voices[name]

    def _run_in_pieces(self, until: int, audible: bool, end: int, device: bool) -> Floats:
        """Mix a long tick in several pieces, because a stream cannot keep the samples of a whole
        long tick in memory.
        """
        mixes: list[Floats] = []
        device_mixes: list[Floats] = []
        while self.now < until:
            mixes.append(self.run(min(until, self.now + _MAX_PIECE), audible, end, device))
            device_mixes.append(self.device_mix)
        self.device_mix = np.concatenate(device_mixes)
        return np.concatenate(mixes)

    # -- targets -----------------------------------------------------------------------------------

    def _aim(self, end: int, audible: bool) -> None:
        """Let all changed settings reach their new values at the sample ``end`` of the mix.
        ``audible`` is True if the next samples will be mixed.
        """
        is_new = end != self._end
        self._end = end
        end = max(end, self.now + MIN_FADE)
        self._jump_tracks(audible)
        self._aim_groups(end, is_new, audible)
        for track in self.tracks:
            if track.ghost:
                continue
            # Check only in a new tick whether voices that are being paused have become silent, so
            # that the result does not depend on how a tick is split into pieces.
            if track.stale or (track.pausing and is_new) or track.voice.position is not None:
                self._set_targets(track, end, is_new)
        if self._master[3] != self.volume:
            self._aim_master(end)

    def _aim_master(self, end: int) -> None:
        """Let the master volume reach its new value at the sample ``end`` of the mix."""
        begin, master_end, old, target = self._master
        share = 1.0 if self.now >= master_end else (self.now - begin) / (master_end - begin)
        self._master = self.now, end, old + (target - old) * share, float(self.volume)

    def _aim_groups(self, end: int, is_new: bool, audible: bool) -> None:
        """Let the settings of buses and effects reach their new values at the sample ``end`` of the
        mix. If the list of a bus's effects has changed, the voices of this bus crossfade.
        """
        groups = self.groups
        is_rebuilt = groups.update(
            self.tracks, (self.now, end), changed=self._buses_changed, is_new=is_new
        )
        if self._buses_changed:
            self._buses_changed = False
            groups.note_volumes()
        if not groups.exist:
            return
        ghosts: list[MixerTrack[Voice]] = []
        for track in self.tracks:
            if not (is_rebuilt or track.stale or track.fresh):
                continue
            group = track.group_bus if track.ghost else groups.group(track.voice.bus)
            if group is not track.group_bus:
                has_room = len(self.tracks) + len(ghosts) < MAX_VOICES
                if has_room and not track.fresh and audible and not track.is_silent(self.now):
                    ghosts.append(self._ghost(track))
                    track.fade_in(self.now)
                track.group_bus = group
            track.group = groups.row_index(group)
            track.dirty = True
        self.tracks += ghosts

    def _jump_tracks(self, audible: bool) -> None:
        """Move voices to the positions that the game has set with `Voice.seek`. If ``audible`` is
        True, each voice crossfades over 5 ms.

        For this crossfade, a second track (a ghost) continues at the old position, and fades out.
        """
        now = self.now
        ghosts: list[MixerTrack[Voice]] = []
        for track in self.tracks:
            target = track.jump
            track.jump = None
            if target is None:
                continue
            is_heard = audible and not track.is_silent(now) and track.starts <= now
            if is_heard and len(self.tracks) + len(ghosts) < MAX_VOICES:
                ghosts.append(self._ghost(track))
            track.place = target
            # Before the jump, the new position could be before the start of the sound.
            track.starts = max(track.starts, now)
            track.ahead = 0
            if track.jump_pauses and track.voice.paused:  # the game can resume it in the same tick
                track.start_at(now)
                track.fresh = True
            if track.source.streams:
                track.end = FAR  # the end is known only after the stream has been decoded up to it
            if is_heard:
                track.fade_in(now)
        self.tracks += ghosts

    def _ghost(self, track: MixerTrack[Voice]) -> MixerTrack[Voice]:
        """Return a track that continues the sound of ``track`` for 5 ms, and fades out."""
        now = self.now
        target = track.place_at(now) + track.ahead_at(now)
        first = max(0, (target >> 16) - _SPARE)
        ghost = MixerTrack(track.voice, _copied_samples(track, first, now))
        ghost.ghost = ghost.ending = True
        ghost.fresh = ghost.stale = False
        ghost.origin = ghost.starts = now
        ghost.place = target - first * ONE
        if track.end is not FAR:
            ghost.end = min(ghost.end, track.end - first * ONE)
        passed = now - track.origin
        ghost.step = ghost.from_step = track.step
        if 0 <= passed < track.glide:
            turned = (track.step - track.from_step) * passed // track.glide
            ghost.from_step = track.from_step + turned
            ghost.glide = track.glide - passed
        ghost.ramp = now, now + MIN_FADE, *track.gains_at(now), 0.0, 0.0
        ghost.fade = track.fade
        ghost.even = track.even
        ghost.enters = track.enters
        ghost.occluded = track.occluded
        ghost.muffle = track.muffle
        ghost.filter = track.filter
        ghost.group_bus = track.group_bus
        ghost.group = self.groups.row_index(track.group_bus)
        return ghost

    def _set_targets(self, track: MixerTrack[Voice], end: int, is_new: bool) -> None:
        """Set the volumes and the speed that a track will have at the sample ``end`` of the mix.
        The speed is the number of samples of the sound per sample of the mix. ``is_new`` is True at
        the start of a new tick.
        """
        now = self.now
        voice = track.voice
        bus = track.voice.bus
        paused = voice.paused or bus.is_paused
        if is_new or track.stale:
            self._occlude(track, end)
        left, right = self._voice_gains(voice, 1.0)
        step = self._step_of(voice)
        old_left, old_right = track.gains_at(now)
        if track.fresh:
            track.origin = track.starts = max(now, track.starts)
            old_left, old_right = self._first_gains(track) or (left, right)
            if paused:
                old_left = old_right = 0.0
            track.from_step = track.step = step
            track.dirty = True
        track.stale = track.pausing = False
        if paused:
            left = right = 0.0
            if track.fresh or (is_new and track.is_silent(now)):
                step = 0
                track.turn(step, now, now)
            else:
                track.pausing = True  # the voice is paused as soon as it has become silent
                step = track.step
        elif track.step == 0:
            track.turn(step, now, now)
        if abs(old_left - left) + abs(old_right - right) < _NEAR and not track.fresh:
            old_left = left
            old_right = right
        ramp = track.ramp
        if track.fresh or ramp[4:] != (left, right):
            ramp_end = end if paused else max(end, track.ramp_until)
            track.ramp = (now, ramp_end, old_left, old_right, left, right)
            track.dirty = True
        track.fresh = False
        track.turn(step, now, end)

    def _step_of(self, voice: Voice) -> int:
        """Return the speed of a voice: the number of samples of its sound per sample of the mix, in
        units of 1 / `ONE`.
        """
        bus = voice.bus
        pitch = voice.pitch * bus.total_pitch * (self.time_scale if bus.is_timed else 1.0)
        if self.doppler is not None and voice.position is not None:
            pitch *= self.doppler(voice)
        return min(_MAX_STEP, round(ONE * pitch))

    def _first_gains(self, track: MixerTrack[Voice]) -> tuple[float, float] | None:
        """Return the volumes of a new voice at the start of the tick. Return None if the volumes do
        not change during the tick.
        """
        is_changing = track.ramp_until > self.now and track.begin_volume is not None
        if track.voice.position is None and not is_changing:
            return None
        return self._voice_gains(track.voice, 0.0, track.begin_volume if is_changing else None)

    def _occlude(self, track: MixerTrack[Voice], end: int) -> None:
        """Set how strongly walls will muffle a voice at the sample ``end`` of the mix."""
        if not self._is_heard:
            track.occluded = None
            return
        voice = track.voice
        target, is_direct = Occlusion(0.0, True)
        if voice.position is not None and self.occlusion is not None:
            target, is_direct = self.occlusion(voice)
        old = track.occluded
        if not is_direct and old is not None:
            limit_change = (end - self.now) / _OCCLUSION_TIME
            target = old + min(limit_change, max(-limit_change, target - old))
        track.occluded = target
        share = filtered_share(target)
        if old is None:
            track.muffle = NEVER, NEVER, share, share
        elif share != track.muffle[3]:
            track.muffle = self.now, end, track.muffle_at(self.now), share

    def _keep_filters(self, ahead: MixTable | None) -> None:
        """Store the filter state of each voice, because voices may move to other rows of the
        table.
        """
        for index, track in enumerate(self._order):
            if not track.is_muffled:
                continue
            if ahead is None or self._captured:
                track.filter = filter_bytes(self.table.voices, index)
            if ahead is not None:
                track.device_filter = filter_bytes(ahead.voices, index)

    def _voice_gains(
        self, voice: Voice, alpha: float, volume: float | None = None
    ) -> tuple[float, float]:
        """Return the volumes of a voice in the left and right channels, without fades. ``alpha`` is
        the fraction of a tick that has passed since the last tick. ``volume`` is used instead of
        the voice's own volume.
        """
        level = (voice.volume if volume is None else volume) * self.groups.volume(voice.bus)
        pan = voice.pan
        if voice.position is not None:
            loudness, side = self._position_gain(voice, alpha)
            level = level * loudness * occluded_volume(track_of(voice).occluded)
            pan = min(1.0, max(-1.0, pan + side))
        if self.constant_power:
            is_mono = voice.position is not None or track_of(voice).source.channels == 1
            if is_mono:
                return level * math.sqrt((1.0 - pan) / 2), level * math.sqrt((1.0 + pan) / 2)
        return level * min(1.0, 1.0 - pan), level * min(1.0, 1.0 + pan)

    def loudness(self, voices: Sequence[Voice]) -> list[float]:
        """Return the volume of each voice in its louder channel, so that the caller can find the
        quietest voice.

        Voice fades and paused buses are not taken into account.
        """
        volumes = {bus: bus.total_volume for bus in {voice.bus for voice in voices}}
        return [
            voice.volume * volumes[voice.bus]
            if voice.position is None or voice.bus.is_paused
            else self._loudness_there(voice)
            for voice in voices
        ]

    def _loudness_there(self, voice: Voice) -> float:
        """Return the volume of a voice with a position, in its louder channel."""
        track = track_of(voice)
        if not track.fresh:
            return max(track.ramp[4:])
        loudness = self._loudness.get(track)
        if loudness is None:
            loudness = self._loudness[track] = max(self._voice_gains(voice, 0.0, 1.0))
        return voice.volume * loudness

    def _end_tracks(self, audible: bool) -> None:
        """Remove the track of every voice that has ended."""
        now = self.now
        any_ended = False
        for track in self.tracks:
            fade = track.fade
            if track.ghost:
                # The ghost is the old position of a voice that begins again. It fades out, and its
                # volume does not change.
                is_fading = fade is not None and now < fade[2] and not track.is_silent(now)
                track.playing = now < track.ramp[1] or is_fading
            elif fade is None and track.place < track.end is not FAR:  # most tracks
                continue
            if fade is not None and now >= fade[2]:
                if track.ending:
                    track.playing = False
                elif fade[3] == 1.0:
                    track.fade = None
            if track.end is FAR:
                self._update_end(track, audible)
            if track.place >= track.end:
                track.playing = False
            any_ended = any_ended or not track.playing
        if any_ended:
            self.tracks = [track for track in self.tracks if track.playing]

    def _update_end(self, track: MixerTrack[Voice], audible: bool) -> None:
        """Store the length of a stream in its track as soon as the stream has ended. If the stream is
        not heard, skip its samples.
        """
        source = track.source
        if source.streams and (not audible or track.is_silent(self.now)):
            source.skip(track.place >> 16)
        if source.length is not None:  # the stream has ended
            track.end = source.length * ONE
            track.dirty = True

    # -- the table ---------------------------------------------------------------------------------

    def _prepare(self, n: int, device: bool) -> None:
        """Make all streams decode the samples that the next ``n`` samples of the mix need."""
        for track in self.tracks:
            source = track.source
            if track.starts >= self.now + n:  # the voice is waiting for its start time
                continue
            if source.streams and not track.is_silent(self.now):
                first = track.place >> 16
                last = track.place_at(self.now + n) >> 16
                ahead = track.ahead_at(self.now) >> 16 if device else 0
                source.prepare(first, last - first + ahead + _MARGIN)
                if source.length is not None and track.end is FAR:
                    track.end = source.length * ONE

    def _write_table(self) -> None:
        """Write the rows of all changed tracks, and the row with the volume of the whole mix."""
        table = self.table
        tracks = self.tracks
        order = self._order
        memories = table.kept
        sources = table.sources
        table.reserve(len(tracks))
        rows = table.voices.view(np.uint8).data
        for index, track in enumerate(tracks):
            if index >= len(order):
                order.append(track)
                memories.append(None)
                sources.append(track.source)
            elif order[index] is track and not track.dirty:
                continue
            order[index] = track
            sources[index] = track.source
            memories[index] = track.write(rows, index)
        del order[len(tracks) :], memories[len(tracks) :], sources[len(tracks) :]
        self._write_head()

    def _write_head(self) -> None:
        """Write the number of voices, the time and the volume of the whole mix to the table."""
        table = self.table
        head = table.head[0]
        head["voice_count"] = len(self.tracks)
        head["sample"] = self.now
        begin, end, old, new = self._master
        master = table.groups[0]
        master["ramp_begin"] = begin
        master["ramp_end"] = end
        master["gain"] = old
        master["to_gain"] = new

    # -- the sound device --------------------------------------------------------------------------

    def publishable(self) -> MixTable:
        """Return the mix table with which the sound device can continue the mix at `now`. First,
        make each stream decode some of its next samples, because the device cannot decode.
        """
        for track in self.tracks:
            source = track.source
            if source.streams and not track.is_silent(self.now):
                first = (track.place + track.ahead_at(self.now)) >> 16
                source.read_ahead(first, _CONTINUED * track.step >> 16)
        self._write_table()
        self._published = set(self.tracks)
        return self._table_ahead() or self.table

    def shift(self, samples: int) -> None:
        """Called when the sound device has played ``samples`` more samples than the mix contains.
        ``samples`` is negative if the device has played fewer samples.

        The voices on the device are then ahead of the voices in the mix. The device plays these
        voices 0.4 % slower, until they are no longer ahead. If a voice is more than 1.5 seconds
        ahead, it jumps back immediately, with a crossfade of 5 ms.
        """
        now = self.now
        for track in self._published.intersection(self.tracks):
            # The device would start a waiting voice in the middle of its sound.
            if track.starts > now:
                continue
            ahead = max(0, track.ahead_at(now) + samples * track.step)
            track.shifted = now, track.ahead_at(now)
            # For a larger distance, use a crossfade, because streams are not decoded that far.
            track.ahead = ahead if ahead <= _MAX_AHEAD * max(track.step, ONE) else 0
            track.ahead_from = now
            track.drain = max(1, track.step >> _DRAIN)
        for table in (self.table, self._ahead):
            if table is not None:
                # The limiter's state is invalid, because earlier samples have changed.
                table.head["limited"] = NEVER

    def _table_ahead(self) -> MixTable | None:
        """Return the table of the sound device if its voices are ahead of the mix, otherwise None."""
        ahead = self._tracks_ahead()
        if not ahead:
            self._leave_ahead()
            return None
        table = self.table
        if self._ahead is None:
            self._ahead = table.copy()
        device_table = self._ahead
        _copy_rows(table, device_table)
        for index, track in ahead:
            row = device_table.voices[index]
            row["ahead"] = track.ahead
            row["ahead_from"] = track.ahead_from
            row["drain"] = track.drain
        for index, track in enumerate(self.tracks):
            if track.device_filter is not None:
                write_filter(device_table.voices, index, track.device_filter)
        if len(table.effects):
            self._crossfade_shifted(device_table, ahead)
        _copy_effects(table, device_table)
        return device_table

    def _tracks_ahead(self) -> list[tuple[int, MixerTrack[Voice]]]:
        """Return the tracks that are still ahead of the mix on the sound device, with their indices."""
        ahead = []
        for index, track in enumerate(self.tracks):
            if track.ahead:
                if track.ahead_at(self.now):
                    ahead.append((index, track))
                else:
                    track.ahead = 0
        return ahead

    def _crossfade_shifted(
        self, table: MixTable, ahead: list[tuple[int, MixerTrack[Voice]]]
    ) -> None:
        """In the sound device's table, crossfade all voices whose positions have just changed. The
        audio player already crossfades the mix. Without this second crossfade, an echo would repeat
        the jump.
        """
        rows = []
        for index, track in ahead:
            if track.shifted is None or self.now >= track.shifted[0] + MIN_FADE:
                continue
            if len(table.sources) >= MAX_VOICES:
                break
            begin, old_ahead = track.shifted
            end = begin + MIN_FADE
            old_row = table.voices[index].copy()
            new_row = table.voices[index]
            old_row["ahead"] = old_ahead
            old_row["ahead_from"] = begin
            old_row["ramp_begin"] = begin
            old_row["ramp_end"] = end
            old_row["gain_left"], old_row["gain_right"] = track.gains_at(begin)
            old_row["to_left"] = old_row["to_right"] = 0.0
            new_row["enters"] = begin
            rows.append(old_row)
            table.sources.append(table.sources[index])
            table.kept.append(table.kept[index])
        if rows:
            table.voices = np.concatenate([table.voices, np.array(rows, VOICE)])

    def _leave_ahead(self) -> None:
        """Go back to one table for both the mix and the sound device. Called when no voice is ahead
        any longer, and before voices move to other rows.
        """
        if self._ahead is None:
            return
        if not self._captured:
            self._adopt(self._ahead)
        self._ahead = None
        for track in self.tracks:
            track.device_filter = None

    def _adopt(self, device_table: MixTable) -> None:
        """Copy the states of the limiter, the filters and the effects from the sound device's table
        to the mix table.
        """
        for name in _LIMITER_COLUMNS:
            self.table.head[name] = device_table.head[name]
        for index, track in enumerate(self.tracks):
            if track.device_filter is not None:
                track.filter = track.device_filter
                track.dirty = True
                if index < len(self._order) and self._order[index] is track:
                    write_filter(self.table.voices, index, track.filter)
        if len(device_table.effects) == len(self.table.effects):
            self.table.effects["state"] = device_table.effects["state"]
            self.table.lines = device_table.lines


def _copy_rows(table: MixTable, device_table: MixTable) -> None:
    """Copy the voices and the groups of the mix to the sound device's table."""
    device_table.voices = table.voices[: len(table.sources)].copy()
    device_table.sources = list(table.sources)
    device_table.kept = list(table.kept)
    device_table.groups = table.groups.copy()
    for name in ("sample", "group_count"):
        device_table.head[name] = table.head[name]


def _copy_effects(table: MixTable, device_table: MixTable) -> None:
    """Copy the settings of the effects to the sound device's table, which keeps its own states."""
    if len(device_table.effects) != len(table.effects):
        device_table.effects = table.effects.copy()
        device_table.lines = [None if line is None else line.copy() for line in table.lines]
    for name in ("params", "to_params", "ramp_begin", "ramp_end", "kind", "side"):
        device_table.effects[name] = table.effects[name]


def _copied_samples(track: MixerTrack[Voice], first: int, now: int) -> DecodedSource:
    """Return a copy of the samples that a track plays in the 5 ms after ``now``, as the sound device
    plays them. The copy begins at the sample ``first`` of the sound.
    """
    source = track.source
    last = (track.place_at(now + MIN_FADE) + track.ahead_at(now)) >> 16
    count = last - first + 2 * _SPARE
    if source.streams:
        source.prepare(first, count)
    mono = source.channels == 1 or track.voice.position is not None
    return DecodedSource(Samples(source.window(first, count, mono).copy()), None)
