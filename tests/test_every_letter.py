"""Every character of Unicode can be drawn, measured, wrapped and typed."""

from __future__ import annotations

import os
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import Any

import pytest

import framework as fw
from framework.input import key
from framework.ui.basic_widgets import ruler_of
from framework.ui.interface import interface_of
from framework.ui.text_field import move_caret

Make = Callable[..., Any]

_ALL = bool(os.environ.get("NEW_EXAMPLES"))
_LONG_RUN = 16
_ENDS = 3
_STEP = 251
_AT_ONCE = 400


def drawing_kind(code: int) -> tuple[str, str, bool, str]:
    """Return the properties that neighbors with the same way of drawing have in common."""
    letter = chr(code)
    name = unicodedata.name(letter, "").split(" ")[0]
    kind = unicodedata.category(letter).replace("Lu", "Ll")
    return kind, unicodedata.bidirectional(letter), unicodedata.combining(letter) > 0, name


@cache
def characters() -> list[str]:
    """Return all code points, or by day only some of each long run of similar neighbors."""
    result: list[str] = []
    for _, group in groupby(range(0x110000), drawing_kind):
        run = list(map(chr, group))
        long = len(run) > _LONG_RUN and not _ALL
        result += [*run[:_ENDS], *run[_ENDS:-_ENDS:_STEP], *run[-_ENDS:]] if long else run
    return result


def portions() -> Iterator[str]:
    """Yield all characters in groups."""
    letters = characters()
    for start in range(0, len(letters), _AT_ONCE):
        yield "".join(letters[start : start + _AT_ONCE])


def lines_of(letters: str) -> str:
    """Return lines with each character first, after a letter and after a space."""
    return "\n".join(f"{letter}a{letter}b {letter}" for letter in letters)


@pytest.fixture
def game(make: Make) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # some characters are in no font
        yield make(fw.Game, size=(320, 200))


def test_the_characters_have_all_categories() -> None:
    letters = set(characters())
    assert {chr(0xD800), chr(0xDFFF)} <= letters  # lone surrogates
    assert {"\ufe0e", "\ufe0f", "\u202e", "\u2066", "\u200d", "\U000e0020", "\U000e0100"} <= letters
    assert {"\ue000", "\U0010ffff", "\uffff", "\x00", "\u0301", "\U0001f3fb", "\u0378"} <= letters
    kinds = {unicodedata.category(chr(code)) for code in range(0x110000)}
    assert {unicodedata.category(letter) for letter in letters} == kinds
    assert len(letters) > 10_000


def test_a_label_draws_every_character(game: Any) -> None:
    label = game.labels.add("", (5, 5))
    for letters in portions():
        label.text = lines_of(letters)
        game.advance(1 / 60)
    label.text = ""
    wrapped = game.labels.add("", (5, 5), width=60)
    for letters in portions():
        wrapped.text = letters
        game.advance(1 / 60)
        assert wrapped.size[0] == 60


def test_a_widget_draws_every_character(game: Any) -> None:
    label = game.ui.column(anchor="bottom left", width=60).label("", font_size=6)
    for letters in portions():
        label.text = lines_of(letters)
        game.advance(1 / 60)


def test_a_text_field_accepts_every_character_and_the_caret_passes_it(game: Any) -> None:
    column = game.ui.column()
    fields = [column.text_field("", limit=10_000, lines=lines, width=240) for lines in (1, 3)]
    for letters in portions():
        for field in fields:
            game.ui.set_focus(field)
            field.text = ""
            field.caret = 0
            field.mark = 0
            field.type(" ".join(letters))
            game.advance(1 / 60)
            for motion in (
                key.MOTION_BEGINNING_OF_LINE,
                key.MOTION_UP,
                key.MOTION_DOWN,
                key.MOTION_END_OF_FILE,
            ):
                move_caret(field, motion, False)
            for motion in (
                key.MOTION_LEFT,
                key.MOTION_LEFT,
                key.MOTION_RIGHT,
                key.MOTION_BACKSPACE,
            ):
                move_caret(field, motion, False)
            stops = ruler_of(field).stops(field.text, field.current_font_size)
            assert len(stops) == len(field.text) + 1
            assert len(ruler_of(field).carets(field.text, field.current_font_size)) == len(stops)


@pytest.mark.parametrize("letter", ["\u200c", "\u200d", "\ufe00", "\ufe0e", "\ufe0f", "\U000e0100"])
def test_the_caret_passes_invisible_characters_to_both_ends(game: Any, letter: str) -> None:
    field = game.ui.column().text_field("", width=240)
    for text in (letter, f"{letter}ab", f"a {letter}b", f"ab{letter}"):
        field.text = text
        field.caret = 0
        field.mark = 0
        for motion, end in ((key.MOTION_RIGHT, len(field.text)), (key.MOTION_LEFT, 0)):
            carets = [field.caret]
            while field.caret != end:
                move_caret(field, motion, False)
                assert field.caret not in carets
                carets.append(field.caret)


@pytest.mark.parametrize("letter", ["\ufe0e", "\ufe0f", "\ufe00", "\U000e0100"])
def test_a_variation_selector_has_no_glyph_and_no_width(game: Any, letter: str) -> None:
    plain = game.labels.measure("a b")
    for text in (f"{letter}a b", f"a{letter} b", f"a {letter}b", f"a b{letter}", f"a b\n{letter}"):
        size = game.labels.measure(text)
        assert size[0] == plain[0]
    ruler = interface_of(game.ui).ruler
    assert ruler.width(f"a {letter}b", 20) == ruler.width("a b", 20)
    game.labels.add(f"{letter} {letter}", (50, 50))
    game.advance(1 / 60)
    assert not game.pixels()[..., :3].any()
