"""Testing: press keys, click and connect gamepads from code, for tests and bots."""

from __future__ import annotations

from .. import checks
from ..errors import FrameworkError
from ..input import key
from ..input.buttons import find_symbol, pending_position, symbol_of
from ..input.gamepad_layout import KINDS, MAX_PADS, STICKS, TRIGGERS, control_name, quantised
from ..input.mouse import MOUSE_BUTTONS
from ..input.pads import Gamepad, event_of, pads_after
from ..input.players import Player
from ..input.tick_input import Event, TickInput
from ..moved_names import HasMoved, moved
from ..other_names import Hinted, other_names, words
from ..other_options import other_options
from .stage import Stage


@moved(
    "testing",
    {"tilt": "move_stick", "squeeze": "pull_trigger"} | {"plug": "connect", "unplug": "disconnect"},
)
@other_names(
    "testing",
    {
        **words(
            "hold key_down keydown press_key down key",
            "write game.testing.press('w'), and later game.testing.release('w')",
        ),
        **words("key_up keyup release_key up", "write game.testing.release('w')"),
        **words(
            "tap press_and_release key_press",
            "write game.testing.press('w'), game.run_ticks(1) and game.testing.release('w')",
        ),
        **words("move_mouse mouse_move move", "write game.mouse.move(x, y)"),
        **words(
            "mouse_press mouse_down click_at",
            "write game.testing.click(x, y), or game.testing.press('mouse:left')",
        ),
        **words(
            "click_button press_button click_text click_on get_by_text",
            "write game.testing.click('Play')",
        ),
        **words("scroll mouse_scroll wheel", "write game.mouse.scroll(x, y)"),
        **words("write type_text enter_text", "write game.testing.type('hello')"),
        **words("wait step run run_ticks tick advance", "write game.run_ticks(60)"),
        **words("screenshot image", "write game.screenshot('a.png'), or game.pixels()"),
    },
)
class Testing(Hinted, checks.Sealed, HasMoved):
    """Methods that make input from code, for tests and bots: `Game.testing`.

    The next tick receives the input as if it came from the window.

    `game.keys.press`, `game.mouse.press` and similar methods make the same events as `Testing`.
    Between ticks, these events are input of the game: recordings and `Rewind` store them. During a
    replay, such calls have no effect. Events within a tick, for example in `update`, are not
    stored. If the tick runs again, its code makes them again.
    """

    __slots__ = ("_stage",)
    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def press(self, key: int | str, *, player: int = 0) -> None:
        """Press a key by its symbol or name, a mouse button or a gamepad button:
        ``press("space")``, ``press("mouse:left")``, ``press("pad:a")``.

        The names are those of `Actions`. A mouse button is pressed at the position of the pointer.

        The key or button stays pressed until `release` is called. `press` pulls a trigger fully,
        and pushes a stick to its end: ``press("pad:leftstickup")``. If a player without a gamepad
        presses a button of a gamepad, `press` first connects a virtual gamepad.
        """
        self._press_or_release("on_key_press", key, player)

    def release(self, key: int | str, *, player: int = 0) -> None:
        """Release a key, or a button of the mouse or of a gamepad. See `press`."""
        self._press_or_release("on_key_release", key, player)

    def _press_or_release(self, name: str, key: int | str, player: int) -> None:
        if isinstance(key, str) and key[:4].lower() == "pad:":
            control_name(key)  # raises its error before a gamepad is connected
            self._put(event_of(self._pad(player), key, name == "on_key_press"), player)
        elif isinstance(key, str) and key[:6].lower() == "mouse:":
            button = key[6:].lower()
            if button not in MOUSE_BUTTONS:
                near = ", ".join(f"mouse:{button_name}" for button_name in MOUSE_BUTTONS)
                raise ValueError(f"key: the mouse has no button {key!r}; there are {near}")
            position = pending_position(self._player(player).mouse)
            event = name.replace("_key_", "_mouse_")
            self._put((event, *position, MOUSE_BUTTONS[button], 0), player)
        else:
            button = key[6:].lower() if isinstance(key, str) and key[:6] == "mouse_" else ""
            if button in MOUSE_BUTTONS:
                raise ValueError(f"key: no key has the name {key!r}; write 'mouse:{button}'")
            self._put((name, symbol_of(self._player(player).keys, key), 0), player)

    def move_stick(self, stick: str, x: float, y: float, *, player: int = 0) -> None:
        """Move a stick of the player's gamepad, for example ``move_stick("leftstick", 0, 1)``.
        ``x`` is to the right and ``y`` is up, both from -1 to 1.
        """
        stick = checks.choice("stick", stick, STICKS)
        levels = [
            checks.number(name, value, least=-1, most=1) for name, value in (("x", x), ("y", y))
        ]
        self._put(
            ("on_pad_stick", self._pad(player).number, stick, *map(quantised, levels)), player
        )

    def pull_trigger(self, trigger: str, value: float, *, player: int = 0) -> None:
        """Pull a trigger of the player's gamepad to ``value``, 0 to 1, for example
        ``pull_trigger("righttrigger", 0.8)``.
        """
        trigger = checks.choice("trigger", trigger, TRIGGERS)
        value = checks.number("value", value, least=0, most=1)
        self._put(("on_pad_trigger", self._pad(player).number, trigger, quantised(value)), player)

    def connect(
        self,
        name: str = "Gamepad",
        kind: str = "generic",
        *,
        pad: int | None = None,
        player: int = 0,
    ) -> int:
        """Connect a virtual gamepad to `Game.pads` at the index ``pad``, or at the first free
        index. Return the index of the gamepad in `Game.pads`.

        ``kind`` is "xbox", "playstation", "nintendo" or "generic": see `Gamepad.glyph`. Raises
        `FrameworkError` if no index is free.
        """
        self._player(player)
        name = checks.text("name", name)
        kind = checks.choice("kind", kind, KINDS)
        owners = self._owners()
        free = [slot for slot, owner in enumerate(owners) if owner is None]
        if pad is None and not free:
            raise FrameworkError(f"connect: all {MAX_PADS} gamepad slots are in use")
        slot = free[0] if pad is None else checks.whole("pad", pad, 0, MAX_PADS - 1)
        self._put(("on_pad_connect", slot, name, kind), player)
        return slot

    def disconnect(self, pad: int = 0) -> None:
        """Disconnect the gamepad at the index ``pad``, and release its pressed buttons."""
        self._stage.live  # noqa: B018
        self._put(("on_pad_disconnect", checks.whole("pad", pad, 0, MAX_PADS - 1)), 0)

    def _owners(self) -> list[int | None]:
        """For each gamepad, return the index of the player who owns it. -1 means that the gamepad
        has no owner, and None means that it is not connected.
        """
        slots = pads_after(self._stage.pads, self._stage.incoming.waiting())
        return [
            (-1 if owner is None else owner) if connected else None for connected, owner in slots
        ]

    def _pad(self, player: int) -> Gamepad:
        """Return a connected gamepad that belongs to a player. If the player has no connected
        gamepad, connect one.
        """
        self._player(player)
        owners = self._owners()
        slots = [slot for slot, owner in enumerate(owners) if owner == player]
        return self._stage.pads[slots[0] if slots else self.connect(player=player)]

    @other_options(_="write game.testing.click(x, y), or game.testing.click('Play')")
    def click(
        self, x: float | str, y: float | None = None, button: str = "left", *, player: int = 0
    ) -> None:
        """Press and release a mouse button at a position on the screen, in units, or on the widget
        with a text: ``click(100, 50)``, ``click("Play")``.

        A text is the whole text of a button or another widget in the top scene or in the game.
        Raises `ValueError` if no visible widget has the text, or if another widget covers it.

        After the click, `self.mouse` is still at that position. The event handler `on_mouse_motion`
        is not called for a click. To call `on_mouse_motion` too, pass an event
        ``("on_mouse_motion", x, y, dx, dy)`` to `feed`.
        """
        self._player(player)
        symbol = MOUSE_BUTTONS[checks.choice("button", button, MOUSE_BUTTONS)]
        position = self._point_of(x, y)
        self._put(("on_mouse_press", *position, symbol, 0), player)
        self._put(("on_mouse_release", *position, symbol, 0), player)

    def _point_of(self, x: float | str, y: float | None) -> tuple[float, float]:
        if not isinstance(x, str):
            if y is None:
                raise TypeError("y: expected a number beside x, got None; write click(100, 50)")
            return checks.number("x", x), checks.number("y", y)
        if y is not None:
            raise TypeError(f"y: expected no y beside the text {x!r}, got {checks.shown(y)}")
        interfaces = self._stage.interfaces()
        for interface in interfaces:
            point = interface.point_of(x)
            if point is not None:
                return point
        texts = [text for interface in interfaces for text in interface.texts()]
        hint = f"there are {checks.listed(map(repr, texts))}" if texts else "no widget has a text"
        similar = checks.similar_names(x, texts)
        hint = f"did you mean {' or '.join(map(repr, similar))}?" if similar else hint
        raise ValueError(f"x: expected the text of a visible widget, got {x!r}; {hint}")

    def type(self, text: str, *, player: int = 0) -> None:
        """Type a text: each character of the text is an ``on_text`` event. If the keyboard has a
        key for the character, the key is pressed before the event and released after it.

        For a line break, `type` presses the key Return with the text ``"\\r"``.
        """
        keys = self._player(player).keys
        for character in checks.text("text", text).replace("\n", "\r"):
            symbol = (
                key.RETURN
                if character == "\r"
                else find_symbol(keys, "space" if character == " " else character)
            )
            if symbol is not None:
                self._put(("on_key_press", symbol, 0), player)
            self._put(("on_text", character), player)
            if symbol is not None:
                self._put(("on_key_release", symbol, 0), player)

    def feed(self, events: TickInput | list[Event] | tuple[Event, ...]) -> None:
        """Add events to the input of the next tick. ``events`` is a `TickInput`, or a list of
        pyglet's events. Positions are in units.

        An example of a list of events is ``[("on_mouse_scroll", 9, 9, 0, 1)]``. Raises `ValueError`
        for a value that is not a valid event.
        """
        self._stage.live  # noqa: B018 (raises an error if the game was closed)
        raw_events = (
            events.events
            if isinstance(events, TickInput)
            else tuple(checks.items("events", events))
        )
        player = 0
        # rounds numbers as a recording does
        for event in TickInput.decode(TickInput(raw_events).encode()).events:
            if event[0] == "player":
                self._player(event[1])
                player = event[1]
            elif event[0] != "still":
                self._put(event, player)

    def _player(self, number: int) -> Player:
        self._stage.live  # noqa: B018
        return self._stage.players[checks.whole("player", number, 0, len(self._stage.players) - 1)]

    def _put(self, event: Event, player: int) -> None:
        incoming = self._stage.incoming
        if not (incoming.own_is_recorded and incoming.ticking):
            incoming.put(event, player)
