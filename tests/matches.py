"""Matches of several machines on one network, for the tests of `fw.Rollback`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import framework as fw

TICK = 1 / 60


class Walk(fw.Game):
    """A game in which each player moves a number. It has effects and random numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"size": (320, 180), "players": 2} | options)

    def setup(self) -> None:
        self.places = [0] * len(self.players)
        self.luck = 0.0

    def update(self, dt: float) -> None:
        for player in self.players:
            self.places[player.number] += player.keys["right"] - player.keys["left"]
            if player.keys.just_pressed("space"):
                self.luck += float(self.random.random())
                self.emit("jump", player.number)


class Machines:
    """The machines of a match. `play` runs frames of all machines that are not stopped."""

    def __init__(
        self,
        players: int = 2,
        game: type[fw.Game] = Walk,
        conditions: fw.Conditions | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> None:
        self.network = fw.MemoryNetwork(conditions)
        self.timeout = timeout
        self._class = game
        self._options = options
        self._players = players
        self._links = 0
        self._names = [f"machine {player}" for player in range(players)]
        self.games: list[Any] = [None] * players
        for player in range(players):
            self.start(player)

    def start(self, player: int, name: str = "") -> Any:
        """Start the program of a player. ``name`` is another address of the machine."""
        name = name or self._names[player]
        self.network._links.pop(name, None)  # of a program that was killed
        session = fw.Rollback(
            player, peers=self._names[:player], link=self.network.link(name), **self._options
        )
        game: Any = self._class(drawing=False, players=self._players, session=session)
        if self.timeout is not None:
            game.session._endpoint._timeout_ns = round(self.timeout * 1e9)
        self.games[player] = game
        return game

    @property
    def sessions(self) -> list[Any]:
        return [None if game is None else game.session for game in self.games]

    def play(self, frames: int, stopped: Iterable[int] = (), keys: bool = True) -> None:
        """Run frames. Each player presses and releases keys, if ``keys`` is True."""
        out = {*stopped}
        for frame in range(frames):
            self.network.advance(TICK)
            for player, game in enumerate(self.games):
                if game is None or player in out:
                    continue
                if keys and (frame + 3 * player) % 9 in (0, 4):
                    pressed = (frame + 3 * player) % 9 == 0
                    for key in ("right", "space"):
                        (game.testing.press if pressed else game.testing.release)(key)
                game.advance(TICK)

    def kill(self, player: int) -> None:
        """End the program of a player without a message to the others, as SIGKILL does."""
        game = self.games[player]
        game.session._link.close()
        game.close()
        self.games[player] = None

    def cut(self, first: int, second: int, loss: float = 1) -> None:
        """Set the share of datagrams that are lost between two machines, both ways."""
        names = self._names[first], self._names[second]
        for source, target in (names, names[::-1]):
            self.network.set_conditions(fw.Conditions(latency=0.02, loss=loss), source, target)

    def finish(self, frames: int = 120) -> None:
        """Play until all machines have confirmed the same last tick, and compare their states."""
        games = [game for game in self.games if game is not None]
        last = max(game.tick for game in games) + 10
        for game in games:
            game.session.last_tick = last
        self.play(frames, keys=False)
        assert [game.session.confirmed_tick for game in games] == [last] * len(games)
        assert len({game.state_hash() for game in games}) == 1
        assert not any(game.session.desync for game in games)

    def __enter__(self) -> Machines:
        return self

    def __exit__(self, *error: object) -> None:
        for game in self.games:
            if game is not None:
                game.close()
