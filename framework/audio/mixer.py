"""Mixer: adds up the samples of all playing voices.

Each call of `Mixer.run` mixes the samples since the last call, usually the samples of one tick. The
mixer does not use a sound device or a clock. The caller of `Mixer.run` says how many samples to
mix.

If a game sets a volume, pan or pitch, the mixer does not use the new value at once. Each call of
`Mixer.run` changes volume, pan and pitch linearly, from their values at the end of the last call to
the new values. Sounds therefore change gradually between two ticks, as drawn sprites do.

The position of a voice in its sound is an integer in units of 1 / 65,536 samples, so that rounding
errors do not add up. Between two samples, a sound is interpolated linearly. The mixer adds
elementwise products in a fixed order, so that the bits are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Floats
from .limiter import Limiter
from .resampling import PitchedRow, Resampler, Ways, glide
from .voices import FAR, MIN_FADE, ONE, MixerTrack, Voice, track_of

_MAX_SAMPLES = 1024  # mixed at a time
_MAX_STEP = 16 * ONE
_COUNT = np.arange(_MAX_SAMPLES, dtype=np.int32)
_SILENT = 0.0, 0.0, 0.0, 0.0

PositionGain = Callable[[Voice, float], tuple[float, float]]
"""A function that returns the loudness and pan of a voice with a position. The number argument is
alpha, 0 to 1.
"""


class Mixer:
    """Mixes the voices of a game. ``now`` is the number of mixed samples."""

    def __init__(self, position_gain: PositionGain) -> None:
        self.tracks: list[MixerTrack] = []
        self.now = 0
        self.volume = 1.0
        self.time_scale = 1.0
        self.limiter = Limiter()
        self._position_gain = position_gain
        self._last_volume = 1.0  # the master volume at the end of the last stretch
        self._stretcher = Resampler(_MAX_SAMPLES)
        self._memory: Floats = np.empty((2, 0), np.float32)

    def update_targets(self) -> None:
        """Called when a bus or the time scale has changed: compute the volume and speed of all
        voices again.
        """
        for track in self.tracks:
            track.stale = True

    def run(self, until: int, audible: bool) -> Floats:
        """Mix the samples from ``now`` to ``until``, and return them. The array is float32 (n, 2),
        left and right.

        If ``audible`` is False, `run` only advances the positions of the voices, and n is 0.
        """
        n = until - self.now
        if n <= 0:
            return np.empty((0, 2), np.float32)
        share = min(1.0, n / MIN_FADE)
        moving = [track for track in self.tracks if track.stale or track.voice.position is not None]
        for track in moving:
            self._set_targets(track, share)
        glides = {track: glide(track, n) for track in moving if track.step != track.to_step}
        volume = self._last_volume + (self.volume - self._last_volume) * share
        mix = np.zeros((2, n if audible else 0), np.float32)
        max_samples = _MAX_SAMPLES if audible else n
        for first in range(0, n, max_samples):
            if audible and self.tracks:
                self._mix(mix[:, first : first + _MAX_SAMPLES], first, n, glides)
            m = min(max_samples, n - first)
            for track in self.tracks:
                track.place += m * track.step
            for track, moved in glides.items():
                distance: np.int64 = moved[first + m] - moved[first]
                track.place += int(distance) - m * track.step
        if audible:
            if volume != 1.0 or self._last_volume != 1.0:
                mix *= np.linspace(self._last_volume, volume, n, endpoint=False, dtype=np.float32)
            self.limiter.apply(mix)
        self._last_volume = volume
        self.now = until
        for track in moving:
            _, _, left, right = track.gains
            track.gains = (left, right, left, right)
            track.step = track.to_step
        self._end_tracks(audible)
        return np.ascontiguousarray(mix.T)

    # -- targets -----------------------------------------------------------------------------------

    def _set_targets(self, track: MixerTrack, share: float) -> None:
        """Set the volumes and the speed that a track has at the end of the current call of `run`.
        The speed is the number of samples of the sound per sample of the mix.

        Volumes change over at least the shortest fade. If a call of `run` mixes fewer samples, it
        changes the volumes only by the fraction ``share`` of the way.
        """
        voice = track.voice
        bus = track.voice.bus
        left, right = self._voice_gains(voice, 1.0)
        pitch = voice.pitch * bus.pitch * (self.time_scale if bus.follows_time else 1.0)
        step = min(_MAX_STEP, round(ONE * pitch))
        old_left, old_right, _, _ = track.gains
        if track.fresh:
            old_left, old_right = (
                (left, right) if voice.position is None else self._voice_gains(voice, 0.0)
            )
            if bus.paused:
                old_left = old_right = 0.0
            track.step = step
            track.fresh = False
        if bus.paused:
            left = right = 0.0
            if old_left == old_right == 0.0:
                step = track.step = 0
        elif track.step == 0:
            track.step = step
        to_left = old_left + (left - old_left) * share
        to_right = old_right + (right - old_right) * share
        if abs(to_left - left) + abs(to_right - right) < 1e-5:
            to_left = left
            to_right = right
        track.gains = (old_left, old_right, to_left, to_right)
        track.to_step = step
        track.stale = to_left != left or to_right != right or (bus.paused and step != 0)

    def _voice_gains(self, voice: Voice, alpha: float) -> tuple[float, float]:
        """Return the left and the right volume of a voice at ``alpha``, without fades."""
        level = voice.volume * voice.bus.volume
        pan = voice.pan
        if voice.position is not None:
            loudness, side = self._position_gain(voice, alpha)
            level = level * loudness
            pan = min(1.0, max(-1.0, pan + side))
        return level * min(1.0, 1.0 - pan), level * min(1.0, 1.0 + pan)

    def loudness(self, voice: Voice) -> float:
        """Return the volume of a voice on its louder side, to find the quietest voice.

        A fade of the voice or a pause of its bus does not change the result.
        """
        track = track_of(voice)
        if voice.position is None or voice.bus.paused:
            return float(voice.volume * voice.bus.volume)
        left, right = self._voice_gains(voice, 0.0) if track.fresh else track.gains[2:]
        return max(left, right)

    def _end_tracks(self, audible: bool) -> None:
        """Remove the tracks of voices that have ended or faded out."""
        now = self.now
        any_ended = False
        for track in self.tracks:
            if track.fade is None and track.place < track.end is not FAR:  # most tracks
                continue
            if track.fade is not None and now >= track.fade[2]:
                if track.ending:
                    track.playing = False
                elif track.fade[3] == 1.0:
                    track.fade = None
            if track.end is FAR:
                if not audible or track.gains == _SILENT:
                    track.source.skip(track.place >> 16)
                if track.source.length is not None:  # a stream has ended
                    track.end = track.source.length * ONE
            if track.place >= track.end:
                track.playing = False
            any_ended = any_ended or not track.playing
        if any_ended:
            self.tracks = [track for track in self.tracks if track.playing]

    # -- the mix -----------------------------------------------------------------------------------

    def _mix(self, out: Floats, first: int, n: int, glides: dict[MixerTrack, Ways]) -> None:
        """Add the samples of all voices to ``out``. ``out`` is float32 (2, m).

        ``n`` is the number of samples that the call of `run` mixes. ``out`` has a part of these
        samples, from the sample ``first`` on. ``glides`` is a dict from tracks to positions in the
        sound, for tracks with a changing pitch.
        """
        m = out.shape[1]
        rows: list[tuple[float, float, float, float]] = []
        block = self._scratch(2 * len(self.tracks), m)
        pitched: list[PitchedRow] = []
        fading = []
        for track in self.tracks:
            gains = track.gains
            source = track.source
            if gains == _SILENT:
                continue
            row = len(rows)
            mono = source.channels == 1 or track.voice.position is not None
            if mono:
                rows.append(gains)
            else:
                rows += (gains[0], 0.0, gains[2], 0.0), (0.0, gains[1], 0.0, gains[3])
            if track.fade is not None:
                fading.append((track, row, len(rows)))
            position = track.place
            step = track.step
            glide_positions = glides.get(track) if glides else None
            if glide_positions is not None:
                pitched.append(
                    (
                        row,
                        source,
                        mono,
                        position,
                        step,
                        glide_positions[first : first + m] - glide_positions[first],
                    )
                )
            elif step == ONE and not position & (ONE - 1):
                block[row : len(rows)] = source.window(position >> 16, m, mono)
            else:
                pitched.append((row, source, mono, position, step, None))
        if rows:
            self._stretcher.fill(block, pitched)
            for track, begin, end in fading:
                block[begin:end] *= track.levels(self.now + first + _COUNT[:m]).astype(np.float32)
            self._sum_up(out, block[: len(rows)], np.array(rows, np.float32).T, first, n)

    def _scratch(self, rows: int, m: int) -> Floats:
        """Return an array of ``rows`` rows of m samples, without setting its values. All calls
        return the same memory.

        Allocating new memory would take longer than mixing the samples.
        """
        if self._memory.shape[1] < rows * m:
            self._memory = np.empty((2, rows * m), np.float32)
        return self._memory[0, : rows * m].reshape(rows, m)

    def _sum_up(self, out: Floats, block: Floats, gains: Floats, first: int, n: int) -> None:
        """Multiply each row of a block by its volume for the left and for the right side, and add
        the results to ``out``. ``gains`` is (4, rows): the left and right volumes at the start of
        the call of `run`, and the left and right volumes at the end.
        """
        sides: list[Floats] = list(gains)
        left, right, to_left, to_right = sides
        ramp = ((first + _COUNT[: block.shape[1]]) / n).astype(np.float32)
        out[0] += self._weighted(block, left, to_left - left, ramp)
        alike = bool((left == right).all() and (to_left == to_right).all())
        out[1] += out[0] if alike else self._weighted(block, right, to_right - right, ramp)

    def _weighted(self, block: Floats, gain: Floats, change: Floats, ramp: Floats) -> Floats:
        products = self._memory[1, : block.size].reshape(block.shape)
        total: Floats = np.add.reduce(np.multiply(block, gain[:, None], out=products), axis=0)
        moving = np.flatnonzero(change)
        if len(moving):
            total += np.add.reduce(block[moving] * change[moving, None], axis=0) * ramp
        return total
