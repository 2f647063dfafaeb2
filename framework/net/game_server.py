"""Run a game without a window, as a server to which several clients connect."""

from __future__ import annotations

__all__ = ["Server"]

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..game.driven_game import replication_of, subscribers_of
from ..game.game import Game, make_game
from ..game.launch import check_game
from ..game.session import SessionStats
from ..input.tick_input import Event, TickInput
from ..sim.server import HeadlessLoop
from . import server_messages as messages
from .client_peer import ClientPeer
from .connection import Connection
from .endpoint import MAX_PER_HOST, Endpoint
from .event_arguments import wrong_arguments
from .identity import difference_of_sources, packed_sources
from .link import HEADERS, Link, Peer
from .replicas import MAX_OWN_ROWS, ReplicaForm, normalized_rotations
from .row_codec import BLOCK
from .row_lookup import indices_of
from .row_sender import AckedStates, RowSender
from .traffic import Traffic
from .udp_link import UdpLink

SNAPSHOT_RATE = 20.0
"""The default for the number of states per second that a server sends."""
_REWIND_SECONDS = 1.0
_BAD_MESSAGES = 1000  # a client that sends more invalid messages than this is disconnected
_MAX_OWN_BYTES = 900  # the maximum size of the rows that one client predicts, in bytes
_MAX_SOURCES = 900  # the maximum size of the file hashes in a handshake, in bytes
_BURST = 2.0  # a client may receive the data for this number of seconds in one burst


