"""The scenes that every game needs, played to their ends."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from test_ui_widgets import click, pad, press

import framework as fw
from framework.input import key
from framework.ui.theme import theme_of
from framework.ui.widget import node_of

Make = Callable[..., Any]


@pytest.fixture
def game(make: Make) -> Any:
    game = make(fw.Game, size=(640, 360), escape_closes=False)
    game.actions = fw.Actions(jump=["space", "pad:a"], move=fw.Stick("left right down up"))
    game.run(1)
    return game


def test_a_menu_does_what_its_buttons_say(game: Any) -> None:
    done: list[str] = []
    inner = fw.scenes.Menu("Inner", {"One": lambda: done.append("one")})
    menu = fw.scenes.Menu("Paused", {"Go on": None, "More": inner, "Do": lambda: done.append("do")})
    game.push(menu)
    game.run(1)
    press(game, key.DOWN, key.ENTER)
    assert game.scene is inner
    press(game, key.ENTER)
    assert done == ["one"]
    press(game, key.ESCAPE)
    assert game.scene is menu
    press(game, key.DOWN, key.ENTER, key.ESCAPE)
    assert done == ["one", "do"]
    assert game.scene is game
    with pytest.raises(TypeError, match="entries"):
        fw.scenes.Menu("x", {"One": 3})


def test_settings_set_volumes_and_bind_controls_anew(game: Any) -> None:
    left: list[int] = []
    settings = fw.scenes.Settings(["music"], game.actions, on_close=lambda: left.append(1))
    game.push(settings)
    game.run(1)
    press(game, key.LEFT, key.DOWN, key.LEFT, key.LEFT)
    assert (game.audio.volume, game.audio.buses["music"].volume) == (0.95, 0.9)
    button = settings.buttons["jump"]
    assert button.text == "Jump: Space"
    settings.ui.set_focus(button)
    press(game, key.ENTER)
    game.run(2)
    assert "press a key" in button.text
    press(game, key.X)
    game.run(2)
    assert button.text == "Jump: X"
    assert game.actions.bindings()["jump"] == ["x", "pad:a"]
    press(game, key.ENTER)
    game.run(2)
    press(game, key.ESCAPE)  # leaves it
    game.run(2)
    assert button.text == "Jump: X"
    settings.ui.set_focus(settings.buttons["move.left"])
    press(game, key.ENTER)
    game.run(2)
    press(game, key.X)
    game.run(2)
    assert settings.buttons["move.left"].tooltip == "jump has it, too"
    settings.ui.set_focus(settings.column.children[-2])  # "As in the beginning"
    press(game, key.ENTER)
    assert button.text == "Jump: Space"
    press(game, key.ESCAPE)
    assert game.scene is game
    assert left == [1]


def test_credits_go_by_and_end(game: Any) -> None:
    game.push(fw.scenes.Credits(["A", "", "B"], speed=600, title="Names"))
    game.run(10)
    assert game.scene is not game
    game.run(120)
    assert game.scene is game
    game.push(fw.scenes.Credits(["A"], title="Names"))
    game.run(1)
    press(game, key.ESCAPE)
    assert game.scene is game


def test_credits_are_as_large_as_the_picture_wants_them(make: Make) -> None:
    letters = []
    for size in ((1280, 720), (3840, 2160)):
        game = make(fw.Game, size=size, drawing=False)
        credits = fw.scenes.Credits(["A", "B"], speed=60)
        game.push(credits)
        y = credits.camera.y
        game.run(6)
        letters.append(
            (
                credits._backend.drawables.drawn[0][0].font_size / size[1],
                (y - credits.camera.y) / size[1],
            )
        )
    assert letters[0] == pytest.approx(letters[1])


def test_loading_prepares_in_a_thread_and_readies_in_ticks(game: Any) -> None:
    ready: list[int] = []
    loading = fw.scenes.Loading([lambda number=number: number for number in range(5)], ready.append)
    game.push(loading)
    loading._parts[-1].result()
    game.run(4)
    assert ready == [0, 1, 2, 3, 4]
    assert game.scene is game
    with pytest.raises(TypeError, match="jobs: expected a sequence of functions"):
        fw.scenes.Loading(dict, ready.append)
    broken = fw.scenes.Loading([lambda: 1, lambda: 1 / 0], ready.append)
    game.push(broken)
    assert broken._parts[-1].exception() is not None
    with pytest.raises(fw.FrameworkError, match="part 2 of 2 failed: division by zero"):
        game.run(3)


class Slow(fw.Game):
    """What it loads is there when the test says so; then it goes on."""

    held: Event
    not_state = ("held",)

    def setup(self) -> None:
        self.held = Slow.held
        self.parts: list[int] = []
        self.since = 0
        self.push(fw.scenes.Loading([lambda: 1, self.slow], self.parts.append, self.over))

    def slow(self) -> int:
        assert self.held.wait(9)
        return 2

    def over(self) -> None:
        self.since = self.tick
        self.pop()


def test_a_replay_and_a_way_back_have_parts_in_the_ticks_that_had_them(
    make: Make, tmp_path: Path
) -> None:
    Slow.held = Event()
    game = make(Slow, size=(320, 180))
    game.recording.rewind = fw.Rewind(duration=9)
    game.recording.start(tmp_path / "slow.replay", hash_every=1)
    loading = game.scene
    loading._parts[0].result()
    game.run(6)
    hashes = [game.state_hash()]
    assert (game.parts, loading.progress) == ([1], 0.5)
    Slow.held.set()
    loading._parts[1].result()
    game.run(6)
    hashes.append(game.state_hash())
    assert game.parts == [1, 2]
    assert 6 < game.since <= 8
    game.recording.stop()
    report = fw.Replay.open(tmp_path / "slow.replay").verify(Slow)  # where all is there at once
    assert report.ok, str(report)
    for tick, expected in zip((6, 12), hashes, strict=True):
        game.recording.rewind.seek(tick)
        assert game.state_hash() == expected


def test_a_game_that_loads_is_repeatable() -> None:
    Slow.held = Event()
    Slow.held.set()
    report = fw.sync_test(Slow, ticks=12, check_distance=4, stride=1)
    assert report.ok, str(report)


def the_menus_game() -> Any:
    return runpy.run_path(str(Path(__file__).parents[1] / "examples" / "17_menu.py"))["Menu"]


def go_by_keys(game: Any, *words: str) -> None:
    names = {"ok": key.ENTER, "back": key.ESCAPE, "open": key.ESCAPE}
    for word in words:
        press(game, names.get(word) or getattr(key, word.upper()))


def go_by_pad(game: Any, *words: str) -> None:
    names = {"ok": "a", "back": "b", "open": "start"}
    for word in words:
        pad(game, names.get(word) or f"dp{word}")


def go_by_mouse(game: Any) -> None:
    def widget(text: str) -> Any:
        found = [
            one
            for ui in (game.scene.ui, game.ui)
            for root in ui.roots
            for one in node_of(root).walk()
        ]
        return next(one for one in found if getattr(one, "text", "") == text)

    def slide(text: str, share: float) -> None:
        slider = widget(text)
        left, wide = slider._track()
        click(game, slider, (left + wide * share) / slider.box.w)

    for text in ("Menu", "Theme", "Hints", "Settings"):
        click(game, widget(text))
    slide("Volume", 0.9)
    slide("Music", 0.85)
    for text in ("Back", "Credits", "Skip", "Quit"):
        click(game, widget(text))
        game.run(2)
    click(game, widget("Yes"))


WALK = [
    *(
        "open",
        "down",
        "down",
        "right",
        "down",
        "left",
        "up",
        "up",
        "ok",
    ),  # a theme, no hints, and the settings
    *("left", "left", "down", "left", "left", "left", "back"),  # two volumes
    *("down", "down", "down", "down", "ok", "ok", "down", "ok"),  # credits, and the question
]


@pytest.mark.parametrize("go", [go_by_keys, go_by_pad, go_by_mouse])
def test_the_examples_menu_is_walked_by_keys_pad_and_mouse_to_the_same_end(
    make: Make, go: Any
) -> None:
    ended = []
    game = make(the_menus_game(), size=(1280, 720), drawing=False, escape_closes=False)
    game.exit = lambda: ended.append(game.scene is not game)
    game.run(1)
    go(game, *([] if go is go_by_mouse else WALK))
    game.run(2)
    if go is not go_by_mouse:
        go(game, "ok")
        game.run(2)
    volumes = game.audio.volume, game.audio.buses["music"].volume
    assert (game.ui.theme, game.hints, volumes) == (theme_of("theme", "light"), False, (0.9, 0.85))
    assert ended == [True]
