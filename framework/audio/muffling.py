"""A low-pass filter that makes sounds behind walls dull.

All voices use the same filter. A part of each sound passes through the filter, and the rest does
not. When a wall moves, only the size of the filtered part changes, so there is never a click. The
state of the filter is stored in the voice's row of the mix table. ``native/src/kernel.c`` contains
the same filter in C, whose results may differ by 1 / 32,768.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Doubles, Floats
from .effects import FilterInput, filter_blocks, filter_response
from .mix_table import Record

CUTOFF = 600.0
"""The cutoff frequency in hertz. Above this frequency, the volume falls by 12 decibels per
octave.
"""

RESONANCE = 0.5
"""The volume at the cutoff frequency. With 0.5, the filter does not amplify tones at this
frequency.
"""


def muffle(rows: Record, indices: NDArray[np.intp], block: Floats, first: int) -> None:
    """Muffle the voices in the rows ``indices``. The function changes the samples in ``block`` in
    place.

    ``rows`` are the voices' rows of a mix table. ``block`` has one row of samples for each voice.
    The array ``block`` is float32 and has the shape (v, n). ``first`` is the number of the first
    sample in ``block``, counted from the start of the mix.
    """
    memory: Floats = rows["filter_inputs"][indices]
    state: Doubles = rows["filter_state"][indices]
    inputs = FilterInput(memory, block, first)
    result = np.empty_like(inputs.blocks)
    response = filter_response(CUTOFF, RESONANCE)
    filter_blocks(response, state, inputs.blocks, result, inputs.complete)
    filtered = inputs.samples_in(result)
    inputs.keep_incomplete()
    rows["filter_inputs"][indices] = memory
    rows["filter_state"][indices] = state
    shares = _shares(rows[indices], first + np.arange(block.shape[1]))
    block += (filtered.astype(np.float32) - block) * shares


def _shares(voices: Record, samples: NDArray[np.int64]) -> Floats:
    """Return how much of each voice passes through the filter, for each sample. The array is
    float32 and has the shape (v, n).
    """
    begins = voices["muffle_begin"][:, None]
    ends = voices["muffle_end"][:, None]
    passed = np.clip((samples - begins) / np.maximum(1, ends - begins), 0.0, 1.0)
    old = voices["muffle"][:, None]
    new = voices["to_muffle"][:, None]
    return np.where(samples >= ends, new, old + (new - old) * passed.astype(np.float32))
