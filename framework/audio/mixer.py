"""The mixer: all voices of a stretch of time as rows of one block, multiplied by their gains and summed up.

It knows no device and reads no clock. `Mixer.run` is told up to which sample to mix; as a rule from one tick to the
next. What is set of a voice is a target: it is where the mix begins with what the last stretch reached, and goes in a
straight line to the target at the stretch's end, as the picture does between two ticks.

Places in sounds are counted in 1 / 65,536 samples, exactly, so that a pitch does not drift; in between samples a sound
is a straight line. All sums are made in one order with elementwise products: the bits are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Floats
from .limiter import Limiter
from .voices import ONE, SHORTEST_FADE, Voice

_MOST = 1024  # samples that are mixed at a time
_ROWS = 32  # rows that are stretched at a time, so that they stay in the cache
_FASTEST = 16 * ONE
_COUNT = np.arange(_MOST, dtype=np.int32)

Ears = Callable[[Voice, float], tuple[float, float]]
"""How loud, and how far to the right, what is somewhere is heard at an alpha of this tick."""


class Mixer:
    """Voices, and the moment up to which they are mixed: ``now``, in samples."""

    def __init__(self, ears: Ears) -> None:
        self.voices: list[Voice] = []
        self.now = 0
        self.volume = 1.0
        self.time_scale = 1.0
        self.limiter = Limiter()
        self._ears = ears
        self._loud = 1.0  # the volume that was reached
        self._block: Floats = np.empty((0, _MOST), np.float32)

    def look_again(self) -> None:
        """Something was set that concerns many voices."""
        for voice in self.voices:
            voice.stale = True

    def run(self, until: int, heard: bool) -> Floats:
        """Go on up to the sample ``until``. Returns the mix, float32 (n, 2): left, right; none unless it is ``heard``."""
        n = until - self.now
        if n <= 0:
            return np.empty((0, 2), np.float32)
        share = min(1.0, n / SHORTEST_FADE)
        for voice in self.voices:
            if voice.stale or voice.position is not None:
                self._aim(voice, share)
        glides = {id(voice): _glide(voice, n) for voice in self.voices if voice.step != voice.to_step}
        loud = self._loud + (self.volume - self._loud) * share
        mix = np.zeros((2, n if heard else 0), np.float32)
        if heard and self.voices:
            for first in range(0, n, _MOST):
                self._mix(mix[:, first : first + _MOST], first, n, glides)
        if heard:
            if loud != 1.0 or self._loud != 1.0:
                mix *= np.linspace(self._loud, loud, n, endpoint=False, dtype=np.float32)
            self.limiter.apply(mix)
        self._loud = loud
        self.now = until
        self._go_on(n, glides)
        return np.ascontiguousarray(mix.T)

    # -- what is to be reached -----------------------------------------------------------------------------------

    def _aim(self, voice: Voice, share: float) -> None:
        group = voice.group
        left, right = self._sides(voice, 1.0)
        pitch = voice.pitch * group.pitch * (self.time_scale if group.follows_time else 1.0)
        step = min(_FASTEST, round(ONE * pitch))
        if voice.fresh:
            voice.left, voice.right = (left, right) if voice.position is None else self._sides(voice, 0.0)
            voice.step, voice.fresh = step, False
        if group.paused:
            left = right = 0.0
            if voice.left == voice.right == 0.0:
                step = voice.step = 0
        elif voice.step == 0:
            voice.step = step
        voice.to_left = voice.left + (left - voice.left) * share
        voice.to_right = voice.right + (right - voice.right) * share
        if share < 1.0 and abs(voice.to_left - left) + abs(voice.to_right - right) < 1e-5:
            voice.to_left, voice.to_right = left, right
        voice.to_step = step
        voice.stale = voice.to_left != left or voice.to_right != right or group.paused

    def _sides(self, voice: Voice, alpha: float) -> tuple[float, float]:
        """How loud it is on the left and on the right, before it fades."""
        level, pan = voice.volume * voice.group.volume, voice.pan
        if voice.position is not None:
            loudness, side = self._ears(voice, alpha)
            level, pan = level * loudness, min(1.0, max(-1.0, pan + side))
        return level * min(1.0, 1.0 - pan), level * min(1.0, 1.0 + pan)

    def _go_on(self, n: int, glides: dict[int, np.ndarray]) -> None:
        """The stretch is over: every voice is where it leads to."""
        now, over = self.now, False
        for voice in self.voices:
            voice.place += int(glides[id(voice)][n]) if voice.step != voice.to_step else n * voice.step
            voice.left, voice.right, voice.step = voice.to_left, voice.to_right, voice.to_step
            if voice.fade is not None and now >= voice.fade[2]:
                if voice.ending:
                    voice.playing = False
                elif voice.fade[3] == 1.0:
                    voice.fade = None
            length = voice.source.length
            if length is not None and voice.place >= length * ONE:
                voice.playing = False
            over = over or not voice.playing
        if over:
            self.voices = [voice for voice in self.voices if voice.playing]

    # -- the mix ---------------------------------------------------------------------------------------------------

    def _mix(self, out: Floats, first: int, n: int, glides: dict[int, np.ndarray]) -> None:
        """Add all voices to ``out``: the samples from ``first`` on of a stretch of ``n``."""
        m = out.shape[1]
        rows: list[tuple[float, float, float, float]] = []
        block = self._room(sum(voice.source.channels for voice in self.voices))[:, :m]
        pitched: list[tuple[Voice, int, int]] = []
        for voice in self.voices:
            left, right, to_left, to_right = voice.left, voice.right, voice.to_left, voice.to_right
            if left == right == to_left == to_right == 0.0:
                continue
            row = len(rows)
            if voice.source.channels == 1 or voice.position is not None:
                rows.append((left, right, to_left, to_right))
            else:
                rows += (left, 0.0, to_left, 0.0), (0.0, right, 0.0, to_right)
            if voice.step == voice.to_step == ONE and not voice.place & (ONE - 1):
                mono, place = voice.position is not None, (voice.place >> 16) + first
                voice.source.windows(place, m, mono, block[row : len(rows)])
            else:
                pitched.append((voice, row, len(rows)))
        if not rows:
            return
        for begin in range(0, len(pitched), _ROWS):
            _stretch(pitched[begin : begin + _ROWS], block, first, glides)
        self._fade(rows, block, first)
        _sum_up(out, block[: len(rows)], np.array(rows, np.float32).T, first, n)

    def _fade(self, rows: list[tuple[float, float, float, float]], block: Floats, first: int) -> None:
        row = 0
        for voice in self.voices:
            if voice.left == voice.right == voice.to_left == voice.to_right == 0.0:
                continue
            count = 1 if voice.position is not None else voice.source.channels
            if voice.fade is not None:
                begin, old, end, new = voice.fade
                passed = (self.now + first - begin + _COUNT[: block.shape[1]]) / (end - begin)
                block[row : row + count] *= (old + (new - old) * np.clip(passed, 0.0, 1.0)).astype(np.float32)
            row += count

    def _room(self, rows: int) -> Floats:
        if len(self._block) < rows:
            self._block = np.empty((rows, _MOST), np.float32)
        return self._block


def _glide(voice: Voice, n: int) -> np.ndarray:
    """How far a voice has come at each sample of a stretch in which its pitch changes: int64 (n + 1,)."""
    steps = voice.step + (voice.to_step - voice.step) * np.arange(n, dtype=np.int64) // n
    return np.concatenate(([0], np.cumsum(steps)))


def _stretch(
    pitched: list[tuple[Voice, int, int]], block: Floats, first: int, glides: dict[int, np.ndarray]
) -> None:
    """Fill rows of the block with what is heard at another pitch, in straight lines between samples."""
    m = block.shape[1]
    count = pitched[-1][2] - pitched[0][1] if pitched else 0
    rows, begins, fractions, steps, spans = [], [], [], [], []
    for voice, begin, end in pitched:
        glide = glides.get(id(voice))
        place = voice.place + (first * voice.step if glide is None else int(glide[first]))
        fraction = place & (ONE - 1)
        last = (m - 1) * voice.step if glide is None else int(glide[first + m - 1] - glide[first])
        begins.append(place >> 16)
        spans.append(((fraction + last) >> 16) + 2)
        for row in range(begin, end):
            rows.append(row)
            fractions.append(fraction)
            steps.append(voice.step)
    count, width = len(rows), max(spans)
    window = np.empty((count, width), np.float32)
    ways = np.multiply.outer(np.array(steps, np.int32), _COUNT[:m])
    at = 0
    for (voice, begin, end), place, span in zip(pitched, begins, spans, strict=True):
        there = at + end - begin
        voice.source.windows(place, span, voice.position is not None, window[at:there, :span])
        glide = glides.get(id(voice))
        if glide is not None:
            ways[at:there] = glide[first : first + m] - glide[first]
        at = there
    ways += np.array(fractions, np.int32)[:, None]
    index = ways >> 16
    index += np.arange(0, count * width, width, dtype=np.int32)[:, None]
    ways &= ONE - 1
    share = ways.astype(np.float32)
    share *= np.float32(1 / ONE)
    flat, places = window.reshape(-1), index.astype(np.intp)
    low, high = flat.take(places), flat[1:].take(places)
    high -= low
    high *= share
    low += high
    block[rows] = low


def _sum_up(out: Floats, block: Floats, gains: Floats, first: int, n: int) -> None:
    """Add up the rows of a block. ``gains`` is (4, rows): left and right at the stretch's begin, and at its end."""
    left, right, to_left, to_right = gains
    ramp = ((first + _COUNT[: block.shape[1]]) / n).astype(np.float32)
    out[0] += _weighted(block, left, to_left - left, ramp)
    alike = bool((left == right).all() and (to_left == to_right).all())
    out[1] += out[0] if alike else _weighted(block, right, to_right - right, ramp)


def _weighted(block: Floats, gain: Floats, change: Floats, ramp: Floats) -> Floats:
    total: Floats = np.add.reduce(block * gain[:, None], axis=0)
    moving = np.flatnonzero(change)
    if len(moving):
        total += np.add.reduce(block[moving] * change[moving, None], axis=0) * ramp
    return total
