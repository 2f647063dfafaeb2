"""pyglet's window events: what the ticks are told of, and what the methods of scenes are given."""

from __future__ import annotations

from collections.abc import Callable

from .stage import Stage

# pyglet.window.key.ESCAPE and F3; its module cannot be imported before `prepare`.
_ESCAPE, _F3 = 0xFF1B, 0xFFC0


class Events:
    """pyglet's window events, recorded for the ticks and passed on to the methods of the scene on top.

    ``draw`` is called where pyglet itself wants the picture; ``escape_closes`` as in `Game`.
    """

    def __init__(self, stage: Stage, draw: Callable[[], object], escape_closes: bool) -> None:
        self._stage = stage
        self._draw = draw
        self._escape_closes = escape_closes
        stage.surface.window.push_handlers(self)

    def release(self) -> None:
        """Hear no more of the window's events."""
        self._stage.surface.window.remove_handlers(self)

    def on_draw(self) -> bool:
        self._draw()
        return True

    def on_close(self) -> bool:
        if not self._stage.dispatch("on_close"):
            self._stage.exiting = True
        return True

    def on_move(self, x: int, y: int) -> bool:
        self._stage.surface.moved = True
        return self._stage.dispatch("on_move", x, y)

    def on_resize(self, width: int, height: int) -> bool:
        stage = self._stage
        stage.surface.moved = True  # to or from full screen
        stage.resized(width, height)
        stage.dispatch("on_resize", *stage.view.size)
        return True

    def on_hide(self) -> None:
        self._stage.surface.shown = False
        self._stage.dispatch("on_hide")

    def on_show(self) -> None:
        self._stage.surface.shown = True
        self._stage.dispatch("on_show")

    def on_deactivate(self) -> None:
        self._stage.keys.release_all()
        self._stage.mouse.release_all()
        self._stage.dispatch("on_deactivate")

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        stage = self._stage
        stage.keys.press(symbol)
        if stage.dispatch("on_key_press", symbol, modifiers):
            return True
        if symbol == _ESCAPE and self._escape_closes:
            stage.exiting = True
        elif symbol == _F3:
            stage.game.overlay = not stage.game.overlay
        return True

    def on_key_release(self, symbol: int, modifiers: int) -> bool:
        self._stage.keys.release(symbol)
        return self._stage.dispatch("on_key_release", symbol, modifiers)

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> bool:
        return self._stage.dispatch("on_mouse_motion", *self._moved(x, y, dx, dy))

    def on_mouse_drag(self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int) -> bool:
        return self._stage.dispatch("on_mouse_drag", *self._moved(x, y, dx, dy), buttons, modifiers)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._stage.mouse.press(button)
        return self._stage.dispatch("on_mouse_press", ux, uy, button, modifiers)

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._stage.mouse.release(button)
        return self._stage.dispatch("on_mouse_release", ux, uy, button, modifiers)

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._stage.mouse.scroll(scroll_x, scroll_y)
        return self._stage.dispatch("on_mouse_scroll", ux, uy, scroll_x, scroll_y)

    def on_mouse_enter(self, x: float, y: float) -> bool:
        self._stage.mouse.enter()
        return self._stage.dispatch("on_mouse_enter", *self._stage.to_units(x, y))

    def on_mouse_leave(self, x: float, y: float) -> bool:
        self._stage.mouse.leave()
        return self._stage.dispatch("on_mouse_leave", *self._stage.to_units(x, y))

    def _moved(self, x: float, y: float, dx: float, dy: float) -> tuple[float, float, float, float]:
        stage = self._stage
        ux, uy = stage.to_units(x, y)
        kx, ky = stage.view.pixels_per_unit
        ratio = stage.surface.pixel_ratio
        udx, udy = dx * ratio / kx, dy * ratio / ky
        stage.mouse.move(ux, uy, udx, udy)
        return ux, uy, udx, udy

    def on_text(self, text: str) -> bool:
        return self._stage.dispatch("on_text", text)

    def on_text_motion(self, motion: int) -> bool:
        return self._stage.dispatch("on_text_motion", motion)

    def on_text_motion_select(self, motion: int) -> bool:
        return self._stage.dispatch("on_text_motion_select", motion)

    def on_activate(self) -> bool:
        return self._stage.dispatch("on_activate")

    def on_file_drop(self, x: int, y: int, paths: list[str]) -> bool:
        return self._stage.dispatch("on_file_drop", x, y, paths)
