"""Receive the events of a pyglet window, and pass them to the next tick.

Each event is passed to the game's stage, with positions converted to units of the screen. At the
start of the next tick, the stage calls the event handlers of the scenes.

Some events have a default action, which happens only if no event handler returns True for the
event. When the player presses Escape or closes the window, the game ends. F3 shows the frame
statistics, and F4 shows the timeline of a rewind. If the game was started with `framework run`, F2
opens the inspector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..input import key
from ..input.buttons import pending_down
from ..input.pads import set_device_search, set_rumble
from ..input.tick_input import Event
from ..record.effect_log import Withdrawable
from .lost_releases import lost_buttons, lost_keys
from .stage import Stage

if TYPE_CHECKING:  # only for type checkers: many games do not import it
    from .gamepads import Controllers


# The maximum number of stored events whose default action ran before their tick. There is a limit
# because some events are never handled by a tick.
_MAX_ANSWERED = 64


class _Rumble(Withdrawable):
    """The running vibration (rumble) of a gamepad. If the tick runs again without starting the
    vibration, the vibration ends.
    """

    __slots__ = ("_end",)

    def __init__(self, end: Callable[[], object]) -> None:
        self._end = end

    def _withdraw(self) -> None:
        self._end()


class WindowEvents:
    """Receives the events of a pyglet window for a game.

    ``draw`` is a function that is called when pyglet needs a new frame, for example while the
    player resizes the window. ``escape_closes`` is the option of `Game` with the same name.
    ``emit`` is a function that adds an effect to the current tick (see `TickEffects.emit`).
    """

    def __init__(
        self,
        stage: Stage,
        draw: Callable[[], object],
        escape_closes: bool,
        emit: Callable[..., object],
    ) -> None:
        self._emit = emit
        self._stage = stage
        self._draw = draw
        self._escape_closes = escape_closes
        # Events that no handler used. Their default action ran before their tick.
        self._answered: list[Event] = []
        self.kept: Callable[[Event], bool] | None = None
        """A function to which each event is passed before the game. It returns True if a panel uses
        the event, which is then not passed to the game.

        Positions of the mouse are in units of the screen.
        """
        stage.unhandled = self.answer
        stage.surface.listen(self)
        self._gamepads: Controllers | None = None
        self._rumbles: dict[int, _Rumble] = {}  # the latest rumble of each gamepad
        if not stage.surface.headless:
            set_device_search(stage.pads, self._look_for_pads)

    def release(self) -> None:
        """Stop receiving events from the window and from gamepads."""
        set_device_search(self._stage.pads, None)
        set_rumble(self._stage.pads, None)
        gamepads = self._gamepads
        self._gamepads = None
        if gamepads is not None:
            gamepads.release()
        self._stage.surface.ignore(self)

    def _look_for_pads(self) -> None:
        from .gamepads import Controllers  # imported here because many games use no gamepads

        self._gamepads = Controllers(
            self._stage.surface.window, lambda event: self._receive(*event)
        )
        set_rumble(self._stage.pads, self._rumble)

    def settled(self) -> list[Event]:
        """Return events that make the game's gamepads match the real gamepads. Called after a
        rewind.
        """
        return (
            []
            if self._gamepads is None
            else [*self._gamepads.settle(self._stage.pads, self._stage.taken())]
        )

    def _rumble(self, slot: int, strong: float, weak: float, seconds: float) -> None:
        """Make a gamepad vibrate for ``seconds`` seconds. If the current tick runs again, the
        vibration is not repeated.
        """
        if self._gamepads is not None:
            self._emit(self._begin_rumble, (slot, strong, weak, seconds), {})

    def _begin_rumble(
        self, slot: int, strong: float, weak: float, seconds: float
    ) -> _Rumble | None:
        gamepads = self._gamepads
        if gamepads is None:
            return None
        gamepads.rumble(slot, strong, weak, seconds)
        rumble = self._rumbles[slot] = _Rumble(lambda: self._end_rumble(slot, rumble))
        return rumble

    def _end_rumble(self, slot: int, rumble: _Rumble) -> None:
        if self._gamepads is not None and self._rumbles.get(slot) is rumble:
            self._gamepads.rumble(slot, 0.0, 0.0, 0.0)

    def answer(self, event: Event) -> None:
        """Run the default action of an event. Called if no event handler has returned True for this
        event.
        """
        if event in self._answered:
            self._answered.remove(event)
        else:
            self._act(event)

    def _act(self, event: Event) -> None:
        stage = self._stage
        game = stage.game
        pressed_key = event[1] if event[0] == "on_key_press" else None
        if event[0] == "on_close" or (pressed_key == key.ESCAPE and self._escape_closes):
            stage.exiting = True
        elif pressed_key == key.F3 and stage.surface.drawing:
            game.debug.overlay = not game.debug.overlay
        elif pressed_key == key.F2 and stage.inspect is not None:
            stage.inspect()
        elif pressed_key == key.F4:
            rewind = game.recording.rewind
            if rewind is not None and game.session is None:
                stage.calls.append(rewind.show)  # the timeline opens after the next tick

    def _receive(self, *event: object) -> None:
        if self.kept is not None and self.kept(event):
            return
        driver = self._stage.driver
        if driver is not None and driver.receive is not None:
            driver.receive(event)
            return
        stage = self._stage
        if event[0] in ("on_close", "on_key_press"):
            # The events of this player are not passed to event handlers, so the default action runs
            # here.
            if stage.local_player:
                self._act(event)
            elif not stage.listens(str(event[0])):
                # Run the default action now, because the next tick may be seconds away.
                self._act(event)
                self._answered = [*self._answered[-_MAX_ANSWERED:], event]
        stage.receive_event(event)

    def _send_at(self, name: str, x: float, y: float, *more: object) -> None:
        self._receive(name, *self._stage.scale.units(x, y), *more)

    # -- the window --------------------------------------------------------------------------------

    def on_draw(self) -> bool:
        self._draw()
        return True

    def on_close(self) -> bool:
        self._receive("on_close")
        return True

    def on_move(self, x: int, y: int) -> None:
        self._stage.surface.moved = True
        self._receive("on_move", x, y)

    def on_resize(self, width: int, height: int) -> bool:
        stage = self._stage
        stage.surface.moved = True  # the window may have entered or left fullscreen mode
        stage.resized(width, height)
        self._receive("on_resize", *stage.window_view.size)
        return True

    def on_hide(self) -> None:
        self._stage.surface.shown = False
        self._receive("on_hide")

    def on_show(self) -> None:
        self._stage.surface.shown = True
        self._receive("on_show")

    # -- input -------------------------------------------------------------------------------------

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        self._receive("on_key_press", self._stage.surface.key_symbol(symbol), modifiers)
        return True

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        self._receive("on_key_release", self._stage.surface.key_symbol(symbol), modifiers)

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        self._send_at("on_mouse_motion", x, y, *self._stage.scale.motion(dx, dy))

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> None:
        self._send_at("on_mouse_drag", x, y, *self._stage.scale.motion(dx, dy), buttons, modifiers)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._send_at("on_mouse_press", x, y, button, modifiers)

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._send_at("on_mouse_release", x, y, button, modifiers)

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> None:
        self._send_at("on_mouse_scroll", x, y, float(scroll_x), float(scroll_y))

    def on_mouse_enter(self, x: float, y: float) -> None:
        self._send_at("on_mouse_enter", x, y)

    def on_mouse_leave(self, x: float, y: float) -> None:
        self._send_at("on_mouse_leave", x, y)

    def on_text(self, text: str) -> None:
        self._receive("on_text", text)

    def on_text_motion(self, motion: int) -> None:
        if motion == key.MOTION_PASTE:  # pasted text is input, just like typed text
            self._receive("on_text", self._stage.surface.pasted())
            return
        self._receive("on_text_motion", motion)

    def on_text_motion_select(self, motion: int) -> None:
        self._receive("on_text_motion_select", motion)

    def on_activate(self) -> None:
        self._release_lost()
        self._receive("on_activate")

    def _release_lost(self) -> None:
        """Release the keys and mouse buttons that the player has released while the window received
        no events.
        """
        keys = self._stage.keys
        mouse = self._stage.mouse
        window = self._stage.surface.window
        for symbol in lost_keys(window, pending_down(keys)):
            self._receive("on_key_release", symbol, 0)
        for button in lost_buttons(window, pending_down(mouse)):
            self._receive("on_mouse_release", *mouse.position, button, 0)

    def on_deactivate(self) -> None:
        self._receive("on_deactivate")

    def on_file_drop(self, x: int, y: int, paths: list[str]) -> None:
        self._send_at("on_file_drop", x, y, list(paths))
