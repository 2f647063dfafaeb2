"""Match start: the machines of a match meet, and begin to play when each has met all others.

Each machine sends its `Status` to each other machine. If the match runs on one of them already, this
machine comes back into the match (see `Comeback`).
"""

from __future__ import annotations

from typing import Protocol

from .match_phase import MatchPhase
from .match_players import RemotePlayer, Remotes
from .rejoining import STATUS, CatchUp, Status


class Lost(Protocol):
    """The methods of `LostPlayers` that are used here."""

    def reported_lost(self) -> set[int]: ...
    def begin_without(self, remote: RemotePlayer) -> None: ...
    def take_early_reports(self) -> None: ...


class Ticks(Protocol):
    """The attributes of `PredictedTicks` that are used here."""

    tick: int
    first_tick: int

    def begin(self) -> None: ...


class MatchStart:
    """The start of a match on this machine, until all players are connected. ``player`` is the index
    of the player at this machine.
    """

    not_state = True

    def __init__(
        self, player: int, remotes: Remotes, phase: MatchPhase, ticks: Ticks, lost: Lost
    ) -> None:
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._lost = lost

    def greet(self, remote: RemotePlayer) -> None:
        """Send the status of this machine to a player who has connected. Repeat the status at the
        start of a match, so that the match begins soon although packets are lost.
        """
        connection = remote.connection
        if connection is None:
            return
        if connection.state == "connected" and remote.told_status is None:
            remote.told_status = Status(False, self._player, self._ticks.tick)
            connection.send_reliable(remote.told_status.to_bytes())
        elif remote.told_status is not None and self._is_starting(remote):
            connection.send_unreliable(remote.told_status.to_bytes())

    def _is_starting(self, remote: RemotePlayer) -> bool:
        is_first = self._phase.catch_up is None and self._ticks.first_tick == 1
        return is_first and not remote.input.known

    def is_status(self, message: bytes) -> bool:
        """Return whether an unreliable message is the repeated status of a player.

        Before the match begins, no input can be mistaken for a status. The first byte of an input
        message is then 0, because the sender has not received input of this player.
        """
        is_waiting = not self._phase.begun and self._phase.catch_up is None
        return message[:1] == STATUS and is_waiting

    def take_status(self, remote: RemotePlayer, message: bytes) -> bool:
        """Store the status of a player's machine. Return False if the message is invalid."""
        if self._phase.begun:
            return True
        remote.status = Status.from_bytes(message)
        return remote.status is not None

    def missing(self) -> set[int]:
        """Return the players without a connection or a status."""
        return {
            player
            for player, remote in self._remotes.items()
            if not (remote.connected and remote.status)
        }

    def begin_if_complete(self) -> None:
        """Begin the match if all players are there. If the match runs elsewhere already, begin to
        catch up.
        """
        phase = self._phase
        states = [each.status for each in self._remotes.values() if each.connected and each.status]
        runs_elsewhere = any(status.runs for status in states)
        if phase.catch_up is None and runs_elsewhere:
            phase.catch_up = CatchUp(len(self._remotes) + 1, self._ticks.tick)
            return
        was_played = self._ticks.tick or any(status.last_tick for status in states)
        if was_played or runs_elsewhere or not states:
            return
        missing = self.missing()
        if missing <= self._lost.reported_lost():
            for player in sorted(missing):
                self._lost.begin_without(self._remotes[player])
            phase.catch_up = None
            phase.begun = True
            self._ticks.begin()
            self._lost.take_early_reports()
