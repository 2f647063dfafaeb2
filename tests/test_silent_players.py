"""Silent players: members of a match who stay connected, but send no input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from matches import Machines, Walk

import framework as fw
from framework.net.departures import KINDS as departure_kinds
from framework.net.dropped_message import DroppedMessage
from framework.net.rejoining import AGREED
from framework.net.silent_players import WAITS

SECOND = 60  # frames
NORMAL = fw.Conditions(latency=0.03, jitter=0.01, loss=0.03, seed=5)
LOSSY = fw.Conditions(latency=0.04, jitter=0.02, loss=0.2, seed=5)


def silence(game: Any, to: Iterable[int] = range(4)) -> Callable[[], None]:
    """Make a player send no input to the players ``to``. Everything else is still sent. Return a
    function that ends the silence.
    """
    exchange = game.session._exchange
    send = exchange._send
    silent_to = {*to}

    def send_to_others(remote: Any) -> None:
        if remote.player not in silent_to:
            send(remote)

    exchange._send = send_to_others

    def end() -> None:
        exchange._send = send

    return end


def lost_by(game: Any) -> set[int]:
    return {player for player, each in game.session._remotes.items() if each.gone}


@pytest.mark.parametrize(("players", "conditions"), [(2, None), (3, LOSSY), (4, None)])
def test_the_match_continues_without_a_player_who_sends_no_input(
    players: int, conditions: fw.Conditions | None
) -> None:
    silent = players - 2  # player 1 of 2, and a middle player of 3 or 4
    with Machines(players, conditions=conditions, spectators=1) as machines:
        watched = machines._names[0 if silent else 1]
        session = fw.Spectator(watched, link=machines.network.link("watcher"))
        watcher = Walk(drawing=False, players=players, session=session)
        machines.play(SECOND)
        ends_at = machines.games[silent].tick
        silence(machines.games[silent])
        machines.play(9 * SECOND)
        others = [game for player, game in enumerate(machines.games) if player != silent]
        assert all(game.tick < ends_at + 20 for game in others)  # the match waits
        assert not any(lost_by(game) for game in others)
        machines.play(3 * SECOND)
        machines.games[silent].close()
        machines.games[silent] = None
        machines.play(SECOND)
        assert [lost_by(game) for game in others] == [{silent}] * len(others)
        assert all(game.tick > ends_at + SECOND for game in others)
        assert not any(game.session._remotes[silent].held.keys for game in others)
        machines.finish()
        for _ in range(300):
            machines.play(1, keys=False)
            watcher.advance(1 / 60)
            if watcher.tick == others[0].tick:
                break
        assert watcher.state_hash() == others[0].state_hash()
        watcher.close()


def test_a_player_who_sends_input_again_comes_back() -> None:
    with Machines(3, input_timeout=4) as machines:
        machines.play(SECOND)
        end_silence = silence(machines.games[1])
        machines.play(5 * SECOND)
        assert lost_by(machines.games[0]) == {1}
        end_silence()
        machines.play(5 * SECOND)
        assert [lost_by(game) for game in machines.games] == [set()] * 3
        assert all(session.playing for session in machines.sessions)
        machines.finish(240)


def test_a_player_who_is_silent_towards_one_machine_stays_in_the_match() -> None:
    """Otherwise, this player could make the others believe that player 1 sends no input."""
    with Machines(3, conditions=NORMAL, input_timeout=4) as machines:
        machines.play(SECOND)
        silence(machines.games[2], to=[0])
        machines.play(5 * SECOND)
        before = machines.games[0].tick
        machines.play(10 * SECOND)
        assert [lost_by(game) for game in machines.games] == [set()] * 3
        assert machines.games[0].tick > before + 7 * SECOND  # at most 1 s for each new attempt
        machines.finish(300)


def test_a_chain_of_waiting_machines_blames_only_its_last_member() -> None:
    """Player 1 waits for player 2, player 2 for player 3, and player 3 for player 4."""
    slow = fw.Conditions(latency=0.15)
    with Machines(4, conditions=slow, input_delay=0, input_timeout=4) as machines:
        machines.play(SECOND)
        silence(machines.games[3], to=[2])
        machines.play(7 * SECOND)
        assert [lost_by(game) for game in machines.games] == [set()] * 4
        machines.finish(300)


def test_a_player_reads_when_the_match_will_continue() -> None:
    with Machines(3) as machines:
        machines.play(SECOND)
        silence(machines.games[2])
        machines.play(SECOND)
        assert machines.sessions[0].status == "Waiting for player 3"
        machines.play(5 * SECOND)
        text = "Waiting for player 3. The match continues without this player in 5 s"
        assert [session.status for session in machines.sessions[:2]] == [text, text]
        machines.play(6 * SECOND)
        assert machines.sessions[0].status == "Player 3 left the match"
        assert machines.sessions[2].status.startswith("No connection to player 1 and player 2")


@pytest.mark.parametrize("stop", [3, 9])
def test_a_machine_that_stops_for_a_while_stays_in_the_match(stop: int) -> None:
    for stopped in (0, 2):
        with Machines(3, conditions=LOSSY) as machines:
            machines.play(SECOND)
            machines.play(stop * SECOND, stopped=[stopped])
            machines.play(3 * SECOND)
            assert not any(lost_by(game) for game in machines.games)
            machines.finish(240)


def test_a_slow_machine_stays_in_the_match() -> None:
    with Machines(2) as machines:
        machines.play(SECOND)
        for _ in range(30):
            # One frame in half a second. A frame runs at most a quarter of a second of ticks.
            machines.play(29, stopped=[1])
            machines.play(1)
        assert not any(lost_by(game) for game in machines.games)
        machines.finish(240)


@pytest.mark.parametrize("is_direct", [True, False])
def test_a_paused_match_is_not_cut(is_direct: bool) -> None:
    """If the connection between two machines has failed, another machine forwards the pause."""
    with Machines(3, timeout=2, input_timeout=4) as machines:
        machines.play(SECOND)
        if not is_direct:
            machines.cut(0, 2)
            machines.play(3 * SECOND)
        machines.games[2].timestep.paused = True
        machines.play(15 * SECOND)
        assert [lost_by(game) for game in machines.games] == [set()] * 3
        paused = [session.status for session in machines.sessions[:2]]
        assert paused == ["Paused by player 3"] * 2
        machines.games[2].timestep.paused = False
        machines.play(2 * SECOND)
        machines.finish(240)


def test_false_confirmations_do_not_stop_the_match() -> None:
    """Player 3 confirms input that has not arrived, so it is not sent again, and player 3 waits for
    it. From then on, player 2 forwards this input.
    """
    conditions = fw.Conditions(latency=0.03)
    with Machines(3, conditions=conditions, input_timeout=4) as machines:
        machines.play(SECOND)
        liar = machines.sessions[2]
        owner = machines.sessions[0]
        send = liar._exchange._send

        def send_false_confirmation(remote: Any) -> None:
            known = remote.input.known
            if remote.player == 0:
                remote.input.known = owner._ticks.own.known
            send(remote)
            remote.input.known = known

        liar._exchange._send = send_false_confirmation
        take = liar._exchange.take

        def lose_input_of_player_1(remote: Any, message: bytes) -> bool:
            return False if remote.player == 0 else take(remote, message)

        liar._exchange.take = lose_input_of_player_1
        machines.play(6 * SECOND)
        ticks = [game.tick for game in machines.games]
        machines.play(5 * SECOND)
        assert [lost_by(game) for game in machines.games] == [set()] * 3
        assert all(
            game.tick > before + 3 * SECOND
            for game, before in zip(machines.games, ticks, strict=True)
        )
        machines.finish(300)


def test_a_machine_that_lacks_a_report_is_not_blamed() -> None:
    """Player 3 does not report to player 2 that player 4 has left, so player 2 waits for input that
    player 3 should forward, and player 1 waits for player 2 to agree.
    """
    with Machines(4, input_timeout=2) as machines:
        machines.play(SECOND)
        departures = machines.sessions[2]._lost.departures
        send = departures._send

        def send_no_report_to_player_2(receiver: int, message: bytes) -> None:
            if receiver != 1 or message[:1] not in departure_kinds:
                send(receiver, message)

        departures._send = send_no_report_to_player_2
        machines.kill(3)
        first, second = machines.sessions[:2]
        connection = first._remotes[1].connection
        machines.play(20 * SECOND)
        assert connection.is_open
        assert lost_by(machines.games[0]) >= {3}
        assert 1 not in lost_by(machines.games[0])
        assert 0 not in lost_by(machines.games[1])
        before = [game.tick for game in machines.games[:2]]
        machines.play(3 * SECOND)
        ticks = [game.tick - old for game, old in zip(machines.games, before, strict=False)]
        assert min(ticks) >= 2 * SECOND
        assert first.playing
        assert second.playing


@pytest.mark.parametrize("player", [0, 1])
def test_after_three_timeouts_a_player_cannot_come_back(player: int) -> None:
    with Machines(2, input_timeout=2) as machines:
        machines.play(SECOND)
        silence(machines.games[player])
        machines.play(20 * SECOND)
        other = machines.games[1 - player]
        assert (lost_by(other), other.session._remotes[player].timeouts) == ({player}, 3)
        before = other.tick
        machines.play(6 * SECOND)
        assert other.tick > before + 350


@pytest.mark.parametrize("players", [2, 3])
def test_failures_of_the_network_do_not_exclude_a_player(players: int) -> None:
    """While the network fails, not only the input is missing, but all packets."""
    with Machines(players, input_timeout=2) as machines:
        machines.play(SECOND)
        for _ in range(3):
            for other in range(1, players):
                machines.cut(0, other)
            machines.play(3 * SECOND)
            assert 0 in lost_by(machines.games[1])
            for other in range(1, players):
                machines.cut(0, other, loss=0)
            machines.play(12 * SECOND)
            assert [lost_by(game) for game in machines.games] == [set()] * players
        machines.finish(240)


@pytest.mark.parametrize("seed", [0, 5, 7])
def test_with_a_short_timeout_the_reports_arrive_early_enough(seed: int) -> None:
    """Player 2 waits for player 3, and must not be blamed, although packets are lost."""
    bad = fw.Conditions(latency=0.08, jitter=0.03, loss=0.25, seed=seed)
    options: dict[str, Any] = {"max_prediction": 0, "input_delay": 2, "input_timeout": 1}
    with Machines(3, conditions=bad, **options) as machines:
        machines.play(2 * SECOND)
        silence(machines.games[2], to=[1])
        machines.play(6 * SECOND)
        assert 1 not in lost_by(machines.games[0])
        assert 0 not in lost_by(machines.games[1])


def test_with_a_short_timeout_machines_have_time_to_agree_on_a_return() -> None:
    with Machines(3, input_timeout=1) as machines:
        machines.play(SECOND)
        machines.kill(2)
        machines.play(12 * SECOND)
        connection = machines.sessions[0]._remotes[1].connection
        returning = machines.sessions[1]._returning
        send = returning._send
        late: list[tuple[int, bytes]] = []

        def send_later(player: int, message: bytes) -> None:
            if message[:1] == AGREED:
                late.append((player, message))
            else:
                send(player, message)

        returning._send = send_later
        machines.start(2)
        for _ in range(20 * SECOND):
            machines.play(1)
            if late:
                break
        machines.play(2 * SECOND)
        returning._send = send
        for player, message in late:
            send(player, message)
        machines.play(2 * SECOND)
        assert late
        assert connection.is_open


def test_without_an_input_timeout_the_match_waits() -> None:
    with Machines(2, input_timeout=None) as machines:
        machines.play(SECOND)
        end_silence = silence(machines.games[1])
        machines.play(30 * SECOND)
        assert machines.sessions[0].status == "Waiting for player 2"
        end_silence()
        machines.play(SECOND)
        machines.finish()


def test_a_shorter_timeout() -> None:
    with Machines(3, input_timeout=2) as machines:
        machines.play(SECOND)
        silence(machines.games[0])
        machines.play(3 * SECOND)
        assert [lost_by(game) for game in machines.games[1:]] == [{0}, {0}]


def test_a_report_with_a_wrong_size_is_dropped() -> None:
    with Machines(2) as machines:
        machines.play(SECOND)
        session = machines.sessions[0]
        for message in (WAITS, WAITS + bytes(4), WAITS + bytes(6)):
            with pytest.raises(DroppedMessage, match="malformed"):
                session._silent.receive(session._remotes[1], message)
        machines.sessions[1]._remotes[0].send_reliable(WAITS + bytes(7))
        machines.play(10)
        assert session.dropped["malformed"] == 1


def test_reports_that_arrived_over_an_earlier_connection_do_not_count() -> None:
    with Machines(3) as machines:
        machines.play(SECOND)
        session = machines.sessions[0]
        remote = session._remotes[1]
        session._silent.receive(remote, WAITS + bytes([50, 0, 0, 0, 0]))
        assert [session._silent._is_excused(1, tick) for tick in (50, 51)] == [False, True]
        current = remote.connection
        remote.connection = SimpleNamespace(state="lost")
        assert not session._silent._is_excused(1, 51)
        remote.connection = current
