"""Players who leave a match: false reports remove no player, and input is forwarded."""

from __future__ import annotations

import itertools
import random
import struct
from typing import Any

import pytest
from matches import Machines

import framework as fw
from framework.net.departures import KINDS, Departures, _is_smaller
from framework.net.dropped_message import DroppedMessage
from framework.net.match_input import PlayerInput
from framework.net.rejoining import RETURN, pack_player_tick, pack_relayed

NEAR = fw.Conditions(latency=0.02, jitter=0.01, loss=0.02, seed=5)


def forged(kind: bytes, sender: int, player: int, first: int, ticks: int) -> bytes:
    """Return a departure message that claims that ``player`` has pressed a key."""
    own = PlayerInput()
    for tick in range(first, first + ticks):
        own.add(tick, (("on_key_press", fw.key.LEFT, 0),) if tick == first else ())
    last = first + ticks - 1
    packed = own.packed(first)
    if kind == b"f":
        return kind + struct.pack("<BIB", player, last, 0) + packed
    head = struct.pack("<cBI5B", kind, sender, 1000 + first, 1 << sender, 0, 0, 1 << player, 0)
    return head + struct.pack("<IH", last, len(packed)) + packed


@pytest.mark.parametrize("attacker", [0, 2])
def test_a_player_cannot_remove_another_player(attacker: int) -> None:
    with Machines(3, conditions=NEAR) as match:
        match.play(30)
        victim, witness = (1, 2) if attacker == 0 else (1, 0)
        for _ in range(20):
            for kind in KINDS:
                known = match.sessions[witness]._remotes[victim].input.known
                assert known < 1000, "the victim is gone"
                message = forged(kind, attacker, victim, known + 1, 5)
                match.sessions[attacker]._remotes[witness].send_reliable(message)
            match.play(3)
            match.sessions[attacker]._remotes[witness].send_reliable(
                forged(b"l", victim, witness, known + 1, 5)  # the false report is about the victim
            )
        assert match.sessions[witness].dropped["late"] >= 20
        assert [session.waiting_for for session in match.sessions] == [()] * 3
        before = match.games[witness].places[victim]
        match.play(30)
        assert match.games[witness].places[victim] != before
        match.finish()


def test_machines_without_a_connection_play_on_over_a_third_machine() -> None:
    with Machines(3, conditions=NEAR, timeout=0.5) as match:
        match.play(30)
        match.cut(0, 1)
        match.play(60)
        assert [session.waiting_for for session in match.sessions] == [(1,), (0,), ()]
        before = min(game.tick for game in match.games)
        match.play(100)
        assert min(game.tick for game in match.games) > before + 85
        places = [game.places[:] for game in match.games]
        assert all(0 not in each for each in places)
        match.finish()


def test_a_forwarded_player_who_leaves_is_removed_everywhere() -> None:
    with Machines(3, conditions=NEAR, timeout=0.5) as match:
        match.play(30)
        match.cut(0, 1)
        match.play(90)
        match.kill(1)
        match.play(90)
        assert [game.session.waiting_for for game in (match.games[0], match.games[2])] == [(1,)] * 2
        before = match.games[0].tick
        match.play(30)
        assert match.games[0].tick >= before + 28
        match.finish()


@pytest.mark.parametrize("kills", [False, True])
def test_machines_in_a_chain_agree(kills: bool) -> None:
    """Player 0 reaches 1, 1 reaches 3, and 3 reaches 2, so input passes over two machines."""
    with Machines(4, conditions=NEAR, timeout=0.3, input_delay=1) as match:
        match.play(40)
        match.cut(0, 2)
        match.cut(0, 3)
        match.play(45)
        match.cut(1, 2)
        match.play(10)
        if kills:
            match.kill(2)
        match.play(60)
        positions = [game.places[2] for game in match.games if game is not None]
        match.play(60)
        games = [game for game in match.games if game is not None]
        moved = [
            game.places[2] != position for game, position in zip(games, positions, strict=True)
        ]
        assert moved == [not kills] * len(games)
        assert len(games) == 4 - kills
        match.finish()


