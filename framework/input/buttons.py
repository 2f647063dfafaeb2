"""The keys and buttons that are down during a tick, or that were pressed or released in it.

Input events can arrive at any time. ``begin_tick`` applies the events that have arrived since the
last tick, and until the next call, the state does not change. Therefore, each press belongs to
exactly one tick, whatever the frame rate.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from ..checks import named, nearest, shown, whole, wrong_type
from ..moved_names import HasMoved
from ..other_engines.input_names import OTHER_CONTROLS, OTHER_KEYS, OTHER_SIGNS, buttons_names
from .tick_input import Event, Incoming


class Names(dict[str, int]):
    """A dict that maps the names of buttons to their numbers (symbols). The names are in lower
    case. The dict never changes, so several devices can use the same dict.
    """

    def __init__(self, names: Mapping[str, int]) -> None:
        symbols = named("names", names, "symbols by the names of keys or buttons")
        super().__init__(
            {name.lower(): whole(f"names[{name!r}]", symbol) for name, symbol in symbols.items()}
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
"""The captured state of a device: the symbols that are down and held, the presses and releases of
this tick and of the next tick, whether events are waiting, and the additional state of a subclass.
"""


class TickDevice(Protocol):
    """The interface of an input device: keys, a mouse or gamepads. The device applies its events at
    the beginning of each tick.
    """

    def begin_tick(self) -> None: ...


@buttons_names
class Buttons(HasMoved):
    """The buttons of a device: keys, mouse buttons or gamepad controls.

    Each button has a number, which is called its symbol. A button can also have a name. If the
    device belongs to a game, ``press``, ``release`` and ``release_all`` create input events, in the
    same way as `Game.testing`. These events are applied at the beginning of the next tick, and
    stored by recordings and `Rewind`. A device that you create yourself belongs to no game: these
    three methods then change the device immediately, and you must call ``begin_tick`` in each tick.
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

    # The names of the attributes that a subclass adds to the captured state.
    _further: tuple[str, ...] = ()

    # If the class had only __getitem__, `"space" in keys` would try keys[0], keys[1], … forever.
    __iter__ = None

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        """``names`` is a dict that maps the names of buttons to their numbers (symbols). Names are
        not case-sensitive.
        """
        self._names = (
            names if isinstance(names, Names) else Names(names) if names is not None else _NO_NAMES
        )
        self._down: set[int] = set()
        self._held: frozenset[int] = frozenset()
        # How often each symbol was pressed and released, in this tick and in the next tick.
        self._pressed: dict[int, int] = {}
        self._released: dict[int, int] = {}
        self._next_pressed: dict[int, int] = {}
        self._next_released: dict[int, int] = {}
        self._pending = False  # whether the next `begin_tick` has work to do
        # The result of the last call of `_capture`, until something changes.
        self._saved: Saved | None = None
        self._incoming: Incoming | None = None  # the input events of the device's game
        self._player = 0

    def _belong(self, incoming: Incoming, player: int) -> None:
        """Connect the device to a game. From then on, its events are input of the player with the
        index ``player``.
        """
        self._incoming = incoming
        self._player = player

    def press(self, symbol: int | str) -> None:
        """Press a button. ``symbol`` is the symbol or the name of the button. If the button is
        already down, do nothing.
        """
        symbol = self._symbol(symbol, "symbol")
        if self._incoming is None:
            self._press(symbol)
        elif symbol not in self._pending_down():
            self._put(self._event(whole("symbol", symbol, 0), True))

    def release(self, symbol: int | str) -> None:
        """Release a button. ``symbol`` is the symbol or the name of the button. If the button is
        not down, do nothing.
        """
        symbol = self._symbol(symbol, "symbol")
        if self._incoming is None:
            self._release(symbol)
        elif symbol in self._pending_down():
            self._put(self._event(symbol, False))

    def release_all(self) -> None:
        """Release all buttons that are down."""
        if self._incoming is None:
            self._release_all()
        else:
            for symbol in sorted(self._pending_down()):
                self._put(self._event(symbol, False))

    def _pending_down(self) -> set[int]:
        incoming = self._incoming
        down = set(self._down)
        if incoming is not None:
            if not self._player:
                down |= self._taken(incoming.taken())
            for player, event in incoming.waiting():
                if event[0] == "on_deactivate" and player == self._player:
                    down.clear()
                else:
                    self._apply_waiting(down, player, event)
        return down

    def _put(self, event: Event) -> None:
        if self._incoming is not None:
            self._incoming.put(event, self._player)

    def _event(self, symbol: int, down: bool) -> Event:
        """Return the input event that presses or releases a button."""
        raise NotImplementedError

    def _taken(self, captured: set[tuple[Any, ...]]) -> set[int]:
        """Return the symbols of the buttons in ``captured`` that belong to this device.
        ``captured`` contains the buttons that a widget has used.
        """
        raise NotImplementedError

    def _apply_waiting(self, down: set[int], player: int, event: Event) -> None:
        """Apply an event that was waiting for this tick. ``down`` is the set of the symbols of all
        pressed buttons. The method changes this set.
        """
        raise NotImplementedError

    # -- applied by ticks ---------------------------------------------------------------------------

    def _press(self, symbol: int) -> None:
        if symbol not in self._down:
            self._down.add(symbol)
            self._next_pressed[symbol] = self._next_pressed.get(symbol, 0) + 1
            self._pending = True
            self._saved = None

    def _release(self, symbol: int) -> None:
        if symbol in self._down:
            self._down.remove(symbol)
            self._next_released[symbol] = self._next_released.get(symbol, 0) + 1
            self._pending = True
            self._saved = None

    def _release_all(self) -> None:
        """Release all buttons. Called when the window loses the focus, because it then no longer
        receives release events.
        """
        for symbol in tuple(self._down):
            self._release(symbol)

    def _forget(self) -> None:
        for counts in (self._next_pressed, self._next_released, self._pressed, self._released):
            counts.clear()
        self._saved = None

    def _capture(self) -> Saved:
        """Return the state of the device, for snapshots. To restore the state later, pass the
        result to `_restore`. If nothing has changed since the last call, return the same object.
        """
        saved = self._saved
        further = self._further_state()
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

    def _restore(self, saved: Saved) -> None:
        """Set the device to a state that `_capture` returned earlier."""
        if self._saved is saved and all(map(operator.is_, self._further_state(), saved[-1])):
            return
        self._saved = saved
        down, self._held, pressed, released, next_pressed, next_released, self._pending, further = (
            saved
        )
        self._down = down.copy()
        self._pressed = pressed.copy()
        self._released = released.copy()
        self._next_pressed = next_pressed.copy()
        self._next_released = next_released.copy()
        for name, value in zip(self._further, further, strict=True):
            setattr(self, name, value)

    def _further_state(self) -> tuple[object, ...]:
        """Return the state that a subclass stores in addition to the buttons."""
        return ()

    def begin_tick(self) -> None:
        """Apply the input events that have arrived since the last tick."""
        if not self._pending:
            return
        self._saved = None
        self._pressed, self._next_pressed = self._next_pressed, self._pressed
        self._released, self._next_released = self._next_released, self._released
        self._next_pressed.clear()
        self._next_released.clear()
        # A button was held in this tick if the button is down now, or was released in this tick.
        self._held = frozenset(self._down.union(self._released))
        self._pending = bool(self._pressed or self._released)

    @property
    def down(self) -> frozenset[int]:
        """The symbols of all buttons that are down, after all events of this tick."""
        return frozenset(self._down)

    def held(self, key: int | str) -> bool:
        """Return whether a button is down.

        If the player has pressed and released the button since the last tick, the result is also
        True.
        """
        return self._symbol(key) in self._held

    def just_pressed(self, key: int | str) -> bool:
        """Return whether a button was pressed since the last tick.

        To count several fast presses, call `presses`. To check whether a button stays down, call
        `held`.
        """
        return self._symbol(key) in self._pressed

    def just_released(self, key: int | str) -> bool:
        """Return whether a button was released since the last tick."""
        return self._symbol(key) in self._released

    def presses(self, key: int | str) -> int:
        """Return the number of times that a button was pressed since the last tick. The number is
        usually 0 or 1.
        """
        return self._pressed.get(self._symbol(key), 0)

    def releases(self, key: int | str) -> int:
        """Return the number of times that a button was released since the last tick. The number is
        usually 0 or 1.
        """
        return self._released.get(self._symbol(key), 0)

    def __getitem__(self, key: int | str) -> bool:
        """Return whether a button is down. ``keys[key]`` is the same as ``keys.held(key)``."""
        return self.held(key)

    def axis(self, negative: int | str, positive: int | str) -> int:
        """Return -1 if the player is holding only ``negative``, and 1 if the player is holding only
        ``positive``. If the player is holding both buttons or neither, return 0.
        """
        negative_symbol = self._symbol(negative, "negative")
        positive_symbol = self._symbol(positive, "positive")
        return (positive_symbol in self._held) - (negative_symbol in self._held)

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
        kind = type(self).__name__
        name = shown(key)
        if not self._names:
            return (
                f"this device has no names; use the int symbol instead of {name}, or create "
                f"{kind}(names)"
            )
        if not key.strip() and "space" in self._names:
            return f"{kind} has no name {name}; did you mean 'space'?"
        meant = OTHER_SIGNS.get(key) or OTHER_KEYS.get(key.strip().lower())
        if "a" in self._names and "space" not in self._names:
            meant = OTHER_CONTROLS.get(key.strip().lower().replace(" ", "_"))
        elif "space" not in self._names:
            meant = None
        if meant is None and "+" in key.strip("+") and "space" in self._names:
            return (
                f"{kind} has no name {name}; for keys that are held together, write "
                f"fw.Actions(undo=[{name}]) and actions.just_pressed('undo'), and in a test press "
                "each key"
            )
        if meant is not None:
            return f"{kind} has no name {name}; did you mean {meant}?"
        return f"{kind} has no name {name}; the nearest are {nearest(key, self._names)}"


