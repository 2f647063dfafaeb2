"""Manage the rooms of a relay, in which players meet, and forward messages between the players.

`Relay` uses neither sockets nor a clock. Its methods are called when something happens, such as
when a client connects or sends a frame. Frames that must be sent are added to a list.
`relay_server` sends them over WebSockets, and `memory_relay` passes them on within one process, for
tests.
"""

from __future__ import annotations

__all__ = ["Outgoing", "Relay"]

import hmac
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .. import checks
from .relay_messages import (
    ALPHABET,
    CODE_LENGTH,
    EVERYBODY,
    HOST,
    MAX_CHAT,
    MAX_FRAME,
    MAX_GAME,
    MAX_NAME,
    MAX_TEXT_FRAME,
    REPLACED,
    VERSION,
    pack_json,
    pack_message,
    text_of,
    unpack_json,
    unpack_message,
    whole_of,
)

_NANOSECONDS = 1_000_000_000
_MAX_MEMBERS = 64
_DEFAULT_MEMBERS = 8
_MAX_MEMBER_NUMBER = HOST - 1
_MAX_LISTED = 50
_MAX_IDLE = 600 * _NANOSECONDS  # the maximum time that a client may stay outside of all rooms
_MAX_FAILURES = 10
"""The number of wrong codes or keys after which a client is disconnected, so that attackers cannot
find a room by trying codes.
"""


class Outgoing(NamedTuple):
    """A frame that the relay sends to one client. If ``frame`` is None, disconnect the client.
    ``reason`` explains why the client is disconnected. If ``droppable`` is True, a newer frame will
    replace this frame, so it may be dropped while too many frames are waiting for the client.
    """

    client: int
    frame: str | bytes | None
    droppable: bool = False
    reason: str = ""


class _Allowance:
    """A rate limit: at most ``rate`` units per second on average, and at most ``burst`` units at
    once.
    """

    __slots__ = ("_burst", "_left", "_rate", "_updated_ns")

    def __init__(self, rate: float, burst: float, now_ns: int) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._updated_ns = now_ns

    def take(self, units: float, now_ns: int) -> bool:
        """If the limit now allows ``units`` more units, count them and return True. Otherwise,
        return False.
        """
        elapsed = (now_ns - self._updated_ns) / _NANOSECONDS
        self._updated_ns = now_ns
        self._left = min(self._burst, self._left + elapsed * self._rate)
        if self._left < units:
            return False
        self._left -= units
        return True


@dataclass(slots=True)
class _Member:
    """A player in a room. ``client`` is None while the player has no connection."""

    number: int
    name: str
    key: str
    client: int | None
    ready: bool = False
    lost_ns: int = 0

    def described(self) -> dict[str, Any]:
        """Return the data that the other members receive about this member."""
        online = self.client is not None
        return {"id": self.number, "name": self.name, "ready": self.ready, "online": online}


