"""Kerning by HarfBuzz: the values of the font, also with broken tables."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PIL import ImageFont, features

from framework import resources
from framework.text.shaping import FontFile, font_file

FONT = resources.folder("fonts") / "DejaVuSans.ttf"
PAIRS = ["AV", "To", "P.", "LT", "11", "Té", "f)", "r.", "Y,", "AA", "ΔΥ", "Гл"]
UNITS = [-131, -348, -319, -282, 0]  # the first five pairs, in units of 1/2048 em


def units(file: FontFile) -> list[float]:
    return [file.kerning(*pair) * 2048 for pair in PAIRS[:5]]


def test_pairs_of_the_default_font_have_their_kerning() -> None:
    file = FontFile(str(FONT))
    assert units(file) == UNITS
    assert file.kerning("f", "i") == file.kerning("f", "l") == 0  # these are no ligatures here


@pytest.mark.skipif(not features.check_feature("raqm"), reason="this Pillow has no Raqm")
def test_kerning_agrees_with_raqm() -> None:
    file = FontFile(str(FONT))
    font = ImageFont.truetype(str(FONT), 1000, layout_engine=ImageFont.Layout.RAQM)
    for pair in PAIRS:
        whole, *each = (font.getlength(text, features=["-liga"]) for text in (pair, *pair))
        assert file.kerning(*pair) * 1000 == pytest.approx(whole - sum(each), abs=1.5), pair


def test_a_font_with_only_the_older_table_has_the_same_kerning(tmp_path: Path) -> None:
    data = FONT.read_bytes()
    path = tmp_path / "old.ttf"
    path.write_bytes(data.replace(b"GPOS", b"XPOS", 1))
    assert units(FontFile(str(path))) == UNITS


def test_a_broken_table_raises_no_error(tmp_path: Path) -> None:
    data = FONT.read_bytes()
    path = tmp_path / "broken.ttf"
    chance = random.Random(3)
    at = data.index(b"GPOS") + 8
    start, size = (int.from_bytes(data[index : index + 4]) for index in (at, at + 4))
    for _ in range(40):
        broken = bytearray(data)
        for _ in range(60):
            index = start + chance.randrange(min(size, 4000))
            broken[index] = chance.randrange(256)
        path.write_bytes(broken)
        file = FontFile(str(path))
        assert all(-40 < file.kerning(*pair) < 40 for pair in PAIRS)


def test_a_file_without_glyphs_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.ttf"
    for data in (b"", b"no font", FONT.read_bytes()[:600]):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="it has no glyphs"):
            FontFile(str(path))


def test_a_file_that_was_written_again_is_loaded_again(tmp_path: Path) -> None:
    path = tmp_path / "font.ttf"
    path.write_bytes(FONT.read_bytes())
    before = font_file(str(path), (1,))
    assert font_file(str(path), (1,)) is before
    path.write_bytes(FONT.read_bytes().replace(b"GPOS", b"XPOS", 1).replace(b"kern", b"kero"))
    assert units(before) == UNITS
    assert units(font_file(str(path), (2,))) == [0] * 5


def test_shapes_do_not_depend_on_the_language_of_the_system() -> None:
    """HarfBuzz would use the locale's language: Urdu and Serbian have special glyphs."""
    file = FontFile(str(FONT))
    assert file.shaped(file.hb.Font(file.face), "abc").language == "und"