def test_the_smaller_part_of_a_match_waits_and_comes_back() -> None:
    with Machines(4, conditions=NEAR, timeout=0.3) as match:
        match.play(40)
        for first in (0, 2):
            for second in (1, 3):
                match.cut(first, second)
        match.play(60)
        text = "No connection to {}. The match may go on without this player"
        assert match.sessions[1].status == match.sessions[3].status
        assert match.sessions[3].status == text.format("player 1 and player 3")
        before = [game.tick for game in match.games]
        match.play(30)
        after = [game.tick for game in match.games]
        assert (after[1], after[3]) == (before[1], before[3])
        assert min(after[0] - before[0], after[2] - before[2]) >= 29
        for first in (0, 2):
            for second in (1, 3):
                match.cut(first, second, 0.0)
        match.play(300)
        assert not any(session.status or session.waiting_for for session in match.sessions)
        match.finish()


def test_of_two_players_neither_waits_for_the_other() -> None:
    assert not any(_is_smaller({player}, {1 - player}) for player in (0, 1))
    assert _is_smaller({0}, {1, 2})
    assert _is_smaller({2, 3}, {0, 1})
    assert not _is_smaller({0, 3}, {1, 2})
    assert not _is_smaller({3}, set())


def test_a_new_leader_sends_the_last_input_of_players_who_left() -> None:
    """The first leader leaves when only one of the other machines has its message."""
    with Machines(4, conditions=NEAR, timeout=0.5, input_delay=0) as match:
        match.play(30)
        match.kill(3)
        for _ in range(200):
            match.play(1)
            if match.sessions[0]._lost.departures._ended:
                break
        match.kill(0)
        match.play(120)
        before = match.games[1].tick
        match.play(30)
        assert match.games[1].tick >= before + 28
        match.finish()


class Agreement:
    """`Departures` of three machines, 0 to 2, that have lost player 3."""

    def __init__(self) -> None:
        self.messages: list[tuple[int, int, bytes]] = []
        self.inputs = {machine: PlayerInput() for machine in range(3)}
        self.ended: dict[int, int] = {}
        self.machines = {machine: self.new(machine) for machine in range(3)}

    def new(self, machine: int, connected: set[int] | None = None) -> Departures:
        def send(receiver: int, message: bytes) -> None:
            self.messages.append((machine, receiver, message))

        inputs = {player: PlayerInput() for player in range(3) if player != machine}
        own = self.inputs[machine]
        departures = Departures(
            machine,
            {**inputs, 3: own},
            send,
            lambda player, tick, events: own.add(tick, events),
            lambda player: self.ended.update({machine: own.known}),
        )
        departures.lose(3)
        return departures

    def add(self, machine: int, last: int, count: int = 1) -> None:
        """Add ticks with ``count`` mouse motions each."""
        own = self.inputs[machine]
        for tick in range(own.known + 1, last + 1):
            motion = ("on_mouse_motion", tick / 2, tick * 3.0, 1.0, 1.0)
            own.add(tick, (motion, ("on_key_press", tick, 0)) * count)

    def settle(self, entering: int | None = None) -> None:
        for _ in range(4):
            for machine, departures in self.machines.items():
                departures.settle(is_entering=machine == entering)
            messages = self.messages
            self.messages = []
            for sender, receiver, message in messages:
                self.machines[receiver].receive(sender, message)


def test_reports_with_much_input_have_the_newest_ticks() -> None:
    """The input of 127 ticks with mouse motions is too long for one message."""
    agreement = Agreement()
    for machine, last in ((0, 290), (1, 300), (2, 295)):
        agreement.add(machine, last, count=20)
    agreement.settle()
    assert agreement.ended == {0: 300, 1: 300, 2: 300}
    assert [own.at(299) for own in agreement.inputs.values()] == [agreement.inputs[1].at(299)] * 3


