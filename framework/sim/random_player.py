"""Players that are no people: who presses what, tick by tick, the same whenever a tick is run
again.
"""

from __future__ import annotations

__all__ = ["RandomPlayer"]

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .. import checks
from ..game.playing import driven
from ..input.layout import STICKS, plain
from ..input.pads import pads_after

if TYPE_CHECKING:
    from ..game.game import Game
    from ..input.keyboard import Keys
    from ..input.pads import Pad

KEYS = (
    *("left", "right", "up", "down", "space", "return", "tab", "lshift"),
    *("w", "a", "s", "d", "e", "q", "1", "2", "3"),
)
"""The keys that a `RandomPlayer` presses unless told, by their names."""

_DOWN, _UP = 0.06, 0.14  # of a key: that it goes down in a tick, or else up
_CLICK, _MOVE = 0.04, 0.3  # of the mouse: that a button goes down or up, that it moves


class Player(Protocol):
    """Who plays: called before each tick with the game and the number of the tick that is to come.

    What it does may depend on these two alone: a tick that is run again is to be played the same.
    """

    def __call__(self, game: Any, tick: int) -> None: ...


class RandomPlayer:
    """Presses and releases keys at random, by name, and moves and clicks the mouse, the same for
    the same ``seed``.

    ``keys`` may have controls of a gamepad, as in "pad:a"; ``sticks`` are those of its sticks that
    are moved.
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
                place = chance.uniform(-1, 1), chance.uniform(-1, 1)
                _pad(game).lean(stick, *place)

    def _use_mouse(self, game: Game, chance: random.Random) -> None:
        mouse, (width, height) = game.mouse, game.size
        if chance.random() < _MOVE:
            x, y = chance.uniform(0, width), chance.uniform(0, height)
            mouse.move(x, y, chance.uniform(-9, 9), chance.uniform(-9, 9))
        for button in ("left", "right"):
            toss = chance.random()
            if toss < _CLICK:
                mouse.press(button)
            elif toss < 2 * _CLICK:
                mouse.release(button)


def press(game: Game, key: str) -> None:
    """A key goes down, as the next tick finds it."""
    _turn(game, key, True)


def release(game: Game, key: str) -> None:
    """A key goes up, as the next tick finds it."""
    _turn(game, key, False)


def _turn(game: Game, key: str, down: bool) -> None:
    buttons: Pad | Keys = game.keys
    if key[:4].lower() == "pad:":
        buttons, key = _pad(game), plain(key)
    (buttons.press if down else buttons.release)(key)


def _pad(game: Game) -> Pad:
    """The first pad. One is plugged in if none is."""
    there = pads_after(driven(game).stage.pads, driven(game).stage.incoming.waiting())
    if not there[0][0]:
        game.pads[0].connect("Gamepad", "generic")
    return game.pads[0]
