"""Games that are played where nobody looks: without pictures, unless they cannot do without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakSet

from ..game.game import Game, make_game
from ..game.options import Overrides
from ..game.savefiles import Apart
from ..game.surface import NoPictures

T = TypeVar("T")

_drawn: WeakSet[type[Game]] = (
    WeakSet()
)  # classes whose games have asked for what only pictures have


def play_unseen(
    game_class: type[Game],
    options: dict[str, Any],
    play: Callable[[Game], T],
    saves: str | None = None,
) -> T:
    """What ``play`` returns of a new game, which is closed then.

    It is made with ``drawing=False``, unless the options have ``drawing``. One that asks for what
    it has not then, as its window, is made again with pictures, and so are the next ones of its
    class. ``saves`` is the folder of its saves; None for an empty one, which is removed in the end.
    """
    overrides: Overrides = {"apart": Apart(saves)}
    if "drawing" not in options and game_class not in _drawn:
        try:
            unseen: Game = make_game(game_class, overrides, **options, drawing=False)
            with unseen as game:
                return play(game)
        except NoPictures:
            _drawn.add(game_class)
    drawn: Game = make_game(game_class, overrides, **options)
    with drawn as game:
        return play(game)
