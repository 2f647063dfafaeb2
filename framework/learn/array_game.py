"""One game whose rows are many: each tick computes a step of all of them with NumPy, for agents
that learn.
"""

from __future__ import annotations

__all__ = ["ArrayGame"]

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..arrays import Doubles, Rows
from ..game.game import Game
from .streams import Streams


class ArrayGame(Game):
    """A game of ``envs`` rows that know nothing of each other. Override `begin`, `observations` and
    `update`.

    In `setup` it makes arrays with a row for each: of places, speeds, whatever a game has. `update`
    reads `actions`, moves all rows, and says by `rewards` and `ended` what that was worth, and in
    which rows it is over.

    Random numbers are taken from `uniform`: a row then is what it would be alone, in a game of one
    row, to the bit.

    Parameters
    ----------
    envs
        How many rows.
    seed
        Row i has the seed ``seed + i``.
    """

    action_space: Any = None
    """Of a row, for `GameEnv` and `vector_env`: a space of Gymnasium's, or how many actions there
    are.
    """
    observation_space: Any = None
    """A space of Gymnasium's; None where numbers have no limits."""
    shown = 0
    """The row that is drawn, for a game that draws one."""

    def __init__(self, *, envs: int = 1, seed: int = 0, **options: Any) -> None:
        super().__init__(seed=seed, **options)
        self.envs = checks.whole("envs", envs, 1)
        self.actions: NDArray[Any] = np.zeros(self.envs, np.int64)
        """What each row is to do: the array that was given to the environment."""
        self.rewards: Doubles = np.zeros(self.envs)
        """What this tick was worth: float64 (envs,)."""
        self.ended: NDArray[np.bool_] = np.zeros(self.envs, np.bool_)
        """Where it is over: bool (envs,)."""
        self.streams = Streams(
            np.arange(self.envs, dtype=np.uint64) + np.uint64(self._engine.stage.seed)
        )

    # -- to override -------------------------------------------------------------------------------

    def begin(self, rows: Rows) -> None:
        """Have ``rows``, intp (k,), start anew: set all that they have."""
        raise NotImplementedError(f"{type(self).__name__} needs a method begin(rows)")

    def observations(self) -> NDArray[Any]:
        """What is seen of each row: (envs, …)."""
        raise NotImplementedError(f"{type(self).__name__} needs a method observations()")

    # -- what a rule may ask -----------------------------------------------------------------------

    def uniform(
        self, rows: Rows, low: ArrayLike = 0.0, high: ArrayLike = 1.0, count: int | None = None
    ) -> Doubles:
        """Random numbers from ``low`` up to ``high`` for rows, each from its own stream: float64
        (k,) or (k, count).
        """
        return self.streams.uniform(rows, low, high, count)

    # -- what environments call --------------------------------------------------------------------

    def restart(self, rows: ArrayLike | None = None, seeds: ArrayLike | None = None) -> None:
        """Have rows, by numbers or a mask, or all of them, start anew; with ``seeds``, as a game of
        that seed does.
        """
        chosen = np.arange(self.envs) if rows is None else np.asarray(rows)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        if seeds is not None:
            self.streams.seed(chosen, seeds)
        self.rewards[chosen] = 0.0
        self.ended[chosen] = False
        self.begin(chosen)

    def act(self, action: Any) -> None:
        """Have the only row do something."""
        self.actions = np.array([action])

    def observation(self) -> Any:
        """What is seen of the first row."""
        return self.observations()[0]

    @property
    def reward(self) -> float:
        """What this tick was worth to the first row."""
        return float(self.rewards[0])

    @property
    def terminated(self) -> bool:
        """Whether it is over for the first row."""
        return bool(self.ended[0])

    def _begin(self) -> None:
        super()._begin()
        self.restart()
