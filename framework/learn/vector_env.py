"""Vector environments: many games for one agent, as an `ArrayGame` or in worker processes."""

from __future__ import annotations

__all__ = ["vector_env"]

import os
from typing import Any

from .. import checks
from ..game.game import Game
from ..game.launch import check_game
from .array_env import ArrayEnv
from .array_game import ArrayGame
from .gymnasium_imports import AutoresetMode, VectorEnv, check_installed
from .worker_env import WorkerEnv

MODES = ("NextStep", "SameStep", "Disabled")


def vector_env(
    game_class: type[Game],
    num_envs: int = 1,
    *,
    workers: int | None = None,
    autoreset_mode: Any = "NextStep",
    **options: Any,
) -> VectorEnv[Any, Any, Any]:
    """Return Gymnasium's vector environment of ``num_envs`` games. ``options`` are those of
    `GameEnv`.

    An `ArrayGame` becomes one game with a row for each environment. One tick steps all rows. Games
    of other classes run in ``workers`` processes, which share memory for actions, observations and
    rewards. The default is a worker for each processor. With ``workers=0`` all games run in this
    process.

    ``autoreset_mode`` is Gymnasium's value or its name. "NextStep": the step after the last one
    restarts the game. "SameStep": the last step restarts the game, and ``final_obs`` is in the
    infos. "Disabled": only ``reset(options={"reset_mask": …})`` restarts a game. The results are,
    to the bit, those of Gymnasium's SyncVectorEnv of `GameEnv` objects.
    """
    check_installed("vector_env", VectorEnv)
    check_game(game_class)
    num_envs = checks.whole("num_envs", num_envs, 1)
    if not isinstance(autoreset_mode, AutoresetMode):
        autoreset_mode = AutoresetMode(checks.choice("autoreset_mode", autoreset_mode, MODES))
    if issubclass(game_class, ArrayGame):
        return ArrayEnv(game_class, num_envs, autoreset_mode=autoreset_mode, **options)
    workers = os.cpu_count() or 1 if workers is None else checks.whole("workers", workers, 0)
    return WorkerEnv(
        game_class, num_envs, min(workers, num_envs), autoreset_mode=autoreset_mode, **options
    )
