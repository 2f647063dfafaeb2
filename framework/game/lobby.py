"""A scene in which players meet online before a match, in a room of a relay server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..checks import function, methods, text, whole
from ..record.strict_json import parse
from .calibration import fit_view
from .driven_game import driven
from .scene import Scene

if TYPE_CHECKING:
    from ..ui.basic_widgets import Button, TextLabel
    from ..ui.containers import Group
    from ..ui.text_field import TextField

_START = b"lobby start "
_MAX_START = 1000  # bytes
_MAX_NAME = 20  # letters
_MAX_CODE = 12
_PING_SECONDS = 2.0
_WIDTH = 420
_TITLE_HEIGHT = 89  # the title, and the padding of its panel
_READY = (0.5, 0.9, 0.55)
_GONE = (0.55, 0.55, 0.6)
_PLAIN = (0.9, 0.9, 0.95)
_CODE_COLOR = (1.0, 0.82, 0.4)
_PROBLEM = (1.0, 0.5, 0.45)
_CHAT_COLOR = (0.75, 0.8, 0.9)
_METHODS = ("poll", "create", "join", "leave", "set_ready", "chat", "send", "close")
_MAX_LINES = 5  # the maximum number of visible chat lines
_MAX_SHOWN = 160  # letters in all visible lines; more would push the buttons below off the screen
_MAX_MESSAGE = 120  # letters
_MAX_LINE = _MAX_NAME + 2 + _MAX_MESSAGE


class LobbyMember(Protocol):
    """The attributes of a `RoomMember` that the lobby reads."""

    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def ready(self) -> bool: ...
    @property
    def online(self) -> bool: ...


class LobbyRoom(Protocol):
    """The attributes and methods of a `Room` that the lobby uses."""

    @property
    def state(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def me(self) -> int: ...
    @property
    def host(self) -> int: ...
    @property
    def is_host(self) -> bool: ...
    @property
    def members(self) -> tuple[LobbyMember, ...]: ...
    @property
    def ping(self) -> float: ...
    @property
    def ticket(self) -> str: ...
    @property
    def link(self) -> Any: ...

    def poll(self) -> Sequence[Any]: ...
    def create(self, size: int = 8) -> None: ...
    def join(self, code: str) -> None: ...
    def rejoin(self, ticket: str) -> None: ...
    def leave(self) -> None: ...
    def set_ready(self, ready: bool = True) -> None: ...
    def chat(self, text: str) -> None: ...
    def lock(self, locked: bool = True) -> None: ...
    def measure_ping(self) -> None: ...
    def send(self, data: bytes, to: int | str = "all", *, reliable: bool = True) -> None: ...
    def close(self) -> None: ...


class Lobby(Scene):
    """A scene in which players meet before a match. Each player types a name, and then creates a
    room or enters the code of an existing room. The scene shows the members of the room, the ping,
    and which members are ready. The members can send messages to each other. The host starts the
    match when all members are ready.

        def open_room(name):
            return fw.Room("wss://relay.example:7000", game="duel", name=name)

        self.push(fw.scenes.Lobby(open_room, self.begin, players=2))

    The match itself does not run in this scene: each machine creates a new game when the match
    starts. See docs/network.md. While a recording is replayed, the lobby does not connect to a
    relay.

    Parameters
    ----------
    open_room
        A function that receives the name of the player and returns a `Room`.
    on_start
        Called with the lobby after the host has started the match. In this function, create a
        `Rollback` from the lobby's `player`, `peers` and `link`.
    players
        The number of players in a match.
    min_players
        The minimum number of players with which the host can start the match. The default is
        ``players``.
    name
        The initial text of the field for the player's name. The player can change it.
    title
        The title at the top of the lobby.
    ticket
        A `Lobby.ticket` that the program saved during a match. After a crash, the player can
        continue the match with it. With a ticket, the lobby joins the room of that match again, and
        then calls ``on_start``. The relay keeps the place of a missing player free for one minute,
        so the player can return. With the default "", the player creates a room or enters the code
        of a room.
    """

    opaque = True
    not_state = ("_room",)

    def __init__(
        self,
        open_room: Callable[[str], LobbyRoom],
        on_start: Callable[[Lobby], object],
        *,
        players: int = 2,
        min_players: int | None = None,
        name: str = "",
        title: object = "Lobby",
        ticket: str = "",
    ) -> None:
        super().__init__()
        self._open_room = function("open_room", open_room)
        self._on_start = function("on_start", on_start)
        self._players = whole("players", players, 2, 64)
        self._min_players = (
            self._players
            if min_players is None
            else whole("min_players", min_players, 1, self._players)
        )
        self._name = text("name", name)[:_MAX_NAME]
        self._code = ""
        self.title = str(title)
        # The ticket that the next `update` will use.
        self._ticket = text("ticket", ticket)
        # The order of the players in the match that the player rejoins.
        self._old_order: tuple[int, ...] = ()
        self._room: LobbyRoom | None = None
        self._order: tuple[int, ...] = ()
        self._problem = ""
        self._pinged = 0.0
        self._panel: Group | None = None
        self._column: Group | None = None
        self._chat: Group | None = None
        self._log: TextLabel | None = None
        self._message: TextField | None = None
        self._lines: tuple[str, ...] = ()
        self._shown: object = None

    @property
    def chat_lines(self) -> tuple[str, ...]:
        """The most recent lines of the chat, such as "Ann: hello", from the oldest to the newest."""
        return self._lines

    # -- for the match -----------------------------------------------------------------------------

    @property
    def room(self) -> LobbyRoom | None:
        """The room, or None if the player has not yet created or joined a room."""
        return self._room

    @property
    def player(self) -> int:
        """The index of this player in the match, from 0. Before the match starts, the value is 0."""
        me = 0 if self._room is None else self._room.me
        return self._order.index(me) if me in self._order else 0

    @property
    def peers(self) -> tuple[int, ...]:
        """The ids of all players in the match, in the order of the player indices. Before the match
        starts, the tuple is empty.
        """
        return self._order

    @property
    def link(self) -> Any:
        """The network link to the other players, or None before the player has joined a room."""
        return None if self._room is None else self._room.link

    @property
    def ticket(self) -> str:
        """A string with which the player can continue the match after restarting the program. Save
        it, and pass it to a new `Lobby` as ``ticket``. Before the match starts, the value is "".
        """
        if self._room is None or not self._order:
            return ""
        return f"{self._room.ticket}/{','.join(map(str, self._order))}"

    # -- the scene ---------------------------------------------------------------------------------

    def setup(self) -> None:
        fit_view(self.ui, _WIDTH, _TITLE_HEIGHT, rows=max(4, self._players + 3))
        self._panel = self.ui.column(anchor="center", width=_WIDTH, gap=12, padding=24, panel=True)
        self._column = self._panel.column(gap=12)
        self._chat = self._panel.column(gap=6)
        self._log = self._message = None
        self._shown = None
        self._show()

    def on_exit(self) -> None:
        """Called when the scene stops being the top scene. Leave the room, unless a match has
        begun.
        """
        if self._room is not None and not self._order:
            self._room.close()
            self._room = None

    def update(self, dt: float) -> None:
        """Handle the events of the room, and show its members."""
        resimulation = driven(self.game).stage.resimulation
        is_live = not (resimulation.resimulating or resimulation.replaying)
        if self._ticket and is_live:
            ticket = self._ticket
            self._ticket = ""
            self._return(ticket)
        if self._room is not None and is_live:
            self._pinged += dt
            if self._pinged >= _PING_SECONDS and self._room.state == "joined":
                self._pinged = 0.0
                self._room.measure_ping()
            for event in self._room.poll():
                self._handle(event)
        self._show()

    def _handle(self, event: Any) -> None:
        room = self._room
        if room is None:
            return
        if event.kind in ("error", "ended", "closed", "lost"):
            self._problem = str(event.text)
            if event.kind == "closed":
                self._room = None
        elif event.kind == "joined":
            self._problem = ""
            self._lines = ()
            self._pinged = _PING_SECONDS
            if room.me in self._old_order:
                self._begin(self._old_order)
        elif event.kind == "chat":
            names = {member.id: member.name for member in room.members}
            line = f"{names.get(event.member, '?')}: {event.text}"
            self._lines = _newest((*self._lines, _one_line(line)[:_MAX_LINE]))
        elif event.kind == "message" and event.member == room.host:
            order = _order_of(event.data)
            if order is not None and _can_play(room, order):
                self._begin(order)

    # -- what the player sees ----------------------------------------------------------------------

    def _show(self) -> None:
        """Rebuild the widgets of the lobby if their content has changed."""
        room = self._entered_room()
        self._show_chat(room)
        content: object
        if room is None:
            content = "outside", self._problem, self._room is not None
        else:
            content = *_visible_state(room), self._problem
        if content == self._shown or self._column is None:
            return
        self._shown = content
        is_typing = self._message is not None and self._message.focused
        self._column.clear()
        self._column.label(self.title, font_size=32, align="center")
        if room is None:
            self._show_entrance(self._column)
        else:
            self._show_members(self._column, room, is_typing)
        if self._problem:
            self._column.label(self._problem, color=_PROBLEM, align="center", font_size=16)

    def _entered_room(self) -> LobbyRoom | None:
        """Return the room, or None before the player has entered it."""
        room = self._room
        return None if room is None or room.state in ("connecting", "outside") else room

    def _show_entrance(self, column: Group) -> None:
        name: TextField = column.text_field(
            self._name, self._take_name, limit=_MAX_NAME, on_edit=self._take_name
        )
        name.hint = self._word("Your name")
        create = column.button("", self._create).say(text="Create a room")
        row = column.row()
        code: TextField = row.text_field(
            self._code, self._join, limit=_MAX_CODE, on_edit=self._take_code, grow=1
        )
        code.hint = self._word("Code of a room")
        row.button("", lambda: self._join(self._code)).say(text="Join")
        column.button("", self._leave, action="cancel").say(text="Back")
        self.ui.set_focus(create)

    def _show_members(self, column: Group, room: LobbyRoom, is_typing: bool) -> None:
        code: TextLabel = column.label(room.code, font_size=44, align="center", color=_CODE_COLOR)
        code.tooltip = self._word("Code of a room")
        members = room.members
        for member in members:
            _show_member(column, member, is_host=member.id == room.host)
        for _ in range(self._players - len(members)):
            column.label("…", color=_GONE)
        if room.ping:
            column.label(f"{room.ping * 1000:.0f} ms", color=_GONE, align="right", font_size=14)
        next_button = self._add_ready_and_start(column, room)
        column.button("", self._leave, action="cancel").say(text="Back")
        self.ui.set_focus(self._message if is_typing else next_button)

    def _add_ready_and_start(self, column: Group, room: LobbyRoom) -> Button:
        """Add the button "Ready", and for the host the button "Start". Return the button that the
        player probably presses next.
        """
        members = room.members
        am_ready = any(member.ready for member in members if member.id == room.me)
        ready: Button = column.button("", lambda: room.set_ready(not am_ready))
        ready.say(text="Not ready" if am_ready else "Ready")
        if not room.is_host:
            return ready
        start: Button = column.button("", self._start)
        start.say(text="Start")
        start.enabled = self._can_start(members)
        return start if start.enabled else ready

    def _show_chat(self, room: LobbyRoom | None) -> None:
        """Show the last lines of the chat, and a text field for a message. The text field is kept
        when members enter or leave the room.
        """
        chat = self._chat
        if chat is None:
            return
        chat.visible = room is not None
        if not chat.visible:
            if self._message is not None:
                self._log = self._message = None
                self._lines = ()
                chat.clear()
            return
        if self._message is None:
            self._log = chat.label("", color=_CHAT_COLOR, font_size=16)
            self._message = chat.text_field("", self._say, limit=_MAX_MESSAGE)
            self._message.hint = self._word("Message")
        if self._log is not None:
            text = "\n".join(self._lines)
            if self._log.text != text:
                self._log.text = text
            self._log.visible = bool(text)

    def _word(self, word: str) -> str:
        return self.ui.theme.word(word)

    # -- what the player does ----------------------------------------------------------------------

    def _take_name(self, name: str) -> None:
        self._name = name

    def _take_code(self, code: str) -> None:
        self._code = code

    def _create(self) -> None:
        self._enter().create(self._players)

    def _join(self, code: str) -> None:
        if code.strip():
            self._enter().join(code)

    def _enter(self) -> LobbyRoom:
        """Close the old room, and open and return a room with the player's current name."""
        if self._room is not None:
            self._room.close()
        self._problem = ""
        self._old_order = ()  # a new room starts a new match
        room = self._open_room(self._name.strip())
        methods("open_room", room, _METHODS, "a function that returns a Room")
        self._room = room
        return room

    def _return(self, ticket: str) -> None:
        """Enter the room of a match that the player left, to continue this match."""
        room_ticket, _, order = ticket.partition("/")
        room = self._enter()
        try:
            self._old_order = _order_of(_START + f"[{order}]".encode()) or ()
            room.rejoin(room_ticket)
        except ValueError as error:  # the file that contains the ticket is damaged
            self._problem = str(error)

    def _say(self, message: str) -> None:
        """Send a chat message to all members of the room."""
        if self._message is not None:
            self._message.text = ""
        if self._room is not None and message.strip():
            self._room.chat(message.strip())

    def _leave(self) -> None:
        room = self._room
        if room is not None:
            room.close()
            self._room = None
            self._problem = ""
        else:
            self.game.pop()

    def _can_start(self, members: Iterable[LobbyMember]) -> bool:
        online = [member for member in members if member.online]
        return self._min_players <= len(online) and all(member.ready for member in online)

    def _start(self) -> None:
        room = self._room
        if room is None or not room.is_host or not self._can_start(room.members):
            return
        order = tuple([member.id for member in room.members if member.online])
        room.lock(True)
        room.send(_START + json.dumps(order).encode())
        self._begin(order)

    def _begin(self, order: tuple[int, ...]) -> None:
        if not self._order:
            self._order = order
            self._on_start(self)


