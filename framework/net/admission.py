"""Decide which programs may join a match, and which player each of them controls."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from .connection import Connection
from .direct_paths import DirectPaths
from .endpoint import computer_of
from .identity import Identity, identity
from .link import Peer
from .match_history import TOO_LONG, MatchHistory
from .match_phase import MatchPhase
from .match_players import MAX_TIMEOUTS, RemotePlayer, Remotes, names_of
from .packets import MAX_HELLO_DATA
from .returning_players import ReturningPlayers
from .spectator import WATCH, Watchers

if TYPE_CHECKING:
    from ..game.game import Game

_NANOSECONDS = 1_000_000_000
_TOKEN = b"player"
# The length of a program's token, in bytes.
_KEY_SIZE = 8
# Nanoseconds; if the last packet is more recent than this, the player is certainly connected.
_PRESENT = 3 * _NANOSECONDS // 10
_ABSENT = 2 * _NANOSECONDS  # nanoseconds; after this time without a packet, the player may rejoin


class Admission:
    """Decides which programs may connect to a match. `Admission` checks that a program runs the
    same game, and finds out which player the program belongs to.

    The machine of each player connects to the machines of all players with a lower index. At the
    start of a match, any program may take the place of a player. During the match, only the same
    program, or a program on the same computer, can bring the player back.

    Parameters
    ----------
    player
        The index of the player on this machine.
    clock
        A function that returns the current time in nanoseconds, from the clock of the network link.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        remotes: Remotes,
        phase: MatchPhase,
        returning: ReturningPlayers,
        direct: DirectPaths,
        history: MatchHistory,
        watchers: Watchers,
        clock: Callable[[], int],
    ) -> None:
        self.token = b"".join([_TOKEN, bytes([player]), os.urandom(_KEY_SIZE)])
        """The bytes by which other machines recognize this program and its player."""
        self._player = player
        self._remotes = remotes
        self._phase = phase
        self._returning = returning
        self._direct = direct
        self._history = history
        self._watchers = watchers
        self._clock = clock
        self._identity: Identity | None = None

    # -- the game ----------------------------------------------------------------------------------

    def start(self, game: Game) -> bytes:
        """Return bytes that identify the game. Other machines compare these bytes with their own,
        to check that they run the same game.
        """
        self._identity = own = identity(game)
        data = own.to_bytes()
        return data if len(data) <= MAX_HELLO_DATA - len(self.token) else own.digest

    def compare(self, data: bytes) -> str | None:
        """Compare another machine's game with the game on this machine. Return a sentence that
        describes the difference, or None if the games are equal.
        """
        own = self._identity
        if own is None or data == own.digest:
            return None
        return own.difference(Identity.from_bytes(data))

    # -- the player --------------------------------------------------------------------------------

    def admit(self, peer: Peer, token: bytes) -> str | None:
        """Decide whether a program may connect, before its connection opens. Return None to accept
        the program, a sentence to refuse it, or "" if it must wait and send its request again.
        """
        if token == WATCH:
            return self._watchers.refusal()
        remote = self._remote_of(token)
        if remote is None:
            return "expected a player of this match"
        if self._phase.takes_part:
            return self._admit_again(remote, peer, token)
        if remote.connection is not None and remote.connected:
            return self._refusal(remote, remote.connection, token)
        return None

    def place(self, accepted: Connection) -> None:
        """Store a new connection in its `RemotePlayer`. If the match has continued without this
        player, start to bring the player back. If another machine is forwarding the player's input,
        try out the new connection before it is used (see `DirectPaths`).
        """
        if accepted.token == WATCH:
            self._watchers.add(accepted)
            return
        remote = self._remote_of(accepted.token)
        if remote is None or remote.connected:
            accepted.close("another program plays for this player")
            return
        if self._phase.takes_part and self._direct.accepts(remote.player):
            self._direct.add(remote.player, accepted)
            return
        remote.token = accepted.token
        remote.host = computer_of(accepted.peer)
        if self._phase.takes_part:
            self._returning.add(remote.player, accepted)
        else:
            remote.connection = accepted
            # These values belong to an earlier connection.
            remote.status = remote.told_status = None

    def _admit_again(self, remote: RemotePlayer, peer: Peer, token: bytes) -> str | None:
        """Decide whether a program may bring a player back into the match. Accept only the player's
        earlier program, or a program on the same computer. In a relay room, accept only the same
        member of the room.
        """
        # A machine that has just rejoined may not know the computers of the other players, but the
        # leader does.
        is_other = bool(remote.token) and token != remote.token
        if is_other and computer_of(peer) != remote.host:
            return f"{names_of([remote.player])} can only come back from the same address"
        if self._direct.accepts(remote.player):
            return "" if is_other else None  # another program does not take part in the match
        if self._history.is_closed:
            return TOO_LONG
        if not remote.may_return:
            name = names_of([remote.player])
            return f"{name} was connected {MAX_TIMEOUTS} times without sending input"
        existing = remote.connection or self._returning.connection_of(remote.player)
        if existing is not None and existing.is_open:
            return self._refusal(remote, existing, token)
        # Until the machines agree on the player's last input, the player must repeat the request.
        return None if remote.gone and existing is None else ""

    def _refusal(self, remote: RemotePlayer, existing: Connection, token: bytes) -> str:
        """Return the reason for refusing a program that wants to take the place of a connected
        player. If nothing has arrived over the existing connection for a while, the player may have
        restarted the game. In this case, return "", so that the new program sends its request again
        later.
        """
        now_ns = self._clock()
        silence = now_ns - existing.last_received_ns
        if token != remote.asking[0]:
            remote.asking = token, now_ns
        waited = now_ns - remote.asking[1]
        if silence < _PRESENT and waited >= 2 * _PRESENT:
            return f"{names_of([remote.player])} is in the match already"
        if silence >= _ABSENT:
            existing.close("the player came back from another address")
        return ""

    def _remote_of(self, token: bytes) -> RemotePlayer | None:
        """Return the player whose index is in ``token``, or None if the token is invalid."""
        if len(token) != len(self.token) or not token.startswith(_TOKEN):
            return None
        player = token[len(_TOKEN)]
        return self._remotes.get(player) if player > self._player else None
