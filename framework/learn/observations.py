"""Compute the numbers or pixels of a game that an AI agent observes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FrameworkError
from .gymnasium_imports import spaces

if TYPE_CHECKING:
    from ..game.game import Game

PIXELS = "pixels"

_MAX_FLOAT32 = float(np.finfo(np.float32).max)


class Observation:
    """Computes the observations of a game.

    With ``source="pixels"``, an observation is an image: a uint8 array of shape (height, width, 3).
    ``source`` may also be a list of names of the game's attributes, as in
    ``("ship.position", "score")``. The attributes must be numbers or arrays. Their values are
    joined into one float32 array. ``source`` may also be a function that is called with the game
    and, in a game for several players, the player number.

    If ``source`` is None, the game's method ``observation`` returns the observations. Without this
    method, the observation consists of the numbers and arrays that the game lists in ``saved``. If
    the game has neither ``observation`` nor ``saved``, the observation is an image.
    """

    def __init__(self, game_class: type[Game], source: Any = None, space: object = None) -> None:
        self._own = False
        self._names: tuple[str, ...] = ()
        self._function: Callable[..., Any] | None = None
        self._declared = False
        if source is None:
            source, self._own, self._declared = _default(game_class)
        if callable(source):
            self._function = source
        elif not isinstance(source, str):
            self._names = tuple(
                [checks.text("observation", name) for name in checks.items("observation", source)]
            )
        else:
            checks.choice("observation", source, (PIXELS,))
        self.pixels = source == PIXELS
        """Whether the observation is the image that the game draws."""
        if space is None and self._own:
            space = getattr(game_class, "observation_space", None)
        if space is not None and not isinstance(space, spaces.Space):
            raise checks.wrong_type("observation_space", "a space of Gymnasium", space)
        self.space: spaces.Space[Any] | None = space
        """The Gymnasium space of the observations. If neither the caller nor the game sets a space,
        it is None until the first observation.
        """

    def observe(self, game: Game, player: int | None = None) -> Any:
        """Return the current observation of a game. Each call returns a new array."""
        if self.pixels:
            observation: Any = picture(game)
        elif self._function is not None:
            observation = self._function(*((game,) if player is None else (game, player)))
            if not isinstance(observation, dict | tuple | int):
                # A copy, because the game may change its own array.
                observation = np.array(observation)
        else:
            observation = self._numbers(game)
        if self.space is None:
            self.space = space_of(observation)
        elif isinstance(observation, np.ndarray) and isinstance(self.space, spaces.Box):
            return _fitted(observation, self.space)
        return observation

    def _numbers(self, game: Game) -> NDArray[np.float32]:
        parts = []
        for name in self._names:
            try:
                value: NDArray[Any] = np.asarray(attrgetter(name)(game))
            except (AttributeError, ValueError) as error:
                raise FrameworkError(f"observation: {name!r} cannot be read: {error}") from None
            if value.dtype.kind in "biuf":
                parts.append(value.astype(np.float32).reshape(-1))
            elif not self._declared:
                raise FrameworkError(
                    f"observation: {name!r} is neither a number nor an array of numbers: {value!r:.60}"
                )
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def _fitted(observation: NDArray[Any], space: spaces.Box) -> NDArray[Any]:
    """Convert an observation to the dtype of the space. Raise `FrameworkError` if its shape has
    changed.
    """
    if observation.shape != space.shape:
        raise FrameworkError(
            f"observation: its shape was {space.shape} and is now {observation.shape}. "
            "The shape must not change: choose numbers that always exist, or pad them"
        )
    return observation if observation.dtype == space.dtype else observation.astype(space.dtype)


def _default(game_class: type[Game]) -> tuple[Any, bool, bool]:
    """Return the default source of a game class's observations, and two flags. The first flag is
    True if the source is the game's method ``observation``, the second if it is the attribute
    ``saved``.
    """
    own: object = getattr(game_class, "observation", None)
    if callable(own):
        return own, True, False
    declared: object = getattr(game_class, "saved", None)
    if isinstance(declared, Sequence) and not isinstance(declared, str) and declared:
        return tuple([name for name in declared if name != "random"]), False, True
    return PIXELS, False, False


def picture(game: Game) -> NDArray[np.uint8]:
    """Return the image of the game after the last tick. The array is uint8 and has the shape
    (height, width, 3). Row 0 of the image is at the top.
    """
    timestep: Any = game.timestep
    if getattr(timestep, "fixed", False):
        # Draw the state of the last tick, not the state of the tick before.
        timestep.alpha = 1 - 2**-53
    game.advance(0)
    return np.ascontiguousarray(game.pixels()[..., :3])


def space_of(observation: object) -> spaces.Space[Any]:
    """Return a Gymnasium space for arrays with the shape and dtype of ``observation``, without
    limits on the numbers.
    """
    if not isinstance(observation, np.ndarray) or observation.dtype.kind not in "biuf":
        raise FrameworkError(
            "observation: anything but an array of numbers needs an observation_space; got "
            f"{type(observation).__name__}"
        )
    kind: Any = observation.dtype.type
    if observation.dtype.kind == "f":
        limit = min(_MAX_FLOAT32, float(np.finfo(kind).max))
        return spaces.Box(-limit, limit, observation.shape, kind)
    if observation.dtype.kind == "b":
        return spaces.MultiBinary(observation.shape)
    limits = np.iinfo(kind)
    return spaces.Box(limits.min, limits.max, observation.shape, kind)


def checked_render_mode(render_mode: str | None) -> str | None:
    """Return the option ``render_mode`` of an environment. Raise an error if it is unknown."""
    return (
        None if render_mode is None else checks.choice("render_mode", render_mode, ("rgb_array",))
    )


def checked_max_steps(max_steps: int | None) -> int | None:
    """Return the option ``max_steps`` of an environment. Raise an error if it is not a positive
    number or None.
    """
    return None if max_steps is None else checks.whole("max_steps", max_steps, 1)


class ObservedEnv:
    """The base class of environments, with methods to render and close the game."""

    render_mode: str | None
    game: Any

    def render(self) -> NDArray[np.uint8] | None:
        """Return the image of the game. If the environment has no render mode, return None. The
        image is a uint8 array with the shape (height, width, 3).
        """
        if self.render_mode is None or self.game is None:
            return None
        return picture(self.game)

    def close(self) -> None:
        """Close the game of the environment. Closing it again does nothing."""
        game: Game | None = self.game
        self.game = None
        if game is not None:
            game.close()
