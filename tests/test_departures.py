"""Players who leave a match: false reports drop nobody, and input is forwarded."""

from __future__ import annotations

import struct

import pytest
from matches import Machines

import framework as fw
from framework.net.departures import KINDS, Departures
from framework.net.match_input import PlayerInput
from framework.net.rejoining import RETURN, pack_player_tick, pack_relayed

NEAR = fw.Conditions(latency=0.02, jitter=0.01, loss=0.02, seed=5)


def forged(kind: bytes, sender: int, player: int, first: int, ticks: int) -> bytes:
    """Return a message of a departure that says that ``player`` has pressed a key."""
    own = PlayerInput()
    for tick in range(first, first + ticks):
        own.add(tick, (("on_key_press", fw.key.LEFT, 0),) if tick == first else ())
    last, packed = first + ticks - 1, own.packed(first)
    if kind == b"f":
        return kind + struct.pack("<BI", player, last) + packed
    head = struct.pack("<cBIBBBB", kind, sender, 1000 + first, 1 << sender, 0, 0, 1 << player)
    return head + struct.pack("<IH", last, len(packed)) + packed


@pytest.mark.parametrize("attacker", [0, 2])
def test_no_player_can_drop_another_one(attacker: int) -> None:
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
                forged(b"l", victim, witness, known + 1, 5)  # in the name of the victim
            )
        assert match.sessions[witness].dropped["malformed"] >= 20
        assert [session.waiting_for for session in match.sessions] == [()] * 3
        before = match.games[witness].places[victim]
        match.play(30)
        assert match.games[witness].places[victim] != before
        match.finish()


def test_two_machines_that_lose_each_other_play_on_over_the_third() -> None:
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


def test_a_forwarded_player_who_leaves_is_gone_for_all() -> None:
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


def test_a_new_leader_sends_the_last_input_of_those_who_have_left() -> None:
    """The first leader leaves after it has told only one of the others."""
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
            messages, self.messages = self.messages, []
            for sender, receiver, message in messages:
                assert self.machines[receiver].receive(sender, message)


def test_reports_with_much_input_have_the_newest_ticks() -> None:
    """The input of 127 ticks with mouse motions does not fit into one message."""
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
    rest = [machine for machine in range(3) if machine != entering]
    for machine, last in zip(rest, (300, 302), strict=True):
        agreement.add(machine, last)
    agreement.settle(entering)
    assert agreement.ended == dict.fromkeys(rest, 302)
    assert agreement.inputs[rest[0]].at(301) == agreement.inputs[rest[1]].at(301) != ()
    agreement.settle()
    assert agreement.ended[entering] == 330


def test_a_leader_that_came_after_a_player_had_left_helps_the_others() -> None:
    agreement = Agreement()
    agreement.machines[0] = agreement.new(0)
    agreement.machines[0].end(3)
    agreement.add(1, 90)
    agreement.add(2, 92)
    agreement.settle()
    assert agreement.ended == {1: 92, 2: 92}


def test_a_machine_without_a_connection_to_the_leader_gets_the_result_of_another_one() -> None:
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
            assert not session._handle_rejoining(carrier, message)
        assert session._handle_rejoining(carrier, pack_relayed(1, 0, content))
        match.play(10)
        assert match.sessions[0].dropped["malformed"] == 1
        match.finish()


def test_input_that_a_machine_never_had_is_not_forwarded() -> None:
    own = PlayerInput(330)
    sent: list[bytes] = []
    departures = Departures(
        0,
        {1: PlayerInput(330), 2: own},
        lambda player, message: sent.append(message),
        print,
        print,
    )
    assert departures.receive(1, forged(b"l", 1, 2, 290, 10))
    departures.settle()
    assert departures.lacks_input
    assert [message[:1] for message in sent] == [b"l", b"l"]
    departures.lose(2)  # soon after the others
    departures.settle()
    assert not departures.lacks_input
