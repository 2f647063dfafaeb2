"""The lobby: players meet in a room, and all machines begin the match with the same player order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import framework as fw
from framework.game.lobby import _order_of
from framework.ui.basic_widgets import Button

Make = Callable[..., Any]


class Meet(fw.Game):
    """A game with a lobby."""

    not_state = ("started_lobbies", "relay")

    def __init__(self, relay: Any, name: str, players: int = 2, **options: Any) -> None:
        self.started_lobbies: list[Any] = []
        self.relay = relay
        self.name = name
        self.player_count = players
        super().__init__(**options)

    def setup(self) -> None:
        relay = self.relay
        self.lobby = fw.scenes.Lobby(
            lambda name: fw.Room(relay, game="duel", name=name),
            self.started_lobbies.append,
            players=self.player_count,
            min_players=2,
            name=self.name,
            title="Duel",
        )
        self.push(self.lobby)


class Machines:
    """Several machines with one relay."""

    def __init__(self, stack: ExitStack, *names: str, players: int = 2) -> None:
        self.relay = fw.MemoryRelay()
        self.games = [
            stack.enter_context(Meet(self.relay, name, players, drawing=False)) for name in names
        ]

    def run(self, ticks: int = 3) -> None:
        for _ in range(ticks):
            self.relay.advance(1 / 60)
            for game in self.games:
                game.run_ticks(1)

    def press(self, index: int, text: str) -> None:
        button(self.games[index].lobby, text).on_press()
        self.run()


def widgets(root: Any) -> Iterator[Any]:
    for child in root.children:
        yield child
        yield from widgets(child)


def texts(lobby: Any) -> list[str]:
    return [widget.text for widget in widgets(lobby._panel) if getattr(widget, "text", "")]


def button(lobby: Any, text: str) -> Any:
    return next(
        widget
        for widget in widgets(lobby._panel)
        if isinstance(widget, Button) and widget.text == text
    )


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as entered:
        yield entered


def in_one_room(stack: ExitStack, *names: str, players: int = 2) -> Machines:
    """Return machines whose players are in one room."""
    table = Machines(stack, *names, players=players)
    table.press(0, "Create a room")
    code = table.games[0].lobby.room.code
    for index in range(1, len(names)):
        lobby = table.games[index].lobby
        lobby._take_code(f" {code.lower()} ")
        table.press(index, "Join")
    return table


def test_players_meet_and_begin_with_the_same_order(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    ann, ben = [game.lobby for game in table.games]
    assert len(ann.room.code) >= 4
    for lobby in (ann, ben):
        assert ann.room.code in texts(lobby)
        assert {"Ann *", "Ben", "Ready", "Back"} <= set(texts(lobby))
    assert "Start" not in texts(ben)  # only the host starts
    assert not button(ann, "Start").enabled
    table.press(0, "Ready")
    assert not button(ann, "Start").enabled
    table.press(1, "Ready")
    assert "Not ready" in texts(ben)
    assert button(ann, "Start").enabled
    table.press(1, "Not ready")
    assert not button(ann, "Start").enabled
    table.press(1, "Ready")
    table.press(0, "Start")
    assert [game.started_lobbies for game in table.games] == [[ann], [ben]]
    assert (ann.player, ben.player) == (0, 1)
    assert ann.peers == ben.peers == (ann.room.me, ben.room.me)
    button(ann, "Start").on_press()  # the second press starts no second match
    table.run()
    assert len(table.games[0].started_lobbies) == 1


class Pong(fw.Game):
    def setup(self) -> None:
        self.x = 0

    def update(self, dt: float) -> None:
        self.x += sum(
            player.keys["space"] * (index + 1) for index, player in enumerate(self.players)
        )


def test_a_match_uses_the_room_of_the_lobby(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    table.press(0, "Ready")
    table.press(1, "Ready")
    table.press(0, "Start")
    lobbies = [game.lobby for game in table.games]
    for game in table.games:
        game.close()  # the room stays open
    games = [
        stack.enter_context(
            Pong(
                drawing=False,
                players=2,
                session=fw.Rollback(lobby.player, peers=lobby.peers, link=lobby.link),
            )
        )
        for lobby in lobbies
    ]
    games[1].testing.press("space")
    for _ in range(60):
        table.relay.advance(1 / 60)
        for game in games:
            game.advance(1 / 60)
    assert games[0].tick > 20
    assert min(game.x for game in games) > 20


def test_a_restarted_program_returns_with_the_ticket_of_the_lobby(
    stack: ExitStack,
) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    lobby = table.games[1].lobby
    assert lobby.ticket == ""
    table.press(0, "Ready")
    table.press(1, "Ready")
    table.press(0, "Start")
    ticket = lobby.ticket
    lobby.room._socket.cut("killed")
    del table.games[1]
    table.run()
    assert not table.games[0].lobby.room.members[1].online
    for text, begins in ((ticket, True), ("damaged", False), (ticket.replace("-", "-9"), False)):
        game = stack.enter_context(Meet(table.relay, "", drawing=False))
        game.lobby._ticket = text
        table.games[1:] = [game]
        table.run()
        again = game.lobby
        assert bool(game.started_lobbies) is begins
        if begins:
            assert (again.player, again.peers, again.ticket) == (1, lobby.peers, ticket)
            assert table.games[0].lobby.room.members[1].online
        else:
            assert any("ticket" in each or "join the room again" in each for each in texts(again))
            assert "Create a room" in texts(again)


def test_a_ticket_without_a_place_does_not_start_a_match_in_a_new_room(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    for index in (0, 1):
        table.press(index, "Ready")
    table.press(0, "Start")
    ticket = table.games[1].lobby.ticket
    for each in table.games:
        each.lobby.room.close()
    game = stack.enter_context(Meet(table.relay, "", drawing=False))
    table.games = [game]
    for text in (ticket, "KXPTM-1-key/\udcff"):
        game.lobby._ticket = text
        table.run()
        assert game.lobby._problem
    table.press(0, "Create a room")
    assert game.lobby.room.me == 1  # this member was also in the earlier match
    assert game.started_lobbies == []


def test_a_wrong_code_is_an_error_in_the_lobby_and_another_code_can_be_entered(
    stack: ExitStack,
) -> None:
    table = Machines(stack, "Ann")
    lobby = table.games[0].lobby
    lobby._join("  ")  # an empty code
    assert lobby.room is None
    lobby._take_code("XXXXX")
    table.press(0, "Join")
    assert any("XXXXX" in text or "room" in text for text in texts(lobby))
    assert lobby._problem
    table.press(0, "Create a room")
    assert lobby._problem == ""
    assert lobby.room.code in texts(lobby)


def test_back_leaves_the_room_and_then_the_lobby(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    ann, ben = table.games
    assert "Ben" in texts(ann.lobby)
    table.press(1, "Back")
    assert ben.lobby.room is None
    assert "Create a room" in texts(ben.lobby)
    assert "Ben" not in texts(ann.lobby)
    ben.testing.press("escape")
    table.run()
    assert ben.scene is ben
    ann.pop()
    table.run()
    assert ann.lobby.room is None


def test_a_player_without_a_connection_is_gray_and_the_host_may_change(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben", "Cid", players=3)
    assert "…" not in texts(table.games[0].lobby)
    table.press(0, "Back")
    table.run(3)
    ben = table.games[1].lobby
    assert ben.room.is_host
    assert {"Ben *", "Cid", "…"} <= set(texts(ben))
    for index in (1, 2):
        table.press(index, "Ready")
    assert button(ben, "Start").enabled  # two players, the minimum
    table.press(1, "Start")
    assert [len(game.started_lobbies) for game in table.games] == [0, 1, 1]
    assert table.games[2].lobby.player == 1


def test_only_the_host_can_begin_and_only_with_members(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    ann, ben = [game.lobby for game in table.games]
    ids = [ann.room.me, ben.room.me]
    ben.room.send(b"lobby start [1, 2]")
    table.run()
    assert table.games[0].started_lobbies == []
    ben._start()
    for data in (
        b"[]",
        b"[7, 9]",
        b"[%d]" % ids[0],
        b'["x"]',
        b"[" * 900,
        b"\xff",
        b"[1e999]",
        b"{}",
    ):
        ann.room.send(b"lobby start " + data)
    ann.room.send(b"hello")
    table.run(5)
    assert table.games[1].started_lobbies == []
    ann.room.send(b"lobby start [%d, %d]" % (ids[1], ids[0]))
    table.run()
    assert table.games[1].started_lobbies == [ben]
    assert ben.player == 0


def test_invalid_start_messages_are_ignored() -> None:
    assert _order_of(b"lobby start [3, 1]") == (3, 1)
    messages = [b"", b"lobby start", b"lobby start [1, 1]", b"lobby start [true]", b"x" * 2000]
    for data in (*messages, b'lobby start [1, "2"]'):
        assert _order_of(data) is None


def test_the_end_of_the_relay_is_reported_and_another_room_can_be_opened(stack: ExitStack) -> None:
    table = Machines(stack, "Ann")
    table.press(0, "Create a room")
    lobby = table.games[0].lobby
    lobby.room._end("the relay ends")
    table.run(3)
    assert lobby.room is None
    assert {"the relay ends", "Create a room"} <= set(texts(lobby))
    assert (lobby.player, lobby.peers, lobby.link) == (0, (), None)
    table.press(0, "Create a room")
    assert lobby.room.code in texts(lobby)


def test_a_restored_lobby_continues(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    game = table.games[0]
    before = game.snapshot()
    table.run(3)
    game.restore(before)
    game.run_ticks(3)  # ticks that are repeated read no events of the room
    table.press(1, "Ready")
    assert texts(game.lobby).count("Ready") == 2


def test_the_lobby_is_drawn(make: Make) -> None:
    relay = fw.MemoryRelay()
    game = make(Meet, relay=relay, name="Ann", size=(480, 420))
    game.run(3)
    entrance = game.pixels()
    button(game.lobby, "Create a room").on_press()
    for _ in range(3):
        relay.advance(1 / 60)
        game.run(1)
    assert (game.pixels() != entrance).any()


def test_invalid_options_are_one_clear_error(stack: ExitStack) -> None:
    for options, message in (
        ({"players": 1}, "players: expected"),
        ({"min_players": 3}, "min_players: expected"),
        ({"name": 3}, "name: expected"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^{message}"):
            fw.scenes.Lobby(print, print, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^open_room: expected a function"):
        fw.scenes.Lobby(3, print)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^on_start: expected a function"):
        fw.scenes.Lobby(print, 3)  # type: ignore[arg-type]

    class InvalidRoom(fw.Game):
        def setup(self) -> None:
            self.lobby = fw.scenes.Lobby(lambda name: 3, print)  # type: ignore[arg-type,return-value]
            self.push(self.lobby)

    game = stack.enter_context(InvalidRoom(drawing=False))
    game.run_ticks(1)
    with pytest.raises(TypeError, match=r"^open_room: expected a function that returns a Room"):
        game.lobby._create()


def test_a_lobby_measures_the_ping_every_two_seconds(
    stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines = in_one_room(stack, "Ann")
    game = machines.games[0]
    ticks: list[int] = []
    monkeypatch.setattr(fw.Room, "measure_ping", lambda room: ticks.append(game.tick))
    machines.run(250)
    assert len(ticks) == 2
    assert ticks[1] - ticks[0] == pytest.approx(120, abs=1)


def test_members_chat(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    ann, ben = [game.lobby for game in table.games]
    field = ann._message
    assert not field.focused
    ann.ui.set_focus(field)
    field.text = "  hello  "
    field.on_submit(field.text)
    table.run()
    assert field.text == ""
    assert ann.chat_lines == ben.chat_lines == ("Ann: hello",)
    assert "Ann: hello" in texts(ben)
    table.press(1, "Ready")
    assert ann._message is field  # the text field keeps its focus while members change
    assert field.focused
    ben._say("   ")
    ben.room.chat("two\nlines\x1b[31m")
    for number in range(6):
        ben._say(f"number {number}")
        table.run()
    assert ann.chat_lines == tuple(f"Ben: number {number}" for number in range(1, 6))
    ben.room.chat("two\nlines\x1b[31m")
    table.run()
    assert ann.chat_lines[-1] == "Ben: two lines [31m"
    table.press(1, "Back")
    assert ben.chat_lines == ()
    assert ben._message is None
    assert len(ann.chat_lines) == 5


def test_the_chat_of_one_member_is_limited(stack: ExitStack) -> None:
    table = in_one_room(stack, "Ann", "Ben")
    ann, ben = [game.lobby for game in table.games]
    for _ in range(9):
        ben.room.chat("x" * 300)
    table.run()
    assert len(ann.chat_lines) == 1
    assert len(ann.chat_lines[0]) < 150
