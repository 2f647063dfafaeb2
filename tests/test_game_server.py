"""A server and its clients in one process, over a network in memory with a clock of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw

TICK = 1 / 60
SPEED = 120.0


class Arena(fw.Game):
    """Ships that players steer, and rocks that drift."""

    rocks_count = 20

    def setup(self) -> None:
        self.ships = self.add(
            fw.SpriteBatch(solid(8, 8), columns={"owner": fw.Column("i2", default=-1), "hp": 3})
        )
        self.rocks = self.add(fw.SpriteBatch(solid(8, 8), self.rocks_count))
        self.joined: list[Any] = []
        self.hits: list[Any] = []
        self.replicate(self.ships, changes=("owner", "hp"), predict=self.own)
        self.replicate(self.rocks, visible=self.near)
        self.replicate_events("hit")
        self.subscribe("hit", self.on_hit)
        if self.is_server:
            self.rocks.position[:] = self.random.uniform(0, 500, (self.rocks_count, 2))

    def own(self, player: int) -> Any:
        return self.ships.owner == player

    def near(self, player: int) -> Any:
        return np.ones(len(self.rocks), bool)

    def on_hit(self, x: float, who: list[int]) -> None:
        self.hits.append((self.tick, x, who))

    def on_player_join(self, player: int, name: str) -> None:
        self.joined.append((player, name))
        ship = self.ships.add(position=(100 * player, 50))
        ship.owner = player

    def on_player_leave(self, player: int) -> None:
        self.joined.append(player)
        self.ships.remove(self.ships.owner == player)

    def update(self, dt: float) -> None:
        for player in self.players:
            mine = np.flatnonzero(self.ships.owner == player.number)
            step = player.keys["right"] - player.keys["left"]
            self.ships.position[mine, 0] += np.float32(step * SPEED * dt)
            self.ships.angle[mine] = 0.5 * step
        if self.is_server:
            self.rocks.position[:, 0] += np.float32(30 * dt)


class Match:
    """A server and clients whose ticks run together."""

    def __init__(
        self,
        make: Any,
        clients: int = 1,
        game: Any = Arena,
        conditions: Any = None,
        **options: Any,
    ) -> None:
        self.network = fw.MemoryNetwork(conditions)
        self.server = fw.Server(game, link=self.network.link("server"), players=4, **options)
        self.clients: list[Any] = []
        self.sessions: list[Any] = []
        self._make, self._game = make, game
        for _ in range(clients):
            self.join()

    def join(self, name: str = "") -> Any:
        number = len(self.clients)
        link = self.network.link(f"client {number}")
        session = fw.Client("server", name=name or f"player {number}", link=link)
        self.sessions.append(session)
        self.clients.append(
            self._make(self._game, drawing=False, players=4, session=session)
        )
        return self.clients[-1]

    def run(self, ticks: int) -> None:
        for _ in range(ticks):
            self.network.advance(TICK)
            self.server.game.advance(TICK)
            for client in self.clients:
                client.advance(TICK)


@pytest.fixture
def match(make: Any) -> Any:
    matches: list[Match] = []

    def new(*args: Any, **options: Any) -> Match:
        matches.append(Match(make, *args, **options))
        return matches[-1]

    yield new
    for one in matches:
        one.server.close()


def test_a_client_shows_the_rows_of_the_server(match: Any) -> None:
    game = match(2)
    game.run(120)
    server, first = game.server.game, game.clients[0]
    assert server.joined == [(0, "player 0"), (1, "player 1")]
    assert [session.player for session in game.sessions] == [0, 1]
    assert first.ships.ids.tolist() == server.ships.ids.tolist() == [0, 1]
    assert first.ships.owner.tolist() == [0, 1]
    behind = server.tick - game.sessions[0].shown_tick
    assert 8 < behind < 14
    shown = server.rocks.position[:, 0] - 30 * TICK * behind
    assert np.abs(first.rocks.position[:, 0] - shown).max() < 0.2
    assert np.abs(first.rocks.position[:, 1] - server.rocks.position[:, 1]).max() < 0.1


def test_own_ships_move_at_once_and_agree_with_the_server(match: Any) -> None:
    game = match(2, conditions=fw.Conditions(latency=0.05, jitter=0.01, loss=0.05, seed=3))
    game.run(120)
    first, second = game.clients
    start = first.ships.position[0, 0]
    first.testing.press("right")
    game.run(2)
    assert first.ships.position[0, 0] > start
    game.run(58)
    first.testing.release("right")
    game.run(120)
    server = game.server.game
    assert server.ships.position[0, 0] == first.ships.position[0, 0] == pytest.approx(120, abs=8)
    assert abs(second.ships.position[0, 0] - server.ships.position[0, 0]) < 0.1
