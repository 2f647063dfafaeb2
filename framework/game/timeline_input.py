"""Handle the keys and the mouse while the timeline of a rewind is open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..input.tick_input import Event
from ..timing.timestep import NANOSECONDS
from ..watch.tick_timeline import BUTTONS, KEYS, MOTION, TickTimeline
from .loop import Loop
from .rewind_history import RewindHistory
from .stage import Stage

# The key symbols of pyglet.window.key. This module cannot be imported before `prepare`.
_ESCAPE = 0xFF1B
_RETURN = 0xFF0D
_ENTER = 0xFF8D
_SPACE = 0x20
_F3 = 0xFFC0
_F4 = 0xFFC1
_LEFT = 0xFF51
_RIGHT = 0xFF53
_HOME = 0xFF50
_END = 0xFF57
_PAGE_UP = 0xFF55
_PAGE_DOWN = 0xFF56
_RESUME_KEYS = (_SPACE, _RETURN, _ENTER, _F4)
_STEPS = {_LEFT: -1, _RIGHT: 1}

# While a key is held, the timeline repeats its step: first after `_REPEAT_DELAY`, then every
# `_REPEAT_INTERVAL`. Both times are in nanoseconds.
_REPEAT_DELAY = 3 * NANOSECONDS // 10
_REPEAT_INTERVAL = NANOSECONDS // 30


class TimelineInput:
    """Handles the keys and the mouse while the timeline is open. The user can go to any stored
    tick, and continue the game from that tick. ``down`` contains the keys and the mouse buttons
    that are pressed when the timeline opens.
    """

    def __init__(
        self,
        stage: Stage,
        loop: Loop,
        rewind_history: RewindHistory,
        down: tuple[Iterable[int], Iterable[int]],
        resume: Callable[[], object],
        cancel: Callable[[], object],
    ) -> None:
        self._stage = stage
        self._loop = loop
        self._rewind_history = rewind_history
        self._resume = resume
        self._cancel = cancel
        self._keys = set(down[0])
        self._buttons = set(down[1])
        self._position = (0.0, 0.0)
        self._dragging = False
        self._stepping: int | None = None  # the key that is repeated while it is held
        self._due = 0
        rate = rewind_history.rate
        self._rate = max(1, round(rate))
        self._target = loop.tick
        self.strip = TickTimeline(rewind_history.history.ticks, rate, _marks(rewind_history))
        self.strip.tick = loop.tick

    def frame(self, now: int) -> None:
        """Handle the input events of a frame, and then go to the tick that the user has chosen."""
        stage = self._stage
        self._target = self._loop.tick
        events = stage.inbox.take()
        for index, event in enumerate(events):
            end = self._hear(event, now)
            if end is not None:
                end()
                for later in events[index + 1 :]:
                    stage.inbox.put(later)
                return
        if self._stepping is not None and now >= self._due:
            repeats = 1 + (now - self._due) // _REPEAT_INTERVAL
            self._target += _STEPS[self._stepping] * repeats
            self._due += repeats * _REPEAT_INTERVAL
        ticks = self._rewind_history.history.ticks
        tick = min(max(self._target, ticks[0]), ticks[-1])
        if tick != self._loop.tick:
            self._rewind_history.seek(tick)
        self.strip.tick = self._loop.tick

    def settled(self, keys: set[int], buttons: set[int]) -> list[Event]:
        """Return events that make the game's pressed keys and buttons match the real devices.
        ``keys`` and ``buttons`` are the keys and buttons that the game thinks are pressed.
        """
        position = self._position
        events: list[Event] = [
            ("on_key_release", symbol, 0) for symbol in sorted(keys - self._keys)
        ]
        events += [
            ("on_mouse_release", *position, button, 0) for button in sorted(buttons - self._buttons)
        ]
        return events + [("on_key_press", symbol, 0) for symbol in sorted(self._keys - keys)]

    # -- events ------------------------------------------------------------------------------------

    def _hear(self, event: Event, now: int) -> Callable[[], object] | None:
        """Handle one input event. If the event closes the timeline, return the method to call next:
        `Rewind.resume` or `Rewind.cancel`. Otherwise return None.
        """
        match event:
            case ("on_key_press", symbol, _):
                return self._press(symbol, now)
            case ("on_key_release", symbol, _):
                self._keys.discard(symbol)
                if symbol == self._stepping:
                    self._stepping = None
            case ("on_mouse_press", x, y, button, _):
                self._buttons.add(button)
                self._grab(x, y)
            case ("on_mouse_release", x, y, button, _):
                self._buttons.discard(button)
                self._dragging = False
                self._position = (x, y)
            case ("on_mouse_drag" | "on_mouse_motion", x, y, *_):
                self._position = (x, y)
                if self._dragging:
                    self._target = self._tick_at(x, y)
            case ("on_mouse_scroll", _, _, _, steps):
                self._target += round(steps)
            case ("on_deactivate",):
                self._keys.clear()
                self._buttons.clear()
                self._stepping = None
                self._dragging = False
            case ("on_close",):
                self._stage.exiting = True
        return None

    def _press(self, symbol: int, now: int) -> Callable[[], object] | None:
        if symbol in _RESUME_KEYS:
            return self._resume
        if symbol == _ESCAPE:
            return self._cancel
        self._keys.add(symbol)
        ticks = self._rewind_history.history.ticks
        if symbol in _STEPS:
            self._target += _STEPS[symbol]
            self._stepping = symbol
            self._due = now + _REPEAT_DELAY
        elif symbol in (_HOME, _END):
            self._target = ticks[0] if symbol == _HOME else ticks[-1]
        elif symbol in (_PAGE_UP, _PAGE_DOWN):
            self._target += self._rate if symbol == _PAGE_DOWN else -self._rate
        elif symbol == _F3:
            game = self._stage.game
            game.debug.overlay = not game.debug.overlay
        return None

    def _grab(self, x: float, y: float) -> None:
        self._position = (x, y)
        if self.strip.contains(*self._pixels(x, y), self._stage.surface.framebuffer_size):
            self._dragging = True
            self._target = self._tick_at(x, y)

    def _tick_at(self, x: float, y: float) -> int:
        return self.strip.tick_at(self._pixels(x, y)[0], self._stage.surface.framebuffer_size)

    def _pixels(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position on the screen from units to framebuffer pixels."""
        scale = self._stage.scale
        return x * scale.x + scale.left, y * scale.y + scale.bottom


def _marks(rewind_history: RewindHistory) -> Iterator[tuple[int, int]]:
    for tick, tick_input in rewind_history.history.inputs():
        kinds = [_kind(event[0]) for event in tick_input.events]
        if kinds and max(kinds) >= 0:
            yield tick, max(kinds)


def _kind(name: str) -> int:
    """Return the kind of mark that the timeline shows for an event, such as `KEYS`. For an event
    without a mark, return -1.
    """
    if name.startswith(("on_key", "on_text")) or name in ("on_pad_press", "on_pad_release"):
        return KEYS
    if name in ("on_mouse_press", "on_mouse_release"):
        return BUTTONS
    return (
        MOTION if name.startswith("on_mouse") or name in ("on_pad_stick", "on_pad_trigger") else -1
    )
