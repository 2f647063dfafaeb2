"""Ready-made scenes: menus, settings, credits and loading, played to their ends."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from test_ui_widgets import click, pad, press

import framework as fw
from framework.game import scenes
from framework.input import key
from framework.ui.theme import theme_of
from framework.ui.widget import node_of

Make = Callable[..., Any]


@pytest.fixture(autouse=True)
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty folder for the player's data, which has the settings."""
    folder = tmp_path / "player"
    folder.mkdir()
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    return folder


@pytest.fixture
def game(make: Make) -> Any:
    game = make(fw.Game, size=(640, 360), escape_closes=False)
    game.actions = fw.Actions(jump=["space", "pad:a"], move=fw.Stick("left right down up"))
    game.run(1)
    return game


def test_menu_buttons_call_their_actions(game: Any) -> None:
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


def test_the_title_of_a_menu_follows_the_font_size_of_the_theme(game: Any) -> None:
    class Small(fw.scenes.Menu):
        def setup(self) -> None:
            self.ui.theme = fw.Theme(font_size=10)
            super().setup()

    sizes = []
    for menu in (fw.scenes.Menu("Paused", {"Go on": None}), Small("Paused", {"Go on": None})):
        game.show(menu)
        game.run(1)
        sizes.append(menu.column.children[0].current_font_size)
    assert sizes == [32, 16]


def test_settings_name_both_directions_of_an_axis(game: Any) -> None:
    actions = fw.Actions(side_step=fw.Axis("left right"), turn=fw.Stick("a d s w"))
    settings = fw.scenes.Settings([], actions)
    game.push(settings)
    game.run(1)
    texts = [button.text for button in settings.buttons.values()]
    assert texts[:3] == ["Side step -: Left", "Side step +: Right", "Turn left: A"]


def test_settings_change_volumes_and_key_bindings(game: Any) -> None:
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
    press(game, key.ESCAPE)  # closes the settings
    game.run(2)
    assert button.text == "Jump: X"
    settings.ui.set_focus(settings.buttons["move.left"])
    press(game, key.ENTER)
    game.run(2)
    press(game, key.X)
    game.run(2)
    assert settings.buttons["move.left"].tooltip == "jump has it, too"
    settings.ui.set_focus(settings.column.children[-2])  # the button "Reset to defaults"
    press(game, key.ENTER)
    assert button.text == "Jump: Space"
    press(game, key.ESCAPE)
    assert game.scene is game
    assert left == [1]


@pytest.mark.parametrize(
    ("action", "kind"), [(fw.Axis("left right"), "axis"), (fw.Stick("pad:rightstick"), "stick")]
)
def test_settings_keep_the_sources_if_an_action_cannot_use_the_pressed_button(
    game: Any, action: Any, kind: str
) -> None:
    actions = fw.Actions(walk=action)
    before = actions.bindings()["walk"]
    settings = fw.scenes.Settings([], actions)
    game.push(settings)
    game.testing.connect()
    game.run(1)
    button = next(iter(settings.buttons.values()))
    settings.ui.set_focus(button)
    press(game, key.ENTER)
    game.run(2)
    game.testing.press("pad:a")
    game.run(2)
    assert button.tooltip == "pad:a cannot be used here"
    assert actions.bindings()["walk"] == before
    assert kind in before


def test_settings_name_all_sticks_and_wheels() -> None:
    from framework.game import scenes
    from framework.input import bindings

    whole = {source for sources in bindings._WHOLES.values() for source in sources}
    assert whole - {"pad:lefttrigger", "pad:righttrigger"} <= set(scenes._WHOLE)


def test_credits_scroll_and_end(game: Any) -> None:
    game.push(fw.scenes.Credits(["A", "", "B"], speed=600, title="Names"))
    game.run(10)
    assert game.scene is not game
    game.run(120)
    assert game.scene is game
    game.push(fw.scenes.Credits(["A"], title="Names"))
    game.run(1)
    press(game, key.ESCAPE)
    assert game.scene is game


