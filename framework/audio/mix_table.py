"""The state of all voices (playing sounds), buses and effects, as arrays for the mixer.

A table has one row for each voice, each group and each effect. From this state, a kernel computes
the next samples of the mix: either the kernel in `kernel`, with NumPy, or the kernel in
``native/src/kernel.c``, in C. Both have exactly the same results. All times in the rows are sample
numbers of the mix, so the result does not depend on the pieces in which the mix is computed.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats

Record = NDArray[Any]
"""A structured array: rows with named columns."""

VERSION = 3
"""The version of the table's layout. A native library for another version is not used."""

NEVER = np.iinfo(np.int64).min
"""The value that stands for the end of a fade while there is no fade."""

FOREVER = np.iinfo(np.int64).max
"""The end position of a voice that never ends."""

MAX_VOICES = 4608
"""The maximum number of rows for voices. `Audio.max_voices` is at most 4,096."""

MAX_TRACKS = MAX_VOICES - 256
"""A new voice can start only while the mixer has fewer tracks than this number. The remaining rows
are reserved for crossfades.
"""

MAX_GROUPS = 64
"""The maximum number of groups. Group 0 contains the whole mix."""

MAX_EFFECTS = 256
"""The maximum number of effects of all groups together."""

SINE_STEPS = 4096
"""The number of steps of the table `quarter_sine`."""


LOOKAHEAD = 128
"""The number of samples that the limiter looks ahead: 2.7 ms."""

PREROLL = 2 * LOOKAHEAD
"""The number of samples that are mixed again after a jump. In the first half, the output of the
filters settles. The limiter needs the second half.
"""

MUFFLE_BLOCK = 16
"""All filters, such as the filter for voices behind walls, compute blocks of 16 samples."""


def _rows(*arrays: tuple[str, str, int | tuple[int, ...]], **kinds: str) -> np.dtype[np.void]:
    """Return the dtype of a row with the columns ``kinds``, followed by the columns ``arrays``."""
    columns: list[Any] = [(name, kind) for kind, text in kinds.items() for name in text.split()]
    return np.dtype([*columns, *arrays], align=True)


VOICE = _rows(
    ("filter_state", "f8", 2),
    ("filter_inputs", "f4", MUFFLE_BLOCK),
    i8="starts origin place glide end ahead ahead_from ramp_begin ramp_end fade_begin fade_end "
    "length low high seam mask valid enters muffle_begin muffle_end",
    u8="left right again_left again_right",
    f8="fade_from fade_to",
    f4="gain_left gain_right to_left to_right muffle to_muffle",
    i4="step to_step drain group even channels",
)
"""The row of a voice. At the sample ``origin`` of the mix, the position of the voice in its sound
is ``place``. The unit of positions is 1 / 65,536 samples. The voice is silent before the sample
``starts``, and as soon as it reaches the position ``end``. After a jump, the voice fades in over 5
ms, starting at the sample ``enters``. ``muffle`` is the fraction of the voice that passes through a
low-pass filter. The last two columns store the state of this filter.
"""

GROUP = _rows(
    i8="ramp_begin ramp_end", f4="gain to_gain", i4="parent first_effect effect_count listened"
)
"""The row of a group of voices. The mixer adds the group to the group ``parent``."""

EFFECT = np.dtype(
    [
        ("params", "f8", 16),
        ("to_params", "f8", 16),
        ("state", "f8", 32),
        ("ramp_begin", "i8"),
        ("ramp_end", "i8"),
        ("line_size", "i8"),
        ("line", "u8"),
        ("line_copy", "u8"),
        ("kind", "i4"),
        ("side", "i4"),
    ],
    align=True,
)
"""The row of an effect on a group. An effect of kind 0 does nothing."""

HEAD = _rows(
    ("limiter_line", "f4", (2, LOOKAHEAD)),
    i8="sample frame keep limited",
    u8="voices groups effects quarter_sine taps",
    i4="voice_count group_count effect_count held continuing",
    f4="limiter_gain limiter_to limiter_low limiter_before",
)
"""The head of a table. The head contains the state of the limiter at the sample ``limited`` of the
mix.
"""


def new_head() -> Record:
    """Return the head of an empty table. The limiter in this head does not change the volume."""
    head: Record = np.zeros(1, HEAD)
    for name in ("limiter_gain", "limiter_to", "limiter_low", "limiter_before"):
        head[name] = 1.0
    head["group_count"] = 1
    return head


class TableSource(Protocol):
    """The interface through which the kernel reads the samples of a voice."""

    channels: int

    def window(self, first: int, count: int, mono: bool) -> Floats:
        """Return ``count`` samples, starting at the sample ``first``. The array is float32 and has
        the shape (channels, count) or (1, count).
        """


@cache
def quarter_sine() -> Doubles:
    """Return a quarter of a sine wave, for crossfades. The array is float64 and has the shape
    (`SINE_STEPS` + 1,).
    """
    from ..geometry import exact  # the second process of the sound must start quickly

    angles = np.arange(SINE_STEPS + 1) * (math.pi / 2 / SINE_STEPS)
    sines: Doubles = exact.sincos(angles)[0]
    sines[-1] = 1.0
    return sines


class MixTable:
    """A mix table, together with the samples of its voices.

    ``sources`` contains the source of each row of ``voices``. ``kept`` contains objects that keep
    the samples in memory. ``lines`` contains the delay memory of each effect: a float32 array of
    shape (2, n), or None.
    """

    not_state = True

    def __init__(self) -> None:
        self.voices: Record = np.zeros(64, VOICE)
        self.groups: Record = np.zeros(1, GROUP)
        self.effects: Record = np.zeros(0, EFFECT)
        self.head: Record = new_head()
        self.sources: list[TableSource] = []
        self.kept: list[object] = []
        self.lines: list[Floats | None] = []
        self.groups["gain"] = self.groups["to_gain"] = 1.0

    def reserve(self, voices: int) -> None:
        """Allocate memory for at least ``voices`` rows of voices."""
        if voices > len(self.voices):
            larger: Record = np.zeros(max(voices, 2 * len(self.voices)), VOICE)
            larger[: len(self.voices)] = self.voices
            self.voices = larger

    def copy(self, *, lines: bool = True) -> MixTable:
        """Return a copy of the table. The copy shares the samples of the table, but has its own
        states. If ``lines`` is False, the copy also shares the delay memory of the effects.
        """
        table = MixTable()
        table.voices = self.voices[: len(self.sources)].copy()
        table.groups = self.groups.copy()
        table.effects = self.effects.copy()
        table.head = self.head.copy()
        table.sources = list(self.sources)
        table.kept = list(self.kept)
        table.lines = [line.copy() if lines and line is not None else line for line in self.lines]
        return table
