"""Color fonts: a sequence of characters is one glyph, with colored layers or an image."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import framework as fw
from framework.text.shaping import FontFile, Shaper

SEQUENCE = "\U0001f44d\U0001f3fd"  # a thumb with a skin tone
TICK = 1 / 60


@pytest.fixture(params=["layers", "png"])
def font(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a font in which the sequence is one glyph, red on the left and blue on the right."""
    pytest.importorskip("fontTools", reason="fontTools comes with matplotlib: extra 'plot'")
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen
    from fontTools.ttLib import newTable
    from fontTools.ttLib.tables.sbixGlyph import Glyph
    from fontTools.ttLib.tables.sbixStrike import Strike

    def box(left: int, right: int) -> Any:
        pen = TTGlyphPen(None)
        if right > left:
            pen.moveTo((left, 0))
            for point in ((left, 1000), (right, 1000), (right, 0)):
                pen.lineTo(point)
            pen.closePath()
        return pen.glyph()

    widths = {"thumb": 1000, "tone": 1000, "both": 1000, "left": 500, "right": 1000}
    names = [".notdef", *widths]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({0x1F44D: "thumb", 0x1F3FD: "tone"})
    glyphs = {name: box(0, width) for name, width in widths.items()}
    builder.setupGlyf({".notdef": box(0, 0), **glyphs, "right": box(500, 1000)})
    builder.setupHorizontalMetrics({name: (1000, 500 if name == "right" else 0) for name in names})
    builder.setupHorizontalHeader(ascent=1000, descent=-200)
    builder.setupNameTable({"familyName": "Thumbs", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    builder.addOpenTypeFeatures("feature ccmp { sub thumb tone by both; } ccmp;")
    if request.param == "layers":
        builder.setupCPAL([[(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]])
        builder.setupCOLR({"both": [("left", 0), ("right", 1)]})
    else:
        pixels = np.zeros((64, 64, 4), np.uint8)
        pixels[:, :32] = 255, 0, 0, 255
        pixels[:, 32:] = 0, 0, 255, 255
        data = io.BytesIO()
        Image.fromarray(pixels).save(data, "PNG")
        strike = Strike(ppem=64, resolution=72)
        for name in names:
            image_data = data.getvalue() if name == "both" else b""
            kind = "png " if image_data else None
            strike.glyphs[name] = Glyph(glyphName=name, graphicType=kind, imageData=image_data)
        table = builder.font["sbix"] = newTable("sbix")
        table.version = 1
        table.flags = 1
        table.strikes = {64: strike}
    path = tmp_path / "Thumbs.ttf"
    builder.save(path)
    return path


def test_the_glyph_of_a_sequence_has_its_colors(font: Path) -> None:
    file = FontFile(str(font))
    assert file.colored
    shaper = Shaper(file, 20)
    width, (glyph,) = shaper.shape(SEQUENCE)
    assert width == 20
    for density in (1, 4):
        drawn = shaper.colors(glyph.number, density)
        assert drawn is not None
        pixels, left, bottom = drawn
        assert pixels.shape == (20 * density, 20 * density, 4)
        assert (left, bottom) == (0, 0)
        assert pixels[10, 2].tolist() == [255, 0, 0, 255]
        assert pixels[10, -3].tolist() == [0, 0, 255, 255]
    assert shaper.colors(file.glyph_number("\U0001f44d"), 1) is None


def test_a_label_draws_a_sequence_in_the_colors_of_the_font(
    make: Callable[..., Any], font: Path
) -> None:
    game = make(size=(60, 40))
    batch = game.add(fw.TextBatch(font, 20))
    label = batch.add(SEQUENCE * 2, (10, 10), color="#0f0")
    game.advance(TICK)
    pixels = game.pixels()[..., :3]
    line = pixels[40 - 10 - 14]  # through the middle of the letters, above the descent of 4
    colors = [line[x].tolist() for x in (12, 27, 32, 47)]
    assert colors == [[255, 0, 0], [0, 0, 255], [255, 0, 0], [0, 0, 255]]
    assert label.character_count == 2
    assert label.size[0] == 40
    label.outline = "#fff"
    label.outline_width = 2
    game.advance(TICK)
    outlined = game.pixels()[..., :3]
    assert outlined[40 - 10 - 14, 8].min() > 200  # around the whole glyph
    assert outlined[40 - 10 - 14, 12].tolist() == [255, 0, 0]


@pytest.mark.parametrize(("right", "drawn"), [(1000, True), (15_000, True), (17_000, False)])
def test_a_glyph_of_more_than_16_times_the_font_size_is_not_drawn(
    tmp_path: Path, right: int, drawn: bool
) -> None:
    pytest.importorskip("fontTools", reason="fontTools comes with matplotlib: extra 'plot'")
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((0, 10), (right, 10), (right, 0)):
        pen.lineTo(point)
    pen.closePath()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "dash"])
    builder.setupCharacterMap({0x2014: "dash"})
    builder.setupGlyf({".notdef": TTGlyphPen(None).glyph(), "dash": pen.glyph()})
    builder.setupHorizontalMetrics({".notdef": (1000, 0), "dash": (1000, 0)})
    builder.setupHorizontalHeader(ascent=1000, descent=-200)
    builder.setupNameTable({"familyName": "Dashes", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    path = tmp_path / "Dashes.ttf"
    builder.save(path)
    file = FontFile(str(path))
    mask = Shaper(file, 20).mask(file.glyph_number("\u2014"), 1, 0.0)
    assert (mask is not None) == drawn
