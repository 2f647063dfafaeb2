"""Carry out an agent's actions by pressing keys or by calling the game's method `act`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import checks
from ..input.buttons import symbol_of
from ..input.gamepad_layout import control_name
from ..input.keyboard import Keys, every_key
from .gymnasium_imports import as_space, spaces

if TYPE_CHECKING:
    from ..game.game import Game

ARROWS = ((), ("left",), ("right",), ("up",), ("down",), ("space",))
"""The default actions of an agent, for a game that declares no actions: no key, the four arrow
keys, and Space.
"""


Held = frozenset[int | str]
"""A set of keys and gamepad controls that are held down. A key is stored as its pyglet symbol, and
a gamepad control as its name.
"""


class AgentActions:
    """The actions that an agent can choose in a game.

    ``actions`` is a list with an item for each action. Each item names the keys and gamepad
    controls that are held down during the action, as in ``[(), "left", ("left", "space"),
    "pad:a"]``. ``actions`` may also be a space of Gymnasium. In this case, each action is passed to
    the game's method ``act(action)``, or ``act(action, player)`` in a game for several players. By
    default, the actions are the game's ``action_space``, or `ARROWS` if it has none.
    """

    def __init__(self, game_class: type[Game], actions: object = None) -> None:
        if actions is None:
            actions = as_space(getattr(game_class, "action_space", None))
        self._keys: tuple[Held, ...] = ()
        if isinstance(actions, spaces.Space):
            if not callable(getattr(game_class, "act", None)):
                raise TypeError(
                    f"actions: {actions} needs a method act(action), which "
                    f"{game_class.__name__} does not have"
                )
            self.space: spaces.Space[Any] = actions
        else:
            self._keys = _checked(ARROWS if actions is None else actions)
            self.space = spaces.Discrete(len(self._keys))

    def take(self, game: Game, action: Any, pressed: Held, player: int | None = None) -> Held:
        """Apply an agent's action to a game, and return the keys and gamepad controls that it holds
        down. ``pressed`` contains the keys and controls that the previous action held down. If the
        new action does not use them, they are released.
        """
        index = int(action) if isinstance(action, int | np.integer) else -1
        if not (0 <= index < len(self._keys) or self.space.contains(action)):
            raise checks.wrong_value("action", f"one of {self.space}", action)
        if not self._keys:
            _act_of(game)(*((action,) if player is None else (action, player)))
            return pressed
        keys = self._keys[int(action)]
        if keys == pressed:
            return pressed
        for key in sorted(pressed - keys, key=str):
            game.testing.release(key, player=player or 0)
        for key in sorted(keys - pressed, key=str):
            game.testing.press(key, player=player or 0)
        return keys


def _act_of(game: object) -> Callable[..., object]:
    act: Callable[..., object] = getattr(game, "act")  # noqa: B009  (not every game has it)
    return act


def _checked(actions: object) -> tuple[Held, ...]:
    """Return a set of keys and gamepad buttons for each action. Raise `ValueError` for an unknown
    key or button, and `TypeError` for a wrong type.
    """
    if isinstance(actions, str) or not isinstance(actions, Sequence) or not actions:
        expected = (
            "for each action the names of the keys that it holds, as in [(), ('left',), "
            "('left', 'space')]"
        )
        raise checks.wrong_type("actions", f"{expected}, or a space of Gymnasium", actions)
    keys = Keys(every_key())
    symbols = []
    for names in actions:
        names = (names,) if isinstance(names, str) else names
        try:
            symbols.append(frozenset(_held(keys, name) for name in names))
        except (TypeError, ValueError) as error:
            raise type(error)(f"actions: {error}") from None
    return tuple(symbols)


def _held(keys: Keys, name: Any) -> int | str:
    """Convert the name of a key to pyglet's key code. If ``name`` is a gamepad button, return the
    name unchanged.
    """
    if isinstance(name, str) and name[:4].lower() == "pad:":
        return f"pad:{control_name(name)}"
    return symbol_of(keys, name)
