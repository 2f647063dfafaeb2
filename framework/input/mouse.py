"""The mouse."""

from __future__ import annotations

__all__ = ["LEFT", "MIDDLE", "MOUSE4", "MOUSE5", "RIGHT", "Mouse", "buttons_string"]

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from ..checks import number, whole
from .buttons import Buttons, Names
from .tick_input import Event

# pyglet's names and numbers, as in ``on_mouse_press``; its module cannot be imported without a
# window's library.
LEFT, MIDDLE, RIGHT, MOUSE4, MOUSE5 = 1, 2, 4, 8, 16

MOUSE_BUTTONS = Names(
    {"left": LEFT, "middle": MIDDLE, "right": RIGHT, "mouse4": MOUSE4, "mouse5": MOUSE5}
)


_MOTION = (
    "_came",
    "_next_inside",
    "_next_motion",
    "_next_place",
    "_next_scroll",
    "dx",
    "dy",
    "inside",
    "scroll_x",
    "scroll_y",
    "x",
    "y",
)
_PLACING = (
    "on_mouse_motion",
    "on_mouse_drag",
    "on_mouse_press",
    "on_mouse_release",
    "on_mouse_scroll",
)
_motion_of: Callable[[object], tuple[object, ...]] = attrgetter(*_MOTION)


class Mouse(Buttons):
    """The mouse: its buttons, place, motion and wheel. Units are the game's own, y up; the window
    converts.

    Latched for each tick: ``x``, ``y`` (the place), ``dx``, ``dy`` (motion since the last tick),
    ``scroll_x``, ``scroll_y`` (wheel steps since the last tick, y positive away from the player),
    and ``inside`` (the pointer is over the window).
    """

    __slots__ = _MOTION
    _further = _MOTION

    def __init__(self, names: Mapping[str, int] = MOUSE_BUTTONS) -> None:
        super().__init__(names)
        self.x = self.y = 0.0
        self.dx = self.dy = 0.0
        self.scroll_x = self.scroll_y = 0.0
        self.inside = False
        self._next_place = self._next_motion = self._next_scroll = (0.0, 0.0)
        self._next_inside = False
        self._came = False  # whether it moved, or its wheel turned, since the last tick

    @property
    def position(self) -> tuple[float, float]:
        """``(x, y)``."""
        return self.x, self.y

    @property
    def touches(self) -> tuple[tuple[float, float], ...]:
        """Where fingers are on the screen, or what stands for one: the place while the left button
        is held.

        pyglet 2.1 tells nothing of touch screens, and a system has the first finger as the mouse:
        there is one at most.
        """
        return ((self.x, self.y),) if self.held("left") else ()

    def move(self, x: float, y: float, dx: float, dy: float) -> None:
        """Move the pointer to (``x``, ``y``), by a motion of (``dx``, ``dy``). With a button down
        it is dragged.
        """
        place = number("x", x), number("y", y)
        motion = number("dx", dx), number("dy", dy)
        if self._incoming is None:
            self._move(*place, *motion)
            return
        buttons = sum(self._coming_down())
        if buttons:
            self._put(("on_mouse_drag", *place, *motion, buttons, 0))
        else:
            self._put(("on_mouse_motion", *place, *motion))

    def scroll(self, dx: float, dy: float) -> None:
        """Turn the wheel by ``dx`` and ``dy`` steps."""
        steps = number("dx", dx), number("dy", dy)
        if self._incoming is None:
            self._scroll(*steps)
        else:
            self._put(("on_mouse_scroll", *self._coming_place(), *steps))

    def enter(self) -> None:
        """Bring the pointer over the window."""
        if self._incoming is None:
            self._enter()
        else:
            self._put(("on_mouse_enter", *self._coming_place()))

    def leave(self) -> None:
        """Have the pointer leave the window."""
        if self._incoming is None:
            self._leave()
        else:
            self._put(("on_mouse_leave", *self._coming_place()))

    def _event(self, symbol: int, down: bool) -> Event:
        return "on_mouse_press" if down else "on_mouse_release", *self._coming_place(), symbol, 0

    def _taken(self, taken: set[tuple[Any, ...]]) -> set[int]:
        return {what[1] for what in taken if what[0] == "mouse"}

    def _foresee(self, down: set[int], player: int, event: Event) -> None:
        if player == self._player and event[0] in ("on_mouse_press", "on_mouse_release"):
            (down.add if event[0] == "on_mouse_press" else down.discard)(event[3])

    def _coming_place(self) -> tuple[float, float]:
        """Where the pointer is once all that waits is latched."""
        place = self._next_place
        for player, event in () if self._incoming is None else self._incoming.waiting():
            if player == self._player and event[0] in _PLACING:
                place = event[1], event[2]
        return place

    # -- what ticks latch --------------------------------------------------------------------------

    def _move(self, x: float, y: float, dx: float, dy: float) -> None:
        self._next_motion = self._next_motion[0] + dx, self._next_motion[1] + dy
        self._next_place = x, y
        self._note()

    def _scroll(self, dx: float, dy: float) -> None:
        self._next_scroll = self._next_scroll[0] + dx, self._next_scroll[1] + dy
        self._note()

    def _enter(self) -> None:
        self._next_inside = True
        self._note()

    def _leave(self) -> None:
        self._next_inside = False
        self._note()

    def _note(self) -> None:
        self._came = self._pending = True
        self._saved = None

    def _further_state(self) -> tuple[object, ...]:
        return _motion_of(self)

    def begin_tick(self) -> None:
        """Latch what came since the last tick."""
        if not self._pending:
            return
        super().begin_tick()
        self.x, self.y = self._next_place
        self.dx, self.dy = self._next_motion
        self.scroll_x, self.scroll_y = self._next_scroll
        self.inside = self._next_inside
        self._next_motion = self._next_scroll = (0.0, 0.0)
        self._pending = self._pending or self._came  # the next tick clears the motion
        self._came = False


def buttons_string(buttons: int) -> str:
    """The names of buttons that are held together, as in "LEFT|RIGHT"."""
    names = {"LEFT": LEFT, "MIDDLE": MIDDLE, "RIGHT": RIGHT, "MOUSE4": MOUSE4, "MOUSE5": MOUSE5}
    held = whole("buttons", buttons)
    return "|".join(name for name, bit in names.items() if bit & held)
