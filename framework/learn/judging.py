"""What a step of a game was worth to an agent, and whether the game is over."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FrameworkError
from ..game.game import Game
from ..game.playing import driven

Given = str | Callable[..., object] | None


class Reward:
    """``given`` is a function of the game, or of the game and a player; or the path of a number, of
    which the increase since the step before counts; or None: the game's own ``reward``, a number or
    a method; 0 where it has none."""

    def __init__(self, given: Given = None) -> None:
        self._given = _checked("reward", given, "the path of a number")
        self._last = 0.0

    def begin(self, game: Game, player: int | None = None) -> None:
        """The game is new."""
        given = self._given
        self._last = self._score(given, game, player) if isinstance(given, str) else 0.0

    def of(self, game: Game, player: int | None = None) -> float:
        """That of the step that is over."""
        given = self._given
        if not isinstance(given, str):
            return _number(_asked(given, game, "reward", 0.0, player))
        before, self._last = self._last, self._score(given, game, player)
        return self._last - before

    def _score(self, path: str, game: Game, player: int | None) -> float:
        return _number(_at("reward", path, game), player)


class Ending:
    """``given`` is a function of the game, or of the game and a player; or the path of what is true
    in the end; or None: the game's own ``terminated``, a bool or a method. A game that calls
    `Game.exit` is over in any case."""

    def __init__(self, given: Given = None) -> None:
        self._given = _checked("terminated", given, "the path of what is true in the end")

    def of(self, game: Game, player: int | None = None) -> bool:
        """Whether it is over."""
        if driven(game).stage.exiting:
            return True
        if isinstance(self._given, str):
            return bool(_at("terminated", self._given, game))
        return bool(_asked(self._given, game, "terminated", False, player))


def _checked(name: str, given: Given, path: str) -> Given:
    if given is None or isinstance(given, str) or callable(given):
        return given
    raise checks.wrong_type(name, f"a function of the game, {path}, or None", given)


def _number(worth: object, player: int | None = None) -> float:
    """The number that a step was worth, or of one for each player, that player's."""
    try:
        numbers: NDArray[Any] = np.asarray(worth)
        return float(numbers[player] if numbers.ndim and player is not None else numbers)
    except (IndexError, TypeError, ValueError):
        raise FrameworkError(f"reward: expected a number, got {checks.shown(worth)}") from None


def _at(name: str, path: str, game: Game) -> object:
    try:
        value: object = attrgetter(path)(game)
        return value
    except AttributeError as error:
        raise FrameworkError(f"{name}: {path!r} cannot be asked for: {error}") from None


def _asked(
    function: Callable[..., object] | None,
    game: Game,
    name: str,
    otherwise: float,
    player: int | None,
) -> object:
    arguments = () if player is None else (player,)
    if function is not None:
        return function(game, *arguments)
    own: object = getattr(game, name, otherwise)
    return own(*arguments) if callable(own) else own
