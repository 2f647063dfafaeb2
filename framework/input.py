"""What the player did, tick by tick.

Events arrive between ticks, at any moment. ``begin_tick`` latches what came since the last tick: until the
next one the answers do not change, and each press is seen by exactly one tick, whatever the frame rate.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Mapping

MOUSE_BUTTONS = {"left": 1, "middle": 2, "right": 4}


class Buttons:
    """Things that go down and up: keys, mouse buttons. Each is an int symbol; some also have a name.

    The window feeds ``press``, ``release`` and ``release_all``; the game asks the rest.
    """

    __iter__ = None  # with only __getitem__, `"space" in keys` would try keys[0], keys[1], … for ever

    def __init__(self, names: Mapping[str, int] | None = None) -> None:
        """``names`` maps names, in any case, to symbols."""
        self._names = {name.lower(): symbol for name, symbol in (names or {}).items()}
        self._down: set[int] = set()
        self._held: frozenset[int] = frozenset()
        # Counts by symbol: what this tick sees, and what has come since for the next one.
        self._pressed: dict[int, int] = {}
        self._released: dict[int, int] = {}
        self._next_pressed: dict[int, int] = {}
        self._next_released: dict[int, int] = {}

    def press(self, symbol: int) -> None:
        """``symbol`` went down. A repeat, while it is down, is not a new press."""
        if symbol not in self._down:
            self._down.add(symbol)
            self._next_pressed[symbol] = self._next_pressed.get(symbol, 0) + 1

    def release(self, symbol: int) -> None:
        """``symbol`` went up. Ignored if it was not down."""
        if symbol in self._down:
            self._down.remove(symbol)
            self._next_released[symbol] = self._next_released.get(symbol, 0) + 1

    def release_all(self) -> None:
        """Everything went up: the window lost the focus, and will not hear of the real releases."""
        for symbol in tuple(self._down):
            self.release(symbol)

    def forget(self) -> None:
        """Drop the presses and releases that no tick has seen yet; what is down stays down."""
        self._next_pressed.clear()
        self._next_released.clear()

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        if self._next_pressed or self._next_released or self._pressed or self._released:
            self._pressed, self._next_pressed = self._next_pressed, self._pressed
            self._released, self._next_released = self._next_released, self._released
            self._next_pressed.clear()
            self._next_released.clear()
            # What was down at any moment since the last tick is still down, or was released since.
            self._held = frozenset(self._down.union(self._released))

    def held(self, key: int | str) -> bool:
        """Whether ``key`` was down at any moment since the last tick, so that no press is too short."""
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
        return self.held(positive) - self.held(negative)

    def _symbol(self, key: int | str) -> int:
        if isinstance(key, str):
            symbol = self._names.get(key.lower())
            if symbol is None:
                raise ValueError(self._unknown(key))
            return symbol
        try:
            return operator.index(key)
        except TypeError:
            raise TypeError(f"a key is an int symbol or a name, not {key!r}") from None

    def _unknown(self, key: str) -> str:
        kind = type(self).__name__
        if not self._names:
            return f"no key has a name here, so ask for {key!r} by its int symbol, or make {kind}(names)"
        near = ", ".join(difflib.get_close_matches(key.lower(), self._names, 3, 0.0))
        return f"{kind} knows {len(self._names)} names, but not {key!r}; the nearest are {near}"


class Keys(Buttons):
    """The keyboard. A key is its symbol or its name: ``keys["space"]``, ``keys.axis("left", "right")``."""


class Mouse(Buttons):
    """The mouse: its buttons, place, motion and wheel. Units are the game's own, y up; the window converts.

    Latched for each tick: ``x``, ``y`` (the place), ``dx``, ``dy`` (motion since the last tick),
    ``scroll_x``, ``scroll_y`` (wheel steps since the last tick, y positive away from the player), and
    ``inside`` (the pointer is over the window).
    """

    def __init__(self, names: Mapping[str, int] = MOUSE_BUTTONS) -> None:
        super().__init__(names)
        self.x = self.y = 0.0
        self.dx = self.dy = 0.0
        self.scroll_x = self.scroll_y = 0.0
        self.inside = False
        self._next_place = self._next_motion = self._next_scroll = (0.0, 0.0)
        self._next_inside = False
        self._came = self._moving = False  # something came since the last tick; something came before it

    @property
    def position(self) -> tuple[float, float]:
        """``(x, y)``."""
        return self.x, self.y

    def move(self, x: float, y: float, dx: float, dy: float) -> None:
        """The pointer, dragging or not, came to (``x``, ``y``) by a motion of (``dx``, ``dy``)."""
        self._next_place = (x, y)
        self._next_motion = (self._next_motion[0] + dx, self._next_motion[1] + dy)
        self._came = True

    def scroll(self, dx: float, dy: float) -> None:
        """The wheel turned by ``dx`` and ``dy`` steps."""
        self._next_scroll = (self._next_scroll[0] + dx, self._next_scroll[1] + dy)
        self._came = True

    def enter(self) -> None:
        """The pointer came over the window."""
        self._next_inside = self._came = True

    def leave(self) -> None:
        """The pointer left the window."""
        self._next_inside, self._came = False, True

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        super().begin_tick()
        if self._came or self._moving:
            self.x, self.y = self._next_place
            self.dx, self.dy = self._next_motion
            self.scroll_x, self.scroll_y = self._next_scroll
            self.inside = self._next_inside
            self._next_motion = self._next_scroll = (0.0, 0.0)
            self._moving, self._came = self._came, False
