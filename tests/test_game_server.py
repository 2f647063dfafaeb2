"""A server and its clients in one process, over a simulated network with its own clock."""

from __future__ import annotations

import importlib.util
import inspect
import random
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import solid

import framework as fw
from framework.geometry import quaternions
from framework.net import game_client, game_server, row_receiver, server_messages
from framework.net.client_peer import ClientPeer
from framework.net.connection import Connection
from framework.net.event_arguments import wrong_arguments
from framework.net.game_server import ProgramIdentity
from framework.net.pacing import ServerSpeed
from framework.net.snapshot_plan import SnapshotPlan

TICK = 1 / 60
SPEED = 120.0


class Arena(fw.Game):
    """Ships that players steer, and rocks that move by themselves."""

    rocks_count = 20

    def setup(self) -> None:
        self.ships = self.add(
            fw.SpriteBatch(solid(8, 8), columns={"owner": fw.Column("i2", default=-1), "hp": 3})
        )
        self.rocks = self.add(fw.SpriteBatch(solid(8, 8), self.rocks_count))
        self.joined: list[Any] = []
        self.hits: list[Any] = []
        self.network.replicate(self.ships, changes=("owner", "hp"), predict=self.own)
        self.network.replicate(self.rocks, visible=self.near)
        self.network.replicate_events("hit")
        self.subscribe("hit", self.on_hit)
        self.decided_in_setup = self.network.is_server
        if self.network.is_server:
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
        if self.network.is_server:
            self.rocks.position[:, 0] += np.float32(30 * dt)


class Match:
    """A server and clients whose ticks run in step."""

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
        self._make = make
        self._game = game
        for _ in range(clients):
            self.join()

    def join(self, name: str = "") -> Any:
        number = len(self.sessions)
        link = self.network.link(f"client {number}")
        session = fw.Client("server", name=name or f"player {number}", link=link)
        self.sessions.append(session)
        self.clients.append(self._make(self._game, drawing=False, players=4, session=session))
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
    for each in matches:
        each.server.close()


def test_a_client_has_the_rows_of_the_server(match: Any) -> None:
    game = match(2)
    game.run(70)
    server = game.server.game
    first = game.clients[0]
    assert server.joined == [(0, "player 0"), (1, "player 1")]
    assert [session.player for session in game.sessions] == [0, 1]
    assert first.ships.ids.tolist() == server.ships.ids.tolist() == [0, 1]
    assert first.ships.owner.tolist() == [0, 1]
    behind = server.tick - game.sessions[0].shown_tick
    assert 8 < behind < 14
    shown = server.rocks.position[:, 0] - 30 * TICK * behind
    assert np.abs(first.rocks.position[:, 0] - shown).max() < 0.2
    assert np.abs(first.rocks.position[:, 1] - server.rocks.position[:, 1]).max() < 0.1


def own_ship(game: Any, axis: int = 0) -> Any:
    """Return a coordinate of a client's own ship, x by default."""
    return float(game.ships.position[game.ships.owner == game.network.local_player, axis][0])


def on_server(match: Match, client: Any, axis: int = 0) -> float:
    ships = match.server.game.ships
    return float(ships.position[ships.owner == client.network.local_player, axis][0])


BAD_LINK = fw.Conditions(latency=0.05, jitter=0.01, loss=0.05, seed=3)


def test_own_ships_move_at_once_and_agree_with_the_server(match: Any) -> None:
    game = match(2, conditions=BAD_LINK)
    game.run(75)
    first, second = game.clients
    session = game.sessions[0]
    start = own_ship(first)
    corrections = session.stats.corrections
    first.testing.press("right")
    game.run(2)
    assert own_ship(first) > start == on_server(game, first)
    game.run(58)
    first.testing.release("right")
    game.run(60)
    assert own_ship(first) == on_server(game, first) == pytest.approx(start + 120, abs=8)
    assert session.stats.corrections == corrections
    ship = second.ships.owner == first.network.local_player
    assert abs(float(second.ships.position[ship, 0][0]) - own_ship(first)) < 0.1
    assert session.stats.ping == pytest.approx(0.11, abs=0.04)
    assert 5 < session.stats.received < session.stats.sent < 60
    assert game.server.stats.sent > 10
    assert session.status == ""


def test_a_wrong_prediction_is_corrected_and_the_later_input_is_kept(match: Any) -> None:
    game = match(1, conditions=BAD_LINK)
    game.run(75)
    client = game.clients[0]
    session = game.sessions[0]
    client.testing.press("right")
    game.run(10)
    server = game.server.game
    server.ships.position[:, 1] += 40  # a push that the client cannot predict
    before = session.stats.corrections
    game.run(20)
    assert session.stats.corrections == before + 1
    assert session.stats.resimulated > 4
    assert float(client.ships.position[0, 1]) == 90
    client.testing.release("right")
    game.run(30)
    assert client.ships.position.tolist() == server.ships.position.tolist()
    assert session.stats.corrections == before + 1


class Pushed(Arena):
    """A game whose server moves all ships in each tick, which no client can predict."""

    not_state = ("snapshots",)
    snapshots = 0

    def snapshot(self) -> Any:
        self.snapshots += 1
        return super().snapshot()

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.network.is_server:
            self.ships.position[:, 1] += 1


def test_a_client_with_many_wrong_predictions_takes_few_snapshots(match: Any) -> None:
    game = match(1, Pushed, conditions=fw.Conditions(latency=0.1))
    client = game.clients[0]
    session = game.sessions[0]
    game.run(100)
    before = session.stats.corrections
    client.snapshots = 0
    game.run(60)
    corrections = session.stats.corrections - before
    assert 9 <= corrections <= 11  # one for every second state
    assert client.snapshots <= 3.5 * corrections
    assert client.snapshots <= 0.6 * 60
    behind = on_server(game, client, 1) - own_ship(client, 1)
    assert 0 < behind < 30  # the time of a message and of two states


