"""Let users watch a match without playing."""

from __future__ import annotations

__all__ = ["Spectator"]

from collections import Counter
from typing import TYPE_CHECKING, Any

from .. import checks
from ..errors import FrameworkError
from ..game.driven_game import driven
from ..game.session import SessionStats
from ..input.tick_input import TickInput
from .connection import Connection
from .endpoint import Endpoint
from .identity import Identity, identity
from .link import Link
from .match_history import MatchHistory, read_final, send_final
from .match_input import PlayerInput
from .udp_link import UdpLink

if TYPE_CHECKING:
    from ..game.game import Game

WATCH = b"watch"
"""The token that a spectator sends when it connects."""

_TOO_LONG = "this match is too long to watch: more than 4.8 hours"
_BEHIND = 6  # how many ticks the spectator's tick is behind the newest final tick
_FAR_BEHIND = 30  # a spectator that is this number of ticks behind runs several ticks per frame
_MAX_AT_ONCE = 40  # the maximum number of ticks in one frame while a spectator catches up
_STRENGTH = 0.02  # the change of the pace for each tick of difference
_MAX_CHANGE = 0.1


class Watchers:
    """The spectators who watch the match through this computer."""

    not_state = True

    def __init__(self, max_watchers: int, history: MatchHistory) -> None:
        self.max_watchers = max_watchers
        self._history = history
        self._next: dict[Connection, int] = {}  # the next tick to send to each spectator

    def refusal(self) -> str | None:
        """Return None if another spectator can watch the match, or a sentence that explains why
        this is not possible.
        """
        if self.max_watchers and self._history.is_full:
            return _TOO_LONG
        if len(self._next) < self.max_watchers:
            return None
        return (
            f"all {self.max_watchers} places for spectators are taken"
            if self.max_watchers
            else "this match has no spectators"
        )

    def add(self, connection: Connection) -> None:
        """Add a spectator's connection. The spectator receives the input of the match, from the
        first tick on.
        """
        self._next[connection] = 1

    def send(self) -> None:
        """Send the new final input of the match to all spectators, and remove spectators who have
        left.
        """
        for connection, following in [*self._next.items()]:
            connection.received()  # removes the messages, because a spectator should send none
            if not connection.is_open:
                del self._next[connection]
                continue
            last = self._history.known
            if self._history.is_full and following > last:
                connection.close(_TOO_LONG)
            self._next[connection] = send_final(self._history, connection, following, last)

    def end(self) -> None:
        """Disconnect all spectators, because ticks that they have received are no longer final."""
        for connection in self._next:
            connection.close("this player comes back into another match")
        self._next.clear()


class Spectator:
    """A session that watches a match. The input of the match comes from one player's computer:

        fw.run(Duel, session=fw.Spectator("10.0.0.2:7000"))

    This player must allow spectators, for example with ``Rollback(spectators=1)``. The spectator's
    computer receives the final input of all players, and runs all ticks from the first tick on. If
    the match has already started, many ticks run in each frame until the spectator has caught up
    with the match.

    Parameters
    ----------
    peer
        The address of a player, such as "10.0.0.2:7000".
    link
        A link that replaces the UDP link, such as a link of a `MemoryNetwork`.
    """

    not_state = True

    def __init__(self, peer: Any, *, link: Link | None = None) -> None:
        if link is None:
            checks.text("peer", peer)
        else:
            checks.methods("link", link, ("send", "receive", "close"), "a link, such as UdpLink()")
        self._peer = peer
        self._link = link
        self.stats = SessionStats()
        """Network statistics, such as the ping. `SessionStats.ahead` is negative here. If it is
        -10, for example, this computer still has to run 10 ticks that have arrived.
        """
        self.reason = ""
        """A sentence that explains why the match has ended, or "" while the match is running."""
        self.dropped: Counter[str] = Counter()
        """The number of invalid messages that were dropped, for each reason."""
        self._endpoint: Endpoint | None = None
        self._connection: Connection | None = None
        self._input = PlayerInput()
        self._identity: Identity | None = None
        self._players = 0

    @property
    def status(self) -> str:
        """A sentence for the spectator if the match is not running, otherwise ""."""
        if self.reason:
            return f"The match has ended: {self.reason}"
        return "" if self._input.known else "Waiting for the match"

    def start(self, game: Game) -> None:
        """Open the link, and request a connection to the player."""
        if self._endpoint is not None:
            raise FrameworkError("Spectator: this session belongs to another game; make a new one")
        self._identity = identity(game)
        self._players = len(game.players)
        link = UdpLink() if self._link is None else self._link
        self._link = link
        # Names are resolved here and not in frames, because a name server may answer slowly or
        # never.
        resolve = getattr(link, "resolve", None)
        if resolve is not None and isinstance(self._peer, str):
            self._peer = resolve(self._peer)
        data = self._identity.to_bytes()
        self._endpoint = Endpoint(link, identity=data, compare=self._compare, max_peers=0)
        stage = driven(game).stage
        stage.freeze_size()
        stage.local_player = self._players  # an index that belongs to no player of the match
        self._connect()

    def _compare(self, data: bytes) -> str | None:
        own = self._identity
        if own is None or data == own.digest:
            return None
        return own.difference(Identity.from_bytes(data))

    def _connect(self) -> None:
        if self._endpoint is not None:
            self._connection = self._endpoint.connect(self._peer, WATCH)

    def before_tick(self, game: Game, number: int) -> None:
        """If this machine is far behind the match, run many ticks in this frame."""
        missing = self._input.known - game.tick
        if missing > _FAR_BEHIND:
            game.run_ticks(min(missing - _BEHIND, _MAX_AT_ONCE))

    def tick(self, number: int, local: TickInput) -> TickInput | None:
        """Return the final input of a tick, or None if the input has not arrived."""
        if number > self._input.known:
            self.stats.stalls += 1
            return None
        return TickInput(self._input.at(number))

    def frame(self, game: Game) -> None:
        """Receive the input of the match, and adjust the speed of the game clock. Called in each
        frame.
        """
        endpoint = self._endpoint
        connection = self._connection
        if endpoint is None or connection is None:
            return
        endpoint.poll()
        for channel, message in connection.received():
            if channel != "reliable" or not self._take(message):
                self.dropped["malformed"] += 1
        if not connection.is_open and not self.reason:
            if connection.state == "lost" and not self._input.known:
                self._connect()  # the other machine was not yet ready to accept the connection
            else:
                self.reason = connection.reason
        self.stats.ping = connection.ping
        self._steer(game)
        endpoint.flush()

    def _steer(self, game: Game) -> None:
        """Adjust the speed of the game clock, so that this machine stays a few ticks behind the
        match.
        """
        missing = self._input.known - game.tick
        self.stats.ahead = -float(missing)
        change = _STRENGTH * (missing - _BEHIND)
        timestep: Any = game.timestep
        timestep.pace = 1.0 + max(-_MAX_CHANGE, min(_MAX_CHANGE, change))

    def _take(self, message: bytes) -> bool:
        final = read_final(message, self._players)
        if final is None or final[0] != self._input.known + 1:
            return False
        for tick, events in enumerate(final[1], final[0]):
            self._input.add(tick, events)
        return True

    def close(self) -> None:
        """Close the connection to the player."""
        if self._endpoint is not None:
            self._endpoint.close()
