"""What a step of a game was worth to an agent, and whether the game is over."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from .. import checks
from ..errors import FrameworkError
from ..game.playing import driven


class Reward:
    """``given`` is a function of the game, or of the game and a player; or the path of a number, of
    which the increase since the step before counts; or None: the game's own ``reward``, a number or
    a method; 0 where it has none."""

    def __init__(self, given: Any = None) -> None:
        self._given = _checked("reward", given, "the path of a number")
        self._last = 0.0

    def begin(self, game: Any, player: int | None = None) -> None:
        """The game is new."""
        self._last = self._score(game, player) if isinstance(self._given, str) else 0.0

    def of(self, game: Any, player: int | None = None) -> float:
        """That of the step that is over."""
        if not isinstance(self._given, str):
            return _number(_asked(self._given, game, "reward", 0.0, player))
        before, self._last = self._last, self._score(game, player)
        return self._last - before

    def _score(self, game: Any, player: int | None) -> float:
        return _number(_at("reward", self._given, game), player)


class Ending:
    """``given`` is a function of the game, or of the game and a player; or the path of what is true
    in the end; or None: the game's own ``terminated``, a bool or a method. A game that calls
    `Game.exit` is over in any case."""

    def __init__(self, given: Any = None) -> None:
        self._given = _checked("terminated", given, "the path of what is true in the end")

    def of(self, game: Any, player: int | None = None) -> bool:
        """Whether it is over."""
        if driven(game).stage.exiting:
            return True
        if isinstance(self._given, str):
            return bool(_at("terminated", self._given, game))
        return bool(_asked(self._given, game, "terminated", False, player))


def _checked(name: str, given: Any, path: str) -> Any:
    if given is None or isinstance(given, str) or callable(given):
        return given
    raise checks.wrong_type(name, f"a function of the game, {path}, or None", given)


def _number(worth: Any, player: int | None = None) -> float:
    """The number that a step was worth, or of one for each player, that player's."""
    try:
        numbers = np.asarray(worth)
        return float(numbers[player] if numbers.ndim and player is not None else numbers)
    except (IndexError, TypeError, ValueError):
        raise FrameworkError(f"reward: expected a number, got {checks.shown(worth)}") from None


def _at(name: str, path: str, game: Any) -> Any:
    try:
        return attrgetter(path)(game)
    except AttributeError as error:
        raise FrameworkError(f"{name}: {path!r} cannot be asked for: {error}") from None


def _asked(function: Any, game: Any, name: str, otherwise: Any, player: int | None) -> Any:
    arguments = () if player is None else (player,)
    if function is not None:
        return function(game, *arguments)
    own = getattr(game, name, otherwise)
    return own(*arguments) if callable(own) else own
