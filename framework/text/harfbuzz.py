"""Import uharfbuzz, which shapes scripts such as Arabic, and declare its types."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Protocol, cast


class GlyphInfo(Protocol):
    """A glyph (letter shape) of a text after shaping. Shaping converts characters to glyphs."""

    codepoint: int
    """The glyph number in the font."""


class GlyphPlacement(Protocol):
    """The advance and the offset of a glyph in a shaped text. The numbers are in HarfBuzz's own
    units, which depend on the scale of the font.
    """

    x_advance: int
    x_offset: int
    y_offset: int


class GlyphExtents(Protocol):
    """The rectangle that contains a glyph. The numbers are in HarfBuzz's own units, which depend on
    the scale of the font.

    ``height`` is negative, because HarfBuzz measures it downward from the top edge.
    """

    x_bearing: int
    y_bearing: int
    width: int
    height: int


class Blob(Protocol):
    """Bytes from HarfBuzz, for example the PNG image of a color glyph."""

    data: bytes


class HarfBuzzFace(Protocol):
    """A font file in memory, without a font size. See `SizedFont`."""

    glyph_count: int
    upem: int
    table_tags: Sequence[str]

    def get_glyph_color_layers(self, number: int, /) -> Sequence[object]: ...
    def glyph_has_color_paint(self, number: int, /) -> bool: ...


class SizedFont(Protocol):
    """A font at one font size. ``scale`` is the font size in units of HarfBuzz."""

    scale: tuple[int, int]

    def get_nominal_glyph(self, character: int, /) -> int | None: ...
    def get_glyph_extents(self, number: int, /) -> GlyphExtents | None: ...
    def get_glyph_color_png(self, number: int, /) -> Blob: ...


class TextBuffer(Protocol):
    """A buffer in which HarfBuzz shapes a text: it contains characters before shaping, and glyphs
    with positions afterwards.
    """

    language: str
    direction: str
    glyph_infos: Sequence[GlyphInfo] | None
    glyph_positions: Sequence[GlyphPlacement] | None

    def add_codepoints(self, characters: list[int], /) -> None: ...
    def guess_segment_properties(self) -> None: ...


class RasterImage(Protocol):
    """An image of a glyph that HarfBuzz has drawn."""

    buffer: bytes
    extents: tuple[int, int, int, int, int]
    """The left edge, bottom edge, width and height in pixels, and the number of bytes per row."""


class MaskRaster(Protocol):
    """Draws glyphs as masks. Each pixel says how much of it the glyph covers, from 0 to 255."""

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
    """The types of the functions in ``uharfbuzz``, which has no type annotations of its own."""

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

    The first call imports the module, which takes a few milliseconds. So call it only when a text
    must be measured.
    """
    return cast(HarfBuzz, importlib.import_module("uharfbuzz"))
