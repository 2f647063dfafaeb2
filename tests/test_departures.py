"""Players who leave a match: false reports drop nobody, and input is forwarded."""

from __future__ import annotations

import struct

import pytest
from matches import Machines

import framework as fw
from framework.net.departures import KINDS
from framework.net.match_input import PlayerInput

NEAR = fw.Conditions(latency=0.02, jitter=0.01, loss=0.02, seed=5)


def forged(kind: bytes, player: int, first: int, ticks: int) -> bytes:
    """Return a message of a departure that says that ``player`` has pressed a key."""
    own = PlayerInput()
    for tick in range(first, first + ticks):
        own.add(tick, (("on_key_press", fw.key.LEFT, 0),) if tick == first else ())
    return kind + struct.pack("<BI", player, first + ticks - 1) + own.packed(first)


@pytest.mark.parametrize("attacker", [0, 2])
def test_no_player_can_drop_another_one(attacker: int) -> None:
    with Machines(3, conditions=NEAR) as match:
        match.play(30)
        victim, witness = (1, 2) if attacker == 0 else (1, 0)
        for _ in range(20):
            for kind in KINDS:
                known = match.sessions[witness]._remotes[victim].input.known
                assert known < 1000, "the victim is gone"
                message = forged(kind, victim, known + 1, 5)
                match.sessions[attacker]._remotes[witness].send_reliable(message)
            match.play(3)
        assert match.sessions[witness].dropped["malformed"] >= 40
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
