"""Pictures and letters of an interface, all in one atlas, so that all of it is one draw call."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Mask
from ..assets import images
from ..assets.images import ImageSource
from ..checks import shown
from ..gpu.atlas import Atlas
from ..gpu.graphics import Graphics
from ..text.faces import FontFace, FontStack, Letters, Shape, font_names
from ..text.markup import runs
from .theme import Font

Rect = tuple[float, float, float, float]

_PLAIN = Shape(None, 0.0, 1.0, 0.0)
_MOST_LINES = 4096
_ANOTHER_FONT = "self.ui.theme = fw.Theme(font=['its file.ttf', 'another.ttf'])."


class Line(NamedTuple):
    """Letters of a line, from its bottom left corner: units of the picture, and texels of the
    atlas.
    """

    boxes: Floats
    regions: Floats
    colored: Mask
    width: float


class Pictures:
    """What is in the atlas of an interface."""

    not_state = True

    def __init__(self, graphics: Graphics, font: Font) -> None:
        self._graphics, self._names = graphics, font_names(font)
        self.atlas = Atlas(graphics.ctx, filter="nearest" if graphics.pixel_art else "linear")
        self.ratio = graphics.pixel_ratio
        """Pixels in a unit of the picture."""
        self._regions: dict[str | int, tuple[ImageSource, Rect]] = {}
        self._faces: dict[tuple[float, bool], FontFace] = {}
        self._lines: dict[tuple[str, float], Line] = {}
        self._said = False
        self.area = 0
        """Pixels of all that is in the atlas."""

    def add_image(self, source: ImageSource) -> int:
        """Put an image into the atlas; returns its number."""
        anchor = source.anchor if isinstance(source, images.Region) else None
        pixels = images.premultiply(images.load(source, self._graphics.folders))
        self.area += pixels.shape[0] * pixels.shape[1]
        return self.atlas.add(pixels, anchor)

    def region(self, image: ImageSource) -> Rect:
        """Where a picture is in the atlas: x, y, width, height in texels."""
        key = image if isinstance(image, str) else id(image)
        found = self._regions.get(key)
        if found is None:
            number = self.add_image(image)
            x, y, width, height = self.atlas.rectangles[number].tolist()
            found = self._regions[key] = image, (x, y, width, height)
        return found[1]

    def among(self, files: Set[str]) -> list[ImageSource]:
        """The pictures that come from these files (real paths)."""
        folders = self._graphics.folders
        return [
            image for image, _ in self._regions.values() if images.is_among(image, files, folders)
        ]

    def line(self, text: str, size: float) -> Line:
        """The letters of a line, ``size`` units of the picture high."""
        found = self._lines.get((text, size))
        if found is None:
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            face = self._face(size)
            found = self._lines[text, size] = self._drawn(
                face.lay_out(runs(text, False), _PLAIN, lambda: face)
            )
            if not self._said and face.missing:
                self._said = face.complain(f" in a widget's {shown(text)}", _ANOTHER_FONT)
        return found

    def _drawn(self, letters: Letters) -> Line:
        numbers = np.array(letters.images, np.intp)
        regions = self.atlas.rectangles[numbers].reshape(-1, 4)
        positions = (
            np.array(letters.positions, np.float32).reshape(-1, 2)
            - self.atlas.anchors[numbers] / self.ratio
        )
        colored = np.array([color is not None for color in letters.colors], bool)
        return Line(
            np.hstack([positions, regions[:, 2:] / self.ratio]), regions, colored, letters.size[0]
        )

    def _face(self, size: float) -> FontFace:
        face = self._faces.get((size, False))
        if face is None:
            graphics = self._graphics
            like = (
                None if self.ratio == 1 else FontStack(self._names, size, graphics.folders, False)
            )
            face = self._faces[size, False] = FontFace(
                self._names, size, graphics, self, 1.0, False, like
            )
        return face

    def release(self) -> None:
        """Free the atlas."""
        self.atlas.release()
