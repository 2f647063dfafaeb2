"""The end of a connection to a player: before a match, and during a match."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from framework.net.lost_players import LostPlayers, farewell
from framework.net.match_phase import MatchPhase
from framework.net.match_players import NO_END, RemotePlayer, names_of
from framework.net.match_start import MatchStart
from framework.net.predicted_ticks import PredictedTicks
from framework.net.rejoining import Status


class Parts:
    """The `LostPlayers` of player 1 of three, with other parts that only record calls."""

    def __init__(self) -> None:
        self.remotes = {0: RemotePlayer(0), 2: RemotePlayer(2)}
        self.phase = MatchPhase()
        self.forgotten: list[int] = []
        self.connects: list[int] = []
        self.dropped: Counter[str] = Counter()
        delay: Any = SimpleNamespace(ticks=2)
        stats: Any = SimpleNamespace()
        self.ticks = PredictedTicks(1, self.remotes, delay, 8, lambda *_: None, stats)
        self.ticks.states = SimpleNamespace(forget=self.forgotten.append)  # type: ignore[assignment]
        self.lost = LostPlayers(
            1, self.remotes, self.phase, self.ticks, self.connect, lambda: 7, self.dropped
        )

    def connect(self, remote: RemotePlayer) -> Any:
        self.connects.append(remote.player)
        return self.connection("connecting")

    @staticmethod
    def connection(state: str, reason: str = "") -> Any:
        return SimpleNamespace(state=state, reason=reason)

    def lose(self, player: int, state: str, reason: str = "") -> RemotePlayer:
        remote = self.remotes[player]
        connection = self.connection(state, reason)
        remote.connection = connection
        self.lost.lose(remote, connection)
        return remote


@pytest.mark.parametrize(("player", "connects"), [(0, [0]), (2, [])])
def test_before_the_match_only_players_with_a_lower_index_are_connected_again(
    player: int, connects: list[int]
) -> None:
    parts = Parts()
    remote = parts.lose(player, "lost")
    assert parts.connects == connects
    assert (remote.connection is None, remote.gone) == (not connects, False)


def test_a_refusal_ends_the_match() -> None:
    parts = Parts()
    remote = parts.lose(0, "refused", "another game")
    assert (parts.phase.reason, remote.gone, parts.connects) == ("another game", True, [])


def test_during_the_match_the_keys_are_released_when_all_machines_agree() -> None:
    parts = Parts()
    parts.phase.begun = True
    first, third = parts.remotes.values()
    parts.ticks.add_known(third, 1, (("on_key_press", 97, 0),))
    parts.lose(2, "lost", farewell(2, failed=True))
    parts.lose(0, "closed", farewell(0, failed=False))
    assert (parts.forgotten, third.has_closed, first.has_closed) == ([2, 0], False, True)
    assert not third.gone
    parts.lost.settle()  # no other machine must agree
    assert (third.gone, third.gone_ns, third.input.known) == (True, 7, NO_END)
    assert third.input.at(2) == (("on_key_release", 97, 0),)


def test_messages_number_players_from_one() -> None:
    assert names_of([1, 2]) == "player 2 and player 3"
    assert farewell(0, failed=True) == "Player 1 has failed"


def test_a_match_does_not_begin_if_two_machines_use_different_programs() -> None:
    """Player 3 has started again, and player 1 has already begun with the earlier program."""
    parts = Parts()
    start = MatchStart(1, parts.remotes, parts.phase, parts.ticks, parts.lost)
    closed: list[str] = []
    for remote in parts.remotes.values():
        remote.connection = SimpleNamespace(state="connected", close=closed.append)  # type: ignore[assignment]
    first, third = parts.remotes.values()
    first.status = Status(False, 0, 0, (10, start._program, 30, 0))
    third.status = Status(False, 2, 0, (10, start._program, 31, 0))
    start.begin_if_complete()
    assert (parts.phase.begun, start.separated()) == (False, {(0, 2)})
    first.status = first.status._replace(has_begun=True)
    start.begin_if_complete()
    assert (parts.phase.begun, closed) == (True, ["the match has begun"])
    assert (parts.lost.departures.lost, parts.dropped) == ({2}, {})


def test_a_match_begins_when_all_machines_know_the_same_programs() -> None:
    parts = Parts()
    start = MatchStart(1, parts.remotes, parts.phase, parts.ticks, parts.lost)
    for remote in parts.remotes.values():
        remote.connection = parts.connection("connected")
    for known in ((10, 0, 30, 0), (10, start._program, 30, 0)):
        assert not parts.phase.begun
        for player, remote in parts.remotes.items():
            remote.status = Status(False, player, 0, known)
        start.begin_if_complete()
    assert parts.phase.begun
