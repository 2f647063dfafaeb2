"""Separate the keyboard, mouse and gamepad input of each player in a multiplayer game."""

from __future__ import annotations

__all__ = ["Player"]

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from ..checks import instance
from .buttons import forget_presses
from .keyboard import Keys
from .mouse import Mouse
from .pads import Gamepad, Gamepads, forget_pads, give_pad, pads_of, used_pads
from .tick_input import Event, Incoming


class Player:
    """A player, with the input devices ``keys``, ``mouse``, ``pads`` and ``pad``. For example,
    ``self.players[1].keys["space"]`` is a key of the second player.
    """

    __slots__ = ("_all_pads", "keys", "mouse", "number")
    _transient_attributes = True  # snapshots store the devices separately

    def __init__(
        self, names: Mapping[str, int] | None = None, pads: Gamepads | None = None, number: int = 0
    ) -> None:
        """``names`` is a dict that maps the names of keys to their numbers (symbols). ``number`` is
        the index of the player. The index of the first player is 0.
        """
        self.keys = Keys(names)
        self.mouse = Mouse()
        self.number = number
        """The index of the player. The first player has the index 0."""
        self._all_pads = Gamepads() if pads is None else pads

    @property
    def pads(self) -> tuple[Gamepad, ...]:
        """The gamepads of this player, including gamepads that are not connected. If the game has
        only one player, `pads` contains all gamepads.

        A gamepad that is connected again is given to its previous owner. A new gamepad is given to
        the first player without a connected gamepad.
        """
        return pads_of(self._all_pads, self.number)

    @property
    def pad(self) -> Gamepad | None:
        """The first connected gamepad of this player. If no gamepad of the player is connected,
        `pad` is the first of `pads`.

        If the player has no gamepads, `pad` is None. Set `pad` to give a gamepad to the player:
        ``self.players[1].pad = self.pads[0]``. After that, the player has only this gamepad. If you
        set `pad` to None, the player has no gamepads.
        """
        pads = self.pads
        return next((pad for pad in pads if pad.connected), pads[0] if pads else None)

    @pad.setter
    def pad(self, value: Gamepad | None) -> None:
        if value is not None:
            instance("pad", value, Gamepad, what="a Gamepad or None", hint="one of game.pads")
            if self._all_pads[value.number] is not value:
                raise ValueError(
                    f"pad: expected one of this game's own pads, got {value!r} of another game"
                )
        for pad in self.pads:
            give_pad(self._all_pads, pad.number, None)
        if value is not None:
            give_pad(self._all_pads, value.number, self.number)

    def _take(self, event: Event) -> None:
        """Pass an input event to the keyboard, the mouse or the gamepads of the player."""
        handler = _HANDLERS.get(event[0])
        if handler is not None:
            handler(self, *event[1:])
        elif event[0][:7] == "on_pad_":
            self._all_pads._take(event, self.number)

    def begin_tick(self) -> None:
        """Apply the player's input events that have arrived since the last tick."""
        self.keys.begin_tick()
        self.mouse.begin_tick()
        self._all_pads.begin_tick()

    def _key_press(self, symbol: int, modifiers: int) -> None:
        self.keys._press(symbol)

    def _key_release(self, symbol: int, modifiers: int) -> None:
        self.keys._release(symbol)

    def _text(self, text: str) -> None:
        self.keys._write(text)

    def _mouse_motion(self, x: float, y: float, dx: float, dy: float, *details: int) -> None:
        self.mouse._move(x, y, dx, dy)

    def _mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.mouse._move(x, y, 0, 0)
        self.mouse._press(button)

    def _mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.mouse._move(x, y, 0, 0)
        self.mouse._release(button)

    def _mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> None:
        self.mouse._move(x, y, 0, 0)
        self.mouse._scroll(scroll_x, scroll_y)

    def _mouse_enter(self, x: float, y: float) -> None:
        self.mouse._enter()

    def _mouse_leave(self, x: float, y: float) -> None:
        self.mouse._leave()

    def _deactivate(self) -> None:
        self.keys._release_all()
        self.mouse._release_all()
        self._all_pads._release_all()


def pads_in_use(player: Player) -> tuple[Gamepad, ...]:
    """Return the gamepads of a player that have sent at least one event."""
    return used_pads(player._all_pads, player.number)


def forget_input(player: Player) -> None:
    """Delete the presses and releases of a player in this tick and in the next tick."""
    forget_presses(player.keys)
    forget_presses(player.mouse)
    forget_pads(player._all_pads)


class InputDevices:
    """The input devices of all players."""

    not_state = True  # snapshots store the devices separately

    def __init__(self, names: Mapping[str, int] | None, players: int) -> None:
        self.incoming = Incoming()
        """The events that are waiting for the next tick."""
        self.pads = Gamepads(players, self.incoming)
        self.players = tuple(Player(names, self.pads, number) for number in range(players))
        for player in self.players:
            player.keys._belong(self.incoming, player.number)
            player.mouse._belong(self.incoming, player.number)
        self.dt = 0.0
        """The duration of the current tick in seconds."""
        self._pending = False  # whether `_listeners` contains any methods
        self._listeners: list[weakref.WeakMethod[Callable[[], None]]] = []

    def call_each_tick(self, method: Callable[[], None]) -> None:
        """Call a method in each tick from now on, after the input of the tick has arrived. Only a
        weak reference is stored: when the object of the method is deleted, the calls end.
        """
        remaining = [listener for listener in self._listeners if listener() not in (None, method)]
        self._listeners = [*remaining, weakref.WeakMethod(method)]
        self._pending = True

    def begin_tick(self) -> None:
        """Call all methods that were passed to `call_each_tick`."""
        for listener in self._listeners:
            method = listener()
            if method is not None:
                method()


_HANDLERS: dict[str, Callable[..., Any]] = {
    "on_key_press": Player._key_press,
    "on_key_release": Player._key_release,
    "on_text": Player._text,
    "on_mouse_motion": Player._mouse_motion,
    "on_mouse_drag": Player._mouse_motion,
    "on_mouse_press": Player._mouse_press,
    "on_mouse_release": Player._mouse_release,
    "on_mouse_scroll": Player._mouse_scroll,
    "on_mouse_enter": Player._mouse_enter,
    "on_mouse_leave": Player._mouse_leave,
    "on_deactivate": Player._deactivate,
}
