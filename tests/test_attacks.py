"""Attacks: foreign packets, changed packets and floods do not change a running match.

MUTATED_PACKETS=100000 sends more of them than CI does.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from mutated_packets import mutated
from pictures import solid

import framework as fw
from framework.net import match, packets, server_messages
from framework.net.connection import Connection
from framework.net.endpoint import Endpoint
from framework.net.game_server import ProgramIdentity

MUTATED = int(os.environ.get("MUTATED_PACKETS", "2000"))


class CountingGame(fw.Game):
    """A game in which every key of every tick changes a total."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"players": 2, "size": (160, 90)} | options)

    def setup(self) -> None:
        self.totals = [0, 0]

    def update(self, dt: float) -> None:
        for player in self.players:
            for value, key in enumerate(("left", "right", "up", "down", "space"), 1):
                if player.keys[key]:
                    total = self.totals[player.number]
                    self.totals[player.number] = (total * 31 + value + self.tick) % (1 << 32)
        if self.players[0].keys.just_pressed("space"):
            self.emit("space", self.tick)


class Arena(fw.Game):
    """A game on a server, in which the keys of each player move a ship."""

    def setup(self) -> None:
        self.ships = self.add(fw.SpriteBatch(solid(8, 8), columns={"hp": 3}))
        self.network.replicate(self.ships, changes=("hp",))
        self.totals = [0] * len(self.players)

    def on_player_join(self, player: int, name: str) -> None:
        self.ships.add(position=(100 * player, 50))

    def on_player_leave(self, player: int) -> None:
        self.ships.remove(player)

    def update(self, dt: float) -> None:
        for row in range(len(self.ships)):
            keys = self.players[row].keys
            self.ships.position[row, 0] += np.float32(keys["right"] - keys["left"])
            self.totals[row] = (self.totals[row] * 31 + keys["right"] * self.tick) % (1 << 32)


class HostileNetwork(fw.MemoryNetwork):
    """A network with an attacker, who reads all packets and sends changed ones from any address."""

    attacks = 0  # packets for each step
    left = 0
    last: HostileNetwork

    def __init__(self, conditions: fw.Conditions | None = None) -> None:
        super().__init__(conditions)
        self.numbers = random.Random(25)
        self.packets: list[tuple[int, str, str, bytes]] = []
        self.sent = 0
        type(self).last = self

    def _carry(self, source: str, target: str, data: bytes) -> None:
        if not target.startswith("stranger"):
            self.packets.append((self.now_ns, source, target, data))
        super()._carry(source, target, data)

    def advance_to(self, now_ns: int) -> None:
        super().advance_to(now_ns)
        # A copy of a packet that has not arrived yet would only arrive earlier.
        arrived = [packet for packet in self.packets[-300:] if packet[0] < now_ns - 100_000_000]
        names = [link.name for link in self.links]
        for _ in range(min(self.attacks, MUTATED - self.sent) if arrived else 0):
            _, source, target, data = self.numbers.choice(arrived)
            sender = source if self.numbers.random() < 0.7 else "stranger"
            self.inject(sender, target, mutated(self.numbers, data))
            self.sent += 1
            if self.numbers.random() < 0.3:
                hello = packets.pack_hello(self.numbers.randbytes(8))
                self.inject(f"stranger {self.sent}", self.numbers.choice(names), hello)


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch) -> list[Endpoint | Connection]:
    """Return a list that collects the new endpoints and connections, on a network with an attacker."""
    created: list[Endpoint | Connection] = []
    for kind in (Endpoint, Connection):

        def record(self: Any, *arguments: Any, real: Any = kind.__init__, **options: Any) -> None:
            real(self, *arguments, **options)
            created.append(self)

        monkeypatch.setattr(kind, "__init__", record)
    monkeypatch.setattr(match, "MemoryNetwork", HostileNetwork)
    return created


