"""Online rooms where players meet through a relay, chat, and start a match together."""

from __future__ import annotations

__all__ = ["Room"]

import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import checks
from .link import Peer
from .relay_link import RelayLink, Relays, RelaySocket
from .relay_messages import (
    EVERYBODY,
    HOST,
    MAX_CHAT,
    MAX_DATA,
    MAX_GAME,
    MAX_NAME,
    REPLACED,
    GameMessage,
    pack_json,
    pack_message,
    text_of,
    unpack_json,
    unpack_message,
    whole_of,
)

_NANOSECONDS = 1_000_000_000
# the first byte of a binary frame is one of these
_MESSAGE = b"\x00"
_DATAGRAM = b"\x01"
_MAX_EVENTS = 4096
_MAX_EVENT_BYTES = 1 << 22
_MAX_LISTED = 50
_MAX_WAITING = 50  # the maximum number of requests that can wait until the connection is open
_MAX_MEMBERS = 64
_RETRY = 2 * _NANOSECONDS  # nanoseconds between two attempts to reconnect
_GIVE_UP = 60 * _NANOSECONDS
MAX_MESSAGE = MAX_DATA - 1
"""The maximum size in bytes of the data in `Room.send`."""


@dataclass(frozen=True, slots=True)
class RoomMember:
    """A player in a room.

    Parameters
    ----------
    id
        The ID of the member in this room, a number from 1. The ID of a member never changes. In
        `Room.link`, the ID is also the address of the member.
    name
        The name of the player.
    ready
        True if the player is ready to start the match.
    online
        False if the relay has lost the connection to the player. The player can then connect again
        within one minute.
    """

    id: int
    name: str
    ready: bool
    online: bool


class RoomEvent(NamedTuple):
    """An event in a room, from `Room.poll`. ``kind`` is one of these words:

    - "joined": this player has entered a room. "ended": this player is no longer a member of the
      room.
    - "member": a member has entered the room, or a value such as `RoomMember.ready` has changed.
      "left": a member has left the room.
    - "host": another member has become the host. "lock": `Room.locked` has changed.
    - "chat": a member has sent the chat message ``text``. "message": a member has sent the bytes
      ``data``.
    - "rooms": the list `Room.rooms` has been updated. "error": a request has failed, and ``text``
      explains why.
    - "lost": the connection to the relay has failed. `Room` tries to connect again. "closed": the
      connection to the relay has ended. No events follow after a "closed" event.

    ``member`` is the ID of the member, or 0 if the event is not about a member. ``text`` is the
    chat message, the error message, or the reason for the event.
    """

    kind: str
    member: int = 0
    text: str = ""
    data: bytes = b""


