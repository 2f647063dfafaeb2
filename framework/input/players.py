"""Who plays: each with a keyboard and a mouse of their own, which their events are told to."""

from __future__ import annotations

__all__ = ["Player"]

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from ..checks import instance
from .buttons import forget_presses
from .keyboard import Keys
from .mouse import Mouse
from .pads import Pad, Pads, forget_pads, give_pad, pads_of, used_pads
from .tick_input import Event, Incoming


class Player:
    """One who plays: ``keys`` and ``mouse`` as they are in this tick, and the gamepads that are
    theirs.
    """

    __slots__ = ("_all_pads", "keys", "mouse", "number")
    _transient_attributes = True  # they are put back by themselves

    def __init__(
        self, names: Mapping[str, int] | None = None, pads: Pads | None = None, number: int = 0
    ) -> None:
        """``names`` are those of the keys; ``pads`` are the game's, ``number`` is whose this is of
        them.
        """
        self.keys = Keys(names)
        self.mouse = Mouse()
        self.number = number
        """0 for the first one."""
        self._all_pads = Pads() if pads is None else pads

    @property
    def pads(self) -> tuple[Pad, ...]:
        """The pads that are this player's, whether they are there or not. Who plays alone has all
        of the game's.

        A pad that comes is who had it before, or else the first one's who has none that is there.
        """
        return pads_of(self._all_pads, self.number)

    @property
    def pad(self) -> Pad | None:
        """The first of `pads` that is there, or else the first of them; None where there is none.

        Set one, as in ``self.players[1].pad = self.pads[0]``, and it is this player's alone; None
        for none at all.
        """
        pads = self.pads
        return next((pad for pad in pads if pad.connected), pads[0] if pads else None)

    @pad.setter
    def pad(self, value: Pad | None) -> None:
        if value is not None:
            instance("pad", value, Pad, what="a Pad or None", hint="one of game.pads")
            if self._all_pads[value.number] is not value:
                raise ValueError(
                    f"pad: expected one of this game's own pads, got {value!r} of another game"
                )
        for pad in self.pads:
            give_pad(self._all_pads, pad.number, None)
        if value is not None:
            give_pad(self._all_pads, value.number, self.number)

    def _take(self, event: Event) -> None:
        """Hand an event to the device that latches it in this tick."""
        tell = _TELL.get(event[0])
        if tell is not None:
            tell(self, *event[1:])
        elif event[0][:7] == "on_pad_":
            self._all_pads._take(event, self.number)

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        self.keys.begin_tick()
        self.mouse.begin_tick()
        self._all_pads.begin_tick()

    def _key_press(self, symbol: int, modifiers: int) -> None:
        self.keys._press(symbol)

    def _key_release(self, symbol: int, modifiers: int) -> None:
        self.keys._release(symbol)

    def _text(self, text: str) -> None:
        self.keys._write(text)

    def _mouse_motion(self, x: float, y: float, dx: float, dy: float, *more: int) -> None:
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


def pads_in_use(player: Player) -> tuple[Pad, ...]:
    """Return those of a player's pads of which anything ever came."""
    return used_pads(player._all_pads, player.number)


def forget_input(player: Player) -> None:
    """Drop the presses and releases of this tick, and those that no tick has seen yet."""
    forget_presses(player.keys)
    forget_presses(player.mouse)
    forget_pads(player._all_pads)


class Desk:
    """All who play a game, and what goes along with their input."""

    not_state = True  # keys, mice and pads are put back by themselves

    def __init__(self, names: Mapping[str, int] | None = None, players: int = 1) -> None:
        self.incoming = Incoming()
        """What waits for the next tick."""
        self.pads = Pads(players, self.incoming)
        self.players = tuple(Player(names, self.pads, number) for number in range(players))
        for player in self.players:
            player.keys._belong(self.incoming, player.number)
            player.mouse._belong(self.incoming, player.number)
        self._pending = False  # whether anything goes along
        self._along: list[weakref.WeakMethod[Callable[[], None]]] = []

    def go_along(self, latched: Callable[[], None]) -> None:
        """Have a method called in each tick, as long as somebody refers to its object."""
        others = [known for known in self._along if known() not in (None, latched)]
        self._along = [*others, weakref.WeakMethod(latched)]
        self._pending = True

    def begin_tick(self) -> None:
        """A tick has latched what the players did."""
        for known in self._along:
            latched = known()
            if latched is not None:
                latched()


_TELL: dict[str, Callable[..., Any]] = {
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
