"""UI atlas: stores all images and letters of a `UI` in one texture."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Mask, Pixels
from ..assets import images
from ..assets.images import ImageSource
from ..checks import shown
from ..gpu.atlas import Atlas
from ..gpu.graphics import Graphics
from ..text.fonts import FontFace, FontStack, LayoutOptions, Letters, font_names
from ..text.markup import runs
from .theme import Font

Rect = tuple[float, float, float, float]

_PLAIN = LayoutOptions(None, 0.0, 1.0, 0.0)
_MAX_LINES = 4096
_FONT_HINT = "self.ui.theme = fw.Theme(font=['its file.ttf', 'another.ttf'])."


class Line(NamedTuple):
    """The letters of a line of text. Each array has one row per letter.

    ``boxes`` contains the left edge, bottom edge, width and height of each letter. The numbers are
    in units from the bottom left corner of the line. ``regions`` contains the x, y, width and
    height of each letter in the atlas, in texels. ``colored`` is True for each letter that has its
    own colors, such as an emoji. ``width`` is the width of the line in units. ``rows`` caches the
    rows that a `Brush` paints. The keys of ``rows`` are text colors.
    """

    boxes: Floats
    regions: Floats
    colored: Mask
    width: float
    rows: dict[tuple[float, ...], Floats]


class UIAtlas:
    """The texture with all images and letters of a `UI`. Each image or letter is added when a
    widget draws it for the first time.
    """

    not_state = True

    def __init__(self, graphics: Graphics, font: Font) -> None:
        self._graphics = graphics
        self._names = font_names(font)
        self.atlas = Atlas(graphics.ctx, filter="nearest" if graphics.pixel_art else "linear")
        self.ratio = graphics.pixel_ratio
        """The number of pixels per unit of the view."""
        self._regions: dict[str | int, tuple[ImageSource, Rect]] = {}
        self._faces: dict[tuple[float, bool], FontFace] = {}
        self._lines: dict[tuple[str, float], Line] = {}
        self._warned = False
        self.area = 0
        """The total number of pixels of all images and letters in the atlas."""

    def add_image(self, source: ImageSource) -> int:
        """Add an image to the atlas, and return its index."""
        anchor = source.anchor if isinstance(source, images.Region) else None
        pixels = images.premultiply(images.load(source, self._graphics.folders))
        self.area += pixels.shape[0] * pixels.shape[1]
        return self.atlas.add(pixels, anchor)

    def add_letter(self, pixels: Pixels, pen: tuple[float, float]) -> int:
        """Add the image of a letter, and return its index. See `GlyphImages.add_letter`."""
        self.area += pixels.shape[0] * pixels.shape[1]
        return self.atlas.add_letter(images.premultiplied_letter(pixels), pen)

    def region(self, image: ImageSource) -> Rect:
        """Return the rectangle of an image in the atlas: x, y, width and height in texels."""
        key = image if isinstance(image, str) else id(image)
        cached = self._regions.get(key)
        if cached is None:
            index = self.add_image(image)
            x, y, width, height = self.atlas.rectangles[index].tolist()
            cached = self._regions[key] = image, (x, y, width, height)
        return cached[1]

    def among(self, files: Set[str]) -> list[ImageSource]:
        """Return the images in the atlas that were loaded from ``files``. ``files`` contains paths
        without symbolic links.
        """
        folders = self._graphics.folders
        return [
            image for image, _ in self._regions.values() if images.is_among(image, files, folders)
        ]

    def line(self, text: str, size: float) -> Line:
        """Return the letters of a line of text. ``size`` is the font size in units.

        Results are cached for later calls with the same arguments.
        """
        line = self._lines.get((text, size))
        if line is None:
            if len(self._lines) >= _MAX_LINES:
                self._lines.clear()
            face = self._face(size)
            is_plain = self.ratio == 1 and text.isascii() and text.isprintable()
            line = self._lines[text, size] = self._drawn(
                face.line(text)
                if is_plain
                else face.lay_out(runs(text, False), _PLAIN, lambda: face)
            )
            if not self._warned and face.missing:
                self._warned = face.complain(f" in a widget's {shown(text)}", _FONT_HINT)
        return line

    def _drawn(self, letters: Letters) -> Line:
        indices = np.array(letters.images, np.intp)
        regions = self.atlas.rectangles[indices].reshape(-1, 4)
        positions = (
            np.array(letters.positions, np.float32).reshape(-1, 2)
            - self.atlas.anchors[indices] / self.ratio
        )
        colored = np.zeros(len(indices), bool)
        if letters.colors:
            colored[:] = [color is not None for color in letters.colors]
        boxes = np.hstack([positions, regions[:, 2:] / self.ratio])
        return Line(boxes, regions, colored, letters.size[0], {})

    def _face(self, size: float) -> FontFace:
        face = self._faces.get((size, False))
        if face is None:
            graphics = self._graphics
            measured = (
                None if self.ratio == 1 else FontStack(self._names, size, graphics.folders, False)
            )
            face = self._faces[size, False] = FontFace(
                self._names, size, graphics, self, 1.0, False, measured
            )
        return face

    def release(self) -> None:
        self.atlas.release()
