"""The buttons, the position, the motion and the wheel of the mouse during a tick."""

from __future__ import annotations

__all__ = ["LEFT", "MIDDLE", "MOUSE4", "MOUSE5", "RIGHT", "Mouse", "buttons_string"]

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from ..checks import number, whole
from ..moved_names import moved
from ..other_engines.input_names import mouse_names
from .buttons import Buttons, Names
from .tick_input import Event

# The same names and numbers as in pyglet. They are repeated here, because pyglet's module needs a
# window system.
LEFT = 1
MIDDLE = 2
RIGHT = 4
MOUSE4 = 8
MOUSE5 = 16

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


@moved(
    "mouse",
    {"pressed": "presses", "released": "releases"},
    advice={
        "pressed": (
            "presses counts: write mouse['left'] (whether the button is down) or "
            "mouse.just_pressed('left')"
        ),
        "released": "releases counts: write mouse.just_released('left')",
    },
)
@mouse_names
class Mouse(Buttons):
    """The mouse: ``self.mouse.position``, ``self.mouse["left"]``.

    Positions are in units of the view. The y axis points up. ``x`` and ``y`` are the position of
    the pointer. ``dx`` and ``dy`` are the motion of the pointer since the last tick. ``scroll_x``
    and ``scroll_y`` are the steps of the wheel since the last tick. ``scroll_y`` is positive if the
    player scrolls up. ``inside`` is True while the pointer is over the window.
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
        # Whether the pointer has moved or the wheel has turned since the last tick.
        self._came = False

    @property
    def position(self) -> tuple[float, float]:
        """The position (x, y) of the pointer in units of the view. The y axis points up."""
        return self.x, self.y

    @property
    def touches(self) -> tuple[tuple[float, float], ...]:
        """The positions of fingers on a touch screen, in units of the view. The tuple contains at
        most one position (x, y).

        pyglet 2.1 has no touch events. Operating systems report the first finger as a mouse whose
        left button is down. So while the left button is down, the tuple contains the position of
        the mouse. Otherwise, the tuple is empty.
        """
        return ((self.x, self.y),) if self.held("left") else ()

    def move(self, x: float, y: float, dx: float | None = None, dy: float | None = None) -> None:
        """Move the pointer to (``x``, ``y``), for example in a test. ``dx`` and ``dy`` are the
        motion that the game will read from `Mouse.dx` and `Mouse.dy`. All numbers are in units of
        the view.

        By default, the motion is the difference between the new and the old position.

        If a mouse button is down, the game receives ``on_mouse_drag`` instead of
        ``on_mouse_motion``.
        """
        position = number("x", x), number("y", y)
        before = self._pending_position()
        motion = (
            position[0] - before[0] if dx is None else number("dx", dx),
            position[1] - before[1] if dy is None else number("dy", dy),
        )
        if self._incoming is None:
            self._move(*position, *motion)
            return
        buttons = sum(self._pending_down())
        if buttons:
            self._put(("on_mouse_drag", *position, *motion, buttons, 0))
        else:
            self._put(("on_mouse_motion", *position, *motion))

    def scroll(self, dx: float, dy: float) -> None:
        """Turn the mouse wheel by ``dx`` and ``dy`` steps. A positive ``dy`` scrolls up."""
        steps = number("dx", dx), number("dy", dy)
        if self._incoming is None:
            self._scroll(*steps)
        else:
            self._put(("on_mouse_scroll", *self._pending_position(), *steps))

    def enter(self) -> None:
        """Move the pointer into the window."""
        if self._incoming is None:
            self._enter()
        else:
            self._put(("on_mouse_enter", *self._pending_position()))

    def leave(self) -> None:
        """Move the pointer out of the window."""
        if self._incoming is None:
            self._leave()
        else:
            self._put(("on_mouse_leave", *self._pending_position()))

    def _event(self, symbol: int, down: bool) -> Event:
        return (
            "on_mouse_press" if down else "on_mouse_release",
            *self._pending_position(),
            symbol,
            0,
        )

    def _taken(self, captured: set[tuple[Any, ...]]) -> set[int]:
        return {button[1] for button in captured if button[0] == "mouse"}

    def _apply_waiting(self, down: set[int], player: int, event: Event) -> None:
        if player == self._player and event[0] in ("on_mouse_press", "on_mouse_release"):
            (down.add if event[0] == "on_mouse_press" else down.discard)(event[3])

    def _pending_position(self) -> tuple[float, float]:
        """Return the position that the pointer will have in the next tick."""
        position = self._next_place
        for player, event in () if self._incoming is None else self._incoming.waiting():
            if player == self._player and event[0] in _PLACING:
                position = event[1], event[2]
        return position

    # -- applied by ticks ---------------------------------------------------------------------------

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
        """Apply the mouse events that have arrived since the last tick."""
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
    """Return the names of mouse buttons, such as "LEFT|RIGHT". ``buttons`` is the sum of the
    symbols of the buttons.
    """
    names = {"LEFT": LEFT, "MIDDLE": MIDDLE, "RIGHT": RIGHT, "MOUSE4": MOUSE4, "MOUSE5": MOUSE5}
    bits = whole("buttons", buttons)
    return "|".join(name for name, bit in names.items() if bit & bits)
