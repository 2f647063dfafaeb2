"""The function at the core of the mixer: it computes the next samples from the mix table.

Between two calls, the kernel keeps nothing except the state in the table, and all times in the
table are sample numbers of the mix. Therefore, one call for 800 samples has exactly the same result
as 800 calls for one sample. The C kernel in ``native/src/kernel.c`` multiplies and adds float32
numbers in the same order, so it has exactly the same results, too. If the native library is
installed, `new_kernel` returns the C kernel. Otherwise, it returns the kernel in this module, which
uses NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats
from . import effects
from .mix_table import NEVER, SINE_STEPS, MixTable, quarter_sine
from .muffling import muffle
from .native import NativeKernel, native_library
from .resampling import PitchedRow, Resampler

_MAX_SAMPLES = 1024  # the maximum number of samples that are mixed in one step
_ONE = 1 << 16
# Samples of two fades: the fade-in of a voice after a jump, and the fade-out of a stream if its
# next samples are missing.
_SOFT = 240
_COUNT = np.arange(_MAX_SAMPLES, dtype=np.int64)

Kernel = Callable[[MixTable, int, int], Floats]
"""A function that mixes ``count`` samples of a table, starting at the sample ``first``. The
returned array is float32 and has the shape (2, count).
"""


def new_kernel() -> Kernel:
    """Return a kernel for one mixer: the kernel of the native library if it is installed, otherwise
    the NumPy kernel.
    """
    library = native_library()
    return NumpyKernel().mix if library is None else NativeKernel(library).mix


def places(row: Any, samples: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the positions of a voice in its sound, at some samples of the mix.

    ``row`` is the row of the voice in a mix table. The unit of the positions is 1 / 65,536 of a
    sample.
    """
    passed = samples - row["origin"]  # negative if the player is mixing earlier samples again
    glide = row["glide"]
    step = row["step"].astype(np.int64)
    to_step = row["to_step"].astype(np.int64)
    within = np.minimum(passed, glide)
    gliding = np.maximum(within, 0)
    change = (to_step - step) * gliding * (gliding - 1) // np.maximum(2 * glide, 1)
    result = row["place"] + step * within + change + to_step * (passed - within)
    drained = np.maximum(samples - row["ahead_from"], 0) * row["drain"]
    return np.asarray(result + np.maximum(row["ahead"] - drained, 0))


def _share(begin: int, end: int, samples: NDArray[np.int64]) -> Doubles:
    """For each sample, return the fraction of the time from ``begin`` to ``end`` that has passed."""
    return np.asarray(np.clip((samples - begin) / max(1, end - begin), 0.0, 1.0))


def fade_levels(
    begin: int, end: int, levels: tuple[float, float], even: bool, samples: NDArray[np.int64]
) -> Doubles:
    """Return the level of a fade at each sample. The array is float64 and has the shape (n,).
    ``levels`` contains two numbers: the levels at the start and at the end of the fade.

    If ``even`` is True, the fade is one half of a crossfade with constant loudness.
    """
    old, new = levels
    passed = _share(begin, end, samples)
    if not even:
        return old + (new - old) * passed
    sine = quarter_sine()
    at = passed * SINE_STEPS
    index = np.minimum(at.astype(np.int64), SINE_STEPS - 1)
    part = at - index
    coming = sine[index] + (sine[index + 1] - sine[index]) * part
    back = SINE_STEPS - index
    going = sine[back] + (sine[back - 1] - sine[back]) * part
    return np.asarray(old * going + new * coming)


