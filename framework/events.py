"""pyglet's window events: what the ticks are told of, and what the methods of scenes are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .game import Game

# pyglet's window events that are only passed on to the methods of scenes and games.
_PASSED_ON = ("on_text", "on_text_motion", "on_text_motion_select", "on_activate", "on_file_drop")

# pyglet.window.key.ESCAPE and F3; its module cannot be imported before `prepare`.
_ESCAPE, _F3 = 0xFF1B, 0xFFC0


class Events:
    """pyglet's window events, recorded for the ticks and passed on to the methods of the scene on top."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def on_draw(self) -> bool:
        self._game._on_draw()
        return True

    def on_close(self) -> bool:
        if not self._game._dispatch("on_close"):
            self._game.exit()
        return True

    def on_move(self, x: int, y: int) -> bool:
        self._game._relocated = True
        return self._game._dispatch("on_move", x, y)

    def on_resize(self, width: int, height: int) -> bool:
        self._game._relocated = True  # to or from full screen
        self._game._resized(width, height)
        self._game._dispatch("on_resize", *self._game.size)
        return True

    def on_hide(self) -> None:
        self._game._shown = False
        self._game._dispatch("on_hide")

    def on_show(self) -> None:
        self._game._shown = True
        self._game._dispatch("on_show")

    def on_deactivate(self) -> None:
        self._game._keys.release_all()
        self._game._mouse.release_all()
        self._game._dispatch("on_deactivate")

    def on_key_press(self, symbol: int, modifiers: int) -> bool:
        game = self._game
        game._keys.press(symbol)
        if game._dispatch("on_key_press", symbol, modifiers):
            return True
        if symbol == _ESCAPE and game._escape_closes:
            game.exit()
        elif symbol == _F3:
            game.overlay = not game.overlay
        return True

    def on_key_release(self, symbol: int, modifiers: int) -> bool:
        self._game._keys.release(symbol)
        return self._game._dispatch("on_key_release", symbol, modifiers)

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> bool:
        return self._game._dispatch("on_mouse_motion", *self._moved(x, y, dx, dy))

    def on_mouse_drag(self, x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int) -> bool:
        return self._game._dispatch("on_mouse_drag", *self._moved(x, y, dx, dy), buttons, modifiers)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._game._mouse.press(button)
        return self._game._dispatch("on_mouse_press", ux, uy, button, modifiers)

    def on_mouse_release(self, x: float, y: float, button: int, modifiers: int) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._game._mouse.release(button)
        return self._game._dispatch("on_mouse_release", ux, uy, button, modifiers)

    def on_mouse_scroll(self, x: float, y: float, scroll_x: float, scroll_y: float) -> bool:
        ux, uy, _, _ = self._moved(x, y, 0, 0)
        self._game._mouse.scroll(scroll_x, scroll_y)
        return self._game._dispatch("on_mouse_scroll", ux, uy, scroll_x, scroll_y)

    def on_mouse_enter(self, x: float, y: float) -> bool:
        self._game._mouse.enter()
        return self._game._dispatch("on_mouse_enter", *self._game._to_units(x, y))

    def on_mouse_leave(self, x: float, y: float) -> bool:
        self._game._mouse.leave()
        return self._game._dispatch("on_mouse_leave", *self._game._to_units(x, y))

    def _moved(self, x: float, y: float, dx: float, dy: float) -> tuple[float, float, float, float]:
        game = self._game
        ux, uy = game._to_units(x, y)
        kx, ky = game.view.pixels_per_unit
        ratio = game._live.pixel_ratio
        udx, udy = dx * ratio / kx, dy * ratio / ky
        game._mouse.move(ux, uy, udx, udy)
        return ux, uy, udx, udy


def _passer(name: str) -> Callable[..., bool]:
    def pass_on(self: Events, *args: Any) -> bool:
        return self._game._dispatch(name, *args)

    return pass_on


for _name in _PASSED_ON:
    setattr(Events, _name, _passer(_name))


def key_names() -> dict[str, int]:
    """pyglet's names of keys: "SPACE", "A", "LEFT", …; the digits, "_1" there, are "1" here."""
    from pyglet.window import key

    names = {name: symbol for name, symbol in vars(key).items() if name.isupper() and name[:3] not in ("MOD", "MOT")}
    return names | {digit: getattr(key, f"_{digit}") for digit in "0123456789"}
