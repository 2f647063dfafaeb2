"""Kerning is what fonts say, whoever shapes text on this machine; what is broken kerns nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PIL import ImageFont, features

from framework import resources
from framework.text.kerning import Kerning

FONT = resources.folder("fonts") / "DejaVuSans.ttf"
PAIRS = ["AV", "To", "P.", "LT", "11", "Té", "f)", "r.", "Y,", "AA", "ΔΥ", "Гл"]


def test_pairs_of_the_default_font_are_as_it_says() -> None:
    kerning = Kerning(str(FONT))
    ems = 2048
    assert [kerning.between(*pair) * ems for pair in PAIRS[:5]] == [-131, -348, -319, -282, 0]
    assert kerning.between("\U0010ffff", "V") == 0


@pytest.mark.skipif(not features.check_feature("raqm"), reason="this Pillow has no Raqm")
def test_it_is_what_harfbuzz_finds() -> None:
    kerning, font = (
        Kerning(str(FONT)),
        ImageFont.truetype(str(FONT), 1000, layout_engine=ImageFont.Layout.RAQM),
    )
    for pair in PAIRS:
        whole, *each = (font.getlength(text, features=["-liga"]) for text in (pair, *pair))
        assert kerning.between(*pair) * 1000 == pytest.approx(whole - sum(each), abs=1.5), pair


def test_without_the_newer_table_it_is_that_of_the_older_one(tmp_path: Path) -> None:
    data, path = FONT.read_bytes(), tmp_path / "old.ttf"
    path.write_bytes(data.replace(b"GPOS", b"XPOS", 1))
    assert [Kerning(str(path)).between(*pair) * 2048 for pair in PAIRS[:5]] == [
        -131,
        -348,
        -319,
        -282,
        0,
    ]


def test_a_broken_font_kerns_nothing_and_raises_nothing(tmp_path: Path) -> None:
    data, path, chance = FONT.read_bytes(), tmp_path / "broken.ttf", random.Random(3)
    at = data.index(b"GPOS") + 8
    start, size = (int.from_bytes(data[place : place + 4]) for place in (at, at + 4))
    for number in range(40):
        broken = bytearray(data[: chance.randrange(len(data))] if number % 4 == 0 else data)
        if number % 4:
            for _ in range(60):
                place = start + chance.randrange(min(size, 4000))
                if place < len(broken):
                    broken[place] = chance.randrange(256)
        path.write_bytes(broken)
        kerning = Kerning(str(path))
        assert all(-20 < kerning.between(*pair) < 20 for pair in PAIRS)
    assert Kerning(str(tmp_path / "none.ttf")).between("A", "V") == 0