@pytest.mark.parametrize("entering", [0, 2])
def test_a_machine_that_enters_reports_only_ticks_that_it_has(entering: int) -> None:
    agreement = Agreement()
    agreement.inputs[entering] = PlayerInput(330)
    agreement.machines[entering] = agreement.new(entering)
    others = [machine for machine in range(3) if machine != entering]
    for machine, last in zip(others, (300, 302), strict=True):
        agreement.add(machine, last)
    agreement.settle(entering)
    assert agreement.ended == dict.fromkeys(others, 302)
    assert agreement.inputs[others[0]].at(301) == agreement.inputs[others[1]].at(301) != ()
    agreement.settle()
    assert agreement.ended[entering] == 330


def test_a_leader_that_entered_after_a_player_left_helps_the_other_machines() -> None:
    agreement = Agreement()
    agreement.machines[0] = agreement.new(0)
    agreement.machines[0].end(3)
    agreement.add(1, 90)
    agreement.add(2, 92)
    agreement.settle()
    assert agreement.ended == {1: 92, 2: 92}


def test_a_machine_without_a_link_to_the_leader_gets_the_result_from_others() -> None:
    agreement = Agreement()
    for machine, last in ((0, 50), (1, 52), (2, 51)):
        agreement.add(machine, last)
    agreement.machines[0].lose(2)
    agreement.machines[2].lose(0)
    agreement.settle()
    assert {*agreement.ended.values()} == {52}


def test_relayed_messages_count_only_from_the_machine_that_forwards_the_input() -> None:
    with Machines(3, conditions=NEAR, timeout=0.3) as match:
        match.play(30)
        session = match.sessions[2]
        carrier = session._remotes[1]
        content = pack_player_tick(RETURN, 0, 40)
        for message in (
            b"o",
            b"o" + content,
            pack_relayed(0, 2, content),  # this machine is connected to player 0
            pack_relayed(9, 2, content),
            pack_relayed(0, 1, content),  # the carrier is not the sender
            pack_relayed(1, 7, content),
            pack_relayed(1, 1, content),
            pack_relayed(1, 0, pack_relayed(1, 0, content)),
            pack_relayed(1, 0, content + bytes(100)),
        ):
            with pytest.raises(DroppedMessage, match=r"malformed|late"):
                session._handle_rejoining(carrier, message)
        session._handle_rejoining(carrier, pack_relayed(1, 0, content))
        match.play(10)
        assert match.sessions[0].dropped == {"late": 1}
        match.finish()


def test_input_that_a_machine_never_received_is_not_forwarded() -> None:
    own = PlayerInput(330)
    sent: list[bytes] = []
    departures = Departures(
        0,
        {1: PlayerInput(330), 2: own},
        lambda player, message: sent.append(message),
        print,
        print,
    )
    departures.receive(1, forged(b"l", 1, 2, 290, 10))
    departures.settle()
    assert departures.lacks_input
    assert [message[:1] for message in sent] == [b"l", b"l"]
    departures.lose(2)  # soon after the other machines
    departures.settle()
    assert not departures.lacks_input


