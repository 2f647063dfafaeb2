"""What an agent sees of a game: numbers of its state, its picture, or what it says itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import checks
from ..errors import FrameworkError
from .gymnasiums import spaces

if TYPE_CHECKING:
    from ..game.game import Game

PIXELS = "pixels"

_LARGEST = float(np.finfo(np.float32).max)


class Observation:
    """What is seen of a game.

    ``given`` is ``"pixels"``, uint8 (height, width, 3); or paths of numbers and arrays, as in
    ``("ship.position", "score")``, which are put one after the other as float32; or a function of
    the game, or of the game and a player; or None: the game's method ``observation``; else the
    numbers and arrays among what it declares as ``saved``; else pixels.
    """

    def __init__(self, game_class: type[Game], given: Any = None, space: object = None) -> None:
        self._own = False
        self._names: tuple[str, ...] = ()
        self._function: Callable[..., Any] | None = None
        self._declared = False
        if given is None:
            given, self._own, self._declared = _default(game_class)
        if callable(given):
            self._function = given
        elif not isinstance(given, str):
            self._names = tuple(
                [checks.text("observation", name) for name in checks.items("observation", given)]
            )
        else:
            checks.choice("observation", given, (PIXELS,))
        self.pixels = given == PIXELS
        """Whether it is the picture."""
        if space is None and self._own:
            space = getattr(game_class, "observation_space", None)
        if space is not None and not isinstance(space, spaces.Space):
            raise checks.wrong_type("observation_space", "a space of Gymnasium's", space)
        self.space: spaces.Space[Any] | None = space
        """That of what is seen; None as long as nobody knows it."""

    def see(self, game: Game, player: int | None = None) -> Any:
        """What is seen now. It is the caller's own."""
        if self.pixels:
            seen: Any = picture(game)
        elif self._function is not None:
            seen = self._function(*((game,) if player is None else (game, player)))
            if not isinstance(seen, dict | tuple | int):
                seen = np.array(seen)  # a copy
        else:
            seen = self._numbers(game)
        if self.space is None:
            self.space = space_of(seen)
        elif isinstance(seen, np.ndarray) and isinstance(self.space, spaces.Box):
            if seen.shape != self.space.shape:
                raise FrameworkError(
                    f"observation: its shape was {self.space.shape} and is "
                    f"{seen.shape} now; an environment's must "
                    "stay: choose numbers that are always there, or pad them"
                )
            if seen.dtype != self.space.dtype:
                seen = seen.astype(self.space.dtype)
        return seen

    def _numbers(self, game: Game) -> NDArray[np.float32]:
        parts = []
        for name in self._names:
            try:
                value: NDArray[Any] = np.asarray(attrgetter(name)(game))
            except (AttributeError, ValueError) as error:
                raise FrameworkError(
                    f"observation: {name!r} cannot be asked for: {error}"
                ) from None
            if value.dtype.kind in "biuf":
                parts.append(value.astype(np.float32).reshape(-1))
            elif not self._declared:
                raise FrameworkError(
                    f"observation: {name!r} is no number and no array of numbers: {value!r:.60}"
                )
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def _default(game_class: type[Game]) -> tuple[Any, bool, bool]:
    """What a game is seen by that nobody said more of; whether that is its own method, or what it
    declares.
    """
    own: object = getattr(game_class, "observation", None)
    if callable(own):
        return own, True, False
    declared: object = getattr(game_class, "saved", None)
    if isinstance(declared, Sequence) and not isinstance(declared, str) and declared:
        return tuple([name for name in declared if name != "random"]), False, True
    return PIXELS, False, False


def picture(game: Game) -> NDArray[np.uint8]:
    """The game's picture of the last tick, uint8 (height, width, 3), row 0 at the top."""
    timestep: Any = game.timestep
    if getattr(timestep, "fixed", False):
        timestep.alpha = 1 - 2**-53  # what is, not what was a tick before
    game.advance(0)
    return np.ascontiguousarray(game.pixels()[..., :3])


def space_of(seen: object) -> spaces.Space[Any]:
    """A space for what was seen, without limits but those of its numbers."""
    if not isinstance(seen, np.ndarray) or seen.dtype.kind not in "biuf":
        raise FrameworkError(
            "observation: what is no array of numbers needs an observation_space; got "
            f"{type(seen).__name__}"
        )
    kind: Any = seen.dtype.type
    if seen.dtype.kind == "f":
        most = min(_LARGEST, float(np.finfo(kind).max))
        return spaces.Box(-most, most, seen.shape, kind)
    if seen.dtype.kind == "b":
        return spaces.MultiBinary(seen.shape)
    limits = np.iinfo(kind)
    return spaces.Box(limits.min, limits.max, seen.shape, kind)


class Seen:
    """The part of an environment that shows its game, and closes it."""

    render_mode: str | None
    game: Any

    def render(self) -> NDArray[np.uint8] | None:
        """The picture, uint8 (height, width, 3), where the render mode is "rgb_array"."""
        if self.render_mode is None or self.game is None:
            return None
        return picture(self.game)

    def close(self) -> None:
        """Close the game. A second time does nothing."""
        game: Game | None = self.game
        self.game = None
        if game is not None:
            game.close()
