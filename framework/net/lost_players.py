"""Continue a match after the connection to a player was lost.

`LostPlayers.lose` is called when a connection has ended. The reaction depends on the phase of the
match:

- If the match has not started yet, this machine connects again, or waits for the player to connect
  again. If the other machine has refused the connection, the match cannot start.
- If the match is running, all machines that have lost the player first agree on the player's last
  input (see `Departures`). Then `LostPlayers` releases the keys that the player was holding, and
  the match continues without this player.

The player may rejoin later (see `ReturningPlayers`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from .connection import Connection
from .departures import Departures
from .dropped_message import DroppedMessage
from .match_history import TOO_LONG
from .match_phase import MatchPhase
from .match_players import RemotePlayer, Remotes, names_of
from .predicted_ticks import PredictedTicks

# Nanoseconds until a silent connection ends; see `LostPlayers.end_if_silent`.
_SILENCE = 1_000_000_000
# The maximum number of stored messages of each sender.
_MAX_EARLY_REPORTS = 16
# How the message ends if a player closes the game, and if an error ends the game.
_HAS_LEFT = "has left the match"
_HAS_FAILED = "has failed"


def farewell(player: int, failed: bool) -> str:
    """Return the text that the other players read after this player closes the game. ``failed`` is
    True if the game ends because of an error. In this case, the player will probably restart the
    game soon.
    """
    name = names_of([player]).capitalize()
    return f"{name} {_HAS_FAILED}" if failed else f"{name} {_HAS_LEFT}"


class LostPlayers:
    """Handles players to whom this machine has lost the connection.

    Parameters
    ----------
    player
        The index of the player on this machine.
    connect
        A function that starts a new connection to a player with a lower index.
    clock
        A function that returns the current time in nanoseconds, from the clock of the network link.
    dropped
        The number of dropped messages, by the reason for which they were dropped.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        remotes: Remotes,
        phase: MatchPhase,
        ticks: PredictedTicks,
        connect: Callable[[RemotePlayer], Connection],
        clock: Callable[[], int],
        dropped: Counter[str],
    ) -> None:
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._connect = connect
        self._clock = clock
        self._dropped = dropped
        # For each sender: messages about players who have left that arrived before this player took
        # part.
        self._early_reports: dict[int, list[bytes]] = {}
        self.restart()

    def restart(self) -> None:
        """Clear the list of players who have left, because the input of all players now starts at a
        different tick.
        """
        self.departures = Departures(
            self._player,
            {player: remote.input for player, remote in self._remotes.items()},
            lambda player, message: self._remotes[player].send_reliable(message),
            lambda player, tick, events: self._ticks.add_known(self._remotes[player], tick, events),
            self._end_player,
            lambda player: self._remotes[player].delay,
        )

    # -- connections that end ----------------------------------------------------------------------

    def lose(self, remote: RemotePlayer, connection: Connection) -> None:
        """Called when the connection to a player has ended."""
        remote.connection = remote.status = remote.told_status = None
        self._early_reports.pop(remote.player, None)
        if connection.state == "refused":
            self._phase.reason = connection.reason
            remote.gone = True
        elif not self._phase.takes_part:
            remote.is_too_long = connection.reason == TOO_LONG
            if remote.player < self._player:
                # The other machine was not yet ready to accept the connection.
                remote.connection = self._connect(remote)
        else:
            remote.has_closed = connection.reason.endswith(_HAS_LEFT)
            self._give_up(remote, has_closed=_was_closed(connection))

    def end_if_silent(self, remote: RemotePlayer, connection: Connection) -> None:
        """If all other machines have lost this player, close a silent connection early. Their
        reports may be false, so this machine also checks that its own connection is silent.
        """
        if not self.departures.is_lost_elsewhere(remote.player):
            return
        if self._clock() - connection.last_received_ns >= _SILENCE:
            connection.close("the other players have lost the connection")

    def begin_without(self, remote: RemotePlayer) -> None:
        """Take part in the match without a connection to a player, whose input another machine may
        forward.
        """
        if remote.connection is not None:
            remote.connection.close("the match has begun")
        remote.connection = remote.status = remote.told_status = None
        self._give_up(remote)

    def _give_up(self, remote: RemotePlayer, *, has_closed: bool = False) -> None:
        """Treat a player as lost, so that the machines agree on the player's last input."""
        self.departures.lose(remote.player, has_closed=has_closed)
        self._ticks.states.forget(remote.player)

    # -- the last input of a player ----------------------------------------------------------------

    def settle(self) -> None:
        """Agree with the other machines on the last input of the players who have left. While this
        machine is entering the match, it also sends its reports, because the other machines are
        waiting for them.
        """
        if not self._phase.is_catching_up:
            self.departures.settle(is_entering=self._phase.is_entering)
            for player, (machine, delay) in self.departures.delays.items():
                self._remotes[player].forwarded_delay = self._remotes[machine].delay + delay

    def _end_player(self, player: int) -> None:
        """Release all keys of a player who has left, and continue the match without this player."""
        remote = self._remotes[player]
        remote.gone = True
        self.departures.delays.pop(player, None)
        remote.forwarded_delay = 0.0
        remote.gone_ns = self._clock()
        self._ticks.release_keys(remote)

    # -- messages of other machines ----------------------------------------------------------------

    def take(self, remote: RemotePlayer, message: bytes) -> None:
        """Handle a message about a player who has left. If this machine does not take part in the
        match yet, store the message.
        """
        if self._phase.takes_part:
            self.departures.receive(remote.player, message)
        else:
            early = self._early_reports.setdefault(remote.player, [])
            if len(early) < _MAX_EARLY_REPORTS:
                early.append(message)

    def take_early_reports(self) -> None:
        """Handle the stored messages about players who have left."""
        for sender, messages in self._early_reports.items():
            for message in messages:
                try:
                    self.departures.receive(sender, message)
                except DroppedMessage as dropped:
                    self._dropped[dropped.reason] += 1
        self._early_reports.clear()

    def forget_early_reports(self) -> None:
        """Delete the stored messages about players who have left."""
        self._early_reports.clear()


def _was_closed(connection: Connection) -> bool:
    """Return whether the player's game has ended, on purpose or because of an error. If it has not,
    only the connection was lost, and the player may be continuing with other players.
    """
    return connection.state == "closed" and connection.reason.endswith((_HAS_LEFT, _HAS_FAILED))