class Group:
    """`Departures` of four machines that lose each other at random. Messages take a random time."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.connected = {frozenset(pair) for pair in itertools.combinations(range(4), 2)}
        self.waiting: dict[tuple[int, int], list[bytes]] = {}
        self.inputs = {
            machine: {player: PlayerInput() for player in range(4) if player != machine}
            for machine in range(4)
        }
        self.ends: dict[tuple[int, int], int] = {}
        self.machines = {machine: self.new(machine) for machine in range(4)}

    def new(self, machine: int) -> Departures:
        inputs = self.inputs[machine]

        def send(receiver: int, message: bytes) -> None:
            self.waiting.setdefault((machine, receiver), []).append(message)

        return Departures(
            machine,
            inputs,
            send,
            lambda player, tick, events: inputs[player].add(tick, events),
            lambda player: self.ends.update({(machine, player): inputs[player].known}),
        )

    def lose(self, machine: int, other: int) -> None:
        """Disconnect ``machine`` from ``other``: messages from ``other`` under way are lost."""
        self.machines[machine].lose(other)
        self.waiting.pop((other, machine), None)

    def run(self, steps: int, settled: bool = False) -> None:
        dice = self.dice
        for _ in range(steps):
            for pair in [*self.waiting]:
                messages = self.waiting[pair]
                if messages and (settled or dice.random() < 0.5):
                    self.machines[pair[1]].receive(pair[0], messages.pop(0))
            for machine in self.machines.values():
                if settled or dice.random() < 0.7:
                    machine.settle()

    def connected_to(self, start: int) -> frozenset[int]:
        machines = {start}
        for _ in range(4):
            machines |= {other for pair in self.connected for other in pair if pair & machines}
        return frozenset(machines)


@pytest.mark.parametrize("first_seed", range(0, 200, 50))
def test_connected_machines_end_players_at_the_same_tick(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 50):
        group = Group(seed)
        dice = group.dice
        for inputs in group.inputs.values():
            for player, own in inputs.items():
                for tick in range(1, dice.randint(20, 26)):
                    own.add(tick, (("on_key_press", player * 100 + tick, 0),))
        for pair in dice.sample(sorted(map(sorted, group.connected)), dice.randint(2, 6)):
            group.connected.discard(frozenset(pair))
            for machine, other in dice.sample([pair, pair[::-1]], 2):
                group.lose(machine, other)
                group.run(dice.randint(0, 4))
        group.run(40, settled=True)
        for machine in range(4):
            members = group.connected_to(machine)
            ended = {player for other, player in group.ends if other == machine}
            assert ended == {0, 1, 2, 3} - members, seed
            cut_off = {group.machines[member].is_cut_off for member in members}
            assert len(cut_off) == 1, (seed, members)
            for player in ended:
                ends = {group.ends[member, player] for member in members}
                assert len(ends) == 1, (seed, members, player)


# -- direct paths ----------------------------------------------------------------------------------


def lost_pair(players: int = 3, timeout: float = 0.5, **options: Any) -> Machines:
    """Return a match in which players 0 and 1 have lost each other.

    The machines notice it after half a second. From then on, ``timeout`` applies.
    """
    match = Machines(players, conditions=NEAR, timeout=0.5, **options)
    match.play(30)
    match.cut(0, 1)
    match.play(75)
    match.timeout = timeout
    for session in match.sessions:
        session._endpoint._timeout_ns = round(timeout * 1e9)
    assert [session.waiting_for for session in match.sessions[:2]] == [(1,), (0,)]
    return match


@pytest.mark.parametrize("players", [3, 4])
def test_two_players_who_lost_each_other_connect_again(players: int) -> None:
    with lost_pair(players) as match:
        match.cut(0, 1, loss=0.05)
        match.play(300)
        assert [session.waiting_for for session in match.sessions] == [()] * players
        assert not any(session._lost.departures.lost for session in match.sessions)
        assert not any(session._lost.departures._forwarded for session in match.sessions)
        stalls = [session.stats.stalls for session in match.sessions]
        match.play(120)
        assert [session.stats.stalls for session in match.sessions] == stalls
        # The states are compared again.
        checks = match.sessions[0]._ticks.states
        assert set(checks._players) == set(range(1, players))
        assert match.games[0].tick - checks.agreed < 60
        assert checks._since[1] <= checks.agreed
        match.cut(0, 2)  # player 1 forwards now
        match.play(90)
        assert [session.waiting_for for session in match.sessions[:3]] == [(2,), (), (0,)]
        match.finish()


def test_a_bad_path_is_not_used_and_attempts_become_rare() -> None:
    with lost_pair() as match:
        match.cut(0, 1, loss=0.7)
        connects = 0
        connect = match.sessions[1]._direct._connect

        def counted(remote: Any) -> Any:
            nonlocal connects
            connects += 1
            return connect(remote)

        match.sessions[1]._direct._connect = counted
        stalls = max(session.stats.stalls for session in match.sessions)
        match.play(900)
        assert 2 <= connects <= 3  # after 2, 4 and 8 seconds
        assert [session.waiting_for for session in match.sessions] == [(1,), (0,), ()]
        assert max(session.stats.stalls for session in match.sessions) - stalls < 500
        match.finish()


def test_a_new_path_that_breaks_again_ends_after_a_second() -> None:
    with lost_pair(timeout=5) as match:
        match.cut(0, 1, loss=0)
        match.play(300)
        assert not match.sessions[0].waiting_for
        match.cut(0, 1)
        before = [game.tick for game in match.games]
        match.play(150)
        assert min(game.tick - tick for game, tick in zip(match.games, before, strict=True)) > 70
        assert match.sessions[0].waiting_for == (1,)
        assert match.sessions[1]._direct._pauses[0] == 8_000_000_000
        match.cut(0, 1, loss=0)
        match.play(450)
        assert not match.sessions[0].waiting_for
        match.sessions[1]._direct._new_since_ns[0] -= 60_000_000_000
        match.play(1)
        assert not match.sessions[1]._direct._pauses
        match.finish()


@pytest.mark.parametrize(("stopped", "begins"), [(0, 100), (1, 208), (2, 215)])
def test_a_machine_that_stops_for_three_seconds_does_no_harm(stopped: int, begins: int) -> None:
    with lost_pair(timeout=4) as match:
        match.cut(0, 1, loss=0.05)
        match.play(begins)
        match.play(180, stopped=[stopped])
        match.play(240)
        assert [session.waiting_for for session in match.sessions] == [()] * 3
        match.finish()


def test_a_player_who_leaves_during_the_trial_is_removed() -> None:
    with lost_pair() as match:
        match.cut(0, 1, loss=0)
        match.play(200)
        assert 0 in match.sessions[1]._direct._trials
        match.kill(1)
        match.play(120)
        assert not match.sessions[0]._direct._trials
        match.start(1)
        match.play(300)
        assert [session.waiting_for for session in match.sessions] == [()] * 3
        match.finish()


def test_another_program_cannot_take_the_direct_path_of_a_player() -> None:
    with lost_pair() as match:
        session = match.sessions[0]
        admission = session._admission
        own, other = (each._admission.token for each in match.sessions[1:])
        program = own[:7] + bytes(8)
        assert admission.admit("machine 1", own) is None
        assert admission.admit("machine 1", program) == ""  # it must wait until the player has left
        # The connection of player 2 works.
        assert admission.admit("machine 2", other) in ("", "player 3 is in the match already")


@pytest.mark.parametrize("message", [b"b", b"b" + bytes(12), b"b" + b"\xff" * 12, b"x", b"h" * 17])
def test_a_forged_message_ends_the_trial(message: bytes) -> None:
    with lost_pair() as match:
        match.cut(0, 1, loss=0)
        match.play(200)
        trial = match.sessions[1]._direct._trials[0]
        trial.has_sent = True
        trial.connection.send_reliable(message)
        match.play(120)
        for session in match.sessions[:2]:
            assert session.waiting_for
        match.play(300)  # the second trial, two seconds later, succeeds
        assert [session.waiting_for for session in match.sessions] == [()] * 3
        match.finish()


def test_the_input_delay_counts_the_way_over_other_machines() -> None:
    """Packets from player 0 to player 1 need 12 ticks over player 2, and 6 ticks to player 2."""
    with Machines(3, conditions=fw.Conditions(latency=0.05), timeout=0.5) as match:
        match.play(30)
        match.cut(0, 1)
        match.play(300)
        assert [session.waiting_for for session in match.sessions] == [(1,), (0,), ()]
        assert [session.input_delay for session in match.sessions] == [4, 4, 2]
        pings = [session.stats.ping for session in match.sessions]
        assert 0.2 < pings[0] < 0.3
        assert 0.1 < pings[2] < 0.15
        match.finish()
