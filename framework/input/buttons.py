"""Things that go down and up, tick by tick: what keys and the mouse's buttons have in common.

Events arrive between ticks, at any moment. ``begin_tick`` latches what came since the last tick:
until the next one the answers do not change, and each press is seen by exactly one tick, whatever
the frame rate.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..checks import named, nearest, shown, whole, wrong_type
from .tick_input import Event, Incoming


class Names(dict[str, int]):
    """Symbols by their names, in lower case; they do not change, and many may share them."""

    def __init__(self, names: Mapping[str, int]) -> None:
        given = named("names", names, "symbols by the names of keys or buttons")
        super().__init__(
            {name.lower(): whole(f"names[{name!r}]", symbol) for name, symbol in given.items()}
        )


_NO_NAMES = Names({})


Saved = tuple[
    set[int],
    frozenset[int],
    dict[int, int],
    dict[int, int],
    dict[int, int],
    dict[int, int],
    bool,
    tuple[object, ...],
]
"""What is down, held, pressed and released, pressed and released for the next tick, whether
anything is pending, and the state of a derived class."""


class Latching(Protocol):
    """What latches input when a tick begins: keys, a mouse, pads."""

    def begin_tick(self) -> None: ...


class Buttons:
    """Things that go down and up: keys, mouse buttons. Each is an int symbol; some also have a
    name.

    ``press``, ``release`` and ``release_all`` of a game's own keys, mouse and pads put events, as
    `Game.press` does: the next tick latches them, recordings and `Rewind` note them, and the
    methods of scenes are called. Those of a device that you make yourself count at once, and its
    ``begin_tick`` is yours to call.
    """

    __slots__ = (
        "_down",
        "_held",
        "_incoming",
        "_names",
        "_next_pressed",
        "_next_released",
        "_pending",
        "_player",
        "_pressed",
        "_released",
        "_saved",
    )
    _not_hashed: Any = ("_incoming", "_player", "_saved")

    _further: tuple[
        str, ...
    ] = ()  # attributes of a derived class, which are put back with the rest

    __iter__ = (
        None  # with only __getitem__, `"space" in keys` would try keys[0], keys[1], … for ever
    )

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        """``names`` maps names, in any case, to symbols."""
        self._names = (
            names if isinstance(names, Names) else Names(names) if names is not None else _NO_NAMES
        )
        self._down: set[int] = set()
        self._held: frozenset[int] = frozenset()
        # Counts by symbol: what this tick sees, and what has come since for the next one.
        self._pressed: dict[int, int] = {}
        self._released: dict[int, int] = {}
        self._next_pressed: dict[int, int] = {}
        self._next_released: dict[int, int] = {}
        self._pending = False  # whether the next `begin_tick` has anything to latch or to clear
        # What `_captured` returned, as long as nothing has changed since.
        self._saved: Saved | None = None
        self._incoming: Incoming | None = None  # of the game whose device it is
        self._player = 0

    def _belong(self, incoming: Incoming, player: int) -> None:
        """Be a game's device from now on: what is pressed goes through ``incoming``, as the input
        of ``player``.
        """
        self._incoming, self._player = incoming, player

    def press(self, symbol: int | str) -> None:
        """Press ``symbol``, or what has this name. A repeat, while it is down, is not a new
        press.
        """
        symbol = self._symbol(symbol, "symbol")
        if self._incoming is None:
            self._press(symbol)
        elif symbol not in self._coming_down():
            self._put(self._event(whole("symbol", symbol, 0), True))

    def release(self, symbol: int | str) -> None:
        """Let go of ``symbol``, or of what has this name. Ignored if it is not down."""
        symbol = self._symbol(symbol, "symbol")
        if self._incoming is None:
            self._release(symbol)
        elif symbol in self._coming_down():
            self._put(self._event(symbol, False))

    def release_all(self) -> None:
        """Let go of everything that is down."""
        if self._incoming is None:
            self._release_all()
        else:
            for symbol in sorted(self._coming_down()):
                self._put(self._event(symbol, False))

    def _coming_down(self) -> set[int]:
        incoming, down = self._incoming, set(self._down)
        if incoming is not None:
            if not self._player:
                down |= self._taken(incoming.taken())
            for player, event in incoming.waiting():
                if event[0] == "on_deactivate" and player == self._player:
                    down.clear()
                else:
                    self._foresee(down, player, event)
        return down

    def _put(self, event: Event) -> None:
        if self._incoming is not None:
            self._incoming.put(event, self._player)

    def _event(self, symbol: int, down: bool) -> Event:
        """The event by which ``symbol`` goes down or up."""
        raise NotImplementedError

    def _taken(self, taken: set[tuple[Any, ...]]) -> set[int]:
        """The symbols among what widgets took."""
        raise NotImplementedError

    def _foresee(self, down: set[int], player: int, event: Event) -> None:
        """Add to ``down``, or discard from it, what an event that waits presses or releases."""
        raise NotImplementedError

    # -- what ticks latch --------------------------------------------------------------------------

    def _press(self, symbol: int) -> None:
        if symbol not in self._down:
            self._down.add(symbol)
            self._next_pressed[symbol] = self._next_pressed.get(symbol, 0) + 1
            self._pending, self._saved = True, None

    def _release(self, symbol: int) -> None:
        if symbol in self._down:
            self._down.remove(symbol)
            self._next_released[symbol] = self._next_released.get(symbol, 0) + 1
            self._pending, self._saved = True, None

    def _release_all(self) -> None:
        """Everything goes up: the window lost the focus, and will not hear of the real releases."""
        for symbol in tuple(self._down):
            self._release(symbol)

    def _forget(self) -> None:
        for counts in (self._next_pressed, self._next_released, self._pressed, self._released):
            counts.clear()
        self._saved = None

    def _captured(self) -> Saved:
        """Return what is down and what came, for `_put_back`: the same one until that changes."""
        saved, further = self._saved, self._further_state()
        if saved is None or not all(map(operator.is_, further, saved[-1])):
            saved = self._saved = (
                self._down.copy(),
                self._held,
                self._pressed.copy(),
                self._released.copy(),
                self._next_pressed.copy(),
                self._next_released.copy(),
                self._pending,
                further,
            )
        return saved

    def _put_back(self, saved: Saved) -> None:
        """Restore what `_captured` returned."""
        if self._saved is saved and all(map(operator.is_, self._further_state(), saved[-1])):
            return
        self._saved = saved
        down, self._held, pressed, released, next_pressed, next_released, self._pending, further = (
            saved
        )
        self._down, self._pressed, self._released = down.copy(), pressed.copy(), released.copy()
        self._next_pressed, self._next_released = next_pressed.copy(), next_released.copy()
        for name, value in zip(self._further, further, strict=True):
            setattr(self, name, value)

    def _further_state(self) -> tuple[object, ...]:
        """What the attributes hold that ``_further`` names."""
        return ()

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        if not self._pending:
            return
        self._saved = None
        self._pressed, self._next_pressed = self._next_pressed, self._pressed
        self._released, self._next_released = self._next_released, self._released
        self._next_pressed.clear()
        self._next_released.clear()
        # What was down at any moment since the last tick is still down, or was released since.
        self._held = frozenset(self._down.union(self._released))
        self._pending = bool(self._pressed or self._released)

    @property
    def down(self) -> frozenset[int]:
        """The symbols of what is down."""
        return frozenset(self._down)

    def held(self, key: int | str) -> bool:
        """Whether ``key`` was down at any moment since the last tick, so that no press is too
        short.
        """
        return self._symbol(key) in self._held

    def pressed(self, key: int | str) -> int:
        """How many times ``key`` went down since the last tick: usually 0 or 1."""
        return self._pressed.get(self._symbol(key), 0)

    def released(self, key: int | str) -> int:
        """How many times ``key`` went up since the last tick: usually 0 or 1."""
        return self._released.get(self._symbol(key), 0)

    def __getitem__(self, key: int | str) -> bool:
        """The same as ``held(key)``."""
        return self.held(key)

    def axis(self, negative: int | str, positive: int | str) -> int:
        """-1, 0 or 1, by which of the two is held; 0 for both."""
        less, more = self._symbol(negative, "negative"), self._symbol(positive, "positive")
        return (more in self._held) - (less in self._held)

    def _symbol(self, key: int | str, name: str = "key") -> int:
        if isinstance(key, str):
            symbol = self._names.get(key.lower())
            if symbol is None:
                raise ValueError(f"{name}: {self._unknown(key)}")
            return symbol
        try:
            return operator.index(key)
        except TypeError:
            raise wrong_type(name, "an int symbol or a name", key) from None

    def _unknown(self, key: str) -> str:
        kind, asked = type(self).__name__, shown(key)
        if not self._names:
            return (
                f"no key has a name here, so ask for {asked} by its int symbol, or make "
                f"{kind}(names)"
            )
        return (
            f"{kind} knows {len(self._names)} names, but not {asked}; the nearest are "
            f"{nearest(key, self._names)}"
        )


# What the framework asks of a device, and games do not.

is_pending: Callable[[Latching], bool] = operator.attrgetter("_pending")
"""Return whether the next ``begin_tick`` of a device has anything to latch or to clear. It need not
be called otherwise."""


def symbol_of(device: Buttons, key: int | str) -> int:
    """Return the int symbol of a name, or a symbol as it is. Raises `ValueError` for an unknown
    name.
    """
    return device._symbol(key)


def find_symbol(device: Buttons, name: str) -> int | None:
    """Return the int symbol of a name, or None."""
    return device._names.get(name.lower())


def new_presses(device: Buttons) -> tuple[int, ...]:
    """Return the symbols that went down since the last tick, in the order in which each first
    did.
    """
    return tuple(device._pressed)


def coming_presses(device: Buttons, symbol: int) -> int | None:
    """Return how often a symbol went down since, for the next tick; None if it is up now, and was
    in this tick.
    """
    if symbol in device._down or symbol in device._held:
        return device._next_pressed.get(symbol, 0)
    return None


def coming_down(device: Buttons) -> set[int]:
    """Return the symbols that are down once all that waits is latched, those that widgets took
    included.
    """
    return device._coming_down()


def forget_presses(device: Buttons) -> None:
    """Drop the presses and releases of this tick, and those that no tick has seen yet.

    What is down stays down.
    """
    device._forget()
