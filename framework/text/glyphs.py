"""The pictures of a text batch's letters: what they take, when they are started over, and how fine
they are drawn.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..assets.images import Region
from ..plane.sprites import SpriteBatch

# Pixels of letters that may lie about unused: 16 MB. Beyond, and beyond so many times what is
# shown, all are let go.
_MOST_PIXELS = 4 << 20
_MOST_TIMES = 4

# Steps of two, in which letters are drawn finer for a camera that goes near: how many times finer
# at the most, how much too small they may be before the next step, and for how many ticks they must
# have been too fine for the one before.
_FINEST = 16
_LEEWAY = 1.1
_PATIENCE = 60


class Glyphs:
    """The pictures that the letters of a batch of sprites have.

    With each ``era`` their numbers are others: where that has changed, all letters are to be given
    their pictures anew.
    """

    not_state = True

    def __init__(self, batch: SpriteBatch, era: int = 0) -> None:
        self._batch = batch
        self.era = era
        self.density = 1
        """How many times finer than they are laid out letters are drawn."""
        self._areas: list[int] = []
        self._area, self._most = 0, _MOST_PIXELS
        self._asked = self._too_fine = 0

    def add_image(self, source: Region) -> int:
        """Put a letter's picture in; returns its number."""
        number = self._batch.add_image(source)
        pixels: Any = source.source
        self._areas.append(pixels.shape[0] * pixels.shape[1])
        self._area += self._areas[-1]
        return number

    @property
    def crowded(self) -> bool:
        """Whether there are so many that it is worth asking what is shown of them."""
        return self._area > self._most

    def make_room(self, shown: Any) -> None:
        """Let go of all, unless a fair part of them are ``shown``, an array of their numbers."""
        area = int(np.array(self._areas)[np.unique(shown)].sum())
        self._most = max(_MOST_PIXELS, _MOST_TIMES * area)
        if self.crowded:
            self.start_over()

    def start_over(self) -> None:
        """Let go of all."""
        self._batch.forget_images()
        self._areas, self._area, self._most = [], 0, _MOST_PIXELS
        self.begin()
        self.era += 1

    def begin(self) -> None:
        """Have one, number 0, for rows that show nothing."""
        if not self._areas:
            self.add_image(Region(np.zeros((1, 1, 4), np.uint8)))

    def look(self, magnified: float) -> None:
        """Letters are drawn so many times larger than they were laid out."""
        wanted = 1
        if magnified > _LEEWAY:
            wanted = min(_FINEST, 2 ** math.ceil(math.log2(magnified / _LEEWAY)))
        self._asked = max(self._asked, wanted)
        if wanted > self.density:
            self._draw_in(wanted)

    def end_tick(self) -> None:
        """A tick is over: letters that nobody has seen as large for a while are drawn smaller."""
        if self.density == 1 or not self._asked:
            return
        self._too_fine = self._too_fine + 1 if self._asked < self.density else 0
        if self._too_fine >= _PATIENCE:
            self._draw_in(self._asked)
        self._asked = 0

    def _draw_in(self, density: int) -> None:
        self.density, self._too_fine = density, 0
        self.era += 1
