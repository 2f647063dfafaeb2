"""A few changed widgets: the layout and the rows are those of a whole layout and a whole paint."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.ui.basic_widgets import TextLabel
from framework.ui.canvas import Canvas
from framework.ui.containers import Group
from framework.ui.flex import LayoutBox
from framework.ui.interface import interface_of
from framework.ui.widget import node_of

Make = Callable[..., Any]


def all_widgets(game: Any) -> list[Any]:
    return [widget for root in game.ui.roots for widget in node_of(root).walk()]


def words(chance: random.Random) -> str:
    return " ".join("ab" * chance.randint(1, 4) for _ in range(chance.randint(0, 5)))


def new_widget(chance: random.Random, group: Any) -> Any:
    kind = chance.choice(["label", "button", "toggle", "progress_bar", "row", "column", "scroll"])
    if kind in ("row", "column", "scroll"):
        group = getattr(group, kind)(gap=chance.choice([0, 4]), padding=chance.choice([0, 3]))
        if kind == "scroll":
            group.style(max_height=60)
        for _ in range(chance.randint(0, 4)):
            group.label(words(chance))
        return group
    if kind == "progress_bar":
        return group.progress_bar(value=chance.random())
    return getattr(group, kind)(words(chance))


def change(chance: random.Random, game: Any) -> None:
    """Make one random change of a widget."""
    everything = all_widgets(game)
    widget = chance.choice(everything)
    texts = [first for first in everything if hasattr(first, "text")]
    kind = chance.randrange(14)
    if kind < 5 and texts:
        chance.choice(texts).text = words(chance)
    elif kind == 5:
        widget.style(
            grow=chance.choice([0, 1]), align=chance.choice(["start", "center", "stretch"])
        )
    elif kind == 6:
        widget.style(width=chance.choice([None, 40, "50%"]), max_height=chance.choice([None, 30]))
    elif kind == 7:
        widget.visible = not widget.visible
    elif kind == 8:
        widget.enabled = not widget.enabled
    elif kind == 9:
        widget.theme = chance.choice([None, "light"])
    elif kind == 10 and widget.parent is not None:
        widget.remove()
    elif kind == 11:
        groups = [first for first in everything if isinstance(first, Group)]
        new_widget(chance, chance.choice(groups))
    elif kind == 12:
        focusable = [
            first for first in everything if first.focusable and node_of(first).interactive
        ]
        game.ui.set_focus(chance.choice([None, *focusable]))
    else:
        for first in everything:
            if hasattr(first, "offset"):
                first.offset = chance.uniform(0, 50)
    game.mouse.move(chance.randrange(320), chance.randrange(240))


def played(make: Make, seed: int) -> list[Any]:
    """Play random changes, and return all rectangles and rows after each tick."""
    chance = random.Random(seed)
    game = make(fw.Game, size=(320, 240))
    game.ui.column(anchor="top left", width=chance.choice([None, 150]), max_height=200)
    game.ui.grid(3, anchor="bottom right", max_width=200)
    for root in game.ui.roots:
        for _ in range(8):
            new_widget(chance, root)
    canvas = interface_of(game.ui).canvas
    states = []
    for tick in range(45):
        for _ in range(chance.choice([0, 1, 1, 2])):
            change(chance, game)
        if tick == 20:
            saved = game.snapshot()
        if tick == 32:
            game.restore(saved)
        game.run(1)
        rectangles = [
            (box.x, box.y, box.w, box.h, box.offset, box.extent)
            for box in (widget.box for widget in all_widgets(game))
        ]
        states.append((rectangles, canvas._data.tobytes(), canvas._moving))
    game.close()
    return states


@pytest.mark.parametrize("seed", range(4))
def test_changes_have_the_layout_and_the_rows_of_a_whole_paint(
    make: Make, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    changes = played(make, seed)

    def mark_all(box: LayoutBox) -> None:
        ancestor: LayoutBox | None = box
        while ancestor is not None:
            ancestor.forget()
            ancestor = ancestor.parent

    monkeypatch.setattr(LayoutBox, "mark_changed", mark_all)
    monkeypatch.setattr(Canvas, "_paint_changes", lambda *_: False)
    for tick, (widget, second) in enumerate(zip(changes, played(make, seed), strict=True)):
        assert widget[0] == second[0], f"the layout of tick {tick}"
        rows, other_rows = (
            np.frombuffer(state[1], "f4").reshape(-1, 32) for state in (widget, second)
        )
        assert rows.shape == other_rows.shape, f"the rows of tick {tick}"
        assert np.array_equal(rows, other_rows), f"the rows of tick {tick}"
        assert widget[2] == second[2]


def test_a_change_in_a_scrolled_group_cuts_no_other_widget(make: Any) -> None:
    """The second change is in a modal window, which repaints the whole interface."""
    game = make(size=(400, 300))
    game.ui.column(anchor="top right", hud=True).label("HUD 100")
    log = game.ui.column(anchor="bottom left", width=200, height=80)
    lines = [log.label(f"line {number}") for number in range(12)]
    price = game.ui.window("Shop", anchor="center", modal=True).label("5 gold")
    game.run(3)
    hud = game.pixels()[:60, 300:]
    assert len(np.unique(hud.reshape(-1, 4), axis=0)) > 10
    lines[0].text = "new"
    price.text = "a much longer price label"
    game.run(2)
    np.testing.assert_array_equal(game.pixels()[:60, 300:], hud)


TEXTS = (
    "",
    "10",
    "99",
    "1-9",
    "A b",
    "b A",
    "AV",
    "VA",
    "9 9",
    "  ",
    "a-b",
    "ab-",
    "é",
    "long word",
)


def measures(ruler: Any, text: str, size: float) -> list[Any]:
    """Return every value that a layout reads of a text."""
    widths = [0.0, 5.0, 11.0, 17.5, 30.0, 1000.0]
    lines = [ruler.lines(text, size, width) for width in widths]
    return [
        ruler.min_width(text, size),
        [[ruler.width(line, size) for line in of_one] for of_one in lines],
    ]


def test_texts_with_the_same_layout_have_equal_sizes(make: Make) -> None:
    ruler = interface_of(make(fw.Game).ui).ruler
    same = []
    for size in (20.0, 13.0):
        for text in TEXTS:
            for second in TEXTS:
                if ruler.same_layout(text, second, size):
                    assert measures(ruler, text, size) == measures(ruler, second, size)
                    same.append((text, second))
    assert ("10", "99") in same
    assert ("1-9", "9 9") not in same
    assert ("é", "é") not in same  # measured in full


def test_a_parent_that_reads_texts_is_laid_out_again(make: Make) -> None:
    class Sign(Group):
        def size(self, available: float) -> tuple[float, float]:
            return 10.0 * int(self.children[0].text), 20.0

    class Signs(fw.Game):
        def setup(self) -> None:
            self.sign = self.ui.column(align="start").add(Sign())
            self.word = self.sign.label("5")

    game = make(Signs)
    game.run(1)
    assert game.sign.box.w == 50
    game.word.text = "7"
    game.run(1)
    assert game.sign.box.w == 70


def test_a_text_of_the_same_size_is_only_repainted(make: Make) -> None:
    class Counter(fw.Game):
        def setup(self) -> None:
            menu = self.ui.column(anchor="top left")
            self.word = menu.label("100")
            self.button = menu.button("Fire 1")

    game = make(Counter)
    game.run(2)
    canvas = interface_of(game.ui).canvas
    for changed, text in ((game.word, "101"), (game.button, "Fire 2"), (game.word, "1024")):
        before = canvas.capture()
        changed.text = text
        assert changed.box.stale == (text == "1024")
        game.run(1)
        assert canvas.painted == 1
        # a snapshot still has the rows of the text before
        assert before.looks[changed] is not canvas.capture().looks[changed]
        part = canvas._data.copy()
        canvas.forget()
        interface_of(game.ui).note_change()
        game.run(1)
        np.testing.assert_array_equal(canvas._data[:, 4:], part[:, 4:])


def test_a_hidden_menu_leaves_changes_of_a_text_fast(make: Make) -> None:
    class Paused(fw.Game):
        def setup(self) -> None:
            self.word = self.ui.column(anchor="top left").label("100")
            self.pause = self.ui.column(visible=False)
            self.pause.button("Go on")

    game = make(Paused)
    game.run(2)
    interface = interface_of(game.ui)
    assert game.pause.box.stale
    assert interface.is_arranged()
    game.word.text = "101"
    game.run(1)
    assert (interface.visited, interface.canvas.painted) == (0, 1)
    game.pause.visible = True
    assert not interface.is_arranged()
    game.run(1)
    assert game.pause.box.w > 0
    assert interface.is_arranged()


def test_a_changed_text_does_not_hide_other_changes(make: Make) -> None:
    """The game changes attributes without a notification, in the same tick as a text."""

    class Counter(fw.Game):
        def setup(self) -> None:
            self.menu = self.ui.column(anchor="top left")
            self.word = self.menu.label("100")

    game = make(Counter)
    game.run(2)
    interface = interface_of(game.ui)
    assert interface.is_arranged()
    game.menu.margin = 3
    game.word.text = "101"
    game.run(1)
    assert game.menu.box.x == 3
    game.menu.box.min_width = game.menu.box.w + 7
    game.word.text = "100"
    game.run(1)
    assert interface.visited > 0
    assert game.menu.box.w == game.menu.box.min_width
    # Without a tick, the widget under the mouse pointer is not searched for.
    interface.note_change()
    game.advance(0)
    assert not interface.is_arranged()
    game.run(1)
    game.menu.modal = True
    assert not interface.is_arranged()


def test_a_widget_class_notices_its_new_text(make: Make) -> None:
    class Word(TextLabel):
        changes = 0

        def changed(self, *, sized: bool = False) -> None:
            self.changes += 1
            super().changed(sized=sized)

    game = make(fw.Game)
    word = game.ui.column().add(Word("100"))
    game.run(1)
    before = word.changes
    word.text = "101"
    assert word.changes == before + 1


# -- values of the game that widgets show -----------------------------------------------------------


def volume_game(make: Any, count: int = 3) -> Any:
    """Return a game with sliders, toggles and choices for attributes of the game."""
    game = make(size=(200, 240))
    game.loud = 0.1
    game.hints = False
    game.level = "low"
    menu = game.ui.column(gap=0, padding=0)
    for _ in range(count):
        menu.slider("Volume", game, "loud", height=10, padding=0, font_size=6)
        menu.toggle("Hints", game, "hints", height=10, padding=0, font_size=6)
        menu.choice("Level", ["low", "high"], game, "level", height=10, padding=0, font_size=6)
    game.advance(1 / 60)
    game.advance(1 / 60)
    return game


def change_values(game: Any) -> None:
    game.loud = 0.9
    game.hints = True
    game.level = "high"


def frame(game: Any) -> Any:
    """Return the image of a frame, without a tick."""
    game.advance(0)
    return game.pixels()


def whole_image(game: Any) -> Any:
    """Return the image after a paint of all widgets."""
    interface_of(game.ui).reset_layout()
    return frame(game)


def test_a_frame_shows_the_values_that_attributes_have_then(make: Make) -> None:
    """The game changes attributes between two frames, and no tick follows."""
    game = volume_game(make)
    before = game.pixels()
    change_values(game)
    image = frame(game)
    assert (image != before).any()
    np.testing.assert_array_equal(image, whole_image(game))


def test_all_widgets_show_new_values_in_the_same_tick(make: Make) -> None:
    game = volume_game(make, 7)
    canvas: Canvas = interface_of(game.ui).canvas
    change_values(game)
    game.advance(1 / 60)
    assert canvas.painted >= 21
    canvas.painted = 0
    game.run(2)
    image = game.pixels()
    assert canvas.painted == 0
    np.testing.assert_array_equal(image, whole_image(game))


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_a_restored_game_shows_the_values_of_the_snapshot(make: Make, scale: float) -> None:
    """With another scale, `restore` paints all widgets again. With the same scale, it does not."""
    game = volume_game(make)
    change_values(game)
    snapshot = game.snapshot()
    image = frame(game)
    game.loud = 0.3
    game.hints = False
    game.ui.scale = scale
    game.run(3)
    assert (game.pixels() != image).any()
    game.restore(snapshot)
    np.testing.assert_array_equal(frame(game), image)
    game.advance(1 / 300)
    np.testing.assert_array_equal(game.pixels(), image)


def test_a_setting_that_is_no_state_is_shown_after_a_restore(make: Make) -> None:
    """`restore` does not change the volume of the sound."""
    game = make(size=(200, 40))
    game.ui.column().slider("Volume", game.audio, "volume")
    game.advance(1 / 60)
    snapshot = game.snapshot()
    game.audio.volume = 0.2
    game.restore(snapshot)
    image = frame(game)
    np.testing.assert_array_equal(image, whole_image(game))


def test_a_paused_scene_shows_new_values(make: Make) -> None:
    game = volume_game(make)
    game.push(fw.Scene())
    game.run(2)
    before = game.pixels()
    change_values(game)
    game.run(2)
    image = game.pixels()
    assert (image != before).any()
    game.pop()
    game.run(1)
    np.testing.assert_array_equal(image, game.pixels())


def test_a_new_value_does_not_stop_widgets_that_move(make: Make) -> None:
    """Frames interpolate the positions of moving widgets, while another widget has a new value."""
    images = []
    for value in (0.1, 0.9):
        game = volume_game(make, 1)
        window = game.ui.column(anchor="bottom left")
        window.label("Window")
        game.run(2)
        window.position = (80, 0)
        game.loud = value
        game.advance(1 / 60)
        game.advance(1 / 240)
        images.append(game.pixels()[150:])
    np.testing.assert_array_equal(*images)
    game.advance(1 / 240)
    assert (game.pixels()[150:] != images[0]).any()


def test_a_value_that_never_equals_itself_is_painted(make: Make) -> None:
    game = volume_game(make)
    game.loud = float("nan")
    image = frame(game)
    game.run(2)
    np.testing.assert_array_equal(game.pixels(), image)


def test_a_widget_that_was_hidden_shows_its_value(make: Make) -> None:
    game = volume_game(make)
    menu = game.ui.roots[0]
    menu.visible = False
    game.run(2)
    change_values(game)
    menu.visible = True
    game.run(1)
    np.testing.assert_array_equal(game.pixels(), whole_image(game))