class ServerSession:
    """The session of a game that runs on a server. The session receives the input of all clients
    and sends states to them.
    """

    not_state = True

    def __init__(
        self,
        link: Link,
        snapshot_rate: float,
        bandwidth: float | None,
        *,
        max_per_host: int = MAX_PER_HOST,
        check_sources: bool = True,
    ) -> None:
        self.stats = SessionStats()
        self.dropped: Counter[str] = Counter()
        self._link = link
        self._snapshot_rate = snapshot_rate
        self._bandwidth = bandwidth
        self._max_per_host = max_per_host
        self._check_sources = check_sources
        self._closed = False

    # -- the session of a game ---------------------------------------------------------------------

    def start(self, game: Any) -> None:
        """Called once, after the game's ``setup``."""
        self._game: Any = game
        replication = replication_of(game)
        replication.started = True
        self._rate = float(game.timestep.rate)
        self._interval = max(1, round(self._rate / self._snapshot_rate))
        self._forms = [ReplicaForm(replica) for replica in replication.replicas]
        self._shared = [self._sender(form) for form in self._forms]
        self._events = list(replication.events)
        for name in self._events:
            game.subscribe(name, partial(self._emit, name))
        self._clients: dict[Connection, ClientPeer] = {}
        self._changes: list[Event] = []  # events for the next tick: players who join or leave
        self._past: deque[tuple[int, list[_Past]]] = deque(
            maxlen=max(2, round(_REWIND_SECONDS * self._rate))
        )
        # The last tick whose state was stored.
        self._noted = 0
        # The last tick of the game.
        self._ran = 0
        # The tick numbers in messages never decrease, even after `Game.restore`.
        self._shift = 0
        self._traffic = Traffic()
        program = ProgramIdentity(game, self._check_sources)
        self._endpoint = Endpoint(
            self._link,
            identity=program.packed,
            compare=partial(program.difference, on_server=True),
            admit=self._refusal,
            max_peers=len(game.players),
            max_per_host=self._max_per_host,
        )

    def before_tick(self, game: Any, number: int) -> None:
        """Store the state after the last tick, and receive packets. Called before each tick."""
        last = number - 1
        if last < self._ran:  # the game has restored a snapshot
            self._shift += self._ran - last
        self._ran = last
        self._end_tick(last + self._shift)
        self._receive(last + self._shift)

    def tick(self, number: int, local: TickInput) -> TickInput:
        """Return the input of all players for a tick."""
        inputs = [TickInput()] * len(self._game.players)
        for client in self._clients.values():
            inputs[client.player] = client.take_input(number + self._shift)
        merged = TickInput.merge(inputs)
        changes = tuple(self._changes)
        self._changes = []
        return TickInput(changes + merged.events)

    def frame(self, game: Any) -> None:
        """Send the state after the last tick to clients. Called in each frame."""
        if game.tick >= self._ran:
            self._ran = game.tick
            # Packets are received first, because states are predicted from the newest acks.
            self._receive(game.tick + self._shift)
            self._end_tick(game.tick + self._shift)
        self._endpoint.flush()
        self._measure()

    def close(self) -> None:
        """Disconnect all clients. Called when the game ends."""
        if not self._closed:
            self._closed = True
            if hasattr(self, "_endpoint"):
                self._endpoint.close("the server has ended")
            else:
                self._link.close()

    # -- clients -----------------------------------------------------------------------------------

    @property
    def clients(self) -> list[ClientPeer]:
        """The connected clients, sorted by player index."""
        return sorted(self._clients.values(), key=lambda client: client.player)

    def _refusal(self, peer: Peer, token: bytes) -> str | None:
        try:
            messages.checked_name(token.decode())
        except UnicodeDecodeError:
            return "the name of the player is not valid text"
        return None

    def _receive(self, tick: int) -> None:
        endpoint = self._endpoint
        endpoint.poll()
        for connection, client in [*self._clients.items()]:
            for channel, data in connection.received():
                try:
                    if channel != "unreliable" or data[:1] != bytes([messages.INPUT]):
                        raise ValueError("kind")
                    client.receive_input(messages.unpack_input(data), tick)
                except ValueError:
                    self._count_malformed(client)
            if not connection.is_open:
                self._leave(connection)
        # Accept connections last. If a client starts again, its old connection must end first.
        for connection in endpoint.accepted():
            self._join(connection, tick)

    def _count_malformed(self, client: ClientPeer) -> None:
        """Count an invalid message. Disconnect a client that has sent too many of them."""
        client.dropped["malformed"] += 1
        self.dropped["malformed"] += 1
        if client.dropped["malformed"] > _BAD_MESSAGES:
            client.connection.close("too many messages make no sense")

    def _join(self, connection: Connection, tick: int) -> None:
        used = {client.player for client in self._clients.values()}
        player = next(number for number in range(len(self._game.players)) if number not in used)
        name = messages.checked_name(connection.token.decode()) or f"player {player + 1}"
        client = ClientPeer(connection, player, name, len(self._forms))
        self._clients[connection] = client
        welcome = self._welcome(player, tick)
        connection.send_reliable(messages.pack_json(messages.WELCOME, welcome))
        for index, form in enumerate(self._forms):
            own = form.replica.visible is not None
            sender = self._sender(form) if own else self._shared[index]
            client.senders.append(sender)
            client.acked.append(AckedStates(sender.gap))
            message = messages.pack_stream(messages.MEMBERS, index, sender.welcome())
            connection.send_reliable(message)
        self._changes.append(("on_player_join", player, name))

    def _welcome(self, player: int, tick: int) -> dict[str, Any]:
        """Return the content of the first message for a new client."""
        return {
            "player": player,
            "players": len(self._game.players),
            "tick": tick,
            "rate": self._rate,
            "interval": self._interval,
            "batches": [form.described() for form in self._forms],
            "events": self._events,
        }

    def _leave(self, connection: Connection) -> None:
        client = self._clients.pop(connection)
        self._changes.append(("player", client.player))
        self._changes.append(("on_deactivate",))  # releases all keys and buttons of the player
        if client.has_gamepad:
            self._changes.append(("on_pad_disconnect", client.player))
        self._changes.append(("player", 0))
        self._changes.append(("on_player_leave", client.player))

    def _sender(self, form: ReplicaForm) -> RowSender:
        return RowSender(form.shifts, form.columns, self._interval)

    def _emit(self, name: str, *arguments: Any, **named: Any) -> None:
        """Send an event to all clients."""
        if named:
            raise TypeError(
                f"emit: expected an event of replicate_events without keyword arguments, got "
                f"{checks.shown(next(iter(named)))}; pass the values in order"
            )
        try:
            plain = [plain_value(argument) for argument in arguments]
            data = messages.pack_event(self._game.tick + self._shift, name, plain)
        except (TypeError, ValueError):
            raise TypeError(
                f"emit: expected numbers, strings or lists of them for the event {name!r}, because "
                f"clients receive it, got {checks.shown(arguments)}"
            ) from None
        for function in subscribers_of(self._game, name):
            if problem := wrong_arguments(function, plain):
                raise TypeError(
                    f"emit: event {name!r}: {problem}; clients drop such events, so change the "
                    "value or the annotation"
                )
        for connection in self._clients:
            connection.send_reliable(data)

    # -- states ------------------------------------------------------------------------------------

    def _end_tick(self, tick: int) -> None:
        """Store the state after a tick, and send the state to the clients that are due. Different
        clients are due in different ticks, so that the server sends about the same amount of data
        in each tick.
        """
        if tick <= self._noted:
            return
        self._noted = tick
        self._past.append((tick, [_Past(form) for form in self._forms]))
        interval = self._interval
        # Clients receive their states in different ticks, so that each tick takes about the same
        # time.
        due = [
            client
            for client in self._clients.values()
            if tick % interval == client.player % interval
        ]
        if due:
            self._send_states(tick, due)

    def _send_states(self, tick: int, due: list[ClientPeer]) -> None:
        for index, form in enumerate(self._forms):
            numbers = form.numbers()
            table = form.replica.table
            ids = table.ids.values(table.count)
            columns = form.changing()
            if form.replica.visible is None:
                self._update(index, tick, ids, numbers, columns, [*self._clients.values()])
                continue
            for client in due:
                rows = np.flatnonzero(form.replica.mask("visible", client.player))
                chosen = [column[rows] for column in columns]
                self._update(index, tick, ids[rows], numbers[rows], chosen, [client])
        for client in due:
            self._send_to(client, tick)

    def _update(
        self,
        index: int,
        tick: int,
        ids: NDArray[np.uint32],
        numbers: NDArray[np.int32],
        columns: list[NDArray[Any]],
        clients: list[ClientPeer],
    ) -> None:
        """Store the new state of a batch in its sender, and send messages about changed rows to the
        clients.
        """
        sender = clients[0].senders[index]
        version = sender.version
        for number, data in enumerate(sender.update(tick, ids, numbers, columns)):
            is_members = number == 0 and sender.version != version
            kind = messages.MEMBERS if is_members else messages.CHANGES
            message = messages.pack_stream(kind, index, data)
            for client in clients:
                client.connection.send_reliable(message)

    def _send_to(self, client: ClientPeer, tick: int) -> None:
        connection = client.connection
        if not connection.is_open:
            return
        margin = client.newest_label - tick
        own = self._predicted_rows(client)
        packed = messages.pack_tick(messages.TickMessage(tick, client.label, margin, own))
        connection.send_unreliable(packed)
        self._send_parts(client, tick, self._allowed_bytes(client, len(packed)))

    def _predicted_rows(self, client: ClientPeer) -> list[tuple[int, int, bytes]]:
        """Return the rows that a client predicts, for `TickMessage.own`."""
        own = []
        space = _MAX_OWN_BYTES
        for index, form in enumerate(self._forms):
            if form.replica.predict is not None:
                count = min(MAX_OWN_ROWS, space // form.row_bytes)
                rows = np.flatnonzero(form.replica.mask("predict", client.player))[:count]
                space -= len(rows) * form.row_bytes + 2
                own.append((index, len(rows), form.exact_rows(rows)))
        return own

    def _send_parts(self, client: ClientPeer, tick: int, allowed: int | None) -> None:
        """Send the newest state of all batches to a client, in at most ``allowed`` bytes. None
        means that there is no limit.
        """
        for index, sender in enumerate(client.senders):
            priorities = None
            if allowed is not None:
                priorities = self._urgency(client, index, sender)
                if allowed <= 0:
                    continue
            parts = sender.parts(client.acked[index], priorities, allowed)
            for part in parts:
                number = client.note_part(index, tick, part.blocks)
                state_head = messages.STATE_HEAD.pack(messages.STATE, number, index)
                client.connection.send_unreliable(state_head + part.data)
                size = len(part.data) + len(state_head) + HEADERS
                if allowed is not None:
                    client.spend(size)
                    allowed = max(0, allowed - size)
                    client.urgency[index][part.blocks] = 0

    def _allowed_bytes(self, client: ClientPeer, used: int) -> int | None:
        """Return how many bytes the server may send to this client now, or None if there is no
        limit.
        """
        if self._bandwidth is None:
            return None
        share = self._bandwidth / 8 * self._interval / self._rate
        client.allow(share, share * _BURST)
        client.spend(used + HEADERS)
        return client.allow(0, share * _BURST)

    def _urgency(self, client: ClientPeer, index: int, sender: RowSender) -> NDArray[np.float64]:
        """Return the priority of each block of rows for this client. A priority grows until the
        server sends the block.
        """
        urgency = client.urgency[index]
        if len(urgency) < sender.blocks:
            urgency = np.append(urgency, np.zeros(sender.blocks - len(urgency)))
            client.urgency[index] = urgency
        replica = self._forms[index].replica
        if replica.priority is None:
            urgency += 1
            return urgency
        of_rows = replica.priorities(client.player)
        if replica.visible is not None:
            of_rows = of_rows[replica.mask("visible", client.player)]
        np.maximum.at(gained := np.zeros(len(urgency)), sender.slots // BLOCK, of_rows)
        urgency += gained
        return urgency

    def shown_tick(self, player: int) -> float:
        """Return the tick that this player's screen is showing. See `Server.shown_tick`."""
        number = checks.whole("player", player)
        for client in self._clients.values():
            if client.player == number:
                return client.shown or float(self._noted)
        names = ", ".join([str(client.player) for client in self.clients]) or "nobody"
        raise ValueError(f"player: expected a connected player ({names}), got {number}")

    # -- the past ----------------------------------------------------------------------------------

    @contextmanager
    def rewound(self, tick: float) -> Iterator[None]:
        """Return a context manager for hit tests in the past. Inside the ``with`` block, the
        batches have the positions and angles of an earlier tick.
        """
        past = self._state_at(tick)
        now = [_Past(form) for form in self._forms]
        for state in past:
            state.put()
        try:
            yield
        finally:
            for state in now:
                state.put()

    def _state_at(self, tick: float) -> list[_Past]:
        past = [*self._past]
        if not past:
            return []
        index = 0
        while index < len(past) - 1 and past[index + 1][0] <= tick:
            index += 1
        before, states = past[index]
        if index == len(past) - 1 or tick <= before:
            return states
        share = (tick - before) / (past[index + 1][0] - before)
        return [
            state.blended(later, share)
            for state, later in zip(states, past[index + 1][1], strict=True)
        ]

    # -- measured values ---------------------------------------------------------------------------

    def _measure(self) -> None:
        stats = self.stats
        connections = [*self._clients]
        stats.ping = max([connection.ping for connection in connections], default=0.0)
        self._traffic.update(stats, self._link)


class _Past:
    """The positions and angles of all rows in a batch after a tick."""

    __slots__ = ("_columns", "_form", "_ids")

    def __init__(self, form: ReplicaForm) -> None:
        table = form.replica.table
        count = table.count
        names = ("position",) if form.orientation is None else ("position", form.orientation)
        self._form = form
        self._ids = table.ids.values(count)
        self._columns = [(name, table.column(name).current(count).copy()) for name in names]

    def put(self) -> None:
        """Write the stored positions and angles into all rows that still exist."""
        table = self._form.replica.table
        count = table.count
        if np.array_equal(table.ids.values(count), self._ids):
            for name, values in self._columns:
                table.column(name).values(count)[:] = values
            return
        rows = self._form.replica.batch.row_of(self._ids)
        present = rows >= 0
        for name, values in self._columns:
            table.column(name).values(count)[rows[present]] = values[present]

    def blended(self, later: _Past, share: float) -> _Past:
        """Interpolate between this state and a ``later`` state. If ``share`` is 0, the result is
        equal to this state. If ``share`` is 1, the result is equal to the later state. A row that
        does not exist in the later state keeps its position and angle from this state.
        """
        result = _Past.__new__(_Past)
        result._form = self._form
        result._ids = self._ids
        rows = indices_of(self._ids, later._ids)
        both = rows >= 0
        result._columns = []
        for (name, before), (_, after) in zip(self._columns, later._columns, strict=True):
            values = before.copy()
            if both.any():
                values[both] = _blended(name, before[both], after[rows[both]], share)
            result._columns.append((name, values))
        return result


def _blended(
    name: str, before: NDArray[np.float32], after: NDArray[np.float32], share: float
) -> NDArray[np.float32]:
    """Interpolate between two states of the column ``name``. Angles and rotations take the shorter
    way. ``after`` is overwritten.
    """
    if name == "rotation":  # the negative quaternion is the same rotation
        after[np.einsum("ij,ij->i", after, before) < 0] *= -1
    change = after - before
    if name == "angle":
        change = np.remainder(change + np.pi, 2 * np.pi) - np.pi
    values = before + change * np.float32(share)
    return normalized_rotations(values) if name == "rotation" else values


def plain_value(value: object) -> object:
    """Convert NumPy numbers to Python numbers, and NumPy arrays to lists."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    return value


class ProgramIdentity:
    """The values that must be equal on a server and its clients: the version of the messages, the
    name of the game, and its Python files.
    """

    not_state = True

    def __init__(self, game: Any, check_sources: bool) -> None:
        sources = packed_sources(game, _MAX_SOURCES) if check_sources else b""
        head = f"{messages.PROTOCOL} {type(game).__name__}\n"
        self._head = head
        self._sources = sources
        self.packed = head.encode() + sources
        """The values as bytes, for the handshake."""

    def difference(self, other: bytes, *, on_server: bool) -> str | None:
        """Compare this identity with the packed identity of the other side, ``other``. Return a
        sentence about the first difference, or None. ``on_server`` is True if this side is the
        server. Raises `ValueError` if the bytes are damaged.
        """
        head, _, sources = other.partition(b"\n")
        ours = self._head.rstrip("\n").partition(" ")
        theirs = head.decode(errors="replace")[:80].partition(" ")
        server, client = (ours, theirs) if on_server else (theirs, ours)
        if server[0] != client[0]:
            return (
                f"the server uses version {server[0]} of the protocol, and the client version "
                f"{client[0]}; install the same version of Subtick"
            )
        if server[2] != client[2]:
            return f"the server runs the game {server[2]}, and the client {client[2]}"
        return difference_of_sources(self._sources, sources)


def session_on(port: int) -> ServerSession:
    """Open a UDP port, print its number, and return a server session on it."""
    link = UdpLink(port)
    print(f"listening on UDP port {link.port}", flush=True)
    return ServerSession(link, SNAPSHOT_RATE, None)


class Server:
    """A server that runs a game without a screen. Clients play this game over a network.

    ``fw.Server(Arena, port=7000).run()`` runs the game ``Arena``. Players connect with
    ``fw.run(Arena, session=fw.Client("host:7000", name="Ann"))``. The server sends the rows of all
    batches that you pass to `Network.replicate`, and the events that you pass to
    `Network.replicate_events`. When a player joins, the server calls the game's method
    ``on_player_join(player, name)``. When a player leaves, the server calls
    ``on_player_leave(player)``.

    Parameters
    ----------
    game_class
        The class of the game.
    port
        The UDP port for the clients. If it is 0, the operating system chooses a free port, which
        you can read from the property `port`.
    link
        A link that replaces the UDP link, such as a `MemoryLink`.
    snapshot_rate
        The number of states per second that each client receives. The default is 20 states per
        second.
    bandwidth
        The maximum number of bits per second for one client. Data about new and removed rows does
        not count, because it is always sent. None, the default, means that the bandwidth is not
        limited.
    max_per_host
        The maximum number of clients on one other computer or behind one router. This limit
        prevents one computer from taking all places. Clients on this computer are not limited.
        Default: 8.
    check_sources
        Whether the server compares the Python files of both games, and refuses a client if a file
        differs. If False, the client and the server can run different versions of the files. Use
        False only for development.
    options
        Options of the game, such as ``players=8``. The option ``players`` is the maximum number of
        clients.

    Raises
    ------
    NetworkError
        If another program uses the port.
    """

    not_state = True

    def __init__(
        self,
        game_class: type[Game],
        port: int = 7000,
        *,
        link: Link | None = None,
        snapshot_rate: float = SNAPSHOT_RATE,
        bandwidth: float | None = None,
        max_per_host: int = MAX_PER_HOST,
        check_sources: bool = True,
        **options: Any,
    ) -> None:
        check_game(game_class)
        rate = checks.number("snapshot_rate", snapshot_rate, above=0)
        limit = None if bandwidth is None else checks.number("bandwidth", bandwidth, least=8000)
        max_on_host = checks.whole("max_per_host", max_per_host, 1)
        sources = checks.flag("check_sources", check_sources)
        if link is not None:
            checks.methods("link", link, ("send", "receive", "close"), "a link, such as UdpLink()")
        self._link: Link = UdpLink(port) if link is None else link
        self._session = ServerSession(
            self._link, rate, limit, max_per_host=max_on_host, check_sources=sources
        )
        try:
            overrides: Any = {"drawing": False, "session": self._session}
            self._game: Any = make_game(game_class, overrides, **options)
        except BaseException:
            self._link.close()
            raise

    @property
    def game(self) -> Any:
        """The game that the server runs. In a test, call ``server.game.advance(1 / 60)`` to run a
        tick.
        """
        return self._game

    @property
    def port(self) -> int:
        """The UDP port for the clients. The value is 0 if you passed your own link."""
        return getattr(self._link, "port", 0)

    @property
    def players(self) -> dict[int, str]:
        """A dict with the names of the connected players. The keys of the dict are player
        indices.
        """
        return {client.player: client.name for client in self._session.clients}

    @property
    def stats(self) -> SessionStats:
        """Network statistics, such as the ping of the slowest client."""
        return self._session.stats

    @property
    def dropped(self) -> Counter[str]:
        """The number of rejected messages from clients, for each reason."""
        total = self._session.dropped.copy()
        for client in self._session.clients:
            total.update({key: n for key, n in client.dropped.items() if key != "malformed"})
        return total

    def run(self, ticks: int | None = None) -> None:
        """Run the game in real time until `Game.exit` is called, or for ``ticks`` ticks."""
        HeadlessLoop(self._game).run(ticks)

    def shown_tick(self, player: int) -> float:
        """Return the tick that this player's screen is showing, as a float. It is a few ticks old,
        because states take time to reach the player. Pass it to `rewound`.

        Raises `ValueError` if the player is not connected.
        """
        return self._session.shown_tick(player)

    def rewound(self, tick: float) -> Any:
        """Return a context manager for hit tests in the past. Inside the ``with`` block, all
        replicated batches have the positions and angles of an earlier tick. ``tick`` may be at most
        one second in the past.

        Players see a state that is a few ticks old. Inside ``with
        server.rewound(server.shown_tick(player)):``, you can test whether a player has hit
        something in the state that the player saw. Rows that were removed after that tick do not
        exist in the ``with`` block.
        """
        return self._session.rewound(checks.number("tick", tick))

    def close(self) -> None:
        """Disconnect all clients, and close the game."""
        self._game.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