def test_a_client_with_right_predictions_can_correct_each_state() -> None:
    plan = SnapshotPlan()
    plan.start(3)

    def due(first: int, last: int) -> list[int]:
        ticks = [tick for tick in range(first, last + 1, 3) if plan.is_due(tick)]
        for tick in ticks:
            plan.note_snapshot(tick)
        return ticks

    assert due(3, 9) == [3, 6, 9]
    plan.note_correction(9, 6)  # a correction of a few ticks
    assert due(12, 15) == [12, 15]
    plan.note_correction(12, 15)
    assert [tick for tick in range(15, 28, 3) if plan.is_due(tick)][:1] == [18]
    plan.note_snapshot(18)
    assert not plan.is_due(21)
    assert plan.is_due(24)
    plan.note_right()
    plan.note_snapshot(24)
    assert plan.is_due(27)


def test_rows_are_added_and_removed_in_the_tick_of_the_server(match: Any) -> None:
    game = match(1)
    game.run(60)
    server = game.server.game
    client = game.clients[0]
    session = game.sessions[0]
    server.rocks.remove([3, 5])
    added = server.rocks.extend(2, position=[(7, 8), (9, 10)])
    tick = server.tick
    while session.shown_tick < tick:
        game.run(1)
        assert len(client.rocks) == 20
    game.run(4)
    assert client.rocks.ids.tolist() == server.rocks.ids.tolist()
    assert client.rocks.ids[added].tolist() == [20, 21]
    assert client.rocks.position[added, 1].tolist() == [8, 10]
    handle = client.rocks[client.rocks.row_of(20)]
    server.rocks.remove(0)
    game.run(20)
    assert handle.row == 17
    server.rocks.clear()
    game.run(20)
    assert len(client.rocks) == 0
    assert handle.removed


def test_rows_that_arrive_late_survive_corrections(match: Any) -> None:
    slow = fw.Conditions(latency=0.1, jitter=0.02, loss=0.35, seed=0)
    game = match(1, conditions=slow)
    server = game.server.game
    client = game.clients[0]
    session = game.sessions[0]
    chance = random.Random(0)
    game.run(60)
    for _ in range(150):
        if chance.random() < 0.3:
            server.rocks.add(position=(chance.uniform(0, 500), 0))
            server.rocks.remove(chance.randrange(len(server.rocks)))
        if len(server.ships) and chance.random() < 0.3:
            server.ships.position[:, 0] += 40  # the client cannot predict this
            server.ships.hp += 1
        game.run(1)
    assert session.stats.corrections > 10
    game.run(150)
    assert client.rocks.ids.tolist() == server.rocks.ids.tolist()
    assert client.ships.hp.tolist() == server.ships.hp.tolist()


def test_columns_that_change_arrive_with_their_tick(match: Any) -> None:
    game = match(2)
    game.run(60)
    server = game.server.game
    client = game.clients[0]
    session = game.sessions[0]
    server.ships.hp[1] = 1
    tick = server.tick
    while session.shown_tick < tick:
        game.run(1)
        assert client.ships.hp.tolist() == [3, 3]
    game.run(4)
    assert client.ships.hp.tolist() == [3, 1]


def test_events_are_called_when_the_client_shows_their_tick(match: Any) -> None:
    game = match(1)
    game.run(60)
    server = game.server.game
    client = game.clients[0]
    session = game.sessions[0]
    server.emit("hit", np.float32(1.5), np.arange(2))
    tick = server.tick
    assert server.hits[0][1:] == (1.5, pytest.approx([0, 1]))
    while session.shown_tick < tick:
        assert client.hits == []
        game.run(1)
    game.run(1)
    assert [hit[1:] for hit in client.hits] == [(1.5, [0, 1])]
    with pytest.raises(TypeError, match="emit: expected numbers, strings or lists"):
        server.emit("hit", object(), [])


def test_a_client_that_joins_late_receives_all_rows(match: Any) -> None:
    game = match(1)
    game.run(60)
    server = game.server.game
    server.rocks.remove([1, 2])
    server.ships.hp[0] = 2
    game.run(60)
    client = game.join("Zoe")
    game.run(60)
    assert game.server.players == {0: "player 0", 1: "Zoe"}
    assert client.rocks.ids.tolist() == server.rocks.ids.tolist()
    assert client.ships.hp.tolist() == [2, 3]
    assert client.network.local_player == 1
    assert not client.network.is_server
    assert not client.decided_in_setup
    assert server.network.is_server
    assert server.decided_in_setup
    shift = server.rocks.position[:, 0] - client.rocks.position[:, 0]
    assert 4 < shift.min() < shift.max() < 8


def test_a_player_who_leaves_frees_the_player_number(match: Any) -> None:
    game = match(2)
    game.run(30)
    game.clients[0].testing.press("right")
    game.run(30)
    game.clients.pop(0).close()
    game.run(30)
    server = game.server.game
    assert server.joined[2:] == [0]
    assert not server.players[0].keys["right"]
    assert server.ships.owner.tolist() == game.clients[0].ships.owner.tolist() == [1]
    game.join("new")
    game.run(60)
    assert game.server.players == {0: "new", 1: "player 1"}


class Foggy(Arena):
    """Each player sees only every second rock, on the left side."""

    def near(self, player: int) -> Any:
        return (self.rocks.ids % 2 == player % 2) & (self.rocks.position[:, 0] < 480)


def test_a_client_receives_only_visible_rows(match: Any) -> None:
    game = match(2, game=Foggy)
    game.run(90)
    server = game.server.game
    for client in game.clients:
        visible = server.near(client.network.local_player)
        assert {*client.rocks.ids.tolist()} == {*server.rocks.ids[visible].tolist()}


