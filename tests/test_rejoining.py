"""Rejoining: players return to a match after a crash, or after a long failure of the network."""

from __future__ import annotations

import struct
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from matches import Machines, Walk

import framework as fw
from framework.net import match_history
from framework.net.departures import Departures
from framework.net.dropped_message import DroppedMessage
from framework.net.match_history import MatchHistory
from framework.net.match_input import MAX_TICKS, PlayerInput, combined, read_ticks
from framework.net.rejoining import ASK, DIFFERENT, CatchUp, Returns, Status, pack_return

NEAR = fw.Conditions(latency=0.02, jitter=0.01, loss=0.02, seed=5)
FAR = fw.Conditions(latency=0.1, jitter=0.03, loss=0.1, duplicate=0.05, seed=6)


def is_back(match: Machines, player: int) -> bool:
    """Return whether a player takes part again on all machines."""
    sessions = [session for session in match.sessions if session is not None]
    return (
        match.sessions[player].playing
        and match.sessions[player]._phase.catch_up is None
        and not any(session.waiting_for for session in sessions)
        and not any(remote.gone for session in sessions for remote in session._remotes.values())
    )


def play_until_back(match: Machines, player: int, frames: int = 900) -> None:
    for _ in range(frames // 10):
        match.play(10)
        if is_back(match, player):
            return
    raise AssertionError([session.status for session in match.sessions if session is not None])


@pytest.mark.parametrize(
    ("player", "conditions", "name"),
    [(1, NEAR, "another port"), (1, FAR, ""), (0, NEAR, "")],
)
def test_a_player_whose_program_was_killed_comes_back(
    player: int, conditions: fw.Conditions, name: str
) -> None:
    timeout = 0.3 if conditions is NEAR else 0.9
    with Machines(2, conditions=conditions, timeout=timeout) as match:
        match.play(150)
        match.kill(player)
        match.play(round(90 * timeout) + 20)
        other_game = match.games[1 - player]
        assert other_game.session.status == f"Player {player + 1} left the match"
        before = other_game.tick
        match.play(20)
        assert other_game.tick == before + 20  # the other player plays on
        game = match.start(player, name)
        statuses = set()
        for _ in range(90):
            match.play(10)
            statuses |= {game.session.status, other_game.session.status}
            if is_back(match, player):
                break
        assert f"Player {player + 1} is coming back" in statuses
        assert any(text.startswith("Coming back into the match: ") for text in statuses)
        positions = [each.places[player] for each in match.games]
        match.play(60)
        assert all(
            each.places[player] != position
            for each, position in zip(match.games, positions, strict=True)
        )
        match.finish()
        assert other_game.session.stats.stalls < 600


def test_a_match_waits_less_than_a_second_for_a_player_who_comes_back() -> None:
    with Machines(2, conditions=FAR, timeout=0.9) as match:
        match.play(100)
        match.kill(1)
        match.play(100)
        match.start(1, "another port")
        before = match.games[0].session.stats.stalls
        play_until_back(match, 1)
        match.play(100)
        assert match.games[0].session.stats.stalls - before < 60
        assert abs(match.games[0].tick - match.games[1].tick) < 6
        match.finish()


def test_a_player_whose_program_starts_again_before_the_others_have_noticed() -> None:
    with Machines(2, conditions=NEAR) as match:  # with a timeout of ten seconds
        match.play(100)
        match.kill(1)
        match.play(30)
        match.start(1, "another port")
        match.play(30)
        assert match.games[0].session.status == "Waiting for player 2"
        play_until_back(match, 1)
        match.finish()


def test_a_program_that_starts_again_at_the_same_address_comes_back() -> None:
    with Machines(2, conditions=NEAR) as match:
        match.play(100)
        match.kill(1)
        match.play(30)
        match.start(1)
        play_until_back(match, 1)
        match.finish()


@pytest.mark.parametrize("player", [0, 1])
def test_one_of_three_players_comes_back(player: int) -> None:
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(60)
        match.kill(player)
        match.play(45)
        match.start(player)
        play_until_back(match, player)
        match.finish()


def test_players_continue_after_a_network_failure_longer_than_the_timeout() -> None:
    """Both players play on alone. When the network is back, the match of the first player
    continues."""
    with Machines(2, conditions=NEAR, timeout=0.3) as match:
        match.play(100)
        match.cut(0, 1)
        match.play(150)
        assert [session.waiting_for for session in match.sessions] == [(1,), (0,)]
        assert match.games[0].places != match.games[1].places
        match.cut(0, 1, loss=0)
        play_until_back(match, 1)
        match.play(60)
        match.finish()


def test_a_recording_ends_if_the_match_continued_on_another_machine(tmp_path: Any) -> None:
    with Machines(2, conditions=NEAR, timeout=0.3) as match:
        for player, game in enumerate(match.games):
            game.recording.start(tmp_path / f"{player}.replay")
        match.play(60)
        match.cut(0, 1)
        match.play(100)
        match.cut(0, 1, loss=0)
        with pytest.warns(RuntimeWarning, match="its recording ends here"):
            play_until_back(match, 1)
        last = match.sessions[0].confirmed_tick
    replay = fw.Replay(tmp_path / "0.replay")
    assert replay.ticks >= last
    assert replay.verify(Walk).ok


def test_a_player_who_comes_back_can_record_the_whole_match(tmp_path: Any) -> None:
    with Machines(2, conditions=NEAR, timeout=0.3) as match:
        match.play(100)
        match.kill(1)
        match.play(60)
        match.start(1).recording.start(tmp_path / "1.replay")
        play_until_back(match, 1)
        match.play(30)
        last = match.sessions[1].confirmed_tick
    replay = fw.Replay(tmp_path / "1.replay")
    assert replay.ticks >= last
    assert replay.verify(Walk).ok


def test_a_player_comes_back_twice_and_held_keys_count() -> None:
    with Machines(2, conditions=NEAR, timeout=0.3) as match:
        match.play(60)
        for _ in range(2):
            match.games[1].testing.press("left")
            match.play(20, keys=False)
            match.kill(1)
            match.play(60, keys=False)
            assert not match.games[0].players[1].keys["left"]
            game = match.start(1, "another port")
            game.testing.press("left")
            match.play(200, keys=False)
            assert is_back(match, 1)
            assert match.games[0].players[1].keys["left"]
            game.testing.release("left")
            match.play(10, keys=False)
        match.finish()


class Planted(Walk):
    """A game that a test can make different on one machine."""

    not_state = ("planted",)
    planted = 0

    def update(self, dt: float) -> None:
        super().update(dt)
        self.luck += self.planted


def test_a_difference_after_a_return_is_found(tmp_path: Any) -> None:
    with Machines(2, Planted, conditions=NEAR, timeout=0.3) as match:
        match.play(100)
        match.kill(1)
        match.play(60)
        game = match.start(1, "another port")
        play_until_back(match, 1)
        reports: list[fw.Desync] = []
        for session in match.sessions:
            session.on_desync = reports.append
            session.report_folder = tmp_path
        match.play(40)
        assert not reports
        game.planted = 1
        match.play(120)
        assert [desync.path for desync in reports] == ["game.luck"] * 2


class RemoteLink:
    """A link whose peers are on other computers."""

    def __init__(self, link: Any, host: str) -> None:
        self._link = link
        self.host = host

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    def receive(self) -> list[Any]:
        return [((self.host, name), data) for name, data in self._link.receive()]

    def send(self, peer: Any, data: bytes) -> None:
        self._link.send(peer[1], data)


class NamedLink(RemoteLink):
    """A link that requests addresses from a name server. ``works``: whether the server answers."""

    works = True

    def resolve(self, address: str) -> tuple[str, str]:
        if not self.works:
            raise fw.NetworkError("the name server does not answer")
        return self.host, address.removesuffix(".example")


def test_a_match_requests_no_addresses_after_its_start() -> None:
    network = fw.MemoryNetwork()
    first = Walk(drawing=False, session=fw.Rollback(0, link=network.link("first")))
    link = NamedLink(network.link("second"), "203.0.113.5")
    session = fw.Rollback(1, peers=["first.example"], link=link)  # type: ignore[arg-type]
    second = Walk(drawing=False, session=session)
    link.works = False
    assert first.session is not None
    first_session: Any = first.session
    first_session._endpoint._timeout_ns = second.session._endpoint._timeout_ns = 300_000_000  # type: ignore[union-attr]

    def play(frames: int, *games: Any) -> None:
        for _ in range(frames):
            network.advance(1 / 60)
            for game in games:
                game.advance(1 / 60)

    play(30, first, second)
    assert session.playing
    # the network fails, and this player sends requests to the address of the first player
    play(145, second)
    assert session._remotes[0].knocking is not None
    play(300, first, second)
    assert session.waiting_for == first_session.waiting_for == ()
    first.close()
    second.close()


def test_a_stranger_cannot_take_the_place_of_a_player() -> None:
    network = fw.MemoryNetwork()
    link = RemoteLink(network.link("first"), "203.0.113.5")
    first = Walk(drawing=False, session=fw.Rollback(0, link=link))  # type: ignore[arg-type]
    second = Walk(
        drawing=False, session=fw.Rollback(1, peers=["first"], link=network.link("second"))
    )

    def play(frames: int, *games: Any) -> None:
        for _ in range(frames):
            network.advance(1 / 60)
            for game in games:
                game.advance(1 / 60)

    def stranger(name: str) -> Any:
        session = fw.Rollback(1, peers=["first"], link=network.link(name))
        return Walk(drawing=False, session=session)

    play(30, first, second)
    link.host = "198.51.100.7"
    with stranger("a") as thief:  # while the player is connected
        play(30, first, thief)
        assert "can only come back from the same address" in thief.session.reason
    link.host = "203.0.113.5"
    with stranger("b") as twin:  # from the same computer, while the player is connected
        play(60, first, second, twin)
        assert "player 2 is in the match already" in twin.session.reason
    second.close()
    play(30, first)
    link.host = "198.51.100.7"
    with stranger("c") as thief:
        play(60, first, thief)
        assert "can only come back from the same address" in thief.session.reason
    link.host = "203.0.113.5"
    with stranger("d") as honest:
        play(120, first, honest)
        assert honest.session.playing
        assert honest.places == first.places
    first.close()


def test_forged_returns_change_nothing() -> None:
    with Machines(3, conditions=NEAR) as match:
        match.play(60)
        chance = __import__("random").Random(1)
        for _ in range(300):
            kind = chance.choice([b"s", b"a", b"e", b"r", b"k", b"c"])
            body = chance.randbytes(chance.choice([4, 5, 6, 9, 30]))
            if kind == b"r":
                body = (
                    bytes([chance.randrange(3)])
                    + (match.games[0].tick + 9).to_bytes(4, "little")
                    + b"\x07"
                )
            for receiver in (0, 1):
                match.sessions[2]._remotes[receiver].send_reliable(kind + body)
        match.play(90)
        dropped = match.sessions[0].dropped
        assert dropped["malformed"] + dropped["late"] > 100
        match.finish()


def test_the_history_of_a_match_is_small_and_exact() -> None:
    history = MatchHistory()
    expected = {}
    for tick in range(1, 1200):
        events = (("player", 1), ("on_key_press", 97 + tick % 20, 0)) if tick % 7 == 0 else ()
        expected[tick] = events
        history.note(tick, fw.TickInput(events))
    history.note(5, fw.TickInput())
    assert (history.known, len(history._recent) < 2 * MAX_TICKS) == (1199, True)
    assert dict(history.ticks()) == expected
    for first in (1, 2, 127, 128, 500, 1073, 1199, 1200):
        ticks = read_ticks(history.packed(first), players=2)
        assert ticks is not None
        assert ticks == [expected[first + index] for index in range(len(ticks))]
        assert ticks or first == 1200
    for last in (1190, 800, 381, 380, 1, 0):
        history.forget_after(last)
        assert dict(history.ticks()) == {t: e for t, e in expected.items() if t <= last}
        assert history.known == last
    history.note(1, fw.TickInput())
    assert history.known == 1


def long_tick(events: int) -> bytes:
    """Return bytes of one tick with many key presses, as `PlayerInput.packed` returns them."""
    own = PlayerInput()
    own.add(1, (("on_key_press", 97, 0),) * events)
    return own.packed(1)


def test_a_datagram_with_thousands_of_events_in_one_tick_is_invalid() -> None:
    assert read_ticks(long_tick(60)) is not None  # more than an honest machine sends
    assert len(long_tick(5000)) < 100
    assert read_ticks(long_tick(5000)) is None


@pytest.mark.parametrize("players", [2, 4])
def test_the_history_accepts_the_longest_ticks_of_all_players(players: int) -> None:
    longest = max(count for count in range(1, 5000, 50) if read_ticks(long_tick(count)))
    (events,) = read_ticks(long_tick(longest)) or [()]
    history = MatchHistory()
    for tick in range(1, 400):
        inputs = [events] * players if tick in (130, 131) else [()] * players
        history.note(tick, combined(inputs))
    assert dict(history.ticks())[130] == combined([events] * players).events
    for first in (1, 130, 131):
        assert read_ticks(history.packed(first), players=players) is not None


def test_a_player_who_holds_thousands_of_keys_leaves_the_match() -> None:
    with Machines(2, conditions=NEAR) as match:
        match.play(30)
        liar = match.sessions[1]
        keys = iter(range(1 << 20, 1 << 24))
        liar._ticks._local.take = lambda: tuple(
            [("on_key_press", next(keys), 0) for _ in range(100)]
        )
        match.play(60)
        game = match.games[0]
        session = match.sessions[0]
        assert session._remotes[1].gone
        tick = game.tick
        match.play(30, stopped=[1])
        assert game.tick == tick + 30
        assert dict(session._history.ticks())


def test_the_match_continues_if_the_leader_fails_while_a_player_comes_back() -> None:
    with Machines(2, conditions=NEAR, timeout=0.3) as match:
        match.play(60)
        match.kill(1)
        match.play(45)
        match.start(1, "another port")
        for _ in range(300):
            match.play(1)
            if match.sessions[1]._phase.catch_up is not None and match.games[1].tick > 20:
                break
        match.kill(0)
        match.play(45)
        last = match.games[1].tick
        match.start(0)
        match.play(100)
        play_until_back(match, 0)
        assert match.games[1].tick > last
        match.finish()


def test_held_keys_of_other_players_are_known_after_a_return() -> None:
    """Player 2 holds a key, player 3 returns, and player 2 leaves."""
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(30)
        match.games[1].testing.press("left")
        match.kill(2)
        match.play(45, keys=False)
        match.start(2)
        for _ in range(90):
            match.play(10, keys=False)
            if is_back(match, 2):
                break
        match.kill(1)
        match.play(60, keys=False)
        assert [game.players[1].keys["left"] for game in match.games[::2]] == [False, False]
        match.play(30)
        match.finish()


def test_final_input_is_sent_only_after_the_same_input() -> None:
    history = MatchHistory()
    for tick in range(1, 6):
        history.note(tick, fw.TickInput((("on_key_press", tick, 0),)))
    departures = Departures(0, {1: PlayerInput()}, print, print, print)
    returns = Returns(0, history, departures, print, print, print, Counter())
    answers: list[bytes] = []
    connection: Any = SimpleNamespace(send_reliable=answers.append)
    same = history.checksum(3)
    for first, checksum, expected in (
        (4, same, []),
        (4, 77, [DIFFERENT]),
        (40, same, [DIFFERENT]),
        (1, 0, []),
    ):
        assert same is not None
        answers.clear()
        returns._handle(1, connection, struct.pack("<cII", ASK, first, checksum))
        assert (answers, 1 in returns._streams) == (expected, True)
    assert returns._streams[1][1] == 1
    for message in (struct.pack("<cII", ASK, 0, 0), ASK):
        with pytest.raises(DroppedMessage, match="malformed"):
            returns._handle(1, connection, message)


def are_playing(match: Machines) -> bool:
    before = [game.tick for game in match.games]
    match.play(30)
    ticks = [game.tick for game in match.games]
    return all(tick >= old + 29 for tick, old in zip(ticks, before, strict=True))


def test_two_of_three_machines_leave_their_own_match_at_the_same_time() -> None:
    conditions = fw.Conditions(latency=0.03, jitter=0.02, seed=5)
    with Machines(3, conditions=conditions, timeout=0.5) as match:
        match.play(60)
        for player in (1, 2):
            match.cut(0, player)
        match.play(125)
        for player in (1, 2):
            match.cut(0, player, 0.0)
        match.play(300)
        assert are_playing(match)
        match.finish(60)


@pytest.mark.parametrize("frames", [10, 50])
def test_two_programs_that_start_again_shortly_after_each_other(frames: int) -> None:
    with Machines(3, conditions=fw.Conditions(latency=0.02, seed=5), timeout=0.5) as match:
        match.play(60)
        match.kill(1)
        match.kill(2)
        match.play(60)
        match.start(1)
        match.play(frames)
        match.start(2)
        match.play(240)
        assert are_playing(match)
        match.finish(60)


def test_hashes_of_an_unknown_player_are_dropped() -> None:
    with Machines(2) as match:
        match.play(10)
        checks = match.sessions[0]._ticks.states
        message = b"h" + (30).to_bytes(8, "little") + bytes(8)
        checks.receive(1, message)
        with pytest.raises(DroppedMessage, match="late"):
            checks.receive(3, message)


def test_a_match_stops_waiting_for_a_machine_that_does_not_agree() -> None:
    closed: list[int] = []
    history = MatchHistory()
    departures = Departures(0, {1: PlayerInput(), 2: PlayerInput()}, print, print, print)
    returns = Returns(0, history, departures, print, print, closed.append, Counter())
    returns._pending = 2, 40, {1}
    returns._agree_until_ns = 1000
    returns.receive(10, 999)
    assert not closed
    assert returns.held_tick == 40
    returns.receive(10, 1000)
    assert closed == [1]
    departures.lose(1)
    returns.receive(10, 1001)
    assert returns.held_tick is None


def test_a_match_begins_when_all_players_are_connected_to_each_other() -> None:
    with Machines(3) as match:
        match.cut(1, 2)
        match.play(15)
        assert not any(session.playing for session in match.sessions)
        status = match.sessions[0].status
        assert status == "Waiting for a connection between player 2 and player 3"
        match.cut(1, 2, 0.0)
        match.play(40)
        assert all(session.playing for session in match.sessions)


def test_a_match_begins_if_another_machine_has_begun_it() -> None:
    with Machines(3, timeout=0.3) as match:
        # as if the last status of player 3 were lost on its way to player 2
        match.sessions[1]._start.separated = lambda: {(1, 2)}
        match.play(20)
        assert [session.playing for session in match.sessions] == [True] * 3
        match.kill(2)
        match.play(45)
        match.start(2)
        play_until_back(match, 2)
        match.finish(60)


def test_a_match_begins_although_a_connection_ends_before_all_have_begun() -> None:
    with Machines(4, conditions=fw.Conditions(latency=0.04), timeout=0.5) as match:
        start = match.sessions[3]._start
        start.begin_if_complete = lambda: None  # as if the last status had not arrived yet
        match.play(60)
        assert [session.playing for session in match.sessions] == [True, True, True, False]
        del start.begin_if_complete
        match.sessions[3]._remotes[0].connection.end("lost", "as if the network had failed")
        match.cut(0, 3)
        match.play(90)
        assert [session.waiting_for for session in match.sessions] == [(3,), (), (), (0,)]
        assert are_playing(match)
        match.finish()


def test_a_player_who_closes_the_game_can_play_another_match_at_the_same_port() -> None:
    with Machines(2) as match:
        match.play(60)
        match.games[0].close()
        match.games[0] = None
        match.play(150)  # after 120 frames, the opponent would request a connection again
        host = match.start(0)
        match.play(20)
        session = fw.Rollback(1, peers=["machine 0"], link=match.network.link("friend"))
        with Walk(drawing=False, session=session) as friend:
            for _ in range(150):
                match.play(1, keys=False)
                friend.advance(1 / 60)
            assert abs(friend.tick - host.tick) <= 1
            assert host.tick > 100
            assert not any("coming back" in game.session.status for game in match.games)


def test_a_player_whose_game_failed_comes_back_to_an_open_match() -> None:
    with Machines(2) as match:
        match.play(60)
        with pytest.raises(ZeroDivisionError), match.games[0] as failing:
            failing.advance(1 / 0)
        match.games[0] = None
        match.play(20)
        match.start(0)
        play_until_back(match, 0)


def test_a_program_that_starts_again_at_once_comes_back() -> None:
    with Machines(2, timeout=0.6) as match:
        match.play(60)
        match.kill(1)
        match.play(1)
        match.start(1, "another port")
        play_until_back(match, 1)
        match.finish(60)


def test_after_the_limit_of_the_history_nobody_can_come_back_or_watch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_history, "MAX_HISTORY", 60 + match_history._LAST_RETURN)
    with Machines(2, timeout=0.3, spectators=1) as match:
        match.play(60)
        match.kill(1)
        match.play(40)
        match.start(1)
        match.play(40)
        assert "this match is too long to come back" in match.sessions[1].status
        link = match.network.link("watcher")
        with Walk(drawing=False, session=fw.Spectator("machine 0", link=link)) as watcher:
            for _ in range(120):
                match.play(2, keys=False)
                watcher.advance(1 / 60)
            assert watcher.tick > 200
            assert "this match is too long to watch" in watcher.session.status