def test_the_lines_of_credits_are_below_each_other_and_the_title_is_golden(make: Make) -> None:
    game = make(fw.Game, size=(400, 300), drawing=False)
    credits = fw.scenes.Credits(["A", "", "B"], title="Names")
    game.push(credits)
    batch = credits._backend.drawables.drawn[0][0]
    labels = list(batch._labels)
    assert [label.text for label in labels] == ["Names", "A", "", "B"]
    heights = [label.y for label in labels]
    assert heights[0] == 0
    assert np.diff(heights) == pytest.approx([-1.6 * batch.font_size] * 3)
    assert {label.x for label in labels} == {200}
    assert labels[0].color[2] < 0.5
    assert labels[1].color[:3] == (1, 1, 1)


def test_credits_have_the_font_size_of_the_picture(make: Make) -> None:
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


def test_loading_runs_jobs_in_a_thread_and_ready_in_ticks(game: Any) -> None:
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
    """A loading scene whose job ends when the test sets an event."""

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


def test_a_replay_and_a_restore_deliver_loaded_parts_in_the_same_ticks(
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
    # here all jobs are finished at once
    report = fw.Replay.open(tmp_path / "slow.replay").verify(Slow)
    assert report.ok, str(report)
    for tick, expected in zip((6, 12), hashes, strict=True):
        game.recording.rewind.seek(tick)
        assert game.state_hash() == expected


def test_a_game_with_a_loading_scene_is_repeatable() -> None:
    Slow.held = Event()
    Slow.held.set()
    report = fw.sync_test(Slow, ticks=12, check_distance=4, stride=1)
    assert report.ok, str(report)


def make_menus_game() -> Any:
    return runpy.run_path(str(Path(__file__).parents[1] / "examples" / "17_menu.py"))["Menu"]


def play_with_keys(game: Any, *words: str) -> None:
    names = {"ok": key.ENTER, "back": key.ESCAPE, "open": key.ESCAPE}
    for word in words:
        press(game, names.get(word) or getattr(key, word.upper()))


def play_with_gamepad(game: Any, *words: str) -> None:
    names = {"ok": "a", "back": "b", "open": "start"}
    for word in words:
        pad(game, names.get(word) or f"dp{word}")


def play_with_mouse(game: Any) -> None:
    def widget(text: str) -> Any:
        matches = [
            widget
            for ui in (game.scene.ui, game.ui)
            for root in ui.roots
            for widget in node_of(root).walk()
        ]
        return next(widget for widget in matches if getattr(widget, "text", "") == text)

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
    ),  # the menu, without hints, and the settings
    *("left", "left", "down", "left", "left", "left", "back"),  # two volumes
    *("down", "down", "down", "down", "ok", "ok", "down", "ok"),  # credits, and the dialog
]


@pytest.mark.parametrize("go", [play_with_keys, play_with_gamepad, play_with_mouse])
def test_keys_gamepad_and_mouse_reach_the_same_end_in_the_example_menus(
    make: Make, go: Any
) -> None:
    ended = []
    game = make(make_menus_game(), size=(1280, 720), drawing=False, escape_closes=False)
    game.exit = lambda: ended.append(game.scene is not game)
    game.run(1)
    go(game, *([] if go is play_with_mouse else WALK))
    game.run(2)
    if go is not play_with_mouse:
        go(game, "ok")
        game.run(2)
    volumes = game.audio.volume, game.audio.buses["music"].volume
    assert (game.ui.theme, game.hints, volumes) == (theme_of("theme", "light"), False, (0.9, 0.85))
    assert ended == [True]


# -- saved settings --------------------------------------------------------------------------------


class Tuned(fw.Game):
    def setup(self) -> None:
        self.actions = fw.Actions(jump=["space"], move=fw.Stick("a d s w"), fire="x")
        self.settings = fw.scenes.Settings(["music"], self.actions)


