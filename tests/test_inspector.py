"""The inspector: a panel with a running game's values, log, watches and debug drawing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pictures import solid

import framework as fw
from framework.game.inspector import _values

Make = Callable[..., Any]


def _log(game: Any) -> None:
    fw.debug.log("tick", game.tick)
    fw.debug.watch("first", game.boats.position[0])
    fw.debug.draw.line((0, 0), (60, 40))
    fw.debug.draw.circle((30, 20), 5, "#0f0", 2)
    fw.debug.draw.text("here", (3, 3), (1, 0, 0))


class Boats(fw.Game):
    def setup(self) -> None:
        self.speed = 60.0
        self.clicks = 0
        self.boats = self.add(fw.SpriteBatch(solid(4, 4), count=50))

    def update(self, dt: float) -> None:
        self.boats.position[:, 0] += self.speed * dt
        _log(self)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.clicks += 1


@pytest.fixture
def game(make: Make) -> Any:
    return make(Boats, size=(640, 360))


@pytest.fixture
def slimgui() -> Any:
    return pytest.importorskip(
        "slimgui", reason="slimgui is not installed: pip install 'subtick[debug]'"
    )


def test_without_an_inspector_nothing_is_stored(game: Any) -> None:
    game.advance(1 / 60)
    # without an inspector, arguments are not checked
    fw.debug.watch(3, None)  # type: ignore[arg-type]
    assert game._engine.stage.inspector is None


@pytest.mark.usefixtures("no_open_game")
def test_without_a_game_there_is_nothing_to_inspect() -> None:
    with pytest.raises(
        fw.FrameworkError, match=r"debug\.inspect: no game is running; call it from"
    ):
        fw.debug.inspect()


def test_the_inspector_does_not_change_states_or_recordings(
    game: Any, slimgui: Any, make: Make, tmp_path: Path
) -> None:
    without_panel = make(Boats, size=(640, 360))
    for each, name in ((game, "a"), (without_panel, "b")):
        each.recording.start(tmp_path / name)
    for tick in range(6):
        if tick == 2:
            game._engine.surface.begin_work()  # make this game's OpenGL context current
            fw.debug.inspect()
            game._engine.surface.end_work()
        if tick == 4:  # the mouse is over the panel, so the game receives no press
            game.display.window.dispatch_event("on_mouse_press", 100, 200, 1, 0)
            game.display.window.dispatch_event("on_mouse_release", 100, 200, 1, 0)
        for each in (game, without_panel):
            each.advance(1 / 60)
        if tick == 3:
            game.display.window.dispatch_event("on_mouse_motion", 100, 200, 1, 0)
            without_panel.advance(0)
            game.advance(0)
        assert game.state_hash() == without_panel.state_hash()
    inputs = []
    for each, name in ((game, "a"), (without_panel, "b")):
        each.recording.stop()
        inputs.append(
            [
                tick_input
                for _, tick_input in fw.Replay(tmp_path / name).inputs()
                if "press" in str(tick_input)
            ]
        )
    assert inputs == [[], []]
    assert game.clicks == 0


def test_the_panel_shows_logs_and_watches_and_closes_again(game: Any, slimgui: Any) -> None:
    game.advance(1 / 60)
    plain = game.pixels()
    fw.debug.inspect()
    inspector = game._engine.stage.inspector
    game.advance(0)
    game.advance(1 / 60)
    assert inspector.notes.watched["first"].tolist() == game.boats.position[0].tolist()
    assert list(inspector.notes.lines) == ["      2  tick 2"]
    with pytest.raises(TypeError, match="name"):
        fw.debug.watch(3, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="radius"):
        fw.debug.draw.circle((0, 0), -1)
    image = game.pixels()
    assert (image[40:300, 40:400] != plain[40:300, 40:400]).any(axis=2).mean() > 0.9
    fw.debug.inspect()  # the panel is open already
    assert game._engine.stage.inspector is inspector
    fw.debug.inspect(False)
    assert game._engine.stage.inspector is None
    game.boats.position[:, 0] -= 1
    game.advance(0)
    assert (game.pixels()[40:300, 40:400] == plain[40:300, 40:400]).mean() > 0.95


def test_values_are_edited_between_two_ticks(
    game: Any, slimgui: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fw.debug.inspect()
    inspector = game._engine.stage.inspector
    inspector._row[id(game.boats)] = 7

    def field(name: str, value: Any) -> Any:
        return {"speed": 90.0, "position 1": 33.0}.get(name, value)

    monkeypatch.setattr(inspector, "_field", field)
    imgui = slimgui.imgui
    monkeypatch.setattr(
        imgui, "tree_node", lambda *about: imgui.set_next_item_open(True) or _open(imgui, about)
    )
    game.advance(0)
    assert game.speed == 60
    game.advance(0)
    assert game.speed == 90
    assert game.boats.position[7].tolist() == [0, 33]
    assert game.boats.position[6].tolist() == [0, 0]


def _open(imgui: Any, about: tuple[Any, ...]) -> bool:
    imgui.tree_push(str(about[0]))
    return True


def test_a_panel_that_is_opened_often_leaks_nothing(game: Any, slimgui: Any) -> None:
    for _ in range(5):
        fw.debug.inspect()
        game.advance(1 / 60)
        fw.debug.inspect(False)
    assert game._engine.painter.panels.over == []
    assert game._engine.events.kept is None


def test_f2_opens_the_inspector_and_reports_a_missing_package(
    game: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from framework.game.development_run import DevelopmentSession

    developing = DevelopmentSession(None).attach(game)
    game._engine.stage.inspect = developing._toggle_inspector  # as in a window
    monkeypatch.setitem(sys.modules, "slimgui", None)
    game.display.window.dispatch_event("on_key_press", fw.key.F2, 0)
    game.advance(1 / 60)
    with pytest.raises(fw.FrameworkError, match=r"pip install 'subtick\[debug\]'"):
        fw.debug.inspect()
    assert game._engine.stage.inspector is None
    assert len(game._engine.painter.panels.over) == 1  # the message about the missing package


def test_without_drawing_the_inspector_is_refused(make: Make) -> None:
    make(Boats, drawing=False)
    with pytest.raises(fw.FrameworkError, match=r"debug\.inspect"):
        fw.debug.inspect()


def test_containers_and_none_are_listed_as_values() -> None:
    class Holder:
        def __init__(self) -> None:
            self.bag = {"key": 1}
            self.target = None
            self.seen = {2}
            self._own = 3
            self.other = object()

    assert dict(_values(Holder())) == {"bag": {"key": 1}, "target": None, "seen": {2}}


def test_debug_drawing_is_in_the_world_of_each_view(make: Make, slimgui: Any) -> None:
    game = make(fw.Game, size=(960, 360), background="black")
    near = fw.Camera2D((240, 360))
    far = fw.Camera2D((240, 360))
    near.position = (1000, 500)
    far.position = (1040, 500)
    far.zoom = 2
    game.views.add(near, (0.5, 0, 0.25, 1))  # beside the panel
    game.views.add(far, (0.75, 0, 0.25, 1))
    game._engine.surface.begin_work()
    try:
        fw.debug.inspect()
        for _ in range(2):
            fw.debug.draw.line((980, 400), (1100, 400), "#f0f", 4)
            game.advance(1 / 60)
        magenta = (game.pixels()[..., :3] == (255, 0, 255)).all(axis=2)
        # The line is 100 below the center of the first view. The second view shows 90 above and
        # below its center, and nothing of the first view.
        assert magenta[279:281, 582:698].all()
        assert not magenta[:, 702:].any()
        far.zoom = 1
        fw.debug.draw.line((980, 400), (1100, 400), "#f0f", 4)
        game.advance(1 / 60)
        game.advance(0)
        magenta = (game.pixels()[..., :3] == (255, 0, 255)).all(axis=2)
        assert magenta[279:281, 582:698].all()
        assert magenta[279:281, 782:898].all()
    finally:
        game._engine.surface.end_work()


def test_debug_calls_reach_only_the_inspector_of_the_game(
    game: Any, slimgui: Any, make: Make
) -> None:
    second_game = make(Boats, size=(64, 36))
    game._engine.surface.begin_work()
    fw.debug.inspect()
    game._engine.surface.end_work()
    second_game.advance(1 / 60)
    inspector = game._engine.stage.inspector
    assert (inspector.notes.watched, list(inspector.notes.lines)) == ({}, [])
    for _ in range(2):
        game.advance(1 / 60)
    assert list(inspector.notes.lines) == ["      1  tick 1", "      2  tick 2"]
