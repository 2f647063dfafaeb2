"""Compute the reward of each step, and decide when an episode is over."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FrameworkError
from ..game.driven_game import driven
from ..game.game import Game

ValueSource = str | Callable[..., object] | None


class Reward:
    """Computes the reward of each step of an environment.

    ``source`` may be a function that is called with the game and, in a game for several players,
    the player number. ``source`` may also be the name of a number in the game, such as
    "player.score". The reward is then the increase of this number since the last step. If
    ``source`` is None, the reward comes from the game's attribute or method ``reward``. If the game
    has no ``reward``, the reward is 0.
    """

    def __init__(self, source: ValueSource = None) -> None:
        self._source = _check_source("reward", source, "the path of a number")
        self._last = 0.0

    def begin(self, game: Game, player: int | None = None) -> None:
        """Called when a new game of the environment starts. If the reward is the increase of a
        number, store the number's current value.
        """
        source = self._source
        self._last = self._score(source, game, player) if isinstance(source, str) else 0.0

    def of(self, game: Game, player: int | None = None) -> float:
        """Return the reward of the step that has just ended."""
        source = self._source
        if not isinstance(source, str):
            return _as_float(_evaluate(source, game, "reward", 0.0, player))
        before = self._last
        self._last = self._score(source, game, player)
        return self._last - before

    def _score(self, path: str, game: Game, player: int | None) -> float:
        return _as_float(_attribute("reward", path, game), player)


class Termination:
    """Decides whether an episode of an environment is over.

    ``source`` may be a function that is called with the game and, in a game for several players,
    the player number. ``source`` may also be the name of an attribute: if its value is true, the
    episode ends. If ``source`` is None, the game's attribute or method ``terminated`` decides. A
    game is always over after it has called `Game.exit`.
    """

    def __init__(self, source: ValueSource = None) -> None:
        self._source = _check_source(
            "terminated", source, "the path of a value that is true at the end"
        )

    def of(self, game: Game, player: int | None = None) -> bool:
        """Return whether the game is over. If ``player`` is not None, return whether the game is
        over for this player.
        """
        if driven(game).stage.exiting:
            return True
        if isinstance(self._source, str):
            return bool(_attribute("terminated", self._source, game))
        return bool(_evaluate(self._source, game, "terminated", False, player))


def _check_source(name: str, source: ValueSource, path: str) -> ValueSource:
    if source is None or isinstance(source, str) or callable(source):
        return source
    raise checks.wrong_type(name, f"a function of the game, {path}, or None", source)


def _as_float(value: object, player: int | None = None) -> float:
    """Convert the reward of one player to a float. ``value`` is a number, or an array with one
    element per player.
    """
    try:
        numbers: NDArray[Any] = np.asarray(value)
        return float(numbers[player] if numbers.ndim and player is not None else numbers)
    except (IndexError, TypeError, ValueError):
        raise FrameworkError(f"reward: expected a number, got {checks.shown(value)}") from None


def _attribute(name: str, path: str, game: Game) -> object:
    try:
        value: object = attrgetter(path)(game)
        return value
    except AttributeError as error:
        raise FrameworkError(f"{name}: {path!r} cannot be read: {error}") from None


def _evaluate(
    function: Callable[..., object] | None,
    game: Game,
    name: str,
    default: float,
    player: int | None,
) -> object:
    arguments = () if player is None else (player,)
    if function is not None:
        return function(game, *arguments)
    own: object = getattr(game, name, default)
    return own(*arguments) if callable(own) else own
