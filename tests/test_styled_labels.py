"""Styled labels: labels that change in the same tick are laid out together."""

from __future__ import annotations

import random

import numpy as np
import pytest

import framework as fw
from framework.text import text as text_module
from framework.text.typesetting import Typesetter

TICK = 1 / 60
WORDS = (
    *("gold", "hero", "a", "well-known", "(1)", "-", "--", "   ", "Wave", "AVAT", "Tr", "12"),
    *("[b]bold", "[/]", "[/]", "[#f80]", "[#1234]", "[[b]", "[x]", "]", "["),
)
STYLES = {
    "outline": (None, "#000", (1, 0, 0, 0.5)),
    "outline_width": (2, 1.3, 0),
    "width": (None, 7, 30, 60.5, 120),
    "shadow": (None, "#444"),
    "shadow_offset": ((2, -2), (1.5, 0.25)),
    "anchor": (("left", "bottom"), ("center", "top"), ("right", "baseline"), "center"),
    "align": ("left", "center", "right"),
    "line_spacing": (1, 1.3, 0.5),
    "font_size": (20, 20, 13.7),
    "color": ("#fff", (1, 1, 0, 0.25)),
    "markup": (True, True, False),
    "visible_characters": (None, None, 5),
    "angle": (0, 0, 0.3),
    "scale": (1, 1, 2),
}
COLUMNS = ("offset", "rank", "image", "visible", "position", "color", "scale", "angle")
LABELS = 14


def _sentence(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(0, 14)))


class _Labelled(fw.Game):
    """A game in which several styled labels change their text in each tick."""

    seed = 0

    def setup(self):
        rng = random.Random(self.seed)
        self.all_labels = []
        for _ in range(LABELS):
            options = {name: rng.choice(values) for name, values in STYLES.items()}
            position = rng.uniform(0, 300), rng.uniform(0, 200)
            self.all_labels.append(self.labels.add(_sentence(rng), position, **options))
        self.changes = [
            [
                (number, _sentence(rng), rng.random() < 0.3)
                for number in rng.sample(range(LABELS), 9)
            ]
            for _ in range(8)
        ]

    def update(self, dt):
        for number, text, moves in self.changes[self.tick % len(self.changes)]:
            self.all_labels[number].text = text
            if moves:
                self.all_labels[number].x += 3


def _letters(game):
    """Return the letters of all labels as bytes: current and previous values."""
    table = game.labels._writer.table
    result = []
    for label in game.all_labels:
        rows = slice(label._rows.start, label._rows.start + label._count)
        values = [table.column(name).current(table.count)[rows].tobytes() for name in COLUMNS]
        values += [
            table.column(name).previous(table.count)[rows].tobytes()
            for name in ("position", "color")
        ]
        result.append((label.text, label.size, label.character_count, label._origin, values))
    return result


def _played(seed, monkeypatch, least_letters):
    monkeypatch.setattr(text_module, "_MIN_TOGETHER", least_letters)
    game_class = type("Labelled", (_Labelled,), {"seed": seed})
    game = game_class(headless=True, size=(320, 200))
    states = []
    for _ in range(12):
        game.advance(TICK)
        states.append(_letters(game))
    states.append(game.pixels().tobytes())
    game.close()
    return states


@pytest.mark.parametrize("seed", [1, 2])
def test_labels_that_change_together_have_the_letters_of_labels_that_change_alone(
    seed, monkeypatch
):
    together = _played(seed, monkeypatch, 1)
    assert together == _played(seed, monkeypatch, 10**9)


def _wrapped_labels(count):
    """Return a game with `count` labels that are wrapped, outlined and have tags."""

    class Scores(fw.Game):
        def setup(self):
            self.all_labels = [self.labels.add("", outline="#000", width=70) for _ in range(count)]

        def update(self, dt):
            for number, label in enumerate(self.all_labels):
                label.text = f"[b]hero {number}[/] has [#f80]{self.tick % 10} gold[/]"

    game = Scores(headless=True, size=(320, 200))
    game.run_ticks(12)  # every digit was drawn once
    return game


@pytest.fixture
def scores():
    game = _wrapped_labels(20)
    yield game
    game.close()


def test_many_changed_styled_labels_are_laid_out_in_one_call(scores, monkeypatch):
    calls = []
    alone = []
    set_styled = Typesetter.set_styled

    def counted(self, labels, *arguments):
        calls.append(len(labels))
        return set_styled(self, labels, *arguments)

    monkeypatch.setattr(Typesetter, "set_styled", counted)
    monkeypatch.setattr(text_module.FontFace, "lay_out", lambda *arguments: alone.append(arguments))
    scores.advance(TICK)
    assert calls == [20]
    assert not alone


def test_a_waiting_label_can_be_measured_changed_and_removed(scores):
    first, second, third, fourth = scores.all_labels[:4]
    expected = scores.labels.measure("[b]hero[/] 1 has 2 gold", outline="#000", width=70)
    for label in (first, second, third, fourth):
        label.text = "[b]hero[/] 1 has 2 gold"
    assert first.size == expected
    assert second.character_count == len("hero 1 has 2 gold")
    second.width = None
    third.remove()
    fourth.color = "#f00"
    scores.labels._writer.flush()
    assert second.size[1] == first.line_height
    colors = _color_rows(scores, fourth)
    assert (colors == (1, 0, 0, 1)).all(axis=1).any()
    assert third.removed


def _color_rows(game, label):
    table = game.labels._writer.table
    return table.column("color").current(table.count)[label._rows]


def test_a_new_color_of_a_wrapped_label_also_colors_its_later_texts():
    class Wrapped(fw.Game):
        def setup(self):
            self.all_labels = [self.labels.add("123 456 " * 3, width=70) for _ in range(20)]

        def update(self, dt):
            for label in self.all_labels:
                label.text = f"{self.tick % 10 + 100} " * 5

    game = Wrapped(headless=True, size=(320, 200))
    game.run_ticks(12)
    first = game.all_labels[0]
    first.color = "#f00"
    game.run_ticks(2)
    assert (_color_rows(game, first) == (1, 0, 0, 1)).all()
    assert (_color_rows(game, game.all_labels[1]) == (1, 1, 1, 1)).all()
    game.close()


def test_waiting_styled_labels_survive_a_snapshot(scores):
    for label in scores.all_labels:
        label.text = "[b]now[/] [#0f0]9[/]"
    saved = scores.snapshot()
    scores.run_ticks(5)
    later = _letters(scores)
    scores.restore(saved)
    assert [label.text for label in scores.all_labels] == ["[b]now[/] [#0f0]9[/]"] * 20
    scores.run_ticks(5)
    assert _letters(scores) == later


def test_a_text_without_color_tags_loses_the_colors_of_the_last_text():
    class Plain(fw.Game):
        def setup(self):
            self.all_labels = [self.labels.add("[#f80]gold[/] hero", width=400) for _ in range(12)]

    game = Plain(headless=True, size=(320, 200))
    game.advance(TICK)
    for label in game.all_labels:
        label.text = "gold hero"
    game.advance(TICK)
    label = game.all_labels[0]
    assert label._letters is None
    np.testing.assert_array_equal(_color_rows(game, label), 1)
    game.close()
