"""Focus, pointer and held buttons while widgets appear and disappear, and several dialogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_ui_widgets import click, middle, pad, press, send

import framework as fw
from framework.input import key
from framework.ui.interface import interface_of
from framework.ui.listbox import ListBox
from framework.ui.widget import node_of

Make = Callable[..., Any]


class Panel(fw.Game):
    """A game with one widget of each kind and a log of calls."""

    def setup(self) -> None:
        self.log: list[Any] = []
        menu = self.menu = self.ui.column(width=200, padding=4, gap=4)
        self.buttons = [
            menu.button(name, lambda name=name: self.log.append(name)) for name in "abc"
        ]
        self.slider = menu.slider("Level", self.log.append, min_value=0, max_value=10, steps=10)
        self.field = menu.text_field("word", self.log.append)
        self.volume = menu.toggle("Loud", self.log.append)

    def on_mouse_drag(self, *arguments: Any) -> None:
        self.log.append("drag")


@pytest.fixture
def game(make: Make) -> Any:
    game = make(Panel, size=(320, 360))
    game.run(1)
    return game


def away(widget: Any, how: str) -> None:
    if how == "removed":
        widget.remove()
    elif how == "hidden":
        widget.visible = False
    else:
        widget.enabled = False


@pytest.mark.parametrize("how", ["removed", "hidden", "disabled"])
def test_a_widget_that_goes_away_leaves_nothing_stuck(game: Any, how: str) -> None:
    ui, (a, b, c), slider, field = game.ui, game.buttons, game.slider, game.field
    position = middle(game, b)
    send(game, "on_mouse_press", *position, 1, 0)
    assert b.held
    away(b, how)
    assert (interface_of(ui).held, interface_of(ui).hovered, ui.focus) == (
        None,
        None,
        c,
    )  # the focus moves to the next button
    send(game, "on_mouse_drag", position[0] + 1, position[1], 1, 0, 1, 0)
    send(game, "on_mouse_release", *middle(game, a), 1, 0)
    assert game.log == []  # the release is neither a press of the button nor a drag of the game
    assert not interface_of(ui).taken

    position = middle(game, slider, 0.9)
    send(game, "on_mouse_press", *position, 1, 0)
    log, value = list(game.log), slider.value
    away(slider, how)
    send(game, "on_mouse_drag", position[0] - 90, position[1], -90, 0, 1, 0)
    send(game, "on_mouse_release", *position, 1, 0)
    assert (slider.value, game.log) == (value, log)

    ui.set_focus(field)
    away(game.volume, how)
    away(field, how)
    assert ui.focus is c  # no button comes after this one
    send(game, "on_text", "x")
    send(game, "on_text_motion", key.MOTION_BACKSPACE)
    assert field.text == "word"
    game.menu.clear()
    assert ui.focus is None
    press(game, key.DOWN)


@pytest.mark.parametrize("how", ["removed", "hidden", "disabled"])
def test_a_widget_that_is_not_usable_is_refused_as_the_focus(game: Any, how: str) -> None:
    away(game.field, how)
    with pytest.raises(ValueError, match="cannot have the focus"):
        game.ui.set_focus(game.field)


def test_a_hidden_parent_removes_the_focus_of_its_widgets(game: Any) -> None:
    ui = game.ui
    ui.set_focus(game.field)
    game.menu.visible = False
    assert ui.focus is None
    send(game, "on_key_press", key.X, 0)
    assert game.keys["x"]
    with pytest.raises(ValueError, match="visible, enabled"):
        ui.set_focus(game.field)
    game.menu.visible = True
    press(game, key.DOWN)
    assert ui.focus is game.buttons[0]


def test_tab_stays_in_the_menu_that_has_the_focus(make: Make) -> None:
    class Menus(fw.Game):
        def setup(self) -> None:
            left = self.ui.column(anchor="left")
            right = self.ui.column(anchor="right")
            self.left = [left.button(name) for name in "ab"]
            self.right = [right.button(name) for name in "cd"]

    game = make(Menus)
    game.run(1)
    for buttons in (game.left, game.right):
        game.ui.set_focus(buttons[0])
        press(game, key.TAB)
        assert game.ui.focus is buttons[1]
        press(game, key.TAB)
        assert game.ui.focus is buttons[0]


def test_a_tooltip_disappears_with_its_widget_and_hover_follows_widgets_that_move(
    game: Any,
) -> None:
    a, b, c = game.buttons
    game.menu.anchor = "top"
    b.tooltip = "the second"
    game.run(1)
    send(game, "on_mouse_motion", *middle(game, b), 0, 0)
    game.run(60)
    assert interface_of(game.ui).tip is not None
    a.visible = False
    game.run(1)
    assert interface_of(game.ui).hovered is c
    send(game, "on_mouse_motion", *middle(game, b), 0, 1)
    game.run(60)
    assert interface_of(game.ui).tip is not None
    b.remove()
    assert interface_of(game.ui).tip is None


def ask(game: Any, answers: list[Any], question: str) -> Any:
    async def asks() -> None:
        answers.append((question, await game.ui.ask(question, "Yes", "No")))

    task = game.start(asks())
    game.run(2)
    return task


def test_of_two_dialogs_the_newest_is_answered_first_and_then_the_focus_returns(game: Any) -> None:
    ui, answers = game.ui, []
    ui.set_focus(game.field)
    ask(game, answers, "first")
    ask(game, answers, "second")
    assert len(ui.roots) == 3
    send(game, "on_text", "x")
    assert game.field.text == "word"  # the covered field receives no text
    press(game, key.ENTER)
    game.run(1)
    assert answers == [("second", "Yes")]
    assert ui.focus.text == "Yes"
    pad(game, "b")
    game.run(1)
    assert answers == [("second", "Yes"), ("first", "No")]
    assert game.field.focused


def test_a_cancelled_dialog_below_leaves_the_focus_to_the_dialog_above(game: Any) -> None:
    ui, answers = game.ui, []
    ui.set_focus(game.buttons[1])
    below = ask(game, answers, "first")
    ask(game, answers, "second")
    above = ui.focus
    below.cancel()
    assert ui.focus is above
    game.buttons[1].enabled = False
    press(game, key.RIGHT, key.ENTER)
    game.run(1)
    assert answers == [("second", "No")]
    assert ui.focus is game.buttons[2]  # the widget that had the focus first cannot have it now
    assert len(ui.roots) == 1


def test_only_the_first_of_two_answers_in_a_tick_counts(game: Any) -> None:
    answers: list[Any] = []
    ask(game, answers, "sure")
    yes, no = game.ui.roots[-1].children[1].children
    for widget in (yes, no):
        for name in ("on_mouse_press", "on_mouse_release"):
            game.display.window.dispatch_event(name, *middle(game, widget), 1, 0)
    game.run(2)
    assert answers == [("sure", "Yes")]


def test_a_dialog_of_a_covered_scene_waits_and_ends_with_its_scene(
    game: Any,
) -> None:
    answers: list[Any] = []
    ask(game, answers, "below")
    game.push(fw.scenes.Menu("Over it", {"Go on": None}))
    press(game, key.ENTER, key.ENTER)  # removes the menu, then answers the dialog
    game.run(1)
    assert answers == [("below", "Yes")]

    class Asks(fw.Scene):
        def setup(self) -> None:
            self.start(self.asks())

        async def asks(self) -> None:
            try:
                answers.append(await self.ui.ask("Really?"))
            finally:
                answers.append("left")

    scene = Asks()
    game.push(scene)
    game.run(2)
    ui = scene.ui
    assert interface_of(ui).has_modal()
    game.pop()
    assert answers[1:] == ["left"]
    assert ui.roots == []
    press(game, key.DOWN)


def test_the_task_of_a_removed_dialog_ends_without_an_error(game: Any) -> None:
    answers: list[Any] = []
    task = ask(game, answers, "gone")
    for root in game.ui.roots.copy():
        root.remove()
    task.cancel()
    assert (task.over, answers) == (True, [])


def test_two_tasks_that_wait_for_a_press_get_one_press_each(game: Any) -> None:
    presses: list[Any] = []

    async def waits(name: str) -> None:
        presses.append((name, await game.ui.next_press()))

    for name in ("first", "second"):
        game.start(waits(name))
    ended = game.start(waits("third"))
    game.run(2)
    ended.cancel()
    press(game, key.X, key.Y)
    game.run(1)
    assert presses == [("second", "x"), ("first", "y")]


def test_two_presses_of_back_in_a_tick_remove_only_one_scene(game: Any) -> None:
    below = fw.scenes.Menu("Below", {"Go on": None})
    for _ in range(2):
        game.push(below)
        game.push(fw.scenes.Menu("Over it", {"Go on": None}))
        game.run(1)
        for _ in range(2):
            game.display.window.dispatch_event("on_key_press", key.ENTER, 0)
            game.display.window.dispatch_event("on_key_release", key.ENTER, 0)
        game.run(2)
        assert game.scene is below
        game.pop()
        game.timestep.time_scale = 0  # time is stopped, so events arrive at once


def test_a_rewind_restores_a_held_button_a_dragged_slider_and_an_edited_field(make: Make) -> None:
    game = make(Panel, size=(320, 360))
    game.recording.rewind = fw.Rewind(duration=9)
    game.run(1)
    ui, slider = game.ui, game.slider
    x, y = middle(game, slider, 0.8)
    send(game, "on_mouse_press", x, y, 1, 0)
    state_hash, tick, value = game.state_hash(), game.tick, slider.value
    send(game, "on_mouse_drag", x - 60, y, -60, 0, 1, 0)
    send(game, "on_mouse_release", x - 60, y, 1, 0)
    press(game, key.DOWN)
    send(game, "on_text", "x")
    game.run(2)
    game.recording.rewind.seek(tick)
    assert (game.state_hash(), slider.value, slider.held) == (state_hash, value, True)
    game.recording.rewind.show()  # as F4 does, with the mouse button up
    game.advance(0.05)
    game.recording.rewind.resume()
    game.run(1)
    assert not slider.held
    assert not interface_of(ui).taken
    send(game, "on_mouse_motion", x - 60, y, -60, 0)
    assert slider.value == value
    ui.set_focus(game.field)
    send(game, "on_text", "y")
    send(game, "on_text_motion_select", key.MOTION_LEFT)
    saved, text = game.snapshot(), game.field.text
    send(game, "on_text_motion", key.MOTION_BACKSPACE)
    press(game, key.ESCAPE)
    game.restore(saved)
    assert (game.field.text, game.field.selected, game.field.focused) == (text, "y", True)
    send(game, "on_text", "z")
    assert game.field.text == "wordz"


# -- random actions --------------------------------------------------------------------------------

WHICH = st.integers(0, 30)
ACTS = st.one_of(
    st.tuples(
        st.just("key"),
        st.sampled_from([key.UP, key.DOWN, key.LEFT, key.RIGHT, key.TAB, key.ENTER, key.ESCAPE]),
    ),
    st.tuples(st.just("pad"), st.sampled_from(["a", "b", "dpup", "dpright", "x", "start"])),
    st.tuples(st.sampled_from(["down", "up", "drag", "wheel"]), WHICH),
    st.tuples(st.sampled_from(["text", "back"]), WHICH),
    st.tuples(
        st.sampled_from(["removed", "hidden", "disabled", "shown", "enabled", "focus", "added"]),
        WHICH,
    ),
    st.tuples(
        st.sampled_from(["modal", "window", "list", "clear", "ask", "cancel", "restore"]), WHICH
    ),
)


class RandomActions:
    """Random actions in a game, with a check of the interface after each."""

    def __init__(self, game: Any) -> None:
        self.game, self.ui, self.tasks, self.answers = game, game.ui, [], []  # type: ignore[var-annotated]
        self.saved = game.snapshot()

    def pick(self, number: int) -> Any:
        widgets = [widget for root in self.ui.roots for widget in node_of(root).walk()]
        return widgets[number % len(widgets)] if widgets else None

    def do(self, action: str, number: Any) -> None:
        game, ui = self.game, self.ui
        if action == "key":
            press(game, number)
        elif action == "pad":
            pad(game, number)
        elif action in ("text", "back"):
            send(
                game,
                *(
                    ("on_text", "q")
                    if action == "text"
                    else ("on_text_motion", key.MOTION_BACKSPACE)
                ),
            )
        elif action == "ask":
            self.tasks.append(ask(game, self.answers, "sure"))
        elif action == "cancel" and self.tasks:
            self.tasks.pop(number % len(self.tasks)).cancel()
        elif action == "restore":
            for task in self.tasks:
                task.cancel()
            self.tasks.clear()
            game.restore(self.saved)
        elif action == "list":
            ui.column().dropdown("Land", ["Iceland", "Italy"]).open()
        elif action in ("modal", "window"):
            root = ui.column(modal=True) if action == "modal" else ui.window("Bag")
            root.button("new").parent.text_field("new")
        else:
            self.to(action, self.pick(number))
        game.run(1)

    def to(self, action: str, widget: Any) -> None:
        game, ui = self.game, self.ui
        if widget is None:
            return
        if action in ("removed", "hidden", "disabled"):
            away(widget, action)
        elif action in ("shown", "enabled"):
            setattr(widget, "visible" if action == "shown" else "enabled", True)
        elif action == "focus" and widget.focusable and node_of(widget).interactive:
            ui.set_focus(widget)
        elif action == "clear" and hasattr(widget, "clear"):
            widget.clear()
        elif action == "added" and hasattr(widget, "button"):
            widget.button("more", tooltip="more")
        elif action == "wheel":
            send(game, "on_mouse_scroll", *middle(game, widget), 0, -1)
        elif action == "down":
            send(game, "on_mouse_press", *middle(game, widget), 1, 0)
        elif action == "drag":
            send(game, "on_mouse_drag", *middle(game, widget, 0.9), 3, 3, 1, 0)
        elif action == "up":
            send(game, "on_mouse_release", *middle(game, widget), 1, 0)

    def check(self) -> None:
        for widget in (self.ui.focus, interface_of(self.ui).held):
            assert widget is None or (widget.ui is self.ui and node_of(widget).interactive)
        assert self.ui.focus is None or self.ui.focus.focusable
        lists = [root for root in self.ui.roots if isinstance(root, ListBox)]
        assert all(
            node_of(root.serves).interactive and root.serves.opened is root for root in lists
        )
        assert len(lists) <= 1
        assert interface_of(self.ui).hovered is None or (
            interface_of(self.ui).hovered.ui is self.ui and interface_of(self.ui).hovered.visible
        )  # the pointer may be over a tooltip


@pytest.fixture(scope="module")
def random_actions() -> Iterator[RandomActions]:
    game = Panel(size=(200, 160), headless=True, drawing=False, frame_stats=False)
    game.run(1)
    yield RandomActions(game)
    game.close()


@settings(max_examples=25)
@given(acts=st.lists(ACTS, max_size=14))
def test_random_actions_raise_nothing_and_the_focus_stays_on_a_usable_widget(
    random_actions: RandomActions, acts: Any
) -> None:
    random_actions.do("restore", 0)
    random_actions.game.testing.feed([("on_mouse_release", 1, 1, 1, 0), ("on_deactivate",)])
    random_actions.game.run(1)
    for action, number in acts:
        random_actions.do(action, number)
        random_actions.check()


def test_a_gamepad_types_with_the_screen_keyboard(game: Any) -> None:
    ui, field = game.ui, game.field
    field.text = "ab"
    field.caret = field.mark = 2
    ui.set_focus(field)
    pad(game, "a")
    assert len(ui.roots) == 2
    assert ui.focus.text == "q"
    pad(
        game, "dpright", "a", "y", "x", "leftshoulder", "x"
    )  # w, a space and its end, to the left, and b is deleted
    line = ui.roots[1].children[0]
    assert (field.text, field.caret, line.text) == ("aw", 1, "a|w")
    send(game, "on_text", "Ω")
    assert line.text == "aΩ|w"
    send(game, "on_text_motion", key.MOTION_BACKSPACE)
    assert line.text == "a|w"
    press(game, key.DOWN, key.DOWN, key.DOWN, key.LEFT, key.ENTER)  # capital letters
    assert "W" in [button.text for button in ui.roots[1].children[1].children]
    click(game, ui.roots[1].children[1].children[11])
    assert field.text == "aWw"
    for _ in range(5):
        # all pages of other letters, then the first page again
        click(game, ui.roots[1].children[2].children[1])
    assert ui.roots[1].first.text == "Q"
    pad(game, "start")
    assert game.log == ["aWw"]
    assert (len(ui.roots), ui.focus) == (1, field)
    pad(game, "a")
    field.visible = False  # the keyboard closes with its field
    assert len(ui.roots) == 1
    assert ui.focus is game.volume
    field.visible = True
    ui.set_focus(field)
    pad(game, "a", "b")
    assert ui.focus is field
    pad(game, "a")
    field.remove()
    assert (len(ui.roots), ui.focus) == (1, game.volume)
    game.menu.add(field)
    ui.set_focus(field)
    ui.screen_keyboard = False
    pad(game, "a")
    assert len(ui.roots) == 1


def test_the_keyboard_and_dialogs_use_the_words_of_the_theme(game: Any) -> None:
    ui = game.ui
    ui.theme = fw.Theme(words={"Space": "Leertaste", "OK": "Fertig", "Close": "Zu"})
    ui.open_keyboard(game.field)
    row = ui.roots[1].children[2].children
    assert [row[4].text, row[-2].text, row[-1].tooltip] == ["Leertaste", "Fertig", "Zu"]
    assert row[0].tooltip == "Capital letters"  # the theme has no other word for this
    ui.theme, german = fw.Theme(words={"Space": "Espace"}), ui.theme
    # the keyboard is still open
    assert [row[4].text, row[-2].text, row[-1].tooltip] == ["Espace", "OK", "Close"]
    ui.theme = german
    pad(game, "b")
    answers: list[str] = []

    async def asks() -> None:
        answers.append(await ui.ask("Sure?"))

    game.start(asks())
    game.run(2)
    pad(game, "a")
    assert answers == ["Fertig"]
    with pytest.raises(ValueError, match="unknown word 'Spcae'; the nearest are Space"):
        fw.Theme(words={"Spcae": "x"})


def test_built_in_scenes_use_the_words_of_the_theme(game: Any) -> None:
    class Settings(fw.scenes.Settings):
        def setup(self) -> None:
            self.ui.theme = fw.Theme(words={"Back": "Zurück", "Full screen": "Vollbild"})
            super().setup()

    scene = Settings([])
    game.push(scene)
    game.run(2)
    assert [getattr(child, "text", "") for child in scene.column.children] == [
        "Settings",
        "Volume",
        "Vollbild",
        "Zurück",
    ]
    scene.ui.theme = "light"
    assert scene.column.children[-1].text == "Back"
    for wrong in ({"text": "Bakc"}, {"letters": "Back"}):
        with pytest.raises(ValueError, match=r"Back|'text'"):
            scene.column.label().say(**wrong)


@pytest.mark.parametrize("drawing", [True, False])
def test_the_first_tick_after_a_restore_finds_the_widget_under_the_pointer(
    make: Make, drawing: bool
) -> None:
    game = make(fw.Game, size=(160, 90), drawing=drawing)
    rows = game.ui.column(width=100, margin=0, gap=0)
    for number in range(9):
        rows.button(f"{number}")
    game.testing.feed([("on_mouse_motion", 80, 80, 0, 0)])
    game.run(2)
    saved, hovered = game.snapshot(), []
    for _ in range(2):
        game.testing.feed([("on_mouse_scroll", 80, 80, 0, -2)])
        game.run(2)
        hovered.append((interface_of(game.ui).hovered.text, game.state_hash()))
        game.restore(saved)
    assert hovered == [hovered[0]] * 2
    assert hovered[0][0] != "0"


class Dice(fw.Widget):
    """A custom widget that accepts text and removes other widgets."""

    focusable = True
    typed = ""

    def size(self, available: float) -> tuple[float, float]:
        return 20, 20

    def type(self, text: str) -> None:
        self.typed += text

    def press(self) -> None:
        self.typed += "!"

    def on_direction(self, direction: str) -> bool:
        for sibling in self.parent.children[1:]:  # type: ignore[union-attr]
            sibling.remove()
        return False


def test_a_custom_widget_accepts_text_and_may_remove_other_widgets_during_navigation(
    game: Any,
) -> None:
    root = game.ui.column(modal=False)
    dice = root.add(Dice())
    root.button("other")
    game.ui.set_focus(dice)
    received: list[Any] = []
    game.on_key_press = lambda *event: received.append(event)
    for letter in "a ":
        for event in (
            ("on_key_press", ord(letter), 0),
            ("on_text", letter),
            ("on_key_release", ord(letter), 0),
        ):
            send(game, *event)
    assert (dice.typed, received) == ("a!", [])  # Space presses
    pad(game, "dpdown")
    assert (len(root.children), game.ui.focus) == (1, dice)


class Slot(fw.Widget):
    focusable = True

    def __init__(self, name: str, log: list[Any], consumes: bool = True) -> None:
        super().__init__()
        self.name, self.log, self.consumes = name, log, consumes

    def size(self, available: float) -> tuple[float, float]:
        return 40, 40

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.log.append((self.name, "down", x, y, button, modifiers))
        return self.consumes

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.log.append((self.name, "up", x, y, button, modifiers))

    def press(self) -> None:
        self.log.append((self.name, "press"))


class Card(fw.widgets.Group):
    solid = True

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        self.log.append(("card", "down", button))
        return True

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.log.append(("card", "up", button))


class Bag(fw.Game):
    def setup(self) -> None:
        self.log: list[Any] = []
        row = self.ui.row(anchor="bottom left", margin=0, gap=0)
        self.a = row.add(Slot("a", self.log))
        self.b = row.add(Slot("b", self.log))
        self.card = row.add(Card(width=80, height=40, direction="row"))
        self.card.log = self.log
        self.inner = self.card.add(Slot("inner", self.log, consumes=False))
        self.button = self.card.button("x", lambda: self.log.append("x"), width=40)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.log.append("game")

    def logged(self) -> list[Any]:
        lines, self.log[:] = list(self.log), []
        return lines


def test_a_custom_widget_receives_all_buttons_and_their_release_outside(make: Make) -> None:
    game = make(Bag, size=(320, 80))
    game.run(1)
    for button in (1, 4, 2):
        send(game, "on_mouse_press", 10, 30, button, 5)
        assert game.logged() == [("a", "down", 10, 10, button, 5)]
        assert game.a.held is (button == 1)
        send(game, "on_mouse_drag", 60, 35, 50, 5, button, 0)
        assert game.b.hovered
        send(game, "on_mouse_release", 60, 35, button, 0)
        assert game.logged() == [("a", "up", 60, 5, button, 0)]
    send(game, "on_mouse_press", 10, 30, 4, 0)
    send(game, "on_mouse_press", 60, 30, 1, 0)
    game.logged()
    send(game, "on_mouse_release", 300, 70, 4, 0)
    send(game, "on_mouse_release", 61, 30, 1, 0)
    assert game.logged() == [
        ("a", "up", 300, -30, 4, 0),
        ("b", "up", 21, 10, 1, 0),
        ("b", "press"),
    ]
    send(game, "on_mouse_press", 250, 70, 4, 0)
    assert game.logged() == ["game"]


def test_a_press_that_a_widget_does_not_use_goes_to_its_parent(make: Make) -> None:
    game = make(Bag, size=(320, 80))
    game.run(1)
    x, y = middle(game, game.inner)
    send(game, "on_mouse_press", x, y, 1, 0)
    send(game, "on_mouse_release", x, y, 1, 0)
    assert game.logged() == [
        ("inner", "down", 20, 20, 1, 0),
        ("card", "down", 1),
        ("card", "up", 1),
        ("inner", "press"),
    ]
    click(game, game.button)
    assert game.logged() == [("card", "down", 1), ("card", "up", 1), "x"]
    game.card.enabled = False
    click(game, game.button)
    assert game.logged() == []


@pytest.mark.parametrize("how", ["removed", "hidden", "disabled", "unfocused"])
@pytest.mark.parametrize("button", [1, 4])
def test_a_widget_that_goes_away_receives_no_release(make: Make, how: str, button: int) -> None:
    game = make(Bag, size=(320, 80))
    game.run(1)
    send(game, "on_mouse_press", 10, 30, button, 0)
    if how == "unfocused":
        send(game, "on_deactivate")
    else:
        away(game.a, how)
    game.logged()
    send(game, "on_mouse_release", 10, 30, button, 0)
    assert game.logged() == []
    assert "grabs" not in vars(interface_of(game.ui))


@pytest.mark.parametrize("button", [1, 4])
def test_a_widget_may_remove_itself_in_its_own_press(make: Make, button: int) -> None:
    game = make(Bag, size=(320, 80))
    game.run(1)

    class Leaving(Slot):
        def on_mouse_press(self, *arguments: Any) -> bool:
            self.remove()
            return True

    goes = game.ui.roots[0].add(Leaving("goes", game.log))
    game.run(1)
    send(game, "on_mouse_press", *middle(game, goes), button, 0)
    send(game, "on_mouse_release", 10, 30, button, 0)
    assert (game.logged(), goes.held, interface_of(game.ui).taken) == ([], False, set())


def test_a_drag_is_in_snapshots_but_the_state_is_the_same_before_and_after(make: Make) -> None:
    game, other = make(Bag, size=(320, 80)), make(Bag, size=(320, 80))
    for panel in (game, other):
        panel.run(1)
    before = game.snapshot()
    send(game, "on_mouse_press", 10, 30, 4, 0)
    dragging, state = game.snapshot(), game.state_hash()
    click(other, other.b)
    send(game, "on_mouse_release", 60, 30, 4, 0)
    game.logged()
    game.restore(dragging)
    assert game.state_hash() == state
    game.logged()
    send(game, "on_mouse_release", 60, 30, 4, 0)
    assert game.logged() == [("a", "up", 60, 10, 4, 0)]
    game.restore(dragging)
    game.restore(before)
    game.logged()
    send(game, "on_mouse_release", 60, 30, 4, 0)
    assert game.logged() == []
