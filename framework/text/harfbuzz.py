"""HarfBuzz: imports the library uharfbuzz, and declares types for its functions."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Protocol, cast


class GlyphInfo(Protocol):
    """A glyph of a shaped text, with the index of its first character in the text."""

    codepoint: int
    """The number of the glyph in the font."""


class GlyphPlacement(Protocol):
    """The advance and the offset of a glyph in a shaped text, in units of the font's scale."""

    x_advance: int
    x_offset: int
    y_offset: int


class GlyphExtents(Protocol):
    """The box of a glyph, in units of the font's scale.

    ``height`` is negative: it is measured down from the top edge.
    """

    x_bearing: int
    y_bearing: int
    width: int
    height: int


class Blob(Protocol):
    """Bytes from HarfBuzz, for example the PNG image of a color glyph."""

    data: bytes


class HarfBuzzFace(Protocol):
    """A font file in memory. A `HarfBuzzFace` has no size yet."""

    glyph_count: int
    upem: int
    table_tags: Sequence[str]

    def get_glyph_color_layers(self, number: int, /) -> Sequence[object]: ...
    def glyph_has_color_paint(self, number: int, /) -> bool: ...


class SizedFont(Protocol):
    """A font with a scale. ``scale`` is the number of HarfBuzz's units per em (the font size)."""

    scale: tuple[int, int]

    def get_nominal_glyph(self, character: int, /) -> int | None: ...
    def get_glyph_extents(self, number: int, /) -> GlyphExtents | None: ...
    def get_glyph_color_png(self, number: int, /) -> Blob: ...


class TextBuffer(Protocol):
    """A buffer for one text. HarfBuzz shapes the text: it converts the characters to glyphs with
    positions.

    Before the text is shaped, the buffer contains characters. After the text is shaped, the buffer
    contains glyphs.
    """

    language: str
    direction: str
    glyph_infos: Sequence[GlyphInfo] | None
    glyph_positions: Sequence[GlyphPlacement] | None

    def add_codepoints(self, characters: list[int], /) -> None: ...
    def guess_segment_properties(self) -> None: ...


class RasterImage(Protocol):
    """The image of a glyph, which HarfBuzz has drawn."""

    buffer: bytes
    extents: tuple[int, int, int, int, int]
    """Left, bottom, width, height, and the number of bytes per row."""


class MaskRaster(Protocol):
    """Draws glyphs as masks. A mask says how much of each pixel the glyph covers."""

    scale_factor: tuple[float, float]
    transform: tuple[float, ...]

    def draw_glyph(self, font: SizedFont, number: int, /) -> None: ...
    def render(self) -> RasterImage: ...


class ColorRaster(Protocol):
    """Draws glyphs that consist of colored layers, such as emoji."""

    scale_factor: tuple[float, float]
    transform: tuple[float, ...]
    foreground: object

    def set_glyph_extents(self, extents: GlyphExtents, /) -> None: ...
    def paint_glyph(self, font: SizedFont, number: int, /) -> None: ...
    def render(self) -> RasterImage: ...


class HarfBuzz(Protocol):
    """The types of the functions of ``uharfbuzz``, which has no type annotations."""

    Blob: Callable[[bytes], object]
    Buffer: Callable[[], TextBuffer]
    Color: Callable[[int, int, int, int], object]
    Face: Callable[[object], HarfBuzzFace]
    Font: Callable[[HarfBuzzFace], SizedFont]
    RasterDraw: Callable[[], MaskRaster]
    RasterPaint: Callable[[], ColorRaster]

    def shape(
        self, font: SizedFont, buffer: TextBuffer, features: dict[str, bool] | None, /
    ) -> None: ...
    def version_string(self) -> str: ...


def harfbuzz() -> HarfBuzz:
    """Return the module uharfbuzz.

    The first call imports it, which takes some milliseconds. So call this function only to measure
    a text.
    """
    return cast(HarfBuzz, importlib.import_module("uharfbuzz"))
