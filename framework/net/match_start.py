"""Connect all the machines of a match to each other, and start the match.

The machines first exchange their `Status`. If the match is already running on another machine,
`Comeback` takes over from `MatchStart`, so that this machine's player can join.
"""

from __future__ import annotations

import os

from .lost_players import LostPlayers
from .match_history import MAX_PLAYERS
from .match_phase import MatchPhase
from .match_players import RemotePlayer, Remotes
from .predicted_ticks import PredictedTicks
from .rejoining import STATUS, Status

# A status is sent after this number of calls of `MatchStart.greet` (several calls per frame).
_REPEAT_EVERY = 5


class MatchStart:
    """Starts a match on this machine as soon as all players are connected to each other.

    Each machine sends a list of all programs to which it is connected. The match begins when the
    lists of all machines are equal. For example, if a player has restarted the game, the match
    waits until no machine is connected to the player's earlier program.

    A connection may end after the match has begun on other machines, but before it begins on this
    machine. In this case, this machine begins the match with the same programs, but without the
    lost connection.

    ``player`` is the index of the player on this machine.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        remotes: Remotes,
        phase: MatchPhase,
        ticks: PredictedTicks,
        lost: LostPlayers,
    ) -> None:
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._lost = lost
        self._program = int.from_bytes(os.urandom(4), "little") | 1
        # The programs of all players when the match started on this machine. Other machines may
        # start it later.
        self._programs_at_start: tuple[int, ...] | None = None
        self._repeats = 0

    # -- the status of each machine ----------------------------------------------------------------

    def greet(self, remote: RemotePlayer) -> None:
        """Send the status of this machine to a player who has connected. At the start of a match,
        this status is sent several times, because packets can get lost.
        """
        connection = remote.connection
        if connection is None or connection.state != "connected":
            return
        # A machine that has returned to an earlier tick has not begun its next match yet.
        begun = self._programs_at_start if self._phase.begun else None
        programs = begun or self._programs()
        has_begun = begun is not None
        status = Status(False, self._player, self._ticks.tick, programs, has_begun)
        before = remote.told_status
        is_starting = self._is_starting(remote)
        if before is None or (is_starting and before[3:] != status[3:]):
            remote.told_status = status
            connection.send_reliable(remote.told_status.to_bytes())
        elif is_starting:
            self._repeats += 1
            if self._repeats % _REPEAT_EVERY == 0:
                connection.send_unreliable(before.to_bytes())

    def _is_starting(self, remote: RemotePlayer) -> bool:
        is_first = self._phase.catch_up is None and self._ticks.first_tick == 1
        return is_first and not remote.input.known

    def _programs(self) -> tuple[int, ...]:
        """Return the numbers of the programs to which this machine is connected."""
        programs = [0] * MAX_PLAYERS
        programs[self._player] = self._program
        for player, remote in self._remotes.items():
            programs[player] = _program_of(remote)
        return tuple(programs)

    def is_status(self, message: bytes) -> bool:
        """Return whether an unreliable message is a `Status`. At the start of a match, players send
        their status several times.

        Before the match, a status and an input message have different first bytes. The first byte
        of an input message is 0 before the match, because its sender has not yet received any input
        from this player.
        """
        is_waiting = not self._phase.begun and self._phase.catch_up is None
        return message[:1] == STATUS and is_waiting

    def take_status(self, remote: RemotePlayer, message: bytes) -> None:
        """Store the status of a player's machine. During the match, the status is not needed."""
        if not self._phase.begun:
            remote.status = Status.from_bytes(message)

    # -- the players who are missing ---------------------------------------------------------------

    def missing(self) -> set[int]:
        """Return the players who are not connected or have not sent a status."""
        return {player for player, remote in self._remotes.items() if not _program_of(remote)}

    def separated(self) -> set[tuple[int, int]]:
        """Return the pairs of players who are not connected to each other, according to the last
        status of each player. A connection to an earlier program of a player does not count.
        """
        programs = self._programs()
        pairs = set()
        for player, remote in self._remotes.items():
            theirs = remote.status.programs if remote.connected and remote.status else programs
            for peer in [self._player, *self._remotes]:
                if peer != player and programs[peer] and theirs[peer] != programs[peer]:
                    pairs.add((min(player, peer), max(player, peer)))
        return pairs

    # -- the beginning -----------------------------------------------------------------------------

    def runs_elsewhere(self) -> bool:
        """Return whether another machine is already running the match."""
        return any(remote.runs for remote in self._remotes.values())

    def begin_if_complete(self) -> None:
        """Begin the match if all players are connected and no machine is already running the match.
        If it has just begun on another machine, begin with the same programs.
        """
        states = [each.status for each in self._remotes.values() if each.connected and each.status]
        was_played = self._ticks.tick or any(each.runs for each in states)
        if was_played or not states:
            return
        begun = self._begun_elsewhere(states)
        if begun is not None:
            self._begin(begun)
        elif not (self.missing() or self.separated() or any(each.last_tick for each in states)):
            self._begin(self._programs())

    def _begun_elsewhere(self, states: list[Status]) -> tuple[int, ...] | None:
        """Return the list of programs with which another machine has begun the match, or None. This
        list must contain the program of this machine.
        """
        for status in states:
            if status.has_begun and status.programs[self._player] == self._program:
                return status.programs
        return None

    def _begin(self, programs: tuple[int, ...]) -> None:
        for player, remote in self._remotes.items():
            if _program_of(remote) != programs[player]:
                self._lost.begin_without(remote)
        self._phase.catch_up = None
        self._phase.begun = True
        self._programs_at_start = programs
        self._ticks.begin()
        self._lost.take_early_reports()


def _program_of(remote: RemotePlayer) -> int:
    """Return the number of a player's program, or 0 if the player is not connected."""
    if not remote.connected or remote.status is None:
        return 0
    return remote.status.programs[remote.player]