def change_settings(game: Any) -> None:
    game.push(game.settings)
    game.run(1)
    press(game, key.LEFT, key.DOWN, key.LEFT, key.LEFT)
    game.actions.rebind("jump", "j")
    press(game, key.ESCAPE)
    assert game.scene is game


def settings_of(game: Any) -> tuple[Any, ...]:
    return game.audio.volume, game.audio.buses["music"].volume, game.actions.bindings()["jump"]


def test_settings_are_loaded_by_the_next_run_of_the_same_game_only(
    make: Make, player: Path
) -> None:
    class Other(Tuned):
        pass

    game = make(Tuned, drawing=False)
    assert list(player.rglob("*")) == []
    change_settings(game)
    (file,) = [path for path in player.rglob("*") if path.is_file()]
    assert file == game.saves.path("settings.json")
    again = make(Tuned, drawing=False)
    renamed = make(Other, drawing=False)
    assert settings_of(again) == (0.95, 0.9, ["j"])
    assert settings_of(renamed) == (1, 1, ["space"])
    written = file.read_bytes()
    file.unlink()
    again.push(again.settings)
    again.run(1)
    press(again, key.ESCAPE)
    assert not file.exists()  # nothing has changed
    file.write_bytes(written)
    again.actions.reset()
    again.push(fw.scenes.Settings(["effects"]))  # the scene shows neither the music nor the actions
    again.run(1)
    press(again, key.DOWN, key.LEFT, key.ESCAPE)
    third = make(Tuned, drawing=False)
    assert settings_of(third) == (0.95, 0.9, ["j"])
    assert json.loads(file.read_text())["buses"] == {"music": 0.9, "effects": 0.95}


def test_a_replay_has_the_settings_of_the_recording(
    make: Make, player: Path, tmp_path: Path
) -> None:
    class Opens(Tuned):
        louder = 0

        def update(self, dt: float) -> None:
            self.louder += round(100 * self.audio.volume) * self.actions.presses("jump")
            if self.keys.just_pressed("o"):
                self.push(self.settings)

    change_settings(make(Opens, drawing=False))
    recorded = make(Opens, drawing=False)
    path = recorded.saves.path("settings.json")
    press(recorded, key.O, key.LEFT, key.ESCAPE, key.J)
    assert (recorded.louder, recorded.audio.volume) == (90, 0.9)
    snapshot = recorded.snapshot()
    press(recorded, key.O, key.LEFT, key.ESCAPE, key.J)
    assert recorded.louder == 175
    recorded.restore(snapshot)
    press(recorded, key.J)
    assert recorded.louder == 175  # volumes are not part of the game's state
    recorded = make(Opens, drawing=False)
    recorded.recording.start(tmp_path / "again.replay", hash_every=1)
    press(recorded, key.O, key.LEFT, key.ESCAPE, key.J)
    recorded.recording.stop()
    written = path.read_bytes()
    path.unlink()
    assert fw.Replay(tmp_path / "again.replay").verify(Opens).ok
    assert not path.exists()
    path.write_bytes(written)
    assert fw.sync_test(Opens, 60).ok
    assert path.read_bytes() == written