@dataclass(slots=True)
class _Room:
    code: str
    game: str
    size: int
    public: bool
    host: int = 1
    locked: bool = False
    next_number: int = 1
    members: dict[int, _Member] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the list of rooms contains the room, because any player may enter it."""
        return self.public and not self.locked and len(self.members) < self.size

    def described(self) -> dict[str, Any]:
        """Return an entry for the list of rooms."""
        host = self.members.get(self.host)
        name = host.name if host is not None else ""
        return {"code": self.code, "host": name, "members": len(self.members), "size": self.size}

    def online(self) -> list[_Member]:
        """Return the connected members of the room, in the order in which they entered the room."""
        return [member for member in self.members.values() if member.client is not None]


@dataclass(slots=True)
class _Client:
    address: str
    seen_ns: int
    requests: _Allowance
    messages: _Allowance
    data: _Allowance
    room: _Room | None = None
    member: _Member | None = None
    failures: int = 0


class Relay:
    """The rooms of a relay, with their members. The relay forwards messages between the members of
    a room without reading the contents.

    Parameters
    ----------
    max_clients, max_rooms
        The maximum number of clients, and the maximum number of rooms. If there are too many
        clients, a new client is disconnected. If there are too many rooms, a request for a new room
        fails.
    max_clients_per_address
        The maximum number of clients with the same address.
    rejoin_seconds
        How many seconds a member has to rejoin the room after losing the connection.
    choose
        A function that returns a random character from a string. The relay creates room codes with
        it. The default is `secrets.choice`, whose results attackers cannot predict.
    """

    not_state = True

    def __init__(
        self,
        *,
        max_clients: int = 1000,
        max_rooms: int = 500,
        max_clients_per_address: int = 64,
        rejoin_seconds: float = 60.0,
        choose: Callable[[str], str] = secrets.choice,
    ) -> None:
        self._max_clients = checks.whole("max_clients", max_clients, 1)
        self._max_rooms = checks.whole("max_rooms", max_rooms, 1)
        self._max_per_address = checks.whole("max_clients_per_address", max_clients_per_address, 1)
        self._rejoin_ns = round(checks.number("rejoin_seconds", rejoin_seconds, least=0) * 1e9)
        self._choose = checks.function("choose", choose)
        self._clients: dict[int, _Client] = {}
        self._rooms: dict[str, _Room] = {}
        self._outgoing: list[Outgoing] = []
        self.dropped: Counter[str] = Counter()

    @property
    def client_count(self) -> int:
        """The number of connected clients."""
        return len(self._clients)

    @property
    def room_count(self) -> int:
        """The number of rooms."""
        return len(self._rooms)

    def take_outgoing(self) -> list[Outgoing]:
        """Return the stored frames, and remove them from the relay."""
        outgoing = self._outgoing
        self._outgoing = []
        return outgoing

    # -- events ------------------------------------------------------------------------------------

    def connect(self, client: int, address: str, now_ns: int) -> bool:
        """Add a client and return True. If there are too many clients, disconnect the new client
        and return False.
        """
        same = sum(entry.address == address for entry in self._clients.values())
        if len(self._clients) >= self._max_clients or same >= self._max_per_address:
            self.dropped["too many clients"] += 1
            self._outgoing.append(Outgoing(client, None, reason="the relay is full"))
            return False
        self._clients[client] = _Client(
            address,
            now_ns,
            requests=_Allowance(10, 40, now_ns),
            messages=_Allowance(2000, 4000, now_ns),
            data=_Allowance(1 << 21, 1 << 23, now_ns),
        )
        return True

    def disconnect(self, client: int, now_ns: int) -> None:
        """Remove a client whose connection has ended. The player can rejoin the room within
        ``rejoin_seconds`` seconds.
        """
        entry = self._clients.pop(client, None)
        if entry is None or entry.room is None or entry.member is None:
            return
        room = entry.room
        entry.member.client = None
        entry.member.lost_ns = now_ns
        entry.member.ready = False
        self._tell(room, "member", member=entry.member.described())
        self._move_host(room)

    def receive(self, client: int, frame: str | bytes, now_ns: int) -> None:
        """Handle a frame from a client."""
        entry = self._clients.get(client)
        if entry is None:
            return
        entry.seen_ns = now_ns
        if len(frame) > MAX_FRAME:
            self._drop(client, "size", now_ns)
        elif isinstance(frame, bytes):
            self._forward(client, entry, frame, now_ns)
        else:
            self._request(client, entry, frame, now_ns)

    def advance(self, now_ns: int) -> None:
        """Remove empty rooms, and members who have not rejoined in time. Disconnect clients that
        are not in a room and have not sent anything for ten minutes.
        """
        for client, entry in list(self._clients.items()):
            if entry.room is None and now_ns - entry.seen_ns >= _MAX_IDLE:
                self._drop(client, "idle", now_ns)
        for room in list(self._rooms.values()):
            for member in list(room.members.values()):
                if member.client is None and now_ns - member.lost_ns >= self._rejoin_ns:
                    self._remove_member(room, member, "lost")

    # -- messages of the game ----------------------------------------------------------------------

    def _forward(self, client: int, entry: _Client, frame: bytes, now_ns: int) -> None:
        message = unpack_message(frame)
        if message is None:
            self._drop(client, "malformed", now_ns)
            return
        clients = self._receivers(entry, message.member)
        # The limit counts every copy of a message to all members, because the relay sends a copy to
        # each of them.
        size = len(frame) * max(1, len(clients))
        if not (entry.messages.take(1, now_ns) and entry.data.take(size, now_ns)):
            # A closed connection is better for the receivers than a missing reliable message.
            if message.reliable:
                self._drop(client, "flood", now_ns)
            else:
                self.dropped["flood"] += 1
            return
        if entry.member is not None:
            forwarded = pack_message(message.reliable, entry.member.number, message.data)
            for receiver in clients:
                self._outgoing.append(Outgoing(receiver, forwarded, not message.reliable))

    def _receivers(self, entry: _Client, number: int) -> list[int]:
        """Return the clients that must receive a message to the member with the ID ``number``."""
        room = entry.room
        if room is None:
            self.dropped["no room"] += 1
            return []
        if number == EVERYBODY:
            members = [member for member in room.members.values() if member is not entry.member]
        else:
            member = room.members.get(room.host if number == HOST else number)
            members = [] if member is None else [member]
        clients = [member.client for member in members if member.client is not None]
        if not clients:
            self.dropped["no member"] += 1
        return clients

    # -- requests ----------------------------------------------------------------------------------

    def _request(self, client: int, entry: _Client, frame: str, now_ns: int) -> None:
        if not entry.requests.take(1, now_ns):
            self._drop(client, "flood", now_ns)
            return
        message = unpack_json(frame, MAX_TEXT_FRAME)
        if message is None:
            self._drop(client, "malformed", now_ns)
            return
        if message.get("v") != VERSION:
            text = f"this relay uses version {VERSION} of the format; install the same version"
            self._fail(client, "version", text)
            return
        kind: str = message["type"]
        in_room = _IN_ROOM.get(kind)
        if in_room is not None:
            if entry.room is None or entry.member is None:
                self._fail(client, "no room", f"{kind}: join a room first")
            else:
                in_room(self, client, entry.room, entry.member, message)
            return
        outside = _OUTSIDE.get(kind)
        if outside is None:
            self.dropped["unknown request"] += 1
            self._fail(client, "unknown", "this relay does not know the request")
        elif entry.room is not None and kind not in ("list", "ping"):
            self._fail(client, "in a room", f"{kind}: leave the room first")
        else:
            outside(self, client, entry, message, now_ns)

    def _create(self, client: int, entry: _Client, message: dict[str, Any], now_ns: int) -> None:
        game = text_of(message, "game", MAX_GAME)
        size = whole_of(message, "size") if "size" in message else _DEFAULT_MEMBERS
        if not 2 <= size <= _MAX_MEMBERS:
            self._fail(client, "size", f"size: expected 2 to {_MAX_MEMBERS} members")
            return
        if len(self._rooms) >= self._max_rooms:
            self._fail(client, "full", "this relay has no free room; try again later")
            return
        code = self._new_code()
        room = _Room(code, game, size, public=message.get("public") is True)
        self._rooms[code] = room
        self._enter(client, entry, room, message)

    def _new_code(self) -> str:
        while True:
            code = "".join(self._choose(ALPHABET) for _ in range(CODE_LENGTH))
            if code not in self._rooms:
                return code

    def _join(self, client: int, entry: _Client, message: dict[str, Any], now_ns: int) -> None:
        code = text_of(message, "code", MAX_GAME).upper()
        room = self._rooms.get(code)
        if room is None:
            self._fail(client, "no such room", f"there is no room {code}; check the code")
            self._count_failure(client, entry, now_ns)
        elif room.game != text_of(message, "game", MAX_GAME):
            self._fail(client, "other game", f"room {code} is for another game")
        elif room.locked:
            self._fail(client, "locked", f"room {code} is locked; its match has started")
        elif len(room.members) >= room.size or room.next_number > _MAX_MEMBER_NUMBER:
            self._fail(client, "full", f"all {room.size} places of room {code} are taken")
        else:
            self._enter(client, entry, room, message)

    def _enter(self, client: int, entry: _Client, room: _Room, message: dict[str, Any]) -> None:
        number = room.next_number
        name = text_of(message, "name", MAX_NAME) or f"Player {number}"
        member = _Member(number, name, secrets.token_hex(16), client)
        room.next_number += 1
        room.members[number] = member
        self._welcome(client, entry, room, member)

    def _welcome(self, client: int, entry: _Client, room: _Room, member: _Member) -> None:
        entry.room = room
        entry.member = member
        # Choose the host before the new member receives the list of members.
        self._tell(room, "member", exclude=member, member=member.described())
        self._move_host(room, exclude=member)
        self._send(
            client,
            "joined",
            code=room.code,
            game=room.game,
            size=room.size,
            you=member.number,
            key=member.key,
            host=room.host,
            locked=room.locked,
            members=[seat.described() for seat in room.members.values()],
        )

    def _rejoin(self, client: int, entry: _Client, message: dict[str, Any], now_ns: int) -> None:
        room = self._rooms.get(text_of(message, "code", MAX_GAME).upper())
        member = room.members.get(whole_of(message, "you")) if room is not None else None
        key = text_of(message, "key", MAX_GAME).encode()
        if room is None or member is None or not hmac.compare_digest(member.key.encode(), key):
            text = "the room is gone, or the place in it was given up; join the room again"
            self._fail(client, "no such place", text)
            self._count_failure(client, entry, now_ns)
            return
        # The relay has not noticed yet that the old connection has ended.
        if member.client is not None:
            old = self._clients.pop(member.client)
            old.room = old.member = None
            self._outgoing.append(Outgoing(member.client, None, reason=REPLACED))
        member.client = client
        self._welcome(client, entry, room, member)

    def _list(self, client: int, entry: _Client, message: dict[str, Any], now_ns: int) -> None:
        game = text_of(message, "game", MAX_GAME)
        rooms = [room for room in self._rooms.values() if room.is_open and room.game == game]
        listed = [room.described() for room in rooms[:_MAX_LISTED]]
        self._send(client, "rooms", rooms=listed)

    def _ping(self, client: int, entry: _Client, message: dict[str, Any], now_ns: int) -> None:
        self._send(client, "pong", n=whole_of(message, "n"))

    # -- requests of members -----------------------------------------------------------------------

    def _leave(self, client: int, room: _Room, member: _Member, message: dict[str, Any]) -> None:
        self._remove_member(room, member, "left")

    def _chat(self, client: int, room: _Room, member: _Member, message: dict[str, Any]) -> None:
        text = text_of(message, "text", MAX_CHAT)
        if text:
            self._tell(room, "chat", member=member.number, text=text)

    def _ready(self, client: int, room: _Room, member: _Member, message: dict[str, Any]) -> None:
        member.ready = message.get("ready") is True
        self._tell(room, "member", member=member.described())

    def _kick(self, client: int, room: _Room, member: _Member, message: dict[str, Any]) -> None:
        target = self._target(client, room, member, message)
        if target is not None:
            self._remove_member(room, target, "kicked")

    def _grant(self, client: int, room: _Room, member: _Member, message: dict[str, Any]) -> None:
        target = self._target(client, room, member, message)
        if target is not None and target.client is None:
            self._fail(client, "not connected", f"{target.name} is not connected")
        elif target is not None:
            room.host = target.number
            self._tell(room, "host", member=target.number)

    def _lock(self, client: int, room: _Room, member: _Member, message: dict[str, Any]) -> None:
        if member.number != room.host:
            self._fail(client, "not the host", "lock: only the host can lock the room")
            return
        room.locked = message.get("locked") is True
        self._tell(room, "lock", locked=room.locked)

    def _target(
        self, client: int, room: _Room, member: _Member, message: dict[str, Any]
    ) -> _Member | None:
        """Return the member whom the host has chosen in a request. If the request is invalid, send
        an error to the client and return None.
        """
        kind = message["type"]
        target = room.members.get(whole_of(message, "member"))
        if member.number != room.host:
            self._fail(client, "not the host", f"{kind}: only the host of the room can do this")
        elif target is None or target is member:
            self._fail(client, "no such member", f"{kind}: expected the number of another member")
        else:
            return target
        return None

    # -- rooms -------------------------------------------------------------------------------------

    def _remove_member(self, room: _Room, member: _Member, reason: str) -> None:
        del room.members[member.number]
        if member.client is not None:
            entry = self._clients[member.client]
            entry.room = entry.member = None
            self._send(member.client, "ended", reason=reason)
        if not room.members:
            del self._rooms[room.code]
            return
        self._tell(room, "left", member=member.number, reason=reason)
        self._move_host(room)

    def _move_host(self, room: _Room, exclude: _Member | None = None) -> None:
        """If the host is not connected, the connected member with the lowest ID becomes the host.
        If no member is connected, the host stays the same. If the host has left and no member is
        connected, the member with the lowest ID becomes the host.
        """
        host = room.members.get(room.host)
        online = room.online()
        if (host is None or host.client is None) and online:
            room.host = min(member.number for member in online)
            self._tell(room, "host", exclude=exclude, member=room.host)
        elif host is None:
            room.host = min(room.members)

    # -- frames ------------------------------------------------------------------------------------

    def _send(self, client: int, kind: str, **values: Any) -> None:
        self._outgoing.append(Outgoing(client, pack_json(kind, **values)))

    def _tell(
        self, room: _Room, kind: str, *, exclude: _Member | None = None, **values: Any
    ) -> None:
        frame = pack_json(kind, **values)
        for member in room.online():
            if member is not exclude and member.client is not None:
                self._outgoing.append(Outgoing(member.client, frame))

    def _fail(self, client: int, error: str, text: str) -> None:
        self._send(client, "error", error=error, text=text)

    def _count_failure(self, client: int, entry: _Client, now_ns: int) -> None:
        entry.failures += 1
        if entry.failures >= _MAX_FAILURES:
            self._drop(client, "guessing", now_ns)

    def _drop(self, client: int, reason: str, now_ns: int) -> None:
        """Disconnect a client for a ``reason`` such as "malformed"."""
        self.dropped[reason] += 1
        self._outgoing.append(Outgoing(client, None, reason=reason))
        self.disconnect(client, now_ns)


_Outside = Callable[[Relay, int, _Client, dict[str, Any], int], None]
_InRoom = Callable[[Relay, int, _Room, _Member, dict[str, Any]], None]
_OUTSIDE: dict[str, _Outside] = {
    "create": Relay._create,
    "join": Relay._join,
    "rejoin": Relay._rejoin,
    "list": Relay._list,
    "ping": Relay._ping,
}
_IN_ROOM: dict[str, _InRoom] = {
    "leave": Relay._leave,
    "chat": Relay._chat,
    "ready": Relay._ready,
    "kick": Relay._kick,
    "grant": Relay._grant,
    "lock": Relay._lock,
}
