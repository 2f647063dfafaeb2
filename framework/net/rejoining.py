"""The messages with which a player rejoins a match that has continued without this player.

The returning player's machine receives the final input of the match, and runs all the ticks that it
has missed. When only a few ticks are missing, the leader (the machine with the lowest index)
chooses the tick from which the player takes part again. The leader holds back its own input for the
chosen tick until all machines know about the choice. Therefore no machine can confirm this tick too
early.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from ..input.tick_input import TickInput
from .connection import Connection
from .departures import CUT_OFF, Departures
from .dropped_message import DroppedMessage
from .match_history import FINAL, TOO_LONG, MatchHistory, read_final, send_final
from .match_input import Events, held_at_start

STATUS = b"s"
ASK = b"a"
ENTER = b"e"
RETURN = b"r"
AGREED = b"k"
COMING = b"i"
RELAYED = b"o"
DIFFERENT = b"d"
ENTER_FOR = b"q"
KINDS = (STATUS, ASK, ENTER, RETURN, AGREED, COMING, RELAYED, DIFFERENT, ENTER_FOR, FINAL)
"""The first bytes of the messages of this module."""

EMPTY_TICKS = 30
"""The number of ticks with empty input after a player has rejoined the match. During these ticks,
the player's machine catches up with the other machines.
"""
# A player takes part again this number of ticks after the newest tick.
_AHEAD = 30
# A player may take part again if at most this number of ticks are missing.
_NEAR = 60
# The maximum number of ticks that run in one frame to catch up.
_MAX_AT_ONCE = 120
# The number of frames until a request is sent again.
_ASK_AGAIN = 30
# How many nanoseconds to wait for the missing connections of a player who is coming back.
_PATIENCE = 3_000_000_000
# The minimum and the maximum of the nanoseconds within which all machines must agree that a player
# comes back. The minimum is long enough for messages that are lost and sent again.
_MIN_AGREEMENT = 3_000_000_000
_MAX_AGREEMENT = 15_000_000_000

# Fields: the kind, two flags, the rank of the match, the last final tick, and the programs of the
# players.
_STATUS = struct.Struct("<cBBI4I")
_TICK = struct.Struct("<cI")
# Fields: the kind, the first tick, and the checksum of all input before this tick.
_ASK = struct.Struct("<cII")
_PLAYER_TICK = struct.Struct("<cBI")
# Fields: the kind, the first sender, and the last receiver of the content.
_RELAYED = struct.Struct("<cBB")
# Fields: the kind, the player, the tick, and a mask of all players who take part.
_RETURN = struct.Struct("<cBIB")


class Status(NamedTuple):
    """The first message that two machines send each other after they connect."""

    runs: bool
    """Whether the match is running on the machine that sent the message."""
    rank: int
    """The rank of the match on the machine that sent the message. The match with the lower rank
    continues (see `Departures.rank`).
    """
    last_tick: int
    """The last tick with final input on the machine that sent the message."""
    programs: tuple[int, ...] = (0, 0, 0, 0)
    """A number for each player that identifies the player's program, or 0 if there is no
    connection. The list includes the program of the sender. When a program is restarted, it gets
    another number. The numbers are only used before the match begins.
    """
    has_begun: bool = False
    """Whether the match has begun on this machine with the programs in `programs`. The program of
    the receiver is also in this list. A program that connects later receives a status with ``runs``
    instead.
    """

    def to_bytes(self) -> bytes:
        """Return the status as the bytes of a message."""
        flags = self.runs | self.has_begun << 1
        return _STATUS.pack(STATUS, flags, self.rank, self.last_tick, *self.programs)

    @classmethod
    def from_bytes(cls, message: bytes) -> Status:
        """Return the status from the bytes of a message."""
        if len(message) != _STATUS.size:
            raise DroppedMessage("malformed")
        _, flags, rank, last_tick, *programs = _STATUS.unpack(message)
        return cls(bool(flags & 1), rank, last_tick, tuple(programs), bool(flags & 2))


def unpack_player_tick(message: bytes) -> tuple[int, int]:
    """Return the player and the tick from an AGREED message. From an ENTER_FOR message, return the
    player and a bit mask of players.
    """
    if len(message) != _PLAYER_TICK.size:
        raise DroppedMessage("malformed")
    _, player, tick = _PLAYER_TICK.unpack(message)
    return player, tick


def pack_player_tick(kind: bytes, player: int, tick: int) -> bytes:
    """Return an AGREED or ENTER_FOR message."""
    return _PLAYER_TICK.pack(kind, player, tick)


def unpack_return(message: bytes) -> tuple[int, int, set[int]]:
    """Return the contents of a RETURN message: the returning player, a tick, and the players who
    take part in the match from this tick on.
    """
    if len(message) != _RETURN.size:
        raise DroppedMessage("malformed")
    _, player, tick, mask = _RETURN.unpack(message)
    return player, tick, {index for index in range(8) if mask >> index & 1}


def pack_return(player: int, tick: int, participants: set[int]) -> bytes:
    """Return a RETURN message."""
    return _RETURN.pack(RETURN, player, tick, sum([1 << index for index in participants]))


def pack_relayed(sender: int, receiver: int, content: bytes) -> bytes:
    """Return a RELAYED message. A third player forwards a RELAYED message between two players who
    are not connected to each other.
    """
    return _RELAYED.pack(RELAYED, sender, receiver) + content


def unpack_relayed(message: bytes) -> tuple[int, int, bytes]:
    """Return the contents of a RELAYED message: the first sender, the last receiver, and the
    forwarded message.
    """
    content = message[_RELAYED.size :]
    if content[:1] not in (RETURN, AGREED, COMING, ENTER_FOR) or len(content) > _RETURN.size:
        raise DroppedMessage("malformed")
    _, sender, receiver = _RELAYED.unpack_from(message)
    return sender, receiver, content


def unpack_coming(message: bytes) -> int:
    """Return the player in a COMING message, which says that the returning player is connected to
    the sender of the message.
    """
    if len(message) != 2:
        raise DroppedMessage("malformed")
    return message[1]


class Returns:
    """Brings other players back into a match that is running on this machine.

    Parameters
    ----------
    player
        The index of the player on this machine.
    history
        The final input of the match.
    departures
        The players who have left the match.
    send
        A function ``send(player, message)`` that sends a reliable message to a player of the match.
        If there is no connection to the player, another player forwards the message.
    readmit
        A function ``readmit(player, tick)``, which is called when this machine is the leader and
        has chosen the tick from which the player takes part again.
    drop
        A function ``drop(player)``, which is called when a player's machine has not agreed to
        another player's return within ``agreement_ns``. Without this limit, the match could wait
        for this machine forever.
    dropped
        The number of dropped messages, by the reason for which they were dropped.
    agreement_ns
        The number of nanoseconds within which all machines must agree to a return. If it is less
        than 3 seconds or more than 15 seconds, the machines have 3 or 15 seconds. None, the
        default, means 15 seconds.
    """

    not_state = True

    def __init__(
        self,
        player: int,
        history: MatchHistory,
        departures: Departures,
        send: Callable[[int, bytes], None],
        readmit: Callable[[int, int], None],
        drop: Callable[[int], None],
        dropped: Counter[str],
        agreement_ns: int | None = None,
    ) -> None:
        self.connections: dict[int, Connection] = {}
        """The connections of players who are rejoining the match but do not take part in it yet."""
        self.yields = False
        """Whether another machine's match is replacing this machine's match."""
        self._player = player
        self._history = history
        self._departures = departures
        self._send = send
        self._readmit = readmit
        self._drop = drop
        self._dropped = dropped
        self._agreement_ns = min(
            max(agreement_ns or _MAX_AGREEMENT, _MIN_AGREEMENT), _MAX_AGREEMENT
        )
        # For each player: the connection, the next final tick to send, and the last final tick to
        # send.
        self._streams: dict[int, tuple[Connection, int, int | None]] = {}
        # For each player who has caught up: a mask of the players with a connection.
        self._connected: dict[int, int] = {}
        # For each player in `_connected`: the time when the leader first considered letting the
        # player return.
        self._connected_ns: dict[int, int] = {}
        # For each player who has caught up, but is connected only to other machines: the time of
        # the last request.
        self._requested_ns: dict[int, int] = {}
        # For each player who is coming back: the rank of the match that was sent.
        self._sent_ranks: dict[int, int] = {}
        # The player, the tick, and the players who must agree.
        self._pending: tuple[int, int, set[int]] | None = None
        self._pending_message = b""
        # The players who have received this message through another machine.
        self._relayed: set[int] = set()
        self._agree_until_ns = 0

    def add(self, player: int, connection: Connection) -> None:
        """Add the connection of a player who is rejoining the match."""
        self.connections[player] = connection
        self._send_status(player)
        self._tell_of(player, 0)

    def _send_status(self, player: int) -> None:
        """Send the rank of this match to a player who is rejoining it."""
        rank = self._sent_ranks[player] = self._departures.rank
        status = Status(True, rank, self._history.known)
        self.connections[player].send_reliable(status.to_bytes())

    def _tell_of(self, player: int, connected: int) -> None:
        """Inform the players with a higher index that this player is rejoining the match, so that
        they request a connection to this player. ``connected`` is a bit mask of the players who
        already have a connection.
        """
        for receiver in self._departures.participants:
            if receiver > player and not connected >> receiver & 1:
                self._send(receiver, COMING + bytes([player]))

    def take(self, player: int) -> Connection | None:
        """Remove and return the connection of a player who takes part again."""
        for stored in (self._connected, self._connected_ns, self._requested_ns, self._sent_ranks):
            stored.pop(player, None)
        return self.connections.pop(player, None)

    @property
    def held_tick(self) -> int | None:
        """The first tick for which this machine may not yet send its input, or None."""
        return None if self._pending is None else self._pending[1]

    def receive(self, last_tick: int, now_ns: int) -> None:
        """Handle the messages from players who are rejoining the match. ``last_tick`` is the last
        tick for which this machine has input of its own player. ``now_ns`` is the time of the
        link's clock in nanoseconds.
        """
        if not (self.connections or self._requested_ns or self._pending):
            return
        for player, connection in [*self.connections.items()]:
            if self._history.is_closed:
                connection.close(TOO_LONG)
            for channel, message in connection.received():
                if channel != "reliable":
                    # Machines that enter the match send input before all machines know about the
                    # return.
                    continue
                try:
                    self._handle(player, connection, message)
                except DroppedMessage as dropped:
                    self._dropped[dropped.reason] += 1
            if not connection.is_open:
                self.take(player)
            elif self._sent_ranks[player] != self._departures.rank:
                # The player needs the new rank, because it must request input from the leader.
                self._send_status(player)
        self._settle(last_tick, now_ns)

    def _handle(self, player: int, connection: Connection, message: bytes) -> None:
        kind = message[:1]
        if kind == STATUS:
            status = Status.from_bytes(message)
            if status.runs and status.rank < self._departures.rank:
                self.yields = True
        elif kind == ASK and len(message) == _ASK.size:
            self._begin_stream(player, connection, *_ASK.unpack(message)[1:])
        elif kind == ENTER and len(message) == _TICK.size:
            self._take_enter(player, connected=_TICK.unpack(message)[1])
        else:
            raise DroppedMessage("malformed")

    def _take_enter(self, player: int, connected: int) -> None:
        """Handle the request of a player who has caught up and wants to take part in the match
        again. ``connected`` is a bit mask of the players to whom this player is connected.
        """
        self._connected[player] = connected
        # Sent again, because the other machines may have only just lost the player.
        self._tell_of(player, connected)
        leader = self._departures.match_leader
        if leader != self._player and self.lacks(player, leader):
            self._send(leader, pack_player_tick(ENTER_FOR, player, connected))

    def lacks(self, player: int, leader: int) -> bool:
        """Return whether a returning player is connected to this machine, but not to the leader."""
        return player in self._connected and not self._connected[player] >> leader & 1

    def request(self, player: int, now_ns: int) -> None:
        """Store another machine's request to bring back a player who is not connected to this
        machine.
        """
        self._requested_ns[player] = now_ns
        if not self._departures.has_ended(player):
            raise DroppedMessage("late")

    def _begin_stream(self, player: int, connection: Connection, first: int, checksum: int) -> None:
        """Send the final input from the tick ``first`` on, if all earlier input is equal on both
        machines.
        """
        if first < 1:
            raise DroppedMessage("malformed")
        if self._history.checksum(first - 1) == checksum:
            self._streams[player] = connection, first, None
        else:
            connection.send_reliable(DIFFERENT)

    def _settle(self, last_tick: int, now_ns: int) -> None:
        """If this machine is the leader, choose the tick from which a player takes part again."""
        departures = self._departures
        if self._pending is not None:
            player, _, waiting = self._pending
            self._wait_for_agreement(player, waiting, now_ns)
            return
        # If a player has left, this player's last input must be known before another player enters.
        if departures.match_leader != self._player or not departures.is_settled:
            return
        entering = self._connected_to_enter(now_ns)
        if entering is None:
            entering = self._requested_to_enter(now_ns)
        if entering is not None:
            self._announce_return(entering, last_tick + _AHEAD, now_ns)

    def _announce_return(self, entering: int, tick: int, now_ns: int) -> None:
        """Inform all machines that a player takes part again from ``tick`` on, and begin to wait
        for their agreement.
        """
        participants = {*self._departures.participants}
        relayed = participants.difference(self._departures.remaining)
        message = pack_return(entering, tick, {*participants, self._player, entering})
        for receiver in sorted(participants):
            self._send(receiver, message)
        waiting = set(participants)
        if entering in self.connections:
            self.connections[entering].send_reliable(message)
            waiting.add(entering)
        self._pending = entering, tick, waiting
        self._pending_message = message
        self._relayed = relayed
        self._agree_until_ns = now_ns + self._agreement_ns
        self._readmit(entering, tick)

    def _connected_to_enter(self, now_ns: int) -> int | None:
        """Return a player who has run almost all ticks and is connected to all other players, or
        None. After three seconds, a player may enter the match even if some connections are
        missing. Other machines then forward the input of the players who are not connected.
        """
        required = {self._player, *self._departures.remaining}
        for player, connected_mask in sorted(self._connected.items()):
            if player not in self._streams:
                continue
            connected = {index for index in range(8) if connected_mask >> index & 1}
            since_ns = self._connected_ns.setdefault(player, now_ns)
            if connected >= required or now_ns - since_ns >= _PATIENCE:
                return player
        return None

    def _requested_to_enter(self, now_ns: int) -> int | None:
        """Return a player who has been connected only to other machines for three seconds, or
        None.
        """
        for player, requested_ns in sorted([*self._requested_ns.items()]):
            if now_ns - requested_ns >= _PATIENCE or player in self.connections:
                # The player has left again, or is connected to this machine now.
                del self._requested_ns[player]
                self._connected_ns.pop(player, None)
            elif now_ns - self._connected_ns.setdefault(player, now_ns) >= _PATIENCE:
                return player
        return None

    def _wait_for_agreement(self, entering: int, waiting: set[int], now_ns: int) -> None:
        """Wait until all other players have agreed that the player ``entering`` returns. If this
        machine loses the connection to one of them, it sends the message again through another
        machine.
        """
        departures = self._departures
        is_late = now_ns >= self._agree_until_ns
        for player in sorted((waiting & self._relayed) - departures.lost):
            # The player is connected to this machine again, and the forwarded answer may have been
            # lost.
            self._relayed.discard(player)
            self._send(player, self._pending_message)
        for player in sorted(waiting & departures.lost):
            # If the player who enters has no connection to the leader, the return starts again.
            if player == entering or departures.has_ended(player) or is_late:
                waiting.discard(player)
            elif player not in self._relayed and departures.forwarder(player) is not None:
                self._relayed.add(player)
                self._send(player, self._pending_message)
        for silent in sorted(waiting) if is_late else ():
            self._drop(silent)
        if not waiting:
            self._pending = None

    def agree(self, sender: int, player: int, tick: int) -> None:
        """Record that ``sender`` has received the tick from which a player takes part again."""
        if self._pending is None or self._pending[:2] != (player, tick):
            raise DroppedMessage("late")
        self._pending[2].discard(sender)

    def end_stream(self, player: int, tick: int) -> None:
        """Stop sending final input to a player after ``tick``. Called when the player takes part in
        the match again.
        """
        stream = self._streams.get(player)
        if stream is not None:
            self._streams[player] = *stream[:2], tick

    def send(self) -> None:
        """Send final input to the players who are rejoining the match."""
        for player, (connection, following, last) in [*self._streams.items()]:
            if not connection.is_open or (last is not None and following > last):
                del self._streams[player]
                continue
            until = self._history.known if last is None else last
            following = send_final(self._history, connection, following, until)
            self._streams[player] = connection, following, last

    def close(self) -> None:
        """Close the connections of players who are rejoining the match."""
        for connection in self.connections.values():
            connection.close("the match runs on other machines")
        self.connections.clear()


class CatchUp:
    """Receives the final input of the match while this machine's player is rejoining it.

    The machine that sends the input may change while the player is rejoining the match. If one
    machine has continued without the others for a while, two machines may have different versions
    of the match. Therefore each machine sends the input of all ticks after ``base``. `CatchUp`
    compares this input with the input of the ticks that have already run on this machine.

    Parameters
    ----------
    players
        The number of players in the match.
    base
        The last tick for which all machines have the same input.
    last_tick
        The last tick that has run on this machine.
    history
        The final input that this machine has used.
    """

    not_state = True

    def __init__(self, players: int, base: int, last_tick: int, history: MatchHistory) -> None:
        self.known = last_tick
        """The last tick with final input."""
        self.newest = last_tick
        """The last tick with final input on the machine that sends the input, as far as this
        machine knows.
        """
        self.source: int | None = None
        """The player who sends the input."""
        self.enter_tick: int | None = None
        """The tick from which this machine takes part in the match, or None if it is not known
        yet.
        """
        self.early = TickInput()
        """The keys that are held on this machine, and its gamepads."""
        self.has_requested = False
        """Whether this machine has requested to take part since the input from `source` arrived."""
        self.is_other_match = False
        """Whether the input came from a match that is being replaced by another match."""
        self._rank: int | None = None  # the rank of the match that the input belongs to
        self._base = base
        self._compared = base  # the last tick that the current sender has sent
        self._history = history
        self._players = players
        self._ticks: dict[int, Events] = {}
        self._frames = 0

    def take(self, message: bytes) -> None:
        """Store the final input from a message."""
        final = read_final(message, self._players)
        if final is None or final[0] > self._compared + 1:
            raise DroppedMessage("malformed")
        first, ticks = final
        used = self._history.events(first, len(ticks))
        for tick, events in enumerate(ticks, first):
            if tick == self.known + 1:
                self._ticks[tick] = events
                self.known = tick
            earlier = used[tick - first] if tick - first < len(used) else self._ticks.get(tick)
            self.is_other_match |= earlier is not None and earlier != events
        self._compared = max(self._compared, first + len(ticks) - 1)
        self.newest = max(self.newest, self.known)

    def input(self, tick: int, local: TickInput) -> TickInput | None:
        """Return the final input of a tick, or None if the input has not arrived."""
        self.early = held_at_start(TickInput(self.early.events + local.of(0).events))
        if tick > self.known or (self.enter_tick is not None and tick >= self.enter_tick):
            return None
        return TickInput(self._ticks[tick])

    def forget(self, tick: int) -> None:
        """Delete the input of a tick that has run."""
        self._ticks.pop(tick, None)

    def ticks_to_run(self, last_tick: int) -> int:
        """Return how many extra ticks to run now, before the next normal tick."""
        last = self.known if self.enter_tick is None else min(self.known, self.enter_tick - 1)
        return min(max(0, last - last_tick - 1), _MAX_AT_ONCE)

    def messages(self, last_tick: int, connected: dict[int, Status]) -> list[tuple[int, bytes]]:
        """Return a list of messages, as pairs of the receiving player and the bytes. ``connected``
        is a dict with the `Status` of each connected player. The session calls `messages` in each
        frame.
        """
        if self.enter_tick is not None:
            return []
        running = [player for player, status in connected.items() if status.runs]
        cut_off = [player for player in running if connected[player].rank >= CUT_OFF]
        leader = min({*running} - {*cut_off} or running, default=None)
        if self.source != leader:
            self.source = leader
            self.has_requested = False
            self._frames = 0
            self._compared = self._base
            return [] if leader is None else self._request_input(leader, connected[leader])
        self._frames += 1
        is_near = last_tick >= self.newest - _NEAR and self._compared >= last_tick
        if self.source is None or self._frames % _ASK_AGAIN or not is_near:
            return []
        self.has_requested = True
        mask = sum(1 << player for player in running)
        return [(self.source, _TICK.pack(ENTER, mask))]

    def _request_input(self, leader: int, status: Status) -> list[tuple[int, bytes]]:
        """Return a message that requests final input from another machine. Return no message if
        this machine must first change to the match of that machine.
        """
        former = self._rank
        self._rank = status.rank
        if former is not None and self._rank < former:
            self.is_other_match = True  # the match with the lower rank continues
            return []
        self.newest = max(self.newest, status.last_tick)
        checksum = self._history.checksum(self._base) or 0
        return [(leader, _ASK.pack(ASK, self._base + 1, checksum))]

    def progress(self, last_tick: int) -> int:
        """Return the percentage of the match's ticks that have already run on this machine."""
        return min(99, 100 * last_tick // max(1, self.newest))
