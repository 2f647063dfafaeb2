"""Text of widgets: the measured sizes are the drawn sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import ImageFont

import framework as fw
from framework.arrays import Floats
from framework.text import fonts
from framework.ui.text_ruler import Ruler
from framework.ui.ui_atlas import Line, UIAtlas

SYSTEM_FONTS = {
    "latin": ("AVATAR Tomatoes, P.T. Way", [None]),
    "arabic": (
        "مرحبا (بالعالم) 12",
        ["Noto Sans Arabic", "NotoNaskhArabic-Regular", "arial", "GeezaPro"],
    ),
    "hindi": (
        "क्षत्रिय नमस्ते दुनिया",
        ["Noto Sans Devanagari", "Mangal", "Nirmala", "Lohit-Devanagari"],
    ),
    "chinese": (
        "你好, 世界",
        ["wqy-zenhei", "NotoSansCJK-Regular", "NotoSansSC", "msyh", "PingFang"],
    ),
    "emoji": ("ab 🙂👍🏽", ["NotoColorEmoji", "Apple Color Emoji", "seguiemj"]),
}


@pytest.fixture(scope="module")
def surfaces() -> Iterator[dict[float, Any]]:
    """Games with several numbers of pixels per unit."""
    with (
        fw.Game(headless=True, size=(64, 36)) as plain,
        fw.Game(headless=True, size=(64, 36), pixel_ratio=1.5) as fine,
    ):
        yield {1.0: plain.picture.graphics, 1.5: fine.picture.graphics}


def _font(names: list[Any]) -> Any:
    for name in names:
        try:
            Ruler(name, 1.0, ())
        except fw.AssetError:
            continue
        return name
    return pytest.skip(f"this system has none of {', '.join(names)}")


def _boxes(line: Line) -> Floats:
    """Return the left edge, bottom edge, width and height of each letter in a line."""
    return line.rows((1.0, 1.0, 1.0, 1.0))[:, 4:8]


@pytest.mark.parametrize("script", SYSTEM_FONTS)
def test_a_line_has_its_measured_width_on_any_display(
    surfaces: dict[float, Any], script: str
) -> None:
    text, names = SYSTEM_FONTS[script]
    font = _font(names)
    ruler = Ruler(font, 1.0, ())
    for ratio, graphics in surfaces.items():
        pictures = UIAtlas(graphics, font)
        for size in (13.0, 31.5) if script == "latin" else (20.0,):
            line = pictures.line(text, size)
            assert ruler.width(text, size) == pytest.approx(line.width, abs=0.5), (ratio, size)
            boxes = _boxes(line)
            ends = boxes[:, 0] + boxes[:, 2]  # the ink, with an empty pixel at each side
            assert float(ends.max()) == pytest.approx(ruler.width(text, size), abs=0.2 * size)
        pictures.release()


def test_carets_are_between_the_drawn_letters(surfaces: dict[float, Any]) -> None:
    text = "HAVATlidHnH"
    ruler = Ruler(None, 1.0, ())
    for ratio, graphics in surfaces.items():
        pictures = UIAtlas(graphics, None)
        stops = np.array(ruler.stops(text, 24.0))
        boxes = _boxes(pictures.line(text, 24.0))
        edge = 1 / ratio  # an image of a letter has an empty margin
        lefts = boxes[:, 0] + edge
        rights = boxes[:, 0] + boxes[:, 2] - edge
        middles = (lefts + rights) / 2
        assert (stops[:-1] < middles).all()
        assert (stops[1:] > middles).all()
        # letters have whole pixels of width: on such displays the font is smaller
        slack = 1e-3 + (ratio != 1)
        straight = [at for at, letter in enumerate(text) if letter in "Hlidn"]
        for at in straight:
            assert stops[at] <= lefts[at] + slack
            assert stops[at + 1] >= rights[at] - slack
        pictures.release()


def test_kerned_letters_are_closer_with_and_without_raqm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "AVATAR Tomatoes fi P.T. Way x\u0302 e\u0301"
    sizes = (9.0, 20.0, 33.0)
    ruler = Ruler(None, 1.0, ())
    widths = [ruler.width(text, size) for size in sizes]
    assert ruler.width("AV", 33.0) < ruler.width("A", 33.0) + ruler.width("V", 33.0)
    assert ruler.width("e\u0301", 33.0) == ruler.width("e", 33.0)
    monkeypatch.setattr(ImageFont.core, "HAVE_RAQM", False)
    fonts._opened.cache_clear()
    bare = Ruler(None, 1.0, ())
    assert [bare.width(text, size) for size in sizes] == widths
    fonts._opened.cache_clear()


def test_carets_of_right_to_left_text_start_at_the_right() -> None:
    ruler = Ruler(None, 1.0, ())
    wide = ruler.width("אבגד", 20.0)
    assert ruler.carets("אבגד", 20.0) == pytest.approx([wide, wide * 3 / 4, wide / 2, wide / 4, 0])
    assert ruler.carets("abc", 20.0) == ruler.stops("abc", 20.0)
    mixed = ruler.carets("ab אב", 20.0)
    assert mixed[:4] == pytest.approx([*ruler.stops("ab ", 20.0)])
    assert mixed[4] > mixed[5] == pytest.approx(mixed[3])


def test_two_texts_are_compared_once_for_each_size(monkeypatch: pytest.MonkeyPatch) -> None:
    ruler = Ruler(None, 1.0, ())
    compared: list[tuple[str, str, float]] = []
    compare = ruler._compare

    def counted(text: str, other: str, size: float) -> bool:
        compared.append((text, other, size))
        return compare(text, other, size)

    monkeypatch.setattr(ruler, "_compare", counted)
    for _ in range(3):
        assert ruler.same_layout("100", "101", 20.0)
        assert ruler.same_layout("100", "101", 13.0)
        assert not ruler.same_layout("1 0", "101", 20.0)
        assert not ruler.same_layout("100", "1010", 20.0)
    assert compared == [("100", "101", 20.0), ("100", "101", 13.0), ("1 0", "101", 20.0)]
    monkeypatch.setattr("framework.ui.text_ruler._MAX_MEASURED", 2)
    assert ruler.same_layout("102", "101", 20.0)
    assert [*ruler._same] == [("102", "101", 20.0)]
