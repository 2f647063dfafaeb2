"""Reconnect players who lost their direct connection while other machines forward their input.

Two players can lose the connection to each other while other machines can still reach both of them.
The other machines then forward the input (see `Departures`). Because forwarded input takes longer
to arrive, the two players try to connect directly again:

1. The machine with the higher index requests a new connection after two seconds. After each
   failure, it waits twice as long before the next request, up to one minute.
2. The new connection is on trial for two seconds, while the input is still being forwarded. If no
   packet arrives for half a second, the trial has failed, and the connection is closed.
3. After the trial, each machine sends a DIRECT message. Once a machine has received the other
   machine's DIRECT message, it sends its input over the new connection.
4. When input arrives over the new connection, the machine reports that it is connected to the
   player again. Only then do the other machines stop forwarding, so no tick is delayed.

In its first minute, the new connection is closed after one second of silence if another machine can
forward the input. Other connections are closed after ten seconds.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from .connection import Connection
from .endpoint import computer_of
from .lost_players import LostPlayers
from .match_history import MatchHistory
from .match_input import MAX_TICKS
from .match_phase import MatchPhase
from .match_players import RemotePlayer, Remotes
from .pacing import TimeDifference
from .predicted_ticks import PredictedTicks
from .rejoining import Status

_SECOND = 1_000_000_000
# Nanoseconds until the first attempt. The pause is doubled after each attempt.
_FIRST_PAUSE = 2 * _SECOND
_MAX_PAUSE = 60 * _SECOND
_TRIAL = 2 * _SECOND  # the duration of a trial in nanoseconds
_MAX_GAP = _SECOND // 2  # nanoseconds without a packet after which a trial has failed
# A direct path that has been working for this number of nanoseconds counts as reliable again.
_PROBATION = 60 * _SECOND
_SILENCE = _SECOND  # nanoseconds without a packet, after which an unreliable path ends

# Fields: the kind, the last tick of the receiver's input that has arrived, a tick with final input,
# and the checksum of all input up to this tick.
_DIRECT = struct.Struct("<cIII")
_KIND = b"b"


class _Direct(NamedTuple):
    """The content of a DIRECT message."""

    known: int
    tick: int
    checksum: int


class _Trial:
    """A new connection to a player whose input another machine is forwarding."""

    not_state = True

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.began_ns: int | None = None
        """The time when the connection was established."""
        self.heard_ns = 0
        """The time of the last packet."""
        self.has_sent = False
        """Whether this machine has sent its DIRECT message."""
        self.received: _Direct | None = None
        """The DIRECT message of the other machine."""
        self.in_use = False
        """Whether this machine is sending its input over the connection."""


class DirectPaths:
    """Connects this machine again to players whose input another machine is forwarding. A new
    connection is first on trial for two seconds, while the input is still being forwarded.

    Parameters
    ----------
    player
        The index of the player on this machine.
    connect
        A function that starts a new connection to a player with a lower index.
    clock
        A function that returns the current time in nanoseconds, from the clock of the network link.
    dropped
        The number of dropped messages for each reason.
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
        clock: Callable[[], int],
        dropped: Counter[str],
    ) -> None:
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._ticks = ticks
        self._lost = lost
        self._history = history
        self._connect = connect
        self._clock = clock
        self._dropped = dropped
        self._trials: dict[int, _Trial] = {}
        # For each player: the time of the next attempt, and the pause after this attempt.
        self._next_ns: dict[int, int] = {}
        self._pauses: dict[int, int] = {}
        # For each player with a new direct path: the time when this machine started to use the
        # path.
        self._new_since_ns: dict[int, int] = {}

    def restart(self) -> None:
        """Close all connections that are on trial, because this player is rejoining the match."""
        for trial in self._trials.values():
            trial.connection.close("the player comes back")
        for stored in (self._trials, self._next_ns, self._pauses, self._new_since_ns):
            stored.clear()

    # -- new connections ---------------------------------------------------------------------------

    def accepts(self, player: int) -> bool:
        """Return whether this machine now accepts a new direct connection from a player."""
        remote = self._remotes[player]
        return player not in self._trials and remote.may_return and self._is_forwarded(remote)

    def add(self, player: int, connection: Connection) -> None:
        """Begin the trial of a connection that the other player's machine has opened."""
        self._trials[player] = _Trial(connection)

    def _is_forwarded(self, remote: RemotePlayer) -> bool:
        """Return whether a player takes part without a connection to this machine."""
        is_absent = remote.gone or remote.connection is not None or not self._phase.begun
        return not is_absent and self._lost.departures.forwarder(remote.player) is not None

    def update(self) -> None:
        """Request a new connection if the next attempt is due, and continue the trials. The session
        calls this method each time it has received packets.
        """
        now_ns = self._clock()
        for remote in self._remotes.values():
            player = remote.player
            trial = self._trials.get(player)
            if trial is not None:
                self._continue(remote, trial, now_ns)
            elif player in self._new_since_ns:
                self._watch(remote, now_ns)
            elif player < self._player and remote.may_return and self._is_forwarded(remote):
                if player not in self._next_ns:
                    self._schedule(player, now_ns)
                elif now_ns >= self._next_ns[player]:
                    self._trials[player] = _Trial(self._connect(remote))

    def _schedule(self, player: int, now_ns: int) -> None:
        """Schedule the next attempt. The pause after each attempt is twice as long as the pause
        before.
        """
        pause = self._pauses.get(player, _FIRST_PAUSE)
        self._next_ns[player] = now_ns + pause
        self._pauses[player] = min(2 * pause, _MAX_PAUSE)

    def _watch(self, remote: RemotePlayer, now_ns: int) -> None:
        """End a new direct path early if no packets arrive over it and another machine can forward
        the input. After a minute, the path is considered reliable.
        """
        player = remote.player
        connection = remote.connection
        if connection is None or remote.gone:
            del self._new_since_ns[player]
        elif now_ns - self._new_since_ns[player] >= _PROBATION:
            del self._new_since_ns[player]
            self._pauses.pop(player, None)
        elif now_ns - connection.last_received_ns < _SILENCE:
            return
        elif self._lost.departures.can_forward(player):
            connection.close("another machine forwards the input")

    # -- trials ------------------------------------------------------------------------------------

    def _continue(self, remote: RemotePlayer, trial: _Trial, now_ns: int) -> None:
        connection = trial.connection
        if remote.gone or not (trial.in_use or self._is_forwarded(remote)):
            self._fail(remote, trial, now_ns)  # the player has left the match
            return
        if connection.state == "connecting":
            return
        if trial.began_ns is None:
            trial.began_ns = now_ns
            trial.heard_ns = connection.last_received_ns
        last_ns = connection.last_received_ns
        gap = max(now_ns - last_ns, last_ns - trial.heard_ns)
        trial.heard_ns = last_ns
        if not connection.is_open or gap > _MAX_GAP:
            self._fail(remote, trial, now_ns)
        elif not trial.in_use:
            self._receive(remote, trial, now_ns)
            self._agree(remote, trial, now_ns)

    def _receive(self, remote: RemotePlayer, trial: _Trial, now_ns: int) -> None:
        """Receive the DIRECT message of the other machine."""
        for channel, message in trial.connection.received():
            if channel == "unreliable":
                self._dropped["early"] += 1  # input, and the DIRECT message is still missing
                continue
            if message[:1] != _KIND or len(message) != _DIRECT.size or trial.received:
                self._fail(remote, trial, now_ns)
                return
            trial.received = _Direct(*_DIRECT.unpack(message)[1:])

    def _agree(self, remote: RemotePlayer, trial: _Trial, now_ns: int) -> None:
        """At the end of the trial, send a DIRECT message. If the other machine has sent its DIRECT
        message, use the connection.
        """
        connection = trial.connection
        if not connection.is_open or trial.began_ns is None:
            return
        if not trial.has_sent and now_ns - trial.began_ns >= _TRIAL:
            trial.has_sent = True
            connection.send_reliable(self._direct_message(remote.input.known))
        received = trial.received
        if not trial.has_sent or received is None:
            return
        own = self._ticks.own
        is_same_match = self._history.checksum(received.tick) == received.checksum
        if is_same_match and own.first - 1 <= received.known <= own.known:
            self._use(remote, trial, received.known)
        else:
            self._fail(remote, trial, now_ns)

    def _direct_message(self, known: int) -> bytes:
        """Return a DIRECT message for a player whose input this machine has up to ``known``."""
        # This tick has final input on all machines that take part.
        tick = max(0, self._history.known - 2 * MAX_TICKS)
        return _DIRECT.pack(_KIND, known, tick, self._history.checksum(tick) or 0)

    def _use(self, remote: RemotePlayer, trial: _Trial, known: int) -> None:
        """Send this player's input over the connection from now on."""
        trial.in_use = True
        connection = trial.connection
        if remote.player > self._player and not remote.token:
            # This machine has never been connected to the program of this player.
            remote.token = connection.token
            remote.host = computer_of(connection.peer)
        rank = self._lost.departures.rank
        remote.told_status = Status(True, rank, self._ticks.tick)
        remote.connection = connection
        remote.acked = max(remote.acked, known)
        remote.difference = TimeDifference()
        remote.early.clear()
        self._ticks.states.join(remote.player, None)

    def _fail(self, remote: RemotePlayer, trial: _Trial, now_ns: int) -> None:
        """End the trial of a connection. This machine tries again later."""
        del self._trials[remote.player]
        trial.connection.close("the direct connection does not work")
        if remote.gone:
            remote.connection = None
        self._schedule(remote.player, now_ns)

    def note_input(self, remote: RemotePlayer) -> None:
        """Called when input has arrived over the connection to a player. If this is the first input
        after a trial, report that this machine is connected to the player again.
        """
        trial = self._trials.get(remote.player)
        if trial is None or not trial.in_use:
            return
        del self._trials[remote.player]
        self._next_ns.pop(remote.player, None)
        self._new_since_ns[remote.player] = self._clock()
        self._lost.departures.reconnect(remote.player)
