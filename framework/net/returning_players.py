"""Let other players rejoin a match that has continued on this machine.

When a player who has left the match connects again, this machine sends the match's final input to
the player (see `Returns`). The leader (the machine with the lowest index) chooses the first tick in
which the player takes part again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from .connection import Connection
from .dropped_message import DroppedMessage
from .lost_players import LostPlayers
from .match_history import TOO_LONG, MatchHistory
from .match_input import MAX_TICKS
from .match_phase import MatchPhase
from .match_players import RemotePlayer, Remotes
from .pacing import TimeDifference
from .predicted_ticks import PredictedTicks
from .rejoining import AGREED, Returns, Status, pack_player_tick, pack_relayed, pack_return

_KNOCK_AGAIN = 2_000_000_000  # nanoseconds between two attempts to connect to a player who has left


class ReturningPlayers:
    """Brings other players back into this machine's match.

    Parameters
    ----------
    player
        The index of the player on this machine.
    connect
        A function that starts a new connection to a player with a lower index.
    dropped
        The number of invalid messages for each reason.
    agreement_ns
        The number of nanoseconds within which all machines must agree that a player comes back, or
        None for 15 seconds.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        remotes: Remotes,
        phase: MatchPhase,
        ticks: PredictedTicks,
        lost: LostPlayers,
        history: MatchHistory,
        connect: Callable[[RemotePlayer], Connection],
        dropped: Counter[str],
        agreement_ns: int | None = None,
    ) -> None:
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._lost = lost
        self._history = history
        self._connect = connect
        self._dropped = dropped
        self._agreement_ns = agreement_ns
        # The key contains a returning player and the leader that has decided about the return. The
        # value contains the tick of the return and all players who take part.
        self._late: dict[tuple[int, int], tuple[int, set[int]]] = {}
        self.restart()

    def restart(self) -> None:
        """Clear the list of returning players. Call this method after `LostPlayers.restart`."""
        self._returns = Returns(
            self._player,
            self._history,
            self._lost.departures,
            self._send,
            self._readmit,
            self._drop,
            self._dropped,
            self._agreement_ns,
        )

    def close(self) -> None:
        """Close the connections of all players who are rejoining the match."""
        self._returns.close()
        self._late.clear()

    # -- connections -------------------------------------------------------------------------------

    @property
    def players(self) -> list[int]:
        """The players who are rejoining the match."""
        return sorted(self._returns.connections)

    def connection_of(self, player: int) -> Connection | None:
        """Return the connection of a player who is rejoining the match, or None."""
        return self._returns.connections.get(player)

    def add(self, player: int, connection: Connection) -> None:
        """Add the connection of a player who is rejoining the match."""
        self._returns.add(player, connection)

    def knock(self, now_ns: int) -> None:
        """Request connections to players who have left, because they may want to rejoin the match.
        If the match has become so long that players can no longer rejoin it, close the new
        connection with this reason. A player who has closed the game may be playing another match
        at the same address. Do not request a connection to such a player until another machine
        reports that the player is rejoining.
        """
        if not self._phase.begun:
            return
        for remote in self._remotes.values():
            if remote.player < self._player:
                self._knock_at(remote, now_ns)

    def _knock_at(self, remote: RemotePlayer, now_ns: int) -> None:
        knocking = remote.knocking
        is_away = remote.gone and not remote.has_closed and remote.may_return
        if not is_away or self.connection_of(remote.player) is not None:
            remote.knocked_ns = now_ns
        elif knocking is None and remote.connection is None:
            if now_ns - remote.knocked_ns >= _KNOCK_AGAIN:
                remote.knocking = self._connect(remote)
        elif knocking is None:
            return
        elif knocking.state == "connected":
            remote.knocking = None
            if self._history.is_closed:
                # The player can read in this reason why the match cannot continue.
                knocking.close(TOO_LONG)
                remote.has_closed = True
            else:
                self.add(remote.player, knocking)
        elif not knocking.is_open:
            remote.knocking = None
            remote.knocked_ns = now_ns

    # -- messages ----------------------------------------------------------------------------------

    @property
    def held_tick(self) -> int | None:
        """The first tick in which a returning player takes part again, or None if no player is
        coming back. This tick must not run until all machines have agreed to it.
        """
        return self._returns.held_tick

    @property
    def yields(self) -> bool:
        """Whether another machine's match is replacing the match on this machine."""
        return self._returns.yields

    def send(self) -> None:
        """Send final input to the players who are rejoining the match."""
        self._returns.send()

    def receive(self, last_tick: int, now_ns: int) -> None:
        """Handle the messages from players who are rejoining the match. See `Returns.receive`."""
        self._returns.receive(last_tick, now_ns)

    def _send(self, player: int, message: bytes) -> None:
        """Send a reliable message to a player who is taking part. If this machine has no connection
        to the player, send the message through the machine that is forwarding the player's input.
        """
        remote = self._remotes[player]
        carrier = self._lost.departures.forwarder(player)
        if carrier is None or remote.connected:
            remote.send_reliable(message)
        else:
            relayed = pack_relayed(self._player, player, message)
            self._remotes[carrier].send_reliable(relayed)

    def pass_on(self, carrier: RemotePlayer, sender: int, receiver: int, content: bytes) -> None:
        """Forward a message from the player ``sender`` to the player ``receiver``. The player
        ``carrier`` has passed the message to this machine.
        """
        departures = self._lost.departures
        is_from_sender = sender == carrier.player
        if not is_from_sender and not departures.is_forwarded_by(sender, carrier.player):
            raise DroppedMessage("late")
        if receiver not in self._remotes or receiver in (sender, carrier.player):
            raise DroppedMessage("late")
        following = departures.forwarder(receiver)
        hop = self._remotes[receiver if following is None else following]
        if hop is not carrier:
            hop.send_reliable(pack_relayed(sender, receiver, content))

    def sender_of(self, carrier: RemotePlayer, sender: int) -> RemotePlayer:
        """Return the player ``sender``, whose message was forwarded by the player ``carrier``."""
        departures = self._lost.departures
        if sender not in self._remotes or not departures.is_forwarded_by(sender, carrier.player):
            raise DroppedMessage("late")
        return self._remotes[sender]

    def take_coming(self, player: int) -> None:
        """Handle a message about a returning player who is connected to another machine. If this
        player had closed the game, request a connection to the player again.
        """
        remote = self._remotes.get(player)
        if remote is None:
            raise DroppedMessage("malformed")
        if remote.has_closed:
            remote.has_closed = False
            remote.knocked_ns = 0

    def agree(self, sender: RemotePlayer, player: int, tick: int) -> None:
        """Record that a machine agrees to the return of a player. See `Returns.agree`."""
        self._returns.agree(sender.player, player, tick)

    def request(self, player: int, now_ns: int) -> None:
        """Handle another machine's request to let a player rejoin the match. See
        `Returns.request`.
        """
        if player not in self._remotes:
            raise DroppedMessage("late")
        self._returns.request(player, now_ns)

    def take_return(
        self, sender: RemotePlayer, player: int, tick: int, participants: set[int]
    ) -> None:
        """Handle the leader's message about the return of another player. The message contains the
        first tick in which the player takes part again.
        """
        is_soon = self._ticks.confirmed < tick <= self._ticks.tick + 4 * MAX_TICKS
        if not (player in self._remotes and is_soon and self._phase.takes_part):
            raise DroppedMessage("late")
        if self._lost.departures.first_tick_of(player) == tick:  # this message has already arrived
            self._send(sender.player, pack_player_tick(AGREED, player, tick))
            return
        # Usually only the leader sends this message. If the earlier leader has left, the sender may
        # be the next leader. This machine may still be connected to the earlier leader.
        if player == sender.player or sender.player > self._player:
            raise DroppedMessage("late")
        self._late[player, sender.player] = tick, participants

    # -- players who take part again ---------------------------------------------------------------

    def settle(self) -> None:
        """Readmit each player for whom the leader has chosen a tick, as soon as the player's
        earlier input has ended on this machine. While this machine is rejoining the match itself,
        it does not readmit any players.
        """
        departures = self._lost.departures
        if not self._phase.begun:
            return
        for (player, leader), (tick, participants) in [*self._late.items()]:
            if departures.has_ended(leader) or tick <= self._ticks.confirmed:
                del self._late[player, leader]
            elif departures.has_ended(player) and leader == departures.match_leader:
                del self._late[player, leader]
                connection = self.connection_of(player)
                if connection is not None and self._returns.lacks(player, leader):
                    connection.send_reliable(pack_return(player, tick, participants))
                self._readmit(player, tick)
                self._send(leader, pack_player_tick(AGREED, player, tick))

    def _readmit(self, player: int, tick: int) -> None:
        """From ``tick`` on, wait for this player's input again."""
        remote = self._remotes[player]
        departures = self._lost.departures
        states = self._ticks.states
        remote.connection = self._returns.take(player) or remote.connection
        remote.told_status = Status(True, departures.rank, tick - 1)
        remote.gone = remote.paused = False
        remote.input.known = remote.acked = tick - 1
        remote.difference = TimeDifference()
        departures.readmit(player, tick)
        states.join(player, tick)
        self._returns.end_stream(player, tick - 1)
        if remote.connection is None:
            departures.lose(player)  # the other machines are forwarding this player's input
            states.forget(player)

    def _drop(self, player: int) -> None:
        """Close the connection to a player who has not agreed to a return in time."""
        connection = self._remotes[player].connection
        if connection is not None:
            connection.close("this machine did not agree with the return of a player")