def test_a_player_who_closes_the_game_and_starts_again_reaches_later_players() -> None:
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(40)
        match.games[1].close()
        match.games[1] = None
        match.play(30)
        assert match.sessions[2]._remotes[1].has_closed
        match.start(1)
        play_until_back(match, 1, 240)
        match.finish(60)


def test_a_message_about_a_return_is_sent_again() -> None:
    """The first message may arrive before a machine has noticed that the player left."""
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(40)
        match.games[1].close()
        match.games[1] = None
        match.play(30)
        match.start(1)
        for _ in range(300):
            match.play(1)
            if match.sessions[0]._returning.players:
                break
        match.play(10)
        match.sessions[2]._remotes[1].has_closed = True  # as if the player closed the game only now
        match.sessions[2]._remotes[1].knocking = None
        play_until_back(match, 1, 300)
        match.finish(60)


def test_the_status_of_the_first_player_explains_a_too_long_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(match_history, "MAX_HISTORY", 40 + match_history._LAST_RETURN)
    with Machines(2, timeout=0.3) as match:
        match.play(60)
        match.kill(0)
        match.play(30)
        host = match.start(0)
        match.play(150)
        assert host.session.status == (
            "Waiting for player 2, who still plays a match that is too long to come back. Start a "
            "new match on all machines"
        )
        before = match.games[1].tick
        match.play(30)
        assert match.games[1].tick == before + 30
        match.kill(1)
        match.start(1)
        match.play(60)
        assert [session.playing for session in match.sessions] == [True, True]
        assert not any(session.status for session in match.sessions)


