"""Play a game without a window, and without OpenGL if the game does not need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakSet

from ..game.game import Game, make_game
from ..game.game_options import Overrides
from ..game.save_files import SeparateRun
from ..game.surface import NoPictures

T = TypeVar("T")

_drawn: WeakSet[type[Game]] = WeakSet()  # the classes of games that need ``drawing=True``


def play_headless(
    game_class: type[Game],
    options: dict[str, Any],
    play: Callable[[Game], T],
    saves: str | None = None,
) -> T:
    """Create a game, call ``play(game)``, and close the game. Return the result of ``play``.

    The function creates the game with ``drawing=False``, unless the options contain ``drawing``. If
    the game uses its window or OpenGL, the function creates the game again with ``drawing=True``.
    From then on, it creates all games of this class with ``drawing=True``. ``saves`` is the folder
    for the saves of the game. By default, the folder is empty, and is deleted at the end.
    """
    overrides: Overrides = {"separate_run": SeparateRun(saves)}
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
