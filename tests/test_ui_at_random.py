"""Widgets under random players: no key, button, click or removal at any moment ends the game."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import framework as fw
from framework.input import key
from framework.ui.containers import served_by
from framework.ui.dropdown import Dropdown
from framework.ui.interface import interface_of
from framework.ui.text_field import TextField
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
_MOTIONS = (
    *(
        key.MOTION_LEFT,
        key.MOTION_RIGHT,
        key.MOTION_UP,
        key.MOTION_DOWN,
        key.MOTION_BACKSPACE,
        key.MOTION_DELETE,
    ),
    *(
        key.MOTION_BEGINNING_OF_LINE,
        key.MOTION_END_OF_FILE,
        key.MOTION_NEXT_PAGE,
        key.MOTION_PREVIOUS_WORD,
    ),
)
_OPENED = ("dropdown", "list", "question", "keyboard", "field", "window", "modal")


class Alone(fw.Game):
    """Has one thing open and nothing else."""

    def __init__(self, opened: str, hud: bool, **options: Any) -> None:
        self.opened, self.on_hud = opened, hud
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
            self.thing: Any = column.dropdown("Quality", ["low", "high"], self, "level")
            if self.opened == "list":
                self.thing.open()
        elif self.opened == "modal":
            self.thing = column.button("OK", self.clear)
        else:
            self.thing = column.text_field("ab")
            if self.opened == "keyboard":
                self.ui.open_keyboard(self.thing)
            else:
                self.ui.set_focus(self.thing)

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
    """What the player is at is there and can be used; what serves another widget went with it."""
    ui = game.ui
    for widget in (ui.focus, interface_of(ui).held, interface_of(ui).hovered):
        assert widget is None or widget.ui is ui
    assert ui.focus is None or (node_of(ui.focus).interactive and ui.focus.focusable)
    assert all(served is None or served.ui is ui for served in map(served_by, ui.roots))
    assert len(ui.roots) == len({id(root) for root in ui.roots})


def pressed(source: Any) -> list[tuple[Any, ...]]:
    """The events of a press and a release."""
    if isinstance(source, str):
        return [("on_pad_press", 0, source), ("on_pad_release", 0, source)]
    symbol, modifiers = source
    return [("on_key_press", symbol, modifiers), ("on_key_release", symbol, modifiers)]


@pytest.mark.parametrize("hud", [False, True])
@pytest.mark.parametrize("opened", _OPENED)
def test_each_press_goes_well_with_one_thing_open(opened: str, hud: bool) -> None:
    sources = [
        *[(symbol, 0) for symbol in _KEYS],
        (key.TAB, key.MOD_SHIFT),
        (key.A, key.MOD_CTRL),
        *_CONTROLS,
    ]
    for source in sources:
        game = make_game(Alone, opened, hud)
        for _ in range(3):
            send(game, *pressed(source))
        game.close()


@pytest.mark.parametrize(("symbol", "modifiers"), [(key.TAB, 0), (key.TAB, key.MOD_SHIFT)])
def test_tab_closes_a_list_where_nothing_else_takes_the_focus(symbol: int, modifiers: int) -> None:
    game = make_game(Alone, "list", True)
    send(game, *pressed((symbol, modifiers)))
    assert game.thing.opened is None
    game.thing.open()
    send(game, ("on_text", "h"), *pressed((key.ENTER, 0)))
    assert game.level == "high"
    game.close()


@pytest.mark.parametrize("change", ["visible", "enabled"])
def test_an_entry_of_a_list_that_is_hidden_or_disabled_is_passed_over(change: str) -> None:
    game = make_game(Alone, "list", False)
    setattr(game.thing.opened.entry(1), change, False)
    send(game, ("on_text", "h"))
    send(game, ("on_text_motion", key.MOTION_END_OF_FILE))
    assert game.ui.focus is game.thing.opened.entry(0)
    send(game, *pressed((key.ENTER, 0)))
    assert game.level == "low"
    game.close()


class Crowd(fw.Game):
    """Widgets of all kinds, whose functions take away, disable, hide or add some of them."""

    def __init__(self, chance: random.Random, **options: Any) -> None:
        self.chance = chance
        super().__init__(**options)

    def setup(self) -> None:
        self.level, self.volume, self.sound = "low", 0.5, True
        for _ in range(2):
            self.add_root()

    def widgets(self) -> list[Any]:
        return [widget for root in self.ui.roots for widget in node_of(root).walk()]

    def add_root(self) -> None:
        chance = self.chance
        if len(self.ui.roots) > 5:
            return
        hud, modal, anchor = (
            chance.random() < 0.3,
            chance.random() < 0.2,
            chance.choice(["top", "left"]),
        )
        window = chance.random() < 0.2
        root = (
            self.ui.window("Title", hud=hud)
            if window
            else self.ui.column(hud=hud, modal=modal, anchor=anchor)
        )
        for _ in range(chance.randrange(4)):
            chance.choice(self.makers())(root)

    def makers(self) -> list[Callable[[Any], object]]:
        do = self.do
        return [
            lambda root: root.button("OK", do),
            lambda root: root.button("Back", do, action="cancel"),
            lambda root: root.dropdown("Quality", ["low", "high", "highest"], self, "level"),
            lambda root: root.dropdown("Other", [*range(30)], lambda value: do(), rows=4),
            lambda root: root.text_field("ab", lambda text: do(), on_edit=lambda text: do()),
            lambda root: root.text_field("ab\ncd", lines=3),
            lambda root: root.slider("Volume", self, "volume", min_value=0, max_value=1),
            lambda root: root.toggle("Sound", self, "sound"),
            lambda root: root.choice("Choice", [1, 2, 3], lambda value: do()),
            lambda root: root.label("Words"),
        ]

    def do(self) -> None:
        """Something that a program may do at any moment."""
        chance, widgets = self.chance, self.widgets()
        if not widgets:
            self.add_root()
            return
        widget, what = chance.choice([*widgets, self.ui.focus or widgets[0]]), chance.randrange(9)
        if what == 0:
            widget.remove()
        elif what == 1:
            widget.enabled = not widget.enabled
        elif what == 2:
            widget.visible = not widget.visible
        elif what == 3:
            self.add_root()
        elif what == 4:
            self.start(self.question())
        elif what == 5 and isinstance(widget, Dropdown) and node_of(widget).interactive:
            widget.open()
        elif what == 6 and isinstance(widget, TextField) and node_of(widget).interactive:
            self.ui.open_keyboard(widget)
        elif what == 7 and widget.focusable and node_of(widget).interactive:
            self.ui.set_focus(widget)
        elif what == 8 and self.ui.focus is not None:
            self.ui.set_focus(None)

    async def question(self) -> None:
        await self.ui.ask("Quit?", "Yes", "No")
        self.do()

    def events(self) -> list[tuple[Any, ...]]:
        """What a player may do next."""
        chance, widgets = self.chance, self.widgets()
        x, y = chance.randrange(240), chance.randrange(320)
        if widgets and chance.random() < 0.8:
            (left, top), box = (
                (widget := chance.choice(widgets)).box.absolute_position(),
                widget.box,
            )
            x, y = left + box.w / 2, self.height - top - box.h / 2
        symbol = chance.choice(_KEYS), chance.choice((0, 0, key.MOD_SHIFT, key.MOD_CTRL))
        return chance.choice(
            [
                pressed(symbol),
                pressed(symbol)[:1],
                pressed(chance.choice(_CONTROLS)),
                [("on_text", chance.choice("lh 1\ufe0fä"))],
                [("on_text_motion", chance.choice(_MOTIONS))],
                [("on_mouse_press", x, y, 1, 0), ("on_mouse_release", x, y, 1, 0)],
                [("on_mouse_press", x, y, 1, 0)],
                [("on_mouse_release", x, y, 1, 0)],
                [("on_mouse_motion", x, y, 1, 1)],
                [("on_mouse_scroll", x, y, 0, chance.choice((-1, 1)))],
                [("on_deactivate",)],
            ]
        )


@pytest.mark.parametrize("seed", range(12))
def test_widgets_go_well_with_whatever_is_done(seed: int) -> None:
    chance = random.Random(seed)
    game = make_game(Crowd, chance)
    for _ in range(150):
        if chance.random() < 0.15:
            game.do()
        if chance.random() < 0.03:
            game.add_root()
        send(game, *game.events())
    game.close()
