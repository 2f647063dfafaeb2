"""Press random keys in a test. Two players with the same seed press the same keys."""

from __future__ import annotations

__all__ = ["RandomPlayer"]

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import checks
from ..game.driven_game import driven
from ..input.gamepad_layout import STICKS, control_name
from ..input.pads import pads_after

if TYPE_CHECKING:
    from ..game.game import Game
    from ..input.keyboard import Keys
    from ..input.pads import Gamepad

KEYS = (
    *("left", "right", "up", "down", "space", "return", "tab", "lshift"),
    *("w", "a", "s", "d", "e", "q", "1", "2", "3"),
)
"""The names of the keys that a `RandomPlayer` presses by default."""

# The probabilities of events in one tick.
_DOWN = 0.06  # a key is pressed
_UP = 0.14  # a key is pressed or released
_CLICK = 0.04  # a mouse button is pressed, or a pressed mouse button is released
_MOVE = 0.3  # the mouse or a stick moves


class TickPlayer(Protocol):
    """A function that is called before each tick, with the game and the number of the next tick.
    The function may press keys for this tick. Its choice of keys may depend only on the game and
    the tick. Otherwise, a repeated tick would get different input than in its first run.
    """

    def __call__(self, game: Any, tick: int) -> None: ...


class RandomPlayer:
    """A player that presses and releases random keys, moves the mouse and clicks.

    Players with the same ``seed`` create the same input. ``keys`` contains the names of the keys
    and gamepad buttons that the player presses, such as "space" and "pad:a". ``sticks`` contains
    the names of the gamepad sticks that the player moves.
    """

    def __init__(
        self,
        seed: int = 0,
        keys: Sequence[str] = KEYS,
        *,
        mouse: bool = True,
        sticks: Sequence[str] = (),
    ) -> None:
        self._seed = checks.whole("seed", seed)
        self._keys = tuple([checks.text("keys", key) for key in checks.items("keys", keys)])
        self._mouse = checks.flag("mouse", mouse)
        self._sticks = tuple(
            [checks.choice("sticks", stick, STICKS) for stick in checks.items("sticks", sticks)]
        )

    def __call__(self, game: Game, tick: int) -> None:
        chance = random.Random(f"{self._seed} {tick}")
        for key in self._keys:
            toss = chance.random()
            if toss < _DOWN:
                press(game, key)
            elif toss < _UP:
                release(game, key)
        if self._mouse:
            self._use_mouse(game, chance)
        for stick in self._sticks:
            if chance.random() < _MOVE:
                position = chance.uniform(-1, 1), chance.uniform(-1, 1)
                _pad(game).move_stick(stick, *position)

    def _use_mouse(self, game: Game, chance: random.Random) -> None:
        mouse = game.mouse
        width, height = game.size
        if chance.random() < _MOVE:
            x = chance.uniform(0, width)
            y = chance.uniform(0, height)
            mouse.move(x, y, chance.uniform(-9, 9), chance.uniform(-9, 9))
        for button in ("left", "right"):
            toss = chance.random()
            if toss < _CLICK:
                mouse.press(button)
            elif toss < 2 * _CLICK:
                mouse.release(button)


def press(game: Game, key: str) -> None:
    """Press a key or a gamepad button for the next tick."""
    _turn(game, key, True)


def release(game: Game, key: str) -> None:
    """Release a key or a gamepad button for the next tick."""
    _turn(game, key, False)


def _turn(game: Game, key: str, down: bool) -> None:
    buttons: Gamepad | Keys = game.keys
    if key[:4].lower() == "pad:":
        buttons = _pad(game)
        key = control_name(key)
    (buttons.press if down else buttons.release)(key)


def _pad(game: Game) -> Gamepad:
    """Return the first gamepad of the game. If no gamepad is connected, connect one."""
    pads = pads_after(driven(game).stage.pads, driven(game).stage.incoming.waiting())
    if not pads[0][0]:
        game.pads[0].connect("Gamepad", "generic")
    return game.pads[0]
