"""Session status: the text that players see while a match waits, is paused, or has ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

import framework as fw

Make = Callable[..., Any]


class Plain(fw.Game):
    def setup(self) -> None:
        self.x = 0

    def update(self, dt: float) -> None:
        for player in self.players:
            self.x += player.keys["space"]


class Sides:
    """Two machines of a match. The first game is drawn if `make` is given."""

    def __init__(self, stack: ExitStack, make: Make | None = None, players: int = 2) -> None:
        self.network = fw.MemoryNetwork(fw.Conditions(latency=0.02))
        self.links = [self.network.link(f"player {index}") for index in range(players)]
        self.sessions = [
            fw.Rollback(
                index,
                peers=[link.name for link in self.links[:index]],
                link=self.links[index],
                input_delay=1,
            )
            for index in range(players)
        ]
        self.games: list[Any] = []
        for index, session in enumerate(self.sessions):
            if make is not None and index == 0:
                game = make(Plain, size=(320, 200), session=session, players=players)
            else:
                game = stack.enter_context(
                    Plain(drawing=False, size=(320, 200), session=session, players=players)
                )
            self.games.append(game)

    def run(self, frames: int, *which: int) -> None:
        """Run frames of the machines ``which``, or of all."""
        for _ in range(frames):
            self.network.advance(1 / 60)
            for index in which or range(len(self.games)):
                self.games[index].advance(1 / 60)

    def status(self) -> list[str]:
        return [session.status for session in self.sessions]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as entered:
        yield entered


def test_before_the_match_the_text_names_the_missing_players(stack: ExitStack) -> None:
    sides = Sides(stack, players=3)
    sides.run(20, 0)
    assert sides.status()[0] == "Waiting for player 2 and player 3"
    sides.run(20, 0, 1)
    assert sides.status()[0] == "Waiting for player 3"
    sides.run(30)
    assert sides.status() == ["", "", ""]
    assert sides.games[0].tick > 0


def test_a_stalled_machine_is_shown_and_then_the_match_continues(
    stack: ExitStack,
) -> None:
    sides = Sides(stack)
    sides.run(40)
    assert sides.status() == ["", ""]
    sides.run(20, 0)
    assert sides.status()[0] == ""  # a short stall needs no text
    sides.run(40, 0)
    assert sides.status()[0] == "Waiting for player 2"
    sides.run(40)
    assert sides.status() == ["", ""]


def test_the_pause_of_a_player_is_shown_to_the_other_player(stack: ExitStack) -> None:
    sides = Sides(stack)
    sides.run(40)
    sides.games[1].timestep.paused = True
    sides.run(60)
    assert sides.status() == ["Paused by player 2", ""]
    sides.games[1].timestep.paused = False
    sides.run(60)
    assert sides.status() == ["", ""]
    assert abs(sides.games[0].tick - sides.games[1].tick) < 12


def test_a_player_who_left_is_named_for_a_while(stack: ExitStack) -> None:
    sides = Sides(stack)
    sides.run(40)
    sides.games[1].close()
    sides.run(40, 0)
    assert sides.status()[0] == "Player 2 left the match"
    tick = sides.games[0].tick
    sides.run(320, 0)
    assert sides.status()[0] == ""
    assert sides.games[0].tick > tick + 200


def test_a_refused_match_shows_the_reason(stack: ExitStack) -> None:
    network = fw.MemoryNetwork()
    links = [network.link("a"), network.link("b")]
    first = fw.Rollback(0, link=links[0])
    second = fw.Rollback(1, peers=["a"], link=links[1])
    games = [
        stack.enter_context(Plain(drawing=False, players=2, session=first)),
        stack.enter_context(Plain(drawing=False, players=2, seed=7, session=second)),
    ]
    for _ in range(20):
        network.advance(1 / 60)
        for game in games:
            game.advance(1 / 60)
    assert second.status.startswith("The match cannot go on: seed: expected '7', got '0'")


def test_the_text_is_drawn_in_a_box_over_the_game(stack: ExitStack, make: Make) -> None:
    sides = Sides(stack, make)
    game = sides.games[0]
    sides.run(3, 0)
    with_box = game.pixels().astype(int)
    yellow = (with_box[..., 0] > 200) & (with_box[..., 1] > 150) & (with_box[..., 2] < 160)
    rows, columns = np.nonzero(yellow)
    assert 20 < columns.min() < columns.max() < 300  # in the center
    assert 20 < rows.min() < rows.max() < 130
    game.display.session_status = False
    sides.run(1, 0)
    without = game.pixels()
    assert (without == without[0, 0]).all()
    game.display.session_status = True
    sides.run(1, 0)
    np.testing.assert_array_equal(game.pixels(), with_box)
    sides.run(60)
    assert sides.status() == ["", ""]
    assert game.tick > 20
    np.testing.assert_array_equal(game.pixels(), without)
    assert game.state_hash() == game.state_hash()


@pytest.mark.parametrize("size", [(40, 30), (5, 5), (320, 9)])
def test_a_long_text_in_a_small_window_is_cut_off(make: Make, size: tuple[int, int]) -> None:
    game = make(Plain, size=size)
    panels = game._engine.painter.panels
    for text in ("x" * 5000, "Waiting for player 2 " * 20, "Ж", "one"):
        panels.show_status(text)
        game.run(1)
        assert game.pixels().shape == (size[1], size[0], 4)
    panels.show_status("")
    panels.show_status("")
    assert panels.shown == []
