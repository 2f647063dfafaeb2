"""The state of one voice (a playing sound) in the mixer, which fills a row of the mix table."""

from __future__ import annotations

import math
import struct
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from ..arrays import Floats
from .kernel import fade_levels
from .mix_table import FOREVER, NEVER, VOICE, Record


class TrackVoice(Protocol):
    """The attributes of a voice that its track uses."""

    @property
    def position(self) -> object:
        """The position of the voice in the world, or None."""


V = TypeVar("V", bound=TrackVoice)

ONE = 1 << 16
"""The number of position units per sample. Positions in a sound are integers, in units of 1 /
65,536 of a sample."""

FAR = math.inf
"""The end of a source whose length is unknown, such as a stream or a loop."""

MIN_FADE = 240
"""The shortest length of any fade or change, in samples. A fade shorter than 5 ms would cause an
audible click.
"""

MAX_GLIDE = 48_000
"""The longest time in which the pitch changes, in samples."""

_FILTER_SIZE = 80  # bytes for the state of the filter at the end of a row
_ROW = struct.Struct(f"20q4Q2d6f6i{_FILTER_SIZE}s")
assert _ROW.size == VOICE.itemsize
assert VOICE.fields is not None
assert VOICE.fields["filter_state"][1] == _ROW.size - _FILTER_SIZE

Fade = tuple[int, float, int, float]
"""A fade: its first sample, the level at the first sample, its last sample, and the level at the
last sample.
"""

Muffle = tuple[int, int, float, float]
"""A change to the muffling filter: its first sample, its last sample, and the fractions of the
sound that pass through the filter at these two samples.
"""

Ramp = tuple[int, int, float, float, float, float]
"""A change in volume. The tuple contains six numbers: the first sample, the last sample, the left
and the right volume at the first sample, and the left and the right volume at the last sample.
"""


class SourceMemory(NamedTuple):
    """The location of a source's samples in memory, as columns of the mix table."""

    left: int
    right: int
    again_left: int
    again_right: int
    length: int
    low: int
    high: int
    seam: int
    mask: int
    valid: int
    kept: object
    """An object that keeps the samples in memory."""


class SampleSource(Protocol):
    """The interface of a source, from which a voice reads its samples. A source is a decoded sound
    or a stream.
    """

    channels: int
    length: int | None
    """The number of samples in the source. The length is None for a loop, and for a stream until
    its end is known.
    """
    streams: bool
    """Whether the samples are computed while the voice is playing."""

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """Return ``count`` samples, starting at the sample ``first``. The array is float32 and has
        the shape (channels, count) or (1, count). Samples after the end of the sound are 0.

        The caller must not change this array.
        """

    def memory(self, mono: bool) -> SourceMemory:
        """Return the location of the samples in memory. If ``mono`` is True, the samples are the
        mean of both channels.
        """

    def prepare(self, first: int, count: int) -> None:
        """Compute ``count`` samples, starting at the sample ``first``, for `window` and `memory`.
        Only a stream has to compute samples.
        """

    def read_ahead(self, first: int, count: int) -> None:
        """Compute a part of the next ``count`` samples, starting at the sample ``first``. After
        several calls, all of them are computed. Only a stream has to compute samples.
        """

    def skip(self, first: int) -> None:
        """Continue at the sample ``first``, without computing the samples before it. Called while
        the voice is not audible.

        If the source ends before ``first``, the method sets `length` to the number of samples in
        the source.
        """

    def wrapped(self, place: int) -> int:
        """Convert a position that keeps increasing to a position in the sound. In a loop, the
        result goes back to the start of the loop each time.

        The unit of both positions is 1 / `ONE` of a sample.
        """