def test_settings_made_before_the_game_keep_the_volume_of_the_game(
    make: Make, player: Path
) -> None:
    change_settings(make(Tuned, drawing=False))
    settings = fw.scenes.Settings(["music"], file=None)
    early = make(Tuned, drawing=False)
    early.audio.volume = 1
    early.push(settings)
    early.run(1)
    assert early.audio.volume == 1
    press(early, key.LEFT, key.ESCAPE)
    assert json.loads(early.saves.path("settings.json").read_text())["volume"] == 0.95


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "not a file of settings"),
        (b"[1, 2]", "not a file of settings"),
        (b"\xff", "not a file of settings"),
        (b"[" * 60_000, "not a file of settings"),
        (b" " * 70_000, "more than 65,536 bytes"),
        (b'{"volume": 17, "buses": {"music": 0.5}}', "its volume is wrong"),
        (b'{"volume": NaN, "buses": {"music": 0.5}}', "its volume is wrong"),
        (b'{"volume": "loud", "buses": {"music": 0.5}}', "its volume is wrong"),
        (b'{"buses": {"music": 0.5}, "bindings": {"jump": ["nope"]}}', "its bindings is wrong"),
        (b'{"buses": {"music": 0.5}, "bindings": {"jump": 5e9}}', "its bindings is wrong"),
        (b'{"buses": {"music": 0.5}, "fullscreen": "yes"}', "its fullscreen is wrong"),
    ],
)
def test_a_broken_settings_file_gives_one_warning_and_the_rest_is_used(
    make: Make, player: Path, text: bytes, problem: str
) -> None:
    path = make(Tuned, drawing=False).saves.path("settings.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    with pytest.warns(RuntimeWarning, match=problem) as warnings:
        game = make(Tuned, drawing=False)
    assert len(warnings) == 1
    assert settings_of(game) == (1, 0.5 if b"music" in text else 1, ["space"])


def test_unknown_values_in_a_settings_file_change_nothing(make: Make, player: Path) -> None:
    path = make(Tuned, drawing=False).saves.path("settings.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"buses": 3, "bindings": {"fly": ["x"], "fire": ["y"]}, "later": [1]}')
    game = make(Tuned, drawing=False)
    assert game.actions.bindings()["fire"] == ["y"]
    change_settings(game)
    saved = json.loads(path.read_text())
    assert saved["later"] == [1]
    assert saved["bindings"]["fly"] == ["x"]


def test_settings_are_saved_if_the_game_ends_while_the_scene_is_open(
    make: Make, player: Path
) -> None:
    with Tuned(drawing=False) as game:
        game.push(game.settings)
        game.run(1)
        press(game, key.LEFT)
        path = game.saves.path("settings.json")
        assert not path.exists()  # one write, not a write per step
        game.run(40)
        assert json.loads(path.read_text())["volume"] == 0.95
        path.unlink()
        game.run(40)
        assert not path.exists()


def test_a_failing_write_of_settings_does_not_end_the_game(
    make: Make, player: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, text: str) -> None:
        raise fw.AssetError(f"{path!r} cannot be written: No space left on device.")

    monkeypatch.setattr(scenes, "write_text", full)
    game = make(Tuned, drawing=False)
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        change_settings(game)
    assert game.audio.volume == 0.95


@pytest.mark.parametrize("file", ["a/b.json", "../x", "", ".", 3])
def test_the_settings_file_option_is_a_plain_name(file: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^file: expected"):
        fw.scenes.Settings(file=file)


def test_settings_name_the_stick_of_an_action_without_keys() -> None:
    with fw.Game(drawing=False) as game:
        game.actions = fw.Actions(  # type: ignore[attr-defined]
            look=fw.Stick("pad:rightstick"), zoom=fw.Axis("mouse:wheel", "pad:lefty"), jump="pad:a"
        )
        settings = fw.scenes.Settings({}, game.actions, file=None)  # type: ignore[attr-defined]
        game.push(settings)
        game.run_ticks(1)
        assert settings.buttons["look.left"].text == "Look left: Right stick"
        assert settings.buttons["zoom.more"].text == "Zoom +: Mouse wheel, Left stick"
        assert settings.buttons["jump"].text == "Jump: A"


def _scenes(game: Any) -> dict[str, fw.Scene]:
    entries = {"Continue": None, "Settings": print, "Credits": print, "Quit": print}
    return {
        "menu": scenes.Menu("Paused", entries),
        "long menu": scenes.Menu("Paused", entries | {"Help": print, "Levels": print}),
        "settings": scenes.Settings(["music", "effects"], file=None),
        "calibration": scenes.Calibration(),
        "lobby": scenes.Lobby(print, print, players=2),  # type: ignore[arg-type]
    }


@pytest.mark.parametrize("name", _scenes(None))
@pytest.mark.parametrize("size", [(320, 180), (640, 360), (1280, 720), (400, 800)])
def test_the_widgets_of_ready_scenes_fit_in_small_windows(
    make: Make, name: str, size: tuple[int, int]
) -> None:
    for options in ({}, {"resolution": size}):
        game = make(fw.Game, size=size, **options)
        scene = _scenes(game)[name]
        game.push(scene)
        game.advance(2 / 60)
        (root,) = scene.ui.roots
        width, height = size[0] / scene.ui.scale, size[1] / scene.ui.scale
        assert root.box.h < height - 4
        assert root.box.w < width - 4
        assert root.children[-1].box.y + root.children[-1].box.h <= root.box.h  # no scrolling
        assert scene.ui.scale >= 0.5


def test_settings_with_many_controls_fit_in_a_window_of_360_lines(make: Make) -> None:
    game = make(fw.Game, size=(640, 360))
    actions = fw.Actions(move=fw.Axis("left right"), jump=["space"], fire=["x"])
    scene = scenes.Settings(["music", "effects"], actions, file=None)
    game.push(scene)
    game.advance(2 / 60)
    back = scene.column.children[-1]
    assert back.box.y + back.box.h <= scene.column.box.h
    assert scene.ui.scale == 0.5


@pytest.mark.parametrize(("font_size", "scale"), [(10, 1), (14, 0.75), (20, 0.5), (32, 0.5)])
def test_menus_in_small_windows_have_letters_of_10_pixels(
    make: Make, font_size: int, scale: float
) -> None:
    class Themed(scenes.Menu):
        def setup(self) -> None:
            self.ui.theme = self.ui.theme.with_(font_size=font_size)
            super().setup()

    game = make(fw.Game, size=(320, 180))
    menu = Themed("Paused", {"Continue": None, "Settings": print, "Help": print, "Quit": print})
    game.push(menu)
    game.advance(2 / 60)
    assert menu.ui.scale == scale
    back = menu.column.children[-1]
    assert back.box.y + back.box.h <= menu.column.box.h or font_size < 20


def test_a_scale_of_the_game_is_kept_in_small_windows(make: Make) -> None:
    class Large(scenes.Menu):
        def setup(self) -> None:
            self.ui.scale = 1
            super().setup()

    game = make(fw.Game, size=(320, 180))
    menu = Large("Paused", {"Continue": None})
    game.push(menu)
    game.advance(2 / 60)
    assert menu.ui.scale == 1


def test_the_scale_of_a_menu_follows_the_size_of_the_window(make: Make) -> None:
    game = make(fw.Game, size=(320, 180))
    menu = scenes.Menu("Paused", {"Continue": None, "a": print, "b": print, "c": print})
    game.push(menu)
    game.advance(2 / 60)
    assert menu.ui.scale == 0.5
    game.testing.feed([("on_resize", 1280, 720)])
    game.advance(2 / 60)
    assert menu.ui.scale == 1


def test_headings_of_pixel_art_games_are_multiples_of_the_font_size(make: Make) -> None:
    for size, options, title, controls in (
        ((320, 180), {"resolution": (320, 180)}, 20, 20),
        ((320, 180), {}, 32, 24),
        ((1280, 720), {"resolution": (1280, 720)}, 32, 24),
    ):
        game = make(fw.Game, size=size, **options)
        scene = scenes.Settings(["music"], fw.Actions(jump=["space"]), file=None)
        game.push(scene)
        game.advance(2 / 60)
        sizes = [child.font_size for child in scene.column.children if hasattr(child, "font_size")]
        assert sizes[0] == title
        assert controls in sizes


def test_the_scale_of_pixel_art_is_1_or_a_half(make: Make) -> None:
    game = make(fw.Game, size=(640, 360), resolution=(640, 360))
    menu = scenes.Menu("Paused", {str(number): print for number in range(6)})
    game.push(menu)
    game.advance(2 / 60)
    assert menu.ui.scale == 0.5
