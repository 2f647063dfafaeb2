"""Games that simulate many episodes at the same time, as rows of NumPy arrays."""

from __future__ import annotations

__all__ = ["ArrayGame"]

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Rows
from ..game.game import Game
from ..moved_names import moved
from .random_streams import RandomStreams


@moved("array_game", {}, settings={"shown": "rendered_row"})
class ArrayGame(Game):
    """A game that simulates ``envs`` independent episodes. Each episode is one row of the game's
    arrays.

    Your subclass must override `begin`, `observations` and `update`.

    In `setup`, create arrays for the state of the game, such as positions and speeds, with one
    element per row. In `update`, read `actions`, move all rows, and set `rewards` and `ended`.

    Take all random numbers from the method `uniform`. Each row then behaves exactly like a game
    with a single row.

    Parameters
    ----------
    envs
        The number of rows.
    seed
        The seed of the random numbers of row 0. Row i has the seed ``seed + i``.
    """

    action_space: Any = None
    """The action space of one row: a space of Gymnasium, or the number of actions."""
    observation_space: Any = None
    """The Gymnasium space of one row's observations. By default (None), the space has the shape of
    an observation and no limits.
    """
    rendered_row = 0
    """The index of the row to draw (0 by default). If your game draws only one row, read
    `rendered_row` in `draw`.
    """

    def __init__(self, *, envs: int = 1, seed: int = 0, **options: Any) -> None:
        super().__init__(seed=seed, **options)
        self.envs = checks.whole("envs", envs, 1)
        self.actions: NDArray[Any] = np.zeros(self.envs, np.int64)
        """The actions that the agent has chosen for all rows in this tick."""
        self.rewards: Doubles = np.zeros(self.envs)
        """The reward of each row in this tick. The array is float64 and has the shape (envs,)."""
        self.ended: NDArray[np.bool_] = np.zeros(self.envs, np.bool_)
        """Whether the episode of each row is over. The array is bool and has the shape (envs,)."""
        self.streams = RandomStreams(
            np.arange(self.envs, dtype=np.uint64) + np.uint64(self._engine.stage.seed)
        )

    # -- to override -------------------------------------------------------------------------------

    def begin(self, rows: Rows) -> None:
        """Called when new episodes start in ``rows``. Set the whole state of ``rows`` to the start
        of an episode. ``rows`` is an array of row indices.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method begin(rows)")

    def observations(self) -> NDArray[Any]:
        """Return the observations of all rows. The array has the shape (envs, …): the first
        dimension is the row.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method observations()")

    # -- for the game's rules
    # -----------------------------------------------------------------------

    def uniform(
        self, rows: Rows, low: ArrayLike = 0.0, high: ArrayLike = 1.0, count: int | None = None
    ) -> Doubles:
        """Return a random number for each of ``rows``, from the row's own random generator. Each
        number is at least ``low`` and less than ``high``.

        The returned array is float64 and has one element per row. If you pass ``count``, the
        returned array has the shape (rows, count).
        """
        return self.streams.uniform(rows, low, high, count)

    # -- for environments
    # ----------------------------------------------------------------------------

    def restart(self, rows: ArrayLike | None = None, seeds: ArrayLike | None = None) -> None:
        """Start a new episode in each of ``rows``. By default, a new episode starts in all rows.
        ``rows`` is an array of row indices or a mask.

        If you pass ``seeds``, the random generators of ``rows`` are restarted with these seeds.
        """
        indices = np.arange(self.envs) if rows is None else np.asarray(rows)
        if indices.dtype == np.bool_:
            indices = np.flatnonzero(indices)
        if seeds is not None:
            self.streams.seed(indices, seeds)
        self.rewards[indices] = 0.0
        self.ended[indices] = False
        self.begin(indices)

    def act(self, action: Any) -> None:
        """Set the action of a game with one row. `GameEnv` calls `act` in each step."""
        self.actions = np.array([action])

    def observation(self) -> Any:
        """Return the observation of row 0. `GameEnv` calls `observation` after each step."""
        return self.observations()[0]

    @property
    def reward(self) -> float:
        """The reward of row 0 in the last tick."""
        return float(self.rewards[0])

    @property
    def terminated(self) -> bool:
        """Whether the episode of row 0 is over."""
        return bool(self.ended[0])

    def _begin(self) -> None:
        super()._begin()
        self.restart()