class NumpyKernel:
    """The kernel that uses NumPy. The kernel reuses its memory, because allocating new memory takes
    longer than mixing.
    """

    def __init__(self) -> None:
        self._resampler = Resampler(_MAX_SAMPLES)
        self._memory: Floats = np.empty((2, 0), np.float32)

    def mix(self, table: MixTable, first: int, count: int) -> Floats:
        """Return ``count`` samples of the mix, starting at the sample ``first``. The array is
        float32 and has the shape (2, count).
        """
        out = np.zeros((2, count), np.float32)
        for done in range(0, count, _MAX_SAMPLES):
            self._piece(table, first + done, out[:, done : done + _MAX_SAMPLES])
        return out

    def _piece(self, table: MixTable, first: int, out: Floats) -> None:
        groups = table.groups[: int(table.head["group_count"][0])]
        buffers = [out, *[np.zeros_like(out) for _ in groups[1:]]]
        if table.sources:
            self._add_voices(table, first, buffers)
        for number in range(len(groups) - 1, -1, -1):
            group = groups[number]
            buffer = buffers[number]
            begin = int(group["first_effect"])
            for index in range(begin, begin + int(group["effect_count"])):
                effect = table.effects[index]
                side = buffers[effect["side"]] if effect["side"] > number else None
                effects.run(effect, table.lines[index], buffer, side, first)
            _apply_gain(group, buffer, first)
            if number:
                buffers[group["parent"]] += buffer

    # -- voices ------------------------------------------------------------------------------------

    def _add_voices(self, table: MixTable, first: int, buffers: list[Floats]) -> None:
        m = buffers[0].shape[1]
        all_voices = table.voices[: len(table.sources)]
        begins = np.maximum(all_voices["starts"], first)
        positions = places(all_voices, begins)
        silent = _is_faded_out(all_voices, first)
        silent |= (begins >= first + m) | (positions >= all_voices["end"])
        audible = np.flatnonzero(~silent)
        if not len(audible):
            return
        voices = all_voices if len(audible) == len(all_voices) else all_voices[audible]
        stereo = voices["channels"] == 2
        rows = _rows_of(stereo)
        block = self._scratch(len(rows.owners), m)
        sources = [table.sources[index] for index in audible.tolist()]
        cuts = self._fill(block, voices, sources, first, positions[audible], rows.begins.tolist())
        occluded = (voices["to_muffle"] != 0) | (first < voices["muffle_end"])
        occluded &= ~stereo
        if occluded.any():
            occluded_rows = rows.begins[occluded]
            muffled = block[occluded_rows]
            muffle(all_voices, audible[occluded], muffled, first)
            block[occluded_rows] = muffled
            _cut(block, cuts)  # the filter would still give output after the end of a voice
        samples = first + _COUNT[:m]
        _apply_fades(block, voices, rows, samples)
        _fade_in_jumps(block, voices, rows, samples)
        if table.head["continuing"][0]:
            _fade_out_streams(block, voices, rows, samples)
        self._sum_up(block, voices, rows, first, buffers)

    def _fill(
        self,
        block: Floats,
        voices: Any,
        sources: list[Any],
        first: int,
        positions: NDArray[np.int64],
        rows: list[int],
    ) -> list[tuple[int, int, int]]:
        """Write the samples of all voices to the rows of ``block``, before volumes and fades are
        applied.

        Also return the voices that start or end in this block. For each of these voices, return its
        row, and its first and last audible sample.
        """
        m = block.shape[1]
        glides = (first < voices["origin"] + voices["glide"]) | (voices["ahead"] != 0)
        glides |= voices["starts"] > first
        steps = voices["to_step"].tolist()
        ends = voices["end"].tolist()
        channels = voices["channels"].tolist()
        pitched: list[PitchedRow] = []
        cuts: list[tuple[int, int, int]] = []
        for number, (source, row, position, step, end, width, varies) in enumerate(
            zip(
                sources,
                rows,
                positions.tolist(),
                steps,
                ends,
                channels,
                glides.tolist(),
                strict=True,
            )
        ):
            mono = width == 1
            if varies:
                begin = max(0, int(voices["starts"][number]) - first)
                path = places(voices[number], np.maximum(first + _COUNT[:m], first + begin))
                last = int(np.searchsorted(path, end))
                pitched.append(PitchedRow(row, source, mono, position, step, path - position))
                if begin or last < m:
                    cuts += [(row + channel, begin, last) for channel in range(width)]
                continue
            if position + step * (m - 1) >= end:
                last = -((position - end) // step) if step else m
                cuts += [(row + channel, 0, last) for channel in range(width)]
            if step == _ONE and not position & (_ONE - 1):
                block[row : row + width] = source.window(position >> 16, m, mono)
            else:
                pitched.append(PitchedRow(row, source, mono, position, step, None))
        self._resampler.fill(block, pitched)
        _cut(block, cuts)
        return cuts

    def _sum_up(
        self,
        block: Floats,
        voices: Any,
        rows: _VoiceRows,
        first: int,
        buffers: list[Floats],
    ) -> None:
        """Multiply the rows of ``block`` by the volumes of the left and right channels, and add
        them to the sums of their groups.
        """
        m = block.shape[1]
        owners = rows.owners
        products = self._memory[1, : block.size].reshape(block.shape)
        groups = voices["group"]
        is_one = bool((groups == groups[0]).all())
        group_numbers = [int(groups[0])] if is_one else np.unique(groups).tolist()
        moving = np.flatnonzero(first < voices["ramp_end"]).tolist()
        samples = first + _COUNT[:m]
        shares: dict[tuple[int, int], tuple[Floats, int]] = {}
        if not moving and _are_equal_on_both_sides(voices, rows):
            gains = voices["to_left"][owners]
            np.multiply(block, gains[:, None], out=products)
            for group in group_numbers:
                chosen = products if is_one else products[groups[owners] == group]
                buffers[group] += _summed(chosen)
            return
        for side, (name, is_heard) in enumerate((("left", rows.left), ("right", rows.right))):
            gains = np.where(is_heard, voices[f"to_{name}"][owners], np.float32(0))
            np.multiply(block, gains[:, None], out=products)
            for number in moving:
                voice = voices[number]
                times = int(voice["ramp_begin"]), int(voice["ramp_end"])
                if times not in shares:
                    share = _share(*times, samples).astype(np.float32)
                    shares[times] = share, max(0, min(m, times[1] - first))
                share, until = shares[times]
                gain = voice[f"gain_{name}"] + (voice[f"to_{name}"] - voice[f"gain_{name}"]) * share
                gain[until:] = voice[f"to_{name}"]
                for row in np.flatnonzero((owners == number) & is_heard).tolist():
                    np.multiply(block[row], gain, out=products[row])
            for group in group_numbers:
                if is_one:
                    buffers[group][side] += _summed(products)
                else:
                    buffers[group][side] += _summed(products[groups[owners] == group])

    def _scratch(self, rows: int, m: int) -> Floats:
        """Return an array with ``rows`` rows and m columns. The array is not initialized. To save
        time, every call returns the same memory.
        """
        if self._memory.shape[1] < rows * m:
            self._memory = np.empty((2, rows * m), np.float32)
        return self._memory[0, : rows * m].reshape(rows, m)


class _VoiceRows(NamedTuple):
    """The rows of a block that contain the channels of its voices, in the order of the voices. A
    stereo voice has two rows, any other voice has one row.
    """

    begins: NDArray[np.intp]
    """The index of each voice's first row."""
    ends: NDArray[np.intp]
    """The index after each voice's last row."""
    owners: NDArray[np.intp]
    """The index of each row's voice."""
    left: NDArray[np.bool_]
    """Whether each row is heard in the left channel of the mix."""
    right: NDArray[np.bool_]


def _rows_of(stereo: NDArray[np.bool_]) -> _VoiceRows:
    """Return the rows of voices. ``stereo`` is True for each voice with two channels."""
    if not stereo.any():  # a shortcut with the same result
        owners = np.arange(len(stereo))
        both = np.ones(len(stereo), bool)
        return _VoiceRows(owners, owners + 1, owners, both, both)
    ends = np.cumsum(1 + stereo)
    owners = np.repeat(np.arange(len(stereo)), 1 + stereo)
    second = np.zeros(len(owners), bool)
    second[ends[stereo] - 1] = True
    both = ~stereo[owners]
    return _VoiceRows(ends - 1 - stereo, ends, owners, both | ~second, both | second)


def _are_equal_on_both_sides(voices: Any, rows: _VoiceRows) -> bool:
    """Return whether the left and the right channel of the mix get the same samples, because all
    voices have one channel and no pan.
    """
    all_mono = len(rows.owners) == len(voices)
    return all_mono and bool((voices["to_left"] == voices["to_right"]).all())


def _is_faded_out(voices: Any, first: int) -> NDArray[np.bool_]:
    """Return whether the volume of each voice is 0 from the sample ``first`` on."""
    has_faded = (first >= voices["fade_end"]) & (voices["fade_to"] == 0)
    has_faded &= voices["fade_end"] != NEVER
    is_silent = (first >= voices["ramp_end"]) & (voices["to_left"] == 0) & (voices["to_right"] == 0)
    return np.asarray(has_faded | is_silent)


def _apply_fades(block: Floats, voices: Any, rows: _VoiceRows, samples: NDArray[np.int64]) -> None:
    """Apply the fades that the game has set. ``samples`` contains the numbers of the samples in
    ``block``.
    """
    fading = voices["fade_end"] != NEVER
    for number in np.flatnonzero(fading).tolist():
        voice = voices[number]
        levels = fade_levels(
            int(voice["fade_begin"]),
            int(voice["fade_end"]),
            (float(voice["fade_from"]), float(voice["fade_to"])),
            bool(voice["even"]),
            samples,
        )
        block[rows.begins[number] : rows.ends[number]] *= levels.astype(np.float32)


def _fade_in_jumps(
    block: Floats, voices: Any, rows: _VoiceRows, samples: NDArray[np.int64]
) -> None:
    """Fade in voices that have jumped to another position."""
    for number in np.flatnonzero(samples[0] < voices["enters"] + _SOFT).tolist():
        passed = np.clip(samples - voices["enters"][number], 0, _SOFT)
        shares = passed.astype(np.float32) * np.float32(1 / _SOFT)
        block[rows.begins[number] : rows.ends[number]] *= shares


def _fade_out_streams(
    block: Floats, voices: Any, rows: _VoiceRows, samples: NDArray[np.int64]
) -> None:
    """Fade out streams before their last decoded sample. The device cannot decode more samples when
    it continues the mix by itself.
    """
    for number in np.flatnonzero(voices["mask"] != 0).tolist():
        voice = voices[number]
        if int(voice["valid"]) * _ONE >= int(voice["end"]):
            continue
        room = voice["valid"] - (places(voice, samples) >> 16) - 3
        soft = np.clip(room, 0, _SOFT).astype(np.float32) * np.float32(1 / _SOFT)
        soft[room >= _SOFT] = 1.0
        block[rows.begins[number] : rows.ends[number]] *= soft


def _apply_gain(group: Any, buffer: Floats, first: int) -> None:
    """Multiply the samples of a group by its volume, in place. ``first`` is the number of the first
    sample.
    """
    if first < group["ramp_end"]:
        samples = first + _COUNT[: buffer.shape[1]]
        share = _share(group["ramp_begin"], group["ramp_end"], samples).astype(np.float32)
        gains = group["gain"] + (group["to_gain"] - group["gain"]) * share
        gains[samples >= group["ramp_end"]] = group["to_gain"]
        buffer *= gains
    elif group["to_gain"] != 1.0:
        buffer *= group["to_gain"]


def _cut(block: Floats, cuts: list[tuple[int, int, int]]) -> None:
    for row, begin, last in cuts:
        block[row, :begin] = 0.0
        block[row, last:] = 0.0


def _summed(products: Floats) -> Floats:
    """Return the sum of all rows. The rows are added one by one, in order."""
    if products.shape[1] > 1:
        return np.asarray(np.add.reduce(products, axis=0))
    # For a single column, NumPy's own sum would add the numbers in a different order.
    return np.asarray(np.add.accumulate(products, axis=0)[-1])