def test_a_match_that_becomes_too_long_does_not_wait_for_a_return(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Machines(2, timeout=0.3) as match:
        match.play(60)
        match.kill(0)
        match.play(180)
        match.start(0)
        monkeypatch.setattr(match_history, "MAX_HISTORY", 250 + match_history._LAST_RETURN)
        for _ in range(10):
            match.play(10)
            if match.sessions[1]._returning.players:
                break
        monkeypatch.setattr(match_history, "MAX_HISTORY", 60)
        before = match.games[1].tick
        match.play(120)
        assert match.games[1].tick == before + 120
        assert not match.sessions[1]._returning.players


def test_a_player_who_first_reaches_a_match_that_does_not_count() -> None:
    with Machines(3, conditions=fw.Conditions(latency=0.02), timeout=0.3) as match:
        match.play(60)
        match.cut(0, 1)
        match.cut(1, 2)
        match.play(60)  # player 1 is cut off
        assert match.sessions[1].status == (
            "No connection to player 1 and player 3. The match may go on without this player"
        )
        match.cut(0, 2)
        match.kill(2)
        match.cut(1, 2, 0.0)
        match.start(2)
        match.play(40)
        assert match.games[2].tick > 50  # with the input of player 1
        match.cut(0, 2, 0.0)
        match.play(20)
        match.cut(0, 1, 0.0)
        match.play(300)
        assert are_playing(match)
        match.finish(60)
        histories = [dict(session._history.ticks()) for session in match.sessions]
        assert histories[0] == histories[1] == histories[2]


def test_input_of_another_match_is_detected() -> None:
    catch_up = CatchUp(3, 0, 0, MatchHistory())
    lonely = Status(True, 1, 20)
    counting = Status(True, 0, 30)
    assert [player for player, _ in catch_up.messages(0, {1: lonely})] == [1]
    assert not catch_up.is_other_match
    assert catch_up.messages(0, {0: counting, 1: lonely}) == []
    assert catch_up.is_other_match


def test_a_returned_machine_admits_players_without_a_known_address() -> None:
    with Machines(2) as match:
        match.play(20)
        session = match.sessions[0]
        remote = session._remotes[1]
        remote.gone = True
        remote.connection = None
        token = remote.token
        elsewhere = ("203.0.113.5", 7000)
        other_token = token[:-1] + bytes([token[-1] ^ 1])
        assert "same address" in session._admission.admit(elsewhere, other_token)
        remote.token = b""
        assert session._admission.admit(elsewhere, other_token) is None


def play_until_entering(match: Machines, player: int) -> None:
    for _ in range(300):
        match.play(1)
        if match.sessions[player]._phase.is_entering:
            return
    raise AssertionError(match.sessions[player].status)


@pytest.mark.parametrize(("entering", "victim"), [(2, 1), (0, 2)])
def test_a_player_who_is_lost_while_another_one_enters(entering: int, victim: int) -> None:
    """The match waits for a report of the entering machine, which may be the leader."""
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(40)
        match.kill(entering)
        match.play(40)
        match.start(entering)
        play_until_entering(match, entering)
        match.games[victim].testing.press("left")
        match.play(2, keys=False)
        match.kill(victim)
        match.play(90)
        assert match.sessions[entering].playing
        match.start(victim)
        play_until_back(match, victim)
        match.finish(60)


def test_an_entering_machine_starts_over_if_it_lacks_input() -> None:
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(40)
        match.kill(2)
        match.play(40)
        match.start(2)
        play_until_entering(match, 2)
        match.cut(0, 1)  # player 3 is connected to both
        match.play(120)
        match.cut(0, 1, 0.0)
        for player in (1, 2):
            play_until_back(match, player)
        match.finish(60)


@pytest.mark.parametrize("cut", [(1, 2), (0, 2), (0, 1)])
def test_a_player_comes_back_although_two_others_have_lost_each_other(cut: tuple[int, int]) -> None:
    """A third machine forwards input between the two players. The leader may be one of the two."""
    with Machines(4, conditions=fw.Conditions(latency=0.02), timeout=0.3) as match:
        match.play(30)
        match.cut(*cut)
        match.kill(3)
        match.play(60)
        match.start(3)
        for _ in range(24):
            match.play(10)
            if match.sessions[3].playing:
                break
        assert match.sessions[3].playing
        match.play(60)
        assert match.sessions[cut[0]].waiting_for == (cut[1],)
        match.finish(60)


def test_two_machines_lose_each_other_while_a_player_enters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Machines(4, conditions=fw.Conditions(latency=0.02), timeout=0.3) as match:
        match.play(40)
        match.kill(3)
        match.play(50)
        match.start(3)
        play_until_entering(match, 3)
        starts: list[int] = []
        monkeypatch.setattr(match.sessions[3]._comeback, "_start_over", lambda: starts.append(1))
        match.sessions[1]._remotes[2].connection.close("lost")
        match.play(90)
        assert match.sessions[3].playing
        assert not starts
        match.finish(60)


def test_a_machine_that_is_lost_during_a_return_receives_the_return_again() -> None:
    """The leader loses the connection after it has chosen the tick of the return."""
    with Machines(4, conditions=fw.Conditions(latency=0.02), timeout=0.4) as match:
        match.play(40)
        match.kill(3)
        match.play(50)
        match.start(3)
        for _ in range(300):
            match.play(1)
            if match.sessions[0]._returning.held_tick is not None:
                break
        match.cut(0, 2)
        match.play(240)
        assert match.sessions[3].playing
        assert match.sessions[0].waiting_for == (2,)
        match.finish(60)


def test_the_input_of_two_matches_is_not_mixed() -> None:
    """The first machine plays on alone, sends its input to a returning player, and exits. Then the
    player receives the input of the other match."""
    with Machines(3, conditions=fw.Conditions(latency=0.02), timeout=0.3) as match:
        match.play(40)
        match.kill(2)
        match.play(30)
        match.cut(0, 1)
        match.play(60)
        match.cut(1, 2)
        match.start(2)
        match.play(20)
        assert match.games[2].tick > 60
        match.kill(0)
        match.cut(1, 2, 0.0)
        match.play(90)
        match.finish(60)
        histories = [dict(session._history.ticks()) for session in match.sessions[1:]]
        assert histories[0] == histories[1]


@pytest.mark.parametrize(("players", "away"), [(3, [0]), (4, [0, 3]), (4, [0, 1])])
def test_a_player_comes_back_without_a_connection_to_some_players(
    players: int, away: list[int]
) -> None:
    with Machines(players, conditions=NEAR, timeout=0.3) as match:
        match.play(40)
        match.kill(2)
        match.play(40)
        for player in away:
            match.cut(player, 2)
        match.start(2)
        for _ in range(60):
            match.play(10)
            if all(session.playing and not session.status for session in match.sessions):
                break
        assert match.sessions[2].waiting_for == tuple(away)
        match.play(30)
        before = min(game.tick for game in match.games)
        match.play(60)
        assert min(game.tick for game in match.games) > before + 45
        match.finish()


def test_machines_that_were_all_cut_off_come_back_to_one_match() -> None:
    """The rank of the first match changes while the third player comes back."""
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(40)
        pairs = ((0, 1), (0, 2), (1, 2))
        for pair in pairs:
            match.cut(*pair)
        match.play(60)
        assert all(session._lost.departures.is_cut_off for session in match.sessions)
        for pair in pairs:
            match.cut(*pair, loss=0)
        match.play(400)
        assert [session.status for session in match.sessions] == [""] * 3
        match.finish()


def test_a_program_that_starts_again_before_the_match_has_a_new_status() -> None:
    """Otherwise, another machine begins the match with the earlier program."""
    with Machines(3, conditions=NEAR) as match:
        match.cut(0, 1)
        match.play(30)
        remote = match.sessions[1]._remotes[2]
        earlier = remote.connection
        assert remote.status is not None
        match.kill(2)
        game = match.start(2)
        for _ in range(300):
            match.play(1)
            if remote.connection is not earlier and remote.connection is not None:
                break
        assert remote.connection is not earlier
        program = game.session._start._program
        assert remote.status is None or remote.status.programs[2] == program
        match.cut(0, 1, loss=0)
        match.play(200)
        assert all(session.playing for session in match.sessions)
        match.finish()


@pytest.mark.parametrize("later", [0, 7])
def test_a_second_reply_of_a_changed_program_closes_or_keeps_each_connection(later: int) -> None:
    """The first reply leaves player 0 out of the match, so another part has the connection."""
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(60)
        match.kill(2)
        match.play(45)
        session = match.start(2).session
        for _ in range(200):
            match.play(1)
            catch_up = session._phase.catch_up
            if catch_up is not None and catch_up.has_requested:
                break
        sender = session._remotes[0]
        session._comeback.take_return(sender, 400, {1, 2})
        assert session._phase.is_entering
        with pytest.raises(DroppedMessage, match="late"):
            session._comeback.take_return(sender, 400 + later, {1, 2})
        assert session._phase.is_entering == (later == 0)
        session._comeback.ask_for_input()
        assert not session._phase.is_entering
        play_until_back(match, 2)
        match.finish()


def test_a_reply_before_the_input_of_the_sender_does_not_count() -> None:
    """The machine has just requested input from another player, who replies to an earlier request."""
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(60)
        match.kill(2)
        match.play(45)
        session = match.start(2).session
        for _ in range(200):
            match.play(1)
            if session._phase.catch_up is not None and session._phase.catch_up.source == 0:
                break
        returning = pack_return(2, 400, {0, 1, 2})
        with pytest.raises(DroppedMessage, match="late"):
            session._handle_rejoining(session._remotes[0], returning)
        play_until_back(match, 2)
        match.finish()