def test_a_match_with_an_attacker_has_the_same_result(
    endpoints: list[Endpoint | Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = max(100, MUTATED // 100)
    # No random faults: an answer to an attacker would use up random numbers.
    conditions = fw.Conditions(latency=0.03)
    results = []
    for attacks in (0, 100):
        monkeypatch.setattr(HostileNetwork, "attacks", attacks)
        results.append(fw.play_match(CountingGame, ticks, conditions=conditions, input_delay=0))
        results[-1].check()
    peaceful, attacked = results
    assert HostileNetwork.last.sent == MUTATED
    assert attacked.hashes == peaceful.hashes
    assert attacked.frames == peaceful.frames
    assert [stats.corrections for stats in attacked.stats] == [
        stats.corrections for stats in peaceful.stats
    ]
    reasons = sum((side.dropped for side in endpoints), Counter())
    assert reasons.total() > 0.8 * MUTATED
    assert {"malformed", "token", "unknown peer", "duplicate"} <= set(reasons)
    assert len(endpoints) == 8  # two endpoints with a connection each, in two matches


def test_a_server_with_an_attacker_has_the_same_result(
    endpoints: list[Endpoint | Connection], monkeypatch: pytest.MonkeyPatch, make: Any
) -> None:
    results = []
    for attacks in (0, 100):
        monkeypatch.setattr(HostileNetwork, "attacks", attacks)
        network = HostileNetwork(fw.Conditions(latency=0.03))
        server = fw.Server(Arena, link=network.link("server"), players=4)
        clients = [
            make(
                Arena,
                drawing=False,
                players=4,
                session=fw.Client("server", link=network.link(f"client {number}")),
            )
            for number in range(2)
        ]
        states = []
        for frame in range(max(120, MUTATED // 100 + 20)):
            if frame % 10 == 5:
                act = clients[frame % 2].testing
                (act.press if frame % 20 == 5 else act.release)("right")
            network.advance(1 / 60)
            server.game.advance(1 / 60)
            states.append(server.game.state_hash() if frame % 10 == 0 else None)
            for client in clients:
                client.advance(1 / 60)
                states.append(client.ships.position.tolist())
        results.append(states)
        server.close()
    assert results[0] == results[1]
    assert len({*filter(None, results[0][::3])}) > 10
    assert network.sent == MUTATED
    reasons = sum((side.dropped for side in endpoints), Counter())
    assert reasons.total() > 0.8 * MUTATED


def test_a_full_server_accepts_a_restarted_client(make: Any) -> None:
    network = fw.MemoryNetwork()
    server = fw.Server(Arena, link=network.link("server"), players=1)
    link = network.link("client")
    for _ in range(2):
        session = fw.Client("server", link=link)
        client = make(Arena, drawing=False, players=1, session=session)
        for _ in range(30):
            network.advance(1 / 60)
            server.game.advance(1 / 60)
            client.advance(1 / 60)
        assert (session.state, session.reason, session.player) == ("connected", "", 0)
        link._closed = False  # the first program ended without a message
    server.close()


@pytest.mark.parametrize("liar", [b"client", b"server"])
def test_a_peer_with_wrong_messages_raises_no_error_elsewhere(
    liar: bytes, monkeypatch: pytest.MonkeyPatch, make: Any
) -> None:
    """The tags of these packets are valid: only their messages are changed."""
    numbers = random.Random(3)
    recent: list[bytes] = []
    send = Connection.send_reliable

    def lie(self: Connection, data: bytes) -> None:
        send_unreliable(self, data)
        if self._role == liar and self.peer in ("server", "client 0"):
            recent.append(data)
            for _ in range(3):
                kind = recent[numbers.randrange(len(recent))][:1]
                message = mutated(numbers, numbers.choice(recent[-50:]))
                if numbers.random() < 0.3:
                    message = kind + numbers.randbytes(numbers.randrange(60))
                (send if numbers.random() < 0.3 else send_unreliable)(self, message[:1100])

    send_unreliable = Connection.send_unreliable
    monkeypatch.setattr(Connection, "send_unreliable", lie)
    network = fw.MemoryNetwork(fw.Conditions(latency=0.03))
    server = fw.Server(Arena, link=network.link("server"), players=4)
    games = [server.game]
    sessions = [fw.Client("server", link=network.link(f"client {each}")) for each in range(2)]
    games += [make(Arena, drawing=False, players=4, session=session) for session in sessions]
    for frame in range(150):
        network.advance(1 / 60)
        if frame % 7 == 0:
            games[1].testing.press("right") if frame % 2 else games[1].testing.release("right")
        for game in games:
            game.advance(1 / 60)
    assert sessions[1].state == "connected"
    dropped = server.dropped if liar == b"client" else sessions[0].dropped
    assert dropped["malformed"] > 50
    server.close()


def test_an_impossible_tick_number_is_malformed() -> None:
    good = server_messages.pack_tick(server_messages.TickMessage(9, 9, 0, []))
    assert server_messages.unpack_tick(good, []).tick == 9
    for start in (1, 5):
        wrong = good[:start] + b"\xff" * 4 + good[start + 4 :]
        with pytest.raises(ValueError, match="tick"):
            server_messages.unpack_tick(wrong, [])


def test_input_with_a_position_far_from_every_window_is_malformed() -> None:
    for x, is_valid in ((1e12, True), (1.1e12, False), (-1e300, False)):
        pending = {5: fw.TickInput((("on_mouse_motion", x, 0.0, 1.0, 1.0),))}
        data = server_messages.pack_input(5, 5, pending, 0.0, 0, 0)
        if is_valid:
            assert server_messages.unpack_input(data).inputs == {5: pending[5].events}
        else:
            with pytest.raises(ValueError, match="numbers"):
                server_messages.unpack_input(data)


def test_a_peer_with_a_short_message_limit_does_not_stop_the_game(make: Any) -> None:
    network = fw.MemoryNetwork()
    server = fw.Server(Arena, link=network.link("server"), players=2)
    host = make(CountingGame, drawing=False, session=fw.Rollback(0, link=network.link("host")))
    session = host.session
    program = ProgramIdentity(server.game, True).packed
    token = session._admission.token[:6] + bytes([1, *range(8)])
    connections = []
    for name, identity, target, first in (
        ("client", program, "server", b"name"),
        ("player", session._endpoint._identity, "host", token),
    ):
        endpoint = Endpoint(
            network.link(name),
            identity=identity,
            compare=lambda _: None,
            max_peers=0,
            max_message=1,
        )
        connections.append((endpoint, endpoint.connect(target, first)))
    for _ in range(30):
        network.advance(1 / 60)
        for endpoint, _ in connections:
            endpoint.poll()
            endpoint.flush()
        server.game.advance(1 / 60)
        host.advance(1 / 60)
    for _, connection in connections:
        assert connection.state == "closed"
        assert "accepts messages of at most 1 bytes" in connection.reason
    assert session.waiting_for == (1,)
    server.close()
