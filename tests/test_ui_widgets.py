"""Widgets in a game: input devices, layout, painting, state and errors."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
from pictures import colors_in, solid
from programs import run_python

import framework as fw
from framework.assets import images
from framework.input import key
from framework.ui import canvas
from framework.ui.basic_widgets import ruler_of
from framework.ui.containers import _bar, area_of
from framework.ui.flex import LayoutBox, layout, preferred
from framework.ui.interface import interface_of
from framework.ui.navigation import neighbour
from framework.ui.text_field import shortcut
from framework.ui.text_ruler import Ruler
from framework.ui.theme import THEMES
from framework.ui.widget import node_of, unknown_option

Make = Callable[..., Any]


class Settings(fw.Scene):
    """A menu with one widget of each kind."""

    not_state = ("log",)

    def setup(self) -> None:
        self.log: list[Any] = []
        self.volume = 0.5
        menu = self.menu = self.ui.column(gap=12, anchor="center", width=320, panel=True)
        menu.label("Paused", font_size=32)
        self.go_on = menu.button("Go on", self.resume, action="cancel")
        self.slider = menu.slider("Music", self, "volume", 0, 1)
        self.quality = menu.choice("Quality", ["low", "high"], self.log.append)
        self.hints = menu.toggle("Hints", self.log.append)
        self.save = menu.button("Save", lambda: self.log.append("saved"))

    def resume(self) -> None:
        self.game.pop()

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.log.append("the scene's mouse")

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        self.log.append("the scene's keys")


class Menu(fw.Game):
    def setup(self) -> None:
        self.menu = Settings()
        self.push(self.menu)
        self.presses = 0

    def update(self, dt: float) -> None: ...


@pytest.fixture
def game(make: Make) -> Any:
    game = make(Menu, size=(640, 360))
    game.run(1)
    return game


def send(game: Any, name: str, *arguments: Any) -> None:
    if game.drawing:
        game.display.window.dispatch_event(name, *arguments)
    else:
        game.testing.feed([(name, *arguments)])
    game.run(1)


def press(game: Any, *symbols: int) -> None:
    for symbol in symbols:
        send(game, "on_key_press", symbol, 0)
        send(game, "on_key_release", symbol, 0)


def pad(game: Any, *controls: str) -> None:
    for control in controls:
        for name in ("on_pad_press", "on_pad_release"):
            game._engine.stage.receive_event((name, 0, control))
            game.run(1)


def middle(game: Any, widget: Any, across: float = 0.5) -> tuple[float, float]:
    x, y = widget.box.absolute_position()
    ui = widget.ui
    return (x + widget.box.w * across) * ui.scale, game.height - (y + widget.box.h / 2) * ui.scale


def click(game: Any, widget: Any, across: float = 0.5) -> None:
    position = middle(game, widget, across)
    send(game, "on_mouse_press", *position, 1, 0)
    send(game, "on_mouse_release", *position, 1, 0)


def test_a_click_finds_a_widget_by_its_text(make: Make) -> None:
    game = make(Menu, size=(640, 360), drawing=False)
    game.testing.click("Save")
    game.run_ticks(1)
    assert game.menu.log == ["saved"]
    game.testing.click("Hints")
    game.run_ticks(1)
    assert game.menu.log == ["saved", True]
    with pytest.raises(ValueError, match=r"x: expected .*, got 'Sav'; did you mean 'Save'\?"):
        game.testing.click("Sav")
    with pytest.raises(ValueError, match="got 'Quit'; there are 'Paused', 'Go on', 'Music'"):
        game.testing.click("Quit")
    with pytest.raises(TypeError, match="y: expected no y beside the text 'Save', got 3"):
        game.testing.click("Save", 3)
    game.menu.save.visible = False
    with pytest.raises(ValueError, match="got 'Save'"):
        game.testing.click("Save")
    game.testing.click("Go on")  # the button is in the scene until the tick ends
    game.testing.click("Go on")
    game.run_ticks(1)
    assert game.scene is game
    with pytest.raises(ValueError, match="no widget has a text"):
        game.testing.click("Go on")


def test_a_click_by_text_considers_covers_and_scrolling(make: Make) -> None:
    class Long(fw.Game):
        def setup(self) -> None:
            self.pressed: list[int] = []
            self.ui.scale = 2
            rows = self.ui.column(anchor="top left").scroll(height=100)
            for number in range(20):
                rows.button(f"Row {number}", lambda number=number: self.pressed.append(number))
            self.label = self.ui.column(anchor="bottom right").label("Row 1")

    game = make(Long, size=(640, 360), drawing=False)
    game.testing.click("Row 1")  # the button, and not the label
    game.run_ticks(1)
    assert game.pressed == [1]
    with pytest.raises(ValueError, match="'Row 19' is covered or scrolled out of sight"):
        game.testing.click("Row 19")
    question = game.ui.column(modal=True, anchor="center")
    question.button("Yes", lambda: game.pressed.append(-1))
    with pytest.raises(ValueError, match="got 'Row 1'; there are 'Yes'"):
        game.testing.click("Row 1")
    game.testing.click("Yes")
    game.run_ticks(1)
    assert game.pressed == [1, -1]


def test_the_size_of_a_widget_is_a_method_that_cannot_be_replaced(make: Make) -> None:
    class Own(fw.Widget):
        def size(self, available: float) -> tuple[float, float]:
            return 40.0, 20.0

    game = make(fw.Game, size=(640, 360), drawing=False)
    column = game.ui.column()
    label = column.label("Hi")
    button = column.button("Go", print)
    for text in (label, button):
        with pytest.raises(AttributeError, match=r"size: .* method.*write .*font_size = 3"):
            text.size = 3
    own = column.add(Own())
    for widget in (column, column.image(np.zeros((4, 4, 4), np.uint8))):
        with pytest.raises(AttributeError, match=r"style\(width=3, height=4\)"):
            widget.size = (3, 4)
    game.run_ticks(1)
    assert own.size(100) == (40, 20)
    assert own.box.h == 20
    assert Own.size(own, 3) == (40, 20)


def run_with_keys(game: Any) -> None:
    press(
        game,
        key.DOWN,
        key.DOWN,
        key.RIGHT,
        key.DOWN,
        key.RIGHT,
        key.DOWN,
        key.ENTER,
        key.DOWN,
        key.SPACE,
    )


def run_with_pad(game: Any) -> None:
    pad(game, "dpdown", "dpdown", "dpright", "dpdown", "dpright", "dpdown", "a", "dpdown", "a")


def run_with_stick(game: Any) -> None:
    for x, y in [(0, -1), (0, -1), (1, 0), (0, -1), (1, 0), (0, -1)]:
        for position in ((x, y), (0.0, 0.0)):
            game._engine.stage.receive_event(
                ("on_pad_stick", 0, "leftstick", float(position[0]), float(position[1]))
            )
            game.run(1)
    pad(game, "a", "dpdown", "a")


def run_with_mouse(game: Any) -> None:
    menu = game.menu
    left, wide = menu.slider._track()
    click(game, menu.slider, (left + wide * 0.55) / menu.slider.box.w)
    for widget in (menu.quality, menu.hints, menu.save):
        click(game, widget)


@pytest.mark.parametrize("by", [run_with_keys, run_with_pad, run_with_stick, run_with_mouse])
def test_keys_gamepad_and_mouse_reach_the_same_end_in_a_menu(
    game: Any, by: Callable[[Any], None]
) -> None:
    menu = game.menu
    by(game)
    assert (menu.volume, menu.quality.value, menu.hints.value) == (0.55, "high", True)
    assert menu.log == ["high", True, "saved"]
    assert menu.save.focused
    if by is run_with_keys:
        press(game, key.ESCAPE)
    elif by is run_with_mouse:
        click(game, menu.go_on)
    else:
        pad(game, "b")
    assert game.scene is game
    assert menu.log == ["high", True, "saved"]


def test_input_used_by_a_widget_does_not_reach_keys_mouse_or_event_methods(game: Any) -> None:
    menu = game.menu
    send(game, "on_mouse_press", *middle(game, menu.save), 1, 0)
    assert not game.mouse.presses("left")
    assert not game.mouse["left"]
    assert game.mouse.x == 0  # the mouse moved only for the widget
    send(game, "on_mouse_release", *middle(game, menu.save), 1, 0)
    press(game, key.DOWN)
    assert menu.log == ["saved"]
    send(game, "on_mouse_press", 3, 3, 1, 0)  # beside the menu
    assert game.mouse.presses("left") == 1
    send(game, "on_key_press", key.X, 0)
    assert game.keys.presses("x")
    assert menu.log == ["saved", "the scene's mouse", "the scene's keys"]
    menu.menu.visible = False
    send(game, "on_key_press", key.DOWN, 0)
    assert game.keys.presses("down")


def test_a_held_direction_repeats(game: Any) -> None:
    menu = game.menu
    menu.ui.set_focus(menu.slider)
    game.display.window.dispatch_event("on_key_press", key.RIGHT, 0)
    game.run(23)
    assert menu.volume == 0.55
    game.run(9)
    assert menu.volume == pytest.approx(0.65)
    send(game, "on_key_release", key.RIGHT, 0)
    game.run(30)
    assert menu.volume == pytest.approx(0.65)


def test_a_slider_is_dragged_beyond_its_ends(game: Any) -> None:
    menu = game.menu
    x, y = middle(game, menu.slider, 0.8)
    send(game, "on_mouse_press", x, y, 1, 0)
    send(game, "on_mouse_drag", x + 500, y + 90, 500, 90, 1, 0)
    assert menu.volume == 1
    send(game, "on_mouse_drag", 0, y, -500, 0, 1, 0)
    send(game, "on_mouse_release", 0, y, 1, 0)
    assert menu.volume == 0


def test_the_volume_of_a_slider_is_not_part_of_the_state(make: Make) -> None:
    """The volume is a setting of the player, which a restore does not change."""
    game = make(fw.Game, drawing=False)
    game.ui.column().slider("Volume", game.audio, "volume", 0, 1)
    game.run_ticks(1)
    snapshot = game.snapshot()
    game.run_ticks(1)
    expected = game.state_hash()
    game.restore(snapshot)
    game.audio.volume = 0.5
    game.run_ticks(1)
    assert game.state_hash() == expected


def assert_within(widget: Any) -> None:
    for child in widget.children:
        assert min(child.box.x, child.box.y) >= -1e-6
        assert child.box.x + child.box.w <= widget.box.w + 1e-6
        assert widget.box.scrolls or child.box.y + child.box.h <= widget.box.h + 1e-6
        assert_within(child)


class German(fw.Game):
    def setup(self) -> None:
        menu = self.menu = self.ui.column(width="40%", panel=True)
        self.long = menu.label(
            "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenhalterung, sehr lang"
        )
        self.soft = menu.label("Geschwindigkeits\u00adbegrenzung")
        row = menu.row(wrap=True)
        for word in ("Wiederaufnehmen", "Zurueckspringen", "Rindfleischetikettierung"):
            row.button(word)
        grid = menu.grid(3)
        for number in range(7):
            grid.button(number)
        menu.text_field("Name").style(min_width=900)


@pytest.mark.parametrize(("size", "scale"), [((640, 360), 1), ((3840, 2160), 3), ((40, 30), 1)])
def test_every_box_is_within_its_parent_and_long_words_wrap(
    make: Make, size: tuple[int, int], scale: float
) -> None:
    game = make(German, size=size, drawing=False)
    game.ui.scale = scale
    game.run(1)
    ui = game.ui
    root = game.menu
    assert_within(root)
    assert root.box.x >= 0
    assert root.box.x + root.box.w <= interface_of(ui).extent[0]
    assert root.box.y >= 0
    assert root.box.y + root.box.h <= interface_of(ui).extent[1]
    if size == (640, 360):
        lines = interface_of(ui).ruler.lines(
            game.long.text, game.long.current_font_size, game.long.box.w
        )
        assert len(lines) >= 3
        assert all(interface_of(ui).ruler.width(line, 20) <= game.long.box.w for line in lines)
        assert "".join(lines).replace(" ", "") == game.long.text.replace(" ", "")
        assert interface_of(ui).ruler.lines(game.soft.text, 20, 200) == (
            "Geschwindigkeits-",
            "begrenzung",
        )


class Many(fw.Game):
    def setup(self) -> None:
        menu = self.ui.column(width=400, gap=1)
        self.rows = []
        for number in range(50):
            row = menu.row(grow=1)
            row.label(f"Number {number}", font_size=8)
            row.button("Use", font_size=8, padding=1)
            row.progress_bar(0.5)
            self.rows.append(row)


def test_200_unchanged_widgets_upload_nothing_and_a_change_visits_only_its_path(make: Make) -> None:
    game = make(Many, size=(480, 360))
    game.run(3)
    ui = game.ui
    assert len(list(node_of(ui.roots[0]).walk())) == 201
    before = interface_of(ui).canvas.uploaded_bytes
    row = game.rows[2]
    assert before > 0
    game.run(5)
    assert interface_of(ui).canvas.uploaded_bytes == before
    row.children[0].text = "No. 3"
    game.run(1)
    assert 1 <= interface_of(ui).visited <= 4  # the label, its row, the root
    game.run(2)  # the widget beside the label has moved
    before = interface_of(ui).canvas.uploaded_bytes
    row.children[0].text = "No. 4"  # the label still has the width of the text before
    game.run(1)
    assert interface_of(ui).visited == 0
    assert interface_of(ui).canvas.painted == 1
    assert 0 < interface_of(ui).canvas.uploaded_bytes - before < 1000  # the letters of one label
    game.rows[-1].children[0].text = "Out of sight"
    before = interface_of(ui).canvas.uploaded_bytes
    game.run(1)
    assert interface_of(ui).canvas.uploaded_bytes == before
    game.run(2)
    before = interface_of(ui).canvas.uploaded_bytes
    game.run(3)
    assert interface_of(ui).canvas.uploaded_bytes == before
    times = []
    for _ in range(3):
        for widget in node_of(ui.roots[0]).walk():
            widget.box.mark_changed()
        began = time.process_time()
        interface_of(ui).lay_out()
        times.append(time.process_time() - began)
    assert interface_of(ui).visited > 200
    assert min(times) < 0.025  # 0.003 s here


def test_moving_widgets_are_interpolated(make: Make) -> None:
    class Moving(fw.Game):
        def setup(self) -> None:
            self.box = self.ui.column(
                anchor="top left", margin=0, width=10, height=10, panel=True, padding=0
            )

    game = make(Moving, size=(64, 32), tick_rate=10, background=(1, 1, 1))
    game.advance(0.1)
    game.box.position = (20, 0)
    game.advance(0.15)

    rows = (game.pixels()[4:6, :, 0] < 128).all(axis=0)
    assert np.flatnonzero(rows).tolist() == list(range(10, 20))
    game.advance(0.1)
    rows = (game.pixels()[4:6, :, 0] < 128).all(axis=0)
    assert np.flatnonzero(rows).tolist() == list(range(20, 30))


def test_a_snapshot_restores_widgets(game: Any) -> None:
    menu = game.menu
    run_with_keys(game)
    saved = game.snapshot()
    state = game.state_hash()
    picture = game.pixels()
    press(game, key.UP, key.ENTER, key.UP, key.LEFT)
    menu.menu.label("Another one")
    menu.save.text = "Saved"
    menu.save.style(height=70)
    game.run(2)
    assert game.state_hash() != state
    game.restore(saved)
    assert game.state_hash() == state
    assert (menu.hints.value, menu.save.text, len(menu.menu.children)) == (True, "Save", 6)
    game.run(2)
    assert (game.pixels() == picture).all()
    click(game, menu.quality)
    assert menu.quality.value == "low"


def test_a_recording_and_a_restore_include_the_menu(make: Make, tmp_path: Path) -> None:
    game = make(Menu, size=(640, 360))
    game.recording.rewind = fw.Rewind(duration=9)
    game.recording.start(tmp_path / "menu.replay", hash_every=5)
    game.run(1)
    run_with_keys(game)
    click(game, game.menu.quality)
    state = game.state_hash()
    tick = game.tick
    game.recording.stop()
    report = fw.Replay.open(tmp_path / "menu.replay").verify(Menu)
    assert report.ok, str(report)
    press(game, key.DOWN, key.ENTER)
    assert game.menu.hints.value is False
    game.recording.rewind.seek(tick)
    game.recording.rewind.resume()
    assert game.state_hash() == state
    assert game.menu.hints.value is True


def test_text_is_typed_into_a_field(make: Make) -> None:
    state: list[str] = []

    class Named(fw.Game):
        def setup(self) -> None:
            menu = self.ui.column(width=200)
            self.field = menu.text_field("Bo", state.append, limit=9)
            self.button = menu.button("OK")

    game = make(Named, size=(240, 120))
    game.run(1)
    field = game.field
    interface_of(game.ui).copied = state.append
    game.ui.set_focus(field)
    send(game, "on_key_press", key.B, 0)
    send(game, "on_text", "b")
    assert field.text == "Bob"
    assert not game.keys["b"]
    assert game.keys.text == ""
    for motion in (key.MOTION_LEFT, key.MOTION_BACKSPACE):
        send(game, "on_text_motion", motion)
    assert (field.text, field.caret) == ("Bb", 1)
    send(game, "on_text_motion_select", key.MOTION_END_OF_LINE)
    assert field.selected == "b"
    send(game, "on_text", "\tlong, too long")
    assert field.text == "Blong, to"
    send(game, "on_key_press", key.A, key.MOD_CTRL)
    send(game, "on_key_press", key.C, key.MOD_CTRL)
    send(game, "on_key_press", key.ENTER, 0)
    assert state == ["Blong, to"] * 2
    send(game, "on_key_press", key.X, key.MOD_CTRL)
    assert field.text == ""
    press(game, key.DOWN)
    assert game.button.focused
    click(game, field, 0.1)
    assert field.focused
    press(game, key.ESCAPE)
    assert game.ui.focus is None


@pytest.mark.parametrize("drawing", [True, False])
def test_the_space_that_focuses_a_field_is_not_typed_into_it(make: Make, drawing: bool) -> None:
    class Named(fw.Game):
        def setup(self) -> None:
            self.field = self.ui.column(width=200).text_field("Bo")

    game = make(Named, size=(240, 120), drawing=drawing)
    send(game, "on_key_press", key.SPACE, 0)
    for _ in range(2):  # the key repeats
        send(game, "on_text", " ")
    assert (game.field.focused, game.field.text) == (True, "Bo")
    assert not game.keys.text
    send(game, "on_key_release", key.SPACE, 0)
    game.testing.type(" b")
    game.run(1)
    assert game.field.text == "Bo b"
    assert not interface_of(game.ui).taken


def test_ask_waits_for_an_answer_above_all_other_widgets(game: Any) -> None:
    menu = game.menu
    answers = []

    async def quit() -> None:
        answers.append(await menu.ui.ask("Quit?", "Yes", "No"))

    menu.ui.set_focus(menu.save)
    menu.start(quit())
    game.run(2)
    assert len(menu.ui.roots) == 2
    click(game, menu.hints)  # the click has no effect
    send(game, "on_key_press", key.X, 0)
    assert not game.keys["x"]
    press(game, key.RIGHT, key.LEFT, key.ENTER)
    game.run(2)
    assert answers == ["Yes"]
    assert menu.save.focused
    assert len(menu.ui.roots) == 1
    menu.start(quit())
    game.run(2)
    pad(game, "b")
    game.run(2)
    assert answers == ["Yes", "No"]
    assert menu.log == []
    task = menu.start(quit())
    game.run(2)
    task.cancel()
    assert len(menu.ui.roots) == 1


def test_a_too_high_group_scrolls_to_the_focus(make: Make) -> None:
    class Long(fw.Game):
        def setup(self) -> None:
            self.menu = self.ui.column(width=100)
            self.buttons = [self.menu.button(number, tooltip="one of many") for number in range(30)]

    game = make(Long, size=(160, 120))
    game.run(1)
    press(game, key.UP)
    last = game.buttons[-1]
    root = game.menu
    assert last.focused
    assert root.box.absolute_position()[1] <= last.box.absolute_position()[1]
    assert (
        last.box.absolute_position()[1] + last.box.h
        <= root.box.absolute_position()[1] + root.box.h + 1e-6
    )
    offset = root.offset
    send(game, "on_mouse_scroll", 80, 60, 0, 2)
    assert root.offset == offset - 80
    send(game, "on_mouse_press", root.box.x + root.box.w - 3, 118 - root.box.y, 1, 0)
    assert root.offset == 0
    send(game, "on_mouse_release", 80, 60, 1, 0)
    assert interface_of(game.ui).tip is None
    send(game, "on_mouse_motion", *middle(game, game.buttons[1]), -20, 0)
    game.run(50)
    assert interface_of(game.ui).tip is not None
    assert interface_of(game.ui).tip[0] == "one of many"


def test_a_scroll_ends_at_its_content(make: Make) -> None:
    class Long(fw.Game):
        def setup(self) -> None:
            self.list = self.ui.column().scroll(width=100, height=60)
            for number in range(20):
                self.list.label(str(number))

    game = make(Long, size=(160, 120))
    game.run(1)
    game.list.offset = 1e9
    assert game.list.offset == game.list.box.extent - game.list.box.h > 0
    game.list.offset = -5
    assert game.list.offset == 0


def test_a_widget_without_an_interface_is_not_held_hovered_or_focused() -> None:
    button = fw.widgets.Button("alone")
    assert (button.held, button.hovered, button.focused) == (False, False, False)


def test_a_row_centers_its_widgets_vertically(make: Make) -> None:
    class Low(fw.Game):
        def setup(self) -> None:
            self.row = self.ui.column().row()
            self.low = self.row.label("low")
            self.high = self.row.add(fw.Widget(width=10, height=60))

    game = make(Low, size=(160, 120))
    game.run(1)
    low = game.low.box
    high = game.high.box
    assert low.h < high.h
    assert low.y + low.h / 2 == pytest.approx(high.y + high.h / 2)


def test_widgets_that_have_stopped_send_no_more_rows(make: Make) -> None:
    class Moving(fw.Game):
        def setup(self) -> None:
            self.box = self.ui.column(anchor="top left", width=10, height=10, panel=True)

    game = make(Moving, size=(64, 32))
    game.run(1)
    game.box.position = (20, 0)
    game.run(2)
    sent: list[int] = []
    painted = interface_of(game.ui).canvas
    painted._send = lambda data: sent.append(len(data))
    game.run(3)
    assert sent == []


def test_a_text_field_that_is_lower_than_a_line_shows_its_text(make: Make) -> None:
    class Low(fw.Game):
        def setup(self) -> None:
            options: dict[str, Any] = {"width": 90, "height": 8, "padding": 0, "font_size": 14}
            self.field = self.ui.column(padding=0).text_field("", **options)

    game = make(Low, size=(120, 40))
    game.run(1)
    empty = game.pixels()
    game.field.text = "MMM"
    game.run(1)
    assert (game.pixels() != empty).any()


@pytest.mark.parametrize(
    ("kind", "option", "meant"),
    [
        (fw.widgets.Button, "on_click", "on_press"),
        (fw.widgets.Slider, "on_change", "target"),
        (fw.widgets.TextLabel, "text_size", "font_size"),
        (fw.widgets.TextLabel, "text_color", "color"),
        (fw.widgets.TextLabel, "disabled", "enabled"),
        (fw.widgets.TextLabel, "hidden", "visible"),
        (fw.widgets.Group, "spacing", "gap"),
        (fw.widgets.TextLabel, "caption", "text"),
        (fw.widgets.Group, "bg", "panel"),
    ],
)
def test_an_option_of_another_toolkit_is_answered_with_ours(
    kind: type[fw.Widget], option: str, meant: str
) -> None:
    assert f"unknown option '{option}'; did you mean {meant}?" in unknown_option(kind, option)


def test_a_scroll_bar_reaches_from_end_to_end() -> None:
    assert _bar(0.0, 400.0, 100.0) == (0.0, 25.0)
    assert _bar(300.0, 400.0, 100.0) == (75.0, 25.0)
    assert _bar(0.0, 100.0, 100.0) is None


def test_a_group_is_repainted_after_the_removal_of_a_widget(make: Make) -> None:
    class Counted(fw.widgets.Group):
        painted = 0

        def paint(self, brush: Any) -> None:
            self.painted = len(self.children)
            super().paint(brush)

    class Shelf(fw.Game):
        def setup(self) -> None:
            self.shelf = self.ui.column().add(Counted(width=60, height=60))
            self.numbers = [self.shelf.label(str(number)) for number in range(3)]

    game = make(Shelf, size=(160, 120))
    game.run(1)
    assert game.shelf.painted == 3
    game.numbers[1].remove()
    game.run(1)
    assert game.shelf.painted == 2


@pytest.mark.parametrize("row", [0, 1, 2])
def test_the_selection_is_painted_in_its_own_line(make: Make, row: int) -> None:
    class Notes(fw.Game):
        def setup(self) -> None:
            self.notes = self.ui.column(width=150).text_field("aaa\nbbb\nccc", lines=3)
            self.ui.set_focus(self.notes)

    game = make(Notes, size=(160, 120))
    game.run(1)
    send(game, "on_text_motion", key.MOTION_BEGINNING_OF_FILE)
    for _ in range(row):
        send(game, "on_text_motion", key.MOTION_DOWN)
    game.run(1)
    plain = game.pixels().astype(int)
    send(game, "on_text_motion_select", key.MOTION_END_OF_LINE)
    game.run(1)
    assert game.notes.selected == ("aaa", "bbb", "ccc")[row]
    changed = np.flatnonzero((game.pixels().astype(int) != plain).any(axis=(1, 2)))
    height = ruler_of(game.notes).line_height(game.notes.current_font_size)
    assert len(changed) >= height - 2
    assert changed[-1] - changed[0] <= height + 1
    # the box is half transparent: most of its pixels are halfway between the field and the accent
    box = (game.pixels().astype(int) != plain).any(axis=2)
    halfway = (plain[box, :3] + np.array(game.ui.theme.accent[:3]) * 255) / 2
    assert np.median(np.abs(game.pixels()[box, :3] - halfway)) <= 2


def test_a_window_can_be_moved_and_closed(make: Make) -> None:
    game = make(fw.Game, size=(320, 200))
    window = game.ui.window("Bag", anchor="top left", width=120)
    game.run(1)
    x, y = middle(game, window.title, 0.2)
    before = window.box.x
    send(game, "on_mouse_press", x, y, 1, 0)
    send(game, "on_mouse_drag", x + 30, y - 20, 30, -20, 1, 0)
    send(game, "on_mouse_release", x + 30, y - 20, 1, 0)
    assert window.box.x == before + 30
    click(game, window.children[0].children[1])
    assert game.ui.roots == []


def test_sounds_are_off_by_default(game: Any) -> None:
    played: list[Any] = []

    class Sound:
        def play(self, **options: Any) -> None:
            played.append(options)

    press(game, key.DOWN)
    game.menu.ui.theme = fw.Theme(focus_sound=Sound(), press_sound=Sound())
    press(game, key.DOWN, key.ENTER)
    assert len(played) == 2
    with pytest.raises(TypeError, match="focus_sound"):
        fw.Theme(focus_sound=3)
    game.menu.ui.theme = "light"
    game.menu.ui.sounds = True
    press(game, key.DOWN)
    assert game.audio.voices


def test_a_nine_patch_does_not_scale_its_corners(make: Make) -> None:
    picture = np.zeros((12, 12, 4), np.uint8)
    picture[:] = (0, 0, 255, 255)
    picture[:3, :3] = (255, 0, 0, 255)  # its top left corner

    class Skinned(fw.Game):
        def setup(self) -> None:
            self.ui.theme = fw.Theme().with_(panel_skin=fw.NinePatch(picture, 3, scale=2))
            self.ui.column(anchor="top left", margin=0, width=40, height=30, panel=True, padding=0)

    game = make(Skinned, size=(64, 48))
    game.run(1)
    pixels = game.pixels()
    red = (pixels[..., 0] > 128) & (pixels[..., 2] < 128)
    assert np.argwhere(red).max(axis=0).tolist() == [5, 5]
    assert (pixels[10:28, 10:38, 2] > 250).all()


class Pictures(fw.Game):
    """A slider, a toggle and bars with images."""

    def setup(self) -> None:
        red, blue, white = (
            np.full((height, width, 4), (*color, 255), np.uint8)
            for width, height, color in [
                (6, 10, (255, 0, 0)),
                (8, 4, (0, 0, 255)),
                (8, 4, (255, 255, 255)),
            ]
        )
        half = white.copy()
        half[:, 4:] = 0, 255, 0, 255  # its right half is green
        clear = np.zeros((2, 2, 4), np.uint8)
        self.ui.theme = fw.Theme(
            track_skin=blue,
            fill_skin=half,
            thumb_skin=red,
            on_skin=red,
            off_skin=fw.NinePatch(blue, 1, scale=0.5),
            control_skin=clear,
            focus="#0000",
        )
        menu = self.menu = self.ui.column(width=80, margin=0, anchor="top left", gap=0, padding=0)
        self.slider = menu.slider("", value=0.5, padding=0, height=12, steps=2)
        self.toggle = menu.toggle("", padding=0, height=12)
        self.bar = menu.progress_bar(0.5, height=4)
        self.stretched = menu.progress_bar(
            0.5, height=4, theme=self.ui.theme.with_(fill_skin=fw.NinePatch(half, (1, 0, 1, 0)))
        )


def test_sliders_toggles_and_bars_can_have_images(make: Make) -> None:
    game = make(Pictures, size=(80, 48), background=(0, 0, 0))
    game.run(2)
    pixels = game.pixels()[..., :3]
    red, green, blue = (
        (pixels[..., k] > 200) & (pixels[..., k - 1] < 50) & (pixels[..., k - 2] < 50)
        for k in range(3)
    )
    white = (pixels > 200).all(axis=2)
    track = np.flatnonzero(blue[6] | red[6] | white[6] | green[6])
    assert (track[0], track[-1]) == (40, 79)
    # the thumb, in the center of the right half
    assert np.flatnonzero(red[6]).tolist() == list(range(57, 63))
    assert np.flatnonzero(red[:12].any(axis=1)).tolist() == list(range(1, 11))
    assert np.flatnonzero(blue[:12, 70]).tolist() == [4, 5, 6, 7]
    # the toggle is off: 8 by 4 pixels at half their size
    assert np.flatnonzero(blue[18]).tolist() == [76, 77, 78, 79]
    assert (np.flatnonzero(white[26])[-1], green[26].any()) == (39, False)  # half of the image
    # the whole image in half of the room
    assert (np.flatnonzero(green[30])[-1], white[30, 10]) == (39, True)
    game.slider.value = 1
    game.toggle.value = True
    game.bar.value = 1
    game.run(2)
    pixels = game.pixels()
    assert np.flatnonzero((pixels[6, :, 0] > 200) & (pixels[6, :, 1] < 50)).tolist() == list(
        range(74, 80)
    )
    assert np.flatnonzero(pixels[18, :, 0] > 200).tolist() == list(range(74, 80))
    assert (pixels[26, 41:, 1] > 200).all()
    click(game, game.slider, 0.5)
    assert game.slider.value == 0
    with pytest.raises(TypeError, match="thumb_skin: expected"):
        fw.Theme(thumb_skin=3)
    for shade in (10, 90):  # images that are arrays
        game.ui.theme = game.ui.theme.with_(thumb_skin=np.full((4, 4, 4), shade, np.uint8))
        game.run(1)


def test_image_files_are_checked_before_use_and_loaded_once(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make(fw.Game, size=(160, 90))
    (tmp_path / "broken.ttf").write_text("no font")
    PIL.Image.new("RGBA", (8, 8)).save(tmp_path / "on.png")
    menu = game.ui.column()
    theme = game.ui.theme
    image = menu.image(tmp_path / "on.png")
    toggle = menu.toggle("x")
    outside = fw.Widget(theme=fw.Theme(hover_skin="nowhere.png"))
    for call in (
        lambda: menu.image("nowhere.png"),
        lambda: menu.button("x", image="nowhere.png"),
        lambda: menu.add(outside),
        lambda: setattr(image, "image", "nowhere.png"),
        lambda: menu.label(theme=fw.Theme(on_skin="nowhere.png")),
        lambda: setattr(toggle, "theme", fw.Theme(on_skin="nowhere.png")),
        lambda: setattr(game.ui, "theme", fw.Theme(panel_skin="nowhere.png")),
        lambda: setattr(game.ui, "theme", fw.Theme(font=["DejaVu Sans", "nowhere.png"])),
        lambda: setattr(game.ui, "theme", fw.Theme(font=tmp_path / "broken.ttf")),
    ):
        with pytest.raises(fw.AssetError, match=r"nowhere\.png|broken\.ttf.*unknown file format"):
            call()
    assert (menu.children, game.ui.theme is theme, toggle.theme is theme) == (
        [image, toggle],
        True,
        True,
    )
    read = []
    sizes = images.sizes
    monkeypatch.setattr(
        images, "sizes", lambda sources, folders: read.append(sources) or sizes(sources, folders)
    )
    game.ui.theme = theme.with_(on_skin=str(tmp_path / "on.png"), off_skin=str(tmp_path / "on.png"))
    for _ in range(5):
        menu.toggle("y")
        game.run(1)
    assert len(read) <= 3


def test_images_no_longer_shown_use_no_room(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "_MAX_PIXELS", 1 << 16)
    game = make(fw.Game, size=(96, 54))
    film = game.ui.column(padding=0).image(np.zeros((50, 50), np.uint8))
    for shade in range(60):
        film.image = np.full((50, 50, 4), (shade, 255, 0, 255), np.uint8)
        game.run(1)
    assert interface_of(game.ui).canvas._atlas.atlas.texture.size[0] <= 512
    assert (game.pixels()[27, 48, :3] == (59, 255, 0)).all()


def test_a_warning_about_missing_letters_names_the_widget(make: Make) -> None:
    game = make(fw.Game, size=(96, 54))
    game.ui.column().button("go 日")
    with pytest.warns(
        RuntimeWarning, match=r"lacks 日, drawn as boxes in a widget's 'go 日'.*fw\.Theme\(font=\["
    ):
        game.run(1)
    game.ui.theme = fw.Theme(font=["DejaVu Sans Mono", "DejaVu Sans"])
    assert game.ui.theme.font == ("DejaVu Sans Mono", "DejaVu Sans")
    assert fw.Theme(font=["menu.ttf"]).font == "menu.ttf"


def test_a_widget_spans_cells_and_snapshots_keep_the_span(make: Make) -> None:
    class Inventory(fw.Game):
        def setup(self) -> None:
            self.grid = self.ui.grid(3, anchor="top left", margin=0, gap=2, width=100)
            self.wide = self.grid.button("Sword", span=2, padding=1, font_size=8)
            self.buttons = [self.grid.button(str(k), padding=1, font_size=8) for k in range(4)]

    game = make(Inventory, size=(128, 96))
    game.run(1)

    def across() -> list[int]:
        return [round(widget.box.x) for widget in game.grid.children]

    assert across() == [0, 68, 0, 34, 68]
    assert round(game.wide.box.w) == 66
    saved = game.snapshot()
    game.wide.style(span=(1, 2))
    game.run(1)
    assert across() == [0, 34, 68, 34, 68]
    press(game, key.DOWN, key.RIGHT)
    assert game.ui.focus is game.buttons[0]
    game.restore(saved)
    game.run(2)
    assert across() == [0, 68, 0, 34, 68]
    for call in (
        lambda: game.wide.style(span=4),
        lambda: game.grid.label("x", span=4),
        lambda: game.grid.style(columns=1),
    ):
        with pytest.raises(ValueError, match=r"at most [13], the columns of the grid"):
            call()
    assert (len(game.grid.children), across()) == (5, [0, 68, 0, 34, 68])


def test_dir_of_widgets_and_of_the_interface_has_the_public_names(make: Make) -> None:
    widget = {name for name in dir(fw.Widget()) if name[0] != "_"}
    hooks = {
        "min_content_width",
        "on_direction",
        "on_drag",
        "on_mouse_press",
        "on_mouse_release",
        "on_wheel",
        "paint",
        "press",
        "size",
        "type",
    }
    settings = {"enabled", "focusable", "solid", "style", "theme", "tooltip", "visible"}
    tree = {"box", "children", "add", "parent", "remove", "ui"}
    state = {"action", "changed", "focused", "held", "hovered", "say"}
    assert widget == hooks | settings | tree | state
    ui = make(fw.Game).ui
    roots = {"add", "column", "grid", "roots", "row", "window"}
    player = {"ask", "focus", "next_press", "open_keyboard", "set_focus"}
    names = {name for name in dir(ui) if name[0] != "_"}
    assert names == roots | player | {"scale", "screen_keyboard", "sounds", "theme"}
    with pytest.raises(AttributeError, match="UI has no attribute 'tehme'; did you mean 'theme'"):
        ui.tehme = "dark"


def test_the_list_of_children_or_roots_is_a_copy(make: Make) -> None:
    ui = make(fw.Game).ui
    root = ui.column()
    label = root.label("a")
    root.children.clear()
    ui.roots.clear()
    assert (root.children, ui.roots, label.parent) == ([label], [root], root)


def test_mistakes_are_one_clear_error(game: Any) -> None:
    ui = game.menu.ui
    menu = game.menu.menu
    inner = menu.column()
    loose = type(menu.column())()
    for call, words in [
        (lambda: loose.add(loose), "cannot be in itself"),
        (lambda: inner.add(inner), "cannot be in itself"),
        (lambda: inner.add(game.menu.save), "already in another widget"),
        (lambda: menu.add(inner), "already in this widget"),
        (lambda: inner.add(menu), "root of an interface"),
        (
            lambda: setattr(ui, "theme", "drak"),
            "unknown theme 'drak'; the themes are dark, light, contrast",
        ),
        (lambda: menu.button("x", action="escpae"), "escape"),
        (lambda: menu.button("x", action=["f5", "escpae"]), "escape"),
        (lambda: menu.choice("x", []), "choices"),
        (lambda: menu.slider("x", min_value=-1e308, max_value=1e308), "min_value: expected"),
        (lambda: ui.column(anchor="middle"), "anchor"),
        (lambda: setattr(ui, "scale", 0), "scale"),
        (lambda: ui.set_focus(menu.children[0]), "cannot have the focus"),
        (lambda: setattr(game.menu.quality, "value", "ultra"), "ultra"),
        (lambda: fw.Widget().theme, "in no interface"),
        (lambda: fw.Widget().remove(), "in no other widget and no interface"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    for wrong, words in [
        (lambda: menu.button("x", widht=3), "did you mean width"),
        (lambda: fw.Theme().with_(acent="#fff"), "nearest are accent"),
        (lambda: ui.add(fw.Widget()), "Root"),
        (lambda: menu.choice("x", None), "choices: expected a sequence"),
        (lambda: menu.dropdown("x", "abc"), "choices: expected a sequence"),
        (lambda: menu.add("text"), "Widget"),
    ]:
        with pytest.raises(TypeError, match=words):
            wrong()
    with pytest.raises(AttributeError, match="has no attribute 'volum'; the nearest are volume"):
        menu.slider("x", game.menu, "volum")
    game.run(2)
    inner.remove()
    with pytest.raises(fw.FrameworkError, match="not on in a game"):
        _ = Settings().ui


class Sized(fw.Widget):
    def __init__(self, size: Any, least: Any = 0) -> None:
        super().__init__()
        self.wanted = size
        self.lowest = least

    def size(self, available: float) -> Any:
        return self.wanted

    def min_content_width(self) -> Any:
        return self.lowest


@pytest.mark.parametrize("size", [(float("nan"), 5), (5, float("inf")), (-1, 5), (5,), "ab"])
def test_an_invalid_size_is_one_clear_error(size: Any) -> None:
    with pytest.raises(ValueError, match=r"Sized\.size: expected two numbers of at least 0"):
        preferred(LayoutBox(Sized(size)), 100, 100)
    row = LayoutBox(direction="row")
    for _ in range(2):  # one of the sizes must be ignored
        row.add(LayoutBox(Sized((80, 5), least=size)))
    with pytest.raises((TypeError, ValueError), match=r"Sized\.min_content_width: expected"):
        layout(row, 100, 100)


def test_a_million_letters_are_fast_and_a_field_has_at_most_its_limit(game: Any) -> None:
    long = "word " * 200_000
    menu = game.menu.menu
    began = time.process_time()
    field = menu.text_field(long, limit=50, hint=long, tooltip=long)
    lines = menu.text_field("", lines=3, limit=10_000)
    lines.text = long
    menu.label(long)
    game.menu.ui.set_focus(lines)
    game.run(2)
    field.text = "a\x00b\x1b\r\nc" + long
    game.run(2)
    assert time.process_time() - began < 5  # 0.1 s here; 4 s for the hint alone, once
    assert (len(lines.text), len(field.text), field.text[:5]) == (10_000, 50, "ab cw")
    lines.caret = lines.mark = len(lines.text)
    before = lines.box.stale
    send(game, "on_text_motion", key.MOTION_BACKSPACE)
    # a letter causes no layout
    assert (len(lines.text), before, interface_of(game.menu.ui).visited) == (9_999, False, 0)


def test_a_letter_in_a_long_field_measures_its_paragraph_once(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make(fw.Game, size=(320, 180))
    single = game.ui.column().text_field(limit=10_000)
    several = game.ui.column().text_field(lines=3, limit=10_000)
    single.text = "ein Weg " * 1200
    several.text = "ein langer Weg\n" * 600
    measured: list[int] = []
    stops = Ruler.stops
    monkeypatch.setattr(
        Ruler,
        "stops",
        lambda self, text, size: measured.append(len(text)) or stops(self, text, size),
    )
    letters = []
    for field in (single, several):
        field.caret = field.mark = len(field.text) - 2
        game.ui.set_focus(field)
        game.run(1)
        measured.clear()
        send(game, "on_text", "x")
        letters.append(sum(measured))
    # and its visible part, for the selection
    assert len(single.text) <= letters[0] < len(single.text) + 100
    assert letters[1] < 200


def test_a_custom_widget_needs_a_few_lines(make: Make) -> None:
    class Dial(fw.Widget):
        focusable = True
        turn = 0

        def size(self, available: float) -> tuple[float, float]:
            return 40, 40

        def paint(self, brush: Any) -> None:
            brush.box(0, 0, self.box.w, self.box.h, fill=(1, 0, 0, 1), radius=20)

        def press(self) -> None:
            self.turn += 1

    game = make(fw.Game, size=(64, 64))
    dial = game.ui.column().add(Dial())
    game.run(1)
    click(game, dial)
    press(game, key.ENTER)
    assert dial.turn == 2
    assert game.pixels()[32, 32].tolist()[:3] == [255, 0, 0]


def test_a_game_without_an_interface_has_none(make: Make) -> None:
    game = make(fw.Game, size=(32, 32))
    assert "ui" not in vars(game._backend.drawables)


def test_neighbors_are_the_visible_neighbors() -> None:
    grid = [(x * 10.0, y * 10.0, 8.0, 8.0) for y in range(3) for x in range(3)]
    assert [neighbour(grid, 4, direction) for direction in ("left", "right", "up", "down")] == [
        3,
        5,
        1,
        7,
    ]
    # the neighbor of the last widget is the first
    assert [neighbour(grid, 0, direction) for direction in ("left", "up")] == [2, 6]
    column = [
        (0.0, 0.0, 100.0, 10.0),
        (0.0, 12.0, 40.0, 10.0),
        (60.0, 12.0, 40.0, 10.0),
        (0.0, 24.0, 100.0, 10.0),
    ]
    assert neighbour(column, 1, "right") == 2
    assert neighbour(column, 2, "down") == 3
    assert neighbour(column, 3, "down") == 0
    assert neighbour([(0.0, 0.0, 5.0, 5.0)], 0, "left") is None


def test_a_horizontal_scroll_follows_wheel_bar_and_focus(make: Make) -> None:
    class Wide(fw.Game):
        def setup(self) -> None:
            self.row = self.ui.column(width=120).scroll(direction="row", height=40)
            self.buttons = [self.row.button(f"No. {number}") for number in range(12)]

    game = make(Wide, size=(160, 90))
    game.run(1)
    row = game.row
    box = game.row.box
    assert box.extent_x > 3 * box.w
    assert all(button.box.w > 40 for button in game.buttons)  # no widget is compressed
    send(game, "on_mouse_scroll", *middle(game, row), 0, -2)
    assert row.offset_x == 80
    send(game, "on_mouse_scroll", *middle(game, row), -1, 0)
    assert row.offset_x == 40
    game.ui.set_focus(game.buttons[-1])
    assert row.offset_x == pytest.approx(box.extent_x - box.w)
    x, y = middle(game, row, 0.0)
    send(game, "on_mouse_press", x + 1, y - box.h / 2 + 3, 1, 0)
    assert row.offset_x == 0


def test_a_field_of_several_lines(make: Make) -> None:
    state: list[str] = []

    class Note(fw.Game):
        def setup(self) -> None:
            self.field = self.ui.column(width=160).text_field("", state.append, lines=3)

    game = make(Note, size=(240, 160))
    game.run(1)
    field = game.field
    game.ui.set_focus(field)
    send(game, "on_text", "Straße, lang genug zum Umbruch")
    assert len(field._rows()) > 1
    press(game, key.ENTER)
    send(game, "on_text", "\r")  # the same key under the name that pyglet has
    send(game, "on_text", "[b]e\u0301")
    assert field.text == "Straße, lang genug zum Umbruch\n[b]e\u0301"
    send(game, "on_text_motion", key.MOTION_LEFT)
    assert field.caret == len(field.text) - 2  # over the letter with its accent
    send(game, "on_text_motion", key.MOTION_UP)
    send(game, "on_text_motion", key.MOTION_BEGINNING_OF_LINE)
    assert 0 < field.caret < field.text.index("\n")
    send(game, "on_text_motion", key.MOTION_BEGINNING_OF_FILE)
    assert field.caret == 0
    for _ in range(5):
        send(game, "on_text_motion", key.MOTION_NEXT_WORD)
    assert field.caret == field.text.index("[")  # after the end of the line
    send(game, "on_text_motion", key.MOTION_PREVIOUS_WORD)
    assert field.caret == field.text.index("Umbruch")
    click(game, field, 0.9)
    assert field.caret > 0
    assert state == []
    send(game, "on_key_press", key.ENTER, key.MOD_CTRL)
    assert state == [field.text]


def test_typed_text_is_not_markup_and_has_the_default_letters(make: Make) -> None:
    game = make(fw.Game, size=(160, 60), background=(0, 0, 0))
    label = game.ui.column(anchor="top left", margin=0).label("[b]", font_size=20, color=(1, 1, 1))
    game.run(1)
    literal = game.pixels()[..., 0].sum()
    label.text = ""
    game.run(1)
    assert literal > 0 == game.pixels()[..., 0].sum()
    shapes = []
    for letter in "äΩЖ":  # each letter has its own image, and none the box for missing letters
        label.text = letter
        game.run(1)
        shapes.append(game.pixels()[..., 0].tobytes())
    assert len(set(shapes)) == 3


@pytest.mark.parametrize(
    ("options", "scale"),
    [
        ({"size": (160, 90)}, 1),
        ({"size": (1920, 1080)}, 1.5),
        ({"size": (3840, 2160)}, 3),
        ({"size": (90, 2160)}, 1),
        ({"size": (1280, 720), "resolution": (320, 180)}, 0.5),
        ({"size": (1280, 720), "resolution": (400, 225)}, 0.5),
        ({"size": (640, 360), "resolution": (40, 30)}, 0.25),
    ],
)
def test_the_scale_follows_the_picture_until_a_scale_is_set(
    make: Make, options: Any, scale: float
) -> None:
    game = make(German, drawing=False, **options)
    game.run(1)
    assert game.ui.scale == scale
    assert_within(game.menu)
    game.ui.scale = 2
    assert game.ui.scale == 2
    game.ui.scale = "auto"
    assert game.ui.scale == scale
    with pytest.raises(ValueError, match="scale"):
        game.ui.scale = "large"


class Texels(fw.Game):
    def setup(self) -> None:
        self.pressed = 0
        self.ui.theme = fw.Theme(radius=0)
        row = self.row = self.ui.row(anchor="bottom left", margin=0, padding=2, panel=True)
        self.button = row.button("Go", self.press, width=40)

    def press(self) -> None:
        self.pressed += 1


def test_pixel_art_widgets_have_whole_texels_and_find_the_mouse(make: Make) -> None:
    game = make(Texels, size=(330, 190), resolution=(80, 45), pixel_art=True, background=(0, 0, 0))
    game.run(2)
    assert game.ui.scale == 0.25
    pixels = game.pixels()
    picture = pixels[5:185, 5:325]  # at four pixels per texel, in the center
    assert (picture == picture[::4, ::4].repeat(4, 0).repeat(4, 1)).all()
    assert colors_in(picture) > 8  # a button, and letters
    assert (pixels[:5] == pixels[0, 0]).all()
    x, y = middle(game, game.button)
    for name in ("on_mouse_press", "on_mouse_release"):
        game.display.window.dispatch_event(name, 5 + 4 * x, 5 + 4 * y, 1, 0)
    game.run(1)
    assert game.pressed == 1


def test_widgets_are_drawn_once_over_all_views(make: Make) -> None:
    class Split(Texels):
        def setup(self) -> None:
            super().setup()
            for area in ((0, 0, 0.5, 1), (0.5, 0, 0.5, 1)):
                self.views.add(fw.Camera2D((80, 60)), area)
            self.button.style(width=100)  # the widget covers both views
            self.add(fw.SpriteBatch(np.full((4, 4, 4), 255, np.uint8))).add(
                position=(0, 0), scale=200
            )

    game = make(Split, size=(160, 60), background=(0, 0, 0))
    game.run(2)
    pixels = game.pixels()
    x, y = game.button.box.absolute_position()
    panel = pixels[int(y) + 4, int(x) + 2 : int(x) + 90]
    assert (panel == panel[0]).all()
    for across in (0.1, 0.9):
        click(game, game.button, across)
    assert game.pressed == 2
    assert not game.mouse.presses("left")


class Login(fw.Game):
    def setup(self) -> None:
        form = self.ui.column(width=300)
        self.edits: list[str] = []
        self.word = form.text_field("", hidden=True, on_edit=self.edits.append)
        self.count = form.text_field("", accepts=str.isdigit)


def test_a_field_masks_its_text_refuses_characters_and_reports_changes(
    make: Make,
) -> None:
    game = make(Login, size=(320, 180))
    game.ui.set_focus(game.word)
    game.run(1)
    game.testing.type("iii")
    game.run(1)
    thin = game.pixels()
    game.testing.feed([("on_text_motion", key.MOTION_BACKSPACE)])
    game.testing.type("W")
    game.run(1)
    assert (game.pixels() == thin).all()  # the number of dots does not depend on the letters
    assert (game.word.text, game.edits) == ("iiW", ["i", "ii", "iii", "ii", "iiW"])
    game.word.mark = 0
    assert shortcut(game.word, key.C) is None
    game.ui.set_focus(game.count)
    game.testing.type("1a2")
    game.run(1)
    assert game.count.text == "12"
    game.testing.feed([("on_text_motion", key.MOTION_BACKSPACE)] * 2)
    game.run(1)
    assert game.count.text == ""
    with pytest.raises(ValueError, match="hidden: expected 1 line in a hidden field, got 3"):
        game.ui.column().text_field(hidden=True, lines=3)


class Circle(fw.Widget):
    """A group whose children are on a circle."""

    turn = 0.0

    def places(self, width: float, height: float, sizes: Any) -> Any:
        for number, (wide, high) in enumerate(sizes):
            angle = self.turn + number * np.pi / 2
            x = width / 2 * (1 + np.cos(angle) / 2)
            y = height / 2 * (1 - np.sin(angle) / 2)
            yield round(x - wide / 2), round(y - high / 2), wide, high


def test_a_widget_may_position_its_children_freely(make: Make) -> None:
    game = make(fw.Game, size=(320, 180))
    ring = game.ui.column(padding=0, margin=0).add(Circle(width=200, height=100))
    boxes = [fw.Widget(width=20, height=10) for _ in range(4)]
    for box in boxes:
        ring.add(box)
    game.run(1)
    assert [(box.box.x, box.box.y) for box in boxes] == [(140, 45), (90, 20), (40, 45), (90, 70)]
    ring.turn = np.pi / 2
    ring.changed(sized=True)
    game.run(1)
    assert (boxes[0].box.x, boxes[0].box.y) == (90, 20)
    ring.places = lambda width, height, sizes: [(0, 0, 1)] * 4
    ring.changed(sized=True)
    with pytest.raises(ValueError, match=r"places: expected \(x, y, width, height\) for each of 4"):
        game.run(1)
    del ring.places


def test_a_widget_and_its_children_may_have_their_own_theme(make: Make) -> None:
    game = make(fw.Game, size=(320, 180))
    column = game.ui.column(width=200)
    plain = column.button("")
    red = column.row(theme=fw.Theme(control="#f00", text="#fff", font_size=40))
    inner = red.button("a")
    light = red.button("", theme="light", height=40)
    game.run(1)
    assert (plain.theme.font_size, inner.theme.font_size, inner.current_font_size) == (20, 40, 40)
    assert light.theme is not red.theme

    def seen(widget: Any) -> tuple[int, ...]:
        x, y = widget.box.absolute_position()
        return tuple(
            game.pixels()[int(y + widget.box.h - 4), int(x + widget.box.w / 2), :3].tolist()
        )

    assert seen(inner) == (255, 0, 0)
    assert seen(light) == (0xE1, 0xE6, 0xEF)
    assert seen(plain) == (0x22, 0x2A, 0x38)
    red.theme = None
    game.run(2)  # until the moved widget is at its position
    assert inner.current_font_size == 20
    assert seen(inner) == seen(plain)
    with pytest.raises(ValueError, match="unknown theme 'lihgt'"):
        red.theme = "lihgt"


def test_an_error_leaves_all_widgets_unchanged(make: Make) -> None:
    class Bad:
        level = float("nan")
        name = "no"

    game = make(fw.Game, size=(64, 64), drawing=False)
    menu = game.ui.column()
    button = menu.button("x", width=20)
    for styles in (
        {"width": 30, "height": -1},
        {"width": "50%", "grow": float("nan")},
        {"height": 5, "widht": 3},
    ):
        with pytest.raises((TypeError, ValueError)):
            button.style(**styles)
    game.run(1)
    assert (button.box.width, button.box.height, button.box.grow) == (20, None, 0)
    for name, error in (("level", ValueError), ("name", TypeError)):
        with pytest.raises(error, match=name):
            menu.slider("x", Bad, name)
    good = Bad()
    good.level = 0.5
    slider = menu.slider("x", good, "level")
    good.level = float("nan")
    game.ui.set_focus(slider)
    press(game, key.RIGHT)
    assert good.level == 0.05


def test_sides_of_boxes_are_on_whole_pixels(make: Make) -> None:
    class Boxes(fw.Game):
        def setup(self) -> None:
            self.ui.theme = fw.Theme(radius=0, edge_width=0, panel="#ff0000")
            row = self.ui.row(anchor="top left", margin=0, padding=3.3, gap=1.7)
            for width in (0.2, 5.5, 9.9):
                row.column(width=width, height=7.4, panel=True)

    game = make(Boxes, size=(48, 24), background=(0, 0, 0))
    game.run(2)
    red = game.pixels()[..., 0]
    assert set(np.unique(red)) == {0, 255}
    covered = (red > 0).any(axis=0)
    # three widgets, and none is lost
    assert np.flatnonzero(np.diff(covered.astype(int))).tolist() == [2, 3, 4, 10, 11, 21]


def test_a_button_has_an_image_beside_its_text_or_instead_of_it(make: Make) -> None:
    game = make(fw.Game, size=(320, 180))
    red = np.full((30, 20, 4), (255, 0, 0, 255), np.uint8)
    column = game.ui.column(align="start")
    with_text = column.button("Go", image=red)
    alone = column.button("", image=red)
    small = column.button("", image=red, width=24, height=19, padding=2)
    game.run(1)
    text = ruler_of(with_text).width("Go", with_text.current_font_size)
    assert (with_text.box.w, with_text.box.h) == (pytest.approx(14 + 20 + 8 + text + 14), 46)
    assert (alone.box.w, alone.box.h) == (48, 46)

    def seen(widget: Any) -> list[int]:
        x, y = map(round, widget.box.absolute_position())
        part = game.pixels()[y : y + round(widget.box.h), x : x + round(widget.box.w), :3]
        position = np.argwhere((part == (255, 0, 0)).all(axis=2))
        return [*position.min(0), *position.max(0) + 1]

    assert seen(with_text) == [8, 14, 38, 34]
    assert seen(alone) == [8, 14, 38, 34]
    top, left, bottom, right = seen(small)
    assert (bottom - top, right - left) == (15, 10)
    alone.image = red[:, :10]
    game.run(1)
    assert alone.box.w == 38
    alone.image = None
    game.run(1)
    assert alone.box.w == 28


def test_a_changed_text_is_drawn_by_mesas_noop_driver():
    """This driver crashes if a part of a buffer is written after a draw. Other drivers ignore the
    variable."""
    code = """