def test_hits_are_tested_against_the_state_that_a_player_sees(match: Any) -> None:
    game = match(1, conditions=BAD_LINK)
    game.run(75)
    server = game.server.game
    client = game.clients[0]
    now = server.rocks.position.copy()
    with game.server.rewound(game.server.shown_tick(0)):
        past = server.rocks.position.copy()
    assert np.array_equal(server.rocks.position, now)
    assert (now[:, 0] - past[:, 0]).min() > 5
    # The client shows a newer state than the server assumes, by the time of one message.
    assert np.abs(client.rocks.position[:, 0] - past[:, 0]).max() < 30 * TICK * 6
    removed = server.rocks[2]
    removed.remove()
    with server.session.rewound(server.tick - 20.5):
        assert len(server.rocks) == 19
    with pytest.raises(ValueError, match="player: expected a connected player"):
        game.server.shown_tick(3)


class OtherGame(fw.Game):
    pass


def test_clients_with_another_game_or_rates_are_refused_with_a_reason(make: Any) -> None:
    network = fw.MemoryNetwork()
    with fw.Server(Arena, link=network.link("server"), players=1) as server:
        with pytest.raises(ValueError, match=r"expected a connected player \(nobody\), got 0"):
            server.shown_tick(0)
        sentences = []
        for number, (game, options) in enumerate(
            [
                (Arena, {"players": 3}),
                (Arena, {"players": 1, "tick_rate": 30}),
                (OtherGame, {}),
                (Arena, {"players": 1}),
                (Arena, {"players": 1}),
            ]
        ):
            session = fw.Client("server", link=network.link(f"client {number}"))
            client = make(game, drawing=False, session=session, **options)
            for _ in range(40):
                network.advance(TICK)
                server.game.advance(TICK)
                client.advance(TICK)
            sentences.append((session.state, session.reason))
            assert client.tick > 10  # the client plays on alone
            if session.state == "refused":
                assert session.status == f"The server refused the connection: {session.reason}"
        assert [state for state, _ in sentences] == ["refused"] * 3 + ["connected", "refused"]
        assert "has 1 players, and this game 3" in sentences[0][1]
        assert "runs 60 ticks per second, and this game 30" in sentences[1][1]
        assert "runs the game Arena, and the client OtherGame" in sentences[2][1]


def test_clients_slow_down_with_a_server_that_has_too_much_work(match: Any) -> None:
    game = match(1, conditions=fw.Conditions(latency=0.03, jitter=0.005, seed=1))
    game.run(60)
    (session,), (client,) = game.sessions, game.clients
    for frame in range(600):
        game.network.advance(TICK)
        if frame % 2:  # the server runs 30 instead of 60 ticks per second
            game.server.game.advance(TICK)
        client.advance(TICK)
    assert session.stats.ahead < 45  # ticks; without an adaptation, more than 100
    assert session._server_tick > session.shown_tick
    game.run(600)  # the server has caught up
    assert session.stats.ahead < 10
    assert client.timestep.pace == pytest.approx(1, abs=0.05)


def test_the_speed_of_a_server_is_measured_over_more_than_a_second() -> None:
    speed = ServerSpeed()

    def note(first: int, last: int, ticks_per_step: float) -> list[float]:
        """Note a tick in each tenth of a second, and return the shares."""
        shares = []
        for step in range(first, last):
            speed.note(round(step * ticks_per_step), step * 100_000_000, 20)
            shares.append(speed.share)
        return shares

    assert note(0, 40, 2.0) == [1.0] * 40
    assert note(160, 200, 0.5)[-1] == pytest.approx(0.25, abs=0.05)
    for step in range(200, 240):  # no packets arrive
        speed.note(100, step * 100_000_000, 20)
    assert speed.share == pytest.approx(0.2, abs=0.06)
    speed = ServerSpeed()
    note(0, 20, 2.0)
    speed.note(41, 20_000_000_000, 20)  # this computer has slept, and old packets arrive first
    assert speed.share == 1.0


def test_a_client_continues_when_the_server_ends(match: Any) -> None:
    game = match(1)
    game.run(60)
    client = game.clients[0]
    session = game.sessions[0]
    game.server.close()
    tick = client.tick
    for _ in range(60):
        game.network.advance(TICK)
        client.advance(TICK)
    assert client.tick > tick + 50
    assert (session.state, session.reason) == ("closed", "the server has ended")
    assert session.status == "No server: the server has ended"
    assert len(client.rocks) == 20


def test_a_recording_of_the_server_replays_the_input_of_clients(match: Any, tmp_path: Any) -> None:
    game = match(1)
    game.server.game.recording.start(tmp_path / "server.rec")
    game.run(30)
    game.clients[0].testing.press("right")
    game.run(30)
    game.join()
    game.run(30)
    server = game.server.game
    server.recording.stop()
    report = fw.Replay.open(tmp_path / "server.rec").verify(Arena)
    assert report.ok, str(report)
    assert report.ticks == server.tick


class Strict(Arena):
    """A game with events whose functions are strict about their arguments."""

    def setup(self) -> None:
        super().setup()
        self.network.replicate_events("score", "mistake")
        self.scores: list[Any] = []
        self.subscribe("score", self.on_score)
        self.subscribe("mistake", self.on_mistake)

    def on_score(self, points: int, name: str = "", at: tuple[float, float] | None = None) -> None:
        self.scores.append((range(points), name + "!", at))

    def on_mistake(self) -> None:
        raise TypeError("a mistake of the game")


def test_events_with_other_arguments_than_the_game_expects_are_dropped(match: Any) -> None:
    running = match(1, game=Strict)
    running.run(60)
    (client,) = running.clients
    (session,) = running.sessions
    server_side = next(iter(running.server._session._clients))
    invalid = [[], [1, "a", [0, 0], 4], ["1"], [1.5], [None], [1, 2], [1, "a", [0]], [[1]]]
    invalid += [[1, "a", [0, "b"]], [1, "a", 3], [{}]]
    for arguments in invalid:
        server_side.send_reliable(server_messages.pack_event(1, "score", arguments))
    for arguments in ([2], [True, "a"], [1, "b", [0, 1.5]], [1, "c", None]):
        server_side.send_reliable(server_messages.pack_event(1, "score", arguments))
    running.run(30)
    assert [score[1:] for score in client.scores] == [
        *[("!", None), ("a!", None), ("b!", [0, 1.5]), ("c!", None)]
    ]
    assert session.dropped == {"malformed": len(invalid)}
    running.server.game.emit("score", 3, "d", (1, 2))
    with pytest.raises(TypeError, match=r"'score': on_score\(at\): expected tuple\[.*, got \[1\]"):
        running.server.game.emit("score", 1, "e", (1,))