def _visible_state(room: LobbyRoom) -> tuple[object, ...]:
    """Return all values of a room that the lobby shows. If they change, the lobby shows them
    again.
    """
    return (
        room.state,
        room.code,
        room.host,
        tuple([(each.id, each.name, each.ready, each.online) for each in room.members]),
        round(room.ping * 1000),
    )


def _show_member(column: Group, member: LobbyMember, is_host: bool) -> None:
    """Add a row with the name of a member, and with a mark if the member is away or ready."""
    row = column.row()
    color = _PLAIN if member.online else _GONE
    row.label(f"{member.name}{' *' if is_host else ''}", color=color, grow=1)
    if not member.online:
        row.label("…", color=_GONE)
    elif member.ready:
        row.label("", color=_READY).say(text="Ready")


def _can_play(room: LobbyRoom, order: tuple[int, ...]) -> bool:
    """Return whether all players of a match are in the room, and one of them is this player."""
    ids = {member.id for member in room.members}
    return room.me in order and ids.issuperset(order)


def _newest(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return as many of the newest chat lines as fit on the screen."""
    lines = lines[-_MAX_LINES:]
    while len(lines) > 1 and sum(map(len, lines)) > _MAX_SHOWN:
        lines = lines[1:]
    return lines


def _one_line(text: str) -> str:
    """Replace line breaks and control characters in another player's text with spaces."""
    return "".join([letter if letter.isprintable() else " " for letter in text])


def _order_of(data: bytes) -> tuple[int, ...] | None:
    """Return the ids of the players from the start message of the host. Return None for any message
    that is not a start message.
    """
    if not data.startswith(_START) or len(data) > _MAX_START:
        return None
    try:
        order: object = parse(data[len(_START) :].decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(order, list) or len({*map(repr, order)}) != len(order) or not order:
        return None
    return tuple(order) if all(type(each) is int for each in order) else None
