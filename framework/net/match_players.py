"""The other players of a match: the connection to each player's machine, and the player's input."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ..input.tick_input import HeldInput
from .connection import Connection
from .match_input import Events, PlayerInput
from .pacing import TimeDifference
from .rejoining import Status

NO_END = 1 << 62
"""The value of `PlayerInput.known` for a player who has left. All ticks count as arrived, because
this player sends no more input.
"""

MAX_TIMEOUTS = 3
"""After this number of input timeouts, a player cannot come back into the match."""


class RemotePlayer:
    """A remote player of the match: the connection to the player's machine, and the player's input."""

    not_state = True

    def __init__(self, player: int) -> None:
        self.player = player
        """The index of the player."""

        # -- the connection
        self.connection: Connection | None = None
        """The connection to the player. None if the player does not take part in the match, or if
        another machine is forwarding the player's input.
        """
        self.status: Status | None = None
        """The status that the player's machine sent when it connected."""
        self.told_status: Status | None = None
        """The last status of this machine that was sent to the player."""
        self.token = b""
        """The token of the player's program."""
        self.host: Hashable = None
        """A value that identifies the player's computer (see `computer_of`). It is set when the
        player's machine opens the connection.
        """
        self.asking = b"", 0
        """The token of a program that wants to play for this player, and the time of its first
        request.
        """

        # -- the input
        self.input = PlayerInput()
        self.held = HeldInput()
        """The keys and buttons that the player holds after the last tick whose input has
        arrived.
        """
        self.early: dict[int, Events] = {}
        """Input that is waiting because the input of an earlier tick is still missing."""
        self.acked = 0
        """The last tick of this machine's input that the player has confirmed."""
        self.difference = TimeDifference()
        self.paused = False

        self.forwarded_delay = 0.0
        """How many seconds a packet takes to reach the player through other machines, or 0 if the
        player's input is not forwarded.
        """

        # -- while the player is away
        self.gone = False
        """Whether the match is continuing without this player."""
        self.gone_ns = 0
        """The time when the player left, in nanoseconds."""
        self.has_closed = False
        """Whether the player has closed the game."""
        self.timeouts = 0
        """How often this machine has closed the connection because no input arrived, although other
        packets did. See `SilentPlayers`.
        """
        self.is_too_long = False
        """Whether the player is still in an earlier match, which has lasted too long for players to
        rejoin it.
        """
        self.knocking: Connection | None = None
        """A connection that this machine is requesting to a player who has left, or None."""
        self.knocked_ns = 0
        """The time when the last request for such a connection failed, in nanoseconds."""

    @property
    def may_return(self) -> bool:
        """Whether the player may come back into the match. A player who was connected, but sent no
        input until the input timeout, may come back only twice.
        """
        return self.timeouts < MAX_TIMEOUTS

    @property
    def connected(self) -> bool:
        """Whether the connection to the player is established."""
        return self.connection is not None and self.connection.state == "connected"

    @property
    def delay(self) -> float:
        """How long a packet takes to reach the player, directly or through other machines, in
        seconds. The value is 0 before the first measurement.
        """
        return self.forwarded_delay if self.connection is None else self.connection.ping / 2

    @property
    def runs(self) -> bool:
        """Whether the player's machine was already running the match when it sent its status."""
        return self.connected and self.status is not None and self.status.runs

    def send_reliable(self, message: bytes) -> None:
        """Send a reliable message to the player if the player is connected."""
        if self.connection is not None and self.connected:
            self.connection.send_reliable(message)

    def start_again(self, tick: int) -> None:
        """Delete the player's input. New input of the player starts after ``tick``, the last tick
        with final input.
        """
        self.input = PlayerInput(tick)
        self.held = HeldInput()
        self.acked = tick
        self.difference = TimeDifference()
        self.gone = False
        self.forwarded_delay = 0.0
        self.paused = False
        self.has_closed = False


Remotes = dict[int, RemotePlayer]
"""The other players of a match, by their index."""


def names_of(players: Iterable[int]) -> str:
    """Return the names of players as a text, such as "player 2 and player 3". The player with the
    index 0 is called "player 1".
    """
    return " and ".join([f"player {player + 1}" for player in players])
