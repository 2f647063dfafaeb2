"""Dropdowns: keys, gamepad and mouse choose the same entry, and an open list closes when focus
leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework.input import key
from framework.ui.basic_widgets import ruler_of
from framework.ui.dropdown import Dropdown
from framework.ui.interface import interface_of
from framework.ui.widget import node_of

LANDS = ["Iceland", "India", "Indonesia", "Ireland", "Italy", "Jamaica", "Japan", "Jordan"]


class Menu(fw.Game):
    not_state = ("log", "clicks")

    def setup(self) -> None:
        self.log: list[Any] = []
        self.clicks: list[Any] = []
        menu = self.menu = self.ui.column(width=200, anchor="top", margin=0)
        self.first = menu.button("First")
        self.land = menu.dropdown("Land", LANDS, self.chosen, rows=4)
        self.last = menu.dropdown("Size", [1, 2, 3], self.chosen)

    def chosen(self, value: Any) -> None:
        self.log.append(value)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.clicks.append((x, y))


@pytest.fixture(scope="module")
def shared() -> Iterator[Any]:
    # Two ticks a frame: the clock of a snapshot may lie between frames, and each frame must have a
    # tick.
    game = Menu(size=(240, 320), headless=True, drawing=False, frame_stats=False, frame_rate=30)
    game.run(1)
    yield game, game.snapshot()
    game.close()


@pytest.fixture
def game(shared: Any) -> Any:
    game, start = shared
    game.restore(start)
    game.log = []
    game.clicks = []
    game.testing.feed([("on_deactivate",)])
    game.run(1)
    return game


def send(game: Any, *events: tuple[Any, ...]) -> None:
    for event in events:
        game.testing.feed([event])
        game.run(1)


def press(game: Any, *symbols: int) -> None:
    for symbol in symbols:
        send(game, ("on_key_press", symbol, 0), ("on_key_release", symbol, 0))


def pad(game: Any, *controls: str) -> None:
    for control in controls:
        send(game, ("on_pad_press", 0, control), ("on_pad_release", 0, control))


def click(game: Any, widget: Any) -> None:
    x, y = widget.box.absolute_position()
    box = widget.box
    position = x + box.w / 2, game.height - y - box.h / 2
    send(game, ("on_mouse_press", *position, 1, 0), ("on_mouse_release", *position, 1, 0))


def by_keys(game: Any) -> None:
    press(game, key.DOWN, key.DOWN, key.ENTER, key.DOWN, key.DOWN, key.LEFT, key.SPACE)


def by_pad(game: Any) -> None:
    pad(game, "dpdown", "dpdown", "a", "dpdown", "dpdown", "a")


def by_mouse(game: Any) -> None:
    click(game, game.land)
    click(game, game.land.opened.entry(2))


def by_letters(game: Any) -> None:
    press(game, key.DOWN, key.DOWN, key.ENTER)
    send(game, *[("on_text", letter) for letter in "indo"])
    press(game, key.ENTER)


@pytest.mark.parametrize("choose", [by_keys, by_pad, by_mouse, by_letters])
def test_keys_gamepad_mouse_and_letters_choose_the_same_entry(
    game: Any, choose: Callable[[Any], None]
) -> None:
    choose(game)
    assert (game.land.value, game.log, game.clicks) == ("Indonesia", ["Indonesia"], [])
    assert (game.land.opened, game.ui.focus, len(game.ui.roots)) == (None, game.land, 1)


def test_an_open_list_shows_its_number_of_rows(game: Any) -> None:
    dropdown = game.land
    dropdown.open()
    game.run(1)
    entry = dropdown.opened.entry(0).box.h
    assert 4 * entry <= dropdown.opened.box.h < 5 * entry
    assert dropdown.opened.box.absolute_position()[1] + dropdown.opened.box.h <= 320


def test_an_open_list_covers_other_widgets_and_lays_out_only_its_own_boxes(game: Any) -> None:
    menu = game.menu.box
    game.land.open()
    game.run(1)
    opened = game.land.opened
    assert interface_of(game.ui).visited <= len(LANDS) + 2
    x, y = game.land.box.absolute_position()
    left, top = opened.box.absolute_position()
    assert (left, opened.box.w) == (x, game.land.box.w)
    assert y + game.land.box.h <= top <= y + game.land.box.h + 4
    assert opened.overflows
    assert game.ui.focus is opened.entry(0)
    assert not menu.stale
    click(game, opened.entry(2))  # the list lies over the next dropdown
    assert (game.land.value, game.last.opened) == ("Indonesia", None)


def test_a_list_opens_upwards_if_there_is_more_room_above(game: Any) -> None:
    game.menu.anchor = "bottom"
    game.run(1)
    game.last.open()
    game.run(1)
    opened = game.last.opened
    top = opened.box.absolute_position()[1]
    bottom = opened.box.absolute_position()[1] + opened.box.h
    assert 0 <= top < bottom <= game.last.box.absolute_position()[1]
    assert not opened.overflows
    game.ui.scale = 3  # hardly any room above or below, so the list scrolls
    game.run(1)
    assert opened.overflows
    assert opened.box.y >= 0
    assert opened.box.y + opened.box.h <= interface_of(game.ui).extent[1]


@pytest.mark.parametrize(
    "how", ["escape", "b", "click", "itself", "tab", "focus", "away", "removed", "hidden", "ask"]
)
def test_a_list_closes_when_focus_leaves(game: Any, how: str) -> None:
    ui = game.ui
    land = game.land
    click(game, land)
    press(game, key.DOWN)
    {
        "escape": lambda: press(game, key.ESCAPE),
        "b": lambda: pad(game, "b"),
        "click": lambda: send(
            game, ("on_mouse_press", 2, 2, 1, 0), ("on_mouse_release", 2, 2, 1, 0)
        ),
        "itself": lambda: click(game, land),
        "tab": lambda: press(game, key.TAB),
        "focus": lambda: ui.set_focus(game.first),
        "away": lambda: send(game, ("on_deactivate",)),
        "removed": land.remove,
        "hidden": lambda: setattr(game.menu, "visible", False),
        "ask": lambda: (game.start(ui.ask("Sure?")), game.run(1), press(game, key.ENTER)),
    }[how]()
    assert len(ui.roots) == 1
    assert (land.value, game.log, game.clicks) == ("Iceland", [], [])
    wanted = {"tab": game.last, "removed": game.last, "focus": game.first, "hidden": None}
    assert ui.focus is wanted.get(how, land)
    press(game, key.UP)
    assert not interface_of(ui).taken


def test_letters_page_keys_and_end_keys_move_in_a_list(game: Any) -> None:
    def focused_text() -> str:
        return str(game.ui.focus.text)

    game.land.open()
    send(game, ("on_text", "J"))
    assert focused_text() == "Jamaica"
    send(game, ("on_text", "j"))  # no entry begins with "Jj"
    assert focused_text() == "Japan"
    send(game, ("on_text", "x"))
    assert focused_text() == "Japan"
    send(
        game,
        ("on_text_motion", key.MOTION_BEGINNING_OF_LINE),
        ("on_text_motion", key.MOTION_NEXT_PAGE),
    )
    assert focused_text() == "Ireland"
    send(game, ("on_text_motion", key.MOTION_END_OF_LINE), ("on_text_motion", key.MOTION_NEXT_PAGE))
    assert focused_text() == "Jordan"
    opened = game.land.opened.box
    assert opened.offset >= opened.extent - opened.h - 4  # the last entry is visible
    press(game, key.DOWN)  # after the last entry comes the first
    assert focused_text() == "Iceland"


def test_an_open_list_is_state(game: Any) -> None:
    game.land.open()
    press(game, key.DOWN)
    snapshot = game.snapshot()
    state_hash = game.state_hash()
    press(game, key.DOWN, key.ENTER)
    assert game.land.value == "Indonesia"
    assert game.state_hash() != state_hash
    game.restore(snapshot)
    assert game.state_hash() == state_hash
    press(game, key.ENTER)
    assert (game.land.value, len(game.ui.roots)) == ("India", 1)


def test_a_recording_contains_the_use_of_a_list(tmp_path: Path) -> None:
    path = tmp_path / "list.replay"
    with Menu(size=(240, 320), headless=True, drawing=False, frame_stats=False) as game:
        game.recording.start(path, hash_every=2)
        game.run(1)
        by_mouse(game)
        press(game, key.ENTER, key.UP, key.ENTER)
        send(game, *[("on_text", letter) for letter in "xy"])  # no list is open
        click(game, game.last)
        assert (game.log, game.last.opened is None) == (["Indonesia", "India"], False)
        game.recording.stop()
    report = fw.Replay.open(path).verify(Menu)
    assert report.ok, str(report)


def test_a_dropdown_that_cannot_open_raises(game: Any) -> None:
    with pytest.raises(ValueError, match="cannot open; the dropdown must be visible"):
        Dropdown("x", [1]).open()
    game.land.enabled = False
    with pytest.raises(ValueError, match="enabled"):
        game.land.open()
    for wrong in (0, 1.5, "x"):
        with pytest.raises((TypeError, ValueError), match="rows"):
            game.menu.dropdown("x", [1], rows=wrong)
    game.land.close()  # no list is open


def test_only_visible_entries_of_a_long_list_have_boxes(game: Any) -> None:
    words = ["Insel", "eine Insel, deren Name umbricht", "zwei\nZeilen"]
    dropdown = game.menu.dropdown(
        "Isle", [f"{number} {words[number % 3]}" for number in range(1200)], game.chosen, rows=5
    )
    dropdown.open()
    game.run(1)
    opened = dropdown.opened
    size = opened.box.w, opened.box.h
    around = (
        opened.box.absolute_position()[0] + 20,
        game.height - opened.box.absolute_position()[1] - 20,
    )
    send(game, ("on_mouse_motion", *around, 0, 0), *[("on_mouse_scroll", *around, 0, -50)] * 12)
    assert opened.offset == 12 * 50 * 40
    assert sum(1 for _ in node_of(opened).walk()) < 60
    hot = interface_of(game.ui).hovered
    saved = game.snapshot()
    assert (
        hot.box.h
        == ruler_of(dropdown).line_height(20)
        * len(ruler_of(dropdown).lines(hot.text, 20, hot.box.w - 20))
        + 10
    )
    send(game, ("on_mouse_press", *around, 1, 0), ("on_mouse_release", *around, 1, 0))
    assert (dropdown.value, game.log) == (hot.text, [hot.text])
    game.restore(saved)
    press(game, key.DOWN)
    assert str(game.ui.focus.text).startswith("1 ")  # the focus was far away
    send(game, ("on_text_motion", key.MOTION_END_OF_LINE))
    press(game, key.UP)
    assert (str(game.ui.focus.text)[:5], dropdown.opened.box.w, dropdown.opened.box.h) == (
        "1198 ",
        *size,
    )
    press(game, key.DOWN, key.DOWN, key.ENTER)
    assert dropdown.value == "0 Insel"


def test_a_list_that_closes_with_its_keyboard_leaves_the_focus_in_the_interface() -> None:
    with Menu(drawing=False, size=(400, 300)) as game:
        game.land.open()
        game.run_ticks(1)
        field = fw.widgets.TextField("")
        game.land.opened.add(field)  # a field in the list itself
        game.ui.open_keyboard(field)
        game.run_ticks(1)
        assert game.land.opened is None
        assert game.ui.focus is game.land
