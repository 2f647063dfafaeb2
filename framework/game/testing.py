"""Testing: simulates keys, the mouse and gamepads, for tests and bots."""

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
    """Methods that simulate input, for tests and bots. `Game.testing` is an object of this class.

    The next tick receives the input as if it came from the window.

    `game.keys.press`, `game.mouse.press` and similar methods make the same events.

    If you call these methods between two ticks, the events count as input: recordings and `Rewind`
    store them. During a replay, calls of these methods have no effect. If you call the methods in a
    tick, for example in `update`, the events are not stored. If the tick runs again, its code makes
    the events again.
    """

    __slots__ = ("_stage",)
    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def press(self, key: int | str, *, player: int = 0) -> None:
        """Press a key, a mouse button or a gamepad button. Examples are ``press("space")``,
        ``press("mouse:left")`` and ``press("pad:a")``. `Actions` uses the same names. For a key,
        ``key`` may also be its pyglet symbol. A mouse button is pressed at the position of the
        pointer.

        The key or button stays pressed until `release` is called. `press` pulls a trigger
        completely. `press` pushes a stick as far as possible, as in ``press("pad:leftstickup")``.
        If the player has no gamepad, `press` connects a virtual gamepad.
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
        ``x`` points to the right and ``y`` points up. Both numbers are from -1 to 1.
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
        0.8)``. ``value`` is from 0 (not pulled) to 1.
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
        """Connect a virtual gamepad, and return the index of the gamepad in `Game.pads`. ``pad`` is
        the index to use, by default the first free index.

        ``kind`` is "xbox", "playstation", "nintendo" or "generic" (see `Gamepad.glyph`). Raises
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
        """Disconnect the gamepad ``game.pads[pad]``. The pressed buttons of the gamepad are
        released.
        """
        self._stage.live  # noqa: B018
        self._put(("on_pad_disconnect", checks.whole("pad", pad, 0, MAX_PADS - 1)), 0)

    def _owners(self) -> list[int | None]:
        """Return the index of the player of each gamepad. The index is -1 for a gamepad without a
        player, and None for a gamepad that is not connected.
        """
        slots = pads_after(self._stage.pads, self._stage.incoming.waiting())
        return [
            (-1 if owner is None else owner) if connected else None for connected, owner in slots
        ]

    def _pad(self, player: int) -> Gamepad:
        """Return the gamepad of a player. If the player has no gamepad, connect one."""
        self._player(player)
        owners = self._owners()
        slots = [slot for slot, owner in enumerate(owners) if owner == player]
        return self._stage.pads[slots[0] if slots else self.connect(player=player)]

    @other_options(
        _="write game.testing.click(x, y); to press a button, write button.press(), with the button that menu.button(…) returned"
    )
    def click(self, x: float, y: float, button: str = "left", *, player: int = 0) -> None:
        """Press and release a mouse button at a position on the screen, in units.

        After the click, the mouse stays at this position. The game does not receive the event
        `on_mouse_motion`. To send this event, pass ``("on_mouse_motion", x, y, dx, dy)`` to `feed`.
        """
        self._player(player)
        position = checks.number("x", x), checks.number("y", y)
        symbol = MOUSE_BUTTONS[checks.choice("button", button, MOUSE_BUTTONS)]
        self._put(("on_mouse_press", *position, symbol, 0), player)
        self._put(("on_mouse_release", *position, symbol, 0), player)

    def type(self, text: str, *, player: int = 0) -> None:
        """Type a text. Each character makes an ``on_text`` event. If the keyboard has a key for the
        character, the key is pressed before this event and released after it. For a line break,
        `type` presses the Return key, and the text of the event is ``"\\r"``.
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
        events, such as ``[("on_mouse_scroll", 9, 9, 0, 1)]``. The events have the names and values
        of pyglet's events, with positions in units. Raises `ValueError` if an event is not valid.
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