import framework as fw
class Many(fw.Game):
    def setup(self):
        row = self.ui.row(wrap=True, width=1270)
        self.texts = [row.label(f"Label {index}") for index in range(200)]
    def update(self, dt):
        self.texts[1].text = f"L {self.tick}"
game = Many(headless=True, size=(1280, 720))
game.run(60)
print(game.tick > 50)
"""
    done = run_python(code, env={**os.environ, "GALLIUM_NOOP": "1"})
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize("control", ["enter", "space", "pad:a"])
def test_without_a_focus_the_first_press_activates_the_first_widget(
    make: Make, control: str
) -> None:
    game = make(fw.Game, drawing=False)
    log: list[str] = []
    menu = game.ui.column()
    menu.button("Play", lambda: log.append("play"))
    menu.button("Quit", lambda: log.append("quit"))
    for _ in range(2):
        game.testing.press(control)
        game.run_ticks(1)
        game.testing.release(control)
        game.run_ticks(1)
    assert log == ["play", "play"]
    assert game.ui.focus is menu.children[0]


def test_values_slightly_outside_their_range_are_accepted(make: Make) -> None:
    game = make(fw.Game, drawing=False)
    menu = game.ui.column()
    bar = menu.progress_bar(1.0000001)
    slider = menu.slider("Level", min_value=-0.1, max_value=0.2, steps=3, value=0.2000001)
    assert (bar.value, slider.value) == (1, 0.2)
    for value, expected in [(-1.33, 0), (1.2, 1), (0.25, 0.25)]:
        bar.value = value
        assert bar.value == expected
    for value in (sum([0.1] * 10) / 10 + 0.1, -0.1 - 1e-9):
        slider.value = value
        assert slider.value == pytest.approx(value)
    game.audio.buses["music"].volume = 0.3 - 0.1 - 0.1 - 0.1  # -2.8e-17
    assert game.audio.buses["music"].volume == 0
    for value in (0.21, -0.2):
        with pytest.raises(ValueError, match=r"value: expected a finite number from -0\.1 to 0\.2"):
            slider.value = value
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="value: expected a finite number"):
            bar.value = value
    with pytest.warns(RuntimeWarning, match="80 is displayed as 1; divide a percentage by 100"):
        bar.value = 80


def test_every_slider_can_be_dragged_to_both_ends(make: Make) -> None:
    game = make(fw.Game, drawing=False)
    for low, high in [
        (0.0, 0.1),
        (0.7, 2.9),
        (-1e12, 0.1),
        (1e-3, 1.1e-3),
        (0.1, 0.7),
        (3.3e11, 4.7e11),
    ]:
        slider = game.ui.column().slider("Level", min_value=low, max_value=high, steps=3)
        for _ in range(5):
            slider.on_direction("right")
        assert slider.value == high
        for _ in range(5):
            slider.on_direction("left")
        assert slider.value == low


def of_each_kind(group: Any) -> list[Any]:
    picture = np.full((16, 16, 4), (255, 120, 0, 255), np.uint8)
    return [
        group.label("Label"),
        group.image(picture),
        group.button("Button"),
        group.button("", image=picture),
        group.toggle("On", value=True),
        group.toggle("Off"),
        group.choice("Quality", ["low", "high"]),
        group.slider("Music", value=0.5),
        group.progress_bar(0.5),
        group.text_field("typed"),
        group.dropdown("List", ["low", "high"]),
    ]


def relative_luminance(color: Any) -> float:
    linear = fw.srgb(tuple(color[:3]))
    return float(np.dot(linear[:3], (0.2126, 0.7152, 0.0722)))


@pytest.mark.repository
def test_the_page_of_widgets_names_every_theme() -> None:
    page = (Path(__file__).parents[1] / "docs" / "widgets.md").read_text(encoding="utf-8")
    assert [name for name in THEMES if f'"{name}"' not in page] == []


@pytest.mark.parametrize("theme", [*THEMES, "skins"])
def test_every_theme_distinguishes_disabled_widgets_also_in_a_disabled_group(
    make: Make, theme: str
) -> None:
    skin = np.full((12, 12, 4), (90, 200, 90, 255), np.uint8)
    skins = dict.fromkeys(("fill_skin", "thumb_skin", "on_skin", "off_skin"), skin)
    pictures = []
    for how in ("enabled", "group", "each", "group again"):
        game = make(fw.Game, size=(300, 600))
        game.ui.theme = fw.Theme().with_(**skins) if theme == "skins" else theme
        root = game.ui.column(width=260, panel=True)
        group = root.column()
        widgets = of_each_kind(group)
        group.enabled = how != "group"
        for widget in widgets:
            widget.enabled = how != "each"
        if how == "group again":
            game.run(2)
            group.enabled = False  # repaints all widgets in the group
        game.run(2)
        pictures.append(game.pixels()[..., :3].astype(int))
        boxes = [
            (*widget.box.absolute_position(), widget.box.w, widget.box.h) for widget in widgets
        ]
    enabled, disabled, *remaining = pictures
    for variant in remaining:
        assert (variant == disabled).all()
    for widget, (x, y, w, h) in zip(widgets, boxes, strict=True):
        part = np.s_[round(y) : round(y + h), round(x) : round(x + w)]
        changed = np.abs(enabled[part] - disabled[part]).max(axis=-1) >= 40
        assert changed.sum() >= 20, widget
    if theme != "skins":
        colors = game.ui.theme
        text, dim, back = (
            relative_luminance(color) + 0.05
            for color in (colors.text, colors.disabled, colors.panel)
        )
        assert max(dim, back) / min(dim, back) >= 4.5
        assert max(dim, text) / min(dim, text) >= 2


class NotingGame(fw.Game):
    """A game that notes the text and the clicks that no widget uses."""

    def setup(self) -> None:
        self.background = "white"
        self.events: list[Any] = []
        self.menu = self.ui.column(anchor="top left", hud=True)
        self.first = self.menu.text_field("ab")
        self.second = self.menu.button("Go", print)

    def on_text(self, text: str) -> None:
        self.events.append(text)

    def on_text_motion(self, motion: int) -> None:
        self.events.append(motion)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.events.append(button)


def test_text_that_no_widget_uses_reaches_the_game(make: Make) -> None:
    game = make(NotingGame, size=(200, 120))
    game.run(1)
    send(game, "on_text", "a")
    send(game, "on_text_motion", key.MOTION_LEFT)
    assert game.events == ["a", key.MOTION_LEFT]
    game.ui.set_focus(game.first)
    send(game, "on_text_motion", key.MOTION_LEFT)
    send(game, "on_text", "c")
    assert (len(game.events), game.first.text) == (2, "acb")


def test_the_down_key_leaves_a_field_of_one_line(make: Make) -> None:
    game = make(NotingGame, size=(200, 120))
    game.menu.hud = False
    game.run(1)
    game.ui.set_focus(game.first)
    press(game, key.DOWN)
    assert game.ui.focus is game.second
    press(game, key.UP)
    assert game.ui.focus is game.first


def test_clicks_on_a_disabled_field_do_not_reach_the_game(make: Make) -> None:
    game = make(NotingGame, size=(200, 120))
    game.first.enabled = False
    game.run(1)
    click(game, game.first)
    assert game.events == []


def test_a_modal_root_darkens_the_whole_screen_and_images_keep_their_colors(make: Make) -> None:
    class Painted(fw.Widget):
        def paint(self, brush: Any) -> None:
            brush.image(solid(4, 4, (90, 60, 30, 255)), 0, 0, 10, 10)

    game = make(NotingGame, size=(64, 48))
    root = game.ui.column(modal=True, anchor="center")
    root.add(Painted(width=10, height=10))
    game.run(1)
    pixels = game.pixels()
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert (border[:, :3] == pixels[0, 0, :3]).all()
    assert pixels[0, 0, 0] < 255
    assert tuple(pixels[24, 32, :3]) == (90, 60, 30)


def test_margins_are_at_most_an_eighth_of_a_small_screen() -> None:
    area = area_of(fw.widgets.Root(margin=24), 800, 80)
    assert (area.x, area.y) == (10, 10)


@pytest.mark.parametrize("kind", ["choice", "dropdown"])
def test_endless_choices_are_refused_at_once(make: Make, kind: str) -> None:
    create = getattr(make().ui.column(), kind)
    for choices in (range(1 << 40), itertools.count()):
        with pytest.raises(ValueError, match=r"choices: expected 1 to 10?,000 values, got "):
            create("Level", choices)


@pytest.mark.parametrize("source", ["1", "pad:x"])
def test_a_button_has_a_key_and_a_gamepad_button(source: str) -> None:
    presses = []
    with fw.Game(drawing=False) as game:
        bar = game.ui.row(hud=True)
        bar.button("Gun", lambda: presses.append("gun"), action=["1", "pad:x"])
        game.testing.press(source)
        game.run_ticks(2)
        assert presses == ["gun"]


@pytest.mark.parametrize("source", ["1", "pad:x"])
def test_a_button_gets_keys_by_assignment(source: str) -> None:
    presses = []
    with fw.Game(drawing=False) as game:
        gun = game.ui.row(hud=True).button("Gun", lambda: presses.append("gun"), action="f5")
        gun.action = ["1", "pad:X"]
        assert gun.action == ("1", "pad:x")
        game.testing.press(source)
        game.run_ticks(2)
        assert presses == ["gun"]
        for value, error in (("escpae", ValueError), (["1", "escpae"], ValueError), (3, TypeError)):
            with pytest.raises(error, match=r"^action: expected"):
                gun.action = value
        assert gun.action == ("1", "pad:x")
        gun.action = None
        game.testing.press(source)
        game.run_ticks(2)
        assert presses == ["gun"]
