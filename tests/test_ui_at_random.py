"""Keys and buttons with one open widget. tests/company has all widgets, at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import framework as fw
from framework.input import key
from framework.ui.containers import served_by
from framework.ui.interface import interface_of
from framework.ui.widget import node_of

_KEYS = (key.TAB, key.UP, key.DOWN, key.LEFT, key.RIGHT, key.ENTER, key.ESCAPE, key.SPACE, key.A)
_CONTROLS = (
    "a",
    "b",
    "x",
    "y",
    "start",
    "leftshoulder",
    "rightshoulder",
    "dpup",
    "dpdown",
    "dpleft",
    "dpright",
)
_OPENED = ("dropdown", "list", "question", "keyboard", "field", "window", "modal")


class Alone(fw.Game):
    """A scene with one open widget and no other widget."""

    def __init__(self, opened: str, hud: bool, **options: Any) -> None:
        self.opened = opened
        self.on_hud = hud
        super().__init__(**options)

    def setup(self) -> None:
        self.level = "low"
        if self.opened == "question":
            self.start(self.question())
            return
        if self.opened == "window":
            self.ui.window("Title", hud=self.on_hud).button("OK", self.clear)
            return
        column = self.ui.column(hud=self.on_hud, modal=self.opened == "modal")
        if self.opened in ("dropdown", "list"):
            self.widget: Any = column.dropdown("Quality", ["low", "high"], self, "level")
            if self.opened == "list":
                self.widget.open()
        elif self.opened == "modal":
            self.widget = column.button("OK", self.clear)
        else:
            self.widget = column.text_field("ab")
            if self.opened == "keyboard":
                self.ui.open_keyboard(self.widget)
            else:
                self.ui.set_focus(self.widget)

    def clear(self) -> None:
        for root in [*self.ui.roots]:
            if root.ui is not None:
                root.remove()

    async def question(self) -> None:
        await self.ui.ask("Quit?", "Yes", "No")


def make_game(game_class: Callable[..., Any], *arguments: Any) -> Any:
    game = game_class(
        *arguments, size=(240, 320), headless=True, drawing=False, frame_stats=False, frame_rate=30
    )
    game.run(1)
    return game


def send(game: Any, *events: tuple[Any, ...]) -> None:
    for event in events:
        game.testing.feed([event])
    game.run(1)
    check(game)


def check(game: Any) -> None:
    """Check that the focused widget is visible and usable, and that no helper of another widget is
    left."""
    ui = game.ui
    for widget in (ui.focus, interface_of(ui).held, interface_of(ui).hovered):
        assert widget is None or widget.ui is ui
    assert ui.focus is None or (node_of(ui.focus).interactive and ui.focus.focusable)
    assert all(served is None or served.ui is ui for served in map(served_by, ui.roots))
    assert len(ui.roots) == len({id(root) for root in ui.roots})


def press_events(source: Any) -> list[tuple[Any, ...]]:
    """Return the events of a press and a release."""
    if isinstance(source, str):
        return [("on_pad_press", 0, source), ("on_pad_release", 0, source)]
    symbol, modifiers = source
    return [("on_key_press", symbol, modifiers), ("on_key_release", symbol, modifiers)]


@pytest.mark.parametrize("hud", [False, True])
@pytest.mark.parametrize("opened", _OPENED)
def test_each_press_is_handled_with_one_open_widget(opened: str, hud: bool) -> None:
    sources = [
        *[(symbol, 0) for symbol in _KEYS],
        (key.TAB, key.MOD_SHIFT),
        (key.A, key.MOD_CTRL),
        *_CONTROLS,
    ]
    for source in sources:
        game = make_game(Alone, opened, hud)
        for _ in range(3):
            send(game, *press_events(source))
        game.close()


@pytest.mark.parametrize(("symbol", "modifiers"), [(key.TAB, 0), (key.TAB, key.MOD_SHIFT)])
def test_tab_closes_a_list_if_no_other_widget_takes_the_focus(symbol: int, modifiers: int) -> None:
    game = make_game(Alone, "list", True)
    send(game, *press_events((symbol, modifiers)))
    assert game.widget.opened is None
    game.widget.open()
    send(game, ("on_text", "h"), *press_events((key.ENTER, 0)))
    assert game.level == "high"
    game.close()


@pytest.mark.parametrize("change", ["visible", "enabled"])
def test_hidden_and_disabled_entries_of_a_list_are_skipped(change: str) -> None:
    game = make_game(Alone, "list", False)
    setattr(game.widget.opened.entry(1), change, False)
    send(game, ("on_text", "h"))
    send(game, ("on_text_motion", key.MOTION_END_OF_FILE))
    assert game.ui.focus is game.widget.opened.entry(0)
    send(game, *press_events((key.ENTER, 0)))
    assert game.level == "low"
    game.close()
