"""Testing: press keys, click and connect gamepads by program, as tests and bots do."""

from __future__ import annotations

from .. import checks
from ..errors import FrameworkError
from ..input import key
from ..input.buttons import find_symbol, symbol_of
from ..input.layout import KINDS, MAX_PADS, STICKS, TRIGGERS, plain, quantised
from ..input.mouse import MOUSE_BUTTONS
from ..input.pads import Pad, event_of, pads_after
from ..input.players import Player
from ..input.tick_input import Event, TickInput
from .stage import Stage


class Testing(checks.Sealed):
    """The part of a game that plays it without hands: `Game.testing`.

    The next tick latches everything that is passed here, as if it came from the window.

    `game.keys.press`, `game.mouse.press` and so on put the same events. Between ticks, these are
    input: recordings and `Rewind` store them, and a replay ignores them. Within a tick, as in
    `update`, they follow from the state: they are not stored, and a tick that runs again puts them
    again.
    """

    __slots__ = ("_stage",)
    not_state = True

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def press(self, key: int | str, *, player: int = 0) -> None:
        """Press a key, its symbol or its name, as in ``press("space")``, or a gamepad's button:
        ``press("pad:a")``.

        It is down until `release`. A trigger goes to its end, and a stick to that side:
        ``press("pad:leftstickup")``. A pad is plugged in where the player has none.
        """
        self._turn("on_key_press", key, player)

    def release(self, key: int | str, *, player: int = 0) -> None:
        """Let go of a key, or of a gamepad's button."""
        self._turn("on_key_release", key, player)

    def _turn(self, name: str, key: int | str, player: int) -> None:
        if isinstance(key, str) and key[:4].lower() == "pad:":
            plain(key)  # an error before a pad is plugged in
            self._put(event_of(self._pad(player), key, name == "on_key_press"), player)
        else:
            self._put((name, symbol_of(self._player(player).keys, key), 0), player)

    def tilt(self, stick: str, x: float, y: float, *, player: int = 0) -> None:
        """Have a stick of the player's gamepad lean, as in ``tilt("leftstick", 0, 1)``: right and
        up, -1 to 1.
        """
        stick = checks.choice("stick", stick, STICKS)
        place = [
            checks.number(name, value, least=-1, most=1) for name, value in (("x", x), ("y", y))
        ]
        self._put(("on_pad_stick", self._pad(player).number, stick, *map(quantised, place)), player)

    def squeeze(self, trigger: str, value: float, *, player: int = 0) -> None:
        """Pull a trigger of the player's gamepad, as in ``squeeze("righttrigger", 0.8)``: 0 to
        1.
        """
        trigger = checks.choice("trigger", trigger, TRIGGERS)
        value = checks.number("value", value, least=0, most=1)
        self._put(("on_pad_trigger", self._pad(player).number, trigger, quantised(value)), player)

    def plug(
        self,
        name: str = "Gamepad",
        kind: str = "generic",
        *,
        pad: int | None = None,
        player: int = 0,
    ) -> int:
        """Plug in a gamepad that no hand holds, in a place of `Game.pads` or else in the first that
        is free; returns its place. ``kind`` is one of "xbox", "playstation", "nintendo", "generic":
        see `Pad.glyph`."""
        self._player(player)
        name, kind = checks.text("name", name), checks.choice("kind", kind, KINDS)
        there = self._plugged()
        free = [place for place, owner in enumerate(there) if owner is None]
        if pad is None and not free:
            raise FrameworkError(f"plug: all {MAX_PADS} places for gamepads are taken")
        place = free[0] if pad is None else checks.whole("pad", pad, 0, MAX_PADS - 1)
        self._put(("on_pad_connect", place, name, kind), player)
        return place

    def unplug(self, pad: int = 0) -> None:
        """Pull out a gamepad: it lets go of everything."""
        self._stage.live  # noqa: B018
        self._put(("on_pad_disconnect", checks.whole("pad", pad, 0, MAX_PADS - 1)), 0)

    def _plugged(self) -> list[int | None]:
        """Of each place, whose pad is there when all that came is latched: -1 nobody's, None for
        none.
        """
        places = pads_after(self._stage.pads, self._stage.incoming.waiting())
        return [(-1 if owner is None else owner) if there else None for there, owner in places]

    def _pad(self, player: int) -> Pad:
        """A player's pad that is there; one is plugged in for who has none."""
        self._player(player)
        there = self._plugged()
        whose = [place for place, owner in enumerate(there) if owner == player]
        return self._stage.pads[whose[0] if whose else self.plug(player=player)]

    def click(self, x: float, y: float, button: str = "left", *, player: int = 0) -> None:
        """Press one of the mouse's buttons at a place of the picture, in units, and let go of it
        there. `self.mouse` is there from then on; `on_mouse_motion` is not called, which `feed`
        does."""
        self._player(player)
        place = checks.number("x", x), checks.number("y", y)
        symbol = MOUSE_BUTTONS[checks.choice("button", button, MOUSE_BUTTONS)]
        self._put(("on_mouse_press", *place, symbol, 0), player)
        self._put(("on_mouse_release", *place, symbol, 0), player)

    def type(self, text: str, *, player: int = 0) -> None:
        """Type a text: each character comes as ``on_text``, between the press and the release of
        its key if it has one.

        A line's end is the key Return, whose text is ``"\\r"``.
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
        """Have the next tick latch events: those of a `TickInput`, or pyglet's, as in
        ``[("on_mouse_scroll", 9, 9, 0, 1)]``, with places in units of the picture. Raises
        `ValueError` for what is none.
        """
        self._stage.live  # noqa: B018  (an error if the game was closed)
        given = (
            events.events
            if isinstance(events, TickInput)
            else tuple(checks.items("events", events))
        )
        player = 0
        for event in TickInput.decode(
            TickInput(given).encode()
        ).events:  # numbers as a recording has them
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
