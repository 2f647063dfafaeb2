"""Rooms on a relay: the logic on a virtual clock, and the server on the loopback interface."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import framework as fw
from framework.net import relay_messages
from framework.net.memory_relay import MemoryRelay
from framework.net.online_room import Room, RoomEvent, RoomMember
from framework.net.relay import Relay
from framework.net.relay_link import RelayLink
from framework.net.relay_messages import pack_json, pack_message
from framework.net.relay_server import _Outbox
from framework.tools.cli import main

SECOND = 1_000_000_000


def rooms(relay: MemoryRelay, *names: str, game: str = "duel") -> list[Room]:
    """Return players in one room. The first player is the host."""
    players = [Room(relay, game=game, name=name) for name in names]
    players[0].create(size=8)
    players[0].poll()
    for player in players[1:]:
        player.join(players[0].code.lower())
    for player in players:
        player.poll()
    return players


def kinds(room: Room) -> list[str]:
    return [event.kind for event in room.poll()]


def test_players_create_join_chat_and_leave() -> None:
    relay = MemoryRelay()
    ann = Room(relay, game="duel", name="Ann")
    assert (ann.state, ann.code, ann.me, ann.members) == ("outside", "", 0, ())
    ann.create(size=2)
    assert ann.poll() == [RoomEvent("joined", 1, ann.code)]
    assert len(ann.code) == 5
    assert ann.is_host
    ben = Room(relay, game="duel", name=" Ben\n ")
    ben.join(ann.code.lower())
    assert kinds(ben) == ["joined"]
    assert ann.poll() == [RoomEvent("member", 2, "Ben")]
    assert ben.members == ann.members
    assert ben.members == (
        RoomMember(1, "Ann", ready=False, online=True),
        RoomMember(2, "Ben", ready=False, online=True),
    )
    ben.chat("hello\x00 \n there")
    assert ann.poll() == ben.poll() == [RoomEvent("chat", 2, "hello    there")]
    ben.set_ready()
    assert kinds(ann) == ["member"]
    assert [member.ready for member in ann.members] == [False, True]
    cid = Room(relay, game="duel")
    cid.join(ann.code)
    assert cid.poll() == [RoomEvent("error", 0, f"all 2 places of room {ann.code} are taken")]
    ben.leave()
    assert ben.poll()[-1] == RoomEvent("ended", 0, "left")
    assert ben.state == "outside"
    assert ann.poll()[-1] == RoomEvent("left", 2, "left")
    cid.join(ann.code)
    cid.poll()
    assert [member.name for member in cid.members] == ["Ann", "Player 3"]
    ann.close()
    assert (ann.state, ann.reason) == ("closed", "this program left the room")
    assert ann.poll() == []
    assert kinds(cid) == ["left", "host"]
    assert cid.is_host
    cid.close()
    assert relay.relay.room_count == 0


def test_messages_reach_all_members_the_host_or_one_member() -> None:
    ann, ben, cid = rooms(MemoryRelay(), "Ann", "Ben", "Cid")
    ben.send(b"to all")
    ben.send(b"to the host", "host", reliable=False)
    ben.send(b"to Cid", 3)
    ben.send(b"to nobody", 9)
    messages = [
        RoomEvent("message", 2, "", data) for data in (b"to all", b"to the host", b"to Cid")
    ]
    assert [event for event in ann.poll() if event.kind == "message"] == messages[:2]
    assert [event for event in cid.poll() if event.kind == "message"] == [messages[0], messages[2]]
    assert ben.poll() == []
    with pytest.raises(ValueError, match=r"^data: expected at most 65532 bytes"):
        ben.send(bytes(70_000))
    with pytest.raises(ValueError, match=r"^to: expected one of 'all', 'host'"):
        ben.send(b"", "everybody")


def test_rooms_are_listed_while_they_are_public_open_and_of_the_same_game() -> None:
    relay = MemoryRelay()
    ann = Room(relay, game="duel", name="Ann")
    ann.create(size=2, public=True)
    ann.poll()
    secret = Room(relay, game="duel", name="Eve")
    secret.create()
    chess_player = Room(relay, game="chess", name="Cid")
    chess_player.create(public=True)
    ben = Room(relay, game="duel", name="Ben")
    ben.list_rooms()
    assert kinds(ben) == ["rooms"]
    assert ben.rooms == ({"code": ann.code, "host": "Ann", "members": 1, "size": 2},)
    ann.lock()
    assert kinds(ann) == ["lock"]
    ben.list_rooms()
    ben.poll()
    assert ben.rooms == ()
    ben.join(ann.code)
    (event,) = ben.poll()
    assert event.text == f"room {ann.code} is locked; its match has started"
    ann.lock(False)
    chess_player.join(ann.code)
    assert "leave the room first" in chess_player.poll()[-1].text
    chess_player.leave()
    chess_player.join(ann.code)
    assert chess_player.poll()[-1].text == f"room {ann.code} is for another game"


def test_only_the_host_kicks_grants_and_locks() -> None:
    ann, ben, cid = rooms(MemoryRelay(), "Ann", "Ben", "Cid")
    for request in (ben.lock, lambda: ben.kick(3), lambda: ben.grant_host(3)):
        request()
        (event,) = ben.poll()
        assert event.kind == "error"
        assert "only the host" in event.text
    ann.kick(1)
    ann.kick(9)
    assert {event.text for event in ann.poll() if event.kind == "error"} == {
        "kick: expected the number of another member"
    }
    ann.grant_host(2)
    assert kinds(cid)[-1] == "host"
    assert ben.poll()[-1] == RoomEvent("host", 2)
    ann.poll()
    assert (ann.host, ben.is_host) == (2, True)
    ben.kick(3)
    assert cid.poll() == [RoomEvent("ended", 0, "kicked")]
    assert (cid.state, cid.members) == ("outside", ())
    assert ann.poll()[-1] == RoomEvent("left", 3, "kicked")


def lose(room: Room) -> None:
    """Cut the connection of one player."""
    room._socket.cut("the connection to the relay failed")  # type: ignore[attr-defined]


def test_the_host_moves_when_its_connection_fails_and_a_lost_player_comes_back() -> None:
    relay = MemoryRelay()
    ann, ben, cid = rooms(relay, "Ann", "Ben", "Cid")
    lose(ann)
    assert kinds(ben)[-2:] == ["member", "host"]
    assert (ben.host, cid.poll()[-1].member) == (2, 2)
    assert [member.online for member in ben.members] == [False, True, True]
    assert ben.link.peers == [3]
    assert kinds(ann) == ["lost", "joined"]  # the room connects again at once
    assert (ann.state, ann.me, ann.host) == ("joined", 1, 2)
    assert [member.online for member in ann.members] == [True, True, True]
    assert kinds(ben) == ["member"]
    ann.send(b"back", 2)
    assert ben.poll() == [RoomEvent("message", 1, "", b"back")]


def test_a_lost_player_is_removed_after_a_minute() -> None:
    relay = MemoryRelay()
    ann, ben = rooms(relay, "Ann", "Ben")
    lose(ben)
    relay.advance(59)
    assert len(ann.members) == 2
    relay.advance(2)
    assert ann.poll()[-1] == RoomEvent("left", 2, "lost")
    event, end_event = ben.poll()
    assert event.kind == "lost"
    assert end_event.kind == "ended"
    assert "the place in it was given up" in end_event.text
    assert ben.state == "outside"
    lose(ann)
    relay.advance(61)
    assert relay.relay.room_count == 0


def test_a_player_gives_up_after_a_minute_without_a_relay() -> None:
    relay = MemoryRelay()
    ann, _ = rooms(relay, "Ann", "Ben")
    opened: list[Any] = []

    def fail() -> Any:
        socket = MemoryRelay().open()
        socket.cut("no relay runs")
        opened.append(socket)
        return socket

    relay.open = fail  # type: ignore[method-assign]
    lose(ann)
    assert kinds(ann) == ["lost"]
    ann.chat("is not sent")
    ann.send(b"is not sent")
    assert ann.dropped == {"lost": 1, "no room": 1}
    for _ in range(700):
        relay.advance(0.1)
        ann.poll()
    assert ann.state == "closed"
    assert ann.reason == "no relay runs"
    assert 25 <= len(opened) <= 32  # every two seconds


def test_a_relay_that_is_full_closes_the_connection_with_the_reason() -> None:
    relay = MemoryRelay(Relay(max_clients=1, max_rooms=1))
    first = Room(relay)
    second = Room(relay)
    assert second.poll() == [RoomEvent("closed", 0, "the relay is full")]
    assert second.state == "closed"
    first.create()
    first.poll()
    first.leave()
    first.create()
    assert kinds(first) == ["ended", "joined"]
    relay = MemoryRelay(Relay(max_rooms=1))
    rooms(relay, "Ann")
    second_player = Room(relay)
    second_player.create()
    assert "no free room" in second_player.poll()[0].text


def test_a_client_that_does_nothing_is_disconnected_unless_it_is_in_a_room() -> None:
    relay = MemoryRelay()
    (ann,) = rooms(relay, "Ann")
    idle = Room(relay)
    relay.advance(599)
    assert idle.poll() == []
    relay.advance(1)
    assert idle.poll() == [RoomEvent("closed", 0, "idle")]
    assert ann.state == "joined"


def test_the_ping_to_the_relay_is_measured() -> None:
    relay = MemoryRelay()
    room = Room(relay)
    assert room.ping == 0
    room.measure_ping()
    relay.advance(0.25)
    room.poll()
    assert room.ping == 0.25


def test_an_endpoint_plays_through_a_room() -> None:
    relay = MemoryRelay()
    ann, ben = rooms(relay, "Ann", "Ben")
    server = fw.Endpoint(ann.link)
    client = fw.Endpoint(ben.link, max_peers=0)
    connection = client.connect(1)
    for _ in range(10):
        for endpoint in (server, client):
            endpoint.poll()
            endpoint.flush()
        relay.advance(1 / 60)
    (server_connection,) = server.accepted()
    assert (connection.state, server_connection.peer) == ("connected", 2)
    connection.send_reliable(bytes(5000))
    server_connection.send_unreliable(b"state")
    ann.chat("chat goes on beside the game")
    for _ in range(10):
        for endpoint in (client, server):
            endpoint.poll()
            endpoint.flush()
        relay.advance(1 / 60)
    assert server_connection.received() == [("reliable", bytes(5000))]
    assert connection.received() == [("unreliable", b"state")]
    assert kinds(ben) == ["chat"]
    client.close("enough")
    server.poll()
    assert server_connection.reason == "enough"
    assert ben.state == "joined"
    assert client.link.counts.dropped == {}
    client.link.send(1, b"x")
    ann.leave()
    ann.poll()
    ann.link.send(2, b"outside of a room")
    assert ann.link.counts.dropped == {"closed": 1}
    assert client.link.counts.dropped == {"closed": 1}
    with pytest.raises(TypeError, match=r"^peer: expected the id of a member, got 'x'"):
        ann.link.send("x", b"")
    with pytest.raises(ValueError, match=r"^data: expected at most 1200 bytes, got 1201"):
        ann.link.send(2, bytes(1201))


def test_a_room_link_that_nobody_reads_keeps_a_bounded_number_of_datagrams() -> None:
    ann, ben = rooms(MemoryRelay(), "Ann", "Ben")
    for _ in range(1500):
        ann.link.send(2, bytes(1000))
    assert (ann.link.counts.sent, ann.link.counts.sent_bytes) == (1500, 1_500_000)
    waiting = len(ben.link.receive())
    assert 900 < waiting < 1050
    assert ben.link.counts.dropped == {"buffer": 1500 - waiting}
    assert (ben.link.counts.received, ben.link.counts.received_bytes) == (waiting, waiting * 1000)
    assert ben.link.receive() == []
    ann.link.send(2, b"waits")
    ben.poll()
    ben.link.close()
    closed = ben._link
    assert closed.receive() == []
    ann.link.send(2, b"late")
    assert closed.receive() == []
    assert closed.counts.dropped == {"buffer": 1500 - waiting, "closed": 1}
    assert ben.state == "joined"


def test_a_relay_marks_messages_that_may_be_dropped() -> None:
    relay = Relay()
    host = RawClient(relay, 1)
    guest = RawClient(relay, 2)
    joined = json.loads(host.send(pack_json("create"))[0])
    guest.send(pack_json("join", code=joined["code"]))
    for reliable in (True, False):
        relay.receive(2, pack_message(reliable, 1, b"x"), 0)
        (outgoing,) = relay.take_outgoing()
        assert outgoing == (1, pack_message(reliable, 2, b"x"), not reliable, "")


def test_the_limit_of_requests_recovers_with_time() -> None:
    relay = Relay()
    wire = RawClient(relay)
    for second in (0, 100, 104):
        for _ in range(40):
            assert wire.send(pack_json("list"), second * SECOND)[0] != "flood"
    assert wire.send(pack_json("list"), 104 * SECOND) == ["flood"]


def test_a_returned_player_reads_that_the_room_is_locked() -> None:
    ann, ben = rooms(MemoryRelay(), "Ann", "Ben")
    ann.lock()
    lose(ben)
    assert kinds(ben)[-1] == "joined"
    assert ben.locked


class Steps(fw.Game):
    """A game for two players, in which a key moves a number."""

    def __init__(self, **options: Any) -> None:
        super().__init__(players=2, size=(160, 90), drawing=False, **options)

    def setup(self) -> None:
        self.positions = [0, 0]

    def update(self, dt: float) -> None:
        for player in self.players:
            self.positions[player.number] += player.keys["right"]


def test_several_rollback_matches_run_in_one_room() -> None:
    relay = MemoryRelay()
    ann, ben = rooms(relay, "Ann", "Ben")
    for match in range(2):
        sessions = [
            fw.Rollback(0, link=ann.link, input_delay=1),
            fw.Rollback(1, link=ben.link, peers=[ann.me], input_delay=1),
        ]
        games = [Steps(session=session) for session in sessions]
        for game in games:
            game.advance(0)
        games[1].testing.press("right")
        for _ in range(40):
            for game in games:
                game.advance(1 / 60)
            relay.advance(1 / 60)
        ann.chat(f"beside match {match}")
        assert ben.poll()[-1].text == f"beside match {match}"
        assert min(session.confirmed_tick for session in sessions) > 25
        assert all(game.positions[1] > 25 for game in games)
        assert [session.desync for session in sessions] == [None, None]
        for game in games:
            game.close()
        assert ann.state == ben.state == "joined"


def test_another_member_of_the_room_cannot_take_the_place_of_a_player() -> None:
    relay = MemoryRelay()
    ann, ben, eve = rooms(relay, "Ann", "Ben", "Eve")

    def second(room: Room) -> Any:
        return Steps(session=fw.Rollback(1, link=room.link, peers=[ann.me]))

    def play(frames: int, *games: Any) -> None:
        for _ in range(frames):
            for game in games:
                game.advance(1 / 60)
            relay.advance(1 / 60)

    first = Steps(session=fw.Rollback(0, link=ann.link))
    player = second(ben)
    play(30, first, player)
    assert player.session.playing
    player.close()
    play(30, first)
    thief = second(eve)
    play(60, first, thief)
    assert "can only come back from the same address" in thief.session.reason
    thief.close()
    back = second(ben)  # the same member of the room
    play(120, first, back)
    assert back.session.playing
    assert back.session.waiting_for == ()
    back.close()
    first.close()


def test_a_restarted_program_returns_to_its_room_and_match() -> None:
    relay = MemoryRelay()
    ann, ben = rooms(relay, "Ann", "Ben")

    def play(frames: int, *games: Any) -> None:
        for _ in range(frames):
            for game in games:
                game.advance(1 / 60)
            relay.advance(1 / 60)

    def kill(room: Room, game: Any) -> None:
        """End a program without a message to the other players."""
        socket: Any = room._socket
        socket.cut("killed")
        game.close()

    first: Any = Steps(session=fw.Rollback(0, link=ann.link))
    second: Any = Steps(session=fw.Rollback(1, link=ben.link, peers=[ann.me]))
    for game in (first, second):
        game.session._endpoint._timeout_ns = SECOND // 2
    play(60, first, second)
    for player in (1, 0):
        room, other_game = (ben, first) if player else (ann, second)
        ticket = room.ticket
        kill(room, second if player else first)
        play(60, other_game)
        back = Room(relay, game="duel")
        back.rejoin(ticket)
        assert kinds(back) == ["joined"]
        assert (back.me, back.ticket) == (player + 1, ticket)
        session = fw.Rollback(player, link=back.link, peers=[1][:player])
        game = Steps(session=session)
        session._endpoint._timeout_ns = SECOND // 2  # type: ignore[union-attr]
        ann, ben = (ann, back) if player else (back, ben)
        first, second = (first, game) if player else (game, second)
        play(240, first, second)
        assert session.playing
        assert first.session.waiting_for == second.session.waiting_for == ()
        assert abs(first.tick - second.tick) < 3
        assert first.tick > 100
    first.close()
    second.close()


def test_an_expired_ticket_is_an_error() -> None:
    relay = MemoryRelay()
    ann, ben = rooms(relay, "Ann", "Ben")
    ticket = ben.ticket
    assert Room(relay).ticket == ""
    ben.leave()
    ben.poll()
    assert ben.ticket == ""
    back = Room(relay, game="duel")
    back.rejoin(ticket)
    (event,) = back.poll()
    assert (event.kind, back.state) == ("error", "outside")
    assert "join the room again" in event.text
    assert [member.name for member in ann.members][:1] == ["Ann"]


def test_of_two_programs_with_one_ticket_the_later_one_keeps_the_place() -> None:
    relay = MemoryRelay()
    _ann, ben = rooms(relay, "Ann", "Ben")
    again = Room(relay, game="duel")
    again.rejoin(ben.ticket)
    assert kinds(again) == ["joined"]
    for _ in range(5):
        relay.advance(1.0)
        ben.poll()
        assert again.poll() == []
    assert (ben.state, again.state) == ("closed", "joined")
    assert "the same player connected again" in ben.reason


# -- invalid and hostile clients -------------------------------------------------------------------


class RawClient:
    """A client that can send any frame."""

    def __init__(self, relay: Relay, number: int = 99, address: str = "home") -> None:
        self.relay = relay
        self.number = number
        self.accepted = relay.connect(number, address, 0)

    def send(self, frame: str | bytes, now_ns: int = 0) -> list[Any]:
        self.relay.receive(self.number, frame, now_ns)
        return [
            outgoing.reason if outgoing.frame is None else outgoing.frame
            for outgoing in self.relay.take_outgoing()
            if outgoing.client == self.number
        ]


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "x",
        "[]",
        "3",
        "null",
        '{"type": 3}',
        '{"v": 1}',
        "[" * 4000,
        '{"v":1,"type":"join","code":"' + "x" * 5000 + '"}',
        b"",
        b"\x01",
        b"\x07\x00\x00x",
        '{"v":1,"type":"create","size":NaN' + "}" * 9,
    ],
)
def test_malformed_frames_disconnect_the_client(frame: str | bytes) -> None:
    relay = Relay()
    wire = RawClient(relay)
    assert wire.send(frame) == ["malformed"]
    assert relay.dropped == {"malformed": 1}
    assert relay.client_count == 0
    assert wire.send(frame) == []  # frames that arrive after the end


def test_values_of_wrong_types_are_errors_and_change_nothing() -> None:
    relay = Relay()
    wire = RawClient(relay)
    for kind in ("create", "join", "rejoin", "list", "ping", "leave", "chat", "kick", "nothing"):
        for value in (None, -1, 1.5, True, [], {}, "x" * 100, 1 << 80, "\ud800"):
            names = ("code", "name", "game", "you", "key", "n", "size", "member", "text")
            frame = pack_json(kind, **dict.fromkeys(names, value))
            wire.send(frame)
            relay.disconnect(99, 0)
            wire = RawClient(relay)
    relay.advance(0)
    assert set(relay.dropped) <= {"unknown request"}
    answer = json.loads(wire.send('{"v": 2, "type": "list"}')[0])
    assert answer["error"] == "version"


def test_a_request_at_the_wrong_time_is_an_error_and_changes_nothing() -> None:
    relay = Relay()
    wire = RawClient(relay)

    def error_of(kind: str, **values: Any) -> Any:
        [answer] = wire.send(pack_json(kind, **values))
        return json.loads(answer).get("error")

    assert error_of("nothing") == "unknown"
    assert relay.dropped == {"unknown request": 1}
    for kind in ("leave", "chat", "ready", "kick"):
        assert error_of(kind) == "no room"
    assert error_of("create", game="duel", name="Ann", size=2) is None
    for kind in ("create", "join", "rejoin"):
        assert error_of(kind, game="duel", name="Ann", size=2) == "in a room"
    assert error_of("list", game="duel") is error_of("ping", n=1) is None
    assert relay.room_count == 1


def test_a_flood_of_requests_or_messages_is_bounded() -> None:
    relay = Relay()
    wire = RawClient(relay)
    answers = [wire.send(pack_json("list")) for _ in range(60)]
    assert answers[39] == ['{"v":1,"type":"rooms","rooms":[]}']
    assert answers[40] == ["flood"]
    assert answers[41:] == [[]] * 19
    wire = RawClient(relay, 1)
    wire.send(pack_json("create", size=64))
    for number in range(2, 40):
        RawClient(relay, number).send(pack_json("join", code=next(iter(relay._rooms))))
    big = pack_message(False, 0, bytes(60_000))
    sent_bytes = 0
    for _ in range(1000):
        relay.receive(1, big, 0)
        sent_bytes += sum(len(outgoing.frame or b"") for outgoing in relay.take_outgoing())
    assert sent_bytes <= 1 << 23  # all copies for 38 members are counted
    assert relay.dropped["flood"] >= 990
    assert relay.client_count == 39
    assert wire.send(pack_message(True, 0, bytes(60_000))) == ["flood"]
    assert wire.send(b"x" * 70_000) == []
    wire = RawClient(relay, 50)
    assert wire.send(b"x" * 70_000) == ["size"]


def test_a_room_has_2_to_64_places() -> None:
    wire = RawClient(Relay())
    for size in (1, 65, "8"):
        (answer,) = wire.send(pack_json("create", size=size))
        assert json.loads(answer)["text"] == "size: expected 2 to 64 members"
    assert wire.relay.room_count == 0
    assert [json.loads(wire.send(pack_json(kind))[0])["text"] for kind in ("chat", "kick")] == [
        "chat: join a room first",
        "kick: join a room first",
    ]


def test_codes_and_keys_cannot_be_guessed() -> None:
    relay = Relay()
    wire = RawClient(relay)
    answers = [wire.send(pack_json("join", code=f"{number:05}"), number) for number in range(12)]
    assert json.loads(answers[0][0])["text"] == "there is no room 00000; check the code"
    assert answers[9][1:] == ["guessing"]
    assert answers[10:] == [[], []]
    host = RawClient(relay, 1)
    joined = json.loads(host.send(pack_json("create"))[0])
    thief = RawClient(relay, 2)
    for key in ("", "x", joined["key"][:-1], "é"):
        (answer,) = thief.send(pack_json("rejoin", code=joined["code"], you=1, key=key))
        assert json.loads(answer)["error"] == "no such place"
    assert relay.client_count == 2
    # The right key takes the slot, and ends the old connection.
    (answer,) = thief.send(pack_json("rejoin", code=joined["code"], you=1, key=joined["key"]))
    assert json.loads(answer)["you"] == 1
    assert relay.client_count == 1


def test_clients_of_one_address_are_limited() -> None:
    relay = Relay(max_clients_per_address=2)
    assert [RawClient(relay, number).accepted for number in range(3)] == [True, True, False]
    assert RawClient(relay, 5, "elsewhere").accepted
    assert relay.dropped == {"too many clients": 1}


def test_a_client_checks_messages_of_the_relay() -> None:
    relay = MemoryRelay()
    (room,) = rooms(relay, "Ann")
    numbers = random.Random(1)
    values = [None, -1, 1.5, True, [], {}, "x" * 9999, 1 << 80, [{}] * 99, {"id": 3}]
    kinds_ = ["joined", "member", "left", "host", "lock", "chat", "rooms", "error", "pong", "?"]
    names = ["code", "you", "key", "host", "size", "members", "member", "rooms", "text", "n"]
    waiting = room._socket.waiting  # type: ignore[attr-defined]
    for _ in range(3000):
        frame = pack_json(numbers.choice(kinds_), **{n: numbers.choice(values) for n in names})
        waiting.append(frame if numbers.random() < 0.8 else frame[: numbers.randrange(40)])
        if numbers.random() < 0.3:
            waiting.append(numbers.randbytes(numbers.randrange(9)))
    events = room.poll()
    assert len(events) <= 4096
    assert len(room.members) <= 64
    assert len(room.rooms) <= 50
    assert room.dropped["malformed"] > 100
    assert max(len(event.text) for event in events) <= 300


def test_twenty_players_agree_under_random_actions() -> None:
    """All members of a room agree on its members and its host after every action."""
    relay = MemoryRelay()
    numbers = random.Random(3)
    players = [Room(relay, game="duel", name=f"P{number}") for number in range(20)]
    for step in range(1500):
        player = numbers.choice(players)
        codes = [room.code for room in players if room.code] or ["BCDFG"]
        action = numbers.randrange(12)
        if player.state == "outside":
            player.create() if action < 3 else player.join(numbers.choice(codes))
        elif player.state == "joined":
            if action == 0:
                player.leave()
            elif action == 1:
                lose(player)
            elif action == 2 and player.is_host:
                player.kick(numbers.choice(player.members).id)
            elif action == 3 and player.is_host:
                player.grant_host(numbers.choice(player.members).id)
            elif action == 4:
                player.send(bytes([step % 256]), numbers.choice(["all", "host"]))
            elif action == 5:
                player.chat("hi")
        relay.advance(numbers.choice([0.05, 0.3]))
        for room in players:
            if numbers.random() < 0.8:
                room.poll()
    for player in players:
        player.poll()
    relay.advance(0)
    joined = [player for player in players if player.state == "joined"]
    assert len(joined) > 5
    for player in joined:
        player.poll()
        same = [room for room in joined if room.code == player.code]
        assert {room.me for room in same} == {m.id for m in player.members if m.online}
        assert len({room.host for room in same}) == 1
        assert player.host in {room.me for room in same}
    assert relay.relay.client_count == sum(player.state != "closed" for player in players)


# -- server and command ----------------------------------------------------------------------------


def until(condition: Any, *rooms_: Room, seconds: float = 10) -> None:
    """Wait for frames of the other threads until the condition holds."""
    for _ in range(2000):
        if condition():
            return
        for room in rooms_:
            socket: Any = room._socket
            socket.changed.wait(0.005)
            EVENTS.setdefault(room, []).extend(room.poll())
    raise AssertionError([(room.state, room.reason) for room in rooms_])


EVENTS: dict[Room, list[RoomEvent]] = {}


@pytest.fixture
def server() -> Any:
    pytest.importorskip("websockets", reason="websockets is not installed: subtick[net]")
    from framework.net.relay_server import RelayServer

    new_server = RelayServer(Relay(), port=0, host="127.0.0.1")
    thread = threading.Thread(target=new_server.run)
    thread.start()
    assert new_server.started.wait(10)
    yield new_server
    new_server.stop()
    thread.join(10)
    assert not thread.is_alive()


def test_players_meet_over_websockets(server: Any) -> None:
    address = f"ws://127.0.0.1:{server.port}"
    ann = Room(address, game="duel", name="Ann")
    ben = Room(address, game="duel", name="Ben")
    ann.create(public=True)  # waits for the connection
    until(lambda: ann.state == "joined", ann)
    ben.join(ann.code)
    until(lambda: len(ann.members) == 2 and ben.state == "joined", ann, ben)
    ben.send(b"x" * 60_000, "host")
    ben.chat("hello")
    until(lambda: any(event.kind == "chat" for event in EVENTS[ann]), ann)
    assert [event.data for event in EVENTS[ann] if event.kind == "message"] == [b"x" * 60_000]
    ann.link.send(2, b"datagram")
    until(lambda: ben.link._waiting, ben)
    assert ben.link.receive() == [(1, b"datagram")]
    # The connection of the host fails: the other player becomes the host, and the first player
    # comes back.
    first: Any = ann._socket
    first.close()
    until(lambda: ben.is_host, ben)
    until(lambda: ann.state == "joined" and ann.host == 2, ann)
    ann.measure_ping()
    until(lambda: ann.ping > 0, ann)
    last: Any = ann._socket
    server.stop()
    until(lambda: ben.state in ("lost", "closed"), ben)
    for room in (ann, ben):
        room.close()
    for connection in (first, last, ben._socket):
        connection.thread.join(10)
        assert not connection.thread.is_alive()


def test_invalid_websocket_clients_do_no_harm(
    server: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    from websockets.sync.client import connect

    address = f"ws://127.0.0.1:{server.port}"
    with connect(address) as stranger:
        stranger.send("not JSON")
        with pytest.raises(Exception, match="malformed"):
            stranger.recv(10)
    with connect(address) as stranger:
        stranger.send(b"x" * 100_000)
        with pytest.raises(Exception, match="1009"):
            stranger.recv(10)
    with socket.create_connection(("127.0.0.1", server.port)) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert browser.recv(100).startswith(b"HTTP/1.1 426")
    with socket.create_connection(("127.0.0.1", server.port)) as scanner:
        scanner.sendall(bytes(range(256)) * 9)
        while scanner.recv(1000):
            pass
    assert capfd.readouterr() == ("", "")  # strangers do not fill the log of a relay
    room = Room(address)
    until(lambda: room.state == "outside", room)
    room.close()
    room._socket.thread.join(10)  # type: ignore[attr-defined]
    with pytest.raises(fw.NetworkError, match=r"^port: expected a free TCP port, got \d+; another"):
        type(server)(Relay(), server.port, "127.0.0.1").run()


@pytest.mark.skipif(sys.platform == "win32", reason="signals end the process there")
def test_the_command_runs_a_relay_until_a_signal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("websockets", reason="websockets is not installed: subtick[net]")
    from framework.net.relay_server import RelayServer

    run = RelayServer.run

    def run_and_stop(server: RelayServer) -> None:
        show: Any = server._ready
        server._ready = lambda server: (show(server), os.kill(os.getpid(), signal.SIGTERM))
        run(server)

    monkeypatch.setattr(RelayServer, "run", run_and_stop)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    before = signal.getsignal(signal.SIGTERM)
    assert main(["relay", "--port", str(port), "--host", "127.0.0.1"]) == 0
    assert signal.getsignal(signal.SIGTERM) == before
    assert f"players connect to ws://127.0.0.1:{port}; Ctrl-C ends" in capsys.readouterr().out
    file = tmp_path / "a.pem"
    file.write_text("no certificate")
    for options in (
        ["--port", "70000"],
        ["--key", "nowhere"],
        ["--certificate", str(file), "--key", str(file)],
    ):
        assert main(["relay", *options]) == 2
    errors = capsys.readouterr().err
    assert "--port: expected a port from 1 to 65535, got 70000" in errors
    assert "certificate: expected a file, got None" in errors
    assert "cannot be used" in errors


def test_the_reason_of_a_missing_relay_is_clear() -> None:
    pytest.importorskip("websockets", reason="websockets is not installed: subtick[net]")
    with fw.UdpLink(host="127.0.0.1") as free:  # nothing listens on this TCP port
        room = Room(f"127.0.0.1:{free.port}")
        until(lambda: room.state == "closed", room)
        assert room.reason.startswith(f"no relay runs at ws://127.0.0.1:{free.port}; check")
        room._socket.thread.join(10)  # type: ignore[attr-defined]
    for bad_address in ("", "http://x", "ws://", "ws://x:99999", "ws://x:y"):
        with pytest.raises(ValueError, match=r"^relay: expected an address such as 'wss://relay"):
            Room(bad_address)


def test_a_client_that_receives_slowly_loses_droppable_frames_first() -> None:
    outbox = _Outbox()
    outbox.put(b"first", False)
    for _ in range(100):
        outbox.put(bytes(1000), True)
    assert outbox.dropped == 0
    for _ in range(100):
        outbox.put(bytes(1000), True)
    assert 100 < outbox.dropped < 200
    assert outbox.end_reason is None
    for _ in range(100):
        outbox.put(bytes(60_000), False)
    assert outbox.end_reason == "this program receives too slowly"

    async def frames() -> list[Any]:
        return [await outbox.next() for _ in range(102)]

    received = asyncio.run(frames())
    assert [frame[:5] for frame in received[:2]] == [b"first", bytes(5)]
    assert [len(frame) for frame in received[1:101]] == [60_000] * 100
    assert received[101] is None


def test_codes_have_no_vowels_and_no_letters_that_look_alike() -> None:
    assert not set(relay_messages.ALPHABET) & set("AEIOUY013")
    assert len(relay_messages.ALPHABET) ** relay_messages.CODE_LENGTH > 10_000_000


def test_a_link_of_a_room_is_no_state() -> None:
    link: Any = RelayLink(lambda member, data: True, lambda: None, lambda: (), lambda: 0)
    with fw.Game(drawing=False) as game:
        game.link = link
        before = game.state_hash()
        link.mark = 1
        assert game.state_hash() == before
