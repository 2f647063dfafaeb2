"""pyglet's window events: what the window itself makes of them, and what the next tick is told.

Every event is handed to the stage, in units of the picture; the methods of scenes hear of it from
there, when a tick latches it. What nobody keeps to himself has an answer of ours: Escape and
closing end the game, F2 opens the inspector while a game is developed, F3 shows the overlay, F4 the
strip of ticks to go back by.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..input import key
from ..input.pads import ask_for_devices, shake_devices
from ..input.tick_input import Event
from .stage import Stage

if TYPE_CHECKING:  # which many games do without
    from .gamepads import Gamepads


class Events:
    """pyglet's window events, on their way to the ticks.

    ``draw`` is called where pyglet itself wants the picture; ``escape_closes`` as in `Game`.
    """

    def __init__(self, stage: Stage, draw: Callable[[], object], escape_closes: bool) -> None:
        self._stage = stage
        self._draw = draw
        self._escape_closes = escape_closes
        self._answered: list[
            Event
        ] = []  # before a tick latched them, as no method wanted to hear of them
        self.diverted: Callable[[Event], object] | None = None
        """Is given the events where they are none of the game's: where a recording is played, or it
        is wound back.
        """
        self.kept: Callable[[Event], bool] | None = None
        """Is asked first: whether an event goes to a panel over the picture, and not to the game.
        Places are those of the window, in units."""
        stage.unanswered = self.answer
        stage.surface.listen(self)
        self._gamepads: Gamepads | None = None
        if not stage.surface.headless:
            ask_for_devices(stage.pads, self._look_for_pads)

    def release(self) -> None:
        """Hear no more of the window's events, and of the pads'."""
        ask_for_devices(self._stage.pads, None)
        shake_devices(self._stage.pads, None)
        gamepads, self._gamepads = self._gamepads, None
        if gamepads is not None:
            gamepads.release()
        self._stage.surface.ignore(self)

    def _look_for_pads(self) -> None:
        from .gamepads import Gamepads  # many games have none

        self._gamepads = Gamepads(self._stage.surface.window, lambda event: self._came(*event))
        shake_devices(self._stage.pads, self._rumble)

    def settled(self) -> list[Event]:
        """What has to come so that the pads of a game that went back are as they are now."""
        return (
            []
            if self._gamepads is None
            else [*self._gamepads.settle(self._stage.pads, self._stage.taken())]
        )

    def _rumble(self, place: int, strong: float, weak: float, seconds: float) -> None:
        """Shake a pad, unless that was done when the tick was run before."""
        if self._gamepads is not None and not self._stage.past.resimulating:
            self._gamepads.rumble(place, strong, weak, seconds)

    def answer(self, event: Event) -> None:
        """Do what is ours to do: no method kept the event to itself."""
        if any(event is answered for answered in self._answered):
            self._answered = [answered for answered in self._answered if answered is not event]
        elif event[0] == "on_close" or (
            event[:2] == ("on_key_press", key.ESCAPE) and self._escape_closes
        ):
            self._stage.exiting = True
        elif event[:2] == ("on_key_press", key.F3) and self._stage.surface.drawing:
            self._stage.game.debug.overlay = not self._stage.game.debug.overlay
        elif event[:2] == ("on_key_press", key.F2) and self._stage.inspect is not None:
            self._stage.inspect()
        elif (
            event[:2] == ("on_key_press", key.F4) and self._stage.game.recording.rewind is not None
        ):
            self._stage.calls.append(
                self._stage.game.recording.rewind.show
            )  # when the tick is over that latches it

    def _came(self, *event: object) -> None:
        if self.kept is not None and self.kept(event):
            return
        if self.diverted is not None:
            self.diverted(event)
            return
        if event[0] in ("on_close", "on_key_press") and not self._stage.listens(str(event[0])):
            self.answer(event)  # at once: ticks may be seconds apart
            self._answered.append(event)
        self._stage.hear(event)

    def _placed(self, name: str, x: float, y: float, *more: object) -> None:
        self._came(name, *self._stage.scale.units(x, y), *more)

    # -- what the window does itself ---------------------------------------------------------------

    def on_draw(self) -> bool:
        self._draw()
        return True

    def on_close(self) -> bool:
        self._came("on_close")
        return True

    def on_move(self, x: int, y: int) -> None:
        self._stage.surface.moved = True
        self._came("on_move", x, y)

    def on_resize(self, width: int, height: int) -> bool:
        stage = self._stage
        stage.surface.moved = True  # to or from full screen
        stage.resized(width, height)
        self._came("on_resize", *stage.seen.size)
        return True

    def on_hide(self) -> None:
        self._stage.surface.shown = False
        self._came("on_hide")

    def on_show(self) -> None:
        self._stage.surface.shown = True
        self._came("on_show")

    # -- what the player does ----------------------------------------------------------------------

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        self._came("on_key_press", symbol, modifiers)
        return True

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        self._came("on_key_release", symbol, modifiers)

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        self._placed("on_mouse_motion", x, y, *self._stage.scale.motion(dx, dy))

    def on_mouse_drag(
        self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
    ) -> None:
        self._placed("on_mouse_drag", x, y, *self._stage.scale.motion(dx, dy), buttons, modifiers)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._placed("on_mouse_press", x, y, button, modifiers)

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> None:
        self._placed("on_mouse_release", x, y, button, modifiers)

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> None:
        self._placed("on_mouse_scroll", x, y, float(scroll_x), float(scroll_y))

    def on_mouse_enter(self, x: float, y: float) -> None:
        self._placed("on_mouse_enter", x, y)

    def on_mouse_leave(self, x: float, y: float) -> None:
        self._placed("on_mouse_leave", x, y)

    def on_text(self, text: str) -> None:
        self._came("on_text", text)

    def on_text_motion(self, motion: int) -> None:
        if motion == key.MOTION_PASTE:  # what is on the clipboard is the player's, as what is typed
            self._came("on_text", self._stage.surface.pasted())
            return
        self._came("on_text_motion", motion)

    def on_text_motion_select(self, motion: int) -> None:
        self._came("on_text_motion_select", motion)

    def on_activate(self) -> None:
        self._came("on_activate")

    def on_deactivate(self) -> None:
        self._came("on_deactivate")

    def on_file_drop(self, x: int, y: int, paths: list[str]) -> None:
        self._placed("on_file_drop", x, y, list(paths))
