"""What an agent does to a game in a step: keys that it holds, or what the game's own ``act`` makes
of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..input.buttons import symbol_of
from ..input.keyboard import Keys, every_key
from ..input.layout import plain
from .gymnasiums import as_space, spaces

if TYPE_CHECKING:
    from ..game.game import Game

ARROWS = ((), ("left",), ("right",), ("up",), ("down",), ("space",))
"""The keys of the actions that a game has which says nothing else: none, one of the arrows,
Space.
"""


Held = frozenset[int | str]
"""Keys that are down, by their symbols, and controls of gamepads, by their names."""


class Actions:
    """The actions of a game.

    ``given`` are names of keys for each action, as in ``[(), "left", ("left", "space"), "pad:a"]``,
    which are held during its step; or a space of Gymnasium's, whose members are given to the game's
    ``act(action)`` or, of one of several players, ``act(action, player)``; or None: the game's
    ``action_space``, and `ARROWS` where it has none.
    """

    def __init__(self, game_class: type[Game], given: object = None) -> None:
        if given is None:
            given = as_space(getattr(game_class, "action_space", None))
        self._keys: tuple[Held, ...] = ()
        if isinstance(given, spaces.Space):
            if not callable(getattr(game_class, "act", None)):
                raise TypeError(
                    f"actions: {given} needs a method act(action), which "
                    f"{game_class.__name__} has not"
                )
            self.space: spaces.Space[Any] = given
        else:
            self._keys = _checked(ARROWS if given is None else given)
            self.space = spaces.Discrete(len(self._keys))

    def take(self, game: Game, action: Any, held: Held, player: int | None = None) -> Held:
        """Have a game do it, where the keys ``held`` are down. Returns those that are down now."""
        number = int(action) if isinstance(action, int | np.integer) else -1
        if not (0 <= number < len(self._keys) or self.space.contains(action)):
            raise checks.wrong_value("action", f"one of {self.space}", action)
        if not self._keys:
            _act_of(game)(*((action,) if player is None else (action, player)))
            return held
        wanted = self._keys[int(action)]
        if wanted == held:
            return held
        for key in sorted(held - wanted, key=str):
            game.testing.release(key, player=player or 0)
        for key in sorted(wanted - held, key=str):
            game.testing.press(key, player=player or 0)
        return wanted


def _act_of(game: object) -> Callable[..., object]:
    act: Callable[..., object] = getattr(game, "act")  # noqa: B009  (a game's class need not have it)
    return act


def _checked(given: object) -> tuple[Held, ...]:
    """The symbols of the keys of each action."""
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        what = (
            "for each action the names of the keys that it holds, as in [(), ('left',), "
            "('left', 'space')]"
        )
        raise checks.wrong_type("actions", f"{what}, or a space of Gymnasium's", given)
    keys, found = Keys(every_key()), []
    for names in given:
        names = (names,) if isinstance(names, str) else names
        try:
            found.append(frozenset(_held(keys, name) for name in names))
        except (TypeError, ValueError) as error:
            raise type(error)(f"actions: {error}") from None
    return tuple(found)


def _held(keys: Keys, name: Any) -> int | str:
    """A key's symbol, or the name of a pad's control."""
    if isinstance(name, str) and name[:4].lower() == "pad:":
        return f"pad:{plain(name)}"
    return symbol_of(keys, name)
