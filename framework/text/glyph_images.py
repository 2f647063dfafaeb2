"""Store the images of a text batch's letters in an atlas, with limited memory and resolution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Pixels
from ..assets.images import Region
from ..plane.sprites import SpriteBatch, images_of

# All images are released if they have more than this number of pixels (16 MB of memory), and more
# than _MAX_GROWTH times the pixels of the visible letters.
_MAX_PIXELS = 4 << 20
_MAX_GROWTH = 4

# If a near camera magnifies letters more than _LEEWAY times, they are drawn again with 2, 4, …
# _FINEST times the resolution. After the images have been too fine for _PATIENCE ticks, coarser
# images are drawn again.
_FINEST = 16
_LEEWAY = 1.1
_PATIENCE = 60


class GlyphImages:
    """The glyph images of a text batch.

    The index of an image is valid until ``era`` increases, which happens when the atlas is emptied.
    After that, add all letters again.
    """

    not_state = True

    def __init__(self, batch: SpriteBatch, era: int = 0) -> None:
        self._batch = batch
        self.era = era
        self.density = 1
        """The resolution of glyph images: 1, 2, 4, 8 or 16. At 2, a glyph image has twice as many
        pixels along each side as the letter in the layout.
        """
        self._areas: list[int] = []
        self._area = 0
        self._most = _MAX_PIXELS
        self._asked = self._too_fine = 0

    def add_image(self, source: Region) -> int:
        """Add an image. Return the index of the image in the batch."""
        number = self._batch.images.add(source)
        pixels: Any = source.source
        self._count(pixels)
        return number

    def add_letter(self, pixels: Pixels, pen: tuple[float, float]) -> int:
        """Add the image of a letter. Return the index of the image in the batch.

        ``pixels`` is a uint8 array with the coverage (opacity) of the letter. For most letters, the
        array has the shape (height, width). For a letter with its own colors, the array has the
        shape (height, width, 4). Such colors are not premultiplied by alpha. ``pen`` is the
        position of the letter's origin in pixels from the bottom left corner of the image.
        """
        number = images_of(self._batch).add_letter(pixels, pen)
        self._count(pixels)
        return number

    def _count(self, pixels: Pixels) -> None:
        self._areas.append(pixels.shape[0] * pixels.shape[1])
        self._area += self._areas[-1]

    @property
    def crowded(self) -> bool:
        """Whether the images use so much memory that `make_room` should be called."""
        return self._area > self._most

    def make_room(self, shown: NDArray[np.int32]) -> None:
        """If most of the memory belongs to images that are no longer visible, release all images.

        ``shown`` contains the indices of all visible images.
        """
        area = int(np.array(self._areas)[np.unique(shown)].sum())
        self._most = max(_MAX_PIXELS, _MAX_GROWTH * area)
        if self.crowded:
            self.start_over()

    def start_over(self) -> None:
        """Release all glyph images, start with an empty atlas, and increase ``era``."""
        self.clear_images()
        self._areas = []
        self._area = 0
        self._most = _MAX_PIXELS
        self.begin()
        self.era += 1

    def clear_images(self) -> None:
        """Remove all images of the batch from the atlas."""
        images_of(self._batch).clear()

    def begin(self) -> None:
        """Add an empty image, which unused rows of the batch show. Its index is 0."""
        if not self._areas:
            self.add_image(Region(np.zeros((1, 1, 4), np.uint8)))

    def look(self, magnified: float) -> None:
        """Called in each frame of the game. ``magnified`` is the factor by which the camera
        enlarges the letters.

        If the camera enlarges the letters, they are drawn again with more pixels.
        """
        density = 1
        if magnified > _LEEWAY:
            density = min(_FINEST, 2 ** math.ceil(math.log2(magnified / _LEEWAY)))
        self._asked = max(self._asked, density)
        if density > self.density:
            self._draw_in(density)

    def end_tick(self) -> None:
        """If no camera has enlarged the text for 60 ticks, draw the letters again with fewer
        pixels.
        """
        if self.density == 1 or not self._asked:
            return
        self._too_fine = self._too_fine + 1 if self._asked < self.density else 0
        if self._too_fine >= _PATIENCE:
            self._draw_in(self._asked)
        self._asked = 0

    def _draw_in(self, density: int) -> None:
        self.density = density
        self._too_fine = 0
        self.era += 1