class Room:
    """A room on a relay, where players meet before and during a match. The command ``framework
    relay`` starts a relay.

    A new `Room` object connects to the relay, but is not in a room yet. Call `create` to open a new
    room, or `join` to enter another player's room. If the program has been restarted, call `rejoin`
    to enter the earlier room again. Call `poll` once per frame. Methods such as `join` return
    without waiting, and `poll` later returns their result as an event.

    If the connection to the relay fails, `Room` tries to connect again for one minute. If another
    program calls `rejoin` with the ticket of this `Room`, this `Room` is disconnected.

    Parameters
    ----------
    relay
        The address of a relay, such as "wss://relay.example:7000". For tests, pass a `MemoryRelay`
        instead of an address.
    game
        The name of your game. The property `rooms` lists only rooms for the game with this name.
    name
        The name of this player. If it is "", the default, the relay chooses a name such as "Player
        2".
    """

    not_state = True

    def __init__(self, relay: str | Relays, *, game: str = "", name: str = "") -> None:
        self._game = _short("game", game, MAX_GAME)
        self._name = _short("name", name, MAX_NAME)
        self._relay = _relays(relay)
        self._key = ""
        self._seat = 0  # the member ID that this player asks for again if the connection fails
        self._seat_code = ""
        self._closed = False
        self._events: deque[RoomEvent] = deque()
        self._event_bytes = 0
        self._rooms: tuple[dict[str, Any], ...] = ()
        self._pings: dict[int, int] = {}
        self._ping_ns = 0
        self._reason = ""
        self._link = self._new_link()
        self.dropped: Counter[str] = Counter()
        self._leave_room()
        self._lost_ns: int | None = None
        self._tried_ns = self._now_ns
        self._socket: RelaySocket = self._relay.open()
        self._waiting: list[str] = []  # requests that wait until the connection is open

    @property
    def _now_ns(self) -> int:
        return self._relay.now_ns

    # -- state -------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """ "connecting": the connection to the relay is not open yet. "outside": this player is not
        in a room. "joined": this player is in a room. "lost": the connection has failed, and `Room`
        tries to connect again. "closed": the connection has ended, and `Room` does not try to
        connect again.
        """
        if self._closed:
            return "closed"
        if self._lost_ns is not None:
            return "lost"
        if self._me:
            return "joined"
        return "connecting" if self._socket.state == "connecting" else "outside"

    @property
    def reason(self) -> str:
        """A sentence that explains why the connection was closed, or "" while the connection is
        open.
        """
        return self._reason

    @property
    def code(self) -> str:
        """The code that other players type to enter the room. The value is "" while this player is
        not in a room.
        """
        return self._code

    @property
    def ticket(self) -> str:
        """A secret text for `rejoin`, or "" if this player is not in a room. Save the ticket in a
        file. After a crash, start the program again, and pass the ticket to `rejoin` to enter the
        same room. Do not send the ticket to other people, because anyone who has it can take this
        player's place in the room.
        """
        return f"{self._seat_code}-{self._seat}-{self._key}" if self._seat else ""

    @property
    def me(self) -> int:
        """The ID of this player in the room, or 0 if the player is not in a room."""
        return self._me

    @property
    def host(self) -> int:
        """The ID of the host, or 0 if this player is not in a room.

        If the host leaves or loses the connection, the connected member with the lowest ID becomes
        the host.
        """
        return self._host

    @property
    def is_host(self) -> bool:
        """True if this player is the host of the room."""
        return self._me != 0 and self._me == self._host

    @property
    def locked(self) -> bool:
        """True if no new members can enter the room. Members who have lost their connection can
        still rejoin the room.
        """
        return self._locked

    @property
    def size(self) -> int:
        """The maximum number of members in the room."""
        return self._size

    @property
    def members(self) -> tuple[RoomMember, ...]:
        """The members of the room, sorted by ID."""
        return tuple(self._members[number] for number in sorted(self._members))

    @property
    def rooms(self) -> tuple[dict[str, Any], ...]:
        """The rooms that the relay listed when `list_rooms` was last called. Each room is a dict
        with the keys ``code``, ``host``, ``members`` and ``size``. ``host`` is the name of the
        room's host, and ``members`` is the number of members.
        """
        return self._rooms

    @property
    def ping(self) -> float:
        """The last measured time in seconds that a message takes to travel to the relay and back.
        The value is 0 before the first measurement.
        """
        return self._ping_ns / _NANOSECONDS

    @property
    def link(self) -> RelayLink:
        """The link to the other members of the room. Pass this link to a session or to `Endpoint`.

        A session closes this link when the match ends. Before the next match, read `Room.link`
        again to get a new link.
        """
        if self._link.closed:
            self._link = self._new_link()
        return self._link

    # -- requests ----------------------------------------------------------------------------------

    def create(self, size: int = 8, *, public: bool = False) -> None:
        """Create a new room. This player enters the room and becomes the host. ``size`` is the
        maximum number of members. If ``public`` is True, other players can find the room with
        `list_rooms`.
        """
        checks.whole("size", size, 2, _MAX_MEMBERS)
        checks.flag("public", public)
        self._request("create", game=self._game, name=self._name, size=size, public=bool(public))

    def join(self, code: str) -> None:
        """Enter the room with the code ``code``. The case of the letters in the code does not
        matter.
        """
        code = _short("code", code, MAX_GAME).strip().upper()
        self._request("join", game=self._game, name=self._name, code=code)

    def rejoin(self, ticket: str) -> None:
        """Enter a room again after the program has been restarted. ``ticket`` is the value of the
        property `ticket` before the restart. The relay reserves the player's place for one minute.
        If the place no longer exists, `poll` returns an "error" event.
        """
        code, number, key = _ticket_of(ticket)
        self._request("rejoin", code=code, you=number, key=key)

    def list_rooms(self) -> None:
        """Request a list of this game's public rooms. Full and locked rooms are not included. When
        the list has arrived, you can read it from the property `rooms`.
        """
        self._request("list", game=self._game)

    def leave(self) -> None:
        """Leave the room."""
        self._request("leave")

    def chat(self, text: str) -> None:
        """Send a chat message to all members, including this player. ``text`` may contain at most
        300 characters.
        """
        self._request("chat", text=_short("text", text, MAX_CHAT))

    def set_ready(self, ready: bool = True) -> None:
        """Set whether this player is ready to start. The relay sends ``ready`` to all members of
        the room.
        """
        self._request("ready", ready=checks.flag("ready", ready))

    def kick(self, member: int) -> None:
        """Remove another member from the room. Only the host of the room can remove members."""
        self._request("kick", member=checks.whole("member", member, 1))

    def grant_host(self, member: int) -> None:
        """Make another member the host of the room. Only the current host can choose a new host."""
        self._request("grant", member=checks.whole("member", member, 1))

    def lock(self, locked: bool = True) -> None:
        """Lock or unlock the room. New members cannot enter a locked room. Lock the room when a
        match starts, for example. Only the host can lock and unlock a room.
        """
        self._request("lock", locked=checks.flag("locked", locked))

    def measure_ping(self) -> None:
        """Measure how long a message takes to travel to the relay and back, and store the result in
        the property `ping`.
        """
        number = len(self._pings) and max(self._pings) + 1
        if len(self._pings) < 8:
            self._pings[number] = self._now_ns
        self._request("ping", n=number)

    def send(self, data: bytes, to: int | str = "all", *, reliable: bool = True) -> None:
        """Send bytes to other members of the room. Each receiver then gets a "message" event.

        ``to`` is "all", "host" or the ID of a member. The value "all" does not include this player.
        If ``reliable`` is False, the relay may drop the message if the receiver is slow. If this
        player is not in a room, the message is dropped.
        """
        checks.instance("data", data, bytes, what="bytes")
        checks.flag("reliable", reliable)
        if len(data) > MAX_MESSAGE:
            raise ValueError(f"data: expected at most {MAX_MESSAGE} bytes, got {len(data)}")
        if isinstance(to, str):
            member = {"all": EVERYBODY, "host": HOST}[checks.choice("to", to, ("all", "host"))]
        else:
            member = checks.whole("to", to, 1, HOST - 1)
        if self.state == "joined":
            frame = pack_message(bool(reliable), member, _MESSAGE + data)
            self._socket.send(frame, not reliable)
        else:
            self.dropped["no room"] += 1

    def poll(self) -> list[RoomEvent]:
        """Receive new messages from the relay, and return all events since the last call."""
        self._pump()
        events = list(self._events)
        self._events.clear()
        self._event_bytes = 0
        return events

    def close(self) -> None:
        """Leave the room, and close the connection to the relay."""
        if not self._closed:
            if self._me:
                self._request("leave")
            self._end("this program left the room")
            self._events.clear()

    # -- the connection ----------------------------------------------------------------------------

    def _request(self, kind: str, **values: Any) -> None:
        if self.state == "lost":
            self.dropped["lost"] += 1
        elif self._socket.state != "connecting":
            self._socket.send(pack_json(kind, **values))
        elif len(self._waiting) < _MAX_WAITING:
            self._waiting.append(pack_json(kind, **values))

    def _pump(self) -> None:
        """Handle all frames that have arrived from the relay. If the connection has failed, connect
        again.
        """
        if self._closed:
            return
        if self._socket.state == "open" and self._waiting:
            waiting = self._waiting
            self._waiting = []
            for request in waiting:
                self._socket.send(request)
        for frame in self._socket.receive():
            self._handle(frame)
        if self._socket.state == "closed" and not self._closed:
            self._connect_again()

    def _connect_again(self) -> None:
        now_ns = self._now_ns
        if self._lost_ns is None:
            # Outside of a room, there is no place to come back to. And two programs with the same
            # ticket would replace each other forever, so the earlier program ends.
            if not self._seat or self._socket.reason.endswith(REPLACED):
                self._end(self._socket.reason)
                return
            self._lost_ns = now_ns
            self._tried_ns = now_ns - _RETRY
            self._add(RoomEvent("lost", text=self._socket.reason))
        if now_ns - self._lost_ns >= _GIVE_UP:
            self._end(self._socket.reason)
        elif now_ns - self._tried_ns >= _RETRY:
            self._tried_ns = now_ns
            self._socket = self._relay.open()
            request = pack_json("rejoin", code=self._seat_code, you=self._seat, key=self._key)
            self._waiting = [request]
            if self._socket.state == "open":
                self._pump()

    def _end(self, reason: str) -> None:
        self._closed = True
        self._reason = reason
        self._leave_room()
        self._socket.close()
        self._add(RoomEvent("closed", text=reason))

    def _leave_room(self) -> None:
        self._code = ""
        self._me = 0
        self._host = 0
        self._size = 0
        self._locked = False
        self._members: dict[int, RoomMember] = {}

    # -- frames ------------------------------------------------------------------------------------

    def _handle(self, frame: str | bytes) -> None:
        if isinstance(frame, bytes):
            game_message = unpack_message(frame)
            if game_message is None:
                self.dropped["malformed"] += 1
            else:
                self._handle_message(game_message)
            return
        message = unpack_json(frame)
        handler = None if message is None else _HANDLERS.get(message["type"])
        if message is None or handler is None:
            self.dropped["malformed"] += 1
            return
        handler(self, message)

    def _handle_message(self, message: GameMessage) -> None:
        kind = message.data[:1]
        data = message.data[1:]
        if message.member not in self._members:
            self.dropped["no member"] += 1
        elif kind == _DATAGRAM:
            self._link.deliver(message.member, data)
        elif kind == _MESSAGE:
            self._add(RoomEvent("message", message.member, data=data))
        else:
            self.dropped["malformed"] += 1

    def _take_joined(self, message: dict[str, Any]) -> None:
        self._leave_room()
        self._code = self._seat_code = text_of(message, "code", MAX_GAME)
        self._me = self._seat = max(0, whole_of(message, "you"))
        self._key = text_of(message, "key", MAX_GAME)
        self._host = max(0, whole_of(message, "host"))
        self._size = max(0, whole_of(message, "size"))
        self._locked = message.get("locked") is True
        self._lost_ns = None
        members = message.get("members")
        for value in members[:_MAX_MEMBERS] if isinstance(members, list) else []:
            self._take_member({"member": value}, quiet=True)
        self._add(RoomEvent("joined", self._me, self._code))

    def _take_member(self, message: dict[str, Any], quiet: bool = False) -> None:
        value = message.get("member")
        number = whole_of(value, "id") if isinstance(value, dict) else -1
        is_new = number not in self._members
        if not isinstance(value, dict) or number < 1 or (is_new and self._is_full()):
            self.dropped["malformed"] += 1
            return
        name = text_of(value, "name", MAX_NAME)
        ready = value.get("ready") is True
        online = value.get("online") is True
        self._members[number] = RoomMember(number, name, ready, online)
        if not quiet:
            self._add(RoomEvent("member", number, name))

    def _is_full(self) -> bool:
        return len(self._members) >= _MAX_MEMBERS

    def _take_left(self, message: dict[str, Any]) -> None:
        number = whole_of(message, "member")
        if self._members.pop(number, None) is not None:
            self._add(RoomEvent("left", number, text_of(message, "reason", MAX_CHAT)))

    def _take_host(self, message: dict[str, Any]) -> None:
        number = whole_of(message, "member")
        if number in self._members:
            self._host = number
            self._add(RoomEvent("host", number))

    def _take_lock(self, message: dict[str, Any]) -> None:
        self._locked = message.get("locked") is True
        self._add(RoomEvent("lock"))

    def _take_chat(self, message: dict[str, Any]) -> None:
        number = whole_of(message, "member")
        if number in self._members:
            self._add(RoomEvent("chat", number, text_of(message, "text", MAX_CHAT)))

    def _take_rooms(self, message: dict[str, Any]) -> None:
        values = message.get("rooms")
        rooms = values[:_MAX_LISTED] if isinstance(values, list) else []
        self._rooms = tuple(
            {
                "code": text_of(room, "code", MAX_GAME),
                "host": text_of(room, "host", MAX_NAME),
                "members": max(0, whole_of(room, "members")),
                "size": max(0, whole_of(room, "size")),
            }
            for room in rooms
            if isinstance(room, dict)
        )
        self._add(RoomEvent("rooms"))

    def _take_ended(self, message: dict[str, Any]) -> None:
        self._leave_room()
        self._seat = 0
        self._add(RoomEvent("ended", text=text_of(message, "reason", MAX_CHAT)))

    def _take_error(self, message: dict[str, Any]) -> None:
        if self._lost_ns is not None:  # the relay has given the player's place in the room away
            self._lost_ns = None
            self._seat = 0
            self._leave_room()
            self._add(RoomEvent("ended", text=text_of(message, "text", MAX_CHAT)))
            return
        self._add(RoomEvent("error", text=text_of(message, "text", MAX_CHAT)))

    def _take_pong(self, message: dict[str, Any]) -> None:
        sent_ns = self._pings.pop(whole_of(message, "n"), None)
        if sent_ns is not None:
            self._ping_ns = max(1, self._now_ns - sent_ns)

    def _add(self, event: RoomEvent) -> None:
        if len(self._events) >= _MAX_EVENTS or self._event_bytes > _MAX_EVENT_BYTES:
            self.dropped["events"] += 1
            return
        self._event_bytes += len(event.data)
        self._events.append(event)

    # -- the link ----------------------------------------------------------------------------------

    def _new_link(self) -> RelayLink:
        return RelayLink(self._send_datagram, self._pump, self._peers, lambda: self._now_ns)

    def _send_datagram(self, member: int, data: bytes) -> bool:
        if self.state != "joined" or not 0 < member < HOST:
            return False
        self._socket.send(pack_message(False, member, _DATAGRAM + data), True)
        return True

    def _peers(self) -> Sequence[Peer]:
        return [member.id for member in self.members if member.online and member.id != self._me]


class _WebSocketRelay:
    """A relay at a network address, to which a `Room` can connect. Calling `open` starts a thread
    for the connection.
    """

    def __init__(self, address: str) -> None:
        # Imported here because it loads an optional package.
        from .websocket_client import check_address

        self._address = check_address("relay", address)

    @property
    def now_ns(self) -> int:
        return time.perf_counter_ns()

    def open(self) -> RelaySocket:
        from .websocket_client import WebSocketClient

        return WebSocketClient(self._address)


def _relays(relay: object) -> Relays:
    if isinstance(relay, str):
        return _WebSocketRelay(relay)
    checks.methods("relay", relay, ("open",), "the address of a relay, or a MemoryRelay")
    relays: Any = relay
    return relays  # type: ignore[no-any-return]


def _ticket_of(ticket: object) -> tuple[str, int, str]:
    """Return the parts of a ticket: the code of the room, the member's ID and the key."""
    parts = _short("ticket", ticket, 3 * MAX_GAME).split("-")
    number = parts[1] if len(parts) == 3 else ""
    if not (number.isascii() and number.isdecimal() and 0 < int(number) < HOST):
        raise ValueError(
            f"ticket: expected a text from Room.ticket, got {checks.shown(ticket)}; use join to "
            "enter a room with its code"
        )
    return parts[0], int(number), parts[2]


def _short(name: str, value: object, limit: int) -> str:
    text = checks.text(name, value)
    if len(text) > limit:
        raise ValueError(f"{name}: expected at most {limit} characters, got {len(text)}")
    return text


_HANDLERS = {
    "joined": Room._take_joined,
    "member": Room._take_member,
    "left": Room._take_left,
    "host": Room._take_host,
    "lock": Room._take_lock,
    "chat": Room._take_chat,
    "rooms": Room._take_rooms,
    "ended": Room._take_ended,
    "error": Room._take_error,
    "pong": Room._take_pong,
}