def test_an_event_of_a_distant_tick_does_not_delay_later_events(match: Any) -> None:
    running = match(1, game=Strict)
    running.run(60)
    (client,) = running.clients
    (session,) = running.sessions
    server_side = next(iter(running.server._session._clients))
    server_side.send_reliable(server_messages.pack_event(2**31, "score", [1, "never"]))
    server_side.send_reliable(server_messages.pack_event(1, "score", [1, "now"]))
    running.run(30)
    assert [name for _, name, _ in client.scores] == ["now!"]
    assert session.dropped == {"early or late": 1}


def test_the_number_of_waiting_events_is_limited(match: Any) -> None:
    running = match(1, game=Strict)
    running.run(60)
    (session,) = running.sessions
    for _ in range(1010):
        session._add_event(session._server_tick + 600, "score", [1, "later"])
    assert len(session._waiting_events) == 1000
    assert session.dropped == {"too many events": 10}


def test_functions_without_a_signature_or_with_unknown_annotations_receive_all_arguments() -> None:
    def named(position: Missing, *sizes: float) -> None:  # type: ignore[name-defined]  # noqa: F821
        """The annotation cannot be evaluated."""

    def arrays(position: np.ndarray, kind: Counter[str], *sizes: float) -> None:
        """The annotations are other classes than those of JSON."""

    assert wrong_arguments(named, [1, "a"]) == ""
    assert wrong_arguments(named, []) == "named: missing a required argument: 'position'"
    assert wrong_arguments(arrays, [[1, 2], "a", 2, 3.5]) == ""
    assert wrong_arguments(arrays, [0, 0, 1, "b"]) == "arrays(sizes): expected float, got 'b'"
    assert wrong_arguments(dict, [1, 2, 3]) == ""


