"""Store all images and letters of a `UI` in one texture."""

from __future__ import annotations

from collections.abc import Sequence, Set

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

WIDTH = 32
"""The number of floats in a row. A row consists of the box in the last tick, the box now, the fill
color, the edge color, the shape, the image, the border and the clip rectangle.
"""

_PLAIN = LayoutOptions(None, 0.0, 1.0, 0.0)
_MAX_LINES = 4096
_MAX_TINTS = 8  # maximum number of colors for which the rows of a line of text are cached
_FONT_HINT = "self.ui.theme = fw.Theme(font=['its file.ttf', 'another.ttf'])."


class Line:
    """The letters of a line of text, as the rows that a `Brush` paints."""

    not_state = True
    __slots__ = ("_colored", "_rows", "_tinted", "width")

    def __init__(self, rows: Floats, colored: Mask | None, width: float) -> None:
        self.width = width
        """The width of the line in units."""
        self._rows = rows
        """One row for each letter, without its color. The positions are in units from the bottom
        left corner of the line.
        """
        self._colored = colored
        """Whether each letter has its own colors, such as an emoji. None if no letter has any."""
        self._tinted: dict[tuple[float, ...], Floats] = {}
        """The painted rows, by the color of the text."""

    def __len__(self) -> int:
        """The number of letters that have an image."""
        return len(self._rows)

    def rows(self, color: Sequence[float]) -> Floats:
        """Return the rows of the line in one color. Letters with their own colors keep them."""
        key = tuple(color)
        rows = self._tinted.get(key)
        if rows is None:
            rows = self._rows.copy() if self._tinted else self._rows
            rows[:, 8:12] = key
            if self._colored is not None:
                rows[self._colored, 8:11] = 1.0
            if len(self._tinted) >= _MAX_TINTS:
                self._tinted.clear()
            self._tinted[key] = rows
        return rows


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
        self._letter_rows: Floats = np.zeros((0, WIDTH), np.float32)
        """A row for each image that was in the atlas when a new letter was last needed. See
        `_rows_of`.
        """
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
            line = self._lines[text, size] = (
                self._plain_line(face, text)
                if is_plain
                else self._line_of(face.lay_out(runs(text, False), _PLAIN, lambda: face))
            )
            if not self._warned and face.missing:
                self._warned = face.complain(f" in a widget's {shown(text)}", _FONT_HINT)
        return line

    def _plain_line(self, face: FontFace, text: str) -> Line:
        """Return the letters of a line of printable ASCII characters."""
        indices, pens, baseline, width = face.pens(text)
        rows = self._rows_of(indices)
        rows[:, 4] += np.array(pens, np.float32)
        rows[:, 5] += np.float32(baseline)
        return Line(rows, None, width)

    def _line_of(self, letters: Letters) -> Line:
        rows = self._rows_of(letters.images)
        rows[:, 4:6] += np.array(letters.positions, np.float32).reshape(-1, 2)
        colored = None
        if any(letters.colors):
            colored = np.array([color is not None for color in letters.colors])
        return Line(rows, colored, letters.size[0])

    def _rows_of(self, images: Sequence[int]) -> Floats:
        """Return a row for each image of a letter, at the position (0, 0) and without a color."""
        if max(images, default=-1) >= len(self._letter_rows):
            self._letter_rows = self._new_letter_rows()
        return self._letter_rows.take(images, axis=0) if images else self._letter_rows[:0]

    def _new_letter_rows(self) -> Floats:
        """Return a row for each image in the atlas, at the position (0, 0) and without a color."""
        atlas = self.atlas
        rows: Floats = np.zeros((len(atlas), WIDTH), np.float32)
        rows[:, 4:6] = -(atlas.anchors / self.ratio)
        rows[:, 6:8] = atlas.rectangles[:, 2:] / self.ratio
        rows[:, 18] = 1.0 / self.ratio
        rows[:, 19] = 1.0
        rows[:, 20:24] = atlas.rectangles
        return rows

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
