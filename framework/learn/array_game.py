"""Array games: one game that simulates many episodes at once, with NumPy arrays."""

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
    """A game that simulates ``envs`` independent episodes, one in each row of its arrays.

    Override `begin`, `observations` and `update`.

    In `setup` the game makes arrays with an element for each row: positions, speeds and so on.
    `update` reads `actions`, moves all rows and sets `rewards` and `ended`.

    A game must take its random numbers from `uniform`. With `uniform`, each row has exactly the
    same results as a game with a single row.

    Parameters
    ----------
    envs
        The number of rows.
    seed
        The seed of row 0. Row i has the seed ``seed + i``.
    """

    action_space: Any = None
    """The action space of one row, for `GameEnv` and `vector_env`: a space of Gymnasium, or the
    number of actions.
    """
    observation_space: Any = None
    """The Gymnasium space of one row's observations. With None, the default, the observations are
    numbers without limits.
    """
    rendered_row = 0
    """The index of the row to draw, 0 by default. If the game draws one row, read `rendered_row` in
    `draw`.
    """

    def __init__(self, *, envs: int = 1, seed: int = 0, **options: Any) -> None:
        super().__init__(seed=seed, **options)
        self.envs = checks.whole("envs", envs, 1)
        self.actions: NDArray[Any] = np.zeros(self.envs, np.int64)
        """The actions of all rows: the array that was passed to the environment."""
        self.rewards: Doubles = np.zeros(self.envs)
        """The rewards of this tick: float64 (envs,)."""
        self.ended: NDArray[np.bool_] = np.zeros(self.envs, np.bool_)
        """Whether each row's episode is over: bool (envs,)."""
        self.streams = RandomStreams(
            np.arange(self.envs, dtype=np.uint64) + np.uint64(self._engine.stage.seed)
        )

    # -- to override -------------------------------------------------------------------------------

    def begin(self, rows: Rows) -> None:
        """Called when episodes start in ``rows``, intp (k,): set all state of these rows."""
        raise NotImplementedError(f"{type(self).__name__} needs a method begin(rows)")

    def observations(self) -> NDArray[Any]:
        """Return the observations of all rows, an array of shape (envs, …)."""
        raise NotImplementedError(f"{type(self).__name__} needs a method observations()")

    # -- for the game's rules
    # -----------------------------------------------------------------------

    def uniform(
        self, rows: Rows, low: ArrayLike = 0.0, high: ArrayLike = 1.0, count: int | None = None
    ) -> Doubles:
        """Return random numbers from ``low`` to below ``high``. Each row of the game takes its
        numbers from a separate random stream.

        The result of `uniform` is float64 (k,) for k rows. If ``count`` is given, the shape of the
        result is (k, count).
        """
        return self.streams.uniform(rows, low, high, count)

    # -- for environments
    # ----------------------------------------------------------------------------

    def restart(self, rows: ArrayLike | None = None, seeds: ArrayLike | None = None) -> None:
        """Restart the episodes of ``rows``, which are indices or a mask. ``rows`` defaults to all
        rows.

        With ``seeds``, each row gets a new seed. From then on, its random numbers are those of a
        new game with this seed.
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
        """The reward of row 0 in this tick."""
        return float(self.rewards[0])

    @property
    def terminated(self) -> bool:
        """Whether the episode of row 0 is over."""
        return bool(self.ended[0])

    def _begin(self) -> None:
        super()._begin()
        self.restart()