# Functions for the framework.

is_pending: Callable[[TickDevice], bool] = operator.attrgetter("_pending")
"""Return whether ``begin_tick`` of a device has work to do in the next tick. If not, the call can
be skipped, which saves time.
"""


def symbol_of(device: Buttons, key: int | str) -> int:
    """Return the symbol of a button. ``key`` is the name of the button or its symbol.

    Raises `ValueError` if the name is unknown.
    """
    return device._symbol(key)


def symbols_of(name: str, device: Buttons, keys: Iterable[int | str]) -> frozenset[int]:
    """Return the symbols of several buttons. ``name`` is the name of the function that has
    returned ``keys``. Error messages contain this name.

    Raises `TypeError` if ``keys`` is a string.
    """
    if isinstance(keys, str):
        raise TypeError(
            f"{name}: expected a sequence of names of keys, got {keys!r}; return [{keys!r}]"
        )
    return frozenset([symbol_of(device, key) for key in keys])


def find_symbol(device: Buttons, name: str) -> int | None:
    """Return the symbol of a button by its name. If the name is unknown, return None."""
    return device._names.get(name.lower())


def new_presses(device: Buttons) -> tuple[int, ...]:
    """Return the symbols of the buttons that were pressed since the last tick, in the order in
    which they were pressed.
    """
    return tuple(device._pressed)


def pending_presses(device: Buttons, symbol: int) -> int | None:
    """Return how many presses of a button the next tick will apply.

    If the player is not holding the button and has not held it in this tick, return None.
    """
    if symbol in device._down or symbol in device._held:
        return device._next_pressed.get(symbol, 0)
    return None


def pending_down(device: Buttons) -> set[int]:
    """Return the symbols of all buttons that will be down in the next tick.

    Buttons that a widget has used are included.
    """
    return device._pending_down()


def forget_presses(device: Buttons) -> None:
    """Delete all presses and releases of this tick and of the next tick. Buttons that the player is
    still holding stay down.
    """
    device._forget()


class PointerDevice(Protocol):
    """The interface of a mouse that can return its position in the next tick."""

    def _pending_position(self) -> tuple[float, float]: ...


def pending_position(mouse: PointerDevice) -> tuple[float, float]:
    """Return the position that the mouse will have in the next tick."""
    return mouse._pending_position()
