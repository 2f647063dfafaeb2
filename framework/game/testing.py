"""Simulate the keyboard, the mouse and gamepads, for tests and bots."""

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
from ..other_engines.game_names import testing_names
from ..other_engines.other_names import Hinted
from ..other_engines.other_options import other_options
from .stage import Stage


@moved(
    "testing",
    {"tilt": "move_stick", "squeeze": "pull_trigger"} | {"plug": "connect", "unplug": "disconnect"},
)
@testing_names
class Testing(Hinted, checks.Sealed, HasMoved):
    """Methods that simulate the input of a player, for tests and bots. The attribute `Game.testing`
    is an object of this class.

    The next tick receives the simulated input in the same way as input from the window.

    Methods such as `game.keys.press` and `game.mouse.press` also simulate input.

    Recordings and `Rewind` store input that you simulate between two ticks. In a replay, simulating
    such input has no effect. Input that you simulate in a tick, for example in `update`, is not
    stored: if the tick runs again, its code simulates this input again.
    """

    __slots__ = ("_stage",)
    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @other_options(
        _="write game.testing.press('space'), game.run_ticks(10) and game.testing.release('space')"
    )
    def press(self, key: int | str, *, player: int = 0) -> None:
        """Press a key, a mouse button or a gamepad button. Examples are ``press("space")``,
        ``press("mouse:left")`` and ``press("pad:a")``. `Actions` uses the same names for keys and
        buttons. ``key`` can also be the pyglet symbol of a key. A mouse button is pressed at the
        current position of the mouse pointer.

        The key or button stays pressed until you call `release`. A trigger of a gamepad is pulled
        all the way. A stick of a gamepad is pushed as far as possible: ``press("pad:leftstickup")``
        pushes the left stick up. If the player has no gamepad, `press` first connects a virtual
        gamepad.
        """
        self._press_or_release("on_key_press", key, player)

    def release(self, key: int | str, *, player: int = 0) -> None:
        """Release a key, a mouse button or a gamepad button. See `press`."""
        self._press_or_release("on_key_release", key, player)

    def _press_or_release(self, name: str, key: int | str, player: int) -> None:
        if isinstance(key, str) and key[:4].lower() == "pad:":
            control_name(key)  # a wrong name raises its error before a gamepad is connected
            self._put(event_of(self._pad(player), key, name == "on_key_press"), player)
        elif isinstance(key, str) and key[:6].lower() == "mouse:":
            button = _mouse_button(key)
            position = pending_position(self._player(player).mouse)
            event = name.replace("_key_", "_mouse_")
            self._put((event, *position, button, 0), player)
        else:
            meant = key[6:].lower() if isinstance(key, str) and key[:6] == "mouse_" else ""
            if meant in MOUSE_BUTTONS:
                raise ValueError(f"key: no key has the name {key!r}; write 'mouse:{meant}'")
            self._put((name, symbol_of(self._player(player).keys, key), 0), player)

    def move_stick(self, stick: str, x: float, y: float, *, player: int = 0) -> None:
        """Move a stick of the player's gamepad, for example ``move_stick("leftstick", 0, 1)``.
        ``x`` is the horizontal position (1 is right), and ``y`` is the vertical position (1 is up).
        Both ``x`` and ``y`` are from -1 to 1.
        """
        stick = checks.choice("stick", stick, STICKS)
        levels = [
            checks.number(name, value, least=-1, most=1) for name, value in (("x", x), ("y", y))
        ]
        self._put(
            ("on_pad_stick", self._pad(player).number, stick, *map(quantised, levels)), player
        )

    def pull_trigger(self, trigger: str, value: float, *, player: int = 0) -> None:
        """Pull a trigger of the player's gamepad, for example ``pull_trigger("righttrigger",
        0.8)``. ``value`` is from 0 (released) to 1 (fully pulled).
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
        """Connect a virtual gamepad, and return its index in `Game.pads`. ``pad`` is the index to
        use, by default the first free index.

        ``kind`` is "xbox", "playstation", "nintendo" or "generic". The labels that `Gamepad.glyph`
        returns depend on ``kind``. Raises `FrameworkError` if all indices are in use.
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
        """Disconnect the gamepad ``game.pads[pad]``. All pressed buttons of the gamepad are
        released.
        """
        self._stage.live  # noqa: B018
        self._put(("on_pad_disconnect", checks.whole("pad", pad, 0, MAX_PADS - 1)), 0)

    def _owners(self) -> list[int | None]:
        """For each gamepad, return the index of the player who uses it: -1 if there is no such
        player, and None if the gamepad is not connected.
        """
        slots = pads_after(self._stage.pads, self._stage.incoming.waiting())
        return [
            (-1 if owner is None else owner) if connected else None for connected, owner in slots
        ]

    def _pad(self, player: int) -> Gamepad:
        """Return the gamepad of a player. If the player has no gamepad, first connect a virtual
        gamepad.
        """
        self._player(player)
        owners = self._owners()
        slots = [slot for slot, owner in enumerate(owners) if owner == player]
        return self._stage.pads[slots[0] if slots else self.connect(player=player)]

    @other_options(_="write game.testing.click(x, y), or game.testing.click('Play')")
    def click(
        self, x: float | str, y: float | None = None, button: str = "left", *, player: int = 0
    ) -> None:
        """Press and release a mouse button at a position on the screen, or on the widget that has
        the given text. Examples are ``click(100, 50)`` and ``click("Play")``.

        The text must be the whole text of a button or another widget in the top scene or in the
        game. Raises `ValueError` if no visible widget has this text, or if the widget is covered by
        another one.

        After the click, the mouse pointer stays at the position of the click. `click` does not send
        the event `on_mouse_motion` to the game. To send `on_mouse_motion`, call
        ``feed([("on_mouse_motion", x, y, dx, dy)])``.
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
        """Type ``text`` on the keyboard. Each character of the text causes an ``on_text`` event. If
        the keyboard has a key for the character, `type` presses this key before the ``on_text``
        event, and releases it after the event. For a line break, `type` presses the Return key, and
        the text of the event is ``"\\r"``.
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
        """Add events to the input of the next tick. ``events`` is a `TickInput` or a list of
        events, such as ``[("on_mouse_scroll", 9, 9, 0, 1)]``. Events have the same names and values
        as in pyglet, but positions are in units. Raises `ValueError` if an event is invalid.
        """
        self._stage.live  # noqa: B018 (raises an error if the game was closed)
        raw_events = (
            events.events
            if isinstance(events, TickInput)
            else tuple(checks.items("events", events))
        )
        player = 0
        # Encode and decode the events, so that numbers are rounded as in a recording.
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


def _mouse_button(key: str) -> int:
    """Return the number of a mouse button with a name such as "mouse:left"."""
    button = key[6:].lower()
    if button not in MOUSE_BUTTONS:
        near = ", ".join(f"mouse:{button_name}" for button_name in MOUSE_BUTTONS)
        raise ValueError(f"key: the mouse has no button {key!r}; there are {near}")
    return MOUSE_BUTTONS[button]
