"""Many environments at once: the rows of one `ArrayGame`, or games of any kind in worker
processes.
"""

from __future__ import annotations

__all__ = ["vector_env"]

import os
from typing import Any

from .. import checks
from ..game.game import Game
from ..game.launch import check_game
from .array_env import ArrayEnv
from .array_game import ArrayGame
from .gymnasiums import AutoresetMode, VectorEnv, check_installed
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
    """Gymnasium's vector environment of ``num_envs`` games. ``options`` are those of `GameEnv`.

    Of an `ArrayGame`, one game has a row for each, and computes a step of all in one tick. Of any
    other, ``workers`` processes have some games each (default: as many as there are processors),
    with actions, observations and rewards in memory that they share; 0 has all of them in this
    process.

    ``autoreset_mode`` is Gymnasium's, or its name: "NextStep" (the step after the last one begins
    anew), "SameStep" (the last one does, with ``final_obs`` among the infos), "Disabled"
    (``reset(options={"reset_mask": …})`` does). What comes out is, to the bit, what Gymnasium's
    SyncVectorEnv makes of as many `GameEnv`.
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
