"""Eased themes: widgets change their colors gradually."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import framework as fw
from framework.ui.easing import Eases, Levels, mixed

TICK = 1 / 60


class Menu(fw.Game):
    def setup(self) -> None:
        self.ui.theme = fw.Theme(ease=0.1, edge=(0, 0, 0, 0), control="#000", hover="#fff")
        self.ui.scale = 1
        menu = self.ui.column(anchor="bottom left", position=(0, 0), width=100, padding=0, gap=0)
        self.buttons = [menu.button(" ", lambda: None, min_height=30) for _ in range(2)]


@pytest.fixture
def game() -> Iterator[Any]:
    with Menu(headless=True, size=(100, 100)) as game:
        game.advance(TICK)
        game.advance(TICK)
        yield game


def brightness(game: Any) -> int:
    """Return the brightness of the lower button."""
    return int(game.pixels()[70, 50, 0])


def point(game: Any, y: float) -> None:
    game.testing.feed([("on_mouse_motion", 50, y, 0, 0)])


def series(game: Any, count: int) -> list[int]:
    result = []
    for _ in range(count):
        game.advance(TICK)
        result.append(brightness(game))
    return result


def test_a_button_under_the_pointer_becomes_bright_gradually(game: Any) -> None:
    assert brightness(game) == 0
    point(game, 30)
    rising = series(game, 12)
    assert rising == sorted(rising)
    assert len({value for value in rising if 0 < value < 255}) >= 4
    assert rising[-1] == 255
    point(game, 98)
    falling = series(game, 12)
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] == 0


def test_nothing_is_drawn_again_when_the_change_is_complete(game: Any) -> None:
    point(game, 30)
    series(game, 12)
    before = game.pixels()
    assert series(game, 3) == [255] * 3
    assert np.array_equal(game.pixels(), before)


def test_a_change_continues_in_the_same_way_after_a_snapshot(game: Any) -> None:
    point(game, 30)
    series(game, 3)
    snapshot = game.snapshot()
    first = series(game, 6)
    game.restore(snapshot)
    assert series(game, 6) == first


def test_a_widget_can_be_removed_while_it_changes(game: Any) -> None:
    point(game, 30)
    series(game, 2)
    game.buttons[1].remove()
    assert series(game, 12)[-1] == 255
    assert game.buttons[0].hovered  # the lower button moved under the pointer


def test_without_an_ease_states_change_at_once(game: Any) -> None:
    game.ui.theme = game.ui.theme.with_(ease=0)
    point(game, 30)
    assert series(game, 2)[-1] == 255


def test_levels_change_step_by_step() -> None:
    eases = Eases()
    painted: list[object] = []
    assert eases.levels("a", Levels(), 1.0) == Levels()
    assert eases.levels("a", Levels(hover=1.0), 1.0) == Levels()
    eases.advance(0.25, painted.append)
    assert eases.levels("a", Levels(hover=1.0), 1.0).hover == 0.15625  # slower at both ends
    eases.advance(0.25, painted.append)
    assert eases.levels("a", Levels(hover=1.0), 1.0).hover == 0.5
    saved = eases.capture()
    eases.advance(9.0, painted.append)
    assert eases.levels("a", Levels(hover=1.0), 1.0).hover == 1.0
    eases.advance(9.0, painted.append)
    assert painted == ["a", "a", "a"]  # the last step changed nothing
    eases.restore(saved)
    assert eases.levels("a", Levels(hover=1.0), 1.0).hover == 0.5
    eases.keep(set())
    assert eases.levels("a", Levels(press=1.0), 1.0).press == 1.0
    assert mixed((0, 0, 0, 1), (1, 0.5, 0, 0), 0.5) == (0.5, 0.25, 0, 0.5)


def test_themes_can_be_set_by_name() -> None:
    with fw.Game(headless=True, size=(80, 60)) as game:
        game.ui.theme = "playful"
        assert game.ui.theme.ease > 0
        game.ui.column().button("Ω →", lambda: None)
        game.advance(TICK)
        assert len(np.unique(game.pixels().reshape(-1, 4), axis=0)) > 10