class MixerTrack(Generic[V]):
    """The state of a voice in the mixer: its position in the sound, its volume and its fade.

    The class does not use `Sealed`, because the mixer sets the attributes in each tick, and the
    checks would take too much time. `dirty` is True if the mixer must write the row of the track
    again.
    """

    __slots__ = (
        "_even",
        "_fade",
        "_place",
        "_source",
        "ahead",
        "ahead_from",
        "at",
        "base",
        "began",
        "begin_volume",
        "device_filter",
        "dirty",
        "drain",
        "end",
        "ended",
        "ending",
        "enters",
        "filter",
        "fresh",
        "from_step",
        "ghost",
        "glide",
        "group",
        "group_bus",
        "is_music",
        "jump",
        "jump_pauses",
        "jumps",
        "last_position",
        "muffle",
        "occluded",
        "origin",
        "pausing",
        "playing",
        "ramp",
        "ramp_until",
        "shifted",
        "stale",
        "starts",
        "step",
        "voice",
    )

    def __init__(self, voice: V, source: SampleSource) -> None:
        self.voice = voice
        self._source = source
        self._place = self.base = 0
        self.origin = self.glide = 0
        """At the sample `origin` of the mix, the position in the sound is `base`. The speed changes
        from `from_step` to `step` during the next `glide` samples.
        """
        self.starts = NEVER
        """The first sample of the mix at which the voice is heard."""
        self.end: float = FAR if source.length is None else source.length * ONE
        self.from_step = self.step = 0
        """The speed at the end of `glide`, in position units per sample of the mix. The attribute
        `from_step` is the speed at the start of `glide`.
        """
        self.ramp: Ramp = NEVER, NEVER, 0.0, 0.0, 0.0, 0.0
        """The current change in volume, or the most recent change."""
        self.ramp_until = NEVER
        """The sample at which a change in volume ends, if it continues beyond the next tick.
        """
        self.begin_volume: float | None = None
        """The volume at which a new voice starts, if its volume changes until `ramp_until`."""
        self._fade: Fade | None = None
        self._even = False
        self.enters = NEVER
        """The sample at which the voice starts to fade in after a jump. This fade-in takes 5 ms."""
        self.occluded: float | None = None
        """How much walls block the sound, from 0 to 1. The value is None until the voice is heard.
        """
        self.muffle: Muffle = NEVER, NEVER, 0.0, 0.0
        """The current change to the muffling filter, or the most recent change."""
        self.filter = bytes(_FILTER_SIZE)
        """The state of the muffling filter: the bytes of the last columns of the voice's row."""
        self.device_filter: bytes | None = None
        """The state of the muffling filter on the sound device, if voices on the device are ahead
        of the mix.
        """
        self.ahead = self.ahead_from = self.drain = 0
        """How far the sound device is ahead of the mix at the sample `ahead_from`, in position
        units. The lead shrinks by `drain` units with each sample.
        """
        self.shifted: tuple[int, int] | None = None
        """The sample at which `ahead` was last changed, and how far the device was ahead before."""
        self.group = 0
        """The index of the voice's group in the mix table."""
        self.group_bus: Any = None
        """The bus of the group, or None for the whole mix."""
        self.last_position: tuple[float, ...] | None = None
        """The last known position of the voice in the world. The mixer uses this position after the
        sprite in `Voice.position` was removed.
        """
        self.is_music = False
        """Whether the voice is music, which other voices never stop."""
        self.fresh = self.stale = self.playing = self.dirty = True
        self.ending = self.pausing = self.ghost = False
        """`ghost` is True for a track that continues a voice at its old position after a seek,
        while fading out."""
        self.jump: int | None = None
        """The position at which the voice continues with the next sample of the mix. The value is
        None without a seek.
        """
        self.jump_pauses = False
        """Whether the voice was paused, and therefore silent, at the position `jump`."""
        self.jumps: list[tuple[int, int]] = []
        """The most recent seeks, each with its tick and its position. A tick that runs again does
        not repeat its seeks.
        """
        self.at: float | None = None
        """The game time at which the voice starts, in seconds. The value is None for a voice that
        started immediately.
        """
        self.began = self.ended = 0
        """The attribute `ended` is the tick in which the voice was stopped, or 0. If this tick runs
        again, `ended` is -1 until the tick stops the voice again.

        The attribute `began` is the tick in which the voice started.
        """

    # -- position ----------------------------------------------------------------------------------

    @property
    def source(self) -> SampleSource:
        """The source of the voice's samples."""
        return self._source

    @source.setter
    def source(self, source: SampleSource) -> None:
        self._source = source
        self.dirty = True

    @property
    def place(self) -> int:
        """The position of the voice in its sound, in units of 1 / `ONE` samples. In a loop, `place`
        keeps increasing, and never returns to the start of the loop.

        If you set the position, the voice jumps to it immediately, without a crossfade.
        """
        return self._place

    @place.setter
    def place(self, place: int) -> None:
        self.base += place - self._place
        self._place = place
        self.dirty = True

    def seek(self, place: int, *, pauses: bool = False) -> None:
        """Continue at the position ``place`` in the sound, with a crossfade. The mixer crossfades
        between the old and the new position over 5 ms. If ``pauses`` is True, the voice is paused
        and silent at the new position, so the old position only fades out.
        """
        if self.fresh:
            self.place = place
        else:
            self.jump = place
            self.jump_pauses = pauses
            self.stale = True

    def begin_at(self, sample: int) -> None:
        """Set the sample of the mix at which the voice starts. Called before the voice has started."""
        fade = self._fade
        if fade is not None and not self.ending:
            begin, old, end, new = fade
            self._fade = sample, old, sample + end - begin, new
        self.starts = self.origin = sample
        self.glide = 0
        self.from_step = self.step
        self.dirty = True

    def place_at(self, sample: int) -> int:
        """Return the position of the voice in its sound, at a sample of the mix."""
        passed = max(0, sample - self.origin)
        glide = self.glide
        if passed < glide:
            change = (self.step - self.from_step) * passed * (passed - 1) // (2 * glide)
            return self.base + self.from_step * passed + change
        if glide:
            change = (self.step - self.from_step) * glide * (glide - 1) // (2 * glide)
            return self.base + self.from_step * glide + change + self.step * (passed - glide)
        return self.base + self.step * passed

    def advance(self, now: int) -> None:
        """Update the state of the track after the mix has reached the sample ``now``."""
        self._place = self.place_at(now)

    def start_at(self, now: int) -> None:
        """Continue at the current position of the sound, starting at the sample ``now`` of the mix.
        Called for a track that the mixer did not advance for some time.
        """
        self.base = self._place
        self.origin = now
        # Before `now`, the position could be before the start of the sound.
        self.starts = max(self.starts, now)
        self.glide = 0
        self.dirty = True

    def turn(self, step: int, now: int, end: int) -> None:
        """Change the speed to ``step`` / `ONE` samples of the sound per sample of the mix. The
        speed changes gradually from the sample ``now`` to the sample ``end`` of the mix.
        """
        if step == self.step:
            return
        passed = now - self.origin
        old = self.step
        if 0 <= passed < self.glide:
            old = self.from_step + (self.step - self.from_step) * passed // self.glide
        self.base = self.place_at(now)
        self.origin = max(now, self.starts)
        waits = now < self.starts
        self.from_step = step if waits else old
        self.step = step
        self.glide = 0 if waits else min(max(0, end - now), MAX_GLIDE)
        self.dirty = True

    def ahead_at(self, sample: int) -> int:
        """Return how far the voice on the sound device is ahead of the mix, at a sample of the mix.
        The unit of the distance is 1 / `ONE` of a sample.
        """
        return max(0, self.ahead - max(0, sample - self.ahead_from) * self.drain)

    # -- volume ------------------------------------------------------------------------------------

    @property
    def fade(self) -> Fade | None:
        """The fade, as four numbers: its first sample, the level at this sample, its last sample,
        and the level at this sample. The value is None if the voice does not fade.
        """
        return self._fade

    @fade.setter
    def fade(self, fade: Fade | None) -> None:
        self._fade = fade
        self.dirty = True

    @property
    def even(self) -> bool:
        """Whether the fade is one half of a crossfade with constant loudness.

        In a crossfade with constant loudness, the squares of the two levels always add up to 1.
        """
        return self._even

    @even.setter
    def even(self, even: bool) -> None:
        self._even = even
        self.dirty = True

    def fade_to(self, level: float, now: int, length: int) -> None:
        """Fade to ``level`` (0 to 1) over ``length`` samples. The fade starts at the sample ``now``
        of the mix.
        """
        old = self.level(now)
        self.even = False
        self.fade = now, old, now + max(length, MIN_FADE), level

    def fade_in(self, now: int) -> None:
        """Fade in over 5 ms, after the voice has jumped. ``now`` is the first sample of the fade."""
        self.enters = now
        self.dirty = True

    def muffle_at(self, now: int) -> float:
        """Return how much of the sound passes through the muffling filter at the sample ``now``,
        from 0 to 1.
        """
        begin, end, old, new = self.muffle
        return new if now >= end else old + (new - old) * max(0, now - begin) / (end - begin)

    @property
    def is_muffled(self) -> bool:
        """Whether the muffling filter changes the sound."""
        return self.muffle[2] != 0.0 or self.muffle[3] != 0.0

    def level(self, now: int) -> float:
        """Return the level of the voice's fade at the sample ``now`` of the mix, from 0 to 1."""
        if self._fade is None:
            return 1.0
        begin, old, end, new = self._fade
        return float(fade_levels(begin, end, (old, new), self._even, np.array([now]))[0])

    def gains_at(self, now: int) -> tuple[float, float]:
        """Return the volumes of the left and right channels at the sample ``now`` of the mix. Fades
        are not included.
        """
        begin, end, left, right, to_left, to_right = self.ramp
        if now >= end:
            return to_left, to_right
        share = max(0, now - begin) / (end - begin)
        return left + (to_left - left) * share, right + (to_right - right) * share

    def is_silent(self, now: int) -> bool:
        """Return whether the voice is silent at the sample ``now`` of the mix, and will stay
        silent.
        """
        _, end, left, right, to_left, to_right = self.ramp
        return to_left == to_right == 0.0 and (now >= end or left == right == 0.0)

    # -- the row -----------------------------------------------------------------------------------

    def write(self, rows: memoryview, index: int) -> object:
        """Write the state of the track to the row ``index`` of the table. Return an object that
        keeps the samples of the row in memory.
        """
        source = self._source
        mono = source.channels == 1 or self.voice.position is not None
        memory = source.memory(mono)
        begin, end, left, right, to_left, to_right = self.ramp
        fade_begin, old, fade_end, new = self._fade or (NEVER, 1.0, NEVER, 1.0)
        _ROW.pack_into(
            rows,
            index * _ROW.size,
            self.starts,
            self.origin,
            self.base,
            self.glide,
            FOREVER if self.end is FAR else int(self.end),
            0,
            0,
            begin,
            end,
            fade_begin,
            fade_end,
            memory.length,
            memory.low,
            memory.high,
            memory.seam,
            memory.mask,
            memory.valid,
            self.enters,
            self.muffle[0],
            self.muffle[1],
            memory.left,
            memory.right,
            memory.again_left,
            memory.again_right,
            old,
            new,
            left,
            right,
            to_left,
            to_right,
            self.muffle[2],
            self.muffle[3],
            self.from_step,
            self.step,
            0,
            self.group,
            self._even,
            1 if mono else 2,
            self.filter,
        )
        self.dirty = source.streams
        return memory.kept


def filter_bytes(rows: Record, index: int) -> bytes:
    """Return the state of the muffling filter in the row ``index`` of a table."""
    end = (index + 1) * _ROW.size
    return rows.view(np.uint8)[end - _FILTER_SIZE : end].tobytes()


def write_filter(rows: Record, index: int, state: bytes) -> None:
    """Write a state of the muffling filter to the row ``index`` of a table."""
    end = (index + 1) * _ROW.size
    rows.view(np.uint8).data[end - _FILTER_SIZE : end] = state