def test_the_signature_of_a_function_is_computed_again_only_after_a_reload(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def show(points: int) -> None:
        """The function of an event."""

    def reloaded(points: str) -> None:
        """The same function, after a change of its file."""

    computed: list[Any] = []
    real = inspect.signature
    monkeypatch.setattr(
        inspect, "signature", lambda *given, **named: computed.append(0) or real(*given, **named)
    )
    assert [wrong_arguments(show, [number]) for number in range(3)] == ["", "", ""]
    assert len(computed) == 1
    show.__code__ = reloaded.__code__
    show.__annotations__ = reloaded.__annotations__
    assert wrong_arguments(show, [1]) == "show(points): expected str, got 1"
    assert wrong_arguments(show, ["a"]) == ""
    assert len(computed) == 2


def test_an_annotation_whose_name_is_defined_later_is_checked_from_then_on() -> None:
    names: dict[str, Any] = {}
    # This module has `from __future__ import annotations`, and so has the code in `exec`.
    exec("def show(points: Points) -> None: ...", names)
    show = names["show"]
    assert wrong_arguments(show, ["a"]) == ""
    names["Points"] = int
    assert wrong_arguments(show, ["a"]) == "show(points): expected int, got 'a'"


def test_annotations_that_raise_a_name_error_receive_all_arguments() -> None:
    class Function:
        """A function of Python 3.14 whose annotation names a missing class."""

        __code__ = wrong_arguments.__code__

        @property
        def __annotations__(self) -> dict[str, Any]:  # type: ignore[override]
            raise NameError("name 'Missing' is not defined")

        def __call__(self, points: Any) -> None:
            """Do nothing."""

    assert wrong_arguments(Function(), [1]) == ""


def test_a_type_error_of_the_function_of_an_event_is_not_hidden(match: Any) -> None:
    running = match(1, game=Strict)
    running.run(60)
    server_side = next(iter(running.server._session._clients))
    server_side.send_reliable(server_messages.pack_event(1, "mistake", []))
    with pytest.raises(TypeError, match="a mistake of the game"):
        running.run(30)
    assert running.sessions[0].dropped == {}


def hash_of(game: Any) -> int:
    value: int = game.state_hash()
    return value


def test_random_and_changed_messages_do_not_change_the_server(match: Any) -> None:
    games = [match(1), match(1)]
    rng = random.Random(3)
    for step in range(90):
        for number, game in enumerate(games):
            if step == 40:
                game.clients[0].testing.press("right")
            if number and step > 30:
                connection = game.sessions[0]._connection
                for _ in range(8):
                    data = bytearray(rng.randbytes(rng.randrange(60)))
                    if rng.random() < 0.8 and data:
                        data[0] = server_messages.INPUT
                    connection.send_unreliable(bytes(data))
                connection.send_reliable(rng.randbytes(9))
                far = server_messages.pack_input(10**6, 10**6, {}, 0.0, 0, 0)
                connection.send_unreliable(far)
            game.run(1)
    clean, attacked = [game.server.game for game in games]
    assert hash_of(clean) == hash_of(attacked)
    assert games[1].server.dropped["far ahead"] > 50
    assert attacked.players[0].keys["right"]


def test_random_messages_do_not_change_the_client(match: Any) -> None:
    game = match(1)
    game.run(60)
    rng = random.Random(4)
    server_side = next(iter(game.server._session._clients))
    for _ in range(30):
        for _ in range(20):
            data = bytearray(rng.randbytes(1 + rng.randrange(90)))
            data[0] = rng.randrange(9)
            server_side.send_unreliable(bytes(data))
            if data[0] != server_messages.EVENT:
                server_side.send_reliable(bytes(data))
        game.run(1)
    client = game.clients[0]
    server = game.server.game
    session = game.sessions[0]
    assert session.dropped["malformed"] > 500
    assert session.state == "connected"
    assert client.rocks.ids.tolist() == server.rocks.ids.tolist()


def test_a_value_of_the_server_that_is_not_finite_does_not_end_the_client(match: Any) -> None:
    running = match(1)
    running.run(60)
    server = running.server.game
    (client,) = running.clients
    (session,) = running.sessions
    server.ships.position[0, 0] = np.nan
    running.run(60)
    assert session.dropped["malformed"] > 10
    assert session.state == "connected"
    server.ships.position[0, 0] = 33
    running.run(60)
    assert client.ships.position[0].tolist() == [33.0, 50.0]


def test_a_welcome_with_a_missing_value_changes_nothing(make: Any) -> None:
    network = fw.MemoryNetwork()
    session = fw.Client("server", link=network.link("client"))
    make(Arena, drawing=False, session=session)
    complete = {
        "player": 0,
        "players": 1,
        "tick": 5,
        "rate": 60.0,
        "interval": 3,
        "batches": [form.described() for form in session._forms],
        "events": ["hit"],
    }
    for name in complete:
        welcome = {key: value for key, value in complete.items() if key != name}
        with pytest.raises(KeyError):
            session._receive_reliable(server_messages.pack_json(server_messages.WELCOME, welcome))
        assert session.player is None
    session._receive_reliable(server_messages.pack_json(server_messages.WELCOME, complete))
    assert (session.player, len(session._rows)) == (0, 2)


@pytest.mark.parametrize("seed", range(3))
def test_old_and_reordered_messages_are_not_malformed(
    match: Any, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    connections: list[Connection] = []
    init = Connection.__init__

    def note(self: Connection, *arguments: Any, **options: Any) -> None:
        init(self, *arguments, **options)
        connections.append(self)

    monkeypatch.setattr(Connection, "__init__", note)
    conditions = fw.Conditions(
        latency=0.02, jitter=0.2, loss=0.1, duplicate=0.2, reorder=0.3, seed=seed
    )
    running = match(2, conditions=conditions)
    server = running.server.game
    for step in range(8):
        running.run(30)
        server.rocks.remove([0, 3])
        server.rocks.extend(4)
        server.emit("hit", step, [1])
        for client in running.clients:
            (client.testing.press if step % 2 else client.testing.release)("right")
        if step == 4:
            for _ in range(90):  # the clients stop, and then receive many old messages
                running.network.advance(TICK)
                server.advance(TICK)
    dropped = sum((each.dropped for each in (*running.sessions, *connections)), Counter())
    assert dropped.keys() <= {"early or late", "duplicate", "old"}
    assert dropped["early or late"] > 10
    assert running.server.dropped == {}


def test_changed_input_of_a_tick_is_counted_and_the_first_input_is_used() -> None:
    peer = ClientPeer(None, 0, "a", 0)  # type: ignore[arg-type]
    press = (("on_key_press", 97, 0),)
    release = (("on_key_release", 97, 0),)
    for events in (press, release):
        peer.receive_input(server_messages.InputMessage(12, 2, 3.0, 0, 0, {11: events}), 10)
    assert peer.dropped == {"changed input": 1}
    assert peer.take_input(10).events == ()
    assert peer.take_input(11).events == press
    late = server_messages.InputMessage(14, 1, 3.0, 0, 0, {13: press, 14: release})
    peer.receive_input(late, 20)
    assert peer.take_input(21).events == press + release  # late input is not lost


def test_the_tick_that_a_client_shows_never_goes_back() -> None:
    peer = ClientPeer(None, 0, "a", 0)  # type: ignore[arg-type]
    for label, shown in ((12, 3.5), (13, 4.5), (11, 2.5)):  # the first input arrives last
        peer.receive_input(server_messages.InputMessage(label, 1, shown, 0, 0, {}), 10)
    assert peer.shown == 4.5
    peer.receive_input(server_messages.InputMessage(14, 1, 90.0, 0, 0, {}), 10)
    assert peer.shown == 10.0


class Crowd(Arena):
    """Many rocks: near rocks have a higher priority."""

    rocks_count = 600

    def setup(self) -> None:
        super().setup()
        self.network.replicate(
            self.add(fw.SpriteBatch(solid(4, 4), 10)), priority=lambda player: np.arange(10)
        )

    def update(self, dt: float) -> None:
        super().update(dt)
        if self.network.is_server:
            self.rocks.position += self.random.normal(0, 9, (600, 2)).astype("f4")


def test_a_client_receives_at_most_its_bandwidth(match: Any) -> None:
    game = match(1, game=Crowd, bandwidth=80_000)
    game.run(60)
    counts = game.network.links[0].counts
    before = counts.sent_bytes + fw_headers(counts)
    game.run(75)
    bits = 8 * (counts.sent_bytes + fw_headers(counts) - before) / 2
    assert 40_000 < bits < 100_000
    rocks = game.clients[0].rocks
    far = np.abs(rocks.position - game.server.game.rocks.position).max(axis=1)
    assert np.median(far) < 120  # every rock is sent again after some time


def fw_headers(counts: Any) -> int:
    return 28 * int(counts.sent)


def test_replicate_refuses_invalid_batches_and_columns(make: Any) -> None:
    class InvalidReplication(fw.Game):
        def setup(self) -> None:
            self.batch = self.add(fw.SpriteBatch(solid(4, 4), 3, columns={"brain": object}))
            self.network.replicate(self.batch)
            with pytest.raises(fw.FrameworkError, match="replicated already"):
                self.network.replicate(self.batch)
            with pytest.raises(ValueError, match=r"changes\[0\]: brian: there is no such column"):
                self.network.replicate(self.batch, changes=["brian"])
            with pytest.raises(ValueError, match=r"changes\[0\]: expected a column of numbers"):
                self.network.replicate(self.batch, changes=["brain"])
            with pytest.raises(TypeError, match="batch: expected a batch with positions"):
                self.network.replicate(self.hud)

    network = fw.MemoryNetwork()
    with fw.Server(InvalidReplication, link=network.link("server")) as server:
        with pytest.raises(fw.FrameworkError, match=r"replicate: .*call it in setup"):
            server.game.network.replicate(server.game.batch)
        with pytest.raises(fw.FrameworkError, match=r"replicate_events: .*call it in setup"):
            server.game.network.replicate_events("boom")
    game = make(InvalidReplication, drawing=False)  # without a server, the game sends nothing
    game.run_ticks(3)
    assert game.network.is_server
    assert game.network.local_player == 0


def test_a_mask_of_the_wrong_shape_is_an_error_with_its_name(match: Any) -> None:
    class Short(Arena):
        def near(self, player: int) -> Any:
            return np.ones(3, bool)

    game = match(1, game=Short)
    with pytest.raises(ValueError, match=r"visible: expected a function .* shape \(20,\)"):
        game.run(30)


def test_an_invalid_address_and_a_used_port_are_errors() -> None:
    with pytest.raises(ValueError, match="address: expected a host and a port"):
        fw.Client("no port")
    with pytest.raises(ValueError, match="name: expected at most 32"):
        fw.Client("127.0.0.1:7000", name="x" * 33)
    with fw.Server(Arena, 0) as server:
        assert server.port > 0
        with pytest.raises(fw.NetworkError, match="port"):
            fw.Server(Arena, server.port)


def test_a_server_and_a_client_play_over_udp(make: Any) -> None:
    with fw.Server(Arena, 0, players=2) as server:
        session = fw.Client(f"127.0.0.1:{server.port}", name="Ann")
        client = make(Arena, drawing=False, players=2, session=session)
        for _ in range(3000):
            server.game.advance(TICK)
            client.advance(TICK)
            if len(client.ships) and client.ships.owner[0] == 0:
                break
        assert server.players == {0: "Ann"}
        assert client.ships.ids.tolist() == [0]


class Around(fw.Game):
    """Rocks that leave the screen on one side and return on the other side."""

    def setup(self) -> None:
        self.rocks = self.add(fw.SpriteBatch(solid(4, 4), 8))
        self.network.replicate(self.rocks, jump=200)
        self.rocks.position[:, 0] = np.arange(8) * 100

    def update(self, dt: float) -> None:
        if self.network.is_server:
            self.rocks.position[:, 0] = (self.rocks.position[:, 0] + 5) % 800


def test_a_row_that_jumps_is_not_interpolated(match: Any) -> None:
    game = match(1, game=Around, conditions=BAD_LINK)
    game.run(60)
    client = game.clients[0]
    for _ in range(100):
        before = client.rocks.position[:, 0].copy()
        game.run(1)
        step = client.rocks.position[:, 0] - before
        assert ((np.abs(step) < 16) | (step < -760)).all(), step
        drawn = client.rocks.transforms.pose(0.5)[0][:, 0]
        assert np.abs(drawn - client.rocks.position[:, 0]).max() < 16


def test_clients_follow_a_server_that_restores_a_snapshot(match: Any) -> None:
    game = match(1)
    game.run(60)
    server = game.server.game
    client = game.clients[0]
    session = game.sessions[0]
    snapshot = server.snapshot()
    client.testing.press("right")
    game.run(40)
    server.rocks.remove([0, 1])
    game.run(20)
    shown_tick = session.shown_tick
    server.restore(snapshot)
    game.run(60)
    assert session.shown_tick == pytest.approx(shown_tick + 60, abs=8)
    assert sorted(client.rocks.ids.tolist()) == server.rocks.ids.tolist() == list(range(20))
    rows = client.rocks.row_of(server.rocks.ids)
    behind = np.abs(client.rocks.position[rows] - server.rocks.position)
    assert behind.max() < 30 * TICK * 14
    client.testing.release("right")
    game.run(40)
    assert client.ships.position.tolist() == server.ships.position.tolist()


def test_a_client_that_reads_everything_in_draw_changes_nothing(make: Any) -> None:
    class Drawn(Arena):
        def draw(self, alpha: float) -> None:
            for batch in (self.ships, self.rocks):
                batch.position.sum(), batch.angle.sum(), batch.ids, batch.transforms.pose(alpha)
            _ = (
                self.session.status,
                self.session.stats,
                self.network.local_player,
                self.network.is_server,
            )

    ends = []
    for game_class in (Arena, Drawn):
        network = fw.MemoryNetwork(BAD_LINK)
        with fw.Server(game_class, link=network.link("server"), players=2) as server:
            session = fw.Client("server", link=network.link("client"))
            client = make(game_class, size=(64, 48), headless=True, players=2, session=session)
            for step in range(60):
                network.advance(TICK)
                server.game.advance(TICK)
                if step == 30:
                    client.testing.press("right")
                client.advance(TICK)
            ends.append((client.ships.position.tolist(), client.rocks.position.tolist()))
    assert ends[0] == ends[1]


def test_a_client_that_sleeps_for_three_seconds_catches_up(match: Any) -> None:
    game = match(2, conditions=BAD_LINK)
    game.run(75)
    sleeper = game.clients[0]
    sleeper.testing.press("right")
    game.run(4)
    game.clients.remove(sleeper)
    game.run(180)
    game.clients.append(sleeper)
    sleeper.testing.release("right")
    game.run(90)
    session = sleeper.session
    behind = game.server.game.tick - session.shown_tick
    assert session.state == "connected"
    assert behind == pytest.approx(12, abs=5)
    assert not game.server.game.players[sleeper.network.local_player].keys["right"]
    assert own_ship(sleeper) == on_server(game, sleeper)
    before = own_ship(sleeper)
    sleeper.testing.press("left")
    game.run(40)
    assert own_ship(sleeper) < on_server(game, sleeper) < before
    assert sum(game.server.dropped.values()) == 0


RULES = """
import framework as fw

class Rules(fw.Game):
    speed = 1
"""


def rules_in(folder: Path, source: str) -> Any:
    """Return the class of a game whose file is in ``folder``."""
    folder.mkdir()
    path = folder / "rules.py"
    path.write_text(source, "utf-8")
    name = f"rules_in_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # `inspect` finds the file of a class by its module
    spec.loader.exec_module(module)
    return module.Rules


@pytest.mark.parametrize(
    ("server_checks", "client_checks", "state"),
    [(True, True, "refused"), (True, False, "connected"), (False, True, "connected")],
)
def test_a_client_with_another_version_of_the_source_code_is_refused(
    tmp_path: Path, server_checks: bool, client_checks: bool, state: str
) -> None:
    kinds = [rules_in(tmp_path / "a", RULES), rules_in(tmp_path / "b", RULES.replace("1", "2"))]
    network = fw.MemoryNetwork()
    link = network.link("server")
    server = fw.Server(kinds[0], link=link, check_sources=server_checks, players=2)
    session = fw.Client("server", link=network.link("a"), check_sources=client_checks)
    with server, kinds[1](drawing=False, session=session, players=2) as game:
        for _ in range(20):
            network.advance(TICK)
            server.game.advance(TICK)
            game.advance(TICK)
        assert session.state == state
        if state == "refused":
            assert session.reason == (
                "sources: rules.py is another version on the other side; start the same version of "
                "the game on both machines"
            )
    for name in ("rules_in_a", "rules_in_b"):
        del sys.modules[name]


def test_invalid_hashes_of_source_code_are_refused() -> None:
    with Arena(drawing=False) as game:
        program = ProgramIdentity(game, True)
        assert program.difference(program.packed, on_server=True) is None
        head = program.packed.partition(b"\n")[0] + b"\n"
        bomb = zlib.compress(b"[" * (1 << 20), 9)
        for wrong in (b"x", bomb, zlib.compress(b"[1]"), zlib.compress(b'{"a": 1}')):
            with pytest.raises(ValueError, match=r"."):
                program.difference(head + wrong, on_server=True)
        assert len(program.packed) < 1000


class Pads(fw.Game):
    """A game that is played with gamepads."""

    def setup(self) -> None:
        self.moved = [0.0] * 4
        self.jumps = [0] * 4

    def update(self, dt: float) -> None:
        for player in self.players:
            if player.pad is not None:
                self.moved[player.number] += player.pad.leftstick[0]
                self.jumps[player.number] += player.pad.just_pressed("a")


def test_each_client_has_the_gamepad_of_its_player(match: Any) -> None:
    game = match(2, Pads)
    for client in game.clients:
        client.testing.connect("Pad")  # before the client is connected
        client.testing.move_stick("leftstick", 1, 0)
    game.run(40)
    server = game.server.game
    assert [pad.connected for pad in [*server.pads][:4]] == [True, True, False, False]
    assert server.moved[0] > 20
    assert server.moved[1] > 20
    second = game.clients[1]
    assert [pad.connected for pad in [*second.pads][:4]] == [False, True, False, False]
    second.testing.feed([("on_pad_press", 0, "a")])  # the first gamepad of the client's machine
    game.run(20)
    assert server.jumps == [0, 1, 0, 0]
    assert second.jumps == [0, 1, 0, 0]
    second.close()
    game.clients.remove(second)
    game.run(20)
    assert [pad.connected for pad in [*server.pads][:4]] == [True, False, False, False]


def test_a_client_sends_only_its_first_gamepad() -> None:
    events = (("on_pad_press", 0, "a"), ("on_pad_press", 1, "a"), ("on_key_press", 0, 0))
    assert game_client._of_this_player(events).events == (events[0], events[2])


def test_only_batches_to_which_clients_can_add_rows_are_replicated(make: Any) -> None:
    game = make(fw.Game, drawing=False)
    with pytest.raises(TypeError, match=r"batch: expected a batch .*, got <Sprite"):
        game.network.replicate(game.sprites.add(solid(8, 8)))
    with pytest.raises(TypeError, match="batch: clients cannot add rows to a TextBatch"):
        game.network.replicate(game.labels)
    with pytest.raises(TypeError, match=r"changes: .*, got 'layer'; write \('layer',\)"):
        game.network.replicate(game.sprites, changes="layer")


class Aim(fw.Game):
    def update(self, dt: float) -> None:
        pass


def test_keys_that_are_held_while_a_client_connects_count(match: Any) -> None:
    game = match(2, Aim)
    for client in game.clients:
        client.testing.press("right")
        client.testing.press("mouse:left")
        client.mouse.move(40, 30)
        client.testing.press("up")
        client.run_ticks(1)
        client.testing.release("up")
    game.run(40)
    first, second = game.clients
    for played in (game.server.game, first):
        player = played.players[0]
        assert (player.keys["right"], player.keys["up"]) == (True, False)
    for played in (game.server.game, second):
        player = played.players[1]
        assert (player.keys["right"], player.keys["up"]) == (True, False)
        assert player.mouse["left"]
        assert (player.mouse.x, player.mouse.y) == (40, 30)
    # Before the server answered, these were the keys of player 0 in the second client.
    assert not second.players[0].keys["right"]
    assert not second.players[0].mouse["left"]
    second.testing.release("right")
    game.run(20)
    assert not game.server.game.players[1].keys["right"]


def test_a_client_has_one_gamepad_for_its_player() -> None:
    events = (("on_pad_press", 0, "a"), ("on_pad_press", 1, "b"), ("on_key_press", 3, 0))
    assert game_client._of_gamepad(events, 2) == (("on_pad_press", 2, "a"), ("on_key_press", 3, 0))


def past_state(ids: list[int], **columns: Any) -> Any:
    state: Any = game_server._Past.__new__(game_server._Past)
    state._form = None
    state._ids = np.array(ids)
    state._columns = [(name, np.array(values, np.float32)) for name, values in columns.items()]
    return state


def test_a_state_between_two_states_turns_the_short_way() -> None:
    """Row 2 is gone in the later state, and a rotation and its negative are the same."""
    early = past_state([1, 2], angle=[3.0, 1.0], rotation=[[0, 0, 0, 1], [0, 0, 0, 1]])
    later = past_state([3, 1], angle=[0.0, -3.0], rotation=[[1, 0, 0, 0], [0, 0, -0.6, -0.8]])
    columns = dict(early.blended(later, 0.5)._columns)
    np.testing.assert_allclose(columns["angle"], [np.pi, 1.0], atol=1e-5)
    half = np.array([0, 0, 0.3, 0.9]) / np.hypot(0.3, 0.9)
    np.testing.assert_allclose(columns["rotation"], [half, [0, 0, 0, 1]], atol=1e-6)


def test_a_client_cannot_use_the_gamepad_of_another_player(match: Any) -> None:
    game = match(2, Pads)
    game.run(20)
    peer = next(each for each in game.server.game.session.clients if each.player == 1)
    events = (("on_pad_connect", 0, "Pad", "xbox"), ("on_pad_press", 0, "a"))
    label = peer.label + 1
    peer.receive_input(server_messages.InputMessage(label, 0, 0.0, 0, 0, {label: events}), label)
    game.run(10)
    assert not game.server.game.pads[0].connected
    assert peer.dropped["another player"] == 1


class Tumbling(fw.Game):
    """Boxes that turn around several axes."""

    def setup(self) -> None:
        self.boxes = self.world.add(fw.MeshBatch(fw.Mesh.box()))
        self.network.replicate(self.boxes, position=1 / 64, angle=10)
        if self.network.is_server:
            self.boxes.extend(6, position=np.arange(18).reshape(6, 3))
        self.start_turns = np.random.default_rng(1).normal(0, 1, (6, 3))

    def update(self, dt: float) -> None:
        if self.network.is_server:
            count = len(self.boxes)
            turns = self.start_turns[:count] * np.float64(0.02)
            spun = quaternions.multiply(quaternions.from_vectors(turns), self.boxes.rotation)
            # q and -q are the same rotation: a physics engine may return either
            self.boxes.rotation[:] = spun * (-1 if self.tick % 7 == 0 else 1)
            if self.tick == 100:
                self.boxes.remove([1])


def test_rotations_of_meshes_are_replicated_and_interpolated_smoothly(match: Any) -> None:
    game = match(1, Tumbling, conditions=fw.Conditions(latency=0.03, loss=0.05, seed=2))
    client = game.clients[0]
    server = game.server.game
    game.run(60)
    before = client.boxes.rotation.copy()
    largest = 0.0
    for _ in range(120):
        game.run(1)
        if len(client.boxes) != len(before):
            before = client.boxes.rotation.copy()
            continue
        turned = quaternions.multiply(client.boxes.rotation, quaternions.conjugate(before))
        largest = max(largest, float(np.abs(quaternions.to_vectors(turned)).max()))
        before = client.boxes.rotation.copy()
    assert len(client.boxes) == 5
    assert 0 < largest < 0.15  # radians in a tick; the fastest box turns by 0.04 around an axis
    np.testing.assert_allclose(np.linalg.norm(before, axis=1), 1, atol=1e-5)
    past = [
        each for tick, each in server.session._past if tick == round(game.sessions[0].shown_tick)
    ]
    columns_before = dict(past[0][0]._columns)["rotation"]
    closeness = np.abs(np.einsum("ij,ij->i", columns_before, client.boxes.rotation))
    assert closeness.min() > np.cos(0.05)
    with server.session.rewound(server.tick - 9.5):
        assert len(server.boxes.rotation) == 5
        np.testing.assert_allclose(np.linalg.norm(server.boxes.rotation, axis=1), 1, atol=1e-5)


class Changing(fw.Game):
    """A game in which the server changes a column of all rows in each tick."""

    def setup(self) -> None:
        self.rocks = self.add(fw.SpriteBatch(solid(4, 4), columns={"hp": 0}))
        self.network.replicate(self.rocks, changes=("hp",))
        if self.network.is_server:
            self.rocks.extend(5)

    def update(self, dt: float) -> None:
        if self.network.is_server:
            self.rocks.hp[:] = self.tick
            self.rocks.position[:, 0] = self.tick
            if self.tick == 200:
                self.rocks.extend(1)


def test_a_client_has_the_rows_of_the_server_after_a_long_pause(
    match: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game_client, "_MANY_WAITING", 50)
    monkeypatch.setattr(row_receiver, "_MAX_PENDING", 100)
    match_with_changes = match(game=Changing)
    client = match_with_changes.clients[0]
    match_with_changes.run(60)
    client.timestep.paused = True
    match_with_changes.run(240)
    assert match_with_changes.sessions[0].state == "connected"
    assert client.rocks.hp[0] > 100  # rows were updated during the pause
    client.timestep.paused = False
    match_with_changes.run(60)
    assert len(client.rocks) == len(match_with_changes.server.game.rocks) == 6
    assert match_with_changes.server.game.tick - client.rocks.hp[0] < 20
    assert not match_with_changes.sessions[0].dropped["malformed"]


def test_a_client_leaves_a_server_if_too_many_messages_wait(
    match: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_receiver, "_MAX_PENDING", 100)
    match_with_changes = match(game=Changing)
    match_with_changes.run(60)
    match_with_changes.clients[0].timestep.paused = True
    match_with_changes.run(300)
    assert match_with_changes.sessions[0].state == "closed"
    assert (
        match_with_changes.sessions[0].reason
        == "too many messages of the server wait for their tick"
    )
