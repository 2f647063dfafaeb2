"""Encore, the complete game in examples/games: levels, echo, menus, and a perfect run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework import resources
from framework.sim.game_files import game_class_of

# .ci/versions leaves these tests out: its environments do not install the fixture `play`.
pytestmark = pytest.mark.repository
FOLDER = resources.folder("examples") / "games"
SIZE = {"size": (240, 135), "drawing": False}


@pytest.fixture
def encore(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The modules' names and the game class, loaded as `framework run` loads a file."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.syspath_prepend(FOLDER)
    game_class, _ = game_class_of(str(FOLDER / "encore.py"))
    return SimpleNamespace(**vars(sys.modules["__main__"]) | {"Encore": game_class})


def press(game: fw.Game, *keys: str, ticks: int = 2) -> None:
    for key in keys:
        game.testing.press(key)
        game.run_ticks(ticks)
        game.testing.release(key)
        game.run_ticks(ticks)


def level_of(encore: Any, play: Callable[..., Any], number: int) -> tuple[Any, Any]:
    game = play(encore.Encore, **SIZE)
    game.show(encore.Level(number))
    game.run_ticks(2)
    return game, game.scene


def test_a_perfect_run_wins_all_levels_with_all_coins(encore: Any) -> None:
    replay = fw.Replay.open(FOLDER / "encore" / "perfect.replay")
    with replay.playing(encore.Encore, headless=True, drawing=False) as (game, playback):
        for _ in playback.run():
            pass
        assert game.best_coins == [len(plan.cells("o")) for plan in game.maps]
        assert game.secrets == [True] * 5
        assert all(5 < seconds < 60 for seconds in game.best_times)
        assert [len(run) for run in game.best_runs] == [
            round(seconds * 60) // 3 for seconds in game.best_times
        ]
        assert game.scene.title == "Encore!"


def test_a_level_can_be_saved_and_continued_from_the_title(
    encore: Any, play: Callable[..., Any]
) -> None:
    game = play(encore.Encore, **SIZE)
    game.run_ticks(2)
    press(game, "return")  # Play
    game.run_ticks(60)
    level = game.scene
    assert (type(level).__name__, level.number) == ("Level", 0)
    game.testing.press("right")
    game.run_ticks(60)
    game.testing.press("space")
    game.run_ticks(30)
    game.testing.release("space")
    game.testing.release("right")
    assert level.hero.sprite.x > 170
    level.hero.sprite.teleport(tuple(level.spots[1]))
    game.run_ticks(2)
    press(game, "escape")
    ticks = level.progress["ticks"]
    press(game, "down", "down", "return")  # Settings
    assert game.scene is game.settings
    press(game, "left", ticks=4)  # the volume
    assert game.audio.volume < 1
    game.settings.column.children[-2].press()  # no shakes
    press(game, "escape")
    assert level.progress["ticks"] == ticks
    press(game, "down", "return")  # Save and leave
    game.run_ticks(40)
    assert game.scene.title == ""
    again = play(encore.Encore, **SIZE)
    again.run_ticks(2)
    assert (again.shakes, again.resume["checkpoint"]) == (False, 1)
    assert again.audio.volume == game.audio.volume
    press(again, "return")  # Continue level 1
    again.run_ticks(2)
    level = again.scene
    assert level.progress["ticks"] >= ticks
    assert tuple(level.hero.sprite.position) == pytest.approx(tuple(level.spots[1]), abs=1)


def test_a_save_with_fewer_levels_loads(encore: Any, play: Callable[..., Any]) -> None:
    game = play(encore.Encore, **SIZE)
    game.best_times[0] = 9.0
    for values in (game.best_times, game.best_coins, game.secrets, game.best_runs):
        del values[3:]
    game.resume = {"level": 1, "coins": np.zeros(3, bool)}
    game.keep()
    again = play(encore.Encore, **SIZE)
    assert again.best_times == [9.0, 0.0, 0.0, 0.0, 0.0]
    assert (len(again.best_runs), again.next_level, again.resume) == (5, 1, {})


def test_an_echo_presses_a_plate_and_carries_the_hero(
    encore: Any, play: Callable[..., Any]
) -> None:
    game, level = level_of(encore, play, 0)
    hero = level.hero
    machines = level.machines
    x, y = (machines.plates[0] + 0.5) * encore.Map(0).grid.tile_size
    hero.sprite.teleport((x - 60, y + 1))
    hero.memory.count = 0
    game.run_ticks(5)
    game.testing.press("right")
    game.run_ticks(29)
    game.testing.release("right")
    game.run_ticks(30)
    assert machines.opened == {"A"}
    assert machines.share[0] == 1  # the gate is open
    game.testing.press("e")
    game.run_ticks(20)
    game.testing.release("e")
    game.run_ticks(2)
    assert hero.sprite.x < x - 50
    assert not machines.opened
    game.run_ticks(60)
    assert machines.opened == {"A"}  # the echo holds it open
    hero.sprite.teleport((x, y + 30))
    game.run_ticks(30)
    assert hero.standing
    assert hero.sprite.y == pytest.approx(hero.echo.sprite.y + 18, abs=0.1)
    game.run_ticks(120)
    assert not hero.echo.left
    assert hero.sprite.y == pytest.approx(y + 1, abs=0.1)


def test_the_player_can_rewind_a_fall(encore: Any, play: Callable[..., Any]) -> None:
    game, level = level_of(encore, play, 0)
    hero = level.hero
    start = level.hero.sprite.position
    game.run_ticks(30)
    level.hurt()
    game.run_ticks(2)
    assert (hero.state, hero.sprite.visible) == ("hurt", False)
    game.testing.press("e")
    game.run_ticks(5)
    game.testing.release("e")
    game.run_ticks(2)
    assert (hero.state, hero.sprite.visible) == ("free", True)
    level.hurt()
    game.run_ticks(60)
    assert hero.state == "free"
    assert hero.sprite.position == pytest.approx(start, abs=0.1)


@pytest.mark.parametrize("number", range(5))
def test_a_level_has_all_its_parts(encore: Any, number: int) -> None:
    plan = encore.Map(number)
    assert [len(plan.cells(mark)) for mark in "@*s"] == [1, 1, 1]
    assert len(plan.cells("?")) == len(plan.signs)
    assert {mark.upper() for mark in "abc" if len(plan.cells(mark))} == {
        mark for mark in "ABC" if len(plan.cells(mark))
    }
    assert plan.title
    assert set(np.unique(plan.marks)) <= set(".#=^~@!*o?shv-:abcABCwft")


def test_a_level_can_be_repeated_exactly(
    encore: Any, sync_test: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encore.screens, "Title", lambda game: encore.Level(4))
    sync_test(encore.Encore, ticks=60, **SIZE)


def test_a_rewind_restores_the_state_of_its_tick(encore: Any, play: Callable[..., Any]) -> None:
    game = play(encore.Encore, **SIZE)
    game.recording.rewind = fw.Rewind()
    game.show(encore.Level(2))
    game.testing.press("right")
    game.run_ticks(60)
    x = game.scene.hero.sprite.x
    lift = game.scene.machines.position.copy()
    tick = game.tick
    game.run_ticks(40)
    game.recording.rewind.seek(tick)
    game.recording.rewind.resume()
    assert game.scene.hero.sprite.x == x
    assert (game.scene.machines.position == lift).all()


def test_a_level_is_drawn(encore: Any, play: Callable[..., Any]) -> None:
    game = play(encore.Encore, size=(480, 270))
    game.show(encore.Level(0))
    game.advance(1 / 60)
    assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 30
